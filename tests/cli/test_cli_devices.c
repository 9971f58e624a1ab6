/* `monosweep devices`: a backend that has none says why; libraries that are missing, broken, old, or without a device are made here. */
#include "cli_driver.h"

#define CC MSW_C_COMPILER " -w -shared -fPIC -D_GNU_SOURCE -I'" MSW_SOURCE_DIR "/include' -I'" MSW_SOURCE_DIR "/tests/support' "
#define WITH(folder) "env LD_LIBRARY_PATH=" folder " '" MSW_BINARY_DIR "/monosweep' "

static void shell(const char *command)
{
    if (system(command)) fail_msg("%s", command);
}

static int set_up(void **state)
{
    (void)state;
    enter_directory("test_cli_devices.files");
    shell("mkdir broken old none one locked blind");
    make_text("broken/libcuda.so.1", "no library");
    make_text("old.c", "int cuInit(unsigned flags) { return 0; }");
    make_text("none.c", "#include \"fake_cuda.c\"\n__attribute__((constructor)) static void begin_with_none(void) { state.device_count = 0; }");
    make_text(
        "one.c",
        "#include \"fake_cuda.c\"\n__attribute__((constructor)) static void begin_with_one(void) { state.device_count = 1; state.capability[0] = "
        "90; }");
    make_text("locked.c",
              "#define cuInit other_init\n#include \"fake_cuda.c\"\n#undef cuInit\nEXPORT ms_cu_result cuInit(unsigned flags) { return 100; }");
    make_text("blind.c", "#include <dlfcn.h>\n#include <string.h>\nvoid *dlopen(const char *name, int flags)\n"
                         "{ void *(*real)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, \"dlopen\");\n"
                         "  return name && strstr(name, \"nvrtc\") ? NULL : real(name, flags); }");
    shell(CC "old.c -o old/libcuda.so.1 && " CC "none.c -o none/libcuda.so.1 && " CC "one.c -o one/libcuda.so.1 && " CC
             "locked.c -o locked/libcuda.so.1 && " CC "blind.c -o blind/blind.so -ldl");
    return 0;
}

static void test_why_there_is_none(void **state)
{
    (void)state;
    expect("--version; " WITH("broken") "devices", 0, "\ncuda       no device: libcuda.so.1 cannot be opened; install NVIDIA's driver\n", NULL);
    expect("--version; " WITH("old") "devices", 0,
           "\ncuda       no device: the driver has no cuDriverGetVersion; one for CUDA 11.0 or later is needed\n", NULL);
    expect("--version; " WITH("none") "devices", 0,
           "\ncuda       no device: its driver knows no device; look whether there is one, and this user may use it\n", NULL);
    expect("--version; " WITH("locked") "devices", 0, "\ncuda       no device: cuInit: ", NULL);
    expect("--version; VK_DRIVER_FILES=/none VK_ICD_FILENAMES=/none " WITH("broken") "devices", 0,
           "\nvulkan     no device: vkCreateInstance: no compatible driver is installed", NULL);
    expect("--version; " WITH("broken") "devices --json", 0,
           ",\n {\"backend\": \"cuda\", \"id\": \"cuda\", \"name\": \"\", \"driver\": \"\", \"why\": \"libcuda.so.1 cannot be opened; install "
           "NVIDIA's driver\", ",
           NULL);
}

/* What auto takes is the first, with or without those. */
static void test_order(void **state)
{
    (void)state;
    cli_result result = run("--quiet 2>/dev/null; " WITH("broken") "devices");
    assert_int_not_equal(strncmp(result.out.data, "cuda", 4), 0);
    assert_non_null(strstr(result.out.data, "host       host oracle"));
    assert_true(strstr(result.out.data, "host       host oracle") < strstr(result.out.data, "cuda       no device"));
    drop(&result);
}

/* A device whose kernels cannot be compiled here says that, too. */
static void test_missing_compiler(void **state)
{
    (void)state;
    expect("--version; env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=./blind/blind.so " WITH("one") "devices", 0,
           "\n           compiles nothing: nvrtc: libnvrtc.so cannot be opened; install CUDA's NVRTC, or use code compiled before\n", NULL);
    expect("--version; env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=./blind/blind.so " WITH("one") "devices --json", 0,
           "\"compiler_why\": \"nvrtc: libnvrtc.so cannot be opened; ", NULL);
    cli_result result = run("--version; " WITH("one") "devices");
    assert_non_null(strstr(result.out.data, "cuda:0     "));
    assert_null(strstr(result.out.data, "no device"));
    drop(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_why_there_is_none), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_missing_compiler)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
