/* Tests a monoid's laws on samples: the identity first, small values, then large ones. */
#include "diag.h"
#include "spec.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SMALL_SAMPLES = 10, LARGE_SAMPLES = 8 };

typedef struct sample { uint64_t leaves[MS_MAX_ELEMENT_BYTES]; } sample;

typedef struct laws {
    const ms_monoid *monoid;
    const ms_law_options *options;
    ms_eval *combine;
    msw_diag *diag;
    int large; /* the samples at hand */
} laws;

static uint64_t next_random(uint64_t *state) /* splitmix64 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t random_leaf(msw_scalar scalar, int large, uint64_t *state)
{
    const uint64_t r = next_random(state);
    if (ms_scalar_is_float(scalar)) return ms_scalar_from_double(scalar, large ? ((double)(r >> 11) * 0x1p-53 - 0.5) * 2000 : (double)(r % 9) / 4 - 1);
    if (!large) return r % 4;
    unsigned char memory[8] = {0};
    ms_scalar_store(scalar, memory, r);
    return ms_scalar_load(scalar, memory);
}

static void draw(const ms_type *type, const void *identity, uint32_t round, int large, sample *s)
{
    uint64_t state = 1 + round + (large ? 1000u : 0u);
    if (!round) {
        ms_leaves_load(type, identity, s->leaves, 0);
        return;
    }
    for (uint32_t i = 0; i < type->info.leaf_count; i++) s->leaves[i] = random_leaf(type->info.leaves[i].scalar, large, &state);
}

static void combine(const laws *l, const sample *a, const sample *b, sample *result)
{
    const uint64_t *args[2] = {a->leaves, b->leaves};
    ms_eval_run(l->combine, args, result->leaves);
}

static int same(const ms_type *type, const sample *a, const sample *b)
{
    for (uint32_t i = 0; i < type->info.leaf_count; i++) {
        const msw_scalar scalar = type->info.leaves[i].scalar;
        if (a->leaves[i] == b->leaves[i]) continue;
        if (!ms_scalar_is_float(scalar)) return 0;
        const double x = ms_scalar_to_double(scalar, a->leaves[i]), y = ms_scalar_to_double(scalar, b->leaves[i]);
        const double unit = scalar == MSW_F16 ? 0x1p-6 : scalar == MSW_F32 ? 0x1p-14 : 0x1p-40;
        if (isnan(x) && isnan(y)) continue;
        if (!(fabs(x - y) <= unit * (1 + fmax(fabs(x), fabs(y))))) return 0;
    }
    return 1;
}

/* "{a = 1, b = 2}" or "3" */
static void show(const ms_type *type, const sample *s, char *text, size_t size)
{
    size_t used = 0;
    const int scalar = type->kind == MS_TYPE_SCALAR;
    used += (size_t)snprintf(text, size, "%s", scalar ? "" : "{");
    for (uint32_t i = 0; i < type->info.leaf_count && used < size; i++) {
        const msw_leaf *leaf = &type->info.leaves[i];
        used += (size_t)snprintf(text + used, size - used, "%s%s%s", i ? ", " : "", leaf->path, scalar ? "" : " = ");
        if (used >= size) break;
        if (ms_scalar_is_float(leaf->scalar)) used += (size_t)snprintf(text + used, size - used, "%.9g", ms_scalar_to_double(leaf->scalar, s->leaves[i]));
        else if (ms_scalar_is_signed(leaf->scalar)) used += (size_t)snprintf(text + used, size - used, "%" PRId64, (int64_t)s->leaves[i]);
        else used += (size_t)snprintf(text + used, size - used, "%" PRIu64, s->leaves[i]);
    }
    if (!scalar && used < size) snprintf(text + used, size - used, "}");
}

/* A violation: an error on small values or when strict, else a warning. count: how many samples to show. */
static msw_result violation(const laws *l, const char *law, const sample *samples[3], int count, const sample *left, const sample *right)
{
    static const char *const names[3] = {"a", "b", "c"};
    char text[512] = "", one[160], two[160];
    for (int i = 0; i < count; i++) {
        const size_t used = strlen(text);
        show(l->monoid->type, samples[i], one, sizeof one);
        snprintf(text + used, sizeof text - used, "%s%s = %s", i ? ", " : "", names[i], one);
    }
    show(l->monoid->type, left, one, sizeof one);
    show(l->monoid->type, right, two, sizeof two);
    msw_diag found;
    ms_diag(&found, MSW_ERROR_SPEC, "laws", l->options->file, l->options->line, "%s: %s fails for %s: %s is not %s; correct it, or say laws = \"trusted\"",
            l->monoid->name, law, text, one, two);
    if (!l->large || l->options->strict) {
        if (l->diag) *l->diag = found;
        return MSW_ERROR_SPEC;
    }
    if (l->options->warning) l->options->warning(l->options->warning_user, &found);
    return MSW_OK;
}

static msw_result check_identity(const laws *l, const sample *samples, int count)
{
    for (int i = 0; i < count; i++) {
        const sample *shown[3] = {&samples[i]};
        sample joined;
        combine(l, &samples[0], &samples[i], &joined);
        if (!same(l->monoid->type, &joined, &samples[i])) return violation(l, "combine(identity, a) == a", shown, 1, &joined, &samples[i]);
        combine(l, &samples[i], &samples[0], &joined);
        if (!same(l->monoid->type, &joined, &samples[i])) return violation(l, "combine(a, identity) == a", shown, 1, &joined, &samples[i]);
    }
    return MSW_OK;
}

static msw_result check_associativity(const laws *l, const sample *samples, int count)
{
    for (int t = 0; t < count * count * count; t++) {
        const sample *s[3] = {&samples[t / count / count], &samples[t / count % count], &samples[t % count]};
        sample inner, left, right;
        combine(l, s[0], s[1], &inner);
        combine(l, &inner, s[2], &left);
        combine(l, s[1], s[2], &inner);
        combine(l, s[0], &inner, &right);
        if (!same(l->monoid->type, &left, &right))
            return violation(l, "combine(combine(a, b), c) == combine(a, combine(b, c))", s, 3, &left, &right);
    }
    return MSW_OK;
}

static msw_result check_commutativity(const laws *l, const sample *samples, int count)
{
    for (int t = 0; l->monoid->commutative && t < count * count; t++) {
        const sample *s[3] = {&samples[t / count], &samples[t % count]};
        sample left, right;
        combine(l, s[0], s[1], &left);
        combine(l, s[1], s[0], &right);
        if (!same(l->monoid->type, &left, &right)) return violation(l, "combine(a, b) == combine(b, a), which commutative = true claims,", s, 2, &left, &right);
    }
    return MSW_OK;
}

static msw_result check(laws *l, int large)
{
    sample samples[SMALL_SAMPLES];
    const int count = large ? LARGE_SAMPLES : SMALL_SAMPLES;
    l->large = large;
    for (int i = 0; i < count; i++) draw(l->monoid->type, l->monoid->identity, (uint32_t)i, large, &samples[i]);
    msw_result result = check_identity(l, samples, count);
    if (!result) result = check_associativity(l, samples, count);
    if (!result) result = check_commutativity(l, samples, count);
    return result;
}

msw_result ms_laws_check(ms_arena *arena, const ms_monoid *monoid, const ms_law_options *options, msw_diag *diag)
{
    laws l = {.monoid = monoid, .options = options, .combine = ms_eval_create(arena, monoid->combine, 0), .diag = diag};
    if (!l.combine) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "laws", NULL, 0, "out of memory");
    const msw_result result = check(&l, 0);
    return result ? result : check(&l, 1);
}
