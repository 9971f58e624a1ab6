/* Maps: each output element is made of the input element in its place. */
#include "kinds.h"

static void read(lua_State *L, int index, ms_operation *op)
{
    ms_add_arrays(L, index, op, "in", op->input, MSW_LENGTH_N, MSW_ROLE_IN);
    ms_add_arrays(L, index, op, "out", op->output, MSW_LENGTH_N, MSW_ROLE_OUT);
    ms_read_wide(L, index, op);
    if (op->map->param_count > 2) op->near = op->map->params[2].type;
}

static void append_title(ms_text *text, const ms_operation *op)
{
    ms_text_append(text, "map of ");
    ms_append_arrays(text, op, MSW_ROLE_IN);
    ms_text_append(text, " to ");
    ms_append_arrays(text, op, MSW_ROLE_OUT);
}

static void append_json(ms_text *text, const ms_operation *op)
{
    ms_text_append(text, ", ");
    ms_append_type_json(text, "input", op->input);
    ms_text_append(text, ", ");
    ms_append_type_json(text, "output", op->output);
}

static msw_result evaluate(const ms_evaluation *e)
{
    const ms_operation *op = e->op;
    ms_eval *map = ms_eval_create(e->arena, op->map, 0);
    ms_item item;
    if (!map) return MSW_ERROR_OUT_OF_MEMORY;
    for (uint64_t i = 0; i < e->n; i++) {
        uint64_t made[MS_MAX_ELEMENT_BYTES];
        const uint64_t *args[3] = {item.x, &item.i, item.near};
        ms_evaluation_load(e, i, &item);
        if (ms_eval_run_pushed(map, e->push, args, made)) return MSW_ERROR_SPEC;
        ms_evaluation_store(e, i, made);
    }
    return MSW_OK;
}

const ms_kind ms_map_kind = {read, append_title, append_title, append_json, evaluate};
