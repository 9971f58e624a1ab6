/* enqueue_cases.h - enqueueing on an application's own objects, whatever the interface: offsets, n by value and on the device, carries, aliasing,
 * scratch, replay, threads. The including test defines before:
 *   type memory       has `address` (of the device) and `data` (of the host; what is there is the device's from one submission to the next)
 *   type work         recorded commands that may be submitted again and again
 *   check             fails the test with the message
 *   app_open_context (with an allocator, and the application before), app_close_all (after the context), app_allocate_memory, app_free_memory
 *   work_begin, work_enqueue, work_scratch_init, work_reserve, work_release, work_barrier (between enqueues that share memory), work_end, work_submit (waits), work_free */
#ifndef ENQUEUE_CASES_H
#define ENQUEUE_CASES_H

#include <pthread.h>

#include "failing.h"

enum { MEMORY_BYTES = 1 << 20, OFFSET = 64, N_AT = 0, CARRY_A = 256, CARRY_B = 512, THREADS = 2 };

static const char spec_text[] =
    "local A = struct 'A' { {'a', u32}, {'b', u32} }\n"
    "local affine = monoid { type = A, identity = A(1, 0), combine = function(f, g) return A(f.a * g.a, f.b * g.a + g.b) end }\n"
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
    "}\n";

static msw_context *context;
static failing allocations; /* of the context and what is made from it; none fails */
static msw_spec *spec;
static memory in, out, extra, scratch; /* the tests' own, MEMORY_BYTES each */

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
    scratch = app_allocate_memory(MEMORY_BYTES);
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
    memset(scratch.data, 0xa5, MEMORY_BYTES);
    w = work_begin();
    check(work_scratch_init(&w, k.kernel, scratch.address, MEMORY_BYTES, &diag), &diag);
    work_end(&w);
    work_submit(&w);
    work_free(&w);
    return k;
}

static const char *scan_strategy = "reduce_then_scan"; /* of the group of tests that runs */

static loaded load(const char *op)
{
    return load_strategy(op, strcmp(op, "total") ? scan_strategy : "reduce_then_scan");
}

/* Everything on the tests' memory, buffers at an offset. */
static msw_enqueue_desc describe(uint64_t n)
{
    return (msw_enqueue_desc){.struct_size = sizeof(msw_enqueue_desc), .n = n, .buffers = {in.address + OFFSET, out.address + OFFSET},
                              .scratch = scratch.address, .scratch_bytes = MEMORY_BYTES};
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
    check(msw_spec_evaluate(spec, k->op, n, &input, (void *[]){expected}, NULL, carry, NULL, &diag), &diag);
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
    msw_op_info info;
    assert_int_equal(msw_spec_op(spec, k->op, &info), MSW_OK);
    for (uint32_t b = 0; b < info.buffer_count; b++) {
        const uint32_t natural = info.buffers[b].type.alignment_bytes;
        if (info.buffers[b].type.leaf_count > 1) continue;
        assert_int_equal(k->plan->buffers[b].alignment_bytes, natural < 4 && (features & narrow) != narrow ? 4 : natural);
    }
}

/* At offsets of a few times the plan's alignment: whole tiles may move in larger pieces than elements. */
static void test_offsets(void **state)
{
    static const char *const ops[] = {"sums", "backwards", "bytes", "shorts", "marked", "packed", "narrow", "total"};
    static const uint64_t shifts[][2] = {{0, 0}, {1, 0}, {0, 2}, {3, 1}};
    (void)state;
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
        loaded k = load(ops[o]);
        const uint64_t sizes[] = {0, 1, 2, k.tile - 1, k.tile, k.tile + 1, 7 * k.tile, 7 * k.tile + 1, 20011};
        check_alignments(&k);
        for (size_t s = 0; s < 4 * sizeof sizes / sizeof *sizes; s++) {
            const uint64_t n = sizes[s / 4];
            const uint64_t in_shift = shifts[s % 4][0] * k.plan->buffers[0].alignment_bytes, out_shift = shifts[s % 4][1] * k.plan->buffers[1].alignment_bytes;
            msw_enqueue_desc desc = describe(n);
            desc.buffers[0] += in_shift;
            desc.buffers[1] += out_shift;
            fill((uint32_t)s);
            run(&k, &desc);
            compare_at(&k, in.data + OFFSET + in_shift, n, OFFSET + out_shift);
        }
        msw_kernel_destroy(k.kernel);
    }
}

/* n lies in device memory, and changes between submissions of the same work. */
static void test_device_n(void **state)
{
    static const char *const ops[] = {"forwards", "backwards", "bytes", "total"};
    (void)state;
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
        loaded k = load(ops[o]);
        const uint64_t bound = 9 * k.tile + 5;
        const uint64_t sizes[] = {bound, 0, 1, k.tile - 1, k.tile, k.tile + 1, bound - 1, 3};
        work w = work_begin();
        msw_enqueue_desc desc = describe(bound);
        desc.n_address = extra.address + N_AT;
        enqueue(&k, &w, &desc);
        work_end(&w);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            fill((uint32_t)s);
            memcpy(extra.data + N_AT, &sizes[s], sizeof sizes[s]);
            work_submit(&w);
            compare(&k, in.data + OFFSET, sizes[s]);
        }
        work_free(&w);
        msw_kernel_destroy(k.kernel);
    }
}

/* A device-side n above the bound counts as the bound, whichever word of it is too large. */
static void test_device_n_above_the_bound(void **state)
{
    static const uint64_t sizes[] = {1001, UINT32_MAX, (uint64_t)1 << 32, ((uint64_t)1 << 40) + 3, UINT64_MAX};
    loaded k = load("sums");
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        msw_enqueue_desc desc = describe(1000);
        desc.n_address = extra.address + N_AT;
        fill((uint32_t)s);
        memcpy(extra.data + N_AT, &sizes[s], sizeof sizes[s]);
        run(&k, &desc);
        compare(&k, in.data + OFFSET, 1000);
    }
    msw_kernel_destroy(k.kernel);
}

/* The part [first, first + count) of the tests' buffers. */
static msw_enqueue_desc describe_part(const loaded *k, uint64_t first, uint64_t count)
{
    msw_enqueue_desc desc = describe(count);
    desc.buffers[0] += first * k->in_bytes;
    if (k->plan->buffers[1].length == MSW_LENGTH_N) desc.buffers[1] += first * k->out_bytes;
    return desc;
}

/* Two parts in one work, the carry of the first taken up by the second, equal the whole. carry_in and carry_out of the second
 * may be one place. */
static void check_halves(const loaded *k, uint64_t n, uint64_t cut, int is_reverse, int is_shared)
{
    work w = work_begin();
    msw_enqueue_desc low = describe_part(k, 0, cut), high = describe_part(k, cut, n - cut);
    msw_enqueue_desc *first = is_reverse ? &high : &low, *second = is_reverse ? &low : &high;
    unsigned char carry[128], *expected;
    first->carry_out = second->carry_in = extra.address + CARRY_A;
    second->carry_out = extra.address + (is_shared ? CARRY_A : CARRY_B);
    fill((uint32_t)(n + cut));
    enqueue(k, &w, first);
    work_barrier(&w);
    enqueue(k, &w, second);
    work_end(&w);
    work_submit(&w);
    work_free(&w);
    compare(k, in.data + OFFSET, n);
    expected = expect(k, in.data + OFFSET, n, carry);
    assert_memory_equal(extra.data + (is_shared ? CARRY_A : CARRY_B), carry, k->plan->carry_bytes);
    test_free(expected);
}

static void test_carries(void **state)
{
    static const char *const ops[] = {"forwards", "backwards", "exclusive", "total"};
    (void)state;
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
        loaded k = load(ops[o]);
        const uint64_t n = 13 * k.tile + 77;
        const uint64_t cuts[] = {0, 1, k.tile, n / 2, n - 1, n};
        for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
            check_halves(&k, n, cuts[c], o == 1, 0);
            if (k.plan->variants[0].serves_in_place) check_halves(&k, n, cuts[c], o == 1, 1);
        }
        msw_enqueue_desc shared = describe(n);
        shared.carry_in = shared.carry_out = extra.address + CARRY_A;
        if (!k.plan->variants[0].serves_in_place) refuse(&k, &shared, MSW_ERROR_UNSUPPORTED, "does not run in place");
        msw_kernel_destroy(k.kernel);
    }
}

/* in and out are one; n on the device too. */
static void test_in_place(void **state)
{
    static const char *const ops[] = {"sums", "bytes", "shorts", "marked", "backwards"};
    (void)state;
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
        loaded k = load(ops[o]);
        const uint64_t sizes[] = {0, 1, k.tile, k.tile + 1, 7 * k.tile + 3, 20011};
        for (size_t s = 0; s < 2 * sizeof sizes / sizeof *sizes; s++) {
            const uint64_t n = sizes[s / 2];
            msw_enqueue_desc desc = describe(s % 2 ? n + 5 : n);
            unsigned char *before = test_malloc(MEMORY_BYTES), *expected;
            fill((uint32_t)s);
            memcpy(before, in.data, MEMORY_BYTES);
            memcpy(extra.data + N_AT, &n, sizeof n);
            desc.flags = MSW_IN_PLACE;
            desc.buffers[1] = desc.buffers[0];
            if (s % 2) desc.n_address = extra.address + N_AT;
            if (!k.plan->variants[0].serves_in_place) {
                refuse(&k, &desc, MSW_ERROR_UNSUPPORTED, "does not run in place");
                test_free(before);
                continue;
            }
            run(&k, &desc);
            expected = expect(&k, before + OFFSET, n, NULL);
            memcpy(before + OFFSET, expected, n * k.out_bytes);
            assert_memory_equal(in.data, before, MEMORY_BYTES);
            test_free(expected);
            test_free(before);
        }
        msw_kernel_destroy(k.kernel);
    }
}

static void test_aliasing_is_refused(void **state)
{
    loaded k = load("sums"), narrow = load("narrow"), total = load("total");
    msw_enqueue_desc desc = describe(1000);
    (void)state;
    desc.buffers[1] = desc.buffers[0];
    refuse(&k, &desc, MSW_ERROR_INVALID_ARGUMENT, "'in' and 'out' share memory; set MSW_IN_PLACE");
    desc.buffers[1] += 4; /* not element for element */
    desc.flags = MSW_IN_PLACE;
    refuse(&k, &desc, MSW_ERROR_INVALID_ARGUMENT, "share memory");
    desc.buffers[1] = desc.buffers[0] + 3996;
    refuse(&k, &desc, MSW_ERROR_INVALID_ARGUMENT, "share memory");
    desc.buffers[1] = desc.buffers[0] + 4000;
    run(&k, &desc);
    desc.buffers[1] = desc.buffers[0]; /* a block's small elements would overwrite another block's input */
    refuse(&narrow, &desc, MSW_ERROR_INVALID_ARGUMENT, "share memory");
    refuse(&total, &desc, MSW_ERROR_INVALID_ARGUMENT, "share memory");
    desc = describe(1000);
    desc.carry_out = desc.buffers[0];
    refuse(&k, &desc, MSW_ERROR_INVALID_ARGUMENT, "'in' and 'carry_out' share memory");
    desc = describe(1000);
    desc.scratch = desc.buffers[1] + 16;
    refuse(&k, &desc, MSW_ERROR_INVALID_ARGUMENT, "'out' and 'scratch' share memory");
    desc = describe(1000);
    desc.n_address = desc.scratch;
    refuse(&k, &desc, MSW_ERROR_INVALID_ARGUMENT, "'n_address' and 'scratch' share memory");
    msw_kernel_destroy(k.kernel);
    msw_kernel_destroy(narrow.kernel);
    msw_kernel_destroy(total.kernel);
}

static void test_bad_descriptions(void **state)
{
    loaded k = load("sums");
    const uint64_t needed = msw_scratch_bytes(k.plan, 20011), n_max = k.plan->variants[k.plan->variant_count - 1].n_max;
    const struct { uint64_t n, n_address, in, carry_in, scratch, scratch_bytes; msw_result code; const char *words; } cases[] = {
        {20011, 0, OFFSET, 0, 0, needed - 1, MSW_ERROR_TOO_SMALL, "of scratch for n = 20011"},
        {20011, 0, OFFSET, 0, 8, MEMORY_BYTES, MSW_ERROR_INVALID_ARGUMENT, "'scratch': address"},
        {20011, 4, OFFSET, 0, 0, MEMORY_BYTES, MSW_ERROR_INVALID_ARGUMENT, "'n_address': address"},
        {20011, 0, OFFSET + 2, 0, 0, MEMORY_BYTES, MSW_ERROR_INVALID_ARGUMENT, "'in': address"},
        {20011, 0, OFFSET, 8, 0, MEMORY_BYTES, MSW_ERROR_INVALID_ARGUMENT, "'carry_in': address"},
        {n_max + 1, 0, OFFSET, 0, 0, MEMORY_BYTES, MSW_ERROR_UNSUPPORTED, "serves up to"},
    };
    msw_enqueue_desc desc;
    (void)state;
    assert_true(needed > 0 && needed <= MEMORY_BYTES);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        desc = describe(cases[c].n);
        desc.buffers[0] = in.address + cases[c].in;
        desc.n_address = cases[c].n_address ? extra.address + cases[c].n_address : 0;
        desc.carry_in = cases[c].carry_in ? extra.address + cases[c].carry_in : 0;
        desc.scratch += cases[c].scratch;
        desc.scratch_bytes = cases[c].scratch_bytes;
        refuse(&k, &desc, cases[c].code, cases[c].words);
    }
    desc = describe(20011);
    desc.scratch = 0;
    refuse(&k, &desc, MSW_ERROR_TOO_SMALL, "0 are given");
    desc = describe(20011);
    desc.scratch_bytes = needed;
    fill(1);
    run(&k, &desc);
    compare(&k, in.data + OFFSET, 20011);
    msw_kernel_destroy(k.kernel);
}

/* An output that is not given is not written: here the carry alone is wanted. */
static void test_outputs_not_given(void **state)
{
    static const char *const ops[] = {"forwards", "backwards", "bytes", "total"};
    (void)state;
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
        loaded k = load(ops[o]);
        const uint64_t sizes[] = {0, 1, k.tile, 9 * k.tile + 1};
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            msw_enqueue_desc desc = describe(sizes[s]);
            unsigned char carry[128], *unused;
            desc.buffers[1] = 0;
            desc.carry_out = extra.address + CARRY_A;
            fill((uint32_t)s);
            run(&k, &desc);
            unused = expect(&k, in.data + OFFSET, sizes[s], carry);
            assert_memory_equal(extra.data + CARRY_A, carry, k.plan->carry_bytes);
            test_free(unused);
        }
        msw_kernel_destroy(k.kernel);
    }
}

/* The scratch is initialised once; then the same work runs a hundred times on changing data. */
static void test_replay(void **state)
{
    loaded k = load("exclusive");
    const uint64_t n = 9 * k.tile + 11;
    const msw_enqueue_desc desc = describe(n);
    work first = work_begin(), again = work_begin();
    msw_diag diag;
    (void)state;
    memset(scratch.data, 0xa5, MEMORY_BYTES);
    check(work_scratch_init(&first, k.kernel, desc.scratch, desc.scratch_bytes, &diag), &diag);
    work_end(&first);
    work_submit(&first);
    enqueue(&k, &again, &desc);
    work_end(&again);
    for (uint32_t replay = 0; replay < 100; replay++) {
        fill(replay);
        work_submit(&again);
        compare(&k, in.data + OFFSET, n);
    }
    work_free(&first);
    work_free(&again);
    msw_kernel_destroy(k.kernel);
}

/* ---- scratch of the context's ---- */

/* A sort's values lie in the second half of its keys' memory. */
static msw_enqueue_desc describe_reserved(const loaded *k, uint64_t n)
{
    msw_enqueue_desc desc = describe(n);
    desc.scratch = desc.scratch_bytes = 0;
    if (k->plan->buffer_count == 2) return desc;
    desc.buffers[1] = in.address + MEMORY_BYTES / 2;
    desc.buffers[2] = out.address + OFFSET;
    desc.buffers[3] = out.address + MEMORY_BYTES / 2;
    return desc;
}

static void submit_and_compare(const loaded *k, work *w, uint64_t n, uint32_t seed)
{
    const int is_sort = k->plan->buffer_count > 2;
    unsigned char *expected = test_calloc(2 * n + 2, k->out_bytes), *values = expected + n * k->out_bytes;
    msw_diag diag;
    fill(seed);
    check(msw_spec_evaluate(spec, k->op, n, (const void *[]){in.data + OFFSET, in.data + MEMORY_BYTES / 2}, (void *[]){expected, values}, NULL, NULL, NULL,
                            &diag), &diag);
    work_submit(w);
    assert_memory_equal(out.data + OFFSET, expected, n * k->out_bytes);
    if (is_sort) assert_memory_equal(out.data + MEMORY_BYTES / 2, values, n * k->out_bytes);
    test_free(expected);
}

/* Two streams of one kernel, of which one gets more: what was recorded before that stays as it was. */
static void check_reserved(const loaded *k)
{
    const uint64_t few = 2 * k->tile + 7, n = 9 * k->tile + 5, bytes = msw_scratch_bytes(k->plan, few), more = msw_scratch_bytes(k->plan, n);
    work a = work_begin(), b = work_begin();
    msw_enqueue_desc desc = describe_reserved(k, few);
    msw_diag diag;
    assert_true(bytes > 0 && more > 0);
    memset(scratch.data, 0xa5, MEMORY_BYTES); /* which is not used */
    check(work_reserve(&a, k->kernel, bytes, &diag), &diag);
    assert_int_equal(work_enqueue(&b, k->kernel, &desc, &diag), MSW_ERROR_TOO_SMALL);
    check(work_reserve(&b, k->kernel, more, &diag), &diag);
    enqueue(k, &a, &desc);
    check(work_reserve(&a, k->kernel, more, &diag), &diag);
    work_barrier(&a);
    desc.n = n;
    enqueue(k, &a, &desc);
    enqueue(k, &b, &desc);
    work_end(&a);
    work_end(&b);
    for (uint32_t round = 0; round < 3; round++) {
        submit_and_compare(k, &a, n, round);
        submit_and_compare(k, &b, n, 10 + round);
    }
    for (uint64_t i = 0; i < MEMORY_BYTES; i++) assert_int_equal(scratch.data[i], 0xa5);
    work_release(&a, k->kernel);
    submit_and_compare(k, &b, n, 20);
    work_free(&a);
    work_free(&b);
}

static void test_reserved_scratch(void **state)
{
    static const char *const ops[] = {"sums", "backwards", "exclusive"};
    (void)state;
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
        loaded k = load(ops[o]);
        check_reserved(&k);
        msw_kernel_destroy(k.kernel);
    }
    loaded sort = load_strategy("pairs", "onesweep");
    check_reserved(&sort);
    msw_kernel_destroy(sort.kernel);
}

/* One thread's share of test_threads: a part of the tests' memory, work of its own. */
typedef struct recorder {
    const loaded *k;
    work w;
    msw_enqueue_desc desc;
    int failures;
} recorder;

enum { RECORDINGS = 200 };

static void *record_many(void *user)
{
    recorder *r = user;
    for (int i = 0; i < RECORDINGS; i++) {
        msw_diag diag;
        r->failures += work_enqueue(&r->w, r->k->kernel, &r->desc, &diag) != MSW_OK || diag.code != MSW_OK;
        work_barrier(&r->w);
    }
    return NULL;
}

/* Two threads enqueue one kernel at the same time, each with its own scratch and work. */
static void test_threads(void **state)
{
    loaded k = load("sums");
    const uint64_t n = 3000, share = MEMORY_BYTES / THREADS;
    pthread_t threads[THREADS];
    recorder recorders[THREADS];
    (void)state;
    fill(11);
    for (uint64_t t = 0; t < THREADS; t++) {
        recorder *r = &recorders[t];
        *r = (recorder){.k = &k, .desc = describe(n)};
        for (int b = 0; b < 2; b++) r->desc.buffers[b] += t * share;
        r->desc.scratch += t * share;
        r->desc.scratch_bytes = share;
        r->w = work_begin();
    }
    for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_create(&threads[t], NULL, record_many, &recorders[t]), 0);
    for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_join(threads[t], NULL), 0);
    for (uint64_t t = 0; t < THREADS; t++) {
        unsigned char *expected = expect(&k, in.data + OFFSET + t * share, n, NULL);
        assert_int_equal(recorders[t].failures, 0);
        work_end(&recorders[t].w);
        work_submit(&recorders[t].w);
        assert_memory_equal(out.data + OFFSET + t * share, expected, 4 * n);
        test_free(expected);
        work_free(&recorders[t].w);
    }
    msw_kernel_destroy(k.kernel);
}

#define ENQUEUE_CASES \
    cmocka_unit_test(test_offsets), \
    cmocka_unit_test(test_device_n), \
    cmocka_unit_test(test_device_n_above_the_bound), \
    cmocka_unit_test(test_carries), \
    cmocka_unit_test(test_in_place), \
    cmocka_unit_test(test_aliasing_is_refused), \
    cmocka_unit_test(test_bad_descriptions), \
    cmocka_unit_test(test_outputs_not_given), \
    cmocka_unit_test(test_replay), \
    cmocka_unit_test(test_reserved_scratch), \
    cmocka_unit_test(test_threads)

#endif
