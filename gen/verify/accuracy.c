/* How far a device's floats may be from the true result: docs/spec-reference.md, "Accuracy", as numbers. */
#include "expr/expr.h"

#include <math.h>

static int is_narrow(msw_scalar scalar) { return scalar == MSW_F16 || scalar == MSW_F32; }

int ms_is_same_leaf(msw_scalar scalar, uint64_t got, uint64_t expected)
{
    if (got == expected || !ms_scalar_is_float(scalar)) return got == expected;
    const double x = ms_scalar_to_double(scalar, got), y = ms_scalar_to_double(scalar, expected);
    if (isnan(x) && isnan(y)) return 1;
    return x == 0 && y != 0 && fabs(y) < ms_scalar_least_normal(scalar) && !signbit(x) == !signbit(y);
}

double ms_scalar_unit(msw_scalar scalar) { return scalar == MSW_F16 ? 0x1p-11 : scalar == MSW_F32 ? 0x1p-24 : 0x1p-52; }

double ms_scalar_largest(msw_scalar scalar) { return scalar == MSW_F16 ? 65504 : scalar == MSW_F32 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023; }

double ms_scalar_least_normal(msw_scalar scalar) { return scalar == MSW_F16 ? 0x1p-14 : scalar == MSW_F32 ? 0x1p-126 : 0x1p-1022; }

double ms_scalar_moved(msw_scalar scalar, double pushed, double expected)
{
    if (isinf(pushed) && (pushed > 0 ? expected : -expected) > ms_scalar_largest(scalar)) return 0; /* both are infinite there */
    if (isnan(pushed) || isnan(expected)) return isnan(pushed) && isnan(expected) ? 0 : (double)INFINITY;
    return pushed == expected ? 0 : fabs(pushed - expected);
}

double ms_scalar_bound(msw_scalar scalar, double moved, double expected)
{
    return 2 * moved + 2 * ms_scalar_unit(scalar) * fabs(expected) + ms_scalar_least_normal(scalar);
}

ms_rounding ms_op_rounding(ms_op op, msw_scalar result, msw_scalar operand)
{
    if (!ms_scalar_is_float(result)) return MS_ROUNDS_NOT;
    switch (op) {
    case MS_OP_ADD:
    case MS_OP_SUB:
    case MS_OP_MUL: return MS_ROUNDS_ONCE;
    case MS_OP_CONVERT: return result > operand && ms_scalar_is_float(operand) ? MS_ROUNDS_NOT : MS_ROUNDS_ONCE; /* to a wider float: exact */
    case MS_OP_DIV:
    case MS_OP_FLOORDIV:
    case MS_OP_MOD:
    case MS_OP_FMA:
    case MS_OP_SQRT:
    case MS_OP_RSQRT:
    case MS_OP_EXP:
    case MS_OP_EXP2:
    case MS_OP_LOG:
    case MS_OP_LOG2:
    case MS_OP_SIN:
    case MS_OP_COS:
    case MS_OP_TANH: return MS_ROUNDS_BY_DEVICE;
    default: return MS_ROUNDS_NOT;
    }
}

/* CUDA's bounds are ulp from the correctly rounded result: half an ulp more from the true one. An ulp is at most two units. */
static double tight_units(ms_op op)
{
    switch (op) {
    case MS_OP_RSQRT:
    case MS_OP_EXP:
    case MS_OP_EXP2:
    case MS_OP_SIN:
    case MS_OP_COS:
    case MS_OP_TANH: return 5;
    case MS_OP_LOG:
    case MS_OP_LOG2: return 3;
    default: return 1;
    }
}

static double loose_error(ms_op op, msw_scalar type, const double *x, double z)
{
    const double unit = type == MSW_F64 ? ms_scalar_unit(MSW_F32) : ms_scalar_unit(type), size = fabs(z);
    const double coarse = type == MSW_F16 ? 0x1p-7 : 0x1p-11;
    switch (op) {
    case MS_OP_DIV: return 5 * unit * size;
    case MS_OP_SQRT: return 10 * unit * size;
    case MS_OP_RSQRT: return 4 * unit * size;
    case MS_OP_FMA: return unit * (fabs(x[0] * x[1]) + size);
    case MS_OP_EXP:
    case MS_OP_EXP2: return size > 0 ? 2 * (3 + 2 * fabs(x[0])) * unit * size : 0;
    case MS_OP_LOG:
    case MS_OP_LOG2: return x[0] >= 0.5 && x[0] <= 2 ? (type == MSW_F16 ? 0x1p-7 : 0x1p-21) : 6 * unit * size;
    case MS_OP_SIN:
    case MS_OP_COS: return fabs(x[0]) <= 0x1.921fb6p1 ? coarse : (double)INFINITY;
    case MS_OP_TANH: return type == MSW_F16 ? 0x1p-7 * size + 0x1p-8 : 0x1p-14 * size + 0x1p-16;
    default: return ms_scalar_unit(type) * size;
    }
}

double ms_op_error(ms_op op, msw_scalar type, const double operands[3], double z, int is_loose)
{
    const int is_function = ms_op_rounding(op, type, type) == MS_ROUNDS_BY_DEVICE;
    if (isnan(z) || isinf(z)) return 0;
    if (is_function && is_loose && (is_narrow(type) || op <= MS_OP_RSQRT)) return loose_error(op, type, operands, z);
    return (is_function ? tight_units(op) : 1) * ms_scalar_unit(type) * fabs(z);
}
