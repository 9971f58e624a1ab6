/* README's table of which strategy sorts by default, from which n on: it is what plans say. `test_defaults --write` writes it anew. */
#include "cli_driver.h"

#include <monosweep/monosweep.h>

#include <math.h>

static const char begin[] = "<!-- defaults: made by test_defaults --write -->\n", end[] = "<!-- end of defaults -->\n";

enum { TABLE_BYTES = 8192 };

static const struct {
    const char *keys, *value, *spec;
} rows[] = {
    {"u8, i8", "none", "return sort { key = u8 }"},
    {"u16, i16, f16", "none", "return sort { key = u16 }"},
    {"u32, i32, f32", "none", "return sort { key = u32 }"},
    {"u64, i64, f64", "none", "return sort { key = u64 }"},
    {"two u64", "none", "return sort { key = key { type = struct 'Wide' { {'high', u64}, {'low', u64} }, by = { {'high'}, {'low'} } } }"},
    {"u16, i16, f16", "4 bytes", "return sort { key = u16, value = u32 }"},
    {"u32, i32, f32", "4 bytes", "return sort { key = u32, value = u32 }"},
    {"u32, i32, f32", "`\"index\"`", "return sort { key = u32, value = 'index' }"},
    {"u32, i32, f32", "8 bytes", "return sort { key = u32, value = u64 }"},
    {"u64, i64, f64", "4 bytes", "return sort { key = u64, value = u32 }"},
    {"u64, i64, f64", "`\"index\"`", "return sort { key = u64, value = 'index' }"},
    {"u64, i64, f64", "8 bytes", "return sort { key = u64, value = u64 }"},
    {"the splats: 46 bits of two fields", "`\"index\"`",
     "return sort { value = 'index', key = key { type = struct 'Splat' { {'tile', u32}, {'depth', f32} },\n"
     "  by = { {'tile', bits = 14}, {'depth'} } } }"},
};

/* An H100 by CUDA, and NVIDIA's GPUs by Vulkan. */
static const msw_target targets[] = {
    {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_CUDA, .arch = "sm_90"},
    {.struct_size = sizeof(msw_target),
     .backend = MSW_BACKEND_VULKAN,
     .subgroup_size = 32,
     .max_block_threads = 1024,
     .max_block_subgroups = 32,
     .shared_bytes = 49152,
     .max_blocks = INT32_MAX,
     .compute_units = 132,
     .progress = MSW_PROGRESS_PARALLEL,
     .arch = "nvidia"},
};

static void add_power(char *text, uint64_t n)
{
    char power[32];
    snprintf(power, sizeof power, "%.1f", log2((double)n));
    if (strchr(power, '.')[1] == '0') *strchr(power, '.') = '\0';
    sprintf(text + strlen(text), "2^%s", power);
}

/* Where a strategy sorts, "2^22 to 2^30", not in place. */
static void add_range(char *text, const msw_plan *plan, const char *strategy)
{
    uint64_t from = UINT64_MAX, to = 0, last = 0;
    for (uint32_t v = 0; v < plan->variant_count; v++) {
        const msw_plan_variant *variant = &plan->variants[v];
        if (variant->is_ping_pong || variant->n_max <= last) continue;
        if (!strcmp(variant->strategy, strategy)) {
            if (from == UINT64_MAX) from = last + 1;
            else assert_int_equal(to, last); /* one range */
            to = variant->n_max;
        }
        last = variant->n_max;
    }
    strcat(text, " | ");
    if (from == UINT64_MAX) return;
    if (to == last) strcat(text, "from ");
    add_power(text, from);
    if (to < last) strcat(text, " to "), add_power(text, to);
}

static void add_row(char *text, size_t r)
{
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = rows[r].spec};
    msw_spec *spec;
    msw_diag diag;
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
    sprintf(text + strlen(text), "| %s | %s", rows[r].keys, rows[r].value);
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        const msw_program_desc program_desc = {.struct_size = sizeof program_desc, .target = &targets[t]};
        msw_program *program;
        if (msw_program_create(spec, &program_desc, &program, &diag)) fail_msg("%s", diag.message);
        if (targets[t].backend == MSW_BACKEND_CUDA) add_range(text, msw_program_plan(program), "single_cluster");
        add_range(text, msw_program_plan(program), "msd_hybrid");
        add_range(text, msw_program_plan(program), "counting");
        msw_program_destroy(program);
    }
    strcat(text, " |\n");
    msw_spec_destroy(spec);
}

static void make_table(char text[TABLE_BYTES])
{
    strcpy(text,
           "| keys | values | `single_cluster`, CUDA, sm_90 | `msd_hybrid`, CUDA, sm_90 | `counting`, CUDA, sm_90 | `msd_hybrid`, Vulkan, NVIDIA | "
           "`counting`, Vulkan, NVIDIA |\n"
           "|---|---|---|---|---|---|---|\n");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        assert_true(strlen(text) < TABLE_BYTES - 512);
        add_row(text, r);
    }
}

/* What stands between the marks; *rest: from the end mark on. */
static char *find_table(char *readme, char **rest)
{
    char *table = readme ? strstr(readme, begin) : NULL;
    *rest = table ? strstr(table, end) : NULL;
    if (!*rest) fail_msg("README.md: no %s", begin);
    return table + strlen(begin);
}

static void test_table(void **state)
{
    char made[TABLE_BYTES], *rest;
    (void)state;
    make_table(made);
    cli_file readme = load_file(MSW_SOURCE_DIR "/README.md");
    char *table = find_table(readme.data, &rest);
    if (strlen(made) != (size_t)(rest - table) || memcmp(made, table, strlen(made)) != 0)
        fail_msg("README.md: the table of default strategies is not that of the plans; build/tests/test_defaults --write makes it anew:\n%s", made);
    free(readme.data);
}

static void write_table(void **state)
{
    char made[TABLE_BYTES], *rest;
    (void)state;
    make_table(made);
    cli_file readme = load_file(MSW_SOURCE_DIR "/README.md");
    char *table = find_table(readme.data, &rest);
    FILE *file = fopen(MSW_SOURCE_DIR "/README.md", "wb");
    assert_non_null(file);
    assert_true(fprintf(file, "%.*s%s%s", (int)(table - readme.data), readme.data, made, rest) > 0);
    assert_int_equal(fclose(file), 0);
    free(readme.data);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table)}, writing[] = {cmocka_unit_test(write_table)};
    const int writes = count == 2 && !strcmp(arguments[1], "--write");
    return writes ? cmocka_run_group_tests(writing, NULL, NULL) : cmocka_run_group_tests(tests, NULL, NULL);
}
