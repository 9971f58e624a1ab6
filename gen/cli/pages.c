#include "pages.h"
#include "embedded.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

/* The command line's modules. */
extern const ms_embedded_file ms_cli_files[];

enum { MOST_BYTES = 64 << 20, MOST_ASKED_BYTES = 1 << 30 }; /* of pages and tables, at a time and in all: more wants a user's table that is none */

typedef struct memory {
    size_t used, asked;
} memory;

typedef struct request {
    const char *module, *function;
    const char *const *names, *const *texts;
    uint32_t count;
} request;

static void *resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    memory *m = user;
    if (!block) old_bytes = 0;
    if (new_bytes > old_bytes) {
        const size_t more = new_bytes - old_bytes;
        if (more > MOST_BYTES - m->used || more > MOST_ASKED_BYTES - m->asked) return NULL;
        m->asked += more;
    }
    void *moved = new_bytes ? realloc(block, new_bytes) : NULL;
    if (!new_bytes) free(block);
    if (moved || !new_bytes) m->used = m->used - old_bytes + new_bytes;
    return moved;
}

static void push_list(lua_State *L, const char *const *strings, uint32_t count)
{
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_pushstring(L, strings[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

/* Gives the string. */
static int make(lua_State *L)
{
    const request *r = lua_touserdata(L, 1);
    luaL_openlibs(L);
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

ms_exit ms_lua_make(const char *module, const char *function, const char *const *names, const char *const *texts, uint32_t count, ms_exit failed,
                    char **text, size_t *bytes)
{
    request r = {module, function, names, texts, count};
    memory held = {0, 0};
    lua_State *L = lua_newstate(resize, &held);
    if (!L) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    lua_pushcfunction(L, make);
    lua_pushlightuserdata(L, &r);
    const int status = lua_pcall(L, 1, 1, 0);
    if (status) {
        const char *message = lua_tostring(L, -1);
        const int has_no_memory = status == LUA_ERRMEM || !message;
        const ms_exit code =
            has_no_memory ? ms_complain(failed, "%s: takes too much memory; give less", names[0]) : ms_complain(failed, "%s", message);
        lua_close(L);
        return code;
    }
    const char *made = lua_tolstring(L, -1, bytes);
    *text = malloc(*bytes + 1);
    if (*text) memcpy(*text, made, *bytes + 1);
    lua_close(L);
    return *text ? MS_EXIT_DONE : ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
}
