$ -- Lines of a pass's kernel, behind those of pass_keys: which digit it sorts by, whether it runs, where its keys come from.
$ if joins_passes then
    if ((running >> pass & 1u) == 0u) continue;
    const Route route = route_of(params.argument, index, count);
$ elseif is_partition_pass then
    const uint pass = params.argument % $(pass_numbers);
    const uint window_bits = window_bits_of(n);
    const Route route = route_of_partition(params.argument, window_bits);
    if (!route.runs) return;
$ if lets_next_begin then
    let_next_launch_begin();
$ end
$ else
    const uint pass = params.argument % $(pass_numbers);
    const Route route = route_of(params.scratch, params.argument);
    if (!route.runs) return;
$ end
    const Digit digit = $(is_partition_pass and "half_of_window(window_bits, window_end(params.scratch), pass)" or "digit_of_pass(pass)");
    const $(Address) keys_in = route.is_first ? params.buffers[0] : route.to_outputs ? spares.keys : keys_out_or_spare;
