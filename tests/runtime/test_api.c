/* Every public function but those that run kernels, with bad input: a code, a message, output handles NULL, never a crash. */
#include "api_checks.h"

static const char two_text[] = "return { scan { name = 'first', monoid = sum(u32) }, reduce { name = 'second', monoid = sum(f32) } }";

static void test_texts(void **state)
{
    (void)state;
    assert_string_equal(msw_version(), "0.1.0");
    for (int r = MSW_OK; r <= MSW_ERROR_VERSION; r++)
        assert_true(msw_result_text((msw_result)r)[0] && strcmp(msw_result_text((msw_result)r), "unknown result"));
    assert_string_equal(msw_result_text((msw_result)-1), "unknown result");
    assert_string_equal(msw_result_text((msw_result)1000), "unknown result");
    for (uint32_t f = 0; f < 9; f++) assert_non_null(msw_feature_name(f));
    assert_string_equal(msw_feature_name(0), "int8");
    assert_int_equal(1 << 8, MSW_FEATURE_UNIFORM_CONTROL_FLOW); /* the last */
    assert_string_equal(msw_feature_name(8), "uniform_control_flow");
    assert_null(msw_feature_name(9));
}

static void test_spec_create(void **state)
{
    static const uint32_t sizes[] = BAD_SIZES(msw_spec_desc);
    static const msw_define defines[] = {{NULL, "1"}, {"", "1"}, {"1x", "1"}, {"a b", "1"}, {"x\n", "1"}, {"x", NULL}};
    msw_spec_desc desc = {.struct_size = sizeof desc, .text = sum_text};
    msw_spec *spec;
    (void)state;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "spec is NULL", msw_spec_create(&desc, NULL, fresh()));
    REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "desc is NULL", spec, msw_spec_create, NULL);
    for (int s = 0; s < BAD_SIZE_COUNT; s++) {
        desc.struct_size = sizes[s];
        REFUSED_HANDLE(MSW_ERROR_VERSION, "set it to sizeof(msw_spec_desc)", spec, msw_spec_create, &desc);
    }
    desc = (msw_spec_desc){.struct_size = sizeof desc};
    REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "give text or file", spec, msw_spec_create, &desc);
    desc.file = "/nowhere/at_all.lua";
    REFUSED_HANDLE(MSW_ERROR_IO, "/nowhere/at_all.lua: cannot be opened", spec, msw_spec_create, &desc);
    desc = (msw_spec_desc){.struct_size = sizeof desc, .text = sum_text, .cut = MSW_CUT_UNFUSED + 1};
    REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "cut is 4; give one of msw_cut_method", spec, msw_spec_create, &desc);
    desc = (msw_spec_desc){.struct_size = sizeof desc, .text = sum_text, .define_count = 1};
    REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "defines is NULL", spec, msw_spec_create, &desc);
    for (size_t d = 0; d < sizeof defines / sizeof *defines; d++) {
        desc.defines = &defines[d];
        REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "defines[0]", spec, msw_spec_create, &desc);
    }
    desc = (msw_spec_desc){.struct_size = sizeof desc, .text = "return nothing", .file = "mine.lua"};
    REFUSED_HANDLE(MSW_ERROR_SPEC, "mine.lua:1: ", spec, msw_spec_create, &desc);
    desc.text = sum_text;
    desc.text_bytes = 12; /* cut short */
    REFUSED_HANDLE(MSW_ERROR_SPEC, "mine.lua:1: the spec returns", spec, msw_spec_create, &desc);
}

static void test_spec_questions(void **state)
{
    msw_spec *spec = read_text(two_text);
    const uint32_t in[2] = {1, 2};
    uint32_t out[2];
    const void *inputs[1] = {in};
    void *outputs[1] = {out};
    msw_op_info info = {.struct_size = sizeof info};
    (void)state;
    assert_int_equal(msw_spec_op_count(NULL), 0);
    assert_int_equal(msw_spec_op(NULL, 0, &info), MSW_ERROR_INVALID_ARGUMENT);
    assert_int_equal(msw_spec_op(spec, 0, NULL), MSW_ERROR_INVALID_ARGUMENT);
    assert_int_equal(msw_spec_op(spec, 2, &info), MSW_ERROR_INVALID_ARGUMENT);
    assert_int_equal(msw_spec_op(spec, 1, &info), MSW_OK);
    assert_int_equal(msw_spec_find(NULL, "first"), -1);
    assert_int_equal(msw_spec_find(spec, NULL), -1);
    assert_int_equal(msw_spec_find(spec, ""), -1);
    assert_int_equal(msw_spec_find(spec, "second"), 1);
    assert_string_equal(msw_spec_summary(NULL), "");
    assert_string_equal(msw_spec_json(NULL), "");
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "spec is NULL", msw_spec_evaluate(NULL, 0, 2, inputs, outputs, NULL, NULL, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "no operation 2", msw_spec_evaluate(spec, 2, 2, inputs, outputs, NULL, NULL, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "input 'in' is NULL", msw_spec_evaluate(spec, 0, 2, NULL, outputs, NULL, NULL, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "input 'in' is NULL", msw_spec_evaluate(spec, 0, 2, (const void *[]){NULL}, outputs, NULL, NULL, fresh()));
    expect_ok(msw_spec_evaluate(spec, 0, 2, inputs, outputs, NULL, NULL, fresh()));
    assert_int_equal(out[1], 3);
    expect_ok(msw_spec_evaluate(spec, 0, 2, inputs, NULL, NULL, out, fresh())); /* the carry alone is wanted */
    assert_int_equal(out[0], 3);
    expect_ok(msw_spec_evaluate(spec, 0, 0, NULL, NULL, NULL, NULL, fresh()));
    msw_spec_destroy(spec);
    msw_spec_destroy(NULL);
}

/* uniforms: NULL where there are none; inputs have them, too, behind the arrays. */
static void expect_missing(const char *text, const char *name, uint64_t n, const void *const *inputs, const void *const *uniforms)
{
    msw_spec *spec = read_text(text);
    const msw_verification_desc desc = {.struct_size = sizeof desc, .spec = spec, .uniforms = uniforms};
    msw_verification *verification = NULL;
    uint32_t out[9];
    void *outputs[MSW_MAX_BUFFERS] = {out};
    char message[64];
    snprintf(message, sizeof message, "input '%s' is NULL", name);
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, message, msw_spec_evaluate(spec, 0, n, inputs, outputs, NULL, NULL, fresh()));
    expect_ok(msw_verification_create(&desc, &verification, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, message, msw_verification_expect(verification, n, inputs, fresh()));
    msw_verification_destroy(verification);
    msw_spec_destroy(spec);
}

/* Of no elements inputs may be left out, but for those that have a number of elements of their own. */
static void test_no_elements(void **state)
{
    static const char fixed[] = "return pipeline(function(p) p.output('sums', p.scan { input = p.input('table', u16, 7), monoid = sum(u16) }) end)";
    static const char offsets[] = "return segmented_reduce { monoid = sum(u32), segments = 'offsets' }";
    static const uint32_t x[5];
    static const uint64_t count = 1;
    const void *const uniforms[1] = {&count};
    (void)state;
    expect_missing(fixed, "table", 0, NULL, NULL);
    expect_missing(fixed, "table", 9, (const void *[]){NULL}, NULL);
    expect_missing(offsets, "segments", 5, (const void *[]){x, NULL, &count}, uniforms);
    expect_missing(offsets, "segments", 0, (const void *[]){NULL, NULL, &count}, uniforms);
}

static void test_program_create(void **state)
{
    static const uint32_t sizes[] = BAD_SIZES(msw_program_desc), target_sizes[] = BAD_SIZES(msw_target);
    static const struct {
        msw_knob knob;
        msw_result code;
        const char *words;
    } knobs[] = {
        {{NULL, "1"}, MSW_ERROR_INVALID_ARGUMENT, "knobs[0]"},
        {{"block", NULL}, MSW_ERROR_INVALID_ARGUMENT, "knobs[0]"},
        {{"", "1"}, MSW_ERROR_UNSUPPORTED, "knob"},
        {{"blok", "64"}, MSW_ERROR_UNSUPPORTED, "blok = 64"},
        {{"block", ""}, MSW_ERROR_UNSUPPORTED, "block"},
        {{"block", "-1"}, MSW_ERROR_UNSUPPORTED, "block"},
        {{"block", "0"}, MSW_ERROR_UNSUPPORTED, "block"},
        {{"block", "64x"}, MSW_ERROR_UNSUPPORTED, "block"},
        {{"block", "99999999999999999999"}, MSW_ERROR_UNSUPPORTED, "block"},
        {{"block", "18446744073709551680"}, MSW_ERROR_UNSUPPORTED, "block"},
        {{"items", "0"}, MSW_ERROR_UNSUPPORTED, "items"},
        {{"items", "260"}, MSW_ERROR_UNSUPPORTED, "choose fewer"},
        {{"subgroup", "3"}, MSW_ERROR_UNSUPPORTED, "subgroup"},
        {{"strategy", "fastest"}, MSW_ERROR_UNSUPPORTED, "strategy"},
    };
    msw_spec *spec = read_text(sum_text);
    msw_target target = {.struct_size = sizeof target};
    msw_program_desc desc = {.struct_size = sizeof desc, .target = &target};
    msw_program *program;
    (void)state;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "program is NULL", msw_program_create(spec, &desc, NULL, fresh()));
    REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "spec is NULL", program, msw_program_create, NULL, &desc);
    REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "desc is NULL", program, msw_program_create, spec, NULL);
    for (int s = 0; s < BAD_SIZE_COUNT; s++) {
        desc.struct_size = sizes[s];
        REFUSED_HANDLE(MSW_ERROR_VERSION, "set it to sizeof(msw_program_desc)", program, msw_program_create, spec, &desc);
        desc.struct_size = sizeof desc;
        target.struct_size = target_sizes[s];
        REFUSED_HANDLE(MSW_ERROR_VERSION, "set it to sizeof(msw_target)", program, msw_program_create, spec, &desc);
        target.struct_size = sizeof target;
    }
    desc.op = 1;
    REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "no operation 1", program, msw_program_create, spec, &desc);
    desc = (msw_program_desc){.struct_size = sizeof desc, .knob_count = 1};
    REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "knobs is NULL", program, msw_program_create, spec, &desc);
    for (size_t k = 0; k < sizeof knobs / sizeof *knobs; k++) {
        desc.knobs = &knobs[k].knob;
        REFUSED_HANDLE(knobs[k].code, knobs[k].words, program, msw_program_create, spec, &desc);
    }
    desc = (msw_program_desc){.struct_size = sizeof desc, .target = &target};
    target.backend = MSW_BACKEND_HOST;
    target.arch = "host";
    REFUSED_HANDLE(MSW_ERROR_UNSUPPORTED, "", program, msw_program_create, spec, &desc);
    target.arch = "simulator"; /* no architecture selects a mode */
    target.max_block_threads = 256;
    REFUSED_HANDLE(MSW_ERROR_UNSUPPORTED, "kernels are made for Vulkan and CUDA", program, msw_program_create, spec, &desc);
    target.max_block_threads = 0;
    target.arch = NULL;
    target.backend = 77;
    REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "backend is 77", program, msw_program_create, spec, &desc);
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "program is NULL", msw_program_compile(NULL, fresh()));
    assert_null(msw_program_plan(NULL));
    assert_string_equal(msw_program_summary(NULL), "");
    assert_string_equal(msw_program_json(NULL), "");
    msw_program_destroy(NULL);
    msw_spec_destroy(spec);
}

/* Look-ahead where blocks cannot do it says what to choose instead. */
static void test_lookahead_refusals(void **state)
{
    static const struct {
        const char *arch;
        uint32_t progress;
        msw_knob knob;
        const char *words;
    } cases[] = {
        {"sm_80", 0, {"block", "128"}, "CUDA devices from sm_90 on have"},
        {"sm_90", 0, {"subgroup", "1"}, "choose subgroups of more than 1"},
        {"sm_90", MSW_PROGRESS_NONE, {"block", "128"}, "choose reduce_then_scan"},
        {"sm_90", 0, {"block", "1024"}, "more threads"},      /* with the subgroup that looks ahead */
        {"sm_90", 0, {"items", "64"}, "choose fewer stages"}, /* of three that is the least */
        {"sm_90", 0, {"blocks", "20000"}, "choose fewer blocks"},
        {"sm_90", 0, {"stages", "1"}, "2 to 32"},
        {"sm_90", 0, {"stages", "2"}, "at least 2 more than tiles ahead"},
        {"sm_90", 0, {"ahead", "30"}, "at least 2 more than tiles ahead"},
    };
    msw_spec *spec = read_text(sum_text);
    msw_program *program;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const msw_knob knobs[] = {{"strategy", "lookahead"}, cases[i].knob};
        const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA, .arch = cases[i].arch, .progress = cases[i].progress};
        const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target, .knobs = knobs, .knob_count = 2};
        REFUSED_HANDLE(MSW_ERROR_UNSUPPORTED, cases[i].words, program, msw_program_create, spec, &desc);
    }
    msw_spec_destroy(spec);
}

/* A struct may be called what a template calls a value of its own. */
static void test_names_of_locals(void **state)
{
    static const char *const names[] = {"total", "prefix", "tile", "before", "x",     "lane",        "sum",
                                        "own",   "lowest", "n",    "first",  "round", "total_struct"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "local S = struct '%s' { {'a', u32}, {'b', u32} }\nreturn scan { monoid = monoid { type = S, identity = S(1, 0),\n"
                 "  combine = function(f, g) return S(f.a * g.a, f.b * g.a + g.b) end } }",
                 names[i]);
        const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_VULKAN};
        const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target};
        msw_spec *spec = read_text(text);
        msw_program *program;
        if (msw_program_create(spec, &desc, &program, &diag) || msw_program_compile(program, &diag)) fail_msg("%s: %s", names[i], diag.message);
        msw_program_destroy(program);
        msw_spec_destroy(spec);
    }
}

/* Targets that no device has end with an error or a plan, whatever their numbers. */
static void test_odd_targets(void **state)
{
    static const uint32_t values[] = {1, 2, 3, 5, 7, 31, 64, 1000, 1 << 20, UINT32_MAX};
    msw_spec *spec = read_text("return scan { monoid = pair(sum(u64), argmin(f32)) }");
    (void)state;
    for (int field = 0; field < 6; field++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            msw_target target = {.struct_size = sizeof target};
            const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target};
            uint32_t *fields[] = {&target.subgroup_size, &target.max_block_threads, &target.max_block_subgroups,
                                  &target.shared_bytes,  &target.max_blocks,        &target.compute_units};
            msw_program *program;
            *fields[field] = values[v];
            const msw_result result = msw_program_create(spec, &desc, &program, fresh());
            if (result == MSW_OK) assert_non_null(msw_program_plan(program));
            else expect_refusal("msw_program_create", result, MSW_ERROR_UNSUPPORTED, "");
            msw_program_destroy(program);
        }
    msw_spec_destroy(spec);
}

static void test_context_create(void **state)
{
    static const uint32_t sizes[] = BAD_SIZES(msw_context_desc), vulkan_sizes[] = BAD_SIZES(msw_vulkan_device);
    static const char *const names[] = {
        "", "hosts", "host:", "host:1", "host:-0", "vulkan:", "vulkan:x", "vulkan:1x", "vulkan:99", "vulkan:99999999999999999999", "%s%n", " host"};
    msw_context_desc desc = {.struct_size = sizeof desc, .device = "host"};
    msw_vulkan_device objects = {.struct_size = sizeof objects};
    msw_context *context;
    uint32_t count = 77;
    char longest[5000];
    (void)state;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "context is NULL", msw_context_create(&desc, NULL, fresh()));
    for (int s = 0; s < BAD_SIZE_COUNT; s++) {
        desc.struct_size = sizes[s];
        REFUSED_HANDLE(MSW_ERROR_VERSION, "set it to sizeof(msw_context_desc)", context, msw_context_create, &desc);
        REFUSED(MSW_ERROR_VERSION, "set it to sizeof(msw_context_desc)", msw_devices(&desc, NULL, 0, &count, fresh()));
        assert_int_equal(count, 0);
    }
    desc = (msw_context_desc){.struct_size = sizeof desc, .device = "host", .progress = 4};
    REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "progress is 4", context, msw_context_create, &desc);
    desc.progress = 0;
    for (size_t d = 0; d < sizeof names / sizeof *names; d++) {
        desc.device = names[d];
        REFUSED_HANDLE(MSW_ERROR_DEVICE, "no device", context, msw_context_create, &desc);
    }
    memset(longest, 'v', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    desc.device = longest;
    REFUSED_HANDLE(MSW_ERROR_DEVICE, "known are auto", context, msw_context_create, &desc);
    desc.vendor = &objects;
    desc.device = "host";
    REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "vendor", context, msw_context_create, &desc);
    desc.device = NULL;
    REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "vendor", context, msw_context_create, &desc);
    desc.device = "vulkan";
    REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "instance, physical_device or device is NULL", context, msw_context_create, &desc);
    for (int s = 0; s < BAD_SIZE_COUNT; s++) {
        objects.struct_size = vulkan_sizes[s];
        REFUSED_HANDLE(MSW_ERROR_VERSION, "set it to sizeof(msw_vulkan_device)", context, msw_context_create, &desc);
    }
    const msw_cuda_device wrong = {.struct_size = 1};
    desc.device = "cuda";
    desc.vendor = &wrong;
    REFUSED_HANDLE(MSW_ERROR_VERSION, "set it to sizeof(msw_cuda_device)", context, msw_context_create, &desc);
    msw_context_destroy(NULL);
    assert_null(msw_context_device(NULL));
}

static void test_devices(void **state)
{
    msw_device_info devices[2] = {{.struct_size = sizeof *devices}}, all[32] = {{.struct_size = sizeof *all}};
    uint32_t count = 0, again = 0;
    (void)state;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "count", msw_devices(NULL, devices, 2, NULL, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "devices", msw_devices(NULL, NULL, 2, &count, fresh()));
    expect_ok(msw_devices(NULL, NULL, 0, &count, fresh()));
    assert_true(count >= 2 && count <= 32); /* a Vulkan driver and the host */
    expect_ok(msw_devices(NULL, all, 32, &again, fresh()));
    assert_int_equal(again, count);
    memset(&devices[1], 0x5a, sizeof devices[1]);
    expect_ok(msw_devices(NULL, devices, 1, &again, fresh()));
    assert_int_equal(again, count);
    assert_string_equal(devices[0].id, all[0].id);
    assert_int_equal(devices[1].id[0], 0x5a); /* beyond the capacity nothing is written */
}

static void test_buffers(void **state)
{
    static const char *const ids[] = {"host", "vulkan"};
    char data[256] = {0};
    double seconds;
    msw_buffer *buffer, *other;
    (void)state;
    for (int d = 0; d < 2; d++) {
        msw_context *context = open_device(ids[d]);
        REFUSED(MSW_ERROR_INVALID_ARGUMENT, "buffer is NULL", msw_buffer_create(context, 16, NULL, fresh()));
        REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "context is NULL", buffer, msw_buffer_create, NULL, 16);
        REFUSED_HANDLE(MSW_ERROR_OUT_OF_MEMORY, "split the data", buffer, msw_buffer_create, context, UINT64_MAX);
        expect_ok(msw_buffer_create(context, 0, &buffer, fresh()));
        expect_ok(msw_buffer_write(buffer, 0, NULL, 0, fresh()));
        msw_buffer_destroy(buffer);
        expect_ok(msw_buffer_create(context, 100, &buffer, fresh()));
        assert_true(msw_buffer_address(buffer) != 0 && msw_buffer_address(buffer) % 256 == 0);
        REFUSED(MSW_ERROR_INVALID_ARGUMENT, "NULL", msw_buffer_write(NULL, 0, data, 1, fresh()));
        REFUSED(MSW_ERROR_INVALID_ARGUMENT, "NULL", msw_buffer_write(buffer, 0, NULL, 1, fresh()));
        REFUSED(MSW_ERROR_INVALID_ARGUMENT, "NULL", msw_buffer_read(NULL, 0, data, 1, fresh()));
        REFUSED(MSW_ERROR_INVALID_ARGUMENT, "NULL", msw_buffer_read(buffer, 0, NULL, 1, fresh()));
        REFUSED(MSW_ERROR_INVALID_ARGUMENT, "leave the buffer's 100 bytes", msw_buffer_write(buffer, 0, data, 101, fresh()));
        REFUSED(MSW_ERROR_INVALID_ARGUMENT, "leave the buffer's 100 bytes", msw_buffer_read(buffer, 100, data, 1, fresh()));
        REFUSED(MSW_ERROR_INVALID_ARGUMENT, "leave the buffer's 100 bytes", msw_buffer_read(buffer, UINT64_MAX, data, 2, fresh()));
        expect_ok(msw_buffer_write(buffer, 100, data, 0, fresh()));
        expect_ok(msw_buffer_read(buffer, 99, data, 1, fresh()));
        assert_true((msw_vulkan_buffer(buffer) != VK_NULL_HANDLE) == (d == 1));
        expect_ok(msw_buffer_create(context, 64, &other, fresh()));
        memcpy(data, "what is to be copied", 20);
        expect_ok(msw_buffer_write(buffer, 0, data, 64, fresh()));
        expect_ok(msw_buffer_copy(other, buffer, 64, &seconds, fresh()));
        assert_true(seconds > 0 && seconds < 1);
        memset(data, 0, sizeof data);
        expect_ok(msw_buffer_read(other, 0, data, 64, fresh()));
        assert_string_equal(data, "what is to be copied");
        expect_ok(msw_buffer_copy(other, buffer, 0, NULL, fresh()));
        REFUSED(MSW_ERROR_INVALID_ARGUMENT, "leave the buffer's 64 bytes", msw_buffer_copy(other, buffer, 65, NULL, fresh()));
        REFUSED(MSW_ERROR_INVALID_ARGUMENT, "leave the buffer's 100 bytes", msw_buffer_copy(buffer, other, 101, NULL, fresh()));
        REFUSED(MSW_ERROR_INVALID_ARGUMENT, "NULL", msw_buffer_copy(NULL, other, 1, NULL, fresh()));
        REFUSED(MSW_ERROR_INVALID_ARGUMENT, "NULL", msw_buffer_copy(other, NULL, 1, NULL, fresh()));
        REFUSED(MSW_ERROR_INVALID_ARGUMENT, "two buffers of one context", msw_buffer_copy(other, other, 1, NULL, fresh()));
        msw_buffer_destroy(other);
        msw_buffer_destroy(buffer);
        msw_context_destroy(context);
    }
    assert_int_equal(msw_buffer_address(NULL), 0);
    assert_true(msw_vulkan_buffer(NULL) == VK_NULL_HANDLE);
    msw_buffer_destroy(NULL);
}

static void test_kernel_create(void **state)
{
    static const uint32_t sizes[] = BAD_SIZES(msw_kernel_desc);
    static const msw_knob no_name = {NULL, "1"}, unknown = {"blok", "64"};
    static const char *const ids[] = {"host", "vulkan"};
    msw_kernel *kernel;
    (void)state;
    for (int d = 0; d < 2; d++) {
        msw_context *context = open_device(ids[d]);
        msw_kernel_desc desc = {.struct_size = sizeof desc, .spec_text = sum_text};
        REFUSED(MSW_ERROR_INVALID_ARGUMENT, "kernel is NULL", msw_kernel_create(context, &desc, NULL, fresh()));
        REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "context is NULL", kernel, msw_kernel_create, NULL, &desc);
        REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "desc is NULL", kernel, msw_kernel_create, context, NULL);
        for (int s = 0; s < BAD_SIZE_COUNT; s++) {
            desc.struct_size = sizes[s];
            REFUSED_HANDLE(MSW_ERROR_VERSION, "set it to sizeof(msw_kernel_desc)", kernel, msw_kernel_create, context, &desc);
        }
        desc = (msw_kernel_desc){.struct_size = sizeof desc};
        REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "give spec_text, spec_file or spec", kernel, msw_kernel_create, context, &desc);
        desc.spec_text = two_text;
        REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "several operations", kernel, msw_kernel_create, context, &desc);
        desc.op = "third";
        REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "no operation 'third'", kernel, msw_kernel_create, context, &desc);
        desc = (msw_kernel_desc){.struct_size = sizeof desc, .spec_text = "return scan { monoid = summ(u32) }"};
        REFUSED_HANDLE(MSW_ERROR_SPEC, "spec:1: ", kernel, msw_kernel_create, context, &desc);
        desc = (msw_kernel_desc){.struct_size = sizeof desc, .spec_file = "/nowhere/at_all.lua"};
        REFUSED_HANDLE(MSW_ERROR_IO, "cannot be opened", kernel, msw_kernel_create, context, &desc);
        desc = (msw_kernel_desc){.struct_size = sizeof desc, .spec_text = sum_text, .knob_count = 1};
        REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "knobs is NULL", kernel, msw_kernel_create, context, &desc);
        desc.knobs = &no_name;
        REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "knobs[0]", kernel, msw_kernel_create, context, &desc);
        if (d == 1) {
            desc.knobs = &unknown;
            REFUSED_HANDLE(MSW_ERROR_UNSUPPORTED, "blok = 64", kernel, msw_kernel_create, context, &desc);
            desc = (msw_kernel_desc){.struct_size = sizeof desc, .spec_text = sum_text, .subgroup_size = 3};
            REFUSED_HANDLE(MSW_ERROR_UNSUPPORTED, "subgroup", kernel, msw_kernel_create, context, &desc);
            desc.subgroup_size = 128;
            REFUSED_HANDLE(MSW_ERROR_UNSUPPORTED, "subgroup", kernel, msw_kernel_create, context, &desc);
        }
        msw_context_destroy(context);
    }
    msw_kernel_destroy(NULL);
    assert_null(msw_kernel_plan(NULL));
    assert_int_equal(msw_scratch_bytes(NULL, 1), 0);
    assert_int_equal(msw_scratch_bytes(&(msw_plan){0}, 1), 0);
}

/* ---- verification ---- */

static const char half_text[] = "return scan { name = 'halves', monoid = sum(f32), output = source { type = f32, parameters = {'s'},\n"
                                "  glsl = 'return s;', cuda = 'return s;', host = function(s) return tostring(0.5) == '0.5' and s or 0 end } }";

static char outer_half[16]; /* 0.5 as the application writes it */

/* The oracle as a device: of the sums, which are small integers or of two elements. */
static msw_result run_evaluated(void *of, uint64_t n, const void *const *inputs, void *const *outputs, msw_diag *d)
{
    char half[16];
    snprintf(half, sizeof half, "%.1f", 0.5);
    assert_string_equal(half, outer_half);
    return msw_spec_evaluate(of, 0, n, inputs, outputs, NULL, NULL, d);
}

static int has_decimal_comma(const char *text)
{
    for (; *text; text++)
        if (text[0] == ',' && text[1] >= '0' && text[1] <= '9') return 1;
    return 0;
}

/* In whatever locale: host functions and texts are in C's, what the caller runs in the caller's. */
static void test_verification_locale(void **state)
{
    msw_spec *spec = read_text(half_text);
    const msw_verification_desc desc = {.struct_size = sizeof desc, .spec = spec};
    const float in[4] = {1, 2, 3, 4};
    float out[4];
    msw_verification *verification;
    msw_structure structure = {.struct_size = sizeof structure};
    msw_verification_report report = {.struct_size = sizeof report};
    (void)state;
    snprintf(outer_half, sizeof outer_half, "%.1f", 0.5);
    expect_ok(msw_verification_create(&desc, &verification, fresh()));
    const msw_probe_desc probe = {.struct_size = sizeof probe,
                                  .pair_count = 4,
                                  .run = run_evaluated,
                                  .user = spec,
                                  .run_state = run_evaluated,
                                  .state_user = msw_verification_state_spec(verification)};
    expect_ok(msw_verification_probe(verification, &probe, &structure, fresh()));
    assert_int_equal(structure.verdict, MSW_VERIFIED);
    expect_ok(msw_spec_evaluate(spec, 0, 4, (const void *[]){in}, (void *[]){out}, NULL, NULL, fresh()));
    expect_ok(msw_verification_expect(verification, 4, (const void *[]){in}, fresh()));
    expect_ok(msw_verification_judge(verification, (const void *[]){out}, &structure, &report, fresh()));
    if (report.verdict != MSW_VERIFIED || has_decimal_comma(report.text)) fail_msg("%s", report.text);
    out[2] += 0.125f;
    expect_ok(msw_verification_judge(verification, (const void *[]){out}, &structure, &report, fresh()));
    if (report.verdict != MSW_FAILED || !strstr(report.text, "error 0.12") || has_decimal_comma(report.text)) fail_msg("%s", report.text);
    msw_verification_destroy(verification);
    msw_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts),
                                       cmocka_unit_test(test_spec_create),
                                       cmocka_unit_test(test_spec_questions),
                                       cmocka_unit_test(test_no_elements),
                                       cmocka_unit_test(test_program_create),
                                       cmocka_unit_test(test_lookahead_refusals),
                                       cmocka_unit_test(test_names_of_locals),
                                       cmocka_unit_test(test_odd_targets),
                                       cmocka_unit_test(test_context_create),
                                       cmocka_unit_test(test_devices),
                                       cmocka_unit_test(test_buffers),
                                       cmocka_unit_test(test_kernel_create),
                                       cmocka_unit_test(test_verification_locale),
                                       cmocka_unit_test(test_validation_was_silent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
