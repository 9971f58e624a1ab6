$ -- The last step of an MSD hybrid sort of keys alone that are one word and equal where their images are: a block sorts a group of buckets in shared
$ -- memory. It scatters the keys into bins, as local_sort.tpl does; then each is near its place, at most a bin's keys away. Lanes take runs of
$ -- consecutive keys into registers, and neighbours change places as often as the fullest bin asks for. Groups that have a bin of many keys are left to
$ -- sort_listed.
$ -- Source: Stehle & Jacobsen 2017, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs", which sorts its buckets otherwise; Habermann 1972,
$ -- "Parallel Neighbor-Sort" (odd-even transposition).
$ assert(strategy == "msd_hybrid" and pass_tile and keys_are_images == 1 and image_words == 1 and LANES >= 4 and run % 2 == 1 and most_mates <= 32)
$ include "parts/operators"

$ include "sort/digits"

$ include "parts/counters"

$ include "sort/digit_table"

$ include "sort/bucket_table"

$ include "sort/bucket_groups"

$ include "parts/subgroup"

$ include("parts/block", {turns = 1})

$ include "sort/thread_scan"

$ include("sort/tile_items", {is_ordered = true})

$ include "sort/route"

const uint RANK_BITS = 5u; // of a key's rank in its bin, which has 32 keys at most
const uint LEAST_MATES = 4u; // a fullest bin with fewer keys counts as LEAST_MATES
const uint MOST_MATES = $(most_mates)u; // keys of a bin, at most
const uint LOCAL_BITS = $(local_bits)u; // of a bin's number
const uint LOCAL_BINS = 1u << LOCAL_BITS;
const uint THREAD_LOCAL_BINS = (LOCAL_BINS + BLOCK - 1u) / BLOCK; // consecutive ones of a thread
const uint NO_BIN = THREAD_LOCAL_BINS * BLOCK + THREAD_LOCAL_BINS * BLOCK / 32u; // where keys that are not there are counted: 32 words, one for each bank
const uint BIN_WORDS = NO_BIN + 32u;
const uint RUN = $(run)u; // keys of a lane
const uint OWN_ITEMS = (LANES - 2u) * RUN; // of a subgroup, whose first and last lane have runs of its neighbours
const uint RUNS = RUN + $(BLOCK // LANES)u * OWN_ITEMS + RUN; // of all subgroups, with what is before and behind them
$ if prefetches then
$ include "prefetch"

const uint LINE_KEYS = LINE_BYTES / $(key.size)u;
const uint PREFETCH_THREADS = (TILE / LINE_KEYS + LANES) / LANES * LANES; // one for each line at least
$ end
const uint BEFORE_ALL = 0u;
const uint BEHIND_ALL = 0xffffffffu;

// The group's keys from RUN on, less its least image and moved up, and their ranks.
$(launch_shared("items_and_ends", "RUNS"))
$(launch_shared("bin_words", "BIN_WORDS", "items_and_ends", "RUNS")) // keys of a bin, then where they begin
$(shared("uint", "fullest_bin"))

// Where the word of a bin lies: threads that scan consecutive bins each do so in different banks.
uint bin_index(uint bin)
{
    return bin + bin / 32u;
}

$ local function image_of(key) return (key_is_image and "%s" or "key_image(%s)"):format(key) end
$ local list_group = "if (thread_id() == 0u) listed_groups.at[" .. device_add("totals.at[LISTED]", "1u") .. "] = group;"
$(kernel("sort_local"))
{
$ include "parts/begin"
$ include "sort/group_arrays"
    const uint lower_bits = totals.at[WINDOW_END] - window_bits; // below the window

$ enclosed("for (uint group = block_id(); group < groups; group += block_count()) {", function()
$ include "sort/group_range"
    if (items == 0u) continue;
    const uint least = totals.at[LOWEST] + (first_bucket << lower_bits); // image of the group, or a smaller one
    const uint width = bit_width((end_bucket - first_bucket - 1u) << lower_bits | ((1u << lower_bits) - 1u)); // of what images are greater by
    if (width > 32u - RANK_BITS) { // many buckets of a small window: ranks have no bits left
        $(list_group)
        continue;
    }
    const uint shift = min(32u - width, 31u); // images of a group without a bit to differ in are the least one

    UNROLL for (uint first = 0u; first < BIN_WORDS; first += BLOCK) {
        if (first + BLOCK <= BIN_WORDS || first + thread_id() < BIN_WORDS) bin_words[first + thread_id()] = 0u;
    }
    if (thread_id() == 0u) fullest_bin = LEAST_MATES;
    $(Key) keys[ROWS];
    UNROLL for (uint row = 0u; row < ROWS; row++) keys[row] = key_at(keys_from, start, min(row * BLOCK + thread_id(), items - 1u));
    block_barrier();
    uint packed_items[ROWS];
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        packed_items[row] = ($(image_of "keys[row]") - least) << shift;
        const uint bin = bin_index(packed_items[row] >> (32u - LOCAL_BITS));
        // No branch, which would be one for each row.
        const uint counter = row * BLOCK + thread_id() < items ? bin : NO_BIN + thread_id() % 32u;
        packed_items[row] |= $(shared_add("bin_words[counter]", "1u"));
    }
    block_barrier();

    uint sum = 0u;
    uint most = 0u;
    UNROLL for (uint b = 0u; b < THREAD_LOCAL_BINS; b++) {
        const uint count = bin_words[bin_index(thread_id() * THREAD_LOCAL_BINS + b)];
        sum += count;
        most = max(most, count);
    }
    if (most > LEAST_MATES) $(shared_max("fullest_bin", "most"));
    uint bin_start = thread_scan(sum);
    UNROLL for (uint b = 0u; b < THREAD_LOCAL_BINS; b++) {
        const uint bin = bin_index(thread_id() * THREAD_LOCAL_BINS + b);
        const uint count = bin_words[bin];
        bin_words[bin] = bin_start;
        bin_start += count;
    }
    block_barrier();
    if (fullest_bin > max(MOST_MATES, LEAST_MATES)) {
        $(list_group)
        block_barrier();
        continue;
    }

    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const uint place = row * BLOCK + thread_id();
        const uint binned = bin_words[bin_index(packed_items[row] >> (32u - LOCAL_BITS))] + packed_items[row] % (1u << RANK_BITS);
        items_and_ends[RUN + (place < items ? binned : place)] = place < items ? packed_items[row] : BEHIND_ALL;
    }
    UNROLL for (uint first = RUN + TILE; first < RUNS; first += BLOCK) {
        if (first + thread_id() < RUNS) items_and_ends[first + thread_id()] = BEHIND_ALL;
    }
    UNROLL for (uint first = 0u; first < RUN; first += BLOCK) {
        if (first + thread_id() < RUN) items_and_ends[first + thread_id()] = BEFORE_ALL;
    }
$ if prefetches then
    const uint next_group = group + block_count();
    if (thread_id() >= BLOCK - PREFETCH_THREADS && !are_merged && next_group < groups) { // the last ones ask for what the block sorts next
        const uint next_start = bucket_starts.at[next_group];
        const uint next_place = (thread_id() - (BLOCK - PREFETCH_THREADS)) * LINE_KEYS;
        if (next_place < bucket_starts.at[next_group + 1u] - next_start) prefetch(address_after(keys_from, next_start + next_place, $(key.size)u));
    }
$ end
    block_barrier_all_memory(); // keys are stored where they were loaded from
    const bool are_settled = fullest_bin <= RUN + 1u; // whether neighbours settle them: no bin reaches beyond the runs beside a subgroup's
    if (are_settled) {
        const bool has_items = subgroup_id() * OWN_ITEMS < items;
        const uint rounds = fullest_bin / 2u + 1u; // read before the loop: llvmpipe loses exchanges of loops whose condition reads shared memory
        const uint first = subgroup_id() * OWN_ITEMS + lane_id() * RUN; // of this lane's run
        uint run[RUN];
        if (has_items) {
            UNROLL for (uint i = 0u; i < RUN; i++) run[i] = items_and_ends[first + i];
            ROLL for (uint round = 0u; round < rounds; round++) {
                UNROLL for (uint parity = 0u; parity < 2u; parity++) {
                    UNROLL for (uint i = parity; i + 1u < RUN; i += 2u) {
                        const uint smaller = min(run[i], run[i + 1u]);
                        run[i + 1u] = max(run[i], run[i + 1u]);
                        run[i] = smaller;
                    }
                }
                const uint before = shuffle_up(run[RUN - 1u], 1u);
                const uint behind = shuffle(run[0], min(lane_id() + 1u, LANES - 1u));
                run[0] = max(run[0], lane_id() == 0u ? BEFORE_ALL : before);
                run[RUN - 1u] = min(run[RUN - 1u], lane_id() == LANES - 1u ? BEHIND_ALL : behind);
            }
        }
        block_barrier(); // the runs' neighbours have them, too
        if (has_items && lane_id() > 0u && lane_id() < LANES - 1u) {
            UNROLL for (uint i = 0u; i < RUN; i++) items_and_ends[first + i] = run[i];
        }
        block_barrier();
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint place = row * BLOCK + thread_id();
            const $(Key) key = $(key_of_image("(items_and_ends[RUN + place] >> shift) + least"));
            if (place < items) {
                $(may_lack_keys and "if (is_given(keys_to)) " or "")store_key(Keys(address_after(keys_to, start, $(key.size)u)), place, key);
$ if results then
                if (stores_results) store_result(results, start + place, $(result("key", nil, "start + place")));
$ end
            }
        }
    } else { // each key counts those of its bin that come before it
        const uint mates = fullest_bin;
        ROLL for (uint row = 0u; row < ROWS; row++) {
            const uint place = row * BLOCK + thread_id();
            const uint item = items_and_ends[RUN + min(place, items - 1u)];
            const uint bin_start = bin_words[bin_index(item >> (32u - LOCAL_BITS))];
            uint rank = bin_start;
            ROLL for (uint m = 0u; m < mates; m++) { // as often for all; keys of later bins come after it
                if (bin_start + m < items && items_and_ends[RUN + bin_start + m] < item) rank++;
            }
            if (place < items) {
                const $(Key) key = $(key_of_image("(item >> shift) + least"));
                $(may_lack_keys and "if (is_given(keys_to)) " or "")store_key(Keys(address_after(keys_to, start, $(key.size)u)), rank, key);
$ if results then
                if (stores_results) store_result(results, start + rank, $(result("key", nil, "start + rank")));
$ end
            }
        }
    }
    block_barrier();
$ end)
}
