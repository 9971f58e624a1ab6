/* monosweep_vulkan.h - use monosweep kernels on the caller's Vulkan objects.
 *
 * Include <vulkan/vulkan.h> (or volk.h) before or let this header include vulkan_core.h: only types are used.
 * SPDX-License-Identifier: MIT */
#ifndef MONOSWEEP_VULKAN_H
#define MONOSWEEP_VULKAN_H

#include <monosweep/monosweep.h>
#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* msw_context_desc.vendor for a Vulkan context on the caller's device. All handles stay the caller's and outlive the context.
 * The device must have been created with what msw_vulkan_requirements asks for; enabled features beyond those are used
 * only when they are named in `features`. */
typedef struct msw_vulkan_device {
    uint32_t struct_size;
    PFN_vkGetInstanceProcAddr get_instance_proc_addr; /* NULL: libvulkan.so.1 is opened */
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    uint32_t queue_family; /* of `queue`; must support compute */
    VkQueue queue;         /* used by blocking calls only; may be NULL when none is made */
    uint32_t features;     /* msw_feature bits enabled at device creation */
} msw_vulkan_device;

/* Fills `features` (a chain owned by the caller: pNext of the first element links the others) with what monosweep
 * needs on this physical device: to be merged into the caller's VkDeviceCreateInfo. *features_bits receives the optional
 * msw_feature bits that were asked for. Errors: UNSUPPORTED names what is missing. */
typedef struct msw_vulkan_features {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceVulkan13Features v13;
} msw_vulkan_features;
MSW_API msw_result msw_vulkan_requirements(PFN_vkGetInstanceProcAddr get_instance_proc_addr, VkInstance instance, VkPhysicalDevice physical_device,
                                           msw_vulkan_features *features, uint32_t *feature_bits, msw_diag *diag);

/* Records the kernel into `commands` (recording, outside a render pass, on a queue family with compute). Allocates nothing,
 * reads nothing back. Barriers: the caller makes earlier writes of its buffers visible to compute shader reads and writes before,
 * and compute shader writes visible to its own uses after; between the kernel's steps they are recorded here.
 * The command buffer may be submitted any number of times, one at a time for one scratch. */
MSW_API msw_result msw_vulkan_enqueue(msw_kernel *kernel, VkCommandBuffer commands, const msw_enqueue_desc *desc, msw_diag *diag);

/* Records the initialisation of a scratch: once before its first enqueue. */
MSW_API msw_result msw_vulkan_scratch_init(msw_kernel *kernel, VkCommandBuffer commands, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag);

/* The VkBuffer behind a buffer made by msw_buffer_create, for copies recorded by the caller; NULL on other backends. */
MSW_API VkBuffer msw_vulkan_buffer(const msw_buffer *buffer);

#ifdef __cplusplus
}
#endif
#endif
