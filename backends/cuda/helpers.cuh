// The language's meanings where CUDA's differ. The dialect copies the functions that a kernel uses, in this order; one paragraph is one helper.

// What a is divided by: 1 instead of 0, and for the least integer / -1.
int i32_divisor(int a, int b)
{
    return b == 0 || (b == -1 && a == (int)0x80000000u) ? 1 : b;
}

int i32_div(int a, int b)
{
    return a / i32_divisor(a, b);
}

int i32_floordiv(int a, int b)
{
    const int divisor = i32_divisor(a, b), quotient = a / divisor;
    return quotient - (a % divisor != 0 && (a ^ divisor) < 0);
}

int i32_mod(int a, int b)
{
    const int divisor = i32_divisor(a, b), remainder = a % divisor;
    return remainder + (remainder != 0 && (remainder ^ divisor) < 0 ? divisor : 0);
}

// Of the least integer itself.
int i32_abs(int a)
{
    return a < 0 ? (int)(0u - (uint)a) : a;
}

i64 i64_divisor(i64 a, i64 b)
{
    return b == 0 || (b == -1 && a == (i64)0x8000000000000000ull) ? 1 : b;
}

i64 i64_div(i64 a, i64 b)
{
    return a / i64_divisor(a, b);
}

i64 i64_floordiv(i64 a, i64 b)
{
    const i64 divisor = i64_divisor(a, b), quotient = a / divisor;
    return quotient - (a % divisor != 0 && (a ^ divisor) < 0);
}

i64 i64_mod(i64 a, i64 b)
{
    const i64 divisor = i64_divisor(a, b), remainder = a % divisor;
    return remainder + (remainder != 0 && (remainder ^ divisor) < 0 ? divisor : 0);
}

i64 i64_abs(i64 a)
{
    return a < 0 ? (i64)(0ull - (u64)a) : a;
}

int u32_ctz(uint a)
{
    return __clz(__brev(a));
}

int u64_ctz(u64 a)
{
    return __clzll(__brevll(a));
}

// The hardware masks the counts of rotations.
uint u32_rotl(uint a, uint n)
{
    return __funnelshift_l(a, a, n);
}

uint u32_rotr(uint a, uint n)
{
    return __funnelshift_r(a, a, n);
}

u64 u64_rotl(u64 a, uint n)
{
    return a << (n & 63u) | a >> (0u - n & 63u);
}

u64 u64_rotr(u64 a, uint n)
{
    return a >> (n & 63u) | a << (0u - n & 63u);
}

// Rotates the lowest 8 or 16 bits; what is above them in the result means nothing.
uint field_rotl(uint a, uint n, uint width)
{
    const uint field = a & ((1u << width) - 1u), count = n & (width - 1u);
    return field << count | field >> (width - count);
}

uint field_rotr(uint a, uint n, uint width)
{
    return field_rotl(a, 0u - n, width);
}

float f32_mod(float a, float b)
{
    return a - __fmul_rn(floorf(a / b), b);
}

double f64_mod(double a, double b)
{
    return a - __dmul_rn(floor(a / b), b);
}

float f16_to_f32(f16 a)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(a));
    return value;
}

// To nearest even.
f16 f32_to_f16(float a)
{
    f16 bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(a));
    return bits;
}

f16 f64_to_f16(double a)
{
    f16 bits;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(a));
    return bits;
}

f16 f16_mod(f16 a, f16 b)
{
    const float x = f16_to_f32(a), y = f16_to_f32(b), quotient = floorf(f16_to_f32(f32_to_f16(x / y)));
    return f32_to_f16(x - f16_to_f32(f32_to_f16(quotient * y)));
}

// Conversions to integers saturate; a NaN gives 0.
u64 f32_to_u64(float a)
{
    return isnan(a) ? 0ull : __float2ull_rz(a);
}

i64 f32_to_i64(float a)
{
    return isnan(a) ? 0ll : __float2ll_rz(a);
}

uint f64_to_u32(double a)
{
    return isnan(a) ? 0u : __double2uint_rz(a);
}

int f64_to_i32(double a)
{
    return isnan(a) ? 0 : __double2int_rz(a);
}

u64 f64_to_u64(double a)
{
    return isnan(a) ? 0ull : __double2ull_rz(a);
}

i64 f64_to_i64(double a)
{
    return isnan(a) ? 0ll : __double2ll_rz(a);
}
