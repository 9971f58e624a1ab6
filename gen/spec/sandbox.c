#include "sandbox.h"
#include "diag.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TIME_LIMIT_MS = 1000, EXPLAIN_TIME_MS = 200, MAX_TEXT_BYTES = 1 << 20, MAX_STRING_BYTES = MAX_TEXT_BYTES + 64 };

static const char explain_key = 0;  /* registry: explain(message) of gen/spec/lua/vocabulary.lua */
static const char memory_error = 0; /* its address, as an error value: memory is not there */

int ms_sandbox_fail(lua_State *L, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *message = lua_pushvfstring(L, format, arguments);
    va_end(arguments);
    lua_pushfstring(L, "spec:%d: %s", ms_sandbox_line(L), message);
    return lua_error(L);
}

int ms_sandbox_no_memory(lua_State *L)
{
    lua_pushlightuserdata(L, (void *)(uintptr_t)&memory_error);
    return lua_error(L);
}

/* ---- time ---- */

static const char *time_message(const ms_sandbox *sandbox)
{
    if (sandbox->is_parsing) return "the spec takes too long to parse; nest its functions less deeply, with fewer local names";
    if (sandbox->is_cutting)
        return "the search for the pipeline's cut takes too long; write fuse = false beside the pipeline's name, or make two of it, with fewer "
               "operations and outputs";
    return sandbox->is_reading ? "the spec takes too long to read; end its loops, or compute tables elsewhere; a condition of values is always true "
                                 "in Lua: choose with where"
                               : "the host function takes too long for one element; end its loops";
}

/* ---- messages ---- */

/* Message handler: errors of Lua itself, raised in our vocabulary, get the user's line. */
static int locate(lua_State *L)
{
    const char *message = lua_tostring(L, 1);
    if (lua_touserdata(L, 1) == &memory_error) return 1;
    if (!message) {
        lua_pushfstring(L, "spec:%d: an error with a %s as its value; raise a text", ms_sandbox_line(L), luaL_typename(L, 1));
        return 1;
    }
    if (!strncmp(message, "spec:", 5)) return 1;
    const char *rest = strncmp(message, "gen/", 4) ? NULL : strstr(message, ": ");
    lua_pushfstring(L, "spec:%d: %s", ms_sandbox_line(L), rest ? rest + 2 : message);
    return 1;
}

/* Whether the error on top tells of memory; Lua's own text for it can have passed through a spec's pcall. */
static int is_memory_error(lua_State *L, int status)
{
    const char *message = lua_tostring(L, -1);
    return status == LUA_ERRMEM || lua_touserdata(L, -1) == &memory_error ||
           (ms_sandbox_of(L)->spec->arena.refused && message && strstr(message, "not enough memory"));
}

/* The message on top with a remedy, where the time that it may take is enough. */
static const char *explained(lua_State *L)
{
    ms_sandbox *sandbox = ms_sandbox_of(L);
    const char *message = lua_tostring(L, -1);
    const uint32_t limit_ms = sandbox->limits.limit_ms;
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &explain_key) != LUA_TFUNCTION) return message;
    lua_pushvalue(L, -2);
    sandbox->limits.limit_ms = EXPLAIN_TIME_MS;
    sandbox->limits.is_timed = 0;
    ms_sandbox_watch(L, 0);
    const int status = ms_limits_call(&sandbox->limits, L, 1, 1, 0);
    sandbox->limits.limit_ms = limit_ms;
    if (status == MS_GAVE_UP) return message; /* Lua's memory is still there */
    lua_sethook(L, NULL, 0, 0);
    return status && is_memory_error(L, status) ? NULL : lua_tostring(L, -1);
}

const char *ms_sandbox_message(lua_State *L, int status, int *line)
{
    const ms_sandbox *sandbox = ms_sandbox_of(L);
    char *rest;
    const char *given_up = sandbox->limits.given_up;
    if (given_up) {
        *line = sandbox->limits.given_up_line;
        return given_up == ms_limits_memory ? NULL : given_up == ms_limits_time ? time_message(sandbox) : given_up;
    }
    if (is_memory_error(L, status)) return NULL;
    const char *message = explained(L);
    *line = sandbox->last_line;
    if (!message || strncmp(message, "spec:", 5)) return message;
    const long number = strtol(message + 5, &rest, 10);
    if (strncmp(rest, ": ", 2)) return message;
    *line = (int)number;
    return rest + 2;
}

/* The error on top of the stack as a diagnostic. */
static msw_result report(lua_State *L, int status, msw_diag *diag)
{
    const ms_sandbox *sandbox = ms_sandbox_of(L);
    int line = sandbox->last_line;
    const char *message = ms_sandbox_message(L, status, &line);
    if (!message) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "spec", sandbox->spec->file, line, "out of memory; close other programs");
    return ms_diag(diag, MSW_ERROR_SPEC, "spec", sandbox->spec->file, line, "%s%s", message, strstr(message, "; ") ? "" : "; correct the spec");
}

/* ---- a state ---- */

ms_sandbox *ms_sandbox_open(msw_spec *spec, const msw_spec_desc *desc, const char *text, size_t text_bytes)
{
    ms_sandbox *sandbox = ms_arena_alloc(&spec->arena, sizeof *sandbox);
    if (!sandbox) return NULL;
    *sandbox = (ms_sandbox){.spec = spec, .desc = desc, .text = text, .text_bytes = text_bytes, .is_reading = 1, .last_monoid = &sandbox->monoids};
    ms_limits_init(&sandbox->limits, &spec->arena, desc->time_limit_ms ? desc->time_limit_ms : DEFAULT_TIME_LIMIT_MS, MAX_STRING_BYTES,
                   &sandbox->last_line);
    sandbox->limits.is_guarded = 1;
    ms_limits_time_is_up(&sandbox->limits); /* begins */
    sandbox->lines = ms_arena_alloc(&spec->arena, MS_MAX_LINES * sizeof *sandbox->lines);
    sandbox->made = ms_arena_alloc(&spec->arena, MS_MAX_MADE * sizeof *sandbox->made);
    sandbox->numbers = ms_arena_alloc(&spec->arena, MS_MAX_NUMBERS * sizeof *sandbox->numbers);
    sandbox->registers = ms_arena_alloc(&spec->arena, MS_MAX_REGISTERS * sizeof *sandbox->registers);
    const int has_room = sandbox->lines && sandbox->made && sandbox->numbers && sandbox->registers;
    lua_State *L = has_room ? lua_newstate(ms_limits_resize, &sandbox->limits) : NULL;
    if (!L) {
        ms_sandbox_close(sandbox);
        return NULL;
    }
    sandbox->L = L;
    *(ms_sandbox **)lua_getextraspace(L) = sandbox;
    return sandbox;
}

static void look(lua_State *L, const char *piece, size_t bytes)
{
    ms_sandbox_check_time(L);
    for (size_t i = 0; i < bytes; i++) ms_sandbox_of(L)->last_line += piece[i] == '\n';
}

void ms_sandbox_load(lua_State *L)
{
    ms_sandbox *sandbox = ms_sandbox_of(L);
    ms_text_reader reader = {sandbox->text, sandbox->text_bytes, look};
    if (sandbox->text_bytes > MAX_TEXT_BYTES) ms_sandbox_fail(L, "the spec has more than 1 MiB; compute large tables in it");
    sandbox->is_parsing = 1;
    if (ms_limits_parse(L, &reader, MS_SPEC_CHUNK)) lua_error(L);
    sandbox->is_parsing = 0;
    sandbox->last_line = 1;
}

void ms_sandbox_explain_by(lua_State *L) { lua_rawsetp(L, LUA_REGISTRYINDEX, &explain_key); }

msw_result ms_sandbox_run(ms_sandbox *sandbox, lua_CFunction function, msw_diag *diag)
{
    lua_pushcfunction(sandbox->L, locate);
    lua_pushcfunction(sandbox->L, function);
    const int status = ms_limits_call(&sandbox->limits, sandbox->L, 0, 0, 1);
    return status ? report(sandbox->L, status, diag) : MSW_OK;
}

void ms_sandbox_end(ms_sandbox *sandbox)
{
    sandbox->is_reading = 0;
    sandbox->desc = NULL;
    sandbox->text = NULL;
}

/* Nothing of the state needs more than its memory: it has no finalizer that matters. */
void ms_sandbox_close(ms_sandbox *sandbox)
{
    if (sandbox) ms_heap_free(&sandbox->limits.heap);
}

int ms_sandbox_call(lua_State *L, int arg_count, int result_count)
{
    ms_sandbox *sandbox = ms_sandbox_of(L);
    const int function = lua_gettop(L) - arg_count;
    lua_pushcfunction(L, locate);
    lua_insert(L, function);
    if (!sandbox->is_reading) sandbox->limits.is_timed = 0;
    ms_sandbox_watch(L, sandbox->is_reading);
    const int status = ms_limits_call(&sandbox->limits, L, arg_count, result_count, function);
    if (status == MS_GAVE_UP) return status;
    lua_sethook(L, NULL, 0, 0);
    lua_remove(L, function);
    return status;
}
