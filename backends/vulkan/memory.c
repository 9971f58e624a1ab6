/* Vulkan memory: one buffer and one allocation each, mapped where the host sees it at full speed, else copied through staging. */
#include "device.h"

#include "../../runtime/objects.h"

#include <string.h>

static const VkMemoryPropertyFlags host_flags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

/* The first memory type with these flags among the allowed ones; UINT32_MAX: none. */
static uint32_t find_type(const ms_device *device, uint32_t allowed, VkMemoryPropertyFlags flags)
{
    for (uint32_t t = 0; t < device->memory.memoryTypeCount; t++)
        if ((allowed >> t & 1u) && (device->memory.memoryTypes[t].propertyFlags & flags) == flags) return t;
    return UINT32_MAX;
}

/* Device memory that the host maps as ordinary cached memory is there on CPU drivers and integrated GPUs; mapped says that it was found. */
static uint32_t choose_type(const ms_device *device, uint32_t allowed, int is_staging, int *is_mapped)
{
    const VkMemoryPropertyFlags cached = host_flags | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    uint32_t type = UINT32_MAX;
    *is_mapped = 1;
    if (is_staging) {
        type = find_type(device, allowed, cached);
        return type != UINT32_MAX ? type : find_type(device, allowed, host_flags);
    }
    if (!device->is_staged) type = find_type(device, allowed, cached | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (type != UINT32_MAX) return type;
    *is_mapped = 0;
    type = find_type(device, allowed, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    return type != UINT32_MAX ? type : find_type(device, allowed, 0);
}

static msw_result allocate(ms_device *device, ms_memory *memory, int is_staging, msw_diag *diag)
{
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &flags};
    VkMemoryRequirements needs;
    VkResult result;
    int is_mapped;
    device->vk.GetBufferMemoryRequirements(device->handle, memory->buffer, &needs);
    info.allocationSize = needs.size;
    info.memoryTypeIndex = choose_type(device, needs.memoryTypeBits, is_staging, &is_mapped);
    if (info.memoryTypeIndex == UINT32_MAX) return ms_fail(diag, MSW_ERROR_DEVICE, "device", "vulkan: no memory type serves storage buffers");
    result = device->vk.AllocateMemory(device->handle, &info, NULL, &memory->memory);
    if (result != VK_SUCCESS) return ms_vk_fail(diag, result, "vkAllocateMemory");
    result = device->vk.BindBufferMemory(device->handle, memory->buffer, memory->memory, 0);
    if (result != VK_SUCCESS) return ms_vk_fail(diag, result, "vkBindBufferMemory");
    if (!is_mapped) return MSW_OK;
    result = device->vk.MapMemory(device->handle, memory->memory, 0, VK_WHOLE_SIZE, 0, &memory->mapped);
    return result == VK_SUCCESS ? MSW_OK : ms_vk_fail(diag, result, "vkMapMemory");
}

static msw_result create(ms_device *device, uint64_t size_bytes, int is_staging, ms_memory **memory, msw_diag *diag)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = size_bytes <= 16 ? 16 : (size_bytes + 15) & ~(uint64_t)15,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                              VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
    ms_memory *m = ms_alloc(&device->allocator, sizeof *m);
    VkResult created;
    msw_result result;
    if (!m) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "device", "vulkan: out of host memory");
    created = device->vk.CreateBuffer(device->handle, &info, NULL, &m->buffer);
    result = created == VK_SUCCESS ? allocate(device, m, is_staging, diag) : ms_vk_fail(diag, created, "vkCreateBuffer");
    if (result != MSW_OK) {
        ms_vk_memory_destroy(device, m);
        return result;
    }
    *memory = m;
    return MSW_OK;
}

msw_result ms_vk_memory_create(ms_device *device, uint64_t size_bytes, ms_memory **memory, uint64_t *address, msw_diag *diag)
{
    VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    const msw_result result = create(device, size_bytes, 0, memory, diag);
    if (result != MSW_OK) return result;
    info.buffer = (*memory)->buffer;
    *address = device->vk.GetBufferDeviceAddress(device->handle, &info);
    return MSW_OK;
}

void ms_vk_memory_destroy(ms_device *device, ms_memory *memory)
{
    if (!memory) return;
    device->vk.DestroyBuffer(device->handle, memory->buffer, NULL);
    device->vk.FreeMemory(device->handle, memory->memory, NULL);
    ms_free(&device->allocator, memory, sizeof *memory);
}

static msw_result copy(ms_device *device, const ms_memory *from, uint64_t from_offset, const ms_memory *to, uint64_t to_offset, uint64_t size_bytes,
                       msw_diag *diag)
{
    const VkBufferCopy region = {from_offset, to_offset, size_bytes};
    const msw_result result = ms_vk_begin(device, diag);
    if (result != MSW_OK) return result;
    device->vk.CmdCopyBuffer(device->commands, from->buffer, to->buffer, 1, &region);
    return ms_vk_finish(device, diag);
}

static msw_result need_staging(ms_device *device, msw_diag *diag)
{
    return device->staging ? MSW_OK : create(device, device->staging_bytes, 1, &device->staging, diag);
}

msw_result ms_vk_memory_write(ms_device *device, ms_memory *memory, uint64_t offset_bytes, const void *data, uint64_t size_bytes, msw_diag *diag)
{
    msw_result result = MSW_OK;
    if (memory->mapped) {
        memcpy((unsigned char *)memory->mapped + offset_bytes, data, (size_t)size_bytes);
        return ms_ok(diag);
    }
    if ((result = need_staging(device, diag)) != MSW_OK) return result;
    for (uint64_t done = 0, chunk; done < size_bytes && result == MSW_OK; done += chunk) {
        chunk = size_bytes - done < device->staging_bytes ? size_bytes - done : device->staging_bytes;
        memcpy(device->staging->mapped, (const unsigned char *)data + done, (size_t)chunk);
        result = copy(device, device->staging, 0, memory, offset_bytes + done, chunk, diag);
    }
    return result == MSW_OK ? ms_ok(diag) : result;
}

msw_result ms_vk_memory_read(ms_device *device, ms_memory *memory, uint64_t offset_bytes, void *data, uint64_t size_bytes, msw_diag *diag)
{
    msw_result result = MSW_OK;
    if (memory->mapped) {
        memcpy(data, (const unsigned char *)memory->mapped + offset_bytes, (size_t)size_bytes);
        return ms_ok(diag);
    }
    if ((result = need_staging(device, diag)) != MSW_OK) return result;
    for (uint64_t done = 0, chunk; done < size_bytes && result == MSW_OK; done += chunk) {
        chunk = size_bytes - done < device->staging_bytes ? size_bytes - done : device->staging_bytes;
        result = copy(device, memory, offset_bytes + done, device->staging, 0, chunk, diag);
        if (result == MSW_OK) memcpy((unsigned char *)data + done, device->staging->mapped, (size_t)chunk);
    }
    return result == MSW_OK ? ms_ok(diag) : result;
}

VkBuffer msw_vulkan_buffer(const msw_buffer *buffer)
{
    return buffer && buffer->context->backend == &ms_backend_vulkan ? buffer->memory->buffer : VK_NULL_HANDLE;
}
