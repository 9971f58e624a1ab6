#include "device_text.h"

#include <stdio.h>

const char *ms_progress_name(uint32_t progress)
{
    static const char *const names[] = {"unknown", "parallel", "occupancy", "none"};
    return progress < sizeof names / sizeof names[0] ? names[progress] : "?";
}

const char *ms_missing_compiler(const msw_device_info *device, msw_diag *diag)
{
    return device->is_usable && msw_compiler_check(device->backend, diag) ? diag->message : "";
}

void ms_print_device(const msw_device_info *device, int is_long)
{
    const msw_target *target = &device->target;
    msw_diag diag;
    const char *compiler = ms_missing_compiler(device, &diag);
    printf("%-10s %s", device->id, device->name);
    if (device->driver[0]) printf(" (%s)", device->driver);
    if (device->is_usable) printf("\n");
    else printf(device->name[0] ? ": not usable: %s\n" : "no device: %s\n", device->why);
    if (compiler[0]) printf("           compiles nothing: %s\n", compiler);
    if (!is_long || !device->is_usable) return;
    printf("           %s, %.1f GiB, %.1f GiB an allocation\n", device->target.is_cpu ? "CPU" : "GPU", (double)device->memory_bytes / 0x1p30,
           (double)device->max_allocation_bytes / 0x1p30);
    if (device->backend == MSW_BACKEND_HOST) return;
    printf("           subgroup %u, blocks of at most %u threads, %u bytes shared, at most %u blocks, progress %s\n           features",
           target->subgroup_size, target->max_block_threads, target->shared_bytes, target->max_blocks, ms_progress_name(target->progress));
    for (uint32_t f = 0; msw_feature_name(f); f++)
        if (target->features >> f & 1u) printf(" %s", msw_feature_name(f));
    printf("\n");
}
