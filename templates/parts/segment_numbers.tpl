$ -- Input k of groups, which has offsets of segments: an element has the number of the segment that begins there, plus 1, or 0. Of the items of a tile
$ -- and the one behind it scan/number_segments.tpl puts them here.
$(shared("uint", "segment_numbers", "TILE + 1u"))

struct $(group)$(k) {
    uint at[VECTOR];
};

$(group)$(k) load_$(group:lower())$(k)(uint place)
{
    $(group)$(k) group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = segment_numbers[place + v];
    return group;
}
