/* Kernels of which only what the first n needs is compiled before they are there (msw_kernel_desc.first_n): what is there, what an enqueue says of
 * what is not, and what waits for it. On MSW_TEST_DEVICE. */
#define _GNU_SOURCE /* sched_setaffinity */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cache_files.h"
#include "test_device.h"
#include "threads.h"

#include <monosweep/monosweep_cuda.h>
#include <monosweep/monosweep_measure.h>
#include <monosweep/monosweep_vulkan.h>

#include <time.h>

static const char text[] =
    "return { scan { name = 'sums', monoid = sum(u32) }, sort { name = 'keys', key = u32, tune = { block = 64, items = 4 } } }";
enum { SMALL = 100, LARGE = 50000 };

static test_device device;
static msw_diag diag;

static void check(msw_result result)
{
    if (result != MSW_OK) fail_msg("%s: %s", msw_result_text(result), diag.message);
}

static msw_kernel *create(msw_context *context, const char *op, uint64_t first_n, uint32_t rest)
{
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec_text = text, .op = op, .first_n = first_n, .rest = rest};
    msw_kernel *kernel;
    check(msw_kernel_create(context, &desc, &kernel, &diag));
    return kernel;
}

/* As an application would: its stream or commands are not looked at before the kernels are. */
static msw_result enqueue(msw_kernel *kernel, const msw_enqueue_desc *desc)
{
    static char commands;
    if (device.info->backend == MSW_BACKEND_CUDA) return msw_cuda_enqueue(kernel, NULL, desc, &diag);
    return msw_vulkan_enqueue(kernel, (VkCommandBuffer)(void *)&commands, desc, &diag);
}

static void expect_refusal(msw_kernel *kernel, uint64_t n, const char *words)
{
    const uint64_t address = UINT64_C(1) << 32;
    const msw_enqueue_desc desc = {.struct_size = sizeof desc,
                                   .n = n,
                                   .buffers = {address, 2 * address},
                                   .scratch = 3 * address,
                                   .scratch_bytes = msw_scratch_bytes(msw_kernel_plan(kernel), n)};
    assert_int_equal(enqueue(kernel, &desc), MSW_ERROR_NOT_READY);
    assert_int_equal(diag.code, MSW_ERROR_NOT_READY);
    if (!strstr(diag.message, words)) fail_msg("'%s' is not in '%s'", words, diag.message);
}

/* Of 0, 1, 2 .. the sums, or backwards what is sorted. */
static void expect_results(msw_kernel *kernel, uint32_t n)
{
    static uint32_t in[LARGE], out[LARGE];
    const int is_sort = !strcmp(msw_kernel_plan(kernel)->name, "keys");
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++) in[i] = is_sort ? n - 1 - i : i;
    memset(out, 0xff, sizeof out);
    check(msw_kernel_run_host(kernel, n, (const void *[]){in}, (void *[]){out}, NULL, &diag));
    for (uint32_t i = 0; i < n; i++) assert_int_equal(out[i], is_sort ? i : (sum += i));
}

/* The first result waits for the kernels of its own n alone: those of the other are not begun. */
static void test_small_first(void **state)
{
    (void)state;
    for (int op = 0; op < 2; op++) {
        msw_kernel *kernel = create(device.context, op ? "keys" : "sums", SMALL, MSW_REST_WHEN_ASKED);
        expect_results(kernel, SMALL);
        assert_true(msw_kernel_is_ready(kernel, SMALL, 0));
        assert_false(msw_kernel_is_ready(kernel, LARGE, 0));
        assert_false(msw_kernel_is_ready(kernel, UINT64_MAX, 0));
        expect_refusal(kernel, LARGE,
                       "which n = 50000 takes, is not on the device yet; call msw_kernel_wait(kernel, 50000, 0, ..) before the enqueue");
        check(msw_kernel_wait(kernel, LARGE, 0, &diag));
        assert_true(msw_kernel_is_ready(kernel, LARGE, 0));
        expect_results(kernel, LARGE);
        check(msw_kernel_wait(kernel, UINT64_MAX, 0, &diag));
        assert_true(msw_kernel_is_ready(kernel, UINT64_MAX, 0));
        expect_results(kernel, LARGE);
        expect_results(kernel, SMALL);
        msw_kernel_destroy(kernel);
    }
}

/* Blocking calls wait by themselves. */
static void test_large_first(void **state)
{
    (void)state;
    msw_kernel *kernel = create(device.context, "keys", LARGE, MSW_REST_WHEN_ASKED);
    assert_false(msw_kernel_is_ready(kernel, SMALL, 0));
    expect_results(kernel, LARGE);
    expect_refusal(kernel, SMALL, "kernel 'sort_single_block', which n = 100 takes");
    expect_results(kernel, SMALL);
    assert_true(msw_kernel_is_ready(kernel, SMALL, 0));
    msw_kernel_destroy(kernel);
}

static void test_beside(void **state)
{
    (void)state;
    msw_kernel *kernel = create(device.context, "keys", SMALL, MSW_REST_BESIDE);
    expect_results(kernel, SMALL);
    expect_refusal(kernel, LARGE, "call msw_kernel_wait"); /* whether or not it has been compiled meanwhile */
    check(msw_kernel_wait(kernel, LARGE, 0, &diag));
    expect_results(kernel, LARGE);
    msw_kernel_destroy(kernel);
    msw_kernel_destroy(create(device.context, "sums", LARGE, MSW_REST_BESIDE)); /* while they are compiled */
}

/* What threads have compiled is not on the device before it is waited for. */
static void test_compiled_beside(void **state)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    (void)state;
    msw_kernel *kernel = create(device.context, "keys", SMALL, MSW_REST_BESIDE);
    while (!msw_kernel_is_ready(kernel, LARGE, 0)) nanosleep(&pause, NULL); /* the test's time limit ends it */
    expect_refusal(kernel, LARGE, "is not on the device yet; call msw_kernel_wait");
    assert_true(msw_kernel_is_ready(kernel, LARGE, 0));
    check(msw_kernel_wait(kernel, LARGE, 0, &diag));
    expect_results(kernel, LARGE);
    msw_kernel_destroy(kernel);
}

/* Without first_n everything is there. */
static void test_all(void **state)
{
    (void)state;
    msw_kernel *kernel = create(device.context, "sums", 0, MSW_REST_WHEN_ASKED);
    assert_true(msw_kernel_is_ready(kernel, UINT64_MAX, 0));
    check(msw_kernel_wait(kernel, SMALL, MSW_IN_PLACE, &diag));
    msw_kernel_destroy(kernel);
}

static void test_refusals(void **state)
{
    msw_kernel_desc desc = {.struct_size = sizeof desc, .spec_text = text, .op = "sums", .first_n = UINT64_MAX - 1};
    msw_kernel *kernel;
    (void)state;
    assert_int_equal(msw_kernel_create(device.context, &desc, &kernel, &diag), MSW_ERROR_UNSUPPORTED);
    assert_null(kernel);
    assert_non_null(strstr(diag.message, "but this plan serves up to"));
    desc.first_n = SMALL;
    desc.first_flags = MSW_PING_PONG;
    assert_int_equal(msw_kernel_create(device.context, &desc, &kernel, &diag), MSW_ERROR_UNSUPPORTED);
    desc.first_flags = 64;
    assert_int_equal(msw_kernel_create(device.context, &desc, &kernel, &diag), MSW_ERROR_INVALID_ARGUMENT);
    desc.first_flags = 0;
    desc.rest = 2;
    assert_int_equal(msw_kernel_create(device.context, &desc, &kernel, &diag), MSW_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(diag.message, "rest is 2, no msw_rest"));
    kernel = create(device.context, "sums", SMALL, MSW_REST_WHEN_ASKED);
    assert_int_equal(msw_kernel_wait(kernel, UINT64_MAX - 1, 0, &diag), MSW_ERROR_UNSUPPORTED);
    assert_int_equal(msw_kernel_wait(kernel, SMALL, MSW_PING_PONG, &diag), MSW_ERROR_UNSUPPORTED);
    msw_kernel_destroy(kernel);
}

/* A plan of the caller's, whose texts need not outlive the call. */
static void test_plan(void **state)
{
    const msw_spec_desc reading = {.struct_size = sizeof reading, .text = text};
    const msw_program_desc wanted = {.struct_size = sizeof wanted, .target = &device.info->target};
    msw_spec *spec;
    msw_program *program;
    msw_kernel *kernel;
    (void)state;
    check(msw_spec_create(&reading, &spec, &diag));
    check(msw_program_create(spec, &wanted, &program, &diag));
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .plan = msw_program_plan(program), .first_n = SMALL, .rest = MSW_REST_WHEN_ASKED};
    check(msw_kernel_create(device.context, &desc, &kernel, &diag));
    msw_program_destroy(program);
    msw_spec_destroy(spec);
    assert_false(msw_kernel_is_ready(kernel, LARGE, 0));
    expect_results(kernel, LARGE);
    msw_kernel_destroy(kernel);
}

/* What was not compiled has its text in the cache; what was compiled later is there, too. */
static void test_cache(void **state)
{
    static const struct {
        uint64_t first_n;
        int is_cached, runs_large;
    } turns[] = {{SMALL, 0, 0}, {SMALL, 1, 0}, {LARGE, 0, 1}, {LARGE, 1, 1}, {SMALL, 1, 1}, {0, -1, 1}, {0, 1, 1}}; /* -1: either */
    char *path = make_directory();
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = test_device_name(), .cache_dir = path};
    msw_context *context;
    (void)state;
    check(msw_context_create(&desc, &context, &diag));
    for (size_t t = 0; t < sizeof turns / sizeof *turns; t++) {
        msw_kernel *kernel = create(context, "keys", turns[t].first_n, MSW_REST_WHEN_ASKED);
        if (turns[t].is_cached >= 0 && msw_kernel_is_cached(kernel) != turns[t].is_cached)
            fail_msg("turn %zu: is_cached is %d", t, !turns[t].is_cached);
        expect_results(kernel, SMALL);
        if (turns[t].runs_large) expect_results(kernel, LARGE);
        msw_kernel_destroy(kernel);
    }
    msw_context_destroy(context);
    remove_directory(path);
}

static int open_device(void **state)
{
    (void)state;
    return test_device_open(&device);
}

static int close_device(void **state)
{
    (void)state;
    test_device_close(&device);
    return device.validation_messages;
}

/* Where a process may run on one processor of several, one thread compiles. */
static void test_processors(void **state)
{
    cpu_set_t before, one;
    size_t processor = 0;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_int_equal(ms_processors(), CPU_COUNT(&before));
    while (!CPU_ISSET(processor, &before)) processor++;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(ms_processors(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_first), cmocka_unit_test(test_large_first), cmocka_unit_test(test_beside), cmocka_unit_test(test_compiled_beside),
        cmocka_unit_test(test_all),         cmocka_unit_test(test_refusals),    cmocka_unit_test(test_plan),   cmocka_unit_test(test_cache),
        cmocka_unit_test(test_processors)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
