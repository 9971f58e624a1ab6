#include "embedded.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int compare_name(const void *name, const void *file) { return strcmp(name, ((const ms_embedded_file *)file)->name); }

const ms_embedded_file *ms_find_file(const ms_embedded_file *files, const char *name)
{
    size_t count = 0;
    while (files[count].name) count++;
    return bsearch(name, files, count, sizeof *files, compare_name);
}

void ms_load_file(lua_State *L, const ms_embedded_file *file)
{
    lua_pushfstring(L, "@%s", file->name);
    if (luaL_loadbufferx(L, file->data, file->bytes, lua_tostring(L, -1), NULL)) lua_error(L);
    lua_remove(L, -2);
}

/* file(name [, optional]): an error where there is none, or nil. Upvalue 1: the values of the files that were asked for, by name; 2: the table. */
static int file_value(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    if (lua_getfield(L, lua_upvalueindex(1), name) != LUA_TNIL) return 1;
    const ms_embedded_file *files = lua_touserdata(L, lua_upvalueindex(2)), *file = ms_find_file(files, name);
    if (!file && lua_toboolean(L, 2)) return 0;
    if (!file) return luaL_error(L, "no embedded file '%s'", name);
    const char *ending = strrchr(name, '.');
    const int is_module = ending && !strcmp(ending, ".lua");
    if (!is_module && *file->data != *LUA_SIGNATURE) {
        lua_pushlstring(L, file->data, file->bytes);
    } else {
        ms_load_file(L, file);
    }
    if (is_module) {
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
