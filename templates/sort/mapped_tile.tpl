$ -- Lines of a pass that is the last, and stores what maps make of keys and values: keys in their order stay in registers until values come, which
$ -- have no room there before.
        if (stores_results) {
            $(Key) sorted_keys[ROWS];
            UNROLL for (uint row = 0u; row < ROWS; row++) sorted_keys[row] = load_exchanged_key(row * BLOCK + thread_id());
            if (moves_keys) {
                UNROLL for (uint row = 0u; row < ROWS; row++) {
                    const uint rank = row * BLOCK + thread_id();
                    if (rank - end >= repeats) store_key(Keys(keys_out), bin_places[digit_of(sorted_keys[row], digit)] + rank, sorted_keys[row]);
                }
            }
            block_barrier();
            UNROLL for (uint first = 0u; first < ROWS; first += STORE_ROWS) {
                $(Value) moved[STORE_ROWS];
$ local tile_value = ("load_value(Values(address_after(values_in, start, %du)), min(row_place(first + r), last))"):format(value.size)
                UNROLL for (uint r = 0u; r < STORE_ROWS; r++) moved[r] = $(gives_index and ("route.is_first ? %s : "):format(index_value("start + row_place(first + r)")) or "")$(tile_value);
                subgroup_barrier();
                UNROLL for (uint r = 0u; r < STORE_ROWS; r++) store_exchanged_value(rank_of(ranks, first + r), moved[r]);
            }
            block_barrier();
            UNROLL for (uint first = 0u; first < ROWS; first += STORE_ROWS) {
                $(Value) moved[STORE_ROWS];
                UNROLL for (uint r = 0u; r < STORE_ROWS; r++) moved[r] = load_exchanged_value((first + r) * BLOCK + thread_id());
                subgroup_barrier();
                UNROLL for (uint r = 0u; r < STORE_ROWS; r++) {
                    const uint rank = (first + r) * BLOCK + thread_id();
                    const $(Count) place = bin_places[digit_of(sorted_keys[first + r], digit)] + rank;
                    if (rank - end >= repeats) {
                        if (moves_values) store_value(Values(values_out), place, moved[r]);
                        store_result(results, place, $(result("sorted_keys[first + r]", "moved[r]", "place")));
                    }
                }
            }
        }
