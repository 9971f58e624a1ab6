/* floor.h - what any cut must still cost: the bound that a search prunes by. */
#ifndef MS_CUT_FLOOR_H
#define MS_CUT_FLOOR_H

#include "kernel.h"

/* Operations of which no kernel can have two: how many, and what their kernels take at least, in bytes read and in seconds. */
typedef struct ms_apart {
    double bytes, seconds;
    uint32_t kernels;
} ms_apart;

/* Of each operation. */
typedef struct ms_need {
    ms_set upstream; /* the operations that it depends on, itself included */
    ms_set earlier;  /* of these, the ones that are done in earlier kernels */
    ms_set reads;    /* values that are in memory whatever the cut is: arrays, and what no kernel computes for it */
    double instructions, own_bytes;
    double seconds;           /* of the least cut that stores one of its results; 0: not known */
    ms_apart chain, same_way; /* the most that is done in kernels one after the other, of its domain: up to its own; of its direction alone */
} ms_need;

/* Operations of one domain: sorts, which are alone, and the longest chains of the others. */
typedef struct ms_domain_floor {
    double once;                    /* bytes of values that are read at all */
    ms_apart sorts, chain, ways[3]; /* ways: by direction */
} ms_domain_floor;

enum { MS_FLOOR_DOMAINS = 8 }; /* of others the bound is lower */

/* What kernels must do that store some values, however they are cut. */
typedef struct ms_floor {
    ms_set open;                /* the operations that they depend on */
    ms_set reads, writes;       /* values, each once at least */
    double bytes, instructions; /* bytes: but for those of the domains */
    double seconds;             /* the least time of one of the values alone */
    ms_domain_floor domains[MS_FLOOR_DOMAINS];
} ms_floor;

/* NULL: out of memory. */
ms_need *ms_needs(const ms_cutting *cutting);
/* The value is one more that must be stored. */
void ms_floor_raise(const ms_cutting *cutting, const ms_need *needs, uint32_t value, ms_floor *floor);
/* kernel_seconds: that each kernel costs in any case. */
double ms_floor_seconds(const ms_cutting *cutting, const ms_floor *floor, double kernel_seconds);

#endif
