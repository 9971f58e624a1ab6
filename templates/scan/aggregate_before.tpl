$ if balanced then
$(shared(T, "aggregate_before"))
$(shared(T, "aggregate_through"))

// The ends of aggregate `place`, which may be the first that is not there; the whole block calls it. count: of aggregates.
Ends aggregate_ends(Aggregates aggregates, uint place, uint count)
{
    Ends ends;
    $(T) before = aggregates.at[0];
    for (uint chunk = 0u; chunk <= place / BLOCK; chunk++) {
        const uint own = chunk * BLOCK + thread_id();
        $(T) x = identity();
        if (own < count) x = aggregates.at[1u + TAILS + own];
        x = subgroup_up(x, LANES);
        const BlockScan block = block_scan(shuffle(x, LANES - 1u));
        ends = grow(chunk, before, block.total);
        before = ends.through;
        if (chunk == place / BLOCK) {
            ends = subgroup_ends(block, ends);
            x = subgroup_down(x, ends, LANES);
            before = shuffle_up(x, 1u);
            if (lane_id() == 0u) before = ends.before;
            if (own == place) {
                aggregate_before = before;
                aggregate_through = x;
            }
        }
    }
    block_barrier();
    ends.before = aggregate_before;
    ends.through = aggregate_through;
    return ends;
}
$ else
// What comes before this block: the starting prefix and the blocks before it.
$(T) aggregate_before(Aggregates aggregates)
{
    $(T) before = identity();
    for (uint first = 0u; first <= block_id(); first += BLOCK) {
        $(T) x = identity();
        if (first + thread_id() <= block_id()) x = aggregates.at[first + thread_id()];
        const $(T) more = block_reduce(x);
        before = $(join("before", "more"));
    }
    return before;
}
$ end
