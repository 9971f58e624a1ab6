/* Templates are written in a vocabulary that every backend defines: each function that a template calls and no template defines must be
 * defined by the .tpl files of every backend, but for the rows of `lacks`, and no backend may define what nothing calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 512, NAME_BYTES = 64, MAX_LINE = 4096 };

typedef struct names {
    char at[MAX_NAMES][NAME_BYTES];
    int count;
} names;

static int has(const names *list, const char *name)
{
    for (int i = 0; i < list->count; i++)
        if (!strcmp(list->at[i], name)) return 1;
    return 0;
}

static void add(names *list, const char *name, size_t length)
{
    char copy[NAME_BYTES] = "";
    if (length >= sizeof copy) fail_msg("a long name: %.*s", (int)length, name);
    memcpy(copy, name, length);
    if (has(list, copy)) return;
    assert_true(list->count < MAX_NAMES);
    memcpy(list->at[list->count++], copy, sizeof copy);
}

static int is_word(int c) { return isalnum(c) || c == '_'; }

/* The line with each $(..) as a word, without its comment. */
static void without_splices(const char *line, char *text)
{
    size_t length = 0;
    while (*line && *line != '\n' && strncmp(line, "//", 2)) {
        if (line[0] == '$' && line[1] == '(') {
            int depth = 0;
            do {
                line++;
                depth += (*line == '(') - (*line == ')');
            } while (depth && *line);
            line++;
            text[length++] = 'T';
        } else {
            text[length++] = *line++;
        }
    }
    text[length] = '\0';
}

/* The names before an opening parenthesis; what begins with a capital letter is a type. */
static void read_calls(char *text, int is_head, names *defined, names *called)
{
    for (char *open = strchr(text, '('); open; open = strchr(open + 1, '(')) {
        char *first = open;
        while (first > text && is_word((unsigned char)first[-1])) first--;
        if (first == open || !islower((unsigned char)*first) || (first > text && first[-1] == '%')) continue; /* %s of Lua */
        const size_t length = (size_t)(open - first);
        add(is_head ? defined : called, first,
            length > 2 && open[-1] == 'T' && islower((unsigned char)open[-2]) ? length - 1 : length); /* load_staged$(k) */
        is_head = 0;
    }
}

/* Kernel text in strings of Lua: "load_input(items, i)". */
static void read_strings(const char *line, names *called)
{
    char text[MAX_LINE];
    for (const char *open = strchr(line, '"'), *close; open && (close = strchr(open + 1, '"')) != NULL; open = strchr(close + 1, '"')) {
        snprintf(text, sizeof text, "%.*s", (int)(close - open - 1), open + 1);
        read_calls(text, 0, NULL, called);
    }
}

/* Functions defined and called by the kernel text of one file. */
static void read_file(const char *path, names *defined, names *called)
{
    char line[MAX_LINE], text[MAX_LINE];
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("cannot read %s", path);
    while (fgets(line, sizeof line, file)) {
        if (strchr(line, '$')) read_strings(line, called);
        if (line[0] == '$' && (line[1] == ' ' || line[1] == '\n')) continue;
        without_splices(line, text);
        read_calls(text, (isalpha((unsigned char)text[0]) && text[strlen(text) - 1] == ')') || !strncmp(text, "#define ", 8), defined, called);
    }
    fclose(file);
}

/* What parts/arrays.tpl defines is made of the backends' functions of the same names, and stands in for none of them. */
static void read_files(const char *pattern, names *defined, names *called)
{
    static names ignored;
    char path[512];
    glob_t found;
    snprintf(path, sizeof path, "%s/%s", MSW_SOURCE_DIR, pattern);
    assert_int_equal(glob(path, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const int is_arrays = strstr(found.gl_pathv[i], "/parts/arrays.tpl") != NULL;
        read_file(found.gl_pathv[i], is_arrays ? &ignored : defined, is_arrays ? &ignored : called);
    }
    globfree(&found);
}

/* What the languages themselves have, and what comes with a spec. */
static int is_given(const char *name)
{
    static const char *const given[] = {"if", "for", "while", "return", "uint", "min", "max", "combine", "map_item", "output_item", "key_image"};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (!strcmp(name, given[i])) return 1;
    return 0;
}

/* Words that a backend rightly does not have; "stages.tpl", "cluster.tpl": all that only this file defines. */
static const struct {
    const char *backend, *word, *why;
} lacks[] = {
    {"vulkan", "stages.tpl", "GLSL has no bulk copies to shared memory: no target of Vulkan has ms_has_bulk_copies, so lookahead.tpl is never used"},
    {"vulkan", "cluster.tpl", "GLSL has no clusters of blocks: max_cluster_blocks of its targets is 1"},
    {"vulkan", "prefetch", "GLSL has no word for it, and templates ask for it on sm_90 alone, where it was timed"},
    {"vulkan", "prefetch_all", "as prefetch"},
    {"simulator", "prefetch", "as vulkan"},
    {"simulator", "prefetch_all", "as vulkan"},
    {"cuda", "load_flag", "CUDA has atomic words of 8 bytes, so it has no descriptor \"flagged\""},
    {"cuda", "store_flag", "as load_flag"},
    {"vulkan", "wait_for_earlier_launches", "a dispatch begins when the barrier before it lets it: none is planned to begin early"},
    {"simulator", "wait_for_earlier_launches", "as vulkan"},
    {"vulkan", "let_next_launch_begin", "as wait_for_earlier_launches"},
    {"simulator", "let_next_launch_begin", "as wait_for_earlier_launches"},
};

static int is_lacking(const char *backend, const char *word)
{
    for (size_t l = 0; l < sizeof lacks / sizeof *lacks; l++)
        if (!strcmp(lacks[l].backend, backend) && !strcmp(lacks[l].word, word)) return 1;
    return 0;
}

/* The names that templates include a file of the backend's for: memory.tpl for groups of items ("Inputs"), items.tpl for single ones ("input"). */
static void read_includes(const char *part, const char *parameter, names *groups)
{
    char head[64], key[64], passed_on[64], line[MAX_LINE];
    glob_t found;
    snprintf(head, sizeof head, "$ include(\"%s\",", part);
    snprintf(key, sizeof key, " %s = \"", parameter);
    snprintf(passed_on, sizeof passed_on, " %s = %s", parameter, parameter);
    assert_int_equal(glob(MSW_SOURCE_DIR "/templates/*/*.tpl", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        FILE *file = fopen(found.gl_pathv[i], "r");
        assert_non_null(file);
        while (fgets(line, sizeof line, file)) {
            if (strncmp(line, head, strlen(head))) continue;
            char *name = strstr(line, key);
            if (!name && strstr(line, passed_on)) continue; /* parts/arrays.tpl: the names of its own includes, which others have, too */
            if (!name) fail_msg("%s: no%s in %s", found.gl_pathv[i], key, line);
            name += strlen(key);
            *name = (char)tolower((unsigned char)*name);
            add(groups, name, strcspn(name, "\""));
        }
        fclose(file);
    }
    globfree(&found);
}

/* The names that gen/emit/emit.lua gives parts/arrays.tpl for the same: arrays("In", "Inputs", "input", ..). */
static void read_arrays(int place, names *groups)
{
    char line[MAX_LINE];
    FILE *file = fopen(MSW_SOURCE_DIR "/gen/emit/emit.lua", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char *name = strstr(line, "arrays(\"");
        for (int quotes = 0; name && quotes < 1 + 2 * place; quotes++)
            if ((name = strchr(name, '"')) != NULL) name++;
        if (!name) continue;
        *name = (char)tolower((unsigned char)*name);
        add(groups, name, strcspn(name, "\""));
    }
    fclose(file);
}

/* A name whose last word may have been spliced: load_full_inputs as load_full_T. */
static const char *spliced(const char *name, char *text)
{
    const char *last = strrchr(name, '_');
    snprintf(text, NAME_BYTES, "%.*s_T", last ? (int)(last - name) : 0, name);
    return last ? last + 1 : "";
}

typedef struct backend {
    const char *name, *family; /* folders of templates, the second looked through last */
    names defined, called, memory, items;
} backend;

/* Its file of that name is its own, or its family's. */
static void read_part(const backend *b, const char *part, names *defined, names *called)
{
    char path[256];
    FILE *own;
    snprintf(path, sizeof path, MSW_SOURCE_DIR "/backends/%s/%s", b->name, part);
    own = fopen(path, "r");
    if (own) fclose(own);
    snprintf(path, sizeof path, "backends/%s/%s", own ? b->name : b->family, part);
    read_files(path, defined, called);
}

static void read_backend(backend *b)
{
    char pattern[64];
    snprintf(pattern, sizeof pattern, "backends/%s/*.tpl", b->name);
    read_files(pattern, &b->defined, &b->called);
    read_part(b, "memory.tpl", &b->memory, &b->called);
    read_part(b, "items.tpl", &b->items, &b->called);
}

static int defines(const backend *b, const char *name, const names *groups, const names *singles)
{
    char text[NAME_BYTES];
    const char *last = spliced(name, text);
    if (has(groups, last)) return has(&b->memory, text);
    if (has(singles, last)) return has(&b->items, text);
    return has(&b->defined, name);
}

static void test_every_backend_defines_the_vocabulary(void **state)
{
    static backend backends[] = {{.name = "vulkan"}, {.name = "cuda", .family = "c"}, {.name = "simulator", .family = "c"}};
    static names defined, called, staged, clustered, groups, singles, ignored;
    int vocabulary = 0, missing = 0, idle = 0;
    (void)state;
    read_files("templates/*/*.tpl", &defined, &called);
    read_files("backends/*/stages.tpl", &staged, &ignored);
    read_files("backends/*/cluster.tpl", &clustered, &ignored);
    read_includes("memory", "group", &groups);
    read_arrays(2, &groups);
    read_includes("items", "name", &singles);
    read_arrays(3, &singles);
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        backend *b = &backends[i];
        read_backend(b);
        vocabulary = 0;
        for (int c = 0; c < called.count; c++) {
            const char *name = called.at[c];
            char text[NAME_BYTES];
            spliced(name, text);
            if (has(&defined, name) || has(&defined, text) || is_given(name)) continue;
            vocabulary++;
            if (defines(b, name, &groups, &singles) != (is_lacking(b->name, name) || (has(&staged, name) && is_lacking(b->name, "stages.tpl")) ||
                                                        (has(&clustered, name) && is_lacking(b->name, "cluster.tpl"))))
                continue;
            print_error("backends/%s: %s, which templates call, is missing, or is there and has a row among those that lack\n", b->name, name);
            missing++;
        }
        for (int d = 0; d < b->defined.count; d++) {
            const char *name = b->defined.at[d];
            if (has(&called, name) || has(&b->called, name) || strstr(name, "_T")) continue; /* _T: spliced together */
            if (!strcmp(name, "u64") || !strcmp(name, "u16")) continue;                      /* the dialect's conversions */
            print_error("backends/%s defines %s, which no template calls\n", b->name, name);
            idle++;
        }
    }
    print_message("%d functions in the vocabulary\n", vocabulary);
    assert_int_equal(missing, 0);
    assert_int_equal(idle, 0);
    assert_in_range(vocabulary, 45, 90);
}

/* Names of groups exempt no word of the protocol. */
static void test_no_group_hides_a_word(void **state)
{
    static const char *const words[] = {"load_word",  "store_word",   "compare_exchange_word", "load_flag",
                                        "store_flag", "load_counter", "store_counter"};
    static names groups, called, ignored;
    char text[NAME_BYTES];
    (void)state;
    read_includes("memory", "group", &groups);
    read_arrays(2, &groups);
    read_includes("items", "name", &groups);
    read_arrays(3, &groups);
    read_files("templates/*/*.tpl", &ignored, &called);
    assert_true(groups.count > 3);
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        assert_true(has(&called, words[w]));
        assert_false(has(&groups, spliced(words[w], text)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_backend_defines_the_vocabulary), cmocka_unit_test(test_no_group_hides_a_word)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
