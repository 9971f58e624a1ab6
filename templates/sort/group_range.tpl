$ -- Lines of a kernel that sorts groups of buckets: the buckets of one, and its items.
    const uint first_bucket = are_merged ? first_buckets.at[group] : group;
    const uint end_bucket = !are_merged ? group + 1u : group + 1u < groups ? first_buckets.at[group + 1u] : buckets;
    const uint start = bucket_starts.at[first_bucket];
    const uint items = bucket_starts.at[end_bucket] - start;
