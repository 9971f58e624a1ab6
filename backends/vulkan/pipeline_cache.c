#include "pipeline_cache.h"

#include <string.h>

enum { HEADER_BYTES = 16 + VK_UUID_SIZE }; /* VkPipelineCacheHeaderVersionOne: bytes, version, vendor, device, UUID */

int ms_vk_pipelines_fit(const ms_vk_adapter *adapter, const void *data, size_t bytes)
{
    const uint32_t expected[4] = {HEADER_BYTES, VK_PIPELINE_CACHE_HEADER_VERSION_ONE, adapter->vendor_id, adapter->device_id};
    return bytes >= HEADER_BYTES && memcmp(data, expected, sizeof expected) == 0 &&
           memcmp((const char *)data + sizeof expected, adapter->pipeline_cache_uuid, VK_UUID_SIZE) == 0;
}

static ms_cache_key make_key(const ms_vk_adapter *adapter, const msw_plan *plan, uint64_t kernels)
{
    ms_cache_key key = {{0}};
    ms_cache_key_add_text(&key, "pipelines");
    ms_cache_key_add(&key, &adapter->vendor_id, sizeof adapter->vendor_id);
    ms_cache_key_add(&key, &adapter->device_id, sizeof adapter->device_id);
    ms_cache_key_add(&key, adapter->pipeline_cache_uuid, VK_UUID_SIZE);
    ms_cache_key_add_text(&key, adapter->info.driver);
    for (uint32_t k = 0; k < plan->kernel_count; k++) {
        if (!(kernels >> k & 1)) continue;
        ms_cache_key_add(&key, &plan->kernels[k].subgroup_size, sizeof plan->kernels[k].subgroup_size);
        ms_cache_key_add(&key, plan->kernels[k].code, plan->kernels[k].code_bytes);
    }
    return key;
}

void ms_vk_pipelines_begin(const ms_device *device, ms_cache *cache, const msw_plan *plan, uint64_t kernels, ms_vk_pipelines *pipelines)
{
    VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    ms_cache_block block;
    *pipelines = (ms_vk_pipelines){0};
    if (!cache->is_open) return;
    pipelines->key = make_key(&device->adapter, plan, kernels);
    if (ms_cache_load(cache, &pipelines->key, &block) && ms_vk_pipelines_fit(&device->adapter, block.data, block.bytes)) {
        info.pInitialData = block.data;
        info.initialDataSize = pipelines->loaded_bytes = block.bytes;
    }
    if (device->vk.CreatePipelineCache(device->handle, &info, NULL, &pipelines->handle) != VK_SUCCESS) pipelines->handle = VK_NULL_HANDLE;
    ms_cache_release(cache, &block);
}

/* A driver that keeps nothing gives the header alone. */
static void store(const ms_device *device, ms_cache *cache, const ms_vk_pipelines *pipelines)
{
    size_t bytes = 0, allocated;
    if (device->vk.GetPipelineCacheData(device->handle, pipelines->handle, &bytes, NULL) != VK_SUCCESS) return;
    if (bytes <= HEADER_BYTES || bytes == pipelines->loaded_bytes) return;
    allocated = bytes;
    void *data = ms_alloc(&device->allocator, allocated);
    if (data && device->vk.GetPipelineCacheData(device->handle, pipelines->handle, &bytes, data) == VK_SUCCESS)
        ms_cache_store(cache, &pipelines->key, data, bytes);
    ms_free(&device->allocator, data, allocated);
}

void ms_vk_pipelines_end(const ms_device *device, ms_cache *cache, ms_vk_pipelines *pipelines)
{
    if (!pipelines->handle) return;
    store(device, cache, pipelines);
    device->vk.DestroyPipelineCache(device->handle, pipelines->handle, NULL);
    pipelines->handle = VK_NULL_HANDLE;
}
