/* Runs an operation by its plan for Vulkan, and enqueues it by its plan for CUDA on the driver in the file that is named: a fake one. */
#include "fake_cuda.h"
#include "sum_plans.h"
#include <dlfcn.h>
#include <monosweep/monosweep_cuda.h>
#include <stdio.h>
#include <string.h>

static msw_result run(const char *device, uint32_t *y, msw_diag *diag)
{
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = device};
    const uint32_t x[3] = {1, 20, 300};
    msw_context *context = NULL;
    msw_kernel *kernel = NULL;
    msw_result result = msw_context_create(&desc, &context, diag);
    if (!result) result = msw_kernel_load_any(context, total_plans, &kernel, diag);
    if (!result) result = msw_kernel_run_host(kernel, 3, (const void *[]){x}, (void *[]){y}, NULL, diag);
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
    return result;
}

static msw_cuda_function find(void *driver, const char *name)
{
    void *symbol = dlsym(driver, name);
    msw_cuda_function function;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

/* With scratch that the context reserves; addresses need not exist. */
static msw_result enqueue(void *driver, msw_diag *diag)
{
    const msw_cuda_device objects = {.struct_size = sizeof objects, .get_proc_address = find, .user = driver};
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "cuda", .vendor = &objects};
    const msw_enqueue_desc work = {.struct_size = sizeof work, .n = 1 << 24, .buffers = {(uint64_t)1 << 40, (uint64_t)1 << 50}};
    msw_context *context = NULL;
    msw_kernel *kernel = NULL;
    msw_result result = msw_context_create(&desc, &context, diag);
    if (!result) result = msw_kernel_load_any(context, total_plans, &kernel, diag);
    if (!result) result = msw_cuda_scratch_reserve(kernel, NULL, msw_scratch_bytes(msw_kernel_plan(kernel), work.n), diag);
    if (!result) result = msw_cuda_enqueue(kernel, NULL, &work, diag);
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
    return result;
}

static int has_ptx(void)
{
    int has = 0;
    for (const msw_plan *const *plan = total_plans; *plan; plan++)
        has |= (*plan)->backend == MSW_BACKEND_CUDA && strstr((*plan)->kernels[0].code, ".entry");
    return has;
}

int main(int count, char **arguments)
{
    void *driver = dlopen(count > 1 ? arguments[1] : "", RTLD_NOW);
    uint32_t y = 0;
    msw_diag diag;
    if (!driver) return puts("the driver's file is not there"), 1;
    fake_cuda *fake = ((fake_cuda_state_function)find(driver, "fake_cuda_state"))();
    fake->device_count = 1;
    fake->capability[0] = 75;
    fake->function_threads = 1024;
    if (run("vulkan", &y, &diag)) return puts(diag.message), 1;
    printf("Vulkan: %u\n", y);
    if (enqueue(driver, &diag)) return puts(diag.message), 1;
    const fake_launch *last = fake->launch_count > 0 && fake->launch_count <= FAKE_LAUNCHES ? &fake->launches[fake->launch_count - 1] : NULL;
    const int is_whole = last && last->params.n == 1 << 24 && last->params.scratch && !fake->allocations;
    printf("CUDA: %s, %s\n", has_ptx() ? "PTX" : "none", is_whole ? "enqueued" : "wrong");
    return 0;
}
