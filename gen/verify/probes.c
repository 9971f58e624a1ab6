/* Probes of an operation's structure: exact inputs of several tiles, and pairs of elements among identities, whose results no tree changes. */
#include "verification.h"
#include "c_locale.h"
#include "diag.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    DEFAULT_TILE = 256,
    LONGEST_EXACT = 1 << 23,
    PAIR_BYTES = 4 << 20,
    FEW_PAIRS = 16,
    SINGLES = 32,
    SPREAD_STEPS = 4,
    TREE_DEPTH = 32,
    SHORT_RUNS = 4,
    LONGEST_SHORT = 5
};

typedef struct prober {
    msw_verification *v;
    const msw_probe_desc *desc;
    msw_structure *structure;
    const ms_operation *op; /* that is run */
    ms_arena arena;
    ms_eval *combine, *wide, *map; /* map: the operation's; NULL: none */
    uint64_t identity[MS_MAX_ELEMENT_BYTES];
    uint64_t sizes[MS_EXACT_INPUTS], tile, random;
    const msw_plan_variant *serving; /* the variant of the user's n; NULL: there is no plan */
    uint64_t before, own;            /* the most elements that others serve; how many to probe it with, 0: too many */
    uint32_t own_inputs, own_pairs;  /* that it has run */
    unsigned char *input, *expected, *got;
    uint64_t capacity; /* elements in each */
    const char *what;
    int are_pairs_inexact;
    ms_c_locale locale; /* entered, but while the caller's function runs */
    msw_diag *diag;
} prober;

/* ---- arrays ---- */

static msw_result no_memory(const prober *p) { return ms_diag(p->diag, MSW_ERROR_OUT_OF_MEMORY, "verify", NULL, 0, "out of memory"); }

static msw_result host_failed(const prober *p) { return ms_oracle_failure(p->v->op, p->diag); }

static int reserve(prober *p, uint64_t n)
{
    const ms_type *in = p->op->input, *out = p->op->output;
    if (n <= p->capacity) return 1;
    p->input = ms_arena_alloc(&p->arena, n * in->info.size_bytes);
    p->expected = ms_arena_alloc(&p->arena, n * out->info.size_bytes);
    p->got = ms_arena_alloc(&p->arena, n * out->info.size_bytes);
    p->capacity = p->input && p->expected && p->got ? n : 0;
    return p->capacity != 0;
}

/* The place in memory of element k in the order of combination. */
static uint64_t place(const prober *p, uint64_t n, uint64_t k) { return p->op->reverse ? n - 1 - k : k; }

static unsigned char *element(unsigned char *array, const ms_type *type, uint64_t i) { return array + i * type->info.size_bytes; }

static int join(const prober *p, const uint64_t *a, const uint64_t *b, uint64_t *joined)
{
    const uint64_t *args[2] = {p->op->reverse ? b : a, p->op->reverse ? a : b};
    return ms_eval_run(p->combine, args, joined);
}

/* ---- comparing ---- */

static void tell_difference(prober *p, const msw_leaf *leaf, uint64_t i, uint64_t got, uint64_t expected)
{
    char texts[2][64];
    ms_format_leaf(texts[0], leaf->scalar, got);
    ms_format_leaf(texts[1], leaf->scalar, expected);
    p->structure->verdict = MSW_FAILED;
    snprintf(p->structure->text, sizeof p->structure->text, "structure, %s: %s%.100s%selement %llu: got %s, expected %s", p->what,
             leaf->path[0] ? "field " : "", leaf->path, leaf->path[0] ? ", " : "", (unsigned long long)i, texts[0], texts[1]);
}

static uint64_t output_count(const ms_operation *op, uint64_t n) { return ms_operation_is_per_element(op) ? n : 1; }

/* The caller's function, in the caller's locale. */
static msw_result call(prober *p, msw_verification_run function, void *user, uint64_t n)
{
    ms_c_locale_leave(p->locale);
    const msw_result result = function(user, n, (const void *[]){p->input}, (void *[]){p->got}, p->diag);
    p->locale = ms_c_locale_enter();
    return result;
}

/* The kernel of states. */
static msw_result run(prober *p, uint64_t n)
{
    const int has_own = p->v->state_spec != NULL;
    memset(p->got, 0xa5, output_count(p->op, n) * p->op->output->info.size_bytes);
    return has_own ? call(p, p->desc->run_state, p->desc->state_user, n) : call(p, p->desc->run, p->desc->user, n);
}

/* Whether the output is as expected; else tells the first difference. is_same: ms_is_same_leaf, or .._in_any_order. */
static int compare(prober *p, const ms_operation *op, uint64_t n, int (*is_same)(msw_scalar, uint64_t, uint64_t))
{
    const ms_type *out = op->output;
    const uint64_t count = output_count(op, n);
    if (!memcmp(p->got, p->expected, count * out->info.size_bytes)) return 1;
    for (uint64_t i = 0; i < count; i++)
        for (uint32_t l = 0; l < out->info.leaf_count; l++) {
            const msw_leaf *leaf = &out->info.leaves[l];
            const uint64_t a = ms_scalar_load(leaf->scalar, element(p->got, out, i) + leaf->offset_bytes);
            const uint64_t b = ms_scalar_load(leaf->scalar, element(p->expected, out, i) + leaf->offset_bytes);
            if (is_same(leaf->scalar, a, b)) continue;
            tell_difference(p, leaf, i, a, b);
            return 0;
        }
    return 1;
}

static int is_served(const prober *p, uint64_t n) { return p->serving && n > p->before && n <= p->serving->n_max; }

/* ---- exact inputs ---- */

/* Writes the input and its exact result; 0: it is not exact for so many elements. */
static int write_exact(prober *p, const ms_exact_input *input, uint64_t n, int *has_failed)
{
    const ms_type *type = p->op->monoid->type;
    uint64_t state[MS_MAX_ELEMENT_BYTES], wide[MS_MAX_ELEMENT_BYTES], x[MS_MAX_ELEMENT_BYTES], narrow[MS_MAX_ELEMENT_BYTES];
    const uint64_t *args[2] = {p->op->reverse ? x : wide, p->op->reverse ? wide : x};
    const size_t bytes = type->info.leaf_count * sizeof *state;
    const int is_scan = ms_operation_is_per_element(p->op);
    memcpy(state, p->identity, bytes);
    ms_leaves_load(type, p->op->monoid->identity, wide, 1);
    for (uint64_t k = 0; k < n; k++) {
        const uint64_t i = place(p, n, k);
        ms_exact_element(p->op, input, k, x);
        ms_leaves_store(type, element(p->input, type, i), x, 0);
        if (is_scan && p->op->exclusive) ms_leaves_store(type, element(p->expected, type, i), state, 0);
        if (join(p, state, x, state)) return *has_failed = 1, 0;
        ms_leaves_widen(type, x);
        if (ms_eval_run(p->wide, args, wide)) return *has_failed = 1, 0;
        memcpy(narrow, state, bytes);
        ms_leaves_widen(type, narrow);
        for (uint32_t l = 0; l < type->info.leaf_count; l++) {
            const msw_scalar scalar = type->info.leaves[l].scalar;
            if (!ms_is_small(scalar, state[l], p->identity[l])) return 0;
            if (!ms_is_same_in_any_order(ms_scalar_is_float(scalar) ? MSW_F64 : scalar, narrow[l], wide[l])) return 0;
        }
        if (is_scan && !p->op->exclusive) ms_leaves_store(type, element(p->expected, type, i), state, 0);
    }
    if (!is_scan) ms_leaves_store(type, p->expected, state, 0);
    return 1;
}

static msw_result probe_exact(prober *p)
{
    msw_verification *v = p->v;
    if (!v->has_searched && !(v->exact = ms_arena_alloc(&v->arena, MS_EXACT_KEPT * sizeof *v->exact))) return no_memory(p);
    if (!v->has_searched) v->exact_count = ms_exact_search(v->state, &v->arena, v->op->map, v->op->input, v->exact);
    v->has_searched = 1;
    p->what = "integer input";
    for (uint32_t e = 0; e < v->exact_count && p->structure->input_count < MS_EXACT_INPUTS; e++) {
        ms_exact_input input = v->exact[e];
        int is_exact = 0, has_failed = 0;
        const uint64_t n = p->sizes[p->structure->input_count];
        if (!reserve(p, n)) return no_memory(p);
        for (int s = 0; s < SPREAD_STEPS && !is_exact && !has_failed; s++) {
            is_exact = write_exact(p, &input, n, &has_failed);
            if (!is_exact) input.spacing *= 8;
        }
        if (has_failed) return host_failed(p);
        if (!is_exact) continue;
        const msw_result result = run(p, n);
        if (result || !compare(p, p->op, n, ms_is_same_in_any_order)) return result;
        p->structure->input_count++;
        p->own_inputs += (uint32_t)is_served(p, n);
    }
    return MSW_OK;
}

/* ---- pairs ---- */

/* Borders of lanes, subgroups and tiles are where elements get lost. */
static uint64_t draw_place(prober *p, uint64_t n)
{
    static const uint64_t steps[] = {1, 4, 16, 32, 64, 256};
    p->random = ms_splitmix(p->random);
    const uint64_t kind = p->random >> 32 & 7, tile = p->tile, drawn = p->random & 0xffffffff;
    const uint64_t border = kind < 3 ? drawn % (n / tile + 1) * tile : kind < 7 ? drawn % n / steps[drawn % 6] * steps[drawn % 6] : drawn % n;
    const uint64_t at = border + (p->random >> 36 & 1) - (border && p->random >> 37 & 1);
    return at < n ? at : n - 1;
}

static uint64_t random_input_leaf(prober *p, msw_scalar scalar)
{
    unsigned char memory[8] = {0};
    p->random = ms_splitmix(p->random);
    if (ms_scalar_is_float(scalar)) return ms_random_leaf(scalar, &p->random);
    ms_scalar_store(scalar, memory, p->random >> (p->random & 31));
    return ms_scalar_load(scalar, memory);
}

/* Any element, or one that the operation's map makes: laws may hold for such alone. */
static int draw_element(prober *p, int is_mapped, uint64_t *leaves)
{
    const msw_type_info *info = &p->op->monoid->type->info, *given = &p->v->op->input->info;
    uint64_t x[MS_MAX_ELEMENT_BYTES], i = 0;
    const uint64_t *args[2] = {x, &i};
    for (uint32_t l = 0; !is_mapped && l < info->leaf_count; l++) leaves[l] = ms_random_leaf(info->leaves[l].scalar, &p->random);
    for (uint32_t l = 0; is_mapped && l < given->leaf_count; l++) x[l] = random_input_leaf(p, given->leaves[l].scalar);
    return is_mapped ? ms_eval_run(p->map, args, leaves) : 0;
}

static int is_finite(const ms_type *type, const uint64_t *leaves)
{
    for (uint32_t l = 0; l < type->info.leaf_count; l++)
        if (ms_scalar_is_float(type->info.leaves[l].scalar) && !isfinite(ms_scalar_to_double(type->info.leaves[l].scalar, leaves[l]))) return 0;
    return 1;
}

/* Elements that identities leave as they are, so that every tree has the same three states. */
static int draw_pair(prober *p, uint64_t (*states)[MS_MAX_ELEMENT_BYTES], uint64_t *second)
{
    if (!ms_is_neutral(p->op, p->combine, p->identity)) return 0;
    memcpy(states[0], p->identity, sizeof p->identity);
    for (int tries = 0; tries < 16; tries++) {
        const int is_mapped = p->map && tries & 1;
        if (draw_element(p, is_mapped, states[1]) || draw_element(p, is_mapped, second)) return 0;
        if (join(p, states[1], second, states[2])) return 0;
        if (is_finite(p->op->monoid->type, states[2]) && ms_is_neutral(p->op, p->combine, states[1]) && ms_is_neutral(p->op, p->combine, second) &&
            ms_is_neutral(p->op, p->combine, states[2]))
            return 1;
    }
    return 0;
}

/* One element at the places from .. to - 1 in the order of combination. */
static void fill(const prober *p, unsigned char *array, uint64_t n, uint64_t from, uint64_t to, const uint64_t *leaves)
{
    const ms_type *type = p->op->monoid->type;
    const size_t bytes = type->info.size_bytes;
    if (from >= to) return;
    unsigned char *first = element(array, type, p->op->reverse ? n - to : from);
    const uint64_t count = to - from;
    ms_leaves_store(type, first, leaves, 0);
    for (uint64_t done = 1; done < count; done *= 2) memcpy(first + done * bytes, first, (done < count - done ? done : count - done) * bytes);
}

static void write_pair_input(prober *p, uint64_t n, uint64_t first, uint64_t second, const uint64_t *a, const uint64_t *b)
{
    fill(p, p->input, n, 0, n, p->identity);
    fill(p, p->input, n, first, first + 1, a);
    fill(p, p->input, n, second, second + 1, b);
}

static void write_pair_states(prober *p, uint64_t n, uint64_t first, uint64_t second, uint64_t (*states)[MS_MAX_ELEMENT_BYTES])
{
    const uint64_t shift = p->op->exclusive != 0; /* an exclusive scan's state k has the elements before k */
    if (!ms_operation_is_per_element(p->op)) {
        ms_leaves_store(p->op->monoid->type, p->expected, states[2], 0);
        return;
    }
    fill(p, p->expected, n, 0, first + shift, states[0]);
    fill(p, p->expected, n, first + shift, second + shift, states[1]);
    fill(p, p->expected, n, second + shift, n, states[2]);
}

static void draw_places(prober *p, uint64_t n, uint64_t *first, uint64_t *second)
{
    *first = draw_place(p, n);
    do *second = draw_place(p, n);
    while (*second == *first);
    if (*second < *first) {
        const uint64_t kept = *first;
        *first = *second, *second = kept;
    }
}

static void count_pair(prober *p, uint64_t n)
{
    p->structure->pair_count++;
    p->own_pairs += (uint32_t)is_served(p, n);
}

static msw_result probe_exact_pairs(prober *p, uint64_t n, uint32_t count)
{
    uint64_t states[3][MS_MAX_ELEMENT_BYTES], b[MS_MAX_ELEMENT_BYTES], first, second;
    p->what = "pair";
    for (uint32_t i = 0; i < count; i++) {
        if (!draw_pair(p, states, b)) return MSW_OK;
        draw_places(p, n, &first, &second);
        write_pair_input(p, n, first, second, states[1], b);
        write_pair_states(p, n, first, second, states);
        const msw_result result = run(p, n);
        if (result || !compare(p, p->op, n, ms_is_same_leaf)) return result;
        count_pair(p, n);
    }
    return MSW_OK;
}

/* What a device may have before, between and after the elements of a pair. Wide. */
typedef struct pair_bounds {
    uint64_t states[3][MS_MAX_ELEMENT_BYTES];
    double moved[3][MS_MAX_ELEMENT_BYTES];
} pair_bounds;

static int join_pushed(prober *p, ms_push *push, const uint64_t *a, const uint64_t *b, uint64_t *joined)
{
    const uint64_t *args[2] = {p->op->reverse ? b : a, p->op->reverse ? a : b};
    return ms_eval_run_pushed(p->wide, push, args, joined);
}

/* The state as it comes through a tree of identities. */
static int absorb(prober *p, ms_push *push, uint64_t *state)
{
    uint64_t identity[MS_MAX_ELEMENT_BYTES];
    ms_leaves_load(p->op->monoid->type, p->op->monoid->identity, identity, 1);
    for (int k = 0; k < TREE_DEPTH; k++)
        if (join_pushed(p, push, identity, state, state) || join_pushed(p, push, state, identity, state)) return -1;
    return 0;
}

/* As bounds are made (bounds.h), of two elements. */
static int bound_pair(prober *p, const uint64_t *a, const uint64_t *b, pair_bounds *bounds)
{
    static const ms_push_rule rules[] = {MS_PUSH_NONE, MS_PUSH_AWAY, MS_PUSH_UP, MS_PUSH_SIGN};
    const ms_type *type = p->op->monoid->type;
    uint64_t states[3][MS_MAX_ELEMENT_BYTES], second[MS_MAX_ELEMENT_BYTES];
    memset(bounds->moved, 0, sizeof bounds->moved);
    for (int r = 0; r < 4; r++) {
        ms_push push = {.rule = rules[r], .is_loose = p->v->is_loose, .random = 1};
        memcpy(states[0], p->identity, sizeof p->identity);
        memcpy(states[1], a, sizeof second);
        memcpy(second, b, sizeof second);
        for (int s = 0; s < 2; s++) ms_leaves_widen(type, states[s]);
        ms_leaves_widen(type, second);
        if (absorb(p, &push, states[0]) || absorb(p, &push, states[1]) || absorb(p, &push, second)) return -1;
        if (join_pushed(p, &push, states[1], second, states[2]) || absorb(p, &push, states[2])) return -1;
        if (!r) memcpy(bounds->states, states, sizeof states);
        for (int s = 0; r && s < 3; s++)
            for (uint32_t l = 0; l < type->info.leaf_count; l++)
                if (states[s][l] != bounds->states[s][l])
                    bounds->moved[s][l] =
                        ms_scalar_is_float(type->info.leaves[l].scalar)
                            ? fmax(bounds->moved[s][l], ms_scalar_moved(ms_double_of(states[s][l]), ms_double_of(bounds->states[s][l])))
                            : (double)INFINITY;
    }
    return 0;
}

/* 1: a leaf of what a device has after so many elements of the pair is as near as it must be. */
static int is_in_bounds(const pair_bounds *bounds, int done, uint32_t l, msw_scalar scalar, uint64_t got)
{
    const double moved = bounds->moved[done][l];
    if (!ms_scalar_is_float(scalar)) return got == bounds->states[done][l] || isinf(moved);
    const double x = ms_scalar_to_double(scalar, got), y = ms_double_of(bounds->states[done][l]);
    return x == y || isnan(y) || !isfinite(moved) || fabs(x - y) <= ms_scalar_bound(scalar, moved, y);
}

static void compare_pair(prober *p, const pair_bounds *bounds, uint64_t n, uint64_t first, uint64_t second)
{
    const ms_type *type = p->op->monoid->type;
    const int is_scan = ms_operation_is_per_element(p->op);
    const size_t bytes = type->info.size_bytes;
    int last = -1; /* what was compared last had so many of the pair */
    for (uint64_t k = is_scan ? 0 : n - 1; k < n; k++) {
        const uint64_t done = is_scan && p->op->exclusive ? k : k + 1, i = is_scan ? place(p, n, k) : 0;
        const int count = (done > first) + (done > second);
        const unsigned char *own = element(p->got, type, i), *before = p->op->reverse ? own + bytes : own - bytes;
        if (is_scan && count == last && !memcmp(own, before, bytes)) continue;
        last = count;
        for (uint32_t l = 0; l < type->info.leaf_count; l++) {
            const msw_leaf *leaf = &type->info.leaves[l];
            const uint64_t got = ms_scalar_load(leaf->scalar, own + leaf->offset_bytes), expected = bounds->states[count][l];
            if (is_in_bounds(bounds, count, l, leaf->scalar, got)) continue;
            tell_difference(p, leaf, i, got,
                            ms_scalar_is_float(leaf->scalar) ? ms_scalar_from_double(leaf->scalar, ms_double_of(expected)) : expected);
            return;
        }
    }
}

/* 1: identities change no more of it than roundings do. */
static int is_near_neutral(prober *p, const uint64_t *leaves)
{
    const ms_type *type = p->op->monoid->type;
    ms_push none = {.rule = MS_PUSH_NONE, .is_loose = 1, .random = 1};
    uint64_t identity[MS_MAX_ELEMENT_BYTES], x[MS_MAX_ELEMENT_BYTES], joined[2][MS_MAX_ELEMENT_BYTES];
    ms_leaves_load(type, p->op->monoid->identity, identity, 1);
    memcpy(x, leaves, sizeof x);
    ms_leaves_widen(type, x);
    if (join_pushed(p, &none, identity, x, joined[0]) || join_pushed(p, &none, x, identity, joined[1])) return 0;
    for (uint32_t l = 0; l < type->info.leaf_count; l++)
        for (int side = 0; side < 2; side++) {
            const double value = ms_double_of(x[l]), error = fabs(ms_double_of(joined[side][l]) - value);
            if (joined[side][l] != x[l] && !(ms_scalar_is_float(type->info.leaves[l].scalar) && error <= 1e-9 * fabs(value))) return 0;
        }
    return 1;
}

static int draw_near_neutral(prober *p, uint64_t *leaves)
{
    for (int tries = 0; tries < 16; tries++)
        if (!draw_element(p, p->map && tries & 1, leaves) && is_near_neutral(p, leaves)) return 1;
    return 0;
}

/* Where a device's own functions are in the combination, or identities leave a trace: pairs within bounds. */
static msw_result probe_inexact_pairs(prober *p, uint64_t n, uint32_t count)
{
    uint64_t a[MS_MAX_ELEMENT_BYTES], b[MS_MAX_ELEMENT_BYTES], first, second;
    pair_bounds *bounds = ms_arena_alloc(&p->arena, sizeof *bounds);
    msw_result result = MSW_OK;
    if (!bounds) return no_memory(p);
    p->what = "pair";
    p->are_pairs_inexact = 1;
    for (uint32_t i = 0; !result && i < count && p->structure->verdict != MSW_FAILED; i++) {
        if (!draw_near_neutral(p, a) || !draw_near_neutral(p, b)) return MSW_OK;
        draw_places(p, n, &first, &second);
        write_pair_input(p, n, first, second, a, b);
        if (bound_pair(p, a, b, bounds)) return host_failed(p);
        result = run(p, n);
        if (!result) compare_pair(p, bounds, n, first, second);
        count_pair(p, n);
    }
    return result;
}

/* Of few tiles; and some of as many elements as the user's variant serves, where that is another. */
static msw_result probe_pairs(prober *p, msw_result (*probe_some)(prober *, uint64_t, uint32_t))
{
    const uint32_t wanted = p->desc->pair_count ? p->desc->pair_count : MS_PAIRS, few = wanted < FEW_PAIRS ? wanted : FEW_PAIRS;
    const uint32_t own = p->own && !is_served(p, p->sizes[1]) ? few : 0;
    const int is_long = p->sizes[1] * p->op->input->info.size_bytes > PAIR_BYTES;
    msw_result result = probe_some(p, p->sizes[1], is_long ? few : wanted - own);
    if (result || !own || p->structure->verdict == MSW_FAILED) return result;
    return reserve(p, p->own) ? probe_some(p, p->own, own) : no_memory(p);
}

/* ---- the operation itself ---- */

/* Whether identities would leave the mapped element and the result as they are. */
static int is_order_free(prober *p, const ms_operation *op, const unsigned char *input, uint64_t n, const uint64_t *start)
{
    uint64_t x[MS_MAX_ELEMENT_BYTES], state[MS_MAX_ELEMENT_BYTES], mapped[MS_MAX_ELEMENT_BYTES];
    memcpy(state, start, sizeof state);
    for (uint64_t k = 0; k < n; k++) {
        const uint64_t i = op->reverse ? n - 1 - k : k, *args[2] = {x, &i};
        ms_leaves_load(op->input, input + i * op->input->info.size_bytes, x, 0);
        if (!p->map) memcpy(mapped, x, sizeof mapped);
        else if (ms_eval_run(p->map, args, mapped)) return 0;
        if (!ms_is_neutral(p->op, p->combine, mapped) || join(p, state, mapped, state) || !ms_is_neutral(p->op, p->combine, state)) return 0;
    }
    return 1;
}

/* One element after init, or two: what map and output make of them, to the bit. */
static msw_result probe_singles(prober *p)
{
    const ms_operation *op = p->v->op;
    const uint64_t n = op->init ? 1 : 2, extra = op->init && op->exclusive; /* an exclusive scan shows the last element to none */
    unsigned char input[3 * MS_MAX_ELEMENT_BYTES], expected[3 * MS_MAX_ELEMENT_BYTES], got[3 * MS_MAX_ELEMENT_BYTES];
    unsigned char *const kept[3] = {p->input, p->expected, p->got};
    uint64_t start[MS_MAX_ELEMENT_BYTES];
    msw_result result = MSW_OK;
    if (!p->desc->run || !ms_is_neutral(p->op, p->combine, p->identity)) return MSW_OK;
    ms_leaves_load(op->monoid->type, op->init ? op->init : op->monoid->identity, start, 0);
    p->input = input, p->expected = expected, p->got = got;
    p->what = "single elements through map and output";
    for (int s = 0; s < SINGLES && !result && p->structure->verdict != MSW_FAILED; s++) {
        memset(input, 0, sizeof input);
        for (uint64_t i = 0; i < n + extra; i++)
            for (uint32_t l = 0; l < op->input->info.leaf_count; l++) {
                const msw_leaf *leaf = &op->input->info.leaves[l];
                ms_scalar_store(leaf->scalar, input + i * op->input->info.size_bytes + leaf->offset_bytes, random_input_leaf(p, leaf->scalar));
            }
        if (!is_order_free(p, op, input, n, start)) continue;
        result = ms_oracle_run(op, &p->v->allocator, n + extra, (const void *[]){input}, (void *[]){expected}, NULL, NULL, MS_NAN_OWN, p->diag);
        if (!result) result = call(p, p->desc->run, p->desc->user, n + extra);
        if (!result) compare(p, op, n + extra, ms_is_same_leaf);
    }
    p->input = kept[0], p->expected = kept[1], p->got = kept[2];
    return result;
}

/* Numbers like those of pairs, or, where no function is a source, which may be made for small ones, of all sizes. */
static void write_short_input(prober *p, uint64_t n, int is_small)
{
    const ms_type *type = p->v->op->input;
    memset(p->input, 0, n * type->info.size_bytes);
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t l = 0; l < type->info.leaf_count; l++) {
            const msw_leaf *leaf = &type->info.leaves[l];
            const uint64_t bits = is_small ? ms_random_leaf(leaf->scalar, &p->random) : random_input_leaf(p, leaf->scalar);
            ms_scalar_store(leaf->scalar, element(p->input, type, i) + leaf->offset_bytes, bits);
        }
}

/* Judges the output of a short run as that of a user's data is judged. */
static void judge_short(prober *p, const ms_bounds *bounds)
{
    const ms_type *type = p->v->op->output;
    msw_verified_field fields[MS_MAX_ELEMENT_BYTES] = {{0}};
    int is_verified = 1;
    ms_bounds_judge(bounds, type, p->got, MS_PROBED_STATES, fields);
    for (uint32_t l = 0; l < bounds->leaf_count; l++) {
        const msw_leaf *leaf = &type->info.leaves[l];
        const uint64_t offset = fields[l].element * type->info.size_bytes + leaf->offset_bytes;
        is_verified = is_verified && fields[l].verdict == MSW_VERIFIED;
        if (fields[l].verdict != MSW_FAILED) continue;
        tell_difference(p, leaf, fields[l].element, ms_scalar_load(leaf->scalar, p->got + offset),
                        ms_scalar_load(leaf->scalar, bounds->expected + offset));
        return;
    }
    p->structure->short_count += (uint32_t)is_verified;
}

static msw_result run_short(prober *p, uint64_t n, int is_small)
{
    const ms_operation *op = p->v->op;
    ms_bounds bounds;
    ms_arena arena;
    ms_arena_init(&arena, &p->v->allocator, 0);
    write_short_input(p, n, is_small);
    memset(p->got, 0xa5, output_count(op, n) * op->output->info.size_bytes);
    msw_result result = ms_bounds_make(op, &arena, p->v->is_loose, n, p->input, &bounds);
    if (result == MSW_ERROR_OUT_OF_MEMORY) no_memory(p);
    else if (result) result = MSW_OK; /* a host function that refuses such an input */
    else if (!(result = call(p, p->desc->run, p->desc->user, n))) judge_short(p, &bounds);
    ms_arena_free(&arena);
    return result;
}

/* The operation itself, with its map and output, of a few elements: what only a part of a tile, or a short prefix, shows. */
static msw_result probe_short(prober *p)
{
    static const uint64_t lengths[] = {1, 2, 3, LONGEST_SHORT};
    static const char *const names[] = {"1 element", "2 elements", "3 elements", "5 elements"};
    unsigned char input[LONGEST_SHORT * MS_MAX_ELEMENT_BYTES], got[LONGEST_SHORT * MS_MAX_ELEMENT_BYTES];
    unsigned char *const kept[2] = {p->input, p->got};
    const int is_small = p->v->op->info.sources != NULL;
    msw_result result = MSW_OK;
    if (!p->desc->run) return MSW_OK;
    p->input = input, p->got = got;
    for (int l = 0; l < 4; l++)
        for (int r = 0; r < SHORT_RUNS && !result && p->structure->verdict != MSW_FAILED; r++) {
            p->what = names[l];
            result = run_short(p, lengths[l], is_small || r & 1);
        }
    p->input = kept[0], p->got = kept[1];
    return result;
}

/* ---- the whole ---- */

static void find_serving(prober *p)
{
    const msw_plan *plan = p->desc->plan;
    uint64_t tile = 0;
    uint32_t w = 0;
    p->tile = DEFAULT_TILE;
    if (!plan || !plan->variant_count) return;
    while (w + 1 < plan->variant_count && p->desc->n > plan->variants[w].n_max) w++;
    p->serving = &plan->variants[w];
    p->before = w ? plan->variants[w - 1].n_max : 0;
    for (uint32_t s = p->serving->first_step; s < p->serving->first_step + p->serving->step_count; s++)
        if (plan->steps[s].tile_items > tile) tile = plan->steps[s].tile_items;
    if (tile > 1) p->tile = tile;
}

/* Several tiles and a part of one; and at the least as many as the variant serves that the user's data take. */
static void choose_sizes(prober *p)
{
    find_serving(p);
    const uint64_t most = p->serving ? p->serving->n_max : UINT64_MAX, tiles = 4 * p->tile + p->tile / 2 + 3;
    const uint64_t few = p->op->monoid->combine->leaves ? 0 : 2 * p->tile; /* fewer where a Lua function combines, which takes long */
    p->own = p->before >= LONGEST_EXACT ? 0 : p->before + tiles < most ? p->before + tiles : most;
    const uint64_t wanted[MS_EXACT_INPUTS] = {few ? few + 3 : p->own ? p->own : tiles, 3 * p->tile + 1 - few / 2, 6 * p->tile - 1 - 2 * few};
    for (int s = 0; s < MS_EXACT_INPUTS; s++) p->sizes[s] = wanted[s] < most ? wanted[s] : most;
}

static int open(prober *p)
{
    ms_arena_init(&p->arena, &p->v->allocator, 0);
    choose_sizes(p);
    p->combine = ms_eval_create(&p->arena, p->op->monoid->combine, 0);
    p->wide = ms_eval_create(&p->arena, p->op->monoid->combine, 1);
    p->map = p->v->op->map ? ms_eval_create(&p->arena, p->v->op->map, 0) : NULL;
    ms_leaves_load(p->op->monoid->type, p->op->monoid->identity, p->identity, 0);
    return p->combine && p->wide && (p->map || !p->v->op->map) && reserve(p, p->sizes[0]);
}

static msw_result probe(prober *p)
{
    const int is_promised = ms_function_is_promised(p->op->monoid->combine);
    if (!open(p)) return no_memory(p);
    msw_result result = probe_exact(p);
    if (!result && p->structure->verdict != MSW_FAILED && is_promised) result = probe_pairs(p, probe_exact_pairs);
    if (!result && p->structure->verdict != MSW_FAILED && !p->structure->pair_count) result = probe_pairs(p, probe_inexact_pairs);
    const ms_operation *op = p->v->op;
    const int is_all_promised =
        is_promised && (!op->map || ms_function_is_promised(op->map)) && (!op->output_map || ms_function_is_promised(op->output_map));
    if (!result && p->structure->verdict != MSW_FAILED && is_all_promised && p->v->state_spec) result = probe_singles(p);
    if (!result && p->structure->verdict != MSW_FAILED) result = probe_short(p);
    return result;
}

/* "3 integer inputs"; "" where there is none. */
static const char *format_count(char text[40], uint32_t count, const char *what)
{
    snprintf(text, count ? 40 : 1, "%u %s%s", count, what, count == 1 ? "" : "s");
    return text;
}

/* Of a plan with several variants: what the one has run that serves the user's n. */
static void tell_serving(const prober *p)
{
    msw_structure *s = p->structure;
    const size_t length = strlen(s->text), bytes = sizeof s->text - length;
    const char *strategy = p->serving ? p->serving->strategy : NULL;
    char inputs[40], pairs[40];
    if (!p->before || s->verdict == MSW_NOT_VERIFIED) return;
    format_count(inputs, p->own_inputs, "integer input");
    format_count(pairs, p->own_pairs, "pair");
    if (p->own_inputs || p->own_pairs) {
        snprintf(s->text + length, bytes, "; of these %s%s%s of %s, which serves n = %llu", inputs, inputs[0] && pairs[0] ? " and " : "", pairs,
                 strategy, (unsigned long long)p->desc->n);
        return;
    }
    s->verdict = MSW_NOT_VERIFIED;
    snprintf(s->text + length, bytes, "; not probed: %s, which serves n = %llu, from %llu elements on", strategy, (unsigned long long)p->desc->n,
             (unsigned long long)p->before + 1);
}

/* What was done, and nothing that was not. */
static void tell(const prober *p)
{
    msw_structure *s = p->structure;
    const uint32_t exact_count = p->are_pairs_inexact ? 0 : s->pair_count, near_count = s->pair_count - exact_count;
    const size_t bytes = sizeof s->text;
    char inputs[40], exact[40], near[40], runs[40];
    if (s->verdict == MSW_FAILED) return;
    format_count(inputs, s->input_count, "integer input");
    format_count(exact, exact_count, "pair");
    format_count(near, near_count, "pair");
    format_count(runs, s->short_count, "short run");
    s->verdict = s->input_count || s->pair_count ? MSW_VERIFIED : MSW_NOT_VERIFIED;
    s->is_exact = s->input_count || exact_count;
    if (s->verdict == MSW_NOT_VERIFIED) snprintf(s->text, bytes, "structure not tested: no small integers are exact in every order");
    else if (!s->is_exact) snprintf(s->text, bytes, "structure within bounds (%s)", near);
    else
        snprintf(s->text, bytes, "structure exact (%s%s%s)%s%s%s", inputs, s->input_count && exact_count ? ", " : "", exact, near_count ? ", " : "",
                 near, near_count ? " within bounds" : "");
    tell_serving(p);
    const size_t length = strlen(s->text);
    if (s->short_count) snprintf(s->text + length, bytes - length, "; %s within bounds", runs);
}

static msw_result probe_all(msw_verification *v, const msw_probe_desc *desc, msw_structure *structure, msw_diag *diag)
{
    if (v->is_bitwise || !v->op->monoid)
        return snprintf(structure->text, sizeof structure->text, v->is_bitwise ? "bits are compared" : "nothing is combined"),
               ms_diag(diag, MSW_OK, "", NULL, 0, "%s", "");
    if (v->state_spec ? !desc->run_state : !desc->run)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "verify", NULL, 0, "msw_probe_desc: %s is NULL; give a function that runs the kernel",
                       v->state_spec ? "run_state" : "run");
    prober p = {.v = v, .desc = desc, .structure = structure, .op = v->state, .random = 1, .diag = diag, .locale = ms_c_locale_enter()};
    const msw_result result = probe(&p);
    ms_c_locale_leave(p.locale);
    ms_arena_free(&p.arena);
    if (result) return result;
    tell(&p);
    return ms_diag(diag, MSW_OK, "", NULL, 0, "%s", "");
}

msw_result msw_verification_probe(msw_verification *v, const msw_probe_desc *desc, msw_structure *structure, msw_diag *diag)
{
    msw_structure found = {.verdict = MSW_VERIFIED};
    msw_probe_desc read;
    if (!v || !desc || !structure)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "verify", NULL, 0, "msw_verification_probe: %s is NULL",
                       !v      ? "verification"
                       : !desc ? "desc"
                               : "structure");
    msw_result result = MS_SIZED_READ(msw_probe_desc, desc, &read, "verify", diag);
    if (!result) result = MS_SIZED_CHECK(msw_structure, structure, "verify", diag);
    if (result) return result;
    result = probe_all(v, &read, &found, diag);
    ms_sized_write(structure, &found, sizeof found);
    return result;
}
