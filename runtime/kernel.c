#include "objects.h"
#include "plan_record.h"

#include <inttypes.h>
#include <string.h>

/* Gives the copied plan names of its own. */
static msw_result keep_names(msw_kernel *kernel, msw_diag *diag)
{
    const char **names[MS_MAX_PLAN_NAMES];
    const uint32_t count = ms_plan_names(&kernel->plan, names);
    for (uint32_t n = 0; n < count; n++) kernel->names_bytes += strlen(*names[n]) + 1;
    kernel->names = ms_alloc(&kernel->context->allocator, kernel->names_bytes);
    if (!kernel->names) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "launch", "msw_kernel_load: out of host memory");
    char *next = kernel->names;
    for (uint32_t n = 0; n < count; n++) {
        char *const end = stpcpy(next, *names[n]) + 1;
        *names[n] = next;
        next = end;
    }
    return MSW_OK;
}

msw_result ms_kernel_add(msw_kernel *kernel, const msw_plan *plan, uint64_t kernels, msw_diag *diag)
{
    msw_context *context = kernel->context;
    const msw_result result = context->backend->module_load(context->device, &context->cache, plan, kernels, kernel->module, diag);
    if (result == MSW_OK) atomic_fetch_or_explicit(&kernel->loaded, kernels, memory_order_release); /* enqueues of other threads may be looking */
    return result;
}

static msw_result load(msw_kernel *kernel, const msw_plan *plan, msw_diag *diag)
{
    uint64_t kernels = 0;
    kernel->plan = *plan;
    for (uint32_t k = 0; k < plan->kernel_count; k++) {
        kernels |= (uint64_t)(plan->kernels[k].code != NULL) << k;
        kernel->plan.kernels[k].text = NULL;
        kernel->plan.kernels[k].code = NULL;
        kernel->plan.kernels[k].code_bytes = 0;
    }
    msw_result result = keep_names(kernel, diag);
    if (result == MSW_OK) result = kernel->context->backend->module_create(kernel->context->device, &kernel->module, diag);
    return result == MSW_OK ? ms_kernel_add(kernel, plan, kernels, diag) : result;
}

msw_result ms_kernel_load_some(msw_context *context, const msw_plan *plan, uint64_t kernels, msw_kernel **kernel, msw_diag *diag)
{
    msw_kernel *k;
    msw_result result = ms_plan_check(plan, &context->info, kernels, diag);
    if (result != MSW_OK) return result;
    k = ms_alloc(&context->allocator, sizeof *k);
    if (!k) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "launch", "msw_kernel_load: out of host memory");
    k->context = context;
    if ((result = load(k, plan, diag)) != MSW_OK) {
        msw_kernel_destroy(k);
        return result;
    }
    *kernel = k;
    return ms_ok(diag);
}

msw_result msw_kernel_load(msw_context *context, const msw_plan *plan, msw_kernel **kernel, msw_diag *diag)
{
    if (!kernel) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "msw_kernel_load: kernel is NULL");
    *kernel = NULL;
    if (!context || !plan) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "msw_kernel_load: %s is NULL", context ? "plan" : "context");
    return ms_kernel_load_some(context, plan, UINT64_MAX, kernel, diag);
}

/* The plans for the device's usual subgroups, or the others: MSW_ERROR_UNSUPPORTED when it runs none of them. *why: the last one's for its backend.
 * */
static msw_result load_first(msw_context *context, const msw_plan *const *plans, int is_usual, msw_kernel **kernel, msw_diag *why)
{
    const msw_device_info *device = &context->info;
    for (; *plans; plans++) {
        const msw_plan *plan = *plans;
        msw_diag diag;
        if ((plan->kernels[0].subgroup_size == device->target.subgroup_size) != is_usual) continue;
        const msw_result result = msw_kernel_load(context, plan, kernel, &diag);
        if (result != MSW_ERROR_UNSUPPORTED || plan->backend == device->backend) *why = diag;
        if (result != MSW_ERROR_UNSUPPORTED) return result;
    }
    return MSW_ERROR_UNSUPPORTED;
}

msw_result msw_kernel_load_any(msw_context *context, const msw_plan *const *plans, msw_kernel **kernel, msw_diag *diag)
{
    msw_diag why = {.message = "all are for other backends; make one for this device"};
    if (!kernel) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "msw_kernel_load_any: kernel is NULL");
    *kernel = NULL;
    if (!context || !plans || !*plans)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "msw_kernel_load_any: %s",
                       !context ? "context is NULL"
                       : plans  ? "there is no plan"
                                : "plans is NULL");
    msw_result result = load_first(context, plans, 1, kernel, &why);
    if (result == MSW_ERROR_UNSUPPORTED) result = load_first(context, plans, 0, kernel, &why);
    if (result == MSW_ERROR_UNSUPPORTED)
        return ms_fail(diag, result, "launch", "%s (%.100s) runs none of the plans of '%.64s': %.700s", context->info.id, context->info.name,
                       plans[0]->name ? plans[0]->name : "", why.message);
    if (diag) *diag = why;
    return result;
}

/* msw_kernel_run's; enqueues know nothing of it. */
static void drop_own_scratch(msw_kernel *kernel)
{
    msw_buffer_destroy(kernel->own_scratch);
    kernel->own_scratch = NULL;
}

void msw_kernel_destroy(msw_kernel *kernel)
{
    msw_context *context;
    if (!kernel) return;
    context = kernel->context;
    ms_scratch_release_all(kernel);
    drop_own_scratch(kernel);
    if (kernel->module) context->backend->module_destroy(context->device, kernel->module);
    if (kernel->owned_free) kernel->owned_free(kernel->owned);
    ms_free(&context->allocator, kernel->names, kernel->names_bytes);
    ms_free(&context->allocator, kernel, sizeof *kernel);
}

const msw_plan *msw_kernel_plan(const msw_kernel *kernel) { return kernel ? &kernel->plan : NULL; }

int msw_kernel_is_cached(const msw_kernel *kernel) { return kernel && kernel->is_cached; }

/* Scratch for the context's own queue, which nothing recorded refers to: what is too small goes before more is there. */
static msw_result use_own_scratch(msw_kernel *kernel, msw_enqueue_desc *desc, msw_diag *diag)
{
    const uint64_t bytes = msw_launch_scratch(&kernel->plan, desc->n, (desc->flags & MSW_PING_PONG) != 0);
    msw_result result = MSW_OK;
    if (bytes > (kernel->own_scratch ? kernel->own_scratch->size_bytes : 0)) {
        drop_own_scratch(kernel);
        result = ms_scratch_create(kernel, bytes, &kernel->own_scratch, diag);
        if (result != MSW_OK) drop_own_scratch(kernel);
    }
    if (kernel->own_scratch) ms_scratch_give(kernel->own_scratch, desc);
    return result;
}

/* What a run needs before the backend is asked: the description is read and checked, and has a scratch. */
static msw_result begin_run(const char *call, msw_kernel *kernel, const msw_enqueue_desc *given, msw_enqueue_desc *desc, msw_diag *diag)
{
    msw_result result;
    if (!kernel) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "%s: kernel is NULL", call);
    if ((result = ms_enqueue_read(given, desc, diag)) != MSW_OK) return result;
    const int makes_scratch = !desc->scratch;
    result = ms_enqueue_check(&kernel->plan, desc, makes_scratch, diag);
    if (result == MSW_OK) result = ms_ready_wait(kernel, desc, diag);
    return result == MSW_OK && makes_scratch ? use_own_scratch(kernel, desc, diag) : result;
}

/* After it nobody knows how far a run that failed has come. */
static msw_result end_run(msw_kernel *kernel, msw_result result, msw_diag *diag)
{
    if (result != MSW_OK) drop_own_scratch(kernel);
    return result == MSW_OK ? ms_ok(diag) : result;
}

msw_result msw_kernel_run(msw_kernel *kernel, const msw_enqueue_desc *given, double *seconds, msw_diag *diag)
{
    msw_enqueue_desc desc;
    double unused;
    const msw_result result = begin_run("msw_kernel_run", kernel, given, &desc, diag);
    if (result != MSW_OK) return result;
    const ms_backend *backend = kernel->context->backend;
    return end_run(kernel, backend->run(kernel->context->device, kernel->module, &kernel->plan, &desc, seconds ? seconds : &unused, diag), diag);
}

/* ---- one dispatch after the other ---- */

typedef struct profile {
    msw_kernel *kernel;
    msw_enqueue_desc desc;
    double *seconds;
    msw_plan one; /* of the dispatch at hand */
    msw_diag *diag;
} profile;

/* Of a pipeline's kernel, which is one stage's. */
static uint32_t stage_of(const msw_plan *plan, uint32_t kernel)
{
    uint32_t s = 0;
    while (s + 1 < plan->step_count && plan->steps[s].kernel != kernel) s++;
    return plan->steps[s].stage;
}

/* A plan of that one dispatch, which serves what the launch has been found to serve. */
static int run_alone(void *user, uint32_t kernel, uint32_t blocks, const msw_params *params)
{
    profile *p = user;
    double seconds = 0;
    p->one.steps[0] = (msw_plan_step){.kernel = kernel,
                                      .tile_items = 1,
                                      .max_blocks = blocks,
                                      .least_blocks = blocks,
                                      .argument = params->argument,
                                      .stage = stage_of(&p->kernel->plan, kernel)};
    const msw_result result = p->kernel->context->backend->run(p->kernel->context->device, p->kernel->module, &p->one, &p->desc, &seconds, p->diag);
    p->seconds[kernel] += seconds;
    return (int)result;
}

static void no_barrier(void *user) { (void)user; }

static msw_result initialise(const msw_kernel *kernel, msw_enqueue_desc *desc, msw_diag *diag)
{
    const msw_context *context = kernel->context;
    const int is_dirty = (desc->flags & MSW_SCRATCH_DIRTY) && desc->scratch && context->backend->scratch_init;
    desc->flags &= ~(uint32_t)MSW_SCRATCH_DIRTY;
    if (!is_dirty) return MSW_OK;
    return context->backend->scratch_init(context->device, kernel->module, &kernel->plan, desc->scratch, desc->scratch_bytes, diag);
}

msw_result msw_kernel_profile(msw_kernel *kernel, const msw_enqueue_desc *given, double seconds[MSW_MAX_KERNELS], msw_diag *diag)
{
    profile p = {.kernel = kernel, .seconds = seconds, .diag = diag};
    const msw_launch_ops ops = {&p, run_alone, no_barrier, kernel ? ms_max_cluster_blocks(kernel->context) : 0};
    if (!seconds) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "msw_kernel_profile: seconds is NULL");
    msw_result result = begin_run("msw_kernel_profile", kernel, given, &p.desc, diag);
    if (result == MSW_OK) result = initialise(kernel, &p.desc, diag);
    if (result != MSW_OK) return result;
    memset(seconds, 0, MSW_MAX_KERNELS * sizeof *seconds);
    p.one = kernel->plan;
    const int mode = msw_launch_mode_of(&kernel->plan, &p.desc);
    p.one.step_count = p.one.variant_count = 1;
    p.one.init_step_count = 0;
    p.one.variants[0] = *msw_launch_variant(&kernel->plan, p.desc.n, mode, ops.max_cluster_blocks);
    p.one.variants[0].first_step = 0;
    p.one.variants[0].step_count = 1;
    p.one.variants[0].n_max = kernel->plan.variants[kernel->plan.variant_count - 1].n_max; /* which a scratch is laid out by */
    return end_run(kernel, (msw_result)msw_launch_enqueue(&kernel->plan, &p.desc, &ops), diag);
}

/* One of the arrays of msw_kernel_run_host, in the plan's order, and its size. */
typedef struct host_array {
    const void *input;
    void *output;
    uint64_t bytes;
    msw_buffer *buffer;
} host_array;

static msw_result collect_arrays(const msw_plan *plan, uint64_t n, const void *const *inputs, void *const *outputs, host_array *arrays,
                                 msw_diag *diag)
{
    uint32_t input_count = 0, output_count = 0;
    for (uint32_t b = 0; b < plan->buffer_count; b++) {
        if (plan->buffers[b].role == MSW_ROLE_OUT) arrays[b].output = outputs ? outputs[output_count++] : NULL;
        else arrays[b].input = inputs ? inputs[input_count++] : NULL;
    }
    for (uint32_t b = 0; b < plan->buffer_count; b++) {
        const msw_plan_buffer *buffer = &plan->buffers[b];
        const int by = msw_given_by(buffer->length);
        uint64_t given = 0;
        if (by >= 0 && arrays[by].input) memcpy(&given, arrays[by].input, sizeof given);
        const uint64_t length = msw_elements_given(buffer->length, n, given);
        if (length > UINT64_MAX / buffer->element_bytes)
            return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "msw_kernel_run_host: %s is too large for '%.64s'",
                           by < 0 ? "n" : plan->buffers[by].name, buffer->name);
        arrays[b].bytes = length * buffer->element_bytes;
        if (buffer->role != MSW_ROLE_OUT && !arrays[b].input && arrays[b].bytes)
            return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "msw_kernel_run_host: input '%.64s' is NULL", buffer->name);
    }
    return MSW_OK;
}

/* Whether the kernels for n elements have places of 32 bits: those serve n up to a few tiles less than 2^32 - 1, or less, if no others follow. */
static int has_short_places(const msw_plan *plan, uint64_t n)
{
    for (uint32_t v = 0; v < plan->variant_count; v++)
        if (n <= plan->variants[v].n_max && plan->variants[v].n_max < UINT32_MAX)
            if (v + 1 == plan->variant_count || plan->variants[v].n_max > INT32_MAX) return 1;
    return 0;
}

static int has_segments(const msw_plan *plan, int counted_by)
{
    for (uint32_t b = 0; b < plan->buffer_count; b++)
        if (plan->buffers[b].length == (uint32_t)MSW_LENGTH_OFFSETS + (uint32_t)counted_by) return 1;
    return 0;
}

/* Kernels are chosen by n; scattered outputs that a uniform makes longer than their places reach would lack elements. */
static msw_result check_places(const msw_plan *plan, uint64_t n, const host_array *arrays, msw_diag *diag)
{
    for (uint32_t b = 0; b < plan->buffer_count; b++) {
        const msw_plan_buffer *buffer = &plan->buffers[b];
        const int by = msw_given_by(buffer->length);
        const uint64_t length = arrays[b].bytes / buffer->element_bytes;
        if (by < 0 || length <= UINT32_MAX || has_segments(plan, by) || !has_short_places(plan, n)) continue;
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch",
                       "'%.64s' has %" PRIu64 " elements, but for n = %" PRIu64
                       " this plan's places have 32 bits; set the knob counts to 64, on CUDA, or '%.64s' to at most 4294967295",
                       buffer->name, length, n, plan->buffers[by].name);
    }
    return MSW_OK;
}

/* Whether buffer b says how much of an output there is that is asked for. */
static int counts_others(const msw_plan *plan, const host_array *arrays, uint32_t b)
{
    for (uint32_t other = 0; other < plan->buffer_count; other++)
        if (msw_counted_by(plan->buffers[other].length) == (int)b && arrays[other].output) return 1;
    return 0;
}

/* Whether the run takes buffer b, be it asked for or not. */
static int is_taken(const msw_plan *plan, const host_array *arrays, uint32_t b)
{
    return arrays[b].input || arrays[b].output || plan->buffers[b].is_read || counts_others(plan, arrays, b);
}

/* Before anything is allocated or uploaded. */
static msw_result check_limits(const msw_kernel *kernel, uint64_t n, const host_array *arrays, msw_diag *diag)
{
    const msw_device_info *device = &kernel->context->info;
    uint32_t given = 0;
    for (uint32_t b = 0; b < kernel->plan.buffer_count; b++) given |= (uint32_t)is_taken(&kernel->plan, arrays, b) << b;
    msw_result result = ms_check_n(&kernel->plan, device, n, diag);
    if (result == MSW_OK) result = check_places(&kernel->plan, n, arrays, diag);
    return result == MSW_OK ? ms_check_memory(&kernel->plan, device, n, given, diag) : result;
}

/* What was written of an output that is asked for. */
static msw_result read_output(const msw_plan *plan, host_array *arrays, uint32_t b, msw_diag *diag)
{
    const msw_plan_buffer *buffer = &plan->buffers[b];
    const int by = msw_counted_by(buffer->length);
    uint64_t bytes = arrays[b].bytes, count;
    if (by >= 0) {
        const msw_result result = msw_buffer_read(arrays[by].buffer, 0, &count, sizeof count, diag);
        if (result != MSW_OK) return result;
        bytes = msw_counted_elements(buffer->length, bytes / buffer->element_bytes, count) * buffer->element_bytes;
    }
    return bytes ? msw_buffer_read(arrays[b].buffer, 0, arrays[b].output, bytes, diag) : MSW_OK;
}

static msw_result run_arrays(msw_kernel *kernel, uint64_t n, host_array *arrays, double *seconds, msw_diag *diag)
{
    msw_enqueue_desc desc = {.struct_size = sizeof desc, .n = n};
    msw_result result = MSW_OK;
    for (uint32_t b = 0; b < kernel->plan.buffer_count; b++) {
        if (!is_taken(&kernel->plan, arrays, b)) continue;
        if ((result = msw_buffer_create(kernel->context, arrays[b].bytes, &arrays[b].buffer, diag)) != MSW_OK) return result;
        desc.buffers[b] = arrays[b].buffer->address;
        const int stays = msw_is_scattered(kernel->plan.buffers[b].length); /* what nobody writes */
        const void *held = stays && arrays[b].output ? arrays[b].output : arrays[b].input;
        if (held) result = msw_buffer_write(arrays[b].buffer, 0, held, arrays[b].bytes, diag);
        if (result != MSW_OK) return result;
    }
    if ((result = msw_kernel_run(kernel, &desc, seconds, diag)) != MSW_OK) return result;
    for (uint32_t b = 0; b < kernel->plan.buffer_count && result == MSW_OK; b++)
        if (arrays[b].output) result = read_output(&kernel->plan, arrays, b, diag);
    return result;
}

msw_result msw_kernel_run_host(msw_kernel *kernel, uint64_t n, const void *const *inputs, void *const *outputs, double *seconds, msw_diag *diag)
{
    host_array arrays[MSW_MAX_BUFFERS] = {{0}};
    msw_result result;
    if (!kernel) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "msw_kernel_run_host: kernel is NULL");
    if ((result = collect_arrays(&kernel->plan, n, inputs, outputs, arrays, diag)) != MSW_OK) return result;
    result = check_limits(kernel, n, arrays, diag);
    if (result == MSW_OK) result = run_arrays(kernel, n, arrays, seconds, diag);
    for (uint32_t b = 0; b < kernel->plan.buffer_count; b++) msw_buffer_destroy(arrays[b].buffer);
    return result;
}
