$ -- The way of a tile's packed outputs from shared memory to where they belong: plain stores of one item, lanes shifted so that each subgroup writes
$ -- whole lines. Uses the outputs' arrays; defines leave_outputK of outputs K that are packed, and leave_tile or what else `part` is called.
$ -- outs: the outputs (gen/emit/packed.lua); own, width: who of how many threads writes; most: items at most; stages: false, or there is room for
$ -- several tiles, and outputs that are not packed lie there, too, written by leave_outputK(stage, array, start); room(y): what leave_outputK declares,
$ -- or false, to be read by staged(y, i), item i of the room; continued_output: the output whose first item is mended by `continued`.
$ local stage_parameter, stage = "", ""
$ if stages then stage_parameter, stage = "uint stage, ", "stage, " end
$ local packed, has_tails = 0, false
$ for _, y in ipairs(outs) do
$     packed, has_tails = packed + (y.is_packed and 1 or 0), has_tails or y.has_tails
$ end
const uint COPIES = 4u; // that a thread has in flight

$ for _, y in ipairs(outs) do
$ if y.is_packed then
$ local line = 128 % y.size == 0 and 128 // y.size or 1
// Writes `count` packed items, the array's from `first` on; item `low` is, or would be, the $(stages and "stage" or "room")'s first. Each subgroup writes whole lines. The whole
// block calls it.
void leave_output$(y.k)($(stage_parameter)$(Address) array, $(Place) low, $(Place) first, uint count$(y.k == continued_output and ", " .. T .. " before" or ""))
{
$ if room then
    $(room(y))
$ end
    Out$(y.k) to = Out$(y.k)(array);
    const uint lead = $(line > 1 and (is_wide and "uint((first + place_in_line(array) / %du) %% %du)" or "(first + place_in_line(array) / %du) %% %du"):format(y.size, line) or "0u");
$ local lane_place = stages and "place" or "round + " .. own
$ if stages then
    for (uint place = $(own); place < lead + count; place += COPIES * $(width)) { // subgroups that have nothing to write are done
$ elseif has_long_loops then
    for (uint round = 0u; round < lead + count; round += COPIES * $(width)) {
$ else
    for (uint round = 0u; round < $(most + line)u; round += COPIES * $(width)) { // llvmpipe loses what stands behind loops that threads leave by and by
        if (round >= lead + count) continue;
$ end
        $(type_name(y.type)) moved[COPIES];
        UNROLL for (uint c = 0u; c < COPIES; c++) {
            const uint at = $(lane_place) + c * $(width) - lead;
$ if y.k == continued_output then
            if (at < count) {
                moved[c] = $(staged(y, in_tile("first - low") .. " + at"));
                if (first + at == low) moved[c] = $(continued("before", "moved[c]")); // of a run that began before the tile
            }
$ else
            if (at < count) moved[c] = $(staged(y, in_tile("first - low") .. " + at"));
$ end
        }
        UNROLL for (uint c = 0u; c < COPIES; c++) {
            const uint at = $(lane_place) + c * $(width) - lead;
            if (at < count) store_output$(y.k)(to, first + at, moved[c]);
        }
    }
}

$ end
$ end
// Writes the outputs of a $(stages and "whole tile that has been packed" or "tile that has been packed"), which has the items `start` to `past` - 1. `before` is what comes before it, `end` the same
// with it. The whole block calls it.
void leave_$(part)($(stage_parameter)Out out_items, $(Index) start, $(Index) past, $(T) before, $(T) end$(has_tails and ", bool is_head, bool is_tail" or ""))
{
$ if packed > 0 then
    const $(type_name(totals.type)) count_before = $(totals_of("before")), count_after = $(totals_of("end"));
$ end
$ for _, y in ipairs(outs) do
$ if y.is_packed then
    if (is_given(out_items.$(y.array))) {
$ if not y.has_tails then
        const $(Place) first = $(y.first("count_before", "start")), last = $(y.first("count_after", "past"));
        leave_output$(y.k)($(stage)out_items.$(y.array), $(y.low("count_before", "count_after", "start")), first, $(in_tile("last - first")));
$ else
        const $(Place) low = $(y.low("count_before", "count_after", "start")), high = $(y.first("count_after", "past")) - 1u;
        const uint has_low = !is_head && (high != low || is_tail) ? 1u : 0u;
        leave_output$(y.k)($(stage)out_items.$(y.array), low, low + 1u - has_low, $(in_tile("high - low")) + has_low + (is_tail ? 1u : 0u) - (high != low || has_low != 0u ? 1u : 0u)$(y.k == continued_output and ", before" or ""));
$ end
    }
$ elseif stages and not y.to then
    if (is_given(out_items.$(y.array))) leave_output$(y.k)($(stage)out_items.$(y.array), start);
$ end
$ end
}
