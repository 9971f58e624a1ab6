$ -- Parts of the items of a tile that has many of them: the next launch shares these out (expand_parts.tpl). They lie at the end of what was zeroed of the
$ -- scratch, from back to front, so that where they are depends on no n. Uses counters.tpl.
const uint PART = $(part_items)u; // items

struct Part {
    uint tile;
    uint begin; // among the tile's items
    uint first; // place of the tile's first item
    uint count; // the tile's items, as far as there is room
};

$ local has_posts = strategy == "lookback" or strategy == "chained_scan"
$(buffer("Parts", "Part", 16))

// The place of a part of that number, of an array that begins where the scratch does.
$(Index) part_place($(Address) scratch, uint number)
{
    return zeroed_count(scratch) * 16u - 1u - number;
}
$ if not has_posts then

$ include("parts/zeroed", {post_units = 0})
$ elseif writes_parts then
const uint DESCRIPTORS_OFFSET = $(descriptors_offset)u; // bytes, in the scratch

$ include("parts/zeroed", {post_units = post_bytes // 8})
$ end
