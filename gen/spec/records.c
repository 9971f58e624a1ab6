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

void *ms_read_pointer(lua_State *L, int index, const char *field)
{
    lua_getfield(L, index, field);
    void *value = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return value;
}

void ms_add_buffer(ms_operation *op, const char *name, const ms_type *type, msw_length length, msw_role role)
{
    op->buffer_types[op->info.buffer_count] = type;
    op->info.buffers[op->info.buffer_count++] = (msw_op_buffer){name, type->info, (uint32_t)length, (uint32_t)role};
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
