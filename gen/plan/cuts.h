/* cuts.h - what the model of cuts (cut/cut.h) predicts of a pipeline on a device. */
#ifndef MS_CUTS_H
#define MS_CUTS_H

#include "spec/written.h"

/* The graph, of n elements, in the arena. NULL: out of memory. */
const ms_cut_graph *ms_cuts_graph(ms_arena *arena, const ms_operation *op, const msw_target *target, double n);
ms_cut_device ms_cuts_device(const msw_target *target);

#endif
