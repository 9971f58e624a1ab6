$ -- The offsets of segments, an input: segments.member of In, of type segments.type.
$ include("items", {array = "Offsets", name = "offset", type = segments.type, reads = true, writes = false})

// Where segment j begins; of one behind the last: n.
$(Index) offset_at(In items, uint j)
{
    return $(to_index("load_offset(Offsets(items." .. segments.member .. "), j)"));
}

// How many of the segments begin before item i.
uint segments_before(In items, uint segments, $(Index) i)
{
    uint count = 0u;
    for (uint step = 0x80000000u; step > 0u; step /= 2u) { // as many rounds for all threads
        if (step <= segments - count && offset_at(items, count + step - 1u) < i) count += step;
    }
    return count;
}
