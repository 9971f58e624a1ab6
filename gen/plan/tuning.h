/* tuning.h - measured rows for an operation on a target: the shipped tables' (backends/.../tuning.lua) and a user's, which come first. */
#ifndef MS_TUNING_H
#define MS_TUNING_H

#include "cut/cut.h"
#include "spec/spec.h"

typedef struct ms_tuning_row {
    int is_used;     /* 1: the plan goes by it; 0: there is none, or it was left out */
    int is_left_out; /* 1: since it does not fit */
    const msw_knob *knobs;
    uint32_t knob_count;
    uint64_t from_bytes; /* of `lookahead`: read and written, from which on it is the faster */
    const char *note;    /* where it stands, and the figure that chose it */
    char changes[80];    /* of its knobs those that would not fit, as the plan has them: "stages=3 thread_bytes=104"; "" : none */
} ms_tuning_row;

typedef struct ms_tuning {
    ms_tuning_row general, lookahead; /* lookahead: for that strategy's kernels, or, of a sort, from when on the class's `large` is taken */
    const char *preferred;            /* a scan's strategy for large n; NULL: the planner's choice */
} ms_tuning;

/* What rows are found by. (ms_plan_class) */
typedef struct ms_tuning_class {
    const char *backend, *arch, *name; /* "cuda", "sm_90" (NULL: none), "scan" */
    const char *large;                 /* the strategy for large n that one row beside the others is for; NULL: look-ahead */
    uint32_t bytes;
} ms_tuning_class;

/* strategy: the one that is given; NULL: none. table: a user's, as text, called `name` in messages; NULL: none. Errors: INVALID_ARGUMENT (of that
 * table,
 * with its line). */
msw_result ms_tuning_find(ms_arena *arena, const ms_tuning_class *class_, const msw_target *target, const char *strategy, const char *name,
                          const char *table, ms_tuning *tuning, msw_diag *diag);

/* The same for the constants of a target's device: *device, a large GPU's, gets those of the row. backend and arch: rows are found by them and by
 * target->device. *note: where the row stands, and the figure that chose it; NULL: there is none. Errors: as of ms_tuning_find. */
msw_result ms_tuning_device(ms_arena *arena, const char *backend, const char *arch, const msw_target *target, const char *name, const char *table,
                            ms_cut_device *device, const char **note, msw_diag *diag);

#endif
