/* Dynamic programming in reverse. A state is the set of values that the kernels placed so far, which run last, need in memory and no kernel stores
 * yet: the border. A transition places one kernel before them. design.md has the recurrence and why it is exact. */
#include "floor.h"

#include <math.h>

/* Of all states; of kernels tried: steps of their enumeration. Beyond either the best states of a stage go on alone. */
enum {
    MOST_STATES = 100000,
    MOST_STEPS = 200000,
    PART_STEPS = 20000,
    BEAM_STATES = 64,
    BEAM_STEPS = 2000,
    DIVE_STATES = 4,
    DIVE_STEPS = 200,
    NEAR_KERNELS = 8
};
static const double tolerance = 1e-12; /* of times: sums in another order differ by as much */

typedef struct ms_state {
    ms_set border;     /* values */
    ms_set operations; /* of the kernel after this border */
    double seconds;    /* of all kernels after it */
    double bound;      /* of a whole cut through this state */
    uint32_t parent;   /* the border after that kernel */
    uint32_t next;     /* of the stage; the list's end: UINT32_MAX */
    int is_open;       /* no kernel was placed before this border yet, or it was then reached in more time */
} ms_state;

typedef struct ms_searching {
    const ms_cutting *cutting;
    ms_need *needs;
    double kernel_seconds;
    ms_state *states;
    uint32_t state_count, state_capacity;
    uint32_t *table; /* of states by their borders: index + 1; 0: free */
    uint32_t table_size;
    uint32_t stages[MS_CUT_MAX_OPERATIONS + 1]; /* by the number of operations that the border depends on */
    double best;                                /* the least time so far, of a cut that is known */
    uint32_t last;                              /* the state with no border that it belongs to; UINT32_MAX: none of this search */
    uint32_t width;                             /* states that go on of a stage; 0: all of them */
    uint64_t steps, steps_left, most_steps;
    uint64_t all_states, transitions; /* of the runs before; of all runs */
    int is_part;                      /* the least time is looked for, not the cut */
    int is_cut_short, has_failed;
} ms_searching;

/* A kernel that grows backwards from a border, an operation at a time. */
typedef struct ms_growth {
    ms_members members;
    ms_set undecided;     /* operations whose values are on the border, or that members use */
    ms_set used;          /* values that members use */
    ms_set border, reads; /* values: of the state to be; of these, what this kernel reads, and arrays */
    ms_floor floor;       /* of the border */
    double bytes, instructions;
} ms_growth;

/* ---- states ---- */

static uint32_t *find_entry(const ms_searching *s, const ms_set *border)
{
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (uint32_t w = 0; w < MS_SET_WORDS; w++) hash = (hash ^ border->words[w]) * 0xff51afd7ed558ccdu, hash ^= hash >> 32;
    for (uint32_t i = (uint32_t)hash & (s->table_size - 1);; i = (i + 1) & (s->table_size - 1))
        if (!s->table[i] || ms_set_equals(&s->states[s->table[i] - 1].border, border)) return &s->table[i];
}

static int grow_table(ms_searching *s)
{
    ms_arena *arena = s->cutting->arena;
    const uint32_t size = s->table_size ? 2 * s->table_size : 256;
    ms_state *states = ms_arena_resize(arena, s->states, s->state_capacity * sizeof *states, size / 2 * sizeof *states);
    if (!states) return 0;
    s->states = states;
    s->state_capacity = size / 2;
    uint32_t *table = ms_arena_resize(arena, NULL, 0, size * sizeof *table);
    if (!table) return 0;
    ms_arena_resize(arena, s->table, s->table_size * sizeof *table, 0);
    s->table = memset(table, 0, size * sizeof *table);
    s->table_size = size;
    for (uint32_t i = 0; i < s->state_count; i++) *find_entry(s, &s->states[i].border) = i + 1;
    return 1;
}

/* 1: the rest of the cut is known, but for what it is. */
static int is_known(ms_searching *s, const ms_state *state)
{
    if (!s->is_part || ms_set_count(&state->border) != 1) return 0;
    const double rest = s->needs[s->cutting->graph->values[ms_set_last(&state->border)].operation].seconds;
    if (rest <= 0) return 0;
    s->best = fmin(s->best, state->seconds + rest);
    return 1;
}

/* Keeps the state, if it is new or reached in less time than before. A border's operations are fewer the earlier it is: stages behind this one are
 * done. */
static void reach(ms_searching *s, const ms_state *state, uint32_t open_count)
{
    if (s->state_count == s->state_capacity && !grow_table(s)) {
        s->has_failed = 1;
        return;
    }
    uint32_t *entry = find_entry(s, &state->border);
    if (!*entry) {
        s->states[s->state_count] = *state;
        s->states[s->state_count].next = s->stages[open_count];
        s->stages[open_count] = s->state_count++;
        *entry = s->state_count;
    } else if (state->seconds < s->states[*entry - 1].seconds) {
        const uint32_t next = s->states[*entry - 1].next;
        s->states[*entry - 1] = *state;
        s->states[*entry - 1].next = next;
    } else {
        return;
    }
    if (open_count || state->seconds >= s->best * (1 - tolerance)) return;
    s->best = state->seconds;
    s->last = *entry - 1;
}

/* ---- transitions ---- */

/* Of a whole cut with this kernel, or one that grows from it. */
static double bound_of(const ms_searching *s, const ms_state *state, const ms_growth *growth)
{
    const ms_cut_device *d = s->cutting->device;
    return state->seconds + s->kernel_seconds + d->launch_seconds + ms_busy_seconds(d, growth->bytes, growth->instructions) +
           ms_floor_seconds(s->cutting, &growth->floor, s->kernel_seconds);
}

static void read_value(const ms_searching *s, ms_growth *growth, uint32_t v)
{
    const ms_cut_graph *g = s->cutting->graph;
    if (ms_set_has(&growth->reads, v)) return;
    ms_set_add(&growth->reads, v);
    growth->bytes += ms_value_bytes(g, v);
}

/* An earlier kernel stores the value. */
static void leave_value(const ms_searching *s, ms_growth *growth, uint32_t v)
{
    ms_set_add(&growth->border, v);
    ms_floor_raise(s->cutting, s->needs, v, &growth->floor);
}

/* The operation's values stay on the border, or come to it. */
static void leave_operation(const ms_searching *s, const ms_state *state, ms_growth *growth, uint32_t o)
{
    const ms_cut_operation *op = &s->cutting->graph->operations[o];
    for (uint32_t v = op->first_result; v < op->first_result + op->result_count; v++) {
        if (ms_set_has(&growth->used, v)) read_value(s, growth, v);
        if (ms_set_has(&growth->used, v) || ms_set_has(&state->border, v)) leave_value(s, growth, v);
    }
}

/* The kernel computes it, and stores what the border has of it unless a map's value is left to an earlier kernel. */
static void take_operation(const ms_searching *s, const ms_state *state, ms_growth *growth, uint32_t o, int is_stored)
{
    const ms_cut_graph *g = s->cutting->graph;
    const ms_cut_operation *op = &g->operations[o];
    ms_set_add(&growth->members.operations, o);
    growth->instructions += s->needs[o].instructions;
    growth->bytes += s->needs[o].own_bytes;
    for (uint32_t v = op->first_result; v < op->first_result + op->result_count; v++) {
        if (!ms_set_has(&state->border, v)) continue;
        if (is_stored) ms_set_add(&growth->members.writes, v), growth->bytes += ms_value_bytes(g, v);
        else leave_value(s, growth, v);
    }
    for (uint32_t p = 0; p < op->operand_count; p++) {
        const uint32_t v = op->operands[p].value;
        if (g->values[v].operation == MS_CUT_ARRAY) read_value(s, growth, v);
        else if (op->operands[p].is_stored) read_value(s, growth, v), leave_value(s, growth, v);
        else ms_set_add(&growth->used, v), ms_set_add(&growth->undecided, g->values[v].operation);
    }
}

/* What no kernel that grows from this one can mend. */
static int is_too_large(const ms_searching *s, const ms_growth *growth)
{
    const ms_cut_device *d = s->cutting->device;
    const uint32_t buffers = d->max_buffers ? ms_set_count(&growth->reads) + ms_set_count(&growth->members.writes) : 0;
    return (d->max_operations && ms_set_count(&growth->members.operations) > d->max_operations) || buffers > d->max_buffers;
}

/* A step, too. */
static int evaluate(ms_searching *s, const ms_members *members, ms_cut_kernel *kernel)
{
    s->steps++;
    s->steps_left -= s->steps_left > 0;
    return ms_kernel_evaluate(s->cutting, members, kernel);
}

/* 1: the kernel could as well compute a map whose value it reads, in no more time: then less is on the border. */
static int reads_in_vain(ms_searching *s, const ms_growth *growth, double seconds)
{
    const ms_cut_graph *g = s->cutting->graph;
    for (uint32_t v = MS_SET_START; ms_set_next(&growth->reads, &v);) {
        const uint32_t o = g->values[v].operation;
        if (o == MS_CUT_ARRAY || g->operations[o].kind != MS_CUT_MAP) continue;
        int has_all = 1;
        for (uint32_t p = 0; p < g->operations[o].operand_count; p++) {
            const uint32_t operand = g->operations[o].operands[p].value, producer = g->values[operand].operation;
            has_all &= ms_set_has(&growth->reads, operand) || (producer != MS_CUT_ARRAY && ms_set_has(&growth->members.operations, producer));
        }
        ms_members more = growth->members;
        ms_set_add(&more.operations, o);
        ms_cut_kernel kernel;
        if (has_all && evaluate(s, &more, &kernel) && kernel.seconds <= seconds) return 1;
    }
    return 0;
}

/* 1: a kernel of `operations` reads a value that is among these. */
static int reads_any(const ms_searching *s, const ms_set *operations, const ms_set *values)
{
    const ms_cut_graph *g = s->cutting->graph;
    for (uint32_t v = MS_SET_START; ms_set_next(values, &v);)
        if (!ms_set_has(operations, g->values[v].operation) && ms_set_meets(&s->cutting->users[v], operations)) return 1;
    return 0;
}

/* 1: it could as well be part of a later kernel, in no more time; no kernel between the two reads what it stores. */
static int splits_in_vain(ms_searching *s, const ms_state *state, const ms_growth *growth, double seconds)
{
    uint32_t tried = 0;
    for (uint32_t i = state->parent; s->states[i].parent != UINT32_MAX && tried < NEAR_KERNELS; i = s->states[i].parent, tried++) {
        const ms_state *later = &s->states[i], *after = &s->states[later->parent];
        ms_members both = {later->operations, ms_set_without(&after->border, &later->border)};
        ms_cut_kernel kernel;
        ms_set_unite(&both.operations, &growth->members.operations);
        for (uint32_t v = MS_SET_START; ms_set_next(&growth->members.writes, &v);)
            if (ms_set_has(&after->border, v)) ms_set_add(&both.writes, v);
        if (evaluate(s, &both, &kernel) && kernel.seconds <= seconds + later->seconds - after->seconds) return 1;
        if (reads_any(s, &later->operations, &growth->members.writes)) return 0;
    }
    return 0;
}

static void place(ms_searching *s, uint32_t parent, const ms_growth *growth)
{
    ms_cut_kernel kernel;
    s->transitions++;
    if (ms_set_is_empty(&growth->members.operations) || !evaluate(s, &growth->members, &kernel)) return;
    ms_state state = {.border = growth->border, .operations = growth->members.operations, .parent = parent, .is_open = 1};
    state.seconds = s->states[parent].seconds + s->kernel_seconds + kernel.seconds;
    state.bound = state.seconds + ms_floor_seconds(s->cutting, &growth->floor, s->kernel_seconds);
    if (state.bound >= s->best * (1 - tolerance)) return;
    if (is_known(s, &state)) return;
    if (reads_in_vain(s, growth, kernel.seconds) || splits_in_vain(s, &state, growth, kernel.seconds)) return;
    reach(s, &state, ms_set_count(&growth->floor.open));
}

/* 1: some result of the operation is in the set. */
static int has_result_in(const ms_cut_operation *op, const ms_set *values)
{
    for (uint32_t v = op->first_result; v < op->first_result + op->result_count; v++)
        if (ms_set_has(values, v)) return 1;
    return 0;
}

static void grow(ms_searching *s, uint32_t parent, const ms_growth *growth)
{
    const uint32_t o = ms_set_last(&growth->undecided);
    const ms_state *state = &s->states[parent]; /* not after a call: they move */
    if (s->has_failed) return;
    if (!s->steps_left) {
        s->is_cut_short = 1;
        return;
    }
    s->steps_left--;
    s->steps++;
    if (bound_of(s, state, growth) >= s->best * (1 - tolerance) || is_too_large(s, growth)) return;
    if (o == UINT32_MAX) {
        place(s, parent, growth);
        return;
    }
    const ms_cut_operation *op = &s->cutting->graph->operations[o];
    const int is_map = op->kind == MS_CUT_MAP;
    ms_growth with = *growth;
    ms_set_remove(&with.undecided, o);
    ms_growth without = with;
    /* Operations other than maps are computed once: not where an earlier kernel still needs them. */
    if (is_map || !ms_set_has(&growth->floor.open, o)) {
        take_operation(s, state, &with, o, 1);
        grow(s, parent, &with);
    }
    state = &s->states[parent];
    if (is_map && has_result_in(op, &growth->used) && has_result_in(op, &state->border)) {
        with = without;
        take_operation(s, state, &with, o, 0);
        grow(s, parent, &with);
        state = &s->states[parent];
    }
    leave_operation(s, state, &without, o);
    grow(s, parent, &without);
}

static void expand(ms_searching *s, uint32_t index)
{
    const ms_cut_graph *g = s->cutting->graph;
    ms_growth growth = {.members = {{{0}}, {{0}}}};
    for (uint32_t v = MS_SET_START; ms_set_next(&s->states[index].border, &v);) ms_set_add(&growth.undecided, g->values[v].operation);
    s->steps_left = s->width == DIVE_STATES ? DIVE_STEPS
                    : s->width              ? BEAM_STEPS
                                            : s->most_steps - (s->steps < s->most_steps ? s->steps : s->most_steps);
    grow(s, index, &growth);
}

/* ---- stages ---- */

static void sort_by_bound(const ms_searching *s, uint32_t *order, uint32_t count)
{
    for (uint32_t gap = count / 2; gap > 0; gap /= 2) /* Shell's */
        for (uint32_t i = gap; i < count; i++)
            for (uint32_t j = i; j >= gap && s->states[order[j]].bound < s->states[order[j - gap]].bound; j -= gap) {
                const uint32_t moved = order[j];
                order[j] = order[j - gap];
                order[j - gap] = moved;
            }
}

static uint32_t count_open(const ms_searching *s, uint32_t stage)
{
    uint32_t count = 0;
    for (uint32_t i = s->stages[stage]; i != UINT32_MAX; i = s->states[i].next) count += s->states[i].is_open != 0;
    return count;
}

/* The states that are open. */
static int run_round(ms_searching *s, uint32_t stage, uint32_t count)
{
    uint32_t *order = ms_arena_resize(s->cutting->arena, NULL, 0, count * sizeof *order);
    if (!order) return 0;
    count = 0;
    for (uint32_t i = s->stages[stage]; i != UINT32_MAX; i = s->states[i].next)
        if (s->states[i].is_open) s->states[i].is_open = 0, order[count++] = i;
    sort_by_bound(s, order, count);
    for (uint32_t i = 0; i < count && !s->has_failed; i++) {
        if (s->states[order[i]].bound >= s->best * (1 - tolerance)) break;
        if (!s->width && (s->state_count > MOST_STATES || s->steps >= s->most_steps)) s->width = BEAM_STATES, s->is_cut_short = 1;
        if (s->width && i >= s->width) {
            s->is_cut_short = 1;
            break;
        }
        expand(s, order[i]);
    }
    ms_arena_resize(s->cutting->arena, order, count * sizeof *order, 0);
    return !s->has_failed;
}

/* A kernel may compute maps that an earlier one computes, too: its border is of the same stage, and has its turn in another round. */
static int run_stage(ms_searching *s, uint32_t stage)
{
    for (uint32_t count; (count = count_open(s, stage)) > 0;) {
        if (!run_round(s, stage, count)) return 0;
        if (s->width) break;
    }
    return 1;
}

/* All stages, from this border to none. */
static int run_stages(ms_searching *s, const ms_set *border, uint32_t width, uint64_t most_steps)
{
    ms_state start = {.border = *border, .parent = UINT32_MAX, .is_open = 1};
    ms_floor floor = {.bytes = 0};
    for (uint32_t v = MS_SET_START; ms_set_next(border, &v);) ms_floor_raise(s->cutting, s->needs, v, &floor);
    const uint32_t first = ms_set_count(&floor.open);
    start.bound = ms_floor_seconds(s->cutting, &floor, s->kernel_seconds);
    for (uint32_t stage = 0; stage <= first; stage++) s->stages[stage] = UINT32_MAX;
    if (s->table) memset(s->table, 0, s->table_size * sizeof *s->table);
    s->all_states += s->state_count;
    s->state_count = 0;
    s->width = width;
    s->is_cut_short = 0;
    s->steps = 0;
    s->most_steps = most_steps;
    s->last = UINT32_MAX;
    reach(s, &start, first);
    for (uint32_t stage = first; stage > 0; stage--)
        if (!run_stage(s, stage)) return 0;
    return !s->has_failed;
}

/* The kernels on the way to the best state: the last state's is launched first. */
static uint32_t read_back(const ms_searching *s, ms_members *kernels, uint32_t kernel_count)
{
    if (s->last == UINT32_MAX) return kernel_count;
    kernel_count = 0;
    for (const ms_state *state = &s->states[s->last]; state->parent != UINT32_MAX; state = &s->states[state->parent])
        kernels[kernel_count++] = (ms_members){state->operations, ms_set_without(&s->states[state->parent].border, &state->border)};
    return kernel_count;
}

/* First a narrow beam: the less the best time known is, the more is pruned. */
static int run_twice(ms_searching *s, const ms_set *border, uint64_t most_steps, ms_members *kernels, uint32_t *kernel_count)
{
    for (uint32_t width = DIVE_STATES;; width = 0) {
        if (!run_stages(s, border, width, most_steps)) return 0;
        if (kernels) *kernel_count = read_back(s, kernels, *kernel_count);
        if (!width) return 1;
    }
}

/* Operation by operation, the least time that it takes to store a result of it: no border that it is on takes less. */
static int find_least_seconds(ms_searching *s)
{
    const ms_cut_graph *g = s->cutting->graph;
    uint64_t steps = 0;
    for (uint32_t o = MS_SET_START; steps < MOST_STEPS && ms_set_next(&s->cutting->needed, &o);) {
        double least = INFINITY;
        for (uint32_t v = g->operations[o].first_result; v < g->operations[o].first_result + g->operations[o].result_count; v++) {
            ms_set border = {{0}};
            ms_set_add(&border, v);
            s->best = INFINITY;
            if (!run_twice(s, &border, PART_STEPS, NULL, NULL)) return 0;
            least = s->is_cut_short ? 0 : fmin(least, s->best);
            steps += s->steps;
        }
        s->needs[o].seconds = least;
    }
    return 1;
}

uint32_t ms_search(const ms_cutting *cutting, double kernel_seconds, ms_members *kernels, uint32_t kernel_count, ms_cut *cut)
{
    const ms_cut_graph *g = cutting->graph;
    ms_searching *s = ms_arena_alloc(cutting->arena, sizeof *s);
    ms_set outputs = {{0}};
    if (!s) return 0;
    for (uint32_t v = 0; v < g->value_count; v++)
        if (g->values[v].is_output && g->values[v].operation != MS_CUT_ARRAY) ms_set_add(&outputs, v);
    *s = (ms_searching){.cutting = cutting, .needs = ms_needs(cutting), .kernel_seconds = kernel_seconds};
    s->is_part = 1;
    int is_done = s->needs && find_least_seconds(s);
    s->is_part = 0;
    s->best = ms_kernels_seconds(cutting, kernels, kernel_count) + kernel_count * kernel_seconds;
    is_done = is_done && run_twice(s, &outputs, MOST_STEPS, kernels, &kernel_count);
    cut->is_proved = !s->is_cut_short;
    cut->states = s->all_states + s->state_count;
    cut->transitions = s->transitions;
    ms_arena_resize(cutting->arena, s->states, s->state_capacity * sizeof *s->states, 0);
    ms_arena_resize(cutting->arena, s->table, s->table_size * sizeof *s->table, 0);
    return is_done ? kernel_count : 0;
}
