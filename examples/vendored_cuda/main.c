/* The moving average of a million bytes by affine_cuda.h, which needs nothing of monosweep at run time. As C it uses the driver, under nvcc the
 * runtime. */
#define AFFINE_CUDA_IMPLEMENTATION /* in one file of a program */
#include "affine_cuda.h"
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
    affine_kernel kernel;
    setup_open(&s);
    MUST(affine_create(&kernel));
    const uint64_t scratch_bytes = affine_scratch_bytes(&kernel, N);
    array in = array_create(&s, N), out = array_create(&s, N * sizeof(float)), scratch = array_create(&s, scratch_bytes);
    fill((unsigned char *)in.data);

    affine_arguments arguments;
    memset(&arguments, 0, sizeof arguments);
    arguments.n = N;
    arguments.in = in.address;
    arguments.out = out.address;
    arguments.scratch = scratch.address;
    arguments.scratch_bytes = scratch_bytes;
    MUST(affine_scratch_init(&kernel, s.stream, scratch.address, scratch_bytes)); /* once for a scratch */
    MUST(affine_enqueue(&kernel, s.stream, &arguments));
    setup_wait(&s);

    const double most = difference((const unsigned char *)in.data, (const float *)out.data);
#if defined(__CUDACC__)
    printf("runtime: %d bytes averaged, largest difference %.1e\n", N, most);
#else
    printf("driver: %d bytes averaged, largest difference %.1e\n", N, most);
#endif
    array_destroy(&s, &scratch);
    array_destroy(&s, &out);
    array_destroy(&s, &in);
    affine_destroy(&kernel);
    setup_close(&s);
    return !(most < 1e-3);
}
