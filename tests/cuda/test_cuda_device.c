/* Everything on a CUDA device, where there is one: the common enqueue cases through captured graphs, the caller's streams, replays, n beyond 2^32.
 * The program needs no other file of the tree. The corpus: MSW_TEST_DEVICE=cuda test_corpus. */
#include "cuda_app.h"

enum { SCRATCH_BYTES = 1 << 22 }; /* msd_hybrid needs 1.9 MB, and tests use half at most */

#include "enqueue_cases.h"

#include "sort_replays.h"

#include "count_replays.h"

#include "item_replays.h"

#include "scratch_cases.h"

#include "green_contexts.h"

/* With the geometry that the planner chooses. */
static loaded load_as_planned(msw_spec *from, const char *op)
{
    const msw_knob knob = {"strategy", strstr(op, "total") ? "reduce_then_scan" : scan_strategy};
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec = from, .op = op, .knobs = &knob, .knob_count = 1};
    loaded k = {.op = (uint32_t)msw_spec_find(from, op)};
    msw_diag diag;
    check(msw_kernel_create(context, &desc, &k.kernel, &diag), &diag);
    k.plan = msw_kernel_plan(k.kernel);
    k.tile = k.plan->steps[0].tile_items;
    k.in_bytes = k.plan->buffers[0].element_bytes;
    k.out_bytes = k.plan->buffers[1].element_bytes;
    return k;
}

/* On a stream of the application's, in a thread that has no current context: uploads before, downloads after, one wait. */
static void test_stream(void **state)
{
    static const char *const ops[] = {"sums", "forwards", "backwards", "bytes", "total"};
    CUcontext current;
    (void)state;
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
        loaded k = load_as_planned(spec, ops[o]);
        msw_enqueue_desc desc = describe(100003);
        msw_diag diag;
        desc.flags = MSW_SCRATCH_DIRTY;
        fill((uint32_t)o);
        memset(scratch.data, 0xa5, SCRATCH_BYTES);
        app_upload(application.stream);
        CU(CtxPopCurrent(&current));
        check(msw_cuda_enqueue(k.kernel, application.stream, &desc, &diag), &diag);
        CU(CtxGetCurrent(&current));
        assert_null(current);
        CU(CtxPushCurrent(application.context));
        app_download(application.stream);
        compare(&k, in.data + OFFSET, desc.n);
        msw_kernel_destroy(k.kernel);
    }
}

enum { REPLAYS = 100 };

/* A graph captured in the strictest mode, before the kernel has ever run, replayed on changing data and with a changing n: the scratch is
 * initialised once. */
static void test_graph_replays(void **state)
{
    static const char *const ops[] = {"sums", "forwards", "backwards", "bytes", "total"};
    (void)state;
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
        loaded k = load_as_planned(spec, ops[o]);
        msw_enqueue_desc desc = describe(50021);
        msw_diag diag;
        work w = work_begin_mode(APP_CU_CAPTURE_GLOBAL);
        desc.n_address = extra.address + N_AT;
        enqueue(&k, &w, &desc);
        work_end(&w);
        memset(scratch.data, 0xa5, SCRATCH_BYTES);
        app_upload(application.stream);
        check(msw_cuda_scratch_init(k.kernel, application.stream, desc.scratch, desc.scratch_bytes, &diag), &diag);
        app_download(application.stream);
        for (uint32_t replay = 0; replay < REPLAYS; replay++) {
            const uint64_t n = desc.n - replay * replay * 5;
            fill(replay);
            memcpy(extra.data + N_AT, &n, sizeof n);
            work_submit(&w);
            compare(&k, in.data + OFFSET, n);
        }
        work_free(&w);
        msw_kernel_destroy(k.kernel);
    }
}

/* ---- n beyond 2^32 ---- */

static const char wide_text[] = "return {\n"
                                "  scan { name = 'wide', monoid = sum(u64), input = u8, map = function(x) return u64(x) end,\n"
                                "         output = function(s, x, i) return u32((s + 3 * i) & 0xffffffff) end },\n"
                                "  reduce { name = 'wide_total', monoid = sum(u64), input = u8, map = function(x) return u64(x) end },\n"
                                "}\n";

enum { PERIOD = 1000003, PAST = 4096 /* items beyond n, that stay as they are */ };

/* The input repeats a random pattern, so that every prefix is known. */
typedef struct wide {
    uint64_t n;
    CUdeviceptr in, out, scratch, extra;
    uint64_t scratch_bytes;
    unsigned char pattern[PERIOD];
    uint64_t prefix[PERIOD + 1];
} wide;

static uint64_t wide_prefix(const wide *w, uint64_t count) { return count / PERIOD * w->prefix[PERIOD] + w->prefix[count % PERIOD]; }

static void wide_fill(wide *w)
{
    uint32_t seed = 1;
    for (uint32_t i = 0; i < PERIOD; i++) {
        seed = seed * 1664525u + 1013904223u;
        w->pattern[i] = (unsigned char)(seed >> 24);
        w->prefix[i + 1] = w->prefix[i] + w->pattern[i];
    }
    CU(MemcpyHtoDAsync(w->in, w->pattern, PERIOD, application.stream));
    for (uint64_t have = PERIOD; have < w->n; have *= 2)
        CU(MemcpyDtoDAsync(w->in + have, w->in, have < w->n - have ? have : w->n - have, application.stream));
    CU(StreamSynchronize(application.stream));
}

/* Items [first, first + count) of the scan. */
static void wide_compare(const wide *w, uint64_t first, uint64_t count)
{
    uint32_t got[PAST];
    CU(MemcpyDtoHAsync(got, w->out + 4 * first, 4 * count, application.stream));
    CU(StreamSynchronize(application.stream));
    for (uint64_t i = first; i < first + count; i++) {
        const uint32_t expected = i < w->n ? (uint32_t)(wide_prefix(w, i + 1) + 3 * i) : 0xa5a5a5a5;
        if (got[i - first] != expected) fail_msg("item %llu is %u, not %u", (unsigned long long)i, got[i - first], expected);
    }
}

static void wide_run(const wide *w, const loaded *k, const msw_enqueue_desc *desc)
{
    msw_diag diag;
    CU(MemsetD8Async(w->out, 0xa5, 4 * (w->n + PAST), application.stream));
    check(msw_cuda_enqueue(k->kernel, application.stream, desc, &diag), &diag);
    CU(StreamSynchronize(application.stream));
}

static void wide_scan(const wide *w, const loaded *k, const msw_enqueue_desc *desc)
{
    const uint64_t edge = (uint64_t)1 << 32;
    uint64_t place = 12345;
    wide_run(w, k, desc);
    wide_compare(w, 0, PAST);
    wide_compare(w, edge / 2 - PAST / 2, PAST);
    wide_compare(w, edge - PAST / 2, PAST);
    wide_compare(w, w->n - PAST / 2, PAST);
    for (int sample = 0; sample < 2000; sample++) {
        place = place * 6364136223846793005u + 1442695040888963407u;
        wide_compare(w, (place >> 8) % (w->n - 64), 64);
    }
}

static loaded wide_load(msw_spec *from, const char *op, uint64_t n)
{
    loaded k = load_as_planned(from, op);
    const uint64_t n_max = k.plan->variants[k.plan->variant_count - 1].n_max;
    if (n > n_max) fail_msg("%s: the plan serves n up to %llu only", op, (unsigned long long)n_max);
    return k;
}

static int wide_allocate(wide *w, uint64_t scratch_bytes)
{
    size_t free_bytes, total_bytes;
    CU(MemGetInfo(&free_bytes, &total_bytes));
    w->scratch_bytes = scratch_bytes + 16;
    if (free_bytes < 5 * w->n + w->scratch_bytes + ((uint64_t)1 << 28)) {
        print_message("n beyond 2^32 is not looked at: %.1f GiB of memory are free\n", (double)free_bytes / 0x1p30);
        return 0;
    }
    CU(MemAlloc(&w->in, w->n));
    CU(MemAlloc(&w->out, 4 * (w->n + PAST)));
    CU(MemAlloc(&w->scratch, w->scratch_bytes));
    CU(MemAlloc(&w->extra, 8));
    return 1;
}

static void wide_free(wide *w)
{
    CU(MemFree(w->in));
    CU(MemFree(w->out));
    CU(MemFree(w->scratch));
    CU(MemFree(w->extra));
    free(w);
}

/* With n as a number and on the device, a scan and a reduction. */
static void test_beyond_32_bits(void **state)
{
    const msw_spec_desc read = {.struct_size = sizeof read, .text = wide_text};
    wide *w = calloc(1, sizeof *w);
    uint64_t total = 0;
    msw_spec *wide_spec;
    msw_diag diag;
    (void)state;
    assert_non_null(w);
    w->n = ((uint64_t)1 << 32) + 5000011;
    check(msw_spec_create(&read, &wide_spec, &diag), &diag);
    loaded scan = wide_load(wide_spec, "wide", w->n), sum = wide_load(wide_spec, "wide_total", w->n);
    if (!wide_allocate(w, msw_scratch_bytes(scan.plan, w->n + PAST) + msw_scratch_bytes(sum.plan, w->n))) return; /* the process ends soon */
    msw_enqueue_desc desc = {.struct_size = sizeof desc,
                             .flags = MSW_SCRATCH_DIRTY,
                             .n = w->n,
                             .buffers = {w->in, w->out},
                             .scratch = w->scratch,
                             .scratch_bytes = w->scratch_bytes};
    wide_fill(w);
    wide_scan(w, &scan, &desc);
    wide_run(w, &sum, &desc);
    CU(MemcpyDtoHAsync(&total, w->out, sizeof total, application.stream));
    CU(MemcpyHtoDAsync(w->extra, &w->n, sizeof w->n, application.stream));
    CU(StreamSynchronize(application.stream));
    assert_true(total == wide_prefix(w, w->n));
    desc.n += PAST - 1;
    desc.n_address = w->extra;
    wide_scan(w, &scan, &desc);
    msw_kernel_destroy(scan.kernel);
    msw_kernel_destroy(sum.kernel);
    msw_spec_destroy(wide_spec);
    wide_free(w);
}

/* ---- machines without a device ---- */

static msw_diag none; /* why there is no device */

/* bootstrap.sh lets this one skip pass, by its name. */
static void no_cuda_device(void **state)
{
    (void)state;
    print_message("no CUDA device, nothing of test_cuda_device ran: %s\n", none.message);
    skip();
}

/* ---- a sort of more than 2^32 keys ---- */

/* Where the pattern has each byte: places of byte b are order[first[b]] .. order[first[b + 1] - 1], ascending. */
typedef struct occurrences {
    uint32_t first[257], order[PERIOD];
    uint64_t begin[257]; /* of the sorted keys */
} occurrences;

static void find_occurrences(const wide *w, occurrences *o)
{
    uint32_t next[256];
    for (uint32_t i = 0; i < PERIOD; i++) o->first[w->pattern[i] + 1]++;
    for (int b = 0; b < 256; b++) o->first[b + 1] += o->first[b];
    for (int b = 0; b < 256; b++) next[b] = o->first[b];
    for (uint32_t i = 0; i < PERIOD; i++) o->order[next[w->pattern[i]]++] = i;
    for (int b = 0; b < 256; b++) {
        const uint32_t rest = (uint32_t)(w->n % PERIOD);
        uint64_t count = w->n / PERIOD * (o->first[b + 1] - o->first[b]);
        for (uint32_t k = o->first[b]; k < o->first[b + 1] && o->order[k] < rest; k++) count++;
        o->begin[b + 1] = o->begin[b] + count;
    }
}

/* Sorted items [first, first + count): keys, and the places that they had. */
static void sorted_compare(const wide *w, const occurrences *o, CUdeviceptr values_out, uint64_t first, uint64_t count)
{
    unsigned char keys[PAST];
    uint64_t places[PAST];
    CU(MemcpyDtoHAsync(keys, w->out + first, count, application.stream));
    CU(MemcpyDtoHAsync(places, values_out + 8 * first, 8 * count, application.stream));
    CU(StreamSynchronize(application.stream));
    for (uint64_t i = first; i < first + count; i++) {
        int b = 0;
        while (i >= o->begin[b + 1]) b++;
        const uint64_t occurrence = i - o->begin[b], each = o->first[b + 1] - o->first[b];
        const uint64_t place = occurrence / each * PERIOD + o->order[o->first[b] + occurrence % each];
        if (keys[i - first] != b || places[i - first] != place)
            fail_msg("sorted item %llu is %u from %llu, not %d from %llu", (unsigned long long)i, keys[i - first],
                     (unsigned long long)places[i - first], b, (unsigned long long)place);
    }
}

static void sorted_run(wide *w, const occurrences *o, msw_kernel *kernel, CUdeviceptr values_out)
{
    const msw_enqueue_desc desc = {.struct_size = sizeof desc,
                                   .flags = MSW_SCRATCH_DIRTY,
                                   .n = w->n,
                                   .buffers = {w->in, w->out, values_out},
                                   .scratch = w->scratch,
                                   .scratch_bytes = w->scratch_bytes};
    uint64_t place = 12345;
    msw_diag diag;
    check(msw_cuda_enqueue(kernel, application.stream, &desc, &diag), &diag);
    CU(StreamSynchronize(application.stream));
    sorted_compare(w, o, values_out, 0, PAST);
    sorted_compare(w, o, values_out, w->n - PAST, PAST);
    for (int sample = 0; sample < 3000; sample++) {
        place = place * 6364136223846793005u + 1442695040888963407u;
        sorted_compare(w, o, values_out, (place >> 8) % (w->n - 64), 64);
    }
}

static void test_sort_beyond_32_bits(void **state)
{
    const msw_spec_desc read = {.struct_size = sizeof read, .text = "return sort { name = 'wide', key = u8, value = 'index', index = u64 }"};
    wide *w = calloc(1, sizeof *w);
    occurrences *o = calloc(1, sizeof *o);
    size_t free_bytes, total_bytes;
    CUdeviceptr values_out;
    msw_spec *wide_spec;
    msw_kernel *kernel;
    msw_diag diag;
    (void)state;
    assert_true(w && o);
    w->n = ((uint64_t)1 << 32) + 5000011;
    check(msw_spec_create(&read, &wide_spec, &diag), &diag);
    const msw_kernel_desc wanted = {.struct_size = sizeof wanted, .spec = wide_spec, .op = "wide"};
    check(msw_kernel_create(context, &wanted, &kernel, &diag), &diag);
    w->scratch_bytes = msw_scratch_bytes(msw_kernel_plan(kernel), w->n);
    CU(MemGetInfo(&free_bytes, &total_bytes));
    if (free_bytes < 10 * w->n + w->scratch_bytes + ((uint64_t)1 << 28)) {
        print_message("more than 2^32 keys are not sorted: %.1f GiB of memory are free\n", (double)free_bytes / 0x1p30);
    } else {
        CU(MemAlloc(&w->in, w->n));
        CU(MemAlloc(&w->out, w->n));
        CU(MemAlloc(&values_out, 8 * w->n));
        CU(MemAlloc(&w->scratch, w->scratch_bytes));
        wide_fill(w);
        find_occurrences(w, o);
        sorted_run(w, o, kernel, values_out);
        CU(MemFree(w->in));
        CU(MemFree(w->out));
        CU(MemFree(values_out));
        CU(MemFree(w->scratch));
    }
    msw_kernel_destroy(kernel);
    msw_spec_destroy(wide_spec);
    free(w);
    free(o);
}

/* The driver's functions, without a context of the library's in the application's. */
static int open_green(void **state)
{
    (void)state;
    app_open();
    return 0;
}

static int close_green(void **state)
{
    (void)state;
    return app_close_all();
}

/* An argument is a pattern: only cases that it fits run. */
int main(int count, char **arguments)
{
    const struct CMUnitTest parts[] = {cmocka_unit_test(test_green_contexts)};
    const struct CMUnitTest tests[] = {ENQUEUE_CASES,
                                       SCRATCH_CASES,
                                       cmocka_unit_test(test_stream),
                                       cmocka_unit_test(test_graph_replays),
                                       cmocka_unit_test(test_beyond_32_bits),
                                       cmocka_unit_test(test_sort_beyond_32_bits)};
    const struct CMUnitTest sorts[] = {SORT_REPLAYS, SCRATCH_CASES_OF_SORTS, cmocka_unit_test(test_count_replays),
                                       cmocka_unit_test(test_item_replays)};
    const struct CMUnitTest skipped[] = {cmocka_unit_test(no_cuda_device)};
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "cuda"};
    msw_context *found;
    if (count > 1) cmocka_set_test_filter(arguments[1]);
    if (msw_context_create(&desc, &found, &none) != MSW_OK) return cmocka_run_group_tests(skipped, NULL, NULL);
    print_message("%s: %s, %s\n", msw_context_device(found)->id, msw_context_device(found)->name, msw_context_device(found)->driver);
    const char *arch = msw_context_device(found)->target.arch;
    const int looks_ahead = !arch || strcmp(arch, "sm_90") >= 0 || strlen(arch) > 5; /* what look-ahead is for */
    msw_context_destroy(found);
    int failures = cmocka_run_group_tests(sorts, open_all, close_all);
    if (looks_ahead) failures += cmocka_run_group_tests(parts, open_green, close_green);
    static const char *const strategies[] = {"reduce_then_scan", "lookback"};
    for (int s = 0; s < 2; s++) {
        scan_strategy = strategies[s];
        failures += cmocka_run_group_tests_name(scan_strategy, tests, open_all, close_all);
    }
    return failures;
}
