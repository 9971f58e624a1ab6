$ -- What the launches of an MSD hybrid sort tell each other of its buckets, in the scratch: a bucket has the keys that agree in a window of two
$ -- digits, at most WINDOW_BITS together, the top bits of their image that vary. Uses digits.tpl.
const uint WINDOW_BITS = $(window_bits)u; // of the window, at most
const uint BUCKETS = 1u << WINDOW_BITS; // at most
const uint BUCKET_ITEMS = $(bucket_items)u; // that one block sorts, at most
const uint MEAN_ITEMS = $(mean_bucket_items)u; // of a bucket, at most: of random keys some buckets have more
$ if large_bucket_items > 0 then
const uint LARGE_BUCKET_ITEMS = $(large_bucket_items)u; // the same where keys are more than fill buckets of that size
const uint MOST_MEAN_ITEMS = $(large_mean_bucket_items)u;
$ else
const uint MOST_MEAN_ITEMS = MEAN_ITEMS;
$ end
const uint MOST_TIMES = 4u; // as many keys as the mean bucket and 64, at most
const uint FEWEST_WINDOW_BITS = $(math.max(2, window_bits - 8))u;
const uint COUNTED_BITS = $(counted_bits)u; // of a window whose buckets a block can count at once
const uint BUCKET_COUNTS_OFFSET = $(bucket_counts_offset)u; // bytes, in the scratch: keys[2][BUCKETS]; sorts take turns with the two
const uint BUCKET_STARTS_OFFSET = $(bucket_starts_offset)u; // places[BUCKETS + 1]
const uint BUCKET_TOTALS_OFFSET = $(bucket_totals_offset)u; // the words below
const uint LARGEST = 0u; // keys of the bucket that has most
const uint TOO_LARGE = 0xffffffffu; // there, where buckets have not been counted
const uint COUNTED = 1u; // keys in all buckets: fewer than n where a block's counter has overflowed, or keys differ above the window
const uint LISTED = 2u; // groups of buckets that are left to sort_listed
const uint IS_SKEWED = 3u; // 1: a sample was enough to tell, and digits have been counted, not buckets
const uint WINDOW_END = 4u; // the bit behind the window: all keys that are counted agree from it on
const uint LOWEST = 5u; // for keys of a word the bits that all keys share from the window's end on, else 0
$ assert(bucket_totals == 6) -- those words

$(buffer("BucketCounts", "uint", 4))

$(buffer("BucketStarts", "uint", 4))

$(buffer("BucketTotals", "uint", 4))

$ include "bits"

// Bits of the window: as few as make buckets that a block can sort.
uint window_bits_of($(Index) n)
{
    const uint bits = bit_width(uint(n / (MEAN_ITEMS + 1u)));
    return bits < FEWEST_WINDOW_BITS ? FEWEST_WINDOW_BITS : min(bits, WINDOW_BITS);
}

// Of n keys: those of a bucket that a block sorts, at most.
uint most_bucket_items($(Index) n)
{
    return $(large_bucket_items > 0 and "n >> WINDOW_BITS > MEAN_ITEMS ? LARGE_BUCKET_ITEMS : BUCKET_ITEMS" or "BUCKET_ITEMS");
}

// Of a bucket, where keys are partitioned. Of few keys a bucket that has many more than others has few different ones, which a block sorts digit by
// digit; passes are faster.
uint most_partitioned_items($(Index) n)
{
    return min(most_bucket_items(n), MOST_TIMES * (uint(n >> window_bits_of(n)) + 64u));
}

uint window_end($(Address) scratch)
{
    return BucketTotals(address_at(scratch, BUCKET_TOTALS_OFFSET)).at[WINDOW_END];
}

const uint ALONE = 0x8000u; // added to the argument of launches of a sort whose keys are not partitioned, whatever they are

// Whether keys are partitioned into buckets, and these sorted each in a block. Else the sort takes a pass a digit, as Onesweep does.
bool is_partitioned($(Address) scratch, $(Index) n, uint argument)
{
    if ((argument & ALONE) != 0u) return false;
    BucketTotals totals = BucketTotals(address_at(scratch, BUCKET_TOTALS_OFFSET));
    return totals.at[LARGEST] <= most_partitioned_items(n) && totals.at[COUNTED] == n;
}

// Whether the first launches have counted digits and scanned them, in the place of buckets.
bool is_skewed_by_sample($(Address) scratch)
{
    return BucketTotals(address_at(scratch, BUCKET_TOTALS_OFFSET)).at[IS_SKEWED] != 0u;
}
