/* The functions come from the library's own lists, so that none is forgotten. */
#include "watched_vulkan.h"

#include "../../backends/vulkan/loader.h"

#include <cstring>

extern "C" PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char *name); /* the loader's */
extern "C" {
thread_local int inside_driver; /* of watched_memory.h */
}

namespace
{

#define ALL_FUNCTIONS(X) MS_VK_INSTANCE_FUNCTIONS(X) MS_VK_DEVICE_FUNCTIONS(X) MSW_VULKAN_CALLS(X)
#define COUNT(name) +1
enum { FUNCTIONS = 0 ALL_FUNCTIONS(COUNT) };

#define INDEX(name) INDEX_##name,
enum { ALL_FUNCTIONS(INDEX) };

PFN_vkVoidFunction real[FUNCTIONS];
int calls[FUNCTIONS];

template <typename Function> struct watched;

template <typename Result, typename... Arguments> struct watched<Result(VKAPI_PTR *)(Arguments...)> {
    template <int index> static VKAPI_ATTR Result VKAPI_CALL call(Arguments... arguments)
    {
        struct stay {
            stay() { inside_driver++; }
            ~stay() { inside_driver--; }
        } here;
        __atomic_fetch_add(&calls[index], 1, __ATOMIC_RELAXED);
        return reinterpret_cast<Result(VKAPI_PTR *)(Arguments...)>(real[index])(arguments...);
    }
};

#define ENTRY(name) {"vk" #name, reinterpret_cast<PFN_vkVoidFunction>(watched<PFN_vk##name>::call<INDEX_##name>)},
const struct {
    const char *name;
    PFN_vkVoidFunction function;
} table[FUNCTIONS] = {ALL_FUNCTIONS(ENTRY)};

int find(const char *name)
{
    int i = 0;
    while (i < FUNCTIONS && std::strcmp(table[i].name, name)) i++;
    return i;
}

PFN_vkVoidFunction watch(const char *name, PFN_vkVoidFunction function)
{
    const int i = find(name);
    if (i == FUNCTIONS || !function) return nullptr;
    real[i] = function;
    return table[i].function;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL watched_get_device_proc_addr(VkDevice device, const char *name)
{
    __atomic_fetch_add(&calls[INDEX_GetDeviceProcAddr], 1, __ATOMIC_RELAXED);
    return watch(name, reinterpret_cast<PFN_vkGetDeviceProcAddr>(real[INDEX_GetDeviceProcAddr])(device, name));
}

} // namespace

PFN_vkVoidFunction VKAPI_CALL watched_get_instance_proc_addr(VkInstance instance, const char *name)
{
    const PFN_vkVoidFunction function = watch(name, vkGetInstanceProcAddr(instance, name));
    return function && !std::strcmp(name, "vkGetDeviceProcAddr") ? reinterpret_cast<PFN_vkVoidFunction>(watched_get_device_proc_addr) : function;
}

void watched_forget(void) { std::memset(calls, 0, sizeof calls); }

int watched_calls(const char *name)
{
    const int i = find(name);
    return i < FUNCTIONS ? calls[i] : 0;
}

const char *watched_name(int index)
{
    for (int i = 0; i < FUNCTIONS; i++)
        if (calls[i] && index-- == 0) return table[i].name;
    return nullptr;
}
