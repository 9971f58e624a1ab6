$ -- Reduction: each block reduces a contiguous range of tiles and publishes its aggregate or, as the only block, the result.
$ -- reads "input": the operation's input; reads "aggregates": what the blocks of an earlier launch published.
$ assert(ITEMS % VECTOR == 0 and BLOCK % LANES == 0)
$ assert(reads == "input" or reads == "aggregates")
$ assert(writes == "aggregates" or writes == "output")
$ include "parts/operators"

$ include "parts/subgroup"

$ include("parts/block", {turns = 1})

$ if reads == "input" then
$ include("parts/arrays", inputs)

$ include "scan/tiles"

$ include "parts/owned_tiles"

$ end
$ if writes == "output" then
$ include("parts/arrays", outputs)

$ end
$ include("scan/carry", {takes = reads == "input", leaves = writes == "output"})

$ if reads == "aggregates" or writes == "aggregates" then
$ include "scan/aggregates"

$ end
$ if reads == "aggregates" or commutative then
$ include "scan/block_reduce"

$ else
$ include "scan/tile_reduce"

$ end
$(kernel("reduce"))
{
    $(T) total = identity();
$ if reads == "input" then
    const $(Index) n = element_count(params.n, params.n_address);
    In in_items = $(inputs.value);
    const bool is_aligned = $(inputs.are_aligned);
    const TileRange tiles = owned_tiles(tile_count(n));

$ if commutative then
    // The order does not matter: each thread sums its own items.
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const Tile x = load_tile(in_items, is_aligned, tile_start(tile, n), n);
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            UNROLL for (uint v = 0u; v < VECTOR; v++) total = $(join("total", "x.rows[row].at[v]"));
        }
    }
    total = block_reduce(total);
$ else
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const $(T) aggregate = reduce_tile(in_items, is_aligned, tile_start(tile, n), n);
        total = $(join("total", "aggregate"));
    }
$ end
$ else
    Aggregates aggregates = block_aggregates(params.scratch);
    const $(Index) bound = $(launch_n);
    const $(Index) tiles = bound / EARLIER_TILE + (bound % EARLIER_TILE != 0u ? 1u : 0u);
    const uint blocks = tiles < 1u ? 1u : tiles > EARLIER_BLOCKS ? EARLIER_BLOCKS : uint(tiles);
    const uint aggregate_count = 1u + blocks; // the starting prefix, then a block each

    for (uint first = 0u; first < aggregate_count; first += BLOCK) {
        $(T) x = identity();
        if (first + thread_id() < aggregate_count) x = aggregates.at[first + thread_id()];
        const $(T) more = block_reduce(x);
        total = $(join("total", "more"));
    }
$ end
    if (thread_id() != 0u) return;
$ if writes == "aggregates" then
    Aggregates aggregates = block_aggregates(params.scratch);
    if (block_id() == 0u) aggregates.at[0] = starting_prefix(params.carry_in); // later launches take it from here: carry-in may be carry-out
    aggregates.at[block_id() + 1u] = total;
$ else
$ if reads == "input" then
    const $(T) start = starting_prefix(params.carry_in);
    total = $(join("start", "total"));
$ end
    store_carry($(leaves), total);
    if ($(outputs.is_given)) store_first_outputs($(outputs.value), $(output_map and output_map("total") or "total"));
$ end
}
