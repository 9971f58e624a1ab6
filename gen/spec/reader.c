/* Runs a spec's text in the sandbox, and reads the records that the vocabulary made of it. */
#include "reader.h"
#include "diag.h"
#include "embedded.h"

#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

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
    ms_arena *arena = &ms_sandbox_of(L)->spec->arena;
    const char *text = lua_getfield(L, index, key) == LUA_TSTRING ? lua_tostring(L, -1) : otherwise;
    char *copy = ms_arena_strdup(arena, text);
    lua_pop(L, 1);
    if (!copy) ms_sandbox_no_memory(L);
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
    if (lua_getfield(L, index, "init") == LUA_TTABLE) op->init = ms_element_at(L, lua_gettop(L), op->monoid->type);
    lua_pop(L, 1);
}

static void read_tune(lua_State *L, int index, ms_operation *op)
{
    lua_getfield(L, index, "tune");
    op->tune_count = (uint32_t)lua_rawlen(L, -1);
    msw_knob *knobs = ms_arena_alloc(&ms_sandbox_of(L)->spec->arena, (op->tune_count + 1) * sizeof *knobs);
    if (!knobs) ms_sandbox_no_memory(L);
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
    op->file = ms_sandbox_of(L)->spec->file;
    op->name = string_field(L, index, "name", default_name);
    op->doc = string_field(L, index, "doc", "");
    op->input = pointer_field(L, index, "input");
    op->output = pointer_field(L, index, "output");
    op->map = pointer_field(L, index, "map");
    op->deterministic = boolean_field(L, index, "deterministic");
    read_tune(L, index, op);
    op->info = (msw_op_info){.struct_size = sizeof op->info, .name = op->name, .doc = op->doc, .kind = op->kind};
    if (op->kind == MSW_OP_SORT) read_sort(L, index, op);
    else read_fold(L, index, op);
    op->info.is_bit_exact = (uint32_t)bit_exact(op);
    op->info.sources = ms_operation_sources(op);
}

static const char *base_name(lua_State *L, msw_spec *spec)
{
    const char *slash = strrchr(spec->file, '/'), *file = slash ? slash + 1 : spec->file;
    const int is_digit = *file >= '0' && *file <= '9'; /* "10.lua" is _10 */
    char *name = ms_arena_alloc(&spec->arena, strlen(file) + 2);
    if (!name) ms_sandbox_no_memory(L);
    strcpy(name + is_digit, file);
    if (is_digit) *name = '_';
    char *dot = strrchr(name, '.');
    if (dot && dot != name) *dot = 0;
    for (char *c = name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9'))) *c = '_';
    return *name ? name : "spec";
}

/* The list of operations' records on top. */
static void read_operations(lua_State *L, msw_spec *spec)
{
    const lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
    ms_operation *operations = ms_arena_alloc(&spec->arena, (size_t)count * sizeof *operations);
    if (!operations) ms_sandbox_no_memory(L);
    for (lua_Integer i = 0; i < count; i++) {
        lua_rawgeti(L, -1, i + 1);
        read_operation(L, lua_gettop(L), spec->name, &operations[i]);
        lua_pop(L, 1);
    }
    ms_sandbox_of(L)->operations = operations;
    spec->operations = operations;
    spec->operation_count = (uint32_t)count;
}

static int run(lua_State *L)
{
    ms_sandbox *sandbox = ms_sandbox_of(L);
    luaL_openlibs(L);
    lua_gc(L, LUA_GCGEN, 0, 0);
    sandbox->spec->name = base_name(L, sandbox->spec);
    ms_load_file(L, ms_find_file(ms_embedded_files, "gen/spec/lua/vocabulary.lua"));
    ms_push_file_function(L);
    ms_push_primitives(L);
    lua_pushcfunction(L, ms_push_source);
    lua_setfield(L, -2, "source");
    lua_call(L, 2, 3); /* the spec's globals, finish, explain */
    ms_sandbox_explain_by(L);
    lua_insert(L, -2);
    define_globals(L, sandbox->desc);
    sandbox->last_line = 1;
    ms_sandbox_watch(L, 1);
    ms_sandbox_load(L);
    lua_insert(L, -2);
    if (!lua_setupvalue(L, -2, 1)) lua_pop(L, 1);
    const int first = lua_gettop(L);
    lua_call(L, 0, LUA_MULTRET);
    const int count = lua_gettop(L) - first + 1;
    lua_settop(L, first);
    lua_pushstring(L, sandbox->spec->name);
    lua_pushinteger(L, count);
    lua_call(L, 3, 1);
    read_operations(L, sandbox->spec);
    lua_sethook(L, NULL, 0, 0);
    return 0;
}

/* ---- laws ---- */

typedef struct law_warnings {
    const ms_sandbox *sandbox;
    ms_monoid_entry *entry;
    int is_out_of_memory;
} law_warnings;

static void note_warning(void *user, const msw_diag *diag, const char *law)
{
    law_warnings *w = user;
    const ms_sandbox *sandbox = w->sandbox;
    ms_text text = {.arena = &sandbox->spec->arena};
    ms_text_append(&text, "%s:%d: %s", sandbox->spec->file, w->entry->line, law);
    w->entry->warning = text.failed || !text.data ? NULL : ms_arena_strdup(text.arena, text.data);
    ms_text_free(&text);
    w->is_out_of_memory = !w->entry->warning;
    if (sandbox->desc->warning) sandbox->desc->warning(sandbox->desc->warning_user, diag);
}

static msw_result check_laws_of(ms_sandbox *sandbox, ms_monoid_entry *entry, msw_diag *diag)
{
    const char *laws = entry->monoid.laws;
    if (!strcmp(laws, "trusted") || !strcmp(laws, "known")) return MSW_OK;
    law_warnings warnings = {sandbox, entry, 0};
    const ms_law_options options = {.strict = !strcmp(laws, "strict"),
                                    .file = sandbox->spec->file,
                                    .line = entry->line,
                                    .samples = entry->samples,
                                    .warning = note_warning,
                                    .warning_user = &warnings};
    const msw_result result = ms_laws_check(&sandbox->spec->arena, &entry->monoid, &options, diag);
    if (result) return result;
    if (warnings.is_out_of_memory) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "laws", NULL, 0, "out of memory");
    if (ms_limits_time_is_up(&sandbox->limits))
        return ms_diag(diag, MSW_ERROR_SPEC, "laws", sandbox->spec->file, entry->line,
                       "testing the monoids' laws takes too long; say laws = \"trusted\" for some");
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
static int is_wanted(const ms_sandbox *sandbox, const ms_monoid_entry *entry)
{
    int is_used = !sandbox->desc->op;
    for (uint32_t i = 0; i < sandbox->spec->operation_count && !is_used; i++) {
        const ms_operation *op = &sandbox->operations[i];
        is_used = !strcmp(op->name, sandbox->desc->op) && op->monoid && is_made_of(entry_of(op), entry);
    }
    return is_used;
}

static void leave_out(const ms_sandbox *sandbox)
{
    for (uint32_t i = 0; i < sandbox->spec->operation_count && sandbox->desc->op; i++)
        sandbox->operations[i].is_left_out = sandbox->operations[i].monoid && strcmp(sandbox->operations[i].name, sandbox->desc->op) != 0;
}

/* Results of operations whose monoid has such a warning depend on the order of combination. */
static void note_operations(const ms_sandbox *sandbox, const ms_monoid_entry *entry)
{
    for (uint32_t i = 0; i < sandbox->spec->operation_count; i++) {
        ms_operation *op = &sandbox->operations[i];
        if (!op->monoid || op->info.law_warning || !is_made_of(entry_of(op), entry)) continue;
        op->info.law_warning = entry->warning;
        op->info.is_bit_exact = 0;
    }
}

static msw_result check_laws(ms_sandbox *sandbox, msw_diag *diag)
{
    leave_out(sandbox);
    for (ms_monoid_entry *entry = sandbox->monoids; entry && !sandbox->desc->skip_laws; entry = entry->next) {
        if (!is_wanted(sandbox, entry)) continue;
        const msw_result result = check_laws_of(sandbox, entry, diag);
        if (result) return result;
        if (entry->warning) note_operations(sandbox, entry);
    }
    return MSW_OK;
}

msw_result ms_spec_read(msw_spec *spec, const msw_spec_desc *desc, const char *text, size_t text_bytes, msw_diag *diag)
{
    ms_sandbox *sandbox = ms_sandbox_open(spec, desc, text, text_bytes);
    if (!sandbox) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "spec", NULL, 0, "out of memory");
    msw_result result = ms_sandbox_run(sandbox, run, diag);
    if (!result) result = check_laws(sandbox, diag);
    ms_sandbox_end(sandbox);
    if (!result && sandbox->keeps_state) spec->sandbox = sandbox;
    else ms_sandbox_close(sandbox);
    return result;
}
