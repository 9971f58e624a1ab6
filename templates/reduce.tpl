$ -- Reduction: each block reduces a contiguous range of tiles and publishes its aggregate or, as the only block, the result.
$ -- reads "input": the operation's input; reads "aggregates": what the blocks of an earlier launch published.
$ assert(ITEMS % VECTOR == 0 and BLOCK % LANES == 0)
$ assert(reads == "input" or reads == "aggregates")
$ assert(writes == "aggregates" or writes == "output")
$ include "operators"

$ include "subgroup"

$ include "block"

$ if reads == "input" then
$ include("memory", {array = "In", group = "Inputs", type = input, reads = true, writes = false})

$ include "tiles"

$ end
$ if writes == "output" then
$ include("memory", {array = "Out", group = "Outputs", type = output, reads = false, writes = true})

$ end
$ include("carry", {takes = reads == "input", leaves = writes == "output"})

$ if reads == "aggregates" or commutative then
// What one value a thread adds up to, in thread order. The whole block calls it.
$(T) block_reduce($(T) x)
{
    const $(T) lanes = subgroup_scan(x);
    return block_scan(shuffle(lanes, LANES - 1u)).total;
}

$ end
$(kernel("reduce"))
{
$ if reads == "input" then
    const uint n = element_count();
    In in_items = In(params.buffers[0]);
    const TileRange tiles = owned_tiles(n);

$ if commutative then
    // The order does not matter: each thread sums its own items.
    $(T) x = identity();
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint start = row_start(tile, row, n);
            const Elements elements = row_elements(load_inputs(in_items, start, n), start, n);
            UNROLL for (uint v = 0u; v < VECTOR; v++) x = $(join("x", "elements.at[v]"));
        }
    }
    $(T) total = block_reduce(x);
$ else
    $(T) total = identity();
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        $(T) subgroup_total = identity();
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint start = row_start(tile, row, n);
            const Elements elements = row_elements(load_inputs(in_items, start, n), start, n);
            $(T) x = elements.at[0];
            UNROLL for (uint v = 1u; v < VECTOR; v++) x = $(join("x", "elements.at[v]"));
            const $(T) lanes = subgroup_scan(x);
            const $(T) row_total = shuffle(lanes, LANES - 1u);
            subgroup_total = $(join("subgroup_total", "row_total"));
        }
        const $(T) tile_total = block_scan(subgroup_total).total;
        total = $(join("total", "tile_total"));
    }
$ end
$ else
    Aggregates aggregates = Aggregates(params.scratch);
    const uint tiles = launch_bound() / EARLIER_TILE + (launch_bound() % EARLIER_TILE != 0u ? 1u : 0u);
    const uint aggregate_count = 1u + clamp(tiles, 1u, EARLIER_BLOCKS); // the starting prefix, then a block each

    $(T) total = identity();
    for (uint first = 0u; first < aggregate_count; first += BLOCK) {
        $(T) x = identity();
        if (first + thread_id() < aggregate_count) x = aggregates.at[first + thread_id()];
        const $(T) more = block_reduce(x);
        total = $(join("total", "more"));
    }
$ end
$ if writes == "aggregates" then

    if (thread_id() == 0u) {
        Aggregates aggregates = Aggregates(params.scratch);
        if (block_id() == 0u) aggregates.at[0] = starting_prefix(); // later launches take it from here: carry-in may be carry-out
        aggregates.at[block_id() + 1u] = total;
    }
$ else

$ if reads == "input" then
    const $(T) start = starting_prefix();
    total = $(join("start", "total"));
$ end
    if (thread_id() == 0u && is_given(params.buffers[1])) {
        Outputs outputs;
        outputs.at[0] = $(output_map and output_map("total") or "total");
        store_outputs(Out(params.buffers[1]), 0u, 1u, outputs);
    }
    carry_out(total);
$ end
}
