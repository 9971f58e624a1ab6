/* What planners of every kind build a plan with. */
#include "planning.h"
#include "diag.h"

enum { ZERO_TILE_BYTES = 65536, ZERO_BLOCKS = 1024 };

void ms_plan_tell(ms_kernel_shape *shape, const char *name, uint32_t value)
{
    for (uint32_t c = 0; c < MS_MAX_CONSTANTS; c++) {
        if (shape->constants[c].name) continue;
        shape->constants[c] = (ms_constant){name, value};
        return;
    }
}

/* The next place of a list. Beyond its end that is the last: ms_plan refuses the plan by its counts. */
static uint32_t next_of(uint32_t *count, uint32_t most)
{
    const uint32_t next = (*count)++;
    return next < most ? next : most - 1;
}

uint32_t ms_plan_add_kernel(ms_planning *p, const char *entry, ms_kernel_shape shape, uint32_t shared_bytes)
{
    const ms_geometry *g = p->g;
    const uint32_t index = next_of(&p->plan->kernel_count, MS_MAX_PART_KERNELS);
    shape.geometry = *g;
    shape.op = p->op;
    shape.has_fallback = p->has_fallback;
    p->shapes[index] = shape;
    p->plan->kernels[index] = (msw_plan_kernel){.entry = entry,
                                                .block_threads = g->block,
                                                .subgroup_size = g->subgroup,
                                                .shared_bytes = shared_bytes,
                                                .begins_early = (uint32_t)shape.begins_early};
    return index;
}

msw_plan_step *ms_plan_add_step(ms_planning *p, uint32_t kernel, uint32_t tile_items, uint32_t max_blocks)
{
    msw_plan_step *step = &p->plan->steps[next_of(&p->plan->step_count, MSW_MAX_STEPS)];
    *step = (msw_plan_step){.kernel = kernel, .tile_items = tile_items, .max_blocks = max_blocks};
    return step;
}

msw_plan_variant *ms_plan_begin_variant(ms_planning *p, const char *strategy, uint64_t n_max)
{
    msw_plan_variant *variant = &p->plan->variants[next_of(&p->plan->variant_count, MSW_MAX_VARIANTS)];
    *variant = (msw_plan_variant){.n_max = n_max, .first_step = p->plan->step_count, .strategy = strategy, .serves_in_place = 1};
    return variant;
}

void ms_plan_moves(msw_plan_variant *variant, uint32_t read_bytes, uint32_t written_bytes)
{
    variant->read_bytes_per_item = read_bytes;
    variant->written_bytes_per_item = written_bytes;
}

void ms_plan_end_variant(ms_planning *p, msw_plan_variant *variant)
{
    variant->step_count = p->plan->step_count - variant->first_step;
    /* What is near an element, and what is packed or scattered, is read and written where other blocks write and read; carries are not. */
    if (p->op->near || ms_operation_has_places(p->op)) variant->serves_in_place = variant->serves_in_place && p->op->carry ? MSW_SERVES_ONE_CARRY : 0;
}

int ms_plan_widen(const ms_planning *p, const ms_geometry_wish *wish, ms_planning *widened, ms_geometry *g)
{
    ms_tuning_row row = wish->row ? *wish->row : (ms_tuning_row){0}; /* what does not fit the wide form may fit the other */
    ms_geometry_wish wanted = *wish;
    wanted.row = &row;
    if (!p->wide || ms_geometry_choose(p->wide, p->target, &wanted, g, NULL)) return 0;
    g->descriptor = p->g->descriptor; /* both post in one place: another's payload might be taken for a tag */
    *widened = *p;
    widened->op = p->wide;
    widened->wide = NULL;
    widened->g = g;
    widened->lookahead = NULL;
    widened->tile = g->block * g->items;
    return 1;
}

/* How many items of an array Vulkan can index: by the words of each, where it may be moved as words (backends/vulkan/memory_codec.lua); by the 8 or
 * 16 bytes at a time of a group of VECTOR items (memory.tpl), where is_grouped; else by itself. */
static uint64_t indexed_items(const ms_type *type, int is_grouped, uint32_t vector)
{
    const uint32_t bytes = type->info.size_bytes, group_bytes = vector * bytes;
    if (ms_type_has_words(type)) return INT32_MAX / ((bytes + 3) / 4);
    const uint32_t moved_bytes = group_bytes % 16 == 0 ? 16 : group_bytes % 8 == 0 ? 8 : bytes;
    return is_grouped ? ms_least((uint64_t)INT32_MAX * vector / (group_bytes / moved_bytes), INT32_MAX) : INT32_MAX;
}

/* C's family counts items in 64 bits and tiles in 32, Vulkan all in 32; SPIR-V takes the indices of arrays for signed numbers. */
uint64_t ms_plan_n_limit(const ms_planning *p, uint64_t blocks, uint64_t lavapipe_tiles)
{
    const uint64_t counted =
        ms_operation_has_places(p->op) && !p->op->is_wide ? MS_NOWHERE - 4ull * p->tile : UINT64_MAX; /* counters and places have 32 bits */
    if (p->target->backend != MSW_BACKEND_VULKAN) return ms_least(p->tile * (UINT32_MAX - UINT64_C(1)), counted);
    uint64_t items = INT32_MAX;
    for (uint32_t b = 0; b < p->op->info.buffer_count; b++) {
        const ms_type *type = p->op->buffer_types[b];
        if (p->op->info.buffers[b].role == MSW_ROLE_UNIFORM) continue;
        if (p->op->info.buffers[b].length >= MSW_LENGTH_FIXED) continue;                           /* ms_plan_check_lengths */
        const int is_grouped = !p->op->key.image || type == p->op->input || type == p->op->output; /* values move one by one */
        items = ms_least(items, indexed_items(type, is_grouped, p->g->vector));
    }
    items -= 2ull * p->tile;
    if (ms_has_short_loops(p->target) && p->op->item && ms_operation_room(p->op, 0) == 0) /* one block may write them all */
        items = ms_least(items, (uint64_t)p->g->block * MS_LAVAPIPE_THREAD_ITEMS);
    if (ms_has_short_loops(p->target) && p->tile * blocks * lavapipe_tiles < items) return p->tile * blocks * lavapipe_tiles;
    return items;
}

uint64_t ms_plan_values_limit(const ms_planning *p, const ms_type *type)
{
    return p->target->backend == MSW_BACKEND_VULKAN ? indexed_items(type, 1, p->g->vector) - 2ull * p->tile : UINT64_MAX;
}

msw_result ms_plan_check_lengths(const ms_operation *op, const msw_target *target, msw_diag *diag)
{
    for (uint32_t b = 0; target->backend == MSW_BACKEND_VULKAN && b < op->info.buffer_count; b++) {
        const msw_op_buffer *buffer = &op->info.buffers[b];
        const uint64_t most = indexed_items(op->buffer_types[b], 0, 1);
        if (buffer->length < MSW_LENGTH_FIXED || msw_elements(buffer->length, 0) <= most) continue;
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", op->file, op->line,
                       "%s: '%s' has %llu elements of %u bytes, of which Vulkan indexes %llu; give it a smaller length", op->name, buffer->name,
                       (unsigned long long)msw_elements(buffer->length, 0), buffer->type.size_bytes, (unsigned long long)most);
    }
    return MSW_OK;
}

uint64_t ms_plan_posts_limit(const ms_planning *p, uint32_t tile_descriptor_bytes, uint32_t other_words)
{
    const uint32_t word_bytes = !strcmp(p->g->descriptor, "wide") ? 16 : !strcmp(p->g->descriptor, "tagged") ? 8 : 4;
    const uint32_t words = p->target->backend == MSW_BACKEND_VULKAN ? INT32_MAX : UINT32_MAX;
    return (uint64_t)p->tile * ((words - other_words) / (tile_descriptor_bytes / word_bytes));
}

/* With a tile ahead blocks take tiles as long as there are any: more of them than run at once find none. */
enum { AHEAD_BLOCKS = 1024 };

uint32_t ms_plan_most_blocks(const ms_planning *p)
{
    const uint32_t most = p->target->backend == MSW_BACKEND_VULKAN ? 65535 : UINT32_MAX;
    return p->target->max_blocks < most ? p->target->max_blocks : most;
}

uint32_t ms_plan_at_most_blocks(const ms_planning *p, uint64_t wanted)
{
    return (uint32_t)ms_least(ms_least(wanted, p->target->max_blocks), p->g->blocks_given ? p->g->max_blocks : UINT32_MAX);
}

uint32_t ms_plan_ticket_blocks(const ms_planning *p)
{
    const uint32_t most = ms_plan_most_blocks(p);
    return p->g->blocks_given ? p->g->max_blocks : p->g->ahead && AHEAD_BLOCKS < most ? AHEAD_BLOCKS : most;
}

void ms_plan_drop_unlaunched(ms_planning *p)
{
    msw_plan *plan = p->plan;
    uint32_t is_launched[MS_MAX_PART_KERNELS] = {0}, places[MS_MAX_PART_KERNELS], kept = 0;
    for (uint32_t s = 0; s < plan->step_count; s++) is_launched[plan->steps[s].kernel] = 1;
    for (uint32_t k = 0; k < plan->kernel_count; k++) {
        if (!is_launched[k]) continue;
        plan->kernels[kept] = plan->kernels[k];
        p->shapes[kept] = p->shapes[k];
        places[k] = kept++;
    }
    for (uint32_t s = 0; s < plan->step_count; s++) plan->steps[s].kernel = places[plan->steps[s].kernel];
    plan->kernel_count = kept;
}

void ms_plan_add_initialisation(ms_planning *p)
{
    const ms_kernel_shape shape = {.template_name = "scratch/zero", .strategy = "scratch initialisation", .reads = "none", .writes = "none"};
    ms_plan_add_step(p, ms_plan_add_kernel(p, "zero_scratch", shape, 0), ZERO_TILE_BYTES, ZERO_BLOCKS);
    p->plan->init_step_count = 1;
}
