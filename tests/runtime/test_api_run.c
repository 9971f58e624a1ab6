/* Running and enqueueing with good and bad descriptions, on the host and on Vulkan: n = 0, what is not given, what cannot be. */
#include "api_checks.h"

/* Descriptions that both the host and Vulkan must refuse; `good` runs. */
static void check_descriptions(msw_context *context, msw_kernel *kernel)
{
    static const uint32_t sizes[] = BAD_SIZES(msw_enqueue_desc);
    msw_buffer *in, *out;
    msw_enqueue_desc good = {.struct_size = sizeof good, .n = 8}, desc;
    expect_ok(msw_buffer_create(context, 64, &in, fresh()));
    expect_ok(msw_buffer_create(context, 64, &out, fresh()));
    good.buffers[0] = msw_buffer_address(in);
    good.buffers[1] = msw_buffer_address(out);
    expect_ok(msw_kernel_run(kernel, &good, NULL, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "NULL", msw_kernel_run(NULL, &good, NULL, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "NULL", msw_kernel_run(kernel, NULL, NULL, fresh()));
    for (int s = 0; s < BAD_SIZE_COUNT; s++) {
        desc = good;
        desc.struct_size = sizes[s];
        REFUSED(MSW_ERROR_VERSION, "set it to sizeof(msw_enqueue_desc)", msw_kernel_run(kernel, &desc, NULL, fresh()));
    }
    desc = good;
    desc.flags = 8;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "flags 0x8", msw_kernel_run(kernel, &desc, NULL, fresh()));
    desc = good;
    desc.buffers[0] = 0;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "give buffers[0]", msw_kernel_run(kernel, &desc, NULL, fresh()));
    desc = good;
    desc.buffers[0] += 1;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "'in': address", msw_kernel_run(kernel, &desc, NULL, fresh()));
    desc = good;
    desc.buffers[1] += 2;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "'out': address", msw_kernel_run(kernel, &desc, NULL, fresh()));
    desc = good;
    desc.buffers[7] = good.buffers[0];
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "buffers[7]", msw_kernel_run(kernel, &desc, NULL, fresh()));
    desc = good;
    desc.n = UINT64_MAX;
    assert_true(msw_kernel_run(kernel, &desc, NULL, fresh()) != MSW_OK);
    assert_true(diag.code != MSW_OK && diag.message[0]);
    desc = good;
    desc.n_address = 4;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "'n_address': address", msw_kernel_run(kernel, &desc, NULL, fresh()));
    desc = good;
    desc.carry_in = good.buffers[0] + 4;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "'carry_in': address", msw_kernel_run(kernel, &desc, NULL, fresh()));
    desc = good;
    desc.carry_out = good.buffers[0] + 16;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "share memory", msw_kernel_run(kernel, &desc, NULL, fresh()));
    desc = good;
    desc.buffers[1] = desc.buffers[0];
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "set MSW_IN_PLACE", msw_kernel_run(kernel, &desc, NULL, fresh()));
    desc = (msw_enqueue_desc){.struct_size = sizeof desc}; /* nothing of nothing */
    expect_ok(msw_kernel_run(kernel, &desc, NULL, fresh()));
    expect_ok(msw_kernel_run(kernel, &good, NULL, fresh()));
    msw_buffer_destroy(in);
    msw_buffer_destroy(out);
}

/* Carries, n in device memory, an output that is not given, and in place, through blocking calls. */
static void check_enqueue_options(msw_context *context, msw_kernel *kernel)
{
    static const uint32_t in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, carry = 100, expected[8] = {101, 103, 106, 110, 115, 6, 7, 8};
    static const uint64_t n = 5;
    uint32_t out[8], carried;
    msw_buffer *data, *more;
    expect_ok(msw_buffer_create(context, sizeof in, &data, fresh()));
    expect_ok(msw_buffer_create(context, 256, &more, fresh()));
    expect_ok(msw_buffer_write(data, 0, in, sizeof in, fresh()));
    expect_ok(msw_buffer_write(more, 0, &carry, sizeof carry, fresh()));
    expect_ok(msw_buffer_write(more, 64, &n, sizeof n, fresh()));
    msw_enqueue_desc desc = {.struct_size = sizeof desc,
                             .n = 8,
                             .n_address = msw_buffer_address(more) + 64,
                             .buffers = {msw_buffer_address(data)},
                             .carry_in = msw_buffer_address(more),
                             .carry_out = msw_buffer_address(more) + 128};
    expect_ok(msw_kernel_run(kernel, &desc, NULL, fresh())); /* the carry alone */
    expect_ok(msw_buffer_read(data, 0, out, sizeof out, fresh()));
    assert_memory_equal(out, in, sizeof in);
    expect_ok(msw_buffer_read(more, 128, &carried, sizeof carried, fresh()));
    assert_int_equal(carried, 115);
    desc.buffers[1] = desc.buffers[0];
    desc.carry_out = desc.carry_in;
    desc.flags = MSW_IN_PLACE;
    expect_ok(msw_kernel_run(kernel, &desc, NULL, fresh()));
    expect_ok(msw_buffer_read(data, 0, out, sizeof out, fresh()));
    assert_memory_equal(out, expected, sizeof expected);
    expect_ok(msw_buffer_read(more, 0, &carried, sizeof carried, fresh()));
    assert_int_equal(carried, 115);
    msw_buffer_destroy(data);
    msw_buffer_destroy(more);
}

static void check_run_host(msw_kernel *kernel)
{
    const uint32_t in[4] = {1, 2, 3, 4};
    uint32_t out[4] = {0};
    const void *inputs[1] = {in};
    void *outputs[1] = {out};
    double seconds = -1;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "kernel is NULL", msw_kernel_run_host(NULL, 4, inputs, outputs, NULL, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "input 'in' is NULL", msw_kernel_run_host(kernel, 4, NULL, outputs, NULL, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "input 'in' is NULL", msw_kernel_run_host(kernel, 4, (const void *[]){NULL}, outputs, NULL, fresh()));
    assert_true(msw_kernel_run_host(kernel, UINT64_MAX, inputs, outputs, NULL, fresh()) != MSW_OK);
    assert_true(diag.code != MSW_OK && diag.message[0]);
    assert_true(msw_kernel_run_host(kernel, UINT64_MAX / 8, inputs, outputs, NULL, fresh()) != MSW_OK);
    assert_true(diag.code != MSW_OK && diag.message[0]);
    expect_ok(msw_kernel_run_host(kernel, 4, inputs, outputs, &seconds, fresh()));
    assert_int_equal(out[3], 10);
    assert_true(seconds >= 0);
    expect_ok(msw_kernel_run_host(kernel, 4, inputs, NULL, NULL, fresh()));
    expect_ok(msw_kernel_run_host(kernel, 4, inputs, (void *[]){NULL}, NULL, fresh()));
    expect_ok(msw_kernel_run_host(kernel, 0, NULL, NULL, NULL, fresh()));
    expect_ok(msw_kernel_run_host(kernel, 0, inputs, outputs, &seconds, fresh()));
    expect_ok(msw_kernel_run_host(kernel, 0, (const void *[]){NULL}, (void *[]){NULL}, NULL, NULL));
}

/* Where a function takes `near` no output is an input; but one place may have both carries. */
static void check_near(msw_context *context)
{
    static const uint32_t in[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    msw_kernel *kernel =
        make_kernel(context, "return scan { monoid = sum(u32), input = u32, map = function(x, i, near) return x - near.before end }");
    uint32_t kept[8], carry = 100;
    msw_buffer *data, *more;
    expect_ok(msw_buffer_create(context, sizeof in, &data, fresh()));
    expect_ok(msw_buffer_create(context, 256, &more, fresh()));
    expect_ok(msw_buffer_write(data, 0, in, sizeof in, fresh()));
    expect_ok(msw_buffer_write(more, 0, &carry, sizeof carry, fresh()));
    msw_enqueue_desc desc = {
        .struct_size = sizeof desc, .flags = MSW_IN_PLACE, .n = 8, .buffers = {msw_buffer_address(data), msw_buffer_address(data)}};
    REFUSED(MSW_ERROR_UNSUPPORTED, "reads what is near an element", msw_kernel_run(kernel, &desc, NULL, fresh()));
    expect_ok(msw_buffer_read(data, 0, kept, sizeof kept, fresh()));
    assert_memory_equal(kept, in, sizeof in);
    desc.buffers[1] = 0;
    desc.carry_in = desc.carry_out = msw_buffer_address(more);
    expect_ok(msw_kernel_run(kernel, &desc, NULL, fresh()));
    expect_ok(msw_buffer_read(more, 0, &carry, sizeof carry, fresh()));
    assert_int_equal(carry, 108);
    msw_buffer_destroy(data);
    msw_buffer_destroy(more);
    msw_kernel_destroy(kernel);
}

/* A packed output is no input, even where its elements have the input's size. */
static void check_packed(msw_context *context)
{
    msw_kernel *kernel = make_kernel(context, "return compact { input = u32, keep = function(x) return gt(x, 3) end }");
    msw_buffer *data, *count;
    expect_ok(msw_buffer_create(context, 32, &data, fresh()));
    expect_ok(msw_buffer_create(context, 8, &count, fresh()));
    const uint64_t in = msw_buffer_address(data);
    const msw_enqueue_desc desc = {.struct_size = sizeof desc, .flags = MSW_IN_PLACE, .n = 8, .buffers = {in, in, msw_buffer_address(count)}};
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "is neither packed nor scattered; keep them apart", msw_kernel_run(kernel, &desc, NULL, fresh()));
    msw_buffer_destroy(data);
    msw_buffer_destroy(count);
    msw_kernel_destroy(kernel);
}

/* The host serves in place what devices serve, and no more: the oracle could, but a program that it serves shall run elsewhere, too. */
static void check_apart(msw_context *context)
{
    static const char *const texts[] = {"return pipeline(function(p) p.output('y', p.map({ p.input('x', u32) }, function(x) return x + 1 end)) end)",
                                        "return scan { monoid = sum(u32), input = u32, outputs = { { 'y', value = function(s) return s end },\n"
                                        "  { 'z', value = function(s) return s end, keep = function(s) return gt(s, 3) end } } }"};
    for (int t = 0; t < 2; t++) {
        msw_kernel *kernel = make_kernel(context, texts[t]);
        msw_buffer *data;
        expect_ok(msw_buffer_create(context, 32, &data, fresh()));
        const uint64_t in = msw_buffer_address(data);
        const msw_enqueue_desc desc = {.struct_size = sizeof desc, .flags = MSW_IN_PLACE, .n = 8, .buffers = {in, in}};
        REFUSED(MSW_ERROR_UNSUPPORTED, "does not run in place", msw_kernel_run(kernel, &desc, NULL, fresh()));
        msw_buffer_destroy(data);
        msw_kernel_destroy(kernel);
    }
}

/* Of a buffer whose length a uniform says a description shows one element. */
static void check_given_lengths(msw_context *context)
{
    msw_kernel *kernel = make_kernel(context, "return map { input = u32, outputs = { {'out', value = function(x) return x end,\n"
                                              "  at = function(x, i) return i end, length = uniform('m', u64)} } }");
    msw_buffer *data, *count;
    expect_ok(msw_buffer_create(context, 32, &data, fresh()));
    expect_ok(msw_buffer_create(context, 8, &count, fresh()));
    expect_ok(msw_buffer_write(count, 0, &(uint64_t){4}, 8, fresh()));
    const uint64_t in = msw_buffer_address(data);
    msw_enqueue_desc desc = {.struct_size = sizeof desc, .n = 4, .buffers = {in, in + 16, msw_buffer_address(count)}};
    expect_ok(msw_kernel_run(kernel, &desc, NULL, fresh()));
    desc.buffers[1] = in + 8;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "share memory", msw_kernel_run(kernel, &desc, NULL, fresh()));
    msw_buffer_destroy(data);
    msw_buffer_destroy(count);
    msw_kernel_destroy(kernel);
}

/* Places of 32 bits reach so far; more is refused before there is memory for it. The host has places of 64 bits: tests/spec/test_far_places.c. */
static void test_places_of_32_bits(void **state)
{
    static const char *const texts[] = {"return map { input = u32, outputs = { {'out', value = function(x) return x end,\n"
                                        "  at = function(x, i) return i end, length = uniform('m', u64)} } }",
                                        "return scan { monoid = sum(u32), outputs = { {'out', value = function(s) return s end,\n"
                                        "  at = function(s, x, i) return i end, length = uniform('m', u64)} } }"};
    const uint32_t in = 1;
    const uint64_t length = UINT64_C(1) << 32;
    (void)state;
    msw_context *context = open_device("vulkan");
    for (int t = 0; t < 2; t++) {
        msw_kernel *kernel = make_kernel(context, texts[t]);
        REFUSED(MSW_ERROR_UNSUPPORTED, "set the knob counts to 64",
                msw_kernel_run_host(kernel, 1, (const void *[]){&in, &length}, (void *[]){NULL}, NULL, fresh()));
        msw_kernel_destroy(kernel);
    }
    msw_context_destroy(context);
}

static void test_runs(void **state)
{
    static const char *const ids[] = {"host", "vulkan"};
    (void)state;
    for (int d = 0; d < 2; d++) {
        msw_context *context = open_device(ids[d]);
        msw_kernel *kernel = make_kernel(context, sum_text);
        check_descriptions(context, kernel);
        check_enqueue_options(context, kernel);
        check_run_host(kernel);
        check_near(context);
        check_packed(context);
        check_apart(context);
        check_given_lengths(context);
        msw_kernel_destroy(kernel);
        msw_context_destroy(context);
    }
}

/* A reduction of nothing writes its identity, or init, everywhere. */
static void test_empty_reductions(void **state)
{
    static const char *const ids[] = {"host", "vulkan"};
    (void)state;
    for (int d = 0; d < 2; d++) {
        msw_context *context = open_device(ids[d]);
        msw_kernel *kernel = make_kernel(context, "return reduce { monoid = minimum(u32), init = 99 }");
        uint32_t out = 1;
        expect_ok(msw_kernel_run_host(kernel, 0, NULL, (void *[]){&out}, NULL, fresh()));
        assert_int_equal(out, 99);
        expect_ok(msw_kernel_run_host(kernel, 0, NULL, NULL, NULL, fresh()));
        msw_kernel_destroy(kernel);
        msw_context_destroy(context);
    }
}

/* Dispatch by dispatch the results are a whole run's; of the kernels those have times that ran. */
static void check_profile(msw_context *context, const char *text)
{
    enum { COUNT = 3000 };
    msw_kernel *kernel = make_kernel(context, text);
    const uint64_t scratch_bytes = msw_scratch_bytes(msw_kernel_plan(kernel), COUNT);
    uint32_t in[COUNT], expected[COUNT], out[COUNT];
    double seconds[MSW_MAX_KERNELS], sum = 0;
    msw_buffer *buffers[3];
    for (uint32_t i = 0; i < COUNT; i++) in[i] = i * 2654435761u;
    for (int b = 0; b < 3; b++) expect_ok(msw_buffer_create(context, b < 2 ? sizeof in : scratch_bytes + 256, &buffers[b], fresh()));
    expect_ok(msw_buffer_write(buffers[0], 0, in, sizeof in, fresh()));
    msw_enqueue_desc desc = {.struct_size = sizeof desc, .n = COUNT, .buffers = {msw_buffer_address(buffers[0]), msw_buffer_address(buffers[1])}};
    expect_ok(msw_kernel_run(kernel, &desc, NULL, fresh()));
    expect_ok(msw_buffer_read(buffers[1], 0, expected, sizeof expected, fresh()));
    for (int is_given = 0; is_given < 2; is_given++) {
        expect_ok(msw_buffer_write(buffers[1], 0, in, sizeof in, fresh()));
        if (is_given) {
            desc.scratch = msw_buffer_address(buffers[2]);
            desc.scratch_bytes = scratch_bytes;
            desc.flags = MSW_SCRATCH_DIRTY;
        }
        expect_ok(msw_kernel_profile(kernel, &desc, seconds, fresh()));
        expect_ok(msw_buffer_read(buffers[1], 0, out, sizeof out, fresh()));
        assert_memory_equal(out, expected, sizeof out);
    }
    for (uint32_t k = 0; k < MSW_MAX_KERNELS; k++) sum += seconds[k];
    assert_true(sum > 0 && sum < 60);
    for (uint32_t k = msw_kernel_plan(kernel)->kernel_count; k < MSW_MAX_KERNELS; k++) assert_true(seconds[k] == 0);
    desc.n = UINT64_MAX;
    assert_true(msw_kernel_profile(kernel, &desc, seconds, fresh()) != MSW_OK);
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "seconds is NULL", msw_kernel_profile(kernel, &desc, NULL, fresh()));
    for (int b = 0; b < 3; b++) msw_buffer_destroy(buffers[b]);
    msw_kernel_destroy(kernel);
}

static void test_profile(void **state)
{
    static const char *const ids[] = {"host", "vulkan"};
    static const char *const texts[] = {"return sort { key = u32, tune = { block = 64, items = 4, strategy = 'upsweep_downsweep' } }",
                                        "return scan { monoid = sum(u32), tune = { strategy = 'lookback' } }",
                                        "return scan { monoid = sum(u32), tune = { strategy = 'reduce_then_scan' } }"};
    (void)state;
    for (int d = 0; d < 2; d++)
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
            msw_context *context = open_device(ids[d]);
            check_profile(context, texts[t]);
            msw_context_destroy(context);
        }
}

static void test_vendor_calls(void **state)
{
    msw_context *host = open_device("host");
    msw_kernel *kernel = make_kernel(host, sum_text);
    const msw_enqueue_desc desc = {.struct_size = sizeof desc};
    const VkCommandBuffer commands = (VkCommandBuffer)poison; /* never touched */
    msw_vulkan_features features = {.struct_size = sizeof features};
    (void)state;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "instance, physical_device or features is NULL",
            msw_vulkan_requirements(NULL, NULL, NULL, &features, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "NULL", msw_vulkan_enqueue(NULL, commands, &desc, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "NULL", msw_vulkan_enqueue(kernel, NULL, &desc, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "load it in a context for", msw_vulkan_enqueue(kernel, commands, &desc, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "NULL", msw_vulkan_scratch_init(NULL, commands, 0, 0, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "NULL", msw_cuda_enqueue(NULL, NULL, &desc, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "load it in a context for \"cuda\"", msw_cuda_enqueue(kernel, NULL, &desc, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "NULL", msw_cuda_scratch_init(NULL, NULL, 0, 0, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "load it in a context for \"cuda\"", msw_cuda_scratch_init(kernel, NULL, 0, 0, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "load it in a context for", msw_vulkan_scratch_init(kernel, commands, 0, 0, fresh()));
    msw_kernel_destroy(kernel);
    msw_context_destroy(host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs),    cmocka_unit_test(test_places_of_32_bits), cmocka_unit_test(test_empty_reductions),
        cmocka_unit_test(test_profile), cmocka_unit_test(test_vendor_calls),      cmocka_unit_test(test_validation_was_silent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
