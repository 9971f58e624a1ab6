/* From a checked operation and a target to a plan: strategy, geometry, scratch, steps. */
#include "diag.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>

typedef struct geometry {
    uint32_t block, subgroup, items, vector, max_blocks;
    const char *strategy; /* NULL: both, by n */
} geometry;

/* llvmpipe ends a shader's loops, silently, after 65535 iterations in all; a tile takes up to about 30. Everything else: no such bound. */
enum { LAVAPIPE_TILES_PER_BLOCK = 1024, LAVAPIPE_BLOCKS = 1024 };

static int is_lavapipe(const msw_target *target) { return target->arch && !strcmp(target->arch, "lavapipe"); }

static uint32_t at_most(uint32_t value, uint32_t limit) { return value < limit ? value : limit; }

static uint32_t at_least(uint32_t value, uint32_t limit) { return value > limit ? value : limit; }

/* A value's bytes in registers and shared memory: nothing is narrower than a word there. */
static uint32_t register_bytes(const ms_type *type)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < type->info.leaf_count; i++) bytes += at_least(ms_scalar_bytes(type->info.leaves[i].scalar), 4);
    return bytes;
}

/* Shared memory of block_scan (templates/block.tpl) and, without subgroup operations, of the shuffles. */
static uint32_t shared_bytes(const ms_operation *op, uint32_t block, uint32_t subgroup)
{
    const uint32_t value = register_bytes(op->monoid->type);
    if (subgroup == 1) return block * value;
    uint32_t count = block / subgroup, totals = 0;
    if (count == 1) return 0;
    for (; count > subgroup; count = (count + subgroup - 1) / subgroup) totals += count;
    return (totals + count) * value;
}

/* Items a lane takes together: 16 bytes of them, and always whole words. */
static uint32_t vector_items(const ms_operation *op)
{
    const ms_type *types[3] = {op->input, op->output, op->monoid->type};
    uint32_t whole_words = 1, widest = 1;
    for (int i = 0; i < 3; i++) {
        const uint32_t bytes = types[i]->info.size_bytes;
        widest = at_least(widest, bytes);
        whole_words = at_least(whole_words, bytes % 4 == 0 ? 1 : bytes % 2 == 0 ? 2 : 4);
    }
    const uint32_t sixteen = widest > 8 ? 1 : widest > 4 ? 2 : 4;
    return at_least(sixteen, whole_words);
}

static msw_result bad_knob(msw_diag *diag, const msw_knob *knob, const char *rule)
{
    return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", NULL, 0, "%s = %s: %s", knob->name, knob->value, rule);
}

static int power_of_two(unsigned long value) { return value && !(value & (value - 1)); }

static msw_result number_knob(const msw_knob *knob, geometry *g, int *block_given, msw_diag *diag)
{
    char *end;
    const unsigned long value = strtoul(knob->value, &end, 10);
    if (end == knob->value || *end || value == 0 || value > 1u << 20) return bad_knob(diag, knob, "not a number in 1 .. 2^20");
    if (!strcmp(knob->name, "block")) g->block = (uint32_t)value, *block_given = 1;
    else if (!strcmp(knob->name, "items")) g->items = (uint32_t)value;
    else if (!strcmp(knob->name, "vector")) g->vector = (uint32_t)value;
    else if (!strcmp(knob->name, "blocks")) g->max_blocks = (uint32_t)value;
    else if (!strcmp(knob->name, "subgroup")) {
        if (!power_of_two(value) || value > 128) return bad_knob(diag, knob, "a subgroup has 1 (no subgroup operations), 2, 4, .. 128 lanes");
        g->subgroup = (uint32_t)value;
    } else {
        return bad_knob(diag, knob, "no strategy of this version has this knob; there are strategy, block, items, vector, subgroup, blocks");
    }
    return MSW_OK;
}

static msw_result apply_knobs(const msw_knob *knobs, uint32_t count, geometry *g, int *block_given, msw_diag *diag)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(knobs[i].name, "strategy")) {
            const msw_result result = number_knob(&knobs[i], g, block_given, diag);
            if (result) return result;
        } else if (!strcmp(knobs[i].value, "single_block")) {
            g->strategy = "single_block";
        } else if (!strcmp(knobs[i].value, "reduce_then_scan")) {
            g->strategy = "reduce_then_scan";
        } else if (!strcmp(knobs[i].value, "auto")) {
            g->strategy = NULL;
        } else {
            return bad_knob(diag, &knobs[i], "this version has single_block, reduce_then_scan and auto");
        }
    }
    return MSW_OK;
}

/* Why this geometry cannot run on the target; NULL: it can. */
static const char *misfit(const ms_operation *op, const msw_target *target, const geometry *g)
{
    if (target->backend == MSW_BACKEND_CUDA && g->subgroup != 32 && g->subgroup != 1)
        return "a CUDA subgroup has 32 lanes; choose 32, or 1 for no subgroup operations";
    if (g->block % g->subgroup) return "the block is not a whole number of subgroups; choose a multiple of the subgroup size";
    if (g->subgroup == 1 && !power_of_two(g->block)) return "without subgroup operations the block's threads must be a power of two";
    if (g->block > target->max_block_threads) return "the block has more threads than the device allows; choose a smaller one";
    if (g->subgroup > 1 && target->max_block_subgroups && g->block / g->subgroup > target->max_block_subgroups)
        return "the block has more subgroups than the device allows; choose a smaller block";
    if (shared_bytes(op, g->block, g->subgroup) > target->shared_bytes) return "the block needs more shared memory than the device has; choose a smaller one";
    return NULL;
}

static msw_result choose(const ms_operation *op, const msw_target *target, const msw_knob *knobs, uint32_t knob_count, geometry *g, msw_diag *diag)
{
    const uint32_t value = at_least(register_bytes(op->monoid->type), 4), least_vector = vector_items(op);
    int block_given = 0;
    *g = (geometry){.block = 256, .subgroup = target->subgroup_size, .vector = least_vector};
    g->items = at_least(g->vector, at_most(16, 64 / value / g->vector * g->vector));
    g->max_blocks = at_most(target->max_blocks, is_lavapipe(target) ? LAVAPIPE_BLOCKS : at_most(1024, at_least(16, 8 * target->compute_units)));
    const msw_result result = apply_knobs(knobs, knob_count, g, &block_given, diag);
    if (result) return result;
    while (!block_given && g->block > g->subgroup && g->block > 1 && misfit(op, target, g)) g->block /= 2;
    const char *why = misfit(op, target, g);
    if (g->vector * op->input->info.size_bytes % 4 || g->vector * op->output->info.size_bytes % 4 || g->vector * op->monoid->type->info.size_bytes % 4)
        why = "the items that a lane takes together are not whole words; choose vector = 4";
    if (g->items % g->vector) why = "items is not a multiple of vector; choose one";
    if (g->max_blocks > target->max_blocks) why = "more blocks than the device launches at once; choose fewer";
    if (!why) return MSW_OK;
    return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", NULL, 0, "%s: block %u, subgroup %u, items %u, vector %u, blocks %u of %s: %s", op->name, g->block,
                   g->subgroup, g->items, g->vector, g->max_blocks, op->monoid->type->info.name, why);
}

static uint32_t add_kernel(const ms_operation *op, const geometry *g, msw_plan *plan, ms_kernel_shape *shapes, ms_kernel_shape shape, const char *entry)
{
    shape.block_threads = g->block;
    shape.subgroup_size = g->subgroup;
    shape.items = g->items;
    shape.vector = g->vector;
    shapes[plan->kernel_count] = shape;
    plan->kernels[plan->kernel_count] = (msw_plan_kernel){
        .entry = entry, .block_threads = g->block, .subgroup_size = g->subgroup, .shared_bytes = shared_bytes(op, g->block, g->subgroup)};
    return plan->kernel_count++;
}

static void add_step(msw_plan *plan, uint32_t kernel, uint32_t tile_items, uint32_t max_blocks)
{
    plan->steps[plan->step_count++] = (msw_plan_step){.kernel = kernel, .tile_items = tile_items, .max_blocks = max_blocks};
    plan->variants[plan->variant_count - 1].step_count++;
}

/* slot_bytes: of the scratch, one for the starting prefix and one for each block's aggregate. */
static void add_variant(msw_plan *plan, const char *strategy, uint64_t n_max, uint64_t slot_bytes)
{
    plan->variants[plan->variant_count++] = (msw_plan_variant){.n_max = n_max, .first_step = plan->step_count, .scratch_base_bytes = slot_bytes,
                                                               .scratch_per_block_bytes = slot_bytes, .strategy = strategy};
}

/* The largest n that `blocks` blocks serve: indices of items have 32 bits, with CUDA those of tiles. */
static uint64_t n_limit_of(const msw_target *target, uint64_t tile, uint64_t blocks)
{
    if (target->backend == MSW_BACKEND_CUDA) return tile * (UINT32_MAX - blocks);
    const uint64_t limit = UINT32_MAX - 2 * tile, lavapipe = tile * blocks * LAVAPIPE_TILES_PER_BLOCK;
    return is_lavapipe(target) && lavapipe < limit ? lavapipe : limit;
}

static void add_strategies(const ms_operation *op, const msw_target *target, const geometry *g, msw_plan *plan, ms_kernel_shape *shapes)
{
    const uint32_t tile = g->block * g->items;
    const int scan = op->kind == MSW_OP_SCAN;
    const int single = !g->strategy || !strcmp(g->strategy, "single_block");
    const int several = !g->strategy || !strcmp(g->strategy, "reduce_then_scan");
    if (single) {
        const ms_kernel_shape shape = {.template_name = scan ? "scan" : "reduce", .strategy = "single_block", .reads = "input", .writes = "output"};
        add_variant(plan, "single_block", several ? 4ull * tile : n_limit_of(target, tile, 1), 0);
        add_step(plan, add_kernel(op, g, plan, shapes, shape, scan ? "scan_single_block" : "reduce_single_block"), tile, 1);
    }
    if (several) {
        const ms_kernel_shape up = {.template_name = "reduce", .strategy = "reduce_then_scan", .reads = "input", .writes = "aggregates"};
        const ms_kernel_shape down = {.template_name = "scan", .strategy = "reduce_then_scan", .reads = "input", .writes = "output"};
        const ms_kernel_shape last = {.template_name = "reduce", .strategy = "reduce_then_scan", .reads = "aggregates", .writes = "output",
                                      .earlier_tile = tile, .earlier_blocks = g->max_blocks};
        add_variant(plan, "reduce_then_scan", n_limit_of(target, tile, g->max_blocks), (register_bytes(op->monoid->type) + 7) / 8 * 8);
        add_step(plan, add_kernel(op, g, plan, shapes, up, "reduce_tiles"), tile, g->max_blocks);
        if (scan) add_step(plan, add_kernel(op, g, plan, shapes, down, "scan_tiles"), tile, g->max_blocks);
        else add_step(plan, add_kernel(op, g, plan, shapes, last, "reduce_aggregates"), tile, 1);
    }
}

msw_result ms_plan(ms_arena *arena, const ms_operation *op, const msw_target *target, const msw_knob *knobs, uint32_t knob_count, msw_plan *plan,
                   ms_kernel_shape shapes[MSW_MAX_KERNELS], msw_diag *diag)
{
    geometry g;
    const msw_result result = choose(op, target, knobs, knob_count, &g, diag);
    if (result) return result;
    *plan = (msw_plan){.format = MSW_PLAN_FORMAT, .backend = target->backend, .buffer_count = op->info.buffer_count};
    plan->name = ms_arena_strdup(arena, op->name);
    if (!plan->name) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "plan", NULL, 0, "out of memory");
    for (uint32_t i = 0; i < plan->buffer_count; i++) {
        const msw_op_buffer *buffer = &op->info.buffers[i];
        plan->buffers[i] = (msw_plan_buffer){.name = i ? "out" : "in", .element_bytes = buffer->type.size_bytes, .length = buffer->length,
                                             .alignment_bytes = at_least(buffer->type.alignment_bytes, 4), .is_output = buffer->is_output};
        (buffer->is_output ? &plan->bytes_written_per_item : &plan->bytes_read_per_item)[0] += buffer->length == MSW_LENGTH_N ? buffer->type.size_bytes : 0;
    }
    plan->carry_bytes = op->monoid->type->info.size_bytes;
    plan->scratch_alignment_bytes = 16;
    add_strategies(op, target, &g, plan, shapes);
    return MSW_OK;
}
