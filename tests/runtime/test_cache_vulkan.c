/* Kernels by way of the on-disk cache, on Vulkan: what is loaded computes what is compiled, damaged entries are made anew, what differs is kept
 * apart,
 * and a driver gets back what it made of the code. */
#include "vulkan_app.h"

#include "cache_files.h"

#include "../../backends/vulkan/pipeline_cache.h"
#include "../../runtime/objects.h"

#include <stdatomic.h>

static const char sums_text[] = "return { scan { name = 'sums', monoid = sum(u32) }, reduce { name = 'total', monoid = sum(u32) } }";

static cache_log context_log;

static msw_context *open_context(const char *cache_dir, const msw_vulkan_device *vendor)
{
    const msw_context_desc desc = {
        .struct_size = sizeof desc, .device = "vulkan", .cache_dir = cache_dir, .log = count_line, .log_user = &context_log, .vendor = vendor};
    msw_context *context;
    msw_diag diag;
    context_log = (cache_log){0};
    check(msw_context_create(&desc, &context, &diag), &diag);
    return context;
}

static msw_kernel_desc sums_desc(void) { return (msw_kernel_desc){.struct_size = sizeof(msw_kernel_desc), .spec_text = sums_text, .op = "sums"}; }

/* Makes a scan of u32 sums, runs it, and looks at every sum. */
static void expect_sums(msw_context *context, const msw_kernel_desc *desc)
{
    enum { N = 3000 };
    static uint32_t in[N], out[N];
    msw_kernel *kernel;
    msw_diag diag;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < N; i++) in[i] = i * i + 7;
    memset(out, 0, sizeof out);
    check(msw_kernel_create(context, desc, &kernel, &diag), &diag);
    check(msw_kernel_run_host(kernel, N, (const void *[]){in}, (void *[]){out}, NULL, &diag), &diag);
    for (uint32_t i = 0; i < N; i++) assert_int_equal(out[i], sum += in[i]);
    msw_kernel_destroy(kernel);
}

/* The files' numbers on the disk: storing gives a new one, loading does not. */
static void read_inodes(const char *path, const cache_files *files, ino_t inodes[MOST_FILES])
{
    for (uint32_t f = 0; f < files->count; f++) {
        char file[4096];
        struct stat status;
        snprintf(file, sizeof file, "%s/%s", path, files->names[f]);
        assert_int_equal(stat(file, &status), 0);
        inodes[f] = status.st_ino;
    }
}

static void expect_loaded(const char *path, msw_context *context, const msw_kernel_desc *desc)
{
    const cache_files before = list_files(path);
    ino_t inodes[MOST_FILES], later[MOST_FILES];
    read_inodes(path, &before, inodes);
    expect_sums(context, desc);
    const cache_files after = list_files(path);
    assert_int_equal(after.count, before.count);
    assert_memory_equal(after.names, before.names, sizeof after.names);
    read_inodes(path, &after, later);
    assert_memory_equal(inodes, later, before.count * sizeof *inodes);
    expect_lines(&context_log, 0, "");
}

static void test_warm(void **state)
{
    char *path = make_directory();
    const msw_kernel_desc desc = sums_desc();
    (void)state;
    msw_context *context = open_context(path, NULL);
    expect_sums(context, &desc);
    const cache_files files = list_files(path);
    assert_true(files.count >= 3); /* two kernels and a plan at least */
    expect_loaded(path, context, &desc);
    msw_context_destroy(context);
    context = open_context(path, NULL);
    expect_loaded(path, context, &desc);
    msw_context_destroy(context);
    remove_directory(path);
}

/* ---- what is kept apart ---- */

/* How many files come when this is made; none when it is made again. */
static uint32_t count_new(const char *path, msw_context *context, const msw_kernel_desc *desc)
{
    const cache_files before = list_files(path);
    expect_sums(context, desc);
    const cache_files after = list_files(path);
    expect_loaded(path, context, desc);
    return after.count - before.count;
}

static void test_differences(void **state)
{
    static const char short_text[] = "return scan { monoid = sum(u32) }", longer_text[] = "return scan { monoid = sum(u32), init = 0 }";
    static const msw_knob block[] = {{"block", "64"}}, wider[] = {{"block", "128"}}, items[] = {{"items", "8"}},
                          both[] = {{"block", "64"}, {"items", "8"}};
    char *path = make_directory(), file[4096];
    msw_context *context = open_context(path, NULL);
    msw_kernel_desc desc = sums_desc();
    (void)state;
    assert_true(count_new(path, context, &desc) >= 3);
    desc.spec_text = "return { scan { name = 'sums', monoid = sum(u32) }, reduce { name = 'total', monoid = sum(u32) } } -- a comment";
    assert_int_equal(count_new(path, context, &desc), 1); /* a plan; the kernels' texts are the same */
    desc.spec_text = "return scan { name = 'sums', monoid = sum(u32), doc = 'alone' }";
    assert_int_equal(count_new(path, context, &desc), 1);
    desc.op = NULL;
    assert_int_equal(count_new(path, context, &desc), 1);
    desc.knobs = block, desc.knob_count = 1;
    assert_true(count_new(path, context, &desc) > 1);
    desc.knobs = wider;
    assert_true(count_new(path, context, &desc) > 1);
    desc.knobs = items;
    assert_true(count_new(path, context, &desc) > 1);
    desc.knobs = both, desc.knob_count = 2;
    assert_true(count_new(path, context, &desc) > 1);
    desc.knob_count = 0, desc.subgroup_size = 1;
    assert_true(count_new(path, context, &desc) > 1);
    desc = (msw_kernel_desc){.struct_size = sizeof desc, .spec_file = file};
    snprintf(file, sizeof file, "%s/other.lua", path);
    write_bytes(path, "other.lua", short_text, strlen(short_text));
    assert_true(count_new(path, context, &desc) > 1); /* its name is the file's */
    write_bytes(path, "other.lua", longer_text, strlen(longer_text));
    assert_true(count_new(path, context, &desc) >= 1);
    msw_context_destroy(context);
    remove_directory(path);
}

/* Specs that were read before, by what they were read from. */
static void test_specs(void **state)
{
    static const msw_define one[] = {{"N", "1"}}, other[] = {{"N", "0"}}, more[] = {{"N", "1"}, {"M", "1"}};
    const msw_define *const defines[] = {one, other, more};
    char *path = make_directory();
    msw_context *context = open_context(path, NULL);
    (void)state;
    for (int d = 0; d < 3; d++) {
        const msw_spec_desc read = {.struct_size = sizeof read,
                                    .text = "return scan { monoid = sum(u32), map = function(x) return x * (N | 1) end, input = u32 }",
                                    .defines = defines[d],
                                    .define_count = d == 2 ? 2 : 1};
        msw_kernel_desc desc = {.struct_size = sizeof desc};
        msw_diag diag;
        check(msw_spec_create(&read, &desc.spec, &diag), &diag);
        assert_true(count_new(path, context, &desc) >= 1);
        msw_spec_destroy(desc.spec);
    }
    msw_context_destroy(context);
    remove_directory(path);
}

/* A spec that is refused for its laws stays refused when one that skips them, or another operation of it, is in the cache. */
static void test_laws(void **state)
{
    static const char text[] = "local bad = monoid { type = u32, identity = 1, combine = function(a, b) return a + b end }\n"
                               "return { scan { name = 'sums', monoid = sum(u32) }, scan { name = 'bad', monoid = bad } }";
    char *path = make_directory();
    msw_context *context = open_context(path, NULL);
    msw_kernel_desc desc = {.struct_size = sizeof desc, .spec_text = text, .op = "sums"};
    const msw_spec_desc skipping = {.struct_size = sizeof skipping, .text = text, .skip_laws = 1};
    msw_kernel *kernel;
    msw_diag diag;
    (void)state;
    assert_true(count_new(path, context, &desc) >= 1);
    desc.op = "bad";
    for (int round = 0; round < 2; round++) {
        assert_int_equal(msw_kernel_create(context, &desc, &kernel, &diag), MSW_ERROR_SPEC);
        assert_non_null(strstr(diag.message, "spec:1: monoid: combine(identity, a) == a fails"));
        msw_kernel_desc skipped = {.struct_size = sizeof skipped, .op = "bad"};
        check(msw_spec_create(&skipping, &skipped.spec, &diag), &diag);
        check(msw_kernel_create(context, &skipped, &kernel, &diag), &diag);
        msw_kernel_destroy(kernel);
        msw_spec_destroy(skipped.spec);
    }
    msw_context_destroy(context);
    remove_directory(path);
}

/* A plan's texts, whoever made it: their code is the same entry. */
static void test_plans(void **state)
{
    char *path = make_directory();
    msw_context *context = open_context(path, NULL);
    msw_kernel_desc desc = {.struct_size = sizeof desc};
    const msw_spec_desc read = {.struct_size = sizeof read, .text = sums_text};
    const msw_program_desc planned = {.struct_size = sizeof planned, .target = &msw_context_device(context)->target};
    msw_program *program;
    msw_spec *spec;
    msw_diag diag;
    (void)state;
    check(msw_spec_create(&read, &spec, &diag), &diag);
    check(msw_program_create(spec, &planned, &program, &diag), &diag);
    desc.plan = msw_program_plan(program);
    assert_int_equal(count_new(path, context, &desc), desc.plan->kernel_count);
    desc = sums_desc();
    assert_int_equal(count_new(path, context, &desc), 1); /* a plan */
    msw_program_destroy(program);
    msw_spec_destroy(spec);
    msw_context_destroy(context);
    remove_directory(path);
}

/* ---- damage ---- */

static ms_cache_key key_of_name(const char *name)
{
    ms_cache_key key;
    for (size_t i = 0; i < sizeof key.bytes; i++) {
        const char digits[3] = {name[2 * i], name[2 * i + 1]};
        key.bytes[i] = (unsigned char)strtoul(digits, NULL, 16);
    }
    return key;
}

/* The kernel computes what it should, one line tells of the damage, and the entry is as it was before. */
static void expect_rebuilt(const char *path, msw_context *context, const char *name, const file_bytes *whole, const void *damaged, size_t bytes)
{
    const msw_kernel_desc desc = sums_desc();
    context->cache.has_complained = 0;
    context_log = (cache_log){0};
    write_bytes(path, name, damaged, bytes);
    expect_sums(context, &desc);
    expect_lines(&context_log, 1, name);
    file_bytes again = read_bytes(path, name);
    assert_int_equal(again.bytes, whole->bytes);
    assert_memory_equal(again.data, whole->data, whole->bytes);
    free(again.data);
}

/* Every byte for the loader, some of them for the whole way. */
static void damage(const char *path, msw_context *context, const char *name)
{
    const size_t offsets[] = {0, 8, 16, 32, 48, 52, 60, 333};
    const ms_cache_key key = key_of_name(name);
    file_bytes whole = read_bytes(path, name), entry = read_bytes(path, name);
    assert_true(ms_cache_entry_is_whole(entry.data, entry.bytes, &key));
    for (size_t i = 0; i < entry.bytes; i++) {
        entry.data[i] ^= (unsigned char)(1 + i % 255);
        assert_false(ms_cache_entry_is_whole(entry.data, entry.bytes, &key));
        assert_false(ms_cache_entry_is_whole(whole.data, i, &key));
        entry.data[i] = whole.data[i];
    }
    for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++) {
        entry.data[offsets[o]] ^= 0x40;
        expect_rebuilt(path, context, name, &whole, entry.data, entry.bytes);
        entry.data[offsets[o]] ^= 0x40;
        expect_rebuilt(path, context, name, &whole, entry.data, offsets[o]);
    }
    entry.data[entry.bytes - 1] ^= 1;
    expect_rebuilt(path, context, name, &whole, entry.data, entry.bytes);
    free(entry.data);
    free(whole.data);
}

static void test_damage(void **state)
{
    char *path = make_directory();
    msw_context *context = open_context(path, NULL);
    const msw_kernel_desc desc = sums_desc();
    (void)state;
    expect_sums(context, &desc);
    const cache_files files = list_files(path);
    for (uint32_t f = 0; f < files.count; f++) damage(path, context, files.names[f]);
    msw_context_destroy(context);
    remove_directory(path);
}

/* One entry in another's place. */
static void test_swapped(void **state)
{
    char *path = make_directory();
    msw_context *context = open_context(path, NULL);
    const msw_kernel_desc desc = sums_desc();
    (void)state;
    expect_sums(context, &desc);
    const cache_files files = list_files(path);
    for (uint32_t f = 0; f < files.count; f++) {
        file_bytes whole = read_bytes(path, files.names[f]), other = read_bytes(path, files.names[(f + 1) % files.count]);
        expect_rebuilt(path, context, files.names[f], &whole, other.data, other.bytes);
        free(whole.data);
        free(other.data);
    }
    msw_context_destroy(context);
    remove_directory(path);
}

/* ---- without a usable directory ---- */

static void test_full_disk(void **state)
{
    char *path = make_directory();
    msw_context *context = open_context(path, NULL);
    msw_kernel_desc desc = sums_desc();
    (void)state;
    disk_room = 100;
    expect_sums(context, &desc);
    desc.subgroup_size = 1;
    expect_sums(context, &desc);
    disk_room = -1;
    expect_lines(&context_log, 1, "No space left on device");
    assert_int_equal(list_files(path).count, 0);
    msw_context_destroy(context);
    remove_directory(path);
}

static void test_refused_directory(void **state)
{
    char *path = make_directory();
    const msw_kernel_desc desc = sums_desc();
    (void)state;
    assert_int_equal(chmod(path, 0777), 0);
    msw_context *context = open_context(path, NULL);
    expect_sums(context, &desc);
    expect_sums(context, &desc);
    expect_lines(&context_log, 1, "others may write to it");
    assert_int_equal(list_files(path).count, 0);
    msw_context_destroy(context);
    remove_directory(path);
}

/* What fails is said as ever, and nothing is kept of it. */
static void test_failures(void **state)
{
    char *path = make_directory();
    msw_context *context = open_context(path, NULL);
    msw_kernel *kernel;
    msw_diag diag;
    (void)state;
    for (int round = 0; round < 2; round++) {
        msw_kernel_desc desc = {.struct_size = sizeof desc, .spec_text = "return scan { monoid = sum(u33) }"};
        assert_int_equal(msw_kernel_create(context, &desc, &kernel, &diag), MSW_ERROR_SPEC);
        assert_int_equal(diag.line, 1);
        assert_null(kernel);
        desc = (msw_kernel_desc){.struct_size = sizeof desc, .spec_file = "/missing/spec.lua"};
        assert_int_equal(msw_kernel_create(context, &desc, &kernel, &diag), MSW_ERROR_IO);
        assert_non_null(strstr(diag.message, "/missing/spec.lua"));
        desc = sums_desc();
        desc.op = "none";
        assert_int_equal(msw_kernel_create(context, &desc, &kernel, &diag), MSW_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(diag.message, "'none'"));
    }
    assert_int_equal(list_files(path).count, 0);
    msw_context_destroy(context);
    remove_directory(path);
}

/* ---- pipelines: a driver that keeps something, which those on CPUs do not ---- */

enum { MADE_BYTES = 500 };

static struct driver {
    PFN_vkGetDeviceProcAddr get;
    PFN_vkCreatePipelineCache create;
    unsigned char made[MADE_BYTES], given[MADE_BYTES]; /* what it gives, what it was given last */
    size_t given_bytes;
    atomic_int with_cache; /* pipelines are made in several threads */
    int created, destroyed, refuses;
    PFN_vkCreateComputePipelines create_pipelines;
    PFN_vkDestroyPipelineCache destroy;
} driver;

static VKAPI_ATTR VkResult VKAPI_CALL create_cache(VkDevice device, const VkPipelineCacheCreateInfo *info, const VkAllocationCallbacks *allocator,
                                                   VkPipelineCache *cache)
{
    VkPipelineCacheCreateInfo empty = *info;
    driver.given_bytes = info->initialDataSize;
    if (info->initialDataSize <= MADE_BYTES && info->initialDataSize) memcpy(driver.given, info->pInitialData, info->initialDataSize);
    empty.initialDataSize = 0;
    driver.created += !driver.refuses;
    return driver.refuses ? VK_ERROR_OUT_OF_HOST_MEMORY : driver.create(device, &empty, allocator, cache);
}

static VKAPI_ATTR void VKAPI_CALL destroy_cache(VkDevice device, VkPipelineCache cache, const VkAllocationCallbacks *allocator)
{
    driver.destroyed++;
    driver.destroy(device, cache, allocator);
}

static VKAPI_ATTR VkResult VKAPI_CALL get_data(VkDevice device, VkPipelineCache cache, size_t *bytes, void *data)
{
    (void)device;
    (void)cache;
    if (data) memcpy(data, driver.made, MADE_BYTES);
    *bytes = MADE_BYTES;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_pipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                       const VkComputePipelineCreateInfo *infos, const VkAllocationCallbacks *allocator,
                                                       VkPipeline *pipelines)
{
    driver.with_cache += cache != VK_NULL_HANDLE;
    return driver.create_pipelines(device, cache, count, infos, allocator, pipelines);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_function(VkDevice device, const char *name)
{
    const PFN_vkVoidFunction real = driver.get(device, name);
    if (!strcmp(name, "vkCreatePipelineCache")) return driver.create = (PFN_vkCreatePipelineCache)real, (PFN_vkVoidFunction)create_cache;
    if (!strcmp(name, "vkDestroyPipelineCache")) return driver.destroy = (PFN_vkDestroyPipelineCache)real, (PFN_vkVoidFunction)destroy_cache;
    if (!strcmp(name, "vkCreateComputePipelines"))
        return driver.create_pipelines = (PFN_vkCreateComputePipelines)real, (PFN_vkVoidFunction)create_pipelines;
    return strcmp(name, "vkGetPipelineCacheData") ? real : (PFN_vkVoidFunction)get_data;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_function(VkInstance instance, const char *name)
{
    const PFN_vkVoidFunction real = vkGetInstanceProcAddr(instance, name);
    if (strcmp(name, "vkGetDeviceProcAddr")) return real;
    driver.get = (PFN_vkGetDeviceProcAddr)real;
    return (PFN_vkVoidFunction)get_device_function;
}

static void make_driver(const app *a)
{
    VkPhysicalDeviceProperties p;
    vkGetPhysicalDeviceProperties(a->physical_device, &p);
    const uint32_t head[4] = {32, VK_PIPELINE_CACHE_HEADER_VERSION_ONE, p.vendorID, p.deviceID};
    driver = (struct driver){.given_bytes = 77};
    memcpy(driver.made, head, sizeof head);
    memcpy(driver.made + sizeof head, p.pipelineCacheUUID, VK_UUID_SIZE);
    for (size_t i = 32; i < MADE_BYTES; i++) driver.made[i] = (unsigned char)(i * 7);
}

static void test_pipelines(void **state)
{
    char *path = make_directory();
    const msw_kernel_desc desc = sums_desc();
    app a;
    (void)state;
    app_open(&a);
    make_driver(&a);
    msw_vulkan_device objects = app_objects(&a);
    objects.get_instance_proc_addr = get_instance_function;
    msw_context *context = open_context(path, &objects);
    expect_sums(context, &desc);
    assert_int_equal(driver.given_bytes, 0);
    const int pipelines = driver.with_cache;
    assert_true(pipelines >= 2);
    expect_loaded(path, context, &desc); /* with what it made then, which has not become more */
    assert_int_equal(driver.with_cache, 2 * pipelines);
    assert_int_equal(driver.given_bytes, MADE_BYTES);
    assert_memory_equal(driver.given, driver.made, MADE_BYTES);
    driver.refuses = 1;
    expect_loaded(path, context, &desc);
    assert_int_equal(driver.with_cache, 2 * pipelines);
    assert_int_equal(driver.created, 2);
    assert_int_equal(driver.destroyed, 2);
    msw_context_destroy(context);
    context = open_context(NULL, &objects);
    expect_sums(context, &desc);
    assert_int_equal(driver.with_cache, 2 * pipelines);
    msw_context_destroy(context);
    assert_int_equal(a.messages, 0);
    app_close(&a);
    remove_directory(path);
}

/* Data of another vendor, device or driver is not for this one. */
static void test_headers(void **state)
{
    ms_vk_adapter adapter = {.vendor_id = 0x10de, .device_id = 0x2335};
    unsigned char data[100] = {0};
    const uint32_t head[4] = {32, VK_PIPELINE_CACHE_HEADER_VERSION_ONE, adapter.vendor_id, adapter.device_id};
    (void)state;
    for (unsigned i = 0; i < VK_UUID_SIZE; i++) adapter.pipeline_cache_uuid[i] = data[16 + i] = (unsigned char)(i + 1);
    memcpy(data, head, sizeof head);
    assert_true(ms_vk_pipelines_fit(&adapter, data, sizeof data));
    for (size_t bytes = 0; bytes <= sizeof data; bytes++) assert_int_equal(ms_vk_pipelines_fit(&adapter, data, bytes), bytes >= 32);
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] ^= 1;
        assert_int_equal(ms_vk_pipelines_fit(&adapter, data, sizeof data), i >= 32);
        data[i] ^= 1;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_warm),     cmocka_unit_test(test_differences), cmocka_unit_test(test_specs),
        cmocka_unit_test(test_laws),     cmocka_unit_test(test_plans),       cmocka_unit_test(test_damage),
        cmocka_unit_test(test_swapped),  cmocka_unit_test(test_full_disk),   cmocka_unit_test(test_refused_directory),
        cmocka_unit_test(test_failures), cmocka_unit_test(test_pipelines),   cmocka_unit_test(test_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
