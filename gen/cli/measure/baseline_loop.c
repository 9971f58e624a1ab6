#include "baseline_loop.h"
#include "cli/io/file.h"
#include "measure.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, MAX_WORDS = 16 };

struct ms_loop {
    void *library;
    void (*run)(msw_params params);
    void *scratch; /* of what sorts have on its way; NULL: none */
    uint32_t buffer_count;
};

static int fail(msw_diag *diag, const char *format, const char *what, const char *why)
{
    diag->code = MSW_ERROR_COMPILE;
    snprintf(diag->message, sizeof diag->message, format, what, why);
    return -1;
}

/* ---- the folder ---- */

static int make_folder(char folder[PATH_BYTES], msw_diag *diag)
{
    const char *given = getenv("TMPDIR"), *base = given && given[0] == '/' ? given : "/tmp";
    const int length = snprintf(folder, PATH_BYTES, "%s/monosweep.XXXXXX", base);
    if (length > 0 && length < PATH_BYTES - 16 && mkdtemp(folder)) return 0;
    return fail(diag, "%.400s: %s; set TMPDIR to a folder where files can be written", base, strerror(errno));
}

/* With whatever the compiler has left there. */
static void remove_folder(const char *folder)
{
    DIR *entries = opendir(folder);
    for (struct dirent *entry = entries ? readdir(entries) : NULL; entry; entry = readdir(entries)) unlinkat(dirfd(entries), entry->d_name, 0);
    if (entries) closedir(entries);
    rmdir(folder);
}

static void path_in(char path[PATH_BYTES], const char *folder, const char *name)
{
    snprintf(path, PATH_BYTES, "%.*s/%s", PATH_BYTES - 16, folder, name);
}

static int write_text(const char *path, const char *text, msw_diag *diag)
{
    FILE *file = fopen(path, "wx");
    const int is_written = file && fputs(text, file) >= 0;
    if (file && !fclose(file) && is_written) return 0;
    return fail(diag, "%.400s: %s; make room there", path, strerror(errno));
}

/* ---- the compiler ---- */

/* What the compiler said: the first line that tells of an error, or the first line. */
static void read_complaint(const char *log, char *line, size_t bytes)
{
    char text[4096];
    FILE *file = fopen(log, "r");
    const size_t got = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    text[got] = '\0';
    const char *error = strstr(text, "error:"), *start = error ? error : text;
    while (start > text && start[-1] != '\n') start--;
    start = *start ? start : "without a word";
    snprintf(line, bytes, "%.*s", (int)strcspn(start, "\n"), start);
}

/* $CC may have arguments: "ccache gcc". The text that the words are of; NULL: `diag` says why not. */
static char *split_command(const char *words[MAX_WORDS], uint32_t *count, msw_diag *diag)
{
    const char *given = getenv("CC");
    char *text = strdup(given && given[strspn(given, " \t")] ? given : "cc"), *state = NULL;
    char *word = text ? strtok_r(text, " \t", &state) : NULL;
    for (*count = 0; word && *count < MAX_WORDS; word = strtok_r(NULL, " \t", &state)) words[(*count)++] = word;
    if (text && !word) return text;
    fail(diag, "%.200s%s", text ? "CC has too many words" : "out of memory", text ? "; set it to a script that has them" : "; close other programs");
    free(text);
    return NULL;
}

/* Starts it and waits; its output goes to `log`. signals: those that it is to get. 0, or the reason why there is no result. */
static int run_compiler(const char *const *words, const char *log, const sigset_t *signals, int *status)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t child;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed) return failed;
    failed = posix_spawnattr_init(&attributes);
    if (!failed) {
        failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        if (!failed) failed = posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (!failed) failed = posix_spawn_file_actions_adddup2(&actions, 1, 2);
        if (!failed) failed = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
        if (!failed) failed = posix_spawnattr_setsigmask(&attributes, signals);
        if (!failed) failed = posix_spawnp(&child, words[0], &actions, &attributes, (char *const *)words, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    while (!failed && waitpid(child, status, 0) < 0)
        if (errno != EINTR) failed = errno;
    return failed;
}

/* Products are not contracted with sums, which would round otherwise than devices do. gcc 12 does so all the same where it makes vectors of
 * statements in a row (vfmaddsub of a quaternion's product, with -ffp-contract=off): loops become vectors, such statements do not. */
static int compile(const char *folder, const char *text, const sigset_t *signals, msw_diag *diag)
{
    char source[PATH_BYTES], object[PATH_BYTES], log[PATH_BYTES], complaint[256];
    path_in(source, folder, "loop.c");
    path_in(object, folder, "loop.so");
    path_in(log, folder, "log");
    const char *const rest[] = {"-std=c11",
                                "-O3",
                                "-march=native",
                                "-ffp-contract=off",
                                "-fno-tree-slp-vectorize",
                                "-fno-strict-aliasing",
                                "-shared",
                                "-fPIC",
                                "-o",
                                object,
                                source,
                                "-lm",
                                NULL};
    const char *words[MAX_WORDS + sizeof rest / sizeof *rest];
    uint32_t count;
    int status = 0;
    if (write_text(source, text, diag)) return -1;
    char *command = split_command(words, &count, diag);
    if (!command) return -1;
    memcpy(words + count, rest, sizeof rest);
    const int failed = run_compiler(words, log, signals, &status);
    read_complaint(log, complaint, sizeof complaint);
    if (failed) fail(diag, "%.400s: %s; set CC to a C compiler", words[0], strerror(failed));
    else if (status) fail(diag, "%.400s failed: %s; set CC to a C compiler", words[0], complaint);
    free(command);
    return failed || status ? -1 : 0;
}

/* ---- loops ---- */

static int load(ms_loop *loop, const char *folder, const char *entry, msw_diag *diag)
{
    char path[PATH_BYTES];
    path_in(path, folder, "loop.so");
    loop->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = loop->library ? dlsym(loop->library, entry) : NULL;
    if (!symbol) return fail(diag, "%.700s%s", dlerror(), "; set TMPDIR to a folder whose files may be executed, or CC to another compiler");
    memcpy(&loop->run, &symbol, sizeof symbol);
    return 0;
}

/* Who is interrupted meanwhile goes on until the folder is gone: the compiler ends at once. Its end can be waited for also where whoever started this
 * program ignores such ends. */
static int build(ms_loop *loop, const msw_plan *plan, msw_diag *diag)
{
    char folder[PATH_BYTES];
    const struct sigaction waiting = {.sa_handler = SIG_DFL};
    struct sigaction ended;
    sigset_t before;
    ms_hold_interrupts(&before);
    sigaction(SIGCHLD, &waiting, &ended);
    int failed = make_folder(folder, diag);
    if (!failed) {
        failed = compile(folder, plan->kernels[0].text, &before, diag);
        if (!failed) failed = load(loop, folder, plan->kernels[0].entry, diag);
        remove_folder(folder);
    }
    sigaction(SIGCHLD, &ended, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

ms_loop *ms_loop_create(msw_spec *spec, uint32_t op, uint64_t n_max, msw_diag *diag)
{
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_HOST};
    const msw_program_desc desc = {.struct_size = sizeof desc, .op = op, .target = &target};
    msw_program *program;
    if (msw_program_create(spec, &desc, &program, diag)) return NULL;
    const msw_plan *plan = msw_program_plan(program);
    const uint64_t bytes = msw_scratch_bytes(plan, n_max);
    ms_loop *loop = calloc(1, sizeof *loop);
    int failed = loop ? 0 : fail(diag, "%.900s%s", "out of memory; close other programs", "");
    if (!failed) {
        loop->buffer_count = plan->buffer_count;
        if (bytes && !(loop->scratch = malloc(bytes))) failed = fail(diag, "%.900s%s", "not enough memory for what a sort has on its way", "");
    }
    if (!failed) failed = build(loop, plan, diag);
    msw_program_destroy(program);
    if (!failed) return loop;
    ms_loop_destroy(loop);
    return NULL;
}

double ms_loop_run(const ms_loop *loop, uint64_t n, void *const *buffers)
{
    msw_params params = {.n = n, .scratch = (uint64_t)(uintptr_t)loop->scratch};
    for (uint32_t b = 0; b < loop->buffer_count; b++) params.buffer[b] = (uint64_t)(uintptr_t)buffers[b];
    const double start = ms_now();
    loop->run(params);
    return ms_now() - start;
}

void ms_loop_destroy(ms_loop *loop)
{
    if (!loop) return;
    if (loop->library) dlclose(loop->library);
    free(loop->scratch);
    free(loop);
}
