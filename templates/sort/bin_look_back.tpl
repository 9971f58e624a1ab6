$ -- Lines of a pass's kernel: what the tiles before this one have of every bin, in looks.
        LookBack looks[THREAD_BINS];
        UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
            looks[b].aggregate = 0u;
            looks[b].bin = thread_id() * THREAD_BINS + b;
            looks[b].end = looks[b].bin < BINS ? tile : 0u;
            looks[b].missing = NO_TILE;
        }
$ if fallback then
        uint missing = 0u;
        do {
            if (thread_id() == 0u) missing_tiles = 0u;
            block_barrier();
            UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
                looks[b] = look_back(posts, tag, looks[b]);
                if (looks[b].missing != NO_TILE) $(shared_max("missing_tiles", "looks[b].missing + 1u"));
                if (looks[b].bin < BINS) missing_counts[looks[b].bin] = 0u;
            }
            block_barrier();
            missing = missing_tiles;
            if (missing != 0u) {
                // Its block may not run before this one ends: count its digits in its place, and post that.
                for (uint row = 0u; row < ROWS; row++) {
                    const $(Key) key = key_at(keys_in, $(op_map and "route.is_first, " or "")$(Index)(missing - 1u) * TILE, row * BLOCK + thread_id());
                    $(shared_add("missing_counts[digit_of(key, digit)]", "1u"));
                }
                block_barrier();
                UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
                    const uint bin = looks[b].bin;
                    if (bin < BINS && missing == 1u) publish_prefix(posts, bin, tag, missing_counts[bin]);
                    if (bin < BINS && missing > 1u) publish_missing(posts, (missing - 1u) * BINS + bin, tag, missing_counts[bin]);
                }
                block_barrier();
            }
        } while (missing != 0u);
$ else
        UNROLL for (uint b = 0u; b < THREAD_BINS; b++) looks[b] = look_back(posts, tag, looks[b]);
$ end
