#include "cli_npy.h"
#include "cli_npy_dtype.h"

#include <stdlib.h>
#include <string.h>

enum { MAGIC_BYTES = 8, HEADER_ALIGNMENT = 64 };

/* ---- reading ---- */

typedef struct npy_header {
    const char *text; /* the dictionary */
    size_t text_bytes;
    size_t data_offset;
} npy_header;

static int find_header(const ms_bytes *image, npy_header *header)
{
    const unsigned char *b = image->data;
    if (image->count < MAGIC_BYTES + 4 || memcmp(b, "\x93NUMPY", 6) || b[6] < 1 || b[6] > 3) return 0;
    const size_t prefix = b[6] == 1 ? MAGIC_BYTES + 2 : MAGIC_BYTES + 4;
    header->text_bytes = b[8] | (size_t)b[9] << 8;
    if (b[6] > 1) header->text_bytes |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    header->text = (const char *)b + prefix;
    header->data_offset = prefix + header->text_bytes;
    return header->data_offset <= image->count;
}

/* The dtype and shape that elements of a type have, for messages. */
static ms_exit mismatch(const char *path, const msw_type_info *type, const char *what, size_t what_bytes)
{
    char *expected = ms_dtype_text(type);
    const uint32_t components = ms_dtype_components(type);
    char shape[32] = "(n,)";
    if (components) snprintf(shape, sizeof shape, "(n, %u)", components);
    const char *newline = memchr(what, '\n', what_bytes);
    if (newline) what_bytes = (size_t)(newline - what);
    while (what_bytes && what[what_bytes - 1] == ' ') what_bytes--; /* a header is padded */
    ms_complain(MS_EXIT_FAILED, "%s: %.*s does not hold elements of type %s; expected descr %s, C order, shape %s", path,
                (int)(what_bytes < 400 ? what_bytes : 400), what, type->name, expected ? expected : type->name, shape);
    free(expected);
    return MS_EXIT_FAILED;
}

static const ms_dtype_field *find_field(const ms_dtype *dtype, const char *path)
{
    for (uint32_t i = 0; i < dtype->field_count; i++)
        if (ms_dtype_same_path(path, dtype->fields[i].path)) return &dtype->fields[i];
    return NULL;
}

/* For every leaf of the type its place in the record. 0 when the dtype has other fields. */
static int match(const msw_type_info *type, const ms_dtype *dtype, uint64_t *offsets)
{
    if (dtype->field_count != type->leaf_count) return 0;
    for (uint32_t i = 0; i < type->leaf_count; i++) {
        const ms_dtype_field *field = find_field(dtype, type->leaves[i].path);
        if (!field || field->scalar != type->leaves[i].scalar) return 0;
        offsets[i] = field->offset;
    }
    return 1;
}

static unsigned char *gather(const msw_type_info *type, const ms_dtype *dtype, const uint64_t *offsets, const unsigned char *records, uint64_t count)
{
    unsigned char *elements = calloc(count ? count : 1, type->size_bytes);
    for (uint64_t i = 0; elements && i < count; i++)
        for (uint32_t k = 0; k < type->leaf_count; k++) {
            const msw_leaf *leaf = &type->leaves[k];
            memcpy(elements + i * type->size_bytes + leaf->offset_bytes, records + i * dtype->bytes + offsets[k],
                   ms_dtype_scalar_bytes(leaf->scalar));
        }
    return elements;
}

ms_exit ms_npy_decode(const char *path, const ms_bytes *image, const msw_type_info *type, unsigned char **elements, uint64_t *count)
{
    npy_header header;
    if (!find_header(image, &header))
        return ms_complain(MS_EXIT_FAILED, "%s: not a complete .npy file; save it with numpy.save, or name a raw file otherwise", path);
    ms_dtype dtype;
    if (!ms_dtype_parse(header.text, header.text_bytes, &dtype)) return mismatch(path, type, header.text, header.text_bytes);
    uint64_t offsets[MS_DTYPE_FIELDS];
    if (!match(type, &dtype, offsets)) return mismatch(path, type, dtype.text, dtype.text_bytes);
    const uint64_t data_bytes = image->count - header.data_offset;
    if (dtype.count > UINT64_MAX / dtype.bytes || data_bytes != dtype.count * dtype.bytes)
        return ms_complain(MS_EXIT_FAILED, "%s: %llu bytes of data do not fill its shape of %llu elements of %llu bytes; save it again", path,
                           (unsigned long long)data_bytes, (unsigned long long)dtype.count, (unsigned long long)dtype.bytes);
    *count = dtype.count;
    *elements = gather(type, &dtype, offsets, image->data + header.data_offset, dtype.count);
    return *elements ? MS_EXIT_DONE : ms_complain(MS_EXIT_FAILED, "%s: too large for this machine's memory; split it", path);
}

/* ---- writing ---- */

char *ms_npy_header(const msw_type_info *type, uint64_t n, size_t *bytes)
{
    char *dtype = ms_dtype_text(type), *text = NULL;
    size_t length = 0;
    FILE *stream = dtype ? open_memstream(&text, &length) : NULL;
    if (stream) {
        const uint32_t components = ms_dtype_components(type);
        fprintf(stream, "%.*s{'descr': %s, 'fortran_order': False, 'shape': (%llu,", MAGIC_BYTES + 2, "          ", dtype, (unsigned long long)n);
        if (components) fprintf(stream, " %u", components);
        fprintf(stream, "), }");
        while (!ferror(stream) && (ftell(stream) + 1) % HEADER_ALIGNMENT) putc(' ', stream);
        putc('\n', stream);
        if (fclose(stream)) length = 0;
    }
    free(dtype);
    const size_t dictionary = length - (MAGIC_BYTES + 2);
    if (!text || !length || dictionary > 65535) {
        free(text);
        return NULL;
    }
    memcpy(text, "\x93NUMPY\x01\x00", MAGIC_BYTES);
    text[8] = (char)(unsigned char)(dictionary & 255);
    text[9] = (char)(unsigned char)(dictionary >> 8);
    *bytes = length;
    return text;
}
