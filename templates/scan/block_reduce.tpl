// What one value a thread adds up to, in thread order. The whole block calls it.
$(T) block_reduce($(T) x)
{
    const $(T) inclusive = subgroup_scan(x);
    return block_scan(shuffle(inclusive, LANES - 1u)).total;
}
