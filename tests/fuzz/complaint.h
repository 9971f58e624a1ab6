/* complaint.h - in the place of the command line's messages: the last one, which nobody reads. For one file of a program. */
#ifndef FUZZ_COMPLAINT_H
#define FUZZ_COMPLAINT_H

#include "cli/messages.h"

#include <stdarg.h>
#include <stdio.h>

static char complaint[4096];

ms_exit ms_complain(ms_exit code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(complaint, sizeof complaint, format, arguments);
    va_end(arguments);
    return code;
}

#endif
