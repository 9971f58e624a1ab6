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
    uint64_t end; /* of the parts so far */
} zeroed;

/* A stage has posts up to the end of what is zeroed for it: no other's may lie there. */
static int check_part(void *user, uint32_t kernel, uint32_t blocks, const msw_params *params)
{
    zeroed *z = user;
    const uint64_t start = params->scratch - SCRATCH, end = start + params->n;
    (void)kernel, (void)blocks;
    assert_true(start >= z->end);
    z->end = end;
    return 0;
}

/* ---- what lies where ---- */

enum { MOST_PARTS = 2 * MSW_MAX_STAGES + MSW_MAX_BUFFERS };

/* Of the scratch: its bytes, and the stages from which to which it is needed; what is kept is needed by all. */
typedef struct scratch_part {
    const char *name;
    uint64_t start, bytes;
    uint32_t first, last;
} scratch_part;

static void find_stages(const planned *p, uint32_t array, scratch_part *part)
{
    for (uint32_t s = 0; s < p->whole.stage_count; s++)
        for (uint32_t b = 0; b < MSW_MAX_KERNEL_BUFFERS; b++)
            if (p->whole.stages[s].arrays[b] == array || p->whole.stages[s].counted_by == array + 1) {
                if (s < part->first) part->first = s;
                if (s > part->last) part->last = s;
            }
}

static uint32_t list_parts(const planned *p, const msw_launch_layout *layout, uint64_t n, scratch_part parts[MOST_PARTS])
{
    const msw_plan *plan = &p->whole;
    uint32_t count = 0;
    for (uint32_t s = 0; s < plan->stage_count; s++) {
        const msw_plan_stage *stage = &plan->stages[s];
        parts[count++] = (scratch_part){stage->name, layout->stages[s], msw_launch_stage_bytes(stage, n), 0, UINT32_MAX};
        parts[count++] = (scratch_part){stage->name, layout->places[stage->place], msw_launch_temporary_bytes(stage, n), s, s};
    }
    for (uint32_t b = plan->buffer_count; b < plan->buffer_count + plan->between_count; b++) {
        const msw_plan_buffer *array = &plan->buffers[b];
        scratch_part *part = &parts[count++];
        *part = (scratch_part){array->name, layout->places[array->place], msw_elements(array->length, n) * array->element_bytes, UINT32_MAX, 0};
        find_stages(p, b, part);
    }
    return count;
}

/* The first two that are needed at the same time and share bytes; 0: there are none. */
static int find_overlap(const planned *p, uint64_t n, const char *names[2])
{
    scratch_part parts[MOST_PARTS];
    msw_launch_layout layout;
    msw_launch_lay_out(&p->whole, n, &layout);
    const uint32_t count = list_parts(p, &layout, n, parts);
    for (uint32_t a = 0; a < count; a++) {
        assert_true(parts[a].start + parts[a].bytes <= layout.bytes);
        for (uint32_t b = 0; b < a; b++) {
            const scratch_part *x = &parts[a], *y = &parts[b];
            if (x->first > y->last || y->first > x->last || x->start >= y->start + y->bytes || y->start >= x->start + x->bytes) continue;
            if (!x->bytes || !y->bytes) continue;
            names[0] = y->name;
            names[1] = x->name;
            return 1;
        }
    }
    return 0;
}

static void check_places(const planned *p, uint64_t n)
{
    const char *names[2];
    if (find_overlap(p, n, names)) fail_msg("%s, n = %llu: %s and %s lie in the same place", p->op->name, (unsigned long long)n, names[0], names[1]);
}

static void check_zeroed(const planned *p, uint64_t n)
{
    const uint64_t bytes = msw_launch_scratch(&p->whole, n, 0);
    msw_launch_layout layout;
    zeroed z = {.end = 0};
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

/* A stage has room for what it keeps, and for what it holds while it runs; it keeps all that is not told apart, where anything is zeroed. */
static void check_bytes(const msw_plan_stage *stage, const msw_plan *part, const msw_plan_variant *variant, uint64_t n, uint64_t elements)
{
    const uint32_t tile = part->steps[variant->first_step].tile_items;
    const uint64_t all = msw_launch_variant_scratch(part, variant, elements), tiles = elements / tile + (elements % tile != 0);
    const uint64_t held = part->init_step_count ? variant->temporary_per_tile_bytes * tiles : all;
    assert_true(msw_launch_temporary_bytes(stage, n) >= held);
    assert_true(msw_launch_stage_bytes(stage, n) >= all - held);
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
        check_bytes(&p->whole.stages[s], &p->parts[s], own, n, elements);
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
    for (uint64_t n = 1; n <= 1u << 28 && n <= n_max; n *= 4)
        for (uint64_t less = 0; less < 2; less++) check_zeroed(p, n - less), check_places(p, n - less);
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

static planned *plan_text(const char *text, const msw_target *target, msw_spec **spec)
{
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text};
    planned *p = calloc(1, sizeof *p);
    msw_diag diag;
    assert_non_null(p);
    if (msw_spec_create(&desc, spec, &diag)) fail_msg("%s", diag.message);
    ms_arena_init(&p->arena, NULL, 0);
    p->op = &(*spec)->operations[0];
    make_plan(p, p->op, target, &p->whole);
    for (uint32_t s = 0; s < p->op->pipeline->stage_count; s++) make_plan(p, p->op->pipeline->stages[s].op, target, &p->parts[s]);
    return p;
}

static void free_plan(planned *p, msw_spec *spec)
{
    ms_arena_free(&p->arena);
    free(p);
    msw_spec_destroy(spec);
}

/* Of four sorts one at a time has keys on their way; each has posts of its own. */
static void test_four_sorts(void **state)
{
    static const char text[] = "return pipeline(function(p)\n"
                               "  local x = p.input('x', u32)\n"
                               "  for i = 1, 4 do p.output('s' .. i, p.sort { keys = p.map({ x }, function(v) return v * 5 ~ i end) }) end\n"
                               "end)\n";
    const msw_target *const targets[] = {&cuda, &vulkan};
    (void)state;
    for (int t = 0; t < 2; t++) {
        msw_spec *spec;
        planned *p = plan_text(text, targets[t], &spec);
        assert_int_equal(p->whole.stage_count, 4);
        assert_int_equal(p->whole.between_count, 0);
        for (uint64_t n = 1 << 24; n <= 1 << 28; n *= 4) {
            const uint64_t four = msw_launch_scratch(&p->whole, n, 0), one = msw_launch_scratch(&p->parts[0], n, 0);
            const uint64_t keys = 4 * n, second_arrays = msw_launch_temporary_bytes(&p->whole.stages[0], n);
            assert_true(second_arrays >= keys && second_arrays < keys + keys / 16);
            for (uint32_t s = 1; s < 4; s++) assert_int_equal(p->whole.stages[s].place, p->whole.stages[0].place);
            if (four >= one * 3 / 2)
                fail_msg("n = %llu: four sorts take %llu bytes, one %llu", (unsigned long long)n, (unsigned long long)four, (unsigned long long)one);
        }
        free_plan(p, spec);
    }
}

/* What a stage holds lies where dead arrays do, but in no other place: each that it could be moved to is found to be wrong. */
static void test_planted_overlap(void **state)
{
    static const char text[] = "return pipeline(function(p)\n"
                               "  local x = p.input('x', u32)\n"
                               "  local y = p.map({ x }, function(v) return v * 5 end)\n"
                               "  local z = p.scan { monoid = sum(u32), input = y }\n"
                               "  local sorted = p.sort { keys = z }\n"
                               "  p.output('s', p.map({ sorted, z }, function(a, b) return a ~ b end))\n"
                               "end, { fuse = false })\n";
    enum { Y, Z, SORTED, N = 1 << 20 };
    const char *names[2];
    msw_spec *spec;
    planned *p = plan_text(text, &cuda, &spec);
    msw_plan_buffer *between = &p->whole.buffers[p->whole.buffer_count];
    msw_plan_stage *sort = &p->whole.stages[2];
    (void)state;
    assert_int_equal(p->whole.between_count, 3);
    assert_int_equal(sort->place, between[Y].place);
    assert_int_equal(find_overlap(p, N, names), 0);
    for (uint32_t other = Z; other <= SORTED; other++) {
        sort->place = between[other].place;
        assert_int_equal(find_overlap(p, N, names), 1);
        assert_string_equal(names[0], sort->name);
        assert_string_equal(names[1], between[other].name);
    }
    free_plan(p, spec);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_large_gpu), cmocka_unit_test(test_corpus), cmocka_unit_test(test_bytes),
                                       cmocka_unit_test(test_four_sorts), cmocka_unit_test(test_planted_overlap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
