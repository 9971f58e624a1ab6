/* Enqueueing on an application's own Vulkan objects: the common cases, and commands of the application's between. */
#include "vulkan_app.h"

static app application;

typedef struct work {
    VkCommandPool pool;
    VkCommandBuffer commands;
} work;

static msw_result app_open_context(const msw_allocator *allocator, msw_context **context, msw_diag *diag)
{
    app_open(&application);
    const msw_vulkan_device objects = app_objects(&application);
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "vulkan", .allocator = allocator, .vendor = &objects};
    return msw_context_create(&desc, context, diag);
}

static int app_close_all(void)
{
    app_close(&application);
    return application.messages; /* the validation layer must have been silent */
}

static memory app_allocate_memory(uint64_t bytes) { return app_allocate(&application, bytes); }

static void app_free_memory(memory *m) { app_free(&application, m); }

static work work_begin(void)
{
    const VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = application.family};
    work w;
    VK_CHECK(vkCreateCommandPool(application.device, &info, NULL, &w.pool));
    w.commands = app_begin(&application, w.pool);
    return w;
}

static msw_result work_enqueue(work *w, msw_kernel *kernel, const msw_enqueue_desc *desc, msw_diag *diag)
{
    return msw_vulkan_enqueue(kernel, w->commands, desc, diag);
}

static msw_result work_scratch_init(work *w, msw_kernel *kernel, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag)
{
    return msw_vulkan_scratch_init(kernel, w->commands, scratch, scratch_bytes, diag);
}

static msw_result work_reserve(work *w, msw_kernel *kernel, uint64_t scratch_bytes, msw_diag *diag)
{
    return msw_vulkan_scratch_reserve(kernel, w->commands, scratch_bytes, diag);
}

static void work_release(work *w, msw_kernel *kernel) { msw_vulkan_scratch_release(kernel, w->commands); }

static void work_barrier(work *w) { app_barrier_between(w->commands); }

static void work_end(work *w) { app_end(w->commands); }

static void work_submit(work *w) { app_submit(&application, w->commands); }

static void work_free(work *w) { vkDestroyCommandPool(application.device, w->pool, NULL); }

enum { SCRATCH_BYTES = 1 << 20 };

#include "enqueue_cases.h"

#include "sort_replays.h"

#include "count_replays.h"

#include "item_replays.h"

#include "scratch_cases.h"

/* Upload, two kernels, one on the other's result, and download in one command buffer, with the barriers that the header asks for. */
static void test_two_kernels(void **state)
{
    loaded a = load_strategy("sums", "reduce_then_scan"), b = load_strategy("exclusive", "reduce_then_scan");
    const uint64_t n = 5000, bytes = 4 * n;
    const VkBufferCopy upload = {0, OFFSET, bytes}, download = {OFFSET, 0, bytes};
    const VkCommandBuffer commands = app_begin(&application, application.pool);
    memory source = app_allocate(&application, bytes), middle = app_allocate(&application, MEMORY_BYTES), result = app_allocate(&application, bytes);
    msw_enqueue_desc desc = describe(n);
    unsigned char *between, *expected;
    msw_diag diag;
    (void)state;
    fill(3);
    memcpy(source.data, in.data, bytes);
    memset(in.data, 0, MEMORY_BYTES);
    vkCmdCopyBuffer(commands, source.buffer, in.buffer, 1, &upload);
    app_barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    desc.buffers[1] = middle.address;
    check(msw_vulkan_enqueue(a.kernel, commands, &desc, &diag), &diag);
    app_barrier_between(commands); /* for the result and for the scratch, which both kernels use */
    desc.buffers[0] = middle.address;
    desc.buffers[1] = out.address + OFFSET;
    check(msw_vulkan_enqueue(b.kernel, commands, &desc, &diag), &diag);
    app_barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                VK_ACCESS_TRANSFER_READ_BIT);
    vkCmdCopyBuffer(commands, out.buffer, result.buffer, 1, &download);
    app_barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    VK_CHECK(vkEndCommandBuffer(commands));
    app_submit(&application, commands);
    between = expect(&a, source.data, n, NULL);
    expected = expect(&b, between, n, NULL);
    assert_memory_equal(result.data, expected, bytes);
    test_free(between);
    test_free(expected);
    vkFreeCommandBuffers(application.device, application.pool, 1, &commands);
    app_free(&application, &source);
    app_free(&application, &middle);
    app_free(&application, &result);
    msw_kernel_destroy(a.kernel);
    msw_kernel_destroy(b.kernel);
}

static void test_validation_was_silent(void **state)
{
    (void)state;
    assert_int_equal(application.messages, 0);
}

/* An argument is a pattern: only cases that it fits run. */
int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {ENQUEUE_CASES, SCRATCH_CASES, cmocka_unit_test(test_two_kernels),
                                       cmocka_unit_test(test_validation_was_silent)};
    const struct CMUnitTest sorts[] = {SORT_REPLAYS, SCRATCH_CASES_OF_SORTS, cmocka_unit_test(test_count_replays),
                                       cmocka_unit_test(test_item_replays), cmocka_unit_test(test_validation_was_silent)};
    if (count > 1) cmocka_set_test_filter(arguments[1]);
    int failures = cmocka_run_group_tests(sorts, open_all, close_all);
    static const char *const strategies[] = {"reduce_then_scan", "lookback", "chained_scan"};
    for (int s = 0; s < 3; s++) {
        scan_strategy = strategies[s];
        failures += cmocka_run_group_tests_name(scan_strategy, tests, open_all, close_all);
    }
    return failures;
}
