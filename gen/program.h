/* program.h - a plan with its kernels' texts and code. */
#ifndef MS_PROGRAM_H
#define MS_PROGRAM_H

#include "plan/registers.h"

struct msw_program {
    ms_arena arena; /* owns everything below, kernels' texts and code included */
    msw_plan plan;
    uint32_t op;                   /* index of the operation in its spec */
    const ms_kernel_shape *shapes; /* of the plan's kernels */
    ms_tuning *tunings;            /* of each part of the operation, rows that are used: those that the plan goes by */
    uint32_t part_count;
    ms_registers registers[MSW_MAX_KERNELS];
    ms_tuning_class tuning_class;
    const char *arch;     /* of the target; NULL: none given */
    const char *compiler; /* what made the code: "glslang 12.0.0, .."; NULL: there is none */
    const char *fixed;    /* knobs of the spec itself, "items=4 block=64" */
    const char *summary, *json;
    double compile_seconds[MSW_MAX_KERNELS]; /* processor time, by kernel; 0: not compiled */
};

/* Who is told how far a program has come, so that compilers need not wait until its last text is made. What fails in it fails the program. */
typedef struct ms_program_watcher {
    /* The plan is made, its texts are not. *first: kernels whose texts are made before the others', as bits. */
    msw_result (*planned)(void *user, msw_program *program, uint64_t *first, msw_diag *diag);
    /* This kernel's text is made. */
    msw_result (*emitted)(void *user, msw_program *program, uint32_t kernel, msw_diag *diag);
    void *user;
} ms_program_watcher;

/* msw_program_create, watched. */
msw_result ms_program_create(msw_spec *spec, const msw_program_desc *given, const ms_program_watcher *watcher, msw_program **program, msw_diag *diag);

#endif
