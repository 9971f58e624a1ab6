$ -- Scan in one pass by blocks that all run at once. Block b has tiles b, b + block_count(), ..; they come to shared memory some ahead of their
$ -- turn, and their results leave from there. A block posts the aggregate of its next tile before it finishes this one: what comes before a
$ -- tile, the block's own prefix and what others have posted since, is there when it is asked for. No tile waits for a chain of others, and
$ -- n and the number of blocks alone decide in what order elements are combined.
$ assert(ITEMS % VECTOR == 0 and BLOCK % LANES == 0 and strategy == "lookahead")
$ include "parts/operators"

$ include "parts/subgroup"

$ include("parts/block", {turns = 2})

$ local arrays = inputs.fields and #inputs.fields or 1
$ if not inputs.fields then
$ include("memory", {array = "In", group = "Inputs", type = input, reads = true, writes = false})

$ include("memory", {array = "Out", group = "Outputs", type = output, reads = false, writes = true})

$ end
$ include("scan/carry", {takes = true, leaves = true})

$ local step = 16 -- what of an input's address moves the tiles, so that they begin where 16 bytes do, divided by this is a number of items
$ while has_fixed_order == 0 and input.size % step ~= 0 do step = step // 2 end
$ local stays_unaligned = not inputs.fields and input.align < step
$ include("stages", {stays_unaligned = stays_unaligned, arrays = inputs.fields and arrays})

$ include "parts/posts"

$ local to_stage = input.size == output.size -- results; else they would lie where others' items are
$ if inputs.fields then
$ include "scan/staged_arrays"
$ else
$ include("scan/staged_tile", {step = step, stays_unaligned = stays_unaligned, to_stage = to_stage})
$ end

$ local depth = (blocks + LANES - 1) // LANES
const uint DEPTH = $(depth)u; // posts that each lane reads together
const uint WINDOW = DEPTH * LANES; // tiles, no fewer than there are blocks

// A lane reads every LANES-th post, so that loads touch few cache lines, in which all blocks look at a time; it adds up posts that follow each other.
$(shared(T, "posted", "WINDOW"))

$ local in_array = inputs.fields and "in_items" or "params.buffers[0]"
$ local function sum_of(first, last) -- of a lane's posts, in as few steps as there may be
$     if first == last then return ("own[%du]"):format(first) end
$     local middle = (first + last) // 2
$     return join(sum_of(first, middle), sum_of(middle + 1, last))
$ end
// What `before` and the tiles from `first` to `end` - 1 add up to, no more than WINDOW; in lane 0. One subgroup calls it.
$(T) sum_posts(Posts posts, uint tag, $(T) before, uint first, uint end)
{
    const uint lowest = first + lane_id();
    Descriptor seen[DEPTH];
    UNROLL for (uint k = 0u; k < DEPTH; k++) {
        seen[k].state = EMPTY;
        seen[k].value = identity();
    }
    bool is_missing = true;
    while (last_lane(is_missing) < LANES) {
        UNROLL for (uint k = 0u; k < DEPTH; k++) {
            if (lowest + k * LANES < end && seen[k].state == EMPTY) seen[k] = poll(posts, lowest + k * LANES, tag);
        }
        is_missing = false;
        UNROLL for (uint k = 0u; k < DEPTH; k++) is_missing = is_missing || (lowest + k * LANES < end && seen[k].state == EMPTY);
    }
    UNROLL for (uint k = 0u; k < DEPTH; k++) posted[k * LANES + lane_id()] = seen[k].value;
    subgroup_barrier();
    $(T) own[DEPTH];
    UNROLL for (uint k = 0u; k < DEPTH; k++) own[k] = posted[lane_id() * DEPTH + k];
    $(T) sum = $(sum_of(0, depth - 1));
    if (lane_id() == 0u) sum = $(join("before", "sum"));
    UNROLL for (uint step = 1u; step < LANES; step *= 2u) {
        const $(T) later = shuffle(sum, lane_id() + step);
        sum = $(join("sum", "later"));
    }
    return sum;
}

const uint AHEAD = $(ahead)u; // rounds between a tile's sum and its end

$(shared(T, "first_prefix")) // of tile 0; other blocks begin with the identity
$(shared(T, "tile_totals", "STAGES"))
$(shared(T, "tile_prefixes", "STAGES")) // what comes before a tile
$ if inputs.fields then
$(shared(T, "tile_ends", "STAGES")) // the same with the tile
$ end

// The last subgroup finds out what comes before the block's tiles, while the others go on.
void precede_tiles(Posts posts, uint tag, uint own_tiles)
{
    $(T) before = first_prefix; // what the tiles before `first` add up to; from round 1 on in lane 0
    uint first = 0u;
    for (uint round = 0u; round < own_tiles; round++) {
        const uint tile = block_id() + round * block_count(), slot = round % STAGES;
$ if inputs.fields then
        const uint summed = min(round + AHEAD - 1u, own_tiles - 1u); // others have hardly posted before: polling takes bandwidth
        wait_for_signal(SUMMED + summed % STAGES, summed / STAGES);
$ end
        const $(T) prefix = sum_posts(posts, tag, before, first, tile);
        first = tile + 1u;
        subgroup_barrier(); // the next posts take the place of these
$ if inputs.fields then
        const $(T) total = tile_totals[slot];
        before = $(join("prefix", "total"));
        if (lane_id() == 0u) {
            tile_prefixes[slot] = prefix;
            tile_ends[slot] = before;
            give_signal(PRECEDED + slot);
        }
$ else
        if (lane_id() == 0u) {
            tile_prefixes[slot] = prefix;
            give_signal(PRECEDED + slot);
        }
        wait_for_signal(SUMMED + slot, round / STAGES);
        const $(T) total = tile_totals[slot];
        before = $(join("prefix", "total"));
$ end
    }
}

$(kernel("scan"))
{
$ if inputs.fields then
    const $(Index) n = element_count(params.n, params.n_address);
    const Tiles tiles = tiles_of(n);
    const In in_items = $(inputs.value);
    const Out out_items = $(outputs.value);
    const bool writes = $(outputs.is_given);
$ else
    const Tiles tiles = tiles_of(params.buffers[0], element_count(params.n, params.n_address));
    const bool writes = is_given(params.buffers[1]);
    const bool out_is_aligned = stage_shift(address_after(params.buffers[1], tile_start(0u, tiles), $(output.size)u)) == 0u;
$ end
    Posts posts = Posts(address_at(params.scratch, DESCRIPTORS_OFFSET));
    if (!has_posts_of(params.scratch, tiles.count)) return;
    const uint tag = launch_tag(params.scratch);
    const uint own_tiles = (tiles.count + block_count() - 1u - block_id()) / block_count();

    if (thread_id() == 0u) { // by one: carry-in may be carry-out
        const $(T) first = block_id() == 0u ? starting_prefix(params.carry_in) : identity();
        first_prefix = first;
    }
    begin_stages();
    if (thread_id() >= BLOCK) {
        if (lane_id() == 0u) end_launch(params.scratch); // all of the block have the tag, and there are no tickets
        precede_tiles(posts, tag, own_tiles);
        return;
    }
    if (thread_id() == 0u) {
        for (uint s = 0u; s < $(inputs.fields and "STAGES" or "STAGES - 1u"); s++) {
            const uint tile = block_id() + s * block_count();
            if (tile < tiles.count) fill_with_tile(s, $(in_array), tile, tiles);
        }
    }
    $(T) befores[AHEAD + 1u]; // in the tiles that are summed up, what comes before this thread's items
    UNROLL for (uint a = 0u; a <= AHEAD; a++) befores[a] = identity();
    // In each round the block sums up a tile, which others wait for, and finishes an earlier one.
    for (uint round = 0u; round < own_tiles + AHEAD; round++) {
        UNROLL for (uint a = 0u; a < AHEAD; a++) befores[a] = befores[a + 1u];
        if (round < own_tiles) {
            const uint tile = block_id() + round * block_count(), stage = round % STAGES;
            $(inputs.fields and "wait_for_tile(stage" or "wait_for_signal(COME + stage"), round / STAGES);
            complete_tile(stage, $(in_array), tile, tiles);
            const TileSum sum = sum_tile(stage, $(inputs.fields and "in_items, " or "")tile, tiles, round % 2u);
            befores[AHEAD] = sum.before;
            if (thread_id() == 0u) {
                publish_aggregate(posts, tile, tag, round == 0u ? $(join("first_prefix", "sum.total")) : sum.total);
                tile_totals[stage] = sum.total;
                give_signal(SUMMED + stage);
$ if inputs.fields then
                const uint refilled = round - AHEAD - 1u + STAGES; // its stage has been free since the block met in sum_tile
                wait_for_leaves();
                if (round > AHEAD && refilled < own_tiles) fill_with_tile(refilled % STAGES, in_items, block_id() + refilled * block_count(), tiles);
$ end
            }
$ if inputs.fields and packs_early then
$ if continued then
            const $(T) start = $(start_text);
            if (writes && is_whole(tile, tiles)) pack_tile(stage, out_items, sum.own, tile, tiles, start, $(join("start", "sum.total")), $(join("start", "sum.before")));
$ else
            if (writes && is_whole(tile, tiles)) pack_tile(stage, out_items, sum.own, tile, tiles, identity(), sum.total, sum.before);
$ end
        } else {
            block_barrier(); // what was packed in the round before is there
$ end
        }
        if (round >= AHEAD) {
            const uint earlier = round - AHEAD, tile = block_id() + earlier * block_count(), stage = earlier % STAGES;
            wait_for_signal(PRECEDED + stage, earlier / STAGES);
            const $(T) prefix = tile_prefixes[stage];
$ if inputs.fields then
            const $(T) end = tile_ends[stage];
            if (writes) finish_tile(stage, in_items, out_items, tile, tiles, prefix, end, $(join("prefix", "befores[0]")));
$ if not packs_early then
            else block_barrier();
$ end
$ else
            if (writes) scan_tile(stage, $(to_stage and "" or "Out(params.buffers[1]), ")tile, tiles, $(join("prefix", "befores[0]")));
            const $(Address) out = address_after(params.buffers[1], tile_start(tile, tiles), $(output.size)u);
            const bool leaves = writes && out_is_aligned && is_whole(tile, tiles);
            if (writes && !leaves$(to_stage and "" or " && is_whole(tile, tiles)")) {
                subgroup_barrier();
                copy_stage(stage, out, subgroup_results(tile, tiles));
            }
            ready_stage();
            block_barrier();
$ end
$ if inputs.fields then
            if (thread_id() == 0u) end_leaves();
            ready_stage();
            if (thread_id() == 0u && tile == tiles.count - 1u) store_carry($(leaves), end);
$ else
            if (thread_id() == 0u) {
                if (leaves) leave_stage(stage, out, TILE$(output.size > 1 and " * " .. output.size .. "u" or ""));
                end_leaves();
                wait_for_earlier_leaves();
                const uint later = tile + (STAGES - 1u) * block_count();
                if (later < tiles.count) fill_with_tile((earlier + STAGES - 1u) % STAGES, params.buffers[0], later, tiles);
                if (tile == tiles.count - 1u) store_carry($(leaves), $(join("prefix", "tile_totals[stage]")));
            }
$ end
        }
    }
    if (thread_id() != 0u) return;
    wait_for_leaves();
    if (tiles.count == 0u && block_id() == 0u) store_carry($(leaves), starting_prefix(params.carry_in));
}
