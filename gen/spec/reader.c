/* Runs a spec's text in the sandbox, and reads the records that the vocabulary made of it. */
#include "reader.h"
#include "choices.h"
#include "diag.h"
#include "embedded.h"
#include "kinds.h"

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
        knobs[i].name = ms_read_string(L, lua_gettop(L), "name", "");
        knobs[i].value = ms_read_string(L, lua_gettop(L), "value", "");
        lua_pop(L, 1);
    }
    op->tune = knobs;
    lua_pop(L, 1);
}

static int bit_exact(const ms_operation *op)
{
    for (uint32_t p = 0; op->pipeline && p < ms_operation_part_count(op); p++)
        if (!ms_operation_part_of(op, p)->info.is_bit_exact) return 0;
    const ms_function *functions[MS_MAX_FUNCTIONS];
    const uint32_t count = ms_operation_functions(op, functions);
    for (uint32_t i = 0; i < count; i++)
        if (!ms_function_is_bit_exact(functions[i])) return 0;
    return 1;
}

static void read_operation(lua_State *L, int index, const char *default_name, ms_operation *op)
{
    if (!ms_kind_find(ms_read_string(L, index, "kind", ""), &op->kind)) luaL_error(L, "an operation of a kind that gen/choices.c does not have");
    op->line = (int)ms_read_count(L, index, "line");
    op->file = ms_sandbox_of(L)->spec->file;
    op->word = ms_read_string(L, index, "word", ms_operation_kind(op)->name);
    op->name = ms_read_string(L, index, "name", default_name);
    op->doc = ms_read_string(L, index, "doc", "");
    op->input = ms_read_pointer(L, index, "input");
    op->output = ms_read_pointer(L, index, "output");
    op->map = ms_read_pointer(L, index, "map");
    op->order = (ms_order)ms_read_count(L, index, "order");
    read_tune(L, index, op);
    op->info = (msw_op_info){.struct_size = sizeof op->info, .name = op->name, .doc = op->doc, .kind = op->kind};
    ms_kinds[op->kind]->read(L, index, op);
    ms_add_uniforms(L, index, op);
    op->info.carry = op->carry ? op->carry->info : (msw_type_info){.name = ""};
    op->title = ms_operation_title(op, &ms_sandbox_of(L)->spec->arena);
    if (!op->title) ms_sandbox_no_memory(L);
    op->info.is_bit_exact = (uint32_t)bit_exact(op);
    op->info.sources = ms_operation_sources(op);
}

/* Primitive stage(record, name): the operation that the record is, and a list of its buffers, { name, type handle, length, role } each. */
static int push_stage(lua_State *L)
{
    ms_operation *op = ms_arena_alloc(&ms_sandbox_of(L)->spec->arena, sizeof *op);
    if (!op) ms_sandbox_no_memory(L);
    read_operation(L, 1, luaL_checkstring(L, 2), op);
    ms_sandbox_of(L)->stage_count++;
    lua_pushlightuserdata(L, op);
    lua_newtable(L);
    for (uint32_t b = 0; b < op->info.buffer_count; b++) {
        lua_createtable(L, 0, 4);
        lua_pushstring(L, op->info.buffers[b].name);
        lua_setfield(L, -2, "name");
        lua_pushlightuserdata(L, (void *)(uintptr_t)op->buffer_types[b]);
        lua_setfield(L, -2, "type");
        lua_pushinteger(L, op->info.buffers[b].length);
        lua_setfield(L, -2, "length");
        lua_pushinteger(L, op->info.buffers[b].role);
        lua_setfield(L, -2, "role");
        lua_rawseti(L, -2, (lua_Integer)b + 1);
    }
    return 2;
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

/* The stages of a pipeline become operations of the spec. */
static void keep_stages(lua_State *L, const ms_operation *op, ms_operation *stages)
{
    for (uint32_t s = 0; op->pipeline && s < op->pipeline->stage_count; s++) {
        ms_stage *stage = &op->pipeline->stages[s];
        ms_text name = {.arena = &ms_sandbox_of(L)->spec->arena};
        ms_text_append(&name, "%s.%s", op->name, stage->op->name);
        stages[s] = *stage->op;
        stages[s].info.name = name.failed ? NULL : ms_arena_strdup(name.arena, name.data);
        ms_text_free(&name);
        if (!stages[s].info.name) ms_sandbox_no_memory(L);
        stage->op = &stages[s];
    }
}

/* The list of operations' records on top. */
static void read_operations(lua_State *L, msw_spec *spec)
{
    const lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
    const size_t most = (size_t)count + ms_sandbox_of(L)->stage_count;
    ms_operation *operations = ms_arena_alloc(&spec->arena, most * sizeof *operations), *stages = operations + count;
    if (!operations) ms_sandbox_no_memory(L);
    for (lua_Integer i = 0; i < count; i++) {
        lua_rawgeti(L, -1, i + 1);
        read_operation(L, lua_gettop(L), spec->name, &operations[i]);
        keep_stages(L, &operations[i], stages);
        stages += operations[i].pipeline ? operations[i].pipeline->stage_count : 0;
        lua_pop(L, 1);
    }
    ms_sandbox_of(L)->operations = operations;
    spec->operations = operations;
    spec->operation_count = (uint32_t)count;
    spec->stage_count = (uint32_t)(stages - operations) - spec->operation_count;
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
    lua_pushcfunction(L, push_stage);
    lua_setfield(L, -2, "stage");
    lua_pushcfunction(L, ms_push_cut);
    lua_setfield(L, -2, "cut");
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

static const ms_monoid_entry *entry_of(const ms_operation *op) { return (const ms_monoid_entry *)(const void *)op->monoid; }

/* Whether `whole` is the monoid or made of it. The depth is that of its type. */
static int is_made_of(const ms_monoid_entry *whole, const ms_monoid_entry *part)
{
    if (whole == part) return 1;
    for (uint32_t i = 0; whole->members && whole->members[i]; i++)
        if (is_made_of(whole->members[i], part)) return 1;
    return 0;
}

/* Whether the operation, or a part of it, has the monoid. */
static int has_monoid(const ms_operation *op, const ms_monoid_entry *entry)
{
    for (uint32_t p = 0; p < ms_operation_part_count(op); p++) {
        const ms_operation *part = ms_operation_part_of(op, p);
        if (part->monoid && is_made_of(entry_of(part), entry)) return 1;
    }
    return 0;
}

/* Whether the operation is the one that is going to be used, or has it as a stage. */
static int is_named(const ms_operation *op, const char *name)
{
    const size_t length = strcspn(name, ".");
    return strlen(op->name) == length && !strncmp(op->name, name, length);
}

/* Whether an operation that is going to be used needs the monoid's laws. */
static int is_wanted(const ms_sandbox *sandbox, const ms_monoid_entry *entry)
{
    int is_used = !sandbox->desc->op;
    for (uint32_t i = 0; i < sandbox->spec->operation_count && !is_used; i++) {
        const ms_operation *op = &sandbox->operations[i];
        is_used = is_named(op, sandbox->desc->op) && has_monoid(op, entry);
    }
    return is_used;
}

static void leave_out(const ms_sandbox *sandbox)
{
    for (uint32_t i = 0; i < sandbox->spec->operation_count && sandbox->desc->op; i++) {
        ms_operation *op = &sandbox->operations[i];
        op->is_left_out = (op->monoid || op->pipeline) && !is_named(op, sandbox->desc->op);
        for (uint32_t s = 0; op->pipeline && s < op->pipeline->stage_count; s++)
            op->pipeline->stages[s].op->is_left_out = op->pipeline->stages[s].op->monoid && op->is_left_out;
    }
}

static void note_operation(ms_operation *op, const ms_monoid_entry *entry)
{
    if (op->info.law_warning || !has_monoid(op, entry)) return;
    op->info.law_warning = entry->warning;
    op->info.is_bit_exact = 0;
}

/* Results of operations whose monoid has such a warning depend on the order of combination. */
static void note_operations(const ms_sandbox *sandbox, const ms_monoid_entry *entry)
{
    for (uint32_t i = 0; i < sandbox->spec->operation_count; i++) {
        ms_operation *op = &sandbox->operations[i];
        note_operation(op, entry);
        for (uint32_t p = 0; op->pipeline && p < ms_operation_part_count(op); p++) note_operation(op->pipeline->stages[p].op, entry);
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
