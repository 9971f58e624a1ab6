/* Any text as a user's tuning table, for a scan, a sort and a reduction on several targets; where it is one they are planned by it, and tune writes
 * it anew with a row more. */
#include "complaint.h"
#include "outcome.h"
#include "words.h"

#include "cli/pages.h"
#include "program.h"

static const msw_target targets[] = {
    {.struct_size = sizeof(msw_target),
     .backend = MSW_BACKEND_CUDA,
     .subgroup_size = 32,
     .max_block_threads = 1024,
     .max_block_subgroups = 32,
     .shared_bytes = 227 << 10,
     .max_blocks = INT32_MAX,
     .compute_units = 132,
     .features = 0xff,
     .has_features = 1,
     .arch = "sm_90"},
    {.struct_size = sizeof(msw_target),
     .backend = MSW_BACKEND_VULKAN,
     .subgroup_size = 8,
     .max_block_threads = 1024,
     .max_block_subgroups = 32,
     .shared_bytes = 32 << 10,
     .max_blocks = 65535,
     .compute_units = 4,
     .features = 0xff,
     .has_features = 1,
     .arch = "lavapipe"},
};
enum { OPERATIONS = 3, TARGETS = sizeof targets / sizeof targets[0] };

static const msw_spec *read_spec(void)
{
    const msw_spec_desc desc = {
        .struct_size = sizeof desc,
        .text = "return { scan { name = 'a', monoid = sum(u32) }, sort { name = 'b', key = u32, value = u32 }, reduce { name = 'c', "
                "monoid = sum(u64) } }"};
    msw_spec *spec;
    if (msw_spec_create(&desc, &spec, NULL) || msw_spec_op_count(spec) != OPERATIONS) abort();
    return spec;
}

/* What tune writes is a table that tune reads. */
static void rewrite(const char *table)
{
    static const char *const names[] = {"mine.lua", "row"};
    const char *texts[] = {table, "row { backend = \"cuda\", arch = \"sm_90\", class = \"scan\", bytes = { 4, 8 }, knobs = { items = 8 } }"};
    char *made = NULL, *rows = NULL;
    size_t bytes = 0;
    if (ms_lua_make("gen/cli/measure/tuning_file.lua", "replace", names, texts, 2, MS_EXIT_FAILED, &made, &bytes)) {
        if (strncmp(complaint, "mine.lua:", 9) || !strstr(complaint, "; ")) abort();
        return;
    }
    if (strlen(made) != bytes) abort();
    if (ms_lua_make("gen/cli/measure/tuning_file.lua", "check", names, (const char *const[]){made}, 1, MS_EXIT_FAILED, &rows, &bytes)) abort();
    free(rows);
    free(made);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    static const msw_spec *spec; /* kept */
    const ms_operation *op;
    const msw_target *target = &targets[bytes / OPERATIONS % TARGETS];
    ms_kernel_shape shapes[MSW_MAX_KERNELS];
    ms_arena arena;
    ms_tuning tuning;
    msw_plan plan = {0};
    msw_diag diag = {0};
    char *text = malloc(bytes + 1);
    if (!text) abort();
    if (!spec) spec = read_spec();
    op = &spec->operations[bytes % OPERATIONS];
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    ms_arena_init(&arena, NULL, 0);
    const ms_tuning_class class_ = ms_plan_class(op, target, MS_TARGET_DEVICE);
    msw_result result = ms_tuning_find(&arena, &class_, target, NULL, "table", text, &tuning, &diag);
    expect_outcome(result, &diag);
    if (!result && !(result = ms_plan(&arena, op, target, MS_TARGET_DEVICE, NULL, 0, &tuning, &plan, shapes, &diag)))
        diag.code = MSW_OK; /* that of a row which did not fit, and was left out, may be there */
    expect_outcome(result, &diag);
    rewrite(text);
    ms_arena_free(&arena);
    if (arena.used_bytes) abort();
    free(text);
    return 0;
}
