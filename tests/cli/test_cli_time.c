/* `check` and `gen` of a scan, process start included: an edit is answered at once. Prints the median; fails far above it only, since the machine
 * may be busy. */
#include "cli_driver.h"

#include <sys/resource.h>

enum { RUNS = 25, BOUND_MS = 150 };

static double milliseconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-3;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of RUNS runs, in milliseconds of processor time: what else the machine does is no matter. */
static double median(const char *arguments)
{
    double times[RUNS];
    char command[4096];
    snprintf(command, sizeof command, "exec '%s/monosweep' %s >stdout.txt", MSW_BINARY_DIR, arguments);
    for (int i = 0; i < RUNS; i++) {
        const double start = milliseconds();
        assert_int_equal(system(command), 0);
        times[i] = milliseconds() - start;
    }
    qsort(times, RUNS, sizeof *times, compare);
    return times[RUNS / 2];
}

static void test_check_and_gen(void **state)
{
    (void)state;
    enter_directory("test_cli_time.files");
    const double check = median("check '" MSW_SOURCE_DIR "/examples/affine.lua'");
    const double gen = median("gen '" MSW_SOURCE_DIR "/examples/affine.lua' --target glsl -o out --quiet");
    print_message("check %.1f ms, gen %.1f ms, together %.1f ms: medians of %d runs\n", check, gen, check + gen, RUNS);
    assert_true(check + gen < BOUND_MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_check_and_gen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
