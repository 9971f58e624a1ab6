/* device.h - an open Vulkan device, its memory, a plan's pipelines: what the files of this backend share. */
#ifndef MS_VK_DEVICE_H
#define MS_VK_DEVICE_H

#include "adapter.h"

struct ms_device {
    msw_allocator allocator;
    ms_vk_log log;
    ms_vk_instance instance;
    ms_vk_functions vk;
    ms_vk_adapter adapter;
    VkDevice handle;
    int is_owned;            /* instance and device are ours */
    VkPipelineLayout layout; /* no descriptors; msw_params as push constants */
    VkPhysicalDeviceMemoryProperties memory;
    VkQueue queue; /* NULL: no blocking calls; then the next four are NULL too */
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkFence fence;
    VkQueryPool timestamps; /* two; NULL when the queue has none */
    int is_staged;          /* 1: no buffer is mapped, whatever its memory (for tests on CPU drivers) */
    uint64_t staging_bytes;
    ms_memory *staging; /* NULL until it is needed */
};

struct ms_memory {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *mapped; /* NULL: the host goes through staging */
};

struct ms_module {
    VkPipeline pipelines[MSW_MAX_KERNELS];
};

/* Blocking work on the device's own queue: begin, record into device->commands, finish (submits and waits). Earlier work is visible
 * to what is recorded, and that to later work and the host. (device.c) */
msw_result ms_vk_begin(ms_device *device, msw_diag *diag);
msw_result ms_vk_finish(ms_device *device, msw_diag *diag);

/* (memory.c) */
msw_result ms_vk_memory_create(ms_device *device, uint64_t size_bytes, ms_memory **memory, uint64_t *address, msw_diag *diag);
void ms_vk_memory_destroy(ms_device *device, ms_memory *memory);
msw_result ms_vk_memory_write(ms_device *device, ms_memory *memory, uint64_t offset_bytes, const void *data, uint64_t size_bytes, msw_diag *diag);
msw_result ms_vk_memory_read(ms_device *device, ms_memory *memory, uint64_t offset_bytes, void *data, uint64_t size_bytes, msw_diag *diag);

/* (module.c) */
msw_result ms_vk_module_create(ms_device *device, ms_module **module, msw_diag *diag);
msw_result ms_vk_module_load(ms_device *device, ms_cache *cache, const msw_plan *plan, uint64_t kernels, ms_module *module, msw_diag *diag);
void ms_vk_module_destroy(ms_device *device, ms_module *module);

/* (run.c) */
msw_result ms_vk_memory_copy(ms_device *device, ms_memory *to, ms_memory *from, uint64_t size_bytes, double *seconds, msw_diag *diag);
msw_result ms_vk_run(ms_device *device, ms_module *module, const msw_plan *plan, const msw_enqueue_desc *desc, double *seconds, msw_diag *diag);
msw_result ms_vk_scratch_init(ms_device *device, ms_module *module, const msw_plan *plan, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag);

#endif
