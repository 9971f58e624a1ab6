/* Runs of kernels, described in all kinds of ways, on the host and on a fake CUDA driver. Addresses lie in an arena that has room for every n that
 * is served: nobody can tell that a device address leads elsewhere. Input: what to run, then its description. */
#include "fake_driver.h"

#include "descriptions.h"
#include "outcome.h"

#include <monosweep/monosweep_vulkan.h>
#include <monosweep/monosweep_measure.h>

enum { ARENA_BYTES = 1 << 15, MOST_ITEMS = 64, SPECS = 4, CUDA = SPECS, KINDS };

static const char *const specs[SPECS] = {
    "return scan { monoid = sum(u32) }", "return reduce { monoid = maximum(f64), init = 1 }", "return sort { key = u32, value = 'index' }",
    "return scan { monoid = argmin(f32), input = u64, map = function(x, i) return { f32(x), u32(i) } end, output = function(s) return s.index end }"};

/* Few elements, or more than any memory has. */
static uint64_t take_n(input *in)
{
    const uint64_t n = take_number(in);
    return n <= MOST_ITEMS ? n : n | (uint64_t)1 << 62;
}

/* 0, or a place in the arena that has room for the items behind it. */
static uint64_t take_address(input *in, uint64_t arena)
{
    const uint64_t byte = take(in, 1);
    return byte == 0 ? 0 : arena + byte * 64 + (byte > 200 ? byte - 200 : 0);
}

static msw_enqueue_desc take_desc(input *in, uint64_t arena, uint32_t buffer_count)
{
    msw_enqueue_desc desc = {.struct_size = take_size(in, sizeof desc), .flags = (uint32_t)take_number(in) & 0x1f, .n = take_n(in)};
    for (uint32_t b = 0; b < buffer_count; b++) desc.buffers[b] = take_address(in, arena);
    desc.carry_in = take_address(in, arena);
    desc.carry_out = take_address(in, arena);
    desc.n_address = take_address(in, arena);
    desc.scratch = take_address(in, arena);
    desc.scratch_bytes = take_number(in);
    if (take(in, 1) > 250) desc.buffers[take_below(in, MSW_MAX_BUFFERS)] = take_address(in, arena);
    return desc;
}

static void run_arrays(msw_kernel *kernel, input *in)
{
    static unsigned char arrays[4][MOST_ITEMS * 16];
    const uint64_t missing = take(in, 1), n = take_n(in);
    const void *const inputs[MSW_MAX_BUFFERS] = {missing & 1 ? NULL : arrays[0], missing & 2 ? NULL : arrays[1]};
    void *const outputs[MSW_MAX_BUFFERS] = {missing & 4 ? NULL : arrays[2], missing & 8 ? NULL : arrays[3]};
    msw_diag diag;
    expect_outcome(msw_kernel_run_host(kernel, n, missing & 16 ? NULL : inputs, missing & 32 ? NULL : outputs, NULL, &diag), &diag);
}

/* Copies between the arena, an array as large, and a smaller buffer. */
static void copy(msw_context *context, msw_buffer *arena, input *in)
{
    static unsigned char array[ARENA_BYTES];
    const uint64_t offset = take_number(in), bytes = take_number(in);
    msw_buffer *other;
    msw_diag diag;
    expect_outcome(msw_buffer_write(arena, offset, take(in, 1) < 250 ? array : NULL, bytes, &diag), &diag);
    expect_outcome(msw_buffer_read(arena, offset, take(in, 1) < 250 ? array : NULL, bytes, &diag), &diag);
    expect_outcome(msw_buffer_create(context, take(in, 1), &other, &diag), &diag);
    expect_outcome(msw_buffer_copy(other, take(in, 1) < 250 ? arena : other, bytes, NULL, &diag), &diag);
    msw_buffer_destroy(other);
}

static void run(msw_context *context, msw_kernel *kernel, msw_buffer *arena, input *in)
{
    const uint64_t scratch_bytes = take_number(in);
    const msw_enqueue_desc desc = take_desc(in, msw_buffer_address(arena), kernel ? msw_kernel_plan(kernel)->buffer_count : 0);
    void *placed = take(in, 1) < 250 ? place(&desc, sizeof desc, desc.struct_size) : NULL;
    msw_diag diag;
    expect_outcome(msw_kernel_run(kernel, placed, NULL, &diag), &diag);
    expect_outcome(msw_cuda_enqueue(kernel, NULL, placed, &diag), &diag);
    expect_outcome(msw_cuda_scratch_init(kernel, NULL, desc.scratch, scratch_bytes, &diag), &diag);
    expect_outcome(msw_cuda_scratch_reserve(kernel, NULL, scratch_bytes % ARENA_BYTES, &diag), &diag);
    expect_outcome(msw_cuda_enqueue(kernel, NULL, placed, &diag), &diag);
    expect_outcome(msw_kernel_run(kernel, placed, NULL, &diag), &diag);
    msw_cuda_scratch_release(kernel, NULL);
    expect_outcome(msw_vulkan_enqueue(kernel, NULL, placed, &diag), &diag); /* it is another backend's */
    expect_outcome(msw_vulkan_scratch_init(kernel, NULL, desc.scratch, scratch_bytes, &diag), &diag);
    free(placed);
    run_arrays(kernel, in);
    copy(context, arena, in);
}

/* By a kernel of the host's, kept from run to run. */
static void fuzz_host(unsigned which, input *in)
{
    static msw_context *context;
    static msw_buffer *arena;
    static msw_kernel *kernels[SPECS];
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec_text = specs[which]};
    msw_diag diag;
    if (!context) check(msw_context_create(&(msw_context_desc){.struct_size = sizeof(msw_context_desc), .device = "host"}, &context, &diag), &diag);
    if (!arena) check(msw_buffer_create(context, ARENA_BYTES, &arena, &diag), &diag);
    if (!kernels[which]) check(msw_kernel_create(context, &desc, &kernels[which], &diag), &diag);
    run(context, kernels[which], arena, in);
}

static void fuzz_cuda(input *in)
{
    msw_context *context = opened(NULL);
    msw_kernel *kernel = take(in, 1) < 250 ? load_kernel(context) : NULL;
    msw_buffer *arena;
    msw_diag diag;
    check(msw_buffer_create(context, ARENA_BYTES, &arena, &diag), &diag);
    fake->failing_call = fake->call_count + (int64_t)take(in, 1);
    fake->fail_code = MS_CU_ERROR_OUT_OF_MEMORY;
    fake->spared = "cuCtxPushCurrent"; /* who cannot enter a context cannot release what is in it */
    run(context, kernel, arena, in);
    msw_buffer_destroy(arena);
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    input in = {data, bytes};
    const unsigned kind = take_below(&in, KINDS);
    reset(NULL);
    if (kind < SPECS) fuzz_host(kind, &in);
    else fuzz_cuda(&in);
    expect_nothing_alive();
    return 0;
}
