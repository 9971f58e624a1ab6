/* item_replays.h - append and a sort of its items recorded once and submitted again and again, to be included after count_replays.h: how many items
 * there are is the sort's n, and stays on the device. In any order of elements too the sorted items are the oracle's. */
#ifndef ITEM_REPLAYS_H
#define ITEM_REPLAYS_H

enum { ITEMS = 60000 /* capacity of the two operations */, ITEM_ROUNDS = 100 };

/* Items few enough for the room: most elements have 0 to 3, some 5000, which their blocks leave to another launch. */
static uint64_t make_lengths(uint32_t round, uint64_t most)
{
    const uint64_t sizes[] = {most, 1, most / 2 + 1, 0, most - 1, most / 3, 2};
    const uint32_t large_at = round % 5 == 4 ? 0 : 61 * round;
    fill(round);
    for (uint32_t i = 0; i < most; i++) {
        uint32_t x;
        memcpy(&x, in.data + OFFSET + 4 * i, 4);
        x = i % 2039 == large_at % 2039 ? x | 0xff : x & ~4u; /* length: 5000 of those whose lowest bits are ones */
        memcpy(in.data + OFFSET + 4 * i, &x, 4);
    }
    return sizes[round % (sizeof sizes / sizeof *sizes)];
}

/* What the two make of n elements, into `wanted`; returns how many items there are. */
static uint64_t expect_items(const loaded *append, const loaded *sort, uint64_t n, unsigned char *wanted)
{
    unsigned char *items = test_malloc(4 * ITEMS);
    uint64_t count = 0;
    msw_diag diag;
    check(msw_spec_evaluate(spec, append->op, n, (const void *[]){in.data + OFFSET}, (void *[]){items, &count}, NULL, NULL, &diag), &diag);
    assert_true(count <= ITEMS);
    check(msw_spec_evaluate(spec, sort->op, count, (const void *[]){items}, (void *[]){wanted + OFFSET}, NULL, NULL, &diag), &diag);
    test_free(items);
    return count;
}

static void replay_items(const char *op, const char *strategy, const loaded *sort, const memory *items)
{
    const loaded append = load_strategy(op, strategy);
    const uint64_t most = 9 * 512 + 5;
    const msw_enqueue_desc descs[2] = {{.struct_size = sizeof *descs,
                                        .n = most,
                                        .n_address = extra.address + N_AT,
                                        .buffers = {in.address + OFFSET, items->address + OFFSET, extra.address + KEPT_AT},
                                        .scratch = scratch.address,
                                        .scratch_bytes = 2 * LINK_SCRATCH_BYTES},
                                       {.struct_size = sizeof *descs,
                                        .n = ITEMS,
                                        .n_address = extra.address + KEPT_AT,
                                        .buffers = {items->address + OFFSET, out.address + OFFSET},
                                        .scratch = scratch.address + 2 * LINK_SCRATCH_BYTES,
                                        .scratch_bytes = 2 * LINK_SCRATCH_BYTES}};
    unsigned char *wanted = test_malloc(MEMORY_BYTES);
    msw_diag diag;
    work w = work_begin();
    check(work_scratch_init(&w, append.kernel, descs[0].scratch, descs[0].scratch_bytes, &diag), &diag);
    check(work_scratch_init(&w, sort->kernel, descs[1].scratch, descs[1].scratch_bytes, &diag), &diag);
    work_end(&w);
    work_submit(&w);
    work_free(&w);
    w = work_begin();
    enqueue(&append, &w, &descs[0]);
    work_barrier(&w);
    enqueue(sort, &w, &descs[1]);
    work_end(&w);
    for (uint32_t round = 0; round < ITEM_ROUNDS; round++) {
        const uint64_t n = make_lengths(round, most);
        uint64_t count;
        memcpy(extra.data + N_AT, &n, sizeof n);
        memset(wanted, 0xa5, MEMORY_BYTES);
        const uint64_t right = expect_items(&append, sort, n, wanted);
        work_submit(&w);
        memcpy(&count, extra.data + KEPT_AT, sizeof count);
        if (count != right) fail_msg("%s, round %u: %llu items, not %llu", strategy, round, (unsigned long long)count, (unsigned long long)right);
        assert_memory_equal(out.data, wanted, MEMORY_BYTES);
    }
    work_free(&w);
    msw_kernel_destroy(append.kernel);
    test_free(wanted);
}

/* 1: the device has the strategy; it may lack atomic additions of 64 bits. */
static int has_strategy(const char *op, const char *strategy)
{
    const msw_knob knob = {"strategy", strategy};
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec = spec, .op = op, .knobs = &knob, .knob_count = 1};
    msw_kernel *kernel;
    msw_diag diag;
    const msw_result result = msw_kernel_create(context, &desc, &kernel, &diag);
    msw_kernel_destroy(kernel);
    if (result) assert_non_null(strstr(diag.message, "atomically"));
    return !result;
}

static void test_item_replays(void **state)
{
    static const char *const cases[][2] = {
        {"spread", "reduce_then_scan"}, {"spread", "lookback"}, {"strewn", "block_atomic"}, {"strewn", "atomic_bump"}};
    const loaded sort = load_strategy("keys_alone", "onesweep");
    memory items = app_allocate_memory(MEMORY_BYTES);
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        if (has_strategy(cases[c][0], cases[c][1])) replay_items(cases[c][0], cases[c][1], &sort, &items);
    msw_kernel_destroy(sort.kernel);
    app_free_memory(&items);
}

#endif
