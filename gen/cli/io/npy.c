#include "npy.h"
#include "npy_dtype.h"

#include <stdlib.h>
#include <string.h>

enum { MAGIC_BYTES = 8, HEADER_ALIGNMENT = 64 };

/* ---- reading ---- */

typedef struct npy_header {
    const char *text; /* the dictionary */
    size_t text_bytes;
    size_t data_offset;
} npy_header;

int ms_npy_begins(const ms_bytes *head)
{
    const unsigned char *b = head->data;
    return head->count >= 6 && !memcmp(b, "\x93NUMPY", 6) && (head->count == 6 || (b[6] >= 1 && b[6] <= 3));
}

static int find_header(const ms_bytes *image, npy_header *header)
{
    const unsigned char *b = image->data;
    if (!ms_npy_begins(image) || image->count < MAGIC_BYTES + 4) return 0;
    const size_t prefix = b[6] == 1 ? MAGIC_BYTES + 2 : MAGIC_BYTES + 4;
    header->text_bytes = b[8] | (size_t)b[9] << 8;
    if (b[6] > 1) header->text_bytes |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    header->text = (const char *)b + prefix;
    header->data_offset = prefix + header->text_bytes;
    return header->data_offset <= image->count;
}

enum { SHOWN_BYTES = 400 };

/* The part of a header's text that a message shows: its first line, without what a terminal would take for commands. */
static void show(char shown[SHOWN_BYTES + 1], const char *what, size_t what_bytes)
{
    const char *newline = memchr(what, '\n', what_bytes);
    if (newline) what_bytes = (size_t)(newline - what);
    if (what_bytes > SHOWN_BYTES) what_bytes = SHOWN_BYTES;
    while (what_bytes && what[what_bytes - 1] == ' ') what_bytes--; /* a header is padded */
    for (size_t i = 0; i < what_bytes; i++) {
        shown[i] = what[i];
        if (shown[i] >= 0 && (shown[i] < ' ' || shown[i] == 127)) shown[i] = '?';
    }
    shown[what_bytes] = '\0';
}

/* The dtype and shape that elements of a type have, for messages. */
static ms_exit mismatch(const char *path, const msw_type_info *type, const char *what, size_t what_bytes, const char *why)
{
    char shown[SHOWN_BYTES + 1];
    char *expected = ms_dtype_text(type);
    const uint32_t components = ms_dtype_components(type);
    char shape[32] = "(n,)";
    if (components) snprintf(shape, sizeof shape, "(n, %u)", components);
    show(shown, what, what_bytes);
    const int is_scalar = type->leaf_count == 1 && !type->leaves[0].path[0];
    char advice[64] = "";
    if (is_scalar && expected && !why) snprintf(advice, sizeof advice, "; save x.astype(%.20s)", expected);
    ms_complain(MS_EXIT_FAILED, "%s: %s %s%s; expected descr %s, C order, shape %s%s", path, shown, why ? why : "does not hold elements of type ",
                why ? "" : type->name, expected ? expected : type->name, shape, advice);
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

/* A file as elements of a type: how its records lie, and how many there are. */
typedef struct npy_view {
    npy_header header;
    ms_dtype dtype;
    uint64_t offsets[MS_DTYPE_FIELDS], count;
} npy_view;

/* "(1000, 3)" of the file; the text has room for some dimensions. */
static const char *shape_text(const ms_dtype *dtype, char text[160])
{
    size_t length = (size_t)snprintf(text, 160, "(");
    for (uint32_t d = 0; d < dtype->dimensions && length < 120; d++)
        length += (size_t)snprintf(text + length, 160 - length, "%s%llu", d ? ", " : "", (unsigned long long)dtype->shape[d]);
    snprintf(text + length, 160 - length, length >= 120 ? ", ..)" : dtype->dimensions == 1 ? ",)" : ")");
    return text;
}

/* An operation goes over one dimension; the others' order in the file is that of C, or the elements would change places. */
static ms_exit check_shape(const char *path, const msw_type_info *type, int is_flat, const ms_dtype *dtype)
{
    const uint32_t components = ms_dtype_components(type);
    char given[160], wanted[32] = "(n,)";
    uint64_t count;
    if (components) snprintf(wanted, sizeof wanted, "(n, %u)", components);
    if (dtype->is_fortran)
        return ms_complain(MS_EXIT_FAILED, "%s: it is in Fortran order, expected C order, shape %s; save numpy.ascontiguousarray(x)", path, wanted);
    if (!ms_dtype_count(dtype, &count))
        return ms_complain(MS_EXIT_FAILED, "%s: data do not fill its shape, which has more than 2^64 elements; save it again", path);
    if (dtype->dimensions == 1 || is_flat) return MS_EXIT_DONE;
    return ms_complain(MS_EXIT_FAILED, "%s: it has the shape %s%s, expected shape %s; add --flatten to take all of its %llu elements, in C order",
                       path, shape_text(dtype, given), components ? " of such elements" : "", wanted, (unsigned long long)count);
}

/* The file has the scalars of a vec, in rows of another length, or in none. */
static int has_other_rows(const msw_type_info *type, const ms_dtype *dtype)
{
    return ms_dtype_components(type) && dtype->field_count == 1 && !dtype->fields[0].path[0] && dtype->fields[0].scalar == type->leaves[0].scalar;
}

static ms_exit refuse_rows(const char *path, const msw_type_info *type, const ms_dtype *dtype)
{
    char given[160];
    return ms_complain(MS_EXIT_FAILED, "%s: it has the shape %s, expected shape (n, %u), a row for each %s; save it so", path,
                       shape_text(dtype, given), ms_dtype_components(type), type->name);
}

/* image: the file, or its beginning with the header; file_bytes: all of it. DONE, or a code after a message. */
static ms_exit view(const char *path, const ms_bytes *image, uint64_t file_bytes, const msw_type_info *type, int is_flat, npy_view *v)
{
    ms_dtype *dtype = &v->dtype;
    if (!find_header(image, &v->header))
        return ms_complain(MS_EXIT_FAILED, "%s: not a complete .npy file of version 1 to 3; save it with numpy.save, or name a raw file otherwise",
                           path);
    if (!ms_dtype_is_header(v->header.text, v->header.text_bytes))
        return mismatch(path, type, v->header.text, v->header.text_bytes, "is not what numpy.save writes, or its shape is too large");
    if (!ms_dtype_parse(v->header.text, v->header.text_bytes, dtype)) return mismatch(path, type, v->header.text, v->header.text_bytes, NULL);
    ms_dtype_join_components(dtype, ms_dtype_components(type));
    if (!match(type, dtype, v->offsets))
        return has_other_rows(type, dtype) ? refuse_rows(path, type, dtype) : mismatch(path, type, dtype->text, dtype->text_bytes, NULL);
    const ms_exit code = check_shape(path, type, is_flat, dtype);
    if (code) return code;
    const uint64_t data_bytes = file_bytes - v->header.data_offset;
    if (!ms_dtype_count(dtype, &v->count) || v->count > UINT64_MAX / dtype->bytes || data_bytes != v->count * dtype->bytes)
        return ms_complain(MS_EXIT_FAILED, "%s: %llu bytes of data do not fill its shape of %llu elements of %llu bytes; save it again", path,
                           (unsigned long long)data_bytes, (unsigned long long)v->count, (unsigned long long)dtype->bytes);
    return MS_EXIT_DONE;
}

ms_exit ms_npy_measure(const char *path, const ms_bytes *head, uint64_t file_bytes, const msw_type_info *type, int is_flat, uint64_t *count)
{
    npy_view v;
    const ms_exit code = view(path, head, file_bytes, type, is_flat, &v);
    if (!code) *count = v.count;
    return code;
}

ms_exit ms_npy_decode(const char *path, const ms_bytes *image, const msw_type_info *type, int is_flat, unsigned char **elements, uint64_t *count)
{
    npy_view v;
    const ms_exit code = view(path, image, image->count, type, is_flat, &v);
    if (code) return code;
    *count = v.count;
    *elements = gather(type, &v.dtype, v.offsets, image->data + v.header.data_offset, v.count);
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
