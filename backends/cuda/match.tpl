$ -- Lanes of a subgroup that have the same digit.
struct Peers {
    uint before; // of them, lanes before this one
    uint last;   // lane
};

$ if SUBGROUP == 1 then
$ include "sort/match_shared"
$ else
// All lanes of the subgroup call it.
Peers match_digit(uint digit)
{
    uint lanes = ALL_LANES;
    UNROLL for (uint bit = 0u; bit < DIGIT_BITS; bit++) {
        // The lanes that have the same bit. In this form the compiler tests seven bits by one instruction.
        uint same;
        asm("{.reg .pred is_set; .reg .b32 masked; and.b32 masked, %1, %2; setp.ne.u32 is_set, masked, 0; "
            "vote.sync.ballot.b32 %0, is_set, 0xffffffff; @!is_set not.b32 %0, %0;}" : "=r"(same) : "r"(digit), "r"(1u << bit));
        lanes &= same;
    }
    Peers peers;
    peers.before = (uint)__popc(lanes & ((1u << lane_id()) - 1u));
    peers.last = 31u - (uint)__clz(lanes);
    return peers;
}
$ end
