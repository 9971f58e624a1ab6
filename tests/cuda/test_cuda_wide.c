/* Sweeps of more than 2^32 elements on a CUDA device, where there is one: counters, places and run numbers of 64 bits. What comes out repeats as the
 * input does, so that every element of it is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <monosweep/monosweep.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* n is a whole number of periods, and what is kept of 255 of 256 elements is more than 2^32, too. No run goes on from period to period. */
enum { PERIOD = 1000003, PERIODS = 4400, SAMPLES = 400, SAMPLE = 64 };
#define N ((uint64_t)PERIOD * PERIODS)

static const char text[] =
    "local function is_kept(x) return ne(x, 7) end\n"
    "return {\n"
    "  compact { name = 'kept', input = u8, keep = is_kept },\n"
    "  partition { name = 'parted', input = u8, first = is_kept },\n"
    "  unique { name = 'distinct', input = u8 },\n"
    "  run_length_encode { name = 'runs', input = u8 },\n"
    "  reduce_by_key { name = 'sums', key = u8, value = u8, monoid = sum(u32), map = function(x) return u32(x) end },\n"
    "  append { name = 'spread', input = u8, length = function(x) return where(is_kept(x), u32(1), u32(0)) end,\n"
    "    item = function(x, i, k) return x + u8(k) end },\n"
    "  map { name = 'moved', input = u8, outputs = { {'y', value = function(x) return x end, at = function(x, i) return i ~ 1 end} } },\n"
    "}\n";

static msw_context *context;
static msw_spec *spec;
static msw_diag diag;
static unsigned char pattern[PERIOD];
static msw_buffer *input, *narrow, *broad, *numbers, *scratch; /* narrow: of n bytes, broad: of n words */
static uint64_t scratch_bytes;

#define OK(call)                                           \
    do {                                                   \
        if (call) fail_msg("%s: %s", #call, diag.message); \
    } while (0)

/* What a period makes: `count` elements in each of the two outputs. */
static struct made {
    uint32_t count;
    unsigned char bytes[PERIOD];
    uint32_t words[PERIOD];
} kept, rest, runs, sums;

static void add(struct made *made, unsigned char byte, uint32_t word)
{
    made->bytes[made->count] = byte;
    made->words[made->count++] = word;
}

static void make_pattern(void)
{
    uint32_t seed = 1;
    for (uint32_t i = 0; i < PERIOD; i++) pattern[i] = (unsigned char)((seed = seed * 1664525u + 1013904223u) >> 24);
    pattern[PERIOD - 1] = (unsigned char)(pattern[0] + 1);
    for (uint32_t i = 0; i < PERIOD; i++) {
        add(pattern[i] != 7 ? &kept : &rest, pattern[i], 0);
        if (!i || pattern[i] != pattern[i - 1]) {
            add(&runs, pattern[i], 0);
            add(&sums, pattern[i], 0);
        }
        runs.words[runs.count - 1]++;
        sums.words[sums.count - 1] += pattern[i];
    }
}

/* ---- running ---- */

static int open_all(void **state)
{
    const msw_spec_desc read = {.struct_size = sizeof read, .text = text};
    (void)state;
    make_pattern();
    OK(msw_spec_create(&read, &spec, &diag));
    OK(msw_buffer_create(context, N, &input, &diag));
    OK(msw_buffer_create(context, N, &narrow, &diag));
    OK(msw_buffer_create(context, 4 * N, &broad, &diag));
    OK(msw_buffer_create(context, 256, &numbers, &diag));
    for (uint64_t k = 0; k < PERIODS; k++) OK(msw_buffer_write(input, k * PERIOD, pattern, PERIOD, &diag));
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    msw_buffer_destroy(input);
    msw_buffer_destroy(narrow);
    msw_buffer_destroy(broad);
    msw_buffer_destroy(numbers);
    msw_spec_destroy(spec);
    return 0;
}

/* n elements, with one scratch for every n: it is zeroed once. */
static void run(msw_kernel *kernel, uint64_t n, int is_first)
{
    const msw_plan *plan = msw_kernel_plan(kernel);
    msw_enqueue_desc desc = {.struct_size = sizeof desc, .n = n, .scratch = msw_buffer_address(scratch), .scratch_bytes = scratch_bytes};
    desc.flags = is_first ? MSW_SCRATCH_DIRTY : 0;
    for (uint32_t b = 0; b < plan->buffer_count; b++) {
        const msw_plan_buffer *buffer = &plan->buffers[b];
        msw_buffer *const memory = buffer->role == MSW_ROLE_IN             ? input
                                   : buffer->length == MSW_LENGTH_ONE      ? numbers
                                   : buffer->element_bytes == sizeof(char) ? narrow
                                                                           : broad;
        desc.buffers[b] = msw_buffer_address(memory);
        if (memory == narrow && plan->buffers[b - 1].role == MSW_ROLE_OUT) desc.buffers[b] = msw_buffer_address(broad); /* the rest */
    }
    OK(msw_kernel_run(kernel, &desc, NULL, &diag));
}

static uint64_t counted(void)
{
    uint64_t count;
    OK(msw_buffer_read(numbers, 0, &count, sizeof count, &diag));
    return count;
}

/* Elements [first, first + count) of an output that repeats `made`, in both arrays or one. */
static void compare(const struct made *made, msw_buffer *bytes, msw_buffer *words, uint64_t first, uint64_t count, const char *name)
{
    unsigned char byte[SAMPLE];
    uint32_t word[SAMPLE];
    if (bytes) OK(msw_buffer_read(bytes, first, byte, count, &diag));
    if (words) OK(msw_buffer_read(words, 4 * first, word, 4 * count, &diag));
    for (uint64_t j = first; j < first + count; j++) {
        if (bytes && byte[j - first] != made->bytes[j % made->count])
            fail_msg("%s: element %llu is %u, not %u", name, (unsigned long long)j, byte[j - first], made->bytes[j % made->count]);
        if (words && word[j - first] != made->words[j % made->count])
            fail_msg("%s: element %llu is %u, not %u", name, (unsigned long long)j, word[j - first], made->words[j % made->count]);
    }
}

static void compare_samples(const struct made *made, msw_buffer *bytes, msw_buffer *words, uint64_t count, const char *name)
{
    const uint64_t edge = (uint64_t)1 << 32;
    uint64_t place = 12345;
    compare(made, bytes, words, 0, SAMPLE, name);
    compare(made, bytes, words, count - SAMPLE, SAMPLE, name);
    if (count > edge + SAMPLE) compare(made, bytes, words, edge - SAMPLE / 2, SAMPLE, name);
    for (int sample = 0; sample < SAMPLES; sample++) {
        place = place * 6364136223846793005u + 1442695040888963407u;
        compare(made, bytes, words, (place >> 8) % (count - SAMPLE), SAMPLE, name);
    }
}

static msw_kernel *load(const char *op)
{
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec = spec, .op = op};
    msw_kernel *kernel;
    OK(msw_kernel_create(context, &desc, &kernel, &diag));
    scratch_bytes = msw_scratch_bytes(msw_kernel_plan(kernel), N);
    OK(msw_buffer_create(context, scratch_bytes + 256, &scratch, &diag));
    return kernel;
}

/* By counters of 32 bits, of 64, and again of 32. */
static void check(const char *op, const struct made *made, int has_bytes, int has_words)
{
    static const uint64_t periods[] = {5, PERIODS, 7};
    msw_kernel *kernel = load(op);
    for (int r = 0; r < 3; r++) {
        run(kernel, periods[r] * PERIOD, !r);
        assert_true(counted() == periods[r] * made->count);
        compare_samples(made, has_bytes ? narrow : NULL, has_words ? broad : NULL, periods[r] * made->count, op);
        if (made == &kept && !strcmp(op, "parted")) compare_samples(&rest, broad, NULL, periods[r] * rest.count, "the rest");
    }
    msw_kernel_destroy(kernel);
    msw_buffer_destroy(scratch);
}

static void test_packed(void **state)
{
    (void)state;
    check("kept", &kept, 1, 0);
    check("parted", &kept, 1, 0);
    check("distinct", &runs, 1, 0);
    check("spread", &kept, 1, 0);
}

static void test_by_runs(void **state)
{
    (void)state;
    check("runs", &runs, 1, 1);
    check("sums", &sums, 1, 1);
}

/* Each element changes places with the one beside it. */
static void test_scattered(void **state)
{
    static const uint64_t places[] = {0, N / 2, ((uint64_t)1 << 32) - SAMPLE / 2, N - SAMPLE};
    msw_kernel *kernel = load("moved");
    (void)state;
    run(kernel, N, 1);
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        unsigned char got[SAMPLE];
        OK(msw_buffer_read(narrow, places[p], got, SAMPLE, &diag));
        for (uint64_t j = 0; j < SAMPLE; j++) assert_int_equal(got[j], pattern[((places[p] + j) ^ 1) % PERIOD]);
    }
    msw_kernel_destroy(kernel);
    msw_buffer_destroy(scratch);
}

/* bootstrap.sh lets this one skip pass, by its name. */
static void no_cuda_device(void **state)
{
    (void)state;
    print_message("no CUDA device with %.0f GiB of free memory: %s\n", 7 * (double)N / 0x1p30, diag.message);
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_packed), cmocka_unit_test(test_by_runs), cmocka_unit_test(test_scattered)};
    const struct CMUnitTest skipped[] = {cmocka_unit_test(no_cuda_device)};
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "cuda"};
    msw_buffer *room;
    if (msw_context_create(&desc, &context, &diag) || msw_buffer_create(context, 7 * N, &room, &diag)) {
        msw_context_destroy(context);
        return cmocka_run_group_tests(skipped, NULL, NULL);
    }
    msw_buffer_destroy(room);
    const int failures = cmocka_run_group_tests(tests, open_all, close_all);
    msw_context_destroy(context);
    return failures;
}
