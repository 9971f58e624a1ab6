/* planner.h - what depends on the kind of an operation in its plan: a row of functions a kind. */
#ifndef MS_PLANNER_H
#define MS_PLANNER_H

#include "plan.h"

struct ms_planning;

typedef struct ms_planner {
    /* Fills in the plan. */
    msw_result (*plan)(struct ms_planning *p, msw_diag *diag);
    const char *loop_template; /* of the operation as a loop in plain C (loop.c) */
    /* Which rows of tuning tables concern the operation. */
    void (*classify)(const ms_operation *op, ms_target_mode mode, ms_tuning_class *class_);
    /* Over the defaults of all kinds. */
    void (*choose_defaults)(const ms_operation *op, const msw_target *target, ms_geometry *g);
    /* What knobs have left open. NULL: nothing. */
    void (*settle)(const msw_target *target, ms_geometry *g);
    /* Why the operation's kernels cannot have this geometry, with what can be done; NULL: they can. The function NULL: always. */
    const char *(*misfit)(const ms_operation *op, const msw_target *target, const ms_geometry *g);
    /* Shared memory of a block, of the kernel that needs most; and of it, what may come with the launch (NULL: nothing). */
    uint32_t (*shared_bytes)(const ms_operation *op, const ms_geometry *g);
    uint32_t (*launch_bytes)(const ms_operation *op, const ms_geometry *g);
    int looks_back;      /* where no strategy is chosen */
    int drops_subgroups; /* where one subgroup is too much for the shared memory, a block does without subgroup operations */
} ms_planner;

extern const ms_planner ms_scan_planner, ms_reduce_planner; /* scan.c */
extern const ms_planner ms_sort_planner;                    /* sort.c */
extern const ms_planner ms_map_planner;                     /* map.c */

#endif
