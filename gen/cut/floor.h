/* floor.h - what any cut must still cost: the bound that a search prunes by. */
#ifndef MS_CUT_FLOOR_H
#define MS_CUT_FLOOR_H

#include "kernel.h"

/* Of each operation. */
typedef struct ms_need {
    ms_set upstream; /* the operations that it depends on, itself included */
    ms_set reads;    /* values that are in memory whatever the cut is: arrays, and what no kernel computes for it */
    uint32_t level;  /* kernels at least, up to its own */
    double instructions, own_bytes;
} ms_need;

/* What kernels must do that store some values, however they are cut. */
typedef struct ms_floor {
    ms_set open;          /* the operations that they depend on */
    ms_set reads, writes; /* values, each once at least */
    uint32_t level;
    double bytes, instructions;
} ms_floor;

/* NULL: out of memory. */
const ms_need *ms_needs(const ms_cutting *cutting);
/* The value is one more that must be stored. */
void ms_floor_raise(const ms_cutting *cutting, const ms_need *needs, uint32_t value, ms_floor *floor);
/* kernel_seconds: that each kernel costs in any case. */
double ms_floor_seconds(const ms_cutting *cutting, const ms_floor *floor, double kernel_seconds);

#endif
