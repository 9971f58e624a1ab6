/* phases.h - the cheapest schedule of an expression's graph for a number of registers, in phases, by dynamic programming in reverse (Heirich 2005).
 *
 * A phase begins and ends with no value in a register. Values that a later phase needs are parked, where the next phase and later ones load them.
 * Leaves can be loaded in any phase. An operation is computed once, and its result may take the register of an operand.
 *
 * A state is what the operations that are placed, the last ones, need of those that are not: values that are in registers (live), that this phase
 * loads though they are no leaves (reloaded), and that phases before it must park (parked). What the rest costs depends on the state alone. It is a
 * test's and no part of the generator, since phases gained nothing in kernels (gen/cut/design.md). Include after cmocka.h. */
#ifndef PHASES_H
#define PHASES_H

#include "cut/set.h"

#include <stdlib.h>

enum { PHASES_MOST_VALUES = MS_CUT_MAX_VALUES, PHASES_MOST_OPERANDS = 3, PHASES_MOST_STATES = 1 << 17 };
/* An operation, a load and a store each take one; a border is Heirich's "new pass". */
enum { PHASES_STEP_COST = 1, PHASES_BORDER_COST = 10 };

typedef struct phases_value {
    uint32_t operands[PHASES_MOST_OPERANDS], operand_count; /* without operands: a leaf. Each comes before the value, and once */
} phases_value;

typedef struct phases_graph {
    phases_value values[PHASES_MOST_VALUES];
    uint32_t count;
} phases_graph; /* an operation that none uses is a result: it stays in a register */

/* Which operation may be placed next, of those whose users are placed. */
typedef enum phases_rule {
    PHASES_ALL,           /* any: exact */
    PHASES_SETHI_ULLMAN,  /* those with the lowest number, all of them */
    PHASES_SHORTEST_TREE, /* the first of those that fewest values are made for: Heirich's, which is not conservative */
} phases_rule;

typedef struct phases_result {
    uint32_t cost, loads, parks, phases; /* cost UINT32_MAX: so few registers do not do */
    uint32_t states, transitions;
    int is_whole; /* 0: more than PHASES_MOST_STATES, the rest was not looked at */
} phases_result;

typedef struct phases_state {
    ms_set live, reloaded, parked, placed;
    phases_result so_far; /* of the operations that are placed */
    uint32_t next;        /* in its stage, plus 1 */
} phases_state;

typedef struct phases_search {
    const phases_graph *graph;
    uint32_t registers, operation_count;
    phases_rule rule;
    uint32_t numbers[PHASES_MOST_VALUES], sizes[PHASES_MOST_VALUES]; /* Sethi and Ullman's; values that it is made of, each as often as it is used */
    ms_set users[PHASES_MOST_VALUES];
    phases_state *states;
    uint32_t *table;                            /* of hashes: states, plus 1 */
    uint32_t stages[PHASES_MOST_VALUES + 1][2]; /* by how many operations are placed; 1: a phase's border */
    phases_result found;
} phases_search;

enum { PHASES_TABLE = 4 * PHASES_MOST_STATES };

static int phases_is_leaf(const phases_search *s, uint32_t v) { return !s->graph->values[v].operand_count; }

static void phases_number(phases_search *s)
{
    memset(s->users, 0, sizeof s->users);
    for (uint32_t v = 0; v < s->graph->count; v++) {
        const phases_value *value = &s->graph->values[v];
        uint32_t sorted[PHASES_MOST_OPERANDS];
        s->sizes[v] = s->numbers[v] = 1;
        s->operation_count += value->operand_count > 0;
        for (uint32_t p = 0; p < value->operand_count; p++) {
            uint32_t q = p;
            ms_set_add(&s->users[value->operands[p]], v);
            s->sizes[v] += s->sizes[value->operands[p]];
            for (; q > 0 && sorted[q - 1] < s->numbers[value->operands[p]]; q--) sorted[q] = sorted[q - 1];
            sorted[q] = s->numbers[value->operands[p]];
        }
        for (uint32_t p = 0; p < value->operand_count; p++)
            if (sorted[p] + p > s->numbers[v]) s->numbers[v] = sorted[p] + p;
    }
}

static uint64_t phases_hash(const phases_state *state)
{
    const ms_set *const sets[] = {&state->live, &state->reloaded, &state->parked, &state->placed};
    uint64_t hash = 0;
    for (int k = 0; k < 4; k++)
        for (uint32_t w = 0; w < MS_SET_WORDS; w++) hash = (hash ^ sets[k]->words[w]) * 0xff51afd7ed558ccdu, hash ^= hash >> 32;
    return hash;
}

/* A state that was reached, or reached more cheaply. */
static void phases_reach(phases_search *s, const phases_state *state)
{
    s->found.transitions++;
    for (uint32_t i = (uint32_t)phases_hash(state) % PHASES_TABLE;; i = (i + 1) % PHASES_TABLE) {
        if (s->table[i]) {
            phases_state *known = &s->states[s->table[i] - 1];
            if (memcmp(known, state, offsetof(phases_state, so_far))) continue;
            if (state->so_far.cost < known->so_far.cost) known->so_far = state->so_far;
            return;
        }
        if (s->found.states == PHASES_MOST_STATES) {
            s->found.is_whole = 0;
            return;
        }
        uint32_t *stage = &s->stages[ms_set_count(&state->placed)][ms_set_is_empty(&state->live) && ms_set_is_empty(&state->reloaded)];
        s->states[s->found.states] = *state;
        s->states[s->found.states].next = *stage;
        s->table[i] = *stage = ++s->found.states;
        return;
    }
}

static void phases_load(const phases_search *s, phases_state *state, uint32_t v)
{
    ms_set_remove(&state->live, v);
    if (!phases_is_leaf(s, v)) ms_set_add(&state->reloaded, v);
    state->so_far.loads++;
    state->so_far.cost += PHASES_STEP_COST;
}

static int phases_has_users_left(const phases_search *s, const phases_state *state, uint32_t v)
{
    const ms_set left = ms_set_without(&s->users[v], &state->placed);
    return !ms_set_is_empty(&left);
}

/* Places the operation where it fits: what is in registers while it reads its operands, and when its result has come. A leaf that nobody else reads
 * is loaded just before. 0: it does not fit. */
static int phases_place(phases_search *s, const phases_state *before, uint32_t v)
{
    const phases_value *value = &s->graph->values[v];
    phases_state state = *before;
    ms_set_add(&state.live, v);
    if (ms_set_count(&state.live) > s->registers) return 0;
    ms_set_remove(&state.live, v);
    for (uint32_t p = 0; p < value->operand_count; p++) ms_set_add(&state.live, value->operands[p]);
    if (ms_set_count(&state.live) > s->registers) return 0;
    ms_set_add(&state.placed, v);
    state.so_far.cost += PHASES_STEP_COST;
    if (ms_set_has(&state.parked, v)) state.so_far.cost += PHASES_STEP_COST, state.so_far.parks++;
    ms_set_remove(&state.parked, v);
    for (uint32_t p = 0; p < value->operand_count; p++) {
        const uint32_t o = value->operands[p];
        if (phases_is_leaf(s, o) && !phases_has_users_left(s, &state, o)) phases_load(s, &state, o);
    }
    phases_reach(s, &state);
    return 1;
}

/* Of values that could be loaded after the operation, to make room before it: pruned, leaves and those with the highest number, which would be live
 * longest. */
static int phases_may_load(const phases_search *s, const phases_state *state, uint32_t v, uint32_t x)
{
    uint32_t highest = 0;
    if (x == v) return 0;
    if (s->rule == PHASES_ALL || phases_is_leaf(s, x)) return 1;
    for (uint32_t y = MS_SET_START; ms_set_next(&state->live, &y);)
        if (y != v && s->numbers[y] > highest) highest = s->numbers[y];
    return s->numbers[x] == highest;
}

/* Loads no more than it must: a load that is later in the reverse order is never worse. 1: it fits without. */
static int phases_place_with_loads(phases_search *s, const phases_state *state, uint32_t v, uint32_t from)
{
    if (phases_place(s, state, v)) return 1;
    for (uint32_t x = MS_SET_START; ms_set_next(&state->live, &x);) {
        phases_state loaded = *state;
        if (x < from || !phases_may_load(s, state, v, x)) continue;
        phases_load(s, &loaded, x);
        phases_place_with_loads(s, &loaded, v, s->rule == PHASES_ALL ? x + 1 : 0);
    }
    return 0;
}

/* The phase begins here: all that is live was loaded in it. */
static void phases_end(phases_search *s, const phases_state *state)
{
    phases_state ended = *state;
    for (uint32_t x = MS_SET_START; ms_set_next(&state->live, &x);) phases_load(s, &ended, x);
    if (ms_set_is_empty(&ended.reloaded)) return;
    ms_set_unite(&ended.parked, &ended.reloaded);
    memset(&ended.reloaded, 0, sizeof ended.reloaded);
    ended.so_far.phases++;
    ended.so_far.cost += PHASES_BORDER_COST;
    phases_reach(s, &ended);
}

/* What can be placed: what this phase reloads is computed by an earlier one. */
static uint32_t phases_ready(const phases_search *s, const phases_state *state, uint32_t *ready)
{
    const uint32_t *const order = s->rule == PHASES_SHORTEST_TREE ? s->sizes : s->numbers;
    ms_set wanted = state->live;
    uint32_t count = 0, least = UINT32_MAX;
    ms_set_unite(&wanted, &state->parked);
    for (uint32_t v = MS_SET_START; ms_set_next(&wanted, &v);) {
        if (phases_is_leaf(s, v) || ms_set_has(&state->reloaded, v) || phases_has_users_left(s, state, v)) continue;
        if (s->rule != PHASES_ALL && order[v] > least) continue;
        if (s->rule != PHASES_ALL && order[v] < least) count = 0;
        if (s->rule == PHASES_SHORTEST_TREE && count) continue;
        least = order[v];
        ready[count++] = v;
    }
    return count;
}

static void phases_expand(phases_search *s, const phases_state *state)
{
    static uint32_t ready[PHASES_MOST_VALUES];
    const uint32_t count = phases_ready(s, state, ready);
    int fits = count > 0;
    for (uint32_t k = 0; k < count; k++) fits = phases_place_with_loads(s, state, ready[k], 0) && fits;
    if (!fits || s->rule == PHASES_ALL) phases_end(s, state);
}

/* Stage after stage, from the results. 0 registers, or fewer than there are results, do not do. */
static phases_result phases_find(const phases_graph *graph, uint32_t registers, phases_rule rule)
{
    phases_search *s = calloc(1, sizeof *s);
    phases_state end;
    assert_non_null(s);
    *s = (phases_search){.graph = graph, .registers = registers, .rule = rule, .found = {.cost = UINT32_MAX, .is_whole = 1}};
    s->states = malloc(PHASES_MOST_STATES * sizeof *s->states);
    s->table = calloc(PHASES_TABLE, sizeof *s->table);
    assert_true(s->states && s->table);
    phases_number(s);
    memset(&end, 0, sizeof end);
    end.so_far.phases = 1;
    for (uint32_t v = 0; v < graph->count; v++)
        if (!phases_is_leaf(s, v) && ms_set_is_empty(&s->users[v])) ms_set_add(&end.live, v);
    if (ms_set_count(&end.live) <= registers) phases_reach(s, &end);
    for (uint32_t placed = 0; placed <= s->operation_count; placed++)
        for (int is_border = 0; is_border < 2; is_border++)
            for (uint32_t i = s->stages[placed][is_border]; i; i = s->states[i - 1].next) {
                const phases_state state = s->states[i - 1];
                if (placed < s->operation_count) phases_expand(s, &state);
                else if (is_border && ms_set_is_empty(&state.parked) && state.so_far.cost < s->found.cost) {
                    const phases_result found = s->found;
                    s->found = state.so_far;
                    s->found.states = found.states, s->found.transitions = found.transitions, s->found.is_whole = found.is_whole;
                }
            }
    const phases_result found = s->found;
    free(s->states);
    free(s->table);
    free(s);
    return found;
}

#endif
