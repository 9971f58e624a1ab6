/* Scans and reductions against each other, CUB, memcpy and a plain C loop: one process, the same memory, runs interleaved, medians, results verified.
 * CSV on standard output.
 *
 *   bench_scan [--device D] [--n SIZES] [--csv FILE] [--rounds R] [--case NAME] [--in-offset BYTES] [--out-offset BYTES]
 *              [--set KNOB=VALUE[,KNOB=VALUE ..] ..]
 *
 * Each --set is a variant; with one, the baselines are left out. */
#include "bench.h"
#include "scan_loops.h"

#include <stdlib.h>
#include <string.h>

enum { CHECKED_ITEMS = 1 << 22, LOOP_ROUNDS = 3 }; /* a loop takes long where a device takes little */

static const struct {
    const char *name, *spec;
    uint64_t element_bytes;
    int is_reduction;
    const char *deterministic; /* its spec; NULL: results are the same bits in any case */
} cases[SCAN_CASES] = {
    {.name = "u32 sum", .spec = "return scan { monoid = sum(u32), kind = 'exclusive' }", .element_bytes = 4},
    {.name = "f32 sum",
     .spec = "return scan { monoid = sum(f32), kind = 'exclusive' }",
     .element_bytes = 4,
     .deterministic = "return scan { monoid = sum(f32), kind = 'exclusive', deterministic = true }"},
    {.name = "u64 sum", .spec = "return scan { monoid = sum(u64), kind = 'exclusive' }", .element_bytes = 8},
    {.name = "affine u32x2",
     .spec = "local A = struct 'Affine' { {'a', u32}, {'b', u32} }\n"
             "return scan { kind = 'exclusive', monoid = monoid { type = A, identity = A(1, 0),\n"
             "  combine = function(f, g) return A(f.a * g.a, f.b * g.a + g.b) end } }",
     .element_bytes = 8},
    {.name = "matrix u32 2x2",
     .spec = "local M = struct 'Matrix' { {'a', u32}, {'b', u32}, {'c', u32}, {'d', u32} }\n"
             "return scan { kind = 'exclusive', monoid = monoid { type = M, identity = M(1, 0, 0, 1), combine = function(x, y)\n"
             "  return M(x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d) end } }",
     .element_bytes = 16},
    {.name = "i64 max", .spec = "return scan { monoid = maximum(i64), kind = 'exclusive' }", .element_bytes = 8},
    {.name = "u8 sum", .spec = "return scan { monoid = sum(u8), kind = 'exclusive' }", .element_bytes = 1},
    {.name = "u16 sum", .spec = "return scan { monoid = sum(u16), kind = 'exclusive' }", .element_bytes = 2},
    {.name = "f16 sum", .spec = "return scan { monoid = sum(f16), kind = 'exclusive' }", .element_bytes = 2},
    {.name = "matrix u64 2x2",
     .spec = "local M = struct 'Matrix' { {'a', u64}, {'b', u64}, {'c', u64}, {'d', u64} }\n"
             "return scan { kind = 'exclusive', monoid = monoid { type = M, identity = M(1, 0, 0, 1), combine = function(x, y)\n"
             "  return M(x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d) end } }",
     .element_bytes = 32},
    {.name = "u32 reduce", .spec = "return reduce { monoid = sum(u32) }", .element_bytes = 4, .is_reduction = 1},
    {.name = "f32 reduce",
     .spec = "return reduce { monoid = sum(f32) }",
     .element_bytes = 4,
     .is_reduction = 1,
     .deterministic = "return reduce { monoid = sum(f32), deterministic = true }"},
};

/* ---- verification: the first and the last items against a plain C loop, and that against the oracle ---- */

typedef struct truth {
    scan_case which;
    uint64_t n;
    unsigned char *input, *expected, *got; /* expected: what the loop makes of `input` */
    msw_buffer *in, *out;
    uint64_t checked_bytes, offset;
} truth;

static uint64_t array_bytes(const truth *t) { return t->n * cases[t->which].element_bytes; }

static uint64_t output_bytes(const truth *t) { return cases[t->which].is_reduction ? cases[t->which].element_bytes : array_bytes(t); }

static double run_loop(void *user, const bench_arrays *arrays)
{
    truth *t = user;
    const double start = ms_now();
    bench_loop(t->which, arrays->n, t->input, t->expected);
    return ms_now() - start;
}

static double copy(void *user, msw_kernel *kernel)
{
    const truth *t = user;
    msw_diag diag;
    return ms_copy(kernel, t->out, t->in, array_bytes(t), &diag);
}

/* The loop's results are the oracle's, to the bit: floats are such that no sum is rounded. */
static void check_loop(truth *t)
{
    const uint64_t items = t->n < CHECKED_ITEMS || cases[t->which].is_reduction ? t->n : CHECKED_ITEMS;
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = cases[t->which].spec};
    msw_spec *spec;
    msw_diag diag;
    bench_check(msw_spec_create(&desc, &spec, &diag), &diag);
    bench_check(msw_spec_evaluate(spec, 0, items, (const void *[]){t->input}, (void *[]){t->got}, NULL, NULL, &diag), &diag);
    if (memcmp(t->got, t->expected, t->checked_bytes)) bench_die("the plain C loop differs from the oracle");
    msw_spec_destroy(spec);
}

static void find_truth(truth *t, uint64_t n)
{
    t->n = n;
    t->checked_bytes =
        output_bytes(t) < CHECKED_ITEMS * cases[t->which].element_bytes ? output_bytes(t) : CHECKED_ITEMS * cases[t->which].element_bytes;
    bench_loop(t->which, n, t->input, t->expected);
    check_loop(t);
}

static void clear(void *user)
{
    truth *t = user;
    msw_diag diag;
    bench_check(msw_buffer_write(t->out, t->offset, t->input, array_bytes(t), &diag), &diag);
}

/* Whether the results from this byte on are right. */
static int is_right_at(const truth *t, uint64_t byte)
{
    msw_diag diag;
    bench_check(msw_buffer_read(t->out, t->offset + byte, t->got, t->checked_bytes, &diag), &diag);
    return !memcmp(t->got, t->expected + byte, t->checked_bytes);
}

static const char *verify(void *user, const bench_variant *variant)
{
    const truth *t = user;
    (void)variant;
    if (!is_right_at(t, 0)) return "wrong";
    return is_right_at(t, output_bytes(t) - t->checked_bytes) ? "verified" : "wrong at the end";
}

/* ---- the bench ---- */

/* Floats are whole numbers up to 128, of which every two cancel each other, at random which way: what any neighbours come to is small, what
 * any others come to is a random walk. So no order of summation rounds. */
static void fill(scan_case which, unsigned char *input, uint64_t bytes)
{
    const int is_half = which == SCAN_F16_SUM, is_float = which == SCAN_F32_SUM || which == SCAN_F32_REDUCE;
    uint32_t seed = 1;
    int32_t whole = 0;
    for (uint64_t i = 0, place = 0; i + (is_half ? 2 : 4) <= bytes; i += is_half ? 2 : 4, place++) {
        seed = seed * 1664525u + 1013904223u;
        if (place % 2) whole = -whole;
        else whole = (int32_t)(1 + (seed >> 24 & 127)) * (seed >> 31 ? 1 : -1);
        const float value = (float)whole;
        const uint16_t half = bench_half(whole);
        if (is_float) memcpy(input + i, &value, 4);
        else if (is_half) memcpy(input + i, &half, 2);
        else memcpy(input + i, &seed, 4);
    }
}

static void add_variants(bench *b, scan_case which)
{
    static const msw_knob strategies[] = {
        {"strategy", "lookback"}, {"strategy", "reduce_then_scan"}, {"strategy", "scan_then_propagate"}, {"strategy", "chained_scan"}};
    const char *spec = cases[which].spec;
    const int count = b->options->set_count || cases[which].is_reduction ? 0 : 4;
    bench_add_peers(b);
    if (!b->options->set_count) bench_add_own(b, "plain C loop", LOOP_ROUNDS, run_loop);
    bench_add(b, spec, "default", NULL, 0);
    if (!b->options->set_count && cases[which].deterministic) bench_add(b, cases[which].deterministic, "deterministic", NULL, 0);
    if (count) bench_add_in_place(b, spec);
    for (int s = 0; s < count; s++) bench_add(b, spec, strategies[s].value, &strategies[s], 1);
    bench_add_sets(b, spec);
}

static int run_case(msw_context *context, scan_case which, const bench_options *o)
{
    const uint64_t element_bytes = cases[which].element_bytes, bytes = o->n[o->n_count - 1] * element_bytes;
    truth t = {.which = which,
               .offset = o->out_offset,
               .input = bench_memory(bytes),
               .expected = bench_memory(bytes),
               .got = bench_memory(CHECKED_ITEMS * element_bytes)};
    bench b = {.context = context,
               .options = o,
               .name = cases[which].name,
               .kind = cases[which].is_reduction ? "reduce" : "scan",
               .which = (int)which,
               .element_bytes = (cases[which].is_reduction ? 1 : 2) * element_bytes,
               .memcpy_bytes = 2 * element_bytes,
               .clear = clear,
               .verify = verify,
               .copy = copy,
               .user = &t};
    msw_diag diag;
    int is_right = 1;
    fill(which, t.input, bytes);
    bench_check(msw_buffer_create(context, bytes + o->in_offset, &t.in, &diag), &diag);
    bench_check(msw_buffer_create(context, bytes + o->out_offset, &t.out, &diag), &diag);
    bench_check(msw_buffer_write(t.in, o->in_offset, t.input, bytes, &diag), &diag);
    add_variants(&b, which);
    for (uint32_t i = 0; i < o->n_count; i++) {
        const bench_arrays arrays = {
            .n = o->n[i], .in = {msw_buffer_address(t.in) + o->in_offset}, .out = {msw_buffer_address(t.out) + o->out_offset}};
        find_truth(&t, o->n[i]);
        is_right &= bench_run(&b, &arrays);
    }
    bench_free(&b);
    msw_buffer_destroy(t.in);
    msw_buffer_destroy(t.out);
    free(t.expected);
    free(t.got);
    free(t.input);
    return is_right;
}

int main(int argc, char **argv)
{
    const bench_options o = bench_parse(argc, argv, "20");
    msw_context *context = bench_open(&o);
    int is_right = 1;
    if (o.entropy || o.deterministic) bench_die("--entropy: of sorts only; --deterministic: of sweeps");
    for (int c = 0; c < SCAN_CASES; c++)
        if (bench_is_wanted(&o, cases[c].name)) is_right &= run_case(context, (scan_case)c, &o);
    msw_context_destroy(context);
    return !is_right;
}
