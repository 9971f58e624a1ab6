/* Finding the CUDA driver, devices, contexts, memory and modules on a fake libcuda (tests/support/fake_cuda.c): no GPU is needed, and none is used.
 * */
#include "fake_driver.h"
#include "failing.h"

/* ---- finding the driver, devices ---- */

/* No driver is no error: there are no devices of that kind. Where there is a real one, this cannot be seen. */
static void test_no_driver(void **state)
{
    void *real = dlopen("libcuda.so.1", RTLD_LAZY);
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "cuda"};
    msw_device_info devices[16] = {{.struct_size = sizeof *devices}};
    msw_context *context;
    msw_diag diag;
    uint32_t count;
    (void)state;
    if (real) {
        print_message("this machine has a CUDA driver: what happens without one is not looked at\n");
        return;
    }
    expect_failure(msw_context_create(&desc, &context, &diag), &diag, MSW_ERROR_DEVICE, "libcuda.so.1 cannot be opened; install");
    assert_null(context);
    check(msw_devices(NULL, devices, 16, &count, &diag), &diag);
    for (uint32_t d = 0; d < count; d++) assert_int_not_equal(devices[d].backend, MSW_BACKEND_CUDA);
    check(msw_context_create(NULL, &context, &diag), &diag);
    assert_int_not_equal(msw_context_device(context)->backend, MSW_BACKEND_CUDA);
    msw_context_destroy(context);
}

/* Found by its name, as without a vendor description; "auto" prefers it. */
static void test_found_by_name(void **state)
{
    static const char *const names[] = {"auto", "cuda", "cuda:0"};
    void *found = dlopen("libcuda.so.1", RTLD_LAZY);
    msw_device_info devices[16] = {{.struct_size = sizeof *devices}};
    msw_diag diag;
    uint32_t count;
    (void)state;
    if (!dlsym(found, "fake_cuda_state")) {
        print_message("this machine has a CUDA driver: the fake one is not found by name\n");
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const msw_context_desc desc = {.struct_size = sizeof desc, .device = names[i]};
        msw_context *context;
        check(msw_context_create(&desc, &context, &diag), &diag);
        assert_string_equal(msw_context_device(context)->id, "cuda:0");
        msw_context_destroy(context);
    }
    check(msw_devices(NULL, devices, 16, &count, &diag), &diag);
    assert_true(count >= 3 && count <= 16);
    assert_string_equal(devices[0].id, "cuda:0");
    assert_string_equal(devices[1].id, "cuda:1");
    for (uint32_t d = 2; d < count; d++) assert_int_not_equal(devices[d].backend, MSW_BACKEND_CUDA);
    assert_string_equal(devices[count - 1].id, "host");
    expect_nothing_alive();
}

static void test_list(void **state)
{
    const msw_cuda_device vendor = vendor_of(NULL);
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "cuda", .vendor = &vendor};
    msw_device_info devices[16] = {{.struct_size = sizeof *devices}};
    msw_diag diag;
    uint32_t count;
    (void)state;
    check(msw_devices(&desc, devices, 16, &count, &diag), &diag);
    const msw_device_info *d = &devices[0];
    assert_string_equal(d->id, "cuda:0");
    assert_string_equal(d->name, "Fake 0");
    assert_string_equal(d->driver, "CUDA 12.8");
    assert_true(d->is_usable && !d->target.is_cpu && d->memory_bytes == (uint64_t)64 << 30 && d->max_allocation_bytes == d->memory_bytes);
    assert_string_equal(d->target.arch, "sm_90");
    assert_int_equal(d->target.max_cluster_blocks, 0); /* as arch has it */
    assert_int_equal(devices[1].target.max_cluster_blocks, 1);
    assert_int_equal(d->target.backend, MSW_BACKEND_CUDA);
    assert_int_equal(d->target.subgroup_size, 32);
    assert_int_equal(d->target.max_block_threads, 1024);
    assert_int_equal(d->target.shared_bytes, 227 << 10);
    assert_int_equal(d->target.max_blocks, INT32_MAX);
    assert_int_equal(d->target.compute_units, 132);
    assert_int_equal(d->target.features, 0xff);
    assert_int_equal(d->target.has_features, 1);
    assert_int_equal(d->target.progress, MSW_PROGRESS_PARALLEL);
    assert_false(devices[1].is_usable);
    assert_string_equal(devices[1].why, "its compute capability is 6.1, 7.5 is needed");
    fake->capability[0] = 121;
    check(msw_devices(&desc, devices, 1, &count, &diag), &diag);
    assert_string_equal(devices[0].target.arch, "sm_121");
    fake->capability[0] = 990;
    check(msw_devices(&desc, devices, 1, &count, &diag), &diag);
    assert_null(devices[0].target.arch);
}

static void test_opening(void **state)
{
    msw_context *context;
    msw_diag diag;
    (void)state;
    expect_failure(open_context("cuda:1", NULL, NULL, &context, &diag), &diag, MSW_ERROR_UNSUPPORTED,
                   "cuda:1 (Fake 1) cannot be used: its compute capability");
    expect_failure(open_context("cuda:2", NULL, NULL, &context, &diag), &diag, MSW_ERROR_DEVICE, "no device cuda:2; 2 are known");
    fake->capability[0] = 70;
    expect_failure(open_context("cuda", NULL, NULL, &context, &diag), &diag, MSW_ERROR_UNSUPPORTED, "cannot be used");
    fake->capability[1] = 86;
    check(open_context("cuda", NULL, NULL, &context, &diag), &diag); /* the first usable one */
    assert_string_equal(msw_context_device(context)->id, "cuda:1");
    msw_context_destroy(context);
    fake->device_count = 0;
    expect_failure(open_context("cuda", NULL, NULL, &context, &diag), &diag, MSW_ERROR_DEVICE, "there is no device");
    expect_nothing_alive();
}

/* On a part of a device the driver is asked which clusters there is room for, where it can be asked and the device may have any. */
static void test_clusters(void **state)
{
    static const struct {
        int multiprocessors, capability, most; /* of the context; 0: all */
        const char *hidden;
        unsigned expected;
    } cases[] = {{16, 90, 16, NULL, 16},
                 {16, 90, 15, NULL, 8},
                 {16, 100, 8, NULL, 8},
                 {16, 90, 7, NULL, 1},
                 {16, 120, 0, NULL, 1},
                 {16, 89, 16, NULL, 1},
                 {0, 89, 16, NULL, 1},
                 {0, 75, 16, NULL, 1},
                 {0, 90, 0, NULL, 16},
                 {0, 100, 0, NULL, 8},
                 {0, 120, 0, NULL, 8},
                 {0, 90, 16, "cuOccupancyMaxActiveClusters", 1},
                 {16, 90, 16, "cuOccupancyMaxActiveClusters", 1}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        fake->capability[0] = cases[c].capability;
        fake->context_multiprocessors = cases[c].multiprocessors;
        fake->max_cluster_blocks = cases[c].most;
        hidden = cases[c].hidden;
        msw_context *context = opened(application_context(0));
        assert_int_equal(msw_context_device(context)->target.max_cluster_blocks, cases[c].expected);
        assert_int_equal(fake->modules, 0);
        msw_context_destroy(context);
    }
    hidden = NULL;
    fake->context_multiprocessors = 0;
    expect_nothing_alive();
}

static void test_vendor_description(void **state)
{
    msw_cuda_device vendor = vendor_of(NULL);
    msw_context_desc desc = {.struct_size = sizeof desc, .device = "auto", .vendor = &vendor};
    msw_context *context;
    msw_diag diag;
    (void)state;
    expect_failure(msw_context_create(&desc, &context, &diag), &diag, MSW_ERROR_INVALID_ARGUMENT, "vendor objects need device");
    desc.device = "cuda";
    vendor.struct_size = 8;
    expect_failure(msw_context_create(&desc, &context, &diag), &diag, MSW_ERROR_VERSION, "msw_cuda_device: struct_size is 8");
    expect_failure(open_context("cuda:1", application_context(0), NULL, &context, &diag), &diag, MSW_ERROR_INVALID_ARGUMENT,
                   "one of cuda:0, not of cuda:1");
    expect_nothing_alive();
}

/* Every function that the driver might not have. */
static void test_missing_functions(void **state)
{
#define SYMBOL(name, function, parameters) #function,
    static const char *const symbols[] = {MS_CU_FUNCTIONS(SYMBOL)};
#undef SYMBOL
    msw_context *context;
    msw_diag diag;
    (void)state;
    for (size_t s = 0; s < sizeof symbols / sizeof *symbols; s++) {
        char words[80];
        hidden = symbols[s];
        snprintf(words, sizeof words, "the driver has no %s; one for CUDA", hidden);
        expect_failure(open_context("cuda", NULL, NULL, &context, &diag), &diag, MSW_ERROR_UNSUPPORTED, words);
        assert_int_equal(fake->call_count, 0);
    }
}

/* ---- a context's whole life, with failures ---- */

static msw_result use_memory(msw_context *context, msw_buffer **buffer, msw_diag *diag)
{
    unsigned char data[1000], back[1000];
    msw_result result = msw_buffer_create(context, sizeof data, buffer, diag);
    for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(7 * i);
    memset(back, 0, sizeof back);
    if (result == MSW_OK) result = msw_buffer_write(*buffer, 0, data, sizeof data, diag);
    if (result == MSW_OK) result = msw_buffer_read(*buffer, 100, back, 900, diag);
    if (result == MSW_OK) assert_memory_equal(back, data + 100, 900);
    return result;
}

static msw_result use_kernel(msw_context *context, msw_kernel **kernel, msw_diag *diag)
{
    const msw_plan plan = make_plan(ptx, sizeof ptx - 1); /* without its zero: as read from a file */
    msw_enqueue_desc desc = describe(5000);
    double seconds = 0;
    msw_result result = msw_kernel_load(context, &plan, kernel, diag);
    if (result == MSW_OK) result = msw_cuda_scratch_init(*kernel, NULL, desc.scratch, desc.scratch_bytes, diag);
    if (result == MSW_OK) result = msw_cuda_enqueue(*kernel, NULL, &desc, diag);
    desc.scratch = 0; /* what is reserved, the context's own */
    if (result == MSW_OK) result = msw_cuda_scratch_reserve(*kernel, NULL, 4096, diag);
    if (result == MSW_OK) result = msw_cuda_enqueue(*kernel, NULL, &desc, diag);
    if (result == MSW_OK) result = msw_kernel_run(*kernel, &desc, &seconds, diag);
    if (result == MSW_OK) assert_true(seconds > 0.00249 && seconds < 0.00251);
    return result;
}

/* *made: calls of the driver before the last handles were destroyed. */
static msw_result live(CUcontext given, const msw_allocator *allocator, int64_t *made, msw_diag *diag)
{
    msw_context *context;
    msw_buffer *buffer = NULL;
    msw_kernel *kernel = NULL;
    msw_result result = open_context("cuda", given, allocator, &context, diag);
    if (result == MSW_OK) result = use_memory(context, &buffer, diag);
    if (result == MSW_OK) result = use_kernel(context, &kernel, diag);
    *made = fake->call_count;
    msw_kernel_destroy(kernel);
    msw_buffer_destroy(buffer);
    msw_context_destroy(context);
    return result;
}

/* Calls that describe a device: one that cannot be described is not used. */
static int describes(const char *call)
{
    return strstr(call, "cuDeviceGet") == call || !strcmp(call, "cuDeviceTotalMem") || !strcmp(call, "cuDriverGetVersion");
}

/* Whether a call is of those that find out which clusters there is room for: between these two. */
static int is_of_probe(int64_t call)
{
    while (call > 0 && strcmp(fake->calls[call - 1], "cuCtxGetDevResource") != 0 && strcmp(fake->calls[call - 1], "cuStreamCreate") != 0) call--;
    return call > 0 && !strcmp(fake->calls[call - 1], "cuCtxGetDevResource");
}

static void fail_call(CUcontext given, int64_t call, int is_last, unsigned code, msw_result expected)
{
    int64_t made;
    msw_diag diag;
    reset(NULL);
    fake->failing_call = call;
    fake->fail_code = code;
    const msw_result result = live(given, NULL, &made, &diag);
    const char *name = fake->calls[call - 1];
    if (is_last) { /* what goes away does so in silence; where its context is not to be had, it stays */
        check(result, &diag);
        if (strcmp(name, "cuCtxPushCurrent") != 0) expect_nothing_alive();
        return;
    }
    if (is_of_probe(call)) { /* what it would tell is not needed, nor what the one before would */
        check(result, &diag);
        expect_nothing_alive();
        return;
    }
    if (describes(name) && strcmp(name, "cuDeviceGetCount") != 0) expected = MSW_ERROR_UNSUPPORTED;
    if (result != expected || diag.code != result || !strstr(diag.message, name))
        fail_msg("call %lld, %s, fails: %s, '%s'", (long long)call, name, msw_result_text(result), diag.message);
    expect_nothing_alive();
}

static void fail_every_call(CUcontext given, unsigned code, msw_result expected)
{
    int64_t calls, all;
    msw_diag diag;
    reset(NULL);
    check(live(given, NULL, &calls, &diag), &diag);
    all = fake->call_count;
    expect_nothing_alive();
    assert_true(calls > 30 && all > calls && all <= FAKE_CALLS);
    for (int64_t call = 1; call <= all; call++) fail_call(given, call, call > calls, code, expected);
}

static void test_failing_calls(void **state)
{
    (void)state;
    fail_every_call(NULL, 999, MSW_ERROR_DEVICE);
    fail_every_call(NULL, MS_CU_ERROR_OUT_OF_MEMORY, MSW_ERROR_OUT_OF_MEMORY);
    fail_every_call(application_context(0), 999, MSW_ERROR_DEVICE);
}

static void test_failing_allocations(void **state)
{
    failing memory = {0};
    const msw_allocator allocator = {&memory, failing_resize};
    int64_t made, calls;
    msw_diag diag;
    (void)state;
    check(live(NULL, &allocator, &made, &diag), &diag);
    calls = memory.calls;
    assert_true(calls >= 6);
    for (int64_t call = 1; call <= calls; call++) {
        memory = (failing){.first = call, .count = 1};
        expect_failure(live(NULL, &allocator, &made, &diag), &diag, MSW_ERROR_OUT_OF_MEMORY, "memory");
        assert_int_equal(memory.live_blocks, 0);
        expect_nothing_alive();
    }
}

/* ---- memory ---- */

static void test_memory(void **state)
{
    static const uint64_t sizes[] = {0, 1, 15, 16, 17, 255, 4096, 1000001};
    msw_context *context = opened(NULL);
    msw_buffer *buffers[sizeof sizes / sizeof *sizes], *large;
    msw_diag diag;
    unsigned char byte = 1;
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        check(msw_buffer_create(context, sizes[s], &buffers[s], &diag), &diag);
        assert_int_equal(msw_buffer_address(buffers[s]) % 256, 0);
        expect_failure(msw_buffer_write(buffers[s], sizes[s], &byte, 1, &diag), &diag, MSW_ERROR_INVALID_ARGUMENT, "leave the buffer");
    }
    expect_failure(msw_buffer_create(context, (uint64_t)2 << 30, &large, &diag), &diag, MSW_ERROR_OUT_OF_MEMORY,
                   "cuMemAlloc: out of memory (CUresult 2)");
    expect_failure(msw_buffer_create(context, (uint64_t)65 << 30, &large, &diag), &diag, MSW_ERROR_OUT_OF_MEMORY, "allocates at most");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) msw_buffer_destroy(buffers[s]);
    msw_context_destroy(context);
    expect_nothing_alive();
}

/* ---- modules ---- */

static void refuse_code(msw_context *context, const void *code, size_t code_bytes, msw_result result, const char *words)
{
    const msw_plan plan = make_plan(code, code_bytes);
    msw_kernel *kernel;
    msw_diag diag;
    expect_failure(msw_kernel_load(context, &plan, &kernel, &diag), &diag, result, words);
    assert_null(kernel);
    assert_int_equal(fake->modules, 0);
}

static void test_code(void **state)
{
    static const char bad_ptx[] = ".version 7.0 bad", bad_cubin[] = "\177ELF bad", other[] = ".version 7.0 .entry first .entry clear",
                      spirv[] = "\3\2#\7\0\0\6\1";
    msw_context *context = opened(NULL);
    msw_plan plan = make_plan(cubin, sizeof cubin);
    msw_kernel *kernel;
    msw_diag diag;
    (void)state;
    check(msw_kernel_load(context, &plan, &kernel, &diag), &diag);
    assert_int_equal(fake->modules, 3);
    msw_kernel_destroy(kernel);
    refuse_code(context, bad_ptx, sizeof bad_ptx, MSW_ERROR_DEVICE,
                "'first': cuModuleLoadDataEx: a fake failure (CUresult 218): ptxas: line 7; error near 'bad'");
    refuse_code(context, bad_cubin, sizeof bad_cubin, MSW_ERROR_UNSUPPORTED, "(CUresult 209); make its code for this device's architecture");
    refuse_code(context, other, sizeof other, MSW_ERROR_DEVICE, "kernel 'second': cuModuleGetFunction: a fake failure (CUresult 500)");
    refuse_code(context, spirv, sizeof spirv, MSW_ERROR_INVALID_ARGUMENT, "neither a cubin nor PTX");
    refuse_code(context, ptx, 0, MSW_ERROR_INVALID_ARGUMENT, "neither a cubin nor PTX");
    fake->function_threads = 256;
    refuse_code(context, ptx, sizeof ptx, MSW_ERROR_UNSUPPORTED,
                "'clear' has blocks of 512 threads, but its registers allow 256; set a smaller block");
    fake->function_threads = 1024;
    plan.kernels[1].subgroup_size = 64;
    expect_failure(msw_kernel_load(context, &plan, &kernel, &diag), &diag, MSW_ERROR_UNSUPPORTED, "made for subgroups of 64, but CUDA has 32");
    msw_context_destroy(context);
    expect_nothing_alive();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_driver), /* before the fake one is loaded */
        cmocka_unit_test_setup(test_found_by_name, reset),
        cmocka_unit_test_setup(test_list, reset),
        cmocka_unit_test_setup(test_opening, reset),
        cmocka_unit_test_setup(test_clusters, reset),
        cmocka_unit_test_setup(test_vendor_description, reset),
        cmocka_unit_test_setup(test_missing_functions, reset),
        cmocka_unit_test_setup(test_failing_calls, reset),
        cmocka_unit_test_setup(test_failing_allocations, reset),
        cmocka_unit_test_setup(test_memory, reset),
        cmocka_unit_test_setup(test_code, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
