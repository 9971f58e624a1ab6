/* diag.h - filling a msw_diag, in the generator. */
#ifndef MS_DIAG_H
#define MS_DIAG_H

#include <monosweep/monosweep.h>

/* Fills *diag when it is not NULL; returns code. The message begins with "file:line: " where file is given. */
msw_result ms_diag(msw_diag *diag, msw_result code, const char *stage, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* MSW_OK when a description has the size that this library knows, else MSW_ERROR_VERSION. */
msw_result ms_diag_struct_size(msw_diag *diag, const char *stage, const char *name, uint32_t given, size_t expected);

#endif
