/* Every operation of tests/corpus on a device, against the oracle: at the sizes where a kernel goes another way, and some at millions.
 * Geometries take turns from operation to operation, and each of the suite's devices begins with another one; an operation whose doc says so has them
 * all, with MSW_TEST_ALL set every one. An argument is a filter of tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../backends/simulator/offsets.h"
#include "test_device.h"
#include "expr/type.h"

#include <math.h>

typedef struct bench {
    test_device device;
    uint64_t random_state;
    uint32_t operations, comparisons, refusals;
    uint64_t elements;
    int has_edges; /* inputs have infinities, NaN, zeros of both signs among them, and results that are words are compared to the bit */
} bench;

enum { MOST_KNOBS = 6 };

typedef struct geometry {
    const char *label;
    msw_knob knobs[MOST_KNOBS];
    uint32_t knob_count;
    const char *packs; /* of sweeps; NULL: by default */
} geometry;

enum { MANY_TILES = 65537 }; /* more than a dispatch has blocks at most, and more than llvmpipe loops */

static const geometry geometries[] = {
    {.label = "by default"},
    {"with many tiles a block", {{"strategy", "reduce_then_scan"}, {"block", "64"}, {"blocks", "3"}}, 3, "tile"},
    {"without subgroup operations", {{"subgroup", "1"}, {"block", "64"}}, 2, "1"},
    {"with one block", {{"strategy", "single_block"}, {"block", "128"}}, 2, "0"},
    {"looking back", {{"strategy", "lookback"}, {"block", "64"}}, 2, "1"},                                /* scans only */
    {"taking room by the block", {{"strategy", "block_atomic"}, {"block", "64"}}, 2, NULL},               /* appends in any order, and */
    {"taking room by the element", {{"strategy", "atomic_bump"}, {"block", "64"}}, 2, NULL},              /* where 64 bits are added atomically */
    {"looking ahead", {{"strategy", "lookahead"}, {"block", "64"}}, 2, NULL},                             /* and where tiles are copied in bulk */
    {"putting before", {{"strategy", "scan_then_propagate"}, {"block", "64"}, {"blocks", "3"}}, 3, NULL}, /* no appends */
};
enum { BY_DEFAULT, ONE_BLOCK = 3, AHEAD = 7, GEOMETRIES = sizeof geometries / sizeof *geometries };

/* What is under test: an operation of a spec with a geometry. */
typedef struct subject {
    bench *bench;
    msw_spec *spec;
    uint32_t op;
    msw_op_info info;
    const geometry *geometry;
    int has_few_items; /* one group of four a thread */
    msw_kernel *kernel;
} subject;

/* ---- data ---- */

static uint64_t next_random(bench *b) /* splitmix64 */
{
    uint64_t z = b->random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Zeros, infinities, NaN, the largest number, and numbers of 1 to 16 with all their digits: none whose sums or products are subnormal. */
static uint64_t edge_value(msw_scalar type, uint64_t random)
{
    static const double edges[] = {0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 2, 3, -1.5, 65504, 0x1p10};
    const double largest = type == MSW_F16 ? 65504 : type == MSW_F32 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
    const double value = ldexp(1 + (double)(random >> 11) * 0x1p-53, (int)(random >> 2 & 3));
    if (random & 1) return ms_scalar_from_double(type, random & 2 ? -value : value);
    if ((random >> 4) % 16 == 15) return ms_scalar_from_double(type, random & 2 ? -largest : largest);
    return ms_scalar_from_double(type, edges[(random >> 4) % (sizeof edges / sizeof *edges)]);
}

/* Floats are small multiples of 1/4, so that many sums of them are exact; or edges. */
static void fill(bench *b, const msw_type_info *type, unsigned char *data, uint64_t n)
{
    memset(data, 0, n * type->size_bytes);
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t l = 0; l < type->leaf_count; l++) {
            const msw_leaf *leaf = &type->leaves[l];
            const uint64_t value = next_random(b), small = ms_scalar_from_double(leaf->scalar, (double)(value % 1000) / 4 - 125);
            const uint64_t number = b->has_edges ? edge_value(leaf->scalar, value) : small;
            ms_scalar_store(leaf->scalar, data + i * type->size_bytes + leaf->offset_bytes, ms_scalar_is_float(leaf->scalar) ? number : value);
        }
}

/* ---- one comparison ---- */

static void complain(const subject *s, uint64_t n, const char *what)
{
    print_error("%s %s, n = %llu: %s\n", s->info.name, s->geometry->label, (unsigned long long)n, what);
}

/* The operation's arrays of n elements, outputs of one more, whose bytes are all UNWRITTEN, of those that are scattered 0. */
typedef struct arrays {
    uint32_t input_count, output_count;
    void *inputs[MSW_MAX_BUFFERS], *outputs[MSW_MAX_BUFFERS];
    uint64_t output_bytes[MSW_MAX_BUFFERS];
    const msw_op_buffer *output[MSW_MAX_BUFFERS];
} arrays;

enum { UNWRITTEN = 0xa5 };

/* What a uniform says that is a length: for each n another. */
static uint64_t given_of(uint64_t n) { return n ? 1 + n * 2654435761u % (n + n / 2 + 60) : 9; }

static void fill_input(const subject *s, uint32_t b, uint64_t n, void *array)
{
    const msw_op_buffer *buffer = &s->info.buffers[b];
    const uint64_t given = given_of(n);
    int is_length = 0;
    for (uint32_t other = 0; other < s->info.buffer_count; other++) is_length |= msw_given_by(s->info.buffers[other].length) == (int)b;
    if (is_length) memcpy(array, &given, sizeof given);
    else if (msw_given_by(buffer->length) >= 0) offsets_fill(n + s->op, n, given, array);
    else fill(s->bench, &buffer->type, array, msw_elements(buffer->length, n));
}

static arrays open_arrays(const subject *s, uint64_t n, int has_inputs)
{
    arrays a = {0};
    for (uint32_t b = 0; b < s->info.buffer_count; b++) {
        const msw_op_buffer *buffer = &s->info.buffers[b];
        const uint64_t bytes = (msw_elements_given(buffer->length, n, given_of(n)) + 1) * buffer->type.size_bytes;
        const int is_output = buffer->role == MSW_ROLE_OUT;
        if (!is_output && has_inputs) fill_input(s, b, n, a.inputs[a.input_count++] = test_malloc(bytes));
        if (!is_output) continue;
        a.output[a.output_count] = buffer;
        a.output_bytes[a.output_count] = bytes;
        memset(a.outputs[a.output_count++] = test_malloc(bytes), msw_is_scattered(buffer->length) ? 0 : UNWRITTEN, bytes);
    }
    return a;
}

static void close_arrays(arrays *a)
{
    for (uint32_t i = 0; i < a->input_count; i++) test_free(a->inputs[i]);
    for (uint32_t o = 0; o < a->output_count; o++) test_free(a->outputs[o]);
}

/* 1: bits differ, or bytes that nothing belongs to were written. Not of scattered outputs: of several elements that are sent to one place, which
 * is there is for timing to decide. */
static int compare_bits(const subject *s, uint64_t n, const arrays *a)
{
    arrays expected = open_arrays(s, n, 0);
    char what[200];
    msw_diag diag = {0};
    int has_failed = msw_spec_evaluate(s->spec, s->op, n, (const void *const *)a->inputs, expected.outputs, NULL, NULL, &diag) != MSW_OK;
    if (has_failed) complain(s, n, diag.message);
    for (uint32_t o = 0; !has_failed && o < a->output_count; o++) {
        if (msw_is_scattered(a->output[o]->length)) continue;
        const unsigned char *got = a->outputs[o], *wanted = expected.outputs[o];
        uint64_t first = 0;
        while (first < a->output_bytes[o] && got[first] == wanted[first]) first++;
        has_failed = first < a->output_bytes[o];
        snprintf(what, sizeof what, "%s: element %llu differs", a->output[o]->name, (unsigned long long)(first / a->output[o]->type.size_bytes));
        if (has_failed) complain(s, n, what);
    }
    close_arrays(&expected);
    return has_failed;
}

/* 1: the verification finds that it is wrong. */
static int compare_as_promised(const subject *s, uint64_t n, const arrays *a)
{
    const void *const *uniforms = (const void *const *)a->inputs; /* the last of the inputs */
    for (uint32_t b = 0; b < s->info.buffer_count; b++) uniforms += s->info.buffers[b].role == MSW_ROLE_IN;
    const msw_verification_desc desc = {
        .struct_size = sizeof desc, .spec = s->spec, .op = s->op, .backend = s->bench->device.info->backend, .uniforms = uniforms};
    msw_verification *verification;
    msw_verification_report report = {.struct_size = sizeof report, .verdict = MSW_FAILED};
    msw_diag diag = {0};
    if (msw_verification_create(&desc, &verification, &diag)) fail_msg("%s", diag.message);
    if (!msw_verification_expect(verification, n, (const void *const *)a->inputs, &diag))
        msw_verification_judge(verification, (const void *const *)a->outputs, NULL, &report, &diag);
    if (report.verdict == MSW_FAILED) complain(s, n, report.failure ? report.failure : diag.message);
    msw_verification_destroy(verification);
    return report.verdict == MSW_FAILED;
}

/* 1: of an append in any order something was written behind its items. */
static int check_rest(const subject *s, uint64_t n, const arrays *a)
{
    const unsigned char *items = a->outputs[0];
    const uint64_t bytes = a->output[0]->type.size_bytes;
    uint64_t count, at = 0, end = a->output_bytes[0];
    memcpy(&count, a->outputs[1], sizeof count);
    at = count < end / bytes ? count * bytes : end - bytes; /* the element behind the room is nobody's */
    while (at < end && !items[at]) at++;
    if (at < end) complain(s, n, "something was written behind the last item");
    return at < end;
}

/* 1 when the device's result differs. */
static int compare(const subject *s, uint64_t n)
{
    arrays a = open_arrays(s, n, 1);
    const int has_bits =
        s->bench->has_edges ? !ms_scalar_is_float(a.output[0]->type.leaves[0].scalar) : s->info.kind == MSW_OP_SWEEP && s->info.is_bit_exact;
    msw_diag diag = {0};
    int failed = msw_kernel_run_host(s->kernel, n, (const void *const *)a.inputs, a.outputs, NULL, &diag) != MSW_OK, is_scattered = 0;
    for (uint32_t o = 0; o < a.output_count; o++) is_scattered |= msw_is_scattered(a.output[o]->length);
    if (failed) complain(s, n, diag.message);
    else failed = has_bits && !s->info.has_any_order && compare_bits(s, n, &a);
    if (!failed && (!has_bits || s->info.has_any_order || is_scattered)) failed = compare_as_promised(s, n, &a);
    if (!failed && s->info.has_any_order) failed = check_rest(s, n, &a);
    s->bench->comparisons++;
    s->bench->elements += n;
    close_arrays(&a);
    return failed;
}

/* ---- subjects ---- */

/* An operation whose doc says "needs FEATURE" is refused by name where the device lacks it. */
static int lacks_feature(const subject *s)
{
    static const struct {
        const char *name;
        uint32_t bit;
    } features[] = {{"needs float64", MSW_FEATURE_FLOAT64}};
    for (size_t f = 0; f < sizeof features / sizeof *features; f++)
        if (!strcmp(s->info.doc, features[f].name)) return !(s->bench->device.info->target.features & features[f].bit);
    return 0;
}

static int check_refusal(subject *s, msw_result result, const msw_diag *diag)
{
    const char *feature = s->info.doc + strlen("needs ");
    s->bench->refusals++;
    if (result == MSW_ERROR_UNSUPPORTED && strstr(diag->message, s->bench->device.info->name) && strstr(diag->message, feature)) return 0;
    complain(s, 0, "an error was expected that names the device and its missing feature");
    print_error("%s\n", diag->message);
    return 1;
}

/* Makes the kernel; gives the number of failures, with kernel NULL when there is nothing to run. */
static int make_kernel(subject *s)
{
    msw_knob knobs[MOST_KNOBS + 3];
    msw_kernel_desc desc = {.struct_size = sizeof desc, .spec = s->spec, .op = s->info.name, .knobs = knobs, .knob_count = s->geometry->knob_count};
    memcpy(knobs, s->geometry->knobs, sizeof s->geometry->knobs);
    if (s->has_few_items) knobs[desc.knob_count++] = (msw_knob){"items", "4"}, knobs[desc.knob_count++] = (msw_knob){"vector", "4"};
    if (s->geometry->packs && s->info.kind == MSW_OP_SWEEP) knobs[desc.knob_count++] = (msw_knob){"packs", s->geometry->packs};
    msw_diag diag;
    const msw_result result = msw_kernel_create(s->bench->device.context, &desc, &s->kernel, &diag);
    if (lacks_feature(s)) return check_refusal(s, result, &diag);
    if (result == MSW_ERROR_UNSUPPORTED && (strstr(diag.message, "keep depends on s, so a launch of its own") || /* look-back, look-ahead */
                                            strstr(diag.message, "a scan of what another scan returns") ||
                                            strstr(diag.message, "not in this version, look-ahead of segments by offsets"))) {
        s->bench->refusals++;
        return 0;
    }
    if (result) complain(s, 0, diag.message);
    return result != MSW_OK;
}

static uint64_t tile_of(const subject *s) { return msw_kernel_plan(s->kernel)->steps[0].tile_items; }

static int has_items(const subject *s)
{
    for (uint32_t i = 0; i < s->info.stage_count; i++) {
        msw_stage_info stage = {.struct_size = sizeof stage};
        msw_op_info info = {.struct_size = sizeof info};
        assert_int_equal(msw_spec_stage(s->spec, s->op, i, &stage), MSW_OK);
        assert_int_equal(msw_spec_op(s->spec, stage.op, &info), MSW_OK);
        if (info.item_count) return 1;
    }
    return s->info.item_count != 0;
}

/* More tiles than a dispatch has blocks, whatever the device; but for n items of one element, which lavapipe's loops do not write. */
static int check_limit(const subject *s)
{
    const msw_plan *plan = msw_kernel_plan(s->kernel);
    const uint64_t n_max = plan->variants[plan->variant_count - 1].n_max;
    if (has_items(s) || s->geometry != &geometries[BY_DEFAULT] || n_max > MANY_TILES * tile_of(s)) return 0;
    complain(s, n_max, "the plan ends here");
    return 1;
}

static int check_sizes(subject *s)
{
    int failures = make_kernel(s);
    if (!s->kernel) return failures;
    failures += check_limit(s);
    const uint64_t tile = tile_of(s);
    /* by default the strategy changes after 4 tiles; 7919 and 30011 are primes */
    const uint64_t sizes[] = {0, 1, 2, tile - 1, tile, tile + 1, 4 * tile, 4 * tile + 1, 7919, 30011};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) failures += compare(s, sizes[i]);
    msw_kernel_destroy(s->kernel);
    return failures;
}

static msw_spec *open_spec(const char *name)
{
    char path[512];
    msw_spec *spec;
    msw_diag diag;
    snprintf(path, sizeof path, "%s/tests/corpus/%s", MSW_SOURCE_DIR, name);
    const msw_spec_desc desc = {.struct_size = sizeof desc, .file = path, .time_limit_ms = 4000};
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
    return spec;
}

/* Lavapipe's subgroups of 4, 8 and 16, and SwiftShader's of 4, give four numbers. */
static uint32_t first_turn(const msw_target *target)
{
    uint32_t turn = target->features & MSW_FEATURE_INT64 ? 0 : 3;
    for (uint32_t lanes = target->subgroup_size; lanes > 1; lanes /= 2) turn++;
    return turn;
}

/* As CUDA devices do from sm_90 on. */
static uint32_t copies_in_bulk(const msw_target *target) { return target->backend == MSW_BACKEND_CUDA && atoi(target->arch + strlen("sm_")) >= 90; }

static int takes_room(const geometry *g) { return !strcmp(g->knobs[0].value, "block_atomic") || !strcmp(g->knobs[0].value, "atomic_bump"); }

/* Whether the operation has the geometry's strategy, and the device can run it. in_order: n alone decides in what order elements are combined. */
static int is_of_kind(const geometry *g, const msw_op_info *op, const msw_target *target, int in_order)
{
    msw_choice choice = {.struct_size = sizeof choice};
    const int propagates = g->knob_count && !strcmp(g->knobs[0].value, "scan_then_propagate");
    if (!propagates && !strcmp(op->doc, "by scan_then_propagate")) return 0;
    if (propagates && (op->item_count || in_order)) return 0;
    if (!g->knob_count || strcmp(g->knobs[0].name, "strategy")) return 1;
    if (in_order && !strcmp(g->knobs[0].value, "lookback") && target->progress == MSW_PROGRESS_NONE) return 0;
    if (!strcmp(g->knobs[0].value, "lookahead") && (!copies_in_bulk(target) || op->item_count || op->buffers[0].role != MSW_ROLE_IN)) return 0;
    if (takes_room(g) && (!op->has_any_order || !(target->features & MSW_FEATURE_ATOMIC64) || !(target->features & MSW_FEATURE_INT64))) return 0;
    for (uint32_t i = 0; !msw_strategy_get(op->kind, i, &choice); i++)
        if (!strcmp(choice.name, g->knobs[0].value)) return 1;
    return 0;
}

/* Each operation has one of the geometries that fit, or all of these; where tiles are copied in bulk it looks ahead, too. */
static void check_file_with(bench *b, const char *name, int in_order)
{
    subject s = {.bench = b, .spec = open_spec(name)};
    const uint32_t turn = first_turn(&b->device.info->target);
    const int all = getenv("MSW_TEST_ALL") != NULL;
    int failures = 0;
    for (s.op = 0; s.op < msw_spec_op_count(s.spec); s.op++) {
        s.info.struct_size = sizeof s.info;
        assert_int_equal(msw_spec_op(s.spec, s.op, &s.info), MSW_OK);
        const int has_all = all || !strcmp(s.info.doc, "in every geometry");
        const geometry *fitting[GEOMETRIES];
        uint32_t count = 0;
        for (uint32_t g = 0; g < GEOMETRIES; g++)
            if (is_of_kind(&geometries[g], &s.info, &b->device.info->target, in_order)) fitting[count++] = &geometries[g];
        for (uint32_t g = 0; g < count; g++) {
            s.geometry = fitting[(s.op + turn + g) % count];
            if (g && !has_all && s.geometry != &geometries[AHEAD]) continue;
            /* Unrolled loops over a tile's items take a driver's compiler most of the time, SwiftShader's gigabytes for 16 of them. The default has
             * more, and so has what depends on how loops unroll. */
            s.has_few_items = s.geometry != &geometries[BY_DEFAULT] && !b->has_edges;
            if (getenv("MSW_TEST_VERBOSE")) print_message("%s %s\n", s.info.name, s.geometry->label);
            failures += check_sizes(&s);
        }
        b->operations++;
    }
    msw_spec_destroy(s.spec);
    assert_int_equal(failures, 0);
}

static void check_file(bench *b, const char *name) { check_file_with(b, name, 0); }

static void test_sums(void **state) { check_file(*state, "sums.lua"); }

static void test_types(void **state) { check_file(*state, "types.lua"); }

static void test_maps(void **state) { check_file(*state, "maps.lua"); }

static void test_elementwise(void **state) { check_file(*state, "elementwise.lua"); }

static void test_tables(void **state) { check_file(*state, "tables.lua"); }

static void test_sweeps(void **state) { check_file(*state, "sweeps.lua"); }

static void test_scattered(void **state) { check_file(*state, "scattered.lua"); }

static void test_generated(void **state) { check_file(*state, "generated.lua"); }

static void test_segments(void **state) { check_file(*state, "segments.lua"); }

static void test_offsets(void **state) { check_file(*state, "offsets.lua"); }

static void test_append(void **state) { check_file(*state, "append.lua"); }

static void test_uniforms(void **state) { check_file(*state, "uniforms.lua"); }

static void test_pipelines(void **state) { check_file(*state, "pipelines.lua"); }

static void test_summaries(void **state) { check_file(*state, "summaries.lua"); }

static void test_everywhere(void **state) { check_file_with(*state, "everywhere.lua", 1); }

/* What a compiler makes of an operation depends on how its loops unroll. */
static void test_identities(void **state)
{
    bench *b = *state;
    b->has_edges = 1;
    check_file(b, "identities.lua");
}

/* After a failure, too: other tests' floats may round. */
static int leave_edges(void **state)
{
    bench *b = *state;
    b->has_edges = 0;
    return 0;
}

/* ---- large n ---- */

static void check_large(bench *b, const char *file, const char *name, const geometry *g, uint64_t n)
{
    subject s = {.bench = b, .spec = open_spec(file), .geometry = g};
    s.op = (uint32_t)msw_spec_find(s.spec, name);
    s.info.struct_size = sizeof s.info;
    assert_int_equal(msw_spec_op(s.spec, s.op, &s.info), MSW_OK);
    int failures = make_kernel(&s);
    if (s.kernel) failures += compare(&s, n ? n : MANY_TILES * tile_of(&s) + 1);
    msw_kernel_destroy(s.kernel);
    msw_spec_destroy(s.spec);
    assert_int_equal(failures, 0);
}

static void test_many_tiles(void **state)
{
    static const struct {
        const char *file, *name;
    } cases[] = {{"sums.lua", "bytes_wrap"}, {"sums.lua", "xor_i16"},     {"types.lua", "sum_u8"},
                 {"maps.lua", "affine"},     {"maps.lua", "affine_back"}, {"maps.lua", "affine_total"}};
    bench *b = *state;
    char block[16];
    const uint32_t lanes = b->device.info->target.subgroup_size;
    snprintf(block, sizeof block, "%u", lanes < 8 ? 8 : lanes);
    const geometry tiny = {
        "with tiny tiles", {{"strategy", "reduce_then_scan"}, {"block", block}, {"items", "4"}, {"vector", "4"}, {"blocks", "128"}}, 5, NULL};
    const geometry plain = {"with tiny tiles and without subgroup operations",
                            {{"strategy", "reduce_then_scan"}, {"block", "8"}, {"items", "4"}, {"vector", "4"}, {"blocks", "128"}, {"subgroup", "1"}},
                            6,
                            NULL};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) check_large(b, cases[c].file, cases[c].name, &tiny, 0);
    check_large(b, "maps.lua", "affine", &plain, 0);
}

static void test_a_million(void **state)
{
    static const struct {
        const char *file, *name;
    } cases[] = {{"sums.lua", "exclusive_u32"}, {"sums.lua", "reverse_i32"}, {"sums.lua", "largest"},        {"types.lua", "sum_u64"},
                 {"maps.lua", "affine_back"},   {"maps.lua", "recurrence"},  {"summaries.lua", "segmented"}, {"summaries.lua", "max_subarray_total"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) check_large(*state, cases[c].file, cases[c].name, &geometries[BY_DEFAULT], 1000003);
    check_large(*state, "maps.lua", "affine", &geometries[ONE_BLOCK], 1000003);
}

/* Just beyond where an operation looks ahead by default. */
static void check_far(bench *b, const char *file, const char *name)
{
    subject s = {.bench = b, .spec = open_spec(file), .geometry = &geometries[BY_DEFAULT]};
    s.op = (uint32_t)msw_spec_find(s.spec, name);
    s.info.struct_size = sizeof s.info;
    assert_int_equal(msw_spec_op(s.spec, s.op, &s.info), MSW_OK);
    int failures = make_kernel(&s), looks_ahead = 0;
    assert_non_null(s.kernel);
    const msw_plan *plan = msw_kernel_plan(s.kernel);
    for (uint32_t v = 1; v < plan->variant_count && !looks_ahead; v++) {
        looks_ahead = !strcmp(plan->variants[v].strategy, "lookahead");
        if (looks_ahead) failures += compare(&s, plan->variants[v - 1].n_max + 12345);
    }
    msw_kernel_destroy(s.kernel);
    msw_spec_destroy(s.spec);
    assert_int_equal(failures, 0);
    assert_true(looks_ahead);
}

static void test_looking_ahead_by_default(void **state)
{
    static const struct {
        const char *file, *name;
    } cases[] = {{"offsets.lua", "sums"},    {"offsets.lua", "composed"}, {"offsets.lua", "prefixes"},
                 {"offsets.lua", "counted"}, {"everywhere.lua", "sum"},   {"everywhere.lua", "by_key"}};
    bench *b = *state;
    if (!copies_in_bulk(&b->device.info->target)) {
        print_message("no look-ahead on this device (CUDA's, from sm_90 on, has it), nothing ran\n");
        return;
    }
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) check_far(b, cases[c].file, cases[c].name);
}

/* ---- the device ---- */

static void test_validation_was_silent(void **state)
{
    const bench *b = *state;
    assert_int_equal(b->device.validation_messages, 0);
}

static int open_bench(void **state)
{
    bench *b = calloc(1, sizeof *b);
    if (!b || test_device_open(&b->device)) return -1;
    *state = b;
    return 0;
}

static int close_bench(void **state)
{
    bench *b = *state;
    printf("%s (%s), subgroups of %u: %u comparisons of %llu elements, %u operations, %u refused\n", b->device.info->name, b->device.info->id,
           b->device.info->target.subgroup_size, b->comparisons, (unsigned long long)b->elements, b->operations, b->refusals);
    const int result = test_device_close(&b->device);
    free(b);
    return result;
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums),
                                       cmocka_unit_test(test_types),
                                       cmocka_unit_test(test_maps),
                                       cmocka_unit_test(test_elementwise),
                                       cmocka_unit_test(test_tables),
                                       cmocka_unit_test(test_sweeps),
                                       cmocka_unit_test(test_scattered),
                                       cmocka_unit_test(test_generated),
                                       cmocka_unit_test(test_segments),
                                       cmocka_unit_test(test_offsets),
                                       cmocka_unit_test(test_append),
                                       cmocka_unit_test(test_uniforms),
                                       cmocka_unit_test(test_pipelines),
                                       cmocka_unit_test(test_summaries),
                                       cmocka_unit_test_teardown(test_identities, leave_edges),
                                       cmocka_unit_test(test_everywhere),
                                       cmocka_unit_test(test_many_tiles),
                                       cmocka_unit_test(test_a_million),
                                       cmocka_unit_test(test_looking_ahead_by_default),
                                       cmocka_unit_test(test_validation_was_silent)};
    if (count > 1) cmocka_set_test_filter(arguments[1]);
    return cmocka_run_group_tests(tests, open_bench, close_bench);
}
