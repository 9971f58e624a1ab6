/* Bounds of maps, and of items of an expansion, which do not depend on each other: each has a bound of its own. */
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

/* What makes the elements, and what is known of them so far. */
typedef struct bounding {
    const ms_operation *op;
    ms_eval *made;
    int is_loose;
    int are_of_floats[MS_MAX_ELEMENT_BYTES];
    ms_bounds *bounds;
} bounding;

/* Element i, which is made of these arguments. */
static int bound_element(const bounding *of, const uint64_t *const args[3], uint64_t i)
{
    static const ms_push_rule rules[RUNS] = {MS_PUSH_NONE, MS_PUSH_AWAY, MS_PUSH_UP, MS_PUSH_SIGN};
    const msw_type_info *type = &of->op->output->info;
    ms_bounds *b = of->bounds;
    uint64_t expected[MS_MAX_ELEMENT_BYTES], pushed[MS_MAX_ELEMENT_BYTES];
    double *moved = b->moved + i * b->leaf_count, *scale = b->scale + i * b->leaf_count;
    uint8_t *undecided = b->undecided + i * b->leaf_count;
    int has_guessed = 0;
    for (int r = 0; r < RUNS; r++) {
        ms_push push = {.rule = rules[r], .is_loose = of->is_loose, .random = i + 1};
        if (ms_eval_run_pushed(of->made, &push, args, r ? pushed : expected)) return -1;
        has_guessed |= push.has_guessed;
        b->is_unbounded |= push.is_unbounded;
        for (uint32_t l = 0; r && l < b->leaf_count; l++) take(&type->leaves[l], expected[l], pushed[l], &moved[l], &undecided[l]);
    }
    for (uint32_t l = 0; l < b->leaf_count; l++) {
        const msw_scalar scalar = type->leaves[l].scalar;
        if (!ms_scalar_is_float(scalar)) {
            if (has_guessed && of->are_of_floats[l]) undecided[l] = MS_ANYTHING;
            continue;
        }
        const double value = ms_double_of(expected[l]);
        scale[l] = isfinite(value) ? fabs(value) : 0;
        if (isnan(value) && !undecided[l]) undecided[l] = MS_SURE_NAN;
        else if (isfinite(value) && fabs(value) > ms_scalar_largest(scalar) / 4) undecided[l] = MS_ANYTHING;
    }
    ms_leaves_store(of->op->output, b->expected + i * type->size_bytes, expected, 1);
    return 0;
}

/* The items of element i, the first of which is number *next: those that there is room for. Before there is
 * memory for bounds they are only counted. */
static int bound_items(const bounding *of, ms_eval *lengths, const void *input, uint64_t n, uint64_t i, uint64_t *next)
{
    ms_item item;
    uint64_t length, k;
    ms_push push = {.rule = MS_PUSH_NONE, .random = 1};
    const uint64_t *const args[3] = {item.x, &item.i, &k};
    ms_operation_take(of->op, input, i, n, 0, &item);
    if (ms_eval_run_pushed(lengths, &push, args, &length)) return -1;
    ms_operation_take(of->op, input, i, n, 1, &item);
    for (k = 0; of->bounds->expected && k < length && *next < of->bounds->count; k++)
        if (bound_element(of, args, (*next)++)) return -1;
    if (!of->bounds->expected) *next += length;
    return 0;
}

static int go_over_items(const bounding *of, ms_eval *lengths, const void *input, uint64_t n, uint64_t *count)
{
    *count = 0;
    for (uint64_t i = 0; i < n; i++)
        if (bound_items(of, lengths, input, n, i, count)) return -1;
    const uint64_t room = ms_operation_room(of->op, n);
    if (*count > room) *count = room;
    return 0;
}

static int go_over_elements(const bounding *of, const void *input, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        ms_item item;
        const uint64_t *const args[3] = {item.x, &item.i, item.near};
        ms_operation_take(of->op, input, i, n, 1, &item);
        if (bound_element(of, args, i)) return -1;
    }
    return 0;
}

msw_result ms_map_bounds_make(const ms_operation *op, ms_arena *arena, int is_loose, uint64_t n, const void *input, ms_bounds *bounds)
{
    const uint32_t leaves = op->output->info.leaf_count;
    const ms_function *function = op->item ? op->item : op->map;
    bounding of = {.op = op, .made = ms_eval_create(arena, function, 1), .is_loose = is_loose, .bounds = bounds};
    ms_eval *lengths = op->item ? ms_eval_create(arena, op->map, 0) : NULL;
    uint64_t count = n;
    if (!of.made || (op->item && !lengths)) return MSW_ERROR_OUT_OF_MEMORY;
    *bounds = (ms_bounds){.leaf_count = leaves};
    if (op->item && go_over_items(&of, lengths, input, n, &count)) return MSW_ERROR_SPEC;
    if (count > SIZE_MAX / 256 / MS_MAX_ELEMENT_BYTES) return MSW_ERROR_OUT_OF_MEMORY;
    *bounds = (ms_bounds){.n = count, .count = count, .first_infinite = count, .block_elements = 1, .block_count = count, .leaf_count = leaves};
    bounds->expected = ms_arena_alloc(arena, count * op->output->info.size_bytes + 1);
    bounds->moved = ms_arena_alloc(arena, (count * leaves + 1) * sizeof *bounds->moved);
    bounds->scale = ms_arena_alloc(arena, (count * leaves + 1) * sizeof *bounds->scale);
    bounds->undecided = ms_arena_alloc(arena, count * leaves + 1);
    if (!bounds->expected || !bounds->moved || !bounds->scale || !bounds->undecided) return MSW_ERROR_OUT_OF_MEMORY;
    for (uint32_t l = 0; l < leaves; l++) of.are_of_floats[l] = ms_function_leaf_is_of_floats(function, l);
    return (op->item ? go_over_items(&of, lengths, input, n, &count) : go_over_elements(&of, input, n)) ? MSW_ERROR_SPEC : MSW_OK;
}
