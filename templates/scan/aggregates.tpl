$ -- The aggregates of a launch's blocks in the scratch, for the next launch: the starting prefix, then a block each.
$ -- balanced: of the blocks that own as many tiles as any, and between them, of the last, what its blocks of 2^k items add up to.
$(buffer("Aggregates", T, 16))

const uint AGGREGATES_OFFSET = $(aggregates_offset)u; // bytes, in the scratch

$ if balanced then
const uint TAILS = $(Index == "uint" and 32 or 64)u; // k is less
$ end

Aggregates block_aggregates($(Address) scratch)
{
    return Aggregates(address_at(scratch, AGGREGATES_OFFSET));
}
$ if recounts then

// The same of what is kept.
Aggregates block_counts($(Address) scratch)
{
    return Aggregates(address_at(scratch, $(counts_offset)u));
}
$ end
