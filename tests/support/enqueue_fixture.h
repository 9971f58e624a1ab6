/* enqueue_fixture.h - what tests of enqueueing share, whatever the interface: the application's objects, kernels, descriptions of enqueues, results
 * compared with the oracle's. The including test defines before:
 *   SCRATCH_BYTES     of the scratch
 *   type memory       has `address` (of the device) and `data` (of the host; what is there is the device's from one submission to the next)
 *   type work         recorded commands that may be submitted again and again
 *   check             fails the test with the message
 *   app_open_context (with an allocator, and the application before), app_close_all (after the context), app_allocate_memory, app_free_memory
 *   work_begin, work_enqueue, work_scratch_init, work_reserve, work_release, work_barrier (between enqueues that share memory), work_end,
 *   work_submit (waits), work_free */
#ifndef ENQUEUE_FIXTURE_H
#define ENQUEUE_FIXTURE_H

#include "failing.h"
#include "../../runtime/launch.h"

enum { MEMORY_BYTES = 1 << 20, OFFSET = 64, N_AT = 0, CARRY_A = 256, CARRY_B = 512, THREADS = 2 };

static const char spec_text[] =
    "local A = struct 'A' { {'a', u32}, {'b', u32} }\n"
    "local least, many = uniform('least', u32), uniform('many', u64)\n"
    "local affine = monoid { type = A, identity = A(1, 0), combine = function(f, g) return A(f.a * g.a, f.b * g.a + g.b) end }\n"
    "local function length(x) return where(eq(x & 0xff, 0xff), u32(5000), x & 3) end\n"
    "local function item(x, i, k) return (x ~ k) * 0x9e3779b1 + u32(i) end\n"
    "local function compose(kind, more)\n"
    "  local op = { monoid = affine, input = u32, map = function(x) return A(x | 1, x) end, output = function(s) return s.b end }\n"
    "  for k, v in pairs(more) do op[k] = v end\n"
    "  return kind(op)\n"
    "end\n"
    "return {\n"
    "  scan { name = 'sums', monoid = sum(u32) },\n"
    "  compose(scan, { name = 'forwards' }),\n"
    "  compose(scan, { name = 'backwards', reverse = true, init = A(7, 9) }),\n"
    "  compose(scan, { name = 'exclusive', kind = 'exclusive', init = A(3, 5) }),\n"
    "  compose(reduce, { name = 'total', init = A(3, 5) }),\n"
    "  scan { name = 'bytes', monoid = sum(u8) },\n"
    "  scan { name = 'shorts', monoid = maximum(i16), reverse = true, kind = 'exclusive' },\n"
    "  scan { name = 'marked', monoid = sum(u32), output = function(s, x, i) return 3 * s + x + u32(i) end },\n"
    "  scan { name = 'packed', monoid = pair(maximum(u16), bit_or(u8), sum(i16)) },\n" /* 6 bytes, one of them padding */
    "  scan { name = 'narrow', monoid = sum(u32), output = function(s) return u8(s & 255) end },\n"
    "  sort { name = 'pairs', key = u32, value = u32 },\n"
    "  sort { name = 'pairs_by_23_bits', key = key { type = u32, bits = {0, 23} }, value = u32, order = 'descending' },\n"
    "  compact { name = 'marked_pairs', inputs = { {'key', u32}, {'value', u32} }, keep = function(e) return ge(e.key, 1 << 31) end,\n"
    "    outputs = { {'keys', value = function(e) return e.key & 0xffff end}, {'values', value = function(e) return e.value end} } },\n"
    "  sort { name = 'pairs_by_16_bits', key = key { type = u32, bits = {0, 16} }, value = u32 },\n"
    "  reduce_by_key { name = 'groups', key = u32, monoid = affine, value = u32, map = function(x) return A(x | 1, x) end },\n"
    "  compact { name = 'large', input = u32, keep = function(x) return ge(x, least) end },\n"
    "  map { name = 'shared', input = u32, output = function(x, i) return where(eq(many, 0), u32(i), x % u32(many)) end },\n"
    "  scan { name = 'beside', monoid = sum(u32), input = u32, map = function(x, i, near) return max(x, x & near.after) end },\n" /* of x alone */
    "  sort { name = 'keys_alone', key = u32 },\n"
    "  append { name = 'spread', input = u32, capacity = 60000, length = length, item = item },\n"
    "  append { name = 'spread_no_more', input = u32, length = length, item = item },\n" /* than n */
    "  append { name = 'strewn', input = u32, capacity = 60000, order = 'any', length = length, item = item },\n"
    "  segmented_reduce { name = 'of_offsets', segments = 'offsets', monoid = sum(u32) },\n"
    "  reduce_by_key { name = 'ranges', key = u32, value = u32, map = function(_, i) return A(u32(i), u32(i) + 1) end,\n"
    "    equal = function(a, b) return eq(a >> 25, b >> 25) end, monoid = monoid { type = A, identity = A(0xffffffff, 0),\n"
    "      combine = function(f, g) return A(min(f.a, g.a), max(f.b, g.b)) end } },\n" /* of a tile, as of splats: where it begins and ends */
    "  reduce { name = 'lifted', monoid = sum(u32), output = function(s) return s + least end },\n"
    "}\n";

static msw_context *context;
static failing allocations; /* of the context and what is made from it; none fails */
static msw_spec *spec;
static memory in, out, extra, scratch; /* the tests' own, MEMORY_BYTES each, the scratch SCRATCH_BYTES */

/* A kernel and its operation. */
typedef struct loaded {
    msw_kernel *kernel;
    const msw_plan *plan;
    uint32_t op;
    uint64_t tile, in_bytes, out_bytes; /* items; of an element */
} loaded;

static int open_all(void **state)
{
    const msw_spec_desc read = {.struct_size = sizeof read, .text = spec_text};
    const msw_allocator allocator = {&allocations, failing_resize};
    msw_diag diag;
    (void)state;
    check(app_open_context(&allocator, &context, &diag), &diag);
    check(msw_spec_create(&read, &spec, &diag), &diag);
    in = app_allocate_memory(MEMORY_BYTES);
    out = app_allocate_memory(MEMORY_BYTES);
    extra = app_allocate_memory(MEMORY_BYTES);
    scratch = app_allocate_memory(SCRATCH_BYTES);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    app_free_memory(&in);
    app_free_memory(&out);
    app_free_memory(&extra);
    app_free_memory(&scratch);
    msw_spec_destroy(spec);
    msw_context_destroy(context);
    return app_close_all() || allocations.live_blocks;
}

/* Blocks of 64 threads and at most 7 of them: several blocks, and several tiles a block, at small n. The scratch is ready for the kernel
 * loaded last, all of it. */
static loaded load_strategy(const char *op, const char *strategy)
{
    const msw_knob knobs[] = {{"block", "64"}, {"strategy", strategy}, {"blocks", "7"}};
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec = spec, .op = op, .knobs = knobs, .knob_count = 3};
    loaded k = {.op = (uint32_t)msw_spec_find(spec, op)};
    msw_diag diag;
    work w;
    check(msw_kernel_create(context, &desc, &k.kernel, &diag), &diag);
    k.plan = msw_kernel_plan(k.kernel);
    k.tile = k.plan->steps[0].tile_items;
    k.in_bytes = k.plan->buffers[0].element_bytes;
    k.out_bytes = k.plan->buffers[1].element_bytes;
    memset(scratch.data, 0xa5, SCRATCH_BYTES);
    w = work_begin();
    check(work_scratch_init(&w, k.kernel, scratch.address, SCRATCH_BYTES, &diag), &diag);
    work_end(&w);
    work_submit(&w);
    work_free(&w);
    return k;
}

static const char *scan_strategy = "reduce_then_scan"; /* of the group of tests that runs */

static loaded load(const char *op) { return load_strategy(op, strcmp(op, "total") ? scan_strategy : "reduce_then_scan"); }

/* Everything on the tests' memory, buffers at an offset. */
static msw_enqueue_desc describe(uint64_t n)
{
    return (msw_enqueue_desc){.struct_size = sizeof(msw_enqueue_desc),
                              .n = n,
                              .buffers = {in.address + OFFSET, out.address + OFFSET},
                              .scratch = scratch.address,
                              .scratch_bytes = SCRATCH_BYTES};
}

/* Enqueueing allocates nothing. */
static void enqueue(const loaded *k, work *w, const msw_enqueue_desc *desc)
{
    const int64_t calls = allocations.calls, blocks = allocations.live_blocks;
    msw_diag diag;
    check(work_enqueue(w, k->kernel, desc, &diag), &diag);
    assert_int_equal(diag.code, MSW_OK);
    assert_true(calls > 0);
    assert_int_equal(allocations.calls, calls);
    assert_int_equal(allocations.live_blocks, blocks);
}

static void run(const loaded *k, const msw_enqueue_desc *desc)
{
    work w = work_begin();
    enqueue(k, &w, desc);
    work_end(&w);
    work_submit(&w);
    work_free(&w);
}

/* The enqueue fails so, with these words, and records nothing that would matter. */
static void refuse(const loaded *k, const msw_enqueue_desc *desc, msw_result code, const char *words)
{
    work w = work_begin();
    msw_diag diag = {0};
    assert_int_equal(work_enqueue(&w, k->kernel, desc, &diag), code);
    assert_int_equal(diag.code, code);
    if (!strstr(diag.message, words)) fail_msg("'%s' does not say '%s'", diag.message, words);
    work_end(&w);
    work_free(&w);
}

static void fill(uint32_t seed)
{
    for (uint32_t i = 0; i < MEMORY_BYTES / 4; i++) {
        seed = seed * 1664525u + 1013904223u;
        memcpy(in.data + 4 * i, &seed, 4);
    }
    memset(out.data, 0xa5, MEMORY_BYTES);
    memset(extra.data, 0xa5, MEMORY_BYTES);
}

static uint64_t out_length(const loaded *k, uint64_t n) { return k->plan->buffers[1].length == MSW_LENGTH_ONE ? 1 : n; }

/* The oracle's result for n items at `input`; carry receives its carry-out. */
static unsigned char *expect(const loaded *k, const void *input, uint64_t n, void *carry)
{
    unsigned char *expected = test_calloc(out_length(k, n) + 1, k->out_bytes);
    msw_diag diag;
    check(msw_spec_evaluate(spec, k->op, n, &input, (void *[]){expected}, NULL, carry, &diag), &diag);
    return expected;
}

/* out holds, from `offset` on, the oracle's result of the n items at `input`, and nothing around it was written. */
static void compare_at(const loaded *k, const void *input, uint64_t n, uint64_t offset)
{
    unsigned char *expected = expect(k, input, n, NULL);
    const uint64_t bytes = out_length(k, n) * k->out_bytes;
    assert_memory_equal(out.data + offset, expected, bytes);
    for (uint64_t i = 0; i < offset; i++) assert_int_equal(out.data[i], 0xa5);
    for (uint64_t i = offset + bytes; i < offset + bytes + 4096; i++) assert_int_equal(out.data[i], 0xa5);
    test_free(expected);
}

static void compare(const loaded *k, const void *input, uint64_t n) { compare_at(k, input, n, OFFSET); }

/* The plan asks scalars for no more than their own alignment where the device stores their types, else for whole words. */
static void check_alignments(const loaded *k)
{
    const uint32_t narrow = MSW_FEATURE_INT8 | MSW_FEATURE_INT16, features = msw_context_device(context)->target.features;
    msw_op_info info = {.struct_size = sizeof info};
    assert_int_equal(msw_spec_op(spec, k->op, &info), MSW_OK);
    for (uint32_t b = 0; b < info.buffer_count; b++) {
        const uint32_t natural = info.buffers[b].type.alignment_bytes;
        if (info.buffers[b].type.leaf_count > 1) continue;
        assert_int_equal(k->plan->buffers[b].alignment_bytes, natural < 4 && (features & narrow) != narrow ? 4 : natural);
    }
}

#endif
