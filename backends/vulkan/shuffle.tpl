$ -- Values of other lanes, by subgroup operations.
// The value of another lane. All lanes of the subgroup call it.
$(T) shuffle$(of)($(T) x, uint lane)
{
    return $(shuffled("x", "subgroupShuffle(%s, lane)"));
}

// The value of the lane `distance` before; any value where there is none.
$(T) shuffle_up$(of)($(T) x, uint distance)
{
    return $(shuffled("x", "subgroupShuffleUp(%s, distance)"));
}
$ if has_votes then

// The last lane for which p holds, or LANES. All lanes of the subgroup call it.
uint last_lane(bool p)
{
    const uvec4 lanes = subgroupBallot(p);
    return lanes == uvec4(0u) ? LANES : subgroupBallotFindMSB(lanes);
}

// The last lane before this one for which p holds, or LANES. All lanes of the subgroup call it.
uint last_lane_before(bool p)
{
    const uvec4 lanes = subgroupBallot(p) & gl_SubgroupLtMask;
    return lanes == uvec4(0u) ? LANES : subgroupBallotFindMSB(lanes);
}
$ end
$ if by_groups or chunk_items then

// The same of numbers.
uint shuffle_uint(uint x, uint lane)
{
    return subgroupShuffle(x, lane);
}

uint shuffle_uint_up(uint x, uint distance)
{
    return subgroupShuffleUp(x, distance);
}
$ end
