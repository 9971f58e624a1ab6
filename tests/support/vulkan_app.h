/* vulkan_app.h - an application with Vulkan objects of its own, watched by the validation layer with synchronisation validation. */
#ifndef VULKAN_APP_H
#define VULKAN_APP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <vulkan/vulkan.h>
#include <monosweep/monosweep_vulkan.h>

typedef struct app {
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;
    VkPhysicalDevice physical_device;
    VkDevice device;
    uint32_t family;
    VkQueue queue;
    VkCommandPool pool;
    msw_vulkan_features features; /* that were enabled */
    int messages;                 /* of the validation layer */
} app;

/* A buffer that the host sees too. */
typedef struct memory {
    VkBuffer buffer;
    VkDeviceMemory block;
    uint64_t address;
    unsigned char *data;
} memory;

#define VK_CHECK(call)                                                                   \
    do {                                                                                 \
        const VkResult vk_check_ = (call);                                               \
        if (vk_check_ != VK_SUCCESS) fail_msg("%s: VkResult %d", #call, (int)vk_check_); \
    } while (0)

static inline void check(msw_result result, const msw_diag *diag)
{
    if (result != MSW_OK) fail_msg("%s: %s", msw_result_text(result), diag->message);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL app_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
                                                  const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    (void)severity;
    (void)types;
    ((app *)user)->messages++;
    fprintf(stderr, "%s\n", data->pMessage);
    return VK_FALSE;
}

/* is_watched: by the validation layer. */
static inline void app_create_instance(app *a, int is_watched)
{
    static const char *const layer = "VK_LAYER_KHRONOS_validation", *const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    const VkValidationFeatureEnableEXT synchronisation = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    const VkDebugUtilsMessengerCreateInfoEXT messenger = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
                                                          .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                                                                             VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                                                          .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
                                                          .pfnUserCallback = app_message,
                                                          .pUserData = a};
    const VkValidationFeaturesEXT validation = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                                .pNext = &messenger,
                                                .enabledValidationFeatureCount = 1,
                                                .pEnabledValidationFeatures = &synchronisation};
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo watched = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                          .pNext = &validation,
                                          .pApplicationInfo = &application,
                                          .enabledLayerCount = 1,
                                          .ppEnabledLayerNames = &layer,
                                          .enabledExtensionCount = 1,
                                          .ppEnabledExtensionNames = &extension};
    const VkInstanceCreateInfo unwatched = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    PFN_vkCreateDebugUtilsMessengerEXT create;
    VK_CHECK(vkCreateInstance(is_watched ? &watched : &unwatched, NULL, &a->instance));
    if (!is_watched) return;
    create = (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(a->instance, "vkCreateDebugUtilsMessengerEXT");
    assert_non_null(create);
    VK_CHECK(create(a->instance, &messenger, NULL, &a->messenger));
}

/* Leaves out what msw_vulkan_requirements says is optional. */
static inline void app_drop_features(msw_vulkan_features *features)
{
    features->core.features.shaderInt64 = features->core.features.shaderInt16 = features->core.features.shaderFloat64 = VK_FALSE;
    features->v11.storageBuffer16BitAccess = VK_FALSE;
    features->v12.storageBuffer8BitAccess = features->v12.shaderInt8 = features->v12.shaderFloat16 = VK_FALSE;
    features->v12.shaderBufferInt64Atomics = VK_FALSE;
    features->v13.computeFullSubgroups = VK_FALSE;
}

/* The first device that monosweep can use, what it asks for, and a queue family with compute. */
static inline void app_pick_device(app *a)
{
    VkQueueFamilyProperties families[16];
    VkPhysicalDevice devices[16];
    uint32_t count = 16, d = 0;
    msw_diag diag;
    VK_CHECK(vkEnumeratePhysicalDevices(a->instance, &count, devices));
    a->features.struct_size = sizeof a->features;
    while (d < count && msw_vulkan_requirements(vkGetInstanceProcAddr, a->instance, devices[d], &a->features, &diag)) d++;
    assert_true(d < count);
    a->physical_device = devices[d];
    count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(a->physical_device, &count, families);
    while (a->family < count && !(families[a->family].queueFlags & VK_QUEUE_COMPUTE_BIT)) a->family++;
    assert_true(a->family < count);
}

/* With this chain of features, and an extension or NULL. */
static inline void app_make_extended_device(app *a, const void *features, const char *extension)
{
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = a->family, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = features,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = extension ? 1 : 0,
                                     .ppEnabledExtensionNames = &extension};
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = a->family};
    VK_CHECK(vkCreateDevice(a->physical_device, &info, NULL, &a->device));
    vkGetDeviceQueue(a->device, a->family, 0, &a->queue);
    VK_CHECK(vkCreateCommandPool(a->device, &pool, NULL, &a->pool));
}

static inline void app_make_device(app *a, const void *features) { app_make_extended_device(a, features, NULL); }

static inline void app_destroy_device(app *a)
{
    vkDestroyCommandPool(a->device, a->pool, NULL);
    vkDestroyDevice(a->device, NULL);
}

/* Made with exactly what monosweep asks for, or the least of it. */
static inline void app_create_device(app *a, int is_bare)
{
    app_pick_device(a);
    if (is_bare) app_drop_features(&a->features);
    app_make_device(a, &a->features.core);
}

static inline msw_vulkan_device app_objects(const app *a)
{
    return (msw_vulkan_device){.struct_size = sizeof(msw_vulkan_device),
                               .get_instance_proc_addr = vkGetInstanceProcAddr,
                               .instance = a->instance,
                               .physical_device = a->physical_device,
                               .device = a->device,
                               .queue_family = a->family,
                               .queue = a->queue,
                               .enabled = &a->features.core};
}

static inline void app_open_device(app *a, int is_bare)
{
    *a = (app){0};
    app_create_instance(a, 1);
    app_create_device(a, is_bare);
}

/* For threads: the layer's locks would order what they do. */
static inline void app_open_unwatched(app *a)
{
    *a = (app){0};
    app_create_instance(a, 0);
    app_create_device(a, 0);
}

static inline void app_open(app *a) { app_open_device(a, 0); }

static inline void app_close(app *a)
{
    const PFN_vkDestroyDebugUtilsMessengerEXT destroy =
        (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(a->instance, "vkDestroyDebugUtilsMessengerEXT");
    app_destroy_device(a);
    if (a->messenger) destroy(a->instance, a->messenger, NULL);
    vkDestroyInstance(a->instance, NULL);
}

static inline memory app_allocate(const app *a, uint64_t bytes)
{
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = bytes,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                                              VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &flags};
    VkBufferDeviceAddressInfo address = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    VkPhysicalDeviceMemoryProperties properties;
    VkMemoryRequirements needs;
    memory m;
    void *data;
    VK_CHECK(vkCreateBuffer(a->device, &info, NULL, &m.buffer));
    vkGetBufferMemoryRequirements(a->device, m.buffer, &needs);
    vkGetPhysicalDeviceMemoryProperties(a->physical_device, &properties);
    while (!(needs.memoryTypeBits >> allocation.memoryTypeIndex & 1u) ||
           (properties.memoryTypes[allocation.memoryTypeIndex].propertyFlags & wanted) != wanted)
        assert_true(++allocation.memoryTypeIndex < properties.memoryTypeCount);
    allocation.allocationSize = needs.size;
    VK_CHECK(vkAllocateMemory(a->device, &allocation, NULL, &m.block));
    VK_CHECK(vkBindBufferMemory(a->device, m.buffer, m.block, 0));
    VK_CHECK(vkMapMemory(a->device, m.block, 0, VK_WHOLE_SIZE, 0, &data));
    address.buffer = m.buffer;
    m.address = vkGetBufferDeviceAddress(a->device, &address);
    m.data = data;
    return m;
}

static inline void app_free(const app *a, memory *m)
{
    vkDestroyBuffer(a->device, m->buffer, NULL);
    vkFreeMemory(a->device, m->block, NULL);
}

/* A command buffer that may be submitted again and again. */
static inline VkCommandBuffer app_begin(const app *a, VkCommandPool pool)
{
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = pool,
                                              .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                              .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer commands;
    VK_CHECK(vkAllocateCommandBuffers(a->device, &info, &commands));
    VK_CHECK(vkBeginCommandBuffer(commands, &begin));
    return commands;
}

static inline void app_barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
                               VkAccessFlags used)
{
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = written, .dstAccessMask = used};
    vkCmdPipelineBarrier(commands, from, to, 0, 1, &barrier, 0, NULL, 0, NULL);
}

/* What monosweep_vulkan.h asks for between one enqueue and the next that uses its results or its scratch. */
static inline void app_barrier_between(VkCommandBuffer commands)
{
    app_barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

/* The host sees the results once the submission is done. */
static inline void app_end(VkCommandBuffer commands)
{
    app_barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    VK_CHECK(vkEndCommandBuffer(commands));
}

static inline void app_submit(const app *a, VkCommandBuffer commands)
{
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    VK_CHECK(vkQueueSubmit(a->queue, 1, &submit, VK_NULL_HANDLE));
    VK_CHECK(vkQueueWaitIdle(a->queue));
}

#endif
