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
    msw_op_info info = {.struct_size = sizeof info};
    msw_kernel *kernel;
    check(msw_spec_create(&read, &spec, &diag), &diag);
    assert_int_equal(msw_spec_op(spec, 0, &info), MSW_OK);
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec = spec};
    check(msw_kernel_create(context, &desc, &kernel, &diag), &diag);
    for (size_t i = 0; i < sizeof input; i++) input[i] = (unsigned char)(i * 2654435761u >> 16);
    check(msw_spec_evaluate(spec, 0, N, inputs, (void *[]){expected}, NULL, NULL, &diag), &diag);
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
    assert_int_equal(msw_context_device(context)->target.features & (MSW_FEATURE_INT8 | MSW_FEATURE_INT16 | MSW_FEATURE_INT64 | MSW_FEATURE_FLOAT64),
                     0);
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
    assert_string_equal(msw_context_device(context)->id, "vulkan");
    check_spec(context, "return scan { monoid = sum(u8) }");
    check_spec(other, "return scan { monoid = sum(u64) }");
    check_spec(other, "return sort { key = u32 }");
    check_spec(other, "return sort { key = i16, order = 'descending' }");
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

/* ---- features ---- */

/* All that monosweep may ask for. What is optional has a spec that would use it; what is required has none. */
static const struct {
    size_t offset;
    const char *name, *text;
} listed[] = {
#define LISTED(part, name, text)                              \
    {                                                         \
        offsetof(msw_vulkan_features, part.name), #name, text \
    }
    LISTED(v12, bufferDeviceAddress, NULL),
    LISTED(v12, scalarBlockLayout, NULL),
    LISTED(v12, vulkanMemoryModel, NULL),
    LISTED(v12, vulkanMemoryModelDeviceScope, NULL),
    LISTED(v13, subgroupSizeControl, NULL),
    LISTED(v13, computeFullSubgroups, "return sort { key = u32 }"),
    LISTED(core.features, shaderInt64, "return scan { monoid = maximum(u64) }"),
    LISTED(core.features, shaderInt16, "return scan { monoid = maximum(i16) }"),
    LISTED(core.features, shaderFloat64, "return scan { monoid = sum(u32) }"), /* f64 is refused: test_bare_device */
    LISTED(v11, storageBuffer16BitAccess, "return scan { monoid = sum(u16) }"),
    LISTED(v12, storageBuffer8BitAccess, "return scan { monoid = sum(u8) }"),
    LISTED(v12, shaderInt8, "return scan { monoid = maximum(i8) }"),
    LISTED(v12, shaderFloat16, "return scan { monoid = sum(u16), kind = 'exclusive' }"),
    LISTED(v12, shaderBufferInt64Atomics, "return scan { monoid = sum(u64), kind = 'exclusive' }"),
#undef LISTED
};
enum { LISTED_COUNT = sizeof listed / sizeof *listed };

static VkBool32 *place_of(msw_vulkan_features *features, int l) { return (VkBool32 *)(void *)((char *)features + listed[l].offset); }

/* How many features a struct of `bytes` bytes has, all of which are of one type. */
static int count_set(const void *structure, size_t bytes)
{
    int count = 0;
    for (size_t at = sizeof(VkBaseInStructure); at < bytes; at += sizeof(VkBool32)) {
        VkBool32 is_set;
        memcpy(&is_set, (const char *)structure + at, sizeof is_set);
        count += is_set != VK_FALSE;
    }
    return count;
}

/* What is asked for of a device is a chain, ready to be handed on, of what is listed and nothing else. */
static void test_requirements(void **state)
{
    msw_vulkan_features features = {.struct_size = sizeof features};
    msw_diag diag;
    int count = 0;
    (void)state;
    memset(&features, 0x5a, sizeof features);
    features.struct_size = sizeof features;
    check(msw_vulkan_requirements(NULL, application.instance, application.physical_device, &features, &diag), &diag);
    memset(&features, 0x5a, sizeof features);
    features.struct_size = sizeof features;
    check(msw_vulkan_requirements(vkGetInstanceProcAddr, application.instance, application.physical_device, &features, &diag), &diag);
    assert_ptr_equal(features.core.pNext, &features.v11);
    assert_ptr_equal(features.v11.pNext, &features.v12);
    assert_ptr_equal(features.v12.pNext, &features.v13);
    assert_null(features.v13.pNext);
    for (int l = 0; l < LISTED_COUNT; l++) count += *place_of(&features, l) == VK_TRUE;
    for (int l = 0; l < LISTED_COUNT; l++) assert_true(listed[l].text || *place_of(&features, l) == VK_TRUE);
    assert_int_equal(count_set(&features.core, sizeof features.core) + count_set(&features.v11, sizeof features.v11) +
                         count_set(&features.v12, sizeof features.v12) + count_set(&features.v13, sizeof features.v13),
                     count);
}

/* An instance for Vulkan 1.0 is told of no newer features: the message says so. */
static void test_old_instance(void **state)
{
    const VkApplicationInfo old = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_0};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &old};
    msw_vulkan_features features = {.struct_size = sizeof features};
    VkPhysicalDevice device;
    VkInstance instance;
    uint32_t count = 1;
    msw_diag diag;
    (void)state;
    VK_CHECK(vkCreateInstance(&info, NULL, &instance));
    assert_true(vkEnumeratePhysicalDevices(instance, &count, &device) >= 0 && count == 1);
    const msw_result result = msw_vulkan_requirements(vkGetInstanceProcAddr, instance, device, &features, &diag);
    if (result != MSW_OK) { /* other loaders and drivers may tell */
        assert_int_equal(result, MSW_ERROR_UNSUPPORTED);
        assert_non_null(strstr(diag.message, "for Vulkan 1.3"));
    }
    vkDestroyInstance(instance, NULL);
}

/* A device without one of them: what is required is found missing, by name; without the rest everything runs. */
static void test_left_out(void **state)
{
    const msw_vulkan_device objects = app_objects(&application);
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "vulkan", .vendor = &objects};
    app without = application;
    (void)state;
    for (int l = 0; l < LISTED_COUNT; l++) {
        msw_vulkan_features features = application.features;
        msw_vulkan_device described;
        msw_context_desc wanted = desc;
        msw_context *context;
        msw_diag diag;
        if (!*place_of(&features, l)) continue; /* the driver lacks it */
        *place_of(&features, l) = VK_FALSE;
        features.core.pNext = &features.v11;
        features.v11.pNext = &features.v12;
        features.v12.pNext = &features.v13;
        app_make_device(&without, &features.core);
        described = app_objects(&without);
        described.enabled = &features.core;
        wanted.vendor = &described;
        const msw_result result = msw_context_create(&wanted, &context, &diag);
        if (!listed[l].text) {
            assert_int_equal(result, MSW_ERROR_UNSUPPORTED);
            assert_non_null(strstr(diag.message, listed[l].name));
            assert_non_null(strstr(diag.message, "msw_vulkan_requirements"));
        } else {
            check(result, &diag);
            check_spec(context, listed[l].text);
            msw_context_destroy(context);
        }
        app_destroy_device(&without);
    }
}

/* An extension's feature, where the driver has it: with it kernels declare what the validation layer then finds enabled (test_vulkan_modules has the
 * rest, on every driver). */
static void test_control_flow(void **state)
{
    VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR control_flow = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR};
    VkPhysicalDeviceFeatures2 core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &control_flow};
    msw_vulkan_device described;
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "vulkan", .vendor = &described};
    app with = application;
    msw_context *context;
    msw_diag diag;
    (void)state;
    vkGetPhysicalDeviceFeatures2(application.physical_device, &core);
    if (!control_flow.shaderSubgroupUniformControlFlow) return;
    control_flow.pNext = &application.features.core;
    app_make_extended_device(&with, &control_flow, VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME);
    described = app_objects(&with);
    described.enabled = &control_flow;
    check(msw_context_create(&desc, &context, &diag), &diag);
    assert_true(msw_context_device(context)->target.features & MSW_FEATURE_UNIFORM_CONTROL_FLOW);
    check_spec(context, "return scan { monoid = sum(u32) }");
    check_spec(context, "return sort { key = u32 }");
    msw_context_destroy(context);
    app_destroy_device(&with);
}

/* Features in structs of their own, core ones as an application has them, other structs between; and no chain at all. */
static void test_other_chains(void **state)
{
    VkPhysicalDeviceFeatures2 core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    VkPhysicalDeviceSubgroupSizeControlFeatures sizes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES, .pNext = &core, .subgroupSizeControl = VK_TRUE};
    VkPhysicalDeviceVulkanMemoryModelFeatures model = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
                                                       .pNext = &sizes,
                                                       .vulkanMemoryModel = VK_TRUE,
                                                       .vulkanMemoryModelDeviceScope = VK_TRUE};
    VkPhysicalDeviceMultiviewFeatures other = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES, .pNext = &model};
    VkPhysicalDeviceScalarBlockLayoutFeatures layout = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES, .pNext = &other, .scalarBlockLayout = VK_TRUE};
    VkPhysicalDeviceBufferDeviceAddressFeatures address = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES, .pNext = &layout, .bufferDeviceAddress = VK_TRUE};
    msw_vulkan_device described;
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "vulkan", .vendor = &described};
    app parts = application;
    msw_context *context;
    msw_diag diag;
    (void)state;
    core.features.shaderInt64 = application.features.core.features.shaderInt64;
    app_make_device(&parts, &address);
    described = app_objects(&parts);
    described.enabled = &address;
    check(msw_context_create(&desc, &context, &diag), &diag);
    assert_int_equal((msw_context_device(context)->target.features & MSW_FEATURE_INT64) != 0, core.features.shaderInt64);
    assert_int_equal(msw_context_device(context)->target.features & (MSW_FEATURE_INT8 | MSW_FEATURE_INT16 | MSW_FEATURE_FLOAT64), 0);
    check_spec(context, "return scan { monoid = maximum(u64), reverse = true }");
    check_spec(context, "return sort { key = u32 }");
    msw_context_destroy(context);
    described.enabled = NULL;
    assert_int_equal(msw_context_create(&desc, &context, &diag), MSW_ERROR_UNSUPPORTED);
    assert_non_null(strstr(diag.message, "made without bufferDeviceAddress"));
    app_destroy_device(&parts);
}

int main(void)
{
    const struct CMUnitTest whole[] = {cmocka_unit_test(test_whole_device), cmocka_unit_test(test_wrong_descriptions),
                                       cmocka_unit_test(test_requirements), cmocka_unit_test(test_old_instance),
                                       cmocka_unit_test(test_left_out),     cmocka_unit_test(test_control_flow),
                                       cmocka_unit_test(test_other_chains)};
    const struct CMUnitTest bare[] = {cmocka_unit_test(test_bare_device)};
    return cmocka_run_group_tests(whole, open_whole, close_all) + cmocka_run_group_tests(bare, open_bare, close_all);
}
