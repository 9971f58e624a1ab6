/* Mean, variance and log-sum-exp of a file of numbers: on a device in f32, and by plain loops in double, which must agree to five digits. */
#include <math.h>
#include <monosweep/monosweep.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1 << 20 };

static void check(msw_result result, const msw_diag *diag)
{
    if (result == MSW_OK) return;
    fprintf(stderr, "%s\n", diag->message);
    exit(1);
}

static void reduce(msw_context *context, const char *op, const float *x, uint64_t n, float *result)
{
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec_file = "statistics.lua", .op = op};
    msw_kernel *kernel;
    msw_diag diag;
    check(msw_kernel_create(context, &desc, &kernel, &diag), &diag);
    check(msw_kernel_run_host(kernel, n, (const void *[]){x}, (void *[]){result}, NULL, &diag), &diag);
    msw_kernel_destroy(kernel);
}

static int agree(double got, double expected) { return fabs(got - expected) <= 1e-5 * fabs(expected); }

int main(int argc, char **argv)
{
    static float x[MOST];
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    size_t n = 0;
    if (!file) return fprintf(stderr, "usage: %s FILE\n", argv[0]);
    while (n < MOST && fscanf(file, "%f", &x[n]) == 1) n++;
    fclose(file);
    if (!n) return fprintf(stderr, "%s: no numbers\n", argv[1]);

    msw_context *context;
    msw_diag diag;
    float moments[2], total;
    check(msw_context_create(NULL, &context, &diag), &diag);
    reduce(context, "moments", x, n, moments);
    reduce(context, "log_sum_exp", x, n, &total);
    msw_context_destroy(context);

    double mean = 0, variance = 0, sum = 0;
    for (size_t i = 0; i < n; i++) mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++) variance += (x[i] - mean) * (x[i] - mean) / (double)n;
    for (size_t i = 0; i < n; i++) sum += exp(x[i]); /* which f32 could not hold */
    const int right = agree(moments[0], mean) && agree(moments[1], variance) && agree(total, log(sum));
    printf("%zu numbers: mean %.2f, variance %.1f, log-sum-exp %.1f, %s\n", n, moments[0], moments[1], total, right ? "as in double" : "WRONG");
    return !right;
}
