/* What the kinds of operations are read and written with: fields of the records that the vocabulary made, buffers, types. */
#include "kinds.h"

#include <lua.h>

const char *ms_read_string(lua_State *L, int index, const char *field, const char *otherwise)
{
    ms_arena *arena = &ms_sandbox_of(L)->spec->arena;
    const char *text = lua_getfield(L, index, field) == LUA_TSTRING ? lua_tostring(L, -1) : otherwise;
    char *copy = ms_arena_strdup(arena, text);
    lua_pop(L, 1);
    if (!copy) ms_sandbox_no_memory(L);
    return copy;
}

int ms_read_flag(lua_State *L, int index, const char *field)
{
    lua_getfield(L, index, field);
    const int value = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}

uint32_t ms_read_count(lua_State *L, int index, const char *field)
{
    lua_getfield(L, index, field);
    const uint32_t value = (uint32_t)lua_tointeger(L, -1);
    lua_pop(L, 1);
    return value;
}

void *ms_read_pointer(lua_State *L, int index, const char *field)
{
    lua_getfield(L, index, field);
    void *value = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return value;
}

/* The integers of a list, no more than there can be buffers; returns how many there are, 0 where there is no list. */
static uint32_t read_list(lua_State *L, int index, const char *field, lua_Integer list[MSW_MAX_BUFFERS])
{
    uint32_t count = 0;
    if (lua_getfield(L, index, field) == LUA_TTABLE) count = (uint32_t)lua_rawlen(L, -1);
    for (uint32_t i = 0; i < count && i < MSW_MAX_BUFFERS; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        list[i] = lua_tointeger(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return count;
}

void ms_add_buffer(ms_operation *op, const char *name, const ms_type *type, uint32_t length, msw_role role)
{
    op->buffer_types[op->info.buffer_count] = type;
    op->info.buffers[op->info.buffer_count++] = (msw_op_buffer){name, type->info, length, (uint32_t)role};
}

void ms_add_arrays(lua_State *L, int index, ms_operation *op, const char *name, const ms_type *type, msw_length length, msw_role role)
{
    int *has_fields = role == MSW_ROLE_IN ? &op->has_input_fields : &op->has_output_fields;
    *has_fields = ms_read_flag(L, index, role == MSW_ROLE_IN ? "has_input_fields" : "has_output_fields");
    if (!*has_fields) ms_add_buffer(op, name, type, length, role);
    lua_Integer places[MSW_MAX_BUFFERS] = {0}, counts[MSW_MAX_BUFFERS] = {0}, lengths[MSW_MAX_BUFFERS] = {0}, tails[MSW_MAX_BUFFERS] = {0};
    lua_Integer given[MSW_MAX_BUFFERS] = {0};
    const uint32_t placed = role == MSW_ROLE_OUT ? read_list(L, index, "places", places) : 0, first = op->info.buffer_count;
    const uint32_t count = placed ? placed : type->field_count; /* fields behind them are places */
    if (placed) read_list(L, index, "count_of", counts);
    if (placed) read_list(L, index, "lengths", lengths);
    if (placed) read_list(L, index, "tails", tails);
    if (placed) read_list(L, index, "given", given);
    const ms_type *offsets = role == MSW_ROLE_IN ? ms_read_pointer(L, index, "offsets") : NULL; /* the last field has what they say */
    for (uint32_t f = 0, leaf = 0; *has_fields && f < count; f++) {
        const uint32_t base = counts[f] < 0 ? MSW_LENGTH_REST : MSW_LENGTH_COUNTED, number = (uint32_t)(counts[f] < 0 ? -counts[f] : counts[f]);
        const uint32_t length_of_it = given[f]         ? MSW_LENGTH_GIVEN + (uint32_t)given[f] - 1 /* of the uniforms: ms_add_uniforms */
                                      : number         ? base + first + count + number - 1
                                      : !lengths[f]    ? (uint32_t)length
                                      : lengths[f] < 0 ? (uint32_t)MSW_LENGTH_SCATTERED
                                                       : MSW_LENGTH_FIXED + (uint32_t)lengths[f];
        op->first_leaves[op->info.buffer_count] = leaf;
        op->places[op->info.buffer_count] = (uint32_t)places[f];
        op->has_tails[op->info.buffer_count] = tails[f] != 0;
        ms_add_buffer(op, type->fields[f].name, type->fields[f].type, length_of_it, role);
        leaf += type->fields[f].type->info.leaf_count;
    }
    if (!offsets) return;
    op->segments = op->info.buffer_count--;
    ms_add_buffer(op, type->fields[count - 1].name, offsets, MSW_LENGTH_OFFSETS + ms_read_count(L, index, "segments_given") - 1, role);
}

void ms_add_totals(ms_operation *op)
{
    const ms_type *type = op->totals->result;
    for (uint32_t f = 0; f < type->field_count; f++) {
        op->first_leaves[op->info.buffer_count] = f;
        ms_add_buffer(op, type->fields[f].name, type->fields[f].type, MSW_LENGTH_ONE, MSW_ROLE_OUT);
    }
}

void ms_add_uniforms(lua_State *L, int index, ms_operation *op)
{
    lua_Integer leaves[MSW_MAX_BUFFERS] = {0};
    op->uniforms = ms_read_pointer(L, index, "uniforms");
    const uint32_t count = read_list(L, index, "uniform_leaves", leaves), first = op->info.buffer_count;
    for (uint32_t b = 0; count && b < first; b++) /* a pipeline's say it already */
        if (msw_given_by(op->info.buffers[b].length) >= 0) op->info.buffers[b].length += first;
    for (uint32_t f = 0; f < count; f++) {
        op->first_leaves[op->info.buffer_count] = (uint32_t)leaves[f];
        ms_add_buffer(op, op->uniforms->fields[f].name, op->uniforms->fields[f].type, MSW_LENGTH_ONE, MSW_ROLE_UNIFORM);
    }
}

void ms_append_arrays(ms_text *text, const ms_operation *op, msw_role role)
{
    const char *between = "";
    const int has_fields = role == MSW_ROLE_IN ? op->has_input_fields : op->has_output_fields;
    if (!has_fields) ms_text_append(text, "%s", (role == MSW_ROLE_IN ? op->input : op->output)->info.name);
    for (uint32_t b = 0; has_fields && b < op->info.buffer_count; b++) {
        if (op->info.buffers[b].role != role) continue;
        ms_text_append(text, "%s%s", between, op->info.buffers[b].name);
        between = ", ";
    }
    if (has_fields && !*between) ms_text_append(text, "generated elements");
}

void ms_append_type_json(ms_text *text, const char *field, const ms_type *type)
{
    ms_text_append(text, "\"%s\": {\"name\": \"%s\", \"size_bytes\": %u, \"leaves\": [", field, type->info.name, type->info.size_bytes);
    for (uint32_t i = 0; i < type->info.leaf_count; i++) {
        const msw_leaf *leaf = &type->info.leaves[i];
        ms_text_append(text, "%s{\"path\": \"%s\", \"scalar\": \"%s\", \"offset_bytes\": %u}", i ? ", " : "", leaf->path,
                       ms_scalar_name(leaf->scalar), leaf->offset_bytes);
    }
    ms_text_append(text, "]}");
}
