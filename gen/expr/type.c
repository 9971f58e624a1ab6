#include "type.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SCALAR_COUNT = MSW_F64 + 1 };

#define SCALAR(scalar, name, bytes)                                                               \
    {                                                                                             \
        MS_TYPE_SCALAR, {name, bytes, bytes, 1, &scalar_leaves[scalar]}, scalar, 0, NULL, 0, NULL \
    }

static const msw_leaf scalar_leaves[SCALAR_COUNT] = {
    {"", MSW_BOOL, 0, 0}, {"", MSW_U8, 0, 0},  {"", MSW_I8, 0, 0},  {"", MSW_U16, 0, 0}, {"", MSW_I16, 0, 0}, {"", MSW_U32, 0, 0},
    {"", MSW_I32, 0, 0},  {"", MSW_U64, 0, 0}, {"", MSW_I64, 0, 0}, {"", MSW_F16, 0, 0}, {"", MSW_F32, 0, 0}, {"", MSW_F64, 0, 0},
};

static const ms_type scalar_types[SCALAR_COUNT] = {
    SCALAR(MSW_BOOL, "bool", 1), SCALAR(MSW_U8, "u8", 1),   SCALAR(MSW_I8, "i8", 1),   SCALAR(MSW_U16, "u16", 2),
    SCALAR(MSW_I16, "i16", 2),   SCALAR(MSW_U32, "u32", 4), SCALAR(MSW_I32, "i32", 4), SCALAR(MSW_U64, "u64", 8),
    SCALAR(MSW_I64, "i64", 8),   SCALAR(MSW_F16, "f16", 2), SCALAR(MSW_F32, "f32", 4), SCALAR(MSW_F64, "f64", 8),
};

const ms_type *ms_type_scalar(msw_scalar scalar) { return &scalar_types[scalar]; }
const char *ms_scalar_name(msw_scalar scalar) { return scalar_types[scalar].info.name; }
uint32_t ms_scalar_bytes(msw_scalar scalar) { return scalar_types[scalar].info.size_bytes; }
int ms_scalar_is_float(msw_scalar scalar) { return scalar >= MSW_F16; }
int ms_scalar_is_integer(msw_scalar scalar) { return scalar >= MSW_U8 && scalar <= MSW_I64; }
int ms_scalar_is_signed(msw_scalar scalar) { return scalar == MSW_I8 || scalar == MSW_I16 || scalar == MSW_I32 || scalar == MSW_I64; }

/* ---- composite types ---- */

static const ms_type nothing = {.kind = MS_TYPE_STRUCT, .info = {.name = "nothing", .alignment_bytes = 1}};

const ms_type *ms_type_nothing(void) { return &nothing; }

static uint32_t align_up(uint32_t offset, uint32_t alignment) { return (offset + alignment - 1) / alignment * alignment; }

const ms_type *ms_type_vec(ms_arena *arena, const ms_type *element, uint32_t length, char error[256])
{
    static const char *const paths[4] = {"x", "y", "z", "w"};
    error[0] = '\0';
    if (element->kind != MS_TYPE_SCALAR || element->scalar == MSW_BOOL) {
        snprintf(error, 256, "vec(%s, %u): the components of a vec are numbers such as f32; use a struct for anything else", element->info.name,
                 length);
        return NULL;
    }
    if (length < 2 || length > 4) {
        snprintf(error, 256, "vec(%s, %u): a vec has 2, 3 or 4 components", element->info.name, length);
        return NULL;
    }
    ms_type *type = ms_arena_alloc(arena, sizeof *type);
    msw_leaf *leaves = ms_arena_alloc(arena, length * sizeof *leaves);
    const char *name = ms_arena_format(arena, "vec(%s, %u)", element->info.name, length);
    if (!type || !leaves || !name) return NULL;
    for (uint32_t i = 0; i < length; i++) leaves[i] = (msw_leaf){paths[i], element->scalar, i * element->info.size_bytes, length};
    type->kind = MS_TYPE_VEC;
    type->info = (msw_type_info){name, length * element->info.size_bytes, element->info.alignment_bytes, length, leaves};
    type->scalar = element->scalar;
    type->vec_length = length;
    type->element = element;
    return type;
}

int ms_is_identifier(const char *name)
{
    static const char characters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    const int starts_with_digit = name[0] >= '0' && name[0] <= '9';
    const size_t length = strspn(name, characters);
    return name[0] && !starts_with_digit && name[length] == '\0' && length <= MS_MAX_NAME;
}

static int too_large(const char *name, char error[256])
{
    snprintf(error, 256, "struct \"%.64s\": larger than %d bytes, the most an element can have; split it, or keep an index instead", name,
             MS_MAX_ELEMENT_BYTES);
    return 0;
}

/* 1 when the names and types can make a struct; else `error` says why not. */
static int check_fields(const char *name, const ms_field *fields, uint32_t field_count, char error[256])
{
    if (!ms_is_identifier(name))
        return snprintf(error, 256, "struct \"%.64s\": the name must be an identifier; use letters, digits and _, at most 64", name), 0;
    if (field_count > MS_MAX_ELEMENT_BYTES) return too_large(name, error);
    if (field_count == 0) return snprintf(error, 256, "struct \"%.64s\": it needs at least one field; write { { \"a\", f32 }, .. }", name), 0;
    for (uint32_t i = 0; i < field_count; i++) {
        if (!ms_is_identifier(fields[i].name))
            return snprintf(error, 256, "struct \"%.64s\": field name '%.64s' must be an identifier; use letters, digits and _, at most 64", name,
                            fields[i].name),
                   0;
        if (fields[i].type->info.leaves[0].scalar == MSW_BOOL)
            return snprintf(error, 256, "struct \"%.64s\": field '%.64s' is a bool, which has no place in memory; use u8 or u32", name,
                            fields[i].name),
                   0;
        for (uint32_t j = 0; j < i; j++)
            if (!strcmp(fields[i].name, fields[j].name))
                return snprintf(error, 256, "struct \"%.64s\": field '%.64s' appears twice; rename one", name, fields[i].name), 0;
    }
    return 1;
}

/* Offsets, size, alignment and the number of leaves; 0 when the element gets too large. */
static int lay_out(ms_field *fields, uint32_t field_count, msw_type_info *info)
{
    uint32_t end = 0;
    info->alignment_bytes = 1;
    for (uint32_t i = 0; i < field_count; i++) {
        const msw_type_info *field = &fields[i].type->info;
        fields[i].offset_bytes = align_up(end, field->alignment_bytes);
        end = fields[i].offset_bytes + field->size_bytes;
        if (end > MS_MAX_ELEMENT_BYTES) return 0;
        if (field->alignment_bytes > info->alignment_bytes) info->alignment_bytes = field->alignment_bytes;
        info->leaf_count += field->leaf_count;
    }
    info->size_bytes = align_up(end, info->alignment_bytes);
    return info->size_bytes <= MS_MAX_ELEMENT_BYTES;
}

static msw_leaf *flatten(ms_arena *arena, const ms_field *fields, uint32_t field_count, uint32_t leaf_count)
{
    msw_leaf *leaves = ms_arena_alloc(arena, leaf_count * sizeof *leaves), *next = leaves;
    if (!leaves) return NULL;
    for (uint32_t i = 0; i < field_count; i++) {
        const msw_type_info *field = &fields[i].type->info;
        for (uint32_t k = 0; k < field->leaf_count; k++, next++) {
            const msw_leaf *leaf = &field->leaves[k];
            next->path = leaf->path[0] ? ms_arena_format(arena, "%s.%s", fields[i].name, leaf->path) : fields[i].name;
            next->scalar = leaf->scalar;
            next->vec_length = leaf->vec_length;
            next->offset_bytes = fields[i].offset_bytes + leaf->offset_bytes;
            if (!next->path) return NULL;
        }
    }
    return leaves;
}

const ms_type *ms_type_struct(ms_arena *arena, const char *name, const ms_field *fields, uint32_t field_count, char error[256])
{
    error[0] = '\0';
    if (!check_fields(name, fields, field_count, error)) return NULL;
    ms_type *type = ms_arena_alloc(arena, sizeof *type);
    ms_field *own = ms_arena_alloc(arena, field_count * sizeof *own);
    if (!type || !own) return NULL;
    for (uint32_t i = 0; i < field_count; i++) {
        own[i] = (ms_field){ms_arena_strdup(arena, fields[i].name), fields[i].type, 0};
        if (!own[i].name) return NULL;
    }
    if (!lay_out(own, field_count, &type->info)) {
        too_large(name, error);
        return NULL;
    }
    type->kind = MS_TYPE_STRUCT;
    type->info.name = ms_arena_strdup(arena, name);
    type->info.leaves = flatten(arena, own, field_count, type->info.leaf_count);
    type->field_count = field_count;
    type->fields = own;
    return type->info.name && type->info.leaves ? type : NULL;
}

int ms_type_equal(const ms_type *a, const ms_type *b)
{
    if (a == b) return 1;
    if (a->kind != b->kind) return 0;
    if (a->kind == MS_TYPE_SCALAR) return a->scalar == b->scalar;
    if (a->kind == MS_TYPE_VEC) return a->scalar == b->scalar && a->vec_length == b->vec_length;
    if (strcmp(a->info.name, b->info.name) || a->field_count != b->field_count) return 0;
    for (uint32_t i = 0; i < a->field_count; i++)
        if (strcmp(a->fields[i].name, b->fields[i].name) || !ms_type_equal(a->fields[i].type, b->fields[i].type)) return 0;
    return 1;
}

uint32_t ms_register_words(const ms_type *type)
{
    uint32_t words = 0;
    for (uint32_t i = 0; i < type->info.leaf_count; i++) {
        const uint32_t bytes = ms_scalar_bytes(type->info.leaves[i].scalar);
        words += bytes > 4 ? bytes / 4 : 1;
    }
    return words;
}

int ms_type_has_padding(const ms_type *type)
{
    uint32_t used_bytes = 0;
    for (uint32_t i = 0; i < type->info.leaf_count; i++) used_bytes += ms_scalar_bytes(type->info.leaves[i].scalar);
    return used_bytes != type->info.size_bytes;
}

int ms_type_has_words(const ms_type *type)
{
    int has_words = ms_type_has_padding(type);
    for (uint32_t l = 0; l < type->info.leaf_count; l++) has_words |= ms_scalar_bytes(type->info.leaves[l].scalar) < 4;
    return has_words;
}

/* ---- scalars as 64 raw bits ---- */

uint64_t ms_scalar_load(msw_scalar scalar, const void *memory)
{
    const unsigned char *bytes = memory;
    uint64_t bits = 0;
    for (uint32_t i = ms_scalar_bytes(scalar); i-- > 0;) bits = bits << 8 | bytes[i];
    switch (scalar) {
    case MSW_I8: return (uint64_t)(int8_t)bits;
    case MSW_I16: return (uint64_t)(int16_t)bits;
    case MSW_I32: return (uint64_t)(int32_t)bits;
    default: return bits;
    }
}

void ms_scalar_store(msw_scalar scalar, void *memory, uint64_t bits)
{
    unsigned char *bytes = memory;
    for (uint32_t i = 0; i < ms_scalar_bytes(scalar); i++, bits >>= 8) bytes[i] = (unsigned char)bits;
}

static double half_to_double(uint64_t bits)
{
    const uint64_t exponent = bits >> 10 & 31, fraction = bits & 1023;
    const uint64_t widened = exponent == 31 ? 2047 : exponent + 1023 - 15; /* a NaN keeps its payload, in the top bits */
    const uint64_t image = widened << 52 | fraction << 42;
    double magnitude = (double)fraction * 0x1p-24; /* subnormals and zero */
    if (exponent) memcpy(&magnitude, &image, 8);
    return bits & 0x8000 ? -magnitude : magnitude;
}

/* One rounding, to nearest even. */
static uint64_t double_to_half(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    const uint64_t sign = bits >> 48 & 0x8000, magnitude = bits & 0x7fffffffffffffffu;
    if (magnitude > 0x7ff0000000000000u) return sign | 0x7e00 | (magnitude >> 42 & 1023);
    const double absolute = fabs(value);
    if (absolute >= 65520) return sign | 0x7c00;
    /* Subnormals and zero: adding 2^28 leaves the multiple of 2^-24 in the fraction, rounded by the addition. */
    if (absolute < 0x1p-14) {
        const double shifted = absolute + 0x1p28;
        memcpy(&bits, &shifted, 8);
        return sign | (bits & 0x7ff);
    }
    const uint64_t lowest_kept = magnitude >> 42 & 1;
    const uint64_t rounded = magnitude + 0x1ffffffffffu + lowest_kept;
    return sign | ((rounded >> 42) - ((uint64_t)(1023 - 15) << 10));
}

double ms_scalar_to_double(msw_scalar scalar, uint64_t bits)
{
    float narrow;
    double wide;
    const uint32_t low = (uint32_t)bits;
    switch (scalar) {
    case MSW_F16: return half_to_double(bits);
    case MSW_F32: memcpy(&narrow, &low, 4); return (double)narrow;
    case MSW_F64: memcpy(&wide, &bits, 8); return wide;
    default: return ms_scalar_is_signed(scalar) ? (double)(int64_t)bits : (double)bits;
    }
}

static uint64_t saturate(msw_scalar scalar, double value)
{
    const uint32_t width = 8 * ms_scalar_bytes(scalar);
    const int is_signed = ms_scalar_is_signed(scalar);
    const double end = ldexp(1, (int)width - is_signed); /* first value above the range */
    if (isnan(value)) return 0;
    if (value >= end) return is_signed ? UINT64_MAX >> (65 - width) : UINT64_MAX >> (64 - width);
    if (!is_signed) return value <= 0 ? 0 : (uint64_t)value;
    return value <= -end ? UINT64_MAX << (width - 1) : (uint64_t)(int64_t)value;
}

uint64_t ms_scalar_from_double(msw_scalar scalar, double value)
{
    const float narrow = (float)value;
    uint32_t low;
    uint64_t bits;
    switch (scalar) {
    case MSW_F16: return double_to_half(value);
    case MSW_F32: memcpy(&low, &narrow, 4); return low;
    case MSW_F64: memcpy(&bits, &value, 8); return bits;
    case MSW_BOOL: return value != 0;
    default: return saturate(scalar, value);
    }
}
