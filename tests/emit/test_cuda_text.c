/* CUDA text without a GPU: what the corpus, the goldens and the examples emit compiles by NVRTC, for every architecture that the project names
 * and without a word from the compiler. Needs NVRTC 12.8 or later: earlier ones do not know sm_100. An argument
 * is a filter of tests. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "choices.h"
#include "compilations.h"
#include "expr/type.h"

enum { SM_90 = 2, ARCHS = 4 };
static const char *const archs[ARCHS] = {"sm_75", "sm_80", "sm_90", "sm_100"};

static void check(msw_result result, const msw_diag *diag)
{
    if (result != MSW_OK) fail_msg("%s: %s", msw_result_text(result), diag->message);
}

/* ---- the compiler ---- */

/* NULL where there is none that is new enough; the reason is printed. */
static ms_nvrtc *open_compiler(void)
{
    static ms_nvrtc nvrtc;
    msw_diag diag;
    if (ms_nvrtc_open(&nvrtc, &diag) != MSW_OK) {
        print_message("CUDA text is not compiled: %s\n", diag.message);
        return NULL;
    }
    print_message("NVRTC %d.%d\n", nvrtc.major, nvrtc.minor);
    if (nvrtc.major > 12 || (nvrtc.major == 12 && nvrtc.minor >= 8)) return &nvrtc;
    print_message("CUDA text is not compiled: NVRTC 12.8 or later is needed\n");
    ms_nvrtc_close(&nvrtc);
    return NULL;
}

/* ---- specs ---- */

typedef struct visit {
    queue *queue;
    const msw_knob *knobs;
    uint32_t knob_count, progress;
    uint32_t every; /* one operation in this number is looked at */
    uint32_t digit_bits;
    const char *arch; /* that it is planned for; NULL: any */
    uint32_t operations, visited;
} visit;

/* Hashes of texts that have been compiled: some are the same for many operations, and in several tests. */
static uint64_t seen[2 * MOST_JOBS];
static uint32_t seen_count;

static int is_new(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a, without comments, which name the operation */
    for (const char *c = text; *c; c++) {
        if (c[0] == '/' && c[1] == '/') c += strcspn(c, "\n");
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    }
    for (uint32_t i = 0; i < seen_count; i++)
        if (seen[i] == hash) return 0;
    assert_true(seen_count < sizeof seen / sizeof *seen);
    seen[seen_count++] = hash;
    return 1;
}

/* Bytes that whole words for its parts take beyond those parts. */
static uint32_t widened_bytes(const msw_type_info *type)
{
    uint32_t bytes = 0;
    for (uint32_t l = 0; l < type->leaf_count; l++)
        if (ms_scalar_bytes(type->leaves[l].scalar) < 4) bytes += 4 - ms_scalar_bytes(type->leaves[l].scalar);
    return bytes;
}

/* The largest tile of the plan's steps that run the kernel. */
static uint32_t tile_of(const msw_plan *plan, const msw_plan_kernel *kernel)
{
    uint32_t most = 0;
    for (uint32_t s = 0; s < plan->step_count; s++)
        if (&plan->kernels[plan->steps[s].kernel] == kernel && plan->steps[s].tile_items > most) most = plan->steps[s].tile_items;
    return most;
}

/* A pipeline's kernel is one of an operation of it, whose name its entry begins with: info becomes of that. What the entry would be there. */
static const char *entry_of(const msw_spec *spec, uint32_t op, const char *entry, msw_op_info *info)
{
    msw_stage_info stage = {.struct_size = sizeof stage};
    for (uint32_t s = 0, count = info->stage_count; s < count; s++) {
        msw_op_info of_stage = {.struct_size = sizeof of_stage};
        assert_int_equal(msw_spec_stage(spec, op, s, &stage), MSW_OK);
        assert_int_equal(msw_spec_op(spec, stage.op, &of_stage), MSW_OK);
        const char *dot = strrchr(of_stage.name, '.'), *name = dot ? dot + 1 : of_stage.name;
        const size_t length = strlen(name);
        if (strncmp(entry, name, length) || entry[length] != '_') continue;
        *info = of_stage;
        return entry + length + 1;
    }
    return entry;
}

/* How much more shared memory than it needs a plan may have for a kernel: the figure is that of the operation's kernel that needs most. A value there
 * takes whole words in the plan, and as many bytes as it has in the text; packed outputs have one for each of a tile's items, and an item more. */
static uint32_t slack_of(const msw_op_info *info, const msw_plan *plan, const msw_plan_kernel *kernel, const char *entry, uint32_t digit_bits)
{
    const uint32_t scanned = kernel->subgroup_size == 1 ? kernel->block_threads : kernel->block_threads / kernel->subgroup_size;
    if (!strcmp(entry, "sort_histogram") || !strcmp(entry, "zero_scratch")) return 0;
    if (!strcmp(entry, "sort_starts") || !strcmp(entry, "sort_scan_bins")) return 8;
    if (info->kind == MSW_OP_SORT) /* with fallback missing items are counted, too; another kernel scans numbers of 64 bits */
        return strcmp(entry, "sort_pass_wide") ? UINT32_MAX : (4u << digit_bits) + 4 * scanned + 32;
    if (widened_bytes(&info->carry)) return UINT32_MAX;
    uint32_t packed = 0;
    for (uint32_t b = 0; b < info->buffer_count; b++)
        if (msw_counted_by(info->buffers[b].length) >= 0) packed += widened_bytes(&info->buffers[b].type) * (tile_of(plan, kernel) + 1);
    return packed + 64 + 4 * info->carry.size_bytes + (kernel->is_cooperative ? 128 /* where bulk copies begin */ : 0);
}

/* A kernel of a plan, whose shared memory is compared with the text's. */
static void add_planned(queue *q, const msw_op_info *info, const msw_plan *plan, const char *label, const msw_plan_kernel *kernel, const char *entry,
                        const char *arch, uint32_t digit_bits)
{
    job *j = add_job(q, label, kernel->entry, kernel->text, arch);
    j->is_planned = 1;
    j->shared_bytes = kernel->shared_bytes - kernel->dynamic_shared_bytes;
    j->most_slack = slack_of(info, plan, kernel, entry, digit_bits);
}

/* The kernel of one block is that of many without posts or aggregates, line by line, and one with wide counters differs in a type: of one
 * operation in four they are compiled beside that. */
static int is_repeated(const visit *v, const msw_plan *plan, const char *entry)
{
    const char *wide = strstr(entry, "_wide");
    const int is_alone = !strcmp(entry, "scan_single_block") || !strcmp(entry, "reduce_single_block");
    return v->visited % 4 && plan->kernel_count > 1 && (is_alone || (wide && strncmp(entry, "sort", strlen("sort"))));
}

enum { MOST_KNOBS = 4 };

/* Whether a kernel waits for earlier launches before it does anything but let the next one begin. */
static int waits_first(const char *text)
{
    return strstr(text, "\n{\n    wait_for_earlier_launches();") ||
           strstr(text, "\n{\n    let_next_launch_begin();\n    wait_for_earlier_launches();");
}

/* Sorts have small tiles: loops over them are unrolled, and ptxas takes 25 s for one pass with 32 rows (i16_down without subgroup operations).
 * Goldens have the planner's. */
static void add_operation(visit *v, msw_spec *spec, uint32_t op, const char *file)
{
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA, .progress = v->progress, .arch = v->arch};
    msw_knob knobs[MOST_KNOBS];
    msw_program_desc desc = {.struct_size = sizeof desc, .op = op, .target = &target, .knobs = knobs};
    msw_op_info info = {.struct_size = sizeof info};
    msw_program *program;
    msw_diag diag;
    char label[512], fault[MS_FAULT_BYTES];
    check(msw_spec_op(spec, op, &info), &diag);
    assert_true(v->knob_count < MOST_KNOBS);
    for (uint32_t k = 0; k < v->knob_count; k++)
        if (!ms_knob_fault(info.kind, v->knobs[k].name, v->knobs[k].value, fault))
            knobs[desc.knob_count++] = v->knobs[k]; /* maps have no descriptor, and other strategies */
    if (info.kind == MSW_OP_SORT && !v->arch) knobs[desc.knob_count++] = (msw_knob){"items", info.buffers[0].type.size_bytes % 2 ? "16" : "8"};
    check(msw_program_create(spec, &desc, &program, &diag), &diag);
    const msw_plan *plan = msw_program_plan(program);
    snprintf(label, sizeof label, "%.200s %.200s", file, plan->name);
    for (uint32_t k = 0; k < plan->kernel_count; k++) assert_int_equal(plan->kernels[k].begins_early, waits_first(plan->kernels[k].text));
    for (uint32_t k = 0; k < plan->kernel_count; k++) {
        msw_op_info of_kernel = info;
        const char *entry = entry_of(spec, op, plan->kernels[k].entry, &of_kernel);
        if (!is_repeated(v, plan, entry) && is_new(plan->kernels[k].text))
            add_planned(v->queue, &of_kernel, plan, label, &plan->kernels[k], entry, v->arch ? v->arch : archs[(v->visited + k) % ARCHS],
                        v->digit_bits);
    }
    v->visited++;
    msw_program_destroy(program);
}

static void add_spec(visit *v, const char *file)
{
    char path[1024];
    msw_spec *spec;
    msw_diag diag;
    snprintf(path, sizeof path, "%s/%.400s", MSW_SOURCE_DIR, file);
    const msw_spec_desc desc = {.struct_size = sizeof desc, .file = path, .skip_laws = 1, .time_limit_ms = 4000};
    check(msw_spec_create(&desc, &spec, &diag), &diag);
    for (uint32_t op = 0; op < msw_spec_op_count(spec); op++)
        if (v->operations++ % v->every == 0) add_operation(v, spec, op, file);
    msw_spec_destroy(spec);
}

static int has_ending(const char *name, const char *ending)
{
    const size_t length = strlen(name), ending_length = strlen(ending);
    return length > ending_length && !strcmp(name + length - ending_length, ending);
}

static int is_spec(const struct dirent *entry) { return has_ending(entry->d_name, ".lua"); }

static int is_kernel(const struct dirent *entry) { return has_ending(entry->d_name, ".cu"); }

static void visit_folder(visit *v, const char *folder, int (*is_wanted)(const struct dirent *), void (*each)(visit *, const char *file))
{
    char path[1024];
    struct dirent **entries;
    snprintf(path, sizeof path, "%s/%s", MSW_SOURCE_DIR, folder);
    const int count = scandir(path, &entries, is_wanted, alphasort);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        each(v, path);
        free(entries[i]);
    }
    free(entries);
}

/* Each kernel for one architecture, all of them in turn. */
static void compile_all(const ms_nvrtc *nvrtc, visit v)
{
    if (!nvrtc) skip();
    v.queue = make_queue(nvrtc);
    v.digit_bits = 8;
    visit_folder(&v, "tests/corpus", is_spec, add_spec);
    visit_folder(&v, "tests/emit/golden", is_spec, add_spec);
    visit_folder(&v, "examples", is_spec, add_spec);
    finish(v.queue);
}

static void test_corpus(void **state) { compile_all(*state, (visit){.every = 1}); }

static void test_corpus_without_shuffles(void **state)
{
    static const msw_knob knobs[] = {{"subgroup", "1"}, {"block", "64"}};
    compile_all(*state, (visit){.knobs = knobs, .knob_count = 2, .every = 4});
}

/* Look-back with fallback and, as an alternative to it, two launches; descriptors of 8 bytes a word. */
static void test_corpus_without_progress(void **state)
{
    static const msw_knob knobs[] = {{"descriptor", "tagged"}};
    compile_all(*state, (visit){.knobs = knobs, .knob_count = 1, .progress = MSW_PROGRESS_NONE, .every = 4});
}

/* Blocks of other sizes: a few operations of each kind. */
static void test_geometries(void **state)
{
    static const struct {
        const char *file;
        uint32_t digit_bits, knob_count, progress, every;
        msw_knob knobs[3];
        const char *arch;
    } cases[] = {
        {"tests/corpus/maps.lua", 8, 1, MSW_PROGRESS_PARALLEL, 4, {{"block", "32"}}, NULL},
        {"tests/corpus/maps.lua", 8, 1, MSW_PROGRESS_NONE, 4, {{"block", "1024"}}, NULL},
        {"tests/corpus/maps.lua", 8, 2, MSW_PROGRESS_PARALLEL, 4, {{"block", "128"}, {"subgroup", "1"}}, NULL},
        {"tests/corpus/maps.lua", 8, 0, MSW_PROGRESS_PARALLEL, 4, {{0}}, "sm_90"}, /* look-ahead */
        {"tests/corpus/sorts.lua", 5, 2, MSW_PROGRESS_NONE, 9, {{"block", "96"}, {"digit_bits", "5"}}, NULL},
        {"tests/corpus/sorts.lua", 8, 1, MSW_PROGRESS_NONE, 12, {{"block", "160"}}, NULL},
        {"tests/corpus/sorts.lua", 9, 3, MSW_PROGRESS_PARALLEL, 12, {{"block", "128"}, {"subgroup", "1"}, {"digit_bits", "9"}}, NULL},
        {"tests/corpus/sorts.lua", 4, 2, MSW_PROGRESS_PARALLEL, 12, {{"strategy", "upsweep_downsweep"}, {"digit_bits", "4"}}, NULL},
        {"tests/corpus/sorts.lua", 8, 0, MSW_PROGRESS_PARALLEL, 16, {{0}}, "sm_90"}, /* memory that comes with the launch */
        {"tests/corpus/sweeps.lua", 8, 1, MSW_PROGRESS_PARALLEL, 4, {{"strategy", "scan_then_propagate"}}, NULL},
        {"tests/corpus/segments.lua", 8, 2, MSW_PROGRESS_PARALLEL, 6, {{"strategy", "scan_then_propagate"}, {"subgroup", "1"}}, NULL},
    };
    if (!*state) skip();
    queue *q = make_queue(*state);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        visit v = {.queue = q,
                   .knobs = cases[c].knobs,
                   .knob_count = cases[c].knob_count,
                   .progress = cases[c].progress,
                   .every = cases[c].every,
                   .arch = cases[c].arch,
                   .digit_bits = cases[c].digit_bits,
                   .operations = (uint32_t)c};
        add_spec(&v, cases[c].file);
    }
    finish(q);
}

/* Look-ahead's bulk copies, and launches that may begin early, begin with this. */
static uint32_t first_arch_of(const char *kernel) { return strstr(kernel, "cp.async.bulk") || strstr(kernel, "griddepcontrol") ? SM_90 : 0; }

/* Each kernel of a golden, for so many architectures: a line that begins with "// ---- " begins one where there are several. */
static void add_golden_for(visit *v, const char *file, uint32_t first_arch, uint32_t count)
{
    static char text[1 << 18];
    char path[1024];
    snprintf(path, sizeof path, "%s/%.400s", MSW_SOURCE_DIR, file);
    FILE *golden = fopen(path, "rb");
    assert_non_null(golden);
    const size_t bytes = fread(text, 1, sizeof text - 1, golden);
    fclose(golden);
    text[bytes] = '\0';
    for (char *kernel = text; kernel;) {
        char *next = strstr(kernel + 1, "\n// ---- ");
        if (next) *next++ = '\0';
        for (uint32_t a = 0; a < count && strstr(kernel, "__global__"); a++)
            if (first_arch + a >= first_arch_of(kernel)) add_job(v->queue, file, "golden", kernel, archs[first_arch + a]);
        kernel = next;
    }
}

/* By the oldest that the text is for and the newest; the corpus has all in turn. */
static void add_golden(visit *v, const char *file)
{
    add_golden_for(v, file, 0, 1);
    add_golden_for(v, file, ARCHS - 1, 1);
}

static void add_golden_for_nvcc(visit *v, const char *file) { add_golden_for(v, file, SM_90, 1); }

static void test_goldens(void **state)
{
    if (!*state) skip();
    visit v = {.queue = make_queue(*state)};
    visit_folder(&v, "tests/emit/golden", is_kernel, add_golden);
    finish(v.queue);
}

static void test_goldens_by_nvcc(void **state)
{
    (void)state;
    if (system("command -v nvcc >/dev/null")) {
        print_message("there is no nvcc here: NVRTC alone has seen the text\n");
        return;
    }
    visit v = {.queue = make_queue(NULL)};
    visit_folder(&v, "tests/emit/golden", is_kernel, add_golden_for_nvcc);
    finish(v.queue);
}

/* ---- single specs ---- */

/* A program for CUDA with small tiles, of a text. */
static msw_program *make_program(const char *text)
{
    static const msw_knob knobs[] = {{"block", "64"}, {"items", "4"}};
    const msw_spec_desc spec_desc = {.struct_size = sizeof spec_desc, .text = text};
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target, .knobs = knobs, .knob_count = 2};
    msw_spec *spec;
    msw_program *program;
    msw_diag diag;
    check(msw_spec_create(&spec_desc, &spec, &diag), &diag);
    check(msw_program_create(spec, &desc, &program, &diag), &diag);
    msw_spec_destroy(spec);
    return program;
}

/* Look-ahead as it is planned for the device it was made for: no register is spilled, and the launch alone says how many blocks there are. */
static void check_lookahead(const ms_nvrtc *nvrtc, const char *text, int has_nvcc)
{
    const msw_spec_desc spec_desc = {.struct_size = sizeof spec_desc, .text = text};
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA, .arch = "sm_90", .compute_units = 132};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target};
    msw_program *program;
    msw_spec *spec;
    msw_diag diag;
    check(msw_spec_create(&spec_desc, &spec, &diag), &diag);
    check(msw_program_create(spec, &desc, &program, &diag), &diag);
    const msw_plan *plan = msw_program_plan(program);
    const msw_plan_kernel *kernel = plan->kernels;
    while (kernel < plan->kernels + plan->kernel_count && strcmp(kernel->entry, "scan_lookahead")) kernel++;
    if (kernel == plan->kernels + plan->kernel_count) fail_msg("no look-ahead: %s", text);
    assert_true(kernel->is_cooperative);
    assert_null(strstr(strstr(kernel->text, "gridDim") + 1, "gridDim")); /* in block_count alone */
    assert_non_null(strstr(kernel->text, "atom.add.release.gpu"));
    queue *q = make_queue(nvrtc);
    msw_op_info info = {.struct_size = sizeof info};
    check(msw_spec_op(spec, 0, &info), &diag);
    add_planned(q, &info, plan, text, kernel, kernel->entry, "sm_90", 0);
    finish(q);
    if (has_nvcc) {
        FILE *file = fopen("test_cuda_text.lookahead.cu", "wb");
        assert_non_null(file);
        assert_true(fputs(kernel->text, file) >= 0 && !fclose(file));
        assert_int_equal(
            system("nvcc -arch=sm_90 -cubin -Xptxas -v -o test_cuda_text.lookahead.cubin test_cuda_text.lookahead.cu >test_cuda_text.lookahead.txt "
                   "2>&1 && "
                   "grep -q ' 0 bytes spill stores, 0 bytes spill loads' test_cuda_text.lookahead.txt"),
            0);
        remove("test_cuda_text.lookahead.cu");
        remove("test_cuda_text.lookahead.cubin");
        remove("test_cuda_text.lookahead.txt");
    }
    msw_program_destroy(program);
    msw_spec_destroy(spec);
}

static void test_lookahead(void **state)
{
    static const char affine_backwards[] = "local A = struct 'A' { {'a', f32}, {'b', f32} }\n"
                                           "return scan { reverse = true, monoid = monoid { type = A, identity = A(1, 0), combine = function(f, g)\n"
                                           "  return A(f.a * g.a, f.b * g.a + g.b) end } }";
    const char *const specs[] = {"return scan { monoid = sum(u32) }", "return scan { monoid = sum(u8), kind = 'exclusive' }",
                                 "return scan { monoid = sum(f64), deterministic = true }", affine_backwards};
    const int has_nvcc = system("command -v nvcc >/dev/null") == 0;
    if (!*state) skip();
    if (!has_nvcc) print_message("there is no nvcc here: spilled registers are not looked for\n");
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) check_lookahead(*state, specs[s], has_nvcc);
}

/* What nvcc reports of a kernel for sm_90 passes a test of the shell, whose input it is. */
static void expect_report(const char *spec_text, const char *entry, const char *condition)
{
    const msw_spec_desc spec_desc = {.struct_size = sizeof spec_desc, .text = spec_text};
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA, .arch = "sm_90", .compute_units = 132};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target};
    char command[512];
    msw_program *program;
    msw_spec *spec;
    msw_diag diag;
    check(msw_spec_create(&spec_desc, &spec, &diag), &diag);
    check(msw_program_create(spec, &desc, &program, &diag), &diag);
    const msw_plan_kernel *kernel = msw_program_plan(program)->kernels;
    while (strcmp(kernel->entry, entry)) kernel++;
    FILE *file = fopen("test_cuda_text.report.cu", "wb");
    assert_non_null(file);
    assert_true(fputs(kernel->text, file) >= 0 && !fclose(file));
    snprintf(
        command, sizeof command,
        "nvcc -std=c++17 -arch=sm_90 -cubin -Xptxas -v -o test_cuda_text.report.cubin test_cuda_text.report.cu >test_cuda_text.report.txt 2>&1 && "
        "{ %s; } <test_cuda_text.report.txt",
        condition);
    if (system(command)) fail_msg("%s, %s", spec_text, entry);
    remove("test_cuda_text.report.cu");
    remove("test_cuda_text.report.cubin");
    remove("test_cuda_text.report.txt");
    msw_program_destroy(program);
    msw_spec_destroy(spec);
}

/* The histogram of 64-bit keys: no shared memory but its copies, which come with the launch, no spills, and few enough registers for a block of 1024
 * threads. */
static void test_histogram_by_nvcc(void **state)
{
    (void)state;
    if (system("command -v nvcc >/dev/null")) skip();
    expect_report("return sort { key = u64 }", "sort_histogram",
                  "report=$(cat); ! echo \"$report\" | grep -q 'bytes smem' && echo \"$report\" | grep -q ' 0 bytes spill stores' && "
                  "test \"$(echo \"$report\" | sed -n 's/.*Used \\([0-9]*\\) registers.*/\\1/p')\" -le 64");
}

/* Values that do not go through shared memory do not wait in registers for their places. */
static void test_wide_values_by_nvcc(void **state)
{
    static const char *const specs[] = {"return sort { key = u32, value = vec(f32, 3) }", "return sort { key = u64, value = vec(f32, 3) }",
                                        "local Half = vec(u64, 4) return sort { key = u32, value = struct 'S' { {'a', Half}, {'b', Half} } }"};
    (void)state;
    if (system("command -v nvcc >/dev/null")) skip();
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++)
        expect_report(specs[s], "sort_pass", "grep -q ' 0 bytes spill stores, 0 bytes spill loads'");
}

enum { FRAME_SIZE = 0x11, REGCOUNT = 0x2f }; /* attributes of .nv.info: of a symbol's index a word */

/* The most of an attribute that any function of a cubin has. */
static uint32_t most_of(const void *cubin, uint8_t wanted)
{
    enum { HAS_SIZE = 4, HEAD_BYTES = 4 };
    const char *image = cubin;
    const Elf64_Ehdr *head = cubin;
    const Elf64_Shdr *sections = (const void *)(image + head->e_shoff);
    uint32_t most = 0;
    int found = 0;
    for (int s = 0; s < head->e_shnum; s++) {
        if (strcmp(image + sections[head->e_shstrndx].sh_offset + sections[s].sh_name, ".nv.info")) continue;
        const uint8_t *at = (const uint8_t *)image + sections[s].sh_offset, *end = at + sections[s].sh_size;
        while (at < end) {
            const uint32_t size = at[0] == HAS_SIZE ? at[2] | (uint32_t)at[3] << 8 : 0;
            uint32_t value;
            memcpy(&value, at + HEAD_BYTES + (size == 8 ? 4 : 0), sizeof value);
            if (at[0] == HAS_SIZE && at[1] == wanted && size == 8 && ++found && value > most) most = value;
            at += HEAD_BYTES + size;
        }
    }
    assert_true(found);
    return most;
}

/* What kernels of a spec's operations take for sm_90 at default knobs: no stack, which spilled registers would be in, and so few registers
 * that a multiprocessor has room for the blocks. */
static void expect_registers(const ms_nvrtc *nvrtc, const msw_spec_desc *desc, const char *name, uint32_t blocks)
{
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA, .arch = "sm_90", .compute_units = 132};
    msw_spec *spec;
    msw_diag diag;
    check(msw_spec_create(desc, &spec, &diag), &diag);
    for (uint32_t op = 0; op < msw_spec_op_count(spec); op++) {
        const msw_program_desc program_desc = {.struct_size = sizeof program_desc, .target = &target, .op = op};
        msw_op_info info = {.struct_size = sizeof info};
        msw_program *program;
        check(msw_spec_op(spec, op, &info), &diag);
        if (name && strcmp(info.name, name)) continue;
        check(msw_program_create(spec, &program_desc, &program, &diag), &diag);
        const msw_plan *plan = msw_program_plan(program);
        for (uint32_t k = 0; k < plan->kernel_count; k++) {
            void *code;
            size_t bytes;
            char *log;
            if (strcmp(plan->kernels[k].entry, "scan_lookback") && strcmp(plan->kernels[k].entry, "scan_single_block")) continue;
            check(ms_nvrtc_compile(nvrtc, &plan->kernels[k], "sm_90", NULL, &code, &bytes, &log, &diag), &diag);
            const uint32_t spilled = most_of(code, FRAME_SIZE), registers = most_of(code, REGCOUNT);
            print_message("%s, %s: %u registers, a stack of %u bytes\n", info.name, plan->kernels[k].entry, registers, spilled);
            if (spilled || (registers + 7) / 8 * 8 * plan->kernels[k].block_threads * blocks > 65536)
                fail_msg("%s, %s: %u registers, a stack of %u bytes", info.name, plan->kernels[k].entry, registers, spilled);
            ms_free(NULL, log, strlen(log) + 1);
            ms_free(NULL, code, bytes);
        }
        msw_program_destroy(program);
    }
    msw_spec_destroy(spec);
}

/* Look-back of elements of up to 100 bytes spills nothing: what waits is parked, and products of 5 x 5 matrices are copied to where they are used. A
 * multiprocessor has two blocks of those of up to 36. */
static void test_wide_elements(void **state)
{
    static const struct {
        const char *text, *name;
        uint32_t blocks;
    } cases[] = {{NULL, "matrix2", 2},
                 {NULL, "matrix3", 2},
                 {NULL, "matrix5", 1},
                 {"return scan { monoid = sum(vec(f32, 4)) }", NULL, 2},
                 {"local fields, zeros = {}, {}\n"
                  "for i = 1, 25 do fields[i], zeros[i] = { 'f' .. i, f32 }, 0 end\n"
                  "local Sums = struct 'Sums' (fields)\n"
                  "return scan { monoid = monoid { type = Sums, identity = Sums(table.unpack(zeros)), combine = function(a, b)\n"
                  "  local sums = {}\n"
                  "  for i = 1, 25 do sums[i] = a['f' .. i] + b['f' .. i] end\n"
                  "  return Sums(table.unpack(sums)) end } }",
                  NULL, 1},
                 {"local fields, zeros = {}, {}\n"
                  "for i = 1, 9 do fields[i], zeros[i] = { 'f' .. i, f64 }, 0 end\n"
                  "local Sums = struct 'Sums' (fields)\n"
                  "return scan { monoid = monoid { type = Sums, identity = Sums(table.unpack(zeros)), combine = function(a, b)\n"
                  "  local sums = {}\n"
                  "  for i = 1, 9 do sums[i] = a['f' .. i] + b['f' .. i] end\n"
                  "  return Sums(table.unpack(sums)) end } }",
                  NULL, 1}};
    char path[1024];
    snprintf(path, sizeof path, "%s/bench/matrices.lua", MSW_SOURCE_DIR);
    if (!*state) skip();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const msw_spec_desc desc = {.struct_size = sizeof desc, .text = cases[c].text, .file = cases[c].text ? NULL : path, .skip_laws = 1};
        expect_registers(*state, &desc, cases[c].name, cases[c].blocks);
    }
}

/* What NVRTC takes for a u64 in a list in braces and nvcc does not. */
static void test_bits_by_nvcc(void **state)
{
    queue *q;
    (void)state;
    if (system("command -v nvcc >/dev/null")) return;
    msw_program *program = make_program("local S = struct 'S' { {'bits', u64}, {'word', u32}, {'half', u16} }\n"
                                        "return reduce { monoid = monoid { type = S, identity = {0, 0, 0}, combine = function(a, b)\n"
                                        "  return { a.bits | b.bits, a.word | b.word, a.half | b.half } end }, input = vec(f64, 2),\n"
                                        "  map = function(x) return { bitcast(u64, x.x), bitcast(u32, f32(x.y)), bitcast(u16, f16(x.y)) } end }");
    const msw_plan *plan = msw_program_plan(program);
    q = make_queue(NULL);
    for (uint32_t k = 0; k < plan->kernel_count; k++) add_job(q, "bits", plan->kernels[k].entry, plan->kernels[k].text, archs[SM_90]);
    msw_program_destroy(program);
    finish(q);
}

/* NVRTC's PTX of the spec has none of the instructions. */
static void expect_no_instructions(const ms_nvrtc *nvrtc, const char *arch, const char *spec_text, const char *const *instructions, uint32_t count)
{
    msw_diag diag;
    msw_program *program = make_program(spec_text);
    const msw_plan *plan = msw_program_plan(program);
    for (uint32_t k = 0; k < plan->kernel_count; k++) {
        void *code;
        size_t bytes;
        char *log;
        check(ms_nvrtc_compile(nvrtc, &plan->kernels[k], arch, NULL, &code, &bytes, &log, &diag), &diag);
        for (uint32_t i = 0; i < count; i++) assert_null(strstr(code, instructions[i]));
        ms_free(NULL, log, strlen(log) + 1);
        ms_free(NULL, code, bytes);
    }
    msw_program_destroy(program);
}

/* Of ptxas a 16-bit negation or absolute value comes out wrong: -32768 may become 32768 (helpers.cuh). PTX with neither is right. */
static void test_no_negation_of_16_bits(void **state)
{
    static const char *const instructions[] = {"neg.s16", "abs.s16"};
    static const char spec_text[] =
        "return reduce { monoid = maximum(i16), input = vec(i16, 2), map = function(x)\n"
        "  local a, b = x.x, x.y\n"
        "  local all = mulhi(-a / 5, b)\n"
        "  for _, e in ipairs { abs(a), a * -1, ~a + 1, a - 2 * a, i16(-i32(a)), i16(-i64(a)), where(lt(a, 0), -a, a) } do\n"
        "    all = all ~ e >> 2 ~ where(lt(e, b), e, b)\n"
        "  end\n"
        "  return all\n"
        "end }";
    if (!*state) skip();
    expect_no_instructions(*state, "compute_90", spec_text, instructions, 2);
}

/* ptxas takes PTX's abs for never negative, also of the least integer (helpers.cuh). */
static void test_no_absolute_values(void **state)
{
    static const char *const instructions[] = {"abs.s"};
    static const char spec_text[] =
        "return reduce { monoid = maximum(i64), input = struct 'S' { {'l', i64}, {'i', i32}, {'h', i16}, {'b', i8} }, map = function(x)\n"
        "  local all = i64(0)\n"
        "  for _, a in ipairs { x.l, x.i, x.h, x.b } do\n"
        "    all = all ~ i64(abs(a)) ~ where(lt(abs(a), 0), i64(5), i64(6)) ~ i64(min(abs(a), 0))\n"
        "  end\n"
        "  for _, a in ipairs { x.l, x.i } do\n"
        "    for _, e in ipairs { where(lt(a, 0), -a, a), where(ge(a, 0), a, -a), max(a, -a), -min(a, -a) } do\n"
        "      all = all ~ where(lt(e, 0), i64(5), i64(e))\n"
        "    end\n"
        "  end\n"
        "  return all\n"
        "end }";
    if (!*state) skip();
    expect_no_instructions(*state, "compute_90", spec_text, instructions, 1);
    expect_no_instructions(*state, "compute_100", spec_text, instructions, 1); /* another NVVM, which knows more ways to write abs */
}

/* The register that a line of PTX defines by one of these instructions, of 32 bits; -1: none does. */
static int defined(const char *line, const char *instruction, int *first_operand, int *literal)
{
    char name[16], operand[32];
    int to = -1;
    *first_operand = *literal = -1;
    if (sscanf(line, " %15s %%r%d, %31[^,;]", name, &to, operand) != 3 || strcmp(name, instruction)) return -1;
    if (sscanf(operand, "%%r%d", first_operand) != 1) *literal = atoi(operand) > 0;
    return to;
}

/* Whether a value that is below zero, nothing or a negative number less something, is widened as if it had no sign. */
static int widens_below_zero(const char *ptx)
{
    enum { MOST_REGISTERS = 4096 };
    static unsigned char is_below[MOST_REGISTERS], is_not_positive[MOST_REGISTERS];
    memset(is_below, 0, sizeof is_below);
    memset(is_not_positive, 0, sizeof is_not_positive);
    for (const char *line = ptx; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        int from, literal, widened;
        int to = defined(line, "mov.u32", &from, &literal);
        if (to >= 0 && to < MOST_REGISTERS && literal == 0) is_not_positive[to] = 1;
        to = defined(line, "sub.s32", &from, &literal);
        if (to >= 0 && to < MOST_REGISTERS && from >= 0 && from < MOST_REGISTERS && (is_not_positive[from] || is_below[from])) is_below[to] = 1;
        to = defined(line, "neg.s32", &from, &literal);
        if (to >= 0 && to < MOST_REGISTERS) is_below[to] = 1;
        if (sscanf(line, " cvt.u64.u32 %%rd%*d, %%r%d", &widened) == 1 && widened < MOST_REGISTERS && is_below[widened]) return 1;
    }
    return 0;
}

/* NVVM takes the tile's items out of a place that is counted from its end, and widens what is left, which is below zero (tile_places.tpl). */
static void test_no_places_below_zero(void **state)
{
    msw_diag diag;
    if (!*state) skip();
    msw_program *program = make_program(
        "return scan { monoid = minimum(u32), reverse = true, inputs = { {'x', u32}, {'w', u8}, {'v', u32} }, map = function(e) return e.x end,\n"
        "  outputs = { {'a', value = function(s, e, i) return s ~ u32(i) + e.v end},\n"
        "              {'b', value = function(s, e, i) return u16(e.w) * 3 + u16(i) end},\n"
        "              {'c', value = function(s, e) return e.w ~ u8(e.x) end} } }");
    const msw_plan *plan = msw_program_plan(program);
    for (uint32_t k = 0; k < plan->kernel_count; k++) {
        void *code;
        size_t bytes;
        char *log;
        check(ms_nvrtc_compile(*state, &plan->kernels[k], "compute_90", NULL, &code, &bytes, &log, &diag), &diag);
        if (widens_below_zero(code)) fail_msg("%s", plan->kernels[k].entry);
        ms_free(NULL, log, strlen(log) + 1);
        ms_free(NULL, code, bytes);
    }
    msw_program_destroy(program);
}

/* ---- architectures and errors ---- */

static const char good_text[] = "extern \"C\" __global__ void k(int *x)\n{\n    x[0] = __CUDACC_VER_MAJOR__;\n}\n";

/* The first bytes of what NVRTC makes for an architecture. */
static void expect_code(const ms_nvrtc *nvrtc, const char *arch, const char *begin, const char *contains)
{
    const msw_plan_kernel kernel = {.entry = "k", .text = good_text};
    void *code;
    size_t bytes;
    char *log;
    msw_diag diag;
    check(ms_nvrtc_compile(nvrtc, &kernel, arch, NULL, &code, &bytes, &log, &diag), &diag);
    assert_true(bytes > strlen(begin));
    assert_memory_equal(code, begin, strlen(begin));
    if (contains) assert_non_null(strstr(code, contains));
    ms_free(NULL, log, strlen(log) + 1);
    ms_free(NULL, code, bytes);
}

static void test_architectures(void **state)
{
    if (!*state) skip();
    expect_code(*state, NULL, "//", ".target sm_75");
    expect_code(*state, "compute_90", "//", ".target sm_90");
    expect_code(*state, "sm_90", "\177ELF", NULL);
    expect_code(*state, "sm_90a", "\177ELF", NULL);
    expect_code(*state, "sm_900", "//", ".target sm_"); /* of the future: PTX of the last that is known */
}

static void expect_error(const char *text, const char *arch, msw_result expected, const char *message)
{
    const msw_plan_kernel kernel = {.entry = "k", .text = text};
    void *code = NULL;
    size_t bytes;
    msw_diag diag;
    assert_int_equal(ms_compiler_nvrtc.compile(&kernel, arch, NULL, &code, &bytes, &diag), expected);
    assert_null(code);
    assert_string_equal(diag.stage, "compile");
    if (!strstr(diag.message, message)) fail_msg("'%s' is not in '%s'", message, diag.message);
    assert_null(strchr(diag.message, '\n'));
}

static void test_errors(void **state)
{
    if (!*state) skip();
    expect_error("#warning first\n__device__ int f()\n{\n    return missing;\n}\n", "sm_90", MSW_ERROR_COMPILE,
                 "kernel 'k': k.cu(4): error: identifier \"missing\" is undefined");
    expect_error(good_text, "sm_20", MSW_ERROR_UNSUPPORTED, "not for sm_20");
    expect_error(good_text, "gfx90a", MSW_ERROR_UNSUPPORTED, "'gfx90a' is no CUDA architecture; sm_90 gives a cubin");
    expect_error(good_text, "sm_", MSW_ERROR_UNSUPPORTED, "no CUDA architecture");
}

/* ---- how long it takes ---- */

static double spent(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* From a spec to the cubins of a plan's kernels: processor time, since other programs run beside tests. */
static void test_time(void **state)
{
    static const char *const specs[] = {"return scan { monoid = sum(u32) }",
                                        "local A = struct 'A' { {'a', f32}, {'b', f32} }\n"
                                        "return scan { monoid = monoid { type = A, identity = A(1, 0), combine = function(f, g)\n"
                                        "  return A(f.a * g.a, f.b * g.a + g.b) end } }"};
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA, .arch = "sm_90"};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target};
    if (!*state) skip();
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        const msw_spec_desc spec_desc = {.struct_size = sizeof spec_desc, .text = specs[i]};
        msw_spec *spec;
        msw_program *program;
        msw_diag diag;
        const double start = spent();
        check(msw_spec_create(&spec_desc, &spec, &diag), &diag);
        check(msw_program_create(spec, &desc, &program, &diag), &diag);
        const double emitted = spent();
        check(msw_program_compile(program, &diag), &diag);
        const double compiled = spent();
        print_message("spec %zu: text after %.0f ms, %u cubins after %.0f ms\n", i, 1e3 * (emitted - start), msw_program_plan(program)->kernel_count,
                      1e3 * (compiled - start));
        msw_program_destroy(program);
        msw_spec_destroy(spec);
    }
}

static int open_state(void **state)
{
    *state = open_compiler();
    return 0;
}

static int close_state(void **state)
{
    if (*state) ms_nvrtc_close(*state);
    return 0;
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_architectures),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_histogram_by_nvcc),
        cmocka_unit_test(test_wide_values_by_nvcc),
        cmocka_unit_test(test_bits_by_nvcc),
        cmocka_unit_test(test_no_negation_of_16_bits),
        cmocka_unit_test(test_no_places_below_zero),
        cmocka_unit_test(test_no_absolute_values),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_lookahead),
        cmocka_unit_test(test_wide_elements),
        cmocka_unit_test(test_goldens),
        cmocka_unit_test(test_goldens_by_nvcc),
        cmocka_unit_test(test_corpus),
        cmocka_unit_test(test_corpus_without_shuffles),
        cmocka_unit_test(test_corpus_without_progress),
        cmocka_unit_test(test_geometries),
    };
    if (count > 1) cmocka_set_test_filter(arguments[1]);
    return cmocka_run_group_tests(tests, open_state, close_state);
}
