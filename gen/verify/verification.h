/* verification.h - what the parts of a verification share: of probes (probes.c), bounds (bounds.c), sorts (sort_check.c). */
#ifndef MS_VERIFICATION_H
#define MS_VERIFICATION_H

#include "bounds.h"
#include "probes.h"

struct msw_verification {
    ms_arena arena; /* for what lives as long as this */
    msw_allocator allocator;
    const msw_spec *spec;
    const ms_operation *op;
    int is_bitwise, is_loose, computes_floats;
    msw_spec *state_spec;      /* NULL: none */
    const ms_operation *state; /* the operation that probes run */
    ms_exact_inputs exact;     /* of that, and of the operation itself; found at the first probe */
    ms_exact_inputs whole;
    /* of the data that was given last */
    ms_arena data;
    uint64_t n;
    int has_data;
    ms_bounds bounds;
    void *expected[MSW_MAX_BUFFERS]; /* by output, where bits are compared */
    void *other[MSW_MAX_BUFFERS];    /* the same with other bits in NaN that are computed; NULL: nothing depends on them */
    void *flushed[MSW_MAX_BUFFERS];  /* the same with zeros for subnormal numbers; NULL: the device keeps them */
    const void *input;               /* of sorts by mapped keys: a copy */
    msw_verified_field *fields;
    char *text, *failure;
    size_t failure_at; /* of the first line of the text being made that says what is wrong; 0: none */
};

/* Judges the outputs of a sort whose mapped keys devices need not agree on to the bit. (sort_check.c) */
msw_result ms_sort_judge(msw_verification *v, const void *const *outputs, msw_verified_field *field, msw_diag *diag);

/* "0x1.8p+3"-free text of a leaf: 9 or 17 digits. (verification.c) */
void ms_format_leaf(char text[64], msw_scalar scalar, uint64_t bits);

#endif
