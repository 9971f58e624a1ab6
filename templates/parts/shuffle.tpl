$ -- Values of other lanes: shuffle(x, lane), shuffle_up(x, distance) and last_lane(p): the backend's own, or without subgroup operations through
$ -- shared memory.
$ if SUBGROUP > 1 then
$ include "shuffle"
$ else
$(shared(T, "exchange" .. of, "BLOCK"))

// The value of another lane. The whole block calls it.
$(T) shuffle$(of)($(T) x, uint lane)
{
    exchange$(of)[lane_id()] = x;
    block_barrier();
    const $(T) other = exchange$(of)[lane & (LANES - 1u)];
    block_barrier();
    return other;
}

// The value of the lane `distance` before; any value where there is none.
$(T) shuffle_up$(of)($(T) x, uint distance)
{
    return shuffle$(of)(x, lane_id() - distance);
}

$ if has_votes then
$(shared("uint", "votes"))

// The last lane for which p holds, or LANES. The whole block calls it.
uint last_lane(bool p)
{
    if (lane_id() == 0u) votes = 0u;
    block_barrier();
    if (p) $(shared_max("votes", "lane_id() + 1u"));
    block_barrier();
    const uint last = votes;
    block_barrier();
    return last == 0u ? LANES : last - 1u;
}
$ end
$ end
