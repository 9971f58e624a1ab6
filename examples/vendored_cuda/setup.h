/* setup.h - what every small CUDA program needs: a device, arrays that the host sees too, a stream; by the runtime under nvcc, else by the driver
 * (-lcuda). C11 and C++17. */
#ifndef SETUP_H
#define SETUP_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#else
#include <cuda.h>
#endif

typedef struct setup {
    struct CUstream_st *stream; /* a cudaStream_t, and a CUstream */
#if !defined(__CUDACC__)
    CUdevice device;
    CUcontext context;
#endif
} setup;

typedef struct array {
    uint64_t address; /* the device's */
    void *data;       /* the host's: the same */
} array;

static inline void must(int result, const char *call)
{
    if (result == 0) return;
    fprintf(stderr, "%s: %d\n", call, result);
    exit(1);
}
#define MUST(call) must((int)(call), #call)

#if defined(__CUDACC__)

static inline void setup_open(setup *s)
{
    MUST(cudaSetDevice(0));
    MUST(cudaStreamCreate(&s->stream));
}

static inline void setup_close(setup *s)
{
    MUST(cudaStreamDestroy(s->stream));
}

static inline array array_create(const setup *s, uint64_t bytes)
{
    array a;
    (void)s;
    MUST(cudaMallocManaged(&a.data, bytes ? (size_t)bytes : 4));
    a.address = (uint64_t)(uintptr_t)a.data;
    return a;
}

static inline void array_destroy(const setup *s, array *a)
{
    (void)s;
    MUST(cudaFree(a->data));
}

/* Waits for what was enqueued; the host then sees the results. */
static inline void setup_wait(const setup *s)
{
    MUST(cudaStreamSynchronize(s->stream));
}

#else

static inline void setup_open(setup *s)
{
    MUST(cuInit(0));
    MUST(cuDeviceGet(&s->device, 0));
    MUST(cuDevicePrimaryCtxRetain(&s->context, s->device));
    MUST(cuCtxSetCurrent(s->context));
    MUST(cuStreamCreate(&s->stream, CU_STREAM_DEFAULT));
}

static inline void setup_close(setup *s)
{
    MUST(cuStreamDestroy(s->stream));
    MUST(cuDevicePrimaryCtxRelease(s->device));
}

static inline array array_create(const setup *s, uint64_t bytes)
{
    CUdeviceptr address;
    array a;
    (void)s;
    MUST(cuMemAllocManaged(&address, bytes ? (size_t)bytes : 4, CU_MEM_ATTACH_GLOBAL));
    a.address = (uint64_t)address;
    a.data = (void *)(uintptr_t)address;
    return a;
}

static inline void array_destroy(const setup *s, array *a)
{
    (void)s;
    MUST(cuMemFree((CUdeviceptr)a->address));
}

/* Waits for what was enqueued; the host then sees the results. */
static inline void setup_wait(const setup *s)
{
    MUST(cuStreamSynchronize(s->stream));
}

#endif
#endif
