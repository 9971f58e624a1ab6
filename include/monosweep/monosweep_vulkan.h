/* monosweep_vulkan.h - use monosweep kernels on the caller's Vulkan objects.
 *
 * Include <vulkan/vulkan.h> (or volk.h) before this header, or let it include vulkan_core.h: it uses types only. The library gets Vulkan's
 * functions from libvulkan.so.1 or from get_instance_proc_addr, and keeps its own pointers to them. So a program may also have prototypes of these
 * functions, or variables of their names, as volk does.
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
    const void *enabled;   /* the pNext chain of the VkDeviceCreateInfo that `device` was made with, read during the call: it tells which
                              features are enabled. Core features of pEnabledFeatures go into a VkPhysicalDeviceFeatures2 of this chain. Other
                              structs may be in it */
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
 *   Besides   where the device has VK_KHR_shader_subgroup_uniform_control_flow, enable it and its feature, and leave its struct in the chain of
 *             msw_vulkan_device.enabled. Kernels then declare that they rely on it: the lanes of a subgroup are together again after a branch.
 *   Required  bufferDeviceAddress, scalarBlockLayout, vulkanMemoryModel, vulkanMemoryModelDeviceScope, subgroupSizeControl.
 *   Optional  computeFullSubgroups; shaderInt64, shaderInt16, shaderFloat64, storageBuffer16BitAccess, storageBuffer8BitAccess, shaderInt8,
 *             shaderFloat16, shaderBufferInt64Atomics: set where the device has them, may be cleared before vkCreateDevice. Types whose feature is
 *             not enabled are then emulated, or refused by name where they cannot be.
 * get_instance_proc_addr NULL: libvulkan.so.1 is opened. Any thread. Errors: UNSUPPORTED (names what the device lacks), DEVICE. */
MSW_API msw_result msw_vulkan_requirements(PFN_vkGetInstanceProcAddr get_instance_proc_addr, VkInstance instance, VkPhysicalDevice physical_device,
                                           msw_vulkan_features *features, msw_diag *diag);

/* Records the kernel into `commands` (recording, outside a render pass, of a queue family with compute): by vkCmdBindPipeline,
 * vkCmdPushConstants, vkCmdDispatch and vkCmdPipelineBarrier alone. It allocates nothing, waits for nothing and reads nothing back. When it
 * fails it has recorded nothing. Memory: VkBuffers with SHADER_DEVICE_ADDRESS usage, by address.
 *   Before    a barrier must make visible what wrote the buffers, carries, n or the scratch, also by an earlier enqueue: to stage COMPUTE_SHADER,
 *             access SHADER_READ | SHADER_WRITE. What still reads an output must also come before, by a barrier.
 *   After     the results are writes of stage COMPUTE_SHADER, access SHADER_WRITE. Between the kernel's steps barriers are recorded here.
 *   State     bind the compute pipeline, push constants and compute descriptor sets anew: those that were bound no longer are.
 *   Replay    the command buffer may be submitted any number of times. Of submissions with one scratch, one is in flight at a time.
 *   Threads   any. Several may enqueue one kernel at once: each with its own scratch (or with one reserved for its command buffer) and, as Vulkan
 *             demands, its own command pool.
 * Errors: those of msw_kernel_run. */
MSW_API msw_result msw_vulkan_enqueue(msw_kernel *kernel, VkCommandBuffer commands, const msw_enqueue_desc *desc, msw_diag *diag);

/* Records the zeroing of a scratch's first scratch_bytes (msw_scratch_bytes of the largest n to come), or of what a pipeline's stages keep in them. A
 * scratch needs it once, before its first enqueue. Commands that follow in the command buffer see it; otherwise as msw_vulkan_enqueue. Nothing is
 * recorded where the plan needs none. Errors: as of msw_vulkan_enqueue; TOO_SMALL (a pipeline's scratch that no n fits). */
MSW_API msw_result msw_vulkan_scratch_init(msw_kernel *kernel, VkCommandBuffer commands, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag);

/* Reserves at least scratch_bytes (msw_scratch_bytes of the largest n to come) for this kernel in this command buffer. The command buffer stands for
 * a stream: one submission of it is in flight at a time. The scratch is initialised when the call returns. From then on the kernel's enqueues in the
 * command buffer use it where their own scratch is 0; MSW_SCRATCH_DIRTY has no effect on them. Blocking: it allocates, submits to the queue of
 * msw_vulkan_device and waits. `commands` only names the command buffer, which need not be recording; it is for queues of
 * msw_vulkan_device.queue_family.
 *   Growth    What was reserved before for this kernel and command buffer stays if it is large enough. Else the larger one is allocated beside it,
 *             and serves enqueues from now on. What was recorded before may be submitted as it is.
 *   Lifetime  until msw_vulkan_scratch_release, or as long as the kernel; also where the command buffer is recorded anew, or is freed and its handle
 *             is given to another. A secondary command buffer needs a scratch reserved for itself.
 *   Barriers  between two enqueues of the kernel in one command buffer as for any scratch (msw_vulkan_enqueue).
 *   Threads   the msw_context's, as for every call that makes something of it. Other threads may meanwhile enqueue the kernel into their own command
 *             buffers.
 * Errors: INVALID_ARGUMENT (also: the context has no queue), OUT_OF_MEMORY, DEVICE. What was reserved before stays. */
MSW_API msw_result msw_vulkan_scratch_reserve(msw_kernel *kernel, VkCommandBuffer commands, uint64_t scratch_bytes, msw_diag *diag);

/* Frees all that is reserved for this kernel and command buffer; does nothing where nothing is. What was recorded with it must be done and must not
 * be submitted again, and no thread may enqueue the kernel meanwhile. kernel may be NULL. */
MSW_API void msw_vulkan_scratch_release(msw_kernel *kernel, VkCommandBuffer commands);

/* The VkBuffer behind a buffer made by msw_buffer_create, for copies recorded by the caller; NULL on other backends. */
MSW_API VkBuffer msw_vulkan_buffer(const msw_buffer *buffer);

#ifdef __cplusplus
}
#endif
#endif
