/* watched_vulkan.h - a table of Vulkan functions between a library and the driver, which keeps count of what is called. */
#ifndef WATCHED_VULKAN_H
#define WATCHED_VULKAN_H

#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For msw_vulkan_device. Every function that the library has a place for is there, watched, and no other: of one instance and one device. */
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL watched_get_instance_proc_addr(VkInstance instance, const char *name);

/* Since watched_forget, from any thread: calls of a function ("vkCmdDispatch"); the name of the index'th function that was called, NULL: no more. */
void watched_forget(void);
int watched_calls(const char *name);
const char *watched_name(int index);

#ifdef __cplusplus
}
#endif
#endif
