/* outcome.h - what every call owes its caller, whatever it was given (of the fuzzers). */
#ifndef FUZZ_OUTCOME_H
#define FUZZ_OUTCOME_H

#include <monosweep/monosweep.h>
#include <stdlib.h>
#include <string.h>

/* A failure has its code and a message of one line in the diag. Gives the result. */
static inline msw_result expect_outcome(msw_result result, const msw_diag *diag)
{
    if (result != diag->code || (unsigned)result > MSW_ERROR_VERSION) abort();
    if (result && (!diag->message[0] || !memchr(diag->message, '\0', sizeof diag->message) || strchr(diag->message, '\n'))) abort();
    return result;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

#endif
