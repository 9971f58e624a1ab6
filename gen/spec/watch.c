/* watch.c - a spec's text while it runs: the clock, the line, and what the vocabulary asks to be recorded of it. */
#include "sandbox.h"

#include <lauxlib.h>
#include <string.h>

ms_sandbox *ms_sandbox_of(lua_State *L) { return *(ms_sandbox **)lua_getextraspace(L); }

int ms_sandbox_is_spec(const char *source) { return !strcmp(source, MS_SPEC_CHUNK); }

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

/* ---- the hook ---- */

static void note_number(ms_sandbox *sandbox, double number)
{
    for (uint32_t i = 0; i < sandbox->number_count; i++)
        if (sandbox->numbers[i] == number) return;
    if (sandbox->number_count < MS_MAX_NUMBERS && number == number) sandbox->numbers[sandbox->number_count++] = number;
}

/* The first numbers among the keys of the table on top; one is enough to see that an expression finds none. */
static void note_keys(lua_State *L)
{
    enum { MAX_KEYS = 8, MAX_TRIES = 64 };
    int found = 0, tries = 0;
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        if (lua_type(L, -2) == LUA_TNUMBER) {
            note_number(ms_sandbox_of(L), lua_tonumber(L, -2));
            found++;
        }
        if (found < MAX_KEYS && ++tries < MAX_TRIES) continue;
        lua_pop(L, 2);
        return;
    }
}

/* What the registers of the frame hold that they did not hold before. Of a count up by one the first number alone. */
static void note_registers(lua_State *L, lua_Debug *frame)
{
    ms_sandbox *sandbox = ms_sandbox_of(L);
    lua_getinfo(L, "S", frame);
    if (!ms_sandbox_is_spec(frame->source)) return;
    for (int i = 1; i <= MS_MAX_REGISTERS && lua_getlocal(L, frame, i); i++, lua_pop(L, 1)) {
        ms_register *old = &sandbox->registers[i - 1];
        const ms_register now = {lua_type(L, -1), lua_type(L, -1) == LUA_TTABLE ? lua_topointer(L, -1) : NULL,
                                 lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : 0};
        if (now.type == LUA_TTABLE && (old->type != now.type || old->table != now.table)) note_keys(L);
        if (now.type == LUA_TNUMBER && (old->type != now.type || (old->number != now.number && old->number + 1 != now.number)))
            note_number(sandbox, now.number);
        *old = now;
    }
}

void ms_sandbox_record_numbers(lua_State *L, int is_on)
{
    ms_sandbox *sandbox = ms_sandbox_of(L);
    sandbox->records_numbers = is_on;
    if (is_on) {
        sandbox->number_count = sandbox->watched_instructions = 0;
        memset(sandbox->registers, 0, MS_MAX_REGISTERS * sizeof *sandbox->registers);
    }
    ms_sandbox_watch(L, 1);
}

static void watch(lua_State *L, lua_Debug *event)
{
    enum { MAX_WATCHED = 20000 };
    ms_sandbox *sandbox = ms_sandbox_of(L);
    if (event->event != LUA_HOOKLINE) {
        if (!sandbox->is_reading) sandbox->last_line = ms_sandbox_line(L); /* for the allocator, which may be the one that finds time up */
        if (sandbox->records_numbers) note_registers(L, event);
        if (sandbox->records_numbers && ++sandbox->watched_instructions == MAX_WATCHED) ms_sandbox_record_numbers(L, 0);
        if (!sandbox->records_numbers || sandbox->watched_instructions % MS_LIMITS_INSTRUCTIONS == 0) ms_sandbox_check_time(L);
        return;
    }
    lua_getinfo(L, "S", event);
    if (!ms_sandbox_is_spec(event->source)) return;
    sandbox->last_line = event->currentline;
    if (sandbox->records_lines && sandbox->line_count < MS_MAX_LINES) sandbox->lines[sandbox->line_count++] = event->currentline;
}

void ms_sandbox_watch(lua_State *L, int has_lines)
{
    lua_sethook(L, watch, LUA_MASKCOUNT | (has_lines ? LUA_MASKLINE : 0), ms_sandbox_of(L)->records_numbers ? 1 : MS_LIMITS_INSTRUCTIONS);
}

void ms_sandbox_check_time(lua_State *L)
{
    ms_sandbox *sandbox = ms_sandbox_of(L);
    if (sandbox->limits.way_out && ms_limits_time_is_up(&sandbox->limits)) ms_limits_give_up(&sandbox->limits, ms_limits_time, ms_sandbox_line(L));
}

/* ---- primitives ---- */

static int c_record_lines(lua_State *L)
{
    ms_sandbox_of(L)->line_count = 0;
    ms_sandbox_of(L)->records_lines = 1;
    return 0;
}

/* -> the lines of the spec that ran since record_lines(), in order */
static int c_recorded_lines(lua_State *L)
{
    ms_sandbox *sandbox = ms_sandbox_of(L);
    sandbox->records_lines = 0;
    lua_createtable(L, (int)sandbox->line_count, 0);
    for (uint32_t i = 0; i < sandbox->line_count; i++) {
        lua_pushinteger(L, sandbox->lines[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static int c_record_numbers(lua_State *L)
{
    ms_sandbox_record_numbers(L, 1);
    return 0;
}

/* -> the numbers that registers held since record_numbers(), each once */
static int c_recorded_numbers(lua_State *L)
{
    const ms_sandbox *sandbox = ms_sandbox_of(L);
    ms_sandbox_record_numbers(L, 0);
    lua_createtable(L, (int)sandbox->number_count, 0);
    for (uint32_t i = 0; i < sandbox->number_count; i++) {
        lua_pushnumber(L, sandbox->numbers[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static int c_watch_lines(lua_State *L)
{
    ms_sandbox_watch(L, lua_toboolean(L, 1));
    return 0;
}

static int c_check_time(lua_State *L)
{
    ms_sandbox_check_time(L);
    return 0;
}

static int c_line(lua_State *L)
{
    lua_pushinteger(L, ms_sandbox_line(L));
    return 1;
}

/* at_line(line): where an error is when no frame of the spec's tells */
static int c_at_line(lua_State *L)
{
    ms_sandbox_of(L)->last_line = (int)luaL_checkinteger(L, 1);
    return 0;
}

void ms_push_watch(lua_State *L)
{
    static const luaL_Reg primitives[] = {{"record_lines", c_record_lines},
                                          {"recorded_lines", c_recorded_lines},
                                          {"record_numbers", c_record_numbers},
                                          {"recorded_numbers", c_recorded_numbers},
                                          {"watch_lines", c_watch_lines},
                                          {"check_time", c_check_time},
                                          {"line", c_line},
                                          {"at_line", c_at_line},
                                          {NULL, NULL}};
    luaL_setfuncs(L, primitives, 0);
}
