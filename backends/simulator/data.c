#include "data.h"

#include <string.h>

static const uint8_t scalar_bytes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};

/* splitmix64 */
uint64_t sim_next(uint64_t *random)
{
    uint64_t z = *random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t sim_next_below(uint64_t *random, uint64_t bound) { return (sim_next(random) >> 16) % bound; }

void sim_fill_small(uint64_t *random, const msw_type_info *type, unsigned char *data, uint64_t n)
{
    memset(data, 0, n * type->size_bytes);
    for (uint64_t i = 0; i < n; i++) {
        for (uint32_t l = 0; l < type->leaf_count; l++) {
            const uint64_t value = sim_next(random) >> 8;
            const float f = (float)(value % 64);
            unsigned char *leaf = data + i * type->size_bytes + type->leaves[l].offset_bytes;
            if (type->leaves[l].scalar == MSW_F32) memcpy(leaf, &f, sizeof f);
            else memcpy(leaf, &value, scalar_bytes[type->leaves[l].scalar]);
        }
    }
}

void sim_fill_any(uint64_t *random, const msw_type_info *type, unsigned char *data, uint64_t n)
{
    for (uint64_t byte = 0; byte < n * type->size_bytes; byte++) data[byte] = (unsigned char)sim_next(random);
}

/* Bits in which the keys differ. */
static uint64_t choose_mask(uint64_t *random)
{
    const uint64_t some = sim_next(random);
    switch (sim_next_below(random, 6)) {
    case 0: return 0;
    case 1: return UINT64_C(1) << some % 64 | UINT64_C(1) << some / 64 % 64;
    case 2: return some & sim_next(random) & sim_next(random);
    case 3: return UINT64_C(0x0f0f0f0f0f0f0f0f) << 4 * (some % 2);
    default: return UINT64_MAX;
    }
}

void sim_fill_keys(uint64_t *random, const msw_type_info *type, unsigned char *data, uint64_t n)
{
    const uint64_t mask = choose_mask(random), rest = sim_next(random) & ~mask, common = sim_next_below(random, 3);
    const uint64_t outlier = sim_next_below(random, 2 * n + 1); /* sometimes a key that shares nothing with the others */
    sim_fill_any(random, type, data, n);
    for (uint64_t i = 0; i < n; i++) {
        for (uint32_t l = 0; i != outlier && l < type->leaf_count; l++) {
            /* of the low entropies of radix sorts' benchmarks: an `and` of several */
            uint64_t value = sim_next(random);
            for (uint64_t k = 0; k < common; k++) value &= sim_next(random);
            value = (value & mask) | rest;
            memcpy(data + i * type->size_bytes + type->leaves[l].offset_bytes, &value, scalar_bytes[type->leaves[l].scalar]);
        }
    }
}

void sim_reverse(const msw_type_info *type, unsigned char *data, uint64_t n)
{
    unsigned char element[128];
    for (uint64_t i = 0; i < n / 2; i++) {
        unsigned char *first = data + i * type->size_bytes, *last = data + (n - 1 - i) * type->size_bytes;
        memcpy(element, first, type->size_bytes);
        memcpy(first, last, type->size_bytes);
        memcpy(last, element, type->size_bytes);
    }
}
