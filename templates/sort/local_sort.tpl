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

const uint FEW_MATES = $(few_mates)u; // that most items have at most: read without a branch, also beyond the last item
$ local item_words = exchange_size .. " + FEW_MATES"
$ include("sort/exchange", {exchange_size = item_words})

$ include("sort/tile_items", {is_ordered = true})

$ include "sort/route"

$ if prefetches and value then
$ include "prefetch"

$ end
$ local moves_places = value or keys_are_images == 0 -- else items of equal keys are equal, and may change places
$ local key_words = #words_of(key, "x")
$ local exchanges_value = value and is_value_exchanged == 1
$ local ends_greatest = key_is_image and image_words == 1 and exchange_words == 1 -- what follows the bin's items comes after them: bins ascend, too
$ local after = moves_places and {"item_places", "(TILE + FEW_MATES)"} or {"moved_words", "(" .. item_words .. ")"}
const uint LOCAL_BITS = $(local_bits)u; // of a bin's number
const uint LOCAL_BINS = 1u << LOCAL_BITS;
const uint THREAD_LOCAL_BINS = (LOCAL_BINS + BLOCK - 1u) / BLOCK; // consecutive ones of a thread
const uint BIN_WORDS = THREAD_LOCAL_BINS * BLOCK + THREAD_LOCAL_BINS * BLOCK / 32u;
const uint MOST_MATES = $(most_mates)u; // items of a bin, at most
$ if moves_places then
$(launch_shared("item_places", "TILE + FEW_MATES", "moved_words", "(" .. item_words .. ")")) // in the group, of the items in moved_words
$ end
$(launch_shared("bin_words", "BIN_WORDS", table.unpack(after))) // items of a bin; then where they begin, and 65536 times as many as there are
$(shared("uint", "fullest_bin"))

// Where the word of a bin lies: threads that scan consecutive bins each do so in different banks.
uint bin_index(uint bin)
{
    return bin + bin / 32u;
}

$ include "sort/item_ranks"

$ local words = ({ {"%s"}, {"%s.x", "%s.y"}, {"%s.x", "%s.y", "%s.z"}, {"%s.x", "%s.y", "%s.z", "%s.w"} })[image_words]
$ local function image_of(key) return (key_is_image and "%s" or "key_image(%s)"):format(key) end
// Whether the item with key a comes before that with key b. $(moves_places and "Items of equal images stay in their order." or "Equal keys are in any order.")
bool comes_before($(Key) a, uint place_a, $(Key) b, uint place_b)
{
    const $(Image) image_a = $(image_of "a");
    const $(Image) image_b = $(image_of "b");
    bool is_before = place_a < place_b; // and no branches: what they would leave out has been read
$ for w = #words, 1, -1 do
$     local a, b = words[w]:format "image_a", words[w]:format "image_b"
    is_before = $(has_bool_bits and ("(%s < %s) | ((%s <= %s) & is_before)"):format(a, b, a, b) or ("%s == %s ? is_before : %s < %s"):format(a, b, a, b));
$ end
    return is_before;
}

$(kernel("sort_local"))
{
$ include "parts/begin"
$ include "sort/group_arrays"
    const uint end_bit = totals.at[WINDOW_END];
    const uint lower_bits = $(image_words == 1 and "end_bit" or "LEADING_BITS") - window_bits; // of the leading bits, those below the window

$ enclosed("for (uint group = block_id(); group < groups; group += block_count()) {", function()
$ include "sort/group_range"
    if (items == 0u) continue;
    const uint lowest = $(image_words == 1 and "totals.at[LOWEST] + (first_bucket << lower_bits)" or "first_bucket << lower_bits");
    const uint span = (end_bucket - first_bucket - 1u) << lower_bits | ((1u << lower_bits) - 1u);
    const uint width = bit_width(span);
    const uint shift = width > LOCAL_BITS ? width - LOCAL_BITS : 0u; // to a key's bin

$ if prefetches and value then
    $(takes_value and "" or "if (is_given(values_to)) ")prefetch_all(address_after(values_from, start, $(value.size)u), items * $(value.size)u); // loaded when places are known
$ end
    UNROLL for (uint first = 0u; first < BIN_WORDS; first += BLOCK) {
        if (first + thread_id() < BIN_WORDS) bin_words[first + thread_id()] = 0u;
    }
    if (thread_id() == 0u) fullest_bin = 0u;
    $(Key) keys[ROWS];
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const uint place = row * BLOCK + thread_id();
        if (place < items) keys[row] = key_at(keys_from, start, place);
    }
    block_barrier();
    ItemRanks ranks; // in their bins, of those that have been counted
    UNROLL for (uint pair = 0u; pair < (ROWS + 1u) / 2u; pair++) ranks.pairs[pair] = 0u;
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        if (row * BLOCK + thread_id() < items) {
            const uint bin = (leading_bits_of(keys[row], end_bit) - lowest) >> shift;
            ranks.pairs[row / 2u] |= $(shared_add("bin_words[bin_index(bin)]", "1u")) << (row % 2u * 16u);
        }
    }
    block_barrier();

    uint sum = 0u;
    uint most = 0u;
    UNROLL for (uint b = 0u; b < THREAD_LOCAL_BINS; b++) {
        const uint count = bin_words[bin_index(thread_id() * THREAD_LOCAL_BINS + b)];
        sum += count;
        if (count > most) most = count;
    }
    $(has_long_loops and "if (most > MOST_MATES) " or "")$(shared_max("fullest_bin", "most"));
    uint bin_start = thread_scan(sum);
    UNROLL for (uint b = 0u; b < THREAD_LOCAL_BINS; b++) {
        const uint index = bin_index(thread_id() * THREAD_LOCAL_BINS + b);
        const uint count = bin_words[index];
        bin_words[index] = count << 16 | bin_start;
        bin_start += count;
    }
    block_barrier();
    if (fullest_bin > MOST_MATES) {
        if (thread_id() == 0u) listed_groups.at[$(device_add("totals.at[LISTED]", "1u"))] = group;
        block_barrier();
        continue;
    }

    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const uint place = row * BLOCK + thread_id();
        if (place < items) {
            const uint bin = (leading_bits_of(keys[row], end_bit) - lowest) >> shift;
            const uint there = bin_words[bin_index(bin)] % 65536u + item_rank(ranks, row);
            store_exchanged_key(there, keys[row]);
$ if moves_places then
            item_places[there] = place;
$ end
        }
    }
$ if has_long_loops then
    if (thread_id() == 0u) { // what is read beyond the last item$(ends_greatest and ": it comes before none" or "")
        UNROLL for (uint m = 0u; m < FEW_MATES; m++) {
$ if ends_greatest then
            moved_words[items + m] = 0xffffffffu;
$ else
            if (items + m < TILE) store_exchanged_key(items + m, keys[0]);
            moved_words[$(key_words > 1 and "TILE * " .. key_words .. "u" or "TILE") + m] = 0u;
$ end
$ if moves_places then
            item_places[items + m] = $(ends_greatest and "0xffffffffu" or "0u");
$ end
        }
    }
$ end
    block_barrier_all_memory(); // keys are stored where they were loaded from
$ if value then
    uint moves[ROWS]; // an item's place before, and 65536 times its place in the sorted group
$ if not exchanges_value then
    TileValues values;
$ end
$ end
$ if not has_long_loops then
    const uint fullest = fullest_bin; // read before the loops: llvmpipe goes wrong where a loop's condition reads shared memory
$ end
    UNROLL for (uint row = 0u; row < ROWS; row++) {
$ -- llvmpipe loses threads that leave loops before others do: all go through them as often, those beyond the last item for that.
        const uint there = $(has_long_loops and "row * BLOCK + thread_id()" or "min(row * BLOCK + thread_id(), items - 1u)");
$ enclosed(has_long_loops and "if (there < items) {", function()
        const $(Key) key = load_exchanged_key(there);
$ if moves_places then
        const uint place = item_places[there];
$ end
        const uint bin = bin_words[bin_index((leading_bits_of(key, end_bit) - lowest) >> shift)];
        const uint first = bin % 65536u;
        const uint mates = bin / 65536u; // in the bin, this item among them
        uint rank = first;
$ if not moves_places then
        const uint own = there - first;
$ end
$ local mine = moves_places and "place" or "own"
$ local function place_of(m) return moves_places and ("item_places[first + %s]"):format(m) or m end
$ if has_long_loops then
        UNROLL for (uint m = 0u; m < FEW_MATES; m++) {
            const bool is_before = comes_before(load_exchanged_key(first + m), $(place_of "m"), key, $(mine));
            rank += $(ends_greatest and "is_before" or "is_before && m < mates") ? 1u : 0u;
        }
        ROLL for (uint m = FEW_MATES; m < mates; m++) {
            if (comes_before(load_exchanged_key(first + m), $(place_of "m"), key, $(mine))) rank++;
        }
$ else
        for (uint m = 0u; m < fullest; m++) {
            const uint mate = min(m, mates - 1u);
            if (m < mates && comes_before(load_exchanged_key(first + mate), $(place_of "mate"), key, $(mine))) rank++;
        }
$ end
        $(may_lack_keys and "if (is_given(keys_to)) " or "")store_key(Keys(address_after(keys_to, start, $(key.size)u)), rank, key);
$ if results and not takes_value then
        if (stores_results) store_result(results, start + rank, $(result("key", nil, "start + rank")));
$ end
$ if takes_key and takes_value then
        keys[row] = key;
$ end
$ if value then
        moves[row] = rank << 16 | place;
$ if not exchanges_value then
        $(takes_value and "" or "if (is_given(values_to)) ")values.at[row] = load_value(Values(address_after(values_from, start, $(value.size)u)), place);
$ end
$ end
$ end)
    }
$ if value then
$ if takes_value then
$ if exchanges_value then
    block_barrier(); // keys are not needed any more
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const uint place = row * BLOCK + thread_id();
        if (place < items) store_exchanged_value(place, load_value(Values(address_after(values_from, start, $(value.size)u)), place));
    }
$ end
    block_barrier_all_memory(); // values are stored where they were loaded from
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        if (row * BLOCK + thread_id() < items) {
            const uint rank = moves[row] >> 16;
            const $(Value) moved = $(exchanges_value and "load_exchanged_value(moves[row] % 65536u)" or "values.at[row]");
            if (is_given(values_to)) store_value(Values(address_after(values_to, start, $(value.size)u)), rank, moved);
            if (stores_results) store_result(results, start + rank, $(result("keys[row]", "moved", "start + rank")));
        }
    }
$ elseif exchanges_value then
    if (is_given(values_to)) {
        block_barrier(); // keys are not needed any more
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint place = row * BLOCK + thread_id();
            if (place < items) store_exchanged_value(place, load_value(Values(address_after(values_from, start, $(value.size)u)), place));
        }
        block_barrier_all_memory(); // values are stored where they were loaded from
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            if (row * BLOCK + thread_id() < items) {
                store_value(Values(address_after(values_to, start, $(value.size)u)), moves[row] >> 16, load_exchanged_value(moves[row] % 65536u));
            }
        }
    }
$ else
    block_barrier_all_memory(); // values are stored where they were loaded from
    if (is_given(values_to)) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            if (row * BLOCK + thread_id() < items) {
                store_value(Values(address_after(values_to, start, $(value.size)u)), moves[row] >> 16, values.at[row]);
            }
        }
    }
$ end
$ end
    block_barrier();
$ end)
}
