/* Scattered outputs: each place has what an element that was sent to it made, and those that none was sent to still have zeros. */
#include "verification.h"
#include "gather.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* An output that is judged. */
typedef struct scattered {
    msw_verification *v;
    uint32_t b; /* the operation's buffer */
    const unsigned char *array;
    ms_writers writers;
    ms_text *text;
} scattered;

static const msw_leaf *leaf_of(const scattered *s, uint32_t l) { return &s->v->op->info.buffers[s->b].type.leaves[l]; }

static uint64_t got_at(const scattered *s, uint64_t place, uint32_t l)
{
    const msw_leaf *leaf = leaf_of(s, l);
    return ms_scalar_load(leaf->scalar, s->array + place * s->v->op->info.buffers[s->b].type.size_bytes + leaf->offset_bytes);
}

/* A scalar of what element i made; NULL: it was not computed that way. */
static const unsigned char *made_by(const scattered *s, ms_floats floats, uint64_t i, uint32_t l)
{
    const msw_type_info *record = &s->v->op->output->info;
    const unsigned char *records = s->v->records[floats];
    return records ? records + i * record->size_bytes + record->leaves[s->v->op->first_leaves[s->b] + l].offset_bytes : NULL;
}

/* Whether any element that was sent there made this scalar; *is_excused: none did, but one's is of a NaN or of subnormal numbers. */
static int is_of_any(const scattered *s, uint64_t place, uint32_t l, int *is_excused)
{
    const uint64_t got = got_at(s, place, l);
    int may_be = 0;
    *is_excused = 0;
    for (uint64_t i = s->writers.first[place]; i; i = s->writers.next[i - 1]) {
        int excuse;
        if (!ms_leaf_is_right(s->v, leaf_of(s, l)->scalar, got, 0, made_by(s, MS_FLOATS_AS_PROMISED, i - 1, l),
                              made_by(s, MS_FLOATS_OTHER_NAN, i - 1, l), made_by(s, MS_FLOATS_FLUSHED, i - 1, l), &excuse))
            continue;
        if (!excuse) return 1;
        may_be = 1;
    }
    *is_excused = may_be;
    return may_be;
}

static void tell_wrong(const scattered *s, uint64_t place, uint32_t l, msw_verified_field *field)
{
    const msw_leaf *leaf = leaf_of(s, l);
    const uint64_t i = s->writers.first[place];
    char texts[2][64];
    field->leaf = l;
    field->element = place;
    field->error = INFINITY;
    field->verdict = MSW_FAILED;
    ms_format_leaf(texts[0], leaf->scalar, got_at(s, place, l));
    ms_begin_failure(s->v, s->text);
    ms_text_append(s->text, "%s[%" PRIu64 "]%s%s: got %s, ", s->v->op->info.buffers[s->b].name, place, leaf->path[0] ? "." : "", leaf->path,
                   texts[0]);
    if (!i) ms_text_append(s->text, s->v->op->empty ? "for a segment without elements" : "where no element was sent, and zeros were before");
    else if (s->writers.next[i - 1]) ms_text_append(s->text, "which none of the elements that were sent there has");
    else {
        ms_format_leaf(texts[1], leaf->scalar, ms_scalar_load(leaf->scalar, made_by(s, MS_FLOATS_AS_PROMISED, i - 1, l)));
        ms_text_append(s->text, "expected %s of element %" PRIu64, texts[1], i - 1);
    }
}

static int fail_at_padding(const scattered *s, uint64_t place, msw_verified_field *field)
{
    field->leaf = s->v->op->info.buffers[s->b].type.leaf_count;
    field->element = place;
    field->error = INFINITY;
    field->verdict = MSW_FAILED;
    ms_begin_failure(s->v, s->text);
    ms_text_append(s->text, "%s: padding bytes are not zero; this is a bug of monosweep, please report it", s->v->op->info.buffers[s->b].name);
    return 0;
}

/* Whether each element goes to one place, whatever a device does with NaN and subnormal numbers. */
static int are_places_sure(const scattered *s, uint64_t n)
{
    const msw_type_info *record = &s->v->op->output->info;
    const uint32_t offset = record->leaves[s->v->op->places[s->b] - 1].offset_bytes;
    const unsigned char *promised = s->v->records[MS_FLOATS_AS_PROMISED];
    for (int f = MS_FLOATS_OTHER_NAN; f <= MS_FLOATS_FLUSHED; f++) {
        const unsigned char *others = s->v->records[f];
        for (uint64_t i = 0; others && i < n; i++)
            if (memcmp(promised + i * record->size_bytes + offset, others + i * record->size_bytes + offset, sizeof(uint32_t))) return 0;
    }
    return 1;
}

/* The first scalar of what lies where nothing was sent that is not zero. */
static void tell_stray(const scattered *s, uint64_t place, msw_verified_field *field)
{
    const msw_type_info *type = &s->v->op->info.buffers[s->b].type;
    uint32_t l = 0;
    while (l + 1 < type->leaf_count && !got_at(s, place, l)) l++;
    tell_wrong(s, place, l, field);
}

int ms_scatter_judge(msw_verification *v, uint32_t b, const void *array, msw_verified_field *field, ms_text *text)
{
    const msw_type_info *type = &v->op->info.buffers[b].type;
    scattered s = {.v = v, .b = b, .array = array, .text = text};
    uint64_t undecided = 0;
    *field = (msw_verified_field){.buffer = b, .count = ms_operation_elements(v->op, b, v->n), .verdict = MSW_VERIFIED};
    if (!ms_writers_find(v->op, &v->data, b, v->n, v->records[MS_FLOATS_AS_PROMISED], &s.writers)) return -1;
    if (!are_places_sure(&s, v->n)) {
        field->undecided = field->nan_count = field->count;
        field->share = INFINITY;
        field->verdict = MSW_NOT_VERIFIED;
        return 1;
    }
    uint64_t stray;
    if (!ms_gather_stray(v->op, &v->data, b, &s.writers, array, &stray)) return -1;
    for (uint64_t place = 0; place < s.writers.places; place++) {
        int has_excuse = 0, is_excused;
        if (!s.writers.first[place] && place == stray) return tell_stray(&s, place, field), 0;
        for (uint32_t l = 0; s.writers.first[place] && l < type->leaf_count; l++) {
            if (!is_of_any(&s, place, l, &is_excused)) return tell_wrong(&s, place, l, field), 0;
            has_excuse |= is_excused;
        }
        undecided += (uint64_t)has_excuse;
    }
    if (!ms_padding_is_zero(type, array, field->count)) return fail_at_padding(&s, 0, field);
    field->undecided = field->nan_count = undecided;
    field->share = undecided ? (double)INFINITY : 0;
    if (undecided * MS_UNDECIDED_PART > field->count) field->verdict = MSW_NOT_VERIFIED;
    return 1;
}

int ms_scatter_judge_rest(msw_verification *v, const void *const *outputs, ms_text *text)
{
    for (uint32_t b = 0, o = 0; b < v->op->info.buffer_count; b++) {
        msw_verified_field field;
        if (v->op->info.buffers[b].role != MSW_ROLE_OUT) continue;
        scattered s = {.v = v, .b = b, .array = outputs[o++], .text = text};
        if (!ms_is_scattered(v->op, b)) continue;
        if (!ms_writers_find(v->op, &v->data, b, v->n, v->bounds.expected, &s.writers)) return -1;
        uint64_t stray;
        if (!ms_gather_stray(v->op, &v->data, b, &s.writers, s.array, &stray)) return -1;
        if (stray < s.writers.places) return tell_stray(&s, stray, &field), 0;
    }
    return 1;
}
