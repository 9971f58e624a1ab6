/* Cuts of graphs at random: the search finds what trying everything finds, by another way of counting cuts. */
#include "all_cuts.h"
#include "random_graphs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

enum { GRAPHS = 300, HEAVY_GRAPHS = 600, PIPELINES = 200 };

static double seconds_of(ms_arena *arena, const cut_graph *g, const ms_cut_device *device, msw_cut_method method, int *is_proved)
{
    ms_cut found;
    uint32_t operation;
    assert_int_equal(ms_cut_find(arena, &g->cut, device, NULL, method, &found, &operation), MSW_OK);
    *is_proved = found.is_proved || method == MSW_CUT_GREEDY || method == MSW_CUT_UNFUSED;
    return found.seconds;
}

/* Some operations need most of a thread's registers, or more: what could be one kernel is not, and what is one moves its bytes slowly. */
static void make_heavy(cut_graph *g, uint64_t *random)
{
    for (uint32_t o = 0; o < g->cut.operation_count; o++)
        if (!below(random, 3)) g->operations[o].live_words = 100 + below(random, 200);
}

static void test_search_is_exact(void **state)
{
    static cut_graph g;
    static all_cuts t;
    double sum[MS_CUT_METHOD_COUNT] = {0}, worst[MS_CUT_METHOD_COUNT] = {0};
    uint64_t random = 18, random_words = 22;
    (void)state;
    for (int i = 0; i < GRAPHS + HEAVY_GRAPHS; i++) {
        ms_arena arena;
        ms_arena_init(&arena, NULL, 0);
        random_graph(&g, &random, 3 + below(&random, 5), 16);
        const ms_cut_device device = random_device(&random);
        if (i >= GRAPHS) make_heavy(&g, &random_words);
        ms_cutting cutting = {.arena = &arena, .graph = &g.cut, .device = &device};
        assert_true(ms_cutting_init(&cutting));
        const double least = all_cuts_least(&t, &cutting);
        for (uint32_t m = 0; m < MS_CUT_METHOD_COUNT; m++) {
            int is_proved;
            const double factor = seconds_of(&arena, &g, &device, m, &is_proved) / least;
            assert_true(is_proved);
            if (factor < 1 - 1e-9 || (m == MSW_CUT_OPTIMUM && factor > 1 + 1e-9)) fail_msg("graph %d: %s: %.12g x", i, ms_cut_method_name(m), factor);
            if (i >= GRAPHS) continue;
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
        seconds[MSW_CUT_OPTIMUM] = seconds_of(&arena, &g, &device, MSW_CUT_OPTIMUM, &is_proved);
        for (uint32_t m = 1; m < MS_CUT_METHOD_COUNT; m++) seconds[m] = seconds_of(&arena, &g, &device, m, &is_any);
        proved_count += is_proved;
        for (uint32_t m = 1; m < MS_CUT_METHOD_COUNT; m++)
            if (is_proved && seconds[m] < seconds[MSW_CUT_OPTIMUM] * (1 - 1e-9)) fail_msg("pipeline %d: %s is better", i, ms_cut_method_name(m));
        ms_arena_free(&arena);
    }
    assert_true(proved_count > PIPELINES * 9 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_search_is_exact), cmocka_unit_test(test_proved_is_best)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
