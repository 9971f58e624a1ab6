/* A plan's pipelines on a Vulkan device, and running them: on our queue, or recorded into the caller's command buffer. */
#include "device.h"

#include "../../runtime/launch.h"
#include "../../runtime/objects.h"

#include <string.h>

static msw_result create_layout(ms_device *device, ms_module *module, msw_diag *diag)
{
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(msw_params)};
    const VkPipelineLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .pushConstantRangeCount = 1, .pPushConstantRanges = &range};
    const VkResult result = device->vk.CreatePipelineLayout(device->handle, &info, NULL, &module->layout);
    return result == VK_SUCCESS ? MSW_OK : ms_vk_fail(diag, result, "vkCreatePipelineLayout");
}

static msw_result create_pipeline(ms_device *device, const msw_plan_kernel *kernel, VkPipelineLayout layout, VkPipeline *pipeline, msw_diag *diag)
{
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, .requiredSubgroupSize = kernel->subgroup_size};
    const VkShaderModuleCreateInfo code = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = kernel->code_bytes, .pCode = kernel->code};
    const int sized = kernel->subgroup_size > 1;
    VkShaderModule shader;
    if (sized && (kernel->subgroup_size < device->min_subgroup || kernel->subgroup_size > device->max_subgroup))
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch", "kernel '%.64s' was made for subgroups of %u, the device has %u to %u; set the subgroup knob",
                       kernel->entry, kernel->subgroup_size, device->min_subgroup, device->max_subgroup);
    VkResult result = device->vk.CreateShaderModule(device->handle, &code, NULL, &shader);
    if (result != VK_SUCCESS) return ms_vk_fail(diag, result, "vkCreateShaderModule");
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = layout, .basePipelineIndex = -1,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .pNext = sized ? &size : NULL,
                  .flags = sized ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT : 0,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = shader, .pName = "main"}};
    result = device->vk.CreateComputePipelines(device->handle, VK_NULL_HANDLE, 1, &info, NULL, pipeline);
    device->vk.DestroyShaderModule(device->handle, shader, NULL);
    return result == VK_SUCCESS ? MSW_OK : ms_vk_fail(diag, result, "vkCreateComputePipelines");
}

void ms_vk_module_destroy(ms_device *device, ms_module *module)
{
    for (int k = 0; k < MSW_MAX_KERNELS; k++)
        if (module->pipelines[k]) device->vk.DestroyPipeline(device->handle, module->pipelines[k], NULL);
    if (module->layout) device->vk.DestroyPipelineLayout(device->handle, module->layout, NULL);
    ms_free(&device->allocator, module, sizeof *module);
}

msw_result ms_vk_module_create(ms_device *device, const msw_plan *plan, ms_module **module, msw_diag *diag)
{
    ms_module *m = ms_alloc(&device->allocator, sizeof *m);
    if (!m) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "launch", "vulkan: out of host memory");
    msw_result result = create_layout(device, m, diag);
    for (uint32_t k = 0; k < plan->kernel_count && result == MSW_OK; k++)
        result = create_pipeline(device, &plan->kernels[k], m->layout, &m->pipelines[k], diag);
    if (result != MSW_OK) ms_vk_module_destroy(device, m);
    else *module = m;
    return result;
}

/* ---- recording ---- */

typedef struct recording {
    const ms_device *device;
    const ms_module *module;
    VkCommandBuffer commands;
} recording;

static int record_dispatch(void *user, uint32_t kernel, uint32_t blocks, const msw_params *params)
{
    const recording *r = user;
    r->device->vk.CmdBindPipeline(r->commands, VK_PIPELINE_BIND_POINT_COMPUTE, r->module->pipelines[kernel]);
    r->device->vk.CmdPushConstants(r->commands, r->module->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof *params, params);
    r->device->vk.CmdDispatch(r->commands, blocks, 1, 1);
    return 0;
}

static void record_barrier(void *user)
{
    const recording *r = user;
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
    r->device->vk.CmdPipelineBarrier(r->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
}

/* The description was checked before (ms_enqueue_check). */
static void record(recording *r, const msw_plan *plan, const msw_enqueue_desc *desc)
{
    const msw_launch_ops ops = {r, record_dispatch, record_barrier};
    msw_params params = {.n = desc->n, .n_address = desc->n_address, .scratch = desc->scratch, .carry_in = desc->carry_in, .carry_out = desc->carry_out};
    memcpy(params.buffer, desc->buffers, sizeof params.buffer);
    if ((desc->flags & MSW_SCRATCH_DIRTY) && plan->init_step_count) {
        msw_launch_init(plan, desc->scratch, &ops);
        record_barrier(r);
    }
    msw_launch(plan, &params, &ops);
}

/* Seconds between the two timestamps of the last submission. */
static msw_result read_seconds(ms_device *device, double *seconds, msw_diag *diag)
{
    uint64_t ticks[2] = {0, 0};
    const VkResult result = device->vk.GetQueryPoolResults(device->handle, device->timestamps, 0, 2, sizeof ticks, ticks, sizeof ticks[0],
                                                           VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    if (result != VK_SUCCESS) return ms_vk_fail(diag, result, "vkGetQueryPoolResults");
    *seconds = (double)(ticks[1] - ticks[0]) * device->timestamp_seconds;
    return MSW_OK;
}

msw_result ms_vk_run(ms_device *device, ms_module *module, const msw_plan *plan, const msw_enqueue_desc *desc, double *seconds, msw_diag *diag)
{
    recording r = {device, module, device->commands};
    msw_result result = ms_vk_begin(device, diag);
    if (result != MSW_OK) return result;
    if (device->timestamps) {
        device->vk.CmdResetQueryPool(r.commands, device->timestamps, 0, 2);
        device->vk.CmdWriteTimestamp(r.commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, device->timestamps, 0);
    }
    record(&r, plan, desc);
    if (device->timestamps) device->vk.CmdWriteTimestamp(r.commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, device->timestamps, 1);
    *seconds = 0;
    result = ms_vk_submit(device, diag);
    return result == MSW_OK && device->timestamps ? read_seconds(device, seconds, diag) : result;
}

/* ---- the caller's command buffer ---- */

msw_result msw_vulkan_enqueue(msw_kernel *kernel, VkCommandBuffer commands, const msw_enqueue_desc *desc, msw_diag *diag)
{
    if (!kernel || !commands || kernel->plan.backend != MSW_BACKEND_VULKAN)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "msw_vulkan_enqueue: a kernel of a Vulkan context and a command buffer are needed");
    const msw_result result = ms_enqueue_check(&kernel->plan, desc, diag);
    if (result != MSW_OK) return result;
    recording r = {kernel->context->device, kernel->module, commands};
    record(&r, &kernel->plan, desc);
    return ms_ok(diag);
}

msw_result msw_vulkan_scratch_init(msw_kernel *kernel, VkCommandBuffer commands, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag)
{
    if (!kernel || !commands || kernel->plan.backend != MSW_BACKEND_VULKAN)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "msw_vulkan_scratch_init: a kernel of a Vulkan context and a command buffer are needed");
    if (kernel->plan.scratch_init_bytes > scratch_bytes || (kernel->plan.scratch_init_bytes && !scratch))
        return ms_fail(diag, MSW_ERROR_TOO_SMALL, "launch", "msw_vulkan_scratch_init: the scratch is too small; ask msw_scratch_bytes");
    recording r = {kernel->context->device, kernel->module, commands};
    const msw_launch_ops ops = {&r, record_dispatch, record_barrier};
    msw_launch_init(&kernel->plan, scratch, &ops);
    return ms_ok(diag);
}

VkBuffer msw_vulkan_buffer(const msw_buffer *buffer)
{
    return buffer && buffer->context->backend == &ms_backend_vulkan ? buffer->memory->buffer : VK_NULL_HANDLE;
}
