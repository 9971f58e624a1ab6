#include "floor.h"

#include <math.h>

/* 1: no kernel that computes the operand's value computes this operation, too. */
static int is_from_memory(const ms_cut_graph *g, const ms_cut_operand *operand, uint32_t user)
{
    const uint32_t producer = g->values[operand->value].operation;
    if (producer == MS_CUT_ARRAY || operand->is_stored) return 1;
    return ms_kind_is_barrier(g->operations[producer].kind) && !ms_is_store_map(g, operand->value, user);
}

const ms_need *ms_needs(const ms_cutting *c)
{
    const ms_cut_graph *g = c->graph;
    ms_need *needs = ms_arena_alloc(c->arena, (g->operation_count + 1) * sizeof *needs);
    if (!needs) return NULL;
    for (uint32_t o = 0; o < g->operation_count; o++) {
        const ms_cut_operation *op = &g->operations[o];
        const double elements = g->domains[op->domain].elements;
        ms_need *need = &needs[o];
        *need = (ms_need){.level = 1, .instructions = op->instructions * elements, .own_bytes = op->own_bytes * elements};
        ms_set_add(&need->upstream, o);
        for (uint32_t p = 0; p < op->operand_count; p++) {
            const uint32_t value = op->operands[p].value, producer = g->values[value].operation;
            const int is_read = is_from_memory(g, &op->operands[p], o);
            if (is_read) ms_set_add(&need->reads, value);
            if (producer == MS_CUT_ARRAY) continue;
            ms_set_unite(&need->upstream, &needs[producer].upstream);
            if (needs[producer].level + (uint32_t)is_read > need->level) need->level = needs[producer].level + (uint32_t)is_read;
        }
    }
    return needs;
}

static void write_value(const ms_cut_graph *g, uint32_t v, ms_floor *floor)
{
    if (g->values[v].operation == MS_CUT_ARRAY || ms_set_has(&floor->writes, v)) return;
    ms_set_add(&floor->writes, v);
    floor->bytes += ms_value_bytes(g, v);
}

void ms_floor_raise(const ms_cutting *c, const ms_need *needs, uint32_t value, ms_floor *floor)
{
    const ms_cut_graph *g = c->graph;
    const uint32_t operation = g->values[value].operation;
    write_value(g, value, floor);
    if (operation == MS_CUT_ARRAY || ms_set_has(&floor->open, operation)) return;
    const ms_set opened = ms_set_without(&needs[operation].upstream, &floor->open);
    ms_set_unite(&floor->open, &opened);
    if (needs[operation].level > floor->level) floor->level = needs[operation].level;
    for (uint32_t o = MS_SET_START; ms_set_next(&opened, &o);) {
        const ms_set reads = ms_set_without(&needs[o].reads, &floor->reads);
        floor->instructions += needs[o].instructions;
        floor->bytes += needs[o].own_bytes;
        for (uint32_t v = MS_SET_START; ms_set_next(&reads, &v);) {
            floor->bytes += ms_value_bytes(g, v);
            write_value(g, v, floor);
        }
        ms_set_unite(&floor->reads, &reads);
    }
}

double ms_floor_seconds(const ms_cutting *c, const ms_floor *floor, double kernel_seconds)
{
    const ms_cut_device *d = c->device;
    return floor->level * (d->launch_seconds + kernel_seconds) + fmax(floor->bytes / d->bandwidth, floor->instructions / d->issue_rate);
}
