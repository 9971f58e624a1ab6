/* What holds the tree together: every file lies in a room that a page at its door describes, and sees what its room may see. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 4096, LINE_BYTES = 1024, PATH_BYTES = 256 };

/* ---- the files of the tree ---- */

static char *files[MAX_FILES]; /* "gen/spec/spec.c" */
static int file_count;

static FILE *open_file(const char *path)
{
    char full[2 * LINE_BYTES];
    snprintf(full, sizeof full, "%s/%s", MSW_SOURCE_DIR, path);
    return fopen(full, "r");
}

/* As git lists them, new ones too; of a tree without git, all files but of folders that are hidden or were built in. */
static int list_files(void **state)
{
    char line[LINE_BYTES];
    FILE *found,
        *pipe = popen("cd '" MSW_SOURCE_DIR "' && { git ls-files --cached --others --exclude-standard 2>/dev/null | grep . || "
                      "find . -mindepth 1 -type d \\( -name '.*' -o -exec test -e '{}/CMakeCache.txt' \\; \\) -prune -o -type f -printf '%P\\n'; }",
                      "r");
    (void)state;
    assert_non_null(pipe);
    while (fgets(line, sizeof line, pipe)) {
        line[strcspn(line, "\n")] = '\0';
        if (!(found = open_file(line))) continue; /* removed, but not yet in a commit */
        fclose(found);
        assert_true(file_count < MAX_FILES && strlen(line) < PATH_BYTES);
        files[file_count] = malloc(strlen(line) + 1);
        assert_non_null(files[file_count]);
        strcpy(files[file_count++], line);
    }
    assert_int_equal(pclose(pipe), 0);
    assert_true(file_count > 500);
    return 0;
}

static int free_files(void **state)
{
    (void)state;
    while (file_count) free(files[--file_count]);
    return 0;
}

/* Its folder, "" at the top; returns its name. */
static const char *split(const char *path, char *folder)
{
    const char *slash = strrchr(path, '/');
    snprintf(folder, PATH_BYTES, "%.*s", slash ? (int)(slash - path) : 0, path);
    return slash ? slash + 1 : path;
}

static int begins(const char *text, const char *prefix) { return !strncmp(text, prefix, strlen(prefix)); }

static int has_ending(const char *name, const char *endings)
{
    char spaced[PATH_BYTES];
    const char *dot = strrchr(name, '.');
    snprintf(spaced, sizeof spaced, " %s ", dot ? dot : "");
    return dot && strstr(endings, spaced);
}

static int is_source(const char *path) { return has_ending(path, " .c .h .hpp .cpp "); }

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
#define DOOR " arena.h c_locale.h choices.h diag.h embedded.h lua_limits.h splitmix.h units.h " /* of gen/ */

/* The first that fits a file counts. gen/diag.h alone has what the libraries share.
 * In gen/: expr and cut <- spec <- verify and plan, plan <- program.h <- emit, summary.h <- program.c. */
static const room rooms[] = {
    {"include/monosweep", "monosweep_plan", "", ""},
    {"include/monosweep", "monosweep_vulkan", "", " monosweep/monosweep.h vulkan/vulkan_core.h "},
    {"include/monosweep", "monosweep_cuda", "", " monosweep/monosweep.h "},
    {"include/monosweep", "monosweep.hpp", "", PUBLIC " cstddef cstdint cstdio initializer_list iterator memory stdexcept string utility "},
    {"include/monosweep", "", "", PUBLIC},
    {"gen", "program.c", " emit/emit.h ", PUBLIC},
    {"gen", "program.h", " plan/plan.h plan/registers.h ", PUBLIC},
    {"gen", "diag.h", " ../runtime/sized.h ", PUBLIC},
    {"gen", "", "", PUBLIC LUA},
    {"gen/expr", "", DOOR, PUBLIC LUA},
    {"gen/spec", "", DOOR " expr/ cut/cut.h ", PUBLIC LUA},
    {"gen/verify", "", DOOR " expr/ spec/spec.h ", PUBLIC},
    {"gen/cut", "", DOOR, PUBLIC},
    {"gen/plan", "", DOOR " expr/ spec/spec.h spec/written.h cut/cut.h ", PUBLIC LUA},
    {"gen/emit", "", DOOR " program.h ", PUBLIC LUA},
    {"gen/cli", "pages", " choices.h embedded.h lua_limits.h ",
     PUBLIC LUA}, /* made by embedded modules of the command line's own; users' tables run */
    {"gen/cli", "cli.c", " command/commands.h ", PUBLIC},
    {"gen/cli", "session", " io/ measure/ choices.h ", PUBLIC}, /* what --set may say of an operation */
    {"gen/cli", "", " io/ measure/ ", PUBLIC},
    {"gen/cli/io", "", " cli/messages.h ", PUBLIC},
    {"gen/cli/measure", "baseline_loop", " cli/io/ ", PUBLIC " spawn.h sys/wait.h "}, /* what alone starts another program */
    {"gen/cli/measure", "", " cli/io/ cli/messages.h cli/options.h cli/pages.h units.h ", PUBLIC},
    {"gen/cli/command", "", " cli/ cli/io/ cli/measure/ units.h ", PUBLIC},
    {"runtime/jit", "", " ../backend.h ../cache.h ../objects.h ../plan_record.h ../threads.h c_locale.h embedded.h program.h ", PUBLIC},
    {"runtime", "cache_entry", "", " xxhash.h "},
    {"runtime", "threads", "", " sched.h "},
    {"runtime", "", "", PUBLIC},
    {"backends/c", "", "", ""}, /* kernel text, no C of this program */
    {"backends/host", "", SEEN_BY_BACKENDS, PUBLIC},
    {"backends/simulator", "", " ../../runtime/launch.h ", PUBLIC " sys/mman.h ucontext.h "},
    {"backends/vulkan", "compile", SEEN_BY_BACKENDS, PUBLIC " glslang/Include/glslang_c_interface.h glslang/build_info.h "},
    {"backends/vulkan", "spirv", SEEN_BY_BACKENDS,
     " spirv-tools/libspirv.h spirv-tools/optimizer.hpp cstddef cstdint cstdio cstring exception map set unordered_set vector "},
    {"backends/vulkan", "pipeline_cache", SEEN_BY_BACKENDS " ../../runtime/cache.h ", ""},
    {"backends/vulkan", "module", SEEN_BY_BACKENDS " ../../runtime/threads.h ", ""},
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
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = open_file(path);
    if (file) fclose(file);
    return file != NULL;
}

/* NULL: there is none. */
static const room *room_of(const char *folder, const char *name)
{
    for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++)
        if (!strcmp(rooms[r].folder, folder) && begins(name, rooms[r].prefix)) return &rooms[r];
    return NULL;
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

static int check_includes(const char *path)
{
    char folder[PATH_BYTES], line[LINE_BYTES], opening, name[PATH_BYTES];
    const char *file_name = split(path, folder);
    const room *r = room_of(folder, file_name);
    int wrong = 0;
    if (!r) return print_error("%s: its folder has no row of rooms[]\n", path), 1;
    FILE *file = open_file(path);
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, " # include %c%255[^>\"]", &opening, name) == 2 && !may_include(r, name, opening)) {
            print_error("%s may not include %c%s\n", path, opening, name);
            wrong++;
        }
    fclose(file);
    return wrong;
}

/* Folders whose C files may include what they like: they are no part of the libraries or of the command line. */
static const char *const outside[] = {"bench/", "cmake/", "examples/", "tests/"};

static int is_outside(const char *path)
{
    for (size_t o = 0; o < sizeof outside / sizeof *outside; o++)
        if (begins(path, outside[o])) return 1;
    return 0;
}

static void test_includes(void **state)
{
    int wrong = 0, checked = 0;
    (void)state;
    for (int f = 0; f < file_count; f++)
        if (is_source(files[f]) && !is_outside(files[f])) wrong += check_includes(files[f]), checked++;
    assert_true(checked > 200);
    assert_int_equal(wrong, 0);
}

/* One row of gen/README.md, "| `plan/` | .. | `expr/`, `spec/spec.h` |": the last column names all that the room may include beside the door. */
static int check_row(const char *line)
{
    char folder[PATH_BYTES] = "gen/", name[PATH_BYTES];
    const char *column = strrchr(line, '|');
    int wrong = 0, named = 0, allowed = 0;
    if (sscanf(line, "| `%63[a-z]/`", folder + 4) != 1 || !strcmp(folder, "gen/cli")) return 0; /* the command line's has exceptions */
    const room *r = room_of(folder, "");
    assert_non_null(r);
    while (column[-1] != '|') column--;
    for (const char *at = column; sscanf(at, "%*[^`]`%255[^`]`", name) == 1; at += strlen(name) + 2, named++) {
        if (!lists(r->quoted, name)) print_error("gen/README.md: %s may not include %s\n", folder, name), wrong++;
        at = strchr(at, '`');
    }
    for (const char *at = r->quoted; sscanf(at, " %255s", name) == 1; at += strspn(at, " ") + strlen(name)) allowed += !lists(DOOR, name);
    if (allowed != named) print_error("gen/README.md: %s may include %d headers and rooms, its row names %d\n", folder, allowed, named), wrong++;
    return wrong;
}

static void test_table(void **state)
{
    char line[LINE_BYTES];
    int wrong = 0, rows = 0;
    FILE *file = open_file("gen/README.md");
    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (begins(line, "| `")) wrong += check_row(line), rows++;
    fclose(file);
    assert_int_equal(rows, 7);
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
        {"gen/plan", "", "cut/kernel.h", '"', 0},
        {"gen/cut", "", "expr/expr.h", '"', 0},
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
        const room *r = room_of(cases[c].folder, cases[c].prefix);
        assert_non_null(r);
        if (may_include(r, cases[c].name, cases[c].opening) != cases[c].may) fail_msg("%s/%s*: %s", r->folder, r->prefix, cases[c].name);
    }
}

/* ---- which Lua module loads which ---- */

/* What modules of a folder load beside its own. A module that another room loads is that room's public face, and gen/README.md says so. */
static const struct {
    const char *folder, *loaded;
} lua_rooms[] = {
    {"gen/emit", " templates/ backends/ "}, /* by the name of a template, of a backend */
    {"gen/plan", ""},
    {"gen/spec/lua", ""},
    {"gen/cli/measure", " gen/emit/template.lua gen/plan/tuning.lua "},
    {"backends/cuda", " gen/emit/c_dialect.lua gen/emit/cpp_words.lua backends/c/helpers.h "},
    {"backends/simulator", " gen/emit/c_dialect.lua backends/c/helpers.h "},
    {"backends/vulkan", " gen/emit/dialect.lua gen/emit/clike.lua gen/emit/integers.lua gen/emit/numbers.lua gen/emit/ranges.lua "},
};

/* One loaded file of a line: file "..", file(".."), v.file "..". */
static int check_loaded(const char *path, const char *folder, const char *at, const char *allowed)
{
    char name[PATH_BYTES] = "", home[PATH_BYTES];
    at += strspn(at, " (");
    if (sscanf(at, "\"%255[^\"]\"", name) != 1) return 0;
    split(name, home);
    if (!strcmp(home, folder) || lists(allowed, name)) return 0;
    print_error("%s may not load %s\n", path, name);
    return 1;
}

static int check_loads(const char *path)
{
    char folder[PATH_BYTES], line[LINE_BYTES];
    size_t r = 0;
    int wrong = 0;
    split(path, folder);
    while (r < sizeof lua_rooms / sizeof *lua_rooms && strcmp(lua_rooms[r].folder, folder) != 0) r++;
    if (r == sizeof lua_rooms / sizeof *lua_rooms) return print_error("%s: its folder has no row of lua_rooms[]\n", path), 1;
    FILE *file = open_file(path);
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        for (const char *at = line; (at = strstr(at, "file")) != NULL; at += 4) wrong += check_loaded(path, folder, at + 4, lua_rooms[r].loaded);
    }
    fclose(file);
    return wrong;
}

static void test_loaded_modules(void **state)
{
    int wrong = 0, checked = 0;
    (void)state;
    for (int f = 0; f < file_count; f++)
        if (has_ending(files[f], " .lua ") && (begins(files[f], "gen/") || begins(files[f], "backends/"))) wrong += check_loads(files[f]), checked++;
    assert_true(checked > 40);
    assert_int_equal(wrong, 0);
}

/* ---- kinds of operations ---- */

/* What depends on the kind of an operation is a row of a table, and here are the tables: no other file names a kind, and none compares one. */
static const char kinds_files[] = " include/monosweep/monosweep.h gen/choices.c gen/spec/kinds.c gen/plan/plan.c gen/cli/measure/tune_search.c ";

static int is_compared(const char *line, const char *kind)
{
    const char *after = kind + strspn(kind, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"), *before = kind;
    while (before > line && before[-1] == ' ') before--;
    after += strspn(after, " ");
    return begins(after, "==") || begins(after, "!=") || (before > line && before[-1] == '=' && before - line > 1 && strchr("=!<>", before[-2])) ||
           (before - line >= 4 && begins(before - 4, "case"));
}

/* kind == "sort" and the like, in Lua. */
static int compares_kind(const char *line)
{
    static const char *const names[] = {"scan", "reduce", "sort", "map", "sweep", "pipeline"};
    char quoted[32];
    for (const char *at = line; (at = strstr(at, "kind")) != NULL; at++) {
        const char *after = at + 4 + strspn(at + 4, " ");
        if (!begins(after, "==") && !begins(after, "~=")) continue;
        after += 2 + strspn(after + 2, " ");
        for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
            snprintf(quoted, sizeof quoted, "\"%s\"", names[n]);
            if (begins(after, quoted)) return 1;
        }
    }
    return 0;
}

static void test_kinds_are_rows_for_lua(void **state)
{
    char line[LINE_BYTES];
    int wrong = 0;
    (void)state;
    assert_true(compares_kind("    local is_sort = case.kind == \"sort\"") && !compares_kind("if T.kind == \"struct\" then"));
    for (int f = 0; f < file_count; f++) {
        if (!has_ending(files[f], " .lua .tpl ") || is_outside(files[f])) continue;
        FILE *file = open_file(files[f]);
        assert_non_null(file);
        while (fgets(line, sizeof line, file)) {
            if (!compares_kind(line)) continue;
            print_error("%s asks for the kind of an operation: %s", files[f], line);
            wrong++;
        }
        fclose(file);
    }
    assert_int_equal(wrong, 0);
}

static void test_kinds_are_rows(void **state)
{
    char line[LINE_BYTES];
    int wrong = 0, found = 0;
    (void)state;
    for (int f = 0; f < file_count; f++) {
        if (!is_source(files[f]) || is_outside(files[f])) continue;
        FILE *file = open_file(files[f]);
        assert_non_null(file);
        while (fgets(line, sizeof line, file)) {
            const char *kind = strstr(line, "MSW_OP_");
            if (!kind) continue;
            found++;
            if (lists(kinds_files, files[f]) && !is_compared(line, kind)) continue;
            print_error("%s asks for the kind of an operation: %s", files[f], line);
            wrong++;
        }
        fclose(file);
    }
    assert_true(found > 15);
    assert_int_equal(wrong, 0);
}

/* ---- backends ---- */

/* Whether a file tells Vulkan and CUDA apart, so that a third backend has to be told it. */
static int names_backends(const char *path)
{
    char line[LINE_BYTES];
    int found = 0;
    FILE *file = open_file(path);
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) found |= strstr(line, "MSW_BACKEND_VULKAN") || strstr(line, "MSW_BACKEND_CUDA");
    fclose(file);
    return found;
}

static void test_backends_are_on_their_page(void **state)
{
    static const char page_path[] = "docs/adding-a-backend.md";
    static char page[1 << 16];
    char quoted[PATH_BYTES + 2];
    int missing = 0, found = 0;
    FILE *file = open_file(page_path);
    (void)state;
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    for (int f = 0; f < file_count; f++) {
        if ((!begins(files[f], "gen/") && !begins(files[f], "runtime/")) || !is_source(files[f]) || !names_backends(files[f])) continue;
        snprintf(quoted, sizeof quoted, "`%s`", files[f]);
        found++;
        if (strstr(page, quoted)) continue;
        print_error("%s tells backends apart, and %s does not name it\n", files[f], page_path);
        missing++;
    }
    assert_true(found > 20);
    assert_int_equal(missing, 0);
}

/* ---- pages at the doors ---- */

enum { PAGE_LINES = 30, PAGE_BYTES = 8192 };

/* 1 where the page has the name in backquotes: as a word, or with the ending of one of its module's files. A folder may come before it. */
static int names_file(const char *page, const char *name)
{
    const size_t length = strcspn(name, ".");
    for (const char *at = page + 1; page[0] && (at = strchr(at, name[0])) != NULL; at++) {
        if ((at[-1] != '`' && at[-1] != '/') || strncmp(at, name, length) != 0) continue;
        const char *end = at + length;
        if (*end == '.') end += 1 + strspn(end + 1, "abcdefghijklmnopqrstuvwxyz_.");
        if (*end == '`') return 1;
    }
    return 0;
}

/* Each room has a short page that says what it is for and names its files; of tests, their folders. */
static const struct {
    const char *room, *folders; /* folders of named files */
} pages[] = {
    {"gen", " gen "},
    {"gen/expr", " gen/expr "},
    {"gen/spec", " gen/spec gen/spec/lua "},
    {"gen/verify", " gen/verify "},
    {"gen/cut", " gen/cut "},
    {"gen/plan", " gen/plan "},
    {"gen/emit", " gen/emit "},
    {"gen/cli", " gen/cli gen/cli/command gen/cli/io gen/cli/measure "},
    {"templates", " templates templates/scan templates/sort templates/map templates/scratch templates/parts "},
    {"runtime", " runtime runtime/jit "},
    {"backends", " backends backends/c backends/cuda backends/host backends/simulator backends/vulkan "},
    {"tests", ""},
};
enum { PAGES = sizeof pages / sizeof *pages };

/* Folders whose files no page names: what they hold is said by the names themselves, by CMakeLists.txt or by docs/. */
static const char *const without_page[] = {".ci/", "bench/", "cmake/", "docs/", "editor/", "examples/", "include/monosweep/"};

static void read_page(int p, char *page)
{
    char path[PATH_BYTES];
    int lines = 0;
    snprintf(path, sizeof path, "%s/README.md", pages[p].room);
    FILE *file = open_file(path);
    if (!file) fail_msg("%s has no page at its door", pages[p].room);
    page[fread(page, 1, PAGE_BYTES - 1, file)] = '\0';
    fclose(file);
    for (const char *at = page; *at; at++) lines += *at == '\n';
    if (lines > PAGE_LINES) fail_msg("%s has %d lines; %d are the most", path, lines, PAGE_LINES);
}

/* tests/ROOM/..: the page of the tests names the room. */
static int is_named_test(const char *path, const char *page)
{
    char folder[PATH_BYTES];
    const char *inner = path + strlen("tests/"), *slash = strchr(inner, '/');
    if (!slash) return 1;
    snprintf(folder, sizeof folder, "`%.*s/`", (int)(slash - inner), inner);
    return strstr(page, folder) != NULL;
}

static int is_named(const char *path, char texts[][PAGE_BYTES])
{
    char folder[PATH_BYTES];
    const char *name = split(path, folder);
    if (!folder[0]) return 1; /* what lies at the top */
    for (size_t w = 0; w < sizeof without_page / sizeof *without_page; w++)
        if (begins(path, without_page[w])) return 1;
    if (begins(path, "tests/")) return is_named_test(path, texts[PAGES - 1]);
    for (int p = 0; p < PAGES - 1; p++)
        if (lists(pages[p].folders, folder)) return has_ending(name, " .md ") || names_file(texts[p], name);
    return 0;
}

static void test_pages(void **state)
{
    static char texts[PAGES][PAGE_BYTES];
    int missing = 0;
    (void)state;
    for (int p = 0; p < PAGES; p++) read_page(p, texts[p]);
    for (int f = 0; f < file_count; f++)
        if (!is_named(files[f], texts)) {
            print_error("%s: no page at a door names it, or its folder has no row\n", files[f]);
            missing++;
        }
    assert_int_equal(missing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_includes),
                                       cmocka_unit_test(test_table),
                                       cmocka_unit_test(test_rules),
                                       cmocka_unit_test(test_loaded_modules),
                                       cmocka_unit_test(test_kinds_are_rows),
                                       cmocka_unit_test(test_kinds_are_rows_for_lua),
                                       cmocka_unit_test(test_backends_are_on_their_page),
                                       cmocka_unit_test(test_pages)};
    return cmocka_run_group_tests(tests, list_files, free_files);
}
