#include "sandbox.h"
#include "diag.h"

#include <lauxlib.h>
#include <lualib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Few enough that so many instructions on the longest strings end in time. */
enum {
    HOOK_INSTRUCTIONS = 100,
    DEFAULT_TIME_LIMIT_MS = 1000,
    EXPLAIN_TIME_MS = 200,
    CLOCK_BYTES = 1 << 20,
    CLOCK_CALLS = 4096,
    MAX_TEXT_BYTES = 1 << 20,
    MAX_STRING_BYTES = MAX_TEXT_BYTES + 64
};

/* Of the names in a function's text each is sought in every function around it, 50000 steps at most: a piece between two looks at the clock has few.
 * */
enum { PARSED_BYTES = 64 };

/* Lua puts the integers of a table that it resizes into their places one after the other, past all that collide there, in one instruction. */
enum { MAX_TABLE_KEYS = 1 << 15 };

/* As large as an entry of Lua's tables. */
typedef struct table_entry {
    union {
        void *pointer;
        lua_Number number;
        lua_Integer integer;
    } value;
    unsigned char value_type, key_type;
    int next;
    union {
        void *pointer;
        lua_Number number;
        lua_Integer integer;
    } key;
} table_entry;

static const char chunk_name[] = "=spec";
static const char explain_key = 0;  /* registry: explain(message) of gen/spec/lua/vocabulary.lua */
static const char memory_error = 0; /* its address, as an error value: memory is not there */
static const char memory_reason[] = "out of memory";

enum { GAVE_UP = -1 }; /* a status beside Lua's */

ms_sandbox *ms_sandbox_of(lua_State *L) { return *(ms_sandbox **)lua_getextraspace(L); }

int ms_sandbox_is_spec(const char *source) { return !strcmp(source, chunk_name); }

/* The current line of the spec's innermost frame; 0: it has none. */
static int frame_line(lua_State *L)
{
    lua_Debug frame;
    for (int level = 0; lua_getstack(L, level, &frame); level++) {
        lua_getinfo(L, "Sl", &frame);
        if (ms_sandbox_is_spec(frame.source)) return frame.currentline;
    }
    return 0;
}

int ms_sandbox_line(lua_State *L)
{
    const ms_sandbox *sandbox = ms_sandbox_of(L);
    const int line = sandbox->records_lines ? 0 : frame_line(L); /* of a function that is traced a tail call may have ended the frame */
    return line ? line : sandbox->last_line;
}

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

static struct timespec time_after(clockid_t clock, uint32_t limit_ms)
{
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_sec += limit_ms / 1000;
    time.tv_nsec += limit_ms % 1000 * 1000000L;
    if (time.tv_nsec >= 1000000000L) time.tv_sec++, time.tv_nsec -= 1000000000L;
    return time;
}

static int is_after(clockid_t clock, const struct timespec *deadline)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec > deadline->tv_sec || (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec);
}

int ms_sandbox_time_is_up(ms_sandbox *sandbox)
{
    if (!sandbox->is_timed) {
        sandbox->wall_deadline = time_after(CLOCK_MONOTONIC, sandbox->limit_ms);
        sandbox->deadline = time_after(CLOCK_THREAD_CPUTIME_ID, sandbox->limit_ms);
        sandbox->is_timed = 1;
    }
    return is_after(CLOCK_MONOTONIC, &sandbox->wall_deadline) && is_after(CLOCK_THREAD_CPUTIME_ID, &sandbox->deadline);
}

/* Ends what runs, wherever it is: no pcall keeps it, and Lua's state, which may be in the middle of anything, is never used again. */
static void give_up(ms_sandbox *sandbox, const char *reason, int line)
{
    sandbox->given_up = reason;
    sandbox->given_up_line = line;
    longjmp(*sandbox->way_out, 1);
}

static const char *time_message(const ms_sandbox *sandbox)
{
    if (sandbox->is_parsing) return "the spec takes too long to parse; nest its functions less deeply, with fewer local names";
    return sandbox->is_reading ? "the spec takes too long to read; end its loops, or compute tables elsewhere; a condition of values is always true "
                                 "in Lua: choose with where"
                               : "the host function takes too long for one element; end its loops";
}

static void watch(lua_State *L, lua_Debug *event)
{
    ms_sandbox *sandbox = ms_sandbox_of(L);
    if (event->event != LUA_HOOKLINE) {
        ms_sandbox_check_time(L);
        return;
    }
    lua_getinfo(L, "S", event);
    if (!ms_sandbox_is_spec(event->source)) return;
    sandbox->last_line = event->currentline;
    if (sandbox->records_lines && sandbox->line_count < MS_MAX_LINES) sandbox->lines[sandbox->line_count++] = event->currentline;
}

void ms_sandbox_watch(lua_State *L, int has_lines) { lua_sethook(L, watch, LUA_MASKCOUNT | (has_lines ? LUA_MASKLINE : 0), HOOK_INSTRUCTIONS); }

void ms_sandbox_check_time(lua_State *L)
{
    ms_sandbox *sandbox = ms_sandbox_of(L);
    if (sandbox->way_out && ms_sandbox_time_is_up(sandbox)) give_up(sandbox, time_message(sandbox), ms_sandbox_line(L));
}

/* Why a block of this size is not to be had, however much memory there is; NULL: it is. One instruction would take long on it. */
static const char *too_large(const void *block, size_t type, size_t bytes)
{
    const size_t entries = bytes / sizeof(table_entry);
    if (block) return NULL;
    if (type == LUA_TSTRING) return bytes > MAX_STRING_BYTES ? memory_reason : NULL;
    return !type && entries > MAX_TABLE_KEYS && bytes % sizeof(table_entry) == 0 && !(entries & (entries - 1))
               ? "a table with more than 32768 keys beside 1, 2, 3 and so on; make it smaller, or number its entries from 1"
               : NULL;
}

/* Whether to look at the clock: one instruction can copy megabytes, or collect garbage for nothing when the limit is reached. */
static int is_due(ms_sandbox *sandbox, size_t bytes, int failed)
{
    sandbox->moved_bytes += bytes;
    sandbox->calls++;
    if (sandbox->moved_bytes < CLOCK_BYTES && sandbox->calls < CLOCK_CALLS && !failed) return 0;
    sandbox->moved_bytes = 0;
    sandbox->calls = 0;
    return 1;
}

/* Lua's allocator. What fails by the limit is tried again when Lua has collected its garbage. */
static void *resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    ms_sandbox *sandbox = user;
    const char *reason = too_large(block, old_bytes, new_bytes);
    if (reason == memory_reason) sandbox->spec->arena.refused = MS_REFUSED_BY_LIMIT;
    if (reason && sandbox->way_out) give_up(sandbox, reason, sandbox->last_line);
    void *moved = ms_heap_resize(&sandbox->heap, block, old_bytes, new_bytes);
    const int failed = !moved && new_bytes;
    if (sandbox->way_out && failed && sandbox->spec->arena.refused == MS_REFUSED_BY_LIMIT && sandbox->refusals++)
        give_up(sandbox, memory_reason, sandbox->last_line);
    if (new_bytes && !failed) sandbox->refusals = 0;
    if (sandbox->way_out && is_due(sandbox, new_bytes, failed) && ms_sandbox_time_is_up(sandbox))
        give_up(sandbox, time_message(sandbox), sandbox->last_line);
    return moved;
}

/* lua_pcall under the limits. GAVE_UP: they were reached. */
static int call(lua_State *L, int arg_count, int result_count, int handler)
{
    ms_sandbox *sandbox = ms_sandbox_of(L);
    jmp_buf here, *const outer = sandbox->way_out;
    sandbox->way_out = &here;
    if (setjmp(here)) {
        sandbox->way_out = outer;
        return GAVE_UP;
    }
    const int status = lua_pcall(L, arg_count, result_count, handler);
    sandbox->way_out = outer;
    return status;
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
    const uint32_t limit_ms = sandbox->limit_ms;
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &explain_key) != LUA_TFUNCTION) return message;
    lua_pushvalue(L, -2);
    sandbox->limit_ms = EXPLAIN_TIME_MS;
    sandbox->is_timed = 0;
    ms_sandbox_watch(L, 0);
    const int status = call(L, 1, 1, 0);
    sandbox->limit_ms = limit_ms;
    if (status == GAVE_UP) return message; /* Lua's memory is still there */
    lua_sethook(L, NULL, 0, 0);
    return status && is_memory_error(L, status) ? NULL : lua_tostring(L, -1);
}

const char *ms_sandbox_message(lua_State *L, int status, int *line)
{
    const ms_sandbox *sandbox = ms_sandbox_of(L);
    char *rest;
    if (sandbox->given_up) {
        *line = sandbox->given_up_line;
        return sandbox->given_up == memory_reason ? NULL : sandbox->given_up;
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
    *sandbox = (ms_sandbox){.spec = spec,
                            .desc = desc,
                            .limit_ms = desc->time_limit_ms ? desc->time_limit_ms : DEFAULT_TIME_LIMIT_MS,
                            .text = text,
                            .text_bytes = text_bytes,
                            .is_reading = 1,
                            .last_monoid = &sandbox->monoids};
    ms_heap_init(&sandbox->heap, &spec->arena);
    ms_sandbox_time_is_up(sandbox); /* begins */
    sandbox->lines = ms_arena_alloc(&spec->arena, MS_MAX_LINES * sizeof *sandbox->lines);
    sandbox->made = ms_arena_alloc(&spec->arena, MS_MAX_MADE * sizeof *sandbox->made);
    lua_State *L = sandbox->lines && sandbox->made ? lua_newstate(resize, sandbox) : NULL;
    if (!L) {
        ms_sandbox_close(sandbox);
        return NULL;
    }
    sandbox->L = L;
    *(ms_sandbox **)lua_getextraspace(L) = sandbox;
    return sandbox;
}

/* A lua_Reader: Lua's parser has no hook. */
static const char *next_piece(lua_State *L, void *user, size_t *bytes)
{
    ms_sandbox *sandbox = ms_sandbox_of(L);
    size_t *begun = user;
    const char *piece = sandbox->text + *begun;
    ms_sandbox_check_time(L);
    *bytes = sandbox->text_bytes - *begun < PARSED_BYTES ? sandbox->text_bytes - *begun : PARSED_BYTES;
    *begun += *bytes;
    for (size_t i = 0; i < *bytes; i++) sandbox->last_line += piece[i] == '\n';
    return piece;
}

void ms_sandbox_load(lua_State *L)
{
    ms_sandbox *sandbox = ms_sandbox_of(L);
    size_t begun = 0;
    if (sandbox->text_bytes > MAX_TEXT_BYTES) ms_sandbox_fail(L, "the spec has more than 1 MiB; compute large tables in it");
    sandbox->is_parsing = 1;
    if (lua_load(L, next_piece, &begun, chunk_name, "t")) lua_error(L);
    sandbox->is_parsing = 0;
    sandbox->last_line = 1;
}

void ms_sandbox_explain_by(lua_State *L) { lua_rawsetp(L, LUA_REGISTRYINDEX, &explain_key); }

msw_result ms_sandbox_run(ms_sandbox *sandbox, lua_CFunction function, msw_diag *diag)
{
    lua_pushcfunction(sandbox->L, locate);
    lua_pushcfunction(sandbox->L, function);
    const int status = call(sandbox->L, 0, 0, 1);
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
    if (sandbox) ms_heap_free(&sandbox->heap);
}

int ms_sandbox_call(lua_State *L, int arg_count, int result_count)
{
    ms_sandbox *sandbox = ms_sandbox_of(L);
    const int function = lua_gettop(L) - arg_count;
    lua_pushcfunction(L, locate);
    lua_insert(L, function);
    if (!sandbox->is_reading) sandbox->is_timed = 0;
    ms_sandbox_watch(L, sandbox->is_reading);
    const int status = call(L, arg_count, result_count, function);
    if (status == GAVE_UP) return status;
    lua_sethook(L, NULL, 0, 0);
    lua_remove(L, function);
    return status;
}
