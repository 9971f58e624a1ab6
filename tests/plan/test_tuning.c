/* Tuning tables: which row a plan goes by, what tables may not say; and monosweep tune, which writes them. */
#include "cli_driver.h"
#include "cli/measure/tuning_file.h"

#include <sys/resource.h>

static int set_up(void **state)
{
    (void)state;
    enter_directory("test_tuning_files");
    make_text("sum.lua", "return scan { monoid = sum(u32) }");
    make_text("own.lua", "return scan { monoid = sum(u32), tune = { items = 4 } }");
    make_text("sort.lua", "return sort { key = u32 }");
    make_text("total.lua", "return reduce { monoid = sum(u64) }");
    make_text("in.bin", "abcdefghijklmnopqrst");
    return 0;
}

#define ROW "row { backend = \"vulkan\", class = \"scan\", bytes = 4, "

#define DEVICE "row { backend = \"vulkan\", class = \"device\", "

/* What `plan ARGUMENTS` prints with this table. */
static void expect_plan(const char *table, const char *arguments, const char *out)
{
    char command[512];
    make_text("t.lua", table);
    snprintf(command, sizeof command, "plan --tuning t.lua %s", arguments);
    expect(command, 0, out, NULL);
}

/* It goes by no row, or by none of this table. */
static void expect_untuned(const char *table, const char *arguments)
{
    char command[512];
    make_text("t.lua", table);
    snprintf(command, sizeof command, "plan --tuning t.lua %s", arguments);
    cli_result result = run(command);
    if (result.code || strstr(result.out.data, "t.lua")) show_and_fail(command, &result, "tuned by the table");
    drop(&result);
}

/* ---- which row ---- */

static void test_precedence(void **state)
{
    static const char table[] = "-- mine\n" ROW "knobs = { block = 64, items = 8 }, figure = \"fast\", date = \"today\" }\n";
    (void)state;
    expect_plan(table, "sum.lua --target glsl", "tiles of 512 items, 1 block of 64 threads");
    expect_plan(table, "sum.lua --target glsl", "tuned by t.lua:2: scan of 4 bytes: block=64 items=8 (fast, today)\n");
    expect_plan(table, "sum.lua --target glsl --json", "\"tuned_by\": [\"t.lua:2: scan of 4 bytes: ");
    expect_plan(table, "own.lua --target glsl", "tiles of 256 items, 1 block of 64 threads"); /* the spec's items */
    expect_plan(table, "own.lua --target glsl --set items=16", "tiles of 1024 items");        /* the command line's */
    expect_plan(table, "own.lua --target glsl", "\n  fixed by the spec itself: items=4\n");
    expect_plan(table, "own.lua --target glsl --json", ", \"fixed\": \"items=4\"}");
    expect_untuned(table, "total.lua --target glsl"); /* another class */
    expect_untuned(table, "sum.lua --target cuda");   /* another backend */
    /* A class of fewer operations goes by the rows of all where it has none. */
    make_text("narrow.lua", "local M = struct 'M' { {'a', u64}, {'b', u64} }\n"
                            "return scan { monoid = monoid { type = M, identity = M(1, 0), combine = function(f, g)\n"
                            "  return M(f.a * g.a, f.b * g.a + g.b) end }, output = function(s) return s.b end }");
    expect("plan narrow.lua --target cuda --arch sm_90", 0, "scan of 16 to 31 bytes on sm_90, lookahead: ", NULL);
    make_text("narrow.lua", "return scan { monoid = sum(u32), output = function(s) return u8(s & 1) end }");
    expect_plan(table, "narrow.lua --target glsl", "tuned by t.lua:2: scan of 4 bytes: block=64 items=8 (fast, today)\n");
    expect("plan narrow.lua --target cuda --arch sm_90", 0, "scan_narrow of 2 to 15 bytes on sm_90, lookahead: ", NULL);
    /* The user's rows come before those that are shipped. */
    expect("plan sum.lua --target cuda --arch sm_90", 0, "tuned by backends/cuda/tuning.lua:", NULL);
    expect_plan("row { backend = \"cuda\", class = \"scan\", bytes = { 1, 8 }, strategy = \"lookahead\", knobs = { block = 256 } }",
                "sum.lua --target cuda --arch sm_90", "n <= 2097152: lookback"); /* from where on it looks ahead is the shipped row's */
    expect_plan("row { backend = \"cuda\", class = \"scan\", bytes = { 1, 8 }, strategy = \"lookahead\", knobs = { block = 256 } }",
                "sum.lua --target cuda --arch sm_90", "blocks of 288 threads");
    /* Both post in one place of the scratch, so both do it in one form: else a payload might be taken for a tag. */
    expect_plan("row { backend = \"cuda\", class = \"scan\", bytes = { 1, 8 }, strategy = \"lookahead\", knobs = { descriptor = \"wide\" } }",
                "sum.lua --target cuda --arch sm_90", "lookahead, scratch 648 bytes + 8 a tile");
}

static void test_nearest(void **state)
{
    static const char table[] =
        "row { backend = \"cuda\", class = \"sort\", bytes = 4, knobs = { items = 4 } }\n"
        "row { backend = \"cuda\", arch = \"sm_80\", class = \"sort\", bytes = { 1, 8 }, knobs = { items = 8 } }\n"
        "row { backend = \"cuda\", arch = \"sm_80\", class = \"sort\", bytes = 4, knobs = { items = 12 } }\n"
        "row { backend = \"cuda\", arch = \"sm_89\", class = \"sort\", bytes = 4, knobs = { items = 16 } }\n"
        "row { backend = \"cuda\", arch = \"sm_90\", class = \"sort\", bytes = 4, shared = 1000000000, knobs = { items = 20 } }\n";
    (void)state;
    expect_plan(table, "sort.lua --target cuda", "t.lua:1: ");
    expect_plan(table, "sort.lua --target cuda --arch sm_75", "t.lua:1: ");
    expect_plan(table, "sort.lua --target cuda --arch sm_80", "t.lua:3: ");
    expect_plan(table, "sort.lua --target cuda --arch sm_86", "t.lua:3: ");
    expect_plan(table, "sort.lua --target cuda --arch sm_120", "t.lua:4: "); /* that for sm_90 needs more shared memory */
}

/* Constants of a device: the user's rows first; of those the nearest architecture, then the one that names the device. */
static void test_devices(void **state)
{
    static const char by_arch[] = "row { backend = 'cuda', class = 'device', constants = { bandwidth = 1e6 } }\n"
                                  "row { backend = 'cuda', arch = 'sm_80', class = 'device', constants = { bandwidth = 4e6, launch_seconds = 0 } }\n";
    static const char by_name[] =
        "row { backend = 'vulkan', class = 'device', device = 'H100', constants = { bandwidth = 1e6 } }\n"
        "row { backend = 'vulkan', class = 'device', device = 'llvmpipe', constants = { bandwidth = 2e6 }, date = 'today' }\n"
        "row { backend = 'vulkan', class = 'device', constants = { bandwidth = 4e6 } }\n";
    (void)state;
    make_text("maps.lua", "return pipeline(function(p) p.output('y', p.map({ p.input('x', u32) }, function(v) return v + 1 end)) end)");
    expect_plan(by_arch, "maps.lua --compare --target cuda --n 1000000",
                "  constants of t.lua:1: device\n  launched: 1 stage, 8 bytes an element, 8.00 s");
    expect_plan(by_arch, "maps.lua --compare --target cuda --arch sm_90 --n 1000000", "  constants of t.lua:2: device on sm_80\n");
    expect_plan(by_arch, "maps.lua --compare --target cuda --arch sm_90 --n 1000000", "  launched: 1 stage, 8 bytes an element, 2.00 s");
    expect_plan(by_arch, "maps.lua --target cuda --arch sm_90", "  by prediction: 33.6 s for 16777216 elements");
    expect_plan(by_name, "maps.lua --compare --device vulkan --n 1000000", "  constants of t.lua:2: device llvmpipe (today)\n");
    expect_plan(by_name, "maps.lua --compare --target glsl --n 1000000", "  constants of t.lua:3: device\n"); /* whose name is not known */
    expect("plan maps.lua --compare --target cuda --arch sm_90", 0, "  constants of backends/cuda/tuning.lua:", NULL);
    expect("plan maps.lua --compare --target cuda --arch sm_80", 0, "  constants of a large GPU; monosweep tune --constants ", NULL);
}

/* Constants are those by which the model says what was measured; the row is found by the device's name, and replaces the one before. */
static void test_constants(void **state)
{
    (void)state;
    make_text("c.lua", "row { backend = 'vulkan', class = 'device', device = 'another', constants = { bandwidth = 3 } }\n");
    cli_result result = run("tune --constants --device vulkan --tuning c.lua --budget 1 --quiet --json");
    if (result.code) show_and_fail("tune --constants", &result, "done");
    const char *at = result.out.data;
    int count = 0, near = 0;
    for (; (at = strstr(at, "\"us\": ")); at++, count++) {
        double us, predicted_us;
        assert_int_equal(sscanf(at, "\"us\": %lf, \"predicted_us\": %lf", &us, &predicted_us), 2);
        assert_true(us > 0 && predicted_us > 0);
        near += predicted_us > 0.9 * us && predicted_us < 1.1 * us; /* the others cost less than the bytes that they move */
    }
    assert_int_equal(count, 7);
    assert_true(near >= 4);
    assert_non_null(strstr(result.out.data, "\"constant\": \"launch_seconds\""));
    drop(&result);
    expect("plan maps.lua --compare --device vulkan --tuning c.lua", 0, "  constants of c.lua:", NULL);
    expect("plan maps.lua --compare --device vulkan --tuning c.lua", 0, ": device llvmpipe ", NULL);
    expect("tune --constants --device vulkan --tuning c.lua --budget 0.1", 0, "written into c.lua\n", NULL);
    cli_file table = load_file("c.lua");
    const char *first = strstr(table.data, "\nrow {"), *second = first ? strstr(first + 1, "\nrow {") : NULL;
    assert_true(second && !strstr(second + 1, "\nrow {"));
    free(table.data);
    expect_failure("tune --constants sum.lua", 2, "--constants and sum.lua exclude each other; leave one out");
    expect_failure("tune --constants --n 100", 2, "--constants and --n exclude each other");
    expect_failure("tune --constants --device host --tuning c.lua", 2, "the host oracle has no constants");
}

/* Pairs are classed by their wider half, whether or not it goes through shared memory. */
static void test_pairs(void **state)
{
    static const char table[] = "row { backend = \"cuda\", class = \"sort_pairs\", bytes = 4, knobs = { items = 4 } }\n"
                                "row { backend = \"cuda\", class = \"sort_pairs\", bytes = 12, knobs = { items = 8 } }\n";
    (void)state;
    make_text("pairs.lua", "return { sort { name = 'words', key = u32, value = f32 }, sort { name = 'points', key = u32, value = vec(f32, 3) },\n"
                           "  sort { name = 'wide', key = u32, value = vec(u64, 4) } }");
    expect_plan(table, "pairs.lua --op words --target cuda", "t.lua:1: ");
    expect_plan(table, "pairs.lua --op points --target cuda", "t.lua:2: sort_pairs of 12 bytes");
    expect_untuned(table, "pairs.lua --op wide --target cuda");
}

/* A row's strategy is the one for large n; small ones and buffers in place keep theirs. */
static void test_strategy(void **state)
{
    (void)state;
    expect("plan sum.lua --target glsl --progress-model parallel", 0, ": lookback", NULL);
    expect_plan(ROW "strategy = \"reduce_then_scan\", knobs = { block = 256, items = 32 } }", "sum.lua --target glsl --progress-model parallel",
                "n <= 32768: single_block");
    expect_plan(ROW "strategy = \"reduce_then_scan\", knobs = { block = 256, items = 32 } }", "sum.lua --target glsl --progress-model parallel",
                "n <= 2147467263: reduce_then_scan");
    expect_untuned(ROW "strategy = \"reduce_then_scan\", knobs = { items = 8 } }", "sum.lua --target glsl --set strategy=chained_scan");
    expect_plan(ROW "strategy = \"scan_then_propagate\", knobs = { block = 256, items = 32 } }", "sum.lua --target glsl --progress-model parallel",
                "n <= 2147467263: scan_then_propagate, scratch 8 bytes + 8 a block");
    make_text("three.lua",
              "return { scan { name = 'odd', monoid = sum(u32), outputs = { {'y', keep = function(s, x) return ne(x & 1, 0) end,\n"
              "    value = function(s) return s end} } },\n"
              "  scan { name = 'same', monoid = sum(f32), deterministic = 'everywhere' },\n"
              "  append { name = 'more', input = u32, length = function(x) return x end, item = function(x) return x end, capacity = 9 } }");
    static const char sweeps[] = "row { backend = \"cuda\", class = \"sweep\", bytes = 4, strategy = \"scan_then_propagate\",\n"
                                 "  knobs = { items = 16, packs = \"tile\" } }\n"
                                 "row { backend = \"cuda\", class = \"scan_everywhere\", bytes = 4, strategy = \"scan_then_propagate\" }";
    expect_plan(sweeps, "three.lua --op odd --target cuda --arch sm_80", ": scan_then_propagate, scratch 13840 bytes + 32768 a tile, 16 bytes read");
    expect_plan(sweeps, "three.lua --op same --target cuda --arch sm_80", ": reduce_then_scan, ");
    expect_plan(sweeps, "three.lua --op more --target cuda --arch sm_80", ": reduce_then_scan, ");
    expect_plan("row { backend = \"cuda\", class = \"scan\", bytes = 4, strategy = \"lookback\", knobs = { block = 256, items = 32 } }",
                "sum.lua --target cuda --arch sm_90", "n <= 35184372072448: lookback");
}

/* Rows that say from when on another strategy than Onesweep is the faster, each for the keys that it can sort; Onesweep is left for fewer, and for
 * more than it serves. */
static void test_large_sorts(void **state)
{
    static const char table[] = "row { backend = \"vulkan\", class = \"sort\", bytes = 4, strategy = \"counting\", from = 200000 }\n"
                                "row { backend = \"vulkan\", class = \"sort\", bytes = 4, strategy = \"msd_hybrid\", from = 800000 }\n";
    (void)state;
    make_text("keys.lua",
              "return { sort { name = 'bytes', key = u8 }, sort { name = 'words', key = u32 }, sort { name = 'ids', key = u8, value = u32 } }");
    expect_plan(table, "keys.lua --op bytes --device vulkan", "1025 <= n <= 99999: onesweep");
    expect_plan(table, "keys.lua --op bytes --device vulkan", "\n  100000 <= n <= 96993280: counting");
    expect_plan(table, "keys.lua --op bytes --device vulkan", "96993281 <= n <= 2147481599: onesweep");
    expect_plan(table, "keys.lua --op bytes --device vulkan", "  tuned by t.lua:1: ");
    expect_plan(table, "keys.lua --op words --device vulkan", "\n  100000 <= n <= ");
    expect_plan(table, "keys.lua --op words --device vulkan", ": msd_hybrid");
    expect_plan(table, "keys.lua --op words --device vulkan", "  tuned by t.lua:2: ");
    expect_untuned(table, "keys.lua --op ids --device vulkan");
    expect_untuned(table, "keys.lua --op bytes --device vulkan --set strategy=onesweep");
    expect_untuned(table, "keys.lua --op bytes --device vulkan --set digit_bits=4");
}

/* In what order n alone decides: look-ahead where there are bulk copies, but not of several arrays from the last element; look-back of one
 * register on a Vulkan GPU with progress. */
static void test_order_by_n(void **state)
{
    (void)state;
    make_text("same.lua",
              "return { scan { name = 'one', monoid = sum(f32), deterministic = 'everywhere' },\n"
              "  scan { name = 'two', monoid = sum(vec(f32, 2)), deterministic = 'everywhere' },\n"
              "  scan { name = 'back', monoid = sum(f32), inputs = { {'x', f32}, {'y', u8} }, map = function(e) return e.x end, reverse = true,\n"
              "    deterministic = 'everywhere' },\n"
              "  reduce_by_key { name = 'keys', key = u32, monoid = sum(f32), deterministic = 'everywhere' } }");
    expect("plan same.lua --op one --target cuda --arch sm_90", 0, "tuned by backends/cuda/tuning.lua:", NULL);
    expect("plan same.lua --op one --target cuda --arch sm_90", 0, ": lookahead, scratch ", NULL);
    expect("plan same.lua --op two --target cuda --arch sm_90", 0, ": lookahead, scratch ", NULL);
    expect("plan same.lua --op one --target cuda --arch sm_80", 0, ": reduce_then_scan, ", NULL);
    expect("plan same.lua --op keys --target cuda --arch sm_90", 0, ": lookahead, scratch ", NULL);
    expect("plan same.lua --op back --target cuda --arch sm_90", 0, ": reduce_then_scan, ", NULL);
    expect("plan same.lua --op one --target glsl --progress-model parallel", 0, ": lookback, ", NULL);
    expect("plan same.lua --op two --target glsl --progress-model parallel", 0, ": reduce_then_scan, ", NULL);
    expect("plan same.lua --op one --target glsl --progress-model none", 0, ": reduce_then_scan, ", NULL);
    expect("plan same.lua --op back --target cuda --arch sm_90 --set strategy=lookahead", 1, NULL, "with several arrays from the last element");
    expect("plan same.lua --op one --target cuda --arch sm_90 --set strategy=lookahead --set block=384", 1, NULL, "a tree of powers of two");
}

/* With what the user asks for it does not fit: it is left out, and no error. */
static void test_unfit(void **state)
{
    make_text("t.lua", ROW "knobs = { block = 256, items = 32 } }");
    (void)state;
    cli_result result = run("plan --tuning t.lua sum.lua --target glsl --set vector=16 --set items=16 --set block=64");
    assert_int_equal(result.code, 0);
    assert_non_null(strstr(result.out.data, "tuned by t.lua:1"));
    drop(&result);
    expect_plan(ROW "knobs = { block = 1000, items = 8 } }", "sum.lua --target glsl", "  does not fit, and is left out: t.lua:1: scan of 4 bytes");
    expect_plan(ROW "knobs = { block = 1000, items = 8 } }", "sum.lua --target glsl --json", "\"tuned_by\": [], \"left_out\": [\"t.lua:1: ");
}

/* A tile that does not fit is a smaller one: what kernels are good at, look-ahead and packing, they do not lose by it. */
static void test_smaller_tiles(void **state)
{
    static const struct {
        const char *arguments, *out;
    } cases[] = {
        {"bytes --n 100000000", "lookahead, 1 launch"},
        {"bytes --n 100000000", "tiles of 14336 items"},
        {"halves --n 100000000", "lookahead, 1 launch"},
        {"longs --n 100000000", "tiles of 6656 items"},
        {"longs", ", 2026-11-23)\n    of which not all fits; now stages=3 thread_bytes=208\n"},
        {"longs --json",
         "runs of 1, 4, 64; 512 threads with 96 bytes 93, 84, 73, 2026-11-23); of which not all fits; now stages=3 thread_bytes=208\"]"},
        {"bytes", "    of which not all fits; now thread_bytes=28\n"},
        {"counted --n 100000000", "lookahead, 1 launch"},
        {"counted --n 100000000", "tiles of 11264 items"},
        {"triples --n 100000000", "tiles of 5120 items"},
        {"doubles --n 100000000", "lookahead, 1 launch"},
        {"sums --n 100000000", "tiles of 7168 items"},
        {"sums --n 5000000000", "scan_lookahead_wide: 697545 tiles of 7168 items"},
        {"words --n 5000000000", "scan_lookahead_wide: 443893 tiles of 11264 items"},
        /* The user's numbers stay. */
        {"longs --set stages=4 --n 100000000", "lookahead, 1 launch"},
        {"longs --set stages=4 --set thread_bytes=224", ": lookback"},
    };
    char command[300];
    (void)state;
    make_text("wide.lua", "local totals = pair { sum = sum(f32), most = maximum(f32), rows = sum(u32), order = { 'sum', 'most', 'rows' } }\n"
                          "local function sums(name, key, value, monoid, map)\n"
                          "  return reduce_by_key { name = name, key = key, value = value, monoid = monoid, map = map } end\n"
                          "return { run_length_encode { name = 'bytes', input = u8 }, run_length_encode { name = 'halves', input = u16 },\n"
                          "  run_length_encode { name = 'words', input = u32 }, run_length_encode { name = 'longs', input = u64 },\n"
                          "  sums('counted', u32, u8, sum(u32), function(v) return u32(v) end), sums('sums', u32, f32, sum(f32)),\n"
                          "  sums('doubles', u8, f64, sum(f64)), sums('triples', u32, f32, totals, function(v) return totals.type(v, v, 1) end),\n"
                          "  compact { name = 'kept', input = u64, keep = function(x) return gt(x, 3) end },\n"
                          "  unique { name = 'others', input = u64 } }\n");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        snprintf(command, sizeof command, "plan wide.lua --target cuda --arch sm_90 --op %s", cases[c].arguments);
        expect(command, 0, cases[c].out, NULL);
    }
    expect("plan wide.lua --target cuda --arch sm_80 --op kept --n 100000000", 0, "reads 800000000 bytes and", NULL);
    expect("plan wide.lua --target cuda --arch sm_80 --op others --n 100000000", 0, "reads 800000000 bytes and", NULL);
    expect("plan wide.lua --target cuda --arch sm_90 --op kept --n 100000", 0, "reads 800000 bytes and", NULL);
    expect("plan wide.lua --target cuda --arch sm_80 --op kept --set items=24 --n 100000000", 0, "128 threads", NULL);
    expect("plan wide.lua --target cuda --arch sm_80 --op kept --set items=24 --set block=256 --n 100000000", 0, "reads 1600000000 bytes", NULL);
}

/* ---- wrong tables ---- */

static void test_wrong_tables(void **state)
{
    static const struct {
        const char *table, *message;
    } cases[] = {
        {"row {", "t.lua:1: unexpected symbol near <eof>; correct the table, or remove it"},
        {"\nrow { backend = \"metal\" }", "t.lua:2: backend is missing; it is \"cuda\" or \"vulkan\""},
        {"row { backend = \"cuda\", arch = \"sm_90\", class = \"scan\", bytes = 4, knobs = { descriptor = \"a\\0b\" } }",
         "t.lua:1: descriptor = a.b: a descriptor is tagged"},
        {"row { backend = \"cuda\", class = \"scam\", bytes = 4 }",
         "t.lua:1: class is missing, or none that there is; there are device, map, reduce, scan, scan_everywhere, scan_narrow, scan_segments, sort"},
        {"row { backend = \"cuda\", class = \"scan\" }", "t.lua:1: bytes is missing"},
        {ROW "knobs = { blocc = 3 } }", "t.lua:1: no knob is called 'blocc'; there are ahead, block, "},
        {"\n\n" ROW "knobs = { block = 0 } }", "t.lua:3: block = 0: not a number in 1 .. 2^20; correct it"},
        {ROW "knobs = { ahead = 0, items = 0 } }", "t.lua:1: items = 0: not a number"},
        {ROW "knobs = { block = 2.5 } }", "t.lua:1: block = 2.5: not a number"},
        {ROW "knobs = { descriptor = \"banana\" } }", "t.lua:1: descriptor = banana: a descriptor is tagged"},
        {ROW "knobs = { descriptor = 4 } }", "t.lua:1: descriptor = 4: a descriptor is tagged"},
        {ROW "knobs = { lookback = \"parallel\" } }", "t.lua:1: lookback = parallel: a lane reads 1 to 32"},
        {ROW "knobs = { ahead = 31 } }", "t.lua:1: ahead = 31: a block posts 0"},
        {ROW "knobs = { stages = 33 } }", "t.lua:1: stages = 33: a block holds 2 to 32 tiles; correct it"},
        {ROW "knobs = { digit_bits = 8 } }", "t.lua:1: digit_bits = 8: a scan has no such knob, only sorts have it; correct it"},
        {ROW "knobs = { subgroup = 3 } }", "t.lua:1: subgroup = 3: a subgroup has 1"},
        {ROW "knobs = 4 }", "t.lua:1: knobs is not a table"},
        {ROW "from = -1 }", "t.lua:1: from is not a whole number"},
        {ROW "knob = {} }", "t.lua:1: a row has no field 'knob'; it has arch, backend, "},
        {ROW "strategy = \"onesweep\" }",
         "t.lua:1: no row of class scan is for strategy 'onesweep'; they are for lookahead, lookback, reduce_then_scan, scan_then_propagate"},
        {"row { backend = \"cuda\", class = \"sort_pairs\", bytes = 4, strategy = \"split\" }",
         "no row of class sort_pairs is for strategy 'split'; they are for counting, msd_hybrid, onesweep"},
        {ROW "strategy = \"chained_scan\" }", "t.lua:1: no row of class scan is for strategy 'chained_scan'; they are for look"},
        {DEVICE "constants = { bandwidht = 4e12 } }", "t.lua:1: no constant is called 'bandwidht'; there are bandwidth, block_bandwidth, "},
        {DEVICE "constants = { bandwidth = 0 } }", "t.lua:1: bandwidth = 0: it is a number from 1 to 1e+18; correct it"},
        {DEVICE "constants = { bandwidth = 0 / 0 } }", "t.lua:1: bandwidth = "},
        {DEVICE "constants = { launch_seconds = '3' } }", "t.lua:1: launch_seconds = 3: it is a number from 0 to 1000; correct it"},
        {DEVICE "constants = { multiprocessors = 1.5 } }", "t.lua:1: multiprocessors = 1.5: it is a whole number from 1 to 1048576; correct it"},
        {DEVICE "constants = 4 }", "t.lua:1: constants is not a table; correct it"},
        {DEVICE "device = 'H100' }", "t.lua:1: constants are missing; write constants = { bandwidth = 4e12, .. }"},
        {DEVICE "constants = {}, knobs = {} }", "t.lua:1: a row of class device has no field 'knobs'; it has arch, backend, class, constants, "},
        {ROW "device = 'H100' }", "t.lua:1: device and constants are of rows of class \"device\"; take them out"},
        {"row(4)", "t.lua:1: a row is a table"},
        {"os.exit(3)", "t.lua:1: attempt to index a nil value (global 'os'); a table is rows only"},
        {"x = (\"x\"):rep(1 << 40)", "t.lua:1: attempt to index a string value"},
        {"while true do end", "t.lua: takes too long; a table is rows only"},
        {"local text = 'x' while true do text = text .. text end", "a table is rows only: correct it, or remove it"},
        {"error({})", "a table is rows only: correct it, or remove it"},
        {"\033Lua", "t.lua: attempt to load a binary chunk"},
        {"-- rows\nreturn { { backend = 'cuda' } }", "t.lua: there is no row in this table; write row { backend = .., class = .., .. } for each"},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        make_text("t.lua", cases[c].table);
        expect_failure("plan sum.lua --target glsl --tuning t.lua", 2, cases[c].message);
        expect_failure("tune sum.lua --device vulkan --tuning t.lua", 2, cases[c].message);
    }
    expect_failure("plan sum.lua --target glsl --tuning none.lua", 1, "none.lua: cannot be read");
    expect_failure("tune sum.lua --device host --tuning out/t.lua", 2, "the host oracle has no knobs");
    expect_failure("tune sum.lua --budget soon", 2, "not a number of seconds");
    expect_failure("check sum.lua --tuning t.lua", 2, "monosweep check has no flag --tuning");
}

/* ---- the user's table ---- */

/* run takes it, gen does not; kernels made with another table are not taken from the cache. */
static void test_users_table(void **state)
{
    (void)state;
    assert_int_equal(system("mkdir -p monosweep && rm -f monosweep/tuning.lua"), 0);
    expect("run sum.lua --device vulkan --input in=in.bin --output out=o.bin --cache-dir c", 0, NULL, NULL);
    const int before = count_files("c");
    make_text("monosweep/tuning.lua", ROW "knobs = { block = 16, items = 4 } }");
    expect("run sum.lua --device vulkan --input in=in.bin --output out=o.bin --cache-dir c --verify", 0, NULL, "verified bit for bit");
    const int with_table = count_files("c");
    assert_true(with_table > before);
    expect("run sum.lua --device vulkan --input in=in.bin --output out=o.bin --cache-dir c", 0, NULL, NULL);
    assert_int_equal(count_files("c"), with_table);
    expect("plan sum.lua --device vulkan", 0, "/monosweep/tuning.lua:1: ", NULL);
    expect("plan sum.lua --device vulkan --tuning /dev/null", 0, "tiles of ", NULL);
    expect("gen sum.lua --target glsl --set strategy=single_block", 0, "block 256, ", NULL);
    expect("gen sum.lua --target glsl --set strategy=single_block --tuning monosweep/tuning.lua", 0, "block 256, ",
           NULL); /* a block of 16 has no subgroup of 32 */
    expect("gen sum.lua --target glsl --set strategy=single_block --subgroup 8 --tuning monosweep/tuning.lua", 0, "block 16, ", NULL);
    expect("gen sum.lua --target header --set strategy=single_block --subgroup 8 --tuning monosweep/tuning.lua", 0, " --tuning tuning.lua -o .",
           NULL);
    make_text("lookback.lua", "row { backend = \"vulkan\", class = \"scan\", bytes = 4, strategy = \"lookback\", knobs = {} }\n");
    expect("run sum.lua --device vulkan --tuning lookback.lua --input in=in.bin --output out=o.bin --verify", 0, NULL, "verified bit for bit");
    make_text("monosweep/tuning.lua", "row {}");
    expect_failure("run sum.lua --device vulkan --input in=in.bin --output out=out/o", 2, "/monosweep/tuning.lua:1: backend is missing");
    assert_int_equal(remove("monosweep/tuning.lua"), 0);
}

/* ---- tune ---- */

static void test_tune(void **state)
{
    (void)state;
    make_text("u.lua", "row { backend = \"cuda\", arch = \"sm_90\", class = \"scan\", bytes = 4, knobs = { items = 8 }, figure = \"kept\" }\n"
                       "row { backend = \"vulkan\", arch = \"lavapipe\", class = \"reduce\", bytes = 8, knobs = { block = 8 }, figure = \"old\" }\n");
    expect("tune total.lua --device vulkan --tuning u.lua --n 30000 --budget 3", 0, "total, reduce of 8 bytes on ", NULL);
    cli_file table = load_file("u.lua");
    assert_non_null(
        strstr(table.data, "row { backend = \"cuda\", arch = \"sm_90\", class = \"scan\", bytes = 4, knobs = { items = 8 }, figure = \"kept\" }\n"));
    const char *first = strstr(table.data, "class = \"reduce\""); /* the old one, or a better one in its place */
    assert_non_null(first);
    assert_null(strstr(first + 1, "class = \"reduce\""));
    free(table.data);
    expect("plan total.lua --device vulkan --tuning u.lua", 0, "total: ", NULL);
    expect("tune sort.lua --device vulkan --tuning new/dir/u.lua --n 500 --budget 0.5 --json", 0, "\"class\": \"sort\", \"bytes\": 4, \"n\": 500",
           NULL);
    expect("tune sort.lua --device vulkan --tuning new/dir/u.lua --n 500 --budget 0.1 --json", 0, "\"least_gain\": ", NULL);
    expect("tune sum.lua --device vulkan --tuning u.lua --n 2^39", 2, NULL, "more than there is memory for");
    expect("tune own.lua --device vulkan --tuning u.lua", 0, "own: its own tune, items=4, outranks every row: nothing is tried", NULL);
    expect("tune own.lua --device vulkan --tuning u.lua --json", 0,
           "\"tried\": 0, \"unfit\": 0, \"wrong\": 0, \"worse_n\": 0, \"fixed\": \"items=4\"", NULL);
    make_text("held", "");
    expect_failure("tune none.lua --device vulkan --tuning held/u.lua", 1, "held/u.lua: cannot be written"); /* before anything is read, or tried */
}

/* Of bytes counting is many times as fast as Onesweep on a processor. What is run by its row is right. */
static void test_large_sorts_are_tried(void **state)
{
    static unsigned char bytes[50000];
    (void)state;
    for (uint32_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * 2654435761u >> 24);
    make_file("bytes.bin", bytes, sizeof bytes);
    make_text("l.lua",
              "row { backend = \"vulkan\", arch = \"lavapipe\", class = \"sort\", bytes = 4, strategy = \"msd_hybrid\", from = 99999999 }\n");
    cli_file table = {NULL, 0};
    for (int attempt = 0; attempt < 4 && !(table.data && strstr(table.data, "counting")); attempt++) { /* on a busy machine nothing is sure */
        expect("tune keys.lua --op bytes --device vulkan --tuning l.lua --n 50000 --budget 1", 0, "bytes, sort of 4 bytes on lavapipe, ", NULL);
        free(table.data);
        table = load_file("l.lua");
    }
    assert_non_null(strstr(table.data, "class = \"sort\", bytes = 4, strategy = \"counting\", from = "));
    assert_non_null(strstr(table.data, "strategy = \"msd_hybrid\", from = 99999999")); /* of other keys */
    free(table.data);
    expect("plan keys.lua --op bytes --device vulkan --tuning l.lua --n 50000", 0, ": counting", NULL);
    expect("plan keys.lua --op words --device vulkan --tuning l.lua --n 50000", 0, "onesweep", NULL);
    expect("run keys.lua --op bytes --device vulkan --tuning l.lua --input keys=bytes.bin --verify", 0, NULL, "verified bit for bit");
}

/* Strategies: look-ahead, look-back, two launches that read the input twice and, where states are less to read and write than inputs, or inputs are
 * computed, two that leave states. */
static void test_states_are_tried_where_they_are_less(void **state)
{
    (void)state;
    make_text("broad.lua",
              "local Row = struct 'Row' { {'a', u64}, {'b', u64}, {'c', u64}, {'d', u32}, {'e', u32} }\n"
              "local function of(name, input) return scan { name = name, monoid = sum(u32), input = input, map = function(x)\n"
              "  return input == u32 and x or x.e end, output = function(s) return s * s end } end\n"
              "return { of('rows', Row), of('words', u32), scan { name = 'made', monoid = sum(u32), output = function(s) return s * s end,\n"
              "  inputs = { {'x', generate = function(i) return u32(i) end} }, map = function(e) return e.x end } }");
    expect("tune broad.lua --op rows --device vulkan --tuning broad_table.lua --n 3000 --budget 0.001", 0, "  4 candidates in ", NULL);
    expect("tune broad.lua --op words --device vulkan --tuning broad_table.lua --n 3000 --budget 0.001", 0, "  3 candidates in ", NULL);
    expect("tune broad.lua --op made --device vulkan --tuning broad_table.lua --n 3000 --budget 0.001", 0, "  4 candidates in ", NULL);
}

/* What is no monoid, against its word. One block never has more than a tile on the right of the operator; other strategies do, and are wrong. */
static void test_wrong_candidates(void **state)
{
    (void)state;
    make_text("lie.lua",
              "local Count = struct 'Count' { {'elements', u32}, {'total', u32} }\n"
              "local spoilt = monoid { type = Count, identity = Count(0, 0), laws = 'trusted', combine = function(a, b)\n"
              "  return Count(a.elements + b.elements, a.total + b.total + where(gt(b.elements, 2048), u32(1), u32(0))) end }\n"
              "return scan { monoid = spoilt, input = u32, map = function(x) return Count(1, x) end, output = function(s) return s.total end }\n");
    expect("run lie.lua --device vulkan --input in=in.bin --verify", 0, NULL, "verified bit for bit");
    expect("tune lie.lua --device vulkan --tuning lie_table.lua --n 8000 --budget 0.001", 0, "1 do not fit the device, 2 were wrong", NULL);
    assert_int_equal(access("lie_table.lua", F_OK), -1); /* no row */
}

/* ---- the table's file ---- */

enum { WRITERS = 8, ROWS = 12 };

/* Every row of every process is there in the end. */
static void test_writers(void **state)
{
    pid_t writers[WRITERS];
    (void)state;
    for (int w = 0; w < WRITERS; w++) {
        writers[w] = fork();
        assert_true(writers[w] >= 0);
        for (int r = 0; r < ROWS && !writers[w]; r++) {
            char row[256];
            snprintf(row, sizeof row, "row { backend = \"vulkan\", class = \"scan\", bytes = %d, knobs = { items = 4 } }\n", 1 + w * ROWS + r);
            if (ms_table_update("shared/table.lua", row)) _exit(1);
        }
        if (!writers[w]) _exit(0);
    }
    for (int w = 0; w < WRITERS; w++) {
        int status;
        assert_int_equal(waitpid(writers[w], &status, 0), writers[w]);
        assert_int_equal(status, 0);
    }
    cli_file table = load_file("shared/table.lua");
    assert_non_null(table.data);
    for (int bytes = 1; bytes <= WRITERS * ROWS; bytes++) {
        char field[32];
        snprintf(field, sizeof field, "bytes = %d,", bytes);
        if (!strstr(table.data, field)) fail_msg("the row of %d bytes is lost", bytes);
    }
    free(table.data);
    assert_int_equal(count_files("shared"), 1); /* neither a lock's nor a temporary one */
}

/* ---- tables that want to take long, or much memory: as tests/test_limits.c has of specs ---- */

#define KEYS 20000

/* Texts that Lua's parser takes long for, and instructions that do. */
static void write_nested(FILE *file)
{
    for (int depth = 0; depth < 180; depth++) {
        fprintf(file, "local function f()\nlocal v0");
        for (int i = 1; i < 195; i++) fprintf(file, ", v%d", i);
        fputc('\n', file);
    }
    for (int i = 0; i < 60000; i++) fprintf(file, "g=g\n");
    for (int depth = 0; depth < 180; depth++) fprintf(file, "end\n");
}

static void write_constants(FILE *file)
{
    fprintf(file, "local t = {");
    for (long i = 1; i <= 66000; i++) fprintf(file, "%ld,", i * 65535);
    fprintf(file, "}\n");
}

static void write_labels(FILE *file)
{
    fprintf(file, "local x\n");
    for (int i = 0; i < 22000; i++) fprintf(file, "if x then goto a%d end\n", i);
    for (int i = 0; i < 22000; i++) fprintf(file, "::a%d:: x = x\n", i);
}

/* A long list of arguments is copied at each call. */
static void write_arguments(FILE *file)
{
    fprintf(file, "local f, g\nfunction g(...) end\nfunction f(n, ...)\n  if n == 0 then for i = 1, 40000 do g(...) end return end\n  f(n - 1");
    for (int i = 0; i < 200; i++) fprintf(file, ", i");
    fprintf(file, ", ...)\nend\nf(190)\n");
}

static void write_collisions(FILE *file)
{
    fprintf(file, "local t = {}\nfor i = 1, %d do t[i * 1048575] = i end\nfor i = %d, 1, -1 do t[i * 1048575] = nil end\n", KEYS, KEYS);
}

static void write_texts(FILE *file) { fprintf(file, "local s = 'x'\nfor i = 1, 15 do s = s .. s end\nfor i = 1, 30000 do local u = s .. i end\n"); }

static void test_hostile_tables(void **state)
{
    static void (*const writers[])(FILE *) = {write_nested, write_constants, write_labels, write_arguments, write_collisions, write_texts};
    (void)state;
    for (size_t w = 0; w < sizeof writers / sizeof *writers; w++)
        for (int is_tune = 0; is_tune < 2; is_tune++) {
            struct rusage before, after;
            FILE *file = fopen("t.lua", "w");
            assert_non_null(file);
            writers[w](file);
            assert_int_equal(fclose(file), 0);
            getrusage(RUSAGE_CHILDREN, &before);
            cli_result result = run(is_tune ? "tune sum.lua --device vulkan --tuning t.lua" : "plan sum.lua --target glsl --tuning t.lua");
            getrusage(RUSAGE_CHILDREN, &after);
            const double seconds =
                (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) + (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) * 1e-6;
            print_message("%d: %.2f s, %ld MiB at most so far: %.150s\n", (int)w, seconds, after.ru_maxrss >> 10, result.err.data);
            if (result.code != 2 || !strstr(result.err.data, "t.lua: ")) show_and_fail("a hostile table", &result, "refused");
            assert_true(seconds < 2);
            drop(&result);
        }
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The quoted names between two texts of a file, in order: "map, reduce, scan". */
static void list_quoted(const char *path, const char *after, const char *before, char *list, size_t list_bytes)
{
    char *names[16], full[512];
    size_t count = 0, end = 0;
    snprintf(full, sizeof full, "%s/%s", MSW_SOURCE_DIR, path);
    cli_file file = load_file(full);
    char *at = strstr(file.data, after), *last = at ? strstr(at + strlen(after), before) : NULL;
    if (!last) fail_msg("%s: no list after %s", path, after);
    *last = '\0';
    for (at = strchr(at + strlen(after), '"'); at; at = strchr(at + strlen(at) + 1, '"')) {
        names[count++] = at + 1;
        *(at = strchr(at + 1, '"')) = '\0';
    }
    qsort(names, count, sizeof *names, by_text);
    for (size_t n = 0; n < count; n++) end += (size_t)snprintf(list + end, list_bytes - end, "%s%s", n ? ", " : "", names[n]);
    free(file.data);
}

enum { MOST_LINES = 200 };

/* A target for which rows are looked for, and an operation of theirs. */
typedef struct row_user {
    uint32_t backend;
    const char *arch, *device, *text; /* device: its name, if that is known */
} row_user;

/* A table of rows, by whose name summaries call it, and which of its lines have been reached. */
typedef struct row_table {
    const char *name, *text;
    char is_reached[MOST_LINES];
} row_table;

/* Where the row of a line begins; NULL: none does. */
static const char *row_at(const row_table *table, long line)
{
    const char *at = table->text;
    for (long l = 1; at && l < line; l++) at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    return at && !strncmp(at, "row {", 5) ? at : NULL;
}

/* Whether a plan's summary has a variant of the strategy that the row is for, if it is for one. */
static int has_strategy_of(const char *row, const char *summary)
{
    static const char field[] = "strategy = \"";
    const char *next = strstr(row + 1, "\nrow {"), *strategy = strstr(row, field);
    char variant[64];
    if (!strategy || (next && strategy > next)) return 1;
    strategy += sizeof field - 1;
    snprintf(variant, sizeof variant, ": %.*s", (int)strcspn(strategy, "\""), strategy);
    for (const char *at = summary; (at = strstr(at, variant)) != NULL; at++)
        if (strchr(",\n", at[strlen(variant)])) return 1;
    return 0;
}

/* Marks the rows that a text says it goes by: "tuned by TABLE:LINE", not "does not fit, and is left out: TABLE:LINE". */
static void mark_lines(const char *text, const char *says, row_table *table)
{
    char wanted[128];
    snprintf(wanted, sizeof wanted, "%s%s:", says, table->name);
    for (const char *at = text; (at = strstr(at, wanted)) != NULL; at++) {
        const long line = strtol(at + strlen(wanted), NULL, 10);
        const char *row = row_at(table, line);
        if (row && line < MOST_LINES && has_strategy_of(row, text)) table->is_reached[line] = 1;
    }
}

/* Marks the rows by which the plan goes; own: the table comes before the shipped ones. */
static void mark_rows(const row_user *user, row_table *table, int is_own)
{
    const msw_spec_desc spec_desc = {.struct_size = sizeof spec_desc, .text = user->text};
    msw_target target = {.struct_size = sizeof target, .backend = user->backend, .arch = user->arch};
    const msw_program_desc desc = {
        .struct_size = sizeof desc, .target = &target, .tuning = is_own ? table->text : NULL, .tuning_name = is_own ? table->name : NULL};
    msw_spec *spec = NULL;
    msw_program *program = NULL;
    const char *cuts;
    msw_diag diag;
    snprintf(target.device, sizeof target.device, "%s", user->device);
    if (!strcmp(user->arch, "nvidia")) target.shared_bytes = 49152; /* as its driver has */
    if (msw_spec_create(&spec_desc, &spec, &diag) || msw_program_create(spec, &desc, &program, &diag)) fail_msg("%s", diag.message);
    mark_lines(msw_program_summary(program), "  tuned by ", table);
    if (!msw_spec_cuts(spec, &desc, 1000, MSW_CUT_COMPARED, &cuts, NULL)) mark_lines(cuts, "  constants of ", table);
    msw_program_destroy(program);
    msw_spec_destroy(spec);
}

/* How many rows nothing has reached. */
static int missed_rows(const row_table *table)
{
    int line = 1, missed = 0;
    for (const char *at = table->text; at && *at; line++) {
        const int is_missed = !strncmp(at, "row {", 5) && !table->is_reached[line];
        if (is_missed) print_message("%s:%d: no plan goes by this row\n", table->name, line);
        missed += is_missed;
        at = strchr(at, '\n');
        if (at) at++;
    }
    assert_true(line > 1 && line < MOST_LINES);
    return missed;
}

/* What reaches a row, and what only seems to. */
static void test_reached_rows(void **state)
{
    static const row_user sums = {MSW_BACKEND_CUDA, "sm_90", "", "return scan { monoid = sum(u32) }"};
    static const row_user wide_sums = {MSW_BACKEND_CUDA, "sm_90", "", "return scan { monoid = sum(u64) }"};
    row_table table = {.name = "t.lua",
                       .text =
                           "row { backend = \"cuda\", class = \"scan\", bytes = 4, strategy = \"lookback\", knobs = { items = 8 } }\n"
                           "row { backend = \"cuda\", class = \"scan\", bytes = 4, knobs = { items = 16 } }\n" /* the one before comes first */
                           "row { backend = \"cuda\", class = \"scan\", bytes = 3, knobs = { items = 8 } }\n"  /* no type has them */
                           "row { backend = \"cuda\", class = \"scan\", bytes = 8,\n  knobs = { block = 1000, items = 8 } }\n"}; /* no such block */
    (void)state;
    mark_rows(&sums, &table, 1);
    mark_rows(&wide_sums, &table, 1);
    assert_int_equal(missed_rows(&table), 3);
    assert_true(table.is_reached[1] && !table.is_reached[4]);
    /* A plan that goes by a row for a strategy, and has none of it. */
    assert_false(has_strategy_of("row { strategy = \"lookahead\" }", "  n <= 8192: single_block, no scratch\n  n <= 9000000: lookback\n"));
    assert_true(has_strategy_of("row { strategy = \"lookback\" }", "  n <= 8192: single_block, no scratch\n  n <= 9000000: lookback\n"));
    assert_true(has_strategy_of("row { bytes = 4 }\nrow { strategy = \"lookahead\" }", ""));
}

/* Each row that is shipped can be reached: a plan goes by it, and has a variant of its strategy. */
static void test_shipped_rows(void **state)
{
#define FOUR "struct 'Four' { {'a', u32}, {'b', u32}, {'c', u32}, {'d', u32} }"
#define SUM_OF(type, zero, sum) "monoid { type = " type ", identity = " zero ", combine = function(a, b) return " sum " end }"
#define FOURS "local T = " FOUR " return scan { monoid = " SUM_OF("T", "T(0, 0, 0, 0)", "T(a.a + b.a, a.b + b.b, a.c + b.c, a.d + b.d)") " }"
#define WIDE "local T = struct 'Wide' { {'a', vec(u64, 4)} } return scan { monoid = " SUM_OF("T", "T(vec(u64, 4)(0, 0, 0, 0))", "T(a.a + b.a)") " }"
#define PIPELINE "return pipeline(function(p) p.output('s', p.scan { monoid = sum(u32), input = p.input('x', u32) }) end)"
    static const row_user users[] = {
        {MSW_BACKEND_CUDA, "sm_90", "", "return scan { monoid = sum(u8) }"},
        {MSW_BACKEND_CUDA, "sm_90", "", "return scan { monoid = sum(u32) }"},
        {MSW_BACKEND_CUDA, "sm_90", "", "return scan { monoid = sum(u32), output = function(s) return u8(s & 1) end }"},
        {MSW_BACKEND_CUDA, "sm_90", "", FOURS},
        {MSW_BACKEND_CUDA, "sm_90", "", WIDE},
        {MSW_BACKEND_CUDA, "sm_90", "", "return scan { monoid = sum(f32), deterministic = 'everywhere' }"},
        {MSW_BACKEND_CUDA, "sm_90", "", "return scan { monoid = sum(f64), deterministic = 'everywhere' }"},
        {MSW_BACKEND_CUDA, "sm_90", "", "return reduce_by_key { key = u32, monoid = sum(f32), deterministic = 'everywhere' }"},
        {MSW_BACKEND_CUDA, "sm_90", "", "return compact { input = u32, keep = function(x) return eq(x & 1, 0) end }"},
        {MSW_BACKEND_CUDA, "sm_90", "", "return compact { input = u8, keep = function(x) return eq(x & 1, 0) end }"},
        {MSW_BACKEND_CUDA, "sm_90", "", "return run_length_encode { input = u8 }"},
        {MSW_BACKEND_CUDA, "sm_90", "", "return run_length_encode { input = u32 }"},
        {MSW_BACKEND_CUDA, "sm_90", "", "return reduce_by_key { key = u32, monoid = sum(f32) }"},
        {MSW_BACKEND_CUDA, "sm_90", "", "return reduce_by_key { key = u32, monoid = sum(u64) }"},
        {MSW_BACKEND_CUDA, "sm_90", "", "return segmented_reduce { segments = 'offsets', monoid = sum(f32) }"},
        {MSW_BACKEND_CUDA, "sm_90", "", "return segmented_scan { segments = 'offsets', monoid = sum(f32) }"},
        {MSW_BACKEND_CUDA, "sm_90", "", "return sort { key = u32 }"},
        {MSW_BACKEND_CUDA, "sm_90", "", "return sort { key = u32, value = u32 }"},
        {MSW_BACKEND_CUDA, "sm_90", "", "return sort { key = u64 }"},
        {MSW_BACKEND_CUDA, "sm_90", "", "return sort { key = u64, value = u32 }"},
        {MSW_BACKEND_CUDA, "sm_90", "", "return sort { key = u64, value = vec(u32, 4) }"},
        {MSW_BACKEND_CUDA, "sm_90", "", "return sort { key = key { type = struct 'Long' { {'a', u64}, {'b', u64} }, by = { {'a'}, {'b'} } } }"},
        {MSW_BACKEND_CUDA, "sm_90", "",
         "return sort { value = u32, key = key { type = struct 'Long' { {'a', u64}, {'b', u64} }, by = { {'a'}, {'b'} } } }"},
        {MSW_BACKEND_CUDA, "sm_90", "", "return sort { value = u32, key = key { type = struct 'Small' { {'a', u32} }, by = { {'a'} } } }"},
        {MSW_BACKEND_CUDA, "sm_90", "",
         "return sort { value = u32, key = key { type = struct 'Splat' { {'tile', u32}, {'depth', f32} }, by = { {'tile'}, {'depth'} } } }"},
        {MSW_BACKEND_VULKAN, "lavapipe", "", "return scan { monoid = sum(u64) }"},
        {MSW_BACKEND_VULKAN, "lavapipe", "", FOURS},
        {MSW_BACKEND_VULKAN, "lavapipe", "", "return reduce { monoid = sum(u64) }"},
        {MSW_BACKEND_VULKAN, "nvidia", "", "return compact { input = u32, keep = function(x) return eq(x & 1, 0) end }"},
        {MSW_BACKEND_VULKAN, "nvidia", "", "return sort { key = u32 }"},
        {MSW_BACKEND_VULKAN, "nvidia", "", "return sort { key = u64 }"},
        {MSW_BACKEND_VULKAN, "nvidia", "", "return sort { key = u64, value = u32 }"},
        {MSW_BACKEND_VULKAN, "nvidia", "", "return sort { value = u32, key = key { type = struct 'Small' { {'a', u32} }, by = { {'a'} } } }"},
        {MSW_BACKEND_VULKAN, "nvidia", "",
         "return sort { value = u32, key = key { type = struct 'Splat' { {'tile', u32}, {'depth', f32} }, by = { {'tile'}, {'depth'} } } }"},
        {MSW_BACKEND_CUDA, "sm_90", "", PIPELINE},
        {MSW_BACKEND_CUDA, "sm_90", "NVIDIA H100 80GB HBM3", PIPELINE},
        {MSW_BACKEND_VULKAN, "lavapipe", "", PIPELINE},
    };
    static const char *const tables[] = {"backends/cuda/tuning.lua", "backends/vulkan/tuning.lua"};
    (void)state;
    for (int t = 0; t < 2; t++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", MSW_SOURCE_DIR, tables[t]);
        cli_file file = load_file(path);
        row_table table = {.name = tables[t], .text = file.data};
        for (size_t u = 0; u < sizeof users / sizeof *users; u++)
            if ((users[u].backend == MSW_BACKEND_VULKAN) == t) mark_rows(&users[u], &table, 0);
        const int missed = missed_rows(&table);
        free(file.data);
        assert_int_equal(missed, 0);
    }
}

/* The classes that rows can have are those that the public header and the head of tuning.lua list. */
static void test_classes_are_listed(void **state)
{
    char list[256], message[512];
    (void)state;
    for (int l = 0; l < 2; l++) {
        if (l) list_quoted("gen/plan/tuning.lua", "\n--   class ", "\n--   bytes", list, sizeof list);
        else list_quoted("include/monosweep/monosweep_measure.h", "names none) */\n    /*", "*/\n    const char *name;", list, sizeof list);
        /* no operation's class is "device" */
        snprintf(message, sizeof message, "class is missing, or none that there is; there are %s%s\n", l ? "" : "device, ", list);
        make_text("t.lua", "row { backend = 'cuda', class = 'none', bytes = 4 }");
        expect_failure("plan sum.lua --target glsl --tuning t.lua", 2, message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_precedence),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_strategy),
        cmocka_unit_test(test_large_sorts),
        cmocka_unit_test(test_order_by_n),
        cmocka_unit_test(test_unfit),
        cmocka_unit_test(test_smaller_tiles),
        cmocka_unit_test(test_wrong_tables),
        cmocka_unit_test(test_classes_are_listed),
        cmocka_unit_test(test_reached_rows),
        cmocka_unit_test(test_shipped_rows),
        cmocka_unit_test(test_hostile_tables),
        cmocka_unit_test(test_users_table),
        cmocka_unit_test(test_tune),
        cmocka_unit_test(test_large_sorts_are_tried),
        cmocka_unit_test(test_states_are_tried_where_they_are_less),
        cmocka_unit_test(test_wrong_candidates),
        cmocka_unit_test(test_writers),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
