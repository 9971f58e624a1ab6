/* Which of a plan's kernels an enqueue launches, and whether they are on the device. */
#include "objects.h"

#include <inttypes.h>

static uint64_t kernels_of_steps(const msw_plan *plan, uint32_t first, uint32_t count)
{
    uint64_t kernels = 0;
    for (uint32_t s = first; s < first + count; s++) kernels |= UINT64_C(1) << plan->steps[s].kernel;
    return kernels;
}

static uint64_t kernels_of_init(const msw_plan *plan)
{
    return kernels_of_steps(plan, plan->step_count - plan->init_step_count, plan->init_step_count);
}

/* NULL: none. */
static uint64_t kernels_of(const msw_plan *plan, const msw_plan_variant *variant)
{
    return variant ? kernels_of_steps(plan, variant->first_step, variant->step_count) : 0;
}

static uint64_t kernels_of_mode(const msw_plan *plan, uint64_t n, int mode, uint32_t max_cluster_blocks)
{
    return kernels_of(plan, msw_launch_variant(plan, n, mode, max_cluster_blocks));
}

msw_result ms_kernels_for(const msw_plan *plan, uint64_t n, uint32_t flags, uint32_t max_cluster_blocks, uint64_t *kernels, msw_diag *diag)
{
    const msw_result result = ms_check_flags(plan, n, flags, diag);
    if (result != MSW_OK) return result;
    *kernels = kernels_of_init(plan);
    if (flags & MSW_PING_PONG) return *kernels |= kernels_of_mode(plan, n, MSW_LAUNCH_PING_PONG, max_cluster_blocks), MSW_OK;
    *kernels |= kernels_of_mode(plan, n, MSW_LAUNCH_APART, max_cluster_blocks);
    if (!(flags & MSW_IN_PLACE)) return MSW_OK;
    const msw_plan_variant *in_place = ms_variant_for(plan, n, MSW_LAUNCH_IN_PLACE, max_cluster_blocks);
    const msw_plan_variant *one_carry = plan->carry_bytes ? msw_launch_variant(plan, n, MSW_LAUNCH_ONE_CARRY, max_cluster_blocks) : NULL;
    if (!in_place && !one_carry) return ms_fail_apart(plan, MSW_LAUNCH_IN_PLACE, diag);
    *kernels |= kernels_of(plan, in_place) | kernels_of(plan, one_carry);
    return MSW_OK;
}

/* Of what the enqueue launches, which has passed ms_enqueue_check. */
static uint64_t missing_kernels(const msw_kernel *kernel, const msw_enqueue_desc *desc, uint32_t max_cluster_blocks)
{
    const msw_plan *plan = &kernel->plan;
    const uint64_t needed = kernels_of_mode(plan, desc->n, msw_launch_mode_of(plan, desc), max_cluster_blocks) | kernels_of_init(plan);
    return needed & ~atomic_load_explicit(&kernel->loaded, memory_order_acquire);
}

static const char *flag_of(const msw_plan *plan, const msw_enqueue_desc *desc)
{
    switch (msw_launch_mode_of(plan, desc)) {
    case MSW_LAUNCH_APART: return "0";
    case MSW_LAUNCH_PING_PONG: return "MSW_PING_PONG";
    default: return "MSW_IN_PLACE";
    }
}

msw_result ms_ready_check(const msw_kernel *kernel, const msw_enqueue_desc *desc, uint32_t max_cluster_blocks, msw_diag *diag)
{
    const msw_plan *plan = &kernel->plan;
    const uint64_t missing = missing_kernels(kernel, desc, max_cluster_blocks);
    uint32_t k = 0;
    if (!missing) return MSW_OK;
    while (!(missing >> k & 1)) k++;
    if (max_cluster_blocks < ms_max_cluster_blocks(kernel->context) && !missing_kernels(kernel, desc, ms_max_cluster_blocks(kernel->context)))
        return ms_fail(diag, MSW_ERROR_NOT_READY, "launch",
                       "'%.64s': kernel '%.64s', which n = %" PRIu64 " takes on a stream with a part of the device, is not on the device yet; call "
                       "msw_kernel_wait(kernel, UINT64_MAX, 0, ..) before the enqueue",
                       plan->name, plan->kernels[k].entry, desc->n);
    return ms_fail(diag, MSW_ERROR_NOT_READY, "launch",
                   "'%.64s': kernel '%.64s', which n = %" PRIu64 " takes, is not on the device yet; call msw_kernel_wait(kernel, %" PRIu64
                   ", %s, ..) before the enqueue",
                   plan->name, plan->kernels[k].entry, desc->n, desc->n, flag_of(plan, desc));
}

static msw_result load_missing(msw_kernel *kernel, uint64_t missing, msw_diag *diag)
{
    return missing && kernel->owned_load ? kernel->owned_load(kernel->owned, kernel, missing, diag) : MSW_OK;
}

msw_result ms_ready_wait(msw_kernel *kernel, const msw_enqueue_desc *desc, msw_diag *diag)
{
    return load_missing(kernel, missing_kernels(kernel, desc, ms_max_cluster_blocks(kernel->context)), diag);
}

/* Kernels that are to be loaded before such an enqueue; n UINT64_MAX: before any. */
static msw_result find_missing(const msw_kernel *kernel, uint64_t n, uint32_t flags, uint64_t *missing, msw_diag *diag)
{
    *missing = ms_all_kernels(&kernel->plan);
    const msw_result result =
        n == UINT64_MAX ? MSW_OK : ms_kernels_for(&kernel->plan, n, flags, ms_max_cluster_blocks(kernel->context), missing, diag);
    *missing &= ~atomic_load_explicit(&kernel->loaded, memory_order_acquire);
    return result;
}

msw_result msw_kernel_wait(msw_kernel *kernel, uint64_t n, uint32_t flags, msw_diag *diag)
{
    uint64_t missing = 0;
    if (!kernel) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "msw_kernel_wait: kernel is NULL");
    msw_result result = find_missing(kernel, n, flags, &missing, diag);
    if (result == MSW_OK) result = load_missing(kernel, missing, diag);
    return result == MSW_OK ? ms_ok(diag) : result;
}

int msw_kernel_is_ready(msw_kernel *kernel, uint64_t n, uint32_t flags)
{
    uint64_t missing = 0;
    if (!kernel || find_missing(kernel, n, flags, &missing, NULL) != MSW_OK) return 0;
    return !missing || (kernel->owned_compiled && !(missing & ~kernel->owned_compiled(kernel->owned)));
}
