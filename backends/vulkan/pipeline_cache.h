/* pipeline_cache.h - what a driver makes of a plan's SPIR-V, as VkPipelineCache data in the on-disk cache. */
#ifndef MS_VK_PIPELINE_CACHE_H
#define MS_VK_PIPELINE_CACHE_H

#include "device.h"

#include "../../runtime/cache.h"

typedef struct ms_vk_pipelines {
    VkPipelineCache handle; /* VK_NULL_HANDLE: none */
    ms_cache_key key;       /* of device, driver and the kernels' code */
    size_t loaded_bytes;    /* what it began with; 0: empty */
} ms_vk_pipelines;

/* 1: the data's header is one of this device and driver. Any bytes may be given. */
int ms_vk_pipelines_fit(const ms_vk_adapter *adapter, const void *data, size_t bytes);

/* Around the creation of the pipelines of a plan's kernels whose bits are set: what is there is loaded, what has become more is stored.
 * Neither fails: without it pipelines are made all the same. */
void ms_vk_pipelines_begin(const ms_device *device, ms_cache *cache, const msw_plan *plan, uint64_t kernels, ms_vk_pipelines *pipelines);
void ms_vk_pipelines_end(const ms_device *device, ms_cache *cache, ms_vk_pipelines *pipelines);

#endif
