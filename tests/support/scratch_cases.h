/* scratch_cases.h - what a scratch promises: zeroed once, it serves any n that it is large enough for, in every mode of one plan. To be included
 * after item_replays.h. */
#ifndef SCRATCH_CASES_H
#define SCRATCH_CASES_H

enum { SCRATCH_AT = MEMORY_BYTES / 4 }; /* memory lies before it and behind it */

/* What the scratch holds before its first use: all ones, or words that look like the posts of one of the first launches. */
static void spoil_scratch(uint32_t word)
{
    for (uint64_t i = 0; i < SCRATCH_BYTES; i += 4) memcpy(scratch.data + i, &word, 4);
}

/* Nothing outside the scratch's `bytes` has changed. */
static void check_around_scratch(uint64_t bytes, uint32_t word)
{
    for (uint64_t i = 0; i < SCRATCH_BYTES; i += 4) {
        uint32_t there;
        if (i >= SCRATCH_AT && i < SCRATCH_AT + (bytes + 3) / 4 * 4) continue;
        memcpy(&there, scratch.data + i, 4);
        if (there != word) fail_msg("%lld bytes from the scratch: 0x%x, not 0x%x", (long long)i - SCRATCH_AT, there, word);
    }
}

/* Of a scan, or of a sort whose values lie in the second half of its keys' memory. */
static msw_enqueue_desc describe_in(const loaded *k, uint64_t n, uint32_t flags, uint64_t scratch_bytes)
{
    const uint64_t to = flags & MSW_IN_PLACE ? in.address : out.address;
    msw_enqueue_desc desc = describe(n);
    desc.flags = flags;
    desc.buffers[1] = to + OFFSET;
    desc.scratch = scratch.address + SCRATCH_AT;
    desc.scratch_bytes = scratch_bytes;
    if (k->plan->buffer_count == 2) return desc;
    desc.buffers[1] = in.address + VALUES_AT + OFFSET;
    desc.buffers[2] = to + OFFSET;
    desc.buffers[3] = to + VALUES_AT + OFFSET;
    return desc;
}

/* Enqueues and compares with the oracle. */
static void run_in(const loaded *k, uint64_t n, uint32_t flags, uint64_t scratch_bytes, int has_address)
{
    const int in_inputs = flags & MSW_IN_PLACE || (flags & MSW_PING_PONG && msw_ends_in_inputs(k->plan, n)), is_sort = k->plan->buffer_count > 2;
    unsigned char *expected = test_calloc(2 * n + 2, k->out_bytes), *given = test_malloc(MEMORY_BYTES);
    const unsigned char *got = in_inputs ? in.data : out.data;
    msw_enqueue_desc desc = describe_in(k, n, flags, scratch_bytes);
    msw_diag diag;
    fill((uint32_t)n);
    if (is_sort) make_keys(0);
    memcpy(given, in.data, MEMORY_BYTES);
    if (has_address) {
        memcpy(extra.data + N_AT, &n, sizeof n);
        desc.n_address = extra.address + N_AT;
        desc.n += 3;
    }
    check(msw_spec_evaluate(spec, k->op, n, (const void *[]){given + OFFSET, given + VALUES_AT + OFFSET},
                            (void *[]){expected, expected + n * k->out_bytes}, NULL, NULL, &diag),
          &diag);
    run(k, &desc);
    assert_memory_equal(got + OFFSET, expected, n * k->out_bytes);
    if (is_sort) assert_memory_equal(got + VALUES_AT + OFFSET, expected + n * k->out_bytes, n * k->out_bytes);
    test_free(expected);
    test_free(given);
}

static const uint32_t spoils[] = {UINT32_MAX, 2, 3, 4, 5, 6, 7};

/* Zeroed by an enqueue of few elements, the scratch then serves many: nothing is read or written that was not zeroed. */
static void check_dirty(const loaded *k, uint32_t flags)
{
    const uint64_t sizes[] = {1, 3 * k->tile + 1, 13 * k->tile + 5, 11 * k->tile - 1, 13 * k->tile + 5};
    const uint64_t bound = sizes[2] + 3,
                   bytes = flags & MSW_PING_PONG ? msw_scratch_bytes_ping_pong(k->plan, bound) : msw_scratch_bytes(k->plan, bound);
    assert_in_range(bytes, 0, SCRATCH_BYTES / 2);
    for (size_t s = 0; s < sizeof spoils / sizeof *spoils; s++) {
        spoil_scratch(spoils[s]);
        for (size_t i = s % 2; i < sizeof sizes / sizeof *sizes; i++)
            run_in(k, sizes[i], flags | (i == s % 2 ? MSW_SCRATCH_DIRTY : 0), bytes, (i + s) % 3 == 2);
        check_around_scratch(bytes, spoils[s]);
    }
}

static void test_dirty_scratch(void **state)
{
    static const char *const ops[] = {"sums", "backwards", "exclusive", "packed"};
    (void)state;
    for (size_t o = 0; o < 2 * sizeof ops / sizeof *ops; o++) {
        loaded k = load_strategy(ops[o / 2], o % 2 ? "auto" : scan_strategy);
        check_dirty(&k, 0);
        if (k.plan->buffers[0].element_bytes == k.plan->buffers[1].element_bytes && msw_launch_variant(k.plan, 0, MSW_LAUNCH_IN_PLACE, 0))
            check_dirty(&k, MSW_IN_PLACE);
        msw_kernel_destroy(k.kernel);
    }
}

static void test_dirty_scratch_of_sorts(void **state)
{
    static const char *const strategies[] = {"onesweep", "auto", "msd_hybrid", "upsweep_downsweep", "split"};
    (void)state;
    for (int s = 0; s < 5; s++) {
        loaded k = load_strategy("pairs", strategies[s]);
        check_dirty(&k, 0);
        check_dirty(&k, MSW_IN_PLACE);
        if (msw_scratch_bytes_ping_pong(k.plan, k.tile)) check_dirty(&k, MSW_PING_PONG);
        msw_kernel_destroy(k.kernel);
    }
}

/* One scratch for both: values that went through it lie where ping-pong launches have their posts, and look like posts of the next launches. */
static void test_ping_pong_after_others(void **state)
{
    loaded k = load_strategy("pairs", "onesweep");
    const uint64_t spare = 8 * k.tile, bytes = msw_scratch_bytes(k.plan, spare);
    uint64_t many = (VALUES_AT - OFFSET) / 4 / k.tile * k.tile;
    (void)state;
    while (msw_scratch_bytes_ping_pong(k.plan, many) > bytes) many -= k.tile;
    assert_true(many > 2 * spare);
    for (uint32_t round = 0; round < 6; round++) {
        const msw_enqueue_desc desc = describe_in(&k, spare, round ? 0 : MSW_SCRATCH_DIRTY, bytes);
        fill(round); /* keys differ in every digit, so that all passes run */
        for (uint32_t i = 0; i < spare; i++) {
            const uint32_t tag = (1 + i % 64) * 2 + i / 64 % 2; /* an aggregate's or a prefix's, of one of the next launches */
            memcpy(in.data + VALUES_AT + OFFSET + 4 * i, &tag, 4);
        }
        run(&k, &desc);
        run_in(&k, many, MSW_PING_PONG, bytes, 0);
    }
    msw_kernel_destroy(k.kernel);
}

/* A scratch that was initialised in part: what needs more of it writes nothing, what needs no more is right. */
static void check_part(const loaded *k, uint64_t n, uint32_t flags)
{
    const uint64_t few = 3 * k->tile + 1, bytes = msw_scratch_bytes(k->plan, n), part = msw_scratch_bytes(k->plan, few);
    assert_in_range(bytes, part + 512, SCRATCH_BYTES / 2);
    for (size_t s = 0; s < sizeof spoils / sizeof *spoils; s++) {
        work w = work_begin();
        msw_enqueue_desc desc = describe_in(k, n, flags, bytes);
        msw_diag diag;
        spoil_scratch(spoils[s]);
        check(work_scratch_init(&w, k->kernel, desc.scratch, part, &diag), &diag);
        work_end(&w);
        work_submit(&w);
        work_free(&w);
        fill((uint32_t)s);
        run(k, &desc);
        for (uint64_t i = 0; i < MEMORY_BYTES; i++) assert_int_equal(out.data[i], 0xa5);
        run_in(k, few, flags, bytes, 0);
        check_around_scratch(bytes, spoils[s]);
    }
}

static void test_scratch_initialised_in_part(void **state)
{
    static const char *const ops[] = {"sums", "backwards"};
    (void)state;
    for (int o = 0; o < 2 && strcmp(scan_strategy, "reduce_then_scan"); o++) {
        loaded k = load_strategy(ops[o], scan_strategy);
        check_part(&k, 130003, 0); /* its posts take some hundred bytes more than those of few */
        msw_kernel_destroy(k.kernel);
    }
}

enum { SEGMENTS = 1000, SEGMENTS_AT = 3072, OFFSETS_AT = 1 << 16 }; /* in `extra` */

/* Nor do launches before the one that posts write to it: where segments begin lies behind all posts. */
static void test_segments_find_too_little(void **state)
{
    if (!strcmp(scan_strategy, "reduce_then_scan")) return; /* it needs no scratch that is zeroed */
    loaded k = load_strategy("of_offsets", scan_strategy);
    const uint64_t count = SEGMENTS, n = 40 * k.tile + 5; /* whose posts take more than is zeroed, but what lies behind them does not */
    const uint64_t part = msw_scratch_bytes(k.plan, 3 * k.tile), bytes = msw_scratch_bytes(k.plan, n);
    unsigned char *before = test_malloc(SCRATCH_BYTES);
    msw_enqueue_desc desc = describe_in(&k, n, 0, bytes);
    work w = work_begin();
    msw_diag diag;
    (void)state;
    for (uint64_t j = 0; j <= SEGMENTS; j++) {
        const uint64_t offset = j * n / SEGMENTS;
        memcpy(extra.data + OFFSETS_AT + j * sizeof offset, &offset, sizeof offset);
    }
    memcpy(extra.data + SEGMENTS_AT, &count, sizeof count);
    desc.buffers[1] = extra.address + OFFSETS_AT;
    desc.buffers[2] = out.address + OFFSET;
    desc.buffers[3] = extra.address + SEGMENTS_AT;
    assert_string_equal(k.plan->buffers[3].name, "segment_count");
    fill(1);
    spoil_scratch(UINT32_MAX);
    check(work_scratch_init(&w, k.kernel, desc.scratch, part, &diag), &diag);
    work_end(&w);
    work_submit(&w);
    work_free(&w);
    memcpy(before, scratch.data, SCRATCH_BYTES);
    run(&k, &desc);
    assert_memory_equal(scratch.data, before, SCRATCH_BYTES);
    for (uint64_t i = 0; i < MEMORY_BYTES; i++) assert_int_equal(out.data[i], 0xa5);
    test_free(before);
    msw_kernel_destroy(k.kernel);
}

static int by_words(const void *a, const void *b) { return memcmp(a, b, 4); }

/* Runs an append of n elements, whose items all have room; returns whether it wrote what the oracle says. Else it wrote nothing, not even how many
 * items there are. */
static int appends(const loaded *k, uint64_t n, uint64_t scratch_bytes, uint32_t word)
{
    const uint64_t unwritten = UINT64_C(0xa5a5a5a5a5a5a5a5);
    unsigned char *wanted = test_malloc(MEMORY_BYTES);
    msw_enqueue_desc desc = describe(n);
    const int is_strewn = !strcmp(k->plan->name, "strewn");
    uint64_t count, expected;
    msw_diag diag;
    desc.buffers[2] = extra.address + KEPT_AT;
    desc.scratch = scratch.address + SCRATCH_AT;
    desc.scratch_bytes = scratch_bytes;
    memset(out.data, 0xa5, MEMORY_BYTES);
    memset(wanted, 0xa5, MEMORY_BYTES);
    memcpy(extra.data + KEPT_AT, &unwritten, sizeof unwritten);
    run(k, &desc);
    check_around_scratch(scratch_bytes, word);
    memcpy(&count, extra.data + KEPT_AT, sizeof count);
    if (count != unwritten) {
        check(msw_spec_evaluate(spec, k->op, n, (const void *[]){in.data + OFFSET}, (void *[]){wanted + OFFSET, &expected}, NULL, NULL, &diag),
              &diag);
        assert_int_equal(count, expected);
    }
    if (is_strewn && count != unwritten) { /* blocks take room in any order */
        qsort(out.data + OFFSET, (size_t)count, 4, by_words);
        qsort(wanted + OFFSET, (size_t)count, 4, by_words);
    }
    assert_memory_equal(out.data, wanted, MEMORY_BYTES);
    test_free(wanted);
    return count != unwritten;
}

/* So many bytes of it; 0: zeros that no initialisation has noted. */
static void zero_scratch(const loaded *k, uint64_t bytes, uint64_t scratch_bytes, uint32_t word)
{
    work w = work_begin();
    msw_diag diag;
    spoil_scratch(word);
    if (!bytes) memset(scratch.data + SCRATCH_AT, 0, (size_t)scratch_bytes);
    else check(work_scratch_init(&w, k->kernel, scratch.address + SCRATCH_AT, bytes, &diag), &diag);
    work_end(&w);
    work_submit(&w);
    work_free(&w);
}

enum { APPEND_ELEMENTS = 14000 }; /* whose items all have room: four an element, on average */

/* Both launches of an append find too little, or neither: the second never writes parts that an earlier launch has left. */
static void check_append(const loaded *k)
{
    const uint64_t most = 25 * k->tile + 5 < APPEND_ELEMENTS ? 25 * k->tile + 5 : APPEND_ELEMENTS, few = most * 9 / 25;
    const uint64_t bytes = msw_scratch_bytes(k->plan, most), less = msw_scratch_bytes(k->plan, few);
    int done = 0;
    assert_in_range(bytes, 0, SCRATCH_BYTES / 2);
    make_lengths(1, most);
    for (uint64_t zeroed = 0; zeroed < bytes + 256; zeroed += 256) {
        zero_scratch(k, zeroed < bytes ? zeroed : bytes, bytes, UINT32_MAX);
        const int is_done = appends(k, most, bytes, UINT32_MAX);
        assert_true(is_done || !done); /* what is enough stays enough */
        if (is_done) assert_true(appends(k, most, bytes, UINT32_MAX));
        done = is_done;
        if (!zeroed) assert_false(done);
    }
    assert_true(done);
    zero_scratch(k, less, bytes, UINT32_MAX);
    assert_true(appends(k, few, bytes, UINT32_MAX));
    make_lengths(2, most);
    appends(k, most, bytes, UINT32_MAX);
    assert_true(appends(k, few, bytes, UINT32_MAX));
}

static void test_appends_find_too_little(void **state)
{
    static const char *const cases[][2] = {{"spread", "reduce_then_scan"}, {"spread", "lookback"},
                                           {"spread", "chained_scan"},     {"spread_no_more", "reduce_then_scan"},
                                           {"spread_no_more", "lookback"}, {"spread_no_more", "chained_scan"},
                                           {"strewn", "block_atomic"}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        if (!has_strategy(cases[c][0], cases[c][1])) continue;
        loaded k = load_strategy(cases[c][0], cases[c][1]);
        check_append(&k);
        msw_kernel_destroy(k.kernel);
    }
}

static void test_scratch_of_sorts_initialised_in_part(void **state)
{
    loaded k = load_strategy("pairs", "onesweep");
    (void)state;
    check_part(&k, 13 * k.tile + 5, 0);
    msw_kernel_destroy(k.kernel);
}

/* A plan of some first launches of a sort, as where the driver fails before the others, on the whole sort's scratch. */
static loaded load_part(const loaded *whole, uint32_t launches)
{
    const msw_target *target = &msw_context_device(context)->target;
    const msw_knob knobs[] = {{"block", "64"}, {"strategy", "onesweep"}, {"blocks", "7"}};
    const msw_program_desc desc = {.struct_size = sizeof desc, .op = whole->op, .target = target, .knobs = knobs, .knob_count = 3};
    msw_program *program;
    loaded k = *whole;
    msw_diag diag;
    check(msw_program_create(spec, &desc, &program, &diag), &diag);
    check(msw_program_compile(program, &diag), &diag);
    msw_plan plan = *msw_program_plan(program);
    for (uint32_t v = 0; v < plan.variant_count; v++) {
        msw_plan_variant *variant = &plan.variants[v];
        if (launches < variant->step_count) variant->step_count = launches;
        else plan.steps[variant->first_step + 2].repeats = launches - 3; /* passes */
    }
    check(msw_kernel_load(context, &plan, &k.kernel, &diag), &diag);
    k.plan = msw_kernel_plan(k.kernel);
    msw_program_destroy(program);
    return k;
}

static void test_sort_after_part(void **state)
{
    static const uint32_t flags[] = {0, MSW_IN_PLACE, MSW_PING_PONG};
    loaded k = load_strategy("pairs", "onesweep");
    const uint64_t n = 9 * k.tile + 3, bytes = msw_scratch_bytes(k.plan, n);
    (void)state;
    spoil_scratch(UINT32_MAX);
    run_in(&k, n, MSW_SCRATCH_DIRTY, bytes, 0);
    for (uint32_t launches = 1; launches <= 5; launches++) {
        loaded part = load_part(&k, launches);
        for (uint32_t f = 0; f < 3; f++) {
            const msw_enqueue_desc desc = describe_in(&k, n - f * k.tile, flags[f], bytes);
            fill(launches);
            for (uint32_t again = 0; again <= f; again++) run(&part, &desc);
            run_in(&k, n, flags[(f + launches) % 3], bytes, 0);
        }
        msw_kernel_destroy(part.kernel);
    }
    msw_kernel_destroy(k.kernel);
}

#define SCRATCH_CASES \
    cmocka_unit_test(test_scratch_initialised_in_part), cmocka_unit_test(test_dirty_scratch), cmocka_unit_test(test_segments_find_too_little)
#define SCRATCH_CASES_OF_SORTS                                                                                       \
    cmocka_unit_test(test_ping_pong_after_others), cmocka_unit_test(test_sort_after_part),                           \
        cmocka_unit_test(test_scratch_of_sorts_initialised_in_part), cmocka_unit_test(test_appends_find_too_little), \
        cmocka_unit_test(test_dirty_scratch_of_sorts)

#endif
