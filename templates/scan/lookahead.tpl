$ -- Scan in one pass by blocks that all run at once. Block b has tiles b, b + block_count(), ..; they come to shared memory some ahead of their
$ -- turn, and their results leave from there. A block posts the aggregate of its next tile before it finishes this one: what comes before a
$ -- tile, the block's own prefix and what others have posted since, is there when it is asked for. No tile waits for a chain of others, and
$ -- n and the number of blocks alone decide in what order elements are combined.
$ assert(ITEMS % VECTOR == 0 and BLOCK % LANES == 0 and strategy == "lookahead")
$ include "parts/operators"

$ include("parts/subgroup", of_tile {})

$ if balanced then
$ include "parts/tree"
$ elseif not parts then
$ include("parts/block", of_tile {turns = 2})
$ end

$ local arrays = inputs.fields and #inputs.fields - (segments and 1 or 0) or 1
$ if not inputs.fields then
$ include("memory", {array = "In", group = "Inputs", type = input, reads = true, writes = false})

$ include("memory", {array = "Out", group = "Outputs", type = output, reads = false, writes = true})

$ end
$ include("scan/carry", {takes = true, leaves = true})

$ local step = 16 -- what of an input's address moves the tiles, so that they begin where 16 bytes do, divided by this is a number of items
$ while has_fixed_order == 0 and input.size % step ~= 0 do step = step // 2 end
$ local stays_unaligned = not inputs.fields and input.align < step
$ local fills = helpers == 2 -- a subgroup of its own has tiles come
$ include("stages", {stays_unaligned = stays_unaligned, arrays = inputs.fields and arrays, fills = fills})

$ include "parts/posts"

$ local to_stage = input.size == output.size -- results; else they would lie where others' items are
$ if inputs.fields then
$ include "scan/staged_arrays"
$ else
$ include("scan/staged_tile", {step = step, stays_unaligned = stays_unaligned})

$ include(balanced and "scan/staged_tree" or "scan/staged_sums", {to_stage = to_stage})
$ end

const uint AHEAD = $(ahead)u; // rounds between a tile's sum and its end

$ include(balanced and "scan/precede_nodes" or "scan/precede_sums")

$ if parts then
$ include "scan/total_tiles"

$ elseif fills then
// A thread brings the block's tiles, each as soon as its stage is free. What it takes to say where they lie would hold up the others.
void fill_stages(In in_items, Tiles tiles, uint own_tiles)
{
    for (uint later = 0u; later < own_tiles; later++) {
        if (later >= STAGES) {
            const uint round = later - STAGES + AHEAD + 1u;
            wait_for_signal(FREED + round % STAGES, round / STAGES);
        }
        fill_with_tile(later % STAGES, in_items, block_id() + later * block_count(), tiles);
    }
}

$ end
$ local in_array = inputs.fields and "in_items" or "params.buffers[0]"
$(kernel("scan"))
{
$ if inputs.fields then
    const $(Index) n = element_count(params.n, params.n_address);
    const Tiles tiles = tiles_of(n);
    const In in_items = $(inputs.value);
    const Out out_items = $(outputs.value);
$ if not parts then
    const bool writes = $(outputs.is_given);
$ end
$ else
    const Tiles tiles = tiles_of(params.buffers[0], element_count(params.n, params.n_address));
    const bool writes = is_given(params.buffers[1]);
    const bool out_is_aligned = stage_shift(address_after(params.buffers[1], tile_start(0u, tiles), $(output.size)u)) == 0u;
$ end
    Posts posts = Posts(address_at(params.scratch, DESCRIPTORS_OFFSET));
    if (!has_posts_of(params.scratch, $(balanced and "tiles.count + 1u" or "tiles.count"))$(segments and " || !has_firsts_of(params.scratch, tiles.count)" or "")) return;
    const uint tag = launch_tag(params.scratch);
    const uint own_tiles = (tiles.count + block_count() - 1u - block_id()) / block_count();

$ if balanced then
    // By one: carry-in may be carry-out.
    if (block_id() == 0u && thread_id() == 0u) publish_aggregate(posts, 0u, tag, starting_prefix(params.carry_in));
$ else
    if (thread_id() == 0u) { // by one: carry-in may be carry-out
        const $(T) first = block_id() == 0u ? starting_prefix(params.carry_in) : identity();
        first_prefix = first;
    }
$ end
$ if segments then
    if (thread_id() < BLOCK) {
        for (uint bits = 0u; bits < $(parts and "3u" or "STAGES"); bits++) clear_begins(bits);
$ if parts then
        for (uint s = thread_id(); s < TURNS * SUBGROUPS; s += BLOCK) crossing_segments[s] = NOT_THERE;
$ end
    }
$ end
    begin_stages();
$ if fills then
    if (thread_id() >= BLOCK + LANES) {
        $(parts and "total_tiles(posts, tag, own_tiles, in_items, out_items, tiles)" or "if (lane_id() == 0u) fill_stages(in_items, tiles, own_tiles)");
        return;
    }
$ end
    if (thread_id() >= BLOCK) {
        if (lane_id() == 0u) end_launch(params.scratch); // all of the block have the tag, and there are no tickets
        precede_tiles(posts, tag, own_tiles$(parts and ", out_items" or ""));
        return;
    }
$ if not fills then
    if (thread_id() == 0u) {
        ROLL for (uint s = 0u; s < $(inputs.fields and "STAGES" or "STAGES - 1u"); s++) {
            const uint tile = block_id() + s * block_count();
            if (tile < tiles.count) fill_with_tile(s, $(in_array), tile, tiles);
        }
    }
$ end
$ if parts then
$ include "scan/segment_rounds"
$ else
$ if balanced then
    $(T) ups[AHEAD + 1u]; // in the tiles that are summed up, of the longest block in the subgroup that ends with this thread's items
$ else
    $(P) befores[AHEAD + 1u]; // in the tiles that are summed up, what comes before this thread's items
$ end
$ local held = balanced and "ups" or "befores"
    UNROLL for (uint a = 0u; a <= AHEAD; a++) $(held)[a] = $(nothing);
$ if segments then
    const Firsts firsts = segment_firsts(params.scratch, tiles.count);
    mark_segments(0u, in_items, load_segments(in_items, range_of(firsts, block_id(), tiles)), tile_start(block_id(), tiles));
    Segments coming = load_segments(in_items, range_of(firsts, block_id() + block_count(), tiles)); // of the next tile, on their way during this one
    Range later = range_of(firsts, block_id() + 2u * block_count(), tiles);
    block_barrier();
$ end
    // In each round the block sums up a tile, which others wait for, and finishes an earlier one.
    for (uint round = 0u; round < own_tiles + AHEAD; round++) {
        UNROLL for (uint a = 0u; a < AHEAD; a++) $(held)[a] = $(held)[a + 1u];
        if (round < own_tiles) {
            const uint tile = block_id() + round * block_count(), stage = round % STAGES;
            $(inputs.fields and "wait_for_tile(stage" or "wait_for_signal(COME + stage"), round / STAGES);
            complete_tile(stage, $(in_array), tile, tiles);
            const TileSum sum = sum_tile(stage, $(inputs.fields and "in_items, " or "")tile, tiles, round % 2u);
            $(held)[AHEAD] = sum.$(balanced and "up" or "before");
$ if fills and SUBGROUPS == 1 then
            block_barrier(); // a block of several subgroups meets when it scans their totals
$ end
            if (thread_id() == 0u) {
$ if tallies then
                const $(T) total = $(state_of("sum.total"));
$ end
$ local total = tallies and "total" or "sum.total"
$ if balanced then
                publish_aggregate(posts, 1u + tile, tag, sum.total);
$ else
                publish_aggregate(posts, tile, tag, round == 0u ? $(join("first_prefix", total)) : $(total));
                tile_totals[stage] = $(total);
$ end
$ if not fills or balanced then
                give_signal(SUMMED + stage);
$ end
$ if fills then
                wait_for_leaves();
                give_signal(FREED + stage); // the stage of the tile that left in the last round, since the block met in sum_tile
$ end
            }
$ if segments then
            // The stages of the next two tiles have been free since the block met.
            mark_segments((stage + 1u) % STAGES, in_items, coming, tile_start(tile + block_count(), tiles));
            clear_begins((stage + 2u) % STAGES);
            coming = load_segments(in_items, later);
            later = range_of(firsts, tile + 3u * block_count(), tiles);
            if (round < AHEAD) block_barrier(); // elsewhere the block meets when it finishes a tile
$ end
$ if inputs.fields and packs_early then
$ if continued then
            const $(T) start = $(start_text);
            if (writes && is_whole(tile, tiles)) pack_tile(stage, out_items, sum.own, tile, tiles, start, $(after("start", "sum.total")), $(after("start", "sum.before")));
$ else
            if (writes && is_whole(tile, tiles)) pack_tile(stage, out_items, $(sides and "sum" or "sum.own"), tile, tiles, identity(), $(state_of("sum.total")), $(state_of("sum.before")));
$ end
        } else {
            block_barrier(); // what was packed in the round before is there
$ elseif fills and beyond_bytes > 0 then
        } else if (thread_id() == 0u) {
            wait_for_leaves(); // results lie behind the stages where those of the tile before did
$ end
        }
        if (round >= AHEAD) {
            const uint earlier = round - AHEAD, tile = block_id() + earlier * block_count(), stage = earlier % STAGES;
            wait_for_signal(PRECEDED + stage, earlier / STAGES);
$ if not balanced then
            const $(T) prefix = tile_prefixes[stage];
$ elseif inputs.fields then
            const $(T) prefix = subgroup_places[stage * PLACES], end = subgroup_places[stage * PLACES + SUBGROUPS];
$ end
$ if inputs.fields and balanced then
            if (writes || !is_whole(tile, tiles)) finish_tile(stage, in_items, out_items, tile, tiles, prefix, end, thread_ends(stage, ups[0]));
$ if not packs_early then
            else block_barrier();
$ end
$ elseif inputs.fields then
            const $(T) end = tile_ends[stage];
            if (writes) finish_tile(stage, in_items, out_items, tile, tiles, prefix, end, $(after("prefix", "befores[0]")));
$ if not packs_early then
            else block_barrier();
$ end
$ else
$ if balanced then
            const Ends ends = thread_ends(stage, ups[0]);
            if (writes || tile == tiles.count - 1u) scan_tile(stage, $(to_stage and "" or "Out(params.buffers[1]), writes, ")tile, tiles, ends, $(leaves));
$ else
            if (writes) scan_tile(stage, $(to_stage and "" or "params.buffers[1], ")tile, tiles, $(after("prefix", "befores[0]")));
$ end
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
$ local all = balanced and "is_whole(tile, tiles) ? end : last_end" or "end"
$ if segments then
            if (thread_id() == 0u && tile == tiles.count - 1u) {
                $(T) last = end;
                last.$(field_name("heads")) = firsts.at[tiles.count]; // the number of the last segment that has items, where others have a flag
                store_carry($(leaves), last);
            }
$ else
            if (thread_id() == 0u && tile == tiles.count - 1u) store_carry($(leaves), $(all));
$ end
$ else
            if (thread_id() == 0u) {
                if (leaves) leave_stage(stage, out, TILE$(output.size > 1 and " * " .. output.size .. "u" or ""));
                end_leaves();
                wait_for_earlier_leaves();
                const uint later = tile + (STAGES - 1u) * block_count();
                if (later < tiles.count) fill_with_tile((earlier + STAGES - 1u) % STAGES, params.buffers[0], later, tiles);
$ if not balanced then
                if (tile == tiles.count - 1u) store_carry($(leaves), $(join("prefix", "tile_totals[stage]")));
$ end
            }
$ end
        }
$ if fills and not balanced then
        // Not as soon as it is posted: who asks while others have hardly posted holds up their posts.
        if (thread_id() == 0u && round < own_tiles) give_signal(SUMMED + round % STAGES);
$ end
    }
    if (thread_id() != 0u) return;
    wait_for_leaves();
    if (tiles.count == 0u && block_id() == 0u) store_carry($(leaves), starting_prefix(params.carry_in));
$ end
}
