/* What calls of a spec's function can leave behind: its upvalues, the globals, and what the tables and functions in them hold. A sum over all that is
 * reached stands for it, which the order of tables' entries does not change. */
#include "reader.h"
#include "splitmix.h"

#include <lauxlib.h>
#include <string.h>

/* Larger tables are taken for constants. */
enum { MAX_ENTRIES = 4096, CLOCK_ENTRIES = 1024, TEXT_BYTES = 64 };

/* Stack slots of a walk. */
enum { SEEN = 3, QUEUE, PLACES };

typedef struct walk {
    lua_State *L;
    uint64_t named, numbered; /* upvalues and fields; entries under numbers */
    lua_Integer queued;
    uint32_t entries;
    lua_Integer places; /* listed where objects lie; -1: none are */
} walk;

static const char class_mark = 0;

void *ms_class_mark(void) { return (void *)(uintptr_t)&class_mark; }

static uint64_t mixed(uint64_t a, uint64_t b) { return ms_splitmix(ms_splitmix(a) ^ b); }

/* Of a long text the ends and the length. */
static uint64_t text_hash(const char *text, size_t bytes)
{
    uint64_t h = bytes;
    for (size_t i = 0; i < bytes; i++) {
        if (i == TEXT_BYTES && bytes > (size_t)2 * TEXT_BYTES) i = bytes - TEXT_BYTES;
        h = mixed(h, (unsigned char)text[i]);
    }
    return h;
}

/* Whether the value on top is one of the vocabulary's objects: an expression, a type, a monoid, .. */
static int is_object(lua_State *L)
{
    if (lua_type(L, -1) == LUA_TUSERDATA) return 1;
    if (lua_type(L, -1) != LUA_TTABLE || !lua_getmetatable(L, -1)) return 0;
    const int has_mark = lua_rawgetp(L, -1, &class_mark) != LUA_TNIL;
    lua_pop(L, 2);
    return has_mark;
}

/* The value on top is to be visited, once. */
static void enqueue(walk *w)
{
    const void *address = lua_topointer(w->L, -1);
    if (lua_rawgetp(w->L, SEEN, address) == LUA_TNIL) {
        lua_pushboolean(w->L, 1);
        lua_rawsetp(w->L, SEEN, address);
        lua_pushvalue(w->L, -2);
        lua_rawseti(w->L, QUEUE, ++w->queued);
    }
    lua_pop(w->L, 1);
}

/* Stands for the value on top; of what holds others for its kind alone, of an expression too: each call makes its own. */
static uint64_t value_hash(walk *w)
{
    lua_State *L = w->L;
    const uint64_t kind = (uint64_t)lua_type(L, -1);
    lua_Debug info;
    size_t bytes;
    switch (lua_type(L, -1)) {
    case LUA_TBOOLEAN: return mixed(kind, (uint64_t)lua_toboolean(L, -1));
    case LUA_TNUMBER: {
        const lua_Number number = lua_tonumber(L, -1);
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        return mixed(kind, lua_isinteger(L, -1) ? (uint64_t)lua_tointeger(L, -1) : bits);
    }
    case LUA_TSTRING: {
        const char *text = lua_tolstring(L, -1, &bytes);
        return mixed(kind, text_hash(text, bytes));
    }
    case LUA_TTABLE:
        if (is_object(L)) return mixed(kind, 1);
        enqueue(w);
        return kind;
    case LUA_TFUNCTION:
        lua_pushvalue(L, -1);
        lua_getinfo(L, ">S", &info);
        if (!ms_sandbox_is_spec(info.source)) return kind;
        enqueue(w);
        return mixed(kind, (uint64_t)info.linedefined);
    default: return kind;
    }
}

/* The value on top lies at `key` (an upvalue's number; 0: the key is below the value) of the function or table at this index. */
static void list_place(walk *w, int holder, int key)
{
    lua_State *L = w->L;
    if (w->places < 0 || !is_object(L)) return;
    const int at = lua_absindex(L, holder), value = lua_gettop(L);
    lua_createtable(L, 3, 0);
    lua_pushvalue(L, at);
    lua_rawseti(L, -2, 1);
    if (key) lua_pushinteger(L, key);
    else lua_pushvalue(L, value - 1);
    lua_rawseti(L, -2, 2);
    lua_pushvalue(L, value);
    lua_rawseti(L, -2, 3);
    lua_rawseti(L, PLACES, ++w->places);
}

static void count_entry(walk *w)
{
    if (++w->entries % CLOCK_ENTRIES == 0) ms_sandbox_check_time(w->L);
}

/* The table on top. Entries under expressions and tables are left out: another call has other ones. */
static void visit_table(walk *w)
{
    lua_State *L = w->L;
    uint64_t named = 0, numbered = 0;
    uint32_t count = 0;
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        count_entry(w);
        if (++count > MAX_ENTRIES) {
            lua_pop(L, 2);
            return;
        }
        list_place(w, -3, 0);
        const uint64_t value = value_hash(w);
        const int kind = lua_type(L, -2);
        lua_pushvalue(L, -2);
        if (kind == LUA_TSTRING) named += mixed(value_hash(w), value);
        else if (kind == LUA_TNUMBER || kind == LUA_TBOOLEAN) numbered += mixed(value_hash(w), value);
        lua_pop(L, 1);
    }
    w->named += named;
    w->numbered += numbered;
    if (lua_getmetatable(L, -1)) {
        enqueue(w);
        lua_pop(L, 1);
    }
}

/* Upvalue i of the function on top; 0 when it has no such. */
static int visit_upvalue(walk *w, int i)
{
    const char *name = lua_getupvalue(w->L, -1, i);
    if (!name) return 0;
    count_entry(w);
    list_place(w, -2, i);
    w->named += mixed(text_hash(name, strlen(name)), value_hash(w));
    lua_pop(w->L, 1);
    return 1;
}

/* Visits what the function in slot 1 reaches, or by one of its upvalues alone; 0: by all. */
static void reach(walk *w, int only)
{
    lua_State *L = w->L;
    lua_newtable(L);
    lua_newtable(L);
    lua_newtable(L);
    lua_pushvalue(L, 1);
    for (int i = only ? only : 1; visit_upvalue(w, i) && !only; i++) {}
    lua_pop(L, 1);
    for (lua_Integer i = 1; i <= w->queued; i++) {
        if (lua_rawgeti(L, QUEUE, i) == LUA_TTABLE) visit_table(w);
        else
            for (int k = 1; visit_upvalue(w, k); k++) {}
        lua_settop(L, PLACES);
    }
}

/* state(function, upvalue | nil) -> named, numbered: sums over what the function reaches, or that upvalue; and the upvalue's name, nil when there is
 * none */
int ms_push_state(lua_State *L)
{
    walk w = {.L = L, .places = -1};
    const int only = (int)luaL_optinteger(L, 2, 0);
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 2);
    reach(&w, only);
    const char *name = only ? lua_getupvalue(L, 1, only) : NULL;
    lua_pushinteger(L, (lua_Integer)w.named);
    lua_pushinteger(L, (lua_Integer)w.numbered);
    lua_pushstring(L, name);
    return 3;
}

/* places(function) -> where the vocabulary's objects lie that it reaches: { function or table, upvalue's number or key, object } each */
int ms_push_places(lua_State *L)
{
    walk w = {.L = L};
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 2);
    reach(&w, 0);
    lua_pushvalue(L, PLACES);
    return 1;
}

/* set_place(function or table, upvalue's number or key, value) */
int ms_set_place(lua_State *L)
{
    if (lua_type(L, 1) == LUA_TTABLE) lua_rawset(L, 1);
    else lua_setupvalue(L, 1, (int)luaL_checkinteger(L, 2));
    return 0;
}
