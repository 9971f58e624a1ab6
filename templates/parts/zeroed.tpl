$ -- Whether a launch finds enough of the scratch zeroed: one comparison for all that it has there. post_units: of a tile's posts, in 8 bytes; 0: there are
$ -- none, and the parts of an append's large tiles (scan/parts.tpl) lie behind units_before times 256 bytes. Uses counters.tpl.
$ local units = post_units == 0 and units_before or 0
$ local parts = not most_parts and "" or tile_parts > 0 and (" + (%s * %du + %du) / 16u"):format(as_index("tiles"), tile_parts, most_parts + 15) or
$     post_units > 0 and (" + %du"):format((most_parts + 15) // 16) or ""
$ if most_parts and tile_parts == 0 then units = units + (most_parts + 15) // 16 end
$ if post_units > 0 then
// Whether the posts of `tiles` tiles$(most_parts and ", and behind them the parts of large ones," or "") lie in what was zeroed of the scratch.
bool has_posts_of($(Address) scratch, uint tiles)
{
    const $(Index) words = DESCRIPTORS_OFFSET / 8u + $(as_index("tiles"))$(post_units > 1 and " * " .. post_units .. "u" or ""); // of 8 bytes
    return (words + 31u) / 32u$(parts) <= zeroed_count(scratch);
}
$ else
// Whether all parts that $(tile_parts > 0 and "`tiles` tiles" or "a launch") can leave lie in what was zeroed of the scratch, behind what else it has.
bool has_parts_of($(Address) scratch$(tile_parts > 0 and ", uint tiles" or ""))
{
    return $(units)u$(parts) <= zeroed_count(scratch);
}
$ end
