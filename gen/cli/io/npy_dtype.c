#include "npy_dtype.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *code;
    uint32_t bytes;
} codes[] = {
    [MSW_BOOL] = {"|b1", 1}, [MSW_U8] = {"|u1", 1},  [MSW_I8] = {"|i1", 1},  [MSW_U16] = {"<u2", 2}, [MSW_I16] = {"<i2", 2}, [MSW_U32] = {"<u4", 4},
    [MSW_I32] = {"<i4", 4},  [MSW_U64] = {"<u8", 8}, [MSW_I64] = {"<i8", 8}, [MSW_F16] = {"<f2", 2}, [MSW_F32] = {"<f4", 4}, [MSW_F64] = {"<f8", 8},
};
enum { CODE_COUNT = sizeof codes / sizeof codes[0], MAX_DEPTH = 8, MAX_RECORD_BYTES = 1 << 20 };

uint32_t ms_dtype_scalar_bytes(msw_scalar scalar) { return codes[scalar].bytes; }

uint32_t ms_dtype_components(const msw_type_info *type)
{
    return strlen(type->leaves[0].path) == 1 ? type->leaves[0].vec_length : 0; /* "x"; a field's would be "f.x" */
}

int ms_dtype_same_path(const char *leaf, const char *path)
{
    for (; *leaf; leaf++, path++)
        if (*leaf != *path && !(*leaf == '.' && *path == '_')) return 0;
    return *path == '\0';
}

/* ---- writing ---- */

/* Writes the fields whose names begin after `depth` characters of the leaves' paths: leaves [first, end), from byte `at` of the element
 * to `until` (0: to wherever the last leaf ends). */
static void write_fields(FILE *out, const msw_leaf *leaves, uint32_t first, uint32_t end, size_t depth, uint32_t at, uint32_t until)
{
    const char *separator = "[";
    while (first < end) {
        const msw_leaf *leaf = &leaves[first];
        const char *name = leaf->path + depth;
        const size_t length = strcspn(name, ".");
        uint32_t next = first + 1;
        while (next < end && !strncmp(leaves[next].path + depth, name, length) && leaves[next].path[depth + length] == '.') next++;
        if (leaf->offset_bytes > at) {
            fprintf(out, "%s('', '|V%u')", separator, leaf->offset_bytes - at);
            separator = ", ";
        }
        fprintf(out, "%s('%.*s', ", separator, (int)length, name);
        separator = ", ";
        if (!name[length]) fprintf(out, "'%s'", codes[leaf->scalar].code);
        else if (leaf->vec_length && !name[length + 2]) fprintf(out, "'%s', (%u,)", codes[leaf->scalar].code, leaf->vec_length);
        else write_fields(out, leaves, first, next, depth + length + 1, leaf->offset_bytes, 0);
        fprintf(out, ")");
        at = leaves[next - 1].offset_bytes + codes[leaves[next - 1].scalar].bytes;
        first = next;
    }
    if (until > at) fprintf(out, "%s('', '|V%u')", separator, until - at);
    fprintf(out, "]");
}

char *ms_dtype_text(const msw_type_info *type)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out) return NULL;
    if (!type->leaves[0].path[0] || ms_dtype_components(type)) fprintf(out, "'%s'", codes[type->leaves[0].scalar].code);
    else write_fields(out, type->leaves, 0, type->leaf_count, 0, 0, type->size_bytes);
    const int failed = ferror(out);
    if (!fclose(out) && !failed) return text;
    free(text);
    return NULL;
}

/* ---- parsing Python literals ---- */

typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_space(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t')) c->at++;
}

static int accept(cursor *c, char wanted)
{
    skip_space(c);
    if (c->at == c->end || *c->at != wanted) return 0;
    c->at++;
    return 1;
}

/* 'text' or "text", without escapes. */
static int parse_string(cursor *c, const char **text, size_t *bytes)
{
    char quote = '\'';
    if (!accept(c, quote) && !accept(c, quote = '"')) return 0;
    *text = c->at;
    while (c->at < c->end && *c->at != quote && *c->at != '\\') c->at++;
    *bytes = (size_t)(c->at - *text);
    return accept(c, quote);
}

static int parse_number(cursor *c, uint64_t *number)
{
    skip_space(c);
    const char *start = c->at;
    for (*number = 0; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        const uint64_t digit = (uint64_t)(*c->at - '0');
        if (*number > (UINT64_MAX - digit) / 10) return 0;
        *number = *number * 10 + digit;
    }
    return c->at > start;
}

/* (), (a,), (a, b) ..: at most MS_DTYPE_DIMENSIONS numbers. (a) is a number in parentheses. */
static int parse_tuple(cursor *c, uint64_t shape[MS_DTYPE_DIMENSIONS], uint32_t *dimensions)
{
    *dimensions = 0;
    if (!accept(c, '(')) return 0;
    while (!accept(c, ')')) {
        if (*dimensions == MS_DTYPE_DIMENSIONS || !parse_number(c, &shape[*dimensions])) return 0;
        ++*dimensions;
        if (!accept(c, ',')) return *dimensions > 1 && accept(c, ')');
    }
    return 1;
}

/* The shape of a field, where a lone number is (a,). */
static int parse_shape(cursor *c, uint64_t shape[MS_DTYPE_DIMENSIONS], uint32_t *dimensions)
{
    cursor number = *c;
    if (!parse_number(&number, &shape[0])) return parse_tuple(c, shape, dimensions);
    *dimensions = 1;
    *c = number;
    return 1;
}

/* ---- parsing dtypes: each reads one description that lies at `offset` under `path`, appends its fields and gives its size ---- */

static int parse_dtype(cursor *c, ms_dtype *dtype, const char *path, uint64_t offset, int depth, uint64_t *bytes);

static int parse_code(cursor *c, ms_dtype *dtype, const char *path, uint64_t offset, uint64_t *bytes)
{
    const char *code;
    size_t length;
    if (!parse_string(c, &code, &length) || length < 2) return 0;
    const int order = strchr("<>|=", code[0]) ? *code++ : '<';
    cursor size = {code + 1, c->at - 1};
    if (!parse_number(&size, bytes) || size.at != size.end || *bytes > MAX_RECORD_BYTES) return 0;
    if (code[0] == 'V') return 1;                               /* padding */
    if ((order == '>' || order == '|') && *bytes > 1) return 0; /* '|': no byte order */
    for (uint32_t i = MSW_U8; i < CODE_COUNT; i++) {
        const int is_flag = i == MSW_U8 && code[0] == codes[MSW_BOOL].code[1]; /* NumPy's bool is 0 or 1 */
        if ((codes[i].code[1] != code[0] && !is_flag) || codes[i].bytes != *bytes) continue;
        if (dtype->field_count == MS_DTYPE_FIELDS) return 0;
        ms_dtype_field *field = &dtype->fields[dtype->field_count++];
        snprintf(field->path, sizeof field->path, "%s", path);
        field->scalar = (msw_scalar)i;
        field->offset = offset;
        return 1;
    }
    return 0;
}

/* The fields from `first` on are one description of `bytes` bytes: repeats them as a sub-array's shape says. Scalars only. */
static int repeat(ms_dtype *dtype, uint32_t first, const uint64_t *shape, uint32_t dimensions, uint64_t *bytes)
{
    const uint64_t length = dimensions ? shape[0] : 1;
    if (dimensions == 0 || (dimensions == 1 && length == 1)) return 1;
    if (dtype->field_count == first && dimensions == 1 && length <= MAX_RECORD_BYTES) return *bytes *= length, 1; /* padding */
    if (dimensions != 1 || length < 2 || length > 4 || dtype->field_count != first + 1 || first + length > MS_DTYPE_FIELDS) return 0;
    const ms_dtype_field scalar = dtype->fields[first];
    const size_t path_bytes = strlen(scalar.path);
    if (path_bytes + 3 > MS_DTYPE_PATH_BYTES) return 0;
    for (uint32_t i = 0; i < length; i++) {
        ms_dtype_field *field = &dtype->fields[first + i];
        *field = scalar;
        field->offset += i * *bytes;
        snprintf(field->path + path_bytes, 3, "%s%c", path_bytes ? "." : "", "xyzw"[i]);
    }
    dtype->field_count = first + (uint32_t)length;
    *bytes *= length;
    return 1;
}

static int join_path(char joined[MS_DTYPE_PATH_BYTES], const char *path, const char *name, size_t name_bytes)
{
    const int length =
        snprintf(joined, MS_DTYPE_PATH_BYTES, "%s%s%.*s", path, path[0] ? "." : "", (int)(name_bytes < 1024 ? name_bytes : 1024), name);
    return length >= 0 && length < MS_DTYPE_PATH_BYTES;
}

/* [('name', description), ('name', description, shape), ..] */
static int parse_list(cursor *c, ms_dtype *dtype, const char *path, uint64_t offset, int depth, uint64_t *bytes)
{
    *bytes = 0;
    while (!accept(c, ']')) {
        const char *name;
        char joined[MS_DTYPE_PATH_BYTES];
        size_t name_bytes;
        uint64_t field_bytes, shape[MS_DTYPE_DIMENSIONS];
        uint32_t dimensions = 0;
        const uint32_t first = dtype->field_count;
        if (!accept(c, '(') || !parse_string(c, &name, &name_bytes) || !accept(c, ',') || !join_path(joined, path, name, name_bytes)) return 0;
        if (!parse_dtype(c, dtype, joined, offset + *bytes, depth, &field_bytes)) return 0;
        if (accept(c, ',') && !parse_shape(c, shape, &dimensions)) return 0;
        if (!accept(c, ')') || !repeat(dtype, first, shape, dimensions, &field_bytes)) return 0;
        *bytes += field_bytes;
        if (*bytes > MAX_RECORD_BYTES) return 0;
        if (!accept(c, ',')) return accept(c, ']');
    }
    return 1;
}

/* ('<f4', (3,)) */
static int parse_subarray(cursor *c, ms_dtype *dtype, const char *path, uint64_t offset, int depth, uint64_t *bytes)
{
    uint64_t shape[MS_DTYPE_DIMENSIONS];
    uint32_t dimensions;
    const uint32_t first = dtype->field_count;
    return parse_dtype(c, dtype, path, offset, depth, bytes) && accept(c, ',') && parse_shape(c, shape, &dimensions) && accept(c, ')') &&
           repeat(dtype, first, shape, dimensions, bytes);
}

/* Moves past a literal, balanced brackets included. */
static int skip_literal(cursor *c)
{
    const char *text;
    size_t bytes;
    int open = 0;
    do {
        skip_space(c);
        if (c->at == c->end) return 0;
        if (*c->at == '\'' || *c->at == '"') {
            if (!parse_string(c, &text, &bytes)) return 0;
            continue;
        }
        open += strchr("([{", *c->at) ? 1 : strchr(")]}", *c->at) ? -1 : 0;
        c->at++;
    } while (open > 0 || (c->at < c->end && !strchr(",)]} :", *c->at)));
    return open == 0;
}

/* The value of `key` in the dictionary that begins at `c` (after its brace); 0 when there is none. */
static int find_key(cursor c, const char *key, cursor *value)
{
    while (!accept(&c, '}')) {
        const char *name;
        size_t bytes;
        if (!parse_string(&c, &name, &bytes) || !accept(&c, ':')) return 0;
        skip_space(&c);
        *value = c;
        if (!skip_literal(&c)) return 0;
        value->end = c.at;
        if (bytes == strlen(key) && !memcmp(name, key, bytes)) return 1;
        if (!accept(&c, ',')) return 0;
    }
    return 0;
}

/* {'names': [..], 'formats': [..], 'offsets': [..], 'itemsize': n} */
static int parse_offsets(cursor *c, ms_dtype *dtype, const char *path, uint64_t offset, int depth, uint64_t *bytes)
{
    cursor names, formats, offsets, itemsize;
    if (!find_key(*c, "names", &names) || !find_key(*c, "formats", &formats) || !find_key(*c, "offsets", &offsets) ||
        !find_key(*c, "itemsize", &itemsize))
        return 0;
    if (!accept(&names, '[') || !accept(&formats, '[') || !accept(&offsets, '[') || !parse_number(&itemsize, bytes) || *bytes > MAX_RECORD_BYTES)
        return 0;
    while (!accept(&names, ']')) {
        const char *name;
        char joined[MS_DTYPE_PATH_BYTES];
        size_t name_bytes;
        uint64_t field_offset, field_bytes;
        if (!parse_string(&names, &name, &name_bytes) || !join_path(joined, path, name, name_bytes) || !parse_number(&offsets, &field_offset))
            return 0;
        if (!parse_dtype(&formats, dtype, joined, offset + field_offset, depth, &field_bytes)) return 0;
        if (field_offset > *bytes || field_bytes > *bytes - field_offset) return 0;
        accept(&names, ',');
        accept(&formats, ',');
        accept(&offsets, ',');
    }
    c->at--; /* the brace again */
    return skip_literal(c);
}

static int parse_dtype(cursor *c, ms_dtype *dtype, const char *path, uint64_t offset, int depth, uint64_t *bytes)
{
    if (depth == MAX_DEPTH) return 0;
    if (accept(c, '[')) return parse_list(c, dtype, path, offset, depth + 1, bytes);
    if (accept(c, '(')) return parse_subarray(c, dtype, path, offset, depth + 1, bytes);
    if (accept(c, '{')) return parse_offsets(c, dtype, path, offset, depth + 1, bytes);
    return parse_code(c, dtype, path, offset, bytes);
}

/* ---- the dictionary ---- */

static int is_word(const cursor *c, const char *word) { return (size_t)(c->end - c->at) == strlen(word) && !memcmp(c->at, word, strlen(word)); }

/* Whether it is one of the keys that a header has once, and among those seen. */
static int is_repeated(const char *key, size_t bytes, uint32_t *seen)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    uint32_t bit = 0;
    for (uint32_t k = 0; k < 3; k++)
        if (bytes == strlen(keys[k]) && !memcmp(key, keys[k], bytes)) bit = 1u << k;
    const int is_seen = (*seen & bit) != 0;
    *seen |= bit;
    return is_seen;
}

int ms_dtype_is_header(const char *text, size_t bytes)
{
    cursor c = {text, text + bytes}, value, shape, order;
    const char *key;
    size_t key_bytes;
    uint64_t numbers[MS_DTYPE_DIMENSIONS];
    uint32_t dimensions, seen = 0;
    if (!accept(&c, '{') || !find_key(c, "descr", &value) || !find_key(c, "fortran_order", &order) || !find_key(c, "shape", &shape)) return 0;
    if (!is_word(&order, "True") && !is_word(&order, "False")) return 0;
    if (!parse_tuple(&shape, numbers, &dimensions) || shape.at != shape.end) return 0;
    for (int is_last = 0; !accept(&c, '}'); is_last = !accept(&c, ',')) {
        if (is_last || !parse_string(&c, &key, &key_bytes) || !accept(&c, ':') || !skip_literal(&c)) return 0;
        if (is_repeated(key, key_bytes, &seen)) return 0; /* numpy takes the last, others the first */
    }
    skip_space(&c);
    return c.at == c.end;
}

int ms_dtype_parse(const char *text, size_t bytes, ms_dtype *dtype)
{
    cursor c = {text, text + bytes}, descr, order, shape;
    dtype->field_count = 0;
    if (!accept(&c, '{') || !find_key(c, "descr", &descr) || !find_key(c, "fortran_order", &order) || !find_key(c, "shape", &shape)) return 0;
    dtype->text = descr.at;
    dtype->text_bytes = (size_t)(descr.end - descr.at);
    dtype->is_fortran = is_word(&order, "True");
    if (!dtype->is_fortran && !is_word(&order, "False")) return 0;
    if (!parse_dtype(&descr, dtype, "", 0, 0, &dtype->bytes) || descr.at != descr.end || dtype->bytes == 0) return 0;
    return parse_tuple(&shape, dtype->shape, &dtype->dimensions);
}

void ms_dtype_join_components(ms_dtype *dtype, uint32_t components)
{
    const uint32_t last = dtype->dimensions - 1;
    if (!components || dtype->dimensions < 2 || dtype->shape[last] != components || dtype->field_count != 1 || dtype->fields[0].path[0]) return;
    if (repeat(dtype, 0, &dtype->shape[last], 1, &dtype->bytes)) dtype->dimensions--;
}

int ms_dtype_count(const ms_dtype *dtype, uint64_t *count)
{
    *count = 1;
    for (uint32_t d = 0; d < dtype->dimensions; d++)
        if (!dtype->shape[d]) return *count = 0, 1;
    for (uint32_t d = 0; d < dtype->dimensions; d++) {
        if (*count > UINT64_MAX / dtype->shape[d]) return 0;
        *count *= dtype->shape[d];
    }
    return 1;
}
