$ -- Counts of all passes' digits, in shared memory: COPIES histograms, which a block's lanes take in turns. Told: digit_words, the array.
$ -- Uses digits.tpl.
const uint COPIES = $(copies)u;

void count_digits($(Key) key)
{
    UNROLL for (uint pass = 0u; pass < PASSES; pass++) {
        const uint bin = pass * BINS + digit_of(key, digit_of_pass(pass));
        $(shared_add(digit_words .. "[bin * COPIES + lane_id() % COPIES]", "1u"));
    }
}
