/* Schedules of expressions in phases: the seed's figures (Heirich 2005), a search forwards over small graphs, and how the search grows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "phases.h"
#include "splitmix.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

/* ---- graphs ---- */

static uint32_t add_value(phases_graph *g, uint32_t operand_count, const uint32_t *operands)
{
    phases_value *value = &g->values[g->count];
    assert_true(g->count < PHASES_MOST_VALUES);
    *value = (phases_value){.operand_count = 0};
    for (uint32_t p = 0; p < operand_count; p++) {
        int is_new = 1;
        for (uint32_t q = 0; q < value->operand_count; q++) is_new &= value->operands[q] != operands[p];
        if (is_new) value->operands[value->operand_count++] = operands[p];
    }
    return g->count++;
}

static uint32_t leaf(phases_graph *g) { return add_value(g, 0, NULL); }
static uint32_t of(phases_graph *g, uint32_t a, uint32_t b) { return add_value(g, 2, (const uint32_t[]){a, b}); }

/* a + b + c + .., from the left. */
static uint32_t comb(phases_graph *g, uint32_t leaves)
{
    uint32_t sum = leaf(g);
    for (uint32_t i = 1; i < leaves; i++) sum = of(g, sum, leaf(g));
    return sum;
}

static uint32_t balanced(phases_graph *g, uint32_t leaves)
{
    if (leaves == 1) return leaf(g);
    const uint32_t left = balanced(g, leaves / 2);
    return of(g, left, balanced(g, leaves - leaves / 2));
}

static uint32_t below(uint64_t *random, uint32_t bound) { return (uint32_t)(ms_splitmix_next(random) % bound); }

/* Operations of values among the last `reach`, or of new leaves. */
static void random_graph(phases_graph *g, uint64_t *random, uint32_t operations, uint32_t reach, uint32_t most_values)
{
    g->count = 0;
    leaf(g);
    leaf(g);
    for (uint32_t o = 0; o < operations && g->count < most_values; o++) {
        uint32_t operands[2];
        for (int p = 0; p < 2; p++) {
            const uint32_t first = g->count > reach ? g->count - reach : 0;
            const int is_new = below(random, 2) && g->count + (operations - o) < most_values;
            operands[p] = is_new ? leaf(g) : first + below(random, g->count - first);
        }
        of(g, operands[0], operands[1]);
    }
}

/* Operations until there is but one result. */
static void join_results(phases_graph *g)
{
    uint8_t is_used[PHASES_MOST_VALUES] = {0};
    uint32_t result = PHASES_MOST_VALUES;
    const uint32_t count = g->count;
    for (uint32_t v = 0; v < count; v++)
        for (uint32_t p = 0; p < g->values[v].operand_count; p++) is_used[g->values[v].operands[p]] = 1;
    for (uint32_t v = count; v-- > 0;)
        if (g->values[v].operand_count && !is_used[v]) result = result == PHASES_MOST_VALUES ? v : of(g, result, v);
}

/* A tree: operations of whatever roots there are, two of which each takes. */
static void random_tree(phases_graph *g, uint64_t *random, uint32_t leaves)
{
    static uint32_t roots[PHASES_MOST_VALUES];
    uint32_t count = leaves;
    g->count = 0;
    for (uint32_t i = 0; i < leaves; i++) roots[i] = leaf(g);
    while (count > 1) {
        const uint32_t a = below(random, count), first = roots[a];
        roots[a] = roots[--count];
        const uint32_t b = below(random, count);
        roots[b] = of(g, first, roots[b]);
    }
}

/* ---- the seed's figures ---- */

static void expect(const phases_result *found, uint32_t cost, uint32_t loads, uint32_t parks, uint32_t phases)
{
    assert_true(found->is_whole);
    assert_int_equal(found->cost, cost);
    assert_int_equal(found->loads, loads);
    assert_int_equal(found->parks, parks);
    assert_int_equal(found->phases, phases);
}

/* (a + b) * (c + d) */
static void test_four_leaves(void **state)
{
    static phases_graph g;
    (void)state;
    g.count = 0;
    balanced(&g, 4);
    for (phases_rule rule = PHASES_ALL; rule <= PHASES_SHORTEST_TREE; rule++) {
        const phases_result three = phases_find(&g, 3, rule), two = phases_find(&g, 2, rule), one = phases_find(&g, 1, rule);
        expect(&three, 4 + 3, 4, 0, 1);
        expect(&two, 5 + 1 + 3 + PHASES_BORDER_COST, 5, 1, 2);
        assert_int_equal(one.cost, UINT32_MAX);
    }
}

/* A comb of 5 leaves times a balanced tree of 4: the smaller tree needs more registers, so it must come first; the shortest tree comes last. */
static void test_comb_and_tree(void **state)
{
    static phases_graph g;
    (void)state;
    g.count = 0;
    const uint32_t left = comb(&g, 5);
    of(&g, left, balanced(&g, 4));
    const phases_result exact = phases_find(&g, 3, PHASES_ALL), numbered = phases_find(&g, 3, PHASES_SETHI_ULLMAN),
                        shortest = phases_find(&g, 3, PHASES_SHORTEST_TREE);
    expect(&exact, 17, 9, 0, 1);
    expect(&numbered, 17, 9, 0, 1);
    expect(&shortest, 29, 10, 1, 2);
}

/* A product of 2 x 2 matrices: the fewer registers, the more words are loaded twice. */
static void test_product(void **state)
{
    static phases_graph g;
    uint32_t leaves[2][4];
    (void)state;
    g.count = 0;
    for (int m = 0; m < 2; m++)
        for (int i = 0; i < 4; i++) leaves[m][i] = leaf(&g);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const uint32_t first = of(&g, leaves[0][2 * i], leaves[1][j]);
            of(&g, first, of(&g, leaves[0][2 * i + 1], leaves[1][2 + j]));
        }
    static const uint32_t figures[][4] = {{36, 13, 1, 2}, {22, 10, 0, 1}, {21, 9, 0, 1}, {20, 8, 0, 1}}; /* of 5, 6, 7, 8 registers */
    for (uint32_t registers = 5; registers <= 8; registers++) {
        const phases_result found = phases_find(&g, registers, PHASES_SETHI_ULLMAN);
        const uint32_t *figure = figures[registers - 5];
        expect(&found, figure[0], figure[1], figure[2], figure[3]);
    }
    const phases_result exact = phases_find(&g, 7, PHASES_ALL);
    expect(&exact, 8 + 12, 8, 0, 1);
}

/* ---- a search forwards ---- */

enum { FORWARD_VALUES = 12, FORWARD_TABLE = 1 << 20, MOST_COST = 100 };

typedef struct forward {
    uint64_t sets
        [FORWARD_TABLE]; /* a hash table of sets of FORWARD_VALUES bits each: in registers, parked by earlier phases, parked by this one, computed */
    uint8_t costs[FORWARD_TABLE]; /* 1 more; 0: empty */
    uint8_t is_done[FORWARD_TABLE];
    uint32_t slots[FORWARD_TABLE], next[FORWARD_TABLE]; /* what is queued */
    uint32_t queues[MOST_COST + 1];                     /* by cost; plus 1 */
    uint32_t queued;
} forward;

static uint64_t pack(uint64_t held, uint64_t parked, uint64_t parking, uint64_t computed)
{
    return held | parked << FORWARD_VALUES | parking << 2 * FORWARD_VALUES | computed << 3 * FORWARD_VALUES;
}

static void push(forward *f, uint64_t sets, uint32_t cost)
{
    uint32_t i = (uint32_t)ms_splitmix(sets) % FORWARD_TABLE;
    while (f->costs[i] && f->sets[i] != sets) i = (i + 1) % FORWARD_TABLE;
    if (cost > MOST_COST || (f->costs[i] && f->costs[i] <= cost + 1)) return;
    f->sets[i] = sets;
    f->costs[i] = (uint8_t)(cost + 1);
    assert_true(f->queued < FORWARD_TABLE / 2);
    f->slots[f->queued] = i;
    f->next[f->queued] = f->queues[cost];
    f->queues[cost] = ++f->queued;
}

static int bits(uint64_t set) { return __builtin_popcountll(set); }

static void advance(forward *f, const phases_graph *g, int registers, uint64_t sets, uint32_t cost)
{
    const uint64_t all = (UINT64_C(1) << FORWARD_VALUES) - 1;
    const uint64_t held = sets & all, parked = sets >> FORWARD_VALUES & all, parking = sets >> 2 * FORWARD_VALUES & all,
                   computed = sets >> 3 * FORWARD_VALUES & all;
    for (uint32_t v = 0; v < g->count; v++) {
        const uint64_t bit = UINT64_C(1) << v;
        const phases_value *value = &g->values[v];
        uint64_t operands = 0;
        for (uint32_t p = 0; p < value->operand_count; p++) operands |= UINT64_C(1) << value->operands[p];
        if (held & bit) push(f, pack(held & ~bit, parked, parking, computed), cost);
        if (held & bit && operands && !((parked | parking) & bit)) push(f, pack(held, parked, parking | bit, computed), cost + PHASES_STEP_COST);
        if (!(held & bit) && (!operands || parked & bit) && bits(held) < registers)
            push(f, pack(held | bit, parked, parking, computed), cost + PHASES_STEP_COST);
        if (!operands || computed & bit || operands & ~held) continue;
        if (bits(held) < registers) push(f, pack(held | bit, parked, parking, computed | bit), cost + PHASES_STEP_COST);
        for (uint32_t p = 0; p < value->operand_count; p++)
            push(f, pack((held & ~(UINT64_C(1) << value->operands[p])) | bit, parked, parking, computed | bit), cost + PHASES_STEP_COST);
    }
    push(f, pack(0, parked | parking, 0, computed), cost + PHASES_BORDER_COST);
}

/* The least cost, from no value in a register; UINT32_MAX: there is no way. */
static uint32_t find_forwards(const phases_graph *g, uint32_t registers)
{
    static forward f;
    uint64_t results = 0, operations = 0;
    memset(&f, 0, sizeof f);
    for (uint32_t v = 0; v < g->count; v++)
        if (g->values[v].operand_count) operations |= UINT64_C(1) << v;
    results = operations;
    for (uint32_t v = 0; v < g->count; v++)
        for (uint32_t p = 0; p < g->values[v].operand_count; p++) results &= ~(UINT64_C(1) << g->values[v].operands[p]);
    push(&f, 0, 0);
    for (uint32_t cost = 0; cost <= MOST_COST; cost++)
        while (f.queues[cost]) { /* what is dropped costs nothing, and joins the same queue */
            const uint32_t q = f.queues[cost] - 1, i = f.slots[q];
            f.queues[cost] = f.next[q];
            if (f.is_done[i]) continue;
            f.is_done[i] = 1;
            if ((f.sets[i] & results) == results && f.sets[i] >> 3 * FORWARD_VALUES == operations) return cost;
            advance(&f, g, (int)registers, f.sets[i], cost);
        }
    return UINT32_MAX;
}

enum { GRAPHS = 300 };

static void test_forwards(void **state)
{
    static phases_graph g;
    uint64_t random = 41;
    uint32_t phased = 0, numbered_is_least = 0, possible = 0;
    double numbered_sum = 0, shortest_sum = 0, numbered_worst = 1, shortest_worst = 1;
    (void)state;
    for (int i = 0; i < GRAPHS; i++) {
        const uint32_t registers = 2 + below(&random, 3);
        random_graph(&g, &random, 2 + below(&random, 4), 8, 10);
        const phases_result exact = phases_find(&g, registers, PHASES_ALL), numbered = phases_find(&g, registers, PHASES_SETHI_ULLMAN),
                            shortest = phases_find(&g, registers, PHASES_SHORTEST_TREE);
        const uint32_t least = find_forwards(&g, registers);
        if (exact.cost != least) fail_msg("graph %d, %u values, %u registers: %u, forwards %u", i, g.count, registers, exact.cost, least);
        assert_true(numbered.cost >= exact.cost && shortest.cost >= exact.cost);
        if (least == UINT32_MAX || numbered.cost == UINT32_MAX || shortest.cost == UINT32_MAX) continue;
        possible++;
        phased += exact.phases > 1;
        numbered_is_least += numbered.cost == least;
        numbered_sum += (double)numbered.cost / least, shortest_sum += (double)shortest.cost / least;
        numbered_worst = fmax(numbered_worst, (double)numbered.cost / least), shortest_worst = fmax(shortest_worst, (double)shortest.cost / least);
    }
    print_message(
        "%u graphs, %u of several phases: by Sethi and Ullman %u least, %.3f x in the mean, %.2f x at worst; shortest tree %.3f x, %.2f x\n",
        possible, phased, numbered_is_least, numbered_sum / possible, numbered_worst, shortest_sum / possible, shortest_worst);
    assert_true(phased > GRAPHS / 10);
}

/* ---- how it grows ---- */

enum { SIZES = 6, EACH = 4, REACH = 8 };

typedef struct growth {
    double states, transitions, milliseconds, phases;
    int whole, possible;
} growth;

static growth measure(uint32_t size, int is_tree, uint32_t registers, phases_rule rule)
{
    static phases_graph g;
    growth sum = {0};
    for (uint32_t i = 0; i < EACH; i++) {
        uint64_t random = 100 * size + i;
        if (is_tree) random_tree(&g, &random, size + 1);
        else random_graph(&g, &random, size, REACH, PHASES_MOST_VALUES - size), join_results(&g);
        const clock_t start = clock();
        const phases_result found = phases_find(&g, registers, rule);
        sum.milliseconds += 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC / EACH;
        sum.states += (double)found.states / EACH;
        sum.transitions += (double)found.transitions / EACH;
        sum.whole += found.is_whole;
        sum.possible += found.cost != UINT32_MAX;
        if (found.cost != UINT32_MAX) sum.phases += found.phases;
    }
    return sum;
}

/* The slope of the line through the points' logarithms. */
static double exponent(const uint32_t *sizes, const double *values, int count)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < count; i++) {
        const double lx = log(sizes[i]), ly = log(values[i]);
        x += lx, y += ly, xx += lx * lx, xy += lx * ly;
    }
    return (count * xy - x * y) / (count * xx - x * x);
}

static void print_growth(const char *name, const uint32_t *sizes, int count, int is_tree, uint32_t registers, phases_rule rule)
{
    double states[SIZES], transitions[SIZES];
    for (int i = 0; i < count; i++) {
        const growth found = measure(sizes[i], is_tree, registers, rule);
        states[i] = found.states, transitions[i] = found.transitions;
        if (registers == 8) assert_true(found.whole == EACH && found.possible == EACH);
        print_message("%-28s %4u operations: %8.0f states, %9.0f transitions, %6.0f ms, %d of %d whole, %d found, %.1f phases\n", name, sizes[i],
                      found.states, found.transitions, found.milliseconds, found.whole, EACH, found.possible,
                      found.possible ? found.phases / found.possible : 0);
    }
    print_message("%-28s states grow as n^%.2f, transitions as n^%.2f\n", name, exponent(sizes, states, count), exponent(sizes, transitions, count));
}

static void test_growth(void **state)
{
    static const uint32_t small[] = {4, 6, 8, 10}, large[SIZES] = {10, 30, 60, 120, 245, 490};
    (void)state;
    print_growth("trees, 4 registers, exact", small, 4, 1, 4, PHASES_ALL);
    print_growth("graphs, 8 registers, exact", small, 4, 0, 8, PHASES_ALL);
    print_growth("trees, 8 registers, numbers", large, SIZES, 1, 8, PHASES_SETHI_ULLMAN);
    print_growth("trees, 4 registers, numbers", large, SIZES, 1, 4, PHASES_SETHI_ULLMAN);
    print_growth("graphs, 8 registers, numbers", large, 4, 0, 8, PHASES_SETHI_ULLMAN);
    print_growth("trees, 8 registers, shortest", large, SIZES, 1, 8, PHASES_SHORTEST_TREE);
    print_growth("trees, 4 registers, shortest", large, SIZES, 1, 4, PHASES_SHORTEST_TREE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_four_leaves), cmocka_unit_test(test_comb_and_tree), cmocka_unit_test(test_product),
                                       cmocka_unit_test(test_forwards), cmocka_unit_test(test_growth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
