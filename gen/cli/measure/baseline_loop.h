/* baseline_loop.h - an operation as a loop in plain C, compiled by the user's compiler: what bench compares devices with. */
#ifndef MS_BASELINE_LOOP_H
#define MS_BASELINE_LOOP_H

#include <monosweep/monosweep.h>

typedef struct ms_loop ms_loop;

/* The loop of operation `op` for at most n_max elements, by $CC, else cc. What that writes is in a folder of its own, under $TMPDIR, else /tmp,
 * which is
 * gone afterwards. NULL: `diag` says why there is none. */
ms_loop *ms_loop_create(msw_spec *spec, uint32_t op, uint64_t n_max, msw_diag *diag);
/* Seconds. buffers: the operation's, in its order. */
double ms_loop_run(const ms_loop *loop, uint64_t n, void *const *buffers);
void ms_loop_destroy(ms_loop *loop);

#endif
