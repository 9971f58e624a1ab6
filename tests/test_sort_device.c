/* Sorts on a device (MSW_TEST_DEVICE, default vulkan) against the oracle, bit for bit: keys and values of every kind, at the sizes where a kernel
 * goes another way; knobs, outputs that are not given, in place, posts that never come, and one scratch for many launches. An argument is a
 * filter of tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_device.h"

#include <unistd.h>

enum { MOST_BYTES = 1 << 24, GUARD_BYTES = 64, MAX_KNOBS = 8, MILLION = 1000003, MANY_TILES = 65537 };

static msw_spec *spec;
static msw_context *context;
static int validation_messages;
static uint64_t random_state;

/* In the plan's order: keys, then values where they are given, keys_out, values_out. */
static unsigned char *host[4], *expected[4];
static msw_buffer *device[4], *count_buffer;

static void check(msw_result result, const msw_diag *diag)
{
    if (result != MSW_OK) fail_msg("%s", diag->message);
}

static int open_all(void **state)
{
    const msw_spec_desc read = {.struct_size = sizeof read, .file = MSW_SOURCE_DIR "/tests/corpus/sorts.lua"};
    msw_context_desc desc = watched_context(test_device_name(), &validation_messages);
    msw_diag diag;
    (void)state;
    desc.progress = MSW_PROGRESS_NONE; /* kernels come with the fallback */
    check(msw_spec_create(&read, &spec, &diag), &diag);
    check(msw_context_create(&desc, &context, &diag), &diag);
    print_message("%s: %s\n", msw_context_device(context)->id, msw_context_device(context)->name);
    for (int b = 0; b < 4; b++) {
        check(msw_buffer_create(context, MOST_BYTES, &device[b], &diag), &diag);
        host[b] = malloc(MOST_BYTES);
        expected[b] = malloc(MOST_BYTES);
        if (!host[b] || !expected[b]) return -1;
    }
    check(msw_buffer_create(context, 8, &count_buffer, &diag), &diag);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    for (int b = 0; b < 4; b++) {
        msw_buffer_destroy(device[b]);
        free(host[b]);
        free(expected[b]);
    }
    msw_buffer_destroy(count_buffer);
    msw_context_destroy(context);
    msw_spec_destroy(spec);
    return validation_messages ? -1 : 0;
}

/* ---- a sort and its scratch ---- */

typedef struct sorter {
    msw_kernel *kernel;
    const msw_plan *plan;
    uint32_t op;
    msw_op_info info;
    const char *label;
    int values, keys_out, values_out; /* places among the buffers, or -1 */
    uint64_t tile, n_bound;
    msw_buffer *scratch;
    int is_ready; /* the scratch */
} sorter;

static uint64_t tile_of(const msw_plan *plan) { return plan->steps[plan->variants[0].first_step].tile_items; }

static uint64_t bytes_of(const sorter *s, int buffer) { return s->plan->buffers[buffer].element_bytes; }

/* knobs: "name=value name=value"; n_tiles: the largest n is so many tiles; 0: n_bound. */
static sorter open_sorter(const char *op, const char *knob_text, uint64_t n_tiles, uint64_t n_bound)
{
    char words[256], *rest = words;
    msw_knob knobs[MAX_KNOBS];
    uint32_t count = 0;
    msw_diag diag;
    sorter s = {.op = (uint32_t)msw_spec_find(spec, op), .label = knob_text, .values = -1, .values_out = -1};
    snprintf(words, sizeof words, "%s", knob_text);
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL && count < MAX_KNOBS; count++) {
        char *equals = strchr(word, '=');
        *equals = '\0';
        knobs[count] = (msw_knob){word, equals + 1};
    }
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec = spec, .op = op, .knobs = knobs, .knob_count = count};
    check(msw_spec_op(spec, s.op, &s.info), &diag);
    check(msw_kernel_create(context, &desc, &s.kernel, &diag), &diag);
    s.plan = msw_kernel_plan(s.kernel);
    for (int b = 0; b < (int)s.plan->buffer_count; b++) {
        if (!strcmp(s.plan->buffers[b].name, "values")) s.values = b;
        if (!strcmp(s.plan->buffers[b].name, "keys_out")) s.keys_out = b;
        if (!strcmp(s.plan->buffers[b].name, "values_out")) s.values_out = b;
    }
    s.tile = tile_of(s.plan);
    s.n_bound = n_tiles ? n_tiles * s.tile : n_bound;
    check(msw_buffer_create(context, msw_scratch_bytes(s.plan, s.n_bound), &s.scratch, &diag), &diag);
    return s;
}

static void close_sorter(sorter *s)
{
    msw_buffer_destroy(s->scratch);
    msw_kernel_destroy(s->kernel);
}

/* ---- data ---- */

static uint64_t draw(void) /* xorshift64* (Vigna 2016) */
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 0x2545f4914f6cdd1du;
}

/* Entropies of 1, 0.544 and 0.201 bits a bit, as Thearling & Smith 1992 make them; special: zeros, infinities, NaNs, least and greatest integers;
 * half: every other byte is equal in all keys, so that passes are left out; small: words that look like the tags of posts. */
typedef enum pattern { RANDOM, AND_OF_2, AND_OF_5, EQUAL, SORTED, REVERSED, SPECIAL, HALF, SMALL, PATTERNS } pattern;

static void fill(unsigned char *memory, uint64_t bytes, int words)
{
    for (uint64_t i = 0; i < bytes; i += 8) {
        uint64_t bits = draw();
        for (int w = 1; w < words; w++) bits &= draw();
        memcpy(memory + i, &bits, bytes - i < 8 ? (size_t)(bytes - i) : 8);
    }
}

static void fill_special(const msw_type_info *type, unsigned char *memory, uint64_t n)
{
    static const uint32_t bytes_of_scalar[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t l = 0; l < type->leaf_count; l++) {
            const msw_scalar scalar = type->leaves[l].scalar;
            const uint32_t bytes = bytes_of_scalar[scalar];
            const uint64_t sign = (uint64_t)1 << (8 * bytes - 1), inf = scalar == MSW_F16 ? 0x7c00 : scalar == MSW_F32 ? 0x7f800000 : 0x7ff0000000000000;
            const uint64_t few[10] = {0, sign, inf, inf | sign, inf + 1, (inf + 1) | sign, sign - 1, UINT64_MAX, 1, sign | 1};
            const uint64_t bits = few[(draw() >> 32) % 10];
            memcpy(memory + i * type->size_bytes + type->leaves[l].offset_bytes, &bits, bytes);
        }
}

static void evaluate(const sorter *s, uint64_t n)
{
    const void *inputs[2] = {host[0], s->values < 0 ? NULL : host[s->values]};
    void *outputs[2] = {expected[s->keys_out], s->values_out < 0 ? NULL : expected[s->values_out]};
    msw_diag diag;
    check(msw_spec_evaluate(spec, s->op, n, inputs, outputs, NULL, NULL, NULL, &diag), &diag);
}

static void make_inputs(const sorter *s, uint64_t n, pattern p)
{
    const uint64_t bytes = bytes_of(s, 0);
    fill(host[0], n * bytes, p == AND_OF_2 ? 2 : p == AND_OF_5 ? 5 : 1);
    if (p == EQUAL)
        for (uint64_t i = 1; i < n; i++) memcpy(host[0] + i * bytes, host[0], (size_t)bytes);
    if (p == HALF)
        for (uint64_t i = 0; i < n * bytes; i++) host[0][i] = i % bytes % 2 ? host[0][i] : 0x81;
    if (p == SMALL)
        for (uint64_t i = 0; i < n * bytes; i++) host[0][i] = i % 4 ? 0 : host[0][i];
    if (p == SPECIAL) fill_special(&s->info.buffers[0].type, host[0], n);
    if (s->values >= 0) fill(host[s->values], n * bytes_of(s, s->values), 1);
    if ((p != SORTED && p != REVERSED) || !strcmp(s->plan->buffers[0].name, "in")) return;
    evaluate(s, n);
    for (uint64_t i = 0; i < n; i++) memcpy(host[0] + i * bytes, expected[s->keys_out] + (p == SORTED ? i : n - 1 - i) * bytes, (size_t)bytes);
}

/* ---- one run ---- */

enum { NO_KEYS = 1, NO_VALUES = 2, KEYS_IN_PLACE = 4, VALUES_IN_PLACE = 8, N_FROM_ADDRESS = 16, N_BEYOND_BOUND = 32, TURNS = 64 };

/* Buffers begin as unaligned as the plan allows. */
static uint64_t offset_of(const sorter *s, int buffer) { return s->plan->buffers[buffer].alignment_bytes; }

static void upload(const sorter *s, int buffer, const unsigned char *data, uint64_t bytes)
{
    msw_diag diag;
    check(msw_buffer_write(device[buffer], offset_of(s, buffer), data, bytes, &diag), &diag);
}

/* Every element of a buffer is what it should be, and what lies behind it is as it was. */
static void compare(const sorter *s, int where, int buffer, const unsigned char *wanted, uint64_t n, const char *what)
{
    const uint64_t bytes = n * bytes_of(s, buffer);
    unsigned char *got = malloc((size_t)bytes + GUARD_BYTES);
    msw_diag diag;
    uint64_t i = 0;
    assert_non_null(got);
    check(msw_buffer_read(device[where], offset_of(s, where), got, bytes + GUARD_BYTES, &diag), &diag);
    while (i < bytes && got[i] == wanted[i]) i++;
    if (i < bytes)
        fail_msg("%s, %s, n = %llu, %s: %s[%llu] differs", s->plan->name, s->label, (unsigned long long)n, what, s->plan->buffers[buffer].name,
                 (unsigned long long)(i / bytes_of(s, buffer)));
    for (i = 0; i < GUARD_BYTES; i++)
        if (got[bytes + i] != 0xa5) fail_msg("%s, %s, n = %llu, %s: byte %llu behind %s was written", s->plan->name, s->label, (unsigned long long)n, what, (unsigned long long)i, s->plan->buffers[buffer].name);
    free(got);
}

static msw_enqueue_desc describe(const sorter *s, uint64_t n, int how)
{
    msw_enqueue_desc desc = {.struct_size = sizeof desc, .n = n, .scratch = msw_buffer_address(s->scratch), .scratch_bytes = msw_scratch_bytes(s->plan, s->n_bound)};
    for (int b = 0; b < (int)s->plan->buffer_count; b++) desc.buffers[b] = msw_buffer_address(device[b]) + offset_of(s, b);
    if (how & KEYS_IN_PLACE) desc.buffers[s->keys_out] = desc.buffers[0];
    if (how & VALUES_IN_PLACE) desc.buffers[s->values_out] = desc.buffers[s->values];
    if (how & (KEYS_IN_PLACE | VALUES_IN_PLACE)) desc.flags = MSW_IN_PLACE;
    if (how & TURNS) desc.flags = MSW_PING_PONG, desc.scratch_bytes = msw_scratch_bytes_ping_pong(s->plan, s->n_bound);
    if (how & NO_KEYS) desc.buffers[s->keys_out] = 0;
    if ((how & NO_VALUES) && s->values_out >= 0) desc.buffers[s->values_out] = 0;
    if (how & N_FROM_ADDRESS) desc.n_address = msw_buffer_address(count_buffer), desc.n = s->n_bound;
    return desc;
}

/* The inputs are on the host. */
static void run(sorter *s, uint64_t n, int how, const char *what)
{
    msw_enqueue_desc desc = describe(s, n, how);
    msw_diag diag;
    static unsigned char guard[GUARD_BYTES];
    memset(guard, 0xa5, sizeof guard);
    evaluate(s, n);
    for (int b = 0; b < (int)s->plan->buffer_count; b++) {
        const uint64_t bytes = n * bytes_of(s, b);
        if (s->plan->buffers[b].is_output) memset(host[b], 0xa5, (size_t)bytes);
        upload(s, b, host[b], bytes);
        check(msw_buffer_write(device[b], offset_of(s, b) + bytes, guard, GUARD_BYTES, &diag), &diag);
    }
    const uint64_t count = how & N_BEYOND_BOUND ? n + 1000 : n;
    check(msw_buffer_write(count_buffer, 0, &count, 8, &diag), &diag);
    if (!s->is_ready) { /* for any n to come */
        desc.flags |= MSW_SCRATCH_DIRTY;
        desc.n = s->n_bound;
        desc.n_address = msw_buffer_address(count_buffer);
        s->is_ready = 1;
    }
    check(msw_kernel_run(s->kernel, &desc, NULL, &diag), &diag);
    const int in_inputs = how & TURNS && msw_ends_in_inputs(s->plan, s->n_bound);
    if (!(how & NO_KEYS)) compare(s, how & KEYS_IN_PLACE || in_inputs ? 0 : s->keys_out, s->keys_out, expected[s->keys_out], n, what);
    if (!(how & NO_VALUES) && s->values_out >= 0)
        compare(s, how & VALUES_IN_PLACE || in_inputs ? s->values : s->values_out, s->values_out, expected[s->values_out], n, what);
    if (how & TURNS) return;
    if (!(how & KEYS_IN_PLACE)) compare(s, 0, 0, host[0], n, what);
    if (!(how & VALUES_IN_PLACE) && s->values >= 0) compare(s, s->values, s->values, host[s->values], n, what);
}

static void run_pattern(sorter *s, uint64_t n, pattern p, int how)
{
    static const char *const names[] = {"random", "and of 2", "and of 5", "equal", "sorted", "reversed", "special", "half", "small"};
    make_inputs(s, n, p);
    run(s, n, how, names[p]);
}

/* ---- keys and values ---- */

/* Every size, and every pattern. */
static void check_operation(const char *op, const char *knobs)
{
    sorter s = open_sorter(op, knobs, 8, 0);
    const uint64_t sizes[] = {0, 1, 2, 31, 32, 33, s.tile - 1, s.tile, s.tile + 1, 5 * s.tile + 7};
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i] < s.n_bound) run_pattern(&s, sizes[i], (pattern)((s.op + i) % PATTERNS), 0);
    for (int p = 0; p < PATTERNS; p++) run_pattern(&s, 3 * s.tile - 5, (pattern)p, 0);
    close_sorter(&s);
}

/* Small tiles and digits: unrolled loops over a tile's items and a digit's bins take a driver's compiler most of the time. */
static void test_every_operation(void **state)
{
    (void)state;
    random_state = 31;
    for (uint32_t op = 0; op < msw_spec_op_count(spec); op++) {
        msw_op_info info;
        assert_int_equal(msw_spec_op(spec, op, &info), MSW_OK);
        check_operation(info.name, info.buffers[0].type.size_bytes % 4 ? "items=4 vector=4 digit_bits=4" : "items=2 vector=2 digit_bits=4");
    }
}


/* As devices run them. */
static void test_defaults(void **state)
{
    (void)state;
    random_state = 32;
    check_operation("u8_up", "");
    check_operation("splat", "");
    sorter s = open_sorter("f32_down", "", 0, MILLION);
    run_pattern(&s, MILLION, RANDOM, 0);
    run_pattern(&s, MILLION, AND_OF_5, 0);
    close_sorter(&s);
}

/* ---- knobs ---- */

/* Digits in one word or across two, the last one of fewer bits; one pass or many. */
static void test_digit_bits(void **state)
{
    static const struct { const char *op, *knobs; } cases[] = {
        {"u16_up", "digit_bits=1 items=4 vector=4"}, {"u16_up", "digit_bits=2 items=4 vector=4"}, {"wide", "digit_bits=3 items=1 vector=1"},
        {"morton63", "digit_bits=4 items=1 vector=1"}, {"range64", "digit_bits=5 items=1 vector=1"}, {"bytes3", "digit_bits=6 items=4 vector=4"},
        {"wide", "digit_bits=7 items=1 vector=1"}, {"segment", "digit_bits=8 items=1 vector=1"}, {"range64", "digit_bits=9 items=1 vector=1 block=64"}};
    const uint32_t lanes = msw_context_device(context)->target.subgroup_size, count = sizeof cases / sizeof *cases - (lanes < 8); /* shared memory of 32 KiB */
    (void)state;
    random_state = 33;
    for (uint32_t c = 0; c < count; c++) {
        sorter s = open_sorter(cases[c].op, cases[c].knobs, 8, 0);
        for (int p = 0; p < PATTERNS; p++) run_pattern(&s, 3 * s.tile + 5 + (uint64_t)p, (pattern)p, 0);
        close_sorter(&s);
    }
}

static void test_without_subgroup_operations(void **state)
{
    (void)state;
    random_state = 34;
    check_operation("splat", "subgroup=1 block=16 items=4 vector=4 digit_bits=5");
    check_operation("i8_up", "strategy=onesweep subgroup=1 block=64 items=4 vector=4 digit_bits=8 lookback=serial");
}

/* What is one tile at most. */
static void test_single_block(void **state)
{
    static const struct { const char *op, *knobs; int ways; } cases[] = {
        {"splat", "items=4 vector=4 digit_bits=5", KEYS_IN_PLACE}, {"bytes7", "items=4 vector=4 digit_bits=8", KEYS_IN_PLACE | VALUES_IN_PLACE},
        {"mapped", "items=4 vector=4 digit_bits=6", NO_KEYS}, {"u8_up", "items=4 vector=4 digit_bits=3", KEYS_IN_PLACE},
        {"wide", "items=1 vector=1 digit_bits=7", NO_KEYS}, {"i64_down", "subgroup=1 block=32 items=4 vector=4 digit_bits=4", VALUES_IN_PLACE}};
    (void)state;
    random_state = 41;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char knobs[128];
        snprintf(knobs, sizeof knobs, "strategy=single_block %s", cases[c].knobs);
        sorter s = open_sorter(cases[c].op, knobs, 1, 0);
        const uint64_t sizes[] = {0, 1, 2, s.tile / 2 + 1, s.tile - 1, s.tile};
        assert_int_equal(s.plan->variant_count, 1);
        assert_int_equal(msw_scratch_bytes(s.plan, s.tile), 0);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            for (int p = 0; p < PATTERNS; p++) run_pattern(&s, sizes[i], (pattern)p, 0);
            run_pattern(&s, sizes[i], RANDOM, cases[c].ways);
            run_pattern(&s, sizes[i], AND_OF_2, N_FROM_ADDRESS);
        }
        close_sorter(&s);
    }
}

/* What a block does not post, those that wait for it count again. */
static void test_withheld_posts(void **state)
{
    static const char *const withheld[] = {"withhold=512", "withhold=64", "withhold=2", "withhold=1", "withhold=block", "withhold=3 lookback=1", "withhold=2 subgroup=1"};
    (void)state;
    random_state = 35;
    for (size_t w = 0; w < sizeof withheld / sizeof *withheld; w++) {
        char knobs[128];
        snprintf(knobs, sizeof knobs, "block=16 items=2 vector=1 digit_bits=4 spin=4 blocks=11 %s", withheld[w]);
        sorter s = open_sorter("range", knobs, 700, 0);
        for (uint64_t launch = 0; launch < 4; launch++) run_pattern(&s, s.n_bound - 500 * s.tile * (launch % 2) - launch, launch % 2 ? RANDOM : AND_OF_5, 0);
        run_pattern(&s, s.n_bound / 2, RANDOM, KEYS_IN_PLACE);
        close_sorter(&s);
    }
}

static void test_many_tiles(void **state)
{
    char knobs[128];
    const uint32_t lanes = msw_context_device(context)->target.subgroup_size;
    (void)state;
    random_state = 36;
    snprintf(knobs, sizeof knobs, "block=%u items=1 vector=1 digit_bits=4", lanes < 8 ? 8 : lanes);
    sorter s = open_sorter("range", knobs, MANY_TILES, 0);
    run_pattern(&s, s.n_bound, RANDOM, 0);
    run_pattern(&s, s.n_bound - 1, AND_OF_2, KEYS_IN_PLACE);
    close_sorter(&s);
}

/* ---- ways to run one ---- */

static const pattern few_patterns[] = {RANDOM, EQUAL, HALF, AND_OF_5};
enum { FEW_PATTERNS = sizeof few_patterns / sizeof *few_patterns };

static void check_ways(const char *op, const char *knobs, const int *ways, size_t count)
{
    sorter s = open_sorter(op, knobs, 6, 0);
    const uint64_t sizes[] = {0, 1, s.tile, 4 * s.tile + 3};
    for (size_t w = 0; w < count; w++)
        for (int i = 0; i < 4; i++)
            for (int p = 0; p < (i == 3 ? FEW_PATTERNS : 1); p++) run_pattern(&s, sizes[i], few_patterns[p], ways[w]);
    close_sorter(&s);
}

/* Without look-back: blocks own tiles, several each. */
static void test_upsweep_downsweep(void **state)
{
    static const int ways[] = {0, KEYS_IN_PLACE, N_FROM_ADDRESS, NO_KEYS};
    (void)state;
    random_state = 42;
    check_operation("splat", "strategy=upsweep_downsweep items=4 vector=4 digit_bits=5 blocks=3");
    check_operation("u16_up", "strategy=upsweep_downsweep items=4 vector=4 digit_bits=7");
    check_operation("mapped", "strategy=upsweep_downsweep items=4 vector=4 digit_bits=6 blocks=2");
    check_ways("bytes7", "strategy=upsweep_downsweep items=4 vector=4 digit_bits=6 blocks=2", ways, 4); /* 3 passes */
    check_ways("i64_down", "strategy=upsweep_downsweep items=2 vector=1 digit_bits=8 blocks=4", ways, 4);
}

static void test_outputs_not_given(void **state)
{
    static const int ways[] = {NO_KEYS, NO_VALUES, NO_KEYS | NO_VALUES};
    (void)state;
    random_state = 37;
    check_ways("splat", "strategy=onesweep items=4 vector=4 digit_bits=5", ways, 3);  /* 10 passes */
    check_ways("u16_up", "items=4 vector=4 digit_bits=6", ways, 3); /* 3 passes */
    check_ways("u8_up", "strategy=onesweep items=4 vector=4 digit_bits=3", ways, 3);  /* keys alone */
    check_ways("mapped", "strategy=onesweep items=4 vector=4 digit_bits=6", ways, 3);
}

/* With an odd number of passes that must run, one more does. */
static void test_in_place(void **state)
{
    static const int ways[] = {KEYS_IN_PLACE, VALUES_IN_PLACE, KEYS_IN_PLACE | VALUES_IN_PLACE, NO_KEYS | VALUES_IN_PLACE, KEYS_IN_PLACE | NO_VALUES, 0};
    static const int keys_alone[] = {KEYS_IN_PLACE, 0};
    (void)state;
    random_state = 38;
    check_ways("i64_down", "strategy=onesweep items=4 vector=4 digit_bits=8", ways, 6); /* 8 passes */
    check_ways("u16_up", "strategy=onesweep items=4 vector=4 digit_bits=6", ways, 6);   /* 3 */
    check_ways("bytes7", "items=4 vector=4 digit_bits=8", ways, 6);   /* 2 */
    check_ways("u8_up", "items=4 vector=4 digit_bits=8", keys_alone, 2); /* 1 */
}

/* Inputs and outputs take turns, and the scratch has less to hold. */
static void check_turns(const char *op, const char *knobs, int ends_in_inputs)
{
    static const int turns[] = {TURNS};
    sorter s = open_sorter(op, knobs, 3, 0);
    assert_int_equal(msw_ends_in_inputs(s.plan, s.n_bound), ends_in_inputs);
    assert_in_range(msw_scratch_bytes_ping_pong(s.plan, s.n_bound), 1, msw_scratch_bytes(s.plan, s.n_bound) - s.n_bound * bytes_of(&s, 0));
    close_sorter(&s);
    check_ways(op, knobs, turns, 1);
}

static void test_ping_pong(void **state)
{
    msw_diag diag;
    (void)state;
    random_state = 41;
    check_turns("i64_down", "items=4 vector=4 digit_bits=8", 1); /* 8 passes */
    check_turns("u16_up", "items=4 vector=4 digit_bits=6", 0);   /* 3 */
    check_turns("u8_up", "items=4 vector=4 digit_bits=8", 0);    /* 1 */
    sorter s = open_sorter("splat", "items=4 vector=4 digit_bits=5", 3, 0);
    msw_enqueue_desc desc = describe(&s, s.tile, 0);
    desc.flags = MSW_PING_PONG;
    assert_int_equal(msw_ends_in_inputs(s.plan, s.tile), -1);
    assert_int_equal(msw_kernel_run(s.kernel, &desc, NULL, &diag), MSW_ERROR_UNSUPPORTED);
    assert_non_null(strstr(diag.message, "leave out MSW_PING_PONG"));
    close_sorter(&s);
    s = open_sorter("u16_up", "items=4 vector=4 digit_bits=6", 3, 0);
    desc = describe(&s, s.tile, NO_VALUES);
    desc.flags = MSW_PING_PONG | MSW_SCRATCH_DIRTY;
    assert_int_equal(msw_kernel_run(s.kernel, &desc, NULL, &diag), MSW_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(diag.message, "'values_out' has no address"));
    close_sorter(&s);
}

/* Keys where the values were, and the other way round. */
static void test_crosswise(void **state)
{
    sorter s = open_sorter("bytes7", "items=4 vector=4 digit_bits=8", 6, 0);
    const uint64_t n = 5 * s.tile + 1, bytes = bytes_of(&s, 0);
    msw_enqueue_desc desc = describe(&s, n, KEYS_IN_PLACE | VALUES_IN_PLACE);
    msw_diag diag;
    (void)state;
    make_inputs(&s, n, RANDOM);
    evaluate(&s, n);
    desc.buffers[s.keys_out] = desc.buffers[s.values];
    desc.buffers[s.values_out] = desc.buffers[0];
    desc.flags |= MSW_SCRATCH_DIRTY;
    for (int b = 0; b <= s.values; b++) upload(&s, b, host[b], n * bytes);
    check(msw_kernel_run(s.kernel, &desc, NULL, &diag), &diag);
    check(msw_buffer_read(device[s.values], offset_of(&s, s.values), host[0], n * bytes, &diag), &diag);
    assert_memory_equal(host[0], expected[s.keys_out], (size_t)(n * bytes));
    check(msw_buffer_read(device[0], offset_of(&s, 0), host[0], n * bytes, &diag), &diag);
    assert_memory_equal(host[0], expected[s.values_out], (size_t)(n * bytes));
    close_sorter(&s);
}

static void test_n_on_the_device(void **state)
{
    static const int ways[] = {N_FROM_ADDRESS, N_FROM_ADDRESS | KEYS_IN_PLACE, N_FROM_ADDRESS | NO_KEYS};
    (void)state;
    random_state = 39;
    check_ways("range", "items=4 vector=4 digit_bits=3", ways, 3);
    sorter s = open_sorter("range", "items=4 vector=4 digit_bits=3", 3, 0);
    run_pattern(&s, s.n_bound, RANDOM, N_FROM_ADDRESS | N_BEYOND_BOUND);
    close_sorter(&s);
}

/* A scratch of more than 4 GiB: where keys and values lie there follows from the bound. For devices that have the memory. */
static void test_large_scratch(void **state)
{
    const msw_device_info *info = msw_context_device(context);
    (void)state;
    if (info->is_cpu && !getenv("MSW_TEST_LARGE")) return; /* 8 GiB of memory are touched */
    if (info->memory_bytes < (uint64_t)1 << 34 || info->max_allocation_bytes < (uint64_t)5 << 30) return;
    random_state = 41;
    sorter s = open_sorter("f32_down", "items=4 vector=4 digit_bits=6", 0, (uint64_t)1 << 28);
    assert_true(msw_scratch_bytes(s.plan, s.n_bound) > (uint64_t)1 << 32);
    run_pattern(&s, 5 * s.tile + 1, RANDOM, N_FROM_ADDRESS);
    run_pattern(&s, 9 * s.tile, AND_OF_5, N_FROM_ADDRESS | NO_KEYS);
    close_sorter(&s);
}

/* One scratch, made ready once: sizes grow and shrink, so that old posts, keys and values lie about. */
static void test_many_launches(void **state)
{
    static const char *const operations[] = {"range", "i64_down"};
    (void)state;
    random_state = 40;
    for (int o = 0; o < 2; o++) {
        sorter s = open_sorter(operations[o], "items=4 vector=4 digit_bits=7", 40, 0);
        for (int launch = 0; launch < 100; launch++) {
            const uint64_t bound = s.n_bound >> draw() % 8;
            run_pattern(&s, draw() % (bound + 1), launch % 3 ? SMALL : (pattern)(launch % PATTERNS), launch % 5 == 4 ? KEYS_IN_PLACE : launch % 7 == 6 ? N_FROM_ADDRESS : 0);
        }
        close_sorter(&s);
    }
}

/* Two processes on one device, at the same time. */
static void test_two_processes(void **state)
{
    char path[512], command[600], line[512];
    FILE *children[2];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    (void)state;
    assert_true(length > 0);
    path[length] = '\0';
    snprintf(command, sizeof command, "'%s' test_many_launches 2>&1", path);
    for (int c = 0; c < 2; c++) assert_non_null(children[c] = popen(command, "r"));
    for (int c = 0; c < 2; c++) {
        int has_run = 0;
        while (fgets(line, sizeof line, children[c])) has_run |= strstr(line, "[       OK ] test_many_launches") != NULL;
        assert_int_equal(pclose(children[c]), 0);
        assert_true(has_run);
    }
}

/* ---- what is refused ---- */

static void refuse(const sorter *s, const msw_enqueue_desc *desc, msw_result code, const char *words)
{
    msw_diag diag = {0};
    assert_int_equal(msw_kernel_run(s->kernel, desc, NULL, &diag), code);
    if (!strstr(diag.message, words)) fail_msg("'%s' is not in '%s'", words, diag.message);
}

static void test_misuse(void **state)
{
    sorter s = open_sorter("bytes7", "strategy=onesweep items=4 vector=4 digit_bits=4", 4, 0);
    const msw_enqueue_desc good = describe(&s, s.tile, 0);
    msw_enqueue_desc desc = good;
    (void)state;
    for (int b = 0; b < 4; b++) {
        desc.buffers[b] += 1;
        refuse(&s, &desc, MSW_ERROR_INVALID_ARGUMENT, "not aligned to");
        desc = good;
    }
    desc.buffers[s.values] = 0;
    refuse(&s, &desc, MSW_ERROR_INVALID_ARGUMENT, "input 'values' has no address");
    desc.buffers[s.values_out] = 0; /* values are an input whether they are moved or not */
    refuse(&s, &desc, MSW_ERROR_INVALID_ARGUMENT, "input 'values' has no address");
    desc = good, desc.buffers[s.keys_out] = desc.buffers[0];
    refuse(&s, &desc, MSW_ERROR_INVALID_ARGUMENT, "set MSW_IN_PLACE");
    desc.flags = MSW_IN_PLACE, desc.buffers[s.keys_out] += 4;
    refuse(&s, &desc, MSW_ERROR_INVALID_ARGUMENT, "share memory");
    desc = good, desc.flags = MSW_IN_PLACE, desc.buffers[s.values_out] = desc.buffers[s.keys_out];
    refuse(&s, &desc, MSW_ERROR_INVALID_ARGUMENT, "share memory");
    desc = good, desc.n = s.plan->variants[s.plan->variant_count - 1].n_max + 1;
    refuse(&s, &desc, MSW_ERROR_UNSUPPORTED, "serves up to");
    desc = good, desc.scratch_bytes = msw_scratch_bytes(s.plan, s.tile) - 1;
    refuse(&s, &desc, MSW_ERROR_TOO_SMALL, "of scratch");
    desc = good, desc.scratch += 8;
    refuse(&s, &desc, MSW_ERROR_INVALID_ARGUMENT, "not aligned");
    desc = good, desc.carry_in = desc.buffers[0] & ~(uint64_t)15;
    refuse(&s, &desc, MSW_ERROR_INVALID_ARGUMENT, "has no carry");
    close_sorter(&s);
}

static void test_knobs_refused(void **state)
{
    static const struct { msw_knob knob; const char *words; } cases[] = {
        {{"strategy", "lookback"}, "a sort has auto, single_block, onesweep and upsweep_downsweep"}, {{"digit_bits", "12"}, "1 to 11 bits"},
        {{"digit_bits", "11"}, "shared memory"},  {{"items", "400"}, "choose fewer"}, {{"vector", "3"}, "choose"}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec = spec, .op = "u32_up", .knobs = &cases[c].knob, .knob_count = 1};
        msw_kernel *kernel;
        msw_diag diag = {0};
        const msw_result result = msw_kernel_create(context, &desc, &kernel, &diag);
        if (result != MSW_ERROR_UNSUPPORTED || !strstr(diag.message, cases[c].words)) fail_msg("%s = %s: %s", cases[c].knob.name, cases[c].knob.value, diag.message);
    }
}

static void test_validation_was_silent(void **state)
{
    (void)state;
    assert_int_equal(validation_messages, 0);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_operation), cmocka_unit_test(test_defaults),         cmocka_unit_test(test_digit_bits), cmocka_unit_test(test_without_subgroup_operations),
        cmocka_unit_test(test_single_block), cmocka_unit_test(test_upsweep_downsweep), cmocka_unit_test(test_withheld_posts),  cmocka_unit_test(test_many_tiles),       cmocka_unit_test(test_outputs_not_given), cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_ping_pong),       cmocka_unit_test(test_crosswise),        cmocka_unit_test(test_n_on_the_device), cmocka_unit_test(test_large_scratch),
        cmocka_unit_test(test_many_launches),   cmocka_unit_test(test_two_processes),
        cmocka_unit_test(test_misuse),          cmocka_unit_test(test_knobs_refused),    cmocka_unit_test(test_validation_was_silent)};
    if (count > 1) cmocka_set_test_filter(arguments[1]);
    return cmocka_run_group_tests(tests, open_all, close_all);
}
