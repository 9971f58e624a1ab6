#include "kernel.h"

#include <math.h>

const char *ms_cut_method_name(msw_cut_method method)
{
    static const char *const names[MS_CUT_METHOD_COUNT] = {"optimum", "greedy", "fewest", "unfused"};
    return names[method];
}

static const uint32_t *copy_list(ms_arena *arena, const uint32_t *list, uint32_t count)
{
    uint32_t *copy = ms_arena_alloc(arena, (count + 1) * sizeof *copy);
    return copy ? memcpy(copy, list, count * sizeof *copy) : NULL;
}

/* The lists become the cut's own. */
static int keep_kernel(ms_arena *arena, ms_cut_kernel *kernel)
{
    kernel->operations = copy_list(arena, kernel->operations, kernel->operation_count);
    kernel->reads = copy_list(arena, kernel->reads, kernel->read_count);
    kernel->writes = copy_list(arena, kernel->writes, kernel->write_count);
    return kernel->operations && kernel->reads && kernel->writes;
}

/* members: in the order of launches. */
static int finish(const ms_cutting *c, const ms_members *members, uint32_t count, ms_cut *cut)
{
    ms_cut_kernel *kernels = ms_arena_alloc(c->arena, (count + 1) * sizeof *kernels);
    if (!kernels) return 0;
    for (uint32_t k = 0; k < count; k++) {
        ms_kernel_evaluate(c, &members[k], &kernels[k]);
        if (!keep_kernel(c->arena, &kernels[k])) return 0;
        cut->bytes += kernels[k].bytes;
        cut->seconds += kernels[k].seconds;
    }
    cut->kernels = kernels;
    cut->kernel_count = count;
    return ms_cut_reserve(c, cut);
}

msw_result ms_cut_find(ms_arena *arena, const ms_cut_graph *graph, const ms_cut_device *device, const ms_cut_rule *rule, msw_cut_method method,
                       ms_cut *cut, uint32_t *operation)
{
    ms_cutting cutting = {.arena = arena, .graph = graph, .device = device, .rule = rule};
    ms_members *members = ms_arena_alloc(arena, (graph->operation_count + 1) * sizeof *members);
    *cut = (ms_cut){0};
    *operation = UINT32_MAX;
    if (!members || !ms_cutting_init(&cutting)) return MSW_ERROR_OUT_OF_MEMORY;
    uint32_t count = ms_merge(&cutting, method != MSW_CUT_UNFUSED, members, operation);
    if (*operation != UINT32_MAX) return MSW_ERROR_UNSUPPORTED;
    /* A kernel more costs more than any other difference. */
    const double kernel_seconds = method == MSW_CUT_FEWEST ? 1e3 * ms_kernels_seconds(&cutting, members, count) : 0;
    if (method == MSW_CUT_OPTIMUM || method == MSW_CUT_FEWEST) count = ms_search(&cutting, kernel_seconds, members, count, cut);
    if (!count && !ms_set_is_empty(&cutting.needed)) return MSW_ERROR_OUT_OF_MEMORY;
    return finish(&cutting, members, count, cut) ? MSW_OK : MSW_ERROR_OUT_OF_MEMORY;
}

msw_result ms_cut_judge(ms_arena *arena, const ms_cut_graph *graph, const ms_cut_device *device, const ms_cut_rule *rule,
                        const ms_cut_kernel *kernels, uint32_t kernel_count, ms_cut *cut)
{
    ms_cutting cutting = {.arena = arena, .graph = graph, .device = device, .rule = rule};
    ms_members *members = ms_arena_alloc(arena, (kernel_count + 1) * sizeof *members);
    *cut = (ms_cut){0};
    if (!members || !ms_cutting_init(&cutting)) return MSW_ERROR_OUT_OF_MEMORY;
    for (uint32_t k = 0; k < kernel_count; k++) {
        for (uint32_t o = 0; o < kernels[k].operation_count; o++) ms_set_add(&members[k].operations, kernels[k].operations[o]);
        for (uint32_t w = 0; w < kernels[k].write_count; w++) ms_set_add(&members[k].writes, kernels[k].writes[w]);
    }
    if (!isfinite(ms_kernels_seconds(&cutting, members, kernel_count))) return MSW_ERROR_UNSUPPORTED;
    return finish(&cutting, members, kernel_count, cut) ? MSW_OK : MSW_ERROR_OUT_OF_MEMORY;
}
