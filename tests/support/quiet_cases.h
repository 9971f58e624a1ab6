/* quiet_cases.h - what an enqueue does not do: allocate, by the msw_allocator or by the C library, or call anything of the driver but what records or
 * launches. Every kind of kernel, every way to enqueue it, and those that are refused. Nothing runs, so no address need exist. The including test
 * defines before:
 *   check             fails the test with the message
 *   quiet_open        a context with an allocator (its own driver between)
 *   quiet_load        a program's plan as a kernel there
 *   quiet_enqueue, quiet_scratch_init, quiet_reserve (which may do what it likes)
 *   calls_forget      the driver's calls so far
 *   calls_expect      since then there were `dispatches` dispatches, `barriers` barriers between them, and nothing else */
#ifndef QUIET_CASES_H
#define QUIET_CASES_H

#include "failing.h"
#include "../../runtime/launch.h"
#include "watched_memory.h"

static const char spec_text[] =
    "local A = struct 'A' { {'a', u32}, {'b', u32} }\n"
    "local affine = monoid { type = A, identity = A(1, 0), combine = function(f, g) return A(f.a * g.a, f.b * g.a + g.b) end }\n"
    "return {\n"
    "  scan { name = 'sums', monoid = sum(u32) },\n"
    "  scan { name = 'backwards', monoid = affine, reverse = true, init = A(7, 9) },\n"
    "  reduce { name = 'total', monoid = affine, init = A(3, 5) },\n"
    "  sort { name = 'pairs', key = u32, value = u32 },\n"
    "  sort { name = 'places', key = u32, value = 'index', order = 'descending' },\n"
    "}\n";

/* Strategies that both backends have; "": what the planner takes, by n. */
static const struct {
    const char *op, *strategy;
} kernels[] = {{"sums", ""},
               {"sums", "single_block"},
               {"sums", "reduce_then_scan"},
               {"sums", "lookback"},
               {"sums", "chained_scan"},
               {"backwards", ""},
               {"total", ""},
               {"pairs", ""},
               {"pairs", "onesweep"},
               {"pairs", "upsweep_downsweep"},
               {"pairs", "split"},
               {"places", ""},
#ifdef QUIET_MORE_KERNELS
               QUIET_MORE_KERNELS
#endif
};

/* Ways to enqueue, in all combinations; but too small a scratch, which is refused, and that of the context. */
enum {
    DIRTY = 1,
    N_ON_DEVICE = 2,
    IN_PLACE = 4,
    PING_PONG = 8,
    CARRIES = 16,
    ONE_CARRY = 32,
    NO_OUTPUT = 64,
    ALL_WAYS = 128,
    SHORT_SCRATCH = 128,
    RESERVED = 256
};

static failing allocations; /* none fails */
static msw_context *context;
static msw_spec *spec;

static int open_all(void **state)
{
    const msw_allocator allocator = {&allocations, failing_resize};
    const msw_spec_desc read = {.struct_size = sizeof read, .text = spec_text};
    msw_diag diag;
    (void)state;
    check(quiet_open(&allocator, &context, &diag), &diag);
    check(msw_spec_create(&read, &spec, &diag), &diag);
    return 0;
}

static msw_kernel *load(const char *op, const char *strategy)
{
    const msw_knob knob = {"strategy", strategy};
    const msw_program_desc desc = {.struct_size = sizeof desc,
                                   .op = (uint32_t)msw_spec_find(spec, op),
                                   .target = &msw_context_device(context)->target,
                                   .knobs = &knob,
                                   .knob_count = strategy[0] != '\0'};
    msw_program *program;
    msw_kernel *kernel;
    msw_diag diag;
    check(msw_program_create(spec, &desc, &program, &diag), &diag);
    check(quiet_load(program, &kernel, &diag), &diag);
    msw_program_destroy(program);
    return kernel;
}

/* Buffers far from each other. */
static msw_enqueue_desc describe(const msw_plan *plan, uint64_t n, int ways)
{
    const uint64_t far = (uint64_t)1 << 40;
    msw_enqueue_desc desc = {.struct_size = sizeof desc, .n = n, .scratch = far};
    uint32_t input = 0;
    for (uint32_t b = 0; b < plan->buffer_count; b++) desc.buffers[b] = (2 + b) * far;
    for (uint32_t b = 0; b < plan->buffer_count; b++) {
        if (plan->buffers[b].role == MSW_ROLE_IN) continue;
        if (ways & IN_PLACE) desc.buffers[b] = desc.buffers[input++];
        if (ways & NO_OUTPUT) desc.buffers[b] = 0;
    }
    if (ways & DIRTY) desc.flags |= MSW_SCRATCH_DIRTY;
    if (ways & IN_PLACE) desc.flags |= MSW_IN_PLACE;
    if (ways & PING_PONG) desc.flags |= MSW_PING_PONG;
    if (ways & N_ON_DEVICE) desc.n_address = 16 * far;
    if (ways & CARRIES) desc.carry_in = 17 * far, desc.carry_out = 18 * far;
    if (ways & ONE_CARRY) desc.carry_in = desc.carry_out = 17 * far;
    desc.scratch_bytes = ways & PING_PONG ? msw_scratch_bytes_ping_pong(plan, n) : msw_scratch_bytes(plan, n);
    if (ways & RESERVED) desc.scratch = desc.scratch_bytes = 0;
    if (ways & SHORT_SCRATCH) desc.scratch_bytes -= desc.scratch_bytes > 0;
    return desc;
}

/* ---- what an enqueue should come to: the plan's steps, counted ---- */

typedef struct counted {
    int dispatches, barriers;
} counted;

static int count_dispatch(void *user, uint32_t kernel, uint32_t blocks, const msw_params *params)
{
    (void)kernel, (void)blocks, (void)params;
    ((counted *)user)->dispatches++;
    return 0;
}

static void count_barrier(void *user) { ((counted *)user)->barriers++; }

/* ---- watching ---- */

static int64_t calls_before;

static void watch(void)
{
    calls_before = allocations.calls;
    calls_forget();
    memory_calls = 0;
    memory_is_watched = 1;
}

static void expect_quiet(const counted *expected, const char *what)
{
    memory_is_watched = 0;
    if (allocations.calls != calls_before) fail_msg("%s: the allocator was called", what);
    if (memory_calls) fail_msg("%s: malloc, or one of its kin, was called %d times", what, (int)memory_calls);
    calls_expect(expected->dispatches, expected->barriers, what);
}

/* 1 when it was enqueued, 0 when it was refused: quietly, either way. */
static int enqueue_quietly(msw_kernel *kernel, uint64_t n, int ways)
{
    const msw_plan *plan = msw_kernel_plan(kernel);
    msw_enqueue_desc desc = describe(plan, n, ways);
    counted expected = {0, 0};
    const msw_launch_ops ops = {&expected, count_dispatch, count_barrier, msw_context_device(context)->target.max_cluster_blocks};
    char what[128];
    msw_diag diag;
    watch();
    const msw_result result = quiet_enqueue(kernel, &desc, &diag);
    memory_is_watched = 0;
    if (ways & RESERVED) desc.flags &= ~(uint32_t)MSW_SCRATCH_DIRTY; /* it never is */
    if (result == MSW_OK) msw_launch_enqueue(plan, &desc, &ops);
    snprintf(what, sizeof what, "%s by %s, n = %llu, ways %d", plan->name, plan->variants[0].strategy, (unsigned long long)n, ways);
    expect_quiet(&expected, what);
    if (result == MSW_OK) assert_true(expected.dispatches > 0);
    else if (!diag.message[0] || diag.code != result) fail_msg("%s: refused without a word", what);
    return result == MSW_OK;
}

static void initialise_quietly(msw_kernel *kernel)
{
    const msw_plan *plan = msw_kernel_plan(kernel);
    const uint64_t bytes = msw_scratch_bytes(plan, 1 << 20), scratch = (uint64_t)1 << 40;
    counted expected = {0, 0};
    const msw_launch_ops ops = {&expected, count_dispatch, count_barrier, msw_context_device(context)->target.max_cluster_blocks};
    msw_diag diag;
    watch();
    check(quiet_scratch_init(kernel, scratch, bytes, &diag), &diag);
    memory_is_watched = 0;
    msw_launch_init(plan, scratch, bytes, &ops);
    expect_quiet(&expected, plan->name);
}

/* With scratch of the context's: reserved for a number of elements, it is found, or not, as quietly. */
static void enqueue_reserved_quietly(msw_kernel *kernel)
{
    const msw_plan *plan = msw_kernel_plan(kernel);
    const uint64_t bytes = msw_scratch_bytes(plan, 100000);
    msw_diag diag;
    assert_int_equal(enqueue_quietly(kernel, 100000, RESERVED), bytes == 0 && plan->variants[plan->variant_count - 1].n_max >= 100000);
    if (!bytes) return;
    for (int more = 0; more < 2; more++) { /* the second is found before the first */
        check(quiet_reserve(kernel, bytes + 4096 * (uint64_t)more, &diag), &diag);
        assert_true(enqueue_quietly(kernel, 100000, RESERVED));
        assert_true(enqueue_quietly(kernel, 1000, RESERVED | DIRTY | N_ON_DEVICE));
    }
    if (msw_scratch_bytes(plan, 1 << 22) > bytes + 4096) assert_false(enqueue_quietly(kernel, 1 << 22, RESERVED));
}

/* Each way alone is possible with some kernel. */
static void test_enqueues_are_quiet(void **state)
{
    int done[ALL_WAYS] = {0}, refused = 0;
    (void)state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        msw_kernel *kernel = load(kernels[k].op, kernels[k].strategy);
        const msw_plan *plan = msw_kernel_plan(kernel);
        const uint64_t n_max = plan->variants[plan->variant_count - 1].n_max, sizes[] = {0, 1000, 100000, (uint64_t)1 << 22, n_max, n_max + 1};
        initialise_quietly(kernel);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int ways = 0; ways < ALL_WAYS; ways++) {
                const int is_done = enqueue_quietly(kernel, sizes[s], ways);
                done[ways] += is_done;
                refused += !is_done;
            }
        if (msw_scratch_bytes(plan, 100000)) assert_false(enqueue_quietly(kernel, 100000, SHORT_SCRATCH));
        enqueue_reserved_quietly(kernel);
        msw_kernel_destroy(kernel);
    }
    for (int ways = 0; ways < ALL_WAYS; ways = ways ? 2 * ways : 1) assert_true(done[ways] > 0);
    assert_true(done[DIRTY | N_ON_DEVICE | CARRIES | IN_PLACE] > 0 && done[DIRTY | N_ON_DEVICE | PING_PONG] > 0);
    assert_true(refused > 0);
}

/* The watch itself sees what it is to see. */
static void test_the_watch(void **state)
{
    void *volatile block;
    (void)state;
    watch();
    block = malloc(1);
    free(block);
    memory_is_watched = 0;
    assert_int_equal(memory_calls, MEMORY_CAN_BE_WATCHED ? 2 : 0);
    watch();
    inside_driver++;
    block = calloc(1, 1);
    inside_driver--;
    memory_is_watched = 0;
    assert_int_equal(memory_calls, 0);
    free(block);
}

#endif
