$ -- Tiles whose packed outputs leave in whole lines: a subgroup puts what it keeps of CHUNK rows together in shared memory, its own part of it, and
$ -- writes that where it belongs (packed_leave.tpl). Uses tile_places.tpl, block.tpl;
$ -- defines store_items and what held_items.tpl and packed_leave.tpl do.
$ local chunk = packs
$ while ROWS % chunk ~= 0 do chunk = chunk - 1 end
$ local outs = packed_outputs()
$ local has_tails, has_behind = false, false
const uint CHUNK = $(chunk)u; // rows whose results lie together
const uint ROOM = $(chunk * LANES * VECTOR + 1)u; // of a subgroup

$ for _, y in ipairs(outs) do
$     has_tails, has_behind = has_tails or y.has_tails, has_behind or y.is_behind
$     if y.is_behind then
$         y.room = outs[y.k - 1].room
$     elseif y.is_packed then
$         y.room = "packed" .. y.k
// Array `$(outputs.fields[y.k].name)`: what subgroups have of it$(outs[y.k + 1] and outs[y.k + 1].is_behind and ", and behind it of the next array" or "").
$(shared(type_name(y.type), y.room, SUBGROUPS .. "u * ROOM"))

$     end
$ end
$ local function staged(y, i) return ("%s[subgroup_id() * ROOM + %s]"):format(y.room, i) end
$ include("scan/packed_leave", {outs = outs, staged = staged, room = false, own = "lane_id()", width = "LANES", most = chunk * LANES * VECTOR, part = "chunk"})

$ include "scan/held_items"

$ local needs_places = has_tails
$ for _, y in ipairs(outs) do needs_places = needs_places or y.is_packed and y.low("a", "b", "at"):find "at" end
// Writes the results of this subgroup's items, where `prefix` is what comes before them. The whole block calls it.
void store_items(Out out_items, $(outputs.have_places and "" or "bool is_aligned, ")$(takes_items)RowScan scan, $(T) prefix, $(Index) start, $(Index) n)
{
    $(T) before = prefix; // the chunk
    UNROLL for (uint chunk = 0u; chunk < ROWS; chunk += CHUNK) {
        $(T) end = $(after("prefix", "scan.total")); // the chunk, with it
        if (chunk + CHUNK < ROWS) end = shuffle$(of)($(after("prefix", "scan.before[chunk + CHUNK < ROWS ? chunk + CHUNK : 0u]")), 0u);
        const $(type_name(totals.type)) count_before = $(totals_of("before"))$(has_behind and ", count_after = " .. totals_of("end") or "");
$ if needs_places then
        const $(Index) first = min(start + (subgroup_id() * ROWS + chunk) * (LANES * VECTOR), n), past = min(first + CHUNK * LANES * VECTOR, n);
$ else
        const $(Index) first = start, past = n;
$ end
$ for _, y in ipairs(outs) do
$ if y.is_packed then
        const $(Place) low$(y.k) = $(y.low("count_before", "count_after", "first"));
$ end
$ end
$ if has_tails then
        bool is_head = false, is_tail = false; // whether its first item is the first of its place, and its last one the last
$ end
        UNROLL for (uint r = 0u; r < CHUNK; r++) {
            const uint row = chunk + r;
            $(T) state = $(after("prefix", "scan.before[row]"));
$ for _, y in ipairs(outs) do
$ if not y.to then
            Outputs$(y.k) outputs$(y.k);
$ end
$ end
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const bool is_there = $(held.index) < n;
$ if reverse then
                $(T) x = identity(); // places beyond n come first
                if (is_there) x = $(map(held.item, held.index, held.near));
$ else
                const $(T) x = $(map(held.item, held.index, held.near));
$ end
                const $(T) inclusive = $(join("state", "x"));
                const $(type_name(outputs.type)) result = $(output_map(exclusive and "state" or "inclusive", held.item, held.index, held.near));
                state = inclusive;
$ if has_tails then
$ local tail = outs[1]
$ for _, y in ipairs(outs) do tail = y.has_tails and y or tail end
                if (r == 0u && v == 0u) is_head = last_lane(lane_id() == 0u && is_there && $(tail.count(totals_of("inclusive"))) != $(tail.count("count_before"))) < LANES;
                if (r == CHUNK - 1u && v == VECTOR - 1u) is_tail = last_lane(lane_id() == LANES - 1u && is_there && $(tail.is_kept)) < LANES;
$ end
$ for _, y in ipairs(outs) do
$ if y.is_packed then
                if (is_there && $(y.is_kept)) $(staged(y, in_tile(y.to .. " - low" .. y.k))) = $(y.value);
$ elseif y.to then
                if (is_given(out_items.$(y.array)) && is_there && $(y.to) $(y.limit)) store_output$(y.k)(Out$(y.k)(out_items.$(y.array)), $(y.to), $(y.value));
$ else
                outputs$(y.k).at[$(place)] = $(y.value);
$ end
$ end
            }
$ for _, y in ipairs(outs) do
$ if not y.to then
            if (is_given(out_items.$(y.array))) {
                if (is_aligned && start + TILE <= n) store_full_outputs$(y.k)(Out$(y.k)(out_items.$(y.array)), start + row_place(row), outputs$(y.k));
                else store_outputs$(y.k)(Out$(y.k)(out_items.$(y.array)), start + row_place(row), n, outputs$(y.k));
            }
$ end
$ end
        }
        subgroup_barrier();
        leave_chunk(out_items, first, past, before, end$(has_tails and ", is_head, is_tail || (first < past && past == n)" or ""));
        subgroup_barrier();
        before = end;
    }
}
