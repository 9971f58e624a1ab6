/* What n a plan and a device serve: told from sizes alone, before anything is read or uploaded, by the library and by the command line. */
#include "api_checks.h"
#include "cli_driver.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* One block of few items: a plan that ends early where loops are short (llvmpipe), and beyond 2^32 elements everywhere. */
static const char bytes_text[] = "return reduce { name = 'total', monoid = sum(u32), input = u8, map = function(x) return u32(x) end, "
                                 "tune = { strategy = 'single_block', block = 32, items = 4 } }";

/* ---- the library ---- */

/* The input is memory that nobody may touch. */
static void test_host_arrays_are_not_read(void **state)
{
    (void)state;
    msw_context *context = open_device(test_device_name());
    msw_kernel *kernel = make_kernel(context, bytes_text);
    const msw_plan *plan = msw_kernel_plan(kernel);
    const uint64_t n = plan->variants[plan->variant_count - 1].n_max + 1;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *input = aligned_alloc(page, page);
    uint32_t total = 7;
    assert_non_null(input);
    assert_int_equal(mprotect(input, page, PROT_NONE), 0);
    REFUSED(MSW_ERROR_UNSUPPORTED, "serves up to", msw_kernel_run_host(kernel, n, (const void *[]){input}, (void *[]){&total}, NULL, fresh()));
    assert_non_null(strstr(diag.message, msw_context_device(context)->id)); /* where; and the way out */
    assert_non_null(
        strstr(diag.message, "; leave the strategy to the planner; on CUDA and lavapipe larger tiles (knobs items and block) serve more"));
    assert_int_equal(total, 7);
    assert_int_equal(mprotect(input, page, PROT_READ | PROT_WRITE), 0);
    free(input);
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
}

/* A device of any memory: 64 elements of 4 bytes in, as many out, and the scratch. */
static void test_memory(void **state)
{
    (void)state;
    msw_spec *spec = read_text(sum_text);
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA};
    const msw_knob knobs[] = {{"strategy", "reduce_then_scan"}};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target, .knobs = knobs, .knob_count = 1};
    msw_program *program;
    expect_ok(msw_program_create(spec, &desc, &program, fresh()));
    const msw_plan *plan = msw_program_plan(program);
    const uint64_t scratch_bytes = msw_scratch_bytes(plan, 64);
    msw_device_info device = {.struct_size = sizeof device,
                              .backend = MSW_BACKEND_CUDA,
                              .id = "cuda:0",
                              .name = "small",
                              .memory_bytes = 512 + scratch_bytes,
                              .max_allocation_bytes = 256};
    assert_true(scratch_bytes > 0 && scratch_bytes < 256);
    expect_ok(msw_plan_serves(plan, &device, 64, fresh()));
    REFUSED(MSW_ERROR_OUT_OF_MEMORY, "n = 65 takes 260 bytes for 'in', but one allocation on cuda:0 (small) has at most 256; split",
            msw_plan_serves(plan, &device, 65, fresh()));
    device.memory_bytes--;
    REFUSED(MSW_ERROR_OUT_OF_MEMORY, "bytes with its scratch, but the memory on cuda:0 (small) has", msw_plan_serves(plan, &device, 64, fresh()));
    device.max_allocation_bytes = scratch_bytes - 1;
    REFUSED(MSW_ERROR_OUT_OF_MEMORY, "for the scratch, but one allocation", msw_plan_serves(plan, &device, 0, fresh()));
    device.max_allocation_bytes = device.memory_bytes = UINT64_MAX;
    const uint64_t n_max = plan->variants[plan->variant_count - 1].n_max;
    expect_ok(msw_plan_serves(plan, &device, n_max, fresh()));
    expect_ok(msw_plan_serves(plan, NULL, n_max, fresh()));
    REFUSED(MSW_ERROR_UNSUPPORTED, "serves up to", msw_plan_serves(plan, NULL, n_max + 1, fresh()));
    /* A driver on a CPU names a heap and hands out more; one allocation is limited all the same. */
    device = (msw_device_info){.struct_size = sizeof device,
                               .backend = MSW_BACKEND_VULKAN,
                               .id = "vulkan:0",
                               .target.is_cpu = 1,
                               .memory_bytes = 256,
                               .max_allocation_bytes = 256};
    expect_ok(msw_plan_serves(plan, &device, 64, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "plan is NULL", msw_plan_serves(NULL, &device, 64, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "broken", msw_plan_serves(&(msw_plan){0}, &device, 64, fresh()));
    msw_program_destroy(program);
    msw_spec_destroy(spec);
}

/* Each variant's launches, with repetitions, steps that are joined, and the mode. */
static void test_launches(void **state)
{
    msw_plan plan = {
        .format = MSW_PLAN_FORMAT,
        .name = "p",
        .buffer_count = 3,
        .kernel_count = 1,
        .step_count = 6,
        .variant_count = 3,
        .scratch_alignment_bytes = 16,
        .buffers = {{"in", 4, 4, MSW_LENGTH_N, 0, 0, 0}, {"out", 8, 8, MSW_LENGTH_ONE, 1, 0, 0}, {"same", 4, 4, MSW_LENGTH_N, 1, 0, 0}},
        .steps = {{0, 10, 1, 0, 0, 0, 0, 0},
                  {0, 10, 4, 0, 0, 0, 0, 0},
                  {0, 10, 1, 0, 2, 1, 0, 0},
                  {0, 5, 9, 0, 0, 0, 0, 0},
                  {0, 10, 4, 0, 3, 0, 0, 0},
                  {0, 1, 1, 0, 0, 0, 0, 0}},
        .variants = {{.n_max = 10, .first_step = 0, .step_count = 1, .serves_in_place = 1, .strategy = "one"},
                     {.n_max = 1000,
                      .first_step = 1,
                      .step_count = 3,
                      .scratch_base_bytes = 100,
                      .scratch_per_tile_bytes = 2,
                      .read_bytes_per_item = 8,
                      .written_bytes_per_item = 4,
                      .strategy = "many"},
                     {.n_max = 1000, .first_step = 4, .step_count = 1, .is_ping_pong = 1, .scratch_base_bytes = 5, .strategy = "turns"}}};
    msw_launch_info info = {.struct_size = sizeof info};
    (void)state;
    expect_ok(msw_plan_launch(&plan, 0, MSW_IN_PLACE, &info, fresh()));
    assert_true(info.variant == 0 && info.launch_count == 1 && info.blocks[0] == 1 && info.tiles[0] == 0 && info.scratch_bytes == 0);
    assert_true(info.bytes_read == 0 && info.bytes_written == 8);
    expect_ok(msw_plan_launch(&plan, 95, 0, &info, fresh()));
    assert_true(info.variant == 1 && info.launch_count == 1 + 3 * 2 && info.scratch_bytes == 100 + 2 * 10);
    assert_true(info.blocks[0] == 4 && info.tiles[0] == 10 && info.blocks[1] == 1 && info.tiles[1] == 10 && info.blocks[2] == 9 &&
                info.tiles[2] == 19);
    assert_true(info.blocks[3] == 0 && info.tiles[3] == 0);
    assert_true(info.bytes_read == 2 * 380 && info.bytes_written == 8 + 380);
    expect_ok(msw_plan_launch(&plan, 5, MSW_PING_PONG, &info, fresh()));
    assert_true(info.variant == 2 && info.launch_count == 4 && info.scratch_bytes == 5);
    REFUSED(MSW_ERROR_UNSUPPORTED, "leave the strategy to the planner", msw_plan_launch(&plan, 95, MSW_IN_PLACE, &info, fresh()));
    REFUSED(MSW_ERROR_UNSUPPORTED, "serves up to 1000", msw_plan_launch(&plan, 1001, 0, &info, fresh()));
    /* Flags are those of an enqueue. */
    expect_ok(msw_plan_launch(&plan, 5, MSW_SCRATCH_DIRTY, &info, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "flags 0xff00 are not known", msw_plan_launch(&plan, 5, 0xff00, &info, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "choose", msw_plan_launch(&plan, 5, MSW_IN_PLACE | MSW_PING_PONG, &info, fresh()));
    /* In place needs an output as large as an input. */
    plan.buffers[2].element_bytes = 2;
    REFUSED(MSW_ERROR_UNSUPPORTED, "element size", msw_plan_launch(&plan, 5, MSW_IN_PLACE, &info, fresh()));
    expect_ok(msw_plan_launch(&plan, 5, 0, &info, fresh()));
    info.struct_size = 8;
    REFUSED(MSW_ERROR_VERSION, "set it to sizeof(msw_launch_info)", msw_plan_launch(&plan, 5, 0, &info, fresh()));
}

/* Why an operation does not run in place, as msw_kernel_run tells it, too (test_api_run). */
static void test_in_place(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"return compact { input = u32, keep = function(x) return gt(x, 3) end }", "as packed and scattered ones have not"},
        {"return unique { input = u32 }", "as packed and scattered ones have not"},
        {"return map { input = u32, output = function(x, i, near) return x + near.before end }", "reads what is near an element"},
        {"return scan { monoid = sum(u32), map = function(x, i, near) return x + near.before end }", "reads what is near an element"},
        {"return pipeline(function(p) local x = p.input('x', u32)\n"
         "p.output('y', p.scan { input = x, monoid = sum(u32) }) end)",
         "is a pipeline, which does not run in place"},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA, .arch = "sm_90"};
        msw_launch_info info = {.struct_size = sizeof info};
        msw_spec *spec = read_text(cases[c].text);
        msw_program *program;
        expect_ok(msw_program_create(spec, &(msw_program_desc){.struct_size = sizeof(msw_program_desc), .target = &target}, &program, fresh()));
        REFUSED(MSW_ERROR_UNSUPPORTED, cases[c].words, msw_plan_launch(msw_program_plan(program), 1000000, MSW_IN_PLACE, &info, fresh()));
        msw_program_destroy(program);
        msw_spec_destroy(spec);
    }
}

/* ---- the command line ---- */

static int set_up(void **state)
{
    (void)state;
    enter_directory("test_limits.files");
    make_text("total.lua", "return reduce { name = 'total', monoid = sum(u32), input = u8, map = function(x) return u32(x) end }");
    make_text("block.lua", bytes_text);
    make_text("order.lua", "return sort { name = 'order', key = u8, value = 'index' }");
    return 0;
}

/* A file with a hole behind `head`: it has a size, and would take minutes to read. */
static void make_sparse(const char *path, const void *head, size_t head_bytes, off_t bytes)
{
    make_file(path, head, head_bytes);
    assert_int_equal(truncate(path, bytes), 0);
}

/* It fails as expect_failure wants it, in little processor time and memory: the file was not read. */
static void expect_instant(const char *arguments, const char *message)
{
    struct rusage before, after;
    getrusage(RUSAGE_CHILDREN, &before);
    expect_failure(arguments, 1, message);
    getrusage(RUSAGE_CHILDREN, &after);
    const double seconds = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec + after.ru_stime.tv_sec - before.ru_stime.tv_sec);
    if (seconds > 10 || after.ru_maxrss > 1 << 20) fail_msg("%s: %.0f s of processor time, %ld KiB", arguments, seconds, after.ru_maxrss);
}

static void test_files_are_not_read(void **state)
{
    static const char *const devices[] = {"host", "vulkan"};
    static const off_t tera = (off_t)1 << 40;
    char arguments[256], head[128];
    (void)state;
    make_sparse("huge.bin", "", 0, tera);
    const int length =
        snprintf(head, sizeof head, "\x93NUMPY\x01%cN%c{'descr': '|u1', 'fortran_order': False, 'shape': (%lld,), }", 0, 0, (long long)tera);
    head[8] = (char)(length - 10);
    make_sparse("huge.npy", head, (size_t)length, tera + length);
    for (int d = 0; d < 2; d++) {
        snprintf(arguments, sizeof arguments, "run total.lua --device %s --input in=huge.bin --output out=out/a", devices[d]);
        expect_instant(arguments, "'total': n = 1099511627776");
        snprintf(arguments, sizeof arguments, "run total.lua --device %s --input in=huge.npy --output out=out/a", devices[d]);
        expect_instant(arguments, "'total': n = 1099511627776");
        snprintf(arguments, sizeof arguments, "run total.lua --device %s --input in=- --output out=out/a <huge.bin", devices[d]);
        expect_instant(arguments, "'total': n = 1099511627776");
    }
    expect_instant("run order.lua --device host --input keys=huge.bin --output values_out=out/a",
                   "'order': n = 1099511627776, but this plan serves up to 4294967296");
    expect_instant("run total.lua --device vulkan --verify --input in=huge.bin", "'total': n = 1099511627776");
}

/* 2^31 bytes, which llvmpipe's loops do not reach, were uploaded for half a minute. A pipe has no size: it is refused once it was read. */
static void test_short_loops(void **state)
{
    (void)state;
    cli_result devices = run("devices");
    const int is_llvmpipe = strstr(devices.out.data, "vulkan:0   llvmpipe") != NULL;
    drop(&devices);
    if (!is_llvmpipe) skip();
    make_sparse("large.bin", "", 0, (off_t)1 << 31);
    expect_instant("run total.lua --device vulkan --input in=large.bin --output out=out/a",
                   "but this plan serves up to 1073741824 on vulkan:0 (llvmpipe");
    expect_instant("run block.lua --device vulkan --input in=/dev/stdin --output out=out/a <large.bin",
                   "but this plan serves up to 131072 on vulkan:0 (llvmpipe");
    assert_int_equal(truncate("large.bin", 131073), 0);
    expect_instant("check total.lua --quiet; cat large.bin | '" MSW_BINARY_DIR
                   "/monosweep' run block.lua --device vulkan --input in=- --output out=out/a",
                   "but this plan serves up to 131072");
    expect_instant("run block.lua --device vulkan --input in=/dev/zero --output out=out/a",
                   "/dev/zero: longer than what is served, and read no further");
    expect("bench block.lua --device vulkan --n 2^10,2^18 --rounds 1 --quiet --csv -", 0, ",1024,", NULL);
    expect("bench block.lua --device vulkan --n 2^10,2^18 --rounds 1", 0, " 2^10 ",
           "total: n from 262144 on are left out: 'total': n = 262144, but this plan serves up to 131072");
    expect("bench block.lua --device vulkan --n 2^18", 1, NULL, "total: no n is left to measure; give --n smaller sizes");
    make_text("free.lua", "return reduce { name = 'total', monoid = sum(u32), input = u8, map = function(x) return u32(x) end }");
    expect("tune free.lua --device vulkan --n 2^40", 2, NULL, "more than there is memory for");
    /* It runs blocks in turn, whatever the user says of it. */
    expect("run free.lua --device vulkan --input in=large.bin --output out=out/a --progress-model parallel", 2, NULL,
           "this driver runs blocks in turn, so kernels that count on more would be wrong or wait forever; leave the progress model out");
    expect("plan free.lua --device vulkan --progress-model occupancy", 2, NULL, "leave the progress model out");
    expect("plan free.lua --device vulkan --progress-model none", 0, "total: ", NULL);
}

/* ---- what kernels of 32 bits count in a large scratch ---- */

static const char arithmetic_text[] =
    "#include <stdbool.h>\n#include <stdio.h>\ntypedef unsigned int uint;\ntypedef unsigned long long wide;\n"
    "typedef struct { uint zeroed; } uvec2;\nstatic uint zeroed_count(uvec2 scratch) { return scratch.zeroed; }\n"
    "#include \"taken.h\"\n"
    "static int check(uint n, uint zeroed)\n{\n"
    "    const wide tiles = ((wide)n + TILE - 1) / TILE, posts = tiles * TILE_POST_UNITS, all = (wide)zeroed * 16, keys = SPARE_UNITS + tiles * "
    "TILE_KEY_UNITS;\n"
    "    const wide first = (wide)first_post_unit((uvec2){zeroed}, n) * 16, end = (wide)units_before(tiles_of(n), TILE_KEY_UNITS) * 16;\n"
    "    const wide least = SPARE_UNITS / 16 * 16, begin = posts < all && all - posts > least ? all - posts : least;\n"
    "    if (first > begin || first + 32 < begin || first < least) return printf(\"posts of %u in %u: %llu, %llu\\n\", n, zeroed, first, begin);\n"
    "    if (end < keys || end >= keys + 16) return printf(\"keys of %u: %llu, %llu\\n\", n, end, keys);\n"
    "    return 0;\n}\n"
    "int main(void)\n{\n    int wrong = 0;\n"
    "    for (wide n = 1; n < 4294900000; n += n / 7 + 1)\n"
    "        for (wide zeroed = 200; zeroed <= 0xffffffff; zeroed += zeroed / 5) wrong |= check((uint)n, (uint)zeroed);\n"
    "    return wrong || check(4294900000u, 0xffffffffu);\n}\n";

/* Where keys and posts of ping-pong sorts lie in scratches beyond 64 GiB, by the functions of the kernel's text. */
static void test_large_scratch(void **state)
{
    static const char *const specs[] = {"sort { key = u64, value = u32 }", "sort { key = u64, value = vec(u64, 4) }", "sort { key = u32 }"};
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        char spec[128];
        snprintf(spec, sizeof spec, "return %s", specs[i]);
        make_text("sorted.lua", spec);
        make_text("arithmetic.c", arithmetic_text);
        expect("gen sorted.lua --target glsl --quiet -o texts", 0, NULL, NULL);
        assert_int_equal(system("sed -n '/^const uint \\(TILE\\|SPARE_UNITS\\|TILE_POST_UNITS\\) =/p; /^uint "
                                "\\(tiles_of\\|units_before\\|first_post_unit\\)(/,/^}/p' "
                                "texts/sorted_sort_histogram.comp > taken.h && sed -n '/^const uint TILE_KEY_UNITS =/p' "
                                "texts/sorted_sort_starts.comp >> taken.h && cc -std=c11 -O1 arithmetic.c -o arithmetic && ./arithmetic >&2"),
                         0);
    }
}

/* Kernels of a sort whose own tiles have other numbers of items go by the pass's where keys and posts lie. */
static void test_one_tile(void **state)
{
    static const char *const specs[] = {"sort { key = u32 }", "sort { key = u64 }", "sort { key = u32, value = u32 }",
                                        "sort { key = u8, value = u64 }"};
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        char spec[128];
        snprintf(spec, sizeof spec, "return %s", specs[i]);
        make_text("sorted.lua", spec);
        assert_int_equal(system("rm -rf texts"), 0);
        expect("gen sorted.lua --target cuda --arch sm_90 --quiet -o texts", 0, NULL, NULL);
        assert_int_equal(
            system("for text in texts/sorted_sort_*.cu; do case $text in *_few.cu) continue; esac; awk '"
                   "/^constexpr uint TILE = / { tile = $5 + 0 } /^[^ ].* tiles_of\\(/ { is_here = 1 }\n"
                   "is_here && /return/ { is_here = 0; sub(/;/, \"\", $NF); print $NF == \"TILE\" ? tile : $NF + 0 }' $text; done "
                   "| sort -u > tiles; rm texts/sorted_sort_*_few.cu; [ $(wc -l < tiles) = 1 ] && grep -q \"^constexpr uint TILE = $(cat tiles)u;\" "
                   "texts/sorted_sort_pass*.cu || { cat tiles; false; } >&2"),
            0);
    }
}

static const char posts_text[] = "#include <stdbool.h>\n#include <stdio.h>\ntypedef unsigned int uint;\ntypedef unsigned long long wide;\n"
                                 "typedef struct { uint zeroed; } uvec2;\nstatic uint zeroed_count(uvec2 scratch) { return scratch.zeroed; }\n"
                                 "#include \"taken.h\"\n"
                                 "int main(void)\n{\n"
                                 "    for (wide tiles = 1; tiles < 300000000; tiles += tiles / 5 + 1) {\n"
                                 "        const wide end = DESCRIPTORS_OFFSET + tiles * POST_BYTES, units = (end + 255) / 256;\n"
                                 "        if (!has_posts_of((uvec2){(uint)units}, (uint)tiles)) return printf(\"%llu are refused\\n\", tiles);\n"
                                 "        if (!has_posts_of((uvec2){0x08000000u}, (uint)tiles)) return printf(\"%llu are refused\\n\", tiles);\n"
                                 "        if (has_posts_of((uvec2){(uint)units - 1}, (uint)tiles)) return printf(\"%llu are taken\\n\", tiles);\n"
                                 "    }\n    return 0;\n}\n";

/* Whether posts lie in what was zeroed, for scratches beyond 32 GiB, likewise. */
static void test_posts_in_large_scratch(void **state)
{
    static const struct {
        const char *type;
        int post_bytes;
    } cases[] = {{"u32", 8}, {"vec(u32, 4)", 32}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char spec[128], command[512];
        snprintf(spec, sizeof spec, "return scan { monoid = sum(%s) }", cases[i].type);
        make_text("posted.lua", spec);
        make_text("posts.c", posts_text);
        expect("gen posted.lua --target glsl --set strategy=lookback --progress-model parallel --quiet -o texts", 0, NULL, NULL);
        snprintf(command, sizeof command,
                 "sed -n '/^const uint DESCRIPTORS_OFFSET =/p; /^bool has_posts_of(/,/^}/p' texts/posted_scan_lookback.comp > taken.h && "
                 "cc -std=c11 -O1 -DPOST_BYTES=%d posts.c -o posts && ./posts >&2",
                 cases[i].post_bytes);
        assert_int_equal(system(command), 0);
    }
}

static const char limit_text[] =
    "#include <stdbool.h>\n#include <stdio.h>\ntypedef unsigned int uint;\ntypedef unsigned long long wide;\n"
    "typedef struct { uint zeroed; } uvec2;\nstatic uint zeroed_count(uvec2 scratch) { return scratch.zeroed; }\n"
    "typedef uint Posts;\ntypedef uint Value;\nstatic uint place;\n"
    "static void publish(Posts posts, uint first, uint tag, Value x) { place = posts + tag + x > 0 ? first : 0; }\n"
    "#include \"taken.h\"\n"
    "int main(void)\n{\n    int wrong = 0;\n"
    "    const wide most = ((wide)N_MAX + TILE - 1) / TILE, units = (DESCRIPTORS_OFFSET + most * TILE_BYTES + 255) / 256;\n"
    "    for (wide tile = 0; tile < most; tile += tile + 1 < most && tile + tile / 3 + 1 >= most ? most - 1 - tile : tile / 3 + 1) {\n"
    "        const wide end = (tile + 1) * TILE_BYTES / WORD_BYTES, first = end - TILE_BYTES / WORD_BYTES;\n"
    "        publish_aggregate(1, (uint)tile, 1, 1);\n        wrong |= place != first;\n"
    "        publish_prefix(1, (uint)tile, 1, 1);\n        wrong |= (wide)place + WORDS != end || end > 0x7fffffff;\n"
    "        if (wrong) return printf(\"tile %llu of %llu posts at %u of %llu to %llu\\n\", tile, most, place, first, end);\n    }\n"
    "    if (!has_posts_of((uvec2){(uint)units}, (uint)most) || has_posts_of((uvec2){(uint)units - 1}, (uint)most)) return puts(\"room\");\n"
    "    return most < LEAST && printf(\"%llu tiles\\n\", most);\n}\n";

/* Of one kernel's text: words of elements, by what it says of them, and what groups are moved by have indices below 2^31, and masks of a last word
 * are shifted by 8, 16 or 24. */
static void check_indices(const char *name, const char *text, uint64_t n_max)
{
    int words, elements, first, last = 0, found;
    for (const char *at = text; (at = strstr(at, "uint word[]; // ")); at++) {
        const int is_group = sscanf(at, "uint word[]; // %d words for %d element", &words, &elements) == 2 ||
                             sscanf(at, "uint word[]; // %d word for %d element", &words, &elements) == 2;
        if (!is_group && (elements = 4, sscanf(at, "uint word[]; // items of %d byte", &words) != 1)) fail_msg("%s: %.60s", name, at);
        if (n_max / (unsigned)elements * (unsigned)words >= UINT64_C(1) << 31) fail_msg("%s: n = %llu, %.60s", name, (unsigned long long)n_max, at);
    }
    const char *const vector_text = strstr(text, "const uint VECTOR = ");
    const uint64_t vector = vector_text ? strtoull(vector_text + strlen("const uint VECTOR = "), NULL, 10) : 1;
    for (const char *at = text; (at = strstr(at, "const uint first = start / VECTOR * ")); at++) { /* words, or 8 or 16 bytes, of a group */
        const uint64_t count = strtoull(at + strlen("const uint first = start / VECTOR * "), NULL, 10);
        if ((n_max / vector + 1) * count >= UINT64_C(1) << 31) fail_msg("%s: n = %llu, %.60s", name, (unsigned long long)n_max, at);
    }
    for (const char *at = text; (at = strstr(at, "if (start")); at++) {
        const int is_last = at >= text + 7 && !strncmp(at - 7, "} else ", 7);
        first = 0;
        if (sscanf(at, "if (start + %du < n) {%n", &first, (found = 0, &found)) < 1 && strncmp(at, "if (start < n) {", 16)) continue;
        if (!is_last) {
            last = first;
            continue;
        }
        const char *mask = strstr(at, "const uint mask = (1u << (8u * (");
        int size = 1, before = 0;
        assert_non_null(mask);
        mask += strlen("const uint mask = (1u << (8u * (");
        if (sscanf(mask, "(n - start) * %du - %du)", &size, &before) < 1 && sscanf(mask, "n - start - %du)", &before) < 1 &&
            strncmp(mask, "n - start)", 10))
            fail_msg("%s: %.60s", name, mask);
        assert_true(first < last);
        for (int count = first + 1; count <= last; count++)
            if (count * size - before < 1 || count * size - before > 3) fail_msg("%s: %d elements, %.60s", name, count, mask);
    }
}

/* On Vulkan, with and without the types that a device may lack. */
static void test_vulkan_indices(void **state)
{
    static const char *const types[] = {"u8",     "i16",  "u32",   "u64",         "vec(u32, 3)", "vec(u8, 3)", "vec(f16, 2)",
                                        "Padded", "Wide", "Bytes", "vec(u64, 3)", "Five",        "Eight"};
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types * 2; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "local Padded = struct 'Padded' { { 'a', u64 }, { 'b', u32 } } local Bytes = struct 'Bytes' { { 'a', u8 }, { 'b', u16 }, { 'c', u8 } }\n"
            "local Five = struct 'Five' { { 'a', vec(u64, 4) }, { 'b', u64 } }\n"
            "local Eight = struct 'Eight' { { 'a', vec(u64, 4) }, { 'b', vec(u64, 4) } }\n"
            "local Wide = struct 'Wide' { { 'a', vec(u64, 4) }, { 'b', vec(u64, 4) }, { 'c', u8 } } local T = %s\n"
            "return { map { name = 'copy', input = T, output = function(x) return x end }, sort { name = 'order', key = u32, value = T },\n"
            "  scan { name = 'back', monoid = sum(u32), input = T, map = function(x) return u32(1) end, reverse = true } }",
            types[i / 2]);
        msw_spec *spec = read_text(text);
        for (uint32_t op = 0; op < msw_spec_op_count(spec); op++) {
            const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_VULKAN, .has_features = i % 2};
            const msw_program_desc desc = {.struct_size = sizeof desc, .op = op, .target = &target};
            msw_program *program;
            expect_ok(msw_program_create(spec, &desc, &program, fresh()));
            const msw_plan *plan = msw_program_plan(program);
            const uint64_t n_max = plan->variants[plan->variant_count - 1].n_max;
            assert_in_range(n_max, 1 << 20, INT32_MAX);
            for (uint32_t k = 0; k < plan->kernel_count; k++) check_indices(types[i / 2], plan->kernels[k].text, n_max);
            msw_program_destroy(program);
        }
        msw_spec_destroy(spec);
    }
}

/* The largest n of a plan on Vulkan: by the functions of the kernel's text its last tile has its posts where they belong, at indices below 2^31.
 * Posts of 128 bytes, tiles of 32 items: 16 GiB of posts, or 8 GiB where they have flags. */
static void test_posts_limit(void **state)
{
    static const char *const models[] = {"parallel", "none"};
    static const struct {
        const char *descriptor;
        int word_bytes, tile_bytes[2]; /* by model */
    } cases[] = {{"tagged", 8, {256, 512}}, {"flagged", 4, {264, 264}}};
    (void)state;
    make_text("limited.lua", "local s = sum(vec(u64, 4)) local p = pair(s, s)\n"
                             "return scan { monoid = pair(p, p), input = u32, output = function(t) return u32(t._1._1.x) end,\n"
                             "  map = function(x) local v = vec(u64, 4)(u64(x), u64(x), u64(x), u64(x)) return { { v, v }, { v, v } } end }");
    make_text("limit.c", limit_text);
    for (int i = 0; i < 4; i++) {
        const int c = i / 2, model = i % 2, tile_bytes = cases[c].tile_bytes[model];
        char command[1024];
        const unsigned tile_words = (unsigned)(tile_bytes / cases[c].word_bytes), least = (0x7ffffff0u / (tile_words > 32 ? tile_words : 32)) - 8;
        snprintf(command, sizeof command,
                 "gen limited.lua --target glsl --set strategy=lookback --set block=32 --set items=1 --set vector=1 --set descriptor=%s "
                 "--progress-model %s --quiet -o texts",
                 cases[c].descriptor, models[model]);
        expect(command, 0, NULL, NULL);
        snprintf(command, sizeof command,
                 "sed -n '/^const uint \\(TILE\\|WORDS\\|DESCRIPTORS_OFFSET\\) =/p; /^bool has_posts_of(/,/^}/p; "
                 "/^void publish_\\(aggregate\\|prefix\\)(/,/^}/s/Pair_[0-9_]*/Value/; /^void publish_\\(aggregate\\|prefix\\)(/,/^}/p' "
                 "texts/limited_scan_lookback.comp > taken.h && "
                 "n=$(sed -n 's/.*\"n_max\": \\([0-9]*\\).*/\\1/p' texts/limited_vulkan.plan.json) && "
                 "cc -std=c11 -O1 -DN_MAX=$n -DTILE_BYTES=%d -DWORD_BYTES=%d -DLEAST=%u limit.c -o limit && ./limit >&2",
                 tile_bytes, cases[c].word_bytes, least);
        if (system(command)) fail_msg("descriptor %s, model %s", cases[c].descriptor, models[model]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_posts_in_large_scratch),
                                       cmocka_unit_test(test_vulkan_indices),
                                       cmocka_unit_test(test_posts_limit),
                                       cmocka_unit_test(test_host_arrays_are_not_read),
                                       cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_launches),
                                       cmocka_unit_test(test_in_place),
                                       cmocka_unit_test(test_files_are_not_read),
                                       cmocka_unit_test(test_short_loops),
                                       cmocka_unit_test(test_large_scratch),
                                       cmocka_unit_test(test_one_tile),
                                       cmocka_unit_test(test_validation_was_silent)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
