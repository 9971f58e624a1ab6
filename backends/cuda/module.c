/* A plan's kernels as CUDA functions, one module each. */
#include "device.h"

#include <string.h>

enum { LARGEST_SUBGROUP = 32 };

static int is_cubin(const msw_plan_kernel *kernel) { return kernel->code_bytes > 4 && memcmp(kernel->code, "\177ELF", 4) == 0; }

static msw_result check_code(const msw_plan_kernel *kernel, msw_diag *diag)
{
    const char *text = kernel->code;
    int is_text = kernel->code_bytes > 0;
    for (size_t c = 0; is_text && c < kernel->code_bytes && c < 64; c++)
        is_text = (text[c] >= ' ' && text[c] <= '~') || (text[c] >= '\t' && text[c] <= '\r') || (text[c] == '\0' && c + 1 == kernel->code_bytes);
    if (!is_cubin(kernel) && !is_text)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "kernel '%.64s': its code is neither a cubin nor PTX", kernel->entry);
    if (kernel->subgroup_size > LARGEST_SUBGROUP)
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch", "kernel '%.64s' was made for subgroups of %u, but CUDA has %d; set the subgroup to 32",
                       kernel->entry, kernel->subgroup_size, LARGEST_SUBGROUP);
    return MSW_OK;
}

/* The driver's error and, of PTX that it could not assemble, what it wrote. */
static msw_result fail_kernel(const ms_device *device, const msw_plan_kernel *kernel, ms_cu_result failed, const char *call, const char *log,
                              msw_diag *diag)
{
    msw_diag reason;
    const msw_result result = ms_cu_fail(&device->cu, &reason, failed, call);
    return ms_fail(diag, result, "launch", "kernel '%.64s': %.300s%s%s%s", kernel->entry, reason.message, *log ? ": " : "", log,
                   result == MSW_ERROR_UNSUPPORTED ? "; make its code for this device's architecture" : "");
}

static msw_result load_image(const ms_device *device, const msw_plan_kernel *kernel, const void *image, CUmodule *module, msw_diag *diag)
{
    char log[512] = "";
    unsigned options[] = {MS_CU_JIT_ERROR_LOG_BUFFER, MS_CU_JIT_ERROR_LOG_BUFFER_BYTES};
    void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
    const ms_cu_result loaded = device->cu.ModuleLoadDataEx(module, image, 2, options, values);
    return loaded == MS_CU_SUCCESS ? MSW_OK : fail_kernel(device, kernel, loaded, "cuModuleLoadDataEx", log, diag);
}

/* The driver takes no size: text gets its end. */
static msw_result load_text(const ms_device *device, const msw_plan_kernel *kernel, CUmodule *module, msw_diag *diag)
{
    char *text = ms_alloc(&device->allocator, kernel->code_bytes + 1);
    msw_result result;
    if (!text) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "launch", "cuda: out of host memory");
    memcpy(text, kernel->code, kernel->code_bytes);
    result = load_image(device, kernel, text, module, diag);
    ms_free(&device->allocator, text, kernel->code_bytes + 1);
    return result;
}

/* Asking for an attribute also makes sure that the function is on the device, so that no launch has to load it. */
static msw_result find_function(const ms_device *device, const msw_plan_kernel *kernel, CUmodule module, CUfunction *function, msw_diag *diag)
{
    const ms_cu_functions *cu = &device->cu;
    int most_threads = 0;
    ms_cu_result result = cu->ModuleGetFunction(function, module, kernel->entry);
    if (result != MS_CU_SUCCESS) return fail_kernel(device, kernel, result, "cuModuleGetFunction", "", diag);
    result = cu->FuncGetAttribute(&most_threads, MS_CU_FUNC_MAX_THREADS_PER_BLOCK, *function);
    if (result != MS_CU_SUCCESS) return fail_kernel(device, kernel, result, "cuFuncGetAttribute", "", diag);
    if ((uint32_t)most_threads < kernel->block_threads)
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch",
                       "kernel '%.64s' has blocks of %u threads, but its registers allow %d; set a smaller block", kernel->entry,
                       kernel->block_threads, most_threads);
    if (kernel->dynamic_shared_bytes)
        result = cu->FuncSetAttribute(*function, MS_CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)kernel->dynamic_shared_bytes);
    if (result == MS_CU_SUCCESS && kernel->cluster_blocks > PORTABLE_CLUSTER_BLOCKS &&
        kernel->cluster_blocks <= device->info.target.max_cluster_blocks) /* else it is not launched */
        result = cu->FuncSetAttribute(*function, MS_CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    return result == MS_CU_SUCCESS ? MSW_OK : fail_kernel(device, kernel, result, "cuFuncSetAttribute", "", diag);
}

/* How many blocks of a kernel a multiprocessor holds at once. */
static msw_result count_held_blocks(const ms_device *device, const msw_plan_kernel *kernel, CUfunction function, uint32_t *blocks, msw_diag *diag)
{
    int held = 0;
    const ms_cu_result result =
        device->cu.OccupancyMaxActiveBlocksPerMultiprocessor(&held, function, (int)kernel->block_threads, kernel->dynamic_shared_bytes);
    if (result != MS_CU_SUCCESS) return fail_kernel(device, kernel, result, "cuOccupancyMaxActiveBlocksPerMultiprocessor", "", diag);
    if (held <= 0)
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch", "kernel '%.64s': no block of it fits the device; set a smaller block", kernel->entry);
    *blocks = (uint32_t)held;
    return MSW_OK;
}

static msw_result load_kernel(ms_device *device, const msw_plan_kernel *kernel, ms_module *module, uint32_t k, msw_diag *diag)
{
    msw_result result = check_code(kernel, diag);
    if (result != MSW_OK) return result;
    result =
        is_cubin(kernel) ? load_image(device, kernel, kernel->code, &module->modules[k], diag) : load_text(device, kernel, &module->modules[k], diag);
    if (result == MSW_OK) result = find_function(device, kernel, module->modules[k], &module->functions[k], diag);
    if (result == MSW_OK && kernel->is_cooperative) result = count_held_blocks(device, kernel, module->functions[k], &module->held_blocks[k], diag);
    return result;
}

static msw_result load_kernels(ms_device *device, const msw_plan *plan, uint64_t kernels, ms_module *module, msw_diag *diag)
{
    msw_result result = MSW_OK;
    for (uint32_t k = 0; k < plan->kernel_count && result == MSW_OK; k++)
        if (kernels >> k & 1) result = load_kernel(device, &plan->kernels[k], module, k, diag);
    return result;
}

/* The context is current. */
static void unload_kernels(ms_device *device, ms_module *module, uint64_t kernels)
{
    for (uint32_t k = 0; k < MSW_MAX_KERNELS; k++) {
        if (!(kernels >> k & 1) || !module->modules[k]) continue;
        device->cu.ModuleUnload(module->modules[k]);
        module->modules[k] = NULL;
    }
}

msw_result ms_cu_module_create(ms_device *device, ms_module **module, msw_diag *diag)
{
    *module = ms_alloc(&device->allocator, sizeof **module);
    return *module ? MSW_OK : ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "launch", "cuda: out of host memory");
}

msw_result ms_cu_module_load(ms_device *device, ms_cache *cache, const msw_plan *plan, uint64_t kernels, ms_module *module, msw_diag *diag)
{
    (void)cache; /* the driver keeps what it makes of PTX */
    msw_result result = ms_cu_enter(device, diag);
    if (result != MSW_OK) return result;
    result = load_kernels(device, plan, kernels, module, diag);
    if (result != MSW_OK) unload_kernels(device, module, kernels); /* they may be loaded again */
    return ms_cu_leave(device, result, diag);
}

static int has_kernels(const ms_module *module)
{
    for (uint32_t k = 0; k < MSW_MAX_KERNELS; k++)
        if (module->modules[k]) return 1;
    return 0;
}

void ms_cu_module_destroy(ms_device *device, ms_module *module)
{
    if (has_kernels(module) && ms_cu_enter(device, NULL) == MSW_OK) {
        unload_kernels(device, module, UINT64_MAX);
        ms_cu_leave(device, MSW_OK, NULL);
    }
    ms_free(&device->allocator, module, sizeof *module);
}
