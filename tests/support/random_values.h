/* random_values.h - for test_random_dag: values of every scalar type, edges often among them. */
#ifndef RANDOM_VALUES_H
#define RANDOM_VALUES_H

#include "expr_kernel.h"

#include <math.h>

static uint64_t canonical(msw_scalar type, uint64_t bits)
{
    unsigned char memory[8] = {0};
    ms_scalar_store(type, memory, bits);
    return ms_scalar_load(type, memory);
}

static uint64_t random_integer(source *s, msw_scalar type)
{
    const uint32_t width = 8 * ms_scalar_bytes(type);
    const uint64_t least = (uint64_t)1 << (width - 1);
    switch (below(s, 6)) {
    case 0: return canonical(type, next(s) % 8);
    case 1: return canonical(type, 0 - next(s) % 8);
    case 2: return canonical(type, least - 2 + next(s) % 4);
    case 3: return canonical(type, next(s) >> (64 - width) >> below(s, width));
    case 4: return canonical(type, (uint64_t)1 << below(s, width));
    default: return canonical(type, next(s));
    }
}

static double edge_float(source *s)
{
    static const double edges[] = {0,      1,      0.5,        1.5,    2.5,    255,  256,  127.5,   32768,   65504,     65520,
                                   0x1p31, 0x1p32, 0x1p31 - 1, 0x1p63, 0x1p64, 1e10, 1e30, 0x1p-14, 0x1p-24, 0x1.8p-25, 3.25};
    const double value = edges[below(s, sizeof edges / sizeof *edges)];
    return next(s) & 1 ? -value : value;
}

static int is_denormal(msw_scalar type, uint64_t bits)
{
    const double value = ms_scalar_is_float(type) ? fabs(ms_scalar_to_double(type, bits)) : 0;
    const double least_normal = type == MSW_F16 ? 0x1p-14 : type == MSW_F32 ? 0x1p-126 : 0x1p-1022;
    return value > 0 && value < least_normal;
}

static uint64_t random_float(source *s, msw_scalar type)
{
    uint64_t bits;
    switch (below(s, 9)) {
    case 8: /* beside or on a tie between two f16 */
        return ms_scalar_from_double(type, ldexp(2 * (1024 + below(s, 1024)) + 1 + ldexp((int)below(s, 3) - 1, -35), (int)below(s, 40) - 26));
    case 0: return ms_scalar_from_double(type, next(s) & 1 ? INFINITY : -INFINITY);
    case 1: return ms_scalar_from_double(type, NAN);
    case 2:
    case 3: return ms_scalar_from_double(type, edge_float(s));
    case 4:
    case 5: return ms_scalar_from_double(type, (double)(int64_t)(next(s) >> 40) / 256 - 32768);
    default:
        /* any bits, but denormals seldom: devices may flush them */
        bits = canonical(type, next(s));
        return is_denormal(type, bits) && below(s, 8) ? random_float(s, type) : bits;
    }
}

static uint64_t random_value(source *s, msw_scalar type)
{
    if (type == MSW_BOOL) return next(s) & 1;
    return ms_scalar_is_float(type) ? random_float(s, type) : random_integer(s, type);
}

#endif
