/* Opaque functions: bodies for kernels, and a host function of the spec's, run in its Lua state. */
#include "reader.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct host_function {
    lua_State *L;
    const ms_function *function;
    int call; /* registry reference: takes and returns numbers, one a leaf */
    ms_host_error error;
} host_function;

static void push_leaf(lua_State *L, msw_scalar scalar, uint64_t bits, int wide)
{
    if (!ms_scalar_is_float(scalar)) lua_pushinteger(L, (lua_Integer)bits);
    else lua_pushnumber(L, ms_scalar_to_double(wide ? MSW_F64 : scalar, bits));
}

/* The number at `index`, wrapped or rounded to the type; 0 when an integer's is none. */
static int read_leaf(lua_State *L, int index, msw_scalar scalar, int wide, uint64_t *bits)
{
    if (ms_scalar_is_float(scalar)) {
        *bits = ms_scalar_from_double(wide ? MSW_F64 : scalar, lua_tonumber(L, index));
        return 1;
    }
    int integral;
    unsigned char memory[8] = {0};
    const lua_Integer value = lua_tointegerx(L, index, &integral);
    ms_scalar_store(scalar, memory, (uint64_t)value);
    *bits = ms_scalar_load(scalar, memory);
    return integral;
}

/* Lua: (function's host_function, arguments, result, whether wide) */
static int run(lua_State *L)
{
    const host_function *host = lua_touserdata(L, 1);
    const uint64_t *const *args = lua_touserdata(L, 2);
    uint64_t *result = lua_touserdata(L, 3);
    const int wide = lua_toboolean(L, 4);
    const ms_function *function = host->function;
    const msw_type_info *info = &function->result->info;
    int count = 0;
    luaL_checkstack(L, 4 * MS_MAX_ELEMENT_BYTES + 16, "out of stack");
    lua_rawgeti(L, LUA_REGISTRYINDEX, host->call);
    for (uint32_t p = 0; p < function->param_count; p++)
        for (uint32_t i = 0; i < function->params[p].type->info.leaf_count; i++, count++)
            push_leaf(L, function->params[p].type->info.leaves[i].scalar, args[p][i], wide);
    lua_call(L, count, (int)info->leaf_count);
    for (uint32_t i = 0; i < info->leaf_count; i++)
        if (!read_leaf(L, 5 + (int)i, info->leaves[i].scalar, wide, &result[i]))
            return ms_sandbox_fail(L, "the result is %s, no value of %s; use // for integers", lua_tostring(L, 5 + (int)i),
                                   ms_scalar_name(info->leaves[i].scalar));
    return 0;
}

/* lua_pcall's status, or another that is not 0. */
static int call_host(lua_State *L, host_function *host, const uint64_t *const *args, uint64_t *result, int wide)
{
    if (ms_sandbox_of(L)->limits.given_up) return LUA_ERRRUN; /* as it was the last time */
    lua_settop(L, 0);
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, host);
    lua_pushlightuserdata(L, (void *)(uintptr_t)args);
    lua_pushlightuserdata(L, result);
    lua_pushboolean(L, wide);
    return ms_sandbox_call(L, 4, 0);
}

static int run_host(void *user, const uint64_t *const *args, uint64_t *result, int wide)
{
    host_function *host = user;
    lua_State *L = host->L;
    host->error.text[0] = '\0';
    const int failed = call_host(L, host, args, result, wide);
    if (failed) {
        const char *message = ms_sandbox_message(L, failed, &host->error.line);
        host->error.is_memory = !message;
        snprintf(host->error.text, sizeof host->error.text, "%s", message ? message : "out of memory");
    }
    if (!ms_sandbox_of(L)->limits.given_up) lua_settop(L, 0);
    return failed;
}

static const char *body(lua_State *L, int index)
{
    if (lua_type(L, index) != LUA_TSTRING) return NULL;
    const char *text = ms_arena_strdup(&ms_sandbox_of(L)->spec->arena, lua_tostring(L, index));
    if (!text) ms_sandbox_no_memory(L);
    return text;
}

int ms_push_source(lua_State *L)
{
    ms_sandbox *sandbox = ms_sandbox_of(L);
    ms_function *function = ms_function_at(L);
    function->source_glsl = body(L, 4);
    function->source_cuda = body(L, 5);
    if (lua_isfunction(L, 6)) {
        host_function *own = ms_arena_alloc(&sandbox->spec->arena, sizeof *own);
        if (!own) return ms_sandbox_no_memory(L);
        lua_pushvalue(L, 6);
        *own = (host_function){.L = sandbox->L, .function = function, .call = luaL_ref(L, LUA_REGISTRYINDEX)};
        function->host = run_host;
        function->host_user = own;
        function->host_error = &own->error;
        sandbox->keeps_state = 1;
    }
    lua_pushlightuserdata(L, function);
    return 1;
}
