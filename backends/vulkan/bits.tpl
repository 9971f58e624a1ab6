// Bits that it takes to write a number down: 0 for 0.
uint bit_width(uint a)
{
    return uint(findMSB(a) + 1);
}
