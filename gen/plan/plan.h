/* plan.h - a plan, made of an operation and a target: the kernels it has, and how they are launched. */
#ifndef MS_PLAN_H
#define MS_PLAN_H

#include "geometry.h"

/* What kernels of a sort agree on. Offsets are bytes, in the scratch. */
typedef struct ms_sort_shape {
    uint32_t passes;           /* digits of the key */
    uint32_t histogram_copies; /* of every bin, in a block's shared memory */
    uint32_t histogram_offset, starts_offset, varies_offset, keys_end_offset;
    uint32_t tile_descriptor_bytes, most_descriptor_bytes; /* most: where a kernel serves passes of several counts */
    uint32_t tile_spare_bytes;                             /* of a tile's keys and values on their way, in the scratch */
    uint32_t exchange_words;                               /* of an item in shared memory */
    int is_value_exchanged;                                /* values go through shared memory, as keys do; else straight to their places */
    msw_scalar count, index;                               /* u32 or u64: of a post; of an item's place */
} ms_sort_shape;

/* How a kernel's text differs from others of its template. Strings are static. */
typedef struct ms_kernel_shape {
    const char *template_name;  /* "scan", "reduce", "lookback", .. */
    const char *strategy;       /* "single_block", "reduce_then_scan", .. */
    const char *reads, *writes; /* reduce: "input" | "aggregates", "aggregates" | "output" */
    ms_geometry geometry;
    uint32_t tile_items;
    uint32_t aggregates_offset, descriptors_offset; /* bytes, in the scratch */
    int has_fallback;                               /* look-back: blocks may wait for ones that do not run */
    uint32_t earlier_tile, earlier_blocks;          /* of the launch that published the aggregates; 0: none */
    const ms_sort_shape *sort;                      /* NULL: none */
    uint32_t blocks, stage_bytes;                   /* look-ahead: at most, all of which run at once; of a tile in shared memory */
    int has_dynamic_shared;                         /* the exchange's words come with the launch */
    int has_fixed_order;                            /* n and the plan alone decide in what order elements are combined */
} ms_kernel_shape;

/* Whether the target is a loop in plain C, of one thread (backend HOST, blocks of one thread): a text that the
 * library hands out and does not compile. */
int ms_is_loop(const msw_target *target);

/* The operation's buffers, and the bytes of an item. The plan's numbers of bytes must be 0 before. */
void ms_plan_describe_buffers(const ms_operation *op, msw_plan *plan);

/* What rows of tuning tables concern the operation on this target. */
ms_tuning_class ms_plan_class(const ms_operation *op, const msw_target *target);

/* Fills plan (but for texts, names and summaries) and shapes[0 .. plan->kernel_count). knobs: spec's `tune`, then the caller's, later ones win. Rows
 * of `tuning` that the plan does not go by are not used any more. */
msw_result ms_plan(ms_arena *arena, const ms_operation *op, const msw_target *target, const msw_knob *knobs, uint32_t knob_count, ms_tuning *tuning,
                   msw_plan *plan, ms_kernel_shape shapes[MSW_MAX_KERNELS], msw_diag *diag);

#endif
