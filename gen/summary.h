/* summary.h - a program's plan as a text. */
#ifndef MS_SUMMARY_H
#define MS_SUMMARY_H

#include "program.h"

/* For people. What variants have in common is said once: those that launch the same for one range of n share lines, a kernel's geometry is told where
 * it comes first. */
void ms_append_summary(ms_text *text, const struct msw_program *program);

/* msw_program_json. */
void ms_append_json(ms_text *text, const struct msw_program *program);

#endif
