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
    static const char folder[] = MSW_SOURCE_DIR "/tests/spec/hostile_specs";
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

/* ---- what was read, compiled ---- */

static void succeed(const char *arguments)
{
    char command[2 * PATH_BYTES];
    snprintf(command, sizeof command, "exec '%s/monosweep' %s >stdout.txt 2>stderr.txt", MSW_BINARY_DIR, arguments);
    if (!system(command)) return;
    cli_file message = load_file("stderr.txt");
    fail_msg("%s: %s", arguments, message.data ? message.data : "");
}

/* Processor time of compiling for Vulkan an operator, or a map, of the type whose value goes through `rounds` rounds of a step. */
static double compilation_seconds(const char *type, int is_operator, int rounds, const char *step, const char *options)
{
    char text[1024], arguments[256];
    snprintf(text, sizeof text,
             "local function f(x, y) for i = 1, %d do %s end return x end\n"
             "local m = monoid { type = %s, identity = 0, laws = 'trusted', combine = %s }\n"
             "return scan { monoid = m, map = %s }\n",
             rounds, step, type, is_operator ? "f" : "function(a, b) return a + b end", is_operator ? "nil" : "function(x) return f(x) end");
    make_text("long.lua", text);
    snprintf(arguments, sizeof arguments, "gen long.lua --target spirv -o out --quiet %s", options);
    const double start = seconds_of_children();
    succeed(arguments);
    const double seconds = seconds_of_children() - start;
    print_message("%d rounds of %s: %.2f s, %ld MiB at most so far\n", rounds, step, seconds, mib_of_children());
    return seconds;
}

/* Up to the most operations that there may be: in seconds, in proportion, and within memory that everyone has. */
static void test_compilation(void **state)
{
    (void)state;
    assert_true(compilation_seconds("u32", 1, 300, "x = x * x + x ~ i", "") < 5); /* was 11, and gigabytes for more rounds */
    const double few = compilation_seconds("f32", 1, 170, "x = x * x + x - i", "");
    const double many = compilation_seconds("f32", 1, 680, "x = x * x + x - i", "");
    assert_true(many < 8 * few && many < 10);
    assert_true(compilation_seconds("i64", 0, 500, "x = (x // (x | i)) ~ x", "--without int64") < 12); /* emulated */
    assert_true(compilation_seconds("f16", 0, 300, "x = x % 3 * x", "--without float16,int16") < 3.5); /* was 5.5: the validator's names */
    assert_true(mib_of_children() - own_mib < 400);
}

/* A function's text has a bound beside the number of its operations: those of an emulated type are long. */
static void test_text(void **state)
{
    char command[2 * PATH_BYTES];
    (void)state;
    make_text("text.lua", "return scan { monoid = sum(f16), map = function(x) for i = 1, N do x = x % 3 * x end return x end }\n");
    static const char *const targets[] = {"glsl --without float16,int16", "spirv --without float16,int16", "cuda"};
    for (int t = 0; t < 3; t++) {
        snprintf(command, sizeof command, "gen text.lua -D N=600 --target %s -o out --quiet", targets[t]);
        succeed(command);
        snprintf(command, sizeof command, "gen text.lua -D N=1000 --target %s -o out", targets[t]);
        const double start = seconds_of_children();
        cli_result result = run(command);
        const double seconds = seconds_of_children() - start;
        if (result.code == 0 || !strstr(result.err.data, ": map: 2002 operations are ") ||
            !strstr(result.err.data, " KiB of text here; at most "
                                     "64 KiB are compiled"))
            show_and_fail(command, &result, "refused for its text");
        assert_true(seconds < 1); /* before anything is compiled */
        drop(&result);
    }
}

/* The message about what a function leaves behind looks for the line that did: not in long ones. */
static void test_long_line(void **state)
{
    (void)state;
    enum { LINE = 1000000 };
    char *line = test_malloc(LINE + 1);
    FILE *file = fopen("line.lua", "w");
    assert_non_null(file);
    for (int i = 0; i < LINE; i++) line[i] = i % 2 ? '.' : 'a';
    line[LINE] = 0;
    fprintf(file,
            "local a = {}\nreturn scan { monoid = sum(u32), map = function(x)\n  rawset(a, 'k', (rawget(a, 'k') or 0) + 1)\n"
            "  local q = [[%s]]\n  return x\nend }\n",
            line);
    fclose(file);
    test_free(line);
    assert_true(is_refused("./line.lua", "a function may leave nothing behind"));
}

/* They compute what they should: functions that are called, by each backend's text. */
static void test_long_functions(void **state)
{
    (void)state;
    make_text("long.lua",
              "local function f(x) for i = 1, 90 do x = x * x + x ~ i end return x end\n"
              "return { scan { name = 'mapped', monoid = sum(u32), map = f }, reduce { name = 'put_out', monoid = sum(u32), output = f },\n"
              "  scan { name = 'combined', monoid = monoid { type = u32, identity = 0, commutative = true,\n"
              "    combine = function(a, b) local x = a + b for i = 1, 150 do x = (x ~ i) ~ i end return x end } } }\n");
    uint32_t elements[3000];
    for (uint32_t i = 0; i < 3000; i++) elements[i] = i * 2654435761u;
    make_file("in.bin", elements, sizeof elements);
    succeed("run long.lua --op mapped --verify --input in=in.bin --output out=out.bin");
    succeed("run long.lua --op put_out --verify --input in=in.bin --output out=out.bin");
    succeed("run long.lua --op combined --verify --input in=in.bin --output out=out.bin");
    succeed("gen long.lua --op mapped --target cuda -o out --quiet");
    cli_file text = load_file("out/mapped_scan_single_block.cu");
    if (!text.data) text = load_file("out/long_scan_single_block.cu");
    assert_non_null(text.data);
    assert_non_null(strstr(text.data, "__device__ __noinline__ uint map_item("));
    free(text.data);
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_line), cmocka_unit_test(test_hostile_specs),  cmocka_unit_test(test_nested_functions),
        cmocka_unit_test(test_constants), cmocka_unit_test(test_labels),         cmocka_unit_test(test_compilation),
        cmocka_unit_test(test_text),      cmocka_unit_test(test_long_functions),
    };
    return cmocka_run_group_tests(tests, enter, NULL);
}
