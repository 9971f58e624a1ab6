/* A caller's Vulkan device: made with the least that will do, shared by several contexts, described wrongly. */
#include "vulkan_app.h"

enum { N = 3001 };

static app application;

static int close_all(void **state)
{
    (void)state;
    app_close(&application);
    return application.messages; /* the validation layer must have been silent */
}

static int open_whole(void **state)
{
    (void)state;
    app_open_device(&application, 0);
    return 0;
}

static int open_bare(void **state)
{
    (void)state;
    app_open_device(&application, 1);
    return 0;
}

static msw_context *open_context(void)
{
    const msw_vulkan_device objects = app_objects(&application);
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "vulkan", .vendor = &objects};
    msw_context *context;
    msw_diag diag;
    check(msw_context_create(&desc, &context, &diag), &diag);
    return context;
}

/* The spec's only operation gives the oracle's bytes. */
static void check_spec(msw_context *context, const char *text)
{
    const msw_spec_desc read = {.struct_size = sizeof read, .text = text};
    static unsigned char input[8 * N], output[8 * N], expected[8 * N];
    const void *inputs[] = {input};
    msw_spec *spec;
    msw_diag diag;
    msw_op_info info;
    msw_kernel *kernel;
    check(msw_spec_create(&read, &spec, &diag), &diag);
    assert_int_equal(msw_spec_op(spec, 0, &info), MSW_OK);
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec = spec};
    check(msw_kernel_create(context, &desc, &kernel, &diag), &diag);
    for (size_t i = 0; i < sizeof input; i++) input[i] = (unsigned char)(i * 2654435761u >> 16);
    check(msw_spec_evaluate(spec, 0, N, inputs, (void *[]){expected}, NULL, NULL, NULL, &diag), &diag);
    check(msw_kernel_run_host(kernel, N, inputs, (void *[]){output}, NULL, &diag), &diag);
    assert_memory_equal(output, expected, (size_t)N * info.buffers[1].type.size_bytes);
    msw_kernel_destroy(kernel);
    msw_spec_destroy(spec);
}

/* Without the optional features: types are emulated, what cannot be is refused by name, and no kernel uses what is not enabled. */
static void test_bare_device(void **state)
{
    const msw_kernel_desc doubles = {.struct_size = sizeof doubles, .spec_text = "return scan { monoid = sum(f64) }"};
    msw_context *context = open_context();
    msw_kernel *kernel;
    msw_diag diag;
    (void)state;
    assert_int_equal(msw_context_device(context)->target.features & (MSW_FEATURE_INT8 | MSW_FEATURE_INT16 | MSW_FEATURE_INT64 | MSW_FEATURE_FLOAT64), 0);
    check_spec(context, "return scan { monoid = sum(u8) }");
    check_spec(context, "return scan { monoid = maximum(i16), reverse = true }");
    check_spec(context, "return scan { monoid = sum(u64), kind = 'exclusive' }");
    check_spec(context, "return scan { monoid = bit_xor(u32) }");
    assert_int_equal(msw_kernel_create(context, &doubles, &kernel, &diag), MSW_ERROR_UNSUPPORTED);
    assert_non_null(strstr(diag.message, "f64"));
    msw_context_destroy(context);
}

static void test_whole_device(void **state)
{
    msw_context *context = open_context(), *other = open_context(); /* two on one device */
    (void)state;
    assert_int_equal(msw_context_device(context)->target.features & application.features, application.features);
    assert_string_equal(msw_context_device(context)->id, "vulkan");
    check_spec(context, "return scan { monoid = sum(u8) }");
    check_spec(other, "return scan { monoid = sum(u64) }");
    msw_context_destroy(context);
    check_spec(other, "return scan { monoid = sum(u32), reverse = true }");
    msw_context_destroy(other);
}

static void test_wrong_descriptions(void **state)
{
    const msw_vulkan_device good = app_objects(&application);
    msw_vulkan_device objects = good;
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "vulkan", .vendor = &objects};
    msw_context *context;
    msw_diag diag;
    (void)state;
    objects.queue_family = 1000;
    assert_int_equal(msw_context_create(&desc, &context, &diag), MSW_ERROR_UNSUPPORTED);
    assert_non_null(strstr(diag.message, "queue family"));
    assert_null(context);
    for (int handle = 0; handle < 3; handle++) {
        objects = good;
        if (handle == 0) objects.instance = NULL;
        if (handle == 1) objects.physical_device = NULL;
        if (handle == 2) objects.device = NULL;
        assert_int_equal(msw_context_create(&desc, &context, &diag), MSW_ERROR_INVALID_ARGUMENT);
        assert_null(context);
    }
}

/* What is asked for of a device is a chain, ready to be handed on; the optional part is named. */
static void test_requirements(void **state)
{
    msw_vulkan_features features;
    uint32_t bits = ~0u;
    msw_diag diag;
    (void)state;
    memset(&features, 0x5a, sizeof features);
    check(msw_vulkan_requirements(NULL, application.instance, application.physical_device, &features, NULL, &diag), &diag);
    check(msw_vulkan_requirements(vkGetInstanceProcAddr, application.instance, application.physical_device, &features, &bits, &diag), &diag);
    assert_ptr_equal(features.core.pNext, &features.v11);
    assert_ptr_equal(features.v11.pNext, &features.v12);
    assert_ptr_equal(features.v12.pNext, &features.v13);
    assert_null(features.v13.pNext);
    assert_int_equal(features.v12.bufferDeviceAddress, VK_TRUE);
    assert_int_equal((bits & MSW_FEATURE_INT64) != 0, features.core.features.shaderInt64);
    assert_int_equal(bits & ~(uint32_t)(MSW_FEATURE_INT8 | MSW_FEATURE_INT16 | MSW_FEATURE_INT64 | MSW_FEATURE_FLOAT16 | MSW_FEATURE_FLOAT64 |
                                        MSW_FEATURE_ATOMIC64), 0);
}

int main(void)
{
    const struct CMUnitTest whole[] = {cmocka_unit_test(test_whole_device), cmocka_unit_test(test_wrong_descriptions), cmocka_unit_test(test_requirements)};
    const struct CMUnitTest bare[] = {cmocka_unit_test(test_bare_device)};
    return cmocka_run_group_tests(whole, open_whole, close_all) + cmocka_run_group_tests(bare, open_bare, close_all);
}
