$ -- Counts the keys of every bucket, in a read of them; or, where a sample tells that keys are skewed, the digits of all passes. Where a block has
$ -- counters for only some of the buckets (has_shares), several blocks read the same keys, and each counts its share of the buckets.
$ assert(ITEMS % VECTOR == 0 and BLOCK % LANES == 0)
$ include "parts/operators"

$ include "sort/digits"

$ include "parts/counters"

$ include "sort/digit_table"

$ include "sort/bucket_table"

$ if can_ping_pong then
$ include "sort/old_keys"

$ include "sort/clear_old_keys"

$ end
$ include("memory", {array = "In", group = "Inputs", type = input, reads = true, writes = false})

const uint GROUPS = $(ITEMS // VECTOR)u; // of VECTOR items, of a thread and tile
const uint BATCH = $(batch)u; // groups that a thread reads together

// A block's counters: of buckets two to a word, where one that overflows is no loss, since its bucket is too large for a block in any case; or of digits.
$(launch_shared("bucket_words", counter_words .. "u"))

$ include("sort/digit_counts", {digit_words = "bucket_words"})

$ include "sort/bucket_sample"

$ local has_shares = has_shares == 1
$ if has_shares then
const uint SHARE_BUCKETS = 1u << COUNTED_BITS; // buckets that a block counts at a time, at most

// Counts the key if its bucket belongs to the share.
void count_key($(Key) key, Digit window, Prefix prefix, uint share)
{
    const uint bucket = digit_of(key, window) - share * SHARE_BUCKETS;
    const uint one = has_prefix(key, prefix) ? 1u : 0u; // others are not counted, so that fewer than n are
    if (bucket < SHARE_BUCKETS) $(shared_add("bucket_words[bucket / 2u]", "one << (bucket % 2u * 16u)"));
}
$ else
void count_key($(Key) key, Digit window, Prefix prefix)
{
    const uint bucket = digit_of(key, window);
    const uint one = has_prefix(key, prefix) ? 1u : 0u; // others are not counted, so that fewer than n are
    $(shared_add("bucket_words[bucket / 2u]", "one << (bucket % 2u * 16u)"));
}
$ end

$(kernel(has_shares and "sort_top_histogram_in_shares" or "sort_top_histogram"))
{
$ include "parts/begin"
    const $(Index) n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    const bool is_aligned = is_vector_aligned(params.buffers[0]);
    const $(Index) tiles = (n + (TILE - 1u)) / TILE;
    BucketCounts counts = BucketCounts(address_at(params.scratch, BUCKET_COUNTS_OFFSET));
    BucketTotals totals = BucketTotals(address_at(params.scratch, BUCKET_TOTALS_OFFSET));
    const uint turn = bucket_turn(params.scratch);
    const uint first_count = turn * BUCKETS;

$ if can_ping_pong then
    if (params.argument >= PING_PONG) clear_old_keys(params.scratch, $(launch_n));
$ end
    const uint window_bits = window_bits_of(n);
$ if has_shares then
    const uint counted_bits = min(window_bits, COUNTED_BITS);
    const uint words = (1u << counted_bits) / 2u;
    const uint shares = 1u << (window_bits - counted_bits);
    const uint block_groups = block_count() < shares ? 1u : block_count() / shares; // groups of blocks; each has a block for each share
$ else
    const uint words = (1u << window_bits) / 2u;
$ end
    for (uint least = 0u; least < words; least += BLOCK) {
        if (least + thread_id() < words) bucket_words[least + thread_id()] = 0u;
    }
$ local sampled = has_shares and "window_bits, counted_bits" or "window_bits"
$ enclosed(("if (is_skewed(Samples(params.buffers[0]), n, %s)) {"):format(sampled), function()
    if (block_id() == 0u && thread_id() == 0u) {
        totals.at[LARGEST] = TOO_LARGE;
        totals.at[IS_SKEWED] = 1u;
    }
$ include("sort/counted_digits", {digit_words = "bucket_words", by_item = false, in_turn = true})
    return;
$ end)
    const uint end_bit = sampled_end(window_bits);
    const Prefix prefix = prefix_from(end_bit);
    const Digit window = window_digit(window_bits, end_bit);
$ local flushed = has_shares and "first_count + (share << counted_bits) + word * 2u" or "first_count + word * 2u"
$ local arguments = has_shares and "%s, window, prefix, share" or "%s, window, prefix"
$ local function count(key) return ("count_key(%s);"):format(arguments:format(key)) end
$ enclosed(has_shares and "for (uint unit = block_id(); unit < block_groups * shares; unit += block_count()) {", function()
$ if has_shares then
    const uint share = unit % shares;
$ end
$ include("sort/counted_tiles", {count = count, by_item = false, in_turn = false, by_share = has_shares})
$ if has_shares then
    block_barrier();
$ else
    block_barrier_all_memory();
    uint others = 0u;
    if (thread_id() == 0u) others = finish_block(params.scratch); // no thread of the block reads the turn any more
$ end
    for (uint least = 0u; least < words; least += BLOCK) {
        const uint word = least + thread_id();
        if (word < words) {
            const uint pair = bucket_words[word];
            if (pair % 65536u != 0u) $(device_add(("counts.at[%s]"):format(flushed), "pair % 65536u"));
            if (pair / 65536u != 0u) $(device_add(("counts.at[%s + 1u]"):format(flushed), "pair / 65536u"));
$ if has_shares then
            bucket_words[word] = 0u;
$ end
        }
    }
$ if has_shares then
    block_barrier();
$ end
$ end)
$ if has_shares then
    block_barrier_all_memory();
    uint others = 0u;
    if (thread_id() == 0u) others = finish_block(params.scratch); // no thread of the block reads the turn any more
$ end
    // The next sort finds the other one zero, all of it, whether or not the launches that were to follow this one do.
    for (uint least = block_id() * BLOCK; least < BUCKETS; least += block_count() * BLOCK) {
        const uint bucket = least + thread_id();
        if (bucket < BUCKETS) counts.at[BUCKETS - first_count + bucket] = 0u;
    }
    if (block_id() == 0u && thread_id() == 0u) {
        totals.at[LARGEST] = 0u;
        totals.at[LISTED] = 0u;
        totals.at[IS_SKEWED] = 0u;
        totals.at[WINDOW_END] = end_bit;
        totals.at[LOWEST] = $(image_words == 1 and "prefix.bits0" or "0u");
    }
    if (thread_id() == 0u && is_last_block(params.scratch, others)) end_bucket_turn(params.scratch, turn);
}
