// clang-format off
// The language's meanings where C's and C++'s differ. A dialect of the C family copies the functions that a kernel uses, in this order, after its
// own; one paragraph is one helper.

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

int i32_abs(int a)
{
    return a < 0 ? i32_neg(a) : a;
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
    return a < 0 ? i64_neg(a) : a;
}

u64 u64_rotl(u64 a, uint n)
{
    return a << (n & 63u) | a >> ((0u - n) & 63u);
}

u64 u64_rotr(u64 a, uint n)
{
    return a >> (n & 63u) | a << ((0u - n) & 63u);
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
