$ -- Counts the keys of every value, in a read of them. Where a block has counters for only some of the values, several blocks read the same keys, and
$ -- each counts its share of the values.
$ assert(strategy == "counting" and ITEMS % VECTOR == 0 and BLOCK * ITEMS <= 16384)
$ include "parts/operators"

$ include "sort/digits"

$ include "parts/counters"

$ include "sort/value_table"

$ include("memory", {array = "In", group = "Inputs", type = input, reads = true, writes = false})

const uint GROUPS = $(ITEMS // VECTOR)u; // of VECTOR items, of a thread and tile
const uint SHARE_VALUES = $(1 << counted_bits)u; // that a block counts at a time
const uint SHARES = VALUES / SHARE_VALUES;
const uint HALF = 0x8000u; // what a counter is told to hold at most, between tiles: the keys of one more tile fit into 16 bits

$(launch_shared("value_words", "SHARE_VALUES / 2u")) // counters of a block's values, two to a word

// Counts `times` keys of a value, no more than VECTOR, if it belongs to the share. Who takes a counter to HALF or beyond moves so much of it to the scratch.
void count_value(uint value, uint times, uint share, ValueCounts counts, uint first)
{
    const uint own = value - share * SHARE_VALUES;
    if (own >= SHARE_VALUES) return;
    const uint shift = own % 2u * 16u;
    const uint before = $(shared_add("value_words[own / 2u]", "times << shift")) >> shift & 0xffffu;
    if (before < HALF && before + times >= HALF) {
        $(shared_add("value_words[own / 2u]", "0u - (HALF << shift)"));
        $(device_add("counts.at[first + value]", "HALF"));
    }
}

$(kernel("sort_value_histogram"))
{
$ include "parts/begin"
    const $(Index) n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    const bool is_aligned = is_vector_aligned(params.buffers[0]);
    const $(Index) tiles = (n + (TILE - 1u)) / TILE;
    ValueCounts counts = ValueCounts(address_at(params.scratch, VALUE_COUNTS_OFFSET));
    const uint turn = bucket_turn(params.scratch);
    const uint first_count = turn * VALUES;
    const uint block_groups = block_count() < SHARES ? 1u : block_count() / SHARES; // groups of blocks; each has a block for each share
    for (uint least = 0u; least < SHARE_VALUES / 2u; least += BLOCK) {
        if (least + thread_id() < SHARE_VALUES / 2u) value_words[least + thread_id()] = 0u;
    }
    for (uint unit = block_id(); unit < block_groups * SHARES; unit += block_count()) {
        const uint share = unit % SHARES;
        for ($(Index) tile = unit / SHARES; tile < tiles; tile += block_groups) {
            block_barrier(); // counters are below HALF again
            const $(Index) start = tile * TILE;
            ROLL for (uint g = 0u; g < GROUPS; g++) {
                const $(Index) first = start + (g * BLOCK + thread_id()) * VECTOR;
                Inputs group;
                if (is_aligned && start + TILE <= n) group = load_full_inputs(in_items, first);
                else group = load_inputs(in_items, first, n);
                uint value = 0u; // of items that have not been counted
                uint times = 0u;
                UNROLL for (uint v = 0u; v < VECTOR; v++) {
                    if (first + v < n) {
                        const uint next = $(key_is_image and map("group.at[v]", "first + v") or ("key_image(%s)"):format(map("group.at[v]", "first + v")));
                        if (times != 0u && next != value) {
                            count_value(value, times, share, counts, first_count);
                            times = 0u;
                        }
                        value = next;
                        times++;
                    }
                }
                if (times != 0u) count_value(value, times, share, counts, first_count);
            }
        }
        block_barrier();
        for (uint least = 0u; least < SHARE_VALUES / 2u; least += BLOCK) {
            const uint word = least + thread_id();
            if (word < SHARE_VALUES / 2u) {
                const uint pair = value_words[word];
                const uint value = first_count + share * SHARE_VALUES + 2u * word;
                if (pair % 65536u != 0u) $(device_add("counts.at[value]", "pair % 65536u"));
                if (pair / 65536u != 0u) $(device_add("counts.at[value + 1u]", "pair / 65536u"));
                value_words[word] = 0u;
            }
        }
    }
    block_barrier_all_memory();
    uint others = 0u;
    if (thread_id() == 0u) others = finish_block(params.scratch); // no thread of the block reads the turn any more
    // The next sort finds the other counts zero, whether or not the launches that were to follow this one do.
    for (uint least = block_id() * BLOCK; least < VALUES; least += block_count() * BLOCK) {
        const uint value = least + thread_id();
        if (value < VALUES) counts.at[VALUES - first_count + value] = 0u;
    }
    if (thread_id() == 0u && is_last_block(params.scratch, others)) end_bucket_turn(params.scratch, turn);
}
