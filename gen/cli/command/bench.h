/* bench.h - the parts of bench. */
#ifndef MS_CLI_BENCH_H
#define MS_CLI_BENCH_H

#include "cli/options.h"

/* bench --jit: how long kernels take to make. (bench_jit.c) */
ms_exit ms_bench_jit(const ms_options *options);

#endif
