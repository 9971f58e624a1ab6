/* Who runs next: blocks by the scheduler's rule, a block's lanes at random. */
#include "internal.h"
#include "data.h"

#include <string.h>

const char *sim_scheduler_name(sim_scheduler scheduler)
{
    static const char *const names[SIM_SCHEDULER_COUNT] = {"fair", "random", "lifo", "starve", "abandon", "nested"};
    return names[scheduler];
}

uint64_t sim_random(sim *s) { return sim_next(&s->random); }

uint32_t sim_below(sim *s, uint32_t bound) { return (uint32_t)(((sim_random(s) >> 32) * bound) >> 32); }

/* Blocks become resident first to last, last to first, or in any order. */
static void choose_order(sim *s)
{
    const int backwards = s->options.scheduler == SIM_LIFO;
    for (uint32_t i = 0; i < s->block_count; i++) s->order[i] = backwards ? s->block_count - 1 - i : i;
    if (s->options.scheduler == SIM_FAIR || backwards) return;
    for (uint32_t i = s->block_count; i > 1; i--) {
        const uint32_t k = sim_below(s, i), last = s->order[i - 1];
        s->order[i - 1] = s->order[k];
        s->order[k] = last;
    }
}

void sim_schedule_begin_launch(sim *s)
{
    choose_order(s);
    s->turn = 0;
    s->nest_count = 0;
    s->victim = sim_below(s, s->block_count);
    s->victim_steps = (uint64_t)sim_below(s, 1u << sim_below(s, 16)) * s->kernel->block_threads / 4;
}

/* Its lanes have looked all round since anything last happened, and saw nothing new. */
static int is_waiting(const sim *s, const block *b) { return b->progress == s->progress && b->idle_loads > s->kernel->block_threads; }

static block *any_block(sim *s) { return s->resident[sim_below(s, s->resident_count)]; }

static block *youngest_busy(sim *s)
{
    for (uint32_t i = s->resident_count; i > 0; i--) {
        if (!is_waiting(s, s->resident[i - 1])) return s->resident[i - 1];
    }
    return any_block(s);
}

/* Any block but the victim; NULL: there is none. */
static block *any_other(sim *s, int busy)
{
    const uint32_t first = sim_below(s, s->resident_count);
    for (uint32_t i = 0; i < s->resident_count; i++) {
        block *b = s->resident[(first + i) % s->resident_count];
        if (b->id != s->victim && !(busy && is_waiting(s, b))) return b;
    }
    return NULL;
}

static block *all_but_starved(sim *s)
{
    block *b = any_other(s, 1);
    return b ? b : any_block(s);
}

static block *all_but_abandoned(sim *s)
{
    if (s->victim_steps) {
        block *b = any_block(s);
        if (b->id == s->victim) s->victim_steps--;
        return b;
    }
    block *b = any_other(s, 0);
    return b ? b : any_block(s);
}

static block *find_resident(const sim *s, uint32_t id)
{
    for (uint32_t i = 0; i < s->resident_count; i++) {
        if (s->resident[i]->id == id) return s->resident[i];
    }
    return NULL;
}

/* The block that began last and has not ended; now and then one that has not begun. */
static block *innermost(sim *s)
{
    while (s->nest_count && !find_resident(s, s->nest[s->nest_count - 1])) s->nest_count--;
    if (s->nest_count && sim_below(s, 8 * s->kernel->block_threads)) return find_resident(s, s->nest[s->nest_count - 1]);
    const uint32_t first = sim_below(s, s->resident_count);
    for (uint32_t i = 0; i < s->resident_count; i++) {
        block *b = s->resident[(first + i) % s->resident_count];
        if (b->has_run) continue;
        s->nest[s->nest_count++] = b->id;
        return b;
    }
    return find_resident(s, s->nest[s->nest_count - 1]);
}

static block *pick_block(sim *s)
{
    /* the blocks of a cluster have progress wherever they run */
    const int has_progress = s->kernel->cluster_blocks && !sim_scheduler_is_fair(s->options.scheduler);
    switch (has_progress ? SIM_RANDOM : s->options.scheduler) {
    case SIM_FAIR: return s->resident[s->turn++ % s->resident_count];
    case SIM_LIFO: return youngest_busy(s);
    case SIM_STARVE: return all_but_starved(s);
    case SIM_ABANDON: return all_but_abandoned(s);
    case SIM_NESTED: return innermost(s);
    default: return any_block(s);
    }
}

lane *sim_pick(sim *s)
{
    block *b = pick_block(s);
    b->has_run = 1;
    const uint32_t k = sim_below(s, b->ready_count);
    lane *l = &b->lanes[b->ready[k]];
    b->ready[k] = b->ready[--b->ready_count];
    return l;
}
