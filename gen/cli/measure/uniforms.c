#include "uniforms.h"

#include "cli/io/npy_dtype.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounded to nearest even; beyond the largest: infinite. */
static uint16_t half_of(double value)
{
    const double magnitude = fabs(value);
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    if (isnan(value)) return 0x7e00;
    if (magnitude >= 65520) return sign | 0x7c00;
    const int exponent = magnitude < 0x1p-14 ? -14 : ilogb(magnitude);
    return (uint16_t)(sign | ((uint32_t)(exponent + 14) * 1024 + (uint32_t)nearbyint(ldexp(magnitude, 10 - exponent))));
}

/* A leaf's bits. 0: the text is no number, -1: one that the type does not have. */
static int parse_float(const char *text, msw_scalar scalar, uint64_t *bits)
{
    char *end;
    const double value = strtod(text, &end);
    const float single = (float)value;
    const uint16_t half = half_of(value);
    const double held = scalar == MSW_F16 ? ((half & 0x7c00) == 0x7c00 ? HUGE_VAL : 0) : scalar == MSW_F32 ? (double)single : value;
    const char *digits = text + (*text == '-');
    if (*end || end == text || isspace((unsigned char)*text)) return 0;
    if (isfinite(value) ? isinf(held) : isinf(value) && *digits >= '0' && *digits <= '9') return -1;
    *bits = 0;
    memcpy(bits,
           scalar == MSW_F16   ? (const void *)&half
           : scalar == MSW_F32 ? (const void *)&single
                               : (const void *)&value,
           ms_dtype_scalar_bytes(scalar));
    return 1;
}

static int parse_integer(const char *text, msw_scalar scalar, uint64_t *bits)
{
    const int is_negative = *text == '-', is_signed = scalar == MSW_I8 || scalar == MSW_I16 || scalar == MSW_I32 || scalar == MSW_I64;
    const char *digits = text + is_negative;
    const int is_hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    const uint64_t ones = UINT64_MAX >> (64 - 8 * ms_dtype_scalar_bytes(scalar)), largest = is_signed ? ones / 2 : ones;
    char *end;
    if (!(*digits >= '0' && *digits <= '9')) return 0;
    errno = 0;
    const unsigned long long magnitude = strtoull(digits, &end, is_hexadecimal ? 16 : 10);
    if (*end) return 0;
    if (errno || magnitude > (is_negative ? (is_signed ? largest + 1 : 0) : largest)) return -1;
    *bits = is_negative ? 0 - (uint64_t)magnitude : magnitude;
    return 1;
}

static ms_exit complain_of(const char *name, const char *value, const char *why)
{
    return ms_complain(MS_EXIT_USAGE, "--uniform %s=%s: %s", name, value, why);
}

static const char *const scalars[] = {
    [MSW_U8] = "u8",   [MSW_I8] = "i8",   [MSW_U16] = "u16", [MSW_I16] = "i16", [MSW_U32] = "u32", [MSW_I32] = "i32",
    [MSW_U64] = "u64", [MSW_I64] = "i64", [MSW_F16] = "f16", [MSW_F32] = "f32", [MSW_F64] = "f64"};

/* The leaves, in memory order, with commas between. */
static ms_exit parse(const msw_define *given, const msw_type_info *type, unsigned char *element)
{
    char why[300], text[64];
    const char *at = given->value;
    uint32_t count = 1;
    for (const char *c = at; *c; c++) count += *c == ',';
    if (count != type->leaf_count) {
        snprintf(why, sizeof why, "%s takes %u number%s, not %u; write them all, with commas between", type->name, type->leaf_count,
                 type->leaf_count == 1 ? "" : "s", count);
        return complain_of(given->name, given->value, why);
    }
    for (uint32_t l = 0; l < type->leaf_count; l++) {
        const msw_leaf *leaf = &type->leaves[l];
        const size_t length = strcspn(at, ",");
        uint64_t bits;
        snprintf(text, sizeof text, "%.*s", (int)length, at);
        const int found = length >= sizeof text ? 0 : (leaf->scalar >= MSW_F16 ? parse_float : parse_integer)(text, leaf->scalar, &bits);
        snprintf(why, sizeof why, found ? "'%.63s' is out of the range of %s%s%s" : "'%.63s' is no value of %s%s%s; write a number", text,
                 scalars[leaf->scalar], leaf->path[0] ? ", field " : "", leaf->path);
        if (found <= 0) return complain_of(given->name, given->value, why);
        memcpy(element + leaf->offset_bytes, &bits, ms_dtype_scalar_bytes(leaf->scalar));
        at += length + 1;
    }
    return MS_EXIT_DONE;
}

static const msw_define *find(const ms_options *options, const char *name)
{
    for (uint32_t u = 0; u < options->uniform_count; u++)
        if (!strcmp(options->uniforms[u].name, name)) return &options->uniforms[u];
    return NULL;
}

int ms_uniform_is_given(const ms_options *options, const char *name) { return find(options, name) != NULL; }

static int has_uniform(const msw_spec *spec, uint32_t op, const char *name)
{
    msw_op_info info = {.struct_size = sizeof info};
    msw_spec_op(spec, op, &info);
    for (uint32_t b = 0; b < info.buffer_count; b++)
        if (info.buffers[b].role == MSW_ROLE_UNIFORM && !strcmp(info.buffers[b].name, name)) return 1;
    return 0;
}

int ms_counts_segments(const msw_op_info *info, uint32_t b)
{
    for (uint32_t other = 0; other < info->buffer_count; other++)
        if (info->buffers[other].length == MSW_LENGTH_OFFSETS + b) return 1;
    return 0;
}

uint64_t ms_array_elements(const msw_op_info *info, const ms_array *arrays, uint32_t b, uint64_t n)
{
    const int by = msw_given_by(info->buffers[b].length);
    uint64_t given = 0;
    if (by >= 0 && arrays[by].data) memcpy(&given, arrays[by].data, sizeof given);
    return msw_elements_given(info->buffers[b].length, n, given);
}

uint64_t ms_moved_elements(const msw_op_buffer *buffer, uint64_t n, uint64_t elements)
{
    return msw_is_scattered(buffer->length) && n < elements ? n : elements;
}

static ms_exit check_values(const ms_options *options, const msw_spec *spec, uint32_t op, int are_needed)
{
    msw_op_info info = {.struct_size = sizeof info};
    ms_exit code = MS_EXIT_DONE;
    msw_spec_op(spec, op, &info);
    for (uint32_t b = 0; !code && b < info.buffer_count; b++) {
        ms_array array = {0};
        if (info.buffers[b].role != MSW_ROLE_UNIFORM || ((!are_needed || ms_counts_segments(&info, b)) && !find(options, info.buffers[b].name)))
            continue;
        code = ms_uniform_read(options, &info, b, &array);
        free(array.data);
    }
    return code;
}

/* Why a uniform is of no use: `why`. */
static const char *unused(const msw_spec *spec, uint32_t first, uint32_t end, const char *name, char why[200])
{
    const uint32_t count = msw_spec_op_count(spec);
    msw_op_info info = {.struct_size = sizeof info};
    uint32_t op = 0;
    while (op < count && !has_uniform(spec, op, name)) op++;
    msw_spec_op(spec, first, &info);
    if (op < count && end == first + 1) snprintf(why, 200, "%.64s does not use this uniform, others in the file do; leave it out", info.name);
    else snprintf(why, 200, "no operation here uses a uniform of that name; check it");
    return why;
}

ms_exit ms_uniforms_check(const ms_options *options, const msw_spec *spec, uint32_t first, uint32_t end, int are_needed)
{
    ms_exit code = MS_EXIT_DONE;
    char why[200];
    for (uint32_t u = 0; u < options->uniform_count; u++) {
        const msw_define *given = &options->uniforms[u];
        uint32_t op = first;
        while (op < end && !has_uniform(spec, op, given->name)) op++;
        if (op == end) return complain_of(given->name, given->value, unused(spec, first, end, given->name, why));
        if (find(options, given->name) != given) return ms_complain(MS_EXIT_USAGE, "--uniform %s: given twice; leave one out", given->name);
    }
    for (uint32_t op = first; !code && op < end; op++) code = check_values(options, spec, op, are_needed);
    return code;
}

ms_exit ms_uniform_read(const ms_options *options, const msw_op_info *info, uint32_t b, ms_array *array)
{
    const msw_op_buffer *buffer = &info->buffers[b];
    const msw_define *given = find(options, buffer->name);
    if (!given)
        return ms_complain(MS_EXIT_USAGE, "%s needs the uniform '%s', %s; add --uniform %s=VALUE", info->name, buffer->name, buffer->type.name,
                           buffer->name);
    const ms_exit code = ms_array_make(buffer->name, &buffer->type, 1, array);
    return code ? code : parse(given, &buffer->type, array->data);
}
