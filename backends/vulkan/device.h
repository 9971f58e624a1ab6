/* device.h - an open Vulkan device: what device.c makes and module.c uses. */
#ifndef MS_VK_DEVICE_H
#define MS_VK_DEVICE_H

#include "loader.h"

struct ms_device {
    msw_allocator allocator;
    ms_vk_log log;
    ms_vk_instance instance;
    ms_vk_functions vk;
    VkPhysicalDevice physical;
    VkDevice handle;
    int is_owned;
    VkQueue queue;
    VkPhysicalDeviceMemoryProperties memory;
    VkCommandPool pool; /* one command buffer, one fence, two timestamps: blocking calls reuse them */
    VkCommandBuffer commands;
    VkFence fence;
    VkQueryPool timestamps; /* NULL when the queue has none */
    double timestamp_seconds;
    uint32_t min_subgroup, max_subgroup;
    struct ms_memory *staging; /* NULL: every buffer is host-visible */
};

struct ms_memory {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *mapped; /* NULL: not host-visible */
};

struct ms_module {
    VkPipelineLayout layout;
    VkPipeline pipelines[MSW_MAX_KERNELS];
};

/* Submits device->commands, which has been ended, and waits. (device.c) */
msw_result ms_vk_submit(struct ms_device *device, msw_diag *diag);
msw_result ms_vk_begin(struct ms_device *device, msw_diag *diag);

msw_result ms_vk_module_create(struct ms_device *device, const msw_plan *plan, struct ms_module **module, msw_diag *diag);
void ms_vk_module_destroy(struct ms_device *device, struct ms_module *module);
msw_result ms_vk_run(struct ms_device *device, struct ms_module *module, const msw_plan *plan, const msw_enqueue_desc *desc, double *seconds, msw_diag *diag);

#endif
