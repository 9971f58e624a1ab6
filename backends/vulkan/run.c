/* Running a plan: on the device's own queue, or recorded into the caller's command buffer. */
#include "device.h"

#include "../../runtime/objects.h"

#include <time.h>

static msw_vulkan_recording recording_of(const ms_device *device, const ms_module *module, VkCommandBuffer commands)
{
    return (msw_vulkan_recording){&device->vk.calls, device->layout, module->pipelines, commands};
}

/* Recording cannot fail. */
static void record(msw_vulkan_recording *r, const msw_plan *plan, const msw_enqueue_desc *desc)
{
    const msw_launch_ops ops = msw_vulkan_launch_ops(r);
    msw_launch_enqueue(plan, desc, &ops);
}

static double wall_seconds(void)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Seconds between the two timestamps of the submission that has finished. */
static msw_result read_timestamps(ms_device *device, double *seconds, msw_diag *diag)
{
    const uint64_t valid = UINT64_MAX >> (64 - device->adapter.timestamp_bits);
    uint64_t ticks[2] = {0, 0};
    const VkResult result = device->vk.GetQueryPoolResults(device->handle, device->timestamps, 0, 2, sizeof ticks, ticks, sizeof ticks[0],
                                                           VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    if (result != VK_SUCCESS) return ms_vk_fail(diag, result, "vkGetQueryPoolResults");
    *seconds = (double)((ticks[1] - ticks[0]) & valid) * device->adapter.timestamp_seconds;
    return MSW_OK;
}

/* What is recorded between the two is timed: by the device where it can, else from the host, where seconds holds the start. */
static msw_result begin_timed(ms_device *device, double *seconds, msw_diag *diag)
{
    *seconds = wall_seconds();
    const msw_result result = ms_vk_begin(device, diag);
    if (result != MSW_OK || !device->timestamps) return result;
    device->vk.CmdResetQueryPool(device->commands, device->timestamps, 0, 2);
    device->vk.CmdWriteTimestamp(device->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, device->timestamps, 0);
    return MSW_OK;
}

static msw_result finish_timed(ms_device *device, double *seconds, msw_diag *diag)
{
    if (device->timestamps) device->vk.CmdWriteTimestamp(device->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, device->timestamps, 1);
    const msw_result result = ms_vk_finish(device, diag);
    if (result != MSW_OK) return result;
    *seconds = wall_seconds() - *seconds;
    return device->timestamps ? read_timestamps(device, seconds, diag) : MSW_OK;
}

msw_result ms_vk_run(ms_device *device, ms_module *module, const msw_plan *plan, const msw_enqueue_desc *desc, double *seconds, msw_diag *diag)
{
    msw_vulkan_recording r = recording_of(device, module, device->commands);
    const msw_result result = begin_timed(device, seconds, diag);
    if (result != MSW_OK) return result;
    record(&r, plan, desc);
    return finish_timed(device, seconds, diag);
}

msw_result ms_vk_memory_copy(ms_device *device, ms_memory *to, ms_memory *from, uint64_t size_bytes, double *seconds, msw_diag *diag)
{
    const VkBufferCopy region = {0, 0, size_bytes};
    msw_result result = begin_timed(device, seconds, diag);
    if (result != MSW_OK) return result;
    device->vk.CmdCopyBuffer(device->commands, from->buffer, to->buffer, 1, &region);
    result = finish_timed(device, seconds, diag);
    return result == MSW_OK ? ms_ok(diag) : result;
}

msw_result ms_vk_scratch_init(ms_device *device, ms_module *module, const msw_plan *plan, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag)
{
    msw_vulkan_recording r = recording_of(device, module, device->commands);
    const msw_launch_ops ops = msw_vulkan_launch_ops(&r);
    const msw_result result = ms_vk_begin(device, diag);
    if (result != MSW_OK) return result;
    msw_launch_init(plan, scratch, scratch_bytes, &ops);
    return ms_vk_finish(device, diag);
}

static msw_result check_call(const char *call, const msw_kernel *kernel, VkCommandBuffer commands, msw_diag *diag)
{
    if (!commands) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "%s: commands is NULL", call);
    return ms_kernel_check(call, kernel, &ms_backend_vulkan, diag);
}

msw_result msw_vulkan_enqueue(msw_kernel *kernel, VkCommandBuffer commands, const msw_enqueue_desc *given, msw_diag *diag)
{
    msw_enqueue_desc desc;
    msw_result result = check_call("msw_vulkan_enqueue", kernel, commands, diag);
    if (result == MSW_OK) result = ms_enqueue_read(given, &desc, diag);
    if (result != MSW_OK) return result;
    ms_scratch_take(kernel, commands, &desc);
    result = ms_enqueue_check(&kernel->plan, &desc, 0, diag);
    if (result == MSW_OK) result = ms_ready_check(kernel, &desc, 0, diag);
    if (result != MSW_OK) return result;
    msw_vulkan_recording r = recording_of(kernel->context->device, kernel->module, commands);
    record(&r, &kernel->plan, &desc);
    return ms_ok(diag);
}

msw_result msw_vulkan_scratch_init(msw_kernel *kernel, VkCommandBuffer commands, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag)
{
    msw_result result = check_call("msw_vulkan_scratch_init", kernel, commands, diag);
    if (result == MSW_OK) result = ms_scratch_init_check("msw_vulkan_scratch_init", &kernel->plan, scratch, scratch_bytes, diag);
    if (result != MSW_OK) return result;
    msw_vulkan_recording r = recording_of(kernel->context->device, kernel->module, commands);
    const msw_launch_ops ops = msw_vulkan_launch_ops(&r);
    msw_launch_init(&kernel->plan, scratch, scratch_bytes, &ops);
    return ms_ok(diag);
}

msw_result msw_vulkan_scratch_reserve(msw_kernel *kernel, VkCommandBuffer commands, uint64_t scratch_bytes, msw_diag *diag)
{
    const msw_result result = check_call("msw_vulkan_scratch_reserve", kernel, commands, diag);
    return result == MSW_OK ? ms_scratch_reserve(kernel, commands, scratch_bytes, diag) : result;
}

void msw_vulkan_scratch_release(msw_kernel *kernel, VkCommandBuffer commands)
{
    if (kernel) ms_scratch_release(kernel, commands);
}
