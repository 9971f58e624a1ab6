// The language's meanings where CUDA's differ from them; as backends/c/helpers.h.

int u32_ctz(uint a)
{
    return __clz(__brev(a));
}

int u64_ctz(u64 a)
{
    return __clzll(__brevll(a));
}

// The lower 16 bits as a signed number. The compiler must not see that it is one: it would negate in 16 bits, where ptxas (13.0, every
// architecture) takes the sign-extended -a, or |a|, for that of the sign-extended a, so that of -32768 comes 32768.
int int_to_i16(int a)
{
    int value;
    asm("bfe.s32 %0, %1, 0, 16;" : "=r"(value) : "r"(a));
    return value;
}

// Of the least integer itself. Where the compiler sees a negation and a choice it makes abs of them, which ptxas (13.0, every architecture) takes for
// never negative.
int i32_neg(int a)
{
    int value;
    asm("neg.s32 %0, %1;" : "=r"(value) : "r"(a));
    return value;
}

i64 i64_neg(i64 a)
{
    i64 value;
    asm("neg.s64 %0, %1;" : "=l"(value) : "l"(a));
    return value;
}

// PTX orders zeros and leaves out NaNs as the language does; NVVM (13.0) folds fminf(x, -x) of a zero as if their signs were one.
float f32_min(float a, float b)
{
    float least;
    asm("min.f32 %0, %1, %2;" : "=f"(least) : "f"(a), "f"(b));
    return least;
}

float f32_max(float a, float b)
{
    float greatest;
    asm("max.f32 %0, %1, %2;" : "=f"(greatest) : "f"(a), "f"(b));
    return greatest;
}

double f64_min(double a, double b)
{
    double least;
    asm("min.f64 %0, %1, %2;" : "=d"(least) : "d"(a), "d"(b));
    return least;
}

double f64_max(double a, double b)
{
    double greatest;
    asm("max.f64 %0, %1, %2;" : "=d"(greatest) : "d"(a), "d"(b));
    return greatest;
}

// By its bits: compilers (13.0) take what an absolute value instruction gives for no NaN, so that |NaN| >= 0 holds.
float f32_abs(float a)
{
    uint bits = __float_as_uint(a);
    asm("and.b32 %0, %0, 0x7fffffff;" : "+r"(bits));
    return __uint_as_float(bits);
}

double f64_abs(double a)
{
    u64 bits = __double_as_longlong(a);
    asm("and.b64 %0, %0, 0x7fffffffffffffff;" : "+l"(bits));
    return __longlong_as_double(bits);
}

// Lists in braces take no long long for a u64.
u64 f64_bits(double a)
{
    return (u64)__double_as_longlong(a);
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
