$ -- Segments by offsets in staged tiles, of which each has one result. No item has its segment's number: a bit says where segments begin, sums are
$ -- put where the tile's items were, and who has read where a segment ends fetches its sum from there. Uses staged_arrays.tpl, segment_firsts.tpl;
$ -- defines Out, range_of, load_segments, mark_segments, clear_begins, sum_tile, leave_parts, total_tiles. parts: { type, of, joined, output },
$ -- what results are made of. Subgroups sum up their items without a word to each other; where a segment has items of several, one more subgroup
$ -- joins its parts.
$ for k, field in ipairs(outputs.fields) do
// Array `$(field.name)`.
$ include("items", {array = "Out" .. k, name = "output" .. k, type = field.type, reads = false, writes = true, is_shared = true})

$ end
$ local members = {}
$ for k in ipairs(outputs.fields) do members[k] = "array" .. k end
struct Out {
    $(Address) $(table.concat(members, ", "));
};

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

$ include("scan/segment_begins", {turns = "3u"})

const uint SUBGROUPS = $(SUBGROUPS)u; // that sum up tiles
const uint SUBGROUP_ITEMS = LANES * ITEMS;
const uint HALF = ITEMS / 2u;
const uint OPENS = 0x80000000u; // beside the place of an end: the segment began before the tile
const uint TURNS = STAGES + 1u; // of a tile's ends, which are known a round before its stage is in use
$(shared(T, "subgroup_sums", "STAGES * SUBGROUPS"))
// Of the segments that end among a subgroup's items the one that began before these, or NOT_THERE, and the place of its end.
$(shared("uint", "crossing_segments", "TURNS * SUBGROUPS"))
$(shared("uint", "crossing_places", "TURNS * SUBGROUPS"))
$(shared("uint", "open_segments", "STAGES")) // that began before the tile and ends in it, or NOT_THERE
$(shared(type_name(parts.type), "open_parts", "STAGES")) // and what the tile has of it

// Where this thread's begin in their tile.
struct Places {
    uint at[SLOTS];
};

// Whether the segment with that end began before the items of the subgroup that has its last one.
bool crosses(uint place, $(Index) before, $(Index) start)
{
    return place - 1u < TILE && before - start - (place - 1u) / SUBGROUP_ITEMS * SUBGROUP_ITEMS > TILE;
}

// Notes that segment j begins at that place. No two have one place, nor one subgroup two that cross.
void mark_place(uint place, uint j, $(Index) before, $(Index) start, uint first, uint bits, uint turn)
{
    mark_begin(place, bits);
    if (!crosses(place, before, start)) return;
    crossing_segments[turn * SUBGROUPS + (place - 1u) / SUBGROUP_ITEMS] = j - 1u;
    crossing_places[turn * SUBGROUPS + (place - 1u) / SUBGROUP_ITEMS] = j == first ? place | OPENS : place;
}

// Segment j begins at that place: so the one before it has its result.
void leave_part(uint stage, Out out_items, uint j, uint place)
{
    if (place == NOT_THERE) store_empty(out_items, j - 1u);
    else if (place - 1u < TILE) store_part(out_items, j - 1u, load_part(Part(place_address(stage * STAGE_BYTES)), place - 1u));
}

$ include("scan/visit_segments", {title = "Marks the begins that no thread has read before, or writes the results there.",
$     parameters = "bool marks, uint stage, uint bits, uint turn, Out out_items, ",
$     each = {"if (marks) mark_place(place, own + 1u, before, start, range.first, bits, turn);",
$         "else if (!crosses(place, before, start)) leave_part(stage, out_items, own + 1u, place);"}})

// Returns the places of ends that this thread is to write results of. The whole block calls it; barriers must follow.
Places mark_segments(In items, Out out_items, Segments segments, $(Index) start, uint bits, uint turn)
{
    const Range range = segments.range;
    Places places;
    UNROLL for (uint k = 0u; k < SLOTS; k++) {
        places.at[k] = BEYOND;
        if (k * BLOCK + thread_id() <= range.end - range.first) {
            const uint place = place_of(segments.starts[k], segments.befores[k], start);
            mark_place(place, range.first + k * BLOCK + thread_id(), segments.befores[k], start, range.first, bits, turn);
            if (!crosses(place, segments.befores[k], start)) places.at[k] = place;
        }
    }
    visit_others(true, 0u, bits, turn, out_items, items, range, start);
    return places;
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
$ local function at(text, j) return text and text:gsub("%f[%w]j%f[%W]", j) end
$ local later_item, later_near = at(item, "HALF + j"), at(near_item, "HALF + j")
$ local last_item, last_near = at(item, "ITEMS - 1u"), at(near_item, "ITEMS - 1u")
// Sums up a tile's items by subgroups, and puts what this thread's come to after those of the subgroup before them where they were, if a segment ends
// there. The whole block calls it; a barrier must follow.
void sum_tile(uint stage, In in_items, uint tile, Tiles tiles, uint bits)
{
    const Items items = load_own(stage, in_items, tile, tiles);
    const $(Index) first = thread_start(tile, tiles);
    $(T) sum = identity(), half = identity();
    {
        const Items own = with_begins(items, load_begins(bits));
        UNROLL for (uint j = 0u; j < HALF; j++) { // two sums: their additions need not wait for each other
            const $(T) x = $(map(item, "first + j", near_item)), y = $(map(later_item, "first + HALF + j", later_near));
            half = j == 0u ? x : $(join("half", "x"));
            sum = j == 0u ? y : $(join("sum", "y"));
        }
$ if ITEMS % 2 == 1 then
        const $(T) x = $(map(last_item, "first + ITEMS - 1u", last_near));
        sum = $(join("sum", "x"));
$ end
        sum = $(join("half", "sum"));
    }
    const $(T) inclusive = subgroup_scan(sum);
    if (lane_id() == LANES - 1u) subgroup_sums[stage * SUBGROUPS + subgroup_id()] = inclusive;
    $(T) prefix = subgroup_shift(inclusive);
$ if near or own_array == "" then
    block_barrier(); // others have read what lies where the sums go
$ else
    if (stage_shift(in_items.$(own_array)) != 0u) block_barrier(); // a thread's items and its sums lie apart, by less than 16 bytes
$ end
    const Begins begins = load_begins(bits); // again: compilers would keep a flag for each item
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

// Writes the results of the segments that end in the tile, but of those that cross. The whole block calls it, after a barrier.
void leave_parts(uint stage, In items, Out out_items, Range range, Places places, $(Index) start)
{
    UNROLL for (uint k = 0u; k < SLOTS; k++) {
        if (places.at[k] != BEYOND) leave_part(stage, out_items, range.first + k * BLOCK + thread_id(), places.at[k]);
    }
    visit_others(false, stage, 0u, 0u, out_items, items, range, start);
}
