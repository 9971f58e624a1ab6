/* The least time of a graph's cuts, by trying everything forwards: which results are in memory, and which operations other than maps are done. Each
 * operation has one result; they are the last values of the graph. */
#ifndef ALL_CUTS_H
#define ALL_CUTS_H

#include "cut/kernel.h"

#include <math.h>

enum { ALL_CUTS_OPERATIONS = 7, ALL_CUTS_SETS = 1 << ALL_CUTS_OPERATIONS };

typedef struct all_cuts {
    const ms_cut_graph *g;
    double kernels[ALL_CUTS_SETS][ALL_CUTS_SETS]; /* by operations and stored results: its time; infinite: it may not be one */
    double rest[ALL_CUTS_SETS][ALL_CUTS_SETS];    /* by results in memory and what is done: the least time of what must follow; -1: not known yet */
    uint32_t outputs, sole;                       /* results that the caller wants; operations that are computed once */
    uint32_t operands[ALL_CUTS_OPERATIONS];       /* operations that it uses results of */
} all_cuts;

static ms_set all_cuts_set(uint32_t bits, uint32_t first)
{
    ms_set set = {{0}};
    for (uint32_t i = 0; i < ALL_CUTS_OPERATIONS; i++)
        if (bits >> i & 1) ms_set_add(&set, first + i);
    return set;
}

static void all_cuts_begin(all_cuts *t, const ms_cutting *c)
{
    const ms_cut_graph *g = c->graph;
    const uint32_t count = g->operation_count, first = g->value_count - count; /* operation o's result is first + o */
    t->g = g;
    t->outputs = t->sole = 0;
    for (uint32_t o = 0; o < count; o++) {
        if (g->values[first + o].is_output) t->outputs |= 1u << o;
        if (g->operations[o].kind != MS_CUT_MAP) t->sole |= 1u << o;
        t->operands[o] = 0;
        for (uint32_t p = 0; p < g->operations[o].operand_count; p++)
            if (g->operations[o].operands[p].value >= first) t->operands[o] |= 1u << (g->operations[o].operands[p].value - first);
    }
    for (uint32_t k = 0; k < 1u << count; k++)
        for (uint32_t w = 0; w < 1u << count; w++) {
            const ms_members members = {all_cuts_set(k, 0), all_cuts_set(w, first)};
            ms_cut_kernel kernel;
            t->kernels[k][w] = w && !(w & ~k) && ms_kernel_evaluate(c, &members, &kernel) ? kernel.seconds : INFINITY;
            t->rest[k][w] = -1;
        }
}

static double all_cuts_try(all_cuts *t, uint32_t memory, uint32_t done)
{
    const uint32_t count = t->g->operation_count;
    double *rest = &t->rest[memory][done];
    if (!(t->outputs & ~memory)) return 0;
    if (*rest >= 0) return *rest;
    double least = INFINITY;
    for (uint32_t k = 1; k < 1u << count; k++) {
        uint32_t read = 0;
        if (k & t->sole & done) continue;
        for (uint32_t o = 0; o < count; o++)
            if (k >> o & 1) read |= t->operands[o] & ~k;
        if (read & ~memory) continue;
        for (uint32_t w = k; w > 0; w = (w - 1) & k) {
            if (w & memory || t->kernels[k][w] >= least) continue;
            const double seconds = t->kernels[k][w] + all_cuts_try(t, memory | w, done | (k & t->sole));
            if (seconds < least) least = seconds;
        }
    }
    return *rest = least;
}

static double all_cuts_least(all_cuts *t, const ms_cutting *c)
{
    all_cuts_begin(t, c);
    return all_cuts_try(t, 0, 0);
}

#endif
