/* spirv.h - SPIRV-Tools' validator and optimiser behind a C interface (its optimiser is C++ only). */
#ifndef MS_VK_SPIRV_H
#define MS_VK_SPIRV_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Validates, optimises and validates again for Vulkan 1.3; every float operation has NoContraction then, or it fails. `give` receives the words;
 * message: why it failed. 0 on success. */
int ms_spirv_optimise(const uint32_t *words, size_t count, int (*give)(void *user, const uint32_t *words, size_t count), void *user, char *message,
                      size_t message_bytes);

/* Float operations of a valid module that are not decorated with NoContraction: drivers may fuse or fold them. */
uint32_t ms_spirv_count_loose(const uint32_t *words, size_t count);

/* "SPIRV-Tools v2023.1 ..": version and revision of SPIRV-Tools. */
const char *ms_spirv_version(void);

#ifdef __cplusplus
}
#endif
#endif
