/* Plans that are not what the generator made: every count, index and size wrong in turn, foreign and cut ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../runtime/objects.h"
#include "test_device.h"

static msw_context *vulkan, *host;
static int validation_messages;
static msw_program *program; /* a scan for that Vulkan device */

static void check(msw_result result, const msw_diag *diag)
{
    if (result != MSW_OK) fail_msg("%s: %s", msw_result_text(result), diag->message);
}

static msw_context *open_device(const char *id)
{
    const msw_context_desc desc = watched_context(id, &validation_messages);
    msw_context *context;
    msw_diag diag;
    check(msw_context_create(&desc, &context, &diag), &diag);
    return context;
}

static int open_all(void **state)
{
    const msw_spec_desc read = {.struct_size = sizeof read, .text = "return scan { monoid = sum(u32) }"};
    msw_program_desc desc = {.struct_size = sizeof desc};
    msw_spec *spec;
    msw_diag diag;
    (void)state;
    vulkan = open_device("vulkan");
    host = open_device("host");
    desc.target = &msw_context_device(vulkan)->target;
    check(msw_spec_create(&read, &spec, &diag), &diag);
    check(msw_program_create(spec, &desc, &program, &diag), &diag);
    check(msw_program_compile(program, &diag), &diag);
    check(msw_program_compile(program, &diag), &diag); /* again: nothing is left to do */
    msw_spec_destroy(spec);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    msw_program_destroy(program);
    msw_context_destroy(vulkan);
    msw_context_destroy(host);
    return 0;
}

/* The plan is refused with a code and a message; no kernel comes of it. Neither where its texts could be compiled, if there were any. */
static void refuse(msw_context *context, const msw_plan *plan, const char *what, msw_result code, const char *words)
{
    msw_kernel *kernel = (msw_kernel *)&vulkan;
    msw_diag diag;
    memset(&diag, 0x5a, sizeof diag);
    const msw_result result = msw_kernel_load(context, plan, &kernel, &diag);
    if (result == MSW_OK) fail_msg("%s: loaded", what);
    if (code && result != code) fail_msg("%s: %s: %s", what, msw_result_text(result), diag.message);
    assert_int_equal(diag.code, result);
    assert_null(kernel);
    if (!diag.message[0] || !strstr(diag.message, words)) fail_msg("%s: '%s' does not say '%s'", what, diag.message, words);
    if (!context || !plan) return;
    msw_plan textless = *plan;
    msw_diag other;
    for (uint32_t k = 0; k < MSW_MAX_KERNELS; k++) textless.kernels[k].text = NULL;
    assert_int_equal(msw_kernel_create(context, &(msw_kernel_desc){.struct_size = sizeof(msw_kernel_desc), .plan = &textless}, &kernel, &other),
                     result);
    assert_null(kernel);
    assert_string_equal(other.message, diag.message);
}

static msw_plan whole(void) { return *msw_program_plan(program); }

static void test_it_loads(void **state)
{
    const msw_plan plan = whole();
    msw_kernel *kernel;
    msw_diag diag;
    (void)state;
    check(msw_kernel_load(vulkan, &plan, &kernel, &diag), &diag);
    assert_int_equal(diag.code, MSW_OK);
    const msw_plan *kept = msw_kernel_plan(kernel);
    assert_string_equal(kept->name, plan.name);
    assert_ptr_not_equal(kept->name, plan.name);
    assert_ptr_not_equal(kept->kernels[0].entry, plan.kernels[0].entry);
    assert_null(kept->kernels[0].code);
    msw_kernel_destroy(kernel);
}

#define FIELD(member, value, code, words)                         \
    do {                                                          \
        msw_plan plan = whole();                                  \
        plan.member = (value);                                    \
        refuse(vulkan, &plan, #member " = " #value, code, words); \
    } while (0)

static void test_counts(void **state)
{
    (void)state;
    FIELD(format, 0, MSW_ERROR_VERSION, "generate it again");
    FIELD(format, MSW_PLAN_FORMAT + 1, MSW_ERROR_VERSION, "generate it again");
    FIELD(backend, MSW_BACKEND_CUDA, MSW_ERROR_UNSUPPORTED, "another backend");
    FIELD(backend, MSW_BACKEND_HOST, MSW_ERROR_UNSUPPORTED, "another backend");
    FIELD(backend, 1000, MSW_ERROR_UNSUPPORTED, "another backend");
    FIELD(name, NULL, MSW_ERROR_INVALID_ARGUMENT, "has no name");
    FIELD(buffer_count, MSW_MAX_BUFFERS + 1, MSW_ERROR_INVALID_ARGUMENT, "a count is out of range");
    FIELD(buffer_count, UINT32_MAX, MSW_ERROR_INVALID_ARGUMENT, "a count is out of range");
    FIELD(buffer_count, MSW_MAX_KERNEL_BUFFERS + 1, MSW_ERROR_INVALID_ARGUMENT, "a count is out of range");
    FIELD(buffer_count, MSW_MAX_KERNEL_BUFFERS, MSW_ERROR_INVALID_ARGUMENT, "a buffer has no name");
    FIELD(between_count, 1, MSW_ERROR_INVALID_ARGUMENT, "a count is out of range");
    FIELD(stage_count, MSW_MAX_STAGES + 1, MSW_ERROR_INVALID_ARGUMENT, "a count is out of range");
    FIELD(stage_count, 1, MSW_ERROR_INVALID_ARGUMENT, "a stage has no name");
    FIELD(kernel_count, MSW_MAX_KERNELS + 1, MSW_ERROR_INVALID_ARGUMENT, "a count is out of range");
    FIELD(kernel_count, UINT32_MAX, MSW_ERROR_INVALID_ARGUMENT, "a count is out of range");
    FIELD(kernel_count, 0, MSW_ERROR_INVALID_ARGUMENT, "a step has no kernel");
    FIELD(kernel_count, MSW_MAX_KERNELS, MSW_ERROR_INVALID_ARGUMENT, "has no code");
    FIELD(step_count, MSW_MAX_STEPS + 1, MSW_ERROR_INVALID_ARGUMENT, "a count is out of range");
    FIELD(step_count, UINT32_MAX, MSW_ERROR_INVALID_ARGUMENT, "a count is out of range");
    FIELD(step_count, 0, MSW_ERROR_INVALID_ARGUMENT, "out of range");
    FIELD(variant_count, MSW_MAX_VARIANTS + 1, MSW_ERROR_INVALID_ARGUMENT, "a count is out of range");
    FIELD(variant_count, UINT32_MAX, MSW_ERROR_INVALID_ARGUMENT, "a count is out of range");
    FIELD(variant_count, 0, MSW_ERROR_INVALID_ARGUMENT, "no variant");
    FIELD(variant_count, MSW_MAX_VARIANTS, MSW_ERROR_INVALID_ARGUMENT, "variant");
    FIELD(init_step_count, whole().step_count, MSW_ERROR_INVALID_ARGUMENT, "out of range");
    FIELD(init_step_count, whole().step_count + 1, MSW_ERROR_INVALID_ARGUMENT, "out of range");
    FIELD(init_step_count, UINT32_MAX, MSW_ERROR_INVALID_ARGUMENT, "out of range");
    FIELD(scratch_alignment_bytes, 0, MSW_ERROR_INVALID_ARGUMENT, "alignment");
    FIELD(scratch_alignment_bytes, 24, MSW_ERROR_INVALID_ARGUMENT, "alignment");
}

static void test_stages(void **state)
{
    (void)state;
    msw_plan plan = whole();
    plan.stage_count = 1;
    plan.stages[0] = (msw_plan_stage){.name = "s", .length = MSW_LENGTH_COUNTED, .scratch_tile_items = 1, .temporary_tile_items = 1};
    refuse(vulkan, &plan, "length", MSW_ERROR_INVALID_ARGUMENT, "a stage has no number of elements");
    plan.stages[0].length = MSW_LENGTH_FIXED;
    refuse(vulkan, &plan, "length", MSW_ERROR_INVALID_ARGUMENT, "a stage has no number of elements");
}

static void test_members(void **state)
{
    (void)state;
    FIELD(buffers[0].name, NULL, MSW_ERROR_INVALID_ARGUMENT, "a buffer has no name");
    FIELD(buffers[1].element_bytes, 0, MSW_ERROR_INVALID_ARGUMENT, "a buffer has no name");
    FIELD(buffers[0].alignment_bytes, 0, MSW_ERROR_INVALID_ARGUMENT, "alignment");
    FIELD(buffers[0].alignment_bytes, 3, MSW_ERROR_INVALID_ARGUMENT, "alignment");
    FIELD(buffers[1].length, 3, MSW_ERROR_INVALID_ARGUMENT, "a buffer");
    FIELD(buffers[1].length, MSW_LENGTH_FIXED, MSW_ERROR_INVALID_ARGUMENT, "a buffer");
    FIELD(kernels[0].entry, NULL, MSW_ERROR_INVALID_ARGUMENT, "has no code");
    FIELD(kernels[1].code, NULL, MSW_ERROR_INVALID_ARGUMENT, "compile the plan's texts");
    FIELD(kernels[0].code_bytes, 0, MSW_ERROR_INVALID_ARGUMENT, "SPIR-V");
    FIELD(kernels[0].block_threads, 0, MSW_ERROR_INVALID_ARGUMENT, "geometry");
    FIELD(kernels[0].block_threads, UINT32_MAX, MSW_ERROR_UNSUPPORTED, "threads");
    FIELD(kernels[0].subgroup_size, 0, MSW_ERROR_INVALID_ARGUMENT, "geometry");
    FIELD(kernels[0].subgroup_size, 3, MSW_ERROR_UNSUPPORTED, "subgroups");
    FIELD(kernels[0].subgroup_size, 2, MSW_ERROR_UNSUPPORTED, "subgroups");
    FIELD(kernels[0].subgroup_size, 1u << 31, MSW_ERROR_UNSUPPORTED, "subgroups");
    FIELD(kernels[0].shared_bytes, UINT32_MAX, MSW_ERROR_UNSUPPORTED, "shared memory");
    FIELD(kernels[0].features, UINT32_MAX, MSW_ERROR_UNSUPPORTED, "needs");
    FIELD(steps[0].kernel, whole().kernel_count, MSW_ERROR_INVALID_ARGUMENT, "a step has no kernel");
    FIELD(steps[1].kernel, UINT32_MAX, MSW_ERROR_INVALID_ARGUMENT, "a step has no kernel");
    FIELD(steps[0].tile_items, 0, MSW_ERROR_INVALID_ARGUMENT, "tile");
    FIELD(steps[0].joined, whole().step_count, MSW_ERROR_INVALID_ARGUMENT, "not there");
    FIELD(steps[0].joined, UINT32_MAX, MSW_ERROR_INVALID_ARGUMENT, "not there");
    FIELD(steps[0].repeats, UINT32_MAX, MSW_ERROR_INVALID_ARGUMENT, "too often");
    FIELD(steps[0].max_blocks, 0, MSW_ERROR_INVALID_ARGUMENT, "blocks");
    FIELD(steps[0].least_blocks, whole().steps[0].max_blocks + 1, MSW_ERROR_INVALID_ARGUMENT, "at least");
    FIELD(steps[1].max_blocks, UINT32_MAX, MSW_ERROR_UNSUPPORTED, "blocks");
    FIELD(variants[0].first_step, whole().step_count, MSW_ERROR_INVALID_ARGUMENT, "out of range");
    FIELD(variants[1].first_step, UINT32_MAX, MSW_ERROR_INVALID_ARGUMENT, "out of range");
    FIELD(variants[0].step_count, 0, MSW_ERROR_INVALID_ARGUMENT, "out of range");
    FIELD(variants[1].step_count, whole().step_count + 1, MSW_ERROR_INVALID_ARGUMENT, "out of range");
    FIELD(variants[1].step_count, UINT32_MAX, MSW_ERROR_INVALID_ARGUMENT, "out of range");
    FIELD(variants[0].n_max, UINT64_MAX, MSW_ERROR_INVALID_ARGUMENT, "below");
    FIELD(variants[1].n_max, 0, MSW_ERROR_INVALID_ARGUMENT, "below");
    FIELD(variants[0].strategy, NULL, MSW_ERROR_INVALID_ARGUMENT, "variant");
    FIELD(variants[1].scratch_base_bytes, UINT64_MAX, MSW_ERROR_INVALID_ARGUMENT, "scratch");
    FIELD(variants[1].scratch_per_block_bytes, UINT64_MAX, MSW_ERROR_INVALID_ARGUMENT, "scratch");
    FIELD(variants[1].scratch_per_block_bytes, UINT64_MAX / 2, MSW_ERROR_INVALID_ARGUMENT, "scratch");
    FIELD(variants[1].scratch_per_tile_bytes, UINT64_MAX, MSW_ERROR_INVALID_ARGUMENT, "scratch");
}

/* A plan whose first variant is one cluster, as Vulkan's are not; it is refused for what is wrong with it all the same. */
static msw_plan with_cluster(void)
{
    msw_plan plan = whole();
    const uint32_t k = plan.steps[plan.variants[0].first_step].kernel;
    plan.kernels[k].cluster_blocks = 16;
    for (uint32_t s = 0; s < plan.step_count; s++)
        if (plan.steps[s].kernel == k) plan.steps[s].least_blocks = plan.steps[s].max_blocks = 16;
    return plan;
}

static void test_clusters(void **state)
{
    msw_plan plan = with_cluster();
    msw_plan_step *step = &plan.steps[plan.variants[0].first_step];
    msw_plan_kernel *kernel = &plan.kernels[step->kernel];
    msw_kernel *loaded;
    msw_diag diag;
    (void)state;
    check(msw_kernel_load(vulkan, &plan, &loaded, &diag), &diag); /* the next variant serves */
    msw_kernel_destroy(loaded);
    for (uint32_t most = 15; most <= 16; most++) { /* what is needed is what is launched */
        const msw_plan_variant *variant = &plan.variants[most == 15];
        uint64_t needed = 0, expected = 0;
        check(ms_kernels_for(&plan, 1, 0, most, &needed, &diag), &diag);
        for (uint32_t s = 0; s < variant->step_count; s++) expected |= UINT64_C(1) << plan.steps[variant->first_step + s].kernel;
        for (uint32_t s = plan.step_count - plan.init_step_count; s < plan.step_count; s++) expected |= UINT64_C(1) << plan.steps[s].kernel;
        assert_true(needed == expected);
    }
    kernel->is_cooperative = 1;
    refuse(vulkan, &plan, "cooperative", MSW_ERROR_INVALID_ARGUMENT, "a cluster is launched cooperatively");
    kernel->is_cooperative = 0;
    step->least_blocks = 15;
    refuse(vulkan, &plan, "fewer", MSW_ERROR_INVALID_ARGUMENT, "other blocks than those of its kernel's cluster");
    step->least_blocks = 16, step->max_blocks = 17;
    refuse(vulkan, &plan, "more", MSW_ERROR_INVALID_ARGUMENT, "other blocks than those of its kernel's cluster");
    step->least_blocks = step->max_blocks = kernel->cluster_blocks = 17;
    refuse(vulkan, &plan, "too many", MSW_ERROR_INVALID_ARGUMENT, "a kernel's cluster has too many blocks");
    plan = with_cluster();
    plan.variants[0].ends_in_inputs = 1;
    refuse(vulkan, &plan, "elsewhere", MSW_ERROR_INVALID_ARGUMENT, "ends elsewhere than the one after it");
    plan = with_cluster();
    plan.variant_count = 1;
    refuse(vulkan, &plan, "alone", MSW_ERROR_INVALID_ARGUMENT, "its last variant has a cluster");
    plan = with_cluster();
    plan.variants[0].is_ping_pong = 1;
    refuse(vulkan, &plan, "alone in its mode", MSW_ERROR_INVALID_ARGUMENT, "its last variant has a cluster");
    plan = with_cluster();
    plan.init_step_count = 1;
    plan.step_count++;
    plan.steps[plan.step_count - 1] = *step;
    refuse(vulkan, &plan, "initialisation", MSW_ERROR_INVALID_ARGUMENT, "a cluster initialises the scratch");
}

/* Code that ends early, or is none. */
static void test_code(void **state)
{
    msw_plan plan = whole();
    const size_t bytes = plan.kernels[0].code_bytes;
    uint32_t *words = malloc(bytes + 4);
    (void)state;
    assert_non_null(words);
    plan.kernels[0].code = words;
    memcpy(words, whole().kernels[0].code, bytes);
    for (size_t cut = 0; cut < bytes; cut += cut < 64 ? 1 : 97) {
        plan.kernels[0].code_bytes = cut;
        refuse(vulkan, &plan, "cut code", MSW_ERROR_INVALID_ARGUMENT, "SPIR-V");
    }
    plan.kernels[0].code_bytes = bytes;
    plan.kernels[0].code = (const char *)words + 2;
    refuse(vulkan, &plan, "code at an odd address", MSW_ERROR_INVALID_ARGUMENT, "aligned to 4");
    plan.kernels[0].code = words;
    memset(words, 0, bytes);
    refuse(vulkan, &plan, "zeros for code", MSW_ERROR_INVALID_ARGUMENT, "SPIR-V");
    memcpy(words, whole().kernels[0].code, bytes);
    words[5] = 0; /* the first instruction has no length */
    refuse(vulkan, &plan, "an instruction without length", MSW_ERROR_INVALID_ARGUMENT, "SPIR-V");
    free(words);
}

/* A plan for another device or backend, and handles that are not there. */
static void test_foreign(void **state)
{
    msw_plan plan = whole();
    msw_kernel *kernel;
    msw_diag diag;
    (void)state;
    refuse(host, &plan, "a Vulkan plan on the host", MSW_ERROR_UNSUPPORTED, "another backend");
    plan.backend = MSW_BACKEND_HOST; /* its code is no host program */
    refuse(host, &plan, "a disguised plan", MSW_ERROR_UNSUPPORTED, "");
    refuse(vulkan, NULL, "no plan", MSW_ERROR_INVALID_ARGUMENT, "plan is NULL");
    refuse(NULL, &plan, "no context", MSW_ERROR_INVALID_ARGUMENT, "context is NULL");
    plan = (msw_plan){0};
    refuse(vulkan, &plan, "an empty plan", MSW_ERROR_VERSION, "format 0");
    plan = whole();
    assert_int_equal(msw_kernel_load(vulkan, &plan, NULL, &diag), MSW_ERROR_INVALID_ARGUMENT);
    assert_int_equal(diag.code, MSW_ERROR_INVALID_ARGUMENT);
    assert_int_equal(msw_kernel_load(NULL, NULL, &kernel, NULL), MSW_ERROR_INVALID_ARGUMENT);
}

/* Random words in place of each field: refused, or run as they say (a number that only reports use). */
static void test_random_plans(void **state)
{
    static const uint32_t values[] = {0, 1, 2, 3, 17, 0x7fffffff, 0x80000000, UINT32_MAX};
    uint32_t seed = 1;
    (void)state;
    for (int round = 0; round < 3000; round++) {
        msw_plan plan = whole();
        uint32_t *fields[] = {&plan.format,
                              &plan.backend,
                              &plan.buffer_count,
                              &plan.kernel_count,
                              &plan.step_count,
                              &plan.variant_count,
                              &plan.init_step_count,
                              &plan.scratch_alignment_bytes,
                              &plan.buffers[0].element_bytes,
                              &plan.buffers[1].alignment_bytes,
                              &plan.buffers[1].length,
                              &plan.kernels[0].block_threads,
                              &plan.kernels[0].subgroup_size,
                              &plan.steps[0].kernel,
                              &plan.steps[0].tile_items,
                              &plan.steps[1].max_blocks,
                              &plan.variants[0].first_step,
                              &plan.variants[0].step_count,
                              &plan.variants[1].first_step,
                              &plan.variants[1].step_count};
        msw_kernel *kernel;
        msw_diag diag;
        for (int change = 0; change < 3; change++) {
            seed = seed * 1664525u + 1013904223u;
            *fields[(seed >> 16) % (sizeof fields / sizeof *fields)] = values[seed >> 8 & 7];
        }
        plan.kernels[0].code = plan.kernels[1].code = NULL; /* only the checks are wanted, no pipelines */
        assert_int_not_equal(msw_kernel_load(vulkan, &plan, &kernel, &diag), MSW_OK);
        assert_null(kernel);
        assert_int_not_equal(diag.code, MSW_OK);
    }
}

/* ---- the launcher by itself ---- */

typedef struct journal {
    char text[512];
    int dispatches, fail_at;
} journal;

static int note_dispatch(void *user, uint32_t kernel, uint32_t blocks, const msw_params *params)
{
    journal *j = user;
    const size_t length = strlen(j->text);
    if (++j->dispatches == j->fail_at) return 7;
    snprintf(j->text + length, sizeof j->text - length, "k%u x%u a%u n%u;", kernel, blocks, params->argument, (unsigned)params->n);
    return 0;
}

static void note_barrier(void *user)
{
    journal *j = user;
    strcat(j->text, "|");
}

/* Two variants and an initialisation; scratch: 100 bytes, then 1000 + 8 a block + 2 a tile, not in place. */
static const msw_plan launch_plan = {
    .step_count = 5,
    .variant_count = 2,
    .init_step_count = 1,
    .steps =
        {{0, 10, 1, 5, 0, 0, 0, 0}, {1, 10, 4, 6, 0, 0, 0, 0}, {2, 10, 1, 7, 0, 0, 0, 0}, {1, 20, 9, 8, 0, 0, 0, 0}, {3, 1024, 4, 0, 0, 0, 0, 0}},
    .variants = {
        {.n_max = 25, .first_step = 0, .step_count = 1, .scratch_base_bytes = 100, .serves_in_place = 1},
        {.n_max = 1000, .first_step = 1, .step_count = 3, .scratch_base_bytes = 1000, .scratch_per_block_bytes = 8, .scratch_per_tile_bytes = 2}}};

static void check_launch(uint64_t n, int fail_at, const char *expected)
{
    journal j = {.fail_at = fail_at};
    const msw_launch_ops ops = {&j, note_dispatch, note_barrier, 0};
    const msw_params params = {.n = n, .argument = 99};
    assert_int_equal(msw_launch(&launch_plan, &params, 0, &ops), fail_at ? 7 : 0);
    assert_string_equal(j.text, expected);
}

static void test_launcher(void **state)
{
    journal j = {.fail_at = 0};
    const msw_launch_ops ops = {&j, note_dispatch, note_barrier, 0};
    (void)state;
    check_launch(0, 0, "k0 x1 a5 n0;");
    check_launch(25, 0, "k0 x1 a5 n25;");
    check_launch(26, 0, "k1 x3 a6 n26;|k2 x1 a7 n26;|k1 x2 a8 n26;");
    check_launch(1000, 0, "k1 x4 a6 n1000;|k2 x1 a7 n1000;|k1 x9 a8 n1000;");
    check_launch(26, 2, "k1 x3 a6 n26;|");
    assert_int_equal(msw_launch_init(&launch_plan, 64, 5000, &ops), 0);
    assert_string_equal(j.text, "k3 x4 a0 n5000;|"); /* what follows sees it */
    assert_ptr_equal(msw_launch_variant(&launch_plan, 25, 1, 0), &launch_plan.variants[0]);
    assert_null(msw_launch_variant(&launch_plan, 26, 1, 0));
    assert_null(msw_launch_variant(&launch_plan, 1001, 0, 0));
    assert_int_equal(msw_launch_scratch(&launch_plan, 0, 0), 100);
    assert_int_equal(msw_launch_scratch(&launch_plan, 25, 0), 100);
    assert_int_equal(msw_launch_scratch(&launch_plan, 26, 0), 1000 + 8 * 3 + 2 * 3);
    assert_int_equal(msw_launch_scratch(&launch_plan, 1000, 0), 1000 + 8 * 9 + 2 * 100);
}

/* A variant with a cluster is passed over where it is too large; a scratch is large enough for the one after it, too. */
static void test_launcher_passes_over(void **state)
{
    msw_plan plan = launch_plan;
    (void)state;
    plan.kernels[0].cluster_blocks = plan.steps[0].least_blocks = plan.steps[0].max_blocks = 4;
    for (uint32_t most = 0; most <= 5; most++) {
        journal j = {.fail_at = 0};
        const msw_launch_ops ops = {&j, note_dispatch, note_barrier, most};
        const msw_params params = {.n = 20};
        assert_int_equal(msw_launch(&plan, &params, 0, &ops), 0);
        assert_string_equal(j.text, most < 4 ? "k1 x2 a6 n20;|k2 x1 a7 n20;|k1 x1 a8 n20;" : "k0 x4 a5 n20;");
        assert_ptr_equal(msw_launch_variant(&plan, 20, 0, most), &plan.variants[most < 4]);
        assert_int_equal(msw_launch_variant(&plan, 20, 1, most) != NULL, most >= 4);
    }
    assert_int_equal(msw_launch_scratch(&plan, 20, 0), 1000 + 8 * 2 + 2 * 2);
    plan.variants[0].scratch_base_bytes = 5000;
    assert_int_equal(msw_launch_scratch(&plan, 20, 0), 5000);
}

static void test_validation_was_silent(void **state)
{
    (void)state;
    assert_int_equal(validation_messages, 0);
}

/* Of several plans the first that the device runs; what is wrong with a plan is not passed over. */
static void test_any_of_several(void **state)
{
    msw_plan cuda = whole(), large = whole(), larger = whole(), broken = whole(), good = whole();
    const msw_plan *const several[] = {&cuda, &large, &good, &broken, NULL}, *const none[] = {&large, &larger, &cuda, NULL},
                          *const foreign[] = {&cuda, NULL};
    msw_plan other = whole();
    const msw_plan *const usual[] = {&other, &good, NULL};
    const msw_plan *const first[] = {&large, &broken, &good, NULL}, *const empty[] = {NULL};
    msw_kernel *kernel;
    msw_diag diag;
    (void)state;
    cuda.backend = MSW_BACKEND_CUDA;
    large.kernels[0].block_threads = 1u << 20;
    larger.kernels[0].block_threads = 1u << 21;
    broken.variant_count = 0;
    good.name = "good";
    check(msw_kernel_load_any(vulkan, several, &kernel, &diag), &diag);
    assert_int_equal(diag.code, MSW_OK);
    assert_string_equal(msw_kernel_plan(kernel)->name, "good");
    msw_kernel_destroy(kernel);
    check(msw_kernel_load_any(vulkan, several, &kernel, NULL), &diag);
    msw_kernel_destroy(kernel);
    for (uint32_t k = 0; k < other.kernel_count; k++) other.kernels[k].subgroup_size = 1; /* it would run, but is not for this device's subgroups */
    check(msw_kernel_load_any(vulkan, usual, &kernel, &diag), &diag);
    assert_string_equal(msw_kernel_plan(kernel)->name, "good");
    msw_kernel_destroy(kernel);
    static const struct {
        const char *words;
        msw_result code;
    } expected[] = {{"has blocks of 2097152 threads", MSW_ERROR_UNSUPPORTED},
                    {"other backends", MSW_ERROR_UNSUPPORTED},
                    {"no variant", MSW_ERROR_INVALID_ARGUMENT},
                    {"there is no plan", MSW_ERROR_INVALID_ARGUMENT},
                    {"plans is NULL", MSW_ERROR_INVALID_ARGUMENT}};
    const msw_plan *const *const lists[] = {none, foreign, first, empty, NULL};
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
        kernel = (msw_kernel *)&vulkan;
        assert_int_equal(msw_kernel_load_any(vulkan, lists[l], &kernel, &diag), expected[l].code);
        if (!strstr(diag.message, expected[l].words)) fail_msg("'%s' does not say '%s'", diag.message, expected[l].words);
        assert_null(kernel);
        assert_int_equal(msw_kernel_load_any(vulkan, lists[l], &kernel, NULL), expected[l].code);
    }
    assert_int_equal(msw_kernel_load_any(NULL, several, &kernel, &diag), MSW_ERROR_INVALID_ARGUMENT);
    assert_int_equal(msw_kernel_load_any(vulkan, several, NULL, &diag), MSW_ERROR_INVALID_ARGUMENT);
}

/* A plan whose kernels have texts, the caller's own for all that is known of them, is compiled; one that has code, too, is not. */
static void test_texts(void **state)
{
    enum { N = 1000 };
    static const struct {
        const char *text, *entry, *words;
        msw_result code;
    } wrong[] = {{"no GLSL", "scan", "kernel 'scan': ", MSW_ERROR_COMPILE},
                 {NULL, "scan", "has no code", MSW_ERROR_INVALID_ARGUMENT},
                 {"no GLSL", NULL, "has no code", MSW_ERROR_INVALID_ARGUMENT}};
    msw_plan plan = whole();
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .plan = &plan};
    uint32_t in[N], out[N], sum = 0;
    msw_kernel *kernel;
    msw_diag diag;
    (void)state;
    for (uint32_t i = 0; i < N; i++) in[i] = i * i;
    for (int has_code = 0; has_code < 2; has_code++) {
        for (uint32_t k = 0; k < plan.kernel_count; k++)
            if (has_code) plan.kernels[k] = whole().kernels[k], plan.kernels[k].text = "no GLSL";
            else plan.kernels[k].code = NULL, plan.kernels[k].code_bytes = 0;
        check(msw_kernel_create(vulkan, &desc, &kernel, &diag), &diag);
        check(msw_kernel_run_host(kernel, N, (const void *[]){in}, (void *[]){out}, NULL, &diag), &diag);
        sum = 0;
        for (uint32_t i = 0; i < N; i++) assert_int_equal(out[i], sum += in[i]);
        assert_null(msw_kernel_plan(kernel)->kernels[0].text);
        msw_kernel_destroy(kernel);
    }
    plan.kernels[1].code = NULL;
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        plan.kernels[1].text = wrong[w].text;
        plan.kernels[1].entry = wrong[w].entry;
        assert_int_equal(msw_kernel_create(vulkan, &desc, &kernel, &diag), wrong[w].code);
        if (diag.code != wrong[w].code || !strstr(diag.message, wrong[w].words)) fail_msg("%s", diag.message);
        assert_null(kernel);
    }
    const msw_kernel_desc both = {.struct_size = sizeof both, .plan = &plan, .spec_text = "return scan { monoid = sum(u32) }"};
    assert_int_equal(msw_kernel_create(vulkan, &both, &kernel, &diag), MSW_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(diag.message, "there is a spec and a plan"));
}

/* What is planned for the host's processor has smaller tiles, whatever the device is called; the devices that tests run on say that they are one. */
static void test_tiles_of_processors(void **state)
{
    static const char *const texts[] = {"return scan { monoid = sum(u32) }", "return sort { key = u32 }"};
    uint32_t items[2][2];
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        const msw_spec_desc read = {.struct_size = sizeof read, .text = texts[i / 2]};
        const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_VULKAN, .is_cpu = i % 2, .arch = i % 2 ? "new" : "lavapipe"};
        const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target, .tuning = "return {}"};
        msw_spec *spec;
        msw_program *made;
        msw_diag diag;
        check(msw_spec_create(&read, &spec, &diag), &diag);
        check(msw_program_create(spec, &desc, &made, &diag), &diag);
        const msw_plan *plan = msw_program_plan(made);
        items[i / 2][i % 2] = plan->steps[plan->variants[plan->variant_count - 1].first_step].tile_items;
        msw_program_destroy(made);
        msw_spec_destroy(spec);
    }
    for (int t = 0; t < 2; t++) assert_true(items[t][1] < items[t][0]);
    const msw_target *device = &msw_context_device(vulkan)->target;
    if (!strcmp(device->arch, "lavapipe") || !strcmp(device->arch, "swiftshader")) assert_int_equal(device->is_cpu, 1);
}

/* llvmpipe has no loops of more than 65535 iterations: it refuses what was planned for devices at large, and runs what was planned without them. */
static void test_long_loops(void **state)
{
    static const char *const texts[] = {"return scan { monoid = sum(u32) }", "return sort { key = u64, value = u32 }"};
    (void)state;
    if (strcmp(msw_context_device(vulkan)->target.arch, "lavapipe") != 0) return;
    assert_int_equal(msw_context_device(vulkan)->target.features & MSW_FEATURE_LONG_LOOPS, 0);
    for (uint32_t without = 0; without < 4; without++) {
        const msw_spec_desc read = {.struct_size = sizeof read, .text = texts[without / 2]};
        const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_VULKAN, .subgroup_size = 1, .has_features = without % 2};
        const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target};
        msw_spec *spec;
        msw_program *made;
        msw_kernel *kernel;
        msw_diag diag;
        check(msw_spec_create(&read, &spec, &diag), &diag);
        check(msw_program_create(spec, &desc, &made, &diag), &diag);
        check(msw_program_compile(made, &diag), &diag);
        if (without % 2) {
            check(msw_kernel_load(vulkan, msw_program_plan(made), &kernel, &diag), &diag);
            msw_kernel_destroy(kernel);
        } else {
            refuse(vulkan, msw_program_plan(made), "long loops", MSW_ERROR_UNSUPPORTED, "needs long_loops");
        }
        msw_program_destroy(made);
        msw_spec_destroy(spec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_it_loads),
                                       cmocka_unit_test(test_counts),
                                       cmocka_unit_test(test_stages),
                                       cmocka_unit_test(test_members),
                                       cmocka_unit_test(test_any_of_several),
                                       cmocka_unit_test(test_texts),
                                       cmocka_unit_test(test_long_loops),
                                       cmocka_unit_test(test_clusters),
                                       cmocka_unit_test(test_code),
                                       cmocka_unit_test(test_foreign),
                                       cmocka_unit_test(test_random_plans),
                                       cmocka_unit_test(test_tiles_of_processors),
                                       cmocka_unit_test(test_launcher_passes_over),
                                       cmocka_unit_test(test_launcher),
                                       cmocka_unit_test(test_validation_was_silent)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
