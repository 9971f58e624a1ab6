/* Plans of loops in plain C, of one thread: what bench compares devices with. No knob and no tuning row concerns them. */
#include "planning.h"

#include <string.h>

enum { DIGIT_BITS = 8 };

static const uint64_t most_items = UINT64_C(1) << 48; /* more than memory holds */

void ms_plan_loop(ms_planning *p)
{
    const ms_operation *op = p->op;
    const ms_geometry g = {
        .strategy = "loop", .block = 1, .subgroup = 1, .items = 1, .vector = 1, .max_blocks = 1, .descriptor = "tagged", .digit_bits = DIGIT_BITS};
    const char *name = p->planner->loop_template;
    p->g = &g;
    p->tile = 1;
    const uint64_t counted = ms_operation_has_places(op) ? MS_NOWHERE : most_items; /* by counters and places of 32 bits */
    msw_plan_variant *variant = ms_plan_begin_variant(p, g.strategy, counted);
    const ms_kernel_shape shape = {.template_name = name,
                                   .strategy = g.strategy,
                                   .reads = "input",
                                   .writes = "output",
                                   .constants = {{"passes", (op->key.bits + DIGIT_BITS - 1) / DIGIT_BITS}},
                                   .count = MSW_U64,
                                   .index = MSW_U64};
    ms_plan_add_step(p, ms_plan_add_kernel(p, strchr(name, '/') + 1, shape, 0), p->tile, 1);
    if (op->key.image) { /* keys, then values, on their way: both begin where 16 bytes do */
        variant->scratch_base_bytes = 16;
        variant->scratch_per_tile_bytes = op->output->info.size_bytes + (op->value ? op->value->info.size_bytes : 0);
    }
    ms_plan_end_variant(p, variant);
}
