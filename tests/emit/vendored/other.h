/* What the program's two files share: the header of its backend. */
#ifndef OTHER_H
#define OTHER_H

#if defined(USE_CUDA)
#include "kernels_cuda.h"
#else
#include "kernels_vulkan.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif
uint64_t other_scratch_bytes(const running_kernel *kernel, uint64_t n);
#ifdef __cplusplus
}
#endif

#endif
