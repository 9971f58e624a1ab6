/* objects.h - what the runtime's handles hold (private to the runtime, the JIT glue and the backends' enqueue calls). */
#ifndef MS_OBJECTS_H
#define MS_OBJECTS_H

#include "backend.h"
#include "cache.h"
#include "launch.h"

struct msw_context {
    msw_allocator allocator;
    const ms_backend *backend;
    ms_device *device;
    msw_device_info info;
    ms_cache cache;
    msw_buffer *scratch; /* of msw_kernel_run; grows, NULL at first */
    const msw_kernel *scratch_owner; /* whose launches the scratch is ready for, and how many bytes of it */
    uint64_t scratch_ready_bytes;
};

struct msw_buffer {
    msw_context *context;
    ms_memory *memory;
    uint64_t address, size_bytes;
};

struct msw_kernel {
    msw_context *context;
    ms_module *module;
    msw_plan plan; /* its strings are in `names`; text and code are NULL */
    char *names;
    size_t names_bytes;
    void *owned; /* what the JIT glue keeps alive for the kernel, and how it is freed */
    void (*owned_free)(void *owned);
};

/* Checks that a plan is whole and that the device can run it: format, backend, indices, geometry, features. (plan.c) */
msw_result ms_plan_check(const msw_plan *plan, const msw_device_info *device, msw_diag *diag);

/* Checks a description against a plan: sizes, alignment, aliasing, scratch. Touches nothing but its arguments. (enqueue.c) */
msw_result ms_enqueue_check(const msw_plan *plan, const msw_enqueue_desc *desc, msw_diag *diag);

/* For the vendors' enqueue calls: the kernel is there and one of this backend; the scratch holds what is to be initialised. (enqueue.c) */
msw_result ms_kernel_check(const char *call, const msw_kernel *kernel, const ms_backend *backend, msw_diag *diag);
msw_result ms_scratch_init_check(const char *call, const msw_plan *plan, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag);

#endif
