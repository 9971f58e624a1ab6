/* The primitives of gen/spec/lua/vocabulary.lua: types, nodes, functions and monoids of the C side. */
#include "reader.h"
#include "choices.h"
#include "written.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char node_key = 0; /* registry: the metatable of nodes */

static msw_scalar scalar_named(lua_State *L, int index)
{
    const char *name = luaL_checkstring(L, index);
    for (int s = MSW_BOOL; s <= MSW_F64; s++)
        if (!strcmp(name, ms_scalar_name((msw_scalar)s))) return (msw_scalar)s;
    return (msw_scalar)ms_sandbox_fail(L, "no scalar type '%s'", name);
}

/* What the userdata of a node holds. */
typedef struct expression {
    ms_node node;
    uint32_t epoch; /* of the trace whose arguments it is made of; 0: of constants, which are the same in every trace */
} expression;

static int is_node(lua_State *L, int index)
{
    if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return 0;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &node_key);
    const int same = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return same;
}

/* An argument means something in its own trace only: in another it would be taken for that function's parameter. */
static int refuse_kept(lua_State *L)
{
    const ms_sandbox *sandbox = ms_sandbox_of(L);
    if (!sandbox->epoch) return ms_sandbox_fail(L, "an argument of a function was kept and used outside of it; use it only inside");
    return ms_sandbox_fail(
        L,
        "%s: an argument of another call was kept, or something made of one, and is used here; a function sees its own arguments only: "
        "give it what it needs as a field of its input or of the monoid's type",
        sandbox->traced);
}

static const expression *expression_at(lua_State *L, int index)
{
    if (!is_node(L, index)) ms_sandbox_fail(L, "expected a scalar expression, not a %s", luaL_typename(L, index));
    const expression *e = lua_touserdata(L, index);
    if (e->epoch && e->epoch != ms_sandbox_of(L)->epoch) refuse_kept(L);
    return e;
}

static ms_node node_at(lua_State *L, int index) { return expression_at(L, index)->node; }

static ms_graph *graph_of(lua_State *L) { return &ms_sandbox_of(L)->spec->graph; }

/* A call of a traced function has made a node: noted, or compared with what the first call made. */
static void note_made(lua_State *L, ms_node node)
{
    ms_sandbox *sandbox = ms_sandbox_of(L);
    if (sandbox->making == MS_MAKES_FIRST && sandbox->made_count < MS_MAX_MADE) sandbox->made[sandbox->made_count++] = node;
    if (sandbox->making != MS_MAKES_AGAIN || sandbox->differing_line) return;
    const int is_noted = sandbox->again_count < sandbox->made_count;
    if (is_noted ? sandbox->made[sandbox->again_count] != node : sandbox->made_count < MS_MAX_MADE) sandbox->differing_line = ms_sandbox_line(L);
    sandbox->again_count++;
}

static int push_node(lua_State *L, ms_node node, uint32_t epoch)
{
    if (!node) {
        const char *error = graph_of(L)->error;
        return error[0] ? ms_sandbox_fail(L, "%s", error) : ms_sandbox_no_memory(L);
    }
    note_made(L, node);
    *(expression *)lua_newuserdatauv(L, sizeof(expression), 0) = (expression){node, epoch};
    lua_rawgetp(L, LUA_REGISTRYINDEX, &node_key);
    lua_setmetatable(L, -2);
    return 1;
}

static void *in_arena(lua_State *L, size_t bytes)
{
    void *block = ms_arena_alloc(&ms_sandbox_of(L)->spec->arena, bytes);
    if (!block) ms_sandbox_no_memory(L);
    return block;
}

static const char *kept_string(lua_State *L, int index)
{
    if (lua_type(L, index) != LUA_TSTRING) return NULL;
    size_t length;
    const char *text = lua_tolstring(L, index, &length);
    return memcpy(in_arena(L, length + 1), text, length);
}

static int c_fail(lua_State *L) { return ms_sandbox_fail(L, "%s", luaL_checkstring(L, 1)); }

/* fail_at(line, message) */
static int c_fail_at(lua_State *L)
{
    lua_pushfstring(L, "spec:%d: %s", (int)luaL_checkinteger(L, 1), luaL_checkstring(L, 2));
    return lua_error(L);
}

static int c_text(lua_State *L)
{
    const ms_sandbox *sandbox = ms_sandbox_of(L);
    lua_pushlstring(L, sandbox->text, sandbox->text_bytes);
    return 1;
}

static int c_node_count(lua_State *L)
{
    lua_pushinteger(L, graph_of(L)->node_count);
    return 1;
}

static int c_next(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 2);
    if (lua_next(L, 1)) return 2;
    lua_pushnil(L);
    return 1;
}

static int c_is_node(lua_State *L)
{
    lua_pushboolean(L, is_node(L, 1));
    return 1;
}

static int c_node_type(lua_State *L)
{
    lua_pushstring(L, ms_scalar_name((msw_scalar)graph_of(L)->nodes[node_at(L, 1)].type));
    return 1;
}

/* The bits of the number at `index` as an integer type; fails when it is no such integer. */
static uint64_t integer_bits(lua_State *L, int index, msw_scalar type, const char *where)
{
    const unsigned bits = 8 * ms_scalar_bytes(type);
    const int is_signed = ms_scalar_is_signed(type);
    int integral;
    const lua_Integer value = lua_tointegerx(L, index, &integral);
    if (!integral) {
        const double number = lua_tonumber(L, index);
        if (type == MSW_U64 && number >= 9223372036854775808.0) /* Lua has rounded it, perhaps */
            ms_sandbox_fail(L, "%s: Lua keeps numbers from 2^63 on in 53 bits; write such a u64 in halves: u64(HIGH) << 32 | LOW", where);
        ms_sandbox_fail(L, "%s: %s is no value of %s; convert or round it first", where, lua_tostring(L, index), ms_scalar_name(type));
    }
    const int64_t low = is_signed ? (bits == 64 ? INT64_MIN : -((int64_t)1 << (bits - 1))) : 0;
    const int64_t high = bits == 64 ? INT64_MAX : is_signed ? ((int64_t)1 << (bits - 1)) - 1 : ((int64_t)1 << bits) - 1;
    if (type == MSW_U64 && value < -(lua_Integer)UINT32_MAX) { /* as a hexadecimal literal is from 2^63 on */
        char halves[64];
        snprintf(halves, sizeof halves, "u64(0x%x) << 32 | 0x%x", (unsigned)((uint64_t)value >> 32), (unsigned)value);
        ms_sandbox_fail(L, "%s: %I is out of the range of u64; if its bits are meant, write %s", where, value, halves);
    }
    if (value < low || value > high)
        ms_sandbox_fail(L, "%s: %I is out of the range of %s; use another value or type", where, value, ms_scalar_name(type));
    return (uint64_t)value;
}

static uint64_t float_bits(lua_State *L, int index, msw_scalar type, const char *where)
{
    const double value = lua_tonumber(L, index);
    const uint64_t bits = ms_scalar_from_double(type, value);
    if (isinf(ms_scalar_to_double(type, bits)) && !isinf(value))
        ms_sandbox_fail(L, "%s: %s is out of the range of %s; use another value or type", where, lua_tostring(L, index), ms_scalar_name(type));
    return bits;
}

/* const(type, number, where, raw): raw integers are taken as they are */
static int c_const(lua_State *L)
{
    const msw_scalar type = scalar_named(L, 1);
    const char *where = luaL_checkstring(L, 3);
    uint64_t bits;
    if (ms_scalar_is_float(type)) bits = float_bits(L, 2, type, where);
    else if (lua_toboolean(L, 4)) bits = (uint64_t)lua_tointeger(L, 2);
    else bits = integer_bits(L, 2, type, where);
    return push_node(L, ms_expr_const(graph_of(L), type, bits), 0);
}

static int c_convert(lua_State *L)
{
    const expression *e = expression_at(L, 2);
    return push_node(L, ms_expr_convert(graph_of(L), scalar_named(L, 1), e->node), e->epoch);
}

static int c_bitcast(lua_State *L)
{
    const expression *e = expression_at(L, 2);
    return push_node(L, ms_expr_bitcast(graph_of(L), scalar_named(L, 1), e->node), e->epoch);
}

static ms_op op_named(lua_State *L, int index)
{
    const char *name = luaL_checkstring(L, index);
    for (int op = 0; op < MS_OP_COUNT; op++)
        if (!strcmp(name, ms_op_name((ms_op)op))) return (ms_op)op;
    return (ms_op)ms_sandbox_fail(L, "no operation '%s'", name);
}

static int c_op(lua_State *L)
{
    const ms_op op = op_named(L, 1);
    const int count = lua_gettop(L) - 1;
    ms_node args[3] = {0};
    uint32_t epoch = 0;
    if (count > 3) return ms_sandbox_fail(L, "%s: too many values", ms_op_name(op));
    for (int i = 0; i < count; i++) {
        const expression *e = expression_at(L, i + 2);
        args[i] = e->node;
        if (e->epoch) epoch = e->epoch;
    }
    return push_node(L, ms_expr_op(graph_of(L), op, args, (uint32_t)count), epoch);
}

static uint64_t constant_bits(lua_State *L, ms_node node);

/* table(name, type, { nodes }) -> the number of the table of these constants, each of the type */
static int c_table(lua_State *L)
{
    const msw_scalar type = scalar_named(L, 2);
    const uint32_t count = (uint32_t)lua_rawlen(L, 3);
    uint64_t *entries = lua_newuserdatauv(L, count * sizeof *entries, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_rawgeti(L, 3, (lua_Integer)i + 1);
        entries[i] = constant_bits(L, node_at(L, -1));
        lua_pop(L, 1);
    }
    const uint32_t table = ms_graph_table(graph_of(L), luaL_checkstring(L, 1), type, entries, count);
    if (table == UINT32_MAX) return graph_of(L)->error[0] ? ms_sandbox_fail(L, "table_of: %s", graph_of(L)->error) : ms_sandbox_no_memory(L);
    lua_pushinteger(L, table);
    return 1;
}

/* entry(table, index node) */
static int c_entry(lua_State *L)
{
    const expression *index = expression_at(L, 2);
    return push_node(L, ms_expr_entry(graph_of(L), (uint32_t)luaL_checkinteger(L, 1), index->node), index->epoch);
}

static int c_arity(lua_State *L)
{
    lua_pushinteger(L, ms_op_arity(op_named(L, 1)));
    return 1;
}

static int c_input(lua_State *L)
{
    const ms_node node = ms_expr_input(graph_of(L), (uint32_t)luaL_checkinteger(L, 1), (uint32_t)luaL_checkinteger(L, 2), scalar_named(L, 3));
    return push_node(L, node, ms_sandbox_of(L)->epoch);
}

/* same_nodes({ nodes }, { nodes }) -> whether they are the same expressions, whichever traces made them */
static int c_same_nodes(lua_State *L)
{
    const lua_Integer count = (lua_Integer)lua_rawlen(L, 1);
    int same = count == (lua_Integer)lua_rawlen(L, 2);
    for (lua_Integer i = 1; same && i <= count; i++, lua_settop(L, 2)) {
        lua_rawgeti(L, 1, i);
        lua_rawgeti(L, 2, i);
        same = is_node(L, 3) && is_node(L, 4) && ((const expression *)lua_touserdata(L, 3))->node == ((const expression *)lua_touserdata(L, 4))->node;
    }
    lua_pushboolean(L, same);
    return 1;
}

/* enter_trace(name, "first" | "again" | "apart") -> the epoch before. Expressions made of other epochs' arguments are refused from now on. What the
 * next calls "again" make is compared with what the "first" made; a call "apart" is not. */
static int c_enter_trace(lua_State *L)
{
    static const char *const names[] = {"apart", "first", "again", NULL};
    ms_sandbox *sandbox = ms_sandbox_of(L);
    const uint32_t before = sandbox->epoch;
    const ms_making making = (ms_making)luaL_checkoption(L, 2, NULL, names);
    sandbox->traced = luaL_checkstring(L, 1); /* a constant of the vocabulary's */
    sandbox->epoch = ++sandbox->last_epoch;
    if (!before) {
        sandbox->making = making;
        if (making == MS_MAKES_FIRST) sandbox->made_count = 0;
        sandbox->again_count = 0;
        sandbox->differing_line = 0;
    }
    lua_pushinteger(L, before);
    return 1;
}

/* leave_trace(epoch before) -> the first line that made something else than the first call did, nil for none. Also after an error. */
static int c_leave_trace(lua_State *L)
{
    ms_sandbox *sandbox = ms_sandbox_of(L);
    sandbox->epoch = (uint32_t)luaL_checkinteger(L, 1);
    if (!sandbox->epoch) sandbox->making = MS_MAKES_APART;
    if (!sandbox->differing_line) return 0;
    lua_pushinteger(L, sandbox->differing_line);
    return 1;
}

static int c_epoch(lua_State *L)
{
    lua_pushinteger(L, ms_sandbox_of(L)->epoch);
    return 1;
}

static int push_type_handle(lua_State *L, const ms_type *type, const char *error)
{
    if (!type) return error[0] ? ms_sandbox_fail(L, "%s", error) : ms_sandbox_no_memory(L);
    lua_pushlightuserdata(L, (void *)(uintptr_t)type);
    return 1;
}

static int c_scalar_type(lua_State *L) { return push_type_handle(L, ms_type_scalar(scalar_named(L, 1)), ""); }

static int c_vec_type(lua_State *L)
{
    char error[256] = "";
    int integral;
    const lua_Integer length = lua_tointegerx(L, 2, &integral);
    if (!integral || length < 2 || length > 4) return ms_sandbox_fail(L, "vec(T, n): n is 2, 3 or 4; for more use a struct");
    return push_type_handle(L, ms_type_vec(&ms_sandbox_of(L)->spec->arena, lua_touserdata(L, 1), (uint32_t)length, error), error);
}

/* type_bytes(type handle) */
static int c_type_bytes(lua_State *L)
{
    const ms_type *type = lua_touserdata(L, 1);
    lua_pushinteger(L, type->info.size_bytes);
    return 1;
}

/* nothing_type(): of no fields. */
static int c_nothing_type(lua_State *L) { return push_type_handle(L, ms_type_nothing(), ""); }

/* struct_type(name, { { field name, type handle }, .. }) */
static int c_struct_type(lua_State *L)
{
    char error[256] = "";
    const uint32_t count = (uint32_t)lua_rawlen(L, 2);
    ms_field *fields = in_arena(L, (count + 1) * sizeof *fields);
    for (uint32_t i = 0; i < count; i++) {
        lua_rawgeti(L, 2, (lua_Integer)i + 1);
        lua_rawgeti(L, -1, 1);
        lua_rawgeti(L, -2, 2);
        fields[i].name = kept_string(L, -2);
        fields[i].type = lua_touserdata(L, -1);
        lua_pop(L, 3);
    }
    return push_type_handle(L, ms_type_struct(&ms_sandbox_of(L)->spec->arena, kept_string(L, 1), fields, count, error), error);
}

static int c_same_type(lua_State *L)
{
    lua_pushboolean(L, ms_type_equal(lua_touserdata(L, 1), lua_touserdata(L, 2)));
    return 1;
}

/* parameters(function) -> count, { names } */
static int c_parameters(lua_State *L)
{
    lua_Debug info;
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_pushvalue(L, 1);
    lua_getinfo(L, ">u", &info);
    lua_pushinteger(L, info.nparams);
    lua_newtable(L);
    for (int i = 1; i <= info.nparams; i++) {
        lua_pushvalue(L, 1);
        const char *name = lua_getlocal(L, NULL, i);
        if (!name) break;
        lua_pushstring(L, name);
        lua_rawseti(L, 3, i);
    }
    lua_settop(L, 3);
    return 2;
}

/* line_range(function) -> the first and last line of its definition; (1, 0) when it is not of the spec */
static int c_line_range(lua_State *L)
{
    lua_Debug info;
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_pushvalue(L, 1);
    lua_getinfo(L, ">S", &info);
    const int is_own = ms_sandbox_is_spec(info.source);
    lua_pushinteger(L, is_own ? info.linedefined : 1);
    lua_pushinteger(L, is_own ? info.lastlinedefined : 0);
    return 2;
}

/* The list of nodes at `index`, the leaves of a value of that type, in the arena. */
static ms_node *leaf_list(lua_State *L, int index, const ms_type *type)
{
    const uint32_t count = type->info.leaf_count;
    ms_node *nodes = in_arena(L, (count + 1) * sizeof *nodes);
    for (uint32_t i = 0; i < count; i++) {
        lua_rawgeti(L, index, (lua_Integer)i + 1);
        nodes[i] = node_at(L, -1);
        const msw_scalar got = (msw_scalar)graph_of(L)->nodes[nodes[i]].type, wanted = type->info.leaves[i].scalar;
        if (got != wanted)
            ms_sandbox_fail(L, "a part of %s is %s, expected %s; convert it", type->info.name, ms_scalar_name(got), ms_scalar_name(wanted));
        lua_pop(L, 1);
    }
    return nodes;
}

ms_function *ms_function_at(lua_State *L)
{
    ms_function *function = in_arena(L, sizeof *function);
    function->name = kept_string(L, 1);
    function->param_count = (uint32_t)lua_rawlen(L, 2);
    for (uint32_t i = 0; i < function->param_count; i++) {
        lua_rawgeti(L, 2, (lua_Integer)i + 1);
        lua_rawgeti(L, -1, 1);
        lua_rawgeti(L, -2, 2);
        function->params[i].name = kept_string(L, -2);
        function->params[i].type = lua_touserdata(L, -1);
        lua_pop(L, 3);
    }
    function->result = lua_touserdata(L, 3);
    function->graph = graph_of(L);
    return function;
}

/* func(name, { { parameter name, type handle }, .. }, result type handle, { leaf nodes }) */
static int c_func(lua_State *L)
{
    ms_function *function = ms_function_at(L);
    function->leaves = leaf_list(L, 4, function->result);
    if (!ms_function_judge(function)) return ms_sandbox_no_memory(L);
    if (function->operation_count > MS_MAX_OPERATIONS)
        ms_sandbox_fail(L, "%s: %d operations; compilers take too long over more than %d: use fewer, or a source { .. } with a loop in it",
                        function->name, (int)function->operation_count, MS_MAX_OPERATIONS);
    lua_pushlightuserdata(L, function);
    return 1;
}

/* uses(function, parameter, first leaf | nil, leaves) -> whether what it returns is made of that parameter, counted from 0; of these leaves of it */
static int c_uses(lua_State *L)
{
    const ms_function *function = lua_touserdata(L, 1);
    const lua_Integer parameter = lua_tointeger(L, 2);
    const uint64_t first = (uint64_t)luaL_optinteger(L, 3, 0), leaves = (uint64_t)luaL_optinteger(L, 4, -1);
    if (!function->leaves) return 0;
    const uint32_t bound = ms_function_node_bound(function);
    uint8_t *reached = lua_newuserdatauv(L, bound, 0);
    int uses = 0;
    ms_function_mark(function, reached);
    for (ms_node id = 1; id < bound; id++) {
        const ms_node_data *node = &function->graph->nodes[id];
        uses |= reached[id] && node->op == MS_OP_INPUT && node->param == parameter && node->bits - first < leaves;
    }
    lua_pushboolean(L, uses);
    return 1;
}

static const void *handle_field(lua_State *L, int index, const char *key)
{
    lua_getfield(L, index, key);
    const void *handle = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return handle;
}

/* Whether a value is made of uniforms. */
static int uses_uniforms(const ms_function *value, uint8_t *reached)
{
    const uint32_t bound = ms_function_node_bound(value);
    int uses = 0;
    ms_function_mark(value, reached);
    for (ms_node id = 1; id < bound; id++) uses |= reached[id] && value->graph->nodes[id].param == MS_UNIFORM_PARAM;
    return uses;
}

/* sample_uniforms({ scalar types }, { numbers }): the values of all leaves of uniforms from now on; sample_uniforms(): they have none. */
static int c_sample_uniforms(lua_State *L)
{
    const size_t count = lua_istable(L, 1) ? lua_rawlen(L, 1) : 0;
    uint64_t *values = count ? in_arena(L, count * sizeof *values) : NULL;
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, 1, (lua_Integer)i + 1);
        const msw_scalar type = scalar_named(L, -1);
        lua_rawgeti(L, 2, (lua_Integer)i + 1);
        values[i] = ms_scalar_is_float(type) ? ms_scalar_from_double(type, lua_tonumber(L, -1)) : (uint64_t)lua_tointeger(L, -1);
        lua_pop(L, 2);
    }
    ms_sandbox_of(L)->uniforms = values;
    return 0;
}

/* Evaluates expressions of constants, a value's leaves; fails when they have inputs. */
static void evaluate_constants(lua_State *L, const ms_type *type, const ms_node *nodes, uint64_t *leaves)
{
    const ms_function value = {.name = "constant", .result = type, .graph = graph_of(L), .leaves = nodes, .uniforms = ms_sandbox_of(L)->uniforms};
    ms_eval *eval = ms_eval_create(&ms_sandbox_of(L)->spec->arena, &value, 0);
    if (!eval) ms_sandbox_no_memory(L);
    if (ms_eval_input_count(eval) && uses_uniforms(&value, lua_newuserdatauv(L, ms_function_node_bound(&value), 0)))
        ms_sandbox_fail(
            L, "a uniform has no value here, nor has a pipeline's single value: the operation runs later; use a constant, or use it in a function");
    if (ms_eval_input_count(eval)) ms_sandbox_fail(L, "an argument of a function was kept and used outside of it; use it only inside");
    ms_eval_run(eval, NULL, leaves);
}

void *ms_element_at(lua_State *L, int index, const ms_type *type)
{
    uint64_t leaves[MS_MAX_ELEMENT_BYTES];
    void *element = in_arena(L, type->info.size_bytes);
    evaluate_constants(L, type, leaf_list(L, index, type), leaves);
    ms_leaves_store(type, element, leaves, 0);
    return element;
}

/* The elements whose leaves are the lists in the list at `index`. */
static const void *const *element_list(lua_State *L, int index, const ms_type *type)
{
    const size_t count = lua_rawlen(L, index);
    const void **elements = in_arena(L, (count + 1) * sizeof *elements);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, index, (lua_Integer)i + 1);
        elements[i] = ms_element_at(L, lua_gettop(L), type);
        lua_pop(L, 1);
    }
    return elements;
}

/* The value of an expression of constants. */
static uint64_t constant_bits(lua_State *L, ms_node node)
{
    const ms_node_data *data = &graph_of(L)->nodes[node];
    uint64_t bits = data->bits;
    const uint64_t *uniforms = ms_sandbox_of(L)->uniforms;
    if (uniforms && data->op == MS_OP_INPUT && data->param == MS_UNIFORM_PARAM) return uniforms[bits];
    if (data->op != MS_OP_CONST) evaluate_constants(L, ms_type_scalar((msw_scalar)data->type), &node, &bits);
    return bits;
}

/* number(node) -> the Lua number or boolean that an expression of constants is */
static int c_number(lua_State *L)
{
    const ms_node node = node_at(L, 1);
    const msw_scalar type = (msw_scalar)graph_of(L)->nodes[node].type;
    const uint64_t bits = constant_bits(L, node);
    if (type == MSW_BOOL) lua_pushboolean(L, bits != 0);
    else if (ms_scalar_is_float(type)) lua_pushnumber(L, ms_scalar_to_double(type, bits));
    else lua_pushinteger(L, (lua_Integer)bits);
    return 1;
}

/* The monoids in the list at `index`, NULL after the last. */
static const ms_monoid_entry *const *monoid_list(lua_State *L, int index)
{
    const size_t count = lua_rawlen(L, index);
    const ms_monoid_entry **members = in_arena(L, (count + 1) * sizeof *members);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, index, (lua_Integer)i + 1);
        members[i] = lua_touserdata(L, -1);
        lua_pop(L, 1);
    }
    members[count] = NULL;
    return members;
}

/* monoid { name, type, identity = { nodes }, combine, commutative, laws, samples = { { nodes }, .. } | nil, members = { monoids } | nil } */
static int c_monoid(lua_State *L)
{
    ms_sandbox *sandbox = ms_sandbox_of(L);
    ms_monoid_entry *entry = in_arena(L, sizeof *entry);
    lua_getfield(L, 1, "name");
    entry->monoid.name = kept_string(L, -1);
    lua_getfield(L, 1, "commutative");
    entry->monoid.commutative = lua_toboolean(L, -1);
    lua_getfield(L, 1, "laws");
    entry->monoid.laws = kept_string(L, -1);
    entry->monoid.type = handle_field(L, 1, "type");
    entry->monoid.combine = handle_field(L, 1, "combine");
    entry->line = ms_sandbox_line(L);
    lua_getfield(L, 1, "identity");
    entry->monoid.identity = ms_element_at(L, lua_gettop(L), entry->monoid.type);
    if (lua_getfield(L, 1, "samples") == LUA_TTABLE) entry->samples = element_list(L, lua_gettop(L), entry->monoid.type);
    if (lua_getfield(L, 1, "members") == LUA_TTABLE) entry->members = monoid_list(L, lua_gettop(L));
    *sandbox->last_monoid = entry;
    sandbox->last_monoid = &entry->next;
    lua_pushlightuserdata(L, entry);
    return 1;
}

_Static_assert(MSW_MAX_BUFFERS >= 2 * MSW_MAX_ARRAYS, "a pipeline's plan has the arrays between its operations, too");
_Static_assert(MSW_LENGTH_REST - MSW_LENGTH_COUNTED >= MSW_MAX_ARRAYS && MSW_LENGTH_GIVEN - MSW_LENGTH_REST >= MSW_MAX_ARRAYS &&
                   MSW_LENGTH_OFFSETS - MSW_LENGTH_GIVEN >= MSW_MAX_ARRAYS && MSW_LENGTH_FIXED - MSW_LENGTH_OFFSETS >= MSW_MAX_ARRAYS,
               "a length has no room for the number of an array");

/* Numbers of the headers that the vocabulary uses. */
static void push_numbers(lua_State *L)
{
    static const struct {
        const char *name;
        lua_Integer value;
    } numbers[] = {{"nowhere", MS_NOWHERE},
                   {"uniform_parameter", MS_UNIFORM_PARAM},
                   {"max_stages", MSW_MAX_STAGES},
                   {"max_arrays", MSW_MAX_ARRAYS},
                   {"role_in", MSW_ROLE_IN},
                   {"role_out", MSW_ROLE_OUT},
                   {"role_uniform", MSW_ROLE_UNIFORM},
                   {"length_n", MSW_LENGTH_N},
                   {"length_one", MSW_LENGTH_ONE},
                   {"length_counted", MSW_LENGTH_COUNTED},
                   {"length_rest", MSW_LENGTH_REST},
                   {"length_scattered", MSW_LENGTH_SCATTERED},
                   {"length_given", MSW_LENGTH_GIVEN},
                   {"length_offsets", MSW_LENGTH_OFFSETS},
                   {"length_fixed", MSW_LENGTH_FIXED},
                   {"is_computed", MS_IS_COMPUTED},
                   {"derives", MS_DERIVES},
                   {"stores", MS_STORES},
                   {"joins", MS_JOINS},
                   {"follows", MS_FOLLOWS},
                   {"packs", MS_PACKS},
                   {"has_no_index", MS_HAS_NO_INDEX},
                   {"domain_n", MS_DOMAIN_N},
                   {"domain_one", MS_DOMAIN_ONE},
                   {"domain_counted", MS_DOMAIN_COUNTED}};
    lua_newtable(L);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        lua_pushinteger(L, numbers[i].value);
        lua_setfield(L, -2, numbers[i].name);
    }
}

void ms_push_primitives(lua_State *L)
{
    static const luaL_Reg primitives[] = {{"fail", c_fail},
                                          {"fail_at", c_fail_at},
                                          {"text", c_text},
                                          {"node_count", c_node_count},
                                          {"number", c_number},
                                          {"next", c_next},
                                          {"is_node", c_is_node},
                                          {"node_type", c_node_type},
                                          {"const", c_const},
                                          {"convert", c_convert},
                                          {"bitcast", c_bitcast},
                                          {"op", c_op},
                                          {"table", c_table},
                                          {"entry", c_entry},
                                          {"arity", c_arity},
                                          {"input", c_input},
                                          {"same_nodes", c_same_nodes},
                                          {"enter_trace", c_enter_trace},
                                          {"leave_trace", c_leave_trace},
                                          {"epoch", c_epoch},
                                          {"state", ms_push_state},
                                          {"places", ms_push_places},
                                          {"set_place", ms_set_place},
                                          {"scalar_type", c_scalar_type},
                                          {"vec_type", c_vec_type},
                                          {"type_bytes", c_type_bytes},
                                          {"nothing_type", c_nothing_type},
                                          {"struct_type", c_struct_type},
                                          {"same_type", c_same_type},
                                          {"parameters", c_parameters},
                                          {"line_range", c_line_range},
                                          {"func", c_func},
                                          {"uses", c_uses},
                                          {"sample_uniforms", c_sample_uniforms},
                                          {"monoid", c_monoid},
                                          {NULL, NULL}};
    luaL_newlib(L, primitives);
    push_numbers(L);
    lua_setfield(L, -2, "numbers");
    ms_push_watch(L);
    ms_push_items(L);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &node_key);
    ms_push_choices(L);
    lua_setfield(L, -3, "choices");
    lua_pushinteger(L, MS_SMALL_SAMPLES);
    lua_setfield(L, -3, "small_samples");
    lua_pushinteger(L, MS_LARGE_SAMPLES);
    lua_setfield(L, -3, "large_samples");
    lua_pushlightuserdata(L, ms_class_mark());
    lua_setfield(L, -3, "class_mark");
    lua_pushliteral(L, "node");
    lua_setfield(L, -2, "__metatable");
    lua_setfield(L, -2, "node_metatable");
}
