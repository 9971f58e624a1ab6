$ -- Lines of a pass's kernel: which digit it sorts by, whether it runs, where its keys come from.
$ if is_partition_pass then
    if (!is_partitioned(params.scratch, n, params.argument)) return;
    const uint window_bits = window_bits_of(n);
    const Route route = route_of_partition(params.argument, window_bits);
$ else
$ if is_hybrid then
    if (is_partitioned(params.scratch, n, params.argument)) return;
$ end
    const Route route = route_of(params.scratch, params.argument);
$ end
    if (!route.runs$(may_lack_keys and "" or (" || !is_given(params.buffers[%d])"):format(keys_out_index))) return;
$ if skips_passes then
    if (!has_room(params.scratch, tile_count($(launch_n)), params.argument >= PING_PONG)) return;
$ end
$ if is_partition_pass then
    const Digit digit = half_of_window(window_bits, window_end(params.scratch), params.argument % $(pass_numbers));
$ else
    const Digit digit = digit_of_pass(params.argument % $(pass_numbers));
$ end
    $(can_ping_pong and "" or "const ")Spares spares = spares_of(params.scratch, $(launch_n));
$ if can_ping_pong then
    if (params.argument >= PING_PONG) {
        spares.keys = params.buffers[0];
$ if value then
        spares.values = params.buffers[$(values_index)];
$ end
    }
$ end
$ if may_lack_keys then
    const $(Address) keys_out_or_spare = is_given(params.buffers[$(keys_out_index)]) ? params.buffers[$(keys_out_index)] : spares.more_keys;
$ else
    const $(Address) keys_out_or_spare = params.buffers[$(keys_out_index)];
$ end
    const $(Address) keys_in = route.is_first ? params.buffers[0] : route.to_outputs ? spares.keys : keys_out_or_spare;
