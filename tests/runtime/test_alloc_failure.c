/* The generator when memory runs out, at every allocation in turn: it says so or succeeds, loses nothing, and never gives half a result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "failing.h"

#include <monosweep/monosweep.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is made ---- */

typedef struct subject {
    const char *what;
    const char *text; /* NULL: read `file` */
    const char *file;
    msw_target target;
    msw_knob knobs[2];
    uint32_t knob_count;
    msw_result result; /* with enough memory */
} subject;

enum { TEXT_BYTES = 1 << 20 };

static int64_t most_runs; /* from the command line: test_alloc_failure 1000000 fails every call */

/* The vendored header of one program, where that needs no compiler. */
static msw_result make_header(const msw_spec *spec, msw_program *program, char *made, msw_diag *diag)
{
    const msw_header_desc desc = {.struct_size = sizeof desc, .programs = &program, .program_count = 1, .spdx = "MIT", .command = "make"};
    const char *text;
    const msw_result result = msw_header_text(spec, &desc, &text, diag);
    assert_int_equal(!text, result != MSW_OK);
    if (!result) strcpy(made, text);
    return result;
}

/* Everything that the caller can see of a spec and its programs, or the message; `made` holds TEXT_BYTES. */
static msw_result make(const subject *s, failing *state, char *made)
{
    const msw_allocator allocator = {state, failing_resize};
    const msw_spec_desc spec_desc = {.struct_size = sizeof spec_desc, .text = s->text, .file = s->file, .allocator = &allocator};
    msw_spec *spec;
    msw_diag diag;
    size_t length = 0;
    made[0] = '\0';
    msw_result result = msw_spec_create(&spec_desc, &spec, &diag);
    if (!result) length += (size_t)snprintf(made, TEXT_BYTES, "%s%s", msw_spec_summary(spec), msw_spec_json(spec));
    else assert_null(spec);
    for (uint32_t op = 0; !result && op < msw_spec_op_count(spec); op++) {
        const msw_program_desc desc = {.struct_size = sizeof desc, .op = op, .target = &s->target, .knobs = s->knobs, .knob_count = s->knob_count};
        msw_program *program;
        result = msw_program_create(spec, &desc, &program, &diag);
        if (result) {
            assert_null(program);
            break;
        }
        const msw_plan *plan = msw_program_plan(program);
        length += (size_t)snprintf(made + length, TEXT_BYTES - length, "%s%s", msw_program_summary(program), msw_program_json(program));
        for (uint32_t k = 0; k < plan->kernel_count; k++) length += (size_t)snprintf(made + length, TEXT_BYTES - length, "%s", plan->kernels[k].text);
        assert_true(length < TEXT_BYTES);
        if (s->target.backend == MSW_BACKEND_CUDA) result = make_header(spec, program, made + length, &diag);
        msw_program_destroy(program);
    }
    msw_spec_destroy(spec);
    assert_int_equal(diag.code, result);
    if (result) snprintf(made, TEXT_BYTES, "%s", diag.message);
    return result;
}

static void check(const subject *s, int64_t first, int64_t count, const char *expected, char *made)
{
    failing state = {.first = first, .count = count};
    const msw_result result = make(s, &state, made);
    if (state.live_bytes || state.live_blocks)
        fail_msg("%s: %lld calls from %lld failing: %lld bytes lost", s->what, (long long)count, (long long)first, (long long)state.live_bytes);
    const int is_memory = result == MSW_ERROR_OUT_OF_MEMORY && strstr(made, "memory");
    const int is_as_ever = result == s->result && !strcmp(made, expected);
    if (!is_memory && !is_as_ever)
        fail_msg("%s: %lld calls from %lld failing: %s: %.300s", s->what, (long long)count, (long long)first, msw_result_text(result), made);
}

/* Every call up to `every_until`, since there the modules are set up; then `runs` of them, evenly spread, since the calls repeat what others do.
 * One call fails (Lua collects its garbage and tries again), two (it gives up, and there is memory for what follows), or all from there on. */
static void sweep(const subject *s, int64_t every_until, int64_t runs)
{
    static const int64_t counts[] = {1, 2, INT64_MAX};
    char *expected = malloc(TEXT_BYTES), *made = malloc(TEXT_BYTES);
    assert_true(expected && made);
    failing state = {0};
    const msw_result result = make(s, &state, expected);
    if (result != s->result) fail_msg("%s: %s: %s", s->what, msw_result_text(result), expected);
    assert_int_equal(state.live_bytes, 0);
    const int64_t stride = state.calls / (most_runs ? most_runs : runs) + 1;
    for (int64_t first = 1; first <= state.calls; first += first < every_until ? 1 : stride)
        for (int i = 0; i < 3; i++) check(s, first, counts[i], expected, made);
    print_message("%s: %lld calls, each of the first %lld, then one in %lld\n", s->what, (long long)state.calls, (long long)every_until,
                  (long long)stride);
    free(expected);
    free(made);
}

/* ---- the subjects ---- */

static const msw_target whole = {.struct_size = sizeof(msw_target)};

static const char rich[] =
    "spec_version(1)\n"
    "local Inner = struct 'Inner' { {'v', vec(f32, 3)}, {'k', u8} }\n"
    "local Outer = struct 'Outer' { {'inner', Inner}, {'count', u64}, {'half', f16} }\n"
    "local m = monoid { type = Outer, identity = { inner = { v = {0, 0, 0}, k = 0 }, count = 0, half = -f16.inf },\n"
    "  combine = function(a, b) return { inner = { v = a.inner.v + b.inner.v, k = a.inner.k | b.inner.k }, count = a.count + b.count,\n"
    "    half = max(a.half, b.half) } end }\n"
    "return {\n"
    "  scan { name = 'all', doc = 'of all', monoid = m, input = f32, map = function(x, i) return { inner = { v = {x, -x, x * x}, k = u8(i) },\n"
    "    count = u64(i) // 3, half = f16(x) } end, output = function(s, x) return s.inner.v.x / x end, tune = { items = 8 } },\n"
    "  reduce { name = 'pairs', monoid = pair { p = argmin(f32), q = segmented(sum(i32)), order = {'p', 'q'} }, init = { {1, 2}, {0, 3} } },\n"
    "  scan { name = 'back', monoid = sum(u16), reverse = true, kind = 'exclusive' },\n"
    "}\n";

static void test_rich(void **state)
{
    (void)state;
    sweep(&(subject){.what = "rich spec", .text = rich, .target = whole}, 60, 80);
}

static void test_emulation(void **state)
{
    const subject s = {
        .what = "rich spec without features", .text = rich, .target = {.struct_size = sizeof(msw_target), .has_features = 1, .subgroup_size = 1}};
    (void)state;
    sweep(&s, 1, 40);
}

static void test_file(void **state)
{
    const subject s = {.what = "file",
                       .file = MSW_SOURCE_DIR "/examples/affine.lua",
                       .target = whole,
                       .knob_count = 2,
                       .knobs = {{"strategy", "single_block"}, {"block", "64"}}};
    (void)state;
    sweep(&s, 60, 150);
}

static void test_header(void **state)
{
    const subject s = {.what = "header",
                       .text = "return reduce { monoid = sum(u32) }",
                       .knob_count = 1,
                       .knobs = {{"strategy", "single_block"}},
                       .target = {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_CUDA}};
    (void)state;
    sweep(&s, 1, 80);
}

static void test_source(void **state)
{
    static const char text[] = "local gcd = monoid { type = u32, identity = 0, sample = function(r) return r:u32(0, 99) end, combine = source {\n"
                               "  glsl = 'while (b != 0u) { uint r = a % b; a = b; b = r; } return a;',\n"
                               "  host = function(a, b) while b ~= 0 do a, b = b, a % b end return a end } }\n"
                               "return scan { monoid = gcd, map = function(x) local step = 1; if step == 1 then step = 2 end return x * step end }\n";
    (void)state;
    sweep(&(subject){.what = "source", .text = text, .target = whole}, 1, 60);
}

static void test_errors(void **state)
{
    static const subject subjects[] = {
        {"syntax", "return scan {", NULL, .result = MSW_ERROR_SPEC},
        {"unknown name", "return scan { monoid = summ(u32) }", NULL, .result = MSW_ERROR_SPEC},
        {"types", "return scan { monoid = sum(u32), map = function(x) return x + f32(1) end, input = u32 }", NULL, .result = MSW_ERROR_SPEC},
        {"laws", "return scan { monoid = monoid { type = i32, identity = 0, combine = function(a, b) return a - b end } }", NULL,
         .result = MSW_ERROR_SPEC},
        {"caught", "local ok, message = pcall(function() return u32.nothing end)\nerror(message)", NULL, .result = MSW_ERROR_SPEC},
        {"not a string", "error({})", NULL, .result = MSW_ERROR_SPEC},
        {"knob", "return scan { monoid = sum(u32), tune = { items = 3, vector = 2 } }", NULL, .target = {.struct_size = sizeof(msw_target)},
         .result = MSW_ERROR_UNSUPPORTED},
        {"feature", "return scan { monoid = sum(f64) }", NULL, .target = {.struct_size = sizeof(msw_target), .has_features = 1},
         .result = MSW_ERROR_UNSUPPORTED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) sweep(&subjects[i], 1, 60);
}

int main(int count, char **arguments)
{
    if (count > 1) most_runs = atoll(arguments[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rich),   cmocka_unit_test(test_emulation), cmocka_unit_test(test_file),
        cmocka_unit_test(test_header), cmocka_unit_test(test_source),    cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
