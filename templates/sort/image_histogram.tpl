$ -- Counts the keys of every image, in a read of them. Where a block has counters for only some of the images, several blocks read the same keys, and
$ -- each counts its share of the images.
$ assert(strategy == "counting" and ITEMS % VECTOR == 0 and BLOCK * ITEMS <= 16384)
$ include "parts/operators"

$ include "sort/digits"

$ include "parts/counters"

$ include "sort/image_table"

$ include("memory", {array = "In", group = "Inputs", type = input, reads = true, writes = false})

const uint GROUPS = $(ITEMS // VECTOR)u; // of VECTOR items, of a thread and tile
const uint BATCH = $(batch)u; // groups that a thread reads together
const uint SHARE_IMAGES = $(1 << counted_bits)u; // that a block counts at a time
const uint SHARES = IMAGES / SHARE_IMAGES;
const uint HALF = 0x8000u; // counters are below it between tiles, so that one more tile cannot overflow 16 bits

// Counters of the share, two to a word.
$(launch_shared("image_counters", "SHARE_IMAGES / 2u"))

// Counts `times` keys of an image, no more than VECTOR, if it belongs to the share. The thread whose addition reaches HALF moves HALF to the scratch.
void count_image(uint image, uint times, uint share, ImageCounts counts, uint first)
{
    const uint own = image - share * SHARE_IMAGES;
    if (own >= SHARE_IMAGES) return;
    const uint shift = own % 2u * 16u;
    const uint before = $(shared_add("image_counters[own / 2u]", "times << shift")) >> shift & 0xffffu;
    if (before < HALF && before + times >= HALF) {
        $(shared_add("image_counters[own / 2u]", "0u - (HALF << shift)"));
        $(device_add("counts.at[first + image]", "HALF"));
    }
}

$(kernel("sort_image_histogram"))
{
$ include "parts/begin"
    const $(Index) n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    const bool is_aligned = is_vector_aligned(params.buffers[0]);
    const $(Index) tiles = (n + (TILE - 1u)) / TILE;
    ImageCounts counts = ImageCounts(address_at(params.scratch, IMAGE_COUNTS_OFFSET));
    const uint turn = bucket_turn(params.scratch);
    const uint first_count = turn * IMAGES;
    const uint block_groups = block_count() < SHARES ? 1u : block_count() / SHARES; // groups of blocks; each has a block for each share
    for (uint least = 0u; least < SHARE_IMAGES / 2u; least += BLOCK) {
        if (least + thread_id() < SHARE_IMAGES / 2u) image_counters[least + thread_id()] = 0u;
    }
    for (uint unit = block_id(); unit < block_groups * SHARES; unit += block_count()) {
        const uint share = unit % SHARES;
        for ($(Index) tile = unit / SHARES; tile < tiles; tile += block_groups) {
            block_barrier(); // counters are below HALF again
            const $(Index) start = tile * TILE;
            ROLL for (uint least = 0u; least < GROUPS; least += BATCH) {
                const $(Index) batch_first = start + (least * BLOCK + thread_id()) * VECTOR;
                Inputs groups[BATCH];
                if (is_aligned && start + TILE <= n) {
                    UNROLL for (uint g = 0u; g < BATCH; g++) groups[g] = load_full_inputs(in_items, batch_first + g * (BLOCK * VECTOR));
                } else {
                    UNROLL for (uint g = 0u; g < BATCH; g++) groups[g] = load_inputs(in_items, batch_first + g * (BLOCK * VECTOR), n);
                }
                ROLL for (uint g = 0u; g < BATCH; g++) {
                    const $(Index) first = batch_first + g * (BLOCK * VECTOR);
                    uint images[VECTOR];
                    const bool is_whole = first + VECTOR <= n;
                    bool are_alike = is_whole; // then one addition will do
                    UNROLL for (uint v = 0u; v < VECTOR; v++) {
                        images[v] = 0u;
                        if (is_whole || first + v < n) images[v] = $(key_is_image and map("groups[0].at[v]", "first + v") or ("key_image(%s)"):format(map("groups[0].at[v]", "first + v")));
                        are_alike = are_alike && images[v] == images[0];
                    }
                    if (are_alike) {
                        count_image(images[0], VECTOR, share, counts, first_count);
                    } else {
                        UNROLL for (uint v = 0u; v < VECTOR; v++) {
                            if (is_whole || first + v < n) count_image(images[v], 1u, share, counts, first_count);
                        }
                    }
                    UNROLL for (uint later = 1u; later < BATCH; later++) groups[later - 1u] = groups[later];
                }
            }
        }
        block_barrier();
        for (uint least = 0u; least < SHARE_IMAGES / 2u; least += BLOCK) {
            const uint word = least + thread_id();
            if (word < SHARE_IMAGES / 2u) {
                const uint pair = image_counters[word];
                const uint image = first_count + share * SHARE_IMAGES + 2u * word;
                if (pair % 65536u != 0u) $(device_add("counts.at[image]", "pair % 65536u"));
                if (pair / 65536u != 0u) $(device_add("counts.at[image + 1u]", "pair / 65536u"));
                image_counters[word] = 0u;
            }
        }
    }
    block_barrier_all_memory();
    uint others = 0u;
    if (thread_id() == 0u) others = finish_block(params.scratch); // no thread of the block reads the turn any more
    // The next sort finds the other counts zero, whether or not the launches that were to follow this one do.
    for (uint least = block_id() * BLOCK; least < IMAGES; least += block_count() * BLOCK) {
        const uint image = least + thread_id();
        if (image < IMAGES) counts.at[IMAGES - first_count + image] = 0u;
    }
    if (thread_id() == 0u && is_last_block(params.scratch, others)) end_bucket_turn(params.scratch, turn);
}
