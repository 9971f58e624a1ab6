/* The runtime when memory runs out: every allocation failed in turn on the host, a step of them on Vulkan. It says so or succeeds, and loses
 * nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <monosweep/monosweep.h>
#include <stdio.h>

#include "failing.h"

enum { N = 5000 };

static const char text[] = "return scan { monoid = sum(u32), kind = 'exclusive' }";
static uint32_t input[N];
static const msw_plan *plan; /* of SUBJECT_RUN_PLAN */

/* A stage of a program: what is made with the failing allocator. */
typedef enum subject { SUBJECT_DEVICES, SUBJECT_RUN_TEXT, SUBJECT_RUN_SPEC, SUBJECT_RUN_PLAN } subject;

static msw_result list(const msw_context_desc *desc, msw_diag *diag)
{
    msw_device_info devices[8] = {{.struct_size = sizeof *devices}};
    uint32_t count = 0;
    const msw_result result = msw_devices(desc, devices, 8, &count, diag);
    if (result == MSW_OK) assert_true(count >= 2);
    return result;
}

/* Two runs: the second with buffers of the caller's. */
static msw_result run(msw_context *context, msw_kernel *kernel, msw_diag *diag)
{
    uint32_t output[N] = {0};
    msw_buffer *in = NULL, *out = NULL;
    msw_result result = msw_kernel_run_host(kernel, N, (const void *[]){input}, (void *[]){output}, NULL, diag);
    if (result == MSW_OK) assert_int_equal(output[N - 1], input[0] * (N - 1));
    if (result == MSW_OK) result = msw_buffer_create(context, sizeof input, &in, diag);
    if (result == MSW_OK) result = msw_buffer_create(context, sizeof input, &out, diag);
    if (result == MSW_OK) result = msw_buffer_write(in, 0, input, sizeof input, diag);
    if (result == MSW_OK) {
        const msw_enqueue_desc desc = {.struct_size = sizeof desc, .n = N, .buffers = {msw_buffer_address(in), msw_buffer_address(out)}};
        result = msw_kernel_run(kernel, &desc, NULL, diag);
    }
    memset(output, 0, sizeof output);
    if (result == MSW_OK) result = msw_buffer_read(out, 0, output, sizeof output, diag);
    if (result == MSW_OK) assert_int_equal(output[N - 1], input[0] * (N - 1));
    msw_buffer_destroy(in);
    msw_buffer_destroy(out);
    return result;
}

static msw_result make(subject what, const char *device, msw_spec *spec, failing *state, msw_diag *diag)
{
    const msw_allocator allocator = {state, failing_resize};
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = device, .allocator = &allocator};
    msw_kernel_desc kernel_desc = {.struct_size = sizeof kernel_desc};
    msw_context *context;
    msw_kernel *kernel = NULL;
    msw_result result;
    if (what == SUBJECT_DEVICES) return list(&desc, diag);
    if (what == SUBJECT_RUN_PLAN) kernel_desc.plan = plan;
    else if (spec) kernel_desc.spec = spec;
    else kernel_desc.spec_text = text;
    result = msw_context_create(&desc, &context, diag);
    if (result != MSW_OK) {
        assert_null(context);
        return result;
    }
    result = msw_kernel_create(context, &kernel_desc, &kernel, diag);
    assert_true((result == MSW_OK) == (kernel != NULL));
    if (result == MSW_OK) result = run(context, kernel, diag);
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
    return result;
}

/* Fails one call, then all from there on, at up to `runs` places. */
static void sweep(subject what, const char *device, msw_spec *spec, int64_t runs)
{
    failing state = {0};
    msw_diag diag;
    if (make(what, device, spec, &state, &diag)) fail_msg("%s: %s", device, diag.message);
    const int64_t calls = state.calls, stride = calls / runs + 1;
    assert_true(calls > 0);
    assert_int_equal(state.live_blocks, 0);
    for (int64_t first = 1; first <= calls; first += stride)
        for (int all = 0; all < 2; all++) {
            failing failed = {.first = first, .count = all ? INT64_MAX : 1};
            memset(&diag, 0x5a, sizeof diag);
            const msw_result result = make(what, device, spec, &failed, &diag);
            assert_int_equal(diag.code, result);
            if (failed.live_blocks || failed.live_bytes)
                fail_msg("%s: call %lld of %lld failing: %lld bytes lost", device, (long long)first, (long long)calls, (long long)failed.live_bytes);
            if (result != MSW_ERROR_OUT_OF_MEMORY || !strstr(diag.message, "memory"))
                fail_msg("%s: call %lld of %lld failing: %s: %s", device, (long long)first, (long long)calls, msw_result_text(result), diag.message);
        }
    print_message("%s: %lld allocations, one in %lld failed\n", device, (long long)calls, (long long)stride);
}

static msw_spec *read_spec(void)
{
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text};
    msw_spec *spec;
    msw_diag diag;
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
    return spec;
}

static void test_devices(void **state)
{
    (void)state;
    sweep(SUBJECT_DEVICES, NULL, NULL, 1000);
}

/* The spec was read before, so that what is left is the runtime's. */
static void test_host(void **state)
{
    msw_spec *spec = read_spec();
    (void)state;
    sweep(SUBJECT_RUN_SPEC, "host", spec, 1000);
    msw_spec_destroy(spec);
}

static void test_vulkan(void **state)
{
    msw_spec *spec = read_spec();
    (void)state;
    sweep(SUBJECT_RUN_SPEC, "vulkan", spec, 40);
    msw_spec_destroy(spec);
}

/* Its texts are compiled. */
static void test_plan(void **state)
{
    msw_spec *spec = read_spec();
    msw_context *context;
    msw_program *program;
    msw_diag diag;
    (void)state;
    if (msw_context_create(&(msw_context_desc){.struct_size = sizeof(msw_context_desc), .device = "vulkan"}, &context, &diag))
        fail_msg("%s", diag.message);
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &msw_context_device(context)->target};
    if (msw_program_create(spec, &desc, &program, &diag)) fail_msg("%s", diag.message);
    msw_context_destroy(context);
    plan = msw_program_plan(program);
    sweep(SUBJECT_RUN_PLAN, "vulkan", NULL, 20);
    msw_program_destroy(program);
    msw_spec_destroy(spec);
}

/* The whole way from a text. Lua collects its garbage and tries again, so that one failing call may do no harm: then all is well. */
static void test_texts(void **state)
{
    static const char *const devices[] = {"host", "vulkan"};
    (void)state;
    for (int d = 0; d < 2; d++) {
        failing state_of_all = {0};
        msw_diag diag;
        assert_int_equal(make(SUBJECT_RUN_TEXT, devices[d], NULL, &state_of_all, &diag), MSW_OK);
        const int64_t stride = state_of_all.calls / 10 + 1;
        for (int64_t first = 1; first <= state_of_all.calls; first += stride) {
            failing failed = {.first = first, .count = INT64_MAX};
            assert_int_equal(make(SUBJECT_RUN_TEXT, devices[d], NULL, &failed, &diag), MSW_ERROR_OUT_OF_MEMORY);
            assert_int_equal(failed.live_blocks, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_devices), cmocka_unit_test(test_host), cmocka_unit_test(test_vulkan),
                                       cmocka_unit_test(test_plan), cmocka_unit_test(test_texts)};
    for (uint32_t i = 0; i < N; i++) input[i] = 3;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
