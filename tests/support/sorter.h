/* sorter.h - for tests: sorts of tests/corpus/sorts.lua on a device (MSW_TEST_DEVICE, default vulkan), each with its scratch, run on data of many
 * patterns and compared with the oracle, bit for bit. Include after cmocka.h. */
#ifndef SORTER_H
#define SORTER_H

#include "test_device.h"

enum { LEAST_BYTES = 1 << 24, GUARD_BYTES = 64, MAX_KNOBS = 8, MANY_TILES = 65537 };

static msw_spec *spec;
static msw_context *context;
static int validation_messages;
static uint64_t random_state;
static uint32_t lanes;     /* of the device's subgroups */
static const char *tuning; /* of the sorts that are opened; NULL: no table */

/* In the plan's order: keys, then values where they are given, keys_out, values_out. */
static unsigned char *host[4], *expected[4];
static msw_buffer *device[4], *count_buffer;

static inline void check(msw_result result, const msw_diag *diag)
{
    if (result != MSW_OK) fail_msg("%s", diag->message);
}

/* Buffers hold many tiles of a subgroup's threads, an item of 8 bytes each. */
static inline int open_all(void **state)
{
    const msw_spec_desc read = {.struct_size = sizeof read, .file = MSW_SOURCE_DIR "/tests/corpus/sorts.lua"};
    msw_context_desc desc = watched_context(test_device_name(), &validation_messages);
    msw_diag diag;
    (void)state;
    desc.progress = MSW_PROGRESS_NONE; /* kernels come with the fallback */
    check(msw_spec_create(&read, &spec, &diag), &diag);
    check(msw_context_create(&desc, &context, &diag), &diag);
    print_message("%s: %s\n", msw_context_device(context)->id, msw_context_device(context)->name);
    lanes = msw_context_device(context)->target.subgroup_size;
    const uint64_t bytes = LEAST_BYTES + (uint64_t)8 * MANY_TILES * lanes;
    for (int b = 0; b < 4; b++) {
        check(msw_buffer_create(context, bytes, &device[b], &diag), &diag);
        host[b] = malloc((size_t)bytes);
        expected[b] = malloc((size_t)bytes);
        if (!host[b] || !expected[b]) return -1;
    }
    check(msw_buffer_create(context, 8, &count_buffer, &diag), &diag);
    return 0;
}

static inline int close_all(void **state)
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

/* With MSW_TEST_ONE_IN=k the program tests one in k of its sorts, others for other subgroups. */
static inline int is_left_out(void)
{
    static uint32_t sorts;
    const char *text = getenv("MSW_TEST_ONE_IN");
    const uint32_t k = text ? (uint32_t)strtoul(text, NULL, 10) : 1;
    return k > 1 && sorts++ % k != lanes / 4 % k;
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

static inline uint64_t tile_of(const msw_plan *plan) { return plan->steps[plan->variants[0].first_step].tile_items; }

static inline uint64_t bytes_of(const sorter *s, int buffer) { return s->plan->buffers[buffer].element_bytes; }

/* "name=value name=value" into knobs, which point into words. */
static inline uint32_t read_knobs(const char *text, char words[256], msw_knob knobs[MAX_KNOBS])
{
    char *rest = words;
    uint32_t count = 0;
    snprintf(words, 256, "%s", text);
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL && count < MAX_KNOBS; count++) {
        char *equals = strchr(word, '=');
        *equals = '\0';
        knobs[count] = (msw_knob){word, equals + 1};
    }
    return count;
}

/* n_tiles: the largest n, in tiles; 0: n_bound. */
static inline sorter open_sorter(const char *op, const char *knob_text, uint64_t n_tiles, uint64_t n_bound)
{
    char words[256];
    msw_knob knobs[MAX_KNOBS];
    const msw_kernel_desc desc = {
        .struct_size = sizeof desc, .spec = spec, .op = op, .knobs = knobs, .knob_count = read_knobs(knob_text, words, knobs), .tuning = tuning};
    msw_diag diag;
    sorter s = {.op = (uint32_t)msw_spec_find(spec, op), .label = knob_text, .values = -1, .values_out = -1};
    s.info.struct_size = sizeof s.info;
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

static inline void close_sorter(sorter *s)
{
    msw_buffer_destroy(s->scratch);
    msw_kernel_destroy(s->kernel);
}

/* ---- data ---- */

static inline uint64_t draw(void) /* xorshift64* (Vigna 2016) */
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 0x2545f4914f6cdd1du;
}

/* Entropies of 1, 0.544 and 0.201 bits a bit, as Thearling & Smith 1992 make them; special: zeros, infinities, NaNs, least and greatest integers;
 * half: every other byte is equal in all keys, so that passes are left out; small: words that look like the tags of posts; narrow: integers agree in
 * their upper bits, about a quarter; outlier: all but one do. */
typedef enum pattern { RANDOM, AND_OF_2, AND_OF_5, EQUAL, SORTED, REVERSED, SPECIAL, HALF, SMALL, NARROW, OUTLIER, PATTERNS } pattern;

static inline void fill(unsigned char *memory, uint64_t bytes, int words)
{
    for (uint64_t i = 0; i < bytes; i += 8) {
        uint64_t bits = draw();
        for (int w = 1; w < words; w++) bits &= draw();
        memcpy(memory + i, &bits, bytes - i < 8 ? (size_t)(bytes - i) : 8);
    }
}

static inline void fill_special(const msw_type_info *type, unsigned char *memory, uint64_t n)
{
    static const uint32_t bytes_of_scalar[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t l = 0; l < type->leaf_count; l++) {
            const msw_scalar scalar = type->leaves[l].scalar;
            const uint32_t bytes = bytes_of_scalar[scalar];
            const uint64_t sign = (uint64_t)1 << (8 * bytes - 1), inf = scalar == MSW_F16   ? 0x7c00
                                                                        : scalar == MSW_F32 ? 0x7f800000
                                                                                            : 0x7ff0000000000000;
            const uint64_t few[10] = {0, sign, inf, inf | sign, inf + 1, (inf + 1) | sign, sign - 1, UINT64_MAX, 1, sign | 1};
            const uint64_t bits = few[(draw() >> 32) % 10];
            memcpy(memory + i * type->size_bytes + type->leaves[l].offset_bytes, &bits, bytes);
        }
}

static inline void evaluate(const sorter *s, uint64_t n)
{
    const void *inputs[2] = {host[0], s->values < 0 ? NULL : host[s->values]};
    void *outputs[2] = {expected[s->keys_out], s->values_out < 0 ? NULL : expected[s->values_out]};
    msw_diag diag;
    check(msw_spec_evaluate(spec, s->op, n, inputs, outputs, NULL, NULL, &diag), &diag);
}

static inline void make_inputs(const sorter *s, uint64_t n, pattern p)
{
    const uint64_t bytes = bytes_of(s, 0);
    fill(host[0], n * bytes, p == AND_OF_2 ? 2 : p == AND_OF_5 ? 5 : 1);
    if (p == EQUAL)
        for (uint64_t i = 1; i < n; i++) memcpy(host[0] + i * bytes, host[0], (size_t)bytes);
    if (p == HALF)
        for (uint64_t i = 0; i < n * bytes; i++) host[0][i] = i % bytes % 2 ? host[0][i] : 0x81;
    if (p == SMALL)
        for (uint64_t i = 0; i < n * bytes; i++) host[0][i] = i % 4 ? 0 : host[0][i];
    for (uint64_t i = 1; (p == NARROW || p == OUTLIER) && i < n; i++) {
        const uint64_t bits = bytes * 8, common = bits / 4 + 1, upper = bytes - (common + 7) / 8;
        unsigned char *key = host[0] + i * bytes;
        const unsigned char mask = (unsigned char)(0xff << ((bits - common) % 8)), first = host[0][upper];
        if (p == OUTLIER && i == n * 2 / 3) continue;
        key[upper] = (unsigned char)((key[upper] & ~mask) | (first & mask));
        memcpy(key + upper + 1, host[0] + upper + 1, (size_t)(bytes - upper - 1));
    }
    if (p == SPECIAL) fill_special(&s->info.buffers[0].type, host[0], n);
    if (s->values >= 0) fill(host[s->values], n * bytes_of(s, s->values), 1);
    if ((p != SORTED && p != REVERSED) || !strcmp(s->plan->buffers[0].name, "in")) return;
    evaluate(s, n);
    for (uint64_t i = 0; i < n; i++) memcpy(host[0] + i * bytes, expected[s->keys_out] + (p == SORTED ? i : n - 1 - i) * bytes, (size_t)bytes);
}

/* ---- one run ---- */

enum { NO_KEYS = 1, NO_VALUES = 2, KEYS_IN_PLACE = 4, VALUES_IN_PLACE = 8, N_FROM_ADDRESS = 16, N_BEYOND_BOUND = 32, TURNS = 64 };

/* Buffers begin as unaligned as the plan allows. */
static inline uint64_t offset_of(const sorter *s, int buffer) { return s->plan->buffers[buffer].alignment_bytes; }

static inline void upload(const sorter *s, int buffer, const unsigned char *data, uint64_t bytes)
{
    msw_diag diag;
    check(msw_buffer_write(device[buffer], offset_of(s, buffer), data, bytes, &diag), &diag);
}

/* Every element of a buffer is what it should be, and what lies behind it is as it was. */
static inline void compare(const sorter *s, int where, int buffer, const unsigned char *wanted, uint64_t n, const char *what)
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
        if (got[bytes + i] != 0xa5)
            fail_msg("%s, %s, n = %llu, %s: byte %llu behind %s was written", s->plan->name, s->label, (unsigned long long)n, what,
                     (unsigned long long)i, s->plan->buffers[buffer].name);
    free(got);
}

static inline msw_enqueue_desc describe(const sorter *s, uint64_t n, int how)
{
    msw_enqueue_desc desc = {
        .struct_size = sizeof desc, .n = n, .scratch = msw_buffer_address(s->scratch), .scratch_bytes = msw_scratch_bytes(s->plan, s->n_bound)};
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
static inline void run(sorter *s, uint64_t n, int how, const char *what)
{
    msw_enqueue_desc desc = describe(s, n, how);
    msw_diag diag;
    static unsigned char guard[GUARD_BYTES];
    memset(guard, 0xa5, sizeof guard);
    evaluate(s, n);
    for (int b = 0; b < (int)s->plan->buffer_count; b++) {
        const uint64_t bytes = n * bytes_of(s, b);
        if (s->plan->buffers[b].role == MSW_ROLE_OUT) memset(host[b], 0xa5, (size_t)bytes);
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
    const int in_inputs = how & TURNS && msw_ends_in_inputs(s->plan, desc.n);
    if (!(how & NO_KEYS)) compare(s, how & KEYS_IN_PLACE || in_inputs ? 0 : s->keys_out, s->keys_out, expected[s->keys_out], n, what);
    if (!(how & NO_VALUES) && s->values_out >= 0)
        compare(s, how & VALUES_IN_PLACE || in_inputs ? s->values : s->values_out, s->values_out, expected[s->values_out], n, what);
    if (how & TURNS) return;
    if (!(how & KEYS_IN_PLACE)) compare(s, 0, 0, host[0], n, what);
    if (!(how & VALUES_IN_PLACE) && s->values >= 0) compare(s, s->values, s->values, host[s->values], n, what);
}

static inline void run_pattern(sorter *s, uint64_t n, pattern p, int how)
{
    static const char *const names[] = {"random",  "and of 2", "and of 5", "equal",  "sorted", "reversed",
                                        "special", "half",     "small",    "narrow", "outlier"};
    make_inputs(s, n, p);
    run(s, n, how, names[p]);
}

/* Every size, and every pattern. */
static inline void check_operation(const char *op, const char *knobs)
{
    if (is_left_out()) return;
    sorter s = open_sorter(op, knobs, 8, 0);
    const uint64_t sizes[] = {0, 1, 2, 31, 32, 33, s.tile - 1, s.tile, s.tile + 1, 5 * s.tile + 7};
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i] < s.n_bound) run_pattern(&s, sizes[i], (pattern)((s.op + i) % PATTERNS), 0);
    for (int p = 0; p < PATTERNS; p++) run_pattern(&s, 3 * s.tile - 5, (pattern)p, 0);
    close_sorter(&s);
}

/* ---- ways to run one ---- */

static const pattern few_patterns[] = {RANDOM, EQUAL, HALF, NARROW, AND_OF_5};
enum { FEW_PATTERNS = sizeof few_patterns / sizeof *few_patterns };

static inline void check_ways(const char *op, const char *knobs, const int *ways, size_t count)
{
    if (is_left_out()) return;
    sorter s = open_sorter(op, knobs, 6, 0);
    const uint64_t sizes[] = {0, 1, s.tile, 4 * s.tile + 3};
    for (size_t w = 0; w < count; w++)
        for (int i = 0; i < 4; i++)
            for (int p = 0; p < (i == 3 ? FEW_PATTERNS : 1); p++) run_pattern(&s, sizes[i], few_patterns[p], ways[w]);
    close_sorter(&s);
}

#endif
