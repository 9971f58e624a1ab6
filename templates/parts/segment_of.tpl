$ -- The input of single items that has offsets of segments: the number of the segment that begins at an item, plus 1, or 0.
$ local k = segments.member:match "%d+"
$ if inputs.is_single then
uint load_$(name)$(k)(In items, $(Index) i)
{
    const uint begun = segments_before(items, $(count_segments()), i + 1u);
    return begun > 0u && offset_at(items, begun - 1u) == i ? begun : 0u;
}
$ else
// Of an item of the tile, or the next; of others it means nothing.
uint load_$(name)$(k)(In items, $(Index) i)
{
    return i < items.first ? 0u : segment_numbers[uint(i - items.first)];
}
$ end
