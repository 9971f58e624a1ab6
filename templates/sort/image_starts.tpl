$ -- Scans the counts of the images: where the first key of each goes. A block adds up what comes before its own images.
$ include "parts/operators"

$ include "sort/digits"

$ include "parts/counters"

$ include "sort/image_table"

$ include "parts/subgroup"

$ include("parts/block", {turns = 1})

$ include "sort/thread_scan"

const uint IMAGE_ROWS = (IMAGES + BLOCK - 1u) / BLOCK; // of an image for each thread

const uint ROWS_AT_ONCE = 8u; // counts that a thread loads before it adds them up

$(shared(T, "row_start")) // where the keys of the row's first image begin

$(kernel("sort_image_starts"))
{
$ include "parts/begin"
    ImageCounts counts = ImageCounts(address_at(params.scratch, IMAGE_COUNTS_OFFSET));
    ImageStarts starts = ImageStarts(address_at(params.scratch, IMAGE_STARTS_OFFSET));
    const uint first_count = (1u - bucket_turn(params.scratch)) * IMAGES; // the next sort's turn begins when the keys have been counted
    const uint share = (IMAGE_ROWS + block_count() - 1u) / block_count(); // rows of a block
    const uint first_row = min(block_id() * share, IMAGE_ROWS);
    const uint end_row = min(first_row + share, IMAGE_ROWS);
    $(T) earlier = 0u; // keys of the rows before, in this thread's column
    for (uint first = 0u; first < first_row; first += ROWS_AT_ONCE) {
        UNROLL for (uint row = first; row < first + ROWS_AT_ONCE; row++) earlier += row < first_row ? counts.at[first_count + row * BLOCK + thread_id()] : 0u;
    }
    const $(T) columns = thread_scan(earlier);
    if (thread_id() == BLOCK - 1u) row_start = columns + earlier;
    for (uint row = first_row; row < end_row; row++) {
        block_barrier();
        const uint image = row * BLOCK + thread_id();
        const $(T) before = row_start;
        const $(T) count = image < IMAGES ? counts.at[first_count + image] : 0u;
        const $(T) start = before + thread_scan(count);
        if (image < IMAGES) starts.at[image] = start;
        block_barrier();
        if (thread_id() == BLOCK - 1u) row_start = start + count;
    }
}
