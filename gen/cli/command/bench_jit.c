/* monosweep bench --jit: how long operations take from spec to kernel. */
#include "bench.h"
#include "cli/io/file.h"
#include "cli/measure/measure.h"
#include "cli/session.h"

#include <monosweep/monosweep_measure.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 5, SECONDS_ENOUGH = 20, USUAL_N = 1 << 24 };

/* What is measured of an operation, in the order of the columns. */
typedef enum phase { FIRST, GENERATOR, COMPILE, LOAD, COLD, WARM, NEEDED, PHASES } phase;
static const char *const phase_names[PHASES] = {"first", "generator", "compile", "load", "cold", "warm", "needed"};

/* Processor time of the compiler. CUDA: to_ptx is its front end and NVVM, and what to_code takes beyond that is ptxas; else to_ptx is 0. */
typedef struct kernel_times {
    char name[128];
    double to_ptx[MOST_ROUNDS], to_code[MOST_ROUNDS];
} kernel_times;

typedef struct jit_times {
    msw_op_info info;
    uint32_t rounds;
    double milliseconds[PHASES][MOST_ROUNDS];
    kernel_times kernels[MSW_MAX_KERNELS];
    uint32_t kernel_count;
    uint64_t most_n;                    /* that the plan serves */
    int is_cold_cached, is_warm_cached; /* 1: every such kernel came from monosweep's cache */
} jit_times;

typedef struct jit_bench {
    const ms_options *options;
    msw_spec *spec;           /* says which operations there are */
    msw_context *cold, *warm; /* without and with the cache; warm NULL: there is none */
    char cache_dir[4096];     /* of warm */
    jit_times *times;
    uint32_t count;    /* of the times that there are */
    uint32_t op_count; /* of those to measure */
    uint64_t n;        /* whose kernels alone are needed */
} jit_bench;

static double now_milliseconds(void) { return 1e3 * ms_now(); }

/* ---- measuring ---- */

/* From the spec's file to a kernel. A description takes no defines: with some the spec is read before. first_n: as of msw_kernel_desc; the others are
 * left alone. */
static ms_exit make_kernel(const jit_bench *b, msw_context *context, const jit_times *t, uint64_t first_n, double *milliseconds, int *is_cached)
{
    const ms_options *options = b->options;
    msw_kernel_desc desc = {.struct_size = sizeof desc,
                            .op = t->info.name,
                            .knobs = options->knobs,
                            .knob_count = options->knob_count,
                            .tuning = options->tuning_text,
                            .tuning_name = options->tuning_path,
                            .first_n = first_n,
                            .rest = MSW_REST_WHEN_ASKED};
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
    *is_cached = msw_kernel_is_cached(kernel);
    msw_kernel_destroy(kernel);
    msw_spec_destroy(spec);
    return code;
}

static void note_kernels(jit_times *t, const msw_program *program, int is_ptx, uint32_t round)
{
    const msw_plan *plan = msw_program_plan(program);
    t->kernel_count = plan->kernel_count;
    t->most_n = plan->variants[plan->variant_count - 1].n_max;
    for (uint32_t k = 0; k < plan->kernel_count; k++) {
        const double milliseconds = 1e3 * msw_program_compile_seconds(program, k);
        snprintf(t->kernels[k].name, sizeof t->kernels[k].name, "%s", plan->kernels[k].entry);
        (is_ptx ? t->kernels[k].to_ptx : t->kernels[k].to_code)[round] = milliseconds;
    }
}

/* CUDA: the same kernels, for the same architecture, to PTX only. */
static ms_exit make_ptx(const jit_bench *b, msw_spec *spec, const ms_options *options, jit_times *t, uint32_t round)
{
    msw_target target = msw_context_device(b->cold)->target;
    ms_programs programs = {0};
    char arch[32];
    msw_diag diag;
    if (target.backend != MSW_BACKEND_CUDA || !target.arch || strncmp(target.arch, "sm_", 3) != 0) return MS_EXIT_DONE;
    snprintf(arch, sizeof arch, "compute_%s", target.arch + 3);
    target.arch = arch;
    ms_exit code = ms_make_programs(options, spec, &target, &programs);
    if (!code && msw_program_compile(programs.items[0], &diag)) code = ms_complain_diag(&diag);
    if (!code) note_kernels(t, programs.items[0], 1, round);
    ms_programs_release(&programs);
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
    if (!code) code = make_ptx(b, spec, &options, t, round);
    if (!code) note_kernels(t, programs.items[0], 0, round);
    msw_kernel_destroy(kernel);
    ms_programs_release(&programs);
    msw_spec_destroy(spec);
    return code;
}

/* done: of this operation's rounds, as many as there are at most. */
static void show(const jit_bench *b, const jit_times *t, uint32_t done)
{
    const double share = (double)(t - b->times) + (double)done / MOST_ROUNDS;
    ms_show_progress(b->options->quiet, share / b->op_count, "%s: compiling, round %u", t->info.name, done + 1);
}

static ms_exit measure_operation(const jit_bench *b, jit_times *t)
{
    const double start = now_milliseconds();
    double filling;
    int is_cached = 0;
    show(b, t, 0);
    ms_exit code = make_kernel(b, b->cold, t, 0, &t->milliseconds[FIRST][0], &is_cached);
    if (!code && b->warm) code = make_kernel(b, b->warm, t, 0, &filling, &is_cached);
    t->is_cold_cached = t->is_warm_cached = 1;
    while (!code && t->rounds < MOST_ROUNDS && (t->rounds < 1 || now_milliseconds() - start < SECONDS_ENOUGH * 1e3)) {
        const uint32_t round = t->rounds++;
        show(b, t, round);
        t->milliseconds[FIRST][round] = t->milliseconds[FIRST][0];
        code = make_parts(b, t, round);
        if (!code) code = make_kernel(b, b->cold, t, 0, &t->milliseconds[COLD][round], &is_cached);
        t->is_cold_cached &= is_cached;
        if (!code && b->warm) code = make_kernel(b, b->warm, t, 0, &t->milliseconds[WARM][round], &is_cached);
        t->is_warm_cached &= is_cached;
        if (!code) code = make_kernel(b, b->cold, t, b->n < t->most_n ? b->n : t->most_n, &t->milliseconds[NEEDED][round], &is_cached);
    }
    return code;
}

/* ---- results ---- */

static double median_of(const double *values, uint32_t count)
{
    double sorted[MOST_ROUNDS];
    memcpy(sorted, values, sizeof sorted);
    return ms_median(sorted, count);
}

static double median(const jit_times *t, phase p) { return median_of(t->milliseconds[p], t->rounds); }

static int has_phase(const jit_bench *b, int p) { return p != WARM || b->warm; }

static const char *cache_name(int is_cached) { return is_cached ? "monosweep" : "none"; }

static int is_cuda(const jit_bench *b) { return msw_context_device(b->cold)->backend == MSW_BACKEND_CUDA; }

static void print_kernels(const jit_bench *b)
{
    printf("\nthe compiler's milliseconds of processor time, by kernel, medians\n%-32s", "kernel");
    if (is_cuda(b)) printf("%11s%11s", "NVVM", "ptxas");
    printf("%11s\n", "together");
    for (const jit_times *t = b->times; t < b->times + b->count; t++)
        for (const kernel_times *k = t->kernels; k < t->kernels + t->kernel_count; k++) {
            const double to_ptx = median_of(k->to_ptx, t->rounds), to_code = median_of(k->to_code, t->rounds);
            printf("%-32s", k->name);
            if (is_cuda(b) && to_ptx > 0) printf("%11.1f%11.1f", to_ptx, to_code > to_ptx ? to_code - to_ptx : 0);
            else if (is_cuda(b)) printf("%11s%11s", "-", "-");
            printf("%11.1f\n", to_code);
        }
}

static void print_caches(const jit_bench *b)
{
    int is_cold_cached = 0, is_warm_cached = 1;
    for (const jit_times *t = b->times; t < b->times + b->count; t++) {
        is_cold_cached |= t->is_cold_cached;
        is_warm_cached &= t->is_warm_cached;
    }
    printf("\ncaches: cold %s (%s off); ", cache_name(is_cold_cached), is_cuda(b) ? "NVRTC's and the driver's are" : "the driver's is");
    if (b->warm) printf("warm %s, in %s\n", is_warm_cached ? "monosweep's" : "none: monosweep's had not all kernels", b->cache_dir);
    else printf("without monosweep's there is no warm\n");
}

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
    printf("needed: cold, the kernels that n = %llu launches\n", (unsigned long long)b->n);
    print_kernels(b);
    print_caches(b);
}

static void print_json_kernels(const jit_times *t)
{
    for (const kernel_times *k = t->kernels; k < t->kernels + t->kernel_count; k++) {
        const double to_ptx = median_of(k->to_ptx, t->rounds);
        printf("%s{\"kernel\": \"%s\", \"to_ptx_ms\": ", k > t->kernels ? ", " : "", k->name);
        if (to_ptx > 0) printf("%.4g", to_ptx);
        else printf("null");
        printf(", \"to_code_ms\": %.4g}", median_of(k->to_code, t->rounds));
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
        printf(", \"needed_n\": %llu, \"cold_cache\": \"%s\", \"warm_cache\": \"%s\", \"kernels\": [", (unsigned long long)b->n,
               cache_name(t->is_cold_cached), cache_name(b->warm && t->is_warm_cached));
        print_json_kernels(t);
        printf("]}");
    }
    printf("]\n");
}

/* A row of an operation has no kernel and no times of kernels; those of its kernels follow. */
static void write_csv(FILE *file, const jit_bench *b)
{
    const char *device = msw_context_device(b->cold)->id;
    fprintf(file, "operation,device,rounds");
    for (int p = 0; p < PHASES; p++) fprintf(file, ",%s_ms", phase_names[p]);
    fprintf(file, ",cold_cache,warm_cache,kernel,to_ptx_ms,to_code_ms");
    for (const jit_times *t = b->times; t < b->times + b->count; t++) {
        fprintf(file, "\n%s,%s,%u", t->info.name, device, t->rounds);
        for (int p = 0; p < PHASES; p++)
            if (has_phase(b, p)) fprintf(file, ",%.4g", median(t, (phase)p));
            else fprintf(file, ",");
        fprintf(file, ",%s,%s,,,", cache_name(t->is_cold_cached), cache_name(b->warm && t->is_warm_cached));
        for (const kernel_times *k = t->kernels; k < t->kernels + t->kernel_count; k++) {
            const double to_ptx = median_of(k->to_ptx, t->rounds);
            fprintf(file, "\n%s,%s,%u,,,,,,,,,,%s,", t->info.name, device, t->rounds, k->name);
            if (to_ptx > 0) fprintf(file, "%.4g", to_ptx);
            fprintf(file, ",%.4g", median_of(k->to_code, t->rounds));
        }
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

/* Drivers keep what they compile on the disk: PTX, shaders. They are told before they are opened. (NVRTC's own cache is off in any case.) */
static void turn_off_drivers_caches(void)
{
    static const char *const variables[][2] = {
        {"CUDA_CACHE_DISABLE", "1"}, {"__GL_SHADER_DISK_CACHE", "0"}, {"MESA_SHADER_CACHE_DISABLE", "true"}, {"MESA_GLSL_CACHE_DISABLE", "true"}};
    for (size_t v = 0; v < sizeof variables / sizeof *variables; v++) setenv(variables[v][0], variables[v][1], 1);
}

static ms_exit open_contexts(jit_bench *b)
{
    const char *cache = ms_cache_dir(b->options, b->cache_dir, sizeof b->cache_dir);
    turn_off_drivers_caches();
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
    b->op_count = end - first;
    b->times = calloc(end - first + 1, sizeof *b->times);
    if (!b->times) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    for (uint32_t op = first; !code && op < end; op++) {
        jit_times *t = &b->times[b->count++];
        code = ms_read_operation(b->spec, op, &t->info);
        if (!code) code = measure_operation(b, t);
    }
    ms_clear_progress(b->options->quiet);
    return code;
}

ms_exit ms_bench_jit(const ms_options *options)
{
    jit_bench b = {.options = options, .n = USUAL_N};
    uint64_t sizes[MS_MAX_SIZES];
    if (options->sizes) b.n = sizes[ms_parse_sizes(options->sizes, sizes) - 1];
    b.n += !b.n; /* msw_kernel_desc.first_n 0 are all kernels */
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
