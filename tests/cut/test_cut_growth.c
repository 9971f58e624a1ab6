/* How the search grows with the graph, from 10 to 500 operations: the table of gen/cut/design.md, which must have the same counts, and of which
 * bench/growth.lua draws a picture beside the exponents of Heirich's slides (n^1.06 where he prunes, n^1.15 where not). */
#include "random_graphs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { GRAPHS = 4, SIZES = 7, KERNEL_OPERATIONS = 6, SECONDS = 20 };
static const uint32_t sizes[SIZES] = {10, 20, 40, 80, 160, 320, 500};

typedef struct growth {
    double states, transitions, seconds, worst_seconds, greedy; /* greedy: its time, of the least */
    int proved;
} growth;

/* The mean of some pipelines of this size. */
static growth measure(uint32_t size)
{
    static cut_graph g;
    growth sum = {0};
    for (uint32_t i = 0; i < GRAPHS; i++) {
        uint64_t random = 1000 * size + i;
        ms_arena arena;
        ms_cut best, greedy;
        uint32_t operation;
        random_pipeline(&g, &random, size);
        ms_cut_device device = random_device(&random);
        device.max_operations = KERNEL_OPERATIONS;
        device.max_buffers = 12;
        ms_arena_init(&arena, NULL, 0);
        const clock_t start = clock();
        assert_int_equal(ms_cut_find(&arena, &g.cut, &device, NULL, MSW_CUT_OPTIMUM, &best, &operation), MSW_OK);
        const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        assert_int_equal(ms_cut_find(&arena, &g.cut, &device, NULL, MSW_CUT_GREEDY, &greedy, &operation), MSW_OK);
        ms_arena_free(&arena);
        sum.states += (double)best.states / GRAPHS;
        sum.transitions += (double)best.transitions / GRAPHS;
        sum.seconds += seconds / GRAPHS;
        sum.worst_seconds = fmax(sum.worst_seconds, seconds);
        sum.greedy += greedy.seconds / best.seconds / GRAPHS;
        sum.proved += best.is_proved;
    }
    return sum;
}

/* The slope of the line through the points' logarithms. */
static double exponent(const double *values)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < SIZES; i++) {
        const double lx = log(sizes[i]), ly = log(values[i]);
        x += lx, y += ly, xx += lx * lx, xy += lx * ly;
    }
    return (SIZES * xy - x * y) / (SIZES * xx - x * x);
}

static void read_design(char *text, size_t bytes)
{
    FILE *file = fopen(MSW_SOURCE_DIR "/gen/cut/design.md", "r");
    assert_non_null(file);
    const size_t length = fread(text, 1, bytes - 1, file);
    fclose(file);
    assert_true(length < bytes - 1);
    text[length] = 0;
}

/* Fails unless some line of the text begins so, and ends so. */
static void check_line(const char *text, const char *begins, const char *ends)
{
    const char *line = strstr(text, begins), *rest = line ? strstr(line, ends) : NULL;
    if (!rest || memchr(line + 1, '\n', (size_t)(rest - line - 1))) fail_msg("gen/cut/design.md has no line \"%s ..%s\"", begins, ends);
}

static void test_growth(void **state)
{
    static char design[1 << 16];
    char begins[80], ends[40];
    double states[SIZES], transitions[SIZES];
    (void)state;
    read_design(design, sizeof design);
    print_message("| operations | states | transitions | ms | ms, worst | proved | greedy's time |\n|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < SIZES; i++) {
        const growth found = measure(sizes[i]);
        states[i] = found.states;
        transitions[i] = found.transitions;
        snprintf(begins, sizeof begins, "\n| %u | %.0f | %.0f | ", sizes[i], found.states, found.transitions);
        snprintf(ends, sizeof ends, " | %d of %d | %.2f x |\n", found.proved, GRAPHS, found.greedy);
        print_message("%s%.1f | %.1f%s", begins + 1, 1e3 * found.seconds, 1e3 * found.worst_seconds, ends);
        check_line(design, begins, ends);
        assert_true(found.worst_seconds < SECONDS); /* of a processor: far more than any takes */
        if (sizes[i] <= 40) assert_int_equal(found.proved, GRAPHS);
    }
    snprintf(begins, sizeof begins, "States grow as n^%.2f and transitions, ", exponent(states));
    snprintf(ends, sizeof ends, ", as n^%.2f.", exponent(transitions));
    print_message("%s..%s\n", begins, ends);
    check_line(design, begins, ends);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_growth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
