/* Graphs of operations and devices at random. */
#ifndef RANDOM_GRAPHS_H
#define RANDOM_GRAPHS_H

#include "cut_graphs.h"
#include "splitmix.h"

#include <math.h>

static uint32_t below(uint64_t *random, uint32_t bound) { return (uint32_t)(ms_splitmix_next(random) % bound); }
static int is_one_of(uint64_t *random, uint32_t count) { return below(random, count) == 0; }

/* A kind, as often as pipelines have it: half of all are maps. */
static inline ms_cut_kind random_kind(uint64_t *random)
{
    static const ms_cut_kind kinds[] = {MS_CUT_MAP,  MS_CUT_MAP,  MS_CUT_MAP,    MS_CUT_MAP,   MS_CUT_MAP,  MS_CUT_MAP,
                                        MS_CUT_SCAN, MS_CUT_SCAN, MS_CUT_REDUCE, MS_CUT_OTHER, MS_CUT_SORT, MS_CUT_ROWS};
    return kinds[below(random, sizeof kinds / sizeof *kinds)];
}

static int is_in_domain(const cut_graph *g, uint32_t v, uint32_t domain)
{
    return g->values[v].domain == domain || g->domains[g->values[v].domain].is_single;
}

/* Operands among the last `reach` values, the first of them of the operation's domain, which is its. */
static uint32_t random_operands(const cut_graph *g, uint64_t *random, uint32_t reach, uint32_t *operands, uint32_t *domain)
{
    const uint32_t first = g->cut.value_count > reach ? g->cut.value_count - reach : 0, count = 1 + below(random, 3);
    uint32_t found = 1;
    operands[0] = first + below(random, g->cut.value_count - first);
    *domain = g->values[operands[0]].domain;
    for (uint32_t p = 1; p < count; p++) {
        const uint32_t v = first + below(random, g->cut.value_count - first);
        int is_new = is_in_domain(g, v, *domain);
        for (uint32_t q = 0; q < found; q++) is_new &= operands[q] != v;
        if (is_new) operands[found++] = v;
    }
    return found;
}

static void add_random_operation(cut_graph *g, uint64_t *random, uint32_t reach)
{
    static const uint32_t bytes[] = {1, 4, 4, 4, 8, 8, 16, 32};
    uint32_t operands[3], domain;
    const uint32_t count = random_operands(g, random, reach, operands, &domain);
    const ms_cut_kind kind = g->domains[domain].is_single ? MS_CUT_MAP : random_kind(random);
    uint32_t result = kind == MS_CUT_REDUCE ? 1 : domain;
    if (kind == MS_CUT_OTHER && g->cut.domain_count < 8) result = add_domain(g, g->domains[domain].elements / 2, g->domains[domain].room);
    add(g, kind, domain, bytes[below(random, 8)], result, operands, count);
    ms_cut_operation *op = &g->operations[g->cut.operation_count - 1];
    if (kind == MS_CUT_SCAN && is_one_of(random, 3)) op->direction = MS_CUT_REVERSE;
    if (kind == MS_CUT_SORT) op->own_bytes = 24, op->launches = 6;
    op->instructions = below(random, 40);
    op->live_words = 1 + below(random, 30);
    if (kind != MS_CUT_MAP) below(random, 16); /* graphs stay what they were */
    if (is_one_of(random, 12)) g->operands[g->cut.operation_count - 1][0].is_stored = 1;
}

/* What nobody uses is an output, and some of the rest. */
static inline void random_graph(cut_graph *g, uint64_t *random, uint32_t operation_count, uint32_t reach)
{
    begin_graph(g, 1e6);
    for (uint32_t a = 1 + below(random, 2); a > 0; a--) array(g, is_one_of(random, 3) ? 16 : 4);
    while (g->cut.operation_count < operation_count) add_random_operation(g, random, reach);
    for (uint32_t v = 0; v < g->cut.value_count; v++) {
        int is_used = 0;
        for (uint32_t o = 0; o < operation_count; o++)
            for (uint32_t p = 0; p < g->operations[o].operand_count; p++) is_used |= g->operands[o][p].value == v;
        g->values[v].is_output = g->values[v].operation != MS_CUT_ARRAY && (!is_used || is_one_of(random, 8));
    }
}

/* A graph as pipelines are: a trunk, whose operations use the one before them, sometimes beside one a few operations before; one output at its end,
 * and what is left unused. */
static inline void random_pipeline(cut_graph *g, uint64_t *random, uint32_t operation_count)
{
    static const ms_cut_kind kinds[] = {MS_CUT_MAP, MS_CUT_MAP, MS_CUT_MAP, MS_CUT_SCAN, MS_CUT_REDUCE, MS_CUT_MAP, MS_CUT_SCAN, MS_CUT_SORT};
    static const uint32_t bytes[] = {4, 4, 8, 16};
    uint32_t trunk, beside;
    begin_graph(g, 1e8);
    trunk = beside = array(g, 4);
    while (g->cut.operation_count < operation_count) {
        const ms_cut_kind kind = kinds[below(random, 8)];
        const int is_single = g->values[trunk].domain == 1;
        const uint32_t operands[2] = {is_single ? beside : trunk, is_single ? trunk : beside};
        const int has_two = is_single || (beside != trunk && kind == MS_CUT_MAP && is_one_of(random, 2));
        const uint32_t v = add(g, kind, 0, bytes[below(random, 4)], kind == MS_CUT_REDUCE, operands, has_two ? 2 : 1);
        ms_cut_operation *op = &g->operations[g->cut.operation_count - 1];
        if (kind == MS_CUT_SCAN && is_one_of(random, 4)) op->direction = MS_CUT_REVERSE;
        if (kind == MS_CUT_SORT) op->own_bytes = 24, op->launches = 6;
        op->instructions = 1 + below(random, 8);
        op->live_words = 1 + below(random, 4);
        if (!is_single && is_one_of(random, 3)) beside = trunk;
        trunk = v;
    }
    g->values[trunk].is_output = 1;
}

/* Sometimes bytes alone count, sometimes everything does. */
static ms_cut_device random_device(uint64_t *random)
{
    ms_cut_device device = {.bandwidth = 4e12,
                            .block_bandwidth = 8e9,
                            .issue_rate = is_one_of(random, 3) ? 3e12 : 3e13,
                            .launch_seconds = is_one_of(random, 2) ? 2e-6 : 1e-7,
                            .tile_seconds = 1e-6,
                            .look_back_seconds = 1e-6,
                            .next_look_back_seconds = 1e-6,
                            .multiprocessors = 132,
                            .max_resident_blocks = 8,
                            .registers = 65536,
                            .base_registers = 24,
                            .max_registers = 255,
                            .block_threads = 256,
                            .items = {1, 2, 4, 8, 16},
                            .max_depth = 1 + below(random, 2)};
    if (is_one_of(random, 3)) device.max_operations = 2 + below(random, 3);
    if (is_one_of(random, 3)) device.max_buffers = 4 + below(random, 3);
    device.is_serial = *random >> 62 == 0; /* of the bits that are there: graphs stay what they were */
    return device;
}

#endif
