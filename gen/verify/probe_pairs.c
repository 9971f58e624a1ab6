/* Pairs of elements among identities: every tree has the same three states of them. */
#include "prober.h"

#include <math.h>
#include <string.h>

enum { PAIR_BYTES = 4 << 20, FEW_PAIRS = 16, TREE_DEPTH = 32 };

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

/* Any element, some of its scalars the identity's (a flag that is clear), or one that the operation's map makes: laws may hold for such alone. */
static int draw_element(prober *p, int is_mapped, uint64_t *leaves)
{
    const msw_type_info *info = &p->op->monoid->type->info, *given = &p->v->op->input->info;
    uint64_t x[MS_MAX_ELEMENT_BYTES], i = 0;
    const uint64_t *args[2] = {x, &i};
    for (uint32_t l = 0; !is_mapped && l < info->leaf_count; l++) {
        leaves[l] = ms_random_leaf(info->leaves[l].scalar, &p->random);
        if (info->leaf_count > 1 && (p->random >> 40 & 3) == 0) leaves[l] = p->identity[l];
    }
    for (uint32_t l = 0; is_mapped && l < given->leaf_count; l++) x[l] = ms_prober_draw_leaf(p, given->leaves[l].scalar);
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
    p->own_pairs += (uint32_t)ms_prober_serves(p, n);
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
        const msw_result result = ms_prober_run(p, n);
        if (result || !ms_prober_compare(p, p->op, n, ms_is_same_leaf)) return result;
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
                    bounds->moved[s][l] = ms_scalar_is_float(type->info.leaves[l].scalar)
                                              ? fmax(bounds->moved[s][l], ms_scalar_moved(type->info.leaves[l].scalar, ms_double_of(states[s][l]),
                                                                                          ms_double_of(bounds->states[s][l])))
                                              : (double)INFINITY;
    }
    return 0;
}

/* 1: a leaf of what a device has after `count` elements of the pair is within its bound. */
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
    int last = -1; /* elements of the pair in what was compared last */
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
            ms_prober_tell(p, leaf, i, got,
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
    if (!bounds) return ms_prober_no_memory(p);
    p->what = "pair";
    p->are_pairs_inexact = 1;
    for (uint32_t i = 0; !result && i < count && p->structure->verdict != MSW_FAILED; i++) {
        if (!draw_near_neutral(p, a) || !draw_near_neutral(p, b)) return MSW_OK;
        draw_places(p, n, &first, &second);
        write_pair_input(p, n, first, second, a, b);
        if (bound_pair(p, a, b, bounds)) return ms_prober_host_failed(p);
        result = ms_prober_run(p, n);
        if (!result) compare_pair(p, bounds, n, first, second);
        count_pair(p, n);
    }
    return result;
}

/* Of few tiles; and some of as many elements as the user's variant serves, where that is another. */
msw_result ms_probe_pairs(prober *p, int are_exact)
{
    msw_result (*const probe_some)(prober *, uint64_t, uint32_t) = are_exact ? probe_exact_pairs : probe_inexact_pairs;
    const uint32_t wanted = p->desc->pair_count ? p->desc->pair_count : MS_PAIRS, few = wanted < FEW_PAIRS ? wanted : FEW_PAIRS;
    const uint32_t own = p->own && !ms_prober_serves(p, p->sizes[1]) ? few : 0;
    const int is_long = p->sizes[1] * p->op->input->info.size_bytes > PAIR_BYTES;
    msw_result result = probe_some(p, p->sizes[1], is_long ? few : wanted - own);
    if (result || !own || p->structure->verdict == MSW_FAILED) return result;
    return ms_prober_reserve(p, p->own) ? probe_some(p, p->own, own) : ms_prober_no_memory(p);
}
