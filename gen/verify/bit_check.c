/* An output whose bits are promised, against what is expected. */
#include "verification.h"
#include "gather.h"
#include "groups.h"
#include "diag.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The first leaf that differs; leaf_count: the padding; one more: none does. other, flushed: see is_of_nan, is_of_flushed,
 * or NULL; counts what it excuses. */
static uint32_t differing_leaf(const msw_verification *v, const msw_type_info *type, const unsigned char *got, const unsigned char *expected,
                               const unsigned char *other, const unsigned char *flushed, int is_first_output, uint64_t *excused)
{
    unsigned char rest[MS_MAX_ELEMENT_BYTES];
    int is_excused = 0;
    memcpy(rest, got, type->size_bytes);
    for (uint32_t l = 0; l < type->leaf_count; l++) {
        const msw_leaf *leaf = &type->leaves[l];
        const uint32_t at = leaf->offset_bytes;
        int excuse;
        if (!ms_leaf_is_right(v, leaf->scalar, ms_scalar_load(leaf->scalar, got + at), !is_first_output, expected + at, other ? other + at : NULL,
                              flushed ? flushed + at : NULL, &excuse))
            return l;
        is_excused |= excuse;
        memcpy(rest + leaf->offset_bytes, expected + leaf->offset_bytes, ms_scalar_bytes(leaf->scalar));
    }
    *excused += (uint64_t)is_excused;
    return memcmp(rest, expected, type->size_bytes) ? type->leaf_count : type->leaf_count + 1;
}

/* 1: the first output has other bits where NaN has, or where subnormal numbers are zeros. */
static int may_differ(const msw_verification *v, uint64_t bytes)
{
    return (v->other[0] && memcmp(v->other[0], v->expected[0], bytes)) || (v->flushed[0] && memcmp(v->flushed[0], v->expected[0], bytes));
}

/* Whether the items, in any order of elements, are what they should be; as judge_bits. */
static int judge_groups(msw_verification *v, uint32_t index, uint64_t count, const void *items, msw_verified_field *field, ms_text *text)
{
    const uint64_t room = ms_operation_room(v->op, v->n);
    uint64_t wrong = 0;
    const ms_groups_verdict verdict = ms_groups_judge(v->op, &v->data, v->n, v->input, items, count, &wrong);
    *field = (msw_verified_field){.buffer = index, .count = count < room ? count : room, .verdict = MSW_VERIFIED};
    if (verdict == MS_GROUPS_NO_MEMORY) return -1;
    if (verdict == MS_GROUPS_RIGHT) return 1;
    if (verdict == MS_GROUPS_WRONG && !may_differ(v, field->count * v->op->info.buffers[index].type.size_bytes)) {
        field->verdict = MSW_FAILED;
        field->element = wrong;
        field->error = INFINITY;
        ms_begin_failure(v, text);
        ms_text_append(text, "%s[%" PRIu64 "]: no element whose items lie nowhere else has those that begin here, or they end too early",
                       v->op->info.buffers[index].name, wrong);
        return 0;
    }
    field->verdict = MSW_NOT_VERIFIED;
    field->undecided = field->count;
    ms_text_append(text, "not verified: %s, %s", v->op->info.buffers[index].name,
                   verdict == MS_GROUPS_WRONG ? "whose items are made of the bits of NaN, or of subnormal numbers"
                                              : "whose elements' items are too much alike to tell in which order they lie");
    return 1;
}

int ms_bits_judge(msw_verification *v, uint32_t output, const unsigned char *got, msw_verified_field *field, ms_text *text)
{
    uint32_t index;
    const msw_op_buffer *buffer = ms_verified_output(v->op, output, &index);
    const unsigned char *expected = v->expected[output], *other = v->other[output], *flushed = v->flushed[output];
    const uint64_t count = ms_expected_elements(v, output), bytes = buffer->type.size_bytes;
    uint64_t undecided = 0;
    if (ms_is_scattered(v->op, index)) return ms_scatter_judge(v, index, got, field, text);
    if (v->op->any_order && index == v->op->info.items) return judge_groups(v, index, *(const uint64_t *)v->expected[1], got, field, text);
    *field = (msw_verified_field){.buffer = index, .count = count, .verdict = MSW_VERIFIED};
    if (!memcmp(got, expected, count * bytes)) return 1;
    for (uint64_t i = 0; i < count; i++) {
        char texts[2][64];
        const uint32_t l = memcmp(got + i * bytes, expected + i * bytes, bytes)
                               ? differing_leaf(v, &buffer->type, got + i * bytes, expected + i * bytes, other ? other + i * bytes : NULL,
                                                flushed ? flushed + i * bytes : NULL, !output, &undecided)
                               : buffer->type.leaf_count + 1;
        if (l > buffer->type.leaf_count) continue;
        *field = (msw_verified_field){.buffer = index, .leaf = l, .count = count, .verdict = MSW_FAILED, .element = i, .error = INFINITY};
        ms_begin_failure(v, text);
        if (l == buffer->type.leaf_count) {
            ms_text_append(text, "%s[%" PRIu64 "]: padding bytes are not zero; this is a bug of monosweep, please report it", buffer->name, i);
            return 0;
        }
        const msw_leaf *leaf = &buffer->type.leaves[l];
        ms_format_leaf(texts[0], leaf->scalar, ms_scalar_load(leaf->scalar, got + i * bytes + leaf->offset_bytes));
        ms_format_leaf(texts[1], leaf->scalar, ms_scalar_load(leaf->scalar, expected + i * bytes + leaf->offset_bytes));
        ms_text_append(text, "%s[%" PRIu64 "]%s%s: got %s, expected %s", buffer->name, i, leaf->path[0] ? "." : "", leaf->path, texts[0], texts[1]);
        return 0;
    }
    field->undecided = field->nan_count = undecided;
    field->share = undecided ? (double)INFINITY : 0;
    if (undecided * MS_UNDECIDED_PART > count) field->verdict = MSW_NOT_VERIFIED;
    return 1;
}
