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

/* Enqueues the kernel on a stream of its msw_context's CUDA context (NULL: the legacy default stream), or of a green context on the same device.
 * It calls cuLaunchKernel and cuLaunchCooperativeKernel, between cuCtxPushCurrent and cuCtxPopCurrent. It allocates nothing, waits for nothing and
 * reads nothing back. The calling thread's current context does not matter, and stays as it is.
 *   Cooperative launches have as many blocks as run at once on the stream's multiprocessors. Where the driver tells these (CUDA 12.4 and later),
 *             their number is asked for. It may change the bits of floats that are rounded, also in deterministic scans.
 *   Clusters  A launch may be one cluster of blocks (sm_90 and later: sorts of few keys), if the msw_context's CUDA context has room for one
 *             (msw_target.max_cluster_blocks). On a stream with a part of that context's multiprocessors other kernels serve; if the kernel was
 *             created with first_n, msw_kernel_wait for all kernels (n UINT64_MAX) before, or the enqueue is refused (NOT_READY).
 *   Capture   is legal, in every mode. The graph replays any number of times, with what the buffers then hold. Of graphs with one scratch, one
 *             replays at a time.
 *   Order     is the stream's: the kernel sees what was enqueued before, and work that is enqueued after it sees the results.
 *   Threads   Several may enqueue one kernel: each with its own scratch, or on a stream of its own with scratch reserved for it.
 * Errors: those of msw_kernel_run; DEVICE when a launch fails. Then earlier steps may have been enqueued, and outputs, and ping-pong inputs, hold
 * anything. The scratch is as good as before; but if it was to be initialised (MSW_SCRATCH_DIRTY), the next enqueue has to ask for that again. */
MSW_API msw_result msw_cuda_enqueue(msw_kernel *kernel, CUstream stream, const msw_enqueue_desc *desc, msw_diag *diag);

/* Enqueues the zeroing of a scratch's first scratch_bytes (msw_scratch_bytes of the largest n to come), or of what a pipeline's stages keep in them,
 * as msw_cuda_enqueue does a kernel. A scratch needs it once, before its first enqueue. Errors: as of msw_cuda_enqueue; TOO_SMALL (a pipeline's
 * scratch that no n fits). */
MSW_API msw_result msw_cuda_scratch_init(msw_kernel *kernel, CUstream stream, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag);

/* Reserves at least scratch_bytes (msw_scratch_bytes of the largest n to come) for this kernel on this stream. The scratch is initialised when the
 * call returns. From then on the kernel's enqueues on the stream use it where their own scratch is 0; MSW_SCRATCH_DIRTY has no effect on them.
 * Blocking: it allocates, and waits on a stream of the msw_context's own, not on this one. So it must not be called while a stream is captured in a
 * mode that forbids these.
 *   Growth    What was reserved before for this kernel and stream stays if it is large enough. Else the larger one is allocated beside it, and serves
 *             enqueues from now on. Graphs that were captured before replay with the older one.
 *   Lifetime  until msw_cuda_scratch_release, or as long as the kernel; it may outlive the stream.
 *   One use at a time: enqueues on a stream follow each other. A captured graph keeps the scratch of the stream that was captured, whichever stream
 *             it is launched on. So its replays, and enqueues on the captured stream, must come one after the other.
 *   Threads   the msw_context's, as for every call that makes something of it. Other threads may meanwhile enqueue the kernel on their own streams.
 * Errors: INVALID_ARGUMENT (also: CU_STREAM_PER_THREAD, which is several streams), OUT_OF_MEMORY, DEVICE. What was reserved before stays. */
MSW_API msw_result msw_cuda_scratch_reserve(msw_kernel *kernel, CUstream stream, uint64_t scratch_bytes, msw_diag *diag);

/* Frees all that is reserved for this kernel and stream; does nothing where nothing is. What was enqueued with it must be done, graphs that
 * were captured with it must not be launched again, and no thread may enqueue the kernel meanwhile. kernel may be NULL. */
MSW_API void msw_cuda_scratch_release(msw_kernel *kernel, CUstream stream);

#ifdef __cplusplus
}
#endif
#endif
