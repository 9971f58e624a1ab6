/* Specs that want to take long, or much memory: the command line refuses each in time, and takes no more memory than the limit, a quarter more for
 * what is not counted. As the system counts them: processor time, and memory that is resident. */
#include "cli_driver.h"

#include <sys/resource.h>

enum { MAX_MIB = 256 + 256 / 4, PATH_BYTES = 512 };
static const double max_seconds = 2; /* twice the limit */

static double seconds_of_children(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

/* The most that any of them has had so far. */
static long mib_of_children(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return used.ru_maxrss >> 10;
}

static long own_mib; /* what the program takes for itself */

/* Whether `monosweep check` refuses the file in time, with the message that its first line expects. */
static int is_refused(const char *path, const char *expected)
{
    char command[2 * PATH_BYTES];
    const double start = seconds_of_children();
    snprintf(command, sizeof command, "exec '%s/monosweep' check '%s' >stdout.txt 2>stderr.txt", MSW_BINARY_DIR, path);
    const int status = system(command);
    const double seconds = seconds_of_children() - start;
    const long mib = mib_of_children() - own_mib;
    cli_file message = load_file("stderr.txt");
    const int good = WIFEXITED(status) && WEXITSTATUS(status) == 3 && strstr(message.data, expected) && seconds < max_seconds && mib <= MAX_MIB;
    print_message("%-24s %5.2f s, %3ld MiB at most so far\n", strrchr(path, '/') + 1, seconds, mib);
    if (!good) print_error("%s: status %d, expected \"%s\": %.300s\n", path, status, expected, message.data);
    free(message.data);
    return good;
}

/* "-- expect: part" */
static void read_expected(const char *path, char *expected, size_t size)
{
    cli_file text = load_file(path);
    assert_non_null(text.data);
    assert_memory_equal(text.data, "-- expect: ", 11);
    snprintf(expected, size, "%.*s", (int)strcspn(text.data + 11, "\n"), text.data + 11);
    free(text.data);
}

static int is_lua_file(const struct dirent *entry) { return strstr(entry->d_name, ".lua") != NULL; }

static void test_hostile_specs(void **state)
{
    static const char folder[] = MSW_SOURCE_DIR "/tests/hostile_specs";
    struct dirent **entries;
    int failures = 0;
    (void)state;
    const int count = scandir(folder, &entries, is_lua_file, alphasort);
    assert_true(count > 20);
    for (int i = 0; i < count; i++) {
        char path[PATH_BYTES], expected[128];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        read_expected(path, expected, sizeof expected);
        failures += !is_refused(path, expected);
        free(entries[i]);
    }
    free(entries);
    assert_int_equal(failures, 0);
}

/* ---- texts that Lua's parser takes long for ---- */

static FILE *new_text(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    return file;
}

static void expect_refused(const char *path, FILE *file, const char *expected)
{
    assert_int_equal(fclose(file), 0);
    assert_true(is_refused(path, expected));
}

/* Each global name is sought among the names of all functions around it. */
static void test_nested_functions(void **state)
{
    static const char path[] = "./nested_functions.lua";
    FILE *file = new_text(path);
    (void)state;
    for (int depth = 0; depth < 180; depth++) {
        fprintf(file, "local function f()\nlocal v0");
        for (int i = 1; i < 195; i++) fprintf(file, ", v%d", i);
        fputc('\n', file);
    }
    for (int i = 0; i < 170000; i++) fprintf(file, "g=g\n");
    for (int depth = 0; depth < 180; depth++) fprintf(file, "end\n");
    expect_refused(path, file, "the spec takes too long to parse");
}

/* Numbers that collide in the parser's own table. */
static void test_constants(void **state)
{
    static const char path[] = "./constants.lua";
    FILE *file = new_text(path);
    (void)state;
    fprintf(file, "return {");
    for (long i = 1; i <= 66000; i++) fprintf(file, "%ld,", i * 65535);
    fprintf(file, "}\n");
    expect_refused(path, file, "a table with more than 32768 keys");
}

/* Jumps to labels that come later are looked through at every label. */
static void test_labels(void **state)
{
    static const char path[] = "./labels.lua";
    FILE *file = new_text(path);
    (void)state;
    fprintf(file, "local x\n");
    for (int i = 0; i < 22000; i++) fprintf(file, "if x then goto a%d end\n", i);
    for (int i = 0; i < 22000; i++) fprintf(file, "::a%d:: x = x\n", i);
    expect_refused(path, file, "the spec");
}

static int enter(void **state)
{
    (void)state;
    enter_directory("test_limits.files");
    make_text("nothing.lua", "\n");
    is_refused("./nothing.lua", "the spec returns nothing");
    own_mib = mib_of_children();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hostile_specs), cmocka_unit_test(test_nested_functions), cmocka_unit_test(test_constants),
                                       cmocka_unit_test(test_labels)};
    return cmocka_run_group_tests(tests, enter, NULL);
}
