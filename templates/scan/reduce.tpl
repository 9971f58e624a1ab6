$ -- Reduction: each block reduces a contiguous range of tiles and publishes its aggregate or, as the only block, the result.
$ -- reads "input": the operation's input; reads "aggregates": what the blocks of an earlier launch published.
$ assert(ITEMS % VECTOR == 0 and BLOCK % LANES == 0)
$ assert(reads == "input" or reads == "aggregates")
$ assert(writes == "aggregates" or writes == "output")
$ include "parts/operators"

$ include "parts/subgroup"

$ if balanced then
$ include "parts/balanced"
$ else
$ include("parts/block", {turns = 1})
$ end

$ if reads == "input" then
$ include("parts/arrays", inputs)

$ include("scan/tiles", {folds = not balanced and not commutative})

$ if segments then
$ include("scan/number_segments", {stores_empty = false})

$ end
$ end
$ if balanced or reads == "input" then
$ include "parts/owned_tiles"

$ end
$ if writes == "output" then
$ include("parts/arrays", outputs)

$ end
$ include("scan/carry", {takes = reads == "input", leaves = writes == "output"})

$ if reads == "aggregates" or writes == "aggregates" then
$ include "scan/aggregates"

$ end
$ if balanced then
$ include(reads == "input" and "scan/tile_scan" or "scan/aggregate_before")
$ elseif reads == "aggregates" or commutative then
$ include "scan/block_reduce"

$ else
$ include "scan/dealt_rows"

$ end
$(kernel("reduce"))
{
    $(T) total = identity();
$ if reads == "input" then
    const $(Index) n = element_count(params.n, params.n_address);
$ if has_inputs then
    In in_items = $(inputs.value);
    const bool is_aligned = $(inputs.are_aligned);
$ end
    const TileRange tiles = owned_tiles(tile_count(n));
$ if segments then
    if (!has_firsts_of(params.scratch, tile_count(n))) return;
$ end

$ if balanced then
$ if writes == "output" then
    if (thread_id() == 0u) total = starting_prefix(params.carry_in);
$ end
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
$ if segments then
        in_items.first = tile_start(tile, n);
        number_segments(in_items, params.scratch, n);
$ end
        const TileScan scan = scan_tile(load_tile($(hands_inputs("is_aligned"))tile_start(tile, n), n));
        const BlockScan block = block_scan(scan.total);
        const uint count = items_of(tile, n);
        if (count < TILE) {
            keep_tail(scan, block, count);
$ if writes == "output" then
            total = join_tail(total, count);
$ end
        } else {
            total = grow(tile - tiles.first, total, block.total).through;
        }
    }
$ elseif commutative then
    // The order does not matter: each thread sums its own items.
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
$ if segments then
        in_items.first = tile_start(tile, n);
        number_segments(in_items, params.scratch, n);
$ end
        const Tile x = load_tile($(hands_inputs("is_aligned"))tile_start(tile, n), n);
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            UNROLL for (uint v = 0u; v < VECTOR; v++) total = $(join("total", "x.rows[row].at[v]"));
        }
    }
    total = block_reduce(total);
$ else
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
$ if segments then
        in_items.first = tile_start(tile, n);
        number_segments(in_items, params.scratch, n);
$ end
        const $(T) aggregate = reduce_tile($(hands_inputs("is_aligned"))tile_start(tile, n), n);
        total = $(join("total", "aggregate"));
    }
$ end
$ else
    Aggregates aggregates = block_aggregates(params.scratch);
    const $(Index) bound = $(launch_n);
    const $(Index) tiles = bound / EARLIER_TILE + (bound % EARLIER_TILE != 0u ? 1u : 0u);
    const uint blocks = tiles < 1u ? 1u : tiles > EARLIER_BLOCKS ? EARLIER_BLOCKS : uint(tiles);
$ if balanced then
    const $(Index) n = element_count(params.n, params.n_address);
    const $(Index) owned = EARLIER_TILE * $(as_index('share_of(uint(n / EARLIER_TILE + (n % EARLIER_TILE != 0u ? 1u : 0u)), blocks)')); // items
    const $(Index) rest = n % owned;

    total = aggregate_ends(aggregates, uint(n / owned), uint(n / owned)).before;
    for (uint level = TAILS; level > 0u; level--) {
        if ((rest >> (level - 1u)) % 2u == 0u) continue;
        const $(T) more = aggregates.at[level];
        total = $(join("total", "more"));
    }
$ else
    const uint aggregate_count = 1u + blocks; // the starting prefix, then a block each

    for (uint first = 0u; first < aggregate_count; first += BLOCK) {
        $(T) x = identity();
        if (first + thread_id() < aggregate_count) x = aggregates.at[first + thread_id()];
        const $(T) more = block_reduce(x);
        total = $(join("total", "more"));
    }
$ end
$ end
$ if balanced and writes == "aggregates" then
    const uint share = share_of(tile_count(n), block_count());
    const uint share_level = level_of(share); // lavapipe ends loops inside of loops too early where other threads have returned
$ end
    if (thread_id() != 0u) return;
$ if writes == "aggregates" then
    Aggregates aggregates = block_aggregates(params.scratch);
    if (block_id() == 0u) aggregates.at[0] = starting_prefix(params.carry_in); // later launches take it from here: carry-in may be carry-out
$ if balanced then
$ local tile_levels = 0
$ while 1 << tile_levels < BLOCK * ITEMS do tile_levels = tile_levels + 1 end
    const uint TILE_LEVELS = $(tile_levels)u; // TILE is 2 to this
    const uint whole = uint(n / TILE < tiles.end ? n / TILE : tiles.end) - tiles.first; // of this block's tiles
    if (whole == share) aggregates.at[1u + TAILS + block_id()] = level_total[share_level];
    if (whole == share || tiles.first == tiles.end) return;
    for (uint level = 0u; level < TILE_LEVELS; level++) {
        if (((n % TILE) >> level) % 2u != 0u) aggregates.at[1u + level] = tail[level];
    }
    for (uint level = 0u; level < LEVELS; level++) {
        if ((whole >> level) % 2u != 0u) aggregates.at[1u + TILE_LEVELS + level] = level_total[level];
    }
$ else
    aggregates.at[block_id() + 1u] = total;
$ end
$ else
$ if reads == "input" then
$ if not balanced then
    const $(T) start = starting_prefix(params.carry_in);
    total = $(join("start", "total"));
$ end
$ end
    store_carry($(leaves), total);
    if ($(outputs.is_given)) store_first_outputs($(outputs.value), $(output_map and output_map("total") or "total"));
$ end
}
