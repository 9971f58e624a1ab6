#include "lua_limits.h"

#include <lauxlib.h>
#include <string.h>

const char ms_limits_time[] = "too much time", ms_limits_memory[] = "out of memory";

enum { CLOCK_BYTES = 1 << 20, CLOCK_CALLS = 4096 };

/* Of the names in a function's text each is sought in every function around it, 50000 steps at most: a piece between two looks at the clock has
 * few. */
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

void ms_limits_init(ms_limits *limits, ms_arena *arena, uint32_t limit_ms, size_t most_text_bytes, const int *line)
{
    *limits = (ms_limits){.limit_ms = limit_ms, .most_text_bytes = most_text_bytes, .line = line};
    ms_heap_init(&limits->heap, arena);
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

int ms_limits_time_is_up(ms_limits *limits)
{
    if (!limits->is_timed) {
        limits->wall_deadline = time_after(CLOCK_MONOTONIC, limits->limit_ms);
        limits->deadline = time_after(CLOCK_THREAD_CPUTIME_ID, limits->limit_ms);
        limits->is_timed = 1;
    }
    return is_after(CLOCK_MONOTONIC, &limits->wall_deadline) && is_after(CLOCK_THREAD_CPUTIME_ID, &limits->deadline);
}

void ms_limits_give_up(ms_limits *limits, const char *reason, int line)
{
    limits->given_up = reason;
    limits->given_up_line = line;
    longjmp(*limits->way_out, 1);
}

int ms_limits_call(ms_limits *limits, lua_State *L, int arg_count, int result_count, int handler)
{
    jmp_buf here, *const outer = limits->way_out;
    limits->way_out = &here;
    if (setjmp(here)) {
        limits->way_out = outer;
        return MS_GAVE_UP;
    }
    const int status = lua_pcall(L, arg_count, result_count, handler);
    limits->way_out = outer;
    return status;
}

/* ---- memory ---- */

/* Why a block of this size is not to be had, however much memory there is; NULL: it is. One instruction would take long on it. */
static const char *too_large(const ms_limits *limits, const void *block, size_t type, size_t bytes)
{
    const size_t entries = bytes / sizeof(table_entry);
    if (block) return NULL;
    if (type == LUA_TSTRING) return bytes > limits->most_text_bytes ? ms_limits_memory : NULL;
    return limits->is_guarded && !type && entries > MAX_TABLE_KEYS && bytes % sizeof(table_entry) == 0 && !(entries & (entries - 1))
               ? "a table with more than 32768 keys beside 1, 2, 3 and so on; make it smaller, or number its entries from 1"
               : NULL;
}

/* Whether to look at the clock: one instruction can copy megabytes, or collect garbage for nothing when the limit is reached. */
static int is_due(ms_limits *limits, size_t bytes, int failed)
{
    limits->moved_bytes += bytes;
    limits->calls++;
    if (limits->moved_bytes < CLOCK_BYTES && limits->calls < CLOCK_CALLS && !failed) return 0;
    limits->moved_bytes = 0;
    limits->calls = 0;
    return 1;
}

/* What fails by the limit is tried again when Lua has collected its garbage. */
void *ms_limits_resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    ms_limits *limits = user;
    ms_arena *arena = limits->heap.arena;
    const char *reason = too_large(limits, block, old_bytes, new_bytes);
    if (reason == ms_limits_memory) arena->refused = MS_REFUSED_BY_LIMIT;
    if (reason && limits->way_out) ms_limits_give_up(limits, reason, *limits->line);
    void *moved = ms_heap_resize(&limits->heap, block, old_bytes, new_bytes);
    const int failed = !moved && new_bytes;
    if (limits->way_out && failed && arena->refused == MS_REFUSED_BY_LIMIT && limits->refusals++)
        ms_limits_give_up(limits, ms_limits_memory, *limits->line);
    if (new_bytes && !failed) limits->refusals = 0;
    if (limits->way_out && is_due(limits, new_bytes, failed) && ms_limits_time_is_up(limits))
        ms_limits_give_up(limits, ms_limits_time, *limits->line);
    return moved;
}

/* ---- texts ---- */

static const char *next_piece(lua_State *L, void *user, size_t *bytes)
{
    ms_text_reader *reader = user;
    const char *piece = reader->text;
    *bytes = reader->bytes < PARSED_BYTES ? reader->bytes : PARSED_BYTES;
    reader->look(L, piece, *bytes);
    reader->text += *bytes;
    reader->bytes -= *bytes;
    return piece;
}

static void skip(ms_text_reader *reader, size_t bytes)
{
    reader->text += bytes;
    reader->bytes -= bytes;
}

/* Without what Lua's own reader of files skips: UTF-8's mark, and a first line that begins with '#', but for its end. */
int ms_limits_parse(lua_State *L, ms_text_reader *reader, const char *chunk_name)
{
    if (reader->bytes >= 3 && !memcmp(reader->text, "\xef\xbb\xbf", 3)) skip(reader, 3);
    if (reader->bytes && *reader->text == '#')
        while (reader->bytes && *reader->text != '\n') skip(reader, 1);
    return lua_load(L, next_piece, reader, chunk_name, "t");
}

/* Thousands of rows, and what reads them. */
enum { RUN_TIME_MS = 1000, RUN_INSTRUCTIONS = 100000, RUN_BYTES = 4 << 20, RUN_TEXT_BYTES = 1 << 16 };

static const char run_key = 0; /* registry: the limits */

static ms_limits *limits_of(lua_State *L)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &run_key);
    ms_limits *limits = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return limits;
}

static void check_time(ms_limits *limits)
{
    if (ms_limits_time_is_up(limits)) ms_limits_give_up(limits, ms_limits_time, 0);
}

static void look(lua_State *L, const char *piece, size_t bytes)
{
    (void)piece, (void)bytes;
    check_time(limits_of(L));
}

static void watch(lua_State *L, lua_Debug *event)
{
    ms_limits *limits = limits_of(L);
    (void)event;
    limits->instructions += MS_LIMITS_INSTRUCTIONS;
    if (limits->instructions > RUN_INSTRUCTIONS) ms_limits_give_up(limits, ms_limits_time, 0);
    check_time(limits);
}

static uint64_t lower_limit(ms_arena *arena)
{
    const uint64_t before = arena->limit_bytes, limit = arena->used_bytes + RUN_BYTES;
    if (!before || limit < before) arena->limit_bytes = limit;
    return before;
}

/* Lua: name, text, globals -> true; or false, a message, and whether it is a Lua text. */
static int run(lua_State *L)
{
    ms_limits *limits = limits_of(L);
    const ms_limits before = *limits;
    const uint64_t limit_bytes = lower_limit(limits->heap.arena);
    const char *name = luaL_checkstring(L, 1);
    ms_text_reader reader = {.look = look};
    reader.text = luaL_checklstring(L, 2, &reader.bytes);
    limits->limit_ms = RUN_TIME_MS;
    limits->most_text_bytes = RUN_TEXT_BYTES + reader.bytes;
    limits->is_timed = 0;
    limits->is_guarded = 1;
    limits->instructions = 0;
    int status = ms_limits_parse(L, &reader, lua_pushfstring(L, "=%s", name));
    const int is_text = !status;
    if (is_text) {
        lua_pushvalue(L, 3);
        if (!lua_setupvalue(L, -2, 1)) lua_pop(L, 1);
        lua_sethook(L, watch, LUA_MASKCOUNT, MS_LIMITS_INSTRUCTIONS);
        status = lua_pcall(L, 0, 0, 0);
        lua_sethook(L, NULL, 0, 0);
    }
    limits->heap.arena->limit_bytes = limit_bytes;
    limits->limit_ms = before.limit_ms;
    limits->most_text_bytes = before.most_text_bytes;
    limits->is_guarded = before.is_guarded;
    limits->is_timed = 0;
    lua_pushboolean(L, !status);
    if (!status) return 1;
    lua_insert(L, -2);
    lua_pushboolean(L, is_text);
    return 3;
}

const char *ms_limits_reason(const ms_limits *limits)
{
    if (limits->given_up == ms_limits_time) return limits->is_guarded ? "takes too long; a table is rows only" : "takes too long; give less";
    if (limits->given_up != ms_limits_memory) return limits->given_up;
    return limits->is_guarded ? "takes too much memory; a table is rows only: correct it, or remove it" : "takes too much memory; give less";
}

void ms_limits_push_run(lua_State *L, ms_limits *limits)
{
    lua_pushlightuserdata(L, limits);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &run_key);
    lua_pushcfunction(L, run);
}
