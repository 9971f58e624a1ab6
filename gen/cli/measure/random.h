/* random.h - random bits of a given entropy. Needs no other header: the developers' benches share it. */
#ifndef MS_CLI_RANDOM_H
#define MS_CLI_RANDOM_H

#include <stdint.h>

/* Bits of a key by entropy (Thearling & Smith 1992): of `words` random words and-ed; 0: all keys are equal. */
typedef struct ms_entropy {
    const char *name; /* bits of entropy a bit: "0.544" */
    int words;
} ms_entropy;

/* Ends with a NULL name; the first, of full entropy, is the default. */
extern const ms_entropy ms_entropies[];

/* 64 bits that x decides, without a pattern: splitmix64. */
uint64_t ms_mix(uint64_t x);
/* The 64 bits at a place, below 2^56. */
uint64_t ms_random_bits(uint64_t place, const ms_entropy *entropy);

#endif
