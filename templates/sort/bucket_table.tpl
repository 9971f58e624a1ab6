$ -- What the launches of an MSD hybrid sort tell each other of its buckets, in the scratch: a bucket has the keys that agree in a window of two
$ -- digits, the top bits of their image. Uses digits.tpl.
const uint BUCKETS = BINS * BINS;
const uint BUCKET_ITEMS = $(bucket_items)u; // that one block sorts, at most
const uint BUCKET_COUNTS_OFFSET = $(bucket_counts_offset)u; // bytes, in the scratch: keys[2][BUCKETS]; sorts take turns with the two
const uint BUCKET_STARTS_OFFSET = $(bucket_starts_offset)u; // places[BUCKETS + 1]
const uint BUCKET_TOTALS_OFFSET = $(bucket_totals_offset)u; // the four below
const uint LARGEST = 0u; // keys of the bucket that has most
const uint TOO_LARGE = 0xffffffffu; // there, where buckets have not been counted
const uint COUNTED = 1u; // keys in all buckets: fewer than n where a block's counter has overflowed
const uint LISTED = 2u; // groups of buckets that are left to sort_listed
const uint IS_SKEWED = 3u; // 1: a sample was enough to tell, and buckets have not been counted

$(buffer("BucketCounts", "uint", 4))

$(buffer("BucketStarts", "uint", 4))

$(buffer("BucketTotals", "uint", 4))

const uint ALONE = 0x8000u; // added to the argument of launches of a sort whose keys are not partitioned, whatever they are

// Whether keys are partitioned into buckets, and these sorted each in a block. Else the sort takes a pass a digit, as Onesweep does.
bool is_partitioned($(Address) scratch, $(Index) n, uint argument)
{
    if ((argument & ALONE) != 0u) return false;
    BucketTotals totals = BucketTotals(address_at(scratch, BUCKET_TOTALS_OFFSET));
    return totals.at[LARGEST] <= BUCKET_ITEMS && totals.at[COUNTED] == n;
}
