$ -- Items of elements in any order: who comes first takes the first room. Blocks wait for nobody, and the last to end knows how many items there are.
$ -- block_atomic: a tile's items lie together, one atomic addition a tile. atomic_bump, a baseline: an element's, one atomic addition an element.
$ assert(ITEMS % VECTOR == 0 and BLOCK % LANES == 0 and item)
$ assert(strategy == "block_atomic" or strategy == "atomic_bump")
$ local of_block = strategy == "block_atomic"
$ include "parts/operators"

$ include "parts/subgroup"

$ include("parts/block", {turns = 1})

$ include("parts/arrays", inputs)

$ include("parts/arrays", outputs)

$ include("scan/carry", {takes = false, leaves = true})

$ include "parts/counters"

$ if part_items then
$ include "scan/parts"

$ end
$ include "scan/tiles"

$ include "parts/owned_tiles"

$ include(narrow and "scan/tile_lengths" or "scan/tile_scan")

$ if of_block then
$(shared(T, "tile_room")) // where the tile's items begin

$ end
$(kernel("scan"))
{
    const $(Index) n = element_count(params.n, params.n_address);
$ if has_inputs then
    In in_items = $(inputs.value);
$ end
    Out out_items = $(outputs.value);
$ if has_inputs then
    const bool in_is_aligned = $(inputs.are_aligned);
$ end
    const TileRange tiles = owned_tiles(tile_count(n));
$ if part_items then
    if (!has_parts_of(params.scratch$(tile_parts > 0 and ", tile_count(n)" or ""))) return;
$ else
    if (zeroed_count(params.scratch) < 2u) return; // the counters
$ end

    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const $(Index) start = tile_start(tile, n);
$ if narrow then
        const TileScan scan = scan_lengths(load_tile($(hands_inputs("in_is_aligned"))start, n));
        const $(T) length = tile_length(scan.total, $(has_inputs and "in_items, " or "")start, n);
$ elseif of_block then
        const TileScan scan = scan_tile(load_tile($(hands_inputs("in_is_aligned"))start, n));
        const BlockScan block = block_scan(scan.total);
$ end
$ if of_block then
$ if SUBGROUPS == 1 then
        block_barrier(); // all have read where the tile before begins; a block of several subgroups met when it scanned their totals
$ end
        if (thread_id() == 0u) tile_room = take_room(params.scratch, $(narrow and "length" or "block.total"));
        block_barrier();
$ else
        const TileScan scan = scan_tile(take_rooms(load_tile($(hands_inputs("in_is_aligned"))start, n), out_items, params.scratch));
        const BlockScan block = block_scan(scan.total);
$ end
        if ($(outputs.is_given)) {
            const $(T) prefix = $(of_block and "tile_room" or "identity()");
$ if narrow then
            const $(T) end = $(join("prefix", "length"));
$ else
            const $(T) subgroup_prefix = $(join("prefix", "block.before"));
            const $(T) end = $(join("prefix", "block.total"));
$ end
            expand_tile($(has_inputs and "in_items, " or "")out_items, scan, $(narrow and "prefix" or "prefix, subgroup_prefix"), end, $(part_items and "tile, start, params.scratch" or "start"));
        }
    }
$ if not of_block then
    block_barrier_all_memory(); // all of the block's items have taken room
$ end
    if (thread_id() != 0u || !is_last_block(params.scratch, finish_block(params.scratch))) return;
    store_carry($(leaves), end_rooms(params.scratch));
$ if part_items then
    end_parts(params.scratch);
$ end
}
