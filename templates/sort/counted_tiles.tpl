$ -- Lines of a kernel that counts keys: all tiles of the block. Told: count(key), a statement; by_item, the text that loads item %s where items are
$ -- read one by one, else false; in_turn, whether groups that were read together are counted by one text, which compilers take half the time for.
$ -- by_share: each of the `shares` units of a group reads the group's tiles and counts one share; groups take tiles by turns. `unit` numbers units,
$ -- group by group; there are block_groups groups.
$ local first_tile, tile_step = by_share and "unit / shares" or "block_id()", by_share and "block_groups" or "block_count()"
$ if by_item then
    for ($(Index) tile = $(first_tile); tile < tiles; tile += $(tile_step)) {
        ROLL for (uint row = 0u; row < ROWS; row++) {
            const $(Index) i = tile * TILE + (row * BLOCK + thread_id());
            if (i < n) $(count(map(by_item:format("i"), "i")))
        }
    }
$ else
    for ($(Index) tile = $(first_tile); tile < tiles; tile += $(tile_step)) {
        const $(Index) start = tile * TILE;
        if (is_aligned && start + TILE <= n) {
            ROLL for (uint least = 0u; least < GROUPS; least += BATCH) {
                const $(Index) first = start + (least * BLOCK + thread_id()) * VECTOR;
                Inputs groups[BATCH];
                UNROLL for (uint g = 0u; g < BATCH; g++) groups[g] = load_full_inputs(in_items, first + g * (BLOCK * VECTOR));
                $(in_turn and "ROLL" or "UNROLL") for (uint g = 0u; g < BATCH; g++) {
                    UNROLL for (uint v = 0u; v < VECTOR; v++) $(count(map(in_turn and "groups[0].at[v]" or "groups[g].at[v]", "first + (g * (BLOCK * VECTOR) + v)")))
$ if in_turn then
                    UNROLL for (uint later = 1u; later < BATCH; later++) groups[later - 1u] = groups[later];
$ end
                }
            }
        } else {
            ROLL for (uint g = 0u; g < GROUPS; g++) {
                const $(Index) first = start + (g * BLOCK + thread_id()) * VECTOR;
                const Inputs group = load_inputs(in_items, first, n);
                UNROLL for (uint v = 0u; v < VECTOR; v++) {
                    if (first + v < n) $(count(map("group.at[v]", "first + v")))
                }
            }
        }
    }
$ end
