#include "launch.h"
#include "objects.h"

#include <inttypes.h>

/* One range of device memory that an enqueue uses. */
typedef struct range {
    const char *name;
    uint64_t address, bytes;
    uint32_t element_bytes, length; /* of a plan's buffer; element_bytes 0: no buffer */
    int is_written;
} range;

enum { MAX_RANGES = MSW_MAX_BUFFERS + 4 };

typedef struct range_list {
    range ranges[MAX_RANGES];
    uint32_t count;
} range_list;

static void add_range(range_list *list, const char *name, uint64_t address, uint64_t bytes, int is_written)
{
    if (address) list->ranges[list->count++] = (range){name, address, bytes, 0, 0, is_written};
}

static msw_result check_address(const char *name, uint64_t address, uint64_t alignment, msw_diag *diag)
{
    if (address & (alignment - 1))
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "'%.64s': address 0x%" PRIx64 " is not aligned to %" PRIu64 " bytes; move it", name, address,
                       alignment);
    return MSW_OK;
}

/* Buffers, and their ranges. With a device-side n their length is not known: one element stands for them. */
static msw_result check_buffers(const msw_plan *plan, const msw_enqueue_desc *desc, range_list *list, msw_diag *diag)
{
    for (uint32_t b = 0; b < plan->buffer_count; b++) {
        const msw_plan_buffer *buffer = &plan->buffers[b];
        const uint64_t address = desc->buffers[b];
        const uint64_t length = buffer->length == MSW_LENGTH_ONE || desc->n_address ? 1 : desc->n;
        const msw_result result = check_address(buffer->name, address, buffer->alignment_bytes, diag);
        if (result != MSW_OK) return result;
        if (!address && !buffer->is_output && desc->n)
            return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "input '%.64s' has no address; give buffers[%u]", buffer->name, b);
        if (desc->n > UINT64_MAX / buffer->element_bytes)
            return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "n = %" PRIu64 " elements of '%.64s' leave the address space", desc->n, buffer->name);
        add_range(list, buffer->name, address, length * buffer->element_bytes, buffer->is_output != 0);
        if (address) {
            list->ranges[list->count - 1].element_bytes = buffer->element_bytes;
            list->ranges[list->count - 1].length = buffer->length;
        }
    }
    for (uint32_t b = plan->buffer_count; b < MSW_MAX_BUFFERS; b++)
        if (desc->buffers[b])
            return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "buffers[%u] is given, but '%.64s' has %u buffers", b, plan->name, plan->buffer_count);
    return MSW_OK;
}

static msw_result check_extras(const msw_plan *plan, const msw_enqueue_desc *desc, int makes_scratch, range_list *list, msw_diag *diag)
{
    const uint64_t scratch_bytes = makes_scratch ? 0 : msw_launch_scratch(plan, desc->n, (desc->flags & MSW_PING_PONG) != 0);
    msw_result result;
    if ((result = check_address("n_address", desc->n_address, 8, diag)) != MSW_OK) return result;
    if ((result = check_address("carry_in", desc->carry_in, 16, diag)) != MSW_OK) return result;
    if ((result = check_address("carry_out", desc->carry_out, 16, diag)) != MSW_OK) return result;
    if ((result = check_address("scratch", desc->scratch, plan->scratch_alignment_bytes, diag)) != MSW_OK) return result;
    if (!plan->carry_bytes && (desc->carry_in || desc->carry_out))
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "'%.64s' has no carry; leave carry_in and carry_out 0", plan->name);
    if (scratch_bytes && (!desc->scratch || desc->scratch_bytes < scratch_bytes))
        return ms_fail(diag, MSW_ERROR_TOO_SMALL, "launch", "'%.64s' needs %" PRIu64 " bytes of scratch for n = %" PRIu64 ", %" PRIu64
                       " are given or reserved for the stream; msw_scratch_bytes tells how many it takes",
                       plan->name, scratch_bytes, desc->n, desc->scratch ? desc->scratch_bytes : 0);
    add_range(list, "n_address", desc->n_address, 8, 0);
    add_range(list, "carry_in", desc->carry_in, plan->carry_bytes, 0);
    if (desc->carry_out != desc->carry_in) add_range(list, "carry_out", desc->carry_out, plan->carry_bytes, 1);
    add_range(list, "scratch", desc->scratch, scratch_bytes, 1);
    return MSW_OK;
}

/* Declared in place: an input and an output of equal elements at one address. */
static int is_in_place(const range *a, const range *b, uint32_t flags)
{
    return (flags & MSW_IN_PLACE) && a->is_written != b->is_written && a->address == b->address && a->element_bytes &&
           a->element_bytes == b->element_bytes && a->length == b->length;
}

static msw_result check_aliasing(const range_list *list, uint32_t flags, msw_diag *diag)
{
    for (uint32_t i = 0; i < list->count; i++)
        for (uint32_t j = i + 1; j < list->count; j++) {
            const range *a = &list->ranges[i], *b = &list->ranges[j];
            const uint64_t distance = a->address > b->address ? a->address - b->address : b->address - a->address;
            if (!a->is_written && !b->is_written) continue;
            if (distance >= (a->address > b->address ? b : a)->bytes || !a->bytes || !b->bytes) continue;
            if (is_in_place(a, b, flags)) continue;
            return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch",
                           "'%.64s' and '%.64s' share memory; set MSW_IN_PLACE where an output is an input, element for element, else keep them apart",
                           a->name, b->name);
        }
    return MSW_OK;
}

/* Inputs and outputs take turns: every array is there, and no two are one. */
static msw_result check_ping_pong(const msw_plan *plan, const msw_enqueue_desc *desc, msw_diag *diag)
{
    if (!msw_launch_variant(plan, desc->n, MSW_LAUNCH_PING_PONG))
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch",
                       "'%.64s' cannot use its inputs as space: sorts by onesweep can, without a map and with values of their own; leave out MSW_PING_PONG", plan->name);
    if (desc->flags & MSW_IN_PLACE)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "'%.64s': MSW_PING_PONG takes two arrays in turns, MSW_IN_PLACE has one; choose", plan->name);
    for (uint32_t b = 0; b < plan->buffer_count && desc->n; b++)
        if (!desc->buffers[b])
            return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "'%.64s' has no address; with MSW_PING_PONG give every buffer", plan->buffers[b].name);
    return MSW_OK;
}

msw_result ms_enqueue_check(const msw_plan *plan, const msw_enqueue_desc *desc, int makes_scratch, msw_diag *diag)
{
    range_list list = {.count = 0};
    msw_result result;
    if (!desc) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "msw_enqueue_desc is NULL");
    if ((result = ms_check_struct_size("msw_enqueue_desc", desc->struct_size, sizeof *desc, diag)) != MSW_OK) return result;
    if (desc->flags & ~(uint32_t)(MSW_SCRATCH_DIRTY | MSW_IN_PLACE | MSW_PING_PONG))
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "msw_enqueue_desc: flags 0x%x are not known", desc->flags);
    if ((result = ms_check_n(plan, NULL, desc->n, diag)) != MSW_OK) return result;
    if ((result = check_buffers(plan, desc, &list, diag)) != MSW_OK) return result;
    if ((result = check_extras(plan, desc, makes_scratch, &list, diag)) != MSW_OK) return result;
    if ((result = check_aliasing(&list, desc->flags, diag)) != MSW_OK) return result;
    if ((desc->flags & MSW_PING_PONG) && (result = check_ping_pong(plan, desc, diag)) != MSW_OK) return result;
    if (!msw_launch_variant(plan, desc->n, msw_launch_mode_of(plan, desc)))
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch",
                       "'%.64s': this plan does not run in place, nor with one place for both carries; leave the strategy to the planner, or set "
                       "reduce_then_scan",
                       plan->name);
    return MSW_OK;
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
    if (scratch & (plan->scratch_alignment_bytes - 1))
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "%s: scratch 0x%" PRIx64 " is not aligned to %u bytes", call, scratch,
                       plan->scratch_alignment_bytes);
    if (scratch_bytes && !scratch) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "%s: scratch is 0; give its device address", call);
    return MSW_OK;
}
