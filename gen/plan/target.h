/* target.h - the door for callers' targets: what a msw_target must be, and what its zero fields mean. */
#ifndef MS_TARGET_H
#define MS_TARGET_H

#include <monosweep/monosweep.h>

/* What a plan is made for. */
typedef enum ms_target_mode {
    MS_TARGET_NONE = 0,  /* nothing is planned: the device "host" evaluates specs and runs no kernels */
    MS_TARGET_DEVICE,    /* kernels for Vulkan or CUDA */
    MS_TARGET_LOOP,      /* a loop in plain C, of one thread: a text that the library hands out and does not compile */
    MS_TARGET_SIMULATOR, /* kernels in C for the simulator of the library's tests */
} ms_target_mode;

/* Fills *target with what `given` (NULL: nothing) has, and its zero fields with the backend's common denominator. Every public function that takes a
 * target reads it by this. Errors: VERSION (of its struct_size), INVALID_ARGUMENT (a field has no value of its enum). */
msw_result ms_target_read(const msw_target *given, msw_target *target, msw_diag *diag);

/* Of a target that has been read; the one place that tells. */
ms_target_mode ms_target_mode_of(const msw_target *target);

#endif
