/* Scratch that a context owns: reserved for one kernel on one stream, initialised once. Enqueues only look for it. */
#include "objects.h"

static ms_reserved *find(msw_kernel *kernel, const void *stream)
{
    ms_reserved *r = atomic_load_explicit(&kernel->reserved, memory_order_acquire);
    while (r && r->stream != stream) r = r->next;
    return r;
}

int ms_scratch_has(msw_kernel *kernel, const void *stream, uint64_t bytes)
{
    const ms_reserved *r = find(kernel, stream);
    return (r ? r->buffer->size_bytes : 0) >= bytes;
}

static void destroy(msw_kernel *kernel, ms_reserved *r)
{
    msw_buffer_destroy(r->buffer);
    ms_free(&kernel->context->allocator, r, sizeof *r);
}

static msw_result fill(msw_kernel *kernel, ms_reserved *r, uint64_t bytes, msw_diag *diag)
{
    const msw_context *context = kernel->context;
    msw_result result = msw_buffer_create(kernel->context, bytes, &r->buffer, diag);
    if (result == MSW_OK) result = ms_scratch_init_check("scratch", &kernel->plan, r->buffer->address, bytes, diag);
    if (result != MSW_OK || !context->backend->scratch_init) return result;
    return context->backend->scratch_init(context->device, kernel->module, &kernel->plan, r->buffer->address, bytes, diag);
}

msw_result ms_scratch_reserve(msw_kernel *kernel, const void *stream, uint64_t bytes, msw_diag *diag)
{
    ms_reserved *r;
    msw_result result;
    if (ms_scratch_has(kernel, stream, bytes)) return ms_ok(diag);
    r = ms_alloc(&kernel->context->allocator, sizeof *r);
    if (!r) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "device", "out of host memory for the note of a reserved scratch");
    if ((result = fill(kernel, r, bytes, diag)) != MSW_OK) {
        destroy(kernel, r);
        return result;
    }
    r->stream = stream;
    r->next = atomic_load_explicit(&kernel->reserved, memory_order_relaxed);
    atomic_store_explicit(&kernel->reserved, r, memory_order_release); /* enqueues of other threads may be looking */
    return ms_ok(diag);
}

const msw_enqueue_desc *ms_scratch_take(msw_kernel *kernel, const void *stream, const msw_enqueue_desc *desc, msw_enqueue_desc *room)
{
    const ms_reserved *r;
    if (!desc || desc->struct_size != sizeof *desc || desc->scratch || !(r = find(kernel, stream))) return desc;
    *room = *desc;
    room->scratch = r->buffer->address;
    room->scratch_bytes = r->buffer->size_bytes;
    room->flags &= ~(uint32_t)MSW_SCRATCH_DIRTY; /* would leave it ready for this n alone */
    return room;
}

static void release(msw_kernel *kernel, const void *stream, int is_every_stream)
{
    ms_reserved *kept = NULL, **end = &kept, *next;
    for (ms_reserved *r = atomic_load(&kernel->reserved); r; r = next) {
        next = r->next;
        if (is_every_stream || r->stream == stream) destroy(kernel, r);
        else *end = r, end = &r->next;
    }
    *end = NULL;
    atomic_store(&kernel->reserved, kept);
}

void ms_scratch_release(msw_kernel *kernel, const void *stream)
{
    release(kernel, stream, 0);
}

void ms_scratch_release_all(msw_kernel *kernel)
{
    release(kernel, NULL, 1);
}
