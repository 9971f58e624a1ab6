/* Graphs of operations for the tests of cuts, put together value by value; and a device on which time is bytes an element. */
#ifndef CUT_GRAPHS_H
#define CUT_GRAPHS_H

#include "cut/cut.h"

#include <string.h>

enum { GRAPH_OPERANDS = 8 };

typedef struct cut_graph {
    ms_cut_domain domains[8];
    ms_cut_value values[MS_CUT_MAX_VALUES];
    ms_cut_operation operations[MS_CUT_MAX_OPERATIONS];
    ms_cut_operand operands[MS_CUT_MAX_OPERATIONS][GRAPH_OPERANDS];
    ms_cut_graph cut;
} cut_graph;

/* Domain 0 has n elements, domain 1 one; others are added. */
static void begin_graph(cut_graph *g, double n)
{
    memset(g, 0, sizeof *g);
    g->domains[0] = (ms_cut_domain){n, n, 0};
    g->domains[1] = (ms_cut_domain){1, 1, 1};
    g->cut = (ms_cut_graph){g->domains, 2, g->values, 0, g->operations, 0};
}

static inline uint32_t add_domain(cut_graph *g, double elements, double room)
{
    g->domains[g->cut.domain_count] = (ms_cut_domain){elements, room, 0};
    return g->cut.domain_count++;
}

/* An array of the caller. */
static uint32_t array(cut_graph *g, uint32_t bytes)
{
    g->values[g->cut.value_count] = (ms_cut_value){MS_CUT_ARRAY, 0, bytes, 0};
    return g->cut.value_count++;
}

/* An operation over `domain`; returns its result, of another domain perhaps. */
static uint32_t add(cut_graph *g, ms_cut_kind kind, uint32_t domain, uint32_t bytes, uint32_t result_domain, const uint32_t *operands, uint32_t count)
{
    const uint32_t o = g->cut.operation_count++, v = g->cut.value_count++;
    for (uint32_t p = 0; p < count; p++) g->operands[o][p] = (ms_cut_operand){operands[p], kind == MS_CUT_SORT ? 2 : 1, 0};
    g->operations[o] = (ms_cut_operation){.kind = kind,
                                          .domain = domain,
                                          .operands = g->operands[o],
                                          .operand_count = count,
                                          .first_result = v,
                                          .result_count = 1,
                                          .launches = 1,
                                          .look_backs = kind == MS_CUT_SCAN || kind == MS_CUT_OTHER};
    if (kind == MS_CUT_SCAN) g->operations[o].direction = MS_CUT_FORWARD;
    g->values[v] = (ms_cut_value){o, result_domain, bytes, 0};
    return v;
}

#define VALUES(...) (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)
#define map(g, bytes, ...) add(g, MS_CUT_MAP, 0, bytes, 0, VALUES(__VA_ARGS__))
#define scan(g, bytes, ...) add(g, MS_CUT_SCAN, 0, bytes, 0, VALUES(__VA_ARGS__))
#define reduce(g, bytes, ...) add(g, MS_CUT_REDUCE, 0, bytes, 1, VALUES(__VA_ARGS__))

static inline uint32_t reverse_scan(cut_graph *g, uint32_t bytes, uint32_t operand)
{
    const uint32_t v = scan(g, bytes, operand);
    g->operations[g->cut.operation_count - 1].direction = MS_CUT_REVERSE;
    return v;
}

static inline void output(cut_graph *g, uint32_t value) { g->values[value].is_output = 1; }

/* A second moves one byte; nothing else takes time. */
static inline ms_cut_device byte_device(void)
{
    return (ms_cut_device){
        .bandwidth = 1, .issue_rate = 1e30, .multiprocessors = 1, .max_resident_blocks = 8, .block_threads = 1, .items = {1}, .max_depth = 1};
}

#endif
