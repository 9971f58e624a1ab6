#include "tuning.h"
#include "choices.h"
#include "diag.h"
#include "embedded.h"
#include "geometry.h"
#include "lua_limits.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <string.h>

enum { MOST_BYTES = 16 << 20, MOST_TIME_MS = 2000 }; /* of a table that was read, the shipped ones, and what chooses among them */

typedef struct finding {
    ms_arena *arena;
    const msw_target *target;
    ms_tuning_class class_;
    const char *strategy, *name, *table;
    ms_tuning *tuning;
    ms_cut_device *device; /* of which constants are found; NULL: knobs are, for an operation */
    const char **note;
    ms_limits limits; /* of what Lua takes for it */
} finding;

/* ---- Lua ---- */

static const char *kept_string(lua_State *L, ms_arena *arena, int index)
{
    const char *kept = ms_arena_strdup(arena, lua_tostring(L, index));
    if (!kept) luaL_error(L, "not enough memory");
    return kept;
}

/* The row called `name` of the table on top. */
static void take_row(lua_State *L, ms_arena *arena, const char *name, ms_tuning_row *row)
{
    if (lua_getfield(L, -1, name) == LUA_TTABLE) {
        row->is_used = 1;
        lua_getfield(L, -1, "note");
        row->note = kept_string(L, arena, -1);
        lua_getfield(L, -2, "from");
        row->from_bytes = (uint64_t)lua_tointeger(L, -1);
        lua_getfield(L, -3, "names");
        lua_getfield(L, -4, "values");
        row->knob_count = (uint32_t)lua_rawlen(L, -1);
        msw_knob *knobs = ms_arena_alloc(arena, (row->knob_count + 1) * sizeof *knobs);
        if (!knobs) luaL_error(L, "not enough memory");
        for (uint32_t k = 0; k < row->knob_count; k++) {
            lua_rawgeti(L, -2, (lua_Integer)k + 1);
            lua_rawgeti(L, -2, (lua_Integer)k + 1);
            knobs[k] = (msw_knob){kept_string(L, arena, -2), kept_string(L, arena, -1)};
            lua_pop(L, 2);
        }
        row->knobs = knobs;
        lua_pop(L, 4);
    }
    lua_pop(L, 1);
}

/* tuning.read(name, text), of the module at `module`, becomes the next table of the list on top. */
static void read_table(lua_State *L, int module, const char *name, const char *text, const char *class_name)
{
    lua_getfield(L, module, "read");
    lua_pushstring(L, name);
    lua_pushstring(L, text);
    lua_pushstring(L, class_name);
    lua_call(L, 3, 1);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

static void set_string(lua_State *L, const char *name, const char *value)
{
    if (value) lua_pushstring(L, value);
    else lua_pushnil(L);
    lua_setfield(L, -2, name);
}

/* What gen/plan/tuning.lua needs. */
static void open_libraries(lua_State *L)
{
    static const luaL_Reg libraries[] = {{LUA_GNAME, luaopen_base},
                                         {LUA_TABLIBNAME, luaopen_table},
                                         {LUA_STRLIBNAME, luaopen_string},
                                         {LUA_MATHLIBNAME, luaopen_math},
                                         {LUA_DBLIBNAME, luaopen_debug}};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        luaL_requiref(L, libraries[i].name, libraries[i].func, 1);
        lua_pop(L, 1);
    }
}

/* tuning.FUNCTION(tables, query) of gen/plan/tuning.lua: function, tables and query are on top. */
static void push_question(lua_State *L, finding *f, const char *function)
{
    open_libraries(L);
    ms_limits_push_run(L, &f->limits);
    lua_setglobal(L, "run_text");
    ms_push_choices(L);
    lua_setglobal(L, "choices");
    ms_push_file_function(L);
    lua_pushstring(L, "gen/plan/tuning.lua");
    lua_call(L, 1, 1);
    const int module = lua_gettop(L);
    const char *shipped = lua_pushfstring(L, "backends/%s/tuning.lua", f->class_.backend);
    lua_getfield(L, module, function);
    lua_newtable(L);
    const char *class_name = f->device ? "device" : f->class_.name;
    if (f->table) read_table(L, module, f->name, f->table, class_name);
    const ms_embedded_file *rows = ms_find_file(ms_embedded_files, shipped);
    if (rows) read_table(L, module, shipped, rows->data, class_name);
    lua_newtable(L);
    set_string(L, "backend", f->class_.backend);
    set_string(L, "arch", f->class_.arch);
}

/* Lua: the argument is a finding. So below. */
static int find(lua_State *L)
{
    finding *f = lua_touserdata(L, 1);
    push_question(L, f, "choose");
    set_string(L, "class", f->class_.name);
    set_string(L, "strategy", f->strategy);
    set_string(L, "large", f->class_.large ? f->class_.large : "lookahead");
    lua_pushinteger(L, f->class_.bytes);
    lua_setfield(L, -2, "bytes");
    lua_pushinteger(L, f->target->shared_bytes);
    lua_setfield(L, -2, "shared");
    lua_call(L, 2, 1);
    take_row(L, f->arena, "general", &f->tuning->general);
    take_row(L, f->arena, "lookahead", &f->tuning->lookahead);
    lua_getfield(L, -1, "preferred");
    if (lua_isstring(L, -1)) f->tuning->preferred = kept_string(L, f->arena, -1);
    return 0;
}

static int find_device(lua_State *L)
{
    finding *f = lua_touserdata(L, 1);
    push_question(L, f, "device");
    set_string(L, "device", f->target->device[0] ? f->target->device : NULL);
    lua_call(L, 2, 1);
    if (!lua_istable(L, -1)) return 0;
    lua_getfield(L, -1, "note");
    *f->note = kept_string(L, f->arena, -1);
    lua_getfield(L, -2, "constants");
    for (uint32_t c = 0; c < MS_CONSTANT_COUNT; c++) {
        if (lua_getfield(L, -1, ms_device_constants[c].name) == LUA_TNUMBER) ms_cut_set_constant(f->device, c, lua_tonumber(L, -1));
        lua_pop(L, 1);
    }
    return 0;
}

static msw_result report(lua_State *L, int status, const finding *f, msw_diag *diag)
{
    const char *reason = ms_limits_reason(&f->limits), *message = reason ? NULL : lua_tostring(L, -1);
    if (reason) return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", NULL, 0, "%s: %s", f->name, reason);
    if (status == LUA_ERRMEM || (message && strstr(message, "not enough memory")))
        return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "plan", NULL, 0, "out of memory");
    return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", NULL, 0, "%s", message ? message : "a tuning table cannot be read; remove it");
}

/* Answers what a finding asks. */
static msw_result answer(finding *f, msw_diag *diag)
{
    static const int no_line = 0;
    ms_arena memory;
    ms_arena_init(&memory, &f->arena->allocator, MOST_BYTES);
    ms_limits_init(&f->limits, &memory, MOST_TIME_MS, MOST_BYTES, &no_line);
    lua_State *L = lua_newstate(ms_limits_resize, &f->limits);
    msw_result result = MSW_ERROR_OUT_OF_MEMORY;
    if (L) {
        lua_pushcfunction(L, f->device ? find_device : find);
        lua_pushlightuserdata(L, f);
        const int status = ms_limits_call(&f->limits, L, 1, 0, 0);
        result = status == LUA_OK ? MSW_OK : report(L, status, f, diag);
    } else {
        ms_diag(diag, result, "plan", NULL, 0, "out of memory");
    }
    ms_heap_free(&f->limits.heap);
    return result;
}

msw_result ms_tuning_find(ms_arena *arena, const ms_tuning_class *class_, const msw_target *target, const char *strategy, const char *name,
                          const char *table, ms_tuning *tuning, msw_diag *diag)
{
    finding f = {.arena = arena,
                 .target = target,
                 .class_ = *class_,
                 .strategy = strategy,
                 .name = name ? name : "tuning table",
                 .table = table,
                 .tuning = tuning};
    *tuning = (ms_tuning){0};
    return answer(&f, diag);
}

msw_result ms_tuning_device(ms_arena *arena, const char *backend, const char *arch, const msw_target *target, const char *name, const char *table,
                            ms_cut_device *device, const char **note, msw_diag *diag)
{
    finding f = {.arena = arena,
                 .target = target,
                 .class_ = {.backend = backend, .arch = arch},
                 .name = name ? name : "tuning table",
                 .table = table,
                 .device = device,
                 .note = note};
    *note = NULL;
    *device = ms_cut_large_gpu();
    return answer(&f, diag);
}
