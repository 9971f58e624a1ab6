/* A plan's kernels as pipelines. */
#include "pipeline_cache.h"

#include "../../runtime/threads.h"

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

static msw_result check_subgroup(const ms_vk_adapter *adapter, const msw_plan_kernel *kernel, msw_diag *diag)
{
    const msw_vulkan_subgroups *subgroups = &adapter->subgroups;
    const uint32_t size = kernel->subgroup_size;
    if (msw_vulkan_has_subgroup(subgroups, size)) return MSW_OK;
    if (size & (size - 1) || size < subgroups->min || size > subgroups->max)
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch",
                       "kernel '%.64s' was made for subgroups of %u, but %s (%.100s) has %u to %u; set the subgroup "
                       "to one of these, or to 1",
                       kernel->entry, size, adapter->info.id, adapter->info.name, subgroups->min, subgroups->max);
    return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch",
                   "kernel '%.64s' was made for subgroups of %u, but compute kernels cannot ask %s (%.100s) for a "
                   "size; set the subgroup to 1",
                   kernel->entry, size, adapter->info.id, adapter->info.name);
}

/* Pipelines of a plan's kernels, made at one time: drivers take as long for the code as our compiler does. */
typedef struct making {
    ms_device *device;
    const msw_plan *plan;
    VkPipelineCache cache;
    uint32_t kernels[MSW_MAX_KERNELS];
    VkPipeline *pipelines; /* of the plan's kernels */
    VkResult results[MSW_MAX_KERNELS];
} making;

static void make_pipeline(void *user, uint32_t i)
{
    making *m = user;
    const uint32_t k = m->kernels[i];
    m->results[i] = msw_vulkan_create_pipeline(&m->device->vk.calls, m->device->handle, m->cache, m->device->layout, &m->device->adapter.subgroups,
                                               &m->plan->kernels[k], &m->pipelines[k]);
}

static msw_result create_pipelines(ms_device *device, ms_cache *cache, const msw_plan *plan, uint64_t kernels, VkPipeline *pipelines, msw_diag *diag)
{
    making m = {.device = device, .plan = plan, .pipelines = pipelines};
    ms_vk_pipelines kept;
    uint32_t count = 0;
    for (uint32_t k = 0; k < plan->kernel_count; k++)
        if (kernels >> k & 1) m.kernels[count++] = k;
    ms_vk_pipelines_begin(device, cache, plan, kernels, &kept);
    m.cache = kept.handle;
    ms_threads_run(count, make_pipeline, &m);
    ms_vk_pipelines_end(device, cache, &kept);
    for (uint32_t i = 0; i < count; i++)
        if (m.results[i] != VK_SUCCESS) return ms_vk_fail(diag, m.results[i], "vkCreateComputePipelines");
    return MSW_OK;
}

/* All that are there. */
static void destroy_pipelines(ms_device *device, const VkPipeline pipelines[MSW_MAX_KERNELS])
{
    for (uint32_t k = 0; k < MSW_MAX_KERNELS; k++) device->vk.calls.DestroyPipeline(device->handle, pipelines[k], NULL);
}

msw_result ms_vk_module_create(ms_device *device, ms_module **module, msw_diag *diag)
{
    *module = ms_alloc(&device->allocator, sizeof **module);
    return *module ? MSW_OK : ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "launch", "vulkan: out of host memory");
}

msw_result ms_vk_module_load(ms_device *device, ms_cache *cache, const msw_plan *plan, uint64_t kernels, ms_module *module, msw_diag *diag)
{
    VkPipeline pipelines[MSW_MAX_KERNELS] = {VK_NULL_HANDLE};
    msw_result result = MSW_OK;
    for (uint32_t k = 0; k < plan->kernel_count && result == MSW_OK; k++) {
        const msw_plan_kernel *kernel = &plan->kernels[k];
        if (!(kernels >> k & 1)) continue;
        result = check_code(kernel, diag);
        if (result == MSW_OK) result = check_subgroup(&device->adapter, kernel, diag);
    }
    if (result == MSW_OK) result = create_pipelines(device, cache, plan, kernels, pipelines, diag);
    if (result != MSW_OK) {
        destroy_pipelines(device, pipelines);
        return result;
    }
    for (uint32_t k = 0; k < plan->kernel_count; k++)
        if (kernels >> k & 1) module->pipelines[k] = pipelines[k];
    return MSW_OK;
}

void ms_vk_module_destroy(ms_device *device, ms_module *module)
{
    destroy_pipelines(device, module->pipelines);
    ms_free(&device->allocator, module, sizeof *module);
}
