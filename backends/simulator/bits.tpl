// Bits that it takes to write a number down: 0 for 0.
uint bit_width(uint a)
{
    return a == 0u ? 0u : 32u - (uint)__builtin_clz(a);
}
