$ -- Of segments by offsets, how many begin before each tile: scan/find_segments.tpl writes it to the scratch for the launches after it.
$ -- Where the scratch has posts it lies behind all of them, at the end of what was zeroed: so no n writes where another n's posts are.
$(buffer("Firsts", "uint", 4))

$ if firsts_offset > 0 then
const uint FIRSTS_OFFSET = $(firsts_offset)u; // bytes, in the scratch

// How many segments begin before each tile, then before n. Tiles are numbered by their place in memory.
Firsts segment_firsts($(Address) scratch, uint)
{
    return Firsts(address_at(scratch, FIRSTS_OFFSET));
}

bool has_firsts_of($(Address), uint)
{
    return true;
}
$ else
$ if not has_posts then
$ include "parts/counters"

$ end
// Units of 256 bytes of the scratch.
uint units_of_firsts(uint tiles)
{
    return (tiles + 64u) / 64u;
}

// How many segments begin before each tile, then before n. Tiles are numbered by their place in memory.
Firsts segment_firsts($(Address) scratch, uint tiles)
{
    return Firsts(address_after(scratch, zeroed_count(scratch) - units_of_firsts(tiles), 256u));
}

// Whether they lie in what was zeroed, behind the posts of as many tiles.
bool has_firsts_of($(Address) scratch, uint tiles)
{
    const $(Index) words = $(descriptors_offset // 8)u + $(as_index(balanced and "(tiles + 1u)" or "tiles"))$(post_bytes > 8 and (" * %du"):format(post_bytes // 8) or ""); // of 8 bytes
    return (words + 31u) / 32u + units_of_firsts(tiles) <= zeroed_count(scratch);
}
$ end
