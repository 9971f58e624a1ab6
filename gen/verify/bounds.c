#include "bounds.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 4096, RUNS = 4, CORNERS = 10, REFERENCE = 0, PUSHED = 1, SHORT_BLOCK = 256, LONG_BLOCK = 1024, FEW = 32, WIDER_OF_FEW = 4 };

/* One way to combine. states[k] is what comes before element k of the chunk, states[k + 1] that with it. */
typedef struct run {
    ms_push push;
    uint64_t block;  /* combined one after the other; 0: a chunk as a balanced tree */
    uint64_t filled; /* elements in `local` */
    uint64_t prefix[MS_MAX_ELEMENT_BYTES], local[MS_MAX_ELEMENT_BYTES], counted[MS_MAX_ELEMENT_BYTES]; /* counted: of a recount */
    uint64_t *states;
} run;

typedef struct maker {
    const ms_operation *op;
    ms_bounds *bounds;
    const ms_type *state;
    uint32_t leaves; /* of the state */
    ms_eval *map, *combine, *output, *recount, *merged;
    int is_map_pushed, is_mapped_by_run; /* the latter: also where devices may flush what a promised map makes */
    int is_exact;                        /* no order of combination rounds */
    int is_output_discontinuous, is_per_element;
    int has_overflowed, has_nan;             /* so far, a state or what is combined with it */
    int has_nan_data, has_infinite;          /* so far, what the map makes of the data, or a state; where devices' maps differ, the data */
    int reads_bits, output_reads_bits;       /* map or combine, the output: integers of the bits of floats */
    int is_reach_known;                      /* of this chunk */
    uint64_t unsure_from;                    /* the first element whose integers depend on what a push has guessed */
    uint64_t chunk_count, nan_from;          /* its elements; the first of them where what is combined has come to NaN */
    uint8_t keeps_nan[MS_MAX_ELEMENT_BYTES]; /* leaves of the state, as ms_combine_keeps_nan tells */
    uint64_t *inputs, *nears, *mapped;       /* of a chunk; inputs and what is near them: wide */
    double *reach;                           /* [block of the chunk][leaf of the state]: what a discontinuous output is tried with */
    run runs[RUNS];
} maker;

/* ---- combining ---- */

static int join(maker *m, run *r, const uint64_t *first, const uint64_t *second, uint64_t *joined)
{
    const uint64_t *args[2] = {m->op->reverse ? second : first, m->op->reverse ? first : second};
    return m->is_exact ? ms_eval_run(m->combine, args, joined) : ms_eval_run_pushed(m->combine, &r->push, args, joined);
}

static uint64_t *row(const maker *m, uint64_t *rows, uint64_t k) { return rows + k * m->leaves; }

static void copy(const maker *m, uint64_t *to, const uint64_t *from) { memcpy(to, from, m->leaves * sizeof *to); }

static int is_near_overflow(msw_scalar scalar, double value) { return isfinite(value) && fabs(value) > ms_scalar_largest(scalar) / 4; }

/* A tile's own aggregate may overflow where no prefix does. */
static void watch_overflow(maker *m, const uint64_t *state, uint64_t k)
{
    for (uint32_t l = 0; l < m->leaves; l++) {
        const msw_scalar scalar = m->state->info.leaves[l].scalar;
        if (!ms_scalar_is_float(scalar)) continue;
        m->has_overflowed |= is_near_overflow(scalar, ms_double_of(state[l]));
        if (isnan(ms_double_of(state[l])) && k < m->nan_from) m->nan_from = k;
    }
}

static int end_block(maker *m, run *r, uint64_t k)
{
    if (!r->filled) return 0;
    watch_overflow(m, r->local, k);
    r->filled = 0;
    return join(m, r, r->prefix, r->local, r->prefix);
}

static int advance_sequential(maker *m, run *r, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t *x = row(m, m->mapped, k);
        uint64_t *state = row(m, r->states, k + 1);
        if (!r->filled) copy(m, r->local, x);
        else if (join(m, r, r->local, x, r->local)) return -1;
        r->filled++;
        if (r->block == SHORT_BLOCK) watch_overflow(m, r->local, k);
        if (m->is_per_element && join(m, r, r->prefix, r->local, state)) return -1;
        if (r->filled == r->block && end_block(m, r, k)) return -1;
    }
    return 0;
}

/* The reference has no blocks: one chain. */
static int advance_chain(maker *m, run *r, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) {
        if (join(m, r, r->prefix, row(m, m->mapped, k), r->prefix)) return -1;
        copy(m, row(m, r->states, k + 1), r->prefix);
    }
    return 0;
}

/* Brent and Kung 1982, in place: depth 2 log2 CHUNK. */
static int advance_balanced(maker *m, run *r, uint64_t count)
{
    uint64_t *tree = r->states + m->leaves, step = 1;
    memcpy(tree, m->mapped, count * m->leaves * sizeof *tree);
    for (; step < count; step *= 2)
        for (uint64_t i = 2 * step - 1; i < count; i += 2 * step)
            if (join(m, r, row(m, tree, i - step), row(m, tree, i), row(m, tree, i))) return -1;
    for (uint64_t k = 0; k < count; k++) watch_overflow(m, row(m, tree, k), k);
    if (m->is_per_element || count != CHUNK)
        for (; step; step /= 2)
            for (uint64_t i = 3 * step - 1; i < count; i += 2 * step)
                if (join(m, r, row(m, tree, i - step), row(m, tree, i), row(m, tree, i))) return -1;
    for (uint64_t k = m->is_per_element ? 0 : count - 1; k < count; k++)
        if (join(m, r, r->prefix, row(m, tree, k), row(m, tree, k))) return -1;
    copy(m, r->prefix, row(m, tree, count - 1));
    return 0;
}

/* ---- a chunk ---- */

static uint64_t place(const maker *m, uint64_t k) { return m->op->reverse ? m->bounds->n - 1 - k : k; }

static void watch_data(maker *m, const ms_type *type, const uint64_t *leaves)
{
    for (uint32_t l = 0; l < type->info.leaf_count; l++) {
        if (!ms_scalar_is_float(type->info.leaves[l].scalar)) continue;
        m->has_nan_data |= isnan(ms_double_of(leaves[l])) != 0;
        m->has_infinite |= isinf(ms_double_of(leaves[l])) != 0;
    }
}

static int differ_in_integers(const maker *m, const uint64_t *a, const uint64_t *b)
{
    for (uint32_t l = 0; l < m->leaves; l++)
        if (!ms_scalar_is_float(m->state->info.leaves[l].scalar) && a[l] != b[l]) return 1;
    return 0;
}

/* The states of elements first .. first + count - 1 in the order of combination; what is promised is rounded as devices do. */
static int map_chunk(maker *m, run *r, const unsigned char *input, uint64_t first, uint64_t count)
{
    const ms_type *type = m->op->input;
    ms_item item;
    uint64_t *const x = item.x;
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t *args[3] = {x, &item.i, item.near};
        uint64_t *mapped = row(m, m->mapped, k), made[MS_MAX_ELEMENT_BYTES];
        ms_operation_take(m->op, input, place(m, first + k), m->bounds->n, m->is_map_pushed || !m->map, &item);
        r->push.has_guessed = 0;
        if (m->map && ms_eval_run_pushed(m->map, &r->push, args, made)) return -1;
        if (m->map && !m->is_map_pushed) ms_leaves_widen(m->state, made);
        if (r->push.has_guessed && first + k < m->unsure_from && differ_in_integers(m, mapped, made)) m->unsure_from = first + k;
        copy(m, mapped, m->map ? made : x);
        if (r != m->runs + REFERENCE) continue;
        watch_data(m, m->is_map_pushed ? type : m->state, m->is_map_pushed ? x : mapped);
        if (!m->output) continue;
        if (!m->is_map_pushed && m->map) ms_operation_take(m->op, input, item.i, m->bounds->n, 1, &item);
        memcpy(m->inputs + k * type->info.leaf_count, x, type->info.leaf_count * sizeof *x);
        if (m->op->near) memcpy(m->nears + k * m->op->near->info.leaf_count, item.near, m->op->near->info.leaf_count * sizeof *x);
    }
    return 0;
}

/* Where states decide what is kept: gives those of the chunk their counters. */
static int count_kept(maker *m, run *r, uint64_t first, uint64_t count)
{
    uint64_t kept[MS_MAX_ELEMENT_BYTES], made[MS_MAX_ELEMENT_BYTES];
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t i = place(m, first + k), *near = m->op->near ? m->nears + k * m->op->near->info.leaf_count : NULL;
        const uint64_t *args[4] = {row(m, r->states, m->op->exclusive ? k : k + 1), m->inputs + k * m->op->input->info.leaf_count, &i, near};
        if (ms_eval_run_pushed(m->recount, &r->push, args, kept) || join(m, r, r->counted, kept, r->counted)) return -1;
        const uint64_t *parts[2] = {row(m, r->states, k + 1), r->counted};
        if (ms_eval_run(m->merged, parts, made)) return -1;
        copy(m, row(m, r->states, k + 1), made);
    }
    return 0;
}

static int advance(maker *m, const unsigned char *input, uint64_t first, uint64_t count)
{
    for (int i = 0; i < RUNS; i++) {
        run *r = &m->runs[i];
        const int is_chain = i == REFERENCE;
        if ((i == REFERENCE || m->is_mapped_by_run) && map_chunk(m, r, input, first, count)) return -1;
        copy(m, r->states, row(m, r->states, CHUNK)); /* what the last chunk, which was a whole one, ended with */
        if (is_chain ? advance_chain(m, r, count) : r->block ? advance_sequential(m, r, count) : advance_balanced(m, r, count)) return -1;
        if (m->recount && count_kept(m, r, first, count)) return -1;
    }
    return 0;
}

/* ---- outputs ---- */

static int make_output(maker *m, const uint64_t *state, uint64_t k, uint64_t first, ms_push *push, uint64_t *result)
{
    const uint64_t i = m->is_per_element ? place(m, first + k) : 0;
    const uint64_t *near = m->op->near ? m->nears + k * m->op->near->info.leaf_count : NULL;
    const uint64_t *args[4] = {state, m->inputs + k * m->op->input->info.leaf_count, &i, near};
    if (m->output) return ms_eval_run_pushed(m->output, push, args, result);
    copy(m, result, state);
    return 0;
}

/* Of an element for which one run has overflowed or come to NaN, or is infinite alone, nothing can be said, nor of those after it; but for NaN that
 * every run has. */
static void watch_state(maker *m, const uint64_t *state, const uint64_t *reference)
{
    for (uint32_t l = 0; l < m->leaves; l++) {
        const msw_scalar scalar = m->state->info.leaves[l].scalar;
        if (!ms_scalar_is_float(scalar)) continue;
        const double value = ms_double_of(state[l]);
        m->has_nan |= isnan(value) != 0;
        m->has_infinite |= isinf(value) != 0;
        m->has_overflowed |= is_near_overflow(scalar, value) || (isinf(value) && value != ms_double_of(reference[l]));
    }
}

/* What one element's outputs may be: takes the outputs of another state than the reference's into account. */
typedef struct outcome {
    uint64_t reference[MS_MAX_ELEMENT_BYTES];
    double moved[MS_MAX_ELEMENT_BYTES], jump[MS_MAX_ELEMENT_BYTES]; /* of pushed runs; the largest of all */
    uint8_t has_number[MS_MAX_ELEMENT_BYTES];                       /* a run has one, not NaN */
    uint8_t *undecided;
} outcome;

static void take(const maker *m, outcome *e, const uint64_t *output, int is_run)
{
    for (uint32_t l = 0; l < m->bounds->leaf_count; l++) {
        if (!ms_scalar_is_float(m->op->output->info.leaves[l].scalar)) {
            if (output[l] != e->reference[l]) e->undecided[l] = MS_SOME_NUMBER;
            continue;
        }
        const double value = ms_double_of(output[l]), expected = ms_double_of(e->reference[l]);
        const double difference = value == expected ? 0 : fabs(value - expected);
        if (!isnan(value)) e->has_number[l] = 1;
        if (isnan(value)) e->undecided[l] = MS_ANYTHING;
        else if (isnan(difference) || isinf(difference)) e->undecided[l] = e->undecided[l] == MS_ANYTHING ? MS_ANYTHING : MS_SOME_NUMBER;
        else if (is_run) e->moved[l] = fmax(e->moved[l], difference);
        e->jump[l] = fmax(e->jump[l], difference);
    }
}

/* The reference's state, and with each float moved as far as its bound, through an output that is not continuous, pushed up and down. */
static int try_neighbours(maker *m, uint64_t k, uint64_t first, outcome *e)
{
    static const ms_push_rule rules[] = {MS_PUSH_UP, MS_PUSH_DOWN};
    uint64_t state[MS_MAX_ELEMENT_BYTES], output[MS_MAX_ELEMENT_BYTES];
    const uint64_t before = m->op->exclusive ? k : k + 1;
    const double *reach = m->reach + k / MS_BOUND_BLOCK * m->leaves;
    for (uint32_t way = 0; way < 2 * (1 + 2 * m->leaves); way++) {
        ms_push push = {.rule = rules[way & 1], .is_loose = m->runs[PUSHED].push.is_loose, .random = 1};
        const uint32_t l = (way / 2 - 1) / 2;
        copy(m, state, row(m, m->runs[REFERENCE].states, before));
        if (way > 1) {
            if (!ms_scalar_is_float(m->state->info.leaves[l].scalar) || !(reach[l] > 0)) continue;
            const double moved = ms_double_of(state[l]) + (way / 2 & 1 ? reach[l] : -reach[l]);
            memcpy(&state[l], &moved, sizeof moved);
        }
        if (make_output(m, state, k, first, &push, output)) return -1;
        take(m, e, output, 0);
    }
    return 0;
}

/* How far the floats of the states may be off, of each block of the chunk: as bounds are made, of the blocks that it has. */
static void find_reach(maker *m, uint64_t count)
{
    m->is_reach_known = 1;
    const uint64_t blocks = (count + MS_BOUND_BLOCK) / MS_BOUND_BLOCK;
    memset(m->reach, 0, (size_t)(CHUNK / MS_BOUND_BLOCK + 1) * m->leaves * sizeof *m->reach);
    for (uint64_t k = 0; k <= count; k++)
        for (uint32_t l = 0; l < m->leaves; l++) {
            const msw_scalar scalar = m->state->info.leaves[l].scalar;
            if (!ms_scalar_is_float(scalar)) continue;
            const double reference = ms_double_of(row(m, m->runs[REFERENCE].states, k)[l]);
            for (int i = PUSHED; i < RUNS; i++) {
                const double reach =
                    2 * fabs(ms_double_of(row(m, m->runs[i].states, k)[l]) - reference) + 2 * ms_scalar_unit(scalar) * fabs(reference);
                for (uint64_t b = k / MS_BOUND_BLOCK ? k / MS_BOUND_BLOCK - 1 : 0; isfinite(reach) && b <= k / MS_BOUND_BLOCK + 1 && b < blocks; b++)
                    m->reach[b * m->leaves + l] = fmax(m->reach[b * m->leaves + l], reach);
            }
        }
}

/* The reference's state with every float moved as far as its bound, up and down in many ways: the result must not be a number in one of them. */
static int try_corners(maker *m, uint64_t k, uint64_t first, outcome *e)
{
    uint64_t state[MS_MAX_ELEMENT_BYTES], output[MS_MAX_ELEMENT_BYTES], ways = 0x9e3779b97f4a7c15u;
    const double *reach = m->reach + k / MS_BOUND_BLOCK * m->leaves;
    for (uint64_t c = 0; c < CORNERS; c++, ways = ways * 0xd1342543de82ef95u + 1) {
        copy(m, state, row(m, m->runs[REFERENCE].states, m->op->exclusive ? k : k + 1));
        for (uint32_t l = 0; l < m->leaves; l++) {
            if (!ms_scalar_is_float(m->state->info.leaves[l].scalar)) continue;
            const int is_up = c < 2 ? (int)c : (int)(ways >> (l & 31) >> 32 & 1);
            const double moved = ms_double_of(state[l]) + (is_up ? reach[l] : -reach[l]);
            memcpy(&state[l], &moved, sizeof moved);
        }
        if (make_output(m, state, k, first, &m->runs[PUSHED + c % (RUNS - PUSHED)].push, output)) return -1;
        for (uint32_t l = 0; l < m->bounds->leaf_count; l++)
            if (!isnan(ms_double_of(output[l]))) e->has_number[l] = 1;
    }
    return 0;
}

/* 1: NaN of the states are of the data, and no order of combination gets rid of them. Infinities are different: (a - b) * inf is a number's product
 * in one order, and inf - inf in another. */
static int are_nans_sure(const maker *m, const uint64_t *reference)
{
    if (m->has_overflowed) return 0;
    for (uint32_t l = 0; l < m->leaves; l++)
        if (ms_scalar_is_float(m->state->info.leaves[l].scalar) && isnan(ms_double_of(reference[l])) &&
            !(m->has_nan_data && !m->has_infinite && m->keeps_nan[l]))
            return 0;
    return 1;
}

/* Marks the leaves that every run, and every state that a device may have, make NaN of. */
static int mark_nans(maker *m, uint64_t k, uint64_t first, const uint64_t *reference, outcome *e)
{
    const ms_type *type = m->op->output;
    int has_nan = 0;
    for (uint32_t l = 0; l < m->bounds->leaf_count; l++)
        has_nan |= ms_scalar_is_float(type->info.leaves[l].scalar) && isnan(ms_double_of(e->reference[l])) && !e->has_number[l];
    if (!has_nan || !are_nans_sure(m, reference)) return 0;
    if (m->output && !m->is_reach_known) find_reach(m, m->is_per_element ? m->chunk_count : 1);
    if (m->output && try_corners(m, k, first, e)) return -1;
    for (uint32_t l = 0; l < m->bounds->leaf_count; l++)
        if (ms_scalar_is_float(type->info.leaves[l].scalar) && isnan(ms_double_of(e->reference[l])) && !e->has_number[l])
            e->undecided[l] = MS_SURE_NAN;
    return 0;
}

/* Integers that change with the bits of NaN, which are each device's own. */
static int mark_integers_of_nan(maker *m, uint64_t k, uint64_t first, const uint64_t *reference, outcome *e)
{
    ms_push push = {.rule = MS_PUSH_NAN, .is_loose = 1, .random = 1};
    uint64_t state[MS_MAX_ELEMENT_BYTES], output[MS_MAX_ELEMENT_BYTES];
    copy(m, state, reference);
    for (uint32_t l = 0; l < m->leaves; l++)
        if (ms_scalar_is_float(m->state->info.leaves[l].scalar)) state[l] = ms_nan_other(MSW_F64, state[l]);
    if (m->output_reads_bits && make_output(m, state, k, first, &push, output)) return -1;
    for (uint32_t l = 0; l < m->bounds->leaf_count; l++) {
        if (ms_scalar_is_float(m->op->output->info.leaves[l].scalar)) continue;
        if ((m->reads_bits && m->has_nan) || (m->output_reads_bits && output[l] != e->reference[l])) e->undecided[l] = MS_SOME_NUMBER;
    }
    return 0;
}

static int judge_element(maker *m, uint64_t k, uint64_t first, outcome *e)
{
    const uint64_t at = m->is_per_element && m->op->exclusive ? k : k + 1;
    const uint64_t *reference = row(m, m->runs[REFERENCE].states, at);
    const int is_unsure = m->is_per_element ? first + at > m->unsure_from : m->unsure_from != UINT64_MAX; /* later ones may cancel it */
    uint64_t output[MS_MAX_ELEMENT_BYTES];
    m->has_nan |= at > m->nan_from;
    for (int i = 0; i < RUNS; i++) {
        const uint64_t *state = row(m, m->runs[i].states, at);
        watch_state(m, state, reference);
        if (make_output(m, state, k, first, &m->runs[i].push, i == REFERENCE ? e->reference : output)) return -1;
        if (i != REFERENCE) take(m, e, output, 1);
    }
    for (uint32_t l = 0; l < m->bounds->leaf_count; l++) {
        const msw_scalar scalar = m->op->output->info.leaves[l].scalar;
        if (is_unsure && (m->output || !ms_scalar_is_float(scalar))) e->undecided[l] = MS_ANYTHING;
        if (!ms_scalar_is_float(scalar)) continue;
        const double value = ms_double_of(e->reference[l]);
        if (m->has_overflowed || m->has_nan || isnan(value) || (isinf(value) && scalar == MSW_F64) || is_near_overflow(scalar, value))
            e->undecided[l] = MS_ANYTHING;
    }
    if (m->is_output_discontinuous && try_neighbours(m, k, first, e)) return -1;
    if ((m->reads_bits || m->output_reads_bits) && mark_integers_of_nan(m, k, first, reference, e)) return -1;
    return mark_nans(m, k, first, reference, e);
}

static void note(maker *m, const outcome *e, uint64_t block)
{
    ms_bounds *b = m->bounds;
    for (uint32_t l = 0; l < b->leaf_count; l++) {
        if (!ms_scalar_is_float(m->op->output->info.leaves[l].scalar) || e->undecided[l]) continue;
        double *moved = &b->moved[block * b->leaf_count + l], *scale = &b->scale[block * b->leaf_count + l];
        const double size = isinf(ms_double_of(e->reference[l])) ? 0 : fabs(ms_double_of(e->reference[l])); /* infinite: data or identities are */
        /* a jump: other elements' bounds are not made of it */
        if (m->is_output_discontinuous && e->jump[l] > 2 * e->moved[l] && e->jump[l] > 0.01 * fmax(size, *scale)) e->undecided[l] = MS_SOME_NUMBER;
        else if (m->is_output_discontinuous && e->moved[l] > 0.01 * fmax(size, *scale)) e->undecided[l] = MS_SOME_NUMBER;
        else *moved = fmax(*moved, m->is_output_discontinuous ? e->jump[l] : e->moved[l]);
        *scale = fmax(*scale, size);
    }
}

static int finish_element(maker *m, uint64_t k, uint64_t first)
{
    ms_bounds *b = m->bounds;
    const uint64_t i = m->is_per_element ? place(m, first + k) : 0;
    outcome e;
    memset(e.moved, 0, b->leaf_count * sizeof *e.moved);
    memset(e.jump, 0, b->leaf_count * sizeof *e.jump);
    memset(e.has_number, 0, b->leaf_count);
    e.undecided = b->undecided + i * b->leaf_count;
    if (judge_element(m, k, first, &e)) return -1;
    ms_leaves_store(m->op->output, b->expected + i * m->op->output->info.size_bytes, e.reference, 1);
    note(m, &e, m->is_per_element ? (first + k) / MS_BOUND_BLOCK : 0);
    return 0;
}

/* ---- the whole ---- */

static int make_blocks(maker *m, const unsigned char *input)
{
    uint64_t first = 0, last = 0;
    for (; first < m->bounds->n; first += CHUNK) {
        const uint64_t count = m->bounds->n - first < CHUNK ? m->bounds->n - first : CHUNK;
        m->is_reach_known = 0, m->chunk_count = count, m->nan_from = UINT64_MAX;
        if (advance(m, input, first, count)) return -1;
        if (m->is_output_discontinuous && m->is_per_element) find_reach(m, count);
        for (uint64_t k = 0; m->is_per_element && k < count; k++)
            if (finish_element(m, k, first)) return -1;
        m->has_nan |= m->nan_from < count;
    }
    if (m->is_per_element) return 0;
    for (int i = 0; i < RUNS; i++) {
        run *r = &m->runs[i];
        if (i != REFERENCE && r->block && end_block(m, r, 0)) return -1;
        copy(m, r->states, r->prefix);
        copy(m, row(m, r->states, 1), r->prefix);
    }
    find_reach(m, 1);
    return finish_element(m, last, 0);
}

/* A block's bound is that of what is around it. */
static void spread(double *values, uint64_t blocks, uint32_t leaves)
{
    for (uint32_t l = 0; l < leaves; l++) {
        double before = 0;
        for (uint64_t b = 0; b < blocks; b++) {
            double *own = &values[b * leaves + l];
            const double given = *own, after = b + 1 < blocks ? own[leaves] : 0;
            *own = fmax(given, fmax(before, after));
            before = given;
        }
    }
}

static int open_runs(maker *m, ms_arena *arena, int is_loose)
{
    static const ms_push_rule rules[RUNS] = {MS_PUSH_NONE, MS_PUSH_AWAY, MS_PUSH_UP, MS_PUSH_SIGN};
    const ms_operation *op = m->op;
    const uint64_t root = (uint64_t)sqrt((double)m->bounds->n);
    const uint64_t blocks[RUNS] = {0, root > LONG_BLOCK ? root : LONG_BLOCK, 0, SHORT_BLOCK};
    for (int i = 0; i < RUNS; i++) {
        run *r = &m->runs[i];
        r->push = (ms_push){.rule = rules[i], .is_loose = is_loose, .random = 0x9e3779b97f4a7c15u};
        r->block = blocks[i];
        r->states = ms_arena_alloc(arena, (size_t)(CHUNK + 1) * m->leaves * sizeof *r->states);
        if (!r->states) return 0;
        ms_leaves_load(m->state, op->init ? op->init : op->monoid->identity, r->prefix, 1);
        ms_leaves_load(m->state, op->monoid->identity, r->counted, 1);
        copy(m, row(m, r->states, CHUNK), r->prefix);
    }
    return 1;
}

static int open(maker *m, ms_arena *arena, int is_loose, const void *input)
{
    const ms_operation *op = m->op;
    ms_bounds *b = m->bounds;
    m->is_map_pushed = op->map && !ms_function_is_promised(op->map);
    m->is_exact = ms_sums_are_exact(op, arena, b->n, input);
    b->is_exact = m->is_exact && !op->output_map;
    m->is_mapped_by_run = m->is_map_pushed || (is_loose && op->map && op->map->leaves);
    m->output_reads_bits = op->output_map && ms_function_reads_bits(op->output_map, arena);
    m->reads_bits = ms_function_reads_bits(op->monoid->combine, arena) || (op->map && ms_function_reads_bits(op->map, arena));
    m->is_output_discontinuous = op->output_map && ms_function_is_discontinuous(op->output_map);
    m->combine = ms_eval_create(arena, op->monoid->combine, 1);
    m->map = op->map ? ms_eval_create(arena, op->map, m->is_map_pushed) : NULL;
    m->output = op->output_map ? ms_eval_create(arena, op->output_map, 1) : NULL;
    m->recount = op->recount ? ms_eval_create(arena, op->recount, 1) : NULL;
    m->merged = op->merged ? ms_eval_create(arena, op->merged, 1) : NULL;
    m->inputs = ms_arena_alloc(arena, (size_t)CHUNK * op->input->info.leaf_count * sizeof *m->inputs);
    m->nears = ms_arena_alloc(arena, (size_t)CHUNK * (op->near ? op->near->info.leaf_count : 1) * sizeof *m->nears);
    m->mapped = ms_arena_alloc(arena, (size_t)CHUNK * m->leaves * sizeof *m->mapped);
    m->reach = ms_arena_alloc(arena, (size_t)(CHUNK / MS_BOUND_BLOCK + 1) * m->leaves * sizeof *m->reach);
    b->expected = ms_arena_alloc(arena, b->count * op->output->info.size_bytes);
    b->moved = ms_arena_alloc(arena, b->block_count * b->leaf_count * sizeof *b->moved);
    b->scale = ms_arena_alloc(arena, b->block_count * b->leaf_count * sizeof *b->scale);
    b->undecided = ms_arena_alloc(arena, b->count * b->leaf_count);
    return ms_combine_keeps_nan(op->monoid->combine, arena, m->keeps_nan) && m->combine && (m->map || !op->map) && (m->output || !op->output_map) &&
           (m->recount || !op->recount) && (m->merged || !op->merged) && m->inputs && m->nears && m->mapped && m->reach && b->expected && b->moved &&
           b->scale && b->undecided && open_runs(m, arena, is_loose);
}

static uint64_t find_infinite(const ms_operation *op, uint64_t n, const unsigned char *input)
{
    const msw_type_info *type = &op->input->info;
    for (uint64_t k = 0; k < n; k++) {
        const uint64_t i = op->reverse ? n - 1 - k : k;
        for (uint32_t l = 0; l < type->leaf_count; l++) {
            const msw_scalar scalar = type->leaves[l].scalar;
            if (!ms_scalar_is_float(scalar)) continue;
            const uint64_t bits = ms_scalar_load(scalar, input + i * type->size_bytes + type->leaves[l].offset_bytes);
            if (!isfinite(ms_scalar_to_double(scalar, bits))) return i;
        }
    }
    return n;
}

msw_result ms_bounds_make(const ms_operation *op, ms_arena *arena, int is_loose, uint64_t n, const void *input, ms_bounds *bounds)
{
    const int is_per_element = ms_operation_is_per_element(op);
    const uint64_t count = is_per_element ? n : 1;
    maker *m = ms_arena_alloc(arena, sizeof *m);
    if (!m || n > SIZE_MAX / 256) return MSW_ERROR_OUT_OF_MEMORY;
    *bounds = (ms_bounds){.n = n,
                          .count = count,
                          .first_infinite = find_infinite(op, n, input),
                          .block_elements = MS_BOUND_BLOCK,
                          .block_count = (count + MS_BOUND_BLOCK - 1) / MS_BOUND_BLOCK,
                          .leaf_count = op->output->info.leaf_count,
                          .is_reverse = is_per_element && op->reverse};
    *m = (maker){.op = op,
                 .bounds = bounds,
                 .is_per_element = is_per_element,
                 .nan_from = UINT64_MAX,
                 .unsure_from = UINT64_MAX,
                 .state = op->monoid->type,
                 .leaves = op->monoid->type->info.leaf_count};
    if (!open(m, arena, is_loose, input)) return MSW_ERROR_OUT_OF_MEMORY;
    if (make_blocks(m, input)) return MSW_ERROR_SPEC;
    for (int r = 0; r < RUNS; r++) bounds->is_unbounded |= m->runs[r].push.is_unbounded;
    spread(bounds->moved, bounds->block_count, bounds->leaf_count);
    spread(bounds->scale, bounds->block_count, bounds->leaf_count);
    for (uint32_t l = 0; n < FEW && count && l < bounds->leaf_count; l++)
        bounds->moved[l] *= WIDER_OF_FEW; /* four runs may miss the tree that rounds most, and no elements around make up for it */
    return MSW_OK;
}
