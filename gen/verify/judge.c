/* A device's output against its bounds. */
#include "bounds.h"

#include <math.h>
#include <string.h>

static const double most_share = 0.01; /* of its scale: a bound beyond it says too little */

enum { SHARE_BINS = 128, BINS_AN_OCTAVE = 4, LEAST_OCTAVE = -7 };

typedef struct judged_leaf {
    const ms_bounds *bounds;
    msw_scalar scalar;
    uint32_t leaf;
    ms_probed probed;
    msw_verified_field *field;
    int is_measured;           /* an error, by a bound */
    uint64_t bins[SHARE_BINS]; /* of bounds that say too little, by their part of the scale */
} judged_leaf;

static void count_share(judged_leaf *j, double share)
{
    const double bin = (log2(share) - LEAST_OCTAVE) * BINS_AN_OCTAVE;
    j->field->undecided++;
    j->bins[!(bin > 0) ? 0 : bin < SHARE_BINS - 1 ? (int)bin : SHARE_BINS - 1]++;
}

static double median_share(const judged_leaf *j)
{
    uint64_t seen = 0;
    int bin = 0;
    while (bin < SHARE_BINS - 1 && (seen += j->bins[bin]) * 2 < j->field->undecided) bin++;
    return bin == SHARE_BINS - 1 ? (double)INFINITY : exp2((bin + 0.5) / BINS_AN_OCTAVE + LEAST_OCTAVE);
}

static void fail(judged_leaf *j, uint64_t i, double error, double bound)
{
    if (j->field->verdict == MSW_FAILED) return;
    j->field->verdict = MSW_FAILED;
    j->field->element = i;
    j->field->error = error;
    j->field->bound = bound;
}

static void judge_integer(judged_leaf *j, uint64_t i, uint64_t got, uint64_t expected)
{
    if (j->bounds->undecided[i * j->bounds->leaf_count + j->leaf]) count_share(j, INFINITY);
    else if (got != expected) fail(j, i, fabs(ms_scalar_to_double(j->scalar, got) - ms_scalar_to_double(j->scalar, expected)), 0);
}

/* 1: an infinity or a NaN of the data is among what this element is of: times an aggregate that underflows in one tree and not in another it is NaN.
 * */
static int has_infinite_data(const ms_bounds *b, uint64_t i)
{
    if (b->first_infinite == b->n) return 0;
    return b->count != b->n || (b->is_reverse ? i <= b->first_infinite : i >= b->first_infinite);
}

static void judge_float(judged_leaf *j, uint64_t i, double got, double expected)
{
    const ms_bounds *b = j->bounds;
    const uint64_t block = (b->is_reverse ? b->n - 1 - i : i) / b->block_elements;
    const double scale = b->scale[block * b->leaf_count + j->leaf], least = ms_scalar_least_normal(j->scalar);
    const double bound = b->is_exact ? 0 : ms_scalar_bound(j->scalar, b->moved[block * b->leaf_count + j->leaf], expected);
    const double error = fabs(got - expected);
    const uint8_t undecided = b->undecided[i * b->leaf_count + j->leaf];
    if (undecided == MS_SURE_NAN) {
        if (!isnan(got)) fail(j, i, INFINITY, NAN);
        else if (b->n) count_share(j, INFINITY), j->field->nan_count++; /* of no elements nothing else can be said */
        return;
    }
    if (undecided) {
        if (undecided == MS_SOME_NUMBER && isfinite(expected) && isnan(got)) fail(j, i, error, bound);
        count_share(j, INFINITY);
        return;
    }
    if (isinf(expected)) { /* in f16 and f32 no sum is, of doubles: an identity is, or the data are */
        if (isnan(got) && has_infinite_data(b, i)) count_share(j, INFINITY);
        else if (got != expected) fail(j, i, INFINITY, least);
        else if (b->n && !j->probed) count_share(j, INFINITY);
        return;
    }
    if (!(error <= bound)) fail(j, i, error, bound);
    const int is_zero_told = !b->n || j->probed == MS_PROBED_OUTPUTS || (j->probed && bound <= 2 * least);
    const int is_told = scale * most_share > least ? bound <= most_share * scale : is_zero_told;
    if (!is_told) count_share(j, scale > 0 ? bound / scale : (double)INFINITY);
    j->is_measured = 1;
    if (j->field->verdict != MSW_FAILED && error * j->field->bound >= j->field->error * bound) {
        j->field->element = i;
        j->field->error = error;
        j->field->bound = bound;
    }
}

void ms_bounds_judge(const ms_bounds *bounds, const ms_type *type, const void *output, ms_probed probed, ms_is_there *is_there, const void *user,
                     msw_verified_field *fields)
{
    const unsigned char *got = output;
    for (uint32_t l = 0; l < bounds->leaf_count; l++) {
        const msw_leaf *leaf = &type->info.leaves[l];
        judged_leaf j = {bounds, leaf->scalar, l, probed, &fields[l], 0, {0}};
        fields[l] = (msw_verified_field){.buffer = fields[l].buffer, .leaf = l, .verdict = MSW_VERIFIED, .bound = 1};
        for (uint64_t i = 0; i < bounds->count; i++) {
            if (is_there && !is_there(user, i, l)) continue;
            fields[l].count++;
            const uint64_t offset = i * type->info.size_bytes + leaf->offset_bytes;
            const uint64_t a = ms_scalar_load(leaf->scalar, got + offset), b = ms_scalar_load(leaf->scalar, bounds->expected + offset);
            if (!ms_scalar_is_float(leaf->scalar)) judge_integer(&j, i, a, b);
            else judge_float(&j, i, ms_scalar_to_double(leaf->scalar, a), ms_scalar_to_double(leaf->scalar, b));
        }
        if (fields[l].undecided) fields[l].share = median_share(&j);
        if (fields[l].verdict == MSW_VERIFIED && fields[l].undecided * MS_UNDECIDED_PART > fields[l].count) fields[l].verdict = MSW_NOT_VERIFIED;
        if (fields[l].verdict == MSW_VERIFIED && !j.is_measured) fields[l].bound = 0;
    }
}

int ms_bounds_allow(const ms_bounds *bounds, const ms_type *type, uint64_t i, uint32_t l, uint64_t got)
{
    const msw_leaf *leaf = &type->info.leaves[l];
    msw_verified_field field = {.verdict = MSW_VERIFIED};
    judged_leaf j = {bounds, leaf->scalar, l, MS_PROBED_STATES, &field, 0, {0}};
    const uint64_t expected = ms_scalar_load(leaf->scalar, bounds->expected + i * type->info.size_bytes + leaf->offset_bytes);
    if (!ms_scalar_is_float(leaf->scalar)) judge_integer(&j, i, got, expected);
    else judge_float(&j, i, ms_scalar_to_double(leaf->scalar, got), ms_scalar_to_double(leaf->scalar, expected));
    return field.verdict == MSW_VERIFIED;
}
