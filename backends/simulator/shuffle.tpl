$ -- Values of other lanes. All lanes of the subgroup call these words on one line of the kernel.
$(T) shuffle_at(int line, $(T) x, uint lane)
{
    $(T) other;
    ms_machine_running->shuffle(line, &x, &other, sizeof x, lane);
    return other;
}

// The value of another lane.
#define shuffle(x, lane) shuffle_at(__LINE__, x, lane)
// The value of the lane `distance` before; any value where there is none.
#define shuffle_up(x, distance) shuffle_at(__LINE__, x, lane_id() - (distance))

uint last_lane_at(int line, bool p)
{
    uint words[4];
    ms_machine_running->ballot(line, p, words);
    for (uint w = 4u; w > 0u; w--) {
        if (words[w - 1u] != 0u) return 32u * w - 1u - (uint)__builtin_clz(words[w - 1u]);
    }
    return LANES;
}

// The last lane for which p holds, or LANES.
#define last_lane(p) last_lane_at(__LINE__, p)
