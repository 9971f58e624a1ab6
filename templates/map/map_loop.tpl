$ -- Map as anybody would write it in plain C: one thread, one element after the other. bench compares devices with it.
$ assert(BLOCK == 1 and ITEMS == 1)
$(types)

$(functions)

$ include("items", {array = "In", name = "input", type = input, reads = true, writes = false})

$ include("items", {array = "Out", name = "output", type = output, reads = false, writes = true})

$(kernel())
{
    const $(Index) n = params.n;
    In in_items = In(params.buffers[0]);
    Out out_items = Out(params.buffers[1]);
    for ($(Index) i = 0u; i < n; i++) store_output(out_items, i, $(map("load_input(in_items, i)", "i")));
}
