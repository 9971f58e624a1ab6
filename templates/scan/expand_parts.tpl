$ -- Items of tiles that have many: what one block would have written alone all blocks share out. Each part's block scans its tile again.
$ assert(ITEMS % VECTOR == 0 and BLOCK % LANES == 0 and item and part_items)
$ include "parts/operators"

$ include "parts/subgroup"

$ include("parts/block", {turns = 1})

$ include("parts/arrays", inputs)

$ include("parts/arrays", outputs)

$ include "parts/counters"

$ include "scan/parts"

$ include "scan/tiles"

$ include "scan/tile_scan"

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
$ local has_posts = strategy == "lookback" or strategy == "chained_scan"
    if (!$(has_posts and "has_posts_of" or "has_parts_of")(params.scratch$((has_posts or tile_parts > 0) and ", tile_count(n)" or ""))) return; // what lies there an earlier enqueue left
    Parts parts = Parts(params.scratch);
    const uint count = part_count(params.scratch);

    for (uint number = block_id(); number < count; number += block_count()) {
        const Part part = parts.at[part_place(params.scratch, number)];
        const $(Index) start = tile_start(part.tile, n);
        const TileScan scan = scan_tile(load_tile($(hands_inputs("in_is_aligned"))start, n));
        const BlockScan block = block_scan(scan.total);
        $(by_groups and "const Heads heads = " or "")write_starts(scan, identity(), block.before);
        write_items($(has_inputs and "in_items, " or "")out_items, $(by_groups and "heads, " or "")part.first, part.begin, part.count - part.begin < PART ? part.count : part.begin + PART, start);
    }
}
