/* Single-pass scans on a device (MSW_TEST_DEVICE, default vulkan), bit for bit: descriptors of every size and kind, windows of every shape, posts
 * that never come, and one scratch for many launches of changing data and length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_device.h"

enum { MOST_ITEMS = 120000, MOST_SHIFT = 32, MOST_BYTES = MOST_ITEMS * 16 + MOST_SHIFT, LAUNCHES = 6, MAX_KNOBS = 8 };

/* 4, 8, 12 and 68 bytes of payload; none but the first and the last commute. */
static const char spec_text[] =
    "local A = struct 'A' { {'a', u32}, {'b', u32} }\n"
    "local affine = monoid { type = A, identity = A(1, 0), combine = function(f, g) return A(f.a * g.a, f.b * g.a + g.b) end }\n"
    "local M = struct 'M' { {'first', u32}, {'last', u32}, {'steps', u32} }\n"
    "local ends = monoid { type = M, identity = M(0, 0, 0), combine = function(x, y)\n"
    "  return where(eq(x.steps, 0), y, where(eq(y.steps, 0), x, M(x.first, y.last, x.steps + y.steps))) end, laws = 'trusted' }\n"
    "local fields = {}\n"
    "for i = 1, 17 do fields[i] = { 'f' .. i, u32 } end\n"
    "local Wide = struct 'Wide' (fields)\n"
    "local function all(make) local t = {} for i = 1, 17 do t[i] = make(i) end return Wide(table.unpack(t)) end\n"
    "local wide = monoid { type = Wide, identity = all(function() return 0 end), combine = function(x, y)\n"
    "  return all(function(i) return x['f' .. i] + y['f' .. i] end) end, commutative = true }\n"
    "return {\n"
    "  scan { name = 'sums', monoid = sum(u32), kind = 'exclusive', init = 5 },\n"
    "  scan { name = 'affine', monoid = affine, input = u32, map = function(x) return A(x | 1, x) end, reverse = true },\n"
    "  scan { name = 'ends', monoid = ends, input = u32, map = function(x, i) return M(x, x * 3, 1 + (u32(i) & 3)) end },\n"
    "  scan { name = 'wide', monoid = wide, input = u32, output = function(s) return s.f1 ~ s.f17 end,\n"
    "    map = function(x) return all(function(i) return x * i end) end },\n"
    "}\n";

/* 1, 2, 8 and 16 bytes, of which the last two may lie where no multiple of their size is; results that are wider than inputs. */
static const char shifted_text[] =
    "local A = struct 'A' { {'a', u32}, {'b', u32} }\n"
    "local M = struct 'M' { {'a', u32}, {'b', u32}, {'c', u32}, {'d', u32} }\n"
    "return {\n"
    "  scan { name = 'bytes', monoid = sum(u8) },\n"
    "  scan { name = 'bytes_back', monoid = sum(u8), kind = 'exclusive', reverse = true },\n"
    "  scan { name = 'halves', monoid = sum(u16) },\n"
    "  scan { name = 'affine', monoid = monoid { type = A, identity = A(1, 0), combine = function(f, g) return A(f.a * g.a, f.b * g.a + g.b) end "
    "} },\n"
    "  scan { name = 'matrices', kind = 'exclusive', monoid = monoid { type = M, identity = M(1, 0, 0, 1), combine = function(x, y)\n"
    "    return M(x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d) end } },\n"
    "  scan { name = 'counts', monoid = sum(u32), input = u8, map = function(x) return u32(x) end },\n"
    "}\n";

static msw_spec *spec;
static msw_context *context;
static int has_flagged; /* Vulkan has descriptors of 32-bit words, but llvmpipe cannot run them */
static unsigned char *input, *expected, *got;
static msw_buffer *in, *out;
static uint32_t in_shift, out_shift; /* bytes that the arrays are off their alignment of 16 */
static int validation_messages;

static void check(msw_result result, const msw_diag *diag)
{
    if (result != MSW_OK) fail_msg("%s", diag->message);
}

/* A scheduler that promises nothing: kernels come with the fallback. */
static int open_all(void **state)
{
    const msw_spec_desc read = {.struct_size = sizeof read, .text = spec_text};
    msw_context_desc desc = watched_context(test_device_name(), &validation_messages);
    msw_diag diag;
    (void)state;
    desc.progress = MSW_PROGRESS_NONE;
    check(msw_spec_create(&read, &spec, &diag), &diag);
    check(msw_context_create(&desc, &context, &diag), &diag);
    print_message("%s: %s\n", msw_context_device(context)->id, msw_context_device(context)->name);
    has_flagged = msw_context_device(context)->backend == MSW_BACKEND_VULKAN && strcmp(msw_context_device(context)->target.arch, "lavapipe") != 0;
    check(msw_buffer_create(context, MOST_BYTES, &in, &diag), &diag);
    check(msw_buffer_create(context, MOST_BYTES, &out, &diag), &diag);
    input = malloc(MOST_BYTES);
    expected = malloc(MOST_BYTES);
    got = malloc(MOST_BYTES);
    return input && expected && got ? 0 : -1;
}

static int close_all(void **state)
{
    (void)state;
    msw_buffer_destroy(in);
    msw_buffer_destroy(out);
    msw_context_destroy(context);
    msw_spec_destroy(spec);
    free(input);
    free(expected);
    free(got);
    return validation_messages ? -1 : 0;
}

static void fill(uint32_t seed, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++) {
        seed = seed * 1664525u + 1013904223u;
        input[i] = (unsigned char)(seed >> 24);
    }
}

/* Several launches on one scratch, which is made ready before the first only; n changes, so that old posts lie about. */
static void run_launches(uint32_t op, msw_kernel *kernel, const char *label)
{
    const msw_plan *plan = msw_kernel_plan(kernel);
    const uint64_t tile = plan->steps[0].tile_items, sizes[LAUNCHES] = {MOST_ITEMS / 4, MOST_ITEMS, 3 * tile + 1, 0, tile, MOST_ITEMS - 1};
    const uint64_t in_bytes = plan->buffers[0].element_bytes, out_bytes = plan->buffers[1].element_bytes;
    msw_buffer *scratch;
    msw_diag diag;
    check(msw_buffer_create(context, msw_scratch_bytes(plan, MOST_ITEMS), &scratch, &diag), &diag);
    msw_enqueue_desc desc = {.struct_size = sizeof desc,
                             .buffers = {msw_buffer_address(in) + in_shift, msw_buffer_address(out) + out_shift},
                             .scratch = msw_buffer_address(scratch),
                             .scratch_bytes = msw_scratch_bytes(plan, MOST_ITEMS)};
    desc.n = MOST_ITEMS;
    desc.flags = MSW_SCRATCH_DIRTY;
    check(msw_kernel_run(kernel, &desc, NULL, &diag), &diag);
    desc.flags = 0;
    for (int launch = 0; launch < LAUNCHES; launch++) {
        const uint64_t n = desc.n = sizes[launch];
        fill((uint32_t)launch + 1, n * in_bytes);
        memset(got, 0xa5, n * out_bytes);
        check(msw_buffer_write(in, in_shift, input, n * in_bytes, &diag), &diag);
        check(msw_spec_evaluate(spec, op, n, (const void *[]){input}, (void *[]){expected}, NULL, NULL, &diag), &diag);
        check(msw_kernel_run(kernel, &desc, NULL, &diag), &diag);
        check(msw_buffer_read(out, out_shift, got, n * out_bytes, &diag), &diag);
        if (memcmp(got, expected, n * out_bytes)) fail_msg("%s, %s: launch %d, n = %llu differs", plan->name, label, launch, (unsigned long long)n);
    }
    msw_buffer_destroy(scratch);
}

/* knobs: "name=value name=value"; every operation, or those before `ops`. */
static void run_knobs(const char *text, uint32_t ops)
{
    char words[256], *rest = words;
    msw_knob knobs[MAX_KNOBS];
    uint32_t count = 0;
    snprintf(words, sizeof words, "%s", text);
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL && count < MAX_KNOBS; count++) {
        char *equals = strchr(word, '=');
        *equals = '\0';
        knobs[count] = (msw_knob){word, equals + 1};
    }
    for (uint32_t op = 0; op < ops; op++) {
        msw_op_info info = {.struct_size = sizeof info};
        msw_kernel *kernel;
        msw_diag diag;
        check(msw_spec_op(spec, op, &info), &diag);
        const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec = spec, .op = info.name, .knobs = knobs, .knob_count = count};
        check(msw_kernel_create(context, &desc, &kernel, &diag), &diag);
        run_launches(op, kernel, text);
        msw_kernel_destroy(kernel);
    }
}

static void test_descriptors(void **state)
{
    (void)state;
    run_knobs("strategy=lookback block=64 items=4 vector=4", 4);
    if (has_flagged) run_knobs("strategy=lookback block=64 items=4 vector=4 descriptor=flagged", 4);
}

static void test_windows(void **state)
{
    (void)state;
    if (msw_context_device(context)->target.features & MSW_FEATURE_LONG_LOOPS)
        run_knobs("strategy=lookback block=64 items=4 vector=4 ahead=1 blocks=7", 4);
    run_knobs("strategy=lookback block=64 items=4 vector=4 ahead=0", 2);
    run_knobs("strategy=lookback block=64 items=4 vector=4 lookback=serial", 2);
    run_knobs("strategy=lookback block=64 items=4 vector=4 lookback=3 blocks=9", 2);
    run_knobs("strategy=lookback block=64 items=4 vector=4 subgroup=1", 2);
}

/* Sums of tiles that wait in shared memory. */
static void test_parks(void **state)
{
    (void)state;
    if (msw_context_device(context)->target.features & MSW_FEATURE_LONG_LOOPS)
        run_knobs("strategy=lookback block=64 items=3 vector=1 ahead=1 blocks=7 parks=1", 4);
    run_knobs("strategy=lookback block=64 items=3 vector=1 ahead=0 parks=1", 4);
    run_knobs("strategy=lookback block=64 items=4 vector=4 ahead=0 parks=1", 2);
    run_knobs("strategy=single_block block=64 items=3 vector=1 parks=1", 4);
}

/* A context for a fair scheduler instead, until the one before is put back. */
static msw_context *open_fair(void)
{
    const msw_context_desc desc = watched_context(test_device_name(), &validation_messages);
    msw_context *const unfair = context;
    msw_diag diag;
    check(msw_context_create(&desc, &context, &diag), &diag);
    return unfair;
}

static int has_bulk_copies(void)
{
    const msw_target *target = &msw_context_device(context)->target;
    return target->backend == MSW_BACKEND_CUDA && atoi(target->arch + strlen("sm_")) >= 90;
}

/* Needs a fair scheduler, and a device that copies in bulk. */
static void test_lookahead(void **state)
{
    static const uint32_t shifts[][2] = {{4, 0}, {0, 8}, {12, 4}};
    msw_context *const unfair = open_fair();
    (void)state;
    if (has_bulk_copies()) {
        run_knobs("strategy=lookahead block=64 items=4 vector=4", 4);
        run_knobs("strategy=lookahead block=64 items=4 vector=4 stages=3 ahead=1", 4);
        run_knobs("strategy=lookahead block=96 items=12 vector=4 stages=9 ahead=7 blocks=5", 4);
        run_knobs("strategy=lookahead", 3);
        for (size_t s = 0; s < sizeof shifts / sizeof *shifts; s++) {
            in_shift = shifts[s][0];
            out_shift = shifts[s][1];
            run_knobs("strategy=lookahead block=64 items=4 vector=4 blocks=9", 4);
        }
        in_shift = out_shift = 0;
    }
    msw_context_destroy(context);
    context = unfair;
}

/* One launch on arrays that begin a number of bytes after a multiple of 16; nothing is written beside the results. */
static void run_shifted(uint32_t op, msw_kernel *kernel, uint32_t from, uint32_t to, msw_buffer *scratch)
{
    enum { ITEMS = 20000, GUARD = 16 };
    const msw_plan *plan = msw_kernel_plan(kernel);
    const uint64_t in_bytes = ITEMS * (uint64_t)plan->buffers[0].element_bytes, out_bytes = ITEMS * (uint64_t)plan->buffers[1].element_bytes;
    const uint64_t end = to + out_bytes;
    msw_buffer *results = from == to && in_bytes == out_bytes ? in : out; /* in place where that can be */
    msw_enqueue_desc desc = {.struct_size = sizeof desc,
                             .buffers = {msw_buffer_address(in) + from, msw_buffer_address(results) + to},
                             .n = ITEMS,
                             .scratch = msw_buffer_address(scratch),
                             .scratch_bytes = msw_scratch_bytes(plan, ITEMS),
                             .flags = MSW_SCRATCH_DIRTY | (results == in ? MSW_IN_PLACE : 0)};
    msw_diag diag;
    memset(got, 0xa5, end + GUARD);
    check(msw_buffer_write(results, 0, got, end + GUARD, &diag), &diag);
    fill(from * 16 + to, in_bytes);
    check(msw_buffer_write(in, from, input, in_bytes, &diag), &diag);
    check(msw_spec_evaluate(spec, op, ITEMS, (const void *[]){input}, (void *[]){expected}, NULL, NULL, &diag), &diag);
    check(msw_kernel_run(kernel, &desc, NULL, &diag), &diag);
    check(msw_buffer_read(results, 0, got, end + GUARD, &diag), &diag);
    if (memcmp(got + to, expected, out_bytes)) fail_msg("%s: inputs at %u, outputs at %u: differs", plan->name, from, to);
    for (uint64_t i = 0; i < end + GUARD; i++) {
        if ((i < to || i >= end) && got[i] != 0xa5)
            fail_msg("%s: inputs at %u, outputs at %u: byte %llu is written", plan->name, from, to, (unsigned long long)i);
    }
}

static void run_all_shifts(const char *strategy)
{
    const msw_spec_desc read = {.struct_size = sizeof read, .text = shifted_text};
    const msw_knob knobs[] = {{"strategy", strategy}, {"block", "64"}, {"blocks", "9"}};
    msw_spec *const others = spec;
    msw_diag diag;
    check(msw_spec_create(&read, &spec, &diag), &diag);
    for (uint32_t op = 0; op < msw_spec_op_count(spec); op++) {
        msw_op_info info = {.struct_size = sizeof info};
        msw_kernel *kernel;
        msw_buffer *scratch;
        check(msw_spec_op(spec, op, &info), &diag);
        const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec = spec, .op = info.name, .knobs = knobs, .knob_count = 3};
        check(msw_kernel_create(context, &desc, &kernel, &diag), &diag);
        const msw_plan *plan = msw_kernel_plan(kernel);
        const uint32_t from_step = plan->buffers[0].alignment_bytes, to_step = plan->buffers[1].alignment_bytes;
        check(msw_buffer_create(context, msw_scratch_bytes(plan, MOST_ITEMS), &scratch, &diag), &diag);
        for (uint32_t from = 0; from < 16; from += from_step) {
            run_shifted(op, kernel, from, from / to_step * to_step, scratch);
            run_shifted(op, kernel, from, (5 * from + 3) % 16 / to_step * to_step, scratch);
        }
        msw_buffer_destroy(scratch);
        msw_kernel_destroy(kernel);
    }
    msw_spec_destroy(spec);
    spec = others;
}

static void test_shifts(void **state)
{
    msw_context *const unfair = open_fair();
    (void)state;
    run_all_shifts("reduce_then_scan");
    if (has_bulk_copies()) run_all_shifts("lookahead");
    msw_context_destroy(context);
    context = unfair;
}

static void test_baselines(void **state)
{
    (void)state;
    run_knobs("strategy=chained_scan block=64 items=4 vector=4", 2);
    run_knobs("strategy=scan_then_propagate block=64 items=4 vector=4 blocks=5", 1);
}

/* What a block does not post, those that wait for it sum up again. */
static void test_withheld_posts(void **state)
{
    static const char *const withheld[] = {"withhold=512", "withhold=64", "withhold=2", "withhold=1", "withhold=block"};
    (void)state;
    for (size_t w = 0; w < sizeof withheld / sizeof *withheld; w++) {
        char knobs[128];
        snprintf(knobs, sizeof knobs, "strategy=lookback block=64 items=4 vector=4 spin=4 blocks=11 %s", withheld[w]);
        run_knobs(knobs, 2);
    }
    run_knobs("strategy=chained_scan block=64 items=16 vector=4 spin=4 withhold=2", 2);
    run_knobs("strategy=lookback block=64 items=4 vector=4 spin=4 withhold=2 lookback=2", 4);
    run_knobs("strategy=lookback block=64 items=16 vector=4 spin=4 withhold=2 subgroup=1", 2);
}

static void test_validation_was_silent(void **state)
{
    (void)state;
    assert_int_equal(validation_messages, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_descriptors),    cmocka_unit_test(test_windows),
                                       cmocka_unit_test(test_parks),          cmocka_unit_test(test_lookahead),
                                       cmocka_unit_test(test_shifts),         cmocka_unit_test(test_baselines),
                                       cmocka_unit_test(test_withheld_posts), cmocka_unit_test(test_validation_was_silent)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
