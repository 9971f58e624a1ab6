/* Cuts of pipelines whose optimum is known by hand: bytes an element, on a device on which a byte is a second. */
#include "cut/cut.h"
#include "cut_graphs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { N = 1000000 };

static ms_arena arena;
static cut_graph g;

static int set_up(void **state)
{
    (void)state;
    ms_arena_init(&arena, NULL, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ms_arena_free(&arena);
    assert_int_equal(arena.used_bytes, 0);
    return 0;
}

static ms_cut cut(const ms_cut_device *device, msw_cut_method method)
{
    ms_cut found;
    uint32_t operation;
    assert_int_equal(ms_cut_find(&arena, &g.cut, device, NULL, method, &found, &operation), MSW_OK);
    return found;
}

/* Bytes an element; single elements do not show. */
static double bytes_of(const ms_cut *found) { return (double)(long)(found->bytes / N * 1000 + 0.5) / 1000; }

static ms_cut expect_cut(const ms_cut_device *device, msw_cut_method method, uint32_t kernels, double bytes)
{
    const ms_cut found = cut(device, method);
    if (found.kernel_count != kernels || bytes_of(&found) != bytes)
        fail_msg("%s: %u kernels, %g bytes; expected %u, %g", ms_cut_method_name(method), found.kernel_count, bytes_of(&found), kernels, bytes);
    if (method == MSW_CUT_OPTIMUM || method == MSW_CUT_FEWEST) assert_true(found.is_proved);
    return found;
}

static void test_map_scan_map(void **state)
{
    const ms_cut_device device = byte_device();
    (void)state;
    begin_graph(&g, N);
    output(&g, map(&g, 4, scan(&g, 4, map(&g, 4, array(&g, 4)))));
    const ms_cut found = expect_cut(&device, MSW_CUT_OPTIMUM, 1, 8);
    assert_int_equal(found.slot_count, 0);
    assert_int_equal(found.kernels[0].operation_count, 3);
    assert_int_equal(found.kernels[0].direction, MS_CUT_FORWARD);
    expect_cut(&device, MSW_CUT_UNFUSED, 3, 24);
    expect_cut(&device, MSW_CUT_GREEDY, 1, 8);
}

static void test_forward_and_backward(void **state)
{
    const ms_cut_device device = byte_device();
    (void)state;
    begin_graph(&g, N);
    const uint32_t x = array(&g, 4), forward = scan(&g, 4, x), backward = reverse_scan(&g, 4, x);
    output(&g, map(&g, 4, forward, backward));
    const ms_cut found = expect_cut(&device, MSW_CUT_OPTIMUM, 2, 20);
    assert_int_equal(found.slot_count, 1);
    assert_true(found.scratch_bytes == 4.0 * N);
    expect_cut(&device, MSW_CUT_UNFUSED, 3, 28);
}

static uint32_t softmax(void)
{
    begin_graph(&g, N);
    const uint32_t x = array(&g, 4), most = reduce(&g, 4, x), e = map(&g, 4, x, most), total = reduce(&g, 4, e);
    output(&g, map(&g, 4, e, total));
    return e;
}

static void test_softmax(void **state)
{
    ms_cut_device device = byte_device();
    (void)state;
    const uint32_t e = softmax();
    ms_cut found = expect_cut(&device, MSW_CUT_OPTIMUM, 3, 16);
    assert_int_equal(found.slots[e], MS_CUT_NO_SLOT); /* computed again */
    expect_cut(&device, MSW_CUT_UNFUSED, 4, 24);
    expect_cut(&device, MSW_CUT_FEWEST, 3, 16);
    g.operations[1].instructions = 13; /* more than the 12 bytes a second computation would save */
    device.issue_rate = 1;
    found = expect_cut(&device, MSW_CUT_OPTIMUM, 3, 20);
    assert_int_not_equal(found.slots[e], MS_CUT_NO_SLOT);
}

/* At most 3 operations a kernel: the cut belongs where values are small. */
static void test_wide_values(void **state)
{
    ms_cut_device device = byte_device();
    (void)state;
    begin_graph(&g, N);
    output(&g, map(&g, 4, scan(&g, 32, map(&g, 32, map(&g, 4, array(&g, 4))))));
    device.max_operations = 3;
    expect_cut(&device, MSW_CUT_OPTIMUM, 2, 16);
    expect_cut(&device, MSW_CUT_GREEDY, 2, 72);
}

/* Above 64 registers half as many blocks run, and half as many bytes move. */
static void test_registers(void **state)
{
    ms_cut_device device = byte_device();
    (void)state;
    begin_graph(&g, N);
    const uint32_t x = array(&g, 4);
    for (int i = 0; i < 2; i++) {
        output(&g, scan(&g, 4, x));
        g.operations[i].live_words = 50;
    }
    device.registers = 128;
    device.block_bandwidth = 0.5;
    const ms_cut best = expect_cut(&device, MSW_CUT_OPTIMUM, 2, 16), fewest = expect_cut(&device, MSW_CUT_FEWEST, 1, 12);
    assert_true(best.seconds == 16.0 * N);
    assert_true(fewest.seconds == 24.0 * N);
    assert_int_equal(fewest.kernels[0].resident_blocks, 1);
}

/* ---- what may be one kernel ---- */

static void test_barriers(void **state)
{
    const ms_cut_device device = byte_device();
    uint32_t kept;
    (void)state;
    begin_graph(&g, N); /* a compaction, a map of what it kept where it stores, and a scan of that in a kernel of its own */
    kept = add_domain(&g, N / 2, N);
    const uint32_t x = array(&g, 4), packed = add(&g, MS_CUT_OTHER, 0, 4, kept, VALUES(x));
    const uint32_t doubled = add(&g, MS_CUT_MAP, kept, 8, kept, VALUES(packed));
    output(&g, add(&g, MS_CUT_SCAN, kept, 4, kept, VALUES(doubled)));
    ms_cut found = expect_cut(&device, MSW_CUT_OPTIMUM, 2, 10); /* 4 read, half of 4 written; half of 4 read and written: the map is the scan's */
    assert_true(found.scratch_bytes == 4.0 * N);
    output(&g, doubled); /* stored in any case */
    found = expect_cut(&device, MSW_CUT_OPTIMUM, 2, 14);
    assert_int_equal(found.kernels[0].operation_count, 2);
}

/* A mean is one element: where a reduction stores it, or again in every thread. */
static void test_single_elements(void **state)
{
    const ms_cut_device device = byte_device();
    (void)state;
    begin_graph(&g, N);
    const uint32_t x = array(&g, 4), total = reduce(&g, 4, x), mean = add(&g, MS_CUT_MAP, 1, 4, 1, VALUES(total));
    output(&g, map(&g, 4, x, mean));
    expect_cut(&device, MSW_CUT_OPTIMUM, 2, 12);
    expect_cut(&device, MSW_CUT_FEWEST, 2, 12);
    output(&g, mean);
    expect_cut(&device, MSW_CUT_OPTIMUM, 2, 12);
}

/* The histogram and the first pass read a key, each other pass reads and writes it. A map before it is computed by both that read; one behind it
 * where the last pass stores. */
static void test_sort(void **state)
{
    const ms_cut_device device = byte_device();
    (void)state;
    begin_graph(&g, N);
    const uint32_t x = array(&g, 8), key = map(&g, 4, x), sorted = add(&g, MS_CUT_SORT, 0, 4, 0, VALUES(key));
    g.operations[1].own_bytes = 3 * 8;
    output(&g, map(&g, 2, sorted));
    expect_cut(&device, MSW_CUT_OPTIMUM, 1, 16 + 24 + 2);
    g.values[x].bytes = 20; /* wide: the key is stored first */
    expect_cut(&device, MSW_CUT_OPTIMUM, 2, 24 + 8 + 24 + 2);
}

static void test_near(void **state)
{
    const ms_cut_device device = byte_device();
    (void)state;
    begin_graph(&g, N);
    output(&g, map(&g, 4, scan(&g, 4, array(&g, 4))));
    g.operands[1][0].is_stored = 1;
    expect_cut(&device, MSW_CUT_OPTIMUM, 2, 16);
}

/* A scan of a scan: one kernel where the device may look back twice in a row. */
static void test_depth(void **state)
{
    ms_cut_device device = byte_device();
    (void)state;
    begin_graph(&g, N);
    output(&g, scan(&g, 4, scan(&g, 4, array(&g, 4))));
    expect_cut(&device, MSW_CUT_OPTIMUM, 2, 16);
    device.max_depth = 2;
    const ms_cut found = expect_cut(&device, MSW_CUT_OPTIMUM, 1, 8);
    assert_int_equal(found.kernels[0].depth, 2);
    device.look_back_seconds = device.next_look_back_seconds =
        8 * 6; /* of each tile, here an element, of which 8 are in flight: 12 seconds in a row, 6 behind 8 bytes */
    assert_true(cut(&device, MSW_CUT_OPTIMUM).seconds == 12.0 * N);
    device.max_depth = 1;
    assert_true(cut(&device, MSW_CUT_OPTIMUM).seconds == 16.0 * N);
}

static void test_buffers(void **state)
{
    ms_cut_device device = byte_device();
    (void)state;
    begin_graph(&g, N);
    const uint32_t x = array(&g, 4);
    for (int i = 0; i < 4; i++) output(&g, scan(&g, 4, x));
    expect_cut(&device, MSW_CUT_OPTIMUM, 1, 20);
    device.max_buffers = 3;
    expect_cut(&device, MSW_CUT_OPTIMUM, 2, 24);
}

static int allows_two(void *user, const ms_cut_graph *graph, const ms_cut_kernel *kernel)
{
    (void)user;
    (void)graph;
    return kernel->operation_count <= 2;
}

static void test_rule(void **state)
{
    const ms_cut_device device = byte_device();
    const ms_cut_rule rule = {.allows = allows_two};
    ms_cut found;
    uint32_t operation;
    (void)state;
    begin_graph(&g, N);
    output(&g, map(&g, 4, scan(&g, 4, map(&g, 2, array(&g, 4)))));
    assert_int_equal(ms_cut_find(&arena, &g.cut, &device, &rule, MSW_CUT_OPTIMUM, &found, &operation), MSW_OK);
    assert_int_equal(found.kernel_count, 2);
    assert_true(bytes_of(&found) == 12); /* cut where a value has 2 bytes */
}

static void test_misfit(void **state)
{
    ms_cut_device device = byte_device();
    ms_cut found;
    uint32_t operation;
    (void)state;
    begin_graph(&g, N);
    output(&g, map(&g, 4, scan(&g, 4, array(&g, 4))));
    g.operations[1].live_words = 300;
    device.registers = 65536;
    device.max_registers = 255;
    device.block_threads = 512;                                    /* not even one block's, but there must be one */
    for (int method = 0; method < MS_CUT_METHOD_COUNT; method++) { /* it is a kernel all the same, but of nothing else */
        assert_int_equal(ms_cut_find(&arena, &g.cut, &device, NULL, (msw_cut_method)method, &found, &operation), MSW_OK);
        assert_int_equal(found.kernel_count, 2);
        assert_int_equal(found.kernels[1].operations[0], 1);
        assert_int_equal(found.kernels[1].registers, 255);
        assert_int_equal(found.kernels[1].resident_blocks, 1);
        assert_true(found.seconds > 0 && found.seconds < 1e300);
    }
    g.operations[1].is_next_part = 1; /* nor are parts of what was written as one refused */
    g.operations[0].kind = MS_CUT_MAP;
    assert_int_equal(ms_cut_find(&arena, &g.cut, &device, NULL, MSW_CUT_UNFUSED, &found, &operation), MSW_OK);
    assert_int_equal(found.kernel_count, 1);
    g.operations[1].is_next_part = 0;
    device.max_buffers = 1;
    assert_int_equal(ms_cut_find(&arena, &g.cut, &device, NULL, MSW_CUT_OPTIMUM, &found, &operation), MSW_ERROR_UNSUPPORTED);
    assert_int_equal(operation, 0);
}

/* ---- time and scratch ---- */

/* More items a thread: fewer tiles to wait for, as long as registers allow as many blocks. */
static void test_items(void **state)
{
    ms_cut_device device = byte_device();
    (void)state;
    begin_graph(&g, N);
    output(&g, scan(&g, 4, array(&g, 4)));
    g.operations[0].live_words = 4;
    device.block_threads = 32;
    device.registers = 5120;
    device.base_registers = 16;
    device.max_resident_blocks = 4;
    device.look_back_seconds = 1e6;
    memcpy(device.items, (const uint32_t[MS_CUT_MAX_ITEMS]){1, 2, 4, 8, 16, 64}, sizeof device.items);
    ms_cut found = cut(&device, MSW_CUT_OPTIMUM);
    assert_int_equal(found.kernels[0].items, 16); /* 80 registers: 2 blocks; of 8 items 3 blocks, of 4 items 4 */
    assert_int_equal(found.kernels[0].registers, 80);
}

static void test_lifetimes(void **state)
{
    ms_cut_device device = byte_device();
    uint32_t v, chain[4];
    (void)state;
    begin_graph(&g, N);
    device.max_operations = 1;
    v = array(&g, 4);
    for (int i = 0; i < 4; i++) v = chain[i] = map(&g, i == 1 ? 16 : 4, v);
    output(&g, map(&g, 4, v));
    const ms_cut found = expect_cut(&device, MSW_CUT_OPTIMUM, 5, 8 + 20 + 20 + 8 + 8);
    assert_int_equal(found.slot_count, 2); /* neighbours are alive at once, no three */
    assert_true(found.scratch_bytes == 20.0 * N);
    assert_int_equal(found.slots[chain[0]], found.slots[chain[2]]);
    assert_int_equal(found.slots[chain[1]], found.slots[chain[3]]);
}

/* Each constant of tuning rows has a place of its own: its field, and nothing else, changes. */
static void test_constants(void **state)
{
    uint32_t c = 0;
    (void)state;
#define EXPECT(word, place, is_whole, least, most)                  \
    {                                                               \
        ms_cut_device device, expected;                             \
        memset(&device, 0, sizeof device);                          \
        memset(&expected, 0, sizeof expected);                      \
        assert_string_equal(ms_device_constants[c].name, #word);    \
        ms_cut_set_constant(&device, c++, 1);                       \
        assert_memory_not_equal(&device, &expected, sizeof device); \
        expected.place = 1;                                         \
        assert_memory_equal(&device, &expected, sizeof device);     \
    }
    MS_DEVICE_CONSTANTS(EXPECT)
    assert_int_equal(c, MS_CONSTANT_COUNT);
}

/* No operation; no output; what nobody needs. */
static void test_nothing(void **state)
{
    const ms_cut_device device = byte_device();
    (void)state;
    begin_graph(&g, N);
    expect_cut(&device, MSW_CUT_OPTIMUM, 0, 0);
    map(&g, 4, array(&g, 4));
    for (uint32_t method = 0; method < MS_CUT_METHOD_COUNT; method++) expect_cut(&device, method, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_map_scan_map),
        cmocka_unit_test(test_forward_and_backward),
        cmocka_unit_test(test_softmax),
        cmocka_unit_test(test_wide_values),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_single_elements),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_near),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_rule),
        cmocka_unit_test(test_misfit),
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_lifetimes),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
