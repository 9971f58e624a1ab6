/* Plans of pipelines (gen/plan/pipeline.c): whatever n is, each stage's kernels serve its elements, and are those that it would have alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "launch.h"
#include "plan/plan.h"
#include "plan/tuning.h"
#include "plan_bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct planned {
    ms_arena arena;
    const ms_operation *op;
    msw_plan whole, parts[MSW_MAX_STAGES];
    uint32_t pairs; /* of a variant and a stage, checked */
} planned;

static const msw_target vulkan = {.struct_size = sizeof vulkan,
                                  .backend = MSW_BACKEND_VULKAN,
                                  .subgroup_size = 32,
                                  .max_block_subgroups = 32,
                                  .max_block_threads = 256,
                                  .shared_bytes = 32768,
                                  .max_blocks = 65535,
                                  .features = ~(uint32_t)MSW_FEATURE_UNIFORM_CONTROL_FLOW};

static void make_plan(planned *p, const ms_operation *op, const msw_target *target, msw_plan *plan)
{
    const ms_plan_wish wish = {.target = target, .mode = MS_TARGET_DEVICE};
    ms_kernel_shape *shapes = ms_arena_alloc(&p->arena, MSW_MAX_KERNELS * sizeof *shapes);
    ms_tuning *tunings = ms_arena_alloc(&p->arena, MSW_MAX_STAGES * sizeof *tunings);
    msw_diag diag;
    assert_non_null(shapes);
    assert_non_null(tunings);
    if (ms_plan_parts(&p->arena, op, &wish, tunings, plan, shapes, &diag)) fail_msg("%s: %s", op->name, diag.message);
}

/* Whether steps of a stage are those of its plan's variant. */
static int are_steps_of(const planned *p, uint32_t s, const msw_plan_step *steps, uint32_t count, const msw_plan_variant *variant)
{
    const size_t prefix = strlen(p->whole.stages[s].name) + 1;
    if (variant->is_ping_pong || count != variant->step_count) return 0;
    for (uint32_t i = 0; i < count; i++) {
        msw_plan_step own = p->parts[s].steps[variant->first_step + i];
        if (strcmp(p->whole.kernels[steps[i].kernel].entry + prefix, p->parts[s].kernels[own.kernel].entry)) return 0;
        own.kernel = steps[i].kernel;
        own.stage = s;
        if (memcmp(&own, &steps[i], sizeof own)) return 0;
    }
    return 1;
}

/* The stage's variant whose steps these are, of several that of the largest n. */
static const msw_plan_variant *variant_of(const planned *p, uint32_t s, const msw_plan_step *steps, uint32_t count)
{
    const msw_plan_variant *found = NULL;
    for (uint32_t v = 0; v < p->parts[s].variant_count; v++)
        if (are_steps_of(p, s, steps, count, &p->parts[s].variants[v])) found = &p->parts[s].variants[v];
    return found;
}

static uint64_t stage_elements(const planned *p, uint32_t s, uint64_t n) { return msw_elements(p->whole.stages[s].length, n); }

/* ---- what is launched ---- */

typedef struct dispatches {
    uint32_t kernels[MSW_MAX_STEPS], blocks[MSW_MAX_STEPS], count;
} dispatches;

static int note(void *user, uint32_t kernel, uint32_t blocks, const msw_params *params)
{
    dispatches *d = user;
    (void)params;
    assert_true(d->count < MSW_MAX_STEPS);
    d->kernels[d->count] = kernel;
    d->blocks[d->count++] = blocks;
    return 0;
}

static void no_barrier(void *user) { (void)user; }

/* What an enqueue dispatches is what msw_plan_launch tells. bytes: of all stages. */
static void check_told(const planned *p, uint64_t n, uint64_t bytes_read, uint64_t bytes_written)
{
    dispatches made = {.count = 0};
    const msw_launch_ops ops = {&made, note, no_barrier, 0};
    msw_enqueue_desc desc = {.struct_size = sizeof desc, .n = n, .scratch = 1 << 20, .scratch_bytes = msw_launch_scratch(&p->whole, n, 0)};
    msw_launch_info info = {.struct_size = sizeof info};
    msw_diag diag;
    uint32_t next = 0;
    if (msw_plan_launch(&p->whole, n, 0, &info, &diag)) fail_msg("%s: %s", p->op->name, diag.message);
    assert_int_equal(msw_launch_enqueue(&p->whole, &desc, &ops), 0);
    assert_int_equal(info.launch_count, made.count);
    const msw_plan_variant *variant = &p->whole.variants[info.variant];
    const msw_plan_step *steps = &p->whole.steps[variant->first_step];
    for (uint32_t s = 0; s < variant->step_count; s += 1 + steps[s].joined)
        for (uint32_t i = 0; i < (1 + steps[s].joined) * (1 + steps[s].repeats); i++, next++) {
            const uint32_t step = s + i % (1 + steps[s].joined);
            const uint64_t elements = msw_elements(p->whole.stages[steps[step].stage].length, n);
            assert_int_equal(made.kernels[next], steps[step].kernel);
            if (made.blocks[next] != info.blocks[step])
                fail_msg("%s, n = %llu: step %u has %u blocks, not %u", p->op->name, (unsigned long long)n, step, made.blocks[next],
                         info.blocks[step]);
            assert_true(info.tiles[step] == (elements + steps[step].tile_items - 1) / steps[step].tile_items);
        }
    for (uint32_t b = 0; b < p->whole.buffer_count; b++) {
        const msw_plan_buffer *buffer = &p->whole.buffers[b];
        if (buffer->length == MSW_LENGTH_ONE) *(buffer->role == MSW_ROLE_OUT ? &bytes_written : &bytes_read) += buffer->element_bytes;
    }
    assert_true(info.bytes_read == bytes_read && info.bytes_written == bytes_written);
}

/* ---- what is zeroed ---- */

enum { SCRATCH = 1 << 20 }; /* where it begins */

typedef struct zeroed {
    const planned *p;
    const msw_launch_layout *layout;
    uint64_t n, end; /* of the parts so far */
} zeroed;

/* A stage has posts up to the end of what is zeroed for it: no other's, and no array, may lie there. */
static int check_part(void *user, uint32_t kernel, uint32_t blocks, const msw_params *params)
{
    zeroed *z = user;
    const msw_plan *plan = &z->p->whole;
    const uint64_t start = params->scratch - SCRATCH, end = start + params->n;
    (void)kernel, (void)blocks;
    assert_true(start >= z->end);
    z->end = end;
    for (uint32_t b = plan->buffer_count; b < plan->buffer_count + plan->between_count; b++) {
        const uint64_t bytes = msw_elements(plan->buffers[b].length, z->n) * plan->buffers[b].element_bytes;
        if (bytes && z->layout->arrays[b] < end && z->layout->arrays[b] + bytes > start)
            fail_msg("%s, n = %llu: %s lies in what is zeroed", z->p->op->name, (unsigned long long)z->n, plan->buffers[b].name);
    }
    return 0;
}

static void check_zeroed(const planned *p, uint64_t n)
{
    const uint64_t bytes = msw_launch_scratch(&p->whole, n, 0);
    msw_launch_layout layout;
    zeroed z = {.p = p, .layout = &layout, .n = n};
    const msw_launch_ops ops = {&z, check_part, no_barrier, 0};
    msw_launch_layout_of(&p->whole, bytes, &layout);
    assert_int_equal(msw_launch_init(&p->whole, SCRATCH, bytes, &ops), 0);
    assert_true(z.end == 0 || z.end == layout.stages_end);
}

/* Bytes an element of outputs that nobody reads, of a sort that stores maps of them: it writes them by itself, but not here. */
static uint64_t unread_bytes(const ms_stage *stage)
{
    uint64_t bytes = 0;
    for (uint32_t b = 0; stage->op->key.image && stage->op->output_map && b < stage->op->info.buffer_count; b++)
        if (stage->arrays[b] == MSW_NO_ARRAY) bytes += stage->op->buffer_types[b]->info.size_bytes;
    return bytes;
}

/* Each stage's kernels, and its part of the scratch, do for n. They are those that it has alone, but where the plan's last bound is more than half of
 * n. */
static void check_n(planned *p, uint64_t n)
{
    const msw_plan_variant *variant = msw_launch_variant(&p->whole, n, MSW_LAUNCH_APART, 0);
    assert_non_null(variant);
    const msw_plan_step *steps = &p->whole.steps[variant->first_step];
    uint64_t bytes_read = 0, bytes_written = 0;
    uint32_t first = 0;
    for (uint32_t s = 0; s < p->whole.stage_count; s++) {
        uint32_t end = first;
        while (end < variant->step_count && steps[end].stage == s) end++;
        const msw_plan_variant *own = variant_of(p, s, steps + first, end - first);
        const uint64_t elements = stage_elements(p, s, n);
        if (!own) fail_msg("%s, n = %llu: %s has steps of no variant", p->op->name, (unsigned long long)n, p->whole.stages[s].name);
        if (own->n_max < elements)
            fail_msg("%s, n = %llu: %s serves %llu", p->op->name, (unsigned long long)n, p->whole.stages[s].name, (unsigned long long)own->n_max);
        if (!are_steps_of(p, s, steps + first, end - first, msw_launch_variant(&p->parts[s], elements, MSW_LAUNCH_APART, 0)) &&
            (variant == p->whole.variants || n / 2 >= variant[-1].n_max))
            fail_msg("%s, n = %llu: %s has kernels of a larger n", p->op->name, (unsigned long long)n, p->whole.stages[s].name);
        assert_true(msw_launch_stage_bytes(&p->whole.stages[s], n) >= msw_launch_variant_scratch(&p->parts[s], own, elements));
        bytes_read += elements * own->read_bytes_per_item;
        bytes_written += elements * (own->written_bytes_per_item - unread_bytes(&p->op->pipeline->stages[s]));
        p->pairs++;
        first = end;
    }
    assert_int_equal(first, variant->step_count);
    check_told(p, n, bytes_read, bytes_written);
}

/* What 32 bits can count is counted in 32 bits. */
static void check_narrow(const planned *p, uint64_t n)
{
    const msw_plan_variant *variant = msw_launch_variant(&p->whole, n, MSW_LAUNCH_APART, 0);
    for (uint32_t i = 0; i < variant->step_count; i++) {
        const char *entry = p->whole.kernels[p->whole.steps[variant->first_step + i].kernel].entry;
        if (strstr(entry, "_wide")) fail_msg("%s, n = %llu: %s", p->op->name, (unsigned long long)n, entry);
    }
}

static void check_pipeline(const ms_operation *op, const msw_target *target, uint32_t *pairs)
{
    planned *p = calloc(1, sizeof *p);
    uint64_t n_max = INT64_MAX;
    assert_non_null(p);
    ms_arena_init(&p->arena, NULL, 0);
    p->op = op;
    make_plan(p, op, target, &p->whole);
    for (uint32_t s = 0; s < op->pipeline->stage_count; s++) make_plan(p, op->pipeline->stages[s].op, target, &p->parts[s]);
    for (uint32_t s = 0; s < p->whole.stage_count; s++)
        if (p->whole.stages[s].length == MSW_LENGTH_N && p->parts[s].variants[p->parts[s].variant_count - 1].n_max < n_max)
            n_max = p->parts[s].variants[p->parts[s].variant_count - 1].n_max;
    assert_true(p->whole.variants[p->whole.variant_count - 1].n_max == n_max);
    for (uint32_t v = 1; v < p->whole.variant_count; v++) assert_true(p->whole.variants[v].n_max > p->whole.variants[v - 1].n_max);
    for (uint32_t s = 0; s < p->whole.stage_count; s++)
        for (uint32_t v = 0; v < p->parts[s].variant_count; v++)
            for (int beside = -1; beside <= 1; beside++)
                if (p->parts[s].variants[v].n_max + (uint64_t)beside <= n_max) check_n(p, p->parts[s].variants[v].n_max + (uint64_t)beside);
    for (uint32_t v = 0; v < p->whole.variant_count; v++) {
        check_n(p, p->whole.variants[v].n_max);
        if (v) check_n(p, p->whole.variants[v - 1].n_max + 1);
    }
    check_n(p, 0);
    for (uint64_t n = 1; n <= 1u << 28 && n <= n_max; n *= 4) check_zeroed(p, n - 1), check_zeroed(p, n);
    if (n_max >= 1u << 28) check_narrow(p, 1u << 28);
    *pairs += p->pairs;
    ms_arena_free(&p->arena);
    free(p);
}

static void test_corpus(void **state)
{
    const msw_spec_desc desc = {
        .struct_size = sizeof desc, .file = MSW_SOURCE_DIR "/tests/corpus/pipelines.lua", .skip_laws = 1, .time_limit_ms = 10000};
    uint32_t pairs = 0, pipelines = 0;
    msw_spec *spec;
    msw_diag diag;
    (void)state;
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
    for (uint32_t i = 0; i < spec->operation_count; i++) {
        if (!spec->operations[i].pipeline) continue;
        check_pipeline(&spec->operations[i], &cuda, &pairs);
        check_pipeline(&spec->operations[i], &vulkan, &pairs);
        pipelines++;
    }
    print_message("%u pipelines, %u stages of an n\n", pipelines, pairs);
    assert_true(pipelines >= 26);
    assert_true(pairs > 5000);
    msw_spec_destroy(spec);
}

/* What specs are cut by (device.c) is what sm_90's row says, that of no other device's name. */
static void test_large_gpu(void **state)
{
    ms_arena arena;
    ms_cut_device device;
    const ms_cut_device large = ms_cut_large_gpu();
    const char *note;
    msw_diag diag;
    (void)state;
    ms_arena_init(&arena, NULL, 0);
    if (ms_tuning_device(&arena, "cuda", "sm_90", &cuda, NULL, NULL, &device, &note, &diag)) fail_msg("%s", diag.message);
    assert_non_null(note);
#define EXPECT(name, field, is_whole, least, most) \
    if ((double)device.field != (double)large.field) fail_msg("%s: %g in the row, %g in device.c", #name, (double)device.field, (double)large.field);
    MS_DEVICE_CONSTANTS(EXPECT)
    ms_arena_free(&arena);
}

/* ---- bytes ---- */

static void test_bytes(void **state)
{
    const msw_spec_desc desc = {
        .struct_size = sizeof desc, .file = MSW_SOURCE_DIR "/tests/corpus/pipelines.lua", .skip_laws = 1, .time_limit_ms = 10000};
    uint32_t compared = 0;
    msw_spec *spec;
    msw_diag diag;
    (void)state;
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
    for (uint32_t i = 0; i < spec->operation_count; i++)
        if (spec->operations[i].pipeline)
            compared += compare_bytes(&spec->operations[i], &cuda, "") + compare_bytes(&spec->operations[i], &processor, "");
    assert_true(compared >= 60);
    msw_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_large_gpu), cmocka_unit_test(test_corpus), cmocka_unit_test(test_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
