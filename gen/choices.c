#include "choices.h"
#include "diag.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCAN = 1 << MSW_OP_SCAN, REDUCE = 1 << MSW_OP_REDUCE, SORT = 1 << MSW_OP_SORT };

static const char *const kind_names[] = {[MSW_OP_SCAN] = "scan", [MSW_OP_REDUCE] = "reduce", [MSW_OP_SORT] = "sort"};

enum { KIND_COUNT = sizeof kind_names / sizeof *kind_names };

const ms_strategy ms_strategies[] = {
    {"lookahead", SCAN, MS_LOOKS_AHEAD | MS_IS_TUNED,
     "one pass; all blocks run simultaneously and post each tile's aggregate several tiles before they scan it (CUDA, sm_90 and later)"},
    {"lookback", SCAN, MS_LOOKS_BACK | MS_IS_TUNED,
     "one pass; blocks look back at the posts of the tiles before, a window at a time (Merrill & Garland 2016; fallback: Smith, Levien & Owens "
     "2025)"},
    {"reduce_then_scan", SCAN | REDUCE, MS_TWO_LAUNCHES | MS_IS_TUNED,
     "two launches: blocks reduce their tiles, then scan them (Merrill & Grimshaw 2010)"},
    {"scan_then_propagate", SCAN, MS_TWO_LAUNCHES | MS_REVISITS_OUTPUT,
     "two launches: blocks scan their tiles, then add what comes before (Merrill & Grimshaw 2010)"},
    {"chained_scan", SCAN, MS_LOOKS_BACK, "one pass; a tile waits for the inclusive prefix of the one before (Yan, Long & Zhang 2013)"},
    {"onesweep", SORT, MS_LOOKS_BACK | MS_IS_TUNED, "one pass a digit, with look-back (Adinets & Merrill 2022)"},
    {"upsweep_downsweep", SORT, MS_UPSWEEPS, "three launches a digit: count, scan the counts, move (Merrill & Grimshaw 2011)"},
    {"split", SORT, MS_UPSWEEPS | MS_ONE_BIT, "upsweep_downsweep by one bit a pass (Blelloch 1990); for teaching and tests"},
    {"single_block", SCAN | REDUCE | SORT, 0, "one block; what the planner takes for small n by itself, so tune does not try it"},
    {NULL, 0, 0, NULL},
};

enum { MANY = 1 << 20, ANYWHERE = MS_KNOB_IN_SPECS | MS_KNOB_IN_ROWS };

const ms_knob ms_knobs[] = {
    {MS_KNOB_STRATEGY, "strategy", 0, 0, NULL, MS_KNOB_IN_SPECS, NULL, "which kernels; auto: the planner's choice"}, /* rows have a field for it */
    {MS_KNOB_BLOCK, "block", 1, MANY, NULL, ANYWHERE, NULL, "threads of a block"},
    {MS_KNOB_BLOCKS, "blocks", 1, MANY, NULL, ANYWHERE, NULL, "blocks of a launch, at most"},
    {MS_KNOB_ITEMS, "items", 1, MANY, NULL, ANYWHERE, NULL, "items of a thread and tile"},
    {MS_KNOB_VECTOR, "vector", 1, MANY, NULL, ANYWHERE, NULL, "consecutive items that a thread moves together"},
    {MS_KNOB_SUBGROUP, "subgroup", 1, 128, NULL, ANYWHERE, "a subgroup has 1 (no subgroup operations), 2, 4, .. 128 lanes",
     "lanes of a subgroup, a power of two; 1: no subgroup operations; CUDA: 1 or 32"},
    {MS_KNOB_DIGIT_BITS, "digit_bits", 1, 11, NULL, ANYWHERE, "a digit has 1 to 11 bits", "sorts: bits of a pass"},
    {MS_KNOB_LOOKBACK, "lookback", 1, 32, "serial", ANYWHERE, "a lane reads 1 to 32 descriptors together, or the look-back is serial",
     "look-back: descriptors that a lane reads together, or serial: one lane reads one"},
    {MS_KNOB_STAGES, "stages", 3, 32, NULL, ANYWHERE, "a block holds 3 to 32 tiles", "look-ahead: tiles that a block holds in shared memory"},
    {MS_KNOB_AHEAD, "ahead", 0, 30, NULL, MS_KNOB_IN_ROWS, "a block posts 0 (look-back) or 1 to 30 (look-ahead) tiles ahead",
     "a block posts the aggregate of tile t + ahead before it finishes tile t; look-back: 0 or 1"},
    {MS_KNOB_THREAD_BYTES, "thread_bytes", 1, 1024, NULL, MS_KNOB_IN_ROWS, "a thread holds items of 1 to 1024 bytes",
     "look-ahead: bytes of a thread's items, about"},
    {MS_KNOB_RESIDENT, "resident", 1, 32, NULL, MS_KNOB_IN_ROWS, "a multiprocessor holds 1 to 32 blocks",
     "CUDA: blocks that a multiprocessor must have registers for"},
    {MS_KNOB_DESCRIPTOR, "descriptor", 0, 0, "tagged flagged wide", MS_KNOB_IN_ROWS,
     "a descriptor is tagged (64-bit words), flagged (32-bit words, Vulkan) or wide (128-bit words, CUDA)",
     "words of posts: of 64 bits, of 32 bits, of 128 bits"},
    {MS_KNOB_SPIN, "spin", 1, MANY, NULL, MS_KNOB_IN_ROWS, NULL,
     "look-back with fallback: polls of a window before a missing tile is summed up again"},
    {MS_KNOB_WITHHOLD, "withhold", 1, MANY, "block", 0, NULL,
     "tests of the fallback: every k-th tile posts nothing; block: no tile of the first block posts"},
    {MS_KNOB_STRATEGY, NULL, 0, 0, NULL, 0, NULL, NULL},
};

const ms_strategy *ms_strategy_find(msw_op_kind kind, const char *name)
{
    for (const ms_strategy *s = ms_strategies; s->name; s++)
        if (s->kinds & 1u << kind && !strcmp(s->name, name)) return s;
    return NULL;
}

int ms_strategy_has(const char *name, uint32_t traits)
{
    for (const ms_strategy *s = ms_strategies; s->name && name; s++)
        if (!strcmp(s->name, name)) return (s->traits & traits) != 0;
    return 0;
}

const ms_knob *ms_knob_find(const char *name)
{
    for (const ms_knob *k = ms_knobs; k->name; k++)
        if (!strcmp(k->name, name)) return k;
    return NULL;
}

int ms_knob_has_word(const ms_knob *knob, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = knob->words; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (length && strcspn(at, " ") == length && !strncmp(at, word, length)) return 1;
    return 0;
}

/* ---- faults ---- */

static const char *unknown_knob(char text[MS_FAULT_BYTES])
{
    size_t end = (size_t)snprintf(text, MS_FAULT_BYTES, "there is no such knob; there are ");
    for (const ms_knob *k = ms_knobs; k->name && end < MS_FAULT_BYTES; k++) /* the last is for tests */
        end += (size_t)snprintf(text + end, MS_FAULT_BYTES - end, "%s%s", k == ms_knobs ? "" : k[1].name ? ", " : " and ", k->name);
    return text;
}

/* "choose auto, lookahead, .. or single_block" */
static const char *unknown_strategy(msw_op_kind kind, char text[MS_FAULT_BYTES])
{
    const char *last = NULL;
    size_t end = (size_t)snprintf(text, MS_FAULT_BYTES, "choose auto");
    for (const ms_strategy *s = ms_strategies; s->name && end < MS_FAULT_BYTES; s++) {
        if (!(s->kinds & 1u << kind)) continue;
        if (last) end += (size_t)snprintf(text + end, MS_FAULT_BYTES - end, ", %s", last);
        last = s->name;
    }
    if (last && end < MS_FAULT_BYTES) snprintf(text + end, MS_FAULT_BYTES - end, " or %s", last);
    return text;
}

/* Digits alone, so no sign; 0: no number below 2^32. */
static int read_number(const char *text, unsigned long long *number)
{
    const size_t digits = strspn(text, "0123456789");
    *number = digits && digits < 11 && !text[digits] ? strtoull(text, NULL, 10) : UINT32_MAX + 1ull;
    return *number <= UINT32_MAX;
}

const char *ms_knob_fault(msw_op_kind kind, const char *name, const char *value, char text[MS_FAULT_BYTES])
{
    const ms_knob *k = ms_knob_find(name);
    unsigned long long number;
    if (!k) return unknown_knob(text);
    if (k->id == MS_KNOB_STRATEGY) return ms_strategy_find(kind, value) || !strcmp(value, "auto") ? NULL : unknown_strategy(kind, text);
    if (ms_knob_has_word(k, value)) return NULL;
    const int is_number = k->most && read_number(value, &number), is_power = is_number && !(number & (number - 1));
    if (is_number && number >= k->least && number <= k->most && (is_power || k->id != MS_KNOB_SUBGROUP)) return NULL;
    snprintf(text, MS_FAULT_BYTES, "%s", k->rule && (is_number || k->words) ? k->rule : "not a number in 1 .. 2^20");
    return text;
}

/* ---- for Lua ---- */

/* fault(kind, name, value) */
static int lua_fault(lua_State *L)
{
    char text[MS_FAULT_BYTES];
    const char *name = luaL_checkstring(L, 1);
    uint32_t kind = 0;
    while (kind + 1 < KIND_COUNT && strcmp(name, kind_names[kind])) kind++;
    const char *fault = ms_knob_fault((msw_op_kind)kind, luaL_checkstring(L, 2), luaL_checkstring(L, 3), text);
    return fault ? lua_pushstring(L, fault), 1 : 0;
}

static void set_true(lua_State *L, const char *name)
{
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, name);
}

void ms_push_choices(lua_State *L)
{
    lua_newtable(L);
    lua_newtable(L);
    for (const ms_knob *k = ms_knobs; k->name; k++) {
        if (!(k->places & MS_KNOB_IN_SPECS)) continue;
        lua_pushstring(L, k->name);
        lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    }
    lua_setfield(L, -2, "spec_knobs");
    lua_newtable(L);
    for (const ms_knob *k = ms_knobs; k->name; k++)
        if (k->places & MS_KNOB_IN_ROWS) set_true(L, k->name);
    lua_setfield(L, -2, "row_knobs");
    lua_newtable(L);
    for (uint32_t kind = 0; kind < KIND_COUNT; kind++) {
        lua_newtable(L);
        for (const ms_strategy *s = ms_strategies; s->name; s++)
            if (s->kinds & 1u << kind && s->traits & MS_IS_TUNED) set_true(L, s->name);
        lua_setfield(L, -2, kind_names[kind]);
    }
    lua_setfield(L, -2, "strategies");
    lua_pushcfunction(L, lua_fault);
    lua_setfield(L, -2, "fault");
}

/* ---- the public lists ---- */

msw_result msw_strategy_get(msw_op_kind kind, uint32_t index, msw_choice *choice)
{
    if (!choice) return MSW_ERROR_INVALID_ARGUMENT;
    const msw_result result = MS_SIZED_CHECK(msw_choice, choice, "plan", NULL);
    if (result) return result;
    for (const ms_strategy *s = ms_strategies; s->name; s++) {
        if (!(s->kinds & 1u << kind) || index--) continue;
        ms_sized_write(choice, &(msw_choice){.name = s->name, .summary = s->summary}, sizeof *choice);
        return MSW_OK;
    }
    return MSW_ERROR_INVALID_ARGUMENT;
}

msw_result msw_knob_get(uint32_t index, msw_choice *choice)
{
    if (!choice) return MSW_ERROR_INVALID_ARGUMENT;
    const msw_result result = MS_SIZED_CHECK(msw_choice, choice, "plan", NULL);
    if (result) return result;
    for (const ms_knob *k = ms_knobs; k->name; k++) {
        if (index--) continue;
        const msw_choice found = {.name = k->name, .summary = k->summary, .words = k->words, .least = k->least, .most = k->most};
        ms_sized_write(choice, &found, sizeof found);
        return MSW_OK;
    }
    return MSW_ERROR_INVALID_ARGUMENT;
}
