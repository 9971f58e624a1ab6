/* What an operation is made of. */
#include "kinds.h"
#include "choices.h"
#include "diag.h"

#include <string.h>

uint32_t ms_operation_functions(const ms_operation *op, const ms_function *functions[MS_MAX_FUNCTIONS])
{
    const ms_function *const all[MS_MAX_FUNCTIONS] = {op->monoid ? op->monoid->combine : NULL, op->map, op->output_map, op->item};
    uint32_t count = 0;
    for (int i = 0; i < MS_MAX_FUNCTIONS; i++)
        if (all[i]) functions[count++] = all[i];
    return count;
}

const char *ms_operation_sources(const ms_operation *op)
{
    static const char *const names[] = {
        NULL, "map", "combine", "map and combine", "output", "map and output", "combine and output", "map, combine and output"};
    const ms_function *const functions[] = {op->map, op->monoid ? op->monoid->combine : NULL, op->output_map}; /* `item` is none */
    unsigned are_sources = 0;
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i] && !functions[i]->leaves) are_sources |= 1u << i;
    return names[are_sources];
}

uint32_t ms_operation_part_count(const ms_operation *op) { return op->pipeline ? op->pipeline->stage_count : 1; }

const ms_operation *ms_operation_part_of(const ms_operation *op, uint32_t part) { return op->pipeline ? op->pipeline->stages[part].op : op; }

int ms_operation_is_balanced(const ms_operation *op)
{
    if (!op->monoid || op->order != MS_ORDER_OF_N) return 0;
    return !ms_function_is_bit_exact(op->monoid->combine) || op->info.law_warning;
}

/* The operation's bits are the language's to promise: no order of combination rounds, or n alone decides it, and no function does but as every
 * device. */
int ms_operation_is_promised(const ms_operation *op)
{
    for (uint32_t p = 0; op->pipeline && p < ms_operation_part_count(op); p++)
        if (!ms_operation_is_promised(ms_operation_part_of(op, p))) return 0;
    const ms_function *functions[MS_MAX_FUNCTIONS];
    const uint32_t count = ms_operation_functions(op, functions);
    for (uint32_t i = 0; i < count; i++)
        if (op->monoid && !ms_operation_is_balanced(op) && functions[i] == op->monoid->combine ? !ms_function_is_bit_exact(functions[i])
                                                                                               : !ms_function_is_promised(functions[i]))
            return 0;
    return 1;
}

int ms_spec_has(const msw_spec *spec, uint32_t index) { return index < spec->operation_count + spec->stage_count; }

msw_result ms_operation_check(const ms_operation *op, msw_diag *diag)
{
    if (!op->is_left_out) return MSW_OK;
    return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "laws", NULL, 0,
                   "the spec was read for another operation, so the laws of '%s' are not tested; name it in msw_spec_desc.op, or none there",
                   op->name);
}

uint32_t ms_operation_count(const ms_operation *op, msw_role role)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < op->info.buffer_count; b++) count += op->info.buffers[b].role == role;
    return count;
}

/* What uniforms say of lengths. Places beyond what 32 bits hold take the form of 64 bits. */
static void bind_lengths(ms_operation *op, uint32_t buffer_count, const uint64_t *uniforms)
{
    int has_far_places = 0;
    for (uint32_t b = 0; b < buffer_count; b++) {
        const int by = msw_given_by(op->info.buffers[b].length);
        if (by < 0) continue;
        op->given_lengths[b] = uniforms[op->first_leaves[by]];
        if (!msw_is_scattered(op->info.buffers[b].length)) op->segment_count = op->given_lengths[b];
        else has_far_places |= op->given_lengths[b] > MS_NOWHERE;
    }
    if (op->wide && has_far_places) ms_operation_widen(op);
}

int ms_operation_bind(ms_operation *op, const void *const *uniforms, ms_arena *arena)
{
    const ms_function **const functions[] = {&op->map,       &op->output_map,  &op->from_carry,  &op->to_carry,    &op->totals,
                                             &op->continued, &op->item,        &op->reach,       &op->recount,     &op->empty,
                                             &op->part,      &op->part_joined, &op->part_output, &op->part_combine};
    const uint32_t first = op->info.buffer_count - ms_operation_count(op, MSW_ROLE_UNIFORM);
    size_t leaf_count = 0;
    for (uint32_t b = first; b < op->info.buffer_count; b++) leaf_count = op->first_leaves[b] + op->buffer_types[b]->info.leaf_count;
    uint64_t *values = ms_arena_alloc(arena, (leaf_count + 1) * sizeof *values);
    if (!values) return 0;
    for (uint32_t b = first; b < op->info.buffer_count; b++) ms_leaves_load(op->buffer_types[b], *uniforms++, values + op->first_leaves[b], 0);
    bind_lengths(op, first, values);
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        if (!*functions[f]) continue;
        ms_function *bound = ms_arena_alloc(arena, sizeof *bound);
        if (!bound) return 0;
        *bound = **functions[f];
        bound->uniforms = values;
        *functions[f] = bound;
    }
    op->info.buffer_count = first;
    op->uniforms = NULL;
    return 1;
}

uint64_t ms_operation_elements(const ms_operation *op, uint32_t b, uint64_t n)
{
    return msw_elements_given(op->info.buffers[b].length, n, op->given_lengths[b]);
}

void ms_operation_widen(ms_operation *op)
{
    const ms_wide *wide = op->wide;
    if (wide->monoid) op->monoid = wide->monoid;
    if (wide->output) op->output = wide->output;
    if (wide->map) op->map = wide->map;
    if (wide->output_map) op->output_map = wide->output_map;
    if (wide->from_carry) op->from_carry = wide->from_carry;
    if (wide->to_carry) op->to_carry = wide->to_carry;
    if (wide->totals) op->totals = wide->totals;
    if (wide->continued) op->continued = wide->continued;
    if (wide->reach) op->reach = wide->reach;
    if (wide->recount) op->recount = wide->recount;
    if (wide->merged) op->merged = wide->merged;
    if (wide->init) op->init = wide->init;
    if (wide->start) op->start = wide->start;
    op->wide = NULL;
    op->is_wide = 1;
}

int ms_operation_has_places(const ms_operation *op)
{
    if (op->item) return 1;
    for (uint32_t b = 0; b < op->info.buffer_count; b++)
        if (op->places[b]) return 1;
    return 0;
}

/* Element i of the arrays of that role, as leaves. */
static void load(const ms_operation *op, msw_role role, const void *const *arrays, uint64_t i, uint64_t *leaves)
{
    for (uint32_t b = 0; b < op->info.buffer_count; b++) {
        if (op->info.buffers[b].role != role) continue;
        const unsigned char *array = *arrays++;
        if (ms_operation_has_offsets(op, b)) leaves[op->first_leaves[b]] = ms_segment_at(op, array, i);
        else ms_leaves_load(op->buffer_types[b], array + i * op->buffer_types[b]->info.size_bytes, leaves + op->first_leaves[b], 0);
    }
}

static void take(const ms_operation *op, const void *records, uint64_t i, int wide, uint64_t *leaves)
{
    ms_leaves_load(op->input, (const unsigned char *)records + i * op->input->info.size_bytes, leaves, wide);
}

/* Zeros are near the ends. */
static uint64_t *begin_near(const ms_operation *op, uint64_t i, uint64_t n, ms_item *item)
{
    const size_t leaves = op->input->info.leaf_count;
    memset(item->near, 0, sizeof item->near);
    item->near[2 * leaves] = i == 0;
    item->near[2 * leaves + 1] = i + 1 == n;
    return item->near + leaves;
}

void ms_operation_load(const ms_operation *op, const void *const *inputs, uint64_t i, uint64_t n, ms_item *item)
{
    load(op, MSW_ROLE_IN, inputs, i, item->x);
    item->i = i;
    if (!op->near) return;
    uint64_t *after = begin_near(op, i, n, item);
    if (i) load(op, MSW_ROLE_IN, inputs, i - 1, item->near);
    if (i + 1 < n) load(op, MSW_ROLE_IN, inputs, i + 1, after);
}

void ms_operation_take(const ms_operation *op, const void *records, uint64_t i, uint64_t n, int wide, ms_item *item)
{
    take(op, records, i, wide, item->x);
    item->i = i;
    if (!op->near) return;
    uint64_t *after = begin_near(op, i, n, item);
    if (i) take(op, records, i - 1, wide, item->near);
    if (i + 1 < n) take(op, records, i + 1, wide, after);
}

int ms_operation_is_total(const ms_operation *op, uint32_t b)
{
    return op->totals && op->info.buffers[b].role == MSW_ROLE_OUT && op->info.buffers[b].length == MSW_LENGTH_ONE;
}

uint64_t ms_operation_place(const ms_operation *op, uint32_t b, uint64_t i, uint64_t n, const uint64_t *leaves)
{
    if (!op->places[b]) return i;
    const uint64_t place = leaves[op->places[b] - 1], nowhere = op->is_wide ? UINT64_MAX : MS_NOWHERE;
    return place != nowhere && place < ms_operation_elements(op, b, n) ? place : UINT64_MAX;
}

void ms_operation_store(const ms_operation *op, void *const *outputs, uint64_t i, uint64_t n, const uint64_t *leaves)
{
    for (uint32_t b = 0; b < op->info.buffer_count; b++) {
        if (op->info.buffers[b].role != MSW_ROLE_OUT) continue;
        unsigned char *array = *outputs++;
        const uint64_t place = ms_operation_is_total(op, b) ? UINT64_MAX : ms_operation_place(op, b, i, n, leaves);
        if (!array || place == UINT64_MAX) continue;
        ms_leaves_store(op->buffer_types[b], array + place * op->buffer_types[b]->info.size_bytes, leaves + op->first_leaves[b], 0);
    }
}

void ms_operation_fill(const ms_operation *op, void *const *outputs, uint64_t place, const uint64_t *leaves)
{
    for (uint32_t b = 0; b < op->info.buffer_count; b++) {
        if (op->info.buffers[b].role != MSW_ROLE_OUT) continue;
        unsigned char *array = *outputs++;
        if (array) ms_leaves_store(op->buffer_types[b], array + place * op->buffer_types[b]->info.size_bytes, leaves + op->first_leaves[b], 0);
    }
}

void ms_operation_store_totals(const ms_operation *op, void *const *outputs, const uint64_t *leaves)
{
    for (uint32_t b = 0; b < op->info.buffer_count; b++) {
        if (op->info.buffers[b].role != MSW_ROLE_OUT) continue;
        void *number = *outputs++;
        if (ms_operation_is_total(op, b) && number) ms_leaves_store(op->buffer_types[b], number, leaves + op->first_leaves[b], 0);
    }
}

const void *ms_operation_gather_inputs(const ms_operation *op, const void *const *inputs, uint64_t n, ms_arena *arena)
{
    uint64_t leaves[MS_MAX_ELEMENT_BYTES];
    if (!op->has_input_fields) return inputs[0];
    unsigned char *made = ms_arena_alloc(arena, (size_t)n * op->input->info.size_bytes + 1);
    for (uint64_t i = 0; made && i < n; i++) {
        load(op, MSW_ROLE_IN, inputs, i, leaves);
        ms_leaves_store(op->input, made + i * op->input->info.size_bytes, leaves, 0);
    }
    return made;
}

int ms_operation_scatter_inputs(const ms_operation *op, const void *records, uint64_t n, ms_arena *arena, const void *inputs[MSW_MAX_BUFFERS])
{
    uint64_t leaves[MS_MAX_ELEMENT_BYTES];
    uint32_t count = 0;
    inputs[0] = records;
    for (uint32_t b = 0; op->has_input_fields && b < op->info.buffer_count; b++) {
        const ms_type *type = op->buffer_types[b];
        if (op->info.buffers[b].role != MSW_ROLE_IN) continue;
        if (ms_operation_has_offsets(op, b)) {
            if (!(inputs[count++] = ms_segments_offsets(op, records, n, arena))) return 0;
            continue;
        }
        unsigned char *made = ms_arena_alloc(arena, (size_t)n * type->info.size_bytes + 1);
        if (!made) return 0;
        for (uint64_t i = 0; i < n; i++) {
            take(op, records, i, 0, leaves);
            ms_leaves_store(type, made + i * type->info.size_bytes, leaves + op->first_leaves[b], 0);
        }
        inputs[count++] = made;
    }
    return 1;
}

void ms_evaluation_load(const ms_evaluation *e, uint64_t i, ms_item *item)
{
    if (e->has_records) ms_operation_take(e->op, e->inputs[0], i, e->n, 0, item);
    else ms_operation_load(e->op, e->inputs, i, e->n, item);
}

void ms_evaluation_store(const ms_evaluation *e, uint64_t i, const uint64_t *leaves)
{
    const ms_type *record = e->op->output;
    if (!e->has_records) ms_operation_store(e->op, e->outputs, i, e->n, leaves);
    else ms_leaves_store(record, (unsigned char *)e->outputs[0] + i * record->info.size_bytes, leaves, 0);
}

uint32_t ms_operation_buffer(const ms_operation *op, msw_role role, uint32_t leaf)
{
    uint32_t found = 0;
    for (uint32_t b = 0; b < op->info.buffer_count; b++)
        if (op->info.buffers[b].role == role && !ms_operation_is_total(op, b) && op->first_leaves[b] <= leaf) found = b;
    return found;
}

const msw_kind_info *ms_operation_kind(const ms_operation *op) { return &ms_kind_infos[op->kind]; }

uint64_t ms_operation_room(const ms_operation *op, uint64_t n) { return ms_operation_elements(op, op->info.items, n); }

int ms_operation_is_per_element(const ms_operation *op)
{
    uint32_t b = 0;
    while (op->info.buffers[b].role == MSW_ROLE_IN) b++;
    return op->info.buffers[b].length != MSW_LENGTH_ONE;
}
