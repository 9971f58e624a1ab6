#include "expr.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What an operation asks of its operands; all of them have one type unless it says otherwise. */
typedef enum rule {
    NONE,   /* made by functions of their own */
    NUMBER, /* any type but bool */
    INTEGER,
    SHIFT, /* integers; a constant count stays below the width */
    FLOAT,
    BOOL,
    COMPARE, /* numbers; the result is a bool */
    EQUAL,   /* numbers or bools; the result is a bool */
    TEST,    /* floats; the result is a bool */
    SELECT   /* a bool and two of one type */
} rule;

typedef struct op_info {
    const char *name;
    uint8_t arity, rule;
    const char *symbol; /* as the spec language writes it; NULL: a function */
} op_info;

static const op_info ops[MS_OP_COUNT] = {
    [MS_OP_CONST] = {"const", 0, NONE, NULL},
    [MS_OP_INPUT] = {"input", 0, NONE, NULL},
    [MS_OP_TABLE] = {"table", 1, NONE, NULL},
    [MS_OP_ADD] = {"add", 2, NUMBER, "+"},
    [MS_OP_SUB] = {"sub", 2, NUMBER, "-"},
    [MS_OP_MUL] = {"mul", 2, NUMBER, "*"},
    [MS_OP_DIV] = {"div", 2, NUMBER, "/"},
    [MS_OP_FLOORDIV] = {"floordiv", 2, NUMBER, "//"},
    [MS_OP_MOD] = {"mod", 2, NUMBER, "%"},
    [MS_OP_NEG] = {"neg", 1, NUMBER, "-"},
    [MS_OP_AND] = {"and", 2, INTEGER, "&"},
    [MS_OP_OR] = {"or", 2, INTEGER, "|"},
    [MS_OP_XOR] = {"xor", 2, INTEGER, "~"},
    [MS_OP_NOT] = {"not", 1, INTEGER, "~"},
    [MS_OP_SHL] = {"shl", 2, SHIFT, "<<"},
    [MS_OP_SHR] = {"shr", 2, SHIFT, ">>"},
    [MS_OP_WHERE] = {"where", 3, SELECT, NULL},
    [MS_OP_LT] = {"lt", 2, COMPARE, NULL},
    [MS_OP_LE] = {"le", 2, COMPARE, NULL},
    [MS_OP_GT] = {"gt", 2, COMPARE, NULL},
    [MS_OP_GE] = {"ge", 2, COMPARE, NULL},
    [MS_OP_EQ] = {"eq", 2, EQUAL, NULL},
    [MS_OP_NE] = {"ne", 2, EQUAL, NULL},
    [MS_OP_LAND] = {"land", 2, BOOL, NULL},
    [MS_OP_LOR] = {"lor", 2, BOOL, NULL},
    [MS_OP_LNOT] = {"lnot", 1, BOOL, NULL},
    [MS_OP_MIN] = {"min", 2, NUMBER, NULL},
    [MS_OP_MAX] = {"max", 2, NUMBER, NULL},
    [MS_OP_ABS] = {"abs", 1, NUMBER, NULL},
    [MS_OP_FMA] = {"fma", 3, NUMBER, NULL},
    [MS_OP_MULHI] = {"mulhi", 2, INTEGER, NULL},
    [MS_OP_SQRT] = {"sqrt", 1, FLOAT, NULL},
    [MS_OP_RSQRT] = {"rsqrt", 1, FLOAT, NULL},
    [MS_OP_EXP] = {"exp", 1, FLOAT, NULL},
    [MS_OP_EXP2] = {"exp2", 1, FLOAT, NULL},
    [MS_OP_LOG] = {"log", 1, FLOAT, NULL},
    [MS_OP_LOG2] = {"log2", 1, FLOAT, NULL},
    [MS_OP_SIN] = {"sin", 1, FLOAT, NULL},
    [MS_OP_COS] = {"cos", 1, FLOAT, NULL},
    [MS_OP_TANH] = {"tanh", 1, FLOAT, NULL},
    [MS_OP_FLOOR] = {"floor", 1, FLOAT, NULL},
    [MS_OP_CEIL] = {"ceil", 1, FLOAT, NULL},
    [MS_OP_ROUND] = {"round", 1, FLOAT, NULL},
    [MS_OP_TRUNC] = {"trunc", 1, FLOAT, NULL},
    [MS_OP_POPCOUNT] = {"popcount", 1, INTEGER, NULL},
    [MS_OP_CLZ] = {"clz", 1, INTEGER, NULL},
    [MS_OP_CTZ] = {"ctz", 1, INTEGER, NULL},
    [MS_OP_BITREVERSE] = {"bitreverse", 1, INTEGER, NULL},
    [MS_OP_ROTL] = {"rotl", 2, INTEGER, NULL},
    [MS_OP_ROTR] = {"rotr", 2, INTEGER, NULL},
    [MS_OP_ISNAN] = {"isnan", 1, TEST, NULL},
    [MS_OP_CONVERT] = {"convert", 1, NONE, NULL},
    [MS_OP_BITCAST] = {"bitcast", 1, NONE, NULL},
};

const char *ms_op_name(ms_op op) { return ops[op].name; }
uint32_t ms_op_arity(ms_op op) { return ops[op].arity; }

/* ---- the graph ---- */

void ms_graph_init(ms_graph *graph, ms_arena *arena)
{
    memset(graph, 0, sizeof *graph);
    graph->arena = arena;
    graph->node_count = 1; /* id 0 is no node */
}

void ms_graph_free(ms_graph *graph)
{
    ms_arena_resize(graph->arena, graph->nodes, graph->node_capacity * sizeof *graph->nodes, 0);
    ms_arena_resize(graph->arena, graph->ids, graph->id_capacity * sizeof *graph->ids, 0);
    ms_arena_resize(graph->arena, graph->tables, graph->table_capacity * sizeof *graph->tables, 0);
    ms_graph_init(graph, graph->arena);
}

static uint32_t hash(const ms_node_data *node)
{
    const uint64_t words[5] = {(uint64_t)node->op << 32 | (uint64_t)node->type << 16 | node->param, node->arg[0], node->arg[1], node->arg[2],
                               node->bits};
    uint64_t h = 0;
    for (int i = 0; i < 5; i++) {
        h = (h ^ words[i]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return (uint32_t)h;
}

static int same(const ms_node_data *a, const ms_node_data *b)
{
    return a->op == b->op && a->type == b->type && a->param == b->param && a->bits == b->bits && !memcmp(a->arg, b->arg, sizeof a->arg);
}

/* The hash table's slot of this node, or the empty one where it belongs. */
static uint32_t *find(ms_graph *graph, const ms_node_data *node)
{
    const uint32_t mask = graph->id_capacity - 1;
    for (uint32_t i = hash(node) & mask;; i = (i + 1) & mask)
        if (!graph->ids[i] || same(&graph->nodes[graph->ids[i]], node)) return &graph->ids[i];
}

/* Room for one more node in both arrays; the hash table stays at most half full. */
static int grow(ms_graph *graph)
{
    if (graph->node_count < graph->node_capacity) return 1;
    const uint32_t capacity = graph->node_capacity ? graph->node_capacity * 2 : 64, id_capacity = capacity * 2;
    if (capacity > UINT32_MAX / 8) return 0;
    uint32_t *ids = ms_arena_resize(graph->arena, NULL, 0, id_capacity * sizeof *ids);
    if (!ids) return 0;
    ms_node_data *nodes = ms_arena_resize(graph->arena, graph->nodes, graph->node_capacity * sizeof *nodes, capacity * sizeof *nodes);
    if (!nodes) {
        ms_arena_resize(graph->arena, ids, id_capacity * sizeof *ids, 0);
        return 0;
    }
    graph->nodes = nodes;
    graph->node_capacity = capacity;
    ms_arena_resize(graph->arena, graph->ids, graph->id_capacity * sizeof *ids, 0);
    memset(ids, 0, id_capacity * sizeof *ids);
    graph->ids = ids;
    graph->id_capacity = id_capacity;
    for (uint32_t id = 1; id < graph->node_count; id++) *find(graph, &graph->nodes[id]) = id;
    return 1;
}

static ms_node intern(ms_graph *graph, const ms_node_data *node)
{
    graph->error[0] = '\0';
    if (!grow(graph)) return 0;
    uint32_t *slot = find(graph, node);
    if (!*slot) {
        *slot = graph->node_count++;
        graph->nodes[*slot] = *node;
    }
    return *slot;
}

/* ---- type rules ---- */

__attribute__((format(printf, 2, 3))) static ms_node fail(ms_graph *graph, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(graph->error, sizeof graph->error, format, args);
    va_end(args);
    return 0;
}

static msw_scalar type_of(const ms_graph *graph, ms_node node) { return (msw_scalar)graph->nodes[node].type; }

/* The expression with types for operands: "u32 + f32", "~f32", "fma(f32, f32, u32)". */
static const char *show(const ms_graph *graph, ms_op op, const ms_node *args, char text[96])
{
    const char *name[3] = {"", "", ""};
    for (uint32_t i = 0; i < ops[op].arity; i++) name[i] = ms_scalar_name(type_of(graph, args[i]));
    if (ops[op].symbol && ops[op].arity == 2) snprintf(text, 96, "%s %s %s", name[0], ops[op].symbol, name[1]);
    else if (ops[op].symbol) snprintf(text, 96, "%s%s", ops[op].symbol, name[0]);
    else snprintf(text, 96, "%s(%s%s%s%s%s)", ops[op].name, name[0], name[1][0] ? ", " : "", name[1], name[2][0] ? ", " : "", name[2]);
    return text;
}

/* The type to suggest when two differ: the one that can hold more. */
static const char *wider(msw_scalar a, msw_scalar b)
{
    if (ms_scalar_is_float(a) != ms_scalar_is_float(b)) return ms_scalar_name(ms_scalar_is_float(a) ? a : b);
    return ms_scalar_name(ms_scalar_bytes(a) > ms_scalar_bytes(b) ? a : b);
}

static ms_node fail_mixed(ms_graph *graph, ms_op op, const ms_node *args, msw_scalar a, msw_scalar b)
{
    char text[96];
    show(graph, op, args, text);
    if (a == MSW_BOOL || b == MSW_BOOL)
        return fail(graph,
                    "%s: a condition and a number; turn the condition into a number, as in u32(c), or the number into a condition, as in ne(x, 0)",
                    text);
    return fail(graph, "%s: convert one side, as in %s(x); nothing converts by itself", text, wider(a, b));
}

/* 1 when the operands' common type fits the rule. */
static int check_kind(ms_graph *graph, ms_op op, const ms_node *args, msw_scalar type)
{
    char text[96];
    show(graph, op, args, text);
    switch ((rule)ops[op].rule) {
    case NUMBER:
    case COMPARE:
        if (type != MSW_BOOL) return 1;
        fail(graph, "%s: it works on numbers; turn the condition into one, as in u32(c), or use land, lor, lnot", text);
        return 0;
    case INTEGER:
    case SHIFT:
        if (ms_scalar_is_integer(type)) return 1;
        if (type == MSW_BOOL) fail(graph, "%s: it works on integers; combine conditions with land, lor, lnot", text);
        else fail(graph, "%s: it works on integers; convert, as in i32(x), or take the bits, as in bitcast(u%u, x)", text, 8 * ms_scalar_bytes(type));
        return 0;
    case FLOAT:
    case TEST:
        if (ms_scalar_is_float(type)) return 1;
        fail(graph, "%s: it works on floats; convert, as in f32(x)", text);
        return 0;
    case BOOL:
        if (type == MSW_BOOL) return 1;
        fail(graph, "%s: it works on conditions; compare first, as in ne(x, 0)", text);
        return 0;
    default: return 1;
    }
}

static int check_shift_count(ms_graph *graph, ms_op op, const ms_node *args, msw_scalar type)
{
    if (ops[op].rule != SHIFT) return 1;
    const ms_node_data *count = &graph->nodes[args[1]];
    const uint32_t width = 8 * ms_scalar_bytes(type);
    if (count->op != MS_OP_CONST || count->bits < width) return 1;
    fail(graph, "%s %s %lld: the count must be 0 to %u; mask it, as in count & %u", ms_scalar_name(type), ops[op].symbol, (long long)count->bits,
         width - 1, width - 1);
    return 0;
}

/* Sign- or zero-extended to 64 bits, so that equal values are equal nodes. */
static uint64_t canonical(msw_scalar type, uint64_t bits)
{
    unsigned char memory[8] = {0};
    if (type == MSW_BOOL) return bits != 0;
    ms_scalar_store(type, memory, bits);
    return ms_scalar_load(type, memory);
}

ms_node ms_expr_const(ms_graph *graph, msw_scalar type, uint64_t bits)
{
    return intern(graph, &(ms_node_data){.op = MS_OP_CONST, .type = (uint8_t)type, .bits = canonical(type, bits)});
}

ms_node ms_expr_input(ms_graph *graph, uint32_t param, uint32_t leaf, msw_scalar type)
{
    return intern(graph, &(ms_node_data){.op = MS_OP_INPUT, .type = (uint8_t)type, .param = (uint16_t)param, .bits = leaf});
}

ms_node ms_expr_op(ms_graph *graph, ms_op op, const ms_node *args, uint32_t arg_count)
{
    const op_info *info = &ops[op];
    if (info->rule == NONE) return fail(graph, "%s: not an operation on values", info->name);
    if (arg_count != info->arity) return fail(graph, "%s: expected %u operands, got %u", info->name, info->arity, arg_count);
    for (uint32_t i = 0; i < arg_count; i++)
        if (!args[i]) return 0; /* an operand failed: its error stands */

    const uint32_t first = info->rule == SELECT ? 1 : 0;
    const msw_scalar type = type_of(graph, args[first]);
    char text[96];
    if (info->rule == SELECT && type_of(graph, args[0]) != MSW_BOOL)
        return fail(graph, "%s: the first operand must be a condition; compare, as in ne(x, 0)", show(graph, op, args, text));
    for (uint32_t i = first + 1; i < arg_count; i++)
        if (type_of(graph, args[i]) != type) return fail_mixed(graph, op, args, type, type_of(graph, args[i]));
    if (!check_kind(graph, op, args, type) || !check_shift_count(graph, op, args, type)) return 0;

    const int is_condition = info->rule == COMPARE || info->rule == EQUAL || info->rule == TEST;
    ms_node_data node = {.op = (uint8_t)op, .type = (uint8_t)(is_condition ? MSW_BOOL : type)};
    memcpy(node.arg, args, arg_count * sizeof *args);
    return intern(graph, &node);
}

ms_node ms_expr_convert(ms_graph *graph, msw_scalar to, ms_node a)
{
    if (!a || type_of(graph, a) == to) return a;
    return intern(graph, &(ms_node_data){.op = MS_OP_CONVERT, .type = (uint8_t)to, .arg = {a}});
}

ms_node ms_expr_bitcast(ms_graph *graph, msw_scalar to, ms_node a)
{
    if (!a || type_of(graph, a) == to) return a;
    const msw_scalar from = type_of(graph, a);
    if (to == MSW_BOOL || from == MSW_BOOL)
        return fail(graph, "bitcast(%s, %s): a condition has no bits; use u32(c) or ne(x, 0)", ms_scalar_name(to), ms_scalar_name(from));
    if (ms_scalar_bytes(from) != ms_scalar_bytes(to))
        return fail(graph, "bitcast(%s, %s): %u bytes to %u; the sizes must agree, convert first", ms_scalar_name(to), ms_scalar_name(from),
                    ms_scalar_bytes(from), ms_scalar_bytes(to));
    return intern(graph, &(ms_node_data){.op = MS_OP_BITCAST, .type = (uint8_t)to, .arg = {a}});
}

/* ---- tables of constants ---- */

ms_node ms_expr_entry(ms_graph *graph, uint32_t table, ms_node index)
{
    if (!index) return 0;
    const msw_scalar type = type_of(graph, index);
    if (!ms_scalar_is_integer(type))
        return fail(graph, "%s[%s]: the index must be an integer; convert it, as in u32(x)", graph->tables[table]->name, ms_scalar_name(type));
    return intern(graph, &(ms_node_data){.op = MS_OP_TABLE, .type = (uint8_t)graph->tables[table]->type, .arg = {index}, .bits = table});
}

static uint64_t bytes_of_tables(const ms_graph *graph)
{
    uint64_t bytes = 0;
    for (uint32_t t = 0; t < graph->table_count; t++) bytes += (uint64_t)graph->tables[t]->count * ms_scalar_bytes(graph->tables[t]->type);
    return bytes;
}

static int same_table(const ms_table *table, msw_scalar type, const uint64_t *entries, uint32_t count)
{
    return table->type == type && table->count == count && !memcmp(table->entries, entries, count * sizeof *entries);
}

static int grow_tables(ms_graph *graph)
{
    if (graph->table_count < graph->table_capacity) return 1;
    const uint32_t capacity = graph->table_capacity ? graph->table_capacity * 2 : 8;
    const ms_table **tables = ms_arena_resize(graph->arena, graph->tables, graph->table_capacity * sizeof *tables, capacity * sizeof *tables);
    if (!tables) return 0;
    graph->tables = tables;
    graph->table_capacity = capacity;
    return 1;
}

uint32_t ms_graph_table(ms_graph *graph, const char *name, msw_scalar type, const uint64_t *entries, uint32_t count)
{
    graph->error[0] = '\0';
    for (uint32_t t = 0; t < graph->table_count; t++)
        if (same_table(graph->tables[t], type, entries, count)) return t;
    const uint64_t bytes = bytes_of_tables(graph) + (uint64_t)count * ms_scalar_bytes(type);
    if (bytes > MS_MAX_TABLE_BYTES) {
        fail(graph, "%llu bytes of tables; a file has at most %d: use a narrower type, or fewer entries", (unsigned long long)bytes,
             MS_MAX_TABLE_BYTES);
        return UINT32_MAX;
    }
    ms_table *table = ms_arena_alloc(graph->arena, sizeof *table);
    uint64_t *copy = ms_arena_alloc(graph->arena, count * sizeof *copy);
    const char *kept = ms_arena_strdup(graph->arena, name);
    if (!table || !copy || !kept || !grow_tables(graph)) return UINT32_MAX;
    memcpy(copy, entries, count * sizeof *copy);
    *table = (ms_table){kept, type, count, copy};
    graph->tables[graph->table_count] = table;
    return graph->table_count++;
}
