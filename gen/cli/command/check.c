#include "commands.h"
#include "cli/session.h"

ms_exit ms_check_command(const ms_options *options)
{
    msw_spec *spec;
    const ms_exit code = ms_open_spec(options, &spec);
    if (code) return code;
    if (options->json || options->dump) ms_print_text(stdout, msw_spec_json(spec));
    else if (!options->quiet) ms_print_text(stdout, msw_spec_summary(spec));
    msw_spec_destroy(spec);
    return MS_EXIT_DONE;
}
