/* item_replays.h - append, a sort of its items and the ranges of equal tiles among them (reduce_by_key), as splats need them, recorded once
 * and submitted again and again, to be included after count_replays.h: how many items there are is the n of the other two, and stays on the
 * device. In any order of elements too the sorted items are the oracle's. */
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

enum { APPENDED, SORTED, RANGES, STAGES };

/* The three kernels, and the arrays between them. */
typedef struct expansion {
    loaded links[STAGES];
    uint64_t most;        /* elements */
    memory items, sorted; /* sorted: and a scratch from VALUES_AT on */
} expansion;

static msw_enqueue_desc describe_stage(const expansion *e, int stage)
{
    const uint64_t scratches[STAGES] = {scratch.address, scratch.address + SCRATCH_BYTES / 2, e->sorted.address + VALUES_AT};
    msw_enqueue_desc desc = {.struct_size = sizeof desc,
                             .n = stage ? ITEMS : e->most,
                             .n_address = extra.address + (stage ? KEPT_AT : N_AT),
                             .scratch = scratches[stage],
                             .scratch_bytes = MEMORY_BYTES / 2};
    const uint64_t buffers[STAGES][5] = {
        {in.address + OFFSET, e->items.address + OFFSET, extra.address + KEPT_AT},
        {e->items.address + OFFSET, e->sorted.address + OFFSET},
        {e->sorted.address + OFFSET, e->sorted.address + OFFSET, out.address + OFFSET, out.address + VALUES_AT, extra.address + GROUPS_AT}};
    memcpy(desc.buffers, buffers[stage], sizeof buffers[stage]);
    return desc;
}

static work record_stages(const expansion *e)
{
    msw_diag diag;
    work w = work_begin();
    for (int stage = 0; stage < STAGES; stage++) {
        const msw_enqueue_desc desc = describe_stage(e, stage);
        check(work_scratch_init(&w, e->links[stage].kernel, desc.scratch, desc.scratch_bytes, &diag), &diag);
    }
    work_end(&w);
    work_submit(&w);
    work_free(&w);
    w = work_begin();
    for (int stage = 0; stage < STAGES; stage++) {
        const msw_enqueue_desc desc = describe_stage(e, stage);
        if (stage) work_barrier(&w);
        enqueue(&e->links[stage], &w, &desc);
    }
    work_end(&w);
    return w;
}

/* What the three make of n elements: results as they are to lie in `out`, and how many items and ranges there are. */
static void expect_ranges(const expansion *e, uint64_t n, unsigned char *wanted, uint64_t *count, uint64_t *ranges)
{
    unsigned char *items = test_malloc(4 * ITEMS), *sorted = test_malloc(4 * ITEMS);
    msw_diag diag;
    check(msw_spec_evaluate(spec, e->links[APPENDED].op, n, (const void *[]){in.data + OFFSET}, (void *[]){items, count}, NULL, NULL, &diag), &diag);
    assert_true(*count <= ITEMS);
    check(msw_spec_evaluate(spec, e->links[SORTED].op, *count, (const void *[]){items}, (void *[]){sorted}, NULL, NULL, &diag), &diag);
    check(msw_spec_evaluate(spec, e->links[RANGES].op, *count, (const void *[]){sorted, sorted},
                            (void *[]){wanted + OFFSET, wanted + VALUES_AT, ranges}, NULL, NULL, &diag),
          &diag);
    test_free(sorted);
    test_free(items);
}

static void replay_items(expansion *e, const char *strategy)
{
    unsigned char *wanted = test_malloc(MEMORY_BYTES);
    work w = record_stages(e);
    for (uint32_t round = 0; round < ITEM_ROUNDS; round++) {
        const uint64_t n = make_lengths(round, e->most);
        uint64_t count, ranges, numbers[2];
        memcpy(extra.data + N_AT, &n, sizeof n);
        memset(wanted, 0xa5, MEMORY_BYTES);
        expect_ranges(e, n, wanted, &count, &ranges);
        work_submit(&w);
        memcpy(&numbers[0], extra.data + KEPT_AT, sizeof count);
        memcpy(&numbers[1], extra.data + GROUPS_AT, sizeof ranges);
        if (numbers[0] != count || numbers[1] != ranges)
            fail_msg("%s, round %u: %llu items in %llu ranges, not %llu in %llu", strategy, round, (unsigned long long)numbers[0],
                     (unsigned long long)numbers[1], (unsigned long long)count, (unsigned long long)ranges);
        assert_memory_equal(out.data, wanted, MEMORY_BYTES);
    }
    work_free(&w);
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
    expansion e = {.most = 9 * 512 + 5, .items = app_allocate_memory(MEMORY_BYTES), .sorted = app_allocate_memory(MEMORY_BYTES)};
    (void)state;
    e.links[SORTED] = load_strategy("keys_alone", "onesweep");
    e.links[RANGES] = load_strategy("ranges", "auto");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        if (!has_strategy(cases[c][0], cases[c][1])) continue;
        e.links[APPENDED] = load_strategy(cases[c][0], cases[c][1]);
        replay_items(&e, cases[c][1]);
        msw_kernel_destroy(e.links[APPENDED].kernel);
    }
    msw_kernel_destroy(e.links[SORTED].kernel);
    msw_kernel_destroy(e.links[RANGES].kernel);
    app_free_memory(&e.items);
    app_free_memory(&e.sorted);
}

#endif
