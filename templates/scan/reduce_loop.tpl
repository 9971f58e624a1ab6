$ -- Reduction as anybody would write it in plain C: one thread, one element after the other. bench compares devices with it.
$ assert(BLOCK == 1 and ITEMS == 1)
$(types)

$(functions)

$ inputs.is_single, outputs.is_single = true, true
$ include("parts/arrays", inputs)

$ include("parts/arrays", outputs)

$ if balanced then
$ include "scan/balanced_loop"

$ end
$ local more = map("load_input(in_items, i)", "i", has_inputs and "near_at(in_items, i, n)" or "near_of(i, n)")
$(kernel())
{
    const $(Index) n = params.n;
$ if has_inputs then
    In in_items = $(inputs.value);
$ end
    $(T) total = $(init_text);
$ if balanced then
    Block blocks[64];
$ end
    for ($(Index) i = 0u; i < n; i++) total = $(balanced and "grow(blocks, i, total, " .. more .. ")" or join("total", more));
    store_output($(outputs.value), 0u, $(output_map and output_map("total") or "total"));
}
