/* Enqueueing on a fake libcuda (tests/support/fake_cuda.c): what is launched with which parameters, capture, threads. */
#include "fake_driver.h"

#include "../../runtime/objects.h"

#include <monosweep/monosweep_measure.h>

#include <pthread.h>

static void expect_launch(int64_t index, const char *kernel, unsigned blocks, unsigned threads, CUstream stream, const msw_params *params)
{
    const fake_launch *l = &fake->launches[index];
    assert_true(index < fake->launch_count);
    assert_string_equal(l->kernel, kernel);
    assert_int_equal(l->grid[0], blocks);
    assert_int_equal(l->block[0], threads);
    assert_true(l->grid[1] == 1 && l->grid[2] == 1 && l->block[1] == 1 && l->block[2] == 1 && l->shared_bytes == 0 && l->stream == stream);
    assert_memory_equal(&l->params, params, sizeof *params);
}

static void test_launch_parameters(void **state)
{
    const uint64_t n = ((uint64_t)1 << 40) + 1;
    msw_context *context = opened(application_context(0));
    msw_kernel *kernel = load_kernel(context);
    msw_enqueue_desc desc = describe(n);
    msw_params params = {.n = n,
                         .n_address = 0x2008,
                         .scratch = desc.scratch,
                         .carry_in = 0x3000,
                         .carry_out = 0x1000,
                         .buffer = {1000, desc.buffers[1]},
                         .argument = 11};
    msw_params clear = {.n = desc.scratch_bytes - 256, .scratch = desc.scratch, .argument = 33}; /* all of it, up to what can be counted */
    msw_diag diag;
    (void)state;
    _Static_assert(sizeof(msw_params) == 120, "the kernels' parameter");
    desc.n_address = 0x2008;
    desc.carry_in = 0x3000;
    desc.buffers[0] = 1000;
    desc.flags = MSW_SCRATCH_DIRTY;
    check(msw_cuda_enqueue(kernel, NULL, &desc, &diag), &diag);
    assert_int_equal(fake->launch_count, 3);
    expect_launch(0, "clear", 1, 512, NULL, &clear);
    expect_launch(1, "first", 3, 128, NULL, &params); /* as many blocks as the step has at most */
    params.argument = 22;
    expect_launch(2, "second", (1u << 30) + 1, 256, NULL, &params); /* one for each tile of 1024 */
    assert_ptr_equal(fake->launches[0].context, application_context(0));
    check(msw_cuda_scratch_init(kernel, NULL, desc.scratch, 64, &diag), &diag);
    assert_int_equal(fake->launch_count, 4);
    clear.n = 64;
    expect_launch(3, "clear", 1, 512, NULL, &clear);
    desc = describe(0);
    check(msw_cuda_enqueue(kernel, NULL, &desc, &diag), &diag);
    assert_int_equal(fake->launches[4].grid[0], 1);
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
}

/* All blocks of a cooperative launch run at once: there are no more than the device holds. */
static void test_cooperative_launch(void **state)
{
    msw_context *context = opened(application_context(0));
    msw_plan plan = make_plan(ptx, sizeof ptx);
    msw_enqueue_desc desc = describe(1024 * 200);
    msw_kernel *kernel;
    msw_diag diag;
    (void)state;
    plan.kernels[1].is_cooperative = 1;
    check(msw_kernel_load(context, &plan, &kernel, &diag), &diag);
    for (unsigned tiles = 200; tiles <= 500; tiles += 300) {
        const int64_t first = fake->launch_count;
        desc.n = 1024 * tiles;
        check(msw_cuda_enqueue(kernel, NULL, &desc, &diag), &diag);
        assert_int_equal(fake->launch_count, first + 2);
        assert_false(fake->launches[first].is_cooperative);
        assert_true(fake->launches[first + 1].is_cooperative);
        assert_int_equal(fake->launches[first + 1].grid[0], tiles < 2 * FAKE_MULTIPROCESSORS ? tiles : 2 * FAKE_MULTIPROCESSORS);
    }
    msw_kernel_destroy(kernel);
    fake->held_blocks = 0;
    expect_failure(msw_kernel_load(context, &plan, &kernel, &diag), &diag, MSW_ERROR_UNSUPPORTED, "no block of it fits");
    fake->held_blocks = 2;
    msw_context_destroy(context);
}

/* Kernels that wait themselves for the launches before them begin early, but for an enqueue's first; not with a driver that knows nothing of it. */
static void test_launches_that_begin_early(void **state)
{
    static const char *const missing[] = {NULL, "cuLaunchKernelEx"};
    msw_plan plan = make_plan(ptx, sizeof ptx);
    (void)state;
    for (uint32_t k = 0; k < plan.kernel_count; k++) plan.kernels[k].begins_early = 1;
    for (size_t m = 0; m < sizeof missing / sizeof *missing; m++) {
        msw_enqueue_desc desc = describe(1024 * 200);
        const int64_t first = fake->launch_count;
        msw_kernel *kernel;
        msw_diag diag;
        hidden = missing[m];
        msw_context *context = opened(application_context(0));
        check(msw_kernel_load(context, &plan, &kernel, &diag), &diag);
        check(msw_cuda_enqueue(kernel, NULL, &desc, &diag), &diag);
        assert_int_equal(fake->launch_count, first + 2);
        assert_false(fake->launches[first].begins_early);
        assert_int_equal(fake->launches[first + 1].begins_early, m == 0);
        msw_kernel_destroy(kernel);
        msw_context_destroy(context);
    }
    hidden = NULL;
}

/* Blocks of the second step, of more tiles than run at once. */
static unsigned cooperative_blocks(msw_kernel *kernel, CUstream stream)
{
    const int64_t first = fake->launch_count;
    const msw_enqueue_desc desc = describe(1024 * 500);
    msw_diag diag;
    check(msw_cuda_enqueue(kernel, stream, &desc, &diag), &diag);
    assert_int_equal(fake->launch_count, first + 2);
    assert_true(fake->launches[first + 1].is_cooperative);
    return fake->launches[first + 1].grid[0];
}

/* A stream that may use a part of the device: it is asked for first, since a launch that fails ends a capture; an older driver cannot be asked. */
static void test_cooperative_launch_on_part_of_a_device(void **state)
{
    static const char *const missing[] = {NULL, "cuStreamGetGreenCtx", "cuGreenCtxGetDevResource", "cuCtxGetDevResource"};
    msw_plan plan = make_plan(ptx, sizeof ptx);
    msw_enqueue_desc desc = describe(1024 * 500);
    msw_diag diag;
    (void)state;
    plan.kernels[1].is_cooperative = 1;
    for (size_t m = 0; m < sizeof missing / sizeof *missing; m++) {
        msw_kernel *kernel;
        hidden = missing[m];
        msw_context *context = opened(application_context(0));
        check(msw_kernel_load(context, &plan, &kernel, &diag), &diag);
        fake->green_multiprocessors = 16;
        const int is_asked = m == 0 || m == 3;
        assert_int_equal(cooperative_blocks(kernel, NULL), is_asked ? 32 : 16); /* 264, 132, 66, 33 fail */
        fake->is_capturing = 1;
        if (is_asked) assert_int_equal(cooperative_blocks(kernel, NULL), 32);
        else expect_failure(msw_cuda_enqueue(kernel, NULL, &desc, &diag), &diag, MSW_ERROR_DEVICE, "cuLaunchKernel");
        fake->is_capturing = fake->is_capture_lost = fake->green_multiprocessors = 0;
        assert_int_equal(cooperative_blocks(kernel, NULL), 2 * FAKE_MULTIPROCESSORS);
        msw_kernel_destroy(kernel);
        msw_context_destroy(context);
        fake->launch_count = 0; /* the first ones are kept */
    }
    for (size_t m = 0; m < 4; m += 3) { /* a context that was limited when it was made */
        msw_kernel *kernel;
        hidden = missing[m];
        fake->context_multiprocessors = 50;
        msw_context *context = opened(application_context(0));
        check(msw_kernel_load(context, &plan, &kernel, &diag), &diag);
        assert_int_equal(cooperative_blocks(kernel, NULL), m == 0 ? 100 : 66);
        fake->context_multiprocessors = 0;
        msw_kernel_destroy(kernel);
        msw_context_destroy(context);
    }
    hidden = NULL;
}

/* make_plan's, and for few elements a variant before it whose one launch is a cluster: of the kernel of the initialisation, for brevity. */
static msw_plan make_cluster_plan(void)
{
    msw_plan plan = make_plan(ptx, sizeof ptx);
    plan.kernel_count = plan.step_count = 4;
    plan.kernels[3] = plan.kernels[1];
    plan.kernels[3].entry = "clear";
    plan.kernels[3].cluster_blocks = 16;
    plan.steps[3] = plan.steps[2];
    plan.steps[2] = (msw_plan_step){.kernel = 3, .tile_items = 1024, .max_blocks = 16, .least_blocks = 16, .argument = 44};
    plan.variant_count = 2;
    plan.variants[1] = plan.variants[0];
    plan.variants[0] = (msw_plan_variant){.n_max = 100000, .first_step = 2, .step_count = 1, .serves_in_place = 1, .strategy = "single_cluster"};
    return plan;
}

/* 1: the enqueue was the one cluster, 0: the two steps; `questions`: of the driver. */
static int is_cluster(msw_kernel *kernel, uint64_t n, int questions)
{
    const int64_t launches = fake->launch_count, calls = fake->call_count;
    const msw_enqueue_desc desc = describe(n);
    msw_diag diag;
    check(msw_cuda_enqueue(kernel, NULL, &desc, &diag), &diag);
    const fake_launch *first = &fake->launches[launches];
    const int made = (int)(fake->launch_count - launches);
    assert_int_equal(made, !strcmp(first->kernel, "clear") ? 1 : 2);
    assert_int_equal(fake->call_count - calls, 2 + made + questions);
    if (made == 1) assert_true(first->grid[0] == 16 && first->is_non_portable && !first->is_cooperative && first->params.argument == 44);
    return made == 1;
}

/* Where there is room for the cluster it is launched; else the next variant is, which the scratch is large enough for, too. */
static void test_clusters(void **state)
{
    static const struct {
        int max_cluster_blocks;
        const char *hidden;
        int is_launched;
    } cases[] = {{16, NULL, 1}, {15, NULL, 0}, {0, NULL, 0}, {16, "cuOccupancyMaxActiveClusters", 0}, {16, "cuStreamGetGreenCtx", 1}};
    enum { PART = 50 };
    const msw_plan plan = make_cluster_plan();
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double seconds, each[MSW_MAX_KERNELS];
        msw_enqueue_desc desc = describe(5000);
        msw_kernel *kernel;
        msw_diag diag;
        fake->context_multiprocessors = PART; /* a whole device is not asked */
        fake->max_cluster_blocks = cases[c].max_cluster_blocks;
        hidden = cases[c].hidden;
        msw_context *context = opened(application_context(0));
        check(msw_kernel_load(context, &plan, &kernel, &diag), &diag);
        const int is_asked = cases[c].is_launched && !hidden;
        assert_int_equal(is_cluster(kernel, 0, is_asked), cases[c].is_launched);
        assert_int_equal(is_cluster(kernel, 100000, is_asked), cases[c].is_launched);
        assert_false(is_cluster(kernel, 100001, 0));
        fake->is_capturing = 1;
        assert_int_equal(is_cluster(kernel, 5000, is_asked), cases[c].is_launched);
        fake->green_multiprocessors = PART; /* all */
        assert_int_equal(is_cluster(kernel, 5000, 2 * is_asked), cases[c].is_launched);
        fake->green_multiprocessors = PART - 2;
        assert_int_equal(is_cluster(kernel, 5000, 2 * is_asked), cases[c].is_launched && !is_asked);
        fake->is_capturing = 0;
        const int64_t first = fake->launch_count;
        desc.scratch_bytes = msw_scratch_bytes(&plan, 5000); /* what the two steps need: 64, and 8 a block */
        assert_int_equal(desc.scratch_bytes, 64 + 8 * 5);
        check(msw_kernel_run(kernel, &desc, &seconds, &diag), &diag); /* on the context's own stream, which has all of the context */
        assert_int_equal(fake->launch_count, first + 2 - cases[c].is_launched);
        check(msw_kernel_profile(kernel, &desc, each, &diag), &diag);
        assert_int_equal(each[3] > 0, cases[c].is_launched);
        assert_int_equal(each[1] > 0, !cases[c].is_launched);
        desc.scratch_bytes--;
        expect_failure(msw_cuda_enqueue(kernel, NULL, &desc, &diag), &diag, MSW_ERROR_TOO_SMALL, "of scratch for n = 5000");
        fake->green_multiprocessors = fake->context_multiprocessors = 0;
        msw_kernel_destroy(kernel);
        msw_context_destroy(context);
        fake->launch_count = 0;
    }
    hidden = NULL;
    expect_nothing_alive();
}

/* Two stages, each of one step, with variants up to 1000 and 2^20 elements. */
static msw_plan make_pipeline_plan(void)
{
    msw_plan plan = make_plan(ptx, sizeof ptx);
    plan.carry_bytes = 0;
    plan.stage_count = 2;
    for (uint32_t s = 0; s < 2; s++) {
        plan.steps[s].stage = s;
        plan.stages[s] = (msw_plan_stage){.name = s ? "second" : "first",
                                          .length = MSW_LENGTH_N,
                                          .scratch_tile_items = 1,
                                          .temporary_tile_items = 1,
                                          .place = s,
                                          .scratch_base_bytes = 64,
                                          .scratch_per_tile_bytes = 8,
                                          .temporary_per_tile_bytes = 4};
        for (uint32_t b = 0; b < MSW_MAX_KERNEL_BUFFERS; b++) plan.stages[s].arrays[b] = b < 2 ? b : MSW_NO_ARRAY;
    }
    plan.variants[0] = (msw_plan_variant){.n_max = 1000, .step_count = 2, .strategy = "stages"};
    plan.variants[1] = plan.variants[0];
    plan.variants[1].n_max = 1 << 20;
    plan.variant_count = 2;
    return plan;
}

/* Where a stage's parts of the scratch lie does not depend on n, nor on whether its kernel is timed by itself. */
static void test_stages_of_variants(void **state)
{
    static const uint64_t sizes[] = {100000, 500, 1000};
    const msw_plan plan = make_pipeline_plan();
    msw_context *context = opened(application_context(0));
    double seconds[MSW_MAX_KERNELS];
    msw_kernel *kernel;
    msw_diag diag;
    (void)state;
    check(msw_kernel_load(context, &plan, &kernel, &diag), &diag);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        msw_enqueue_desc desc = describe(sizes[i]);
        const int64_t first = fake->launch_count;
        desc.carry_out = 0;
        desc.scratch_bytes = msw_scratch_bytes(&plan, 100000);
        check(msw_kernel_run(kernel, &desc, NULL, &diag), &diag);
        check(msw_kernel_profile(kernel, &desc, seconds, &diag), &diag);
        assert_int_equal(fake->launch_count, first + 4);
        for (int64_t l = first; l < first + 4; l++) {
            const msw_params *params = &fake->launches[l].params, *expected = &fake->launches[(l - first) % 2].params;
            assert_true(params->scratch == expected->scratch && params->temporary == expected->temporary);
        }
    }
    assert_true(fake->launches[1].params.scratch > fake->launches[0].params.scratch);
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
    expect_nothing_alive();
}

/* What is needed for an n is the cluster's kernel, but on a part of the device the next variant's: that is still to be loaded here. */
static void test_cluster_before_others_are_loaded(void **state)
{
    const msw_plan plan = make_cluster_plan();
    const msw_enqueue_desc desc = describe(5000);
    msw_context *context = opened(application_context(0));
    msw_kernel *kernel;
    msw_diag diag;
    (void)state;
    check(msw_kernel_load(context, &plan, &kernel, &diag), &diag);
    atomic_fetch_and(&kernel->loaded, ~(uint64_t)1);
    assert_true(msw_kernel_is_ready(kernel, 5000, 0));
    assert_false(msw_kernel_is_ready(kernel, 100001, 0));
    assert_true(is_cluster(kernel, 5000, 1));
    fake->green_multiprocessors = 16;
    expect_failure(msw_cuda_enqueue(kernel, NULL, &desc, &diag), &diag, MSW_ERROR_NOT_READY,
                   "kernel 'first', which n = 5000 takes on a stream with a part of the device, is not on the device yet; call "
                   "msw_kernel_wait(kernel, UINT64_MAX, 0, ..) before the enqueue");
    assert_int_equal(fake->launch_count, 1);
    atomic_fetch_and(&kernel->loaded, ~(uint64_t)8);
    fake->green_multiprocessors = 0;
    expect_failure(msw_cuda_enqueue(kernel, NULL, &desc, &diag), &diag, MSW_ERROR_NOT_READY,
                   "kernel 'clear', which n = 5000 takes, is not on the device yet; call msw_kernel_wait(kernel, 5000, 0, ..) before the enqueue");
    atomic_fetch_or(&kernel->loaded, 9);
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
    expect_nothing_alive();
}

/* A kernel of the plan that begins early does so as a cluster, too: its text says how many blocks a cluster has. */
static void test_cluster_that_begins_early(void **state)
{
    msw_plan plan = make_cluster_plan();
    const msw_enqueue_desc desc = describe(5000);
    msw_context *context = opened(application_context(0));
    msw_kernel *kernel;
    msw_diag diag;
    (void)state;
    plan.kernels[3].begins_early = 1;
    plan.steps[2].repeats = 1;
    check(msw_kernel_load(context, &plan, &kernel, &diag), &diag);
    check(msw_cuda_enqueue(kernel, NULL, &desc, &diag), &diag);
    assert_int_equal(fake->launch_count, 2);
    for (int l = 0; l < 2; l++) assert_true(fake->launches[l].grid[0] == 16 && fake->launches[l].begins_early == l);
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
}

/* Each launch of an enqueue fails in turn: the code says so, and what follows is whole; what is not launched is the kernels' affair
 * (scratch_cases.h). */
static void test_launches_that_fail(void **state)
{
    msw_context *context = opened(application_context(0));
    msw_plan plan = make_plan(ptx, sizeof ptx);
    msw_enqueue_desc desc = describe(5000);
    msw_kernel *kernel;
    msw_diag diag;
    (void)state;
    plan.steps[0].repeats = 2;
    plan.steps[0].joined = 1;
    desc.flags = MSW_SCRATCH_DIRTY;
    check(msw_kernel_load(context, &plan, &kernel, &diag), &diag);
    for (int64_t launch = 0; launch < 7; launch++) {
        const int64_t before = fake->launch_count;
        fake->failing_call = fake->call_count + 2 + launch; /* after the context is pushed */
        fake->fail_code = 999;
        expect_failure(msw_cuda_enqueue(kernel, NULL, &desc, &diag), &diag, MSW_ERROR_DEVICE, "cuLaunchKernel");
        assert_int_equal(fake->launch_count, before + launch);
        check(msw_cuda_enqueue(kernel, NULL, &desc, &diag), &diag);
        assert_int_equal(fake->launch_count, before + launch + 7);
        fake->launch_count = 0;
    }
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
    expect_nothing_alive();
}

static void test_bad_enqueues(void **state)
{
    const msw_context_desc host = {.struct_size = sizeof host, .device = "host"};
    msw_context *context = opened(NULL), *other;
    const msw_kernel_desc sums = {.struct_size = sizeof sums, .spec_text = "return scan { monoid = sum(u32) }"};
    msw_kernel *kernel = load_kernel(context), *foreign;
    msw_enqueue_desc desc = describe(5000);
    msw_diag diag;
    (void)state;
    check(msw_context_create(&host, &other, &diag), &diag);
    check(msw_kernel_create(other, &sums, &foreign, &diag), &diag);
    expect_failure(msw_cuda_enqueue(NULL, NULL, &desc, &diag), &diag, MSW_ERROR_INVALID_ARGUMENT, "kernel is NULL");
    expect_failure(msw_cuda_enqueue(foreign, NULL, &desc, &diag), &diag, MSW_ERROR_INVALID_ARGUMENT,
                   "one of 'host'; load it in a context for \"cuda\"");
    expect_failure(msw_cuda_enqueue(kernel, NULL, NULL, &diag), &diag, MSW_ERROR_INVALID_ARGUMENT, "msw_enqueue_desc is NULL");
    expect_failure(msw_cuda_scratch_init(kernel, NULL, 8, 64, &diag), &diag, MSW_ERROR_INVALID_ARGUMENT, "not aligned to 16");
    expect_failure(msw_cuda_scratch_init(kernel, NULL, 0, 64, &diag), &diag, MSW_ERROR_INVALID_ARGUMENT, "scratch is 0");
    expect_failure(msw_cuda_scratch_init(foreign, NULL, 1024, 64, &diag), &diag, MSW_ERROR_INVALID_ARGUMENT, "one of 'host'");
    for (int s = 0; s < 4; s++) {
        static const uint32_t sizes[] = {0, sizeof desc - 8, (1 << 14) + 1, UINT32_MAX};
        desc.struct_size = sizes[s];
        expect_failure(msw_cuda_enqueue(kernel, NULL, &desc, &diag), &diag, MSW_ERROR_VERSION, "set it to sizeof(msw_enqueue_desc)");
    }
    desc = describe(5000);
    desc.scratch_bytes = 64;
    expect_failure(msw_cuda_enqueue(kernel, NULL, &desc, &diag), &diag, MSW_ERROR_TOO_SMALL, "of scratch for n = 5000");
    assert_int_equal(fake->launch_count, 0);
    msw_kernel_destroy(foreign);
    msw_context_destroy(other);
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
}

/* Steps that are repeated with one after them, as a sort's: by turns, each dispatch with an argument of its own. */
static void test_repeated_steps(void **state)
{
    msw_context *context = opened(application_context(0));
    msw_plan plan = make_plan(ptx, sizeof ptx);
    const msw_enqueue_desc desc = describe(5000);
    msw_kernel *kernel;
    msw_diag diag;
    (void)state;
    plan.steps[0].repeats = 2;
    plan.steps[0].joined = 1;
    check(msw_kernel_load(context, &plan, &kernel, &diag), &diag);
    for (int enqueue = 0; enqueue < 2; enqueue++) check(msw_cuda_enqueue(kernel, NULL, &desc, &diag), &diag);
    assert_int_equal(fake->launch_count, 12);
    for (uint32_t l = 0; l < 12; l++) {
        assert_string_equal(fake->launches[l].kernel, l % 2 ? "second" : "first");
        assert_int_equal(fake->launches[l].params.argument, (l % 2 ? 22 : 11) + l % 6 / 2);
    }
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
}

/* While a stream is captured, the strictest mode forbids whatever allocates or waits, in any thread. */
static void test_capture(void **state)
{
    msw_context *context = opened(application_context(0));
    msw_kernel *kernel = load_kernel(context);
    msw_enqueue_desc desc = describe(5000);
    msw_diag diag;
    (void)state;
    fake->is_capturing = 1;
    desc.flags = MSW_SCRATCH_DIRTY;
    const int64_t before = fake->call_count;
    check(msw_cuda_scratch_init(kernel, NULL, desc.scratch, desc.scratch_bytes, &diag), &diag);
    check(msw_cuda_enqueue(kernel, NULL, &desc, &diag), &diag);
    assert_int_equal(fake->launch_count, 4);
    assert_int_equal(fake->call_count - before, 4 + 2 * 2); /* launches, and the context made current and back */
    fake->is_capturing = 0;
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
    expect_nothing_alive();
}

/* ---- reserved scratch ---- */

/* The driver's function by its name, of this type. */
#define DRIVER(name, type) ((type)find_symbol(library, name))

/* A stream of the application's context. */
static CUstream make_stream(void)
{
    CUstream stream = NULL;
    CUcontext popped;
    assert_int_equal(DRIVER("cuCtxPushCurrent_v2", ms_cu_result(*)(CUcontext))(application_context(0)), MS_CU_SUCCESS);
    assert_int_equal(DRIVER("cuStreamCreate", ms_cu_result(*)(CUstream *, unsigned))(&stream, 0), MS_CU_SUCCESS);
    assert_int_equal(DRIVER("cuCtxPopCurrent_v2", ms_cu_result(*)(CUcontext *))(&popped), MS_CU_SUCCESS);
    return stream;
}

static void destroy_stream(CUstream stream)
{
    CUcontext popped;
    assert_int_equal(DRIVER("cuCtxPushCurrent_v2", ms_cu_result(*)(CUcontext))(application_context(0)), MS_CU_SUCCESS);
    assert_int_equal(DRIVER("cuStreamDestroy_v2", ms_cu_result(*)(CUstream))(stream), MS_CU_SUCCESS);
    assert_int_equal(DRIVER("cuCtxPopCurrent_v2", ms_cu_result(*)(CUcontext *))(&popped), MS_CU_SUCCESS);
}

/* What the enqueue's kernels were given. */
static uint64_t used_scratch(msw_kernel *kernel, CUstream stream, uint64_t n)
{
    msw_enqueue_desc desc = describe(n);
    const int64_t before = fake->launch_count;
    msw_diag diag;
    desc.scratch = desc.scratch_bytes = 0;
    desc.flags = MSW_SCRATCH_DIRTY; /* means nothing here */
    check(msw_cuda_enqueue(kernel, stream, &desc, &diag), &diag);
    assert_int_equal(fake->launch_count, before + 2);
    for (int64_t l = before; l < before + 2; l++) assert_ptr_equal(fake->launches[l].stream, stream);
    return fake->launches[before].params.scratch;
}

static void refuse_without(msw_kernel *kernel, CUstream stream, uint64_t n, const char *words)
{
    msw_enqueue_desc desc = describe(n);
    const int64_t before = fake->launch_count;
    msw_diag diag;
    desc.scratch = 0;
    expect_failure(msw_cuda_enqueue(kernel, stream, &desc, &diag), &diag, MSW_ERROR_TOO_SMALL, words);
    assert_int_equal(fake->launch_count, before);
}

/* Streams do not share, nor kernels; what is reserved is initialised, all of it, before the call returns, and not on the stream. The made-up plan
 * takes 72 bytes for a tile, and 8 more for each block of the second step. */
static void test_reserved_scratch(void **state)
{
    msw_context *context = opened(application_context(0));
    msw_kernel *kernel = load_kernel(context), *other = load_kernel(context);
    const CUstream streams[] = {NULL, make_stream()};
    uint64_t used[2];
    msw_diag diag;
    (void)state;
    for (int s = 0; s < 2; s++) {
        refuse_without(kernel, streams[s], 1000, "needs 72 bytes of scratch for n = 1000, 0 are given or reserved");
        const int64_t before = fake->launch_count;
        check(msw_cuda_scratch_reserve(kernel, streams[s], 80, &diag), &diag);
        assert_int_equal(fake->launch_count, before + 1);
        assert_string_equal(fake->launches[before].kernel, "clear");
        assert_int_equal(fake->launches[before].params.n, 80);
        assert_true(fake->launches[before].stream != streams[s]);
        assert_string_equal(fake->calls[fake->call_count - 2], "cuStreamSynchronize");
        used[s] = used_scratch(kernel, streams[s], 2000);
        assert_int_equal(used[s], fake->launches[before].params.scratch);
    }
    assert_true(used[0] != used[1]);
    refuse_without(kernel, NULL, 3000, "needs 88 bytes of scratch for n = 3000, 80 are given or reserved");
    refuse_without(other, NULL, 1000, "0 are given or reserved");
    expect_failure(msw_cuda_scratch_reserve(kernel, (CUstream)2, 80, &diag), &diag, MSW_ERROR_INVALID_ARGUMENT, "per-thread default stream");
    destroy_stream(streams[1]);
    msw_kernel_destroy(other);
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
    expect_nothing_alive();
}

/* More comes beside what is there, which graphs still use; less and nothing change nothing; released, all of it goes, of this stream alone. */
static void test_reserving_more(void **state)
{
    msw_context *context = opened(NULL);
    msw_kernel *kernel = load_kernel(context);
    const CUstream other = (CUstream)&kernel; /* a name, which nothing is asked of */
    msw_diag diag;
    (void)state;
    check(msw_cuda_scratch_reserve(kernel, NULL, 80, &diag), &diag);
    check(msw_cuda_scratch_reserve(kernel, other, 80, &diag), &diag);
    const uint64_t small = used_scratch(kernel, NULL, 1000);
    const int64_t before = fake->call_count;
    check(msw_cuda_scratch_reserve(kernel, NULL, 64, &diag), &diag);
    check(msw_cuda_scratch_reserve(kernel, NULL, 0, &diag), &diag);
    check(msw_cuda_scratch_reserve(kernel, NULL, 80, &diag), &diag);
    assert_int_equal(fake->call_count, before);
    assert_int_equal(fake->allocations, 2);
    fake->failing_call = before + 2;
    fake->fail_code = MS_CU_ERROR_OUT_OF_MEMORY;
    expect_failure(msw_cuda_scratch_reserve(kernel, NULL, 800, &diag), &diag, MSW_ERROR_OUT_OF_MEMORY, "cuMemAlloc");
    assert_int_equal(used_scratch(kernel, NULL, 1000), small);
    fake->is_capturing = 1; /* it allocates */
    expect_failure(msw_cuda_scratch_reserve(kernel, NULL, 800, &diag), &diag, MSW_ERROR_DEVICE, "cuMemAlloc");
    assert_int_equal(used_scratch(kernel, NULL, 1000), small);
    fake->is_capturing = 0;
    check(msw_cuda_scratch_reserve(kernel, NULL, 800, &diag), &diag);
    assert_int_equal(fake->allocations, 3);
    assert_true(used_scratch(kernel, NULL, 1000) != small);
    used_scratch(kernel, NULL, 90000);
    msw_cuda_scratch_release(kernel, NULL);
    msw_cuda_scratch_release(kernel, (CUstream)&context);
    assert_int_equal(fake->allocations, 1);
    refuse_without(kernel, NULL, 1000, "0 are given or reserved");
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
    expect_nothing_alive();
}

/* A blocking call keeps its own, apart from the streams', no more than one; after a failure it makes another. */
static void test_scratch_of_blocking_calls(void **state)
{
    static const uint64_t sizes[] = {1000, 900, 90000, 1000};
    static const int64_t launches[] = {3, 2, 3, 2}; /* with its initialisation */
    msw_context *context = opened(NULL);
    msw_kernel *kernel = load_kernel(context);
    msw_diag diag;
    (void)state;
    check(msw_cuda_scratch_reserve(kernel, NULL, 800, &diag), &diag);
    const uint64_t reserved = used_scratch(kernel, NULL, 1000);
    for (int s = 0; s < 4; s++) {
        const int64_t before = fake->launch_count;
        msw_enqueue_desc desc = describe(sizes[s]);
        desc.scratch = 0; /* and nobody reads its size */
        check(msw_kernel_run(kernel, &desc, NULL, &diag), &diag);
        assert_int_equal(fake->launch_count, before + launches[s]);
        assert_int_equal(fake->allocations, 2);
        assert_true(fake->launches[before + 1].params.scratch != reserved);
    }
    msw_enqueue_desc desc = describe(1000);
    desc.scratch = 0;
    fake->failing_call = fake->call_count + 3; /* the first launch, after a push and an event */
    fake->fail_code = 999;
    expect_failure(msw_kernel_run(kernel, &desc, NULL, &diag), &diag, MSW_ERROR_DEVICE, "cuLaunchKernel");
    assert_int_equal(fake->allocations, 1);
    const int64_t before = fake->launch_count;
    check(msw_kernel_run(kernel, &desc, NULL, &diag), &diag);
    assert_int_equal(fake->launch_count, before + 3);
    desc.n = UINT64_MAX / 4;
    expect_failure(msw_kernel_run(kernel, &desc, NULL, &diag), &diag, MSW_ERROR_UNSUPPORTED, "serves up to");
    const int64_t calls = fake->call_count; /* none is made for what will be refused */
    desc.n = 1 << 20;
    desc.flags = MSW_PING_PONG;
    expect_failure(msw_kernel_run(kernel, &desc, NULL, &diag), &diag, MSW_ERROR_UNSUPPORTED, "leave out MSW_PING_PONG");
    desc.flags = 0;
    desc.buffers[0]++;
    expect_failure(msw_kernel_run(kernel, &desc, NULL, &diag), &diag, MSW_ERROR_INVALID_ARGUMENT, "'in': address");
    assert_int_equal(fake->call_count, calls);
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
    expect_nothing_alive();
}

/* ---- threads ---- */

enum { THREADS = 8, ENQUEUES = 500 };

typedef struct worker {
    msw_kernel *kernel;
    CUcontext own; /* current in this thread, of another device */
    CUcontext left;
    int failures;
} worker;

static void *enqueue_many(void *user)
{
    worker *w = user;
    const msw_enqueue_desc desc = describe(5000);
    ms_cu_result (*push)(CUcontext), (*pop)(CUcontext *);
    msw_cuda_function function = find_symbol(library, "cuCtxPushCurrent_v2");
    memcpy(&push, &function, sizeof push);
    function = find_symbol(library, "cuCtxPopCurrent_v2");
    memcpy(&pop, &function, sizeof pop);
    w->failures += push(w->own) != MS_CU_SUCCESS;
    for (int i = 0; i < ENQUEUES; i++) {
        msw_diag diag;
        w->failures += msw_cuda_enqueue(w->kernel, NULL, &desc, &diag) != MSW_OK;
    }
    w->failures += pop(&w->left) != MS_CU_SUCCESS;
    return NULL;
}

static void test_threads(void **state)
{
    msw_context *context = opened(application_context(0));
    msw_kernel *kernel = load_kernel(context);
    pthread_t threads[THREADS];
    worker workers[THREADS];
    (void)state;
    for (int t = 0; t < THREADS; t++) {
        workers[t] = (worker){.kernel = kernel, .own = application_context(1)};
        assert_int_equal(pthread_create(&threads[t], NULL, enqueue_many, &workers[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_join(threads[t], NULL), 0);
        assert_int_equal(workers[t].failures, 0);
        assert_ptr_equal(workers[t].left, application_context(1));
    }
    assert_int_equal(fake->launch_count, 2 * THREADS * ENQUEUES);
    for (int l = 0; l < FAKE_LAUNCHES; l++) assert_ptr_equal(fake->launches[l].context, application_context(0));
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
    expect_nothing_alive();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_launch_parameters, reset),
        cmocka_unit_test_setup(test_repeated_steps, reset),
        cmocka_unit_test_setup(test_cooperative_launch, reset),
        cmocka_unit_test_setup(test_cooperative_launch_on_part_of_a_device, reset),
        cmocka_unit_test_setup(test_launches_that_begin_early, reset),
        cmocka_unit_test_setup(test_clusters, reset),
        cmocka_unit_test_setup(test_stages_of_variants, reset),
        cmocka_unit_test_setup(test_cluster_before_others_are_loaded, reset),
        cmocka_unit_test_setup(test_cluster_that_begins_early, reset),
        cmocka_unit_test_setup(test_launches_that_fail, reset),
        cmocka_unit_test_setup(test_bad_enqueues, reset),
        cmocka_unit_test_setup(test_capture, reset),
        cmocka_unit_test_setup(test_reserved_scratch, reset),
        cmocka_unit_test_setup(test_reserving_more, reset),
        cmocka_unit_test_setup(test_scratch_of_blocking_calls, reset),
        cmocka_unit_test_setup(test_threads, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
