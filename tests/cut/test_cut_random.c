/* Cuts of graphs at random: the search finds what trying everything finds, by another way of counting cuts. */
#include "cut/kernel.h"
#include "random_graphs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

enum { GRAPHS = 300, PIPELINES = 200, MOST_OPERATIONS = 7, SETS = 1 << MOST_OPERATIONS };

/* ---- everything, forwards: which results are in memory, and which operations other than maps are done ---- */

typedef struct trial {
    const cut_graph *g;
    double kernels[SETS][SETS];         /* by operations and stored results: its time; infinite: it may not be one */
    double rest[SETS][SETS];            /* by results in memory and what is done: the least time of what must follow; -1: not known yet */
    uint32_t outputs, sole;             /* results that the caller wants; operations that are computed once */
    uint32_t operands[MOST_OPERATIONS]; /* operations that it uses results of */
} trial;

static trial t;

static ms_set set_of(uint32_t bits, uint32_t first)
{
    ms_set set = {{0}};
    for (uint32_t i = 0; i < MOST_OPERATIONS; i++)
        if (bits >> i & 1) ms_set_add(&set, first + i);
    return set;
}

static void begin_trial(const ms_cutting *c, const cut_graph *g)
{
    const uint32_t first = g->operations[0].first_result, count = g->cut.operation_count; /* operation o's result is first + o */
    t.g = g;
    t.outputs = t.sole = 0;
    for (uint32_t o = 0; o < count; o++) {
        if (g->values[first + o].is_output) t.outputs |= 1u << o;
        if (g->operations[o].kind != MS_CUT_MAP) t.sole |= 1u << o;
        t.operands[o] = 0;
        for (uint32_t p = 0; p < g->operations[o].operand_count; p++)
            if (g->operands[o][p].value >= first) t.operands[o] |= 1u << (g->operands[o][p].value - first);
    }
    for (uint32_t k = 0; k < 1u << count; k++)
        for (uint32_t w = 0; w < 1u << count; w++) {
            const ms_members members = {set_of(k, 0), set_of(w, first)};
            ms_cut_kernel kernel;
            t.kernels[k][w] = w && !(w & ~k) && ms_kernel_evaluate(c, &members, &kernel) ? kernel.seconds : INFINITY;
            t.rest[k][w] = -1;
        }
}

static double try_all(uint32_t memory, uint32_t done)
{
    const uint32_t count = t.g->cut.operation_count;
    double *rest = &t.rest[memory][done];
    if (!(t.outputs & ~memory)) return 0;
    if (*rest >= 0) return *rest;
    double least = INFINITY;
    for (uint32_t k = 1; k < 1u << count; k++) {
        uint32_t read = 0;
        if (k & t.sole & done) continue;
        for (uint32_t o = 0; o < count; o++)
            if (k >> o & 1) read |= t.operands[o] & ~k;
        if (read & ~memory) continue;
        for (uint32_t w = k; w > 0; w = (w - 1) & k) {
            if (w & memory || t.kernels[k][w] >= least) continue;
            const double seconds = t.kernels[k][w] + try_all(memory | w, done | (k & t.sole));
            if (seconds < least) least = seconds;
        }
    }
    return *rest = least;
}

/* ---- and the search ---- */

static double seconds_of(ms_arena *arena, const cut_graph *g, const ms_cut_device *device, ms_cut_method method, int *is_proved)
{
    ms_cut found;
    uint32_t operation;
    assert_int_equal(ms_cut_find(arena, &g->cut, device, NULL, method, &found, &operation), MSW_OK);
    *is_proved = found.is_proved || method == MS_CUT_GREEDY || method == MS_CUT_UNFUSED;
    return found.seconds;
}

static void test_search_is_exact(void **state)
{
    static cut_graph g;
    double sum[MS_CUT_METHOD_COUNT] = {0}, worst[MS_CUT_METHOD_COUNT] = {0};
    uint64_t random = 18;
    (void)state;
    for (int i = 0; i < GRAPHS; i++) {
        ms_arena arena;
        ms_arena_init(&arena, NULL, 0);
        random_graph(&g, &random, 3 + below(&random, 5), 16);
        const ms_cut_device device = random_device(&random);
        ms_cutting cutting = {.arena = &arena, .graph = &g.cut, .device = &device};
        assert_true(ms_cutting_init(&cutting));
        begin_trial(&cutting, &g);
        const double least = try_all(0, 0);
        for (uint32_t m = 0; m < MS_CUT_METHOD_COUNT; m++) {
            int is_proved;
            const double factor = seconds_of(&arena, &g, &device, m, &is_proved) / least;
            assert_true(is_proved);
            if (factor < 1 - 1e-9 || (m == MS_CUT_BEST && factor > 1 + 1e-9)) fail_msg("graph %d: %s: %.12g x", i, ms_cut_method_name(m), factor);
            sum[m] += factor;
            if (factor > worst[m]) worst[m] = factor;
        }
        ms_arena_free(&arena);
    }
    for (uint32_t m = 0; m < MS_CUT_METHOD_COUNT; m++)
        print_message("%s: %.2f x the least time, %.1f x at worst\n", ms_cut_method_name(m), sum[m] / GRAPHS, worst[m]);
}

/* Graphs too large to try everything: no other cut is better than one that is proved. */
static void test_proved_is_best(void **state)
{
    static cut_graph g;
    uint64_t random = 19;
    int proved_count = 0;
    (void)state;
    for (int i = 0; i < PIPELINES; i++) {
        ms_arena arena;
        double seconds[MS_CUT_METHOD_COUNT];
        ms_arena_init(&arena, NULL, 0);
        random_pipeline(&g, &random, 10 + below(&random, 16));
        const ms_cut_device device = random_device(&random);
        int is_proved, is_any;
        seconds[MS_CUT_BEST] = seconds_of(&arena, &g, &device, MS_CUT_BEST, &is_proved);
        for (uint32_t m = 1; m < MS_CUT_METHOD_COUNT; m++) seconds[m] = seconds_of(&arena, &g, &device, m, &is_any);
        proved_count += is_proved;
        for (uint32_t m = 1; m < MS_CUT_METHOD_COUNT; m++)
            if (is_proved && seconds[m] < seconds[MS_CUT_BEST] * (1 - 1e-9)) fail_msg("pipeline %d: %s is better", i, ms_cut_method_name(m));
        ms_arena_free(&arena);
    }
    assert_true(proved_count > PIPELINES * 9 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_search_is_exact), cmocka_unit_test(test_proved_is_best)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
