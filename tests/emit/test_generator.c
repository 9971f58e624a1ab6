/* What the generator takes for a scan, from spec to text. Bytes that it asks the allocator for stand for its time: they do not depend on the machine,
 * and grow with modules that are parsed, templates that are compiled, texts that are taken apart again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "embedded.h"

#include <monosweep/monosweep.h>
#include <stdlib.h>
#include <string.h>

enum { BOUND_BYTES = 3500000 }; /* 2.6 million when it was set; with everything embedded as text 4.2 */

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_scan), cmocka_unit_test(test_what_is_embedded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
