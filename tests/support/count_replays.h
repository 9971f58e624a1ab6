/* count_replays.h - compact, sort and reduce_by_key recorded once and submitted again and again, to be included after sort_replays.h: what the first
 * one counts is the n of the other two, and stays on the device. */
#ifndef COUNT_REPLAYS_H
#define COUNT_REPLAYS_H

enum { LINKS = 3, SUBMISSIONS = 100, KEPT_AT = 1024, GROUPS_AT = 2048, LINK_SCRATCH_BYTES = MEMORY_BYTES / 4 };

/* Three kernels, each with a part of the tests' scratch, and the arrays between them. */
typedef struct chain {
    loaded links[LINKS];
    uint64_t bound;
    memory kept, sorted; /* keys, and values from VALUES_AT on */
    work w;
} chain;

/* keys and values of `from` go to those of `to`, or to the tests' inputs and outputs. */
static msw_enqueue_desc describe_link(const chain *c, int link, const memory *from, const memory *to)
{
    return (msw_enqueue_desc){.struct_size = sizeof(msw_enqueue_desc),
                              .n = c->bound,
                              .n_address = extra.address + (link ? KEPT_AT : N_AT),
                              .buffers = {from->address + OFFSET, from->address + VALUES_AT + OFFSET, to->address + OFFSET,
                                          to->address + VALUES_AT + OFFSET, link == 1 ? 0 : extra.address + (link ? GROUPS_AT : KEPT_AT)},
                              .scratch = scratch.address + (uint64_t)link * LINK_SCRATCH_BYTES,
                              .scratch_bytes = LINK_SCRATCH_BYTES};
}

/* The sort's kernel is loaded. */
static void record_chain(chain *c, const char *strategy)
{
    const memory *const arrays[LINKS + 1] = {&in, &c->kept, &c->sorted, &out};
    msw_diag diag;
    c->links[0] = load_strategy("marked_pairs", strategy);
    c->links[2] = load_strategy("groups", strategy);
    c->bound = 9 * c->links[0].tile + 5;
    work w = work_begin();
    for (int link = 0; link < LINKS; link++) {
        const msw_enqueue_desc desc = describe_link(c, link, arrays[link], arrays[link + 1]);
        check(work_scratch_init(&w, c->links[link].kernel, desc.scratch, desc.scratch_bytes, &diag), &diag);
    }
    work_end(&w);
    work_submit(&w);
    work_free(&w);
    c->w = work_begin();
    for (int link = 0; link < LINKS; link++) {
        const msw_enqueue_desc desc = describe_link(c, link, arrays[link], arrays[link + 1]);
        if (link) work_barrier(&c->w);
        enqueue(&c->links[link], &c->w, &desc);
    }
    work_end(&c->w);
}

/* How many are kept, and how many different keys these have, changes from round to round. Returns n. */
static uint64_t make_pairs(const chain *c, uint32_t round)
{
    static const uint32_t kept_of_1000[] = {500, 1, 1000, 0}, masks[] = {0x3, 0xffff, 0, 0xff, 0x1f00};
    const uint64_t sizes[] = {c->bound, 1, c->bound / 2 + 1, 0, c->bound - 1, c->bound / 3, c->links[0].tile};
    fill(round);
    for (uint32_t i = 0; i < (VALUES_AT - OFFSET) / 4; i++) {
        uint32_t key;
        memcpy(&key, in.data + OFFSET + 4 * i, 4);
        key = (key >> 16) % 1000 < kept_of_1000[round % 4] ? 1u << 31 | (key >> 12 & masks[round % 5]) : key >> 1;
        memcpy(in.data + OFFSET + 4 * i, &key, 4);
    }
    return sizes[round % (sizeof sizes / sizeof *sizes)];
}

/* What the three make of n elements in `in`, one after the other: results and their number, as they are to lie in `out` and `extra`. */
static void expect_chain(const chain *c, uint64_t n, unsigned char *wanted, uint64_t *kept, uint64_t *groups)
{
    unsigned char *arrays = test_malloc(2 * MEMORY_BYTES), *kept_values = arrays + VALUES_AT, *sorted = arrays + MEMORY_BYTES,
                  *sorted_values = sorted + VALUES_AT;
    msw_diag diag;
    check(msw_spec_evaluate(spec, c->links[0].op, n, (const void *[]){in.data + OFFSET, in.data + VALUES_AT + OFFSET},
                            (void *[]){arrays, kept_values, kept}, NULL, NULL, &diag),
          &diag);
    check(msw_spec_evaluate(spec, c->links[1].op, *kept, (const void *[]){arrays, kept_values}, (void *[]){sorted, sorted_values}, NULL, NULL, &diag),
          &diag);
    check(msw_spec_evaluate(spec, c->links[2].op, *kept, (const void *[]){sorted, sorted_values},
                            (void *[]){wanted + OFFSET, wanted + VALUES_AT + OFFSET, groups}, NULL, NULL, &diag),
          &diag);
    test_free(arrays);
}

/* One submission: results and numbers are the oracle's, and no other byte of the outputs was written. */
static void replay_chain(chain *c, uint32_t round)
{
    const uint64_t n = make_pairs(c, round);
    unsigned char *wanted = test_malloc(MEMORY_BYTES);
    uint64_t kept = 0, groups = 0, numbers[2];
    memcpy(extra.data + N_AT, &n, sizeof n);
    memset(wanted, 0xa5, MEMORY_BYTES);
    expect_chain(c, n, wanted, &kept, &groups);
    work_submit(&c->w);
    memcpy(&numbers[0], extra.data + KEPT_AT, sizeof kept);
    memcpy(&numbers[1], extra.data + GROUPS_AT, sizeof groups);
    if (numbers[0] != kept || numbers[1] != groups)
        fail_msg("round %u, n = %llu: %llu kept in %llu groups, not %llu in %llu", round, (unsigned long long)n, (unsigned long long)numbers[0],
                 (unsigned long long)numbers[1], (unsigned long long)kept, (unsigned long long)groups);
    assert_memory_equal(out.data, wanted, MEMORY_BYTES);
    test_free(wanted);
}

static void test_count_replays(void **state)
{
    static const char *const strategies[] = {"reduce_then_scan", "lookback"};
    chain c = {.kept = app_allocate_memory(MEMORY_BYTES), .sorted = app_allocate_memory(MEMORY_BYTES)};
    (void)state;
    c.links[1] = load_strategy("pairs_by_16_bits", "onesweep");
    for (int s = 0; s < 2; s++) {
        record_chain(&c, strategies[s]);
        for (uint32_t round = 0; round < SUBMISSIONS; round++) replay_chain(&c, round);
        work_free(&c.w);
        msw_kernel_destroy(c.links[0].kernel);
        msw_kernel_destroy(c.links[2].kernel);
    }
    msw_kernel_destroy(c.links[1].kernel);
    app_free_memory(&c.kept);
    app_free_memory(&c.sorted);
}

#endif
