#include "diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

msw_result ms_diag(msw_diag *diag, msw_result code, const char *stage, const char *file, int line, const char *format, ...)
{
    if (!diag) return code;
    memset(diag, 0, sizeof *diag);
    diag->code = code;
    diag->line = line;
    snprintf(diag->stage, sizeof diag->stage, "%s", stage);
    if (file) snprintf(diag->file, sizeof diag->file, "%s", file);
    size_t used = 0;
    if (file && line) used = (size_t)snprintf(diag->message, sizeof diag->message, "%.255s:%d: ", file, line);
    else if (file) used = (size_t)snprintf(diag->message, sizeof diag->message, "%.255s: ", file);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(diag->message + used, sizeof diag->message - used, format, arguments);
    va_end(arguments);
    for (char *c = diag->message; *c; c++)
        if (*c == '\n' || *c == '\r') *c = ' '; /* one line, whatever texts are in it */
    return code;
}
