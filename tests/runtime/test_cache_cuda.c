/* Kernels by way of the on-disk cache, on a fake libcuda (tests/support/fake_cuda.c) by a real NVRTC: that it need not be opened, devices,
 * processes, memory. */
#include "fake_driver.h"

#include "cache_files.h"
#include "failing.h"

#include "../../backends/cuda/nvrtc.h"
#include "../../runtime/objects.h"

static const char sums_text[] = "return scan { name = 'sums', monoid = sum(u32) }";

static cache_log context_log;

static msw_context *open_cached(const char *device, const char *cache_dir, const msw_allocator *allocator)
{
    const msw_cuda_device vendor = vendor_of(NULL);
    const msw_context_desc desc = {.struct_size = sizeof desc,
                                   .device = device,
                                   .allocator = allocator,
                                   .cache_dir = cache_dir,
                                   .log = count_line,
                                   .log_user = &context_log,
                                   .vendor = &vendor};
    msw_context *context;
    msw_diag diag;
    context_log = (cache_log){0};
    check(msw_context_create(&desc, &context, &diag), &diag);
    return context;
}

static msw_result create(msw_context *context, const char *text, msw_diag *diag)
{
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec_text = text};
    msw_kernel *kernel;
    const msw_result result = msw_kernel_create(context, &desc, &kernel, diag);
    if (result == MSW_OK) assert_string_equal(msw_kernel_plan(kernel)->name, "sums");
    msw_kernel_destroy(kernel);
    return result;
}

/* How many files come of it. */
static uint32_t count_new(const char *path, const char *device, const char *text)
{
    const uint32_t before = list_files(path).count;
    msw_context *context = open_cached(device, path, NULL);
    msw_diag diag;
    check(create(context, text, &diag), &diag);
    msw_context_destroy(context);
    expect_lines(&context_log, 0, "");
    expect_nothing_alive();
    return list_files(path).count - before;
}

static int has_compiler(void **state)
{
    msw_diag diag;
    ms_nvrtc nvrtc;
    reset(state);
    if (ms_nvrtc_open(&nvrtc, &diag) != MSW_OK) {
        print_message("nothing is compiled: %s\n", diag.message);
        return 0;
    }
    ms_nvrtc_close(&nvrtc);
    return 1;
}

/* Devices of two architectures, and names, share nothing. */
static void test_devices(void **state)
{
    static const int capabilities[][2] = {{86, 86}, {80, 80}}; /* of as many kernels */
    char *path = make_directory();
    if (!has_compiler(state)) skip();
    memcpy(fake->capability, capabilities[0], sizeof capabilities[0]);
    const uint32_t count = count_new(path, "cuda:0", sums_text);
    assert_true(count >= 3);
    assert_int_equal(count_new(path, "cuda:0", sums_text), 0);
    assert_int_equal(count_new(path, "cuda:1", sums_text), 1); /* another name: another plan, of the same kernels */
    memcpy(fake->capability, capabilities[1], sizeof capabilities[1]);
    assert_int_equal(count_new(path, "cuda:0", sums_text), count);
    remove_directory(path);
}

/* The file that is opened, told without opening it. */
static void test_identity(void **state)
{
    char text[MS_COMPILER_IDENTITY_BYTES], again[MS_COMPILER_IDENTITY_BYTES];
    if (!has_compiler(state)) skip();
    ms_compiler_nvrtc.identity(text);
    ms_compiler_nvrtc.identity(again);
    assert_string_equal(text, again);
    print_message("%s\n", text);
    assert_true(text[0] != '\0');
    ms_compiler_glslang.identity(text);
    print_message("%s\n", text);
    assert_non_null(strstr(text, "glslang 1"));
    assert_non_null(strstr(text, "SPIRV-Tools v20"));
}

/* ---- processes ---- */

enum { PROCESSES = 16 };
static const char *program; /* this one: a compiler does not survive a fork */

static int work(const char *path)
{
    msw_diag diag;
    reset(NULL);
    msw_context *context = open_cached("cuda", path, NULL);
    for (int round = 0; round < 3; round++)
        if (create(context, sums_text, &diag) != MSW_OK) return 1;
    msw_context_destroy(context);
    return context_log.lines ? 2 : 0;
}

static void test_processes(void **state)
{
    char *path = make_directory();
    pid_t children[PROCESSES];
    int status;
    if (!has_compiler(state)) skip();
    for (int p = 0; p < PROCESSES; p++) {
        children[p] = fork();
        assert_true(children[p] >= 0);
        if (children[p] == 0) {
            execl(program, program, "--work", path, (char *)NULL);
            _exit(101);
        }
    }
    for (int p = 0; p < PROCESSES; p++) {
        assert_int_equal(waitpid(children[p], &status, 0), children[p]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    const cache_files files = list_files(path);
    assert_int_equal(files.temporary_count, 0);
    assert_int_equal(count_new(path, "cuda", sums_text), 0);
    remove_directory(path);
}

/* ---- without memory ---- */

/* Each allocation of the warm way fails in turn: then the kernel is made as without a cache. */
static void test_allocations(void **state)
{
    char *path = make_directory();
    int64_t first = 0;
    failing memory;
    msw_diag diag;
    if (!has_compiler(state)) skip();
    count_new(path, "cuda", sums_text);
    do {
        const msw_allocator allocator = {&memory, failing_resize};
        memory = (failing){0};
        msw_context *context = open_cached("cuda", path, &allocator);
        const int64_t before = memory.calls;
        memory.first = before + ++first;
        memory.count = 1;
        const msw_result result = create(context, sums_text, &diag);
        assert_true(result == MSW_OK || result == MSW_ERROR_OUT_OF_MEMORY);
        if (result != MSW_OK) assert_int_equal(diag.code, MSW_ERROR_OUT_OF_MEMORY);
        msw_context_destroy(context);
        assert_int_equal(memory.live_blocks, 0);
        expect_nothing_alive();
    } while (memory.calls >= memory.first);
    assert_true(first > 8);
    remove_directory(path);
}

int main(int count, char **arguments)
{
    program = arguments[0];
    if (count == 3 && !strcmp(arguments[1], "--work")) return work(arguments[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
