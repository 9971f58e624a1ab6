/* Verification of every operation of the corpus and the examples on simulated devices: correct ones in many trees, which must not fail, and ones that
 * make a mistake, which must be found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "simulated_device.h"

enum { ITEMS = 2503, GIVEN = 600 /* what uniforms say that are lengths */ };

typedef struct geometry {
    const char *name;
    uint32_t tile;
    tree tree;
    ms_push_rule rule; /* of functions */
} geometry;

static const geometry geometries[] = {
    {"one after the other", 1024, SEQUENTIAL, MS_PUSH_NONE}, {"balanced tiles of 256", 256, BALANCED, MS_PUSH_PART},
    {"balanced tiles of 2048", 2048, BALANCED, MS_PUSH_UP},  {"random trees of 512", 512, RANDOM, MS_PUSH_SIGN},
    {"random trees of 64", 64, RANDOM, MS_PUSH_AWAY},        {"tiles of 1024, near", 1024, BALANCED, MS_PUSH_PART},
};

typedef struct subject {
    msw_spec *spec;
    const ms_operation *op;
    msw_verification *verification;
    ms_arena arena;
    unsigned char *input; /* elements, of records where there are several arrays */
    const void *inputs[MSW_MAX_BUFFERS];
    void *got[MSW_MAX_BUFFERS], *right[MSW_MAX_BUFFERS];
    size_t bytes[MSW_MAX_BUFFERS]; /* of outputs */
    int is_scattered[MSW_MAX_BUFFERS];
    uint32_t outputs;
    uint64_t n;
    const char *label;
    sim_scan scans[SIM_SCANS];
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
    simulated_device d = {
        .tile = g->tile, .tree = g->tree, .mistake = m, .push = {.rule = g->rule, .is_loose = 1, .random = 4711}, .scans = s->scans};
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
    if (state_spec) state = make_device(s, state_spec->operations, g, m == ZERO_OUTPUT || m >= LOST_MAP ? NO_MISTAKE : m);
    const msw_probe_desc probe = {.struct_size = sizeof probe,
                                  .pair_count = 64,
                                  .n = s->n,
                                  .plan = &plan,
                                  .run = sim_run,
                                  .run_state = sim_run,
                                  .user = &whole,
                                  .state_user = &state};
    if (msw_verification_probe(s->verification, &probe, &structure, &diag)) fail_msg("%s", diag.message);
    for (uint32_t o = 0; o < s->outputs; o++) memset(s->got[o], s->is_scattered[o] ? 0 : 0x5a, s->bytes[o]);
    assert_int_equal(sim_run(&whole, s->n, s->inputs, s->got, &diag), MSW_OK);
    if (msw_verification_judge(s->verification, (const void *const *)s->got, &structure, &report, &diag)) fail_msg("%s", diag.message);
    snprintf(text, bytes, "%s\n%s", structure.text, report.text);
    return report.verdict;
}

/* Correct devices: none fails. Where bits are promised there is no bound, which a tree could be beyond: two trees will do. Other data than small
 * numbers have every other tree. */
static void check_right(subject *s, int kind, tally *t)
{
    char text[4096];
    const size_t step = msw_verification_is_bitwise(s->verification) ? 4 : kind ? 2 : 1;
    const size_t first = step == 2 ? (size_t)kind % 2 : 0;
    for (size_t g = first; g < sizeof geometries / sizeof *geometries; g += step) {
        const uint32_t verdict = verify(s, &geometries[g], NO_MISTAKE, text, sizeof text);
        if (verdict == MSW_FAILED) {
            print_error("%s, %s, %s: a false alarm: %s\n", s->op->name, s->label, geometries[g].name, text);
            t->failures++;
        }
        if (g == first && verdict == MSW_NOT_VERIFIED && getenv("MSW_TEST_VERBOSE")) print_message("%s, %s: %s\n", s->op->name, s->label, text);
        if (g == first) *(verdict == MSW_VERIFIED ? &t->verified : &t->not_verified) += 1;
    }
}

/* Whether combine's operands may change places in exact arithmetic, claimed or not. */
static int is_commutative(subject *s)
{
    const ms_operation *op = s->op;
    ms_eval *map = op->map ? ms_eval_create(&s->arena, op->map, 0) : NULL, *combine = ms_eval_create(&s->arena, op->monoid->combine, 1);
    uint64_t mapped[2][MS_MAX_ELEMENT_BYTES], joined[2][MS_MAX_ELEMENT_BYTES];
    assert_non_null(combine);
    for (uint64_t i = 0; i + 1 < s->n; i += 2) {
        for (uint64_t k = 0; k < 2; k++) {
            ms_item item;
            ms_operation_take(op, s->input, i + k, s->n, 0, &item);
            if (map) ms_eval_run(map, (const uint64_t *[]){item.x, &item.i, item.near}, mapped[k]);
            else memcpy(mapped[k], item.x, sizeof item.x);
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

/* Whether an output holds fewer elements than the data have: several went to one place, of which any may be lost, or come earlier to another place
 * that several go to. */
static int has_shared_places(const subject *s)
{
    for (uint32_t b = 0; b < s->op->info.buffer_count; b++)
        if (msw_is_scattered(s->op->info.buffers[b].length) && ms_operation_elements(s->op, b, s->n) < s->n / 2) return 1;
    return 0;
}

/* What only rounds otherwise is no mistake where devices may. */
static int is_allowed(subject *s, mistake m)
{
    if ((m == LOST_PLACE || m == MOVED_PLACE) && has_shared_places(s)) return 1;
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

static int has_effect(const subject *s)
{
    for (uint32_t o = 0; o < s->outputs; o++)
        if (memcmp(s->got[o], s->right[o], s->bytes[o])) return 1;
    return 0;
}

/* A mistake that shows in the results is found. */
static void check_mistakes(subject *s, tally *t)
{
    const geometry *g = &geometries[1];
    char text[4096];
    verify(s, g, NO_MISTAKE, text, sizeof text);
    for (uint32_t o = 0; o < s->outputs; o++) memcpy(s->right[o], s->got[o], s->bytes[o]);
    for (int m = NO_MISTAKE + 1; m < MISTAKES; m++) {
        const uint32_t verdict = verify(s, g, (mistake)m, text, sizeof text);
        /* Items in any order that are much alike are searched for a while only: then a mistake is not called one, nor the result verified. */
        const int is_found = verdict == MSW_FAILED || (s->op->any_order && verdict == MSW_NOT_VERIFIED && strstr(text, "too much alike"));
        note(s, mistake_names[m], is_found, has_effect(s) && !is_allowed(s, (mistake)m), text, t);
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

static void open_outputs(subject *s)
{
    for (uint32_t b = 0; b < s->op->info.buffer_count; b++) {
        const msw_op_buffer *buffer = &s->op->info.buffers[b];
        if (buffer->role != MSW_ROLE_OUT) continue;
        s->is_scattered[s->outputs] = msw_is_scattered(buffer->length);
        s->bytes[s->outputs] = ms_operation_elements(s->op, b, s->n) * buffer->type.size_bytes;
        s->got[s->outputs] = calloc(1, s->bytes[s->outputs]);
        s->right[s->outputs] = calloc(1, s->bytes[s->outputs]);
        assert_true(s->got[s->outputs] && s->right[s->outputs]);
        s->outputs++;
    }
}

/* Segments of which every seventh is empty, by the numbers in records. */
static void number_segments(const ms_operation *op, unsigned char *records, uint64_t n)
{
    const ms_type *type = op->input;
    uint32_t number = 0;
    for (uint64_t i = 0; op->segments && i < n; i++) {
        const uint32_t next = number + (number % 7 == 6 ? 2 : 1);
        const int begins = i % 5 == 0 && next <= GIVEN;
        if (begins) number = next;
        ms_scalar_store(MSW_U32, records + i * type->info.size_bytes + type->info.leaves[op->first_leaves[op->segments - 1]].offset_bytes,
                        begins ? number : 0);
    }
}

/* The operation with uniforms that have values: elements of the data; or a length. */
static ms_operation bind(subject *s, const ms_operation *op, const void *uniforms[MSW_MAX_BUFFERS], int kind)
{
    ms_operation bound = *op;
    for (uint32_t b = 0, u = 0; b < op->info.buffer_count; b++) {
        if (op->info.buffers[b].role != MSW_ROLE_UNIFORM) continue;
        void *value = ms_arena_alloc(&s->arena, op->info.buffers[b].type.size_bytes);
        assert_non_null(value);
        fill(op->buffer_types[b], value, 1, kind);
        for (uint32_t other = 0; other < op->info.buffer_count; other++)
            if (msw_given_by(op->info.buffers[other].length) == (int)b) memcpy(value, &(uint64_t){GIVEN}, sizeof(uint64_t));
        uniforms[u++] = value;
    }
    if (op->uniforms) assert_true(ms_operation_bind(&bound, uniforms, &s->arena));
    return bound;
}

/* check_more: NULL: right devices alone. */
static void check_operation(msw_spec *spec, uint32_t op, int kind, void (*check_more)(subject *, tally *), tally *t)
{
    const void *uniforms[MSW_MAX_BUFFERS];
    const msw_verification_desc desc = {.struct_size = sizeof desc, .spec = spec, .op = op, .uniforms = uniforms};
    subject s = {.spec = spec, .n = ITEMS, .label = data_names[kind]};
    msw_diag diag;
    ms_arena_init(&s.arena, NULL, 0);
    const ms_operation bound = bind(&s, &spec->operations[op], uniforms, kind);
    s.op = &bound;
    s.input = malloc(s.n * s.op->input->info.size_bytes);
    assert_non_null(s.input);
    fill(s.op->input, s.input, s.n, kind);
    number_segments(s.op, s.input, s.n);
    open_outputs(&s);
    assert_true(ms_operation_scatter_inputs(s.op, s.input, s.n, &s.arena, s.inputs));
    if (msw_verification_create(&desc, &s.verification, &diag)) fail_msg("%s", diag.message);
    if (msw_verification_expect(s.verification, s.n, s.inputs, &diag)) fail_msg("%s", diag.message);
    check_right(&s, kind, t);
    if (check_more) check_more(&s, t);
    t->operations++;
    msw_verification_destroy(s.verification);
    ms_arena_free(&s.arena);
    free(s.input);
    for (uint32_t o = 0; o < s.outputs; o++) free(s.got[o]), free(s.right[o]);
    for (uint32_t k = 0; k < SIM_SCANS; k++) free(s.scans[k].rows);
}

/* A reduction is what its scan ends with: of its own it has small numbers and one other kind of data, all in turn. */
static int is_wanted(const ms_operation *op, uint32_t index, int kind, int kinds)
{
    return op->monoid && (op->kind != MSW_OP_REDUCE || !kind || kind == 1 + (int)index % (kinds - 1));
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
        for (int kind = 0; kind < kinds; kind++)
            if (is_wanted(&spec->operations[op], op, kind, kinds)) check_operation(spec, op, kind, kind ? NULL : check_mistakes, t);
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
    static const char *const files[] = {"tests/corpus/sums.lua",      "tests/corpus/types.lua",    "tests/corpus/maps.lua",
                                        "tests/corpus/summaries.lua", "tests/corpus/sorts.lua",    "tests/corpus/sweeps.lua",
                                        "tests/corpus/scattered.lua", "tests/corpus/segments.lua", "tests/corpus/offsets.lua",
                                        "tests/corpus/append.lua",    "tests/corpus/uniforms.lua", NULL};
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
        /* Not of its domain: (-inf, 1), which the identity changes. */
        "local rows = structure('Rows', { {'m', f32}, {'s', f32} }, { m = -f32.inf, s = 0 }, function(a, b) local m = max(a.m, b.m)\n"
        "  local function part(x) return where(eq(x.m, -f32.inf), 0, x.s * exp(x.m - m)) end return { m = m, s = part(a) + part(b) } end)\n"
        "list[#list + 1] = segmented_scan { name = 'rows', segments = 'offsets', monoid = rows, input = f32, kind = 'exclusive', map = function(x) "
        "return { m = x, s = 1 } end }\n"
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
        if (!strncmp(spec->operations[op].name, "combine", 7)) check_operation(spec, op, 0, check_mistakes, &t);
    msw_spec_destroy(spec);
    assert_int_equal(t.operations, 3);
    end(&t, 3, 12);
}

/* What probes of states find is wrong, though nobody knows what is to be kept. */
static void check_states(subject *s, tally *t)
{
    char text[4096];
    for (int m = LOST_TILE; m <= SWAPPED; m++)
        note(s, mistake_names[m], verify(s, &geometries[1], (mistake)m, text, sizeof text) == MSW_FAILED, 1, text, t);
}

/* What is kept depends on roundings, or on an overflow that the host's order has and a tree need not: no right device is wrong, neither by probes. */
static void test_open_places(void **state)
{
    static const char text[] =
        "local A = struct 'A' { {'a', f32}, {'b', f32} }\n"
        "local m = monoid { type = A, identity = A(1, 0), combine = function(f, g) return A(f.a * g.a, f.b * g.a + g.b) end }\n"
        "local function alarm(name, rate) return scan { name = name, monoid = m, input = f32, map = function(x) return A(exp(-x * rate), x) end,\n"
        "  outputs = { { 'alarm', value = function(s, x, i) return u32(i) end, keep = function(s) return gt(s.b, 5) end } } } end\n"
        "return { alarm('slow', 0.5), alarm('fast', 2), alarm('faster', 3),\n"
        "  scan { name = 'jumps', monoid = m, input = f32, map = function(x) return A(exp(-x), x) end, outputs = { { 'odd',\n"
        "    value = function(s) return s.b end, keep = function(s) return gt(cos(1e6 * s.b), 0) end } } },\n"
        "  scan { name = 'strewn', monoid = m, input = f32, map = function(x) return A(exp(-2 * x), x) end, outputs = { { 'seen',\n"
        "    value = function(s) return s.b end, at = function(s) return u32(clamp(s.b, 0, 63)) end, length = 64 } } } }\n";
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text};
    tally t = {0};
    msw_spec *spec;
    msw_diag diag;
    (void)state;
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
    for (uint32_t op = 0; op < spec->operation_count; op++)
        for (int kind = 1; kind < 4; kind++) check_operation(spec, op, kind, kind > 1 ? NULL : check_states, &t);
    msw_spec_destroy(spec);
    assert_true(t.not_verified > 0);
    end(&t, 0, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpus), cmocka_unit_test(test_examples), cmocka_unit_test(test_monoids),
                                       cmocka_unit_test(test_integers_of_floats), cmocka_unit_test(test_open_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
