/* What n a plan serves on a device: answered from the plan and the device's description alone. */
#include "launch.h"
#include "objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* " on vulkan:0 (name)"; "" without a device. */
static const char *place(const msw_device_info *device, char text[160])
{
    text[0] = '\0';
    if (device) snprintf(text, 160, " on %.31s (%.100s)", device->id, device->name);
    return text;
}

msw_result ms_check_n(const msw_plan *plan, const msw_device_info *device, uint64_t n, msw_diag *diag)
{
    const msw_plan_variant *last = &plan->variants[plan->variant_count - 1];
    const int is_one_block = last->strategy && !strcmp(last->strategy, "single_block");
    char where[160];
    if (n <= last->n_max) return MSW_OK;
    return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch",
                   "'%.64s': n = %" PRIu64 ", but this plan serves up to %" PRIu64
                   "%s; %s; on CUDA and lavapipe larger tiles (knobs items and block) serve more",
                   plan->name, n, last->n_max, place(device, where), is_one_block ? "leave the strategy to the planner" : "split the input");
}

/* Drivers on a CPU name a heap, but hand out what the machine has. */
static int is_total_known(const msw_device_info *device)
{
    return device->memory_bytes && !(device->target.is_cpu && device->backend == MSW_BACKEND_VULKAN);
}

static msw_result check_part(const msw_plan *plan, const msw_device_info *device, uint64_t n, const char *part, uint64_t bytes, msw_diag *diag)
{
    char where[160];
    if (bytes <= device->max_allocation_bytes) return MSW_OK;
    return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "device",
                   "'%.64s': n = %" PRIu64 " takes %" PRIu64 " bytes for %.64s, but one allocation%s has at most %" PRIu64
                   "; split the input, or take "
                   "another device",
                   plan->name, n, bytes, part, place(device, where), device->max_allocation_bytes);
}

msw_result ms_check_memory(const msw_plan *plan, const msw_device_info *device, uint64_t n, uint32_t buffers, msw_diag *diag)
{
    const uint64_t scratch_bytes = msw_launch_scratch(plan, n, 0);
    uint64_t total_bytes = scratch_bytes;
    msw_result result = check_part(plan, device, n, "the scratch", scratch_bytes, diag);
    char where[160], quoted[72];
    for (uint32_t b = 0; b < plan->buffer_count && result == MSW_OK; b++) {
        const msw_plan_buffer *buffer = &plan->buffers[b];
        const uint64_t length = msw_elements(buffer->length, n);
        const uint64_t bytes = length > UINT64_MAX / buffer->element_bytes ? UINT64_MAX : length * buffer->element_bytes;
        if (!(buffers >> b & 1u)) continue;
        snprintf(quoted, sizeof quoted, "'%.64s'", buffer->name);
        result = check_part(plan, device, n, quoted, bytes, diag);
        total_bytes = bytes > UINT64_MAX - total_bytes ? UINT64_MAX : total_bytes + bytes;
    }
    if (result != MSW_OK || !is_total_known(device) || total_bytes <= device->memory_bytes) return result;
    return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "device",
                   "'%.64s': n = %" PRIu64 " takes %" PRIu64 " bytes with its scratch, but the memory%s has %" PRIu64
                   "; split the input, or take another "
                   "device",
                   plan->name, n, total_bytes, place(device, where), device->memory_bytes);
}

msw_result msw_plan_serves(const msw_plan *plan, const msw_device_info *given, uint64_t n, msw_diag *diag)
{
    msw_device_info device;
    if (!ms_plan_is_whole(plan))
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "msw_plan_serves: %s",
                       plan ? "the plan is broken, or of another format" : "plan is NULL");
    msw_result result = given ? MS_SIZED_READ(msw_device_info, given, &device, "launch", diag) : MSW_OK;
    if (result == MSW_OK) result = ms_check_n(plan, given ? &device : NULL, n, diag);
    if (result == MSW_OK && given) result = ms_check_memory(plan, &device, n, UINT32_MAX, diag);
    return result == MSW_OK ? ms_ok(diag) : result;
}
