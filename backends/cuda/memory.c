/* CUDA memory: one allocation of the driver each. */
#include "device.h"

msw_result ms_cu_memory_create(ms_device *device, uint64_t size_bytes, ms_memory **memory, uint64_t *address, msw_diag *diag)
{
    /* Never none, and whole 16 bytes: kernels may read the last ones together. The driver aligns to 256 bytes at least. */
    const uint64_t rounded = size_bytes <= 16 ? 16 : (size_bytes + 15) & ~(uint64_t)15;
    ms_memory *m = ms_alloc(&device->allocator, sizeof *m);
    msw_result result;
    if (!m) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "device", "cuda: out of host memory");
    result = ms_cu_enter(device, diag);
    if (result == MSW_OK) {
        const ms_cu_result allocated = device->cu.MemAlloc(&m->address, (size_t)rounded);
        result = ms_cu_leave(device, allocated == MS_CU_SUCCESS ? MSW_OK : ms_cu_fail(&device->cu, diag, allocated, "cuMemAlloc"), diag);
    }
    if (result != MSW_OK) {
        ms_cu_memory_destroy(device, m);
        return result;
    }
    *memory = m;
    *address = m->address;
    return MSW_OK;
}

void ms_cu_memory_destroy(ms_device *device, ms_memory *memory)
{
    if (memory->address && ms_cu_enter(device, NULL) == MSW_OK) {
        device->cu.MemFree(memory->address);
        ms_cu_leave(device, MSW_OK, NULL);
    }
    ms_free(&device->allocator, memory, sizeof *memory);
}

/* Waits for a copy on the device's own stream and leaves the context. */
static msw_result finish(const ms_device *device, ms_cu_result copied, const char *call, msw_diag *diag)
{
    const msw_result result = copied == MS_CU_SUCCESS ? ms_cu_wait(device, diag) : ms_cu_fail(&device->cu, diag, copied, call);
    return ms_cu_leave(device, result, diag);
}

msw_result ms_cu_memory_write(ms_device *device, ms_memory *memory, uint64_t offset_bytes, const void *data, uint64_t size_bytes, msw_diag *diag)
{
    const msw_result result = ms_cu_enter(device, diag);
    if (result != MSW_OK) return result;
    return finish(device, device->cu.MemcpyHtoDAsync(memory->address + offset_bytes, data, (size_t)size_bytes, device->stream), "cuMemcpyHtoDAsync",
                  diag);
}

msw_result ms_cu_memory_read(ms_device *device, ms_memory *memory, uint64_t offset_bytes, void *data, uint64_t size_bytes, msw_diag *diag)
{
    const msw_result result = ms_cu_enter(device, diag);
    if (result != MSW_OK) return result;
    return finish(device, device->cu.MemcpyDtoHAsync(data, memory->address + offset_bytes, (size_t)size_bytes, device->stream), "cuMemcpyDtoHAsync",
                  diag);
}
