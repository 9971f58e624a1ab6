#include "cli_verify.h"
#include "cli_npy_dtype.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- scalars ---- */

static double half_to_double(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double sign = bits >> 15 ? -1 : 1;
    if (exponent == 31) return fraction ? (double)NAN : sign * (double)INFINITY;
    return exponent ? sign * ldexp(1024 + fraction, exponent - 25) : sign * ldexp(fraction, -24);
}

static int is_float(msw_scalar scalar) { return scalar >= MSW_F16; }

static double load_float(msw_scalar scalar, const void *memory)
{
    uint16_t half;
    float single;
    double number;
    switch (scalar) {
    case MSW_F16: return memcpy(&half, memory, sizeof half), half_to_double(half);
    case MSW_F32: return memcpy(&single, memory, sizeof single), (double)single;
    default: return memcpy(&number, memory, sizeof number), number;
    }
}

static void format_scalar(char text[64], msw_scalar scalar, const unsigned char *memory)
{
    const uint32_t bytes = ms_dtype_scalar_bytes(scalar);
    uint64_t bits = 0;
    for (uint32_t i = bytes; i-- > 0;) bits = bits << 8 | memory[i];
    if (is_float(scalar)) {
        snprintf(text, 64, "%.*g (0x%0*" PRIx64 ")", bytes == 8 ? 17 : 9, load_float(scalar, memory), (int)bytes * 2, bits);
        return;
    }
    const int is_signed = scalar == MSW_I8 || scalar == MSW_I16 || scalar == MSW_I32 || scalar == MSW_I64;
    const uint64_t sign = (uint64_t)1 << (bytes * 8 - 1);
    if (is_signed) snprintf(text, 64, "%" PRId64, (int64_t)((bits ^ sign) - sign));
    else snprintf(text, 64, "%" PRIu64, bits);
}

/* ---- comparison ---- */

/* Equal infinities and any two NaNs agree. */
static int is_near(msw_scalar scalar, const void *got, const void *expected, double tolerance)
{
    const double a = load_float(scalar, got), b = load_float(scalar, expected);
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= tolerance;
}

/* The first leaf that differs; leaf_count: only padding does. */
static uint32_t differing_leaf(const msw_type_info *type, const unsigned char *got, const unsigned char *expected, const double *tolerance)
{
    uint32_t i = 0;
    for (; i < type->leaf_count; i++) {
        const msw_leaf *leaf = &type->leaves[i];
        const unsigned char *a = got + leaf->offset_bytes, *b = expected + leaf->offset_bytes;
        if (!memcmp(a, b, ms_dtype_scalar_bytes(leaf->scalar))) continue;
        if (!tolerance || tolerance[i] == 0 || !is_float(leaf->scalar) || !is_near(leaf->scalar, a, b, tolerance[i])) break;
    }
    return i;
}

static int is_padding_zero(const msw_type_info *type, const unsigned char *element)
{
    unsigned char rest[128];
    if (type->size_bytes > sizeof rest) return 1;
    memcpy(rest, element, type->size_bytes);
    for (uint32_t i = 0; i < type->leaf_count; i++) memset(rest + type->leaves[i].offset_bytes, 0, ms_dtype_scalar_bytes(type->leaves[i].scalar));
    for (uint32_t i = 0; i < type->size_bytes; i++)
        if (rest[i]) return 0;
    return 1;
}

static ms_exit report(const ms_judged *judged, const msw_op_buffer *buffer, uint64_t index, uint32_t leaf_index, const unsigned char *got,
                      const unsigned char *expected, const double *tolerance)
{
    const msw_type_info *type = &buffer->type;
    char got_text[64], expected_text[64], allowed[64] = "";
    if (leaf_index == type->leaf_count)
        return ms_complain(MS_EXIT_FAILED,
                           "verification failed: %s%s%s[%" PRIu64 "]: padding bytes are not zero; this is a bug of monosweep, please report it",
                           judged->name, judged->name[0] ? ": " : "", buffer->name, index);
    const msw_leaf *leaf = &type->leaves[leaf_index];
    format_scalar(got_text, leaf->scalar, got + leaf->offset_bytes);
    format_scalar(expected_text, leaf->scalar, expected + leaf->offset_bytes);
    if (tolerance) snprintf(allowed, sizeof allowed, ", tolerance %.3g", tolerance[leaf_index]);
    return ms_complain(MS_EXIT_FAILED,
                       "verification failed: %s%s%s[%" PRIu64 "]%s%s: got %s, expected %s%s; %s", judged->name, judged->name[0] ? ": " : "",
                       buffer->name, index, leaf->path[0] ? "." : "", leaf->path, got_text, expected_text, allowed, judged->advice);
}

/* The first element that differs, and its leaf; got->count: none does. */
static uint64_t differing_element(const msw_op_buffer *buffer, const ms_array *got, const ms_array *expected, const double *tolerance, uint32_t *leaf)
{
    const msw_type_info *type = &buffer->type;
    uint64_t i = 0;
    if (!memcmp(got->data, expected->data, got->count * type->size_bytes)) return got->count;
    for (; i < got->count; i++) {
        const unsigned char *a = got->data + i * type->size_bytes, *b = expected->data + i * type->size_bytes;
        if (!memcmp(a, b, type->size_bytes)) continue;
        *leaf = differing_leaf(type, a, b, tolerance);
        if (*leaf < type->leaf_count || !is_padding_zero(type, a)) break;
    }
    return i;
}

static uint32_t first_output(const msw_op_info *info)
{
    uint32_t b = 0;
    while (!info->buffers[b].is_output) b++;
    return b;
}

ms_exit ms_expect(const msw_spec *spec, uint32_t op, const msw_op_info *info, int on_host, uint64_t n, const ms_array *arrays, ms_array *expected,
                  ms_verification *verification)
{
    const void *inputs[MSW_MAX_BUFFERS];
    void *outputs[MSW_MAX_BUFFERS];
    uint32_t input_count = 0, output_count = 0;
    msw_diag diag;
    ms_exit code = MS_EXIT_DONE;
    for (uint32_t b = 0; !code && b < info->buffer_count; b++) {
        if (!info->buffers[b].is_output) inputs[input_count++] = arrays[b].data;
        else if (!(code = ms_array_make(info->buffers[b].name, &info->buffers[b].type, arrays[b].count, &expected[b])))
            outputs[output_count++] = expected[b].data;
    }
    verification->is_bitwise = on_host || info->is_bit_exact;
    verification->leaf_count = info->buffers[first_output(info)].type.leaf_count;
    double *tolerance = verification->is_bitwise ? NULL : verification->tolerance;
    if (!code && msw_spec_evaluate(spec, op, n, inputs, outputs, NULL, NULL, tolerance, &diag)) code = ms_complain_diag(&diag);
    return code;
}

ms_exit ms_compare(const msw_op_info *info, const ms_array *got, const ms_array *expected, const ms_verification *verification, const ms_judged *judged)
{
    const uint32_t first = first_output(info);
    for (uint32_t b = first; b < info->buffer_count; b++) {
        const msw_op_buffer *buffer = &info->buffers[b];
        const double *tolerance = b > first || verification->is_bitwise ? NULL : verification->tolerance;
        uint32_t leaf = 0;
        const uint64_t i = buffer->is_output ? differing_element(buffer, &got[b], &expected[b], tolerance, &leaf) : got[b].count;
        const uint64_t offset = i * buffer->type.size_bytes;
        if (i == got[b].count) continue;
        return judged ? report(judged, buffer, i, leaf, got[b].data + offset, expected[b].data + offset, tolerance) : MS_EXIT_FAILED;
    }
    return MS_EXIT_DONE;
}

const char *ms_device_advice(const msw_op_info *info, char text[1200])
{
    static const char driver[] = "run it with --device host, and check the driver";
    if (!info->law_warning) return driver;
    snprintf(text, 1200, "a law fails, so that results depend on the order of combination: %s; correct the monoid first", info->law_warning);
    return text;
}

ms_exit ms_verify(const msw_spec *spec, uint32_t op, const msw_op_info *info, int on_host, uint64_t n, const ms_array *arrays, ms_verification *verification)
{
    char advice[1200];
    const ms_judged device = {"", ms_device_advice(info, advice)};
    ms_array expected[MSW_MAX_BUFFERS] = {{0}};
    ms_exit code = ms_expect(spec, op, info, on_host, n, arrays, expected, verification);
    if (!code) code = ms_compare(info, arrays, expected, verification, &device);
    for (uint32_t b = 0; b < info->buffer_count; b++) free(expected[b].data);
    return code;
}
