/* What the generator takes for a scan, from spec to text. Bytes that it asks the allocator for stand for its time: they do not depend on the machine,
 * and grow with modules that are parsed, templates that are compiled, texts that are taken apart again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "embedded.h"
#include "program.h"

#include <monosweep/monosweep.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOUND_BYTES = 4250000 }; /* 2.6 million when it was set, 3.6 with the words of sweeps, 4.1 with pipelines; as text 0.6 more */

static void *count_bytes(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    size_t *asked = user;
    *asked += new_bytes > old_bytes ? new_bytes : 0;
    if (new_bytes) return realloc(block, new_bytes);
    free(block);
    return NULL;
}

static void test_a_scan(void **state)
{
    (void)state;
    size_t asked = 0;
    const msw_allocator allocator = {&asked, count_bytes};
    const msw_spec_desc spec_desc = {.struct_size = sizeof spec_desc, .file = MSW_SOURCE_DIR "/examples/affine.lua", .allocator = &allocator};
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA, .arch = "sm_90"};
    msw_spec *spec;
    msw_program *program;
    msw_diag diag;
    assert_int_equal(msw_spec_create(&spec_desc, &spec, &diag), MSW_OK);
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target};
    assert_int_equal(msw_program_create(spec, &desc, &program, &diag), MSW_OK);
    print_message("%zu bytes for %u kernels\n", asked, msw_program_plan(program)->kernel_count);
    msw_program_destroy(program);
    msw_spec_destroy(spec);
    assert_true(asked < BOUND_BYTES);
}

/* Helpers that come as overloads, which call each other, are in kernels that use them alone. */
static void test_unused_overloads(void **state)
{
    const msw_spec_desc spec_desc = {.struct_size = sizeof spec_desc, .text = "return scan { monoid = sum(f64) }"};
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_VULKAN};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target};
    int used = 0;
    msw_spec *spec;
    msw_program *program;
    msw_diag diag;
    (void)state;
    assert_int_equal(msw_spec_create(&spec_desc, &spec, &diag), MSW_OK);
    assert_int_equal(msw_program_create(spec, &desc, &program, &diag), MSW_OK);
    const msw_plan *plan = msw_program_plan(program);
    for (uint32_t k = 0; k < plan->kernel_count; k++) {
        const int is_there = strstr(plan->kernels[k].text, "double double_veiled(double a)\n") != NULL;
        used += is_there;
        if (is_there && !strcmp(plan->kernels[k].entry, "zero_scratch")) fail_msg("%s", plan->kernels[k].text);
    }
    assert_true(used > 0);
    msw_program_destroy(program);
    msw_spec_destroy(spec);
}

/* What one function keeps for several outputs is counted once; an entry of a table is read before the condition that it is a part of. */
static void test_what_is_kept_together(void **state)
{
    const msw_spec_desc spec_desc = {.struct_size = sizeof spec_desc,
                                     .text =
                                         "local class = table_of(u8, { 1, 0, 2, 0, 0 })\n"
                                         "local function is_end(_, x, _, near) return land(ne(x, 0), lor(near.last, eq(class[near.after], 0))) end\n"
                                         "return scan { monoid = sum(u32), outputs = {\n"
                                         "  { 's', keep = is_end, value = function(s) return s end },\n"
                                         "  { 'place', keep = is_end, value = function(_, _, i) return u32(i) end } } }"};
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA, .arch = "sm_90"};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target};
    msw_spec *spec;
    msw_program *program;
    msw_diag diag;
    (void)state;
    assert_int_equal(msw_spec_create(&spec_desc, &spec, &diag), MSW_OK);
    assert_int_equal(msw_program_create(spec, &desc, &program, &diag), MSW_OK);
    const char *text = msw_program_plan(program)->kernels[0].text;
    assert_non_null(strstr(text, "uint kept;"));
    assert_non_null(strstr(text, "u64 s_count;\n    u64 place_count;"));
    assert_null(strstr(text, "place_of_place"));
    assert_non_null(strstr(text, "u8 entry = class_["));
    msw_program_destroy(program);
    msw_spec_destroy(spec);
}

/* Modules and templates are bytecode here, where they run; tables of rows are read as users' are. */
static void test_what_is_embedded(void **state)
{
    (void)state;
    for (const ms_embedded_file *file = ms_embedded_files; file->name; file++) {
        const char *ending = strrchr(file->name, '.');
        const int is_table = strstr(file->name, "/tuning.lua") && strncmp(file->name, "gen/", 4);
        const int is_code = !strcmp(ending, ".tpl") || (!strcmp(ending, ".lua") && !is_table);
        if (is_code != (file->data[0] == '\x1b')) fail_msg("%s is %s", file->name, is_code ? "text" : "bytecode");
    }
}

/* The names that templates define, one a line, found by the build: a function, one whose type is spliced, a struct, a constant, a macro, shared
 * arrays, a buffer. What a line inside a body defines is none, nor what is spliced together. */
static void test_names_of_templates(void **state)
{
    static const char *const names[] = {"block_barrier", "thread_scan", "BlockScan",   "THREAD_BINS",
                                        "UNROLL",        "has_one_bin", "moved_words", "Counters"};
    static const char *const others[] = {"load_", "store_", "bin", "inclusive", "return"};
    const ms_embedded_file *file = ms_embedded_files;
    char line[64];
    (void)state;
    while (file->name && strcmp(file->name, "gen/emit/template_names.txt") != 0) file++;
    assert_non_null(file->name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(line, sizeof line, "\n%s\n", names[i]);
        if (!strstr(file->data, line)) fail_msg("%s is not there", names[i]);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(line, sizeof line, "\n%s\n", others[i]);
        if (strstr(file->data, line)) fail_msg("%s is there", others[i]);
    }
}

/* What a watcher of a program sees, and what it asks for. */
typedef struct sight {
    uint64_t first, emitted; /* kernels, as bits */
    uint32_t last;           /* that it lets be made before it has enough */
    int has_plan, is_amiss;
} sight;

static msw_result see_plan(void *user, msw_program *program, uint64_t *first, msw_diag *diag)
{
    sight *s = user;
    (void)diag;
    for (uint32_t k = 0; k < program->plan.kernel_count; k++) s->is_amiss |= program->plan.kernels[k].text != NULL;
    s->has_plan = 1;
    *first = s->first;
    return MSW_OK;
}

static msw_result see_text(void *user, msw_program *program, uint32_t k, msw_diag *diag)
{
    sight *s = user;
    const uint64_t kernel = UINT64_C(1) << k;
    s->is_amiss |= !s->has_plan || (s->emitted & kernel) || !program->plan.kernels[k].text;
    s->is_amiss |= !(s->first & kernel) && (s->first & ~s->emitted); /* before those that were to come first */
    s->emitted |= kernel;
    if (k != s->last) return MSW_OK;
    snprintf(diag->message, sizeof diag->message, "enough");
    return diag->code = MSW_ERROR_IO;
}

/* Texts come in the order that is asked for, and are the same in every order. A watcher that has enough ends it. */
static void test_watchers(void **state)
{
    const msw_spec_desc spec_desc = {.struct_size = sizeof spec_desc, .text = "return sort { key = u32, value = 'index' }"};
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA, .arch = "sm_90"};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target};
    msw_spec *spec;
    msw_program *program, *watched;
    msw_diag diag;
    (void)state;
    assert_int_equal(msw_spec_create(&spec_desc, &spec, &diag), MSW_OK);
    assert_int_equal(msw_program_create(spec, &desc, &program, &diag), MSW_OK);
    const msw_plan *plan = msw_program_plan(program);
    assert_true(plan->kernel_count > 6);
    const uint64_t all = UINT64_MAX >> (64 - plan->kernel_count);
    const uint64_t sets[] = {0, 1, UINT64_C(1) << 6, UINT64_C(1) << 5 | 2, all};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        sight s = {.first = sets[i], .last = UINT32_MAX};
        const ms_program_watcher watcher = {see_plan, see_text, &s};
        assert_int_equal(ms_program_create(spec, &desc, &watcher, &watched, &diag), MSW_OK);
        assert_false(s.is_amiss);
        assert_true(s.emitted == all);
        for (uint32_t k = 0; k < plan->kernel_count; k++) {
            assert_string_equal(msw_program_plan(watched)->kernels[k].text, plan->kernels[k].text);
            assert_int_equal(msw_program_plan(watched)->kernels[k].features, plan->kernels[k].features);
        }
        assert_string_equal(msw_program_json(watched), msw_program_json(program));
        msw_program_destroy(watched);
    }
    sight s = {.first = 2, .last = 1};
    const ms_program_watcher watcher = {see_plan, see_text, &s};
    assert_int_equal(ms_program_create(spec, &desc, &watcher, &watched, &diag), MSW_ERROR_IO);
    assert_string_equal(diag.message, "enough");
    assert_null(watched);
    assert_true(s.emitted == 2);
    msw_program_destroy(program);
    msw_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_scan),           cmocka_unit_test(test_unused_overloads),   cmocka_unit_test(test_what_is_kept_together),
        cmocka_unit_test(test_what_is_embedded), cmocka_unit_test(test_names_of_templates), cmocka_unit_test(test_watchers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
