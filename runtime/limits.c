/* What n a plan serves on a device, and what a launch of n is: answered from the plan and the device's description alone. */
#include "launch.h"
#include "objects.h"

#include <inttypes.h>
#include <stdio.h>

/* " on vulkan:0 (name)"; "" without a device. */
static const char *place(const msw_device_info *device, char text[160])
{
    text[0] = '\0';
    if (device) snprintf(text, 160, " on %.31s (%.100s)", device->id, device->name);
    return text;
}

msw_result ms_check_n(const msw_plan *plan, const msw_device_info *device, uint64_t n, msw_diag *diag)
{
    const uint64_t n_max = plan->variants[plan->variant_count - 1].n_max;
    char where[160];
    if (n <= n_max) return MSW_OK;
    return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch",
                   "'%.64s': n = %" PRIu64 ", but this plan serves up to %" PRIu64
                   "%s; split the input, take larger tiles (knobs items and block), or another "
                   "device",
                   plan->name, n, n_max, place(device, where));
}

/* Drivers on a CPU name a heap, but hand out what the machine has. */
static int is_total_known(const msw_device_info *device)
{
    return device->memory_bytes && !(device->is_cpu && device->backend == MSW_BACKEND_VULKAN);
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
        const uint64_t length = buffer->length == MSW_LENGTH_ONE ? 1 : n;
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

msw_result msw_plan_serves(const msw_plan *plan, const msw_device_info *device, uint64_t n, msw_diag *diag)
{
    if (!ms_plan_is_whole(plan))
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "msw_plan_serves: %s",
                       plan ? "the plan is broken, or of another format" : "plan is NULL");
    msw_result result = ms_check_n(plan, device, n, diag);
    if (result == MSW_OK && device) result = ms_check_memory(plan, device, n, UINT32_MAX, diag);
    return result == MSW_OK ? ms_ok(diag) : result;
}

/* ---- launches ---- */

static int launch_mode(uint32_t flags)
{
    if (flags & MSW_PING_PONG) return MSW_LAUNCH_PING_PONG;
    return flags & MSW_IN_PLACE ? MSW_LAUNCH_IN_PLACE : MSW_LAUNCH_APART;
}

/* Dispatches of a variant's steps; those joined to a step are repeated with it. */
static uint32_t count_launches(const msw_plan_step *steps, uint32_t count)
{
    uint32_t launches = 0;
    for (uint32_t s = 0; s < count; s += 1 + steps[s].joined) launches += (1 + steps[s].joined) * (1 + steps[s].repeats);
    return launches;
}

/* Whether an enqueue can give any output an input's address. */
static int has_in_place(const msw_plan *plan)
{
    for (uint32_t a = 0; a < plan->buffer_count; a++)
        for (uint32_t b = 0; b < a; b++)
            if (msw_launch_buffers_match(&plan->buffers[a], &plan->buffers[b])) return 1;
    return 0;
}

msw_result msw_plan_launch(const msw_plan *plan, uint64_t n, uint32_t flags, msw_launch_info *info, msw_diag *diag)
{
    if (!info || !ms_plan_is_whole(plan))
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "msw_plan_launch: %s",
                       !info  ? "info is NULL"
                       : plan ? "the plan is broken, or of another format"
                              : "plan is NULL");
    msw_result result = ms_check_struct_size("msw_launch_info", info->struct_size, sizeof *info, diag);
    if (result == MSW_OK) result = ms_check_flags(plan, n, flags, diag);
    if (result != MSW_OK) return result;
    if ((flags & MSW_IN_PLACE) && !has_in_place(plan))
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch", "'%.64s' does not run in place: no output has an input of its element size; keep them apart",
                       plan->name);
    const msw_plan_variant *variant = msw_launch_variant(plan, n, launch_mode(flags));
    if (!variant)
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch", "'%.64s': this plan does not run n = %" PRIu64 " %s; leave the strategy to the planner",
                       plan->name, n,
                       flags & MSW_PING_PONG  ? "with inputs and outputs in turns"
                       : flags & MSW_IN_PLACE ? "in place"
                                              : "with outputs apart from inputs");
    const msw_plan_step *steps = &plan->steps[variant->first_step];
    *info = (msw_launch_info){.struct_size = sizeof *info,
                              .variant = (uint32_t)(variant - plan->variants),
                              .launch_count = count_launches(steps, variant->step_count),
                              .scratch_bytes = msw_launch_scratch(plan, n, (flags & MSW_PING_PONG) != 0)};
    for (uint32_t s = 0; s < variant->step_count; s++) {
        info->tiles[s] = n / steps[s].tile_items + (n % steps[s].tile_items != 0);
        info->blocks[s] = msw_launch_blocks(&steps[s], n);
    }
    for (uint32_t b = 0; b < plan->buffer_count; b++) {
        const msw_plan_buffer *buffer = &plan->buffers[b];
        *(buffer->is_output ? &info->bytes_written : &info->bytes_read) += (buffer->length == MSW_LENGTH_ONE ? 1 : n) * buffer->element_bytes;
    }
    return ms_ok(diag);
}
