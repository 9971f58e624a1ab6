#include "cuts.h"
#include "geometry.h"

/* Not knobs: what bench/NOTES.md has of an H200, and of lavapipe on 2 cores. */
ms_cut_device ms_cuts_device(const msw_target *target)
{
    ms_cut_device device = ms_cut_large_gpu();
    if (!ms_is_cpu_driver(target)) return device;
    device.bandwidth = 1.5e10;
    device.block_bandwidth = 0;
    device.issue_rate = 4e9;
    device.launch_seconds = 3e-5;
    device.multiprocessors = 2;
    device.max_resident_blocks = 1;
    device.registers = 0;
    return device;
}

const ms_cut_graph *ms_cuts_graph(ms_arena *arena, const ms_operation *op, const msw_target *target, double n)
{
    return ms_written_graph(arena, op->pipeline->written, n, ms_is_cpu_driver(target));
}
