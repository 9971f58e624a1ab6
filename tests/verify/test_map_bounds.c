/* Verification of maps, whose elements have bounds of their own: right results, whatever the device rounds, pass; one wrong element does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <monosweep/monosweep.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 5000 };

typedef struct subject {
    msw_spec *spec;
    msw_verification *verification;
    msw_verification_report report;
    float in[N], out[N];
} subject;

static void begin(subject *s, const char *text)
{
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text};
    msw_diag diag = {0};
    if (msw_spec_create(&desc, &s->spec, &diag)) fail_msg("%s", diag.message);
    const msw_verification_desc verification = {.struct_size = sizeof verification, .spec = s->spec, .backend = MSW_BACKEND_VULKAN};
    if (msw_verification_create(&verification, &s->verification, &diag)) fail_msg("%s", diag.message);
    for (int i = 0; i < N; i++) s->in[i] = ldexpf(1 + (float)(i * 7919 % 1000) / 1000, i % 40 - 20);
}

static uint32_t judge(subject *s)
{
    msw_diag diag = {0};
    if (msw_verification_expect(s->verification, N, (const void *[]){s->in}, &diag)) fail_msg("%s", diag.message);
    s->report = (msw_verification_report){.struct_size = sizeof s->report};
    if (msw_verification_judge(s->verification, (const void *[]){s->out}, NULL, &s->report, &diag)) fail_msg("%s", diag.message);
    return s->report.verdict;
}

static void end(subject *s)
{
    msw_verification_destroy(s->verification);
    msw_spec_destroy(s->spec);
}

/* Neighbours are 2^40 times as large: a bound that they shared would hide a loss. */
static void test_each_has_its_own_bound(void **state)
{
    static subject s;
    (void)state;
    begin(&s, "return map { input = f32, output = function(x) return 1 / sqrt(x) end }");
    assert_false(msw_verification_is_bitwise(s.verification));
    for (int i = 0; i < N; i++) s.out[i] = (float)(1 / sqrt((double)s.in[i])) * (1 + (float)(i % 3 - 1) * 0x1p-23f);
    assert_int_equal(judge(&s), MSW_VERIFIED);
    assert_null(strstr(s.report.text, "structure"));
    for (int i = 0; i < N; i += 39) {
        const float right = s.out[i];
        s.out[i] = 0;
        assert_int_equal(judge(&s), MSW_FAILED);
        assert_int_equal(s.report.fields[0].element, i);
        s.out[i] = right * (1 + 0x1p-16f);
        assert_int_equal(judge(&s), MSW_FAILED);
        s.out[i] = right;
    }
    end(&s);
}

/* Zeros and NaN that every device makes are told from others; what no rule of Vulkan bounds is not verified. */
static void test_edges(void **state)
{
    static subject s;
    (void)state;
    begin(&s, "return map { input = f32, output = function(x) return where(gt(x, 1), exp(x / 1024), 0) end }");
    for (int i = 0; i < N; i++) s.in[i] = i % 2 ? 2.0f : 0, s.out[i] = i % 2 ? (float)exp(2.0 / 1024) : 0;
    assert_int_equal(judge(&s), MSW_VERIFIED);
    s.out[4] = 1e-3f;
    assert_int_equal(judge(&s), MSW_FAILED);
    for (int i = 0; i < N; i++) s.in[i] = s.out[i] = NAN;
    for (int i = 0; i < N; i++) s.out[i] = 0;
    assert_int_equal(judge(&s), MSW_VERIFIED); /* NaN is not greater than 1 */
    end(&s);
    begin(&s, "return map { input = f32, output = function(x) return exp(x) end }");
    for (int i = 0; i < N; i++) s.in[i] = i == 9 ? NAN : 1, s.out[i] = i == 9 ? NAN : (float)exp(1.0);
    assert_int_equal(judge(&s), MSW_VERIFIED);
    s.out[9] = 1;
    assert_int_equal(judge(&s), MSW_FAILED);
    for (int i = 0; i < N; i++) s.in[i] = 1000, s.out[i] = INFINITY;
    assert_int_not_equal(judge(&s), MSW_FAILED);
    end(&s);
}

/* A remainder is a small difference of two numbers, of which one is rounded. */
static void test_remainder(void **state)
{
    static const char *const divisors[] = {"0.1", "0.3", "7"};
    static subject s;
    (void)state;
    for (int d = 0; d < 3; d++) {
        char text[128];
        const float divisor = strtof(divisors[d], NULL);
        snprintf(text, sizeof text, "return map { input = f32, output = function(x) return x %% %s end }", divisors[d]);
        begin(&s, text);
        for (int i = 0; i < N; i++) {
            s.in[i] = 0.5f + (float)(i * 7919 % 4000) / 3000;
            const float quotient = s.in[i] / divisor, product = floorf(quotient) * divisor;
            s.out[i] = s.in[i] - product;
        }
        if (judge(&s) != MSW_VERIFIED) fail_msg("%s: %s", text, s.report.text);
        s.out[7] += divisor * 0.01f;
        assert_int_equal(judge(&s), MSW_FAILED);
        end(&s);
    }
}

/* A device overflows where a wider number does not: nothing is known then, but where another branch is taken. */
static void test_overflow_between(void **state)
{
    static subject s;
    (void)state;
    begin(&s, "return map { input = f32, output = function(x) return exp(x) * 1e38 * 1e-30 end }");
    for (int i = 0; i < N; i++) s.in[i] = i % 20 ? 0.5f : 3, s.out[i] = i % 20 ? (float)(exp(0.5) * 1e8) : INFINITY;
    assert_int_equal(judge(&s), MSW_VERIFIED);
    end(&s);
    begin(&s, "return map { input = f32, output = function(x) return where(gt(x, 20), x, log(1 + exp(x))) end }");
    for (int i = 0; i < N; i++) s.in[i] = s.out[i] = 100 + (float)(i % 100);
    assert_int_equal(judge(&s), MSW_VERIFIED);
    s.out[N / 2] = INFINITY;
    assert_int_equal(judge(&s), MSW_FAILED);
    end(&s);
}

/* What every device computes alike is compared to the bit. */
static void test_promised_bits(void **state)
{
    static subject s;
    (void)state;
    begin(&s, "return map { input = f32, output = function(x, i) return x * 3 + f32(u32(i)) end }");
    assert_true(msw_verification_is_bitwise(s.verification));
    for (int i = 0; i < N; i++) {
        const float product = s.in[i] * 3;
        s.out[i] = product + (float)i;
    }
    assert_int_equal(judge(&s), MSW_VERIFIED);
    s.out[N - 1] = nextafterf(s.out[N - 1], INFINITY);
    assert_int_equal(judge(&s), MSW_FAILED);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_has_its_own_bound), cmocka_unit_test(test_edges), cmocka_unit_test(test_remainder),
                                       cmocka_unit_test(test_overflow_between), cmocka_unit_test(test_promised_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
