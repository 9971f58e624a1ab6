/* Every file of tests/emit/golden: its first line is a comment with a command, the rest what the command prints, to the byte. `test_golden --write`
 * (ninja goldens) writes what the commands print now; a new golden begins as a file with the first line only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <dirent.h>
#include <monosweep/monosweep.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define GOLDEN_DIR MSW_SOURCE_DIR "/tests/emit/golden"
static const char command_prefix[] = "// monosweep ";

/* ---- files and commands ---- */

static char *read_all(FILE *file)
{
    size_t length = 0, capacity = 1 << 16;
    char *text = malloc(capacity);
    for (;;) {
        assert_non_null(text);
        length += fread(text + length, 1, capacity - length - 1, file);
        if (length < capacity - 1) break;
        text = realloc(text, capacity *= 2);
    }
    text[length] = '\0';
    return text;
}

/* What `monosweep ARGUMENTS` prints in a directory. */
static char *printed(const char *directory, const char *arguments)
{
    char command[8192];
    snprintf(command, sizeof command, "cd '%s' && '%s/monosweep' %s", directory, MSW_BINARY_DIR, arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    char *text = read_all(pipe);
    if (pclose(pipe)) fail_msg("failed: %s", command);
    return text;
}

typedef struct golden {
    char path[4096];
    char arguments[4096]; /* of the command in its first line */
    char *text;           /* the whole file */
    const char *expected; /* after the first line */
} golden;

static int is_golden(const struct dirent *entry)
{
    const char *name = entry->d_name;
    return strstr(name, ".comp") || strstr(name, ".cu") || strstr(name, ".txt");
}

static golden load_golden(const char *name)
{
    golden g;
    snprintf(g.path, sizeof g.path, "%s/%s", GOLDEN_DIR, name);
    FILE *file = fopen(g.path, "rb");
    assert_non_null(file);
    g.text = read_all(file);
    fclose(file);
    const size_t line = strcspn(g.text, "\n"), prefix = sizeof command_prefix - 1;
    if (strncmp(g.text, command_prefix, prefix)) fail_msg("%s: the first line is not '%s..'", g.path, command_prefix);
    snprintf(g.arguments, sizeof g.arguments, "%.*s", (int)(line - prefix), g.text + prefix);
    g.expected = g.text + line + (g.text[line] == '\n');
    return g;
}

/* Calls visit for every golden, by name; returns how many there are. */
static int for_each_golden(void (*visit)(const golden *, void *), void *user)
{
    struct dirent **entries;
    const int count = scandir(GOLDEN_DIR, &entries, is_golden, alphasort);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        golden g = load_golden(entries[i]->d_name);
        visit(&g, user);
        free(g.text);
        free(entries[i]);
    }
    free(entries);
    return count;
}

/* ---- comparison ---- */

static void show_lines(char mark, const char *from, const char *to)
{
    enum { MOST = 12 };
    int count = 0;
    while (from < to && count++ < MOST) {
        const int length = (int)strcspn(from, "\n");
        print_error("%c %.*s\n", mark, length, from);
        from += length + (from[length] == '\n');
    }
    if (from < to) print_error("%c ..\n", mark);
}

/* Shows what lies between the lines that both texts begin and end with. */
static void show_difference(const golden *g, const char *got)
{
    const char *a = g->expected, *b = got;
    int line = 2;
    for (; *a && *a == *b; a++, b++) line += *a == '\n';
    while (a > g->expected && a[-1] != '\n') a--, b--;
    const char *a_end = a + strlen(a), *b_end = b + strlen(b);
    while (a_end > a && b_end > b && a_end[-1] == b_end[-1]) a_end--, b_end--;
    while (*a_end && *b_end && !(a_end[-1] == '\n' && b_end[-1] == '\n')) a_end++, b_end++;
    print_error("%s:%d: monosweep %s prints something else:\n", g->path, line, g->arguments);
    show_lines('-', a, a_end);
    show_lines('+', b, b_end);
}

static void compare(const golden *g, void *differences)
{
    char *got = printed(MSW_SOURCE_DIR, g->arguments);
    if (strcmp(got, g->expected)) {
        show_difference(g, got);
        ++*(int *)differences;
    }
    free(got);
}

static void test_goldens(void **state)
{
    int differences = 0;
    (void)state;
    assert_true(for_each_golden(compare, &differences) >= 12);
    if (differences)
        fail_msg("%d goldens differ. If the change is meant: ninja -C %s goldens, "
                 "and read git diff tests/emit/golden",
                 differences, MSW_BINARY_DIR);
}

/* ---- the same everywhere, and valid ---- */

/* Gives the process a locale that writes 0,5 for 0.5; the C library's own tool makes it, since none need be installed. */
static void enter_comma_locale(void)
{
    static const char make[] =
        "rm -rf '%s' && mkdir -p '%s' && cd '%s' && "
        "{ printf '<code_set_name> ASCII\\n<comment_char> %%%%\\n<escape_char> /\\nCHARMAP\\n'; "
        "for c in $(seq 0 127); do printf '<U%%04X> /x%%02x c\\n' $c $c; done; echo END CHARMAP; } >ascii && "
        "printf 'escape_char /\\nLC_NUMERIC\\ndecimal_point \"<U002C>\"\\nthousands_sep \"<U002E>\"\\ngrouping 3;3\\nEND LC_NUMERIC\\n' "
        ">comma.txt && "
        "{ localedef -c --quiet -f ./ascii -i ./comma.txt ./comma; [ -f comma/LC_NUMERIC ]; }";
    static const char files[] = MSW_BINARY_DIR "/test_golden.files";
    char command[8192], half[8];
    snprintf(command, sizeof command, make, files, files, files);
    assert_int_equal(system(command), 0);
    assert_int_equal(setenv("LOCPATH", files, 1), 0);
    assert_non_null(setlocale(LC_NUMERIC, "comma"));
    snprintf(half, sizeof half, "%g", 0.5);
    assert_string_equal(half, "0,5");
}

static const char fractions[] = "local Step = struct 'Step' { {'a', f32}, {'b', f32}, {'c', f64} }\n"
                                "return scan { monoid = monoid { type = Step, identity = Step(1, 0, -0.125), laws = 'trusted',\n"
                                "    combine = function(f, g) return Step(f.a * g.a, f.b * g.a + g.b * 0.1, f.c + g.c * 2.5e-300) end },\n"
                                "  input = f32, map = function(x) return Step(DECAY, x * 3.25, 1e300) end }\n";

/* The text of the kernel that the library makes of `fractions`; free it. */
static char *emitted_fractions(void)
{
    const msw_define decay = {"DECAY", "0.75"};
    const msw_knob knob = {"strategy", "single_block"};
    const msw_spec_desc spec_desc = {.struct_size = sizeof spec_desc, .text = fractions, .defines = &decay, .define_count = 1};
    const msw_program_desc program_desc = {.struct_size = sizeof program_desc, .knobs = &knob, .knob_count = 1};
    msw_spec *spec;
    msw_program *program = NULL;
    msw_diag diag;
    if (msw_spec_create(&spec_desc, &spec, &diag) || msw_program_create(spec, &program_desc, &program, &diag)) fail_msg("%s", diag.message);
    char *text = strdup(msw_program_plan(program)->kernels[0].text);
    assert_non_null(text);
    msw_program_destroy(program);
    msw_spec_destroy(spec);
    return text;
}

/* How a pipeline could be cut, in that form; free it. */
static char *written_cuts(msw_cut_form form)
{
    static const char pipeline[] = "return pipeline(function(p) local x = p.input('x', u32)\n"
                                   "  p.output('s', p.scan { monoid = sum(u32), input = p.map({ x }, function(v) return v * 3 end) }) end)\n";
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = pipeline};
    const msw_target target = {.struct_size = sizeof target};
    const msw_program_desc cut = {.struct_size = sizeof cut, .target = &target};
    const char *text;
    msw_spec *spec = NULL;
    msw_diag diag;
    if (msw_spec_create(&desc, &spec, &diag) || msw_spec_cuts(spec, &cut, 1 << 20, form, &text, &diag)) fail_msg("%s", diag.message);
    char *copy = strdup(text);
    assert_non_null(copy);
    msw_spec_destroy(spec);
    return copy;
}

static void test_locale(void **state)
{
    char *before[] = {emitted_fractions(), written_cuts(MSW_CUT_COMPARED), written_cuts(MSW_CUT_DOT), written_cuts(MSW_CUT_BRIEF)};
    (void)state;
    assert_non_null(strstr(before[0], "0.75"));
    enter_comma_locale();
    char *after[] = {emitted_fractions(), written_cuts(MSW_CUT_COMPARED), written_cuts(MSW_CUT_DOT), written_cuts(MSW_CUT_BRIEF)};
    setlocale(LC_NUMERIC, "C");
    for (size_t t = 0; t < sizeof before / sizeof *before; t++) {
        assert_string_equal(before[t], after[t]);
        free(before[t]);
        free(after[t]);
    }
}

/* From another directory, by an absolute path, from run to run. */
static void test_directory(void **state)
{
    const char *const arguments[] = {"gen examples/affine.lua --target glsl", "gen '" MSW_SOURCE_DIR "/examples/affine.lua' --target glsl",
                                     "gen ../examples/affine.lua --target glsl", "gen affine.lua --target glsl"};
    const char *const directories[] = {MSW_SOURCE_DIR, "/", MSW_SOURCE_DIR "/tests", MSW_SOURCE_DIR "/examples"};
    (void)state;
    char *first = printed(directories[0], arguments[0]);
    for (int i = 0; i < 4; i++) {
        char *again = printed(directories[i], arguments[i]);
        assert_string_equal(first, again);
        free(again);
    }
    free(first);
}

/* glslang and the SPIR-V validator accept it. */
static void compile(const golden *g, void *user)
{
    char arguments[sizeof g->arguments + 32];
    (void)user;
    if (strncmp(g->arguments, "gen ", 4) || strstr(g->arguments, "--target cuda")) return;
    snprintf(arguments, sizeof arguments, "%s --dump binary", g->arguments);
    free(printed(MSW_SOURCE_DIR, arguments));
}

static void test_goldens_compile(void **state)
{
    (void)state;
    for_each_golden(compile, NULL);
}

/* ---- names ---- */

enum { NAME_BYTES = 64, MOST_NAMES = 512 };

/* The word at `text`, 1; or 0. */
static int take_word(const char *text, char name[NAME_BYTES])
{
    size_t length = 0;
    while (length < NAME_BYTES - 1 && (text[length] == '_' || isalnum((unsigned char)text[length]))) length++;
    memcpy(name, text, length);
    name[length] = '\0';
    return length > 0;
}

/* The name that a line at the left margin defines. */
static int defined_name(const char *line, size_t length, char name[NAME_BYTES])
{
    char text[512], type[NAME_BYTES];
    snprintf(text, sizeof text, "%.*s", (int)length, line);
    const char *buffer = strstr(text, " buffer "), *parenthesis = strchr(text, '(');
    if (!strncmp(text, "struct ", 7)) return take_word(text + 7, name);
    if (buffer) return take_word(buffer + 8, name);
    if (sscanf(text, "const %63[a-z0-9_] %63[A-Za-z0-9_] =", type, name) == 2) return 1;
    if (sscanf(text, "shared %63[A-Za-z0-9_] %63[A-Za-z0-9_]", type, name) == 2) return 1;
    if (!isalpha((unsigned char)text[0]) || !parenthesis || text[strlen(text) - 1] != ')') return 0;
    while (parenthesis > text && (parenthesis[-1] == '_' || isalnum((unsigned char)parenthesis[-1]))) parenthesis--;
    return take_word(parenthesis, name);
}

typedef struct names {
    int count;
    char list[MOST_NAMES][NAME_BYTES];
} names;

/* Adds the names that a text defines; a name that is there already gets 1. */
static const char *add_names(names *all, const char *text)
{
    const char *twice = NULL;
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        char name[NAME_BYTES];
        length = strcspn(text, "\n");
        if (!defined_name(text, length, name)) continue;
        int i = 0;
        while (i < all->count && strcmp(all->list[i], name)) i++;
        if (i < all->count) {
            twice = all->list[i];
            continue;
        }
        assert_true(all->count < MOST_NAMES);
        strcpy(all->list[all->count++], name);
    }
    return twice;
}

static void collect_names(const golden *g, void *all)
{
    if (strstr(g->path, ".comp")) add_names(all, g->expected);
}

/* A spec whose struct has this name. */
static void check_name(const char *name)
{
    char text[1024];
    snprintf(text, sizeof text,
             "local S = struct '%s' { {'x', u32} }\nlocal m = monoid { type = S, identity = S(0), combine = function(a, b) return S(a.x + b.x) "
             "end }\n"
             "return { scan { name = 'scanned', monoid = m }, reduce { name = 'reduced', monoid = m } }\n",
             name);
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text, .skip_laws = 1};
    msw_spec *spec;
    msw_diag diag;
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
    for (uint32_t op = 0; op < 2; op++) {
        const msw_program_desc program_desc = {.struct_size = sizeof program_desc, .op = op};
        msw_program *program;
        if (msw_program_create(spec, &program_desc, &program, &diag)) fail_msg("%s", diag.message);
        const msw_plan *plan = msw_program_plan(program);
        for (uint32_t k = 0; k < plan->kernel_count; k++) {
            names defined = {0};
            const char *twice = add_names(&defined, plan->kernels[k].text);
            if (twice) fail_msg("a struct called %s: %s defines %s twice; the emitter must reserve the name", name, plan->kernels[k].entry, twice);
        }
        msw_program_destroy(program);
    }
    msw_spec_destroy(spec);
}

/* A user's struct may have any name that emitted text has itself. */
static void test_names(void **state)
{
    static names all;
    (void)state;
    for_each_golden(collect_names, &all);
    assert_true(all.count > 40);
    for (int i = 0; i < all.count; i++) check_name(all.list[i]);
}

/* ---- rewriting ---- */

static void write_golden(const golden *g, void *failures)
{
    char *got = printed(MSW_SOURCE_DIR, g->arguments);
    FILE *file = fopen(g->path, "wb");
    if (!file || fprintf(file, "%s%s\n%s", command_prefix, g->arguments, got) < 0 || fclose(file)) ++*(int *)failures;
    free(got);
}

static void write_goldens(void **state)
{
    int failures = 0;
    (void)state;
    for_each_golden(write_golden, &failures);
    assert_int_equal(failures, 0);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest writing[] = {cmocka_unit_test(write_goldens)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goldens), cmocka_unit_test(test_goldens_compile), cmocka_unit_test(test_directory),
        cmocka_unit_test(test_locale),  cmocka_unit_test(test_names),
    };
    if (count == 2 && !strcmp(arguments[1], "--write")) return cmocka_run_group_tests(writing, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
