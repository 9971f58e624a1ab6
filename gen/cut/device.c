/* Devices as constants: a large GPU, and where the constants of tuning rows are. */
#include "cut.h"

ms_cut_device ms_cut_large_gpu(void)
{
    return (ms_cut_device){
        .bandwidth = 4.1e12,
        .block_bandwidth = 8e9,
        .issue_rate = 2.9e13,
        .launch_seconds = 4e-6,
        .tile_seconds = 0.8e-6,
        .look_back_seconds = 0.5e-6,
        .next_look_back_seconds = 18e-6,
        .item_instructions = {[MS_CUT_MAP] = 4, [MS_CUT_SCAN] = 4, [MS_CUT_REDUCE] = 4, [MS_CUT_OTHER] = 4, [MS_CUT_SORT] = 148, [MS_CUT_ROWS] = 4},
        .multiprocessors = 132,
        .max_resident_blocks = 8,
        .registers = 65536,
        .base_registers = 32,
        .max_registers = 255,
        .block_threads = 256,
        .items = {1, 2, 4, 8, 16, 24},
        .max_depth = 2};
}

#define CHECK(name, field, is_whole, least, most) \
    _Static_assert(sizeof(((ms_cut_device *)0)->field) == (is_whole ? sizeof(uint32_t) : sizeof(double)), #name);
MS_DEVICE_CONSTANTS(CHECK)

#define PLACE(name, field, is_whole, least, most) offsetof(ms_cut_device, field),
static const size_t places[MS_CONSTANT_COUNT] = {MS_DEVICE_CONSTANTS(PLACE)};

void ms_cut_set_constant(ms_cut_device *device, uint32_t constant, double value)
{
    char *place = (char *)device + places[constant];
    if (ms_device_constants[constant].is_whole) *(uint32_t *)(void *)place = (uint32_t)value;
    else *(double *)(void *)place = value;
}
