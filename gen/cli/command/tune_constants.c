/* monosweep tune --constants: measures what the model of pipelines' cuts needs to know of a device, and writes it as a row of the user's tuning
 * table. Each constant is the one by which the model predicts what an operation of constants.lua takes: the model itself is the library's alone. */
#include "tune_constants.h"
#include "cli/measure/sheet.h"
#include "cli/measure/tuning_file.h"
#include "cli/pages.h"
#include "cli/session.h"
#include "units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double most_oracle_seconds = 2, most_measure_seconds = 0.5, default_budget = 25;

enum { VERIFIED_ITEMS = 1 << 12, PASSES = 3, BISECTIONS = 48 };

/* An operation at one n, and the constant that its time tells. */
typedef struct probe {
    const char *operation, *constant;
    uint32_t log2_on_cpu, log2_on_gpu; /* of n; 0: it is not measured there */
    double least, most;                /* of the constant */
} probe;

/* On processors a run takes about a millisecond: short enough that other work does not interrupt every run. */
static const probe probes[] = {
    {"copy", "launch_seconds", 4, 8, 0, 1},
    {"copy", "bandwidth", 15, 26, 1e3, 1e15},
    {"work", "issue_rate", 13, 24, 1e3, 1e18},
    {"reduce", "reduce_instructions", 15, 0, 0, 1e6},
    {"scan", "scan_instructions", 15, 0, 0, 1e6},
    {"scan", "look_back_seconds", 0, 26, 0, 1e-3},
    {"compact", "compact_instructions", 15, 0, 0, 1e6},
    {"sort", "pass_instructions", 12, 24, 0, 1e6},
};
enum { PROBES = sizeof probes / sizeof *probes };

typedef struct constant {
    const char *name;
    double value;
} constant;

/* What a processor has not, or in one way. */
static const constant of_processors[] = {{"is_serial", 1},         {"max_resident_blocks", 1},    {"block_bandwidth", 0}, {"tile_seconds", 0},
                                         {"look_back_seconds", 0}, {"next_look_back_seconds", 0}, {"registers", 0}};
enum { OF_PROCESSORS = sizeof of_processors / sizeof *of_processors, MOST_CONSTANTS = 1 + PROBES + OF_PROCESSORS }; /* 1: multiprocessors */

typedef struct measuring {
    const ms_options *options;
    msw_context *context;
    msw_spec *spec;
    ms_workload *workload;
    char backend[16]; /* as rows call it */
    double start, budget;
    constant constants[MOST_CONSTANTS];
    uint32_t constant_count;
    double seconds[PROBES]; /* measured; 0: not */
    uint64_t n[PROBES];
} measuring;

/* A new one where there is none, which `begin` makes: MOST_CONSTANTS are all that it can make. */
static double *find(measuring *m, const char *name)
{
    for (uint32_t c = 0; c < m->constant_count; c++)
        if (!strcmp(m->constants[c].name, name)) return &m->constants[c].value;
    m->constants[m->constant_count].name = name;
    return &m->constants[m->constant_count++].value;
}

/* ---- times ---- */

static ms_exit measure_opened(ms_workload *s, uint64_t n, double deadline, double *seconds)
{
    const uint64_t verified = n < VERIFIED_ITEMS ? n : VERIFIED_ITEMS;
    msw_diag diag;
    ms_exit code = ms_workload_open(s, n);
    ms_way *way = code ? NULL : ms_workload_add_kernel(s, "default", NULL, 0, &diag);
    if (!code && !way) code = ms_complain_diag(&diag);
    if (!code) code = ms_workload_expect(s, verified, most_oracle_seconds);
    if (code) return code;
    ms_way_verify(s, way, verified, 0);
    if (!strcmp(way->result, "wrong") || !strcmp(way->result, "failed"))
        return ms_complain(MS_EXIT_FAILED, "%s: the device does not give right results, so its times mean nothing", s->info.name);
    do { /* other work makes a device slower, nothing makes it faster */
        ms_workload_measure(s, n, MS_MAX_ROUNDS, most_measure_seconds);
        if (*seconds <= 0 || way->least < *seconds) *seconds = way->least;
    } while (*seconds > 0 && ms_now() < deadline);
    return *seconds > 0 ? MS_EXIT_DONE : ms_complain(MS_EXIT_FAILED, "%s: it could not be measured", s->info.name);
}

static ms_exit measure(measuring *m, uint32_t p)
{
    const int op = msw_spec_find(m->spec, probes[p].operation);
    ms_workload *s = m->workload;
    *s = (ms_workload){.options = m->options, .context = m->context, .spec = m->spec, .op = (uint32_t)op, .entropy = ms_entropies};
    const uint32_t log2 = ms_target_of(m->context)->is_cpu ? probes[p].log2_on_cpu : probes[p].log2_on_gpu;
    uint64_t n = (uint64_t)1 << log2;
    ms_exit code = ms_read_operation(m->spec, (uint32_t)op, &s->info);
    if (code || !log2) return code;
    while (n > VERIFIED_ITEMS && (!ms_workload_fits(s, n) || !ms_workload_served(s, &n, 1, NULL))) n /= 2;
    m->n[p] = n;
    ms_show_progress(m->options->quiet, (double)p / PROBES, "%s: n = %llu", probes[p].operation, (unsigned long long)n);
    code = measure_opened(s, n, m->start + m->budget * (p + 1) / PROBES, &m->seconds[p]);
    ms_workload_release(s);
    return code;
}

/* ---- the row ---- */

static void write_row(const measuring *m, FILE *file)
{
    const msw_device_info *device = msw_context_device(m->context);
    fprintf(file, "row { backend = \"%s\", ", m->backend);
    if (device->target.arch) fprintf(file, "arch = \"%s\", ", device->target.arch);
    fputs("class = \"device\", device = \"", file);
    for (const char *c = device->target.device; *c; c++) putc(*c == '"' || *c == '\\' || (unsigned char)*c < 0x20 ? '?' : *c, file);
    fputs("\", constants = {", file);
    for (uint32_t c = 0; c < m->constant_count; c++) fprintf(file, "%s %s = %.4g", c ? "," : "", m->constants[c].name, m->constants[c].value);
    fputs(" }", file);
}

/* malloc'd. */
static ms_exit make_row(const measuring *m, int is_last, char **row)
{
    const time_t now = time(NULL);
    struct tm utc;
    char date[16] = "";
    size_t bytes;
    FILE *file = open_memstream(row, &bytes);
    if (!file) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    write_row(m, file);
    if (is_last && gmtime_r(&now, &utc) && strftime(date, sizeof date, "%Y-%m-%d", &utc))
        fprintf(file, ", figure = \"tune --constants\", date = \"%s\"", date);
    fputs(" }\n", file);
    return fclose(file) ? ms_complain(MS_EXIT_FAILED, "out of memory; close other programs") : MS_EXIT_DONE;
}

/* ---- constants ---- */

/* What the probe takes by the model, with the constants as they are. */
static ms_exit predict(measuring *m, uint32_t p, double *seconds)
{
    char *row = NULL;
    msw_diag diag;
    ms_exit code = make_row(m, 0, &row);
    const msw_program_desc desc = {
        .struct_size = sizeof desc, .op = (uint32_t)msw_spec_find(m->spec, probes[p].operation), .target = ms_target_of(m->context), .tuning = row};
    if (!code && msw_spec_predict(m->spec, &desc, m->n[p], seconds, &diag)) code = ms_complain_diag(&diag);
    free(row);
    return code;
}

/* By halves: rates shorten times, all else makes them longer. What is out of reach becomes the least or the most. */
static ms_exit fit(measuring *m, uint32_t p)
{
    const probe *of = &probes[p];
    const int is_rate = of->least > 0;
    double *value = find(m, of->constant), least = of->least, most = of->most, seconds = 0;
    ms_exit code = MS_EXIT_DONE;
    for (int i = 0; i < BISECTIONS && !code; i++) {
        *value = is_rate ? sqrt(least * most) : (least + most) / 2;
        code = predict(m, p, &seconds);
        if ((seconds > m->seconds[p]) == is_rate) least = *value;
        else most = *value;
    }
    return code;
}

/* All constants: what is known of the device, and what is to be fitted. */
static void begin(measuring *m)
{
    const msw_target *target = ms_target_of(m->context);
    if (target->compute_units) *find(m, "multiprocessors") = target->compute_units;
    for (uint32_t p = 0; p < PROBES; p++)
        if (m->seconds[p] > 0) *find(m, probes[p].constant) = probes[p].least > 0 ? 1e12 : 0;
    for (int c = 0; target->is_cpu && c < OF_PROCESSORS; c++) *find(m, of_processors[c].name) = of_processors[c].value;
}

/* Each constant is the one that fits when the others are what they are; so several times. */
static ms_exit fit_all(measuring *m)
{
    ms_exit code = MS_EXIT_DONE;
    begin(m);
    for (int pass = 0; pass < PASSES; pass++)
        for (uint32_t p = 0; p < PROBES && !code; p++)
            if (m->seconds[p] > 0) code = fit(m, p);
    return code;
}

/* ---- the command ---- */

static ms_exit show(measuring *m)
{
    char unit[MS_UNIT_BYTES];
    double predicted;
    const int is_json = m->options->json;
    int count = 0;
    if (is_json) printf("[");
    for (uint32_t p = 0; p < PROBES; p++) {
        if (m->seconds[p] <= 0) continue;
        const ms_exit code = predict(m, p, &predicted);
        if (code) return code;
        if (is_json)
            printf("%s{\"operation\": \"%s\", \"n\": %llu, \"us\": %.6g, \"predicted_us\": %.6g, \"constant\": \"%s\", \"value\": %.4g}",
                   count++ ? ",\n " : "", probes[p].operation, (unsigned long long)m->n[p], 1e6 * m->seconds[p], 1e6 * predicted, probes[p].constant,
                   *find(m, probes[p].constant));
        else
            printf("%-8s n = %-9llu %10s: %s = %.4g\n", probes[p].operation, (unsigned long long)m->n[p], ms_format_unit(m->seconds[p], "s", unit),
                   probes[p].constant, *find(m, probes[p].constant));
    }
    if (is_json) printf("]\n");
    else printf("written into %s\n", m->options->tuning_path);
    return MS_EXIT_DONE;
}

static ms_exit open_spec(measuring *m)
{
    char *text = NULL;
    size_t bytes;
    msw_diag diag;
    const ms_exit code = ms_lua_make("gen/cli/measure/constants.lua", "spec", NULL, NULL, 0, MS_EXIT_FAILED, &text, &bytes);
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text, .file = "constants"};
    const msw_result result = code ? MSW_OK : msw_spec_create(&desc, &m->spec, &diag);
    free(text);
    return code ? code : result ? ms_complain_diag(&diag) : MS_EXIT_DONE;
}

static ms_exit name_backend(measuring *m)
{
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = ms_target_of(m->context)};
    msw_tuning_class class_ = {.struct_size = sizeof class_};
    msw_program *program = NULL;
    msw_diag diag;
    ms_exit code = MS_EXIT_DONE;
    if (msw_program_create(m->spec, &desc, &program, &diag) || msw_program_tuning_class(program, &class_, &diag)) code = ms_complain_diag(&diag);
    else snprintf(m->backend, sizeof m->backend, "%s", class_.backend);
    msw_program_destroy(program);
    return code;
}

static ms_exit find_constants(measuring *m)
{
    char *row = NULL;
    ms_exit code = name_backend(m);
    for (uint32_t p = 0; p < PROBES && !code; p++) code = measure(m, p);
    ms_clear_progress(m->options->quiet);
    if (!code) code = fit_all(m);
    if (!code) code = make_row(m, 1, &row);
    if (!code) code = ms_table_update(m->options->tuning_path, row);
    free(row);
    return code ? code : show(m);
}

ms_exit ms_tune_constants(const ms_options *options)
{
    char path[4096];
    measuring m = {.options = options,
                   .workload = calloc(1, sizeof *m.workload),
                   .start = ms_now(),
                   .budget = options->budget > 0 ? options->budget : default_budget};
    if (!m.workload) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    ms_exit code = open_spec(&m);
    if (!code) code = ms_open_context(options, ms_cache_dir(options, path, sizeof path), &m.context);
    if (!code && msw_context_device(m.context)->backend == MSW_BACKEND_HOST)
        code = ms_complain(MS_EXIT_USAGE, "tune: the host oracle has no constants; choose another device");
    if (!code) code = find_constants(&m);
    msw_context_destroy(m.context);
    msw_spec_destroy(m.spec);
    free(m.workload);
    return code;
}
