/* cuts.h - a pipeline as a graph for the search of cuts (cut/cut.h), and a device as its constants. */
#ifndef MS_CUTS_H
#define MS_CUTS_H

#include "cut/cut.h"
#include "spec/spec.h"

/* The graph, of n elements, in the arena; of what is counted half is expected. NULL: out of memory. */
const ms_cut_graph *ms_cuts_graph(ms_arena *arena, const ms_operation *op, const msw_target *target, double n);
ms_cut_device ms_cuts_device(const msw_target *target);

#endif
