/* tune_constants.h - monosweep tune --constants. */
#ifndef MS_TUNE_CONSTANTS_H
#define MS_TUNE_CONSTANTS_H

#include "cli/options.h"

/* options: tuning_path is the table, which was checked. DONE, or a code after a message. */
ms_exit ms_tune_constants(const ms_options *options);

#endif
