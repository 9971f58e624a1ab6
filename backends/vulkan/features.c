#include "features.h"

#include <string.h>

/* Without these nothing runs. */
// clang-format off
#define REQUIRED_FEATURES(X) \
    X(v12, bufferDeviceAddress) X(v12, scalarBlockLayout) X(v12, vulkanMemoryModel) X(v12, vulkanMemoryModelDeviceScope) X(v13, subgroupSizeControl)
// clang-format on

/* Types without theirs are emulated or refused, and a kernel's last subgroup may then be partly empty. */
// clang-format off
#define OPTIONAL_FEATURES(X) \
    X(core.features, shaderInt64) X(core.features, shaderInt16) X(core.features, shaderFloat64) X(v11, storageBuffer16BitAccess) \
    X(v12, storageBuffer8BitAccess) X(v12, shaderInt8) X(v12, shaderFloat16) X(v12, shaderBufferInt64Atomics) X(v13, computeFullSubgroups)
// clang-format on

void ms_vk_features_link(msw_vulkan_features *features)
{
    features->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features->v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    features->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    features->v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    features->core.pNext = &features->v11;
    features->v11.pNext = &features->v12;
    features->v12.pNext = &features->v13;
    features->v13.pNext = NULL;
}

/* Of those that are used the ones that both have. */
static msw_vulkan_features both(const msw_vulkan_features *a, const msw_vulkan_features *b)
{
    msw_vulkan_features result;
    memset(&result, 0, sizeof result);
#define AND(part, name) result.part.name = a->part.name && b->part.name;
    REQUIRED_FEATURES(AND)
    OPTIONAL_FEATURES(AND)
#undef AND
    return result;
}

msw_vulkan_features ms_vk_features_used(const msw_vulkan_features *have) { return both(have, have); }

const char *ms_vk_features_missing(const msw_vulkan_features *have)
{
#define NAME(part, name) \
    if (!have->part.name) return #name;
    REQUIRED_FEATURES(NAME)
#undef NAME
    return NULL;
}

/* One struct of a chain: Vulkan's own of a version, or one of those that these have taken up. */
static void add_struct(const void *s, VkStructureType type, msw_vulkan_features *enabled)
{
#define WHOLE(type_name, struct_name, part)                                  \
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type_name##_FEATURES:           \
        enabled->part = *(const VkPhysicalDevice##struct_name##Features *)s; \
        break;
#define PART(type_name, struct_name, part, name)                                         \
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type_name##_FEATURES:                       \
        enabled->part.name = ((const VkPhysicalDevice##struct_name##Features *)s)->name; \
        break;
#define TWO_PARTS(type_name, struct_name, part, name, other)                               \
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type_name##_FEATURES:                         \
        enabled->part.name = ((const VkPhysicalDevice##struct_name##Features *)s)->name;   \
        enabled->part.other = ((const VkPhysicalDevice##struct_name##Features *)s)->other; \
        break;
    switch (type) {
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2:
        enabled->core = *(const VkPhysicalDeviceFeatures2 *)s;
        break;
        WHOLE(VULKAN_1_1, Vulkan11, v11)
        WHOLE(VULKAN_1_2, Vulkan12, v12)
        WHOLE(VULKAN_1_3, Vulkan13, v13)
        PART(16BIT_STORAGE, 16BitStorage, v11, storageBuffer16BitAccess)
        PART(8BIT_STORAGE, 8BitStorage, v12, storageBuffer8BitAccess)
        PART(SHADER_ATOMIC_INT64, ShaderAtomicInt64, v12, shaderBufferInt64Atomics)
        PART(BUFFER_DEVICE_ADDRESS, BufferDeviceAddress, v12, bufferDeviceAddress)
        PART(SCALAR_BLOCK_LAYOUT, ScalarBlockLayout, v12, scalarBlockLayout)
        TWO_PARTS(SHADER_FLOAT16_INT8, ShaderFloat16Int8, v12, shaderFloat16, shaderInt8)
        TWO_PARTS(VULKAN_MEMORY_MODEL, VulkanMemoryModel, v12, vulkanMemoryModel, vulkanMemoryModelDeviceScope)
        TWO_PARTS(SUBGROUP_SIZE_CONTROL, SubgroupSizeControl, v13, subgroupSizeControl, computeFullSubgroups)
    default: break;
    }
#undef WHOLE
#undef PART
#undef TWO_PARTS
}

VkBool32 ms_vk_control_flow_enabled(const void *chain)
{
    for (const VkBaseInStructure *s = chain; s; s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR)
            return ((const ms_vk_control_flow *)(const void *)s)->shaderSubgroupUniformControlFlow;
    return VK_FALSE;
}

msw_vulkan_features ms_vk_features_enabled(const msw_vulkan_features *have, const void *chain)
{
    msw_vulkan_features enabled;
    memset(&enabled, 0, sizeof enabled);
    for (const VkBaseInStructure *s = chain; s; s = s->pNext) add_struct(s, s->sType, &enabled);
    return both(have, &enabled);
}
