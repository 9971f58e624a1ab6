/* CUDA devices: listing, opening (the primary context, or the caller's), the thread's current context. */
#include "device.h"

#include <stdio.h>
#include <string.h>

enum { OLDEST_CAPABILITY = 75 }; /* 7.5: what the texts are written for */
enum { EARLY_DRIVER = 12030 };   /* CUDA 12.3: captures of launches that begin early */
enum { CLUSTER_MAJOR = 9 };      /* compute capability of the first devices with clusters */
/* Of a whole device, which has room for clusters of 16 blocks where its capability is 9.0, else of 8. A part of one has fewer: of MIG, MPS or a green
 * context. */
enum { LEAST_WHOLE_MULTIPROCESSORS = 100 };
/* Blocks that fill a multiprocessor, as those of kernels whose launch is one cluster do. */
enum { PROBE_THREADS = 512, PROBE_SHARED_BYTES = 200 << 10 };

/* A name lives as long as the library: msw_target.arch of a listed device has no handle to live with. */
#define MINORS(major)                                                                                                                 \
    {                                                                                                                                 \
        "sm_" #major "0", "sm_" #major "1", "sm_" #major "2", "sm_" #major "3", "sm_" #major "4", "sm_" #major "5", "sm_" #major "6", \
            "sm_" #major "7", "sm_" #major "8", "sm_" #major "9"                                                                      \
    }
static const char arch_names[][10][8] = {MINORS(7),  MINORS(8),  MINORS(9),  MINORS(10), MINORS(11), MINORS(12),
                                         MINORS(13), MINORS(14), MINORS(15), MINORS(16), MINORS(17), MINORS(18)};
enum { FIRST_MAJOR = 7, MAJORS = sizeof arch_names / sizeof arch_names[0] };

/* NULL, the planner's default, for an architecture from the far future. */
static const char *arch_name(int major, int minor)
{
    if (major < FIRST_MAJOR || major >= FIRST_MAJOR + MAJORS || minor < 0 || minor > 9) return NULL;
    return arch_names[major - FIRST_MAJOR][minor];
}

/* What is asked of a device before it is described. */
typedef struct properties {
    int driver, major, minor, threads, grid, shared, shared_opt_in, warp, multiprocessors;
    size_t memory_bytes;
} properties;

static msw_result read_properties(const ms_cu_functions *cu, CUdevice device, char *name, int name_bytes, properties *p, msw_diag *diag)
{
    const struct {
        unsigned attribute;
        int *value;
    } wanted[] = {{MS_CU_COMPUTE_CAPABILITY_MAJOR, &p->major},
                  {MS_CU_COMPUTE_CAPABILITY_MINOR, &p->minor},
                  {MS_CU_MAX_THREADS_PER_BLOCK, &p->threads},
                  {MS_CU_MAX_GRID_DIM_X, &p->grid},
                  {MS_CU_MAX_SHARED_MEMORY_PER_BLOCK, &p->shared},
                  {MS_CU_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &p->shared_opt_in},
                  {MS_CU_WARP_SIZE, &p->warp},
                  {MS_CU_MULTIPROCESSOR_COUNT, &p->multiprocessors}};
    ms_cu_result result = cu->DeviceGetName(name, name_bytes, device);
    if (result != MS_CU_SUCCESS) return ms_cu_fail(cu, diag, result, "cuDeviceGetName");
    result = cu->DriverGetVersion(&p->driver);
    if (result != MS_CU_SUCCESS) return ms_cu_fail(cu, diag, result, "cuDriverGetVersion");
    result = cu->DeviceTotalMem(&p->memory_bytes, device);
    if (result != MS_CU_SUCCESS) return ms_cu_fail(cu, diag, result, "cuDeviceTotalMem");
    for (size_t w = 0; w < sizeof wanted / sizeof wanted[0]; w++) {
        result = cu->DeviceGetAttribute(wanted[w].value, wanted[w].attribute, device);
        if (result != MS_CU_SUCCESS) return ms_cu_fail(cu, diag, result, "cuDeviceGetAttribute");
    }
    return MSW_OK;
}

static void describe_target(const properties *p, msw_target *target)
{
    *target = (msw_target){.struct_size = sizeof *target,
                           .backend = MSW_BACKEND_CUDA,
                           .subgroup_size = (uint32_t)p->warp,
                           .max_block_threads = (uint32_t)p->threads,
                           .shared_bytes = (uint32_t)(p->shared_opt_in > p->shared ? p->shared_opt_in : p->shared),
                           .max_blocks = (uint32_t)p->grid,
                           .compute_units = (uint32_t)p->multiprocessors,
                           .features = MSW_FEATURE_INT8 | MSW_FEATURE_INT16 | MSW_FEATURE_INT64 | MSW_FEATURE_FLOAT16 | MSW_FEATURE_FLOAT64 |
                                       MSW_FEATURE_ATOMIC64 | MSW_FEATURE_SUBGROUP | MSW_FEATURE_LONG_LOOPS,
                           .has_features = 1,
                           .progress = MSW_PROGRESS_PARALLEL,
                           .arch = arch_name(p->major, p->minor),
                           .max_cluster_blocks = p->major < CLUSTER_MAJOR}; /* else it is asked when the device is opened */
}

/* A device that cannot be used is described too, with the reason. Leaves ordinal and info in `device`. */
static void describe(ms_device *device, CUdevice ordinal)
{
    msw_device_info *info = &device->info;
    properties p = {0};
    msw_diag reason;
    memset(info, 0, sizeof *info);
    device->ordinal = ordinal;
    info->backend = MSW_BACKEND_CUDA;
    info->index = (uint32_t)ordinal;
    snprintf(info->id, sizeof info->id, "cuda:%d", ordinal);
    info->is_usable = read_properties(&device->cu, ordinal, info->name, sizeof info->name, &p, &reason) == MSW_OK;
    if (!info->is_usable) snprintf(info->why, sizeof info->why, "%.255s", reason.message);
    describe_target(&p, &info->target);
    device->begins_early = device->cu.LaunchKernelEx && p.driver >= EARLY_DRIVER;
    if (p.driver) snprintf(info->driver, sizeof info->driver, "CUDA %d.%d", p.driver / 1000, p.driver % 1000 / 10);
    info->memory_bytes = info->max_allocation_bytes = p.memory_bytes;
    if (info->is_usable && 10 * p.major + p.minor < OLDEST_CAPABILITY) {
        info->is_usable = 0;
        snprintf(info->why, sizeof info->why, "its compute capability is %d.%d, 7.5 is needed", p.major, p.minor);
    }
}

static msw_result count_devices(const ms_cu_functions *cu, int *count, msw_diag *diag)
{
    const ms_cu_result result = cu->DeviceGetCount(count);
    return result == MS_CU_SUCCESS ? MSW_OK : ms_cu_fail(cu, diag, result, "cuDeviceGetCount");
}

/* What the caller gave, or no functions and no context. */
static msw_result read_vendor(const void *vendor, msw_cuda_device *given, msw_diag *diag)
{
    *given = (msw_cuda_device){.struct_size = sizeof *given};
    return vendor ? MS_SIZED_READ(msw_cuda_device, vendor, given, "device", diag) : MSW_OK;
}

static msw_result cuda_list(const msw_context_desc *desc, const msw_allocator *allocator, ms_device_list *list, msw_diag *diag)
{
    const int is_given = desc->device && strncmp(desc->device, "cuda", 4) == 0;
    ms_device device = {.ordinal = 0};
    msw_cuda_device given;
    int found = 0;
    msw_result result = read_vendor(is_given ? desc->vendor : NULL, &given, diag);
    (void)allocator;
    if (result == MSW_OK) result = ms_cu_load(&device.cu, &given, diag);
    if (result != MSW_OK) return result;
    result = count_devices(&device.cu, &found, diag);
    for (int d = 0; d < found; d++) {
        describe(&device, d);
        ms_device_list_add(list, &device.info);
    }
    ms_cu_unload(&device.cu);
    return result;
}

/* The first usable device; without one the first, which says why. */
static void pick_first(ms_device *device, int count)
{
    msw_device_info first;
    describe(device, 0);
    first = device->info;
    for (int d = 1; d < count && !device->info.is_usable; d++) describe(device, d);
    if (!device->info.is_usable) device->info = first;
}

static msw_result pick(ms_device *device, uint32_t index, msw_diag *diag)
{
    int count;
    const msw_result result = count_devices(&device->cu, &count, diag);
    if (result != MSW_OK) return result;
    if (count == 0) return ms_fail(diag, MSW_ERROR_DEVICE, "device", "cuda: there is no device; look whether nvidia-smi sees one");
    if (index == MS_DEVICE_FIRST) pick_first(device, count);
    else if (index < (uint32_t)count) describe(device, (CUdevice)index);
    else return ms_fail(diag, MSW_ERROR_DEVICE, "device", "no device cuda:%u; %d are known, the first is cuda:0", index, count);
    return MSW_OK;
}

static msw_result retain_primary(ms_device *device, msw_diag *diag)
{
    const ms_cu_result result = device->cu.DevicePrimaryCtxRetain(&device->context, device->ordinal);
    if (result != MS_CU_SUCCESS) return ms_cu_fail(&device->cu, diag, result, "cuDevicePrimaryCtxRetain");
    device->is_owned = 1;
    return MSW_OK;
}

/* The caller's context says which device it is. */
static msw_result adopt(ms_device *device, CUcontext context, uint32_t index, msw_diag *diag)
{
    ms_cu_result got;
    CUdevice ordinal = 0;
    msw_result result;
    device->context = context;
    if ((result = ms_cu_enter(device, diag)) != MSW_OK) return result;
    got = device->cu.CtxGetDevice(&ordinal);
    result = ms_cu_leave(device, got == MS_CU_SUCCESS ? MSW_OK : ms_cu_fail(&device->cu, diag, got, "cuCtxGetDevice"), diag);
    if (result != MSW_OK) return result;
    if (index != MS_DEVICE_FIRST && index != (uint32_t)ordinal)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "device", "msw_cuda_device: the context is one of cuda:%d, not of cuda:%u; name it \"cuda\"",
                       ordinal, index);
    describe(device, ordinal);
    return MSW_OK;
}

/* A context may have been limited to some of the device's multiprocessors: a green one, or by its affinity. */
static void count_multiprocessors(ms_device *device)
{
    const ms_cu_functions *cu = &device->cu;
    ms_cu_resource resource = {.type = MS_CU_DEV_RESOURCE_SM};
    device->multiprocessors = device->info.target.compute_units;
    if (!cu->CtxGetDevResource || cu->CtxGetDevResource(device->context, &resource, MS_CU_DEV_RESOURCE_SM) != MS_CU_SUCCESS) return;
    if (resource.multiprocessors && resource.multiprocessors < device->multiprocessors) device->multiprocessors = resource.multiprocessors;
}

/* Whether the context has room for a cluster of this number of blocks, each of which fills a multiprocessor. */
static int holds_cluster(const ms_device *device, CUfunction function, uint32_t blocks, uint32_t shared_bytes)
{
    ms_cu_launch_attribute attribute = {.id = MS_CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.cluster = {blocks, 1, 1}};
    const ms_cu_launch_config config = {blocks, 1, 1, PROBE_THREADS, 1, 1, shared_bytes, NULL, &attribute, 1};
    int clusters = 0;
    return device->cu.OccupancyMaxActiveClusters(&clusters, function, &config) == MS_CU_SUCCESS && clusters > 0;
}

/* A kernel to ask the driver about: which clusters there is room for depends on which multiprocessors a part of a device has. To compile it takes
 * 5 ms, the first text of a process 70 (an H200), so a whole device is not asked. */
static const char probe_text[] = ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry ms_cluster_probe() { ret; }\n";

/* The number of blocks of the largest cluster that there is room for; 1 also where the driver does not tell. The context is current. */
static uint32_t find_cluster_blocks(const ms_device *device)
{
    const ms_cu_functions *cu = &device->cu;
    const msw_target *target = &device->info.target;
    const int is_whole = device->multiprocessors == target->compute_units && target->compute_units >= LEAST_WHOLE_MULTIPROCESSORS;
    const uint32_t most = target->shared_bytes, shared_bytes = most < PROBE_SHARED_BYTES ? most : PROBE_SHARED_BYTES;
    uint32_t blocks = MSW_MAX_CLUSTER_BLOCKS;
    CUmodule module;
    CUfunction function;
    if (is_whole && cu->OccupancyMaxActiveClusters) return strcmp(target->arch, "sm_90") ? PORTABLE_CLUSTER_BLOCKS : MSW_MAX_CLUSTER_BLOCKS;
    if (!cu->OccupancyMaxActiveClusters || cu->ModuleLoadDataEx(&module, probe_text, 0, NULL, NULL) != MS_CU_SUCCESS) return 1;
    if (cu->ModuleGetFunction(&function, module, "ms_cluster_probe") != MS_CU_SUCCESS ||
        cu->FuncSetAttribute(function, MS_CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared_bytes) != MS_CU_SUCCESS)
        blocks = 1;
    else if (cu->FuncSetAttribute(function, MS_CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1) != MS_CU_SUCCESS) blocks = PORTABLE_CLUSTER_BLOCKS;
    while (blocks > 1 && !holds_cluster(device, function, blocks, shared_bytes)) blocks = blocks > PORTABLE_CLUSTER_BLOCKS ? blocks / 2 : 1;
    cu->ModuleUnload(module);
    return blocks;
}

/* What blocking calls reuse. */
static msw_result create_stream(ms_device *device, msw_diag *diag)
{
    const ms_cu_functions *cu = &device->cu;
    ms_cu_result result = cu->StreamCreate(&device->stream, MS_CU_STREAM_DEFAULT);
    if (result != MS_CU_SUCCESS) return ms_cu_fail(cu, diag, result, "cuStreamCreate");
    result = cu->EventCreate(&device->start, MS_CU_EVENT_DEFAULT);
    if (result == MS_CU_SUCCESS) result = cu->EventCreate(&device->end, MS_CU_EVENT_DEFAULT);
    return result == MS_CU_SUCCESS ? MSW_OK : ms_cu_fail(cu, diag, result, "cuEventCreate");
}

static void cuda_close(ms_device *device)
{
    const msw_allocator allocator = device->allocator;
    const ms_cu_functions *cu = &device->cu;
    if (device->stream && ms_cu_enter(device, NULL) == MSW_OK) {
        if (device->end) cu->EventDestroy(device->end);
        if (device->start) cu->EventDestroy(device->start);
        cu->StreamDestroy(device->stream);
        ms_cu_leave(device, MSW_OK, NULL);
    }
    if (device->is_owned) cu->DevicePrimaryCtxRelease(device->ordinal);
    ms_cu_unload(&device->cu);
    ms_free(&allocator, device, sizeof *device);
}

static msw_result open_device(ms_device *device, const void *vendor, uint32_t index, msw_diag *diag)
{
    msw_cuda_device given;
    msw_result result = read_vendor(vendor, &given, diag);
    if (result == MSW_OK) result = ms_cu_load(&device->cu, &given, diag);
    if (result != MSW_OK) return result;
    result = given.context ? adopt(device, given.context, index, diag) : pick(device, index, diag);
    if (result != MSW_OK) return result;
    if (!device->info.is_usable)
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "device", "%s (%.100s) cannot be used: %.255s", device->info.id, device->info.name,
                       device->info.why);
    if (!device->context && (result = retain_primary(device, diag)) != MSW_OK) return result;
    if ((result = ms_cu_enter(device, diag)) != MSW_OK) return result;
    count_multiprocessors(device);
    if (!device->info.target.max_cluster_blocks) device->info.target.max_cluster_blocks = find_cluster_blocks(device);
    return ms_cu_leave(device, create_stream(device, diag), diag);
}

static msw_result cuda_open(const msw_context_desc *desc, const msw_allocator *allocator, uint32_t index, ms_device **device, msw_device_info *info,
                            msw_diag *diag)
{
    ms_device *d = ms_alloc(allocator, sizeof *d);
    msw_result result;
    if (!d) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "device", "cuda: out of host memory");
    d->allocator = *allocator;
    result = open_device(d, desc->vendor, index, diag);
    if (result != MSW_OK) {
        cuda_close(d);
        return result;
    }
    *info = d->info;
    *device = d;
    return MSW_OK;
}

msw_result ms_cu_enter(const ms_device *device, msw_diag *diag)
{
    const ms_cu_result result = device->cu.CtxPushCurrent(device->context);
    return result == MS_CU_SUCCESS ? MSW_OK : ms_cu_fail(&device->cu, diag, result, "cuCtxPushCurrent");
}

msw_result ms_cu_leave(const ms_device *device, msw_result result, msw_diag *diag)
{
    CUcontext popped;
    const ms_cu_result left = device->cu.CtxPopCurrent(&popped);
    return result == MSW_OK && left != MS_CU_SUCCESS ? ms_cu_fail(&device->cu, diag, left, "cuCtxPopCurrent") : result;
}

msw_result ms_cu_wait(const ms_device *device, msw_diag *diag)
{
    const ms_cu_result result = device->cu.StreamSynchronize(device->stream);
    return result == MS_CU_SUCCESS ? MSW_OK : ms_cu_fail(&device->cu, diag, result, "cuStreamSynchronize");
}

const ms_backend ms_backend_cuda = {.kind = MSW_BACKEND_CUDA,
                                    .name = "cuda",
                                    .list = cuda_list,
                                    .open = cuda_open,
                                    .close = cuda_close,
                                    .memory_create = ms_cu_memory_create,
                                    .memory_destroy = ms_cu_memory_destroy,
                                    .memory_write = ms_cu_memory_write,
                                    .memory_read = ms_cu_memory_read,
                                    .memory_copy = ms_cu_memory_copy,
                                    .module_create = ms_cu_module_create,
                                    .module_load = ms_cu_module_load,
                                    .module_destroy = ms_cu_module_destroy,
                                    .scratch_init = ms_cu_scratch_init,
                                    .run = ms_cu_run};
