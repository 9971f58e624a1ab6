/* Vendored headers as strangers use them: copied to a folder of their own, built without a warning by the compilers that are there, run. */
#include "cli_driver.h"

#include <monosweep/monosweep.h>

#define SOURCES "'" MSW_SOURCE_DIR "/"
#define WARNINGS "-Wall -Wextra -Wconversion -Wpedantic -Wshadow -Werror"

enum { COMMAND_BYTES = 8192 };

/* C11 and C++17, by the compilers that projects use. */
static const struct compiler {
    const char *name, *flags;
} compilers[] = {{"gcc", "-std=c11"}, {"clang", "-std=c11"}, {"g++", "-x c++ -std=c++17"}, {"clang++", "-x c++ -std=c++17"}};
enum { COMPILERS = sizeof compilers / sizeof *compilers };

/* Runs a command in a shell; it must succeed. Gives what it printed; free it. */
__attribute__((format(printf, 1, 2))) static char *sh(const char *format, ...)
{
    char command[COMMAND_BYTES];
    va_list arguments;
    va_start(arguments, format);
    const int length = snprintf(command, sizeof command, "{ ");
    const int more = vsnprintf(command + length, sizeof command - 64, format, arguments);
    va_end(arguments);
    assert_true(more >= 0 && more < COMMAND_BYTES - 64);
    strcat(command, "\n} > sh.txt 2>&1");
    const int status = system(command);
    cli_file printed = load_file("sh.txt");
    if (status) fail_msg("%s\nfailed: %.4000s", command, printed.data);
    return printed.data;
}

static int is_there(const char *program)
{
    char command[256];
    snprintf(command, sizeof command, "command -v %s >/dev/null", program);
    return system(command) == 0;
}

/* ---- the headers ---- */

#define KERNELS "gen " SOURCES "tests/emit/vendored/kernels.lua' --target header --quiet "

static int set_up(void **state)
{
    (void)state;
    enter_directory("test_header.files");
    make_text("second.lua", "return scan { monoid = sum(u32) }\n");
    expect(KERNELS "--backend vulkan,cuda --subgroup 4,8,16,32 --or-without long_loops --embed ptx --spdx '0BSD OR MIT' -o vulkan", 0, NULL, NULL);
    expect(KERNELS "--backend cuda --arch sm_90 --embed ptx -D LARGE=1 -o cuda", 0, NULL, NULL);
    expect(KERNELS "--subgroup 4 --without int8,int16,int64,float16,float64,atomic64 -o swiftshader", 0, NULL, NULL);
    expect("gen second.lua --target header --quiet --subgroup 128 -o vulkan", 0, NULL, NULL); /* subgroups that no device has */
    expect("gen second.lua --target header --quiet --subgroup 128 -o swiftshader", 0, NULL, NULL);
    expect("gen second.lua --target header --quiet --backend cuda --arch sm_90 --set strategy=lookahead --set blocks=300 --embed ptx -o cuda", 0,
           NULL, NULL);
    free(sh("cp " SOURCES "tests/emit/vendored/program.c' " SOURCES "tests/emit/vendored/other.c' " SOURCES "tests/emit/vendored/other.h' " SOURCES
            "tests/emit/vendored/refusals.h' vulkan\n"
            "cp vulkan/*.c vulkan/other.h vulkan/refusals.h swiftshader && cp vulkan/*.c vulkan/other.h vulkan/refusals.h " SOURCES
            "tests/emit/vendored/driver.c' cuda\n"
            "cp " SOURCES "examples/vendored_vulkan/setup.h' vulkan && cp vulkan/setup.h swiftshader && cp " SOURCES
            "examples/vendored_cuda/setup.h' cuda"));
    return 0;
}

/* From another directory, by another path, with the flags in another order: the same bytes. Nothing of this machine is in them. */
static void test_same_bytes(void **state)
{
    (void)state;
    free(sh(
        "cp " SOURCES "tests/emit/vendored/kernels.lua' . && cd vulkan && '" MSW_BINARY_DIR "/monosweep' gen ../kernels.lua --spdx='0BSD OR MIT' "
        "--or-without=long_loops --subgroup 4,8,16,32 --embed ptx --backend cuda,vulkan --target header --quiet -o ../again\n"
        "cd .. && cmp again/kernels_vulkan.h vulkan/kernels_vulkan.h && cmp again/kernels_cuda.h vulkan/kernels_cuda.h && ! grep -n '" MSW_SOURCE_DIR
        "\\|" MSW_BINARY_DIR "' again/*.h"));
}

static void expect_text(const char *file, const char *text)
{
    cli_file header = load_file(file);
    assert_non_null(header.data);
    if (!strstr(header.data, text)) fail_msg("%s does not have: %s", file, text);
    free(header.data);
}

/* What a header says of itself. The command in it makes it again. */
static void test_provenance(void **state)
{
    (void)state;
    expect_text("vulkan/kernels_vulkan.h",
                "/* kernels_vulkan.h - running, maps, total, steps, pairs, for Vulkan.\n * SPDX-License-Identifier: 0BSD OR MIT\n");
    expect_text(
        "vulkan/kernels_vulkan.h",
        " *     monosweep gen kernels.lua --target header --backend vulkan --subgroup 4,8,16,32 --or-without long_loops --spdx '0BSD OR MIT' -o .\n");
    expect_text("vulkan/kernels_cuda.h", " *     monosweep gen kernels.lua --target header --backend cuda --embed ptx --spdx '0BSD OR MIT' -o .\n");
    expect_text("vulkan/kernels_vulkan.h", "from kernels.lua with glslang ");
    expect_text("cuda/kernels_cuda.h", "from kernels.lua with NVRTC ");
    expect_text("vulkan/kernels_vulkan.h", " *   keys_out: n elements of 4 bytes, address a multiple of 4: u32\n");
    expect_text("vulkan/kernels_vulkan.h", " *   carry_in, carry_out: 1 element of 8 bytes, address a multiple of 16: Map: u32 a at 0, u32 b at 4\n");
    expect_text(
        "vulkan/kernels_vulkan.h",
        " *   Features: shaderInt64, shaderBufferInt64Atomics, subgroup operations basic, vote, ballot, shuffle and relative shuffle in compute, "
        "long loops (all drivers but lavapipe)\n");
    expect_text("swiftshader/kernels_vulkan.h", " --subgroup 4 --without int8,int16,int64,float16,float64,atomic64 -o .\n");
    free(sh("command=$(sed -n 's/^ [*]     monosweep //p' cuda/kernels_cuda.h) && mkdir -p regenerated && cp " SOURCES
            "tests/emit/vendored/kernels.lua' regenerated && "
            "cd regenerated && eval \"'" MSW_BINARY_DIR "/monosweep' $command\" && cmp kernels_cuda.h ../cuda/kernels_cuda.h"));
}

/* The launcher is the runtime's own text, all of it but includes and blank lines. */
static void test_fragments(void **state)
{
    static const char *const files[] = {"runtime/launch.h", "backends/vulkan/pipelines.h"};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        free(
            sh("sed '/^$/d; /^#include [\"<]\\(monosweep\\|[.][.]\\)/d' " SOURCES "%s' > fragment.txt\n"
               "sed '/^$/d' vulkan/kernels_vulkan.h | awk 'NR == FNR { want[++n] = $0; next } { at = $0 == want[at + 1] ? at + 1 : $0 == want[1]; if "
               "(at == n) found = 1 } END { exit !found }' "
               "fragment.txt -",
               files[i]));
}

/* ---- Vulkan ---- */

/* The program has the header's definitions; its second file is of the other language. */
static void build_vulkan(const char *folder, const struct compiler *compiler)
{
    const struct compiler *other = &compilers[compiler < &compilers[2] ? 2 : 0]; /* g++, gcc */
    free(sh("cd %s && %s " WARNINGS " %s -DVK_NO_PROTOTYPES -c other.c -o other.o && %s -O1 " WARNINGS " %s program.c -x none other.o -lvulkan -o %s",
            folder, other->name, other->flags, compiler->name, compiler->flags, compiler->name));
}

/* A file that defines nothing gets declarations: no function, no kernel; one with NAME_STATIC shows others nothing. */
static void test_declarations(void **state)
{
    static const char *const backends[][2] = {{"vulkan", "-DVK_NO_PROTOTYPES"}, {"cuda", "-DUSE_CUDA"}};
    (void)state;
    for (size_t b = 0; b < 2; b++)
        for (size_t c = 0; c < COMPILERS; c++) {
            if (!is_there(compilers[c].name)) continue;
            char *printed = sh("cd %s && compile() { %s -isystem " SOURCES "tests/emit/vendored/minimal' " WARNINGS " %s %s \"$@\" -c other.c; }\n"
                               "compile -o other.o && nm --defined-only other.o | sed -n '/ [Tt] \\|_code_\\|_plans/s/.* //p'\n"
                               "compile -DKERNELS_%s_STATIC -o static.o && nm --defined-only --extern-only static.o | sed 's/.* //'\n"
                               "! nm --undefined-only static.o | grep running_",
                               backends[b][0], compilers[c].name, compilers[c].flags, backends[b][1], b ? "CUDA" : "VULKAN");
            if (strcmp(printed, "other_scratch_bytes\nother_scratch_bytes\n")) fail_msg("%s %s: %s", backends[b][0], compilers[c].name, printed);
            free(printed);
        }
}

/* What kernels' texts have in common is there once; each kernel sees every line of its text, in its namespace or in one that it uses. */
static void test_shared_text(void **state)
{
    static const char *const lines[] = {"#define UNROLL",
                                        "typedef unsigned long long u64;",
                                        "constexpr uint LANES =",
                                        "struct Route {",
                                        "__device__ __forceinline__ bool is_given(u64 address)",
                                        "__device__ __forceinline__ uint block_count()"};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        free(sh("[ $(grep -c '^%s' cuda/kernels_cuda.h) = 1 ] || ! echo '%s'", lines[i], lines[i]));
    free(sh("grep '^__device__' cuda/kernels_cuda.h | sort | uniq -c | awk '{ all += $1 } END { exit all > 2 * NR }'"));
    expect("gen " SOURCES "tests/emit/vendored/kernels.lua' --target cuda --arch sm_90 -D LARGE=1 --quiet -o texts", 0, NULL, NULL);
    free(sh("for text in texts/*.cu; do awk -v kernel=$(basename $text .cu) '\n"
            "NR == FNR && /^namespace .* / { if ($2 != \"{\") space = $2 }\n"
            "NR == FNR && /^using namespace/ { used[space, substr($3, 1, length($3) - 1)] }\n"
            "NR == FNR { has[space, $0]; spaces[space]; next }\n"
            "{ sub(/^extern \"C\" /, \"\"); found = (kernel, $0) in has\n"
            "  for (space in spaces) if ((kernel, space) in used && (space, $0) in has) found = 1\n"
            "  if ($0 && !found) { print kernel \": \" $0; failed = 1 } }\n"
            "END { exit failed }' cuda/kernels_cuda.h $text || exit; done"));
}

static void run_vulkan(const char *folder, const char *program, const char *environment, const char *expected)
{
    char *printed = sh("cd %s && env VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation "
                       "VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT %s ./%s",
                       folder, environment, program);
    if (strcmp(printed, expected)) fail_msg("%s %s: %s", environment, program, printed); /* the layer prints, too */
    free(printed);
}

/* Every compiler's program at least once. */
static void test_lavapipe(void **state)
{
    static const char *const runs[COMPILERS][2] = {{"LP_NATIVE_VECTOR_WIDTH=128", "subgroups of 4\n"},
                                                   {"LP_NATIVE_VECTOR_WIDTH=512", "subgroups of 16\n"},
                                                   {"LP_NATIVE_VECTOR_WIDTH=256", "subgroups of 8\n"},
                                                   {"LP_NATIVE_VECTOR_WIDTH=256", "subgroups of 8\n"}};
    char environment[4096];
    (void)state;
    for (size_t c = 0; c < COMPILERS; c++) {
        const int is_compiled = is_there(compilers[c].name);
        if (!is_compiled) print_message("there is no %s here\n", compilers[c].name);
        const struct compiler *compiler = is_compiled ? &compilers[c] : &compilers[c & 2]; /* gcc, g++ */
        build_vulkan("vulkan", compiler);
        snprintf(environment, sizeof environment, "VK_DRIVER_FILES='" MSW_LAVAPIPE_ICD "' %s", runs[c][0]);
        run_vulkan("vulkan", compiler->name, environment, runs[c][1]);
    }
}

static void test_swiftshader(void **state)
{
    (void)state;
    if (!MSW_SWIFTSHADER_ICD[0]) {
        print_message("there is no SwiftShader here\n");
        return;
    }
    build_vulkan("swiftshader", &compilers[0]);
    run_vulkan("swiftshader", compilers[0].name, "VK_DRIVER_FILES='" MSW_SWIFTSHADER_ICD "'", "subgroups of 4\n");
}

/* ---- CUDA ---- */

/* The driver's interface: against <cuda.h>, where there is one, and the least of it; on the fake driver, beside the library. */
static void test_driver(void **state)
{
    const char *const includes[] = {SOURCES "tests/emit/vendored/minimal'", "'" MSW_CUDA_INCLUDE "'"};
    (void)state;
    for (int i = 0; i < (MSW_CUDA_INCLUDE[0] ? 2 : 1); i++)
        for (size_t c = 0; c < COMPILERS; c++) {
            if (!is_there(compilers[c].name)) continue;
            free(sh("cd cuda && for file in program other; do %s -DUSE_CUDA -isystem %s " WARNINGS " %s -c $file.c -o $file.o || exit; done",
                    compilers[c].name, includes[i], compilers[c].flags));
        }
    char *printed =
        sh("cd cuda && gcc -std=c11 -isystem " SOURCES "tests/emit/vendored/minimal' " WARNINGS " -I " SOURCES "tests/support' -I " SOURCES
           "include' driver.c "
           "-o driver '" MSW_BINARY_DIR "/libmonosweep_runtime.a' '" MSW_FAKE_CUDA "' -Wl,-rpath,'" MSW_FAKE_CUDA_DIR "' -ldl -lpthread && ./driver");
    assert_string_equal(printed, "16 launches\n");
    free(printed);
}

/* An ordinary .cu, alone and with others of its kind. */
static void test_nvcc(void **state)
{
    (void)state;
    if (!MSW_CUDA_INCLUDE[0] || !is_there("nvcc")) {
        print_message("there is no nvcc here, or no cuda.h\n");
        return;
    }
    free(sh("sh " SOURCES "tests/emit/vendored/cuda.sh' cuda"));
}

/* What kernels of many operations have in common is stated before all of them: nothing in it may need what only some of them have. The generator
 * looks itself; the front end of nvcc, where it is there, sees the same. */
static void test_many_operations(void **state)
{
    static const char *const specs[] = {"types", "sums", "sorts", "summaries", "maps", "elementwise", "tables"};
    (void)state;
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        char command[256];
        snprintf(command, sizeof command, "gen " SOURCES "tests/corpus/%s.lua' --target header --quiet --backend cuda -o many", specs[s]);
        expect(command, 0, NULL, NULL);
    }
    if (is_there("nvcc"))
        free(sh("printf '#define SUMMARIES_CUDA_IMPLEMENTATION\n#include \"many/summaries_cuda.h\"\n' >many.cu && "
                "nvcc -arch=sm_80 -ptx -Xcicc -O0 many.cu"));
}

/* Text is for nvcc, a cubin for one architecture; both beside each other. */
static void test_embedding(void **state)
{
    (void)state;
    expect(KERNELS "--backend cuda -o text", 0, NULL, NULL);
    expect(KERNELS "--backend cuda --arch sm_90 --embed cubin -o cubin", 0, NULL, NULL);
    expect_text("cubin/kernels_cuda.h", "    1179403647,"); /* "\177ELF" */
    expect(KERNELS "--backend cuda --arch sm_199 --embed cubin -o cubin", 2, NULL, "--arch sm_199: NVRTC makes no cubin for it");
    free(sh("cp cuda/other.[ch] text && cp cuda/other.[ch] cubin\n"
            "if gcc -std=c11 -isystem " SOURCES
            "tests/emit/vendored/minimal' -DUSE_CUDA -DKERNELS_CUDA_IMPLEMENTATION -c text/other.c -o other.o; then exit 1; fi 2>text.txt\n"
            "grep -q 'make it with --embed' text.txt && gcc -std=c11 -isystem " SOURCES "tests/emit/vendored/minimal' " WARNINGS
            " -DUSE_CUDA -DKERNELS_CUDA_IMPLEMENTATION -c cubin/other.c -o other.o\n"
            "! command -v nvcc >/dev/null || "
            "nvcc -x cu -std=c++17 -arch=sm_75 -Werror all-warnings -DUSE_CUDA -DKERNELS_CUDA_IMPLEMENTATION -c text/other.c -o other.o"));
}

/* ---- the examples ---- */

/* The commands of its README, in a copy of the examples, edited by sed; what the last one printed must begin so. */
static void run_example(const char *name, const char *edit, const char *expected)
{
    char *printed = sh("rm -rf examples && cp -r " SOURCES "examples' . && cd examples/%s && [ $(wc -l <README.md) -le 15 ]\n"
                       "sed -n '/^```sh/,/^```/p' README.md | grep -v '^```' | sed -e '%s' > commands.sh && [ -s commands.sh ]\n"
                       "PATH='" MSW_BINARY_DIR "':$PATH sh -e commands.sh 2>errors.txt; status=$?; cat errors.txt | grep -v '[.]h: '; exit $status",
                       name, edit);
    if (strncmp(printed, expected, strlen(expected))) fail_msg("%s: %s", name, printed);
    free(printed);
}

static void test_vulkan_example(void **state)
{
    (void)state;
    run_example("vendored_vulkan", "", "subgroups of ");
}

static int has_cuda_device(void)
{
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "cuda"};
    msw_context *context;
    const msw_result result = msw_context_create(&desc, &context, NULL);
    msw_context_destroy(context);
    return result == MSW_OK;
}

/* By the driver, and by nvcc where it is; without a GPU both are built, and no_cuda_device is skipped. */
static void test_cuda_example(void **state)
{
    const int has_nvcc = is_there("nvcc"), has_device = has_cuda_device();
    (void)state;
    if (!MSW_CUDA_INCLUDE[0]) {
        print_message("there is no cuda.h here\n");
        return;
    }
    if (!has_nvcc) print_message("there is no nvcc here: of vendored_cuda the driver's program alone is tried\n");
    if (has_device) run_example("vendored_cuda", has_nvcc ? "" : "/^nvcc/d; s/ && .\\/runtime//", "driver: ");
    else run_example("vendored_cuda", has_nvcc ? "/^.\\/driver/d" : "/^.\\/driver/d; /^nvcc/d", "");
}

/* Its name tells bootstrap.sh that it may be skipped. */
static void no_cuda_device(void **state)
{
    (void)state;
    if (has_cuda_device()) return;
    print_message("there is no GPU for CUDA here: of vendored_cuda \"./driver && ./runtime\" is left out\n");
    skip();
}

/* ---- the interface ---- */

static void expect_result(const msw_spec *spec, const msw_header_desc *desc, msw_result expected, const char *message)
{
    const char *text = "";
    msw_diag diag;
    assert_int_equal(msw_header_text(spec, desc, &text, &diag), expected);
    if (expected) assert_null(text);
    if (message && !strstr(diag.message, message)) fail_msg("%s", diag.message);
}

static msw_program *make_program(msw_spec *spec, uint32_t op, uint32_t backend)
{
    const msw_target target = {.struct_size = sizeof target, .backend = backend};
    const msw_program_desc desc = {.struct_size = sizeof desc, .op = op, .target = &target};
    msw_program *program;
    msw_diag diag;
    if (msw_program_create(spec, &desc, &program, &diag)) fail_msg("%s", diag.message);
    return program;
}

static void test_bad_descriptions(void **state)
{
    const msw_spec_desc spec_desc = {.struct_size = sizeof spec_desc,
                                     .text = "return { scan { name = 'a', monoid = sum(u32) }, reduce { name = 'b', monoid = sum(u32) } }"};
    msw_header_desc desc = {.struct_size = sizeof desc};
    msw_program *programs[3];
    msw_spec *spec;
    msw_diag diag;
    const char *text;
    (void)state;
    if (msw_spec_create(&spec_desc, &spec, &diag)) fail_msg("%s", diag.message);
    assert_int_equal(msw_header_text(spec, &desc, NULL, &diag), MSW_ERROR_INVALID_ARGUMENT);
    expect_result(NULL, &desc, MSW_ERROR_INVALID_ARGUMENT, "spec is NULL");
    expect_result(spec, NULL, MSW_ERROR_INVALID_ARGUMENT, "desc is NULL");
    expect_result(spec, &desc, MSW_ERROR_INVALID_ARGUMENT, "there is no program");
    desc.programs = programs;
    desc.program_count = 1;
    desc.struct_size++;
    expect_result(spec, &desc, MSW_ERROR_VERSION, NULL);
    desc.struct_size--;
    programs[0] = NULL;
    desc.form = MSW_HEADER_PLANS_SOURCE + 1;
    expect_result(spec, &desc, MSW_ERROR_INVALID_ARGUMENT, "there is no form 3");
    desc.form = MSW_HEADER_VENDORED;
    expect_result(spec, &desc, MSW_ERROR_INVALID_ARGUMENT, "programs[0] is NULL");
    programs[0] = make_program(spec, 0, MSW_BACKEND_VULKAN);
    expect_result(spec, &desc, MSW_ERROR_UNSUPPORTED, "compile the programs first");
    programs[1] = programs[0];
    programs[0] = make_program(spec, 0, MSW_BACKEND_CUDA);
    desc.program_count = 2;
    expect_result(spec, &desc, MSW_ERROR_UNSUPPORTED, "a header is for Vulkan or for CUDA");
    programs[2] = programs[1];
    programs[1] = make_program(spec, 0, MSW_BACKEND_CUDA);
    expect_result(spec, &desc, MSW_ERROR_UNSUPPORTED, "one program for each operation");
    desc.program_count = 1;
    assert_int_equal(msw_header_text(spec, &desc, &text, NULL), MSW_OK);
    assert_non_null(strstr(text, "#ifndef SPEC_CUDA_H"));
    for (int i = 0; i < 3; i++) msw_program_destroy(programs[i]);
    msw_spec_destroy(spec);
}

/* The scratch of a pipeline is that of its stages and of the arrays between them, which no variant of the whole knows. */
static void test_pipeline(void **state)
{
    (void)state;
    make_text("pipes.lua", "return pipeline(function(p) local x = p.input('x', u32)\n"
                           "  p.output('y', p.map({ x, p.scan { monoid = sum(u32), input = x } }, function(v, s) return s - v end)) end)");
    expect("gen pipes.lua --target header --quiet --backend cuda -o pipes", 0, NULL, NULL);
    expect_text("pipes/pipes_cuda.h", ": stages; scratch as pipes_scratch_bytes says, address a multiple of 16\n");
    free(sh("! grep -n '[0-9] bytes of scratch' pipes/pipes_cuda.h"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_provenance),
        cmocka_unit_test(test_fragments),
        cmocka_unit_test(test_lavapipe),
        cmocka_unit_test(test_swiftshader),
        cmocka_unit_test(test_driver),
        cmocka_unit_test(test_nvcc),
        cmocka_unit_test(test_many_operations),
        cmocka_unit_test(test_embedding),
        cmocka_unit_test(test_vulkan_example),
        cmocka_unit_test(test_cuda_example),
        cmocka_unit_test(no_cuda_device),
        cmocka_unit_test(test_bad_descriptions),
        cmocka_unit_test(test_declarations),
        cmocka_unit_test(test_shared_text),
        cmocka_unit_test(test_pipeline),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
