$ -- A tile whose items have a bit each that says whether they are kept (array_sums.tpl): each goes to the next place of its output. Uses
$ -- staged_results.tpl; defines pack_tile. outs; own_item(j), near_own(j, first, n); result(item, index, near): what the output map returns;
$ -- packed_at(y): an output's room; store_packed(y, array, i, number): a statement.
$ local needs_result, needs_items, has_numbers, has_behind = false, false, false, false
$ local item, index, near_item = own_item("j"), "thread_start(tile, tiles) + j", near_own("j", "thread_start(tile, tiles)", "tiles.n")
$ for _, y in ipairs(outs) do
$     needs_result, has_numbers, has_behind = needs_result or not y.is_numbered and not y.late, has_numbers or y.is_numbered, has_behind or y.is_behind
$     needs_items = needs_items or not y.is_numbered
$ end
// Puts what is kept of a whole tile's items where it leaves from. `before` is what places in the tile's shared memory count from, the identity; `end`
// that with the tile; `prefix` what comes before this thread's items, of the tile alone. Of a result the values alone are stored, which no prefix changes.
void pack_tile(uint stage, Out out_items, TileSum sum, uint tile, Tiles tiles, $(T) before, $(T) end, $(T) prefix)
{
    const $(type_name(totals.type)) count_before = $(totals_of("before")), count_own = $(totals_of("prefix"))$(has_behind and ", count_after = " .. totals_of("end") or "");
$ for _, y in ipairs(outs) do
    const $(Place) low$(y.k) = $(y.low("count_before", "count_after", "tile_start(tile, tiles)"));
    $(y.room_array) to$(y.k) = $(packed_at(y)); // of the next item
    to$(y.k).at += $(in_tile(y.first("count_own", "thread_start(tile, tiles)") .. " - low" .. y.k));
$ end
$ if needs_items then
    const Items own = sum.own;
$ end
$ if has_numbers then
    const uint first = in_register(thread_place());
$ end
    UNROLL for (uint k = 0u; k < ITEMS; k++) {
        const uint j = $(reverse and "ITEMS - 1u - k" or "k");
$ if needs_result then
        const $(type_name(outputs.type)) result = $(result(item, index, near_item));
$ end
$ include("scan/late_scalars", {outs = outs, s = exclusive and "prefix" or "inclusive", item = item, index = index, near_item = near_item, indent = ("    "):rep(2)})
        const bool is_counted = (sum.kept.words[k / 32u] >> k % 32u & 1u) != 0u;
$ for _, y in ipairs(outs) do
        if ($(sides[y.k] and "is_counted" or "!is_counted")) {
            $(store_packed(y, "to" .. y.k, "0u", "first + j"))
            to$(y.k).at++;
        }
$ end
    }
}
