/* Scratch that a context owns: reserved for one kernel on one stream, initialised once. Enqueues only look for it. */
#include "objects.h"

static ms_reserved *find(msw_kernel *kernel, const void *stream)
{
    ms_reserved *r = atomic_load_explicit(&kernel->reserved, memory_order_acquire);
    while (r && r->stream != stream) r = r->next;
    return r;
}

static void destroy(msw_kernel *kernel, ms_reserved *r)
{
    msw_buffer_destroy(r->buffer);
    ms_free(&kernel->context->allocator, r, sizeof *r);
}

msw_result ms_scratch_create(msw_kernel *kernel, uint64_t bytes, msw_buffer **scratch, msw_diag *diag)
{
    const msw_context *context = kernel->context;
    msw_result result = msw_buffer_create(kernel->context, bytes, scratch, diag);
    if (result == MSW_OK) result = ms_scratch_init_check("scratch", &kernel->plan, (*scratch)->address, bytes, diag);
    if (result != MSW_OK || !context->backend->scratch_init) return result;
    return context->backend->scratch_init(context->device, kernel->module, &kernel->plan, (*scratch)->address, bytes, diag);
}

msw_result ms_scratch_reserve(msw_kernel *kernel, const void *stream, uint64_t bytes, msw_diag *diag)
{
    ms_reserved *r;
    msw_result result;
    const ms_reserved *there = find(kernel, stream);
    if ((there ? there->buffer->size_bytes : 0) >= bytes) return ms_ok(diag);
    r = ms_alloc(&kernel->context->allocator, sizeof *r);
    if (!r) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "device", "out of host memory for the note of a reserved scratch");
    if ((result = ms_scratch_create(kernel, bytes, &r->buffer, diag)) != MSW_OK) {
        destroy(kernel, r);
        return result;
    }
    r->stream = stream;
    r->next = atomic_load_explicit(&kernel->reserved, memory_order_relaxed);
    atomic_store_explicit(&kernel->reserved, r, memory_order_release); /* enqueues of other threads may be looking */
    return ms_ok(diag);
}

void ms_scratch_give(const msw_buffer *scratch, msw_enqueue_desc *desc)
{
    desc->scratch = scratch->address;
    desc->scratch_bytes = scratch->size_bytes;
    desc->flags &= ~(uint32_t)MSW_SCRATCH_DIRTY; /* it was initialised when it was made */
}

void ms_scratch_take(msw_kernel *kernel, const void *stream, msw_enqueue_desc *desc)
{
    const ms_reserved *r = desc->scratch ? NULL : find(kernel, stream);
    if (r) ms_scratch_give(r->buffer, desc);
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

void ms_scratch_release(msw_kernel *kernel, const void *stream) { release(kernel, stream, 0); }

void ms_scratch_release_all(msw_kernel *kernel) { release(kernel, NULL, 1); }
