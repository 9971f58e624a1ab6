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
    // Bit by bit the lanes that have the same one. In this form ptxas tests seven bits by one instruction, and NVVM has one to look at.
    uint lanes = ALL_LANES;
    asm("{.reg .pred is_set; .reg .b32 masked, same; "
$ for bit = 0, digit_bits - 1 do
        "and.b32 masked, %1, $(1 << bit); setp.ne.u32 is_set, masked, 0; "
        "vote.sync.ballot.b32 same, is_set, 0xffffffff; @!is_set not.b32 same, same; and.b32 %0, %0, same; "
$ end
        "}" : "+r"(lanes) : "r"(digit));
    Peers peers;
    peers.before = (uint)__popc(lanes & ((1u << lane_id()) - 1u));
    peers.last = 31u - (uint)__clz(lanes);
    return peers;
}
$ end
