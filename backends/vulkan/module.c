/* A plan's kernels as pipelines. */
#include "device.h"

enum { SPIRV_MAGIC = 0x07230203, SPIRV_HEADER_WORDS = 5, SPIRV_FUNCTION_END = 56 };

/* Drivers trust the code that they get; this finds code that was cut or overwritten, by walking its instructions to the end of a function. */
static int is_spirv(const uint32_t *words, size_t bytes)
{
    const size_t count = bytes / 4;
    uint32_t last = 0;
    if (bytes % 4 || (uintptr_t)words % 4 || count <= SPIRV_HEADER_WORDS || words[0] != SPIRV_MAGIC) return 0;
    for (size_t at = SPIRV_HEADER_WORDS, length; at < count; at += length) {
        length = words[at] >> 16;
        last = words[at] & 0xffff;
        if (length == 0 || length > count - at) return 0;
    }
    return last == SPIRV_FUNCTION_END;
}

static msw_result check_code(const msw_plan_kernel *kernel, msw_diag *diag)
{
    if (is_spirv(kernel->code, kernel->code_bytes)) return MSW_OK;
    return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch",
                   "kernel '%.64s': its code is not whole SPIR-V, or not aligned to 4 bytes; generate and compile it again", kernel->entry);
}

/* A size of 1 means that the text has no subgroup operation. */
static msw_result check_subgroup(const ms_vk_adapter *adapter, const msw_plan_kernel *kernel, msw_diag *diag)
{
    const uint32_t size = kernel->subgroup_size, fixed = adapter->info.target.subgroup_size;
    if (size == 1) return MSW_OK;
    if (size & (size - 1) || size < adapter->min_subgroup || size > adapter->max_subgroup)
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch", "kernel '%.64s' was made for subgroups of %u, but %s (%.100s) has %u to %u; set the subgroup "
                       "to one of these, or to 1", kernel->entry, size, adapter->info.id, adapter->info.name, adapter->min_subgroup, adapter->max_subgroup);
    if (!adapter->can_require_subgroup && (size != fixed || adapter->min_subgroup != adapter->max_subgroup))
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch", "kernel '%.64s' was made for subgroups of %u, but compute kernels cannot ask %s (%.100s) for a "
                       "size; set the subgroup to 1", kernel->entry, size, adapter->info.id, adapter->info.name);
    return MSW_OK;
}

static msw_result create_pipeline(ms_device *device, const msw_plan_kernel *kernel, VkPipeline *pipeline, msw_diag *diag)
{
    const ms_vk_adapter *adapter = &device->adapter;
    const int uses_subgroups = kernel->subgroup_size > 1;
    const int is_full = uses_subgroups && adapter->has_full_subgroups && kernel->block_threads % kernel->subgroup_size == 0;
    const VkShaderModuleCreateInfo code = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = kernel->code_bytes, .pCode = kernel->code};
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, .requiredSubgroupSize = kernel->subgroup_size};
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .layout = device->layout,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .pNext = uses_subgroups && adapter->can_require_subgroup ? &size : NULL,
                                                  .flags = is_full ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT : 0,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .pName = "main"}};
    VkResult result = device->vk.CreateShaderModule(device->handle, &code, NULL, &info.stage.module);
    if (result != VK_SUCCESS) return ms_vk_fail(diag, result, "vkCreateShaderModule");
    result = device->vk.CreateComputePipelines(device->handle, VK_NULL_HANDLE, 1, &info, NULL, pipeline);
    device->vk.DestroyShaderModule(device->handle, info.stage.module, NULL);
    return result == VK_SUCCESS ? MSW_OK : ms_vk_fail(diag, result, "vkCreateComputePipelines");
}

msw_result ms_vk_module_create(ms_device *device, const msw_plan *plan, ms_module **module, msw_diag *diag)
{
    ms_module *m = ms_alloc(&device->allocator, sizeof *m);
    msw_result result = MSW_OK;
    if (!m) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "launch", "vulkan: out of host memory");
    for (uint32_t k = 0; k < plan->kernel_count && result == MSW_OK; k++) {
        const msw_plan_kernel *kernel = &plan->kernels[k];
        result = check_code(kernel, diag);
        if (result == MSW_OK) result = check_subgroup(&device->adapter, kernel, diag);
        if (result == MSW_OK) result = create_pipeline(device, kernel, &m->pipelines[k], diag);
    }
    if (result != MSW_OK) {
        ms_vk_module_destroy(device, m);
        return result;
    }
    *module = m;
    return MSW_OK;
}

void ms_vk_module_destroy(ms_device *device, ms_module *module)
{
    for (uint32_t k = 0; k < MSW_MAX_KERNELS; k++) device->vk.DestroyPipeline(device->handle, module->pipelines[k], NULL);
    ms_free(&device->allocator, module, sizeof *module);
}
