/* Cuts that look at no time: each operation a kernel; and what compilers do that merge a consumer into its producer's kernel wherever it may be
 * (XLA, Futhark). They are what a search begins with, and what its cut is compared with. */
#include "kernel.h"

typedef struct ms_merging {
    const ms_cutting *cutting;
    uint32_t kernel_of[MS_CUT_MAX_OPERATIONS]; /* named by one of its operations; an operation that nobody needs: itself */
} ms_merging;

/* What these operations store: outputs, and what others use. */
static ms_members members_of(const ms_cutting *c, const ms_set *operations)
{
    const ms_cut_graph *g = c->graph;
    ms_members members = {*operations, {{0}}};
    for (uint32_t o = MS_SET_START; ms_set_next(operations, &o);)
        for (uint32_t v = g->operations[o].first_result; v < g->operations[o].first_result + g->operations[o].result_count; v++) {
            ms_set outside = ms_set_without(&c->users[v], operations);
            for (uint32_t w = 0; w < MS_SET_WORDS; w++) outside.words[w] &= c->needed.words[w];
            if (g->values[v].is_output || !ms_set_is_empty(&outside)) ms_set_add(&members.writes, v);
        }
    return members;
}

static ms_set operations_of(const ms_merging *m, uint32_t kernel)
{
    ms_set operations = {{0}};
    for (uint32_t o = MS_SET_START; ms_set_next(&m->cutting->needed, &o);)
        if (m->kernel_of[o] == kernel) ms_set_add(&operations, o);
    return operations;
}

/* The kernels that these operations' operands come from. */
static ms_set producers_of(const ms_merging *m, const ms_set *operations)
{
    const ms_cut_graph *g = m->cutting->graph;
    ms_set producers = {{0}};
    for (uint32_t o = MS_SET_START; ms_set_next(operations, &o);)
        for (uint32_t p = 0; p < g->operations[o].operand_count; p++) {
            const uint32_t producer = g->values[g->operations[o].operands[p].value].operation;
            if (producer != MS_CUT_ARRAY) ms_set_add(&producers, m->kernel_of[producer]);
        }
    return producers;
}

/* 1: what `consumer` reads of others depends on `producer`: one kernel of both would wait for itself. */
static int is_circle(const ms_merging *m, uint32_t producer, uint32_t consumer)
{
    const ms_set operations = operations_of(m, consumer);
    ms_set open = producers_of(m, &operations), seen = {{0}};
    ms_set_remove(&open, producer);
    ms_set_remove(&open, consumer);
    for (uint32_t k = MS_SET_START; ms_set_next(&open, &k); k = MS_SET_START) {
        if (k == producer) return 1;
        ms_set_add(&seen, k);
        const ms_set between = operations_of(m, k), before = producers_of(m, &between);
        ms_set_unite(&open, &before);
        open = ms_set_without(&open, &seen);
    }
    return 0;
}

static void merge(ms_merging *m, uint32_t producer, uint32_t consumer)
{
    ms_cut_kernel kernel;
    if (producer == consumer || is_circle(m, producer, consumer)) return;
    ms_set operations = operations_of(m, producer);
    const ms_set others = operations_of(m, consumer);
    ms_set_unite(&operations, &others);
    const ms_members members = members_of(m->cutting, &operations);
    if (!ms_kernel_evaluate(m->cutting, &members, &kernel)) return;
    for (uint32_t o = MS_SET_START; ms_set_next(&others, &o);) m->kernel_of[o] = producer;
}

static void merge_all(ms_merging *m)
{
    const ms_cut_graph *g = m->cutting->graph;
    for (uint32_t o = MS_SET_START; ms_set_next(&m->cutting->needed, &o);)
        for (uint32_t p = 0; p < g->operations[o].operand_count; p++) {
            const uint32_t producer = g->values[g->operations[o].operands[p].value].operation;
            if (producer != MS_CUT_ARRAY) merge(m, m->kernel_of[producer], m->kernel_of[o]);
        }
}

/* A kernel comes when all that it reads of others has come. */
static uint32_t put_in_order(const ms_merging *m, ms_members *kernels)
{
    ms_set waiting = {{0}};
    uint32_t count = 0;
    for (uint32_t o = MS_SET_START; ms_set_next(&m->cutting->needed, &o);) ms_set_add(&waiting, m->kernel_of[o]);
    while (!ms_set_is_empty(&waiting))
        for (uint32_t k = MS_SET_START; ms_set_next(&waiting, &k);) {
            const ms_set operations = operations_of(m, k);
            ms_set producers = producers_of(m, &operations);
            ms_set_remove(&producers, k);
            for (uint32_t w = 0; w < MS_SET_WORDS; w++) producers.words[w] &= waiting.words[w];
            if (!ms_set_is_empty(&producers)) continue;
            kernels[count++] = members_of(m->cutting, &operations);
            ms_set_remove(&waiting, k);
            break;
        }
    return count;
}

uint32_t ms_merge(const ms_cutting *c, int is_greedy, ms_members *kernels, uint32_t *operation)
{
    ms_cut_kernel kernel;
    ms_merging m = {.cutting = c};
    for (uint32_t o = 0; o < c->graph->operation_count; o++) m.kernel_of[o] = c->graph->operations[o].is_next_part ? m.kernel_of[o - 1] : o;
    for (uint32_t o = MS_SET_START; ms_set_next(&c->needed, &o);) {
        const ms_set alone = operations_of(&m, m.kernel_of[o]);
        const ms_members members = members_of(c, &alone);
        *operation = o;
        if (!ms_kernel_evaluate(c, &members, &kernel)) return 0;
    }
    *operation = UINT32_MAX;
    if (is_greedy) merge_all(&m);
    return put_in_order(&m, kernels);
}
