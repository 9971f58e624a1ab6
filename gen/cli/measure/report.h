/* report.h - what bench makes of its rows: files and standard output. */
#ifndef MS_REPORT_H
#define MS_REPORT_H

#include "cli/options.h"

/* Writes rows, a CSV, to where the options say: --csv, --html, --json. */
ms_exit ms_report_rows(const ms_options *options, const char *csv, size_t bytes);
/* bench --from: the page of tables written before. */
ms_exit ms_report_tables(const ms_options *options);

#endif
