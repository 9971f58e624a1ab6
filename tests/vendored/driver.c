/* What a vendored header asks of the CUDA driver, told by the fake one (tests/fake_cuda.c); beside the library's own headers. */
#include "kernels_cuda.h"
#include "second_cuda.h"

#include "fake_cuda.h"

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

/* Each call of a create fails in turn: nothing stays loaded. */
static void check_failures(void)
{
    pairs_kernel kernel;
    int result = 1, calls = 0;
    while (result) {
        fake->failing_call = fake->call_count + ++calls;
        fake->fail_code = CUDA_ERROR_OUT_OF_MEMORY;
        result = pairs_create(&kernel);
        EXPECT(result == (fake->modules ? 0 : CUDA_ERROR_OUT_OF_MEMORY));
        EXPECT(calls < 100);
    }
    fake->failing_call = 0;
    EXPECT(calls > 3 * (int)kernel.loaded.plan->kernel_count);
    EXPECT(fake->modules == kernel.loaded.plan->kernel_count);
    pairs_destroy(&kernel);
    pairs_destroy(&kernel);
    EXPECT(fake->modules == 0);
}

static void check_launches(void)
{
    static const char *const kernels[] = {"zero_scratch", "sort_histogram", "sort_starts", "sort_pass", "sort_pass", "sort_pass", "sort_pass"};
    pairs_kernel kernel;
    pairs_arguments arguments;
    const msw_plan *plan;
    uint32_t k, i;
    EXPECT(pairs_create(&kernel) == 0);
    plan = kernel.loaded.plan;
    memset(&arguments, 0, sizeof arguments);
    arguments.n = 1000000;
    arguments.keys = 1 << 20;
    arguments.keys_out = 2 << 20;
    arguments.values = 3 << 20;
    arguments.values_out = 4 << 20;
    arguments.scratch = 5 << 20;
    EXPECT(pairs_enqueue(&kernel, NULL, &arguments) == MSW_LAUNCH_TOO_SMALL);
    arguments.scratch_bytes = pairs_scratch_bytes(&kernel, arguments.n);
    arguments.values++;
    EXPECT(pairs_enqueue(&kernel, NULL, &arguments) == MSW_LAUNCH_UNALIGNED);
    arguments.values--;
    EXPECT(fake->launch_count == 0);
    arguments.flags = MSW_SCRATCH_DIRTY;
    EXPECT(pairs_enqueue(&kernel, NULL, &arguments) == 0);
    EXPECT(fake->launch_count == 7);
    for (i = 0; i < 7; i++) {
        const fake_launch *launch = &fake->launches[i];
        for (k = 0; strcmp(plan->kernels[k].entry, kernels[i]); k++) EXPECT(k + 1 < plan->kernel_count);
        EXPECT(strcmp(launch->kernel, kernels[i]) == 0);
        EXPECT(launch->grid[0] > 0 && launch->grid[1] == 1 && launch->grid[2] == 1);
        EXPECT(launch->block[0] == plan->kernels[k].block_threads && launch->shared_bytes == plan->kernels[k].dynamic_shared_bytes);
        EXPECT(launch->params.scratch == arguments.scratch);
        if (i == 0) continue;
        EXPECT(launch->params.n == arguments.n && launch->params.argument == (i < 3 ? 0 : i - 3));
        EXPECT(launch->params.buffer[0] == arguments.keys && launch->params.buffer[1] == arguments.values);
        EXPECT(launch->params.buffer[2] == arguments.keys_out && launch->params.buffer[3] == arguments.values_out);
    }
    pairs_destroy(&kernel);
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
    arguments.in = 1 << 20;
    arguments.out = 2 << 20;
    arguments.scratch = 3 << 20;
    arguments.scratch_bytes = second_scratch_bytes(&kernel, arguments.n);
    arguments.flags = MSW_SCRATCH_DIRTY;
    EXPECT(second_enqueue(&kernel, NULL, &arguments) == 0);
    EXPECT(!launch[-1].is_cooperative && launch->is_cooperative && launch->grid[0] == 2 * FAKE_MULTIPROCESSORS);
    second_destroy(&kernel);
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
    return 0;
}
