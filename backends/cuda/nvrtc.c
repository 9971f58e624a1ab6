#define _GNU_SOURCE /* dlinfo */
#include "nvrtc.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the library ---- */

static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
enum { NAMES = sizeof names / sizeof *names };

/* Of a file where the library may be: 1 when it is the one, which ends the search. */
typedef int (*ms_visit)(void *user, const char *path);

/* Where the system's linker looks without its cache: LD_LIBRARY_PATH and the like. */
static int search_linker_paths(ms_visit visit, void *user)
{
    Dl_serinfo size, *paths = NULL;
    void *program = dlopen(NULL, RTLD_LAZY);
    int is_found = 0;
    if (!program) return 0;
    if (!dlinfo(program, RTLD_DI_SERINFOSIZE, &size)) paths = calloc(1, size.dls_size);
    if (paths && !dlinfo(program, RTLD_DI_SERINFOSIZE, paths) && !dlinfo(program, RTLD_DI_SERINFO, paths))
        for (unsigned i = 0; i < NAMES * paths->dls_cnt && !is_found; i++) {
            char path[4096];
            const int length = snprintf(path, sizeof path, "%s/%s", paths->dls_serpath[i % paths->dls_cnt].dls_name, names[i / paths->dls_cnt]);
            is_found = (size_t)length < sizeof path && visit(user, path);
        }
    free(paths);
    dlclose(program);
    return is_found;
}

/* The last of the files, that is the newest, is the first. */
static int search_pattern(const char *pattern, ms_visit visit, void *user)
{
    glob_t files;
    int is_found = 0;
    if (glob(pattern, 0, NULL, &files)) return 0;
    for (size_t i = files.gl_pathc; i-- > 0 && !is_found;) is_found = visit(user, files.gl_pathv[i]);
    globfree(&files);
    return is_found;
}

static int search(ms_visit visit, void *user)
{
    static const char *const patterns[] = {"/usr/local/cuda/lib64/libnvrtc.so.1[0-9]", "/usr/local/cuda-*/lib64/libnvrtc.so.1[0-9]",
                                           "/usr/local/lib/python3*/*-packages/nvidia/*/lib/libnvrtc.so.1[0-9]"};
    int is_found = search_linker_paths(visit, user);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns && !is_found; i++) is_found = search_pattern(patterns[i], visit, user);
    return is_found;
}

/* It has tables of its own that cost time to make: once opened it stays mapped. */
static int open_file(void *user, const char *path)
{
    void **library = user;
    struct stat status;
    if (strchr(path, '/') && stat(path, &status)) return 0;
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    return *library != NULL;
}

static void *open_library(void)
{
    void *library = NULL;
    search(open_file, &library);
    for (int n = 0; n < NAMES && !library; n++) open_file(&library, names[n]); /* by the linker's cache */
    return library;
}

typedef struct identity {
    char *text;
    size_t bytes;
} identity;

static int identify_file(void *user, const char *path)
{
    const identity *i = user;
    struct stat status;
    if (stat(path, &status) || !S_ISREG(status.st_mode)) return 0;
    snprintf(i->text, i->bytes, "%lld bytes %lld.%09ld %s", (long long)status.st_size, (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
             path);
    return 1;
}

int ms_nvrtc_identify(char *text, size_t bytes) { return search(identify_file, &(identity){text, bytes}); }

/* Stores the function in *member, a pointer to a function of any type; they are all of one size. */
static msw_result find(const ms_nvrtc *nvrtc, const char *symbol, void *member, msw_diag *diag)
{
    void *address = dlsym(nvrtc->library, symbol);
    if (address) return memcpy(member, &address, sizeof address), MSW_OK;
    return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "compile", "nvrtc: the library has no %s; install NVRTC 12.1 or later", symbol);
}

static msw_result find_all(ms_nvrtc *nvrtc, msw_diag *diag)
{
    msw_result result;
#define FIND(name, parameters) \
    if ((result = find(nvrtc, "nvrtc" #name, &nvrtc->name, diag)) != MSW_OK) return result;
    MS_NVRTC_FUNCTIONS(FIND)
#undef FIND
    if (nvrtc->Version(&nvrtc->major, &nvrtc->minor) == MS_NVRTC_SUCCESS) return MSW_OK;
    return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "compile", "nvrtcVersion failed; install NVRTC anew");
}

msw_result ms_nvrtc_open(ms_nvrtc *nvrtc, msw_diag *diag)
{
    *nvrtc = (ms_nvrtc){.library = open_library()};
    if (!nvrtc->library)
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "compile",
                       "nvrtc: libnvrtc.so cannot be opened; install CUDA's NVRTC, or use code compiled before");
    const msw_result result = find_all(nvrtc, diag);
    if (result != MSW_OK) ms_nvrtc_close(nvrtc);
    return result;
}

void ms_nvrtc_close(ms_nvrtc *nvrtc)
{
    if (nvrtc->library) dlclose(nvrtc->library);
    *nvrtc = (ms_nvrtc){0};
}

/* ---- architectures ---- */

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* Writes the architecture to compile for; *is_ptx: it is a virtual one. */
static msw_result choose_arch(const ms_nvrtc *nvrtc, const char *wanted, char chosen[32], int *is_ptx, msw_diag *diag)
{
    static const char real[] = "sm_", virtual[] = "compute_";
    const char *arch = wanted ? wanted : "compute_75";
    const size_t prefix = !strncmp(arch, real, sizeof real - 1)         ? sizeof real - 1
                          : !strncmp(arch, virtual, sizeof virtual - 1) ? sizeof virtual - 1
                                                                        : 0;
    int archs[256], count = 0, best = 0;
    if (!prefix || !is_digit(arch[prefix]) || strlen(arch) > 15)
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "compile", "'%.32s' is no CUDA architecture; sm_90 gives a cubin, compute_90 PTX", arch);
    const int number = atoi(arch + prefix);
    if (nvrtc->GetNumSupportedArchs(&count) || count < 1 || count > (int)(sizeof archs / sizeof *archs) || nvrtc->GetSupportedArchs(archs))
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "compile", "nvrtcGetSupportedArchs failed; install NVRTC anew");
    for (int i = 0; i < count; i++)
        if (archs[i] <= number && archs[i] > best) best = archs[i];
    if (!best)
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "compile", "NVRTC %d.%d compiles for sm_%d and later, not for %s; use an earlier NVRTC",
                       nvrtc->major, nvrtc->minor, archs[0], arch);
    *is_ptx = best != number || prefix == sizeof virtual - 1;
    if (best == number) snprintf(chosen, 32, "%s", arch);
    else snprintf(chosen, 32, "compute_%d", best);
    return MSW_OK;
}

/* ---- compiling ---- */

static msw_result fail_call(msw_diag *diag, const msw_plan_kernel *kernel, const char *call, ms_nvrtc_result result)
{
    return ms_fail(diag, result == MS_NVRTC_OUT_OF_MEMORY ? MSW_ERROR_OUT_OF_MEMORY : MSW_ERROR_COMPILE, "compile",
                   "kernel '%.64s': nvrtc%s failed (%d)", kernel->entry, call, result);
}

/* What a call pair of NVRTC returns, of a size that it tells first. */
static msw_result take(ms_nvrtc_program program, ms_nvrtc_result (*size_of)(ms_nvrtc_program, size_t *),
                       ms_nvrtc_result (*copy)(ms_nvrtc_program, char *), const msw_plan_kernel *kernel, const msw_allocator *allocator, void **data,
                       size_t *bytes, msw_diag *diag)
{
    ms_nvrtc_result result = size_of(program, bytes);
    if (result) return fail_call(diag, kernel, "Get*Size", result);
    *data = ms_alloc(allocator, *bytes);
    if (!*data) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "compile", "nvrtc: out of memory");
    result = copy(program, *data);
    if (!result) return MSW_OK;
    ms_free(allocator, *data, *bytes);
    *data = NULL;
    return fail_call(diag, kernel, "Get*", result);
}

/* "kernel 'scan': 12: error: identifier "x" is undefined": the log's first error, else its first line. */
static msw_result fail_log(msw_diag *diag, const msw_plan_kernel *kernel, const char *log)
{
    const char *error = strstr(log, "error");
    const char *line = log;
    while (error && strchr(line, '\n') && strchr(line, '\n') < error) line = strchr(line, '\n') + 1;
    return ms_fail(diag, MSW_ERROR_COMPILE, "compile", "kernel '%.64s': %.*s", kernel->entry, (int)strcspn(line, "\n"), line);
}

static msw_result compile(const ms_nvrtc *nvrtc, ms_nvrtc_program program, const msw_plan_kernel *kernel, const char *arch,
                          const msw_allocator *allocator, void **code, size_t *code_bytes, char **log, msw_diag *diag)
{
    char chosen[32], option[64];
    void *log_text = NULL;
    size_t log_bytes;
    int is_ptx = 0;
    msw_result result = choose_arch(nvrtc, arch, chosen, &is_ptx, diag);
    if (result != MSW_OK) return result;
    snprintf(option, sizeof option, "--gpu-architecture=%s", chosen);
    /* The text itself keeps products and sums apart; the flag keeps them so in opaque bodies too. From 12.9 on NVRTC has a cache of its own on the
     * disk, which would keep kernels where the caller wants none (msw_context_desc.cache_dir NULL), and keep them twice where there is ours. */
    const char *const options[] = {option, "--std=c++17", "--fmad=false", "--no-cache"};
    const int has_cache = nvrtc->major > 12 || (nvrtc->major == 12 && nvrtc->minor >= 9);
    const ms_nvrtc_result compiled = nvrtc->CompileProgram(program, (int)(sizeof options / sizeof *options) - !has_cache, options);
    result = take(program, nvrtc->GetProgramLogSize, nvrtc->GetProgramLog, kernel, allocator, &log_text, &log_bytes, diag);
    if (result != MSW_OK) return result;
    *log = log_text;
    if (compiled) return **log ? fail_log(diag, kernel, *log) : fail_call(diag, kernel, "CompileProgram", compiled);
    if (is_ptx) return take(program, nvrtc->GetPTXSize, nvrtc->GetPTX, kernel, allocator, code, code_bytes, diag);
    return take(program, nvrtc->GetCUBINSize, nvrtc->GetCUBIN, kernel, allocator, code, code_bytes, diag);
}

msw_result ms_nvrtc_compile(const ms_nvrtc *nvrtc, const msw_plan_kernel *kernel, const char *arch, const msw_allocator *allocator, void **code,
                            size_t *code_bytes, char **log, msw_diag *diag)
{
    ms_nvrtc_program program;
    char name[128];
    *code = NULL;
    *code_bytes = 0;
    *log = NULL;
    snprintf(name, sizeof name, "%.100s.cu", kernel->entry);
    const ms_nvrtc_result created = nvrtc->CreateProgram(&program, kernel->text, name, 0, NULL, NULL);
    if (created) return fail_call(diag, kernel, "CreateProgram", created);
    const msw_result result = compile(nvrtc, program, kernel, arch, allocator, code, code_bytes, log, diag);
    nvrtc->DestroyProgram(&program);
    return result;
}
