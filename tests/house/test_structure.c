/* What holds the tree together: who includes whom, public headers that compile alone, libraries that export their interface and need little. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "public_functions.h"

enum { MAX_NAMES = 512, LINE_BYTES = 1024 };

/* ---- who includes whom ---- */

/* A folder's files whose name begins with `prefix` ("": the others), and what they may include beside their own folder's headers. Names have a space
 * before and after; a name that ends with a slash stands for all headers of that folder. */
typedef struct room {
    const char *folder, *prefix;
    const char *quoted; /* as they are written there */
    const char *angled; /* beside the C library's and the public plan */
} room;

static const char c_library[] =
    " assert.h ctype.h dirent.h dlfcn.h errno.h fcntl.h float.h glob.h inttypes.h limits.h link.h locale.h math.h pthread.h setjmp.h signal.h "
    "stdalign.h stdarg.h stdbool.h "
    "stdatomic.h stddef.h stdint.h stdio.h stdlib.h string.h sys/file.h sys/stat.h sys/types.h time.h unistd.h ";

#define SEEN_BY_BACKENDS " ../../runtime/backend.h ../../runtime/launch.h ../../runtime/objects.h ../../runtime/sized.h "
#define LUA " lua.h lauxlib.h lualib.h "
#define PUBLIC " monosweep/monosweep.h monosweep/monosweep_measure.h monosweep/monosweep_plan.h "
#define DOOR " arena.h c_locale.h choices.h diag.h embedded.h lua_limits.h splitmix.h " /* of gen/ */

/* The first that fits a file counts. gen/diag.h alone has what the libraries share.
 * In gen/: expr <- spec <- verify and plan <- program.h <- emit <- program.c. */
static const room rooms[] = {
    {"include/monosweep", "monosweep_plan", "", ""},
    {"include/monosweep", "monosweep_vulkan", "", " monosweep/monosweep.h vulkan/vulkan_core.h "},
    {"include/monosweep", "monosweep_cuda", "", " monosweep/monosweep.h "},
    {"include/monosweep", "monosweep.hpp", "", PUBLIC " cstddef cstdint cstdio initializer_list iterator memory stdexcept utility "},
    {"include/monosweep", "", "", PUBLIC},
    {"gen", "program.c", " emit/emit.h ", PUBLIC},
    {"gen", "program.h", " plan/plan.h ", PUBLIC},
    {"gen", "diag.h", " ../runtime/sized.h ", PUBLIC},
    {"gen", "", "", PUBLIC LUA},
    {"gen/expr", "", DOOR, PUBLIC LUA},
    {"gen/spec", "", DOOR " expr/ ", PUBLIC LUA},
    {"gen/verify", "", DOOR " expr/ spec/spec.h ", PUBLIC},
    {"gen/plan", "", DOOR " expr/ spec/spec.h ", PUBLIC LUA},
    {"gen/emit", "", DOOR " program.h ", PUBLIC LUA},
    {"gen/cli", "pages", " choices.h embedded.h lua_limits.h ",
     PUBLIC LUA}, /* made by embedded modules of the command line's own; users' tables run */
    {"gen/cli", "cli.c", " command/commands.h ", PUBLIC},
    {"gen/cli", "", " io/ measure/ ", PUBLIC},
    {"gen/cli/io", "", " cli/messages.h ", PUBLIC},
    {"gen/cli/measure", "baseline_loop", " cli/io/ ", PUBLIC " spawn.h sys/wait.h "}, /* what alone starts another program */
    {"gen/cli/measure", "", " cli/io/ cli/messages.h cli/options.h cli/pages.h cli/units.h ", PUBLIC},
    {"gen/cli/command", "", " cli/ cli/io/ cli/measure/ ", PUBLIC},
    {"runtime/jit", "", " ../backend.h ../cache.h ../objects.h ../plan_record.h c_locale.h embedded.h program.h ", PUBLIC},
    {"runtime", "cache_entry", "", " xxhash.h "},
    {"runtime", "", "", PUBLIC},
    {"backends/host", "", SEEN_BY_BACKENDS, PUBLIC},
    {"backends/simulator", "", " ../../runtime/launch.h ", PUBLIC " sys/mman.h ucontext.h "},
    {"backends/vulkan", "compile", SEEN_BY_BACKENDS, PUBLIC " glslang/Include/glslang_c_interface.h glslang/build_info.h "},
    {"backends/vulkan", "spirv", SEEN_BY_BACKENDS,
     " spirv-tools/libspirv.h spirv-tools/optimizer.hpp cstddef cstdint cstdio cstring exception map set unordered_set vector "},
    {"backends/vulkan", "pipeline_cache", SEEN_BY_BACKENDS " ../../runtime/cache.h ", ""},
    {"backends/vulkan", "", SEEN_BY_BACKENDS, PUBLIC " monosweep/monosweep_vulkan.h vulkan/vulkan_core.h "},
    {"backends/cuda", "vendored", SEEN_BY_BACKENDS, " cuda.h cuda_runtime.h "}, /* never compiled here: text of vendored headers */
    {"backends/cuda", "", SEEN_BY_BACKENDS, PUBLIC " monosweep/monosweep_cuda.h "},
};

static int lists(const char *list, const char *name)
{
    char spaced[LINE_BYTES];
    snprintf(spaced, sizeof spaced, " %s ", name);
    return strstr(list, spaced) != NULL;
}

static int exists(const char *folder, const char *name)
{
    char path[LINE_BYTES];
    FILE *file;
    snprintf(path, sizeof path, "%s/%s/%s", MSW_SOURCE_DIR, folder, name);
    file = fopen(path, "r");
    if (file) fclose(file);
    return file != NULL;
}

static int may_include(const room *r, const char *name, char opening)
{
    char folder[256];
    const char *slash = strrchr(name, '/');
    if (opening == '<') return lists(c_library, name) || lists(r->angled, name) || strcmp(name, "monosweep/monosweep_plan.h") == 0;
    if (lists(r->quoted, name)) return 1;
    if (!slash) return exists(r->folder, name);
    snprintf(folder, sizeof folder, "%.*s/", (int)(slash - name < 250 ? slash - name : 250), name);
    return lists(r->quoted, folder);
}

static int check_file(const char *folder, const char *file_name)
{
    const room *r = rooms;
    char path[LINE_BYTES], line[LINE_BYTES], opening, name[256];
    int wrong = 0;
    FILE *file;
    while (strcmp(r->folder, folder) != 0 || strncmp(file_name, r->prefix, strlen(r->prefix)) != 0) r++;
    snprintf(path, sizeof path, "%s/%s/%s", MSW_SOURCE_DIR, folder, file_name);
    file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, " # include %c%255[^>\"]", &opening, name) == 2 && !may_include(r, name, opening)) {
            print_error("%s/%s may not include %c%s\n", folder, file_name, opening, name);
            wrong++;
        }
    fclose(file);
    return wrong;
}

static int is_source(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".c") == 0 || strcmp(dot, ".h") == 0 || strcmp(dot, ".hpp") == 0 || strcmp(dot, ".cpp") == 0);
}

static void test_includes(void **state)
{
    int wrong = 0, files = 0;
    (void)state;
    for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++) {
        char path[LINE_BYTES];
        DIR *folder;
        if (rooms[r].prefix[0]) continue; /* each folder once, by its last entry */
        snprintf(path, sizeof path, "%s/%s", MSW_SOURCE_DIR, rooms[r].folder);
        folder = opendir(path);
        assert_non_null(folder);
        for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
            if (is_source(entry->d_name)) wrong += check_file(rooms[r].folder, entry->d_name), files++;
        closedir(folder);
    }
    assert_true(files > 60);
    assert_int_equal(wrong, 0);
}

/* The rules themselves: what each room must not see. */
static void test_rules(void **state)
{
    static const struct {
        const char *folder, *prefix, *name;
        char opening;
        int may;
    } cases[] = {
        {"gen", "", "vulkan/vulkan.h", '<', 0},
        {"gen/plan", "", "cuda.h", '<', 0},
        {"gen/emit", "", "../runtime/backend.h", '"', 0},
        {"gen", "", "arena.h", '"', 1},
        {"gen", "", "../runtime/sized.h", '"', 0},
        {"gen", "", "spec/spec.h", '"', 0},
        {"gen/expr", "", "spec/spec.h", '"', 0},
        {"gen/spec", "", "plan/plan.h", '"', 0},
        {"gen/spec", "", "expr/type.h", '"', 1},
        {"gen/plan", "", "spec/reader.h", '"', 0},
        {"gen/plan", "", "program.h", '"', 0},
        {"gen/plan", "", "emit/emit.h", '"', 0},
        {"gen/emit", "", "plan/planning.h", '"', 0},
        {"gen/cli", "", "spec/spec.h", '"', 0},
        {"gen/cli/command", "", "spec/spec.h", '"', 0},
        {"gen/cli", "", "lua.h", '<', 0},
        {"gen/cli/io", "", "cli/session.h", '"', 0},
        {"gen/cli/measure", "", "cli/command/commands.h", '"', 0},
        {"gen/cli/command", "", "cli/io/file.h", '"', 1},
        {"gen/cli/command", "", "spawn.h", '<', 0},
        {"gen", "", "spawn.h", '<', 0},
        {"gen/cli", "", "embedded.h", '"', 0},
        {"gen/cli", "pages", "embedded.h", '"', 1},
        {"runtime", "", "program.h", '"', 0},
        {"runtime/jit", "", "program.h", '"', 1},
        {"runtime", "", "lua.h", '<', 0},
        {"runtime", "", "../backends/vulkan/device.h", '"', 0},
        {"backends/cuda", "", "../vulkan/device.h", '"', 0},
        {"backends/vulkan", "", "../simulator/machine.h", '"', 0},
        {"backends/vulkan", "", "lua.h", '<', 0},
        {"include/monosweep", "", "vulkan/vulkan_core.h", '<', 0},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const room *r = rooms;
        while (strcmp(r->folder, cases[c].folder) != 0 || strcmp(r->prefix, cases[c].prefix) != 0) r++;
        if (may_include(r, cases[c].name, cases[c].opening) != cases[c].may) fail_msg("%s/%s*: %s", r->folder, r->prefix, cases[c].name);
    }
}

/* ---- pages at the doors ---- */

enum { PAGE_LINES = 30, PAGE_BYTES = 8192 };

/* 1 where the page has the name as a word of its own. */
static int names_file(const char *page, const char *name)
{
    const size_t length = strcspn(name, ".");
    for (const char *at = page; *at; at++)
        if (!strncmp(at, name, length) && (at == page || !(isalnum((unsigned char)at[-1]) || at[-1] == '_')) &&
            !(isalnum((unsigned char)at[length]) || at[length] == '_'))
            return 1;
    return 0;
}

static int check_names(const char *page, const char *folder)
{
    static const char *const endings[] = {".c", ".cpp", ".lua", ".tpl"};
    char path[LINE_BYTES];
    int missing = 0;
    DIR *entries;
    snprintf(path, sizeof path, "%s/%s", MSW_SOURCE_DIR, folder);
    entries = opendir(path);
    assert_non_null(entries);
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        const char *dot = strchr(entry->d_name, '.');
        for (size_t e = 0; dot && e < sizeof endings / sizeof *endings; e++)
            if (!strcmp(dot, endings[e]) && !names_file(page, entry->d_name)) {
                print_error("the page at the door does not name %s/%s\n", folder, entry->d_name);
                missing++;
            }
    }
    closedir(entries);
    return missing;
}

/* Each room has a short page that says what it is for and names its files. */
static void test_pages(void **state)
{
    static const struct {
        const char *room, *folders[5];
    } pages[] = {{"gen", {"gen"}},
                 {"gen/expr", {"gen/expr"}},
                 {"gen/spec", {"gen/spec", "gen/spec/lua"}},
                 {"gen/verify", {"gen/verify"}},
                 {"gen/plan", {"gen/plan"}},
                 {"gen/emit", {"gen/emit"}},
                 {"gen/cli", {"gen/cli", "gen/cli/command", "gen/cli/io", "gen/cli/measure"}},
                 {"templates", {"templates/scan", "templates/sort", "templates/scratch", "templates/parts"}},
                 {"runtime", {"runtime", "runtime/jit"}},
                 {"backends", {0}},
                 {"tests", {0}}};
    int missing = 0;
    (void)state;
    for (size_t p = 0; p < sizeof pages / sizeof *pages; p++) {
        char page[PAGE_BYTES];
        int lines = 0;
        snprintf(page, sizeof page, "%s/%s/README.md", MSW_SOURCE_DIR, pages[p].room);
        FILE *file = fopen(page, "r");
        if (!file) fail_msg("%s has no page at its door", pages[p].room);
        page[fread(page, 1, sizeof page - 1, file)] = '\0';
        fclose(file);
        for (const char *at = page; *at; at++) lines += *at == '\n';
        if (lines > PAGE_LINES) fail_msg("%s/README.md has %d lines; %d are the most", pages[p].room, lines, PAGE_LINES);
        for (int f = 0; pages[p].folders[f]; f++) missing += check_names(page, pages[p].folders[f]);
    }
    assert_int_equal(missing, 0);
}

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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_includes),
                                       cmocka_unit_test(test_rules),
                                       cmocka_unit_test(test_pages),
                                       cmocka_unit_test(test_headers_compile_alone),
                                       cmocka_unit_test(test_all_headers_are_known),
                                       cmocka_unit_test(test_headers_name_no_file),
                                       cmocka_unit_test(test_features_are_needed),
                                       cmocka_unit_test(test_exports),
                                       cmocka_unit_test(test_needs),
                                       cmocka_unit_test(test_loads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
