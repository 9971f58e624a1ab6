/* A stranger's program, C11, C++17 and CUDA: two vendored headers in one file, against sequential loops. Prints the subgroup size that was taken. */
#include "other.h"
#define KERNELS_CUDA_IMPLEMENTATION /* after their declarations, which other.h has */
#define KERNELS_VULKAN_IMPLEMENTATION
#define SECOND_CUDA_STATIC
#define SECOND_VULKAN_STATIC
#if defined(USE_CUDA)
#include "kernels_cuda.h"
#include "second_cuda.h"
#else
#include "kernels_vulkan.h"
#include "second_vulkan.h"
#endif
#include "refusals.h"
#include "setup.h"

#if defined(USE_CUDA)
enum { MOST = 1000000 };
#else
enum { MOST = 200000 }; /* hundreds of small tiles: enough for the processors that test_header runs this on */
#endif

static setup s;
static array in, out, values, values_out, scratch, carry;

/* Where the two interfaces differ. */
#if defined(USE_CUDA)
#define CREATE(name, kernel) name##_create(kernel)
#define WHERE s.stream
#define setup_begin(s) (void)(s)
#define setup_submit(s) setup_wait(s)
#else
#define CREATE(name, kernel) name##_create(kernel, &app)
#define WHERE s.commands
static msw_vulkan_app app;
#endif

static uint32_t *words(const array *a) { return (uint32_t *)a->data; }

static void expect(int holds, const char *what, uint64_t n)
{
    if (holds) return;
    fprintf(stderr, "%s, n = %llu\n", what, (unsigned long long)n);
    exit(1);
}

static void fill(array *a, uint32_t n, uint32_t seed)
{
    uint32_t i;
    for (i = 0; i < n; i++) words(a)[i] = (seed = seed * 1664525u + 1013904223u) >> 8;
}

/* From another state each time: what is not written is seen. */
static void spoil(array *a, uint32_t n) { memset(a->data, 0xa5, (size_t)n * 4); }

static void check_running(const running_kernel *kernel, uint32_t n, int in_place)
{
    running_arguments a;
    uint32_t i, sum = 7;
    memset(&a, 0, sizeof a);
    fill(&in, n, n + 1);
    memcpy(values.data, in.data, (size_t)n * 4);
    spoil(&out, n + 1);
    words(&carry)[0] = sum;
    a.n = n;
    a.in = in.address;
    a.out = in_place ? in.address : out.address;
    a.carry_in = carry.address;
    a.carry_out = carry.address + 16;
    a.flags = in_place ? MSW_IN_PLACE : 0;
    a.scratch = scratch.address;
    a.scratch_bytes = running_scratch_bytes(kernel, n);
    expect(a.scratch_bytes == other_scratch_bytes(kernel, n), "another file's scratch", n);
    setup_begin(&s);
    MUST(running_enqueue(kernel, WHERE, &a));
    setup_submit(&s);
    for (i = 0; i < n; i++) {
        sum += words(&values)[i];
        expect(words(in_place ? &in : &out)[i] == sum, "running", n);
    }
    expect(words(&carry)[4] == sum, "carry-out of running", n);
    expect(in_place || words(&out)[n] == 0xa5a5a5a5, "running wrote beyond its end", n);
}

static void check_maps(const maps_kernel *kernel, uint32_t n)
{
    maps_arguments a;
    uint32_t i, map_a = 1, map_b = 0;
    memset(&a, 0, sizeof a);
    fill(&in, 2 * n, n + 2);
    spoil(&out, 2 * n);
    a.n = n;
    a.in = in.address;
    a.out = out.address;
    a.scratch = scratch.address;
    a.scratch_bytes = maps_scratch_bytes(kernel, n);
    a.flags = MSW_SCRATCH_DIRTY;
    setup_begin(&s);
    MUST(maps_enqueue(kernel, WHERE, &a));
    setup_submit(&s);
    for (i = 0; i < n; i++) {
        expect(words(&out)[2 * i] == map_a && words(&out)[2 * i + 1] == map_b, "maps", n);
        map_b = map_b * words(&in)[2 * i] + words(&in)[2 * i + 1];
        map_a *= words(&in)[2 * i];
    }
}

/* The keys' order is the key itself times MOST plus the place: values are places. */
static void check_pairs(const pairs_kernel *kernel, uint32_t n, int is_ping_pong)
{
    const array *keys = &out, *places = &values_out;
    pairs_arguments a;
    uint64_t sum = 0;
    uint32_t i;
    memset(&a, 0, sizeof a);
    fill(&in, n, n + 3);
    for (i = 0; i < n; i++) words(&in)[i] &= i % 3 ? 0xffffffffu : 0xff;
    for (i = 0; i < n; i++) words(&values)[i] = i;
    a.n = n;
    a.keys = in.address;
    a.values = values.address;
    a.keys_out = out.address;
    a.values_out = values_out.address;
    a.scratch = scratch.address;
    a.scratch_bytes = is_ping_pong ? pairs_scratch_bytes_ping_pong(kernel, n) : pairs_scratch_bytes(kernel, n);
    a.flags = MSW_SCRATCH_DIRTY;
    if (is_ping_pong) a.flags |= MSW_PING_PONG;
    if (is_ping_pong && pairs_ends_in_inputs(kernel, n)) {
        keys = &in;
        places = &values;
    }
    memcpy(carry.data, in.data, (size_t)n * 4);
    setup_begin(&s);
    MUST(pairs_enqueue(kernel, WHERE, &a));
    setup_submit(&s);
    for (i = 0; i < n; i++) {
        const uint32_t key = words(keys)[i], place = words(places)[i];
        expect(place < n && words(&carry)[place] == key, "pairs: another key's value", n);
        if (i) expect(words(keys)[i - 1] < key || (words(keys)[i - 1] == key && words(places)[i - 1] < place), "pairs: order", n);
        sum += place;
    }
    expect(sum == (uint64_t)n * (n ? n - 1 : 0) / 2, "pairs: every value once", n);
}

static void check_total(const total_kernel *kernel, uint32_t n)
{
    total_arguments a;
    uint32_t i, sum = 0;
    memset(&a, 0, sizeof a);
    fill(&in, n, n + 4);
    for (i = 0; i < n; i++) sum += words(&in)[i];
    words(&carry)[8] = n - n / 3; /* n, when the work runs */
    words(&carry)[9] = 0;
    for (i = n - n / 3; i < n; i++) sum -= words(&in)[i];
    a.n = n;
    a.n_address = carry.address + 32;
    a.in = in.address;
    a.out = out.address;
    a.scratch = scratch.address;
    a.scratch_bytes = total_scratch_bytes(kernel, n);
    setup_begin(&s);
    MUST(total_enqueue(kernel, WHERE, &a));
    setup_submit(&s);
    expect(words(&out)[0] == sum, "total", n);
}

/* Reads beside its elements, so no output is its input. */
static void check_steps(const steps_kernel *kernel, uint32_t n)
{
    steps_arguments a;
    uint32_t i;
    memset(&a, 0, sizeof a);
    fill(&in, n, n + 6);
    spoil(&out, n);
    a.n = n;
    a.in = in.address;
    a.out = out.address;
    setup_begin(&s);
    MUST(steps_enqueue(kernel, WHERE, &a));
    setup_submit(&s);
    for (i = 0; i < n; i++) expect(words(&out)[i] == words(&in)[i] - (i ? words(&in)[i - 1] : 0), "steps", n);
    a.out = a.in;
    expect(steps_enqueue(kernel, WHERE, &a) == (n ? MSW_LAUNCH_ALIASED : MSW_LAUNCH_UNSERVED), "steps in place, not declared", n);
    a.flags = MSW_IN_PLACE;
    expect(steps_enqueue(kernel, WHERE, &a) == MSW_LAUNCH_UNSERVED, "steps in place", n);
}

#if defined(USE_CUDA)
/* Another strategy, whose blocks run all at once. */
static void check_second(const second_kernel *kernel, uint32_t n)
{
    second_arguments a;
    uint32_t i, sum = 0;
    memset(&a, 0, sizeof a);
    fill(&in, n, n + 5);
    spoil(&out, n);
    a.n = n;
    a.in = in.address;
    a.out = out.address;
    a.scratch = scratch.address;
    a.scratch_bytes = second_scratch_bytes(kernel, n);
    a.flags = MSW_SCRATCH_DIRTY;
    MUST(second_enqueue(kernel, WHERE, &a));
    setup_submit(&s);
    for (i = 0; i < n; i++) expect(words(&out)[i] == (sum += words(&in)[i]), "second", n);
}
#endif

/* Refusals come before anything is recorded: a wrong argument would end the process or the device. */
static void check_errors(const running_kernel *running, const pairs_kernel *pairs)
{
    running_arguments good, bad;
    pairs_arguments good_pairs, bad_pairs;
    int which, expected;
    memset(&good, 0, sizeof good);
    good.n = MOST;
    good.in = in.address;
    good.out = out.address;
    good.carry_in = carry.address;
    good.carry_out = carry.address + 16;
    good.scratch = scratch.address;
    good.scratch_bytes = running_scratch_bytes(running, MOST);
    memset(&good_pairs, 0, sizeof good_pairs);
    good_pairs.n = MOST;
    good_pairs.keys = in.address;
    good_pairs.values = values.address;
    good_pairs.keys_out = out.address;
    good_pairs.values_out = values_out.address;
    good_pairs.scratch = scratch.address;
    good_pairs.scratch_bytes = pairs_scratch_bytes(pairs, MOST);
    for (which = 0; bad = good, (expected = spoil_running(which, &bad)) != 0; which++)
        expect(running_enqueue(running, WHERE, &bad) == expected, "what is wrong with a scan", (uint64_t)which);
    for (which = 0; bad_pairs = good_pairs, (expected = spoil_pairs(which, &bad_pairs)) != 0; which++)
        expect(pairs_scratch_bytes_ping_pong(pairs, MOST) == 0 || pairs_enqueue(pairs, WHERE, &bad_pairs) == expected, "what is wrong with a sort",
               (uint64_t)which);
    expect(running_scratch_init(running, WHERE, scratch.address + 4, 16) == MSW_LAUNCH_UNALIGNED, "a scratch that is not aligned", MOST);
    expect(running_scratch_init(running, WHERE, 0, 16) == MSW_LAUNCH_MISSING, "a scratch that is not there", MOST);
}

static void check_destroyed(const running_kernel *kernel)
{
    running_arguments a;
    memset(&a, 0, sizeof a);
    expect(running_enqueue(kernel, WHERE, &a) == MSW_LAUNCH_NO_PLAN && running_scratch_init(kernel, WHERE, 0, 0) == MSW_LAUNCH_NO_PLAN,
           "a kernel that is not there", 0);
    expect(running_scratch_bytes(kernel, MOST) == 0, "scratch of a kernel that is not there", 0);
}

static void check_all(const running_kernel *running, const maps_kernel *maps, const total_kernel *total, const steps_kernel *steps,
                      const pairs_kernel *pairs)
{
    const uint32_t tile = running->loaded.plan->steps[0].tile_items;
    const uint32_t sizes[6] = {0, 1, 31, tile, tile + 1, MOST};
    int i;
    setup_begin(&s);
    MUST(running_scratch_init(running, WHERE, scratch.address, running_scratch_bytes(running, MOST)));
    setup_submit(&s);
    for (i = 0; i < 12; i++) check_running(running, sizes[i % 6], i / 6); /* one scratch for all */
    for (i = 0; i < 6; i++) check_maps(maps, sizes[i] / (i == 5 ? 2 : 1));
    for (i = 0; i < 6; i++) check_total(total, sizes[i]);
    for (i = 0; i < 6; i++) check_steps(steps, sizes[i]);
    for (i = 0; i < 8; i++) check_pairs(pairs, sizes[i < 6 ? i : i - 2], i >= 6 && pairs_scratch_bytes_ping_pong(pairs, MOST));
    check_errors(running, pairs);
}

int main(void)
{
    running_kernel running;
    maps_kernel maps;
    total_kernel total;
    steps_kernel steps;
    pairs_kernel pairs;
    second_kernel second;
    setup_open(&s);
#if !defined(USE_CUDA)
    memset(&app, 0, sizeof app);
    expect(CREATE(running, &running) == VK_ERROR_INITIALIZATION_FAILED && !running.loaded.plan, "no get_instance_proc_addr", 0);
    app.get_instance_proc_addr = vkGetInstanceProcAddr;
    app.instance = s.instance;
    app.physical_device = s.physical_device;
    app.device = s.device;
    expect(CREATE(second, &second) == VK_ERROR_FEATURE_NOT_PRESENT && !second.loaded.plan, "subgroups that no device has", 0);
#else
    MUST(CREATE(second, &second));
#endif
    MUST(CREATE(running, &running));
    MUST(CREATE(maps, &maps));
    MUST(CREATE(total, &total));
    MUST(CREATE(steps, &steps));
    MUST(CREATE(pairs, &pairs));
    in = array_create(&s, 4 * MOST + 64);
    out = array_create(&s, 4 * MOST + 64);
    values = array_create(&s, 4 * MOST + 64);
    values_out = array_create(&s, 4 * MOST + 64);
    carry = array_create(&s, 4 * MOST + 64);
    scratch = array_create(&s, pairs_scratch_bytes(&pairs, MOST) + running_scratch_bytes(&running, MOST) + maps_scratch_bytes(&maps, MOST));
    check_all(&running, &maps, &total, &steps, &pairs);
#if defined(USE_CUDA)
    check_second(&second, MOST);
#endif
    printf("subgroups of %u\n", running.loaded.plan->kernels[0].subgroup_size);
    array_destroy(&s, &in);
    array_destroy(&s, &out);
    array_destroy(&s, &values);
    array_destroy(&s, &values_out);
    array_destroy(&s, &carry);
    array_destroy(&s, &scratch);
    second_destroy(&second);
    running_destroy(&running);
    maps_destroy(&maps);
    total_destroy(&total);
    steps_destroy(&steps);
    pairs_destroy(&pairs);
    running_destroy(&running); /* again is nothing */
    check_destroyed(&running);
    setup_close(&s);
    return 0;
}
