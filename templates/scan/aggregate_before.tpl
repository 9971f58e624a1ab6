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
