/* loader.h - the Vulkan loader opened at run time: a table of functions per instance and per device, no global state. */
#ifndef MS_VK_LOADER_H
#define MS_VK_LOADER_H

#define VK_NO_PROTOTYPES
#include <monosweep/monosweep_vulkan.h>

#include "../../runtime/backend.h"
#include "pipelines.h"

#include <pthread.h>

// clang-format off
#define MS_VK_INSTANCE_FUNCTIONS(X) \
    X(DestroyInstance) X(EnumeratePhysicalDevices) X(EnumerateDeviceExtensionProperties) X(GetPhysicalDeviceProperties) \
    X(GetPhysicalDeviceProperties2) X(GetPhysicalDeviceFeatures2) X(GetPhysicalDeviceMemoryProperties) \
    X(GetPhysicalDeviceQueueFamilyProperties) X(CreateDevice) X(GetDeviceProcAddr)
// clang-format on

/* Beside those of pipelines.h. */
// clang-format off
#define MS_VK_DEVICE_FUNCTIONS(X) \
    X(DestroyDevice) X(GetDeviceQueue) X(DeviceWaitIdle) X(AllocateMemory) X(FreeMemory) X(MapMemory) X(CreateBuffer) X(DestroyBuffer) \
    X(GetBufferMemoryRequirements) X(BindBufferMemory) X(GetBufferDeviceAddress) X(CreatePipelineCache) X(DestroyPipelineCache) \
    X(GetPipelineCacheData) X(CreateCommandPool) X(DestroyCommandPool) \
    X(ResetCommandPool) X(AllocateCommandBuffers) X(BeginCommandBuffer) X(EndCommandBuffer) X(CreateFence) X(DestroyFence) X(ResetFences) \
    X(WaitForFences) X(CreateQueryPool) X(DestroyQueryPool) X(GetQueryPoolResults) X(CmdResetQueryPool) X(CmdWriteTimestamp) \
    X(QueueSubmit) X(CmdCopyBuffer)
// clang-format on

#define MS_VK_MEMBER(name) PFN_vk##name name;

typedef struct ms_vk_log {
    void (*log)(void *user, const char *line); /* NULL: nobody listens */
    void *user;
    pthread_mutex_t lock; /* one line at a time: pipelines are made in several threads */
} ms_vk_log;

typedef struct ms_vk_instance {
    void *library; /* of dlopen; NULL when the caller gave vkGetInstanceProcAddr */
    PFN_vkGetInstanceProcAddr get;
    VkInstance handle;
    int is_owned;
    VkDebugUtilsMessengerEXT messenger;
    MS_VK_INSTANCE_FUNCTIONS(MS_VK_MEMBER)
} ms_vk_instance;

typedef struct ms_vk_functions {
    msw_vulkan_calls calls;
    MS_VK_DEVICE_FUNCTIONS(MS_VK_MEMBER)
} ms_vk_functions;

/* Creates an instance; with `validate` the Khronos layer reports to `log`, which must outlive the instance. */
msw_result ms_vk_instance_create(ms_vk_instance *instance, const msw_allocator *allocator, int validate, ms_vk_log *log, msw_diag *diag);
/* Wraps the caller's instance. get NULL: libvulkan.so.1 is opened. */
msw_result ms_vk_instance_wrap(ms_vk_instance *instance, PFN_vkGetInstanceProcAddr get, VkInstance handle, msw_diag *diag);
void ms_vk_instance_destroy(ms_vk_instance *instance);

msw_result ms_vk_functions_load(const ms_vk_instance *instance, VkDevice device, ms_vk_functions *functions, msw_diag *diag);

/* Fails with the name of a VkResult: "vkAllocateMemory: VK_ERROR_OUT_OF_DEVICE_MEMORY". */
msw_result ms_vk_fail(msw_diag *diag, VkResult result, const char *call);

#endif
