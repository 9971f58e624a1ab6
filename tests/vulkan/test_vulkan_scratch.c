/* The scratch contract with a plan made by hand, whose kernel counts its launches in the scratch; and the blocking calls on a caller's objects. */
#include "vulkan_app.h"

#include "../../runtime/backend.h"

enum { TILE = 64, MAX_BLOCKS = 3, INIT_BYTES = 4096, BASE_BYTES = INIT_BYTES + 256, MEMORY_BYTES = 1 << 16 };

#define PARAMETERS                                                                                                                  \
    "#version 460\n#extension GL_EXT_buffer_reference : require\n#extension GL_EXT_scalar_block_layout : require\n"                 \
    "#extension GL_EXT_buffer_reference_uvec2 : require\n"                                                                          \
    "layout(local_size_x = 64) in;\n"                                                                                               \
    "layout(push_constant, scalar) uniform P { uvec2 n, n_address, scratch, carry_in, carry_out, buffers[8]; uint argument; } p;\n" \
    "layout(buffer_reference, scalar) buffer Words { uint at[]; };\n"

/* Zeroes the first n bytes of the scratch. */
static const char zero_text[] =
    PARAMETERS "void main() {\n"
               "  for (uint i = gl_GlobalInvocationID.x; i < p.n.x / 4; i += gl_NumWorkGroups.x * 64) Words(p.scratch).at[i] = 0;\n"
               "}\n";
/* Adds 1 to all words of the initialised part, and reports them, its blocks and its argument. */
static const char count_text[] =
    PARAMETERS "void main() {\n"
               "  if (gl_WorkGroupID.x == 0) for (uint i = gl_LocalInvocationID.x; i < 1024; i += 64) Words(p.scratch).at[i] += 1;\n"
               "  if (gl_GlobalInvocationID.x == 0) {\n"
               "    uint row = p.argument * 4;\n"
               "    Words(p.buffers[0]).at[row] = Words(p.scratch).at[0];\n"
               "    Words(p.buffers[0]).at[row + 1] = gl_NumWorkGroups.x;\n"
               "    Words(p.buffers[0]).at[row + 2] = p.argument;\n"
               "  }\n"
               "}\n";

static app application;
static msw_context *context;
static msw_kernel *kernel;
static memory out, scratch;

/* Two variants: one step up to TILE items; then two, the second of one block, each seeing the count of the one before. */
static void load_kernel(void)
{
    static const char *const texts[] = {zero_text, count_text};
    msw_plan plan = {.format = MSW_PLAN_FORMAT,
                     .backend = MSW_BACKEND_VULKAN,
                     .name = "counter",
                     .buffer_count = 1,
                     .kernel_count = 2,
                     .step_count = 4,
                     .variant_count = 2,
                     .init_step_count = 1,
                     .scratch_alignment_bytes = 256};
    msw_diag diag;
    plan.buffers[0] = (msw_plan_buffer){"out", 4, 4, MSW_LENGTH_N, 1, 0, 0};
    plan.steps[0] = (msw_plan_step){1, TILE, 1, 0, 0, 0, 0, 0};
    plan.steps[1] = (msw_plan_step){1, TILE, MAX_BLOCKS, 1, 0, 0, 0, 0};
    plan.steps[2] = (msw_plan_step){1, TILE, 1, 2, 0, 0, 0, 0};
    plan.steps[3] = (msw_plan_step){0, 1024, 2, 0, 0, 0, 0, 0};
    plan.variants[0] = (msw_plan_variant){TILE, 0, 1, BASE_BYTES, 0, 0, 0, 4, 4, 0, 0, 1, 0, 0, "small"};
    plan.variants[1] = (msw_plan_variant){100 * TILE, 1, 2, BASE_BYTES, 16, 1, 0, 4, 4, 0, 0, 1, 0, 0, "large"};
    for (int k = 0; k < 2; k++) {
        void *code;
        plan.kernels[k] = (msw_plan_kernel){.entry = k ? "count" : "zero", .text = texts[k], .block_threads = 64, .subgroup_size = 1};
        check(ms_compiler_glslang.compile(&plan.kernels[k], NULL, NULL, &code, &plan.kernels[k].code_bytes, &diag), &diag);
        plan.kernels[k].code = code;
    }
    check(msw_kernel_load(context, &plan, &kernel, &diag), &diag);
    for (int k = 0; k < 2; k++) ms_free(NULL, (void *)(uintptr_t)plan.kernels[k].code, plan.kernels[k].code_bytes);
}

static int open_all(void **state)
{
    msw_vulkan_device objects;
    msw_diag diag;
    (void)state;
    app_open(&application);
    objects = app_objects(&application);
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "vulkan", .vendor = &objects};
    check(msw_context_create(&desc, &context, &diag), &diag);
    out = app_allocate(&application, MEMORY_BYTES);
    scratch = app_allocate(&application, MEMORY_BYTES);
    load_kernel();
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    msw_kernel_destroy(kernel);
    app_free(&application, &out);
    app_free(&application, &scratch);
    msw_context_destroy(context);
    app_close(&application);
    return application.messages;
}

static msw_enqueue_desc describe(uint64_t n, uint32_t flags)
{
    return (msw_enqueue_desc){.struct_size = sizeof(msw_enqueue_desc),
                              .flags = flags,
                              .n = n,
                              .buffers = {out.address},
                              .scratch = scratch.address,
                              .scratch_bytes = BASE_BYTES + 16 * MAX_BLOCKS + (n + TILE - 1) / TILE};
}

/* What the step with this argument reported. */
static void assert_report(uint32_t argument, uint32_t count, uint32_t blocks)
{
    uint32_t report[3];
    memcpy(report, out.data + 16 * argument, sizeof report);
    assert_int_equal(report[0], count);
    assert_int_equal(report[1], blocks);
    assert_int_equal(report[2], argument);
}

static VkCommandBuffer begin(void)
{
    memset(out.data, 0xa5, MEMORY_BYTES);
    return app_begin(&application, application.pool);
}

static void finish(VkCommandBuffer commands, int submissions)
{
    app_end(commands);
    for (int i = 0; i < submissions; i++) app_submit(&application, commands);
    vkFreeCommandBuffers(application.device, application.pool, 1, &commands);
}

static void initialise(void)
{
    const VkCommandBuffer commands = begin();
    msw_diag diag;
    memset(scratch.data, 0xa5, MEMORY_BYTES);
    check(msw_vulkan_scratch_init(kernel, commands, scratch.address, INIT_BYTES, &diag), &diag);
    finish(commands, 1);
    for (int i = 0; i < INIT_BYTES; i++) assert_int_equal(scratch.data[i], 0);
    for (int i = INIT_BYTES; i < MEMORY_BYTES; i++) assert_int_equal(scratch.data[i], 0xa5);
}

/* Initialised once; what the kernel keeps in its scratch survives from launch to launch, in one submission and over many. */
static void test_scratch_is_kept(void **state)
{
    const msw_enqueue_desc small = describe(TILE, 0), large = describe(TILE + 1, 0);
    VkCommandBuffer commands;
    msw_diag diag;
    (void)state;
    initialise();
    commands = begin();
    check(msw_vulkan_enqueue(kernel, commands, &small, &diag), &diag);
    finish(commands, 10);
    assert_report(0, 10, 1);
    commands = begin();
    check(msw_vulkan_enqueue(kernel, commands, &small, &diag), &diag);
    app_barrier_between(commands);
    check(msw_vulkan_enqueue(kernel, commands, &large, &diag), &diag);
    finish(commands, 3);
    assert_report(0, 17, 1); /* 10, and three times 3 but for the last two */
    assert_report(1, 18, 2);
    assert_report(2, 19, 1);
}

/* A dirty scratch is initialised by each launch. */
static void test_dirty_scratch(void **state)
{
    const msw_enqueue_desc desc = describe(10 * TILE, MSW_SCRATCH_DIRTY);
    const VkCommandBuffer commands = begin();
    msw_diag diag;
    (void)state;
    memset(scratch.data, 0xa5, MEMORY_BYTES);
    check(msw_vulkan_enqueue(kernel, commands, &desc, &diag), &diag);
    app_barrier_between(commands);
    check(msw_vulkan_enqueue(kernel, commands, &desc, &diag), &diag);
    finish(commands, 2);
    assert_report(1, 1, MAX_BLOCKS);
    assert_report(2, 2, 1);
}

static void test_scratch_init_refusals(void **state)
{
    const VkCommandBuffer commands = begin();
    msw_diag diag;
    (void)state;
    assert_int_equal(msw_vulkan_scratch_init(NULL, commands, scratch.address, MEMORY_BYTES, &diag), MSW_ERROR_INVALID_ARGUMENT);
    assert_int_equal(msw_vulkan_scratch_init(kernel, NULL, scratch.address, MEMORY_BYTES, &diag), MSW_ERROR_INVALID_ARGUMENT);
    assert_int_equal(msw_vulkan_scratch_init(kernel, commands, scratch.address + 16, MEMORY_BYTES, &diag), MSW_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(diag.message, "256 bytes"));
    assert_int_equal(msw_vulkan_scratch_init(kernel, commands, 0, MEMORY_BYTES, &diag), MSW_ERROR_INVALID_ARGUMENT);
    assert_int_equal(msw_vulkan_scratch_init(kernel, commands, 0, 0, NULL), MSW_OK); /* nothing to initialise */
    finish(commands, 1);
}

/* Blocking calls use the caller's queue; the context's own scratch is initialised when it becomes a kernel's, the caller's is not. */
static void test_blocking_runs(void **state)
{
    msw_enqueue_desc desc = describe(10 * TILE, 0);
    msw_buffer *buffer, *own;
    uint32_t report[12];
    double seconds = -1;
    msw_diag diag;
    (void)state;
    check(msw_buffer_create(context, 4 * 10 * TILE, &buffer, &diag), &diag);
    assert_true(msw_vulkan_buffer(buffer) != VK_NULL_HANDLE);
    assert_true(msw_vulkan_buffer(NULL) == VK_NULL_HANDLE);
    desc.buffers[0] = msw_buffer_address(buffer);
    desc.scratch = 0;
    for (int i = 0; i < 3; i++) check(msw_kernel_run(kernel, &desc, &seconds, &diag), &diag);
    check(msw_buffer_read(buffer, 0, report, sizeof report, &diag), &diag);
    assert_int_equal(report[8], 6);
    assert_true(seconds >= 0);
    initialise();
    desc.scratch = scratch.address;
    for (int i = 0; i < 3; i++) check(msw_kernel_run(kernel, &desc, NULL, &diag), &diag);
    check(msw_buffer_read(buffer, 0, report, sizeof report, &diag), &diag);
    assert_int_equal(report[8], 6);
    check(msw_buffer_create(context, desc.scratch_bytes, &own, &diag), &diag);
    desc.scratch = msw_buffer_address(own);
    desc.scratch_bytes--;
    assert_int_equal(msw_kernel_run(kernel, &desc, NULL, &diag), MSW_ERROR_TOO_SMALL);
    msw_buffer_destroy(own);
    msw_buffer_destroy(buffer);
}

/* Without a queue everything is there but blocking calls. */
static void test_no_queue(void **state)
{
    msw_vulkan_device objects = app_objects(&application);
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "vulkan", .vendor = &objects};
    msw_context *mine = context, *other;
    msw_kernel *mine_kernel = kernel;
    VkCommandBuffer commands;
    msw_diag diag;
    (void)state;
    objects.queue = NULL;
    objects.get_instance_proc_addr = NULL; /* the system's loader */
    check(msw_context_create(&desc, &other, &diag), &diag);
    context = other;
    load_kernel();
    const msw_enqueue_desc once = describe(1, MSW_SCRATCH_DIRTY);
    assert_int_equal(msw_kernel_run(kernel, &once, NULL, &diag), MSW_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(diag.message, "without a queue"));
    commands = begin();
    check(msw_vulkan_enqueue(kernel, commands, &once, &diag), &diag);
    finish(commands, 1);
    assert_report(0, 1, 1);
    msw_kernel_destroy(kernel);
    msw_context_destroy(other);
    context = mine;
    kernel = mine_kernel;
}

static void test_validation_was_silent(void **state)
{
    (void)state;
    assert_int_equal(application.messages, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scratch_is_kept), cmocka_unit_test(test_dirty_scratch), cmocka_unit_test(test_scratch_init_refusals),
        cmocka_unit_test(test_blocking_runs),   cmocka_unit_test(test_no_queue),      cmocka_unit_test(test_validation_was_silent)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
