/* What launch.h finds wrong with an enqueue, as codes and messages of the library; and what a launch would be. */
#include "launch.h"
#include "objects.h"

#include <inttypes.h>
#include <string.h>

static const char *name_of(const msw_plan *plan, uint32_t place)
{
    static const char *const names[] = {"n_address", "carry_in", "carry_out", "scratch"};
    return place < MSW_MAX_BUFFERS ? plan->buffers[place].name : names[place - MSW_PLACE_N];
}

/* Whether an enqueue can give any output an input's address. */
static int has_in_place(const msw_plan *plan)
{
    for (uint32_t a = 0; a < plan->buffer_count; a++)
        for (uint32_t b = 0; b < a; b++)
            if (msw_launch_buffers_match(&plan->buffers[a], &plan->buffers[b])) return 1;
    return 0;
}

const msw_plan_variant *ms_variant_for(const msw_plan *plan, uint64_t n, int mode, uint32_t max_cluster_blocks)
{
    return mode == MSW_LAUNCH_IN_PLACE && !has_in_place(plan) ? NULL : msw_launch_variant(plan, n, mode, max_cluster_blocks);
}

/* Whether another strategy could serve in place: a knob has chosen look-back, whose blocks may read a missing tile again, or other n are served. */
static int depends_on_strategy(const msw_plan *plan)
{
    const msw_plan_variant *last = &plan->variants[plan->variant_count - 1];
    for (uint32_t v = 0; v < plan->variant_count; v++)
        if (plan->variants[v].serves_in_place == MSW_SERVES_IN_PLACE) return 1;
    return !last->serves_in_place && (!strcmp(last->strategy, "lookback") || !strcmp(last->strategy, "chained_scan"));
}

/* Why a plan serves n only otherwise, and what to do; mode: msw_launch_mode. A plan by look-back does not tell whether the operation also reads what
 * is near. */
static const char *why_apart(const msw_plan *plan, int mode)
{
    if (mode == MSW_LAUNCH_PING_PONG)
        return "cannot use its inputs as space: sorts by onesweep, msd_hybrid and counting can, without a map and with values of their own; "
               "leave out MSW_PING_PONG";
    if (plan->stage_count) return "is a pipeline, which does not run in place; keep outputs and inputs apart";
    if (mode == MSW_LAUNCH_IN_PLACE && !has_in_place(plan))
        return "does not run in place: no output has an element of an input's element size for each of the input's, in its place, as packed and "
               "scattered ones have not; keep outputs and inputs apart";
    if (mode == MSW_LAUNCH_IN_PLACE && !depends_on_strategy(plan))
        return "does not run in place: it reads what is near an element, puts elements elsewhere than they were, or is a pipeline, where an input "
               "would still be read; keep outputs and inputs apart";
    return "does not run in place, nor with one place for both carries, as this plan has it; leave the strategy to the planner, or set "
           "reduce_then_scan; where it reads what is near an element, carries alone can have one place";
}

msw_result ms_fail_apart(const msw_plan *plan, int mode, msw_diag *diag)
{
    return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch", "'%.64s' %s", plan->name, why_apart(plan, mode));
}

static msw_result fail_unserved(const msw_plan *plan, const msw_enqueue_desc *desc, const msw_launch_fault *fault, msw_diag *diag)
{
    const uint64_t n_max = plan->variants[plan->variant_count - 1].n_max;
    if (fault->place < MSW_MAX_BUFFERS)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "n = %" PRIu64 " elements of '%.64s' leave the address space", desc->n,
                       name_of(plan, fault->place));
    if (desc->n > n_max) return ms_check_n(plan, NULL, desc->n, diag);
    return ms_fail_apart(plan, msw_launch_mode_of(plan, desc), diag);
}

static msw_result fail_invalid(const msw_plan *plan, const msw_enqueue_desc *desc, const msw_launch_fault *fault, msw_diag *diag)
{
    if (fault->place < MSW_MAX_BUFFERS)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "buffers[%u] is given, but '%.64s' has %u buffers", fault->place, plan->name,
                       plan->buffer_count);
    if (fault->place == MSW_PLACE_SCRATCH)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch",
                       "'%.64s': scratch 0x%" PRIx64 " with scratch_bytes = %" PRIu64 " leaves the address space; give the bytes that it has",
                       plan->name, desc->scratch, desc->scratch_bytes);
    if (fault->place < MSW_PLACES)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "'%.64s' has no carry; leave carry_in and carry_out 0", plan->name);
    if (desc->flags & ~(uint32_t)(MSW_SCRATCH_DIRTY | MSW_IN_PLACE | MSW_PING_PONG))
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch",
                       "'%.64s': flags 0x%x are not known; give MSW_SCRATCH_DIRTY, MSW_IN_PLACE or MSW_PING_PONG", plan->name, desc->flags);
    return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "'%.64s': MSW_PING_PONG takes two arrays in turns, MSW_IN_PLACE has one; choose",
                   plan->name);
}

static msw_result fail_missing(const msw_plan *plan, const msw_launch_fault *fault, msw_diag *diag)
{
    if (plan->buffers[fault->place].is_read)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "output '%.64s' has no address, but later operations read it; give buffers[%u]",
                       name_of(plan, fault->place), fault->place);
    if (plan->buffers[fault->place].role == MSW_ROLE_OUT)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "'%.64s' has no address; with MSW_PING_PONG give every buffer",
                       name_of(plan, fault->place));
    return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "input '%.64s' has no address; give buffers[%u]", name_of(plan, fault->place),
                   fault->place);
}

static msw_result fail_unaligned(const msw_plan *plan, const msw_enqueue_desc *desc, const msw_launch_fault *fault, msw_diag *diag)
{
    const msw_launch_range range = msw_launch_range_of(plan, desc, fault->place);
    return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "'%.64s': address 0x%" PRIx64 " is not aligned to %" PRIu64 " bytes; move it",
                   name_of(plan, fault->place), range.address, range.alignment);
}

static msw_result fail_launch(const msw_plan *plan, const msw_enqueue_desc *desc, const msw_launch_fault *fault, msw_diag *diag)
{
    switch (fault->code) {
    case MSW_LAUNCH_UNSERVED: return fail_unserved(plan, desc, fault, diag);
    case MSW_LAUNCH_UNALIGNED: return fail_unaligned(plan, desc, fault, diag);
    case MSW_LAUNCH_MISSING: return fail_missing(plan, fault, diag);
    case MSW_LAUNCH_INVALID: return fail_invalid(plan, desc, fault, diag);
    case MSW_LAUNCH_TOO_SMALL:
        return ms_fail(diag, MSW_ERROR_TOO_SMALL, "launch",
                       "'%.64s' needs %" PRIu64 " bytes of scratch for n = %" PRIu64 ", %" PRIu64
                       " are given or reserved for the stream; msw_scratch_bytes tells how many it takes",
                       plan->name, msw_launch_scratch(plan, desc->n, (desc->flags & MSW_PING_PONG) != 0), desc->n,
                       desc->scratch ? desc->scratch_bytes : 0);
    default:
        if (plan->stage_count)
            return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch",
                           "'%.64s' and '%.64s' share memory; a pipeline does not run in place: keep them apart", name_of(plan, fault->place),
                           name_of(plan, fault->other));
        if (desc->flags & MSW_IN_PLACE)
            return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch",
                           "'%.64s' and '%.64s' share memory; MSW_IN_PLACE is for an input and an output of one address and element size, which is "
                           "neither packed nor scattered; keep them apart",
                           name_of(plan, fault->place), name_of(plan, fault->other));
        if (!depends_on_strategy(plan)) /* nor does the host's plan of a pipeline, which has no stages */
            return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch",
                           "'%.64s' and '%.64s' share memory, and '%.64s' does not run in place: keep them apart", name_of(plan, fault->place),
                           name_of(plan, fault->other), plan->name);
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch",
                       "'%.64s' and '%.64s' share memory; set MSW_IN_PLACE where an output is an input, element for element, else keep them apart",
                       name_of(plan, fault->place), name_of(plan, fault->other));
    }
}

msw_result ms_check_flags(const msw_plan *plan, uint64_t n, uint32_t flags, msw_diag *diag)
{
    const msw_enqueue_desc desc = {.n = n, .flags = flags};
    const msw_launch_fault fault = msw_launch_check_flags(plan, n, flags);
    return fault.code ? fail_launch(plan, &desc, &fault, diag) : MSW_OK;
}

msw_result ms_enqueue_read(const msw_enqueue_desc *given, msw_enqueue_desc *desc, msw_diag *diag)
{
    if (!given) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "msw_enqueue_desc is NULL");
    return MS_SIZED_READ(msw_enqueue_desc, given, desc, "launch", diag);
}

msw_result ms_enqueue_check(const msw_plan *plan, const msw_enqueue_desc *desc, int makes_scratch, msw_diag *diag)
{
    const msw_launch_fault fault = msw_launch_check(plan, desc, makes_scratch);
    return fault.code ? fail_launch(plan, desc, &fault, diag) : MSW_OK;
}

msw_result ms_kernel_check(const char *call, const msw_kernel *kernel, const ms_backend *backend, msw_diag *diag)
{
    if (!kernel) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "%s: kernel is NULL", call);
    if (kernel->context->backend != backend)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "%s: the kernel is one of '%s'; load it in a context for \"%s\"", call,
                       kernel->context->info.id, backend->name);
    return MSW_OK;
}

msw_result ms_scratch_init_check(const char *call, const msw_plan *plan, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag)
{
    switch (msw_launch_check_init(plan, scratch, scratch_bytes).code) {
    case 0: return MSW_OK;
    case MSW_LAUNCH_UNALIGNED:
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "%s: scratch 0x%" PRIx64 " is not aligned to %u bytes", call, scratch,
                       plan->scratch_alignment_bytes);
    case MSW_LAUNCH_INVALID:
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch",
                       "%s: scratch 0x%" PRIx64 " with scratch_bytes = %" PRIu64 " leaves the address space; give the bytes that it has", call,
                       scratch, scratch_bytes);
    case MSW_LAUNCH_TOO_SMALL:
        return ms_fail(diag, MSW_ERROR_TOO_SMALL, "launch",
                       "%s: scratch_bytes = %" PRIu64 ", and without elements a launch needs %" PRIu64 "; give what msw_scratch_bytes says", call,
                       scratch_bytes, msw_launch_scratch(plan, 0, 0));
    default: return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "%s: scratch is 0; give its device address", call);
    }
}

/* ---- what a launch would be ---- */

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

msw_result msw_plan_launch(const msw_plan *plan, uint64_t n, uint32_t flags, msw_launch_info *info, msw_diag *diag)
{
    if (!info || !ms_plan_is_whole(plan))
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "msw_plan_launch: %s",
                       !info  ? "info is NULL"
                       : plan ? "the plan is broken, or of another format"
                              : "plan is NULL");
    msw_result result = MS_SIZED_CHECK(msw_launch_info, info, "launch", diag);
    if (result == MSW_OK) result = ms_check_flags(plan, n, flags, diag);
    if (result != MSW_OK) return result;
    const int mode = launch_mode(flags);
    const msw_plan_variant *variant = ms_variant_for(plan, n, mode, MSW_MAX_CLUSTER_BLOCKS);
    if (!variant) return ms_fail_apart(plan, mode, diag);
    const msw_plan_step *steps = &plan->steps[variant->first_step];
    msw_launch_info found = {.variant = (uint32_t)(variant - plan->variants),
                             .launch_count = count_launches(steps, variant->step_count),
                             .scratch_bytes = msw_launch_scratch(plan, n, (flags & MSW_PING_PONG) != 0)};
    for (uint32_t s = 0; s < variant->step_count; s++) {
        const uint64_t elements = plan->stage_count ? msw_elements(plan->stages[steps[s].stage].length, n) : n;
        found.tiles[s] = elements / steps[s].tile_items + (elements % steps[s].tile_items != 0);
        found.blocks[s] = msw_launch_blocks(&steps[s], elements);
    }
    found.bytes_read = variant->read_bytes + n * variant->read_bytes_per_item;
    found.bytes_written = variant->written_bytes + n * variant->written_bytes_per_item;
    for (uint32_t b = 0; b < plan->buffer_count; b++) {
        const msw_plan_buffer *buffer = &plan->buffers[b];
        if (buffer->length == MSW_LENGTH_ONE) *(buffer->role == MSW_ROLE_OUT ? &found.bytes_written : &found.bytes_read) += buffer->element_bytes;
    }
    ms_sized_write(info, &found, sizeof found);
    return ms_ok(diag);
}
