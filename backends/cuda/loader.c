#include "loader.h"

#include <dlfcn.h>
#include <string.h>

msw_result ms_cu_fail(const ms_cu_functions *cu, msw_diag *diag, ms_cu_result result, const char *call)
{
    const char *text = NULL;
    msw_result code = MSW_ERROR_DEVICE;
    if (cu->GetErrorString(result, &text) != MS_CU_SUCCESS || !text) text = "failed";
    if (result == MS_CU_ERROR_OUT_OF_MEMORY) code = MSW_ERROR_OUT_OF_MEMORY;
    if (result == MS_CU_ERROR_NO_BINARY_FOR_GPU || result == MS_CU_ERROR_UNSUPPORTED_PTX_VERSION) code = MSW_ERROR_UNSUPPORTED;
    return ms_fail(diag, code, "device", "%s: %.200s (CUresult %u)", call, text, result);
}

/* The system's driver. It has threads and exit handlers of its own: once opened it stays mapped, whoever closes it. */
static msw_result open_library(ms_cu_functions *cu, msw_diag *diag)
{
    cu->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    return cu->library ? MSW_OK : ms_fail(diag, MSW_ERROR_DEVICE, "device", "cuda: libcuda.so.1 cannot be opened; install NVIDIA's driver");
}

/* Stores the function in *member, a pointer to a function of any type; they are all of one size. */
static msw_result find(const ms_cu_functions *cu, const msw_cuda_device *given, const char *symbol, void *member, msw_diag *diag)
{
    if (cu->library) {
        void *address = dlsym(cu->library, symbol);
        if (address) return memcpy(member, &address, sizeof address), MSW_OK;
    } else {
        const msw_cuda_function function = given->get_proc_address(given->user, symbol);
        if (function) return memcpy(member, &function, sizeof function), MSW_OK;
    }
    return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "device", "cuda: the driver has no %s; one for CUDA 11.0 or later is needed", symbol);
}

static msw_result find_all(ms_cu_functions *cu, const msw_cuda_device *given, msw_diag *diag)
{
    msw_result result;
#define FIND(name, function, parameters) \
    if ((result = find(cu, given, #function, &cu->name, diag)) != MSW_OK) return result;
    MS_CU_FUNCTIONS(FIND)
#undef FIND
#define FIND(name, function, parameters) (void)find(cu, given, #function, &cu->name, NULL);
    MS_CU_OPTIONAL_FUNCTIONS(FIND)
#undef FIND
    return MSW_OK;
}

msw_result ms_cu_load(ms_cu_functions *cu, const msw_cuda_device *given, msw_diag *diag)
{
    msw_result result = MSW_OK;
    memset(cu, 0, sizeof *cu);
    if (!given || !given->get_proc_address) result = open_library(cu, diag);
    if (result == MSW_OK) result = find_all(cu, given, diag);
    if (result == MSW_OK) {
        const ms_cu_result started = cu->Init(0);
        if (started != MS_CU_SUCCESS) result = ms_cu_fail(cu, diag, started, "cuInit");
    }
    if (result != MSW_OK) ms_cu_unload(cu);
    return result;
}

void ms_cu_unload(ms_cu_functions *cu)
{
    if (cu->library) dlclose(cu->library);
    memset(cu, 0, sizeof *cu);
}
