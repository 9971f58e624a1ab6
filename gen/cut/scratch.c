/* Scratch for values between kernels: a colouring of their lifetimes, from the kernel that stores a value to the last one that reads it. Both ends
 * count: a kernel reads one value while it stores another. */
#include "kernel.h"

static int meet(const ms_lifetime *a, const ms_lifetime *b) { return a->first <= b->last && b->first <= a->last; }

/* The largest first, so that a slot's size is its first value's. */
static int compare(const ms_lifetime *a, const ms_lifetime *b)
{
    if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
    return a->value < b->value ? -1 : 1;
}

static void sort(ms_lifetime *lifetimes, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t j = i; j > 0 && compare(&lifetimes[j], &lifetimes[j - 1]) < 0; j--) {
            const ms_lifetime moved = lifetimes[j];
            lifetimes[j] = lifetimes[j - 1];
            lifetimes[j - 1] = moved;
        }
}

static uint32_t find_lifetimes(const ms_cut_graph *g, const ms_cut *cut, ms_lifetime *lifetimes)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < cut->kernel_count; k++) {
        for (uint32_t w = 0; w < cut->kernels[k].write_count; w++) {
            const ms_cut_value *value = &g->values[cut->kernels[k].writes[w]];
            if (!value->is_output) lifetimes[count++] = (ms_lifetime){cut->kernels[k].writes[w], k, k, value->bytes * g->domains[value->domain].room};
        }
        for (uint32_t r = 0; r < cut->kernels[k].read_count; r++)
            for (uint32_t l = 0; l < count; l++)
                if (lifetimes[l].value == cut->kernels[k].reads[r]) lifetimes[l].last = k;
    }
    return count;
}

/* The first slot whose values it does not meet. */
static uint32_t find_slot(const ms_lifetime *lifetimes, uint32_t l, const uint32_t *slots, uint32_t slot_count)
{
    uint32_t slot = 0;
    for (uint32_t other = 0; slot < slot_count && other < l; other++)
        if (slots[lifetimes[other].value] == slot && meet(&lifetimes[other], &lifetimes[l])) slot++, other = UINT32_MAX; /* the next one, from 0 */
    return slot;
}

uint32_t ms_share_slots(ms_lifetime *lifetimes, uint32_t count, uint32_t *slots)
{
    uint32_t slot_count = 0;
    sort(lifetimes, count);
    for (uint32_t l = 0; l < count; l++) {
        slots[lifetimes[l].value] = find_slot(lifetimes, l, slots, slot_count);
        if (slots[lifetimes[l].value] == slot_count) slot_count++;
    }
    return slot_count;
}

int ms_cut_reserve(const ms_cutting *c, ms_cut *cut)
{
    const ms_cut_graph *g = c->graph;
    ms_lifetime *lifetimes = ms_arena_alloc(c->arena, (g->value_count + 1) * sizeof *lifetimes);
    uint32_t *slots = ms_arena_alloc(c->arena, (g->value_count + 1) * sizeof *slots);
    double *slot_bytes = ms_arena_alloc(c->arena, (g->value_count + 1) * sizeof *slot_bytes);
    if (!lifetimes || !slots || !slot_bytes) return 0;
    for (uint32_t v = 0; v < g->value_count; v++) slots[v] = MS_CUT_NO_SLOT;
    const uint32_t count = find_lifetimes(g, cut, lifetimes);
    cut->slot_count = ms_share_slots(lifetimes, count, slots);
    cut->scratch_bytes = 0;
    for (uint32_t l = count; l-- > 0;) slot_bytes[slots[lifetimes[l].value]] = lifetimes[l].bytes;
    for (uint32_t s = 0; s < cut->slot_count; s++) cut->scratch_bytes += slot_bytes[s];
    cut->slots = slots;
    cut->slot_bytes = slot_bytes;
    return 1;
}
