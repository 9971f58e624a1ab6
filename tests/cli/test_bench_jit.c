/* Cold is cold: NVRTC's own cache is off wherever kernels are compiled, and bench --jit says what it measured; on a fake libcuda by a real NVRTC. */
#include "cli_driver.h"

#include "../../backends/cuda/nvrtc.h"

static const char sum_spec[] = "return scan { name = 'sums', monoid = sum(u32) }";

static int set_up(void **state)
{
    (void)state;
    enter_directory("test_bench_jit_files");
    make_text("sum.lua", sum_spec);
    return 0;
}

static int has_compiler(void)
{
    msw_diag diag;
    ms_nvrtc nvrtc;
    if (ms_nvrtc_open(&nvrtc, &diag) != MSW_OK) return print_message("nothing is compiled: %s\n", diag.message), 0;
    ms_nvrtc_close(&nvrtc);
    return 1;
}

/* ---- a compiler that only looks at its options ---- */

static char seen[512]; /* with a blank before and after each */

static ms_nvrtc_result one_arch(int *count) { return *count = 1, MS_NVRTC_SUCCESS; }
static ms_nvrtc_result arch_90(int *archs) { return archs[0] = 90, MS_NVRTC_SUCCESS; }
static ms_nvrtc_result destroy(ms_nvrtc_program *program) { return *program = NULL, MS_NVRTC_SUCCESS; }
static ms_nvrtc_result size(ms_nvrtc_program program, size_t *bytes) { return (void)program, *bytes = 1, MS_NVRTC_SUCCESS; }
static ms_nvrtc_result get(ms_nvrtc_program program, char *text) { return (void)program, *text = '\0', MS_NVRTC_SUCCESS; }

static ms_nvrtc_result create(ms_nvrtc_program *program, const char *text, const char *name, int headers, const char *const *sources,
                              const char *const *names)
{
    (void)text, (void)name, (void)headers, (void)sources, (void)names;
    *program = NULL;
    return MS_NVRTC_SUCCESS;
}

static ms_nvrtc_result note_options(ms_nvrtc_program program, int options, const char *const *option)
{
    size_t length = 0;
    (void)program;
    for (int o = 0; o < options; o++) length += (size_t)snprintf(seen + length, sizeof seen - length, " %s ", option[o]);
    return MS_NVRTC_SUCCESS;
}

/* Versions that have no cache do not know the option. */
static void test_options(void **state)
{
    static const struct {
        int major, minor, is_off;
    } versions[] = {{12, 0, 0}, {12, 8, 0}, {12, 9, 1}, {13, 0, 1}, {14, 2, 1}};
    const msw_plan_kernel kernel = {.entry = "k", .text = ""};
    (void)state;
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        const ms_nvrtc nvrtc = {.major = versions[v].major,
                                .minor = versions[v].minor,
                                .GetNumSupportedArchs = one_arch,
                                .GetSupportedArchs = arch_90,
                                .CreateProgram = create,
                                .DestroyProgram = destroy,
                                .CompileProgram = note_options,
                                .GetPTXSize = size,
                                .GetPTX = get,
                                .GetCUBINSize = size,
                                .GetCUBIN = get,
                                .GetProgramLogSize = size,
                                .GetProgramLog = get};
        void *code;
        char *log;
        size_t bytes;
        msw_diag diag;
        assert_int_equal(ms_nvrtc_compile(&nvrtc, &kernel, "sm_90", NULL, &code, &bytes, &log, &diag), MSW_OK);
        ms_free(NULL, code, bytes);
        ms_free(NULL, log, 1);
        assert_non_null(strstr(seen, " --gpu-architecture=sm_90 "));
        if (!strstr(seen, " --no-cache ") != !versions[v].is_off) fail_msg("NVRTC %d.%d: %s", versions[v].major, versions[v].minor, seen);
    }
}

/* ---- the program ---- */

/* NVRTC's cache is the driver's, which it opens to get at it: nobody does when no device is asked for. */
static void test_no_cache(void **state)
{
    (void)state;
    if (!has_compiler()) skip();
    assert_int_equal(system("LD_DEBUG=files HOME=\"$PWD/home\" '" MSW_BINARY_DIR
                            "/monosweep' gen sum.lua --target cubin --arch sm_90 -o cubins --quiet 2>opened.txt"),
                     0);
    cli_file opened = load_file("opened.txt");
    assert_non_null(strstr(opened.data, "libnvrtc.so"));
    const char *driver = strstr(opened.data, "file=libcuda.so");
    if (driver) fail_msg("%.200s", driver);
    free(opened.data);
    assert_int_not_equal(access("home", F_OK), 0);
}

static double field(const char *csv, const char *row, int column)
{
    const char *at = strstr(csv, row);
    if (!at) fail_msg("no %s in\n%s", row, csv);
    for (at += *at == '\n'; column > 0 && *at != '\0' && *at != '\n'; at++) column -= *at == ',';
    return column ? -1 : strtod(at, NULL);
}

enum { COMPILE = 5, COLD = 7, WARM = 8 }; /* commas before them in a line */

/* Each kernel's share and the whole, and which cache was hit. */
static void test_fake_device(void **state)
{
    char path[4096];
    const char *given = getenv("LD_LIBRARY_PATH");
    (void)state;
    if (!has_compiler()) skip();
    snprintf(path, sizeof path, "%s%s%s", MSW_FAKE_CUDA_DIR, given ? ":" : "", given ? given : "");
    char *kept = given ? strdup(given) : NULL;
    setenv("LD_LIBRARY_PATH", path, 1);
    expect("bench sum.lua --jit --device cuda --csv jit.csv", 0, "\ncaches: cold none (NVRTC's and the driver's are off); warm monosweep's, in ",
           NULL);
    expect("bench sum.lua --jit --device cuda --no-cache", 0, "; without monosweep's there is no warm\n", NULL);
    if (kept) setenv("LD_LIBRARY_PATH", kept, 1);
    else unsetenv("LD_LIBRARY_PATH");
    free(kept);
    cli_file csv = load_file("jit.csv");
    assert_non_null(csv.data);
    const double compile = field(csv.data, "\nsums,cuda:0,", COMPILE), cold = field(csv.data, "\nsums,cuda:0,", COLD),
                 warm = field(csv.data, "\nsums,cuda:0,", WARM);
    assert_non_null(strstr(csv.data, ",none,monosweep,,,\n"));
    const double ptx = field(csv.data, ",scan_lookback,", 2), code = field(csv.data, ",scan_lookback,", 3);
    print_message("compile %.1f ms, cold %.1f, warm %.2f; a kernel to PTX %.1f, to a cubin %.1f\n", compile, cold, warm, ptx, code);
    assert_true(ptx > 0 && code > ptx);
    assert_true(cold > 0.5 * compile && compile > 5 * warm);
    free(csv.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_options), cmocka_unit_test(test_no_cache), cmocka_unit_test(test_fake_device)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
