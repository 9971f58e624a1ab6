/* monosweep bench: strategies of an operation beside each other, copies, the oracle and a plain C loop, over n; results as a table, CSV, a page. */
#include "bench.h"
#include "cli/measure/workload.h"
#include "commands.h"
#include "cli/measure/report.h"
#include "cli/session.h"
#include "cli/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Seconds: of one n; of the oracle or a loop at one n; of one run of another way, beyond which it is left out. */
static const double most_seconds = 4, most_host_seconds = 2, most_run_seconds = 1;

enum { DEFAULT_ROUNDS = 11 };

typedef struct bench {
    const ms_options *options;
    msw_spec *spec;
    msw_context *context;
    char device[300];
    uint64_t sizes[MS_MAX_SIZES];
    uint32_t size_count;
    char *csv; /* rows of all operations */
    size_t csv_bytes;
    FILE *rows;
    char *notes; /* "# left out: .." lines, which come before the rows */
    size_t notes_bytes;
    FILE *left_out;
    int has_wrong, has_unsteady, has_lost_items; /* has_lost_items: of the operation at hand, it has been said */
} bench;

/* ---- ways ---- */

static int is_strategy_given(const ms_options *options)
{
    for (uint32_t k = 0; k < options->knob_count; k++)
        if (!strcmp(options->knobs[k].name, "strategy")) return 1;
    return 0;
}

/* For who reads the CSV or the page later, too; messages are one line. what: "from n = 8 on", say. */
static void note_left_out(const bench *b, const ms_workload *s, const char *what, const char *why)
{
    ms_clear_progress(b->options->quiet);
    if (!b->options->quiet) fprintf(stderr, "%s: %s: %s\n", s->info.name, what, why);
    fprintf(b->left_out, "# left out: %s: %s: %s\n", s->info.name, what, why);
}

/* Messages may begin with the operation's name, which the line has already. */
static void left_out(const bench *b, const ms_workload *s, const char *way, const char *why)
{
    const size_t name_bytes = strlen(s->info.name);
    char what[160];
    if (!strncmp(why, s->info.name, name_bytes) && !strncmp(why + name_bytes, ": ", 2)) why += name_bytes + 2;
    snprintf(what, sizeof what, "without %s", way);
    note_left_out(b, s, what, why);
}

/* A device that cannot run a strategy says why; what does not compile, too. */
static ms_exit add_ways(bench *b, ms_workload *s)
{
    msw_diag diag = {0}, why = {0};
    const ms_options *o = b->options;
    msw_knob *knobs = calloc(o->knob_count + 1, sizeof *knobs);
    if (!knobs) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    const int on_host = msw_context_device(b->context)->backend == MSW_BACKEND_HOST;
    if (ms_workload_add_copies(s, &diag)) left_out(b, s, "a copy kernel", diag.message);
    if (!on_host) ms_workload_add(s, "oracle", MS_WAY_ORACLE);
    ms_show_progress(o->quiet, 0, "%s: compiling", s->info.name);
    if (!ms_workload_add_loop(s, "loop", &why)) left_out(b, s, "loop", why.message);
    const int has_default = ms_workload_add_kernel(s, "default", o->knobs, o->knob_count, &diag) != NULL;
    for (uint32_t k = 0; k < o->knob_count; k++) knobs[k] = o->knobs[k];
    msw_choice strategy = {.struct_size = sizeof strategy};
    for (uint32_t i = 0; !on_host && !is_strategy_given(o) && !msw_strategy_get(s->info.kind, i, &strategy); i++) {
        if (strategy.is_any_order && !s->info.has_any_order) continue;
        knobs[o->knob_count] = (msw_knob){"strategy", strategy.name};
        if (!ms_workload_add_kernel(s, strategy.name, knobs, o->knob_count + 1, &why)) left_out(b, s, strategy.name, why.message);
    }
    free(knobs);
    return has_default ? MS_EXIT_DONE : ms_complain_diag(&diag);
}

/* Before n is measured: ways that would take too long there, by what they took last, or whose plan ends before. */
static void leave_out_slow(bench *b, ms_workload *s, uint64_t n, uint64_t last_n)
{
    for (uint32_t w = 0; w < s->way_count; w++) {
        ms_way *way = &s->ways[w];
        if (way->is_out || (way->kind == MS_WAY_ORACLE && !s->is_beyond)) continue;
        const double predicted = last_n ? way->median * (double)n / (double)last_n : 0;
        const msw_plan *plan = way->kind == MS_WAY_KERNEL ? msw_kernel_plan(way->kernel) : NULL;
        const int is_too_long = plan && n > plan->variants[plan->variant_count - 1].n_max;
        const int is_wrong = way->kind == MS_WAY_LOOP && !strcmp(way->result, "wrong");
        const double most = way->kind == MS_WAY_LOOP ? most_host_seconds : most_run_seconds;
        if (way->kind != MS_WAY_ORACLE && !is_too_long && !is_wrong && predicted <= most) continue;
        way->is_out = 1;
        char what[96];
        snprintf(what, sizeof what, "%s from n = %llu on", way->name, (unsigned long long)n);
        left_out(b, s, what, is_too_long ? "its plan serves no more" : is_wrong ? "it is wrong" : "it would take too long");
    }
}

/* Lengths are made up here: items for which there is no room are neither written nor in the times. Said of the first n alone. */
static void note_lost_items(bench *b, const ms_workload *s, uint64_t n)
{
    char what[64], why[160];
    if (b->has_lost_items || !s->info.items || s->counted_n != n || s->items <= s->counted[s->info.items]) return;
    b->has_lost_items = 1;
    snprintf(what, sizeof what, "items from n = %llu on", (unsigned long long)n);
    snprintf(why, sizeof why, "there it has %llu, room for %llu: times are of those; for all of them set a larger capacity in the spec",
             (unsigned long long)s->items, (unsigned long long)s->counted[s->info.items]);
    note_left_out(b, s, what, why);
}

/* ---- rows ---- */

static void write_rows(bench *b, const ms_workload *s, uint64_t n)
{
    const double bytes = ms_workload_bytes(s, n);
    const double memcpy_seconds = ms_workload_copy_seconds(s);
    const int on_host = msw_context_device(b->context)->backend == MSW_BACKEND_HOST;
    for (uint32_t w = 0; w < s->way_count; w++) {
        const ms_way *way = &s->ways[w];
        if (way->is_out) continue;
        const int is_of_device = on_host || (way->kind != MS_WAY_LOOP && way->kind != MS_WAY_ORACLE); /* the others have no share of its copy */
        const ms_row row = {.device = b->device,
                            .kind = ms_kind_of(&s->info).name,
                            .name = s->info.name,
                            .variant = way->name,
                            .result = way->result,
                            .n = n,
                            .rounds = way->rounds,
                            .is_unsteady = way->is_unsteady,
                            .seconds = way->median,
                            .bytes = bytes,
                            .memcpy_rate = is_of_device && memcpy_seconds > 0 ? bytes / memcpy_seconds : 0,
                            .create_seconds = way->create_seconds};
        ms_write_csv_row(b->rows, &row);
        b->has_wrong |= !strcmp(way->result, "wrong") || !strcmp(way->result, "failed");
    }
}

static void print_number(uint64_t n)
{
    char text[32];
    uint32_t log2 = 0;
    while (n >> (log2 + 1)) log2++;
    if (n > 512 && n == (uint64_t)1 << log2) snprintf(text, sizeof text, "2^%u", log2);
    else snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    printf("%12s", text);
}

static void print_head(const bench *b, const ms_workload *s)
{
    printf("%s on %s: %s, medians\n%12s", s->info.name, b->device,
           ms_kind_of(&s->info).has_keys ? "keys/s (memcpy: as many bytes)" : "bytes/s read and written", "n");
    for (uint32_t w = 0; w < s->way_count; w++)
        printf("%*s", (int)strlen(s->ways[w].name) < 9 ? 11 : (int)strlen(s->ways[w].name) + 2, s->ways[w].name);
    printf("%14s\n", "% of memcpy");
}

static void print_rate(double rate, int width, int is_unsteady)
{
    char number[MS_UNIT_BYTES], text[MS_UNIT_BYTES + 1];
    snprintf(text, sizeof text, "%s%s", is_unsteady ? "~" : "", ms_format_unit(rate, "", number));
    printf("%*s", width, text);
}

/* A line of the table; ~ marks times that are not steady. */
static void print_line(bench *b, const ms_workload *s, uint64_t n)
{
    const double memcpy_seconds = ms_workload_copy_seconds(s);
    double best = 0;
    print_number(n);
    for (uint32_t w = 0; w < s->way_count; w++) {
        const ms_way *way = &s->ways[w];
        const int width = (int)strlen(way->name) < 9 ? 11 : (int)strlen(way->name) + 2;
        const double rate = way->median > 0 ? (ms_kind_of(&s->info).has_keys ? (double)n : ms_workload_bytes(s, n)) / way->median : 0;
        const int is_right = strcmp(way->result, "wrong") != 0 && strcmp(way->result, "failed") != 0;
        if (way->is_out || (is_right && rate == 0)) printf("%*s", width, "-");
        else if (!is_right) printf("%*s", width, way->result);
        else print_rate(rate, width, way->is_unsteady);
        b->has_unsteady |= is_right && rate > 0 && way->is_unsteady;
        if (!strcmp(way->name, "default")) best = way->median;
    }
    if (n && best > 0 && memcpy_seconds > 0) printf(memcpy_seconds < 0.1 * best ? "%14.3g\n" : "%14.1f\n", 100 * memcpy_seconds / best);
    else printf("%14s\n", "-");
}

static int prints_table(const ms_options *o) { return !o->json && !(o->csv && !strcmp(o->csv, "-")) && !(o->html && !strcmp(o->html, "-")); }

/* ---- measuring ---- */

static ms_exit measure_size(bench *b, ms_workload *s, uint64_t n, uint64_t last_n)
{
    ms_exit code = ms_workload_expect(s, n, most_host_seconds);
    leave_out_slow(b, s, n, last_n);
    for (uint32_t w = 0; !code && w < s->way_count; w++)
        if (s->ways[w].kind >= MS_WAY_LOOP && !s->ways[w].is_out) {
            ms_clear_progress(b->options->quiet);
            ms_way_verify(s, &s->ways[w], n, 0);
        }
    if (code) return code;
    note_lost_items(b, s, n);
    ms_workload_measure(s, n, b->options->rounds ? b->options->rounds : DEFAULT_ROUNDS, most_seconds);
    write_rows(b, s, n);
    ms_clear_progress(b->options->quiet);
    if (prints_table(b->options)) print_line(b, s, n);
    fflush(stdout);
    return code;
}

/* The sizes that the device serves, and for which there is memory for all that is compared: how many. */
static uint32_t fitting_sizes(const bench *b, const ms_workload *s)
{
    msw_diag diag = {.message = "they need more memory than there is"};
    uint32_t count = b->size_count;
    while (count && !ms_workload_fits(s, b->sizes[count - 1])) count--;
    count = ms_workload_served(s, b->sizes, count, &diag);
    if (count < b->size_count) {
        char what[64];
        snprintf(what, sizeof what, "n from %llu on are left out", (unsigned long long)b->sizes[count]);
        note_left_out(b, s, what, diag.message);
    }
    return count;
}

static ms_exit measure_operation(bench *b, ms_workload *s)
{
    const uint32_t count = fitting_sizes(b, s);
    uint64_t last_n = 0;
    b->has_lost_items = 0;
    if (!count) return ms_complain(MS_EXIT_FAILED, "%s: no n is left to measure; give --n smaller sizes", s->info.name);
    ms_exit code = ms_workload_open(s, b->sizes[count - 1]);
    if (!code) code = add_ways(b, s);
    ms_clear_progress(b->options->quiet);
    if (!code && prints_table(b->options)) print_head(b, s);
    for (uint32_t i = 0; !code && i < count; i++) {
        ms_show_progress(b->options->quiet, (double)i / count, "%s: n = %llu", s->info.name, (unsigned long long)b->sizes[i]);
        code = measure_size(b, s, b->sizes[i], last_n);
        last_n = b->sizes[i];
    }
    return code;
}

static ms_exit measure_operations(bench *b)
{
    uint32_t first, end;
    ms_exit code = ms_find_operations(b->options, b->spec, &first, &end);
    if (!code) code = ms_uniforms_check(b->options, b->spec, first, end, 1);
    ms_workload *s = calloc(1, sizeof *s);
    if (!s) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    for (uint32_t op = first; !code && op < end; op++) {
        *s = (ms_workload){.options = b->options,
                           .context = b->context,
                           .spec = b->spec,
                           .op = op,
                           .entropy = b->options->entropy ? b->options->entropy : ms_entropies};
        code = ms_read_operation(b->spec, op, &s->info);
        if (!code) code = measure_operation(b, s);
        ms_workload_release(s);
    }
    free(s);
    return code;
}

/* ---- the command ---- */

static ms_exit open_bench(bench *b)
{
    char path[4096];
    ms_exit code = ms_open_spec(b->options, &b->spec);
    if (!code) code = ms_open_context(b->options, ms_cache_dir(b->options, path, sizeof path), &b->context);
    if (code) return code;
    const msw_device_info *device = msw_context_device(b->context);
    snprintf(b->device, sizeof b->device, "%s %s", device->id, device->name);
    if (b->options->sizes) b->size_count = ms_parse_sizes(b->options->sizes, b->sizes);
    else b->size_count = ms_parse_sizes(device->target.is_cpu ? "2^10..2^22" : "2^10..2^28", b->sizes);
    b->rows = open_memstream(&b->csv, &b->csv_bytes);
    b->left_out = open_memstream(&b->notes, &b->notes_bytes);
    if (!b->rows || !b->left_out) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    ms_write_csv_head(b->rows);
    return MS_EXIT_DONE;
}

static int close_texts(bench *b)
{
    int failed = b->rows && fclose(b->rows);
    failed |= b->left_out && fclose(b->left_out);
    b->rows = b->left_out = NULL;
    return failed;
}

/* The notes and then the rows, as one text. */
static ms_exit report(bench *b)
{
    const int failed = close_texts(b);
    char *csv = failed ? NULL : malloc(b->notes_bytes + b->csv_bytes + 1);
    if (!csv) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    memcpy(csv, b->notes, b->notes_bytes);
    memcpy(csv + b->notes_bytes, b->csv, b->csv_bytes + 1);
    const ms_exit code = ms_report_rows(b->options, csv, b->notes_bytes + b->csv_bytes);
    free(csv);
    return code;
}

static ms_exit bench_operations(const ms_options *options)
{
    bench b = {.options = options};
    ms_exit code = open_bench(&b);
    if (!code) code = measure_operations(&b);
    ms_clear_progress(options->quiet);
    if (b.has_unsteady) puts("~ not steady: warming up did not settle, or the middle half of the times spreads over more than 10 %");
    if (!code) code = report(&b);
    if (!code && b.has_wrong) code = ms_complain(MS_EXIT_FAILED, "bench: some results are wrong, or did not come; the table says which");
    close_texts(&b);
    free(b.csv);
    free(b.notes);
    msw_context_destroy(b.context);
    msw_spec_destroy(b.spec);
    return code;
}

ms_exit ms_bench_command(const ms_options *options)
{
    ms_exit code = options->csv ? ms_file_try(options->csv) : MS_EXIT_DONE;
    if (!code && options->html) code = ms_file_try(options->html);
    if (code) return code;
    if (options->jit) return ms_bench_jit(options);
    return options->table_count ? ms_report_tables(options) : bench_operations(options);
}
