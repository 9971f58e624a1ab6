/* features.h - Vulkan features: which of them monosweep uses, and what a chain of them has. */
#ifndef MS_VK_FEATURES_H
#define MS_VK_FEATURES_H

#define VK_NO_PROTOTYPES
#include "../../runtime/sized.h"

#include <monosweep/monosweep_vulkan.h>

MS_SIZED(msw_vulkan_device, enabled);
MS_SIZED(msw_vulkan_features, v13);

/* Sets up the chain core -> v11 -> v12 -> v13. */
void ms_vk_features_link(msw_vulkan_features *features);

/* Those that are used, as far as they are there. */
msw_vulkan_features ms_vk_features_used(const msw_vulkan_features *have);

/* Beside msw_vulkan_features, which is the public interface's: an extension's, whose struct ends the chain where it is there. */
typedef VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR ms_vk_control_flow;

/* Whether a VkDeviceCreateInfo's pNext chain enables it. */
VkBool32 ms_vk_control_flow_enabled(const void *chain);

/* Of these, those that a VkDeviceCreateInfo's pNext chain enables. */
msw_vulkan_features ms_vk_features_enabled(const msw_vulkan_features *have, const void *chain);

/* The first of those that monosweep cannot do without that is not there, by name; NULL: all are. */
const char *ms_vk_features_missing(const msw_vulkan_features *have);

#endif
