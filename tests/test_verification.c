/* Verification of every operation of the corpus and the examples on simulated devices: correct ones in many trees, which must not fail, and ones that
 * make a mistake, which must be found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "simulated_device.h"

enum { ITEMS = 5003 };

typedef struct geometry {
    const char *name;
    uint32_t tile;
    tree tree;
    ms_push_rule rule; /* of functions */
} geometry;

static const geometry geometries[] = {
    {"one after the other", 1024, SEQUENTIAL, MS_PUSH_NONE}, {"balanced tiles of 256", 256, BALANCED, MS_PUSH_PART},
    {"balanced tiles of 4096", 4096, BALANCED, MS_PUSH_UP},  {"random trees of 512", 512, RANDOM, MS_PUSH_SIGN},
    {"random trees of 64", 64, RANDOM, MS_PUSH_AWAY},        {"tiles of 1024, near", 1024, BALANCED, MS_PUSH_PART},
};

typedef struct subject {
    msw_spec *spec;
    const ms_operation *op;
    msw_verification *verification;
    ms_arena arena;
    unsigned char *input, *got, *right;
    uint64_t n;
    const char *label;
} subject;

typedef struct tally {
    int operations, verified, not_verified, found, without_effect, failures;
} tally;

/* ---- data ---- */

static uint64_t next_random(uint64_t *state) /* splitmix64 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void fill(const ms_type *type, unsigned char *data, uint64_t n, int seed)
{
    uint64_t state = (uint64_t)seed;
    memset(data, 0, n * type->info.size_bytes);
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t l = 0; l < type->info.leaf_count; l++) {
            const msw_leaf *leaf = &type->info.leaves[l];
            const uint64_t bits = next_random(&state);
            const double real = ((double)(bits >> 11) * 0x1p-53 - 0.3) * 2;
            const uint64_t value = ms_scalar_is_float(leaf->scalar) ? ms_scalar_from_double(leaf->scalar, real) : bits;
            ms_scalar_store(leaf->scalar, data + i * type->info.size_bytes + leaf->offset_bytes, value);
        }
}

/* ---- one verification ---- */

static msw_plan plan_of(uint32_t tile)
{
    return (msw_plan){.step_count = 1, .variant_count = 1, .steps = {{.tile_items = tile}}, .variants = {{.n_max = UINT64_MAX, .step_count = 1}}};
}

static simulated_device make_device(subject *s, const ms_operation *op, const geometry *g, mistake m)
{
    simulated_device d = {.tile = g->tile, .tree = g->tree, .mistake = m, .push = {g->rule, 1, 4711}};
    assert_true(sim_open(&d, &s->arena, op));
    return d;
}

static uint32_t verify(subject *s, const geometry *g, mistake m, char *text, size_t bytes)
{
    simulated_device whole = make_device(s, s->op, g, m), state = whole;
    msw_spec *state_spec = msw_verification_state_spec(s->verification);
    const msw_plan plan = plan_of(g->tile);
    msw_structure structure;
    msw_verification_report report;
    msw_diag diag;
    if (state_spec) state = make_device(s, state_spec->operations, g, m == ZERO_OUTPUT ? NO_MISTAKE : m);
    const msw_probe_desc probe = {.struct_size = sizeof probe, .pair_count = 64, .n = s->n, .plan = &plan, .run = sim_run, .run_state = sim_run, .user = &whole,
                                  .state_user = &state};
    if (msw_verification_probe(s->verification, &probe, &structure, &diag)) fail_msg("%s", diag.message);
    assert_int_equal(sim_run(&whole, s->n, (const void *[]){s->input}, (void *[]){s->got}, &diag), MSW_OK);
    if (msw_verification_judge(s->verification, (const void *[]){s->got}, &structure, &report, &diag)) fail_msg("%s", diag.message);
    snprintf(text, bytes, "%s\n%s", structure.text, report.text);
    return report.verdict;
}

/* Correct devices: none fails. */
static void check_right(subject *s, tally *t)
{
    char text[4096];
    for (size_t g = 0; g < sizeof geometries / sizeof *geometries; g++) {
        const uint32_t verdict = verify(s, &geometries[g], NO_MISTAKE, text, sizeof text);
        if (verdict == MSW_FAILED) {
            print_error("%s, %s, %s: a false alarm: %s\n", s->op->name, s->label, geometries[g].name, text);
            t->failures++;
        }
        if (!g && verdict == MSW_NOT_VERIFIED && getenv("MSW_TEST_VERBOSE")) print_message("%s, %s: %s\n", s->op->name, s->label, text);
        if (!g) *(verdict == MSW_VERIFIED ? &t->verified : &t->not_verified) += 1;
    }
}

/* A mistake that shows in the results is found. */
static void check_mistakes(subject *s, tally *t)
{
    const geometry *g = &geometries[1];
    const size_t bytes = (s->op->kind == MSW_OP_SCAN ? s->n : 1) * s->op->output->info.size_bytes;
    char text[4096];
    verify(s, g, NO_MISTAKE, text, sizeof text);
    memcpy(s->right, s->got, bytes);
    for (int m = NO_MISTAKE + 1; m < MISTAKES; m++) {
        const uint32_t verdict = verify(s, g, (mistake)m, text, sizeof text);
        if (verdict == MSW_FAILED) t->found++;
        else if (!memcmp(s->got, s->right, bytes)) t->without_effect++;
        else if ((m == CONTRACTED || m == TRUNCATED) && !ms_function_is_promised(s->op->monoid->combine)) t->without_effect++; /* allowed */
        else {
            print_error("%s, %s: %s is not found: %s\n", s->op->name, s->label, mistake_names[m], text);
            t->failures++;
        }
    }
}

static void check_operation(msw_spec *spec, uint32_t op, int seed, tally *t)
{
    const msw_verification_desc desc = {.struct_size = sizeof desc, .spec = spec, .op = op};
    subject s = {.spec = spec, .op = &spec->operations[op], .n = ITEMS, .label = seed ? "data 2" : "data 1"};
    msw_diag diag;
    if (s.op->kind == MSW_OP_SORT) return;
    ms_arena_init(&s.arena, NULL, 0);
    s.input = malloc(s.n * s.op->input->info.size_bytes);
    s.got = calloc(s.n, s.op->output->info.size_bytes);
    s.right = malloc(s.n * s.op->output->info.size_bytes);
    assert_true(s.input && s.got && s.right);
    fill(s.op->input, s.input, s.n, seed);
    if (msw_verification_create(&desc, &s.verification, &diag)) fail_msg("%s", diag.message);
    if (msw_verification_expect(s.verification, s.n, (const void *[]){s.input}, &diag)) fail_msg("%s", diag.message);
    check_right(&s, t);
    check_mistakes(&s, t);
    t->operations++;
    msw_verification_destroy(s.verification);
    ms_arena_free(&s.arena);
    free(s.input);
    free(s.got);
    free(s.right);
}

static void check_file(const char *name, tally *t)
{
    char path[512];
    msw_spec *spec;
    msw_diag diag;
    const char *only = getenv("MSW_TEST_OP");
    snprintf(path, sizeof path, "%s/%s", MSW_SOURCE_DIR, name);
    const msw_spec_desc desc = {.struct_size = sizeof desc, .file = path};
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
    for (uint32_t op = 0; op < spec->operation_count; op++)
        if (!only || !strcmp(only, spec->operations[op].name)) check_operation(spec, op, 1, t);
    msw_spec_destroy(spec);
}

static void test_every_operation(void **state)
{
    static const char *const files[] = {"tests/corpus/sums.lua",      "tests/corpus/types.lua", "tests/corpus/maps.lua",    "tests/corpus/summaries.lua",
                                        "examples/affine.lua",         "examples/words.lua",     "examples/text_offsets.lua"};
    tally t = {0};
    (void)state;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) check_file(files[f], &t);
    print_message("%d operations, %d verified, %d not; %d mistakes found, %d without an effect\n", t.operations, t.verified, t.not_verified, t.found,
                  t.without_effect);
    assert_int_equal(t.failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_operation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
