$ -- Tiles whose packed outputs are put together in shared memory before they leave (packed_leave.tpl). A tile's results are made as soon as it has been
$ -- summed up: what a scan comes to before the tile only moves them, or mends one of them. Uses tile_places.tpl, block.tpl; defines pack_tile and what
$ -- held_items.tpl and packed_leave.tpl do. Outputs that are not packed go to their places by themselves.
$ assert(not reverse and not balanced)
$ local outs = packed_outputs()
$ local has_tails, has_aligned, has_behind = false, false, false
$ for _, y in ipairs(outs) do
$     has_tails, has_aligned, has_behind = has_tails or y.has_tails, has_aligned or not y.to, has_behind or y.is_behind
$     if y.is_behind then
$         y.room = outs[y.k - 1].room
$     elseif y.is_packed then
$         y.room = "packed" .. y.k
// Array `$(outputs.fields[y.k].name)`: what a tile has of it$(outs[y.k + 1] and outs[y.k + 1].is_behind and ", and behind it the next array's" or "").
$(shared(type_name(y.type), y.room, "TILE + 1u"))

$     end
$ end
$ local staged = function(y, i) return ("%s[%s]"):format(y.room, i) end
$ if has_tails then
// Whether a tile's first item is the first of its place, and its last one the last.
$(shared("uint", "begins_run"))
$(shared("uint", "ends_run"))

$ end
$ include("scan/packed_leave", {outs = outs, staged = staged, room = false, own = "thread_id()", width = "BLOCK", most = BLOCK * ITEMS, part = "tile"})

$ include "scan/held_items"

// Puts together what is packed of a tile that has been summed up$(has_aligned and ", and writes the other outputs" or ""). Barriers of the block must lie between it and the tile's way
// out, and the one of the tile before. The whole block calls it.
void pack_tile(Out out_items, $(has_aligned and "bool is_aligned, " or "")$(takes_items)RowScan scan, BlockScan block, $(Index) start, $(Index) n)
{
    const uint count = n - start < TILE ? uint(n - start) : TILE;
    const $(T) first_state = $(start_text);
    const $(type_name(totals.type)) count_before = $(totals_of("first_state"))$(has_behind and ", count_after = " .. totals_of(after("first_state", "block.total")) or "");
    const $(T) subgroup_state = $(after("first_state", "block.before"));
$ for _, y in ipairs(outs) do
$ if y.is_packed then
    const $(Place) low$(y.k) = $(y.low("count_before", "count_after", "start"));
$ end
$ end
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        $(T) prefix = $(after("subgroup_state", "scan.before[row]"));
$ for _, y in ipairs(outs) do
$ if not y.to then
        Outputs$(y.k) outputs$(y.k);
$ end
$ end
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            const $(T) x = $(map(held.item, held.index, held.near));
            const $(T) inclusive = $(join("prefix", "x"));
            const $(type_name(outputs.type)) result = $(output_map(exclusive and "prefix" or "inclusive", held.item, held.index, held.near));
            const bool is_there = row_place(row) + v < count;
            prefix = inclusive;
$ if has_tails then
$ local tail = outs[1]
$ for _, y in ipairs(outs) do tail = y.has_tails and y or tail end
            if (row == 0u && v == 0u && thread_id() == 0u) begins_run = $(tail.count(totals_of("inclusive"))) != $(tail.count("count_before")) ? 1u : 0u;
            if (row == ROWS - 1u && v == VECTOR - 1u && thread_id() == BLOCK - 1u) ends_run = !is_there || $(tail.is_kept) ? 1u : 0u; // n ends all
$ end
$ for _, y in ipairs(outs) do
$ if y.is_packed then
            if (is_there && $(y.is_kept)) $(staged(y, in_tile(y.to .. " - low" .. y.k))) = $(y.value);
$ elseif y.to then
            if (is_given(out_items.$(y.array)) && is_there && $(y.to) $(y.limit)) store_output$(y.k)(Out$(y.k)(out_items.$(y.array)), $(y.to), $(y.value));
$ else
            outputs$(y.k).at[v] = $(y.value);
$ end
$ end
        }
$ for _, y in ipairs(outs) do
$ if not y.to then
        if (is_given(out_items.$(y.array))) {
            if (is_aligned && count == TILE) store_full_outputs$(y.k)(Out$(y.k)(out_items.$(y.array)), start + row_place(row), outputs$(y.k));
            else store_outputs$(y.k)(Out$(y.k)(out_items.$(y.array)), start + row_place(row), n, outputs$(y.k));
        }
$ end
$ end
    }
}
