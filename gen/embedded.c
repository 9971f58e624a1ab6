#include "embedded.h"

#include <lauxlib.h>
#include <lua.h>
#include <string.h>

static const ms_embedded_file *find(const char *name)
{
    for (const ms_embedded_file *file = ms_embedded_files; file->name; file++)
        if (!strcmp(file->name, name)) return file;
    return NULL;
}

/* file(name [, optional]): an error where there is none, or nil. Upvalue 1: the values of the files that were asked for, by name. */
static int file_value(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    const ms_embedded_file *file = find(name);
    const size_t length = strlen(name);
    if (!file && lua_toboolean(L, 2)) return 0;
    if (!file) return luaL_error(L, "no embedded file '%s'", name);
    if (lua_getfield(L, lua_upvalueindex(1), name) != LUA_TNIL) return 1;
    if (length < 4 || strcmp(name + length - 4, ".lua")) {
        lua_pushlstring(L, file->data, file->bytes);
    } else {
        const char *chunk = lua_pushfstring(L, "@%s", name);
        if (luaL_loadbufferx(L, file->data, file->bytes, chunk, "t")) return lua_error(L);
        ms_push_file_function(L);
        lua_call(L, 1, 1);
    }
    lua_pushvalue(L, -1);
    lua_setfield(L, lua_upvalueindex(1), name);
    return 1;
}

void ms_push_file_function(lua_State *L)
{
    static const char values_key = 0;
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &values_key) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &values_key);
    }
    lua_pushcclosure(L, file_value, 1);
}
