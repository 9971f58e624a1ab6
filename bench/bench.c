/* Scans against each other, CUB and memcpy: one process, the same memory, runs interleaved, medians, results verified. CSV on standard output.
 *
 *   bench_scan [--device D] [--n LOG2] [--rounds R] [--case NAME] [--set KNOB=VALUE ..]   knobs go to one more variant, "set" */
#include "peers.h"

#include <monosweep/monosweep.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_VARIANTS = 10, MAX_ROUNDS = 101, MAX_KNOBS = 12, CHECKED_ITEMS = 1 << 22 };

static const struct {
    const char *name, *spec;
    uint64_t element_bytes;
} cases[BENCH_CASES] = {
    {"u32 sum", "return scan { monoid = sum(u32), kind = 'exclusive' }", 4},
    {"f32 sum", "return scan { monoid = sum(f32), kind = 'exclusive' }", 4},
    {"u64 sum", "return scan { monoid = sum(u64), kind = 'exclusive' }", 8},
    {"affine u32x2",
     "local A = struct 'Affine' { {'a', u32}, {'b', u32} }\n"
     "return scan { kind = 'exclusive', monoid = monoid { type = A, identity = A(1, 0),\n"
     "  combine = function(f, g) return A(f.a * g.a, f.b * g.a + g.b) end } }", 8},
    {"matrix u32 2x2",
     "local M = struct 'Matrix' { {'a', u32}, {'b', u32}, {'c', u32}, {'d', u32} }\n"
     "return scan { kind = 'exclusive', monoid = monoid { type = M, identity = M(1, 0, 0, 1), combine = function(x, y)\n"
     "  return M(x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d) end } }", 16},
};

typedef struct options {
    const char *device, *only;
    uint64_t n;
    int rounds;
    msw_knob knobs[MAX_KNOBS];
    uint32_t knob_count;
} options;

/* One column of the comparison: a kernel of ours, or a peer. */
typedef struct variant {
    const char *name;
    msw_kernel *kernel;
    msw_buffer *scratch;
    const bench_peer *peer;
    double seconds[MAX_ROUNDS];
    const char *verdict;
} variant;

static void die(const char *what)
{
    fprintf(stderr, "bench_scan: %s\n", what);
    exit(1);
}

static void check(msw_result result, const msw_diag *diag)
{
    if (result != MSW_OK) die(diag->message);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- variants ---- */

static void add_ours(msw_context *context, const char *spec, const char *name, const msw_knob *knobs, uint32_t knob_count, uint64_t n, variant *variants,
                     int *count)
{
    variant *v = &variants[*count];
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec_text = spec, .knobs = knobs, .knob_count = knob_count};
    msw_diag diag;
    uint64_t bytes;
    *v = (variant){.name = name};
    const double start = now();
    if (msw_kernel_create(context, &desc, &v->kernel, &diag)) {
        fprintf(stderr, "bench_scan: %s: %s\n", name, diag.message);
        return;
    }
    fprintf(stderr, "%s: from spec to loaded kernels in %.1f ms\n", name, 1e3 * (now() - start));
    bytes = msw_scratch_bytes(msw_kernel_plan(v->kernel), n);
    if (bytes) check(msw_buffer_create(context, bytes, &v->scratch, &diag), &diag);
    ++*count;
}

static int add_variants(msw_context *context, const char *spec, const options *o, variant *variants)
{
    static const msw_knob strategies[] = {{"strategy", "lookback"}, {"strategy", "reduce_then_scan"}, {"strategy", "scan_then_propagate"},
                                          {"strategy", "chained_scan"}};
    int count = 0;
    for (const bench_peer *p = bench_peers; p->name && msw_context_device(context)->backend == MSW_BACKEND_CUDA; p++)
        variants[count++] = (variant){.name = p->name, .peer = p};
    add_ours(context, spec, "default", NULL, 0, o->n, variants, &count);
    for (int s = 0; s < 4; s++) add_ours(context, spec, strategies[s].value, &strategies[s], 1, o->n, variants, &count);
    if (o->knob_count) add_ours(context, spec, "set", o->knobs, o->knob_count, o->n, variants, &count);
    return count;
}

static void free_variants(variant *variants, int count)
{
    for (int v = 0; v < count; v++) {
        msw_kernel_destroy(variants[v].kernel);
        msw_buffer_destroy(variants[v].scratch);
    }
}

static double run(variant *v, bench_case which, const msw_buffer *in, const msw_buffer *out, uint64_t n, int is_first)
{
    double seconds = -1;
    msw_diag diag;
    if (v->peer) return v->peer->run(which, msw_buffer_address(in), msw_buffer_address(out), n);
    const msw_enqueue_desc desc = {.struct_size = sizeof desc, .flags = is_first ? MSW_SCRATCH_DIRTY : 0, .n = n,
                                   .buffers = {msw_buffer_address(in), msw_buffer_address(out)},
                                   .scratch = v->scratch ? msw_buffer_address(v->scratch) : 0,
                                   .scratch_bytes = v->scratch ? msw_scratch_bytes(msw_kernel_plan(v->kernel), n) : 0};
    if (msw_kernel_run(v->kernel, &desc, &seconds, &diag)) fprintf(stderr, "bench_scan: %s: %s\n", v->name, diag.message);
    return seconds;
}

/* ---- verification: the first items against the oracle, the last ones against each other ---- */

typedef struct truth {
    unsigned char *first, *got;
    uint64_t first_bytes;
    double tolerance;
    int is_exact;
    uint64_t last_sum; /* of the last items' bytes, from the first variant verified */
    int has_last;
} truth;

static truth make_truth(bench_case which, const unsigned char *input, uint64_t n)
{
    const uint64_t items = n < CHECKED_ITEMS ? n : CHECKED_ITEMS, bytes = items * cases[which].element_bytes;
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = cases[which].spec};
    truth t = {.first = malloc(bytes), .got = malloc(bytes), .first_bytes = bytes};
    double tolerance[16] = {0};
    msw_spec *spec;
    msw_op_info info;
    msw_diag diag;
    if (!t.first || !t.got) die("out of memory");
    check(msw_spec_create(&desc, &spec, &diag), &diag);
    check(msw_spec_op(spec, 0, &info), &diag);
    check(msw_spec_evaluate(spec, 0, items, (const void *[]){input}, (void *[]){t.first}, NULL, NULL, tolerance, &diag), &diag);
    t.is_exact = (int)info.is_bit_exact;
    t.tolerance = tolerance[0];
    msw_spec_destroy(spec);
    return t;
}

static int first_is_right(const truth *t)
{
    if (t->is_exact) return memcmp(t->first, t->got, t->first_bytes) == 0;
    for (uint64_t at = 0; at < t->first_bytes; at += sizeof(float)) {
        float a, b;
        memcpy(&a, t->first + at, sizeof a);
        memcpy(&b, t->got + at, sizeof b);
        if (!(a - b <= t->tolerance && b - a <= t->tolerance)) return 0;
    }
    return 1;
}

static const char *verify(truth *t, msw_buffer *out, uint64_t out_bytes)
{
    uint64_t sum = 0;
    msw_diag diag;
    check(msw_buffer_read(out, 0, t->got, t->first_bytes, &diag), &diag);
    if (!first_is_right(t)) return "wrong";
    check(msw_buffer_read(out, out_bytes - t->first_bytes, t->got, t->first_bytes, &diag), &diag);
    for (uint64_t i = 0; i < t->first_bytes; i++) sum = sum * 31 + t->got[i];
    if (t->is_exact && t->has_last && sum != t->last_sum) return "wrong at the end";
    t->last_sum = sum;
    t->has_last = 1;
    return "verified";
}

/* ---- the bench ---- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(variant *v, int rounds)
{
    qsort(v->seconds, (size_t)rounds, sizeof *v->seconds, ascending);
    return v->seconds[rounds / 2];
}

static void report(variant *variants, int count, bench_case which, const options *o)
{
    const double bytes = 2.0 * (double)cases[which].element_bytes * (double)o->n;
    double reference = 0;
    for (int v = 0; v < count; v++) {
        const double seconds = median(&variants[v], o->rounds);
        if (!strcmp(variants[v].name, "memcpy")) reference = seconds;
        printf("%s,%s,%llu,%.1f,%.1f,", cases[which].name, variants[v].name, (unsigned long long)o->n, seconds * 1e6, bytes / seconds * 1e-9);
        if (reference > 0) printf("%.1f", 100 * reference / seconds);
        printf(",%s\n", variants[v].verdict);
    }
    fflush(stdout);
}

static void run_case(msw_context *context, bench_case which, const options *o)
{
    const uint64_t bytes = o->n * cases[which].element_bytes;
    variant variants[MAX_VARIANTS];
    unsigned char *input = malloc(bytes);
    msw_buffer *in, *out;
    msw_diag diag;
    uint32_t seed = 1;
    if (!input) die("out of memory");
    for (uint64_t i = 0; i + 4 <= bytes; i += 4) {
        const float value = (float)((seed = seed * 1664525u + 1013904223u) >> 24);
        if (which == BENCH_F32_SUM) memcpy(input + i, &value, 4);
        else memcpy(input + i, &seed, 4);
    }
    check(msw_buffer_create(context, bytes, &in, &diag), &diag);
    check(msw_buffer_create(context, bytes, &out, &diag), &diag);
    check(msw_buffer_write(in, 0, input, bytes, &diag), &diag);
    truth t = make_truth(which, input, o->n);
    const int count = add_variants(context, cases[which].spec, o, variants);
    for (int v = 0; v < count; v++) {
        run(&variants[v], which, in, out, o->n, 1);
        run(&variants[v], which, in, out, o->n, 0);
        variants[v].verdict = variants[v].peer && !variants[v].peer->is_scan ? "-" : verify(&t, out, bytes);
    }
    for (int r = 0; r < o->rounds; r++)
        for (int v = 0; v < count; v++) variants[v].seconds[r] = run(&variants[v], which, in, out, o->n, 0);
    report(variants, count, which, o);
    free_variants(variants, count);
    msw_buffer_destroy(in);
    msw_buffer_destroy(out);
    free(t.first);
    free(t.got);
    free(input);
}

static options parse(int argc, char **argv)
{
    options o = {.n = 1 << 20, .rounds = 11};
    for (int i = 1; i + 1 < argc; i += 2) {
        char *value = argv[i + 1];
        if (!strcmp(argv[i], "--device")) o.device = value;
        else if (!strcmp(argv[i], "--case")) o.only = value;
        else if (!strcmp(argv[i], "--n")) o.n = (uint64_t)1 << (atoi(value) & 63);
        else if (!strcmp(argv[i], "--rounds")) o.rounds = atoi(value);
        else if (!strcmp(argv[i], "--set") && strchr(value, '=') && o.knob_count < MAX_KNOBS) {
            char *equals = strchr(value, '=');
            *equals = '\0';
            o.knobs[o.knob_count++] = (msw_knob){value, equals + 1};
        } else die("options: --device D --n LOG2 --rounds R --case NAME --set KNOB=VALUE");
    }
    if (o.rounds < 1 || o.rounds > MAX_ROUNDS) die("--rounds: 1 to 101");
    return o;
}

int main(int argc, char **argv)
{
    const options o = parse(argc, argv);
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = o.device};
    msw_context *context;
    msw_diag diag;
    check(msw_context_create(&desc, &context, &diag), &diag);
    fprintf(stderr, "%s: %s, %s\n", msw_context_device(context)->id, msw_context_device(context)->name, msw_context_device(context)->driver);
    puts("case,variant,n,median_us,gb_per_s,percent_of_memcpy,result");
    for (int c = 0; c < BENCH_CASES; c++)
        if (!o.only || !strcmp(o.only, cases[c].name)) run_case(context, (bench_case)c, &o);
    msw_context_destroy(context);
    return 0;
}
