$ -- Scans the histogram of every pass: where the keys of a bin go. It leaves the histogram zero, for the next sort.
$ include "operators"

$ include "digits"

$ include "digit_table"

$ include "subgroup"

$ include("block", {turns = 1})

$ include "thread_scan"

const uint THREAD_BINS = (BINS + BLOCK - 1u) / BLOCK; // consecutive ones of a thread

$(shared("uint", "has_one_bin", 1))

$(kernel("sort_starts"))
{
    const $(Index) n = element_count(params.n, params.n_address);
    Histogram histogram = Histogram(address_at(params.scratch, HISTOGRAM_OFFSET));
    Starts starts = Starts(address_at(params.scratch, STARTS_OFFSET));
    Varies varies = Varies(address_at(params.scratch, VARIES_OFFSET));

    for (uint pass = block_id(); pass < PASSES; pass += block_count()) {
        if (thread_id() == 0u) has_one_bin[0] = 0u;
        block_barrier();
        $(T) counts[THREAD_BINS];
        $(T) sum = 0u;
        UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
            const uint bin = thread_id() * THREAD_BINS + b;
            counts[b] = 0u;
            if (bin < BINS) {
                counts[b] = histogram.at[pass * BINS + bin];
                histogram.at[pass * BINS + bin] = 0u;
                if (counts[b] == n) $(shared_max("has_one_bin[0]", "1u"));
            }
            sum += counts[b];
        }
        $(T) start = thread_scan(sum);
        UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
            const uint bin = thread_id() * THREAD_BINS + b;
            if (bin < BINS) starts.at[pass * BINS + bin] = start;
            start += counts[b];
        }
        block_barrier();
        if (thread_id() == 0u) varies.at[pass] = 1u - has_one_bin[0];
    }
}
