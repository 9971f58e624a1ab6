$ -- Counts the digits of all passes, in one read of the keys.
$ -- A block counts in shared memory, in COPIES histograms that its lanes take in turns, and adds what it has to the one in the scratch.
$ assert(ITEMS % VECTOR == 0 and BLOCK % LANES == 0)
$ include "operators"

$ include "digits"

$ include "digit_table"

$ include("memory", {array = "In", group = "Inputs", type = input, reads = true, writes = false})

const uint COPIES = $(copies)u;
const uint GROUPS = $(ITEMS // VECTOR)u; // of VECTOR items, of a thread and tile

$(shared("uint", "counts", "PASSES * BINS * COPIES"))

void count_key($(Key) key)
{
    UNROLL for (uint pass = 0u; pass < PASSES; pass++) {
        const uint bin = pass * BINS + digit_of(key, digit_of_pass(pass));
        $(shared_add("counts[bin * COPIES + lane_id() % COPIES]", "1u"));
    }
}

$(kernel("sort_histogram"))
{
    const $(Index) n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    const bool is_aligned = is_vector_aligned(params.buffers[0]);
    const $(Index) tiles = (n + (TILE - 1u)) / TILE;

    for (uint i = thread_id(); i < PASSES * BINS * COPIES; i += BLOCK) counts[i] = 0u;
    block_barrier();
    for ($(Index) tile = block_id(); tile < tiles; tile += block_count()) {
        const $(Index) start = tile * TILE;
        Inputs groups[GROUPS];
        if (is_aligned && start + TILE <= n) {
            UNROLL for (uint g = 0u; g < GROUPS; g++) groups[g] = load_full_inputs(in_items, start + (g * BLOCK + thread_id()) * VECTOR);
        } else {
            UNROLL for (uint g = 0u; g < GROUPS; g++) groups[g] = load_inputs(in_items, start + (g * BLOCK + thread_id()) * VECTOR, n);
        }
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const $(Index) first = start + (g * BLOCK + thread_id()) * VECTOR;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                if (first + v < n) count_key($(map("groups[g].at[v]", "first + v")));
            }
        }
    }
    block_barrier();
    Histogram histogram = Histogram(address_at(params.scratch, HISTOGRAM_OFFSET));
    for (uint bin = thread_id(); bin < PASSES * BINS; bin += BLOCK) {
        uint count = 0u;
        UNROLL for (uint copy = 0u; copy < COPIES; copy++) count += counts[bin * COPIES + copy];
        if (count != 0u) $(device_add("histogram.at[bin]", "count"));
    }
}
