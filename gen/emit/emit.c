/* Runs gen/emit/emit.lua for every kernel of a program, in a Lua state of its own. */
#include "emit.h"
#include "choices.h"
#include "diag.h"
#include "embedded.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <string.h>

static void *resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    return ms_arena_resize(user, block, block ? old_bytes : 0, new_bytes);
}

static void set_string(lua_State *L, const char *key, const char *value)
{
    if (!value) return;
    lua_pushstring(L, value);
    lua_setfield(L, -2, key);
}

static void set_integer(lua_State *L, const char *key, lua_Integer value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, key);
}

static void set_boolean(lua_State *L, const char *key, int value)
{
    lua_pushboolean(L, value);
    lua_setfield(L, -2, key);
}

static void set_type(lua_State *L, const char *key, const ms_type *type)
{
    ms_push_type(L, type);
    lua_setfield(L, -2, key);
}

static void set_function(lua_State *L, const char *key, const ms_function *function)
{
    if (!function) return;
    ms_push_function(L, function);
    lua_setfield(L, -2, key);
}

/* A value in C layout as the list of its leaves' raw bits. */
static void set_value(lua_State *L, const char *key, const ms_type *type, const void *memory)
{
    uint64_t leaves[MS_MAX_ELEMENT_BYTES];
    if (!memory) return;
    ms_leaves_load(type, memory, leaves, 0);
    lua_newtable(L);
    for (uint32_t i = 0; i < type->info.leaf_count; i++) {
        lua_pushinteger(L, (lua_Integer)leaves[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, key);
}

/* Which leaves of s the buffer's are: parts = { leaf of s, counted from 1, or 0, .. }. */
static void set_parts(lua_State *L, const ms_operation *op, uint32_t b)
{
    lua_newtable(L);
    for (uint32_t l = 0; l < op->buffer_types[b]->info.leaf_count; l++) {
        lua_pushinteger(L, ms_operation_part(op, op->first_leaves[b] + l));
        lua_rawseti(L, -2, (lua_Integer)l + 1);
    }
    lua_setfield(L, -2, "parts");
}

static void set_buffers(lua_State *L, const ms_operation *op)
{
    lua_newtable(L);
    for (uint32_t b = 0; b < op->info.buffer_count; b++) {
        lua_newtable(L);
        set_string(L, "name", op->info.buffers[b].name);
        set_type(L, "type", op->buffer_types[b]);
        set_boolean(L, "is_single", op->info.buffers[b].length == MSW_LENGTH_ONE);
        set_boolean(L, "is_output", op->info.buffers[b].role == MSW_ROLE_OUT);
        set_boolean(L, "is_total", ms_operation_is_total(op, b));
        if (op->key.image && op->output_map && b >= op->first_result && op->info.buffers[b].role == MSW_ROLE_OUT) set_boolean(L, "is_result", 1);
        if (op->info.buffers[b].role == MSW_ROLE_UNIFORM) {
            set_boolean(L, "is_uniform", 1);
            set_integer(L, "first_leaf", op->first_leaves[b]);
        }
        const uint32_t length = op->info.buffers[b].length;
        if (msw_counted_by(length) >= 0) {
            lua_pushfstring(L, "%s%s", length < MSW_LENGTH_REST ? "" : "n - ", op->info.buffers[msw_counted_by(length)].name);
            lua_setfield(L, -2, "count");
        }
        if (msw_is_scattered(length)) set_boolean(L, "is_scattered", 1);
        if (msw_given_by(length) >= 0) {
            lua_pushfstring(L, "%s%s", op->info.buffers[msw_given_by(length)].name, length < MSW_LENGTH_OFFSETS ? "" : " + 1");
            lua_setfield(L, -2, "given");
        }
        if (length >= MSW_LENGTH_FIXED) set_integer(L, "length", length - MSW_LENGTH_FIXED);
        if (ms_operation_has_offsets(op, b)) set_boolean(L, "has_offsets", 1);
        set_boolean(L, "lies_behind", ms_lies_behind(op, b));
        if (ms_is_numbered(op, b)) {
            set_boolean(L, "is_numbered", 1);
            set_integer(L, "first_leaf", op->first_leaves[b]);
        }
        const ms_late_value late = ms_late_value_of(op, b);
        if (late.type) {
            set_type(L, "late", late.type);
            set_integer(L, "late_param", late.param + 1);
            set_integer(L, "late_leaf", late.leaf + 1);
            set_integer(L, "first_leaf", op->first_leaves[b]);
        }
        set_boolean(L, "has_tails", op->has_tails[b]);
        if (op->monoid && op->info.buffers[b].role == MSW_ROLE_OUT && !ms_operation_is_total(op, b)) set_parts(L, op, b);
        if (op->places[b]) set_string(L, "place", op->output->info.leaves[op->places[b] - 1].path);
        lua_rawseti(L, -2, (lua_Integer)b + 1);
    }
    lua_setfield(L, -2, "buffers");
}

static void set_sort(lua_State *L, const ms_operation *op)
{
    lua_newtable(L);
    set_function(L, "image", op->key.image);
    set_function(L, "of_image", op->key.of_image);
    set_integer(L, "bits", op->key.bits);
    lua_setfield(L, -2, "key");
    if (op->value) set_type(L, "value", op->value);
    set_boolean(L, "gives_index", op->gives_index);
    set_function(L, "output_map", op->output_map);
}

static void set_monoid(lua_State *L, const ms_monoid *monoid)
{
    lua_newtable(L);
    set_string(L, "name", monoid->name);
    set_type(L, "type", monoid->type);
    set_value(L, "identity", monoid->type, monoid->identity);
    set_function(L, "combine", monoid->combine);
    set_boolean(L, "commutative", monoid->commutative);
    lua_setfield(L, -2, "monoid");
}

void ms_push_operation(lua_State *L, const ms_operation *op)
{
    lua_newtable(L);
    set_string(L, "name", op->name);
    set_string(L, "title", op->title);
    set_string(L, "kind", ms_operation_kind(op)->name);
    set_buffers(L, op);
    if (op->pipeline) return; /* no kernel is its own */
    set_type(L, "input", op->input);
    set_type(L, "output", op->output);
    set_function(L, "map", op->map);
    set_boolean(L, "has_input_fields", op->has_input_fields);
    set_boolean(L, "has_output_fields", op->has_output_fields);
    set_boolean(L, "is_wide", op->is_wide);
    set_boolean(L, "counts_alone", op->counts_alone);
    set_boolean(L, "packs_early", ms_packs_early(op));
    if (op->near) set_type(L, "near", op->near);
    if (op->uniforms) set_type(L, "uniforms", op->uniforms);
    if (op->key.image) set_sort(L, op);
    if (!op->monoid) return;
    if (op->carry) set_type(L, "carry", op->carry);
    set_function(L, "from_carry", op->from_carry);
    set_function(L, "to_carry", op->to_carry);
    set_function(L, "totals", op->totals);
    set_boolean(L, "reverse", op->reverse);
    set_boolean(L, "is_balanced", ms_operation_is_balanced(op));
    set_boolean(L, "exclusive", op->exclusive);
    set_function(L, "output_map", op->output_map);
    set_value(L, "init", op->monoid->type, op->init);
    set_value(L, "start", op->monoid->type, op->start);
    set_function(L, "continued", op->continued);
    set_integer(L, "continued_output", op->continued_output + 1);
    set_function(L, "item", op->item);
    set_function(L, "reach", op->reach);
    set_function(L, "recount", op->recount);
    set_function(L, "merged", op->merged);
    set_function(L, "count_segments", op->count_segments);
    set_function(L, "empty", op->empty);
    set_function(L, "part", op->part);
    set_function(L, "part_joined", op->part_joined);
    set_function(L, "part_output", op->part_output);
    set_function(L, "part_combine", op->part_combine);
    set_monoid(L, op->monoid);
}

static void set_constants(lua_State *L, const ms_kernel_shape *shape)
{
    lua_newtable(L);
    for (uint32_t c = 0; c < MS_MAX_CONSTANTS && shape->constants[c].name; c++) set_integer(L, shape->constants[c].name, shape->constants[c].value);
    lua_setfield(L, -2, "constants");
}

static void push_shape(lua_State *L, uint32_t backend, const char *entry, const ms_kernel_shape *shape)
{
    const ms_geometry *g = &shape->geometry;
    lua_newtable(L);
    set_string(L, "backend", backend == MSW_BACKEND_HOST ? "simulator" : backend == MSW_BACKEND_CUDA ? "cuda" : "vulkan");
    set_string(L, "entry", entry);
    set_string(L, "template", shape->template_name);
    ms_set_knob_fields(L, g);
    set_string(L, "strategy", shape->strategy); /* this one's; knobs may leave it to the planner */
    set_boolean(L, "has_posts", ms_strategy_has(shape->strategy, MS_LOOKS_BACK | MS_LOOKS_AHEAD));
    set_boolean(L, "takes_room", ms_strategy_has(shape->strategy, MS_TAKES_ROOM));
    set_string(L, "reads", shape->reads);
    set_string(L, "writes", shape->writes);
    set_boolean(L, "dynamic_shared", shape->has_dynamic_shared);
    set_boolean(L, "fallback", shape->has_fallback);
    set_boolean(L, "begins_early", shape->begins_early);
    set_boolean(L, "is_stage", shape->arrays != NULL);
    set_constants(L, shape);
    set_type(L, "word", ms_type_scalar(MSW_U32));
    if (shape->count) set_type(L, "count", ms_type_scalar(shape->count));
    if (shape->index) set_type(L, "index", ms_type_scalar(shape->index));
    lua_pushfstring(L, "monosweep %s, templates/%s.tpl, strategy %s: block %d, subgroup %d, items %d, vector %d", msw_version(), shape->template_name,
                    shape->strategy, (int)g->block, (int)g->subgroup, (int)g->items, (int)g->vector);
    lua_setfield(L, -2, "provenance");
}

typedef struct emission {
    struct msw_program *program;
    const ms_operation *op;
    const msw_target *target;
    const ms_kernel_shape *shapes;
    const ms_program_watcher *watcher; /* or NULL */
    uint32_t order[MSW_MAX_KERNELS];   /* in which texts are made */
    msw_result result;                 /* the watcher's, which has said why */
    msw_diag *diag;
} emission;

/* Of what emit gave, two below the top: a buffer is aligned as the kernel that needs most of it asks. */
static void take_alignments(lua_State *L, const ms_kernel_shape *shape, msw_plan *plan)
{
    lua_getfield(L, -3, "alignments");
    const uint32_t count = shape->arrays ? (uint32_t)MSW_MAX_KERNEL_BUFFERS : plan->buffer_count;
    for (uint32_t b = 0; b < count; b++) {
        const uint32_t array = shape->arrays ? shape->arrays[b] : b;
        lua_rawgeti(L, -1, b + 1);
        const uint32_t bytes = (uint32_t)lua_tointeger(L, -1);
        if (array != MSW_NO_ARRAY && bytes > plan->buffers[array].alignment_bytes) plan->buffers[array].alignment_bytes = bytes;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static int is_of_word(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

/* Lua: (text, table) -> list of the table's values for words of the text, in its order. Comments, to the ends of their lines, have no words. */
static int words_among(lua_State *L)
{
    size_t length;
    lua_Integer count = 0;
    const char *at = luaL_checklstring(L, 1, &length);
    const char *const end = at + length;
    lua_newtable(L);
    while (at < end) {
        const char *word = at;
        while (is_of_word(*at)) at++;
        if (at == word) {
            at = at[0] == '/' && at[1] == '/' ? at + strcspn(at, "\n") : at + 1;
            continue;
        }
        lua_pushlstring(L, word, (size_t)(at - word));
        if (lua_rawget(L, 2) == LUA_TNIL) lua_pop(L, 1);
        else lua_rawseti(L, 3, ++count);
    }
    return 1;
}

/* From the emitting function, the operation and the features, which are on top of the stack, in this order. */
static void emit_kernel(lua_State *L, const emission *e, uint32_t k)
{
    msw_plan_kernel *kernel = &e->program->plan.kernels[k];
    const int emit = lua_gettop(L) - 2;
    lua_pushvalue(L, emit);
    lua_pushvalue(L, emit + 1);
    push_shape(L, e->target->backend, kernel->entry, &e->shapes[k]);
    lua_pushvalue(L, emit + 2);
    lua_pushcfunction(L, words_among);
    lua_call(L, 4, 1);
    lua_getfield(L, -1, "text");
    kernel->text = ms_arena_strdup(&e->program->arena, lua_tostring(L, -1));
    if (!kernel->text) luaL_error(L, "not enough memory");
    lua_getfield(L, -2, "features");
    kernel->features = kernel->subgroup_size > 1 ? MSW_FEATURE_SUBGROUP : 0;
    if (e->target->backend == MSW_BACKEND_VULKAN)
        kernel->features |= e->target->features & MSW_FEATURE_LONG_LOOPS; /* planned as if they were there */
    for (uint32_t f = 0; msw_feature_name(f); f++) {
        lua_getfield(L, -1, msw_feature_name(f));
        if (lua_toboolean(L, -1)) kernel->features |= 1u << f;
        lua_pop(L, 1);
    }
    take_alignments(L, &e->shapes[k], &e->program->plan);
    lua_pop(L, 3);
}

/* Lua: emits every kernel; the argument is an emission. */
static int emit_all(lua_State *L)
{
    emission *e = lua_touserdata(L, 1);
    luaL_openlibs(L);
    lua_gc(L, LUA_GCINC, 1000, 0, 0); /* what is in use may grow tenfold between collections: most states are closed before the next */
    ms_push_file_function(L);
    lua_pushstring(L, "gen/emit/emit.lua");
    lua_call(L, 1, 1);
    const int emit = lua_gettop(L);
    lua_pushnil(L); /* the operation of the kernels that come */
    lua_newtable(L);
    for (uint32_t f = 0; msw_feature_name(f); f++) set_boolean(L, msw_feature_name(f), (e->target->features >> f & 1u) != 0);
    for (uint32_t i = 0; i < e->program->plan.kernel_count; i++) {
        const uint32_t k = e->order[i];
        if (!i || e->shapes[k].op != e->shapes[e->order[i - 1]].op) {
            ms_push_operation(L, e->shapes[k].op ? e->shapes[k].op : e->op);
            lua_replace(L, emit + 1);
        }
        emit_kernel(L, e, k);
        if (e->watcher) e->result = e->watcher->emitted(e->watcher->user, e->program, k, e->diag);
        if (e->result != MSW_OK) return 0;
    }
    return 0;
}

/* Kernels of `first` before others; as the plan has them. */
static void put_in_order(emission *e, uint64_t first)
{
    const uint32_t kernels = e->program->plan.kernel_count;
    uint32_t count = 0;
    for (uint32_t k = 0; k < kernels; k++)
        if (first >> k & 1u) e->order[count++] = k;
    for (uint32_t k = 0; k < kernels; k++)
        if (!(first >> k & 1u)) e->order[count++] = k;
}

/* The error value on top of the stack as a diagnostic. */
static msw_result report(lua_State *L, const emission *e, int status, msw_diag *diag)
{
    if (status == LUA_ERRMEM || e->program->arena.refused) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "emit", NULL, 0, "out of memory");
    if (lua_istable(L, -1)) {
        if (lua_getfield(L, -1, "refused") == LUA_TSTRING)
            return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "emit", e->op->file, e->op->line, "%s: %s", e->op->name, lua_tostring(L, -1));
        lua_pop(L, 1);
        lua_getfield(L, -1, "unsupported");
        lua_getfield(L, -2, "what");
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "emit", e->op->file, e->op->line,
                       "%s: %s lacks %s, which %s needs; choose another device or type", e->op->name,
                       e->target->device[0] ? e->target->device : "the target", lua_tostring(L, -2), lua_tostring(L, -1));
    }
    const char *message = lua_tostring(L, -1);
    return ms_diag(diag, MSW_ERROR_COMPILE, "emit", NULL, 0, "%s: %s", e->op->name, message ? message : "unknown error");
}

msw_result ms_emit(struct msw_program *program, const ms_operation *op, const msw_target *target, const ms_kernel_shape *shapes,
                   const ms_program_watcher *watcher, msw_diag *diag)
{
    emission e = {.program = program, .op = op, .target = target, .shapes = shapes, .watcher = watcher, .diag = diag};
    uint64_t first = 0;
    if (watcher) e.result = watcher->planned(watcher->user, program, &first, diag);
    if (e.result != MSW_OK) return e.result;
    put_in_order(&e, first);
    program->arena.refused = MS_REFUSED_NOTHING;
    lua_State *L = lua_newstate(resize, &program->arena);
    if (!L) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "emit", NULL, 0, "out of memory");
    lua_pushcfunction(L, emit_all);
    lua_pushlightuserdata(L, &e);
    const int status = lua_pcall(L, 1, 0, 0);
    const msw_result result = status == LUA_OK ? e.result : report(L, &e, status, diag);
    lua_close(L);
    return result;
}
