/* devices.h - the parts of devices. */
#ifndef MS_CLI_DEVICES_H
#define MS_CLI_DEVICES_H

#include "cli/options.h"

/* devices --report: what a device is measured to do. (devices_report.c) */
ms_exit ms_devices_report(const ms_options *options);

#endif
