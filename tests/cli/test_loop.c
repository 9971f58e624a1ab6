/* The plain C loop that bench compares devices with (gen/cli/measure/baseline_loop.c): of every operation of tests/corpus and examples it compiles
 * without a warning and does as the oracle does; compilers that are none; a loop that is wrong. */
#include "cli_driver.h"

#include "expr/expr.h"
#include "workload_fixture.h"

#include <math.h>

enum { N_MAX = 3000 };

static int set_up(void **state)
{
    (void)state;
    enter_directory("test_loop files"); /* a path with a blank in it */
    assert_int_equal(mkdir("temporary", 0700), 0);
    return setenv("TMPDIR", MSW_BINARY_DIR "/test_loop files/temporary", 1);
}

static void set_compiler(const char *command) { assert_int_equal(setenv("CC", command, 1), 0); }

/* A compiler of the test's own: a script. */
static void make_compiler(const char *script)
{
    make_text("compiler", script);
    assert_int_equal(chmod("compiler", 0700), 0);
    set_compiler("./compiler --with arguments");
}

/* ---- what it gives ---- */

static void expect_right(ms_workload *s)
{
    static const uint64_t sizes[] = {0, 1, 2, 257, N_MAX};
    msw_diag diag;
    ms_way *way = ms_workload_add_loop(s, "loop", &diag);
    if (s->info.stage_count) { /* refused, and said so */
        assert_null(way);
        assert_non_null(strstr(diag.message, "a pipeline has no loop in C"));
        return;
    }
    if (!way) fail_msg("%s: %s", s->info.name, diag.message);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_int_equal(ms_workload_expect(s, sizes[i], 1), MS_EXIT_DONE);
        ms_way_verify(s, way, sizes[i], 1);
        if (strcmp(way->result, s->info.is_bit_exact || sizes[i] < 257 ? "verified" : "verified in part"))
            fail_msg("%s, n = %d: %s", s->info.name, (int)sizes[i], way->result);
    }
}

/* Infinities, NaN and zeros of both signs among the floats. */
static void put_edges(ms_workload *s)
{
    static const double edges[] = {0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 2, 3, -1.5, 65504, 0x1p10};
    const msw_type_info *type = &s->info.buffers[0].type;
    uint32_t random = 1;
    for (uint64_t i = 0; i < N_MAX; i++)
        for (uint32_t l = 0; l < type->leaf_count; l++) {
            const msw_scalar scalar = type->leaves[l].scalar;
            random = random * 1664525u + 1013904223u;
            if (!ms_scalar_is_float(scalar) || !(random >> 31)) continue;
            ms_scalar_store(scalar, s->inputs[0].data + i * type->size_bytes + type->leaves[l].offset_bytes,
                            ms_scalar_from_double(scalar, edges[(random >> 8) % (sizeof edges / sizeof *edges)]));
        }
}

/* Words that are made of what floats round to: of quotients no more can be verified than that they are the oracle's, which this processor promises.
 * */
static void expect_words(ms_workload *s)
{
    static const uint64_t sizes[] = {1, 2, 257, N_MAX};
    const size_t bytes = s->info.buffers[1].type.size_bytes;
    msw_diag diag;
    ms_way *way = ms_workload_add_loop(s, "loop", &diag);
    if (!way) fail_msg("%s: %s", s->info.name, diag.message);
    put_edges(s);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint64_t n = sizes[i], length = s->info.buffers[1].length == MSW_LENGTH_ONE ? 1 : n;
        unsigned char *expected = calloc(length, bytes);
        assert_non_null(expected);
        assert_int_equal(ms_workload_expect(s, n, 1), MS_EXIT_DONE);
        ms_way_verify(s, way, n, 1);
        if (!strcmp(way->result, "wrong")) fail_msg("%s, n = %d: %s", s->info.name, (int)n, way->result);
        if (msw_spec_evaluate(s->spec, s->op, n, (const void *[]){s->inputs[0].data}, (void *[]){expected}, NULL, NULL, &diag))
            fail_msg("%s", diag.message);
        assert_true(ms_way_run(s, way, n, 1, &diag) >= 0);
        if (memcmp(s->got[1].data, expected, length * bytes)) fail_msg("%s, n = %d: other words than the oracle's", s->info.name, (int)n);
        free(expected);
    }
}

/* Every operation of a folder's specs: how many. */
static int check_folder(const char *folder)
{
    int checked = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        char path[4096];
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".lua")) continue;
        const int are_words = !strcmp(entry->d_name, "identities.lua");
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        const msw_spec_desc desc = {.struct_size = sizeof desc, .file = path, .time_limit_ms = 4000};
        msw_spec *spec = open_spec(&desc);
        const uint32_t count = msw_spec_op_count(spec);
        for (uint32_t op = 0; op < count; op++, checked++) {
            ms_workload *s = open_operation(spec, op, N_MAX);
            if (are_words && strncmp(s->info.name, "combine", 7)) expect_words(s);
            else expect_right(s);
            s->spec = NULL;
            close_workload(s);
        }
        msw_spec_destroy(spec);
    }
    closedir(entries);
    return checked;
}

static void test_every_operation(void **state)
{
    (void)state;
    set_compiler(MSW_C_COMPILER " -Wall -Wextra -Wno-unused-parameter -Werror");
    assert_true(check_folder(MSW_SOURCE_DIR "/tests/corpus") > 100);
    assert_true(check_folder(MSW_SOURCE_DIR "/examples") > 3);
    assert_int_equal(count_files("temporary"), 0);
}

/* The bits of a half or float; those of NaNs are all one. */
static uint32_t bits_of(const unsigned char *item, size_t bytes)
{
    const uint32_t nan = bytes == 2 ? 0x7fff : 0x7fffffff, infinity = bytes == 2 ? 0x7c00 : 0x7f800000;
    uint32_t bits = 0;
    memcpy(&bits, item, bytes);
    return (bits & nan) > infinity ? nan : bits;
}

/* All results are the oracle's, to the bit, whichever tolerance the language gives. */
static void expect_whole(ms_workload *s, uint64_t n)
{
    const size_t bytes = s->info.buffers[1].type.size_bytes;
    msw_diag diag;
    ms_way *way = ms_workload_add_loop(s, "loop", &diag);
    if (!way) fail_msg("%s", diag.message);
    unsigned char *expected_bytes = calloc(n, bytes);
    assert_non_null(expected_bytes);
    if (msw_spec_evaluate(s->spec, s->op, n, (const void *[]){s->inputs[0].data}, (void *[]){expected_bytes}, NULL, NULL, &diag))
        fail_msg("%s", diag.message);
    assert_true(ms_way_run(s, way, n, 1, &diag) >= 0);
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t got = bits_of(s->got[1].data + bytes * i, bytes), expected = bits_of(expected_bytes + bytes * i, bytes);
        if (got != expected) fail_msg("%d: %x instead of %x", (int)i, got, expected);
    }
    free(expected_bytes);
}

/* Conversions of halves, which C has none of: every half to f32; to halves what lies at, between and beside them, of either sign. */
static void test_halves(void **state)
{
    enum { HALVES = 1 << 16, PLACES = 4 };
    (void)state;
    set_compiler(MSW_C_COMPILER);
    ms_workload *s = open_text("return scan { monoid = sum(u32), kind = 'exclusive', input = f16, map = function(x) return u32(0) end,\n"
                               "  output = function(s, x) return f32(x) end }",
                               HALVES);
    uint32_t *floats = calloc(HALVES, PLACES * sizeof *floats);
    assert_non_null(floats);
    for (uint32_t i = 0; i < HALVES; i++) ((uint16_t *)s->inputs[0].data)[i] = (uint16_t)i;
    expect_whole(s, HALVES);
    for (uint32_t i = 0; i < HALVES; i++) { /* halfway to the next half; from the largest, 65520 */
        uint32_t at, next = 0;
        memcpy(&at, s->got[1].data + 4 * (size_t)i, 4);
        if (i + 1 < HALVES) memcpy(&next, s->got[1].data + 4 * (size_t)(i + 1), 4);
        const uint32_t between = (i & 0x7fff) < 0x7bff ? at + (next - at) / 2 : at ^ 0x1000;
        const uint32_t places[PLACES] = {at, between - 1, between, between + 1};
        memcpy(floats + (size_t)PLACES * i, places, sizeof places);
    }
    close_workload(s);
    s = open_text("return scan { monoid = sum(u32), kind = 'exclusive', input = f32, map = function(x) return u32(0) end,\n"
                  "  output = function(s, x) return f16(x) end }",
                  HALVES * PLACES);
    memcpy(s->inputs[0].data, floats, HALVES * PLACES * sizeof *floats);
    expect_whole(s, HALVES * PLACES);
    close_workload(s);
    free(floats);
}

/* The way's result for n elements, of which one is changed on the device. */
static void expect_result(ms_workload *s, ms_way *way, uint64_t n, int is_spoilt, const char *result)
{
    uint32_t first;
    msw_diag diag;
    memcpy(&first, s->inputs[0].data, sizeof first);
    first += is_spoilt ? 1 : 0;
    assert_int_equal(msw_buffer_write(s->buffers[0], 0, &first, sizeof first, &diag), MSW_OK);
    ms_way_verify(s, way, n, 1);
    assert_string_equal(way->result, result);
}

/* Where the oracle would take too long, others are compared with the loop: of floats that round with each other, since it is the worse one there. */
static void test_stands_for_oracle(void **state)
{
    static const struct {
        const char *text, *loop, *kernel;
    } cases[] = {
        {"return reduce { monoid = sum(u32) }", "unchecked", "agrees"},
        {"return scan { monoid = sum(u32), reverse = true }", "unchecked", "agrees"},
        {"return sort { key = u32 }", "unchecked", "agrees"},
        {"return reduce { monoid = sum(f32) }", "verified in part", "unchecked"},
    };
    (void)state;
    set_compiler(MSW_C_COMPILER);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        ms_workload *s = open_text(cases[c].text, N_MAX);
        msw_diag diag;
        ms_way *loop = ms_workload_add_loop(s, "loop", &diag), *kernel = ms_workload_add_kernel(s, "default", NULL, 0, &diag);
        assert_true(loop && kernel);
        assert_int_equal(ms_workload_expect(s, 100, 1), MS_EXIT_DONE);
        expect_result(s, loop, 100, 0, "verified");
        expect_result(s, kernel, 100, 0, "verified");
        s->expect_seconds = 2; /* as if it had taken long */
        assert_int_equal(ms_workload_expect(s, N_MAX, 1), MS_EXIT_DONE);
        expect_result(s, loop, N_MAX, 0, cases[c].loop);
        if (s->info.is_bit_exact) expect_result(s, kernel, N_MAX, 1, "wrong");
        expect_result(s, kernel, N_MAX, 0, cases[c].kernel);
        if (s->info.is_bit_exact) assert_string_equal(loop->result, "agrees");
        ms_workload_measure(s, N_MAX, 7, 1);
        assert_in_range(loop->rounds, 1, 3);
        assert_true(loop->median > 0);
        close_workload(s);
    }
}

static void test_wrong_loop(void **state)
{
    static const char *const texts[] = {"return reduce { monoid = sum(u32) }", "return scan { monoid = sum(f32) }"};
    (void)state;
    make_compiler("#!/bin/sh\nfor word; do case $word in */loop.c) sed -i 's/a + b/a - b/' \"$word\";; esac; done\nshift 2\n"
                  "exec " MSW_C_COMPILER " \"$@\"\n");
    for (int t = 0; t < 2; t++) {
        ms_workload *s = open_text(texts[t], N_MAX);
        msw_diag diag;
        ms_way *loop = ms_workload_add_loop(s, "loop", &diag);
        if (!loop) fail_msg("%s", diag.message);
        assert_int_equal(ms_workload_expect(s, 100, 1), MS_EXIT_DONE);
        expect_result(s, loop, 100, 0, "wrong");
        close_workload(s);
    }
}

/* Names of C's, and an end of the compiler that nobody would be told of. */
static void test_odd_places(void **state)
{
    static const char *const names[] = {"math_errhandling", "FP_NAN", "_Bool", "signgam", "float_t", "HUGE_VALF", "loop", "params", "total"};
    char text[256];
    (void)state;
    set_compiler(MSW_C_COMPILER);
    signal(SIGCHLD, SIG_IGN);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(text, sizeof text,
                 "local S = struct '%s' { {'%s', u32} }\nreturn scan { monoid = monoid { type = S, identity = S(0),\n"
                 "  combine = function(f, g) return S(f.%s + g.%s) end } }",
                 names[i], names[i], names[i], names[i]);
        ms_workload *s = open_text(text, N_MAX);
        expect_right(s);
        close_workload(s);
    }
    signal(SIGCHLD, SIG_DFL);
}

/* The library hands out the text; it does not compile it. */
static void test_text_alone(void **state)
{
    ms_workload *s = open_text("return scan { monoid = sum(u32) }", N_MAX);
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_HOST};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target};
    msw_program *program;
    msw_diag diag;
    (void)state;
    assert_int_equal(msw_program_create(s->spec, &desc, &program, &diag), MSW_OK);
    assert_int_equal(msw_program_compile(program, &diag), MSW_ERROR_UNSUPPORTED);
    assert_non_null(strstr(diag.message, "texts in C are not compiled"));
    msw_program_destroy(program);
    const msw_program_desc of_device = {.struct_size = sizeof of_device, .target = &msw_context_device(s->context)->target};
    assert_int_equal(msw_program_create(s->spec, &of_device, &program, &diag), MSW_ERROR_UNSUPPORTED); /* the host, which runs no kernels */
    close_workload(s);
}

/* ---- what there is none of ---- */

static void expect_none(const char *text, const char *message)
{
    ms_workload *s = open_text(text, N_MAX);
    msw_diag diag;
    if (ms_workload_add_loop(s, "loop", &diag)) fail_msg("there is a loop, not: %s", message);
    if (!strstr(diag.message, message)) fail_msg("%s\nnot: %s", diag.message, message);
    assert_int_equal(s->way_count, 0);
    assert_int_equal(count_files("temporary"), 0);
    close_workload(s);
}

static void test_no_loop(void **state)
{
    static const char sum[] = "return scan { monoid = sum(u32) }";
    (void)state;
    set_compiler("cc 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16");
    expect_none(sum, "CC has too many words");
    set_compiler("/none/there is");
    expect_none(sum, "/none/there: No such file or directory; set CC to a C compiler");
    set_compiler("false");
    expect_none(sum, "false failed: without a word; set CC");
    set_compiler("true");
    expect_none(sum, "loop.so: cannot open shared object file");
    make_compiler("#!/bin/sh\necho hello\necho 'x.c:1:2: error: all is lost' >&2\necho goodbye\nexit 1\n");
    expect_none(sum, "./compiler failed: x.c:1:2: error: all is lost; set CC");
    make_compiler("#!/bin/sh\nfor word; do case $word in */loop.c) touch \"$word.more\" \"$word.s\";; esac; done\nexit 3\n");
    expect_none(sum, "failed: without a word");
    set_compiler(MSW_C_COMPILER);
    expect_none("return scan { monoid = monoid { type = u32, identity = 0, laws = 'trusted', combine = source { glsl = 'return a + b;' } } }",
                "is a source, which has no text in C");
    assert_int_equal(setenv("TMPDIR", "/none", 1), 0);
    expect_none(sum, "/none: No such file or directory; set TMPDIR to a folder");
    set_up(NULL);
    ms_workload *s = open_text(sum, N_MAX);
    expect_right(s);
    close_workload(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_operation), cmocka_unit_test(test_halves),     cmocka_unit_test(test_stands_for_oracle),
        cmocka_unit_test(test_wrong_loop),      cmocka_unit_test(test_odd_places), cmocka_unit_test(test_text_alone),
        cmocka_unit_test(test_no_loop)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
