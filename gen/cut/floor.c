#include "floor.h"

#include <math.h>

/* 1: no kernel that computes the operand's value computes this operation, too. */
static int is_from_memory(const ms_cut_graph *g, const ms_cut_operand *operand, uint32_t user)
{
    const uint32_t producer = g->values[operand->value].operation;
    if (producer == MS_CUT_ARRAY || operand->is_stored) return 1;
    return ms_kind_is_barrier(g->operations[producer].kind) && !ms_is_store_map(g, operand->value, user);
}

/* ---- what is known of an operation ---- */

/* least[o]: the bytes that a kernel reads at least that computes it. Values that it computes itself may share what they are made of, so the largest
 * counts. */
static double least_read(const ms_cut_graph *g, const double *least, uint32_t o)
{
    const ms_cut_operation *op = &g->operations[o];
    double most = 0;
    for (uint32_t p = 0; p < op->operand_count; p++) {
        const uint32_t value = op->operands[p].value;
        double bytes = ms_value_bytes(g, value);
        if (!is_from_memory(g, &op->operands[p], o)) bytes = fmin(bytes, least[g->values[value].operation]);
        most = fmax(most, bytes * op->operands[p].reads);
    }
    return most;
}

static void keep_longest(ms_apart *apart, const ms_apart *other)
{
    apart->bytes = fmax(apart->bytes, other->bytes);
    apart->seconds = fmax(apart->seconds, other->seconds);
    if (other->kernels > apart->kernels) apart->kernels = other->kernels;
}

static void extend(ms_apart *apart, double bytes, double seconds)
{
    apart->bytes += bytes;
    apart->seconds += seconds;
    apart->kernels++;
}

/* Its own kernel comes after those of the operations that are done earlier. A sort's is none of a chain. */
static void find_chains(const ms_cutting *c, ms_need *needs, uint32_t o, double read_bytes)
{
    const ms_cut_graph *g = c->graph;
    const double seconds = ms_kernel_least_seconds(c, o, read_bytes);
    const ms_cut_operation *op = &g->operations[o];
    for (uint32_t e = MS_SET_START; op->kind != MS_CUT_SORT && ms_set_next(&needs[o].earlier, &e);) {
        if (g->operations[e].kind == MS_CUT_MAP || g->operations[e].kind == MS_CUT_SORT || g->operations[e].domain != op->domain) continue;
        keep_longest(&needs[o].chain, &needs[e].chain);
        if (g->operations[e].direction == op->direction) keep_longest(&needs[o].same_way, &needs[e].same_way);
    }
    extend(&needs[o].chain, read_bytes, seconds);
    extend(&needs[o].same_way, read_bytes, seconds);
}

static void find_need(const ms_cutting *c, ms_need *needs, double *least, uint32_t o)
{
    const ms_cut_graph *g = c->graph;
    const ms_cut_operation *op = &g->operations[o];
    const double elements = g->domains[op->domain].elements;
    ms_need *need = &needs[o];
    *need = (ms_need){.instructions = op->instructions * elements, .own_bytes = op->own_bytes * elements};
    ms_set_add(&need->upstream, o);
    for (uint32_t p = 0; p < op->operand_count; p++) {
        const uint32_t value = op->operands[p].value, producer = g->values[value].operation;
        const int is_read = is_from_memory(g, &op->operands[p], o);
        if (is_read) ms_set_add(&need->reads, value);
        if (producer == MS_CUT_ARRAY) continue;
        ms_set_unite(&need->upstream, &needs[producer].upstream);
        ms_set_unite(&need->earlier, is_read ? &needs[producer].upstream : &needs[producer].earlier);
    }
    least[o] = least_read(g, least, o);
    if (op->kind != MS_CUT_MAP) find_chains(c, needs, o, least[o]);
}

ms_need *ms_needs(const ms_cutting *c)
{
    const ms_cut_graph *g = c->graph;
    ms_need *needs = ms_arena_alloc(c->arena, (g->operation_count + 1) * sizeof *needs);
    double *least = ms_arena_alloc(c->arena, (g->operation_count + 1) * sizeof *least);
    if (!needs || !least) return NULL;
    for (uint32_t o = 0; o < g->operation_count; o++) find_need(c, needs, least, o);
    return needs;
}

/* ---- what is known of the operations that are still to be done ---- */

static void write_value(const ms_cut_graph *g, uint32_t v, ms_floor *floor)
{
    if (g->values[v].operation == MS_CUT_ARRAY || ms_set_has(&floor->writes, v)) return;
    ms_set_add(&floor->writes, v);
    floor->bytes += ms_value_bytes(g, v);
}

static void read_value(const ms_cut_graph *g, uint32_t v, ms_floor *floor)
{
    const uint32_t domain = g->values[v].domain;
    *(domain < MS_FLOOR_DOMAINS ? &floor->domains[domain].once : &floor->bytes) += ms_value_bytes(g, v);
    write_value(g, v, floor);
}

static void open_operation(const ms_cut_graph *g, const ms_need *needs, uint32_t o, ms_floor *floor)
{
    const ms_cut_operation *op = &g->operations[o];
    const ms_set reads = ms_set_without(&needs[o].reads, &floor->reads);
    floor->instructions += needs[o].instructions;
    floor->bytes += needs[o].own_bytes;
    for (uint32_t v = MS_SET_START; ms_set_next(&reads, &v);) read_value(g, v, floor);
    ms_set_unite(&floor->reads, &reads);
    if (op->kind == MS_CUT_MAP || op->domain >= MS_FLOOR_DOMAINS) return;
    ms_domain_floor *domain = &floor->domains[op->domain];
    if (op->kind == MS_CUT_SORT) {
        extend(&domain->sorts, needs[o].same_way.bytes, needs[o].same_way.seconds);
        return;
    }
    keep_longest(&domain->chain, &needs[o].chain);
    keep_longest(&domain->ways[op->direction], &needs[o].same_way);
}

void ms_floor_raise(const ms_cutting *c, const ms_need *needs, uint32_t value, ms_floor *floor)
{
    const ms_cut_graph *g = c->graph;
    const uint32_t operation = g->values[value].operation;
    write_value(g, value, floor);
    if (operation == MS_CUT_ARRAY) return;
    floor->seconds = fmax(floor->seconds, needs[operation].seconds);
    if (ms_set_has(&floor->open, operation)) return;
    const ms_set opened = ms_set_without(&needs[operation].upstream, &floor->open);
    ms_set_unite(&floor->open, &opened);
    for (uint32_t o = MS_SET_START; ms_set_next(&opened, &o);) open_operation(g, needs, o, floor);
}

double ms_floor_seconds(const ms_cutting *c, const ms_floor *floor, double kernel_seconds)
{
    const ms_cut_device *d = c->device;
    double bytes = floor->bytes, apart = 0;
    uint32_t kernels = 0;
    for (uint32_t i = 0; i < MS_FLOOR_DOMAINS; i++) {
        const ms_domain_floor *domain = &floor->domains[i];
        const ms_apart *forward = &domain->ways[MS_CUT_FORWARD], *reverse = &domain->ways[MS_CUT_REVERSE];
        bytes += fmax(domain->once, domain->sorts.bytes + fmax(domain->chain.bytes, forward->bytes + reverse->bytes));
        apart += domain->sorts.seconds + fmax(domain->chain.seconds, forward->seconds + reverse->seconds);
        const uint32_t ways = forward->kernels + reverse->kernels;
        kernels += domain->sorts.kernels + (ways > domain->chain.kernels ? ways : domain->chain.kernels);
    }
    if (!kernels) kernels = !ms_set_is_empty(&floor->open);
    double busy = ms_busy_seconds(d, bytes, floor->instructions);
    if (d->block_bandwidth > 0) busy = fmax(busy, bytes / (d->block_bandwidth * d->max_resident_blocks * d->multiprocessors));
    return fmax(floor->seconds, kernels * kernel_seconds + fmax(apart, kernels * d->launch_seconds + busy));
}
