$ -- The last step of an MSD hybrid sort: a block sorts a group of buckets in shared memory. It scatters the items into bins, by the bits in which the
$ -- group's keys may differ, as many of them as bins can tell apart; then each item counts those of its bin that come before it. A group with a bin
$ -- of many items is left to sort_listed.
$ -- Source: Stehle & Jacobsen 2017, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs", which sorts its buckets otherwise.
$ assert(strategy == "msd_hybrid" and pass_tile)
$ include "parts/operators"

$ include "sort/digits"

$ include "parts/counters"

$ include "sort/digit_table"

$ include "sort/bucket_table"

$ include "sort/bucket_groups"

$ include "parts/subgroup"

$ include("parts/block", {turns = 1})

$ include "sort/thread_scan"

$ include "sort/exchange"

$ include "sort/tile_items"

$ include "sort/route"

const uint LOCAL_BINS = $(1 << local_bits)u;
const uint THREAD_LOCAL_BINS = (LOCAL_BINS + BLOCK - 1u) / BLOCK; // consecutive ones of a thread
const uint MOST_MATES = $(most_mates)u; // items of a bin, at most
$(launch_shared("item_places", "TILE", "moved_words", exchange_size)) // in the group, of the items in moved_words
$(launch_shared("bin_words", "THREAD_LOCAL_BINS * BLOCK", "item_places", "TILE")) // items of a bin; then where they begin, and 65536 times as many as there are
$(shared("uint", "most_mates"))

// Where the word of a bin lies, so that threads that scan their own do so in different banks.
uint bin_index(uint bin)
{
    return bin % THREAD_LOCAL_BINS * BLOCK + bin / THREAD_LOCAL_BINS;
}

$ local words = ({ {"%s"}, {"%s.x", "%s.y"}, {"%s.x", "%s.y", "%s.z"}, {"%s.x", "%s.y", "%s.z", "%s.w"} })[image_words]
$ local image_of = key_is_image and "%s" or "key_image(%s)"
$ local text = "place_a < place_b"
$ for w = #words, 1, -1 do
$     local a, b = words[w]:format "image_a", words[w]:format "image_b"
$     text = ("%s < %s || (%s == %s && %s)"):format(a, b, a, b, w < #words and "(" .. text .. ")" or text)
$ end
// Whether the item with key a comes before that with key b. Items of equal images stay in their order.
bool comes_before($(Key) a, uint place_a, $(Key) b, uint place_b)
{
    const $(Image) image_a = $(image_of:format "a");
    const $(Image) image_b = $(image_of:format "b");
    return $(text);
}

$(kernel("sort_local"))
{
$ include "sort/group_arrays"

$ enclosed("for (uint group = block_id(); group < groups; group += block_count()) {", function()
$ include "sort/group_range"
    if (items == 0u) continue;
    const uint lowest = first_bucket << LOWER_BITS;
    const uint span = (end_bucket - first_bucket - 1u) << LOWER_BITS | ((1u << LOWER_BITS) - 1u);
    uint shift = 0u; // to a key's bin
    while (span >> shift >= LOCAL_BINS) shift++;

    UNROLL for (uint b = 0u; b < THREAD_LOCAL_BINS; b++) bin_words[b * BLOCK + thread_id()] = 0u;
    if (thread_id() == 0u) most_mates = 0u;
    block_barrier();
    $(Key) keys[ROWS];
    uint ranks[ROWS]; // in its bin, of those that have been counted; later in the group
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const uint place = row * BLOCK + thread_id();
        if (place < items) keys[row] = key_at(keys_from, start, place);
    }
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        if (row * BLOCK + thread_id() < items) {
            const uint bin = (digit_of(keys[row], leading_digit()) - lowest) >> shift;
            ranks[row] = $(shared_add("bin_words[bin_index(bin)]", "1u"));
        }
    }
    block_barrier();

    uint sum = 0u;
    uint most = 0u;
    UNROLL for (uint b = 0u; b < THREAD_LOCAL_BINS; b++) {
        const uint count = bin_words[b * BLOCK + thread_id()];
        sum += count;
        if (count > most) most = count;
    }
    $(has_long_loops and "if (most > MOST_MATES) " or "")$(shared_max("most_mates", "most"));
    uint bin_start = thread_scan(sum);
    UNROLL for (uint b = 0u; b < THREAD_LOCAL_BINS; b++) {
        const uint count = bin_words[b * BLOCK + thread_id()];
        bin_words[b * BLOCK + thread_id()] = count << 16 | bin_start;
        bin_start += count;
    }
    block_barrier();
    if (most_mates > MOST_MATES) {
        if (thread_id() == 0u) {
            const uint entry = $(device_add("totals.at[LISTED]", "1u"));
            listed_groups.at[entry] = group;
        }
        block_barrier();
        continue;
    }

    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const uint place = row * BLOCK + thread_id();
        if (place < items) {
            const uint bin = (digit_of(keys[row], leading_digit()) - lowest) >> shift;
            const uint there = bin_words[bin_index(bin)] % 65536u + ranks[row];
            store_exchanged_key(there, keys[row]);
            item_places[there] = place;
        }
    }
    block_barrier();
$ if value then
    TileValues values;
$ end
    UNROLL for (uint row = 0u; row < ROWS; row++) {
$ -- llvmpipe loses threads that leave loops before others do: all go through them as often, those beyond the last item for that.
        const uint there = $(has_long_loops and "row * BLOCK + thread_id()" or "min(row * BLOCK + thread_id(), items - 1u)");
$ enclosed(has_long_loops and "if (there < items) {", function()
        const $(Key) key = load_exchanged_key(there);
        const uint place = item_places[there];
        const uint bin = bin_words[bin_index((digit_of(key, leading_digit()) - lowest) >> shift)];
        const uint first = bin % 65536u;
        const uint end = first + bin / 65536u;
        uint rank = first;
$ if has_long_loops then
        for (uint mate = first; mate < end; mate++) {
            if (comes_before(load_exchanged_key(mate), item_places[mate], key, place)) rank++;
        }
$ else
        for (uint m = 0u; m < most_mates; m++) {
            const uint mate = min(first + m, end - 1u);
            if (first + m < end && comes_before(load_exchanged_key(mate), item_places[mate], key, place)) rank++;
        }
$ end
        ranks[row] = rank;
$ if value then
        if (is_given(values_to)) values.at[row] = load_value(Values(address_after(values_from, start, $(value.size)u)), place);
$ end
$ end)
    }
    block_barrier_all_memory(); // what is stored to may be what was loaded from
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const uint there = row * BLOCK + thread_id();
        if (there < items) {
            $(value and "if (is_given(keys_to)) " or "")store_key(Keys(address_after(keys_to, start, $(key.size)u)), ranks[row], load_exchanged_key(there));
$ if value then
            if (is_given(values_to)) store_value(Values(address_after(values_to, start, $(value.size)u)), ranks[row], values.at[row]);
$ end
        }
    }
    block_barrier();
$ end)
}
