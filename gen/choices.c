#include "choices.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SCAN = 1 << MSW_OP_SCAN,
    REDUCE = 1 << MSW_OP_REDUCE,
    SORT = 1 << MSW_OP_SORT,
    MAP = 1 << MSW_OP_MAP,
    SWEEP = 1 << MSW_OP_SWEEP,
    PIPELINE = 1 << MSW_OP_PIPELINE, /* its operations have what is ANY's */
    ANY = SCAN | REDUCE | SORT | MAP | SWEEP | PIPELINE
};

const msw_kind_info ms_kind_infos[] = {
    [MSW_OP_SCAN] = {.name = "scan", .noun = "a scan", .plural = "scans", .is_causal = 1},
    [MSW_OP_REDUCE] = {.name = "reduce", .noun = "a reduction", .plural = "reductions"},
    [MSW_OP_SORT] = {.name = "sort", .noun = "a sort", .plural = "sorts", .has_keys = 1, .is_multiple_pass = 1},
    [MSW_OP_MAP] = {.name = "map", .noun = "a map", .plural = "maps", .is_causal = 1},
    [MSW_OP_SWEEP] = {.name = "sweep", .noun = "a sweep", .plural = "sweeps"},
    [MSW_OP_PIPELINE] = {.name = "pipeline", .noun = "a pipeline", .plural = "pipelines", .is_multiple_pass = 1},
};

_Static_assert(MS_KIND_COUNT == sizeof ms_kind_infos / sizeof *ms_kind_infos, "a kind of operation without a name");

const ms_strategy ms_strategies[] = {
    {"lookahead", SCAN | SWEEP, MS_LOOKS_AHEAD | MS_IS_TUNED | MS_IS_BALANCED, "scan/lookahead",
     "one pass; all blocks run simultaneously and post each tile's aggregate several tiles before they scan it (CUDA, sm_90 and later)"},
    {"lookback", SCAN | SWEEP, MS_LOOKS_BACK | MS_ORDER_BY_TIMING | MS_IS_TUNED | MS_IS_BALANCED, "scan/lookback",
     "one pass; blocks look back at the posts of the tiles before, a window at a time (Merrill & Garland 2016; fallback: Smith, Levien & Owens "
     "2025)"},
    {"reduce_then_scan", SCAN | SWEEP | REDUCE, MS_TWO_LAUNCHES | MS_IS_TUNED | MS_IS_BALANCED, "scan/reduce scan/scan",
     "two launches: blocks reduce their tiles; then they scan them, or, of a reduction, one block reduces the aggregates (Merrill & Grimshaw 2010)"},
    {"scan_then_propagate", SCAN | SWEEP, MS_TWO_LAUNCHES | MS_REVISITS_OUTPUT | MS_IS_TUNED, "scan/scan scan/propagate",
     "two launches: blocks scan their tiles, then add what comes before: to the outputs or, where these are not s or parts of it, to states that "
     "they have left in the scratch (Merrill & Grimshaw 2010)"},
    {"chained_scan", SCAN | SWEEP, MS_LOOKS_BACK, "scan/lookback",
     "one pass; a tile waits for the inclusive prefix of the one before (Yan, Long & Zhang 2013)"},
    {"block_atomic", SWEEP, MS_TAKES_ROOM, "scan/any_order scan/expand_parts",
     "an append with order = \"any\": one pass; a block scans the lengths of a tile and takes room for its items by one atomic addition"},
    {"atomic_bump", SWEEP, MS_TAKES_ROOM | MS_BY_ELEMENT, "scan/any_order",
     "an append with order = \"any\": one pass; each element takes room for its items by an atomic addition; a baseline"},
    {"onesweep", SORT, MS_LOOKS_BACK | MS_IS_TUNED, "sort/digit_histogram sort/digit_starts sort/onesweep",
     "one pass a digit, with look-back (Adinets & Merrill 2022)"},
    {"msd_hybrid", SORT, MS_LOOKS_BACK | MS_PARTITIONS | MS_IS_TUNED,
     "sort/top_histogram sort/buckets sort/digit_histogram sort/digit_starts sort/onesweep sort/partition sort/local_sort sort/local_keys "
     "sort/listed_groups",
     "two passes partition by the top bits into buckets, which blocks sort in shared memory; skewed keys: onesweep (Stehle & Jacobsen 2017)"},
    {"counting", SORT, MS_COUNTS | MS_IS_TUNED, "sort/digit_histogram sort/digit_starts sort/image_histogram sort/image_starts sort/fill",
     "keys alone of 8 or 16 bits: counts each key, then writes it that often (Seward 1954)"},
    {"upsweep_downsweep", SORT, MS_UPSWEEPS, "sort/upsweep sort/scan_bins sort/onesweep",
     "three launches a digit: count, scan the counts, move (Merrill & Grimshaw 2011)"},
    {"split", SORT, MS_UPSWEEPS | MS_ONE_BIT, "sort/upsweep sort/scan_bins sort/onesweep",
     "upsweep_downsweep by one bit a pass (Blelloch 1990); for teaching and tests"},
    {"elementwise", MAP, MS_IS_TUNED, "map/map", "one launch; each thread loads the elements of a tile, maps and stores them"},
    {"single_cluster", SORT, MS_LOOKS_BACK | MS_ONE_CLUSTER, "sort/sort_cluster",
     "few keys by one cluster of blocks, which send them to each other's shared memory (CUDA, sm_90 and later), more by onesweep; what the planner "
     "takes for few keys by itself, so tune does not try it"},
    {"single_block", SCAN | SWEEP | REDUCE | SORT, MS_ONE_BLOCK | MS_IS_BALANCED, "scan/scan scan/reduce sort/sort_block",
     "one block; what the planner takes for small n by itself, so tune does not try it"},
    {NULL, 0, 0, NULL, NULL},
};

enum { MANY = 1 << 20, ANYWHERE = MS_KNOB_IN_SPECS | MS_KNOB_IN_ROWS };

#define PLACE(field) offsetof(ms_geometry, field)

const ms_knob ms_knobs[] = {
    {"strategy", ANY, 0, 0, NULL, 0, MS_KNOB_IN_SPECS, PLACE(strategy), NULL,
     "which kernels; auto: the planner's choice"}, /* rows have a field for it */
    {"block", ANY, 1, MANY, NULL, 0, ANYWHERE, PLACE(block), NULL, "threads of a block"},
    {"blocks", ANY, 1, MANY, NULL, 0, ANYWHERE, PLACE(max_blocks), NULL, "blocks of a launch, at most"},
    {"items", ANY, 1, MANY, NULL, 0, ANYWHERE, PLACE(items), NULL, "items of a thread and tile"},
    {"vector", ANY, 1, MANY, NULL, 0, ANYWHERE, PLACE(vector), NULL, "consecutive items that a thread moves together"},
    {"subgroup", ANY, 1, 128, NULL, 0, ANYWHERE | MS_KNOB_IS_POWER, PLACE(subgroup), "a subgroup has 1 (no subgroup operations), 2, 4, .. 128 lanes",
     "lanes of a subgroup, a power of two; 1: no subgroup operations; CUDA: 1 or 32"},
    {"digit_bits", SORT, 1, 11, NULL, 0, ANYWHERE, PLACE(digit_bits), "a digit has 1 to 11 bits", "sorts: bits of a pass"},
    {"lookback", SCAN | SWEEP | SORT, 1, 32, "serial", 0, ANYWHERE, PLACE(lookback),
     "a lane reads 1 to 32 descriptors together, or the look-back is serial",
     "scans, sorts and sweeps, look-back: descriptors that a lane reads together, or serial: one lane reads one"},
    {"stages", SCAN | SWEEP, 2, 32, NULL, 0, ANYWHERE, PLACE(stages), "a block holds 2 to 32 tiles",
     "scans and sweeps, look-ahead: tiles that a block holds in shared memory"},
    {"ahead", SCAN | SWEEP, 0, 30, NULL, 0, MS_KNOB_IN_ROWS, PLACE(ahead), "a block posts 0 (look-back) or 1 to 30 (look-ahead) tiles ahead",
     "scans and sweeps: a block posts the aggregate of tile t + ahead before it finishes tile t; look-back: 0 or 1"},
    {"packs", SWEEP, 0, 31, "tile", MS_PACKS_TILE, MS_KNOB_IN_ROWS, PLACE(packs), "a subgroup packs 0 to 31 rows together, or the block a tile",
     "sweeps, but for look-ahead and scan_then_propagate: rows whose packed items a subgroup puts together in shared memory and writes in whole "
     "lines, or tile: the block does, before it knows where they go; 0: each item is stored by itself"},
    {"parks", SCAN | SWEEP, 0, 1, NULL, 0, MS_KNOB_IN_ROWS, PLACE(parks), "a tile that waits is parked in shared memory (1) or not (0)",
     "scans and sweeps, look-back: 1: while a tile waits for what comes before it, what its subgroups add up to is in shared memory, and of a wide "
     "item registers have one state; 0: all is in registers"},
    {"thread_bytes", SCAN | SWEEP, 1, 1024, NULL, 0, MS_KNOB_IN_ROWS, PLACE(thread_bytes), "a thread holds items of 1 to 1024 bytes",
     "scans and sweeps, look-ahead: about how many bytes a thread's items have"},
    {"resident", ANY, 1, 32, NULL, 0, MS_KNOB_IN_ROWS, PLACE(resident), "a multiprocessor holds 1 to 32 blocks",
     "CUDA: blocks that a multiprocessor must have registers for; sorts by Vulkan: blocks that stay, for each multiprocessor"},
    {"descriptor", SCAN | SWEEP | SORT, 0, 0, "tagged flagged wide", 0, MS_KNOB_IN_ROWS, PLACE(descriptor),
     "a descriptor is tagged (64-bit words), flagged (32-bit words, Vulkan) or wide (128-bit words, CUDA)",
     "scans, sorts and sweeps: words of posts, of 64 bits, of 32 bits, of 128 bits"},
    {"spin", SCAN | SWEEP | SORT, 1, MANY, NULL, 0, MS_KNOB_IN_ROWS, PLACE(spin), NULL,
     "scans, sorts and sweeps, look-back with fallback: polls of a window before a missing tile is summed up again"},
    {"counts", SCAN | SWEEP | MAP, 32, 64, NULL, 0, MS_KNOB_IS_POWER, PLACE(counts), "counters have 32 or 64 bits",
     "scans, maps and sweeps, packed or scattered outputs: bits of counters and places (32, and 64 from where those do not do)"},
    {"withhold", SCAN | SWEEP | SORT, 1, MANY, "block", MS_WITHHOLD_BLOCK, 0, PLACE(withhold), NULL,
     "scans, sorts and sweeps, tests of the fallback: every k-th tile posts nothing; block: no tile of the first block posts"},
    {NULL, 0, 0, 0, NULL, 0, 0, 0, NULL, NULL},
};

static const char *const descriptors[] = {"tagged", "flagged", "wide"}; /* the words of that knob */

int ms_kind_find(const char *name, msw_op_kind *kind)
{
    uint32_t k = 0;
    while (k < MS_KIND_COUNT && strcmp(ms_kind_infos[k].name, name)) k++;
    if (k < MS_KIND_COUNT) *kind = (msw_op_kind)k;
    return k < MS_KIND_COUNT;
}

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

/* "a map has no such knob, only scans and sorts have it" */
static const char *knob_of_others(msw_op_kind kind, uint32_t kinds, char text[MS_FAULT_BYTES])
{
    size_t end = (size_t)snprintf(text, MS_FAULT_BYTES, "%s has no such knob, only", ms_kind_infos[kind].noun);
    for (uint32_t k = 0, found = 0; k < MS_KIND_COUNT; k++) {
        if (!(kinds & 1u << k)) continue;
        const char *before = !found++ ? " " : kinds >> k > 1 ? ", " : " and ";
        end += (size_t)snprintf(text + end, MS_FAULT_BYTES - end, "%s%s", before, ms_kind_infos[k].plural);
    }
    snprintf(text + end, MS_FAULT_BYTES - end, " have it");
    return text;
}

static const char *whose(const ms_strategy *s) { return s->traits & MS_TAKES_ROOM ? " (append in any order)" : ""; }

/* "choose auto, lookahead, .. or single_block" */
static const char *unknown_strategy(msw_op_kind kind, char text[MS_FAULT_BYTES])
{
    const ms_strategy *last = NULL;
    size_t end = (size_t)snprintf(text, MS_FAULT_BYTES, "choose auto");
    for (const ms_strategy *s = ms_strategies; s->name && end < MS_FAULT_BYTES; s++) {
        if (!(s->kinds & 1u << kind)) continue;
        if (last) end += (size_t)snprintf(text + end, MS_FAULT_BYTES - end, ", %s%s", last->name, whose(last));
        last = s;
    }
    if (last && end < MS_FAULT_BYTES) snprintf(text + end, MS_FAULT_BYTES - end, " or %s%s", last->name, whose(last));
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
    if (!(k->kinds & 1u << kind)) return knob_of_others(kind, k->kinds, text);
    if (!k->most && !k->words) return ms_strategy_find(kind, value) || !strcmp(value, "auto") ? NULL : unknown_strategy(kind, text);
    if (ms_knob_has_word(k, value)) return NULL;
    const int is_number = k->most && read_number(value, &number), is_power = is_number && !(number & (number - 1));
    if (is_number && number >= k->least && number <= k->most && (is_power || !(k->traits & MS_KNOB_IS_POWER))) return NULL;
    if (k->rule && (is_number || k->words)) snprintf(text, MS_FAULT_BYTES, "%s", k->rule);
    else snprintf(text, MS_FAULT_BYTES, k->most == MANY ? "not a number in %u .. 2^20" : "not a number in %u .. %u", k->least, k->most);
    return text;
}

/* ---- values ---- */

void ms_knob_set(msw_op_kind kind, const char *name, const char *value, ms_geometry *g)
{
    const ms_knob *k = ms_knob_find(name);
    const ms_strategy *strategy = ms_strategy_find(kind, value);
    void *place = (char *)g + k->place;
    uint32_t word = 0;
    while (k->words && !k->most && strcmp(descriptors[word], value)) word++;
    if (k->most) *(uint32_t *)place = ms_knob_has_word(k, value) ? k->word_value : (uint32_t)strtoul(value, NULL, 10);
    else *(const char **)place = k->words ? descriptors[word] : strategy ? strategy->name : NULL;
}

const char *ms_knob_text(const ms_knob *k, const ms_geometry *g, char text[MS_KNOB_BYTES])
{
    const void *place = (const char *)g + k->place;
    if (!k->most) return *(const char *const *)place;
    const uint32_t value = *(const uint32_t *)place;
    if (k->words && value == k->word_value) return k->words; /* a number's knob has one word */
    if (value < k->least) return NULL;
    snprintf(text, MS_KNOB_BYTES, "%u", value);
    return text;
}

/* ---- for Lua ---- */

void ms_set_knob_fields(lua_State *L, const ms_geometry *g)
{
    char text[MS_KNOB_BYTES];
    for (const ms_knob *k = ms_knobs; k->name; k++) {
        const uint32_t number = k->most ? *(const uint32_t *)((const char *)g + k->place) : 0;
        if (!k->most || (number && k->words && number == k->word_value)) lua_pushstring(L, ms_knob_text(k, g, text));
        else lua_pushinteger(L, number);
        lua_setfield(L, -2, k->name);
    }
}

/* fault(kind, name, value) */
static int lua_fault(lua_State *L)
{
    char text[MS_FAULT_BYTES];
    const char *name = luaL_checkstring(L, 1);
    msw_op_kind kind = MSW_OP_SCAN;
    ms_kind_find(name, &kind);
    const char *fault = ms_knob_fault(kind, luaL_checkstring(L, 2), luaL_checkstring(L, 3), text);
    return fault ? lua_pushstring(L, fault), 1 : 0;
}

static void set_true(lua_State *L, const char *name)
{
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, name);
}

#define ROW(name, field, is_whole, least, most) {#name, is_whole, least, most},
const ms_device_constant ms_device_constants[MS_CONSTANT_COUNT] = {MS_DEVICE_CONSTANTS(ROW)};
#undef ROW

static void push_constants(lua_State *L)
{
    lua_newtable(L);
    for (const ms_device_constant *c = ms_device_constants; c < ms_device_constants + MS_CONSTANT_COUNT; c++) {
        lua_newtable(L);
        lua_pushnumber(L, c->least);
        lua_setfield(L, -2, "least");
        lua_pushnumber(L, c->most);
        lua_setfield(L, -2, "most");
        lua_pushboolean(L, c->is_whole);
        lua_setfield(L, -2, "is_whole");
        lua_setfield(L, -2, c->name);
    }
}

void ms_push_choices(lua_State *L)
{
    lua_newtable(L);
    lua_newtable(L);
    for (const ms_knob *k = ms_knobs; k->name; k++) {
        if (!(k->traits & MS_KNOB_IN_SPECS)) continue;
        lua_pushstring(L, k->name);
        lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    }
    lua_setfield(L, -2, "spec_knobs");
    lua_newtable(L);
    for (const ms_knob *k = ms_knobs; k->name; k++)
        if (k->traits & MS_KNOB_IN_ROWS) set_true(L, k->name);
    lua_setfield(L, -2, "row_knobs");
    lua_newtable(L);
    for (uint32_t kind = 0; kind < MS_KIND_COUNT; kind++) {
        lua_newtable(L);
        for (const ms_strategy *s = ms_strategies; s->name; s++)
            if (s->kinds & 1u << kind && s->traits & MS_IS_TUNED) set_true(L, s->name);
        lua_setfield(L, -2, ms_kind_infos[kind].name);
    }
    lua_setfield(L, -2, "strategies");
    lua_newtable(L);
    for (uint32_t kind = 0; kind < MS_KIND_COUNT; kind++)
        if (ms_kind_infos[kind].has_keys) set_true(L, ms_kind_infos[kind].name);
    lua_setfield(L, -2, "has_keys");
    push_constants(L);
    lua_setfield(L, -2, "constants");
    lua_pushcfunction(L, lua_fault);
    lua_setfield(L, -2, "fault");
}
