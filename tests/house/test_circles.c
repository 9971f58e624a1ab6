/* No file needs, directly or through others, a file that needs it, judged by the symbols they define and use. Files of one backend may. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 300, MAX_SYMBOLS = 40000 };

static char *files[MAX_FILES]; /* "gen/spec/spec.c" */
static int file_count;

typedef struct symbol {
    char *name;
    int file;
} symbol;
static symbol defined[MAX_SYMBOLS], used[MAX_SYMBOLS];
static int defined_count, used_count;

static const char *needs[MAX_FILES][MAX_FILES]; /* [a][b]: a symbol of b that a uses; NULL: none */

static char *copy_of(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    assert_non_null(copy);
    return strcpy(copy, text);
}

/* The source that an object was made of: what follows ".dir/", without ".o"; "__" stands there for "..". */
static int file_of(const char *object)
{
    const char *begin = strstr(object, ".dir/"), *end = strrchr(object, '.');
    char name[512];
    assert_true(begin && end);
    begin += strlen(".dir/");
    if (!strncmp(begin, "./", 2)) begin += 2;
    if (!strncmp(begin, "__/", 3)) begin += 3;
    snprintf(name, sizeof name, "%.*s", (int)(end - begin), begin);
    for (int i = 0; i < file_count; i++)
        if (!strcmp(files[i], name)) return i;
    assert_true(file_count < MAX_FILES);
    files[file_count] = copy_of(name);
    return file_count++;
}

static int by_name(const void *a, const void *b) { return strcmp(((const symbol *)a)->name, ((const symbol *)b)->name); }

static void read_symbols(void)
{
    char line[4096], object[2048], name[1024], kind;
    FILE *pipe = popen("xargs -d '\\n' nm -A -P -g <'" MSW_OBJECTS "'", "r");
    assert_non_null(pipe);
    while (fgets(line, sizeof line, pipe)) {
        if (sscanf(line, "%2047[^:]: %1023s %c", object, name, &kind) != 3) continue;
        symbol *s = kind == 'U' ? &used[used_count++] : &defined[defined_count++];
        assert_true(used_count < MAX_SYMBOLS && defined_count < MAX_SYMBOLS);
        *s = (symbol){copy_of(name), file_of(object)};
    }
    assert_int_equal(pclose(pipe), 0);
    qsort(defined, (size_t)defined_count, sizeof *defined, by_name);
    for (int i = 0; i < used_count; i++) {
        const symbol *there = bsearch(&used[i], defined, (size_t)defined_count, sizeof *defined, by_name);
        if (there && there->file != used[i].file) needs[used[i].file][there->file] = there->name;
    }
}

static int folder_length(const char *file) { return (int)(strrchr(file, '/') - file); }

static int are_of_one_folder(int a, int b)
{
    const int length = folder_length(files[a]);
    return length == folder_length(files[b]) && !strncmp(files[a], files[b], (size_t)length);
}

/* Files of one backend call each other through function tables. */
static int may_be_mutual(int a, int b) { return are_of_one_folder(a, b) && !strncmp(files[a], "backends/", 9); }

static int path[MAX_FILES], is_on_path[MAX_FILES], is_done[MAX_FILES];

static int fail_with(int depth, int from)
{
    int begin = 0;
    while (path[begin] != from) begin++;
    for (int i = begin; i <= depth; i++) {
        const int next = i < depth ? path[i + 1] : from;
        print_error("%s needs %s of %s\n", files[path[i]], needs[path[i]][next], files[next]);
    }
    return 1;
}

/* Circles that are found from a file on. */
static int visit(int file, int depth)
{
    int found = 0;
    path[depth] = file;
    is_on_path[file] = 1;
    for (int next = 0; next < file_count; next++) {
        if (!needs[file][next] || may_be_mutual(file, next) || is_done[next]) continue;
        found += is_on_path[next] ? fail_with(depth, next) : visit(next, depth + 1);
    }
    is_on_path[file] = 0;
    is_done[file] = 1;
    return found;
}

static void test_no_circles(void **state)
{
    int found = 0;
    (void)state;
    read_symbols();
    assert_true(file_count > 100);
    for (int file = 0; file < file_count; file++)
        if (!is_done[file]) found += visit(file, 0);
    assert_int_equal(found, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_circles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
