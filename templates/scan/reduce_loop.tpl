$ -- Reduction as anybody would write it in plain C: one thread, one element after the other. bench compares devices with it.
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
    $(T) total = $(init_text);
    for ($(Index) i = 0u; i < n; i++) total = $(join("total", map("load_input(in_items, i)", "i", "near_at(in_items, i, n)")));
    store_output($(outputs.value), 0u, $(output_map and output_map("total") or "total"));
}
