$ -- Values of other lanes, by subgroup operations.
// The value of another lane. All lanes of the subgroup call it.
$(T) shuffle$(of)($(T) x, uint lane)
{
    return $(shuffled("x", "__shfl_sync(ALL_LANES, %s, lane)"));
}

// The value of the lane `distance` before; any value where there is none.
$(T) shuffle_up$(of)($(T) x, uint distance)
{
    return $(shuffled("x", "__shfl_up_sync(ALL_LANES, %s, distance)"));
}
$ if has_votes then

// The last lane for which p holds, or LANES. All lanes of the subgroup call it.
uint last_lane(bool p)
{
    const uint lanes = __ballot_sync(ALL_LANES, p);
    return lanes == 0u ? LANES : 31u - (uint)__clz(lanes);
}

// The last lane before this one for which p holds, or LANES. All lanes of the subgroup call it.
uint last_lane_before(bool p)
{
    const uint lanes = __ballot_sync(ALL_LANES, p) & ((1u << lane_id()) - 1u);
    return lanes == 0u ? LANES : 31u - (uint)__clz(lanes);
}
$ end
$ if by_groups or chunk_items then

// The same of numbers.
uint shuffle_uint(uint x, uint lane)
{
    return __shfl_sync(ALL_LANES, x, lane);
}

uint shuffle_uint_up(uint x, uint distance)
{
    return __shfl_up_sync(ALL_LANES, x, distance);
}
$ end
