/* backend.h - what the runtime asks of a backend: one table of functions (private). */
#ifndef MS_BACKEND_H
#define MS_BACKEND_H

#include "sized.h"

#include <monosweep/monosweep.h>

typedef struct ms_cache ms_cache;   /* cache.h */
typedef struct ms_device ms_device; /* a backend's open device */
typedef struct ms_module ms_module; /* a plan's kernels loaded on a device */
typedef struct ms_memory ms_memory; /* one allocation */

enum { MS_DEVICE_FIRST = 0x7fffffff }; /* in place of an index: the first device that is usable */

typedef struct ms_backend {
    msw_backend_kind kind;
    const char *name; /* "vulkan": the D in "vulkan:1" */
    /* Adds its devices, GPUs first; 0 devices is no error. Adds none when it fails. */
    msw_result (*list)(const msw_context_desc *desc, const msw_allocator *allocator, ms_device_list *list, msw_diag *diag);
    /* index: of the list, or MS_DEVICE_FIRST. */
    msw_result (*open)(const msw_context_desc *desc, const msw_allocator *allocator, uint32_t index, ms_device **device, msw_device_info *info,
                       msw_diag *diag);
    void (*close)(ms_device *device);
    msw_result (*memory_create)(ms_device *device, uint64_t size_bytes, ms_memory **memory, uint64_t *address, msw_diag *diag);
    void (*memory_destroy)(ms_device *device, ms_memory *memory);
    msw_result (*memory_write)(ms_device *device, ms_memory *memory, uint64_t offset_bytes, const void *data, uint64_t size_bytes, msw_diag *diag);
    msw_result (*memory_read)(ms_device *device, ms_memory *memory, uint64_t offset_bytes, void *data, uint64_t size_bytes, msw_diag *diag);
    /* By the driver, on the backend's own queue; waits. seconds: as of run. */
    msw_result (*memory_copy)(ms_device *device, ms_memory *to, ms_memory *from, uint64_t size_bytes, double *seconds, msw_diag *diag);
    /* Without kernels. */
    msw_result (*module_create)(ms_device *device, ms_module **module, msw_diag *diag);
    /* Those whose bits are set, each once. Their code is in the plan; it need not outlive the call, but for the host backend (see ms_host_program).
     * cache: for what a driver makes of the code. Other threads may enqueue the module's other kernels meanwhile. */
    msw_result (*module_load)(ms_device *device, ms_cache *cache, const msw_plan *plan, uint64_t kernels, ms_module *module, msw_diag *diag);
    void (*module_destroy)(ms_device *device, ms_module *module);
    /* Initialises a scratch for the plan (msw_launch_init) on the backend's own queue, and waits. NULL: its plans need no scratch. */
    msw_result (*scratch_init)(ms_device *device, ms_module *module, const msw_plan *plan, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag);
    /* Records the plan's steps (launch.h) on the backend's own queue, runs them and waits. seconds: device time when it can be had, else wall time.
     * */
    msw_result (*run)(ms_device *device, ms_module *module, const msw_plan *plan, const msw_enqueue_desc *desc, double *seconds, msw_diag *diag);
} ms_backend;

/* What msw_plan_kernel.code points to in a host plan: the JIT glue's way to the oracle without the runtime knowing the generator. */
typedef struct ms_host_program {
    msw_result (*run)(void *user, const msw_enqueue_desc *desc, uint64_t n, msw_diag *diag);
    void *user;
} ms_host_program;

extern const ms_backend ms_backend_cuda, ms_backend_host, ms_backend_vulkan;

/* diag helpers (diag.c): fill *diag when not NULL, return `code`. */
msw_result ms_fail(msw_diag *diag, msw_result code, const char *stage, const char *format, ...) __attribute__((format(printf, 4, 5)));
msw_result ms_ok(msw_diag *diag);

/* allocation through a msw_allocator (NULL or all-zero: malloc) */
void *ms_alloc(const msw_allocator *allocator, size_t size_bytes); /* zeroed; NULL on failure */
void ms_free(const msw_allocator *allocator, void *block, size_t size_bytes);

/* Compilers (library monosweep only; not in the runtime): text of plan kernel -> code. code is freed with ms_free. */
enum { MS_COMPILER_IDENTITY_BYTES = 1024 };
typedef struct ms_compiler {
    msw_backend_kind kind;
    /* arch: msw_target.arch, or NULL for code that every device of the backend takes. */
    msw_result (*compile)(const msw_plan_kernel *kernel, const char *arch, const msw_allocator *allocator, void **code, size_t *code_bytes,
                          msw_diag *diag);
    void (*version)(char text[64]);      /* for provenance */
    msw_result (*check)(msw_diag *diag); /* whether it is there; NULL: it is linked */
    /* Tells it from other compilers and versions, for the cache's keys; opens nothing that takes long. */
    void (*identity)(char text[MS_COMPILER_IDENTITY_BYTES]);
} ms_compiler;
extern const ms_compiler ms_compiler_glslang, ms_compiler_nvrtc;

#endif
