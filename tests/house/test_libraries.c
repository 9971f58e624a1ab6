/* Public headers that compile alone, libraries that export their interface and need little. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "public_functions.h"

enum { MAX_NAMES = 512, LINE_BYTES = 1024 };

/* ---- headers alone ---- */

static int is_installed(const char *program)
{
    char command[LINE_BYTES];
    snprintf(command, sizeof command, "command -v %s >/dev/null", program);
    return system(command) == 0;
}

static void compile_alone(const char *compiler, const char *language, const char *standard)
{
    const int is_cpp = !strcmp(language, "c++");
    if (!is_installed(compiler)) return;
    for (int h = 0; h < PUBLIC_HEADERS + is_cpp; h++) {
        const char *header = h < PUBLIC_HEADERS ? public_headers[h] : "monosweep.hpp";
        char command[2 * LINE_BYTES];
        snprintf(command, sizeof command,
                 "printf '#include <monosweep/%s>\\n#include <monosweep/%s>\\n' | %s -x %s -std=%s -Wall -Wextra -Wpedantic -Wconversion -Wshadow "
                 "-Werror -fsyntax-only -I'%s/include' -",
                 header, header, compiler, language, standard, MSW_SOURCE_DIR);
        if (system(command) != 0) fail_msg("%s does not compile by itself: %s -std=%s", header, compiler, standard);
    }
}

static void test_headers_compile_alone(void **state)
{
    (void)state;
    compile_alone(MSW_C_COMPILER, "c", "c11");
    compile_alone(MSW_CXX_COMPILER, "c++", "c++17");
    compile_alone("gcc", "c", "c11");
    compile_alone("g++", "c++", "c++17");
    compile_alone("g++", "c++", "c++20");
    compile_alone("clang", "c", "c11");
    compile_alone("clang++", "c++", "c++17");
    compile_alone("clang++", "c++", "c++20");
}

static void test_all_headers_are_known(void **state)
{
    DIR *folder = opendir(MSW_SOURCE_DIR "/include/monosweep");
    int count = 0;
    (void)state;
    assert_non_null(folder);
    while (readdir(folder)) count++;
    closedir(folder);
    assert_int_equal(count - 2, PUBLIC_HEADERS + 1); /* and the one for C++ */
}

/* They speak of nothing that users do not have: folders of the tree, its notes. */
static void test_headers_name_no_file(void **state)
{
    (void)state;
    if (system("! grep -n -E 'SPEC_LANGUAGE|[A-Za-z]+[.]md|(gen|runtime|backends|templates|docs|tests)/' '" MSW_SOURCE_DIR "'/include/monosweep/*"))
        fail_msg("a public header names what is not installed");
}

/* A device feature is one that kernels can need: emitters name it. */
static void test_features_are_needed(void **state)
{
    (void)state;
    if (system(
            "cd '" MSW_SOURCE_DIR "' && grep -o '^    MSW_FEATURE_[A-Z0-9_]*' include/monosweep/monosweep_plan.h | sed 's/.*FEATURE_//' | "
            "tr A-Z a-z | while read -r feature; do grep -q -r -w $feature gen/emit/*.lua backends/vulkan/*.lua || { echo $feature; exit 1; }; done"))
        fail_msg("no kernel needs this feature");
}

/* ---- libraries ---- */

typedef struct name_set {
    char *names[MAX_NAMES];
    int count;
} name_set;

static int has(const name_set *set, const char *name)
{
    for (int i = 0; i < set->count; i++)
        if (strcmp(set->names[i], name) == 0) return 1;
    return 0;
}

static void add(name_set *set, const char *name)
{
    assert_true(set->count < MAX_NAMES);
    set->names[set->count] = malloc(strlen(name) + 1);
    assert_non_null(set->names[set->count]);
    strcpy(set->names[set->count++], name);
}

static void clear(name_set *set)
{
    while (set->count) free(set->names[--set->count]);
}

static void add_function(void *set, const char *name) { add(set, name); }

/* The names that a command prints, as the last word of each line where `words` occurs. */
static void printed(name_set *set, const char *command, const char *library, const char *words)
{
    char line[LINE_BYTES];
    FILE *pipe;
    snprintf(line, sizeof line, "%s '%s/lib%s.so'", command, MSW_SHARED_DIR, library);
    pipe = popen(line, "r");
    assert_non_null(pipe);
    while (fgets(line, sizeof line, pipe)) {
        const char *last;
        line[strcspn(line, "\n")] = '\0';
        last = strrchr(line, ' ');
        if (last && strstr(line, words)) add(set, last + 1);
    }
    assert_int_equal(pclose(pipe), 0);
}

static void expect_same(const char *what, const name_set *got, const name_set *expected)
{
    for (int i = 0; i < got->count; i++)
        if (!has(expected, got->names[i])) fail_msg("%s: %s is one too many", what, got->names[i]);
    for (int i = 0; i < expected->count; i++)
        if (!has(got, expected->names[i])) fail_msg("%s: %s is missing", what, expected->names[i]);
}

/* Each library exports its part of the interface; nothing else. */
static void test_exports(void **state)
{
    static const char nm[] = "nm -D --defined-only";
    name_set interface = {.count = 0}, all = {.count = 0}, gen = {.count = 0}, runtime = {.count = 0}, parts = {.count = 0};
    (void)state;
    assert_true(for_public_functions(add_function, &interface) > 30);
    printed(&all, nm, "monosweep", " ");
    printed(&gen, nm, "monosweep_gen", " ");
    printed(&runtime, nm, "monosweep_runtime", " ");
    expect_same("libmonosweep.so", &all, &interface);
    for (int i = 0; i < gen.count; i++) {
        add(&parts, gen.names[i]);
        const int is_in_both =
            !strcmp(gen.names[i], "msw_version") || !strcmp(gen.names[i], "msw_result_text") || !strcmp(gen.names[i], "msw_feature_name");
        assert_int_equal(has(&runtime, gen.names[i]), is_in_both);
    }
    for (int i = 0; i < runtime.count; i++) add(&parts, runtime.names[i]);
    add(&parts, "msw_kernel_create"); /* these need both, and the compilers */
    add(&parts, "msw_program_compile");
    add(&parts, "msw_compiler_check");
    expect_same("libmonosweep_gen.so and libmonosweep_runtime.so", &parts, &interface);
    clear(&interface);
    clear(&all);
    clear(&gen);
    clear(&runtime);
    clear(&parts);
}

static int lists(const char *list, const char *name)
{
    char spaced[LINE_BYTES];
    snprintf(spaced, sizeof spaced, " %s ", name);
    return strstr(list, spaced) != NULL;
}

static void check_needs(const char *library, const char *allowed)
{
    char soname[256];
    name_set needed = {.count = 0}, names = {.count = 0};
    printed(&needed, "readelf -d", library, "(NEEDED)");
    printed(&names, "readelf -d", library, "(SONAME)");
    snprintf(soname, sizeof soname, "[lib%s.so.0]", library);
    assert_int_equal(names.count, 1);
    assert_string_equal(names.names[0], soname);
    for (int i = 0; i < needed.count; i++)
        if (!lists(allowed, needed.names[i])) fail_msg("lib%s.so needs %s", library, needed.names[i]);
    clear(&needed);
    clear(&names);
}

#define SYSTEM " [libc.so.6] [libdl.so.2] [libpthread.so.0] [ld-linux-x86-64.so.2] [libasan.so.8] [libubsan.so.1] "

/* The runtime needs the C library only: no Lua, no compiler, no GPU library. */
static void test_needs(void **state)
{
    (void)state;
    check_needs("monosweep_runtime", SYSTEM);
    check_needs("monosweep_gen", SYSTEM " [libm.so.6] [liblua5.4.so.0] ");
    check_needs("monosweep", SYSTEM " [libm.so.6] [liblua5.4.so.0] [libstdc++.so.6] [libgcc_s.so.1] ");
}

/* Each loads with nothing missing, and the three side by side. */
static void test_loads(void **state)
{
    static const char *const libraries[] = {"monosweep_runtime", "monosweep_gen", "monosweep"};
    void *handles[3];
    (void)state;
    for (int l = 0; l < 3; l++) {
        char path[LINE_BYTES];
        const char *(*version)(void);
        void *symbol;
        snprintf(path, sizeof path, "%s/lib%s.so.0", MSW_SHARED_DIR, libraries[l]);
        handles[l] = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!handles[l]) fail_msg("%s", dlerror());
        symbol = dlsym(handles[l], "msw_version");
        assert_non_null(symbol);
        memcpy(&version, &symbol, sizeof version);
        assert_string_equal(version(), "0.1.0");
    }
    for (int l = 0; l < 3; l++) dlclose(handles[l]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_headers_compile_alone),
                                       cmocka_unit_test(test_all_headers_are_known),
                                       cmocka_unit_test(test_headers_name_no_file),
                                       cmocka_unit_test(test_features_are_needed),
                                       cmocka_unit_test(test_exports),
                                       cmocka_unit_test(test_needs),
                                       cmocka_unit_test(test_loads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
