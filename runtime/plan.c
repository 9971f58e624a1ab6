#include "objects.h"
#include "launch.h"

#include <stdio.h>
#include <string.h>

enum { MOST_REPEATS = 4096 }; /* far more than keys have bits; a launch is to end */

/* "int8, float64"; text has room for all names. */
static const char *feature_names(uint32_t features, char text[128])
{
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t f = 0; msw_feature_name(f); f++)
        if (features >> f & 1u) length += (size_t)snprintf(text + length, 128 - length, "%s%s", length ? ", " : "", msw_feature_name(f));
    return text;
}

static int is_power_of_two(uint32_t x) { return x && (x & (x - 1)) == 0; }

/* n, 1, a number of its own, or as many as another buffer says, which holds one number. */
static int is_length(const msw_plan *plan, uint32_t length)
{
    const int given = msw_given_by(length), by = given < 0 ? msw_counted_by(length) : given;
    const uint32_t count = (uint32_t)by;
    if (by < 0) return length <= MSW_LENGTH_SCATTERED || length > MSW_LENGTH_FIXED;
    return count < plan->buffer_count + plan->between_count && plan->buffers[count].length == MSW_LENGTH_ONE &&
           plan->buffers[count].element_bytes == sizeof(uint64_t) && (given < 0 || plan->buffers[count].role == MSW_ROLE_UNIFORM);
}

static const char *bad_buffers(const msw_plan *plan)
{
    for (uint32_t b = 0; b < plan->buffer_count + plan->between_count; b++) {
        const msw_plan_buffer *buffer = &plan->buffers[b];
        if (!buffer->name || !buffer->element_bytes || !is_power_of_two(buffer->alignment_bytes)) return "a buffer has no name, size or alignment";
        if (!is_length(plan, buffer->length)) return "a buffer has no length";
    }
    return NULL;
}

/* 1 when some n that the variant serves needs more scratch than there are addresses. */
static int overflows(const msw_plan *plan, const msw_plan_variant *variant)
{
    const double tiles = (double)variant->n_max / plan->steps[variant->first_step].tile_items + 1;
    const double most = (double)variant->scratch_per_tile_bytes * tiles + (double)variant->scratch_base_bytes;
    double blocks = 0;
    for (uint32_t s = 0; s < variant->step_count; s++) {
        const double b = plan->steps[variant->first_step + s].max_blocks;
        if (b > blocks) blocks = b;
    }
    return most + (double)variant->scratch_per_block_bytes * blocks >= 0x1p63;
}

static int is_array(const msw_plan *plan, uint32_t array) { return array < plan->buffer_count + plan->between_count; }

/* Whether launches can tell how many bytes there are for any n. */
static int is_sum(uint64_t base_bytes, uint64_t per_tile_bytes, uint32_t tile_items)
{
    return base_bytes <= UINT32_MAX && per_tile_bytes <= UINT32_MAX && per_tile_bytes <= 1024ull * tile_items;
}

/* Of pipelines. Their scratch is what parts take whose sum launches add up in 64 bits. */
static const char *bad_stages(const msw_plan *plan)
{
    for (uint32_t s = 0; s < plan->stage_count; s++) {
        const msw_plan_stage *stage = &plan->stages[s];
        if (!stage->name || !stage->scratch_tile_items || !stage->temporary_tile_items) return "a stage has no name or no tile";
        if (stage->place >= MSW_MAX_PLACES) return "a stage has a place that is not there";
        if (stage->length != MSW_LENGTH_N && stage->length <= MSW_LENGTH_FIXED) return "a stage has no number of elements";
        if (!is_sum(stage->scratch_base_bytes, stage->scratch_per_tile_bytes, stage->scratch_tile_items) ||
            !is_sum(stage->temporary_base_bytes, stage->temporary_per_tile_bytes, stage->temporary_tile_items))
            return "a stage's scratch is larger than any";
        if (stage->counted_by && (!is_array(plan, stage->counted_by - 1) || plan->buffers[stage->counted_by - 1].length != MSW_LENGTH_ONE ||
                                  plan->buffers[stage->counted_by - 1].element_bytes != sizeof(uint64_t)))
            return "a stage's number of elements is in no array";
        for (uint32_t b = 0; b < MSW_MAX_KERNEL_BUFFERS; b++)
            if (stage->arrays[b] != MSW_NO_ARRAY && !is_array(plan, stage->arrays[b])) return "a stage has an array that is not there";
    }
    for (uint32_t b = plan->buffer_count; b < plan->buffer_count + plan->between_count; b++) {
        const msw_plan_buffer *array = &plan->buffers[b];
        if (array->element_bytes > 128 || msw_given_by(array->length) >= 0)
            return "an array between stages has elements that are too large, or a length that the host does not know";
        if (array->place >= MSW_MAX_PLACES) return "an array between stages has a place that is not there";
    }
    for (uint32_t s = 0; plan->stage_count && s < plan->step_count - plan->init_step_count; s++)
        if (plan->steps[s].stage >= plan->stage_count) return "a step belongs to no stage";
    return NULL;
}

static const char *bad_steps(const msw_plan *plan)
{
    const uint32_t steps = plan->step_count - plan->init_step_count;
    for (uint32_t s = 0; s < plan->step_count; s++)
        if (plan->steps[s].kernel >= plan->kernel_count || !plan->steps[s].tile_items || !plan->steps[s].max_blocks)
            return "a step has no kernel, tile or blocks";
        else if (plan->steps[s].least_blocks > plan->steps[s].max_blocks) return "a step has more blocks at least than at most";
        else if (plan->steps[s].joined >= plan->step_count - s) return "a step is repeated with steps that are not there";
        else if (plan->steps[s].repeats > MOST_REPEATS) return "a step is repeated too often";
    for (uint32_t v = 0; v < plan->variant_count; v++) {
        const msw_plan_variant *variant = &plan->variants[v];
        if (!variant->strategy || !variant->step_count || variant->first_step > steps || variant->step_count > steps - variant->first_step)
            return "a variant's steps are out of range";
        if (overflows(plan, variant)) return "a variant's scratch is larger than the address space";
        if (v && variant->n_max < plan->variants[v - 1].n_max) return "a variant's n_max is below the one before it";
    }
    return NULL;
}

/* The next variant after v that serves in this mode, or NULL. */
static const msw_plan_variant *next_in_mode(const msw_plan *plan, uint32_t v, int mode)
{
    for (v++; v < plan->variant_count; v++)
        if (msw_launch_serves(&plan->variants[v], mode)) return &plan->variants[v];
    return NULL;
}

/* Of kernels whose launches are one cluster. Where a device has no room for it the next variant serves, whose result is in the same place. */
static const char *bad_clusters(const msw_plan *plan)
{
    for (uint32_t k = 0; k < plan->kernel_count; k++)
        if (plan->kernels[k].cluster_blocks > MSW_MAX_CLUSTER_BLOCKS) return "a kernel's cluster has too many blocks";
        else if (plan->kernels[k].cluster_blocks && plan->kernels[k].is_cooperative) return "a cluster is launched cooperatively";
    for (uint32_t s = 0; s < plan->step_count; s++) {
        const msw_plan_step *step = &plan->steps[s];
        const uint32_t blocks = plan->kernels[step->kernel].cluster_blocks;
        if (!blocks) continue;
        if (step->least_blocks != blocks || step->max_blocks != blocks) return "a step has other blocks than those of its kernel's cluster";
        if (s >= plan->step_count - plan->init_step_count) return "a cluster initialises the scratch, which not every device has room for";
    }
    for (int mode = MSW_LAUNCH_APART; mode <= MSW_LAUNCH_ONE_CARRY; mode++)
        for (uint32_t v = 0; v < plan->variant_count; v++) {
            const msw_plan_variant *variant = &plan->variants[v], *next = next_in_mode(plan, v, mode);
            if (!msw_launch_serves(variant, mode) || !msw_launch_cluster(plan, variant)) continue;
            if (!next) return "its last variant has a cluster, which not every device has room for";
            if (next->ends_in_inputs != variant->ends_in_inputs) return "a variant with a cluster ends elsewhere than the one after it";
        }
    return NULL;
}

/* What is wrong with the plan itself; NULL: nothing. */
static const char *bad_plan(const msw_plan *plan)
{
    const char *wrong;
    if (!plan->name) return "it has no name";
    if (plan->buffer_count > MSW_MAX_BUFFERS || plan->kernel_count > MSW_MAX_KERNELS || plan->step_count > MSW_MAX_STEPS ||
        plan->variant_count > MSW_MAX_VARIANTS || plan->stage_count > MSW_MAX_STAGES || plan->init_step_count > plan->step_count ||
        plan->between_count > MSW_MAX_BUFFERS - plan->buffer_count ||
        (!plan->stage_count && plan->backend != MSW_BACKEND_HOST && plan->buffer_count > MSW_MAX_KERNEL_BUFFERS) ||
        (!plan->stage_count && plan->between_count))
        return "a count is out of range";
    if (!plan->variant_count) return "it has no variant";
    if (!is_power_of_two(plan->scratch_alignment_bytes)) return "the scratch's alignment is no power of two";
    if ((wrong = bad_buffers(plan)) != NULL || (wrong = bad_stages(plan)) != NULL) return wrong;
    wrong = bad_steps(plan);
    return wrong ? wrong : bad_clusters(plan);
}

static msw_result check_kernel(const msw_plan *plan, const msw_plan_kernel *kernel, int is_coded, const msw_device_info *device, msw_diag *diag)
{
    const msw_target *target = &device->target;
    const uint32_t missing = kernel->features & ~target->features;
    const uint32_t subgroups = kernel->subgroup_size ? (kernel->block_threads + kernel->subgroup_size - 1) / kernel->subgroup_size : 0;
    char names[128];
    if (!kernel->entry || (is_coded && !kernel->code) || !kernel->block_threads || !kernel->subgroup_size)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch",
                       "plan '%.64s': kernel '%.64s' has no code or geometry; compile the plan's texts first", plan->name,
                       kernel->entry ? kernel->entry : "");
    if (missing)
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch",
                       "kernel '%.64s' needs %s, which %s (%.100s) does not have; make the plan for this device", kernel->entry,
                       feature_names(missing, names), device->id, device->name);
    if (kernel->block_threads > target->max_block_threads)
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch", "kernel '%.64s' has blocks of %u threads, but %s runs at most %u; set a smaller block",
                       kernel->entry, kernel->block_threads, device->id, target->max_block_threads);
    if (kernel->shared_bytes > target->shared_bytes)
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch",
                       "kernel '%.64s' uses %u bytes of shared memory, but %s has %u; set fewer items or a smaller block", kernel->entry,
                       kernel->shared_bytes, device->id, target->shared_bytes);
    if (kernel->subgroup_size > 1 && target->max_block_subgroups && subgroups > target->max_block_subgroups)
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch", "kernel '%.64s' has %u subgroups a block, but %s runs at most %u; set a smaller block",
                       kernel->entry, subgroups, device->id, target->max_block_subgroups);
    return MSW_OK;
}

msw_result ms_plan_check(const msw_plan *plan, const msw_device_info *device, uint64_t coded, msw_diag *diag)
{
    const char *wrong;
    if (plan->format != MSW_PLAN_FORMAT)
        return ms_fail(diag, MSW_ERROR_VERSION, "launch", "the plan has format %u, this library reads %u; generate it again with this version",
                       plan->format, MSW_PLAN_FORMAT);
    if ((wrong = bad_plan(plan)) != NULL)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "launch", "plan '%.64s' is broken: %s", plan->name ? plan->name : "", wrong);
    if (plan->backend != device->backend)
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch", "plan '%.64s' was made for another backend than that of %s; make one for this device",
                       plan->name, device->id);
    for (uint32_t s = 0; s < plan->step_count; s++)
        if (plan->steps[s].max_blocks > device->target.max_blocks)
            return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "launch", "plan '%.64s' dispatches up to %u blocks, but %s takes %u", plan->name,
                           plan->steps[s].max_blocks, device->id, device->target.max_blocks);
    for (uint32_t k = 0; k < plan->kernel_count; k++) {
        const msw_result result = check_kernel(plan, &plan->kernels[k], (int)(coded >> k & 1), device, diag);
        if (result != MSW_OK) return result;
    }
    return MSW_OK;
}

/* The public questions are also asked of plans that were never loaded, so never checked. */
int ms_plan_is_whole(const msw_plan *plan) { return plan && plan->format == MSW_PLAN_FORMAT && !bad_plan(plan); }

uint64_t msw_scratch_bytes(const msw_plan *plan, uint64_t n_bound) { return ms_plan_is_whole(plan) ? msw_launch_scratch(plan, n_bound, 0) : 0; }

uint64_t msw_scratch_bytes_ping_pong(const msw_plan *plan, uint64_t n_bound)
{
    return ms_plan_is_whole(plan) ? msw_launch_scratch(plan, n_bound, 1) : 0;
}

int msw_ends_in_inputs(const msw_plan *plan, uint64_t n)
{
    const msw_plan_variant *variant = ms_plan_is_whole(plan) ? msw_launch_variant(plan, n, MSW_LAUNCH_PING_PONG, MSW_MAX_CLUSTER_BLOCKS) : NULL;
    return variant ? (int)variant->ends_in_inputs : -1;
}
