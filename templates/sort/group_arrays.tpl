$ -- Lines of a kernel that sorts groups of buckets: whether it runs, where partition passes have left keys and values, where they go.
    const $(Index) n = element_count(params.n, params.n_address);
    if (!is_partitioned(params.scratch, n, params.argument)$(may_lack_keys and "" or (" || !is_given(params.buffers[%d])"):format(keys_out_index))) return;
    if (!has_room(params.scratch, pass_tile_count($(launch_n)), params.argument >= PING_PONG)) return;
$ if can_ping_pong then
    const bool is_ping_pong = params.argument >= PING_PONG;
$ end
    const uint window_bits = window_bits_of(n);
    const bool is_between = is_one_digit(window_bits); // where the first partition pass has left them
    const Spares spares = $(spares);
$ local function choice(there, here) return can_ping_pong and ("(is_ping_pong ? %s : %s)"):format(there, here) or here end
$ local function result(there, here) return ends_in_inputs == 1 and choice(there, here) or here end
$ local function left(array, index, there, here)
$     return ("is_between ? %s : %s"):format(choice(("params.buffers[%d]"):format(index), "spares." .. array), choice(there, here))
$ end
    const $(Address) keys_to = $(result("params.buffers[0]", ("params.buffers[%d]"):format(keys_out_index)));
$ if may_lack_keys then
    const $(Address) keys_out_or_spare = is_given(params.buffers[$(keys_out_index)]) ? params.buffers[$(keys_out_index)] : spares.more_keys;
    const $(Address) keys_from = $(left("keys", keys_out_index, "params.buffers[0]", "keys_out_or_spare"));
$ end
$ if takes_value then
    const $(Address) values_out_or_spare = is_given(params.buffers[$(values_out_index)]) ? params.buffers[$(values_out_index)] : spares.more_values;
    const $(Address) values_from = $(left("values", values_out_index, "params.buffers[0]", "values_out_or_spare"));
$ elseif value then
    const $(Address) values_from = $(left("values", values_out_index, ("params.buffers[%d]"):format(can_ping_pong and values_index or 0), ("params.buffers[%d]"):format(values_out_index)));
$ end
$ if value then
    const $(Address) values_to = $(result(("params.buffers[%d]"):format(can_ping_pong and values_index or 0), ("params.buffers[%d]"):format(values_out_index)));
$ end
$ if not may_lack_keys then
    const $(Address) keys_from = $(left("keys", keys_out_index, "params.buffers[0]", ("params.buffers[%d]"):format(keys_out_index)));
$ end
$ if results then
    Results results = $(results.value);
    const bool stores_results = $(results.is_given);
$ end
    BucketStarts bucket_starts = BucketStarts(address_at(params.scratch, BUCKET_STARTS_OFFSET));
    BucketTotals totals = BucketTotals(address_at(params.scratch, BUCKET_TOTALS_OFFSET));
    BucketGroups first_buckets = BucketGroups(address_at(params.scratch, BUCKET_GROUPS_OFFSET));
    BucketGroups listed_groups = BucketGroups(address_at(params.scratch, LISTED_GROUPS_OFFSET));
    const uint merged_items = group_items(n);
    const bool are_merged = totals.at[LARGEST] <= most_bucket_items(n) - merged_items;
    const uint buckets = 1u << window_bits;
    const uint groups = are_merged ? uint(n / merged_items) + 1u : buckets;
