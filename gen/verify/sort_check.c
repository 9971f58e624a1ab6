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
    int has_failed; /* a host function has */
} checker;

static uint64_t value_at(const checker *c, uint64_t k) { return ms_scalar_load(c->op->value->scalar, c->values + k * c->op->value->info.size_bytes); }

static int fail(checker *c, uint32_t output, uint32_t leaf, uint64_t k)
{
    *c->field = (msw_verified_field){
        .buffer = c->field->buffer + output, .leaf = leaf, .verdict = MSW_FAILED, .count = c->v->n, .element = k, .error = INFINITY};
    return 0;
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

static double as_double(uint64_t bits)
{
    double value;
    return memcpy(&value, &bits, sizeof value), value;
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
        ms_push push = {rules[r], c->v->is_loose, ms_splitmix(place) | 1};
        if (ms_eval_run_pushed(c->wide, &push, args, r ? leaves : key)) c->has_failed = 1;
        for (uint32_t l = 0; l < info->leaf_count; l++) {
            if (!r) moved[l] = 0;
            else if (ms_scalar_is_float(info->leaves[l].scalar)) moved[l] = fmax(moved[l], fabs(as_double(leaves[l]) - as_double(key[l])));
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
        const double got = ms_scalar_to_double(leaf->scalar, bits), expected = as_double(key[l]), error = fabs(got - expected);
        const double bound = ms_scalar_bound(leaf->scalar, moved[l], expected);
        if (got == expected || (isnan(got) && isnan(expected))) continue;
        if (fabs(expected) > ms_scalar_largest(leaf->scalar) && isinf(got)) continue;
        if (!(error <= bound)) return fail(c, 0, l, k);
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
    return 1;
}

/* ---- without indices ---- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Keys that each move by at most so much move the k-th of them by at most as much: it lies between the k-th of the
 * lower ends and that of the upper. */
static int are_ranks_near(checker *c, double *low, double *high)
{
    const msw_leaf *leaf = &c->op->output->info.leaves[0];
    const uint64_t n = c->v->n;
    qsort(low, n, sizeof *low, ascending);
    qsort(high, n, sizeof *high, ascending);
    for (uint64_t k = 0; k < n; k++) {
        const uint64_t rank = c->op->key.is_descending ? n - 1 - k : k;
        const double got = ms_scalar_to_double(leaf->scalar, ms_scalar_load(leaf->scalar, c->keys + k * c->op->output->info.size_bytes));
        if (!(got >= low[rank] && got <= high[rank])) return fail(c, 0, 0, k);
    }
    return 1;
}

/* 1: the keys are there, as far as that can be told; 0: it was told otherwise; -1: memory. */
static int judge_ranks(checker *c)
{
    const uint64_t n = c->v->n;
    const msw_leaf *leaf = &c->op->output->info.leaves[0];
    double *low = ms_arena_alloc(&c->v->data, n * sizeof *low), *high = ms_arena_alloc(&c->v->data, n * sizeof *high), moved[MS_MAX_ELEMENT_BYTES];
    uint64_t key[MS_MAX_ELEMENT_BYTES];
    int is_told = c->op->output->info.leaf_count == 1;
    if (!low || !high) return -1;
    for (uint64_t i = 0; is_told && i < n; i++) {
        map_key(c, i, key, moved);
        const double value = ms_scalar_is_float(leaf->scalar) ? as_double(key[0]) : ms_scalar_to_double(leaf->scalar, key[0]);
        const double reach = ms_scalar_is_float(leaf->scalar) ? ms_scalar_bound(leaf->scalar, moved[0], value) : moved[0];
        low[i] = value - reach, high[i] = value + reach;
        is_told = !isnan(low[i]) && !isnan(high[i]);
    }
    if (is_told) return are_ranks_near(c, low, high);
    c->field->verdict = MSW_NOT_VERIFIED;
    c->field->undecided = n;
    c->field->share = INFINITY;
    return 1;
}

/* An order-free sum of hashes: values may not get lost. */
static uint64_t hash_values(const unsigned char *values, uint64_t n, uint32_t bytes)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t own = 0;
        for (uint32_t b = 0; b < bytes; b++) own = ms_splitmix(own ^ values[i * bytes + b]);
        sum += ms_splitmix(own);
    }
    return sum;
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
    } else if (is_sorted(&c)) {
        if (judge_ranks(&c) < 0) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "verify", NULL, 0, "out of memory");
        const uint32_t bytes = op->value ? op->value->info.size_bytes : 0;
        if (op->value && field->verdict != MSW_FAILED && hash_values(outputs[1], v->n, bytes) != hash_values(v->expected[1], v->n, bytes))
            fail(&c, 1, 0, 0);
    }
    return c.has_failed ? ms_oracle_failure(op, diag) : MSW_OK;
}
