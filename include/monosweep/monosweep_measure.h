/* monosweep_measure.h - what programs that measure and tune need beyond monosweep.h; `monosweep bench` and `monosweep tune` are such.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MONOSWEEP_MEASURE_H
#define MONOSWEEP_MEASURE_H

#include <monosweep/monosweep.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Blocking copy of the first size_bytes of a buffer to another of the same context, by the driver's own means (CUDA: cuMemcpyDtoDAsync; Vulkan:
 * vkCmdCopyBuffer; host: memcpy), after the context's earlier blocking calls. seconds: as of msw_kernel_run; what a kernel that moves as many bytes
 * can be compared with. Errors: DEVICE. */
MSW_API msw_result msw_buffer_copy(msw_buffer *to, const msw_buffer *from, uint64_t size_bytes, double *seconds, msw_diag *diag);

/* Runs a kernel as msw_kernel_run does, but each dispatch by itself, and waits for it. seconds[k]: what the dispatches of the plan's kernel k took
 * together, as of msw_kernel_run; 0: n needs none of it. A scratch's initialisation is not among them. Errors: those of msw_kernel_run. */
MSW_API msw_result msw_kernel_profile(msw_kernel *kernel, const msw_enqueue_desc *desc, double seconds[MSW_MAX_KERNELS], msw_diag *diag);

/* 1: msw_kernel_create found it in the context's cache_dir, and neither generator nor compiler has run; else 0. */
MSW_API int msw_kernel_is_cached(const msw_kernel *kernel);

/* Seconds of processor time that msw_program_compile took for kernel `index` of the plan; 0: it has not compiled that. */
MSW_API double msw_program_compile_seconds(const msw_program *program, uint32_t index);

/* A kind of operations: what messages call it, and what is measured of it. */
typedef struct msw_kind_info {
    uint32_t struct_size;
    uint32_t has_keys;  /* 1: its first input orders the others. Speed is said in keys a second, and depends on the keys' entropy; 0: in bytes */
    const char *name;   /* "scan": in specs, in JSON, in tuning tables */
    const char *noun;   /* "a scan" */
    const char *plural; /* "scans" */
    uint32_t is_causal; /* 1: results of the first elements do not depend on those after them, unless the operation is_reverse */
    uint32_t is_multiple_pass; /* 1: it goes over its data several times */
} msw_kind_info;

/* index: msw_op_kind, from 0 on without gaps. The caller sets info->struct_size. Errors: INVALID_ARGUMENT (there are no more), VERSION. */
MSW_API msw_result msw_kind_get(uint32_t index, msw_kind_info *info);

/* What rows of tuning tables are found by: row { backend = .., arch = .., class = .., bytes = .. }. */
typedef struct msw_tuning_class {
    uint32_t struct_size;
    uint32_t bytes;             /* of the wider of an input and an output element; of sorts, of an item in shared memory */
    const char *backend, *arch; /* "cuda", "sm_90" (NULL: the target names none) */
    /* "scan", "scan_narrow", "scan_everywhere", "reduce", "map", "sweep", "sweep_everywhere", "sweep_packed", "sweep_packed_narrow",
     * "sweep_segments", "scan_segments", "sort", "sort_pairs", "sort_fields" */
    const char *name;
    const char *fixed; /* knobs of the operation's own `tune`, which outrank every row: "items=4 block=64"; "": none */
} msw_tuning_class;
/* The caller sets class_->struct_size. */
MSW_API msw_result msw_program_tuning_class(const msw_program *program, msw_tuning_class *class_, msw_diag *diag);

/* The seconds that a pipeline takes for n elements by prediction: of the cut that plans launch, as msw_spec_cuts says them. Of desc op, target and
 * tuning count. Errors: those of msw_spec_cuts; UNSUPPORTED also where the target has no room for what is launched. */
MSW_API msw_result msw_spec_predict(msw_spec *spec, const msw_program_desc *desc, uint64_t n, double *seconds, msw_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
