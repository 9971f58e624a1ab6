/* cli_data.h - made-up elements for benches. */
#ifndef MS_CLI_DATA_H
#define MS_CLI_DATA_H

#include "cli_array.h"

/* Bits of a key by entropy (Thearling & Smith 1992): of `words` random words and-ed; 0: all keys are equal. */
typedef struct ms_entropy {
    const char *name; /* bits of entropy a bit: "0.544" */
    int words;
} ms_entropy;

/* Ends with a NULL name; the first is the default. */
extern const ms_entropy ms_entropies[];

/* Fills an array, the same way every time: integers with random bits, floats with numbers from 0.5 to 1; keys with bits of that entropy, floats too. keys NULL: it is none. */
void ms_fill(ms_array *array, const msw_type_info *type, uint32_t seed, const ms_entropy *keys);

#endif
