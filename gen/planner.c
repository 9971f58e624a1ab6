/* From a checked operation and a target to a plan: strategies as variants, kernels, steps, scratch. Scans and reductions; sorts are sort_planner.c's. */
#include "planner.h"
#include "diag.h"

#include <string.h>

/* llvmpipe ends a shader's loops, silently, after 65535 iterations in all; a tile takes up to about 30. */
enum { LAVAPIPE_TILES_PER_BLOCK = 1024 };

enum { ZERO_TILE_BYTES = 65536, ZERO_BLOCKS = 1024 };

enum { ZEROED_UNIT_BYTES = 256 }; /* what kernels know of what was zeroed is rounded down to these */

static uint32_t round_up(uint32_t value, uint32_t multiple) { return (value + multiple - 1) / multiple * multiple; }

static int is_strategy(const ms_planning *p, const char *name) { return p->g->strategy && !strcmp(p->g->strategy, name); }

uint32_t ms_plan_add_kernel(ms_planning *p, const char *entry, ms_kernel_shape shape, uint32_t shared_bytes)
{
    const ms_geometry *g = p->g;
    const uint32_t index = p->plan->kernel_count++;
    shape.geometry = *g;
    if (!shape.sort) shape.sort = p->sort;
    shape.tile_items = p->tile;
    shape.aggregates_offset = p->aggregates_offset;
    shape.descriptors_offset = p->descriptors_offset;
    shape.has_fallback = p->has_fallback;
    p->shapes[index] = shape;
    p->plan->kernels[index] = (msw_plan_kernel){
        .entry = entry, .block_threads = g->block, .subgroup_size = g->subgroup, .shared_bytes = shared_bytes};
    return index;
}

static uint32_t add_kernel(ms_planning *p, const char *entry, ms_kernel_shape shape) { return ms_plan_add_kernel(p, entry, shape, ms_shared_bytes(p->op, p->g)); }

msw_plan_step *ms_plan_add_step(ms_planning *p, uint32_t kernel, uint32_t tile_items, uint32_t max_blocks)
{
    msw_plan_step *step = &p->plan->steps[p->plan->step_count++];
    *step = (msw_plan_step){.kernel = kernel, .tile_items = tile_items, .max_blocks = max_blocks};
    return step;
}

msw_plan_variant *ms_plan_begin_variant(ms_planning *p, const char *strategy, uint64_t n_max)
{
    msw_plan_variant *variant = &p->plan->variants[p->plan->variant_count++];
    *variant = (msw_plan_variant){.n_max = n_max, .first_step = p->plan->step_count, .strategy = strategy, .serves_in_place = 1};
    return variant;
}

void ms_plan_end_variant(ms_planning *p, msw_plan_variant *variant) { variant->step_count = p->plan->step_count - variant->first_step; }

/* The largest n that `blocks` blocks of at most `lavapipe_tiles` tiles there serve. C's family counts items in 64 bits and
 * tiles in 32, Vulkan all in 32. */
uint64_t ms_plan_n_limit(const ms_planning *p, uint64_t blocks, uint64_t lavapipe_tiles)
{
    const uint64_t tiles = UINT32_MAX - 1, items = UINT32_MAX - 2ull * p->tile;
    if (p->target->backend != MSW_BACKEND_VULKAN) return p->tile * tiles;
    if (ms_has_short_loops(p->target) && p->tile * blocks * lavapipe_tiles < items) return p->tile * blocks * lavapipe_tiles;
    return items;
}

/* With a tile ahead blocks take tiles as long as there are any: more of them than run at once find none. */
enum { AHEAD_BLOCKS = 1024 };

uint32_t ms_plan_ticket_blocks(const ms_planning *p)
{
    const uint32_t most = p->target->backend == MSW_BACKEND_VULKAN ? 65535 : UINT32_MAX;
    const uint32_t wanted = p->g->ahead ? AHEAD_BLOCKS : most;
    return p->g->blocks_given ? p->g->max_blocks : p->target->max_blocks < wanted ? p->target->max_blocks : wanted;
}

static void add_single_block(ms_planning *p, uint64_t n_max)
{
    const int scan = p->op->kind == MSW_OP_SCAN;
    msw_plan_variant *variant = ms_plan_begin_variant(p, "single_block", n_max);
    const ms_kernel_shape shape = {.template_name = scan ? "scan" : "reduce", .strategy = "single_block", .reads = "input", .writes = "output"};
    ms_plan_add_step(p, add_kernel(p, scan ? "scan_single_block" : "reduce_single_block", shape), p->tile, 1);
    ms_plan_end_variant(p, variant);
}

/* reduce_then_scan, scan_then_propagate, and every reduction of more than one block: aggregates of blocks between launches. */
static void add_two_launches(ms_planning *p, const char *strategy)
{
    const uint32_t blocks = p->g->max_blocks;
    const int scan = p->op->kind == MSW_OP_SCAN, propagate = !strcmp(strategy, "scan_then_propagate");
    msw_plan_variant *variant = ms_plan_begin_variant(p, strategy, ms_plan_n_limit(p, blocks, LAVAPIPE_TILES_PER_BLOCK));
    const ms_kernel_shape up = {.template_name = "reduce", .strategy = strategy, .reads = "input", .writes = "aggregates"};
    const ms_kernel_shape down = {.template_name = "scan", .strategy = strategy, .reads = "input", .writes = propagate ? "aggregates" : "output"};
    const ms_kernel_shape spread = {.template_name = "propagate", .strategy = strategy, .reads = "input", .writes = "output"};
    const ms_kernel_shape last = {.template_name = "reduce", .strategy = strategy, .reads = "aggregates", .writes = "output",
                                  .earlier_tile = p->tile, .earlier_blocks = blocks};
    if (!propagate) ms_plan_add_step(p, add_kernel(p, "reduce_tiles", up), p->tile, blocks);
    if (scan) ms_plan_add_step(p, add_kernel(p, "scan_tiles", down), p->tile, blocks);
    else ms_plan_add_step(p, add_kernel(p, "reduce_aggregates", last), p->tile, 1);
    if (propagate) ms_plan_add_step(p, add_kernel(p, "propagate_prefixes", spread), p->tile, blocks);
    variant->scratch_base_bytes = p->aggregates_offset + p->aggregate_bytes;
    variant->scratch_per_block_bytes = p->aggregate_bytes;
    ms_plan_end_variant(p, variant);
}

static void add_lookback(ms_planning *p, const char *strategy, uint64_t n_max)
{
    const ms_kernel_shape shape = {.template_name = "lookback", .strategy = strategy, .reads = "input", .writes = "output"};
    const uint32_t blocks = ms_plan_ticket_blocks(p);
    const uint64_t n_limit = ms_plan_n_limit(p, blocks, MS_LAVAPIPE_LOOKBACK_TILES);
    msw_plan_variant *variant = ms_plan_begin_variant(p, strategy, n_limit < n_max ? n_limit : n_max);
    ms_plan_add_step(p, add_kernel(p, "scan_lookback", shape), p->tile, blocks);
    variant->scratch_base_bytes = p->descriptors_offset + ZEROED_UNIT_BYTES;
    variant->scratch_per_tile_bytes = ms_descriptor_bytes(ms_register_words(p->op->monoid->type), p->g->descriptor, p->has_fallback);
    variant->serves_in_place = !p->has_fallback; /* others may have overwritten the tile, or the carry, that a fallback reads again */
    ms_plan_end_variant(p, variant);
}

/* Whether n and the plan alone may decide in what order elements are combined. */
static int is_order_fixed(const ms_planning *p) { return p->op->deterministic && !p->op->info.is_bit_exact; }

enum { LOOKAHEAD_ELEMENT_BYTES = 32 }; /* where the planner chooses: the widest */

/* All blocks run at once: as many as the device's multiprocessors hold, each of which takes every so many-th tile. */
static void add_lookahead(ms_planning *p)
{
    const ms_geometry *const geometry = p->g;
    const uint32_t tile = p->tile;
    if (p->lookahead) {
        p->g = p->lookahead;
        p->tile = p->g->block * p->g->items;
    }
    const uint32_t blocks = p->g->max_blocks, stage_bytes = ms_stage_bytes(p->op, p->g);
    const ms_kernel_shape shape = {.template_name = "lookahead", .strategy = "lookahead", .reads = "input", .writes = "output",
                                   .blocks = blocks, .stage_bytes = stage_bytes, .has_dynamic_shared = 1,
                                   .has_fixed_order = is_order_fixed(p)};
    msw_plan_variant *variant = ms_plan_begin_variant(p, "lookahead", ms_plan_n_limit(p, blocks, 0));
    const uint32_t kernel = ms_plan_add_kernel(p, "scan_lookahead", shape, ms_lookahead_shared_bytes(p->op, p->g));
    p->plan->kernels[kernel].dynamic_shared_bytes = p->g->stages * stage_bytes;
    p->plan->kernels[kernel].is_cooperative = 1;
    p->plan->kernels[kernel].block_threads = p->g->block + p->g->subgroup; /* the last subgroup looks for what comes before tiles */
    ms_plan_add_step(p, kernel, p->tile, blocks);
    variant->scratch_per_tile_bytes = ms_descriptor_bytes(ms_register_words(p->op->monoid->type), p->g->descriptor, 0);
    variant->scratch_base_bytes = p->descriptors_offset + ZEROED_UNIT_BYTES + variant->scratch_per_tile_bytes; /* an unaligned input may lie in one more */
    ms_plan_end_variant(p, variant);
    p->g = geometry;
    p->tile = tile;
}

void ms_plan_add_initialisation(ms_planning *p)
{
    const ms_kernel_shape shape = {.template_name = "zero", .strategy = "scratch initialisation", .reads = "none", .writes = "none"};
    ms_plan_add_step(p, ms_plan_add_kernel(p, "zero_scratch", shape, 0), ZERO_TILE_BYTES, ZERO_BLOCKS);
    p->plan->init_step_count = 1;
}

/* Whether a row names this strategy for large n, or none; where the others are left to look-ahead, look-back is for what comes before. */
static int prefers(const ms_planning *p, const char *strategy)
{
    const char *preferred = p->tuning->preferred;
    return !preferred || !strcmp(preferred, strategy) || (!strcmp(preferred, "lookahead") && !strcmp(strategy, "lookback"));
}

/* n up to which look-back serves: where look-ahead begins, and no further than what comes after it. */
static uint64_t lookback_ends(const ms_planning *p, int two_launches)
{
    if (p->lookahead) return p->tuning->lookahead.from_bytes / (p->op->input->info.size_bytes + p->op->output->info.size_bytes);
    return two_launches ? ms_plan_n_limit(p, p->g->max_blocks, LAVAPIPE_TILES_PER_BLOCK) : UINT64_MAX;
}

static void add_strategies(ms_planning *p)
{
    const int scan = p->op->kind == MSW_OP_SCAN, is_free = !p->g->strategy;
    /* Look-back gives floats in an order that timing decides; where a CPU runs the blocks, few at once, it takes longer than two launches. */
    const int two_are_better = is_order_fixed(p) || !prefers(p, "lookback") ||
                               (!p->tuning->preferred && ms_is_cpu_driver(p->target)) || (ms_has_short_loops(p->target) && !strcmp(p->g->descriptor, "flagged"));
    const int looks_ahead = is_strategy(p, "lookahead") || p->lookahead;
    const int looks_back = is_strategy(p, "lookback") || is_strategy(p, "chained_scan") || (is_free && scan && !two_are_better);
    const int is_two_launches = is_strategy(p, "reduce_then_scan") || is_strategy(p, "scan_then_propagate");
    const int two_launches = is_two_launches || (is_free && ((!looks_back && !looks_ahead) || p->has_fallback));
    p->aggregates_offset = looks_back || looks_ahead ? MS_COUNTERS_BYTES : 0;
    p->descriptors_offset = round_up(p->aggregates_offset + (two_launches ? (p->g->max_blocks + 1) * p->aggregate_bytes : 0), 16);
    if (is_free) add_single_block(p, (p->target->backend == MSW_BACKEND_CUDA ? 2ull : 4ull) * p->tile);
    if (is_strategy(p, "single_block")) add_single_block(p, ms_plan_n_limit(p, 1, LAVAPIPE_TILES_PER_BLOCK));
    if (looks_back) add_lookback(p, is_free ? "lookback" : p->g->strategy, lookback_ends(p, two_launches));
    if (looks_ahead) add_lookahead(p);
    if (two_launches) add_two_launches(p, is_free ? "reduce_then_scan" : p->g->strategy);
    if (looks_back || looks_ahead) ms_plan_add_initialisation(p);
}

static void describe_buffers(const ms_operation *op, msw_plan *plan)
{
    for (uint32_t i = 0; i < plan->buffer_count; i++) {
        const msw_op_buffer *buffer = &op->info.buffers[i];
        plan->buffers[i] = (msw_plan_buffer){.name = buffer->name, .element_bytes = buffer->type.size_bytes, .length = buffer->length,
                                             .alignment_bytes = buffer->type.alignment_bytes, .is_output = buffer->is_output};
        (buffer->is_output ? &plan->bytes_written_per_item : &plan->bytes_read_per_item)[0] += buffer->length == MSW_LENGTH_N ? buffer->type.size_bytes : 0;
    }
}

static msw_result check_strategy(const ms_operation *op, const ms_geometry *g, msw_diag *diag)
{
    if (!g->strategy || !op->monoid || strcmp(g->strategy, "scan_then_propagate") || (!op->output_map && op->output == op->monoid->type)) return MSW_OK;
    return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", NULL, 0, "%s: scan_then_propagate goes over the output twice and so needs the monoid's elements there, "
                   "but the operation has an output function; choose another strategy", op->name);
}

/* Where the planner chooses. */
static int may_look_ahead(const ms_planning *p)
{
    return !p->g->strategy && prefers(p, "lookahead") && p->op->kind == MSW_OP_SCAN && !p->has_fallback && ms_has_bulk_copies(p->target) &&
           ms_register_bytes(p->op->monoid->type) <= LOOKAHEAD_ELEMENT_BYTES;
}

msw_result ms_plan(ms_arena *arena, const ms_operation *op, const msw_target *target, const msw_knob *knobs, uint32_t knob_count, ms_tuning *tuning,
                   msw_plan *plan, ms_kernel_shape shapes[MSW_MAX_KERNELS], msw_diag *diag)
{
    const char *given = ms_knobs_strategy(knobs, knob_count);
    const int only_ahead = given && !strcmp(given, "lookahead"), is_loop = ms_is_loop(target);
    ms_geometry g = {0};
    const ms_geometry_wish wish = {only_ahead ? &tuning->lookahead : &tuning->general, knobs, knob_count, NULL};
    msw_result result = is_loop ? MSW_OK : ms_geometry_choose(op, target, &wish, &g, diag);
    if (!result) result = check_strategy(op, &g, diag);
    if (result) return result;
    *plan = (msw_plan){.format = MSW_PLAN_FORMAT, .backend = target->backend, .buffer_count = op->info.buffer_count};
    plan->name = ms_arena_strdup(arena, op->name);
    if (!plan->name) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "plan", NULL, 0, "out of memory");
    describe_buffers(op, plan);
    plan->scratch_alignment_bytes = 16;
    ms_planning p = {.arena = arena, .op = op, .target = target, .tuning = tuning, .g = &g, .plan = plan, .shapes = shapes, .tile = g.block * g.items,
                     .has_fallback = target->progress != MSW_PROGRESS_PARALLEL && target->progress != MSW_PROGRESS_OCCUPANCY};
    if (is_loop) return ms_plan_loop(&p, diag);
    if (op->kind == MSW_OP_SORT) return ms_plan_sort(&p, diag);
    ms_geometry lookahead;
    const ms_geometry_wish wish_ahead = {&tuning->lookahead, knobs, knob_count, "lookahead"};
    if (may_look_ahead(&p) && !ms_geometry_choose(op, target, &wish_ahead, &lookahead, NULL) && tuning->lookahead.note) p.lookahead = &lookahead;
    lookahead.descriptor = g.descriptor; /* both post in one place: another's payload might be taken for a tag */
    if (!p.lookahead && !only_ahead) tuning->lookahead.note = NULL;
    plan->carry_bytes = op->monoid->type->info.size_bytes;
    p.aggregate_bytes = round_up(ms_register_bytes(op->monoid->type), 8);
    add_strategies(&p);
    return MSW_OK;
}
