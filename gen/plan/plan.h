/* plan.h - a plan, made of an operation and a target: the kernels it has, and how they are launched. */
#ifndef MS_PLAN_H
#define MS_PLAN_H

#include "geometry.h"
#include "target.h"

/* A number that a planner tells a template. The template's environment has it under its name, which is static. */
typedef struct ms_constant {
    const char *name;
    uint32_t value; /* of a condition 0 or 1 */
} ms_constant;

enum { MS_MAX_CONSTANTS = 36 }; /* of a kernel */

/* How a kernel's text differs from others of its template. Strings are static. */
typedef struct ms_kernel_shape {
    const ms_operation *op;     /* the plan's, or that with wide counters */
    const char *template_name;  /* "scan", "reduce", "lookback", .. */
    const char *strategy;       /* "single_block", "reduce_then_scan", .. */
    const char *reads, *writes; /* reduce: "input" | "aggregates", "aggregates" | "output" */
    ms_geometry geometry;
    ms_constant constants[MS_MAX_CONSTANTS]; /* of fewer the last has a NULL name */
    msw_scalar count, index;                 /* sorts: u32 or u64: of a post; of an item's place. BOOL: none */
    const uint32_t *arrays;                  /* of a pipeline's kernel: which arrays its buffers are; NULL: the buffers themselves */
    int has_fallback;                        /* look-back: blocks may wait for ones that do not run */
    int has_dynamic_shared;                  /* the exchange's words come with the launch */
    int begins_early;                        /* it waits itself for the launches before */
} ms_kernel_shape;

/* The operation's buffers, and the bytes of an item. The plan's numbers of bytes must be 0 before. */
void ms_plan_describe_buffers(const ms_operation *op, msw_plan *plan);

/* What tuning tables call its backend. */
const char *ms_plan_backend(const msw_target *target);
/* What rows of tuning tables concern the operation on this target. */
ms_tuning_class ms_plan_class(const ms_operation *op, const msw_target *target, ms_target_mode mode);

enum { MS_MAX_PART_KERNELS = 24 }; /* of an operation that is no pipeline */

/* Fills plan (but for texts, names and summaries) and shapes[0 .. plan->kernel_count). mode: any but NONE. knobs: spec's `tune`, then the caller's,
 * later ones win. Rows of `tuning` that the plan does not go by are not used any more. */
msw_result ms_plan(ms_arena *arena, const ms_operation *op, const msw_target *target, ms_target_mode mode, const msw_knob *knobs, uint32_t knob_count,
                   ms_tuning *tuning, msw_plan *plan, ms_kernel_shape shapes[MS_MAX_PART_KERNELS], msw_diag *diag);

/* What a caller asks for. */
typedef struct ms_plan_wish {
    const msw_target *target;
    ms_target_mode mode; /* any but NONE */
    const msw_knob *knobs;
    uint32_t knob_count;
    const char *tuning_name, *tuning; /* as ms_tuning_find takes them */
} ms_plan_wish;

/* ms_plan of an operation, or of each of a pipeline's in one plan, whose shapes are MSW_MAX_KERNELS, with the rows of tuning tables that concern
 * them: tunings[p] of each part. (pipeline.c) */
msw_result ms_plan_parts(ms_arena *arena, const ms_operation *op, const ms_plan_wish *wish, ms_tuning *tunings, msw_plan *plan,
                         ms_kernel_shape *shapes, msw_diag *diag);

#endif
