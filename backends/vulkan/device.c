/* Vulkan devices: listing, opening (an own device, or the caller's), blocking submission. */
#include "device.h"
#include "features.h"

enum { STAGING_BYTES = 8 << 20 };

static msw_result vulkan_list(const msw_context_desc *desc, const msw_allocator *allocator, ms_device_list *list, msw_diag *diag)
{
    ms_vk_log log = {desc->log, desc->log_user, PTHREAD_MUTEX_INITIALIZER};
    ms_vk_instance instance;
    ms_vk_adapter *adapters;
    uint32_t count;
    msw_result result = ms_vk_instance_create(&instance, allocator, 0, &log, diag);
    if (result != MSW_OK) return result;
    result = ms_vk_adapters(&instance, allocator, &adapters, &count, diag);
    for (uint32_t i = 0; i < count; i++) ms_device_list_add(list, &adapters[i].info);
    ms_free(allocator, adapters, count * sizeof *adapters);
    ms_vk_instance_destroy(&instance);
    return result;
}

/* The adapter at `index`, or the first that is usable. */
static msw_result pick_adapter(ms_device *device, uint32_t index, msw_diag *diag)
{
    ms_vk_adapter *adapters;
    uint32_t count, i = 0;
    msw_result result = ms_vk_adapters(&device->instance, &device->allocator, &adapters, &count, diag);
    if (result != MSW_OK) return result;
    if (index != MS_DEVICE_FIRST) i = index;
    else
        while (i < count && !adapters[i].info.is_usable) i++;
    if (i >= count && index != MS_DEVICE_FIRST)
        result = ms_fail(diag, MSW_ERROR_DEVICE, "device", "no device vulkan:%u; %u are known, the first is vulkan:0", index, count);
    else if (i >= count && count)
        result = ms_fail(diag, MSW_ERROR_DEVICE, "device", "vulkan: no device is usable; %s (%.100s): %.255s", adapters[0].info.id,
                         adapters[0].info.name, adapters[0].info.why);
    else if (i >= count) result = ms_fail(diag, MSW_ERROR_DEVICE, "device", "vulkan: there is no device; install a Vulkan driver");
    else if (!adapters[i].info.is_usable)
        result = ms_fail(diag, MSW_ERROR_UNSUPPORTED, "device", "%s (%.100s) cannot be used: %.255s", adapters[i].info.id, adapters[i].info.name,
                         adapters[i].info.why);
    else device->adapter = adapters[i];
    ms_free(&device->allocator, adapters, count * sizeof *adapters);
    return result;
}

static msw_result create_device(ms_device *device, msw_diag *diag)
{
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = device->adapter.queue_family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    static const char *const extension = VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME;
    const int has_control_flow = device->adapter.control_flow.shaderSubgroupUniformControlFlow == VK_TRUE;
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &device->adapter.features.core,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = has_control_flow ? 1 : 0,
                                     .ppEnabledExtensionNames = &extension};
    VkResult created;
    msw_result result;
    ms_vk_features_link(&device->adapter.features);
    if (has_control_flow) device->adapter.features.v13.pNext = &device->adapter.control_flow;
    created = device->instance.CreateDevice(device->adapter.handle, &info, NULL, &device->handle);
    if (created != VK_SUCCESS) return ms_vk_fail(diag, created, "vkCreateDevice");
    device->is_owned = 1;
    result = ms_vk_functions_load(&device->instance, device->handle, &device->vk, diag);
    if (result == MSW_OK) device->vk.GetDeviceQueue(device->handle, device->adapter.queue_family, 0, &device->queue);
    return result;
}

static msw_result open_own(ms_device *device, const msw_context_desc *desc, uint32_t index, msw_diag *diag)
{
    msw_result result = ms_vk_instance_create(&device->instance, &device->allocator, desc->enable_validation != 0, &device->log, diag);
    if (result == MSW_OK) result = pick_adapter(device, index, diag);
    return result == MSW_OK ? create_device(device, diag) : result;
}

/* The caller's objects. */
static msw_result adopt(ms_device *device, const msw_vulkan_device *vendor, msw_diag *diag)
{
    msw_device_info *info = &device->adapter.info;
    msw_vulkan_device given;
    msw_result result;
    if ((result = MS_SIZED_READ(msw_vulkan_device, vendor, &given, "device", diag)) != MSW_OK) return result;
    if (!given.instance || !given.physical_device || !given.device)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "device", "msw_vulkan_device: instance, physical_device or device is NULL");
    result = ms_vk_instance_wrap(&device->instance, given.get_instance_proc_addr, given.instance, diag);
    if (result != MSW_OK) return result;
    result = ms_vk_adapter_describe(&device->instance, &device->allocator, given.physical_device, &given, &device->adapter, diag);
    if (result != MSW_OK) return result;
    if (!info->is_usable) return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "device", "%.100s cannot be used: %.255s", info->name, info->why);
    device->handle = given.device;
    device->queue = given.queue;
    return ms_vk_functions_load(&device->instance, device->handle, &device->vk, diag);
}

static msw_result create_layout(ms_device *device, msw_diag *diag)
{
    const VkResult result = msw_vulkan_create_layout(&device->vk.calls, device->handle, &device->layout);
    return result == VK_SUCCESS ? MSW_OK : ms_vk_fail(diag, result, "vkCreatePipelineLayout");
}

/* What blocking calls reuse. */
static msw_result create_submission(ms_device *device, msw_diag *diag)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = device->adapter.queue_family};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkQueryPoolCreateInfo queries = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2};
    VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
    VkResult result = device->vk.CreateCommandPool(device->handle, &pool, NULL, &device->pool);
    if (result != VK_SUCCESS) return ms_vk_fail(diag, result, "vkCreateCommandPool");
    commands.commandPool = device->pool;
    result = device->vk.AllocateCommandBuffers(device->handle, &commands, &device->commands);
    if (result != VK_SUCCESS) return ms_vk_fail(diag, result, "vkAllocateCommandBuffers");
    result = device->vk.CreateFence(device->handle, &fence, NULL, &device->fence);
    if (result != VK_SUCCESS) return ms_vk_fail(diag, result, "vkCreateFence");
    if (!device->adapter.timestamp_bits) return MSW_OK;
    result = device->vk.CreateQueryPool(device->handle, &queries, NULL, &device->timestamps);
    return result == VK_SUCCESS ? MSW_OK : ms_vk_fail(diag, result, "vkCreateQueryPool");
}

static void vulkan_close(ms_device *device)
{
    const msw_allocator allocator = device->allocator;
    const ms_vk_functions *vk = &device->vk;
    if (device->layout) { /* then every function is there */
        ms_vk_memory_destroy(device, device->staging);
        vk->DestroyQueryPool(device->handle, device->timestamps, NULL);
        vk->DestroyFence(device->handle, device->fence, NULL);
        vk->DestroyCommandPool(device->handle, device->pool, NULL);
        vk->calls.DestroyPipelineLayout(device->handle, device->layout, NULL);
    }
    if (device->is_owned && vk->DestroyDevice) vk->DestroyDevice(device->handle, NULL);
    ms_vk_instance_destroy(&device->instance);
    ms_free(&allocator, device, sizeof *device);
}

static msw_result vulkan_open(const msw_context_desc *desc, const msw_allocator *allocator, uint32_t index, ms_device **device, msw_device_info *info,
                              msw_diag *diag)
{
    ms_device *d = ms_alloc(allocator, sizeof *d);
    msw_result result;
    if (!d) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "device", "vulkan: out of host memory");
    d->allocator = *allocator;
    d->log = (ms_vk_log){desc->log, desc->log_user, PTHREAD_MUTEX_INITIALIZER};
    d->staging_bytes = STAGING_BYTES;
    result = desc->vendor ? adopt(d, desc->vendor, diag) : open_own(d, desc, index, diag);
    if (result == MSW_OK) result = create_layout(d, diag);
    if (result == MSW_OK && d->queue) result = create_submission(d, diag);
    if (result != MSW_OK) {
        vulkan_close(d);
        return result;
    }
    d->instance.GetPhysicalDeviceMemoryProperties(d->adapter.handle, &d->memory);
    *info = d->adapter.info;
    *device = d;
    return MSW_OK;
}

/* All earlier device writes become visible to what comes after. */
static void full_barrier(const ms_device *device, VkPipelineStageFlags to_stages)
{
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    device->vk.calls.CmdPipelineBarrier(device->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, to_stages, 0, 1, &barrier, 0, NULL, 0, NULL);
}

msw_result ms_vk_begin(ms_device *device, msw_diag *diag)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VkResult result;
    if (!device->queue)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "device",
                       "vulkan: the context was made without a queue, which blocking calls need; set "
                       "msw_vulkan_device.queue");
    result = device->vk.ResetCommandPool(device->handle, device->pool, 0);
    if (result != VK_SUCCESS) return ms_vk_fail(diag, result, "vkResetCommandPool");
    result = device->vk.BeginCommandBuffer(device->commands, &begin);
    if (result != VK_SUCCESS) return ms_vk_fail(diag, result, "vkBeginCommandBuffer");
    full_barrier(device, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    return MSW_OK;
}

msw_result ms_vk_finish(ms_device *device, msw_diag *diag)
{
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &device->commands};
    VkResult result;
    full_barrier(device, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT);
    result = device->vk.EndCommandBuffer(device->commands);
    if (result != VK_SUCCESS) return ms_vk_fail(diag, result, "vkEndCommandBuffer");
    result = device->vk.ResetFences(device->handle, 1, &device->fence);
    if (result != VK_SUCCESS) return ms_vk_fail(diag, result, "vkResetFences");
    result = device->vk.QueueSubmit(device->queue, 1, &submit, device->fence);
    if (result != VK_SUCCESS) return ms_vk_fail(diag, result, "vkQueueSubmit");
    result = device->vk.WaitForFences(device->handle, 1, &device->fence, VK_TRUE, UINT64_MAX);
    return result == VK_SUCCESS ? MSW_OK : ms_vk_fail(diag, result, "vkWaitForFences");
}

const ms_backend ms_backend_vulkan = {.kind = MSW_BACKEND_VULKAN,
                                      .name = "vulkan",
                                      .list = vulkan_list,
                                      .open = vulkan_open,
                                      .close = vulkan_close,
                                      .memory_create = ms_vk_memory_create,
                                      .memory_destroy = ms_vk_memory_destroy,
                                      .memory_write = ms_vk_memory_write,
                                      .memory_read = ms_vk_memory_read,
                                      .memory_copy = ms_vk_memory_copy,
                                      .module_create = ms_vk_module_create,
                                      .module_load = ms_vk_module_load,
                                      .module_destroy = ms_vk_module_destroy,
                                      .scratch_init = ms_vk_scratch_init,
                                      .run = ms_vk_run};
