/* sort_replays.h - sorts recorded once and submitted again and again, to be included after enqueue_cases.h: outputs apart from the inputs, in place
 * and taking turns with them, n by value and on the device, all in turns over one scratch that is initialised once. */
#ifndef SORT_REPLAYS_H
#define SORT_REPLAYS_H

enum { VALUES_AT = MEMORY_BYTES / 2, ROUNDS = 6, MOST_RECORDED = 6 };

typedef struct recorded {
    work w;
    uint64_t bound;
    uint32_t flags;  /* MSW_IN_PLACE, MSW_PING_PONG or 0 */
    int has_address; /* n lies on the device */
} recorded;

static recorded record(const loaded *k, uint64_t bound, uint32_t flags, int has_address)
{
    const uint64_t to = flags & MSW_IN_PLACE ? in.address : out.address;
    recorded r = {.w = work_begin(), .bound = bound, .flags = flags, .has_address = has_address};
    msw_enqueue_desc desc = describe(bound);
    desc.flags = flags;
    desc.buffers[1] = in.address + VALUES_AT + OFFSET;
    desc.buffers[2] = to + OFFSET;
    desc.buffers[3] = to + VALUES_AT + OFFSET;
    if (has_address) desc.n_address = extra.address + N_AT;
    enqueue(k, &r.w, &desc);
    work_end(&r.w);
    return r;
}

/* Digits that differ vary from round to round, and with them the passes that run. */
static void make_keys(uint32_t round)
{
    static const uint32_t masks[] = {UINT32_MAX, 0x00ff00ff, 0, 0x000000ff, 0x7fffff00};
    fill(round);
    for (uint32_t i = 0; i < (VALUES_AT - OFFSET) / 4; i++) {
        uint32_t key;
        memcpy(&key, in.data + OFFSET + 4 * i, 4);
        key = (key >> 16 | key << 16) & masks[round % 5]; /* the highest bits of `fill` are the most random */
        memcpy(in.data + OFFSET + 4 * i, &key, 4);
    }
}

/* One submission: the result is the oracle's, and no other byte of its memory, nor of inputs that are to stay, has changed. */
static void replay(const loaded *k, recorded *r, uint32_t round)
{
    const uint64_t sizes[ROUNDS] = {r->bound, 1, r->bound / 2 + 1, 0, r->bound - 1, r->bound / 3}, n = r->has_address ? sizes[round] : r->bound;
    const int in_inputs = r->flags & MSW_IN_PLACE || (r->flags & MSW_PING_PONG && msw_ends_in_inputs(k->plan, r->bound));
    unsigned char *given = test_malloc(MEMORY_BYTES), *wanted = test_malloc(MEMORY_BYTES);
    msw_diag diag;
    make_keys(round);
    memcpy(extra.data + N_AT, &n, sizeof n);
    memcpy(given, in.data, MEMORY_BYTES);
    memcpy(wanted, in_inputs ? in.data : out.data, MEMORY_BYTES);
    check(msw_spec_evaluate(spec, k->op, n, (const void *[]){given + OFFSET, given + VALUES_AT + OFFSET},
                            (void *[]){wanted + OFFSET, wanted + VALUES_AT + OFFSET}, NULL, NULL, &diag),
          &diag);
    work_submit(&r->w);
    assert_memory_equal(in_inputs ? in.data : out.data, wanted, MEMORY_BYTES);
    if (!r->flags) assert_memory_equal(in.data, given, MEMORY_BYTES);
    test_free(given);
    test_free(wanted);
}

/* An even number of passes, and an odd one. */
static void check_replays(const char *strategy)
{
    static const char *const ops[] = {"pairs", "pairs_by_23_bits"};
    const int takes_turns = !strcmp(strategy, "onesweep") || !strcmp(strategy, "msd_hybrid"), is_one_block = !strcmp(strategy, "single_block");
    for (int o = 0; o < 2; o++) {
        loaded k = load_strategy(ops[o], strategy);
        const uint64_t bound = is_one_block ? k.tile : 9 * k.tile + 5;
        recorded all[MOST_RECORDED];
        int count = 0;
        for (int has_address = 0; has_address < 2; has_address++) {
            all[count++] = record(&k, bound, 0, has_address);
            all[count++] = record(&k, bound, MSW_IN_PLACE, has_address);
            if (takes_turns) all[count++] = record(&k, bound, MSW_PING_PONG, has_address);
        }
        for (uint32_t round = 0; round < ROUNDS; round++)
            for (int r = 0; r < count; r++) replay(&k, &all[r], round);
        for (int r = 0; r < count; r++) work_free(&all[r].w);
        msw_kernel_destroy(k.kernel);
    }
}

static void test_replays_of_onesweep(void **state) { (void)state, check_replays("onesweep"); }

static void test_replays_of_msd_hybrid(void **state) { (void)state, check_replays("msd_hybrid"); }

static void test_replays_of_single_block(void **state) { (void)state, check_replays("single_block"); }

static void test_replays_of_upsweep_downsweep(void **state) { (void)state, check_replays("upsweep_downsweep"); }

static void test_replays_of_split(void **state) { (void)state, check_replays("split"); }

#define SORT_REPLAYS                                                                                                                                 \
    cmocka_unit_test(test_replays_of_onesweep), cmocka_unit_test(test_replays_of_single_block), cmocka_unit_test(test_replays_of_upsweep_downsweep), \
        cmocka_unit_test(test_replays_of_split), cmocka_unit_test(test_replays_of_msd_hybrid)

#endif
