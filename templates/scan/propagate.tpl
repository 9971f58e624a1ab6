$ -- The second half of scan_then_propagate: what comes before a block goes before each of the results that scan.tpl left in its tiles.
$ assert(ITEMS % VECTOR == 0 and BLOCK % LANES == 0)
$ include "parts/operators"

$ include "parts/subgroup"

$ include("parts/block", {turns = 1})

$ include("memory", {array = "In", group = "Inputs", type = output, reads = true, writes = false})

$ include("memory", {array = "Out", group = "Outputs", type = output, reads = false, writes = true})

$ include("scan/carry", {takes = false, leaves = true})

$ include("scan/tiles", {tile_map = function(x) return x end, map_takes_near = false, has_inputs = true, takes_inputs = "In in_items, bool is_aligned, "})

$ include "parts/owned_tiles"

$ include "scan/aggregates"

$ include "scan/block_reduce"

$ include "scan/aggregate_before"

$(kernel("propagate"))
{
    const $(Index) n = element_count(params.n, params.n_address);
    In scans = In($(outputs.address));
    Out out_items = Out($(outputs.address));
    const bool is_aligned = is_vector_aligned($(outputs.address));
    const TileRange tiles = owned_tiles(tile_count(n));
    Aggregates aggregates = block_aggregates(params.scratch);
    const $(T) prefix = aggregate_before(aggregates);

    for (uint tile = tiles.first; tile < tiles.end && is_given($(outputs.address)); tile++) {
        const $(Index) start = tile_start(tile, n);
        const Tile scan = load_tile(scans, is_aligned, start, n);
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) outputs.at[$(place)] = $(join("prefix", "scan.rows[row].at[v]"));
            store_outputs(out_items, start + row_place(row), n, outputs);
        }
    }
    if (thread_id() != 0u || block_id() != block_count() - 1u) return;
    const $(T) aggregate = aggregates.at[block_id() + 1u];
    store_carry(params.carry_out, $(join("prefix", "aggregate")));
}
