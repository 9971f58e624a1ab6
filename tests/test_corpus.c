/* Every operation of tests/corpus on the device of MSW_TEST_DEVICE (default vulkan), against the oracle, at many sizes and strategies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <monosweep/monosweep.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static msw_context *context;
static int messages; /* of the validation layer */

static void log_line(void *user, const char *line)
{
    (void)user;
    messages++;
    fprintf(stderr, "log: %s\n", line);
}

static int open_context(void **state)
{
    const char *name = getenv("MSW_TEST_DEVICE");
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = name ? name : "vulkan", .log = log_line, .enable_validation = 1};
    msw_diag diag;
    (void)state;
    if (msw_context_create(&desc, &context, &diag)) {
        fprintf(stderr, "%s\n", diag.message);
        return -1;
    }
    fprintf(stderr, "device %s: %s\n", msw_context_device(context)->id, msw_context_device(context)->name);
    return 0;
}

static int close_context(void **state)
{
    (void)state;
    msw_context_destroy(context);
    return messages ? -1 : 0;
}

static uint64_t random_state = 1;

static uint64_t next_random(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return random_state >> 33;
}

/* Random values, of the type: floats are small multiples of 1/4. */
static void fill(const msw_type_info *type, void *data, uint64_t n)
{
    memset(data, 0, n * type->size_bytes);
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t l = 0; l < type->leaf_count; l++) {
            unsigned char *leaf = (unsigned char *)data + i * type->size_bytes + type->leaves[l].offset_bytes;
            const uint64_t value = next_random() ^ next_random() << 31;
            const float f = (float)(value % 1000) / 4 - 125;
            if (type->leaves[l].scalar == MSW_F32) memcpy(leaf, &f, 4);
            else memcpy(leaf, &value, (size_t[]){1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8}[type->leaves[l].scalar]);
        }
}

/* The first element that differs by more than the tolerance; n: none. */
static uint64_t first_difference(const msw_type_info *type, uint64_t n, const void *got, const void *expected, const double *tolerance)
{
    if (!memcmp(got, expected, n * type->size_bytes)) return n;
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t l = 0; l < type->leaf_count; l++) {
            const size_t at = i * type->size_bytes + type->leaves[l].offset_bytes;
            float a, b;
            memcpy(&a, (const char *)got + at, sizeof a * (type->leaves[l].scalar == MSW_F32));
            memcpy(&b, (const char *)expected + at, sizeof b * (type->leaves[l].scalar == MSW_F32));
            if (type->leaves[l].scalar == MSW_F32 && tolerance[l] > 0 ? !(fabs((double)a - (double)b) <= tolerance[l])
                : memcmp((const char *)got + i * type->size_bytes, (const char *)expected + i * type->size_bytes, type->size_bytes) && tolerance[l] == 0)
                return i;
        }
    return n;
}

static int check_size(msw_spec *spec, uint32_t op, msw_kernel *kernel, const msw_op_info *info, uint64_t n, const char *label)
{
    const msw_type_info *in = &info->buffers[0].type, *out = &info->buffers[1].type;
    const uint64_t out_n = info->buffers[1].length == MSW_LENGTH_ONE ? 1 : n;
    void *input = malloc(n * in->size_bytes + 1), *expected = calloc(out_n + 1, out->size_bytes), *got = malloc((out_n + 1) * out->size_bytes);
    double tolerance[128];
    msw_diag diag = {0};
    fill(in, input, n);
    memset(got, 0xa5, (out_n + 1) * out->size_bytes);
    int failed = msw_spec_evaluate(spec, op, n, (const void *[]){input}, (void *[]){expected}, NULL, NULL, tolerance, &diag) != MSW_OK
        || msw_kernel_run_host(kernel, n, (const void *[]){input}, (void *[]){got}, NULL, &diag) != MSW_OK;
    if (failed) fprintf(stderr, "%s %s n = %llu: %s\n", info->name, label, (unsigned long long)n, diag.message);
    const uint64_t different = failed ? 0 : first_difference(out, out_n, got, expected, tolerance);
    if (!failed && different < out_n) {
        fprintf(stderr, "%s %s n = %llu: element %llu differs\n", info->name, label, (unsigned long long)n, (unsigned long long)different);
        failed = 1;
    }
    free(input);
    free(expected);
    free(got);
    return failed;
}

static int check_knobs(msw_spec *spec, uint32_t op, const msw_knob *knobs, uint32_t knob_count, const char *label)
{
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec = spec, .knobs = knobs, .knob_count = knob_count, .op = NULL};
    msw_kernel_desc named = desc;
    msw_op_info info;
    msw_kernel *kernel;
    msw_diag diag;
    int failures = 0;
    msw_spec_op(spec, op, &info);
    named.op = info.name;
    if (msw_kernel_create(context, &named, &kernel, &diag)) {
        fprintf(stderr, "%s %s: %s\n", info.name, label, diag.message);
        return 1;
    }
    const uint64_t tile = msw_kernel_plan(kernel)->steps[0].tile_items;
    const uint64_t sizes[] = {0, 1, 2, tile - 1, tile, tile + 1, 4 * tile, 4 * tile + 1, 7919, 30011};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) failures += check_size(spec, op, kernel, &info, sizes[s], label);
    msw_kernel_destroy(kernel);
    return failures;
}

static void check_file(const char *name)
{
    char path[512];
    msw_spec *spec;
    msw_diag diag;
    int failures = 0;
    snprintf(path, sizeof path, "%s/tests/corpus/%s", MSW_SOURCE_DIR, name);
    const msw_spec_desc desc = {.struct_size = sizeof desc, .file = path};
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
    static const msw_knob small[] = {{"block", "64"}, {"strategy", "reduce_then_scan"}, {"blocks", "300"}}, plain[] = {{"subgroup", "1"}, {"block", "64"}};
    for (uint32_t op = 0; op < msw_spec_op_count(spec); op++) {
        failures += check_knobs(spec, op, NULL, 0, "default");
        failures += check_knobs(spec, op, small, 3, "reduce_then_scan");
        failures += check_knobs(spec, op, plain, 2, "without subgroup operations");
    }
    msw_spec_destroy(spec);
    assert_int_equal(failures, 0);
}

static void test_sums(void **state)
{
    (void)state;
    check_file("sums.lua");
}

static void test_monoids(void **state)
{
    (void)state;
    check_file("monoids.lua");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums), cmocka_unit_test(test_monoids)};
    return cmocka_run_group_tests(tests, open_context, close_context);
}
