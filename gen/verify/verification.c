/* Verifications: what is expected of a device, and whether its results are that. */
#include "verification.h"
#include "gather.h"
#include "groups.h"
#include "c_locale.h"
#include "diag.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
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

static msw_result no_memory(msw_diag *diag) { return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "verify", NULL, 0, "out of memory"); }

/* Whether a device may round what is combined: an expansion combines lengths alone. */
static int has_states(const ms_operation *op) { return op->monoid && !op->item; }

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
    if (desc->op >= desc->spec->operation_count)
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

static int has_function(const ms_operation *op, ms_arena *arena, int (*holds)(const ms_function *, ms_arena *))
{
    const ms_function *functions[MS_MAX_FUNCTIONS];
    const uint32_t count = ms_operation_functions(op, functions);
    for (uint32_t i = 0; i < count; i++)
        if (holds(functions[i], arena)) return 1;
    return 0;
}

static int fill(msw_verification *v, const msw_verification_desc *desc)
{
    const ms_operation *op = v->op = bind(v, desc);
    if (!op) return 0;
    v->spec = desc->spec;
    v->is_bitwise = desc->backend == MSW_BACKEND_HOST || op->info.is_bit_exact || ms_operation_is_promised(op);
    v->is_loose = desc->backend == MSW_BACKEND_AUTO || desc->backend == MSW_BACKEND_VULKAN;
    v->computes_floats = has_function(op, &v->arena, ms_function_computes_floats);
    v->state = op;
    if (v->is_bitwise || !has_states(op) || (!op->map && !op->output_map && !op->init)) return 1;
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
    if (!v) return no_memory(diag);
    v->arena = arena;
    v->allocator = desc.spec->arena.allocator;
    ms_arena_init(&v->data, &v->allocator, 0);
    if (!fill(v, &desc)) {
        msw_verification_destroy(v);
        return no_memory(diag);
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

/* ---- what is expected ---- */

static const msw_op_buffer *output_buffer(const ms_operation *op, uint32_t output, uint32_t *index)
{
    uint32_t b = 0;
    while (op->info.buffers[b].role == MSW_ROLE_IN) b++;
    if (index) *index = b + output;
    return &op->info.buffers[b + output];
}

static uint32_t output_count(const ms_operation *op)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < op->info.buffer_count; b++) count += op->info.buffers[b].role == MSW_ROLE_OUT;
    return count;
}

static int is_total(const msw_verification *v, uint32_t output)
{
    uint32_t b;
    output_buffer(v->op, output, &b);
    return ms_operation_is_total(v->op, b);
}

/* The elements of an output that are to be written; of one that is counted, those that its number says, which is known first. */
static uint64_t expected_elements(const msw_verification *v, uint32_t output)
{
    uint32_t first;
    uint64_t count;
    const uint32_t length = output_buffer(v->op, output, NULL)->length;
    if (msw_counted_by(length) < 0) return msw_elements(length, v->n);
    output_buffer(v->op, 0, &first);
    memcpy(&count, v->expected[(uint32_t)msw_counted_by(length) - first], sizeof count);
    return msw_counted_elements(length, v->n, count);
}

/* only_totals: the other outputs are judged by bounds. */
static msw_result evaluate(msw_verification *v, uint64_t n, const void *const *inputs, int only_totals, ms_floats floats, void **outputs,
                           msw_diag *diag)
{
    for (uint32_t o = 0; o < output_count(v->op); o++) {
        uint32_t b;
        const msw_op_buffer *buffer = output_buffer(v->op, o, &b);
        outputs[o] = NULL;
        if ((only_totals && !is_total(v, o)) || ms_is_scattered(v->op, b)) continue; /* these are judged by records */
        outputs[o] = ms_arena_alloc(&v->data, msw_elements(buffer->length, n) * buffer->type.size_bytes);
        if (!outputs[o]) return no_memory(diag);
    }
    return ms_oracle_run(v->op, &v->allocator, n, inputs, outputs, NULL, NULL, floats, diag);
}

/* Where outputs are scattered: what each element makes, and where that goes. */
static msw_result evaluate_records(msw_verification *v, uint64_t n, const void *const *inputs, ms_floats floats, msw_diag *diag)
{
    const void *input = n ? ms_operation_gather_inputs(v->op, inputs, n, &v->data) : NULL;
    void *made = ms_arena_alloc(&v->data, (size_t)n * v->op->output->info.size_bytes + 1);
    v->records[floats] = made;
    return (n && !input) || !made ? no_memory(diag) : ms_oracle_run_records(v->op, &v->allocator, n, input, made, floats, diag);
}

static msw_result evaluate_all(msw_verification *v, uint64_t n, const void *const *inputs, ms_floats floats, void **outputs, msw_diag *diag)
{
    const msw_result result = evaluate(v, n, inputs, 0, floats, outputs, diag);
    return result || !ms_has_scattered(v->op) ? result : evaluate_records(v, n, inputs, floats, diag);
}

/* 1: bits of NaN may reach integers, or the order of a sort. */
static int reads_bits(msw_verification *v)
{
    if (v->op->key.image && v->op->map && ms_function_reads_bits(v->op->key.image, &v->data)) return 1;
    return has_function(v->op, &v->data, ms_function_reads_bits);
}

/* 1: subnormal numbers may be computed with, on a device that may take them for zeros. */
static int may_flush(const msw_verification *v)
{
    const ms_function *functions[MS_MAX_FUNCTIONS];
    const uint32_t count = ms_operation_functions(v->op, functions);
    int has_floats = 0;
    for (uint32_t i = 0; i < count; i++) has_floats |= functions[i]->leaves && ms_function_joins_floats(functions[i]);
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
    if (!input || (n && !gathered)) return no_memory(diag);
    if (n) memcpy(input, gathered, bytes);
    v->input = input;
    return MSW_OK;
}

static msw_result expect_sort(msw_verification *v, uint64_t n, const void *const *inputs, msw_diag *diag)
{
    const size_t bytes = (size_t)n * v->op->input->info.size_bytes;
    void *input = ms_arena_alloc(&v->data, bytes);
    if (!input) return no_memory(diag);
    if (bytes) memcpy(input, inputs[0], bytes);
    v->input = input;
    return expect_bits(v, n, inputs, diag);
}

static msw_result expect_bounds(msw_verification *v, uint64_t n, const void *const *inputs, msw_diag *diag)
{
    const void *input = n ? ms_operation_gather_inputs(v->op, inputs, n, &v->data) : NULL;
    if (n && !input) return no_memory(diag);
    const msw_result result = (has_states(v->op) ? ms_bounds_make : ms_map_bounds_make)(v->op, &v->data, v->is_loose, n, input, &v->bounds);
    if (result == MSW_ERROR_OUT_OF_MEMORY) return no_memory(diag);
    if (result) return ms_oracle_failure(v->op, diag);
    memset(v->other, 0, sizeof v->other);
    memset(v->flushed, 0, sizeof v->flushed);
    return v->op->totals ? evaluate(v, n, inputs, 1, MS_FLOATS_AS_PROMISED, v->expected, diag) : MSW_OK;
}

static msw_result expect(msw_verification *v, uint64_t n, const void *const *inputs, msw_diag *diag)
{
    if (!v || (n && !inputs && ms_operation_count(v->op, MSW_ROLE_IN)))
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "verify", NULL, 0, "msw_verification_expect: %s is NULL", v ? "inputs" : "verification");
    for (uint32_t b = 0, i = 0; n && b < v->op->info.buffer_count; b++)
        if (v->op->info.buffers[b].role == MSW_ROLE_IN && !inputs[i++])
            return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "verify", NULL, 0, "msw_verification_expect: input '%s' is NULL",
                           v->op->info.buffers[b].name);
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

/* ---- texts ---- */

/* "field mean"; of outputs that are scalars the buffer's name. */
static void format_field(const msw_verification *v, const msw_verified_field *f, char text[160])
{
    const msw_op_buffer *buffer = &v->op->info.buffers[f->buffer];
    if (buffer->type.leaves[f->leaf].path[0]) snprintf(text, 160, "field %s", buffer->type.leaves[f->leaf].path);
    else snprintf(text, 160, "%s", buffer->name);
}

#define NO_BOUND "sin or cos of more than pi, which Vulkan does not bound"

static void append_failure(msw_verification *v, const msw_verified_field *f, const char *name, ms_text *text)
{
    char element[48] = "";
    if (ms_operation_is_per_element(v->op)) snprintf(element, sizeof element, ", element %" PRIu64, f->element);
    ms_begin_failure(v, text);
    if (isnan(f->bound)) ms_text_append(text, "%s%s: a number, where every order of combination comes to NaN", name, element);
    else if (isnan(f->error)) ms_text_append(text, "%s%s: NaN, where there is a number, bound %.2g", name, element, f->bound);
    else
        ms_text_append(text, f->bound > 0 ? "%s%s: error %.2g, bound %.2g" : "%s%s: error %.2g, where bits are promised", name, element, f->error,
                       f->bound);
}

static void append_line(msw_verification *v, const msw_verified_field *f, const msw_structure *structure, ms_text *text)
{
    char name[160];
    format_field(v, f, name);
    if (f->verdict == MSW_FAILED) {
        append_failure(v, f, name, text);
        return;
    }
    if (text->length) ms_text_append(text, "\n");
    if (f->verdict == MSW_NOT_VERIFIED) {
        const double part = 100 * (double)f->undecided / (double)f->count;
        if (f->nan_count == f->undecided)
            ms_text_append(text, "not verified: %s, NaN on the device as on the host (%.3g %% of elements)", name, part);
        else if (isfinite(f->share))
            ms_text_append(text, "not verified: %s, bound %.2g %% of its scale (%.3g %% of elements)", name, 100 * f->share, part);
        else if (v->bounds.first_infinite < v->n)
            ms_text_append(text, "not verified: %s, undecided: the data have infinities or NaN from element %" PRIu64 " on (%.3g %% of elements)",
                           name, v->bounds.first_infinite, part);
        else
            ms_text_append(text, "not verified: %s, undecided: %s (%.3g %% of elements)", name,
                           v->bounds.is_unbounded ? NO_BOUND : "0, near overflow, or at a jump", part);
        if (structure && structure->verdict != MSW_FAILED)
            ms_text_append(text, "; %s",
                           structure->verdict != MSW_VERIFIED ? "structure not tested"
                           : !structure->is_exact             ? "structure within bounds"
                                                              : "structure exact");
    } else if (f->bound > 0) {
        ms_text_append(text, "verified: %s, worst error %.2g of bound %.2g; %" PRIu64 " of %" PRIu64 " undecided", name, f->error, f->bound,
                       f->undecided, f->count);
    } else ms_text_append(text, "verified: %s, bit for bit", name);
}

/* ---- judging ---- */

/* The first leaf that differs; leaf_count: the padding; one more: none does. other, flushed: see is_of_nan, is_of_flushed,
 * or NULL; counts what it excuses. */
static uint32_t differing_leaf(const msw_verification *v, const msw_type_info *type, const unsigned char *got, const unsigned char *expected,
                               const unsigned char *other, const unsigned char *flushed, int is_first_output, uint64_t *excused)
{
    unsigned char rest[MS_MAX_ELEMENT_BYTES];
    int is_excused = 0;
    memcpy(rest, got, type->size_bytes);
    for (uint32_t l = 0; l < type->leaf_count; l++) {
        const msw_leaf *leaf = &type->leaves[l];
        const uint32_t at = leaf->offset_bytes;
        int excuse;
        if (!ms_leaf_is_right(v, leaf->scalar, ms_scalar_load(leaf->scalar, got + at), !is_first_output, expected + at, other ? other + at : NULL,
                              flushed ? flushed + at : NULL, &excuse))
            return l;
        is_excused |= excuse;
        memcpy(rest + leaf->offset_bytes, expected + leaf->offset_bytes, ms_scalar_bytes(leaf->scalar));
    }
    *excused += (uint64_t)is_excused;
    return memcmp(rest, expected, type->size_bytes) ? type->leaf_count : type->leaf_count + 1;
}

/* 1: the first output has other bits where NaN has, or where subnormal numbers are zeros. */
static int may_differ(const msw_verification *v, uint64_t bytes)
{
    return (v->other[0] && memcmp(v->other[0], v->expected[0], bytes)) || (v->flushed[0] && memcmp(v->flushed[0], v->expected[0], bytes));
}

/* Whether the items, in any order of elements, are what they should be; as judge_bits. */
static int judge_groups(msw_verification *v, uint32_t index, uint64_t count, const void *items, msw_verified_field *field, ms_text *text)
{
    const uint64_t room = ms_operation_room(v->op, v->n);
    uint64_t wrong = 0;
    const ms_groups_verdict verdict = ms_groups_judge(v->op, &v->data, v->n, v->input, items, count, &wrong);
    *field = (msw_verified_field){.buffer = index, .count = count < room ? count : room, .verdict = MSW_VERIFIED};
    if (verdict == MS_GROUPS_NO_MEMORY) return -1;
    if (verdict == MS_GROUPS_RIGHT) return 1;
    if (verdict == MS_GROUPS_WRONG && !may_differ(v, field->count * v->op->info.buffers[index].type.size_bytes)) {
        field->verdict = MSW_FAILED;
        field->element = wrong;
        field->error = INFINITY;
        ms_begin_failure(v, text);
        ms_text_append(text, "%s[%" PRIu64 "]: no element whose items lie nowhere else has those that begin here, or they end too early",
                       v->op->info.buffers[index].name, wrong);
        return 0;
    }
    field->verdict = MSW_NOT_VERIFIED;
    field->undecided = field->count;
    ms_text_append(text, "not verified: %s, %s", v->op->info.buffers[index].name,
                   verdict == MS_GROUPS_WRONG ? "whose items are made of the bits of NaN, or of subnormal numbers"
                                              : "whose elements' items are too much alike to tell in which order they lie");
    return 1;
}

/* 1: this output has the bits that are expected; 0: the field tells where it does not; -1: out of memory. */
static int judge_bits(msw_verification *v, uint32_t output, const unsigned char *got, msw_verified_field *field, ms_text *text)
{
    uint32_t index;
    const msw_op_buffer *buffer = output_buffer(v->op, output, &index);
    const unsigned char *expected = v->expected[output], *other = v->other[output], *flushed = v->flushed[output];
    const uint64_t count = expected_elements(v, output), bytes = buffer->type.size_bytes;
    uint64_t undecided = 0;
    if (ms_is_scattered(v->op, index)) return ms_scatter_judge(v, index, got, field, text);
    if (v->op->any_order && index == v->op->info.items) return judge_groups(v, index, *(const uint64_t *)v->expected[1], got, field, text);
    *field = (msw_verified_field){.buffer = index, .count = count, .verdict = MSW_VERIFIED};
    if (!memcmp(got, expected, count * bytes)) return 1;
    for (uint64_t i = 0; i < count; i++) {
        char texts[2][64];
        const uint32_t l = memcmp(got + i * bytes, expected + i * bytes, bytes)
                               ? differing_leaf(v, &buffer->type, got + i * bytes, expected + i * bytes, other ? other + i * bytes : NULL,
                                                flushed ? flushed + i * bytes : NULL, !output, &undecided)
                               : buffer->type.leaf_count + 1;
        if (l > buffer->type.leaf_count) continue;
        *field = (msw_verified_field){.buffer = index, .leaf = l, .count = count, .verdict = MSW_FAILED, .element = i, .error = INFINITY};
        ms_begin_failure(v, text);
        if (l == buffer->type.leaf_count) {
            ms_text_append(text, "%s[%" PRIu64 "]: padding bytes are not zero; this is a bug of monosweep, please report it", buffer->name, i);
            return 0;
        }
        const msw_leaf *leaf = &buffer->type.leaves[l];
        ms_format_leaf(texts[0], leaf->scalar, ms_scalar_load(leaf->scalar, got + i * bytes + leaf->offset_bytes));
        ms_format_leaf(texts[1], leaf->scalar, ms_scalar_load(leaf->scalar, expected + i * bytes + leaf->offset_bytes));
        ms_text_append(text, "%s[%" PRIu64 "]%s%s: got %s, expected %s", buffer->name, i, leaf->path[0] ? "." : "", leaf->path, texts[0], texts[1]);
        return 0;
    }
    field->undecided = field->nan_count = undecided;
    field->share = undecided ? (double)INFINITY : 0;
    if (undecided * MS_UNDECIDED_PART > count) field->verdict = MSW_NOT_VERIFIED;
    return 1;
}

/* The leaves that say where elements go are no output. Where roundings decide of one, nothing can be said of what is behind it. */
static void judge_places(msw_verification *v, msw_verification_report *report, ms_text *text)
{
    uint32_t values = v->bounds.leaf_count;
    for (uint32_t b = 0; b < v->op->info.buffer_count; b++)
        if (v->op->places[b] && v->op->places[b] - 1 < values) values = v->op->places[b] - 1;
    report->field_count = values;
    if (!ms_places_are_open(v->op, &v->bounds)) return;
    ms_text_append(text, "%snot verified: a device's roundings decide %s%s", text->length ? "\n" : "",
                   ms_has_scattered(v->op) ? "where elements go" : "what is kept", v->bounds.is_unbounded ? ", by " NO_BOUND : "");
    for (uint32_t l = 0; l < values; l++) v->fields[l].verdict = MSW_NOT_VERIFIED;
    if (report->verdict == MSW_VERIFIED) report->verdict = MSW_NOT_VERIFIED; /* what probes found wrong stays wrong */
    report->field_count = 0;
}

static int may_be_within_bounds(const void *user, uint64_t i, uint32_t l, uint64_t got)
{
    const msw_verification *v = user;
    return ms_bounds_allow(&v->bounds, v->op->output, i, l, got);
}

static void judge_bounds(msw_verification *v, const void *output, const void *const *outputs, const msw_structure *structure,
                         msw_verification_report *report, ms_text *text)
{
    if (!has_states(v->op)) structure = NULL;
    const int has_structure = structure && structure->verdict == MSW_VERIFIED && structure->input_count + structure->pair_count > 0;
    const ms_function *map = v->op->map;
    const int are_outputs = !v->op->output_map && (!map || (map->leaves && ms_function_is_promised(map)));
    ms_bounds_judge(&v->bounds, v->op->output, output,
                    !has_states(v->op) ? MS_PROBED_STATES /* a map has no order that could lose an element */
                    : !has_structure   ? MS_PROBED_NOTHING
                    : are_outputs      ? MS_PROBED_OUTPUTS
                                       : MS_PROBED_STATES,
                    v->fields);
    report->field_count = v->bounds.leaf_count;
    if (structure && structure->verdict == MSW_FAILED) {
        ms_begin_failure(v, text);
        report->verdict = MSW_FAILED;
    }
    if (structure) ms_text_append(text, "%s", structure->text);
    int is_zero = 1;
    for (uint32_t o = 0; o < output_count(v->op); o++) {
        const msw_op_buffer *buffer = output_buffer(v->op, o, NULL);
        is_zero &= is_total(v, o) ||
                   ms_padding_is_zero(&buffer->type, outputs[o], buffer->length < MSW_LENGTH_COUNTED ? v->bounds.count : expected_elements(v, o));
    }
    if (!is_zero) {
        ms_begin_failure(v, text);
        ms_text_append(text, "padding bytes are not zero; this is a bug of monosweep, please report it");
        report->verdict = MSW_FAILED;
    }
    if (ms_has_places(v->op)) judge_places(v, report, text);
    for (uint32_t l = 0; l < report->field_count; l++) {
        v->fields[l].buffer = ms_operation_buffer(v->op, MSW_ROLE_OUT, l);
        v->fields[l].leaf -= v->op->first_leaves[v->fields[l].buffer];
        append_line(v, &v->fields[l], structure, text);
        if (v->fields[l].verdict > report->verdict) report->verdict = v->fields[l].verdict;
    }
}

static msw_result judge_sort(msw_verification *v, const void *const *outputs, msw_verification_report *report, ms_text *text, msw_diag *diag)
{
    char name[160];
    report->field_count = 1;
    const msw_result result = ms_sort_judge(v, outputs, v->fields, diag);
    if (result) return result;
    const msw_verified_field *f = v->fields;
    format_field(v, f, name);
    report->verdict = f->verdict;
    if (f->verdict == MSW_FAILED) {
        ms_begin_failure(v, text);
        ms_text_append(text, "%s, element %" PRIu64 ": not what a stable sort of the mapped keys has there", name, f->element);
    } else if (f->verdict == MSW_NOT_VERIFIED)
        ms_text_append(text, "not verified: keys are in order, but only value = \"index\" tells which belongs where");
    else {
        ms_text_append(text, "verified: keys in order and as mapped");
        if (f->bound > 0) ms_text_append(text, ", worst error %.2g of bound %.2g", f->error, f->bound);
        if (v->op->value) ms_text_append(text, "; values belong to them");
        if (f->undecided) ms_text_append(text, ", but for %" PRIu64 " whose keys are too near", f->undecided);
    }
    return MSW_OK;
}

/* What is told of outputs of which no bit is wrong. */
static void tell_bits(const msw_verification *v, msw_verification_report *report, ms_text *text)
{
    const char *what = v->flushed[0] ? "the bits of NaN, or of subnormal numbers" : "the bits of NaN";
    uint64_t undecided = 0;
    for (uint32_t f = 0; f < report->field_count; f++) {
        undecided += v->fields[f].undecided;
        if (v->fields[f].verdict > report->verdict) report->verdict = v->fields[f].verdict;
    }
    if (report->verdict == MSW_NOT_VERIFIED && v->op->any_order) return; /* judge_groups has said why */
    if (report->verdict == MSW_NOT_VERIFIED)
        ms_text_append(text, "not verified: %" PRIu64 " elements are made of %s, which are each device's own", undecided, what);
    else if (undecided) ms_text_append(text, "verified bit for bit, but for %" PRIu64 " elements that are made of %s", undecided, what);
    else ms_text_append(text, v->op->any_order ? "verified bit for bit, elements in any order" : "verified bit for bit");
}

static char *first_line(ms_arena *arena, const char *text)
{
    const size_t length = strcspn(text, "\n");
    char *line = ms_arena_alloc(arena, length + 1);
    if (line) memcpy(line, text, length);
    return line;
}

static msw_result check_judged(const msw_verification *v, const void *const *outputs, const msw_verification_report *report, msw_diag *diag)
{
    if (!v || !outputs || !report)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "verify", NULL, 0, "msw_verification_judge: %s is NULL",
                       !v         ? "verification"
                       : !outputs ? "outputs"
                                  : "report");
    if (!v->has_data)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "verify", NULL, 0,
                       "msw_verification_judge: nothing is expected; call msw_verification_expect");
    for (uint32_t o = 0; o < output_count(v->op); o++) {
        const msw_op_buffer *buffer = output_buffer(v->op, o, NULL);
        if (!outputs[o] && msw_elements(buffer->length, v->n))
            return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "verify", NULL, 0, "msw_verification_judge: output '%s' is NULL", buffer->name);
    }
    return MS_SIZED_CHECK(msw_verification_report, report, "verify", diag);
}

/* Then roundings decide how many elements are kept, too. */
static int are_places_open(const msw_verification *v)
{
    return !v->is_bitwise && !v->op->key.image && !v->op->item && ms_places_are_open(v->op, &v->bounds);
}

/* Outputs that are compared bit for bit: numbers first, which say how much of others there is. */
static msw_result judge_all_bits(msw_verification *v, const void *const *outputs, msw_verification_report *report, ms_text *text, msw_diag *diag)
{
    for (int are_totals = !are_places_open(v); are_totals >= !v->is_bitwise; are_totals--)
        for (uint32_t o = 0; o < output_count(v->op) && report->verdict == MSW_VERIFIED; o++) {
            if (is_total(v, o) != are_totals) continue;
            const int is_right = judge_bits(v, o, outputs[o], &v->fields[report->field_count++], text);
            if (is_right < 0) return no_memory(diag);
            if (!is_right) report->verdict = MSW_FAILED;
        }
    return MSW_OK;
}

/* Behind the last item are zeros, as before the run. */
static int judge_rest(msw_verification *v, const unsigned char *items, ms_text *text)
{
    const msw_op_buffer *buffer = &v->op->info.buffers[v->op->info.items];
    const uint64_t bytes = buffer->type.size_bytes, end = ms_operation_room(v->op, v->n) * bytes;
    uint64_t at = v->bounds.count * bytes;
    while (at < end && !items[at]) at++;
    if (at == end) return 1;
    ms_begin_failure(v, text);
    ms_text_append(text, "%s[%" PRIu64 "]: was written, behind the last item", buffer->name, at / bytes);
    return 0;
}

/* Which item belongs to which element is known by its bits alone. */
static void leave_undecided(msw_verification_report *report, ms_text *text)
{
    report->verdict = MSW_NOT_VERIFIED;
    ms_text_append(text,
                   "not verified: the device rounds the items, so that their bits do not tell whose they are; verify them with order = \"input\"");
}

static msw_result judge_by_bounds(msw_verification *v, const void *const *outputs, const msw_structure *structure, msw_verification_report *report,
                                  ms_text *text, msw_diag *diag)
{
    const void *output = ms_gather_outputs(v->op, outputs, v->n, v->bounds.count, v->bounds.expected, may_be_within_bounds, v, &v->data);
    if (!output && v->bounds.count) return no_memory(diag);
    judge_bounds(v, output, outputs, structure, report, text);
    if (v->op->item && !judge_rest(v, outputs[0], text)) report->verdict = MSW_FAILED;
    if (!ms_has_scattered(v->op) || !report->field_count) return MSW_OK; /* nobody knows where elements go */
    const int is_rest_right = ms_scatter_judge_rest(v, outputs, text);
    if (!is_rest_right) report->verdict = MSW_FAILED;
    return is_rest_right < 0 ? no_memory(diag) : MSW_OK;
}

static msw_result judge(msw_verification *v, const void *const *outputs, const msw_structure *structure, msw_verification_report *report,
                        msw_diag *diag)
{
    msw_result result = MSW_OK;
    ms_text text = {.arena = &v->arena};
    v->failure_at = 0;
    *report = (msw_verification_report){.verdict = MSW_VERIFIED, .is_bitwise = (uint32_t)v->is_bitwise};
    if (!v->fields) v->fields = ms_arena_alloc(&v->arena, (MS_MAX_ELEMENT_BYTES + MSW_MAX_BUFFERS) * sizeof *v->fields);
    if (!v->fields) return no_memory(diag);
    report->fields = v->fields;
    result = judge_all_bits(v, outputs, report, &text, diag);
    if (result) report->verdict = MSW_FAILED; /* for want of memory */
    else if (v->is_bitwise || report->verdict == MSW_FAILED) {
        if (report->verdict == MSW_FAILED) v->fields[0] = v->fields[report->field_count - 1], report->field_count = 1;
        else tell_bits(v, report, &text);
    } else if (v->op->key.image) result = judge_sort(v, outputs, report, &text, diag);
    else if (v->op->any_order) leave_undecided(report, &text);
    else result = judge_by_bounds(v, outputs, structure, report, &text, diag);
    report->is_unbounded = !v->is_bitwise && v->bounds.is_unbounded;
    v->text = text.failed || !text.data ? NULL : ms_arena_strdup(&v->data, text.data);
    v->failure = v->text && v->failure_at ? first_line(&v->data, v->text + v->failure_at) : NULL;
    ms_text_free(&text);
    if (result) return result;
    if (!v->text || (v->failure_at && !v->failure)) return no_memory(diag);
    report->text = v->text;
    report->failure = v->failure;
    return ms_diag(diag, MSW_OK, "", NULL, 0, "%s", "");
}

msw_result msw_verification_judge(msw_verification *v, const void *const *outputs, const msw_structure *structure, msw_verification_report *report,
                                  msw_diag *diag)
{
    msw_verification_report made;
    msw_structure probed;
    msw_result result = check_judged(v, outputs, report, diag);
    if (!result && structure) result = MS_SIZED_READ(msw_structure, structure, &probed, "verify", diag);
    if (result) return result;
    const ms_c_locale locale = ms_c_locale_enter(); /* of the report's numbers */
    result = judge(v, outputs, structure ? &probed : NULL, &made, diag);
    ms_c_locale_leave(locale);
    if (!result) ms_sized_write(report, &made, sizeof made);
    return result;
}
