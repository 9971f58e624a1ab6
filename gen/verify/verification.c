/* Verifications are made and ended here, with the operation that their probes run. */
#include "verification.h"
#include "c_locale.h"
#include "diag.h"

#include <string.h>

/* ---- the operation of the probes ---- */

static msw_op_buffer state_buffer(const ms_operation *op, const char *name, msw_length length, msw_role role)
{
    return (msw_op_buffer){name, op->monoid->type->info, (uint32_t)length, (uint32_t)role};
}

/* The operation on whole elements of the monoid's type: what decides how these are combined, and nothing else of the operation. Counters are
 * fields as others are. */
static ms_operation state_operation(const ms_operation *op)
{
    const ms_type *type = op->monoid->type;
    ms_operation state = {.kind = op->kind,
                          .word = op->word,
                          .name = op->name,
                          .doc = op->doc,
                          .file = op->file,
                          .line = op->line,
                          .input = type,
                          .output = type,
                          .order = op->order,
                          .monoid = op->monoid,
                          .exclusive = op->exclusive,
                          .reverse = op->reverse,
                          .carry = type,
                          .tune = op->tune,
                          .tune_count = op->tune_count,
                          .buffer_types = {type, type}};
    state.info = (msw_op_info){.struct_size = op->info.struct_size,
                               .kind = op->info.kind,
                               .name = op->info.name,
                               .doc = op->info.doc,
                               .buffer_count = 2,
                               .carry = type->info,
                               .is_bit_exact = op->info.is_bit_exact,
                               .is_reverse = op->info.is_reverse,
                               .law_warning = op->info.law_warning};
    state.info.sources = ms_operation_sources(&state);
    state.info.buffers[0] = state_buffer(op, "in", MSW_LENGTH_N, MSW_ROLE_IN);
    state.info.buffers[1] = state_buffer(op, "out", ms_operation_is_per_element(op) ? MSW_LENGTH_N : MSW_LENGTH_ONE, MSW_ROLE_OUT);
    return state;
}

/* A spec of that operation alone. Its functions are the given spec's; its identity tells it from that in caches. */
static msw_spec *make_state_spec(const msw_spec *spec, const ms_operation *op)
{
    static const char mark[] = "\0the state of ";
    ms_arena arena;
    ms_arena_init(&arena, &spec->arena.allocator, 0);
    msw_spec *made = ms_arena_alloc(&arena, sizeof *made);
    if (!made) return NULL;
    made->arena = arena;
    ms_graph_init(&made->graph, &made->arena);
    const size_t bytes = spec->source.identity_bytes + sizeof mark;
    char *identity = ms_arena_alloc(&made->arena, bytes);
    ms_operation *state = ms_arena_alloc(&made->arena, sizeof *state);
    if (!identity || !state) {
        msw_spec_destroy(made);
        return NULL;
    }
    memcpy(identity, spec->source.identity, spec->source.identity_bytes);
    memcpy(identity + spec->source.identity_bytes, mark, sizeof mark);
    *state = state_operation(op);
    state->title = ms_operation_title(state, &made->arena);
    if (!state->title) {
        msw_spec_destroy(made);
        return NULL;
    }
    made->source = (ms_source){spec->source.text, spec->source.text_bytes, identity, bytes};
    made->file = spec->file;
    made->name = spec->name;
    made->operations = state;
    made->operation_count = 1;
    made->summary = made->json = "";
    return made;
}

/* ---- making ---- */

/* Whether bits are promised, or a device has the oracle's. */
static int has_bits(const ms_operation *op, uint32_t backend)
{
    return backend == MSW_BACKEND_HOST || op->info.is_bit_exact || ms_operation_is_promised(op);
}

/* Where items go must be sure. */
static msw_result check_lengths(const ms_operation *op, uint32_t backend, msw_diag *diag)
{
    if (op->item && backend != MSW_BACKEND_HOST && !ms_function_is_promised(op->map))
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "verify", op->file, op->line,
                       "%s: its lengths are rounded by the device, so that nobody knows where items are; compute them in integers, or with float "
                       "functions that devices round alike",
                       op->name);
    return ms_oracle_check(op, 0, 0, diag);
}

static msw_result read_desc(const msw_verification_desc *given, msw_verification_desc *desc, msw_diag *diag)
{
    if (!given) return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "verify", NULL, 0, "msw_verification_create: desc is NULL");
    const msw_result result = MS_SIZED_READ(msw_verification_desc, given, desc, "verify", diag);
    if (result) return result;
    if (!desc->spec) return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "verify", NULL, 0, "msw_verification_create: spec is NULL");
    if (!ms_spec_has(desc->spec, desc->op))
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "verify", NULL, 0, "msw_verification_create: the spec has no operation %u; it has %u",
                       desc->op, desc->spec->operation_count);
    if (desc->backend > MSW_BACKEND_CUDA)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "verify", NULL, 0, "msw_verification_create: no backend %u; give one of msw_backend_kind",
                       desc->backend);
    const msw_op_info *info = &desc->spec->operations[desc->op].info;
    for (uint32_t b = 0, u = 0; b < info->buffer_count; b++)
        if (info->buffers[b].role == MSW_ROLE_UNIFORM && (!desc->uniforms || !desc->uniforms[u++]))
            return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "verify", NULL, 0,
                           "msw_verification_desc: uniform '%s' has no value; give one in `uniforms`", info->buffers[b].name);
    if (desc->spec->operations[desc->op].pipeline && !has_bits(&desc->spec->operations[desc->op], desc->backend))
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "verify", NULL, 0,
                       "msw_verification_create: devices round what the pipeline '%s' computes; verify its stages by themselves (msw_spec_stage)",
                       info->name);
    return check_lengths(&desc->spec->operations[desc->op], desc->backend, diag);
}

/* The operation with the uniforms' values; NULL: out of memory. */
static const ms_operation *bind(msw_verification *v, const msw_verification_desc *desc)
{
    const ms_operation *op = &desc->spec->operations[desc->op];
    const uint32_t first = op->info.buffer_count - ms_operation_count(op, MSW_ROLE_UNIFORM);
    if (!op->uniforms) return op;
    ms_operation *bound = ms_arena_alloc(&v->arena, sizeof *bound);
    if (!bound) return NULL;
    *bound = *op;
    for (uint32_t b = first; b < op->info.buffer_count; b++) {
        const uint32_t bytes = op->buffer_types[b]->info.size_bytes;
        void *copy = ms_arena_alloc(&v->arena, bytes);
        if (!copy) return NULL;
        v->uniforms[v->uniform_count] = memcpy(copy, desc->uniforms[v->uniform_count], bytes);
        v->uniform_count++;
    }
    return ms_operation_bind(bound, v->uniforms, &v->arena) ? bound : NULL;
}

static int fill(msw_verification *v, const msw_verification_desc *desc)
{
    const ms_operation *op = v->op = bind(v, desc);
    if (!op) return 0;
    v->spec = desc->spec;
    v->is_bitwise = has_bits(op, desc->backend);
    v->is_loose = desc->backend == MSW_BACKEND_AUTO || desc->backend == MSW_BACKEND_VULKAN;
    v->computes_floats = ms_has_function_that(op, &v->arena, ms_function_computes_floats);
    v->state = op;
    if (v->is_bitwise || !ms_has_rounded_states(op) || (!op->map && !op->output_map && !op->init)) return 1;
    v->state_spec = make_state_spec(desc->spec, op);
    if (v->state_spec) v->state = v->state_spec->operations;
    return v->state_spec != NULL;
}

static msw_result create(const msw_verification_desc *given, msw_verification **verification, msw_diag *diag)
{
    msw_verification_desc desc;
    const msw_result result = read_desc(given, &desc, diag);
    if (result) return result;
    ms_arena arena;
    ms_arena_init(&arena, &desc.spec->arena.allocator, 0);
    msw_verification *v = ms_arena_alloc(&arena, sizeof *v);
    if (!v) return ms_verify_no_memory(diag);
    v->arena = arena;
    v->allocator = desc.spec->arena.allocator;
    ms_arena_init(&v->data, &v->allocator, 0);
    if (!fill(v, &desc)) {
        msw_verification_destroy(v);
        return ms_verify_no_memory(diag);
    }
    *verification = v;
    return ms_diag(diag, MSW_OK, "", NULL, 0, "%s", "");
}

msw_result msw_verification_create(const msw_verification_desc *desc, msw_verification **verification, msw_diag *diag)
{
    if (!verification) return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "verify", NULL, 0, "msw_verification_create: verification is NULL");
    *verification = NULL;
    const ms_c_locale locale = ms_c_locale_enter();
    const msw_result result = create(desc, verification, diag);
    ms_c_locale_leave(locale);
    return result;
}

void msw_verification_destroy(msw_verification *v)
{
    if (!v) return;
    msw_spec_destroy(v->state_spec);
    ms_arena_free(&v->data);
    ms_arena arena = v->arena; /* the verification lies in its own arena */
    ms_arena_free(&arena);
}

int msw_verification_is_bitwise(const msw_verification *v) { return v && v->is_bitwise; }

msw_spec *msw_verification_state_spec(msw_verification *v) { return v ? v->state_spec : NULL; }
