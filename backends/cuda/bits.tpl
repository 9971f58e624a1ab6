// Bits that it takes to write a number down: 0 for 0.
uint bit_width(uint a)
{
    return 32u - (uint)__clz(a);
}
