/* Specs read from text: golden vectors through the oracle, messages, the sandbox. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <monosweep/monosweep.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static msw_result read_spec(const char *text, msw_spec **spec, msw_diag *diag)
{
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text, .file = "test.lua"};
    return msw_spec_create(&desc, spec, diag);
}

static void check_u32(const char *text, const uint32_t *in, uint64_t n, const uint32_t *expected, uint64_t expected_n)
{
    uint32_t out[64] = {0};
    msw_spec *spec;
    msw_diag diag;
    if (read_spec(text, &spec, &diag)) fail_msg("%s", diag.message);
    assert_int_equal(msw_spec_evaluate(spec, 0, n, (const void *[]){in}, (void *[]){out}, NULL, NULL, NULL, &diag), MSW_OK);
    assert_memory_equal(out, expected, expected_n * sizeof *out);
    msw_spec_destroy(spec);
}

static void test_golden_vectors(void **state)
{
    static const uint32_t values[] = {7, 2, 5, 8, 1, 3, 4, 6}, counts[] = {3, 1, 0, 0, 4, 2, 1, 1}, digits[] = {14, 11, 16, 15}, more[] = {16, 11, 19, 10};
    (void)state;
    check_u32("return scan { monoid = sum(u32), kind = 'exclusive' }", values, 8, (uint32_t[]){0, 7, 9, 14, 22, 23, 26, 30}, 8);
    check_u32("return reduce { monoid = sum(u32) }", values, 8, (uint32_t[]){36}, 1);
    check_u32("return scan { monoid = minimum(u32) }", values, 8, (uint32_t[]){7, 2, 2, 2, 1, 1, 1, 1}, 8);
    check_u32("return scan { monoid = sum(u32), kind = 'exclusive' }", counts, 8, (uint32_t[]){0, 3, 4, 4, 4, 8, 10, 11}, 8);
    check_u32("return scan { monoid = sum(u32), kind = 'exclusive' }", digits, 4, (uint32_t[]){0, 14, 25, 41}, 4);
    check_u32("return scan { monoid = sum(u32), kind = 'exclusive' }", more, 4, (uint32_t[]){0, 16, 27, 46}, 4);
    check_u32("return scan { monoid = sum(u32), reverse = true, init = 1 }", values, 8, (uint32_t[]){37, 30, 28, 23, 15, 14, 11, 7}, 8);
    check_u32("return reduce { monoid = sum(u32), init = 5 }", values, 0, (uint32_t[]){5}, 1);
    check_u32("return reduce { monoid = argmin(u32), input = u32, map = function(x, i) return { x, u32(i) } end }", values, 8, (uint32_t[]){1, 4}, 2);
}

/* A wrong spec: its text, and what the message must hold. */
static const struct { const char *text, *expected; } wrong[] = {
    {"return 1", "returns number"},
    {"x = ", "test.lua:1:"},
    {"return scan { monoid = sum(u33) }", "test.lua:1:"},
    {"return scan { monoid = sum(u32), knd = 'exclusive' }", "did you mean 'kind'"},
    {"return scan { monoid = sum(u32), kind = 'sideways' }", "\"inclusive\" or \"exclusive\""},
    {"\nreturn scan { monoid = sum(u32), input = f32 }", "test.lua:2: scan: input is f32"},
    {"return monoid { type = u32, identity = 0, combine = function(a, b)\n return a - b end }", "returns table"},
    {"return scan { monoid = monoid { type = u32, identity = 0, combine = function(a, b) return a - b end } }", "combine(identity, a) == a"},
    {"return scan { monoid = monoid { type = u32, identity = 0, combine = function(a, b) if a < b then return a end return b end } }", "lt(a, b)"},
    {"return scan { monoid = monoid { type = u32, identity = 0, combine = function(a, b) return where(a == b, a, b) end } }", "eq(a, b)"},
    {"return scan { monoid = monoid { type = u8, identity = 256, combine = function(a, b) return a + b end } }", "out of the range of u8"},
    {"return scan { monoid = sum(u32), map = function(x) return f32(x) end }", "convert it, as in u32(x)"},
    {"return scan { monoid = sum(u32), map = function(x) return x + f32(1) end }", "u32 + f32"},
    {"return scan { monoid = sum(u32), map = function(x) return x.y end }", "no field 'y'"},
    {"return sort { key = u32 }", "not in this version"},
    {"spec_version(2)", "this version reads 1"},
    {"while true do end", "takes too long"},
    {"while true do pcall(function() while true do end end) end", "takes too long"},
    {"local s = ('x'):rep(1e9)", "more than 1 MiB"},
    {"return ('a'):rep(50000):find(('.-'):rep(20) .. 'b')", "may take too long"},
    {"local function f() return f() + 1 end return f()", "stack overflow"},
    {"local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(100000) .. i end", "more memory than its limit"},
    {"return io.open('x')", "test.lua:1:"},
    {"return require 'os'", "test.lua:1:"},
};

static void test_wrong_specs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        msw_spec *spec;
        msw_diag diag;
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        const msw_result result = read_spec(wrong[i].text, &spec, &diag);
        clock_gettime(CLOCK_MONOTONIC, &end);
        if (result == MSW_OK) fail_msg("accepted: %s", wrong[i].text);
        if (!strstr(diag.message, wrong[i].expected)) fail_msg("%s\n  gives: %s\n  expected: %s", wrong[i].text, diag.message, wrong[i].expected);
        assert_true(end.tv_sec - start.tv_sec < 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden_vectors), cmocka_unit_test(test_wrong_specs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
