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

/* Enqueues the kernel on a stream of its msw_context's CUDA context (NULL: the legacy default stream), or of a green context on the same device: by
 * cuLaunchKernel and cuLaunchCooperativeKernel, between cuCtxPushCurrent and cuCtxPopCurrent. A cooperative launch has as many blocks as run at once
 * on
 * the stream's multiprocessors, which are asked for where the driver tells them (CUDA 12.4 and later); their number may change the bits of floats
 * that
 * round, of deterministic scans, too. Allocates nothing, waits for nothing, reads nothing back; the
 * calling thread's current context does not matter and stays as it is. Legal while the stream is captured, in every
 * mode: the graph replays any number of times, one replay at a time for one scratch, with what the buffers then hold.
 * Order is the stream's: work that was enqueued before is seen, work enqueued after sees the results. Several threads may enqueue one kernel,
 * each with its own scratch, or on streams of their own with scratch reserved for each. Errors: those of msw_kernel_run; DEVICE when a launch fails,
 * after which earlier steps may have been enqueued: then outputs, and ping-pong inputs, hold anything. The scratch is as good as before, unless it
 * was to be initialised (MSW_SCRATCH_DIRTY): then the next enqueue has to ask for that again. */
MSW_API msw_result msw_cuda_enqueue(msw_kernel *kernel, CUstream stream, const msw_enqueue_desc *desc, msw_diag *diag);

/* Enqueues the initialisation of a scratch, likewise: once before its first enqueue. */
MSW_API msw_result msw_cuda_scratch_init(msw_kernel *kernel, CUstream stream, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag);

/* Reserves scratch_bytes at least (msw_scratch_bytes of the largest n to come) for this kernel on this stream, initialised when the call returns:
 * from then on the kernel's enqueues there that give no scratch of their own (0) take it, and MSW_SCRATCH_DIRTY means nothing to them. Blocking:
 * it allocates, and waits on a stream of the msw_context's own, not on this one; so not while a stream is captured in a mode that forbids that.
 *   Grows     What was reserved before for both goes on to serve if it is large enough; else the larger comes beside it, for enqueues from now on,
 *             and what was captured before replays as it is.
 *   Lifetime  until msw_cuda_scratch_release, or as long as the kernel; a stream need not exist any more.
 *   One use at a time: enqueues on a stream follow each other. A captured graph keeps the scratch of the stream that was captured, on whichever it is
 *   launched: replays of it, and enqueues on that stream, one after the other.
 *   Threads   the msw_context's, as everything that makes something; others may enqueue the kernel on streams of theirs meanwhile.
 * Errors: INVALID_ARGUMENT (also: CU_STREAM_PER_THREAD, which is several streams), OUT_OF_MEMORY, DEVICE. What was reserved before then stays. */
MSW_API msw_result msw_cuda_scratch_reserve(msw_kernel *kernel, CUstream stream, uint64_t scratch_bytes, msw_diag *diag);

/* Gives back all that is reserved for both; nothing happens where nothing is. What was enqueued with it is done, and graphs that were captured with
 * it are launched no more; no thread enqueues the kernel meanwhile. kernel may be NULL. */
MSW_API void msw_cuda_scratch_release(msw_kernel *kernel, CUstream stream);

#ifdef __cplusplus
}
#endif
#endif
