/* Runs an operation by its plan for Vulkan, and says what there is for CUDA. */
#include "sum_plans.h"
#include <monosweep/monosweep.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "vulkan"};
    const uint32_t x[3] = {1, 20, 300};
    uint32_t y = 0;
    msw_context *context = NULL;
    msw_kernel *kernel = NULL;
    msw_diag diag;
    msw_result result = msw_context_create(&desc, &context, &diag);
    if (!result) result = msw_kernel_load_any(context, total_plans, &kernel, &diag);
    if (!result) result = msw_kernel_run_host(kernel, 3, (const void *[]){x}, (void *[]){&y}, NULL, &diag);
    if (result) printf("%s\n", diag.message);
    for (const msw_plan *const *plan = total_plans; *plan; plan++) {
        const char *code = (*plan)->kernels[0].code;
        if ((*plan)->backend == MSW_BACKEND_VULKAN) printf("Vulkan: %u\n", y);
        if ((*plan)->backend == MSW_BACKEND_CUDA) printf("CUDA: %s\n", strstr(code, ".entry") ? "PTX" : "none");
    }
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
    return result != MSW_OK;
}
