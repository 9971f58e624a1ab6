/* What is known of a function: the nodes that it is made of, how many operations, and what its results promise. */
#include "expr.h"

#include <string.h>

uint32_t ms_function_node_bound(const ms_function *function)
{
    ms_node last = 0;
    for (uint32_t i = 0; i < function->result->info.leaf_count; i++)
        if (function->leaves[i] > last) last = function->leaves[i];
    return last + 1;
}

/* What the marked nodes below `bound` are made of. */
static void mark_operands(const ms_function *function, uint32_t bound, uint8_t *reached)
{
    for (ms_node id = bound; id-- > 1;)
        if (reached[id])
            for (int k = 0; k < 3; k++) reached[function->graph->nodes[id].arg[k]] = 1;
    reached[0] = 0;
}

void ms_function_mark(const ms_function *function, uint8_t *reached)
{
    const uint32_t bound = ms_function_node_bound(function);
    memset(reached, 0, bound);
    for (uint32_t i = 0; i < function->result->info.leaf_count; i++) reached[function->leaves[i]] = 1;
    mark_operands(function, bound, reached);
}

/* What this leaf of the result is made of, itself the last; NULL: out of memory. */
static uint8_t *mark_leaf(const ms_function *function, uint32_t leaf)
{
    const uint32_t bound = function->leaves[leaf] + 1;
    uint8_t *reached = ms_arena_resize(function->graph->arena, NULL, 0, bound);
    if (!reached) return NULL;
    memset(reached, 0, bound);
    reached[bound - 1] = 1;
    mark_operands(function, bound, reached);
    return reached;
}

int ms_function_leaf_is_of_floats(const ms_function *function, uint32_t leaf)
{
    uint8_t *reached = function->leaves ? mark_leaf(function, leaf) : NULL;
    if (!reached) return 1;
    const uint32_t bound = function->leaves[leaf] + 1;
    int is_of_floats = 0;
    for (ms_node id = 1; id < bound; id++) is_of_floats |= reached[id] && ms_scalar_is_float((msw_scalar)function->graph->nodes[id].type);
    ms_arena_resize(function->graph->arena, reached, bound, 0);
    return is_of_floats;
}

void ms_function_leaf_reads(const ms_function *function, uint32_t leaf, uint32_t param, uint8_t reads[MS_MAX_ELEMENT_BYTES])
{
    uint8_t *reached = function->leaves ? mark_leaf(function, leaf) : NULL;
    if (!reached && param < function->param_count) memset(reads, 1, function->params[param].type->info.leaf_count);
    if (!reached) return;
    const uint32_t bound = function->leaves[leaf] + 1;
    for (ms_node id = 1; id < bound; id++) {
        const ms_node_data *node = &function->graph->nodes[id];
        if (reached[id] && node->op == MS_OP_INPUT && node->param == param) reads[node->bits] = 1;
    }
    ms_arena_resize(function->graph->arena, reached, bound, 0);
}

uint32_t ms_function_leaf_operations(const ms_function *function, uint32_t leaf)
{
    uint8_t *reached = function->leaves ? mark_leaf(function, leaf) : NULL;
    if (!reached) return 0;
    const uint32_t bound = function->leaves[leaf] + 1;
    uint32_t count = 0;
    for (ms_node id = 1; id < bound; id++) {
        const uint8_t op = function->graph->nodes[id].op;
        count += reached[id] && op != MS_OP_INPUT && op != MS_OP_CONST;
    }
    ms_arena_resize(function->graph->arena, reached, bound, 0);
    return count;
}

/* ---- bit-exactness ---- */

/* Moves, comparisons and selections of floats, and what rounds nothing. */
static int is_exact(const ms_graph *graph, const ms_node_data *node)
{
    const msw_scalar type = (msw_scalar)node->type;
    if (!ms_scalar_is_float(type)) return 1;
    switch ((ms_op)node->op) {
    case MS_OP_CONST:
    case MS_OP_INPUT:
    case MS_OP_TABLE:
    case MS_OP_WHERE:
    case MS_OP_MIN:
    case MS_OP_MAX:
    case MS_OP_NEG:
    case MS_OP_ABS:
    case MS_OP_BITCAST: return 1;
    case MS_OP_CONVERT: return ms_scalar_bytes(ms_node_operand_type(graph, node)) < ms_scalar_bytes(type); /* to a wider float: exact */
    default: return 0;
    }
}

/* Single roundings, which every device makes alike. */
static int is_promised(const ms_graph *graph, const ms_node_data *node)
{
    switch ((ms_op)node->op) {
    case MS_OP_ADD:
    case MS_OP_SUB:
    case MS_OP_MUL:
    case MS_OP_FLOOR:
    case MS_OP_CEIL:
    case MS_OP_ROUND:
    case MS_OP_TRUNC:
    case MS_OP_CONVERT: return 1;
    default: return is_exact(graph, node);
    }
}

static int is_continuous(const ms_graph *graph, const ms_node_data *node)
{
    const int is_leaf = node->op == MS_OP_CONST || node->op == MS_OP_INPUT;
    if (is_leaf || !ms_scalar_is_float(ms_node_operand_type(graph, node))) return 1;
    switch ((ms_op)node->op) {
    case MS_OP_FLOORDIV:
    case MS_OP_MOD:
    case MS_OP_FLOOR:
    case MS_OP_CEIL:
    case MS_OP_ROUND:
    case MS_OP_TRUNC: return 0;
    default: return ms_scalar_is_float((msw_scalar)node->type); /* comparisons, conversions, bits */
    }
}

static int has_float_leaf(const ms_type *type)
{
    for (uint32_t i = 0; i < type->info.leaf_count; i++)
        if (ms_scalar_is_float(type->info.leaves[i].scalar)) return 1;
    return 0;
}

int ms_function_joins_floats(const ms_function *function)
{
    int joins = has_float_leaf(function->result);
    for (uint32_t i = 0; i < function->param_count; i++) joins |= has_float_leaf(function->params[i].type);
    return joins;
}

enum { NO_MEMORY = -1 };

static int all_nodes(const ms_function *function, int (*holds)(const ms_graph *, const ms_node_data *))
{
    if (!function->leaves) return !ms_function_joins_floats(function);
    const uint32_t bound = ms_function_node_bound(function);
    uint8_t *reached = ms_arena_resize(function->graph->arena, NULL, 0, bound);
    if (!reached) return NO_MEMORY;
    ms_function_mark(function, reached);
    int exact = 1;
    for (ms_node id = 1; id < bound && exact; id++)
        if (reached[id]) exact = holds(function->graph, &function->graph->nodes[id]);
    ms_arena_resize(function->graph->arena, reached, bound, 0);
    return exact;
}

/* 0: out of memory. */
static int count_operations(ms_function *function)
{
    if (!function->leaves) return 1;
    const uint32_t bound = ms_function_node_bound(function);
    uint8_t *reached = ms_arena_resize(function->graph->arena, NULL, 0, bound);
    if (!reached) return 0;
    ms_function_mark(function, reached);
    for (ms_node id = 1; id < bound; id++) function->operation_count += reached[id] && !ms_node_is_leaf(&function->graph->nodes[id]);
    ms_arena_resize(function->graph->arena, reached, bound, 0);
    return 1;
}

int ms_function_judge(ms_function *function)
{
    const int exact = all_nodes(function, is_exact), promised = all_nodes(function, is_promised);
    function->is_judged = exact != NO_MEMORY && promised != NO_MEMORY;
    function->is_bit_exact = exact == 1;
    function->is_promised = promised == 1;
    return function->is_judged && count_operations(function);
}

int ms_function_is_bit_exact(const ms_function *function)
{
    return function->is_judged ? function->is_bit_exact : all_nodes(function, is_exact) == 1;
}

int ms_function_is_promised(const ms_function *function)
{
    return function->is_judged ? function->is_promised : all_nodes(function, is_promised) == 1;
}

int ms_function_is_discontinuous(const ms_function *function) { return function->leaves && !all_nodes(function, is_continuous); }
