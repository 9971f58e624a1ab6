/* Vendored headers: hands programs to gen/emit/header.lua, which writes the text around the plans' data. */
#include "emit.h"
#include "c_locale.h"
#include "choices.h"
#include "diag.h"
#include "embedded.h"

#include <inttypes.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <string.h>

typedef struct emission {
    const msw_spec *spec;
    const msw_header_desc *desc;
    ms_text *text; /* room for what is put together */
    const char *result;
} emission;

/* ---- data as C text ---- */

enum { WORD_COLUMNS = 130 }; /* after which a line of words ends */

/* Words of 32 bits, zeros after the last bytes: a PTX text ends with one at least. Decimal, which is shortest: most of SPIR-V's words are small. */
static void append_words(ms_text *text, const msw_plan_kernel *kernel)
{
    const unsigned char *code = kernel->code;
    size_t line = text->length;
    for (size_t at = 0; at < kernel->code_bytes; at += 4) {
        uint32_t word = 0;
        for (size_t b = 0; b < 4 && at + b < kernel->code_bytes; b++) word |= (uint32_t)code[at + b] << 8 * b;
        if (text->length - line > WORD_COLUMNS) ms_text_append(text, "\n"), line = text->length;
        ms_text_append(text, "%" PRIu32 ",", word);
    }
}

static void append_buffers(ms_text *text, const msw_plan *plan)
{
    ms_text_append(text, "    /* buffers: name, element_bytes, alignment_bytes, length, role, place, is_read */\n    {\n");
    for (uint32_t i = 0; i < plan->buffer_count + plan->between_count; i++) {
        const msw_plan_buffer *b = &plan->buffers[i];
        ms_text_append(text, "        {\"%s\", %uu, %uu, %uu, %uu, %uu, %uu},\n", b->name, b->element_bytes, b->alignment_bytes, b->length, b->role,
                       b->place, b->is_read);
    }
    ms_text_append(text, "    },\n");
}

/* What the identifiers of an operation begin with: its name. msw_ is the headers' own, and gets another beginning; so do names with that one, so
 * that no
 * two become one. */
static void append_prefix(ms_text *text, const char *name)
{
    const char *rest = name;
    while (!strncmp(rest, "op_", 3)) rest += 3;
    const int is_own = !strncmp(rest, "msw", 3) && (rest[3] == '_' || !rest[3]);
    ms_text_append(text, "%s%s", is_own ? "op_" : "", name);
}

/* codes: for each kernel the number of the array with its code. */
static void append_kernels(ms_text *text, const msw_plan *plan, const uint32_t codes[MSW_MAX_KERNELS])
{
    ms_text_append(text,
                   "    /* kernels: entry, text, code, code_bytes, block_threads, subgroup_size, shared_bytes, dynamic_shared_bytes, features,\n"
                   "       is_cooperative, begins_early, cluster_blocks */\n    {\n");
    for (uint32_t i = 0; i < plan->kernel_count; i++) {
        const msw_plan_kernel *k = &plan->kernels[i];
        ms_text_append(text, "        {\"%s\", NULL, ", k->entry);
        append_prefix(text, plan->name);
        ms_text_append(text, "_code_%u, sizeof ", codes[i]);
        append_prefix(text, plan->name);
        ms_text_append(text, "_code_%u, %uu, %uu, %uu, %uu, %uu, %uu, %uu, %uu},\n", codes[i], k->block_threads, k->subgroup_size, k->shared_bytes,
                       k->dynamic_shared_bytes, k->features, k->is_cooperative, k->begins_early, k->cluster_blocks);
    }
    ms_text_append(text, "    },\n");
}

static void append_steps(ms_text *text, const msw_plan *plan)
{
    ms_text_append(text, "    /* steps: kernel, tile_items, max_blocks, argument, repeats, joined, least_blocks, stage */\n    {\n");
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const msw_plan_step *s = &plan->steps[i];
        ms_text_append(text, "        {%uu, %uu, %uu, %uu, %uu, %uu, %uu, %uu},\n", s->kernel, s->tile_items, s->max_blocks, s->argument, s->repeats,
                       s->joined, s->least_blocks, s->stage);
    }
    ms_text_append(text, "    },\n");
}

static void append_variants(ms_text *text, const msw_plan *plan)
{
    ms_text_append(text, "    /* variants: n_max, first_step, step_count, scratch_base_bytes, scratch_per_block_bytes, scratch_per_tile_bytes,\n"
                         "       temporary_per_tile_bytes, read_bytes_per_item, written_bytes_per_item, read_bytes, written_bytes, serves_in_place,\n"
                         "       is_ping_pong, ends_in_inputs, strategy */\n    {\n");
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        const msw_plan_variant *v = &plan->variants[i];
        ms_text_append(text,
                       "        {%" PRIu64 "ull, %uu, %uu, %" PRIu64 "u, %" PRIu64 "u, %" PRIu64 "u, %" PRIu64 "u, %" PRIu64 "u, %" PRIu64
                       "u, %" PRIu64 "u, %" PRIu64 "u, %uu, %uu, %uu, \"%s\"},\n",
                       v->n_max, v->first_step, v->step_count, v->scratch_base_bytes, v->scratch_per_block_bytes, v->scratch_per_tile_bytes,
                       v->temporary_per_tile_bytes, v->read_bytes_per_item, v->written_bytes_per_item, v->read_bytes, v->written_bytes,
                       v->serves_in_place, v->is_ping_pong, v->ends_in_inputs, v->strategy);
    }
    ms_text_append(text, "    },\n");
}

static void append_stages(ms_text *text, const msw_plan *plan)
{
    ms_text_append(text, "    /* stages: name, length, counted_by, scratch_tile_items, temporary_tile_items, place, scratch_base_bytes,\n"
                         "       scratch_per_tile_bytes, temporary_base_bytes, temporary_per_tile_bytes, arrays */\n    {\n");
    if (!plan->stage_count) ms_text_append(text, "        {NULL, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, {0u}},\n"); /* it is no pipeline */
    for (uint32_t i = 0; i < plan->stage_count; i++) {
        const msw_plan_stage *s = &plan->stages[i];
        ms_text_append(text, "        {\"%s\", %uu, %uu, %uu, %uu, %uu, %" PRIu64 "u, %" PRIu64 "u, %" PRIu64 "u, %" PRIu64 "u, {", s->name,
                       s->length, s->counted_by, s->scratch_tile_items, s->temporary_tile_items, s->place, s->scratch_base_bytes,
                       s->scratch_per_tile_bytes, s->temporary_base_bytes, s->temporary_per_tile_bytes);
        for (uint32_t b = 0; b < MSW_MAX_KERNEL_BUFFERS; b++) {
            if (b) ms_text_append(text, ", ");
            if (s->arrays[b] == MSW_NO_ARRAY) ms_text_append(text, "MSW_NO_ARRAY");
            else ms_text_append(text, "%uu", s->arrays[b]);
        }
        ms_text_append(text, "}},\n");
    }
    ms_text_append(text, "    },\n");
}

/* The initialiser of a msw_plan, in the order of its members: C++17 has no designated ones. */
static void append_plan(ms_text *text, const msw_plan *plan, const uint32_t codes[MSW_MAX_KERNELS])
{
    ms_text_append(text,
                   "{\n"
                   "    /* format, backend, name, buffer_count, kernel_count, step_count, variant_count, init_step_count, carry_bytes,\n"
                   "       scratch_alignment_bytes, bytes_read_per_item, bytes_written_per_item, stage_count, between_count */\n"
                   "    MSW_PLAN_FORMAT, %uu, \"%s\", %uu, %uu, %uu, %uu, %uu, %uu, %uu, %" PRIu64 "u, %" PRIu64 "u, %uu, %uu,\n",
                   plan->backend, plan->name, plan->buffer_count, plan->kernel_count, plan->step_count, plan->variant_count, plan->init_step_count,
                   plan->carry_bytes, plan->scratch_alignment_bytes, plan->bytes_read_per_item, plan->bytes_written_per_item, plan->stage_count,
                   plan->between_count);
    append_buffers(text, plan);
    append_kernels(text, plan, codes);
    append_steps(text, plan);
    append_variants(text, plan);
    append_stages(text, plan);
    ms_text_append(text, "},");
}

/* A kernel's knobs as --set takes them, but for the first, the strategy; those that do not concern it are at their defaults. */
static void append_knobs(ms_text *text, const ms_kernel_shape *shape)
{
    char value[MS_KNOB_BYTES];
    for (const ms_knob *k = ms_knobs + 1; k->name; k++) {
        const char *shown = ms_knob_text(k, &shape->geometry, value);
        if (shown) ms_text_append(text, "%s%s=%s", k == ms_knobs + 1 ? "" : " ", k->name, shown);
    }
}

/* ---- what Lua is told ---- */

/* What `text` holds becomes a string on top, and it is empty. */
static void push_text(lua_State *L, ms_text *text)
{
    if (text->failed) luaL_error(L, "not enough memory");
    lua_pushlstring(L, text->data ? text->data : "", text->length);
    text->length = 0;
}

static void set_text(lua_State *L, const char *key, ms_text *text)
{
    push_text(L, text);
    lua_setfield(L, -2, key);
}

static void set_string(lua_State *L, const char *key, const char *value)
{
    if (!value) return;
    lua_pushstring(L, value);
    lua_setfield(L, -2, key);
}

static void set_integer(lua_State *L, const char *key, uint64_t value)
{
    lua_pushinteger(L, (lua_Integer)value);
    lua_setfield(L, -2, key);
}

static void push_kernels(lua_State *L, const msw_program *program, ms_text *text)
{
    lua_newtable(L);
    for (uint32_t i = 0; i < program->plan.kernel_count; i++) {
        const msw_plan_kernel *kernel = &program->plan.kernels[i];
        lua_newtable(L);
        set_string(L, "entry", kernel->entry);
        set_string(L, "text", kernel->text);
        set_string(L, "template", program->shapes[i].template_name);
        set_integer(L, "threads", kernel->block_threads);
        set_integer(L, "shared", kernel->shared_bytes);
        set_integer(L, "features", kernel->features);
        append_knobs(text, &program->shapes[i]);
        set_text(L, "knobs", text);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_variants(lua_State *L, const msw_plan *plan)
{
    lua_newtable(L);
    for (uint32_t v = 0; v < plan->variant_count; v++) {
        const msw_plan_variant *variant = &plan->variants[v];
        uint32_t blocks = 0;
        for (uint32_t s = 0; s < variant->step_count; s++)
            if (plan->steps[variant->first_step + s].max_blocks > blocks) blocks = plan->steps[variant->first_step + s].max_blocks;
        lua_newtable(L);
        set_string(L, "strategy", variant->strategy);
        set_integer(L, "n_max", variant->n_max);
        set_integer(L, "tile", plan->steps[variant->first_step].tile_items);
        set_integer(L, "blocks", blocks);
        set_integer(L, "base", variant->scratch_base_bytes);
        set_integer(L, "per_block", variant->scratch_per_block_bytes);
        set_integer(L, "per_tile", variant->scratch_per_tile_bytes);
        set_string(L, "mode", variant->is_ping_pong ? "ping-pong" : variant->serves_in_place == MSW_SERVES_IN_PLACE ? "in place" : NULL);
        lua_rawseti(L, -2, (lua_Integer)v + 1);
    }
}

/* The arrays of code of an operation's kernels so far: equal ones are one. */
typedef struct code_list {
    const msw_plan_kernel **kernels;
    uint32_t count;
} code_list;

static uint32_t number_of(code_list *list, const msw_plan_kernel *kernel)
{
    uint32_t c = 0;
    while (c < list->count &&
           (!kernel->code || list->kernels[c]->code_bytes != kernel->code_bytes || memcmp(list->kernels[c]->code, kernel->code, kernel->code_bytes)))
        c++;
    if (c == list->count) list->kernels[list->count++] = kernel;
    return c;
}

static void push_program(lua_State *L, const msw_program *program, code_list *list, ms_text *text)
{
    uint32_t codes[MSW_MAX_KERNELS];
    for (uint32_t k = 0; k < program->plan.kernel_count; k++) codes[k] = number_of(list, &program->plan.kernels[k]);
    lua_newtable(L);
    append_plan(text, &program->plan, codes);
    set_text(L, "text", text);
    set_string(L, "backend", program->plan.backend == MSW_BACKEND_CUDA ? "CUDA" : "Vulkan");
    set_integer(L, "subgroup", program->plan.kernels[0].subgroup_size);
    set_integer(L, "scratch_alignment", program->plan.scratch_alignment_bytes);
    set_integer(L, "stages", program->plan.stage_count);
    push_kernels(L, program, text);
    lua_setfield(L, -2, "kernels");
    push_variants(L, &program->plan);
    lua_setfield(L, -2, "variants");
}

static void set_codes(lua_State *L, const code_list *list, ms_text *text)
{
    lua_newtable(L);
    for (uint32_t c = 0; c < list->count && list->kernels[c]->code; c++) {
        append_words(text, list->kernels[c]);
        push_text(L, text);
        lua_rawseti(L, -2, (lua_Integer)c + 1);
    }
    lua_setfield(L, -2, "codes");
}

/* Of the programs from `first` up to `end`: what serves all of them. */
static void set_alignments(lua_State *L, msw_program *const *programs, uint32_t first, uint32_t end)
{
    lua_newtable(L);
    for (uint32_t b = 0; b < programs[first]->plan.buffer_count; b++) {
        uint32_t bytes = 1;
        for (uint32_t p = first; p < end; p++)
            if (programs[p]->plan.buffers[b].alignment_bytes > bytes) bytes = programs[p]->plan.buffers[b].alignment_bytes;
        lua_pushinteger(L, bytes);
        lua_rawseti(L, -2, (lua_Integer)b + 1);
    }
    lua_setfield(L, -2, "alignments");
}

/* The operation of program `first` and of those after it; returns the first program of the next. */
static uint32_t push_operation(lua_State *L, const emission *e, uint32_t first)
{
    const msw_program *program = e->desc->programs[first];
    const ms_operation *op = &e->spec->operations[program->op];
    code_list list = {.count = 0};
    uint32_t p = first;
    ms_push_operation(L, op);
    set_string(L, "doc", op->doc);
    append_prefix(e->text, op->name);
    set_text(L, "prefix", e->text);
    list.kernels = lua_newuserdatauv(L, sizeof *list.kernels * MSW_MAX_KERNELS * (e->desc->program_count - first), 0);
    lua_insert(L, -2);
    lua_newtable(L);
    for (; p < e->desc->program_count && e->desc->programs[p]->op == program->op; p++) {
        push_program(L, e->desc->programs[p], &list, e->text);
        lua_rawseti(L, -2, (lua_Integer)(p - first) + 1);
    }
    lua_setfield(L, -2, "plans");
    set_alignments(L, e->desc->programs, first, p);
    set_codes(L, &list, e->text);
    lua_remove(L, -2);
    return p;
}

/* Each compiler once. */
static void append_compilers(ms_text *text, const msw_header_desc *desc)
{
    for (uint32_t p = 0; p < desc->program_count; p++) {
        const char *compiler = desc->programs[p]->compiler;
        uint32_t before = 0;
        while (compiler && before < p && (!desc->programs[before]->compiler || strcmp(desc->programs[before]->compiler, compiler))) before++;
        if (compiler && before == p) ms_text_append(text, "%s%s", text->length ? ", " : "", compiler);
    }
}

static void push_header(lua_State *L, const emission *e)
{
    static const char *const forms[] = {[MSW_HEADER_VENDORED] = "header", [MSW_HEADER_PLANS] = "plans", [MSW_HEADER_PLANS_SOURCE] = "plans_source"};
    const msw_program *program = e->desc->programs[0];
    const char *slash = strrchr(e->spec->file, '/');
    lua_newtable(L);
    set_string(L, "version", msw_version());
    set_integer(L, "number", MSW_VERSION_MAJOR * 10000 + MSW_VERSION_MINOR * 100 + MSW_VERSION_PATCH);
    set_integer(L, "format", MSW_PLAN_FORMAT);
    set_string(L, "backend", program->plan.backend == MSW_BACKEND_CUDA ? "cuda" : "vulkan");
    set_string(L, "name", e->spec->name);
    set_string(L, "file", slash ? slash + 1 : e->spec->file);
    set_string(L, "form", forms[e->desc->form]);
    append_compilers(e->text, e->desc);
    set_text(L, "compiler", e->text);
    set_string(L, "spdx", e->desc->spdx);
    set_string(L, "command", e->desc->command);
    lua_newtable(L);
    for (uint32_t p = 0, count = 1; p < e->desc->program_count; count++) {
        p = push_operation(L, e, p);
        lua_rawseti(L, -2, count);
    }
    lua_setfield(L, -2, "operations");
}

/* Lua: the argument is an emission. */
static int emit(lua_State *L)
{
    emission *e = lua_touserdata(L, 1);
    luaL_openlibs(L);
    ms_push_file_function(L);
    lua_pushstring(L, "gen/emit/header.lua");
    lua_call(L, 1, 1);
    push_header(L, e);
    lua_call(L, 1, 1);
    e->result = ms_arena_strdup(&e->desc->programs[0]->arena, lua_tostring(L, -1));
    if (!e->result) return luaL_error(L, "not enough memory");
    return 0;
}

/* ---- the call ---- */

static msw_result check_program(const msw_spec *spec, const msw_header_desc *desc, uint32_t p, msw_diag *diag)
{
    const msw_program *program = desc->programs[p], *before = p ? desc->programs[p - 1] : program;
    if (!program || !ms_spec_has(spec, program->op) || strcmp(program->plan.name, spec->operations[program->op].name))
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "emit", NULL, 0, "msw_header_desc: programs[%u] is NULL, or none of this spec", p);
    const msw_plan *plan = &program->plan;
    const int is_vulkan = plan->backend == MSW_BACKEND_VULKAN, is_header = desc->form == MSW_HEADER_VENDORED;
    if ((is_header && plan->backend != before->plan.backend) || (!is_vulkan && plan->backend != MSW_BACKEND_CUDA))
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "emit", NULL, 0, "%s: a header is for Vulkan or for CUDA; make one for each", plan->name);
    for (uint32_t k = 0; k < plan->kernel_count; k++)
        if (is_vulkan || !is_header ? !plan->kernels[k].code : !plan->kernels[k].code != !desc->programs[0]->plan.kernels[0].code)
            return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "emit", NULL, 0, "%s: kernel '%s' has no code; compile the programs first", plan->name,
                           plan->kernels[k].entry);
    if (is_header && !is_vulkan && p && program->op == before->op)
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "emit", NULL, 0,
                       "%s: a header for CUDA has one program for each operation; make one header for each", plan->name);
    return MSW_OK;
}

static msw_result read_desc(const msw_spec *spec, const msw_header_desc *given, const char **text, msw_header_desc *desc, msw_diag *diag)
{
    if (text) *text = NULL;
    if (!spec || !given || !text)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "emit", NULL, 0, "msw_header_text: %s is NULL", !spec ? "spec" : given ? "text" : "desc");
    msw_result result = MS_SIZED_READ(msw_header_desc, given, desc, "emit", diag);
    if (!result && (!desc->programs || !desc->program_count))
        result = ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "emit", NULL, 0, "msw_header_desc: there is no program; give one at least");
    if (!result && desc->form > MSW_HEADER_PLANS_SOURCE)
        result = ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "emit", NULL, 0, "msw_header_desc: there is no form %u; take one of msw_header_form",
                         desc->form);
    for (uint32_t p = 0; !result && p < desc->program_count; p++) result = check_program(spec, desc, p, diag);
    return result;
}

static msw_result report(lua_State *L, const ms_arena *arena, msw_diag *diag)
{
    const char *message = lua_tostring(L, -1);
    if (!message || arena->refused) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "emit", NULL, 0, "out of memory");
    return ms_diag(diag, MSW_ERROR_COMPILE, "emit", NULL, 0, "header: %s", message);
}

static void *resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    return ms_arena_resize(user, block, block ? old_bytes : 0, new_bytes);
}

msw_result msw_header_text(const msw_spec *spec, const msw_header_desc *desc, const char **text, msw_diag *diag)
{
    msw_header_desc read;
    msw_result result = read_desc(spec, desc, text, &read, diag);
    if (result) return result;
    ms_arena *arena = &read.programs[0]->arena;
    ms_text room = {.arena = arena};
    emission e = {spec, &read, &room, NULL};
    arena->refused = MS_REFUSED_NOTHING;
    lua_State *L = lua_newstate(resize, arena);
    if (!L) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "emit", NULL, 0, "out of memory");
    const ms_c_locale locale = ms_c_locale_enter();
    lua_pushcfunction(L, emit);
    lua_pushlightuserdata(L, &e);
    result = lua_pcall(L, 1, 0, 0) == LUA_OK ? ms_diag(diag, MSW_OK, "", NULL, 0, "%s", "") : report(L, arena, diag);
    lua_close(L);
    ms_c_locale_leave(locale);
    ms_text_free(&room);
    *text = e.result;
    return result;
}
