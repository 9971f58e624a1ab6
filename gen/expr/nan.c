/* What becomes of NaN: which functions look at its bits, which are each device's own, and where no order of combination gets rid of one. */
#include "expr.h"

#include <math.h>
#include <string.h>

static int reads_bits(const ms_graph *graph, const ms_node_data *node)
{
    return node->op == MS_OP_BITCAST && ms_scalar_is_float(ms_node_operand_type(graph, node)) && !ms_scalar_is_float((msw_scalar)node->type);
}

/* 1: a NaN that comes out of it is a device's own, and not one that was moved. */
static int computes_float(const ms_graph *graph, const ms_node_data *node)
{
    (void)graph;
    const int is_move = ms_node_is_leaf(node) || node->op == MS_OP_WHERE || node->op == MS_OP_BITCAST || node->op == MS_OP_TABLE;
    return ms_scalar_is_float((msw_scalar)node->type) && !is_move;
}

static int has_node(const ms_function *function, ms_arena *arena, int (*holds)(const ms_graph *, const ms_node_data *))
{
    if (!function->leaves) return 0;
    const uint32_t bound = ms_function_node_bound(function);
    uint8_t *reached = ms_arena_alloc(arena, bound);
    if (!reached) return 1;
    ms_function_mark(function, reached);
    for (ms_node id = 1; id < bound; id++)
        if (reached[id] && holds(function->graph, &function->graph->nodes[id])) return 1;
    return 0;
}

int ms_function_reads_bits(const ms_function *function, ms_arena *arena) { return has_node(function, arena, reads_bits); }

int ms_function_computes_floats(const ms_function *function, ms_arena *arena) { return has_node(function, arena, computes_float); }

/* Of a NaN among its operands the result is one: of `where` its condition is of integers, which no order changes. */
static int keeps_nan(const ms_graph *graph, const ms_node_data *node)
{
    if (ms_node_is_leaf(node) || !ms_scalar_is_float(ms_node_operand_type(graph, node))) return node->op != MS_OP_BITCAST;
    switch ((ms_op)node->op) {
    case MS_OP_MIN:
    case MS_OP_MAX:
    case MS_OP_BITCAST: return 0;
    default: return ms_scalar_is_float((msw_scalar)node->type); /* not of comparisons and conversions */
    }
}

/* 1: the leaf is made by operations that keep NaN, of leaves whose flag is set. */
static int is_leaf_kept(const ms_function *combine, ms_node leaf, const uint8_t *kept, uint8_t *reached, uint32_t bound)
{
    memset(reached, 0, bound);
    reached[leaf] = 1;
    for (ms_node id = bound; id-- > 1;) {
        const ms_node_data *node = &combine->graph->nodes[id];
        if (!reached[id]) continue;
        if (!keeps_nan(combine->graph, node) || (node->op == MS_OP_INPUT && !kept[node->bits])) return 0;
        for (int k = 0; k < 3; k++) reached[node->arg[k]] = 1;
    }
    return 1;
}

int ms_combine_keeps_nan(const ms_function *combine, ms_arena *arena, uint8_t *kept)
{
    const uint32_t leaves = combine->result->info.leaf_count;
    memset(kept, combine->leaves != NULL, leaves);
    if (!combine->leaves) return 1;
    const uint32_t bound = ms_function_node_bound(combine);
    uint8_t *reached = ms_arena_alloc(arena, bound);
    if (!reached) return 0;
    for (int is_done = 0; !is_done;) {
        is_done = 1;
        for (uint32_t l = 0; l < leaves; l++)
            if (kept[l] && !is_leaf_kept(combine, combine->leaves[l], kept, reached, bound)) kept[l] = 0, is_done = 0;
    }
    return 1;
}
