/* The oracle: an operation's meaning, one element after another in memory order. */
#include "diag.h"
#include "spec.h"

#include <string.h>

typedef struct oracle {
    const ms_operation *op;
    ms_eval *combine, *map, *output;
    ms_push push;                     /* of NaN's bits, or none */
    uint64_t s[MS_MAX_ELEMENT_BYTES]; /* the prefix */
} oracle;

static int step(oracle *o, uint64_t *input, uint64_t i)
{
    uint64_t mapped[MS_MAX_ELEMENT_BYTES], joined[MS_MAX_ELEMENT_BYTES];
    const uint64_t *x = input;
    if (o->map) {
        const uint64_t *args[2] = {input, &i};
        if (ms_eval_run_pushed(o->map, &o->push, args, mapped)) return -1;
        x = mapped;
    }
    const uint64_t *args[2] = {o->op->reverse ? x : o->s, o->op->reverse ? o->s : x};
    if (ms_eval_run_pushed(o->combine, &o->push, args, joined)) return -1;
    memcpy(o->s, joined, o->op->monoid->type->info.leaf_count * sizeof *joined);
    return 0;
}

static int write_output(oracle *o, const uint64_t *s, const uint64_t *x, uint64_t i, void *memory)
{
    uint64_t made[MS_MAX_ELEMENT_BYTES];
    const uint64_t *result = s;
    if (o->output) {
        const uint64_t *args[3] = {s, x, &i};
        if (ms_eval_run_pushed(o->output, &o->push, args, made)) return -1;
        result = made;
    }
    ms_leaves_store(o->op->output, memory, result, 0);
    return 0;
}

static int run(oracle *o, uint64_t n, const unsigned char *in, unsigned char *out)
{
    const ms_operation *op = o->op;
    const int scan = op->kind == MSW_OP_SCAN;
    for (uint64_t k = 0; k < n; k++) {
        const uint64_t i = op->reverse ? n - 1 - k : k;
        uint64_t x[MS_MAX_ELEMENT_BYTES], before[MS_MAX_ELEMENT_BYTES];
        ms_leaves_load(op->input, in + i * op->input->info.size_bytes, x, 0);
        memcpy(before, o->s, sizeof before);
        if (step(o, x, i)) return -1;
        if (scan && out && write_output(o, op->exclusive ? before : o->s, x, i, out + i * op->output->info.size_bytes)) return -1;
    }
    return !scan && out ? write_output(o, o->s, NULL, 0, out) : 0;
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

static int prepare_fold(oracle *o, ms_arena *arena, const void *carry_in)
{
    const ms_operation *op = o->op;
    o->combine = ms_eval_create(arena, op->monoid->combine, 0);
    o->map = op->map ? ms_eval_create(arena, op->map, 0) : NULL;
    o->output = op->output_map ? ms_eval_create(arena, op->output_map, 0) : NULL;
    ms_leaves_load(op->monoid->type, carry_in ? carry_in : op->init ? op->init : op->monoid->identity, o->s, 0);
    return o->combine && (o->map || !op->map) && (o->output || !op->output_map);
}

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

static msw_result fold(oracle *o, ms_arena *arena, uint64_t n, const void *const *inputs, void *const *outputs, const void *carry_in, void *carry_out)
{
    if (!prepare_fold(o, arena, carry_in)) return MSW_ERROR_OUT_OF_MEMORY;
    if (run(o, n, inputs[0], outputs[0])) return MSW_ERROR_SPEC;
    if (carry_out) ms_leaves_store(o->op->monoid->type, carry_out, o->s, 0);
    return MSW_OK;
}

msw_result ms_oracle_check(const ms_operation *op, uint64_t n, int has_carry, msw_diag *diag)
{
    const ms_function *opaque = without_host(op);
    if (opaque)
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "oracle", op->file, op->line,
                       "%s: %s is a source without a host function, so there is nothing to compute or verify with; "
                       "add host = function(..) .. end",
                       op->name, opaque->name);
    if (has_carry && !op->monoid)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "oracle", NULL, 0, "%s: a sort has no carry; leave carry_in and carry_out NULL", op->name);
    if (op->gives_index && op->value->scalar == MSW_U32 && n > UINT64_C(1) << 32)
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "oracle", op->file, op->line,
                       "%s: u32 holds no index of more than 2^32 elements; add index = u64", op->name);
    return MSW_OK;
}

msw_result ms_oracle_run(const ms_operation *op, const msw_allocator *allocator, uint64_t n, const void *const *inputs, void *const *outputs,
                         const void *carry_in, void *carry_out, ms_nan_bits nans, msw_diag *diag)
{
    ms_arena arena;
    msw_result result = ms_oracle_check(op, n, carry_in || carry_out, diag);
    if (result) return result;
    ms_arena_init(&arena, allocator, 0);
    static const ms_push_rule rules[] = {MS_PUSH_NONE, MS_PUSH_NAN, MS_PUSH_UP}; /* UP pushes functions alone here; of promised ones there is none */
    oracle o = {.op = op, .push = {.rule = rules[nans], .is_loose = nans == MS_NAN_FLUSHED, .random = 1}};
    result =
        op->kind == MSW_OP_SORT ? ms_sort_run(op, &arena, n, inputs, outputs, &o.push) : fold(&o, &arena, n, inputs, outputs, carry_in, carry_out);
    if (result == MSW_ERROR_OUT_OF_MEMORY) ms_diag(diag, result, "oracle", NULL, 0, "out of memory");
    else if (result) result = ms_oracle_failure(op, diag);
    ms_arena_free(&arena);
    return result ? result : ms_diag(diag, MSW_OK, "", NULL, 0, "%s", "");
}
