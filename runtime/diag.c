#include "backend.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

msw_result ms_fail(msw_diag *diag, msw_result code, const char *stage, const char *format, ...)
{
    va_list arguments;
    if (!diag) return code;
    memset(diag, 0, sizeof *diag);
    diag->code = code;
    snprintf(diag->stage, sizeof diag->stage, "%s", stage);
    va_start(arguments, format);
    vsnprintf(diag->message, sizeof diag->message, format, arguments);
    va_end(arguments);
    for (char *c = diag->message; *c; c++)
        if (*c == '\n' || *c == '\r') *c = ' '; /* one line, whatever texts are in it */
    return code;
}

msw_result ms_ok(msw_diag *diag)
{
    if (diag) memset(diag, 0, sizeof *diag);
    return MSW_OK;
}
