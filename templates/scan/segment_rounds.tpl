$ -- The rounds of a block of lookahead.tpl whose segments have one result each. All leave at once but those with items of several subgroups, which
$ -- are left to one more subgroup (total_tiles.tpl), and the one that began before the tile, which is left to who finds out what comes before. No
$ -- thread here waits for what other blocks post, and the block meets once a round.
    const Firsts firsts = segment_firsts(params.scratch, tiles.count);
    Range range = range_of(firsts, block_id(), tiles), later = range_of(firsts, block_id() + block_count(), tiles);
    Places places = mark_segments(in_items, out_items, load_segments(in_items, range), tile_start(block_id(), tiles), 0u, 0u);
    Segments coming = load_segments(in_items, later); // of the next tile, on their way during this one
    later = range_of(firsts, block_id() + 2u * block_count(), tiles);
    block_barrier();
    for (uint round = 0u; round < own_tiles; round++) {
        const uint tile = block_id() + round * block_count(), stage = round % STAGES;
        wait_for_tile(stage, round / STAGES);
        complete_tile(stage, in_items, tile, tiles);
        sum_tile(stage, in_items, tile, tiles, round % 3u);
        const Places next = mark_segments(in_items, out_items, coming, tile_start(tile + block_count(), tiles), (round + 1u) % 3u, (round + 1u) % TURNS);
        ready_stage();
        block_barrier();
        if (thread_id() == 0u) give_signal(FREED + stage);
        clear_begins(round % 3u); // which have been read
        leave_parts(stage, in_items, out_items, range, places, tile_start(tile, tiles));
        range = coming.range;
        places = next;
        coming = load_segments(in_items, later);
        later = range_of(firsts, tile + 3u * block_count(), tiles);
    }
