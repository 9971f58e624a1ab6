$ -- Exclusive scan of one value a thread over the block.
// What comes before a thread in its block. The whole block calls it.
$(T) thread_scan($(T) x)
{
    const $(T) inclusive = subgroup_scan(x);
    const BlockScan block = block_scan(shuffle(inclusive, LANES - 1u));
    const $(T) earlier = subgroup_shift(inclusive);
    return $(join("block.before", "earlier"));
}
