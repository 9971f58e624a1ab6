/* The package as strangers have it: installed under a prefix with a space, found by CMake and pkg-config, moved, and taken away. */
#include "shell.h"

#define INSTALL "cmake --install '" MSW_BINARY_DIR "' --prefix "
#define UNINSTALL "cmake -DBUILD='" MSW_BINARY_DIR "' -P '" MSW_SOURCE_DIR "/cmake/uninstall.cmake'"
#define KEPT "'" MSW_BINARY_DIR "/install_manifest.txt' '" MSW_BINARY_DIR "/install_directories.txt'"

/* Installs as the tests of use see them; the build's own record of an installation stays as it was. */
static int set_up(void **state)
{
    (void)state;
    enter_directory("package test");
    shell("mkdir kept jit && for f in " KEPT "; do if [ -f \"$f\" ]; then mv \"$f\" kept/; fi; done");
    shell("cp '" MSW_SOURCE_DIR "/tests/package/jit/CMakeLists.txt' '" MSW_SOURCE_DIR "/examples/jit_affine.c' jit/");
    shell(INSTALL "\"$PWD/a prefix\"");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    shell("rm -f " KEPT " && for f in kept/*; do if [ -f \"$f\" ]; then mv \"$f\" '" MSW_BINARY_DIR "/'; fi; done");
    return 0;
}

static void test_files(void **state)
{
    (void)state;
    shell("cd 'a prefix' && find . ! -type d | grep -v -e 'Targets-[a-z]*[.]cmake' | LC_ALL=C sort");
    expect_printed("./bin/monosweep\n"
                   "./include/monosweep/monosweep.h\n"
                   "./include/monosweep/monosweep_cuda.h\n"
                   "./include/monosweep/monosweep_plan.h\n"
                   "./include/monosweep/monosweep_vulkan.h\n"
                   "./lib/cmake/monosweep/monosweepConfig.cmake\n"
                   "./lib/cmake/monosweep/monosweepConfigVersion.cmake\n"
                   "./lib/cmake/monosweep/monosweepTargets.cmake\n"
                   "./lib/libmonosweep.a\n"
                   "./lib/libmonosweep_gen.a\n"
                   "./lib/libmonosweep_runtime.a\n"
                   "./lib/pkgconfig/monosweep.pc\n"
                   "./lib/pkgconfig/monosweep_gen.pc\n"
                   "./lib/pkgconfig/monosweep_runtime.pc\n"
                   "./share/doc/monosweep/LICENSE\n"
                   "./share/monosweep/lua/monosweep.lua\n");
    shell("! grep -r -e '" MSW_SOURCE_DIR "' -e '" MSW_BINARY_DIR "' 'a prefix/lib/cmake' 'a prefix/lib/pkgconfig'"); /* relocatable */
}

/* From C alone, with both generators, and after the prefix has moved. */
static void test_find_package(void **state)
{
    (void)state;
    shell("cmake -G Ninja -S jit -B jit/ninja -DCMAKE_PREFIX_PATH=\"$PWD/a prefix\" && cmake --build jit/ninja && jit/ninja/jit >jit/out && cat jit/out");
    assert_true(has_printed("1 2.5 4.25 6.125\n"));
    shell("mv 'a prefix' moved && cmake -G 'Unix Makefiles' -S jit -B jit/make -DCMAKE_PREFIX_PATH=\"$PWD/moved\" && cmake --build jit/make");
    shell("jit/make/jit && moved/bin/monosweep --version && mv moved 'a prefix'");
    expect_printed("1 2.5 4.25 6.125\nmonosweep 0.1.0\n");
}

static void test_versions(void **state)
{
    static const struct { const char *wanted; int is_found; } cases[] = {{"0.1", 1}, {"0.1.0", 1}, {"0.2", 0}, {"0.0", 0}, {"1", 0}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        shell("mkdir -p version && printf 'cmake_minimum_required(VERSION 3.22)\\nproject(version LANGUAGES C)\\nfind_package(monosweep %s)\\n"
              "message(\"found ${monosweep_FOUND}\")\\n' >version/CMakeLists.txt && cmake -S version -B version/build -DCMAKE_PREFIX_PATH=\"$PWD/a prefix\"",
              cases[c].wanted);
        assert_int_equal(has_printed("found 1"), cases[c].is_found);
    }
}

static void test_pkg_config(void **state)
{
    (void)state;
    shell("export PKG_CONFIG_PATH=\"$PWD/a prefix/lib/pkgconfig\" && [ $(pkg-config --modversion monosweep_gen) = 0.1.0 ] && "
          "eval cc jit/jit_affine.c -o jit/linked $(pkg-config --cflags --libs monosweep) && jit/linked");
    expect_printed("1 2.5 4.25 6.125\n");
    shell("export PKG_CONFIG_PATH=\"$PWD/a prefix/lib/pkgconfig\" && printf '#include <monosweep/monosweep.h>\\nint main(void) { return !msw_version(); }\\n' >version.c && "
          "for part in gen runtime; do eval cc version.c -o version_$part $(pkg-config --cflags --libs monosweep_$part) && ./version_$part || exit 1; done");
}

/* What an installation made is gone; what others put there stays. */
static void test_uninstall(void **state)
{
    (void)state;
    shell(INSTALL "\"$PWD/a prefix\" && touch 'a prefix/lib/theirs' && " UNINSTALL);
    shell("find 'a prefix' && rm -r 'a prefix'");
    expect_printed("a prefix\na prefix/lib\na prefix/lib/theirs\n");
    assert_false(try_command(UNINSTALL));
    assert_true(has_printed("nothing"));
    shell("mkdir -p usr/lib && " INSTALL "\"$PWD/usr\" && " INSTALL "\"$PWD/usr\" && " UNINSTALL);
    shell("find usr");
    expect_printed("usr\nusr/lib\n");
    shell("export DESTDIR=\"$PWD/stage\"; " INSTALL "/usr && test -x stage/usr/bin/monosweep && " UNINSTALL "; ! test -e stage");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files), cmocka_unit_test(test_find_package), cmocka_unit_test(test_versions),
                                       cmocka_unit_test(test_pkg_config), cmocka_unit_test(test_uninstall)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
