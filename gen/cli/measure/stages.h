/* stages.h - a pipeline whose stages are looked at one by one. */
#ifndef MS_CLI_STAGES_H
#define MS_CLI_STAGES_H

#include "verify.h"

/* A pipeline's run: its kernel, its arrays by index of the plan's buffers, and n. */
typedef struct ms_stages_run {
    msw_context *context;
    msw_spec *spec;
    uint32_t op;
    const msw_op_info *info;
    const msw_kernel_desc *desc; /* of the kernel */
    msw_kernel *kernel;
    ms_array *arrays; /* MSW_MAX_BUFFERS; behind the caller's those between stages, which a run makes */
    uint64_t n;
} ms_stages_run;

/* Whether a pipeline's results are right where each stage's are: they are rounded, or timing decides over what is between stages: which of several
 * elements is in one place of a scattered array, or the order of items. */
int ms_stages_are_judged(const msw_spec *spec, uint32_t op, const msw_op_info *info);

/* Runs the kernel, and reads all arrays: the caller's outputs, and those between stages. DONE, or a code after a message. */
ms_exit ms_stages_run_all(const ms_stages_run *run);

/* Judges each stage by the arrays that it read and wrote. report: of all stages, *text is its text, malloc'd. DONE: the report tells whether they are
 * verified; else a code after a message. */
ms_exit ms_stages_verify(const ms_stages_run *run, msw_verification_report *report, char **text);

#endif
