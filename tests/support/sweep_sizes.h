/* sweep_sizes.h - inputs of sweep_sizes.lua: how many elements are kept, and how long runs are. */
#ifndef SWEEP_SIZES_H
#define SWEEP_SIZES_H

#include <stdint.h>

typedef struct sweep_data {
    const char *name;
    uint32_t one_in; /* of which one is kept; 0: none is */
    uint32_t run;    /* elements; 0: all are one run */
} sweep_data;

enum { LONGER_THAN_A_TILE = 150 };

static const sweep_data sweep_kinds[] = {
    {"none kept, one run", 0, 0},
    {"one in 1000 kept, runs of 1", 1000, 1},
    {"half kept, runs of 4", 2, 4},
    {"all kept, runs of 64", 1, 64},
    {"half kept, runs that are longer than a tile", 2, LONGER_THAN_A_TILE},
};
enum { SWEEP_KINDS = sizeof sweep_kinds / sizeof *sweep_kinds };

static inline uint32_t sweep_hash(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15u;
    return (uint32_t)((x ^ x >> 32) * 0xd6e8feb86659fd93u >> 32);
}

/* kind: a sweep_data; inputs: keys and values, n u32 each. */
static inline void sweep_fill(const void *kind, uint64_t n, void *const inputs[])
{
    const sweep_data *data = (const sweep_data *)kind;
    uint32_t *keys = (uint32_t *)inputs[0], *values = (uint32_t *)inputs[1];
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t random = sweep_hash(i << 20 | n), is_kept = data->one_in && random % data->one_in == 0;
        const uint64_t run = data->run ? (i + n) / data->run : 0; /* runs begin elsewhere for each n */
        keys[i] = sweep_hash(run) << 1 | is_kept;
        values[i] = random;
    }
}

#endif
