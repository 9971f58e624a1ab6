$ -- What a tile's elements expand to: the block writes the items of the tile one after the other, whatever element they are of. Uses tile_scan.tpl, or
$ -- tile_lengths.tpl where sums are narrow; defines expand_tile.
$ -- Sources: Merrill & Garland 2016, "Merge-based Parallel Sparse Matrix-Vector Multiplication": threads share the output out, not the input; Baxter,
$ -- "moderngpu", load-balancing search: a thread takes items that follow each other.
$ local bits = 0
$ while 1 << bits < BLOCK * ITEMS do bits = bits + 1 end
$ local has_places = strategy == "atomic_bump" -- an element's items by themselves: where they begin, and lengths that fit
$ local has_turn = strategy == "lookback" or strategy == "chained_scan" -- read before a block ends the launch, which may be before its last tile
$ -- Whether the block meets between its last item of a tile and the next tile's first start.
$ local meets = (SUBGROUPS > 1 or strategy == "block_atomic" and not writes_parts) and not has_places
$ local function as_mark(x) return narrow and Short ~= "uint" and ("(%s)(%s)"):format(Short, x) or x end
$ local function item_of(source, j)
$     local k = ("%s - starts[%s]"):format(j, source)
$     return item(("load_source(in_items, start + %s)"):format(source), "start + " .. source, is_wide and ("uint(%s)"):format(k) or k)
$ end
$ if has_inputs then
$ include("parts/any_element", {array = "Sources", name = "source"})
$ end

$(by_groups and shared_groups(narrow and Short or Place, "starts", "TILE") or shared(Place, "starts", "TILE")) // where the items of each of the tile's elements begin among the tile's
$ if has_places then
$(shared(Place, "places", "TILE")) // and where they go

// Takes room for the items of each element, whose lengths become those that fit.
Tile take_rooms(Tile tile, Out out_items, $(Address) scratch)
{
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            const $(T) none = identity(), length = tile.rows[row].at[v];
            if (length == none) continue;
            const $(T) place = take_room(scratch, length);
            const $(Place) first = $(reach("none", "place"));
            places[row_place(row) + v] = first;
            tile.rows[row].at[v] = first < $(item_room) ? $(T)(min($(reach("none", "length")), $(items_left))) : none;
        }
    }
    return tile;
}
$ end

$ if by_groups then
// The element that has item j of the tile, the same in all lanes: the last whose items begin no later. All lanes of the subgroup call it.
uint source_of(uint j)
{
    uint source = 0u;
$ local span = BLOCK * ITEMS
$ while span > 1 do
$ local step = (span + LANES - 1) // LANES
$ local in_span = span % step == 0 and span // step >= LANES and "" or ("lane_id() * %du < %du && "):format(step, span)
$ local at = step == 1 and "lane_id()" or ("lane_id() * %du"):format(step)
$ local in_tile = span < BLOCK * ITEMS and (BLOCK * ITEMS) % span ~= 0 and ("source + %s < TILE && "):format(at) or ""
    source += last_lane($(in_span)$(in_tile)starts[source + $(at)] <= j)$(step == 1 and "" or (" * %du"):format(step));
$ span = step
$ end
    return source;
}

$ include("items", {array = "Alone", name = "alone", type = outputs.fields[1].type, reads = false, writes = true})

const uint CHUNK = 2u * TILE; // items that are written between two barriers
const uint GROUPS = CHUNK / (BLOCK * VECTOR); // of VECTOR items, of a lane

$(shared_groups(narrow and Short or "uint", "marks", "CHUNK")) // at the first item of an element its place in the tile, plus 1; at all others 0

// Which of a lane's elements have items.
struct Heads {
    uint rows[ROWS]; // a bit each
};

// Notes which of a chunk's items are the first of an element. The whole block calls it.
void mark_items(Heads heads, uint chunk, uint shift, uint count)
{
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            const uint begin = starts[row_place(row) + v], place = begin + shift - chunk;
            if ((heads.rows[row] >> v & 1u) != 0u && begin < count && place < CHUNK) marks[place] = $(as_mark("row_place(row) + v + 1u"));
        }
    }
    block_barrier();
}

// The elements of the items of a lane's group.
struct Group {
    uint at[VECTOR];
};

// Of the group that begins at `place` of the chunk; before: the element of the item before the subgroup's groups. All lanes of the subgroup call it.
Group sources_of(uint place, uint before)
{
    Group group;
    uint last = 0u;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        const uint head = marks[place + v];
        if (head != 0u) last = head;
        group.at[v] = last;
    }
    const uint lane = last_lane_before(last != 0u);
    const uint earlier = shuffle_uint(last, lane);
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (group.at[v] == 0u) group.at[v] = lane < LANES ? earlier : before + 1u;
        group.at[v] -= 1u;
    }
    return group;
}

$ end
$ if not by_groups then
// The element that has item j of the tile: the last whose items begin no later.
uint source_of($(Place) j)
{
    uint source = 0u;
    UNROLL for (uint bit = 0u; bit < $(bits)u; bit++) {
        const uint later = source + ($(1 << bits >> 1)u >> bit);
        if ($(1 << bits == BLOCK * ITEMS and "" or "later < TILE && ")starts[later] <= j) source = later;
    }
    return source;
}

$ end
$ if narrow then
// Notes where the elements' items begin. Returns which have any.
Heads write_starts(TileScan scan)
{
    Heads heads;
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        heads.rows[row] = 0u;
        uint end = scan.ends[row];
        UNROLL for (uint next = VECTOR; next > 0u; next--) {
            const uint begin = scan.rows[row].at[next - 1u];
            if (begin != end) heads.rows[row] |= 1u << (next - 1u);
            end = begin;
        }
        UNROLL for (uint v = 0u; v < VECTOR; v++) starts[row_place(row) + v] = $(as_mark("scan.rows[row].at[v]"));
    }
    return heads;
}
$ else
// Notes where the elements' items begin: `prefix` are those before the tile, subgroup_prefix those before this subgroup.$(by_groups and " Returns which have any." or "")
$(by_groups and "Heads" or "void") write_starts(TileScan scan, $(T) prefix, $(T) subgroup_prefix)
{
$ if by_groups then
    Heads heads;
$ end
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const $(T) before = $(join("subgroup_prefix", "scan.row_prefix[row]"));
$ if by_groups then
        heads.rows[row] = 0u;
$ end
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            $(T) s = before;
            if (v > 0u) s = $(join("before", "scan.rows[row].at[v - 1u]"));
            starts[row_place(row) + v] = $(reach("prefix", "s"));
$ if by_groups then
            $(T) earlier = identity();
            if (v > 0u) earlier = scan.rows[row].at[v - 1u];
            if (scan.rows[row].at[v] != earlier) heads.rows[row] |= 1u << v;
$ end
        }
    }
$ if by_groups then
    return heads;
$ end
}
$ end

// Writes the tile's items from `from` on before `to`; first: the place of the tile's first item. The whole block calls it.
void write_items($(has_inputs and "In in_items, " or "")Out out_items, $(by_groups and "Heads heads, " or "")$(Place) first, $(Place) from, $(Place) to, $(Index) start)
{
$ if by_groups then
    const bool is_aligned = is_vector_aligned(out_items.array1);
    const uint shift = from < to ? first % VECTOR : 0u; // so that groups begin where whole ones are stored
    for (uint chunk = from; chunk < shift + to; chunk += CHUNK) {
        const uint groups = min((shift + to - chunk + (BLOCK * VECTOR - 1u)) / (BLOCK * VECTOR), GROUPS);
        for (uint g = 0u; g < groups; g++) {
            UNROLL for (uint v = 0u; v < VECTOR; v++) marks[(g * BLOCK + thread_id()) * VECTOR + v] = $(as_mark("0u"));
        }
        block_barrier();
        mark_items(heads, chunk, shift, to);

        // Subgroups have equal shares of the groups that there are, one behind the other.
        const uint begin = subgroup_id() * groups * (LANES * VECTOR);
        uint source = source_of(chunk + begin > shift ? chunk + begin - shift : 0u);
        for (uint g = 0u; g < groups; g++) {
            const uint place = begin + (g * LANES + lane_id()) * VECTOR;
            const uint j = chunk + place - shift; // of the group's first item
            const Group sources = sources_of(place, source);
            source = shuffle_uint(sources.at[VECTOR - 1u], LANES - 1u);
            if (is_aligned && chunk + place >= shift + from && to - from >= VECTOR && j <= to - VECTOR) {
                Outputs outputs;
                UNROLL for (uint v = 0u; v < VECTOR; v++) outputs.at[v] = $(item_of("sources.at[v]", "j + v"));
                store_full_outputs(out_items, first + j, outputs);
            } else {
                UNROLL for (uint v = 0u; v < VECTOR; v++) {
                    if (j + v - from < to - from) store_alone(Alone(out_items.array1), first + j + v, $(item_of("sources.at[v]", "j + v")).$(field_name(outputs.fields[1].name)));
                }
            }
        }
        block_barrier(); // the next chunk's marks take the place of these
    }
$ else
    block_barrier();
    // All threads take part in each round, so that they are together again behind the last one.
    for ($(Place) round = from; round < to; round += BLOCK) {
        const $(Place) j = round + thread_id();
        const uint source = source_of(j);
        if (j < to) store_output(out_items, $(has_places and "places[source] + (j - starts[source])" or "first + j"), $(item_of("source", "j")));
    }
$ if not meets then
    block_barrier(); // the next tile's starts take the place of these; a block of several subgroups meets when it scans their totals
$ end
$ end
}
$ if part_items and not writes_parts then

$ include "scan/leave_parts"
$ end
$ if not writes_parts then

$ local more = part_items and (", %s scratch%s"):format(Address, has_turn and ", uint turn" or "") or ""
$ local own = narrow and "" or (" %s subgroup_prefix,"):format(T)
// Writes the items of a tile: `prefix` are those before it, `end` with its own$(narrow and "" or "; subgroup_prefix: those before this subgroup"). The whole block
// calls it.$(part_items and " Many are left to the next launch." or "")
void expand_tile($(has_inputs and "In in_items, " or "")Out out_items, TileScan scan, $(T) prefix,$(own) $(T) end, $(part_items and "uint tile, " or "")$(Index) start$(more))
{
    const $(T) none = identity();
    const $(Place) first = $(reach("none", "prefix"));
    const $(Place) count = first < $(item_room) ? min($(reach("prefix", "end")), $(items_left)) : 0u;
$ if part_items then
    if ($(narrow and "scan.total" or "count") > PART) {
        leave_parts(scratch, $(has_turn and "turn, " or "")tile, first, count);
        return;
    }
$ end
    $(by_groups and "const Heads heads = " or "")write_starts($(narrow and "scan" or "scan, prefix, subgroup_prefix"));
    write_items($(has_inputs and "in_items, " or "")out_items, $(by_groups and "heads, " or "")first, 0u, count, start);
}
$ end
