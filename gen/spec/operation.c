/* What an operation is made of. */
#include "spec.h"
#include "choices.h"
#include "diag.h"

uint32_t ms_operation_functions(const ms_operation *op, const ms_function *functions[MS_MAX_FUNCTIONS])
{
    const ms_function *const all[MS_MAX_FUNCTIONS] = {op->monoid ? op->monoid->combine : NULL, op->map, op->output_map};
    uint32_t count = 0;
    for (int i = 0; i < MS_MAX_FUNCTIONS; i++)
        if (all[i]) functions[count++] = all[i];
    return count;
}

const char *ms_operation_sources(const ms_operation *op)
{
    static const char *const names[] = {
        NULL, "map", "combine", "map and combine", "output", "map and output", "combine and output", "map, combine and output"};
    const ms_function *const functions[MS_MAX_FUNCTIONS] = {op->map, op->monoid ? op->monoid->combine : NULL, op->output_map};
    unsigned are_sources = 0;
    for (unsigned i = 0; i < MS_MAX_FUNCTIONS; i++)
        if (functions[i] && !functions[i]->leaves) are_sources |= 1u << i;
    return names[are_sources];
}

/* The operation's bits are the language's to promise: no order of combination rounds, and no function does but as every device. */
int ms_operation_is_promised(const ms_operation *op)
{
    const ms_function *functions[MS_MAX_FUNCTIONS];
    const uint32_t count = ms_operation_functions(op, functions);
    for (uint32_t i = 0; i < count; i++)
        if (op->monoid && functions[i] == op->monoid->combine ? !ms_function_is_bit_exact(functions[i]) : !ms_function_is_promised(functions[i]))
            return 0;
    return 1;
}

msw_result ms_operation_check(const ms_operation *op, msw_diag *diag)
{
    if (!op->is_left_out) return MSW_OK;
    return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "laws", NULL, 0,
                   "the spec was read for another operation, so the laws of '%s' are not tested; name it in msw_spec_desc.op, or none there",
                   op->name);
}

const msw_kind_info *ms_operation_kind(const ms_operation *op) { return &ms_kind_infos[op->kind]; }

int ms_operation_is_per_element(const ms_operation *op)
{
    uint32_t b = 0;
    while (op->info.buffers[b].role == MSW_ROLE_IN) b++;
    return op->info.buffers[b].length == MSW_LENGTH_N;
}
