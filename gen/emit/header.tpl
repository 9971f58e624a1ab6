/* $(header.name)_$(header.backend).h - $(names), for $(is_cuda and "CUDA" or "Vulkan").
$ if spdx then
 * SPDX-License-Identifier: $(comment(spdx))
$ end
 *
 * Made by monosweep $(header.version) (plan format $(header.format)) from $(comment(header.file))$(compiler and " with " .. compiler or ""). Do not edit it$(command and ", make it anew:" or ".")
$ if command then
 *     $(comment(command))
$ end
 *
 * It needs $(is_cuda and "<cuda.h> alone, or nvcc" or "<vulkan/vulkan_core.h> alone"); how it is used is said at "vendored.h" below, then for each operation.
 * $(#header.operations > 1 and "Each operation has these functions, here of " .. header.operations[1].name or "Its functions"):
 *
$ local first = header.operations[1]
 *     int $(first.prefix)_create($(first.prefix)_kernel *kernel$(is_cuda and "" or ", const msw_vulkan_app *app"));
 *     uint64_t $(first.prefix)_scratch_bytes(const $(first.prefix)_kernel *kernel, uint64_t n_bound);
 *     int $(first.prefix)_scratch_init(const $(first.prefix)_kernel *kernel, $(where_type) $(where), uint64_t scratch, uint64_t scratch_bytes);
 *     int $(first.prefix)_enqueue(const $(first.prefix)_kernel *kernel, $(where_type) $(where), const $(first.prefix)_arguments *arguments);
 *     void $(first.prefix)_destroy($(first.prefix)_kernel *kernel);
 *
 * The arguments are n, device addresses of the buffers ($(listed(first.arguments))), scratch and scratch_bytes. A new scratch
 * takes one scratch_init.
 *
 * Any file includes it for its declarations. One file of a program defines $(base)_IMPLEMENTATION before: it gets the definitions. A file that
 * defines $(base)_STATIC instead gets definitions of its own, which no other file sees. */
#ifndef $(base)_H
#define $(base)_H

/* What all vendored headers share. */
#if !defined(MSW_VENDORED)
#define MSW_VENDORED $(header.number)
#elif MSW_VENDORED != $(header.number)
#error "vendored headers of different versions of monosweep; make all of them by one"
#endif

$(fragments)
#if MSW_PLAN_FORMAT != $(header.format)u
#error "this header and <monosweep/monosweep_plan.h> are of different versions; make it anew"
#endif

#if defined($(base)_STATIC)
#define $(base)_IMPLEMENTATION
#define $(base)_API static inline
#else
#define $(base)_API
#endif

#ifdef __cplusplus
extern "C" {
#endif
$ for _, op in ipairs(header.operations) do
$ local name = op.prefix

/* ---- $(op.name): $(comment(op.title)) ----
$ if name ~= op.name then
 *
 * Its names begin with $(name)_, since msw_ is this header's own.
$ end
$ if op.doc ~= "" then
 *
 * $(comment(op.doc))
$ end
 *
 * Buffers (device addresses, offsets included)
$ for i in ipairs(op.buffers) do
 *   $(buffer_line(op, i))
$ end
$ if op.carry then
 *   carry_in, carry_out: 1 element of $(bytes(op.carry.size)), address a multiple of 16: $(layout(op.carry))
$ end
$ for _, plan in ipairs(op.plans) do
 *
 * Plan for subgroups of $(plan.subgroup)$(plan.subgroup == 1 and " (no subgroup operations: any)" or "")
$ if not is_cuda then
 *   Features: $(features(plan))
$ end
$ for _, v in ipairs(plan.variants) do
 *   n <= $(v.n_max): $(v.strategy)$(v.mode and ", " .. v.mode or ""); $(scratch(op, plan, v)), address a multiple of $(plan.scratch_alignment)
$ end
 *   Knobs: $(plan.kernels[1].knobs)
$ for _, k in ipairs(plan.kernels) do
 *   $(k.entry), templates/$(k.template).tpl: $(k.threads) threads, $(bytes(k.shared)) shared$(k.knobs ~= plan.kernels[1].knobs and "; " .. k.knobs or "")
$ end
$ end
 */

/* Loaded on a device. */
typedef struct $(name)_kernel {
    $(vendor)_kernel loaded;
} $(name)_kernel;

/* One enqueue, as msw_enqueue_desc says; what is 0 is not given. */
typedef struct $(name)_arguments {
    uint64_t n; /* elements; with n_address an upper bound */
    uint64_t n_address; /* of a u64 that holds n when the work runs */
$ for i, buffer in ipairs(op.buffers) do
    uint64_t $(op.arguments[i]); /* $(buffer.is_output and "written" or buffer.is_uniform and "of one value, read" or "read") */
$ end
$ if op.carry then
    uint64_t carry_in; /* comes before all elements */
    uint64_t carry_out; /* written: what all of them come to */
$ end
    uint64_t scratch;
    uint64_t scratch_bytes;
    uint32_t flags; /* MSW_SCRATCH_DIRTY, MSW_IN_PLACE$(has_ping_pong(op) and ", MSW_PING_PONG" or "") */
} $(name)_arguments;

/* 0, or an error and nothing to destroy. */
$(base)_API int $(name)_create($(name)_kernel *kernel$(is_cuda and "" or ", const msw_vulkan_app *app"));

/* When no enqueued work is left. */
$(base)_API void $(name)_destroy($(name)_kernel *kernel);

/* For any n <= n_bound. */
$(base)_API uint64_t $(name)_scratch_bytes(const $(name)_kernel *kernel, uint64_t n_bound);
$ if has_ping_pong(op) then

/* With MSW_PING_PONG, for any n <= n_bound; and whether the result is then where the inputs were, 1, or in the outputs, 0. */
$(base)_API uint64_t $(name)_scratch_bytes_ping_pong(const $(name)_kernel *kernel, uint64_t n_bound);
$(base)_API int $(name)_ends_in_inputs(const $(name)_kernel *kernel, uint64_t n_bound);
$ end

/* Enqueues what a scratch of scratch_bytes needs once, before its first enqueue. */
$(base)_API int $(name)_scratch_init(const $(name)_kernel *kernel, $(where_type) $(where), uint64_t scratch, uint64_t scratch_bytes);

$(base)_API int $(name)_enqueue(const $(name)_kernel *kernel, $(where_type) $(where), const $(name)_arguments *arguments);
$ end

#ifdef __cplusplus
}
#endif
#endif

#if defined($(base)_IMPLEMENTATION) && !defined($(base)_IMPLEMENTED)
#define $(base)_IMPLEMENTED
$ if is_cuda and #header.parts > 0 then

#if defined(__CUDACC__)
$ for p, part in ipairs(header.parts) do

// What $(part.users) have in common.
namespace $(header.name)_parts_$(p) {
namespace {
$(part.text)
} // namespace
} // namespace $(header.name)_parts_$(p)
$ end
#endif
$ end
$ for _, op in ipairs(header.operations) do
$ local name = op.prefix

/* ---- $(op.name) ---- */
$ if is_cuda then

#if defined(__CUDACC__)
$ for k, kernel in ipairs(op.plans[1].kernels) do

namespace $(name)_$(kernel.entry) {
namespace {
$(kernel.own.text)
} // namespace
} // namespace $(name)_$(kernel.entry)
$ if kernel.own.ends then
$(kernel.own.ends)
$ end

static const void *const $(name)_code_$(k - 1) = (const void *)$(name)_$(kernel.entry)::$(kernel.entry);
$ end
#else
$ end
$ if #op.codes == 0 then
#error "this header has kernels for nvcc only; make it with --embed ptx, or cubin, for the driver's interface"
$ end
$ for c, code in ipairs(op.codes) do

static const uint32_t $(name)_code_$(c - 1)[] = {
    $(code)
};
$ end
$ if is_cuda then
#endif
$ end

static const msw_plan $(name)_plans[$(#op.plans)] = {
$ for _, plan in ipairs(op.plans) do
    $(plan.text)
$ end
};

#ifdef __cplusplus
extern "C" {
#endif

$ if is_cuda then
$(base)_API int $(name)_create($(name)_kernel *kernel)
{
    return msw_cuda_load(&$(name)_plans[0], &kernel->loaded);
}
$ else
$(base)_API int $(name)_create($(name)_kernel *kernel, const msw_vulkan_app *app)
{
    return msw_vulkan_load($(name)_plans, $(#op.plans), app, &kernel->loaded);
}
$ end

$(base)_API void $(name)_destroy($(name)_kernel *kernel)
{
    $(vendor)_unload(&kernel->loaded);
}

$(base)_API uint64_t $(name)_scratch_bytes(const $(name)_kernel *kernel, uint64_t n_bound)
{
    return kernel->loaded.plan ? msw_launch_scratch(kernel->loaded.plan, n_bound, 0) : 0;
}
$ if has_ping_pong(op) then

$(base)_API uint64_t $(name)_scratch_bytes_ping_pong(const $(name)_kernel *kernel, uint64_t n_bound)
{
    return kernel->loaded.plan ? msw_launch_scratch(kernel->loaded.plan, n_bound, 1) : 0;
}

$(base)_API int $(name)_ends_in_inputs(const $(name)_kernel *kernel, uint64_t n_bound)
{
    const msw_plan *plan = kernel->loaded.plan;
    const msw_plan_variant *variant = plan ? msw_launch_variant(plan, n_bound, MSW_LAUNCH_PING_PONG, MSW_MAX_CLUSTER_BLOCKS) : NULL;
    return variant && variant->ends_in_inputs;
}
$ end

$(base)_API int $(name)_scratch_init(const $(name)_kernel *kernel, $(where_type) $(where), uint64_t scratch, uint64_t scratch_bytes)
{
    return $(initialise)(&kernel->loaded, $(where), scratch, scratch_bytes);
}

$(base)_API int $(name)_enqueue(const $(name)_kernel *kernel, $(where_type) $(where), const $(name)_arguments *arguments)
{
    msw_enqueue_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.flags = arguments->flags;
    desc.n = arguments->n;
    desc.n_address = arguments->n_address;
$ for i, buffer in ipairs(op.buffers) do
    desc.buffers[$(i - 1)] = arguments->$(op.arguments[i]);
$ end
$ if op.carry then
    desc.carry_in = arguments->carry_in;
    desc.carry_out = arguments->carry_out;
$ end
    desc.scratch = arguments->scratch;
    desc.scratch_bytes = arguments->scratch_bytes;
    return $(enqueue)(&kernel->loaded, $(where), &desc);
}

#ifdef __cplusplus
}
#endif
$ end
$ if is_cuda and header.ends then

#if defined(__CUDACC__)
$(header.ends)
#endif
$ end

#endif
