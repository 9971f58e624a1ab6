/* Plans of sorts (gen/plan/sort.c, hybrid.c): what is compiled is launched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "choices.h"
#include "plan/plan.h"
#include "plan/target.h"
#include "plan/tuning.h"
#include "spec/spec.h"

#include <string.h>

static const msw_target targets[] = {
    {.struct_size = sizeof *targets, .backend = MSW_BACKEND_VULKAN},
    {.struct_size = sizeof *targets, .backend = MSW_BACKEND_VULKAN, .has_features = 1, .features = ~(uint32_t)MSW_FEATURE_LONG_LOOPS},
    {.struct_size = sizeof *targets,
     .backend = MSW_BACKEND_VULKAN,
     .compute_units = 132,
     .max_block_threads = 1024,
     .shared_bytes = 49152,
     .progress = MSW_PROGRESS_OCCUPANCY},
    {.struct_size = sizeof *targets, .backend = MSW_BACKEND_CUDA},
    {.struct_size = sizeof *targets, .backend = MSW_BACKEND_CUDA, .arch = "sm_90"},
    {.struct_size = sizeof *targets, .backend = MSW_BACKEND_CUDA, .arch = "sm_90", .compute_units = 132}};

/* Number of kernels, all of which steps launch; 0: there is no such plan. */
static uint32_t check_plan(const ms_operation *op, const msw_target *given, const char *strategy, const char *digit_bits)
{
    msw_target target;
    const msw_knob knobs[] = {{"strategy", strategy}, {"digit_bits", digit_bits}};
    const ms_plan_wish wish = {.target = &target, .mode = MS_TARGET_DEVICE, .knobs = knobs, .knob_count = digit_bits ? 2 : 1};
    static ms_kernel_shape shapes[MS_MAX_PART_KERNELS];
    ms_arena arena;
    ms_tuning tuning;
    msw_plan plan;
    msw_diag diag;
    assert_int_equal(ms_target_read(given, &target, &diag), MSW_OK);
    ms_arena_init(&arena, NULL, 0);
    const msw_result result = ms_plan_parts(&arena, op, &wish, &tuning, &plan, shapes, &diag);
    if (result) assert_int_equal(result, MSW_ERROR_UNSUPPORTED);
    for (uint32_t k = 0; !result && k < plan.kernel_count; k++) {
        uint32_t s = 0;
        while (s < plan.step_count && plan.steps[s].kernel != k) s++;
        if (s == plan.step_count) fail_msg("%s by %s: nothing launches %s", op->name, strategy, plan.kernels[k].entry);
        if (strcmp(shapes[k].template_name, "scratch/zero") && !shapes[k].strategy) fail_msg("%s has no shape", plan.kernels[k].entry);
    }
    ms_arena_free(&arena);
    return result ? 0 : plan.kernel_count;
}

/* Each kernel of a plan is launched by a step of some variant, or of the scratch's initialisation. */
static void test_kernels_are_launched(void **state)
{
    const msw_spec_desc desc = {.struct_size = sizeof desc, .file = MSW_SOURCE_DIR "/tests/corpus/sorts.lua", .skip_laws = 1, .time_limit_ms = 10000};
    uint32_t plans = 0;
    msw_spec *spec;
    msw_diag diag;
    (void)state;
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
    for (uint32_t i = 0; i < spec->operation_count; i++)
        for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
            plans += check_plan(&spec->operations[i], &targets[t], "auto", NULL) > 0;
            for (const ms_strategy *s = ms_strategies; s->name; s++) {
                if (!(s->kinds & 1u << MSW_OP_SORT)) continue;
                plans += check_plan(&spec->operations[i], &targets[t], s->name, NULL) > 0;
                plans += check_plan(&spec->operations[i], &targets[t], s->name, "5") > 0;
            }
        }
    print_message("%u plans\n", plans);
    assert_true(plans > 500);
    msw_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels_are_launched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
