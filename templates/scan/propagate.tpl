$ -- The second half of scan_then_propagate: what comes before a block goes before each of the results that scan.tpl left in its tiles. Outputs that
$ -- have nothing of s stay as they are.
$ assert(ITEMS % VECTOR == 0 and BLOCK % LANES == 0)
$ include "parts/operators"

$ include "parts/subgroup"

$ include("parts/block", {turns = 1})

$ for _, y in ipairs(revisited) do
$ if outputs.fields then
// Array `$(y.name)`.
$ end
$ include("memory", {array = "In" .. y.suffix, group = "Inputs" .. y.suffix, type = y.type, reads = true, writes = false})

$ include("memory", {array = "Out" .. y.suffix, group = "Outputs" .. y.suffix, type = y.type, reads = false, writes = true})

$ end
$ include("scan/carry", {takes = false, leaves = true})

$ include "parts/tile_places"

$ include "parts/owned_tiles"

$ include "scan/aggregates"

$ include "scan/block_reduce"

$ include "scan/aggregate_before"

$(kernel("propagate"))
{
$ if #revisited > 0 then
    const $(Index) n = element_count(params.n, params.n_address);
    const TileRange tiles = owned_tiles(tile_count(n));
$ end
    Aggregates aggregates = block_aggregates(params.scratch);
    const $(T) prefix = aggregate_before(aggregates);

$ if #revisited > 0 then
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const $(Index) start = tile_start(tile, n);
$ for _, y in ipairs(revisited) do
$ local k = y.suffix
        if (is_given($(y.address))) {
            Inputs$(k) rows[ROWS];
            if (is_vector_aligned($(y.address)) && start + TILE <= n) {
                UNROLL for (uint row = 0u; row < ROWS; row++) rows[row] = load_full_inputs$(k)(In$(k)($(y.address)), start + row_place(row));
            } else {
                UNROLL for (uint row = 0u; row < ROWS; row++) rows[row] = load_inputs$(k)(In$(k)($(y.address)), start + row_place(row), n);
            }
            UNROLL for (uint row = 0u; row < ROWS; row++) {
                Outputs$(k) outputs;
                UNROLL for (uint v = 0u; v < VECTOR; v++) {
                    const $(T) own = $(y.state("rows[row].at[v]"));
                    const $(T) s = $(join("prefix", "own"));
                    outputs.at[v] = $(y.element("rows[row].at[v]", "s"));
                }
                store_outputs$(k)(Out$(k)($(y.address)), start + row_place(row), n, outputs);
            }
        }
$ end
    }
$ end
    if (thread_id() != 0u || block_id() != block_count() - 1u) return;
    const $(T) aggregate = aggregates.at[block_id() + 1u];
    store_carry(params.carry_out, $(join("prefix", "aggregate")));
}
