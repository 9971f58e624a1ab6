/* monosweep_cuda.h - use monosweep kernels on the caller's CUDA contexts and streams.
 *
 * Works with or without <cuda.h> and the CUDA runtime's headers, included before or after.
 * SPDX-License-Identifier: MIT */
#ifndef MONOSWEEP_CUDA_H
#define MONOSWEEP_CUDA_H

#include <monosweep/monosweep.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As in <cuda.h>; the runtime's cudaStream_t is the same type as CUstream. */
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;

typedef void (*msw_cuda_function)(void);

/* msw_context_desc.vendor for device "cuda". Without it the first usable device's primary context is used (that of the CUDA runtime),
 * found through libcuda.so.1. */
typedef struct msw_cuda_device {
    uint32_t struct_size;
    /* The caller's, of any thread or none; it stays the caller's and outlives the msw_context. NULL: the primary context of the device that
     * msw_context_desc.device names ("cuda", "cuda:1"). */
    CUcontext context;
    /* The driver's functions by the names that libcuda exports ("cuMemAlloc_v2"; dlsym will do); NULL when there is none. May be used until the
     * msw_context is destroyed. NULL: libcuda.so.1 is opened. */
    msw_cuda_function (*get_proc_address)(void *user, const char *symbol);
    void *user;
} msw_cuda_device;

/* Enqueues the kernel on a stream of its msw_context's CUDA context (NULL: the legacy default stream): by cuLaunchKernel and
 * cuLaunchCooperativeKernel alone, between cuCtxPushCurrent and cuCtxPopCurrent. Allocates nothing, waits for nothing, reads nothing back; the
 * calling thread's current context does not matter and stays as it is. Legal while the stream is captured, in every
 * mode: the graph replays any number of times, one replay at a time for one scratch, with what the buffers then hold.
 * Order is the stream's: work that was enqueued before is seen, work enqueued after sees the results. Several threads may enqueue one kernel,
 * each with its own scratch. Errors: those of msw_kernel_run; DEVICE when a launch fails, after which earlier steps may have been enqueued. */
MSW_API msw_result msw_cuda_enqueue(msw_kernel *kernel, CUstream stream, const msw_enqueue_desc *desc, msw_diag *diag);

/* Enqueues the initialisation of a scratch, likewise: once before its first enqueue. */
MSW_API msw_result msw_cuda_scratch_init(msw_kernel *kernel, CUstream stream, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
