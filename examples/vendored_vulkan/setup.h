/* setup.h - what every small Vulkan program needs: a device with a compute queue, arrays that the host sees too, one command buffer. Linked with the
 * loader (-lvulkan). C11 and C++17. */
#ifndef SETUP_H
#define SETUP_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

typedef struct setup {
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    VkCommandBuffer commands;
} setup;

typedef struct array {
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint64_t address; /* the device's */
    void *data;       /* the host's */
} array;

static inline void must(int result, const char *call)
{
    if (result == 0) return;
    fprintf(stderr, "%s: %d\n", call, result);
    exit(1);
}
#define MUST(call) must((int)(call), #call)

static inline void setup_instance(setup *s)
{
    VkApplicationInfo application;
    VkInstanceCreateInfo info;
    uint32_t count = 1;
    memset(&application, 0, sizeof application);
    memset(&info, 0, sizeof info);
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.apiVersion = VK_API_VERSION_1_3;
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pApplicationInfo = &application;
    MUST(vkCreateInstance(&info, NULL, &s->instance));
    if (vkEnumeratePhysicalDevices(s->instance, &count, &s->physical_device) < 0 || count == 0) must(-1, "no Vulkan device");
}

/* The features that a vendored header's comments ask for; the optional ones as far as the device has them. */
static inline void setup_device(setup *s, uint32_t family)
{
    const float priority = 1;
    VkPhysicalDeviceFeatures2 have, want;
    VkPhysicalDeviceVulkan11Features have11, want11;
    VkPhysicalDeviceVulkan12Features have12, want12;
    VkPhysicalDeviceVulkan13Features want13;
    VkDeviceQueueCreateInfo queue;
    VkDeviceCreateInfo info;
    memset(&have, 0, sizeof have);
    memset(&have11, 0, sizeof have11);
    memset(&have12, 0, sizeof have12);
    have.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    have11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    have12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    want = have;
    want11 = have11;
    want12 = have12;
    memset(&want13, 0, sizeof want13);
    want13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    have.pNext = &have11;
    have11.pNext = &have12;
    vkGetPhysicalDeviceFeatures2(s->physical_device, &have);
    want12.bufferDeviceAddress = want12.scalarBlockLayout = VK_TRUE;
    want12.vulkanMemoryModel = want12.vulkanMemoryModelDeviceScope = VK_TRUE;
    want13.subgroupSizeControl = want13.computeFullSubgroups = VK_TRUE;
    want.features.shaderInt64 = have.features.shaderInt64;
    want.features.shaderInt16 = have.features.shaderInt16;
    want.features.shaderFloat64 = have.features.shaderFloat64;
    want11.storageBuffer16BitAccess = have11.storageBuffer16BitAccess;
    want12.shaderInt8 = have12.shaderInt8;
    want12.storageBuffer8BitAccess = have12.storageBuffer8BitAccess;
    want12.shaderBufferInt64Atomics = have12.shaderBufferInt64Atomics;
    want.pNext = &want11;
    want11.pNext = &want12;
    want12.pNext = &want13;
    memset(&queue, 0, sizeof queue);
    memset(&info, 0, sizeof info);
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueFamilyIndex = family;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = &want;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    MUST(vkCreateDevice(s->physical_device, &info, NULL, &s->device));
    vkGetDeviceQueue(s->device, family, 0, &s->queue);
}

static inline void setup_commands(setup *s, uint32_t family)
{
    VkCommandPoolCreateInfo pool;
    VkCommandBufferAllocateInfo commands;
    memset(&pool, 0, sizeof pool);
    memset(&commands, 0, sizeof commands);
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.queueFamilyIndex = family;
    MUST(vkCreateCommandPool(s->device, &pool, NULL, &s->pool));
    commands.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    commands.commandPool = s->pool;
    commands.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    commands.commandBufferCount = 1;
    MUST(vkAllocateCommandBuffers(s->device, &commands, &s->commands));
}

static inline void setup_open(setup *s)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = 16, family = 0;
    memset(s, 0, sizeof *s);
    setup_instance(s);
    vkGetPhysicalDeviceQueueFamilyProperties(s->physical_device, &count, families);
    while (family < count && !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT)) family++;
    must(family == count, "no queue for compute");
    setup_device(s, family);
    setup_commands(s, family);
}

static inline void setup_close(setup *s)
{
    vkDestroyCommandPool(s->device, s->pool, NULL);
    vkDestroyDevice(s->device, NULL);
    vkDestroyInstance(s->instance, NULL);
}

static inline array array_create(const setup *s, uint64_t bytes)
{
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkBufferCreateInfo info;
    VkMemoryAllocateFlagsInfo flags;
    VkMemoryAllocateInfo allocation;
    VkBufferDeviceAddressInfo address;
    VkPhysicalDeviceMemoryProperties properties;
    VkMemoryRequirements needs;
    array a;
    memset(&info, 0, sizeof info);
    memset(&flags, 0, sizeof flags);
    memset(&allocation, 0, sizeof allocation);
    memset(&address, 0, sizeof address);
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = bytes ? bytes : 4;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    MUST(vkCreateBuffer(s->device, &info, NULL, &a.buffer));
    vkGetBufferMemoryRequirements(s->device, a.buffer, &needs);
    vkGetPhysicalDeviceMemoryProperties(s->physical_device, &properties);
    while (!(needs.memoryTypeBits >> allocation.memoryTypeIndex & 1u) ||
           (properties.memoryTypes[allocation.memoryTypeIndex].propertyFlags & wanted) != wanted)
        must(++allocation.memoryTypeIndex == properties.memoryTypeCount, "no memory that the host sees");
    flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocation.pNext = &flags;
    allocation.allocationSize = needs.size;
    MUST(vkAllocateMemory(s->device, &allocation, NULL, &a.memory));
    MUST(vkBindBufferMemory(s->device, a.buffer, a.memory, 0));
    MUST(vkMapMemory(s->device, a.memory, 0, VK_WHOLE_SIZE, 0, &a.data));
    address.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    address.buffer = a.buffer;
    a.address = vkGetBufferDeviceAddress(s->device, &address);
    return a;
}

static inline void array_destroy(const setup *s, array *a)
{
    vkDestroyBuffer(s->device, a->buffer, NULL);
    vkFreeMemory(s->device, a->memory, NULL);
}

/* Makes what was written before, by shaders or the host, visible to shaders and the host after. */
static inline void setup_barrier(const setup *s)
{
    VkMemoryBarrier barrier;
    memset(&barrier, 0, sizeof barrier);
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
    vkCmdPipelineBarrier(s->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                         0, 1, &barrier, 0,
                         NULL, 0, NULL);
}

static inline void setup_begin(const setup *s)
{
    VkCommandBufferBeginInfo begin;
    memset(&begin, 0, sizeof begin);
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    MUST(vkResetCommandPool(s->device, s->pool, 0));
    MUST(vkBeginCommandBuffer(s->commands, &begin));
}

/* Submits what was recorded since setup_begin, and waits; the host then sees the results. */
static inline void setup_submit(const setup *s)
{
    VkSubmitInfo submit;
    memset(&submit, 0, sizeof submit);
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &s->commands;
    setup_barrier(s);
    MUST(vkEndCommandBuffer(s->commands));
    MUST(vkQueueSubmit(s->queue, 1, &submit, VK_NULL_HANDLE));
    MUST(vkQueueWaitIdle(s->queue));
}

#endif
