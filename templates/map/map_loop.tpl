$ -- Map as anybody would write it in plain C: one thread, one element after the other. bench compares devices with it.
$ assert(BLOCK == 1 and ITEMS == 1)
$(types)

$(functions)

$ inputs.is_single, outputs.is_single = true, true
$ include("parts/arrays", inputs)

$ include("parts/arrays", outputs)

$ local near_at = has_inputs and "near_at(in_items, i, n)" or "near_of(i, n)"
$(kernel())
{
    const $(Index) n = params.n;
$ if has_inputs then
    In in_items = $(inputs.value);
$ end
    Out out_items = $(outputs.value);
    for ($(Index) i = 0u; i < n; i++) store_output(out_items, i, $(map("load_input(in_items, i)", "i", near_at)));
}
