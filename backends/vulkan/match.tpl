$ -- Lanes of a subgroup that have the same digit.
struct Peers {
    uint before; // of them, lanes before this one
    uint last;   // lane
};

$ if SUBGROUP == 1 then
$ include "sort/match_shared"
$ elseif LANES <= 32 then
// All lanes of the subgroup call it.
Peers match_digit(uint digit)
{
    uint lanes = subgroupBallot(true).x;
    UNROLL for (uint bit = 0u; bit < DIGIT_BITS; bit++) {
        const bool is_set = (digit & 1u << bit) != 0u;
        lanes &= subgroupBallot(is_set).x ^ (is_set ? 0u : 0xffffffffu);
    }
    Peers peers;
    peers.before = uint(bitCount(lanes & gl_SubgroupLtMask.x));
    peers.last = uint(findMSB(lanes));
    return peers;
}
$ else
// All lanes of the subgroup call it.
Peers match_digit(uint digit)
{
    uvec4 lanes = subgroupBallot(true);
    UNROLL for (uint bit = 0u; bit < DIGIT_BITS; bit++) {
        const bool is_set = (digit & 1u << bit) != 0u;
        lanes &= subgroupBallot(is_set) ^ uvec4(is_set ? 0u : 0xffffffffu);
    }
    Peers peers;
    peers.before = subgroupBallotExclusiveBitCount(lanes);
    peers.last = subgroupBallotFindMSB(lanes);
    return peers;
}
$ end
