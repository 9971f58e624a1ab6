$ -- Segments by offsets in staged tiles, of which each has one result. No item has its segment's number: a bit says where segments begin, sums are put
$ -- where the tile's items were, and who has read where a segment ends fetches its sum from there. Uses staged_arrays.tpl, segment_firsts.tpl; defines
$ -- Out, range_of, load_segments, mark_segments, clear_begins, load_own, sum_tile, part_tile, leave_parts, open_part. parts: { type, of, joined, output },
$ -- what results are made of.
$ for k, field in ipairs(outputs.fields) do
// Array `$(field.name)`.
$ include("items", {array = "Out" .. k, name = "output" .. k, type = field.type, reads = false, writes = true, is_shared = true})

$ end
$ local members = {}
$ for k in ipairs(outputs.fields) do members[k] = "array" .. k end
struct Out {
    $(Address) $(table.concat(members, ", "));
};

$ include "parts/segment_offsets"

$ include "parts/segment_results"

void store_part(Out items, uint segment, $(type_name(parts.type)) part)
{
    const $(type_name(outputs.type)) result = $(parts.output("part"));
$ for k, field in ipairs(outputs.fields) do
    if (is_given(items.array$(k))) store_output$(k)(Out$(k)(items.array$(k)), segment, result.$(field_name(field.name)));
$ end
}

// What the segments come to, in a tile's stage, each at its last item.
$ assert(end_of_ins <= stage_bytes and BLOCK * ITEMS * parts.type.size <= stage_bytes)
$ include("memory", {array = "Parts", group = "Outputs", type = parts.type, reads = false, writes = true})

$ include("items", {array = "Part", name = "part", type = parts.type, reads = true, writes = false})

const uint SLOTS = $(ITEMS // 8 + 1)u; // ends of segments that a thread reads before their tile comes
const uint BEYOND = TILE + 1u; // the place of an end that is not in the tile
const uint NOT_THERE = 0xffffffffu; // of a segment that has no elements
const uint BEGIN_WORDS = $((ITEMS + 32) // 32)u; // words of a thread's bits
const uint TILE_WORDS = TILE / 32u + BEGIN_WORDS + 1u; // of a tile's
$(shared("uint", "begin_bits", "2u * TILE_WORDS")) // by turns, a bit for each item of the tile, and the one behind: whether a segment begins there
$(shared("uint", "open_segments", "STAGES")) // that began before the tile and ends in it, or NOT_THERE
$(shared(type_name(parts.type), "open_parts", "STAGES")) // and what the tile has of it

// The first segment that begins in a tile, and the first that begins behind it.
struct Range {
    uint first;
    uint end;
};

Range range_of($(Address) scratch, uint tile, Tiles tiles)
{
    Firsts firsts = segment_firsts(scratch, tiles.count);
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

// Where this thread's begin in their tile.
struct Places {
    uint at[SLOTS];
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

// Of a segment that begins at an offset, the place in the tile; NOT_THERE: the one before it has no elements.
uint place_of($(Index) offset, $(Index) before, $(Index) start)
{
    if (before == offset) return NOT_THERE;
    return offset - start <= TILE ? uint(offset - start) : BEYOND;
}

void mark_place(uint place, uint turn)
{
    if (place <= TILE) $(shared_add("begin_bits[turn * TILE_WORDS + place / 32u]", "1u << place % 32u")); // no two have one place
}

// Segment j begins at that place: so the one before it has its result, unless it began before the tile.
void leave_part(uint stage, Out out_items, uint j, uint first, uint place)
{
    if (place == NOT_THERE) store_empty(out_items, j - 1u);
    else if (j > first && place - 1u < TILE) store_part(out_items, j - 1u, load_part(Part(place_address(stage * STAGE_BYTES)), place - 1u));
}

// Marks the begins that no thread has read before, or writes the results there. The whole block calls it.
void visit_others(bool marks, uint turn, uint stage, In items, Out out_items, Range range, $(Index) start)
{
    uint next = range.first + SLOTS * BLOCK - 1u; // the segment before one that begins
    while (next < range.end && range.end - range.first >= SLOTS * BLOCK) {
        if (next % CHUNK == 0u && CHUNK < range.end - next && offset_at(items, next) == offset_at(items, next + CHUNK)) {
            next = last_chunk(items, next, range.end);
        } else {
            const uint own = next + thread_id();
            next += min(min(BLOCK, CHUNK - next % CHUNK), range.end - next);
            if (own < next) {
                const uint place = place_of(offset_at(items, own + 1u), offset_at(items, own), start);
                if (marks) mark_place(place, turn);
                else leave_part(stage, out_items, own + 1u, range.first, place);
            }
        }
    }
}

// Returns where this thread's begin. The whole block calls it; barriers must follow.
Places mark_segments(In items, Out out_items, Segments segments, $(Index) start, uint turn)
{
    const Range range = segments.range;
    Places places;
    UNROLL for (uint k = 0u; k < SLOTS; k++) {
        places.at[k] = BEYOND;
        if (k * BLOCK + thread_id() <= range.end - range.first) {
            places.at[k] = place_of(segments.starts[k], segments.befores[k], start);
            mark_place(places.at[k], turn);
        }
    }
    visit_others(true, turn, 0u, items, out_items, range, start);
    return places;
}

void clear_begins(uint turn)
{
    UNROLL for (uint w = 0u; w < TILE_WORDS; w += BLOCK) {
        if (w + thread_id() < TILE_WORDS) begin_bits[turn * TILE_WORDS + w + thread_id()] = 0u;
    }
}

$ local edge = near and 1 or 0
// A thread's items. The whole block calls it.
Items load_own(uint stage, In items, uint tile, Tiles tiles)
{
    const $(Index) first = thread_start(tile, tiles);
    if (is_whole(tile, tiles)) return load_items(stage, items, thread_place(), first, tiles.n);
    Items own;
    UNROLL for (uint j = 0u; j < $(ITEMS + 2 * edge)u; j++) {
        own.at[j] = $(inputs.zero); // what comes behind the last item is no segment's
        if ($(near and "first + j > 0u && first + j <= tiles.n" or "first + j < tiles.n")) own.at[j] = load_item(stage, items, thread_place() + j$(near and " - 1u" or ""));
    }
    return own;
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

// Items that know where segments begin: their numbers are 0 elsewhere.
Items with_begins(Items own, Begins begins)
{
$ if near then
    own.at[0]$(numbers) = 0u;
$ end
    UNROLL for (uint j = 0u; j < $(ITEMS + edge)u; j++) own.at[j$(near and " + 1u" or "")]$(numbers) = begins.words[j / 32u] & 1u << j % 32u;
    return own;
}

$ local item = near and "own.at[j + 1u]" or "own.at[j]"
$ local near_item = near and construct(near, "own.at[j], own.at[j + 2u], first + j == 0u ? 1u : 0u, first + j + 1u == tiles.n ? 1u : 0u")
// What a tile's items add up to, and those before this thread's.
struct TileSum {
    $(T) before;
    $(T) total;
};

// The whole block calls it, with 0 and 1 by turns.
TileSum sum_tile(Items items, uint tile, Tiles tiles, uint turn)
{
    const Items own = with_begins(items, load_begins(turn));
    const $(Index) first = thread_start(tile, tiles);
    $(T) sum = identity();
    UNROLL for (uint j = 0u; j < ITEMS; j++) {
        const $(T) x = $(map(item, "first + j", near_item));
        sum = j == 0u ? x : $(join("sum", "x"));
    }
    const $(T) inclusive = subgroup_scan(sum);
    const BlockScan block = block_scan(shuffle(inclusive, LANES - 1u), turn);
    const $(T) earlier = subgroup_shift(inclusive);
    TileSum result;
    result.before = $(join("block.before", "earlier"));
    result.total = block.total;
    return result;
}

// Puts what this thread's items come to, after `prefix`, where they were, if a segment ends there.
void part_tile(uint stage, Items items, uint tile, Tiles tiles, uint turn, $(T) prefix)
{
    const $(Index) first = thread_start(tile, tiles);
    const Begins begins = load_begins(turn); // again: compilers would keep a flag for each item
    const Items own = with_begins(items, begins);
    uint ends = begins.words[0] & ~1u;
    UNROLL for (uint w = 1u; w < BEGIN_WORDS; w++) ends |= begins.words[w];
    if (ends == 0u) return;
    UNROLL for (uint g = 0u; g < GROUPS; g++) {
        Outputs group;
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            const uint j = g * VECTOR + v;
            const $(T) x = $(map(item, "first + j", near_item));
            prefix = $(join("prefix", "x"));
            group.at[v] = $(parts.of("prefix"));
        }
        store_full_outputs(Parts(place_address(stage * STAGE_BYTES)), thread_place() + g * VECTOR, group);
    }
}

// Writes the results of the segments that end in the tile, but of one that began before it. The whole block calls it, after a barrier.
void leave_parts(uint stage, In items, Out out_items, Range range, Places places, $(Index) start)
{
    UNROLL for (uint k = 0u; k < SLOTS; k++) {
        if (places.at[k] != BEYOND) leave_part(stage, out_items, range.first + k * BLOCK + thread_id(), range.first, places.at[k]);
    }
    visit_others(false, 0u, stage, items, out_items, range, start);
}

// That one is left to who finds out what comes before the tile. The thread with the range's first segment calls it.
void open_part(uint stage, Range range, Places places)
{
    const uint place = places.at[0];
    const bool is_open = range.first > 0u && place > 0u && place <= TILE;
    open_segments[stage] = is_open ? range.first - 1u : NOT_THERE;
    if (is_open) open_parts[stage] = load_part(Part(place_address(stage * STAGE_BYTES)), place - 1u);
}
