$ -- Scan: each block scans a contiguous range of tiles and carries its prefix from tile to tile.
$ -- single_block: one block owns every tile. reduce_then_scan: reduce.tpl has published the blocks' aggregates in an earlier launch.
$ -- Source: Merrill & Grimshaw 2010, two-level reduce-then-scan over a fixed number of blocks.
$ assert(ITEMS % VECTOR == 0 and BLOCK % LANES == 0)
$ assert(strategy == "single_block" or strategy == "reduce_then_scan")
$ include "operators"

$ include "subgroup"

$ include "block"

$ include("memory", {array = "In", group = "Inputs", type = input, reads = true, writes = false})

$ include("memory", {array = "Out", group = "Outputs", type = output, reads = false, writes = true})

$ include("carry", {takes = strategy == "single_block", leaves = true})

$ include "tiles"

$ if strategy == "reduce_then_scan" then
// What comes before this block: the starting prefix and the blocks before it.
$(T) aggregate_before(Aggregates aggregates)
{
    $(T) before = identity();
    for (uint first = 0u; first <= block_id(); first += BLOCK) {
        $(T) x = identity();
        if (first + thread_id() <= block_id()) x = aggregates.at[first + thread_id()];
        const $(T) lanes = subgroup_scan(x);
        before = $(join("before", "block_scan(shuffle(lanes, LANES - 1u)).total"));
    }
    return before;
}

$ end
$(kernel("scan"))
{
    const uint n = element_count();
    In in_items = In(params.buffers[0]);
    Out out_items = Out(params.buffers[1]);
    const TileRange tiles = owned_tiles(n);

$ if strategy == "single_block" then
    $(T) prefix = starting_prefix();
$ else
    $(T) prefix = aggregate_before(Aggregates(params.scratch));
$ end
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        // Each row: a lane's own items, then across the lanes, then after the rows before it.
        Elements rows[ROWS];
        $(T) row_prefix[ROWS];
        $(T) subgroup_total = identity();
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint start = row_start(tile, row, n);
            Elements x = row_elements(load_inputs(in_items, start, n), start, n);
            UNROLL for (uint v = 1u; v < VECTOR; v++) x.at[v] = $(join("x.at[v - 1u]", "x.at[v]"));
            const $(T) lanes = subgroup_scan(x.at[VECTOR - 1u]);
            const $(T) lanes_before = subgroup_shift(lanes);
            const $(T) row_total = shuffle(lanes, LANES - 1u);
            row_prefix[row] = $(join("subgroup_total", "lanes_before"));
            subgroup_total = $(join("subgroup_total", "row_total"));
            rows[row] = x;
        }

        const BlockScan block = block_scan(subgroup_total);
        const $(T) subgroup_prefix = $(join("prefix", "block.before"));
        prefix = $(join("prefix", "block.total"));
        if (!is_given(params.buffers[1])) continue; // the carry alone is wanted

        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint start = row_start(tile, row, n);
            const $(T) before = $(join("subgroup_prefix", "row_prefix[row]"));
$ if output_reads_input then
            const Inputs inputs = load_inputs(in_items, start, n);
$ end
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
$ if exclusive then
                $(T) s = before;
                if (v > 0u) s = $(join("before", "rows[row].at[v - 1u]"));
$ else
                const $(T) s = $(join("before", "rows[row].at[v]"));
$ end
$ if output_map then
                const uint i = start + $(place);
                if (i < n) outputs.at[$(place)] = $(output_map("s", "inputs.at[" .. place .. "]", "i"));
$ else
                outputs.at[$(place)] = s;
$ end
            }
            store_outputs(out_items, start, n, outputs);
        }
    }
    if (block_id() == block_count() - 1u) carry_out(prefix);
}
