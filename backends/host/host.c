/* The oracle as a device: memory is malloc's, a module is the function that the JIT glue gave. */
#include "../../runtime/backend.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ALIGNMENT = 256 };

struct ms_device {
    msw_allocator allocator;
};

struct ms_memory {
    size_t block_bytes; /* of this block: the header, room for alignment, the data */
    unsigned char *data;
};

struct ms_module {
    ms_host_program program;
};

static void describe(msw_device_info *info)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    memset(info, 0, sizeof *info);
    info->backend = MSW_BACKEND_HOST;
    snprintf(info->id, sizeof info->id, "host");
    snprintf(info->name, sizeof info->name, "host oracle");
    snprintf(info->driver, sizeof info->driver, "monosweep %s", msw_version());
    info->is_usable = 1;
    info->memory_bytes = pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : (uint64_t)1 << 30;
    info->max_allocation_bytes = info->memory_bytes;
    info->target = (msw_target){.struct_size = sizeof info->target,
                                .backend = MSW_BACKEND_HOST,
                                .subgroup_size = 1,
                                .max_block_threads = 1,
                                .max_blocks = 1,
                                .compute_units = 1,
                                .has_features = 1,
                                .progress = MSW_PROGRESS_NONE,
                                .is_cpu = 1,
                                .arch = "host"};
}

static msw_result host_list(const msw_context_desc *desc, const msw_allocator *allocator, ms_device_list *list, msw_diag *diag)
{
    msw_device_info info;
    (void)desc;
    (void)allocator;
    describe(&info);
    ms_device_list_add(list, &info);
    return ms_ok(diag);
}

static msw_result host_open(const msw_context_desc *desc, const msw_allocator *allocator, uint32_t index, ms_device **device, msw_device_info *info,
                            msw_diag *diag)
{
    (void)desc;
    if (index != 0 && index != MS_DEVICE_FIRST) return ms_fail(diag, MSW_ERROR_DEVICE, "device", "no device 'host:%u'; there is one: host", index);
    *device = ms_alloc(allocator, sizeof **device);
    if (!*device) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "device", "host: out of memory");
    (*device)->allocator = *allocator;
    describe(info);
    return ms_ok(diag);
}

static void host_close(ms_device *device)
{
    const msw_allocator allocator = device->allocator;
    ms_free(&allocator, device, sizeof *device);
}

static msw_result host_memory_create(ms_device *device, uint64_t size_bytes, ms_memory **memory, uint64_t *address, msw_diag *diag)
{
    const uint64_t extra = sizeof(ms_memory) + ALIGNMENT;
    ms_memory *m = size_bytes < SIZE_MAX - extra ? ms_alloc(&device->allocator, (size_t)(size_bytes + extra)) : NULL;
    if (!m) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "device", "host: out of memory");
    m->block_bytes = (size_t)(size_bytes + extra);
    m->data = (unsigned char *)(((uintptr_t)(m + 1) + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
    *memory = m;
    *address = (uint64_t)(uintptr_t)m->data;
    return ms_ok(diag);
}

static void host_memory_destroy(ms_device *device, ms_memory *memory) { ms_free(&device->allocator, memory, memory->block_bytes); }

static msw_result host_memory_write(ms_device *device, ms_memory *memory, uint64_t offset_bytes, const void *data, uint64_t size_bytes,
                                    msw_diag *diag)
{
    (void)device;
    memcpy(memory->data + offset_bytes, data, (size_t)size_bytes);
    return ms_ok(diag);
}

static msw_result host_memory_read(ms_device *device, ms_memory *memory, uint64_t offset_bytes, void *data, uint64_t size_bytes, msw_diag *diag)
{
    (void)device;
    memcpy(data, memory->data + offset_bytes, (size_t)size_bytes);
    return ms_ok(diag);
}

static msw_result host_module_create(ms_device *device, ms_module **module, msw_diag *diag)
{
    *module = ms_alloc(&device->allocator, sizeof **module);
    return *module ? ms_ok(diag) : ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "launch", "host: out of memory");
}

/* Its one kernel. */
static msw_result host_module_load(ms_device *device, ms_cache *cache, const msw_plan *plan, uint64_t kernels, ms_module *module, msw_diag *diag)
{
    (void)device;
    (void)cache;
    (void)kernels;
    if (plan->kernel_count != 1 || plan->kernels[0].code_bytes != sizeof(ms_host_program))
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch", "host: plan '%.64s' holds no host program; make it with msw_kernel_create", plan->name);
    memcpy(&module->program, plan->kernels[0].code, sizeof(ms_host_program));
    return ms_ok(diag);
}

static void host_module_destroy(ms_device *device, ms_module *module) { ms_free(&device->allocator, module, sizeof *module); }

static double now_seconds(void)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static msw_result host_run(ms_device *device, ms_module *module, const msw_plan *plan, const msw_enqueue_desc *desc, double *seconds, msw_diag *diag)
{
    const double start = now_seconds();
    uint64_t n = desc->n;
    msw_result result;
    (void)device;
    (void)plan;
    if (desc->n_address) {
        uint64_t actual;
        memcpy(&actual, (const void *)(uintptr_t)desc->n_address, sizeof actual);
        if (actual < n) n = actual;
    }
    result = module->program.run(module->program.user, desc, n, diag);
    *seconds = now_seconds() - start;
    return result;
}

static msw_result host_memory_copy(ms_device *device, ms_memory *to, ms_memory *from, uint64_t size_bytes, double *seconds, msw_diag *diag)
{
    const double start = now_seconds();
    (void)device;
    memcpy(to->data, from->data, (size_t)size_bytes);
    *seconds = now_seconds() - start;
    return ms_ok(diag);
}

const ms_backend ms_backend_host = {
    MSW_BACKEND_HOST,  "host",           host_list,        host_open,          host_close,       host_memory_create,  host_memory_destroy,
    host_memory_write, host_memory_read, host_memory_copy, host_module_create, host_module_load, host_module_destroy, NULL,
    host_run};
