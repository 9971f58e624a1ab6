/* data.h - made-up elements for benches. */
#ifndef MS_CLI_DATA_H
#define MS_CLI_DATA_H

#include "cli/io/array.h"
#include "random.h"

/* Fills an array, the same way every time: integers with random bits, floats with numbers from 0.5 to 1; keys with bits of that entropy, floats too.
 * keys NULL: it is none. */
void ms_fill(ms_array *array, const msw_type_info *type, uint32_t seed, const ms_entropy *keys);
/* Fills it with offsets of segments, whose lengths vary, ascending from 0 to n. */
void ms_fill_offsets(ms_array *array, uint64_t n);

#endif
