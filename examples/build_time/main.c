/* Draws numbers and sorts them with kernels that were made when this program was built. */
#include "order_plans.h"
#include "random_plans.h"

#include <monosweep/monosweep.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1 << 20 };

static uint32_t stirred[COUNT], numbers[COUNT], sorted[COUNT], places[COUNT];

static void check(msw_result result, const msw_diag *diag)
{
    if (result == MSW_OK) return;
    fprintf(stderr, "%s\n", diag->message);
    exit(1);
}

/* One operation on host arrays, by whichever of its plans the device runs. */
static void run(msw_context *context, const msw_plan *const *plans, const void *input, void *const *outputs)
{
    msw_kernel *kernel;
    msw_diag diag;
    check(msw_kernel_load_any(context, plans, &kernel, &diag), &diag);
    check(msw_kernel_run_host(kernel, COUNT, &input, outputs, NULL, &diag), &diag);
    msw_kernel_destroy(kernel);
}

int main(int count, char **arguments)
{
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = count > 1 ? arguments[1] : "vulkan"};
    void *const order_outputs[] = {sorted, places};
    uint32_t expected = 0, wrong = 0;
    msw_context *context;
    msw_diag diag;

    stirred[0] = 2463534242u;
    check(msw_context_create(&desc, &context, &diag), &diag);
    run(context, numbers_plans, stirred, &(void *){numbers});
    run(context, order_plans, numbers, order_outputs);
    msw_context_destroy(context);

    for (uint32_t i = 0; i < COUNT; i++) {
        expected = 1664525u * expected + 1013904223u + stirred[i];
        wrong += numbers[i] != expected;
        wrong += places[i] >= COUNT || numbers[places[i]] != sorted[i];
        wrong += i > 0 && (sorted[i] < sorted[i - 1] || (sorted[i] == sorted[i - 1] && places[i] < places[i - 1]));
    }
    printf("%d numbers, from %u to %u, %u wrong\n", COUNT, sorted[0], sorted[COUNT - 1], wrong);
    return wrong > 0;
}
