/* The operation itself, with its map and output: single elements, short runs, and several tiles. */
#include "gather.h"
#include "prober.h"

#include <math.h>
#include <string.h>

enum { SINGLES = 32, SHORT_RUNS = 4, LONGEST_SHORT = 5, WHOLE_RUNS = 2 };

/* Whether identities would leave the mapped element and the result as they are. */
static int is_order_free(prober *p, const ms_operation *op, const unsigned char *input, uint64_t n, const uint64_t *start)
{
    uint64_t x[MS_MAX_ELEMENT_BYTES], state[MS_MAX_ELEMENT_BYTES], mapped[MS_MAX_ELEMENT_BYTES];
    memcpy(state, start, sizeof state);
    for (uint64_t k = 0; k < n; k++) {
        const uint64_t i = op->reverse ? n - 1 - k : k, *args[2] = {x, &i};
        ms_leaves_load(op->input, input + i * op->input->info.size_bytes, x, 0);
        if (!p->map) memcpy(mapped, x, sizeof mapped);
        else if (ms_eval_run(p->map, args, mapped)) return 0;
        if (!ms_is_neutral(p->op, p->combine, mapped) || join(p, state, mapped, state) || !ms_is_neutral(p->op, p->combine, state)) return 0;
    }
    return 1;
}

/* One element after init, or two: what map and output make of them, to the bit. */
static msw_result probe_singles(prober *p)
{
    const ms_operation *op = p->v->op;
    const uint64_t n = op->init ? 1 : 2, extra = op->init && op->exclusive; /* an exclusive scan shows the last element to none */
    unsigned char input[3 * MS_MAX_ELEMENT_BYTES], expected[3 * MS_MAX_ELEMENT_BYTES], got[3 * MS_MAX_ELEMENT_BYTES];
    unsigned char *const kept[3] = {p->input, p->expected, p->got};
    uint64_t start[MS_MAX_ELEMENT_BYTES];
    msw_result result = MSW_OK;
    if (!ms_is_neutral(p->op, p->combine, p->identity)) return MSW_OK;
    ms_leaves_load(op->monoid->type, op->init ? op->init : op->monoid->identity, start, 0);
    p->input = input, p->expected = expected, p->got = got;
    p->what = "single elements through map and output";
    for (int s = 0; s < SINGLES && !result && p->structure->verdict != MSW_FAILED; s++) {
        memset(input, 0, sizeof input);
        for (uint64_t i = 0; i < n + extra; i++)
            for (uint32_t l = 0; l < op->input->info.leaf_count; l++) {
                const msw_leaf *leaf = &op->input->info.leaves[l];
                ms_scalar_store(leaf->scalar, input + i * op->input->info.size_bytes + leaf->offset_bytes, ms_prober_draw_leaf(p, leaf->scalar));
            }
        if (!is_order_free(p, op, input, n, start)) continue;
        result = ms_oracle_run_records(op, &p->v->allocator, n + extra, input, expected, MS_FLOATS_AS_PROMISED, p->diag);
        if (!result) result = ms_prober_call_operation(p, n + extra, expected);
        if (!result) ms_prober_compare(p, op, n + extra, ms_is_same_leaf);
    }
    p->input = kept[0], p->expected = kept[1], p->got = kept[2];
    return result;
}

/* ---- what bounds show ---- */

static int write_output(const prober *p, ms_eval *output, const uint64_t *state, const uint64_t *x, uint64_t i)
{
    uint64_t made[MS_MAX_ELEMENT_BYTES];
    const uint64_t *args[3] = {state, x, &i};
    if (output && ms_eval_run(output, args, made)) return -1;
    ms_leaves_store(p->op->output, element(p->got, p->op->output, ms_operation_is_per_element(p->op) ? i : 0), output ? made : state, 0);
    return 0;
}

/* Writes what a device has that loses one element: of those from `least` on, in the order of combination, the first that is no identity. */
static int write_without(prober *p, uint64_t n, uint64_t least, ms_eval *output)
{
    const ms_operation *op = p->op;
    const int is_scan = ms_operation_is_per_element(op);
    const size_t bytes = op->monoid->type->info.leaf_count * sizeof *p->identity;
    int is_lost = 0;
    uint64_t state[MS_MAX_ELEMENT_BYTES], x[MS_MAX_ELEMENT_BYTES], mapped[MS_MAX_ELEMENT_BYTES];
    ms_leaves_load(op->monoid->type, op->init ? op->init : op->monoid->identity, state, 0);
    for (uint64_t k = 0; k < n; k++) {
        const uint64_t i = place(p, n, k), *args[2] = {x, &i};
        ms_leaves_load(op->input, element(p->input, op->input, i), x, 0);
        if (is_scan && op->exclusive && write_output(p, output, state, x, i)) return -1;
        if (!p->map) memcpy(mapped, x, bytes);
        else if (ms_eval_run(p->map, args, mapped)) return -1;
        const int is_next = !is_lost && k >= least && memcmp(mapped, p->identity, bytes);
        is_lost |= is_next;
        if (!is_next && join(p, state, mapped, state)) return -1;
        if (is_scan && !op->exclusive && write_output(p, output, state, x, i)) return -1;
    }
    return is_scan ? 0 : write_output(p, output, state, NULL, 0);
}

/* 1: bounds so narrow that elements which a device loses show, as far as a few tell. */
static int is_loss_shown(prober *p, uint64_t n, const ms_bounds *bounds)
{
    msw_verified_field fields[MS_MAX_ELEMENT_BYTES] = {{0}};
    ms_eval *output = p->op->output_map ? ms_eval_create(&p->arena, p->op->output_map, 0) : NULL;
    if (p->op->output_map && !output) return 0;
    for (uint64_t quarter = 1; quarter < 4; quarter++) {
        int is_shown = 0;
        if (write_without(p, n, n * quarter / 5, output)) return 0;
        ms_bounds_judge(bounds, p->op->output, p->got, MS_PROBED_STATES, NULL, NULL, fields);
        for (uint32_t l = 0; l < bounds->leaf_count; l++) is_shown |= fields[l].verdict == MSW_FAILED;
        if (!is_shown) return 0;
    }
    return 1;
}

/* ---- short runs ---- */

/* Numbers like those of pairs, or, where no function is a source, which may be made for small ones, of all sizes. */
static void write_input(prober *p, uint64_t n, int is_small, double size)
{
    const ms_type *type = p->v->op->input;
    memset(p->input, 0, n * type->info.size_bytes);
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t l = 0; l < type->info.leaf_count; l++) {
            const msw_leaf *leaf = &type->info.leaves[l];
            uint64_t bits = is_small ? ms_random_leaf(leaf->scalar, &p->random) : ms_prober_draw_leaf(p, leaf->scalar);
            if (ms_scalar_is_float(leaf->scalar)) bits = ms_scalar_from_double(leaf->scalar, size * ms_scalar_to_double(leaf->scalar, bits));
            ms_scalar_store(leaf->scalar, element(p->input, type, i) + leaf->offset_bytes, bits);
        }
}

/* Judges the output as that of a user's data is judged; counts it where all is verified. */
static void judge_bounds(prober *p, const ms_bounds *bounds, uint32_t *count)
{
    const ms_type *type = p->v->op->output;
    msw_verified_field fields[MS_MAX_ELEMENT_BYTES] = {{0}};
    int is_verified = 1;
    ms_bounds_judge(bounds, type, p->got, MS_PROBED_STATES, NULL, NULL, fields);
    for (uint32_t l = 0; l < bounds->leaf_count; l++) {
        const msw_leaf *leaf = &type->info.leaves[l];
        const uint64_t offset = fields[l].element * type->info.size_bytes + leaf->offset_bytes;
        is_verified = is_verified && fields[l].verdict == MSW_VERIFIED;
        if (fields[l].verdict != MSW_FAILED) continue;
        ms_prober_tell(p, leaf, fields[l].element, ms_scalar_load(leaf->scalar, p->got + offset),
                       ms_scalar_load(leaf->scalar, bounds->expected + offset));
        return;
    }
    *count += (uint32_t)is_verified;
}

/* The input that is written. */
static msw_result run_within_bounds(prober *p, uint64_t n, uint32_t *count)
{
    const int is_short = n <= LONGEST_SHORT;
    const ms_operation *op = p->v->op;
    ms_bounds bounds;
    ms_arena arena;
    ms_arena_init(&arena, &p->v->allocator, 0);
    msw_result result = ms_bounds_make(op, &arena, p->v->is_loose, n, p->input, &bounds);
    if (result == MSW_ERROR_OUT_OF_MEMORY) ms_prober_no_memory(p);
    else if (result) result = MSW_OK;                          /* a host function that refuses such an input */
    else if (ms_places_are_open(op, &bounds)) result = MSW_OK; /* the device need not keep what the host keeps */
    else if (is_short || is_loss_shown(p, n, &bounds)) {
        memset(p->got, 0xa5, (ms_operation_is_per_element(op) ? n : 1) * op->output->info.size_bytes);
        result = ms_prober_call_operation(p, n, bounds.expected);
        if (!result) judge_bounds(p, &bounds, count);
    }
    ms_arena_free(&arena);
    return result;
}

/* The operation itself, with its map and output, of a few elements: what only a part of a tile, or a short prefix, shows. */
static msw_result probe_short(prober *p)
{
    static const uint64_t lengths[] = {1, 2, 3, LONGEST_SHORT};
    static const char *const names[] = {"1 element", "2 elements", "3 elements", "5 elements"};
    unsigned char input[LONGEST_SHORT * MS_MAX_ELEMENT_BYTES], got[LONGEST_SHORT * MS_MAX_ELEMENT_BYTES];
    unsigned char *const kept[2] = {p->input, p->got};
    const int is_small = p->v->op->info.sources != NULL;
    msw_result result = MSW_OK;
    p->input = input, p->got = got;
    for (int l = 0; l < 4; l++)
        for (int r = 0; r < SHORT_RUNS && !result && p->structure->verdict != MSW_FAILED; r++) {
            p->what = names[l];
            write_input(p, lengths[l], is_small || r & 1, 1);
            result = run_within_bounds(p, lengths[l], &p->structure->short_count);
        }
    p->input = kept[0], p->got = kept[1];
    return result;
}

/* ---- several tiles ---- */

static msw_result run_exact(prober *p, uint64_t n)
{
    const ms_operation *op = p->op;
    msw_result result = MSW_OK;
    if (op->output_map) result = ms_oracle_run_records(op, &p->v->allocator, n, p->input, p->expected, MS_FLOATS_AS_PROMISED, p->diag);
    memset(p->got, 0xa5, (ms_operation_is_per_element(op) ? n : 1) * op->output->info.size_bytes);
    if (!result) result = ms_prober_call_operation(p, n, p->expected);
    if (!result && ms_prober_compare(p, op, n, ms_is_same_in_any_order)) p->whole_count++;
    return result;
}

/* Random numbers, for maps that make no small integers. */
static msw_result probe_random(prober *p, uint64_t n)
{
    static const double sizes[] = {1, 0x1p8, 0x1p-4};
    msw_result result = MSW_OK;
    for (int s = 0; s < 3 && !result && !p->whole_count && p->structure->verdict != MSW_FAILED; s++) {
        write_input(p, n, 1, sizes[s]);
        result = run_within_bounds(p, n, &p->whole_count);
    }
    return result;
}

/* Several tiles of numbers of which map and combine make small integers, or other numbers: where one element is lost, it shows. */
static msw_result probe_whole(prober *p, int is_promised)
{
    const ms_operation *op = p->v->op;
    const int is_exact = is_promised && !(op->output_map && ms_function_reads_bits(op->output_map, &p->arena)); /* the order decides a zero's sign */
    const uint64_t few = 2 * p->tile + 3; /* for Lua functions, which take long */
    p->is_whole_exact = is_exact;
    p->what = "integer input through map and output";
    p->op = op, p->capacity = 0;
    msw_result result = op->input->info.leaf_count ? ms_prober_search(p, &p->v->whole) : MSW_OK; /* there is one input of nothing, below */
    for (uint32_t e = 0; !result && e < p->v->whole.count && p->whole_count < WHOLE_RUNS && p->structure->verdict != MSW_FAILED; e++) {
        ms_exact_input input = p->v->whole.inputs[e];
        const uint64_t most = p->sizes[is_exact && !p->whole_count ? 0 : 1], n = op->info.sources && few < most ? few : most;
        int has_failed = 0;
        const uint32_t before = p->whole_count;
        if (!ms_prober_reserve(p, n)) return ms_prober_no_memory(p);
        for (int s = 0; s < MS_SPREAD_STEPS && !result && p->whole_count == before && !has_failed && p->structure->verdict != MSW_FAILED; s++) {
            if (ms_prober_write_exact(p, &input, n, &has_failed)) result = is_exact ? run_exact(p, n) : run_within_bounds(p, n, &p->whole_count);
            if (!is_exact && s == 0 && !result && p->whole_count == before && p->structure->verdict != MSW_FAILED) {
                p->what = "random input through map and output";
                write_input(p, n, 1, 1); /* before elements are set apart: what cancels leaves narrow bounds, and no place without an element */
                result = run_within_bounds(p, n, &p->whole_count);
                if (p->structure->verdict != MSW_FAILED) p->what = "integer input through map and output";
            }
            input.spacing *= input.has_neutral ? 8 : 1;
        }
    }
    if (result || p->whole_count || p->structure->verdict == MSW_FAILED) return result;
    p->is_whole_exact = 0;
    p->what = "input through map and output";
    const uint64_t n = op->info.sources && few < p->sizes[1] ? few : p->sizes[1];
    return ms_prober_reserve(p, n) ? probe_random(p, n) : ms_prober_no_memory(p);
}

msw_result ms_probe_operation(prober *p, int is_promised)
{
    msw_result result = MSW_OK;
    if (p->v->op->near || p->v->op->segments) return MSW_OK; /* the user's own elements have what is near them, and segments */
    if (is_promised && p->v->state_spec) result = probe_singles(p);
    if (!result && p->structure->verdict != MSW_FAILED) result = probe_short(p);
    return !result && p->structure->verdict != MSW_FAILED && p->v->state_spec ? probe_whole(p, is_promised) : result;
}
