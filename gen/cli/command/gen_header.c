#include "gen_header.h"
#include "cli/values.h"

#include <stdlib.h>
#include <string.h>

static int has(uint32_t backends, uint32_t backend) { return (backends >> backend & 1u) != 0; }

static int is_plans(const ms_options *options) { return !strcmp(options->target->name, "plans"); }

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
    for (uint32_t f = 0; msw_feature_name(f); f++)
        if (bits >> f & 1u) fprintf(file, "%s%s", between, msw_feature_name(f)), between = ",";
}

static void print_lists(FILE *file, const ms_options *options, int is_vulkan)
{
    static const char *const models[] = {NULL, "parallel", "occupancy", "none"};
    for (uint32_t i = 0; is_vulkan && i < options->subgroup_count; i++) fprintf(file, "%s%u", i ? "," : " --subgroup ", options->subgroup_sizes[i]);
    print_features(file, "--without", options->without);
    if (is_vulkan) print_features(file, "--or-without", options->or_without);
    print_flag(file, "--progress-model", models[options->progress]);
    if (options->cut) print_flag(file, "--cut", ms_cut_name(options->cut));
    for (uint32_t i = 0; i < options->define_count; i++) print_pair(file, "-D", options->defines[i].name, options->defines[i].value);
    for (uint32_t i = 0; i < options->knob_count; i++) print_pair(file, "--set", options->knobs[i].name, options->knobs[i].value);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Whatever order the options came in, and wherever the spec is; free it. NULL: out of memory. */
static char *command_of(const ms_options *options, uint32_t backends)
{
    const int is_cuda = has(backends, MSW_BACKEND_CUDA), is_vulkan = has(backends, MSW_BACKEND_VULKAN);
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    if (!file) return NULL;
    fputs("monosweep gen ", file);
    print_word(file, base_name(options->spec));
    fprintf(file, " --target %s --backend %s", options->target->name, !is_cuda ? "vulkan" : is_vulkan ? "vulkan,cuda" : "cuda");
    print_flag(file, "--op", options->op);
    if (is_cuda) print_flag(file, "--arch", options->arch);
    if (is_cuda) print_flag(file, "--embed", options->embed);
    print_lists(file, options, is_vulkan || !has(options->backends, MSW_BACKEND_VULKAN));
    if (options->tuning) print_flag(file, "--tuning", base_name(options->tuning));
    print_flag(file, "--spdx", options->spdx);
    fputs(" -o .", file);
    const int failed = ferror(file);
    if (!fclose(file) && !failed) return text;
    free(text);
    return NULL;
}

/* ---- programs ---- */

static uint32_t sizes_of(const ms_options *options) { return options->subgroup_count ? options->subgroup_count : 1; }

/* Variants of an operation. */
static uint32_t variants_of(const ms_options *options, uint32_t backend)
{
    return backend == MSW_BACKEND_VULKAN ? sizes_of(options) * (options->or_without ? 2 : 1) : 1;
}

/* The options of one of the header's programs: its code's target in place of the header. */
static ms_options options_of(const ms_options *options, uint32_t backend, uint32_t variant)
{
    ms_options o = *options;
    const int is_cuda = backend == MSW_BACKEND_CUDA;
    o.target = ms_target_find(!is_cuda ? "spirv" : o.embed ? o.embed : "cuda");
    if (is_cuda) ms_options_complete_arch(&o);
    else o.arch[0] = '\0';
    if (is_cuda && has(o.backends, MSW_BACKEND_VULKAN)) o.subgroup_size = 0; /* the list is of Vulkan's sizes */
    else o.subgroup_size = o.subgroup_count ? o.subgroup_sizes[variant % o.subgroup_count] : 0;
    if (variant >= sizes_of(options)) o.without |= o.or_without;
    else o.with = o.or_without & MSW_FEATURE_UNIFORM_CONTROL_FLOW;
    if (!is_cuda && o.subgroup_size == 1 && is_plans(options)) o.without |= MSW_FEATURE_LONG_LOOPS;
    return o;
}

/* The variant for every device: of the programs those that need no optional feature replace those that use some. */
static void take_bare(const ms_options *options, msw_spec *spec, msw_target target, ms_programs *programs)
{
    msw_diag diag;
    target.features = 0;
    for (uint32_t i = 0; i < programs->count; i++) {
        msw_program_desc desc = {.struct_size = sizeof desc,
                                 .target = &target,
                                 .knobs = options->knobs,
                                 .knob_count = options->knob_count,
                                 .tuning = options->tuning_text,
                                 .tuning_name = options->tuning_path};
        msw_program *bare;
        desc.op = (uint32_t)msw_spec_find(spec, msw_program_plan(programs->items[i])->name);
        if (msw_program_create(spec, &desc, &bare, &diag)) continue;
        msw_program_destroy(programs->items[i]);
        programs->items[i] = bare;
    }
}

/* All variants of one operation after the other. */
static ms_exit make_programs(const ms_options *options, msw_spec *spec, uint32_t backend, ms_programs *programs)
{
    const uint32_t variants = variants_of(options, backend);
    ms_exit code = MS_EXIT_DONE;
    for (uint32_t v = 0; !code && v < variants; v++) {
        const ms_options o = options_of(options, backend, v);
        const msw_target target = ms_options_target(&o);
        ms_programs made;
        code = ms_make_programs(&o, spec, &target, &made);
        if (!code && backend == MSW_BACKEND_VULKAN && o.subgroup_size == 1 && is_plans(options)) take_bare(options, spec, target, &made);
        if (!code && !programs->items) programs->items = calloc((size_t)made.count * variants, sizeof *programs->items);
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

/* Those of all backends, compiled where they are to be; one operation's after the other's. */
static ms_exit make_all(const ms_options *options, msw_spec *spec, uint32_t backends, ms_programs *all)
{
    static const uint32_t kinds[] = {MSW_BACKEND_VULKAN, MSW_BACKEND_CUDA};
    ms_programs parts[2] = {{NULL, 0}, {NULL, 0}};
    ms_exit code = MS_EXIT_DONE;
    for (int b = 0; !code && b < 2; b++)
        if (has(backends, kinds[b])) code = make_programs(options, spec, kinds[b], &parts[b]);
    for (int b = 0; b < 2; b++)
        for (uint32_t i = 0; !code && i < parts[b].count && (kinds[b] == MSW_BACKEND_VULKAN || options->embed); i++)
            code = ms_compile_program(options, parts[b].items[i], kinds[b] == MSW_BACKEND_CUDA && !strcmp(options->embed, "cubin"));
    if (!code) all->items = calloc(parts[0].count + parts[1].count, sizeof *all->items);
    if (!code && !all->items) code = ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    for (uint32_t taken[2] = {0, 0}; !code && (taken[0] < parts[0].count || taken[1] < parts[1].count);)
        for (int b = 0; b < 2; b++)
            for (uint32_t v = 0; v < variants_of(options, kinds[b]) && taken[b] < parts[b].count; v++) {
                all->items[all->count++] = parts[b].items[taken[b]];
                parts[b].items[taken[b]++] = NULL;
            }
    ms_programs_release(&parts[0]);
    ms_programs_release(&parts[1]);
    return code;
}

/* What plans are made for without further flags: the usual subgroups, then every device; code that CUDA's driver takes on all of them. */
static void complete_plans(ms_options *options, uint32_t backends)
{
    static const uint32_t sizes[] = {32, 64, 1};
    if (!options->embed && has(backends, MSW_BACKEND_CUDA)) options->embed = "ptx";
    if (options->subgroup_count || !has(backends, MSW_BACKEND_VULKAN)) return;
    memcpy(options->subgroup_sizes, sizes, sizeof sizes);
    options->subgroup_count = sizeof sizes / sizeof *sizes;
    options->subgroup_size = sizes[0];
}

ms_exit ms_header_make(const ms_options *options, msw_spec *spec, uint32_t backends, ms_header *header)
{
    ms_options o = *options;
    msw_diag diag;
    msw_header_desc desc = {.struct_size = sizeof desc, .spdx = options->spdx};
    *header = (ms_header){.part = is_plans(options) ? "plans" : has(backends, MSW_BACKEND_CUDA) ? "cuda" : "vulkan"};
    if (is_plans(options)) complete_plans(&o, backends);
    const ms_exit code = make_all(&o, spec, backends, &header->programs);
    if (code) return code;
    char *command = command_of(&o, backends);
    if (!command) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    desc.programs = header->programs.items;
    desc.program_count = header->programs.count;
    desc.command = command;
    desc.form = is_plans(options) ? MSW_HEADER_PLANS : MSW_HEADER_VENDORED;
    msw_result result = msw_header_text(spec, &desc, &header->text, &diag);
    desc.form = MSW_HEADER_PLANS_SOURCE;
    if (!result && is_plans(options)) result = msw_header_text(spec, &desc, &header->source, &diag);
    free(command);
    return result ? ms_complain_diag(&diag) : MS_EXIT_DONE;
}
