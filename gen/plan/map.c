/* Plans of maps: one launch, in which blocks share the tiles out evenly. */
#include "planning.h"

enum { THREAD_BYTES = 64 }; /* what a thread has in flight of the wider array */

static void choose_defaults(const ms_operation *op, const msw_target *target, ms_geometry *g)
{
    const uint32_t in = op->input->info.size_bytes, out = op->output->info.size_bytes, widest = in > out ? in : out;
    g->items = ms_round_up(widest < THREAD_BYTES ? THREAD_BYTES / widest : 1, g->vector);
    g->max_blocks = target->max_blocks; /* a block a tile as far as that goes: nothing is to be shared */
}

static void classify(const ms_operation *op, ms_target_mode mode, ms_tuning_class *class_)
{
    (void)mode;
    const uint32_t in = op->input->info.size_bytes, out = op->output->info.size_bytes;
    class_->bytes = in > out ? in : out;
    class_->name = "map";
}

static uint32_t shared_bytes(const ms_operation *op, const ms_geometry *g)
{
    (void)op, (void)g;
    return 0;
}

static void add_elementwise(ms_planning *p)
{
    const uint32_t blocks = p->g->max_blocks;
    const ms_kernel_shape shape = {.template_name = "map/map", .strategy = "elementwise", .reads = "input", .writes = "output"};
    msw_plan_variant *variant = ms_plan_begin_variant(p, "elementwise", ms_plan_n_limit(p, blocks, MS_LAVAPIPE_TILES));
    ms_plan_add_step(p, ms_plan_add_kernel(p, MS_ENTRY(p, "map_elements"), shape, 0), p->tile, blocks);
    ms_plan_moves(variant, ms_item_bytes(p->op, MSW_ROLE_IN), ms_item_bytes(p->op, MSW_ROLE_OUT));
    ms_plan_end_variant(p, variant);
}

static msw_result plan(ms_planning *p, msw_diag *diag)
{
    const ms_geometry_wish wish = {p->planner, &p->tuning->general, p->knobs, p->knob_count, NULL, 0};
    ms_planning wide;
    ms_geometry g;
    (void)diag;
    add_elementwise(p);
    if (ms_plan_widen(p, &wish, &wide, &g)) add_elementwise(&wide);
    return MSW_OK;
}

const ms_planner ms_map_planner = {
    .plan = plan, .loop_template = "map/map_loop", .classify = classify, .choose_defaults = choose_defaults, .shared_bytes = shared_bytes};
