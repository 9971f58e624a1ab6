/* From a checked operation and a target to a plan, by the planner of its kind. */
#include "planning.h"
#include "diag.h"
#include "registers.h"

#include <string.h>

static const ms_planner *const planners[] = {[MSW_OP_SCAN] = &ms_scan_planner,
                                             [MSW_OP_REDUCE] = &ms_reduce_planner,
                                             [MSW_OP_SORT] = &ms_sort_planner,
                                             [MSW_OP_MAP] = &ms_map_planner,
                                             [MSW_OP_SWEEP] = &ms_scan_planner};

/* Whether a stage of the pipeline reads the array, or has as many elements as it says. */
static int is_read(const ms_pipeline *pipeline, uint32_t array)
{
    for (uint32_t s = 0; s < pipeline->stage_count; s++) {
        const ms_stage *stage = &pipeline->stages[s];
        if (stage->counted_by == array + 1) return 1;
        for (uint32_t b = 0; b < stage->op->info.buffer_count; b++)
            if (stage->arrays[b] == array && stage->op->info.buffers[b].role != MSW_ROLE_OUT) return 1;
    }
    return 0;
}

void ms_plan_describe_buffers(const ms_operation *op, msw_plan *plan)
{
    plan->buffer_count = op->info.buffer_count;
    for (uint32_t i = 0; i < plan->buffer_count; i++) {
        const msw_op_buffer *buffer = &op->info.buffers[i];
        plan->buffers[i] = (msw_plan_buffer){.name = buffer->name,
                                             .element_bytes = buffer->type.size_bytes,
                                             .length = buffer->length,
                                             .alignment_bytes = buffer->type.alignment_bytes,
                                             .role = buffer->role,
                                             .is_read = buffer->role == MSW_ROLE_OUT && op->pipeline && is_read(op->pipeline, i)};
        (buffer->role == MSW_ROLE_OUT ? &plan->bytes_written_per_item : &plan->bytes_read_per_item)[0] +=
            buffer->length != MSW_LENGTH_ONE && !ms_is_of_segments(op, i) && !(op->pipeline && buffer->length >= MSW_LENGTH_FIXED)
                ? buffer->type.size_bytes
                : 0; /* at most, of those that are counted */
    }
}

/* A copy of the operation with counters of 64 bits, in the arena; NULL: out of memory. */
static const ms_operation *widened(ms_arena *arena, const ms_operation *op)
{
    ms_operation *wide = ms_arena_alloc(arena, sizeof *wide);
    if (!wide) return NULL;
    *wide = *op;
    ms_operation_widen(wide);
    return wide;
}

/* Whether the operation's counters shall have 64 bits (then *op is that form, with its geometry), or from some n on (*wide). */
static msw_result choose_counts(ms_arena *arena, const ms_operation **op, const msw_target *target, const ms_geometry_wish *wish, ms_geometry *g,
                                const ms_operation **wide, msw_diag *diag)
{
    if (!(*op)->wide || g->counts == 32) return MSW_OK;
    if (target->backend == MSW_BACKEND_VULKAN && g->counts == 64)
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", NULL, 0, "%s: Vulkan's kernels count in 32 bits; leave counts = 64 out", (*op)->name);
    if (target->backend == MSW_BACKEND_VULKAN) return MSW_OK;
    *wide = widened(arena, *op);
    if (!*wide) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "plan", NULL, 0, "out of memory");
    if (g->counts != 64) return MSW_OK;
    *op = *wide;
    *wide = NULL;
    return ms_geometry_choose(*op, target, wish, g, diag);
}

/* Look-back parks tiles where a multiprocessor has registers for one block of 256 threads alone, by the estimate less what that is off by in the
 * mean: then it has them for two, or spills no more (bench/NOTES.md). Narrow elements gain no block. */
enum { MOST_UNPARKED_REGISTERS = 128 - 16, LEAST_PARKED_BYTES = 16 };

static msw_result choose_parks(ms_arena *arena, const ms_operation *op, const msw_target *target, ms_geometry_wish *wish, ms_geometry *g,
                               msw_diag *diag)
{
    uint32_t registers;
    if (target->backend != MSW_BACKEND_CUDA || !op->monoid || !ms_operation_is_per_element(op)) return MSW_OK;
    if (ms_register_bytes(op->monoid->type) < LEAST_PARKED_BYTES) return MSW_OK;
    if (!ms_estimate_lookback(arena, op, g, &registers)) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "plan", NULL, 0, "out of memory");
    wish->parks = registers > MOST_UNPARKED_REGISTERS;
    if (!wish->parks || !ms_geometry_choose(op, target, wish, g, NULL)) return MSW_OK;
    wish->parks = 0; /* no room */
    return ms_geometry_choose(op, target, wish, g, diag);
}

const char *ms_plan_backend(const msw_target *target) { return target->backend == MSW_BACKEND_VULKAN ? "vulkan" : "cuda"; }

ms_tuning_class ms_plan_class(const ms_operation *op, const msw_target *target, ms_target_mode mode)
{
    ms_tuning_class found = {.backend = ms_plan_backend(target), .arch = target->arch};
    planners[op->kind]->classify(op, mode, &found);
    return found;
}

msw_result ms_plan(ms_arena *arena, const ms_operation *op, const msw_target *target, ms_target_mode mode, const msw_knob *knobs, uint32_t knob_count,
                   ms_tuning *tuning, msw_plan *plan, ms_kernel_shape shapes[MS_MAX_PART_KERNELS], msw_diag *diag)
{
    const char *given = ms_knobs_strategy(knobs, knob_count);
    const int only_ahead = ms_strategy_has(given, MS_LOOKS_AHEAD), is_loop = mode == MS_TARGET_LOOP;
    ms_geometry g = {0};
    const ms_planner *planner = planners[op->kind];
    if (ms_plan_check_lengths(op, target, diag)) return MSW_ERROR_UNSUPPORTED;
    ms_geometry_wish wish = {planner, only_ahead ? &tuning->lookahead : &tuning->general, knobs, knob_count, NULL, 0};
    msw_result result = is_loop ? MSW_OK : ms_geometry_choose(op, target, &wish, &g, diag);
    if (!result && !is_loop) result = choose_parks(arena, op, target, &wish, &g, diag);
    const ms_operation *wide = NULL;
    if (!result && !is_loop) result = choose_counts(arena, &op, target, &wish, &g, &wide, diag);
    if (result) return result;
    *plan = (msw_plan){.format = MSW_PLAN_FORMAT, .backend = target->backend};
    plan->name = ms_arena_strdup(arena, op->name);
    if (!plan->name) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "plan", NULL, 0, "out of memory");
    ms_plan_describe_buffers(op, plan);
    plan->scratch_alignment_bytes = 16;
    ms_planning p = {.arena = arena,
                     .op = op,
                     .target = target,
                     .planner = planner,
                     .knobs = knobs,
                     .knob_count = knob_count,
                     .tuning = tuning,
                     .g = &g,
                     .wide = wide,
                     .plan = plan,
                     .shapes = shapes,
                     .tile = g.block * g.items,
                     .has_fallback = target->progress != MSW_PROGRESS_PARALLEL && target->progress != MSW_PROGRESS_OCCUPANCY};
    if (is_loop) ms_plan_loop(&p);
    else result = planner->plan(&p, diag);
    if (!result && (plan->kernel_count > MS_MAX_PART_KERNELS || plan->step_count > MSW_MAX_STEPS || plan->variant_count > MSW_MAX_VARIANTS))
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", op->file, op->line,
                       "%s: a plan has no room for so many kernels, steps or variants; choose a strategy", op->name);
    return result;
}

/* ---- the public lists ---- */

msw_result msw_strategy_get(msw_op_kind kind, uint32_t index, msw_choice *choice)
{
    if (!choice || (uint32_t)kind >= MS_KIND_COUNT) return MSW_ERROR_INVALID_ARGUMENT;
    const msw_result result = MS_SIZED_CHECK(msw_choice, choice, "plan", NULL);
    if (result) return result;
    for (const ms_strategy *s = ms_strategies; s->name; s++) {
        if (!(s->kinds & 1u << kind) || index--) continue;
        const msw_choice found = {
            .name = s->name, .summary = s->summary, .is_any_order = (s->traits & MS_TAKES_ROOM) != 0, .is_tuned = (s->traits & MS_IS_TUNED) != 0};
        ms_sized_write(choice, &found, sizeof found);
        return MSW_OK;
    }
    return MSW_ERROR_INVALID_ARGUMENT;
}

msw_result msw_knob_get(uint32_t index, msw_choice *choice)
{
    if (!choice) return MSW_ERROR_INVALID_ARGUMENT;
    const msw_result result = MS_SIZED_CHECK(msw_choice, choice, "plan", NULL);
    if (result) return result;
    for (const ms_knob *k = ms_knobs; k->name; k++) {
        if (index--) continue;
        const msw_choice found = {.name = k->name, .summary = k->summary, .words = k->words, .least = k->least, .most = k->most};
        ms_sized_write(choice, &found, sizeof found);
        return MSW_OK;
    }
    return MSW_ERROR_INVALID_ARGUMENT;
}
