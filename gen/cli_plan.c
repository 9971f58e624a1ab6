#include "cli.h"

#include <string.h>

/* The device's target, or the one that the options describe. */
static ms_exit choose_target(const ms_options *options, msw_context **context, msw_target *target)
{
    *target = ms_options_target(options);
    if (!options->device) return MS_EXIT_DONE;
    const ms_exit code = ms_open_context(options, NULL, context);
    if (!code) *target = msw_context_device(*context)->target;
    return code;
}

static void print_plans(const ms_options *options, const ms_programs *programs)
{
    if (options->json) printf("[");
    for (uint32_t i = 0; i < programs->count; i++) {
        const msw_program *program = programs->items[i];
        if (!options->json) ms_print_text(stdout, msw_program_summary(program));
        else printf("%s%s", i ? ",\n" : "", msw_program_json(program));
    }
    if (options->json) printf("]\n");
}

ms_exit ms_plan_command(const ms_options *options)
{
    msw_spec *spec = NULL;
    msw_context *context = NULL;
    msw_target target;
    ms_programs programs = {0};
    ms_exit code = ms_open_spec(options, &spec);
    if (!code) code = choose_target(options, &context, &target);
    if (!code) code = ms_make_programs(options, spec, &target, &programs);
    if (!code && options->dump) code = ms_dump(options->dump, spec, &programs);
    else if (!code) print_plans(options, &programs);
    ms_programs_release(&programs);
    msw_context_destroy(context);
    msw_spec_destroy(spec);
    return code;
}
