#include "plan_record.h"

#include <string.h>

typedef struct record_head {
    msw_plan plan;
    ms_cache_key codes[MSW_MAX_KERNELS];
} record_head;

uint32_t ms_plan_names(msw_plan *plan, const char **names[MS_MAX_PLAN_NAMES])
{
    uint32_t count = 0;
    names[count++] = &plan->name;
    for (uint32_t b = 0; b < plan->buffer_count + plan->between_count; b++) names[count++] = &plan->buffers[b].name;
    for (uint32_t k = 0; k < plan->kernel_count; k++) names[count++] = &plan->kernels[k].entry;
    for (uint32_t v = 0; v < plan->variant_count; v++) names[count++] = &plan->variants[v].strategy;
    for (uint32_t s = 0; s < plan->stage_count; s++) names[count++] = &plan->stages[s].name;
    return count;
}

static void forget_code(msw_plan *plan)
{
    for (uint32_t k = 0; k < MSW_MAX_KERNELS; k++) {
        plan->kernels[k].text = NULL;
        plan->kernels[k].code = NULL;
        plan->kernels[k].code_bytes = 0;
    }
}

size_t ms_plan_record_bytes(const msw_plan *plan)
{
    msw_plan copy = *plan;
    const char **names[MS_MAX_PLAN_NAMES];
    size_t bytes = sizeof(record_head);
    for (uint32_t n = ms_plan_names(&copy, names); n-- > 0;) bytes += strlen(*names[n]) + 1;
    return bytes;
}

void ms_plan_record_write(const msw_plan *plan, const ms_cache_key codes[MSW_MAX_KERNELS], void *record)
{
    record_head head;
    const char **names[MS_MAX_PLAN_NAMES];
    char *end = (char *)record + sizeof head;
    memset(&head, 0, sizeof head);
    head.plan = *plan;
    forget_code(&head.plan);
    memcpy(head.codes, codes, sizeof head.codes);
    const uint32_t count = ms_plan_names(&head.plan, names);
    for (uint32_t n = 0; n < count; n++) {
        end = stpcpy(end, *names[n]) + 1;
        *names[n] = NULL;
    }
    memcpy(record, &head, sizeof head);
}

int ms_plan_record_read(const void *record, size_t bytes, msw_plan *plan, ms_cache_key codes[MSW_MAX_KERNELS])
{
    record_head head;
    const char **names[MS_MAX_PLAN_NAMES];
    const char *next = (const char *)record + sizeof head, *const end = (const char *)record + bytes;
    if (bytes < sizeof head) return 0;
    memcpy(&head, record, sizeof head);
    if (head.plan.buffer_count > MSW_MAX_BUFFERS || head.plan.between_count > MSW_MAX_BUFFERS - head.plan.buffer_count) return 0;
    if (head.plan.kernel_count > MSW_MAX_KERNELS || head.plan.variant_count > MSW_MAX_VARIANTS || head.plan.stage_count > MSW_MAX_STAGES) return 0;
    *plan = head.plan;
    memcpy(codes, head.codes, sizeof head.codes);
    forget_code(plan);
    const uint32_t count = ms_plan_names(plan, names);
    for (uint32_t n = 0; n < count; n++) {
        const char *nul = memchr(next, '\0', (size_t)(end - next));
        if (!nul) return 0;
        *names[n] = next;
        next = nul + 1;
    }
    return next == end;
}
