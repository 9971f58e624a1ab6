/* Plans of scans and reductions: strategies as variants, their kernels and steps, their scratch. */
#include "planning.h"
#include "choices.h"
#include "diag.h"

#include <string.h>

/* ---- geometry ---- */

/* Look-back keeps two tiles in registers (measured on an H200, bench/NOTES.md). */
enum { SCAN_THREAD_BYTES = 96, EXPANDING_BYTES = 128, EXPANDING_BLOCK = 128 };

static void choose_fold_defaults(const ms_operation *op, const msw_target *target, ms_geometry *g)
{
    uint32_t items = g->vector; /* and the balanced tree has powers of two */
    (void)target;
    while (2 * items <= g->items) items *= 2;
    if (ms_operation_is_balanced(op)) g->items = items;
}

/* Of a reduction in order: bytes that a thread loads of a tile, at most as many items, and bytes of what its part of each row, and of all its items,
 * adds up to: what is unrolled becomes long. One row at the least. */
enum { REDUCED_BYTES = 128, REDUCED_ITEMS = 32, REDUCED_ROWS_BYTES = 128, REDUCED_ITEMS_BYTES = 256 };

static void choose_reduce_defaults(const ms_operation *op, const msw_target *target, ms_geometry *g)
{
    const uint32_t in = ms_item_bytes(op, MSW_ROLE_IN), value = ms_register_bytes(op->monoid->type);
    uint32_t rows = REDUCED_ITEMS / g->vector;
    if (in && rows > REDUCED_BYTES / in / g->vector) rows = REDUCED_BYTES / in / g->vector;
    if (rows > REDUCED_ROWS_BYTES / value) rows = REDUCED_ROWS_BYTES / value;
    if (rows > REDUCED_ITEMS_BYTES / value / g->vector) rows = REDUCED_ITEMS_BYTES / value / g->vector;
    if (ms_reduces_in_order(op)) g->items = (rows ? rows : 1) * g->vector;
    choose_fold_defaults(op, target, g);
}

static const char *fold_misfit(const ms_operation *op, const msw_target *target, const ms_geometry *g)
{
    (void)target;
    if (!ms_operation_is_balanced(op) || (ms_is_power_of_two(g->block) && ms_is_power_of_two(g->items))) return NULL;
    return "the same bits everywhere come of a tree of powers of two; choose such a block and such items";
}

/* Of expansions, measured for elements and items of 4 bytes (H200, bench/NOTES.md): registers for more blocks than wait at once, and larger tiles
 * where no tile waits for another. */
enum { EXPANDING_ITEMS = 24, EXPANDING_RESIDENT = 8, EXPANDING_LOOKBACK = 2, MEASURED_BYTES = 8 };

static void choose_expanding_defaults(const ms_operation *op, const msw_target *target, ms_geometry *g)
{
    g->block = EXPANDING_BLOCK;
    g->items = ms_thread_items(op, EXPANDING_BYTES, g->vector);
    if (target->backend != MSW_BACKEND_CUDA || ms_item_bytes(op, MSW_ROLE_IN) + ms_item_bytes(op, MSW_ROLE_OUT) > MEASURED_BYTES) return;
    g->resident = EXPANDING_RESIDENT;
    g->lookback = EXPANDING_LOOKBACK;
    if (op->any_order && EXPANDING_ITEMS % g->vector == 0) g->items = EXPANDING_ITEMS;
}

static void choose_scan_defaults(const ms_operation *op, const msw_target *target, ms_geometry *g)
{
    if (!ms_is_cpu_driver(target)) {
        g->items = ms_thread_items(op, SCAN_THREAD_BYTES, g->vector);
        if (op->item) choose_expanding_defaults(op, target, g);
        g->packs = target->backend != MSW_BACKEND_VULKAN || op->item ? MS_PACKS_TILE : (uint32_t)op->counts_alone;
        g->ahead = target->backend != MSW_BACKEND_HOST;
    }
    choose_fold_defaults(op, target, g);
}

/* A scan of one array by a balanced tree. */
static int is_tree_of_one_array(const ms_operation *op)
{
    return ms_operation_is_balanced(op) && ms_operation_is_per_element(op) && !ms_stages_arrays(op);
}

static void classify(const ms_operation *op, ms_target_mode mode, ms_tuning_class *class_)
{
    class_->bytes = ms_tile_item_bytes(op);
    class_->name = ms_operation_kind(op)->name;
    const int returns_half = 2 * ms_item_bytes(op, MSW_ROLE_OUT) <= ms_item_bytes(op, MSW_ROLE_IN);
    if (ms_operation_is_per_element(op) && !ms_stages_arrays(op) && returns_half) class_->name = "scan_narrow";
    if (op->counts_alone) class_->name = ms_stages_narrow_items(op) ? "sweep_packed_narrow" : "sweep_packed";
    if (op->part) class_->name = "sweep_segments";
    else if (op->part_combine) class_->name = "scan_segments";
    if (ms_operation_is_balanced(op) && ms_operation_is_per_element(op)) class_->name = ms_stages_arrays(op) ? "sweep_everywhere" : "scan_everywhere";
    if (mode == MS_TARGET_SIMULATOR) class_->arch = "sm_90"; /* only rows lead to look-ahead */
}

/* ---- kernels ---- */

/* Parts of a tile's items (templates/scan/parts.tpl): their size, in tiles and, but for larger tiles, in items; what says which it is. */
enum { PART_TILES = 8, PART_ITEMS = 1 << 15, PART_BYTES = 16 };
enum { ZEROED_UNIT_BYTES = 256 }; /* what kernels know of what was zeroed is rounded down to these */
enum { COUNTERS_UNITS = (MS_COUNTERS_BYTES + ZEROED_UNIT_BYTES - 1) / ZEROED_UNIT_BYTES };

/* Whether the strategy that is asked for does that. */
static int does(const ms_planning *p, uint32_t traits) { return ms_strategy_has(p->g->strategy, traits); }

/* Segments that follow each other: where none has elements, their results are not written by their tile's block
 * (templates/scan/find_segments.tpl). */
enum { SEGMENT_CHUNK = 2048, SIMULATED_CHUNK = 16 };

/* Of a tile in the scratch: in a balanced tree nodes post, too, and a recount posts once more. */
static uint32_t posts_bytes(const ms_planning *p)
{
    const uint32_t bytes = ms_descriptor_bytes(ms_register_words(p->op->monoid->type), p->g->descriptor, p->has_fallback);
    return ms_operation_is_balanced(p->op) || p->op->recount ? 2 * bytes : bytes;
}

/* Whether what is made of states, once they are known, can look back, too. A fallback that makes it of a missing tile would have to look back for
 * that tile's states first. */
static int looks_back_twice(const ms_planning *p)
{
    return p->op->recount && !p->has_fallback && !p->op->segments && !ms_operation_is_balanced(p->op);
}

/* Of two scans, one of the other's results. */
static int is_scan_of_scan(const ms_operation *op) { return op->recount && !ms_operation_has_places(op); }

/* Offsets are bytes, in the scratch. */
static ms_kernel_shape shape_of(const ms_planning *p, const char *template_name, const char *strategy, const char *reads, const char *writes)
{
    return (ms_kernel_shape){.template_name = template_name,
                             .strategy = strategy,
                             .reads = reads,
                             .writes = writes,
                             .constants = {{"aggregates_offset", p->aggregates_offset},
                                           {"counts_offset", p->counts_offset},
                                           {"descriptors_offset", p->descriptors_offset},
                                           {"firsts_offset", p->has_posts ? 0 : p->descriptors_offset + 16},
                                           {"post_bytes", p->has_posts ? posts_bytes(p) : 0},
                                           {"chunk", p->target->backend == MSW_BACKEND_HOST ? SIMULATED_CHUNK : SEGMENT_CHUNK}}};
}

/* Whether a block leaves the items of a tile that has many to another launch. Without places of its own an element's items are no range. */
static int has_parts(const ms_operation *op, const char *strategy) { return op->item && !ms_strategy_has(strategy, MS_BY_ELEMENT); }

/* Places of 64 bits fit no part. */
static int leaves_parts(const ms_operation *op, const char *strategy) { return has_parts(op, strategy) && !op->is_wide; }

static uint32_t part_tiles(const ms_planning *p)
{
    const uint32_t fitting = PART_ITEMS / p->tile;
    return fitting < 1 ? 1 : fitting > PART_TILES ? PART_TILES : fitting;
}

/* What a kernel that scans lengths in 32 bits (templates/scan/tile_lengths.tpl) has in places of 16 bits, where the language has these. */
static uint32_t narrow_bytes(const ms_planning *p, const ms_kernel_shape *shape)
{
    const int is_narrow = leaves_parts(p->op, shape->strategy) && !ms_strategy_has(shape->strategy, MS_ONE_BLOCK) &&
                          strcmp(shape->template_name, "scan/lookback") && strcmp(shape->template_name, "scan/expand_parts") && p->g->subgroup > 1 &&
                          p->op->input->info.leaf_count > 0 && part_tiles(p) * p->tile < 1 << 16;
    return is_narrow && p->target->backend != MSW_BACKEND_VULKAN ? ms_starts_bytes(p->op, p->g) / 2 : 0;
}

/* Whether a kernel puts a tile's items together in shared memory (templates/scan/staged_items.tpl). */
static int stages_items(const ms_planning *p, const ms_kernel_shape *shape)
{
    return !strcmp(shape->template_name, "scan/lookback") && ms_staged_items(p->op, p->g) > 0;
}

/* What a kernel has for the items of an append, and where they start. */
static uint32_t items_bytes(const ms_planning *p, const ms_kernel_shape *shape)
{
    if (!strcmp(shape->writes, "aggregates")) return 0;
    if (stages_items(p, shape)) return ms_staged_bytes(p->op, p->g, p->target->backend != MSW_BACKEND_VULKAN);
    return ms_starts_bytes(p->op, p->g) - narrow_bytes(p, shape);
}

static uint32_t add_kernel(ms_planning *p, const char *entry, ms_kernel_shape shape)
{
    const uint32_t no_items = ms_items_bytes(p->op, p->g) - items_bytes(p, &shape);
    const uint32_t no_tiles = strcmp(shape.reads, "aggregates") ? 0 : ms_levels_bytes(p->op);
    const uint32_t no_outputs = strcmp(shape.writes, "aggregates") ? 0 : ms_packed_bytes(p->op, p->g);
    const uint32_t no_prefixes = !strcmp(shape.template_name, "scan/scan") && !ms_operation_is_balanced(p->op)
                                     ? 2 * ms_register_bytes(p->op->monoid->type) /* of tiles: look-back's */
                                     : 0;
    const uint32_t not_parked = strcmp(shape.template_name, "scan/lookback") ? ms_parked_bytes(p->op, p->g) : 0;
    const uint32_t bytes = ms_fold_shared_bytes(p->op, p->g) - no_items - no_tiles - no_outputs - no_prefixes - not_parked;
    return ms_plan_add_kernel(p, entry, shape, ms_round_up(bytes, p->op->monoid->type->info.alignment_bytes)); /* as compilers place arrays */
}

static void tell_tallies(const ms_planning *p, ms_kernel_shape *shape)
{
    if (ms_tallies(p->op, p->g)) ms_plan_tell(shape, "tallies", ms_tallies(p->op, p->g));
}

static uint32_t in_bytes(const ms_planning *p) { return ms_item_bytes(p->op, MSW_ROLE_IN); }

/* What a recount reads again. */
static uint32_t recount_bytes(const ms_planning *p) { return p->op->recount && p->op->recount->param_count > 1 ? in_bytes(p) : 0; }

/* What is read again where an item's output is made, by kernels that do not keep the tile (templates/scan/tile_scan.tpl). */
static uint32_t again_bytes(const ms_planning *p)
{
    const ms_function *output = p->op->output_map;
    const int is_again = p->op->item || (ms_operation_is_per_element(p->op) && output && output->param_count > 1);
    return recount_bytes(p) + (is_again ? in_bytes(p) : 0);
}

static uint32_t out_bytes(const ms_planning *p) { return ms_operation_is_per_element(p->op) ? ms_item_bytes(p->op, MSW_ROLE_OUT) : 0; } /* an item */

static const char FIND_SEGMENTS[] = "find_segments";

enum { FIRSTS_BLOCKS = 1024, CPU_FIRSTS_BLOCKS = 64, FIRSTS_BYTES = 4, FIRSTS_BASE_BYTES = 512 };

/* Blocks that find segments: few on a CPU, where one with nothing to do takes 40 us (bench/NOTES.md), but as many as have the ends of 2^30 segments
 * without elements stored before llvmpipe ends their loops. */
static uint32_t firsts_blocks(const ms_planning *p)
{
    return ms_plan_at_most_blocks(p, ms_is_cpu_driver(p->target) ? CPU_FIRSTS_BLOCKS : FIRSTS_BLOCKS);
}

/* Of segments by offsets the first step of each variant finds out which begin before each tile (templates/parts/segment_firsts.tpl). */
static void begin_segments(ms_planning *p, const char *entry)
{
    const ms_kernel_shape shape = shape_of(p, "scan/find_segments", "segments by offsets", "input", "output");
    if (!p->op->segments) return;
    if (!p->found_segments) p->found_segments = ms_plan_add_kernel(p, entry, shape, p->op->empty ? p->g->block * 4 + 4 : 0) + 1;
    msw_plan_step *step = ms_plan_add_step(p, p->found_segments - 1, p->tile, firsts_blocks(p));
    if (p->op->empty) step->least_blocks = step->max_blocks; /* there may be many more segments than items */
}

/* Where some variants have posts all have room for them: the first step is the same, and finds a place behind them. */
static void end_segments(const ms_planning *p, msw_plan_variant *variant)
{
    if (!p->op->segments) return;
    const uint64_t posts = p->has_posts ? posts_bytes(p) : 0, least = p->descriptors_offset + FIRSTS_BASE_BYTES + ZEROED_UNIT_BYTES + posts;
    variant->scratch_base_bytes += p->has_posts && variant->scratch_base_bytes > p->descriptors_offset ? FIRSTS_BASE_BYTES : 0;
    if (variant->scratch_base_bytes < least) variant->scratch_base_bytes = least;
    if (variant->scratch_per_tile_bytes < posts) variant->scratch_per_tile_bytes = posts;
    variant->scratch_per_tile_bytes += FIRSTS_BYTES;
}

static void add_single_block(ms_planning *p, uint64_t n_max)
{
    const int scan = ms_operation_is_per_element(p->op);
    msw_plan_variant *variant = ms_plan_begin_variant(p, "single_block", n_max);
    ms_kernel_shape shape = shape_of(p, scan ? "scan/scan" : "scan/reduce", "single_block", "input", "output");
    begin_segments(p, FIND_SEGMENTS);
    if (p->g->parks) ms_plan_tell(&shape, "parks", 1); /* nothing waits there, but fewer registers do */
    ms_plan_add_step(p, add_kernel(p, scan ? MS_ENTRY(p, "scan_single_block") : "reduce_single_block", shape), p->tile, 1);
    end_segments(p, variant);
    ms_plan_moves(variant, in_bytes(p) + (p->g->packs && !p->op->item ? 0 : again_bytes(p)), out_bytes(p));
    ms_plan_end_variant(p, variant);
}

/* ---- parts of the items of tiles that have many (templates/scan/parts.tpl) ---- */

/* Where they leave and where they write them kernels see by the same numbers whether there is room. units_before: what else is in the scratch. */
static void tell_parts(const ms_planning *p, ms_kernel_shape *shape, uint32_t units_before)
{
    if (!has_parts(p->op, shape->strategy)) return;
    ms_plan_tell(shape, "most_parts", p->parts);
    ms_plan_tell(shape, "tile_parts", p->tile_parts);
    ms_plan_tell(shape, "units_before", units_before);
    if (leaves_parts(p->op, shape->strategy)) ms_plan_tell(shape, "part_items", part_tiles(p) * p->tile);
}

/* The room that they have at the end of the scratch. A tile leaves parts if it has more items than it puts together in shared memory, or than a part:
 * one for each part of its items that is whole, and one more. */
static void reserve_parts(ms_planning *p)
{
    const uint64_t room = ms_operation_room(p->op, 0);
    const uint32_t part_items = part_tiles(p) * p->tile, staged = ms_staged_items(p->op, p->g);
    const uint32_t least = staged && staged < part_items ? staged : part_items;
    p->parts = (uint32_t)(room / part_items + room / least + 2);
    p->tile_parts = room ? 0 : 1 + (p->tile + least - 1) / least;
}

/* The wide form leaves the same bytes alone: its posts shall not take for their own what parts were. */
static void keep_parts(ms_planning *wide, uint32_t narrow_tile) { wide->tile_parts *= (wide->tile + narrow_tile - 1) / narrow_tile; }

/* The launch that shares them out. */
static void add_parts(ms_planning *p, msw_plan_variant *variant, uint32_t units_before)
{
    ms_kernel_shape shape = shape_of(p, "scan/expand_parts", variant->strategy, "input", "output");
    if (!has_parts(p->op, variant->strategy)) return;
    variant->scratch_base_bytes += ZEROED_UNIT_BYTES + (uint64_t)PART_BYTES * p->parts;
    variant->scratch_per_tile_bytes += (uint64_t)PART_BYTES * p->tile_parts;
    if (!leaves_parts(p->op, variant->strategy)) return;
    tell_parts(p, &shape, units_before);
    ms_plan_tell(&shape, "writes_parts", 1);
    ms_plan_add_step(p, add_kernel(p, "expand_parts", shape), 1, p->g->max_blocks);
}

enum { TAILS = 64 }; /* templates/scan/aggregates.tpl */

static uint32_t aggregates_bytes(const ms_planning *p, uint32_t blocks)
{
    return (1 + blocks + (ms_operation_is_balanced(p->op) ? TAILS : 0)) * p->aggregate_bytes;
}

static uint32_t aggregate_bytes_of(const ms_operation *op) { return ms_round_up(ms_register_bytes(op->monoid->type), 8); }

/* Bytes of aggregates in the scratch, whichever counters they have. */
static uint32_t all_aggregates_bytes(const ms_planning *p)
{
    ms_planning widest = *p;
    if (p->wide && aggregate_bytes_of(p->wide) > p->aggregate_bytes) widest.aggregate_bytes = aggregate_bytes_of(p->wide);
    return aggregates_bytes(&widest, p->g->max_blocks);
}

/* Of segments by offsets, whose first step counts the posts' words of 8 bytes in every variant, and rounds up to 32. */
static uint64_t posts_limit(const ms_planning *p)
{
    const int counts = p->op->segments && p->has_posts && p->target->backend == MSW_BACKEND_VULKAN;
    return counts ? ms_plan_posts_limit(p, posts_bytes(p), p->descriptors_offset / 8 + 31) : UINT64_MAX;
}

/* Of strategies without look-back. A balanced tree's tiles are counted up to the next power of two. */
static uint64_t n_limit(const ms_planning *p, uint32_t blocks)
{
    const uint64_t tiles = p->op->item ? MS_LAVAPIPE_THREAD_ITEMS / (part_tiles(p) * p->g->items) + 1 : MS_LAVAPIPE_TILES;
    const uint64_t limit = ms_plan_n_limit(p, blocks, ms_least(tiles, MS_LAVAPIPE_TILES)), most = ms_least(limit, posts_limit(p));
    return ms_operation_is_balanced(p->op) ? ms_least(most, (uint64_t)p->tile << 31) : most;
}

/* Of scan_then_propagate: what is stored of s of an item, and stored again. */
static uint32_t revisited_bytes(const ms_planning *p)
{
    const ms_operation *op = p->op;
    uint32_t bytes = 0;
    for (uint32_t b = 0; b < op->info.buffer_count; b++) {
        uint32_t parts = 0;
        for (uint32_t l = 0; op->info.buffers[b].role == MSW_ROLE_OUT && l < op->buffer_types[b]->info.leaf_count; l++)
            parts |= ms_operation_part(op, op->first_leaves[b] + l);
        bytes += parts ? op->buffer_types[b]->info.size_bytes : 0;
    }
    return bytes;
}

/* A launch between the two, which counts what is kept of each block's items, of whose states it knows what comes before. */
static void add_count(ms_planning *p, ms_kernel_shape count, uint32_t blocks)
{
    ms_plan_tell(&count, "counting", 1);
    ms_plan_add_step(p, add_kernel(p, MS_ENTRY(p, "count_tiles"), count), p->tile, blocks);
}

/* Whether scan_then_propagate leaves states in the scratch, since what comes before cannot be put before some output. */
static int leaves_states(const ms_planning *p)
{
    const ms_operation *op = p->op;
    for (uint32_t b = 0; b < op->info.buffer_count; b++)
        if (op->info.buffers[b].role == MSW_ROLE_OUT && !ms_operation_is_propagated(op, b)) return 1;
    return op->recount != NULL;
}

/* Behind the aggregates, the counts and, of segments by offsets, how many begin before each tile (templates/scan/states.tpl). */
static uint32_t states_offset(const ms_planning *p)
{
    if (p->op->segments) return p->descriptors_offset + 32;
    return p->counts_offset + (p->op->recount ? ms_round_up(all_aggregates_bytes(p), 16) : 0);
}

static ms_kernel_shape states_shape(const ms_planning *p, const char *strategy, const char *writes, const char *does)
{
    ms_kernel_shape shape = shape_of(p, "scan/scan", strategy, "input", writes);
    ms_plan_tell(&shape, does, 1);
    ms_plan_tell(&shape, "states_offset", states_offset(p));
    return shape;
}

/* scan_then_propagate whose first launch leaves the state of each item, within its block, in the scratch, of which the last makes the results. Each
 * thread stores its own: packed items are not put together. */
static void add_states(ms_planning *p, const char *strategy)
{
    const ms_geometry *const geometry = p->g;
    const ms_type *state = p->op->monoid->type;
    ms_geometry g = *geometry;
    const uint32_t blocks = g.max_blocks, bytes = state->info.size_bytes;
    g.packs = 0;
    p->g = &g;
    msw_plan_variant *variant = ms_plan_begin_variant(p, strategy, ms_least(n_limit(p, blocks), ms_plan_values_limit(p, state)));
    begin_segments(p, FIND_SEGMENTS);
    ms_plan_add_step(p, add_kernel(p, MS_ENTRY(p, "scan_tiles"), states_shape(p, strategy, "aggregates", "leaves_states")), p->tile, blocks);
    if (p->op->recount) add_count(p, states_shape(p, strategy, "aggregates", "takes_states"), blocks);
    ms_plan_add_step(p, add_kernel(p, MS_ENTRY(p, "propagate_prefixes"), states_shape(p, strategy, "output", "takes_states")), p->tile, blocks);
    variant->scratch_base_bytes = states_offset(p);
    end_segments(p, variant);
    variant->scratch_per_tile_bytes += (uint64_t)p->tile * bytes;
    ms_plan_moves(variant, in_bytes(p) + again_bytes(p) + (p->op->recount ? recount_bytes(p) + 2 * bytes : bytes), bytes + out_bytes(p));
    ms_plan_end_variant(p, variant);
    p->g = geometry;
}

/* reduce_then_scan, scan_then_propagate, and every reduction of more than one block: aggregates of blocks between launches. */
static void add_two_launches(ms_planning *p, const char *strategy)
{
    const uint32_t blocks = p->g->max_blocks;
    const int scan = ms_operation_is_per_element(p->op), propagate = ms_strategy_has(strategy, MS_REVISITS_OUTPUT);
    if (propagate && leaves_states(p)) {
        add_states(p, strategy);
        return;
    }
    msw_plan_variant *variant = ms_plan_begin_variant(p, strategy, n_limit(p, blocks));
    const ms_kernel_shape up = shape_of(p, "scan/reduce", strategy, "input", "aggregates");
    ms_kernel_shape down = shape_of(p, "scan/scan", strategy, "input", propagate ? "aggregates" : "output");
    const ms_kernel_shape spread = shape_of(p, "scan/propagate", strategy, "input", "output");
    ms_kernel_shape last = shape_of(p, "scan/reduce", strategy, "aggregates", "output");
    ms_plan_tell(&last, "earlier_tile", p->tile);
    ms_plan_tell(&last, "earlier_blocks", blocks);
    const uint32_t units_before = (p->aggregates_offset + aggregates_bytes(p, blocks) + ZEROED_UNIT_BYTES - 1) / ZEROED_UNIT_BYTES;
    begin_segments(p, FIND_SEGMENTS);
    tell_parts(p, &down, units_before);
    if (!propagate) ms_plan_add_step(p, add_kernel(p, MS_ENTRY(p, "reduce_tiles"), up), p->tile, blocks);
    if (p->op->recount) add_count(p, shape_of(p, "scan/scan", strategy, "input", "aggregates"), blocks);
    if (scan) ms_plan_add_step(p, add_kernel(p, MS_ENTRY(p, "scan_tiles"), down), p->tile, blocks);
    else ms_plan_add_step(p, add_kernel(p, "reduce_aggregates", last), p->tile, 1);
    if (propagate) ms_plan_add_step(p, add_kernel(p, "propagate_prefixes", spread), p->tile, blocks);
    variant->scratch_base_bytes = (p->op->recount ? p->counts_offset : p->aggregates_offset) + aggregates_bytes(p, 0);
    variant->scratch_per_block_bytes = p->aggregate_bytes;
    if (has_parts(p->op, strategy)) { /* they lie behind all aggregates, however many blocks there are */
        variant->scratch_base_bytes = (uint64_t)units_before * ZEROED_UNIT_BYTES;
        variant->scratch_per_block_bytes = 0;
    }
    end_segments(p, variant);
    add_parts(p, variant, units_before);
    const uint32_t read_bytes = (p->op->recount ? 3 : scan ? 2 : 1) * in_bytes(p) + recount_bytes(p);
    if (propagate) ms_plan_moves(variant, in_bytes(p) + again_bytes(p) + revisited_bytes(p), out_bytes(p) + revisited_bytes(p));
    else ms_plan_moves(variant, read_bytes + (p->g->packs && !p->op->item ? 0 : again_bytes(p)), out_bytes(p));
    ms_plan_end_variant(p, variant);
}

static void add_lookback(ms_planning *p, const char *strategy, uint64_t n_max)
{
    ms_kernel_shape shape = shape_of(p, "scan/lookback", strategy, "input", "output");
    const uint32_t blocks = ms_plan_ticket_blocks(p);
    const uint32_t tile_bytes = posts_bytes(p);
    n_max = ms_least(n_max, ms_plan_n_limit(p, blocks, MS_LAVAPIPE_LOOKBACK_TILES));
    if (p->op->recount) n_max = ms_least(n_max, (uint64_t)p->tile * INT32_MAX); /* two posts a tile are counted by 32 bits */
    if (p->target->backend == MSW_BACKEND_VULKAN) /* words of 8 bytes are counted from the scratch's start, and rounded up to 32 */
        n_max = ms_least(n_max, ms_plan_posts_limit(p, tile_bytes, p->descriptors_offset / 8 + 31));
    msw_plan_variant *variant = ms_plan_begin_variant(p, strategy, n_max);
    begin_segments(p, FIND_SEGMENTS);
    tell_parts(p, &shape, 0);
    if (stages_items(p, &shape)) ms_plan_tell(&shape, "chunk_items", ms_staged_items(p->op, p->g));
    tell_tallies(p, &shape);
    if (p->g->parks) ms_plan_tell(&shape, "parks", 1);
    ms_plan_add_step(p, add_kernel(p, MS_ENTRY(p, "scan_lookback"), shape), p->tile, blocks);
    variant->scratch_base_bytes = p->descriptors_offset + ZEROED_UNIT_BYTES;
    if (ms_operation_is_balanced(p->op)) variant->scratch_base_bytes += tile_bytes / 2; /* the first tile posts what it starts with */
    variant->scratch_per_tile_bytes = tile_bytes;
    end_segments(p, variant);
    add_parts(p, variant, 0);
    ms_plan_moves(variant, in_bytes(p) + (p->g->packs == MS_PACKS_TILE && !p->op->item ? 0 : again_bytes(p)), out_bytes(p));
    variant->serves_in_place = !p->has_fallback; /* others may have overwritten the tile, or the carry, that a fallback reads again */
    ms_plan_end_variant(p, variant);
}

/* Blocks take room for items where they come to it: no block waits for another. */
static void add_any_order(ms_planning *p, const char *strategy)
{
    const int is_of_block = !ms_strategy_has(strategy, MS_BY_ELEMENT);
    const int is_gpu = !ms_is_cpu_driver(p->target); /* it starts a block where one has ended: a tile each is most even */
    const uint32_t blocks = is_gpu && !p->g->blocks_given ? ms_plan_most_blocks(p) : p->g->max_blocks;
    msw_plan_variant *variant = ms_plan_begin_variant(p, strategy, n_limit(p, blocks));
    ms_kernel_shape shape = shape_of(p, "scan/any_order", strategy, "input", "output");
    tell_parts(p, &shape, COUNTERS_UNITS);
    ms_plan_add_step(p, add_kernel(p, is_of_block ? MS_ENTRY(p, "scan_block_atomic") : MS_ENTRY(p, "scan_atomic_bump"), shape), p->tile, blocks);
    variant->scratch_base_bytes = (uint64_t)COUNTERS_UNITS * ZEROED_UNIT_BYTES;
    add_parts(p, variant, COUNTERS_UNITS);
    ms_plan_moves(variant, in_bytes(p) + again_bytes(p), out_bytes(p));
    ms_plan_end_variant(p, variant);
}

/* Whether n and the plan alone may decide in what order elements are combined. */
static int is_order_fixed(const ms_planning *p) { return p->op->order != MS_ORDER_FREE && !p->op->info.is_bit_exact; }

/* The levels of a balanced tree over nodes of as many tiles as a subgroup has lanes lie in these lanes (templates/scan/precede_nodes.tpl). */
static uint64_t levels_limit(const ms_planning *p)
{
    const uint64_t lanes = p->g->subgroup;
    if (!ms_operation_is_balanced(p->op) || lanes >= 32) return UINT64_MAX;
    return p->tile * lanes * ((UINT64_C(1) << lanes) - 1);
}

enum { LOOKAHEAD_ELEMENT_BYTES = 32 }; /* where the planner chooses: the widest */

/* All blocks run at once: as many as the device's multiprocessors hold. Block b takes tiles b, b + blocks, b + 2 * blocks, .. */
static void add_lookahead(ms_planning *p)
{
    const ms_geometry *const geometry = p->g;
    const uint32_t tile = p->tile, found_segments = p->found_segments;
    if (p->lookahead) {
        p->g = p->lookahead;
        p->tile = p->g->block * p->g->items;
    }
    const uint32_t blocks = p->g->max_blocks, stage_bytes = ms_stage_bytes(p->op, p->g);
    ms_kernel_shape shape = shape_of(p, "scan/lookahead", "lookahead", "input", "output");
    shape.has_dynamic_shared = 1;
    ms_plan_tell(&shape, "blocks", blocks);
    ms_plan_tell(&shape, "stages", p->g->stages);
    ms_plan_tell(&shape, "stage_bytes", stage_bytes);
    ms_plan_tell(&shape, "beyond_bytes", ms_beyond_bytes(p->op, p->g));
    ms_plan_tell(&shape, "short_bytes", ms_short_bytes(p->op, p->g));
    ms_plan_tell(&shape, "short_rooms", ms_short_rooms(p->g));
    ms_plan_tell(&shape, "helpers", ms_lookahead_helpers(p->op));
    tell_tallies(p, &shape);
    ms_plan_tell(&shape, "has_fixed_order", (uint32_t)is_order_fixed(p));
    msw_plan_variant *variant = ms_plan_begin_variant(p, "lookahead", ms_least(ms_plan_n_limit(p, blocks, 0), levels_limit(p)));
    if (p->lookahead) p->found_segments = 0; /* those of other tiles */
    begin_segments(p, p->lookahead ? "find_segments_ahead" : FIND_SEGMENTS);
    const uint32_t kernel = ms_plan_add_kernel(p, MS_ENTRY(p, "scan_lookahead"), shape, ms_lookahead_shared_bytes(p->op, p->g));
    p->plan->kernels[kernel].dynamic_shared_bytes = p->g->stages * stage_bytes + ms_beyond_bytes(p->op, p->g);
    p->plan->kernels[kernel].is_cooperative = 1;
    p->plan->kernels[kernel].block_threads = p->g->block + ms_lookahead_helpers(p->op) * p->g->subgroup;
    ms_plan_add_step(p, kernel, p->tile, blocks);
    variant->scratch_per_tile_bytes = ms_descriptor_bytes(ms_register_words(p->op->monoid->type), p->g->descriptor, 0);
    ms_plan_moves(variant, in_bytes(p), out_bytes(p));
    variant->scratch_base_bytes =
        p->descriptors_offset + ZEROED_UNIT_BYTES + variant->scratch_per_tile_bytes; /* an unaligned input may lie in one more */
    end_segments(p, variant);
    ms_plan_end_variant(p, variant);
    p->g = geometry;
    p->tile = tile;
    p->found_segments = found_segments;
}

/* Whether two launches are better than look-back since the order of combination matters, which timing decides there. In a balanced tree it does not,
 * and look-back is faster on Vulkan where few registers hold a tile (measured, bench/NOTES.md). */
static int fixes_order_in_two_launches(const ms_planning *p)
{
    if (!ms_operation_is_balanced(p->op)) return is_order_fixed(p);
    return p->has_fallback || p->target->backend != MSW_BACKEND_VULKAN || !is_tree_of_one_array(p->op) || ms_register_bytes(p->op->monoid->type) > 4;
}

/* Whether a row names a strategy that does that for large n, or none. Look-back is also for what comes before look-ahead. */
static int prefers(const ms_planning *p, uint32_t traits) { return !p->tuning->preferred || ms_strategy_has(p->tuning->preferred, traits); }

/* The strategy of several launches: what is asked for, or what a row names, where the operation has it. */
static const char *launches_strategy(const ms_planning *p)
{
    const int is_preferred = p->tuning->preferred && ms_strategy_has(p->tuning->preferred, MS_REVISITS_OUTPUT);
    if (p->g->strategy) return p->g->strategy;
    return is_preferred && !p->op->item && !ms_operation_is_balanced(p->op) ? "scan_then_propagate" : "reduce_then_scan";
}

/* n up to which look-back serves: where look-ahead begins, and no further than what comes after it. */
static uint64_t lookback_ends(const ms_planning *p, int two_launches)
{
    if (p->lookahead) return p->tuning->lookahead.from_bytes / (in_bytes(p) + out_bytes(p));
    return two_launches ? n_limit(p, p->g->max_blocks) : UINT64_MAX;
}

/* Whether the target adds numbers of 64 bits atomically. */
static int has_wide_atomics(const ms_planning *p)
{
    const uint64_t both = MSW_FEATURE_ATOMIC64 | MSW_FEATURE_INT64;
    return p->target->backend != MSW_BACKEND_VULKAN || (p->target->features & both) == both;
}

static int takes_room(const ms_planning *p) { return does(p, MS_TAKES_ROOM) || (!p->g->strategy && p->op->any_order && has_wide_atomics(p)); }

/* By what strategy wide counters go on from where others end: one alone, the best for large n. */
typedef enum wide_form { WIDE_NONE, WIDE_BLOCK, WIDE_ROOM, WIDE_AHEAD, WIDE_BACK, WIDE_LAUNCHES } wide_form;

static wide_form wide_form_of(const ms_planning *p, int looks_back, int looks_ahead)
{
    if (!p->wide) return WIDE_NONE;
    if (does(p, MS_ONE_BLOCK)) return WIDE_BLOCK;
    if (takes_room(p)) return WIDE_ROOM;
    if (looks_ahead) return WIDE_AHEAD;
    return looks_back && (!p->has_fallback || p->g->strategy) ? WIDE_BACK : WIDE_LAUNCHES; /* not both, in place or not */
}

static void add_wide(ms_planning *p, wide_form form)
{
    const ms_geometry_wish wish = {p->planner,
                                   form == WIDE_AHEAD ? &p->tuning->lookahead : &p->tuning->general,
                                   p->knobs,
                                   p->knob_count,
                                   form == WIDE_AHEAD ? "lookahead" : NULL,
                                   0};
    const char *strategy = p->g->strategy;
    ms_planning wide;
    ms_geometry g;
    if (!ms_plan_widen(p, &wish, &wide, &g)) return;
    wide.aggregate_bytes = aggregate_bytes_of(wide.op);
    keep_parts(&wide, p->tile);
    if (form == WIDE_BLOCK) add_single_block(&wide, n_limit(&wide, 1));
    if (form == WIDE_ROOM) add_any_order(&wide, strategy ? strategy : "block_atomic");
    if (form == WIDE_AHEAD) add_lookahead(&wide);
    if (form == WIDE_BACK) add_lookback(&wide, strategy ? strategy : "lookback", UINT64_MAX);
    if (form == WIDE_LAUNCHES) add_two_launches(&wide, launches_strategy(&wide));
}

static void add_strategies(ms_planning *p)
{
    const int scan = ms_operation_is_per_element(p->op), is_free = !p->g->strategy;
    /* Where a CPU runs the blocks, few at once, look-back takes longer than two launches. So it does for an append whose items are not put together
     * in shared memory (bench/NOTES.md): its blocks have much to write, and others wait for their posts. */
    const int is_expanding = p->op->item && (p->target->backend != MSW_BACKEND_CUDA || !ms_staged_items(p->op, p->g));
    const int two_are_better = fixes_order_in_two_launches(p) || is_expanding || !prefers(p, MS_LOOKS_BACK | MS_LOOKS_AHEAD) ||
                               (!p->tuning->preferred && ms_is_cpu_driver(p->target)) ||
                               (ms_has_short_loops(p->target) && !strcmp(p->g->descriptor, "flagged"));
    const int looks_ahead = does(p, MS_LOOKS_AHEAD) || p->lookahead;
    const int may_look_back = !p->op->recount || (is_scan_of_scan(p->op) && looks_back_twice(p)); /* of what is kept it was not timed */
    const int looks_back = does(p, MS_LOOKS_BACK) || (is_free && scan && !two_are_better && may_look_back);
    const int is_two_launches = does(p, MS_TWO_LAUNCHES);
    const int two_launches = is_two_launches || (is_free && ((!looks_back && !looks_ahead) || p->has_fallback));
    const wide_form wide = wide_form_of(p, looks_back, looks_ahead);
    p->has_posts = looks_back || looks_ahead;
    p->aggregates_offset = looks_back || looks_ahead || p->op->item ? MS_COUNTERS_BYTES : 0;
    p->counts_offset = ms_round_up(p->aggregates_offset + (two_launches || wide == WIDE_LAUNCHES ? all_aggregates_bytes(p) : 0), 16);
    p->descriptors_offset = p->counts_offset; /* where a recount looks back there are no counts */
    if (p->op->item) reserve_parts(p);
    if (is_free && (!p->op->item || ms_operation_room(p->op, 0) <= (uint64_t)part_tiles(p) * p->tile))
        add_single_block(p, (p->target->backend == MSW_BACKEND_CUDA ? 2ull : 4ull) * p->tile);
    if (does(p, MS_ONE_BLOCK)) add_single_block(p, n_limit(p, 1));
    if (takes_room(p)) {
        add_any_order(p, is_free ? "block_atomic" : p->g->strategy);
        if (wide) add_wide(p, wide);
        ms_plan_add_initialisation(p);
        return;
    }
    if (looks_back) add_lookback(p, is_free ? "lookback" : p->g->strategy, lookback_ends(p, two_launches));
    if (looks_ahead) add_lookahead(p);
    if (two_launches) add_two_launches(p, launches_strategy(p));
    if (wide) add_wide(p, wide);
    if (looks_back || looks_ahead || (two_launches && p->op->item)) ms_plan_add_initialisation(p);
}

/* Its tiles begin at the last element, which bulk copies of several arrays do not know (templates/scan/staged_arrays.tpl). */
static int is_reversed_tree_of_arrays(const ms_operation *op) { return ms_operation_is_balanced(op) && op->reverse && ms_stages_arrays(op); }

/* Where the planner chooses. */
static int may_look_ahead(const ms_planning *p)
{
    return !p->g->strategy && in_bytes(p) && !p->op->item && !p->op->recount &&
           (!p->op->segments || (p->op->part_combine && !ms_operation_is_balanced(p->op))) && !is_reversed_tree_of_arrays(p->op) &&
           prefers(p, MS_LOOKS_AHEAD) && ms_operation_is_per_element(p->op) && !p->has_fallback && ms_has_bulk_copies(p->target) &&
           ms_register_bytes(p->op->monoid->type) <= LOOKAHEAD_ELEMENT_BYTES;
}

/* Those that one block writes, or all blocks together, if one element has them all. */
static msw_result check_room(const ms_planning *p, msw_diag *diag)
{
    const int is_shared = !does(p, MS_ONE_BLOCK | MS_BY_ELEMENT);
    const uint32_t threads = p->g->block * (is_shared ? p->g->max_blocks : 1);
    const uint64_t room = p->op->item ? ms_operation_room(p->op, 0) : 0, most = (uint64_t)threads * MS_LAVAPIPE_THREAD_ITEMS;
    if (!ms_has_short_loops(p->target) || room <= most) return MSW_OK;
    return ms_diag(
        diag, MSW_ERROR_UNSUPPORTED, "plan", p->op->file, p->op->line,
        "%s: capacity is %llu, but lavapipe ends long loops, so that %u threads write at most %llu items; choose a smaller capacity or another "
        "device",
        p->op->name, (unsigned long long)room, threads, (unsigned long long)most);
}

/* Tiles of a reversed balanced tree begin at the last element, wherever that is. */
static msw_result check_reversed(const ms_planning *p, msw_diag *diag)
{
    const ms_operation *op = p->op;
    if (!ms_operation_is_balanced(op) || !op->reverse) return MSW_OK;
    if (op->near)
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", op->file, op->line,
                       "%s: reverse, with deterministic = \"everywhere\" and a function that takes near: not in this version; take deterministic = "
                       "true, or an input that has what is near",
                       op->name);
    for (uint32_t b = 0; p->target->backend == MSW_BACKEND_VULKAN && b < op->info.buffer_count; b++) {
        if (!ms_type_has_words(op->buffer_types[b])) continue;
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", op->file, op->line,
                       "%s: reverse, with deterministic = \"everywhere\" and elements of '%s' that Vulkan moves as words of 32 bits: not in this "
                       "version; take deterministic = true, or a type of 32-bit fields",
                       op->name, op->info.buffers[b].name);
    }
    return MSW_OK;
}

static msw_result check_recount(const ms_planning *p, msw_diag *diag)
{
    const ms_operation *op = p->op;
    const int is_balanced = ms_operation_is_balanced(op);
    const char *where = does(p, MS_LOOKS_BACK) && p->has_fallback ? ", where blocks are not promised progress" : "";
    if (!op->recount || (!is_balanced && !does(p, MS_LOOKS_AHEAD) && (!does(p, MS_LOOKS_BACK) || looks_back_twice(p)))) return MSW_OK;
    if (is_scan_of_scan(op))
        return ms_diag(
            diag, MSW_ERROR_UNSUPPORTED, "plan", op->file, op->line,
            "%s: a scan of what another scan returns, in one kernel: not in this version, with %s%s; choose reduce_then_scan, or leave the "
            "strategy to the planner",
            op->name, p->g->strategy, where);
    return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", op->file, op->line,
                   "%s: keep depends on s, so a launch of its own counts what is kept: not in this version, with %s%s; %s", op->name,
                   is_balanced ? "deterministic = \"everywhere\"" : p->g->strategy, where,
                   is_balanced ? "take deterministic = true" : "choose reduce_then_scan, or leave the strategy to the planner");
}

static msw_result check_strategy(const ms_planning *p, msw_diag *diag)
{
    const ms_operation *op = p->op;
    const ms_geometry *g = p->g;
    if (ms_operation_is_balanced(op) && g->strategy &&
        (!ms_strategy_has(g->strategy, MS_IS_BALANCED) || (ms_strategy_has(g->strategy, MS_LOOKS_BACK) && p->has_fallback)))
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", NULL, 0,
                       "%s: deterministic = \"everywhere\", but in %s%s the device and the plan decide in what order elements are combined, and so "
                       "how they are rounded; choose reduce_then_scan, or leave the strategy to the planner",
                       op->name, g->strategy,
                       ms_strategy_has(g->strategy, MS_IS_BALANCED) ? ", which has a fallback where blocks are not promised progress," : "");
    /* Where no tile is summed up by others a chained scan has but one order. */
    if (is_order_fixed(p) && !ms_operation_is_balanced(op) && ms_strategy_has(g->strategy, MS_LOOKS_BACK) &&
        (does(p, MS_ORDER_BY_TIMING) || p->has_fallback))
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", NULL, 0,
                       "%s: deterministic, but in %s timing decides in what order elements are combined, and so how they are rounded; choose "
                       "reduce_then_scan, or leave the strategy to the planner",
                       op->name, g->strategy);
    if (is_reversed_tree_of_arrays(op) && does(p, MS_LOOKS_AHEAD))
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", NULL, 0,
                       "%s: not in this version, look-ahead of deterministic = \"everywhere\" with several arrays from the last element; choose "
                       "reduce_then_scan, or leave the strategy to the planner",
                       op->name);
    if (op->item && does(p, MS_LOOKS_AHEAD))
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", NULL, 0,
                       "%s: not in this version, look-ahead of an append; choose lookback, or leave the strategy to the planner", op->name);
    if (ms_strategy_has(g->strategy, MS_TAKES_ROOM) && !op->any_order)
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", NULL, 0,
                       "%s: in %s timing decides which element's items come first; give an append order = \"any\", or choose another strategy",
                       op->name, g->strategy);
    if (ms_strategy_has(g->strategy, MS_TAKES_ROOM) && !has_wide_atomics(p))
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", NULL, 0,
                       "%s: %s adds numbers of 64 bits atomically, which the device does not (int64, atomic64); choose another strategy", op->name,
                       g->strategy);
    if (op->segments && (!op->part_combine || ms_operation_is_balanced(op)) && does(p, MS_LOOKS_AHEAD))
        return ms_diag(
            diag, MSW_ERROR_UNSUPPORTED, "plan", NULL, 0,
            "%s: not in this version, look-ahead of segments by offsets that are scanned in reverse, with near, with keep, with at or with "
            "deterministic = \"everywhere\"; choose lookback, or leave the strategy to the planner",
            op->name);
    if (op->item && does(p, MS_REVISITS_OUTPUT))
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", NULL, 0,
                       "%s: scan_then_propagate leaves a state for each element, but an append's blocks share out a tile's items, for which they "
                       "scan its lengths again; choose reduce_then_scan, or leave the strategy to the planner",
                       op->name);
    return MSW_OK;
}

static msw_result plan(ms_planning *p, msw_diag *diag)
{
    ms_geometry lookahead;
    ms_tuning *tuning = p->tuning;
    const ms_geometry_wish wish = {p->planner, &tuning->lookahead, p->knobs, p->knob_count, "lookahead", 0};
    if (check_strategy(p, diag) || check_recount(p, diag) || check_reversed(p, diag) || check_room(p, diag)) return MSW_ERROR_UNSUPPORTED;
    if (may_look_ahead(p) && !ms_geometry_choose(p->op, p->target, &wish, &lookahead, NULL) && tuning->lookahead.is_used) p->lookahead = &lookahead;
    lookahead.descriptor = p->g->descriptor; /* both post in one place: another's payload might be taken for a tag */
    if (!p->lookahead && !does(p, MS_LOOKS_AHEAD)) tuning->lookahead.is_used = 0;
    p->plan->carry_bytes = p->op->info.carry.size_bytes;
    p->aggregate_bytes = aggregate_bytes_of(p->op);
    add_strategies(p);
    p->lookahead = NULL; /* it ends here */
    return MSW_OK;
}

const ms_planner ms_scan_planner = {.plan = plan,
                                    .loop_template = "scan/scan_loop",
                                    .classify = classify,
                                    .choose_defaults = choose_scan_defaults,
                                    .misfit = fold_misfit,
                                    .shared_bytes = ms_fold_shared_bytes};

const ms_planner ms_reduce_planner = {.plan = plan,
                                      .loop_template = "scan/reduce_loop",
                                      .classify = classify,
                                      .choose_defaults = choose_reduce_defaults,
                                      .misfit = fold_misfit,
                                      .shared_bytes = ms_fold_shared_bytes};
