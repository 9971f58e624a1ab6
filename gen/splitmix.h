/* splitmix.h - splitmix64 (Steele, Lea & Flood 2014): numbers at random, the same on every machine, and a mix of bits for hashes. */
#ifndef MS_SPLITMIX_H
#define MS_SPLITMIX_H

#include <stdint.h>

static inline uint64_t ms_splitmix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* The generator's next number. */
static inline uint64_t ms_splitmix_next(uint64_t *state)
{
    const uint64_t number = ms_splitmix(*state);
    *state += 0x9e3779b97f4a7c15u;
    return number;
}

#endif
