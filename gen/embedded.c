#include "embedded.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdint.h>
#include <string.h>

static const ms_embedded_file *find(const ms_embedded_file *files, const char *name)
{
    for (const ms_embedded_file *file = files; file->name; file++)
        if (!strcmp(file->name, name)) return file;
    return NULL;
}

/* file(name [, optional]): an error where there is none, or nil. Upvalue 1: the values of the files that were asked for, by name; 2: the table. */
static int file_value(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    const ms_embedded_file *files = lua_touserdata(L, lua_upvalueindex(2)), *file = find(files, name);
    const size_t length = strlen(name);
    if (!file && lua_toboolean(L, 2)) return 0;
    if (!file) return luaL_error(L, "no embedded file '%s'", name);
    if (lua_getfield(L, lua_upvalueindex(1), name) != LUA_TNIL) return 1;
    if (length < 4 || strcmp(name + length - 4, ".lua")) {
        lua_pushlstring(L, file->data, file->bytes);
    } else {
        const char *chunk = lua_pushfstring(L, "@%s", name);
        if (luaL_loadbufferx(L, file->data, file->bytes, chunk, "t")) return lua_error(L);
        ms_push_files(L, files);
        lua_call(L, 1, 1);
    }
    lua_pushvalue(L, -1);
    lua_setfield(L, lua_upvalueindex(1), name);
    return 1;
}

void ms_push_files(lua_State *L, const ms_embedded_file *files)
{
    static const char values_key = 0;
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &values_key) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &values_key);
    }
    lua_pushlightuserdata(L, (void *)(uintptr_t)files);
    lua_pushcclosure(L, file_value, 2);
}
