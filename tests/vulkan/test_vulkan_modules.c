/* SPIR-V modules by every path that leads to a driver: kernels compiled at run time, cached ones, plans, files and headers of the command line. Each
 * float operation in them has NoContraction, subgroup-uniform control flow is declared where the device has it and nowhere else, whether to
 * inline a function is left to drivers, and barriers order buffers where templates say so. */
#include "vulkan_app.h"

#include <pthread.h>

#include "shell.h"

#include "../../backends/vulkan/spirv.h"

enum { OP_EXTENSION = 10, OP_EXECUTION_MODE = 16, OP_FUNCTION = 54, OP_DECORATE = 71, MOST_WORDS = 1 << 20 };
enum { OP_CONSTANT = 43, OP_LOAD = 61, OP_STORE = 62, OP_CONTROL_BARRIER = 224 };
enum { NO_CONTRACTION = 42, UNIFORM_CONTROL_FLOW = 4421, WORKGROUP = 2, ALIGNED = 2, NON_PRIVATE = 32 };
/* AcquireRelease, UniformMemory (buffers), WorkgroupMemory, MakeAvailable, MakeVisible */
enum { ORDERS_SHARED = 0x108, ORDERS_ALL = 0x6148 };

/* Compensated sums, where one operation that is fused or folded loses what the sum lost; halves, quotients and vectors beside them. */
static const char sums_text[] =
    "local Sum = struct 'Sum' { {'sum', f32}, {'lost', f32}, {'v', vec(f32, 3)} }\n"
    "local function two_sum(a, b) local s = a + b local t = s - a return s, (a - (s - t)) + (b - t) end\n"
    "local compensated = monoid { type = Sum, identity = Sum(0, 0, {0, 0, 0}), laws = 'trusted', combine = function(x, y)\n"
    "  local s, lost = two_sum(x.sum, y.sum)\n"
    "  return Sum(s, x.lost + y.lost + lost, x.v * y.v - y.v) end }\n"
    "local function map(x) return Sum(f32(x) / 3, -f32(x), { 1, f32(x), f32(f16(f32(x)) * 2) }) end\n"
    "return { scan { name = 'sums', monoid = compensated, input = u32, map = map, output = function(s) return s.lost + s.v.x end },\n"
    "  reduce { name = 'total', monoid = compensated, input = u32, map = map },\n"
    "  sort { name = 'order', key = f32, input = u32, map = function(x) return f32(x) * 0.5 - 1 end },\n"
    "  scan { name = 'long', monoid = sum(u32), map = function(x) for i = 1, 100 do x = x * x + x ~ i end return x end } }";
static const char *const operations[] = {"sums", "total", "order", "long"};

/* ---- modules ---- */

static int is_float_operation(uint32_t opcode)
{
    static const uint32_t opcodes[] = {127, 129, 131, 133, 136, 140, 141, 142, 143, 144, 145, 146, 147, 148}; /* OpFNegate, OpFAdd .. OpDot */
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        if (opcodes[i] == opcode) return 1;
    return 0;
}

typedef struct summary {
    uint32_t modules, functions, floats, loose, uniform;
    uint32_t shared_barriers, all_barriers; /* of blocks, that order shared memory alone, buffers too */
    uint32_t own, common;                   /* loads and stores of buffers: a barrier orders the latter, which are not private */
} summary;

/* What a block's barrier orders, and whether an access to a buffer, the only one with an alignment, is private. values: of constants, by id. */
static void add_order(summary *s, const uint32_t *instruction, const uint32_t *values)
{
    const uint32_t opcode = instruction[0] & 0xffff, length = instruction[0] >> 16, at = opcode == OP_LOAD ? 4 : 3;
    if (opcode == OP_CONTROL_BARRIER && values[instruction[1]] == WORKGROUP) {
        const uint32_t order = values[instruction[3]];
        assert_int_equal(values[instruction[2]], WORKGROUP);
        assert_true(order == ORDERS_SHARED || order == ORDERS_ALL);
        *(order == ORDERS_ALL ? &s->all_barriers : &s->shared_barriers) += 1;
    }
    if ((opcode != OP_LOAD && opcode != OP_STORE) || length <= at || !(instruction[at] & ALIGNED)) return;
    *(instruction[at] & NON_PRIVATE ? &s->common : &s->own) += 1;
}

static void add_module(summary *s, const uint32_t *words, size_t count)
{
    static unsigned char is_kept[MOST_WORDS];
    static uint32_t values[MOST_WORDS];
    uint32_t loose = 0;
    assert_true(count > 5 && words[0] == 0x07230203 && words[3] < MOST_WORDS);
    memset(is_kept, 0, sizeof is_kept);
    for (size_t at = 5; at < count; at += words[at] >> 16) {
        const uint32_t opcode = words[at] & 0xffff;
        assert_true(words[at] >> 16);
        if (opcode == OP_FUNCTION) {
            assert_int_equal(words[at + 3], 0); /* FunctionControl */
            s->functions++;
        }
        if (opcode == OP_DECORATE && words[at + 2] == NO_CONTRACTION) is_kept[words[at + 1]] = 1;
        s->uniform += opcode == OP_EXECUTION_MODE && words[at + 2] == UNIFORM_CONTROL_FLOW;
        if (opcode == OP_CONSTANT) values[words[at + 2]] = words[at + 3];
        add_order(s, words + at, values);
        if (!is_float_operation(opcode)) continue;
        s->floats++;
        loose += !is_kept[words[at + 2]];
    }
    assert_int_equal(ms_spirv_count_loose(words, count), loose);
    s->loose += loose;
    s->modules++;
}

/* Many operations, all decorated; modules that declare uniform control flow: this number of them. */
static void check_summary(const summary *s, uint32_t least_floats, uint32_t uniform)
{
    assert_true(s->modules > 0);
    assert_in_range(s->floats, least_floats, UINT32_MAX);
    assert_int_equal(s->loose, 0);
    assert_int_equal(s->uniform, uniform);
}

/* ---- a driver that is watched, and has the extension where it is to ---- */

static app application;
static summary seen;
static int has_extension;

static PFN_vkCreateShaderModule real_create;
static PFN_vkGetDeviceProcAddr real_device_function;

/* The driver and the validation layer know nothing of the extension. */
static VKAPI_ATTR VkResult VKAPI_CALL create_shader_module(VkDevice device, const VkShaderModuleCreateInfo *info,
                                                           const VkAllocationCallbacks *allocator, VkShaderModule *module)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* pipelines are made in several threads */
    pthread_mutex_lock(&lock);
    const size_t count = info->codeSize / sizeof(uint32_t);
    uint32_t *words = test_malloc(info->codeSize);
    VkShaderModuleCreateInfo plain = *info;
    size_t kept = 5;
    add_module(&seen, info->pCode, count);
    memcpy(words, info->pCode, 5 * sizeof *words);
    for (size_t at = 5; at < count; at += info->pCode[at] >> 16) {
        const uint32_t opcode = info->pCode[at] & 0xffff, length = info->pCode[at] >> 16;
        if (opcode == OP_EXECUTION_MODE && info->pCode[at + 2] == UNIFORM_CONTROL_FLOW) continue;
        if (opcode == OP_EXTENSION && !strcmp((const char *)&info->pCode[at + 1], "SPV_KHR_subgroup_uniform_control_flow")) continue;
        memcpy(words + kept, info->pCode + at, length * sizeof *words);
        kept += length;
    }
    plain.pCode = words;
    plain.codeSize = kept * sizeof *words;
    const VkResult result = real_create(device, &plain, allocator, module);
    test_free(words);
    pthread_mutex_unlock(&lock);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL get_features(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *features)
{
    vkGetPhysicalDeviceFeatures2(device, features);
    for (VkBaseOutStructure *s = (VkBaseOutStructure *)features; has_extension && s; s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR)
            ((VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR *)(void *)s)->shaderSubgroupUniformControlFlow = VK_TRUE;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char *name)
{
    const PFN_vkVoidFunction found = real_device_function(device, name);
    if (strcmp(name, "vkCreateShaderModule") != 0) return found;
    real_create = (PFN_vkCreateShaderModule)found;
    return (PFN_vkVoidFunction)create_shader_module;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance instance, const char *name)
{
    const PFN_vkVoidFunction found = vkGetInstanceProcAddr(instance, name);
    if (!strcmp(name, "vkGetPhysicalDeviceFeatures2")) return (PFN_vkVoidFunction)get_features;
    if (strcmp(name, "vkGetDeviceProcAddr") != 0) return found;
    real_device_function = (PFN_vkGetDeviceProcAddr)found;
    return (PFN_vkVoidFunction)device_function;
}

/* extension: the driver has it; is_enabled: and the device was made with it. */
static msw_context *open_context(int extension, int is_enabled, const char *cache_dir)
{
    VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR control_flow = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR,
        .pNext = &application.features.core,
        .shaderSubgroupUniformControlFlow = VK_TRUE};
    msw_vulkan_device objects = app_objects(&application);
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "vulkan", .vendor = &objects, .cache_dir = cache_dir};
    msw_context *context;
    msw_diag diag;
    has_extension = extension;
    objects.get_instance_proc_addr = instance_function;
    if (is_enabled) objects.enabled = &control_flow;
    seen = (summary){0};
    check(msw_context_create(&desc, &context, &diag), &diag);
    assert_int_equal((msw_context_device(context)->target.features & MSW_FEATURE_UNIFORM_CONTROL_FLOW) != 0, extension && is_enabled);
    return context;
}

/* ---- at run time ---- */

/* Makes each operation's kernel and runs it; what it computes is the corpus' affair. */
static void make_kernels(msw_context *context)
{
    enum { N = 5000 };
    static uint32_t in[N], out[8 * N];
    for (uint32_t i = 0; i < N; i++) in[i] = i * 2654435761u >> 8;
    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++) {
        const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec_text = sums_text, .op = operations[o]};
        msw_kernel *kernel;
        msw_diag diag;
        check(msw_kernel_create(context, &desc, &kernel, &diag), &diag);
        check(msw_kernel_run_host(kernel, N, (const void *[]){in}, (void *[]){out}, NULL, &diag), &diag);
        msw_kernel_destroy(kernel);
    }
}

static void test_run_time(void **state)
{
    (void)state;
    for (int is_cached = 0; is_cached < 3; is_cached++) { /* not, stored, loaded */
        msw_context *context = open_context(0, 0, is_cached ? "cache" : NULL);
        make_kernels(context);
        check_summary(&seen, 300, 0);
        assert_true(seen.functions > seen.modules); /* some are left */
        msw_context_destroy(context);
    }
}

/* A plan with a text in it: that of a program, and one whose functions say nothing of precision. */
static void test_texts(void **state)
{
    static const char text[] =
        "#version 460\n#extension GL_EXT_buffer_reference_uvec2 : require\n#extension GL_EXT_control_flow_attributes : require\n"
        "layout(local_size_x = 64) in;\nlayout(buffer_reference) buffer Floats { float at[]; };\n"
        "layout(push_constant) uniform Parameters { uvec2 n, n_address, scratch, carry_in, carry_out, in_floats, out_floats; } params;\n"
        "void main()\n{\n    float sum = 0.0;\n"
        "    [[unroll]] for (uint i = 0u; i < 9u; i++) sum = sum * 3.0 + Floats(params.in_floats).at[i] - sum;\n"
        "    Floats(params.out_floats).at[0] = -sum;\n}\n";
    const msw_plan plan = {.format = MSW_PLAN_FORMAT,
                           .backend = MSW_BACKEND_VULKAN,
                           .name = "text",
                           .buffer_count = 2,
                           .kernel_count = 1,
                           .step_count = 1,
                           .variant_count = 1,
                           .scratch_alignment_bytes = 16,
                           .buffers = {{"from", 4, 4, MSW_LENGTH_N, 0, 0, 0}, {"to", 4, 4, MSW_LENGTH_ONE, 1, 0, 0}},
                           .kernels = {{.entry = "text", .text = text, .block_threads = 64, .subgroup_size = 1}},
                           .steps = {{.tile_items = 64, .max_blocks = 1}},
                           .variants = {{.n_max = 64, .step_count = 1, .strategy = "text"}}};
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .plan = &plan};
    msw_context *context = open_context(0, 0, NULL);
    msw_kernel *kernel;
    msw_diag diag;
    (void)state;
    check(msw_kernel_create(context, &desc, &kernel, &diag), &diag);
    check_summary(&seen, 27, 0);
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
}

/* The extension's feature is taken from the device, not from the driver, and from neither alone. */
static void test_uniform_control_flow(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        msw_context *context = open_context(way & 1, way >> 1, NULL);
        make_kernels(context);
        if (way == 3) assert_in_range(seen.uniform, 3, seen.modules - 1); /* kernels without subgroup operations declare nothing */
        else assert_int_equal(seen.uniform, 0);
        assert_int_equal(seen.loose, 0);
        msw_context_destroy(context);
    }
}

/* ---- ahead of time ---- */

/* What a kernel orders in buffers, in one place: keys, values or a carry that it then stores over, or all threads' loads of what launches tell each
 * other. */
static void check_order(const char *entry, const summary *before, const summary *after)
{
    static const char *const orders_arrays[] = {"scan_single_block", "sort_single_block"};
    static const char *const orders_counters[] = {"scan_lookback", "sort_histogram", "sort_pass"};
    int arrays = 0, counters = 0;
    for (size_t i = 0; i < sizeof orders_arrays / sizeof *orders_arrays; i++) arrays |= !strcmp(entry, orders_arrays[i]);
    for (size_t i = 0; i < sizeof orders_counters / sizeof *orders_counters; i++) counters |= !strcmp(entry, orders_counters[i]);
    if (after->all_barriers - before->all_barriers != (uint32_t)(arrays || counters) || (after->common > before->common) != arrays)
        fail_msg("%s: %u barriers order buffers, in which %u accesses are not private", entry, after->all_barriers - before->all_barriers,
                 after->common - before->common);
}

static void compile_for(const msw_target *target, summary *s)
{
    const msw_spec_desc read = {.struct_size = sizeof read, .text = sums_text};
    msw_spec *spec;
    msw_diag diag;
    check(msw_spec_create(&read, &spec, &diag), &diag);
    for (uint32_t op = 0; op < msw_spec_op_count(spec); op++) {
        const msw_program_desc desc = {.struct_size = sizeof desc, .op = op, .target = target};
        msw_program *program;
        check(msw_program_create(spec, &desc, &program, &diag), &diag);
        check(msw_program_compile(program, &diag), &diag);
        const msw_plan *plan = msw_program_plan(program);
        for (uint32_t k = 0; k < plan->kernel_count; k++) {
            const summary before = *s;
            add_module(s, plan->kernels[k].code, plan->kernels[k].code_bytes / sizeof(uint32_t));
            assert_int_equal((plan->kernels[k].features & MSW_FEATURE_UNIFORM_CONTROL_FLOW) != 0, s->uniform - before.uniform);
            check_order(plan->kernels[k].entry, &before, s);
        }
        msw_program_destroy(program);
    }
    msw_spec_destroy(spec);
}

/* For devices at large, by default and with all or nothing of what is optional. */
static void test_programs(void **state)
{
    const msw_target targets[] = {
        {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_VULKAN},
        {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_VULKAN, .subgroup_size = 64, .has_features = 1, .features = ~0u},
        {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_VULKAN, .subgroup_size = 1, .has_features = 1},
        {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_VULKAN, .subgroup_size = 1, .has_features = 1, .features = ~0u}};
    (void)state;
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        summary s = {0};
        compile_for(&targets[t], &s);
        if (t == 1) assert_in_range(s.uniform, 3, s.modules - 1);
        check_summary(&s, 300, t == 1 ? s.uniform : 0);
    }
}

/* The modules among a text's lists of words: each begins with SPIR-V's magic number. */
static void add_listed(summary *s, const char *text)
{
    static uint32_t words[MOST_WORDS];
    for (const char *at = strstr(text, "119734787,"); at; at = strstr(at, "119734787,")) {
        size_t count = 0;
        char *end;
        for (; *at >= '0' && *at <= '9' && count < MOST_WORDS; at = end) {
            words[count++] = (uint32_t)strtoul(at, &end, 10);
            end += strspn(end, "u, \n");
        }
        add_module(s, words, count);
    }
}

static void add_files(summary *s, const char *folder)
{
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        const char *dot = strrchr(entry->d_name, '.');
        char path[512];
        if (!dot || entry->d_name[0] == '.' || !strcmp(dot, ".json")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        cli_file file = load_file(path);
        assert_non_null(file.data);
        if (!strcmp(dot, ".spv")) add_module(s, (const uint32_t *)(const void *)file.data, file.bytes / sizeof(uint32_t));
        else add_listed(s, file.data);
        free(file.data);
    }
    closedir(directory);
}

static void test_files(void **state)
{
    static const struct {
        const char *folder, *flags;
        int is_uniform;
    } ways[] = {{"code", "--target spirv", 0},
                {"header", "--target header --backend vulkan --subgroup 4,32", 0},
                {"without", "--target header --backend vulkan --subgroup 32 --or-without long_loops", 0},
                {"both", "--target header --backend vulkan --subgroup 32 --or-without uniform_control_flow", 1},
                {"plans", "--target plans --backend vulkan", 0}};
    (void)state;
    make_text("sums.lua", sums_text);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        summary s = {0};
        shell("'" MSW_BINARY_DIR "/monosweep' gen sums.lua %s -o %s", ways[w].flags, ways[w].folder);
        add_files(&s, ways[w].folder);
        if (ways[w].is_uniform) assert_in_range(s.uniform, 3, s.modules / 2); /* one of two variants */
        check_summary(&s, 300, ways[w].is_uniform ? s.uniform : 0);
    }
}

/* ---- the check itself ---- */

static int keep_words(void *user, const uint32_t *words, size_t count)
{
    memcpy(user, words, count * sizeof *words);
    return 0;
}

/* A module without its decorations is found loose, by us and by the library, and gets them back. */
static void test_check(void **state)
{
    static uint32_t words[MOST_WORDS], again[MOST_WORDS];
    char message[512];
    summary whole = {0}, bare = {0}, mended = {0};
    size_t count = 5;
    (void)state;
    shell("'" MSW_BINARY_DIR "/monosweep' gen sums.lua --op sums --target spirv -o one");
    cli_file file = load_file("one/sums_scan_tiles.spv");
    assert_non_null(file.data);
    const uint32_t *all = (const uint32_t *)(const void *)file.data;
    add_module(&whole, all, file.bytes / sizeof *all);
    memcpy(words, all, 5 * sizeof *all);
    for (size_t at = 5; at < file.bytes / sizeof *all; at += all[at] >> 16) {
        if ((all[at] & 0xffff) == OP_DECORATE && all[at + 2] == NO_CONTRACTION) continue;
        memcpy(words + count, all + at, (all[at] >> 16) * sizeof *all);
        count += all[at] >> 16;
    }
    add_module(&bare, words, count);
    assert_int_equal(bare.loose, whole.floats);
    assert_int_equal(ms_spirv_optimise(words, count, keep_words, again, message, sizeof message), 0);
    for (count = 5; again[count] >> 16; count += again[count] >> 16) continue;
    add_module(&mended, again, count);
    assert_int_equal(mended.loose, 0);
    assert_int_equal(mended.floats, whole.floats);
    free(file.data);
}

static int open_all(void **state)
{
    (void)state;
    enter_directory("modules test");
    app_open_device(&application, 0);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    app_close(&application);
    return application.messages; /* the validation layer must have been silent */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_run_time), cmocka_unit_test(test_texts), cmocka_unit_test(test_uniform_control_flow),
                                       cmocka_unit_test(test_programs), cmocka_unit_test(test_files), cmocka_unit_test(test_check)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
