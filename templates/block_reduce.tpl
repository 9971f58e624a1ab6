// What one value a thread adds up to, in thread order. The whole block calls it.
$(T) block_reduce($(T) x)
{
    const $(T) lanes = subgroup_scan(x);
    return block_scan(shuffle(lanes, LANES - 1u)).total;
}
