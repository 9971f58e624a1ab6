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

/* Floats from -0.6 to 1.4; or around 1000; or of all magnitudes from 2^-8 to 2^8 and either sign; or alternating, so that sums cancel; or the first
 * with a few NaN, or with infinities and NaN. */
enum { DATA_KINDS = 6 };
static const char *const data_names[] = {"small numbers", "around 1000", "all magnitudes", "cancelling", "a few NaN", "infinities"};

static double draw_real(uint64_t bits, uint64_t i, int kind)
{
    const double part = (double)(bits >> 11) * 0x1p-53;
    if (kind == 1) return 1000 + part - 0.5;
    if (kind == 2) return ldexp(bits & 1 ? 1 + part : -1 - part, (int)(bits >> 4 & 15) - 8);
    if (kind == 4 && i % 1777 == 1500) return NAN;
    if (kind == 5 && i % 701 == 600) return i % 3 ? INFINITY : i % 2 ? -INFINITY : NAN;
    if (kind == 3) return (i & 1 ? -1 : 1) * (1 + part * 0x1p-10);
    return (part - 0.3) * 2;
}

static void fill(const ms_type *type, unsigned char *data, uint64_t n, int kind)
{
    uint64_t state = 1 + (uint64_t)kind;
    memset(data, 0, n * type->info.size_bytes);
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t l = 0; l < type->info.leaf_count; l++) {
            const msw_leaf *leaf = &type->info.leaves[l];
            const uint64_t bits = next_random(&state);
            const uint64_t value = ms_scalar_is_float(leaf->scalar) ? ms_scalar_from_double(leaf->scalar, draw_real(bits, i, kind)) : bits;
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
    simulated_device d = {.tile = g->tile, .tree = g->tree, .mistake = m, .push = {.rule = g->rule, .is_loose = 1, .random = 4711}};
    assert_true(sim_open(&d, &s->arena, op));
    return d;
}

static uint32_t verify(subject *s, const geometry *g, mistake m, char *text, size_t bytes)
{
    simulated_device whole = make_device(s, s->op, g, m), state = whole;
    msw_spec *state_spec = msw_verification_state_spec(s->verification);
    const msw_plan plan = plan_of(g->tile);
    msw_structure structure = {.struct_size = sizeof structure};
    msw_verification_report report = {.struct_size = sizeof report};
    msw_diag diag;
    if (state_spec) state = make_device(s, state_spec->operations, g, m == ZERO_OUTPUT || m == LOST_MAP ? NO_MISTAKE : m);
    const msw_probe_desc probe = {.struct_size = sizeof probe,
                                  .pair_count = 64,
                                  .n = s->n,
                                  .plan = &plan,
                                  .run = sim_run,
                                  .run_state = sim_run,
                                  .user = &whole,
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

/* Whether combine's operands may change places in exact arithmetic, claimed or not. */
static int is_commutative(subject *s)
{
    const ms_operation *op = s->op;
    ms_eval *map = op->map ? ms_eval_create(&s->arena, op->map, 0) : NULL, *combine = ms_eval_create(&s->arena, op->monoid->combine, 1);
    uint64_t x[2][MS_MAX_ELEMENT_BYTES], mapped[2][MS_MAX_ELEMENT_BYTES], joined[2][MS_MAX_ELEMENT_BYTES];
    assert_non_null(combine);
    for (uint64_t i = 0; i + 1 < s->n; i += 2) {
        for (uint64_t k = 0; k < 2; k++) {
            const uint64_t at = i + k, *args[2] = {x[k], &at};
            ms_leaves_load(op->input, s->input + at * op->input->info.size_bytes, x[k], 0);
            if (map) ms_eval_run(map, args, mapped[k]);
            else memcpy(mapped[k], x[k], sizeof x[k]);
            ms_leaves_widen(op->monoid->type, mapped[k]);
        }
        ms_eval_run(combine, (const uint64_t *[]){mapped[0], mapped[1]}, joined[0]);
        ms_eval_run(combine, (const uint64_t *[]){mapped[1], mapped[0]}, joined[1]);
        for (uint32_t l = 0; l < op->monoid->type->info.leaf_count; l++) {
            double a, b;
            memcpy(&a, &joined[0][l], sizeof a);
            memcpy(&b, &joined[1][l], sizeof b);
            const int is_float = ms_scalar_is_float(op->monoid->type->info.leaves[l].scalar);
            if (is_float ? fabs(a - b) > 1e-9 * fmax(1, fabs(a)) : joined[0][l] != joined[1][l]) return 0;
        }
    }
    return 1;
}

/* What only rounds otherwise is no mistake where devices may. */
static int is_allowed(subject *s, mistake m)
{
    if (m == SWAPPED) return is_commutative(s);
    return (m == CONTRACTED || m == TRUNCATED) && !ms_function_is_promised(s->op->monoid->combine);
}

static void note(const subject *s, const char *what, int is_found, int has_effect, const char *text, tally *t)
{
    if (is_found) t->found++;
    else if (!has_effect) t->without_effect++;
    else {
        print_error("%s, %s: %s is not found: %s\n", s->op->name, s->label, what, text);
        t->failures++;
    }
}

/* A mistake that shows in the results is found. */
static void check_mistakes(subject *s, tally *t)
{
    const geometry *g = &geometries[1];
    const size_t bytes = (s->op->kind == MSW_OP_REDUCE ? 1 : s->n) * s->op->output->info.size_bytes;
    char text[4096];
    verify(s, g, NO_MISTAKE, text, sizeof text);
    memcpy(s->right, s->got, bytes);
    for (int m = NO_MISTAKE + 1; m < MISTAKES; m++) {
        const int is_found = verify(s, g, (mistake)m, text, sizeof text) == MSW_FAILED;
        note(s, mistake_names[m], is_found, memcmp(s->got, s->right, bytes) && !is_allowed(s, (mistake)m), text, t);
    }
}

/* ---- sorts ---- */

typedef enum sort_mistake { SORTED, NEIGHBOURS, TWICE, ONE_KEY, LOST_VALUE, SORT_MISTAKES } sort_mistake;
static const char *const sort_mistake_names[] = {"nothing", "two neighbours the wrong way round", "an element twice", "one bit of a key",
                                                 "another's value"};

static void spoil(unsigned char *array, uint32_t bytes, uint64_t k, sort_mistake m, int is_value)
{
    unsigned char kept[MS_MAX_ELEMENT_BYTES];
    if (m == NEIGHBOURS) {
        memcpy(kept, array + k * bytes, bytes);
        memcpy(array + k * bytes, array + (k + 1) * bytes, bytes);
        memcpy(array + (k + 1) * bytes, kept, bytes);
    } else if (m == TWICE || (m == LOST_VALUE && is_value)) memcpy(array + k * bytes, array + (k + 1) * bytes, bytes);
    else if (m == ONE_KEY && !is_value) array[k * bytes] ^= 1;
}

/* Keys that only some bits order have many right orders of bits: the oracle's is the stable one. */
static void check_sort(msw_spec *spec, uint32_t op, tally *t)
{
    const msw_verification_desc desc = {.struct_size = sizeof desc, .spec = spec, .op = op};
    const ms_operation *o = &spec->operations[op];
    subject s = {.op = o, .label = "sort", .n = 1000};
    const uint32_t value_bytes = o->value ? o->value->info.size_bytes : 0, key_bytes = o->output->info.size_bytes;
    unsigned char *values = calloc(s.n, MS_MAX_ELEMENT_BYTES), *outputs[2], *right[2];
    const void *inputs[2];
    msw_verification_report report = {.struct_size = sizeof report};
    msw_diag diag;
    s.input = malloc(s.n * o->input->info.size_bytes);
    assert_true(values && s.input);
    fill(o->input, s.input, s.n, 0);
    if (value_bytes && !o->gives_index) fill(o->value, values, s.n, 2);
    inputs[0] = s.input, inputs[1] = values;
    for (int b = 0; b < 2; b++) {
        outputs[b] = calloc(s.n, MS_MAX_ELEMENT_BYTES), right[b] = calloc(s.n, MS_MAX_ELEMENT_BYTES);
        assert_true(outputs[b] && right[b]);
    }
    if (msw_verification_create(&desc, &s.verification, &diag)) fail_msg("%s", diag.message);
    assert_int_equal(msw_verification_expect(s.verification, s.n, inputs, &diag), MSW_OK);
    assert_int_equal(msw_spec_evaluate(spec, op, s.n, inputs, (void *[]){right[0], right[1]}, NULL, NULL, &diag), MSW_OK);
    for (int m = SORTED; m < SORT_MISTAKES; m++) {
        for (int b = 0; b < 2; b++) memcpy(outputs[b], right[b], s.n * MS_MAX_ELEMENT_BYTES);
        spoil(outputs[0], key_bytes, 500, (sort_mistake)m, 0);
        if (value_bytes) spoil(outputs[1], value_bytes, 500, (sort_mistake)m, 1);
        const int has_effect =
            m != SORTED && (memcmp(outputs[0], right[0], s.n * key_bytes) || (value_bytes && memcmp(outputs[1], right[1], s.n * value_bytes)));
        const int is_allowed_here = m == ONE_KEY && o->map && !ms_function_is_promised(o->map); /* within the map's accuracy */
        if (msw_verification_judge(s.verification, (const void *const *)outputs, NULL, &report, &diag)) fail_msg("%s", diag.message);
        if (m != SORTED) note(&s, sort_mistake_names[m], report.verdict == MSW_FAILED, has_effect && !is_allowed_here, report.text, t);
        else if (report.verdict != MSW_VERIFIED) note(&s, "a right sort", 0, 1, report.text, t);
    }
    t->operations++;
    msw_verification_destroy(s.verification);
    for (int b = 0; b < 2; b++) free(outputs[b]), free(right[b]);
    free(values);
    free(s.input);
}

/* ---- specs ---- */

static void check_operation(msw_spec *spec, uint32_t op, int kind, tally *t)
{
    const msw_verification_desc desc = {.struct_size = sizeof desc, .spec = spec, .op = op};
    subject s = {.spec = spec, .op = &spec->operations[op], .n = ITEMS, .label = data_names[kind]};
    msw_diag diag;
    ms_arena_init(&s.arena, NULL, 0);
    s.input = malloc(s.n * s.op->input->info.size_bytes);
    s.got = calloc(s.n, s.op->output->info.size_bytes);
    s.right = malloc(s.n * s.op->output->info.size_bytes);
    assert_true(s.input && s.got && s.right);
    fill(s.op->input, s.input, s.n, kind);
    if (msw_verification_create(&desc, &s.verification, &diag)) fail_msg("%s", diag.message);
    if (msw_verification_expect(s.verification, s.n, (const void *[]){s.input}, &diag)) fail_msg("%s", diag.message);
    check_right(&s, t);
    if (!kind) check_mistakes(&s, t);
    t->operations++;
    msw_verification_destroy(s.verification);
    ms_arena_free(&s.arena);
    free(s.input);
    free(s.got);
    free(s.right);
}

static void check_spec(const msw_spec_desc *desc, int kinds, tally *t)
{
    const char *only = getenv("MSW_TEST_OP");
    msw_spec *spec;
    msw_diag diag;
    if (msw_spec_create(desc, &spec, &diag)) fail_msg("%s", diag.message);
    for (uint32_t op = 0; op < spec->operation_count; op++) {
        if (only && strcmp(only, spec->operations[op].name)) continue;
        if (spec->operations[op].kind == MSW_OP_SORT) check_sort(spec, op, t);
        for (int kind = 0; spec->operations[op].kind != MSW_OP_SORT && kind < kinds; kind++) check_operation(spec, op, kind, t);
    }
    msw_spec_destroy(spec);
}

/* At least these numbers of operations are verified and of mistakes found: that nothing fails shows little where nothing is verified. */
static void end(const tally *t, int least_verified, int least_found)
{
    print_message("%d operations with data, %d verified, %d not; %d mistakes found, %d without an effect\n", t->operations, t->verified,
                  t->not_verified, t->found, t->without_effect);
    assert_int_equal(t->failures, 0);
    if (getenv("MSW_TEST_OP")) return; /* one operation alone */
    assert_true(t->verified >= least_verified);
    assert_true(t->found >= least_found);
}

static void check_files(const char *const *files, int least_verified, int least_found)
{
    tally t = {0};
    for (; *files; files++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", MSW_SOURCE_DIR, *files);
        const msw_spec_desc desc = {.struct_size = sizeof desc, .file = path, .time_limit_ms = 4000};
        check_spec(&desc, 1, &t);
    }
    end(&t, least_verified, least_found);
}

static void test_corpus(void **state)
{
    static const char *const files[] = {"tests/corpus/sums.lua",      "tests/corpus/types.lua", "tests/corpus/maps.lua",
                                        "tests/corpus/summaries.lua", "tests/corpus/sorts.lua", NULL};
    (void)state;
    check_files(files, 78, 569);
}

static void test_examples(void **state)
{
    static const char *const files[] = {"examples/affine.lua", "examples/words.lua", "examples/text_offsets.lua", "examples/morton.lua", NULL};
    (void)state;
    check_files(files, 3, 30);
}

/* Float monoids on whatever data: their elements are not exact, and much of it cannot be verified; no correct device may fail. */
static void test_monoids(void **state)
{
    static const char text[] =
        "local list, V, W = {}, vec(f32, 2), vec(f32, 4)\n"
        "local function add(name, m, more) local t = more or {}; t.name, t.monoid = name, m; list[#list + 1] = scan(t)\n"
        "  local r = {}; for k, x in pairs(t) do r[k] = x end; r.name = name .. '_total'; r.kind = nil; r.reverse = nil; list[#list + 1] = "
        "reduce(r) end\n"
        "add('sum', sum(f32)) add('back', sum(f32), { reverse = true })\n"
        "add('product', product(f32), { input = f32, map = function(x) return 1 + x / 65536 end })\n"
        "add('wide', sum(f64), { input = f32, map = function(x) return f64(x) end })\n"
        "local function structure(name, fields, identity, combine) return monoid { type = struct(name)(fields), identity = identity, combine = "
        "combine, laws = 'trusted' } end\n"
        "local affine = structure('Affine', { {'a', f32}, {'b', f32} }, { a = 1, b = 0 }, function(f, g) return { a = f.a * g.a, b = f.b * g.a + "
        "g.b } end)\n"
        "add('affine', affine) add('decay', affine, { input = f32, kind = 'exclusive', map = function(x) return { a = 0.99, b = x } end, output = "
        "function(s) return s.b end })\n"
        "local moments = structure('Moments', { {'n', f32}, {'mean', f32}, {'m2', f32} }, { n = 0, mean = 0, m2 = 0 }, function(a, b)\n"
        "  local n, d = a.n + b.n, b.mean - a.mean; local w = where(eq(n, 0), f32(0), b.n / n)\n"
        "  return { n = n, mean = a.mean + d * w, m2 = a.m2 + b.m2 + d * d * a.n * w } end)\n"
        "add('moments', moments, { input = f32, map = function(x) return { n = 1, mean = x, m2 = 0 } end })\n"
        "add('deviation', moments, { input = f32, map = function(x) return { n = 1, mean = x, m2 = 0 } end, output = function(s) return sqrt(s.m2 "
        "/ s.n) end })\n"
        "local complex = structure('Complex', { {'re', f32}, {'im', f32} }, { re = 1, im = 0 }, function(a, b)\n"
        "  return { re = a.re * b.re - a.im * b.im, im = a.re * b.im + a.im * b.re } end)\n"
        "add('turns', complex, { input = f32, map = function(x) local c = 1 / sqrt(1 + x * x); return { re = c, im = x * c } end })\n"
        "local lse = structure('Lse', { {'m', f32}, {'s', f32} }, { m = -f32.inf, s = 0 }, function(a, b) local m = max(a.m, b.m)\n"
        "  local function part(x) return x.s * where(eq(x.m, m), 1, exp(x.m - m)) end return { m = m, s = part(a) + part(b) } end)\n"
        "add('lse', lse, { input = f32, map = function(x) return { m = x / 128, s = 1 } end, output = function(s) return s.m + log(s.s) end })\n"
        "add('grouped', segmented(sum(f32)), { input = f32, map = function(x, i) return { flag = u32(eq(i & 63, 0)), value = x } end })\n"
        "add('both', pair { total = sum(f32), low = minimum(f32), high = maximum(f32), order = { 'total', 'low', 'high' } }, { input = f32,\n"
        "  map = function(x) return { total = x, low = x, high = x } end })\n"
        "add('steps', sum(f32), { output = function(s) return floor(s / 16) end }) add('signs', sum(f32), { output = function(s) return "
        "where(gt(s, 3), f32(1), -1) end })\n"
        "add('counted', sum(f32), { output = function(s) return i32(s) end })\n"
        "add('run', structure('Run', { {'sum', f32}, {'prefix', f32}, {'suffix', f32}, {'best', f32} }, { sum = 0, prefix = 0, suffix = 0, best = "
        "0 }, function(a, b)\n"
        "  return { sum = a.sum + b.sum, prefix = max(a.prefix, a.sum + b.prefix), suffix = max(b.suffix, b.sum + a.suffix), best = "
        "max(max(a.best, b.best), a.suffix + b.prefix) } end),\n"
        "  { input = f32, map = function(x) local p = max(x, 0); return { sum = x, prefix = p, suffix = p, best = p } end })\n"
        "list[#list + 1] = sort { name = 'key', key = f32, map = function(x) return exp(-x) end, value = 'index', order = 'descending' }\n"
        "list[#list + 1] = sort { name = 'key_value', key = f32, map = function(x) return sqrt(abs(x)) end, value = u16 }\n"
        "return list\n";
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text};
    tally t = {0};
    (void)state;
    check_spec(&desc, DATA_KINDS, &t);
    end(&t, 20, 34); /* what sums and products alone give */
}

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

/* Integers that come of floats within `combine`: of floats that are rounded otherwise than the type's they come out wrong. */
static void test_integers_of_floats(void **state)
{
    const msw_spec_desc desc = {.struct_size = sizeof desc, .file = MSW_SOURCE_DIR "/tests/corpus/identities.lua", .time_limit_ms = 4000};
    tally t = {0};
    msw_spec *spec;
    msw_diag diag;
    (void)state;
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
    for (uint32_t op = 0; op < spec->operation_count; op++)
        if (!strncmp(spec->operations[op].name, "combine", 7)) check_operation(spec, op, 0, &t);
    msw_spec_destroy(spec);
    assert_int_equal(t.operations, 3);
    end(&t, 3, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_variants),
                                       cmocka_unit_test(test_unprobed_variant),
                                       cmocka_unit_test(test_sort_values),
                                       cmocka_unit_test(test_sort_keys),
                                       cmocka_unit_test(test_promised_bits),
                                       cmocka_unit_test(test_subnormals),
                                       cmocka_unit_test(test_sort_bits),
                                       cmocka_unit_test(test_nan_bits),
                                       cmocka_unit_test(test_nan_of_exact_operations),
                                       cmocka_unit_test(test_nan_keys),
                                       cmocka_unit_test(test_corpus),
                                       cmocka_unit_test(test_examples),
                                       cmocka_unit_test(test_monoids),
                                       cmocka_unit_test(test_integers_of_floats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
