/* Templates are written in a vocabulary that every backend defines: each function that a template calls and no template defines must be
 * defined by the .tpl files of every backend, and nothing else may be missing or be there in one backend only by accident. */
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

/* Functions defined and called by the kernel text of one file; what begins with a capital letter is a type. */
static void read_file(const char *path, names *defined, names *called)
{
    char line[MAX_LINE], text[MAX_LINE];
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("cannot read %s", path);
    while (fgets(line, sizeof line, file)) {
        int is_head;
        if (line[0] == '$' && (line[1] == ' ' || line[1] == '\n')) continue;
        without_splices(line, text);
        is_head = (isalpha((unsigned char)text[0]) && text[strlen(text) - 1] == ')') || !strncmp(text, "#define ", 8);
        for (char *open = strchr(text, '('); open; open = strchr(open + 1, '(')) {
            char *first = open;
            while (first > text && is_word((unsigned char)first[-1])) first--;
            if (first == open || !islower((unsigned char)*first)) continue;
            add(is_head ? defined : called, first, (size_t)(open - first));
            is_head = 0;
        }
    }
    fclose(file);
}

static void read_files(const char *pattern, names *defined, names *called)
{
    char path[512];
    glob_t found;
    snprintf(path, sizeof path, "%s/%s", MSW_SOURCE_DIR, pattern);
    assert_int_equal(glob(path, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) read_file(found.gl_pathv[i], defined, called);
    globfree(&found);
}

/* What the languages themselves have, and what comes with a spec. */
static int is_given(const char *name)
{
    static const char *const given[] = {"if", "for", "while", "return", "uint", "min", "max", "combine", "map_item", "output_item", "key_image"};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (!strcmp(name, given[i])) return 1;
    return !strncmp(name, "load_", 5) || !strncmp(name, "store_", 6); /* memory.tpl names them after the group it is included for */
}

static void test_every_backend_defines_the_vocabulary(void **state)
{
    static const char *const backends[] = {"vulkan", "cuda", "simulator"};
    static names defined, called, staged, ignored;
    int vocabulary = 0, missing = 0, idle = 0;
    (void)state;
    read_files("templates/*/*.tpl", &defined, &called);
    read_files("backends/*/stages.tpl", &staged, &ignored); /* only what copies tiles in bulk has them */
    for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
        static names here, unused;
        char pattern[64];
        here.count = unused.count = 0;
        snprintf(pattern, sizeof pattern, "backends/%s/*.tpl", backends[b]);
        read_files(pattern, &here, &unused);
        vocabulary = 0;
        for (int i = 0; i < called.count; i++) {
            const char *name = called.at[i];
            if (has(&defined, name) || is_given(name)) continue;
            vocabulary++;
            if (has(&here, name) || (has(&staged, name) && !has(&here, "begin_stages"))) continue;
            print_error("backends/%s defines no %s, which templates call\n", backends[b], name);
            missing++;
        }
        for (int i = 0; i < here.count; i++) {
            if (has(&called, here.at[i]) || has(&unused, here.at[i]) || strstr(here.at[i], "_T")) continue; /* _T: spliced together */
            if (!strcmp(here.at[i], "u64")) continue;                                                       /* the dialect's conversion */
            print_error("backends/%s defines %s, which no template calls\n", backends[b], here.at[i]);
            idle++;
        }
    }
    print_message("%d functions in the vocabulary\n", vocabulary);
    assert_int_equal(missing, 0);
    assert_int_equal(idle, 0);
    assert_in_range(vocabulary, 15, 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_backend_defines_the_vocabulary)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
