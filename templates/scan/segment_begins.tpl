$ -- Where segments by offsets begin in staged tiles: a bit for each item, which the threads set that have read the offsets. Uses
$ -- segment_firsts.tpl; defines Range, range_of, Segments, load_segments, place_of, mark_begin, clear_begins, Begins, load_begins. turns: of how
$ -- many tiles there are bits.
$ include "parts/segment_offsets"

$ include "parts/segment_results"

const uint SLOTS = $(ITEMS // 8 + 1)u; // ends of segments that a thread reads before their tile comes
const uint BEYOND = TILE + 1u; // the place of an end that is not in the tile
const uint NOT_THERE = 0xffffffffu; // of a segment that has no elements
const uint BEGIN_WORDS = $((ITEMS + 32) // 32)u; // words of a thread's bits
const uint TILE_WORDS = TILE / 32u + BEGIN_WORDS + 1u; // of a tile's
$(shared("uint", "begin_bits", turns .. " * TILE_WORDS")) // of tiles, a bit for each item, and the one behind: whether a segment begins there

// The first segment that begins in a tile, and the first that begins behind it.
struct Range {
    uint first;
    uint end;
};

Range range_of(Firsts firsts, uint tile, Tiles tiles)
{
    Range range;
    range.first = tile < tiles.count ? firsts.at[tile] : 0u;
    range.end = tile < tiles.count ? firsts.at[tile + 1u] : 0u;
    return range;
}

// Where the segments of a range begin, and the one behind: of this thread, with what comes before each.
struct Segments {
    Range range;
    $(Index) starts[SLOTS];
    $(Index) befores[SLOTS];
};

Segments load_segments(In items, Range range)
{
    Segments segments;
    segments.range = range;
    UNROLL for (uint k = 0u; k < SLOTS; k++) {
        const uint j = range.first + k * BLOCK + thread_id();
        if (k * BLOCK + thread_id() <= range.end - range.first) {
            segments.starts[k] = offset_at(items, j);
            segments.befores[k] = j > range.first ? offset_at(items, j - 1u) : ~$(as_index("0u"));
        }
    }
    return segments;
}

// Of a segment that begins at an offset, the place in the tile, the end of the one that begins `before`; NOT_THERE: that one has no elements.
uint place_of($(Index) offset, $(Index) before, $(Index) start)
{
    if (before == offset) return NOT_THERE;
    return offset - start <= TILE ? uint(offset - start) : BEYOND;
}

void mark_begin(uint place, uint bits)
{
    if (place <= TILE) $(shared_add("begin_bits[bits * TILE_WORDS + place / 32u]", "1u << place % 32u")); // no two have one place
}

void clear_begins(uint turn)
{
    UNROLL for (uint w = 0u; w < TILE_WORDS; w += BLOCK) {
        if (w + thread_id() < TILE_WORDS) begin_bits[turn * TILE_WORDS + w + thread_id()] = 0u;
    }
}

// Where segments begin among a thread's items and right behind.
struct Begins {
    uint words[BEGIN_WORDS];
};

Begins load_begins(uint turn)
{
    const uint at = turn * TILE_WORDS + thread_place() / 32u, shift = thread_place() % 32u;
    Begins begins;
    UNROLL for (uint w = 0u; w < BEGIN_WORDS; w++) begins.words[w] = begin_bits[at + w] >> shift | begin_bits[at + w + 1u] << 1u << (31u - shift);
    begins.words[BEGIN_WORDS - 1u] &= $(("0x%x"):format((2 << (ITEMS % 32)) - 1))u;
    return begins;
}
