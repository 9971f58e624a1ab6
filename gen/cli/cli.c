#include "command/commands.h"
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* In the order of the help. */
static const ms_command commands[] = {
    {MS_CHECK, "check", "SPEC.lua [flags]", "reads a spec, type-checks it and tests its monoids' laws; prints the checked spec", ms_check_command,
     MS_TUNING_IF_NAMED},
    {MS_PLAN, "plan", "SPEC.lua [--device D | --target T] [flags]", "shows how operations run: kernels, geometry, scratch, features, bytes moved",
     ms_plan_command, MS_TUNING_IF_NAMED},
    {MS_GEN, "gen", "SPEC.lua --target T [-o DIR] [flags]", "writes the kernels' source or code, and the plan", ms_gen_command, MS_TUNING_IF_NAMED},
    {MS_RUN, "run", "SPEC.lua --input NAME=FILE .. --output NAME=FILE .. [flags]", "runs an operation on files", ms_run_command, MS_TUNING_ALWAYS},
    {MS_DEVICES, "devices", "[--verbose] [flags] | --report [flags]",
     "lists the devices; the first is the one that auto takes. With --report: measures one", ms_devices_command, MS_TUNING_BY_ITSELF},
    {MS_BENCH, "bench", "SPEC.lua [flags]",
     "times operations over n: strategies side by side, memcpy, a plain C loop (by $CC, else cc), the oracle; results verified", ms_bench_command,
     MS_TUNING_ALWAYS},
    {MS_TUNE, "tune", "SPEC.lua [flags] | --constants [flags]",
     "finds better knobs and strategies for a device by trying, and writes them into the user's tuning table", ms_tune_command, MS_TUNING_BY_ITSELF},
    {0},
};

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
    if (options->help) return ms_options_help(stdout, options), MS_EXIT_DONE;
    return options->command->run(options);
}

int main(int count, char **arguments)
{
    reserve_streams();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error like any other, and so is a file beyond ulimit -f: temporary files are removed */
    signal(SIGXFSZ, SIG_IGN);
    ms_options options;
    ms_exit code = ms_options_parse(commands, count > 0 ? count - 1 : 0, arguments + 1, &options);
    if (!code && options.command && !options.help && !options.version) code = ms_load_tuning(&options);
    if (!code) code = run_command(&options);
    ms_options_release(&options);
    if (fflush(stdout) || ferror(stdout))
        if (!code) code = ms_complain(MS_EXIT_FAILED, "standard output cannot be written; check where it leads to");
    return (int)code;
}
