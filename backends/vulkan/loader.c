#include "loader.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char validation_layer[] = "VK_LAYER_KHRONOS_validation";

msw_result ms_vk_fail(msw_diag *diag, VkResult result, const char *call)
{
    const char *text = "failed";
    switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY: return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "device", "%s: out of host memory", call);
    case VK_ERROR_OUT_OF_DEVICE_MEMORY: return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "device", "%s: out of device memory", call);
    case VK_ERROR_INITIALIZATION_FAILED: text = "initialisation failed"; break;
    case VK_ERROR_DEVICE_LOST: text = "device lost"; break;
    case VK_ERROR_LAYER_NOT_PRESENT: text = "layer not present"; break;
    case VK_ERROR_EXTENSION_NOT_PRESENT: text = "extension not present"; break;
    case VK_ERROR_FEATURE_NOT_PRESENT: text = "feature not present"; break;
    case VK_ERROR_INCOMPATIBLE_DRIVER: text = "no compatible driver is installed"; break;
    case VK_ERROR_TOO_MANY_OBJECTS: text = "too many objects"; break;
    default: break;
    }
    return ms_fail(diag, MSW_ERROR_DEVICE, "device", "%s: %s (VkResult %d)", call, text, (int)result);
}

/* Opens the system's loader; *library and the entry point are set on success. */
static msw_result open_library(void **library, PFN_vkGetInstanceProcAddr *get, msw_diag *diag)
{
    void *symbol;
    *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!*library) return ms_fail(diag, MSW_ERROR_DEVICE, "device", "vulkan: libvulkan.so.1 cannot be opened; install a Vulkan loader");
    symbol = dlsym(*library, "vkGetInstanceProcAddr");
    if (!symbol) {
        dlclose(*library);
        *library = NULL;
        return ms_fail(diag, MSW_ERROR_DEVICE, "device", "vulkan: libvulkan.so.1 has no vkGetInstanceProcAddr");
    }
    memcpy(get, &symbol, sizeof *get);
    return MSW_OK;
}

static msw_result load_instance_functions(ms_vk_instance *instance, msw_diag *diag)
{
#define LOAD(name)                                                              \
    instance->name = (PFN_vk##name)instance->get(instance->handle, "vk" #name); \
    if (!instance->name) return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "device", "vulkan: the instance has no vk%s; make it for Vulkan 1.3", #name);
    MS_VK_INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
    return MSW_OK;
}

msw_result ms_vk_functions_load(const ms_vk_instance *instance, VkDevice device, ms_vk_functions *functions, msw_diag *diag)
{
#define LOAD_INTO(table, name)                                                     \
    (table)->name = (PFN_vk##name)instance->GetDeviceProcAddr(device, "vk" #name); \
    if (!(table)->name) return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "device", "vulkan: the device has no vk%s; Vulkan 1.3 is needed", #name);
#define LOAD_CALL(name) LOAD_INTO(&functions->calls, name)
#define LOAD(name) LOAD_INTO(functions, name)
    MSW_VULKAN_CALLS(LOAD_CALL)
    MS_VK_DEVICE_FUNCTIONS(LOAD)
#undef LOAD
#undef LOAD_CALL
#undef LOAD_INTO
    return MSW_OK;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL forward_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
                                                      const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    ms_vk_log *log = user;
    char line[2048];
    (void)severity;
    (void)types;
    snprintf(line, sizeof line, "validation: %s", data->pMessage);
    for (char *c = line; *c; c++)
        if (*c == '\n') *c = ' ';
    pthread_mutex_lock(&log->lock);
    log->log(log->user, line);
    pthread_mutex_unlock(&log->lock);
    return VK_FALSE;
}

/* 1 when the validation layer is installed; -1: out of memory. */
static int has_validation(const ms_vk_instance *instance, const msw_allocator *allocator)
{
    const PFN_vkEnumerateInstanceLayerProperties enumerate =
        (PFN_vkEnumerateInstanceLayerProperties)instance->get(NULL, "vkEnumerateInstanceLayerProperties");
    VkLayerProperties *layers;
    uint32_t count = 0;
    size_t bytes;
    int found = 0;
    if (!enumerate || enumerate(&count, NULL) != VK_SUCCESS || count == 0) return 0;
    bytes = count * sizeof *layers;
    layers = ms_alloc(allocator, bytes);
    if (!layers) return -1;
    if (enumerate(&count, layers) >= 0)
        for (uint32_t i = 0; i < count; i++) found |= strcmp(layers[i].layerName, validation_layer) == 0;
    ms_free(allocator, layers, bytes);
    return found;
}

static msw_result create_handle(ms_vk_instance *instance, const VkDebugUtilsMessengerCreateInfoEXT *messenger, msw_diag *diag)
{
    static const char *const layers[] = {validation_layer};
    static const char *const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pEngineName = "monosweep", .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pNext = messenger,
                                       .pApplicationInfo = &application,
                                       .enabledLayerCount = messenger ? 1 : 0,
                                       .ppEnabledLayerNames = layers,
                                       .enabledExtensionCount = messenger ? 1 : 0,
                                       .ppEnabledExtensionNames = extensions};
    const PFN_vkEnumerateInstanceVersion version = (PFN_vkEnumerateInstanceVersion)instance->get(NULL, "vkEnumerateInstanceVersion");
    const PFN_vkCreateInstance create = (PFN_vkCreateInstance)instance->get(NULL, "vkCreateInstance");
    uint32_t api = 0;
    VkResult result;
    if (!version || !create || version(&api) != VK_SUCCESS || api < VK_API_VERSION_1_3)
        return ms_fail(diag, MSW_ERROR_DEVICE, "device", "vulkan: the loader is older than 1.3; install a newer one");
    result = create(&info, NULL, &instance->handle);
    return result == VK_SUCCESS ? MSW_OK : ms_vk_fail(diag, result, "vkCreateInstance");
}

msw_result ms_vk_instance_create(ms_vk_instance *instance, const msw_allocator *allocator, int validate, ms_vk_log *log, msw_diag *diag)
{
    const VkDebugUtilsMessengerCreateInfoEXT messenger = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
                                                          .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                                                                             VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                                                          .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
                                                          .pfnUserCallback = forward_message,
                                                          .pUserData = log};
    msw_result result;
    int layer = 0;
    memset(instance, 0, sizeof *instance);
    if ((result = open_library(&instance->library, &instance->get, diag)) != MSW_OK) return result;
    if (validate && log->log) {
        layer = has_validation(instance, allocator);
        if (layer < 0) {
            result = ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "device", "vulkan: out of host memory");
            goto fail;
        }
        if (!layer) log->log(log->user, "note: VK_LAYER_KHRONOS_validation is not installed; nothing is validated");
    }
    if ((result = create_handle(instance, layer ? &messenger : NULL, diag)) != MSW_OK) goto fail;
    instance->is_owned = 1;
    if ((result = load_instance_functions(instance, diag)) != MSW_OK) goto fail;
    if (layer) {
        const PFN_vkCreateDebugUtilsMessengerEXT create =
            (PFN_vkCreateDebugUtilsMessengerEXT)instance->get(instance->handle, "vkCreateDebugUtilsMessengerEXT");
        const VkResult created = create ? create(instance->handle, &messenger, NULL, &instance->messenger) : VK_ERROR_EXTENSION_NOT_PRESENT;
        if (created == VK_SUCCESS) return MSW_OK;
        result = ms_vk_fail(diag, created, "vkCreateDebugUtilsMessengerEXT");
        goto fail;
    }
    return MSW_OK;
fail:
    ms_vk_instance_destroy(instance);
    return result;
}

msw_result ms_vk_instance_wrap(ms_vk_instance *instance, PFN_vkGetInstanceProcAddr get, VkInstance handle, msw_diag *diag)
{
    msw_result result;
    memset(instance, 0, sizeof *instance);
    if (!get && (result = open_library(&instance->library, &get, diag)) != MSW_OK) return result;
    instance->get = get;
    instance->handle = handle;
    result = load_instance_functions(instance, diag);
    if (result != MSW_OK) ms_vk_instance_destroy(instance);
    return result;
}

void ms_vk_instance_destroy(ms_vk_instance *instance)
{
    if (instance->messenger) {
        const PFN_vkDestroyDebugUtilsMessengerEXT destroy =
            (PFN_vkDestroyDebugUtilsMessengerEXT)instance->get(instance->handle, "vkDestroyDebugUtilsMessengerEXT");
        if (destroy) destroy(instance->handle, instance->messenger, NULL);
    }
    if (instance->is_owned && instance->DestroyInstance) instance->DestroyInstance(instance->handle, NULL);
    if (instance->library) dlclose(instance->library);
    memset(instance, 0, sizeof *instance);
}
