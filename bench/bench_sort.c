/* Sorts against CUB and memcpy: one process, the same memory, runs interleaved, medians, results verified. CSV on standard output.
 *
 *   bench_sort [--device D] [--n SIZES] [--csv FILE] [--rounds R] [--case NAME] [--entropy NAME[,NAME ..]] [--set KNOB=VALUE[,KNOB=VALUE ..] ..]
 *     [--digits LEAST..MOST]
 *
 * Entropies, in bits a key bit, as of `monosweep bench` (gen/cli/measure/random.h): 1.0, 0.811, 0.544, 0.337, 0.201, 0 (all keys are equal); and
 * what else keys may be (distributions, below). Each --set is one more variant; with --digits one for each number of bits of a digit, beside what two
 * models predict. */
#include "cli/measure/random.h"
#include "bench.h"
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKED_ITEMS = 1 << 22 }; /* up to this number the host verifies, too, where a peer does */

#define PAIR_KEY "local P = struct 'Pair' { {'high', u64}, {'low', u64} } return sort { key = key { type = P, by = { {'high'}, {'low'} } }"

static const struct {
    const char *name, *spec;
    uint32_t key_bytes, key_bits, value_bytes;
    int has_indices;
} cases[SORT_CASES] = {
    {"u32", "return sort { key = u32 }", 4, 32, 0, 0},
    {"u32+u32", "return sort { key = u32, value = u32 }", 4, 32, 4, 0},
    {"u64", "return sort { key = u64 }", 8, 64, 0, 0},
    {"u64+u32", "return sort { key = u64, value = u32 }", 8, 64, 4, 0},
    {"tile_depth",
     "local S = struct 'Splat' { {'tile', u32}, {'depth', f32} }\n"
     "return sort { key = key { type = S, by = { {'tile', bits = 14}, {'depth'} } }, value = 'index' }",
     8, 46, 0, 1},
    {"u8", "return sort { key = u8 }", 1, 8, 0, 0},
    {"u16", "return sort { key = u16 }", 2, 16, 0, 0},
    {"argsort", "return sort { key = u32, value = 'index' }", 4, 32, 0, 1},
    {"u32+8", "return sort { key = u32, value = u64 }", 4, 32, 8, 0},
    {"u32+16", "return sort { key = u32, value = vec(u32, 4) }", 4, 32, 16, 0},
    {"u64+8", "return sort { key = u64, value = u64 }", 8, 64, 8, 0},
    {"u64+16", "return sort { key = u64, value = vec(u32, 4) }", 8, 64, 16, 0},
    {"u128", PAIR_KEY " }", 16, 128, 0, 0},
    {"u128+u32", PAIR_KEY ", value = u32 }", 16, 128, 4, 0},
};

static uint32_t moved_value_bytes(sort_case which) { return cases[which].has_indices ? 4 : cases[which].value_bytes; }

/* Images of 64 bits, of which a key has the top ones. */
static uint64_t ascending(uint64_t i, uint64_t n) { return UINT64_MAX / n * i; }
static uint64_t descending(uint64_t i, uint64_t n) { return UINT64_MAX - UINT64_MAX / n * i; }
static uint64_t top_24_bits(uint64_t i, uint64_t n) { return (void)n, ms_mix(i) >> 40 << 40; }
static uint64_t without_top_3_bits(uint64_t i, uint64_t n) { return (void)n, ms_mix(i) >> 3; }
static uint64_t without_top_24_bits(uint64_t i, uint64_t n) { return (void)n, ms_mix(i) >> 24; }
static uint64_t with_an_outlier(uint64_t i, uint64_t n) { return i == n / 3 ? UINT64_MAX : ms_mix(i) >> 3; }
/* Half of them agree in 20 bits. */
static uint64_t half_together(uint64_t i, uint64_t n) { return (void)n, ms_mix(~i) % 2 ? ms_mix(i) >> 20 | UINT64_C(0xabcde) << 44 : ms_mix(i); }
/* 2^20 keys, the r-th as often as 1 / r (Zipf). */
static uint64_t often_and_seldom(uint64_t i, uint64_t n) { return (void)n, ms_mix((uint64_t)exp2((double)(ms_mix(i) >> 11) * 0x1p-53 * 20)); }

typedef struct distribution {
    const char *name; /* an --entropy */
    uint64_t (*image)(uint64_t i, uint64_t n);
} distribution;

static const distribution distributions[] = {{"sorted", ascending},         {"reversed", descending},        {"top24", top_24_bits},
                                             {"free3", without_top_3_bits}, {"free24", without_top_24_bits}, {"outlier", with_an_outlier},
                                             {"half", half_together},       {"zipf", often_and_seldom},      {NULL, NULL}};

/* Arrays of a case. Values given begin with their places, so that they show whether equal keys keep their order. */
typedef struct sorting {
    sort_case which;
    uint64_t n;
    unsigned char *keys, *zeros;
    uint32_t *values; /* value_bytes each */
    msw_buffer *in[2], *out[2];
    bench_arrays arrays;
} sorting;

/* ---- keys, as the unsigned numbers that order as they do ---- */

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static uint32_t flip_sign(uint32_t bits) { return bits ^ 0x80000000u; }

/* Of keys of 16 bytes their upper half. */
static uint64_t load_image(sort_case which, const unsigned char *keys, uint64_t i)
{
    uint64_t key = 0;
    memcpy(&key, keys + i * cases[which].key_bytes, least(cases[which].key_bytes, sizeof key));
    if (which != SORT_TILE_DEPTH) return key;
    const uint32_t depth = (uint32_t)(key >> 32);
    return (key & 0x3fff) << 32 | (depth >> 31 ? ~depth : flip_sign(depth));
}

static void store_image(sort_case which, unsigned char *keys, uint64_t i, uint64_t image)
{
    const uint32_t depth = (uint32_t)image;
    if (which == SORT_TILE_DEPTH) image = image >> 32 | (uint64_t)(depth >> 31 ? flip_sign(depth) : ~depth) << 32;
    memcpy(keys + i * cases[which].key_bytes, &image, least(cases[which].key_bytes, sizeof image));
}

static int has_two_words(sort_case which) { return cases[which].key_bytes == 16; }

static uint64_t load_low_half(sort_case which, const unsigned char *keys, uint64_t i)
{
    uint64_t half = 0;
    if (has_two_words(which)) memcpy(&half, keys + i * 16 + 8, sizeof half);
    return half;
}

/* Word `word` of the value that place `place` had. */
static uint32_t value_word(uint64_t place, uint32_t word) { return (uint32_t)place + word * 0x9e3779b9u; }

/* By the entropy, or, where it is NULL, as they are distributed. */
static void fill(sorting *s, const ms_entropy *entropy, const distribution *distributed)
{
    const uint32_t bits = cases[s->which].key_bits, shift = bits < 64 ? 64 - bits : 0, words = cases[s->which].value_bytes / 4;
    for (uint64_t i = 0; i < s->n; i++) {
        const uint64_t image = entropy ? ms_random_bits(i, entropy) : distributed->image(i, s->n);
        store_image(s->which, s->keys, i, image >> shift);
        if (has_two_words(s->which)) { /* equal upper halves now and then, but not often */
            const uint64_t low = entropy == ms_entropies ? ms_mix(i + s->n) : image;
            memcpy(s->keys + i * 16 + 8, &low, sizeof low);
        }
        for (uint32_t w = 0; w < words; w++) s->values[i * words + w] = value_word(i, w);
    }
}

/* ---- verification ---- */

static uint64_t key_array_bytes(const sorting *s) { return s->n * cases[s->which].key_bytes; }

static void clear(void *user)
{
    sorting *s = user;
    msw_diag diag;
    bench_check(msw_buffer_write(s->out[0], 0, s->zeros, key_array_bytes(s), &diag), &diag);
    if (s->out[1]) bench_check(msw_buffer_write(s->out[1], 0, s->zeros, s->n * moved_value_bytes(s->which), &diag), &diag);
}

/* Keys ascend, places of equal ones too, and key and place make the same multiset as before: then every place comes once, with its key. */
static const char *verify_on_host(const sorting *s)
{
    const int has_places = s->out[1] != NULL;
    const uint32_t words = moved_value_bytes(s->which) / 4;
    unsigned char *keys = bench_memory(key_array_bytes(s));
    uint32_t *values = bench_memory(s->n * 4 * (has_places ? words : 1));
    const char *verdict = "verified";
    uint64_t sum = 0, last_image = 0, last_low = 0, last_place = 0;
    msw_diag diag;
    bench_check(msw_buffer_read(s->out[0], 0, keys, key_array_bytes(s), &diag), &diag);
    if (has_places) bench_check(msw_buffer_read(s->out[1], 0, values, s->n * 4 * words, &diag), &diag);
    for (uint64_t i = 0; i < s->n; i++) {
        uint64_t before = 0, after = 0;
        memcpy(&before, s->keys + i * cases[s->which].key_bytes, least(cases[s->which].key_bytes, sizeof before));
        memcpy(&after, keys + i * cases[s->which].key_bytes, least(cases[s->which].key_bytes, sizeof after));
        const uint64_t image = load_image(s->which, keys, i), low = load_low_half(s->which, keys, i), place = has_places ? values[i * words] : 0;
        if (i && (image < last_image || (image == last_image && low < last_low))) verdict = "not sorted";
        else if (i && has_places && image == last_image && low == last_low && place <= last_place) verdict = "not stable";
        for (uint32_t w = 1; has_places && w < words; w++)
            if (values[i * words + w] != value_word(place, w)) verdict = "values are torn";
        last_image = image;
        last_low = low;
        last_place = place;
        before += 3 * load_low_half(s->which, s->keys, i);
        after += 3 * low;
        sum += ms_mix(ms_mix(before) + (has_places ? i : 0)) - ms_mix(ms_mix(after) + place);
    }
    if (sum && !strcmp(verdict, "verified")) verdict = "not a permutation";
    free(keys);
    free(values);
    return verdict;
}

/* Against what a peer keeps, where one does; else, and when there are few, by looking at the result itself. */
static const char *verify(void *user, const bench_variant *variant)
{
    const sorting *s = user;
    const bench_peer *peer = bench_peers;
    const int is_cuda = variant->kernel && msw_kernel_plan(variant->kernel)->backend == MSW_BACKEND_CUDA;
    while (peer->name && !peer->differences) peer++;
    const int has_peer = is_cuda && peer->name;
    if (has_peer && peer->differences((int)s->which, &s->arrays)) return "differs from the peer";
    return has_peer && s->n > CHECKED_ITEMS ? "verified" : verify_on_host(s);
}

/* ---- what digits of so many bits should take ---- */

/* Threads' instructions and launches, as those GPUs have them whose rows are in backends/cuda/tuning.lua. */
static const double issue_rate = 2.9e13, launch_seconds = 4e-6;
static const char srts_model[] = "model of SRTS"; /* a variant of which nothing runs */

static double slower(double instructions, double bytes, double memcpy_rate) { return fmax(instructions / issue_rate, bytes / memcpy_rate); }

/* Merrill & Grimshaw 2010, "Revisiting Sorting for GPGPU Stream Architectures": a pass reads keys twice, then moves them, and its scan kernel has
 * 51.4 + 2^d instructions an item. */
static double srts_seconds(const sorting *s, uint32_t digit_bits, double memcpy_rate)
{
    const uint32_t passes = (cases[s->which].key_bits + digit_bits - 1) / digit_bits;
    const uint32_t item_bytes = 3 * cases[s->which].key_bytes + 2 * moved_value_bytes(s->which);
    const double n = (double)s->n;
    return passes * slower(n * (51.4 + (double)(1u << digit_bits)), n * item_bytes, memcpy_rate);
}

/* A pass of 8 bits as the planner has it (pass_instructions of the rows; describe_sort of gen/spec/written.c), which was measured. Other digits
 * differ by what templates/sort/onesweep.tpl has for them, counted in the text: three instructions of an item for each bit that lanes match; of a
 * tile's bin 30, and four for each subgroup. A bin's aggregate and prefix are posted, 8 bytes each, and one of them is read. */
enum { PASS_INSTRUCTIONS = 148, PASS_BITS = 8, BIT_INSTRUCTIONS = 3, BIN_INSTRUCTIONS = 30, SUBGROUP_INSTRUCTIONS = 4, POST_BYTES = 3 * 8 };

/* The planner's model of pipelines (gen/cut/design.md), whose sorts have digits of 8 bits, for others. */
static double onesweep_seconds(const sorting *s, const msw_plan *plan, uint32_t digit_bits, double memcpy_rate)
{
    const uint32_t passes = (cases[s->which].key_bits + digit_bits - 1) / digit_bits;
    const uint32_t item_bytes = cases[s->which].key_bytes + moved_value_bytes(s->which);
    const msw_plan_step *pass = &plan->steps[plan->variants[0].first_step + plan->variants[0].step_count - 1];
    const msw_plan_kernel *kernel = &plan->kernels[pass->kernel];
    const double n = (double)s->n, bins = (double)(1u << digit_bits), tiles = ceil(n / pass->tile_items);
    const double of_item = PASS_INSTRUCTIONS * (1.5 + item_bytes / 4.0) / 2.5 + BIT_INSTRUCTIONS * ((double)digit_bits - PASS_BITS);
    const double of_bin = BIN_INSTRUCTIONS + SUBGROUP_INSTRUCTIONS * (double)kernel->block_threads / kernel->subgroup_size;
    const double instructions = n * of_item + tiles * (bins - (1u << PASS_BITS)) * of_bin;
    const double bytes = n * (double)(plan->variants[0].read_bytes_per_item + plan->variants[0].written_bytes_per_item);
    return (passes + 2) * launch_seconds + slower(passes * instructions, bytes + passes * tiles * bins * POST_BYTES, memcpy_rate);
}

static double predict(void *user, const bench_variant *variant, double memcpy_rate)
{
    const sorting *s = user;
    if (!variant->digit_bits || memcpy_rate <= 0) return 0;
    if (variant->is_model) return srts_seconds(s, variant->digit_bits, memcpy_rate);
    const msw_plan *plan = msw_kernel_plan(variant->kernel);
    if (strcmp(plan->variants[0].strategy, "onesweep") != 0) return 0;
    return onesweep_seconds(s, plan, variant->digit_bits, memcpy_rate);
}

static void add_models(bench *b, char names[BENCH_MOST_DIGIT_BITS][48])
{
    const bench_options *o = b->options;
    for (uint32_t d = o->least_digit_bits; d && d <= o->most_digit_bits; d++) {
        snprintf(names[d - 1], sizeof names[d - 1], "%s digit_bits=%u", srts_model, d);
        bench_add_model(b, names[d - 1], d);
    }
}

/* ---- the bench ---- */

static double copy(void *user, msw_kernel *kernel)
{
    const sorting *s = user;
    msw_diag diag;
    const double keys = ms_copy(kernel, s->out[0], s->in[0], key_array_bytes(s), &diag);
    const double values = s->in[1] ? ms_copy(kernel, s->out[1], s->in[1], s->n * cases[s->which].value_bytes, &diag) : 0;
    return keys < 0 || values < 0 ? -1 : keys + values;
}

static sorting make_arrays(msw_context *context, sort_case which, uint64_t n)
{
    const uint32_t given = cases[which].value_bytes, moved = moved_value_bytes(which), key_bytes = cases[which].key_bytes;
    const uint64_t most_bytes = n * (key_bytes > moved ? key_bytes : moved);
    sorting s = {.which = which, .n = n, .keys = bench_memory(n * (key_bytes > 8 ? key_bytes : 8)), .zeros = bench_memory(most_bytes)};
    msw_diag diag;
    memset(s.zeros, 0, most_bytes);
    if (given) s.values = bench_memory(n * given);
    for (int i = 0; i < 2; i++) {
        msw_buffer **const buffers = i ? s.out : s.in;
        bench_check(msw_buffer_create(context, n * cases[which].key_bytes, &buffers[0], &diag), &diag);
        if (i ? moved : given) bench_check(msw_buffer_create(context, n * (i ? moved : given), &buffers[1], &diag), &diag);
    }
    for (int i = 0; i < 2; i++) {
        s.arrays.in[i] = s.in[i] ? msw_buffer_address(s.in[i]) : 0;
        s.arrays.out[i] = s.out[i] ? msw_buffer_address(s.out[i]) : 0;
    }
    return s;
}

static void free_arrays(sorting *s)
{
    for (int i = 0; i < 2; i++) {
        msw_buffer_destroy(s->in[i]);
        msw_buffer_destroy(s->out[i]);
    }
    free(s->keys);
    free(s->zeros);
    free(s->values);
}

static int run_case(msw_context *context, sort_case which, const bench_options *o, const ms_entropy *entropy, const distribution *distributed)
{
    sorting s = make_arrays(context, which, o->n[o->n_count - 1]);
    char name[64], models[BENCH_MOST_DIGIT_BITS][48];
    bench b = {.context = context,
               .options = o,
               .name = name,
               .kind = "sort",
               .which = (int)which,
               .clear = clear,
               .verify = verify,
               .copy = copy,
               .predict = predict,
               .user = &s,
               .element_bytes = 2 * cases[which].key_bytes + cases[which].value_bytes + moved_value_bytes(which),
               .memcpy_bytes = 2 * (cases[which].key_bytes + cases[which].value_bytes)};
    msw_diag diag;
    int is_right = 1;
    if (entropy == ms_entropies) snprintf(name, sizeof name, "%s", cases[which].name);
    else snprintf(name, sizeof name, "%s %s", cases[which].name, entropy ? entropy->name : distributed->name);
    bench_add_peers(&b);
    if (!o->most_digit_bits) bench_add(&b, cases[which].spec, "default", NULL, 0);
    bench_add_sets(&b, cases[which].spec);
    add_models(&b, models);
    for (uint32_t i = 0; i < o->n_count; i++) {
        s.n = s.arrays.n = o->n[i];
        fill(&s, entropy, distributed);
        bench_check(msw_buffer_write(s.in[0], 0, s.keys, key_array_bytes(&s), &diag), &diag);
        if (s.in[1]) bench_check(msw_buffer_write(s.in[1], 0, s.values, s.n * cases[which].value_bytes, &diag), &diag);
        is_right &= bench_run(&b, &s.arrays);
    }
    bench_free(&b);
    free_arrays(&s);
    return is_right;
}

/* One name of --entropy's list: every case that is wanted. */
static int run_entropy(msw_context *context, const bench_options *o, const char *name)
{
    const ms_entropy *entropy = ms_entropies;
    const distribution *distributed = distributions;
    int is_right = 1;
    while (entropy->name && strcmp(name, entropy->name)) entropy++;
    while (distributed->name && strcmp(name, distributed->name)) distributed++;
    if (!entropy->name && !distributed->name)
        bench_die(
            "--entropy: 1.0, 0.811, 0.544, 0.337, 0.201, 0 (all equal), sorted, reversed, top24 (random bits), free3, free24 (its top bits are 0), "
            "outlier (free3, but one key has all bits), half (in one bucket), zipf, or several with commas between");
    for (int c = 0; c < SORT_CASES; c++)
        if (bench_is_wanted(o, cases[c].name)) is_right &= run_case(context, (sort_case)c, o, entropy->name ? entropy : NULL, distributed);
    return is_right;
}

int main(int argc, char **argv)
{
    const bench_options o = bench_parse(argc, argv, "16,20,24,28");
    char names[256];
    int is_right = 1;
    msw_context *context = bench_open(&o);
    snprintf(names, sizeof names, "%s", o.entropy ? o.entropy : ms_entropies->name);
    for (const char *name = strtok(names, ","); name; name = strtok(NULL, ",")) is_right &= run_entropy(context, &o, name);
    msw_context_destroy(context);
    return !is_right;
}
