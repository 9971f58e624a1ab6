#include "cli_header.h"

#include <stdlib.h>
#include <string.h>

/* ---- the command that makes it again ---- */

/* A word of a shell's command line. */
static void print_word(FILE *file, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=.,:/%@^";
    if (*word && !word[strspn(word, plain)]) {
        fputs(word, file);
        return;
    }
    putc('\'', file);
    for (; *word; word++) {
        if (*word == '\'') fputs("'\\''", file);
        else putc(*word, file);
    }
    putc('\'', file);
}

static void print_pair(FILE *file, const char *flag, const char *name, const char *value)
{
    fprintf(file, " %s %s=", flag, name);
    print_word(file, value);
}

static void print_flag(FILE *file, const char *flag, const char *value)
{
    if (!value || !*value) return;
    fprintf(file, " %s ", flag);
    print_word(file, value);
}

static void print_features(FILE *file, const char *flag, uint32_t bits)
{
    const char *between = " ";
    if (bits) fprintf(file, " %s", flag);
    for (const ms_feature_name *f = ms_feature_names; f->name; f++)
        if (bits & f->bit) fprintf(file, "%s%s", between, f->name), between = ",";
}

static void print_lists(FILE *file, const ms_options *options, int is_vulkan)
{
    static const char *const models[] = {NULL, "parallel", "occupancy", "none"};
    for (uint32_t i = 0; is_vulkan && i < options->subgroup_count; i++) fprintf(file, "%s%u", i ? "," : " --subgroup ", options->subgroup_sizes[i]);
    print_features(file, "--without", options->without);
    if (is_vulkan) print_features(file, "--or-without", options->or_without);
    print_flag(file, "--progress-model", models[options->progress]);
    for (uint32_t i = 0; i < options->define_count; i++) print_pair(file, "-D", options->defines[i].name, options->defines[i].value);
    for (uint32_t i = 0; i < options->knob_count; i++) print_pair(file, "--set", options->knobs[i].name, options->knobs[i].value);
}

/* Whatever order the options came in, and wherever the spec is; free it. NULL: out of memory. */
static char *command_of(const ms_options *options, uint32_t backend)
{
    const char *slash = strrchr(options->spec, '/');
    const int is_cuda = backend == MSW_BACKEND_CUDA;
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    if (!file) return NULL;
    fputs("monosweep gen ", file);
    print_word(file, slash ? slash + 1 : options->spec);
    fprintf(file, " --target header --backend %s", is_cuda ? "cuda" : "vulkan");
    print_flag(file, "--op", options->op);
    if (is_cuda) print_flag(file, "--arch", options->arch);
    if (is_cuda) print_flag(file, "--embed", options->embed);
    print_lists(file, options, !is_cuda || !(options->backends & 1u << MSW_BACKEND_VULKAN));
    print_flag(file, "--spdx", options->spdx);
    fputs(" -o .", file);
    const int failed = ferror(file);
    if (!fclose(file) && !failed) return text;
    free(text);
    return NULL;
}

/* ---- programs ---- */

static uint32_t sizes_of(const ms_options *options) { return options->subgroup_count ? options->subgroup_count : 1; }

/* The options of one of the header's programs: its code's target in place of the header. */
static ms_options options_of(const ms_options *options, uint32_t backend, uint32_t variant)
{
    ms_options o = *options;
    const int is_cuda = backend == MSW_BACKEND_CUDA;
    o.target = ms_target_find(!is_cuda ? "spirv" : o.embed ? o.embed : "cuda");
    if (is_cuda) ms_options_complete_arch(&o);
    else o.arch[0] = '\0';
    if (is_cuda && o.backends & 1u << MSW_BACKEND_VULKAN) o.subgroup_size = 0; /* the list is of Vulkan's sizes */
    else o.subgroup_size = o.subgroup_count ? o.subgroup_sizes[variant % o.subgroup_count] : 0;
    if (variant >= sizes_of(options)) o.without |= o.or_without;
    return o;
}

/* All variants of one operation after the other. */
static ms_exit make_programs(const ms_options *options, msw_spec *spec, uint32_t backend, ms_programs *programs)
{
    const uint32_t variants = backend == MSW_BACKEND_VULKAN ? sizes_of(options) * (options->or_without ? 2 : 1) : 1;
    ms_exit code = MS_EXIT_DONE;
    for (uint32_t v = 0; !code && v < variants; v++) {
        const ms_options o = options_of(options, backend, v);
        const msw_target target = ms_options_target(&o);
        ms_programs made;
        code = ms_make_programs(&o, spec, &target, &made);
        if (!code && !programs->items) programs->items = calloc(made.count * variants, sizeof *programs->items);
        if (!code && !programs->items) code = ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
        if (!code) programs->count = made.count * variants;
        for (uint32_t i = 0; !code && i < made.count; i++) {
            programs->items[i * variants + v] = made.items[i];
            made.items[i] = NULL;
        }
        ms_programs_release(&made);
    }
    return code;
}

ms_exit ms_header_make(const ms_options *options, msw_spec *spec, uint32_t backend, ms_header *header)
{
    msw_diag diag;
    msw_header_desc desc = {.struct_size = sizeof desc, .spdx = options->spdx};
    *header = (ms_header){.backend = backend == MSW_BACKEND_CUDA ? "cuda" : "vulkan"};
    const ms_exit code = make_programs(options, spec, backend, &header->programs);
    if (code) return code;
    for (uint32_t i = 0; i < header->programs.count && (backend == MSW_BACKEND_VULKAN || options->embed); i++)
        if (msw_program_compile(header->programs.items[i], &diag)) return ms_complain_diag(&diag);
    char *command = command_of(options, backend);
    if (!command) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    desc.programs = header->programs.items;
    desc.program_count = header->programs.count;
    desc.command = command;
    const msw_result result = msw_header_text(spec, &desc, &header->text, &diag);
    free(command);
    return result ? ms_complain_diag(&diag) : MS_EXIT_DONE;
}
