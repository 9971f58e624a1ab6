/* exact_sums.c - data whose floats every order of combination sums without a rounding, as whole numbers that do not grow too large. */
#include "bounds.h"

#include <math.h>
#include <string.h>

enum { NO_SUM = 0xff, OF_NOTHING = 0xfe }; /* instead of a leaf: of a node that is no such sum; of a zero */

/* What a node of a combine is: leaf `leaf` of the parameters in `params`, or a sum of such. */
typedef struct term {
    uint8_t leaf, params;
} term;

/* Either of them; or their sum, which no element may be in twice. */
static term join(term a, term b, int is_sum)
{
    const term none = {NO_SUM, 0};
    if (a.leaf == NO_SUM || b.leaf == NO_SUM || (is_sum && (a.params & b.params))) return none;
    if (a.leaf != OF_NOTHING && b.leaf != OF_NOTHING && a.leaf != b.leaf) return none;
    return (term){a.leaf == OF_NOTHING ? b.leaf : a.leaf, a.params | b.params};
}

static term term_of(const ms_node_data *node, const term *terms)
{
    const term none = {NO_SUM, 0};
    if (!ms_scalar_is_float((msw_scalar)node->type)) return none;
    switch ((ms_op)node->op) {
    case MS_OP_INPUT: return (term){(uint8_t)node->bits, (uint8_t)(1 << node->param)};
    case MS_OP_CONST: return ms_scalar_to_double((msw_scalar)node->type, node->bits) == 0 ? (term){OF_NOTHING, 0} : none;
    case MS_OP_ADD: return join(terms[node->arg[0]], terms[node->arg[1]], 1);
    case MS_OP_MIN:
    case MS_OP_MAX: return join(terms[node->arg[0]], terms[node->arg[1]], 0);
    case MS_OP_WHERE: return join(terms[node->arg[1]], terms[node->arg[2]], 0);
    default: return none;
    }
}

/* 1: each float of the combine that may round is the sum of one leaf of different elements, and each float leaf of its result is such a one. */
static int only_adds(const ms_function *combine, ms_arena *arena)
{
    if (!combine->leaves) return 0;
    const uint32_t bound = ms_function_node_bound(combine);
    uint8_t *reached = ms_arena_alloc(arena, bound);
    term *terms = ms_arena_alloc(arena, bound * sizeof *terms);
    if (!reached || !terms) return 0;
    ms_function_mark(combine, reached);
    for (ms_node id = 1; id < bound; id++) {
        const ms_node_data *node = &combine->graph->nodes[id];
        if (!reached[id]) continue;
        terms[id] = term_of(node, terms);
        const msw_scalar operand = ms_node_is_leaf(node) ? (msw_scalar)node->type : ms_node_operand_type(combine->graph, node);
        if (ms_op_rounding((ms_op)node->op, (msw_scalar)node->type, operand) != MS_ROUNDS_NOT && terms[id].leaf == NO_SUM) return 0;
    }
    for (uint32_t l = 0; l < combine->result->info.leaf_count; l++) {
        const ms_node_data *node = &combine->graph->nodes[combine->leaves[l]];
        if (!ms_scalar_is_float((msw_scalar)node->type)) continue;
        const uint8_t leaf = terms[combine->leaves[l]].leaf;
        if (leaf != l && leaf != OF_NOTHING) return 0;
    }
    return 1;
}

/* The sum of the magnitudes of one leaf, and the largest power of two that all are multiples of. */
typedef struct total {
    double size, grain;
} total;

static int add(total *t, double value)
{
    int exponent;
    if (value == 0) return 1;
    if (!isfinite(value)) return 0;
    const uint64_t digits = (uint64_t)ldexp(frexp(fabs(value), &exponent), 53);
    t->grain = fmin(t->grain, ldexp((double)(digits & -digits), exponent - 53));
    t->size += fabs(value);
    return 1;
}

static int is_small_enough(msw_scalar scalar, const total *t)
{
    const double digits = scalar == MSW_F16 ? 0x1p11 : scalar == MSW_F32 ? 0x1p24 : 0x1p53;
    return t->size == 0 || (t->grain >= ms_scalar_least_normal(scalar) && t->size * (1 + 0x1p-20) <= digits * t->grain);
}

static int add_state(total *totals, const msw_type_info *state, const uint64_t *leaves)
{
    for (uint32_t l = 0; l < state->leaf_count; l++)
        if (ms_scalar_is_float(state->leaves[l].scalar) && !add(&totals[l], ms_scalar_to_double(state->leaves[l].scalar, leaves[l]))) return 0;
    return 1;
}

int ms_sums_are_exact(const ms_operation *op, ms_arena *arena, uint64_t n, const void *input)
{
    const msw_type_info *state = &op->monoid->type->info;
    uint64_t x[MS_MAX_ELEMENT_BYTES], mapped[MS_MAX_ELEMENT_BYTES];
    total totals[MS_MAX_ELEMENT_BYTES];
    ms_item item;
    if (!only_adds(op->monoid->combine, arena) || (op->map && !ms_function_is_promised(op->map))) return 0;
    ms_eval *map = op->map ? ms_eval_create(arena, op->map, 0) : NULL;
    if (op->map && !map) return 0;
    for (uint32_t l = 0; l < state->leaf_count; l++) totals[l] = (total){0, INFINITY};
    ms_leaves_load(op->monoid->type, op->monoid->identity, x, 0);
    for (uint32_t l = 0; l < state->leaf_count; l++) /* it may be added any number of times; min and max have infinities */
        if (ms_scalar_is_float(state->leaves[l].scalar) && isfinite(ms_scalar_to_double(state->leaves[l].scalar, x[l])) &&
            ms_scalar_to_double(state->leaves[l].scalar, x[l]) != 0)
            return 0;
    if (op->init) ms_leaves_load(op->monoid->type, op->init, x, 0);
    if (op->init && !add_state(totals, state, x)) return 0;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t *args[3] = {item.x, &item.i, item.near};
        ms_operation_take(op, input, i, n, 0, &item);
        if (map && ms_eval_run(map, args, mapped)) return 0;
        if (!add_state(totals, state, map ? mapped : item.x)) return 0;
    }
    for (uint32_t l = 0; l < state->leaf_count; l++)
        if (ms_scalar_is_float(state->leaves[l].scalar) && !is_small_enough(state->leaves[l].scalar, &totals[l])) return 0;
    return 1;
}
