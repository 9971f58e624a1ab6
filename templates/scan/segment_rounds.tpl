$ -- The rounds of a block of lookahead.tpl whose segments have one result each: all but the one that began before a tile leave at once, and that one is
$ -- left to who finds out what comes before the tile. No thread waits for what other blocks post.
    Segments coming = load_segments(in_items, range_of(params.scratch, block_id(), tiles));
    Range later = range_of(params.scratch, block_id() + block_count(), tiles);
    for (uint round = 0u; round < own_tiles; round++) {
        const uint tile = block_id() + round * block_count(), stage = round % STAGES;
        const Range range = coming.range;
        const $(Index) start = tile_start(tile, tiles);
        const Places places = mark_segments(in_items, out_items, coming, start, round % 2u);
        coming = load_segments(in_items, later); // of the next tile, on their way during this one
        later = range_of(params.scratch, tile + 2u * block_count(), tiles);
        wait_for_tile(stage, round / STAGES);
        complete_tile(stage, in_items, tile, tiles);
        block_barrier();
        clear_begins((round + 1u) % 2u); // which have been read
        const uint refilled = round - 1u + STAGES; // its stage has been free since the block met
        if (thread_id() == 0u && round > 0u && refilled < own_tiles) fill_with_tile(refilled % STAGES, in_items, block_id() + refilled * block_count(), tiles);
        const Items own = load_own(stage, in_items, tile, tiles);
        const TileSum sum = sum_tile(own, tile, tiles, round % 2u);
        if (thread_id() == 0u) publish_aggregate(posts, tile, tag, round == 0u ? $(join("first_prefix", "sum.total")) : sum.total);
$ if SUBGROUPS == 1 then
        block_barrier(); // sums take the place of items; a block of several subgroups meets when it scans their totals
$ end
        part_tile(stage, own, tile, tiles, round % 2u, sum.before);
        ready_stage();
        block_barrier();
        leave_parts(stage, in_items, out_items, range, places, start);
        if (thread_id() == 0u) {
            if (round >= STAGES) wait_for_signal(PRECEDED + stage, round / STAGES - 1u); // what stood there has been read
            open_part(stage, range, places);
            tile_totals[stage] = sum.total;
            give_signal(SUMMED + stage);
        }
    }
