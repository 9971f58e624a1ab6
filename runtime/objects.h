/* objects.h - what the runtime's handles hold (private to the runtime, the JIT glue and the backends' enqueue calls). */
#ifndef MS_OBJECTS_H
#define MS_OBJECTS_H

#include "backend.h"
#include "cache.h"
#include "launch.h"

#include <assert.h>
#include <stdatomic.h>

struct msw_context {
    msw_allocator allocator;
    const ms_backend *backend;
    ms_device *device;
    msw_device_info info;
    ms_cache cache;
};

struct msw_buffer {
    msw_context *context;
    ms_memory *memory;
    uint64_t address, size_bytes;
};

/* Scratch for one kernel on one stream, as the enqueue calls are given it. */
typedef struct ms_reserved {
    const void *stream;
    msw_buffer *buffer;       /* initialised, all of it */
    struct ms_reserved *next; /* reserved before; of one stream the first is the largest, the others keep serving what was recorded with them */
} ms_reserved;

struct msw_kernel {
    msw_context *context;
    ms_module *module;
    _Atomic(ms_reserved *) reserved;
    msw_buffer *own_scratch; /* msw_kernel_run's; NULL: none yet */
    msw_plan plan;           /* its strings are in `names`; text and code are NULL */
    char *names;
    size_t names_bytes;
    _Atomic uint64_t loaded; /* the plan's kernels that are on the device, as bits; a bit is set behind what it stands for */
    int is_cached;           /* 1: it came from the cache as a whole */
    void *owned;             /* what the JIT glue keeps alive for the kernel, and how it is freed */
    void (*owned_free)(void *owned);
    /* Of a kernel whose plan is not loaded as a whole; else NULL. load: compiles these, or waits for those that do, and loads them. compiled: which
     * kernels have been compiled, as bits. */
    msw_result (*owned_load)(void *owned, msw_kernel *kernel, uint64_t kernels, msw_diag *diag);
    uint64_t (*owned_compiled)(void *owned);
};

/* As msw_kernel_load, but only kernels of the plan that have code are loaded; `kernels` have. (kernel.c) */
msw_result ms_kernel_load_some(msw_context *context, const msw_plan *plan, uint64_t kernels, msw_kernel **kernel, msw_diag *diag);
/* Loads these of the plan, a copy of the kernel's with their code. (kernel.c) */
msw_result ms_kernel_add(msw_kernel *kernel, const msw_plan *plan, uint64_t kernels, msw_diag *diag);

/* Blocks of the largest cluster that the context's device takes; a stream may have a part of the device that takes none. */
static inline uint32_t ms_max_cluster_blocks(const msw_context *context) { return context->info.target.max_cluster_blocks; }

/* The plan's kernels, as bits: all, and those that an enqueue of n elements with these flags may launch, initialisation included, where clusters have
 * max_cluster_blocks blocks at most; errors: UNSUPPORTED (n or the flags). (ready.c) */
static inline uint64_t ms_all_kernels(const msw_plan *plan) { return UINT64_MAX >> (64 - plan->kernel_count); }
static_assert(MSW_MAX_KERNELS <= 64, "sets of kernels have 64 bits");
msw_result ms_kernels_for(const msw_plan *plan, uint64_t n, uint32_t flags, uint32_t max_cluster_blocks, uint64_t *kernels, msw_diag *diag);
/* Whether all that the enqueue launches is on the device; max_cluster_blocks: of its stream. Any thread. (ready.c) */
msw_result ms_ready_check(const msw_kernel *kernel, const msw_enqueue_desc *desc, uint32_t max_cluster_blocks, msw_diag *diag);
/* Waits for it. (ready.c) */
msw_result ms_ready_wait(msw_kernel *kernel, const msw_enqueue_desc *desc, msw_diag *diag);

/* Checks that a plan is whole and that the device can run it: format, backend, indices, geometry, features. coded: kernels, as bits, that are to have
 * code. (plan.c) */
msw_result ms_plan_check(const msw_plan *plan, const msw_device_info *device, uint64_t coded, msw_diag *diag);

/* 1: the plan's format is this library's, and nothing in it is broken; plans that were never loaded, too, and NULL. (plan.c) */
int ms_plan_is_whole(const msw_plan *plan);

/* Whether a variant serves n; device: for the message, or NULL. (limits.c) */
msw_result ms_check_n(const msw_plan *plan, const msw_device_info *device, uint64_t n, msw_diag *diag);
/* Whether the device has the memory for n elements of these buffers (bits, in plan order) and for the scratch. (limits.c) */
msw_result ms_check_memory(const msw_plan *plan, const msw_device_info *device, uint64_t n, uint32_t buffers, msw_diag *diag);

/* The same, and flags of an enqueue that are unknown, exclude each other or are not served. (enqueue.c) */
msw_result ms_check_flags(const msw_plan *plan, uint64_t n, uint32_t flags, msw_diag *diag);

/* What an enqueue is given, in this library's size. (enqueue.c) */
msw_result ms_enqueue_read(const msw_enqueue_desc *given, msw_enqueue_desc *desc, msw_diag *diag);

/* Checks a description against a plan: sizes, alignment, aliasing, scratch, unless that will be made for it. Touches nothing but its arguments.
 * (enqueue.c) */
msw_result ms_enqueue_check(const msw_plan *plan, const msw_enqueue_desc *desc, int makes_scratch, msw_diag *diag);

/* As msw_launch_variant; NULL also where no output can be an input and such a variant is asked for. (enqueue.c) */
const msw_plan_variant *ms_variant_for(const msw_plan *plan, uint64_t n, int mode, uint32_t max_cluster_blocks);
/* UNSUPPORTED: why the plan does not serve this msw_launch_mode, and what to do. (enqueue.c) */
msw_result ms_fail_apart(const msw_plan *plan, int mode, msw_diag *diag);

/* Reserves at least this number of bytes, initialised when it returns. Other threads may look up the scratch of other streams meanwhile.
 * (scratch.c) */
msw_result ms_scratch_reserve(msw_kernel *kernel, const void *stream, uint64_t bytes, msw_diag *diag);
/* A buffer, initialised when it returns MSW_OK; otherwise the caller destroys what there is, or NULL. (scratch.c) */
msw_result ms_scratch_create(msw_kernel *kernel, uint64_t bytes, msw_buffer **scratch, msw_diag *diag);
/* Makes it the enqueue's. (scratch.c) */
void ms_scratch_give(const msw_buffer *scratch, msw_enqueue_desc *desc);
/* Makes what is reserved for the stream the enqueue's, where it has no scratch. (scratch.c) */
void ms_scratch_take(msw_kernel *kernel, const void *stream, msw_enqueue_desc *desc);
/* Nobody enqueues the kernel meanwhile. (scratch.c) */
void ms_scratch_release(msw_kernel *kernel, const void *stream);
void ms_scratch_release_all(msw_kernel *kernel);

/* For the vendors' enqueue calls: the kernel is there and one of this backend; the scratch holds what is to be initialised. (enqueue.c) */
msw_result ms_kernel_check(const char *call, const msw_kernel *kernel, const ms_backend *backend, msw_diag *diag);
msw_result ms_scratch_init_check(const char *call, const msw_plan *plan, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag);

#endif
