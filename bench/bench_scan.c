/* Scans and reductions against each other, CUB and memcpy: one process, the same memory, runs interleaved, medians, results verified. CSV on standard output.
 *
 *   bench_scan [--device D] [--n SIZES] [--csv FILE] [--rounds R] [--case NAME] [--in-offset BYTES] [--out-offset BYTES] [--set KNOB=VALUE[,KNOB=VALUE ..] ..]
 *
 * Each --set is a variant; with one, the baselines are left out. */
#include "bench.h"
#include "cases.h"

#include <stdlib.h>
#include <string.h>

enum { CHECKED_ITEMS = 1 << 22 };

static const struct {
    const char *name, *spec;
    uint64_t element_bytes;
    int is_reduction;
    const char *deterministic; /* its spec; NULL: results are the same bits in any case */
} cases[SCAN_CASES] = {
    {.name = "u32 sum", .spec = "return scan { monoid = sum(u32), kind = 'exclusive' }", .element_bytes = 4},
    {.name = "f32 sum", .spec = "return scan { monoid = sum(f32), kind = 'exclusive' }", .element_bytes = 4, .deterministic = "return scan { monoid = sum(f32), kind = 'exclusive', deterministic = true }"},
    {.name = "u64 sum", .spec = "return scan { monoid = sum(u64), kind = 'exclusive' }", .element_bytes = 8},
    {.name = "affine u32x2",
     .spec = "local A = struct 'Affine' { {'a', u32}, {'b', u32} }\n"
     "return scan { kind = 'exclusive', monoid = monoid { type = A, identity = A(1, 0),\n"
     "  combine = function(f, g) return A(f.a * g.a, f.b * g.a + g.b) end } }", .element_bytes = 8},
    {.name = "matrix u32 2x2",
     .spec = "local M = struct 'Matrix' { {'a', u32}, {'b', u32}, {'c', u32}, {'d', u32} }\n"
     "return scan { kind = 'exclusive', monoid = monoid { type = M, identity = M(1, 0, 0, 1), combine = function(x, y)\n"
     "  return M(x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d) end } }", .element_bytes = 16},
    {.name = "i64 max", .spec = "return scan { monoid = maximum(i64), kind = 'exclusive' }", .element_bytes = 8},
    {.name = "u8 sum", .spec = "return scan { monoid = sum(u8), kind = 'exclusive' }", .element_bytes = 1},
    {.name = "u16 sum", .spec = "return scan { monoid = sum(u16), kind = 'exclusive' }", .element_bytes = 2},
    {.name = "matrix u64 2x2",
     .spec = "local M = struct 'Matrix' { {'a', u64}, {'b', u64}, {'c', u64}, {'d', u64} }\n"
     "return scan { kind = 'exclusive', monoid = monoid { type = M, identity = M(1, 0, 0, 1), combine = function(x, y)\n"
     "  return M(x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d) end } }", .element_bytes = 32},
    {.name = "u32 reduce", .spec = "return reduce { monoid = sum(u32) }", .element_bytes = 4, .is_reduction = 1},
    {.name = "f32 reduce", .spec = "return reduce { monoid = sum(f32) }", .element_bytes = 4, .is_reduction = 1, .deterministic = "return reduce { monoid = sum(f32), deterministic = true }"},
};

/* ---- verification: the first items against the oracle, the last ones against each other ---- */

typedef struct truth {
    scan_case which;
    uint64_t n;
    unsigned char *input, *first, *got;
    msw_buffer *out;
    uint64_t first_bytes, offset;
    double tolerance;
    int is_exact;
    uint64_t last_sum; /* of the last items' bytes, from the first variant verified */
    int has_last;
} truth;

static uint64_t array_bytes(const truth *t) { return t->n * cases[t->which].element_bytes; }

/* What `input` comes to, at the first items of n; a reduction's all. */
static void find_truth(truth *t, uint64_t n)
{
    const int is_reduction = cases[t->which].is_reduction;
    const uint64_t items = n < CHECKED_ITEMS || is_reduction ? n : CHECKED_ITEMS;
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = cases[t->which].spec};
    double tolerance[16] = {0};
    msw_spec *spec;
    msw_op_info info;
    msw_diag diag;
    t->n = n;
    t->first_bytes = (is_reduction ? 1 : items) * cases[t->which].element_bytes;
    t->has_last = 0;
    bench_check(msw_spec_create(&desc, &spec, &diag), &diag);
    bench_check(msw_spec_op(spec, 0, &info), &diag);
    bench_check(msw_spec_evaluate(spec, 0, items, (const void *[]){t->input}, (void *[]){t->first}, NULL, NULL, tolerance, &diag), &diag);
    t->is_exact = (int)info.is_bit_exact;
    t->tolerance = tolerance[0];
    msw_spec_destroy(spec);
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

static void clear(void *user)
{
    truth *t = user;
    msw_diag diag;
    bench_check(msw_buffer_write(t->out, t->offset, t->input, array_bytes(t), &diag), &diag);
}

static const char *verify(void *user, const bench_variant *variant)
{
    truth *t = user;
    uint64_t sum = 0;
    msw_diag diag;
    (void)variant;
    bench_check(msw_buffer_read(t->out, t->offset, t->got, t->first_bytes, &diag), &diag);
    if (!first_is_right(t)) return "wrong";
    if (cases[t->which].is_reduction) return "verified";
    bench_check(msw_buffer_read(t->out, t->offset + array_bytes(t) - t->first_bytes, t->got, t->first_bytes, &diag), &diag);
    for (uint64_t i = 0; i < t->first_bytes; i++) sum = sum * 31 + t->got[i];
    if (t->is_exact && t->has_last && sum != t->last_sum) return "wrong at the end";
    t->last_sum = sum;
    t->has_last = 1;
    return "verified";
}

/* ---- the bench ---- */

static void fill(scan_case which, unsigned char *input, uint64_t bytes)
{
    uint32_t seed = 1;
    for (uint64_t i = 0; i + 4 <= bytes; i += 4) {
        const float value = (float)((seed = seed * 1664525u + 1013904223u) >> 24);
        if (which == SCAN_F32_SUM || which == SCAN_F32_REDUCE) memcpy(input + i, &value, 4);
        else memcpy(input + i, &seed, 4);
    }
}

static void add_variants(bench *b, scan_case which)
{
    static const msw_knob strategies[] = {{"strategy", "lookback"}, {"strategy", "reduce_then_scan"}, {"strategy", "scan_then_propagate"},
                                          {"strategy", "chained_scan"}};
    const char *spec = cases[which].spec;
    const int count = b->options->set_count || cases[which].is_reduction ? 0 : 4;
    bench_add_peers(b);
    bench_add(b, spec, "default", NULL, 0);
    if (!b->options->set_count && cases[which].deterministic) bench_add(b, cases[which].deterministic, "deterministic", NULL, 0);
    if (count) bench_add_in_place(b, spec);
    for (int s = 0; s < count; s++) bench_add(b, spec, strategies[s].value, &strategies[s], 1);
    bench_add_sets(b, spec);
}

static int run_case(msw_context *context, scan_case which, const bench_options *o)
{
    const uint64_t element_bytes = cases[which].element_bytes, bytes = o->n[o->n_count - 1] * element_bytes;
    truth t = {.which = which, .offset = o->out_offset, .input = bench_memory(bytes), .first = bench_memory(CHECKED_ITEMS * element_bytes), .got = bench_memory(CHECKED_ITEMS * element_bytes)};
    bench b = {.context = context, .options = o, .name = cases[which].name, .kind = cases[which].is_reduction ? "reduce" : "scan", .which = (int)which,
               .element_bytes = (cases[which].is_reduction ? 1 : 2) * element_bytes, .memcpy_bytes = 2 * element_bytes, .clear = clear,
               .verify = verify, .user = &t};
    msw_buffer *in;
    msw_diag diag;
    int is_right = 1;
    fill(which, t.input, bytes);
    bench_check(msw_buffer_create(context, bytes + o->in_offset, &in, &diag), &diag);
    bench_check(msw_buffer_create(context, bytes + o->out_offset, &t.out, &diag), &diag);
    bench_check(msw_buffer_write(in, o->in_offset, t.input, bytes, &diag), &diag);
    add_variants(&b, which);
    for (uint32_t i = 0; i < o->n_count; i++) {
        const bench_arrays arrays = {.n = o->n[i], .in = {msw_buffer_address(in) + o->in_offset}, .out = {msw_buffer_address(t.out) + o->out_offset}};
        find_truth(&t, o->n[i]);
        is_right &= bench_run(&b, &arrays);
    }
    bench_free(&b);
    msw_buffer_destroy(in);
    msw_buffer_destroy(t.out);
    free(t.first);
    free(t.got);
    free(t.input);
    return is_right;
}

int main(int argc, char **argv)
{
    const bench_options o = bench_parse(argc, argv, "20");
    msw_context *context = bench_open(&o);
    int is_right = 1;
    if (o.entropy) bench_die("--entropy: of sorts only");
    for (int c = 0; c < SCAN_CASES; c++)
        if (bench_is_wanted(&o, cases[c].name)) is_right &= run_case(context, (scan_case)c, &o);
    msw_context_destroy(context);
    return !is_right;
}
