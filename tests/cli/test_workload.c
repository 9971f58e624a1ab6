/* What bench and tune measure (gen/cli/measure/workload.c): which results they believe where the oracle would take too long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "workload_fixture.h"

#include <string.h>

enum { FEW = 1000, MANY = 4000 }; /* the oracle is asked for FEW */

static ms_workload *open_known(const char *text)
{
    ms_workload *s = open_text(text, MANY);
    msw_diag diag;
    for (int w = 0; w < 2; w++) assert_non_null(ms_workload_add_kernel(s, "way", NULL, 0, &diag));
    assert_int_equal(ms_workload_expect(s, FEW, 1), MS_EXIT_DONE);
    ms_way_verify(s, &s->ways[0], FEW, 1);
    assert_string_equal(s->ways[0].result, "verified");
    s->expect_seconds = 2; /* as if it had taken long */
    return s;
}

/* Both ways get these results for MANY elements, of which one is spoilt on the device. */
static void expect_results(ms_workload *s, uint64_t spoilt, const char *first, const char *second)
{
    const uint32_t other = 0;
    msw_diag diag;
    assert_int_equal(msw_buffer_write(s->buffers[0], 0, s->inputs[0].data, MANY * 4, &diag), MSW_OK);
    if (spoilt < MANY) assert_int_equal(msw_buffer_write(s->buffers[0], spoilt * 4, &other, 4, &diag), MSW_OK);
    assert_int_equal(ms_workload_expect(s, MANY, 1), MS_EXIT_DONE);
    ms_way_verify(s, &s->ways[0], MANY, 1);
    assert_string_equal(s->ways[0].result, first);
    ms_way_verify(s, &s->ways[1], MANY, 1);
    assert_string_equal(s->ways[1].result, second);
}

/* A scan's first results are compared with what the oracle gave for fewer elements. */
static void test_first_results(void **state)
{
    (void)state;
    ms_workload *s = open_known("return scan { monoid = sum(u32) }");
    expect_results(s, MANY, "unchecked", "agrees");
    expect_results(s, 0, "wrong", "wrong");
    expect_results(s, FEW - 1, "wrong", "wrong");
    expect_results(s, FEW, "unchecked", "agrees"); /* so much is not known */
    expect_results(s, MANY, "unchecked", "agrees");
    close_workload(s);
}

/* Of others fewer elements say nothing. */
static void test_others(void **state)
{
    static const char *const texts[] = {"return scan { monoid = sum(u32), reverse = true }", "return reduce { monoid = sum(u32) }",
                                        "return sort { key = u32 }"};
    (void)state;
    for (int t = 0; t < 3; t++) {
        ms_workload *s = open_known(texts[t]);
        expect_results(s, MANY, "unchecked", "agrees");
        close_workload(s);
    }
}

/* Shares of memcpy are of the faster copy, whichever that is; of what was not timed, or copies nothing, none are. */
static void test_copies(void **state)
{
    static const double cases[][3] = {{2, 3, 2}, {3, 2, 2}, {2, 0, 2}, {0, 3, 3}, {0, 0, 0}};
    static ms_workload s = {.way_count = 3, .ways = {{.kind = MS_WAY_MEMCPY}, {.kind = MS_WAY_MEMCPY}, {.kind = MS_WAY_KERNEL, .median = 1}}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        s.ways[0].median = cases[c][0];
        s.ways[1].median = cases[c][1];
        assert_true(ms_workload_copy_seconds(&s) == cases[c][2]);
    }
}

/* Small shares keep their digits: what is slow is no flat line. */
static void test_shares(void **state)
{
    static const struct {
        double seconds;
        const char *share;
    } cases[] = {{1, ",95.1,"}, {10, ",9.51,"}, {1e4, ",0.00951,"}};
    char *text;
    size_t bytes;
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        FILE *file = open_memstream(&text, &bytes);
        assert_non_null(file);
        ms_write_csv_row(file, &(ms_row){.device = "d",
                                         .kind = "scan",
                                         .name = "s",
                                         .variant = "v",
                                         .result = "-",
                                         .n = 1,
                                         .rounds = 1,
                                         .seconds = cases[c].seconds,
                                         .bytes = 95.1,
                                         .memcpy_rate = 100});
        assert_int_equal(fclose(file), 0);
        if (!strstr(text, cases[c].share)) fail_msg("%s: not %s", text, cases[c].share);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first_results), cmocka_unit_test(test_others), cmocka_unit_test(test_copies),
                                       cmocka_unit_test(test_shares)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
