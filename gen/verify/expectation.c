/* What is expected of a device for a user's data: bits, or bounds. */
#include "verification.h"
#include "gather.h"
#include "c_locale.h"
#include "diag.h"

#include <string.h>

msw_result ms_verify_no_memory(msw_diag *diag) { return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "verify", NULL, 0, "out of memory"); }

int ms_has_rounded_states(const ms_operation *op) { return op->monoid && !op->item; }

int ms_has_function_that(const ms_operation *op, ms_arena *arena, int (*holds)(const ms_function *, ms_arena *))
{
    for (uint32_t p = 0; p < ms_operation_part_count(op); p++) {
        const ms_function *functions[MS_MAX_FUNCTIONS];
        const uint32_t count = ms_operation_functions(ms_operation_part_of(op, p), functions);
        for (uint32_t i = 0; i < count; i++)
            if (holds(functions[i], arena)) return 1;
    }
    return 0;
}

const msw_op_buffer *ms_verified_output(const ms_operation *op, uint32_t output, uint32_t *index)
{
    uint32_t b = 0;
    while (op->info.buffers[b].role == MSW_ROLE_IN) b++;
    if (index) *index = b + output;
    return &op->info.buffers[b + output];
}

uint32_t ms_verified_output_count(const ms_operation *op)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < op->info.buffer_count; b++) count += op->info.buffers[b].role == MSW_ROLE_OUT;
    return count;
}

int ms_is_verified_total(const msw_verification *v, uint32_t output)
{
    uint32_t b;
    ms_verified_output(v->op, output, &b);
    return ms_operation_is_total(v->op, b);
}

uint64_t ms_expected_elements(const msw_verification *v, uint32_t output)
{
    uint32_t first;
    uint64_t count;
    uint32_t b;
    const uint32_t length = ms_verified_output(v->op, output, &b)->length;
    if (msw_counted_by(length) < 0) return ms_operation_elements(v->op, b, v->n);
    ms_verified_output(v->op, 0, &first);
    memcpy(&count, v->expected[(uint32_t)msw_counted_by(length) - first], sizeof count);
    return msw_counted_elements(length, v->n, count);
}

/* only_totals: the other outputs are judged by bounds. */
static msw_result evaluate(msw_verification *v, uint64_t n, const void *const *inputs, int only_totals, ms_floats floats, void **outputs,
                           msw_diag *diag)
{
    for (uint32_t o = 0; o < ms_verified_output_count(v->op); o++) {
        uint32_t b;
        const msw_op_buffer *buffer = ms_verified_output(v->op, o, &b);
        outputs[o] = NULL;
        if ((only_totals && !ms_is_verified_total(v, o)) || ms_is_scattered(v->op, b)) continue; /* these are judged by records */
        outputs[o] = ms_arena_alloc(&v->data, ms_operation_elements(v->op, b, n) * buffer->type.size_bytes);
        if (!outputs[o]) return ms_verify_no_memory(diag);
    }
    return ms_oracle_run(v->op, &v->allocator, n, inputs, outputs, NULL, NULL, floats, diag);
}

/* Where outputs are scattered: what each element makes, and where that goes. */
static msw_result evaluate_records(msw_verification *v, uint64_t n, const void *const *inputs, ms_floats floats, msw_diag *diag)
{
    const void *input = n ? ms_operation_gather_inputs(v->op, inputs, n, &v->data) : NULL;
    void *made = ms_arena_alloc(&v->data, (size_t)n * v->op->output->info.size_bytes + 1);
    v->records[floats] = made;
    return (n && !input) || !made ? ms_verify_no_memory(diag) : ms_oracle_run_records(v->op, &v->allocator, n, input, made, floats, diag);
}

static msw_result evaluate_all(msw_verification *v, uint64_t n, const void *const *inputs, ms_floats floats, void **outputs, msw_diag *diag)
{
    const msw_result result = evaluate(v, n, inputs, 0, floats, outputs, diag);
    return result || !ms_has_scattered(v->op) ? result : evaluate_records(v, n, inputs, floats, diag);
}

/* 1: bits of NaN may reach integers, or the order of a sort. */
static int reads_bits(msw_verification *v)
{
    for (uint32_t p = 0; p < ms_operation_part_count(v->op); p++) {
        const ms_operation *part = ms_operation_part_of(v->op, p);
        if (part->key.image && (part->map || part != v->op) && ms_function_reads_bits(part->key.image, &v->data)) return 1;
    }
    return ms_has_function_that(v->op, &v->data, ms_function_reads_bits);
}

/* 1: subnormal numbers may be computed with, on a device that may take them for zeros. */
static int may_flush(const msw_verification *v)
{
    int has_floats = 0;
    for (uint32_t p = 0; p < ms_operation_part_count(v->op); p++) {
        const ms_function *functions[MS_MAX_FUNCTIONS];
        const uint32_t count = ms_operation_functions(ms_operation_part_of(v->op, p), functions);
        for (uint32_t i = 0; i < count; i++) has_floats |= functions[i]->leaves && ms_function_joins_floats(functions[i]);
    }
    return v->is_loose && has_floats;
}

static msw_result expect_bits(msw_verification *v, uint64_t n, const void *const *inputs, msw_diag *diag)
{
    memset(v->other, 0, sizeof v->other);
    memset(v->flushed, 0, sizeof v->flushed);
    memset(v->records, 0, sizeof v->records);
    msw_result result = evaluate_all(v, n, inputs, MS_FLOATS_AS_PROMISED, v->expected, diag);
    if (!result && v->is_bitwise && may_flush(v)) result = evaluate_all(v, n, inputs, MS_FLOATS_FLUSHED, v->flushed, diag);
    return result || !v->is_bitwise || !reads_bits(v) ? result : evaluate_all(v, n, inputs, MS_FLOATS_OTHER_NAN, v->other, diag);
}

/* Of an append in any order: a copy of the input, of which its items are made again. */
static msw_result keep_input(msw_verification *v, uint64_t n, const void *const *inputs, msw_diag *diag)
{
    const size_t bytes = (size_t)n * v->op->input->info.size_bytes;
    void *input = ms_arena_alloc(&v->data, bytes + 1);
    const void *gathered = n && input ? ms_operation_gather_inputs(v->op, inputs, n, &v->data) : NULL;
    if (!input || (n && !gathered)) return ms_verify_no_memory(diag);
    if (n) memcpy(input, gathered, bytes);
    v->input = input;
    return MSW_OK;
}

static msw_result expect_sort(msw_verification *v, uint64_t n, const void *const *inputs, msw_diag *diag)
{
    const size_t bytes = (size_t)n * v->op->input->info.size_bytes;
    void *input = ms_arena_alloc(&v->data, bytes);
    if (!input) return ms_verify_no_memory(diag);
    if (bytes) memcpy(input, inputs[0], bytes);
    v->input = input;
    return expect_bits(v, n, inputs, diag);
}

static msw_result expect_bounds(msw_verification *v, uint64_t n, const void *const *inputs, msw_diag *diag)
{
    const void *input = n ? ms_operation_gather_inputs(v->op, inputs, n, &v->data) : NULL;
    if (n && !input) return ms_verify_no_memory(diag);
    const msw_result result =
        (ms_has_rounded_states(v->op) ? ms_bounds_make : ms_map_bounds_make)(v->op, &v->data, v->is_loose, n, input, &v->bounds);
    if (result == MSW_ERROR_OUT_OF_MEMORY) return ms_verify_no_memory(diag);
    if (result) return ms_oracle_failure(v->op, diag);
    memset(v->other, 0, sizeof v->other);
    memset(v->flushed, 0, sizeof v->flushed);
    return v->op->totals ? evaluate(v, n, inputs, 1, MS_FLOATS_AS_PROMISED, v->expected, diag) : MSW_OK;
}

static msw_result expect(msw_verification *v, uint64_t n, const void *const *inputs, msw_diag *diag)
{
    if (!v) return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "verify", NULL, 0, "msw_verification_expect: verification is NULL");
    for (uint32_t b = 0, i = 0; b < v->op->info.buffer_count; b++) {
        const msw_op_buffer *buffer = &v->op->info.buffers[b];
        if (buffer->role != MSW_ROLE_IN || (inputs && inputs[i++])) continue;
        if (!msw_elements(buffer->length, n) && msw_given_by(buffer->length) < 0) continue;
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "verify", NULL, 0, "msw_verification_expect: input '%s' is NULL", buffer->name);
    }
    msw_result result = ms_oracle_check(v->op, n, 0, diag);
    if (result) return result;
    v->has_data = 0;
    ms_arena_free(&v->data);
    ms_arena_init(&v->data, &v->allocator, 0);
    v->n = n;
    if (v->op->any_order) result = keep_input(v, n, inputs, diag);
    if (result) return result;
    if (v->is_bitwise) result = expect_bits(v, n, inputs, diag);
    else result = v->op->key.image ? expect_sort(v, n, inputs, diag) : expect_bounds(v, n, inputs, diag);
    if (result) return result;
    v->has_data = 1;
    return ms_diag(diag, MSW_OK, "", NULL, 0, "%s", "");
}

msw_result msw_verification_expect(msw_verification *v, uint64_t n, const void *const *inputs, msw_diag *diag)
{
    const ms_c_locale locale = ms_c_locale_enter(); /* of host functions */
    const msw_result result = expect(v, n, inputs, diag);
    ms_c_locale_leave(locale);
    return result;
}
