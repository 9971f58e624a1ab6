/* diag.h - what public functions of the generator need: messages in a msw_diag, structs of other versions. */
#ifndef MS_DIAG_H
#define MS_DIAG_H

#include "../runtime/sized.h"

#include <monosweep/monosweep.h>

/* Fills *diag when it is not NULL; returns code. The message begins with "file:line: " where file is given. */
msw_result ms_diag(msw_diag *diag, msw_result code, const char *stage, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

#endif
