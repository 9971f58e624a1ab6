/* Sweeps against each other, CUB, memcpy and a plain C loop: one process, the same memory, runs interleaved, medians, results verified. GB/s count
 * inputs read once and what was kept written once. CSV on standard output.
 *
 *   bench_sweep [--device D] [--n SIZES] [--csv FILE] [--rounds R] [--case NAME] [--deterministic everywhere]
 *               [--set KNOB=VALUE[,KNOB=VALUE ..] ..] */
#include "bench.h"
#include "cases.h"
#include "cli/measure/random.h"

#include <stdlib.h>
#include <string.h>

enum { LOOP_ROUNDS = 1, MAX_OUTPUTS = 2 };

enum { CASES = sizeof sweep_cases / sizeof *sweep_cases };

/* An element is its own length. */
#define APPEND "length = function(x) return x end, item = function(x, i, k) return x + u32(i) * 7 + k end"

/* %u: the threshold; of an append the capacity. */
static const struct {
    const char *name, *spec;
    uint32_t in_bytes[2], out_bytes[MAX_OUTPUTS]; /* of elements; outputs without the count */
} kinds[] = {
    [SWEEP_SELECT] = {"select u32 %u %%", "return compact { input = u32, keep = function(x) return lt(x, %u) end }", {4}, {4}},
    [SWEEP_SELECT_U64] = {"select u64 %u %%", "return compact { input = u64, keep = function(x) return lt(x >> 32, %u) end }", {8}, {8}},
    [SWEEP_PARTITION] = {"partition u32 %u %%", "return partition { input = u32, first = function(x) return lt(x, %u) end }", {4}, {4, 4}},
    [SWEEP_UNIQUE] = {"unique u32 runs %u", "return unique { input = u32 }", {4}, {4}},
    [SWEEP_LENGTHS] = {"run_length_encode u32 runs %u", "return run_length_encode { input = u32 }", {4}, {4, 4}},
    [SWEEP_BY_KEY] = {"reduce_by_key u32+f32 runs %u", "return reduce_by_key { key = u32, monoid = sum(f32) }", {4, 4}, {4, 4}},
    [SWEEP_BY_KEY_AFFINE] = {"reduce_by_key u32+affine runs %u",
                             "local A = struct 'Affine' { {'a', u32}, {'b', u32} }\n"
                             "return reduce_by_key { key = u32, monoid = monoid { type = A, identity = A(1, 0),\n"
                             "  combine = function(f, g) return A(f.a * g.a, f.b * g.a + g.b) end } }",
                             {4, 8},
                             {4, 8}},
    [SWEEP_SEGMENTED_SCAN] = {"segmented_scan u32+f32 runs %u",
                              "return segmented_scan { segments = 'keys', key = u32, monoid = sum(f32) }",
                              {4, 4},
                              {4}},
    [SWEEP_SEGMENTED_REDUCE] = {"segmented_reduce f32 segments of %u",
                                "return segmented_reduce { segments = 'flags', monoid = sum(f32) }",
                                {4, 1},
                                {4}},
    [SWEEP_SEGMENTED_OFFSETS] = {"segmented_reduce f32 offsets of %u",
                                 "return segmented_reduce { segments = 'offsets', monoid = sum(f32) }",
                                 {4},
                                 {4}},
    [SWEEP_SCAN_OFFSETS] = {"segmented_scan f32 offsets of %u", "return segmented_scan { segments = 'offsets', monoid = sum(f32) }", {4}, {4}},
    [SWEEP_APPEND] = {"append u32 items %u", "return append { input = u32, capacity = %u, " APPEND " }", {4}, {4}},
    [SWEEP_APPEND_ANY] = {"append u32 any order items %u", "return append { input = u32, capacity = %u, order = 'any', " APPEND " }", {4}, {4}},
};

typedef struct affine {
    uint32_t a, b;
} affine;

typedef struct truth {
    sweep_kind kind;
    uint32_t threshold;
    uint64_t n, kept, segments;
    void *in[2], *expected[MAX_OUTPUTS], *got;
    uint64_t *offsets; /* of segments, for peers; NULL: there are none */
    msw_buffer *device_in[2], *device_offsets, *device_segments, *device_out[BENCH_MAX_ARRAYS];
    int output_count; /* without the count */
} truth;

static int has_offsets(const truth *t) { return t->kind == SWEEP_SEGMENTED_OFFSETS || t->kind == SWEEP_SCAN_OFFSETS; }
static int has_count(const truth *t) { return t->kind != SWEEP_SEGMENTED_SCAN && !has_offsets(t); }
static int has_segments(const truth *t) { return t->kind == SWEEP_SEGMENTED_REDUCE || has_offsets(t); }
static int is_append(const truth *t) { return t->kind == SWEEP_APPEND || t->kind == SWEEP_APPEND_ANY; }

/* Elements of the outputs for n of the input: of an append at most 1.5 times as many items as elements, about. */
static uint64_t room_of(const truth *t, uint64_t n) { return is_append(t) ? 2 * n + 1024 : n; }

static uint64_t segments_of(uint64_t n, unsigned length) { return n / length + (n % length != 0); }

/* ---- the plain C loop ---- */

static uint64_t select_u32(const truth *t)
{
    const uint32_t *in = t->in[0];
    uint32_t *out = t->expected[0], *rest = t->expected[1];
    uint64_t kept = 0;
    for (uint64_t i = 0; i < t->n; i++)
        if (in[i] < t->threshold) out[kept++] = in[i];
        else if (rest) rest[i - kept] = in[i];
    return kept;
}

static uint64_t select_u64(const truth *t)
{
    const uint64_t *in = t->in[0];
    uint64_t *out = t->expected[0], kept = 0;
    for (uint64_t i = 0; i < t->n; i++)
        if (in[i] >> 32 < t->threshold) out[kept++] = in[i];
    return kept;
}

/* Runs: their keys, and lengths, sums or composed maps, as the kind wants. */
static uint64_t runs(const truth *t)
{
    const uint32_t *keys = t->in[0];
    uint32_t *out = t->expected[0];
    uint64_t kept = 0;
    for (uint64_t i = 0; i < t->n; kept++) {
        const uint64_t start = i;
        float sum = 0;
        affine map = {1, 0};
        for (; i < t->n && keys[i] == keys[start]; i++) {
            if (t->kind == SWEEP_BY_KEY) sum += ((const float *)t->in[1])[i];
            if (t->kind == SWEEP_BY_KEY_AFFINE) {
                const affine *g = (const affine *)t->in[1] + i;
                map = (affine){map.a * g->a, map.b * g->a + g->b};
            }
        }
        out[kept] = keys[start];
        if (t->kind == SWEEP_LENGTHS) ((uint32_t *)t->expected[1])[kept] = (uint32_t)(i - start);
        if (t->kind == SWEEP_BY_KEY) ((float *)t->expected[1])[kept] = sum;
        if (t->kind == SWEEP_BY_KEY_AFFINE) ((affine *)t->expected[1])[kept] = map;
    }
    return kept;
}

/* A running sum that begins anew with each run of keys. */
static uint64_t segmented_scan(const truth *t)
{
    const float *values = t->in[0];
    const uint32_t *keys = t->in[1];
    float *out = t->expected[0], sum = 0;
    for (uint64_t i = 0; i < t->n; i++) out[i] = sum = i && keys[i] == keys[i - 1] ? sum + values[i] : values[i];
    return t->n;
}

static uint64_t segmented_reduce(const truth *t)
{
    const float *values = t->in[0];
    const uint8_t *flags = t->in[1];
    float *out = t->expected[0];
    uint64_t segments = 0;
    for (uint64_t i = 0; i < t->n; i++)
        if (i == 0 || flags[i]) out[segments++] = values[i];
        else out[segments - 1] += values[i];
    return segments;
}

static uint64_t reduce_by_offsets(const truth *t)
{
    const float *values = t->in[0];
    float *out = t->expected[0];
    uint64_t j = 0;
    for (; t->offsets[j] < t->n; j++) {
        out[j] = 0;
        for (uint64_t i = t->offsets[j]; i < t->offsets[j + 1]; i++) out[j] += values[i];
    }
    return j;
}

static uint64_t scan_by_offsets(const truth *t)
{
    const float *values = t->in[0];
    float *out = t->expected[0], sum = 0;
    for (uint64_t i = 0, j = 0; i < t->n; i++) {
        const int begins = t->offsets[j] == i;
        out[i] = sum = begins ? values[i] : sum + values[i];
        j += (uint64_t)begins;
    }
    return t->n;
}

static uint64_t append(const truth *t)
{
    const uint32_t *in = t->in[0];
    uint32_t *out = t->expected[0];
    uint64_t made = 0;
    for (uint64_t i = 0; i < t->n; i++)
        for (uint32_t k = 0; k < in[i]; k++) out[made++] = in[i] + (uint32_t)i * 7 + k;
    return made;
}

static uint64_t loop(const truth *t)
{
    if (t->kind == SWEEP_SEGMENTED_OFFSETS) return reduce_by_offsets(t);
    if (t->kind == SWEEP_SCAN_OFFSETS) return scan_by_offsets(t);
    if (is_append(t)) return append(t);
    if (t->kind == SWEEP_SEGMENTED_SCAN) return segmented_scan(t);
    if (t->kind == SWEEP_SEGMENTED_REDUCE) return segmented_reduce(t);
    if (t->kind == SWEEP_SELECT_U64) return select_u64(t);
    return t->kind == SWEEP_SELECT || t->kind == SWEEP_PARTITION ? select_u32(t) : runs(t);
}

static double run_loop(void *user, const bench_arrays *arrays)
{
    truth *t = user;
    const double start = ms_now();
    (void)arrays;
    t->kept = loop(t);
    return ms_now() - start;
}

static double copy(void *user, msw_kernel *kernel)
{
    const truth *t = user;
    msw_diag diag;
    return ms_copy(kernel, t->device_out[0], t->device_in[0], t->n * kinds[t->kind].in_bytes[0], &diag);
}

/* ---- verification ---- */

static void clear(void *user)
{
    const truth *t = user;
    const uint64_t none = UINT64_MAX;
    msw_diag diag;
    for (int o = 0; o < t->output_count; o++) {
        const uint64_t bytes = room_of(t, t->n) * kinds[t->kind].out_bytes[o];
        memset(t->got, 0x5a, bytes);
        bench_check(msw_buffer_write(t->device_out[o], 0, t->got, bytes, &diag), &diag);
    }
    if (has_count(t)) bench_check(msw_buffer_write(t->device_out[t->output_count], 0, &none, sizeof none, &diag), &diag);
}

/* What items come to in any order. (test_sweep_sizes and test_corpus verify that an element's lie together.) */
static uint64_t sum_of(const uint32_t *items, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) sum += ms_mix(items[i]);
    return sum;
}

/* CUB's partition has what is left over at the end of the first output, from back to front. */
static int is_rest_reversed(const truth *t)
{
    const uint32_t *got = t->got, *rest = t->expected[1];
    msw_diag diag;
    bench_check(msw_buffer_read(t->device_out[0], 0, t->got, t->n * sizeof *got, &diag), &diag);
    for (uint64_t i = 0; i < t->n - t->kept; i++)
        if (got[t->n - 1 - i] != rest[i]) return 0;
    return 1;
}

static const char *verify(void *user, const bench_variant *variant)
{
    const truth *t = user;
    uint64_t count = t->kept; /* CUB's segmented reduction is told it */
    msw_diag diag;
    if (has_count(t) && !(variant->peer && t->offsets))
        bench_check(msw_buffer_read(t->device_out[t->output_count], 0, &count, sizeof count, &diag), &diag);
    if (count != t->kept) return "wrong count";
    for (int o = 0; o < t->output_count; o++) {
        const int is_rest = t->kind == SWEEP_PARTITION && o == 1;
        if (is_rest && variant->peer) return is_rest_reversed(t) ? "verified" : "wrong rest";
        const uint64_t bytes = (is_rest ? t->n - t->kept : t->kept) * kinds[t->kind].out_bytes[o];
        if (bytes) bench_check(msw_buffer_read(t->device_out[o], 0, t->got, bytes, &diag), &diag);
        if (t->kind == SWEEP_APPEND_ANY && sum_of(t->got, count) == sum_of(t->expected[o], count)) continue;
        if (memcmp(t->got, t->expected[o], bytes)) return "wrong";
    }
    return "verified";
}

/* ---- the bench ---- */

/* Segments of `length` elements, as flags and as offsets. Sums of floats go up and down about 0. */
static void fill_segments(const truth *t, uint64_t n, unsigned length)
{
    for (uint64_t i = 0; i < n; i++) {
        ((float *)t->in[0])[i] = (float)(int)(ms_mix(i) >> 60) - 7.5F;
        if (t->in[1]) ((uint8_t *)t->in[1])[i] = i % length == 0;
    }
    for (uint64_t j = 0; j <= segments_of(n, length); j++) t->offsets[j] = j * length < n ? j * length : n;
}

/* Lengths: 0 to 3; the parameter for every 1024th element; n for one. */
static void fill_lengths(const truth *t, uint64_t n, unsigned parameter)
{
    uint32_t *lengths = t->in[0];
    for (uint64_t i = 0; i < n; i++) {
        if (parameter == APPEND_FEW) lengths[i] = (uint32_t)(ms_mix(i) >> 62);
        else if (parameter == APPEND_ONE) lengths[i] = i == n / 3 ? (uint32_t)n : 0;
        else lengths[i] = i % 1024 == 5 ? parameter : 0;
    }
}

/* Runs have random lengths of this mean. Floats are whole or halves, and small: no order of summation rounds. */
static void fill(const truth *t, uint64_t n, unsigned mean)
{
    const int has_runs = t->kind >= SWEEP_UNIQUE;
    uint32_t key = 0;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t bits = ms_mix(i), other = ms_mix(bits);
        if (has_runs && other % mean == 0) key += 1 + (uint32_t)(bits & 0xffff);
        if (t->kind == SWEEP_SEGMENTED_SCAN) {
            ((float *)t->in[0])[i] = (float)(bits >> 60);
            ((uint32_t *)t->in[1])[i] = key;
            continue;
        }
        if (t->kind == SWEEP_SELECT_U64) ((uint64_t *)t->in[0])[i] = bits;
        else ((uint32_t *)t->in[0])[i] = has_runs ? key : (uint32_t)bits;
        if (t->kind == SWEEP_BY_KEY) ((float *)t->in[1])[i] = (float)(bits >> 60);
        if (t->kind == SWEEP_BY_KEY_AFFINE) ((affine *)t->in[1])[i] = (affine){(uint32_t)(bits >> 32), (uint32_t)other};
    }
}

static uint64_t moved_bytes(const truth *t)
{
    uint64_t bytes = (has_count(t) ? sizeof(uint64_t) : 0) + (has_offsets(t) ? (t->segments + 2) * sizeof(uint64_t) : 0) +
                     t->n * (kinds[t->kind].in_bytes[0] + kinds[t->kind].in_bytes[1]);
    for (int o = 0; o < t->output_count; o++) bytes += (t->kind == SWEEP_PARTITION && o ? t->n - t->kept : t->kept) * kinds[t->kind].out_bytes[o];
    return bytes;
}

static void open_arrays(truth *t, msw_context *context, uint64_t n_max, bench_arrays *arrays)
{
    uint32_t widest = 0;
    msw_diag diag;
    for (int i = 0; i < 2 && kinds[t->kind].in_bytes[i]; i++) {
        const uint64_t bytes = n_max * kinds[t->kind].in_bytes[i];
        t->in[i] = bench_memory(bytes);
        bench_check(msw_buffer_create(context, bytes, &t->device_in[i], &diag), &diag);
        arrays->in[i] = msw_buffer_address(t->device_in[i]);
    }
    for (int o = 0; o < MAX_OUTPUTS && kinds[t->kind].out_bytes[o]; o++) {
        const uint32_t bytes = kinds[t->kind].out_bytes[o];
        t->expected[t->output_count++] = bench_memory(room_of(t, n_max) * bytes);
        bench_check(msw_buffer_create(context, room_of(t, n_max) * bytes, &t->device_out[o], &diag), &diag);
        if (bytes > widest) widest = bytes;
    }
    if (has_count(t)) bench_check(msw_buffer_create(context, sizeof(uint64_t), &t->device_out[t->output_count], &diag), &diag);
    for (int o = 0; o < t->output_count + has_count(t); o++) arrays->out[o] = msw_buffer_address(t->device_out[o]);
    t->got = bench_memory(room_of(t, n_max) * widest);
}

static void open_segments(truth *t, msw_context *context, uint64_t n, unsigned length, bench_arrays *arrays)
{
    const uint64_t bytes = (segments_of(n, length) + 1) * sizeof *t->offsets;
    msw_diag diag;
    t->offsets = bench_memory(bytes);
    bench_check(msw_buffer_create(context, bytes, &t->device_offsets, &diag), &diag);
    bench_check(msw_buffer_create(context, sizeof(uint64_t), &t->device_segments, &diag), &diag);
    arrays->in[t->in[1] ? 2 : 1] = msw_buffer_address(t->device_offsets);
    if (!t->in[1]) arrays->in[2] = msw_buffer_address(t->device_segments);
}

static void write_segments(truth *t, unsigned length)
{
    const uint64_t segments = segments_of(t->n, length);
    msw_diag diag;
    if (!t->offsets) return;
    t->segments = segments;
    fill_segments(t, t->n, length);
    bench_check(msw_buffer_write(t->device_offsets, 0, t->offsets, (segments + 1) * sizeof *t->offsets, &diag), &diag);
    bench_check(msw_buffer_write(t->device_segments, 0, &segments, sizeof segments, &diag), &diag);
}

static void close_arrays(truth *t)
{
    for (int i = 0; i < 2; i++) free(t->in[i]), msw_buffer_destroy(t->device_in[i]);
    for (int o = 0; o < MAX_OUTPUTS; o++) free(t->expected[o]);
    for (int o = 0; o < BENCH_MAX_ARRAYS; o++) msw_buffer_destroy(t->device_out[o]);
    free(t->offsets);
    msw_buffer_destroy(t->device_offsets);
    msw_buffer_destroy(t->device_segments);
    free(t->got);
}

/* The spec with n alone deciding the order, and the sets by that. */
static void add_deterministic(bench *b, char *spec, size_t room)
{
    const size_t end = strlen(spec) - 1; /* its brace */
    snprintf(spec + end, room - end, ", deterministic = '%s' }", b->options->deterministic);
    bench_add(b, spec, b->options->deterministic, NULL, 0);
}

static int run_case(msw_context *context, int which, const char *name, const bench_options *o)
{
    const sweep_kind kind = sweep_cases[which].kind;
    const uint64_t n_max = o->n[o->n_count - 1];
    truth t = {.kind = kind, .threshold = bench_threshold(sweep_cases[which].parameter)};
    bench b = {.context = context,
               .options = o,
               .name = name,
               .kind = "sweep",
               .which = which,
               .memcpy_bytes = 2 * kinds[kind].in_bytes[0],
               .clear = clear,
               .verify = verify,
               .copy = copy,
               .user = &t};
    bench_arrays arrays = {0};
    char spec[400];
    msw_diag diag;
    int is_right = 1;
    snprintf(spec, sizeof spec, kinds[kind].spec, is_append(&t) ? (unsigned)room_of(&t, n_max) : t.threshold);
    open_arrays(&t, context, n_max, &arrays);
    if (has_segments(&t)) open_segments(&t, context, n_max, sweep_cases[which].parameter, &arrays);
    else if (is_append(&t)) fill_lengths(&t, n_max, sweep_cases[which].parameter);
    else fill(&t, n_max, sweep_cases[which].parameter);
    t.n = n_max;
    write_segments(&t, sweep_cases[which].parameter);
    for (int i = 0; i < 2 && t.in[i]; i++) bench_check(msw_buffer_write(t.device_in[i], 0, t.in[i], n_max * kinds[kind].in_bytes[i], &diag), &diag);
    bench_add_peers(&b);
    if (!o->set_count) bench_add_own(&b, "plain C loop", LOOP_ROUNDS, run_loop);
    bench_add(&b, spec, "default", NULL, 0);
    if (o->deterministic) add_deterministic(&b, spec, sizeof spec);
    if (!o->set_count) bench_add(&b, spec, "reduce_then_scan", &(msw_knob){"strategy", "reduce_then_scan"}, 1);
    bench_add_sets(&b, spec);
    for (uint32_t i = 0; i < o->n_count; i++) {
        t.n = arrays.n = o->n[i];
        write_segments(&t, sweep_cases[which].parameter);
        t.kept = loop(&t);
        b.moved_bytes = moved_bytes(&t);
        is_right &= bench_run(&b, &arrays);
    }
    bench_free(&b);
    close_arrays(&t);
    return is_right;
}

int main(int argc, char **argv)
{
    const bench_options o = bench_parse(argc, argv, "20");
    msw_context *context = bench_open(&o);
    int is_right = 1;
    if (o.entropy || o.in_offset || o.out_offset) bench_die("--entropy, --in-offset, --out-offset: not of sweeps");
    for (int c = 0; c < CASES; c++) {
        char name[80];
        snprintf(name, sizeof name, kinds[sweep_cases[c].kind].name, sweep_cases[c].parameter);
        if (bench_is_wanted(&o, name)) is_right &= run_case(context, c, name, &o);
    }
    msw_context_destroy(context);
    return !is_right;
}
