/* Types and functions as Lua tables, for the printers.
 *
 * Type: { kind = "struct", name = "Affine", size = 8, align = 4, padded = false,
 *         fields = { { name = "a", type = <type>, offset = 0 }, .. },
 *         leaves = { { path = "a", scalar = "f32", offset = 0 }, .. } }
 *   kind "scalar" has scalar = "f32" and no fields; kind "vec" has scalar, length and element.
 *   One table a type and state: tables can be compared and used as keys.
 * Function: { name = "combine", params = { { name = "f", type = <type> }, .. }, result = <type>,
 *             nodes = { { op = "input", type = "f32", param = 1, leaf = 2, is_uniform = false, args = {} },
 *                       { op = "table", type = "f32", args = { 1 }, table = { name = "weights", type = "f32", entries = { bits, .. } } },
 *                       { op = "const", type = "f32", bits = 0x3f800000, args = {} },
 *                       { op = "add", type = "f32", args = { 1, 2 } }, .. },
 *             leaves = { 3, .. } }
 *   Operations on constants have been computed, those that leave an operand as it is are gone. Only the nodes that the leaves then need,
 *   operands before users; indices start at 1. An opaque function has no nodes and no leaves but cuda = "..", glsl = ".." as far as it was
 *   given these bodies. */
#include "expr.h"

#include <lauxlib.h>
#include <lua.h>
#include <string.h>

static const char types_key = 0; /* registry: list of the types pushed so far, { pointer, table } each */

static void set_string(lua_State *L, const char *key, const char *value)
{
    if (!value) return;
    lua_pushstring(L, value);
    lua_setfield(L, -2, key);
}

static void set_integer(lua_State *L, const char *key, uint64_t value)
{
    lua_pushinteger(L, (lua_Integer)value);
    lua_setfield(L, -2, key);
}

/* Pushes the table made before for an equal type; 0 and nothing pushed when there is none. The list is at `list`. */
static int push_known(lua_State *L, int list, const ms_type *type)
{
    for (lua_Integer i = 1; lua_rawgeti(L, list, i) == LUA_TTABLE; i++) {
        lua_rawgeti(L, -1, 1);
        const ms_type *known = lua_touserdata(L, -1);
        lua_pop(L, 1);
        if (ms_type_equal(known, type)) {
            lua_rawgeti(L, -1, 2);
            lua_remove(L, -2);
            return 1;
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return 0;
}

static void push_leaves(lua_State *L, const msw_type_info *info)
{
    lua_createtable(L, (int)info->leaf_count, 0);
    for (uint32_t i = 0; i < info->leaf_count; i++) {
        lua_createtable(L, 0, 3);
        set_string(L, "path", info->leaves[i].path);
        set_string(L, "scalar", ms_scalar_name(info->leaves[i].scalar));
        set_integer(L, "offset", info->leaves[i].offset_bytes);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_fields(lua_State *L, const ms_type *type)
{
    lua_createtable(L, (int)type->field_count, 0);
    for (uint32_t i = 0; i < type->field_count; i++) {
        lua_createtable(L, 0, 3);
        set_string(L, "name", type->fields[i].name);
        set_integer(L, "offset", type->fields[i].offset_bytes);
        ms_push_type(L, type->fields[i].type);
        lua_setfield(L, -2, "type");
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_new_type(lua_State *L, const ms_type *type)
{
    static const char *const kinds[] = {[MS_TYPE_SCALAR] = "scalar", [MS_TYPE_VEC] = "vec", [MS_TYPE_STRUCT] = "struct"};
    lua_createtable(L, 0, 8);
    set_string(L, "kind", kinds[type->kind]);
    set_string(L, "name", type->info.name);
    set_integer(L, "size", type->info.size_bytes);
    set_integer(L, "align", type->info.alignment_bytes);
    lua_pushboolean(L, ms_type_has_padding(type));
    lua_setfield(L, -2, "padded");
    push_leaves(L, &type->info);
    lua_setfield(L, -2, "leaves");
    if (type->kind == MS_TYPE_STRUCT) {
        push_fields(L, type);
        lua_setfield(L, -2, "fields");
        return;
    }
    set_string(L, "scalar", ms_scalar_name(type->scalar));
    if (type->kind != MS_TYPE_VEC) return;
    set_integer(L, "length", type->vec_length);
    ms_push_type(L, type->element);
    lua_setfield(L, -2, "element");
}

void ms_push_type(lua_State *L, const ms_type *type)
{
    luaL_checkstack(L, 16, "types nested too deeply");
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &types_key) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &types_key);
    }
    const int list = lua_gettop(L);
    if (!push_known(L, list, type)) {
        push_new_type(L, type);
        lua_createtable(L, 2, 0);
        lua_pushlightuserdata(L, (void *)(uintptr_t)type);
        lua_rawseti(L, -2, 1);
        lua_pushvalue(L, -2);
        lua_rawseti(L, -2, 2);
        lua_rawseti(L, list, (lua_Integer)lua_rawlen(L, list) + 1);
    }
    lua_remove(L, list);
}

/* A function's nodes after folding. */
typedef struct folded {
    uint8_t *reached;
    const ms_table *const *tables;
    ms_node_data *nodes; /* operations on constants have become constants */
    ms_node *same_as;    /* the node itself, or an operand that it always equals */
    ms_node *leaves;
    uint32_t *number_of; /* in the Lua table, from 1 */
    uint32_t bound;
} folded;

static void fold_node(const folded *f, ms_node_data *node)
{
    const int is_single = node->op == MS_OP_TABLE && f->tables[node->bits]->count == 1; /* any index means its entry */
    const uint32_t arity = ms_op_arity((ms_op)node->op);
    uint64_t values[3] = {0};
    for (uint32_t i = 0; i < arity && !is_single; i++) {
        if (f->nodes[node->arg[i]].op != MS_OP_CONST) return;
        values[i] = f->nodes[node->arg[i]].bits;
    }
    if (!arity) return;
    if (node->op == MS_OP_TABLE) values[1] = ms_table_operand(f->tables[node->bits]);
    const msw_scalar operand = (msw_scalar)f->nodes[node->arg[node->op == MS_OP_WHERE ? 1 : 0]].type;
    const uint64_t bits = ms_op_apply((ms_op)node->op, (msw_scalar)node->type, operand, values, 0);
    *node = (ms_node_data){.op = MS_OP_CONST, .type = node->type, .bits = bits};
}

static int is_number(const folded *f, ms_node id, uint64_t value) { return f->nodes[id].op == MS_OP_CONST && f->nodes[id].bits == value; }

/* 1 or 0 where a comparison with the least or greatest number of the type has no other result, as x >= 0 of an unsigned one: compilers warn of such.
 * -1: it depends. */
static int known_comparison(const folded *f, const ms_node_data *node)
{
    const msw_scalar operand = (msw_scalar)f->nodes[node->arg[0]].type;
    if (!ms_scalar_is_integer(operand)) return -1;
    const int is_signed = ms_scalar_is_signed(operand), width = 8 * (int)ms_scalar_bytes(operand);
    const uint64_t greatest = UINT64_MAX >> (64 - width + is_signed), least = is_signed ? ~greatest : 0;
    const ms_node a = node->arg[0], b = node->arg[1];
    if (is_number(f, b, least) || is_number(f, a, greatest)) { /* a >= b */
        if (node->op == MS_OP_GE) return 1;
        if (node->op == MS_OP_LT) return 0;
    }
    if (is_number(f, b, greatest) || is_number(f, a, least)) { /* a <= b */
        if (node->op == MS_OP_LE) return 1;
        if (node->op == MS_OP_GT) return 0;
    }
    return -1;
}

/* Of an integer operation x | ones is ones, x & 0 and x * 0 are 0, as compilers see, too, and warn; x & ones is x. 0: none of these. */
static ms_node bits_operand(const folded *f, const ms_node_data *node)
{
    const msw_scalar type = (msw_scalar)node->type;
    const uint64_t ones = UINT64_MAX >> (ms_scalar_is_signed(type) ? 0 : 64 - 8 * ms_scalar_bytes(type));
    for (int i = 0; i < 2; i++) {
        const ms_node it = node->arg[i];
        if (node->op == MS_OP_OR && is_number(f, it, ones)) return it;
        if ((node->op == MS_OP_AND || node->op == MS_OP_MUL) && is_number(f, it, 0)) return it;
        if (node->op == MS_OP_AND && is_number(f, it, ones)) return node->arg[1 - i];
    }
    return 0;
}

/* The operand that the node always equals; 0: none. Floats are left alone but for choices: x + 0 turns -0 into 0. */
static ms_node equal_operand(const folded *f, const ms_node_data *node)
{
    const ms_node a = node->arg[0], b = node->arg[1];
    if (node->op == MS_OP_WHERE) {
        if (b == node->arg[2] || is_number(f, a, 1)) return b;
        return is_number(f, a, 0) ? node->arg[2] : 0;
    }
    if (!ms_scalar_is_integer((msw_scalar)node->type)) return 0;
    const int has_zero = node->op == MS_OP_ADD || node->op == MS_OP_OR || node->op == MS_OP_XOR;
    const int has_right_zero =
        node->op == MS_OP_SUB || node->op == MS_OP_SHL || node->op == MS_OP_SHR || node->op == MS_OP_ROTL || node->op == MS_OP_ROTR;
    if ((has_zero && is_number(f, a, 0)) || (node->op == MS_OP_MUL && is_number(f, a, 1))) return b;
    if ((has_zero || has_right_zero) && is_number(f, b, 0)) return a;
    const ms_node absorbed = bits_operand(f, node);
    if (absorbed) return absorbed;
    const int has_right_one = node->op == MS_OP_MUL || node->op == MS_OP_DIV || node->op == MS_OP_FLOORDIV;
    return has_right_one && is_number(f, b, 1) ? a : 0;
}

static void fold(const folded *f, ms_node id)
{
    ms_node_data *node = &f->nodes[id];
    for (uint32_t i = 0; i < ms_op_arity((ms_op)node->op); i++) node->arg[i] = f->same_as[node->arg[i]];
    fold_node(f, node);
    if (node->op >= MS_OP_LT && node->op <= MS_OP_GE) {
        const int known = known_comparison(f, node);
        if (known >= 0) *node = (ms_node_data){.op = MS_OP_CONST, .type = MSW_BOOL, .bits = (uint64_t)known};
    }
    const ms_node same = node->op == MS_OP_CONST ? 0 : equal_operand(f, node);
    f->same_as[id] = same ? same : id;
}

/* Pushes userdata that hold the arrays. */
static folded push_folded(lua_State *L, const ms_function *function)
{
    folded f = {.tables = function->graph->tables, .bound = ms_function_node_bound(function)};
    f.reached = lua_newuserdatauv(L, f.bound, 0);
    f.nodes = lua_newuserdatauv(L, f.bound * sizeof *f.nodes, 0);
    f.same_as = lua_newuserdatauv(L, f.bound * sizeof *f.same_as, 0);
    f.leaves = lua_newuserdatauv(L, function->result->info.leaf_count * sizeof *f.leaves, 0);
    f.number_of = lua_newuserdatauv(L, f.bound * sizeof *f.number_of, 0);
    ms_function_mark(function, f.reached);
    memcpy(f.nodes, function->graph->nodes, f.bound * sizeof *f.nodes);
    for (ms_node id = 1; id < f.bound; id++)
        if (f.reached[id]) fold(&f, id);
    for (uint32_t i = 0; i < function->result->info.leaf_count; i++) f.leaves[i] = f.same_as[function->leaves[i]];
    /* again, now that constants have no operands and some nodes are gone */
    const ms_graph graph = {.nodes = f.nodes};
    ms_function after = *function;
    after.graph = &graph;
    after.leaves = f.leaves;
    f.bound = ms_function_node_bound(&after);
    ms_function_mark(&after, f.reached);
    return f;
}

/* One Lua table a table and state. */
static void push_table(lua_State *L, const ms_table *table)
{
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, table) == LUA_TTABLE) return;
    lua_pop(L, 1);
    lua_createtable(L, 0, 3);
    set_string(L, "name", table->name);
    set_string(L, "type", ms_scalar_name(table->type));
    lua_createtable(L, (int)table->count, 0);
    for (uint32_t i = 0; i < table->count; i++) {
        lua_pushinteger(L, (lua_Integer)table->entries[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "entries");
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, table);
}

static void push_node(lua_State *L, const folded *f, const ms_node_data *node)
{
    lua_createtable(L, 0, 5);
    set_string(L, "op", ms_op_name((ms_op)node->op));
    set_string(L, "type", ms_scalar_name((msw_scalar)node->type));
    if (node->op == MS_OP_CONST) set_integer(L, "bits", node->bits);
    if (node->op == MS_OP_INPUT) {
        set_integer(L, "param", (uint64_t)node->param + 1);
        set_integer(L, "leaf", node->bits + 1);
        lua_pushboolean(L, node->param == MS_UNIFORM_PARAM);
        lua_setfield(L, -2, "is_uniform");
    }
    if (node->op == MS_OP_TABLE) {
        push_table(L, f->tables[node->bits]);
        lua_setfield(L, -2, "table");
    }
    lua_createtable(L, 3, 0);
    for (uint32_t i = 0; i < ms_op_arity((ms_op)node->op); i++) {
        lua_pushinteger(L, f->number_of[node->arg[i]]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "args");
}

/* Sets `nodes` and `leaves` of the table on top. */
static void set_body(lua_State *L, const ms_function *function)
{
    const int body = lua_gettop(L);
    const folded f = push_folded(L, function);
    uint32_t count = 0;
    lua_newtable(L);
    for (ms_node id = 1; id < f.bound; id++) {
        if (!f.reached[id]) continue;
        f.number_of[id] = ++count;
        push_node(L, &f, &f.nodes[id]);
        lua_rawseti(L, -2, count);
    }
    lua_setfield(L, body, "nodes");
    lua_newtable(L);
    for (uint32_t i = 0; i < function->result->info.leaf_count; i++) {
        lua_pushinteger(L, f.number_of[f.leaves[i]]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, body, "leaves");
    lua_settop(L, body);
}

void ms_push_function(lua_State *L, const ms_function *function)
{
    luaL_checkstack(L, 16, "out of stack");
    lua_createtable(L, 0, 6);
    set_string(L, "name", function->name);
    lua_createtable(L, (int)function->param_count, 0);
    for (uint32_t i = 0; i < function->param_count; i++) {
        lua_createtable(L, 0, 2);
        set_string(L, "name", function->params[i].name);
        ms_push_type(L, function->params[i].type);
        lua_setfield(L, -2, "type");
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "params");
    ms_push_type(L, function->result);
    lua_setfield(L, -2, "result");
    if (function->leaves) {
        set_body(L, function);
        return;
    }
    set_string(L, "cuda", function->source_cuda);
    set_string(L, "glsl", function->source_glsl);
}
