/* A scalar of a device's output, and the bytes between scalars: whether they are right, and as text. */
#include "verification.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void ms_format_leaf(char text[64], msw_scalar scalar, uint64_t bits)
{
    const int bytes = (int)ms_scalar_bytes(scalar);
    const uint64_t shown = bytes == 8 ? bits : bits & (((uint64_t)1 << 8 * bytes) - 1);
    if (ms_scalar_is_float(scalar))
        snprintf(text, 64, "%.*g (0x%0*" PRIx64 ")", bytes == 8 ? 17 : 9, ms_scalar_to_double(scalar, bits), bytes * 2, shown);
    else if (ms_scalar_is_signed(scalar)) snprintf(text, 64, "%" PRId64, (int64_t)bits);
    else snprintf(text, 64, "%" PRIu64, bits);
}

void ms_begin_failure(msw_verification *v, ms_text *text)
{
    ms_text_append(text, text->length ? "\nFAILED: " : "FAILED: ");
    if (!v->failure_at) v->failure_at = text->length;
}

static int is_as_promised(const msw_verification *v, msw_scalar scalar, uint64_t got, uint64_t expected)
{
    if (!v->op->info.is_bit_exact) return ms_is_same_leaf(scalar, got, expected);
    if (got == expected || !v->computes_floats || !ms_scalar_is_float(scalar)) return got == expected;
    return isnan(ms_scalar_to_double(scalar, got)) && isnan(ms_scalar_to_double(scalar, expected));
}

/* 1: the expected bits are those of a NaN that was computed, or made of them: a NaN needs to be one, of all else nothing is known. */
static int is_of_nan(msw_scalar scalar, uint64_t got, uint64_t expected, uint64_t other)
{
    if (expected == other) return 0;
    const int are_nans = ms_scalar_is_float(scalar) && isnan(ms_scalar_to_double(scalar, expected)) && isnan(ms_scalar_to_double(scalar, other));
    return !are_nans || isnan(ms_scalar_to_double(scalar, got));
}

/* 1: it changes where subnormal numbers are taken for zeros. A subnormal number itself is then a zero, and nothing else. */
static int is_of_flushed(msw_scalar scalar, uint64_t got, uint64_t expected, uint64_t flushed)
{
    return flushed != expected && (!ms_is_same_leaf(scalar, flushed, expected) || ms_is_same_leaf(scalar, got, expected));
}

int ms_leaf_is_right(const msw_verification *v, msw_scalar scalar, uint64_t got, int exactly, const unsigned char *expected,
                     const unsigned char *other, const unsigned char *flushed, int *is_excused)
{
    const uint64_t wanted = ms_scalar_load(scalar, expected);
    *is_excused = 0;
    if (exactly ? got == wanted : is_as_promised(v, scalar, got, wanted)) return 1;
    *is_excused = (other && is_of_nan(scalar, got, wanted, ms_scalar_load(scalar, other))) ||
                  (flushed && is_of_flushed(scalar, got, wanted, ms_scalar_load(scalar, flushed)));
    return *is_excused;
}

int ms_padding_is_zero(const msw_type_info *type, const unsigned char *got, uint64_t count)
{
    unsigned char is_leaf[MS_MAX_ELEMENT_BYTES] = {0};
    uint32_t filled = 0;
    for (uint32_t l = 0; l < type->leaf_count; l++) {
        memset(is_leaf + type->leaves[l].offset_bytes, 1, ms_scalar_bytes(type->leaves[l].scalar));
        filled += ms_scalar_bytes(type->leaves[l].scalar);
    }
    for (uint64_t i = 0; filled < type->size_bytes && i < count; i++)
        for (uint32_t byte = 0; byte < type->size_bytes; byte++)
            if (!is_leaf[byte] && got[i * type->size_bytes + byte]) return 0;
    return 1;
}
