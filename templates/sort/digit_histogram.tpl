$ -- Counts the digits of all passes, in one read of the keys.
$ -- A block counts in shared memory, in COPIES histograms that its lanes take in turns, and adds what it has to the one in the scratch.
$ assert(ITEMS % VECTOR == 0 and BLOCK % LANES == 0)
$ include "parts/operators"

$ include "sort/digits"

$ include "parts/counters"

$ include "sort/digit_table"

$ if is_hybrid then
$ include "sort/bucket_table"

$ end
$ if can_ping_pong then
$ include "sort/old_keys"

$ end
$ include("memory", {array = "In", group = "Inputs", type = input, reads = true, writes = false})

const uint COPIES = $(copies)u;
const uint GROUPS = $(ITEMS // VECTOR)u; // of VECTOR items, of a thread and tile
const uint BATCH = $(batch)u; // groups that a thread reads together

$(shared("uint", "counts", "PASSES * BINS * COPIES"))

void count_key($(Key) key)
{
    UNROLL for (uint pass = 0u; pass < PASSES; pass++) {
        const uint bin = pass * BINS + digit_of(key, digit_of_pass(pass));
        $(shared_add("counts[bin * COPIES + lane_id() % COPIES]", "1u"));
    }
}

$ if can_ping_pong then
// Ping-pong posts may lie where keys of other launches went through the scratch, and those look like posts.
void clear_old_keys($(Address) scratch, $(Index) n)
{
    const $(Index) end = min(KeysEnd(address_at(scratch, KEYS_END_OFFSET)).at[0], zeroed_count(scratch));
    for ($(Index) unit = first_post_unit(scratch, n) + block_id(); unit < end; unit += block_count()) {
        Words words = Words(address_after(scratch, unit, 256u));
        const uint first = unit == SPARE_UNITS / 16u ? SPARE_UNITS % 16u * 4u : 0u;
        for (uint w = first + thread_id(); w < 64u; w += BLOCK) words.at[w] = 0u;
    }
}

$ end
$(kernel("sort_histogram"))
{
$ include "parts/begin"
    const $(Index) n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    const bool is_aligned = is_vector_aligned(params.buffers[0]);
    const $(Index) tiles = (n + (TILE - 1u)) / TILE;

$ if is_hybrid then
$ if can_ping_pong then
    if (params.argument >= PING_PONG) clear_old_keys(params.scratch, $(launch_n));
$ end
    if (is_partitioned(params.scratch, n, params.argument)) return;
$ end
    for (uint i = thread_id(); i < PASSES * BINS * COPIES; i += BLOCK) counts[i] = 0u;
    block_barrier();
    for ($(Index) tile = block_id(); tile < tiles; tile += block_count()) {
        const $(Index) start = tile * TILE;
        if (is_aligned && start + TILE <= n) {
            ROLL for (uint least = 0u; least < GROUPS; least += BATCH) {
                const $(Index) first = start + (least * BLOCK + thread_id()) * VECTOR;
                Inputs groups[BATCH];
                UNROLL for (uint g = 0u; g < BATCH; g++) groups[g] = load_full_inputs(in_items, first + g * (BLOCK * VECTOR));
                UNROLL for (uint g = 0u; g < BATCH; g++) {
                    UNROLL for (uint v = 0u; v < VECTOR; v++) count_key($(map("groups[g].at[v]", "first + (g * (BLOCK * VECTOR) + v)")));
                }
            }
        } else {
            ROLL for (uint g = 0u; g < GROUPS; g++) {
                const $(Index) first = start + (g * BLOCK + thread_id()) * VECTOR;
                const Inputs group = load_inputs(in_items, first, n);
                UNROLL for (uint v = 0u; v < VECTOR; v++) {
                    if (first + v < n) count_key($(map("group.at[v]", "first + v")));
                }
            }
        }
    }
    const uint turn = sort_turn(params.scratch); // not kept in registers while keys are counted
    const uint first = turn * (PASSES * BINS);
    block_barrier_all_memory();
    uint others = 0u;
    if (thread_id() == 0u) others = finish_block(params.scratch); // no thread of the block reads the turn any more
    Histogram histogram = Histogram(address_at(params.scratch, HISTOGRAM_OFFSET));
$ if has_long_loops then
    for (uint bin = thread_id(); bin < PASSES * BINS; bin += BLOCK) {
        uint count = 0u;
        UNROLL for (uint copy = 0u; copy < COPIES; copy++) count += counts[bin * COPIES + copy];
        if (count != 0u) $(device_add("histogram.at[first + bin]", "count"));
    }
$ else
$ -- llvmpipe loses threads that leave such loops before others do: all go through them as often.
    for (uint least = 0u; least < PASSES * BINS; least += BLOCK) {
        const uint bin = least + thread_id();
        uint count = 0u;
        if (bin < PASSES * BINS) {
            UNROLL for (uint copy = 0u; copy < COPIES; copy++) count += counts[bin * COPIES + copy];
        }
        if (count != 0u) $(device_add("histogram.at[first + bin]", "count"));
    }
$ end
    // The next sort finds the other one zero, whether or not the launches that were to follow this one do.
$ if has_long_loops then
    for (uint bin = block_id() * BLOCK + thread_id(); bin < PASSES * BINS; bin += block_count() * BLOCK) histogram.at[PASSES * BINS - first + bin] = 0u;
$ else
    for (uint least = block_id() * BLOCK; least < PASSES * BINS; least += block_count() * BLOCK) {
        const uint bin = least + thread_id();
        if (bin < PASSES * BINS) histogram.at[PASSES * BINS - first + bin] = 0u;
    }
$ end
$ if can_ping_pong and not is_hybrid then
    if (params.argument >= PING_PONG) clear_old_keys(params.scratch, $(launch_n));
$ end
    if (thread_id() == 0u && is_last_block(params.scratch, others)) end_turn(params.scratch, turn);
}
