/* compact, reduce_by_key and append on the simulated device for every n from 0 to two tiles, and a bit more; a device does the same:
 * test_sweep_sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../backends/simulator/trial.h"
#include "sweep_sizes.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 8, ITEMS = 4, TILE = BLOCK * ITEMS };

#define CASE(operation, name, guarantee, more)                                                                                              \
    {                                                                                                                                       \
        .op = operation, .strategy = name, .subgroup = 4, .block = BLOCK, .items = ITEMS, .blocks = 3, .progress = guarantee, .knobs = more \
    }
#define ORDERED_CASES(operation) \
    CASE(operation, "single_block", MSW_PROGRESS_OCCUPANCY, NULL), CASE(operation, "reduce_then_scan", MSW_PROGRESS_OCCUPANCY, NULL)
#define CASES(operation)                                                                 \
    ORDERED_CASES(operation), CASE(operation, "lookback", MSW_PROGRESS_OCCUPANCY, NULL), \
        CASE(operation, "lookback", MSW_PROGRESS_OCCUPANCY, "ahead=1"), CASE(operation, "lookback", MSW_PROGRESS_NONE, "spin=1 withhold=2")

static const sim_case cases[] = {CASES("kept"),
                                 CASE("kept", "scan_then_propagate", MSW_PROGRESS_NONE, NULL),
                                 CASES("groups"),
                                 CASE("groups", "scan_then_propagate", MSW_PROGRESS_NONE, NULL),
                                 CASES("offset_sums"),
                                 CASE("offset_sums", "scan_then_propagate", MSW_PROGRESS_NONE, NULL),
                                 ORDERED_CASES("offset_scans"),
                                 CASE("offset_scans", "scan_then_propagate", MSW_PROGRESS_NONE, NULL),
                                 CASE("offset_scans", "lookback", MSW_PROGRESS_OCCUPANCY, "ahead=1"),
                                 CASES("spread"),
                                 CASES("spread_once"),
                                 CASE("strewn", "block_atomic", MSW_PROGRESS_NONE, NULL),
                                 CASE("strewn", "atomic_bump", MSW_PROGRESS_NONE, NULL),
                                 ORDERED_CASES("same_sums"),
                                 CASE("same_sums", "lookback", MSW_PROGRESS_OCCUPANCY, NULL),
                                 CASE("same_sums", "lookback", MSW_PROGRESS_OCCUPANCY, "ahead=1")};
enum { CASE_COUNT = sizeof cases / sizeof *cases };

static sim *machine;
static sim_suite *suite;

static int compile_all(void **state)
{
    static char message[1 << 14];
    (void)state;
    machine = sim_create();
    if (machine) suite = sim_suite_create(machine, MSW_SOURCE_DIR "/tests/support/sweep_sizes.lua", cases, CASE_COUNT, message, sizeof message);
    if (!suite) print_error("%s\n", message);
    return !suite;
}

static int release_all(void **state)
{
    (void)state;
    sim_suite_destroy(suite);
    sim_destroy(machine);
    return 0;
}

/* Schedulers take turns, and the kinds of data. */
static void test_sizes(void **state)
{
    const uint32_t index = (uint32_t)(uintptr_t)*state;
    const int schedulers = cases[index].progress == MSW_PROGRESS_NONE ? SIM_SCHEDULER_COUNT : SIM_ABANDON;
    for (uint64_t n = 0; n <= 2 * TILE + 1; n++) {
        for (uint32_t k = 0; k < SWEEP_KINDS; k++) {
            const int has_keys = strncmp(cases[index].op, "offset", 6) != 0; /* else the data are random, and so are segments */
            const sim_given given = {.n = n, .fill = has_keys ? sweep_fill : NULL, .user = &sweep_kinds[k]};
            const uint64_t seed = n * SWEEP_KINDS + k;
            sim_options options = sim_suite_options((sim_scheduler)(seed % (uint64_t)schedulers), seed + 1);
            options.given = &given;
            if (sim_suite_run(suite, index, &options)) fail_msg("n = %u, %s: %s", (unsigned)n, sweep_kinds[k].name, sim_suite_failure(suite));
        }
    }
}

int main(void)
{
    struct CMUnitTest tests[CASE_COUNT];
    static char names[CASE_COUNT][96];
    for (int i = 0; i < CASE_COUNT; i++) {
        snprintf(names[i], sizeof names[i], "%s %s %s", cases[i].op, cases[i].strategy, cases[i].knobs ? cases[i].knobs : "");
        tests[i] = (struct CMUnitTest){.name = names[i], .test_func = test_sizes, .initial_state = (void *)(uintptr_t)i};
    }
    return cmocka_run_group_tests(tests, compile_all, release_all);
}
