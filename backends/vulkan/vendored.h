/* vendored.h - what vendored headers for Vulkan share: the choice of a plan for a device, its pipelines, and its launches in a command buffer. C11
 * and C++17; no global state, no allocation.
 *
 *   Device    Vulkan 1.3, made with bufferDeviceAddress, scalarBlockLayout, vulkanMemoryModel, vulkanMemoryModelDeviceScope, subgroupSizeControl and
 *             computeFullSubgroups, and what an operation's comment adds to these. No extension is needed but for what a comment names.
 *   Bindings  none. Buffers are device addresses, of VkBuffers with usage SHADER_DEVICE_ADDRESS (and STORAGE_BUFFER); msw_params, 120 bytes, are the
 *             push constants.
 *   Before    what wrote the buffers, carries, n or the scratch, an earlier enqueue included, must be made visible to stage COMPUTE_SHADER, access
 *             SHADER_READ | SHADER_WRITE; what still reads an output must come before by a barrier, too.
 *   After     the results are writes of stage COMPUTE_SHADER, access SHADER_WRITE. Between the kernel's steps barriers are recorded here, and after
 *             the initialisation of a scratch.
 * State     the command buffer is recording, outside a render pass, of a queue family with compute. The compute pipeline, push constants and compute
 *             descriptor sets that were bound are no longer.
 *   Replay    it may be submitted any number of times, one at a time for one scratch.
 *   Threads   enqueue from any, several at once on one kernel, each with its own scratch.
 *   Errors    functions return 0, a VkResult below 0, or, before anything is recorded, a MSW_LAUNCH_ code (launch.h), for what
 *             the library would refuse, too. */
#ifndef MSW_VULKAN_VENDORED_H
#define MSW_VULKAN_VENDORED_H

#include "pipelines.h"

#if !defined(VK_API_VERSION_1_3)
#error "the Vulkan headers are older than 1.3"
#endif

/* The caller's; all but the cache are needed by a create only. */
typedef struct msw_vulkan_app {
    PFN_vkGetInstanceProcAddr get_instance_proc_addr; /* the loader's vkGetInstanceProcAddr, volk's, ..; needed */
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;       /* outlives what is created with it */
    VkPipelineCache cache; /* VK_NULL_HANDLE: none */
} msw_vulkan_app;

/* A plan loaded on a device. */
typedef struct msw_vulkan_kernel {
    const msw_plan *plan; /* NULL: not created */
    VkDevice device;
    VkPipelineLayout layout;
    VkPipeline pipelines[MSW_MAX_KERNELS];
    msw_vulkan_calls vk;
} msw_vulkan_kernel;

/* What a device offers to plans. */
typedef struct msw_vulkan_offer {
    uint32_t features; /* msw_feature bits: those that the device supports; they must have been enabled */
    uint32_t block_threads, block_subgroups, shared_bytes, blocks;
    msw_vulkan_subgroups subgroups;
} msw_vulkan_offer;

static inline int msw_vulkan_offer_of(const msw_vulkan_app *app, msw_vulkan_offer *offer)
{
    const PFN_vkGetPhysicalDeviceProperties2 get_properties =
        (PFN_vkGetPhysicalDeviceProperties2)app->get_instance_proc_addr(app->instance, "vkGetPhysicalDeviceProperties2");
    const PFN_vkGetPhysicalDeviceFeatures2 get_features =
        (PFN_vkGetPhysicalDeviceFeatures2)app->get_instance_proc_addr(app->instance, "vkGetPhysicalDeviceFeatures2");
    VkPhysicalDeviceProperties2 properties;
    VkPhysicalDeviceVulkan11Properties p11;
    VkPhysicalDeviceVulkan12Properties p12;
    VkPhysicalDeviceVulkan13Properties p13;
    VkPhysicalDeviceFeatures2 features;
    VkPhysicalDeviceVulkan11Features f11;
    VkPhysicalDeviceVulkan12Features f12;
    VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR control_flow;
    const VkPhysicalDeviceLimits *limits = &properties.properties.limits;
    if (!get_properties || !get_features) return VK_ERROR_INITIALIZATION_FAILED;
    memset(&properties, 0, sizeof properties);
    memset(&p11, 0, sizeof p11);
    memset(&p12, 0, sizeof p12);
    memset(&p13, 0, sizeof p13);
    memset(&features, 0, sizeof features);
    memset(&f11, 0, sizeof f11);
    memset(&f12, 0, sizeof f12);
    memset(&control_flow, 0, sizeof control_flow);
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    p11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
    p12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
    p13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES;
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    f11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    f12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    control_flow.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR;
    properties.pNext = &p11;
    p11.pNext = &p12;
    p12.pNext = &p13;
    features.pNext = &f11;
    f11.pNext = &f12;
    f12.pNext = &control_flow; /* a driver without the extension leaves it as it is */
    get_properties(app->physical_device, &properties);
    if (properties.properties.apiVersion < VK_API_VERSION_1_3) return VK_ERROR_INCOMPATIBLE_DRIVER;
    get_features(app->physical_device, &features);
    offer->features = msw_vulkan_feature_bits(&features.features, &f11, &f12, control_flow.shaderSubgroupUniformControlFlow, &p11, p12.driverID);
    offer->block_threads = limits->maxComputeWorkGroupInvocations;
    if (limits->maxComputeWorkGroupSize[0] < offer->block_threads) offer->block_threads = limits->maxComputeWorkGroupSize[0];
    offer->block_subgroups = p13.maxComputeWorkgroupSubgroups;
    offer->shared_bytes = limits->maxComputeSharedMemorySize;
    offer->blocks = limits->maxComputeWorkGroupCount[0];
    offer->subgroups = msw_vulkan_subgroups_of(&p11, &p13, VK_TRUE);
    return 0;
}

static inline int msw_vulkan_runs(const msw_vulkan_offer *offer, const msw_plan *plan)
{
    uint32_t i;
    for (i = 0; i < plan->kernel_count; i++) {
        const msw_plan_kernel *k = &plan->kernels[i];
        const uint32_t subgroups = (k->block_threads + k->subgroup_size - 1) / k->subgroup_size;
        if ((k->features & ~offer->features) || k->block_threads > offer->block_threads || k->shared_bytes > offer->shared_bytes) return 0;
        if (!msw_vulkan_has_subgroup(&offer->subgroups, k->subgroup_size)) return 0;
        if (k->subgroup_size > 1 && offer->block_subgroups && subgroups > offer->block_subgroups) return 0;
    }
    for (i = 0; i < plan->step_count; i++)
        if (plan->steps[i].max_blocks > offer->blocks) return 0;
    return 1;
}

/* The plan for the device's usual subgroups, else the first that it runs; NULL: none. */
static inline const msw_plan *msw_vulkan_choose(const msw_vulkan_offer *offer, const msw_plan *plans, uint32_t count)
{
    const msw_plan *first = NULL;
    uint32_t p;
    for (p = 0; p < count; p++) {
        if (!msw_vulkan_runs(offer, &plans[p])) continue;
        if (plans[p].kernels[0].subgroup_size == offer->subgroups.usual) return &plans[p];
        if (!first) first = &plans[p];
    }
    return first;
}

static inline int msw_vulkan_load_calls(const msw_vulkan_app *app, msw_vulkan_calls *vk)
{
    const PFN_vkGetDeviceProcAddr get = (PFN_vkGetDeviceProcAddr)app->get_instance_proc_addr(app->instance, "vkGetDeviceProcAddr");
    if (!get) return VK_ERROR_INITIALIZATION_FAILED;
#define MSW_VULKAN_LOAD(name)                              \
    vk->name = (PFN_vk##name)get(app->device, "vk" #name); \
    if (!vk->name) return VK_ERROR_INITIALIZATION_FAILED;
    MSW_VULKAN_CALLS(MSW_VULKAN_LOAD)
#undef MSW_VULKAN_LOAD
    return 0;
}

static inline void msw_vulkan_unload(msw_vulkan_kernel *kernel)
{
    uint32_t k;
    if (!kernel->plan) return;
    for (k = 0; k < kernel->plan->kernel_count; k++) kernel->vk.DestroyPipeline(kernel->device, kernel->pipelines[k], NULL);
    kernel->vk.DestroyPipelineLayout(kernel->device, kernel->layout, NULL);
    memset(kernel, 0, sizeof *kernel);
}

/* VK_ERROR_FEATURE_NOT_PRESENT: the device runs none of the plans. VK_ERROR_INITIALIZATION_FAILED: get_instance_proc_addr is NULL, or lacks a
 * function. */
static inline int msw_vulkan_load(const msw_plan *plans, uint32_t count, const msw_vulkan_app *app, msw_vulkan_kernel *kernel)
{
    const msw_plan *plan;
    msw_vulkan_offer offer;
    uint32_t k;
    int result;
    memset(kernel, 0, sizeof *kernel);
    memset(&offer, 0, sizeof offer);
    if (!app->get_instance_proc_addr) return VK_ERROR_INITIALIZATION_FAILED;
    if ((result = msw_vulkan_offer_of(app, &offer)) != 0) return result;
    if ((result = msw_vulkan_load_calls(app, &kernel->vk)) != 0) return result;
    if ((plan = msw_vulkan_choose(&offer, plans, count)) == NULL) return VK_ERROR_FEATURE_NOT_PRESENT;
    if ((result = msw_vulkan_create_layout(&kernel->vk, app->device, &kernel->layout)) != VK_SUCCESS) return result;
    kernel->plan = plan;
    kernel->device = app->device;
    for (k = 0; k < plan->kernel_count && result == VK_SUCCESS; k++)
        result = msw_vulkan_create_pipeline(&kernel->vk, app->device, app->cache, kernel->layout, &offer.subgroups, &plan->kernels[k],
                                            &kernel->pipelines[k]);
    if (result != VK_SUCCESS) msw_vulkan_unload(kernel);
    return result;
}

static inline msw_vulkan_recording msw_vulkan_recording_of(const msw_vulkan_kernel *kernel, VkCommandBuffer commands)
{
    msw_vulkan_recording recording;
    recording.vk = &kernel->vk;
    recording.layout = kernel->layout;
    recording.pipelines = kernel->pipelines;
    recording.commands = commands;
    return recording;
}

static inline int msw_vulkan_record(const msw_vulkan_kernel *kernel, VkCommandBuffer commands, const msw_enqueue_desc *desc)
{
    msw_vulkan_recording recording = msw_vulkan_recording_of(kernel, commands);
    const msw_launch_ops ops = msw_vulkan_launch_ops(&recording);
    const int wrong = msw_launch_check(kernel->plan, desc, 0).code;
    return wrong ? wrong : msw_launch_enqueue(kernel->plan, desc, &ops);
}

static inline int msw_vulkan_record_init(const msw_vulkan_kernel *kernel, VkCommandBuffer commands, uint64_t scratch, uint64_t scratch_bytes)
{
    msw_vulkan_recording recording = msw_vulkan_recording_of(kernel, commands);
    const msw_launch_ops ops = msw_vulkan_launch_ops(&recording);
    const int wrong = msw_launch_check_init(kernel->plan, scratch, scratch_bytes).code;
    return wrong ? wrong : msw_launch_init(kernel->plan, scratch, scratch_bytes, &ops);
}

#endif
