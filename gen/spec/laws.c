/* Tests a monoid's laws on samples: the identity first, small values, then large ones. */
#include "diag.h"
#include "spec.h"
#include "splitmix.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_SAMPLES = 1 + MS_SMALL_SAMPLES, MIN_SAMPLES = 3, MAX_STEPS = 20000000 };

/* An element's leaves; floats other than f64 are held as doubles when the laws are `wide`. */
typedef struct sample {
    uint64_t leaves[MS_MAX_ELEMENT_BYTES];
} sample;

typedef struct laws {
    const ms_monoid *monoid;
    const ms_law_options *options;
    ms_eval *combine;
    msw_diag *diag;
    int wide;    /* floats: exact laws differ from rounding more clearly in double precision */
    int large;   /* the samples at hand */
    int *failed; /* set when a host function fails */
    sample identity, samples[MAX_SAMPLES];
    int count;
} laws;

/* Both sides of a law for some samples. */
typedef void law_sides(const laws *l, const sample *const *s, sample *left, sample *right);

typedef struct law {
    const char *text;
    int arity;
    law_sides *sides;
} law;

typedef struct violation {
    const law *law; /* NULL: none */
    sample samples[3];
    double size;
} violation;

/* ---- the laws ---- */

static void combine(const laws *l, const sample *a, const sample *b, sample *result)
{
    const uint64_t *args[2] = {a->leaves, b->leaves};
    if (!*l->failed && ms_eval_run(l->combine, args, result->leaves)) *l->failed = 1; /* what failed first is what is told */
}

static void left_identity(const laws *l, const sample *const *s, sample *left, sample *right)
{
    combine(l, &l->identity, s[0], left);
    *right = *s[0];
}

static void right_identity(const laws *l, const sample *const *s, sample *left, sample *right)
{
    combine(l, s[0], &l->identity, left);
    *right = *s[0];
}

static void associativity(const laws *l, const sample *const *s, sample *left, sample *right)
{
    sample inner;
    combine(l, s[0], s[1], &inner);
    combine(l, &inner, s[2], left);
    combine(l, s[1], s[2], &inner);
    combine(l, s[0], &inner, right);
}

static void commutativity(const laws *l, const sample *const *s, sample *left, sample *right)
{
    combine(l, s[0], s[1], left);
    combine(l, s[1], s[0], right);
}

static const law all_laws[] = {
    {"combine(identity, a) == a", 1, left_identity},
    {"combine(a, identity) == a", 1, right_identity},
    {"combine(combine(a, b), c) == combine(a, combine(b, c))", 3, associativity},
    {"combine(a, b) == combine(b, a), which commutative = true claims,", 2, commutativity},
};

/* ---- values ---- */

static int is_float(const laws *l, uint32_t leaf) { return ms_scalar_is_float(l->monoid->type->info.leaves[leaf].scalar); }

static double to_double(const laws *l, uint32_t leaf, uint64_t bits)
{
    const msw_scalar scalar = l->monoid->type->info.leaves[leaf].scalar;
    return ms_scalar_to_double(l->wide && ms_scalar_is_float(scalar) ? MSW_F64 : scalar, bits);
}

static uint64_t from_double(const laws *l, uint32_t leaf, double value)
{
    const msw_scalar scalar = l->monoid->type->info.leaves[leaf].scalar;
    const uint64_t bits = ms_scalar_from_double(scalar, value);
    return l->wide && ms_scalar_is_float(scalar) ? ms_scalar_from_double(MSW_F64, ms_scalar_to_double(scalar, bits)) : bits;
}

/* The largest magnitude among the float leaves of the samples, at least `least`. */
static double largest(const laws *l, const sample *const *s, int count, double least)
{
    for (int k = 0; k < count; k++)
        for (uint32_t i = 0; i < l->monoid->type->info.leaf_count; i++) {
            const double magnitude = is_float(l, i) ? fabs(to_double(l, i, s[k]->leaves[i])) : 0;
            if (isfinite(magnitude)) least = fmax(least, magnitude);
        }
    return least;
}

/* Integers to the bit; floats within a small part of the largest magnitude at hand, since a sum's parts may cancel. */
static int same(const laws *l, const sample *left, const sample *right, double scale)
{
    for (uint32_t i = 0; i < l->monoid->type->info.leaf_count; i++) {
        if (left->leaves[i] == right->leaves[i]) continue;
        if (!is_float(l, i)) return 0;
        const double x = to_double(l, i, left->leaves[i]), y = to_double(l, i, right->leaves[i]);
        const double unit = l->monoid->type->info.leaves[i].scalar == MSW_F64 ? 0x1p-36 : 0x1p-20;
        if (isnan(x) && isnan(y)) continue;
        if (x != y && !(fabs(x - y) <= unit * scale)) return 0;
    }
    return 1;
}

static int holds(const laws *l, const law *claim, const sample *const *s, sample *left, sample *right)
{
    claim->sides(l, s, left, right);
    const sample *const sides[2] = {left, right};
    return same(l, left, right, largest(l, sides, 2, largest(l, s, claim->arity, 1)));
}

static double size_of(const laws *l, const sample *const *s, int count)
{
    double size = 0;
    for (int k = 0; k < count; k++)
        for (uint32_t i = 0; i < l->monoid->type->info.leaf_count; i++) {
            const double magnitude = fabs(to_double(l, i, s[k]->leaves[i]));
            size += magnitude < 0x1p100 ? magnitude : 0x1p100;
        }
    return size;
}

/* ---- samples ---- */

static uint64_t random_leaf(const laws *l, uint32_t leaf, uint64_t *state)
{
    const msw_scalar scalar = l->monoid->type->info.leaves[leaf].scalar;
    const uint64_t r = ms_splitmix_next(state);
    if (ms_scalar_is_float(scalar)) return from_double(l, leaf, l->large ? ((double)(r >> 11) * 0x1p-53 - 0.5) * 2000 : (double)(r % 9) / 4 - 1);
    if (!l->large) return r % 4;
    unsigned char memory[8] = {0};
    ms_scalar_store(scalar, memory, r);
    return ms_scalar_load(scalar, memory);
}

/* The identity, then the monoid's own samples or random ones. Functions of many operations are tried on fewer. */
static void draw_samples(laws *l)
{
    const msw_type_info *info = &l->monoid->type->info;
    const int wanted = 1 + (l->large ? MS_LARGE_SAMPLES : MS_SMALL_SAMPLES);
    const double runs = (double)MAX_STEPS / (1 + ms_eval_step_count(l->combine)) / 4;
    l->count = (int)fmin(wanted, fmax(MIN_SAMPLES, cbrt(runs)));
    l->samples[0] = l->identity;
    for (int k = 1; k < l->count; k++) {
        uint64_t state = (uint64_t)k + (l->large ? 1001 : 1);
        if (l->options->samples)
            ms_leaves_load(l->monoid->type, l->options->samples[k - 1 + (l->large ? MS_SMALL_SAMPLES : 0)], l->samples[k].leaves, l->wide);
        else
            for (uint32_t i = 0; i < info->leaf_count; i++) l->samples[k].leaves[i] = random_leaf(l, i, &state);
    }
}

/* ---- counterexamples ---- */

/* The smallest among the samples' combinations. */
static void search(const laws *l, const law *claim, violation *found)
{
    int combinations = 1;
    for (int k = 0; k < claim->arity; k++) combinations *= l->count;
    for (int t = 0; t < combinations && !*l->failed; t++) {
        const sample *s[3] = {&l->samples[t % l->count], &l->samples[t / l->count % l->count], &l->samples[t / l->count / l->count]};
        sample left, right;
        if (holds(l, claim, s, &left, &right)) continue;
        const double size = size_of(l, s, claim->arity);
        if (found->law && size >= found->size) continue;
        *found = (violation){.law = claim, .size = size};
        for (int k = 0; k < claim->arity; k++) found->samples[k] = *s[k];
    }
}

/* Tries a leaf of a counterexample with another value; keeps it when the law still fails. */
static int replace(const laws *l, violation *v, int k, uint32_t leaf, uint64_t value)
{
    const sample *const s[3] = {&v->samples[0], &v->samples[1], &v->samples[2]};
    const uint64_t before = v->samples[k].leaves[leaf];
    sample left, right;
    if (value == before) return 0;
    v->samples[k].leaves[leaf] = value;
    if (!holds(l, v->law, s, &left, &right)) return 1;
    v->samples[k].leaves[leaf] = before;
    return 0;
}

/* Makes a counterexample smaller, leaf by leaf, as long as it remains one. A monoid's own samples know their domain: they are left alone. */
static void shrink(const laws *l, violation *v)
{
    int improved = !l->options->samples;
    double tries = (double)MAX_STEPS / (1 + ms_eval_step_count(l->combine)) / 12; /* three values a leaf, at most four runs each */
    for (int round = 0; improved && round < 64; round++) {
        improved = 0;
        for (int k = 0; k < v->law->arity; k++)
            for (uint32_t i = 0; i < l->monoid->type->info.leaf_count && tries >= 1; i++, tries--) {
                const double value = to_double(l, i, v->samples[k].leaves[i]);
                if (value == 0) continue;
                improved |= replace(l, v, k, i, from_double(l, i, 0)) || replace(l, v, k, i, from_double(l, i, trunc(value / 2))) ||
                            (fabs(value) > 1 && fabs(value) < 0x1p50 && replace(l, v, k, i, from_double(l, i, trunc(value) - copysign(1, value))));
            }
    }
}

/* "{a = 1, b = 2}" or "3" */
static void show(const laws *l, const sample *s, char *text, size_t size)
{
    const ms_type *type = l->monoid->type;
    const int scalar = type->kind == MS_TYPE_SCALAR;
    size_t used = (size_t)snprintf(text, size, "%s", scalar ? "" : "{");
    for (uint32_t i = 0; i < type->info.leaf_count && used < size; i++) {
        const msw_leaf *leaf = &type->info.leaves[i];
        used += (size_t)snprintf(text + used, size - used, "%s%s%s", i ? ", " : "", leaf->path, scalar ? "" : " = ");
        if (used >= size) break;
        if (is_float(l, i)) used += (size_t)snprintf(text + used, size - used, "%.9g", to_double(l, i, s->leaves[i]));
        else if (ms_scalar_is_signed(leaf->scalar)) used += (size_t)snprintf(text + used, size - used, "%" PRId64, (int64_t)s->leaves[i]);
        else used += (size_t)snprintf(text + used, size - used, "%" PRIu64, s->leaves[i]);
    }
    if (!scalar && used < size) snprintf(text + used, size - used, "}");
}

/* An error on small values or when strict, else a warning. */
static msw_result report(const laws *l, const violation *v)
{
    static const char *const names[3] = {"a", "b", "c"};
    const sample *const s[3] = {&v->samples[0], &v->samples[1], &v->samples[2]};
    char text[512] = "", one[160], two[160], told[1024];
    sample left, right;
    msw_diag found;
    for (int k = 0; k < v->law->arity; k++) {
        const size_t used = strlen(text);
        show(l, s[k], one, sizeof one);
        snprintf(text + used, sizeof text - used, "%s%s = %s", k ? ", " : "", names[k], one);
    }
    v->law->sides(l, s, &left, &right);
    show(l, &left, one, sizeof one);
    show(l, &right, two, sizeof two);
    const int is_error = !l->large || l->options->strict;
    snprintf(told, sizeof told, "%s: %s fails for %s: %s is not %s", l->monoid->name, v->law->text, text, one, two);
    ms_diag(&found, MSW_ERROR_SPEC, "laws", l->options->file, l->options->line, "%s%s; %s", is_error ? "" : "warning: ", told,
            is_error ? "correct it; where such values do not occur, say so by sample = function(r) .. end, or laws = \"trusted\""
                     : "where such values do not occur say so by sample = function(r) .. end");
    if (is_error && l->diag) *l->diag = found;
    if (!is_error && l->options->warning) l->options->warning(l->options->warning_user, &found, told);
    return is_error ? MSW_ERROR_SPEC : MSW_OK;
}

static msw_result check(laws *l, int large)
{
    violation found = {0};
    l->large = large;
    draw_samples(l);
    for (size_t i = 0; i < sizeof all_laws / sizeof *all_laws && !found.law; i++)
        if (all_laws[i].sides != commutativity || l->monoid->commutative) search(l, &all_laws[i], &found);
    const ms_host_error *error = l->monoid->combine->host_error;
    if (*l->failed)
        return ms_diag(l->diag, error->is_memory ? MSW_ERROR_OUT_OF_MEMORY : MSW_ERROR_SPEC, "laws", l->options->file, error->line, "%s",
                       error->text);
    if (!found.law) return MSW_OK;
    if (!large) shrink(l, &found);
    return report(l, &found);
}

msw_result ms_laws_check(ms_arena *arena, const ms_monoid *monoid, const ms_law_options *options, msw_diag *diag)
{
    int failed = 0;
    const int wide = !ms_function_is_bit_exact(monoid->combine);
    laws *l = ms_arena_alloc(arena, sizeof *l);
    if (l)
        *l = (laws){.monoid = monoid,
                    .options = options,
                    .combine = ms_eval_create(arena, monoid->combine, wide),
                    .diag = diag,
                    .wide = wide,
                    .failed = &failed};
    if (!l || !l->combine) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "laws", NULL, 0, "out of memory");
    ms_leaves_load(monoid->type, monoid->identity, l->identity.leaves, wide);
    const msw_result result = check(l, 0);
    return result ? result : check(l, 1);
}
