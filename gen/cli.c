#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

const ms_command ms_commands[] = {
    {"check", "SPEC.lua [flags]", "reads a spec, type-checks it and tests its monoids' laws; prints the checked spec", ms_check_command},
    {"plan", "SPEC.lua [--device D | --target T] [flags]", "shows how operations run: kernels, geometry, scratch, features, bytes moved",
     ms_plan_command},
    {"gen", "SPEC.lua --target T [-o DIR] [flags]", "writes the kernels' source or code, and the plan", ms_gen_command},
    {"run", "SPEC.lua --input NAME=FILE .. --output NAME=FILE .. [flags]", "runs an operation on files", ms_run_command},
    {"devices", "[--verbose] [flags]", "lists the devices, the one that auto takes first", ms_devices_command},
    {"bench", "SPEC.lua [flags]", "times operations over n: strategies side by side, memcpy, a plain C loop (by $CC, else cc), the oracle; results verified", ms_bench_command},
    {"tune", "SPEC.lua [flags]", "finds better knobs and strategies for a device by trying, and writes them into the user's tuning table", ms_tune_command},
    {NULL, NULL, NULL, NULL},
};

const ms_feature_name ms_feature_names[] = {
    {MSW_FEATURE_INT8, "int8"},       {MSW_FEATURE_INT16, "int16"},       {MSW_FEATURE_INT64, "int64"},
    {MSW_FEATURE_FLOAT16, "float16"}, {MSW_FEATURE_FLOAT64, "float64"},   {MSW_FEATURE_ATOMIC64, "atomic64"},
    {MSW_FEATURE_SUBGROUP, "subgroup"}, {MSW_FEATURE_ARITHMETIC, "arithmetic"}, {MSW_FEATURE_LONG_LOOPS, "long_loops"},
    {MSW_FEATURE_UNIFORM_CONTROL_FLOW, "uniform_control_flow"}, {0, NULL},
};

/* ---- messages ---- */

ms_exit ms_complain(ms_exit code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "monosweep: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    return code;
}

ms_exit ms_complain_diag(const msw_diag *diag)
{
    fprintf(stderr, "%s%s\n", diag->file[0] ? "" : "monosweep: ", diag->message);
    if (diag->code == MSW_ERROR_SPEC) return MS_EXIT_SPEC;
    return diag->code == MSW_ERROR_INVALID_ARGUMENT ? MS_EXIT_USAGE : MS_EXIT_FAILED;
}

void ms_print_text(FILE *file, const char *text)
{
    char last = '\n';
    for (; *text; text++) putc(last = *text, file);
    if (last != '\n') putc('\n', file);
}

void ms_print_json_string(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') fprintf(file, "\\%c", c);
        else if (c < 0x20) fprintf(file, "\\u%04x", c);
        else putc(c, file);
    }
    putc('"', file);
}

/* ---- progress ---- */

static int shows_progress(const ms_options *options) { return !options->quiet && isatty(STDERR_FILENO); }

void ms_show_progress(const ms_options *options, double share, const char *format, ...)
{
    char bar[21];
    va_list arguments;
    if (!shows_progress(options)) return;
    for (int i = 0; i < 20; i++) bar[i] = i < share * 20 ? '#' : '.';
    bar[20] = '\0';
    fflush(stdout);
    fprintf(stderr, "\r\033[K%s %3.0f %%  ", bar, share * 100);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fflush(stderr);
}

void ms_clear_progress(const ms_options *options)
{
    if (shows_progress(options)) fprintf(stderr, "\r\033[K");
}

/* ---- the program ---- */

/* A stream that was closed before the program began keeps its number, and its use fails: else the next file that is opened, of a driver's perhaps,
 * would take the place of it, and what is printed would go there. */
static void reserve_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF && open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
}

static ms_exit run_command(const ms_options *options)
{
    if (options->version) return printf("monosweep %s\n", msw_version()), MS_EXIT_DONE;
    if (options->help) return ms_options_help(stdout, options->command), MS_EXIT_DONE;
    if (!options->command->run) return ms_complain(MS_EXIT_USAGE, "%s: not in this version; see monosweep --help", options->command->name);
    return options->command->run(options);
}

int main(int count, char **arguments)
{
    reserve_streams();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error like any other: temporary files are removed */
    ms_options options;
    ms_exit code = ms_options_parse(count > 0 ? count - 1 : 0, arguments + 1, &options);
    if (!code && options.command && !options.help && !options.version) code = ms_load_tuning(&options);
    if (!code) code = run_command(&options);
    ms_options_release(&options);
    if (fflush(stdout) || ferror(stdout))
        if (!code) code = ms_complain(MS_EXIT_FAILED, "standard output cannot be written; check where it leads to");
    return (int)code;
}
