#include "pages.h"
#include "choices.h"
#include "embedded.h"
#include "lua_limits.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

/* The command line's modules. */
extern const ms_embedded_file ms_cli_files[];

/* Of pages and tables: more wants a user's file that is none. */
enum { MOST_BYTES = 64 << 20, MOST_TIME_MS = 20000 };

typedef struct request {
    const char *module, *function;
    const char *const *names, *const *texts;
    uint32_t count;
    ms_limits limits;
} request;

static void push_list(lua_State *L, const char *const *strings, uint32_t count)
{
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_pushstring(L, strings[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

/* Returns the string. */
static int make(lua_State *L)
{
    request *r = lua_touserdata(L, 1);
    luaL_openlibs(L);
    ms_limits_push_run(L, &r->limits);
    lua_setglobal(L, "run_text");
    ms_push_choices(L);
    lua_setglobal(L, "choices");
    ms_push_files(L, ms_cli_files);
    lua_pushstring(L, r->module);
    lua_call(L, 1, 1);
    lua_getfield(L, -1, r->function);
    push_list(L, r->names, r->count);
    push_list(L, r->texts, r->count);
    lua_call(L, 2, 1);
    luaL_checkstring(L, -1);
    return 1;
}

static ms_exit report(lua_State *L, int status, const request *r, ms_exit failed)
{
    const char *reason = ms_limits_reason(&r->limits), *message = reason ? NULL : lua_tostring(L, -1);
    if (reason) return ms_complain(failed, "%s: %s", r->names[0], reason);
    return status == LUA_ERRMEM || !message ? ms_complain(failed, "%s: takes too much memory; give less", r->names[0])
                                            : ms_complain(failed, "%s", message);
}

ms_exit ms_lua_make(const char *module, const char *function, const char *const *names, const char *const *texts, uint32_t count, ms_exit failed,
                    char **text, size_t *bytes)
{
    static const int no_line = 0;
    request r = {module, function, names, texts, count, {.limit_ms = 0}};
    ms_exit code = MS_EXIT_DONE;
    ms_arena memory;
    ms_arena_init(&memory, NULL, MOST_BYTES);
    ms_limits_init(&r.limits, &memory, MOST_TIME_MS, MOST_BYTES, &no_line);
    lua_State *L = lua_newstate(ms_limits_resize, &r.limits);
    if (!L) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    lua_pushcfunction(L, make);
    lua_pushlightuserdata(L, &r);
    const int status = ms_limits_call(&r.limits, L, 1, 1, 0);
    if (status) {
        code = report(L, status, &r, failed);
    } else {
        const char *made = lua_tolstring(L, -1, bytes);
        *text = malloc(*bytes + 1);
        if (*text) memcpy(*text, made, *bytes + 1);
        else code = ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    }
    ms_heap_free(&r.limits.heap);
    return code;
}
