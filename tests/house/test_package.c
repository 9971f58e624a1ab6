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
    shell("mkdir kept && for f in " KEPT "; do if [ -f \"$f\" ]; then mv \"$f\" kept/; fi; done");
    shell("cp -r '" MSW_SOURCE_DIR "/examples/jit_affine' .");
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
                   "./include/monosweep/monosweep.hpp\n"
                   "./include/monosweep/monosweep_cuda.h\n"
                   "./include/monosweep/monosweep_measure.h\n"
                   "./include/monosweep/monosweep_plan.h\n"
                   "./include/monosweep/monosweep_vulkan.h\n"
                   "./lib/cmake/monosweep/monosweepConfig.cmake\n"
                   "./lib/cmake/monosweep/monosweepConfigVersion.cmake\n"
                   "./lib/cmake/monosweep/monosweepTargets.cmake\n"
                   "./lib/cmake/monosweep/monosweep_generate.cmake\n"
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
    shell("cmake -G Ninja -S jit_affine -B jit_affine/ninja -DCMAKE_PREFIX_PATH=\"$PWD/a prefix\" && cmake --build jit_affine/ninja && "
          "jit_affine/ninja/jit_affine");
    assert_true(has_printed("1 2.5 4.25 6.125\n"));
    shell("mv 'a prefix' moved && cmake -G 'Unix Makefiles' -S jit_affine -B jit_affine/make -DCMAKE_PREFIX_PATH=\"$PWD/moved\" && cmake --build "
          "jit_affine/make");
    shell("jit_affine/make/jit_affine && moved/bin/monosweep --version && mv moved 'a prefix'");
    expect_printed("1 2.5 4.25 6.125\nmonosweep 0.1.0\n");
}

static void test_versions(void **state)
{
    static const struct {
        const char *wanted;
        int is_found;
    } cases[] = {{"0.1", 1}, {"0.1.0", 1}, {"0.2", 0}, {"0.0", 0}, {"1", 0}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        shell("mkdir -p version && printf 'cmake_minimum_required(VERSION 3.22)\\nproject(version LANGUAGES C)\\nfind_package(monosweep %s)\\n"
              "message(\"found ${monosweep_FOUND}\")\\n' >version/CMakeLists.txt && cmake -S version -B version/build -DCMAKE_PREFIX_PATH=\"$PWD/a "
              "prefix\"",
              cases[c].wanted);
        assert_int_equal(has_printed("found 1"), cases[c].is_found);
    }
}

static void test_pkg_config(void **state)
{
    (void)state;
    shell("export PKG_CONFIG_PATH=\"$PWD/a prefix/lib/pkgconfig\" && [ $(pkg-config --modversion monosweep_gen) = 0.1.0 ] && "
          "printf '#include <monosweep/monosweep.h>\\nint main(void) { return !msw_version(); }\\n' >version.c && "
          "for part in gen runtime; do eval cc version.c -o version_$part $(pkg-config --cflags --libs monosweep_$part) && ./version_$part || exit "
          "1; done");
}

/* ---- examples ---- */

/* A folder of examples/, copied; the commands of its README, with these options of each run, print what that shows. */
static void follow_with(const char *example, const char *options)
{
    shell("rm -rf copy && cp -r '" MSW_SOURCE_DIR "/examples/%s' copy && cd copy && [ $(wc -l <README.md) -le 15 ] && "
          "for f in README.md *.sh; do if [ -e $f ]; then sed -i 's/monosweep run [a-z0-9]*[.]lua/&%s/' $f; fi; done && "
          "for block in sh text; do sed -n \"/^\\`\\`\\`$block/,/^\\`\\`\\`/p\" README.md | grep -v '^```' >../readme.$block; done",
          example, options);
    shell(
        "export PATH=\"$PWD/a prefix/bin:$PATH\" PKG_CONFIG_PATH=\"$PWD/a prefix/lib/pkgconfig\" && cd copy && sh -e ../readme.sh >../printed.txt && "
        "[ -s ../readme.text ] && diff ../readme.text ../printed.txt");
}

static void follow_readme(const char *example) { follow_with(example, ""); }

/* All results verified, on the host and then on a device, which the copy keeps. */
static void follow_and_verify(const char *example)
{
    follow_with(example, " --device host --verify");
    follow_with(example, " --verify");
    shell("grep -q 'monosweep run.* --verify' copy/README.md copy/*.sh");
}

static void test_jit_affine(void **state)
{
    (void)state;
    follow_readme("jit_affine");
}

/* Beside its own file: quotes in bare fields, behind closed ones and unclosed, returns alone, empty lines, no line end at the end. */
static void test_csv_offsets(void **state)
{
    static const char *const texts[] = {
        "", "\n", "a", ",", "\r\n\r\n", "a\"b\",c\n\"d\"e\",\",f", "\"a\rb\"\r\r\n\r\"c,d", "\"\"\"\",\"\",,\n\n\"\"\"", "\"a\nb,\r\n"};
    /* The same, as columns of a number and a text. */
    static const char *const tables[] = {"", "n,t", "n,t\n7,x\n", "n,t\r\n7,\"a,\"\"b\"\"\r\nc\"\r\n8,\r\n\"9\",d\re\r\n",
                                         "\"n,\n0\",t\n1,\"\"\"\"\n\"12\",,\n13,a\n14,last"};
    (void)state;
    follow_and_verify("csv_offsets");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        make_text("text.csv", texts[i]);
        shell("cd copy && ./csv_offsets ../text.csv");
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        make_text("text.csv", tables[i]);
        shell("export LC_ALL=C PATH=\"$PWD/a prefix/bin:$PATH\" && cd copy && sh columns.sh ../text.csv -D NUMBERS=0 -D TEXTS=1 >ours && "
              "awk -f columns.awk -v numbers=0 -v texts=1 ../text.csv | cmp - ours");
    }
    shell("export LC_ALL=C PATH=\"$PWD/a prefix/bin:$PATH\" && cd copy && for i in $(seq 20); do cat papers.csv; done >many.csv && "
          "sh columns.sh many.csv -D TEXTS=5 >ours && awk -f columns.awk -v numbers=4 -v texts=5 many.csv | cmp - ours");
}

/* Its own check, and the splats from a file. */
static void test_gaussian_splat_sort(void **state)
{
    (void)state;
    follow_readme("gaussian_splat_sort");
    shell("export PATH=\"$PWD/a prefix/bin:$PATH\" && cd copy && for device in vulkan host; do "
          "monosweep run splats.lua --device $device --verify --input splats=scene --output sorted=$device.sorted --output begins=$device.begins "
          "--output ends=$device.ends || exit 1; done && for output in sorted begins ends; do cmp vulkan.$output host.$output || exit 1; done");
}

/* Texts of which `sort | uniq -c` and iconv know the result, beside their own. */
static void test_word_counts(void **state)
{
    static const char *const texts[] = {"", "\n", "a", "A a\nb", "don't-stop", " x", "x ", "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz Z"};
    (void)state;
    follow_and_verify("word_counts");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        make_text("copy/text.txt", texts[i]);
        shell("export PATH=\"$PWD/a prefix/bin:$PATH\" && cd copy && sh count.sh text.txt >ours && tr -cs A-Za-z '\\n' <text.txt | tr A-Z a-z | "
              "sed '/^$/d' | LC_ALL=C sort | uniq -c | awk '{ print $1, $2 }' | LC_ALL=C sort -k1,1nr -k2,2 | cmp - ours");
    }
}

static void test_utf8(void **state)
{
    (void)state;
    follow_readme("utf8");
    make_text("copy/all", "Gr\303\274\303\237e \342\202\254 \360\237\214\215");
    shell("export PATH=\"$PWD/a prefix/bin:$PATH\" && cd copy && for i in 1 2 3 4 5 6 7 8 9; do head -c $((i * 2)) all >cut; "
          "if iconv -f UTF-8 -t UTF-16 cut >/dev/null 2>&1; then echo valid; else echo not; fi >theirs; "
          "sh check.sh cut | cut -d ' ' -f 1 | cmp - theirs || exit 1; done");
}

static void test_csv_groups(void **state)
{
    (void)state;
    follow_and_verify("csv_groups");
}

static void test_smoothing(void **state)
{
    (void)state;
    shell("rm -rf statistics && cp -r '" MSW_SOURCE_DIR "/examples/statistics' .");
    follow_and_verify("smoothing");
}

static void test_statistics(void **state)
{
    (void)state;
    follow_readme("statistics");
    shell(
        "cd copy && seq 1 3000 >numbers && awk '{ print sin($1) * 40 }' numbers >waves && ./statistics waves && echo 7 >seven && ./statistics seven");
}

/* Their list has them all. */
static void test_list_of_examples(void **state)
{
    (void)state;
    shell(
        "cd '" MSW_SOURCE_DIR
        "/examples' && for example in *; do [ $example = README.md ] || grep -F -q \"\\`$example\\`\" README.md || { echo $example; exit 1; }; done");
}

/* On a system without dpkg it names what is needed, and builds with what is there. */
static void test_bootstrap(void **state)
{
    (void)state;
    shell("mkdir -p bootstrap/tools && cp '" MSW_SOURCE_DIR "/bootstrap.sh' bootstrap/ && "
          "for tool in cat dirname mkdir; do ln -s \"$(command -v $tool)\" bootstrap/tools/; done && "
          "printf '#!/bin/sh\\necho cmake \"$@\"; exit 1\\n' >bootstrap/tools/cmake && chmod +x bootstrap/tools/cmake");
    assert_false(try_command("PATH=\"$PWD/bootstrap/tools\" /bin/sh bootstrap/bootstrap.sh demo"));
    if (!has_printed(" cmake ninja-build make gcc ") || !has_printed(" locales\ncmake -G Ninja -S . -B build ")) shell("cat output.txt && false");
}

/* ---- build time ---- */

#define EXAMPLE "1048576 numbers, from 945 to 4294965727, 0 wrong\n"
#define FOUND "-DCMAKE_PREFIX_PATH=\"$PWD/a prefix\""

/* The last build made these plans, and no others. */
static void expect_made(int first, int second)
{
    if (has_printed("plans of random.lua") == first && has_printed("plans of order.lua") == second && !has_printed("arning")) return;
    cli_file output = load_file("output.txt");
    fail_msg("not what was to be made:\n%s", output.data);
}

/* Nothing changed: nothing runs. A spec changed: its plans alone are made. The tool changed: all are. */
static void check_rebuilds(const char *build)
{
    shell("cmake --build %s", build);
    expect_made(1, 1);
    shell("touch stamp && sleep 0.1 && cmake --build %s && find %s -type f -newer stamp", build, build);
    expect_made(0, 0);
    assert_false(has_printed("Building C") || has_printed("Linking C") || has_printed(".o\n"));
    shell("touch stamp && sleep 0.1 && touch %s/../random.lua && cmake --build %s && find %s -newer stamp", build, build, build);
    expect_made(1, 0);
    assert_true(has_printed("random_plans.c.o\n") && has_printed("random_plans.h\n") && !has_printed("order_plans"));
}

/* The example, as its README has it. */
static void test_build_time(void **state)
{
    (void)state;
    shell("cp -r '" MSW_SOURCE_DIR "/examples/build_time' . && cmake -G Ninja -S build_time -B build_time/build " FOUND);
    check_rebuilds("build_time/build");
    shell("build_time/build/build_time >printed.txt && cat printed.txt && grep -q -F \"$(cat printed.txt)\" build_time/README.md");
    expect_printed(EXAMPLE);
    assert_false(try_command("build_time/build/build_time host"));
    assert_true(has_printed("runs none of the plans of 'numbers': all are for other backends"));
}

/* It needs the C library alone: no Lua, no compiler, neither linked nor opened when it runs. */
static void test_needs_neither_lua_nor_compiler(void **state)
{
    (void)state;
    shell("cd build_time/build && for f in build_time '../../a prefix/lib/libmonosweep_runtime.a'; do\n"
          "  ! nm \"$f\" | grep -i -E ' (lua|glslang|spv|nvrtc)' || exit 1\n"
          "  ! strings \"$f\" | grep -E 'liblua|libglslang|libSPIRV|libnvrtc' || exit 1\n"
          "done");
    shell("nm 'a prefix/bin/monosweep' | grep -c -E ' (lua_newstate|luaL|spv|glslang)' >/dev/null"); /* which would be found */
    shell("ldd build_time/build/build_time | grep -v -E 'linux-vdso|libc\\.so|libm\\.so|libdl|libpthread|ld-linux|libasan|libubsan' || true");
    expect_printed("");
}

/* A small project of two specs, in C or C++ alone. options: of order.lua's plans. */
static void make_project(const char *folder, const char *language, const char *options)
{
    shell("mkdir '%s' && cd '%s' && printf 'return reduce { name = \"first\", monoid = sum(u32) }\\n' >random.lua && "
          "printf 'return { reduce { name = \"second\", monoid = sum(vec(f32, 2)) }, reduce { name = \"third\", monoid = maximum(u8) } }\\n' "
          ">order.lua",
          folder, folder);
    shell("cd '%s' && printf '#include \"order_plans.h\"\\n#include \"random_plans.h\"\\n#include <monosweep/monosweep.h>\\n"
          "int main(void) { return !first_plans[0] || !second_plans[0] || third_plans[3] || !msw_version(); }\\n' >main.%s",
          folder, strcmp(language, "C") == 0 ? "c" : "cpp");
    shell("cd '%s' && printf '%%s\\n' 'cmake_minimum_required(VERSION 3.22)' 'project(small LANGUAGES %s)' 'find_package(monosweep REQUIRED)' "
          "'add_executable(small main.%s)' 'target_link_libraries(small PRIVATE monosweep::monosweep_runtime)' "
          "'target_compile_options(small PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)' "
          "'monosweep_generate(TARGET small SPEC order.lua BACKENDS vulkan %s)' "
          "'monosweep_generate(TARGET small SPEC \"${CMAKE_CURRENT_SOURCE_DIR}/random.lua\" BACKENDS vulkan)' >CMakeLists.txt",
          folder, language, strcmp(language, "C") == 0 ? "c" : "cpp", options);
}

static void test_make(void **state)
{
    (void)state;
    make_project("small", "C", "OPTIONS --subgroup 8,16,1 --set items=16");
    shell("cmake -G 'Unix Makefiles' -S small -B small/build " FOUND);
    check_rebuilds("small/build");
    shell("small/build/small && grep -q 'order.lua --target plans --backend vulkan --subgroup 8,16,1 --set items=16' "
          "small/build/monosweep/small/order_plans.c");
    shell("sleep 0.1 && touch 'a prefix/bin/monosweep' && cmake --build small/build");
    expect_made(1, 1);
    shell("cp small/order.lua . && printf 'return reduce { monoid = sum(u33) }\\n' >small/order.lua");
    assert_false(try_command("cmake --build small/build"));
    assert_true(has_printed("order.lua:1:") && has_printed("expected a type")); /* the spec's error is the build's */
    shell("cp order.lua small/ && cmake --build small/build && small/build/small");
    expect_made(0, 1);
}

/* Vulkan's plans and CUDA's (PTX, which needs NVRTC here) are one list, of which a program with the run-time library alone takes what serves. */
static void test_both_backends(void **state)
{
    (void)state;
    shell("cp -r '" MSW_SOURCE_DIR "/tests/house/package/both' . && cp '" MSW_SOURCE_DIR
          "/tests/support/fake_cuda.h' both/ && cmake -G Ninja -S both -B both/build " FOUND " && cmake --build both/build");
    shell("grep -q 'SPDX-License-Identifier: MIT OR 0BSD' both/build/monosweep/both/sum_plans.c && grep -q 'total sum' "
          "both/build/monosweep/both/sum_plans.h && both/build/both '" MSW_FAKE_CUDA "'");
    expect_printed("Vulkan: 321\nCUDA: PTX, enqueued\n");
}

/* And with a tuning table: what was made with it is made again when it changes. */
static void test_cpp_alone(void **state)
{
    (void)state;
    make_project("small cpp", "CXX", "OPTIONS --tuning \"my tables/t.lua\" --set items=16");
    shell("mkdir 'small cpp/my tables' && printf 'row { backend = \"vulkan\", class = \"reduce\", bytes = 8, knobs = { block = 64 } }\\n' >'small "
          "cpp/my tables/t.lua'");
    shell("cmake -G Ninja -S 'small cpp' -B 'small cpp/build' " FOUND " && cmake --build 'small cpp/build' && 'small cpp/build/small'");
    expect_made(1, 1);
    shell("grep -q -- '--set items=16 --tuning t.lua' 'small cpp/build/monosweep/small/order_plans.c' && sleep 0.1 && sed -i s/64/128/ 'small "
          "cpp/my tables/t.lua' && "
          "cmake --build 'small cpp/build'");
    expect_made(0, 1);
    shell("sed -i 's|my tables/t.lua|$<1:${CMAKE_CURRENT_SOURCE_DIR}/my tables/t.lua>|' 'small cpp/CMakeLists.txt' && grep -q '<1:' 'small "
          "cpp/CMakeLists.txt' && "
          "cmake --build 'small cpp/build'"); /* a generator expression for the same name */
    expect_made(0, 0);
    shell("sleep 0.1 && sed -i s/128/64/ 'small cpp/my tables/t.lua' && cmake --build 'small cpp/build'");
    expect_made(0, 1);
}

/* Another system's package, whose command line does not run here: MONOSWEEP_TOOL names one that does. */
static void test_cross_compiling(void **state)
{
    (void)state;
    make_project("cross", "C", "");
    shell("cp -r 'a prefix' 'target prefix' && printf '#!/bin/sh\\necho a target program runs >&2\\nexit 1\\n' >'target prefix/bin/monosweep' && "
          "printf '#!/bin/sh\\necho \"$2\" >>\"%%s/runs.txt\"\\nexec \"%%s/a prefix/bin/monosweep\" \"$@\"\\n' \"$PWD\" \"$PWD\" >'host tool' && "
          "chmod +x 'host tool' && "
          "printf 'set(CMAKE_SYSTEM_NAME Linux)\\nset(CMAKE_SYSTEM_PROCESSOR riscv64)\\nset(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)\\n' "
          ">toolchain.cmake");
#define CROSS "cmake -G Ninja -S cross -B cross/build -DCMAKE_TOOLCHAIN_FILE=\"$PWD/toolchain.cmake\" -DCMAKE_PREFIX_PATH=\"$PWD/target prefix\""
    assert_false(try_command(CROSS));
    assert_true(has_printed("MONOSWEEP_TOOL") && has_printed("riscv64"));
    shell(CROSS " -DMONOSWEEP_TOOL=\"$PWD/host tool\" && cmake --build cross/build && cross/build/small && [ $(wc -l <runs.txt) = 2 ]");
    expect_made(1, 1);
    shell("touch 'host tool' && cmake --build cross/build && [ $(wc -l <runs.txt) = 4 ]");
}

static void test_wrong_use(void **state)
{
    static const struct {
        const char *call, *words;
    } cases[] = {
        {"monosweep_generate(TARGET small BACKENDS vulkan)", "SPEC"},
        {"monosweep_generate(TARGET small SPEC a.lua)", "BACKENDS"},
        {"monosweep_generate(TARGET small SPEC a.lua BACKENDS vulkan SUBGROUP)", "SUBGROUP"},
        {"monosweep_generate(TARGET small SPEC a.lua BACKENDS metal)", "metal"},
        {"monosweep_generate(TARGET none SPEC a.lua BACKENDS vulkan)", "none"},
        {"monosweep_generate(TARGET small SPEC b.lua BACKENDS vulkan)", "wrong/b.lua"},
        {"monosweep_generate(TARGET small SPEC ../build BACKENDS vulkan)", "directory;"},
        {"monosweep_generate(TARGET small SPEC a.lua BACKENDS vulkan OPTIONS --tuning t.lua)", "wrong/t.lua"},
    };
    (void)state;
    shell("mkdir -p wrong build && printf 'return reduce { monoid = sum(u32) }\\n' >wrong/a.lua");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        shell("mkdir -p wrong && cp small/main.c wrong/ && printf '%%s\\n' 'cmake_minimum_required(VERSION 3.22)' 'project(wrong LANGUAGES C)' "
              "'find_package(monosweep REQUIRED)' 'add_executable(small main.c)' '%s' >wrong/CMakeLists.txt",
              cases[c].call);
        assert_false(try_command("cmake -S wrong -B wrong/build " FOUND));
        assert_true(has_printed("monosweep_generate") && has_printed(cases[c].words) && has_printed("CMakeLists.txt:5 (monosweep_generate)"));
    }
}

/* A spec need not be there when the project is configured: a custom command makes it when it is built. */
static void test_made_spec(void **state)
{
    (void)state;
    make_project("made", "C", "");
    shell("sed -i 's|^monosweep_generate.TARGET small SPEC order.lua|add_custom_command(OUTPUT order.lua COMMAND ${CMAKE_COMMAND} -E copy "
          "${CMAKE_CURRENT_SOURCE_DIR}/order.in order.lua DEPENDS order.in)\\nmonosweep_generate(TARGET small SPEC "
          "${CMAKE_CURRENT_BINARY_DIR}/order.lua|' made/CMakeLists.txt && "
          "mv made/order.lua made/order.in && cmake -G Ninja -S made -B made/build " FOUND " && cmake --build made/build && made/build/small");
    expect_made(1, 1);
    shell("sleep 0.1 && touch made/order.in && cmake --build made/build");
    expect_made(0, 1);
}

/* ---- as a part of another project ---- */

/* A parent's project and flags are as they were; it gets the same targets and function. Shared libraries, installed by the parent. */
static void test_add_subdirectory(void **state)
{
    (void)state;
    make_project("parent", "C", "");
    shell("ln -s '" MSW_SOURCE_DIR
          "' parent/monosweep && sed -i 's/^find_package.*/enable_testing()\\nadd_subdirectory(monosweep)/' parent/CMakeLists.txt && "
          "cmake -G Ninja -S parent -B parent/build && grep MSW_ parent/build/CMakeCache.txt");
    assert_true(has_printed("MSW_BUILD_TESTS:BOOL=OFF\n") && has_printed("MSW_BUILD_BENCH:BOOL=OFF\n") && has_printed("MSW_INSTALL:BOOL=OFF\n"));
    shell("cd parent/build && ninja -t commands small | grep 'main.c.o '; ctest -N; ninja -t targets all | grep -c -E "
          "'^(install|uninstall|goldens|tests/.*|test_cli):' || true");
    assert_true(has_printed("Total Tests: 0\n0\n"));
    assert_false(has_printed("-ffp-contract") || has_printed("_POSIX_C_SOURCE") || has_printed("-fvisibility") || has_printed("-std="));
    shell("cmake parent/build -DBUILD_SHARED_LIBS=ON -DMSW_INSTALL=ON -DCMAKE_BUILD_TYPE=Debug && cmake --build parent/build && parent/build/small");
    expect_made(1, 1);
    shell("cmake --install parent/build --prefix \"$PWD/shared prefix\" && cd 'shared prefix/lib' && find . -name '*.so*' | LC_ALL=C sort");
    assert_true(has_printed("./libmonosweep_runtime.so\n./libmonosweep_runtime.so.0\n./libmonosweep_runtime.so.0.1.0\n"));
}

/* The same package with shared libraries, moved: programs find them where the prefix is. */
static void test_shared(void **state)
{
    (void)state;
    shell("mv 'shared prefix' 'shared moved' && 'shared moved/bin/monosweep' --version && readelf -d 'shared moved/bin/monosweep' | grep -F "
          "'$ORIGIN/../lib' && "
          "cmake -G Ninja -S small -B small/shared -DCMAKE_PREFIX_PATH=\"$PWD/shared moved\" && cmake --build small/shared && small/shared/small");
    expect_made(1, 1);
    shell("! ldd small/shared/small | grep -i -E 'lua|glslang|spirv|nvrtc|stdc' && ldd small/shared/small | grep 'libmonosweep_runtime.so.0 => '");
    shell("export PKG_CONFIG_PATH=\"$PWD/shared moved/lib/pkgconfig\" && pkg-config --libs monosweep && "
          "eval cc jit_affine/main.c -o shared $(pkg-config --cflags --libs monosweep) '\"-Wl,-rpath,$PWD/shared moved/lib\"' && ./shared");
    assert_true(has_printed("1 2.5 4.25 6.125\n") && !has_printed("-llua"));
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files),
                                       cmocka_unit_test(test_find_package),
                                       cmocka_unit_test(test_versions),
                                       cmocka_unit_test(test_pkg_config),
                                       cmocka_unit_test(test_jit_affine),
                                       cmocka_unit_test(test_csv_offsets),
                                       cmocka_unit_test(test_gaussian_splat_sort),
                                       cmocka_unit_test(test_word_counts),
                                       cmocka_unit_test(test_utf8),
                                       cmocka_unit_test(test_csv_groups),
                                       cmocka_unit_test(test_smoothing),
                                       cmocka_unit_test(test_statistics),
                                       cmocka_unit_test(test_list_of_examples),
                                       cmocka_unit_test(test_bootstrap),
                                       cmocka_unit_test(test_build_time),
                                       cmocka_unit_test(test_needs_neither_lua_nor_compiler),
                                       cmocka_unit_test(test_make),
                                       cmocka_unit_test(test_both_backends),
                                       cmocka_unit_test(test_cpp_alone),
                                       cmocka_unit_test(test_cross_compiling),
                                       cmocka_unit_test(test_wrong_use),
                                       cmocka_unit_test(test_made_spec),
                                       cmocka_unit_test(test_add_subdirectory),
                                       cmocka_unit_test(test_shared),
                                       cmocka_unit_test(test_uninstall)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
