/* Runs a spec's text: bounded memory and time, messages with the user's file and line. */
#include "reader.h"
#include "diag.h"
#include "embedded.h"

#include <lauxlib.h>
#include <lualib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Few enough that so many instructions on the longest strings end in time. */
enum { HOOK_INSTRUCTIONS = 100, DEFAULT_TIME_LIMIT_MS = 1000, EXPLAIN_TIME_MS = 200, CLOCK_BYTES = 1 << 20, CLOCK_CALLS = 4096,
       MAX_TEXT_BYTES = 1 << 20, MAX_STRING_BYTES = MAX_TEXT_BYTES + 64 };

/* Of the names in a function's text each is sought in every function around it, 50000 steps at most: a piece between two looks at the clock has few. */
enum { PARSED_BYTES = 64 };

/* Lua puts the integers of a table that it resizes into their places one after the other, past all that collide there, in one instruction. */
enum { MAX_TABLE_KEYS = 1 << 15 };

/* As large as an entry of Lua's tables. */
typedef struct table_entry {
    union { void *pointer; lua_Number number; lua_Integer integer; } value;
    unsigned char value_type, key_type;
    int next;
    union { void *pointer; lua_Number number; lua_Integer integer; } key;
} table_entry;

static const char chunk_name[] = "=spec";
static const char explain_key = 0;  /* registry: explain(message) of gen/spec/lua/vocabulary.lua */
static const char memory_error = 0; /* its address, as an error value: memory is not there */
static const char memory_reason[] = "out of memory";

enum { GAVE_UP = -1 }; /* a status beside Lua's */

ms_host *ms_host_of(lua_State *L) { return *(ms_host **)lua_getextraspace(L); }

int ms_host_is_spec(const char *source) { return !strcmp(source, chunk_name); }

/* The current line of the spec's innermost frame; 0: it has none. */
static int frame_line(lua_State *L)
{
    lua_Debug frame;
    for (int level = 0; lua_getstack(L, level, &frame); level++) {
        lua_getinfo(L, "Sl", &frame);
        if (ms_host_is_spec(frame.source)) return frame.currentline;
    }
    return 0;
}

int ms_host_line(lua_State *L)
{
    const ms_host *host = ms_host_of(L);
    const int line = host->records_lines ? 0 : frame_line(L); /* of a function that is traced a tail call may have ended the frame */
    return line ? line : host->last_line;
}

int ms_host_fail(lua_State *L, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *message = lua_pushvfstring(L, format, arguments);
    va_end(arguments);
    lua_pushfstring(L, "spec:%d: %s", ms_host_line(L), message);
    return lua_error(L);
}

int ms_host_no_memory(lua_State *L)
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

static int time_is_up(ms_host *host)
{
    if (!host->is_timed) {
        host->wall_deadline = time_after(CLOCK_MONOTONIC, host->limit_ms);
        host->deadline = time_after(CLOCK_THREAD_CPUTIME_ID, host->limit_ms);
        host->is_timed = 1;
    }
    return is_after(CLOCK_MONOTONIC, &host->wall_deadline) && is_after(CLOCK_THREAD_CPUTIME_ID, &host->deadline);
}

/* Ends what runs, wherever it is: no pcall keeps it, and Lua's state, which may be in the middle of anything, is never used again. */
static void give_up(ms_host *host, const char *reason, int line)
{
    host->given_up = reason;
    host->given_up_line = line;
    longjmp(*host->way_out, 1);
}

static const char *time_message(const ms_host *host)
{
    if (host->is_parsing) return "the spec takes too long to parse; nest its functions less deeply, with fewer local names";
    return host->is_reading ? "the spec takes too long to read; end its loops, or compute tables elsewhere; a condition of values is always true "
                              "in Lua: choose with where"
                            : "the host function takes too long for one element; end its loops";
}

static void watch(lua_State *L, lua_Debug *event)
{
    ms_host *host = ms_host_of(L);
    if (event->event != LUA_HOOKLINE) {
        ms_host_check_time(L);
        return;
    }
    lua_getinfo(L, "S", event);
    if (!ms_host_is_spec(event->source)) return;
    host->last_line = event->currentline;
    if (host->records_lines && host->line_count < MS_MAX_LINES) host->lines[host->line_count++] = event->currentline;
}

void ms_host_watch(lua_State *L, int has_lines) { lua_sethook(L, watch, LUA_MASKCOUNT | (has_lines ? LUA_MASKLINE : 0), HOOK_INSTRUCTIONS); }

void ms_host_check_time(lua_State *L)
{
    ms_host *host = ms_host_of(L);
    if (host->way_out && time_is_up(host)) give_up(host, time_message(host), ms_host_line(L));
}

/* Why a block of this size is not to be had, however much memory there is; NULL: it is. One instruction would take long on it. */
static const char *too_large(const void *block, size_t type, size_t bytes)
{
    const size_t entries = bytes / sizeof(table_entry);
    if (block) return NULL;
    if (type == LUA_TSTRING) return bytes > MAX_STRING_BYTES ? memory_reason : NULL;
    return !type && entries > MAX_TABLE_KEYS && bytes % sizeof(table_entry) == 0 && !(entries & (entries - 1))
        ? "a table with more than 32768 keys beside 1, 2, 3 and so on; make it smaller, or number its entries from 1" : NULL;
}

/* Whether to look at the clock: one instruction can copy megabytes, or collect garbage for nothing when the limit is reached. */
static int is_due(ms_host *host, size_t bytes, int failed)
{
    host->moved_bytes += bytes;
    host->calls++;
    if (host->moved_bytes < CLOCK_BYTES && host->calls < CLOCK_CALLS && !failed) return 0;
    host->moved_bytes = 0;
    host->calls = 0;
    return 1;
}

/* Lua's allocator. What fails by the limit is tried again when Lua has collected its garbage. */
static void *resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    ms_host *host = user;
    const char *reason = too_large(block, old_bytes, new_bytes);
    if (reason == memory_reason) host->spec->arena.refused = MS_REFUSED_BY_LIMIT;
    if (reason && host->way_out) give_up(host, reason, host->last_line);
    void *moved = ms_heap_resize(&host->heap, block, old_bytes, new_bytes);
    const int failed = !moved && new_bytes;
    if (host->way_out && failed && host->spec->arena.refused == MS_REFUSED_BY_LIMIT && host->refusals++) give_up(host, memory_reason, host->last_line);
    if (new_bytes && !failed) host->refusals = 0;
    if (host->way_out && is_due(host, new_bytes, failed) && time_is_up(host)) give_up(host, time_message(host), host->last_line);
    return moved;
}

/* lua_pcall under the limits. GAVE_UP: they were reached. */
static int call(lua_State *L, int arg_count, int result_count, int handler)
{
    ms_host *host = ms_host_of(L);
    jmp_buf here, *const outer = host->way_out;
    host->way_out = &here;
    if (setjmp(here)) {
        host->way_out = outer;
        return GAVE_UP;
    }
    const int status = lua_pcall(L, arg_count, result_count, handler);
    host->way_out = outer;
    return status;
}

/* ---- messages ---- */

/* Message handler: errors of Lua itself, raised in our vocabulary, get the user's line. */
static int locate(lua_State *L)
{
    const char *message = lua_tostring(L, 1);
    if (lua_touserdata(L, 1) == &memory_error) return 1;
    if (!message) {
        lua_pushfstring(L, "spec:%d: an error with a %s as its value; raise a text", ms_host_line(L), luaL_typename(L, 1));
        return 1;
    }
    if (!strncmp(message, "spec:", 5)) return 1;
    const char *rest = strncmp(message, "gen/", 4) ? NULL : strstr(message, ": ");
    lua_pushfstring(L, "spec:%d: %s", ms_host_line(L), rest ? rest + 2 : message);
    return 1;
}

/* Whether the error on top tells of memory; Lua's own text for it can have passed through a spec's pcall. */
static int is_memory_error(lua_State *L, int status)
{
    const char *message = lua_tostring(L, -1);
    return status == LUA_ERRMEM || lua_touserdata(L, -1) == &memory_error
        || (ms_host_of(L)->spec->arena.refused && message && strstr(message, "not enough memory"));
}

/* The message on top with a remedy, where the time that it may take is enough. */
static const char *explained(lua_State *L)
{
    ms_host *host = ms_host_of(L);
    const char *message = lua_tostring(L, -1);
    const uint32_t limit_ms = host->limit_ms;
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &explain_key) != LUA_TFUNCTION) return message;
    lua_pushvalue(L, -2);
    host->limit_ms = EXPLAIN_TIME_MS;
    host->is_timed = 0;
    ms_host_watch(L, 0);
    const int status = call(L, 1, 1, 0);
    host->limit_ms = limit_ms;
    if (status == GAVE_UP) return message; /* Lua's memory is still there */
    lua_sethook(L, NULL, 0, 0);
    return status && is_memory_error(L, status) ? NULL : lua_tostring(L, -1);
}

const char *ms_host_message(lua_State *L, int status, int *line)
{
    const ms_host *host = ms_host_of(L);
    char *rest;
    if (host->given_up) {
        *line = host->given_up_line;
        return host->given_up == memory_reason ? NULL : host->given_up;
    }
    if (is_memory_error(L, status)) return NULL;
    const char *message = explained(L);
    *line = host->last_line;
    if (!message || strncmp(message, "spec:", 5)) return message;
    const long number = strtol(message + 5, &rest, 10);
    if (strncmp(rest, ": ", 2)) return message;
    *line = (int)number;
    return rest + 2;
}

/* The error on top of the stack as a diagnostic. */
static msw_result report(lua_State *L, int status, msw_diag *diag)
{
    const ms_host *host = ms_host_of(L);
    int line = host->last_line;
    const char *message = ms_host_message(L, status, &line);
    if (!message) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "spec", host->spec->file, line, "out of memory; close other programs");
    return ms_diag(diag, MSW_ERROR_SPEC, "spec", host->spec->file, line, "%s%s", message, strstr(message, "; ") ? "" : "; correct the spec");
}

/* ---- operations ---- */

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
    if (!copy) ms_host_no_memory(L);
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
    if (lua_getfield(L, index, "init") == LUA_TTABLE) op->init = ms_host_element(L, lua_gettop(L), op->monoid->type);
    lua_pop(L, 1);
}

static void read_tune(lua_State *L, int index, ms_operation *op)
{
    lua_getfield(L, index, "tune");
    op->tune_count = (uint32_t)lua_rawlen(L, -1);
    msw_knob *knobs = ms_arena_alloc(&ms_host_of(L)->spec->arena, (op->tune_count + 1) * sizeof *knobs);
    if (!knobs) ms_host_no_memory(L);
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
    const ms_function *functions[MS_MAX_FUNCTIONS];
    const uint32_t count = ms_operation_functions(op, functions);
    for (uint32_t i = 0; i < count; i++)
        if (!ms_function_is_bit_exact(functions[i])) return 0;
    return 1;
}

static void add_buffer(ms_operation *op, const char *name, const ms_type *type, msw_length length, int is_output)
{
    op->info.buffers[op->info.buffer_count++] = (msw_op_buffer){name, type->info, (uint32_t)length, (uint32_t)is_output};
}

static void read_fold(lua_State *L, int index, ms_operation *op)
{
    op->monoid = &((ms_monoid_entry *)pointer_field(L, index, "monoid"))->monoid;
    op->output_map = pointer_field(L, index, "output_map");
    op->exclusive = boolean_field(L, index, "exclusive");
    op->reverse = boolean_field(L, index, "reverse");
    op->info.is_reverse = (uint32_t)op->reverse;
    read_init(L, index, op);
    op->info.carry = op->monoid->type->info;
    add_buffer(op, "in", op->input, MSW_LENGTH_N, 0);
    add_buffer(op, "out", op->output, op->kind == MSW_OP_SCAN ? MSW_LENGTH_N : MSW_LENGTH_ONE, 1);
}

static void read_sort(lua_State *L, int index, ms_operation *op)
{
    lua_getfield(L, index, "key_bits");
    op->key = (ms_key){pointer_field(L, index, "key_image"), (uint32_t)lua_tointeger(L, -1), boolean_field(L, index, "descending")};
    lua_pop(L, 1);
    op->value = pointer_field(L, index, "value");
    op->gives_index = boolean_field(L, index, "gives_index");
    op->info.carry.name = "";
    add_buffer(op, op->map ? "in" : "keys", op->input, MSW_LENGTH_N, 0);
    if (op->value && !op->gives_index) add_buffer(op, "values", op->value, MSW_LENGTH_N, 0);
    add_buffer(op, "keys_out", op->output, MSW_LENGTH_N, 1);
    if (op->value) add_buffer(op, "values_out", op->value, MSW_LENGTH_N, 1);
}

static void read_operation(lua_State *L, int index, const char *default_name, ms_operation *op)
{
    lua_getfield(L, index, "kind");
    const char *kind = lua_tostring(L, -1);
    op->kind = !strcmp(kind, "sort") ? MSW_OP_SORT : !strcmp(kind, "scan") ? MSW_OP_SCAN : MSW_OP_REDUCE;
    lua_getfield(L, index, "line");
    op->line = (int)lua_tointeger(L, -1);
    lua_pop(L, 2);
    op->file = ms_host_of(L)->spec->file;
    op->name = string_field(L, index, "name", default_name);
    op->doc = string_field(L, index, "doc", "");
    op->input = pointer_field(L, index, "input");
    op->output = pointer_field(L, index, "output");
    op->map = pointer_field(L, index, "map");
    op->deterministic = boolean_field(L, index, "deterministic");
    read_tune(L, index, op);
    op->info = (msw_op_info){.name = op->name, .doc = op->doc, .kind = op->kind};
    if (op->kind == MSW_OP_SORT) read_sort(L, index, op);
    else read_fold(L, index, op);
    op->info.is_bit_exact = (uint32_t)bit_exact(op);
    op->info.sources = ms_operation_sources(op);
}

static const char *base_name(lua_State *L, msw_spec *spec)
{
    const char *slash = strrchr(spec->file, '/');
    char *name = ms_arena_strdup(&spec->arena, slash ? slash + 1 : spec->file);
    if (!name) ms_host_no_memory(L);
    char *dot = strrchr(name, '.');
    if (dot && dot != name) *dot = 0;
    for (char *c = name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9' && c != name))) *c = '_';
    return *name ? name : "spec";
}

/* The list of operations' records on top. */
static void read_operations(lua_State *L, msw_spec *spec)
{
    const lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
    ms_operation *operations = ms_arena_alloc(&spec->arena, (size_t)count * sizeof *operations);
    if (!operations) ms_host_no_memory(L);
    for (lua_Integer i = 0; i < count; i++) {
        lua_rawgeti(L, -1, i + 1);
        read_operation(L, lua_gettop(L), spec->name, &operations[i]);
        lua_pop(L, 1);
    }
    ms_host_of(L)->operations = operations;
    spec->operations = operations;
    spec->operation_count = (uint32_t)count;
}

/* A lua_Reader: Lua's parser has no hook. */
static const char *next_piece(lua_State *L, void *user, size_t *bytes)
{
    ms_host *host = ms_host_of(L);
    size_t *begun = user;
    const char *piece = host->text + *begun;
    ms_host_check_time(L);
    *bytes = host->text_bytes - *begun < PARSED_BYTES ? host->text_bytes - *begun : PARSED_BYTES;
    *begun += *bytes;
    for (size_t i = 0; i < *bytes; i++) host->last_line += piece[i] == '\n';
    return piece;
}

/* Pushes the text as a function, or raises. */
static void parse(lua_State *L, ms_host *host)
{
    size_t begun = 0;
    host->is_parsing = 1;
    if (lua_load(L, next_piece, &begun, chunk_name, "t")) lua_error(L);
    host->is_parsing = 0;
    host->last_line = 1;
}

static int run(lua_State *L)
{
    ms_host *host = ms_host_of(L);
    luaL_openlibs(L);
    lua_gc(L, LUA_GCGEN, 0, 0);
    host->spec->name = base_name(L, host->spec);
    ms_load_file(L, ms_find_file(ms_embedded_files, "gen/spec/lua/vocabulary.lua"));
    ms_push_file_function(L);
    ms_push_primitives(L);
    lua_pushcfunction(L, ms_push_source);
    lua_setfield(L, -2, "source");
    lua_call(L, 2, 3); /* the spec's globals, finish, explain */
    lua_rawsetp(L, LUA_REGISTRYINDEX, &explain_key);
    lua_insert(L, -2);
    define_globals(L, host->desc);
    host->last_line = 1;
    ms_host_watch(L, 1);
    if (host->text_bytes > MAX_TEXT_BYTES) ms_host_fail(L, "the spec has more than 1 MiB; compute large tables in it");
    parse(L, host);
    lua_insert(L, -2);
    if (!lua_setupvalue(L, -2, 1)) lua_pop(L, 1);
    const int first = lua_gettop(L);
    lua_call(L, 0, LUA_MULTRET);
    const int count = lua_gettop(L) - first + 1;
    lua_settop(L, first);
    lua_pushstring(L, host->spec->name);
    lua_pushinteger(L, count);
    lua_call(L, 3, 1);
    read_operations(L, host->spec);
    lua_sethook(L, NULL, 0, 0);
    return 0;
}

/* ---- laws ---- */

typedef struct law_warnings {
    const ms_host *host;
    ms_monoid_entry *entry;
    int is_out_of_memory;
} law_warnings;

static void note_warning(void *user, const msw_diag *diag, const char *law)
{
    law_warnings *w = user;
    const ms_host *host = w->host;
    ms_text text = {.arena = &host->spec->arena};
    ms_text_append(&text, "%s:%d: %s", host->spec->file, w->entry->line, law);
    w->entry->warning = text.failed || !text.data ? NULL : ms_arena_strdup(text.arena, text.data);
    ms_text_free(&text);
    w->is_out_of_memory = !w->entry->warning;
    if (host->desc->warning) host->desc->warning(host->desc->warning_user, diag);
}

static msw_result check_laws_of(ms_host *host, ms_monoid_entry *entry, msw_diag *diag)
{
    const char *laws = entry->monoid.laws;
    if (!strcmp(laws, "trusted") || !strcmp(laws, "known")) return MSW_OK;
    law_warnings warnings = {host, entry, 0};
    const ms_law_options options = {.strict = !strcmp(laws, "strict"), .file = host->spec->file, .line = entry->line, .samples = entry->samples, .warning = note_warning,
                                    .warning_user = &warnings};
    const msw_result result = ms_laws_check(&host->spec->arena, &entry->monoid, &options, diag);
    if (result) return result;
    if (warnings.is_out_of_memory) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "laws", NULL, 0, "out of memory");
    if (time_is_up(host))
        return ms_diag(diag, MSW_ERROR_SPEC, "laws", host->spec->file, entry->line, "testing the monoids' laws takes too long; say laws = \"trusted\" for some");
    return MSW_OK;
}

static ms_monoid_entry *entry_of(const ms_operation *op) { return (ms_monoid_entry *)(uintptr_t)op->monoid; }

/* Whether `whole` is the monoid or made of it. The depth is that of its type. */
static int is_made_of(const ms_monoid_entry *whole, const ms_monoid_entry *part)
{
    if (whole == part) return 1;
    for (uint32_t i = 0; whole->members && whole->members[i]; i++)
        if (is_made_of(whole->members[i], part)) return 1;
    return 0;
}

/* Whether an operation that is going to be used needs the monoid's laws. */
static int is_wanted(const ms_host *host, const ms_monoid_entry *entry)
{
    int is_used = !host->desc->op;
    for (uint32_t i = 0; i < host->spec->operation_count && !is_used; i++) {
        const ms_operation *op = &host->operations[i];
        is_used = !strcmp(op->name, host->desc->op) && op->monoid && is_made_of(entry_of(op), entry);
    }
    return is_used;
}

static void leave_out(const ms_host *host)
{
    for (uint32_t i = 0; i < host->spec->operation_count && host->desc->op; i++)
        host->operations[i].is_left_out = host->operations[i].monoid && strcmp(host->operations[i].name, host->desc->op) != 0;
}

/* Results of operations whose monoid has such a warning depend on the order of combination. */
static void note_operations(const ms_host *host, const ms_monoid_entry *entry)
{
    for (uint32_t i = 0; i < host->spec->operation_count; i++) {
        ms_operation *op = &host->operations[i];
        if (!op->monoid || op->info.law_warning || !is_made_of(entry_of(op), entry)) continue;
        op->info.law_warning = entry->warning;
        op->info.is_bit_exact = 0;
    }
}

static msw_result check_laws(ms_host *host, msw_diag *diag)
{
    leave_out(host);
    for (ms_monoid_entry *entry = host->monoids; entry && !host->desc->skip_laws; entry = entry->next) {
        if (!is_wanted(host, entry)) continue;
        const msw_result result = check_laws_of(host, entry, diag);
        if (result) return result;
        if (entry->warning) note_operations(host, entry);
    }
    return MSW_OK;
}

msw_result ms_host_read(msw_spec *spec, const msw_spec_desc *desc, const char *text, size_t text_bytes, msw_diag *diag)
{
    ms_host *host = ms_arena_alloc(&spec->arena, sizeof *host);
    if (!host) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "spec", NULL, 0, "out of memory");
    *host = (ms_host){.spec = spec, .desc = desc, .limit_ms = desc->time_limit_ms ? desc->time_limit_ms : DEFAULT_TIME_LIMIT_MS,
                      .text = text, .text_bytes = text_bytes, .is_reading = 1, .last_monoid = &host->monoids};
    ms_heap_init(&host->heap, &spec->arena);
    time_is_up(host); /* begins */
    host->lines = ms_arena_alloc(&spec->arena, MS_MAX_LINES * sizeof *host->lines);
    host->made = ms_arena_alloc(&spec->arena, MS_MAX_MADE * sizeof *host->made);
    lua_State *L = host->lines && host->made ? lua_newstate(resize, host) : NULL;
    if (!L) {
        ms_host_close(host);
        return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "spec", NULL, 0, "out of memory");
    }
    host->L = L;
    *(ms_host **)lua_getextraspace(L) = host;
    lua_pushcfunction(L, locate);
    lua_pushcfunction(L, run);
    const int status = call(L, 0, 0, 1);
    const msw_result result = status ? report(L, status, diag) : check_laws(host, diag);
    host->is_reading = 0;
    host->desc = NULL;
    host->text = NULL;
    if (!result && host->keeps_state) spec->host = host;
    else ms_host_close(host);
    return result;
}

/* Nothing of the state needs more than its memory: it has no finalizer that matters. */
void ms_host_close(ms_host *host)
{
    if (host) ms_heap_free(&host->heap);
}

/* ---- host functions of sources ---- */

int ms_host_call(lua_State *L, int arg_count, int result_count)
{
    ms_host *host = ms_host_of(L);
    const int function = lua_gettop(L) - arg_count;
    lua_pushcfunction(L, locate);
    lua_insert(L, function);
    if (!host->is_reading) host->is_timed = 0;
    ms_host_watch(L, host->is_reading);
    const int status = call(L, arg_count, result_count, function);
    if (status == GAVE_UP) return status;
    lua_sethook(L, NULL, 0, 0);
    lua_remove(L, function);
    return status;
}
