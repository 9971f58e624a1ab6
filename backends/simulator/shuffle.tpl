$ -- Values of other lanes: shuffle(x, lane) and shuffle_up(x, distance); without subgroup operations through shared memory.
$ if SUBGROUP == 1 then
$(shared(T, "exchange", "BLOCK"))

// The value of another lane. The whole block calls it.
$(T) shuffle($(T) x, uint lane)
{
    exchange[lane_id()] = x;
    block_barrier();
    const $(T) other = exchange[lane & (LANES - 1u)];
    block_barrier();
    return other;
}

#define shuffle_at(line, x, lane) shuffle(x, lane)
$ else
// The value of another lane. All lanes of the subgroup call it, on one line.
$(T) shuffle_at(int line, $(T) x, uint lane)
{
    $(T) other;
    ms_machine_running->shuffle(line, &x, &other, sizeof x, lane);
    return other;
}

#define shuffle(x, lane) shuffle_at(__LINE__, x, lane)
$ end

// The value of the lane `distance` before; any value where there is none.
#define shuffle_up(x, distance) shuffle_at(__LINE__, x, lane_id() - (distance))

$ if SUBGROUP == 1 then
$(shared("uint", "votes", 1))

// The last lane for which p holds, or LANES. The whole block calls it.
uint last_lane(bool p)
{
    if (lane_id() == 0u) votes[0] = 0u;
    block_barrier();
    if (p) ms_machine_running->update(__LINE__, (u64)&votes[0], 4u, MS_MAX, lane_id() + 1u, 0u, MS_RELAXED);
    block_barrier();
    const uint last = votes[0];
    block_barrier();
    return last == 0u ? LANES : last - 1u;
}
$ else
// The last lane for which p holds, or LANES. All lanes of the subgroup call it, on one line.
uint last_lane_at(int line, bool p)
{
    uint words[4];
    ms_machine_running->ballot(line, p, words);
    for (uint w = 4u; w > 0u; w--) {
        if (words[w - 1u] != 0u) return 32u * w - 1u - (uint)__builtin_clz(words[w - 1u]);
    }
    return LANES;
}

#define last_lane(p) last_lane_at(__LINE__, p)
$ end
