/* Opaque functions: their bodies on the device of MSW_TEST_DEVICE (default vulkan) against their host functions; what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <monosweep/monosweep.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 5000 };

static const char gcd_spec[] =
    "local gcd = monoid { type = u32, identity = 0, commutative = true, combine = source {\n"
    "  glsl = [[\n"
    "    while (b != 0u) {\n"
    "        const uint r = a % b;\n"
    "        a = b;\n"
    "        b = r;\n"
    "    }\n"
    "    return a;\n"
    "  ]],\n"
    "  cuda = 'while (b != 0u) { const uint r = a % b; a = b; b = r; } return a;',\n"
    "  host = function(a, b) while b ~= 0 do a, b = b, a % b end return a end } }\n"
    "return { scan { name = 'prefixes', monoid = gcd, reverse = true, kind = 'exclusive', map = function(x) return x * 12 end },\n"
    "         reduce { name = 'all', monoid = gcd, map = function(x) return (x & 1023) * 840 end } }\n";

/* Structs by their names, vecs, a map of the index, an output with a type of its own. */
static const char moving_spec[] = "local Point = struct 'Point' { {'at', vec(f32, 2)}, {'count', u32} }\n"
                                  "local join = monoid { type = Point, identity = { {0, 0}, 0 }, combine = source {\n"
                                  "  glsl = [[ return Point(p.at + q.at, p.count + q.count); ]],\n"
                                  "  cuda = [[ return Point{f32x2{p.at.x + q.at.x, p.at.y + q.at.y}, p.count + q.count}; ]],\n"
                                  "  host = function(p, q) return { at = p.at + q.at, count = p.count + q.count } end } }\n"
                                  "return scan { monoid = join, input = f32,\n"
                                  "  map = source { glsl = [[ return Point(vec2(x, -x), x < 0.0 ? 1u : 0u); ]],\n"
                                  "                 cuda = [[ return Point{f32x2{x, -x}, x < 0.0f ? 1u : 0u}; ]],\n"
                                  "                 host = function(x) if x < 0 then return { {x, -x}, 1 } end return { {x, -x}, 0 } end },\n"
                                  "  output = source { type = vec(f32, 2), glsl = [[ return s.at / float(s.count + 1u); ]],\n"
                                  "                    cuda = [[ const float n = (float)(s.count + 1u); return f32x2{s.at.x / n, s.at.y / n}; ]],\n"
                                  "                    host = function(s) return { s.at.x / (s.count + 1), s.at.y / (s.count + 1) } end } }\n";

static const char without_host[] =
    "return scan { monoid = sum(u32), map = source { glsl = [[ return x + uint(i); ]], cuda = [[ return x + (uint)i; ]] } }\n";

static msw_context *context;

static msw_spec *read_spec(const char *text)
{
    msw_spec *spec;
    msw_diag diag;
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text, .file = "s.lua"};
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
    return spec;
}

static void run_on_device(msw_spec *spec, const char *op, const char *subgroup, const void *in, void *out)
{
    msw_kernel *kernel;
    msw_diag diag;
    const msw_knob knobs[2] = {{"subgroup", subgroup}, {"block", "64"}};
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec = spec, .op = op, .knobs = knobs, .knob_count = subgroup ? 2 : 0};
    if (msw_kernel_create(context, &desc, &kernel, &diag)) fail_msg("%s", diag.message);
    if (msw_kernel_run_host(kernel, N, (const void *[]){in}, (void *[]){out}, NULL, &diag)) fail_msg("%s", diag.message);
    msw_kernel_destroy(kernel);
}

static void test_loop(void **state)
{
    static uint32_t in[N], expected[N], got[N];
    msw_spec *spec = read_spec(gcd_spec);
    msw_diag diag;
    (void)state;
    for (uint32_t i = 0; i < N; i++) in[i] = i * 2654435761u >> 7;
    for (uint32_t op = 0; op < 2; op++)
        for (int plain = 0; plain < 2; plain++) {
            msw_op_info info = {.struct_size = sizeof info};
            assert_int_equal(msw_spec_op(spec, op, &info), MSW_OK);
            assert_int_equal(info.is_bit_exact, 1);
            if (msw_spec_evaluate(spec, op, N, (const void *[]){in}, (void *[]){expected}, NULL, NULL, &diag)) fail_msg("%s", diag.message);
            run_on_device(spec, info.name, plain ? "1" : NULL, in, got);
            assert_memory_equal(got, expected, op ? 4 : sizeof got);
        }
    assert_int_equal(got[0] % 840, 0);
    msw_spec_destroy(spec);
}

static void test_structs(void **state)
{
    static float in[N], got[N][2];
    msw_spec *spec = read_spec(moving_spec);
    const msw_verification_desc desc = {.struct_size = sizeof desc, .spec = spec};
    msw_verification *verification;
    msw_verification_report report = {.struct_size = sizeof report};
    msw_diag diag;
    (void)state;
    for (int i = 0; i < N; i++) in[i] = (float)(i * 7919 % 1000) / 8 - 60;
    run_on_device(spec, NULL, NULL, in, got);
    if (msw_verification_create(&desc, &verification, &diag)) fail_msg("%s", diag.message);
    if (msw_verification_expect(verification, N, (const void *[]){in}, &diag)) fail_msg("%s", diag.message);
    if (msw_verification_judge(verification, (const void *[]){got}, NULL, &report, &diag)) fail_msg("%s", diag.message);
    if (report.verdict != MSW_VERIFIED) fail_msg("%s", report.text);
    msw_verification_destroy(verification);
    msw_spec_destroy(spec);
}

/* The functions that are sources, as msw_op_info names them. */
static void test_names_of_sources(void **state)
{
    static const struct {
        const char *text, *sources;
    } cases[] = {
        {"return scan { monoid = sum(u32), map = function(x) return x + 1 end }", NULL},
        {"return scan { monoid = sum(u32), map = source { glsl = 'return x;', host = function(x) return x end } }", "map"},
        {"return sort { key = u32, map = source { glsl = 'return x;', host = function(x) return x end } }", "map"},
        {"return scan { monoid = sum(u32), map = source { glsl = 'return x;', host = function(x) return x end },\n"
         "  output = source { glsl = 'return s;', type = u32, parameters = {'s'}, host = function(s) return s end } }",
         "map and output"},
        {"return scan { monoid = monoid { type = u32, identity = 0, combine = source { glsl = 'return a + b;', parameters = {'a', 'b'},\n"
         "  host = function(a, b) return a + b end } } }",
         "combine"},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        msw_spec *spec = read_spec(cases[c].text);
        msw_op_info info = {.struct_size = sizeof info};
        assert_int_equal(msw_spec_op(spec, 0, &info), MSW_OK);
        if (!cases[c].sources) assert_null(info.sources);
        else assert_string_equal(info.sources, cases[c].sources);
        msw_spec_destroy(spec);
    }
}

/* It runs, and only that. */
static void test_without_host(void **state)
{
    static uint32_t in[N], got[N];
    msw_spec *spec = read_spec(without_host);
    msw_diag diag;
    (void)state;
    for (uint32_t i = 0; i < N; i++) in[i] = i;
    run_on_device(spec, NULL, NULL, in, got);
    for (uint32_t i = 0; i < N; i++) assert_int_equal(got[i], i * (i + 1));
    assert_int_equal(msw_spec_evaluate(spec, 0, N, (const void *[]){in}, (void *[]){got}, NULL, NULL, &diag), MSW_ERROR_UNSUPPORTED);
    assert_string_equal(diag.message, "s.lua:1: s: map is a source without a host function, so there is nothing to compute or verify with; "
                                      "add host = function(..) .. end");
    msw_spec_destroy(spec);
}

static void expect_no_program(const char *text, uint32_t backend, msw_result code, const char *message)
{
    msw_spec *spec = read_spec(text);
    msw_program *program;
    msw_diag diag;
    const msw_target target = {.struct_size = sizeof target, .backend = backend};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target};
    assert_int_equal(msw_program_create(spec, &desc, &program, &diag), code);
    assert_string_equal(diag.message, message);
    msw_spec_destroy(spec);
}

static void test_missing_text(void **state)
{
    (void)state;
    expect_no_program("return scan { monoid = sum(u32), map = source { glsl = 'return x;' } }", MSW_BACKEND_CUDA, MSW_ERROR_UNSUPPORTED,
                      "s.lua:1: s: map is a source without a text for CUDA; add cuda = [[..]]");
    expect_no_program(
        "local m = monoid { type = u32, identity = 0, laws = 'trusted', combine = source { cuda = 'return a + b;' } }\nreturn scan { monoid = m }",
        MSW_BACKEND_VULKAN, MSW_ERROR_UNSUPPORTED, "s.lua:2: s: combine is a source without a text for Vulkan; add glsl = [[..]]");
}

/* Names that the kernel's text has too, of parameters, fields and structs, mean in a body what they mean in the spec. */
static void test_words_of_the_text(void **state)
{
    static const char text[] =
        "local Tile = struct 'Tile' { {'in', u32}, {'in_', u32}, {'length', u32} }\n"
        "local join = monoid { type = Tile, identity = { 0, 0, 0 }, combine = source { parameters = { 'params', 'gl_' },\n"
        "  glsl = [[ const Tile tile = Tile(params.in + gl_.in, params.in_ ^ gl_.in_, params . length + 1u); return tile; ]],\n"
        "  cuda = [[ Tile tile{params.in + gl_.in, params.in_ ^ gl_.in_, params . length + 1u}; return tile; ]],\n"
        "  host = function(params, gl_) return { params['in'] + gl_['in'], params.in_ ~ gl_.in_, params.length + 1 } end }, laws = 'trusted' }\n"
        "return reduce { monoid = join, input = u32, map = source { glsl = [[ return Tile(input, 2u * input, 0u); ]], cuda = [[ return "
        "Tile{input, 2u * input, 0u}; ]],\n"
        "  host = function(input) return { input, 2 * input, 0 } end }, output = source { type = u32, glsl = [[ return int.in + int.in_; ]],\n"
        "  cuda = [[ return int.in + int.in_; ]], host = function(int) return int['in'] + int.in_ end } }";
    static uint32_t in[N], expected, got;
    msw_spec *spec = read_spec(text);
    msw_diag diag;
    (void)state;
    for (uint32_t i = 0; i < N; i++) in[i] = i * 7 + 1;
    if (msw_spec_evaluate(spec, 0, N, (const void *[]){in}, (void *[]){&expected}, NULL, NULL, &diag)) fail_msg("%s", diag.message);
    run_on_device(spec, NULL, NULL, in, &got);
    assert_int_equal(got, expected);
    msw_spec_destroy(spec);
}

/* The bodies for CUDA, where there is NVRTC; with MSW_TEST_DEVICE=cuda they run. */
static void test_cuda_bodies(void **state)
{
    static const char *const texts[] = {gcd_spec, moving_spec, without_host};
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        msw_spec *spec = read_spec(texts[i]);
        msw_program *program;
        msw_diag diag;
        if (msw_program_create(spec, &desc, &program, &diag)) fail_msg("%s", diag.message);
        const msw_result result = msw_program_compile(program, &diag);
        if (result == MSW_ERROR_UNSUPPORTED) print_message("not compiled: %s\n", diag.message);
        else if (result) fail_msg("%s", diag.message);
        msw_program_destroy(program);
        msw_spec_destroy(spec);
    }
}

/* Errors and endless loops of a host function end the evaluation, with the line. */
static void test_host_failures(void **state)
{
    static const struct {
        const char *body, *message;
    } cases[] = {
        {"if x == 3 then error('three') end return x", "s.lua:2: three"},
        {"if x == 3 then while true do end end return x", "s.lua:2: the host function takes too long for one element; end its loops"},
        {"local t = ''\nwhile x == 3 do t = ('x'):rep(1000000) end return x",
         "s.lua:3: the host function takes too long for one element; end its loops"},
        {"return x / 2", "s.lua:1: the result is 0.5, no value of u32; use // for integers"},
        {"return { x }", "s.lua:1: the result is a table, expected u32; give it one"},
    };
    const uint32_t in[4] = {1, 2, 3, 4};
    uint32_t out[4];
    char text[512];
    msw_diag diag;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "return scan { monoid = sum(u32), map = source { glsl = 'return x;', host = function(x)\n%s\nend } }",
                 cases[i].body);
        msw_spec *spec = read_spec(text);
        assert_int_equal(msw_spec_evaluate(spec, 0, 4, (const void *[]){in}, (void *[]){out}, NULL, NULL, &diag), MSW_ERROR_SPEC);
        if (!strstr(diag.message, cases[i].message)) fail_msg("%s: %s", cases[i].body, diag.message);
        msw_spec_destroy(spec);
    }
}

/* What the spec may take to be read is over then: each element has a time of its own, and one that passes it does so for good. */
static void test_host_time(void **state)
{
    static const char text[] =
        "return scan { monoid = sum(u32), map = source { glsl = 'return x;', host = function(x)\n"
        "local t = { x } table.insert(t, 1) if ('7'):find('7') and x == 3 then while true do table.insert(t, 1) t[2] = nil end end\nreturn t[1] "
        "end } }";
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text, .file = "s.lua", .time_limit_ms = 300};
    uint32_t in[3000], out[3000];
    msw_spec *spec;
    msw_diag diag;
    clock_t start;
    (void)state;
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
    for (uint32_t i = 0; i < 3000; i++) in[i] = 4;
    start = clock();
    while (clock() - start < CLOCKS_PER_SEC * 4 / 10) {}
    if (msw_spec_evaluate(spec, 0, 3000, (const void *[]){in}, (void *[]){out}, NULL, NULL, &diag)) fail_msg("%s", diag.message);
    assert_int_equal(out[2999], 12000);
    in[7] = 3;
    for (int time = 0; time < 2; time++) {
        assert_int_equal(msw_spec_evaluate(spec, 0, 3000, (const void *[]){in}, (void *[]){out}, NULL, NULL, &diag), MSW_ERROR_SPEC);
        assert_non_null(strstr(diag.message, "s.lua:2: the host function takes too long for one element"));
    }
    msw_spec_destroy(spec);
}

static int open_context(void **state)
{
    const char *name = getenv("MSW_TEST_DEVICE");
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = name ? name : "vulkan"};
    msw_diag diag;
    (void)state;
    if (!msw_context_create(&desc, &context, &diag)) return 0;
    fprintf(stderr, "%s\n", diag.message);
    return -1;
}

static int close_context(void **state)
{
    (void)state;
    msw_context_destroy(context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop),         cmocka_unit_test(test_names_of_sources), cmocka_unit_test(test_structs),
        cmocka_unit_test(test_without_host), cmocka_unit_test(test_missing_text),     cmocka_unit_test(test_words_of_the_text),
        cmocka_unit_test(test_cuda_bodies),  cmocka_unit_test(test_host_failures),    cmocka_unit_test(test_host_time),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
