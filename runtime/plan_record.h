/* plan_record.h - a plan as bytes for the on-disk cache, with the keys under which its kernels' code is kept (private). */
#ifndef MS_PLAN_RECORD_H
#define MS_PLAN_RECORD_H

#include "cache_entry.h"

#include <monosweep/monosweep.h>

/* Plan and keys as they lie in memory, pointers NULL, then the plan's names, each with its NUL: read by the build that wrote it, of which the
 * record's
 * key makes sure. */
size_t ms_plan_record_bytes(const msw_plan *plan);
void ms_plan_record_write(const msw_plan *plan, const ms_cache_key codes[MSW_MAX_KERNELS], void *record);

/* 1, or 0: these bytes are no record. Any bytes may be given; what passes has its counts in range and its names, which stay in `record`, and is to be
 * checked as every plan is. Texts and codes are NULL. */
int ms_plan_record_read(const void *record, size_t bytes, msw_plan *plan, ms_cache_key codes[MSW_MAX_KERNELS]);

/* Where a plan keeps its names, in one order; returns their number. The counts must be in range. */
enum { MS_MAX_PLAN_NAMES = 1 + MSW_MAX_BUFFERS + MSW_MAX_KERNELS + MSW_MAX_VARIANTS + MSW_MAX_STAGES };
uint32_t ms_plan_names(msw_plan *plan, const char **names[MS_MAX_PLAN_NAMES]);

#endif
