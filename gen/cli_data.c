#include "cli_data.h"

#include <string.h>

const ms_entropy ms_entropies[] = {{"1.0", 1}, {"0.811", 2}, {"0.544", 3}, {"0.337", 4}, {"0.201", 5}, {"0", 0}, {NULL, 0}};

static uint64_t mix(uint64_t x) /* splitmix64 (Steele, Lea & Flood 2014) */
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* The exponent of 0.5, random bits in the fraction. */
static uint64_t half_to_one(msw_scalar scalar, uint64_t bits)
{
    if (scalar == MSW_F16) return 0x3800 | (bits & 0x3ff);
    if (scalar == MSW_F32) return 0x3f000000 | (bits & 0x7fffff);
    return (uint64_t)0x3fe << 52 | bits >> 12;
}

static uint64_t random_bits(uint64_t place, const ms_entropy *keys)
{
    uint64_t bits = keys && !keys->words ? 0 : mix(place);
    for (int w = 1; keys && w < keys->words; w++) bits &= mix(place + ((uint64_t)w << 56));
    return bits;
}

void ms_fill(ms_array *array, const msw_type_info *type, uint32_t seed, const ms_entropy *keys)
{
    static const uint32_t scalar_bytes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
    uint64_t place = (uint64_t)seed << 44;
    unsigned char *element = array->data;
    for (uint64_t i = 0; i < array->count; i++, element += type->size_bytes)
        for (uint32_t l = 0; l < type->leaf_count; l++) {
            const msw_leaf *leaf = &type->leaves[l];
            uint64_t bits = random_bits(place++, keys);
            if (leaf->scalar >= MSW_F16 && !keys) bits = half_to_one(leaf->scalar, bits);
            memcpy(element + leaf->offset_bytes, &bits, scalar_bytes[leaf->scalar]);
        }
}
