/* simulated_device.h - a device that computes scans and reductions tile by tile on the host, in one of several trees, as exactly as devices must, and
 * may make one mistake. For one file of a program. */
#ifndef SIMULATED_DEVICE_H
#define SIMULATED_DEVICE_H

#include "spec/spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum tree { SEQUENTIAL, BALANCED, RANDOM, TREES } tree;

typedef enum mistake {
    NO_MISTAKE,
    LOST_TILE,    /* one tile's aggregate is left out of what follows */
    DOUBLED_TILE, /* .. goes in twice */
    DROPPED_ITEM, /* one item is taken for an identity */
    SWAPPED,      /* one tile's aggregate goes before what precedes it */
    WRONG_FIELD,  /* one scalar of a prefix has another's value */
    STALE_PREFIX, /* a tile has the prefix of the one before it */
    CONTRACTED,   /* combine is rounded once, at its end */
    TRUNCATED,    /* combine's results are rounded towards zero */
    ZERO_OUTPUT,  /* the last scalar of every output is 0 */
    LOST_MAP,     /* the map makes an identity of one element in the second tile */
    LOST_PLACE,   /* an item of a packed output is not written */
    MOVED_PLACE,  /* one is written a place further */
    MISTAKES
} mistake;

static const char *const mistake_names[] = {"nothing",
                                            "a lost tile",
                                            "a doubled tile",
                                            "a dropped item",
                                            "swapped operands",
                                            "a wrong field",
                                            "a stale prefix",
                                            "a contraction",
                                            "a rounding to zero",
                                            "an output of zero",
                                            "an element that the map loses",
                                            "an item that is not written",
                                            "an item a place further"};

/* Tiles' own scans, which devices share that make other mistakes: of the same rows the same states. Slots are by hash. */
typedef struct sim_scan {
    const ms_operation *op;
    tree tree;
    ms_push before, after; /* equal: the scan took no random number, so whatever came before */
    size_t bytes;
    uint64_t *rows; /* the tile's, then their states */
} sim_scan;

enum { SIM_SCANS = 1024 };

typedef struct simulated_device {
    const ms_operation *op;
    uint32_t tile;
    tree tree;
    mistake mistake;
    ms_push push; /* of functions */
    uint64_t random;
    ms_eval *map, *combine, *wide, *output, *item, *totals, *empty, *recount, *merged;
    uint64_t counted[MS_MAX_ELEMENT_BYTES]; /* counters so far, where states decide what is kept */
    uint64_t *states;
    uint32_t leaves;
    sim_scan *scans; /* SIM_SCANS; NULL: every tile is scanned anew */
} simulated_device;

static inline uint64_t sim_random(simulated_device *d)
{
    d->random ^= d->random << 13;
    d->random ^= d->random >> 7;
    d->random ^= d->random << 17;
    return d->random;
}

static inline uint64_t sim_towards_zero(msw_scalar scalar, uint64_t wide_bits)
{
    double exact;
    memcpy(&exact, &wide_bits, sizeof exact);
    const uint64_t rounded = ms_scalar_from_double(scalar, exact);
    return isfinite(exact) && fabs(ms_scalar_to_double(scalar, rounded)) > fabs(exact) ? rounded - 1 : rounded;
}

static inline void sim_join_wide(simulated_device *d, const uint64_t *const *args, uint64_t *joined)
{
    uint64_t wide[2][MS_MAX_ELEMENT_BYTES], result[MS_MAX_ELEMENT_BYTES];
    const ms_type *type = d->op->monoid->type;
    for (int a = 0; a < 2; a++) {
        memcpy(wide[a], args[a], d->leaves * sizeof **wide);
        ms_leaves_widen(type, wide[a]);
    }
    ms_eval_run(d->wide, (const uint64_t *[]){wide[0], wide[1]}, result);
    for (uint32_t l = 0; l < d->leaves; l++) {
        const msw_scalar scalar = type->info.leaves[l].scalar;
        double value;
        memcpy(&value, &result[l], sizeof value);
        if (!ms_scalar_is_float(scalar)) joined[l] = result[l];
        else joined[l] = d->mistake == TRUNCATED ? sim_towards_zero(scalar, result[l]) : ms_scalar_from_double(scalar, value);
    }
}

static inline void sim_join(simulated_device *d, const uint64_t *a, const uint64_t *b, uint64_t *joined)
{
    const uint64_t *args[2] = {d->op->reverse ? b : a, d->op->reverse ? a : b};
    if (d->mistake == CONTRACTED || d->mistake == TRUNCATED) sim_join_wide(d, args, joined);
    else ms_eval_run_pushed(d->combine, &d->push, args, joined);
}

static inline uint64_t *sim_row(const simulated_device *d, uint64_t k) { return d->states + k * d->leaves; }

static inline void sim_copy(const simulated_device *d, uint64_t *to, const uint64_t *from) { memcpy(to, from, d->leaves * sizeof *to); }

/* The tile's own inclusive states, in place. */
static inline void sim_scan_range(simulated_device *d, uint64_t first, uint64_t end)
{
    const uint64_t count = end - first;
    if (count < 2) return;
    if (d->tree == SEQUENTIAL) {
        for (uint64_t k = first + 1; k < end; k++) sim_join(d, sim_row(d, k - 1), sim_row(d, k), sim_row(d, k));
        return;
    }
    const uint64_t middle = first + (d->tree == BALANCED ? count / 2 : 1 + sim_random(d) % (count - 1));
    sim_scan_range(d, first, middle);
    sim_scan_range(d, middle, end);
    for (uint64_t k = middle; k < end; k++) sim_join(d, sim_row(d, middle - 1), sim_row(d, k), sim_row(d, k));
}

static inline int sim_is_same_push(const ms_push *a, const ms_push *b)
{
    return a->rule == b->rule && a->is_loose == b->is_loose && a->random == b->random && a->has_guessed == b->has_guessed &&
           a->is_unbounded == b->is_unbounded;
}

static inline int sim_is_of(const sim_scan *scan, const simulated_device *d, const uint64_t *rows, size_t bytes)
{
    const ms_push *push = &d->push;
    if (scan->op != d->op || scan->tree != d->tree || scan->bytes != bytes || scan->before.rule != push->rule) return 0;
    return (sim_is_same_push(&scan->before, &scan->after) || sim_is_same_push(&scan->before, push)) && !memcmp(scan->rows, rows, bytes);
}

/* As sim_scan_range does it, or did it before. */
static inline void sim_scan_tile(simulated_device *d, uint64_t first, uint64_t end)
{
    uint64_t *rows = sim_row(d, first), hash = 0xcbf29ce484222325u; /* FNV-1a, of words */
    const size_t words = (size_t)(end - first) * d->leaves, bytes = words * sizeof *rows;
    if (!d->scans || d->tree == RANDOM || d->mistake == CONTRACTED || d->mistake == TRUNCATED) {
        sim_scan_range(d, first, end);
        return;
    }
    for (size_t w = 0; w < words; w++) hash = (hash ^ rows[w]) * 0x100000001b3u;
    sim_scan *scan = &d->scans[(hash ^ hash >> 32) % SIM_SCANS];
    if (!sim_is_of(scan, d, rows, bytes)) {
        free(scan->rows);
        *scan = (sim_scan){.op = d->op, .tree = d->tree, .before = d->push, .bytes = bytes, .rows = malloc(2 * bytes)};
        if (!scan->rows) abort();
        memcpy(scan->rows, rows, bytes);
        sim_scan_range(d, first, end);
        memcpy(scan->rows + words, rows, bytes);
        scan->after = d->push;
        return;
    }
    memcpy(rows, scan->rows + words, bytes);
    if (sim_is_same_push(&scan->before, &d->push)) d->push = scan->after;
}

static inline void sim_confuse_fields(const simulated_device *d, uint64_t *state)
{
    const msw_type_info *info = &d->op->monoid->type->info;
    for (uint32_t l = info->leaf_count; l-- > 1;)
        if (info->leaves[l].scalar == info->leaves[l - 1].scalar) {
            state[l] = state[l - 1];
            return;
        }
    ms_leaves_load(d->op->monoid->type, d->op->monoid->identity, state, 0);
}

/* Places as the mistake has them; beyond the arrays' ends is nowhere. */
static inline void sim_move_places(const simulated_device *d, uint64_t n, uint64_t i, uint64_t *made)
{
    for (uint32_t b = 0; b < d->op->info.buffer_count; b++) {
        uint64_t *place = d->op->places[b] ? &made[d->op->places[b] - 1] : NULL;
        if (!place) continue;
        if (i / 8 == n / 16 && *place != MS_NOWHERE) *place = d->mistake == LOST_PLACE ? MS_NOWHERE : *place + (d->mistake == MOVED_PLACE);
        if (*place >= ms_operation_elements(d->op, b, n)) *place = MS_NOWHERE;
    }
}

/* The last scalar that is no place. */
static inline uint32_t sim_last_value(const ms_operation *op)
{
    uint32_t leaves = op->output->info.leaf_count;
    for (uint32_t b = 0; b < op->info.buffer_count; b++)
        if (op->places[b] && op->places[b] - 1 < leaves) leaves = op->places[b] - 1;
    return leaves - 1;
}

/* Those of an element whose first one has the place `first`. */
static inline void sim_write_items(simulated_device *d, uint64_t n, const ms_item *item, uint64_t first, void *const *outputs)
{
    const uint64_t *const args[3] = {item->x, &item->i, item->near};
    const uint64_t room = ms_operation_room(d->op, n);
    uint64_t length, made[MS_MAX_ELEMENT_BYTES];
    ms_eval_run_pushed(d->map, &d->push, args, &length);
    for (uint64_t k = 0; k < length && first < room && k < room - first; k++) {
        const uint64_t *const of_item[3] = {item->x, &item->i, &k};
        ms_eval_run_pushed(d->item, &d->push, of_item, made);
        if (d->mistake == ZERO_OUTPUT) made[sim_last_value(d->op)] = 0;
        const int is_misplaced = item->i / 8 == n / 16, moved = is_misplaced && d->mistake == MOVED_PLACE;
        if (is_misplaced && (d->mistake == LOST_PLACE || first + k + (uint64_t)moved >= room)) continue;
        ms_operation_store(d->op, outputs, first + k + (uint64_t)moved, n, made);
    }
}

static inline void sim_write(simulated_device *d, const void *const *inputs, uint64_t n, uint64_t i, const uint64_t *state, void *const *outputs)
{
    uint64_t made[MS_MAX_ELEMENT_BYTES];
    ms_item item;
    const uint64_t *args[4] = {state, item.x, &item.i, item.near};
    if (ms_operation_is_per_element(d->op)) ms_operation_load(d->op, inputs, i, n, &item);
    if (d->item) {
        sim_write_items(d, n, &item, *state, outputs);
        return;
    }
    if (d->output) ms_eval_run_pushed(d->output, &d->push, args, made);
    else sim_copy(d, made, state);
    if (d->mistake == ZERO_OUTPUT) made[sim_last_value(d->op)] = 0;
    sim_move_places(d, n, i, made);
    ms_operation_store(d->op, outputs, i, n, made);
}

static inline void sim_merge(simulated_device *d, uint64_t *state, const uint64_t *counters)
{
    uint64_t made[MS_MAX_ELEMENT_BYTES];
    ms_eval_run(d->merged, (const uint64_t *[]){state, counters}, made);
    sim_copy(d, state, made);
}

/* Gives the state that element i's output is made of its counters. */
static inline void sim_count(simulated_device *d, const void *const *inputs, uint64_t n, uint64_t i, uint64_t *state)
{
    uint64_t kept[MS_MAX_ELEMENT_BYTES], before[MS_MAX_ELEMENT_BYTES];
    ms_item item;
    ms_operation_load(d->op, inputs, i, n, &item);
    sim_copy(d, before, d->counted);
    ms_eval_run_pushed(d->recount, &d->push, (const uint64_t *[]){state, item.x, &item.i, item.near}, kept);
    sim_join(d, d->counted, kept, d->counted);
    sim_merge(d, state, d->op->exclusive ? before : d->counted);
}

static inline void sim_tile(simulated_device *d, const void *const *inputs, uint64_t n, uint64_t t, uint64_t *prefix, uint64_t *stale,
                            void *const *outputs)
{
    const uint64_t first = t * d->tile, end = first + d->tile < n ? first + d->tile : n;
    uint64_t joined[MS_MAX_ELEMENT_BYTES], identity[MS_MAX_ELEMENT_BYTES];
    ms_leaves_load(d->op->monoid->type, d->op->monoid->identity, identity, 0);
    if ((d->mistake == DROPPED_ITEM || d->mistake == LOST_MAP) && t == 1 && n > d->tile + 3) sim_copy(d, sim_row(d, first + 2), identity);
    sim_scan_tile(d, first, end);
    for (uint64_t k = first; ms_operation_is_per_element(d->op) && k < end; k++) {
        const uint64_t *before = d->mistake == STALE_PREFIX && t == 2 ? stale : prefix;
        if (d->op->exclusive && k == first) sim_join(d, before, identity, joined); /* as blocks do, whose threads all combine */
        else sim_join(d, before, sim_row(d, d->op->exclusive ? k - 1 : k), joined);
        if (d->recount) sim_count(d, inputs, n, d->op->reverse ? n - 1 - k : k, joined);
        sim_write(d, inputs, n, d->op->reverse ? n - 1 - k : k, joined, outputs);
    }
    sim_copy(d, stale, prefix);
    if (d->mistake == LOST_TILE && t == 1) return;
    if (d->mistake == STALE_PREFIX && t == 1 && !ms_operation_is_per_element(d->op)) return;
    for (int times = d->mistake == DOUBLED_TILE && t == 1 ? 2 : 1; times > 0; times--) {
        if (d->mistake == SWAPPED && t == 1) sim_join(d, sim_row(d, end - 1), prefix, prefix);
        else sim_join(d, prefix, sim_row(d, end - 1), prefix);
    }
    if (d->mistake == WRONG_FIELD && t == 1) sim_confuse_fields(d, prefix);
}

/* Of segments by offsets those without elements. */
static inline void sim_write_empty(const simulated_device *d, const void *const *inputs, void *const *outputs)
{
    const uint64_t *offsets = inputs[d->op->segments - 1];
    uint64_t made[MS_MAX_ELEMENT_BYTES];
    ms_eval_run(d->empty, NULL, made);
    for (uint64_t j = 0; j < d->op->segment_count; j++)
        if (offsets[j] == offsets[j + 1]) ms_operation_fill(d->op, outputs, j, made);
}

static msw_result sim_run(void *user, uint64_t n, const void *const *inputs, void *const *outputs, msw_diag *diag)
{
    simulated_device *d = user;
    uint64_t prefix[MS_MAX_ELEMENT_BYTES], stale[MS_MAX_ELEMENT_BYTES];
    (void)diag;
    d->states = malloc((n + 1) * d->leaves * sizeof *d->states);
    if (!d->states) return MSW_ERROR_OUT_OF_MEMORY;
    for (uint64_t k = 0; k < n; k++) {
        ms_item item;
        ms_operation_load(d->op, inputs, d->op->reverse ? n - 1 - k : k, n, &item);
        if (d->map) ms_eval_run_pushed(d->map, &d->push, (const uint64_t *[]){item.x, &item.i, item.near}, sim_row(d, k));
        else sim_copy(d, sim_row(d, k), item.x);
    }
    ms_leaves_load(d->op->monoid->type, d->op->init ? d->op->init : d->op->monoid->identity, prefix, 0);
    sim_copy(d, stale, prefix);
    ms_leaves_load(d->op->monoid->type, d->op->monoid->identity, d->counted, 0);
    for (uint64_t t = 0; t * d->tile < n; t++) sim_tile(d, inputs, n, t, prefix, stale, outputs);
    if (!ms_operation_is_per_element(d->op)) sim_write(d, inputs, n, 0, prefix, outputs);
    if (d->recount) sim_merge(d, prefix, d->counted);
    if (d->op->empty) sim_write_empty(d, inputs, outputs);
    if (d->totals) {
        ms_eval_run(d->totals, (const uint64_t *[]){prefix}, stale);
        ms_operation_store_totals(d->op, outputs, stale);
    }
    free(d->states);
    return MSW_OK;
}

/* evaluators: in the arena */
static int sim_open(simulated_device *d, ms_arena *arena, const ms_operation *op)
{
    d->op = op;
    d->leaves = op->monoid->type->info.leaf_count;
    d->random = 88172645463325252u;
    d->combine = ms_eval_create(arena, op->monoid->combine, 0);
    d->wide = ms_eval_create(arena, op->monoid->combine, 1);
    d->map = op->map ? ms_eval_create(arena, op->map, 0) : NULL;
    d->output = op->output_map ? ms_eval_create(arena, op->output_map, 0) : NULL;
    d->item = op->item ? ms_eval_create(arena, op->item, 0) : NULL;
    d->empty = op->empty ? ms_eval_create(arena, op->empty, 0) : NULL;
    d->totals = op->totals ? ms_eval_create(arena, op->totals, 0) : NULL;
    d->recount = op->recount ? ms_eval_create(arena, op->recount, 0) : NULL;
    d->merged = op->merged ? ms_eval_create(arena, op->merged, 0) : NULL;
    return d->combine && d->wide && (d->map || !op->map) && (d->output || !op->output_map) && (d->item || !op->item) && (d->totals || !op->totals) &&
           (d->empty || !op->empty) && (d->recount || !op->recount) && (d->merged || !op->merged);
}

#endif
