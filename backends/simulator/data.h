/* data.h - a trial's choices and its data, of a seed. */
#ifndef SIM_DATA_H
#define SIM_DATA_H

#include <monosweep/monosweep.h>

uint64_t sim_next(uint64_t *random);
uint64_t sim_next_below(uint64_t *random, uint64_t bound);

/* Every leaf small: counts and sums are exact in any order and floats too. Padding is zero. */
void sim_fill_small(uint64_t *random, const msw_type_info *type, unsigned char *data, uint64_t n);

/* Any bits, padding too. */
void sim_fill_any(uint64_t *random, const msw_type_info *type, unsigned char *data, uint64_t n);

/* Keys: any, few different ones, all the same, or the same but for a few bits; padding is any. */
void sim_fill_keys(uint64_t *random, const msw_type_info *type, unsigned char *data, uint64_t n);

void sim_reverse(const msw_type_info *type, unsigned char *data, uint64_t n);

#endif
