$ -- Scan as anybody would write it in plain C: one thread, one element after the other. bench compares devices with it.
$ assert(BLOCK == 1 and ITEMS == 1)
$(types)

$(functions)

$ include("items", {array = "In", name = "input", type = input, reads = true, writes = false})

$ include("items", {array = "Out", name = "output", type = output, reads = false, writes = true})

$ local Input = memory_codec(input).type_name
$ local result = output_map and output_map("total", "x", "i") or "total"
$(kernel())
{
    const $(Index) n = params.n;
    In in_items = In(params.buffers[0]);
    Out out_items = Out(params.buffers[1]);
    $(T) total = $(init_text);
$ if reverse then
    for ($(Index) i = n - 1u; i < n; i--) {
$ else
    for ($(Index) i = 0u; i < n; i++) {
$ end
        const $(Input) x = load_input(in_items, i);
$ if exclusive then
        store_output(out_items, i, $(result));
        total = $(join("total", map("x", "i")));
$ else
        total = $(join("total", map("x", "i")));
        store_output(out_items, i, $(result));
$ end
    }
}
