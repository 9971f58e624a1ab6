/* Kernels with one thing broken each: the simulator must find every one of them, or it would not find it in ours. MSW_SIM_CASE=NAME runs one,
 * MSW_SIM_SHOW=1 shows what was found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mutations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 1000 };         /* of every scheduler, at most; most are found within a few */
enum { STEP_LIMIT = 5000000 }; /* of a launch, for those that are broken so that they never end; a whole run takes up to 140 000 */

static sim *machine;
static sim_suite *suite;
static sim_case cases[MUTATION_COUNT];

static int compile_all(void **state)
{
    static char message[1 << 14];
    (void)state;
    for (int i = 0; i < MUTATION_COUNT; i++) {
        cases[i] = kernels[mutations[i].kernel];
        cases[i].patch = &mutations[i].patch;
    }
    machine = sim_create();
    if (machine) suite = sim_suite_create(machine, MSW_SOURCE_DIR "/tests/simulator/operations.lua", cases, MUTATION_COUNT, message, sizeof message);
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

static void test_mutation(void **state)
{
    const uint32_t index = (uint32_t)(uintptr_t)*state;
    const int fair_only = cases[index].progress != MSW_PROGRESS_NONE; /* where even the whole kernel waits for ever */
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        for (int scheduler = 0; scheduler < SIM_SCHEDULER_COUNT; scheduler++) {
            if (fair_only && !sim_scheduler_is_fair((sim_scheduler)scheduler)) continue;
            sim_options options = sim_suite_options((sim_scheduler)scheduler, seed);
            options.step_limit = STEP_LIMIT;
            if (!sim_suite_run(suite, index, &options)) continue;
            if (getenv("MSW_SIM_SHOW")) print_message("%s", sim_suite_failure(suite));
            return;
        }
    }
    fail_msg("%s: not found", mutations[index].name);
}

int main(void)
{
    struct CMUnitTest tests[MUTATION_COUNT];
    for (int i = 0; i < MUTATION_COUNT; i++)
        tests[i] = (struct CMUnitTest){.name = mutations[i].name, .test_func = test_mutation, .initial_state = (void *)(uintptr_t)i};
    if (getenv("MSW_SIM_CASE")) cmocka_set_test_filter(getenv("MSW_SIM_CASE"));
    return cmocka_run_group_tests(tests, compile_all, release_all);
}
