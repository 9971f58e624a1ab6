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
    // Bit by bit the lanes that have the same one, three numbers put together by one instruction. In this form ptxas tests seven bits by one, too, and
    // NVVM has one to look at.
    uint lanes;
$ local function same_as(register, bit)
$     return ("and.b32 masked, %%1, %d; setp.ne.u32 is_set, masked, 0; vote.sync.ballot.b32 %s, is_set, 0xffffffff; @!is_set not.b32 %s, %s; ")
$         :format(1 << bit, register, register, register)
$ end
    asm("{.reg .pred is_set; .reg .b32 masked, same, too; "
        "$(same_as("%0", 0))"
$ for bit = 1, digit_bits - 1, 2 do
        "$(same_as("same", bit))"
$ if bit + 1 < digit_bits then
        "$(same_as("too", bit + 1))lop3.b32 %0, %0, same, too, 0x80; "
$ else
        "and.b32 %0, %0, same; "
$ end
$ end
        "}" : "=&r"(lanes) : "r"(digit));
    Peers peers;
    peers.before = (uint)__popc(lanes & ((1u << lane_id()) - 1u));
    peers.last = 31u - (uint)__clz(lanes);
    return peers;
}
$ end
