/* adapter.h - what a physical device is and can do. */
#ifndef MS_VK_ADAPTER_H
#define MS_VK_ADAPTER_H

#include "features.h"
#include "loader.h"

typedef struct ms_vk_adapter {
    VkPhysicalDevice handle;
    VkPhysicalDeviceType type;
    msw_device_info info;
    msw_vulkan_features features;    /* to enable, or enabled; ms_vk_features_link makes the chain */
    ms_vk_control_flow control_flow; /* to enable with its extension, or enabled */
    uint32_t vendor_id, device_id;
    uint8_t pipeline_cache_uuid[VK_UUID_SIZE];
    msw_vulkan_subgroups subgroups;
    uint32_t queue_family;    /* has compute */
    uint32_t timestamp_bits;  /* of that family; 0: no timestamps */
    double timestamp_seconds; /* of one tick */
} ms_vk_adapter;

#define MS_VK_ANY_FAMILY VK_QUEUE_FAMILY_IGNORED

/* Describes one physical device; info.is_usable and info.why say whether it will do. given: a caller's device, whose queue family and enabled
 * features are the ones to use, or NULL. */
msw_result ms_vk_adapter_describe(const ms_vk_instance *instance, const msw_allocator *allocator, VkPhysicalDevice handle,
                                  const msw_vulkan_device *given, ms_vk_adapter *adapter, msw_diag *diag);

/* All physical devices, GPUs before CPU drivers; the caller frees them: ms_free(allocator, adapters, count * sizeof *adapters). */
msw_result ms_vk_adapters(const ms_vk_instance *instance, const msw_allocator *allocator, ms_vk_adapter **adapters, uint32_t *count, msw_diag *diag);

#endif
