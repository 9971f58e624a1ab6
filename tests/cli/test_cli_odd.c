/* The command line where something is odd: closed streams, interrupts, pipes, several dimensions of what can go wrong with a run's files. */
#include "cli_driver.h"

#include <signal.h>

static const uint32_t numbers[5] = {7, 2, 5, 8, 1}, sums[5] = {7, 9, 14, 22, 23};

static int set_up(void **state)
{
    (void)state;
    enter_directory("test_cli_odd.files");
    make_text("sum.lua", "return scan { monoid = sum(u32) }");
    make_text("two.lua", "return sort { key = u32, value = u32 }");
    make_file("in.bin", numbers, sizeof numbers);
    make_file("empty.bin", "", 0);
    /* An interrupt comes in the middle of what is written: the program asks for a mebibyte or so, and gets the signal first. */
    make_text("interrupt.c",
              "#include <dlfcn.h>\n#include <signal.h>\n#include <stdlib.h>\n#include <unistd.h>\nssize_t write(int descriptor, const void *data, "
              "size_t bytes)\n"
              "{ ssize_t (*real)(int, const void *, size_t) = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, \"write\");\n"
              "  if (bytes == 20) kill(getpid(), atoi(getenv(\"SIGNAL\")));\n  return real(descriptor, data, bytes); }");
    assert_int_equal(system(MSW_C_COMPILER " -w -shared -fPIC -D_GNU_SOURCE interrupt.c -o interrupt.so -ldl"), 0);
    return 0;
}

static void expect_nothing_in_out(const char *when)
{
    if (count_files("out")) fail_msg("%s: something is left behind", when);
}

/* Temporary files of outputs go with who is interrupted; an interrupt that the user's shell ignores (nohup) stops nothing. */
static void test_interrupts(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    char command[1024];
    (void)state;
    for (int s = 0; s < 3; s++) {
        snprintf(command, sizeof command,
                 "ASAN_OPTIONS=verify_asan_link_order=0 SIGNAL=%d LD_PRELOAD=./interrupt.so '" MSW_BINARY_DIR "/monosweep' "
                 "run sum.lua --device host --input in=in.bin --output out=out/a.bin >stdout.txt 2>&1",
                 signals[s]);
        const int status = system(command); /* the shell's, which says 128 + signal, or ends as its only command */
        const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        if (code != 128 + signals[s]) fail_msg("signal %d: %d", signals[s], code);
        expect_nothing_in_out("after an interrupt");
    }
    snprintf(command, sizeof command,
             "trap '' HUP; ASAN_OPTIONS=verify_asan_link_order=0 SIGNAL=%d LD_PRELOAD=./interrupt.so '" MSW_BINARY_DIR "/monosweep' "
             "run sum.lua --quiet --device host --input in=in.bin --output out=kept.bin",
             SIGHUP);
    assert_int_equal(system(command), 0);
    expect_file("kept.bin", sums, sizeof sums);
}

/* The shell's timeout sends the interrupt while it computes, or while a reader is waited for. */
static void test_waiting_can_be_interrupted(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(
        system("timeout -s INT 1 '" MSW_BINARY_DIR "/monosweep' run sum.lua --quiet --device host --input in=in.bin --output out=pipe; [ $? = 124 ]"),
        0);
    assert_int_equal(
        system("timeout -s INT 1 '" MSW_BINARY_DIR "/monosweep' run sum.lua --quiet --device host --input in=pipe --output out=out/a; [ $? = 124 ]"),
        0);
    assert_int_equal(system("timeout -s INT 1 '" MSW_BINARY_DIR
                            "/monosweep' bench sum.lua --device host --csv out/b.csv --html out/b.html >stdout.txt 2>&1; [ $? = 124 ]"),
                     0);
    assert_int_equal(
        system("timeout -s INT 1 '" MSW_BINARY_DIR "/monosweep' tune sum.lua --device vulkan --tuning out/t.lua >stdout.txt 2>&1; [ $? = 124 ]"), 0);
    expect_nothing_in_out("bench and tune");
    /* One pipe twice would wait forever. */
    make_text("sums.lua", "return map { inputs = { {'x', u32}, {'y', u32} }, output = function(e) return e.x + e.y end }");
    expect("run sums.lua --device host --input x=pipe --input y=pipe --output out=out/a", 2, NULL,
           "pipe: 'x' and 'y' are one pipe, which would wait");
    expect("run sum.lua --device host --input in=pipe --output out=./pipe", 2, NULL, "./pipe: 'in' and 'out' are one pipe, which would wait");
    assert_int_equal(system("'" MSW_BINARY_DIR
                            "/monosweep' run sum.lua --quiet --device host --input in=in.bin --output out=pipe & cat pipe >piped.bin && wait $!"),
                     0);
    expect_file("piped.bin", sums, sizeof sums);
}

static void test_closed_streams(void **state)
{
    (void)state;
    expect("--version 2>&1; '" MSW_BINARY_DIR "/monosweep' run sum.lua --device vulkan --input in=in.bin --json >&-", 1, NULL,
           "standard output cannot be written");
    expect("run sum.lua --device vulkan --input in=in.bin --output out=a.bin 2>&- >&- <&-", 0, NULL, NULL);
    expect_file("a.bin", sums, sizeof sums);
    expect("run two.lua --device host --input keys=in.bin --input values=- --output keys_out=out/a <&-", 1, NULL,
           "standard input: cannot be read: Bad file descriptor");
    expect_nothing_in_out("a run without its input");
}

/* An output that cannot be written is told before a device is opened; none of the others appears. */
static void test_outputs_are_tried_first(void **state)
{
    (void)state;
    expect_failure("run two.lua --device vulkan:99 --input keys=in.bin --input values=in.bin --output keys_out=out/a --output values_out=no/folder/b",
                   1, "no/folder/b: cannot be written: No such file or directory");
    make_text("old.bin", "old");
    expect("run two.lua --device host --input keys=in.bin --input values=in.bin --output keys_out=old.bin --output values_out=no/folder/b", 1, NULL,
           "no/folder/b: cannot be written");
    expect_file("old.bin", "old", 3);
    expect_failure("run two.lua --device host --input keys=in.bin --input values=empty.bin --output keys_out=out/a", 1,
                   "empty.bin: 'values' has 0 elements and 'keys' 5; give both the same number");
}

/* A file beyond ulimit -f. */
static void test_output_beyond_a_limit(void **state)
{
    (void)state;
    assert_int_equal(system("(ulimit -f 0; '" MSW_BINARY_DIR
                            "/monosweep' run sum.lua --quiet --device host --input in=in.bin --output out=out/a 2>&1; echo $?) | cat >piped.txt"),
                     0);
    cli_file said = load_file("piped.txt");
    if (!said.data || !strstr(said.data, "out/a: cannot be written: File too large") || !strstr(said.data, "\n1\n")) fail_msg("said: %s", said.data);
    free(said.data);
    expect_nothing_in_out("a file beyond ulimit -f");
}

static void test_no_elements(void **state)
{
    (void)state;
    cli_result bench = run("bench sum.lua --device vulkan --n 0 --rounds 1");
    assert_int_equal(bench.code, 0);
    const char *row = strstr(bench.out.data, "\n           0 ");
    if (!row || row[1 + strspn(row + 1, " 0-")] != '\n') show_and_fail("bench --n 0", &bench, "a figure of nothing");
    drop(&bench);
    expect("tune sum.lua --device vulkan --n 0", 2, NULL, "--n 0: there is nothing to measure; choose more");
}

/* A command's help is about that command: no word of another's in it, and every flag that it shows is one that it takes. */
static void test_help_is_of_the_command(void **state)
{
    static const char *const commands[] = {"check", "plan", "gen", "run", "devices", "bench", "tune"};
    (void)state;
    for (int c = 0; c < 7; c++) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "%s --help", commands[c]);
        cli_result help = run(arguments);
        for (int other = 0; other < 3 * 7; other++) {
            char words[32];
            snprintf(words, sizeof words, "%s%s: ", other % 3 == 0 ? "(" : other % 3 == 1 ? "; " : ", ", commands[other / 3]);
            if (strstr(help.out.data, words)) show_and_fail(arguments, &help, words);
        }
        int count = 0;
        for (char *line = strstr(help.out.data, "\n  -"); line; line = strstr(line + 1, "\n  -"), count++) {
            char name[32];
            assert_int_equal(sscanf(line, " %31s", name), 1);
            snprintf(arguments, sizeof arguments, "%s %s", commands[c], name); /* without its argument, where it takes one, and without a spec */
            cli_result result = run(arguments);
            if (strstr(result.err.data, "has no flag") || strstr(result.err.data, "unknown flag"))
                show_and_fail(arguments, &result, "its help shows that flag");
            drop(&result);
        }
        assert_true(count >= 4);
        drop(&help);
    }
}

/* "run prints one summary line to stderr: device, n, time, GB/s or Gkeys/s": one line, and nothing on standard output. */
static void test_summary_line(void **state)
{
    static const char *const commands[] = {
        "run sum.lua --device vulkan --input in=in.bin --output out=a.bin", "run sum.lua --device host --input in=in.bin --output out=a.bin --verify",
        "run two.lua --device host --input keys=in.bin --input values=in.bin --output keys_out=a.bin --output values_out=b.bin"};
    (void)state;
    for (int c = 0; c < 3; c++) {
        char id[32], unit[32];
        unsigned n;
        double time, rate;
        cli_result result = run(commands[c]);
        const char *comma = strstr(result.err.data, ", n = ");
        if (result.code || result.out.bytes || !comma || strchr(result.err.data, '\n') != result.err.data + result.err.bytes - 1)
            show_and_fail(commands[c], &result, "one line");
        if (sscanf(result.err.data, "%*[a-z]: %31s (", id) != 1 || strncmp(id, c ? "host" : "vulkan", 4))
            show_and_fail(commands[c], &result, "the device");
        if (sscanf(comma, ", n = %u, %lf %*[num]s, %lf %31[a-zA-Z/]", &n, &time, &rate, unit) != 4 || n != 5)
            show_and_fail(commands[c], &result, "the figures");
        if (!strstr(unit, c == 2 ? "keys/s" : "B/s")) show_and_fail(commands[c], &result, "the unit");
        drop(&result);
    }
    cli_result quiet = run("run sum.lua --quiet --device host --input in=in.bin --output out=a.bin");
    assert_int_equal(quiet.code + (int)quiet.err.bytes + (int)quiet.out.bytes, 0);
    drop(&quiet);
}

/* "Everything works with n = 0": sorts, too, and .npy files. */
static void test_empty_files(void **state)
{
    static const char *const devices[] = {"host", "vulkan"};
    char arguments[512];
    (void)state;
    for (int d = 0; d < 2; d++) {
        snprintf(arguments, sizeof arguments,
                 "run two.lua --device %s --verify --input keys=empty.bin --input values=empty.bin --output keys_out=k.npy --output values_out=v.bin",
                 devices[d]);
        expect(arguments, 0, NULL, "n = 0, ");
        expect_file("v.bin", "", 0);
        snprintf(arguments, sizeof arguments, "run sum.lua --device %s --verify --input in=k.npy --output out=o.bin", devices[d]);
        expect(arguments, 0, NULL, "n = 0, ");
        expect_file("o.bin", "", 0);
    }
    expect("plan sum.lua --n 0", 0, "sum, n = 0: single_block, 1 launch, ", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_interrupts),
                                       cmocka_unit_test(test_waiting_can_be_interrupted),
                                       cmocka_unit_test(test_closed_streams),
                                       cmocka_unit_test(test_outputs_are_tried_first),
                                       cmocka_unit_test(test_output_beyond_a_limit),
                                       cmocka_unit_test(test_no_elements),
                                       cmocka_unit_test(test_help_is_of_the_command),
                                       cmocka_unit_test(test_summary_line),
                                       cmocka_unit_test(test_empty_files)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
