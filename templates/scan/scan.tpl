$ -- Scan: each block scans a contiguous range of tiles and carries its prefix from tile to tile.
$ -- single_block: one block owns every tile. reduce_then_scan: reduce.tpl has published the blocks' aggregates in an earlier launch.
$ -- scan_then_propagate: blocks begin with the identity and publish their aggregates; propagate.tpl puts the prefixes before the results. Where these
$ -- are not s or parts of it, the first launch leaves states in their place (leaves_states, states.tpl), of which a later one, also by this template,
$ -- makes the results (takes_states).
$ -- recounts: what is kept depends on the states, so it is counted, and the counts are scanned, when they are known. counting: a launch that does
$ -- nothing else, between the others of several, and publishes what is kept of the blocks' items.
$ -- Source: Merrill & Grimshaw 2010, two-level reduce-then-scan over a fixed number of blocks.
$ assert(ITEMS % VECTOR == 0 and BLOCK % LANES == 0)
$ assert(strategy == "single_block" or strategy == "reduce_then_scan" or strategy == "scan_then_propagate")
$ local reads_inputs = has_inputs and (not takes_states or output_reads_input or (recounts and recount_reads_input) or empty)
$ local stores = not counting and not leaves_states
$ local knows_before = strategy == "reduce_then_scan" or takes_states -- the blocks' aggregates
$ include "parts/operators"

$ include "parts/subgroup"

$ if balanced then
$ include "parts/balanced"
$ else
$ include("parts/block", {turns = 1})
$ end

$ include("parts/arrays", inputs)

$ if stores then
$ include("parts/arrays", outputs)

$ end
$ include("scan/carry", {takes = not knows_before, leaves = (strategy ~= "scan_then_propagate" or takes_states) and not counting, is_ordered = strategy == "single_block"})

$ if part_items then
$ include "parts/counters"

$ include "scan/parts"

$ end
$ include "scan/tiles"

$ include "parts/owned_tiles"

$ if segments then
$ include("scan/number_segments", {stores_empty = empty and stores})

$ end
$ include(packs == "tile" and "scan/packed_tile" or packs and "scan/packed_rows" or narrow and "scan/tile_lengths" or "scan/tile_scan", {stores = stores})

$ if leaves_states or takes_states then
$ include "scan/states"

$ end
$ if recounts then
$ include "scan/tile_count"

$ end
$ if strategy ~= "single_block" then
$ include "scan/aggregates"

$ end
$ if knows_before then
$ if not balanced then
$ include "scan/block_reduce"

$ end
$ include "scan/aggregate_before"

$ end
$(kernel("scan"))
{
    const $(Index) n = element_count(params.n, params.n_address);
$ if reads_inputs then
    In in_items = $(inputs.value);
$ end
$ if stores then
    Out out_items = $(outputs.value);
$ end
$ if reads_inputs then
    const bool in_is_aligned = $(inputs.are_aligned);
$ end
$ if not item and stores and not (packs and outputs.have_places) then
    const bool out_is_aligned = $(output_reads_input and has_inputs and "in_is_aligned && " or "")$(outputs.are_aligned);
$ end
    const TileRange tiles = owned_tiles(tile_count(n));
$ if segments then
    if (!has_firsts_of(params.scratch, tile_count(n))) return;
$ end
$ if part_items then
    if (!has_parts_of(params.scratch$(tile_parts > 0 and ", tile_count(n)" or ""))) return;
$ end

$ if strategy == "single_block" then
    $(T) prefix = starting_prefix(params.carry_in);
$ elseif knows_before then
$ if balanced then
    const uint share = share_of(tile_count(n), block_count());
    const Ends owned = aggregate_ends(block_aggregates(params.scratch), block_id(), uint(n / TILE / share));
    $(T) prefix = owned.before;
$ else
    $(T) prefix = aggregate_before(block_aggregates(params.scratch));
$ end
$ else
    $(T) prefix = identity();
$ end
$ if recounts then
    $(T) counted = $(strategy == "single_block" and "identity()" or counting and "identity()" or "aggregate_before(block_counts(params.scratch))");
$ end
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const $(Index) start = tile_start(tile, n);
$ if segments and reads_inputs then
        in_items.first = start;
        number_segments(in_items, $(empty and stores and "out_items, true, " or "")params.scratch, n);
$ end
$ if takes_states then
        const Tile states = take_states(params.scratch, start$(segments and ", n" or ""));
$ if recounts then
        const TileScan counts = scan_tile(count_tile($(hands_recounted)states, prefix, start, n));
        const BlockScan kept = block_scan(counts.total);
$ if stores then
        const $(T) subgroup_counted = $(join("counted", "kept.before"));
$ end
        counted = $(join("counted", "kept.total"));
$ end
$ if stores then
        if ($(outputs.is_given)) store_tile(out_items, $(output_reads_input and has_inputs and "in_items, " or "")out_is_aligned, states, prefix, $(recounts and "counts, subgroup_counted, " or "")start, n);
$ end
$ elseif narrow then
        const TileScan scan = scan_lengths(load_tile(in_items, in_is_aligned, start, n));
        const $(T) length = tile_length(scan.total, in_items, start, n);
        const $(T) end = $(join("prefix", "length"));
        if ($(outputs.is_given)) expand_tile(in_items, out_items, scan, prefix, end, tile, start, params.scratch);
        prefix = end;
$ else
$ if packs then
$ if has_inputs then
        const Items items = load_items(in_items, in_is_aligned, start, n);
$ end
        const RowScan scan = scan_items($(hands_items)start, n);
$ else
        const TileScan scan = scan_tile(load_tile($(hands_inputs("in_is_aligned"))start, n));
$ end
        const BlockScan block = block_scan(scan.total);
$ if balanced then
        const uint count = items_of(tile, n);
        $(strategy == "single_block" and "const " or "")Ends ends = grow(tile - tiles.first, prefix, block.total);
$ if strategy == "reduce_then_scan" then
        if (tile - tiles.first == share - 1u) ends.through = owned.through; // with what the tree joins it to before the block
$ end
        const TileScan prefixes = descend(scan, subgroup_ends(block, ends));
        prefix = ends.through;
        if (count < TILE) {
            keep_tail(scan, block, count);
            prefix = join_tail(ends.before, count);
        }
        if ($(outputs.is_given)) store_tile(out_items, $(output_reads_input and has_inputs and "in_items, " or "")out_is_aligned, prefixes, start, n);
$ elseif packs and packs ~= "tile" then
        const $(T) subgroup_prefix = $(join("prefix", "block.before"));
        prefix = $(join("prefix", "block.total"));
        if ($(outputs.is_given)) store_items(out_items, $(outputs.have_places and "" or "out_is_aligned, ")$(hands_items)scan, subgroup_prefix, start, n);
$ elseif packs then
        const $(T) end = $(join("prefix", "block.total"));
        if ($(outputs.is_given)) {
$ if SUBGROUPS == 1 then
            block_barrier(); // the tile before has left; a block of several subgroups meets when it scans their totals
$ end
            pack_tile(out_items, $(outputs.have_places and "" or "out_is_aligned, ")$(hands_items)scan, block, start, n);
            block_barrier();
            leave_tile(out_items, start, min(start + TILE, n), prefix, end$(outputs.have_tails and ", begins_run != 0u, ends_run != 0u" or ""));
        }
        prefix = end;
$ else
        const $(T) subgroup_prefix = $(join("prefix", "block.before"));
$ if item then
        const $(T) end = $(join("prefix", "block.total"));
        if ($(outputs.is_given)) expand_tile($(has_inputs and "in_items, " or "")out_items, scan, prefix, subgroup_prefix, end, $(part_items and "tile, start, params.scratch" or "start"));
        prefix = end;
$ else
        prefix = $(join("prefix", "block.total"));
$ if recounts then
        const TileScan counts = scan_tile(count_tile($(hands_recounted)scan, subgroup_prefix, start, n));
        const BlockScan kept = block_scan(counts.total);
$ if not counting then
        const $(T) subgroup_counted = $(join("counted", "kept.before"));
$ end
        counted = $(join("counted", "kept.total"));
$ end
$ local tallies = recounts and "counts, subgroup_counted, " or ""
$ if leaves_states then
        leave_states(params.scratch, scan, subgroup_prefix, start$(segments and ", n" or ""));
$ elseif stores then
        if ($(outputs.is_given)) store_tile(out_items, $(output_reads_input and has_inputs and "in_items, " or "")out_is_aligned, scan, subgroup_prefix, $(tallies)start, n);
$ end
$ end
$ end
$ end
    }
$ if counting then
    if (thread_id() == 0u) {
        Aggregates counts = block_counts(params.scratch);
        const $(T) none = identity();
        if (block_id() == 0u) counts.at[0] = none;
        counts.at[block_id() + 1u] = counted;
    }
$ elseif strategy == "scan_then_propagate" and not takes_states then
    if (thread_id() == 0u) {
        Aggregates aggregates = block_aggregates(params.scratch);
        if (block_id() == 0u) aggregates.at[0] = starting_prefix(params.carry_in);
        aggregates.at[block_id() + 1u] = prefix;
    }
$ elseif takes_states then
$ if element or totals then
    if (block_id() == block_count() - 1u && thread_id() == 0u) {
        Aggregates aggregates = block_aggregates(params.scratch);
        const $(T) aggregate = aggregates.at[block_id() + 1u];
        const $(T) total = $(join("prefix", "aggregate"));
        store_carry($(leaves), $(recounts and with_counts("total", "counted") or "total"));
    }
$ end
$ else
$ if strategy == "single_block" then
    block_barrier_all_memory(); // all have read the carry-in, which may be the carry-out
$ end
    if ($(balanced and "owns_end(tiles, tile_count(n))" or "block_id() == block_count() - 1u") && thread_id() == 0u) store_carry($(leaves), $(recounts and with_counts("prefix", "counted") or "prefix"));
$ end
$ if part_items then
    if (thread_id() == 0u && is_last_block(params.scratch, finish_block(params.scratch))) end_parts(params.scratch);
$ end
}
