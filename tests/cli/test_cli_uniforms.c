/* --uniform: values of every kind, what is refused, files in its place; verified results, and benches with it. */
#include "cli_driver.h"

#define BIAS "struct 'Bias' { {'level', u8}, {'shift', i16}, {'way', vec(f32, 2)}, {'wide', u64}, {'small', f16}, {'long', f64}, {'low', i64} }"

static const uint32_t numbers[5] = {7, 2, 5, 8, 1};

static int set_up(void **state)
{
    static const uint64_t two = 2;
    (void)state;
    enter_directory("test_cli_uniforms.files");
    make_text("over.lua", "local limit, unused = uniform('limit', u64), uniform('unused', u32)\n"
                          "return { compact { name = 'over', input = u32, keep = function(x) return gt(u64(x), limit) end },\n"
                          "  reduce { name = 'total', monoid = sum(u32), output = function(s) return s + u32(limit) end } }");
    make_text("some.lua",
              "local limit = uniform('limit', u32)\nreturn { map { name = 'a', input = u32, output = function(x) return x + limit end },\n"
              "  compact { name = 'b', input = u32, keep = function(x) return gt(x, 3) end } }");
    make_text("bias.lua", "local bias = uniform('bias', " BIAS ")\nreturn map { input = u32, output = function(x) return bias end }");
    make_text("weighed.lua",
              "local weight = uniform('weight', f32)\n"
              "return scan { monoid = sum(f32), map = function(x) return x * weight end, output = function(s) return s / weight end }");
    make_text("wrong.lua", "local weight = uniform('weight', f32)\nreturn reduce { monoid = sum(f32), output = function(s) return s + weight end,\n"
                           "  map = source { glsl = 'return x * 1.5;', host = function(x) return x end } }");
    make_text("hidden.lua", "local weight = uniform('weight', f32)\nreturn map { input = f32, output = source { glsl = 'return x;', type = f32,\n"
                            "  parameters = { 'x' }, host = function(x) return x * weight end } }");
    make_file("in.bin", numbers, sizeof numbers);
    make_file("two.bin", &two, sizeof two);
    make_file("pair.bin", numbers, 16);
    return 0;
}

static void test_values(void **state)
{
    static const uint32_t over[3] = {7, 5, 8}, total = 23 + 0x163;
    (void)state;
    expect("run over.lua --op over --quiet --device host --input in=in.bin --uniform limit=2 --output out=a.bin --verify", 0, "", "");
    expect_file("a.bin", over, sizeof over);
    expect("run over.lua --op over --quiet --device host --input in=in.bin --input limit=two.bin --output out=b.bin --verify", 0, "", "");
    expect_file("b.bin", over, sizeof over);
    expect("run over.lua --op total --quiet --device host --input in=in.bin --uniform limit=0x163 --output out=c.bin", 0, "", "");
    expect_file("c.bin", &total, sizeof total);
    expect("run over.lua --op over --quiet --device vulkan --input in=in.bin --uniform limit=18446744073709551615 --output out=d.bin --verify", 0, "",
           "");
    expect_file("d.bin", over, 0);
}

static void test_structs(void **state)
{
    struct {
        uint8_t level;
        int16_t shift;
        float way[2];
        uint64_t wide;
        uint16_t small;
        double late;
        int64_t low;
    } bias[5];
    (void)state;
    memset(bias, 0, sizeof bias);
    for (int i = 0; i < 5; i++) {
        bias[i].level = 255, bias[i].shift = -32768, bias[i].way[0] = -0.5f, bias[i].way[1] = 1e-40f;
        bias[i].wide = UINT64_MAX, bias[i].small = 0x3555, bias[i].late = 0.1, bias[i].low = INT64_MIN;
    }
    expect("run bias.lua --quiet --device host --input in=in.bin --output out=e.bin"
           " --uniform bias=255,-32768,-0.5,1e-40,0xffffffffffffffff,0.33333,0.1,-9223372036854775808",
           0, "", "");
    expect_file("e.bin", bias, sizeof bias);
}

static void test_halves(void **state)
{
    static const struct {
        const char *text;
        uint16_t bits;
    } cases[] = {{"65504", 0x7bff},    {"65519.9", 0x7bff},       {"-0", 0x8000},        {"6e-8", 1},         {"2.9e-8", 0},   {"6.09e-5", 0x3fe},
                 {"6.1035e-5", 0x400}, {"1.00048828125", 0x3c00}, {"1.0014648", 0x3c01}, {"0.99976", 0x3c00}, {"inf", 0x7c00}, {"-inf", 0xfc00},
                 {"nan", 0x7e00}};
    char command[200];
    (void)state;
    make_text("half.lua", "local h = uniform('h', f16)\nreturn map { input = u32, output = function(x) return bitcast(u16, h) end }");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint16_t bits[5];
        for (int i = 0; i < 5; i++) bits[i] = cases[c].bits;
        snprintf(command, sizeof command, "run half.lua --quiet --device host --input in=in.bin --output out=h.bin --uniform h=%s", cases[c].text);
        expect(command, 0, "", "");
        expect_file("h.bin", bits, sizeof bits);
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *arguments, *err;
    } cases[] = {
        {"over.lua --op over --input in=in.bin", "over needs the uniform 'limit', u64; add --uniform limit=VALUE"},
        {"over.lua --op over --input in=in.bin --uniform limt=2", "--uniform limt=2: no operation here uses a uniform of that name"},
        {"over.lua --op over --input in=in.bin --uniform limit=2 --uniform unused=2", "--uniform unused=2: no operation here uses"},
        {"some.lua --op b --input in=in.bin --uniform limit=2",
         "--uniform limit=2: b does not use this uniform, others in the file do; leave it out"},
        {"over.lua --op over --input in=in.bin --uniform limit=2 --uniform limit=3", "--uniform limit: given twice"},
        {"over.lua --op over --input in=in.bin --uniform limit=2 --input limit=two.bin", "one value a uniform; leave one out"},
        {"over.lua --op over --input in=in.bin --uniform limit", "not of the form NAME=VALUE"},
        {"over.lua --op over --input in=in.bin --uniform limit=-1", "'-1' is out of the range of u64"},
        {"over.lua --op over --input in=in.bin --uniform limit=18446744073709551616", "is out of the range of u64"},
        {"over.lua --op over --input in=in.bin --uniform limit=1.5", "'1.5' is no value of u64; write a number"},
        {"over.lua --op over --input in=in.bin --uniform limit=0x", "'0x' is no value of u64"},
        {"over.lua --op over --input in=in.bin --uniform limit=2,3", "u64 takes 1 number, not 2"},
        {"over.lua --op over --input i=in.bin --uniform limit=2", "  --uniform limit=VALUE  u64"},
        {"bias.lua --input in=in.bin --uniform bias=1,2", "Bias takes 8 numbers, not 2; write them all, with commas between"},
        {"bias.lua --input in=in.bin --uniform bias=1,2,3,4,5,6,7,8,9", "Bias takes 8 numbers, not 9"},
        {"bias.lua --input in=in.bin --uniform bias=256,2,3,4,5,6,7,8", "'256' is out of the range of u8, field level"},
        {"bias.lua --input in=in.bin --uniform bias=1,-32769,3,4,5,6,7,8", "'-32769' is out of the range of i16, field shift"},
        {"bias.lua --input in=in.bin --uniform bias=1,2,,4,5,6,7,8", "'' is no value of f32, field way.x"},
        {"bias.lua --input in=in.bin --uniform bias=1,2,1e39,4,5,6,7,8", "'1e39' is out of the range of f32"},
        {"bias.lua --input in=in.bin --uniform bias=1,2,3,4,5,65520,7,8", "'65520' is out of the range of f16, field small"},
        {"bias.lua --input in=in.bin --uniform bias=1,2,3,4,5,6,1e999,8", "'1e999' is out of the range of f64, field long"},
        {"bias.lua --input in=in.bin --uniform bias=1,2,3,4,5,6,7,9223372036854775808", "is out of the range of i64, field low"},
    };
    char command[300];
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        snprintf(command, sizeof command, "run --device host --output out=no.bin %s", cases[c].arguments);
        expect_failure(command, 2, cases[c].err);
    }
    expect_failure("run over.lua --op over --device host --input in=in.bin --input limit=pair.bin --output out=no.bin", 1,
                   "'limit' is one element, not 2");
    expect_failure("run hidden.lua --device host --input in=in.bin --output out=no.bin", 3, "hidden.lua:3: a uniform has no value here");
    expect_failure("bench over.lua --device host --n 16 --uniform limt=2", 2, "no operation here uses a uniform of that name");
    expect_failure("bench over.lua --device host --n 16", 2, "over needs the uniform 'limit'");
    expect_failure("tune weighed.lua --device vulkan --tuning t.lua --budget 1", 2, "weighed needs the uniform 'weight'");
}

/* Of operations that are judged by bounds kernels are probed, with the uniforms' values. */
static void test_verified(void **state)
{
    (void)state;
    expect("run weighed.lua --quiet --device vulkan --input in=in.bin --uniform weight=0.37 --output out=f.bin --verify", 0, "", "");
    expect_failure("run wrong.lua --device vulkan --input in=in.bin --uniform weight=3 --output out=no.bin --verify", 1, "verification failed");
    cli_result result = run("bench some.lua --op b --device vulkan --n 64 --rounds 1");
    assert_int_equal(result.code, 0);
    assert_null(strstr(result.err.data, "block_atomic")); /* strategies of appends alone are none of its */
    drop(&result);
    expect("bench weighed.lua --device vulkan --n 4096 --rounds 3 --uniform weight=1.25 --csv -", 0, "verified", NULL);
}

/* Many more segments than elements: all blocks share those without elements (lavapipe ends a loop that is too long). */
static void test_segments_behind(void **state)
{
    enum { SEGMENTS = 1200000 };
    uint64_t *offsets = malloc((SEGMENTS + 1) * sizeof *offsets);
    uint32_t *sums = malloc(SEGMENTS * sizeof *sums);
    (void)state;
    assert_true(offsets && sums);
    for (uint32_t j = 0; j <= SEGMENTS; j++) offsets[j] = j > 2 ? 5 : 2 * j;
    for (uint32_t j = 0; j < SEGMENTS; j++) sums[j] = 3;
    sums[0] += 9, sums[1] += 13, sums[2] += 1;
    make_text("sums.lua", "return segmented_reduce { segments = 'offsets', monoid = sum(u32), init = 3 }");
    make_file("offsets.bin", offsets, (SEGMENTS + 1) * sizeof *offsets);
    expect("run sums.lua --quiet --device vulkan --set block=8 --input in=in.bin --input segments=offsets.bin --output out=sums.bin", 0, "", "");
    expect_file("sums.bin", sums, SEGMENTS * sizeof *sums);
    free(offsets);
    free(sums);
}

/* A pipeline has room for the segments that its spec says: with more of them the last one with room would have all that follows. */
static void test_most_segments(void **state)
{
    static const uint64_t offsets[6] = {0, 1, 2, 3, 4, 5}, full[5] = {0, 1, 1, 3, 5};
    static const uint32_t sums[4] = {7, 0, 7, 9};
    (void)state;
    make_text("most.lua", "return pipeline(function(p)\n"
                          "  local x, o = p.input('x', u32), p.input('o', u64, { segments = 4 })\n"
                          "  p.output('y', p.segmented_reduce { input = x, offsets = o, monoid = sum(u32) })\n"
                          "  p.output('s', p.segmented_scan { input = x, offsets = o, monoid = sum(u32) }) end)");
    make_file("six.bin", offsets, sizeof offsets);
    make_file("five.bin", full, sizeof full);
    expect("run most.lua --quiet --device vulkan --input x=in.bin --input o=five.bin --output y=sums.bin --verify", 0, "", "");
    expect_file("sums.bin", sums, sizeof sums);
    for (int host = 0; host < 2; host++) {
        char command[256];
        snprintf(command, sizeof command, "run most.lua --device %s --input x=in.bin --input o=six.bin --output y=no.bin --verify",
                 host ? "host" : "vulkan");
        expect_failure(command, 1, "six.bin: 5 segments, but the spec says that 'o' has at most 4; raise segments there");
    }
    expect("bench most.lua --device vulkan --n 4096 --rounds 1 --csv -", 0, "verified", NULL);
}

/* Of an output whose length a uniform says no more is written than there are elements; what does not fit is that array. */
static void test_scattered(void **state)
{
    (void)state;
    make_text("far.lua", "local len = uniform('len', u64)\n"
                         "return map { input = u32, outputs = { { 'y', at = function(x, i) return i end, value = function(x) return u8(x) end,\n"
                         "  length = len } } }");
    expect("run far.lua --quiet --json --device host --input in=in.bin --uniform len=1000000 --output y=y.bin", 0, ", \"bytes\": 33, ", "");
    expect("run far.lua --quiet --device host --input in=in.bin --uniform len=99999999999999999 --output y=y.bin", 1, NULL,
           "y: 99999999999999999 elements of 1 bytes do not fit this machine's memory; give it fewer\n");
    expect("bench far.lua --device host --n 4096 --rounds 1 --uniform len=1000000", 0, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values),    cmocka_unit_test(test_structs),      cmocka_unit_test(test_halves),
                                       cmocka_unit_test(test_refused),   cmocka_unit_test(test_verified),     cmocka_unit_test(test_segments_behind),
                                       cmocka_unit_test(test_scattered), cmocka_unit_test(test_most_segments)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
