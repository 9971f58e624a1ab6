/* What the planners of sorts share. */
#include "sorting.h"

/* Whether values go through shared memory on their way: wider ones would leave room for few items of a tile. */
enum { MOST_EXCHANGED = 4 /* words */ };

static int exchanges_values(const ms_operation *op)
{
    const uint32_t words = op->value ? ms_register_words(op->value) : 0;
    return words && (words <= MOST_EXCHANGED || words <= ms_register_words(op->output));
}

uint32_t ms_sort_exchange_words(const ms_operation *op)
{
    const uint32_t key = ms_register_words(op->output), value = exchanges_values(op) ? ms_register_words(op->value) : 1;
    return key > value ? key : value;
}

uint32_t ms_sort_launch_bytes(const ms_operation *op, const ms_geometry *g)
{
    const uint32_t lanes = g->subgroup == 1 ? g->block : g->subgroup;
    return 4 * (g->block * g->items * ms_sort_exchange_words(op) + (g->block / lanes << g->digit_bits) + lanes);
}

ms_kernel_shape ms_sort_shape(const ms_planning *p, const ms_sort_layout *layout, const char *template_name, const char *reads, const char *writes)
{
    const char *by_default = p->hybrid_from < UINT64_MAX ? "msd_hybrid" : !p->counting_from ? "counting" : "onesweep";
    const char *strategy = p->g->strategy && !ms_strategy_has(p->g->strategy, MS_ONE_CLUSTER) ? p->g->strategy : by_default;
    return (ms_kernel_shape){.template_name = template_name,
                             .strategy = strategy,
                             .reads = reads,
                             .begins_early = p->target->backend == MSW_BACKEND_CUDA && ms_has_arch(p->target, 90),
                             .writes = writes,
                             .constants = {{"passes", layout->passes},
                                           {"copies", layout->histogram_copies},
                                           {"histogram_offset", layout->histogram_offset},
                                           {"starts_offset", layout->starts_offset},
                                           {"varies_offset", layout->varies_offset},
                                           {"keys_end_offset", layout->keys_end_offset},
                                           {"descriptors_offset", p->descriptors_offset},
                                           {"tile_descriptor_bytes", layout->tile_descriptor_bytes},
                                           {"most_descriptor_bytes", layout->most_descriptor_bytes},
                                           {"tile_spare_bytes", layout->tile_spare_bytes},
                                           {"exchange_words", ms_sort_exchange_words(p->op)},
                                           {"is_value_exchanged", (uint32_t)exchanges_values(p->op)},
                                           {"window_bits", layout->window_bits},
                                           {"counted_bits", layout->counted_bits},
                                           {"image_counts_offset", layout->image_counts_offset},
                                           {"image_starts_offset", layout->image_starts_offset},
                                           {"bucket_items", layout->bucket_items},
                                           {"mean_bucket_items", layout->mean_bucket_items},
                                           {"large_bucket_items", layout->large_bucket_items},
                                           {"large_mean_bucket_items", layout->large_mean_bucket_items},
                                           {"keys_are_images", layout->keys_are_images},
                                           {"part_rooms_offset", layout->part_rooms_offset},
                                           {"bucket_rooms_offset", layout->bucket_rooms_offset},
                                           {"bucket_counts_offset", layout->bucket_counts_offset},
                                           {"bucket_starts_offset", layout->bucket_starts_offset},
                                           {"bucket_groups_offset", layout->bucket_groups_offset},
                                           {"listed_groups_offset", layout->listed_groups_offset},
                                           {"bucket_totals_offset", layout->bucket_totals_offset},
                                           {"bucket_totals", MS_SORT_TOTALS}},
                             .count = layout->count,
                             .index = layout->index};
}

enum { COUNTING_BLOCK = 1024, COUNTING_GROUPS = 4 };

uint32_t ms_sort_units(const ms_planning *p) { return p->target->compute_units ? p->target->compute_units : 1; }

int ms_sort_counts_roomily(const ms_planning *p) { return ms_is_roomy(p->target) && p->target->max_block_threads >= COUNTING_BLOCK; }

ms_geometry ms_sort_roomy_counting(const ms_planning *p)
{
    ms_geometry g = *p->g;
    g.block = COUNTING_BLOCK;
    g.resident = 1;
    g.items = COUNTING_GROUPS * g.vector;
    return g;
}

uint32_t ms_sort_counting_blocks(const ms_planning *p, uint32_t kernel)
{
    const int is_roomy = p->shapes[kernel].geometry.block == COUNTING_BLOCK && ms_sort_counts_roomily(p);
    return (uint32_t)ms_least(is_roomy && !p->g->blocks_given ? ms_sort_units(p) : p->g->max_blocks, p->target->max_blocks);
}

uint32_t ms_sort_tell_digit_counts(ms_kernel_shape *shape, const ms_sort_layout *layout, uint32_t digit_bits, uint32_t bytes)
{
    const uint32_t one = (layout->passes << digit_bits) * 4, room = one > bytes ? one : ms_round_up(bytes, 4);
    uint32_t copies = 1;
    while (copies < MS_SORT_BANKS && copies * 2 * one <= room) copies *= 2;
    ms_plan_tell(shape, "copies", copies);
    ms_plan_tell(shape, "counter_words", room / 4);
    return room;
}

uint32_t ms_sort_block_bytes(const ms_geometry *g) { return ms_block_values(g) * 4 + (g->subgroup == 1 ? g->block * 4 : 0) + 64; }

uint32_t ms_sort_add_kernel(ms_planning *p, const char *entry, ms_kernel_shape shape, const ms_geometry *g, uint32_t launch_bytes,
                            uint32_t other_bytes)
{
    const uint32_t shared_bytes = launch_bytes + other_bytes, kernel = ms_plan_add_kernel(p, entry, shape, shared_bytes);
    p->shapes[kernel].geometry = *g;
    p->plan->kernels[kernel].block_threads = g->block;
    if (p->target->backend != MSW_BACKEND_CUDA || shared_bytes <= MS_STATIC_SHARED_BYTES) return kernel;
    p->shapes[kernel].has_dynamic_shared = 1;
    p->plan->kernels[kernel].dynamic_shared_bytes = launch_bytes;
    return kernel;
}

uint64_t ms_sort_tile_bytes(const ms_sort_layout *layout, uint32_t mode)
{
    return layout->tile_descriptor_bytes + (mode == MS_SORT_PING_PONG ? 0 : layout->tile_spare_bytes);
}

int ms_sort_takes_block_a_tile(const ms_planning *p)
{
    return p->target->backend == MSW_BACKEND_CUDA && p->op->value && ms_sort_exchange_words(p->op) == 1;
}

int ms_sort_joins(const ms_planning *p, const ms_sort_layout *layout, uint64_t n_max)
{
    return layout->joins_passes && (n_max <= MS_SORT_MOST_JOINED || !ms_sort_takes_block_a_tile(p));
}

uint64_t ms_sort_planned(const ms_planning *p)
{
    const msw_plan *plan = p->plan;
    return plan->variant_count ? plan->variants[plan->variant_count - 1].n_max : 0;
}

int ms_sort_joins_some(const ms_planning *p, const ms_sort_layout *layout, uint64_t n_max)
{
    return layout->joins_passes && !ms_sort_joins(p, layout, n_max) && ms_sort_planned(p) < MS_SORT_MOST_JOINED;
}

/* As many as the device holds at once, where that is known, or one for each tile. */
static uint32_t pass_blocks(const ms_planning *p, uint32_t pass, int has_all_passes)
{
    const int may_stay = (has_all_passes || !ms_sort_takes_block_a_tile(p)) && !ms_has_short_loops(p->target); /* such blocks have long loops */
    const uint64_t held = may_stay ? (uint64_t)p->shapes[pass].geometry.resident * p->target->compute_units : 0;
    return p->g->blocks_given || !held || held > p->target->max_blocks ? ms_plan_ticket_blocks(p) : (uint32_t)held;
}

void ms_sort_add_counting(ms_planning *p, const ms_sort_layout *layout, const uint32_t kernels[MS_SORT_KERNELS], uint32_t argument)
{
    const uint32_t blocks = ms_sort_counting_blocks(p, kernels[MS_SORT_HISTOGRAM]);
    ms_plan_add_step(p, kernels[MS_SORT_HISTOGRAM], p->tile, blocks)->argument = argument;
    ms_plan_add_step(p, kernels[MS_SORT_STARTS], p->tile, ms_plan_at_most_blocks(p, layout->passes))->argument = argument;
}

void ms_sort_add_launches(ms_planning *p, uint32_t pass, uint32_t argument, uint32_t count)
{
    msw_plan_step *step = ms_plan_add_step(p, pass, p->tile, pass_blocks(p, pass, 0));
    step->argument = argument;
    step->repeats = count - 1;
}

uint32_t ms_sort_add_passes(ms_planning *p, const ms_sort_layout *layout, const uint32_t kernels[MS_SORT_KERNELS], uint32_t argument, uint64_t n_max)
{
    const uint32_t passes = layout->passes + (argument & MS_SORT_IN_PLACE ? layout->passes % 2 : 0), all = kernels[MS_SORT_ALL_PASSES];
    if (ms_sort_joins(p, layout, n_max)) ms_plan_add_step(p, all, p->tile, pass_blocks(p, all, 1))->argument = argument;
    else ms_sort_add_launches(p, kernels[MS_SORT_PASS], argument, passes);
    return passes;
}

void ms_sort_end_variant(ms_planning *p, const ms_sort_layout *layout, msw_plan_variant *variant, uint32_t mode)
{
    variant->scratch_base_bytes = p->descriptors_offset + layout->few_posts_bytes + 256; /* its end is a multiple of 256 */
    variant->scratch_per_tile_bytes = ms_sort_tile_bytes(layout, mode);
    variant->temporary_per_tile_bytes = variant->scratch_per_tile_bytes - layout->tile_descriptor_bytes;
    variant->serves_in_place = mode == MS_SORT_IN_PLACE;
    variant->is_ping_pong = mode == MS_SORT_PING_PONG;
    variant->ends_in_inputs = mode == MS_SORT_PING_PONG && layout->passes % 2 == 0;
    ms_plan_end_variant(p, variant);
}

uint32_t ms_sort_result_bytes(const ms_operation *op)
{
    uint32_t bytes = 0;
    for (uint32_t b = op->first_result; op->output_map && b < op->info.buffer_count; b++)
        if (op->info.buffers[b].role == MSW_ROLE_OUT) bytes += op->buffer_types[b]->info.size_bytes;
    return bytes;
}

int ms_sort_can_ping_pong(const ms_operation *op) { return !op->map && !op->gives_index && !op->output_map; }
