/* What verification says of results that are given: which variant of a plan is probed, bits of NaN, sorts, promised bits, subnormal numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/spec.h"

/* ---- variants of a plan ---- */

#define AFFINE_OF(combine)                                                                                   \
    "local A = struct 'A' { {'a', f32}, {'b', f32} } return scan { name = 't', monoid = monoid { type = A, " \
    "identity = { a = 1, b = 0 }, laws = 'trusted', combine = " combine " } }"
#define AFFINE_SOURCE(b)                                                                                                   \
    AFFINE_OF("source { glsl = 'return A(f.a * g.a, f.b * g.a + g.b);', cuda = 'return A{f.a * g.a, f.b * g.a + g.b};',\n" \
              "  parameters = {'f', 'g'}, host = function(f, g) return { a = f.a * g.a, b = " b " } end }")

/* Computes what one spec says, but for numbers of elements that one variant serves, of which another spec says it. */
typedef struct one_wrong_variant {
    msw_spec *right, *wrong;
    uint64_t from, to;
    uint32_t run_count; /* of that variant */
} one_wrong_variant;

static msw_result run_variant(void *user, uint64_t n, const void *const *inputs, void *const *outputs, msw_diag *diag)
{
    one_wrong_variant *d = user;
    const int is_own = n > d->from && n <= d->to;
    d->run_count += (uint32_t)is_own;
    return msw_spec_evaluate(is_own ? d->wrong : d->right, 0, n, inputs, outputs, NULL, NULL, diag);
}

static msw_spec *read_spec(const char *text)
{
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text};
    msw_spec *spec;
    msw_diag diag;
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
    return spec;
}

static msw_program *make_program(msw_spec *spec, msw_backend_kind backend)
{
    msw_target target = {.struct_size = sizeof target, .backend = backend};
    if (backend == MSW_BACKEND_CUDA)
        target = (msw_target){.struct_size = sizeof target,
                              .backend = backend,
                              .arch = "sm_90",
                              .subgroup_size = 32,
                              .compute_units = 132,
                              .shared_bytes = 232448,
                              .max_block_threads = 1024};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target};
    msw_program *program;
    msw_diag diag;
    if (msw_program_create(spec, &desc, &program, &diag)) fail_msg("%s", diag.message);
    return program;
}

static void probe_variant(one_wrong_variant *d, msw_backend_kind backend, const msw_plan *plan, uint64_t n, uint32_t pairs, msw_structure *structure)
{
    const msw_verification_desc desc = {.struct_size = sizeof desc, .spec = d->right, .backend = backend};
    const msw_probe_desc probe = {.struct_size = sizeof probe, .pair_count = pairs, .n = n, .plan = plan, .run = run_variant, .user = d};
    msw_verification *verification;
    msw_diag diag;
    if (msw_verification_create(&desc, &verification, &diag)) fail_msg("%s", diag.message);
    if (msw_verification_probe(verification, &probe, structure, &diag)) fail_msg("%s", diag.message);
    msw_verification_destroy(verification);
}

/* Each variant of two backends' plans in turn is the wrong one. */
static void check_variants(const char *right, const char *wrong, uint32_t pairs, uint32_t least_variants)
{
    static const msw_backend_kind backends[] = {MSW_BACKEND_VULKAN, MSW_BACKEND_CUDA};
    uint32_t checked = 0;
    for (size_t b = 0; b < 2; b++) {
        one_wrong_variant d = {read_spec(right), read_spec(wrong), 0, 0, 0};
        msw_program *program = make_program(d.right, backends[b]);
        const msw_plan *plan = msw_program_plan(program);
        for (uint32_t w = 0; w < plan->variant_count; w++) {
            msw_structure structure = {.struct_size = sizeof structure};
            d.from = w ? plan->variants[w - 1].n_max : 0, d.to = plan->variants[w].n_max, d.run_count = 0;
            if (d.from == d.to || (pairs && d.from > 100000)) continue; /* a fallback; what takes a Lua function too long */
            probe_variant(&d, backends[b], plan, d.from + 100, pairs, &structure);
            if (structure.verdict != MSW_FAILED) fail_msg("a wrong %s is not found: %s", plan->variants[w].strategy, structure.text);
            assert_true(d.run_count > 0);
            checked++;
        }
        d.from = d.to = 0;
        const uint64_t n = plan->variants[0].n_max + 1;
        msw_structure structure = {.struct_size = sizeof structure};
        probe_variant(&d, backends[b], plan, n, pairs, &structure);
        assert_int_equal(structure.verdict, MSW_VERIFIED);
        assert_non_null(strstr(structure.text, "pairs of "));
        assert_non_null(strstr(structure.text, plan->variants[1].strategy));
        msw_program_destroy(program);
        msw_spec_destroy(d.right);
        msw_spec_destroy(d.wrong);
    }
    assert_true(checked >= least_variants);
}

/* A mistake that only the kernel makes which serves the user's n. */
static void test_variants(void **state)
{
    (void)state;
    check_variants(AFFINE_OF("function(f, g) return { a = f.a * g.a, b = f.b * g.a + g.b } end"),
                   AFFINE_OF("function(f, g) return { a = f.a * g.a, b = fma(f.b, g.a, g.b) } end"), 0, 5);
    check_variants(AFFINE_SOURCE("f.b * g.a + g.b"), AFFINE_SOURCE("f.b * g.a + g.b * 1.0001"), 4, 4);
}

/* One that begins where no probe is made: the report says so. */
static void test_unprobed_variant(void **state)
{
    static const char text[] = "return scan { monoid = sum(f32) }";
    one_wrong_variant d = {read_spec(text), read_spec(text), 0, 0, 0};
    msw_plan plan = {.step_count = 1, .variant_count = 2, .steps = {{.tile_items = 256}}};
    plan.variants[0] = (msw_plan_variant){.n_max = 1 << 24, .step_count = 1, .strategy = "first"};
    plan.variants[1] = (msw_plan_variant){.n_max = UINT64_MAX, .step_count = 1, .strategy = "second"};
    msw_structure structure = {.struct_size = sizeof structure};
    (void)state;
    probe_variant(&d, MSW_BACKEND_CUDA, &plan, (1 << 24) + 1, 0, &structure);
    assert_int_equal(structure.verdict, MSW_NOT_VERIFIED);
    assert_true(structure.pair_count > 0);
    assert_non_null(strstr(structure.text, "not probed: second, which serves n = 16777217, from 16777217 elements on"));
    probe_variant(&d, MSW_BACKEND_CUDA, &plan, 1 << 24, 0, &structure);
    assert_int_equal(structure.verdict, MSW_VERIFIED);
    msw_spec_destroy(d.right);
    msw_spec_destroy(d.wrong);
}

/* ---- bits of NaN ---- */

enum { FEW = 64, NAN_AT = 40 };

static uint32_t judge_words(const char *text, const float *input, const uint32_t *const *outputs)
{
    const msw_spec_desc spec_desc = {.struct_size = sizeof spec_desc, .text = text};
    msw_verification_desc desc = {.struct_size = sizeof desc};
    msw_verification *verification = NULL;
    msw_verification_report report = {.struct_size = sizeof report};
    msw_diag diag;
    if (msw_spec_create(&spec_desc, &desc.spec, &diag) || msw_verification_create(&desc, &verification, &diag)) fail_msg("%s", diag.message);
    if (msw_verification_expect(verification, FEW, (const void *[]){input}, &diag)) fail_msg("%s", diag.message);
    if (msw_verification_judge(verification, (const void *[]){outputs[0], outputs[1]}, NULL, &report, &diag)) fail_msg("%s", diag.message);
    assert_int_equal(report.verdict == MSW_FAILED, report.failure != NULL);
    const uint32_t verdict = report.verdict;
    msw_verification_destroy(verification);
    msw_spec_destroy(desc.spec);
    return verdict;
}

/* What the host makes of the input. */
static void evaluate_words(const char *text, const float *input, uint32_t *first, uint32_t *second)
{
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text};
    msw_spec *spec;
    msw_diag diag;
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
    if (msw_spec_evaluate(spec, 0, FEW, (const void *[]){input}, (void *[]){first, second}, NULL, NULL, &diag)) fail_msg("%s", diag.message);
    msw_spec_destroy(spec);
}

static void make_input(float *input)
{
    for (int i = 0; i < FEW; i++) input[i] = (float)i / 8 + 1;
    input[NAN_AT] = NAN;
}

/* Integers made of the bits of a NaN that is computed are each device's own: another's are not wrong, and all else is compared. */
static void test_nan_bits(void **state)
{
    static const struct {
        const char *text;
        int from, end, is_rounded; /* what depends on the NaN; so do the bits of sums on the order */
    } cases[] = {
        {"return scan { monoid = maximum(u32), input = f32, map = function(x) return bitcast(u32, x * 2) end }", NAN_AT, FEW, 0},
        {"return scan { monoid = sum(u32), input = f32, map = function(x) return bitcast(u32, x * 2) >> 31 end }", NAN_AT, FEW, 0},
        {"return scan { monoid = maximum(f32), input = f32, map = function(x) return x end, output = function(s, x) return bitcast(u32, -x) end }",
         NAN_AT, NAN_AT + 1, 0},
        {"return scan { monoid = sum(f32), output = function(s) return bitcast(u32, s) end }", NAN_AT, FEW, 1},
        {"return scan { monoid = sum(f32), output = function(s, x) return bitcast(u32, x * 2) end }", NAN_AT, NAN_AT + 1, 1},
    };
    float input[FEW];
    uint32_t words[FEW];
    const uint32_t *const outputs[2] = {words, NULL};
    (void)state;
    make_input(input);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        evaluate_words(cases[c].text, input, words, NULL);
        assert_int_not_equal(judge_words(cases[c].text, input, outputs), MSW_FAILED);
        for (int i = cases[c].from; i < cases[c].end; i++) words[i] ^= c == 1 ? 1 : 0x803fffff;
        if (judge_words(cases[c].text, input, outputs) == MSW_FAILED) fail_msg("a false alarm: %s", cases[c].text);
        words[3] ^= 1u << 28;
        if (!cases[c].is_rounded && judge_words(cases[c].text, input, outputs) != MSW_FAILED) fail_msg("not found: %s", cases[c].text);
    }
}

/* The bits of a NaN that was computed, by a negation too, are each device's own; of a number, and of what is moved alone, they are not. */
static void test_nan_of_exact_operations(void **state)
{
    static const struct {
        const char *text;
        int is_computed;
    } cases[] = {
        {"return map { input = f32, output = function(x) return -x end }", 1},
        {"return map { input = f32, output = function(x) return abs(x) end }", 1},
        {"return map { input = f32, output = function(x) return max(x, x + 0) end }", 1},
        {"return map { input = f32, output = function(x, i) return where(eq(i, 7), f32(1), x) end }", 0},
    };
    float input[FEW];
    uint32_t words[FEW];
    const uint32_t *const outputs[2] = {words, NULL};
    (void)state;
    make_input(input);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        evaluate_words(cases[c].text, input, words, NULL);
        assert_int_equal(judge_words(cases[c].text, input, outputs), MSW_VERIFIED);
        words[NAN_AT] ^= 0x80000001;
        if (judge_words(cases[c].text, input, outputs) != (cases[c].is_computed ? MSW_VERIFIED : MSW_FAILED)) fail_msg("NaN: %s", cases[c].text);
        words[NAN_AT] = 0x7f800000;
        if (judge_words(cases[c].text, input, outputs) != MSW_FAILED) fail_msg("infinity for NaN: %s", cases[c].text);
        evaluate_words(cases[c].text, input, words, NULL);
        words[3] ^= 0x80000000;
        if (judge_words(cases[c].text, input, outputs) != MSW_FAILED) fail_msg("a number's sign: %s", cases[c].text);
    }
}

/* ---- small outputs, given ---- */

static uint32_t judge_on(msw_backend_kind backend, const char *text, uint64_t n, const void *const *inputs, const void *const *outputs, char *told,
                         size_t bytes)
{
    const msw_verification_desc desc = {.struct_size = sizeof desc, .spec = read_spec(text), .backend = backend};
    msw_verification *verification;
    msw_verification_report report = {.struct_size = sizeof report};
    msw_diag diag;
    if (msw_verification_create(&desc, &verification, &diag)) fail_msg("%s", diag.message);
    if (msw_verification_expect(verification, n, inputs, &diag)) fail_msg("%s", diag.message);
    if (msw_verification_judge(verification, outputs, NULL, &report, &diag)) fail_msg("%s", diag.message);
    snprintf(told, bytes, "%s", report.text);
    const uint32_t verdict = report.verdict;
    msw_verification_destroy(verification);
    msw_spec_destroy(desc.spec);
    return verdict;
}

static uint32_t judge_given(const char *text, uint64_t n, const void *const *inputs, const void *const *outputs, char *told, size_t bytes)
{
    return judge_on(MSW_BACKEND_CUDA, text, n, inputs, outputs, told, bytes);
}

/* Values of keys that devices may round otherwise: two of far keys are not exchanged; two of keys that may be in any order may be. */
static void test_sort_values(void **state)
{
    static const char text[] = "return sort { key = f32, input = f32, map = function(x) return sqrt(x) end, value = u32 }";
    float input[FEW], keys[FEW];
    uint32_t values[FEW], sorted[FEW];
    const void *const inputs[2] = {input, values}, *const outputs[2] = {keys, sorted};
    char told[400];
    (void)state;
    for (int i = 0; i < FEW; i++) input[i] = (float)i, keys[i] = sqrtf((float)i), values[i] = sorted[i] = 1000000 + (uint32_t)i;
    assert_int_equal(judge_given(text, FEW, inputs, outputs, told, sizeof told), MSW_VERIFIED);
    assert_string_equal(told, "verified: keys in order and as mapped; values belong to them"); /* no error is measured */
    sorted[10] = values[50], sorted[50] = values[10];
    assert_int_equal(judge_given(text, FEW, inputs, outputs, told, sizeof told), MSW_FAILED);
    sorted[10] = values[10], sorted[50] = values[50];
    input[11] = nextafterf(input[10], 20), keys[11] = keys[10];
    sorted[10] = values[11], sorted[11] = values[10];
    assert_int_equal(judge_given(text, FEW, inputs, outputs, told, sizeof told), MSW_VERIFIED);
    assert_non_null(strstr(told, "but for 2 whose keys are too near"));
    for (int i = 0; i < FEW; i++) input[i] = keys[i] = 4, sorted[i] = values[FEW - 1 - i];
    for (int i = 0; i < FEW; i++) keys[i] = 2;
    assert_int_equal(judge_given(text, FEW, inputs, outputs, told, sizeof told), MSW_NOT_VERIFIED);
    sorted[0] = 7;
    assert_int_equal(judge_given(text, FEW, inputs, outputs, told, sizeof told), MSW_FAILED);
}

/* Keys that doubles do not tell apart, and ones that overflow to an infinity of the other sign. */
static void test_sort_keys(void **state)
{
    static const char *const wide[] = {"return sort { key = u64, input = f64, map = function(x) return u64(sqrt(x)) | (u64(1) << 60) end }",
                                       "return sort { key = i64, input = f64, map = function(x) return -(i64(sqrt(x)) | (i64(1) << 60)) end }"};
    static const char exponential[] = "return sort { key = f32, input = f32, map = function(x) return exp(x) end, value = 'index' }";
    static const char alone[] = "return sort { key = f32, input = f32, map = function(x) return exp(x) end }";
    double input[FEW];
    uint64_t keys[FEW];
    char told[400];
    (void)state;
    for (int i = 0; i < FEW; i++) input[i] = i * i + 0.5;
    for (int t = 0; t < 2; t++) {
        for (int i = 0; i < FEW; i++) keys[i] = t ? 0 - (((uint64_t)1 << 60) + FEW - 1 - (uint64_t)i) : ((uint64_t)1 << 60) + (uint64_t)i;
        assert_int_equal(judge_given(wide[t], FEW, (const void *[]){input}, (const void *[]){keys}, told, sizeof told), MSW_VERIFIED);
        for (int i = 0; i < FEW; i++) keys[i] = keys[FEW - 1];
        assert_int_equal(judge_given(wide[t], FEW, (const void *[]){input}, (const void *[]){keys}, told, sizeof told), MSW_FAILED);
    }
    const float powers[4] = {1, 2, 3, 100};
    float results[4] = {expf(1), expf(2), expf(3), INFINITY};
    const uint32_t places[4] = {0, 1, 2, 3}, wrong_places[4] = {3, 0, 1, 2};
    assert_int_equal(judge_given(exponential, 4, (const void *[]){powers}, (const void *[]){results, places}, told, sizeof told), MSW_VERIFIED);
    assert_int_equal(judge_given(alone, 4, (const void *[]){powers}, (const void *[]){results}, told, sizeof told), MSW_VERIFIED);
    for (int i = 3; i > 0; i--) results[i] = results[i - 1];
    results[0] = -INFINITY;
    assert_int_equal(judge_given(exponential, 4, (const void *[]){powers}, (const void *[]){results, wrong_places}, told, sizeof told), MSW_FAILED);
    assert_int_equal(judge_given(alone, 4, (const void *[]){powers}, (const void *[]){results}, told, sizeof told), MSW_FAILED);
}

/* Where bits are promised: these, but for what is flushed. */
static void test_promised_bits(void **state)
{
    static const struct {
        float input, got;
        uint32_t verdict;
    } cases[] = {{2.3e-38f, 1.2e-38f, MSW_FAILED}, {0, -0.0f, MSW_FAILED},       {1e-39f, 0, MSW_VERIFIED}, {-1e-39f, -0.0f, MSW_VERIFIED},
                 {1e-39f, -0.0f, MSW_FAILED},      {1e-39f, 2e-39f, MSW_FAILED}, {0, 1e-39f, MSW_FAILED},   {2.3e-38f, 2.3e-38f, MSW_VERIFIED}};
    char told[400];
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const uint32_t verdict = judge_given("return scan { monoid = minimum(f32), input = f32, map = function(x) return x * f32(1) end }", 1,
                                             (const void *[]){&cases[c].input}, (const void *[]){&cases[c].got}, told, sizeof told);
        if (verdict != cases[c].verdict) fail_msg("%g for %g: %s", (double)cases[c].got, (double)cases[c].input, told);
    }
}

#define BITS_OF(value) \
    "return scan { monoid = bit_xor(u32), input = f32, map = function(x) local v = " value " return where(isnan(v), 1, bitcast(u32, v)) end }"

/* Vulkan's devices may take subnormal numbers for zeros, and its quotients by 0, subnormal and infinite numbers are not bounded: what depends on it
 * is not wrong there. CUDA's are. */
static void test_subnormals(void **state)
{
    static const struct {
        const char *text;
        int has_decided; /* what comes before the subnormal number */
        int is_rounded;  /* undecided on CUDA too: rounded, or near overflow */
        uint32_t other;  /* the exclusive or with what a device has that takes it for a zero, and all results that depend on it */
    } cases[] = {
        {BITS_OF("x / 0"), 0, 0, 0x7f800001},
        {BITS_OF("x // 0"), 0, 0, 0x7f800001},
        {BITS_OF("x / f32.inf"), 0, 0, 0x7f800001},
        {BITS_OF("0 / x"), 1, 0, 1},
        {BITS_OF("(x - x) // x"), 1, 0, 1},
        {BITS_OF("x % (x * 0 + f32(1e-39))"), 0, 1, 1},
        {BITS_OF("1 / x"), 0, 1, 1},
        {BITS_OF("x * 2"), 1, 0, 0x00200000},
        {"return scan { monoid = bit_xor(u32), input = f32, map = function(x) return where(gt(x, 0), u32(1), 2) end }", 1, 0, 3},
        {"return scan { monoid = sum(f32), output = function(s, x) return u32(1 / x) end }", 0, 0, 1},
        {"return scan { monoid = sum(f32), output = function(s, x) return 1 / x end }", 0, 1, 0x00400000},
        {"return scan { monoid = sum(f32), output = function(s, x) return where(lt(0, x), u32(1), 2) end }", 1, 0, 3},
    };
    float input[FEW];
    uint32_t words[FEW];
    char told[400];
    const void *const inputs[1] = {input}, *const outputs[1] = {words};
    (void)state;
    make_input(input);
    input[NAN_AT] = 3e-39f;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        evaluate_words(cases[c].text, input, words, NULL);
        if (judge_on(MSW_BACKEND_VULKAN, cases[c].text, FEW, inputs, outputs, told, sizeof told) == MSW_FAILED)
            fail_msg("%s: %s", cases[c].text, told);
        const int is_alone = strstr(cases[c].text, "output") != NULL;
        for (int i = NAN_AT; i < (is_alone ? NAN_AT + 1 : FEW); i++) words[i] ^= cases[c].other;
        if (judge_on(MSW_BACKEND_VULKAN, cases[c].text, FEW, inputs, outputs, told, sizeof told) == MSW_FAILED)
            fail_msg("a false alarm: %s: %s", cases[c].text, told);
        if (!cases[c].is_rounded && judge_on(MSW_BACKEND_CUDA, cases[c].text, FEW, inputs, outputs, told, sizeof told) != MSW_FAILED)
            fail_msg("not found on CUDA: %s: %s", cases[c].text, told);
        words[3] ^= 1u << 28;
        if (cases[c].has_decided && judge_on(MSW_BACKEND_VULKAN, cases[c].text, FEW, inputs, outputs, told, sizeof told) != MSW_FAILED)
            fail_msg("not found: %s", cases[c].text);
    }
}

/* A NaN with the other sign is at the other end of a sort. */
static void test_nan_keys(void **state)
{
    static const char text[] = "return sort { key = f32, map = function(x) return x - 1 end, value = 'index' }";
    float input[FEW];
    uint32_t keys[FEW], places[FEW];
    const uint32_t *const outputs[2] = {keys, places};
    (void)state;
    make_input(input);
    evaluate_words(text, input, keys, places);
    assert_int_equal(judge_words(text, input, outputs), MSW_VERIFIED);
    const int is_last = places[FEW - 1] == NAN_AT;
    memmove(keys + is_last, keys + !is_last, (FEW - 1) * sizeof *keys);
    memmove(places + is_last, places + !is_last, (FEW - 1) * sizeof *places);
    keys[is_last ? 0 : FEW - 1] = is_last ? 0xffc00000 : 0x7fc00000;
    places[is_last ? 0 : FEW - 1] = NAN_AT;
    assert_int_equal(judge_words(text, input, outputs), MSW_NOT_VERIFIED);
}

/* Keys that devices may round otherwise, of which only some bits order. */
static void test_sort_bits(void **state)
{
    static const struct {
        const char *text;
        int is_told; /* which places a wrong key may have */
    } cases[] = {
        {"return sort { key = key { type = f32, bits = {16, 32} }, map = function(x) return sqrt(x) end }", 1},
        {"return sort { key = key { type = f32, bits = {16, 32} }, order = 'descending', map = function(x) return sqrt(x) - 2 end }", 1},
        {"return sort { key = key { type = u32, bits = {0, 4} }, input = f32, map = function(x) return u32(sqrt(x) * 100) end }", 1},
        {"return sort { key = key { type = i32, bits = {0, 4} }, input = f32, map = function(x) return -i32(sqrt(x) * 100) end }", 1},
        {"return sort { key = key { type = f32, bits = {0, 12} }, map = function(x) return sqrt(x) end }", 0},
    };
    float input[FEW];
    uint32_t keys[FEW];
    const uint32_t *const outputs[2] = {keys, NULL};
    (void)state;
    for (int i = 0; i < FEW; i++) input[i] = (float)(i * 37 % FEW) / 8 + 1.3f;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        evaluate_words(cases[c].text, input, keys, NULL);
        const uint32_t wanted = cases[c].is_told ? MSW_VERIFIED : MSW_NOT_VERIFIED;
        if (judge_words(cases[c].text, input, outputs) != wanted) fail_msg("a false alarm, or too sure: %s", cases[c].text);
        for (int i = 0; i < FEW; i++) keys[i] = keys[FEW - 1];
        if (cases[c].is_told && judge_words(cases[c].text, input, outputs) != MSW_FAILED) fail_msg("not found: %s", cases[c].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_variants),      cmocka_unit_test(test_unprobed_variant),
                                       cmocka_unit_test(test_nan_bits),      cmocka_unit_test(test_nan_of_exact_operations),
                                       cmocka_unit_test(test_sort_values),   cmocka_unit_test(test_sort_keys),
                                       cmocka_unit_test(test_promised_bits), cmocka_unit_test(test_subnormals),
                                       cmocka_unit_test(test_nan_keys),      cmocka_unit_test(test_sort_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
