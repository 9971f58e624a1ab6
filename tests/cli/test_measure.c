/* What bench and tune believe of times (gen/cli/measure/measure.c), on times that are made up: when a device is warm, what is steady, and what is
 * faster. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "cli/measure/measure.h"

static uint64_t seed = 1;

/* 0 .. 1, the same numbers on every machine. */
static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

/* 1, give or take `share`, which is the standard deviation; once in 20 times half as much again, as where something else runs. */
static double noise(double share)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += uniform();
    return (1 + share * sum) * (uniform() < 0.05 ? 1.5 : 1);
}

/* ---- warming up ---- */

/* Seconds until it is called steady, of passes of a millisecond and 10 % between them, by what a pass takes at a time; 10: never. */
static double settle(double (*seconds_at)(double now))
{
    ms_warming warming = {0};
    double now = 100;
    ms_warming_add(&warming, now, 0);
    while (now < 110) {
        const double seconds = seconds_at(now - 100);
        now += 1.1e-3;
        if (ms_warming_add(&warming, now, seconds)) return now - 100;
    }
    return 10;
}

static double level(double now) { return (void)now, 1e-3 * noise(0.03); }
/* The clock rises in steps within a second: a copy takes 636 us, then 265. */
static double rising_clock(double now) { return (now < 0.25 ? 636e-6 : now < 0.5 ? 420e-6 : now < 0.75 ? 300e-6 : 265e-6) * noise(0.01); }
static double slow_ramp(double now) { return 1e-3 * (now < 3 ? 2 - now / 3 : 1) * noise(0.005); }
/* It falls again whenever little happens. */
static double two_clocks(double now) { return (fmod(now, 0.2) < 0.1 ? 636e-6 : 265e-6) * noise(0.01); }
static double falling_clock(double now) { return now < 0.12 ? 265e-6 : 636e-6; }

static void test_warming(void **state)
{
    (void)state;
    const double still = settle(level), risen = settle(rising_clock), ramp = settle(slow_ramp), flips = settle(two_clocks),
                 fallen = settle(falling_clock);
    print_message("steady after %.2f s; rising clock %.2f, slow ramp %.2f, two clocks %.2f, falling %.2f\n", still, risen, ramp, flips, fallen);
    assert_true(still < 0.5);
    assert_true(risen > 0.75 && risen < 1.3);
    assert_true(ramp > 2.5 && ramp < 4);
    assert_true(flips == 10);
    assert_true(fallen > 0.4 && fallen < 0.6);
}

/* One pass may take as long as all of warming up: the next says whether the first was slow. */
static void test_long_passes(void **state)
{
    ms_warming warming = {0};
    (void)state;
    ms_warming_add(&warming, 0, 0);
    assert_false(ms_warming_add(&warming, 2, 1.9));
    assert_false(ms_warming_add(&warming, 3, 1));
    assert_true(ms_warming_add(&warming, 4, 1.01));
}

typedef struct passes {
    int count;
    double seconds;
} passes;

static double run_pass(void *user)
{
    passes *p = user;
    const double start = ms_now();
    p->count++;
    while (ms_now() - start < 2e-3) {}
    p->seconds *= 0.98;
    return p->seconds;
}

static void test_budget(void **state)
{
    passes falling = {0, 1}, none = {0, 0};
    (void)state;
    assert_int_equal(ms_warm_up(run_pass, &falling, 0.3), 0); /* it goes on falling */
    assert_true(falling.count > 10);
    assert_int_equal(ms_warm_up(run_pass, &none, 100), 1); /* there is nothing to run */
    assert_int_equal(none.count, 1);
}

static void test_spread(void **state)
{
    const double steady[] = {0.98, 0.99, 1, 1, 1, 1, 1.01, 1.5}, two[] = {265, 265, 266, 267, 630, 636, 636, 637}, few[] = {1, 2, 3};
    (void)state;
    assert_true(ms_spread(steady, 8) < ms_most_spread);
    assert_true(ms_spread(two, 8) > ms_most_spread);
    assert_true(ms_spread(few, 3) == 0);
    assert_true(ms_spread(few, 0) == 0);
}

/* ---- what is faster ---- */

enum { ROUNDS = 31, TRIALS = 2000 };

typedef struct machine {
    double gain;         /* of the second over the first */
    double share;        /* of noise */
    double drift;        /* how many times as slow it is in the beginning */
    double order_effect; /* who comes second takes this much longer */
} machine;

/* A row is kept when two measurements of their own are sure of it (gen/cli/command/tune.c). */
static int is_kept(const machine *m)
{
    for (int session = 0; session < 2; session++) {
        double times[2][ROUNDS];
        for (uint32_t r = 0; r < ROUNDS; r++)
            for (uint32_t i = 0; i < 2; i++) {
                const uint32_t way = ms_turn(r, i, 2);
                const double clock = m->drift + (1 - m->drift) * r / ROUNDS;
                times[way][r] = 1e-3 * clock * noise(m->share) * (way ? 1 / m->gain : 1) * (i ? m->order_effect : 1);
            }
        const ms_gain gain = ms_gain_of(times[0], times[1], ROUNDS);
        assert_true(gain.low <= gain.median && gain.median <= gain.high);
        if (!ms_gain_is_sure(&gain, 1.02)) return 0;
    }
    return 1;
}

static double share_kept(machine m)
{
    int kept = 0;
    for (int trial = 0; trial < TRIALS; trial++) kept += is_kept(&m);
    return (double)kept / TRIALS;
}

static void test_gain(void **state)
{
    static const struct {
        machine machine;
        double least, most; /* share of the trials that keep */
    } cases[] = {
        {{1, 0.003, 1, 1}, 0, 0.0005},    {{1, 0.02, 1, 1}, 0, 0.001},
        {{1, 0.1, 1, 1}, 0, 0.002},       {{1, 0.02, 2, 1}, 0, 0.001},
        {{1, 0.005, 1, 1.05}, 0, 0.0005}, {{1.03, 0.003, 1, 1}, 0.99, 1},
        {{1.03, 0.01, 1, 1}, 0.9, 1},     {{1.03, 0.01, 2, 1}, 0.9, 1},
        {{1.05, 0.02, 1, 1}, 0.95, 1},    {{1.2, 0.05, 1.5, 1.03}, 0.99, 1},
        {{0.97, 0.02, 1, 1}, 0, 0.0005},  {{1, 0.005, 1, 0.95}, 0, 0.0005}, /* who comes second is faster: both do, by turns */
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const machine *m = &cases[c].machine;
        const double kept = share_kept(*m);
        print_message("%4.2f times as fast, noise %4.1f %%, drift %g, order %g: %.2f %% kept\n", m->gain, 100 * m->share, m->drift, m->order_effect,
                      100 * kept);
        assert_true(kept >= cases[c].least && kept <= cases[c].most);
    }
}

/* Few rounds are sure of nothing, and the interval is missed as seldom as it says. */
static void test_interval(void **state)
{
    double a[MS_MAX_ROUNDS], b[MS_MAX_ROUNDS];
    int missed = 0;
    (void)state;
    for (int r = 0; r < MS_MAX_ROUNDS; r++) a[r] = 2, b[r] = 1;
    assert_true(ms_gain_of(a, b, 7).low == 0 && ms_gain_of(a, b, 8).low == 2 && ms_gain_of(a, b, 8).high == 2);
    assert_true(ms_gain_of(a, b, 0).low == 0 && ms_gain_of(a, b, MS_MAX_ROUNDS).low == 2);
    b[3] = 0; /* a run without a time */
    assert_true(ms_gain_of(a, b, 8).low == 0 && ms_gain_of(a, b, 9).median == 2);
    for (int trial = 0; trial < 10000; trial++) {
        for (int r = 0; r < 15; r++) a[r] = noise(0.1), b[r] = noise(0.1);
        const ms_gain gain = ms_gain_of(a, b, 15);
        missed += gain.low > 1 || gain.high < 1;
    }
    print_message("%d of 10000 intervals are beside the truth\n", missed);
    assert_true(missed < 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_warming), cmocka_unit_test(test_long_passes), cmocka_unit_test(test_budget),
        cmocka_unit_test(test_spread),  cmocka_unit_test(test_gain),        cmocka_unit_test(test_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
