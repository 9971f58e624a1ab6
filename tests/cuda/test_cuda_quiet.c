/* Enqueueing on a fake libcuda: what is called, and that nothing is allocated. */
#define describe describe_made /* the plan made by hand is not used here */
#include "fake_driver.h"
#undef describe

_Thread_local int inside_driver; /* the fake one allocates nothing at a launch */

static msw_result quiet_open(const msw_allocator *allocator, msw_context **context, msw_diag *diag)
{
    reset(NULL);
    return open_context("cuda", application_context(0), allocator, context, diag);
}

static msw_result quiet_enqueue(msw_kernel *kernel, const msw_enqueue_desc *desc, msw_diag *diag)
{
    return msw_cuda_enqueue(kernel, NULL, desc, diag);
}

static msw_result quiet_scratch_init(msw_kernel *kernel, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag)
{
    return msw_cuda_scratch_init(kernel, NULL, scratch, scratch_bytes, diag);
}

static msw_result quiet_reserve(msw_kernel *kernel, uint64_t scratch_bytes, msw_diag *diag)
{
    return msw_cuda_scratch_reserve(kernel, NULL, scratch_bytes, diag);
}

static void calls_forget(void) { fake->call_count = fake->launch_count = fake->non_portable_count = 0; }

/* A stream keeps its order by itself. The context is made current, and what was current before comes back. A cooperative launch asks for the stream's
 * resources before it, and so does a launch that is one cluster (of more than 8 blocks, here). */
static void calls_expect(int dispatches, int barriers, const char *what)
{
    int pushes = 0, pops = 0, launches = 0, questions = 0, cooperative = 0;
    (void)barriers;
    assert_true(fake->call_count <= FAKE_CALLS);
    for (int64_t c = 0; c < fake->call_count; c++) {
        const char *name = fake->calls[c];
        pushes += !strcmp(name, "cuCtxPushCurrent");
        pops += !strcmp(name, "cuCtxPopCurrent");
        launches += !strcmp(name, "cuLaunchKernel") || !strcmp(name, "cuLaunchKernelEx") || !strcmp(name, "cuLaunchCooperativeKernel");
        cooperative += !strcmp(name, "cuLaunchCooperativeKernel");
        questions += !strcmp(name, "cuStreamGetGreenCtx");
        if (pushes + pops + launches + questions != c + 1) fail_msg("%s: %s was called", what, name);
    }
    assert_int_equal(launches, dispatches);
    assert_int_equal(questions, cooperative + fake->non_portable_count);
    assert_true(pushes >= (dispatches > 0) && pushes <= 1 && pops == pushes);
}

static msw_result quiet_load(msw_program *program, msw_kernel **kernel, msw_diag *diag);

#define QUIET_MORE_KERNELS {"sums", "lookahead"},
#include "quiet_cases.h"

/* Code that names the kernels is enough for the fake driver. */
static msw_result quiet_load(msw_program *program, msw_kernel **kernel, msw_diag *diag)
{
    msw_plan plan = *msw_program_plan(program);
    char code[4096] = "";
    for (uint32_t k = 0; k < plan.kernel_count; k++) {
        const size_t length = strlen(code);
        snprintf(code + length, sizeof code - length, ".visible .entry %s() {} ", plan.kernels[k].entry);
    }
    for (uint32_t k = 0; k < plan.kernel_count; k++) plan.kernels[k].code = code, plan.kernels[k].code_bytes = strlen(code);
    return msw_kernel_load(context, &plan, kernel, diag);
}

/* While a stream is captured, in the strictest mode, too. */
static void test_captured_enqueues_are_quiet(void **state)
{
    msw_kernel *kernel = load("pairs", "onesweep");
    (void)state;
    fake->is_capturing = 1;
    initialise_quietly(kernel);
    assert_true(enqueue_quietly(kernel, 1 << 24, DIRTY | N_ON_DEVICE));
    fake->is_capturing = 0;
    msw_kernel_destroy(kernel);
}

static int close_all(void **state)
{
    (void)state;
    msw_spec_destroy(spec);
    msw_context_destroy(context);
    expect_nothing_alive();
    return allocations.live_blocks != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_watch), cmocka_unit_test(test_enqueues_are_quiet),
                                       cmocka_unit_test(test_captured_enqueues_are_quiet)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
