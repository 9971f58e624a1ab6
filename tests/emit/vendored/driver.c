/* What a vendored header asks of the CUDA driver, told by the fake one (tests/support/fake_cuda.c); beside the library's own headers. */
#define KERNELS_CUDA_IMPLEMENTATION
#define SECOND_CUDA_IMPLEMENTATION
#include "kernels_cuda.h"
#include "second_cuda.h"

#include "fake_cuda.h"
#include "refusals.h"

#include <monosweep/monosweep_cuda.h>

#include <stdio.h>
#include <stdlib.h>

fake_cuda *fake_cuda_state(void);

static fake_cuda *fake;

#define EXPECT(condition) expect(condition, #condition)

static void expect(int holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "not so: %s\n", what);
    exit(1);
}

/* Each call of a create fails in turn: nothing stays loaded. But what would be told of clusters, and of the
 * multiprocessors, is not needed: 8 calls for each such kernel. */
static void check_failures(void)
{
    pairs_kernel kernel;
    int result = 1, calls = 0, is_reached = 1, spared = 0;
    uint32_t k;
    while (is_reached) {
        fake->failing_call = fake->call_count + ++calls;
        fake->fail_code = CUDA_ERROR_OUT_OF_MEMORY;
        result = pairs_create(&kernel);
        is_reached = fake->call_count >= fake->failing_call;
        EXPECT(result == (fake->modules ? 0 : CUDA_ERROR_OUT_OF_MEMORY));
        EXPECT(calls < 400);
        if (!is_reached || result) continue;
        spared++;
        pairs_destroy(&kernel);
        EXPECT(fake->modules == 0);
    }
    fake->failing_call = 0;
    EXPECT(result == 0);
    for (k = 0; k < kernel.loaded.plan->kernel_count; k++)
        if (kernel.loaded.plan->kernels[k].cluster_blocks) spared -= 8;
    EXPECT(spared <= 0);
    EXPECT(calls > 3 * (int)kernel.loaded.plan->kernel_count);
    EXPECT(fake->modules == kernel.loaded.plan->kernel_count);
    pairs_destroy(&kernel);
    pairs_destroy(&kernel);
    EXPECT(fake->modules == 0);
}

static void check_launches(void)
{
    static const char *const kernels[] = {"zero_scratch", "sort_histogram_few", "sort_starts_few", "sort_passes_few"};
    pairs_kernel kernel;
    pairs_arguments arguments;
    const msw_plan *plan;
    uint32_t k, i;
    EXPECT(pairs_create(&kernel) == 0);
    plan = kernel.loaded.plan;
    memset(&arguments, 0, sizeof arguments);
    arguments.n = 200000;
    arguments.keys = 1 << 24;
    arguments.keys_out = 2 << 24;
    arguments.values = 3 << 24;
    arguments.values_out = 4 << 24;
    arguments.scratch = 5 << 24;
    EXPECT(pairs_enqueue(&kernel, NULL, &arguments) == MSW_LAUNCH_TOO_SMALL);
    arguments.scratch_bytes = pairs_scratch_bytes(&kernel, arguments.n);
    arguments.values++;
    EXPECT(pairs_enqueue(&kernel, NULL, &arguments) == MSW_LAUNCH_UNALIGNED);
    arguments.values--;
    EXPECT(fake->launch_count == 0);
    arguments.flags = MSW_SCRATCH_DIRTY;
    EXPECT(pairs_enqueue(&kernel, NULL, &arguments) == 0);
    EXPECT(fake->launch_count == 4);
    for (i = 0; i < 4; i++) {
        const fake_launch *launch = &fake->launches[i];
        for (k = 0; strcmp(plan->kernels[k].entry, kernels[i]); k++) EXPECT(k + 1 < plan->kernel_count);
        EXPECT(strcmp(launch->kernel, kernels[i]) == 0);
        EXPECT(launch->grid[0] > 0 && launch->grid[1] == 1 && launch->grid[2] == 1);
        EXPECT(launch->block[0] == plan->kernels[k].block_threads && launch->shared_bytes == plan->kernels[k].dynamic_shared_bytes);
        EXPECT(launch->params.scratch == arguments.scratch);
        if (i == 0) continue;
        EXPECT(launch->params.n == arguments.n && (launch->params.argument & 0x7fff) == 0); /* 0x8000: nothing is partitioned */
        EXPECT(launch->params.buffer[0] == arguments.keys && launch->params.buffer[1] == arguments.values);
        EXPECT(launch->params.buffer[2] == arguments.keys_out && launch->params.buffer[3] == arguments.values_out);
    }
    pairs_destroy(&kernel);
}

/* What a code of the header is in the library. */
static msw_result result_of(int code)
{
    if (code == MSW_LAUNCH_UNSERVED) return MSW_ERROR_UNSUPPORTED;
    if (code == MSW_LAUNCH_TOO_SMALL) return MSW_ERROR_TOO_SMALL;
    return code ? MSW_ERROR_INVALID_ARGUMENT : MSW_OK;
}

/* The same enqueue by the library, of the same plan. */
static void expect_of_library(msw_context *context, const msw_plan *plan, const msw_enqueue_desc *desc, int code, const char *what)
{
    msw_kernel *kernel;
    msw_diag diag;
    expect(msw_kernel_load(context, plan, &kernel, &diag) == MSW_OK, diag.message);
    expect(msw_cuda_enqueue(kernel, NULL, desc, &diag) == result_of(code), what);
    msw_kernel_destroy(kernel);
}

/* Addresses need not exist: the fake runs nothing. */
static void check_refused_scans(msw_context *context)
{
    running_kernel kernel;
    running_arguments good, a;
    int which, expected;
    EXPECT(running_create(&kernel) == 0);
    memset(&good, 0, sizeof good);
    good.n = 1000003;
    good.in = 1 << 24;
    good.out = 2 << 24;
    good.carry_in = 3 << 24;
    good.carry_out = good.carry_in + 16;
    good.scratch = 4 << 24;
    good.scratch_bytes = running_scratch_bytes(&kernel, good.n);
    for (which = 0;; which++) {
        msw_enqueue_desc desc = {.struct_size = sizeof desc};
        const int64_t launches = fake->launch_count;
        char what[64];
        a = good;
        expected = spoil_running(which, &a);
        snprintf(what, sizeof what, "mistake %d of a scan", which);
        expect(running_enqueue(&kernel, NULL, &a) == expected, what);
        EXPECT(!expected == (fake->launch_count > launches));
        desc.flags = a.flags;
        desc.n = a.n;
        desc.n_address = a.n_address;
        desc.buffers[0] = a.in;
        desc.buffers[1] = a.out;
        desc.carry_in = a.carry_in;
        desc.carry_out = a.carry_out;
        desc.scratch = a.scratch;
        desc.scratch_bytes = a.scratch_bytes;
        expect_of_library(context, kernel.loaded.plan, &desc, expected, what);
        if (!expected) break;
    }
    EXPECT(which > 10);
    EXPECT(running_scratch_init(&kernel, NULL, good.scratch + 4, 16) == MSW_LAUNCH_UNALIGNED);
    EXPECT(running_scratch_init(&kernel, NULL, 0, 16) == MSW_LAUNCH_MISSING);
    running_destroy(&kernel);
}

static void check_refused_sorts(msw_context *context)
{
    pairs_kernel kernel;
    pairs_arguments good, a;
    int which, expected;
    EXPECT(pairs_create(&kernel) == 0);
    memset(&good, 0, sizeof good);
    good.n = 1000003;
    good.keys = 1 << 24;
    good.values = 2 << 24;
    good.keys_out = 3 << 24;
    good.values_out = 4 << 24;
    good.scratch = 5 << 24;
    good.scratch_bytes = pairs_scratch_bytes(&kernel, good.n);
    for (which = 0;; which++) {
        msw_enqueue_desc desc = {.struct_size = sizeof desc};
        const int64_t launches = fake->launch_count;
        char what[64];
        a = good;
        expected = spoil_pairs(which, &a);
        snprintf(what, sizeof what, "mistake %d of a sort", which);
        expect(pairs_enqueue(&kernel, NULL, &a) == expected, what);
        EXPECT(!expected == (fake->launch_count > launches));
        desc.flags = a.flags;
        desc.n = a.n;
        desc.buffers[0] = a.keys;
        desc.buffers[1] = a.values;
        desc.buffers[2] = a.keys_out;
        desc.buffers[3] = a.values_out;
        desc.scratch = a.scratch;
        desc.scratch_bytes = a.scratch_bytes;
        expect_of_library(context, kernel.loaded.plan, &desc, expected, what);
        if (!expected) break;
    }
    EXPECT(which > 5);
    pairs_destroy(&kernel);
}

static void check_refusals(void)
{
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "cuda"};
    msw_context *context;
    msw_diag diag;
    expect(msw_context_create(&desc, &context, &diag) == MSW_OK, diag.message);
    check_refused_scans(context);
    check_refused_sorts(context);
    msw_context_destroy(context);
}

/* In a context that was limited when it was made there are no more blocks than it holds: a launch of more would end a capture. */
static void check_limited(const second_arguments *arguments)
{
    second_kernel kernel;
    const fake_launch *launch = &fake->launches[fake->launch_count + 1];
    fake->context_multiprocessors = 50;
    EXPECT(second_create(&kernel) == 0);
    fake->is_capturing = 1;
    EXPECT(second_enqueue(&kernel, NULL, arguments) == 0 && launch->is_cooperative && launch->grid[0] == 100 && !fake->is_capture_lost);
    fake->green_multiprocessors = 60; /* a green context's stream has no more than its context */
    EXPECT(second_enqueue(&kernel, NULL, arguments) == 0 && launch[2].grid[0] == 100 && !fake->is_capture_lost);
    fake->is_capturing = fake->green_multiprocessors = 0;
    second_destroy(&kernel);
    fake->has_no_green = 1; /* an older driver does not tell */
    EXPECT(second_create(&kernel) == 0 && second_enqueue(&kernel, NULL, arguments) == 0 && launch[4].grid[0] == 66); /* 264, 132 fail */
    fake->has_no_green = fake->context_multiprocessors = 0;
    second_destroy(&kernel);
}

/* Of a launch whose blocks wait for each other there are no more than the device holds. */
static void check_cooperative(void)
{
    second_kernel kernel;
    second_arguments arguments;
    const fake_launch *launch = &fake->launches[fake->launch_count + 1];
    fake->held_blocks = 0;
    EXPECT(second_create(&kernel) == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE && fake->modules == 0);
    fake->held_blocks = 2;
    EXPECT(second_create(&kernel) == 0);
    memset(&arguments, 0, sizeof arguments);
    arguments.n = 1 << 30;
    arguments.in = (uint64_t)1 << 40;
    arguments.out = (uint64_t)2 << 40;
    arguments.scratch = (uint64_t)3 << 40;
    arguments.scratch_bytes = second_scratch_bytes(&kernel, arguments.n);
    arguments.flags = MSW_SCRATCH_DIRTY;
    EXPECT(second_enqueue(&kernel, NULL, &arguments) == 0);
    EXPECT(!launch[-1].is_cooperative && launch->is_cooperative && launch->grid[0] == 2 * FAKE_MULTIPROCESSORS);
    fake->green_multiprocessors = 16; /* a stream of a green context */
    fake->is_capturing = 1;
    EXPECT(second_enqueue(&kernel, NULL, &arguments) == 0 && launch[2].grid[0] == 32);
    fake->is_capturing = 0;
    second_destroy(&kernel);
    fake->has_no_green = 1;
    EXPECT(second_create(&kernel) == 0 && second_enqueue(&kernel, NULL, &arguments) == 0 && launch[4].grid[0] == 16); /* 264, 132, 66, 33 fail */
    fake->has_no_green = fake->green_multiprocessors = 0;
    second_destroy(&kernel);
    check_limited(&arguments);
}

/* 1: the enqueue was the one cluster. Addresses need not exist. */
static int is_cluster(const msw_cuda_kernel *kernel, uint64_t n)
{
    const fake_launch *first = &fake->launches[fake->launch_count];
    const msw_plan *plan = kernel->plan;
    msw_enqueue_desc desc = {.struct_size = sizeof desc, .n = n, .scratch = 1 << 24, .scratch_bytes = msw_launch_scratch(plan, n, 0)};
    int is_one;
    for (uint32_t b = 0; b < plan->buffer_count; b++) desc.buffers[b] = (uint64_t)(b + 1) << 40;
    EXPECT(fake->launch_count + 16 < FAKE_LAUNCHES);
    EXPECT(msw_cuda_enqueue_steps(kernel, NULL, &desc) == 0);
    is_one = strcmp(first->kernel, plan->kernels[plan->steps[plan->variants[0].first_step].kernel].entry) == 0;
    EXPECT(is_one == (first->grid[0] == 16 && first->is_non_portable));
    EXPECT(is_one == (&fake->launches[fake->launch_count] == first + 1));
    return is_one;
}

/* A plan whose first variant is a cluster: the next one serves where there is no room for it, or on a part of the multiprocessors. */
static void check_clusters(void)
{
    pairs_kernel kernel;
    msw_cuda_kernel loaded;
    msw_plan plan;
    msw_plan_step *step;
    int64_t calls;
    EXPECT(pairs_create(&kernel) == 0);
    plan = *kernel.loaded.plan;
    pairs_destroy(&kernel);
    fake->launch_count = 0;
    step = &plan.steps[plan.variants[0].first_step];
    EXPECT(plan.variants[0].step_count == 1 && plan.variants[0].n_max >= 1000 && !plan.variants[0].is_ping_pong);
    plan.kernels[step->kernel].cluster_blocks = step->least_blocks = step->max_blocks = 16;
    EXPECT(msw_cuda_load(&plan, &loaded) == 0);
    EXPECT(msw_launch_scratch(&plan, 1000, 0) >= msw_launch_variant_scratch(&plan, msw_launch_variant(&plan, 1000, 0, 0), 1000));
    fake->is_capturing = 1;
    EXPECT(is_cluster(&loaded, 0) && is_cluster(&loaded, 1000));
    calls = fake->call_count;
    EXPECT(!is_cluster(&loaded, 1 << 20)); /* no question is asked */
    for (; calls < fake->call_count; calls++) EXPECT(strcmp(fake->calls[calls], "cuLaunchKernel") == 0);
    fake->green_multiprocessors = FAKE_MULTIPROCESSORS;
    EXPECT(is_cluster(&loaded, 1000));
    fake->green_multiprocessors = FAKE_MULTIPROCESSORS - 2;
    EXPECT(!is_cluster(&loaded, 1000));
    fake->is_capturing = fake->green_multiprocessors = 0;
    msw_cuda_unload(&loaded);
    fake->max_cluster_blocks = 15;
    EXPECT(msw_cuda_load(&plan, &loaded) == 0 && !is_cluster(&loaded, 1000));
    msw_cuda_unload(&loaded);
    fake->max_cluster_blocks = 16;
    for (calls = 1;; calls++) { /* each call of it fails in turn */
        int result;
        fake->failing_call = fake->call_count + calls;
        result = msw_cuda_load(&plan, &loaded);
        if (fake->call_count < fake->failing_call) break;
        fake->failing_call = 0;
        EXPECT(result == (fake->modules ? 0 : CUDA_ERROR_OUT_OF_MEMORY));
        if (!result) EXPECT(is_cluster(&loaded, 1000) == (loaded.max_cluster_blocks == 16));
        msw_cuda_unload(&loaded);
        fake->launch_count = 0;
    }
    fake->failing_call = 0;
    EXPECT(is_cluster(&loaded, 1000));
    msw_cuda_unload(&loaded);
    fake->launch_count = 0;
}

int main(void)
{
    CUcontext context;
    fake = fake_cuda_state();
    fake->device_count = 1;
    fake->capability[0] = 90;
    fake->function_threads = 1024;
    EXPECT(cuInit(0) == CUDA_SUCCESS);
    EXPECT(cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS && cuCtxPushCurrent(context) == CUDA_SUCCESS);
    check_failures();
    check_launches();
    check_cooperative();
    EXPECT(fake->modules == 0);
    printf("%d launches\n", (int)fake->launch_count);
    check_clusters();
    EXPECT(fake->modules == 0);
    check_refusals();
    EXPECT(fake->modules == 0);
    return 0;
}
