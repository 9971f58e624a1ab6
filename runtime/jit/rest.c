#include "rest.h"

#include <string.h>

typedef struct rest {
    msw_context *context;
    ms_compilations *compilations;
    uint64_t kernels; /* as bits: those that are to come */
    uint64_t stored;  /* of these the ones whose codes the cache has been given */
    ms_cache_key keys[MSW_MAX_KERNELS];
} rest;

static void store_code(rest *r, uint32_t k)
{
    const ms_compilation *c = ms_compilations_of(r->compilations, k);
    if (c->result == MSW_OK && !(r->stored >> k & 1)) ms_cache_store(&r->context->cache, &r->keys[k], c->code, c->code_bytes);
    r->stored |= UINT64_C(1) << k;
}

/* What was compiled and never asked for serves the next kernel of this plan. */
static void free_rest(void *owned)
{
    rest *r = owned;
    ms_compilations_stop(r->compilations);
    const uint64_t done = ms_compilations_done(r->compilations) & r->kernels;
    for (uint32_t k = 0; k < MSW_MAX_KERNELS; k++)
        if (done >> k & 1) store_code(r, k);
    ms_compilations_destroy(r->compilations);
    ms_free(&r->context->allocator, r, sizeof *r);
}

static uint64_t compiled_of_rest(void *owned)
{
    rest *r = owned;
    return ms_compilations_done(r->compilations);
}

/* Codes stay where they are: a load that failed may be tried again. */
static msw_result load_rest(void *owned, msw_kernel *kernel, uint64_t kernels, msw_diag *diag)
{
    rest *r = owned;
    msw_plan plan = kernel->plan;
    ms_compilations_finish(r->compilations, kernels);
    for (uint32_t k = 0; k < plan.kernel_count; k++) {
        const ms_compilation *c = ms_compilations_of(r->compilations, k);
        if (!(kernels >> k & 1)) continue;
        if (c->result != MSW_OK && diag) *diag = c->diag;
        if (c->result != MSW_OK) return c->result;
        store_code(r, k);
        plan.kernels[k].code = c->code;
        plan.kernels[k].code_bytes = c->code_bytes;
    }
    return ms_kernel_add(kernel, &plan, kernels, diag);
}

msw_result ms_rest_add(msw_kernel *kernel, ms_compilations *compilations, uint64_t kernels, const ms_cache_key keys[MSW_MAX_KERNELS], uint32_t when,
                       msw_diag *diag)
{
    rest *r = ms_alloc(&kernel->context->allocator, sizeof *r);
    if (!r) {
        ms_compilations_destroy(compilations);
        return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "launch", "msw_kernel_create: out of memory");
    }
    r->context = kernel->context;
    r->compilations = compilations;
    r->kernels = kernels;
    memcpy(r->keys, keys, sizeof r->keys);
    kernel->owned = r;
    kernel->owned_free = free_rest;
    kernel->owned_load = load_rest;
    kernel->owned_compiled = compiled_of_rest;
    if (when == MSW_REST_BESIDE) ms_compilations_start(compilations, kernels);
    return MSW_OK;
}
