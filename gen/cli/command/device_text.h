/* device_text.h - a device in words. */
#ifndef MS_CLI_DEVICE_TEXT_H
#define MS_CLI_DEVICE_TEXT_H

#include <monosweep/monosweep.h>

/* "none" of MSW_PROGRESS_NONE. */
const char *ms_progress_name(uint32_t progress);
/* What keeps a device's kernels from being compiled here; "": nothing. */
const char *ms_missing_compiler(const msw_device_info *device, msw_diag *diag);
/* Prints a device's lines; with is_long its limits and features, too. */
void ms_print_device(const msw_device_info *device, int is_long);

#endif
