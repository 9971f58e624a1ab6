/* The protocols of tests/simulator/models, checked by spin in every order of events: what must hold holds, and what is broken on purpose is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOKBACK "lookback"
#define LOOKAHEAD "lookahead"
#define BLOCKS(blocks, tiles) "-DBLOCKS=" #blocks " -DTILES=" #tiles
#define POSTS(words, window) " -DWORDS=" #words " -DWINDOW=" #window
#define STAGES(stages, ahead) " -DSTAGES=" #stages " -DAHEAD=" #ahead
#define PROGRESS(fallback, stuck) " -DFALLBACK=" #fallback " -DSTUCK=" #stuck

static const struct check {
    const char *name, *model, *defines;
    int is_termination;   /* under weak fairness; else safety */
    const char *expected; /* in what spin finds; "" : nothing */
} checks[] = {
    {"three blocks, posts of two words", LOOKBACK, BLOCKS(3, 3) POSTS(2, 1) PROGRESS(0, 0), 0, ""},
    {"three blocks end", LOOKBACK, BLOCKS(3, 3) POSTS(2, 1) PROGRESS(0, 0), 1, ""},
    {"four blocks, two descriptors at once", LOOKBACK, BLOCKS(4, 4) POSTS(1, 2) PROGRESS(0, 0), 0, ""},
    {"one of three gets stuck", LOOKBACK, BLOCKS(3, 3) POSTS(1, 2) PROGRESS(1, 1), 0, ""},
    {"one of three gets stuck, the others end", LOOKBACK, BLOCKS(3, 3) POSTS(1, 2) PROGRESS(1, 1), 1, ""},
    {"one of four gets stuck, stores in order, the others end", LOOKBACK, BLOCKS(4, 4) POSTS(1, 1) PROGRESS(1, 1) " -DBUFFERED=0", 1, ""},
    {"two blocks of two tiles, one gets stuck", LOOKBACK, BLOCKS(2, 4) POSTS(1, 2) PROGRESS(1, 1), 0, ""},
    {"one post a tile", LOOKBACK, BLOCKS(3, 3) POSTS(2, 2) PROGRESS(0, 0) " -DONE_POST=1", 0, ""},
    {"one post a tile, one of three gets stuck", LOOKBACK, BLOCKS(3, 3) POSTS(1, 2) PROGRESS(1, 1) " -DONE_POST=1", 0, ""},
    {"one post a tile, one of three gets stuck, the others end", LOOKBACK, BLOCKS(3, 3) POSTS(1, 2) PROGRESS(1, 1) " -DONE_POST=1", 1, ""},
    {"one gets stuck and nobody falls back", LOOKBACK, BLOCKS(3, 3) POSTS(1, 1) PROGRESS(0, 1), 1, "acceptance cycle"},
    {"tags are ignored", LOOKBACK, BLOCKS(3, 3) POSTS(2, 2) PROGRESS(0, 0) " -DMUTANT=1", 0, "assertion violated"},
    {"one word's tag is taken for all", LOOKBACK, BLOCKS(3, 3) POSTS(2, 2) PROGRESS(0, 0) " -DMUTANT=2", 0, "assertion violated"},
    {"one word of one post is taken for all", LOOKBACK, BLOCKS(3, 3) POSTS(2, 2) PROGRESS(0, 0) " -DONE_POST=1 -DMUTANT=2", 0, "assertion violated"},
    {"a missing aggregate is posted as a prefix", LOOKBACK, BLOCKS(3, 3) POSTS(1, 1) PROGRESS(1, 1) " -DMUTANT=3", 0, "assertion violated"},
    {"a missing aggregate over a prefix", LOOKBACK, BLOCKS(3, 3) POSTS(1, 1) PROGRESS(1, 0) " -DONE_POST=1 -DMUTANT=5", 0, "assertion violated"},
    {"an aggregate in a prefix's place", LOOKBACK, BLOCKS(3, 3) POSTS(1, 1) PROGRESS(0, 0) " -DMUTANT=4", 0, "assertion violated"},
    {"ahead in three stages, turn after turn", LOOKAHEAD, BLOCKS(1, 8) STAGES(3, 1), 0, ""},
    {"two ahead in four stages", LOOKAHEAD, BLOCKS(1, 9) STAGES(4, 2), 0, ""},
    {"the first tile comes to no stage", LOOKAHEAD, BLOCKS(1, 8) STAGES(3, 1) " -DSTRAY=1", 0, ""},
    {"two blocks ahead", LOOKAHEAD, BLOCKS(2, 5) STAGES(3, 1) " -DSTRAY=1", 0, ""},
    {"two blocks ahead end", LOOKAHEAD, BLOCKS(2, 4) STAGES(3, 1), 1, ""},
    {"as far ahead as there are stages", LOOKAHEAD, BLOCKS(1, 8) STAGES(3, 2), 0, "invalid end state"},
    {"a stage is filled while its tile leaves", LOOKAHEAD, BLOCKS(1, 8) STAGES(3, 1) " -DMUTANT=1", 0, "assertion violated (stage"},
    {"a tile that comes to no stage gives no signal", LOOKAHEAD, BLOCKS(1, 8) STAGES(3, 1) " -DSTRAY=1 -DMUTANT=2", 0, "assertion violated (come"},
    {"what comes before is not waited for", LOOKAHEAD, BLOCKS(1, 8) STAGES(3, 1) " -DMUTANT=3", 0, "assertion violated (prefix"},
    {"a stage is filled one tile early", LOOKAHEAD, BLOCKS(1, 8) STAGES(3, 1) " -DMUTANT=4", 0, "assertion violated (stage"},
    {"a total is read after it is let go", LOOKAHEAD, BLOCKS(1, 8) STAGES(3, 1) " -DMUTANT=5", 0, "assertion violated (total"},
};
enum { CHECK_COUNT = sizeof checks / sizeof *checks };

/* What a command prints; fails if it cannot be run, or says so itself. */
static void run(const char *command, char *output, size_t output_bytes)
{
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    const size_t got = fread(output, 1, output_bytes - 1, pipe);
    output[got] = '\0';
    for (char rest[256]; fread(rest, 1, sizeof rest, pipe) > 0;) continue;
    if (pclose(pipe)) fail_msg("%s\n%s", command, output);
}

static void test_check(void **state)
{
    const struct check *check = *state;
    char folder[] = MSW_BINARY_DIR "/model.XXXXXX", command[2048], output[1 << 14];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command,
             "exec 2>&1; cd '%s' && spin -a %s %s '" MSW_SOURCE_DIR "/tests/simulator/models/%s.pml' >spin.out ||"
             " { cat spin.out; echo 'spin is needed'; exit 1; }\n"
             "cc -w -DMEMLIM=3000 %s -o pan pan.c && ./pan -m200000 %s",
             folder, check->defines, check->is_termination ? "-DTERMINATION" : "", check->model,
             check->is_termination ? "-O2 -DNFAIR=4" : "-O1 -DSAFETY" /* which take less time to run than to compile */,
             check->is_termination ? "-a -f" : "");
    run(command, output, sizeof output);
    const int is_complete = !strstr(output, "max search depth too small") && !strstr(output, "reached -DMEMLIM");
    const int is_right = check->expected[0] ? strstr(output, check->expected) != NULL : strstr(output, "errors: 0") != NULL;
    if (!is_complete || !is_right) fail_msg("%s: expected %s, but: %s", check->name, check->expected[0] ? check->expected : "no error", output);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    run(command, output, sizeof output);
}

int main(void)
{
    struct CMUnitTest tests[CHECK_COUNT];
    for (int i = 0; i < CHECK_COUNT; i++)
        tests[i] = (struct CMUnitTest){.name = checks[i].name, .test_func = test_check, .initial_state = (void *)(uintptr_t)&checks[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
