/* Enqueueing on Vulkan with a driver's table in between: what is called, and that nothing is allocated. */
#include "vulkan_app.h"
#include "watched_vulkan.h"

static app application;
static VkCommandBuffer commands;

static msw_result quiet_open(const msw_allocator *allocator, msw_context **context, msw_diag *diag)
{
    app_open(&application);
    msw_vulkan_device objects = app_objects(&application);
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "vulkan", .allocator = allocator, .vendor = &objects};
    objects.get_instance_proc_addr = watched_get_instance_proc_addr;
    return msw_context_create(&desc, context, diag);
}

static msw_result quiet_enqueue(msw_kernel *kernel, const msw_enqueue_desc *desc, msw_diag *diag)
{
    return msw_vulkan_enqueue(kernel, commands, desc, diag);
}

static msw_result quiet_scratch_init(msw_kernel *kernel, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag)
{
    return msw_vulkan_scratch_init(kernel, commands, scratch, scratch_bytes, diag);
}

static msw_result quiet_reserve(msw_kernel *kernel, uint64_t scratch_bytes, msw_diag *diag)
{
    return msw_vulkan_scratch_reserve(kernel, commands, scratch_bytes, diag);
}

static void calls_forget(void) { watched_forget(); }

static void calls_expect(int dispatches, int barriers, const char *what)
{
    static const char *const recording[] = {"vkCmdBindPipeline", "vkCmdPushConstants", "vkCmdDispatch", "vkCmdPipelineBarrier"};
    const char *name;
    for (int i = 0; (name = watched_name(i)) != NULL; i++) {
        int allowed = 0;
        for (int r = 0; r < 4; r++) allowed |= !strcmp(name, recording[r]);
        if (!allowed) fail_msg("%s: %s was called", what, name);
    }
    for (int r = 0; r < 4; r++) {
        const int calls = watched_calls(recording[r]);
        if (calls != (r < 3 ? dispatches : barriers)) fail_msg("%s: %s was called %d times", what, recording[r], calls);
    }
}

static msw_result quiet_load(msw_program *program, msw_kernel **kernel, msw_diag *diag);

#include "quiet_cases.h"

/* Commands of one kernel: they are invalid when it goes. */
static msw_result quiet_load(msw_program *program, msw_kernel **kernel, msw_diag *diag)
{
    VK_CHECK(vkResetCommandPool(application.device, application.pool, 0));
    vkFreeCommandBuffers(application.device, application.pool, 1, &commands);
    commands = app_begin(&application, application.pool);
    const msw_result result = msw_program_compile(program, diag);
    return result ? result : msw_kernel_load(context, msw_program_plan(program), kernel, diag);
}

/* What makes objects goes through the table, too. */
static void test_the_table(void **state)
{
    msw_kernel *kernel;
    msw_buffer *buffer;
    msw_diag diag;
    (void)state;
    watched_forget();
    kernel = load("sums", "single_block");
    assert_int_equal(watched_calls("vkCreateComputePipelines"), msw_kernel_plan(kernel)->kernel_count);
    check(msw_buffer_create(context, 100, &buffer, &diag), &diag);
    assert_int_equal(watched_calls("vkAllocateMemory"), 1);
    msw_buffer_destroy(buffer);
    msw_kernel_destroy(kernel);
}

static int close_all(void **state)
{
    (void)state;
    msw_spec_destroy(spec);
    msw_context_destroy(context);
    app_close(&application);
    return application.messages || allocations.live_blocks;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_watch), cmocka_unit_test(test_the_table), cmocka_unit_test(test_enqueues_are_quiet)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
