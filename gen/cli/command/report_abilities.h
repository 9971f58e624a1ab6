/* report_abilities.h - what a device can do and what it lacks, and what that costs: parts of devices --report. */
#ifndef MS_CLI_REPORT_ABILITIES_H
#define MS_CLI_REPORT_ABILITIES_H

#include "cli/measure/sheet.h"

/* 1: look-back needs no fallback, by what the device says of its scheduler. */
int ms_claims_progress(const msw_target *target);
/* The operations of card.lua by which abilities are measured, one n each; NULL: there are no more. */
const char *ms_ability_operation(uint32_t index);
/* Adds the forms of one of them. What cannot be made is noted. */
ms_exit ms_ability_add_ways(ms_sheet *sheet, ms_workload *workload);
/* Notes and prints what that operation tells, measured or not. progress: what was seen of it. */
void ms_ability_describe(const ms_sheet *sheet, ms_workload *workload, const char *progress);

#endif
