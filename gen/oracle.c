/* The oracle: an operation's meaning, one element after another in memory order. */
#include "diag.h"
#include "spec.h"

#include <math.h>
#include <string.h>

typedef struct oracle {
    const ms_operation *op;
    int wide;
    ms_eval *combine, *map, *output;
    uint64_t s[MS_MAX_ELEMENT_BYTES]; /* the prefix */
    double largest[MS_MAX_ELEMENT_BYTES]; /* magnitudes of the prefix's leaves */
    double largest_output[MS_MAX_ELEMENT_BYTES];
} oracle;

static int is_float_leaf(const ms_type *type, uint32_t leaf) { return ms_scalar_is_float(type->info.leaves[leaf].scalar); }

/* Leaf values of floats as doubles: wide ones are doubles already. */
static double magnitude(const oracle *o, const ms_type *type, uint32_t leaf, uint64_t bits)
{
    double value;
    if (o->wide) memcpy(&value, &bits, sizeof value);
    else value = ms_scalar_to_double(type->info.leaves[leaf].scalar, bits);
    return isfinite(value) ? fabs(value) : 0;
}

static void note(const oracle *o, const ms_type *type, const uint64_t *leaves, double *largest)
{
    for (uint32_t i = 0; i < type->info.leaf_count; i++)
        if (is_float_leaf(type, i)) largest[i] = fmax(largest[i], magnitude(o, type, i, leaves[i]));
}

static int step(oracle *o, const uint64_t *input, uint64_t i)
{
    uint64_t mapped[MS_MAX_ELEMENT_BYTES], joined[MS_MAX_ELEMENT_BYTES];
    const uint64_t *x = input;
    if (o->map) {
        const uint64_t *args[2] = {input, &i};
        if (ms_eval_run(o->map, args, mapped)) return -1;
        x = mapped;
    }
    const uint64_t *args[2] = {o->op->reverse ? x : o->s, o->op->reverse ? o->s : x};
    if (ms_eval_run(o->combine, args, joined)) return -1;
    memcpy(o->s, joined, o->op->monoid->type->info.leaf_count * sizeof *joined);
    note(o, o->op->monoid->type, o->s, o->largest);
    return 0;
}

static int write_output(oracle *o, const uint64_t *s, const uint64_t *x, uint64_t i, void *memory)
{
    uint64_t made[MS_MAX_ELEMENT_BYTES];
    const uint64_t *result = s;
    if (o->output) {
        const uint64_t *args[3] = {s, x, &i};
        if (ms_eval_run(o->output, args, made)) return -1;
        result = made;
    }
    note(o, o->op->output, result, o->largest_output);
    ms_leaves_store(o->op->output, memory, result, o->wide);
    return 0;
}

static int run(oracle *o, uint64_t n, const unsigned char *in, unsigned char *out)
{
    const ms_operation *op = o->op;
    const int scan = op->kind == MSW_OP_SCAN;
    for (uint64_t k = 0; k < n; k++) {
        const uint64_t i = op->reverse ? n - 1 - k : k;
        uint64_t x[MS_MAX_ELEMENT_BYTES], before[MS_MAX_ELEMENT_BYTES];
        ms_leaves_load(op->input, in + i * op->input->info.size_bytes, x, o->wide);
        memcpy(before, o->s, sizeof before);
        if (step(o, x, i)) return -1;
        if (scan && out && write_output(o, op->exclusive ? before : o->s, x, i, out + i * op->output->info.size_bytes)) return -1;
    }
    return !scan && out ? write_output(o, o->s, NULL, 0, out) : 0;
}

/* The absolute error that another order of combination may cause: roundoff grows with the depth of a tree; the reference itself,
 * where it cannot be wider than the type (f64), is a chain of n. */
static void set_tolerance(const oracle *o, uint64_t n, double *tolerance)
{
    const ms_type *type = o->op->output;
    double state = 0;
    for (uint32_t i = 0; i < o->op->monoid->type->info.leaf_count; i++) state = fmax(state, o->largest[i]);
    for (uint32_t i = 0; i < type->info.leaf_count; i++) {
        const msw_scalar scalar = type->info.leaves[i].scalar;
        const double unit = scalar == MSW_F16 ? 0x1p-11 : scalar == MSW_F32 ? 0x1p-24 : 0x1p-53;
        const double growth = 32 + (scalar == MSW_F64 ? sqrt((double)n) : 4 * log2((double)n + 1));
        const double largest = o->output ? fmax(state, o->largest_output[i]) : fmax(o->largest[i], o->largest_output[i]);
        tolerance[i] = o->op->info.is_bit_exact || !is_float_leaf(type, i) ? 0 : unit * growth * largest;
    }
}

static int prepare(oracle *o, ms_arena *arena, const void *carry_in)
{
    const ms_operation *op = o->op;
    o->combine = ms_eval_create(arena, op->monoid->combine, o->wide);
    o->map = op->map ? ms_eval_create(arena, op->map, o->wide) : NULL;
    o->output = op->output_map ? ms_eval_create(arena, op->output_map, o->wide) : NULL;
    ms_leaves_load(op->monoid->type, carry_in ? carry_in : op->init ? op->init : op->monoid->identity, o->s, o->wide);
    return o->combine && (o->map || !op->map) && (o->output || !op->output_map);
}

static int lacks_host(const ms_function *function) { return function && !function->leaves && !function->host; }

/* The function of the operation that only a device can run; NULL: none. */
static const ms_function *without_host(const ms_operation *op)
{
    if (lacks_host(op->monoid->combine)) return op->monoid->combine;
    return lacks_host(op->map) ? op->map : lacks_host(op->output_map) ? op->output_map : NULL;
}

/* What the host function said that failed. */
static msw_result report_failure(const ms_operation *op, msw_diag *diag)
{
    const ms_function *const functions[] = {op->monoid->combine, op->map, op->output_map};
    for (int i = 0; i < 3; i++) {
        const ms_host_error *error = functions[i] ? functions[i]->host_error : NULL;
        if (error && error->text[0]) return ms_diag(diag, error->is_memory ? MSW_ERROR_OUT_OF_MEMORY : MSW_ERROR_SPEC, "oracle", op->file, error->line, "%s", error->text);
    }
    return ms_diag(diag, MSW_ERROR_SPEC, "oracle", op->file, op->line, "%s: a host function failed; correct it", op->name);
}

msw_result ms_oracle_run(const ms_operation *op, const msw_allocator *allocator, uint64_t n, const void *const *inputs, void *const *outputs,
                         const void *carry_in, void *carry_out, double *tolerance, msw_diag *diag)
{
    ms_arena arena;
    ms_arena_init(&arena, allocator, 0);
    oracle o = {.op = op, .wide = tolerance && !op->info.is_bit_exact};
    const ms_function *opaque = without_host(op);
    if (opaque)
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "oracle", op->file, op->line, "%s: %s is a source without a host function, so there is nothing to compute or verify with; "
                       "add host = function(..) .. end", op->name, opaque->name);
    msw_result result = MSW_OK;
    if (!prepare(&o, &arena, carry_in)) result = ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "oracle", NULL, 0, "out of memory");
    else if (run(&o, n, inputs[0], outputs[0])) result = report_failure(op, diag);
    if (!result && carry_out) ms_leaves_store(op->monoid->type, carry_out, o.s, o.wide);
    if (!result && tolerance) set_tolerance(&o, n, tolerance);
    ms_arena_free(&arena);
    return result ? result : ms_diag(diag, MSW_OK, "", NULL, 0, "%s", "");
}
