/* green_contexts.h - scans by look-ahead, whose blocks all run at once, and sorts by one cluster on streams that may use a part of the device: of a
 * green context, with one current, and in one. To be included after enqueue_cases.h. */
#ifndef GREEN_CONTEXTS_H
#define GREEN_CONTEXTS_H

enum { GREEN_ITEMS = (1 << 25) + 12345, GREEN_KEYS = 50000 /* of one cluster */, GREEN_RUNS = 3 };

static const char green_text[] = "return {\n"
                                 "  scan { name = 'sums', monoid = sum(u32), tune = { strategy = 'lookahead' } },\n"
                                 "  scan { name = 'fixed', monoid = sum(f32), deterministic = true, tune = { strategy = 'lookahead' } },\n"
                                 "  sort { name = 'few', key = u32 },\n"
                                 "}\n";

typedef struct green {
    msw_context *context;
    msw_spec *spec;
    msw_kernel *sums, *fixed, *few;
    msw_buffer *in, *out;
    uint32_t *host, *first; /* first: the first result of a stream */
} green;

static msw_kernel *green_load(green *g, const char *op)
{
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec = g->spec, .op = op};
    msw_kernel *kernel;
    msw_diag diag;
    check(msw_kernel_create(g->context, &desc, &kernel, &diag), &diag);
    return kernel;
}

/* In the primary context, which green ones are made of, or in one of these. */
static void green_open(green *g, CUcontext own)
{
    const msw_cuda_device vendor = {.struct_size = sizeof vendor, .context = own};
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "cuda", .vendor = own ? &vendor : NULL};
    const msw_spec_desc read = {.struct_size = sizeof read, .text = green_text};
    const uint64_t bytes = 4 * (uint64_t)GREEN_ITEMS;
    msw_diag diag;
    check(msw_context_create(&desc, &g->context, &diag), &diag);
    check(msw_spec_create(&read, &g->spec, &diag), &diag);
    g->sums = green_load(g, "sums");
    g->fixed = green_load(g, "fixed");
    g->few = green_load(g, "few");
    check(msw_buffer_create(g->context, bytes, &g->in, &diag), &diag);
    check(msw_buffer_create(g->context, bytes, &g->out, &diag), &diag);
    g->host = malloc(bytes);
    g->first = malloc(bytes);
    assert_true(g->host && g->first);
}

static void green_close(green *g)
{
    msw_buffer_destroy(g->in);
    msw_buffer_destroy(g->out);
    msw_kernel_destroy(g->sums);
    msw_kernel_destroy(g->fixed);
    msw_kernel_destroy(g->few);
    msw_spec_destroy(g->spec);
    msw_context_destroy(g->context);
    free(g->host);
    free(g->first);
}

static void green_fill(green *g, int is_float)
{
    uint32_t seed = 1;
    msw_diag diag;
    for (uint32_t i = 0; i < GREEN_ITEMS; i++) {
        const float x = (float)((seed = seed * 1664525u + 1013904223u) >> 8) * 0x1p-20f;
        g->host[i] = seed;
        if (is_float) memcpy(&g->host[i], &x, 4);
    }
    check(msw_buffer_write(g->in, 0, g->host, 4 * (uint64_t)GREEN_ITEMS, &diag), &diag);
}

static void green_enqueue(green *g, msw_kernel *kernel, CUstream stream)
{
    const uint64_t n = kernel == g->few ? GREEN_KEYS : GREEN_ITEMS;
    const msw_enqueue_desc desc = {.struct_size = sizeof desc, .n = n, .buffers = {msw_buffer_address(g->in), msw_buffer_address(g->out)}};
    msw_diag diag;
    check(msw_cuda_enqueue(kernel, stream, &desc, &diag), &diag);
}

/* Enqueued, or captured in the strictest mode and replayed. */
static void green_run(green *g, msw_kernel *kernel, CUstream stream, int is_captured)
{
    CUgraph graph;
    CUgraphExec exec;
    CU(MemsetD8Async(msw_buffer_address(g->out), 0xa5, 4 * (size_t)GREEN_ITEMS, stream));
    if (is_captured) {
        CU(StreamBeginCapture(stream, APP_CU_CAPTURE_GLOBAL));
        green_enqueue(g, kernel, stream);
        CU(StreamEndCapture(stream, &graph));
        CU(GraphInstantiate(&exec, graph, 0));
        CU(GraphLaunch(exec, stream));
        CU(StreamSynchronize(stream));
        CU(GraphExecDestroy(exec));
        CU(GraphDestroy(graph));
    } else {
        green_enqueue(g, kernel, stream);
        CU(StreamSynchronize(stream));
    }
}

static void green_check_sums(green *g)
{
    uint32_t seed = 1, sum = 0;
    msw_diag diag;
    check(msw_buffer_read(g->out, 0, g->host, 4 * (uint64_t)GREEN_ITEMS, &diag), &diag);
    for (uint32_t i = 0; i < GREEN_ITEMS; i++) {
        sum += seed = seed * 1664525u + 1013904223u;
        if (g->host[i] != sum) fail_msg("item %u is %u, not %u", i, g->host[i], sum);
    }
}

static int green_compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

static void green_check_keys(green *g)
{
    uint32_t seed = 1;
    msw_diag diag;
    for (uint32_t i = 0; i < GREEN_KEYS; i++) g->first[i] = seed = seed * 1664525u + 1013904223u;
    qsort(g->first, GREEN_KEYS, 4, green_compare);
    check(msw_buffer_read(g->out, 0, g->host, 4 * (uint64_t)GREEN_KEYS, &diag), &diag);
    assert_memory_equal(g->host, g->first, 4 * (size_t)GREEN_KEYS);
}

/* Sums of integers are right; of floats the bits are the same each time on one stream. */
static void green_check_stream(green *g, CUstream stream)
{
    const uint64_t bytes = 4 * (uint64_t)GREEN_ITEMS;
    msw_diag diag;
    check(msw_cuda_scratch_reserve(g->sums, stream, msw_scratch_bytes(msw_kernel_plan(g->sums), GREEN_ITEMS), &diag), &diag);
    check(msw_cuda_scratch_reserve(g->fixed, stream, msw_scratch_bytes(msw_kernel_plan(g->fixed), GREEN_ITEMS), &diag), &diag);
    check(msw_cuda_scratch_reserve(g->few, stream, msw_scratch_bytes(msw_kernel_plan(g->few), GREEN_KEYS), &diag), &diag);
    green_fill(g, 0);
    for (int run = 0; run < 2 * GREEN_RUNS; run++) {
        green_run(g, g->sums, stream, run % 2);
        green_check_sums(g);
    }
    for (int run = 0; run < 2 * GREEN_RUNS; run++) {
        green_run(g, g->few, stream, run % 2);
        green_check_keys(g);
    }
    green_fill(g, 1);
    for (int run = 0; run < 2 * GREEN_RUNS; run++) {
        green_run(g, g->fixed, stream, run % 2);
        check(msw_buffer_read(g->out, 0, run ? g->host : g->first, bytes, &diag), &diag);
        if (run) assert_memory_equal(g->host, g->first, bytes);
    }
    msw_cuda_scratch_release(g->few, stream);
    msw_cuda_scratch_release(g->sums, stream);
    msw_cuda_scratch_release(g->fixed, stream);
}

/* A context with at least this number of multiprocessors; 0: the driver makes none. */
static int make_green_context(CUgreenCtx *made, unsigned least)
{
    ms_cu_resource all = {0}, part = {0}, rest = {0};
    CUdevResourceDesc desc;
    unsigned groups = 1;
    if (!application.GreenCtxCreate || !application.CtxFromGreenCtx || !application.GreenCtxStreamCreate) return 0;
    CU(DeviceGetDevResource(0, &all, MS_CU_DEV_RESOURCE_SM));
    CU(DevSmResourceSplitByCount(&part, &groups, &all, &rest, 0, least));
    CU(DevResourceGenerateDesc(&desc, &part, 1));
    CU(GreenCtxCreate(made, desc, 0, APP_CU_GREEN_CTX_DEFAULT_STREAM));
    print_message("a green context of %u of %u multiprocessors\n", part.multiprocessors, all.multiprocessors);
    return 1;
}

static void test_green_contexts(void **state)
{
    static const unsigned counts[] = {16, 64};
    CUstream stream;
    CUcontext primary, popped, current;
    CUgreenCtx made;
    green g = {0}, inside = {0};
    (void)state;
    green_open(&g, NULL);
    CU(DevicePrimaryCtxRetain(&primary, 0));
    CU(CtxPushCurrent(primary));
    CU(StreamCreate(&stream, APP_CU_STREAM_NON_BLOCKING));
    green_check_stream(&g, stream);
    for (size_t c = 0; c < sizeof counts / sizeof *counts && make_green_context(&made, counts[c]); c++) {
        CUstream green_stream;
        CU(GreenCtxStreamCreate(&green_stream, made, APP_CU_STREAM_NON_BLOCKING, 0));
        green_check_stream(&g, green_stream);
        green_check_stream(&g, stream); /* the whole device again */
        CU(CtxFromGreenCtx(&current, made));
        CU(CtxPushCurrent(current));
        green_check_stream(&g, green_stream);
        CU(CtxPopCurrent(&popped));
        green_open(&inside, current);
        print_message("clusters in it have %u blocks at most\n", msw_context_device(inside.context)->target.max_cluster_blocks);
        green_check_stream(&inside, green_stream);
        green_close(&inside);
        CU(StreamDestroy(green_stream));
        CU(GreenCtxDestroy(made));
    }
    if (!application.GreenCtxCreate) print_message("the driver has no green contexts\n");
    CU(StreamDestroy(stream));
    CU(CtxPopCurrent(&popped));
    CU(DevicePrimaryCtxRelease(0));
    green_close(&g);
}

#endif
