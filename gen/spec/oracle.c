/* The oracle: an operation's meaning, one element after another in memory order. */
#include "diag.h"
#include "kinds.h"

#include <string.h>

/* The function of the operation that only a device can run; NULL: none. */
static const ms_function *without_host(const ms_operation *op)
{
    const ms_function *functions[MS_MAX_FUNCTIONS];
    const uint32_t count = ms_operation_functions(op, functions);
    for (uint32_t i = 0; i < count; i++)
        if (!functions[i]->leaves && !functions[i]->host) return functions[i];
    return NULL;
}

msw_result ms_oracle_failure(const ms_operation *op, msw_diag *diag)
{
    const ms_function *functions[MS_MAX_FUNCTIONS];
    const uint32_t count = ms_operation_functions(op, functions);
    for (uint32_t i = 0; i < count; i++) {
        const ms_host_error *error = functions[i]->host_error;
        if (error && error->text[0])
            return ms_diag(diag, error->is_memory ? MSW_ERROR_OUT_OF_MEMORY : MSW_ERROR_SPEC, "oracle", op->file, error->line, "%s", error->text);
    }
    return ms_diag(diag, MSW_ERROR_SPEC, "oracle", op->file, op->line, "%s: a host function failed; correct it", op->name);
}

msw_result ms_oracle_check(const ms_operation *op, uint64_t n, int has_carry, msw_diag *diag)
{
    for (uint32_t p = 0; op->pipeline && p < ms_operation_part_count(op); p++) {
        const msw_result result = ms_oracle_check(ms_operation_part_of(op, p), n, 0, diag);
        if (result) return result;
    }
    const ms_function *opaque = without_host(op);
    if (opaque)
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "oracle", op->file, op->line,
                       "%s: %s is a source without a host function, so there is nothing to compute or verify with; "
                       "add host = function(..) .. end",
                       op->name, opaque->name);
    if (has_carry && !op->carry)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "oracle", NULL, 0, "%s: %s has no carry; leave carry_in and carry_out NULL", op->name,
                       ms_operation_kind(op)->noun);
    if (op->gives_index && op->value->scalar == MSW_U32 && n > UINT64_C(1) << 32)
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "oracle", op->file, op->line,
                       "%s: u32 holds no index of more than 2^32 elements; add index = u64", op->name);
    return MSW_OK;
}

static msw_result run(ms_evaluation e, const msw_allocator *allocator, ms_floats floats, msw_diag *diag)
{
    const ms_operation *op = e.op;
    ms_arena arena;
    msw_result result = ms_oracle_check(op, e.n, e.carry_in || e.carry_out, diag);
    if (result) return result;
    ms_arena_init(&arena, allocator, 0);
    e.arena = &arena;
    e.run = ms_oracle_run;
    e.floats = floats;
    e.diag = diag;
    ms_operation bound = *op;
    e.op = &bound;
    if (op->wide && e.n >= MS_NOWHERE) ms_operation_widen(&bound);
    if (op->uniforms && !ms_operation_bind(&bound, e.inputs + ms_operation_count(op, MSW_ROLE_IN), &arena)) {
        ms_arena_free(&arena);
        return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "oracle", NULL, 0, "out of memory");
    }
    static const ms_push_rule rules[] = {MS_PUSH_NONE, MS_PUSH_NAN, MS_PUSH_UP}; /* UP pushes functions alone here; of promised ones there is none */
    ms_push push = {.rule = rules[floats], .is_loose = floats == MS_FLOATS_FLUSHED, .random = 1};
    e.push = &push;
    result = ms_kinds[op->kind]->evaluate(&e);
    if (result == MSW_ERROR_OUT_OF_MEMORY) ms_diag(diag, result, "oracle", NULL, 0, "out of memory");
    else if (result && !op->pipeline) result = ms_oracle_failure(op, diag);
    ms_arena_free(&arena);
    return result ? result : ms_diag(diag, MSW_OK, "", NULL, 0, "%s", "");
}

msw_result ms_oracle_run(const ms_operation *op, const msw_allocator *allocator, uint64_t n, const void *const *inputs, void *const *outputs,
                         const void *carry_in, void *carry_out, ms_floats floats, msw_diag *diag)
{
    const ms_evaluation e = {.op = op, .n = n, .inputs = inputs, .outputs = outputs, .carry_in = carry_in, .carry_out = carry_out};
    return run(e, allocator, floats, diag);
}

msw_result ms_oracle_run_records(const ms_operation *op, const msw_allocator *allocator, uint64_t n, const void *input, void *output,
                                 ms_floats floats, msw_diag *diag)
{
    const ms_evaluation e = {.op = op, .n = n, .inputs = &input, .outputs = &output, .has_records = 1};
    return run(e, allocator, floats, diag);
}
