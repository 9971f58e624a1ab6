#include "objects.h"

#include <inttypes.h>

msw_result msw_buffer_create(msw_context *context, uint64_t size_bytes, msw_buffer **buffer, msw_diag *diag)
{
    msw_buffer *b;
    msw_result result;
    if (!buffer) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "device", "msw_buffer_create: buffer is NULL");
    *buffer = NULL;
    if (!context) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "device", "msw_buffer_create: context is NULL");
    if (size_bytes > context->info.max_allocation_bytes)
        return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "device",
                       "msw_buffer_create: %" PRIu64 " bytes asked for, but %s (%.100s) allocates at most %" PRIu64 " bytes at once; split the data",
                       size_bytes, context->info.id, context->info.name, context->info.max_allocation_bytes);
    b = ms_alloc(&context->allocator, sizeof *b);
    if (!b) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "device", "msw_buffer_create: out of host memory");
    b->context = context;
    b->size_bytes = size_bytes;
    result = context->backend->memory_create(context->device, size_bytes, &b->memory, &b->address, diag);
    if (result != MSW_OK) {
        ms_free(&context->allocator, b, sizeof *b);
        return result;
    }
    *buffer = b;
    return ms_ok(diag);
}

void msw_buffer_destroy(msw_buffer *buffer)
{
    if (!buffer) return;
    buffer->context->backend->memory_destroy(buffer->context->device, buffer->memory);
    ms_free(&buffer->context->allocator, buffer, sizeof *buffer);
}

uint64_t msw_buffer_address(const msw_buffer *buffer) { return buffer ? buffer->address : 0; }

static msw_result check_range(const char *call, const msw_buffer *buffer, uint64_t offset_bytes, const void *data, uint64_t size_bytes,
                              msw_diag *diag)
{
    if (!buffer || (size_bytes && !data)) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "device", "%s: buffer or data is NULL", call);
    if (offset_bytes > buffer->size_bytes || size_bytes > buffer->size_bytes - offset_bytes)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "device", "%s: %" PRIu64 " bytes at offset %" PRIu64 " leave the buffer's %" PRIu64 " bytes",
                       call, size_bytes, offset_bytes, buffer->size_bytes);
    return ms_ok(diag);
}

msw_result msw_buffer_write(msw_buffer *buffer, uint64_t offset_bytes, const void *data, uint64_t size_bytes, msw_diag *diag)
{
    const msw_result result = check_range("msw_buffer_write", buffer, offset_bytes, data, size_bytes, diag);
    if (result != MSW_OK || size_bytes == 0) return result;
    return buffer->context->backend->memory_write(buffer->context->device, buffer->memory, offset_bytes, data, size_bytes, diag);
}

msw_result msw_buffer_read(msw_buffer *buffer, uint64_t offset_bytes, void *data, uint64_t size_bytes, msw_diag *diag)
{
    const msw_result result = check_range("msw_buffer_read", buffer, offset_bytes, data, size_bytes, diag);
    if (result != MSW_OK || size_bytes == 0) return result;
    return buffer->context->backend->memory_read(buffer->context->device, buffer->memory, offset_bytes, data, size_bytes, diag);
}

msw_result msw_buffer_copy(msw_buffer *to, const msw_buffer *from, uint64_t size_bytes, double *seconds, msw_diag *diag)
{
    double unused = 0;
    msw_result result = check_range("msw_buffer_copy", to, 0, to, size_bytes, diag);
    if (result == MSW_OK) result = check_range("msw_buffer_copy", from, 0, from, size_bytes, diag);
    if (result != MSW_OK) return result;
    if (to == from || to->context != from->context)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "device", "msw_buffer_copy: two buffers of one context are needed");
    if (!seconds) seconds = &unused;
    *seconds = 0;
    return size_bytes ? to->context->backend->memory_copy(to->context->device, to->memory, from->memory, size_bytes, seconds, diag) : MSW_OK;
}
