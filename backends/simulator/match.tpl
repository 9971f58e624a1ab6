$ -- Lanes of a subgroup that have the same digit.
struct Peers {
    uint before; // of them, lanes before this one
    uint last;   // lane
};

$ if SUBGROUP == 1 then
$ include "sort/match_shared"
$ else
// All lanes of the subgroup call it, on one line.
Peers match_digit_at(int line, uint digit)
{
    uint lanes[4], set[4];
    ms_machine_running->ballot(line, 1, lanes);
    for (uint bit = 0u; bit < DIGIT_BITS; bit++) {
        const bool is_set = (digit >> bit & 1u) != 0u;
        ms_machine_running->ballot(line, is_set, set);
        for (uint w = 0u; w < 4u; w++) lanes[w] &= is_set ? set[w] : ~set[w];
    }
    Peers peers;
    peers.before = 0u;
    peers.last = 0u;
    for (uint lane = 0u; lane < LANES; lane++) {
        if ((lanes[lane / 32u] >> lane % 32u & 1u) != 0u) {
            peers.before += lane < lane_id();
            peers.last = lane;
        }
    }
    return peers;
}

#define match_digit(digit) match_digit_at(__LINE__, digit)
$ end
