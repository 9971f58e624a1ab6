/* Launches of a pipeline: one scratch, zeroed once, for any n and any order of them; n on the device; arrays between stages that are given an
 * address; what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "launch.h"
#include "splitmix.h"
#include "test_device.h"

#include <stdlib.h>

enum { MOST = 20000, BUFFERS = 5 /* x, s, t, t_count; the first array between stages */, BETWEEN = 4 };

static const char text[] = "return pipeline(function(p)\n"
                           "  local x = p.input('x', u32)\n"
                           "  local y = p.map({ x }, function(v, i) return v * 3 + u32(i) end)\n"
                           "  local s = p.scan { monoid = sum(u32), input = y }\n"
                           "  local most = p.reduce { monoid = maximum(u32), input = y }\n"
                           "  local kept = p.compact { inputs = { s = s, y = y }, keep = function(e) return lt(e.y % 16, 5 + most % 3) end,\n"
                           "    output = function(e) return e.s end }\n"
                           "  p.output('s', s)\n"
                           "  p.output('t', p.scan { monoid = sum(u32), input = kept.out })\n"
                           "end, { name = 'launched', fuse = false })\n";

static test_device device;
static msw_spec *spec;
static msw_kernel *kernel;
static const msw_plan *plan;
static msw_buffer *buffers[BUFFERS], *scratch, *count;
static uint32_t x[MOST], got[2][MOST], expected[2][MOST];
static msw_enqueue_desc described;

static void check(msw_result result, const msw_diag *diag)
{
    if (result != MSW_OK) fail_msg("%s", diag->message);
}

static int open_all(void **state)
{
    const msw_spec_desc read = {.struct_size = sizeof read, .text = text};
    const msw_knob knobs[] = {{"block", "32"}, {"items", "4"}, {"vector", "4"}, {"strategy", "lookback"}}; /* which posts */
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .op = "launched", .knobs = knobs, .knob_count = 4};
    msw_kernel_desc wanted = desc;
    uint64_t random = 7;
    msw_diag diag;
    (void)state;
    if (test_device_open(&device)) return -1;
    check(msw_spec_create(&read, &spec, &diag), &diag);
    wanted.spec = spec;
    check(msw_kernel_create(device.context, &wanted, &kernel, &diag), &diag);
    plan = msw_kernel_plan(kernel);
    described = (msw_enqueue_desc){.struct_size = sizeof described, .scratch_bytes = msw_scratch_bytes(plan, MOST)};
    for (int b = 0; b < BUFFERS; b++) check(msw_buffer_create(device.context, sizeof x, &buffers[b], &diag), &diag);
    for (int b = 0; b < BETWEEN; b++) described.buffers[b] = msw_buffer_address(buffers[b]);
    check(msw_buffer_create(device.context, described.scratch_bytes, &scratch, &diag), &diag);
    check(msw_buffer_create(device.context, sizeof(uint64_t), &count, &diag), &diag);
    described.scratch = msw_buffer_address(scratch);
    for (uint32_t i = 0; i < MOST; i++) x[i] = (uint32_t)ms_splitmix_next(&random);
    check(msw_buffer_write(buffers[0], 0, x, sizeof x, &diag), &diag);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    for (int b = 0; b < BUFFERS; b++) msw_buffer_destroy(buffers[b]);
    msw_buffer_destroy(scratch);
    msw_buffer_destroy(count);
    msw_kernel_destroy(kernel);
    msw_spec_destroy(spec);
    return test_device_close(&device);
}

/* Runs, and compares what n elements come to. */
static void run(const msw_enqueue_desc *desc, uint64_t n)
{
    uint64_t counts[2] = {0};
    msw_diag diag;
    check(msw_kernel_run(kernel, desc, NULL, &diag), &diag);
    check(msw_spec_evaluate(spec, 0, n, (const void *[]){x}, (void *[]){expected[0], expected[1], &counts[0]}, NULL, NULL, &diag), &diag);
    for (int o = 0; o < 2; o++) check(msw_buffer_read(buffers[1 + o], 0, got[o], sizeof got[o], &diag), &diag);
    check(msw_buffer_read(buffers[3], 0, &counts[1], sizeof counts[1], &diag), &diag);
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(got[0], expected[0], n * sizeof *x);
    assert_memory_equal(got[1], expected[1], counts[0] * sizeof *x);
}

static void test_one_scratch(void **state)
{
    static const uint64_t sizes[] = {MOST, 0, 1, 127, 4097, 128, 129, MOST - 1, 7, 9999, 600, 2, 15000, 128, MOST, 5000};
    msw_enqueue_desc desc = described;
    (void)state;
    desc.flags = MSW_SCRATCH_DIRTY; /* the first time */
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++, desc.flags = 0) {
        desc.n = sizes[s];
        run(&desc, sizes[s]);
    }
}

static void test_n_on_the_device(void **state)
{
    static const uint64_t sizes[] = {5000, 0, 129, MOST, 1};
    msw_enqueue_desc desc = described;
    msw_diag diag;
    (void)state;
    desc.flags = MSW_SCRATCH_DIRTY;
    desc.n = MOST;
    desc.n_address = msw_buffer_address(count);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++, desc.flags = 0) {
        check(msw_buffer_write(count, 0, &sizes[s], sizeof sizes[s], &diag), &diag);
        run(&desc, sizes[s]);
    }
}

static void test_array_between(void **state)
{
    msw_enqueue_desc desc = described;
    msw_diag diag;
    (void)state;
    assert_string_equal(plan->buffers[BETWEEN].name, "map_1");
    assert_int_equal(plan->buffer_count, BETWEEN);
    desc.flags = MSW_SCRATCH_DIRTY;
    desc.n = 3000;
    desc.buffers[BETWEEN] = msw_buffer_address(buffers[BETWEEN]);
    run(&desc, 3000);
    check(msw_buffer_read(buffers[BETWEEN], 0, got[0], 3000 * sizeof *x, &diag), &diag);
    for (uint32_t i = 0; i < 3000; i++) assert_int_equal(got[0][i], x[i] * 3 + i);
}

static void refuse(const msw_enqueue_desc *desc, msw_result result, const char *what)
{
    msw_diag diag;
    assert_int_equal(msw_kernel_run(kernel, desc, NULL, &diag), result);
    if (!strstr(diag.message, what)) fail_msg("'%s' does not say '%s'", diag.message, what);
}

static void test_refusals(void **state)
{
    msw_enqueue_desc desc = described;
    (void)state;
    desc.n = MOST;
    desc.scratch_bytes--;
    refuse(&desc, MSW_ERROR_TOO_SMALL, "bytes of scratch");
    desc = described, desc.n = 100, desc.flags = MSW_IN_PLACE, desc.buffers[1] = desc.buffers[0];
    refuse(&desc, MSW_ERROR_UNSUPPORTED, "is a pipeline, which does not run in place");
    desc = described, desc.n = 100, desc.carry_in = desc.buffers[3];
    refuse(&desc, MSW_ERROR_INVALID_ARGUMENT, "has no carry");
    desc = described, desc.n = 100, desc.buffers[BETWEEN] = desc.buffers[1];
    refuse(&desc, MSW_ERROR_INVALID_ARGUMENT, "share memory");
}

/* An output that a later operation reads, or goes by: msw_kernel_run_host makes room for it, an enqueue must give it an address. */
static void test_outputs_not_given(void **state)
{
    static const char read_text[] = "return pipeline(function(p)\n"
                                    "  local kept = p.compact { input = p.input('x', u32), keep = function(v) return eq(v % 2, 0) end }\n"
                                    "  p.output('y', kept.out)\n"
                                    "  p.output('s', p.scan { monoid = sum(u32), input = kept.out })\n"
                                    "end, { name = 'read' })\n";
    static const uint32_t even[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec_text = read_text};
    uint32_t s[8] = {0};
    uint64_t counted = 0;
    msw_kernel *other;
    msw_diag diag;
    (void)state;
    check(msw_kernel_create(device.context, &desc, &other, &diag), &diag);
    const msw_plan *read = msw_kernel_plan(other);
    static const char *const names[] = {"x", "y", "s", "y_count"};
    static const uint32_t are_read[] = {0, 1, 0, 1};
    assert_int_equal(read->buffer_count, 4);
    for (int b = 0; b < 4; b++) {
        assert_string_equal(read->buffers[b].name, names[b]);
        assert_int_equal(read->buffers[b].is_read, are_read[b]);
    }
    for (int with_count = 0; with_count < 2; with_count++) {
        memset(s, 0, sizeof s);
        void *outputs[] = {NULL, s, with_count ? &counted : NULL};
        check(msw_kernel_run_host(other, 8, (const void *[]){even}, outputs, NULL, &diag), &diag);
        assert_memory_equal(s, ((uint32_t[]){2, 6, 12, 20}), 4 * sizeof *s);
        assert_int_equal(counted, with_count ? 4 : 0);
    }
    msw_enqueue_desc enqueue = {.struct_size = sizeof enqueue, .n = 8};
    for (int b = 0; b < 4; b++) enqueue.buffers[b] = msw_buffer_address(buffers[b]);
    check(msw_kernel_run(other, &enqueue, NULL, &diag), &diag);
    enqueue.buffers[2] = 0;
    check(msw_kernel_run(other, &enqueue, NULL, &diag), &diag);
    for (int b = 1; b < 4; b += 2) {
        const uint64_t address = enqueue.buffers[b];
        enqueue.buffers[b] = 0;
        assert_int_equal(msw_kernel_run(other, &enqueue, NULL, &diag), MSW_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(diag.message, b == 1 ? "output 'y' has no address, but later operations read it; give buffers[1]"
                                                    : "output 'y_count' has no address"));
        enqueue.buffers[b] = address;
    }
    msw_kernel_destroy(other);
}

/* Plans whose arrays between stages, or what stages hold, have places that are not there. */
static void test_bad_places(void **state)
{
    static const uint32_t bad[] = {MSW_MAX_PLACES, UINT32_MAX};
    (void)state;
    for (size_t b = 0; b < 2 * sizeof bad / sizeof *bad; b++) {
        msw_plan changed = *plan;
        msw_kernel *none = NULL;
        msw_diag diag;
        *(b % 2 ? &changed.stages[0].place : &changed.buffers[BETWEEN].place) = bad[b / 2];
        assert_int_equal(msw_kernel_load(device.context, &changed, &none, &diag), MSW_ERROR_INVALID_ARGUMENT);
        if (!strstr(diag.message, "has a place that is not there")) fail_msg("%zu: '%s'", b, diag.message);
        assert_null(none);
    }
}

static const char of_bins[] = "return pipeline(function(p)\n"
                              "  local x = p.input('x', u32)\n"
                              "  local kept = p.compact { input = x, keep = function(v) return lt(v % 16, 5) end }\n"
                              "  local bins = p.map { input = kept.out, outputs = { {'bins', at = function(v, i) return i * 3 end, length = 600,\n"
                              "    value = function(v) return v end} } }\n"
                              "  p.output('s', p.scan { monoid = sum(u32), input = bins })\n"
                              "end, { name = 'binned' })\n";

/* Stages over a number of elements of their own: in one scratch, for any n, also where it is on the device; what a launch wrote is zeroed again. */
static void test_own_lengths(void **state)
{
    enum { LENGTH = 600 };
    static const uint64_t sizes[] = {MOST, 3, 0, 100, 5000, 1};
    const msw_spec_desc read = {.struct_size = sizeof read, .text = of_bins};
    msw_spec *other;
    msw_kernel *binned;
    msw_buffer *room;
    msw_diag diag;
    (void)state;
    check(msw_spec_create(&read, &other, &diag), &diag);
    const msw_kernel_desc wanted = {.struct_size = sizeof wanted, .spec = other, .op = "binned"};
    check(msw_kernel_create(device.context, &wanted, &binned, &diag), &diag);
    msw_enqueue_desc desc = {.struct_size = sizeof desc, .scratch_bytes = msw_scratch_bytes(msw_kernel_plan(binned), MOST)};
    check(msw_buffer_create(device.context, desc.scratch_bytes, &room, &diag), &diag);
    desc.scratch = msw_buffer_address(room);
    desc.buffers[0] = msw_buffer_address(buffers[0]);
    desc.buffers[1] = msw_buffer_address(buffers[1]);
    desc.flags = MSW_SCRATCH_DIRTY;
    for (size_t s = 0; s < 2 * (sizeof sizes / sizeof *sizes); s++, desc.flags = 0) {
        const uint64_t n = sizes[s / 2];
        check(msw_buffer_write(count, 0, &n, sizeof n, &diag), &diag);
        desc.n = s % 2 ? MOST : n;
        desc.n_address = s % 2 ? msw_buffer_address(count) : 0;
        check(msw_kernel_run(binned, &desc, NULL, &diag), &diag);
        check(msw_buffer_read(buffers[1], 0, got[0], LENGTH * sizeof *x, &diag), &diag);
        check(msw_spec_evaluate(other, 0, n, (const void *[]){x}, (void *[]){expected[0]}, NULL, NULL, &diag), &diag);
        assert_memory_equal(got[0], expected[0], LENGTH * sizeof *x);
    }
    msw_buffer_destroy(room);
    msw_kernel_destroy(binned);
    msw_spec_destroy(other);
}

static const char of_keys[] = "return pipeline(function(p)\n"
                              "  local x = p.input('x', u32)\n"
                              "  local y = p.map({ x }, function(v, i) return u8(v >> 3) ~ u8(i) end)\n"
                              "  local keys = p.map({ y, x }, function(u, v) return v * 5 + u32(u) end)\n"
                              "  local w = p.map({ keys }, function(v, i) return u64(v) * 3 + i end)\n"
                              "  p.output('t', p.map({ w }, function(v) return u32(v >> 5) end))\n"
                              "  p.output('sorted', p.sort { keys = keys })\n"
                              "end, { name = 'behind', fuse = false })\n";

/* The first array between stages has the place of the last, so the place behind the posts of the sort, the last stage, is that of its keys. */
static void test_array_behind_posts(void **state)
{
    static const uint64_t sizes[] = {MOST, 5000, MOST};
    const msw_spec_desc read = {.struct_size = sizeof read, .text = of_keys};
    const msw_knob knobs[] = {{"block", "32"}, {"items", "4"}, {"vector", "4"}};
    msw_spec *other;
    msw_kernel *sorting;
    msw_diag diag;
    (void)state;
    check(msw_spec_create(&read, &other, &diag), &diag);
    const msw_kernel_desc wanted = {.struct_size = sizeof wanted, .spec = other, .op = "behind", .knobs = knobs, .knob_count = 3};
    check(msw_kernel_create(device.context, &wanted, &sorting, &diag), &diag);
    const msw_plan *p = msw_kernel_plan(sorting);
    assert_int_equal(p->between_count, 3);
    assert_int_equal(p->buffers[p->buffer_count].place, p->buffers[p->buffer_count + 2].place);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const uint64_t n = sizes[s];
        check(msw_kernel_run_host(sorting, n, (const void *[]){x}, (void *[]){got[0], got[1]}, NULL, &diag), &diag);
        check(msw_spec_evaluate(other, 0, n, (const void *[]){x}, (void *[]){expected[0], expected[1]}, NULL, NULL, &diag), &diag);
        for (int o = 0; o < 2; o++) assert_memory_equal(got[o], expected[o], n * sizeof *x);
    }
    msw_kernel_destroy(sorting);
    msw_spec_destroy(other);
}

static const char of_sorts[] =
    "return pipeline(function(p)\n"
    "  local x = p.input('x', u32)\n"
    "  local s = p.scan { monoid = sum(u32), input = p.sort { keys = x } }\n"
    "  local wide = p.sort { keys = p.map({ s }, function(v, i) return u64(v) * 12345 ~ u64(i) end), value = 'index' }\n"
    "  local few = p.sort { keys = p.map({ wide.keys_out }, function(v) return u16(v >> 7) end), values = s }\n"
    "  local down = p.sort { keys = p.map({ few.values_out }, function(v) return f32(v >> 9) end), order = 'descending' }\n"
    "  p.output('order', p.map({ wide.values_out, s }, function(v, t) return u32(v) ~ t end))\n"
    "  p.output('down', down)\n"
    "end, { name = 'sorts', fuse = false })\n";

enum { JUNK = 0xa5 };

typedef struct sorts {
    msw_spec *spec;
    msw_kernel *kernel;
    const msw_plan *plan;
    msw_buffer *room;
    unsigned char *junk;
    msw_enqueue_desc desc;
} sorts;

/* Each with posts that stay and arrays that others overwrite. strategy: of the sorts. more_bytes: of scratch than they need. */
static sorts open_sorts(const char *strategy, uint64_t more_bytes)
{
    const msw_spec_desc read = {.struct_size = sizeof read, .text = of_sorts};
    const msw_knob knobs[] = {{"block", "32"}, {"items", "4"}, {"vector", "4"}, {"digit_bits", "4"}, {"strategy", strategy}};
    sorts s = {0};
    msw_diag diag;
    check(msw_spec_create(&read, &s.spec, &diag), &diag);
    const msw_kernel_desc wanted = {.struct_size = sizeof wanted, .spec = s.spec, .op = "sorts", .knobs = knobs, .knob_count = 5};
    check(msw_kernel_create(device.context, &wanted, &s.kernel, &diag), &diag);
    s.plan = msw_kernel_plan(s.kernel);
    s.desc = (msw_enqueue_desc){.struct_size = sizeof s.desc, .scratch_bytes = msw_scratch_bytes(s.plan, MOST) + more_bytes};
    check(msw_buffer_create(device.context, s.desc.scratch_bytes, &s.room, &diag), &diag);
    s.desc.scratch = msw_buffer_address(s.room);
    for (int b = 0; b < 3; b++) s.desc.buffers[b] = msw_buffer_address(buffers[b]);
    s.junk = malloc(s.desc.scratch_bytes);
    assert_non_null(s.junk);
    memset(s.junk, JUNK, s.desc.scratch_bytes);
    return s;
}

static void close_sorts(sorts *s)
{
    free(s->junk);
    msw_buffer_destroy(s->room);
    msw_kernel_destroy(s->kernel);
    msw_spec_destroy(s->spec);
}

/* Whether a run of n elements is right. */
static int sorts_well(const sorts *s, uint64_t n)
{
    static uint32_t junk[MOST];
    msw_diag diag;
    memset(junk, JUNK, sizeof junk);
    for (int o = 0; o < 2; o++) check(msw_buffer_write(buffers[1 + o], 0, junk, sizeof junk, &diag), &diag); /* not the run before's results */
    check(msw_kernel_run(s->kernel, &s->desc, NULL, &diag), &diag);
    check(msw_spec_evaluate(s->spec, 0, n, (const void *[]){x}, (void *[]){expected[0], expected[1]}, NULL, NULL, &diag), &diag);
    for (int o = 0; o < 2; o++) check(msw_buffer_read(buffers[1 + o], 0, got[o], sizeof got[o], &diag), &diag);
    return !memcmp(got[0], expected[0], n * sizeof *x) && !memcmp(got[1], expected[1], n * sizeof *x);
}

/* Where what stages keep ends: so much is zeroed. */
static uint64_t zeroed_end(const sorts *s)
{
    msw_launch_layout layout;
    msw_launch_layout_of(s->plan, s->desc.scratch_bytes, &layout);
    return layout.stages_end;
}

/* Sorts of several types on one scratch, any number of times, for any order of n; what nobody keeps is junk before the first launch and again
 * between launches. */
static void check_sorts(const char *strategy, int keeps)
{
    static const uint64_t sizes[] = {300, 5000, 1, 0, MOST, 129, MOST - 1, 4097, 20, 15000, 128, MOST};
    sorts s = open_sorts(strategy, 0);
    const uint64_t end = zeroed_end(&s);
    uint32_t shared = 0;
    msw_diag diag;
    assert_int_equal(end > 0, keeps || !msw_context_device(device.context)->target.is_cpu); /* a GPU's scan has posts */
    for (uint32_t a = 0; a < s.plan->stage_count; a++)
        for (uint32_t b = 0; b < a; b++)
            shared += s.plan->stages[a].temporary_per_tile_bytes && s.plan->stages[b].temporary_per_tile_bytes &&
                      s.plan->stages[a].place == s.plan->stages[b].place;
    assert_true(shared > 0);
    check(msw_buffer_write(s.room, 0, s.junk, s.desc.scratch_bytes, &diag), &diag);
    s.desc.flags = MSW_SCRATCH_DIRTY;
    for (size_t i = 0; i < 2 * (sizeof sizes / sizeof *sizes); i++, s.desc.flags = 0) {
        const uint64_t n = sizes[i / 2];
        check(msw_buffer_write(count, 0, &n, sizeof n, &diag), &diag);
        s.desc.n = i % 2 ? MOST : n;
        s.desc.n_address = i % 2 ? msw_buffer_address(count) : 0;
        if (!sorts_well(&s, n)) fail_msg("%s: launch %zu, n = %u", strategy, i, (unsigned)n);
        if (i % 3 == 0) check(msw_buffer_write(s.room, end, s.junk, s.desc.scratch_bytes - end, &diag), &diag);
    }
    close_sorts(&s);
}

static void test_sorts(void **state)
{
    (void)state;
    check_sorts("onesweep", 1);
    check_sorts("msd_hybrid", 1);
    check_sorts("upsweep_downsweep", 0);
}

/* The scratch of all n that are served is that of the largest; one without room for anything is not zeroed. */
static void test_scratch_bounds(void **state)
{
    sorts s = open_sorts("onesweep", 0);
    const uint64_t n_max = s.plan->variants[s.plan->variant_count - 1].n_max, least = msw_scratch_bytes(s.plan, 0);
    (void)state;
    assert_true(least > 0);
    assert_true(msw_scratch_bytes(s.plan, UINT64_MAX) == msw_scratch_bytes(s.plan, n_max));
    assert_int_equal(msw_launch_check_init(s.plan, s.desc.scratch, least - 1).code, MSW_LAUNCH_TOO_SMALL);
    assert_int_equal(msw_launch_check_init(s.plan, s.desc.scratch, least).code, 0);
    close_sorts(&s);
}

/* A place that is shared at the wrong time is found: what lies there, the scan's result, is overwritten before it is read for the last time. */
static void test_planted_overlaps(void **state)
{
    sorts s = open_sorts("onesweep", 16 * MOST);
    msw_plan *launched = (msw_plan *)(uintptr_t)s.plan; /* the kernel's own */
    uint32_t sum = launched->buffer_count, found = 0;
    (void)state;
    while (strcmp(launched->buffers[sum].name, "scan_2")) assert_true(++sum < launched->buffer_count + launched->between_count);
    s.desc.n = MOST;
    s.desc.flags = MSW_SCRATCH_DIRTY;
    for (uint32_t a = 0; a < launched->stage_count; a++) {
        msw_plan_stage *stage = &launched->stages[a];
        const uint32_t place = stage->place;
        if (!stage->temporary_per_tile_bytes || stage->arrays[0] == 0) continue; /* no sort, or before the scan */
        assert_true(sorts_well(&s, MOST));
        stage->place = launched->buffers[sum].place;
        assert_false(sorts_well(&s, MOST));
        stage->place = place;
        found++;
    }
    assert_int_equal(found, 3);
    assert_true(sorts_well(&s, MOST));
    close_sorts(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_scratch),        cmocka_unit_test(test_n_on_the_device),   cmocka_unit_test(test_array_between),
        cmocka_unit_test(test_refusals),           cmocka_unit_test(test_outputs_not_given), cmocka_unit_test(test_own_lengths),
        cmocka_unit_test(test_array_behind_posts), cmocka_unit_test(test_bad_places),        cmocka_unit_test(test_sorts),
        cmocka_unit_test(test_scratch_bounds),     cmocka_unit_test(test_planted_overlaps)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
