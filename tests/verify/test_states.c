/* The operation of verifications' probes, of each operation that has one: it is planned and emitted wherever the operation itself is. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choices.h"
#include "spec/spec.h"

static const msw_target targets[] = {
    {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_VULKAN, .progress = MSW_PROGRESS_PARALLEL},
    {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_CUDA, .progress = MSW_PROGRESS_PARALLEL, .arch = "sm_90", .compute_units = 132},
};
enum { TARGETS = sizeof targets / sizeof *targets };

typedef struct tally {
    int states[TARGETS], failures;
} tally;

static msw_result emit(msw_spec *spec, uint32_t op, const msw_target *target, const char *strategy, msw_diag *diag)
{
    const msw_knob knob = {"strategy", strategy};
    const msw_program_desc desc = {
        .struct_size = sizeof desc, .target = target, .op = op, .knobs = strategy ? &knob : NULL, .knob_count = strategy != NULL};
    msw_program *program;
    const msw_result result = msw_program_create(spec, &desc, &program, diag);
    if (!result) msw_program_destroy(program);
    return result;
}

/* One strategy, NULL: that of the plan. The state may lack one that the operation has (the device does not run it), but no emission fails. */
static void check_state(msw_spec *spec, uint32_t op, msw_spec *state, int t, const char *strategy, tally *found)
{
    msw_diag diag;
    if (emit(spec, op, &targets[t], strategy, &diag)) return;
    const msw_result result = emit(state, 0, &targets[t], strategy, &diag);
    if (!result) found->states[t]++;
    if (!result || (strategy && result == MSW_ERROR_UNSUPPORTED)) return;
    print_error("%s, %s, strategy %s: the state: %s\n", spec->operations[op].name, t ? "CUDA" : "Vulkan", strategy ? strategy : "of the plan",
                diag.message);
    found->failures++;
}

static void check_operation(msw_spec *spec, uint32_t op, int t, const char *strategy, tally *found)
{
    static const uint64_t ones[MS_MAX_ELEMENT_BYTES] = {1}; /* a uniform, whatever its type */
    const void *uniforms[MSW_MAX_BUFFERS];
    const msw_verification_desc desc = {.struct_size = sizeof desc, .spec = spec, .op = op, .backend = targets[t].backend, .uniforms = uniforms};
    msw_verification *verification;
    msw_diag diag;
    for (int u = 0; u < MSW_MAX_BUFFERS; u++) uniforms[u] = ones;
    if (msw_verification_create(&desc, &verification, &diag) == MSW_ERROR_UNSUPPORTED) return; /* nobody knows where items go */
    msw_spec *state = msw_verification_state_spec(verification);
    if (state) check_state(spec, op, state, t, strategy, found);
    msw_verification_destroy(verification);
}

static void check_spec(const msw_spec_desc *desc, const char *strategy, tally *found)
{
    msw_spec *spec;
    msw_diag diag;
    if (msw_spec_create(desc, &spec, &diag)) fail_msg("%s", diag.message);
    for (uint32_t op = 0; op < spec->operation_count; op++)
        for (int t = 0; t < TARGETS; t++) check_operation(spec, op, t, strategy, found);
    msw_spec_destroy(spec);
}

static int is_spec(const struct dirent *entry) { return strstr(entry->d_name, ".lua") != NULL; }

static void test_corpus(void **state)
{
    static const char folder[] = MSW_SOURCE_DIR "/tests/corpus";
    struct dirent **entries;
    tally found = {0};
    const int count = scandir(folder, &entries, is_spec, alphasort);
    (void)state;
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        const msw_spec_desc desc = {.struct_size = sizeof desc, .file = path, .skip_laws = 1, .time_limit_ms = 4000};
        check_spec(&desc, NULL, &found);
        free(entries[i]);
    }
    free(entries);
    print_message("%d states for Vulkan, %d for CUDA\n", found.states[0], found.states[1]);
    assert_int_equal(found.failures, 0);
    for (int t = 0; t < TARGETS; t++) assert_true(found.states[t] >= 38);
}

/* Sums of floats with what a sweep's states have besides: counters of two outputs that are packed, parts of segments. With every strategy. */
static void test_strategies(void **state)
{
    static const char text[] = "return { scan { name = 'two', monoid = sum(f32), outputs = {\n"
                               "    { 'a', value = function(s) return s end, keep = function(s, x) return lt(x, 0.5) end },\n"
                               "    { 'b', value = function(s, x) return x end, keep = function(s, x) return gt(x, 0.25) end } } },\n"
                               "  segmented_reduce { name = 'off', segments = 'offsets', monoid = sum(f32) },\n"
                               "  segmented_scan { name = 'within', segments = 'offsets', monoid = sum(f32) } }\n";
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text};
    tally found = {0};
    msw_choice strategy = {.struct_size = sizeof strategy};
    (void)state;
    for (uint32_t i = 0; !msw_strategy_get(MSW_OP_SWEEP, i, &strategy); i++) check_spec(&desc, strategy.name, &found);
    print_message("%d states for Vulkan, %d for CUDA\n", found.states[0], found.states[1]);
    assert_int_equal(found.failures, 0);
    for (int t = 0; t < TARGETS; t++) assert_true(found.states[t] >= 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpus), cmocka_unit_test(test_strategies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
