#include "fake_cuda.h"

#include "../../backends/cuda/cuda_api.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum {
    INVALID_VALUE = 1,
    NOT_INITIALIZED = 3,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    INVALID_PTX = 218,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    CAPTURE_UNSUPPORTED = 900,
    CAPTURE_INVALIDATED = 901,
    INVALID_CLUSTER_SIZE = 912
};
enum { PTX_BYTES = 1 << 18, DEPTH = 8, MOST_ALLOCATIONS = 64 };

struct CUctx_st {
    int ordinal;
};
struct CUstream_st {
    CUcontext context;
};
struct CUevent_st {
    int is_recorded;
};
struct CUmod_st {
    size_t bytes;
    char image[];
};
struct CUfunc_st {
    char name[64];
    int is_non_portable;
    struct CUfunc_st *next;
}; /* one of a name, whichever module has it */

static fake_cuda state = {.device_count = 1,
                          .capability = {90},
                          .function_threads = 1024,
                          .held_blocks = 2,
                          .max_cluster_blocks = MSW_MAX_CLUSTER_BLOCKS,
                          .most_bytes = FAKE_MOST_BYTES}; /* for programs that set nothing */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_initialised;
static struct CUctx_st primary[FAKE_DEVICES] = {{0}, {1}, {2}, {3}}, made[FAKE_DEVICES] = {{0}, {1}, {2}, {3}};
static struct {
    unsigned char *block, *data;
    size_t bytes;
} allocations[MOST_ALLOCATIONS];
static struct CUfunc_st *functions; /* kept until the process ends */
static _Thread_local CUcontext stack[DEPTH];
static _Thread_local int depth;

EXPORT fake_cuda *fake_cuda_state(void) { return &state; }
EXPORT CUcontext fake_cuda_context(int ordinal) { return &made[ordinal]; }

/* What every call does first, under the mutex: it is counted, and fails when it is its turn, or when it is unsafe while a stream is captured. */
static ms_cu_result begin(const char *name, int is_safe)
{
    const int64_t call = state.call_count++;
    if (call < FAKE_CALLS) state.calls[call] = name;
    if (state.failing_call == state.call_count && !(state.spared && !strcmp(name, state.spared))) return state.fail_code;
    if (!is_initialised && strcmp(name, "cuInit") != 0) return NOT_INITIALIZED;
    return state.is_capturing && !is_safe ? CAPTURE_UNSUPPORTED : MS_CU_SUCCESS;
}

/* is_destroying: what is to go goes even when the call reports a failure, as with the driver's late errors. */
#define CALL(name, is_safe, is_destroying, body)        \
    {                                                   \
        ms_cu_result result;                            \
        pthread_mutex_lock(&mutex);                     \
        result = begin(name, is_safe);                  \
        if (result == MS_CU_SUCCESS || is_destroying) { \
            const ms_cu_result done = body;             \
            if (result == MS_CU_SUCCESS) result = done; \
        }                                               \
        pthread_mutex_unlock(&mutex);                   \
        return result;                                  \
    }

static CUcontext current(void) { return depth ? stack[depth - 1] : NULL; }

static ms_cu_result check_device(CUdevice device) { return device >= 0 && device < state.device_count ? MS_CU_SUCCESS : INVALID_VALUE; }

static ms_cu_result check_context(void) { return current() ? MS_CU_SUCCESS : INVALID_CONTEXT; }

static ms_cu_result check_stream(CUstream stream)
{
    if (!current()) return INVALID_CONTEXT;
    return !stream || stream->context == current() ? MS_CU_SUCCESS : INVALID_HANDLE;
}

/* ---- the driver, devices, contexts ---- */

static ms_cu_result init(unsigned flags)
{
    if (flags) return INVALID_VALUE;
    is_initialised = 1;
    return MS_CU_SUCCESS;
}
EXPORT ms_cu_result cuInit(unsigned flags) CALL("cuInit", 1, 0, init(flags))

    EXPORT ms_cu_result cuDriverGetVersion(int *version) CALL("cuDriverGetVersion", 1, 0, (*version = 12080, MS_CU_SUCCESS))

        EXPORT ms_cu_result cuGetErrorString(ms_cu_result error, const char **text)
{
    if (error > 900) return INVALID_VALUE; /* not known */
    *text = error == MS_CU_ERROR_OUT_OF_MEMORY ? "out of memory" : "a fake failure";
    return MS_CU_SUCCESS;
}

EXPORT ms_cu_result cuDeviceGetCount(int *count) CALL("cuDeviceGetCount", 1, 0, (*count = state.device_count, MS_CU_SUCCESS))

    EXPORT ms_cu_result cuDeviceGetName(char *name, int name_bytes, CUdevice device)
        CALL("cuDeviceGetName", 1, 0, (snprintf(name, (size_t)name_bytes, "Fake %d", device), check_device(device)))

            EXPORT ms_cu_result cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
                CALL("cuDeviceTotalMem", 1, 0, (*bytes = (size_t)64 << 30, check_device(device)))

                    static ms_cu_result get_attribute(int *value, unsigned attribute, CUdevice device)
{
    if (check_device(device)) return INVALID_VALUE;
    switch (attribute) {
    case MS_CU_COMPUTE_CAPABILITY_MAJOR: *value = state.capability[device] / 10; break;
    case MS_CU_COMPUTE_CAPABILITY_MINOR: *value = state.capability[device] % 10; break;
    case MS_CU_MAX_THREADS_PER_BLOCK: *value = 1024; break;
    case MS_CU_MAX_GRID_DIM_X: *value = INT32_MAX; break;
    case MS_CU_MAX_SHARED_MEMORY_PER_BLOCK: *value = 48 << 10; break;
    case MS_CU_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = 227 << 10; break;
    case MS_CU_WARP_SIZE: *value = 32; break;
    case MS_CU_MULTIPROCESSOR_COUNT: *value = FAKE_MULTIPROCESSORS; break;
    default: return INVALID_VALUE;
    }
    return MS_CU_SUCCESS;
}
EXPORT ms_cu_result cuDeviceGetAttribute(int *value, unsigned attribute, CUdevice device)
    CALL("cuDeviceGetAttribute", 1, 0, get_attribute(value, attribute, device))

        static ms_cu_result retain(CUcontext *context, CUdevice device)
{
    if (check_device(device)) return INVALID_VALUE;
    state.primary_contexts++;
    *context = &primary[device];
    return MS_CU_SUCCESS;
}
EXPORT ms_cu_result cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) CALL("cuDevicePrimaryCtxRetain", 0, 0, retain(context, device))

    EXPORT ms_cu_result cuDevicePrimaryCtxRelease_v2(CUdevice device)
        CALL("cuDevicePrimaryCtxRelease", 0, 1, (state.primary_contexts--, check_device(device)))

            static ms_cu_result push(CUcontext context)
{
    if (!context || depth == DEPTH) return INVALID_CONTEXT;
    stack[depth++] = context;
    return MS_CU_SUCCESS;
}
EXPORT ms_cu_result cuCtxPushCurrent_v2(CUcontext context) CALL("cuCtxPushCurrent", 1, 0, push(context))

    static ms_cu_result pop(CUcontext *context)
{
    if (!depth) return INVALID_CONTEXT;
    *context = stack[--depth];
    return MS_CU_SUCCESS;
}
EXPORT ms_cu_result cuCtxPopCurrent_v2(CUcontext *context) CALL("cuCtxPopCurrent", 1, 1, pop(context))

    static ms_cu_result get_device(CUdevice *device)
{
    if (check_context()) return INVALID_CONTEXT;
    *device = current()->ordinal;
    return MS_CU_SUCCESS;
}
EXPORT ms_cu_result cuCtxGetDevice(CUdevice *device) CALL("cuCtxGetDevice", 1, 0, get_device(device))

    static ms_cu_result get_current(CUcontext *context)
{
    *context = current();
    return MS_CU_SUCCESS;
}
EXPORT ms_cu_result cuCtxGetCurrent(CUcontext *context) CALL("cuCtxGetCurrent", 1, 0, get_current(context))

    /* ---- streams and events ---- */

    static ms_cu_result create_stream(CUstream *stream)
{
    if (check_context()) return INVALID_CONTEXT;
    *stream = calloc(1, sizeof **stream);
    if (!*stream) return MS_CU_ERROR_OUT_OF_MEMORY;
    (*stream)->context = current();
    state.streams++;
    return MS_CU_SUCCESS;
}
EXPORT ms_cu_result cuStreamCreate(CUstream *stream, unsigned flags) CALL("cuStreamCreate", 0, 0, (flags ? INVALID_VALUE : create_stream(stream)))

    static ms_cu_result destroy_stream(CUstream stream)
{
    const ms_cu_result result = check_stream(stream);
    if (result == MS_CU_SUCCESS) state.streams--, free(stream);
    return result;
}
EXPORT ms_cu_result cuStreamDestroy_v2(CUstream stream) CALL("cuStreamDestroy", 0, 1, destroy_stream(stream))

    EXPORT ms_cu_result cuStreamSynchronize(CUstream stream) CALL("cuStreamSynchronize", 0, 0, check_stream(stream))

    /* A green context is its number of multiprocessors. */
    static ms_cu_result get_green_context(CUstream stream, CUgreenCtx *context)
{
    *context = (CUgreenCtx)(uintptr_t)state.green_multiprocessors;
    return check_stream(stream);
}
EXPORT ms_cu_result cuStreamGetGreenCtx(CUstream stream, CUgreenCtx *context) CALL("cuStreamGetGreenCtx", 1, 0, get_green_context(stream, context))

    static ms_cu_result get_resource(unsigned multiprocessors, ms_cu_resource *resource, unsigned type)
{
    if (type != MS_CU_DEV_RESOURCE_SM) return INVALID_VALUE;
    resource->multiprocessors = multiprocessors;
    return MS_CU_SUCCESS;
}
EXPORT ms_cu_result cuGreenCtxGetDevResource(CUgreenCtx context, ms_cu_resource *resource, unsigned type)
    CALL("cuGreenCtxGetDevResource", 1, 0, (context ? get_resource((unsigned)(uintptr_t)context, resource, type) : INVALID_CONTEXT))

        static unsigned context_multiprocessors(void)
{
    return state.context_multiprocessors ? (unsigned)state.context_multiprocessors : FAKE_MULTIPROCESSORS;
}
EXPORT ms_cu_result cuCtxGetDevResource(CUcontext context, ms_cu_resource *resource, unsigned type)
    CALL("cuCtxGetDevResource", 1, 0, (context ? get_resource(context_multiprocessors(), resource, type) : INVALID_CONTEXT))

        static ms_cu_result find_symbol(const char *symbol, void **address)
{
    ms_cu_result (*const get_green)(CUstream, CUgreenCtx *) = cuStreamGetGreenCtx;
    ms_cu_result (*const get_resource_of)(CUgreenCtx, ms_cu_resource *, unsigned) = cuGreenCtxGetDevResource;
    ms_cu_result (*const get_current_context)(CUcontext *) = cuCtxGetCurrent;
    ms_cu_result (*const get_limit)(CUcontext, ms_cu_resource *, unsigned) = cuCtxGetDevResource;
    *address = NULL;
    if (!strcmp(symbol, "cuCtxGetCurrent")) memcpy(address, &get_current_context, sizeof *address);
    if (*address) return MS_CU_SUCCESS;
    if (!strcmp(symbol, "cuStreamGetGreenCtx")) memcpy(address, &get_green, sizeof *address);
    if (!strcmp(symbol, "cuGreenCtxGetDevResource")) memcpy(address, &get_resource_of, sizeof *address);
    if (!strcmp(symbol, "cuCtxGetDevResource")) memcpy(address, &get_limit, sizeof *address);
    return *address && !state.has_no_green ? MS_CU_SUCCESS : NOT_FOUND;
}
EXPORT ms_cu_result cuGetProcAddress_v2(const char *symbol, void **address, int version, uint64_t flags, void *status)
    CALL("cuGetProcAddress", 1, 0, (version < 12040 || flags || status ? INVALID_VALUE : find_symbol(symbol, address)))

        static ms_cu_result create_event(CUevent *event)
{
    if (check_context()) return INVALID_CONTEXT;
    *event = calloc(1, sizeof **event);
    if (!*event) return MS_CU_ERROR_OUT_OF_MEMORY;
    state.events++;
    return MS_CU_SUCCESS;
}
EXPORT ms_cu_result cuEventCreate(CUevent *event, unsigned flags) CALL("cuEventCreate", 0, 0, (flags ? INVALID_VALUE : create_event(event)))

    EXPORT ms_cu_result cuEventDestroy_v2(CUevent event) CALL("cuEventDestroy", 0, 1, (state.events--, free(event), check_context()))

        EXPORT ms_cu_result cuEventRecord(CUevent event, CUstream stream) CALL("cuEventRecord", 0, 0, (event->is_recorded = 1, check_stream(stream)))

            EXPORT ms_cu_result cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
                CALL("cuEventElapsedTime", 0, 0, (*milliseconds = 2.5f, start->is_recorded && end->is_recorded ? MS_CU_SUCCESS : INVALID_HANDLE))

    /* ---- memory ---- */

    static ms_cu_result allocate(CUdeviceptr *address, size_t bytes)
{
    int a = 0;
    if (check_context()) return INVALID_CONTEXT;
    if (!bytes) return INVALID_VALUE;
    while (a < MOST_ALLOCATIONS && allocations[a].block) a++;
    if (a == MOST_ALLOCATIONS || bytes > (size_t)state.most_bytes || !(allocations[a].block = malloc(bytes + 256))) return MS_CU_ERROR_OUT_OF_MEMORY;
    allocations[a].data = allocations[a].block + (256 - (uintptr_t)allocations[a].block % 256);
    allocations[a].bytes = bytes;
    memset(allocations[a].data, 0xcd, bytes);
    state.allocations++;
    state.bytes += (int64_t)bytes;
    *address = (CUdeviceptr)(uintptr_t)allocations[a].data;
    return MS_CU_SUCCESS;
}
EXPORT ms_cu_result cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) CALL("cuMemAlloc", 0, 0, allocate(address, bytes))

    /* The allocation that holds the range; MOST_ALLOCATIONS: none. */
    static int find_allocation(CUdeviceptr address, size_t bytes)
{
    int a = 0;
    for (; a < MOST_ALLOCATIONS; a++) {
        const CUdeviceptr start = (CUdeviceptr)(uintptr_t)allocations[a].data;
        if (allocations[a].block && address >= start && address - start <= allocations[a].bytes && bytes <= allocations[a].bytes - (address - start))
            break;
    }
    return a;
}

static ms_cu_result release(CUdeviceptr address)
{
    const int a = find_allocation(address, 0);
    if (check_context()) return INVALID_CONTEXT;
    if (a == MOST_ALLOCATIONS || (CUdeviceptr)(uintptr_t)allocations[a].data != address) return INVALID_VALUE;
    free(allocations[a].block);
    allocations[a].block = NULL;
    state.allocations--;
    state.bytes -= (int64_t)allocations[a].bytes;
    return MS_CU_SUCCESS;
}
EXPORT ms_cu_result cuMemFree_v2(CUdeviceptr address) CALL("cuMemFree", 0, 1, release(address))

    static ms_cu_result copy(void *to, const void *from, CUdeviceptr device, size_t bytes, CUstream stream)
{
    if (check_stream(stream)) return check_stream(stream);
    if (find_allocation(device, bytes) == MOST_ALLOCATIONS) return INVALID_VALUE;
    memcpy(to, from, bytes);
    return MS_CU_SUCCESS;
}
EXPORT ms_cu_result cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
    CALL("cuMemcpyHtoDAsync", 0, 0, copy((void *)(uintptr_t)to, from, to, bytes, stream))

        EXPORT ms_cu_result cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
            CALL("cuMemcpyDtoHAsync", 0, 0, copy(to, (const void *)(uintptr_t)from, from, bytes, stream))

                EXPORT ms_cu_result cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
                    CALL("cuMemcpyDtoDAsync", 0, 0, copy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, to, bytes, stream))

    /* ---- modules and launches ---- */

    /* Of a compiler's cubin, whose tables of sections and segments come last; 0: it is a test's. */
    static size_t elf_bytes(const char *image)
{
    uint64_t segments, sections;
    uint16_t segment_bytes, segment_count, section_bytes, section_count;
    if (strncmp(image, "\177ELF\2\1", 6) != 0) return 0;
    memcpy(&segments, image + 32, 8);
    memcpy(&sections, image + 40, 8);
    memcpy(&segment_bytes, image + 54, 2);
    memcpy(&segment_count, image + 56, 2);
    memcpy(&section_bytes, image + 58, 2);
    memcpy(&section_count, image + 60, 2);
    segments += (uint64_t)segment_bytes * segment_count;
    sections += (uint64_t)section_bytes * section_count;
    return (size_t)(segments > sections ? segments : sections);
}

/* PTX is text that names its kernels, ended by a zero; a cubin is a compiler's, or ELF's magic number before such text. "bad" in PTX does not
 * assemble; in a cubin it is of another architecture. */
static ms_cu_result load(CUmodule *module, const char *image, unsigned option_count, const unsigned *options, void **values)
{
    const int is_cubin = strncmp(image, "\177ELF", 4) == 0, is_bad = strstr(image, "bad") != NULL;
    const size_t bytes = elf_bytes(image) ? elf_bytes(image) : strlen(image) + 1;
    if (check_context()) return INVALID_CONTEXT;
    if (!elf_bytes(image) && bytes > PTX_BYTES) return INVALID_IMAGE;
    for (unsigned o = 0; o + 1 < option_count; o++)
        if (is_bad && !is_cubin && options[o] == MS_CU_JIT_ERROR_LOG_BUFFER && options[o + 1] == MS_CU_JIT_ERROR_LOG_BUFFER_BYTES)
            snprintf(values[o], (size_t)(uintptr_t)values[o + 1], "ptxas: line 7;\nerror near 'bad'\n");
    if (is_bad) return is_cubin ? MS_CU_ERROR_NO_BINARY_FOR_GPU : INVALID_PTX;
    *module = malloc(sizeof **module + bytes);
    if (!*module) return MS_CU_ERROR_OUT_OF_MEMORY;
    (*module)->bytes = bytes;
    memcpy((*module)->image, image, bytes);
    state.modules++;
    return MS_CU_SUCCESS;
}
EXPORT ms_cu_result cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned option_count, unsigned *options, void **values)
    CALL("cuModuleLoadDataEx", 0, 0, load(module, image, option_count, options, values))

        EXPORT ms_cu_result cuModuleUnload(CUmodule module) CALL("cuModuleUnload", 0, 1, (state.modules--, free(module), check_context()))

            static ms_cu_result get_function(CUfunction *function, CUmodule module, const char *name)
{
    const size_t length = strlen(name);
    size_t at = 0;
    if (check_context()) return INVALID_CONTEXT;
    while (at + length < module->bytes && memcmp(module->image + at, name, length)) at++;
    if (at + length >= module->bytes) return NOT_FOUND;
    for (*function = functions; *function; *function = (*function)->next)
        if (strncmp((*function)->name, name, sizeof(*function)->name - 1) == 0) return (*function)->is_non_portable = 0, MS_CU_SUCCESS;
    *function = calloc(1, sizeof **function);
    if (!*function) return MS_CU_ERROR_OUT_OF_MEMORY;
    snprintf((*function)->name, sizeof(*function)->name, "%s", name);
    (*function)->next = functions;
    functions = *function;
    return MS_CU_SUCCESS;
}
EXPORT ms_cu_result cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
    CALL("cuModuleGetFunction", 0, 0, get_function(function, module, name))

        EXPORT ms_cu_result cuFuncGetAttribute(int *value, unsigned attribute, CUfunction function)
            CALL("cuFuncGetAttribute", 0, 0, (*value = state.function_threads, function &&attribute == 0 ? check_context() : INVALID_VALUE))

                static ms_cu_result set_attribute(CUfunction function, unsigned attribute, int value)
{
    const int is_cluster = attribute == MS_CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
    if (value <= 0 || !function || (!is_cluster && attribute != MS_CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES)) return INVALID_VALUE;
    if (is_cluster) function->is_non_portable = value == 1;
    return check_context();
}
EXPORT ms_cu_result cuFuncSetAttribute(CUfunction function, unsigned attribute, int value)
    CALL("cuFuncSetAttribute", 0, 0, set_attribute(function, attribute, value))

        static ms_cu_result record(const fake_launch *launch, void **parameters)
{
    if (check_stream(launch->stream)) return check_stream(launch->stream);
    if (state.is_capturing && state.is_capture_lost) return CAPTURE_INVALIDATED;
    if (!launch->grid[0] || launch->grid[0] > INT32_MAX || !launch->block[0] || launch->block[0] > 1024) return INVALID_VALUE;
    if (state.launch_count < FAKE_LAUNCHES) {
        fake_launch *kept = &state.launches[state.launch_count];
        *kept = *launch;
        kept->context = current();
        memcpy(&kept->params, parameters[0], sizeof kept->params);
    }
    state.launch_count++;
    state.non_portable_count += launch->is_non_portable;
    return MS_CU_SUCCESS;
}
/* The attribute of launches that begin early is the only one that is known. */
static ms_cu_result record_extended(const ms_cu_launch_config *config, CUfunction function, void **parameters)
{
    const ms_cu_launch_attribute *attribute = config->attributes;
    fake_launch launch = {.grid = {config->grid_x, config->grid_y, config->grid_z},
                          .block = {config->block_x, config->block_y, config->block_z},
                          .shared_bytes = config->shared_bytes,
                          .stream = config->stream,
                          .begins_early = 1,
                          .is_non_portable = function->is_non_portable};
    memcpy(launch.kernel, function->name, sizeof launch.kernel);
    if (config->attribute_count != 1 || attribute->id != MS_CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) return INVALID_VALUE;
    return attribute->value.number == 1 ? record(&launch, parameters) : INVALID_VALUE;
}
EXPORT ms_cu_result cuLaunchKernelEx(const ms_cu_launch_config *config, CUfunction function, void **parameters, void **extra)
    CALL("cuLaunchKernelEx", 1, 0, extra ? INVALID_VALUE : record_extended(config, function, parameters))

        EXPORT ms_cu_result cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                                           unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters, void **extra)
{
    fake_launch launch = {.grid = {grid_x, grid_y, grid_z},
                          .block = {block_x, block_y, block_z},
                          .shared_bytes = shared_bytes,
                          .stream = stream,
                          .is_non_portable = function->is_non_portable};
    memcpy(launch.kernel, function->name, sizeof launch.kernel);
    CALL("cuLaunchKernel", 1, 0, extra ? INVALID_VALUE : record(&launch, parameters))
}

EXPORT ms_cu_result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int block_threads, size_t dynamic_shared_bytes)
    CALL("cuOccupancyMaxActiveBlocksPerMultiprocessor", 0, 0,
         (*blocks = state.held_blocks, function &&block_threads > 0 && dynamic_shared_bytes < 1 << 20 ? check_context() : INVALID_VALUE))

    /* Of clusters along x, one a launch. */
    static ms_cu_result count_clusters(int *clusters, CUfunction function, const ms_cu_launch_config *config)
{
    const ms_cu_launch_attribute *attribute = config->attributes;
    if (check_context() || !function) return INVALID_VALUE;
    if (config->attribute_count != 1 || attribute->id != MS_CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION || attribute->value.cluster[1] != 1 ||
        attribute->value.cluster[2] != 1 || attribute->value.cluster[0] != config->grid_x || config->grid_y != 1 || config->grid_z != 1 ||
        !config->block_x || config->block_x > 1024 || config->block_y != 1 || config->block_z != 1 || config->shared_bytes > 227 << 10)
        return INVALID_VALUE;
    if (config->grid_x > (function->is_non_portable ? 16 : 8)) return INVALID_CLUSTER_SIZE;
    *clusters = (int)config->grid_x <= state.max_cluster_blocks;
    return MS_CU_SUCCESS;
}
EXPORT ms_cu_result cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const ms_cu_launch_config *config)
    CALL("cuOccupancyMaxActiveClusters", 0, 0, count_clusters(clusters, function, config))

        static ms_cu_result record_cooperative(const fake_launch *launch, void **parameters)
{
    unsigned multiprocessors = context_multiprocessors();
    if (state.green_multiprocessors && (unsigned)state.green_multiprocessors < multiprocessors)
        multiprocessors = (unsigned)state.green_multiprocessors;
    if (launch->grid[0] <= (unsigned)state.held_blocks * multiprocessors) return record(launch, parameters);
    state.is_capture_lost = state.is_capturing;
    return MS_CU_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
}
EXPORT ms_cu_result cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                              unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters)
{
    fake_launch launch = {
        .grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z}, .shared_bytes = shared_bytes, .stream = stream, .is_cooperative = 1};
    memcpy(launch.kernel, function->name, sizeof launch.kernel);
    CALL("cuLaunchCooperativeKernel", 1, 0, record_cooperative(&launch, parameters))
}
