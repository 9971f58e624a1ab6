/* Geometries (gen/plan/geometry.c): what planners choose can be emitted, and what the user chose is followed by what the user did not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <monosweep/monosweep.h>

#include <stdio.h>
#include <string.h>

enum { STATES = 16 };

/* A state of 1 to 16 bytes, inputs of 2 and 4, outputs of 1, 8 and 12, for each element or packed: the widest decides over a lane's group of items,
 * and all must have whole words in it. */
static const char cross[] =
    "local function state(size)\n"
    "    local fields, zeros = {}, {}\n"
    "    for i = 1, size do fields[i], zeros[i] = { 'c' .. i, u8 }, 0 end\n"
    "    local T = struct('S' .. size)(fields)\n"
    "    return monoid { type = T, identity = T(table.unpack(zeros)), laws = 'trusted', combine = function(a, b)\n"
    "        local sums = {}\n"
    "        for i = 1, size do sums[i] = a['c' .. i] + b['c' .. i] end\n"
    "        return T(table.unpack(sums))\n"
    "    end }\n"
    "end\n"
    "local inputs = { u16, u32 }\n"
    "local outputs = { function(x) return x end, function(x) return u64(x) end, function(x) return vec(u32, 3)(u32(x), 0, 0) end }\n"
    "local list = {}\n"
    "local m = state(SIZE)\n"
    "for i, input in ipairs(inputs) do\n"
    "    for o, output in ipairs(outputs) do\n"
    "        for _, keep in ipairs { false, function(s) return ne(s.c1, 0) end } do\n"
    "            list[#list + 1] = scan { name = 'op' .. #list, monoid = m, input = input, map = function()\n"
    "                local ones = {}\n"
    "                for f = 1, SIZE do ones[f] = 1 end\n"
    "                return m.type(table.unpack(ones))\n"
    "            end, outputs = { { 'y', value = function(s) return output(s.c1) end, keep = keep or nil } } }\n"
    "        end\n"
    "    end\n"
    "end\n"
    "return list\n";

static msw_spec *spec_of(const char *text)
{
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text};
    msw_spec *spec;
    msw_diag diag;
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
    return spec;
}

/* Every combination of sizes is emitted for every target. */
static void test_sizes(void **state)
{
    static const msw_target targets[] = {{.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_VULKAN},
                                         {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_CUDA, .arch = "sm_90"}};
    char text[sizeof cross + 32];
    (void)state;
    for (int size = 1; size <= STATES; size++) {
        snprintf(text, sizeof text, "local SIZE <const> = %d\n%s", size, cross);
        msw_spec *spec = spec_of(text);
        for (uint32_t i = 0; i < msw_spec_op_count(spec); i++)
            for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
                const msw_program_desc desc = {.struct_size = sizeof desc, .target = &targets[t], .op = i};
                msw_program *program;
                msw_diag diag;
                if (msw_program_create(spec, &desc, &program, &diag)) fail_msg("state of %d bytes, target %zu: %s", size, t, diag.message);
                msw_program_destroy(program);
            }
        msw_spec_destroy(spec);
    }
}

/* `blocks` is obeyed by every launch but that which zeroes the scratch; on llvmpipe, where blocks with nothing to do cost much, few look for segments
 * that may be many more than items. There a block sorts a bucket or two, whatever the knob is: its loops are short. */
static void test_blocks(void **state)
{
    static const char text[] = "return { segmented_reduce { name = 'a', segments = 'offsets', monoid = sum(f32) },\n"
                               "segmented_scan { name = 'b', segments = 'offsets', monoid = sum(f32) }, scan { name = 'c', monoid = sum(u32) },\n"
                               "compact { name = 'd', input = u32, keep = function(x) return ne(x, 0) end },\n"
                               "map { name = 'e', input = u32, output = function(x) return x end },\n"
                               "sort { name = 'f', key = u32, tune = { strategy = 'onesweep' } },\n"
                               "sort { name = 'g', key = u32, tune = { strategy = 'msd_hybrid' } },\n"
                               "sort { name = 'h', key = u32, value = u32, tune = { strategy = 'msd_hybrid' } },\n"
                               "sort { name = 'i', key = u8 }, sort { name = 'j', key = u16, tune = { strategy = 'counting' } } }\n";
    const uint32_t llvmpipe = ~(uint32_t)(MSW_FEATURE_LONG_LOOPS | MSW_FEATURE_UNIFORM_CONTROL_FLOW);
    const msw_target targets[] = {{.struct_size = sizeof *targets, .backend = MSW_BACKEND_VULKAN, .has_features = 1, .features = llvmpipe},
                                  {.struct_size = sizeof *targets, .backend = MSW_BACKEND_CUDA, .arch = "sm_90"}};
    const msw_knob knob = {"blocks", "4"};
    (void)state;
    msw_spec *spec = spec_of(text);
    for (uint32_t c = 0; c < 4 * msw_spec_op_count(spec); c++) {
        const msw_program_desc desc = {.struct_size = sizeof desc, .target = &targets[c & 1], .op = c / 4, .knobs = &knob, .knob_count = c >> 1 & 1};
        msw_program *program;
        msw_diag diag;
        if (msw_program_create(spec, &desc, &program, &diag)) fail_msg("operation %u: %s", c / 4, diag.message);
        const msw_plan *plan = msw_program_plan(program);
        for (uint32_t s = 0; s < plan->step_count; s++) {
            const msw_plan_step *step = &plan->steps[s];
            const char *entry = plan->kernels[step->kernel].entry;
            if (!(c & 1) && (!strcmp(entry, "sort_local") || !strcmp(entry, "sort_listed"))) continue;
            if (desc.knob_count && step->max_blocks > 4 && !strstr(entry, "zero_scratch"))
                fail_msg("operation %u: %s in %u blocks", c / 4, entry, step->max_blocks);
            if (!desc.knob_count && strstr(entry, "find_segments")) assert_int_equal(step->max_blocks, c & 1 ? 1024 : 64);
        }
        msw_program_destroy(program);
    }
    msw_spec_destroy(spec);
}

/* A knob that the user leaves out follows those that are set; what does not fit is told in the user's words, and what is advised fits. */
static void test_given(void **state)
{
    static const char text[] =
        "return { scan { name = 'words', monoid = sum(f32) }, compact { name = 'bytes', input = u8, keep = function(x) return ne(x, 0) end },\n"
        "map { name = 'map', input = u16, output = function(x) return x end }, scan { name = 'tuned', monoid = sum(f32), tune = { items = 2 } } }\n";
    static const struct {
        const char *op, *items, *vector, *fault;
    } cases[] = {
        {"words", "1", NULL, NULL},
        {"words", "2", NULL, NULL},
        {"words", "6", NULL, NULL},
        {"words", NULL, "1", NULL},
        {"words", NULL, "3", NULL},
        {"words", NULL, "64", NULL},
        {"tuned", NULL, NULL, NULL},
        {"words", "2", "4",
         "words: items is not a multiple of vector; choose such items (refused: block 256, subgroup 32, items 2 of 4 bytes, vector 4, blocks 256)"},
        {"bytes", "12", NULL, NULL},
        {"bytes", "2", NULL, "items and vector must be multiples of 4"},
        {"bytes", "2", "1", "items and vector must be multiples of 4"},
        {"bytes", "4", "1", "items and vector must be multiples of 4"},
        {"bytes", "4", "4", NULL},
        {"map", "2", NULL, NULL},
        {"map", "3", NULL, "items and vector must be even"}};
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_VULKAN};
    (void)state;
    msw_spec *spec = spec_of(text);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        msw_knob knobs[2];
        uint32_t count = 0;
        if (cases[c].items) knobs[count++] = (msw_knob){"items", cases[c].items};
        if (cases[c].vector) knobs[count++] = (msw_knob){"vector", cases[c].vector};
        const msw_program_desc desc = {
            .struct_size = sizeof desc, .target = &target, .op = (uint32_t)msw_spec_find(spec, cases[c].op), .knobs = knobs, .knob_count = count};
        msw_program *program = NULL;
        msw_diag diag = {.message = ""};
        const msw_result result = msw_program_create(spec, &desc, &program, &diag);
        if (!result != !cases[c].fault || (result && !strstr(diag.message, cases[c].fault))) fail_msg("case %zu: %s", c, diag.message);
        msw_program_destroy(program);
    }
    msw_spec_destroy(spec);
}

/* What narrow launches write at the end of the scratch, wide ones leave alone: an append's parts of large tiles could be taken for posts. */
static void check_wide(const msw_plan *plan)
{
    const msw_plan_variant *narrow = NULL;
    for (uint32_t v = 0; v < plan->variant_count; v++) {
        const msw_plan_variant *variant = &plan->variants[v];
        const msw_plan_step *steps = &plan->steps[variant->first_step];
        if (!strcmp(plan->kernels[steps[variant->step_count - 1].kernel].entry, "expand_parts")) narrow = variant;
        if (!strstr(plan->kernels[steps[0].kernel].entry, "_wide")) continue;
        assert_non_null(narrow);
        if (variant->scratch_base_bytes < narrow->scratch_base_bytes || variant->scratch_per_tile_bytes < narrow->scratch_per_tile_bytes)
            fail_msg("%s: the wide form has %llu bytes of scratch and %llu a tile, the narrow one %llu and %llu", plan->name,
                     (unsigned long long)variant->scratch_base_bytes, (unsigned long long)variant->scratch_per_tile_bytes,
                     (unsigned long long)narrow->scratch_base_bytes, (unsigned long long)narrow->scratch_per_tile_bytes);
    }
}

static void test_wide(void **state)
{
    static const char text[] =
        "local function item(x, i, k) return u8(x) + u8(k) end\n"
        "local function length(x) return u32(x & 3) end\n"
        "return { append { name = 'room', input = u8, capacity = 2147483647, length = length, item = item },\n"
        "append { name = 'all', input = u8, length = length, item = item },\n"
        "append { name = 'large', input = u8, length = length, item = function(x, i, k) return vec(u64, 4)(u64(x), i, u64(k), 1) end },\n"
        "append { name = 'any', input = u8, order = 'any', length = length, item = item } }\n";
    static const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA, .arch = "sm_90"};
    static const char *const strategies[] = {NULL, "lookback", "chained_scan", "reduce_then_scan", "block_atomic"};
    (void)state;
    msw_spec *spec = spec_of(text);
    for (uint32_t c = 0; c < 5 * msw_spec_op_count(spec); c++) {
        const msw_knob knob = {"strategy", strategies[c % 5]};
        const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target, .op = c / 5, .knobs = &knob, .knob_count = c % 5 != 0};
        msw_program *program;
        msw_diag diag;
        if (c % 5 == 4 && c / 5 != 3) continue; /* it is of any order */
        if (msw_program_create(spec, &desc, &program, &diag)) fail_msg("%s", diag.message);
        assert_true(msw_program_plan(program)->variants[msw_program_plan(program)->variant_count - 1].n_max > UINT32_MAX);
        check_wide(msw_program_plan(program));
        msw_program_destroy(program);
    }
    msw_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes), cmocka_unit_test(test_blocks), cmocka_unit_test(test_given),
                                       cmocka_unit_test(test_wide)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
