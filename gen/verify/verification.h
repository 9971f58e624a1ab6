/* verification.h - what the parts of a verification share. */
#ifndef MS_VERIFICATION_H
#define MS_VERIFICATION_H

#include "bounds.h"
#include "probes.h"

struct msw_verification {
    ms_arena arena; /* for what lives as long as this */
    msw_allocator allocator;
    const msw_spec *spec;
    const ms_operation *op;                /* without uniforms: they have values, */
    const void *uniforms[MSW_MAX_BUFFERS]; /* these, which its kernels take behind their other inputs */
    uint32_t uniform_count;
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
    const void *records[3];          /* the same of all outputs, by ms_floats, where some are scattered: an element for each of the input's */
    const void *input;               /* of sorts by mapped keys, and of an append in any order: a copy */
    msw_verified_field *fields;
    char *text, *failure;
    size_t failure_at; /* of the first line of the text being made that says what is wrong; 0: none */
};

msw_result ms_verify_no_memory(msw_diag *diag);

/* Whether it holds for any of the operation's functions. (expectation.c) */
int ms_has_function_that(const ms_operation *op, ms_arena *arena, int (*holds)(const ms_function *, ms_arena *));
/* Whether a device may round what is combined: an expansion combines lengths alone. (expectation.c) */
int ms_has_rounded_states(const ms_operation *op);
/* The buffer of an output, counted from the first one, and where it stands among all buffers; index: NULL: not asked for. (expectation.c) */
const msw_op_buffer *ms_verified_output(const ms_operation *op, uint32_t output, uint32_t *index);
uint32_t ms_verified_output_count(const ms_operation *op);
/* Whether an output is a number of another's elements. (expectation.c) */
int ms_is_verified_total(const msw_verification *v, uint32_t output);
/* The elements of an output that are to be written; of one that is counted, those that its number says, which is known first. (expectation.c) */
uint64_t ms_expected_elements(const msw_verification *v, uint32_t output);

/* Judges an output whose bits are promised: 1: they are as expected, 0: the field tells where they are not, -1: out of memory. (bit_check.c) */
int ms_bits_judge(msw_verification *v, uint32_t output, const unsigned char *got, msw_verified_field *field, ms_text *text);

/* Judges the outputs of a sort whose mapped keys devices need not agree on to the bit. (sort_check.c) */
msw_result ms_sort_judge(msw_verification *v, const void *const *outputs, msw_verified_field *field, msw_diag *diag);

/* Judges a scattered output, buffer b, by the records that are expected: 1: its bits are right, 0: the field tells where they are not, -1: out of
 * memory. (scatter_check.c) */
int ms_scatter_judge(msw_verification *v, uint32_t b, const void *array, msw_verified_field *field, ms_text *text);
/* Of outputs that are judged by bounds, whether what no element was sent to is zero; else, or out of memory, as above. (scatter_check.c) */
int ms_scatter_judge_rest(msw_verification *v, const void *const *outputs, ms_text *text);

/* Whether a scalar is what is expected; or *is_excused: it is not, but of a NaN or of subnormal numbers by what other and flushed are, NULL where
 * nothing depends on them. exactly: nothing else excuses other bits. (leaf_check.c) */
int ms_leaf_is_right(const msw_verification *v, msw_scalar scalar, uint64_t got, int exactly, const unsigned char *expected,
                     const unsigned char *other, const unsigned char *flushed, int *is_excused);
int ms_padding_is_zero(const msw_type_info *type, const unsigned char *got, uint64_t count);
/* A line that says what is wrong; of several the first is the report's `failure`. (leaf_check.c) */
void ms_begin_failure(msw_verification *v, ms_text *text);
/* "0x1.8p+3"-free text of a leaf: 9 or 17 digits. (leaf_check.c) */
void ms_format_leaf(char text[64], msw_scalar scalar, uint64_t bits);

#endif
