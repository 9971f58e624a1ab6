/* Running a plan: on the device's own stream, or enqueued on the caller's. */
#include "device.h"

#include "../../runtime/objects.h"

typedef struct enqueueing {
    const ms_device *device;
    const ms_module *module;
    const msw_plan *plan;
    CUstream stream;
    uint32_t max_cluster_blocks; /* blocks of the largest cluster that the stream's multiprocessors hold */
    int is_later;                /* something has been enqueued that the next kernel waits for */
} enqueueing;

/* That the stream's work may use: a green context's has fewer than its device, and a launch for more of them would fail, or end a capture. */
static uint32_t count_multiprocessors(const ms_device *device, CUstream stream)
{
    const ms_cu_functions *cu = &device->cu;
    ms_cu_resource resource = {.type = MS_CU_DEV_RESOURCE_SM};
    CUgreenCtx green = NULL;
    if (!cu->StreamGetGreenCtx || !cu->GreenCtxGetDevResource || cu->StreamGetGreenCtx(stream, &green) != MS_CU_SUCCESS || !green)
        return device->multiprocessors;
    if (cu->GreenCtxGetDevResource(green, &resource, MS_CU_DEV_RESOURCE_SM) != MS_CU_SUCCESS || !resource.multiprocessors)
        return device->multiprocessors;
    return resource.multiprocessors < device->multiprocessors ? resource.multiprocessors : device->multiprocessors;
}

/* The largest cluster that may be launched on this stream. What a part of the context's multiprocessors has room for is not known: none there. */
static uint32_t find_max_cluster_blocks(const msw_kernel *kernel, CUstream stream, const msw_enqueue_desc *desc)
{
    const msw_plan *plan = &kernel->plan;
    const ms_device *device = kernel->context->device;
    const uint32_t most = device->info.target.max_cluster_blocks;
    const msw_plan_variant *variant = msw_launch_variant(plan, desc->n, msw_launch_mode_of(plan, desc), most);
    if (!variant || !msw_launch_cluster(plan, variant)) return most;
    return count_multiprocessors(device, stream) < device->multiprocessors ? 0 : most;
}

/* All blocks run at once: no more than there is room for, or, where the driver does not tell that (before CUDA 12.4, or of limits that it does not
 * name), half as many until it takes them. Any number of them serves. */
static int enqueue_cooperative(const enqueueing *e, uint32_t kernel, uint32_t blocks, void **parameters)
{
    const msw_plan_kernel *k = &e->plan->kernels[kernel];
    const uint32_t held = e->module->held_blocks[kernel] * count_multiprocessors(e->device, e->stream);
    ms_cu_result result = MS_CU_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    for (blocks = blocks < held ? blocks : held; blocks && result == MS_CU_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE; blocks /= 2)
        result = e->device->cu.LaunchCooperativeKernel(e->module->functions[kernel], blocks, 1, 1, k->block_threads, 1, 1, k->dynamic_shared_bytes,
                                                       e->stream, parameters);
    return (int)result;
}

/* The kernel waits for those before it: it may begin when none of their blocks is still to begin. */
static int enqueue_early(const enqueueing *e, uint32_t kernel, uint32_t blocks, void **parameters)
{
    const msw_plan_kernel *k = &e->plan->kernels[kernel];
    ms_cu_launch_attribute attribute = {.id = MS_CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, .value.number = 1};
    const ms_cu_launch_config config = {blocks, 1, 1, k->block_threads, 1, 1, k->dynamic_shared_bytes, e->stream, &attribute, 1};
    return (int)e->device->cu.LaunchKernelEx(&config, e->module->functions[kernel], parameters, NULL);
}

static int enqueue_kernel(void *user, uint32_t kernel, uint32_t blocks, const msw_params *params)
{
    const enqueueing *e = user;
    msw_params copy = *params;
    void *parameters[] = {&copy}; /* read before the call returns */
    const ms_cu_functions *cu = &e->device->cu;
    const msw_plan_kernel *k = &e->plan->kernels[kernel];
    const CUfunction function = e->module->functions[kernel];
    if (k->is_cooperative) return enqueue_cooperative(e, kernel, blocks, parameters);
    if (k->begins_early && e->is_later && e->device->begins_early) return enqueue_early(e, kernel, blocks, parameters);
    return (int)cu->LaunchKernel(function, blocks, 1, 1, k->block_threads, 1, 1, k->dynamic_shared_bytes, e->stream, parameters, NULL);
}

/* A stream runs one kernel after the other, but for those that wait themselves. */
static void note_barrier(void *user) { ((enqueueing *)user)->is_later = 1; }

static msw_result check_launch(const ms_device *device, int launched, msw_diag *diag)
{
    return launched == MS_CU_SUCCESS ? MSW_OK : ms_cu_fail(&device->cu, diag, (ms_cu_result)launched, "cuLaunchKernel");
}

/* The description has passed ms_enqueue_check; the context is current. */
static msw_result enqueue(enqueueing *e, const msw_enqueue_desc *desc, msw_diag *diag)
{
    const msw_launch_ops ops = {e, enqueue_kernel, note_barrier, e->max_cluster_blocks};
    return check_launch(e->device, msw_launch_enqueue(e->plan, desc, &ops), diag);
}

static msw_result record(const ms_device *device, CUevent event, msw_diag *diag)
{
    const ms_cu_result result = device->cu.EventRecord(event, device->stream);
    return result == MS_CU_SUCCESS ? MSW_OK : ms_cu_fail(&device->cu, diag, result, "cuEventRecord");
}

static msw_result read_seconds(const ms_device *device, double *seconds, msw_diag *diag)
{
    float milliseconds = 0;
    const ms_cu_result result = device->cu.EventElapsedTime(&milliseconds, device->start, device->end);
    if (result != MS_CU_SUCCESS) return ms_cu_fail(&device->cu, diag, result, "cuEventElapsedTime");
    *seconds = (double)milliseconds * 1e-3;
    return MSW_OK;
}

/* Waits for what was enqueued since the start was recorded. */
static msw_result end_timed(ms_device *device, double *seconds, msw_diag *diag)
{
    msw_result result = record(device, device->end, diag);
    if (result == MSW_OK) result = ms_cu_wait(device, diag);
    return result == MSW_OK ? read_seconds(device, seconds, diag) : result;
}

msw_result ms_cu_run(ms_device *device, ms_module *module, const msw_plan *plan, const msw_enqueue_desc *desc, double *seconds, msw_diag *diag)
{
    enqueueing e = {device, module, plan, device->stream, device->info.target.max_cluster_blocks, 0};
    msw_result result = ms_cu_enter(device, diag);
    if (result != MSW_OK) return result;
    result = record(device, device->start, diag);
    if (result == MSW_OK) result = enqueue(&e, desc, diag);
    if (result == MSW_OK) result = end_timed(device, seconds, diag);
    return ms_cu_leave(device, result, diag);
}

msw_result ms_cu_memory_copy(ms_device *device, ms_memory *to, ms_memory *from, uint64_t size_bytes, double *seconds, msw_diag *diag)
{
    msw_result result = ms_cu_enter(device, diag);
    if (result != MSW_OK) return result;
    result = record(device, device->start, diag);
    if (result == MSW_OK) {
        const ms_cu_result copied = device->cu.MemcpyDtoDAsync(to->address, from->address, (size_t)size_bytes, device->stream);
        if (copied != MS_CU_SUCCESS) result = ms_cu_fail(&device->cu, diag, copied, "cuMemcpyDtoDAsync");
    }
    if (result == MSW_OK) result = end_timed(device, seconds, diag);
    return ms_cu_leave(device, result, diag);
}

/* The context is current. */
static msw_result initialise(enqueueing *e, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag)
{
    const msw_launch_ops ops = {e, enqueue_kernel, note_barrier, e->max_cluster_blocks};
    return check_launch(e->device, msw_launch_init(e->plan, scratch, scratch_bytes, &ops), diag);
}

msw_result ms_cu_scratch_init(ms_device *device, ms_module *module, const msw_plan *plan, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag)
{
    enqueueing e = {device, module, plan, device->stream, 0, 0};
    msw_result result = ms_cu_enter(device, diag);
    if (result != MSW_OK) return result;
    result = initialise(&e, scratch, scratch_bytes, diag);
    if (result == MSW_OK) result = ms_cu_wait(device, diag);
    return ms_cu_leave(device, result, diag);
}

msw_result msw_cuda_enqueue(msw_kernel *kernel, CUstream stream, const msw_enqueue_desc *given, msw_diag *diag)
{
    msw_enqueue_desc desc;
    msw_result result = ms_kernel_check("msw_cuda_enqueue", kernel, &ms_backend_cuda, diag);
    if (result == MSW_OK) result = ms_enqueue_read(given, &desc, diag);
    if (result != MSW_OK) return result;
    ms_scratch_take(kernel, stream, &desc);
    result = ms_enqueue_check(&kernel->plan, &desc, 0, diag);
    if (result == MSW_OK) result = ms_cu_enter(kernel->context->device, diag);
    if (result != MSW_OK) return result;
    enqueueing e = {kernel->context->device, kernel->module, &kernel->plan, stream, find_max_cluster_blocks(kernel, stream, &desc), 0};
    result = ms_ready_check(kernel, &desc, e.max_cluster_blocks, diag);
    if (result == MSW_OK) result = enqueue(&e, &desc, diag);
    result = ms_cu_leave(kernel->context->device, result, diag);
    return result == MSW_OK ? ms_ok(diag) : result;
}

msw_result msw_cuda_scratch_init(msw_kernel *kernel, CUstream stream, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag)
{
    msw_result result = ms_kernel_check("msw_cuda_scratch_init", kernel, &ms_backend_cuda, diag);
    if (result == MSW_OK) result = ms_scratch_init_check("msw_cuda_scratch_init", &kernel->plan, scratch, scratch_bytes, diag);
    if (result == MSW_OK) result = ms_cu_enter(kernel->context->device, diag);
    if (result != MSW_OK) return result;
    result = initialise(&(enqueueing){kernel->context->device, kernel->module, &kernel->plan, stream, 0, 0}, scratch, scratch_bytes, diag);
    result = ms_cu_leave(kernel->context->device, result, diag);
    return result == MSW_OK ? ms_ok(diag) : result;
}

msw_result msw_cuda_scratch_reserve(msw_kernel *kernel, CUstream stream, uint64_t scratch_bytes, msw_diag *diag)
{
    const msw_result result = ms_kernel_check("msw_cuda_scratch_reserve", kernel, &ms_backend_cuda, diag);
    if (result != MSW_OK) return result;
    if ((uintptr_t)stream == MS_CU_STREAM_PER_THREAD)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch",
                       "msw_cuda_scratch_reserve: the per-thread default stream is another one in every "
                       "thread; take a stream of your own");
    return ms_scratch_reserve(kernel, stream, scratch_bytes, diag);
}

void msw_cuda_scratch_release(msw_kernel *kernel, CUstream stream)
{
    if (kernel) ms_scratch_release(kernel, stream);
}
