/* Arrays, runs, comparisons and exact inputs of the probes. */
#include "prober.h"
#include "gather.h"

#include <stdio.h>
#include <string.h>

/* ---- arrays ---- */

int ms_prober_reserve(prober *p, uint64_t n)
{
    const ms_type *in = p->op->input, *out = p->op->output;
    if (n <= p->capacity) return 1;
    p->input = ms_arena_alloc(&p->arena, n * in->info.size_bytes);
    p->expected = ms_arena_alloc(&p->arena, n * out->info.size_bytes);
    p->got = ms_arena_alloc(&p->arena, n * out->info.size_bytes);
    p->capacity = p->input && p->expected && p->got ? n : 0;
    return p->capacity != 0;
}

/* ---- comparing ---- */

void ms_prober_tell(prober *p, const msw_leaf *leaf, uint64_t i, uint64_t got, uint64_t expected)
{
    char texts[2][64];
    ms_format_leaf(texts[0], leaf->scalar, got);
    ms_format_leaf(texts[1], leaf->scalar, expected);
    p->structure->verdict = MSW_FAILED;
    snprintf(p->structure->text, sizeof p->structure->text, "structure, %s: %s%.100s%selement %llu: got %s, expected %s", p->what,
             leaf->path[0] ? "field " : "", leaf->path, leaf->path[0] ? ", " : "", (unsigned long long)i, texts[0], texts[1]);
}

/* The caller's function, in the caller's locale. */
static msw_result call(prober *p, msw_verification_run function, void *user, uint64_t n, const void *const *inputs, void *const *outputs)
{
    ms_c_locale_leave(p->locale);
    const msw_result result = function(user, n, inputs, outputs, p->diag);
    p->locale = ms_c_locale_enter();
    return result;
}

msw_result ms_prober_call_operation(prober *p, uint64_t n, const void *expected)
{
    const ms_operation *op = p->v->op;
    const uint64_t count = ms_operation_is_per_element(op) ? n : 1;
    const void *inputs[MSW_MAX_BUFFERS], *gathered;
    void *outputs[MSW_MAX_BUFFERS] = {p->got};
    ms_arena arena;
    ms_arena_init(&arena, &p->v->allocator, 0);
    int is_ready = ms_operation_scatter_inputs(op, p->input, n, &arena, inputs);
    memcpy(inputs + ms_operation_count(op, MSW_ROLE_IN), p->v->uniforms, p->v->uniform_count * sizeof *inputs);
    for (uint32_t b = 0, o = 0; is_ready && op->has_output_fields && b < op->info.buffer_count; b++)
        if (op->info.buffers[b].role == MSW_ROLE_OUT) {
            const size_t bytes = (size_t)ms_operation_elements(op, b, n) * op->info.buffers[b].type.size_bytes;
            outputs[o] = ms_arena_alloc(&arena, bytes + 1);
            if (outputs[o]) memset(outputs[o], 0xa5, bytes);
            is_ready = outputs[o++] != NULL;
        }
    msw_result result = is_ready ? call(p, p->desc->run, p->desc->user, n, inputs, outputs) : ms_prober_no_memory(p);
    if (!result && op->has_output_fields) {
        gathered = ms_gather_outputs(op, (const void *const *)outputs, n, count, expected, NULL, NULL, &arena);
        if (gathered) memcpy(p->got, gathered, (size_t)count * op->output->info.size_bytes);
        else result = ms_prober_no_memory(p);
    }
    ms_arena_free(&arena);
    return result;
}

msw_result ms_prober_run(prober *p, uint64_t n)
{
    const int has_own = p->v->state_spec && p->op == p->v->state;
    memset(p->got, 0xa5, (ms_operation_is_per_element(p->op) ? n : 1) * p->op->output->info.size_bytes);
    if (!has_own) return ms_prober_call_operation(p, n, p->expected);
    return call(p, p->desc->run_state, p->desc->state_user, n, (const void *[]){p->input}, (void *[]){p->got});
}

int ms_prober_compare(prober *p, const ms_operation *op, uint64_t n, int (*is_same)(msw_scalar, uint64_t, uint64_t))
{
    const ms_type *out = op->output;
    const uint64_t count = ms_operation_is_per_element(op) ? n : 1;
    if (!memcmp(p->got, p->expected, count * out->info.size_bytes)) return 1;
    for (uint64_t i = 0; i < count; i++)
        for (uint32_t l = 0; l < out->info.leaf_count; l++) {
            const msw_leaf *leaf = &out->info.leaves[l];
            const uint64_t a = ms_scalar_load(leaf->scalar, element(p->got, out, i) + leaf->offset_bytes);
            const uint64_t b = ms_scalar_load(leaf->scalar, element(p->expected, out, i) + leaf->offset_bytes);
            if (is_same(leaf->scalar, a, b)) continue;
            ms_prober_tell(p, leaf, i, a, b);
            return 0;
        }
    return 1;
}

uint64_t ms_prober_draw_leaf(prober *p, msw_scalar scalar)
{
    unsigned char memory[8] = {0};
    p->random = ms_splitmix(p->random);
    if (ms_scalar_is_float(scalar)) return ms_random_leaf(scalar, &p->random);
    ms_scalar_store(scalar, memory, p->random >> (p->random & 31));
    return ms_scalar_load(scalar, memory);
}

/* ---- exact inputs ---- */

int ms_prober_write_exact(prober *p, const ms_exact_input *input, uint64_t n, int *has_failed)
{
    const ms_type *type = p->op->monoid->type;
    uint64_t state[MS_MAX_ELEMENT_BYTES], wide[MS_MAX_ELEMENT_BYTES], x[MS_MAX_ELEMENT_BYTES], narrow[MS_MAX_ELEMENT_BYTES];
    uint64_t given[MS_MAX_ELEMENT_BYTES];
    const uint64_t *args[2] = {p->op->reverse ? x : wide, p->op->reverse ? wide : x};
    const size_t bytes = type->info.leaf_count * sizeof *state;
    const int is_scan = ms_operation_is_per_element(p->op), are_states = !p->op->output_map;
    ms_leaves_load(type, p->op->init ? p->op->init : p->op->monoid->identity, state, 0);
    memcpy(wide, state, bytes);
    ms_leaves_widen(type, wide);
    for (uint64_t k = 0; k < n; k++) {
        const uint64_t i = place(p, n, k), *map_args[2] = {given, &i};
        ms_exact_element(input, k, given);
        ms_leaves_store(p->op->input, element(p->input, p->op->input, i), given, 0);
        if (!p->op->map) memcpy(x, given, bytes);
        else if (ms_eval_run(p->map, map_args, x)) return *has_failed = 1, 0;
        if (is_scan && are_states && p->op->exclusive) ms_leaves_store(type, element(p->expected, type, i), state, 0);
        if (join(p, state, x, state)) return *has_failed = 1, 0;
        ms_leaves_widen(type, x);
        if (ms_eval_run(p->wide, args, wide)) return *has_failed = 1, 0;
        memcpy(narrow, state, bytes);
        ms_leaves_widen(type, narrow);
        for (uint32_t l = 0; l < type->info.leaf_count; l++) {
            const msw_scalar scalar = type->info.leaves[l].scalar;
            if (!ms_is_small(scalar, state[l], p->identity[l])) return 0;
            if (!ms_is_same_in_any_order(ms_scalar_is_float(scalar) ? MSW_F64 : scalar, narrow[l], wide[l])) return 0;
        }
        if (is_scan && are_states && !p->op->exclusive) ms_leaves_store(type, element(p->expected, type, i), state, 0);
    }
    if (!is_scan && are_states) ms_leaves_store(type, p->expected, state, 0);
    return 1;
}

msw_result ms_prober_search(prober *p, ms_exact_inputs *found)
{
    if (found->inputs) return MSW_OK;
    found->inputs = ms_arena_alloc(&p->v->arena, MS_EXACT_KEPT * sizeof *found->inputs);
    if (!found->inputs) return ms_prober_no_memory(p);
    found->count = ms_exact_search(p->op, &p->v->arena, p->v->op, found->inputs);
    return MSW_OK;
}
