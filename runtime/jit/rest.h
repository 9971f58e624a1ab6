/* rest.h - the compilations that a kernel did not wait for (private to the JIT glue). */
#ifndef MS_JIT_REST_H
#define MS_JIT_REST_H

#include "compilations.h"
#include "../objects.h"

/* Gives the kernel its compilations: of these kernels of its plan, whose codes have these keys in the cache. when: msw_rest. The compilations are
 * the kernel's, or destroyed where it fails. */
msw_result ms_rest_add(msw_kernel *kernel, ms_compilations *compilations, uint64_t kernels, const ms_cache_key keys[MSW_MAX_KERNELS], uint32_t when,
                       msw_diag *diag);

#endif
