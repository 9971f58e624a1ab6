/* plan_bytes.h - bytes of a pipeline: what the planner of cuts predicts of what is launched against what the plan says. */
#ifndef MS_PLAN_BYTES_H
#define MS_PLAN_BYTES_H

#include "plan/cuts.h"
#include "plan/plan.h"

#include <math.h>
#include <stdlib.h>

static const msw_target cuda = {.struct_size = sizeof cuda,
                                .backend = MSW_BACKEND_CUDA,
                                .subgroup_size = 32,
                                .max_block_threads = 1024,
                                .shared_bytes = 227 << 10,
                                .max_blocks = INT32_MAX,
                                .compute_units = 132,
                                .progress = MSW_PROGRESS_PARALLEL,
                                .features = ~(uint32_t)MSW_FEATURE_UNIFORM_CONTROL_FLOW,
                                .arch = "sm_90"};
static const msw_target processor = {.struct_size = sizeof processor,
                                     .backend = MSW_BACKEND_VULKAN,
                                     .is_cpu = 1,
                                     .subgroup_size = 8,
                                     .max_block_subgroups = 32,
                                     .max_block_threads = 256,
                                     .shared_bytes = 32768,
                                     .max_blocks = 65535,
                                     .features = ~(uint32_t)MSW_FEATURE_UNIFORM_CONTROL_FLOW};

/* Of a stage that the planner of cuts does not know: it zeroes an array, or takes the number of segments from the caller. */
static int is_beside_cut(const ms_stage *stage)
{
    for (uint32_t b = 0; b < stage->op->info.buffer_count; b++)
        if (stage->op->info.buffers[b].role == MSW_ROLE_IN) return 0;
    return 1;
}

/* What the stage's plan says beyond what a cut is of: an array that is two inputs, which it counts as two, and outputs that nobody reads. */
static uint64_t bytes_beside(const ms_stage *stage, const msw_plan_variant *variant)
{
    const ms_operation *op = stage->op;
    uint64_t read = 0, twice = 0, unread = 0;
    for (uint32_t b = 0; b < op->info.buffer_count; b++) {
        const uint32_t bytes = op->buffer_types[b]->info.size_bytes;
        int is_twice = 0;
        for (uint32_t other = 0; other < b; other++) is_twice |= stage->arrays[other] == stage->arrays[b];
        if (op->info.buffers[b].role == MSW_ROLE_IN) read += bytes, twice += is_twice ? bytes : 0;
        if (op->info.buffers[b].role == MSW_ROLE_OUT && stage->arrays[b] == MSW_NO_ARRAY && op->info.buffers[b].length != MSW_LENGTH_ONE)
            unread += bytes;
    }
    if (op->key.image) return unread + twice;
    return unread + (twice ? twice * (variant->read_bytes_per_item / read) : 0);
}

static double planned_bytes(const ms_operation *op, const msw_target *target, uint64_t n)
{
    static const msw_knob onesweep = {"strategy", "onesweep"}; /* which predictions are of */
    double bytes = 0;
    ms_arena arena;
    msw_diag diag;
    ms_arena_init(&arena, NULL, 0);
    for (uint32_t s = 0; s < op->pipeline->stage_count; s++) {
        const ms_stage *stage = &op->pipeline->stages[s];
        const uint64_t elements = msw_elements(stage->length, n);
        const ms_plan_wish wish = {.target = target, .mode = MS_TARGET_DEVICE, .knobs = &onesweep, .knob_count = stage->op->kind == MSW_OP_SORT};
        ms_kernel_shape *shapes = ms_arena_alloc(&arena, MSW_MAX_KERNELS * sizeof *shapes);
        ms_tuning *tunings = ms_arena_alloc(&arena, MSW_MAX_STAGES * sizeof *tunings);
        msw_plan *plan = ms_arena_alloc(&arena, sizeof *plan);
        msw_launch_info info = {.struct_size = sizeof info};
        assert_true(shapes && tunings && plan);
        if (is_beside_cut(stage)) continue;
        if (ms_plan_parts(&arena, stage->op, &wish, tunings, plan, shapes, &diag)) fail_msg("%s: %s", stage->op->name, diag.message);
        if (msw_plan_launch(plan, elements, 0, &info, &diag)) fail_msg("%s: %s", stage->op->name, diag.message);
        bytes += (double)info.bytes_read + (double)info.bytes_written - (double)(elements * bytes_beside(stage, &plan->variants[info.variant]));
    }
    ms_arena_free(&arena);
    return bytes;
}

/* Where all that is counted is there, as plans count. */
static double predicted_bytes(const ms_operation *op, const msw_target *target, uint64_t n)
{
    const ms_written *written = op->pipeline->written;
    const ms_cut_rule rule = ms_written_rule(written);
    ms_cut_place place = {.target = target, .device = ms_cut_large_gpu()};
    ms_arena arena;
    ms_cut cut;
    msw_diag diag;
    ms_arena_init(&arena, NULL, 0);
    assert_int_equal(ms_cuts_find_device(&arena, &place, &diag), MSW_OK);
    const ms_cut_graph *graph = ms_written_graph(&arena, written, (double)n, &place.device);
    assert_non_null(graph);
    ms_cut_domain *domains = (ms_cut_domain *)(uintptr_t)graph->domains;
    for (uint32_t d = 0; d < graph->domain_count; d++) domains[d].elements = domains[d].room;
    assert_int_equal(ms_cut_judge(&arena, graph, &place.device, &rule, written->cut.kernels, written->cut.kernel_count, &cut), MSW_OK);
    ms_arena_free(&arena);
    return cut.bytes;
}

/* Whether a plan counts otherwise: what `append` stores, what segments by offsets read, elements that are scattered over a number of their own. */
static int is_counted_otherwise(const ms_operation *op)
{
    int is_otherwise = op->item || op->segments;
    for (uint32_t b = 0; b < op->info.buffer_count; b++)
        is_otherwise |= op->info.buffers[b].role == MSW_ROLE_OUT && op->info.buffers[b].length >= MSW_LENGTH_FIXED;
    return is_otherwise;
}

/* Returns 1; 0: nothing is compared. */
static uint32_t compare_bytes(const ms_operation *op, const msw_target *target, const char *text)
{
    static const uint64_t n = 3 << 22; /* on an H200 of scans by look-ahead, which predictions are of */
    for (uint32_t s = 0; s < op->pipeline->stage_count; s++)
        if (is_counted_otherwise(op->pipeline->stages[s].op)) return 0;
    const double planned = planned_bytes(op, target, n) / (double)n, predicted = predicted_bytes(op, target, n) / (double)n;
    if (fabs(planned - predicted) > 1e-3)
        fail_msg("%s, %s: %g bytes an element by the plan, %g by prediction\n%s", op->name, target->is_cpu ? "processor" : "GPU", planned, predicted,
                 text);
    return 1;
}

#endif
