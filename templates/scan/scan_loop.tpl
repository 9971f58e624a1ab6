$ -- Scan as anybody would write it in plain C: one thread, one element after the other. bench compares devices with it.
$ assert(BLOCK == 1 and ITEMS == 1)
$(types)

$(functions)

$ inputs.is_single, outputs.is_single = true, true
$ include("parts/arrays", inputs)

$ include("parts/arrays", outputs)

$ include("scan/carry", {takes = false, leaves = totals})

$ local result = output_map and output_map("total", "x", "i", "near") or "total"
$(kernel())
{
    const $(Index) n = params.n;
    In in_items = $(inputs.value);
    Out out_items = $(outputs.value);
    $(T) total = $(init_text);
$ if reverse then
    for ($(Index) i = n - 1u; i < n; i--) {
$ else
    for ($(Index) i = 0u; i < n; i++) {
$ end
        const $(type_name(input)) x = load_input(in_items, i);
$ if near then
        const $(type_name(near)) near = near_at(in_items, i, n);
$ end
$ if exclusive then
        store_output(out_items, i, $(result));
        total = $(join("total", map("x", "i", "near")));
$ else
        total = $(join("total", map("x", "i", "near")));
        store_output(out_items, i, $(result));
$ end
    }
$ if totals then
    store_carry($(leaves), total);
$ end
}
