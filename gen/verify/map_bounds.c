/* Bounds of maps, whose elements do not depend on each other: each has a bound of its own. */
#include "bounds.h"

#include <math.h>

enum { RUNS = 4 };

/* How one leaf of an element, as pushed roundings make it, moves what is expected of it. */
static void take(const msw_leaf *leaf, uint64_t expected, uint64_t pushed, double *moved, uint8_t *undecided)
{
    if (!ms_scalar_is_float(leaf->scalar)) {
        if (pushed != expected) *undecided = MS_SOME_NUMBER;
        return;
    }
    const double movement = ms_scalar_moved(leaf->scalar, ms_double_of(pushed), ms_double_of(expected));
    if (isfinite(movement)) *moved = fmax(*moved, movement);
    else *undecided = isnan(ms_double_of(pushed)) || isnan(ms_double_of(expected)) ? MS_ANYTHING : MS_SOME_NUMBER;
}

static int bound_element(ms_eval *map, const ms_operation *op, int is_loose, const void *input, uint64_t i, const int *are_of_floats, ms_bounds *b)
{
    static const ms_push_rule rules[RUNS] = {MS_PUSH_NONE, MS_PUSH_AWAY, MS_PUSH_UP, MS_PUSH_SIGN};
    const msw_type_info *type = &op->output->info;
    uint64_t expected[MS_MAX_ELEMENT_BYTES], pushed[MS_MAX_ELEMENT_BYTES];
    ms_item item;
    const uint64_t *args[3] = {item.x, &item.i, item.near};
    double *moved = b->moved + i * b->leaf_count, *scale = b->scale + i * b->leaf_count;
    uint8_t *undecided = b->undecided + i * b->leaf_count;
    int has_guessed = 0;
    ms_operation_take(op, input, i, b->n, 1, &item);
    for (int r = 0; r < RUNS; r++) {
        ms_push push = {.rule = rules[r], .is_loose = is_loose, .random = i + 1};
        if (ms_eval_run_pushed(map, &push, args, r ? pushed : expected)) return -1;
        has_guessed |= push.has_guessed;
        for (uint32_t l = 0; r && l < b->leaf_count; l++) take(&type->leaves[l], expected[l], pushed[l], &moved[l], &undecided[l]);
    }
    for (uint32_t l = 0; l < b->leaf_count; l++) {
        const msw_scalar scalar = type->leaves[l].scalar;
        if (!ms_scalar_is_float(scalar)) {
            if (has_guessed && are_of_floats[l]) undecided[l] = MS_ANYTHING;
            continue;
        }
        const double value = ms_double_of(expected[l]);
        scale[l] = isfinite(value) ? fabs(value) : 0;
        if (isnan(value) && !undecided[l]) undecided[l] = MS_SURE_NAN;
        else if (isfinite(value) && fabs(value) > ms_scalar_largest(scalar) / 4) undecided[l] = MS_ANYTHING;
    }
    ms_leaves_store(op->output, b->expected + i * type->size_bytes, expected, 1);
    return 0;
}

msw_result ms_map_bounds_make(const ms_operation *op, ms_arena *arena, int is_loose, uint64_t n, const void *input, ms_bounds *bounds)
{
    const uint32_t leaves = op->output->info.leaf_count;
    if (n > SIZE_MAX / 256 / MS_MAX_ELEMENT_BYTES) return MSW_ERROR_OUT_OF_MEMORY;
    *bounds = (ms_bounds){.n = n, .count = n, .first_infinite = n, .block_elements = 1, .block_count = n, .leaf_count = leaves};
    ms_eval *map = ms_eval_create(arena, op->map, 1);
    bounds->expected = ms_arena_alloc(arena, n * op->output->info.size_bytes + 1);
    bounds->moved = ms_arena_alloc(arena, (n * leaves + 1) * sizeof *bounds->moved);
    bounds->scale = ms_arena_alloc(arena, (n * leaves + 1) * sizeof *bounds->scale);
    bounds->undecided = ms_arena_alloc(arena, n * leaves + 1);
    if (!map || !bounds->expected || !bounds->moved || !bounds->scale || !bounds->undecided) return MSW_ERROR_OUT_OF_MEMORY;
    int are_of_floats[MS_MAX_ELEMENT_BYTES];
    for (uint32_t l = 0; l < leaves; l++) are_of_floats[l] = ms_function_leaf_is_of_floats(op->map, l);
    for (uint64_t i = 0; i < n; i++)
        if (bound_element(map, op, is_loose, input, i, are_of_floats, bounds)) return MSW_ERROR_SPEC;
    return MSW_OK;
}
