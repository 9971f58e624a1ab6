$ -- Scan as anybody would write it in plain C: one thread, one element after the other. bench compares devices with it.
$ assert(BLOCK == 1 and ITEMS == 1)
$(types)

$(functions)

$ inputs.is_single, outputs.is_single = true, true
$ include("parts/arrays", inputs)

$ include("parts/arrays", outputs)

$ if empty then
$ include "parts/segment_results"

$ end
$ include("scan/carry", {takes = false, leaves = totals})

$ if balanced then
$ include "scan/balanced_loop"

$ end
$ local join_next = balanced and "total = grow(blocks, " .. (reverse and "n - 1u - i" or "i") .. ", total, %s);" or "total = %s;"
$ local function next_total(x) return join_next:format(balanced and x or join("total", x)) end
$ local result = output_map and output_map(recounts and with_counts("total", "counted") or "total", "x", "i", "near") or "total"
$(kernel())
{
    const $(Index) n = params.n;
$ if has_inputs then
    In in_items = $(inputs.value);
$ end
    Out out_items = $(outputs.value);
    $(T) total = $(init_text);
$ if balanced then
    Block blocks[64];
$ end
$ if recounts then
    $(T) counted = $(identity_text);
$ end
$ local counted = recounts and ("counted = %s;"):format(join("counted", recount("total", "x", "i", "near")))
$ local room = item and (outputs.fields[1].length and outputs.fields[1].length .. "u" or "out_items.n")
$ if item then
    const $(T) none = $(identity_text);
$ end
$ if reverse then
    for ($(Index) i = n - 1u; i < n; i--) {
$ else
    for ($(Index) i = 0u; i < n; i++) {
$ end
$ if has_inputs then
        const $(type_name(input)) x = load_input(in_items, i);
$ end
$ if near then
        const $(type_name(near)) near = $(has_inputs and "near_at(in_items, i, n)" or "near_of(i, n)");
$ end
$ if item then
        const $(T) first = total;
        total = $(join("total", map("x", "i")));
        const $(T) end = total;
        const $(Index) at = $(reach("none", "first"));
        const uint length = $(reach("first", "end"));
        for (uint k = 0u; k < length && at + k < $(room); k++) store_output(out_items, at + k, $(item("x", "i", "k")));
$ elseif exclusive then
        store_output(out_items, i, $(result));
$ if recounts then
        $(counted)
$ end
        $(next_total(map("x", "i", "near")))
$ else
        $(next_total(map("x", "i", "near")))
$ if recounts then
        $(counted)
$ end
        store_output(out_items, i, $(result));
$ end
    }
$ if empty then
    for (uint j = 0u; j < $(count_segments()); j++) {
        if (offset_at(in_items, j) == offset_at(in_items, j + 1u)) store_empty(out_items, j);
    }
$ end
$ if totals then
    store_carry($(leaves), $(recounts and with_counts("total", "counted") or "total"));
$ end
}
