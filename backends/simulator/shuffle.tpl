$ -- Values of other lanes. All lanes of the subgroup call these words on one line of the kernel.
$(T) shuffle$(of)_at(int line, $(T) x, uint lane)
{
    $(T) other;
    ms_machine_running->shuffle(line, &x, &other, sizeof x, lane);
    return other;
}

$ if by_groups or chunk_items then
uint shuffle_uint_at(int line, uint x, uint lane)
{
    uint other;
    ms_machine_running->shuffle(line, &x, &other, sizeof x, lane);
    return other;
}

// The value of another lane, and of the lane `distance` before, of numbers.
#define shuffle_uint(x, lane) shuffle_uint_at(__LINE__, x, lane)
#define shuffle_uint_up(x, distance) shuffle_uint_at(__LINE__, x, lane_id() - (distance))

$ end
// The value of another lane.
#define shuffle$(of)(x, lane) shuffle$(of)_at(__LINE__, x, lane)
// The value of the lane `distance` before; any value where there is none.
#define shuffle_up$(of)(x, distance) shuffle$(of)_at(__LINE__, x, lane_id() - (distance))
$ if has_votes then

uint last_lane_at(int line, bool p, uint end)
{
    uint words[4], last = LANES;
    ms_machine_running->ballot(line, p, words);
    for (uint lane = 0u; lane < end; lane++) {
        if (words[lane / 32u] >> lane % 32u & 1u) last = lane;
    }
    return last;
}

// The last lane for which p holds, or LANES; the last before this one.
#define last_lane(p) last_lane_at(__LINE__, p, LANES)
#define last_lane_before(p) last_lane_at(__LINE__, p, lane_id())
$ end
