/* Sorts on a device against the oracle: keys and values of every kind, at the sizes where a kernel goes another way; outputs that are not given,
 * in place, ping-pong, n on the device, and one scratch for many launches. An argument is a filter of tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sorter.h"

#include <unistd.h>

enum { MILLION = 1000003 };

/* ---- keys and values ---- */

/* Small tiles and digits: unrolled loops over a tile's items and a digit's bins take a driver's compiler most of the time. */
static void test_every_operation(void **state)
{
    (void)state;
    random_state = 31;
    for (uint32_t op = 0; op < msw_spec_op_count(spec); op++) {
        msw_op_info info = {.struct_size = sizeof info};
        assert_int_equal(msw_spec_op(spec, op, &info), MSW_OK);
        check_operation(info.name, info.buffers[0].type.size_bytes % 4 ? "items=4 vector=4 digit_bits=4" : "items=2 vector=2 digit_bits=4");
    }
}

/* As devices run them. */
static void test_defaults(void **state)
{
    (void)state;
    random_state = 32;
    check_operation("u8_up", "");
    check_operation("splat", "");
    if (is_left_out()) return;
    sorter s = open_sorter("f32_down", "", 0, MILLION);
    run_pattern(&s, MILLION, RANDOM, 0);
    run_pattern(&s, MILLION, AND_OF_5, 0);
    for (uint64_t n = 1000; n < MILLION; n = n * 7 / 4 + 1)
        run_pattern(&s, n, n % 3 ? RANDOM : AND_OF_5, n % 2 ? KEYS_IN_PLACE : 0); /* all strategies */
    close_sorter(&s);
}

static void test_outputs_not_given(void **state)
{
    static const int ways[] = {NO_KEYS, NO_VALUES, NO_KEYS | NO_VALUES};
    (void)state;
    random_state = 37;
    check_ways("splat", "strategy=onesweep items=4 vector=4 digit_bits=5", ways, 3); /* 10 passes */
    check_ways("u16_up", "items=4 vector=4 digit_bits=6", ways, 3);                  /* 3 passes */
    check_ways("u8_up", "strategy=onesweep items=4 vector=4 digit_bits=3", ways, 3); /* keys alone */
    check_ways("mapped", "strategy=onesweep items=4 vector=4 digit_bits=6", ways, 3);
}

/* With an odd number of passes that must run, one more does. */
static void test_in_place(void **state)
{
    static const int ways[] = {
        KEYS_IN_PLACE, VALUES_IN_PLACE, KEYS_IN_PLACE | VALUES_IN_PLACE, NO_KEYS | VALUES_IN_PLACE, KEYS_IN_PLACE | NO_VALUES, 0};
    static const int keys_alone[] = {KEYS_IN_PLACE, 0};
    (void)state;
    random_state = 38;
    check_ways("i64_down", "strategy=onesweep items=4 vector=4 digit_bits=8", ways, 6);    /* 8 passes */
    check_ways("u16_up", "strategy=onesweep items=4 vector=4 digit_bits=6", ways, 6);      /* 3 */
    check_ways("bytes7", "items=4 vector=4 digit_bits=8", ways, 6);                        /* 2 */
    check_ways("u8_up", "strategy=onesweep items=4 vector=4 digit_bits=8", keys_alone, 2); /* 1 */
}

/* Inputs and outputs take turns, and the scratch has less to hold. */
static void check_turns(const char *op, const char *knobs, int ends_in_inputs)
{
    static const int turns[] = {TURNS};
    sorter s = open_sorter(op, knobs, 3, 0);
    assert_int_equal(msw_ends_in_inputs(s.plan, s.n_bound), ends_in_inputs);
    assert_in_range(msw_scratch_bytes_ping_pong(s.plan, s.n_bound), 1, msw_scratch_bytes(s.plan, s.n_bound) - s.n_bound * bytes_of(&s, 0));
    close_sorter(&s);
    check_ways(op, knobs, turns, 1);
}

static void test_ping_pong(void **state)
{
    msw_diag diag;
    (void)state;
    random_state = 41;
    check_turns("i64_down", "items=4 vector=4 digit_bits=8", 1);                /* 8 passes */
    check_turns("u16_up", "items=4 vector=4 digit_bits=6", 0);                  /* 3 */
    check_turns("u8_up", "strategy=onesweep items=4 vector=4 digit_bits=8", 0); /* 1 */
    sorter s = open_sorter("splat", "items=4 vector=4 digit_bits=5", 3, 0);
    msw_enqueue_desc desc = describe(&s, s.tile, 0);
    desc.flags = MSW_PING_PONG;
    assert_int_equal(msw_ends_in_inputs(s.plan, s.tile), -1);
    assert_int_equal(msw_kernel_run(s.kernel, &desc, NULL, &diag), MSW_ERROR_UNSUPPORTED);
    assert_non_null(strstr(diag.message, "leave out MSW_PING_PONG"));
    close_sorter(&s);
    s = open_sorter("u16_up", "items=4 vector=4 digit_bits=6", 3, 0);
    desc = describe(&s, s.tile, NO_VALUES);
    desc.flags = MSW_PING_PONG | MSW_SCRATCH_DIRTY;
    assert_int_equal(msw_kernel_run(s.kernel, &desc, NULL, &diag), MSW_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(diag.message, "'values_out' has no address"));
    close_sorter(&s);
}

/* Keys where the values were, and the other way round. */
static void test_crosswise(void **state)
{
    sorter s = open_sorter("bytes7", "items=4 vector=4 digit_bits=8", 6, 0);
    const uint64_t n = 5 * s.tile + 1, bytes = bytes_of(&s, 0);
    msw_enqueue_desc desc = describe(&s, n, KEYS_IN_PLACE | VALUES_IN_PLACE);
    msw_diag diag;
    (void)state;
    make_inputs(&s, n, RANDOM);
    evaluate(&s, n);
    desc.buffers[s.keys_out] = desc.buffers[s.values];
    desc.buffers[s.values_out] = desc.buffers[0];
    desc.flags |= MSW_SCRATCH_DIRTY;
    for (int b = 0; b <= s.values; b++) upload(&s, b, host[b], n * bytes);
    check(msw_kernel_run(s.kernel, &desc, NULL, &diag), &diag);
    check(msw_buffer_read(device[s.values], offset_of(&s, s.values), host[0], n * bytes, &diag), &diag);
    assert_memory_equal(host[0], expected[s.keys_out], (size_t)(n * bytes));
    check(msw_buffer_read(device[0], offset_of(&s, 0), host[0], n * bytes, &diag), &diag);
    assert_memory_equal(host[0], expected[s.values_out], (size_t)(n * bytes));
    close_sorter(&s);
}

static void test_n_on_the_device(void **state)
{
    static const int ways[] = {N_FROM_ADDRESS, N_FROM_ADDRESS | KEYS_IN_PLACE, N_FROM_ADDRESS | NO_KEYS};
    (void)state;
    random_state = 39;
    check_ways("range", "items=4 vector=4 digit_bits=3", ways, 3);
    sorter s = open_sorter("range", "items=4 vector=4 digit_bits=3", 3, 0);
    run_pattern(&s, s.n_bound, RANDOM, N_FROM_ADDRESS | N_BEYOND_BOUND);
    close_sorter(&s);
}

/* A scratch of more than 4 GiB: where keys and values lie there follows from the bound. For devices that have the memory. */
static void test_large_scratch(void **state)
{
    const msw_device_info *info = msw_context_device(context);
    (void)state;
    if (info->target.is_cpu && !getenv("MSW_TEST_LARGE")) return; /* 8 GiB of memory are touched */
    if (info->memory_bytes < (uint64_t)1 << 34 || info->max_allocation_bytes < (uint64_t)5 << 30) return;
    random_state = 41;
    sorter s = open_sorter("f32_down", "items=4 vector=4 digit_bits=6", 0, (uint64_t)1 << 28);
    assert_true(msw_scratch_bytes(s.plan, s.n_bound) > (uint64_t)1 << 32);
    run_pattern(&s, 5 * s.tile + 1, RANDOM, N_FROM_ADDRESS);
    run_pattern(&s, 9 * s.tile, AND_OF_5, N_FROM_ADDRESS | NO_KEYS);
    close_sorter(&s);
}

/* One scratch, made ready once: sizes grow and shrink, so that old posts, keys and values lie about. */
static void test_many_launches(void **state)
{
    static const char *const operations[] = {"range", "i64_down"};
    (void)state;
    random_state = 40;
    for (int o = 0; o < 2; o++) {
        if (is_left_out()) continue;
        sorter s = open_sorter(operations[o], "items=4 vector=4 digit_bits=7", 40, 0);
        for (int launch = 0; launch < 100; launch++) {
            const uint64_t bound = s.n_bound >> draw() % 8;
            run_pattern(&s, draw() % (bound + 1), launch % 3 ? SMALL : (pattern)(launch % PATTERNS),
                        launch % 5 == 4   ? KEYS_IN_PLACE
                        : launch % 7 == 6 ? N_FROM_ADDRESS
                                          : 0);
        }
        close_sorter(&s);
    }
}

/* Two processes on one device, at the same time. */
static void test_two_processes(void **state)
{
    char path[512], command[600], line[512];
    FILE *children[2];
    if (is_left_out()) return;
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    (void)state;
    assert_true(length > 0);
    path[length] = '\0';
    snprintf(command, sizeof command, "'%s' test_many_launches 2>&1", path);
    for (int c = 0; c < 2; c++) assert_non_null(children[c] = popen(command, "r"));
    for (int c = 0; c < 2; c++) {
        int has_run = 0;
        while (fgets(line, sizeof line, children[c])) has_run |= strstr(line, "[       OK ] test_many_launches") != NULL;
        assert_int_equal(pclose(children[c]), 0);
        assert_true(has_run);
    }
}

/* ---- what is refused ---- */

static void refuse(const sorter *s, const msw_enqueue_desc *desc, msw_result code, const char *words)
{
    msw_diag diag = {0};
    assert_int_equal(msw_kernel_run(s->kernel, desc, NULL, &diag), code);
    if (!strstr(diag.message, words)) fail_msg("'%s' is not in '%s'", words, diag.message);
}

static void test_misuse(void **state)
{
    sorter s = open_sorter("segment", "strategy=onesweep items=1 vector=1 digit_bits=4", 4, 0); /* aligned to more than a byte on every device */
    const msw_enqueue_desc good = describe(&s, s.tile, 0);
    msw_enqueue_desc desc = good;
    (void)state;
    for (int b = 0; b < 4; b++) {
        desc.buffers[b] += 1;
        refuse(&s, &desc, MSW_ERROR_INVALID_ARGUMENT, "not aligned to");
        desc = good;
    }
    desc.buffers[s.values] = 0;
    refuse(&s, &desc, MSW_ERROR_INVALID_ARGUMENT, "input 'values' has no address");
    desc.buffers[s.values_out] = 0; /* values are an input whether they are moved or not */
    refuse(&s, &desc, MSW_ERROR_INVALID_ARGUMENT, "input 'values' has no address");
    desc = good, desc.buffers[s.keys_out] = desc.buffers[0];
    refuse(&s, &desc, MSW_ERROR_INVALID_ARGUMENT, "set MSW_IN_PLACE");
    desc.flags = MSW_IN_PLACE, desc.buffers[s.keys_out] += s.plan->buffers[s.keys_out].alignment_bytes;
    refuse(&s, &desc, MSW_ERROR_INVALID_ARGUMENT, "share memory");
    desc = good, desc.flags = MSW_IN_PLACE, desc.buffers[s.values_out] = desc.buffers[s.keys_out];
    refuse(&s, &desc, MSW_ERROR_INVALID_ARGUMENT, "share memory");
    desc = good, desc.n = s.plan->variants[s.plan->variant_count - 1].n_max + 1;
    refuse(&s, &desc, MSW_ERROR_UNSUPPORTED, "serves up to");
    desc = good, desc.scratch_bytes = msw_scratch_bytes(s.plan, s.tile) - 1;
    refuse(&s, &desc, MSW_ERROR_TOO_SMALL, "of scratch");
    desc = good, desc.scratch += 8;
    refuse(&s, &desc, MSW_ERROR_INVALID_ARGUMENT, "not aligned");
    desc = good, desc.carry_in = desc.buffers[0] & ~(uint64_t)15;
    refuse(&s, &desc, MSW_ERROR_INVALID_ARGUMENT, "has no carry");
    close_sorter(&s);
}

static void test_validation_was_silent(void **state)
{
    (void)state;
    assert_int_equal(validation_messages, 0);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_operation), cmocka_unit_test(test_defaults),      cmocka_unit_test(test_outputs_not_given),
        cmocka_unit_test(test_in_place),        cmocka_unit_test(test_ping_pong),     cmocka_unit_test(test_crosswise),
        cmocka_unit_test(test_n_on_the_device), cmocka_unit_test(test_large_scratch), cmocka_unit_test(test_many_launches),
        cmocka_unit_test(test_two_processes),   cmocka_unit_test(test_misuse),        cmocka_unit_test(test_validation_was_silent)};
    if (count > 1) cmocka_set_test_filter(arguments[1]);
    return cmocka_run_group_tests(tests, open_all, close_all);
}
