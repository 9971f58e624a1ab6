/* expr.h - the typed expression DAG: one meaning for every device, the oracle and the law checks.
 *
 * Nodes are scalars; structs and vecs are lists of leaves (type.h). Nodes are hash-consed: the same operation on the same operands is
 * the same node, so node ids can be compared. No folding or rewriting happens when a node is made: a trace can be replayed as it was written. */
#ifndef MS_EXPR_H
#define MS_EXPR_H

#include "type.h"

typedef enum ms_op {
    MS_OP_CONST, /* bits */
    MS_OP_INPUT, /* param, leaf */
    MS_OP_TABLE, /* the entry of a table of constants (bits: which) at an index, an integer; beyond the last, also below 0: the last */
    MS_OP_ADD,
    MS_OP_SUB,
    MS_OP_MUL,
    MS_OP_DIV,      /* "/": integers truncate, x / 0 = x, min / -1 = min; floats divide */
    MS_OP_FLOORDIV, /* "//": integers floor; x // 0 = x, min // -1 = min; floats: floor(a / b) */
    MS_OP_MOD,      /* "%": sign of the divisor; x % 0 = 0, min % -1 = 0; floats: a - floor(a / b) * b */
    MS_OP_NEG,
    MS_OP_AND,
    MS_OP_OR,
    MS_OP_XOR,
    MS_OP_NOT,
    MS_OP_SHL,
    MS_OP_SHR,   /* count masked to the width; >> arithmetic for signed; the count has the operand's type */
    MS_OP_WHERE, /* c, a, b */
    MS_OP_LT,
    MS_OP_LE,
    MS_OP_GT,
    MS_OP_GE,
    MS_OP_EQ,
    MS_OP_NE, /* IEEE for floats; EQ and NE on bool too */
    MS_OP_LAND,
    MS_OP_LOR,
    MS_OP_LNOT,
    MS_OP_MIN,
    MS_OP_MAX, /* floats: -0 < +0; one NaN: the other operand; two NaNs: a NaN */
    MS_OP_ABS,
    MS_OP_FMA,   /* floats: fused; integers: a * b + c */
    MS_OP_MULHI, /* high half of the product, integers */
    MS_OP_SQRT,
    MS_OP_RSQRT,
    MS_OP_EXP,
    MS_OP_EXP2,
    MS_OP_LOG,
    MS_OP_LOG2,
    MS_OP_SIN,
    MS_OP_COS,
    MS_OP_TANH,
    MS_OP_FLOOR,
    MS_OP_CEIL,
    MS_OP_ROUND /* half to even */,
    MS_OP_TRUNC,
    MS_OP_POPCOUNT,
    MS_OP_CLZ,
    MS_OP_CTZ,
    MS_OP_BITREVERSE, /* result: the operand's type; clz(0) = ctz(0) = width */
    MS_OP_ROTL,
    MS_OP_ROTR, /* count masked */
    MS_OP_ISNAN,
    MS_OP_CONVERT, /* to `type`: float to integer saturates, NaN 0; integer narrowing wraps; bool to number 0/1; number to bool: != 0 */
    MS_OP_BITCAST, /* same size */
    MS_OP_COUNT
} ms_op;

/* "add", "floordiv", ..: the names used by printers, JSON and the spec vocabulary. */
const char *ms_op_name(ms_op op);
uint32_t ms_op_arity(ms_op op);

typedef uint32_t ms_node; /* index into ms_graph.nodes; 0 is "no node" */

typedef struct ms_node_data {
    uint8_t op;     /* ms_op */
    uint8_t type;   /* msw_scalar of the result */
    uint16_t param; /* INPUT: which parameter; MS_UNIFORM_PARAM: a uniform */
    ms_node arg[3];
    uint64_t
        bits; /* CONST: the value (type.h's 64 raw bits); INPUT: the leaf, of a uniform among all of the spec; TABLE: the place in ms_graph.tables */
} ms_node_data;

/* Constants that expressions index. */
typedef struct ms_table {
    const char *name; /* as the spec calls it: an identifier */
    msw_scalar type;
    uint32_t count; /* at least 1 */
    const uint64_t *entries;
} ms_table;

enum { MS_MAX_TABLE_BYTES = 64 << 10 }; /* of all tables of a graph */

typedef struct ms_graph {
    ms_arena *arena;
    ms_node_data *nodes; /* grows; ids stay */
    uint32_t node_count, node_capacity;
    uint32_t *ids; /* hash table */
    uint32_t id_capacity;
    const ms_table **tables; /* equal ones are one; each stays where it is */
    uint32_t table_count, table_capacity;
    char error[256]; /* why the last call gave 0; "" for out of memory */
} ms_graph;

void ms_graph_init(ms_graph *graph, ms_arena *arena);
void ms_graph_free(ms_graph *graph);

/* Each returns 0 on failure and sets graph->error: a type rule that does not hold ("u32 + f32: convert one side, as in f32(x)"), or memory. */
ms_node ms_expr_const(ms_graph *graph, msw_scalar type, uint64_t bits);
ms_node ms_expr_input(ms_graph *graph, uint32_t param, uint32_t leaf, msw_scalar type);
ms_node ms_expr_op(ms_graph *graph, ms_op op, const ms_node *args, uint32_t arg_count);
ms_node ms_expr_convert(ms_graph *graph, msw_scalar to, ms_node a); /* the node itself when it has that type */
ms_node ms_expr_bitcast(ms_graph *graph, msw_scalar to, ms_node a);
/* The entry of the graph's table number `table` at an index. */
ms_node ms_expr_entry(ms_graph *graph, uint32_t table, ms_node index);
/* The table of these entries; is it new, the name and the entries are copied. UINT32_MAX on failure, as above. */
uint32_t ms_graph_table(ms_graph *graph, const char *name, msw_scalar type, const uint64_t *entries, uint32_t count);
/* As an operand of ms_op_apply: of MS_OP_TABLE the second. */
static inline uint64_t ms_table_operand(const ms_table *table) { return (uint64_t)(uintptr_t)table; }

/* One scalar operation on raw bits: the meaning itself. wide: f32 and f16 are held as doubles in `args` and in the result (see ms_eval). */
uint64_t ms_op_apply(ms_op op, msw_scalar result, msw_scalar operand, const uint64_t *args, int wide);

/* What no parameter brings but the caller, one value for a whole run: inputs of every function of the spec. */
enum { MS_UNIFORM_PARAM = 4 };

enum { MS_MAX_OPERATIONS = 2048 }; /* of a spec's function: what compilers take seconds for, and hundreds of megabytes */

typedef struct ms_param {
    const char *name;
    const ms_type *type;
} ms_param;

/* A traced function, or an opaque one (`source`): then leaves is NULL. */
typedef struct ms_function {
    const char *name; /* "combine", "map", "output" */
    uint32_t param_count;
    ms_param params[4];
    const ms_type *result;
    const ms_graph *graph;
    const ms_node *leaves;                 /* result->info.leaf_count nodes */
    const uint64_t *uniforms;              /* by leaf, in an evaluation; NULL: they have no values */
    const char *source_cuda, *source_glsl; /* opaque bodies; each may be NULL */
    /* opaque host body: leaves as ms_eval_run's; 0 on success. NULL: none. */
    int (*host)(void *user, const uint64_t *const *args, uint64_t *result, int wide);
    void *host_user;
    const struct ms_host_error *host_error;   /* of the last call that failed; NULL: nothing to say */
    int is_judged, is_bit_exact, is_promised; /* as below; they and operation_count once ms_function_judge has found them out */
    uint32_t operation_count;                 /* nodes that are neither constants nor inputs */
} ms_function;

typedef struct ms_host_error {
    int line, is_memory;
    char text[400];
} ms_host_error;

/* The type of the operands of a node, which of `where` are the values. */
static inline msw_scalar ms_node_operand_type(const ms_graph *graph, const ms_node_data *node)
{
    return (msw_scalar)graph->nodes[node->arg[node->op == MS_OP_WHERE ? 1 : 0]].type;
}
static inline int ms_node_is_leaf(const ms_node_data *node) { return node->op == MS_OP_CONST || node->op == MS_OP_INPUT; }

/* Which nodes a traced function needs: reached[id] is 1 or 0 for every id < bound. An operand's id is below its user's: ascending order is
 * topological. */
uint32_t ms_function_node_bound(const ms_function *function);
void ms_function_mark(const ms_function *function, uint8_t *reached);

/* A function made ready for many evaluations: its reachable nodes in topological order. */
typedef struct ms_eval ms_eval;
/* wide: f16 and f32 leaves are computed in double precision without rounding to their type (double in the slots); the
 * reference for tolerances. A traced function of integers alone computes its floats as devices do all the same. NULL: out of memory, or opaque
 * without host. */
ms_eval *ms_eval_create(ms_arena *arena, const ms_function *function, int wide);
uint32_t ms_eval_input_count(const ms_eval *eval); /* leaves of parameters that it reads, and of uniforms that have no values: these are zeros */
uint32_t ms_eval_step_count(const ms_eval *eval);  /* operations of one run */
/* args[i]: leaf values of parameter i (info.leaf_count raw words; wide floats: the bits of a double); result likewise. 0 on success. */
int ms_eval_run(ms_eval *eval, const uint64_t *const *args, uint64_t *result);
/* Between memory (C layout, padding zeroed on store) and leaf values; wide as above. */
void ms_leaves_load(const ms_type *type, const void *memory, uint64_t *leaves, int wide);
void ms_leaves_store(const ms_type *type, void *memory, const uint64_t *leaves, int wide);
void ms_leaves_widen(const ms_type *type, uint64_t *leaves);

/* ---- what devices round (accuracy.c) ---- */

typedef enum ms_rounding {
    MS_ROUNDS_NOT,
    MS_ROUNDS_ONCE,     /* to the nearest, on every device */
    MS_ROUNDS_BY_DEVICE /* functions that are as accurate as the device makes them */
} ms_rounding;
ms_rounding ms_op_rounding(ms_op op, msw_scalar result, msw_scalar operand);
/* 1: `got` is what a device may have where the bits `expected` are promised: these; another NaN for a NaN; for a subnormal number the zero of its
 * sign, to which a device may flush it. */
int ms_is_same_leaf(msw_scalar scalar, uint64_t got, uint64_t expected);
/* The unit roundoff: half an ulp of 1. Of f64 twice that, since the reference rounds, too. */
double ms_scalar_unit(msw_scalar scalar);
/* The largest magnitude, and the least normal one. */
double ms_scalar_largest(msw_scalar scalar);
double ms_scalar_least_normal(msw_scalar scalar);
/* How far a pushed result is from the expected one; infinite where one of them alone is NaN. */
double ms_scalar_moved(msw_scalar scalar, double pushed, double expected);
/* How far a device's result may be from the expected one, which pushed roundings (ms_eval_run_pushed) moved by so much: twice that, 1 ulp, and the
 * least normal number. */
double ms_scalar_bound(msw_scalar scalar, double moved, double expected);
/* The most that a device's result of these operands may be off by, where the true one is z; infinite: nothing is promised. is_loose: by Vulkan's
 * bounds, else by CUDA's (docs/spec-reference.md, "Accuracy"). */
double ms_op_error(ms_op op, msw_scalar type, const double operands[3], double z, int is_loose);

/* What is done to each result that rounds, by as much as it may be off. */
typedef enum ms_push_rule {
    MS_PUSH_NONE,
    MS_PUSH_AWAY, /* away from zero */
    MS_PUSH_UP,
    MS_PUSH_DOWN,
    MS_PUSH_SIGN, /* up or down, at random */
    MS_PUSH_PART, /* by any part of it, up or down, at random */
    MS_PUSH_NAN   /* nothing, but a NaN that is computed has other bits: evaluators that are not wide do so, too */
} ms_push_rule;
typedef struct ms_push {
    ms_push_rule rule;
    int is_loose;     /* also subnormal numbers may be zeros, and quotients that Vulkan does not bound are anything */
    uint64_t random;  /* a state that is not 0 */
    int has_guessed;  /* set by evaluations that took a subnormal number for a zero, or made up a quotient */
    int is_unbounded; /* set by evaluations of a function where Vulkan does not bound it: sin and cos beyond pi */
} ms_push;
/* ms_eval_run with pushed roundings. Of an evaluator that is not wide only functions are pushed: it is a device, correct to the last bit that devices
 * owe (bodies of sources are then left alone). */
int ms_eval_run_pushed(ms_eval *eval, ms_push *push, const uint64_t *const *args, uint64_t *result);

/* ---- what becomes of NaN (nan.c) ---- */

/* A NaN with another sign and another payload; what is no NaN is returned as it is. */
uint64_t ms_nan_other(msw_scalar scalar, uint64_t bits);
/* 1: it makes integers of floats' bits, which of a computed NaN are each device's own. Memory: in the arena; 1 when there is none. */
int ms_function_reads_bits(const ms_function *function, ms_arena *arena);
/* 1: it does more with floats than to move them: a NaN of it may have any bits, also after a negation: SwiftShader leaves its sign. Memory: as
 * above. */
int ms_function_computes_floats(const ms_function *function, ms_arena *arena);
/* kept[leaf]: 1: a NaN in this leaf of one element is in it in the end, whatever the order of combination: the leaf is made by arithmetic, and by
 * choices between integers' cases, of such leaves alone. Of a source: 0. Returns 0: out of memory. */
int ms_combine_keeps_nan(const ms_function *combine, ms_arena *arena, uint8_t *kept);

/* Finds out how many operations it has and both of what follows, once and for all. 0: out of memory. (Of a function that was not judged they cost
 * memory themselves, and are 0 without it.) */
int ms_function_judge(ms_function *function);

/* 1: floats come in or go out. Those of another function have no wider ones beside them in a reference: they are rounded as on every device, and
 * only so
 * its integers are right. */
int ms_function_joins_floats(const ms_function *function);

/* 1: a float is among what this leaf of the result is made of; or memory is short. */
int ms_function_leaf_is_of_floats(const ms_function *function, uint32_t leaf);
/* Marks, beside what is marked, the leaves of the parameter that this leaf of the result is made of; all of them where the function is opaque, or
 * memory short. */
void ms_function_leaf_reads(const ms_function *function, uint32_t leaf, uint32_t param, uint8_t reads[MS_MAX_ELEMENT_BYTES]);
/* Operations that this leaf of the result takes; 0 where the function is opaque, or memory short. */
uint32_t ms_function_leaf_operations(const ms_function *function, uint32_t leaf);

/* 1: every device gives the same bits whatever the order of combination allows: no float arithmetic other than
 * min, max, comparison, selection and moves is in the function. */
int ms_function_is_bit_exact(const ms_function *function);

/* 1: the language promises the result's bits for given arguments, but for denormals and the bits of NaNs: there is no / // % sqrt, fma or
 * transcendental function of floats. */
int ms_function_is_promised(const ms_function *function);

/* 1: a small change of a float argument may change the result by much, or change an integer of it: comparisons, roundings to whole numbers, bits. */
int ms_function_is_discontinuous(const ms_function *function);

/* Lua's view for the printers: pushes a table (see the comment in expr_lua.c):
 *   { name=, params={ {name=, type=T}.. }, result=T, nodes={ [i]={op=, type="u32", args={i..}, bits=int, param=, leaf=} }, leaves={i..},
 *     cuda=, glsl= }  with nodes renumbered 1.. in topological order and only reachable ones;
 *   T = { kind="scalar"|"vec"|"struct", name=, size=, align=, scalar=, length=, element=T, fields={ {name=, type=T, offset=} },
 *         leaves={ {path=, scalar=, offset=} }, padded=bool }, the same Lua table for the same type within one state;
 *   the types must live as long as the state. */
struct lua_State;
void ms_push_type(struct lua_State *L, const ms_type *type);
void ms_push_function(struct lua_State *L, const ms_function *function);

#endif
