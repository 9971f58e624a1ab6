/* commands.h - the commands. Each returns the exit code, after a message where it is not DONE. */
#ifndef MS_COMMANDS_H
#define MS_COMMANDS_H

#include "cli/options.h"

ms_exit ms_check_command(const ms_options *options);
ms_exit ms_plan_command(const ms_options *options);
ms_exit ms_gen_command(const ms_options *options);
ms_exit ms_run_command(const ms_options *options);
ms_exit ms_devices_command(const ms_options *options);
ms_exit ms_bench_command(const ms_options *options);
ms_exit ms_tune_command(const ms_options *options);

#endif
