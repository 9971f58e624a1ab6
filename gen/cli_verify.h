/* cli_verify.h - results against the oracle's. */
#ifndef MS_CLI_VERIFY_H
#define MS_CLI_VERIFY_H

#include "cli_array.h"

/* The most scalars that an element has: 128 bytes of u8. */
enum { MS_MAX_LEAVES = 128 };

typedef struct ms_verification {
    int is_bitwise;
    uint32_t leaf_count;             /* of the output, when not bitwise */
    double tolerance[MS_MAX_LEAVES]; /* absolute, by leaf; 0: bitwise */
} ms_verification;

/* The operation's outputs by the oracle, made here (for the caller to free, after a failure too), and how near to them a device has to be; on_host: the oracle itself.
 * arrays: its buffers, in their order, the inputs filled. DONE, or a code after a message. */
ms_exit ms_expect(const msw_spec *spec, uint32_t op, const msw_op_info *info, int on_host, uint64_t n, const ms_array *arrays, ms_array *expected,
                  ms_verification *verification);
/* Whose results are compared, as messages say: what they are called (may be empty), and what to do when they are wrong. */
typedef struct ms_judged {
    const char *name, *advice;
} ms_judged;

/* What to do when a device's results are wrong: a law of the operation that fails comes first. */
const char *ms_device_advice(const msw_op_info *info, char text[1200]);

/* DONE, or FAILED; after a message that shows the first difference of an output, unless `judged` is NULL. */
ms_exit ms_compare(const msw_op_info *info, const ms_array *got, const ms_array *expected, const ms_verification *verification, const ms_judged *judged);

/* Both: compares the arrays of operation `op` (in its buffers' order) with what msw_spec_evaluate gives: bit for bit where the language
 * promises bits, and on the host, which is the oracle; else within the tolerance that it names. DONE, or a code after a message that shows the first difference. */
ms_exit ms_verify(const msw_spec *spec, uint32_t op, const msw_op_info *info, int on_host, uint64_t n, const ms_array *arrays, ms_verification *verification);

#endif
