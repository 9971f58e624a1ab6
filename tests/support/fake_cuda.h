/* fake_cuda.h - a libcuda.so.1 on host memory, for tests: it keeps the driver's rules, records launches, fails on demand and counts what lives. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <monosweep/monosweep_cuda.h>

enum { FAKE_DEVICES = 4, FAKE_LAUNCHES = 64, FAKE_CALLS = 4096, FAKE_MULTIPROCESSORS = 132, FAKE_MOST_BYTES = 1 << 30 };

typedef struct fake_launch {
    char kernel[64];
    unsigned grid[3], block[3], shared_bytes;
    CUstream stream;
    CUcontext context;
    msw_params params;
    int is_cooperative;
    int begins_early;    /* before launches that come before it in its stream have ended */
    int is_non_portable; /* its function may have clusters of more than 8 blocks */
} fake_launch;

typedef struct fake_cuda {
    /* set by the test */
    int device_count;
    int capability[FAKE_DEVICES]; /* 90: 9.0 */
    int function_threads;         /* what a function's registers allow */
    int held_blocks;              /* of any function, by a multiprocessor */
    int64_t most_bytes;           /* of one allocation */
    int64_t failing_call;         /* the how-manieth call fails; 0: none */
    unsigned fail_code;           /* and how */
    const char *spared;           /* the function that does not; NULL: any may */
    int is_capturing;             /* a stream is captured: unsafe calls fail, as in the strictest mode */
    int is_capture_lost;          /* a launch has failed meanwhile: no other succeeds */
    int green_multiprocessors;    /* of a green context that every stream is of; 0: none is */
    int has_no_green;             /* cuGetProcAddress finds nothing of resources, as in drivers before CUDA 12.4 */
    int context_multiprocessors;  /* of any context; 0: all of the device's */
    int max_cluster_blocks;       /* blocks of the largest cluster that there is room for */
    /* seen */
    int64_t call_count;
    const char *calls[FAKE_CALLS]; /* their names, the first ones */
    int64_t launch_count, non_portable_count;
    fake_launch launches[FAKE_LAUNCHES]; /* the first ones */
    /* alive */
    int64_t allocations, bytes, modules, streams, events, primary_contexts;
} fake_cuda;

/* The library exports these two besides the driver's functions. */
typedef fake_cuda *(*fake_cuda_state_function)(void);
typedef CUcontext (*fake_cuda_context_function)(int ordinal); /* one that an application might have made; never destroyed */

#endif
