/* Devices as constants: a large GPU, and where the constants of tuning rows are. */
#include "cut.h"

ms_cut_device ms_cut_large_gpu(void)
{
    return (ms_cut_device){.bandwidth = 4.1e12,
                           .block_bandwidth = 8e9,
                           .issue_rate = 2.9e13,
                           .launch_seconds = 4e-6,
                           .tile_seconds = 0.8e-6,
                           .look_back_seconds = 0.5e-6,
                           .next_look_back_seconds = 18e-6,
                           .item_instructions = {[MS_CUT_MAP] = 4,
                                                 [MS_CUT_SCAN] = 4,
                                                 [MS_CUT_REDUCE] = 4,
                                                 [MS_CUT_COMPACT] = 4,
                                                 [MS_CUT_HISTOGRAM] = 4,
                                                 [MS_CUT_SORT] = 148,
                                                 [MS_CUT_ROWS] = 4},
                           .multiprocessors = 132,
                           .max_resident_blocks = 8,
                           .registers = 65536,
                           .shared_bytes = 228 << 10,
                           .base_registers = 32,
                           .max_registers = 255,
                           .max_block_shared_bytes = 227 << 10,
                           .block_threads = 256,
                           .items = {1, 2, 4, 8, 16, 24},
                           .max_depth = 2};
}

#define PLACE(id, field) [id] = offsetof(ms_cut_device, field)
#define OF_KIND(id, kind) [id] = offsetof(ms_cut_device, item_instructions) + (kind) * sizeof(double)
static const size_t places[MS_CONSTANT_COUNT] = {
    PLACE(MS_BANDWIDTH, bandwidth),
    PLACE(MS_BLOCK_BANDWIDTH, block_bandwidth),
    PLACE(MS_ISSUE_RATE, issue_rate),
    PLACE(MS_LAUNCH_SECONDS, launch_seconds),
    PLACE(MS_TILE_SECONDS, tile_seconds),
    PLACE(MS_LOOK_BACK_SECONDS, look_back_seconds),
    PLACE(MS_NEXT_LOOK_BACK_SECONDS, next_look_back_seconds),
    OF_KIND(MS_MAP_INSTRUCTIONS, MS_CUT_MAP),
    OF_KIND(MS_SCAN_INSTRUCTIONS, MS_CUT_SCAN),
    OF_KIND(MS_REDUCE_INSTRUCTIONS, MS_CUT_REDUCE),
    OF_KIND(MS_COMPACT_INSTRUCTIONS, MS_CUT_COMPACT),
    OF_KIND(MS_PASS_INSTRUCTIONS, MS_CUT_SORT),
    PLACE(MS_IS_SERIAL, is_serial),
    PLACE(MS_MULTIPROCESSORS, multiprocessors),
    PLACE(MS_MAX_RESIDENT_BLOCKS, max_resident_blocks),
    PLACE(MS_REGISTERS, registers),
    PLACE(MS_SHARED_BYTES, shared_bytes),
};

void ms_cut_set_constant(ms_cut_device *device, ms_constant_id constant, double value)
{
    char *place = (char *)device + places[constant];
    if (ms_device_constants[constant].is_whole) *(uint32_t *)(void *)place = (uint32_t)value;
    else *(double *)(void *)place = value;
}
