#include "tuning.h"
#include "diag.h"
#include "embedded.h"
#include "geometry.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <string.h>

enum { MOST_BYTES = 2 << 20, MOST_TEXT_BYTES = 1 << 16 }; /* of a table with what reads it; of a text in it: no instruction takes long on one */

/* What Lua has while a table is read. */
typedef struct table_memory {
    ms_arena arena;
    size_t most_text_bytes; /* the table itself is a text, too */
} table_memory;

typedef struct finding {
    ms_arena *arena;
    const msw_target *target;
    ms_tuning_class class_;
    const char *strategy, *name, *table;
    ms_tuning *tuning;
} finding;

static void *resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    table_memory *memory = user;
    const int is_long_text = !block && old_bytes == LUA_TSTRING && new_bytes > memory->most_text_bytes;
    if (is_long_text) memory->arena.refused = MS_REFUSED_BY_LIMIT;
    return is_long_text ? NULL : ms_arena_resize(&memory->arena, block, block ? old_bytes : 0, new_bytes);
}

ms_tuning_class ms_tuning_classify(const ms_operation *op, const msw_target *target)
{
    const int is_vulkan = target->backend == MSW_BACKEND_VULKAN, is_sort = op->kind == MSW_OP_SORT;
    const uint32_t in = op->input->info.size_bytes, out = op->output->info.size_bytes;
    ms_tuning_class found = {.backend = is_vulkan ? "vulkan" : "cuda",
                             .arch = target->arch,
                             .bytes = is_sort    ? 4 * ms_sort_exchange_words(op)
                                      : in > out ? in
                                                 : out};
    if (target->backend == MSW_BACKEND_HOST) found.arch = is_sort ? NULL : "sm_90"; /* the tests' simulator, whose look-ahead is that of CUDA */
    if (!is_sort) found.name = op->kind == MSW_OP_SCAN ? "scan" : "reduce";
    else found.name = !op->value ? "sort" : op->output->kind == MS_TYPE_STRUCT ? "sort_fields" : "sort_pairs";
    return found;
}

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
static void read_table(lua_State *L, int module, const char *name, const char *text)
{
    lua_getfield(L, module, "read");
    lua_pushstring(L, name);
    lua_pushstring(L, text);
    lua_call(L, 2, 1);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

static void set_string(lua_State *L, const char *name, const char *value)
{
    if (value) lua_pushstring(L, value);
    else lua_pushnil(L);
    lua_setfield(L, -2, name);
}

/* Lua: the argument is a finding. */
static int find(lua_State *L)
{
    const finding *f = lua_touserdata(L, 1);
    luaL_openlibs(L);
    ms_push_file_function(L);
    lua_pushstring(L, "gen/plan/tuning.lua");
    lua_call(L, 1, 1);
    const int module = lua_gettop(L);
    const char *shipped = lua_pushfstring(L, "backends/%s/tuning.lua", f->class_.backend);
    lua_getfield(L, module, "choose");
    lua_newtable(L);
    if (f->table) read_table(L, module, f->name, f->table);
    const ms_embedded_file *rows = ms_find_file(ms_embedded_files, shipped);
    if (rows) read_table(L, module, shipped, rows->data);
    lua_newtable(L);
    set_string(L, "backend", f->class_.backend);
    set_string(L, "arch", f->class_.arch);
    set_string(L, "class", f->class_.name);
    set_string(L, "strategy", f->strategy);
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

static msw_result report(lua_State *L, int status, const finding *f, const table_memory *memory, msw_diag *diag)
{
    const char *message = lua_tostring(L, -1);
    const int has_no_memory = status == LUA_ERRMEM || (message && strstr(message, "not enough memory"));
    if (has_no_memory && memory->arena.refused == MS_REFUSED_BY_LIMIT)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", NULL, 0, "%s: takes too much memory; a table is rows only: correct it, or remove it",
                       f->name);
    if (has_no_memory) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "plan", NULL, 0, "out of memory");
    return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", NULL, 0, "%s", message ? message : "a tuning table cannot be read; remove it");
}

msw_result ms_tuning_find(ms_arena *arena, const ms_operation *op, const msw_target *target, const char *strategy, const char *name,
                          const char *table, ms_tuning *tuning, msw_diag *diag)
{
    finding f = {arena, target, ms_tuning_classify(op, target), strategy, name ? name : "tuning table", table, tuning};
    *tuning = (ms_tuning){0};
    table_memory memory = {.most_text_bytes = (table ? strlen(table) : 0) + MOST_TEXT_BYTES};
    ms_arena_init(&memory.arena, &arena->allocator, MOST_BYTES);
    lua_State *L = lua_newstate(resize, &memory);
    if (!L) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "plan", NULL, 0, "out of memory");
    lua_pushcfunction(L, find);
    lua_pushlightuserdata(L, &f);
    const int status = lua_pcall(L, 1, 0, 0);
    const msw_result result = status == LUA_OK ? MSW_OK : report(L, status, &f, &memory, diag);
    lua_close(L);
    return result;
}
