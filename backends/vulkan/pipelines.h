/* pipelines.h - a plan's kernels as pipelines, and its launches in a command buffer: an allocation-free fragment, used by the runtime and copied
 * into vendored headers, so it is C11 and C++17. */
#ifndef MSW_VULKAN_PIPELINES_H
#define MSW_VULKAN_PIPELINES_H

#include "../../runtime/launch.h"

#include <vulkan/vulkan_core.h>

/* The device's functions that are called. */
// clang-format off
#define MSW_VULKAN_CALLS(X) \
    X(CreatePipelineLayout) X(DestroyPipelineLayout) X(CreateShaderModule) X(DestroyShaderModule) X(CreateComputePipelines) X(DestroyPipeline) \
    X(CmdBindPipeline) X(CmdPushConstants) X(CmdDispatch) X(CmdPipelineBarrier)
// clang-format on
#define MSW_VULKAN_CALL(name) PFN_vk##name name;
typedef struct msw_vulkan_calls {
    MSW_VULKAN_CALLS(MSW_VULKAN_CALL)
} msw_vulkan_calls;
#undef MSW_VULKAN_CALL

/* What kernels can ask of a device's subgroups. */
typedef struct msw_vulkan_subgroups {
    uint32_t min, max, usual; /* sizes; usual: without asking */
    int can_require;          /* compute pipelines may ask for a size */
    int has_full;             /* .. and for all lanes of it */
} msw_vulkan_subgroups;

static inline msw_vulkan_subgroups msw_vulkan_subgroups_of(const VkPhysicalDeviceVulkan11Properties *v11,
                                                           const VkPhysicalDeviceVulkan13Properties *v13, VkBool32 has_full)
{
    msw_vulkan_subgroups s;
    s.min = v13->minSubgroupSize;
    s.max = v13->maxSubgroupSize;
    s.usual = v11->subgroupSize;
    s.can_require = (v13->requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
    s.has_full = has_full == VK_TRUE;
    return s;
}

/* Whether it runs kernels made for this size; one of size 1 has no subgroup operation and runs with any. */
static inline int msw_vulkan_has_subgroup(const msw_vulkan_subgroups *s, uint32_t size)
{
    if (size == 1) return 1;
    if ((size & (size - 1)) || size < s->min || size > s->max) return 0;
    return s->can_require || (size == s->usual && s->min == s->max);
}

/* msw_feature bits of a device that has these features, or enabled them. */
static inline uint32_t msw_vulkan_feature_bits(const VkPhysicalDeviceFeatures *core, const VkPhysicalDeviceVulkan11Features *v11,
                                               const VkPhysicalDeviceVulkan12Features *v12, VkBool32 has_uniform_control_flow,
                                               const VkPhysicalDeviceVulkan11Properties *properties, VkDriverId driver)
{
    const VkSubgroupFeatureFlags subgroup = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
                                            VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT;
    const int has_compute = (properties->subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
    const int has_subgroup = has_compute && (properties->subgroupSupportedOperations & subgroup) == subgroup;
    uint32_t bits = 0;
    if (v12->shaderInt8 && v12->storageBuffer8BitAccess) bits |= MSW_FEATURE_INT8;
    if (core->shaderInt16 && v11->storageBuffer16BitAccess) bits |= MSW_FEATURE_INT16;
    if (core->shaderInt64) bits |= MSW_FEATURE_INT64;
    if (v12->shaderFloat16 && v11->storageBuffer16BitAccess) bits |= MSW_FEATURE_FLOAT16;
    if (core->shaderFloat64) bits |= MSW_FEATURE_FLOAT64;
    if (v12->shaderBufferInt64Atomics && core->shaderInt64) bits |= MSW_FEATURE_ATOMIC64;
    if (has_subgroup) bits |= MSW_FEATURE_SUBGROUP;
    if (has_subgroup && has_uniform_control_flow) bits |= MSW_FEATURE_UNIFORM_CONTROL_FLOW;
    if (driver != VK_DRIVER_ID_MESA_LLVMPIPE) bits |= MSW_FEATURE_LONG_LOOPS; /* it ends a shader's loops, silently, after 65535 iterations in all */
    return bits;
}

/* Of every kernel: no descriptors, msw_params as push constants. */
static inline VkResult msw_vulkan_create_layout(const msw_vulkan_calls *vk, VkDevice device, VkPipelineLayout *layout)
{
    VkPushConstantRange range;
    VkPipelineLayoutCreateInfo info;
    memset(&info, 0, sizeof info);
    range.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    range.offset = 0;
    range.size = sizeof(msw_params);
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    return vk->CreatePipelineLayout(device, &info, NULL, layout);
}

/* The pipeline asks for the subgroup size that its kernel was made for, and for all lanes of it, where it can. */
static inline VkResult msw_vulkan_create_pipeline(const msw_vulkan_calls *vk, VkDevice device, VkPipelineCache cache, VkPipelineLayout layout,
                                                  const msw_vulkan_subgroups *subgroups, const msw_plan_kernel *kernel, VkPipeline *pipeline)
{
    VkShaderModuleCreateInfo code;
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size;
    VkComputePipelineCreateInfo info;
    VkResult result;
    memset(&code, 0, sizeof code);
    memset(&size, 0, sizeof size);
    memset(&info, 0, sizeof info);
    code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    code.codeSize = kernel->code_bytes;
    code.pCode = (const uint32_t *)kernel->code;
    size.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
    size.requiredSubgroupSize = kernel->subgroup_size;
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.layout = layout;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = "main";
    if (kernel->subgroup_size > 1 && subgroups->can_require) info.stage.pNext = &size;
    if (kernel->subgroup_size > 1 && subgroups->has_full && kernel->block_threads % kernel->subgroup_size == 0)
        info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    result = vk->CreateShaderModule(device, &code, NULL, &info.stage.module);
    if (result != VK_SUCCESS) return result;
    result = vk->CreateComputePipelines(device, cache, 1, &info, NULL, pipeline);
    vk->DestroyShaderModule(device, info.stage.module, NULL);
    return result;
}

/* ---- msw_launch_ops of a command buffer: `user` is a msw_vulkan_recording ---- */

typedef struct msw_vulkan_recording {
    const msw_vulkan_calls *vk;
    VkPipelineLayout layout;
    const VkPipeline *pipelines; /* of the plan's kernels */
    VkCommandBuffer commands;
} msw_vulkan_recording;

/* Recording cannot fail. */
static inline int msw_vulkan_dispatch(void *user, uint32_t kernel, uint32_t blocks, const msw_params *params)
{
    const msw_vulkan_recording *r = (const msw_vulkan_recording *)user;
    r->vk->CmdBindPipeline(r->commands, VK_PIPELINE_BIND_POINT_COMPUTE, r->pipelines[kernel]);
    r->vk->CmdPushConstants(r->commands, r->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof *params, params);
    r->vk->CmdDispatch(r->commands, blocks, 1, 1);
    return 0;
}

static inline void msw_vulkan_barrier(void *user)
{
    const msw_vulkan_recording *r = (const msw_vulkan_recording *)user;
    VkMemoryBarrier barrier;
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.pNext = NULL;
    barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    r->vk->CmdPipelineBarrier(r->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, NULL, 0,
                              NULL);
}

static inline msw_launch_ops msw_vulkan_launch_ops(msw_vulkan_recording *recording)
{
    msw_launch_ops ops;
    ops.user = recording;
    ops.dispatch = msw_vulkan_dispatch;
    ops.barrier = msw_vulkan_barrier;
    ops.max_cluster_blocks = 0;
    return ops;
}

#endif
