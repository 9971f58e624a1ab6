#include "adapter.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* lavapipe advertises more when LP_NATIVE_VECTOR_WIDTH is above 512, and computes wrong results. */
enum { LARGEST_LAVAPIPE_SUBGROUP = 16 };

/* Everything that is asked of a physical device, before it is judged. */
typedef struct properties {
    VkPhysicalDeviceProperties2 core;
    VkPhysicalDeviceVulkan11Properties v11;
    VkPhysicalDeviceVulkan12Properties v12;
    VkPhysicalDeviceVulkan13Properties v13;
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nv;
    VkPhysicalDeviceShaderCorePropertiesAMD amd;
} properties;

static const struct driver {
    VkDriverId id;
    const char *arch;
    msw_progress progress; /* of what is not known: none */
} drivers[] = {
    {VK_DRIVER_ID_MESA_LLVMPIPE, "lavapipe", MSW_PROGRESS_NONE},
    {VK_DRIVER_ID_GOOGLE_SWIFTSHADER, "swiftshader", MSW_PROGRESS_NONE},
    {VK_DRIVER_ID_NVIDIA_PROPRIETARY, "nvidia", MSW_PROGRESS_PARALLEL},
    {VK_DRIVER_ID_AMD_PROPRIETARY, "amd", MSW_PROGRESS_NONE},
    {VK_DRIVER_ID_AMD_OPEN_SOURCE, "amd", MSW_PROGRESS_NONE},
    {VK_DRIVER_ID_MESA_RADV, "amd", MSW_PROGRESS_NONE},
    {VK_DRIVER_ID_INTEL_PROPRIETARY_WINDOWS, "intel", MSW_PROGRESS_NONE},
    {VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA, "intel", MSW_PROGRESS_NONE},
};

/* The first reason stays. */
__attribute__((format(printf, 2, 3))) static void refuse(msw_device_info *info, const char *format, ...)
{
    va_list arguments;
    if (info->why[0]) return;
    va_start(arguments, format);
    vsnprintf(info->why, sizeof info->why, format, arguments);
    va_end(arguments);
}

/* -1: out of memory. */
static int has_extension(const ms_vk_instance *instance, const msw_allocator *allocator, VkPhysicalDevice handle, const char *name)
{
    VkExtensionProperties *extensions;
    uint32_t count = 0;
    size_t bytes;
    int found = 0;
    if (instance->EnumerateDeviceExtensionProperties(handle, NULL, &count, NULL) != VK_SUCCESS || count == 0) return 0;
    bytes = count * sizeof *extensions;
    extensions = ms_alloc(allocator, bytes);
    if (!extensions) return -1;
    if (instance->EnumerateDeviceExtensionProperties(handle, NULL, &count, extensions) >= 0)
        for (uint32_t i = 0; i < count; i++) found |= strcmp(extensions[i].extensionName, name) == 0;
    ms_free(allocator, extensions, bytes);
    return found;
}

/* 0, or -1: out of memory. */
static int read_properties(const ms_vk_instance *instance, const msw_allocator *allocator, VkPhysicalDevice handle, properties *p)
{
    const int has_nv = has_extension(instance, allocator, handle, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME);
    const int has_amd = has_extension(instance, allocator, handle, VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME);
    void **tail = &p->v13.pNext;
    if (has_nv < 0 || has_amd < 0) return -1;
    memset(p, 0, sizeof *p);
    p->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    p->v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
    p->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
    p->v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES;
    p->nv.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV;
    p->amd.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD;
    p->core.pNext = &p->v11;
    p->v11.pNext = &p->v12;
    p->v12.pNext = &p->v13;
    if (has_nv) {
        *tail = &p->nv;
        tail = &p->nv.pNext;
    }
    if (has_amd) *tail = &p->amd;
    instance->GetPhysicalDeviceProperties2(handle, &p->core);
    return 0;
}

static uint32_t compute_units(const properties *p)
{
    const uint32_t amd = p->amd.shaderEngineCount * p->amd.shaderArraysPerEngineCount * p->amd.computeUnitsPerShaderArray;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (p->core.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) return cores > 0 ? (uint32_t)cores : 1;
    if (p->nv.shaderSMCount) return p->nv.shaderSMCount;
    return amd ? amd : 32;
}

static void describe_target(const properties *p, uint32_t features, msw_target *target)
{
    const VkPhysicalDeviceLimits *limits = &p->core.properties.limits;
    const uint32_t invocations = limits->maxComputeWorkGroupInvocations, width = limits->maxComputeWorkGroupSize[0];
    *target = (msw_target){.struct_size = sizeof *target,
                           .backend = MSW_BACKEND_VULKAN,
                           .has_features = 1,
                           .features = features,
                           .progress = MSW_PROGRESS_NONE,
                           .is_cpu = p->core.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU,
                           .arch = "vulkan"};
    target->subgroup_size = features & MSW_FEATURE_SUBGROUP ? p->v11.subgroupSize : 1;
    target->max_block_threads = invocations < width ? invocations : width;
    target->max_block_subgroups = p->v13.maxComputeWorkgroupSubgroups;
    target->shared_bytes = limits->maxComputeSharedMemorySize;
    target->max_blocks = limits->maxComputeWorkGroupCount[0];
    target->compute_units = compute_units(p);
    for (size_t d = 0; d < sizeof drivers / sizeof drivers[0]; d++)
        if (drivers[d].id == p->v12.driverID) {
            target->arch = drivers[d].arch;
            target->progress = drivers[d].progress;
        }
}

static uint64_t device_memory_bytes(const ms_vk_instance *instance, VkPhysicalDevice handle)
{
    VkPhysicalDeviceMemoryProperties memory;
    uint64_t most = 0;
    instance->GetPhysicalDeviceMemoryProperties(handle, &memory);
    for (uint32_t h = 0; h < memory.memoryHeapCount; h++)
        if ((memory.memoryHeaps[h].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) && memory.memoryHeaps[h].size > most) most = memory.memoryHeaps[h].size;
    return most;
}

/* 0, or -1: out of memory. */
static int find_queue_family(const ms_vk_instance *instance, const msw_allocator *allocator, uint32_t wanted, ms_vk_adapter *adapter)
{
    VkQueueFamilyProperties *families;
    uint32_t count = 0, f = 0;
    size_t bytes;
    instance->GetPhysicalDeviceQueueFamilyProperties(adapter->handle, &count, NULL);
    bytes = count * sizeof *families;
    families = ms_alloc(allocator, bytes + 1); /* there may be none */
    if (!families) return -1;
    instance->GetPhysicalDeviceQueueFamilyProperties(adapter->handle, &count, families);
    while (f < count && ((wanted != MS_VK_ANY_FAMILY && f != wanted) || !(families[f].queueFlags & VK_QUEUE_COMPUTE_BIT))) f++;
    adapter->queue_family = f;
    if (f < count) adapter->timestamp_bits = families[f].timestampValidBits;
    else refuse(&adapter->info, wanted == MS_VK_ANY_FAMILY ? "it has no queue for compute" : "the queue family has no compute");
    ms_free(allocator, families, bytes + 1);
    return 0;
}

static void describe_names(const VkPhysicalDeviceProperties *core, const properties *p, msw_device_info *info)
{
    info->backend = MSW_BACKEND_VULKAN;
    snprintf(info->id, sizeof info->id, "vulkan"); /* its place in the list, where it has one, is added there */
    snprintf(info->name, sizeof info->name, "%s", core->deviceName);
    snprintf(info->driver, sizeof info->driver, "%.120s%s%.120s", p->v12.driverName, p->v12.driverInfo[0] ? " " : "", p->v12.driverInfo);
}

/* Of what the driver has what monosweep uses; of a caller's device what was enabled of that. Names what it cannot do without. */
static void choose_features(const ms_vk_instance *instance, const msw_vulkan_device *given, ms_vk_adapter *adapter)
{
    msw_vulkan_features have = {.core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2}};
    ms_vk_control_flow control_flow = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR};
    const char *missing;
    ms_vk_features_link(&have);
    have.v13.pNext = &control_flow; /* a driver without the extension leaves it as it is */
    instance->GetPhysicalDeviceFeatures2(adapter->handle, &have.core);
    adapter->features = ms_vk_features_used(&have);
    adapter->control_flow = control_flow;
    if ((missing = ms_vk_features_missing(&adapter->features)) != NULL) refuse(&adapter->info, "the driver lacks %s", missing);
    if (!given) return;
    adapter->features = ms_vk_features_enabled(&adapter->features, given->enabled);
    adapter->control_flow.shaderSubgroupUniformControlFlow &= ms_vk_control_flow_enabled(given->enabled);
    if ((missing = ms_vk_features_missing(&adapter->features)) != NULL)
        refuse(&adapter->info,
               "its VkDevice was made without %s; make it with what msw_vulkan_requirements gives, and hand the same chain on in "
               "msw_vulkan_device.enabled",
               missing);
}

/* 0, or -1: out of memory. */
static int describe_adapter(const ms_vk_instance *instance, const msw_allocator *allocator, const msw_vulkan_device *given, ms_vk_adapter *adapter)
{
    msw_device_info *info = &adapter->info;
    properties p;
    uint64_t buffer_bytes;
    if (read_properties(instance, allocator, adapter->handle, &p)) return -1;
    choose_features(instance, given, adapter);
    describe_names(&p.core.properties, &p, info);
    describe_target(&p,
                    msw_vulkan_feature_bits(&adapter->features.core.features, &adapter->features.v11, &adapter->features.v12,
                                            adapter->control_flow.shaderSubgroupUniformControlFlow, &p.v11, p.v12.driverID),
                    &info->target);
    info->memory_bytes = device_memory_bytes(instance, adapter->handle);
    buffer_bytes = p.v13.maxBufferSize;
    info->max_allocation_bytes = buffer_bytes < p.v11.maxMemoryAllocationSize ? buffer_bytes : p.v11.maxMemoryAllocationSize;
    adapter->subgroups = msw_vulkan_subgroups_of(&p.v11, &p.v13, adapter->features.v13.computeFullSubgroups);
    adapter->vendor_id = p.core.properties.vendorID;
    adapter->device_id = p.core.properties.deviceID;
    memcpy(adapter->pipeline_cache_uuid, p.core.properties.pipelineCacheUUID, VK_UUID_SIZE);
    adapter->timestamp_seconds = (double)p.core.properties.limits.timestampPeriod * 1e-9;
    if (p.v12.driverID == VK_DRIVER_ID_MESA_LLVMPIPE && p.v11.subgroupSize > LARGEST_LAVAPIPE_SUBGROUP)
        refuse(info, "lavapipe miscompiles subgroups of %u; set LP_NATIVE_VECTOR_WIDTH to 512 or less", p.v11.subgroupSize);
    return 0;
}

msw_result ms_vk_adapter_describe(const ms_vk_instance *instance, const msw_allocator *allocator, VkPhysicalDevice handle,
                                  const msw_vulkan_device *given, ms_vk_adapter *adapter, msw_diag *diag)
{
    const uint32_t queue_family = given ? given->queue_family : MS_VK_ANY_FAMILY;
    VkPhysicalDeviceProperties core;
    memset(adapter, 0, sizeof *adapter);
    adapter->handle = handle;
    instance->GetPhysicalDeviceProperties(handle, &core);
    adapter->type = core.deviceType;
    if (core.apiVersion < VK_API_VERSION_1_3) {
        adapter->info.backend = MSW_BACKEND_VULKAN;
        adapter->info.target = (msw_target){.struct_size = sizeof adapter->info.target,
                                            .backend = MSW_BACKEND_VULKAN,
                                            .is_cpu = core.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU,
                                            .arch = "vulkan"};
        snprintf(adapter->info.name, sizeof adapter->info.name, "%s", core.deviceName);
        refuse(&adapter->info, "the driver has Vulkan %u.%u, 1.3 is needed", VK_API_VERSION_MAJOR(core.apiVersion),
               VK_API_VERSION_MINOR(core.apiVersion));
        return MSW_OK;
    }
    if (describe_adapter(instance, allocator, given, adapter) || find_queue_family(instance, allocator, queue_family, adapter))
        return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "device", "vulkan: out of host memory");
    adapter->info.is_usable = adapter->info.why[0] == '\0';
    return MSW_OK;
}

/* Place in the list: discrete, integrated and virtual GPUs, others, CPU drivers. */
static int rank(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 0;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return 1;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 2;
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return 4;
    default: return 3;
    }
}

/* Insertion by rank keeps the driver's order among equals. */
static void insert(ms_vk_adapter *adapters, uint32_t count, const ms_vk_adapter *adapter)
{
    uint32_t i = count;
    for (; i && rank(adapters[i - 1].type) > rank(adapter->type); i--) adapters[i] = adapters[i - 1];
    adapters[i] = *adapter;
}

/* Describes `found` devices into adapters, in the list's order. */
static msw_result describe_all(const ms_vk_instance *instance, const msw_allocator *allocator, VkPhysicalDevice *handles, uint32_t found,
                               ms_vk_adapter *adapters, msw_diag *diag)
{
    const VkResult listed = instance->EnumeratePhysicalDevices(instance->handle, &found, handles);
    if (listed != VK_SUCCESS) return ms_vk_fail(diag, listed, "vkEnumeratePhysicalDevices");
    for (uint32_t i = 0; i < found; i++) {
        ms_vk_adapter adapter;
        const msw_result result = ms_vk_adapter_describe(instance, allocator, handles[i], NULL, &adapter, diag);
        if (result != MSW_OK) return result;
        insert(adapters, i, &adapter);
    }
    for (uint32_t i = 0; i < found; i++) {
        adapters[i].info.index = i;
        snprintf(adapters[i].info.id, sizeof adapters[i].info.id, "vulkan:%u", i);
    }
    return MSW_OK;
}

msw_result ms_vk_adapters(const ms_vk_instance *instance, const msw_allocator *allocator, ms_vk_adapter **adapters, uint32_t *count, msw_diag *diag)
{
    VkPhysicalDevice *handles;
    uint32_t found = 0;
    const VkResult listed = instance->EnumeratePhysicalDevices(instance->handle, &found, NULL);
    msw_result result;
    *adapters = NULL;
    *count = 0;
    if (listed != VK_SUCCESS) return ms_vk_fail(diag, listed, "vkEnumeratePhysicalDevices");
    if (found == 0) return ms_ok(diag);
    handles = ms_alloc(allocator, found * sizeof *handles);
    *adapters = ms_alloc(allocator, found * sizeof **adapters);
    if (handles && *adapters) result = describe_all(instance, allocator, handles, found, *adapters, diag);
    else result = ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "device", "vulkan: out of host memory");
    ms_free(allocator, handles, found * sizeof *handles);
    if (result == MSW_OK) {
        *count = found;
        return ms_ok(diag);
    }
    ms_free(allocator, *adapters, found * sizeof **adapters);
    *adapters = NULL;
    return result;
}

msw_result msw_vulkan_requirements(PFN_vkGetInstanceProcAddr get_instance_proc_addr, VkInstance instance, VkPhysicalDevice physical_device,
                                   msw_vulkan_features *features, msw_diag *diag)
{
    ms_vk_instance wrapped;
    ms_vk_adapter adapter;
    msw_result result;
    if (!instance || !physical_device || !features)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "device", "msw_vulkan_requirements: instance, physical_device or features is NULL");
    if ((result = MS_SIZED_CHECK(msw_vulkan_features, features, "device", diag)) != MSW_OK) return result;
    result = ms_vk_instance_wrap(&wrapped, get_instance_proc_addr, instance, diag);
    if (result != MSW_OK) return result;
    result = ms_vk_adapter_describe(&wrapped, NULL, physical_device, NULL, &adapter, diag);
    ms_vk_instance_destroy(&wrapped);
    if (result != MSW_OK) return result;
    if (!adapter.info.is_usable)
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "device", "%.100s cannot be used: %.255s; make the instance for Vulkan 1.3, where it was not",
                       adapter.info.name, adapter.info.why); /* an older one is told of no newer features */
    ms_sized_write(features, &adapter.features, sizeof adapter.features);
    ms_vk_features_link(features); /* a struct of later versions is to be linked only where the caller has it */
    return ms_ok(diag);
}
