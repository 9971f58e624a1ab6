/* Sorts by mapped keys of which devices need not agree on the last bits: what was sorted is judged by the device's own keys. */
#include "verification.h"
#include "diag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct checker {
    msw_verification *v;
    const ms_operation *op;
    const unsigned char *keys, *values; /* the device's; values: NULL: none */
    ms_eval *wide, *image;
    msw_verified_field *field;
    int has_failed;  /* a host function has */
    int is_measured; /* an error, by a bound */
    int is_monotone; /* the keys' images, where keys are one scalar */
} checker;

static uint64_t value_at(const checker *c, uint64_t k) { return ms_scalar_load(c->op->value->scalar, c->values + k * c->op->value->info.size_bytes); }

static int fail(checker *c, uint32_t output, uint32_t leaf, uint64_t k)
{
    *c->field = (msw_verified_field){
        .buffer = c->field->buffer + output, .leaf = leaf, .verdict = MSW_FAILED, .count = c->v->n, .element = k, .error = INFINITY};
    return 0;
}

static void note_undecided(checker *c)
{
    if (c->field->undecided * MS_UNDECIDED_PART > c->v->n) c->field->verdict = MSW_NOT_VERIFIED, c->field->share = INFINITY;
}

static void load_image(checker *c, uint64_t k, uint64_t image[4])
{
    uint64_t leaves[MS_MAX_ELEMENT_BYTES];
    const uint64_t *const args[1] = {leaves};
    ms_leaves_load(c->op->output, c->keys + k * c->op->output->info.size_bytes, leaves, 0);
    if (ms_eval_run(c->image, args, image)) c->has_failed = 1;
}

/* By the keys that the device wrote, and of equal ones by their places. */
static int is_sorted(checker *c)
{
    uint64_t images[2][4] = {{0}};
    const uint32_t words = c->op->key.image->result->info.leaf_count;
    for (uint64_t k = 0; k < c->v->n; k++) {
        uint64_t *before = images[(k + 1) & 1], *own = images[k & 1];
        uint32_t w = 0;
        load_image(c, k, own);
        while (k && w < words && own[w] == before[w]) w++;
        if (k && w < words && own[w] < before[w]) return fail(c, 0, 0, k);
        if (k && w == words && c->op->gives_index && value_at(c, k) <= value_at(c, k - 1)) return fail(c, 1, 0, k);
    }
    return 1;
}

static int is_permutation(checker *c)
{
    uint8_t *seen = ms_arena_alloc(&c->v->data, c->v->n + 1);
    if (!seen) return -1;
    for (uint64_t k = 0; k < c->v->n; k++) {
        const uint64_t place = value_at(c, k);
        if (place >= c->v->n || seen[place]++) return fail(c, 1, 0, k);
    }
    return 1;
}

/* What the map makes of an element, and how far a device may be off: the movement of its pushed roundings. */
static void map_key(checker *c, uint64_t place, uint64_t *key, double *moved)
{
    static const ms_push_rule rules[] = {MS_PUSH_NONE, MS_PUSH_AWAY, MS_PUSH_UP, MS_PUSH_SIGN};
    uint64_t x[MS_MAX_ELEMENT_BYTES], leaves[MS_MAX_ELEMENT_BYTES];
    const uint64_t *const args[2] = {x, &place};
    const msw_type_info *info = &c->op->output->info;
    ms_leaves_load(c->op->input, (const unsigned char *)c->v->input + place * c->op->input->info.size_bytes, x, 1);
    for (int r = 0; r < 4; r++) {
        ms_push push = {.rule = rules[r], .is_loose = c->v->is_loose, .random = ms_splitmix(place) | 1};
        if (ms_eval_run_pushed(c->wide, &push, args, r ? leaves : key)) c->has_failed = 1;
        for (uint32_t l = 0; l < info->leaf_count; l++) {
            if (!r) moved[l] = 0;
            else if (ms_scalar_is_float(info->leaves[l].scalar))
                moved[l] = fmax(moved[l], ms_scalar_moved(info->leaves[l].scalar, ms_double_of(leaves[l]), ms_double_of(key[l])));
            else if (leaves[l] != key[l]) moved[l] = INFINITY; /* a jump */
        }
    }
}

static int is_key_near(checker *c, uint64_t k, const uint64_t *key, const double *moved)
{
    for (uint32_t l = 0; l < c->op->output->info.leaf_count; l++) {
        const msw_leaf *leaf = &c->op->output->info.leaves[l];
        const uint64_t bits = ms_scalar_load(leaf->scalar, c->keys + k * c->op->output->info.size_bytes + leaf->offset_bytes);
        if (!ms_scalar_is_float(leaf->scalar)) {
            if (bits != key[l] && !(moved[l] > 0)) return fail(c, 0, l, k);
            continue;
        }
        const double got = ms_scalar_to_double(leaf->scalar, bits), expected = ms_double_of(key[l]), error = fabs(got - expected);
        const double bound = ms_scalar_bound(leaf->scalar, moved[l], expected);
        if (got == expected || (isnan(got) && isnan(expected))) continue;
        if (fabs(expected) > ms_scalar_largest(leaf->scalar) && isinf(got) && (got > 0) == (expected > 0)) continue;
        if (isinf(moved[l])) {
            c->field->undecided++;
            return 1;
        }
        if (!(error <= bound)) return fail(c, 0, l, k);
        c->is_measured = 1;
        if (error * c->field->bound >= c->field->error * bound) c->field->element = k, c->field->error = error, c->field->bound = bound;
    }
    return 1;
}

/* Each key is what the map makes of the element that its index names. */
static int are_keys_mapped(checker *c)
{
    uint64_t key[MS_MAX_ELEMENT_BYTES];
    double moved[MS_MAX_ELEMENT_BYTES];
    for (uint64_t k = 0; k < c->v->n; k++) {
        map_key(c, value_at(c, k), key, moved);
        if (c->has_failed || !is_key_near(c, k, key, moved)) return 0;
    }
    note_undecided(c);
    return 1;
}

/* ---- without indices ---- */

/* What a key of one scalar is sorted by. */
static uint64_t image_of(checker *c, uint64_t bits)
{
    const uint64_t *const args[1] = {&bits};
    uint64_t words[4], image = 0;
    if (ms_eval_run(c->image, args, words)) c->has_failed = 1;
    for (uint32_t w = 0; w < c->op->key.image->result->info.leaf_count; w++) image = image << 32 | words[w];
    return image;
}

/* 1: larger keys have larger images, or smaller ones: their top bit counts. The keys on both sides of it: -0 and 0, -1 and 0, the middle. */
static int is_monotone(checker *c, msw_scalar scalar)
{
    const uint64_t top = UINT64_C(1) << (8 * ms_scalar_bytes(scalar) - 1);
    const int is_signed = ms_scalar_is_signed(scalar), is_float = ms_scalar_is_float(scalar);
    const uint64_t below = image_of(c, is_float ? top : is_signed ? UINT64_MAX : top - 1), above = image_of(c, is_float || is_signed ? 0 : top);
    return c->op->key.fields[0].is_descending ? below > above : below < above;
}

/* From where to where the image of a key may be; 0: that is not known. */
static int find_range(checker *c, uint64_t key, double moved, uint64_t *low, uint64_t *high)
{
    const msw_scalar scalar = c->op->output->info.leaves[0].scalar;
    const uint64_t largest_image = UINT64_MAX >> (64 - c->op->key.bits);
    uint64_t least_bits = key, most_bits = key;
    *low = 0, *high = largest_image;
    if (ms_scalar_is_float(scalar)) {
        const double value = ms_double_of(key), reach = ms_scalar_bound(scalar, moved, value), largest = ms_scalar_largest(scalar);
        const double least = isinf(value) ? value : value - reach, most = isinf(value) ? value : value + reach;
        if (isnan(least) || isnan(most)) return 0;
        const double lowest = least < -largest ? -(double)INFINITY : isinf(value) ? least : fmin(least, largest); /* the true value overflows */
        const double highest = most > largest ? (double)INFINITY : isinf(value) ? most : fmax(most, -largest);
        least_bits = ms_scalar_from_double(scalar, lowest == 0 ? -0.0 : lowest); /* of two zeros either */
        most_bits = ms_scalar_from_double(scalar, highest == 0 ? 0.0 : highest);
    }
    if (ms_scalar_is_float(scalar) ? least_bits != most_bits && !c->is_monotone : moved > 0) { /* any image */
        c->field->undecided++;
        return 1;
    }
    const uint64_t a = image_of(c, least_bits), b = image_of(c, most_bits);
    *low = a < b ? a : b, *high = a < b ? b : a;
    return 1;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Keys whose images each move by at most so much move the k-th of them by at most as much: it lies between the k-th of the lower ends and that of the
 * upper. */
static int are_ranks_near(checker *c, const uint64_t *low, const uint64_t *high)
{
    const msw_leaf *leaf = &c->op->output->info.leaves[0];
    for (uint64_t k = 0; k < c->v->n; k++) {
        const uint64_t got = image_of(c, ms_scalar_load(leaf->scalar, c->keys + k * c->op->output->info.size_bytes));
        if (got < low[k] || got > high[k]) return fail(c, 0, 0, k);
    }
    return 1;
}

static uint64_t hash_value(const unsigned char *value, uint32_t bytes)
{
    uint64_t own = 0;
    for (uint32_t b = 0; b < bytes; b++) own = ms_splitmix(own ^ value[b]);
    return ms_splitmix(own);
}

/* The places first .. end - 1 belong to elements whose keys may be in any order, and no other's may be among them: the values are theirs, by a sum of
 * hashes. Where they are not in the oracle's order, which of them belongs where is not known. */
static int has_own_values(checker *c, uint64_t first, uint64_t end)
{
    const uint32_t bytes = c->op->value->info.size_bytes;
    const unsigned char *expected = c->v->expected[1];
    uint64_t difference = 0, moved = 0, where = 0;
    for (uint64_t k = first; k < end; k++) {
        if (!memcmp(c->values + k * bytes, expected + k * bytes, bytes)) continue;
        difference += hash_value(c->values + k * bytes, bytes) - hash_value(expected + k * bytes, bytes);
        moved++, where = k;
    }
    c->field->undecided += moved;
    return difference ? fail(c, 1, 0, where) : 1;
}

static void judge_values(checker *c, const uint64_t *low, const uint64_t *high)
{
    const uint64_t n = c->v->n;
    for (uint64_t first = 0, end; first < n; first = end) {
        end = first + 1;
        while (end < n && (!low || high[end - 1] >= low[end])) end++;
        if (!has_own_values(c, first, end)) return;
    }
    note_undecided(c);
}

/* Keys, and values by the groups of those whose ranges overlap. 0: memory. */
static int judge_ranks(checker *c)
{
    const uint64_t n = c->v->n;
    uint64_t *low = ms_arena_alloc(&c->v->data, n * sizeof *low), *high = ms_arena_alloc(&c->v->data, n * sizeof *high), key[MS_MAX_ELEMENT_BYTES];
    double moved[MS_MAX_ELEMENT_BYTES];
    int is_told = c->op->output->info.leaf_count == 1;
    if (is_told) c->is_monotone = is_monotone(c, c->op->output->info.leaves[0].scalar);
    if (!low || !high) return 0;
    for (uint64_t i = 0; is_told && i < n; i++) {
        map_key(c, i, key, moved);
        is_told = find_range(c, key[0], moved[0], &low[i], &high[i]);
    }
    if (is_told) {
        qsort(low, n, sizeof *low, ascending);
        qsort(high, n, sizeof *high, ascending);
        if (!are_ranks_near(c, low, high)) return 1;
    }
    note_undecided(c);
    if (c->values) judge_values(c, is_told ? low : NULL, high);
    if (is_told || c->field->verdict == MSW_FAILED) return 1;
    c->field->verdict = MSW_NOT_VERIFIED;
    c->field->undecided = n;
    c->field->share = INFINITY;
    return 1;
}

msw_result ms_sort_judge(msw_verification *v, const void *const *outputs, msw_verified_field *field, msw_diag *diag)
{
    const ms_operation *op = v->op;
    const uint32_t keys_out = op->value && !op->gives_index ? 2 : 1;
    checker c = {.v = v, .op = op, .keys = outputs[0], .values = op->value ? outputs[1] : NULL, .field = field};
    *field = (msw_verified_field){.buffer = keys_out, .verdict = MSW_VERIFIED, .count = v->n, .bound = 1};
    c.wide = ms_eval_create(&v->data, op->map, 1);
    c.image = ms_eval_create(&v->data, op->key.image, 0);
    if (!c.wide || !c.image) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "verify", NULL, 0, "out of memory");
    if (op->gives_index) {
        const int is_one = is_permutation(&c);
        if (is_one < 0) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "verify", NULL, 0, "out of memory");
        if (is_one && is_sorted(&c)) are_keys_mapped(&c);
    } else if (is_sorted(&c) && !judge_ranks(&c)) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "verify", NULL, 0, "out of memory");
    if (!c.is_measured && field->verdict == MSW_VERIFIED) field->bound = 0;
    return c.has_failed ? ms_oracle_failure(op, diag) : MSW_OK;
}
