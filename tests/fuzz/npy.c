/* A .npy file as a user might hand it in, read as elements of several types: headers of any bytes, data of any length. */
#include "complaint.h"
#include "outcome.h"

#include "cli/io/npy.h"

#include <string.h>

static const msw_leaf one[] = {{"", MSW_U32, 0, 0}};
static const msw_leaf components[] = {{"x", MSW_F32, 0, 3}, {"y", MSW_F32, 4, 3}, {"z", MSW_F32, 8, 3}};
static const msw_leaf fields[] = {{"flag", MSW_U8, 0, 0}, {"lo.x", MSW_U16, 2, 2}, {"lo.y", MSW_U16, 4, 2}, {"value", MSW_F64, 8, 0}};
static const msw_type_info types[] = {{"u32", 4, 4, 1, one}, {"vec(f32, 3)", 12, 4, 3, components}, {"Mixed", 16, 8, 4, fields}};

/* What was read, written again, is read as the same. */
static void write_and_read(const msw_type_info *type, const unsigned char *elements, uint64_t count)
{
    size_t header_bytes = 0;
    uint64_t again = 0;
    unsigned char *copies = NULL;
    char *header = ms_npy_header(type, count, &header_bytes);
    ms_bytes image = {.count = header_bytes + count * type->size_bytes};
    if (!header || !(image.data = malloc(image.count))) abort();
    memcpy(image.data, header, header_bytes);
    memcpy(image.data + header_bytes, elements, image.count - header_bytes);
    if (ms_npy_decode("again", &image, type, 0, &copies, &again) || again != count || memcmp(copies, elements, image.count - header_bytes)) abort();
    free(copies);
    free(image.data);
    free(header);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        unsigned char *elements = NULL;
        uint64_t count = 0;
        unsigned char *copy = malloc(bytes ? bytes : 1); /* of its own, so that one byte too many is seen */
        const ms_bytes image = {copy, bytes};
        if (!copy) return 0;
        memcpy(copy, data, bytes);
        for (int is_flat = 0; is_flat < 2; is_flat++) {
            uint64_t measured = 0;
            const ms_exit code = ms_npy_decode("fuzz.npy", &image, &types[t], is_flat, &elements, &count);
            if (code != ms_npy_measure("fuzz.npy", &image, image.count, &types[t], is_flat, &measured)) abort();
            if (code) continue;
            if (measured != count) abort();
            write_and_read(&types[t], elements, count);
            free(elements);
        }
        free(copy);
    }
    return 0;
}
