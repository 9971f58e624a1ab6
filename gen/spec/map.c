/* Maps: each output element is made of the input element in its place. */
#include "kinds.h"

static void read(lua_State *L, int index, ms_operation *op)
{
    (void)L, (void)index;
    op->info.carry.name = "";
    ms_add_buffer(op, "in", op->input, MSW_LENGTH_N, MSW_ROLE_IN);
    ms_add_buffer(op, "out", op->output, MSW_LENGTH_N, MSW_ROLE_OUT);
}

static void append_title(ms_text *text, const ms_operation *op)
{
    ms_text_append(text, "map of %s to %s", op->input->info.name, op->output->info.name);
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
    const unsigned char *in = e->inputs[0];
    unsigned char *out = e->outputs[0];
    ms_eval *map = ms_eval_create(e->arena, op->map, 0);
    if (!map) return MSW_ERROR_OUT_OF_MEMORY;
    for (uint64_t i = 0; out && i < e->n; i++) {
        uint64_t x[MS_MAX_ELEMENT_BYTES], made[MS_MAX_ELEMENT_BYTES];
        const uint64_t *args[2] = {x, &i};
        ms_leaves_load(op->input, in + i * op->input->info.size_bytes, x, 0);
        if (ms_eval_run_pushed(map, e->push, args, made)) return MSW_ERROR_SPEC;
        ms_leaves_store(op->output, out + i * op->output->info.size_bytes, made, 0);
    }
    return MSW_OK;
}

const ms_kind ms_map_kind = {read, append_title, append_title, append_json, evaluate};
