/* cli_bench.h - the parts of bench: what it measures, and what it makes of the rows. */
#ifndef MS_CLI_BENCH_H
#define MS_CLI_BENCH_H

#include "cli_subject.h"

/* Names of strategies for operations of a kind, best first; ends with NULL. */
const char *const *ms_strategies(msw_op_kind kind);

/* bench --jit: how long kernels take to make. (cli_bench_jit.c) */
ms_exit ms_bench_jit(const ms_options *options);

/* Writes rows, a CSV, to where the options say: --csv, --html, --json. (cli_report.c) */
ms_exit ms_report_rows(const ms_options *options, const char *csv, size_t bytes);
/* bench --from: the page of tables written before. */
ms_exit ms_report_tables(const ms_options *options);

#endif
