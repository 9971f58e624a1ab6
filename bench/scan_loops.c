/* The cases as anybody would write them in C: one loop over host memory. */
#include "scan_loops.h"

#include <string.h>

typedef struct affine {
    uint32_t a, b;
} affine;

typedef struct matrix32 {
    uint32_t a, b, c, d;
} matrix32;

typedef struct matrix64 {
    uint64_t a, b, c, d;
} matrix64;

static affine compose(affine f, affine g) { return (affine){f.a * g.a, f.b * g.a + g.b}; }

static matrix32 multiply32(matrix32 x, matrix32 y)
{
    return (matrix32){x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
}

static matrix64 multiply64(matrix64 x, matrix64 y)
{
    return (matrix64){x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
}

/* Of halves that hold whole numbers below 2048, which all of the sums do (bench_scan.c, fill). */
static int32_t half_to_whole(uint16_t half)
{
    const uint32_t exponent = half >> 10 & 31, fraction = 1024u | (half & 1023u);
    const int32_t magnitude = exponent < 15 ? 0 : (int32_t)(fraction >> (25 - exponent));
    return half >> 15 ? -magnitude : magnitude;
}

uint16_t bench_half(int32_t whole)
{
    const uint32_t magnitude = (uint32_t)(whole < 0 ? -whole : whole);
    uint32_t exponent = 0;
    while (magnitude >> (exponent + 1)) exponent++;
    return (uint16_t)(!magnitude ? 0 : (whole < 0 ? 0x8000u : 0u) | (exponent + 15) << 10 | (magnitude << (10 - exponent) & 1023u));
}

static uint16_t add_halves(uint16_t x, uint16_t y) { return bench_half(half_to_whole(x) + half_to_whole(y)); }

#define SCAN(type, identity, combined)     \
    {                                      \
        const type *x = in;                \
        type *y = out, s = identity;       \
        for (uint64_t i = 0; i < n; i++) { \
            const type next = x[i];        \
            y[i] = s;                      \
            s = combined;                  \
        }                                  \
        return;                            \
    }

#define REDUCE(type)                                \
    {                                               \
        const type *x = in;                         \
        type s = 0;                                 \
        for (uint64_t i = 0; i < n; i++) s += x[i]; \
        memcpy(out, &s, sizeof s);                  \
        return;                                     \
    }

void bench_loop(scan_case which, uint64_t n, const void *in, void *out)
{
    switch (which) {
    case SCAN_U32_SUM: SCAN(uint32_t, 0, s + next)
    case SCAN_F32_SUM: SCAN(float, 0, s + next)
    case SCAN_U64_SUM: SCAN(uint64_t, 0, s + next)
    case SCAN_AFFINE: SCAN(affine, ((affine){1, 0}), compose(s, next))
    case SCAN_MATRIX: SCAN(matrix32, ((matrix32){1, 0, 0, 1}), multiply32(s, next))
    case SCAN_I64_MAX: SCAN(int64_t, INT64_MIN, next > s ? next : s)
    case SCAN_U8_SUM: SCAN(uint8_t, 0, (uint8_t)(s + next))
    case SCAN_U16_SUM: SCAN(uint16_t, 0, (uint16_t)(s + next))
    case SCAN_F16_SUM: SCAN(uint16_t, 0, add_halves(s, next))
    case SCAN_WIDE_MATRIX: SCAN(matrix64, ((matrix64){1, 0, 0, 1}), multiply64(s, next))
    case SCAN_U32_REDUCE: REDUCE(uint32_t)
    case SCAN_F32_REDUCE: REDUCE(float)
    case SCAN_CASES: return;
    }
}
