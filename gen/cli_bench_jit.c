/* monosweep bench --jit: how long operations take from spec to kernel. */
#include "cli_bench.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 5, SECONDS_ENOUGH = 20 };

/* What is measured of an operation, in the order of the columns. */
typedef enum phase { FIRST, GENERATOR, COMPILE, LOAD, COLD, WARM, PHASES } phase;
static const char *const phase_names[PHASES] = {"first", "generator", "compile", "load", "cold", "warm"};

typedef struct jit_times {
    msw_op_info info;
    uint32_t rounds;
    double milliseconds[PHASES][MOST_ROUNDS];
} jit_times;

typedef struct jit_bench {
    const ms_options *options;
    msw_spec *spec;             /* says which operations there are */
    msw_context *cold, *warm;   /* without and with the cache; warm NULL: there is none */
    jit_times *times;
    uint32_t count;
} jit_bench;

static double now_milliseconds(void) { return 1e3 * ms_now(); }

/* ---- measuring ---- */

/* From the spec's file to a kernel. A description takes no defines: with some the spec is read before. */
static ms_exit make_kernel(const jit_bench *b, msw_context *context, const jit_times *t, double *milliseconds)
{
    const ms_options *options = b->options;
    msw_kernel_desc desc = {.struct_size = sizeof desc, .op = t->info.name, .knobs = options->knobs, .knob_count = options->knob_count,
                            .tuning = options->tuning_text, .tuning_name = options->tuning_path};
    msw_spec *spec = NULL;
    msw_kernel *kernel = NULL;
    msw_diag diag;
    ms_exit code = MS_EXIT_DONE;
    const double start = now_milliseconds();
    if (options->define_count) code = ms_open_spec(options, &spec);
    if (spec) desc.spec = spec;
    else desc.spec_file = options->spec;
    if (!code && msw_kernel_create(context, &desc, &kernel, &diag)) code = ms_complain_diag(&diag);
    *milliseconds = now_milliseconds() - start;
    msw_kernel_destroy(kernel);
    msw_spec_destroy(spec);
    return code;
}

/* The same in its parts. */
static ms_exit make_parts(const jit_bench *b, jit_times *t, uint32_t round)
{
    ms_options options = *b->options;
    msw_spec *spec = NULL;
    msw_kernel *kernel = NULL;
    ms_programs programs = {0};
    msw_diag diag;
    options.op = t->info.name;
    double times[4] = {now_milliseconds()};
    ms_exit code = ms_open_spec(&options, &spec);
    if (!code) code = ms_make_programs(&options, spec, &msw_context_device(b->cold)->target, &programs);
    times[1] = now_milliseconds();
    if (!code && msw_program_compile(programs.items[0], &diag)) code = ms_complain_diag(&diag);
    times[2] = now_milliseconds();
    if (!code && msw_kernel_load(b->cold, msw_program_plan(programs.items[0]), &kernel, &diag)) code = ms_complain_diag(&diag);
    times[3] = now_milliseconds();
    for (int part = 0; part < 3; part++) t->milliseconds[GENERATOR + part][round] = times[part + 1] - times[part];
    msw_kernel_destroy(kernel);
    ms_programs_release(&programs);
    msw_spec_destroy(spec);
    return code;
}

static ms_exit measure_operation(const jit_bench *b, jit_times *t)
{
    const double start = now_milliseconds();
    double filling;
    ms_exit code = make_kernel(b, b->cold, t, &t->milliseconds[FIRST][0]);
    if (!code && b->warm) code = make_kernel(b, b->warm, t, &filling);
    while (!code && t->rounds < MOST_ROUNDS && (t->rounds < 1 || now_milliseconds() - start < SECONDS_ENOUGH * 1e3)) {
        const uint32_t round = t->rounds++;
        t->milliseconds[FIRST][round] = t->milliseconds[FIRST][0];
        code = make_parts(b, t, round);
        if (!code) code = make_kernel(b, b->cold, t, &t->milliseconds[COLD][round]);
        if (!code && b->warm) code = make_kernel(b, b->warm, t, &t->milliseconds[WARM][round]);
    }
    return code;
}

/* ---- results ---- */

static double median(const jit_times *t, phase p)
{
    double sorted[MOST_ROUNDS];
    memcpy(sorted, t->milliseconds[p], sizeof sorted);
    return ms_median(sorted, t->rounds);
}

static int has_phase(const jit_bench *b, int p) { return p != WARM || b->warm; }

static void print_table(const jit_bench *b)
{
    const msw_device_info *device = msw_context_device(b->cold);
    printf("milliseconds from spec to kernel on %s (%s), medians\n%-24s", device->id, device->name, "operation");
    for (int p = 0; p < PHASES; p++) printf("%11s", phase_names[p]);
    printf("%8s\n", "rounds");
    for (const jit_times *t = b->times; t < b->times + b->count; t++) {
        printf("%-24s", t->info.name);
        for (int p = 0; p < PHASES; p++)
            if (has_phase(b, p)) printf("%11.2f", median(t, (phase)p));
            else printf("%11s", "-");
        printf("%8u\n", t->rounds);
    }
}

static void print_json(const jit_bench *b)
{
    const msw_device_info *device = msw_context_device(b->cold);
    printf("[");
    for (const jit_times *t = b->times; t < b->times + b->count; t++) {
        printf("%s{\"operation\": \"%s\", \"device\": \"%s\", \"name\": ", t > b->times ? ",\n " : "", t->info.name, device->id);
        ms_print_json_string(stdout, device->name);
        printf(", \"rounds\": %u", t->rounds);
        for (int p = 0; p < PHASES; p++)
            if (has_phase(b, p)) printf(", \"%s_ms\": %.4g", phase_names[p], median(t, (phase)p));
            else printf(", \"%s_ms\": null", phase_names[p]);
        printf("}");
    }
    printf("]\n");
}

static void write_csv(FILE *file, const jit_bench *b)
{
    fprintf(file, "operation,device,rounds");
    for (int p = 0; p < PHASES; p++) fprintf(file, ",%s_ms", phase_names[p]);
    for (const jit_times *t = b->times; t < b->times + b->count; t++) {
        fprintf(file, "\n%s,%s,%u", t->info.name, msw_context_device(b->cold)->id, t->rounds);
        for (int p = 0; p < PHASES; p++)
            if (has_phase(b, p)) fprintf(file, ",%.4g", median(t, (phase)p));
            else fprintf(file, ",");
    }
    fprintf(file, "\n");
}

static ms_exit stage_csv(const jit_bench *b, ms_stage *stage)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (memory) write_csv(memory, b);
    if (!memory || fclose(memory)) {
        free(text);
        return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    }
    const ms_exit code = ms_stage_add(stage, b->options->csv, text, bytes, NULL, 0);
    return code ? code : ms_stage_commit(stage);
}

static ms_exit report(const jit_bench *b)
{
    ms_stage stage = {0};
    const ms_exit code = b->options->csv ? stage_csv(b, &stage) : MS_EXIT_DONE;
    ms_stage_release(&stage);
    if (code) return code;
    if (b->options->json) print_json(b);
    else if (!b->options->csv || strcmp(b->options->csv, "-")) print_table(b);
    return code;
}

/* ---- the command ---- */

static ms_exit open_contexts(jit_bench *b)
{
    char path[4096];
    const char *cache = ms_cache_dir(b->options, path, sizeof path);
    ms_exit code = ms_open_context(b->options, NULL, &b->cold);
    if (!code && msw_context_device(b->cold)->backend == MSW_BACKEND_HOST)
        code = ms_complain(MS_EXIT_USAGE, "bench --jit: the host oracle has no kernels to compile; choose another device");
    return !code && cache ? ms_open_context(b->options, cache, &b->warm) : code;
}

static ms_exit measure_operations(jit_bench *b)
{
    uint32_t first, end;
    ms_exit code = ms_find_operations(b->options, b->spec, &first, &end);
    if (code) return code;
    b->times = calloc(end - first + 1, sizeof *b->times);
    if (!b->times) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    for (uint32_t op = first; !code && op < end; op++) {
        jit_times *t = &b->times[b->count++];
        if (msw_spec_op(b->spec, op, &t->info)) code = ms_complain(MS_EXIT_FAILED, "operation %u cannot be read; please report it", op);
        if (!code) code = measure_operation(b, t);
    }
    return code;
}

ms_exit ms_bench_jit(const ms_options *options)
{
    jit_bench b = {.options = options};
    ms_exit code = ms_open_spec(options, &b.spec);
    if (!code) code = open_contexts(&b);
    if (!code) code = measure_operations(&b);
    if (!code) code = report(&b);
    free(b.times);
    msw_context_destroy(b.warm);
    msw_context_destroy(b.cold);
    msw_spec_destroy(b.spec);
    return code;
}
