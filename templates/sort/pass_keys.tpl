$ -- Lines of a pass's kernel: whether keys are sorted in this way, and where they may lie.
$ if is_partition_pass then
    if (!is_partitioned(params.scratch, n, params.argument)) return;
$ elseif is_hybrid then
    if (is_partitioned(params.scratch, n, params.argument)) return;
$ end
$ if not may_lack_keys then
    if (!is_given(params.buffers[$(keys_out_index)])) return;
$ end
$ if skips_passes then
    if (!has_room(params.scratch, tile_count($(launch_n)), params.argument >= PING_PONG)) return;
$ end
    $(can_ping_pong and "" or "const ")Spares spares = $(spares);
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
