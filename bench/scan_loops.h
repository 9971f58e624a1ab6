/* scan_loops.h - scans and reductions as one plain C loop each: a peer that every machine has, and what results are compared with. */
#ifndef BENCH_SCAN_LOOPS_H
#define BENCH_SCAN_LOOPS_H

#include "cases.h"

#include <stdint.h>

/* n elements in; n out, or a reduction's one. */
void bench_loop(scan_case which, uint64_t n, const void *in, void *out);

/* The bits of a half that holds this whole number, below 2048. */
uint16_t bench_half(int32_t whole);

#endif
