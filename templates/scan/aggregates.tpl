$ -- The aggregates of a launch's blocks in the scratch, for the next launch: the starting prefix, then a block each.
$(buffer("Aggregates", T, 16))

const uint AGGREGATES_OFFSET = $(aggregates_offset)u; // bytes, in the scratch

Aggregates block_aggregates($(Address) scratch)
{
    return Aggregates(address_at(scratch, AGGREGATES_OFFSET));
}
