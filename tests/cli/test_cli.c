/* The command line, from outside: every flag, exit code and message that users' scripts rely on. */
#include "cli_driver.h"

static const char sum_spec[] = "return scan { monoid = sum(u32) }\n";
static const char two_spec[] =
    "return { scan { name = 'first', monoid = sum(u32) }, reduce { name = 'second', monoid = maximum(u32), doc = 'the largest' } }\n";
static const char bad_spec[] = "-- a spec\nreturn scan { monoid = summ(u32) }\n";
static const char blur_spec[] = "return scan { monoid = sum(f32) }\n";
static const uint32_t numbers[5] = {7, 2, 5, 8, 1}, sums[5] = {7, 9, 14, 22, 23};

static int set_up(void **state)
{
    (void)state;
    enter_directory("test_cli.files");
    make_text("sum.lua", sum_spec);
    make_text("two.lua", two_spec);
    make_text("made.lua", "return compact { inputs = { {'v', generate = function(i) return u32(i) * 3 end} }, keep = function(e) return "
                          "eq(e.v & 1, 0) end }");
    make_text("bad.lua", bad_spec);
    make_text("blur.lua", blur_spec);
    make_file("in.bin", numbers, sizeof numbers);
    make_file("odd.bin", numbers, 10);
    make_file("empty.bin", numbers, 0);
    return 0;
}

/* ---- usage ---- */

static void test_usage_errors(void **state)
{
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"", "monosweep check"},
        {"frobnicate", "unknown command frobnicate; monosweep --help shows all"},
        {"chekc sum.lua", "did you mean check?"},
        {"--verison", "unknown command --verison"},
        {"check", "needs a spec"},
        {"check sum.lua two.lua", "unexpected argument 'two.lua'"},
        {"devices sum.lua", "unexpected argument 'sum.lua'"},
        {"check sum.lua --verify", "has no flag --verify"},
        {"check sum.lua --jsno", "did you mean --json?"},
        {"check sum.lua -X", "unknown flag -X; monosweep check --help shows all"},
        {"check sum.lua --frobnicate", "unknown flag --frobnicate; monosweep check --help shows all"},
        {"check sum.lua --json=1", "--json takes no value"},
        {"check sum.lua -D", "-D needs a value"},
        {"check sum.lua -D N", "not of the form NAME=VALUE"},
        {"check sum.lua -D =3", "not of the form NAME=VALUE"},
        {"check sum.lua -D N=", "not of the form NAME=VALUE"},
        {"check sum.lua -D 1x=3", "'1x' is not a name"},
        {"check sum.lua --dump plan", "check goes no further than the spec"},
        {"check sum.lua --dump everything", "it is spec, plan, source or binary"},
        {"check sum.lua --json --dump spec", "both write to standard output"},
        {"plan sum.lua --device host --target glsl", "exclude each other"},
        {"plan sum.lua --device host --subgroup 8", "--set subgroup=8"},
        {"plan sum.lua --device host --without int64", "--without goes with --target"},
        {"plan sum.lua --without int64,int65", "--without int65: no such feature"},
        {"plan sum.lua --subgroup 3", "it is 1, 2, 4, 8, 16, 32, 64 or 128"},
        {"plan sum.lua --subgroup -8", "not a subgroup size"},
        {"plan sum.lua --progress-model maybe", "it is parallel, occupancy or none"},
        {"plan two.lua --op third", "no operation 'third'"},
        {"gen sum.lua", "write --target cuda, ptx, cubin, glsl, spirv, header or plans"},
        {"gen sum.lua --target wgsl -o out/g", "no such target"},
        {"gen sum.lua --target ptx", "--target ptx needs a directory"},
        {"gen sum.lua --target cubin --arch sm_9", "--arch sm_9: not an architecture"},
        {"gen sum.lua --target cubin --arch compute_90", "--arch compute_90: not an architecture"},
        {"plan sum.lua --target cuda --arch sm_999", "--arch sm_999: not an architecture; it is sm_75, sm_80, "},
        {"plan sum.lua --target cuda --arch sm_200", "(sm_75 to sm_199, also with a or f behind, as sm_90a)"},
        {"plan sum.lua --target cuda --arch sm_70", "--arch sm_70: not an architecture"},
        {"plan sum.lua --target cuda --arch sm_090", "--arch sm_090: not an architecture"},
        {"plan sum.lua --target cuda --arch sm_90af", "--arch sm_90af: not an architecture"},
        {"plan sum.lua --target sm_90", "--target sm_90: this is an architecture; write --target cuda --arch sm_90 "},
        {"plan sum.lua --target sm_12", "--target sm_12: no such target; it is cuda, "},
        {"plan sum.lua --target header", "--target header goes with gen"},
        {"gen sum.lua --target header --backend metal", "--backend metal: no such backend; it is vulkan, cuda or vulkan,cuda"},
        {"gen sum.lua --target header --backend cuda, -o out/g", "no such backend"},
        {"gen sum.lua --target glsl --backend vulkan", "--backend goes with --target header"},
        {"gen sum.lua --target cuda --embed ptx", "--embed goes with --target header"},
        {"gen sum.lua --target cuda --spdx MIT", "--spdx goes with --target header"},
        {"gen sum.lua --target header --embed ptx", "--embed goes with --backend cuda"},
        {"gen sum.lua --target header --arch sm_90", "--arch goes with --backend cuda"},
        {"gen sum.lua --target header --backend cuda --embed sass -o out/g", "it is ptx, for every later architecture, or cubin, for one"},
        {"gen sum.lua --target header --backend cuda --subgroup 8,32 -o out/g", "several sizes go with --target header or plans, --backend vulkan"},
        {"gen sum.lua --target header --backend cuda --or-without int64 -o out/g",
         "--or-without goes with --target header or plans, --backend vulkan"},
        {"gen sum.lua --target header --or-without wings -o out/g", "--or-without wings: no such feature"},
        {"gen sum.lua --target header --subgroup 8,16,8 -o out/g", "8 is given twice"},
        {"gen sum.lua --target header --subgroup 8, -o out/g", "not a subgroup size"},
        {"gen sum.lua --target glsl --subgroup 8,16", "several sizes go with --target header"},
        {"gen sum.lua --target spirv", "add -o DIR"},
        {"gen sum.lua --target glsl --json", "add -o DIR"},
        {"gen sum.lua --target glsl --arch sm_90", "--arch goes with --target cuda, ptx, cubin, header or plans"},
        {"bench sum.lua --jit --device host", "the host oracle has no kernels to compile"},
        {"bench sum.lua --jit --op third", "no operation 'third'"},
        {"bench sum.lua --jit --json --csv -", "both write to standard output"},
        {"bench sum.lua --jit --no-cache --cache-dir c", "exclude each other"},
        {"run sum.lua", "needs input 'in'; add --input in=FILE"},
        {"run sum.lua --input in=in.bin --n 5", "--n: sum has as many elements as input 'in'; leave --n out"},
        {"run made.lua --output out=out/a", "made has no input of n elements, which would say what n is; add --n SIZE"},
        {"run made.lua --n 5,6", "--n 5,6: several sizes; give one"},
        {"run sum.lua --inptu in=in.bin", "did you mean --input?"},
        {"run sum.lua --input in", "not of the form NAME=FILE"},
        {"run sum.lua --input keys=in.bin", "sum has no input 'keys'"},
        {"run sum.lua --input in=in.bin --output in=out/a", "sum has no output 'in'"},
        {"run sum.lua --input in=in.bin --input in=odd.bin", "given twice"},
        {"run sum.lua --input in=in.bin --output out=out/a --output out=out/b", "given twice"},
        {"run sum.lua --input in=in.bin --output out=- --json", "both write to standard output"},
        {"run sum.lua --input in=in.bin --output out=- --dump source", "both write to standard output"},
        {"run two.lua --input in=in.bin --output out=out/a", "--op second  the largest"},
        {"plan two.lua --op first --op second", "--op first and --op second: one operation"},
        {"run two.lua --op third --input in=in.bin --output out=out/a", "choose one of\n  --op first"},
        {"run sum.lua --device toaster --input in=in.bin --output out=out/a", "--device toaster: no such device"},
        {"run sum.lua --device vulkan: --input in=in.bin --output out=out/a", "--device vulkan:: no such device"},
        {"run sum.lua --device host:x --input in=in.bin --output out=out/a", "--device host:x: no such device"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) expect_failure(cases[i].arguments, 2, cases[i].message);
}

static void test_help_and_version(void **state)
{
    static const char *const commands[] = {"check", "plan", "gen", "run", "devices", "bench", "tune"};
    static const char *const own[] = {"--dump", "--target", "-o DIR", "--verify", "--verbose", "--jit", "--budget"};
    char arguments[64];
    (void)state;
    for (int i = 0; i < 7; i++) {
        snprintf(arguments, sizeof arguments, "%s --help", commands[i]);
        expect(arguments, 0, own[i], NULL);
        expect(arguments, 0, "--json", NULL);
        expect(arguments, 0, "--quiet", NULL);
        snprintf(arguments, sizeof arguments, "%s --version", commands[i]);
        expect(arguments, 0, "monosweep 0.1.0\n", NULL);
    }
    expect("plan --help", 0, "counts=32 or 64", NULL);
    cli_result help = run("plan --help");
    assert_null(strstr(help.out.data, "Strategies of pipelines")); /* which have those of their stages */
    drop(&help);
    expect("--help", 0, "monosweep devices", NULL);
    expect("--help", 0, "scan, reduction, sort, map, sweep and pipeline kernels", NULL);
    expect("--version", 0, "monosweep 0.1.0\n", NULL);
}

/* ---- specs ---- */

static void test_wrong_specs(void **state)
{
    static const char *const commands[] = {
        "check bad.lua",
        "check bad.lua --json",
        "plan bad.lua --json",
        "gen bad.lua --target glsl -o out/g",
        "run bad.lua --input in=in.bin --output out=out/a",
    };
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) expect_failure(commands[i], 3, "bad.lua:2:");
    expect_failure("check '" MSW_SOURCE_DIR "/tests/spec/bad_specs/mixed_types.lua'", 3,
                   "mixed_types.lua:2: u32 + f32: convert one side, as in f32(x)");
    expect_failure("check '" MSW_SOURCE_DIR "/tests/spec/bad_specs/flow_if.lua'", 3, "flow_if.lua:3: map: ");
    expect_failure("check -D N=977 '" MSW_SOURCE_DIR "/tests/spec/bad_specs/flow_given.lua'", 3, "flow_given.lua:3: map: with x = 977 it returns ");
    expect_failure("check -", 2, "-: a spec is read from a file; name it, or /dev/stdin");
    make_text("opaque.lua", "return scan { monoid = sum(u32), map = source { glsl = 'return x;' } }\n");
    expect_failure("run opaque.lua --device vulkan --verify --input in=in.bin --output out=out/a", 1,
                   "opaque.lua:1: opaque: map is a source without a host function");
    expect_failure("check missing.lua", 1, "missing.lua");
    expect_failure("check out", 1, "out");
}

static void test_check(void **state)
{
    (void)state;
    expect("check sum.lua", 0, "sum: inclusive scan", NULL);
    expect("check two.lua", 0, "\nsecond: ", NULL);
    expect("check sum.lua --dump spec", 0, "\"operations\"", NULL);
    cli_result quiet = run("check --quiet -- sum.lua");
    assert_int_equal(quiet.code, 0);
    assert_int_equal(quiet.out.bytes + quiet.err.bytes, 0);
    drop(&quiet);
    make_text("define.lua", "return scan { name = NAME, monoid = sum(u32), input = u32, map = function(x) return x * FACTOR end }\n");
    expect("run define.lua -D NAME=twice -DFACTOR=2 --device host --input in=in.bin --output out=define.bin", 0, NULL, "twice: host");
    expect("run define.lua -D NAME=twice -DFACTOR=2 --device host --input in=in.bin --output out=define.bin --rounds 4", 0, NULL, "twice: host");
    expect("run define.lua -D NAME=twice -DFACTOR=2 --device host --input in=in.bin --rounds 0", 2, NULL, "--rounds 0: not a number of 1 to 101");
    expect("check define.lua -D NAME=twice -D FACTOR=2 -D FACTORS=3", 0, NULL,
           "define.lua:1: warning: FACTORS is given (-D), but the spec does not use that name");
    cli_result used = run("check define.lua -D NAME=twice -D FACTOR=2");
    assert_int_equal(used.err.bytes, 0);
    drop(&used);
    const uint32_t twice[5] = {14, 18, 28, 44, 46};
    expect_file("define.bin", twice, sizeof twice);
}

/* ---- plans and texts ---- */

static void test_plan(void **state)
{
    (void)state;
    expect("plan sum.lua", 0, "reduce_then_scan", NULL);
    expect("plan sum.lua", 0, "once, before the scratch is used: zero_scratch: tiles of 65536 bytes, ", NULL);
    expect("plan sum.lua --json", 0, "\"init_steps\": [{\"kernel\": 4, ", NULL);
    expect("plan two.lua", 0, "second: ", NULL);
    expect("plan two.lua --op first --set strategy=single_block --subgroup 8", 0, "subgroup 8", NULL);
    expect("plan sum.lua --device vulkan", 0, "sum: ", NULL);
    expect("plan sum.lua --dump source", 0, "#version 460", NULL);
    expect("plan sum.lua --dump binary", 0, "0x07230203", NULL);
    expect_failure("plan two.lua --json --set block=1000000", 1, "block");
}

/* A knob or value that there is not is a matter of usage, as another flag's; what does not fit the device is not. */
static void test_wrong_knobs(void **state)
{
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"plan sum.lua --json --set items=none", "monosweep: sum: --set items=none: not a number in 1 .. 2^20\n"},
        {"plan sum.lua --json --set colour=red", "--set colour=red: there is no such knob; there are strategy, "},
        {"plan sum.lua --set items=0", "--set items=0: not a number in 1 .. 2^20\n"},
        {"plan sum.lua --set subgroup=3", "--set subgroup=3: a subgroup has 1 (no subgroup operations), 2, 4, .. 128 lanes"},
        {"plan sum.lua --set strategy=msd", "--set strategy=msd: choose auto, lookahead, "},
        {"plan sum.lua --set digit_bits=8", "--set digit_bits=8: a scan has no such knob, only sorts have it\n"},
        {"plan keys.lua --set digit_bits=0x8", "keys: --set digit_bits=0x8: not a number in 1 .. 11\n"},
        {"plan keys.lua --set digit_bits=12", "keys: --set digit_bits=12: a digit has 1 to 11 bits\n"},
        {"plan two.lua --op second --set lookback=2",
         "second: --set lookback=2: a reduction has no such knob, only scans, sorts and sweeps have it\n"},
        {"gen keys.lua --target header --set block=abc", "--set block=abc: not a number in 1 .. 2^20\n"},
        {"run sum.lua --device host --input in=in.bin --set strategy=fastest", "--set strategy=fastest: choose auto"},
        {"bench sum.lua --device host --n 100 --set foo=1", "--set foo=1: there is no such knob"},
        {"bench sum.lua --device vulkan --jit --set foo=1", "--set foo=1: there is no such knob"},
    };
    (void)state;
    make_text("keys.lua", "return sort { key = u32 }\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) expect_failure(cases[i].arguments, 2, cases[i].message);
}

static void test_gen(void **state)
{
    (void)state;
    expect("gen two.lua --target glsl -o one", 0, NULL, "one/first_vulkan.plan.json");
    expect("gen two.lua --target glsl -o other", 0, NULL, "other/second_vulkan.plan.json");
    expect("gen two.lua --target spirv -o one --quiet", 0, NULL, NULL);
    expect("gen two.lua --target spirv -o other --json", 0, "\"other/first_vulkan.plan.json\"", NULL);
    assert_int_equal(system("diff -r one other"), 0);
    assert_true(count_files("one") >= 6);
    assert_int_equal(system("test -s one/first_scan_tiles.comp && test -s one/first_scan_tiles.spv"), 0);
    assert_int_equal(system("head -c 4 one/first_scan_tiles.spv | od -An -tx4 | grep -q 07230203"), 0);
    expect("gen sum.lua --target glsl", 0, "#version 460", NULL);
    make_text("alike.lua", "local Pair = struct 'Pair' { {'k', u16}, {'v', u32} }\n" /* of members as the inputs' elements have */
                           "return compact { inputs = { {'k', u16}, {'x', u32} }, keep = function(e) return lt(e.x, 9) end,\n"
                           "  output = function(e) return Pair { k = e.k, v = e.x } end }");
    expect("gen alike.lua --target spirv -o one --quiet", 0, NULL, NULL);
    remove("alike.lua");
    expect_failure("gen sum.lua --target glsl -o in.bin", 1, "in.bin");
    expect_failure("gen sum.lua --target glsl -o out/no/parent", 1, "make its parent first");
    expect_failure("gen sum.lua --target glsl --set block=7 -o out/g", 1, "block");
    expect_file("in.bin", numbers, sizeof numbers);
}

/* ---- running ---- */

/* Of a pipeline's items, too, as many are written as there are, though the array has more room; of none the rest of a device's memory is nobody's. */
static void test_run_items_of_pipelines(void **state)
{
    static const uint32_t x[3] = {2, 0, 1}, items[3] = {20, 21, 10}, added[3] = {20, 41, 51};
    (void)state;
    make_text(
        "items.lua",
        "return pipeline(function(p)\n"
        "  local items = p.append { input = p.input('x', u32), capacity = 4000, length = function(x) return x end,\n"
        "    item = function(x, i, k) return x * 10 + k end }\n"
        "  local strewn = p.map { input = items.out, outputs = { {'y', at = function(x, i) return i end, value = function(x) return x end} } }\n"
        "  p.output('items', items.out)\n"
        "  p.output('sums', p.scan { monoid = sum(u32), input = strewn })\n"
        "end)");
    make_file("three.bin", x, sizeof x);
    make_file("none.bin", x, 0);
    for (int on_device = 0; on_device < 2; on_device++) {
        char arguments[256];
        const char *device = on_device ? "vulkan" : "host";
        snprintf(arguments, sizeof arguments,
                 "run items.lua --quiet --verify --device %s --input x=three.bin --output items=i.bin --output sums=s.bin", device);
        expect(arguments, 0, "", "");
        expect_file("i.bin", items, sizeof items);
        expect_file("s.bin", added, sizeof added);
        snprintf(arguments, sizeof arguments,
                 "run items.lua --quiet --verify --device %s --input x=none.bin --output items=i.bin --output sums=s.bin", device);
        expect(arguments, 0, "", "");
        expect_file("i.bin", items, 0);
        expect_file("s.bin", sums, 0);
    }
}

/* As many items are written as there are, or as there is room for; `count` has them all. Lengths that sum to more than 2^32 are counted. */
static void test_run_append(void **state)
{
    static const uint32_t lengths[] = {2, 0, 0x80000000u, 1, 0x80000000u}, items[] = {0, 1, 200, 201, 202, 203}, whole[] = {0, 1};
    const uint64_t counts[] = {UINT64_C(0x100000003), 2};
    (void)state;
    make_text("many.lua",
              "return append { input = u32, capacity = 6, length = function(x) return x end, item = function(x, i, k) return u32(i) * 100 + k end }");
    make_text("root.lua", "return append { input = u32, length = function(x) return x % 2 end, item = function(x) return sqrt(f32(x)) end }");
    make_text("long.lua", "return append { input = u32, length = function(x) return u32(sqrt(f32(x % 5))) end, item = function(x) return x end }");
    make_text("wide.lua", "return append { input = u32, capacity = 1 << 28, length = function(x) return x end, item = function(x) return x end }");
    make_file("lengths.bin", lengths, sizeof lengths);
    make_file("few.bin", lengths, 2 * sizeof *lengths);
    for (int d = 0; d < 2; d++) {
        const char *device = d ? "vulkan" : "host";
        char arguments[200];
        snprintf(arguments, sizeof arguments, "run many.lua --device %s --input in=lengths.bin --output out=a.bin --output count=b.bin --verify",
                 device);
        expect(arguments, 1, NULL, "many: 4294967299 items, room for 6: 'out' lacks the others; no array has so many, split the input\n");
        expect_file("a.bin", items, sizeof items);
        expect_file("b.bin", &counts[0], sizeof *counts);
        snprintf(arguments, sizeof arguments, "run many.lua --device %s --input in=few.bin --output out=a.bin --output count=b.bin --verify", device);
        expect(arguments, 0, NULL, "verified bit for bit");
        expect_file("a.bin", whole, sizeof whole);
        expect_file("b.bin", &counts[1], sizeof *counts);
    }
    make_text("twice.lua", "return append { input = u32, length = function(x) return u32(2) end, item = function(x) return x end }");
    expect("run twice.lua --device host --input in=few.bin --output out=a.bin --json", 1,
           ", \"counts\": {\"count\": 4}, \"room\": 2, \"verified\": null}",
           "twice: 4 items, room for 2: 'out' lacks the others; set capacity = 4 in the spec, or more\n");
    expect_file("a.bin", (const uint32_t[]){2, 2}, 2 * sizeof *lengths);
    expect("run twice.lua --device host --input in=few.bin --verify", 1, NULL, "twice: 4 items, room for 2");
    expect("run twice.lua --device host --input in=few.bin --output count=b.bin", 0, NULL, "host");
    expect("run root.lua --device vulkan --input in=lengths.bin --verify", 0, NULL, "verified: out, ");
    expect("run long.lua --device vulkan --input in=lengths.bin --verify", 1, NULL, "its lengths are rounded by the device");
    expect("run long.lua --device host --input in=lengths.bin --verify", 0, NULL, "verified");
    expect_failure("plan many.lua --target cuda --arch sm_90 --set strategy=lookahead", 1, "look-ahead of an append; choose lookback");
    if (getenv("MSW_TEST_DEVICE")) return; /* another has no such bound */
    expect("run wide.lua --device vulkan --set strategy=single_block --input in=few.bin", 1, NULL, "lavapipe ends long loops");
}

static void test_run(void **state)
{
    (void)state;
    expect("run sum.lua --device host --input in=in.bin --output out=a.bin --verify", 0, NULL, "n = 5, ");
    expect_file("a.bin", sums, sizeof sums);
    expect("run sum.lua --device vulkan --input in=in.bin --output out=b.bin --verify", 0, NULL, "verified bit for bit");
    expect_file("b.bin", sums, sizeof sums);
    expect("run sum.lua --input in=in.bin --output out=b.bin --json --verify --quiet", 0, "\"verified\": \"bitwise\"", NULL);
    expect("run two.lua --op second --device host --input in=in.bin --output out=c.bin", 0, NULL, "second: host");
    expect("run two.lua --op second --device host --input in=in.bin", 0, NULL, "; nothing was written: add --output out=FILE, or --verify\n");
    expect_file("c.bin", &numbers[3], 4);
    expect("run blur.lua --device vulkan --input in=in.bin --output out=d.bin --verify", 0, NULL, ", verified\n  structure exact (");
    expect("run blur.lua --device host --input in=in.bin --output out=d.bin --verify", 0, NULL, "verified bit for bit");
    expect("run sum.lua --set strategy=reduce_then_scan --set block=32 --input in=in.bin --output out=e.bin --verify", 0, NULL, "verified");
    expect("run made.lua --device vulkan --n 2^4 --output out=made.bin --verify", 0, NULL, "n = 16, ");
    cli_file made = load_file("made.bin");
    assert_int_equal(made.bytes, 8 * sizeof(uint32_t));
    for (uint32_t i = 0; i < 8; i++) assert_int_equal(((const uint32_t *)(const void *)made.data)[i], 6 * i);
    free(made.data);
    expect("run made.lua --device host --n 3 --verify --json --quiet", 0, "\"n\": 3", NULL);
    expect("run sum.lua --device vulkan --dump source", 0, "#version 460", NULL);
    expect("run sum.lua --device vulkan --dump plan --input in=in.bin --output out=f.bin", 0, "\"kernels\"", "n = 5");
    expect_file("f.bin", sums, sizeof sums);
}

/* A law that fails is named before the driver is blamed, and results are not called bit-exact; the laws of other operations do not matter. */
static void test_laws(void **state)
{
    enum { N = 4000 };
    unsigned char bytes[N];
    (void)state;
    memset(bytes, 100, N / 2);
    memset(bytes + N / 2, 156, N / 2); /* -100 */
    make_file("saturated.bin", bytes, N);
    make_text("laws.lua",
              "local sat = monoid { type = i8, identity = 0, combine = function(a, b) return i8(clamp(i32(a) + i32(b), -128, 127)) end }\n"
              "local bad = monoid { type = u32, identity = 1, combine = function(a, b) return a + b end }\n"
              "return { reduce { name = 'sat', monoid = sat }, scan { name = 'good', monoid = sum(u32) }, scan { name = 'bad', monoid = bad } }\n");
    static const char *const quiet[] = {"run laws.lua --op good --device vulkan --verify --input in=in.bin", "plan laws.lua --op good",
                                        "gen laws.lua --op good --target glsl -o good"};
    for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++) {
        cli_result result = run(quiet[i]);
        if (result.code || strstr(result.err.data, "laws.lua:")) fail_msg("%s: %d, %s", quiet[i], result.code, result.err.data);
        drop(&result);
    }
    expect_failure("check laws.lua", 3, "laws.lua:2: monoid: combine(identity, a) == a fails");
    expect_failure("run laws.lua --op bad --device vulkan --input in=in.bin --output out=out/a", 3,
                   "laws.lua:2: monoid: combine(identity, a) == a fails");
    expect_failure("run laws.lua --op sat --device vulkan --verify --input in=saturated.bin", 1,
                   "a law fails, so that results depend on the order of combination: laws.lua:1: monoid: combine(combine(a, b), c)");
    cli_result result = run("run laws.lua --op sat --device vulkan --verify --input in=in.bin");
    assert_int_equal(result.code, 0);
    assert_non_null(strstr(result.err.data, "laws.lua:1: warning: monoid: "));
    assert_null(strstr(result.err.data, "bit for bit"));
    drop(&result);
}

static void test_run_empty(void **state)
{
    (void)state;
    static const char *const devices[] = {"host", "vulkan"};
    char arguments[256];
    for (int i = 0; i < 2; i++) {
        snprintf(arguments, sizeof arguments, "run sum.lua --device %s --verify --input in=empty.bin --output out=none.bin", devices[i]);
        expect(arguments, 0, NULL, "n = 0");
        expect_file("none.bin", "", 0);
        snprintf(arguments, sizeof arguments, "run two.lua --op second --device %s --verify --input in=empty.bin --output out=one.bin", devices[i]);
        expect(arguments, 0, NULL, "n = 0");
        expect_file("one.bin", "\0\0\0\0", 4);
    }
}

static void test_standard_streams(void **state)
{
    (void)state;
    expect("run sum.lua --device host --input in=- --output out=- < in.bin | cat > piped.bin; test -s piped.bin", 0, NULL, "n = 5");
    expect_file("piped.bin", sums, sizeof sums);
    expect("run sum.lua --device host --input in=- --output out=piped.bin < /dev/null", 0, NULL, "n = 0");
    expect("run sum.lua --device host --input in=- --output out=out/a <&-", 1, NULL, "standard input: cannot be read");
    expect("run sum.lua --device host --input in=in.bin --output out=- > /dev/full", 1, NULL, "standard output: cannot be written");
    expect("check sum.lua > /dev/full", 1, NULL, "standard output");
    assert_int_equal(system("ulimit -v 1000000; '" MSW_BINARY_DIR
                            "/monosweep' run sum.lua --device host --input in=/dev/zero --output out=out/zeros 2>&1 | "
                            "grep -q '^monosweep: /dev/zero: too large'"),
                     0);
    assert_int_equal(system("head -c 4000000 /dev/zero > zeros.bin"), 0);
    expect("run sum.lua --device host --input in=zeros.bin --output out=- 2> pipe.txt | head -c 3 > /dev/null; cat pipe.txt", 0,
           "its reader ended before", NULL);
}

static void test_files(void **state)
{
    (void)state;
    expect_failure("run sum.lua --device host --input in=missing.bin --output out=out/a", 1, "missing.bin: cannot be read: No such file");
    expect_failure("run sum.lua --device host --input in=out --output out=out/a", 1, "out: cannot be read: Is a directory");
    expect_failure("run sum.lua --device host --input in=odd.bin --output out=out/a", 1, "10 bytes are not a multiple of the 4 bytes");
    expect_failure("run sum.lua --device host --input in=in.bin --output out=out", 1, "out: cannot be written: Is a directory");
    expect_failure("run sum.lua --device host --input in=in.bin --output out=out/no/file", 1, "out/no/file: cannot be written");
    expect_failure("run sum.lua --device host --input in=in.bin --output out=/proc/nothing_here", 1, "/proc/nothing_here: cannot be written");
    expect_failure("run sum.lua --device cuda --input in=in.bin --output out=out/a", 1, "cuda");
    expect_failure("run sum.lua --device vulkan:99 --input in=in.bin --output out=out/a", 1, "vulkan");

    make_file("same.bin", numbers, sizeof numbers);
    expect("run sum.lua --device host --input in=same.bin --output out=same.bin", 0, NULL, "n = 5");
    expect_file("same.bin", sums, sizeof sums);

    make_text("target.bin", "old");
    assert_int_equal(symlink("target.bin", "link.bin"), 0);
    expect("run sum.lua --device host --input in=in.bin --output out=link.bin", 0, NULL, NULL);
    expect_file("target.bin", sums, sizeof sums);
    struct stat status;
    assert_int_equal(lstat("link.bin", &status), 0);
    assert_true(S_ISLNK(status.st_mode));

    /* the spec itself */
    assert_int_equal(symlink("sum.lua", "link.lua"), 0);
    expect_failure("run sum.lua --device host --input in=in.bin --output out=./sum.lua", 2, "sum.lua: it is the spec that is read, sum.lua;");
    expect_failure("run sum.lua --device host --input in=in.bin --output out=link.lua", 2, "link.lua: it is the spec that is read, sum.lua;");
    expect("run sum.lua --device host --input in=in.bin --output out=/dev/null", 0, NULL, NULL);

    /* two outputs in one file: one of them would be lost */
    make_text("split.lua", "return partition { input = i32, first = function(x) return lt(x, 3) end }");
    static const char *const same[] = {"out=target.bin --output rest=link.bin", "out=link.bin --output rest=./target.bin",
                                       "out=new.bin --output rest=./new.bin"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        char command[200];
        snprintf(command, sizeof command, "run split.lua --device host --input in=in.bin --output %s", same[i]);
        expect_failure(command, 2, "bin: it is the same file as ");
    }
    expect_file("target.bin", sums, sizeof sums);
    assert_int_equal(stat("new.bin", &status), -1);
    expect("run split.lua --device host --input in=in.bin --output out=/dev/null --output rest=/dev/../dev/null", 0, NULL, NULL);

    expect("run sum.lua --device host --input in=in.bin --output out=/dev/null", 0, NULL, NULL);
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    expect("run sum.lua --device host --input in=in.bin --output out=/dev/full", 1, NULL, "/dev/full: cannot be written");

    assert_int_equal(system("umask 027; '" MSW_BINARY_DIR "/monosweep' run sum.lua --quiet --device host --input in=in.bin --output out=masked.bin"),
                     0);
    assert_int_equal(stat("masked.bin", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
}

/* An output that exists keeps its contents when the run fails. */
static void test_failure_keeps_output(void **state)
{
    (void)state;
    make_text("kept.bin", "kept");
    expect_failure("run sum.lua --device host --input in=odd.bin --output out=kept.bin", 1, "multiple");
    expect_failure("run sum.lua --device vulkan --set block=7 --input in=in.bin --output out=kept.bin", 1, "block");
    expect_file("kept.bin", "kept", 4);
}

static void test_devices(void **state)
{
    (void)state;
    expect("devices", 0, "host ", NULL);
    expect("devices --verbose", 0, "subgroup", NULL);
    expect("devices --json", 0, "\"backend\": \"host\"", NULL);
}

/* ---- JSON ---- */

static const char *skip_value(const char *at);

static const char *skip_blanks(const char *at) { return at + strspn(at, " \n\t"); }

static const char *skip_string(const char *at)
{
    if (*at++ != '"') return NULL;
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < 0x20) return NULL;
        if (*at == '\\' && !*++at) return NULL;
    }
    return at + 1;
}

/* The members of a list or an object, after the opening bracket. */
static const char *skip_members(const char *at, char close)
{
    at = skip_blanks(at);
    if (*at == close) return at + 1;
    for (;;) {
        if (close == '}') {
            at = skip_string(skip_blanks(at));
            if (!at || *(at = skip_blanks(at)) != ':') return NULL;
            at++;
        }
        at = skip_value(at);
        if (!at) return NULL;
        at = skip_blanks(at);
        if (*at == close) return at + 1;
        if (*at++ != ',') return NULL;
    }
}

static const char *skip_value(const char *at)
{
    char *end;
    at = skip_blanks(at);
    if (*at == '{') return skip_members(at + 1, '}');
    if (*at == '[') return skip_members(at + 1, ']');
    if (*at == '"') return skip_string(at);
    if (!strncmp(at, "true", 4) || !strncmp(at, "null", 4)) return at + 4;
    if (!strncmp(at, "false", 5)) return at + 5;
    strtod(at, &end);
    return end > at ? end : NULL;
}

static void test_json(void **state)
{
    static const char *const commands[] = {
        "check two.lua --json",
        "plan two.lua --json",
        "plan sum.lua --dump plan",
        "check two.lua --dump spec",
        "devices --json",
        "gen two.lua --target glsl -o g --json",
        "run sum.lua --device host --input in=in.bin --output out=j.bin --json",
        "run blur.lua --device host --input in=in.bin --output out=j.bin --json --verify",
    };
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        cli_result result = run(commands[i]);
        assert_int_equal(result.code, 0);
        const char *end = skip_value(result.out.data);
        if (!end || *skip_blanks(end)) show_and_fail(commands[i], &result, "not JSON");
        drop(&result);
    }
}

/* ---- examples ---- */

static void test_text_offsets(void **state)
{
    static const char text[] = "ab c\n\nd\001e \303\n";
    static const uint32_t places[][3] = {{1, 1, 1}, {1, 1, 2}, {1, 0, 3}, {1, 2, 4}, {1, 0, 5}, {2, 0, 1},
                                         {3, 3, 1}, {3, 3, 2}, {3, 3, 3}, {3, 0, 4}, {3, 0, 5}, {3, 0, 6}};
    static const uint32_t totals[3] = {3, 3, 5};
    (void)state;
    make_text("text.txt", text);
    expect("run '" MSW_SOURCE_DIR "/examples/text_offsets.lua' --op offsets --verify --input in=text.txt --output out=places.bin", 0, NULL,
           "verified bit for bit");
    expect_file("places.bin", places, sizeof places);
    expect("run '" MSW_SOURCE_DIR "/examples/text_offsets.lua' --op totals --verify --input in=text.txt --output out=totals.bin", 0, NULL,
           "verified bit for bit");
    expect_file("totals.bin", totals, sizeof totals);
    expect("run '" MSW_SOURCE_DIR "/examples/affine.lua' -D DECAY=0.5 --verify --input in=text.txt --output out=average.bin", 0, NULL,
           "verified: out, worst error ");
    cli_file average = load_file("average.bin");
    float first[2];
    memcpy(first, average.data, sizeof first);
    assert_true(first[0] == 48.5f && first[1] == 73.25f); /* 97 / 2, (48.5 + 98) / 2 */
    free(average.data);
}

/* Five words, two of which differ behind their fourth letter; five points, of which two are in one cell. */
static void test_sort_examples(void **state)
{
    static const char *const words[] = {"the", "licensor", "licensee", "of", "the"};
    static const float points[][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 0.001f}, {0, 0, 0}, {0.5f, 0, 0}};
    static const uint32_t codes[] = {0, 1, 0x12492492, 0x20000000, 0x24924924}, points_order[] = {3, 2, 1, 4, 0}, words_order[] = {1, 2, 0, 4, 3};
    (void)state;
    char text[sizeof words / sizeof *words * 24 + 1], *end = text;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) end += sprintf(end, "%-24s", words[i]);
    make_file("words.bin", text, (size_t)(end - text));
    expect("run '" MSW_SOURCE_DIR "/examples/words.lua' --verify --input in=words.bin --output values_out=order.bin", 0, NULL,
           "verified bit for bit");
    expect_file("order.bin", words_order, sizeof words_order);
    make_file("points.bin", points, sizeof points);
    expect("run '" MSW_SOURCE_DIR "/examples/morton.lua' --verify --input in=points.bin --output keys_out=codes.bin --output values_out=order.bin", 0,
           NULL, "verified bit for bit");
    expect_file("codes.bin", codes, sizeof codes);
    expect_file("order.bin", points_order, sizeof points_order);
}

/* The README's example is examples/jit_affine/main.c, has 15 lines at most, and works. */
static void test_jit_example(void **state)
{
    (void)state;
    cli_file readme = load_file(MSW_SOURCE_DIR "/README.md"), example = load_file(MSW_SOURCE_DIR "/examples/jit_affine/main.c");
    char *block = strstr(readme.data, "```c\n");
    assert_non_null(block);
    block += strlen("```c\n");
    char *end = strstr(block, "```\n");
    assert_non_null(end);
    *end = '\0';
    assert_string_equal(block, example.data);
    int lines = 0;
    for (const char *at = block; *at; at++) lines += *at == '\n';
    assert_true(lines <= 15);
    free(readme.data);
    free(example.data);
    assert_int_equal(system("'" MSW_BINARY_DIR "/tests/jit_affine' > jit.txt"), 0);
    expect_file("jit.txt", "1 2.5 4.25 6.125\n", 17);
}

/* ---- the cache of compiled kernels, bench ---- */

static void test_cache_directory(void **state)
{
    (void)state;
    expect("run sum.lua --device vulkan --cache-dir cached --input in=in.bin --output out=c1.bin", 0, NULL, "n = 5");
    const int count = count_files("cached");
    assert_true(count >= 2);
    expect("run sum.lua --device vulkan --cache-dir cached --input in=in.bin --output out=c2.bin", 0, NULL, "n = 5");
    assert_int_equal(count_files("cached"), count);
    expect_file("c1.bin", sums, sizeof sums);
    expect_file("c2.bin", sums, sizeof sums);
    expect("run sum.lua --device vulkan --cache-dir sum.lua --input in=in.bin --output out=c3.bin", 0, NULL,
           "cache: sum.lua: cannot be opened: Not a directory");
    expect_file("c3.bin", sums, sizeof sums);
    expect("run sum.lua --device host --cache-dir never --input in=in.bin --output out=c4.bin", 0, NULL, "n = 5");
    assert_int_not_equal(access("never", F_OK), 0);
}

static void test_bench_jit(void **state)
{
    (void)state;
    expect("bench two.lua --jit --device vulkan --csv jit.csv", 0, "\nsecond ", NULL);
    cli_file csv = load_file("jit.csv");
    assert_non_null(csv.data);
    if (!strstr(csv.data, "operation,device,rounds,first_ms,generator_ms,compile_ms,load_ms,cold_ms,warm_ms,needed_ms,cold_cache,warm_cache,kernel,"
                          "to_ptx_ms,to_code_ms\nfirst,vulkan:0,"))
        fail_msg("%s", csv.data);
    free(csv.data);
    expect("bench blur.lua --jit --device vulkan --json --no-cache -D N=3", 0,
           "\"needed_n\": 16777216, \"cold_cache\": \"none\", \"warm_cache\": \"none\", ", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usage_errors),
        cmocka_unit_test(test_help_and_version),
        cmocka_unit_test(test_wrong_specs),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_wrong_knobs),
        cmocka_unit_test(test_gen),
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_run_append),
        cmocka_unit_test(test_run_items_of_pipelines),
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_run_empty),
        cmocka_unit_test(test_standard_streams),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_failure_keeps_output),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_text_offsets),
        cmocka_unit_test(test_sort_examples),
        cmocka_unit_test(test_cache_directory),
        cmocka_unit_test(test_bench_jit),
        cmocka_unit_test(test_jit_example),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
