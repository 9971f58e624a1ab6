/* vendored.h - what vendored headers for CUDA share: a plan's functions, and its launches on a stream. C11 and C++17; no global state, no allocation.
 *
 *   Language  under nvcc the kernels are the text below, launched through the CUDA runtime; elsewhere they are the code below, where the header was
 *             made with --embed, loaded and launched through the driver (<cuda.h>, -lcuda). One kernel stays with the way that it was created.
 *   Device    the current one (the driver: the current context), when it is created, enqueued and destroyed. Functions are on the device when create
 *             returns, so that a first enqueue may be captured.
 *   Bindings  buffers are device addresses; msw_params, 120 bytes, are the kernel's parameter.
 *   Order     the stream's: work that was enqueued before is seen, work enqueued after sees the results. Nothing is waited for or read back.
 *   Share     a context, or a green context's stream, may have a part of the device's multiprocessors: launches whose blocks wait for each other
 *             (lookahead) have as many blocks as that part holds, where CUDA is 12.5 or later; elsewhere those that are too large are tried again
 *             with half as many, and the first failure ends a capture of the stream. Few keys are sorted by one cluster of blocks (sm_90 and later,
 *             CUDA 12.1). Where create finds no room for it, or the stream has a part of the multiprocessors, the next line of the plan serves: so
 *             its scratch is always needed.
 *   Replay    a captured graph replays any number of times, one replay at a time for one scratch.
 *   Threads   enqueue from any, several at once on one kernel, each with its own scratch.
 *   Errors    functions return 0; a cudaError_t (the driver: a CUresult) above 0, after which earlier steps may have been enqueued, and outputs
 *             hold anything, but the scratch is good for the next enqueue, unless this one was to initialise it; or, before anything is, a
 *             MSW_LAUNCH_ code (launch.h), for what the library would refuse, too. */
#ifndef MSW_CUDA_VENDORED_H
#define MSW_CUDA_VENDORED_H

#include "../../runtime/launch.h"

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#endif
#include <cuda.h>

typedef struct CUstream_st *msw_cuda_stream; /* a cudaStream_t, and a CUstream */

/* A plan loaded on a device. */
typedef struct msw_cuda_kernel {
    const msw_plan *plan;                  /* NULL: not created */
    uint32_t multiprocessors;              /* that the context may use */
    uint32_t max_cluster_blocks;           /* kernels of larger clusters are not launched: there is no room for one */
    uint32_t held_blocks[MSW_MAX_KERNELS]; /* of cooperative kernels, by a multiprocessor at once */
#if CUDA_VERSION >= 12050                  /* NULL: the driver is older */
    CUresult(CUDAAPI *get_green_context)(CUstream stream, CUgreenCtx *context);
    CUresult(CUDAAPI *get_resource)(CUgreenCtx context, CUdevResource *resource, CUdevResourceType type);
#endif
    CUmodule modules[MSW_MAX_KERNELS]; /* not under nvcc, as what follows: files of one program agree on the size */
    CUfunction functions[MSW_MAX_KERNELS];
} msw_cuda_kernel;

typedef struct msw_cuda_enqueueing {
    const msw_cuda_kernel *kernel;
    msw_cuda_stream stream;
} msw_cuda_enqueueing;

#if CUDA_VERSION >= 12050
/* The lesser number, where there is one. */
static inline uint32_t msw_cuda_limited(uint32_t multiprocessors, const CUdevResource *resource)
{
    return resource->sm.smCount && resource->sm.smCount < multiprocessors ? resource->sm.smCount : multiprocessors;
}

/* Finds a function of the driver, or NULL in an older one. `member` points to a pointer to a function. */
static inline void msw_cuda_find(const char *symbol, void *member)
{
    void *address = NULL;
#if defined(__CUDACC__)
    cudaDriverEntryPointQueryResult found;
    if (cudaGetDriverEntryPointByVersion(symbol, &address, 12040, cudaEnableDefault, &found) != cudaSuccess) {
        address = NULL;
        cudaGetLastError(); /* it has been dealt with */
    }
#else
    if (cuGetProcAddress(symbol, &address, 12040, CU_GET_PROC_ADDRESS_DEFAULT, NULL) != CUDA_SUCCESS) address = NULL;
#endif
    memcpy(member, &address, sizeof address);
}

/* The current context may have been limited to some of the device's multiprocessors: a green one, or by its affinity. */
static inline void msw_cuda_ask(msw_cuda_kernel *kernel)
{
    CUresult(CUDAAPI * get_current)(CUcontext * context);
    CUresult(CUDAAPI * get_limit)(CUcontext context, CUdevResource * resource, CUdevResourceType type);
    CUcontext context = NULL;
    CUdevResource resource;
    msw_cuda_find("cuStreamGetGreenCtx", &kernel->get_green_context);
    msw_cuda_find("cuGreenCtxGetDevResource", &kernel->get_resource);
    msw_cuda_find("cuCtxGetCurrent", &get_current);
    msw_cuda_find("cuCtxGetDevResource", &get_limit);
    if (get_current && get_limit && get_current(&context) == CUDA_SUCCESS && context &&
        get_limit(context, &resource, CU_DEV_RESOURCE_TYPE_SM) == CUDA_SUCCESS)
        kernel->multiprocessors = msw_cuda_limited(kernel->multiprocessors, &resource);
}
#endif

/* That the stream's work may use: a green context's has fewer than its device, and a launch for more of them would fail, or end a capture. */
static inline uint32_t msw_cuda_multiprocessors(const msw_cuda_enqueueing *e)
{
#if CUDA_VERSION >= 12050
    const msw_cuda_kernel *kernel = e->kernel;
    CUgreenCtx green = NULL;
    CUdevResource resource;
    if (kernel->get_green_context && kernel->get_resource && kernel->get_green_context(e->stream, &green) == CUDA_SUCCESS && green &&
        kernel->get_resource(green, &resource, CU_DEV_RESOURCE_TYPE_SM) == CUDA_SUCCESS)
        return msw_cuda_limited(kernel->multiprocessors, &resource);
#endif
    return e->kernel->multiprocessors;
}

/* A cooperative kernel's blocks all run at once: no more than there is room for; where the driver does not tell that, launches with half as many
 * are tried until it takes one. Any number of them serves. */
static inline uint32_t msw_cuda_held(const msw_cuda_enqueueing *e, uint32_t kernel, uint32_t blocks)
{
    const uint32_t held = e->kernel->held_blocks[kernel] * msw_cuda_multiprocessors(e);
    return blocks < held ? blocks : held;
}

/* The largest cluster that may be launched on the stream; asked only where the variant for this n has one. What a part of the multiprocessors has
 * room for is not known: none there. */
static inline uint32_t msw_cuda_max_cluster_blocks(const msw_cuda_enqueueing *e, const msw_enqueue_desc *desc)
{
    const msw_plan *plan = e->kernel->plan;
    const uint32_t most = e->kernel->max_cluster_blocks;
    const msw_plan_variant *variant = msw_launch_variant(plan, desc->n, msw_launch_mode_of(plan, desc), most);
    if (!variant || !msw_launch_cluster(plan, variant)) return most;
    return msw_cuda_multiprocessors(e) < e->kernel->multiprocessors ? 0 : most;
}

#if defined(__CUDACC__)

static inline void msw_cuda_unload(msw_cuda_kernel *kernel) { kernel->plan = NULL; }

/* What launches whose blocks run at once go by. */
static inline cudaError_t msw_cuda_count(msw_cuda_kernel *kernel)
{
    int device = 0, multiprocessors = 0;
    cudaError_t result = cudaGetDevice(&device);
    if (result == cudaSuccess) result = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    kernel->multiprocessors = (uint32_t)multiprocessors;
#if CUDA_VERSION >= 12050
    if (result == cudaSuccess) msw_cuda_ask(kernel);
#endif
    return result;
}

/* Finds out what a cooperative kernel's launches need to know. */
static inline int msw_cuda_hold(const msw_plan_kernel *k, msw_cuda_kernel *kernel, uint32_t *blocks)
{
    int held = 0;
    cudaError_t result = msw_cuda_count(kernel);
    if (result == cudaSuccess) result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&held, k->code, (int)k->block_threads, k->dynamic_shared_bytes);
    *blocks = (uint32_t)held;
    return (int)(result == cudaSuccess && !*blocks ? cudaErrorCooperativeLaunchTooLarge : result);
}

/* Whether there is room for a kernel's cluster. Where it cannot be asked there is none: other kernels serve. */
static inline int msw_cuda_holds_cluster(const msw_plan_kernel *k)
{
    int clusters = 0;
#if CUDA_VERSION >= 11080
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config;
    memset(&attribute, 0, sizeof attribute);
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = k->cluster_blocks;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = dim3(k->cluster_blocks);
    config.blockDim = dim3(k->block_threads);
    config.dynamicSmemBytes = k->dynamic_shared_bytes;
    config.stream = NULL;
    config.attrs = &attribute;
    config.numAttrs = 1;
    if ((k->cluster_blocks > 8 && cudaFuncSetAttribute(k->code, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) != cudaSuccess) ||
        cudaOccupancyMaxActiveClusters(&clusters, k->code, &config) != cudaSuccess) {
        clusters = 0;
        cudaGetLastError(); /* it has been dealt with */
    }
#else
    (void)k;
#endif
    return clusters > 0;
}

static inline int msw_cuda_hold_cluster(const msw_plan_kernel *k, msw_cuda_kernel *kernel)
{
    const cudaError_t result = msw_cuda_count(kernel);
    if (kernel->max_cluster_blocks >= k->cluster_blocks && !msw_cuda_holds_cluster(k)) kernel->max_cluster_blocks = k->cluster_blocks - 1;
    return (int)result;
}

/* A kernel's code is its function. Asking for its attributes puts it on the device. */
static inline int msw_cuda_load(const msw_plan *plan, msw_cuda_kernel *kernel)
{
    int result = cudaSuccess;
    uint32_t k;
    memset(kernel, 0, sizeof *kernel);
    kernel->max_cluster_blocks = MSW_MAX_CLUSTER_BLOCKS;
    for (k = 0; k < plan->kernel_count && result == cudaSuccess; k++) {
        const int shared_bytes = (int)plan->kernels[k].dynamic_shared_bytes;
        cudaFuncAttributes attributes;
        result = (int)cudaFuncGetAttributes(&attributes, plan->kernels[k].code);
        if (result == cudaSuccess && shared_bytes)
            result = (int)cudaFuncSetAttribute(plan->kernels[k].code, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
        if (result == cudaSuccess && plan->kernels[k].is_cooperative) result = msw_cuda_hold(&plan->kernels[k], kernel, &kernel->held_blocks[k]);
        if (result == cudaSuccess && plan->kernels[k].cluster_blocks) result = msw_cuda_hold_cluster(&plan->kernels[k], kernel);
    }
    kernel->plan = result == cudaSuccess ? plan : NULL;
    return result;
}

static inline int msw_cuda_dispatch(void *user, uint32_t kernel, uint32_t blocks, const msw_params *params)
{
    const msw_cuda_enqueueing *e = (const msw_cuda_enqueueing *)user;
    const msw_plan_kernel *k = &e->kernel->plan->kernels[kernel];
    msw_params copy = *params;
    void *parameters[1] = {&copy};
    cudaError_t result = cudaErrorCooperativeLaunchTooLarge;
    if (!k->is_cooperative)
        return (int)cudaLaunchKernel(k->code, dim3(blocks), dim3(k->block_threads), parameters, k->dynamic_shared_bytes, e->stream);
    for (blocks = msw_cuda_held(e, kernel, blocks); blocks && result == cudaErrorCooperativeLaunchTooLarge; blocks /= 2) {
        result = cudaLaunchCooperativeKernel(k->code, dim3(blocks), dim3(k->block_threads), parameters, k->dynamic_shared_bytes, e->stream);
        if (result == cudaErrorCooperativeLaunchTooLarge) cudaGetLastError(); /* it has been dealt with */
    }
    return (int)result;
}

#else

static inline void msw_cuda_unload(msw_cuda_kernel *kernel)
{
    uint32_t k;
    for (k = 0; kernel->plan && k < kernel->plan->kernel_count; k++)
        if (kernel->modules[k]) cuModuleUnload(kernel->modules[k]);
    memset(kernel, 0, sizeof *kernel);
}

/* What launches whose blocks run at once go by. */
static inline CUresult msw_cuda_count(msw_cuda_kernel *kernel)
{
    CUdevice device = 0;
    int multiprocessors = 0;
    CUresult result = cuCtxGetDevice(&device);
    if (result == CUDA_SUCCESS) result = cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    kernel->multiprocessors = (uint32_t)multiprocessors;
#if CUDA_VERSION >= 12050
    if (result == CUDA_SUCCESS) msw_cuda_ask(kernel);
#endif
    return result;
}

/* Finds out what a cooperative kernel's launches need to know. */
static inline int msw_cuda_hold(const msw_plan_kernel *k, msw_cuda_kernel *kernel, CUfunction function, uint32_t *blocks)
{
    int held = 0;
    CUresult result = msw_cuda_count(kernel);
    if (result == CUDA_SUCCESS) result = cuOccupancyMaxActiveBlocksPerMultiprocessor(&held, function, (int)k->block_threads, k->dynamic_shared_bytes);
    *blocks = (uint32_t)held;
    return (int)(result == CUDA_SUCCESS && !*blocks ? CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE : result);
}

/* Whether there is room for a kernel's cluster. Where it cannot be asked there is none: other kernels serve. */
static inline int msw_cuda_holds_cluster(const msw_plan_kernel *k, CUfunction function)
{
    int clusters = 0;
#if CUDA_VERSION >= 11080
    CUlaunchAttribute attribute;
    CUlaunchConfig config;
    memset(&attribute, 0, sizeof attribute);
    memset(&config, 0, sizeof config);
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim.x = config.gridDimX = k->cluster_blocks;
    attribute.value.clusterDim.y = config.gridDimY = config.blockDimY = 1;
    attribute.value.clusterDim.z = config.gridDimZ = config.blockDimZ = 1;
    config.blockDimX = k->block_threads;
    config.sharedMemBytes = k->dynamic_shared_bytes;
    config.attrs = &attribute;
    config.numAttrs = 1;
    if ((k->cluster_blocks > 8 && cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1) != CUDA_SUCCESS) ||
        cuOccupancyMaxActiveClusters(&clusters, function, &config) != CUDA_SUCCESS)
        clusters = 0;
#else
    (void)k, (void)function;
#endif
    return clusters > 0;
}

static inline int msw_cuda_hold_cluster(const msw_plan_kernel *k, msw_cuda_kernel *kernel, CUfunction function)
{
    const CUresult result = msw_cuda_count(kernel);
    if (kernel->max_cluster_blocks >= k->cluster_blocks && !msw_cuda_holds_cluster(k, function)) kernel->max_cluster_blocks = k->cluster_blocks - 1;
    return (int)result;
}

/* Asking for an attribute puts the function on the device. */
static inline int msw_cuda_load(const msw_plan *plan, msw_cuda_kernel *kernel)
{
    int result = CUDA_SUCCESS;
    uint32_t k;
    memset(kernel, 0, sizeof *kernel);
    kernel->plan = plan;
    kernel->max_cluster_blocks = MSW_MAX_CLUSTER_BLOCKS;
    for (k = 0; k < plan->kernel_count && result == CUDA_SUCCESS; k++) {
        const int shared_bytes = (int)plan->kernels[k].dynamic_shared_bytes;
        int most_threads;
        result = (int)cuModuleLoadDataEx(&kernel->modules[k], plan->kernels[k].code, 0, NULL, NULL);
        if (result == CUDA_SUCCESS) result = (int)cuModuleGetFunction(&kernel->functions[k], kernel->modules[k], plan->kernels[k].entry);
        if (result == CUDA_SUCCESS) result = (int)cuFuncGetAttribute(&most_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel->functions[k]);
        if (result == CUDA_SUCCESS && shared_bytes)
            result = (int)cuFuncSetAttribute(kernel->functions[k], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared_bytes);
        if (result == CUDA_SUCCESS && plan->kernels[k].is_cooperative)
            result = msw_cuda_hold(&plan->kernels[k], kernel, kernel->functions[k], &kernel->held_blocks[k]);
        if (result == CUDA_SUCCESS && plan->kernels[k].cluster_blocks)
            result = msw_cuda_hold_cluster(&plan->kernels[k], kernel, kernel->functions[k]);
    }
    if (result != CUDA_SUCCESS) msw_cuda_unload(kernel);
    return result;
}

static inline int msw_cuda_dispatch(void *user, uint32_t kernel, uint32_t blocks, const msw_params *params)
{
    const msw_cuda_enqueueing *e = (const msw_cuda_enqueueing *)user;
    const msw_plan_kernel *k = &e->kernel->plan->kernels[kernel];
    msw_params copy = *params;
    CUresult result = CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    void *parameters[1];
    parameters[0] = &copy; /* read before the call returns */
    if (!k->is_cooperative)
        return (int)cuLaunchKernel(e->kernel->functions[kernel], blocks, 1, 1, k->block_threads, 1, 1, k->dynamic_shared_bytes, e->stream, parameters,
                                   NULL);
    for (blocks = msw_cuda_held(e, kernel, blocks); blocks && result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE; blocks /= 2)
        result = cuLaunchCooperativeKernel(e->kernel->functions[kernel], blocks, 1, 1, k->block_threads, 1, 1, k->dynamic_shared_bytes, e->stream,
                                           parameters);
    return (int)result;
}

#endif

/* A stream runs one kernel after the other. */
static inline void msw_cuda_barrier(void *user) { (void)user; }

static inline int msw_cuda_enqueue_steps(const msw_cuda_kernel *kernel, msw_cuda_stream stream, const msw_enqueue_desc *desc)
{
    msw_cuda_enqueueing e;
    msw_launch_ops ops;
    const int wrong = msw_launch_check(kernel->plan, desc, 0).code;
    e.kernel = kernel;
    e.stream = stream;
    ops.user = &e;
    ops.dispatch = msw_cuda_dispatch;
    ops.barrier = msw_cuda_barrier;
    if (wrong) return wrong;
    ops.max_cluster_blocks = msw_cuda_max_cluster_blocks(&e, desc);
    return msw_launch_enqueue(kernel->plan, desc, &ops);
}

static inline int msw_cuda_enqueue_init(const msw_cuda_kernel *kernel, msw_cuda_stream stream, uint64_t scratch, uint64_t scratch_bytes)
{
    msw_cuda_enqueueing e;
    msw_launch_ops ops;
    const int wrong = msw_launch_check_init(kernel->plan, scratch, scratch_bytes).code;
    e.kernel = kernel;
    e.stream = stream;
    ops.user = &e;
    ops.dispatch = msw_cuda_dispatch;
    ops.barrier = msw_cuda_barrier;
    ops.max_cluster_blocks = 0;
    return wrong ? wrong : msw_launch_init(kernel->plan, scratch, scratch_bytes, &ops);
}

#endif
