/* `monosweep plan`: what each line of a plan is for, and what one n runs. */
#include "cli_driver.h"

static int set_up(void **state)
{
    (void)state;
    enter_directory("test_cli_plan.files");
    make_text("sum.lua", "return scan { monoid = sum(u32) }");
    make_text(
        "parts.lua",
        "local S = struct 'S' { {'a', u32}, {'b', u32} }\n"
        "local m = monoid { type = S, identity = { 1, 0 }, combine = function(f, g) return { f.a * g.a, f.b * g.a + g.b } end }\n"
        "local function part(name, value) return scan { name = name, monoid = m, outputs = { {'x', value = value} } } end\n"
        "return { part('a', function(s) return s.a end), part('b', function(s) return s.b end),\n"
        "  part('sum', function(s) return s.a + s.b end), part('none', function(s, x) return x.a end),\n"
        "  scan { name = 'placed', monoid = m, outputs = { {'x', at = function(s, x, i) return i end, value = function(s) return s end} } },\n"
        "  scan { name = 'kept', monoid = m, outputs = { {'x', keep = function(s, x) return ne(x.a, 0) end, "
        "value = function(s, x) return s end} } },\n"
        "  scan { name = 'low', monoid = m, outputs = { {'x', keep = function(s) return ne(s.a, 0) end, value = function(s, x) return x.a end} } },\n"
        "  scan { name = 'four', monoid = pair { a = sum(u64), b = sum(u64), c = sum(u64), d = sum(u64) }, input = u32,\n"
        "    map = function(x, i) return { a = i, b = i, c = i, d = u64(x) } end, output = function(s) return u32(s.d) end },\n"
        "  scan { name = 'same', monoid = sum(f32), deterministic = 'everywhere' } }");
    make_text("keys.lua", "return sort { key = u32 }");
    make_text("again.lua", "return scan { monoid = sum(u32), output = function(s, x) return s - x end }");
    make_text("kept.lua", "return compact { input = u32, keep = function(x) return gt(x, 5) end }");
    make_text("items.lua", "return append { input = u32, capacity = 1000, length = function(x) return x end, item = function(x) return x end }");
    make_text("rows.lua", "return segmented_reduce { segments = 'offsets', monoid = sum(u32) }");
    make_text("near.lua", "return scan { monoid = sum(u32), input = u32, map = function(x, i, near) return x - near.before end }");
    make_text("pairs.lua", "return sort { key = u32, value = u32 }");
    make_text("bits.lua", "return sort { key = u32, input = u64, map = function(x) return u32(x) end }");
    make_text("bytes.lua", "return sort { key = u8, value = 'index' }");
    make_text("sieve.lua", "local function bit(k) return { 'bit' .. k, keep = function(x) return ne(x >> k & 1, 0) end,\n"
                           "  value = function(x) return x end } end\n"
                           "return map { input = u32, outputs = { bit(0), bit(1), bit(2) } }");
    make_text("two.lua", "return { reduce { name = 'total', monoid = sum(u32) }, sort { name = 'order', key = u8 } }");
    make_text("wide.lua", "return scan { monoid = sum(u32), input = u8, map = function(x) return u32(x) end }");
    make_text("columns.lua", "local fields = {}\nfor i = 1, 32 do fields[i] = { 'f' .. i, f32 } end\nlocal Row = struct('Row')(fields)\n"
                             "return { map { name = 'column', input = Row, output = function(row) return row.f7 end },\n"
                             "  map { name = 'row', input = f32, output = function(x)\n"
                             "    local row = {}\n    for i = 1, 32 do row['f' .. i] = x * i end\n    return Row(row) end } }");
    return 0;
}

static void expect_lines(const char *arguments, const char *const *lines)
{
    cli_result result = run(arguments);
    const char *at = result.out.data;
    if (result.code) show_and_fail(arguments, &result, "wrong exit code");
    for (; *lines; lines++) {
        if (!(at = strstr(at, *lines))) show_and_fail(arguments, &result, *lines);
        at += strlen(*lines);
    }
    drop(&result);
}

/* Each says for which n, and where an output may be an input, or takes turns with it, or counts are wide. */
static void test_no_two_lines_are_equal(void **state)
{
    (void)state;
    expect_lines("plan sum.lua",
                 (const char *[]){"\n  n <= 24576: single_block, no scratch\n", "\n  24577 <= n <= 2147471359: lookback, not in place, scratch ",
                                  "\n  24577 <= n <= 2147471359: reduce_then_scan, in place, scratch ", NULL});
    expect_lines("plan sum.lua --progress-model parallel",
                 (const char *[]){"\n  24577 <= n <= 2147471359: lookback, scratch 640 bytes + 8 a tile\n", NULL});
    expect_lines("plan sum.lua --set strategy=scan_then_propagate", (const char *[]){" a block, 8 bytes read and 8 written an item\n", NULL});
    expect_lines("plan near.lua", (const char *[]){": lookback, not with one place for both carries, ",
                                                   ": reduce_then_scan, with one place for both carries, ", NULL});
    /* Blocks of a tuned row are no power of two. */
    expect_lines("plan keys.lua --target cuda --arch sm_90 --set subgroup=1 --n 16777216",
                 (const char *[]){"sort_passes: ", "blocks of 256 threads, subgroup 1", NULL});
    /* Kernels that do not keep a tile read it again where an output is made of the input. */
    expect_lines("plan again.lua --progress-model parallel",
                 (const char *[]){"single_block, ", "8 bytes read and 4 written", "lookback, ", "8 bytes read and 4 written", NULL});
    expect_lines("plan again.lua --set strategy=reduce_then_scan", (const char *[]){" 12 bytes read and 4 written an item\n", NULL});
    expect_lines("plan again.lua --target cuda --arch sm_90 --set strategy=lookahead",
                 (const char *[]){" 4 bytes read and 4 written an item\n", NULL});
    expect_lines("plan kept.lua",
                 (const char *[]){"kept: 5 kernels, at least 4 bytes read and 4 written an item\n", "8 bytes read and 4 written", NULL});
    cli_result kept = run("plan kept.lua");
    assert_null(strstr(kept.out.data, "reduce_then_scan")); /* it is in the plan for one place of both carries, which this operation does not have */
    drop(&kept);
    expect_lines("plan items.lua", (const char *[]){"\n  out: room for 1000 items\n", NULL});
    expect_lines("plan rows.lua --n 1000", (const char *[]){"; reads ", " bytes + 8 a segment and writes 0 + 4 a segment\n", NULL});
    expect_lines("plan rows.lua --n 1000 --json",
                 (const char *[]){"\"bytes_read_per_segment\": 8, \"bytes_written_per_segment\": 4, \"steps\"", NULL});
    expect_lines("plan sum.lua --set strategy=scan_then_propagate --json",
                 (const char *[]){"\"read_bytes_per_item\": 8, \"written_bytes_per_item\": 8", NULL});
    expect_lines("plan pairs.lua --target cuda --arch sm_90",
                 (const char *[]){"pairs: 16 kernels, at least 8 bytes read and 8 written an item\n  each line serves in place (MSW_IN_PLACE), too, ",
                                  "\n  n <= 4096: single_block, no scratch\n",
                                  ": tiles of 4096 items, 1 block of 256 threads",
                                  "\n  4097 <= n <= 65536: single_cluster, scratch ",
                                  ": tiles of 4096 items, 16 blocks of 256 threads",
                                  "\n  65537 <= n <= 270336: onesweep, scratch ",
                                  "\n    ping-pong, n <= 270336, the result in the inputs, scratch ",
                                  "sort_passes_few: tiles of 2048 items",
                                  "\n  270337 <= n <= 4194304: msd_hybrid, scratch ",
                                  "\n    ping-pong, the result in the inputs, scratch 1610448 bytes + 2048 a tile\n    sort_top_histogram: ",
                                  "sort_buckets: at most ",
                                  "sort_partition_pass: 2 launches, ",
                                  "\n    sort_passes: tiles of",
                                  "sort_local: tiles of up to ",
                                  "\n  4194305 <= n <= 275316735: msd_hybrid, scratch ",
                                  "sort_pass: 4 launches, ",
                                  "\n  275316736 <= n <= 4294967295: onesweep, scratch ",
                                  "\n    as above: sort_histogram, sort_starts, sort_pass (4 launches)",
                                  "\n  4294967296 <= n <= 85899335680: onesweep, counts of 64 bits, ",
                                  "\n    as above: sort_histogram, sort_starts\n    sort_pass_wide: 4 launches, ",
                                  NULL});
    /* Plans that cannot run in place have no lines for it. */
    expect("plan bits.lua | grep -c 'onesweep, ' || true", 0, "1\n", NULL);
    /* 16 bits count to 65535, no further. */
    expect_lines("plan sieve.lua --target cuda --arch sm_90 --set packs=0 --set block=1024 --set items=60",
                 (const char *[]){": lookback, counts of a tile two to a word, scratch ", NULL});
    expect("plan sieve.lua --target cuda --arch sm_90 --set packs=0 --set block=1024 --set items=64", 0, ": lookback, scratch ", NULL);
    expect_lines("plan bytes.lua --set strategy=upsweep_downsweep",
                 (const char *[]){": upsweep_downsweep, not in place, ", ": upsweep_downsweep, in place, ",
                                  "as above: sort_upsweep (2 launches), sort_scan_bins (2 launches), sort_downsweep (2 launches)\n", NULL});
    expect("plan pairs.lua --json", 0, "\"ping_pong\": true, \"ends_in_inputs\": true, \"n_min\": 0, \"n_min_in_place\": null}", NULL);
    expect("plan sum.lua --json", 0, "\"n_min\": null, \"n_min_in_place\": 24577}", NULL);
    /* In a plan of every kind of operation no line with a variant comes twice. */
    static const char *const plans[] = {"sum.lua",
                                        "pairs.lua",
                                        "bytes.lua",
                                        "pairs.lua --target cuda",
                                        "sum.lua --target cuda --arch sm_90",
                                        "sum.lua --set strategy=lookback",
                                        "two.lua",
                                        "pairs.lua --device vulkan",
                                        "bytes.lua --set strategy=split"};
    for (size_t p = 0; p < sizeof plans / sizeof *plans; p++) {
        char command[512];
        snprintf(command, sizeof command, "'%s/monosweep' plan %s | grep ' n <= ' | sort | uniq -d | grep -q .", MSW_BINARY_DIR, plans[p]);
        if (!system(command)) fail_msg("plan %s: two lines are equal", plans[p]);
    }
}

/* What a thread holds is bounded by the wider of a map's input and output: more is minutes of a compiler's time. */
static void test_items_of_wide_maps(void **state)
{
    static const char *const ops[] = {"column", "row"}, *const devices[] = {"--target glsl", "--target cuda --arch sm_90"};
    char command[256];
    (void)state;
    for (int o = 0; o < 2; o++) {
        for (int d = 0; d < 2; d++) {
            for (uint32_t items = 1; items <= 512; items *= 2) {
                snprintf(command, sizeof command, "plan columns.lua --op %s %s --set items=%u", ops[o], devices[d], items);
                if (items <= 8) expect(command, 0, "map_elements", NULL);
                else expect_failure(command, 1, ": the items of a thread fill more than 1024 bytes of registers; choose fewer (refused: block ");
            }
        }
    }
}

/* A knob is asked of the kinds of operations that have it, alone. */
static void test_knobs_of_kinds(void **state)
{
    (void)state;
    expect_failure("plan columns.lua --op row --target glsl --set descriptor=wide", 2,
                   "descriptor=wide: a map has no such knob, only scans, sorts and sweeps have it\n");
    expect("plan columns.lua --op row --target cuda --set resident=2 --set subgroup=1", 0, NULL, NULL);
    expect("plan pairs.lua --set digit_bits=4 --set lookback=serial", 0, NULL, NULL);
}

/* What comes before is put before what is stored of s, if that is a part of it that combine makes of itself; else before states in the scratch, 8
 * bytes an item here, and with a count 12: in tiles of 3072 and 2048 items. */
static void test_propagation(void **state)
{
    static const char *const of_states[][2] = {
        {"b", " + 24576 a tile, 16 bytes read and 12 written an item\n"},      /* combine needs s.a, too */
        {"sum", " + 24576 a tile, 16 bytes read and 12 written an item\n"},    /* is computed from s */
        {"placed", " + 24576 a tile, 24 bytes read and 16 written an item\n"}, /* goes elsewhere */
        {"kept", " + 24576 a tile, 28 bytes read and 20 written an item\n"},
        {"low", " + 24576 a tile, 56 bytes read and 16 written an item\n"}}; /* the input four times, states twice */
    (void)state;
    expect("plan parts.lua --op a --set strategy=scan_then_propagate", 0, " a block, 12 bytes read and 8 written an item\n", NULL);
    expect("plan parts.lua --op none --set strategy=scan_then_propagate", 0, " a block, 16 bytes read and 4 written an item\n", NULL);
    for (size_t k = 0; k < sizeof of_states / sizeof *of_states; k++) {
        char arguments[100];
        snprintf(arguments, sizeof arguments, "plan parts.lua --op %s --set strategy=scan_then_propagate", of_states[k][0]);
        expect(arguments, 0, of_states[k][1], NULL);
    }
    /* 342 tiles, 257 aggregates */
    expect("plan parts.lua --op placed --set strategy=scan_then_propagate --n 2^20", 0, "scratch 8407056 bytes", NULL);
    /* Vulkan indexes the 32 bytes of a state by 16 bytes at a time; CUDA has 64 bits. */
    expect("plan parts.lua --op four --set strategy=scan_then_propagate", 0, "n <= 1073739775: ", NULL);
    expect("plan parts.lua --op four --set strategy=reduce_then_scan", 0, "n <= 2147481599: ", NULL);
    expect("plan parts.lua --op four --set strategy=scan_then_propagate --target cuda", 0, "n <= 4398046509056: ", NULL);
    expect_failure("plan items.lua --set strategy=scan_then_propagate", 1,
                   "an append's blocks share out a tile's items, for which they scan its lengths");
    expect_failure("plan parts.lua --op same --set strategy=scan_then_propagate", 1, "deterministic = \"everywhere\", but in scan_then_propagate");
}

/* Registers: of CUDA's kernels, without sorts. By hand: u32 of 24 items a thread, two words in a sum. */
static void test_registers(void **state)
{
    (void)state;
    expect("plan sum.lua --target cuda", 0, "  registers of a thread, by estimate: scan_single_block 73, scan_lookback 95", NULL);
    expect("plan sum.lua --target cuda", 0, "; 2 words live in functions\n", NULL);
    expect("plan sum.lua --target cuda --json", 0, "\"live_words\": 2, \"held_words\": 24, \"registers\": 95}", NULL);
    expect("plan bytes.lua --target cuda --json", 0, "\"live_words\": 0, \"held_words\": 0, \"registers\": 0}", NULL);
}

/* Arrays between stages: c is made when nobody reads a any more, and has its place; d is made of b and c, and has neither's; e of d alone. */
static void test_places(void **state)
{
    (void)state;
    make_text("places.lua", "return pipeline(function(p)\n"
                            "  local x = p.input('x', u16)\n"
                            "  local a = p.map { name = 'a', input = x, output = function(v) return u32(v) end }\n"
                            "  local b = p.map { name = 'b', input = a, output = function(v) return u8(v) end }\n"
                            "  local c = p.map { name = 'c', input = b, output = function(v, i) return u64(v) + i end }\n"
                            "  local d = p.map { name = 'd', inputs = { c = c, b = b }, output = function(e) return u16(e.c) ~ u16(e.b) end }\n"
                            "  local e = p.map { name = 'e', input = d, output = function(v) return v + 1 end }\n"
                            "  p.output('y', p.map({ d, e }, function(v, w) return v + w end))\n"
                            "end, { fuse = false })");
    expect_lines("plan places.lua --target cuda",
                 (const char *[]){
                     "  stage a: scratch 0 bytes\n", "  between stages: a, n elements of 4 bytes, in place 0\n",
                     "  between stages: b, n elements of 1 byte, in place 2\n", "  between stages: c, n elements of 8 bytes, in place 0\n",
                     "  between stages: d, n elements of 2 bytes, in place 1\n", "  between stages: e, n elements of 2 bytes, in place 0\n", NULL});
    expect_lines("plan places.lua --target cuda --json",
                 (const char *[]){"\"buffers\": [{\"name\": \"x\", ", "\"joined\": 0, \"stage\": 0}", "\"joined\": 0, \"stage\": 5}",
                                  ", \"stages\": [{\"name\": \"a\", \"length\": \"n\", \"scratch_base_bytes\": 0, \"scratch_per_tile_bytes\": 0, "
                                  "\"scratch_tile_items\": 1, \"temporary_base_bytes\": 0, \"temporary_per_tile_bytes\": 0, "
                                  "\"temporary_tile_items\": 1, \"arrays\": [\"x\", \"a\"]}, {\"name\": \"b\", ",
                                  "\"arrays\": [\"b\", \"c\", \"d\"]}, ",
                                  "], \"between\": [{\"name\": \"a\", \"element_bytes\": 4, \"alignment_bytes\": 4, \"length\": \"n\", "
                                  "\"place\": 0}, {\"name\": \"b\", ",
                                  "}]}]\n", NULL});
    expect("plan sum.lua --target cuda --json | grep -c stage || true", 0, "0\n", NULL); /* it is no pipeline */
    remove("places.lua");
}

/* What a sort holds while it runs has the place of an array that is not needed then; what it keeps has none. */
static void test_held_places(void **state)
{
    (void)state;
    make_text("held.lua", "return pipeline(function(p)\n"
                          "  local x = p.input('x', u32)\n"
                          "  local y = p.map { name = 'y', input = x, output = function(v) return v * 5 end }\n"
                          "  local z = p.scan { name = 'z', monoid = sum(u32), input = y }\n"
                          "  p.output('s', p.sort { name = 's', keys = z })\n"
                          "end, { fuse = false })");
    expect_lines("plan held.lua --target cuda", (const char *[]){"  stage s: scratch 29344 bytes + 4096 for 8192 items; while it runs 32768 bytes "
                                                                 "+ 32768 for 8192 items in place 0\n",
                                                                 "  between stages: y, n elements of 4 bytes, in place 0\n",
                                                                 "  between stages: z, n elements of 4 bytes, in place 1\n", NULL});
    expect_lines("plan held.lua --target cuda --n 2^26",
                 (const char *[]){"  once, before the scratch is used, for z: zero_scratch: 2 tiles of 65536 bytes in 2 blocks of ",
                                  "  once, before the scratch is used, for s: zero_scratch: 513 tiles of 65536 bytes in 513 blocks of ", NULL});
    expect("plan held.lua --target cuda --json", 0,
           "\"temporary_base_bytes\": 32768, \"temporary_per_tile_bytes\": 32768, \"temporary_tile_items\": 8192, \"place\": 0, "
           "\"arrays\": [\"z\", ",
           NULL);
    remove("held.lua");
}

/* Stages of a length of their own have blocks for it, whatever n is. By hand: n elements are read three times and their items written, the
 * items' room is zeroed, read twice and written, the results' room zeroed; one block reads once what it packs. */
static void test_lengths(void **state)
{
    (void)state;
    make_text("room.lua",
              "return pipeline(function(p)\n"
              "  local x = p.input('x', u32)\n"
              "  local e = p.append { input = x, capacity = CAP, length = function(v) return v % 3 end, item = function(v, i, k) return v + k end }\n"
              "  local k = p.compact { input = e.out, keep = function(v) return eq(v % 2, 0) end }\n"
              "  p.output('k', k.out) p.output('e', e.out)\n"
              "end)");
    expect_lines("plan room.lua -D CAP=50000000 --target glsl --n 1000",
                 (const char *[]){"room, n = 1000: stages, 6 launches, ", "; reads 400012000 bytes and writes 600004016\n",
                                  "  append_1_out_zeros_map_elements: 12208 tiles of 4096 items in 12208 blocks of ",
                                  "  append_1_reduce_tiles: 1 tile of 2048 items in 1 block of ",
                                  "  compact_2_scan_lookback: 8139 tiles of 6144 items in 1024 blocks of ", NULL});
    expect_lines("plan room.lua -D CAP=50000000 --target glsl",
                 (const char *[]){": 7 kernels, at least 4 bytes read and 0 written an item\n",
                                  ": stages, 12 bytes read and 4 written an item, and whatever n is 400000000 bytes read and 600000000 written\n",
                                  NULL});
    expect_lines("plan room.lua -D CAP=2000 --target glsl --json",
                 (const char *[]){"\"stages\": [{\"name\": ", "{\"name\": \"compact_2\", \"length\": \"2000\", \"counted_by\": \"e_count\", ",
                                  "\"between\": []}]\n", NULL});
    expect("plan room.lua -D CAP=2000 --target glsl --json", 0, "\"written_bytes_per_item\": 4, \"read_bytes\": 8000, \"written_bytes\": 24000, ",
           NULL);
    remove("room.lua");
}

/* Cuts of a pipeline: two scans in opposite directions, and a map of both, which is the second scan's. By hand: 20 bytes an element, 28 unfused. */
static void test_cuts(void **state)
{
    (void)state;
    make_text("both.lua", "return pipeline(function(p)\n"
                          "  local x = p.input('x', u32)\n"
                          "  local f = p.scan { monoid = sum(u32), input = x, name = 'f' }\n"
                          "  local b = p.scan { monoid = sum(u32), input = x, name = 'b', reverse = true }\n"
                          "  p.output('y', p.map({ f, b }, function(u, v) return u ~ v end))\n"
                          "end)");
    expect_lines("plan both.lua --target cuda --compare --n 2^26",
                 (const char *[]){"both, n = 67108864, by prediction",
                                  "\n  launched: 2 stages, 20 bytes an element, 338 us, 268 MB of scratch between them", "\n    1: b; reads x; ",
                                  "\n    2: f + map_3; reads x, b; writes y; 12 bytes an element, ", "\n  optimum: 2 stages, 20 bytes an element, ",
                                  ", proved", "\n  greedy: 2 stages, ", "\n  fewest: 2 stages, 20 bytes", "\n  unfused: 3 stages, 28 bytes", NULL});
    expect_lines("plan both.lua --target cuda --dot",
                 (const char *[]){"digraph \"both\" {\n", "style = bold, label = \"input x, 4 bytes\"",
                                  "style = dashed, label = \"scratch b, 4 bytes\"", "style = bold, label = \"output y, 4 bytes\"",
                                  "subgraph cluster_1 {\n    label = \"stage 2: ", "  v0 -> k0_", NULL});
    expect_lines("plan both.lua --target cuda",
                 (const char *[]){"both: 5 kernels, ", "  by prediction: 90.6 us for 16777216 elements; no other cut takes less\n", NULL});
    expect_lines("plan both.lua --target cuda --cut unfused",
                 (const char *[]){"both: 6 kernels, ", "; another cut, of 2 stages, would take 90.6 us (--compare)\n", NULL});
    expect_lines("plan both.lua --target cuda --compare --cut unfused",
                 (const char *[]){"\n  launched: 3 stages, 28 bytes an element, ", "\n  optimum: 2 stages, 20 bytes an element, ",
                                  ", proved\n    1: b; reads x; ", NULL});
    /* A map that spills is a kernel of its own, and what lies beside it is cut as without it. */
    make_text("heavy.lua", "return pipeline(function(p)\n"
                           "  local x = p.input('x', u32)\n"
                           "  local a = p.map({ x }, function(v) return v * 3 end)\n"
                           "  p.output('y', p.map({ p.scan { monoid = sum(u32), input = a } }, function(v) return v + 1 end))\n"
                           "  p.output('heavy', p.map({ x }, function(v)\n"
                           "    local t, r = { v }, u32(0)\n"
                           "    for k = 2, 240 do t[k] = t[k - 1] * (2 * k + 1) ~ k end\n"
                           "    for k = 1, 240 do r = (r ~ t[k]) * (t[241 - k] | 1) end\n"
                           "    return r\n"
                           "  end))\n"
                           "end)");
    expect_lines("plan heavy.lua --target cuda",
                 (const char *[]){"(it will spill)", "\n  by prediction: ", " us for 16777216 elements; no other cut takes less\n", NULL});
    expect_lines("plan heavy.lua --target cuda --compare",
                 (const char *[]){"\n  launched: 2 stages, 16 bytes an element, ", "\n  unfused: 4 stages, ", NULL});
    remove("heavy.lua");
    /* A map's own knobs are those of a kernel: no reader computes it, and it computes what it reads. The pipeline's knobs are everyone's. */
    make_text("tuned.lua", "return pipeline(function(p)\n"
                           "  local a = p.map({ p.input('x', u32) }, function(v) return v * 3 end)\n"
                           "  local b = p.map { name = 'b', input = a, output = function(v) return v + 1 end, tune = OWN and { block = 128 } }\n"
                           "  p.output('y', p.scan { monoid = sum(u32), input = b })\n"
                           "end, { tune = { block = 128 } })");
    expect_lines("plan tuned.lua --target cuda -D OWN=1 --compare",
                 (const char *[]){"\n  launched: 2 stages, ", "\n    1: map_1 + b; reads x; ", "\n    2: scan_3; reads b; writes y; ", NULL});
    expect("plan tuned.lua --target cuda -D OWN=1", 0, "\n    b_map_elements: tiles of 2048 items, at most 2147483647 blocks of 128 threads", NULL);
    expect("plan tuned.lua --target cuda --compare", 0, "\n  launched: 1 stage, ", NULL);
    remove("tuned.lua");
    make_text("made.lua", "return pipeline(function(p) p.output('o', p.map { inputs = { { 'i', generate = function(i) return i end } },"
                          " output = function(e) return u32(e.i) end }) end, { name = 'm' })");
    expect_lines("check made.lua", (const char *[]){"m: pipeline to o: map", NULL});
    make_text("made.lua", "return pipeline(function(p)\n"
                          "  local x = p.input('x', u32)\n"
                          "  p.output('o', p.segmented_scan { keys = x, input = x, monoid = sum(u32) })\n"
                          "end, { name = 'm' })");
    expect_lines("check made.lua", (const char *[]){"m: pipeline of x to o: segmented_scan", NULL});
    make_text("made.lua", "return pipeline(function(p) p.output('o', p.map { input = p.input('x', u32), outputs = { { 'o', length = 9,"
                          " at = function(v) return v % 9 end, value = function(v) return v end } } }) end, { name = 'm' })");
    expect_lines("check made.lua", (const char *[]){"m: pipeline of x to o: map (zeros), map", NULL});
    remove("made.lua");
    expect_failure("plan sum.lua --cut optimum", 2, "--cut optimum: sum.lua has no pipeline, so there is nothing to cut; leave it out");
    expect_failure("gen sum.lua --target glsl --cut greedy", 2, "--cut greedy: sum.lua has no pipeline");
    expect_failure("plan both.lua --cut best", 2, "--cut best: no such method; it is optimum, greedy, fewest or unfused");
    expect_failure("plan both.lua --compare --n 0,1", 2, "--compare predicts the time of one element and more; leave 0 out of --n");
    expect_failure("plan both.lua --dot --op both.b", 2, "--dot is about a whole pipeline, and 'both.b' is a part of one; write --op both");
    expect_failure("plan both.lua --op both.d", 2, "has no operation 'both.d'; choose one of\n  --op both\n  --op both.b\n");
    expect_failure("plan both.lua --op both.map_3", 2,
                   "both.lua: 'both.map_3' is an operation of a pipeline, which is computed in a stage of it; "
                   "choose the stage\n  --op both.f  which is f + map_3\n"
                   "or make it a stage of its own: --op both.map_3 --cut unfused\n");
    expect_failure("plan both.lua --op map_3", 2,
                   "\n  --op both.f  which is f + map_3\nor make it a stage of its own: --op both.map_3 --cut unfused\n");
    expect_failure("bench both.lua --op b", 2, "\n  --op both.b  which is b\n");
    expect_failure("tune both.lua --op both.map_3 --budget 1", 2, "\n  --op both.f  which is f + map_3\n");
    expect("plan both.lua --target cuda --op both.map_3 --cut unfused", 0, "map_3: 1 kernel, 8 bytes read and 4 written", NULL);
    expect_failure("plan both.lua --op both.map", 2, "  --op both.f\nan operation that is missing here is part of a stage; plan --compare lists");
    expect("plan both.lua --op sum.map_3 2>&1 | grep -c stage || true", 0, "0\n", NULL);
    expect_failure("plan both.lua --device host --compare", 1, "kernels are made for Vulkan and CUDA");
    make_text("kinds.lua",
              "local s = scan { name = 's', monoid = sum(u32) }\n"
              "return { s, pipeline(function(p) p.output('y', p.map({ p.input('x', u32) }, function(v) return v + 1 end)) end, { name = 'm' }) }");
    expect_lines("plan kinds.lua --target cuda --compare", (const char *[]){"m, n = 16777216, by prediction:", NULL});
    make_text("kinds.lua", "return { scan { name = 's', monoid = sum(u32) }, map { name = 'm', input = u32, output = function(x) return x end } }");
    expect_failure("plan kinds.lua --compare", 1, "kinds.lua has no pipeline, so there is nothing to cut");
    remove("kinds.lua");
    expect_failure("plan sum.lua --target cuda --compare", 1, "sum is no pipeline, so there is nothing to cut");
    expect_failure("plan both.lua --target cuda --compare --json", 2, "--compare, --dot, --json and --dump exclude each other");
    remove("both.lua");
}

/* The numbers for one n: by hand, of tiles of 6144 items and scratch of 2448 + 8 a tile, or 392 + 8 a block. */
static void test_one_n(void **state)
{
    (void)state;
    expect_lines("plan sum.lua --n 1000000",
                 (const char *[]){"sum, n = 1000000: lookback, 1 launch, scratch 4008 bytes; reads 4000000 bytes and writes 4000000\n"
                                  "  scan_lookback: 163 tiles of 6144 items in 163 blocks of 256 threads, subgroup 32, 52 bytes shared\n"
                                  "  once, before the scratch is used: zero_scratch: 1 tile of 65536 bytes in 1 block of 256 threads, ",
                                  "sum, n = 1000000, in place: reduce_then_scan, 2 launches, scratch 4008 bytes; ", "  reduce_tiles: 163 tiles of",
                                  "  scan_tiles: 163 tiles of", NULL});
    expect_lines("plan sum.lua --n 2^22,0,5",
                 (const char *[]){"sum, n = 0: single_block, 1 launch, scratch 0 bytes; reads 0 bytes and writes 0\n",
                                  "sum, n = 5: single_block, 1 launch, ", "sum, n = 4194304: lookback, 1 launch, ",
                                  "683 tiles of 6144 items in 683 blocks", "in place", "683 tiles of 6144 items in 256 blocks", NULL});
    expect_lines("plan bytes.lua --target cuda --n 2^20",
                 (const char *[]){"bytes, n = 1048576: onesweep, 3 launches, ", "bytes, n = 1048576, in place: onesweep, 3 launches, ",
                                  "sort_passes: 128 tiles of 8192 items in 128 blocks", NULL});
    expect_lines("plan pairs.lua --target cuda --n 2^33",
                 (const char *[]){"pairs, n = 8589934592: onesweep, 6 launches, ", "sort_pass_wide: 4 launches, 1048576 tiles",
                                  "\npairs, n = 8589934592, ping-pong: onesweep, 6 launches, scratch ",
                                  "; the result is in the inputs\n  launches as above\n  once, before the scratch is used: ", NULL});
    expect("plan pairs.lua --target cuda --n 2^33 | grep -c 'in place' || true", 0, "0\n", NULL); /* as not in place */
    expect("plan bytes.lua --set strategy=split --n 1000", 0, "bytes, n = 1000: split, 24 launches, ", NULL);
    /* Bytes are those of every launch: a histogram, then passes; tiles read twice; results read again. */
    expect_lines("plan bytes.lua --target cuda --n 2^20", (const char *[]){"; reads 2097152 bytes and writes 5242880\n", NULL});
    expect_lines("plan sum.lua --n 2^20 --set strategy=reduce_then_scan", (const char *[]){"; reads 8388608 bytes and writes 4194304\n", NULL});
    expect_lines("plan sum.lua --n 2^20 --set strategy=scan_then_propagate", (const char *[]){"; reads 8388608 bytes and writes 8388608\n", NULL});
    expect_lines("plan sum.lua --n 2^20 --set strategy=lookback", (const char *[]){"; reads 4194304 bytes and writes 4194304\n", NULL});
    expect_lines("plan two.lua --n 100", (const char *[]){"total, n = 100: single_block, 1 launch, scratch 0 bytes; reads 400 bytes and writes 4\n",
                                                          "order, n = 100: single_block", NULL});
    expect("plan two.lua --op order --json --n 100", 0,
           "[{\"operation\": \"order\", \"n\": 100, \"mode\": \"apart\", \"strategy\": \"single_block\", \"variant\": 0, \"launches\": 1, "
           "\"scratch_bytes\": 0, \"bytes_read\": 100, "
           "\"bytes_written\": 100, \"steps\": [{\"kernel\": \"sort_single_block\", \"launches\": 1, \"tiles\": 1, ",
           NULL);
}

/* In place is promised where an enqueue takes it: an output may be an input of its element size only. */
static void test_in_place_needs_equal_elements(void **state)
{
    (void)state;
    expect_lines("plan wide.lua", (const char *[]){": lookback, not with one place for both carries, ",
                                                   ": reduce_then_scan, with one place for both carries, ", NULL});
    expect("plan wide.lua | grep -c 'in place' || true", 0, "0\n", NULL);
    expect("plan wide.lua --n 100000 | grep -c 'in place' || true", 0, "0\n", NULL);
    expect("plan wide.lua --json", 0, "\"n_min\": null, \"n_min_in_place\": null}", NULL);
}

/* What is not served is an error, beside what is. */
static void test_too_many(void **state)
{
    (void)state;
    expect("plan sum.lua --n 5,2^33", 1, "sum, n = 5: ", "'sum': n = 8589934592, but this plan serves up to 2147471359; split the input; ");
    expect("plan sum.lua --device vulkan --n 5,2^39", 1, "sum, n = 5: ", "'sum': n = 549755813888, but this plan serves up to ");
    expect("plan sum.lua --json --n 2^33", 1, "[]\n", "serves up to");
    expect_failure("plan sum.lua --n many", 2, "--n many: not sizes");
    expect_failure("plan sum.lua --n 5 --dump source", 2, "--n and --dump exclude each other");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_two_lines_are_equal),
                                       cmocka_unit_test(test_items_of_wide_maps),
                                       cmocka_unit_test(test_knobs_of_kinds),
                                       cmocka_unit_test(test_propagation),
                                       cmocka_unit_test(test_registers),
                                       cmocka_unit_test(test_places),
                                       cmocka_unit_test(test_held_places),
                                       cmocka_unit_test(test_lengths),
                                       cmocka_unit_test(test_cuts),
                                       cmocka_unit_test(test_one_n),
                                       cmocka_unit_test(test_in_place_needs_equal_elements),
                                       cmocka_unit_test(test_too_many)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
