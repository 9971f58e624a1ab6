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

$ include "owned_tiles"

$ include "tile_scan"

$ if strategy == "reduce_then_scan" then
$ include "block_reduce"

// What comes before this block: the starting prefix and the blocks before it.
$(T) aggregate_before(Aggregates aggregates)
{
    $(T) before = identity();
    for (uint first = 0u; first <= block_id(); first += BLOCK) {
        $(T) x = identity();
        if (first + thread_id() <= block_id()) x = aggregates.at[first + thread_id()];
        const $(T) more = block_reduce(x);
        before = $(join("before", "more"));
    }
    return before;
}

$ end
$(kernel("scan"))
{
    const $(Index) n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    Out out_items = Out(params.buffers[1]);
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]);
    const bool out_is_aligned = $(output_reads_input and "in_is_aligned && " or "")is_vector_aligned(params.buffers[1]);
    const TileRange tiles = owned_tiles(tile_count(n));

$ if strategy == "single_block" then
    $(T) prefix = starting_prefix(params.carry_in);
$ else
    $(T) prefix = aggregate_before(Aggregates(params.scratch));
$ end
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const $(Index) start = tile_start(tile, n);
        const TileScan scan = scan_tile(load_tile(in_items, in_is_aligned, start, n));
        const BlockScan block = block_scan(scan.total);
        const $(T) subgroup_prefix = $(join("prefix", "block.before"));
        prefix = $(join("prefix", "block.total"));
        if (is_given(params.buffers[1])) store_tile(out_items, $(output_reads_input and "in_items, " or "")out_is_aligned, scan, subgroup_prefix, start, n);
    }
    if (block_id() == block_count() - 1u && thread_id() == 0u) store_carry(params.carry_out, prefix);
}
