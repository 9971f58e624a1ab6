/* enqueue_cases.h - enqueueing on an application's own objects, whatever the interface: offsets, n by value and on the device, carries, aliasing,
 * scratch, replay, threads. What the including test defines before: enqueue_fixture.h. */
#ifndef ENQUEUE_CASES_H
#define ENQUEUE_CASES_H

#include "enqueue_fixture.h"

#include <pthread.h>

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
            const uint64_t in_shift = shifts[s % 4][0] * k.plan->buffers[0].alignment_bytes,
                           out_shift = shifts[s % 4][1] * k.plan->buffers[1].alignment_bytes;
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
    static const char *const ops[] = {"forwards", "backwards", "exclusive", "total", "beside"};
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

/* What is near an element may be another block's output already. Carries are not near anything. */
static void test_near_is_not_in_place(void **state)
{
    loaded k = load("beside");
    msw_enqueue_desc desc = describe(1000);
    (void)state;
    desc.buffers[1] = desc.buffers[0];
    refuse(&k, &desc, MSW_ERROR_INVALID_ARGUMENT,
           k.plan->variants[0].serves_in_place ? "'in' and 'out' share memory, and 'beside' does not run in place: keep them apart"
                                               : "'in' and 'out' share memory; set MSW_IN_PLACE");
    desc.flags = MSW_IN_PLACE;
    refuse(&k, &desc, MSW_ERROR_UNSUPPORTED,
           k.plan->variants[0].serves_in_place ? "it reads what is near" : "does not run in place, nor with one place");
    msw_kernel_destroy(k.kernel);
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
    const struct {
        uint64_t n, n_address, in, carry_in, scratch, scratch_bytes;
        msw_result code;
        const char *words;
    } cases[] = {
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

enum { LEAST_AT = 1024, MANY_AT = 2048 }; /* in `extra` */

/* What the oracle makes of the tests' input, with the uniforms that are in device memory, in `out`. */
static void compare_shared(const loaded *large, const loaded *shared, uint64_t n)
{
    uint32_t *kept = test_calloc(n + 1, sizeof *kept), *expected = test_calloc(n + 1, sizeof *expected);
    const void *given = in.data + OFFSET;
    uint64_t count = 0;
    msw_diag diag;
    check(msw_spec_evaluate(spec, large->op, n, (const void *[]){given, extra.data + LEAST_AT}, (void *[]){kept, &count}, NULL, NULL, &diag), &diag);
    assert_memory_equal(extra.data + MANY_AT, &count, sizeof count);
    check(msw_spec_evaluate(spec, shared->op, n, (const void *[]){given, &count}, (void *[]){expected}, NULL, NULL, &diag), &diag);
    assert_memory_equal(out.data + OFFSET, expected, 4 * n);
    test_free(kept);
    test_free(expected);
}

/* A uniform that the host writes between submissions, and one that work on the device makes: a count. */
static void test_uniforms(void **state)
{
    loaded shared = load_strategy("shared", "elementwise"), large = load("large");
    const uint64_t n = 9 * large.tile + 5;
    const uint32_t leasts[] = {0, 1u << 31, UINT32_MAX, 3u << 30};
    memory kept = app_allocate_memory(MEMORY_BYTES);
    msw_enqueue_desc count = describe(n), use = describe(n);
    work w = work_begin();
    (void)state;
    count.buffers[1] = kept.address;
    count.buffers[2] = use.buffers[2] = extra.address + MANY_AT;
    count.buffers[3] = extra.address + LEAST_AT;
    use.scratch = use.scratch_bytes = 0;
    enqueue(&large, &w, &count);
    work_barrier(&w);
    enqueue(&shared, &w, &use);
    work_end(&w);
    for (uint32_t s = 0; s < sizeof leasts / sizeof *leasts; s++) {
        fill(s);
        memcpy(extra.data + LEAST_AT, &leasts[s], sizeof leasts[s]);
        work_submit(&w);
        compare_shared(&large, &shared, n);
    }
    work_free(&w);
    app_free_memory(&kept);
    msw_kernel_destroy(shared.kernel);
    msw_kernel_destroy(large.kernel);
}

static void test_uniforms_are_needed(void **state)
{
    static const uint32_t least = 7;
    loaded k = load_strategy("lifted", "reduce_then_scan");
    msw_enqueue_desc desc = describe(1000);
    (void)state;
    refuse(&k, &desc, MSW_ERROR_INVALID_ARGUMENT, "'least' has no address");
    desc.n = 0; /* the result of nothing depends on it, too */
    refuse(&k, &desc, MSW_ERROR_INVALID_ARGUMENT, "'least' has no address");
    desc.buffers[2] = extra.address + LEAST_AT + 2;
    refuse(&k, &desc, MSW_ERROR_INVALID_ARGUMENT, "'least': address");
    desc.n = 1000;
    desc.flags = MSW_IN_PLACE; /* of blocks that begin late, too */
    desc.buffers[2] = desc.buffers[1];
    refuse(&k, &desc, MSW_ERROR_INVALID_ARGUMENT, "'out' and 'least' share memory");
    desc.flags = 0;
    desc.n = 0;
    desc.buffers[2] = extra.address + LEAST_AT;
    fill(1);
    memcpy(extra.data + LEAST_AT, &least, sizeof least);
    run(&k, &desc);
    assert_memory_equal(out.data + OFFSET, &least, sizeof least);
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
    memset(scratch.data, 0xa5, SCRATCH_BYTES);
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
    check(msw_spec_evaluate(spec, k->op, n, (const void *[]){in.data + OFFSET, in.data + MEMORY_BYTES / 2}, (void *[]){expected, values}, NULL, NULL,
                            &diag),
          &diag);
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
    memset(scratch.data, 0xa5, SCRATCH_BYTES); /* which is not used */
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
    for (uint64_t i = 0; i < SCRATCH_BYTES; i++) assert_int_equal(scratch.data[i], 0xa5);
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
    msw_diag diag;
    (void)state;
    fill(11);
    for (uint64_t t = 0; t < THREADS; t++) {
        recorder *r = &recorders[t];
        *r = (recorder){.k = &k, .desc = describe(n)};
        for (int b = 0; b < 2; b++) r->desc.buffers[b] += t * share;
        r->desc.scratch += t * share;
        r->desc.scratch_bytes = share;
        r->w = work_begin();
        check(work_scratch_init(&r->w, k.kernel, r->desc.scratch, share, &diag), &diag);
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

#define ENQUEUE_CASES                                                                                                     \
    cmocka_unit_test(test_offsets), cmocka_unit_test(test_device_n), cmocka_unit_test(test_device_n_above_the_bound),     \
        cmocka_unit_test(test_carries), cmocka_unit_test(test_in_place), cmocka_unit_test(test_aliasing_is_refused),      \
        cmocka_unit_test(test_bad_descriptions), cmocka_unit_test(test_outputs_not_given), cmocka_unit_test(test_replay), \
        cmocka_unit_test(test_reserved_scratch), cmocka_unit_test(test_threads), cmocka_unit_test(test_uniforms),         \
        cmocka_unit_test(test_uniforms_are_needed), cmocka_unit_test(test_near_is_not_in_place)

#endif
