/* kernel.h - one kernel of a cut: whether these operations may be one, and the time that the model predicts for it. */
#ifndef MS_CUT_KERNEL_H
#define MS_CUT_KERNEL_H

#include "set.h"

/* What all methods share. */
typedef struct ms_cutting {
    ms_arena *arena;
    const ms_cut_graph *graph;
    const ms_cut_device *device;
    const ms_cut_rule *rule;
    ms_set *users;  /* of each value: operations */
    ms_set needed;  /* operations that some output depends on; others are in no kernel */
    uint32_t *list; /* room for a kernel's operations, reads and writes, one after the other */
} ms_cutting;

/* What a kernel computes, and what of that it stores. It reads all operands that it does not compute. */
typedef struct ms_members {
    ms_set operations, writes;
} ms_members;

/* 0: out of memory. */
int ms_cutting_init(ms_cutting *cutting);

/* 1: these may be a kernel. Its lists stay until the next call. */
int ms_kernel_evaluate(const ms_cutting *cutting, const ms_members *members, ms_cut_kernel *kernel);

/* That a kernel with this operation takes at least, which reads this many bytes at least. */
double ms_kernel_least_seconds(const ms_cutting *cutting, uint32_t operation, double read_bytes);
/* That a device takes to move these bytes and issue these instructions, if nothing else bounds it. */
static inline double ms_busy_seconds(const ms_cut_device *device, double bytes, double instructions)
{
    const double moved = bytes / device->bandwidth, issued = instructions / device->issue_rate;
    return device->is_serial ? moved + issued : moved > issued ? moved : issued;
}
/* Of these kernels together. */
double ms_kernels_seconds(const ms_cutting *cutting, const ms_members *kernels, uint32_t kernel_count);
/* Of the elements that are expected. */
static inline double ms_value_bytes(const ms_cut_graph *graph, uint32_t value)
{
    return graph->values[value].bytes * graph->domains[graph->values[value].domain].elements;
}

/* Which kinds' results no operation of the same kernel may use, but maps applied where it stores. */
int ms_kind_is_barrier(ms_cut_kind kind);
/* 1: `user` is a map that may be applied where the value's operation stores. */
int ms_is_store_map(const ms_cut_graph *graph, uint32_t value, uint32_t user);

/* The parts of the scratch that the cut's values have. 0: out of memory. (scratch.c) */
int ms_cut_reserve(const ms_cutting *cutting, ms_cut *cut);

/* Each operation is a kernel; or operations join the kernels of what they use, as long as they may. Returns the number of kernels; 0: out of memory,
 * or an operation does not fit alone, whose index is in *operation then. (merge.c) */
uint32_t ms_merge(const ms_cutting *cutting, int is_greedy, ms_members *kernels, uint32_t *operation);

/* The kernels of the least time; kernel_seconds is added to the time of each. `kernels` has a cut to begin with, and room for one kernel an
 * operation. Returns the number of kernels; 0: out of memory. (search.c) */
uint32_t ms_search(const ms_cutting *cutting, double kernel_seconds, ms_members *kernels, uint32_t kernel_count, ms_cut *cut);

#endif
