/* CUDA C++ to cubin or PTX. */
#include "nvrtc.h"

#include <stdio.h>
#include <string.h>

static msw_result compile(const msw_plan_kernel *kernel, const char *arch, const msw_allocator *allocator, void **code, size_t *code_bytes,
                          msw_diag *diag)
{
    ms_nvrtc nvrtc;
    char *log = NULL;
    msw_result result = ms_nvrtc_open(&nvrtc, diag);
    if (result != MSW_OK) return result;
    result = ms_nvrtc_compile(&nvrtc, kernel, arch, allocator, code, code_bytes, &log, diag);
    ms_nvrtc_close(&nvrtc);
    if (log) ms_free(allocator, log, strlen(log) + 1);
    return result == MSW_OK ? ms_ok(diag) : result;
}

static void version(char text[64])
{
    ms_nvrtc nvrtc;
    snprintf(text, 64, "NVRTC");
    if (ms_nvrtc_open(&nvrtc, NULL) != MSW_OK) return;
    snprintf(text, 64, "NVRTC %d.%d", nvrtc.major, nvrtc.minor);
    ms_nvrtc_close(&nvrtc);
}

static msw_result check(msw_diag *diag)
{
    ms_nvrtc nvrtc;
    const msw_result result = ms_nvrtc_open(&nvrtc, diag);
    if (result == MSW_OK) ms_nvrtc_close(&nvrtc);
    return result == MSW_OK ? ms_ok(diag) : result;
}

static void identity(char text[MS_COMPILER_IDENTITY_BYTES])
{
    if (!ms_nvrtc_identify(text, MS_COMPILER_IDENTITY_BYTES)) version(text);
}

const ms_compiler ms_compiler_nvrtc = {MSW_BACKEND_CUDA, compile, version, check, identity};
