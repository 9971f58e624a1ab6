/* Subgroup sizes: what a driver with a range of them is asked for, and which it is not. The driver is the machine's, with a range of sizes laid
 * over it between monosweep and the loader; pipelines of a size that it has not are recorded and not made. */
#include "cli_driver.h"
#include "vulkan_app.h"

#include <pthread.h>

/* What the driver says through the layer, and what it was asked for. */
static struct layer {
    uint32_t least, most, is_required; /* the range; whether compute pipelines may ask for one of it */
    uint32_t asked[16], is_full[16];   /* of each pipeline: the size, 0 for none, and whether the subgroups must be full */
    uint32_t count;
} layer;

static app application;

static VKAPI_ATTR void VKAPI_CALL layer_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *properties)
{
    vkGetPhysicalDeviceProperties2(device, properties);
    for (VkBaseOutStructure *part = properties->pNext; part; part = part->pNext)
        if (part->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES) {
            VkPhysicalDeviceVulkan13Properties *v13 = (void *)part;
            v13->minSubgroupSize = layer.least;
            v13->maxSubgroupSize = layer.most;
            v13->maxComputeWorkgroupSubgroups = 64;
            v13->requiredSubgroupSizeStages = layer.is_required ? VK_SHADER_STAGE_COMPUTE_BIT : 0;
        }
}

static VKAPI_ATTR VkResult VKAPI_CALL layer_pipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                      const VkComputePipelineCreateInfo *infos, const VkAllocationCallbacks *allocator,
                                                      VkPipeline *pipelines)
{
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo *size = infos->stage.pNext;
    (void)device, (void)cache, (void)allocator;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* pipelines are made in several threads */
    pthread_mutex_lock(&lock);
    assert_int_equal(count, 1);
    assert_true(layer.count < 16);
    if (size) assert_int_equal(size->sType, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
    layer.asked[layer.count] = size ? size->requiredSubgroupSize : 0;
    layer.is_full[layer.count++] = (infos->stage.flags & VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT) != 0;
    pthread_mutex_unlock(&lock);
    *pipelines = VK_NULL_HANDLE;
    return VK_SUCCESS;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL layer_device_function(VkDevice device, const char *name)
{
    if (!strcmp(name, "vkCreateComputePipelines")) return (PFN_vkVoidFunction)layer_pipelines;
    return vkGetDeviceProcAddr(device, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL layer_function(VkInstance instance, const char *name)
{
    if (!strcmp(name, "vkGetPhysicalDeviceProperties2")) return (PFN_vkVoidFunction)layer_properties;
    if (!strcmp(name, "vkGetDeviceProcAddr")) return (PFN_vkVoidFunction)layer_device_function;
    return vkGetInstanceProcAddr(instance, name);
}

static const char spec[] = "return scan { monoid = sum(u32) }";

/* Makes a kernel with the knob subgroup = SIZE on a device with this layer. */
static msw_result make_kernel(struct layer settings, const char *size, msw_diag *diag)
{
    const msw_knob knobs[] = {{"subgroup", size}, {"block", "64"}, {"strategy", "reduce_then_scan"}};
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec_text = spec, .knobs = knobs, .knob_count = 3};
    msw_vulkan_device objects = app_objects(&application);
    const msw_context_desc wanted = {.struct_size = sizeof wanted, .device = "vulkan", .vendor = &objects};
    msw_context *context;
    msw_kernel *kernel;
    layer = settings;
    objects.get_instance_proc_addr = layer_function;
    check(msw_context_create(&wanted, &context, diag), diag);
    const msw_result result = msw_kernel_create(context, &desc, &kernel, diag);
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
    return result;
}

/* Every pipeline asks for the size that its text was made for, all lanes of it. */
static void test_every_size_of_a_range(void **state)
{
    static const char *const sizes[] = {"4", "8", "16", "32", "64"};
    msw_diag diag;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check(make_kernel((struct layer){.least = 4, .most = 64, .is_required = 1}, sizes[i], &diag), &diag);
        assert_int_equal(layer.count, 2);
        for (uint32_t k = 0; k < layer.count; k++) {
            assert_int_equal(layer.asked[k], atoi(sizes[i]));
            assert_true(layer.is_full[k]);
        }
    }
}

/* A text without subgroup operations runs at any size. */
static void test_no_subgroup_operations(void **state)
{
    msw_diag diag;
    (void)state;
    check(make_kernel((struct layer){.least = 4, .most = 64, .is_required = 1}, "1", &diag), &diag);
    assert_int_equal(layer.count, 2);
    assert_int_equal(layer.asked[0], 0);
    assert_false(layer.is_full[0]);
}

static void expect_refusal(struct layer settings, const char *size, const char *text)
{
    msw_diag diag;
    assert_int_equal(make_kernel(settings, size, &diag), MSW_ERROR_UNSUPPORTED);
    if (!strstr(diag.message, text)) fail_msg("%s", diag.message);
    assert_int_equal(layer.count, 0);
}

static void test_sizes_out_of_range(void **state)
{
    (void)state;
    expect_refusal((struct layer){.least = 8, .most = 32, .is_required = 1}, "4", "has 8 to 32; set the subgroup to one of these, or to 1");
    expect_refusal((struct layer){.least = 8, .most = 32, .is_required = 1}, "64", "has 8 to 32; set the subgroup to one of these, or to 1");
    expect_refusal((struct layer){.least = 8, .most = 32, .is_required = 0}, "16", "cannot ask");
}

static void test_validation_was_silent(void **state)
{
    (void)state;
    assert_int_equal(application.messages, 0);
}

/* Subgroups that lavapipe advertises and miscompiles, in a process of their own. */
static void test_lavapipe_beyond_512_bits(void **state)
{
    static const struct {
        const char *width, *lanes;
    } cases[] = {{"1024", "32"}, {"2048", "64"}};
    static const uint32_t one[1] = {1};
    (void)state;
    enter_directory("test_vulkan_subgroups.files");
    make_text("spec.lua", spec);
    make_file("in.bin", one, sizeof one);
    for (size_t i = 0; i < 2; i++) {
        char message[128];
        assert_int_equal(setenv("LP_NATIVE_VECTOR_WIDTH", cases[i].width, 1), 0);
        snprintf(message, sizeof message, "lavapipe miscompiles subgroups of %s; set LP_NATIVE_VECTOR_WIDTH to 512 or less", cases[i].lanes);
        expect("devices", 0, message, NULL);
        expect_failure("run spec.lua --device vulkan --input in=in.bin --output out=out/out.bin", 1, message);
        expect("run spec.lua --input in=in.bin --output out=out.bin", 0, NULL, "host"); /* auto goes on to the oracle */
    }
    assert_int_equal(unsetenv("LP_NATIVE_VECTOR_WIDTH"), 0);
}

static int open_application(void **state)
{
    (void)state;
    app_open(&application);
    return 0;
}

static int close_application(void **state)
{
    (void)state;
    app_close(&application);
    return application.messages ? -1 : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_size_of_a_range), cmocka_unit_test(test_no_subgroup_operations),
                                       cmocka_unit_test(test_sizes_out_of_range), cmocka_unit_test(test_validation_was_silent),
                                       cmocka_unit_test(test_lavapipe_beyond_512_bits)};
    return cmocka_run_group_tests(tests, open_application, close_application);
}
