$ -- Map as anybody would write it in plain C: one thread, one element after the other. bench compares devices with it.
$ assert(BLOCK == 1 and ITEMS == 1)
$(types)

$(functions)

$ inputs.is_single, outputs.is_single = true, true
$ include("parts/arrays", inputs)

$ include("parts/arrays", outputs)

$(kernel())
{
    const $(Index) n = params.n;
    In in_items = $(inputs.value);
    Out out_items = $(outputs.value);
    for ($(Index) i = 0u; i < n; i++) store_output(out_items, i, $(map("load_input(in_items, i)", "i", "near_at(in_items, i, n)")));
}
