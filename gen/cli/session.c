#include "session.h"
#include "choices.h"
#include "io/file.h"
#include "measure/tuning_file.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- specs ---- */

static void print_warning(void *user, const msw_diag *diag)
{
    const ms_options *options = user;
    if (!options->quiet) fprintf(stderr, "%s\n", diag->message);
}

static int has_pipeline(const msw_spec *spec)
{
    msw_op_info info = {.struct_size = sizeof info};
    for (uint32_t op = 0; op < msw_spec_op_count(spec); op++)
        if (!msw_spec_op(spec, op, &info) && info.stage_count) return 1;
    return 0;
}

ms_exit ms_open_spec(const ms_options *options, msw_spec **spec)
{
    msw_diag diag;
    ms_options copy = *options; /* the callback's user pointer is not const */
    const msw_spec_desc desc = {
        .struct_size = sizeof desc,
        .file = options->spec,
        .defines = options->defines,
        .define_count = options->define_count,
        .warning = print_warning,
        .warning_user = &copy,
        .op = options->op,
        .cut = options->cut,
    };
    if (msw_spec_create(&desc, spec, &diag)) return ms_complain_diag(&diag);
    if (!options->has_cut || has_pipeline(*spec)) return MS_EXIT_DONE;
    msw_spec_destroy(*spec);
    *spec = NULL;
    return ms_complain(MS_EXIT_USAGE, "--cut %s: %s has no pipeline, so there is nothing to cut; leave it out", ms_cut_name(options->cut),
                       options->spec);
}

/* with_stages: those of pipelines, too. */
static void print_names(const msw_spec *spec, int with_stages)
{
    msw_op_info info = {.struct_size = sizeof info};
    for (uint32_t i = 0; with_stages ? !msw_spec_op(spec, i, &info) : i < msw_spec_op_count(spec); i++)
        if (!msw_spec_op(spec, i, &info)) fprintf(stderr, "  --op %s%s%s\n", info.name, info.doc[0] ? "  " : "", info.doc);
}

/* Whether every knob of --set is one of the operations first .. end - 1, and its value one that it can have. A pipeline's are for its stages, of
 * which the planner knows. */
static ms_exit check_knobs(const ms_options *options, const msw_spec *spec, uint32_t first, uint32_t end)
{
    char text[MS_FAULT_BYTES];
    msw_op_info info = {.struct_size = sizeof info};
    for (uint32_t op = first; options->knob_count && op < end; op++) {
        if (msw_spec_op(spec, op, &info) || info.stage_count) continue;
        for (const msw_knob *knob = options->knobs; knob < options->knobs + options->knob_count; knob++)
            if (ms_knob_fault(info.kind, knob->name, knob->value, text))
                return ms_complain(MS_EXIT_USAGE, "%s: --set %s=%s: %s", info.name, knob->name, knob->value, text);
    }
    return MS_EXIT_DONE;
}

/* Whether `name` is one of those in "map_1 + total". */
static int has_name(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = names; at; at = strstr(at, " + "), at = at ? at + 3 : NULL)
        if (!strncmp(at, name, length) && (!at[length] || at[length] == ' ')) return 1;
    return 0;
}

/* Tells of the stages of the pipeline in which the operation is computed; told: how many of other pipelines. Returns how many with these. */
static uint32_t tell_of_stages(const ms_options *options, const msw_spec *spec, uint32_t pipeline, const char *name, uint32_t told)
{
    msw_op_info info = {.struct_size = sizeof info}, of_stage = info;
    msw_stage_info stage = {.struct_size = sizeof stage};
    for (uint32_t s = 0; !msw_spec_op(spec, pipeline, &info) && s < info.stage_count; s++) {
        if (msw_spec_stage(spec, pipeline, s, &stage) || msw_spec_op(spec, stage.op, &of_stage) || !has_name(stage.operations, name)) continue;
        if (!told++)
            ms_complain(MS_EXIT_USAGE, "%s: '%s' is an operation of a pipeline, which is computed in a stage of it; choose the stage", options->spec,
                        options->op);
        fprintf(stderr, "  --op %s  which is %s\n", of_stage.name, stage.operations);
    }
    return told;
}

/* Of an operation of pipelines, by a name with or without a pipeline's before it. Returns 1 where it is one, 0 where it is none, and -1 where it may
 * be one: the name has a pipeline's before it. */
static int tell_of_part(const ms_options *options, const msw_spec *spec)
{
    const char *dot = strchr(options->op, '.'), *name = dot ? dot + 1 : options->op;
    msw_op_info info = {.struct_size = sizeof info};
    uint32_t told = 0, pipelines = 0;
    for (uint32_t op = 0; op < msw_spec_op_count(spec); op++) {
        const uint32_t before = told;
        if (msw_spec_op(spec, op, &info) || !info.stage_count) continue;
        if (dot && (strncmp(info.name, options->op, (size_t)(dot - options->op)) || info.name[dot - options->op])) continue;
        pipelines++;
        told = tell_of_stages(options, spec, op, name, told);
        if (told > before && options->cut != MSW_CUT_UNFUSED && options->command->bit != MS_TUNE)
            fprintf(stderr, "or make it a stage of its own: --op %s.%s --cut unfused\n", info.name, name);
    }
    return told ? 1 : dot && pipelines ? -1 : 0;
}

ms_exit ms_find_operations(const ms_options *options, const msw_spec *spec, uint32_t *first, uint32_t *end)
{
    *first = 0;
    *end = msw_spec_op_count(spec);
    if (!options->op) return check_knobs(options, spec, *first, *end);
    const int index = msw_spec_find(spec, options->op);
    if (index < 0) {
        const int part = tell_of_part(options, spec);
        if (part > 0) return MS_EXIT_USAGE;
        ms_complain(MS_EXIT_USAGE, "%s has no operation '%s'; choose one of", options->spec ? options->spec : "the report", options->op);
        print_names(spec, strchr(options->op, '.') != NULL);
        if (part) fprintf(stderr, "an operation that is missing here is part of a stage; plan --compare lists stages with their operations\n");
        return MS_EXIT_USAGE;
    }
    *first = (uint32_t)index;
    *end = *first + 1;
    return check_knobs(options, spec, *first, *end);
}

ms_exit ms_find_operation(const ms_options *options, const msw_spec *spec, uint32_t *index)
{
    uint32_t end;
    const ms_exit code = ms_find_operations(options, spec, index, &end);
    if (code || end == *index + 1) return code;
    ms_complain(MS_EXIT_USAGE, "%s has %u operations; choose one with", options->spec, end);
    print_names(spec, 0);
    return MS_EXIT_USAGE;
}

ms_exit ms_read_operation(const msw_spec *spec, uint32_t index, msw_op_info *info)
{
    info->struct_size = sizeof *info;
    if (!msw_spec_op(spec, index, info)) return MS_EXIT_DONE;
    return ms_complain(MS_EXIT_FAILED, "operation %u cannot be read; please report it", index);
}

/* ---- devices ---- */

const msw_target *ms_target_of(const msw_context *context) { return &msw_context_device(context)->target; }

const char *ms_cache_dir(const ms_options *options, char *path, size_t bytes)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = -1;
    if (options->no_cache) return NULL;
    if (options->cache_dir) length = snprintf(path, bytes, "%s", options->cache_dir);
    else if (cache && cache[0] == '/') length = snprintf(path, bytes, "%s/monosweep", cache);
    else if (home && home[0] == '/') length = snprintf(path, bytes, "%s/.cache/monosweep", home);
    return length > 0 && (size_t)length < bytes ? path : NULL;
}

int ms_find_tuning(ms_options *options)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char *path = options->tuning_path;
    const size_t bytes = sizeof options->tuning_path;
    int length = -1;
    if (options->tuning) length = snprintf(path, bytes, "%s", options->tuning);
    else if (config && config[0] == '/') length = snprintf(path, bytes, "%s/monosweep/tuning.lua", config);
    else if (home && home[0] == '/') length = snprintf(path, bytes, "%s/.config/monosweep/tuning.lua", home);
    return length > 0 && (size_t)length < bytes;
}

ms_exit ms_load_tuning(ms_options *options)
{
    ms_bytes bytes;
    const int is_for_device = options->command->tuning == MS_TUNING_ALWAYS || options->device;
    if ((!options->tuning && !is_for_device) || options->command->tuning == MS_TUNING_BY_ITSELF || !ms_find_tuning(options)) return MS_EXIT_DONE;
    if (!options->tuning && access(options->tuning_path, F_OK)) return MS_EXIT_DONE;
    const ms_exit code = ms_file_read(options->tuning_path, &bytes);
    options->tuning_text = (char *)bytes.data;
    return code ? code : ms_table_judge(options->tuning_path, options->tuning_text);
}

static void print_log(void *user, const char *line)
{
    (void)user;
    fprintf(stderr, "%s\n", line);
}

msw_context_desc ms_context_desc(const ms_options *options)
{
    return (msw_context_desc){
        .struct_size = sizeof(msw_context_desc),
        .device = options->device,
        .log = options->quiet ? NULL : print_log,
        .progress = options->progress,
    };
}

ms_exit ms_open_context(const ms_options *options, const char *cache_dir, msw_context **context)
{
    msw_diag diag;
    sigset_t signals;
    msw_context_desc desc = ms_context_desc(options);
    desc.cache_dir = cache_dir;
    ms_hold_interrupts(&signals); /* from the driver's threads: the main thread is who can put them off */
    const msw_result result = msw_context_create(&desc, context, &diag);
    pthread_sigmask(SIG_SETMASK, &signals, NULL);
    return result ? ms_complain_diag(&diag) : MS_EXIT_DONE;
}

/* ---- programs ---- */

msw_target ms_options_target(const ms_options *options)
{
    return (msw_target){
        .struct_size = sizeof(msw_target),
        .backend = options->target ? options->target->backend : MSW_BACKEND_VULKAN,
        .arch = options->arch[0] ? options->arch : NULL,
        .subgroup_size = options->subgroup_size,
        .features = ~(options->without | MSW_FEATURE_UNIFORM_CONTROL_FLOW) | options->with,
        .has_features = 1,
        .progress = options->progress,
    };
}

ms_exit ms_compile_program(const ms_options *options, msw_program *program, int is_cubin)
{
    msw_diag diag;
    if (msw_program_compile(program, &diag)) return ms_complain_diag(&diag);
    const msw_plan *plan = msw_program_plan(program);
    for (uint32_t k = 0; is_cubin && k < plan->kernel_count; k++)
        if (ms_is_text(plan->kernels[k].code, plan->kernels[k].code_bytes))
            return ms_complain(MS_EXIT_USAGE, "--arch %s: NVRTC makes no cubin for it; name an architecture that it knows, or take ptx",
                               options->arch);
    return MS_EXIT_DONE;
}

ms_exit ms_make_programs(const ms_options *options, msw_spec *spec, const msw_target *target, ms_programs *programs)
{
    msw_diag diag;
    uint32_t first, end;
    *programs = (ms_programs){0};
    const ms_exit code = ms_find_operations(options, spec, &first, &end);
    if (code) return code;
    programs->items = calloc(end - first + 1, sizeof *programs->items);
    if (!programs->items) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    for (uint32_t op = first; op < end; op++, programs->count++) {
        const msw_program_desc desc = {
            .struct_size = sizeof desc,
            .op = op,
            .target = target,
            .knobs = options->knobs,
            .knob_count = options->knob_count,
            .tuning = options->tuning_text,
            .tuning_name = options->tuning_path,
        };
        if (msw_program_create(spec, &desc, &programs->items[programs->count], &diag)) return ms_complain_diag(&diag);
    }
    return MS_EXIT_DONE;
}

void ms_programs_release(ms_programs *programs)
{
    for (uint32_t i = 0; i < programs->count; i++) msw_program_destroy(programs->items[i]);
    free(programs->items);
    *programs = (ms_programs){0};
}

/* ---- dumps ---- */

static void dump_source(const msw_plan *plan)
{
    for (uint32_t i = 0; i < plan->kernel_count; i++) {
        const msw_plan_kernel *kernel = &plan->kernels[i];
        if (plan->kernel_count > 1) printf("// ---- %s, kernel %u of %u: %s\n", plan->name, i + 1, plan->kernel_count, kernel->entry);
        ms_print_text(stdout, kernel->text ? kernel->text : "// no text");
    }
}

int ms_is_text(const void *code, size_t bytes) { return bytes > 0 && memchr(code, '\0', bytes) == (const char *)code + bytes - 1; }

/* As C arrays of words: several kernels stay apart, and a terminal survives it. */
static void dump_binary(const msw_plan *plan)
{
    for (uint32_t i = 0; i < plan->kernel_count; i++) {
        const msw_plan_kernel *kernel = &plan->kernels[i];
        if (ms_is_text(kernel->code, kernel->code_bytes)) {
            printf("// ---- %s, kernel %u of %u: %s\n", plan->name, i + 1, plan->kernel_count, kernel->entry);
            ms_print_text(stdout, kernel->code);
            continue;
        }
        const size_t words = kernel->code_bytes / 4;
        printf("static const uint32_t %s_%s[%zu] = {", plan->name, kernel->entry, words);
        for (size_t w = 0; w < words; w++) {
            uint32_t word;
            memcpy(&word, (const char *)kernel->code + 4 * w, 4);
            printf("%s0x%08x,", w % 8 ? " " : "\n    ", word);
        }
        printf("\n};\n");
    }
}

ms_exit ms_dump(const char *stage, const msw_spec *spec, const ms_programs *programs)
{
    msw_diag diag;
    const int is_binary = !strcmp(stage, "binary");
    if (!strcmp(stage, "spec")) return ms_print_text(stdout, msw_spec_json(spec)), MS_EXIT_DONE;
    for (uint32_t i = 0; is_binary && i < programs->count; i++)
        if (msw_program_compile(programs->items[i], &diag)) return ms_complain_diag(&diag);
    for (uint32_t i = 0; i < programs->count; i++) {
        const msw_program *program = programs->items[i];
        if (is_binary) dump_binary(msw_program_plan(program));
        else if (!strcmp(stage, "plan")) ms_print_text(stdout, msw_program_json(program));
        else dump_source(msw_program_plan(program));
    }
    return MS_EXIT_DONE;
}
