/* lua SCRIPT ARGUMENT..: the Lua that is linked, as a program of the build. The script has the arguments. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>

/* Lua: (count, list) of main's arguments. */
static int run(lua_State *L)
{
    const int count = (int)lua_tointeger(L, 1);
    char **arguments = lua_touserdata(L, 2);
    luaL_openlibs(L);
    if (luaL_loadfile(L, arguments[1])) return lua_error(L);
    luaL_checkstack(L, count, "arguments");
    for (int i = 2; i < count; i++) lua_pushstring(L, arguments[i]);
    lua_call(L, count - 2, 0);
    return 0;
}

int main(int count, char **arguments)
{
    lua_State *L = count > 1 ? luaL_newstate() : NULL;
    if (!L) return 2;
    lua_pushcfunction(L, run);
    lua_pushinteger(L, count);
    lua_pushlightuserdata(L, arguments);
    const int failed = lua_pcall(L, 2, 0, 0);
    if (failed) fprintf(stderr, "%s\n", lua_tostring(L, -1));
    lua_close(L);
    return failed ? 1 : 0;
}
