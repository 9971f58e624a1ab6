// clang-format off
// The language's meanings in plain C; as backends/c/helpers.h.

uint u32_min(uint a, uint b)
{
    return a < b ? a : b;
}

uint u32_max(uint a, uint b)
{
    return a > b ? a : b;
}

int i32_min(int a, int b)
{
    return a < b ? a : b;
}

int i32_max(int a, int b)
{
    return a > b ? a : b;
}

u64 u64_min(u64 a, u64 b)
{
    return a < b ? a : b;
}

u64 u64_max(u64 a, u64 b)
{
    return a > b ? a : b;
}

i64 i64_min(i64 a, i64 b)
{
    return a < b ? a : b;
}

i64 i64_max(i64 a, i64 b)
{
    return a > b ? a : b;
}

// Of the least integer itself.
int i32_neg(int a)
{
    return (int)(0u - (uint)a);
}

i64 i64_neg(i64 a)
{
    return (i64)(0ull - (u64)a);
}

uint u32_mulhi(uint a, uint b)
{
    return (uint)((u64)a * b >> 32);
}

int i32_mulhi(int a, int b)
{
    return (int)((i64)a * b >> 32);
}

u64 u64_mulhi(u64 a, u64 b)
{
    return (u64)((unsigned __int128)a * b >> 64);
}

i64 i64_mulhi(i64 a, i64 b)
{
    return (i64)((__int128)a * b >> 64);
}

int u32_clz(uint a)
{
    return a == 0u ? 32 : __builtin_clz(a);
}

int u64_clz(u64 a)
{
    return a == 0u ? 64 : __builtin_clzll(a);
}

int u32_ctz(uint a)
{
    return a == 0u ? 32 : __builtin_ctz(a);
}

int u64_ctz(u64 a)
{
    return a == 0u ? 64 : __builtin_ctzll(a);
}

uint u32_bitreverse(uint a)
{
    uint reversed = 0u;
    for (int i = 0; i < 32; i++) reversed |= (a >> i & 1u) << (31 - i);
    return reversed;
}

u64 u64_bitreverse(u64 a)
{
    return (u64)u32_bitreverse((uint)a) << 32 | u32_bitreverse((uint)(a >> 32));
}

uint u32_rotl(uint a, uint n)
{
    return a << (n & 31u) | a >> ((0u - n) & 31u);
}

uint u32_rotr(uint a, uint n)
{
    return a >> (n & 31u) | a << ((0u - n) & 31u);
}

uint f32_bits(float a)
{
    union { float value; uint bits; } both = {.value = a};
    return both.bits;
}

float f32_from_bits(uint a)
{
    union { float value; uint bits; } both = {.bits = a};
    return both.value;
}

u64 f64_bits(double a)
{
    union { double value; u64 bits; } both = {.value = a};
    return both.bits;
}

double f64_from_bits(u64 a)
{
    union { double value; u64 bits; } both = {.bits = a};
    return both.value;
}

// -0 < +0, and of a NaN and a number the number.
double f64_min(double a, double b)
{
    if (isnan(a) || isnan(b)) return isnan(a) ? b : a;
    return a < b || (a == b && signbit(a)) ? a : b;
}

double f64_max(double a, double b)
{
    if (isnan(a) || isnan(b)) return isnan(a) ? b : a;
    return a > b || (a == b && !signbit(a)) ? a : b;
}

float f32_min(float a, float b)
{
    return (float)f64_min(a, b);
}

float f32_max(float a, float b)
{
    return (float)f64_max(a, b);
}

float f32_rsqrt(float a)
{
    return 1.0f / sqrtf(a);
}

double f64_rsqrt(double a)
{
    return 1.0 / sqrt(a);
}

float f32_mod(float a, float b)
{
    return a - floorf(a / b) * b;
}

double f64_mod(double a, double b)
{
    return a - floor(a / b) * b;
}

// The exponent moves by a product, which makes subnormal numbers normal.
float f16_to_f32(f16 a)
{
    const uint magnitude = (uint)a << 13 & 0x0fffe000u, sign = (uint)a << 16 & 0x80000000u;
    const uint scaled = f32_bits(f32_from_bits(magnitude) * 0x1p112f);
    return f32_from_bits(sign | scaled | (magnitude >= 0x0f800000u ? 0x7f800000u : 0u));
}

// To nearest even: in units of the last place, which below 2^-14 is 2^-24.
f16 f64_to_f16(double a)
{
    int exponent;
    const uint sign = signbit(a) ? 0x8000u : 0u;
    if (isnan(a)) return (f16)(sign | 0x7e00u);
    if (a == 0.0) return (f16)sign;
    frexp(a, &exponent);
    if (isinf(a) || exponent > 16) return (f16)(sign | 0x7c00u);
    const int shift = exponent < -13 ? -24 : exponent - 11;
    const uint steps = (uint)rint(ldexp(fabs(a), -shift));
    return (f16)(sign | (((uint)(shift + 24) << 10) + steps));
}

// To nearest even; below 2^-14, in units of 2^-24, a sum with 0.5 rounds so.
f16 f32_to_f16(float a)
{
    const uint bits = f32_bits(a), magnitude = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u;
    if (magnitude >= 0x477ff000u) return (f16)(sign | (magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u)); // 65520
    if (magnitude < 0x38800000u) return (f16)(sign | (f32_bits(f32_from_bits(magnitude) + 0.5f) - 0x3f000000u));
    return (f16)(sign | (magnitude - 0x37fff001u + (magnitude >> 13 & 1u)) >> 13);
}

f16 f16_mod(f16 a, f16 b)
{
    const float x = f16_to_f32(a), y = f16_to_f32(b), quotient = floorf(f16_to_f32(f32_to_f16(x / y)));
    return f32_to_f16(x - f16_to_f32(f32_to_f16(quotient * y)));
}

// Conversions to integers saturate; a NaN becomes 0.
uint f64_to_u32(double a)
{
    return isnan(a) || a <= 0.0 ? 0u : a >= 4294967296.0 ? 0xffffffffu : (uint)a;
}

int f64_to_i32(double a)
{
    return isnan(a) ? 0 : a >= 2147483647.0 ? 0x7fffffff : a <= -2147483648.0 ? (int)0x80000000u : (int)a;
}

u64 f64_to_u64(double a)
{
    return isnan(a) || a <= 0.0 ? 0ull : a >= 18446744073709551616.0 ? 0xffffffffffffffffull : (u64)a;
}

i64 f64_to_i64(double a)
{
    if (a >= 9223372036854775808.0) return 0x7fffffffffffffffll;
    return isnan(a) ? 0 : a <= -9223372036854775808.0 ? (i64)0x8000000000000000ull : (i64)a;
}

uint f32_to_u32(float a)
{
    return f64_to_u32(a);
}

int f32_to_i32(float a)
{
    return f64_to_i32(a);
}

u64 f32_to_u64(float a)
{
    return f64_to_u64(a);
}

i64 f32_to_i64(float a)
{
    return f64_to_i64(a);
}
