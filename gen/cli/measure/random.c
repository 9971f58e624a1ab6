#include "random.h"

#include <stddef.h>

const ms_entropy ms_entropies[] = {{"1.0", 1}, {"0.811", 2}, {"0.544", 3}, {"0.337", 4}, {"0.201", 5}, {"0", 0}, {NULL, 0}};

uint64_t ms_mix(uint64_t x) /* Steele, Lea & Flood 2014 */
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint64_t ms_random_bits(uint64_t place, const ms_entropy *entropy)
{
    uint64_t bits = entropy->words ? ms_mix(place) : 0;
    for (int w = 1; w < entropy->words; w++) bits &= ms_mix(place + ((uint64_t)w << 56));
    return bits;
}
