$ -- Writes every key as often as it was counted. Of keys alone whose only digit is all there is of them: none is moved.
$ -- Source: Seward 1954, "Information Sorting in the Application of Electronic Digital Computers to Business Operations" (counting sort).
$ assert(strategy == "counting" and passes == 1 and ITEMS % VECTOR == 0)
$ include "parts/operators"

$ include "sort/digits"

$ include "parts/counters"

$ include "sort/digit_table"

$ include("memory", {array = "Out", group = "Outputs", type = key, reads = false, writes = true})

const uint GROUPS = $(ITEMS // VECTOR)u; // of VECTOR items, of a thread and tile

$(shared(Index, "bin_starts", "BINS + 1u")) // of each digit's keys; behind the last, where they end

// The digit of the key at a place: the last one that begins there or before.
uint bin_at($(Index) place)
{
    uint bin = 0u;
    ROLL for (uint step = BINS / 2u; step > 0u; step /= 2u) {
        if (bin_starts[bin + step] <= place) bin += step;
    }
    return bin;
}

$(kernel("sort_fill"))
{
$ include "parts/begin"
    const $(Index) n = element_count(params.n, params.n_address);
    if (!is_given(params.buffers[$(keys_out_index)])) return;
    Starts starts = Starts(address_at(params.scratch, STARTS_OFFSET));
    UNROLL for (uint first = 0u; first <= BINS; first += BLOCK) {
        const uint bin = first + thread_id();
        if (bin <= BINS) bin_starts[bin] = bin < BINS ? starts.at[bin] : n;
    }
    block_barrier();
    Out out_items = Out(params.buffers[$(keys_out_index)]);
    const bool is_aligned = is_vector_aligned(params.buffers[$(keys_out_index)]);
    const $(Index) tiles = (n + (TILE - 1u)) / TILE;
    for ($(Index) tile = block_id(); tile < tiles; tile += block_count()) {
        const $(Index) start = tile * TILE;
        const uint first_bin = bin_at(start);
        const bool is_alike = bin_starts[first_bin + 1u] >= min(start + TILE, n); // all keys of the tile have one digit
        ROLL for (uint g = 0u; g < GROUPS; g++) {
            const $(Index) first = start + (g * BLOCK + thread_id()) * VECTOR;
            Outputs group;
            if (is_alike) {
                UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = $(key_of_image "first_bin");
            } else {
$ if has_long_loops then
                uint bin = bin_at(first);
                $(Index) end = bin_starts[bin + 1u];
$ end
                UNROLL for (uint v = 0u; v < VECTOR; v++) {
$ if has_long_loops then
                    for (; end <= first + v && end < n; end = bin_starts[bin + 1u]) bin++;
$ else
                    const uint bin = bin_at(first + v);
$ end
                    group.at[v] = $(key_of_image "bin");
                }
            }
            if (is_aligned && start + TILE <= n) store_full_outputs(out_items, first, group);
            else store_outputs(out_items, first, n, group);
        }
    }
}
