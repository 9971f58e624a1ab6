/* Numbers for people: three digits, the unit that fits, in what run, bench and tune print. */
#include "cli_driver.h"

#include "units.h"

#include <ctype.h>
#include <math.h>

static void test_format(void **state)
{
    static const struct {
        double value;
        const char *unit, *text;
    } cases[] = {
        {0, "B/s", "0 B/s"},
        {0, "", "0"},
        {1, "B/s", "1.00 B/s"},
        {12.34, "keys/s", "12.3 keys/s"},
        {999.4, "B/s", "999 B/s"},
        {999.5, "B/s", "1.00 kB/s"},
        {1000, "", "1.00 k"},
        {1.5e6, "keys/s", "1.50 Mkeys/s"},
        {1.236e10, "B/s", "12.4 GB/s"},
        {4.8e12, "B/s", "4.80 TB/s"},
        {3e-9, "s", "3.00 ns"},
        {2.59e-4, "s", "259 us"},
        {9.996e-4, "s", "1.00 ms"},
        {0.0123, "s", "12.3 ms"},
        {26.059, "s", "26.1 s"},
        {0.5, "s", "500 ms"},
        {4e-11, "s", "0.04 ns"},
        {123456, "s", "123 ks"},
        {1e20, "B/s", "100000 PB/s"},
        {-1, "s", "0 s"},
    };
    char text[MS_UNIT_BYTES];
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) assert_string_equal(ms_format_unit(cases[c].value, cases[c].unit, text), cases[c].text);
    assert_string_equal(ms_format_unit((double)INFINITY, "B/s", text), "inf B/s");
    assert_string_equal(ms_format_unit((double)NAN, "B/s", text), "0 B/s");
}

/* No number of the text is a zero with digits behind its point. */
static void expect_no_useless_digits(const char *arguments, const char *text)
{
    for (const char *at = strstr(text, "0.0"); at; at = strstr(at + 1, "0.0"))
        if (at == text || (!isdigit((unsigned char)at[-1]) && at[-1] != '.')) fail_msg("%s: %.20s in:\n%s", arguments, at, text);
}

static void test_what_is_printed(void **state)
{
    static const char *const commands[] = {
        "run sum.lua --device host --input in=five.bin",      "run sum.lua --device vulkan --input in=five.bin",
        "run order.lua --device host --input keys=five.bin",  "bench sum.lua --device host --n 5,100 --rounds 3",
        "bench order.lua --device host --n 5,100 --rounds 3", "tune sum.lua --device vulkan --n 100 --budget 0.001",
    };
    (void)state;
    enter_directory("test_units.files");
    make_text("sum.lua", "return scan { name = 'sums', monoid = sum(u32) }");
    make_text("order.lua", "return sort { name = 'order', key = u32 }");
    make_file("five.bin", "12341234123412341234", 20);
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++) {
        cli_result result = run(commands[c]);
        if (result.code) show_and_fail(commands[c], &result, "wrong exit code");
        expect_no_useless_digits(commands[c], result.out.data);
        expect_no_useless_digits(commands[c], result.err.data);
        drop(&result);
    }
    expect(commands[0], 0, NULL, "B/s");
    expect(commands[2], 0, NULL, "keys/s");
    expect(commands[3], 0, ": bytes/s read and written, medians\n", NULL);
    make_file("none.bin", "", 0);
    cli_result empty = run("run sum.lua --device host --input in=none.bin");
    assert_null(strstr(empty.err.data, "B/s")); /* nothing was moved */
    drop(&empty);
    expect("run sum.lua --device host --json --quiet --input in=five.bin", 0, "\"gb_per_s\": ", NULL); /* programs get numbers */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_format), cmocka_unit_test(test_what_is_printed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
