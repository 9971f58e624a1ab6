/* monosweep tune: searches knobs for operations on a device, and keeps what is right and faster as rows of the user's tuning table. */
#include "tune_constants.h"
#include "commands.h"
#include "cli/io/file.h"
#include "cli/measure/tune_search.h"
#include "cli/measure/tuning_file.h"
#include "cli/session.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double default_budget = 60, most_oracle_seconds = 20, most_other_oracle_seconds = 2;

/* A row is written when it is so much faster than the default, twice, each time beyond what chance does (ms_gain_of), and for no other n certainly
 * slower than this. */
static const double least_row_gain = 1.02, least_gain_elsewhere = 0.9;

enum { LAST_ROUNDS = 31, ROUNDS_ELSEWHERE = 15 };

/* ---- rows ---- */

/* Text of a string literal: what cannot stand there becomes a blank. */
static void append_quoted(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text; text++) putc(*text == '"' || *text == '\\' || (unsigned char)*text < 0x20 ? ' ' : *text, file);
    putc('"', file);
}

static void write_figure(FILE *file, const ms_search *s)
{
    const ms_way *ways = s->workload->ways;
    const time_t now = time(NULL);
    struct tm utc;
    char date[16] = "", figure[512], best[MS_UNIT_BYTES], without[MS_UNIT_BYTES], copy[MS_UNIT_BYTES];
    if (gmtime_r(&now, &utc)) strftime(date, sizeof date, "%Y-%m-%d", &utc);
    snprintf(figure, sizeof figure, "%s, n = %llu, %s; without it %s, memcpy %s; %.1f %% faster, at least %.1f with 99.5 %% confidence",
             ms_search_format(s, ways[MS_BEST].median, best), (unsigned long long)s->n, msw_context_device(s->workload->context)->name,
             ms_search_format(s, ways[MS_DEFAULT].median, without),
             ms_format_unit(ms_workload_bytes(s->workload, s->n) / ways[MS_MEMCPY].median, "B/s", copy), 100 * (s->lower_gain.median - 1),
             100 * (s->lower_gain.low - 1));
    fprintf(file, ", date = \"%s\", figure = ", date);
    append_quoted(file, figure);
}

static void begin_row(FILE *file, const ms_search *s, const char *strategy)
{
    const msw_tuning_class *class_ = &s->class_;
    fprintf(file, "row { backend = \"%s\", ", class_->backend);
    if (class_->arch) fprintf(file, "arch = \"%s\", ", class_->arch);
    fprintf(file, "class = \"%s\", bytes = %u", class_->name, class_->bytes);
    if (strategy) fprintf(file, ", strategy = \"%s\"", strategy);
}

static void write_knobs(FILE *file, const ms_search *s)
{
    fprintf(file, ", knobs = {");
    for (uint32_t k = 0, count = 0; k < s->best.count; k++) {
        const msw_knob *knob = &s->best.knobs[k];
        const int is_word = knob->value[strspn(knob->value, "0123456789")] != '\0';
        if (!strcmp(knob->name, "strategy")) continue;
        fprintf(file, is_word ? "%s%s = \"%s\"" : "%s%s = %s", count++ ? ", " : " ", knob->name, knob->value);
    }
    fprintf(file, " }");
}

static void end_row(FILE *file, const ms_search *s, int has_figure)
{
    if (has_figure) write_figure(file, s);
    fprintf(file, " }\n");
}

/* The best as a row, malloc'd, or two where it stands beside another strategy, whose row has the knobs; with the figure that chose it, once there is
 * one. */
static ms_exit make_rows(const ms_search *s, int has_figure, char **rows)
{
    size_t bytes = 0;
    FILE *file = open_memstream(rows, &bytes);
    if (!file) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    if (!s->best.beside || s->best.count > 1) {
        begin_row(file, s, s->best.beside ? s->best.beside : s->best.strategy);
        write_knobs(file, s);
        end_row(file, s, has_figure);
    }
    if (s->best.beside) {
        begin_row(file, s, s->best.strategy);
        fprintf(file, ", from = %llu", (unsigned long long)s->from_bytes);
        end_row(file, s, has_figure);
    }
    return fclose(file) ? ms_complain(MS_EXIT_FAILED, "out of memory; close other programs") : MS_EXIT_DONE;
}

/* ---- one operation ---- */

static void print_json_result(const ms_search *s, int is_kept)
{
    const ms_way *ways = s->workload->ways;
    const msw_tuning_class *class_ = &s->class_;
    char knobs[200];
    ms_choice_format(&s->best, 1, knobs, sizeof knobs);
    printf("{\"operation\": \"%s\", \"backend\": \"%s\", \"arch\": \"%s\", \"class\": \"%s\", \"bytes\": %u, ", s->workload->info.name,
           class_->backend, class_->arch ? class_->arch : "", class_->name, class_->bytes);
    printf("\"n\": %llu, \"knobs\": \"%s\", \"rate\": %.6g, \"default_rate\": %.6g, \"unit\": \"%s\", ", (unsigned long long)s->n,
           is_kept ? knobs : "", ms_search_rate(s, ways[MS_BEST].median), ms_search_rate(s, ways[MS_DEFAULT].median), ms_search_unit(s));
    printf("\"gain\": %.4g, \"least_gain\": %.4g, \"steady\": %s, ", s->lower_gain.median, s->lower_gain.low, s->is_unsteady ? "false" : "true");
    printf("\"from_bytes\": %llu, ", s->best.beside && is_kept ? (unsigned long long)s->from_bytes : 0);
    printf("\"tried\": %u, \"unfit\": %u, \"wrong\": %u, \"worse_n\": %llu, \"fixed\": \"%s\", \"written\": %s}\n", s->tried, s->unfit, s->wrong,
           (unsigned long long)s->worse_n, class_->fixed, is_kept ? "true" : "false");
}

static void print_head(const ms_search *s)
{
    const msw_tuning_class *class_ = &s->class_;
    printf("%s, %s of %u bytes%s%s, n = %llu: ", s->workload->info.name, class_->name, class_->bytes, class_->arch ? " on " : "",
           class_->arch ? class_->arch : "", (unsigned long long)s->n);
}

static void print_result(const ms_search *s, int is_kept)
{
    const ms_way *ways = s->workload->ways;
    const double gain = ways[MS_BEST].median > 0 ? 100 * (ways[MS_DEFAULT].median / ways[MS_BEST].median - 1) : 0;
    char knobs[200], best[MS_UNIT_BYTES], without[MS_UNIT_BYTES];
    if (s->options->json) {
        print_json_result(s, is_kept);
        return;
    }
    ms_choice_format(&s->best, 1, knobs, sizeof knobs);
    ms_search_format(s, ways[MS_BEST].median, best);
    ms_search_format(s, ways[MS_DEFAULT].median, without);
    print_head(s);
    if (is_kept)
        printf("%s: %s, %.1f %% faster than without (%s), at least %.1f %% with 99.5 %% confidence; in %s\n", knobs, best,
               100 * (s->lower_gain.median - 1), without, 100 * (s->lower_gain.low - 1), s->options->tuning_path);
    else if (s->worse_n)
        printf("%s is %.1f %% faster than without, but slower at n = %llu; a row serves every n, so none is written: choose another --n\n", knobs,
               gain, (unsigned long long)s->worse_n);
    else if (s->best.count && s->lower_gain.median > 1)
        printf("%s seemed %.1f %% faster than the default, %s, which is too little or may be chance (%.1f to %.1f %%); no row is written\n", knobs,
               100 * (s->lower_gain.median - 1), without, 100 * (s->lower_gain.low - 1), 100 * (s->lower_gain.high - 1));
    else printf("nothing better than the default was found, %s; no row is written\n", without);
    printf("  %u candidates in %.0f s: %u do not fit the device, %u were wrong%s\n", s->tried, ms_now() - s->start, s->unfit, s->wrong,
           s->is_unsteady ? "; times were not steady: the device's clock changed, or it had other work" : "");
    fflush(stdout);
}

/* ---- the row instead of its knobs ---- */

/* The best becomes what the planner makes of the table with this row: which strategy n takes is its choice. */
static ms_exit take_row(ms_search *s, const char *table)
{
    ms_workload *workload = s->workload;
    ms_options *options = malloc(sizeof *options);
    msw_diag diag = {0};
    if (!options) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    *options = *s->options;
    options->tuning_text = (char *)(uintptr_t)table;
    workload->options = options;
    ms_way *way = ms_workload_add_kernel(workload, "best", NULL, 0, &diag);
    workload->options = s->options;
    free(options);
    if (!way) return ms_complain_diag(&diag);
    ms_way_release(&workload->ways[MS_BEST]);
    workload->ways[MS_BEST] = *way;
    *way = (ms_way){0};
    workload->way_count--;
    return MS_EXIT_DONE;
}

static ms_exit verify_both(ms_search *s, uint64_t n)
{
    for (int w = MS_DEFAULT; w <= MS_BEST; w++) {
        const char *result = s->workload->ways[w].result;
        ms_way_verify(s->workload, &s->workload->ways[w], n, 0);
        if (strcmp(result = s->workload->ways[w].result, "wrong") && strcmp(result, "failed")) continue;
        return ms_complain(
            MS_EXIT_FAILED,
            "%s: after %u candidates the device does not give right results any more, so none is believed; try again, with --op and less --budget "
            "to find which one it was",
            s->workload->info.name, s->tried);
    }
    return MS_EXIT_DONE;
}

static int is_slower(ms_search *s, uint64_t n)
{
    const ms_way *ways = s->workload->ways;
    ms_workload_measure(s->workload, n, ROUNDS_ELSEWHERE, 2 * ms_most_measure_seconds);
    const ms_gain gain = ms_way_gain(&ways[MS_DEFAULT], &ways[MS_BEST]);
    return gain.median < least_gain_elsewhere && gain.high < 1;
}

/* A plan serves every n, and so does a row: it must not take from others what it gives to this one. */
static ms_exit try_other_sizes(ms_search *s)
{
    const uint64_t n_max = s->workload->n_max;
    ms_exit code = MS_EXIT_DONE;
    uint64_t n = s->n;
    while (n > 8192) n /= 8;
    for (; !code && n && !s->worse_n; n = n == n_max ? 0 : 8 * n < n_max ? 8 * n : n_max) {
        if (n == s->n) continue;
        ms_show_progress(s->options->quiet, 1, "%s: the row at n = %llu", s->workload->info.name, (unsigned long long)n);
        code = ms_workload_expect(s->workload, n, most_other_oracle_seconds);
        if (!code) code = verify_both(s, n);
        if (!code && is_slower(s, n) && is_slower(s, n)) s->worse_n = n;
    }
    return code;
}

/* A measurement of its own, warmed up anew: what helps or hinders one of them as a whole is not taken for the knobs' merit. */
static int is_faster(ms_search *s, int is_again)
{
    const ms_way *ways = s->workload->ways;
    ms_workload_measure(s->workload, s->n, LAST_ROUNDS, 8 * ms_most_measure_seconds);
    const ms_gain gain = ms_way_gain(&ways[MS_DEFAULT], &ways[MS_BEST]);
    if (!is_again || gain.low < s->lower_gain.low) s->lower_gain = gain;
    s->is_unsteady |= ways[MS_DEFAULT].is_unsteady || ways[MS_BEST].is_unsteady;
    return ms_gain_is_sure(&gain, least_row_gain);
}

/* Whether the row makes this n faster, and no other one slower. */
static ms_exit judge(ms_search *s, int *is_kept)
{
    const ms_way *ways = s->workload->ways;
    ms_exit code = verify_both(s, s->n);
    if (code) return code;
    *is_kept = s->best.count > 0;
    for (int again = 0; again < 2 && (*is_kept || !again); again++) *is_kept &= is_faster(s, again);
    if (!*is_kept) return MS_EXIT_DONE;
    const double medians[] = {ways[MS_MEMCPY].median, ways[MS_DEFAULT].median, ways[MS_BEST].median};
    code = try_other_sizes(s);
    for (int w = MS_MEMCPY; w <= MS_BEST; w++) s->workload->ways[w].median = medians[w];
    *is_kept = !s->worse_n;
    return code;
}

static ms_exit write_result(ms_search *s)
{
    char *rows = NULL, *table = NULL;
    size_t bytes;
    int is_kept = 0;
    ms_exit code = make_rows(s, 0, &rows);
    if (!code) code = ms_table_with(s->options->tuning_path, rows, &table, &bytes);
    if (!code && s->best.count) code = take_row(s, table);
    if (!code) code = judge(s, &is_kept);
    free(rows);
    free(table);
    rows = NULL;
    if (!code && is_kept) code = make_rows(s, 1, &rows);
    if (!code && is_kept) code = ms_table_update(s->options->tuning_path, rows);
    free(rows);
    ms_clear_progress(s->options->quiet);
    s->is_written = !code && is_kept;
    if (!code) print_result(s, is_kept);
    return code;
}

/* memcpy, the default and the best, which is the default at first: a kernel of its own. */
static ms_exit add_ways(ms_search *s)
{
    msw_diag diag;
    ms_workload_add(s->workload, "memcpy", MS_WAY_MEMCPY);
    for (int w = MS_DEFAULT; w <= MS_BEST; w++) {
        ms_way *way = ms_workload_add_kernel(s->workload, w == MS_DEFAULT ? "default" : "best", NULL, 0, &diag);
        if (!way) return ms_complain_diag(&diag);
        ms_way_verify(s->workload, way, s->n, 0);
        if (!strcmp(way->result, "wrong") || !strcmp(way->result, "failed"))
            return ms_complain(MS_EXIT_FAILED, "%s: the default is not right; nothing can be compared with it", s->workload->info.name);
    }
    return MS_EXIT_DONE;
}

static ms_exit open_search(ms_search *s, uint64_t n_max)
{
    ms_exit code = ms_workload_open(s->workload, n_max);
    if (!code) code = ms_workload_expect(s->workload, s->n, most_oracle_seconds);
    return code ? code : add_ways(s);
}

static ms_exit tune_operation(ms_search *s, uint64_t n_max)
{
    const ms_exit code = open_search(s, n_max);
    if (code) return code;
    ms_search_run(s);
    return write_result(s);
}

/* The operation's own `tune` would outrank what is found. */
static void tell_fixed(const ms_search *s)
{
    if (s->options->json) print_json_result(s, 0);
    else
        printf("%s: its own tune, %s, outranks every row: nothing is tried; take it out of the spec to have it tuned\n", s->workload->info.name,
               s->class_.fixed);
    fflush(stdout);
}

/* A class has one row: what an operation before has given it. */
static ms_exit tell_shared(ms_search *s, const char *owner)
{
    const ms_way *ways = s->workload->ways;
    char best[MS_UNIT_BYTES], without[MS_UNIT_BYTES];
    ms_bytes table = {0};
    ms_exit code = open_search(s, s->n);
    if (!code) code = ms_file_read(s->options->tuning_path, &table);
    if (!code) code = take_row(s, (const char *)table.data);
    free(table.data);
    if (!code) code = verify_both(s, s->n);
    if (code) return code;
    ms_workload_measure(s->workload, s->n, LAST_ROUNDS, 4 * ms_most_measure_seconds);
    if (s->options->json) return print_json_result(s, 0), MS_EXIT_DONE;
    print_head(s);
    printf("the row of %s is its, too: %s, without it %s; nothing is tried. A tune of its own in the spec outranks the row\n", owner,
           ms_search_format(s, ways[MS_BEST].median, best), ms_search_format(s, ways[MS_DEFAULT].median, without));
    fflush(stdout);
    return MS_EXIT_DONE;
}

/* ---- the command ---- */

/* Enough that memory decides, not the launch; sorts on a CPU take long. */
static uint64_t default_n(const ms_workload *workload)
{
    const int is_cpu = (int)msw_context_device(workload->context)->target.is_cpu;
    const double bytes = !is_cpu ? 536870912.0 : ms_kind_of(&workload->info).is_multiple_pass ? 262144.0 : 4194304.0;
    uint64_t n = 1024;
    while (2 * ms_workload_bytes(workload, n) <= bytes) n *= 2;
    while (n > 1 && (!ms_workload_fits(workload, n) || !ms_workload_served(workload, &n, 1, NULL))) n /= 2;
    return n;
}

/* A row that was written in this run. */
typedef struct written_row {
    char class_name[16], owner[65]; /* owner: the operation */
    uint32_t bytes;
} written_row;

typedef struct tuning {
    const ms_options *options;
    msw_context *context;
    msw_spec *spec;
    ms_workload *workload;
    double start, budget, deadline;
    written_row *rows;
    uint32_t row_count;
} tuning;

static const char *find_owner(const tuning *t, const msw_tuning_class *class_)
{
    for (uint32_t r = 0; r < t->row_count; r++)
        if (t->rows[r].bytes == class_->bytes && !strcmp(t->rows[r].class_name, class_->name)) return t->rows[r].owner;
    return NULL;
}

static void note_row(tuning *t, const ms_search *s)
{
    written_row *row = &t->rows[t->row_count++];
    snprintf(row->class_name, sizeof row->class_name, "%s", s->class_.name);
    snprintf(row->owner, sizeof row->owner, "%s", s->workload->info.name);
    row->bytes = s->class_.bytes;
}

static ms_exit tune_class(tuning *t, ms_search *s)
{
    uint64_t sizes[MS_MAX_SIZES];
    msw_diag diag;
    const char *owner = find_owner(t, &s->class_);
    const uint64_t usual_n = default_n(s->workload);
    if (s->class_.fixed[0]) return tell_fixed(s), MS_EXIT_DONE;
    s->n = s->options->sizes ? sizes[ms_parse_sizes(s->options->sizes, sizes) - 1] : usual_n;
    if (!s->n) return ms_complain(MS_EXIT_USAGE, "--n %s: there is nothing to measure; choose more", s->options->sizes);
    if (!ms_workload_fits(s->workload, s->n))
        return ms_complain(MS_EXIT_USAGE, "--n %s: more than there is memory for; choose fewer", s->options->sizes);
    if (!ms_workload_served(s->workload, &s->n, 1, &diag)) return ms_complain_diag(&diag);
    if (owner) return tell_shared(s, owner);
    const ms_exit code = tune_operation(s, s->n > usual_n ? s->n : usual_n);
    if (!code && s->is_written) note_row(t, s);
    return code;
}

static ms_exit tune_next(tuning *t, uint32_t op)
{
    ms_search s = {
        .options = t->options, .workload = t->workload, .start = ms_now(), .deadline = t->deadline, .budget_start = t->start, .budget = t->budget};
    const msw_program_desc desc = {.struct_size = sizeof desc, .op = op, .target = &msw_context_device(t->context)->target};
    msw_program *program = NULL; /* has the texts of the class */
    msw_diag diag;
    *t->workload = (ms_workload){
        .options = t->options, .context = t->context, .spec = t->spec, .op = op, .entropy = t->options->entropy ? t->options->entropy : ms_entropies};
    ms_exit code = ms_read_operation(t->spec, op, &t->workload->info);
    if (code) return code;
    s.class_.struct_size = sizeof s.class_;
    if (msw_program_create(t->spec, &desc, &program, &diag) || msw_program_tuning_class(program, &s.class_, &diag)) code = ms_complain_diag(&diag);
    if (!code) code = tune_class(t, &s);
    ms_workload_release(t->workload);
    msw_program_destroy(program);
    return code;
}

static ms_exit tune_operations(tuning *t)
{
    uint32_t first, end;
    ms_exit code = ms_find_operations(t->options, t->spec, &first, &end);
    if (!code) code = ms_uniforms_check(t->options, t->spec, first, end, 1);
    if (code) return code;
    t->workload = calloc(1, sizeof *t->workload);
    t->rows = calloc(end - first + 1, sizeof *t->rows);
    if (!t->workload || !t->rows) code = ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    for (uint32_t op = first; !code && op < end; op++) {
        t->deadline = t->start + t->budget * (op - first + 1) / (end - first);
        code = tune_next(t, op);
    }
    ms_clear_progress(t->options->quiet);
    free(t->workload);
    free(t->rows);
    return code;
}

ms_exit ms_tune_command(const ms_options *options)
{
    char path[4096];
    ms_options *own = malloc(sizeof *own);
    if (!own) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    *own = *options;
    tuning t = {.options = own, .start = ms_now(), .budget = options->budget > 0 ? options->budget : default_budget};
    ms_exit code = MS_EXIT_DONE;
    if (!ms_find_tuning(own))
        code = ms_complain(MS_EXIT_USAGE, "there is no directory for the table: neither XDG_CONFIG_HOME nor HOME is set; name a file with --tuning");
    if (!code) code = ms_table_check(own->tuning_path);
    if (!code && own->constants) {
        code = ms_tune_constants(own);
        free(own);
        return code;
    }
    if (!code) code = ms_open_spec(own, &t.spec);
    if (!code) code = ms_open_context(own, ms_cache_dir(own, path, sizeof path), &t.context);
    if (!code && msw_context_device(t.context)->backend == MSW_BACKEND_HOST)
        code = ms_complain(MS_EXIT_USAGE, "tune: the host oracle has no knobs; choose another device");
    if (!code) code = tune_operations(&t);
    msw_context_destroy(t.context);
    msw_spec_destroy(t.spec);
    free(own);
    return code;
}
