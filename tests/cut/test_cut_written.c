/* Cuts of pipelines as specs write them: the one that is launched is the best of those that can be emitted, and it is carried out as it was found. */
#include "all_cuts.h"
#include "spec/written.h"
#include "splitmix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "plan_bytes.h"

#include <stdio.h>
#include <string.h>

enum { PIPELINES = 300 };

static uint32_t below(uint64_t *random, uint32_t bound) { return (uint32_t)(ms_splitmix_next(random) % bound); }

/* ---- pipelines at random ---- */

typedef struct writing {
    ms_text text;
    uint64_t random;
    int is_value[ALL_CUTS_OPERATIONS + 2], is_used[ALL_CUTS_OPERATIONS + 2]; /* of v0, v1: inputs; then of operations */
    int is_output[ALL_CUTS_OPERATIONS + 2];                                  /* by other names */
    uint32_t bytes[ALL_CUTS_OPERATIONS + 2], count;
} writing;

/* An array that is there, of the last ones more often. */
static uint32_t pick(writing *w)
{
    for (;;) {
        const uint32_t v = below(&w->random, 3) ? w->count - 1 - below(&w->random, w->count < 3 ? w->count : 3) : below(&w->random, w->count);
        if (w->is_value[v]) continue;
        w->is_used[v] = 1;
        return v;
    }
}

static void write_map(writing *w, uint32_t bytes, int is_near)
{
    const uint32_t a = pick(w), b = below(&w->random, 2) ? pick(w) : a, two = a != b;
    ms_text_append(&w->text, "p.map { inputs = { a = v%u", a);
    if (two) ms_text_append(&w->text, ", b = v%u", b);
    ms_text_append(&w->text, " }, output = function(e, i%s) return u%u(e.a)", is_near ? ", near" : "", 8 * bytes);
    if (two) ms_text_append(&w->text, " * u%u(e.b)", 8 * bytes);
    if (!below(&w->random, 3)) ms_text_append(&w->text, " + u%u(i)", 8 * bytes);
    if (is_near) ms_text_append(&w->text, " + where(near.first, u%u(1), u%u(near.before.a))", 8 * bytes, 8 * bytes);
    for (uint32_t v = 0; v < w->count; v++)
        if (w->is_value[v] && !w->is_output[v] && !below(&w->random, 2)) w->is_used[v] = 1, ms_text_append(&w->text, " ~ u%u(v%u)", 8 * bytes, v);
    ms_text_append(&w->text, " end }\n");
}

/* Sums of runs: a scan whose states all are stored, or as many as there are, as an output, which no operation of this pipeline reads. */
static void write_runs(writing *w, uint32_t bytes, int are_packed)
{
    static const char *const kinds[] = {"", "", ", kind = 'exclusive'", ", reverse = true"};
    const uint32_t key = pick(w), value = pick(w);
    ms_text_append(&w->text, "p.%s { keys = v%u, monoid = sum(u%u), %s = v%u, map = function(x) return u%u(x) end%s }\n",
                   are_packed ? "reduce_by_key" : "segmented_scan", key, 8 * bytes, are_packed ? "values" : "input", value, 8 * bytes,
                   are_packed ? "" : kinds[below(&w->random, 4)]);
    if (!are_packed) return;
    ms_text_append(&w->text, "  p.output('k%u', v%u.keys_out)\n  p.output('s%u', v%u.values_out)\n", w->count, w->count, w->count, w->count);
    w->is_value[w->count] = w->is_output[w->count] = 1;
}

/* Of two outputs, which are values by themselves. */
static void write_map_of_two(writing *w)
{
    const uint32_t v = w->count, a = pick(w), b = pick(w);
    ms_text_append(&w->text,
                   "  local m%u = p.map { name = 'named%u', inputs = { a = v%u, b = v%u }, outputs = {\n"
                   "    {'x', value = function(e) return u32(e.a) * 3 end}, {'y', value = function(e, i) return u16(e.b) ~ u16(i) end} } }\n"
                   "  local v%u, v%u = m%u.x, m%u.y\n",
                   v, v, a, b, v, v + 1, v, v);
    w->bytes[v] = 4;
    w->bytes[v + 1] = 2;
    if (below(&w->random, 2)) w->is_used[v + below(&w->random, 2)] = 1; /* nobody needs all of them */
    w->count += 2;
}

static void write_operation(writing *w)
{
    static const uint32_t widths[] = {1, 2, 4, 4, 4, 8};
    const uint32_t v = w->count, bytes = widths[below(&w->random, 6)], kind = below(&w->random, 16);
    if (kind >= 15 && v + 2 < sizeof w->bytes / sizeof *w->bytes) {
        write_map_of_two(w);
        return;
    }
    ms_text_append(&w->text, "  local v%u = ", v);
    w->bytes[v] = bytes;
    if (kind < 6) {
        write_map(w, bytes, kind == 5 && !below(&w->random, 2));
    } else if (kind < 11) {
        static const char *const kinds[] = {"", ", kind = 'exclusive'", ", reverse = true", ", kind = 'exclusive', reverse = true"};
        const int is_reduce = kind == 10;
        ms_text_append(&w->text, "p.%s { monoid = %s(u%u), input = v%u, map = function(x) return u%u(x) end%s }\n", is_reduce ? "reduce" : "scan",
                       below(&w->random, 2) ? "sum" : "last", 8 * bytes, pick(w), 8 * bytes, is_reduce ? "" : kinds[kind - 6]);
        w->is_value[v] = is_reduce;
    } else if (kind < 13) {
        const uint32_t from = pick(w);
        ms_text_append(&w->text, "p.sort { keys = v%u }\n", from);
        w->bytes[v] = w->bytes[from];
    } else {
        write_runs(w, bytes, kind == 14);
    }
    w->count++;
}

static const char *write_pipeline(ms_arena *arena, uint64_t seed)
{
    writing w = {.text = {.arena = arena}, .random = seed, .bytes = {4, 2}, .count = 2};
    const uint32_t count = 3 + below(&w.random, 5);
    ms_text_append(&w.text, "local function last(T) -- not 0\n"
                            "  return monoid { type = T, identity = 0, combine = function(a, b) return where(eq(b, 0), a, b) end }\nend\n"
                            "return pipeline(function(p)\n  local v0, v1 = p.input('v0', u32), p.input('v1', u16)\n");
    while (w.count < 2 + count) write_operation(&w);
    for (uint32_t v = 0; v < w.count; v++) /* an input by itself is none */
        if (!w.is_output[v] && (v < 2 ? !w.is_used[v] : !w.is_used[v] || !below(&w.random, 4)))
            ms_text_append(&w.text,
                           v < 2 ? "  p.output('w%u', p.reduce { monoid = maximum(u32), input = v%u, map = function(x) return u32(x) end })\n"
                                 : "  p.output('w%u', v%u)\n",
                           v, v);
    ms_text_append(&w.text, "end)\n");
    const char *text = ms_arena_strdup(arena, w.text.data);
    ms_text_free(&w.text);
    return text;
}

/* ---- */

/* Kernels, files and options are called after stages. */
static void check_names(const msw_spec *spec, const char *text)
{
    const ms_pipeline *pipeline = spec->operations[0].pipeline;
    for (uint32_t s = 0; s < pipeline->stage_count; s++)
        for (uint32_t other = 0; other < s; other++)
            if (!strcmp(pipeline->stages[s].op->name, pipeline->stages[other].op->name))
                fail_msg("two stages are called '%s'\n%s", pipeline->stages[s].op->name, text);
}

/* Whatever the cut is, the results are those of the operations one by one. */
static void compare_cuts(const char *text, const msw_spec *spec)
{
    enum { N = 77, BYTES = 8 * N };
    static uint8_t inputs[2][BYTES], outputs[2][MSW_MAX_BUFFERS][BYTES];
    uint64_t random = 3;
    for (uint32_t i = 0; i < 2 * BYTES; i++) inputs[i / BYTES][i % BYTES] = (uint8_t)ms_splitmix_next(&random);
    for (uint32_t cut = MSW_CUT_UNFUSED + 1; cut-- > 0;) {
        const int is_first = cut == MSW_CUT_UNFUSED;
        const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text, .cut = cut};
        void *results[MSW_MAX_BUFFERS];
        msw_spec *made = NULL;
        msw_diag diag;
        if (cut && msw_spec_create(&desc, &made, &diag)) fail_msg("%s\n%s", diag.message, text);
        check_names(cut ? made : spec, text);
        for (uint32_t o = 0; o < MSW_MAX_BUFFERS; o++) results[o] = memset(outputs[!is_first][o], 0, BYTES);
        if (msw_spec_evaluate(cut ? made : spec, 0, N, (const void *[]){inputs[0], inputs[1]}, results, NULL, NULL, &diag))
            fail_msg("%s\n%s", diag.message, text);
        if (!is_first && memcmp(outputs[0], outputs[1], sizeof outputs[0]) != 0)
            fail_msg("%s differs from unfused\n%s", ms_cut_method_name(cut), text);
        msw_spec_destroy(made);
    }
}

/* As all_cuts.h has it. */
static int has_one_result_each(const ms_cut_graph *graph)
{
    for (uint32_t o = 0; o < graph->operation_count; o++)
        if (graph->operations[o].result_count != 1) return 0;
    return 1;
}

static void test_launched_is_best(void **state)
{
    static all_cuts t;
    static const double n = 1 << 28;
    uint64_t kernels = 0, operations = 0, tried = 0, compared = 0;
    (void)state;
    for (uint64_t i = 0; i < PIPELINES; i++) {
        ms_arena arena;
        ms_arena_init(&arena, NULL, 0);
        const char *text = write_pipeline(&arena, i);
        msw_spec *spec;
        msw_diag diag;
        if (msw_spec_create(&(msw_spec_desc){.struct_size = sizeof(msw_spec_desc), .text = text}, &spec, &diag))
            fail_msg("%s\n%s", diag.message, text);
        const ms_pipeline *pipeline = spec->operations[0].pipeline;
        const ms_written *written = pipeline->written;
        if (written->stage_count <= ALL_CUTS_OPERATIONS) {
            const ms_cut_device device = ms_cut_large_gpu();
            const ms_cut_rule rule = ms_written_rule(written);
            ms_cutting cutting = {.arena = &arena, .graph = ms_written_graph(&arena, written, n, &device), .device = &device, .rule = &rule};
            assert_non_null(cutting.graph);
            assert_true(ms_cutting_init(&cutting));
            const double least = has_one_result_each(cutting.graph) ? tried++, all_cuts_least(&t, &cutting) : written->cut.seconds;
            if (!(fabs(written->cut.seconds / least - 1) < 1e-9)) fail_msg("%.9g x the least time\n%s", written->cut.seconds / least, text);
            assert_true(written->cut.is_proved);
            assert_int_equal(pipeline->stage_count, written->cut.kernel_count);
            compared += compare_bytes(&spec->operations[0], &cuda, text) + compare_bytes(&spec->operations[0], &processor, text);
            kernels += written->cut.kernel_count;
            operations += written->stage_count;
        }
        compare_cuts(text, spec);
        msw_spec_destroy(spec);
        ms_arena_free(&arena);
    }
    print_message("%llu operations in %llu kernels; of %llu pipelines all cuts; bytes %llu times\n", (unsigned long long)operations,
                  (unsigned long long)kernels, (unsigned long long)tried, (unsigned long long)compared);
    assert_true(compared > PIPELINES);
    assert_true(tried > PIPELINES / 2);
}

/* ---- by hand: PIPELINES.md's table, where one operation can be a kernel of the maps around it ---- */

static void find(const char *body, uint32_t most_operations, msw_cut_method method, uint32_t kernels, double bytes)
{
    static const double n = 1 << 28;
    char text[1000];
    ms_arena arena;
    ms_cut cut;
    msw_spec *spec;
    msw_diag diag;
    uint32_t operation;
    ms_arena_init(&arena, NULL, 0);
    snprintf(text, sizeof text, "return pipeline(function(p)\n%s\nend)", body);
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text, .cut = method};
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
    const ms_written *written = spec->operations[0].pipeline->written;
    ms_cut_device device = ms_cut_large_gpu();
    const ms_cut_graph *graph = ms_written_graph(&arena, written, n, &device);
    const ms_cut_rule rule = ms_written_rule(written);
    device.max_operations = most_operations;
    assert_int_equal(ms_cut_find(&arena, graph, &device, &rule, method, &cut, &operation), MSW_OK);
    if (cut.kernel_count != kernels || fabs(cut.bytes / n - bytes) > 1e-6)
        fail_msg("%s: %u kernels, %g bytes\n%s", ms_cut_method_name(method), cut.kernel_count, cut.bytes / n, text);
    if (!most_operations) assert_int_equal(spec->operations[0].pipeline->stage_count, kernels);
    msw_spec_destroy(spec);
    ms_arena_free(&arena);
}

static void test_by_hand(void **state)
{
    static const char mapped[] = "local x = p.input('x', u32)\n"
                                 "local y = p.map({ x }, function(v) return v * 3 end)\n"
                                 "p.output('z', p.map({ p.scan { monoid = sum(u32), input = y } }, function(s) return s + 1 end))";
    static const char softmax[] = "local x = p.input('x', f32)\n"
                                  "local most = p.reduce { monoid = maximum(f32), input = x }\n"
                                  "local e = p.map({ x }, function(v) return exp(v - most) end)\n"
                                  "local total = p.reduce { monoid = sum(f32), input = e }\n"
                                  "p.output('y', p.map({ e }, function(v) return v / total end))";
    static const char wide[] = "local x, V = p.input('x', u32), vec(u32, 4)\n"
                               "local W = struct 'W' { {'a', V}, {'b', V} }\n"
                               "local a = p.map({ x }, function(v) return v * 3 end)\n"
                               "local b = p.map({ a }, function(v) return W { a = V { v, 1, v, v }, b = V { 2, v, v, v } } end)\n"
                               "local none = V { 0, 0, 0, 0 }\n"
                               "local add = monoid { type = W, identity = W { a = none, b = none },\n"
                               "  combine = function(u, v) return W { a = u.a + v.a, b = u.b + v.b } end }\n"
                               "local s = p.scan { monoid = add, input = b }\n"
                               "p.output('y', p.map({ s }, function(v) return v.a.x ~ v.b.y end))";
    static const char totals[] = "local x = p.input('x', u32)\n"
                                 "local y = p.map({ x }, function(v) return v * 3 end)\n"
                                 "p.output('a', p.reduce { monoid = maximum(u32), input = x })\n"
                                 "p.output('b', p.reduce { monoid = sum(u32), input = y })";
    static const char kinds[] = "local x = p.input('x', u32)\n"
                                "p.output('a', p.scan { monoid = maximum(u32), input = x })\n"
                                "p.output('b', p.scan { monoid = sum(u32), input = x, kind = 'exclusive' })";
    static const char twice[] = "local x = p.input('x', u32)\n"
                                "local y = p.map({ p.scan { monoid = sum(u32), input = x } }, function(v) return v ~ 1 end)\n"
                                "p.output('z', p.scan { monoid = maximum(u32), input = y })";
    static const char stored[] = "local x = p.input('x', u32)\n"
                                 "local a = p.scan { monoid = sum(u32), input = x, kind = 'exclusive' }\n"
                                 "p.output('a', a) p.output('b', p.scan { monoid = sum(u32), input = a })";
    static const char thrice[] = "local x = p.input('x', u32)\n"
                                 "local y = p.scan { monoid = sum(u32), input = p.scan { monoid = sum(u32), input = x } }\n"
                                 "p.output('z', p.scan { monoid = sum(u32), input = y })";
    static const char back[] = "local x = p.input('x', u32)\n"
                               "local y = p.scan { monoid = sum(u32), input = x }\n"
                               "p.output('z', p.scan { monoid = sum(u32), input = y, reverse = true })";
    static const char rounded[] = "local x = p.input('x', f32)\n"
                                  "p.output('z', p.scan { monoid = sum(f32), input = p.scan { monoid = sum(f32), input = x } })";
    static const char nearby[] = "local x = p.input('x', u32)\n"
                                 "local y = p.scan { monoid = sum(u32), input = x }\n"
                                 "local z = p.map({ y }, function(v, i, near) return where(near.first, v, near.before) end)\n"
                                 "p.output('z', p.scan { monoid = sum(u32), input = z })";
    static const char sorted[] = "local x = p.input('x', u32)\n"
                                 "p.output('y', p.sort { keys = p.map({ x }, function(v) return v * 3 end) })";
    static const char of_sorted[] = "local x, w = p.input('x', u32), p.input('w', u32)\n"
                                    "local most = p.reduce { monoid = maximum(u32), input = w }\n"
                                    "local s = p.sort { keys = p.map({ x }, function(v) return v * 3 end), values = w }\n"
                                    "p.output('y', p.map({ s.keys_out, s.values_out }, function(k, v, i) return u16(k ~ v + u32(i) ~ most) end))\n"
                                    "p.output('v', s.values_out)";
    static const char beside_sorted[] = "local x = p.input('x', u32)\n"
                                        "p.output('y', p.map({ p.sort { keys = x }, x }, function(k, v) return k ~ v end))";
    static const char of_two[] = "local x, w = p.input('x', u32), p.input('w', u32)\n"
                                 "p.output('y', p.sort { keys = p.map({ x, w }, function(v, u) return v + u end) })";
    static const char of_value[] = "local x = p.input('x', u32)\n"
                                   "local most = p.reduce { monoid = maximum(u32), input = x }\n"
                                   "p.output('y', p.sort { keys = p.map({ x }, function(v) return v ~ most end) })";
    static const char by_key[] =
        "local x, w = p.input('x', u32), p.input('w', u32)\n"
        "local sums = p.reduce_by_key { keys = p.map({ x }, function(v) return v >> 26 end), values = w, monoid = sum(u32) }\n"
        "p.output('k', sums.keys_out) p.output('s', sums.values_out)";
    static const char segments[] = "local x, f = p.input('x', u32), p.input('f', u8)\n"
                                   "local y = p.map({ x }, function(v) return v * 3 end)\n"
                                   "p.output('y', p.segmented_scan { flags = f, input = y, monoid = sum(u32) })";
    static const char of_segments[] = "local x, f, w = p.input('x', u32), p.input('f', u8), p.input('w', u16)\n"
                                      "local s = p.segmented_scan { flags = f, input = x, monoid = sum(u32) }\n"
                                      "p.output('y', p.map({ s, w, f }, function(v, u, b) return v ~ u32(u) + u32(b) end))";
    static const char of_offsets[] = "local x, o = p.input('x', u32), p.input('o', u64, { segments = 99 })\n"
                                     "local s = p.segmented_scan { offsets = o, input = x, monoid = sum(u32), kind = 'exclusive', reverse = true }\n"
                                     "p.output('s', s) p.output('y', p.map({ s, x }, function(v, u) return u16(v ~ u) end))";
    static const char by_number[] = "local x, f = p.input('x', u32), p.input('f', u8)\n"
                                    "local s = p.segmented_scan { flags = f, input = x, monoid = sum(u32), outputs = {\n"
                                    "  {'s', at = function(v) return v % 9 end, value = function(v) return v end} } }\n"
                                    "p.output('y', p.map({ s }, function(v) return v * 3 end))";
    static const char from_the_last[] =
        "local x = p.input('x', f32)\n"
        "local s = p.scan { monoid = sum(f32), input = x, reverse = true, deterministic = 'everywhere' }\n"
        "p.output('s', p.map({ s }, function(v) return v + 1 end)) p.output('y', p.map({ s }, function(v) return u16(v) end))";
    static const char kept[] = "local x = p.input('x', u32)\n"
                               "local k = p.compact { input = x, keep = function(v) return lt(v, 9) end }\n"
                               "p.output('y', p.map({ k.out }, function(v) return u8(v) * 3 end))";
    (void)state;
    find(mapped, 0, MSW_CUT_OPTIMUM, 1, 8);
    find(mapped, 0, MSW_CUT_UNFUSED, 3, 24);
    find(softmax, 0, MSW_CUT_OPTIMUM, 3, 16);
    find(softmax, 0, MSW_CUT_UNFUSED, 4, 24);
    find(wide, 3, MSW_CUT_OPTIMUM, 2, 16);
    find(wide, 3, MSW_CUT_GREEDY, 2, 72);
    find(totals, 0, MSW_CUT_OPTIMUM, 1, 4);
    find(totals, 0, MSW_CUT_UNFUSED, 3, 16);
    find(kinds, 0, MSW_CUT_OPTIMUM, 1, 12);
    find(twice, 0, MSW_CUT_OPTIMUM, 2, 16); /* a second look-back takes longer than 8 bytes */
    find(twice, 0, MSW_CUT_FEWEST, 1, 8);
    find(twice, 0, MSW_CUT_GREEDY, 1, 8);
    find(twice, 0, MSW_CUT_UNFUSED, 3, 24);
    find(stored, 0, MSW_CUT_FEWEST, 1, 12);
    find(thrice, 0, MSW_CUT_OPTIMUM, 3, 24);
    find(thrice, 0, MSW_CUT_FEWEST, 2, 16);
    find(back, 0, MSW_CUT_OPTIMUM, 2, 16);
    find(rounded, 0, MSW_CUT_OPTIMUM, 2, 16);
    find(nearby, 0, MSW_CUT_OPTIMUM, 3, 24);
    find(sorted, 0, MSW_CUT_OPTIMUM, 1, 4 + 4 + 2 * 4 * 3 + 4);
    find(of_sorted, 0, MSW_CUT_OPTIMUM, 2, 4 + 4 + 4 + 4 + 2 * 8 * 3 + 4 + 2);
    find(of_sorted, 0, MSW_CUT_UNFUSED, 4, 4 + 4 + 4 + 4 + 4 + 4 + 2 * 8 * 3 + 4 + 4 + 8 + 2);
    find(beside_sorted, 0, MSW_CUT_OPTIMUM, 2, 4 + 4 + 2 * 4 * 3 + 4 + 8 + 4);
    find(of_two, 0, MSW_CUT_OPTIMUM, 2, 8 + 4 + 4 + 4 + 2 * 4 * 3 + 4);
    find(of_value, 0, MSW_CUT_OPTIMUM, 2, 4 + 4 + 4 + 2 * 4 * 3 + 4);
    find(of_value, 0, MSW_CUT_UNFUSED, 3, 4 + 4 + 4 + 4 + 4 + 2 * 4 * 3 + 4);
    find(by_key, 0, MSW_CUT_OPTIMUM, 1, 8 + 8 / 2);
    find(segments, 0, MSW_CUT_OPTIMUM, 1, 9);
    find(of_segments, 0, MSW_CUT_OPTIMUM, 1, 4 + 1 + 2 + 4);
    find(of_segments, 0, MSW_CUT_UNFUSED, 2, 4 + 1 + 4 + 4 + 2 + 1 + 4);
    find(of_offsets, 0, MSW_CUT_OPTIMUM, 2, 4 + 8 + 4 + 2); /* as if there were as many offsets as elements */
    find(by_number, 9, MSW_CUT_OPTIMUM, 2, 4 + 1 + 4 + 4 + 4);
    find(from_the_last, 0, MSW_CUT_OPTIMUM, 2, 4 + 4 + 4 + 4 + 2); /* which Vulkan may move as words */
    find(kept, 0, MSW_CUT_OPTIMUM, 1, 4 + 1 / 2.);
    find(kept, 0, MSW_CUT_UNFUSED, 2, 4 + 4 / 2. + 4 / 2. + 1 / 2.);
}

/* A kernel that is not what the operations are: seen by evaluation, which goes by these, whatever was made of them. Where nothing was made it
 * evaluates them alone. */
static void test_reference(void **state)
{
    static const char text[] = "local function of(k, fuse) return pipeline(function(p) local x = p.input('x', u32)\n"
                               "  local y = p.map({ x }, function(v, i) return v * 3 + u32(i) + k end)\n"
                               "  p.output('s', p.scan { monoid = sum(u32), input = y }) end, { name = 'of' .. k, fuse = fuse }) end\n"
                               "return { of(0), of(1), of(2, false) }\n";
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text};
    const uint32_t x[3] = {5, 6, 7}, expected[3] = {15, 34, 57};
    const void *const inputs[1] = {x};
    uint32_t s[3];
    void *const outputs[1] = {s};
    msw_spec *spec;
    msw_diag diag;
    (void)state;
    assert_int_equal(msw_spec_create(&desc, &spec, &diag), MSW_OK);
    ms_pipeline *pipeline = (ms_pipeline *)(uintptr_t)spec->operations[0].pipeline;
    assert_int_equal(pipeline->stage_count, 1);
    assert_int_equal(pipeline->reference.stage_count, 2);
    assert_int_equal(msw_spec_evaluate(spec, 0, 3, inputs, outputs, NULL, NULL, &diag), MSW_OK);
    assert_memory_equal(s, expected, sizeof expected);
    pipeline->stages[0].op = spec->operations[1].pipeline->stages[0].op;
    assert_int_equal(msw_spec_evaluate(spec, 0, 3, inputs, outputs, NULL, NULL, &diag), MSW_ERROR_COMPILE);
    assert_non_null(strstr(diag.message, "'s' is not what the operations return as they are written"));
    pipeline = (ms_pipeline *)(uintptr_t)spec->operations[2].pipeline;
    assert_int_equal(pipeline->stage_count, 2);
    pipeline->stages[1].op = spec->operations[0].pipeline->stages[0].op; /* reads no y */
    assert_int_equal(msw_spec_evaluate(spec, 2, 3, inputs, outputs, NULL, NULL, &diag), MSW_OK);
    assert_memory_equal(s, ((uint32_t[3]){17, 38, 63}), sizeof s);
    msw_spec_destroy(spec);
}

/* ---- what one operation alone can be is never too much because it is one kernel with others ---- */

static const char *const limits[][2] = {
    {"uniforms of 64 bytes", "local M = struct 'M' { {'a', vec(f32, 4)}, {'b', vec(f32, 4)}, {'c', vec(f32, 4)}, {'d', vec(f32, 4)} }\n"
                             "local y = p.input('x', f32)\n"
                             "for k = 1, 3 do local m = uniform('m' .. k, M) y = p.map({ y }, function(v) return v * m.a.x + m.d.w end) end\n"
                             "p.output('y', y)"},
    {"single values of 48 bytes",
     "local V = vec(u32, 4)\n"
     "local B = struct 'B' { {'a', V}, {'b', V}, {'c', V} }\n"
     "local none = V { 0, 0, 0, 0 }\n"
     "local add = monoid { type = B, identity = B { a = none, b = none, c = none },\n"
     "  combine = function(s, t) return B { a = s.a + t.a, b = s.b + t.b, c = s.c + t.c } end }\n"
     "local x = p.input('x', u32)\n"
     "local y = x\n"
     "for k = 1, 3 do\n"
     "  local most = p.reduce { monoid = add, input = x, map = function(v) local q = V { v, k, v, k } return B { a = q, b = q, c = q } end }\n"
     "  y = p.map({ y }, function(v) return v + most.a.x + most.c.w end)\n"
     "end\n"
     "p.output('y', y)"},
    {"results of reductions of 52 bytes",
     "local V = vec(u32, 4)\n"
     "local B = struct 'B' { {'v', u32}, {'a', V}, {'b', V}, {'c', V} }\n"
     "local function wide(s) local q = V { s, s, s, s } return B { v = s, a = q, b = q, c = q } end\n"
     "local x = p.input('x', u32)\n"
     "for k = 1, 3 do p.output('y' .. k, p.reduce { monoid = sum(u32), input = x, map = function(v) return v * k end, output = wide }) end"},
    {"maps of 600 operations in a row",
     "local y = p.input('x', u32)\n"
     "for k = 1, 4 do y = p.map({ y }, function(v) for i = 1, 300 do v = (v ~ u32(i * k)) * 3 end return v end) end\n"
     "p.output('y', y)"},
    {"a scan between maps of 1400 operations",
     "local function rounds(v) for i = 1, 700 do v = (v ~ u32(i)) * 3 end return v end\n"
     "local y = p.scan { monoid = sum(u32), input = p.map({ p.input('x', u32) }, rounds), output = rounds }\n"
     "p.output('y', p.map({ y }, rounds))"},
    {"what is near a map of 800 operations", "local function rounds(v) for i = 1, 400 do v = (v ~ u32(i)) * 3 end return v end\n"
                                             "local y = p.map({ p.input('x', u32) }, rounds)\n"
                                             "p.output('y', p.map({ y }, function(v, i, near) return v ~ near.before ~ near.after end))"},
    {"structs in structs, 16 deep",
     "local D = { [0] = u32 }\n"
     "for k = 1, 16 do D[k] = struct('D' .. k) { { 'v', D[k - 1] } } end\n"
     "local function get(x) for k = 1, 16 do x = x.v end return x end\n"
     "local function put(x) for k = 1, 16 do x = D[k] { v = x } end return x end\n"
     "local m = monoid { type = D[16], identity = put(u32(0)), combine = function(a, b) return put(get(a) + get(b)) end }\n"
     "local x = p.input('x', u32)\n"
     "p.output('a', p.scan { monoid = m, input = x, map = put, output = get })\n"
     "p.output('b', p.scan { monoid = sum(u32), input = x })"},
    {"a combine that is a source", "local add = source { glsl = 'return a + b;', cuda = 'return a + b;', host = function(a, b) return a + b end }\n"
                                   "local m, x = monoid { type = u32, identity = 0, combine = add }, p.input('x', u32)\n"
                                   "p.output('a', p.scan { monoid = m, input = x })\n"
                                   "p.output('b', p.scan { monoid = sum(u32), input = x })"},
    {"seven arrays, one of which says where segments begin",
     "local x, f, all = p.input('x', u32), p.input('f', u8), {}\n"
     "for k = 1, 5 do all[k] = p.input('a' .. k, u8) end\n"
     "local y = p.map({ x, f, table.unpack(all) }, function(v, f, ...) for _, u in ipairs { ... } do v = v ~ u32(u) end return v + u32(f) end)\n"
     "p.output('y', p.segmented_scan { flags = f, monoid = sum(u32), input = y })"},
    {"keys of 32 bytes", "local K = struct 'K' { {'a', vec(u32, 4)}, {'b', vec(u32, 4)} }\n"
                         "local k = p.input('k', K)\n"
                         "local y = p.map({ k }, function(u) return u.a.x ~ u.b.w end)\n"
                         "local s = p.segmented_scan { keys = k, equal = function(a, b) return eq(a.a.x, b.a.x) end, monoid = sum(u32), input = y }\n"
                         "p.output('z', p.map({ s, k }, function(v, u) return v ~ u.b.x end))"},
    {"a uniform and an output of one name",
     "local u = uniform('total', u32)\n"
     "local y = p.map({ p.input('x', u32) }, function(v) return v ~ u end)\n"
     "p.output('a', p.scan { monoid = sum(u32), input = y, outputs = { { 'total', value = function(s) return s end } } })"},
    {"a uniform and an input of one name",
     "local u, x = uniform('scale', u32), p.input('x', u32)\n"
     "local y = p.map({ x }, function(v) return v ~ u end)\n"
     "p.output('a', p.scan { monoid = sum(u32), inputs = { scale = x, y = y }, map = function(e) return e.y + e.scale end })"},
};

/* Kernels that hold several operations all the same, whose arrays have names that kernels have already, or that are too long. */
static const char *const names[] = {
    "local x, L = p.input('x', u32), ('a'):rep(60)\n"
    "local s = p.scan { name = L, monoid = sum(u32), input = x,\n"
    "  outputs = { {'first_of_these', value = function(s) return s end}, {'second_of_these', value = function(s) return s + 1 end} } }\n"
    "p.output('a', s.first_of_these) p.output('b', s.second_of_these)\n"
    "p.output('c', p.scan { monoid = sum(u32), input = x })",
    "local x = p.input('x', u32)\n"
    "p.output('a', p.scan { monoid = sum(u32), input = x })\n"
    "p.output('b', p.map { input = x, name = 'flags', output = function(v) return v + 1 end })",
    "local k = p.compact { input = p.input('x', u32), keep = function(v) return lt(v, 9) end }\n"
    "p.output('a', k.out)\n"
    "p.output('y', p.map { input = k.out, name = 'count', output = function(v) return u8(v) * 3 end })",
    "local x, u = p.input('x', u32), uniform('twin', u32)\n"
    "local y = p.scan { monoid = sum(u32), input = x }\n"
    "p.output('a', y)\n"
    "p.output('b', p.map { input = y, name = 'twin', output = function(v) return v + u end })",
    "local x, y, w = p.input('x', u32), p.input('y', u32), p.input('w', u32)\n"
    "local z = p.map({ y, w }, function(a, b) return a ~ b end)\n"
    "p.output('a', p.scan { monoid = sum(u32), inputs = { y_of_1 = z, w_of_2 = x, y_of_2 = x }, map = function(e) return e.y_of_1 + e.w_of_2 end,\n"
    "  outputs = { {'x_of_1', value = function(s) return s end} } })",
};

/* By all methods. */
static void accept(const char *name, const char *body, int is_one_kernel)
{
    char text[2000];
    snprintf(text, sizeof text, "return pipeline(function(p)\n%s\nend)", body);
    for (uint32_t cut = 0; cut < MS_CUT_METHOD_COUNT; cut++) {
        msw_spec *spec;
        msw_diag diag;
        const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text, .cut = cut};
        if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s, %s: %s", name, ms_cut_method_name(cut), diag.message);
        if (is_one_kernel && cut == MSW_CUT_OPTIMUM) assert_int_equal(spec->operations[0].pipeline->stage_count, 1);
        msw_spec_destroy(spec);
    }
}

static void test_limits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) accept(limits[i][0], limits[i][1], 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) accept("names", names[i], 1);
}

/* ---- maps that read the two maps before them: read once each, or as often as there are ways ---- */

static const char *const rounds[] = {
    "local r = p.map({ w }, wide)\n"
    "for k = 1, 15 do l, r = r, p.map({ l, r }, mixed(k)) end\n"
    "p.output('l', l) p.output('r', r)",
    "local r = p.map({ w }, wide)\n"
    "for k = 1, 14 do l, r = r, p.map({ l, r }, mixed(k)) end\n"
    "p.output('s', p.scan { monoid = sum(u32), inputs = { a = l, b = r }, map = function(e, i, near)\n"
    "  return where(near.first, e.a, e.b ~ near.before.a) end })",
    "local s = p.sort { keys = p.map({ l, l }, function(v, u) return v * 3 ~ u end), values = w }\n"
    "local k, r = s.keys_out, p.map({ s.values_out }, wide)\n"
    "for i = 1, 13 do k, r = r, p.map({ k, r }, mixed(i)) end\n"
    "p.output('k', k) p.output('r', r)",
    "local kept = p.compact { inputs = { l = l, w = w }, keep = function(e) return lt(e.l, 1 << 31) end,\n"
    "  outputs = { {'a', value = function(e) return e.l end}, {'b', value = function(e) return u32(e.w) end} } }\n"
    "local l, r = kept.a, kept.b\n"
    "for i = 1, 14 do l, r = r, p.map({ l, r }, mixed(i)) end\n"
    "p.output('r', r)",
    "local r = p.map({ w }, wide)\n"
    "for i = 1, 4 do l, r = r, p.map({ l, r }, mixed(i)) end\n"
    "local a, b = p.scan { monoid = sum(u32), input = r, kind = 'exclusive' }, p.scan { monoid = maximum(u32), input = l }\n"
    "for i = 1, 8 do a, b = b, p.map({ a, b }, mixed(i)) end\n"
    "p.output('b', p.scan { monoid = sum(u32), input = b })",
};

static void test_read_twice(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        char text[2000];
        msw_spec *spec;
        msw_diag diag;
        snprintf(text, sizeof text,
                 "local function mixed(k) return function(v, w) return v ~ (w * 0x9e3779b1 >> 7) + k end end\n"
                 "local function wide(v) return u32(v) end\n"
                 "return pipeline(function(p)\n"
                 "  local l, w = p.input('v0', u32), p.input('v1', u16)\n%s\nend)",
                 rounds[i]);
        if (msw_spec_create(&(msw_spec_desc){.struct_size = sizeof(msw_spec_desc), .text = text}, &spec, &diag))
            fail_msg("%s\n%s", diag.message, text);
        compare_cuts(text, spec);
        msw_spec_destroy(spec);
    }
}

/* A map of several outputs is one kernel, whatever its bytes are, or each output is made where it is read. */
static void test_parts(void **state)
{
#define MAP_OF_TWO                                                                                             \
    "local m = p.map { input = p.input('v0', u32), outputs = { {'a', value = function(v) return v * 3 end},\n" \
    "  {'b', value = function(v, i) return v ~ u32(i) end} } }\n"
    static const char wide[] = "local W = struct 'W' { {'x', vec(u32, 4)} }\n"
                               "local function four(v) return W(vec(u32, 4)(v, v, v, v)) end\n"
                               "local m = p.map { input = p.input('v0', u32), outputs = {\n"
                               "  {'a', value = four}, {'b', value = four}, {'c', value = four}, {'d', value = four} } }\n"
                               "p.output('a', m.a) p.output('b', m.b) p.output('c', m.c) p.output('d', m.d)\n"
                               "p.output('s', p.reduce { monoid = maximum(u32), input = m.a, map = function(w) return w.x.y end })";
    static const char ordered[] = /* a reduction in order, beside two in any */
        "local x = p.input('v0', u32)\n"
        "local latest = monoid { type = u32, identity = 0, combine = function(a, b) return where(eq(b, 0), a, b) end }\n"
        "p.output('a', p.reduce { monoid = sum(u32), input = x }) p.output('b', p.reduce { monoid = latest, input = x })\n"
        "p.output('c', p.reduce { monoid = maximum(u32), input = x })";
    (void)state;
    find(MAP_OF_TWO "p.output('s', p.scan { monoid = sum(u32), input = m.a }) p.output('t', p.scan { monoid = maximum(u32), input = m.b })", 0,
         MSW_CUT_OPTIMUM, 1, 12);
    find(MAP_OF_TWO "p.output('s', p.scan { monoid = sum(u32), input = m.a }) p.output('t', p.scan { monoid = maximum(u32), input = m.b })", 0,
         MSW_CUT_UNFUSED, 3, 28);
    find(MAP_OF_TWO "p.output('s', p.reduce { monoid = sum(u32), input = m.a }) p.output('a', m.a) p.output('b', m.b)", 0, MSW_CUT_OPTIMUM, 2, 16);
    find(MAP_OF_TWO "p.output('s', p.scan { monoid = sum(u32), input = m.a }) p.output('b', m.b)", 0, MSW_CUT_OPTIMUM, 1, 12);
    find("local m = p.map { inputs = { a = p.input('v0', u32), b = p.input('v1', u16) }, outputs = { {'x', value = function(e) return e.a * 3 end},\n"
         "  {'y', value = function(e) return e.b + 1 end} } }\n"
         "p.output('s', p.reduce { monoid = sum(u32), input = m.x }) p.output('k', p.sort { keys = m.y })",
         0, MSW_CUT_OPTIMUM, 2, 4 + 3 * 2 + 2 * 2);
    find(ordered, 0, MSW_CUT_OPTIMUM, 2, 4 + 4);
    find(wide, 0, MSW_CUT_OPTIMUM, 2, 4 + 4 * 16 + 4);
    find(wide, 0, MSW_CUT_UNFUSED, 2, 4 + 4 * 16 + 16);
}

/* Parts of a map in several kernels: 20 bytes each, of which the largest kernel has three, and one is made where it is read alone. */
static void test_named_parts(void **state)
{
    static const char text[] =
        "local W = struct 'W' { {'x', vec(u32, 4)}, {'y', u32} }\n"
        "local function five(k) return function(v) v = v * k return W { x = vec(u32, 4)(v, v, v, v), y = v } end end\n"
        "return pipeline(function(p)\n"
        "  local m = p.map { name = 'm', input = p.input('v0', u32), outputs = {\n"
        "    {'a', value = five(1)}, {'b', value = five(2)}, {'c', value = five(3)}, {'d', value = five(4)}, {'unread', value = five(5)} } }\n"
        "  p.output('a', m.a) p.output('b', m.b) p.output('c', m.c)\n"
        "  p.output('s', p.reduce { name = 'r', monoid = maximum(u32), input = m.d, map = function(w) return w.y end }) end)";
    msw_spec *spec;
    msw_diag diag;
    (void)state;
    if (msw_spec_create(&(msw_spec_desc){.struct_size = sizeof(msw_spec_desc), .text = text}, &spec, &diag)) fail_msg("%s", diag.message);
    assert_int_equal(spec->operations[0].pipeline->stage_count, 3);
    check_names(spec, text);
    msw_spec_destroy(spec);
}

/* A map of several outputs costs what a map does, not what a selection does. */
static void test_two_outputs(void **state)
{
    static const char text[] = "return pipeline(function(p)\n"
                               "  local m = p.map { input = p.input('x', u32), outputs = {\n"
                               "    {'a', value = function(v) return v * 3 end}, {'b', value = function(v) return v * 5 end} } }\n"
                               "  p.output('a', m.a) p.output('b', m.b)\nend)";
    ms_cut_device device = ms_cut_large_gpu();
    ms_arena arena;
    msw_spec *spec;
    msw_diag diag;
    (void)state;
    ms_arena_init(&arena, NULL, 0);
    device.item_instructions[MS_CUT_MAP] = 10;
    device.item_instructions[MS_CUT_OTHER] = 1000;
    if (msw_spec_create(&(msw_spec_desc){.struct_size = sizeof(msw_spec_desc), .text = text}, &spec, &diag)) fail_msg("%s", diag.message);
    const ms_cut_graph *graph = ms_written_graph(&arena, spec->operations[0].pipeline->written, 1e6, &device);
    assert_non_null(graph);
    assert_true(graph->operations[0].instructions == 12);
    msw_spec_destroy(spec);
    ms_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),   cmocka_unit_test(test_two_outputs),      cmocka_unit_test(test_parts),  cmocka_unit_test(test_named_parts),
        cmocka_unit_test(test_reference), cmocka_unit_test(test_launched_is_best), cmocka_unit_test(test_limits), cmocka_unit_test(test_read_twice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
