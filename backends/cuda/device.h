/* device.h - an open CUDA device, its memory, a plan's functions: what the files of this backend share. */
#ifndef MS_CUDA_DEVICE_H
#define MS_CUDA_DEVICE_H

#include "loader.h"

struct ms_device {
    msw_allocator allocator;
    ms_cu_functions cu;
    CUdevice ordinal;
    CUcontext context;
    int is_owned; /* the primary context, retained here */
    msw_device_info info;
    uint32_t multiprocessors; /* of the context: all of the device's, or those that it was limited to */
    int begins_early;         /* whether kernels may: msw_plan_kernel's of that name */
    CUstream stream;          /* of blocking calls; waits for the legacy default stream, and that for it */
    CUevent start, end;
};

struct ms_memory {
    CUdeviceptr address;
};

struct ms_module {
    CUmodule modules[MSW_MAX_KERNELS];
    CUfunction functions[MSW_MAX_KERNELS];
    uint32_t held_blocks[MSW_MAX_KERNELS]; /* of cooperative kernels, by a multiprocessor at once */
};

enum { PORTABLE_CLUSTER_BLOCKS = 8 }; /* larger clusters have to be allowed */

/* Every call works in the device's context and leaves the thread's own as it was: enter pushes it, leave pops it and returns the `result` of
 * what was done between, or the pop's failure. (device.c) */
msw_result ms_cu_enter(const ms_device *device, msw_diag *diag);
msw_result ms_cu_leave(const ms_device *device, msw_result result, msw_diag *diag);

/* Waits for the device's own stream. (device.c) */
msw_result ms_cu_wait(const ms_device *device, msw_diag *diag);

/* (memory.c) */
msw_result ms_cu_memory_create(ms_device *device, uint64_t size_bytes, ms_memory **memory, uint64_t *address, msw_diag *diag);
void ms_cu_memory_destroy(ms_device *device, ms_memory *memory);
msw_result ms_cu_memory_write(ms_device *device, ms_memory *memory, uint64_t offset_bytes, const void *data, uint64_t size_bytes, msw_diag *diag);
msw_result ms_cu_memory_read(ms_device *device, ms_memory *memory, uint64_t offset_bytes, void *data, uint64_t size_bytes, msw_diag *diag);

/* (module.c) */
msw_result ms_cu_module_create(ms_device *device, ms_module **module, msw_diag *diag);
msw_result ms_cu_module_load(ms_device *device, ms_cache *cache, const msw_plan *plan, uint64_t kernels, ms_module *module, msw_diag *diag);
void ms_cu_module_destroy(ms_device *device, ms_module *module);

/* (run.c) */
msw_result ms_cu_memory_copy(ms_device *device, ms_memory *to, ms_memory *from, uint64_t size_bytes, double *seconds, msw_diag *diag);
msw_result ms_cu_run(ms_device *device, ms_module *module, const msw_plan *plan, const msw_enqueue_desc *desc, double *seconds, msw_diag *diag);
msw_result ms_cu_scratch_init(ms_device *device, ms_module *module, const msw_plan *plan, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag);

#endif
