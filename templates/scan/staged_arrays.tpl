$ -- Tiles of several arrays in stages, and what is near their items: a thread owns ITEMS consecutive items. Uses stages.tpl, carry.tpl; defines
$ -- In, Tiles, tiles_of, tile_start, fill_with_tile, wait_for_tile, complete_tile, load_items, and by staged_results.tpl or staged_segments.tpl the rest.
$ local function round_up(bytes) return (bytes + 15) // 16 * 16 end
$ local function times(size) return size > 1 and (" * %du"):format(size) or "" end
$ local ins, addresses, numbers, end_of_ins = {}, {}, false, 0 -- numbers: the field of segments by offsets, which are not in stages
$ for k, field in ipairs(inputs.fields) do
$     local size, name = field.type.size, inputs.is_record and "." .. field_name(field.name) or ""
$     local edge = near and round_up(size) or 0
$     addresses[k] = "array" .. k
$     if field.has_offsets then
$         numbers = name
$     else
$         ins[#ins + 1] = { k = k, array = "array" .. k, size = size, place = end_of_ins + edge, type = field.type, field = name }
$         end_of_ins = end_of_ins + round_up(BLOCK * ITEMS * size) + 16 + 2 * edge
$     end
$ end
$ for _, x in ipairs(ins) do
// Array `$(inputs.fields[x.k].name)`: in a stage a tile begins at this byte, or up to 15 later.
const uint IN_$(x.k) = $(x.place)u;
$ include("memory", {array = "In" .. x.k, group = "Inputs" .. x.k, type = x.type, reads = true, writes = false})

$ include("items", {array = "Staged" .. x.k, name = "staged" .. x.k, type = x.type, reads = true, writes = false})

$ end
// Addresses of the arrays.
struct In {
    $(Address) $(table.concat(addresses, ", "));
};

const uint ITEMS = $(ITEMS)u; // of a thread
const uint GROUPS = ITEMS / VECTOR;

struct Tiles {
    $(Index) n;
    uint count;
};

Tiles tiles_of($(Index) n)
{
    Tiles tiles;
    tiles.n = n;
    tiles.count = uint((n + (TILE - 1u)) / TILE);
    return tiles;
}

// Index of the lowest item of a tile$(reverse and "; tiles, threads and items go from the last item to the first" or "").
$(Index) tile_start(uint tile, Tiles tiles)
{
    return $(Index)($(reverse and "tiles.count - 1u - tile" or "tile")) * TILE;
}

// Place in its tile of this thread's lowest item.
uint thread_place()
{
    return $(reverse and "(BLOCK - 1u - thread_id())" or "thread_id()") * (GROUPS * VECTOR);
}

// Index of this thread's lowest item.
$(Index) thread_start(uint tile, Tiles tiles)
{
    return tile_start(tile, tiles) + thread_place();
}

bool is_whole(uint tile, Tiles tiles)
{
    return tiles.n - tile_start(tile, tiles) >= TILE;
}

// Of an array, from `first` to before `end`, addresses.
struct Span {
    $(Address) first;
    $(Address) end;
};

// What a tile needs of an array whose items have `size` bytes$(near and ": its items, and one on each side" or "").
Span needed_span(uint tile, Tiles tiles, $(Address) array, uint size)
{
    const $(Index) start = tile_start(tile, tiles), end = min(start + TILE, tiles.n);
    Span span;
$ if near then
    span.first = address_after(array, start > 0u ? start - 1u : start, size);
    span.end = address_after(array, min(end + 1u, tiles.n), size);
$ else
    span.first = address_after(array, start, size);
    span.end = address_after(array, end, size);
$ end
    return span;
}

$ local is_marked = numbers and not parts -- a scan, which may run in place: what others store is not copied, not even beside the tile
$ if is_marked then
// The whole 16 bytes in it.
Span copied_span(Span needed, Tiles, $(Address), uint)
{
    Span span;
    span.first = needed.first + (16u - needed.first % 16u) % 16u;
    span.end = needed.end - needed.end % 16u;
    return span;
}
$ else
// Whole 16 bytes that hold it, but for bytes at the array's ends.
Span copied_span(Span needed, Tiles tiles, $(Address) array, uint size)
{
    Span span;
    span.first = needed.first - needed.first % 16u;
    if (span.first < array) span.first += 16u;
    span.end = needed.end + (16u - needed.end % 16u) % 16u;
    if (span.end > address_after(array, tiles.n, size)) span.end -= 16u;
    return span;
}
$ end

// Of a byte of an array whose tiles begin at `place` in their stage, the place in the tile's stage.
uint staged_place(uint stage, uint place, uint tile, Tiles tiles, $(Address) array, uint size, $(Address) address)
{
    return stage * STAGE_BYTES + place + uint(address - address_after(array - array % 16u, tile_start(tile, tiles), size));
}

// Has what a tile needs brought to a stage, but for bytes at the arrays' ends. One thread calls it.
void fill_with_array(uint stage, uint which, uint place, uint tile, Tiles tiles, $(Address) array, uint size)
{
    const Span span = copied_span(needed_span(tile, tiles, array, size), tiles, array, size);
    if (span.first < span.end) fill_place(staged_place(stage, place, tile, tiles, array, size, span.first), span.first, uint(span.end - span.first), COME + stage * ARRAYS + which);
    else give_signal(COME + stage * ARRAYS + which);
}

void fill_with_tile(uint stage, In items, uint tile, Tiles tiles)
{
$ for which, x in ipairs(ins) do
    fill_with_array(stage, $(which - 1)u, IN_$(x.k), tile, tiles, items.$(x.array), $(x.size)u);
$ end
}

void wait_for_tile(uint stage, uint times)
{
    for (uint which = 0u; which < ARRAYS; which++) wait_for_signal(COME + stage * ARRAYS + which, times);
}

// Fetches what is missing of an array: fewer than 16 bytes on each side.
void complete_array(uint stage, uint place, uint tile, Tiles tiles, $(Address) array, uint size)
{
    const Span needed = needed_span(tile, tiles, array, size), copied = copied_span(needed, tiles, array, size);
    const $(Address) end = copied.end > copied.first ? copied.end : copied.first;
    for (uint byte = thread_id(); byte < 32u; byte += BLOCK) {
        const $(Address) address = byte < 16u ? needed.first + byte : end + (byte - 16u);
        if (address < needed.end && (byte < 16u ? address < copied.first : address >= end)) complete_place(staged_place(stage, place, tile, tiles, array, size, address), address);
    }
}

// The whole block calls it.
void complete_tile(uint stage, In items, uint tile, Tiles tiles)
{
$ if is_marked then
$ local aligned = {}
$ for k, x in ipairs(ins) do aligned[k] = ("stage_shift(items.%s) == 0u"):format(x.array) end
    if (is_whole(tile, tiles) && $(table.concat(aligned, " && "))) return;
$ else
    const $(Index) start = tile_start(tile, tiles);
    if (start > 0u && tiles.n - start >= TILE + 16u) return;
$ end
$ for _, x in ipairs(ins) do
    complete_array(stage, IN_$(x.k), tile, tiles, items.$(x.array), $(x.size)u);
$ end
    block_barrier();
}

$ if is_marked then
$ include("scan/segment_begins", {turns = "STAGES"})

$ include("scan/visit_segments", {title = "Marks the begins that no thread has read before.", parameters = "uint stage, ",
$     each = {"mark_begin(place, stage);"}})

// Marks where the segments of a tile begin that is to come to that stage. The whole block calls it; barriers must follow.
void mark_segments(uint stage, In items, Segments segments, $(Index) start)
{
    UNROLL for (uint k = 0u; k < SLOTS; k++) {
        if (k * BLOCK + thread_id() <= segments.range.end - segments.range.first) {
            mark_begin(place_of(segments.starts[k], segments.befores[k], start), stage);
        }
    }
    visit_others(stage, items, segments.range, start);
}

$ end
$ local element, offset = type_name(inputs.type), near and 1 or 0
$ local function elsewhere(x, place) return ("stage * STAGE_BYTES + IN_%d + stage_shift(items.%s) + %s%s"):format(x.k, x.array, place, times(x.size)) end
// The item at a place of a tile$(near and ", or beside it" or "").
$(element) load_item(uint stage, In items, uint place)
{
    $(element) item;
$ for _, x in ipairs(ins) do
    item$(x.field) = load_staged$(x.k)(Staged$(x.k)(place_address($(elsewhere(x, "place")))), 0u);
$ end
$ if numbers then
    item$(numbers) = $(parts and "0u" or "begin_bits[stage * TILE_WORDS + place / 32u] >> place % 32u & 1u");
$ end
    return item;
}

$ local held = balanced and "VECTOR" or "ITEMS"
// $(balanced and "A group of" or "A thread's") items$(near and ", after the one before them and before the one after them" or "").
struct Items {
    $(element) at[$(near and held .. " + 2u" or held)];
};

$ local is_narrow, aligned = false, {}
$ for k, x in ipairs(ins) do
$     is_narrow, aligned[k] = is_narrow or x.size < 4, ("stage_shift(items.%s) == 0u"):format(x.array)
$ end
$ local has_aligned = sides and is_narrow
$ if has_aligned then
// Whether the arrays begin at multiples of 16 bytes.
bool are_aligned(In items)
{
    return $(table.concat(aligned, " && "));
}

$ end
$ for _, may_shift in ipairs(has_aligned and {false, true} or {true}) do
// From a place of a whole tile on, which is the array's item `first`$(may_shift and "" or "; arrays are aligned").
$ if may_shift then
Items load_items(uint stage, In items, uint place, $(Index) first, $(Index) n)
$ else
Items load_aligned_items(uint stage, In items, uint place, $(Index) first, $(Index) n)
$ end
{
    Items own;
$ for k, x in ipairs(ins) do
$ local indent = may_shift and "    " or ""
$ if may_shift then
    if ($(aligned[k])) {
$ end
$ if balanced then
    $(indent)const Inputs$(x.k) group = load_full_inputs$(x.k)(In$(x.k)(place_address(stage * STAGE_BYTES + IN_$(x.k))), place);
    $(indent)UNROLL for (uint v = 0u; v < VECTOR; v++) own.at[v$(near and " + 1u" or "")]$(x.field) = group.at[v];
$ else
    $(indent)UNROLL for (uint g = 0u; g < GROUPS; g++) {
        $(indent)const Inputs$(x.k) group = load_full_inputs$(x.k)(In$(x.k)(place_address(stage * STAGE_BYTES + IN_$(x.k))), place + g * VECTOR);
        $(indent)UNROLL for (uint v = 0u; v < VECTOR; v++) own.at[g * VECTOR + v$(near and " + 1u" or "")]$(x.field) = group.at[v];
    $(indent)}
$ end
$ if may_shift then
    } else {
        UNROLL for (uint j = 0u; j < $(held); j++) own.at[j$(near and " + 1u" or "")]$(x.field) = load_staged$(x.k)(Staged$(x.k)(place_address($(elsewhere(x, "place")))), j);
    }
$ end
$ end
$ if is_marked then
    const Begins begins = load_begins(stage);
    UNROLL for (uint j = 0u; j < ITEMS; j++) own.at[j]$(numbers) = begins.words[j / 32u] & 1u << j % 32u;
$ end
$ if near then
    own.at[0] = $(inputs.zero);
    own.at[$(held) + 1u] = $(inputs.zero);
    if (first > 0u) own.at[0] = load_item(stage, items, place - 1u);
    if (first + $(held) < n) own.at[$(held) + 1u] = load_item(stage, items, place + $(held));
$ end
    return own;
}

$ end
$ local function item(j) return ("own.at[%s%s]"):format(j, near and " + 1u" or "") end
$ local function near_own(j, first, n) -- of a whole tile
$     local is_first, is_last = ("%s == 0u && %s == 0u"):format(j, first), ("%s == %s - 1u && %s + %s == %s"):format(j, held, first, held, n)
$     return near and construct(near, ("own.at[%s], own.at[%s + 2u], %s ? 1u : 0u, %s ? 1u : 0u"):format(j, j, is_first, is_last))
$ end
$ local j = reverse and "(ITEMS - 1u - j)" or "j"
$ if near then
// What is near the item `i`, at a place of a tile that is not whole.
$(type_name(near)) near_place(uint stage, In items, uint place, $(Index) i, $(Index) n)
{
    $(element) before = $(inputs.zero), after = $(inputs.zero);
    if (i > 0u) before = load_item(stage, items, place - 1u);
    if (i + 1u < n) after = load_item(stage, items, place + 1u);
    return $(construct(near, "before, after, i == 0u ? 1u : 0u, i + 1u == n ? 1u : 0u"));
}

$ end
$ include(parts and "scan/staged_segments" or "scan/staged_results", {own_item = item, near_own = near_own, own_place = j, numbers = numbers, has_aligned = has_aligned, end_of_ins = end_of_ins,
$     own_array = parts and #ins == 1 and ins[1].size == parts.type.size and ins[1].array or ""})
