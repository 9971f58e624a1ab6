$ -- What staged tiles of several arrays come to, and results that are packed. Uses staged_arrays.tpl; defines Out, sum_tile, finish_tile.
$ -- Items that are packed are put together in their tile's stage, and leave from there, so that writes meet in whole lines.
$ local function round_up(bytes) return (bytes + 15) // 16 * 16 end
$ local function times(size) return size > 1 and (" * %du"):format(size) or "" end
$ local function list(items, name)
$     local texts = {}
$     for k, item in ipairs(items) do texts[k] = item[name] end
$     return table.concat(texts, ", ")
$ end
$ local end_of_outs, end_of_beyond, has_aligned, has_behind = 0, 0, false, false
$ local outs, packed = packed_outputs()
$ local has_length, has_tails, has_nowhere = false, false, false
$ local U16 = { kind = "scalar", name = "u16", scalar = "u16", size = 2, align = 2, padded = false, leaves = { { path = "", scalar = "u16", offset = 0 } } }
$ for k, y in ipairs(outs) do
$     local field = outputs.fields[k]
$     y.room_type = y.late and y.late.type or y.type -- of what lies in its room until it leaves
$     local bytes = round_up(BLOCK * ITEMS * y.room_type.size) + round_up(y.room_type.size)
$     has_aligned, has_behind = has_aligned or not y.to, has_behind or y.is_behind
$     has_length, has_tails = has_length or field.is_scattered and not field.length and not field.given, has_tails or y.has_tails
$     has_nowhere = has_nowhere or field.given
$     if y.is_scattered then -- results go to where they belong by themselves
$     elseif y.is_behind then -- in the room of the array before it: together they are the tile's items
$         y.place, y.base = outs[k - 1].place, outs[k - 1].base
$     elseif y.is_numbered then
$         y.is_short, y.place, y.base = true, end_of_outs, "stage * STAGE_BYTES + "
$         end_of_outs = end_of_outs + round_up(BLOCK * ITEMS * 2) + 16
$     elseif short_bytes > 0 and y.k == continued_output then -- a tile's own values are no more than its items
$         y.is_short, y.place, end_of_beyond = true, stages * stage_bytes, end_of_beyond + short_rooms * short_bytes
$         y.base = ("stage %% %du * %du + "):format(short_rooms, short_bytes)
$     elseif packs_early or end_of_outs + bytes <= end_of_ins then -- results lie where the tile's inputs were, or behind all stages
$         y.place, y.base, end_of_outs = end_of_outs, "stage * STAGE_BYTES + ", end_of_outs + bytes
$     else
$         y.place, y.base, end_of_beyond = stages * stage_bytes + end_of_beyond, "", end_of_beyond + bytes
$     end
$ end
$ assert(end_of_ins <= stage_bytes and end_of_outs <= stage_bytes and end_of_beyond <= beyond_bytes)
$ if has_nowhere then
const $(Place) NOWHERE = $(nowhere); // the place of what is not written

$ end
$ for _, y in ipairs(outs) do
$ if y.is_scattered then
// Array `$(outputs.fields[y.k].name)`.
$ else
// Array `$(outputs.fields[y.k].name)`: $(y.is_numbered and "in a stage its items' places in the tile begin at this byte, 16 bits each" or y.is_short and "behind the stages those of the tile alone begin at this byte, 16 bits each" or (y.base == "" and "behind the stages" or "in a stage") .. (y.late and " what its results are made of begins at this byte" or " its results begin at this byte")).
const uint OUT_$(y.k) = $(y.place)u;
$ end
$ y.room_array, y.room_item = (y.is_short and "Short" or y.late and "Late" or "Out") .. y.k, (y.is_short and "short" or y.late and "late" or "output") .. y.k
$ if y.is_short then
$ include("items", {array = "Short" .. y.k, name = "short" .. y.k, type = U16, reads = true, writes = true})

$ elseif y.late then
$ include("items", {array = "Late" .. y.k, name = "late" .. y.k, type = y.room_type, reads = true, writes = true})

$ end
$ if y.to then
$ include("items", {array = "Out" .. y.k, name = "output" .. y.k, type = y.type, reads = y.is_packed and y.room_array == "Out" .. y.k, writes = true, is_shared = y.is_scattered})
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

$ if has_tails then
// Whether a tile's first item is the first of its place, and its last one the last.
$(shared("uint", "begins_run", packs_early and "STAGES" or nil))
$(shared("uint", "ends_run", packs_early and "STAGES" or nil))

$ end
$ include(balanced and "scan/array_tree" or "scan/array_sums", {item = own_item, near_own = near_own, j = own_place})

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
$ local function packed_at(y) return ("%s(place_address(%sOUT_%d))"):format(y.room_array, y.base, y.k) end
$ local function room(y) return ("%s from = %s;"):format(y.room_array, packed_at(y)) end
$ local function staged(y, i)
$     local text = ("load_%s(from, %s)"):format(y.room_item, i)
$     return y.is_numbered and item_of_index[y.k]("start + " .. text) or y.late and y.late.value(text) or
$         y.is_short and ("%s(%s)"):format(type_name(y.type), text) or text
$ end
$ local function store_packed(y, array, i, number) -- of the item, in its tile
$     local value = y.is_numbered and number or y.late and "scalar" .. y.k or y.value
$     return ("store_%s(%s, %s, %s);"):format(y.room_item, array, i, y.is_short and ("%s(%s)"):format(Short, value) or value)
$ end
$ include("scan/packed_leave", {outs = outs, room = room, staged = staged, own = "thread_id()", width = "BLOCK", most = BLOCK * ITEMS, part = "tile"})

$ local function result(item, index, near_item)
$     local s = exclusive and "prefix" or "inclusive"
$     return output_map and output_map(s, item, index, near_item) or s
$ end
$ local slot = packs_early and "[stage]" or "" -- of `begins_run` and `ends_run`
$ local tail = outs[1]
$ for _, y in ipairs(outs) do tail = y.has_tails and y or tail end
$ if sides then
$ include("scan/kept_tile", {outs = outs, own_item = own_item, near_own = near_own, result = result, packed_at = packed_at, store_packed = store_packed})
$ else
$ local alone, taken_items, prefix = packs_early and ", of the tile alone" or "", "Items own", T .. " prefix"
$ if balanced then
$ taken_items, prefix = "Taken taken", "GroupEnds group_ends"
// A thread's items, group by group as it takes them.
struct Taken {
    Items at[GROUPS];
};

$ end
// Puts what is made of a whole tile's items where it leaves from, and what is not packed where it belongs. `before` is what comes before the tile, `end`
// the same with it, $(balanced and "`group_ends` of this thread's groups" or "`prefix` what comes before this thread's items")$(alone).
void pack_tile(uint stage, Out out_items, $(taken_items), uint tile, Tiles tiles, $(T) before, $(T) end, $(prefix))
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
$ if balanced then
        const Items own = taken.at[g];
        const uint place = group_place(g);
        const $(Index) first = tile_start(tile, tiles) + place;
        const Group x = group_down(whole_group(own, first, tiles.n), group_ends.at[g]);
$ end
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
$ local j, index, near_item = "j", "thread_start(tile, tiles) + j", near_own("j", "thread_start(tile, tiles)", "tiles.n")
$ local is_first, is_last = "j == 0u && thread_id() == 0u", "j == ITEMS - 1u && thread_id() == BLOCK - 1u"
$ if balanced then
$ is_first, is_last = "v == 0u && place == 0u", "v == VECTOR - 1u && place == TILE - VECTOR"
$ if exclusive then
            $(T) prefix = group_ends.at[g].before;
            if (v > 0u) prefix = x.at[v - 1u];
$ else
            const $(T) inclusive = x.at[v];
$ end
$ j, index, near_item = "v", "first + v", near_own("v", "first", "tiles.n")
            const $(type_name(outputs.type)) result = $(result(own_item(j), index, near_item));
$ include("scan/late_scalars", {outs = outs, s = exclusive and "prefix" or "inclusive", item = own_item(j), index = index, near_item = near_item, indent = ("    "):rep(3)})
$ else
            const uint j = $(reverse and "ITEMS - 1u - (g * VECTOR + v)" or "g * VECTOR + v");
            const $(T) x = $(map(own_item(j), index, near_item));
            const $(T) inclusive = $(join("prefix", "x"));
            const $(type_name(outputs.type)) result = $(result(own_item(j), index, near_item));
$ include("scan/late_scalars", {outs = outs, s = exclusive and "prefix" or "inclusive", item = own_item(j), index = index, near_item = near_item, indent = ("    "):rep(3)})
            prefix = inclusive;
$ end
$ if has_tails then
            if ($(is_first)) begins_run$(slot) = $(tail.count(totals_of("inclusive"))) != $(tail.count("count_before")) ? 1u : 0u;
            if ($(is_last)) ends_run$(slot) = $(tail.is_kept) ? 1u : 0u;
$ end
$ for _, y in ipairs(outs) do
$ if y.is_packed then
            if ($(y.is_kept)) $(store_packed(y, packed_at(y), in_tile(y.to .. " - low" .. y.k), "thread_place() + j"))
$ elseif y.to then
            if (is_given(out_items.$(y.array)) && $(y.to) $(y.limit)) store_output$(y.k)(Out$(y.k)(out_items.$(y.array)), $(y.to), $(y.value));
$ else
            outputs$(y.k).at[$(reverse and "VECTOR - 1u - v" or "v")] = $(y.value);
$ end
$ end
        }
$ local place = balanced and "place" or ("thread_place() + %s * VECTOR"):format(reverse and "(GROUPS - 1u - g)" or "g")
$ for _, y in ipairs(outs) do
$ if not y.to then
        store_full_outputs$(y.k)(Out$(y.k)(place_address($(y.base)OUT_$(y.k))), $(place), outputs$(y.k));
$ end
$ end
    }
$ if has_aligned then
    ready_stage();
$ end
}
$ end

$ if balanced then
// The outputs of a tile: `before` is what comes before the tile, `end` the same with the tile, `ends` those of this thread's items. A tile that is not
// whole leaves `last_end`. The whole block calls it$(packs_early and ", after a barrier" or "").
void finish_tile(uint stage, In items, Out out_items, uint tile, Tiles tiles, $(T) before, $(T) end, Ends ends)
$ else
// The outputs of a tile: `before` is what comes before the tile, `end` the same with the tile, `prefix` what comes before this thread's items. The
// whole block calls it$(packs_early and ", after a barrier" or "").
void finish_tile(uint stage, In items, Out out_items, uint tile, Tiles tiles, $(T) before, $(T) end, $(T) prefix)
$ end
{
    if (is_whole(tile, tiles)) {
$ if not packs_early then
$ if balanced then
        Taken taken;
        Totals totals;
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const $(Index) first = tile_start(tile, tiles) + group_place(g);
            taken.at[g] = load_items(stage, items, group_place(g), first, tiles.n);
            totals.at[g] = whole_group(taken.at[g], first, tiles.n).at[VECTOR - 1u];
        }
        block_barrier(); // results lie where others' items are
        pack_tile(stage, out_items, taken, tile, tiles, before, end, groups_down(groups_up(totals), ends));
$ else
        const Items own = load_items(stage, items, thread_place(), thread_start(tile, tiles), tiles.n);
        block_barrier(); // results lie where others' items are
        pack_tile(stage, out_items, own, tile, tiles, before, end, prefix);
$ end
        block_barrier();
$ end
$ local edges = has_tails and (", begins_run%s != 0u, ends_run%s != 0u"):format(slot, slot) or ""
        leave_tile(stage, out_items, tile_start(tile, tiles), tile_start(tile, tiles) + TILE, before, end$(edges));
    } else {
$ if balanced then
        Totals totals;
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            totals.at[g] = last_group(stage, items, group_place(g), tile_start(tile, tiles) + group_place(g), tiles.n).at[VECTOR - 1u];
        }
        const GroupEnds group_ends = groups_down(groups_up(totals), ends);
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const $(Index) first = tile_start(tile, tiles) + group_place(g);
            const Group x = group_down(last_group(stage, items, group_place(g), first, tiles.n), group_ends.at[g]);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const uint place = group_place(g) + v;
                const $(Index) i = first + v;
                const $(T) inclusive = x.at[v];
$ if exclusive then
                $(T) prefix = group_ends.at[g].before;
                if (v > 0u) prefix = x.at[v - 1u];
$ end
                if (i < tiles.n) {
                    const $(type_name(outputs.type)) result = $(result("load_item(stage, items, place)", "i", "near_place(stage, items, place, i, tiles.n)"));
$ include("scan/store_result", {outs = outs, indent = ("    "):rep(5)})
                    if (i == tiles.n - 1u) last_end = inclusive;
                }
            }
        }
        block_barrier();
$ else
        const $(Index) first = thread_start(tile, tiles);
        ROLL for (uint g = 0u; g < GROUPS; g++) {
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const uint j = g * VECTOR + v, place = thread_place() + $(own_place);
                const $(Index) i = first + $(own_place);
                if (i < tiles.n) {
                    const $(T) x = $(map("load_item(stage, items, place)", "i", "near_place(stage, items, place, i, tiles.n)"));
                    const $(T) inclusive = $(join("prefix", "x"));
                    const $(type_name(outputs.type)) result = $(result("load_item(stage, items, place)", "i", "near_place(stage, items, place, i, tiles.n)"));
                    prefix = inclusive;
$ include("scan/store_result", {outs = outs, indent = ("    "):rep(5)})
                }
            }
        }
$ if not packs_early then
        block_barrier();
$ end
$ end
    }
}
