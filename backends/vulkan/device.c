/* Vulkan devices: what they are, opening them, their memory. */
#include "device.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_DEVICES = 16, MAX_FAMILIES = 16, STAGING_BYTES = 8 << 20, LARGEST_LLVMPIPE_SUBGROUP = 16 };

typedef struct properties {
    VkPhysicalDeviceProperties2 core;
    VkPhysicalDeviceVulkan11Properties v11;
    VkPhysicalDeviceVulkan12Properties v12;
    VkPhysicalDeviceVulkan13Properties v13;
} properties;

static void chain_features(msw_vulkan_features *f)
{
    memset(f, 0, sizeof *f);
    f->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    f->v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    f->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    f->v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    f->core.pNext = &f->v11;
    f->v11.pNext = &f->v12;
    f->v12.pNext = &f->v13;
}

static void read_properties(const ms_vk_instance *instance, VkPhysicalDevice physical, properties *p)
{
    memset(p, 0, sizeof *p);
    p->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    p->v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
    p->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
    p->v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES;
    p->core.pNext = &p->v11;
    p->v11.pNext = &p->v12;
    p->v12.pNext = &p->v13;
    instance->GetPhysicalDeviceProperties2(physical, &p->core);
}

/* What of `have` is wanted: the required features and the optional ones. missing: a required one, or NULL. */
static uint32_t choose_features(const msw_vulkan_features *have, msw_vulkan_features *want, const char **missing)
{
    uint32_t bits = MSW_FEATURE_SUBGROUP | MSW_FEATURE_ARITHMETIC;
    chain_features(want);
    *missing = !have->v12.bufferDeviceAddress ? "buffer device addresses" : !have->v12.scalarBlockLayout ? "scalar block layout"
        : !have->v12.vulkanMemoryModel || !have->v12.vulkanMemoryModelDeviceScope ? "the Vulkan memory model with device scope"
        : !have->v13.subgroupSizeControl || !have->v13.computeFullSubgroups ? "subgroup size control" : NULL;
    want->v12.bufferDeviceAddress = want->v12.scalarBlockLayout = want->v12.vulkanMemoryModel = want->v12.vulkanMemoryModelDeviceScope = VK_TRUE;
    want->v13.subgroupSizeControl = want->v13.computeFullSubgroups = VK_TRUE;
    if (have->v12.shaderInt8 && have->v12.storageBuffer8BitAccess) {
        want->v12.shaderInt8 = want->v12.storageBuffer8BitAccess = VK_TRUE;
        bits |= MSW_FEATURE_INT8;
    }
    if (have->core.features.shaderInt16 && have->v11.storageBuffer16BitAccess) {
        want->core.features.shaderInt16 = want->v11.storageBuffer16BitAccess = VK_TRUE;
        bits |= MSW_FEATURE_INT16;
        if (have->v12.shaderFloat16) {
            want->v12.shaderFloat16 = VK_TRUE;
            bits |= MSW_FEATURE_FLOAT16;
        }
    }
    if (have->core.features.shaderInt64) want->core.features.shaderInt64 = VK_TRUE, bits |= MSW_FEATURE_INT64;
    if (have->core.features.shaderFloat64) want->core.features.shaderFloat64 = VK_TRUE, bits |= MSW_FEATURE_FLOAT64;
    if (have->core.features.shaderInt64 && have->v12.shaderBufferInt64Atomics) want->v12.shaderBufferInt64Atomics = VK_TRUE, bits |= MSW_FEATURE_ATOMIC64;
    return bits;
}

/* Index of a queue family with compute; MAX_FAMILIES: none. */
static uint32_t compute_family(const ms_vk_instance *instance, VkPhysicalDevice physical, uint32_t *timestamp_bits)
{
    VkQueueFamilyProperties families[MAX_FAMILIES];
    uint32_t count = MAX_FAMILIES;
    instance->GetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    for (uint32_t f = 0; f < count; f++) {
        if (!(families[f].queueFlags & VK_QUEUE_COMPUTE_BIT)) continue;
        *timestamp_bits = families[f].timestampValidBits;
        return f;
    }
    return MAX_FAMILIES;
}

static void set_target(const properties *p, uint32_t features, msw_device_info *info)
{
    const VkPhysicalDeviceLimits *limits = &p->core.properties.limits;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int is_nvidia = p->v12.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
    info->target = (msw_target){
        .struct_size = sizeof info->target, .backend = MSW_BACKEND_VULKAN, .subgroup_size = p->v11.subgroupSize, .features = features, .has_features = 1,
        .max_block_threads = limits->maxComputeWorkGroupInvocations < limits->maxComputeWorkGroupSize[0] ? limits->maxComputeWorkGroupInvocations
                                                                                                       : limits->maxComputeWorkGroupSize[0],
        .max_block_subgroups = p->v13.maxComputeWorkgroupSubgroups, .shared_bytes = limits->maxComputeSharedMemorySize,
        .max_blocks = limits->maxComputeWorkGroupCount[0], .compute_units = info->is_cpu ? (cores > 0 ? (uint32_t)cores : 1) : 32,
        .progress = is_nvidia ? MSW_PROGRESS_PARALLEL : MSW_PROGRESS_NONE,
        .arch = p->v12.driverID == VK_DRIVER_ID_MESA_LLVMPIPE ? "lavapipe" : p->v12.driverID == VK_DRIVER_ID_GOOGLE_SWIFTSHADER ? "swiftshader"
              : is_nvidia ? "nvidia" : "vulkan"};
}

static void describe(const ms_vk_instance *instance, VkPhysicalDevice physical, uint32_t index, msw_device_info *info)
{
    properties p;
    msw_vulkan_features have, want;
    const char *missing = NULL;
    uint32_t bits = 0, timestamps;
    memset(info, 0, sizeof *info);
    read_properties(instance, physical, &p);
    info->backend = MSW_BACKEND_VULKAN;
    info->index = index;
    snprintf(info->id, sizeof info->id, "vulkan:%" PRIu32, index);
    snprintf(info->name, sizeof info->name, "%s", p.core.properties.deviceName);
    snprintf(info->driver, sizeof info->driver, "%.120s %.120s", p.v12.driverName, p.v12.driverInfo);
    info->is_cpu = p.core.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    VkPhysicalDeviceMemoryProperties memory;
    instance->GetPhysicalDeviceMemoryProperties(physical, &memory);
    for (uint32_t h = 0; h < memory.memoryHeapCount; h++)
        if (memory.memoryHeaps[h].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) info->memory_bytes += memory.memoryHeaps[h].size;
    info->max_allocation_bytes = p.v11.maxMemoryAllocationSize;
    if (p.v13.maxBufferSize && p.v13.maxBufferSize < info->max_allocation_bytes) info->max_allocation_bytes = p.v13.maxBufferSize;
    if (p.core.properties.apiVersion >= VK_API_VERSION_1_3) {
        chain_features(&have);
        instance->GetPhysicalDeviceFeatures2(physical, &have.core);
        bits = choose_features(&have, &want, &missing);
    } else {
        missing = "Vulkan 1.3";
    }
    if (!missing && compute_family(instance, physical, &timestamps) == MAX_FAMILIES) missing = "a compute queue";
    set_target(&p, bits, info);
    info->is_usable = !missing;
    if (missing) snprintf(info->why, sizeof info->why, "it lacks %s", missing);
    if (p.v12.driverID == VK_DRIVER_ID_MESA_LLVMPIPE && p.v11.subgroupSize > LARGEST_LLVMPIPE_SUBGROUP) {
        info->is_usable = 0;
        snprintf(info->why, sizeof info->why, "llvmpipe miscompiles subgroups of more than %d; set LP_NATIVE_VECTOR_WIDTH to 512 or less",
                 LARGEST_LLVMPIPE_SUBGROUP);
    }
}

/* Physical devices, GPUs first. */
static uint32_t find_devices(const ms_vk_instance *instance, VkPhysicalDevice sorted[MAX_DEVICES])
{
    VkPhysicalDevice all[MAX_DEVICES];
    uint32_t count = MAX_DEVICES, found = 0;
    if (instance->EnumeratePhysicalDevices(instance->handle, &count, all) < 0) return 0;
    for (int cpu = 0; cpu < 2; cpu++)
        for (uint32_t i = 0; i < count; i++) {
            VkPhysicalDeviceProperties p;
            instance->GetPhysicalDeviceProperties(all[i], &p);
            if ((p.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) == cpu) sorted[found++] = all[i];
        }
    return found;
}

static msw_result vulkan_list(const msw_context_desc *desc, const msw_allocator *allocator, msw_device_info *devices, uint32_t capacity, uint32_t *count,
                              msw_diag *diag)
{
    const ms_vk_log log = {desc->log, desc->log_user};
    VkPhysicalDevice physical[MAX_DEVICES];
    ms_vk_instance instance;
    *count = 0;
    const msw_result result = ms_vk_instance_create(&instance, allocator, 0, &log, diag);
    if (result != MSW_OK) return result;
    *count = find_devices(&instance, physical);
    for (uint32_t i = 0; i < *count && i < capacity; i++) describe(&instance, physical[i], i, &devices[i]);
    ms_vk_instance_destroy(&instance);
    return MSW_OK;
}

/* ---- opening ---- */

static msw_result pick(ms_device *device, uint32_t index, msw_device_info *info, msw_diag *diag)
{
    VkPhysicalDevice physical[MAX_DEVICES];
    const uint32_t count = find_devices(&device->instance, physical);
    for (uint32_t i = 0; i < count; i++) {
        if (index != MS_DEVICE_FIRST && i != index) continue;
        describe(&device->instance, physical[i], i, info);
        device->physical = physical[i];
        if (info->is_usable) return MSW_OK;
        if (index != MS_DEVICE_FIRST) return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "device", "%s (%.100s) cannot be used: %.200s", info->id, info->name, info->why);
    }
    if (index == MS_DEVICE_FIRST) return ms_fail(diag, MSW_ERROR_DEVICE, "device", "vulkan: no usable device among %" PRIu32 "; install a Vulkan 1.3 driver", count);
    return ms_fail(diag, MSW_ERROR_DEVICE, "device", "no device vulkan:%" PRIu32 "; there are %" PRIu32 " Vulkan devices", index, count);
}

static msw_result create_device(ms_device *device, uint32_t family, msw_diag *diag)
{
    const float priority = 1;
    msw_vulkan_features have, want;
    const char *missing;
    chain_features(&have);
    device->instance.GetPhysicalDeviceFeatures2(device->physical, &have.core);
    choose_features(&have, &want, &missing);
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = family, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &want.core, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    const VkResult result = device->instance.CreateDevice(device->physical, &info, NULL, &device->handle);
    if (result != VK_SUCCESS) return ms_vk_fail(diag, result, "vkCreateDevice");
    device->is_owned = 1;
    return ms_vk_functions_load(&device->instance, device->handle, &device->vk, diag);
}

static msw_result create_submission(ms_device *device, uint32_t family, uint32_t timestamp_bits, msw_diag *diag)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkQueryPoolCreateInfo queries = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2};
    VkResult result = device->vk.CreateCommandPool(device->handle, &pool, NULL, &device->pool);
    if (result != VK_SUCCESS) return ms_vk_fail(diag, result, "vkCreateCommandPool");
    const VkCommandBufferAllocateInfo buffers = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = device->pool,
                                                 .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
    result = device->vk.AllocateCommandBuffers(device->handle, &buffers, &device->commands);
    if (result != VK_SUCCESS) return ms_vk_fail(diag, result, "vkAllocateCommandBuffers");
    result = device->vk.CreateFence(device->handle, &fence, NULL, &device->fence);
    if (result != VK_SUCCESS) return ms_vk_fail(diag, result, "vkCreateFence");
    if (!timestamp_bits) return MSW_OK;
    result = device->vk.CreateQueryPool(device->handle, &queries, NULL, &device->timestamps);
    return result == VK_SUCCESS ? MSW_OK : ms_vk_fail(diag, result, "vkCreateQueryPool");
}

static void vulkan_memory_destroy(ms_device *device, ms_memory *memory)
{
    if (!memory) return;
    device->vk.DestroyBuffer(device->handle, memory->buffer, NULL);
    device->vk.FreeMemory(device->handle, memory->memory, NULL);
    ms_free(&device->allocator, memory, sizeof *memory);
}

static void vulkan_close(ms_device *device)
{
    const msw_allocator allocator = device->allocator;
    if (device->pool) {
        vulkan_memory_destroy(device, device->staging);
        if (device->timestamps) device->vk.DestroyQueryPool(device->handle, device->timestamps, NULL);
        if (device->fence) device->vk.DestroyFence(device->handle, device->fence, NULL);
        device->vk.DestroyCommandPool(device->handle, device->pool, NULL);
    }
    if (device->is_owned && device->vk.DestroyDevice) device->vk.DestroyDevice(device->handle, NULL);
    ms_vk_instance_destroy(&device->instance);
    ms_free(&allocator, device, sizeof *device);
}

/* The caller's objects: its device was made with at least msw_vulkan_requirements. */
static msw_result adopt(ms_device *device, const msw_vulkan_device *given, msw_device_info *info, msw_diag *diag)
{
    if (given->struct_size != sizeof *given)
        return ms_fail(diag, MSW_ERROR_VERSION, "device", "msw_vulkan_device: struct_size is %u, expected %zu", given->struct_size, sizeof *given);
    const msw_result result = ms_vk_instance_wrap(&device->instance, given->get_instance_proc_addr, given->instance, diag);
    if (result != MSW_OK) return result;
    device->physical = given->physical_device;
    device->handle = given->device;
    describe(&device->instance, device->physical, 0, info);
    info->target.features &= given->features | MSW_FEATURE_SUBGROUP | MSW_FEATURE_ARITHMETIC;
    return ms_vk_functions_load(&device->instance, device->handle, &device->vk, diag);
}

static msw_result set_up(ms_device *device, const msw_context_desc *desc, uint32_t index, msw_device_info *info, msw_diag *diag)
{
    const msw_vulkan_device *given = desc->vendor;
    uint32_t timestamp_bits = 0, family;
    properties p;
    msw_result result = given ? adopt(device, given, info, diag) : ms_vk_instance_create(&device->instance, desc->allocator, (int)desc->enable_validation, &device->log, diag);
    if (result == MSW_OK && !given) result = pick(device, index, info, diag);
    if (result != MSW_OK) return result;
    family = compute_family(&device->instance, device->physical, &timestamp_bits);
    if (!given && (result = create_device(device, family, diag)) != MSW_OK) return result;
    if (given) family = given->queue_family;
    if (given) device->queue = given->queue;
    else device->vk.GetDeviceQueue(device->handle, family, 0, &device->queue);
    device->instance.GetPhysicalDeviceMemoryProperties(device->physical, &device->memory);
    read_properties(&device->instance, device->physical, &p);
    device->min_subgroup = p.v13.minSubgroupSize;
    device->max_subgroup = p.v13.maxSubgroupSize;
    device->timestamp_seconds = (double)p.core.properties.limits.timestampPeriod * 1e-9;
    return device->queue ? create_submission(device, family, timestamp_bits, diag) : MSW_OK;
}

static msw_result vulkan_open(const msw_context_desc *desc, const msw_allocator *allocator, uint32_t index, ms_device **device, msw_device_info *info,
                              msw_diag *diag)
{
    ms_device *d = ms_alloc(allocator, sizeof *d);
    if (!d) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "device", "vulkan: out of memory");
    if (allocator) d->allocator = *allocator;
    d->log = (ms_vk_log){desc->log, desc->log_user};
    const msw_result result = set_up(d, desc, index, info, diag);
    if (result != MSW_OK) vulkan_close(d);
    else *device = d;
    return result;
}

/* ---- memory ---- */

/* A memory type of `allowed` with the flags; UINT32_MAX: none. */
static uint32_t memory_type(const ms_device *device, uint32_t allowed, VkMemoryPropertyFlags flags)
{
    for (uint32_t t = 0; t < device->memory.memoryTypeCount; t++)
        if ((allowed >> t & 1u) && (device->memory.memoryTypes[t].propertyFlags & flags) == flags) return t;
    return UINT32_MAX;
}

static msw_result allocate(ms_device *device, ms_memory *m, int for_host, msw_diag *diag)
{
    const VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryRequirements needs;
    device->vk.GetBufferMemoryRequirements(device->handle, m->buffer, &needs);
    VkPhysicalDeviceProperties p;
    device->instance.GetPhysicalDeviceProperties(device->physical, &p);
    const int is_cpu = p.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    uint32_t type = memory_type(device, needs.memoryTypeBits, for_host ? host : is_cpu ? host | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (type == UINT32_MAX) type = memory_type(device, needs.memoryTypeBits, for_host ? host : 0);
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &flags, .allocationSize = needs.size, .memoryTypeIndex = type};
    VkResult result = type == UINT32_MAX ? VK_ERROR_OUT_OF_DEVICE_MEMORY : device->vk.AllocateMemory(device->handle, &info, NULL, &m->memory);
    if (result != VK_SUCCESS) return ms_vk_fail(diag, result, "vkAllocateMemory");
    result = device->vk.BindBufferMemory(device->handle, m->buffer, m->memory, 0);
    if (result != VK_SUCCESS) return ms_vk_fail(diag, result, "vkBindBufferMemory");
    if ((device->memory.memoryTypes[type].propertyFlags & host) != host) return MSW_OK;
    result = device->vk.MapMemory(device->handle, m->memory, 0, VK_WHOLE_SIZE, 0, &m->mapped);
    return result == VK_SUCCESS ? MSW_OK : ms_vk_fail(diag, result, "vkMapMemory");
}

static msw_result create_memory(ms_device *device, uint64_t size_bytes, int for_host, ms_memory **memory, msw_diag *diag)
{
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = (size_bytes + 15) / 16 * 16 + (size_bytes ? 0 : 16),
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
    ms_memory *m = ms_alloc(&device->allocator, sizeof *m);
    if (!m) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "device", "vulkan: out of host memory");
    const VkResult created = device->vk.CreateBuffer(device->handle, &info, NULL, &m->buffer);
    const msw_result result = created == VK_SUCCESS ? allocate(device, m, for_host, diag) : ms_vk_fail(diag, created, "vkCreateBuffer");
    if (result != MSW_OK) vulkan_memory_destroy(device, m);
    else *memory = m;
    return result;
}

static msw_result vulkan_memory_create(ms_device *device, uint64_t size_bytes, ms_memory **memory, uint64_t *address, msw_diag *diag)
{
    const msw_result result = create_memory(device, size_bytes, 0, memory, diag);
    if (result != MSW_OK) return result;
    const VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = (*memory)->buffer};
    *address = device->vk.GetBufferDeviceAddress(device->handle, &info);
    return MSW_OK;
}

msw_result ms_vk_begin(ms_device *device, msw_diag *diag)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    if (!device->queue) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "device", "vulkan: blocking calls need msw_vulkan_device.queue");
    VkResult result = device->vk.ResetCommandPool(device->handle, device->pool, 0);
    if (result == VK_SUCCESS) result = device->vk.BeginCommandBuffer(device->commands, &begin);
    return result == VK_SUCCESS ? MSW_OK : ms_vk_fail(diag, result, "vkBeginCommandBuffer");
}

msw_result ms_vk_submit(ms_device *device, msw_diag *diag)
{
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &device->commands};
    VkResult result = device->vk.EndCommandBuffer(device->commands);
    if (result == VK_SUCCESS) result = device->vk.ResetFences(device->handle, 1, &device->fence);
    if (result == VK_SUCCESS) result = device->vk.QueueSubmit(device->queue, 1, &submit, device->fence);
    if (result == VK_SUCCESS) result = device->vk.WaitForFences(device->handle, 1, &device->fence, VK_TRUE, UINT64_MAX);
    return result == VK_SUCCESS ? MSW_OK : ms_vk_fail(diag, result, "vkQueueSubmit");
}

/* One chunk between staging and a buffer that the host does not see. */
static msw_result copy_chunk(ms_device *device, const ms_memory *from, uint64_t from_offset, const ms_memory *to, uint64_t to_offset, uint64_t bytes, msw_diag *diag)
{
    const VkBufferCopy region = {from_offset, to_offset, bytes};
    msw_result result = ms_vk_begin(device, diag);
    if (result != MSW_OK) return result;
    device->vk.CmdCopyBuffer(device->commands, from->buffer, to->buffer, 1, &region);
    return ms_vk_submit(device, diag);
}

/* Copies through the staging buffer; exactly one of `in` (host to device) and `out` is given. */
static msw_result staged_copy(ms_device *device, ms_memory *memory, uint64_t offset, const unsigned char *in, unsigned char *out, uint64_t bytes, msw_diag *diag)
{
    msw_result result = device->staging ? MSW_OK : create_memory(device, STAGING_BYTES, 1, &device->staging, diag);
    for (uint64_t done = 0; done < bytes && result == MSW_OK; done += STAGING_BYTES) {
        const uint64_t chunk = bytes - done < STAGING_BYTES ? bytes - done : STAGING_BYTES;
        if (in) {
            memcpy(device->staging->mapped, in + done, (size_t)chunk);
            result = copy_chunk(device, device->staging, 0, memory, offset + done, chunk, diag);
        } else {
            result = copy_chunk(device, memory, offset + done, device->staging, 0, chunk, diag);
            if (result == MSW_OK) memcpy(out + done, device->staging->mapped, (size_t)chunk);
        }
    }
    return result;
}

static msw_result vulkan_memory_write(ms_device *device, ms_memory *memory, uint64_t offset_bytes, const void *data, uint64_t size_bytes, msw_diag *diag)
{
    if (!memory->mapped) return staged_copy(device, memory, offset_bytes, data, NULL, size_bytes, diag);
    memcpy((unsigned char *)memory->mapped + offset_bytes, data, (size_t)size_bytes);
    return ms_ok(diag);
}

static msw_result vulkan_memory_read(ms_device *device, ms_memory *memory, uint64_t offset_bytes, void *data, uint64_t size_bytes, msw_diag *diag)
{
    if (!memory->mapped) return staged_copy(device, memory, offset_bytes, NULL, data, size_bytes, diag);
    memcpy(data, (const unsigned char *)memory->mapped + offset_bytes, (size_t)size_bytes);
    return ms_ok(diag);
}

const ms_backend ms_backend_vulkan = {MSW_BACKEND_VULKAN, "vulkan", vulkan_list, vulkan_open, vulkan_close, vulkan_memory_create, vulkan_memory_destroy,
                                      vulkan_memory_write, vulkan_memory_read, ms_vk_module_create, ms_vk_module_destroy, ms_vk_run};
