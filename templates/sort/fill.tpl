$ -- Writes every key as often as it was counted, the last step of a sort by counting: of keys alone whose image is all there is of them, none is moved.
$ -- A block has tiles of its own, in order, so that it knows from which image on to search.
$ -- Source: Seward 1954, "Information Sorting in the Application of Electronic Digital Computers to Business Operations" (counting sort).
$ assert(strategy == "counting" and ITEMS % VECTOR == 0)
$ local by_digit = passes == 1 -- images are digits, and have been counted as these are
$ local table = by_digit and "Starts" or "ImageStarts"
$ local all_held = held_images > 1 << key_bits
$ include "parts/operators"

$ include "sort/digits"

$ include "parts/counters"

$ include(by_digit and "sort/digit_table" or "sort/image_table")

$ include "parts/owned_tiles"

$ include "bits"

$ include("memory", {array = "Out", group = "Outputs", type = key, reads = false, writes = true})

const uint GROUPS = $(ITEMS // VECTOR)u; // of VECTOR items, of a thread and tile
const uint LAST_IMAGE = $((1 << key_bits) - 1)u;
const uint HELD_IMAGES = $(held_images)u;

$(shared(Index, "held_starts", "HELD_IMAGES")) // where the keys of consecutive images begin

// Where the keys of an image begin; behind the last, where they end.
$(Index) start_of($(table) starts, uint image, $(Index) n)
{
    return image <= LAST_IMAGE ? starts.at[image] : n;
}

// The whole block calls it.
void hold_starts($(table) starts, uint first_image, $(Index) n)
{
    block_barrier(); // what was held is not needed any more
    UNROLL for (uint first = 0u; first < HELD_IMAGES; first += BLOCK) {
        const uint held = first + thread_id();
        if (held < HELD_IMAGES) held_starts[held] = start_of(starts, first_image + held, n);
    }
    block_barrier();
}

// Which of the held images, `least` to `most`, the key at a place has: the last one that begins there or before.
uint held_image($(Index) place, uint least, uint most)
{
    uint held = least;
    ROLL for (uint step = most == least ? 0u : 1u << (bit_width(most - least) - 1u); step > 0u; step /= 2u) {
        if (held + step <= most && held_starts[held + step] <= place) held += step;
    }
    return held;
}

$ if not all_held then
// The image of the key at a place, which is `least` or a greater one.
uint image_from($(table) starts, $(Index) place, uint least, $(Index) n)
{
    uint step = 1u;
    while (least + step <= LAST_IMAGE && start_of(starts, least + step, n) <= place) step *= 2u;
    uint image = least + step / 2u;
    ROLL for (step /= 4u; step > 0u; step /= 2u) {
        if (image + step <= LAST_IMAGE && start_of(starts, image + step, n) <= place) image += step;
    }
    return image;
}

$ if not has_long_loops then
$ -- llvmpipe loses threads that leave loops before others do: all search as often.
// The same of any image.
uint any_image($(table) starts, $(Index) place, $(Index) n)
{
    uint image = 0u;
    ROLL for (uint step = (LAST_IMAGE + 1u) / 2u; step > 0u; step /= 2u) {
        if (start_of(starts, image + step, n) <= place) image += step;
    }
    return image;
}

$ end
$ end
$ local first_image = all_held and "" or "first_image + "
$(kernel("sort_fill"))
{
$ include "parts/begin"
    const $(Index) n = element_count(params.n, params.n_address);
    const TileRange tiles = owned_tiles(uint((n + (TILE - 1u)) / TILE));
    if (!is_given(params.buffers[$(keys_out_index)]) || tiles.first == tiles.end) return;
    $(table) starts = $(table)(address_at(params.scratch, $(by_digit and "STARTS_OFFSET" or "IMAGE_STARTS_OFFSET")));
    Out out_items = Out(params.buffers[$(keys_out_index)]);
    const bool is_aligned = is_vector_aligned(params.buffers[$(keys_out_index)]);
$ if all_held then
    hold_starts(starts, 0u, n);
$ else
    uint first_image = 0u; // that is held
$ end
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const $(Index) start = $(Index)(tile) * TILE;
        const $(Index) last = min(start + TILE, n) - 1u;
$ if not all_held then
        hold_starts(starts, first_image, n);
        if (held_starts[HELD_IMAGES - 1u] <= start) { // the tile is further on
            first_image = image_from(starts, start, first_image + (HELD_IMAGES - 1u), n);
            hold_starts(starts, first_image, n);
        }
        const bool are_held = held_starts[HELD_IMAGES - 1u] > last; // all images of the tile
$ end
        const uint least = held_image(start, 0u, HELD_IMAGES - 1u); // held
        const uint most = held_image(last, least, HELD_IMAGES - 1u);
$ local function if_held(here, there) return all_held and here or ("are_held ? %s : %s"):format(here, there) end
        ROLL for (uint g = 0u; g < GROUPS; g++) {
            const $(Index) first = start + (g * BLOCK + thread_id()) * VECTOR;
            Outputs group;
$ local alike = (all_held and "" or "are_held && ") .. "most == least"
$ if has_long_loops then
            uint image = $(first_image)least;
            $(Index) end = n; // of its keys
            if (!($(alike))) {
                image = $(if_held(first_image .. "held_image(first, least, most)", "image_from(starts, min(first, n - 1u), first_image + least, n)"));
                end = $(if_held(("held_starts[image%s + 1u]"):format(all_held and "" or " - first_image"), "start_of(starts, image + 1u, n)"));
            }
            if (end >= min(first + VECTOR, n)) {
                UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = $(key_of_image "image");
            } else {
                UNROLL for (uint v = 0u; v < VECTOR; v++) {
                    if (first + v >= end && end < n) {
                        image = $(if_held(first_image .. "held_image(first + v, least, most)", "image_from(starts, first + v, image, n)"));
                        end = $(if_held(("held_starts[image%s + 1u]"):format(all_held and "" or " - first_image"), "start_of(starts, image + 1u, n)"));
                    }
                    group.at[v] = $(key_of_image "image");
                }
            }
$ else
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const uint image = $(if_held(first_image .. "held_image(first + v, least, most)", "any_image(starts, min(first + v, n - 1u), n)"));
                group.at[v] = $(key_of_image "image");
            }
$ end
            if (is_aligned && start + TILE <= n) store_full_outputs(out_items, first, group);
            else store_outputs(out_items, first, n, group);
        }
$ if not all_held then
        first_image = are_held ? first_image + most : image_from(starts, last, first_image + least, n);
$ end
    }
}
