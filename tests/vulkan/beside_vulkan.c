/* An application's Vulkan functions beside the library's, in one program: by prototypes, linked with the loader, or (BESIDE_VARIABLES) as global
 * variables of the functions' names that a meta-loader fills, as volk does. (Exported by the program, which volk avoids, they would come between
 * libvulkan's own functions.) The application has a device of its own and hands it to the library, which has another meanwhile. */
#ifdef BESIDE_VARIABLES
#include "../../backends/vulkan/loader.h" /* the names of all functions that the library uses; no prototypes */

#include <dlfcn.h>

// clang-format off
#define VARIABLES(X) \
    MS_VK_INSTANCE_FUNCTIONS(X) MS_VK_DEVICE_FUNCTIONS(X) MSW_VULKAN_CALLS(X) X(GetInstanceProcAddr) X(CreateInstance) X(QueueWaitIdle)
// clang-format on
#define VARIABLE(name) PFN_vk##name vk##name;
VARIABLES(VARIABLE)
#endif

#include "vulkan_app.h"

enum { N = 5000 };

static app application;

/* The variables: without an instance what there is before one, then the rest. */
static void load_functions(VkInstance instance)
{
#ifdef BESIDE_VARIABLES
    if (!instance) {
        void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL), *symbol = library ? dlsym(library, "vkGetInstanceProcAddr") : NULL;
        assert_non_null(symbol);
        memcpy(&vkGetInstanceProcAddr, &symbol, sizeof symbol);
    }
#define LOAD(name) \
    if (vkGetInstanceProcAddr(instance, "vk" #name)) vk##name = (PFN_vk##name)vkGetInstanceProcAddr(instance, "vk" #name);
    VARIABLES(LOAD)
#undef LOAD
#endif
    (void)instance;
}

static void check_kernel(msw_context *context, const char *text, const uint32_t *input, const uint32_t *wanted)
{
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec_text = text};
    static uint32_t output[N];
    msw_kernel *kernel;
    msw_diag diag;
    check(msw_kernel_create(context, &desc, &kernel, &diag), &diag);
    check(msw_kernel_run_host(kernel, N, (const void *[]){input}, (void *[]){output}, NULL, &diag), &diag);
    assert_memory_equal(output, wanted, sizeof output);
    msw_kernel_destroy(kernel);
}

static void check_context(msw_context *context)
{
    static uint32_t input[N], sums[N], sorted[N];
    for (uint32_t i = 0; i < N; i++) {
        input[i] = N - i;
        sums[i] = input[i] + (i ? sums[i - 1] : 0);
        sorted[i] = i + 1;
    }
    check_kernel(context, "return scan { monoid = sum(u32) }", input, sums);
    check_kernel(context, "return sort { key = u32 }", input, sorted);
}

static void test_both_devices(void **state)
{
    msw_context_desc desc = {.struct_size = sizeof desc, .device = "vulkan"};
    msw_context *own, *shared, *found;
    msw_diag diag;
    (void)state;
    load_functions(NULL);
    app_create_instance(&application, 1);
    load_functions(application.instance);
    app_create_device(&application, 0);
    msw_vulkan_device objects = app_objects(&application);
    check(msw_context_create(&desc, &own, &diag), &diag);
    desc.vendor = &objects;
    check(msw_context_create(&desc, &shared, &diag), &diag);
    objects.get_instance_proc_addr = NULL; /* the library's own */
    check(msw_context_create(&desc, &found, &diag), &diag);
    check_context(own);
    check_context(shared);
    check_context(found);
    msw_context_destroy(own);
    msw_context_destroy(shared);
    msw_context_destroy(found);
    VK_CHECK(vkQueueWaitIdle(application.queue)); /* the application's device is as it was */
    app_close(&application);
    assert_int_equal(application.messages, 0);
}

/* Nothing of the library goes through the application's variables: now they lead nowhere. */
static void test_variables_are_not_used(void **state)
{
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "vulkan"};
    msw_context *context;
    msw_diag diag;
    (void)state;
#ifdef BESIDE_VARIABLES
#define CLEAR(name) vk##name = NULL;
    VARIABLES(CLEAR)
#undef CLEAR
#endif
    check(msw_context_create(&desc, &context, &diag), &diag);
    check_context(context);
    msw_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_devices), cmocka_unit_test(test_variables_are_not_used)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
