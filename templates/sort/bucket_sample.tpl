$ -- A look at a few keys before all are counted: in which bits they differ, and whether so many of them are in so few buckets that blocks could not
$ -- sort these. All blocks look at the same keys, so that they agree, in the counters that they are about to use. Uses digits.tpl, bucket_table.tpl.
$ -- Threads have set bucket_words to zero, and wait for each other here.
$ include("items", {array = "Samples", name = "sample", type = input, reads = true, writes = false})

$ local rows = op_map and 1 or 4 -- a map's text once: it takes long to compile
$ local samples = rows * BLOCK
$ local pairs = samples * (samples - 1) // 2
const uint SAMPLE_ROWS = $(rows)u;
const uint SAMPLES = SAMPLE_ROWS * BLOCK;
const uint SAMPLE_PAIRS = $(pairs)u;
const uint CHANCE_PAIRS = $(math.ceil(6 * math.sqrt(pairs)))u; // six deviations of how many of random keys are in one bucket, were there one alone
const uint NO_BUCKET = 0xffffffffu;
const uint LEAST_PASSES = $(least_passes)u; // that keys would take digit by digit: to partition and sort them takes as long as three
const uint COMPARED = $(math.min(64, BLOCK))u; // threads whose samples tell which digits vary

$(shared("uint", "bucket_pairs")) // samples that are in one bucket, by twos
$(shared("uint", "most_samples")) // of a bucket
$(shared("uint", "sample_varies", "PASSES")) // by digit
$(shared("uint", "first_image", image_words)) // of the first key, the lowest word first
$(shared("uint", "sample_differs", image_words)) // by word: the bits in which a sample differs from the first key, as the greatest number

// Where the window ends: behind the highest bit in which samples differ, but not before $(image_words > 1 and "LEADING_BITS" or "it fits").
uint sampled_end(uint window_bits)
{
    uint end = 0u;
$ for w = 0, image_words - 1 do
    if (sample_differs[$(w)] != 0u) end = $(w > 0 and 32 * w .. "u + " or "")bit_width(sample_differs[$(w)]);
$ end
$ local least = image_words > 1 and "LEADING_BITS" or "window_bits"
    return end < $(least) ? $(least) : end;
}

// What all keys of buckets have in common: the bits from the window's end on.
struct Prefix {
$ for w = 0, image_words - 1 do
    uint bits$(w), mask$(w);
$ end
};

Prefix prefix_from(uint end)
{
    Prefix prefix;
$ for w = 0, image_words - 1 do
    prefix.mask$(w) = $(w > 0 and ("end <= %du ? 0xffffffffu : "):format(32 * w) or "")end >= $(32 * w + 32)u ? 0u : 0xffffffffu << end % 32u;
    prefix.bits$(w) = first_image[$(w)] & prefix.mask$(w);
$ end
    return prefix;
}

bool has_prefix($(Key) key, Prefix prefix)
{
$ if not key_is_image then
    const $(Image) image = key_image(key);
$ end
$ local image = key_is_image and "key" or "image"
$ local names = ({ {""}, {".y", ".x"}, {".z", ".y", ".x"}, {".w", ".z", ".y", ".x"} })[image_words] -- the lowest word first
$ local differs = {}
$ for w, name in ipairs(names) do differs[w] = ("(%s%s & prefix.mask%d) == prefix.bits%d"):format(image, name, w - 1, w - 1) end
    return $(table.concat(differs, " && "));
}

// Whether keys are in buckets of more than a block sorts, on average, or one bucket stands out, or few digits vary.
$ local counted = has_shares == 1 and "told_bits" or "window_bits" -- of a bucket's number: those for which a block has counters
bool is_skewed(Samples items, $(Index) n, uint window_bits$(has_shares == 1 and ", uint told_bits" or ""))
{
    if (n == 0u || n >> window_bits > MOST_MEAN_ITEMS) return true;
    const uint parts = n < SAMPLES ? 1u : uint(n / SAMPLES);
    if (thread_id() == 0u) {
        bucket_pairs = 0u;
        most_samples = 0u;
    }
    ROLL for (uint pass = thread_id(); pass < PASSES; pass += BLOCK) sample_varies[pass] = 0u;
    if (thread_id() < $(image_words)u) sample_differs[thread_id()] = 0u;
    block_barrier();
    $(Key) keys[SAMPLE_ROWS];
    uint buckets[SAMPLE_ROWS];
    UNROLL for (uint row = 0u; row < SAMPLE_ROWS; row++) {
        const uint number = row * BLOCK + thread_id();
        const uint place = number * parts + number * 0x9e3779b9u % parts; // not in step with what repeats in the array
        buckets[row] = place < n ? 0u : NO_BUCKET;
        keys[row] = $(map("load_sample(items, place < n ? place : 0u)", "place < n ? place : 0u"));
    }
    const $(Key) first_key = $(map("load_sample(items, 0u)", "0u"));
$ local function image_of(key) return (key_is_image and "%s" or "key_image(%s)"):format(key) end
    const $(Image) first = $(image_of "first_key");
$ for w, name in ipairs(names) do
    if (thread_id() == 0u) first_image[$(w - 1)] = first$(name);
$ end
    UNROLL for (uint row = 0u; row < SAMPLE_ROWS; row++) {
        const $(Image) image = $(image_of "keys[row]");
$ for w, name in ipairs(names) do
        $(shared_max(("sample_differs[%d]"):format(w - 1), ("image%s ^ first%s"):format(name, name)));
$ end
        ROLL for (uint pass = 0u; thread_id() < COMPARED && pass < PASSES; pass++) {
            const Digit digit = digit_of_pass(pass);
            if (digit_of(keys[row], digit) != digit_of(first_key, digit)) $(shared_max("sample_varies[pass]", "1u"));
        }
    }
    block_barrier();
    const Digit window = window_digit($(counted), sampled_end(window_bits));
    uint varied = 0u;
    ROLL for (uint pass = 0u; pass < PASSES; pass++) varied += sample_varies[pass];
    if (varied < LEAST_PASSES) return true;
    uint pairs = 0u;
    uint most = 0u;
    UNROLL for (uint row = 0u; row < SAMPLE_ROWS; row++) {
        if (buckets[row] != NO_BUCKET) {
            buckets[row] = digit_of(keys[row], window);
            const uint shift = buckets[row] % 2u * 16u;
            const uint others = $(shared_add("bucket_words[buckets[row] / 2u]", "1u << shift")) >> shift & 0xffffu;
            pairs += others;
            if (others >= most) most = others + 1u;
        }
    }
    if (pairs != 0u) {
        $(shared_add("bucket_pairs", "pairs"));
        $(shared_max("most_samples", "most"));
    }
    block_barrier();
    const uint blocks = uint(n / most_bucket_items(n)) + 1u; // that sort buckets, at least
    if (most_samples > 2u * SAMPLES / blocks + 8u) return true;
    const uint chance_pairs = (SAMPLE_PAIRS >> $(counted)) + (CHANCE_PAIRS >> $(counted) / 2u) + 6u;
    if (bucket_pairs > chance_pairs && bucket_pairs > SAMPLE_PAIRS / blocks) return true;
    UNROLL for (uint row = 0u; row < SAMPLE_ROWS; row++) {
        if (buckets[row] != NO_BUCKET) $(shared_add("bucket_words[buckets[row] / 2u]", "0u - (1u << buckets[row] % 2u * 16u)"));
    }
    block_barrier();
    return false;
}
