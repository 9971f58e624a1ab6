/* Files of the on-disk cache: an entry of any bytes; under right hashes the record of a plan, a kernel's code, a driver's pipelines. What loads is
 * run. Input: which of them; for records and pipelines how much is cut off and changed words, as of plans; for the others the bytes. */
#include "fake_driver.h"

#include "input.h"
#include "outcome.h"

#include "../../backends/vulkan/pipeline_cache.h"
#include "../../runtime/jit/jit_cache.h"
#include "../../runtime/plan_record.h"

#include <fcntl.h>
#include <unistd.h>

enum { RAW_ENTRY, RECORD, CODE, PIPELINES, KINDS };

static const char directory[] = "fuzz_cache.files";
static const ms_cache_key record_key = {"a record's key"}, code_key = {{0}}; /* records name the code's by zeros */
static int damaged;                                                          /* entries, as the log tells */

static void count_line(void *user, const char *line)
{
    (void)user;
    if (strstr(line, "is damaged")) damaged++;
}

/* Before it is written again: file systems wait for the disk when a file takes another's place. */
static void remove_entry(const ms_cache *cache, const ms_cache_key *key, char name[MS_CACHE_NAME_BYTES])
{
    for (size_t i = 0; i < sizeof key->bytes; i++) snprintf(name + 2 * i, MS_CACHE_NAME_BYTES - 2 * i, "%02x", key->bytes[i]);
    strcat(name, ".msw");
    unlinkat(cache->directory, name, 0);
}

static void store(ms_cache *cache, const ms_cache_key *key, const void *data, size_t bytes)
{
    char name[MS_CACHE_NAME_BYTES];
    remove_entry(cache, key, name);
    ms_cache_store(cache, key, data, bytes);
}

/* An entry's file as the bytes stand. */
static void store_raw(const ms_cache *cache, const ms_cache_key *key, const void *data, size_t bytes)
{
    char name[MS_CACHE_NAME_BYTES];
    remove_entry(cache, key, name);
    const int file = openat(cache->directory, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (file < 0 || write(file, data, bytes) != (ssize_t)bytes || close(file)) abort();
}

static msw_context *open_cached(void)
{
    const msw_cuda_device vendor = vendor_of(NULL);
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "cuda", .cache_dir = directory, .log = count_line, .vendor = &vendor};
    msw_context *context;
    msw_diag diag;
    check(msw_context_create(&desc, &context, &diag), &diag);
    return context;
}

static void *copy_of(const void *data, size_t bytes)
{
    void *copy = malloc(bytes ? bytes : 1); /* of its own, so that one byte too many is seen */
    if (!copy) abort();
    return bytes ? memcpy(copy, data, bytes) : copy;
}

/* Stores `whole` but for what the input cuts off and changes. */
static void store_changed(ms_cache *cache, const ms_cache_key *key, const void *whole, size_t bytes, input *in)
{
    unsigned char *data = copy_of(whole, bytes);
    const uint64_t cut = take_number(in);
    change_words(in, data, bytes);
    store(cache, key, data, cut > bytes ? 0 : bytes - (size_t)cut);
    free(data);
}

static void load(msw_context *context)
{
    const msw_enqueue_desc desc = describe(1000);
    msw_kernel *kernel = NULL;
    ms_jit_record record;
    msw_diag diag;
    if (ms_jit_load(context, &record_key, &record) && msw_kernel_load(context, &record.plan, &kernel, &diag) == MSW_OK) {
        if (!kernel) abort();
        expect_outcome(msw_cuda_enqueue(kernel, NULL, &desc, &diag), &diag);
    }
    msw_kernel_destroy(kernel);
    ms_jit_release(context, &record);
}

static void fuzz_record(msw_context *context, int kind, input *in)
{
    static const ms_cache_key codes[MSW_MAX_KERNELS];
    static unsigned char record[65536];
    const msw_plan plan = make_plan(ptx, sizeof ptx);
    const size_t bytes = ms_plan_record_bytes(&plan);
    if (bytes > sizeof record) abort();
    ms_plan_record_write(&plan, codes, record);
    if (kind == RECORD) store_changed(&context->cache, &record_key, record, bytes, in);
    else store(&context->cache, &record_key, record, bytes);
    unsigned char *code = kind == CODE ? copy_of(in->data, in->bytes) : copy_of(ptx, sizeof ptx);
    if (kind == CODE && in->bytes && code[0] == 127) code[0] = '.'; /* the fake driver trusts a cubin's numbers */
    store(&context->cache, &code_key, code, kind == CODE ? in->bytes : sizeof ptx);
    free(code);
    load(context);
}

/* In a driver's place: it reads all that it is given. */
static VkResult VKAPI_CALL create_pipeline_cache(VkDevice device, const VkPipelineCacheCreateInfo *info, const VkAllocationCallbacks *callbacks,
                                                 VkPipelineCache *handle)
{
    (void)device;
    (void)callbacks;
    free(copy_of(info->pInitialData, info->initialDataSize));
    *handle = VK_NULL_HANDLE;
    return VK_SUCCESS;
}

static void fuzz_pipelines(ms_cache *cache, input *in)
{
    static ms_device device = {.adapter = {.vendor_id = 0x10005, .device_id = 7, .pipeline_cache_uuid = {1, 2, 3, 4}}};
    static const uint32_t whole[12] = {32, 1, 0x10005, 7, 0x04030201};
    const msw_plan plan = make_plan(ptx, sizeof ptx);
    ms_vk_pipelines pipelines;
    device.vk.CreatePipelineCache = create_pipeline_cache;
    ms_vk_pipelines_begin(&device, cache, &plan, 1, &pipelines);
    store_changed(cache, &pipelines.key, whole, sizeof whole, in);
    ms_vk_pipelines_begin(&device, cache, &plan, 1, &pipelines);
    ms_vk_pipelines_end(&device, cache, &pipelines);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    input in = {data, bytes};
    const unsigned kind = take_below(&in, KINDS);
    reset(NULL);
    damaged = 0;
    msw_context *context = open_cached();
    if (kind == PIPELINES) fuzz_pipelines(&context->cache, &in);
    else if (kind != RAW_ENTRY) fuzz_record(context, (int)kind, &in);
    if (damaged) abort(); /* a hash is right, whatever is under it */
    if (kind == RAW_ENTRY) {
        store_raw(&context->cache, &record_key, in.data, in.bytes);
        load(context);
        if (damaged == ms_cache_entry_is_whole(in.data, in.bytes, &record_key)) abort(); /* libFuzzer learns right hashes from memcmp */
    }
    msw_context_destroy(context);
    expect_nothing_alive();
    return 0;
}
