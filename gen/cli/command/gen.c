#include "commands.h"
#include "cli/io/file.h"
#include "units.h"
#include "gen_header.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct generation {
    const ms_options *options;
    ms_programs programs;
    ms_header headers[2]; /* of --target header or plans, in place of programs */
    uint32_t header_count;
    int made_directory;
    ms_stage stage;
} generation;

static ms_exit stage_file(generation *g, const char *name, const char *part, const void *data, size_t bytes)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s%s", g->options->out_dir, name, part);
    if (length < 0 || (size_t)length >= sizeof path)
        return ms_complain(MS_EXIT_USAGE, "-o %s: the path is too long; choose a shorter one", g->options->out_dir);
    return ms_stage_add(&g->stage, path, NULL, 0, data, bytes);
}

static ms_exit stage_program(generation *g, const msw_program *program)
{
    const msw_plan *plan = msw_program_plan(program);
    const char *json = msw_program_json(program);
    ms_exit code = stage_file(g, plan->name, plan->backend == MSW_BACKEND_CUDA ? "_cuda.plan.json" : "_vulkan.plan.json", json, strlen(json));
    for (uint32_t i = 0; !code && i < plan->kernel_count; i++) {
        const msw_plan_kernel *kernel = &plan->kernels[i];
        char part[256];
        snprintf(part, sizeof part, "_%.200s.%s", kernel->entry, g->options->target->extension);
        const size_t end = ms_is_text(kernel->code, kernel->code_bytes) ? 1 : 0; /* no NUL in a text file */
        if (g->options->target->is_code) code = stage_file(g, plan->name, part, kernel->code, kernel->code_bytes - end);
        else code = stage_file(g, plan->name, part, kernel->text, strlen(kernel->text));
    }
    return code;
}

static ms_exit stage_header(generation *g, const msw_spec *spec, const ms_header *header)
{
    char part[16];
    snprintf(part, sizeof part, "_%s.h", header->part);
    ms_exit code = stage_file(g, msw_spec_name(spec), part, header->text, strlen(header->text));
    snprintf(part, sizeof part, "_%s.c", header->part);
    if (!code && header->source) code = stage_file(g, msw_spec_name(spec), part, header->source, strlen(header->source));
    return code;
}

static void print_files(const generation *g)
{
    for (size_t i = 0; i < g->stage.count; i++) {
        const char *path = g->stage.files[i].path;
        if (!g->options->json) {
            char size[MS_UNIT_BYTES];
            fprintf(stderr, "%s: %s\n", path, ms_format_unit((double)g->stage.files[i].data_bytes, "B", size));
            continue;
        }
        printf(i ? ",\n  " : "{\"files\": [\n  ");
        ms_print_json_string(stdout, path);
    }
    if (g->options->json) printf("\n]}\n");
}

static ms_exit write_files(generation *g, const msw_spec *spec)
{
    ms_exit code = MS_EXIT_DONE;
    if (!mkdir(g->options->out_dir, 0777)) g->made_directory = 1;
    else if (errno != EEXIST)
        return ms_complain(MS_EXIT_FAILED, "%s: cannot be made: %s; make its parent first", g->options->out_dir, strerror(errno));
    for (uint32_t i = 0; !code && i < g->programs.count; i++) code = stage_program(g, g->programs.items[i]);
    for (uint32_t i = 0; !code && i < g->header_count; i++) code = stage_header(g, spec, &g->headers[i]);
    if (!code) code = ms_stage_commit(&g->stage);
    if (!code && (g->options->json || !g->options->quiet)) print_files(g);
    return code;
}

static ms_exit generate_header(generation *g, msw_spec *spec, uint32_t backends)
{
    const ms_options *options = g->options;
    ms_header *header = &g->headers[g->header_count++];
    const ms_exit code = ms_header_make(options, spec, backends, header);
    if (code) return code;
    if (options->dump && (header->source || strcmp(options->dump, "source"))) return ms_dump(options->dump, spec, &header->programs);
    if (options->dump || !options->out_dir) ms_print_text(stdout, header->text);
    return MS_EXIT_DONE;
}

/* A header for each backend; plans are for all of them at once. */
static ms_exit generate_headers(generation *g, msw_spec *spec)
{
    const uint32_t vulkan = 1u << MSW_BACKEND_VULKAN, cuda = 1u << MSW_BACKEND_CUDA;
    const uint32_t backends = g->options->backends ? g->options->backends : vulkan;
    ms_exit code = MS_EXIT_DONE;
    if (!strcmp(g->options->target->name, "plans")) {
        code = generate_header(g, spec, backends);
    } else {
        if (backends & vulkan) code = generate_header(g, spec, vulkan);
        if (!code && backends & cuda) code = generate_header(g, spec, cuda);
    }
    return !code && g->options->out_dir ? write_files(g, spec) : code;
}

static ms_exit generate(generation *g, msw_spec *spec)
{
    const ms_options *options = g->options;
    const msw_target target = ms_options_target(options);
    ms_exit code = ms_make_programs(options, spec, &target, &g->programs);
    if (code) return code;
    for (uint32_t i = 0; options->target->is_code && i < g->programs.count; i++)
        if ((code = ms_compile_program(options, g->programs.items[i], !strcmp(options->target->name, "cubin"))) != MS_EXIT_DONE) return code;
    if (options->dump || !options->out_dir) code = ms_dump(options->dump ? options->dump : "source", spec, &g->programs);
    return !code && options->out_dir ? write_files(g, spec) : code;
}

ms_exit ms_gen_command(const ms_options *options)
{
    if (!options->target) return ms_complain(MS_EXIT_USAGE, "gen needs a target; write --target cuda, ptx, cubin, glsl, spirv, header or plans");
    const int is_several = options->target->is_code || !strcmp(options->target->name, "plans"); /* files, or none for a terminal */
    if (!options->out_dir && (is_several || options->json) && !options->dump)
        return ms_complain(MS_EXIT_USAGE, options->json ? "--json needs a directory; add -o DIR" : "--target %s needs a directory; add -o DIR",
                           options->target->name);
    msw_spec *spec = NULL;
    generation g = {.options = options};
    ms_exit code = ms_open_spec(options, &spec);
    if (!code) code = options->target->backend == MSW_BACKEND_AUTO ? generate_headers(&g, spec) : generate(&g, spec);
    ms_stage_release(&g.stage);
    if (code && g.made_directory) rmdir(options->out_dir);
    ms_programs_release(&g.programs);
    for (uint32_t i = 0; i < g.header_count; i++) ms_programs_release(&g.headers[i].programs);
    msw_spec_destroy(spec);
    return code;
}
