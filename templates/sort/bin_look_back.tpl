$ -- Lines of a pass's kernel: what the tiles before this one have of every bin, in look.
        LookBack look$(bins_each);
$ enclosed(bins_loop, function()
        look$(of_bin).aggregate = 0u;
        look$(of_bin).bin = bin;
        look$(of_bin).end = $(is_bin and is_bin .. " ? tile : 0u" or "tile");
        look$(of_bin).missing = NO_TILE;
$ end)
$ if fallback then
        uint missing = 0u;
        do {
            if (thread_id() == 0u) missing_tiles = 0u;
            block_barrier();
$ enclosed(bins_loop, function()
            look$(of_bin) = look_back(posts, tag, look$(of_bin));
            if (look$(of_bin).missing != NO_TILE) $(shared_max("missing_tiles", "look" .. of_bin .. ".missing + 1u"));
            $(if_bin)missing_counts[bin] = 0u;
$ end)
            block_barrier();
            missing = missing_tiles;
            if (missing != 0u) {
                // Its block may not run before this one ends: count its digits in its place, and post that.
                for (uint row = 0u; row < ROWS; row++) {
                    const $(Key) key = $(op_map and "mapped_key_at(keys_in, route.is_first, " or "key_at(keys_in, ")$(Index)(missing - 1u) * TILE, row * BLOCK + thread_id());
                    $(shared_add("missing_counts[digit_of(key, digit)]", "1u"));
                }
                block_barrier();
$ enclosed(bins_loop, function()
$ enclosed(is_bin and "if (bin < BINS) {", function()
                if (missing == 1u) publish_prefix(posts, bin, tag, missing_counts[bin]);
                if (missing > 1u) publish_missing(posts, (missing - 1u) * BINS + bin, tag, missing_counts[bin]);
$ end)
$ end)
                block_barrier();
            }
        } while (missing != 0u);
$ else
        $(for_bins)look$(of_bin) = look_back(posts, tag, look$(of_bin));
$ end
