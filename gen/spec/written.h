/* written.h - a pipeline as its user wrote it, each operation by itself: the graph that cuts are searched in, which of them can be carried out, and
 * the one that was. */
#ifndef MS_WRITTEN_H
#define MS_WRITTEN_H

#include "cut/cut.h"
#include "spec.h"

/* Of the graph, too: 0 has n elements, 1 one, 2 + a as many as array a says, or where a says none as many as a has, a number of its own. */
enum { MS_DOMAIN_N, MS_DOMAIN_ONE, MS_DOMAIN_COUNTED };

typedef struct ms_written_array {
    const char *name;
    const ms_type *type;
    uint32_t domain, room; /* room: a number of its own that there is room for; 0: n */
    int is_output;
} ms_written_array;

/* What an operation can be part of, a bit each: lua/fuse.lua finds out. */
typedef enum ms_ability {
    MS_IS_COMPUTED = 1,   /* a map that others can compute, also where they store: of one output, of the element and its index alone, untuned */
    MS_DERIVES = 2,       /* its functions can have elements that are computed, in the place of arrays */
    MS_STORES = 4,        /* it can have results of maps as further outputs */
    MS_JOINS = 8,         /* a scan or reduction that can be one of several side by side */
    MS_PACKS = 16,        /* it can have maps of what it packs as further outputs */
    MS_HAS_NO_INDEX = 32, /* a map that does not ask for the element's index, which is another one where it is packed */
    MS_FOLLOWS = 64       /* a scan that, if it can be one of several, may be of what another one returns */
} ms_ability;

typedef struct ms_written_stage {
    const ms_operation *op;
    uint32_t domain, abilities;
    uint32_t in_memory;                      /* the buffer, from 1, whose elements no map of the kernel can make; 0: none */
    int is_next_part;                        /* a map of one output of several, as the stage before it is of another one */
    uint32_t arrays[MSW_MAX_KERNEL_BUFFERS]; /* by buffer of op */
} ms_written_stage;

/* Arrays are numbered as the graph's values: those that nothing makes, then the results of each stage. */
typedef struct ms_written {
    const ms_written_array *arrays;
    const ms_written_stage *stages;
    uint32_t array_count, stage_count;
    msw_cut_method method;
    ms_cut cut; /* that is launched, predicted for 2^28 elements on a large GPU; no kernel: each operation is one */
} ms_written;

/* The graph, of n elements, in the arena, as it runs on the device; of what is counted half is expected. NULL: out of memory. */
const ms_cut_graph *ms_written_graph(ms_arena *arena, const ms_written *written, double n, const ms_cut_device *device);
/* Which kernels can be emitted. */
ms_cut_rule ms_written_rule(const ms_written *written);

#endif
