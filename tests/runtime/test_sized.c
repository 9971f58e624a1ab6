/* Structs with struct_size between a program and a library of two versions. Three programs are made of this text: program and library of this
 * version; this program with a later library, whose structs have further fields (test_sized_old_program); a later program with this library
 * (test_sized_old_library). Structs end where memory does. */
#include "vulkan_app.h"

#include "api_checks.h" /* whose `diag` the other would hide */

#include <sys/mman.h>
#include <unistd.h>

#ifdef MSW_LATER /* what the build's later headers add to each */
enum { LATER_BYTES = 16 };
#else
enum { LATER_BYTES = 0 };
#endif
enum { BEYOND = 64, ROOM = 1 << 16 };

static unsigned char *room; /* no memory is behind it */

static void *at_edge(size_t bytes)
{
    memset(room, 0x5a, ROOM);
    return room + ROOM - bytes;
}

/* A struct of `size` bytes: those of `from`, zeros behind them; from NULL: for a result. */
static void *sized(const void *from, size_t bytes, size_t size)
{
    unsigned char *place = at_edge(size);
    const uint32_t struct_size = (uint32_t)size;
    if (from) memset(place, 0, size), memcpy(place, from, bytes < size ? bytes : size);
    memcpy(place, &struct_size, sizeof struct_size);
    return place;
}

static app application;
static msw_spec *spec;
static msw_program *program;
static msw_context *host, *vulkan;
static msw_kernel *on_host, *on_vulkan;
static msw_buffer *buffer;
static msw_verification *verification;

/* ---- descriptions ---- */

static msw_result give_spec(const void *desc)
{
    msw_spec *made;
    const msw_result result = msw_spec_create(desc, &made, fresh());
    msw_spec_destroy(made);
    return result;
}

static msw_result give_program(const void *desc)
{
    msw_program *made;
    const msw_result result = msw_program_create(spec, desc, &made, fresh());
    msw_program_destroy(made);
    return result;
}

static msw_result give_target(const void *target)
{
    return give_program(&(msw_program_desc){.struct_size = sizeof(msw_program_desc), .target = target});
}

static msw_result give_header(const void *desc)
{
    const char *text;
    return msw_header_text(spec, desc, &text, fresh());
}

static msw_result give_context(const void *desc)
{
    msw_context *made;
    const msw_result result = msw_context_create(desc, &made, fresh());
    msw_context_destroy(made);
    return result;
}

static msw_result give_kernel(const void *desc)
{
    msw_kernel *made;
    const msw_result result = msw_kernel_create(host, desc, &made, fresh());
    msw_kernel_destroy(made);
    return result;
}

static msw_result list_devices(const void *desc)
{
    uint32_t count;
    return msw_devices(desc, NULL, 0, &count, fresh());
}

static msw_result give_verification(const void *desc)
{
    msw_verification *made;
    const msw_result result = msw_verification_create(desc, &made, fresh());
    msw_verification_destroy(made);
    return result;
}

static msw_result give_probe(const void *desc)
{
    msw_structure structure = {.struct_size = sizeof structure};
    return msw_verification_probe(verification, desc, &structure, fresh());
}

static msw_result judge_with(const void *structure)
{
    static const float out[2] = {1, 3};
    msw_verification_report report = {.struct_size = sizeof report};
    return msw_verification_judge(verification, (const void *[]){out}, structure, &report, fresh());
}

static msw_result give_vulkan_device(const void *vendor)
{
    return give_context(&(msw_context_desc){.struct_size = sizeof(msw_context_desc), .device = "vulkan", .vendor = vendor});
}

static msw_result give_cuda_device(const void *vendor)
{
    return give_context(&(msw_context_desc){.struct_size = sizeof(msw_context_desc), .device = "cuda", .vendor = vendor});
}

static msw_cuda_function no_function(void *user, const char *symbol)
{
    (void)user;
    (void)symbol;
    return NULL;
}

static msw_result check_backend(const void *desc) { return msw_backend_check(desc, MSW_BACKEND_HOST, fresh()); }
static msw_result serve(const void *info) { return msw_plan_serves(msw_program_plan(program), info, 1, fresh()); }
static msw_result run_on_host(const void *desc) { return msw_kernel_run(on_host, desc, NULL, fresh()); }
static msw_result run_on_vulkan(const void *desc) { return msw_kernel_run(on_vulkan, desc, NULL, fresh()); }
static msw_result enqueue(const void *desc) { return msw_vulkan_enqueue(on_vulkan, (VkCommandBuffer)poison, desc, fresh()); }

static msw_result sum(void *user, uint64_t n, const void *const *inputs, void *const *outputs, msw_diag *d)
{
    return msw_spec_evaluate(user, 0, n, inputs, outputs, NULL, NULL, d);
}

/* `call` returns `expected` for what is good in any size, and refuses a field that it cannot know. */
static void check_description(const char *name, const void *good, size_t bytes, msw_result (*call)(const void *), msw_result expected)
{
    char words[80];
    snprintf(words, sizeof words, "set it to sizeof(%s)", name);
    for (size_t beyond = 0; beyond <= BEYOND; beyond += BEYOND) {
        const msw_result result = call(sized(good, bytes, bytes + beyond));
        if (result != expected) fail_msg("%s, %zu bytes longer: %s: %s", name, beyond, msw_result_text(result), diag.message);
    }
    unsigned char *longer = sized(good, bytes, bytes + BEYOND);
    longer[bytes + BEYOND - 1] = 1;
    expect_refusal(name, call(longer), MSW_ERROR_VERSION, "does not know");
    if (LATER_BYTES) {
        unsigned char *later = sized(good, bytes, bytes);
        later[bytes - LATER_BYTES] = 1;
        expect_refusal(name, call(later), MSW_ERROR_VERSION, "does not know");
    }
    expect_refusal(name, call(sized(good, bytes, bytes - LATER_BYTES - 1)), MSW_ERROR_VERSION, words);
}

#define CHECK(type, call, expected, ...) \
    check_description(#type, &(const type){.struct_size = sizeof(type), __VA_ARGS__}, sizeof(type), call, expected)

static void test_descriptions(void **state)
{
    const msw_vulkan_device objects = app_objects(&application);
    const msw_device_info *const device = msw_context_device(host);
    const uint64_t in = msw_buffer_address(buffer), out = in + 256;
    float values[8] = {1, 2};
    (void)state;
    CHECK(msw_spec_desc, give_spec, MSW_OK, .text = sum_text);
    CHECK(msw_program_desc, give_program, MSW_OK, .tuning_name = "mine");
    CHECK(msw_target, give_target, MSW_OK, .backend = MSW_BACKEND_CUDA, .device = "mine");
    CHECK(msw_header_desc, give_header, MSW_OK, .program_count = 1, .programs = &program, .command = "mine");
    CHECK(msw_context_desc, give_context, MSW_OK, .device = "host");
    CHECK(msw_context_desc, list_devices, MSW_OK, .device = "host");
    CHECK(msw_context_desc, check_backend, MSW_OK, .device = "host");
    CHECK(msw_kernel_desc, give_kernel, MSW_OK, .spec_text = sum_text);
    CHECK(msw_enqueue_desc, run_on_host, MSW_OK, .n = 2, .buffers = {(uintptr_t)values, (uintptr_t)(values + 2)});
    assert_int_equal(values[3], 3);
    CHECK(msw_enqueue_desc, run_on_vulkan, MSW_OK, .n = 2, .buffers = {in, out});
    CHECK(msw_enqueue_desc, enqueue, MSW_ERROR_INVALID_ARGUMENT, .n = 2);
    CHECK(msw_verification_desc, give_verification, MSW_OK, .spec = spec);
    CHECK(msw_probe_desc, give_probe, MSW_OK, .run = sum, .user = spec);
    CHECK(msw_structure, judge_with, MSW_OK, .verdict = MSW_VERIFIED, .input_count = 3, .is_exact = 1, .text = "mine");
    CHECK(msw_cuda_device, give_cuda_device, MSW_ERROR_UNSUPPORTED, .get_proc_address = no_function);
    check_description("msw_vulkan_device", &objects, sizeof objects, give_vulkan_device, MSW_OK);
    assert_true(device->struct_size >= sizeof *device - LATER_BYTES);
    expect_ok(serve(device));
    expect_ok(serve(msw_context_device(vulkan)));
    check_description("msw_device_info", &(msw_device_info){.memory_bytes = 1 << 20, .max_allocation_bytes = 1 << 20}, sizeof(msw_device_info), serve,
                      MSW_OK);
}

/* ---- results ---- */

static msw_result get_op(void *info) { return msw_spec_op(spec, 0, info); }
static msw_result get_strategy(void *choice) { return msw_strategy_get(MSW_OP_SORT, 0, choice); }
static msw_result get_knob(void *choice) { return msw_knob_get(0, choice); }
static msw_result get_class(void *class_) { return msw_program_tuning_class(program, class_, fresh()); }
static msw_result get_launch(void *info) { return msw_plan_launch(msw_program_plan(program), 1000, 0, info, fresh()); }

static msw_result get_requirements(void *features)
{
    return msw_vulkan_requirements(vkGetInstanceProcAddr, application.instance, application.physical_device, features, fresh());
}

static msw_result get_structure(void *structure)
{
    const msw_probe_desc desc = {.struct_size = sizeof desc, .run = sum, .user = spec};
    return msw_verification_probe(verification, &desc, structure, fresh());
}

static msw_result get_report(void *report)
{
    static const float out[2] = {1, 3};
    return msw_verification_judge(verification, (const void *[]){out}, NULL, report, fresh());
}

/* Known fields are written, the others 0, nothing else. */
static void check_result(const char *name, size_t bytes, msw_result (*call)(void *))
{
    const size_t known = bytes - LATER_BYTES;
    for (size_t beyond = 0; beyond <= BEYOND; beyond += BEYOND) {
        unsigned char *place = sized(NULL, 0, bytes + beyond);
        uint32_t size;
        if (call(place)) fail_msg("%s, %zu bytes longer: %s", name, beyond, diag.message);
        memcpy(&size, place, sizeof size);
        assert_int_equal(size, bytes + beyond);
        if (!memcmp(place + sizeof size + 4, place - 8, 8)) fail_msg("%s is not written", name);
        for (size_t b = known; b < bytes + beyond; b++)
            if (place[b]) fail_msg("%s: byte %zu, which the library does not know, is %u", name, b, place[b]);
        for (unsigned char *p = room; p < place; p++) assert_int_equal(*p, 0x5a);
    }
    assert_int_equal(call(sized(NULL, 0, known - 1)), MSW_ERROR_VERSION);
}

static void test_results(void **state)
{
    (void)state;
    check_result("msw_op_info", sizeof(msw_op_info), get_op);
    check_result("msw_choice", sizeof(msw_choice), get_strategy);
    check_result("msw_choice", sizeof(msw_choice), get_knob);
    check_result("msw_tuning_class", sizeof(msw_tuning_class), get_class);
    check_result("msw_launch_info", sizeof(msw_launch_info), get_launch);
    check_result("msw_structure", sizeof(msw_structure), get_structure);
    check_result("msw_verification_report", sizeof(msw_verification_report), get_report);
    check_result("msw_vulkan_features", sizeof(msw_vulkan_features), get_requirements);
}

/* An array: each device as far as the program knows it, and its target, too, which serves as a description then. */
static void test_devices(void **state)
{
    const size_t bytes = sizeof(msw_device_info), counted = 2;
    uint32_t count = 0;
    (void)state;
    for (size_t beyond = 0; beyond <= BEYOND; beyond += BEYOND) {
        const size_t size = bytes + beyond;
        unsigned char *place = at_edge(counted * size);
        msw_device_info *first = (void *)place, *second = (void *)(place + size);
        first->struct_size = (uint32_t)size;
        expect_ok(msw_devices(NULL, first, (uint32_t)counted, &count, fresh()));
        assert_true(count >= 2); /* Vulkan's, and the host */
        assert_int_equal(first->struct_size, size);
        assert_int_equal(second->struct_size, size);
        assert_true(first->backend == MSW_BACKEND_VULKAN || first->backend == MSW_BACKEND_CUDA);
        assert_true(second->id[0] && strcmp(first->id, second->id) != 0);
        assert_int_equal(first->target.struct_size, size - offsetof(msw_device_info, target));
        expect_ok(give_target(&first->target));
        for (size_t b = bytes - LATER_BYTES; b < size; b++) assert_int_equal(place[b], 0);
        assert_int_equal(msw_devices(NULL, sized(NULL, 0, bytes - LATER_BYTES - 1), 1, &count, fresh()), MSW_ERROR_VERSION);
    }
}

static int open_all(void **state)
{
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target};
    static const float in[2] = {1, 2};
    static const char text[] = "return scan { name = 'sums', monoid = sum(f32) }";
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    (void)state;
    room = aligned_alloc(page, ROOM + page);
    assert_non_null(room);
    assert_int_equal(mprotect(room + ROOM, page, PROT_NONE), 0);
    app_open_device(&application, 0);
    spec = read_text(text);
    host = open_device("host");
    vulkan = open_device("vulkan");
    on_host = make_kernel(host, text);
    on_vulkan = make_kernel(vulkan, text);
    expect_ok(msw_buffer_create(vulkan, 512, &buffer, fresh()));
    expect_ok(msw_program_create(spec, &desc, &program, fresh()));
    expect_ok(msw_verification_create(&(msw_verification_desc){.struct_size = sizeof(msw_verification_desc), .spec = spec}, &verification, fresh()));
    expect_ok(msw_verification_expect(verification, 2, (const void *[]){in}, fresh()));
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    msw_verification_destroy(verification);
    msw_program_destroy(program);
    msw_buffer_destroy(buffer);
    msw_kernel_destroy(on_host);
    msw_kernel_destroy(on_vulkan);
    msw_context_destroy(host);
    msw_context_destroy(vulkan);
    msw_spec_destroy(spec);
    app_close(&application);
    assert_int_equal(mprotect(room + ROOM, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE), 0);
    free(room);
    return validation_messages + application.messages;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_descriptions), cmocka_unit_test(test_results), cmocka_unit_test(test_devices)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
