/* verify.h - results of devices against what the library expects of them. */
#ifndef MS_CLI_VERIFY_H
#define MS_CLI_VERIFY_H

#include "cli/io/array.h"

#include <monosweep/monosweep_measure.h>

/* Whose results are judged, as messages say: what they are called (may be empty), and what to do when they are wrong. */
typedef struct ms_judged {
    const char *name, *advice;
} ms_judged;

/* What messages call its kind, and what is measured of it. */
msw_kind_info ms_kind_of(const msw_op_info *info);

/* What to do when a kernel's results are wrong: the bodies of a source come first, then a law of the operation that fails. */
const char *ms_device_advice(const msw_op_info *info, char text[1200]);

/* What to do when results of n elements are neither wrong nor verified: by what is undecided in the report. */
const char *ms_data_advice(const msw_op_info *info, uint64_t n, const msw_verification_report *report);

/* The uniforms among the arrays, for msw_verification_desc; NULL: there are none. */
const void *const *ms_uniforms(const msw_op_info *info, const ms_array *arrays, const void *uniforms[MSW_MAX_BUFFERS]);

/* What is expected of the operation `op` of these arrays (in its buffers' order, the inputs filled). DONE, or a code after a message. */
ms_exit ms_expect(msw_verification *verification, const msw_op_info *info, uint64_t n, const ms_array *arrays);

/* Probes a kernel, of which `desc` tells the spec, operation and knobs: for an operation with a map or output the same way of its states is made too.
 * n: of the data. A device that cannot run that, or a variant of the plan, is told in the structure. DONE, or a code after a message. */
ms_exit ms_probe(msw_verification *verification, msw_context *context, msw_kernel *kernel, const msw_kernel_desc *desc, uint64_t n,
                 msw_structure *structure);

/* Judges the outputs among the arrays. FAILED: they are wrong, or there is no memory; after a message, unless `judged` is NULL. Else DONE: the
 * report tells whether they are verified. structure: NULL: not probed. */
ms_exit ms_judge(msw_verification *verification, const msw_op_info *info, const ms_array *arrays, const msw_structure *structure,
                 const ms_judged *judged, msw_verification_report *report);

/* The lines of a report, each after two blanks. */
void ms_print_report(FILE *file, const msw_verification_report *report);
/* `, "verified": ..` and what belongs to it. */
void ms_print_report_json(FILE *file, const msw_op_info *info, const msw_verification_report *report);

#endif
