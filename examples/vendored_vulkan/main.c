/* The moving average of a million bytes by affine_vulkan.h, which needs nothing of monosweep at run time. */
#define AFFINE_VULKAN_IMPLEMENTATION /* in one file of a program */
#include "affine_vulkan.h"
#include "setup.h"

enum { N = 1000000 };

static void fill(unsigned char *x)
{
    uint32_t random = 1;
    for (int i = 0; i < N; i++) x[i] = (unsigned char)((random = random * 1664525u + 1013904223u) >> 24);
}

/* The largest difference from y[i] = 0.9 y[i - 1] + 0.1 x[i], computed one after the other. */
static double difference(const unsigned char *x, const float *y)
{
    double expected = 0, most = 0;
    for (int i = 0; i < N; i++) {
        expected = 0.9 * expected + 0.1 * x[i];
        const double d = y[i] > expected ? y[i] - expected : expected - y[i];
        if (!(d <= most)) most = d;
    }
    return most;
}

int main(void)
{
    setup s;
    setup_open(&s);
    msw_vulkan_app app = {vkGetInstanceProcAddr, s.instance, s.physical_device, s.device, VK_NULL_HANDLE};
    affine_kernel kernel;
    MUST(affine_create(&kernel, &app));
    const uint64_t scratch_bytes = affine_scratch_bytes(&kernel, N);
    array in = array_create(&s, N), out = array_create(&s, N * sizeof(float)), scratch = array_create(&s, scratch_bytes);
    fill(in.data);

    const affine_arguments arguments = {.n = N, .in = in.address, .out = out.address, .scratch = scratch.address, .scratch_bytes = scratch_bytes};
    setup_begin(&s);
    MUST(affine_scratch_init(&kernel, s.commands, scratch.address, scratch_bytes)); /* once for a scratch */
    MUST(affine_enqueue(&kernel, s.commands, &arguments));
    setup_submit(&s);

    const double most = difference(in.data, out.data);
    printf("subgroups of %u: %d bytes averaged, largest difference %.1e\n", kernel.loaded.plan->kernels[0].subgroup_size, N, most);
    array_destroy(&s, &scratch);
    array_destroy(&s, &out);
    array_destroy(&s, &in);
    affine_destroy(&kernel);
    setup_close(&s);
    return !(most < 1e-3);
}
