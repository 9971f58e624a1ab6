$ -- Tiles of several arrays in stages, what is near their items, and results that are packed: a thread owns ITEMS consecutive items. Uses stages.tpl,
$ -- block.tpl, carry.tpl; defines In, Out, Tiles, tiles_of, tile_start, fill_with_tile, wait_for_tile, complete_tile, sum_tile, finish_tile.
$ -- Items that are packed are put together in their tile's stage, and leave from there, so that writes meet in whole lines.
$ local function round_up(bytes) return (bytes + 15) // 16 * 16 end
$ local function times(size) return size > 1 and (" * %du"):format(size) or "" end
$ local function list(items, name)
$     local texts = {}
$     for k, item in ipairs(items) do texts[k] = item[name] end
$     return table.concat(texts, ", ")
$ end
$ local ins, end_of_ins, end_of_outs, end_of_beyond, has_aligned, has_behind = {}, 0, 0, 0, false, false
$ local outs, packed = packed_outputs()
$ local has_length, has_tails, has_nowhere = false, false, false
$ for k, field in ipairs(inputs.fields) do
$     local size = field.type.size
$     local edge = near and round_up(size) or 0
$     ins[k] = { k = k, array = "array" .. k, size = size, place = end_of_ins + edge, type = field.type,
$         field = inputs.is_record and "." .. field_name(field.name) or "" }
$     end_of_ins = end_of_ins + round_up(BLOCK * ITEMS * size) + 16 + 2 * edge
$ end
$ for k, y in ipairs(outs) do
$     local field, bytes = outputs.fields[k], round_up(BLOCK * ITEMS * y.size) + round_up(y.size)
$     has_aligned, has_behind = has_aligned or not y.to, has_behind or y.is_behind
$     has_length, has_tails = has_length or field.is_scattered and not field.length and not field.given, has_tails or y.has_tails
$     has_nowhere = has_nowhere or field.given
$     if y.is_scattered then -- results go to where they belong by themselves
$     elseif y.is_behind then -- in the room of the array before it: together they are the tile's items
$         y.place, y.base = outs[k - 1].place, outs[k - 1].base
$     elseif packs_early or end_of_outs + bytes <= end_of_ins then -- results lie where the tile's inputs were, or behind all stages
$         y.place, y.base, end_of_outs = end_of_outs, "stage * STAGE_BYTES + ", end_of_outs + bytes
$     else
$         y.place, y.base, end_of_beyond = stages * stage_bytes + end_of_beyond, "", end_of_beyond + bytes
$     end
$ end
$ assert(end_of_ins <= stage_bytes and end_of_outs <= stage_bytes and end_of_beyond <= beyond_bytes)
$ for _, x in ipairs(ins) do
// Array `$(inputs.fields[x.k].name)`: in a stage a tile begins at this byte, or up to 15 later.
const uint IN_$(x.k) = $(x.place)u;
$ include("memory", {array = "In" .. x.k, group = "Inputs" .. x.k, type = x.type, reads = true, writes = false})

$ include("items", {array = "Staged" .. x.k, name = "staged" .. x.k, type = x.type, reads = true, writes = false})

$ end
// Addresses of the arrays.
struct In {
    $(Address) $(list(ins, "array"));
};

$ if has_nowhere then
const $(Place) NOWHERE = $(nowhere); // the place of what is not written

$ end
$ for _, y in ipairs(outs) do
$ if y.is_scattered then
// Array `$(outputs.fields[y.k].name)`.
$ else
// Array `$(outputs.fields[y.k].name)`: $(y.base == "" and "behind the stages" or "in a stage") its results begin at this byte.
const uint OUT_$(y.k) = $(y.place)u;
$ end
$ if y.to then
$ include("items", {array = "Out" .. y.k, name = "output" .. y.k, type = y.type, reads = y.is_packed, writes = true, is_shared = y.is_scattered})
$ else
$ include("memory", {array = "Out" .. y.k, group = "Outputs" .. y.k, type = y.type, reads = false, writes = true})
$ end

$ end
struct Out {
    $(Address) $(list(outs, "array"));
$ if has_length then
    $(Index) n;
$ end
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
$ for _, x in ipairs(ins) do
    fill_with_array(stage, $(x.k - 1)u, IN_$(x.k), tile, tiles, items.$(x.array), $(x.size)u);
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
    const $(Index) start = tile_start(tile, tiles);
    if (start > 0u && tiles.n - start >= TILE + 16u) return;
$ for _, x in ipairs(ins) do
    complete_array(stage, IN_$(x.k), tile, tiles, items.$(x.array), $(x.size)u);
$ end
    block_barrier();
}

$ local element, offset = type_name(inputs.type), near and 1 or 0
$ local function elsewhere(x, place) return ("stage * STAGE_BYTES + IN_%d + stage_shift(items.%s) + %s%s"):format(x.k, x.array, place, times(x.size)) end
// The item at a place of a tile$(near and ", or beside it" or "").
$(element) load_item(uint stage, In items, uint place)
{
    $(element) item;
$ for _, x in ipairs(ins) do
    item$(x.field) = load_staged$(x.k)(Staged$(x.k)(place_address($(elsewhere(x, "place")))), 0u);
$ end
    return item;
}

// A thread's items$(near and ", after the one before them and before the one after them" or "").
struct Items {
    $(element) at[$(near and "ITEMS + 2u" or "ITEMS")];
};

// Of a whole tile.
Items load_items(uint stage, In items, $(Index) first, $(Index) n)
{
    Items own;
$ for _, x in ipairs(ins) do
    if (stage_shift(items.$(x.array)) == 0u) {
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const Inputs$(x.k) group = load_full_inputs$(x.k)(In$(x.k)(place_address(stage * STAGE_BYTES + IN_$(x.k))), thread_place() + g * VECTOR);
            UNROLL for (uint v = 0u; v < VECTOR; v++) own.at[g * VECTOR + v$(near and " + 1u" or "")]$(x.field) = group.at[v];
        }
    } else {
        UNROLL for (uint j = 0u; j < ITEMS; j++) own.at[j$(near and " + 1u" or "")]$(x.field) = load_staged$(x.k)(Staged$(x.k)(place_address($(elsewhere(x, "thread_place()")))), j);
    }
$ end
$ if near then
    own.at[0] = $(inputs.zero);
    own.at[ITEMS + 1u] = $(inputs.zero);
    if (first > 0u) own.at[0] = load_item(stage, items, thread_place() - 1u);
    if (first + ITEMS < n) own.at[ITEMS + 1u] = load_item(stage, items, thread_place() + ITEMS);
$ end
    return own;
}

$ local function item(j) return ("own.at[%s%s]"):format(j, near and " + 1u" or "") end
$ local function near_own(j, first, n) -- of a whole tile
$     return near and construct(near, ("own.at[%s], own.at[%s + 2u], %s == 0u && %s == 0u ? 1u : 0u, %s == ITEMS - 1u && %s + ITEMS == %s ? 1u : 0u"):format(
$         j, j, j, first, j, first, n))
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
$ if has_tails then
// Whether a tile's first item is the first of its place, and its last one the last.
$(shared("uint", "begins", packs_early and "STAGES" or nil))
$(shared("uint", "ends", packs_early and "STAGES" or nil))

$ end
// What a tile's items add up to, and those before this thread's.
struct TileSum {
    $(P) before;
    $(P) total;
$ if packs_early then
    Items own;
$ end
};

// The whole block calls it, with 0 and 1 by turns.
TileSum sum_tile(uint stage, In items, uint tile, Tiles tiles, uint turn)
{
    const $(Index) first = thread_start(tile, tiles);
    $(P) sum = $(nothing);
$ if packs_early then
    TileSum result;
$ end
    if (is_whole(tile, tiles)) {
        const Items own = load_items(stage, items, first, tiles.n);
$ if packs_early then
        result.own = own;
$ end
        UNROLL for (uint j = 0u; j < ITEMS; j++) {
            const $(P) x = $(tile_map(item(j), "first + " .. j, near_own(j, "first", "tiles.n")));
            sum = j == 0u ? x : $(tile_join("sum", "x"));
        }
    } else {
        for (uint j = 0u; j < ITEMS; j++) {
            const uint place = thread_place() + $(j);
            const $(Index) i = first + $(j);
            if (i < tiles.n) {
                const $(P) x = $(tile_map("load_item(stage, items, place)", "i", "near_place(stage, items, place, i, tiles.n)"));
                sum = $(tile_join("sum", "x"));
            }
        }
    }
    const $(P) inclusive = subgroup_scan(sum);
    const BlockScan block = block_scan(shuffle(inclusive, LANES - 1u), turn);
    const $(P) earlier = subgroup_shift(inclusive);
$ if not packs_early then
    TileSum result;
$ end
    result.before = $(tile_join("block.before", "earlier"));
    result.total = block.total;
    return result;
}

$ for _, y in ipairs(outs) do
$ if not y.to then
// The array's items of a whole tile. The whole block calls it.
void leave_output$(y.k)(uint stage, $(Address) array, $(Index) start)
{
    const $(Address) address = address_after(array, start, $(y.size)u);
    const uint place = $(y.base)OUT_$(y.k);
    if (stage_shift(address) == 0u) {
        if (thread_id() == 0u) leave_place(place, address, TILE$(times(y.size)));
    } else {
        copy_place(place, address, TILE$(times(y.size)));
    }
}

$ end
$ end
$ local function room(y) return ("Out%d from = Out%d(place_address(%sOUT_%d));"):format(y.k, y.k, y.base, y.k) end
$ local function staged(y, i) return ("load_output%d(from, %s)"):format(y.k, i) end
$ include("scan/packed_leave", {outs = outs, room = room, staged = staged, own = "thread_id()", width = "BLOCK", most = BLOCK * ITEMS, part = "tile"})

$ local function result(item, index, near_item)
$     local s = exclusive and "prefix" or "inclusive"
$     return output_map and output_map(s, item, index, near_item) or s
$ end
$ local slot = packs_early and "[stage]" or "" -- of `begins` and `ends`
// Puts what is made of a whole tile's items where it leaves from, and what is not packed where it belongs. `before` is what comes before the tile, `end`
// the same with it, `prefix` what comes before this thread's items$(packs_early and ", of the tile alone" or "").
void pack_tile(uint stage, Out out_items, Items own, uint tile, Tiles tiles, $(T) before, $(T) end, $(T) prefix)
{
$ if packed > 0 then
    const $(type_name(totals.type)) count_before = $(totals_of("before"))$(has_behind and ", count_after = " .. totals_of("end") or "");
$ end
$ for _, y in ipairs(outs) do
$ if y.is_packed then
    const $(Place) low$(y.k) = $(y.low("count_before", "count_after", "tile_start(tile, tiles)"));
$ end
$ end
    UNROLL for (uint g = 0u; g < GROUPS; g++) {
$ for _, y in ipairs(outs) do
$ if not y.to then
        Outputs$(y.k) outputs$(y.k);
$ end
$ end
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            const uint j = $(reverse and "ITEMS - 1u - (g * VECTOR + v)" or "g * VECTOR + v");
            const $(T) x = $(map(item("j"), "thread_start(tile, tiles) + j", near_own("j", "thread_start(tile, tiles)", "tiles.n")));
            const $(T) inclusive = $(join("prefix", "x"));
            const $(type_name(outputs.type)) result = $(result(item("j"), "thread_start(tile, tiles) + j", near_own("j", "thread_start(tile, tiles)", "tiles.n")));
            prefix = inclusive;
$ if has_tails then
$ local tail = outs[1]
$ for _, y in ipairs(outs) do tail = y.has_tails and y or tail end
            if (j == 0u && thread_id() == 0u) begins$(slot) = $(tail.count(totals_of("inclusive"))) != $(tail.count("count_before")) ? 1u : 0u;
            if (j == ITEMS - 1u && thread_id() == BLOCK - 1u) ends$(slot) = $(tail.is_kept) ? 1u : 0u;
$ end
$ for _, y in ipairs(outs) do
$ if y.is_packed then
            if ($(y.is_kept)) store_output$(y.k)(Out$(y.k)(place_address($(y.base)OUT_$(y.k))), $(in_tile(y.to .. " - low" .. y.k)), $(y.value));
$ elseif y.to then
            if (is_given(out_items.$(y.array)) && $(y.to) $(y.limit)) store_output$(y.k)(Out$(y.k)(out_items.$(y.array)), $(y.to), $(y.value));
$ else
            outputs$(y.k).at[$(reverse and "VECTOR - 1u - v" or "v")] = $(y.value);
$ end
$ end
        }
$ for _, y in ipairs(outs) do
$ if not y.to then
        store_full_outputs$(y.k)(Out$(y.k)(place_address($(y.base)OUT_$(y.k))), thread_place() + $(reverse and "(GROUPS - 1u - g)" or "g") * VECTOR, outputs$(y.k));
$ end
$ end
    }
$ if has_aligned then
    ready_stage();
$ end
}

// The outputs of a tile: `before` is what comes before the tile, `end` the same with the tile, `prefix` what comes before this thread's items. The
// whole block calls it$(packs_early and ", after a barrier" or "").
void finish_tile(uint stage, In items, Out out_items, uint tile, Tiles tiles, $(T) before, $(T) end, $(T) prefix)
{
    if (is_whole(tile, tiles)) {
$ if not packs_early then
        const Items own = load_items(stage, items, thread_start(tile, tiles), tiles.n);
        block_barrier(); // results lie where others' items are
        pack_tile(stage, out_items, own, tile, tiles, before, end, prefix);
        block_barrier();
$ end
        leave_tile(stage, out_items, tile_start(tile, tiles), tile_start(tile, tiles) + TILE, before, end$(has_tails and (", begins%s != 0u, ends%s != 0u"):format(slot, slot) or ""));
    } else {
        const $(Index) first = thread_start(tile, tiles);
        for (uint j = 0u; j < ITEMS; j++) {
            const uint place = thread_place() + $(j);
            const $(Index) i = first + $(j);
            if (i < tiles.n) {
                const $(T) x = $(map("load_item(stage, items, place)", "i", "near_place(stage, items, place, i, tiles.n)"));
                const $(T) inclusive = $(join("prefix", "x"));
                const $(type_name(outputs.type)) result = $(result("load_item(stage, items, place)", "i", "near_place(stage, items, place, i, tiles.n)"));
                prefix = inclusive;
$ for _, y in ipairs(outs) do
$ if y.to then
                if (is_given(out_items.$(y.array)) && $(y.is_kept or y.to .. " " .. y.limit)) store_output$(y.k)(Out$(y.k)(out_items.$(y.array)), $(y.to), $(y.value));
$ else
                if (is_given(out_items.$(y.array))) store_first_outputs$(y.k)(Out$(y.k)(address_after(out_items.$(y.array), i, $(y.size)u)), $(y.value));
$ end
$ end
            }
        }
$ if not packs_early then
        block_barrier();
$ end
    }
}
