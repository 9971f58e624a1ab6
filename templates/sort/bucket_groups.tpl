$ -- Groups of neighbouring buckets, which a block sorts together: where all buckets are small, those that begin in the same group_items(n) places, else
$ -- each by itself.
const uint BUCKET_GROUPS_OFFSET = $(bucket_groups_offset)u; // bytes, in the scratch: the first bucket of each group, [BUCKETS + 1]
const uint LISTED_GROUPS_OFFSET = $(listed_groups_offset)u; // groups[BUCKETS]

$(buffer("BucketGroups", "uint", 4))

// With a bucket of random keys more, a group is what a block sorts at most. Half of that at least, so that there are no more groups than buckets.
uint group_items($(Index) n)
{
    const uint bucket = uint(n >> window_bits_of(n));
    const uint most = most_bucket_items(n);
    const uint largest = bucket + bucket / 4u + most / 64u;
    return largest < most / 2u ? most - largest : most - most / 2u;
}
