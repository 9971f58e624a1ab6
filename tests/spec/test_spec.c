/* Specs read from text: golden vectors through the oracle, messages, the sandbox. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <monosweep/monosweep.h>
#include <stdio.h>
#include <stdlib.h>
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
    assert_int_equal(msw_spec_evaluate(spec, 0, n, (const void *[]){in}, (void *[]){out}, NULL, NULL, &diag), MSW_OK);
    assert_memory_equal(out, expected, expected_n * sizeof *out);
    msw_spec_destroy(spec);
}

static void test_golden_vectors(void **state)
{
    static const uint32_t values[] = {7, 2, 5, 8, 1, 3, 4, 6}, counts[] = {3, 1, 0, 0, 4, 2, 1, 1}, digits[] = {14, 11, 16, 15},
                          more[] = {16, 11, 19, 10};
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

/* A pair of argmin and argmax, and its place in their order by the language reference. sign: -1 for argmax. */
typedef struct best {
    float value;
    uint32_t index;
} best;

static int rank_of(best a, float sign)
{
    if (isnan(a.value)) return 1;
    return isinf(a.value) && sign * a.value > 0 && a.index == UINT32_MAX ? 2 : 0;
}

static int comes_before(best a, best b, float sign)
{
    const int of_a = rank_of(a, sign), of_b = rank_of(b, sign);
    if (of_a != of_b) return of_a < of_b;
    if (!of_a && a.value != b.value) return sign * a.value < sign * b.value;
    return a.index < b.index;
}

static void check_best(const char *text, float sign)
{
    static const float values[] = {-INFINITY, -1, 0, 2, INFINITY, NAN};
    static const uint32_t indices[] = {0, 1, 7, UINT32_MAX};
    enum { PAIRS = 24 };
    msw_spec *spec;
    best pairs[PAIRS], found;
    msw_diag diag;
    uint32_t count = 0;
    assert_int_equal(read_spec(text, &spec, &diag), MSW_OK);
    for (uint32_t p = 0; p < PAIRS; p++)
        if (!isnan(values[p / 4]) || indices[p % 4] != UINT32_MAX) pairs[count++] = (best){values[p / 4], indices[p % 4]};
    for (uint32_t p = 0; p < count * count * count; p++) {
        const best three[] = {pairs[p % count], pairs[p / count % count], pairs[p / count / count]};
        const best *expected = &three[0];
        for (uint32_t k = 1; k < 3; k++)
            if (comes_before(three[k], *expected, sign)) expected = &three[k];
        assert_int_equal(msw_spec_evaluate(spec, 0, 3, (const void *[]){three}, (void *[]){&found}, NULL, NULL, &diag), MSW_OK);
        assert_memory_equal(&found, expected, sizeof found);
    }
    assert_int_equal(msw_spec_evaluate(spec, 0, 0, NULL, (void *[]){&found}, NULL, NULL, &diag), MSW_OK);
    assert_memory_equal(&found, (&(best){sign * INFINITY, UINT32_MAX}), sizeof found);
    msw_spec_destroy(spec);
}

/* Of floats every three have one best, whichever are combined first: numbers come before NaN, and all before the identity. */
static void test_best_of_floats(void **state)
{
    (void)state;
    check_best("return reduce { monoid = argmin(f32) }", 1);
    check_best("return reduce { monoid = argmax(f32) }", -1);
}

/* ---- tests/spec/bad_specs: a failure each; what its message must hold stands in its first lines ---- */

/* Counts what a spec takes, to hold it to its limit. */
typedef struct meter {
    uint64_t bytes, most_bytes;
} meter;

static void *metered_resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    meter *m = user;
    void *moved = new_bytes ? realloc(block, new_bytes) : (free(block), NULL);
    if (moved || !new_bytes) m->bytes += new_bytes - (block ? old_bytes : 0);
    if (m->bytes > m->most_bytes) m->most_bytes = m->bytes;
    return moved;
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Whether the message holds, in their order, the parts of the file's first line, "-- expect: part .. part". */
static int holds_expected(const char *path, const char *message)
{
    char line[512] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    if (strncmp(line, "-- expect: ", 11)) return 0;
    line[strcspn(line, "\n")] = '\0';
    for (char *part = line + 11, *end; part; part = end) {
        if ((end = strstr(part, " .. "))) *end = '\0', end += 4;
        const char *found = strstr(message, part);
        if (!found) return print_error("%s: expected: %s\n", path, part), 0;
        message = found + strlen(part);
    }
    return 1;
}

/* "FILE:LINE: cause; remedy" */
static int is_well_formed(const char *message, const char *path, const msw_diag *diag)
{
    char prefix[600];
    snprintf(prefix, sizeof prefix, "%s:%d: ", path, diag->line);
    return diag->line > 0 && !strncmp(message, prefix, strlen(prefix)) && strstr(message, "; ") && !strchr(message, '\n');
}

/* limit_ms: 0, the default, or less, to test many in little time. */
static int check_limited(const char *path, uint32_t limit_ms)
{
    meter m = {0, 0};
    msw_spec *spec;
    msw_diag diag;
    const msw_allocator allocator = {&m, metered_resize};
    const msw_spec_desc desc = {.struct_size = sizeof desc, .file = path, .allocator = &allocator, .time_limit_ms = limit_ms};
    const double start = processor_seconds();
    const msw_result result = msw_spec_create(&desc, &spec, &diag);
    const double seconds = processor_seconds() - start;
    msw_spec_destroy(spec);
    const int good = result == MSW_ERROR_SPEC && is_well_formed(diag.message, path, &diag) && holds_expected(path, diag.message) && seconds < 2 &&
                     m.most_bytes <= 256u << 20 && !m.bytes;
    if (!good)
        print_error("%s: %s, %.2f s, at most %llu bytes, %llu in the end: %s\n", path, msw_result_text(result), seconds,
                    (unsigned long long)m.most_bytes, (unsigned long long)m.bytes, diag.message);
    return !good;
}

/* A specimen that ends by another limit than time must come to that limit on a slow machine too. */
static int check_bad_spec(const char *path) { return check_limited(path, strstr(path, "hostile_") ? 0 : 300); }

static void test_default_limits(void **state)
{
    static const char *const names[] = {"hostile_compare", "hostile_pcall_loop", "hostile_table_pcall"};
    char path[512];
    (void)state;
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/tests/spec/bad_specs/%s.lua", MSW_SOURCE_DIR, names[i]);
        assert_int_equal(check_limited(path, 0), 0);
    }
}

static int is_lua_file(const struct dirent *entry) { return strstr(entry->d_name, ".lua") != NULL; }

/* Calls check(path) for every spec of the folder; gives how many there are. */
static int check_folder(const char *folder, int (*check)(const char *path))
{
    struct dirent **entries;
    char path[512];
    int failures = 0;
    snprintf(path, sizeof path, "%s/%s", MSW_SOURCE_DIR, folder);
    const int count = scandir(path, &entries, is_lua_file, alphasort);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s/%s", MSW_SOURCE_DIR, folder, entries[i]->d_name);
        failures += check(path);
        free(entries[i]);
    }
    free(entries);
    assert_int_equal(failures, 0);
    return count;
}

static void test_bad_specs(void **state)
{
    (void)state;
    assert_true(check_folder("tests/spec/bad_specs", check_bad_spec) >= 40);
}

static void count_warning(void *user, const msw_diag *diag)
{
    ++*(int *)user;
    print_message("%s\n", diag->message);
}

/* Nothing is found wrong with what is right; reading it twice gives the same. */
static int check_good_spec(const char *path)
{
    msw_spec *spec, *again;
    msw_diag diag;
    int warnings = 0;
    /* on a busy machine the longest needs more than a second */
    const msw_spec_desc desc = {.struct_size = sizeof desc, .file = path, .time_limit_ms = 4000, .warning = count_warning, .warning_user = &warnings};
    if (msw_spec_create(&desc, &spec, &diag) || msw_spec_create(&desc, &again, &diag)) return print_error("%s\n", diag.message), 1;
    assert_string_equal(msw_spec_json(spec), msw_spec_json(again));
    msw_spec_destroy(spec);
    msw_spec_destroy(again);
    return strstr(path, "good_specs") && warnings;
}

static void test_good_specs(void **state)
{
    (void)state;
    check_folder("tests/spec/good_specs", check_good_spec);
    check_folder("tests/corpus", check_good_spec);
    check_folder("examples", check_good_spec);
}

static void keep_warning(void *user, const msw_diag *diag) { *(msw_diag *)user = *diag; }

/* What fails for large values only is a warning with the values. */
static void test_law_warning(void **state)
{
    static const char text[] =
        "local B = struct 'B' { {'close', u32}, {'open', u32} }\n"
        "return scan { monoid = monoid { type = B, identity = {0, 0}, combine = function(a, b) local m = min(a.open, b.close)\n"
        "  return { a.close + b.close - m, a.open + b.open - m } end } }\n";
    msw_spec *spec;
    msw_diag diag, warning = {0};
    msw_spec_desc desc = {.struct_size = sizeof desc, .text = text, .file = "b.lua", .warning = keep_warning, .warning_user = &warning};
    (void)state;
    assert_int_equal(msw_spec_create(&desc, &spec, &diag), MSW_OK);
    msw_spec_destroy(spec);
    assert_int_equal(warning.line, 2);
    assert_non_null(
        strstr(warning.message, "b.lua:2: warning: monoid: combine(combine(a, b), c) == combine(a, combine(b, c)) fails for a = {close = "));
    warning = (msw_diag){0};
    desc.skip_laws = 1;
    assert_int_equal(msw_spec_create(&desc, &spec, &diag), MSW_OK);
    msw_spec_destroy(spec);
    assert_string_equal(warning.message, "");
}

/* The oracle has no results of segments for which a pipeline has no room, nor one that would stand for several. */
static void test_most_segments(void **state)
{
    static const char text[] = "return pipeline(function(p)\n"
                               "  local x, o = p.input('x', u32), p.input('o', u64, { segments = 2 })\n"
                               "  p.output('s', p.segmented_scan { input = x, offsets = o, monoid = sum(u32) }) end, { name = 'p' })";
    static const uint32_t x[3] = {1, 2, 3};
    static const uint64_t offsets[4] = {0, 1, 2, 3};
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text};
    uint32_t s[3] = {9, 9, 9};
    uint64_t count = 2;
    msw_spec *spec;
    msw_op_info info = {.struct_size = sizeof info};
    msw_diag diag;
    (void)state;
    assert_int_equal(msw_spec_create(&desc, &spec, &diag), MSW_OK);
    assert_int_equal(msw_spec_op(spec, 0, &info), MSW_OK);
    assert_int_equal(info.most_segments, 2);
    assert_int_equal(msw_spec_evaluate(spec, 0, 2, (const void *[]){x, offsets, &count}, (void *[]){s}, NULL, NULL, &diag), MSW_OK);
    assert_int_equal(s[1], 2);
    count = 3;
    assert_int_equal(msw_spec_evaluate(spec, 0, 3, (const void *[]){x, offsets, &count}, (void *[]){s}, NULL, NULL, &diag),
                     MSW_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(diag.message, "'o' has 3 segments, but the spec says that there are at most 2"));
    msw_spec_destroy(spec);
}

static const char laws_text[] =
    "local sat = monoid { type = i8, identity = 0, combine = function(a, b) return i8(clamp(i32(a) + i32(b), -128, 127)) end }\n"
    "local bad = monoid { type = u32, identity = 1, combine = function(a, b) return a + b end }\n"
    "return { reduce { name = 'sat', monoid = sat }, scan { name = 'good', monoid = sum(u32) }, scan { name = 'bad', monoid = bad },\n"
    "  reduce { name = 'made_of', monoid = segmented(pair(sum(u32), sat)), input = i8, map = function(x) return { 0, { 1, x } } end },\n"
    "  pipeline(function(p) -- one kernel\n"
    "    local x = p.input('x', i8)\n"
    "    p.output('a', p.scan { monoid = sat, input = x })\n"
    "    p.output('b', p.scan { monoid = sum(i32), input = x, map = function(v) return i32(v) end })\n"
    "  end, { name = 'joined' }) }\n";

/* Reads it for one operation: the number of warnings, then whether that is bit-exact. */
static void expect_laws(const char *op, int warnings, const char *law)
{
    msw_spec *spec;
    msw_diag diag;
    msw_op_info info = {.struct_size = sizeof info};
    int count = 0;
    const msw_spec_desc desc = {
        .struct_size = sizeof desc, .text = laws_text, .file = "laws.lua", .warning = count_warning, .warning_user = &count, .op = op};
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s: %s", op, diag.message);
    assert_int_equal(count, warnings);
    assert_int_equal(msw_spec_op(spec, (uint32_t)msw_spec_find(spec, op), &info), MSW_OK);
    assert_int_equal(info.is_bit_exact, !law);
    if (law ? !info.law_warning || !strstr(info.law_warning, law) || strchr(info.law_warning, ';') : info.law_warning != NULL)
        fail_msg("%s: %s", op, info.law_warning ? info.law_warning : "no warning");
    assert_true(!law == !strstr(msw_spec_json(spec), "\"has_law_warning\": true"));
    msw_spec_destroy(spec);
}

/* Only the operation that will be used matters, with what its monoid is made of; another one is not made by way of its spec. */
static void test_laws_of_one_operation(void **state)
{
    static const char law[] = "laws.lua:1: monoid: combine(combine(a, b), c) == combine(a, combine(b, c)) fails for a = ";
    msw_spec *spec;
    msw_program *program;
    msw_diag diag;
    (void)state;
    expect_laws("good", 0, NULL);
    expect_laws("sat", 1, law);
    expect_laws("made_of", 1, law);
    expect_laws("joined", 1, law);
    msw_spec_desc desc = {.struct_size = sizeof desc, .text = laws_text, .file = "laws.lua"};
    assert_int_equal(msw_spec_create(&desc, &spec, &diag), MSW_ERROR_SPEC);
    assert_non_null(strstr(diag.message, "laws.lua:2: monoid: combine(identity, a) == a fails"));
    desc.op = "bad";
    assert_int_equal(msw_spec_create(&desc, &spec, &diag), MSW_ERROR_SPEC);
    desc.op = "good";
    assert_int_equal(msw_spec_create(&desc, &spec, &diag), MSW_OK);
    assert_null(strstr(msw_spec_summary(spec), "large values"));
    msw_program_desc wanted = {.struct_size = sizeof wanted, .target = &(msw_target){.struct_size = sizeof(msw_target)}, .op = 2};
    assert_int_equal(msw_program_create(spec, &wanted, &program, &diag), MSW_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(diag.message, "the laws of 'bad' are not tested"));
    wanted.op = 1;
    assert_int_equal(msw_program_create(spec, &wanted, &program, &diag), MSW_OK);
    msw_program_destroy(program);
    msw_spec_destroy(spec);
}

static void expect_summary(const char *text, const char *part)
{
    msw_spec *spec;
    msw_diag diag;
    if (read_spec(text, &spec, &diag)) fail_msg("%s", diag.message);
    if (!strstr(msw_spec_summary(spec), part)) fail_msg("%s is not in %s", part, msw_spec_summary(spec));
    msw_spec_destroy(spec);
}

static void test_exactness(void **state)
{
    (void)state;
    expect_summary(
        "return reduce { monoid = monoid { type = i8, identity = 0, combine = function(a, b) return i8(clamp(i32(a) + i32(b), -128, 127)) end } }",
        ", a law fails for large values\n");
    expect_summary("return scan { monoid = sum(f32) }", ", pseudo-associative\n");
    expect_summary("return scan { monoid = maximum(f32) }", ", bit exact\n");
    expect_summary("return scan { monoid = maximum(f32), map = function(x) return x * 2 end }", ", bit exact but for denormals\n");
    expect_summary("return map { input = f32, output = function(x) return x + 1.5 end }", ", bit exact but for denormals\n");
    expect_summary("return map { input = f32, output = function(x) return exp(x) end }", ", rounded by the device\n");
}

/* What a verification says of one float, where the host has something else by `off` of it. */
static uint32_t verdict_of(const char *text, float in, float expected, double off)
{
    float out;
    msw_spec *spec;
    msw_diag diag;
    if (read_spec(text, &spec, &diag)) fail_msg("%s", diag.message);
    const msw_verification_desc desc = {.struct_size = sizeof desc, .spec = spec};
    msw_verification *verification;
    msw_verification_report report = {.struct_size = sizeof report};
    assert_int_equal(msw_spec_evaluate(spec, 0, 1, (const void *[]){&in}, (void *[]){&out}, NULL, NULL, &diag), MSW_OK);
    assert_float_equal(out, expected, 0);
    out = (float)(out * (1 + off));
    assert_int_equal(msw_verification_create(&desc, &verification, &diag), MSW_OK);
    assert_int_equal(msw_verification_expect(verification, 1, (const void *[]){&in}, &diag), MSW_OK);
    assert_int_equal(msw_verification_judge(verification, (const void *[]){&out}, NULL, &report, &diag), MSW_OK);
    const uint32_t verdict = report.verdict;
    msw_verification_destroy(verification);
    msw_spec_destroy(spec);
    return verdict;
}

/* 0.7f * 10 is 7 when rounded, as the language promises, and less in double precision; and what may round more than that. */
static void test_reference(void **state)
{
    static const struct {
        const char *text;
        float expected;
        int may_round;
    } cases[] = {
        {"return scan { monoid = sum(u32), input = f32, map = function(x) return u32(x * 10) end, output = function(s) return f32(s) * 0.1 end }",
         7 * 0.1f, 0},
        {"return scan { monoid = sum(f32), map = function(x) return where(lt(x * 10, 7), f32(1), 2) end }", 2, 0}, /* no order rounds */
        {"return scan { monoid = sum(f32), map = function(x) return x / 3 end }", 0.7f / 3, 1},
        {"return scan { monoid = maximum(f32), output = function(s) return sqrt(s) end }", 0.83666003f, 1},
        {"return scan { monoid = maximum(f32) }", 0.7f, 0},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        assert_int_equal(verdict_of(cases[c].text, 0.7f, cases[c].expected, 0), MSW_VERIFIED);
        assert_int_equal(verdict_of(cases[c].text, 0.7f, cases[c].expected, 0x1p-23), cases[c].may_round ? MSW_VERIFIED : MSW_FAILED);
        assert_int_equal(verdict_of(cases[c].text, 0.7f, cases[c].expected, 1e-3), MSW_FAILED);
    }
}

/* Processor time of planning a map of `steps` steps and emitting its kernels. */
static double emission_seconds(int steps)
{
    char text[256];
    msw_spec *spec;
    msw_program *program;
    msw_diag diag;
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &(msw_target){.struct_size = sizeof(msw_target)}};
    snprintf(text, sizeof text,
             "return scan { monoid = sum(u32), map = function(x) for i = 1, %d do x = where(lt(x, u32(i)), x * 3, x + i) end return x end }", steps);
    if (read_spec(text, &spec, &diag)) fail_msg("%s", diag.message);
    const double start = processor_seconds();
    if (msw_program_create(spec, &desc, &program, &diag)) fail_msg("%s", diag.message);
    const double seconds = processor_seconds() - start;
    msw_program_destroy(program);
    msw_spec_destroy(spec);
    return seconds;
}

/* Long functions take time in proportion: sixteen times the steps, not 256 times the time. Four operations a step: nearly as many as there may be. */
static void test_long_functions(void **state)
{
    const double few = emission_seconds(31), many = emission_seconds(500);
    (void)state;
    if (many > 64 * few) fail_msg("31 steps take %.3f s, 500 take %.3f s", few, many);
}

/* The limit is the spec's fault, an allocator that fails is not. */
static void *failing_resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    uint64_t *left = user;
    (void)old_bytes;
    if (new_bytes && !*left) return NULL;
    if (new_bytes) --*left;
    return new_bytes ? realloc(block, new_bytes) : (free(block), NULL);
}

/* Of a pipeline whose cut takes many times as long to find as all else. */
static void test_time_of_a_cut(void **state)
{
    static const char text[] = "return pipeline(function(p) local x, m = p.input('x', u32), {}\n"
                               "  for j = 1, 15 do\n"
                               "    m[j] = p.map({ x, m[j - 1] or x, m[j - 2] or x, m[j - 3] or x }, function(a, b, c, d) return a * b + c ~ d end)\n"
                               "    p.output('y' .. j, m[j])\n"
                               "  end\n"
                               "end)\n";
    int is_told = 0;
    (void)state;
    for (uint32_t limit_ms = 16; limit_ms < 2048 && !is_told; limit_ms *= 2) {
        msw_spec *spec;
        msw_diag diag;
        const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text, .time_limit_ms = limit_ms};
        if (!msw_spec_create(&desc, &spec, &diag)) fail_msg("it is read in %u ms; take a larger pipeline", limit_ms);
        is_told = strstr(diag.message, "the search for the pipeline's cut takes too long; write fuse = false") != NULL;
    }
    assert_true(is_told);
}

static void test_memory(void **state)
{
    uint64_t left = 12; /* of a state that asks for memory in large pieces */
    msw_spec *spec;
    msw_diag diag;
    const msw_allocator allocator = {&left, failing_resize};
    msw_spec_desc desc = {.struct_size = sizeof desc, .text = "local t = {} for i = 1, 1e6 do t[i] = {} end", .allocator = &allocator};
    (void)state;
    assert_int_equal(msw_spec_create(&desc, &spec, &diag), MSW_ERROR_OUT_OF_MEMORY);
    assert_null(spec);
    desc.allocator = NULL;
    desc.memory_limit_bytes = 4 << 20;
    assert_int_equal(msw_spec_create(&desc, &spec, &diag), MSW_ERROR_SPEC);
    assert_non_null(strstr(diag.message, "its limit of 4 MiB"));
    desc.text = "\x1bLua";
    assert_int_equal(msw_spec_create(&desc, &spec, &diag), MSW_ERROR_SPEC);
    assert_non_null(strstr(diag.message, "a spec is a text"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_vectors),        cmocka_unit_test(test_best_of_floats), cmocka_unit_test(test_bad_specs),
        cmocka_unit_test(test_default_limits),        cmocka_unit_test(test_good_specs),     cmocka_unit_test(test_law_warning),
        cmocka_unit_test(test_laws_of_one_operation), cmocka_unit_test(test_exactness),      cmocka_unit_test(test_reference),
        cmocka_unit_test(test_long_functions),        cmocka_unit_test(test_memory),         cmocka_unit_test(test_time_of_a_cut),
        cmocka_unit_test(test_most_segments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
