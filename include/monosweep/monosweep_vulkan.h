/* monosweep_vulkan.h - use monosweep kernels on the caller's Vulkan objects.
 *
 * Include <vulkan/vulkan.h> (or volk.h) before or let this header include vulkan_core.h: only types are used. The library has its functions
 * from libvulkan.so.1 or from get_instance_proc_addr, by pointers of its own: an application's prototypes or variables of their names may be in
 * the program beside them.
 * SPDX-License-Identifier: MIT */
#ifndef MONOSWEEP_VULKAN_H
#define MONOSWEEP_VULKAN_H

#include <monosweep/monosweep.h>
#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* msw_context_desc.vendor for a Vulkan context on the caller's device. All handles stay the caller's and outlive the context.
 * The device must have been created with what msw_vulkan_requirements asks for: a context says by name what is missing (UNSUPPORTED).
 * Several contexts, of several threads too, may share one device. */
typedef struct msw_vulkan_device {
    uint32_t struct_size;
    PFN_vkGetInstanceProcAddr get_instance_proc_addr; /* NULL: libvulkan.so.1 is opened */
    VkInstance instance;                              /* made for Vulkan 1.3 */
    VkPhysicalDevice physical_device;
    VkDevice device;
    uint32_t queue_family; /* of `queue`; must support compute */
    VkQueue queue;         /* for blocking calls only, and for nothing else while one runs; NULL: no such calls */
    const void *enabled;   /* the pNext chain of the VkDeviceCreateInfo that `device` was made with, read during the call: which features are
                              enabled. Core ones that pEnabledFeatures gave go into a VkPhysicalDeviceFeatures2 of it; other structs may be in it */
} msw_vulkan_device;

/* A chain, owned by the caller, which begins with `core`: core.pNext links the others. */
typedef struct msw_vulkan_features {
    uint32_t struct_size; /* the caller sets it */
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceVulkan13Features v13;
} msw_vulkan_features;

/* Before vkCreateDevice: fills `features` with all that monosweep uses of this physical device. &features->core is for the pNext of the caller's
 * VkDeviceCreateInfo, or to be merged into it. No extension is needed, of instance or device; the instance is one for Vulkan 1.3.
 *   Besides   where the device has VK_KHR_shader_subgroup_uniform_control_flow, enable it with its feature, and leave its struct in the chain that
 *             msw_vulkan_device.enabled gets: kernels then declare that they rely on subgroups being together again behind a branch.
 *   Required  bufferDeviceAddress, scalarBlockLayout, vulkanMemoryModel, vulkanMemoryModelDeviceScope, subgroupSizeControl.
 *   Optional  computeFullSubgroups; shaderInt64, shaderInt16, shaderFloat64, storageBuffer16BitAccess, storageBuffer8BitAccess, shaderInt8,
 *             shaderFloat16, shaderBufferInt64Atomics: set where the device has them, may be cleared before vkCreateDevice. Types whose feature is
 *             not enabled are then emulated, or refused by name where they cannot be.
 * get_instance_proc_addr NULL: libvulkan.so.1 is opened. Any thread. Errors: UNSUPPORTED (names what the device lacks), DEVICE. */
MSW_API msw_result msw_vulkan_requirements(PFN_vkGetInstanceProcAddr get_instance_proc_addr, VkInstance instance, VkPhysicalDevice physical_device,
                                           msw_vulkan_features *features, msw_diag *diag);

/* Records the kernel into `commands` (recording, outside a render pass, of a queue family with compute): by vkCmdBindPipeline,
 * vkCmdPushConstants, vkCmdDispatch and vkCmdPipelineBarrier alone. Allocates nothing, waits for nothing, reads nothing back; when it fails it
 * has recorded nothing. Memory: VkBuffers with SHADER_DEVICE_ADDRESS usage, by address.
 *   Before    what wrote the buffers, carries, n or the scratch, an earlier enqueue included, must be made visible to stage
 *             COMPUTE_SHADER, access SHADER_READ | SHADER_WRITE; what still reads an output must come before by a barrier, too.
 *   After     the results are writes of stage COMPUTE_SHADER, access SHADER_WRITE. Between the kernel's steps barriers are recorded here.
 *   State     the compute pipeline, push constants and compute descriptor sets that were bound are no longer: bind them anew.
 *   Replay    the command buffer may be submitted any number of times, one at a time for one scratch.
 *   Threads   any, several at once on one kernel; each with its own scratch (or command buffers that some is reserved for) and, as Vulkan asks, its
 *             own command pool.
 * Errors: those of msw_kernel_run. */
MSW_API msw_result msw_vulkan_enqueue(msw_kernel *kernel, VkCommandBuffer commands, const msw_enqueue_desc *desc, msw_diag *diag);

/* Records the zeroing of a scratch's first scratch_bytes (msw_scratch_bytes of the largest n to come): once before its first enqueue.
 * What follows in the command buffer sees it; else as msw_vulkan_enqueue. Nothing is recorded where the plan needs none. */
MSW_API msw_result msw_vulkan_scratch_init(msw_kernel *kernel, VkCommandBuffer commands, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag);

/* Reserves scratch_bytes at least (msw_scratch_bytes of the largest n to come) for this kernel in this command buffer, which is Vulkan's stream: one
 * submission of it is in flight at a time. Initialised when the call returns: from then on the kernel's enqueues there that give no scratch of their
 * own (0) take it, and MSW_SCRATCH_DIRTY means nothing to them. Blocking: it allocates, submits to the queue of msw_vulkan_device and waits. The
 * command buffer is a name here and need not be recording; it is for queues of msw_vulkan_device.queue_family.
 *   Grows     What was reserved before for both goes on to serve if it is large enough; else the larger comes beside it, for enqueues from now on,
 *             and what was recorded before may be submitted as it is.
 *   Lifetime  until msw_vulkan_scratch_release, or as long as the kernel: also where the command buffer is recorded anew, or freed and its handle
 *             given to another. Secondary command buffers have what was reserved for themselves.
 *   Barriers  between two enqueues of the kernel in one command buffer as for any scratch (msw_vulkan_enqueue).
 *   Threads   the msw_context's, as everything that makes something; others may enqueue the kernel into command buffers of theirs meanwhile.
 * Errors: INVALID_ARGUMENT (also: the context has no queue), OUT_OF_MEMORY, DEVICE. What was reserved before then stays. */
MSW_API msw_result msw_vulkan_scratch_reserve(msw_kernel *kernel, VkCommandBuffer commands, uint64_t scratch_bytes, msw_diag *diag);

/* Gives back all that is reserved for both; nothing happens where nothing is. What was recorded with it is done, and submitted no more; no thread
 * enqueues the kernel meanwhile. kernel may be NULL. */
MSW_API void msw_vulkan_scratch_release(msw_kernel *kernel, VkCommandBuffer commands);

/* The VkBuffer behind a buffer made by msw_buffer_create, for copies recorded by the caller; NULL on other backends. */
MSW_API VkBuffer msw_vulkan_buffer(const msw_buffer *buffer);

#ifdef __cplusplus
}
#endif
#endif
