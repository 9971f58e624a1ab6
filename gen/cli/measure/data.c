#include "data.h"
#include "cli/io/npy_dtype.h"

#include <string.h>

/* The exponent of 0.5, random bits in the fraction. */
static uint64_t half_to_one(msw_scalar scalar, uint64_t bits)
{
    if (scalar == MSW_F16) return 0x3800 | (bits & 0x3ff);
    if (scalar == MSW_F32) return 0x3f000000 | (bits & 0x7fffff);
    return (uint64_t)0x3fe << 52 | bits >> 12;
}

void ms_fill_offsets(ms_array *array, uint64_t n)
{
    uint64_t *offsets = (void *)array->data;
    const uint64_t segments = array->count - 1;
    const double length = (double)n / (double)(segments ? segments : 1);
    for (uint64_t j = 0; j <= segments; j++) {
        const double at = length * ((double)j + (double)(ms_random_bits(j, ms_entropies) >> 11) * 0x1p-53);
        offsets[j] = j == 0 ? 0 : j == segments || at > (double)n ? n : (uint64_t)at;
    }
}

void ms_fill(ms_array *array, const msw_type_info *type, uint32_t seed, const ms_entropy *keys)
{
    uint64_t place = (uint64_t)seed << 44;
    unsigned char *element = array->data;
    for (uint64_t i = 0; i < array->count; i++, element += type->size_bytes)
        for (uint32_t l = 0; l < type->leaf_count; l++) {
            const msw_leaf *leaf = &type->leaves[l];
            uint64_t bits = ms_random_bits(place++, keys ? keys : ms_entropies);
            if (leaf->scalar >= MSW_F16 && !keys) bits = half_to_one(leaf->scalar, bits);
            memcpy(element + leaf->offset_bytes, &bits, ms_dtype_scalar_bytes(leaf->scalar));
        }
}
