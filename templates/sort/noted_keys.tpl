$ -- Lines of a kernel that runs after clear_old_keys: where the keys of this sort will end in the scratch.
    if (block_id() == 0u && thread_id() == 0u) {
        KeysEnd keys_end = KeysEnd(address_at(params.scratch, KEYS_END_OFFSET));
        const bool is_ping_pong = params.argument >= PING_PONG;
        const $(Index) bound = $(launch_n), there = keys_end.at[0];
        const $(Index) end = is_ping_pong ? first_post_unit(params.scratch, bound) : units_before(tiles_of(bound), TILE_KEY_UNITS);
        if (is_ping_pong ? end < there : end > there) keys_end.at[0] = end;
    }
