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
$ local out = "Out" .. y.k
$ include("scan/leave_output", {y = y, name = "leave_output" .. y.k, Array = out, store = "store_output" .. y.k, has_low = true,
$     stage_parameter = stage_parameter})
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
        leave_output$(y.k)($(stage)out_items.$(y.array), $(y.low("count_before", "count_after", "start")), first, $(in_tile("last - first"))$(y.is_numbered and ", start" or ""));
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
