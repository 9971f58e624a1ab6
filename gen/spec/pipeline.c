/* Pipelines: operations on arrays of each other, one after another. */
#include "diag.h"
#include "kinds.h"
#include "written.h"

#include <lauxlib.h>
#include <string.h>

/* ---- reading ---- */

static void read_arrays(lua_State *L, int index, ms_operation *op, ms_pipeline *pipeline)
{
    lua_getfield(L, index, "arrays");
    pipeline->array_count = (uint32_t)lua_rawlen(L, -1);
    for (uint32_t a = 0; a < pipeline->array_count; a++) {
        lua_rawgeti(L, -1, (lua_Integer)a + 1);
        const int at = lua_gettop(L);
        const uint32_t role = ms_read_count(L, at, "role"), length = ms_read_count(L, at, "length");
        pipeline->arrays[a] =
            (ms_pipeline_array){ms_read_string(L, at, "name", ""), ms_read_pointer(L, at, "type"), length, ms_read_count(L, at, "counted_by")};
        if (role <= MSW_ROLE_UNIFORM) ms_add_buffer(op, pipeline->arrays[a].name, pipeline->arrays[a].type, length, (msw_role)role);
        if (role == MSW_ROLE_OUT && length >= MSW_LENGTH_FIXED) op->info.counters[a] = pipeline->arrays[a].counted_by;
        op->info.most_segments += ms_read_count(L, at, "most_segments"); /* of one array at most */
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void read_stage(lua_State *L, int index, ms_stage *stage)
{
    stage->op = ms_read_pointer(L, index, "handle");
    stage->length = ms_read_count(L, index, "length");
    stage->counted_by = ms_read_count(L, index, "counted_by");
    lua_getfield(L, index, "arrays");
    for (uint32_t b = 0; b < MSW_MAX_KERNEL_BUFFERS; b++) {
        lua_rawgeti(L, -1, (lua_Integer)b + 1);
        const uint32_t array = (uint32_t)lua_tointeger(L, -1);
        stage->arrays[b] = array ? array - 1 : MSW_NO_ARRAY;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void *in_arena(lua_State *L, size_t bytes)
{
    void *block = ms_arena_alloc(&ms_sandbox_of(L)->spec->arena, bytes);
    if (!block) ms_sandbox_no_memory(L);
    return block;
}

/* The field, a list, whose entries are pushed one after the other. */
static uint32_t push_list(lua_State *L, int index, const char *field)
{
    lua_getfield(L, index, field);
    return (uint32_t)lua_rawlen(L, -1);
}

static void read_reference(lua_State *L, int index, ms_stages *reference)
{
    lua_getfield(L, index, "reference");
    const int at = lua_gettop(L);
    reference->array_count = push_list(L, at, "arrays");
    reference->arrays = in_arena(L, (reference->array_count + 1) * sizeof *reference->arrays);
    for (uint32_t a = 0; a < reference->array_count; a++) {
        lua_rawgeti(L, -1, (lua_Integer)a + 1);
        const int array = lua_gettop(L);
        reference->arrays[a] =
            (ms_pipeline_array){"", ms_read_pointer(L, array, "type"), ms_read_count(L, array, "length"), ms_read_count(L, array, "counted_by")};
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    reference->stage_count = push_list(L, at, "stages");
    reference->stages = in_arena(L, (reference->stage_count + 1) * sizeof *reference->stages);
    for (uint32_t s = 0; s < reference->stage_count; s++) {
        lua_rawgeti(L, -1, (lua_Integer)s + 1);
        read_stage(L, lua_gettop(L), &reference->stages[s]);
        lua_pop(L, 1);
    }
    lua_pop(L, 2);
}

/* kernel: of the cut, from 1; 0: the stage is one operation. */
static const char *join_names(lua_State *L, const ms_written *written, uint32_t kernel, const ms_operation *op)
{
    size_t bytes = 1;
    if (!kernel) return op->name;
    const ms_cut_kernel *of = &written->cut.kernels[kernel - 1];
    for (uint32_t o = 0; o < of->operation_count; o++) bytes += strlen(written->stages[of->operations[o]].op->name) + 3;
    char *names = in_arena(L, bytes), *end = names;
    *end = '\0';
    for (uint32_t o = 0; o < of->operation_count; o++) end = stpcpy(stpcpy(end, o ? " + " : ""), written->stages[of->operations[o]].op->name);
    return names;
}

static void read(lua_State *L, int index, ms_operation *op)
{
    ms_pipeline *pipeline = ms_arena_alloc(&ms_sandbox_of(L)->spec->arena, sizeof *pipeline);
    if (!pipeline) ms_sandbox_no_memory(L);
    op->pipeline = pipeline;
    pipeline->written = ms_read_pointer(L, index, "written");
    pipeline->is_remade = ms_read_flag(L, index, "is_remade");
    read_arrays(L, index, op, pipeline);
    lua_getfield(L, index, "stages");
    pipeline->stage_count = (uint32_t)lua_rawlen(L, -1);
    for (uint32_t s = 0; s < pipeline->stage_count; s++) {
        ms_stage *stage = &pipeline->stages[s];
        lua_rawgeti(L, -1, (lua_Integer)s + 1);
        read_stage(L, lua_gettop(L), stage);
        stage->operations = join_names(L, pipeline->written, ms_read_count(L, lua_gettop(L), "kernel"), stage->op);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    op->info.stage_count = pipeline->stage_count;
    read_reference(L, index, &pipeline->reference);
}

/* ---- cutting ---- */

static void read_written_arrays(lua_State *L, int index, ms_written *written)
{
    written->array_count = push_list(L, index, "arrays");
    ms_written_array *arrays = in_arena(L, (written->array_count + 1) * sizeof *arrays);
    for (uint32_t a = 0; a < written->array_count; a++) {
        lua_rawgeti(L, -1, (lua_Integer)a + 1);
        const int at = lua_gettop(L);
        arrays[a] = (ms_written_array){ms_read_string(L, at, "name", ""), ms_read_pointer(L, at, "type"), ms_read_count(L, at, "domain"),
                                       ms_read_count(L, at, "room"), ms_read_flag(L, at, "is_output")};
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    written->arrays = arrays;
}

static void read_written_stage(lua_State *L, int index, ms_written_stage *stage)
{
    *stage = (ms_written_stage){.op = ms_read_pointer(L, index, "handle"),
                                .domain = ms_read_count(L, index, "domain"),
                                .abilities = ms_read_count(L, index, "abilities"),
                                .in_memory = ms_read_count(L, index, "in_memory"),
                                .is_next_part = ms_read_flag(L, index, "is_next_part")};
    push_list(L, index, "arrays");
    for (uint32_t b = 0; b < MSW_MAX_KERNEL_BUFFERS; b++) {
        lua_rawgeti(L, -1, (lua_Integer)b + 1);
        stage->arrays[b] = (uint32_t)lua_tointeger(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* The cut is the same for all devices and n: large n on a large GPU decide it, where bytes count most. */
static void find_cut(lua_State *L, ms_written *written)
{
    static const double elements = 1 << 28;
    ms_arena *arena = &ms_sandbox_of(L)->spec->arena;
    const ms_cut_device device = ms_cut_large_gpu();
    const ms_cut_graph *graph = ms_written_graph(arena, written, elements, &device);
    const ms_cut_rule rule = ms_written_rule(written);
    uint32_t operation;
    if (!graph) ms_sandbox_no_memory(L);
    ms_sandbox_check_time(L);
    ms_sandbox_of(L)->is_cutting = 1;
    const msw_result result = ms_cut_find(arena, graph, &device, &rule, written->method, &written->cut, &operation);
    if (result != MSW_ERROR_OUT_OF_MEMORY) ms_sandbox_check_time(L);
    ms_sandbox_of(L)->is_cutting = 0;
    if (result == MSW_ERROR_OUT_OF_MEMORY) ms_sandbox_no_memory(L);
}

static void push_numbers(lua_State *L, const uint32_t *numbers, uint32_t count)
{
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_pushinteger(L, (lua_Integer)numbers[i] + 1);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

int ms_push_cut(lua_State *L)
{
    ms_written *written = in_arena(L, sizeof *written);
    read_written_arrays(L, 1, written);
    const uint32_t count = push_list(L, 1, "stages");
    if (count > MSW_MAX_STAGES) return luaL_error(L, "pipeline: more than %d operations", MSW_MAX_STAGES); /* the rule has no room for more */
    ms_written_stage *stages = in_arena(L, (count + 1) * sizeof *stages);
    for (uint32_t s = 0; s < count; s++) {
        lua_rawgeti(L, -1, (lua_Integer)s + 1);
        read_written_stage(L, lua_gettop(L), &stages[s]);
        lua_pop(L, 1);
    }
    written->stages = stages;
    written->stage_count = count;
    written->method = lua_toboolean(L, 2) ? (msw_cut_method)ms_sandbox_of(L)->desc->cut : MSW_CUT_UNFUSED;
    find_cut(L, written);
    lua_pushlightuserdata(L, written);
    lua_createtable(L, (int)written->cut.kernel_count, 0);
    for (uint32_t k = 0; k < written->cut.kernel_count; k++) {
        lua_createtable(L, 0, 2);
        push_numbers(L, written->cut.kernels[k].operations, written->cut.kernels[k].operation_count);
        lua_setfield(L, -2, "operations");
        push_numbers(L, written->cut.kernels[k].writes, written->cut.kernels[k].write_count);
        lua_setfield(L, -2, "writes");
        lua_rawseti(L, -2, (lua_Integer)k + 1);
    }
    return 2;
}

/* ---- describing ---- */

static void append_names(ms_text *text, const ms_operation *op, msw_role role, const char *before)
{
    for (uint32_t b = 0; b < op->info.buffer_count; b++) {
        if (op->info.buffers[b].role != (uint32_t)role) continue;
        ms_text_append(text, "%s%s", before, op->info.buffers[b].name);
        before = ", ";
    }
}

static void append_title(ms_text *text, const ms_operation *op)
{
    ms_text_append(text, "pipeline");
    append_names(text, op, MSW_ROLE_IN, " of ");
    append_names(text, op, MSW_ROLE_OUT, " to ");
}

static void append_summary(ms_text *text, const ms_operation *op)
{
    const ms_pipeline *pipeline = op->pipeline;
    append_title(text, op);
    for (uint32_t s = 0; s < pipeline->stage_count; s++) ms_text_append(text, "%s%s", s ? ", " : ": ", pipeline->stages[s].op->word);
}

static void append_json(ms_text *text, const ms_operation *op)
{
    const ms_pipeline *pipeline = op->pipeline;
    ms_text_append(text, ", \"arrays\": [");
    for (uint32_t a = 0; a < pipeline->array_count; a++) {
        ms_text_append(text, "%s{\"name\": \"%s\", ", a ? ", " : "", pipeline->arrays[a].name);
        ms_append_type_json(text, "type", pipeline->arrays[a].type);
        ms_text_append(text, "}");
    }
    ms_text_append(text, "], \"operations\": [");
    for (uint32_t s = 0; s < pipeline->stage_count; s++) {
        const ms_stage *stage = &pipeline->stages[s];
        ms_text_append(text, "%s{\"name\": \"%s\", \"kind\": \"%s\", \"arrays\": {", s ? ", " : "", stage->op->name,
                       ms_operation_kind(stage->op)->name);
        for (uint32_t b = 0, count = 0; b < stage->op->info.buffer_count; b++) {
            if (stage->arrays[b] == MSW_NO_ARRAY) continue;
            ms_text_append(text, "%s\"%s\": \"%s\"", count++ ? ", " : "", stage->op->info.buffers[b].name, pipeline->arrays[stage->arrays[b]].name);
        }
        ms_text_append(text, "}}");
    }
    ms_text_append(text, "]");
}

/* ---- evaluating ---- */

/* What is evaluated: the operations as they were written, or as they are launched, and arrays: the caller's, or made for it. */
typedef struct held_arrays {
    const ms_stages *stages;
    void **at;
    uint64_t *bytes;
    void *given[MSW_MAX_BUFFERS]; /* outputs of the caller that are made first, since they may be inputs */
} held_arrays;

/* Those that are made are zero. */
static int hold_arrays(const ms_evaluation *e, const ms_stages *stages, held_arrays *held)
{
    const ms_operation *op = e->op;
    uint32_t input = 0, output = 0;
    *held = (held_arrays){.stages = stages,
                          .at = ms_arena_alloc(e->arena, (stages->array_count + 1) * sizeof *held->at),
                          .bytes = ms_arena_alloc(e->arena, (stages->array_count + 1) * sizeof *held->bytes)};
    if (!held->at || !held->bytes) return 0;
    for (uint32_t a = 0; a < stages->array_count; a++) {
        const ms_pipeline_array *array = &stages->arrays[a];
        const uint64_t length = msw_elements(array->length, e->n);
        if (a < op->info.buffer_count && op->info.buffers[a].role != MSW_ROLE_OUT) {
            held->at[a] = (void *)(uintptr_t)e->inputs[input++];
            continue;
        }
        if (a < op->info.buffer_count) held->given[a] = e->outputs[output++];
        if (length > SIZE_MAX / array->type->info.size_bytes - 1) return 0;
        held->bytes[a] = length * array->type->info.size_bytes;
        held->at[a] = ms_arena_alloc(e->arena, (size_t)held->bytes[a] + 1);
        if (!held->at[a]) return 0;
        memset(held->at[a], 0, (size_t)held->bytes[a]);
    }
    return 1;
}

static uint64_t counted(const held_arrays *held, uint32_t counted_by, uint64_t n)
{
    uint64_t count = n;
    if (counted_by) memcpy(&count, held->at[counted_by - 1], sizeof count);
    return count < n ? count : n;
}

static msw_result run_stage(const ms_evaluation *e, const ms_stage *stage, const held_arrays *held, msw_diag *diag)
{
    const ms_operation *op = stage->op;
    const void *inputs[MSW_MAX_KERNEL_BUFFERS];
    void *outputs[MSW_MAX_KERNEL_BUFFERS];
    uint32_t input = 0, output = 0;
    for (uint32_t b = 0; b < op->info.buffer_count; b++) {
        void *array = stage->arrays[b] == MSW_NO_ARRAY ? NULL : held->at[stage->arrays[b]];
        if (op->info.buffers[b].role == MSW_ROLE_OUT) outputs[output++] = array;
        else inputs[input++] = array;
    }
    const uint64_t n = counted(held, stage->counted_by, msw_elements(stage->length, e->n));
    return e->run(op, &e->arena->allocator, n, inputs, outputs, NULL, NULL, e->floats, diag);
}

static msw_result run_stages(const ms_evaluation *e, const ms_stages *stages, held_arrays *held)
{
    if (!hold_arrays(e, stages, held)) return MSW_ERROR_OUT_OF_MEMORY;
    for (uint32_t s = 0; s < stages->stage_count; s++) {
        const msw_result result = run_stage(e, &stages->stages[s], held, e->diag);
        if (result) return result;
    }
    return MSW_OK;
}

/* Bytes of the caller's array that mean something. */
static size_t meant_bytes(const ms_evaluation *e, const held_arrays *held, uint32_t a)
{
    const ms_pipeline_array *array = &held->stages->arrays[a];
    const uint64_t count = msw_counted_by(array->length) < 0 ? msw_elements(array->length, e->n)
                                                             : msw_counted_elements(array->length, e->n, counted(held, array->counted_by, e->n));
    return (size_t)(count * array->type->info.size_bytes);
}

/* The last segment that there is room for would have the elements of all that follow it. */
static msw_result check_segments(const ms_evaluation *e)
{
    const msw_op_info *info = &e->op->info;
    const void *at[MSW_MAX_BUFFERS] = {NULL};
    for (uint32_t b = 0, input = 0; b < info->buffer_count; b++)
        if (info->buffers[b].role != MSW_ROLE_OUT) at[b] = e->inputs[input++];
    for (uint32_t b = 0; b < info->buffer_count; b++) {
        const uint32_t by = (uint32_t)msw_given_by(info->buffers[b].length);
        uint64_t count;
        if (info->buffers[b].length < MSW_LENGTH_OFFSETS || by >= info->buffer_count) continue;
        memcpy(&count, at[by], sizeof count);
        if (count <= info->most_segments) continue;
        return ms_diag(e->diag, MSW_ERROR_INVALID_ARGUMENT, "oracle", e->op->file, e->op->line,
                       "%s: '%s' has %llu segments, but the spec says that there are at most %u; raise segments of p.input(\"%s\", ..)", e->op->name,
                       info->buffers[b].name, (unsigned long long)count, info->most_segments, info->buffers[b].name);
    }
    return MSW_OK;
}

/* Where the cut has made operations anew, these must return the same bits, on the host. Devices' results are compared with them stage by stage where
 * they are rounded, which would not show a fault of what made them. */
static msw_result compare_launched(const ms_evaluation *e, const held_arrays *reference)
{
    const ms_pipeline *pipeline = e->op->pipeline;
    const ms_stages launched = {(ms_pipeline_array *)(uintptr_t)pipeline->arrays, (ms_stage *)(uintptr_t)pipeline->stages, pipeline->array_count,
                                pipeline->stage_count};
    held_arrays held;
    const msw_result result = run_stages(e, &launched, &held);
    if (result) return result;
    for (uint32_t a = 0; a < e->op->info.buffer_count; a++) {
        if (e->op->info.buffers[a].role != MSW_ROLE_OUT) continue;
        const size_t bytes = meant_bytes(e, reference, a);
        if (meant_bytes(e, &held, a) == bytes && !memcmp(held.at[a], reference->at[a], bytes)) continue;
        return ms_diag(e->diag, MSW_ERROR_COMPILE, "oracle", e->op->file, e->op->line,
                       "%s: fused, '%s' is not what the operations return as they are written; write fuse = false, and tell us", e->op->name,
                       e->op->info.buffers[a].name);
    }
    return MSW_OK;
}

static msw_result evaluate(const ms_evaluation *e)
{
    held_arrays held;
    msw_result result = check_segments(e);
    if (!result) result = run_stages(e, &e->op->pipeline->reference, &held);
    if (!result && e->op->pipeline->is_remade) result = compare_launched(e, &held);
    for (uint32_t a = 0; !result && a < e->op->info.buffer_count; a++)
        if (held.given[a]) memcpy(held.given[a], held.at[a], meant_bytes(e, &held, a));
    return result;
}

const ms_kind ms_pipeline_kind = {read, append_title, append_summary, append_json, evaluate};
