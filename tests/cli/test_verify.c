/* `--verify`, bench and tune find kernels that are wrong: specs whose `source` has a body for kernels that is not what its host function computes. */
#include "cli_driver.h"

#include <math.h>

enum { MANY = 1 << 20, SOME = 2000 };

#define WELFORD                                                                                                \
    "local S = struct 'S' { {'count', u32}, {'mean', f32}, {'m2', f32} }\n"                                    \
    "local welford = monoid { type = S, identity = { count = 0, mean = 0, m2 = 0 }, laws = 'trusted',\n"       \
    "  combine = function(a, b) local count, d = a.count + b.count, b.mean - a.mean\n"                         \
    "    local w = f32(b.count) / f32(max(count, 1))\n"                                                        \
    "    return { count = count, mean = a.mean + d * w, m2 = a.m2 + b.m2 + d * d * f32(a.count) * w } end }\n" \
    "local function one(x) return { count = 1, mean = x, m2 = 0 } end\n"

#define AFFINE "local A = struct 'A' { {'a', f32}, {'b', f32} }\n"
#define AFFINE_HOST "host = function(f, g) return { a = f.a * g.a, b = f.b * g.a + g.b } end"
#define AFFINE_SCAN(glsl) \
    AFFINE "return scan { monoid = monoid { type = A, identity = { a = 1, b = 0 }, combine = source { glsl = [[" glsl "]], " AFFINE_HOST " } } }\n"

#define LSE                                                                                                                                   \
    "local L = struct 'L' { {'m', f32}, {'s', f32} }\n"                                                                                       \
    "local lse = monoid { type = L, identity = { m = -f32.inf, s = 0 }, laws = 'trusted', combine = function(a, b) local m = max(a.m, b.m)\n" \
    "  local function part(x) return x.s * where(eq(x.m, m), 1, exp(x.m - m)) end return { m = m, s = part(a) + part(b) } end }\n"

/* An infinity is times an aggregate that underflows: within a tile, or of several only. */
#define DECAY(factor)                                                                                                                      \
    AFFINE "return scan { monoid = monoid { type = A, identity = { a = 1, b = 0 }, laws = 'trusted', combine = function(f, g)\n"           \
           "  return { a = f.a * g.a, b = f.b * g.a + g.b } end }, input = f32, map = function(x) return { a = " factor ", b = x } end,\n" \
           "  output = function(s) return s.b end }\n"

#define KEPT(condition)                                                                                                            \
    AFFINE "return scan { monoid = monoid { type = A, identity = { a = 1, b = 0 }, combine = function(f, g)\n"                     \
           "  return A(f.a * g.a, f.b * g.a + g.b) end }, input = f32, map = function(x) return { a = exp(-2 * x), b = x } end,\n" \
           "  outputs = { { 'alarm', value = function(s, x, i) return u32(i) end, keep = function(s) return " condition " end } } }\n"

typedef struct verified_case {
    const char *name, *text, *input;
    int code;
    const char *err; /* part of standard error */
} verified_case;

static const verified_case cases[] = {
    {"welford",
     WELFORD "return reduce { name = 'welford', monoid = welford, input = f32, map = one, output = function(s) return s.m2 / f32(s.count) end }\n",
     "thousand", 0,
     "structure exact (3 integer inputs), 64 pairs within bounds; of these 2 integer inputs and 16 pairs of reduce_then_scan, which "
     "serves n = 1048576; map and output: 1"},
    {"welford_zero",
     WELFORD "return reduce { monoid = welford, input = f32, map = one, output = source { glsl = 'return 0.0;', type = f32,\n"
             "  host = function(s) return s.m2 / s.count end } }\n",
     "thousand", 1, "\n  FAILED: out: error "},
    {"welford_scan_zero",
     WELFORD "return scan { monoid = welford, input = f32, map = one, output = source { glsl = 'return 0.0;', type = f32,\n"
             "  parameters = {'s'}, host = function(s) return s.mean end } }\n",
     "some", 1, "\n  FAILED: out, element "},
    {"lse",
     LSE
     "return reduce { monoid = lse, input = f32, map = function(x) return { m = x, s = 1 } end, output = function(s) return s.m + log(s.s) end }\n",
     "reals", 0, "structure exact (3 integer inputs), 64 pairs within bounds; map and output: "},
    {"map_lost",
     "return reduce { monoid = sum(f32), map = source { glsl = 'return uint(i) % 256u == 200u ? 0.0 : x;', parameters = {'x', 'i'},\n"
     "  host = function(x, i) return x end } }\n",
     "reals", 1, "verification failed: structure, random input through map and output: element 0: got "},
    {"map_lost_in_large_tiles",
     "return reduce { monoid = sum(f32), map = source { glsl = 'return uint(i) == 9000u ? 0.0 : x;', parameters = {'x', 'i'},\n"
     "  host = function(x, i) return x end }, tune = { block = 256, items = 32 } }\n",
     "reals", 1, "verification failed: structure, random input through map and output: element 0: got "},
    {"affine", AFFINE_SCAN("return A(f.a * g.a, f.b * g.a + g.b);"), "pairs", 0, "verified: field b, worst error "},
    {"affine_order", AFFINE_SCAN("return A(f.a * g.a, g.b * f.a + f.b);"), "pairs", 1, "verification failed: structure, "},
    {"affine_field", AFFINE_SCAN("return A(f.a * g.a, f.b * g.a + g.a);"), "pairs", 1, "verification failed: structure, "},
    {"affine_lost", AFFINE_SCAN("return f.b > 1.9 ? f : A(f.a * g.a, f.b * g.a + g.b);"), "pairs", 1, "verification failed: structure, "},
    /* roundings decide what is kept: a right kernel is not wrong */
    {"kept", KEPT("gt(s.b, 5)"), "reals", 0, "\n  verified: alarm"},
    /* what is counted is what is kept */
    {"kept_few",
     "return scan { monoid = sum(f32), outputs = { { 'few', value = function(s, x, i) return exp(s / 1e4) end,\n"
     "  keep = function(s, x, i) return eq(i % 100, 0) end } } }\n",
     "reals", 0, "; 0 of 20 undecided"},
    {"kept_undecided", KEPT("gt(cos(1e6 * s.b), 0)"), "reals", 1,
     "decide what is kept, by sin or cos of more than pi, which Vulkan does not bound\nmonosweep: kept_undecided: "
     "not verified: nothing wrong was found, but too little is known of these results; keep the arguments of sin and cos below pi"},
    {"kept_near", KEPT("gt(s.b * 1e6 - floor(s.b * 1e6), 0.5)"), "reals", 1,
     "; let what is kept, or where it goes, depend on integers, or take data"},
    {"window", "return reduce { monoid = sum(f32), map = function(x, i) return x * cos(f32(i)) end }\n", "reals", 1,
     "undecided: sin or cos of more than pi, which Vulkan does not bound (100 % of elements)"},
    {"map_rare",
     "return scan { monoid = sum(f32), input = u8, map = source { glsl = 'return x == 77u ? 78.0 : float(x);', host = function(x) return x end } }\n",
     "bytes", 1, "verification failed: out, element "},
    {"output_field",
     AFFINE "return scan { monoid = monoid { type = A, identity = { a = 1, b = 0 }, combine = function(f, g)\n"
            "  return { a = f.a * g.a, b = f.b * g.a + g.b } end }, output = source { glsl = 'return s.a;', type = f32, parameters = {'s'},\n"
            "  host = function(s) return s.b end } }\n",
     "pairs", 1, "\n  FAILED: out, element "},
    {"halves", "return reduce { monoid = sum(f16), input = u8, map = function(x) return f16(x) / 4096 end }\n", "bytes", 1,
     "not verified: out, bound "},
    {"infinite", DECAY("0.5"), "infinite", 1, "not verified: out, undecided: the data have infinities or NaN from element 777 on ("},
    {"infinite_late", DECAY("0.99"), "infinite", 1, "not verified: out, undecided: the data have infinities or NaN from element 777 on ("},
    /* the reference is 0, the bound is not: what a wrong output has is within it */
    {"zeros",
     WELFORD "return reduce { monoid = welford, input = f32, map = one, output = source { glsl = 'return s.count > 8u ? 1e-5 : s.m2;', type = f32,\n"
             "  parameters = {'s'}, host = function(s) return s.m2 end } }\n",
     "constant", 1, "\n  not verified: out, "},
    {"zeros_right", WELFORD "return reduce { monoid = welford, input = f32, map = one }\n", "constant", 0, "\n  verified: field m2, "},
    /* wrong for few elements alone */
    {"short",
     WELFORD "return reduce { monoid = welford, input = f32, map = one, output = source { glsl = 'return s.count < 4u ? 0.5 : s.mean;', type = f32,\n"
             "  parameters = {'s'}, host = function(s) return s.mean end } }\n",
     "thousand", 1, "verification failed: structure, 1 element: element 0: got 0.5 "},
    {"short_scan",
     "return scan { monoid = sum(f32), output = source { glsl = 'return i == 2 ? 7.0 : s;', type = f32, parameters = {'s', 'x', 'i'},\n"
     "  host = function(s) return s end } }\n",
     "reals", 1, "verification failed: structure, 3 elements: element 2: got 7 "},
    {"nan_lost",
     "return scan { monoid = sum(f32), input = f32, map = source { glsl = 'return isnan(x) ? 0.0 : x;', host = function(x) return x end } }\n", "nan",
     1,
     "verification failed: out, element 777: a number, where every order of combination comes to NaN; compare the bodies of the source in map "
     "first: "},
    {"nan_output",
     "return reduce { monoid = sum(f32), output = source { glsl = 'return 1.0;', type = f32, parameters = {'s'}, host = function(s) return 0 * s "
     "end } }\n",
     "nan", 1, "\n  FAILED: out: a number, where every order of combination comes to NaN"},
    {"nan_made", "return reduce { monoid = sum(f32), input = f32, map = function(x) return -1 - x end, output = function(s) return log(s) end }\n",
     "reals", 1, "\n  not verified: out, NaN on the device as on the host (100 % of elements)"},
    {"nan_all", "return scan { monoid = sum(f32), kind = 'exclusive', reverse = true }\n", "nan", 1,
     "; results that are NaN show little; take data that make none\n"},
    {"nan_of_none", "return reduce { monoid = sum(f32), output = function(s) return s / s end }\n", "none", 0, "\n  verified: out, bit for bit\n"},
    {"scan_of_none", "return scan { monoid = sum(f32), output = function(s) return s / s end }\n", "none", 0, "\n  verified: out, bit for bit\n"},
    {"idempotent",
     "return scan { monoid = maximum(f32), output = source { glsl = 'return s + 1.0;', type = f32, parameters = {'s'},\n"
     "  host = function(s) return s + 1 end } }\n",
     "reals", 0, "\n  structure exact (64 pairs); map and output: 16 short runs within bounds\n"},
    {"advice", "return reduce { monoid = sum(u32), map = source { glsl = 'return x + 1u;', host = function(x) return x end } }\n", "reals", 1,
     "; compare the bodies of the source in map first: host, and the one that the kernel has, must compute the same; then run it with --device host"},
    {"key", "return sort { key = f32, map = function(x) return exp(x) end, value = 'index' }\n", "reals", 0, "verified: keys in order and as mapped"},
    {"key_wrong",
     "return sort { key = f32, input = f32, value = 'index', map = source { glsl = 'return x * 1.001;', host = function(x) return x end } }\n",
     "reals", 1, "verification failed: keys_out, element "},
    {"key_sign", "return sort { key = f32, input = f32, map = source { glsl = 'return -x;', host = function(x) return x end } }\n", "reals", 1,
     "verification failed: keys_out, element "},
};

static float random_real(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) * 0x1p-24f;
}

/* Values of mean 1000, all of them and some, pairs from -1 to 1, bytes, reals from 0 to 1. */
static int make_inputs(void **state)
{
    float *values = malloc(2 * MANY * sizeof *values);
    uint32_t random = 1;
    (void)state;
    assert_non_null(values);
    enter_directory("test_verify");
    for (int i = 0; i < MANY; i++) values[i] = 1000 + 4 * (random_real(&random) + random_real(&random) - 1);
    make_file("thousand", values, MANY * sizeof *values);
    make_file("some", values, SOME * sizeof *values);
    for (int i = 0; i < 2 * SOME; i++) values[i] = 2 * random_real(&random) - 1;
    make_file("pairs", values, 2 * SOME * sizeof *values);
    for (int i = 0; i < SOME; i++) values[i] = random_real(&random);
    make_file("reals", values, SOME * sizeof *values);
    make_file("none", values, 0);
    values[777] = NAN;
    make_file("nan", values, SOME * sizeof *values);
    for (int i = 0; i < MANY / 8; i++) values[i] = 1000.1f;
    make_file("constant", values, MANY / 8 * sizeof *values);
    for (int i = 0; i < SOME / 4; i++) values[i] = random_real(&random);
    make_file("bytes", values, SOME);
    for (int i = 0; i < MANY / 8; i++) values[i] = random_real(&random);
    values[777] = INFINITY;
    make_file("infinite", values, MANY / 8 * sizeof *values);
    free(values);
    return 0;
}

static void test_run(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char path[64], arguments[256];
        snprintf(path, sizeof path, "%s.lua", cases[c].name);
        make_text(path, cases[c].text);
        /* Few items a thread, unless the spec says how many: their kernels are compiled sooner. */
        snprintf(arguments, sizeof arguments, "run %s --device vulkan --verify%s --input in=%s", path,
                 strstr(cases[c].text, "tune") ? "" : " --set items=8", cases[c].input);
        expect(arguments, cases[c].code, NULL, cases[c].err);
    }
}

/* What is not verified is told from what is wrong: its results are written. */
static void test_json(void **state)
{
    (void)state;
    expect("run halves.lua --device vulkan --verify --quiet --json --input in=bytes --output out=halves", 1, "\"verified\": false, \"reason\": \"",
           "too little is known");
    cli_file written = load_file("halves");
    assert_int_equal(written.bytes, 2);
    free(written.data);
    expect("run welford_zero.lua --device vulkan --verify --quiet --json --input in=thousand --output out=zero", 1,
           "\"verified\": false, \"reason\": \"", "verification failed");
    assert_null(load_file("zero").data);
    expect("run infinite.lua --device vulkan --verify --quiet --input in=infinite", 1, NULL, "; the data have infinities or NaN");
    expect("run affine.lua --device vulkan --verify --quiet --json --input in=pairs", 0, "\"verified\": \"bounds\", \"report\": \"structure exact (",
           NULL);
}

/* bench marks what is wrong; tune compares nothing with it. */
static void test_bench_and_tune(void **state)
{
    (void)state;
    expect("bench affine_field.lua --device vulkan --set strategy=reduce_then_scan --n 500 --rounds 1 --csv - --quiet", 1, ",wrong,,,\n",
           "verification failed: default: structure, ");
    expect("bench output_field.lua --device vulkan --set strategy=reduce_then_scan --n 500 --rounds 1 --csv - --quiet", 1, ",wrong,,,\n",
           "verification failed: default: structure, ");
    expect("bench welford.lua --device vulkan --set strategy=reduce_then_scan --n 500,5000 --rounds 1 --csv - --quiet", 0, ",default,5000,", NULL);
    expect("tune output_field.lua --device vulkan --n 500 --budget 1 --quiet --tuning table", 1, NULL, "the default is not right");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_run), cmocka_unit_test(test_json), cmocka_unit_test(test_bench_and_tune)};
    return cmocka_run_group_tests(tests, make_inputs, NULL);
}
