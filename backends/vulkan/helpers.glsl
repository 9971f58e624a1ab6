// The language's meanings where GLSL's differ, and the types that a device may lack: a 64-bit value is the uvec2 of its low and high
// word, an f16 a uint with its bits. The dialect copies the functions that a kernel uses, in this order; one paragraph is one helper.
// A choice is ?: between names or constants, or mix(): neither makes branches (operations.lua says why).

// What a is divided by: 1 instead of 0, and for the least integer / -1.
int i32_divisor(int a, int b)
{
    return b == 0 || (b == -1 && a == 0x80000000) ? 1 : b;
}

int i32_div(int a, int b)
{
    return a / i32_divisor(a, b);
}

int i32_floordiv(int a, int b)
{
    int divisor = i32_divisor(a, b), quotient = a / divisor;
    return quotient - int(quotient * divisor != a && (a ^ divisor) < 0);
}

int i32_mod(int a, int b)
{
    int divisor = i32_divisor(a, b), remainder = a - a / divisor * divisor;
    return remainder + (remainder != 0 && (remainder ^ divisor) < 0 ? divisor : 0);
}

uint u32_mulhi(uint a, uint b)
{
    uint high, low;
    umulExtended(a, b, high, low);
    return high;
}

int i32_mulhi(int a, int b)
{
    int high, low;
    imulExtended(a, b, high, low);
    return high;
}

uint u32_rotl(uint a, uint n)
{
    return (a << (n & 31u)) | (a >> ((32u - n) & 31u));
}

// Rotates the lowest 8 or 16 bits.
uint field_rotl(uint a, uint n, uint width)
{
    uint field = bitfieldExtract(a, 0, int(width)), count = n & (width - 1u);
    return bitfieldExtract((field << count) | (field >> (width - count)), 0, int(width));
}

// 0, which the driver does not know: blocks are dispatched along x.
uint zero_word()
{
    return gl_WorkGroupID.z;
}

// The same number or numbers, of which the driver knows nothing: where it sees a 0 or an infinity, it may leave out NaN, infinities and signs.
float f32_veiled(float a)
{
    return uintBitsToFloat(floatBitsToUint(a) | zero_word());
}
vec2 f32_veiled(vec2 a)
{
    return uintBitsToFloat(floatBitsToUint(a) | zero_word());
}
vec3 f32_veiled(vec3 a)
{
    return uintBitsToFloat(floatBitsToUint(a) | zero_word());
}
vec4 f32_veiled(vec4 a)
{
    return uintBitsToFloat(floatBitsToUint(a) | zero_word());
}

float16_t float16_veiled(float16_t a)
{
    return uint16BitsToFloat16(float16BitsToUint16(a) | uint16_t(zero_word()));
}
f16vec2 float16_veiled(f16vec2 a)
{
    return uint16BitsToFloat16(float16BitsToUint16(a) | uint16_t(zero_word()));
}
f16vec3 float16_veiled(f16vec3 a)
{
    return uint16BitsToFloat16(float16BitsToUint16(a) | uint16_t(zero_word()));
}
f16vec4 float16_veiled(f16vec4 a)
{
    return uint16BitsToFloat16(float16BitsToUint16(a) | uint16_t(zero_word()));
}

double double_veiled(double a)
{
    return packDouble2x32(unpackDouble2x32(a) | zero_word());
}
dvec2 double_veiled(dvec2 a)
{
    return dvec2(double_veiled(a.x), double_veiled(a.y));
}
dvec3 double_veiled(dvec3 a)
{
    return dvec3(double_veiled(a.x), double_veiled(a.y), double_veiled(a.z));
}
dvec4 double_veiled(dvec4 a)
{
    return dvec4(double_veiled(a.x), double_veiled(a.y), double_veiled(a.z), double_veiled(a.w));
}

bool f32_isnan(float a)
{
    return (floatBitsToUint(a) & 0x7fffffffu) > 0x7f800000u;
}

// SwiftShader has other results for NaN, for logarithms of zero, negative and infinite numbers, and for tanh where exp
// overflows.
float f32_exp(float a)
{
    return f32_isnan(a) ? a : exp(a);
}

float f32_exp2(float a)
{
    return f32_isnan(a) ? a : exp2(a);
}

float f32_log(float a)
{
    if (a < 0.0 || f32_isnan(a)) return uintBitsToFloat(0x7fc00000u);
    if (a == 0.0) return uintBitsToFloat(0xff800000u);
    return a > 3.4028234663852886e38 ? a : log(a);
}

float f32_log2(float a)
{
    if (a < 0.0 || f32_isnan(a)) return uintBitsToFloat(0x7fc00000u);
    if (a == 0.0) return uintBitsToFloat(0xff800000u);
    return a > 3.4028234663852886e38 ? a : log2(a);
}

// From 9.1 on the nearest number is 1.
float f32_tanh(float a)
{
    return f32_isnan(a) ? a : tanh(clamp(a, -10.0, 10.0));
}

// The place of a in -inf < .. < -0 < +0 < .. < inf; of a NaN the place asked for.
int f32_rank(float a, int nan)
{
    int bits = floatBitsToInt(a), rank = bits ^ ((bits >> 31) & 0x7fffffff);
    return f32_isnan(a) ? nan : rank;
}

// -0 < +0, and of a NaN and a number the number: on bits, since drivers differ.
float f32_min(float a, float b)
{
    return f32_rank(a, 0x7fffffff) <= f32_rank(b, 0x7fffffff) ? a : b;
}

float f32_max(float a, float b)
{
    return f32_rank(a, 0x80000000) >= f32_rank(b, 0x80000000) ? a : b;
}

precise float f32_mod(float a, float b)
{
    return a - floor(a / b) * b;
}

// Conversions to integers saturate; a NaN gives 0. (Mesa takes int(float(i)) for i; not so with max between.)
uint f32_to_u32(float a)
{
    return mix(mix(uint(max(a, 0.0)), 0xffffffffu, a >= 4294967296.0), 0u, f32_isnan(a));
}

int f32_to_i32(float a)
{
    return mix(mix(int(max(a, -2147483648.0)), 0x7fffffff, a >= 2147483648.0), 0, f32_isnan(a));
}

float f16_to_f32(uint a)
{
    uint exponent = a & 0x7c00u, magnitude = (a & 0x7fffu) << 13;
    uint rebias = exponent == 0x7c00u ? 0x70000000u : 0x38000000u;
    uint subnormal = floatBitsToUint(float(a & 0x3ffu) * 5.9604644775390625e-8);
    return uintBitsToFloat((a & 0x8000u) << 16 | mix(magnitude + rebias, subnormal, exponent == 0u));
}

// To nearest even. Adding 0.5 rounds a subnormal to multiples of 2^-24, the last place of 0.5.
uint f32_to_f16(float a)
{
    uint magnitude = floatBitsToUint(a) & 0x7fffffffu, sign = floatBitsToUint(a) >> 16 & 0x8000u;
    uint subnormal = floatBitsToUint(abs(a) + 0.5) - 0x3f000000u, rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
    uint normal = min((rounded - 0x38000000u) >> 13, 0x7c00u), number = magnitude < 0x38800000u ? subnormal : normal;
    return sign | (magnitude > 0x7f800000u ? 0x7e00u : number);
}

precise uint f16_mod(uint a, uint b)
{
    float x = f16_to_f32(a), y = f16_to_f32(b), quotient = floor(f16_to_f32(f32_to_f16(x / y)));
    return f32_to_f16(x - f16_to_f32(f32_to_f16(quotient * y)));
}

precise float16_t float16_mod(float16_t a, float16_t b)
{
    return a - floor(a / b) * b;
}

uvec2 u64_add(uvec2 a, uvec2 b)
{
    uint carry, low = uaddCarry(a.x, b.x, carry);
    return uvec2(low, a.y + b.y + carry);
}

uvec2 u64_sub(uvec2 a, uvec2 b)
{
    uint borrow, low = usubBorrow(a.x, b.x, borrow);
    return uvec2(low, a.y - b.y - borrow);
}

uvec2 u64_neg(uvec2 a)
{
    return uvec2(0u - a.x, ~a.y + uint(a.x == 0u));
}

uvec2 u64_mul(uvec2 a, uvec2 b)
{
    uint high, low;
    umulExtended(a.x, b.x, high, low);
    return uvec2(low, high + a.x * b.y + a.y * b.x);
}

bool u64_less(uvec2 a, uvec2 b)
{
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

bool i64_less(uvec2 a, uvec2 b)
{
    return int(a.y) < int(b.y) || (a.y == b.y && a.x < b.x);
}

uvec2 u64_min(uvec2 a, uvec2 b)
{
    return u64_less(b, a) ? b : a;
}

uvec2 u64_max(uvec2 a, uvec2 b)
{
    return u64_less(a, b) ? b : a;
}

uvec2 i64_min(uvec2 a, uvec2 b)
{
    return i64_less(b, a) ? b : a;
}

uvec2 i64_max(uvec2 a, uvec2 b)
{
    return i64_less(a, b) ? b : a;
}

uvec2 i64_abs(uvec2 a)
{
    return mix(a, u64_neg(a), bvec2(int(a.y) < 0));
}

// Shifts take the count modulo 64; `across` is what passes from one word to the other, nothing when the count is 0.
uvec2 u64_shl(uvec2 a, uint n)
{
    uint count = n & 31u, across = a.x >> 1 >> (31u - count);
    return mix(uvec2(0u, a.x << count), uvec2(a.x << count, a.y << count | across), bvec2((n & 32u) == 0u));
}

uvec2 u64_shr(uvec2 a, uint n)
{
    uint count = n & 31u, across = a.y << 1 << (31u - count);
    return mix(uvec2(a.y >> count, 0u), uvec2(a.x >> count | across, a.y >> count), bvec2((n & 32u) == 0u));
}

uvec2 i64_shr(uvec2 a, uint n)
{
    uint count = n & 31u, across = a.y << 1 << (31u - count), high = uint(int(a.y) >> count);
    return mix(uvec2(high, uint(int(a.y) >> 31)), uvec2(a.x >> count | across, high), bvec2((n & 32u) == 0u));
}

uvec2 u64_rotl(uvec2 a, uint n)
{
    return u64_shl(a, n) | u64_shr(a, 64u - n);
}

uint u64_popcount(uvec2 a)
{
    return uint(bitCount(a.x) + bitCount(a.y));
}

uint u64_clz(uvec2 a)
{
    return uint(mix(63 - findMSB(a.x), 31 - findMSB(a.y), a.y != 0u));
}

uint u64_ctz(uvec2 a)
{
    return mix(32u + min(uint(findLSB(a.y)), 32u), uint(findLSB(a.x)), a.x != 0u);
}

uvec2 u64_bitreverse(uvec2 a)
{
    return bitfieldReverse(a.yx);
}

// Schoolbook multiplication; `carried` is the second word of the product and what it carries.
uvec2 u64_mulhi(uvec2 a, uvec2 b)
{
    uvec2 carried = uvec2(u32_mulhi(a.x, b.x), 0u);
    carried = u64_add(carried, u64_mul(uvec2(a.x, 0u), uvec2(b.y, 0u)));
    uvec2 middle = u64_add(uvec2(carried.x, 0u), u64_mul(uvec2(a.y, 0u), uvec2(b.x, 0u)));
    uvec2 high = u64_mul(uvec2(a.y, 0u), uvec2(b.y, 0u));
    return u64_add(high, u64_add(uvec2(carried.y, 0u), uvec2(middle.y, 0u)));
}

uvec2 i64_mulhi(uvec2 a, uvec2 b)
{
    uvec2 high = u64_mulhi(a, b);
    if (int(a.y) < 0) high = u64_sub(high, b);
    if (int(b.y) < 0) high = u64_sub(high, a);
    return high;
}

// Long division, a bit at a time. By 0: as by 1.
uvec2 u64_divide(uvec2 a, uvec2 b, out uvec2 remainder)
{
    uvec2 quotient = a, divisor = uvec2(b.x | uint(b == uvec2(0u)), b.y);
    remainder = uvec2(0u);
    for (int i = 0; i < 64; i++) {
        remainder = u64_shl(remainder, 1u) | uvec2(quotient.y >> 31, 0u);
        quotient = u64_shl(quotient, 1u);
        if (!u64_less(remainder, divisor)) {
            remainder = u64_sub(remainder, divisor);
            quotient.x |= 1u;
        }
    }
    return quotient;
}

uvec2 u64_div(uvec2 a, uvec2 b)
{
    uvec2 remainder;
    return u64_divide(a, b, remainder);
}

uvec2 u64_mod(uvec2 a, uvec2 b)
{
    uvec2 remainder;
    u64_divide(a, b, remainder);
    return remainder;
}

// Truncates; the remainder has a's sign.
uvec2 i64_divide(uvec2 a, uvec2 b, out uvec2 remainder)
{
    uvec2 quotient = u64_divide(i64_abs(a), i64_abs(b), remainder);
    if (int(a.y) < 0) remainder = u64_neg(remainder);
    return mix(quotient, u64_neg(quotient), bvec2(int(a.y ^ b.y) < 0));
}

uvec2 i64_div(uvec2 a, uvec2 b)
{
    uvec2 remainder;
    return i64_divide(a, b, remainder);
}

uvec2 i64_floordiv(uvec2 a, uvec2 b)
{
    uvec2 remainder, quotient = i64_divide(a, b, remainder);
    return u64_sub(quotient, uvec2(remainder != uvec2(0u) && int(a.y ^ b.y) < 0, 0u));
}

uvec2 i64_mod(uvec2 a, uvec2 b)
{
    uvec2 remainder;
    i64_divide(a, b, remainder);
    return mix(remainder, u64_add(remainder, b), bvec2(remainder != uvec2(0u) && int(a.y ^ b.y) < 0));
}

uvec2 i32_to_i64(int a)
{
    return uvec2(uint(a), uint(a >> 31));
}

// By way of int: drivers round the upper half of the range twice. The last bit tells of the one shifted out.
float u32_to_f32(uint a)
{
    return mix(float(int(a)), 2.0 * float(int(a >> 1 | (a & 1u))), int(a) < 0);
}

// Exactly, by way of int halves: NVIDIA's driver takes double(uint(i)) of a small int for double(i).
double u32_to_double(uint a)
{
    return double(int(a >> 16)) * 65536.0lf + double(int(a & 0xffffu));
}

// One rounding: the top 32 bits, the last of them telling of what was cut off.
float u64_to_f32(uvec2 a)
{
    uint cut = uint(findMSB(a.y)) + 1u;
    uvec2 top = u64_shr(a, cut);
    return u32_to_f32(top.x | uint(u64_shl(top, cut) != a)) * uintBitsToFloat((127u + cut) << 23);
}

float i64_to_f32(uvec2 a)
{
    float magnitude = u64_to_f32(i64_abs(a));
    return mix(magnitude, -magnitude, int(a.y) < 0);
}

uvec2 f32_to_u64(float a)
{
    float high = floor(a * 2.3283064365386963e-10);
    uvec2 whole = uvec2(uint(a - high * 4294967296.0), uint(high)), bound = uvec2(a >= 1.0 ? 0xffffffffu : 0u);
    return a >= 1.0 && a < 18446744073709551616.0 ? whole : bound;
}

uvec2 f32_to_i64(float a)
{
    uvec2 magnitude = f32_to_u64(abs(a)), negated = u64_neg(magnitude);
    if (a >= 9223372036854775808.0) magnitude = uvec2(0xffffffffu, 0x7fffffffu);
    if (a < -9223372036854775808.0) negated = uvec2(0u, 0x80000000u);
    return a < 0.0 ? negated : magnitude;
}

bool f64_isnan(uvec2 a)
{
    return u64_less(uvec2(0u, 0x7ff00000u), a & uvec2(0xffffffffu, 0x7fffffffu));
}

// The place of a number in -inf < .. < -0 < +0 < .. < inf, as i64.
uvec2 f64_rank(uvec2 a)
{
    return a ^ (uvec2(0xffffffffu, 0x7fffffffu) & uint(int(a.y) >> 31));
}

bool f64_equal(uvec2 a, uvec2 b)
{
    bool zeros = ((a | b) & uvec2(0xffffffffu, 0x7fffffffu)) == uvec2(0u);
    return zeros || (a == b && !f64_isnan(a));
}

bool f64_less(uvec2 a, uvec2 b)
{
    return !f64_isnan(a) && !f64_isnan(b) && !f64_equal(a, b) && i64_less(f64_rank(a), f64_rank(b));
}

uvec2 f64_min(uvec2 a, uvec2 b)
{
    return !f64_isnan(a) && (f64_isnan(b) || !i64_less(f64_rank(b), f64_rank(a))) ? a : b;
}

uvec2 f64_max(uvec2 a, uvec2 b)
{
    return !f64_isnan(a) && (f64_isnan(b) || !i64_less(f64_rank(a), f64_rank(b))) ? a : b;
}

int64_t int64_divisor(int64_t a, int64_t b)
{
    return b == 0l || (b == -1l && a == int64_t(0x8000000000000000ul)) ? 1l : b;
}

int64_t int64_div(int64_t a, int64_t b)
{
    return a / int64_divisor(a, b);
}

int64_t int64_floordiv(int64_t a, int64_t b)
{
    int64_t divisor = int64_divisor(a, b), quotient = a / divisor;
    return quotient - int64_t(quotient * divisor != a && (a ^ divisor) < 0l);
}

int64_t int64_mod(int64_t a, int64_t b)
{
    int64_t divisor = int64_divisor(a, b), remainder = a - a / divisor * divisor;
    return remainder + (remainder != 0l && (remainder ^ divisor) < 0l ? divisor : 0l);
}

precise double double_mod(double a, double b)
{
    return a - floor(a / b) * b;
}

uint double_to_u32(double a)
{
    return mix(mix(uint(max(a, 0.0lf)), 0xffffffffu, a >= 4294967296.0lf), 0u, f64_isnan(unpackDouble2x32(a)));
}

int double_to_i32(double a)
{
    return mix(mix(int(max(a, -2147483648.0lf)), 0x7fffffff, a >= 2147483648.0lf), 0, f64_isnan(unpackDouble2x32(a)));
}

uint64_t double_to_u64(double a)
{
    return mix(mix(uint64_t(max(a, 0.0lf)), 0xfffffffffffffffful, a >= 18446744073709551616.0lf), 0ul, f64_isnan(unpackDouble2x32(a)));
}

int64_t double_to_i64(double a)
{
    int64_t number = mix(int64_t(max(a, -9223372036854775808.0lf)), 0x7fffffffffffffffl, a >= 9223372036854775808.0lf);
    return f64_isnan(unpackDouble2x32(a)) ? 0l : number;
}

// Rounded to odd, so that rounding on to f16 is the only rounding that shows.
float double_to_odd(double a)
{
    float nearest = float(a);
    uint truncated = floatBitsToUint(nearest) - uint(abs(double(nearest)) > abs(a));
    return mix(uintBitsToFloat(truncated | 1u), nearest, double(nearest) == a);
}
