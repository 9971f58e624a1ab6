/* Eight threads at once, the library and this file under the thread sanitizer (tests/CMakeLists.txt): one kernel from all of them with scratch of
 * their own, or reserved for each while others enqueue, contexts of their own on one device, and contexts of their own from spec to result, on Vulkan
 * and the host, with one cache directory. */
#include "vulkan_app.h"

#include "cache_files.h"

#include <pthread.h>

enum { THREADS = 8, N = 3000, ROUNDS = 20, ARRAY_BYTES = 1 << 14, SCRATCH_BYTES = 1 << 17 };

/* Lavapipe, LLVM in it, and the compilers were not built for the sanitizer: it does not see what orders their accesses. They are passed over. */
__attribute__((visibility("default"))) const char *__tsan_default_suppressions(void); /* the sanitizer is a shared library */
const char *__tsan_default_suppressions(void)
{
    return "race:libvulkan_lvp.so\nrace:libLLVM\ncalled_from_lib:libstdc++.so\ncalled_from_lib:libcompilers.so\n";
}

static pthread_barrier_t start; /* all begin together */

/* Runs it in every thread, on workers with this number of bytes each. */
static void run_threads(void *(*work)(void *), void *workers, size_t worker_bytes)
{
    pthread_t threads[THREADS];
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_create(&threads[t], NULL, work, (char *)workers + (size_t)t * worker_bytes), 0);
    for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_join(threads[t], NULL), 0);
    pthread_barrier_destroy(&start);
}

/* ---- one device ---- */

static const char text[] = "return { scan { name = 'sums', monoid = sum(u32) }, reduce { name = 'most', monoid = maximum(u32) },\n"
                           "         sort { name = 'pairs', key = u32, value = u32 } }";
static const char *const names[] = {"sums", "most", "pairs"};
enum { KERNELS = sizeof names / sizeof *names };
enum { KEYS, VALUES, SUMS, MOST, SORTED_KEYS, SORTED_VALUES, COUNT, ARRAYS }; /* of a thread; what the kernels make of its keys; n */

typedef struct recorder {
    const app *a;
    msw_context *context; /* the thread's own, or NULL */
    msw_kernel *kernels[KERNELS];
    int kernel_count;
    uint64_t arrays[ARRAYS], scratch; /* addresses */
    unsigned char *data[ARRAYS];
    VkCommandPool pool;
    VkCommandBuffer commands;
    int failures; /* no assertion in a thread: cmocka leaves it by a jump */
} recorder;

static msw_enqueue_desc describe(const recorder *r, int k)
{
    msw_enqueue_desc desc = {.struct_size = sizeof desc,
                             .n = N,
                             .n_address = r->arrays[COUNT],
                             .buffers = {r->arrays[KEYS], r->arrays[k ? MOST : SUMS]},
                             .scratch = r->scratch + (uint64_t)k * SCRATCH_BYTES,
                             .scratch_bytes = SCRATCH_BYTES};
    if (k < 2) return desc;
    desc.buffers[1] = r->arrays[VALUES];
    desc.buffers[2] = r->arrays[SORTED_KEYS];
    desc.buffers[3] = r->arrays[SORTED_VALUES];
    return desc;
}

/* Refused in between, so that messages are written at the same time, too. */
static void record_rounds(recorder *r)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < r->kernel_count; k++) {
            const uint64_t needed = msw_scratch_bytes(msw_kernel_plan(r->kernels[k]), N);
            msw_enqueue_desc desc = describe(r, k);
            msw_diag diag;
            r->failures += needed > SCRATCH_BYTES;
            if (!round) r->failures += msw_vulkan_scratch_init(r->kernels[k], r->commands, desc.scratch, desc.scratch_bytes, &diag) != MSW_OK;
            r->failures += msw_vulkan_enqueue(r->kernels[k], r->commands, &desc, &diag) != MSW_OK || diag.code != MSW_OK;
            desc.scratch_bytes = needed - 1;
            if (needed) r->failures += msw_vulkan_enqueue(r->kernels[k], r->commands, &desc, &diag) != MSW_ERROR_TOO_SMALL || !diag.message[0];
            app_barrier_between(r->commands);
        }
}

/* The context's thread is whoever holds this. */
static pthread_mutex_t reserving = PTHREAD_MUTEX_INITIALIZER;

/* Reserved for this thread's commands, and more of it after some rounds, while other threads record theirs; kernels run by themselves in between, and
 * those that N does not need are waited for. */
static void *record_with_reserved_scratch(void *user)
{
    recorder *r = user;
    pthread_barrier_wait(&start);
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < r->kernel_count; k++) {
            const uint64_t needed = msw_scratch_bytes(msw_kernel_plan(r->kernels[k]), N);
            msw_enqueue_desc desc = describe(r, k);
            msw_diag diag;
            desc.scratch = desc.scratch_bytes = 0;
            if (round % 10 == 0) {
                if (needed && !round) r->failures += msw_vulkan_enqueue(r->kernels[k], r->commands, &desc, &diag) != MSW_ERROR_TOO_SMALL;
                pthread_mutex_lock(&reserving);
                r->failures += msw_vulkan_scratch_reserve(r->kernels[k], r->commands, needed + (uint64_t)round * 100, &diag) != MSW_OK;
                desc.n = N * (uint64_t)(round + 1) / ROUNDS; /* wants more of the kernel's own from round to round */
                r->failures += msw_kernel_run(r->kernels[k], &desc, NULL, &diag) != MSW_OK;
                if (round) r->failures += msw_kernel_wait(r->kernels[k], UINT64_MAX, 0, &diag) != MSW_OK;
                desc.n = N;
                pthread_mutex_unlock(&reserving);
            }
            r->failures += msw_vulkan_enqueue(r->kernels[k], r->commands, &desc, &diag) != MSW_OK;
            app_barrier_between(r->commands);
        }
    return NULL;
}

static void *record_with_one_kernel(void *user)
{
    pthread_barrier_wait(&start);
    record_rounds(user);
    return NULL;
}

/* On the application's device, which threads may share, without its queue, which they may not but by turns. strategy: "", or one that compiles
 * sooner. Kernels that N does not need are compiled meanwhile. */
static msw_result open_context(const app *a, VkQueue queue, const char *strategy, msw_context **context, msw_kernel **kernels, int kernel_count,
                               msw_diag *diag)
{
    msw_vulkan_device objects = app_objects(a);
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "vulkan", .vendor = &objects};
    objects.queue = queue;
    msw_result result = msw_context_create(&desc, context, diag);
    for (int k = 0; k < kernel_count && result == MSW_OK; k++) {
        const msw_knob knob = {"strategy", strategy};
        const msw_kernel_desc kernel = {
            .struct_size = sizeof kernel, .spec_text = text, .op = names[k], .knobs = &knob, .knob_count = strategy[0] != '\0', .first_n = N};
        result = msw_kernel_create(*context, &kernel, &kernels[k], diag);
    }
    return result;
}

static void *record_with_own_context(void *user)
{
    recorder *r = user;
    msw_diag diag;
    pthread_barrier_wait(&start);
    r->failures += open_context(r->a, VK_NULL_HANDLE, "single_block", &r->context, r->kernels, r->kernel_count, &diag) != MSW_OK;
    if (!r->failures) record_rounds(r);
    return NULL;
}

static void open_recorder(recorder *r, const memory *m, const memory *scratch, int thread)
{
    const VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = r->a->family};
    const uint64_t count = N;
    for (int i = 0; i < ARRAYS; i++) {
        const uint64_t offset = (uint64_t)(thread * ARRAYS + i) * ARRAY_BYTES;
        r->arrays[i] = m->address + offset;
        r->data[i] = m->data + offset;
    }
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t key = (i + 7u * (uint32_t)thread) * 2654435761u;
        memcpy(r->data[KEYS] + 4 * i, &key, 4);
        memcpy(r->data[VALUES] + 4 * i, &i, 4);
    }
    memcpy(r->data[COUNT], &count, sizeof count);
    r->scratch = scratch->address + (uint64_t)thread * KERNELS * SCRATCH_BYTES;
    VK_CHECK(vkCreateCommandPool(r->a->device, &info, NULL, &r->pool));
    r->commands = app_begin(r->a, r->pool);
}

static void check_recorder(const recorder *r, const msw_spec *spec)
{
    static uint32_t wanted[2][N];
    static const int results[KERNELS][2] = {{SUMS}, {MOST}, {SORTED_KEYS, SORTED_VALUES}};
    for (uint32_t k = 0; k < (uint32_t)r->kernel_count; k++) {
        msw_diag diag;
        const void *inputs[] = {r->data[KEYS], r->data[VALUES]};
        check(msw_spec_evaluate(spec, k, N, inputs, (void *[]){wanted[0], wanted[1]}, NULL, NULL, &diag), &diag);
        assert_memory_equal(r->data[results[k][0]], wanted[0], k == 1 ? 4 : sizeof wanted[0]);
        if (k == 2) assert_memory_equal(r->data[results[k][1]], wanted[1], sizeof wanted[1]);
    }
}

/* Recorded at once, submitted one after the other. kernels NULL: each thread makes its own, the scan. */
static void record_and_check(const app *a, msw_kernel *const *kernels, void *(*record)(void *))
{
    const msw_spec_desc read = {.struct_size = sizeof read, .text = text};
    memory arrays = app_allocate(a, THREADS * ARRAYS * ARRAY_BYTES), scratch = app_allocate(a, THREADS * KERNELS * SCRATCH_BYTES);
    recorder recorders[THREADS];
    msw_spec *spec;
    msw_diag diag;
    check(msw_spec_create(&read, &spec, &diag), &diag);
    for (int t = 0; t < THREADS; t++) {
        recorders[t] = (recorder){.a = a, .kernel_count = kernels ? KERNELS : 1};
        for (int k = 0; k < KERNELS && kernels; k++) recorders[t].kernels[k] = kernels[k];
        open_recorder(&recorders[t], &arrays, &scratch, t);
    }
    run_threads(record, recorders, sizeof *recorders);
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(recorders[t].failures, 0);
        app_end(recorders[t].commands);
        app_submit(a, recorders[t].commands);
        check_recorder(&recorders[t], spec);
        vkDestroyCommandPool(a->device, recorders[t].pool, NULL);
        for (int k = 0; k < KERNELS && !kernels; k++) msw_kernel_destroy(recorders[t].kernels[k]);
        msw_context_destroy(recorders[t].context);
    }
    app_free(a, &arrays);
    app_free(a, &scratch);
    msw_spec_destroy(spec);
}

static void test_one_kernel(void **state)
{
    msw_kernel *kernels[KERNELS];
    msw_context *context;
    msw_diag diag;
    app a;
    (void)state;
    app_open_unwatched(&a);
    check(open_context(&a, a.queue, "", &context, kernels, KERNELS, &diag), &diag);
    record_and_check(&a, kernels, record_with_one_kernel);
    record_and_check(&a, kernels, record_with_reserved_scratch);
    for (int k = 0; k < KERNELS; k++) msw_kernel_destroy(kernels[k]);
    msw_context_destroy(context);
    app_close(&a);
}

static void test_one_device(void **state)
{
    app a;
    (void)state;
    app_open_unwatched(&a);
    record_and_check(&a, NULL, record_with_own_context);
    app_close(&a);
}

/* ---- contexts of their own ---- */

typedef struct owner {
    const char *device, *cache_dir;
    int thread;
    char failure[1100]; /* "": none */
} owner;

/* A spec of the thread's own: result i is (thread + 1) * (i + 1). Two threads compile several kernels, in threads of the library, others one. */
static msw_result scan_alone(const owner *o, msw_context *context, uint32_t *output, msw_diag *diag)
{
    char own_text[160];
    uint32_t input[N];
    msw_kernel *kernel;
    const msw_knob knob = {"strategy", "single_block"};
    const int is_vulkan = !strcmp(o->device, "vulkan");
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec_text = own_text, .knobs = &knob, .knob_count = is_vulkan && o->thread > 1};
    snprintf(own_text, sizeof own_text, "return scan { name = 'own_%d', monoid = sum(u32), input = u32, map = function(x) return x * %d end }",
             o->thread, o->thread + 1);
    for (uint32_t i = 0; i < N; i++) input[i] = 1;
    msw_result result = msw_kernel_create(context, &desc, &kernel, diag);
    if (result == MSW_OK) result = msw_kernel_run_host(kernel, N, (const void *[]){input}, (void *[]){output}, NULL, diag);
    msw_kernel_destroy(kernel);
    return result;
}

static void *use_own_context(void *user)
{
    owner *o = user;
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = o->device, .cache_dir = o->cache_dir};
    uint32_t output[N];
    msw_context *context;
    msw_diag diag = {.code = MSW_OK};
    pthread_barrier_wait(&start);
    msw_result result = msw_context_create(&desc, &context, &diag);
    if (result == MSW_OK) result = scan_alone(o, context, output, &diag);
    msw_context_destroy(context);
    if (result != MSW_OK) snprintf(o->failure, sizeof o->failure, "%s", diag.message);
    for (uint32_t i = 0; i < N && !o->failure[0]; i++)
        if (output[i] != (i + 1) * (uint32_t)(o->thread + 1)) snprintf(o->failure, sizeof o->failure, "element %u is %u", i, output[i]);
    return NULL;
}

/* Once with an empty directory, and once with what is in it then. */
static void test_own_contexts(void **state)
{
    static const char *const devices[] = {"vulkan", "host", "vulkan"};
    char *cache_dir = make_directory();
    owner owners[THREADS];
    (void)state;
    for (int d = 0; d < 3; d++) {
        for (int t = 0; t < THREADS; t++) owners[t] = (owner){.device = devices[d], .cache_dir = cache_dir, .thread = t};
        run_threads(use_own_context, owners, sizeof *owners);
        for (int t = 0; t < THREADS; t++)
            if (owners[t].failure[0]) fail_msg("%s, thread %d: %s", devices[d], t, owners[t].failure);
    }
    remove_directory(cache_dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_kernel), cmocka_unit_test(test_one_device), cmocka_unit_test(test_own_contexts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
