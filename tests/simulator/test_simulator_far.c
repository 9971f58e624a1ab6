/* Segments by offsets, nearly 2^32 of them, and states in the scratch of more elements than 2^32: kernels of blocks of one lane, run
 * one after the other on memory of which only what is touched is there.
 * The simulated device, which knows of every byte whether it was written, holds no such arrays. */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../backends/simulator/compiled.h"
#include "../../backends/simulator/machine.h"

#include <monosweep/monosweep.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { INIT = 7, N = 3, BLOCKS = 1 << 26, SECONDS = 60 /* an end that is never reached */ };
#define SEGMENTS UINT32_C(0xfffffffe) /* the most */

static const char spec_text[] = "return { segmented_reduce { name = 'totals', segments = 'offsets', monoid = sum(u32), init = 7 },\n"
                                "  segmented_scan { name = 'prefixes', segments = 'offsets', monoid = sum(u32), init = 7 },\n"
                                "  compact { name = 'thirds', inputs = { {'x', generate = function(i) return i end} },\n"
                                "    keep = function(e) return eq(e.x % 3, 0) end } }";
enum { OPS = 3, TOTALS = 0, PREFIXES = 2, SCAN_TILES = 4, PROPAGATE = 5 /* kernels */ };
enum { STATES_BLOCKS = 1 << 20, STATES_TILE = 128 };
#define STATES_N (UINT64_C(0x100000000) + 1000)

static sim *simulator;
static ms_machine *machine;
static sim_compiled *compiled;
static sim_text texts[OPS * MSW_MAX_KERNELS];
static uint32_t text_count;
static uint64_t *offsets;
static msw_plan_variant of_states;
static uint32_t *outputs;

/* ---- a machine of one lane a block ---- */

static void no_barrier(int line) { (void)line; }

static void no_access(const void *address, uint64_t bytes, int is_write) { (void)address, (void)bytes, (void)is_write; }

static void *shared(int line, uint32_t index, uint32_t bytes)
{
    static uint64_t memory[32][64];
    (void)line;
    assert_true(index < 32 && bytes <= sizeof memory[0]);
    return memory[index];
}

static void shuffle(int line, const void *value, void *other, uint32_t bytes, uint32_t lane)
{
    (void)line, (void)lane;
    memcpy(other, value, bytes);
}

static void take_machine(void)
{
    machine = (ms_machine *)(uintptr_t)sim_machine(simulator);
    machine->block_barrier = machine->block_barrier_all_memory = machine->subgroup_barrier = no_barrier;
    machine->access = no_access;
    machine->shared = shared;
    machine->shuffle = shuffle;
}

/* ---- kernels ---- */

static msw_program *plan(msw_spec *spec, uint32_t op)
{
    const msw_target target = {.struct_size = sizeof target,
                               .backend = MSW_BACKEND_HOST,
                               .subgroup_size = 1,
                               .max_block_threads = 1024,
                               .shared_bytes = 1 << 16,
                               .max_blocks = STATES_BLOCKS,
                               .compute_units = 4};
    const msw_knob knobs[] = {{"strategy", "single_block"}, {"block", "1"}, {"items", "4"}};
    const msw_knob of_many[] = {{"strategy", "scan_then_propagate"}, {"block", "1"}, {"items", "128"}, {"blocks", "1048576"}, {"counts", "64"}};
    const int has_many = op == OPS - 1;
    const msw_program_desc desc = {
        .struct_size = sizeof desc, .op = op, .target = &target, .knobs = has_many ? of_many : knobs, .knob_count = has_many ? 5 : 3};
    msw_program *program;
    msw_diag diag;
    if (msw_program_create(spec, &desc, &program, &diag)) fail_msg("%s", diag.message);
    const msw_plan *made = msw_program_plan(program);
    for (uint32_t k = 0; k < made->kernel_count; k++) texts[text_count++] = (sim_text){made->kernels[k].text, made->kernels[k].entry};
    if (has_many) of_states = made->variants[0];
    return program;
}

static void *reserve(uint64_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static int open_all(void **state)
{
    static char message[1 << 14];
    static msw_program *programs[OPS];
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = spec_text};
    msw_spec *spec;
    (void)state;
    simulator = sim_create();
    if (!simulator || msw_spec_create(&desc, &spec, NULL)) return 1;
    for (uint32_t op = 0; op < OPS; op++) programs[op] = plan(spec, op);
    compiled = sim_compile(simulator, texts, text_count, 0, message, sizeof message);
    if (!compiled) print_error("%s\n", message);
    for (uint32_t op = 0; op < OPS; op++) msw_program_destroy(programs[op]);
    msw_spec_destroy(spec);
    take_machine();
    offsets = reserve((SEGMENTS + UINT64_C(1)) * sizeof *offsets);
    outputs = reserve(SEGMENTS * sizeof *outputs);
    return !compiled;
}

static int close_all(void **state)
{
    (void)state;
    if (offsets) munmap(offsets, (SEGMENTS + UINT64_C(1)) * sizeof *offsets);
    if (outputs) munmap(outputs, SEGMENTS * sizeof *outputs);
    sim_compiled_destroy(compiled);
    sim_destroy(simulator);
    return 0;
}

/* Block `block` of `blocks`. Kernels are numbered as plans have them, one after the other. */
static void run_block(uint32_t kernel, uint32_t block, uint32_t blocks, const msw_params *params)
{
    machine->place = (ms_place){.block_id = block, .block_count = blocks};
    sim_compiled_entry(compiled, kernel)(*params);
}

/* ---- the tests ---- */

/* No element at all: of BLOCKS blocks, each writes the results of every segment that is its turn, and ends. */
static void test_results_without_elements(void **state)
{
    static uint64_t scratch[64], segments = SEGMENTS;
    const msw_params params = {.scratch = (uint64_t)(uintptr_t)scratch,
                               .buffer = {0, (uint64_t)(uintptr_t)offsets, (uint64_t)(uintptr_t)outputs, (uint64_t)(uintptr_t)&segments}};
    const uint32_t blocks[] = {0, 1, BLOCKS - 3, BLOCKS - 1};
    (void)state;
    if (!offsets || !outputs) skip();
    alarm(SECONDS);
    for (uint32_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        run_block(TOTALS, blocks[b], BLOCKS, &params);
        for (uint64_t j = blocks[b]; j < SEGMENTS; j += BLOCKS) assert_int_equal(outputs[j], INIT);
    }
    alarm(0);
}

/* All segments but the last ones begin before the first element, or with it; the last chunk ends where numbers of 32 bits do. */
static void test_elements_at_the_end(void **state)
{
    static uint64_t scratch[64], segments = SEGMENTS;
    static const uint32_t x[N] = {10, 200, 3000};
    uint32_t y[N] = {0};
    const msw_params params = {
        .n = N,
        .scratch = (uint64_t)(uintptr_t)scratch,
        .buffer = {(uint64_t)(uintptr_t)x, (uint64_t)(uintptr_t)offsets, (uint64_t)(uintptr_t)y, (uint64_t)(uintptr_t)&segments}};
    (void)state;
    if (!offsets) skip();
    for (uint32_t j = SEGMENTS - 40; j <= SEGMENTS; j++) offsets[j] = j < SEGMENTS - 21 ? 1 : j < SEGMENTS ? 2 : N;
    alarm(SECONDS);
    run_block(PREFIXES, 0, 1, &params);
    run_block(PREFIXES + 1, 0, 1, &params);
    alarm(0);
    for (uint32_t i = 0; i < N; i++) assert_int_equal(y[i], INIT + x[i]);
}

/* The block that has the last tiles, whose states lie behind those of all others; the others keep nothing. */
static void test_states_of_far_elements(void **state)
{
    const uint64_t tiles = (STATES_N + STATES_TILE - 1) / STATES_TILE, share = (tiles + STATES_BLOCKS - 1) / STATES_BLOCKS;
    const uint64_t block = (tiles - 1) / share, first = block * share * STATES_TILE;
    const uint64_t bytes = of_states.scratch_base_bytes + tiles * of_states.scratch_per_tile_bytes;
    static uint64_t kept[4096], count;
    unsigned char *scratch = reserve(bytes);
    const msw_params params = {
        .n = STATES_N, .scratch = (uint64_t)(uintptr_t)scratch, .buffer = {(uint64_t)(uintptr_t)kept, (uint64_t)(uintptr_t)&count}};
    uint64_t k = 0, last;
    (void)state;
    if (!scratch) skip();
    assert_int_equal(of_states.scratch_per_tile_bytes, STATES_TILE * sizeof(uint64_t));
    alarm(SECONDS);
    run_block(SCAN_TILES, (uint32_t)block, STATES_BLOCKS, &params);
    run_block(PROPAGATE, (uint32_t)block, STATES_BLOCKS, &params);
    run_block(PROPAGATE, STATES_BLOCKS - 1, STATES_BLOCKS, &params);
    alarm(0);
    for (uint64_t i = first; i < STATES_N; i++)
        if (i % 3 == 0) assert_int_equal(kept[k++], i);
    assert_int_equal(kept[k], 0);
    assert_int_equal(count, k);
    memcpy(&last, scratch + of_states.scratch_base_bytes + (STATES_N - 1) * sizeof last, sizeof last);
    assert_int_equal(last, k);
    munmap(scratch, bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_results_without_elements), cmocka_unit_test(test_elements_at_the_end),
                                       cmocka_unit_test(test_states_of_far_elements)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
