/* Runs a spec's text: bounded memory and time, messages with the user's file and line. */
#include "host.h"
#include "diag.h"
#include "embedded.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOOK_INSTRUCTIONS = 10000 };

ms_host *ms_host_of(lua_State *L) { return *(ms_host **)lua_getextraspace(L); }

int ms_host_line(lua_State *L)
{
    const char *chunk = ms_host_of(L)->chunk;
    lua_Debug frame;
    for (int level = 0; lua_getstack(L, level, &frame); level++) {
        lua_getinfo(L, "Sl", &frame);
        if (!strcmp(frame.source, chunk)) return frame.currentline;
    }
    return ms_host_of(L)->last_line;
}

int ms_host_fail(lua_State *L, const char *format, ...)
{
    ms_host *host = ms_host_of(L);
    host->error_line = ms_host_line(L);
    va_list arguments;
    va_start(arguments, format);
    const char *message = lua_pushvfstring(L, format, arguments);
    va_end(arguments);
    if (host->error_line) lua_pushfstring(L, "%s:%d: %s", host->spec->file, host->error_line, message);
    else lua_pushfstring(L, "%s: %s", host->spec->file, message);
    return lua_error(L);
}

static void *resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    return ms_arena_resize(user, block, block ? old_bytes : 0, new_bytes);
}

/* Once the time is up every instruction raises, so that no pcall keeps the spec alive. */
static void watch(lua_State *L, lua_Debug *event)
{
    struct timespec now;
    ms_host *host = ms_host_of(L);
    if (event->event == LUA_HOOKLINE) {
        lua_getinfo(L, "S", event);
        if (!strcmp(event->source, host->chunk)) host->last_line = event->currentline;
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec < host->deadline.tv_sec || (now.tv_sec == host->deadline.tv_sec && now.tv_nsec < host->deadline.tv_nsec)) return;
    lua_sethook(L, watch, LUA_MASKCOUNT, 1);
    ms_host_fail(L, "the spec takes too long; it must be read within its time limit");
}

/* Message handler: errors of Lua itself, raised in our vocabulary, get the user's line; a long name is not cut. */
static int locate(lua_State *L)
{
    ms_host *host = ms_host_of(L);
    const char *message = lua_tostring(L, 1);
    if (!message) {
        lua_pushfstring(L, "%s: error with a %s as its value", host->spec->file, luaL_typename(L, 1));
        return 1;
    }
    const size_t length = strlen(host->spec->file);
    if (!strncmp(message, host->spec->file, length) && message[length] == ':') {
        host->error_line = atoi(message + length + 1);
        return 1;
    }
    const char *rest = strncmp(message, "gen/", 4) ? NULL : strstr(message, ": ");
    host->error_line = ms_host_line(L);
    lua_pushfstring(L, "%s:%d: %s", host->spec->file, host->error_line, rest ? rest + 2 : message);
    return 1;
}

static void define_globals(lua_State *L, const msw_spec_desc *desc)
{
    for (uint32_t i = 0; i < desc->define_count; i++) {
        if (!lua_stringtonumber(L, desc->defines[i].value)) lua_pushstring(L, desc->defines[i].value);
        lua_setfield(L, -2, desc->defines[i].name);
    }
}

static const char *string_field(lua_State *L, int index, const char *key, const char *otherwise)
{
    ms_arena *arena = &ms_host_of(L)->spec->arena;
    const char *text = lua_getfield(L, index, key) == LUA_TSTRING ? lua_tostring(L, -1) : otherwise;
    char *copy = ms_arena_strdup(arena, text);
    lua_pop(L, 1);
    if (!copy) luaL_error(L, "not enough memory");
    return copy;
}

static int boolean_field(lua_State *L, int index, const char *key)
{
    lua_getfield(L, index, key);
    const int value = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}

static void *pointer_field(lua_State *L, int index, const char *key)
{
    lua_getfield(L, index, key);
    void *value = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return value;
}

static void read_init(lua_State *L, int index, ms_operation *op)
{
    if (lua_getfield(L, index, "init") == LUA_TTABLE) {
        const ms_type *type = op->monoid->type;
        msw_spec *spec = ms_host_of(L)->spec;
        ms_node nodes[MS_MAX_ELEMENT_BYTES];
        uint64_t leaves[MS_MAX_ELEMENT_BYTES];
        for (uint32_t i = 0; i < type->info.leaf_count; i++) {
            lua_rawgeti(L, -1, (lua_Integer)i + 1);
            nodes[i] = *(ms_node *)lua_touserdata(L, -1);
            lua_pop(L, 1);
        }
        const ms_function value = {.name = "init", .result = type, .graph = &spec->graph, .leaves = nodes};
        ms_eval *eval = ms_eval_create(&spec->arena, &value, 0);
        void *init = ms_arena_alloc(&spec->arena, type->info.size_bytes);
        if (!eval || !init || ms_eval_run(eval, NULL, leaves)) luaL_error(L, "not enough memory");
        ms_leaves_store(type, init, leaves, 0);
        op->init = init;
    }
    lua_pop(L, 1);
}

static void read_tune(lua_State *L, int index, ms_operation *op)
{
    lua_getfield(L, index, "tune");
    op->tune_count = (uint32_t)lua_rawlen(L, -1);
    msw_knob *knobs = ms_arena_alloc(&ms_host_of(L)->spec->arena, (op->tune_count + 1) * sizeof *knobs);
    if (!knobs) luaL_error(L, "not enough memory");
    for (uint32_t i = 0; i < op->tune_count; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        lua_rawgeti(L, -1, 1);
        lua_setfield(L, -2, "name");
        lua_rawgeti(L, -1, 2);
        lua_setfield(L, -2, "value");
        knobs[i].name = string_field(L, lua_gettop(L), "name", "");
        knobs[i].value = string_field(L, lua_gettop(L), "value", "");
        lua_pop(L, 1);
    }
    op->tune = knobs;
    lua_pop(L, 1);
}

static int bit_exact(const ms_operation *op)
{
    return ms_function_is_bit_exact(op->monoid->combine) && (!op->map || ms_function_is_bit_exact(op->map))
        && (!op->output_map || ms_function_is_bit_exact(op->output_map));
}

static void read_operation(lua_State *L, int index, const char *default_name, ms_operation *op)
{
    lua_getfield(L, index, "kind");
    op->kind = strcmp(lua_tostring(L, -1), "scan") ? MSW_OP_REDUCE : MSW_OP_SCAN;
    lua_getfield(L, index, "line");
    op->line = (int)lua_tointeger(L, -1);
    lua_pop(L, 2);
    op->file = ms_host_of(L)->spec->file;
    op->name = string_field(L, index, "name", default_name);
    op->doc = string_field(L, index, "doc", "");
    op->monoid = &((ms_monoid_entry *)pointer_field(L, index, "monoid"))->monoid;
    op->input = pointer_field(L, index, "input");
    op->output = pointer_field(L, index, "output");
    op->map = pointer_field(L, index, "map");
    op->output_map = pointer_field(L, index, "output_map");
    op->exclusive = boolean_field(L, index, "exclusive");
    op->reverse = boolean_field(L, index, "reverse");
    op->deterministic = boolean_field(L, index, "deterministic");
    read_init(L, index, op);
    read_tune(L, index, op);
    op->info = (msw_op_info){.name = op->name, .doc = op->doc, .kind = op->kind, .buffer_count = 2, .carry = op->monoid->type->info,
                             .is_bit_exact = (uint32_t)bit_exact(op)};
    op->info.buffers[0] = (msw_op_buffer){"in", op->input->info, MSW_LENGTH_N, 0};
    op->info.buffers[1] = (msw_op_buffer){"out", op->output->info, op->kind == MSW_OP_SCAN ? MSW_LENGTH_N : MSW_LENGTH_ONE, 1};
}

static int is_operation(lua_State *L, int index)
{
    if (lua_type(L, index) != LUA_TTABLE || luaL_getmetafield(L, index, "__metatable") == LUA_TNIL) return 0;
    const char *kind = lua_tostring(L, -1);
    const int is = kind && !strcmp(kind, "operation");
    lua_pop(L, 1);
    return is;
}

/* "affine" of "dir/affine.lua"; an identifier. */
static char *base_name(ms_arena *arena, const char *file)
{
    const char *slash = strrchr(file, '/');
    char *name = ms_arena_strdup(arena, slash ? slash + 1 : file);
    if (!name) return NULL;
    char *dot = strrchr(name, '.');
    if (dot && dot != name) *dot = 0;
    for (char *c = name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9' && c != name))) *c = '_';
    return *name ? name : ms_arena_strdup(arena, "spec");
}

/* The value on top: an operation or a list of them. */
static void read_operations(lua_State *L, msw_spec *spec)
{
    const int value = lua_gettop(L), single = is_operation(L, value);
    const lua_Integer count = single ? 1 : lua_type(L, value) == LUA_TTABLE ? (lua_Integer)lua_rawlen(L, value) : 0;
    if (!count) ms_host_fail(L, "the spec returns %s; return an operation, as in return scan { monoid = sum(u32) }", luaL_typename(L, value));
    ms_operation *operations = ms_arena_alloc(&spec->arena, (size_t)count * sizeof *operations);
    const char *base = base_name(&spec->arena, spec->file);
    if (!operations || !base) luaL_error(L, "not enough memory");
    for (lua_Integer i = 0; i < count; i++) {
        if (single) lua_pushvalue(L, value);
        else lua_rawgeti(L, value, i + 1);
        if (!is_operation(L, -1)) ms_host_fail(L, "entry %I of the returned list is no operation", i + 1);
        read_operation(L, lua_gettop(L), base, &operations[i]);
        for (lua_Integer k = 0; k < i; k++)
            if (!strcmp(operations[k].name, operations[i].name)) ms_host_fail(L, "two operations are called '%s'; give them a name = \"..\"", operations[i].name);
        lua_pop(L, 1);
    }
    spec->operations = operations;
    spec->operation_count = (uint32_t)count;
}

typedef struct chunk { const char *text; size_t bytes; } chunk;

static int run(lua_State *L)
{
    ms_host *host = ms_host_of(L);
    const chunk *text = lua_touserdata(L, 1);
    luaL_openlibs(L);
    lua_gc(L, LUA_GCGEN, 0, 0);
    for (const ms_embedded_file *file = ms_embedded_files; file->name; file++) {
        if (strcmp(file->name, "gen/vocabulary.lua")) continue;
        if (luaL_loadbufferx(L, file->data, file->bytes, "@gen/vocabulary.lua", "t")) return lua_error(L);
    }
    ms_push_primitives(L);
    lua_call(L, 1, 1);
    define_globals(L, host->desc);
    lua_sethook(L, watch, LUA_MASKCOUNT | LUA_MASKLINE, HOOK_INSTRUCTIONS);
    if (luaL_loadbufferx(L, text->text, text->bytes, host->chunk, "t")) return lua_error(L);
    lua_pushvalue(L, -2);
    if (!lua_setupvalue(L, -2, 1)) lua_pop(L, 1);
    lua_call(L, 0, 1);
    lua_sethook(L, NULL, 0, 0);
    host->last_line = 0;
    read_operations(L, host->spec);
    return 0;
}

static msw_result check_laws(const ms_host *host, msw_diag *diag)
{
    for (const ms_monoid_entry *entry = host->monoids; entry; entry = entry->next) {
        if (entry->trusted || host->desc->skip_laws) continue;
        const ms_law_options options = {.strict = entry->strict, .file = host->spec->file, .line = entry->line, .warning = host->desc->warning,
                                        .warning_user = host->desc->warning_user};
        const msw_result result = ms_laws_check(&host->spec->arena, &entry->monoid, &options, diag);
        if (result) return result;
    }
    return MSW_OK;
}

msw_result ms_host_read(msw_spec *spec, const msw_spec_desc *desc, const char *text, size_t text_bytes, msw_diag *diag)
{
    ms_host host = {.spec = spec, .desc = desc, .chunk = ms_arena_format(&spec->arena, "=%s", spec->file)};
    const uint32_t limit_ms = desc->time_limit_ms ? desc->time_limit_ms : 2000;
    clock_gettime(CLOCK_MONOTONIC, &host.deadline);
    host.deadline.tv_sec += limit_ms / 1000;
    host.deadline.tv_nsec += limit_ms % 1000 * 1000000L;
    if (host.deadline.tv_nsec >= 1000000000L) host.deadline.tv_sec++, host.deadline.tv_nsec -= 1000000000L;
    lua_State *L = host.chunk ? lua_newstate(resize, &spec->arena) : NULL;
    if (!L) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "spec", NULL, 0, "out of memory");
    *(ms_host **)lua_getextraspace(L) = &host;
    const chunk whole = {text, text_bytes};
    lua_pushcfunction(L, locate);
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, (void *)(uintptr_t)&whole);
    const int status = lua_pcall(L, 1, 0, 1);
    msw_result result = MSW_OK;
    if (status) {
        const char *message = lua_tostring(L, -1);
        const int memory = status == LUA_ERRMEM || (message && strstr(message, "not enough memory"));
        result = ms_diag(diag, memory ? MSW_ERROR_OUT_OF_MEMORY : MSW_ERROR_SPEC, "spec", NULL, 0, "%s%s",
                         memory ? "the spec needs more memory than its limit: " : "", message ? message : "error");
        if (diag) {
            diag->line = host.error_line;
            snprintf(diag->file, sizeof diag->file, "%s", spec->file);
        }
    }
    lua_close(L);
    return result ? result : check_laws(&host, diag);
}
