/* baseline_copy.h - copies that benches compare with: the driver's, and on Vulkan a kernel's, since vkCmdCopyBuffer is slow on some GPUs. Needs the
 * public interface alone: the developers' benches share it. */
#ifndef MS_BASELINE_COPY_H
#define MS_BASELINE_COPY_H

#include <monosweep/monosweep.h>

/* A kernel that copies, for ms_copy. *kernel is NULL where the driver's copy is all there is: on other backends than Vulkan. */
msw_result ms_copy_create(msw_context *context, msw_kernel **kernel, msw_diag *diag);

/* Copies the first size_bytes of a buffer to another of the same context: by the kernel, which leaves out what is no whole word of 4 bytes, or where
 * that is NULL by the driver. Seconds, or less than 0: it failed. */
double ms_copy(msw_kernel *kernel, msw_buffer *to, const msw_buffer *from, uint64_t size_bytes, msw_diag *diag);

#endif
