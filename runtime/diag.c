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

msw_result ms_check_struct_size(const char *name, uint32_t given, size_t expected, msw_diag *diag)
{
    if (given == expected) return MSW_OK;
    return ms_fail(diag, MSW_ERROR_VERSION, "device", "%s: struct_size is %u, expected %zu; set it to sizeof(%s)", name, given, expected, name);
}
