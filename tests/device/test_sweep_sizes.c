/* compact, reduce_by_key and append for every n from 0 to two tiles, and a bit more, in every strategy; sums of floats are the same from run to run
 * where that is asked for. The simulator does the same: test_simulator_sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sweep_sizes.h"
#include "test_device.h"

enum { BLOCK = 32, ITEMS = 4, TILE = BLOCK * ITEMS, MOST = 16 * TILE, OUTPUTS = 3, ELEMENT_BYTES = 8 };

static msw_spec *spec;
static msw_context *context;
static msw_buffer *inputs[2], *outputs[OUTPUTS];
static uint32_t keys[MOST], values[MOST];
static unsigned char expected[OUTPUTS][MOST * ELEMENT_BYTES], got[OUTPUTS][MOST * ELEMENT_BYTES];
static int validation_messages;

static void check(msw_result result, const msw_diag *diag)
{
    if (result != MSW_OK) fail_msg("%s", diag->message);
}

/* A scheduler that promises nothing: look-back comes with the fallback. */
static int open_all(void **state)
{
    const msw_spec_desc read = {.struct_size = sizeof read, .file = MSW_SOURCE_DIR "/tests/support/sweep_sizes.lua"};
    msw_context_desc desc = watched_context(test_device_name(), &validation_messages);
    msw_diag diag;
    (void)state;
    desc.progress = MSW_PROGRESS_NONE;
    check(msw_spec_create(&read, &spec, &diag), &diag);
    check(msw_context_create(&desc, &context, &diag), &diag);
    for (int i = 0; i < 2; i++) check(msw_buffer_create(context, sizeof keys, &inputs[i], &diag), &diag);
    for (int o = 0; o < OUTPUTS; o++) check(msw_buffer_create(context, sizeof got[o], &outputs[o], &diag), &diag);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) msw_buffer_destroy(inputs[i]);
    for (int o = 0; o < OUTPUTS; o++) msw_buffer_destroy(outputs[o]);
    msw_context_destroy(context);
    msw_spec_destroy(spec);
    return validation_messages ? -1 : 0;
}

/* An operation in a small geometry, with a scratch for MOST elements. */
typedef struct subject {
    msw_kernel *kernel;
    const msw_plan *plan;
    uint32_t op;
    int outputs;
    msw_buffer *scratch;
    msw_enqueue_desc desc;
} subject;

static msw_kernel *make_kernel(const char *op, const char *strategy, const char *withhold, msw_result wanted, msw_diag *diag)
{
    const msw_knob knobs[] = {{"block", "32"}, {"items", "4"}, {"vector", "4"}, {"strategy", strategy}, {"spin", "4"}, {"withhold", withhold}};
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec = spec, .op = op, .knobs = knobs, .knob_count = withhold ? 6 : 4};
    msw_kernel *kernel;
    const msw_result result = msw_kernel_create(context, &desc, &kernel, diag);
    if (result != wanted) fail_msg("%s, %s: %s: %s", op, strategy, msw_result_text(result), diag->message);
    return kernel;
}

static subject open_subject(const char *op, const char *strategy, const char *withhold)
{
    subject s = {.op = (uint32_t)msw_spec_find(spec, op)};
    msw_diag diag;
    s.kernel = make_kernel(op, strategy, withhold, MSW_OK, &diag);
    s.plan = msw_kernel_plan(s.kernel);
    s.outputs = (int)s.plan->buffer_count - 2;
    const uint64_t bytes = msw_scratch_bytes(s.plan, MOST);
    check(msw_buffer_create(context, bytes, &s.scratch, &diag), &diag);
    s.desc = (msw_enqueue_desc){.struct_size = sizeof s.desc,
                                .flags = MSW_SCRATCH_DIRTY,
                                .buffers = {msw_buffer_address(inputs[0]), msw_buffer_address(inputs[1])},
                                .scratch = msw_buffer_address(s.scratch),
                                .scratch_bytes = bytes};
    for (int o = 0; o < s.outputs; o++) s.desc.buffers[2 + o] = msw_buffer_address(outputs[o]);
    return s;
}

static void close_subject(subject *s)
{
    msw_buffer_destroy(s->scratch);
    msw_kernel_destroy(s->kernel);
}

/* Bytes of an output for n elements and one more, which stays as it is. */
static uint64_t output_bytes(const subject *s, int o, uint64_t n)
{
    const msw_plan_buffer *buffer = &s->plan->buffers[2 + o];
    return (msw_elements(buffer->length, n) + 1) * buffer->element_bytes;
}

/* What the device makes of n elements comes to `got`. */
static void run(subject *s, uint64_t n)
{
    msw_diag diag;
    check(msw_buffer_write(inputs[0], 0, keys, 4 * n, &diag), &diag);
    check(msw_buffer_write(inputs[1], 0, values, 4 * n, &diag), &diag);
    for (int o = 0; o < s->outputs; o++) {
        memset(got[o], 0xa5, output_bytes(s, o, n));
        check(msw_buffer_write(outputs[o], 0, got[o], output_bytes(s, o, n), &diag), &diag);
    }
    s->desc.n = n;
    check(msw_kernel_run(s->kernel, &s->desc, NULL, &diag), &diag);
    s->desc.flags = 0; /* the scratch is zeroed once */
    for (int o = 0; o < s->outputs; o++) check(msw_buffer_read(outputs[o], 0, got[o], output_bytes(s, o, n), &diag), &diag);
}

static void fill(const sweep_data *kind, uint64_t n) { sweep_fill(kind, n, (void *[]){keys, values}); }

/* Items in any order, which `got` has: verification knows what is right. */
static void compare_groups(const subject *s, const char *strategy, const sweep_data *kind, uint64_t n)
{
    const msw_verification_desc desc = {.struct_size = sizeof desc, .spec = spec, .op = s->op, .backend = MSW_BACKEND_HOST};
    msw_verification_report report = {.struct_size = sizeof report, .verdict = MSW_FAILED};
    msw_verification *verification;
    msw_diag diag;
    uint64_t count;
    memcpy(&count, expected[1], sizeof count);
    check(msw_verification_create(&desc, &verification, &diag), &diag);
    check(msw_verification_expect(verification, n, (const void *[]){keys, values}, &diag), &diag);
    check(msw_verification_judge(verification, (const void *[]){got[0], got[1]}, NULL, &report, &diag), &diag);
    if (report.verdict != MSW_VERIFIED) fail_msg("%s, %s, %s, n = %u: %s", s->plan->name, strategy, kind->name, (unsigned)n, report.text);
    for (uint64_t at = 4 * (count < n ? count : n); at < output_bytes(s, 0, n); at++)
        if (got[0][at] != 0xa5) fail_msg("%s, %s, %s, n = %u: written behind the last item", s->plan->name, strategy, kind->name, (unsigned)n);
    msw_verification_destroy(verification);
}

static void compare(subject *s, const char *strategy, const sweep_data *kind, uint64_t n)
{
    msw_diag diag;
    fill(kind, n);
    for (int o = 0; o < s->outputs; o++) memset(expected[o], 0xa5, output_bytes(s, o, n));
    check(msw_spec_evaluate(spec, s->op, n, (const void *[]){keys, values}, (void *[]){expected[0], expected[1], expected[2]}, NULL, NULL, &diag),
          &diag);
    run(s, n);
    if (!strcmp(s->plan->name, "strewn")) {
        compare_groups(s, strategy, kind, n);
        return;
    }
    for (int o = 0; o < s->outputs; o++) {
        if (memcmp(got[o], expected[o], output_bytes(s, o, n)))
            fail_msg("%s, %s, %s, n = %u: %s differs", s->plan->name, strategy, kind->name, (unsigned)n, s->plan->buffers[2 + o].name);
    }
}

/* By the first strategies; by two of them n alone may decide the order of combination, and the last is none of appends. */
enum { ORDERED = 2, CHAINED = 4, OF_APPENDS = 5, ALL = 6 };

static void check_every_size(const char *op, size_t strategy_count)
{
    static const struct {
        const char *name, *withhold;
    } strategies[] = {{"single_block", NULL}, {"reduce_then_scan", NULL}, {"lookback", NULL},
                      {"lookback", "2"},      {"chained_scan", NULL},     {"scan_then_propagate", NULL}};
    for (size_t i = 0; i < strategy_count; i++) {
        subject s = open_subject(op, strategies[i].name, strategies[i].withhold);
        for (uint64_t n = 0; n <= 2 * TILE + 1; n++) /* kinds take turns where a baseline runs */
            for (uint64_t kind = i >= CHAINED ? n % SWEEP_KINDS : 0; kind < SWEEP_KINDS; kind += i >= CHAINED ? SWEEP_KINDS : 1)
                compare(&s, strategies[i].name, &sweep_kinds[kind], n);
        close_subject(&s);
    }
}

static void test_compact(void **state)
{
    (void)state;
    check_every_size("kept", ALL);
}

static void test_reduce_by_key(void **state)
{
    (void)state;
    check_every_size("groups", ALL);
}

/* `spread` makes more than n items and fewer, `spread_once` fills its room but for one item, wholly, and beyond. */
static void test_append(void **state)
{
    (void)state;
    check_every_size("spread", OF_APPENDS);
    check_every_size("spread_once", OF_APPENDS);
}

/* 0: the device adds no numbers of 64 bits atomically, and says so. */
static int is_served(const char *op, const char *strategy)
{
    const msw_knob knob = {"strategy", strategy};
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec = spec, .op = op, .knobs = &knob, .knob_count = 1};
    msw_kernel *kernel;
    msw_diag diag;
    if (msw_kernel_create(context, &desc, &kernel, &diag)) assert_non_null(strstr(diag.message, "which the device does not (int64, atomic64)"));
    msw_kernel_destroy(kernel);
    return kernel != NULL;
}

/* The block takes room, or the element; without `order = "any"` neither may. One scratch serves all sizes: a launch leaves nothing to be reset. */
static void test_append_in_any_order(void **state)
{
    static const char *const strategies[] = {"auto", "lookback", "block_atomic", "atomic_bump"};
    msw_diag diag;
    (void)state;
    for (int i = 0; i < 4; i++) {
        if (!is_served("strewn", strategies[i])) continue;
        subject s = open_subject("strewn", strategies[i], NULL);
        for (uint64_t n = 0; n <= 2 * TILE + 1; n++) compare(&s, strategies[i], &sweep_kinds[n % SWEEP_KINDS], n);
        for (uint64_t n = MOST - SWEEP_KINDS; n < MOST; n++) compare(&s, strategies[i], &sweep_kinds[n % SWEEP_KINDS], n);
        close_subject(&s);
        if (i < 2) continue;
        make_kernel("spread", strategies[i], NULL, MSW_ERROR_UNSUPPORTED, &diag);
        assert_non_null(strstr(diag.message, "give an append order = \"any\""));
    }
}

/* By the planner's choice and by hand; look-back, whose order timing decides, is refused. */
static void test_deterministic_sums(void **state)
{
    static const char *const strategies[] = {"auto", "reduce_then_scan"};
    enum { RUNS = 40 };
    msw_diag diag;
    (void)state;
    for (int i = 0; i < 2; i++) {
        subject s = open_subject("float_sums", strategies[i], NULL);
        for (int k = 0; k < SWEEP_KINDS; k++) {
            fill(&sweep_kinds[k], MOST - 1);
            for (int o = 0; o < s.outputs; o++) memset(expected[o], 0xa5, output_bytes(&s, o, MOST - 1));
            for (int r = 0; r < RUNS; r++) {
                run(&s, MOST - 1);
                if (!r) memcpy(expected, got, sizeof got);
                assert_memory_equal(got, expected, sizeof got);
            }
        }
        close_subject(&s);
    }
    make_kernel("float_sums", "lookback", NULL, MSW_ERROR_UNSUPPORTED, &diag);
    assert_non_null(strstr(diag.message, "float_sums: deterministic"));
}

/* Sums of floats have the oracle's bits. */
static void test_same_sums_everywhere(void **state)
{
    msw_diag diag;
    (void)state;
    check_every_size("same_sums", ORDERED);
    make_kernel("same_sums", "chained_scan", NULL, MSW_ERROR_UNSUPPORTED, &diag);
    assert_non_null(strstr(diag.message, "same_sums: deterministic = \"everywhere\", but in chained_scan"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_compact),
                                       cmocka_unit_test(test_reduce_by_key),
                                       cmocka_unit_test(test_append),
                                       cmocka_unit_test(test_append_in_any_order),
                                       cmocka_unit_test(test_deterministic_sums),
                                       cmocka_unit_test(test_same_sums_everywhere)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
