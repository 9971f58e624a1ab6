/* Rows of a measurement: what bench and the report of a device have in common. */
#include "sheet.h"
#include "report.h"
#include "units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const ms_sheet_limits ms_bench_limits = {.size = 4, .host = 2, .run = 1, .rounds = 11};

/* ---- notes ---- */

/* For who reads the CSV or the page later, too; messages are one line. what: "from n = 8 on", say. */
static void note_left_out(const ms_sheet *sheet, const ms_workload *s, const char *what, const char *why)
{
    ms_clear_progress(sheet->options->quiet);
    if (!sheet->options->quiet) fprintf(stderr, "%s: %s: %s\n", s->info.name, what, why);
    fprintf(sheet->noted, "# left out: %s: %s: %s\n", s->info.name, what, why);
}

/* Messages may begin with the operation's name, which the line has already. */
static const char *without_name(const ms_workload *s, const char *why)
{
    const size_t name_bytes = strlen(s->info.name);
    return !strncmp(why, s->info.name, name_bytes) && !strncmp(why + name_bytes, ": ", 2) ? why + name_bytes + 2 : why;
}

void ms_sheet_left_out(const ms_sheet *sheet, const ms_workload *s, const char *way, const char *why)
{
    char what[160];
    snprintf(what, sizeof what, "without %s", way);
    note_left_out(sheet, s, what, without_name(s, why));
}

void ms_sheet_lacks(const ms_sheet *sheet, const ms_workload *s, const char *way, const char *why)
{
    fprintf(sheet->noted, "# left out: %s: without %s: %s\n", s->info.name, way, without_name(s, why));
}

void ms_sheet_found(const ms_sheet *sheet, const char *section, const char *const *fields, uint32_t count)
{
    fprintf(sheet->noted, "# %s: ", section);
    for (uint32_t f = 0; f < count; f++) {
        if (f) putc(',', sheet->noted);
        ms_write_csv_text(sheet->noted, fields[f]);
    }
    putc('\n', sheet->noted);
}

/* ---- ways ---- */

/* Before n is measured: ways that would take too long there, by what they took last, or whose plan ends before. */
static void leave_out_slow(ms_sheet *sheet, ms_workload *s, uint64_t n, uint64_t last_n)
{
    for (uint32_t w = 0; w < s->way_count; w++) {
        ms_way *way = &s->ways[w];
        if (way->is_out || (way->kind == MS_WAY_ORACLE && !s->is_beyond)) continue;
        const double predicted = last_n ? way->median * (double)n / (double)last_n : 0;
        const msw_plan *plan = way->kind == MS_WAY_KERNEL ? msw_kernel_plan(way->kernel) : NULL;
        const int is_too_long = plan && n > plan->variants[plan->variant_count - 1].n_max;
        const int is_wrong = way->kind == MS_WAY_LOOP && !strcmp(way->result, "wrong");
        const double most = way->kind == MS_WAY_LOOP ? sheet->limits.host : sheet->limits.run;
        if (way->kind != MS_WAY_ORACLE && !is_too_long && !is_wrong && predicted <= most) continue;
        way->is_out = 1;
        char what[96];
        snprintf(what, sizeof what, "%s from n = %llu on", way->name, (unsigned long long)n);
        ms_sheet_left_out(sheet, s, what, is_too_long ? "its plan serves no more" : is_wrong ? "it is wrong" : "it would take too long");
    }
}

/* Lengths are made up here: items for which there is no room are neither written nor in the times. Said of the first n alone. */
static void note_lost_items(ms_sheet *sheet, const ms_workload *s, uint64_t n)
{
    char what[64], why[160];
    if (sheet->has_lost_items || !s->info.items || s->counted_n != n || s->items <= s->counted[s->info.items]) return;
    sheet->has_lost_items = 1;
    snprintf(what, sizeof what, "items from n = %llu on", (unsigned long long)n);
    snprintf(why, sizeof why, "there it has %llu, room for %llu: times are of those; for all of them set a larger capacity in the spec",
             (unsigned long long)s->items, (unsigned long long)s->counted[s->info.items]);
    note_left_out(sheet, s, what, why);
}

/* ---- rows ---- */

static void write_rows(ms_sheet *sheet, const ms_workload *s, uint64_t n)
{
    const double bytes = ms_workload_bytes(s, n);
    const double memcpy_seconds = ms_workload_copy_seconds(s);
    const int on_host = msw_context_device(sheet->context)->backend == MSW_BACKEND_HOST;
    for (uint32_t w = 0; w < s->way_count; w++) {
        const ms_way *way = &s->ways[w];
        if (way->is_out) continue;
        const int is_of_device = on_host || (way->kind != MS_WAY_LOOP && way->kind != MS_WAY_ORACLE); /* the others have no share of its copy */
        const ms_row row = {.device = sheet->device,
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
                            .create_seconds = way->create_seconds,
                            .predicted_seconds = way->kind == MS_WAY_KERNEL ? s->predicted_seconds : 0,
                            .least_seconds = way->least};
        ms_write_csv_row(sheet->rows, &row);
        sheet->has_wrong |= !strcmp(way->result, "wrong") || !strcmp(way->result, "failed");
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

/* What the kernel of a pipeline ought to take. */
static int is_predicted(const ms_sheet *sheet, const ms_workload *s)
{
    return s->info.stage_count && msw_context_device(sheet->context)->backend != MSW_BACKEND_HOST;
}

static void print_head(const ms_sheet *sheet, const ms_workload *s)
{
    printf("%s on %s: %s, medians\n%12s", s->info.name, sheet->device,
           ms_kind_of(&s->info).has_keys ? "keys/s (memcpy: as many bytes)" : "bytes/s read and written", "n");
    for (uint32_t w = 0; w < s->way_count; w++)
        printf("%*s", (int)strlen(s->ways[w].name) < 9 ? 11 : (int)strlen(s->ways[w].name) + 2, s->ways[w].name);
    if (is_predicted(sheet, s)) printf("%11s", "predicted");
    printf("%14s\n", "% of memcpy");
}

static void print_rate(double rate, int width, int is_unsteady)
{
    char number[MS_UNIT_BYTES], text[MS_UNIT_BYTES + 1];
    snprintf(text, sizeof text, "%s%s", is_unsteady ? "~" : "", ms_format_unit(rate, "", number));
    printf("%*s", width, text);
}

/* A line of the table; ~ marks times that are not steady. */
static void print_line(ms_sheet *sheet, const ms_workload *s, uint64_t n)
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
        sheet->has_unsteady |= is_right && rate > 0 && way->is_unsteady;
        if (!strcmp(way->name, "default")) best = way->median;
    }
    if (is_predicted(sheet, s) && s->predicted_seconds > 0) print_rate(ms_workload_bytes(s, n) / s->predicted_seconds, 11, 0);
    else if (is_predicted(sheet, s)) printf("%11s", "-");
    if (n && best > 0 && memcpy_seconds > 0) printf(memcpy_seconds < 0.1 * best ? "%14.3g\n" : "%14.1f\n", 100 * memcpy_seconds / best);
    else printf("%14s\n", "-");
}

int ms_sheet_prints(const ms_options *o) { return !o->json && !(o->csv && !strcmp(o->csv, "-")) && !(o->html && !strcmp(o->html, "-")); }

static int prints_table(const ms_sheet *sheet) { return !sheet->has_no_table && ms_sheet_prints(sheet->options); }

/* ---- measuring ---- */

/* What is being done for n, the index-th of so many sizes. done: of this n, 0 .. 1. */
typedef struct size_progress {
    uint64_t n;
    uint32_t index, count;
} size_progress;

static void show_size(const ms_sheet *sheet, const ms_workload *s, const size_progress *at, double done, const char *what, const char *way)
{
    ms_show_progress(sheet->options->quiet, (at->index + done) / at->count, "%s: n = %llu, %s%s", s->info.name, (unsigned long long)at->n, what, way);
}

static ms_exit measure_size(ms_sheet *sheet, ms_workload *s, const size_progress *at, uint64_t last_n)
{
    const uint64_t n = at->n;
    show_size(sheet, s, at, 0, "computing what is expected", "");
    ms_exit code = ms_workload_expect(s, n, sheet->limits.host);
    leave_out_slow(sheet, s, n, last_n);
    for (uint32_t w = 0; !code && w < s->way_count; w++)
        if (s->ways[w].kind >= MS_WAY_LOOP && !s->ways[w].is_out) {
            show_size(sheet, s, at, 0.5 * w / s->way_count, "verifying ", s->ways[w].name);
            ms_way_verify(s, &s->ways[w], n, 0);
        }
    if (code) return code;
    note_lost_items(sheet, s, n);
    show_size(sheet, s, at, 0.5, "measuring", "");
    ms_workload_measure(s, n, sheet->options->rounds ? sheet->options->rounds : sheet->limits.rounds, sheet->limits.size);
    write_rows(sheet, s, n);
    ms_clear_progress(sheet->options->quiet);
    if (prints_table(sheet)) print_line(sheet, s, n);
    fflush(stdout);
    return code;
}

/* The sizes that the device serves, and for which there is memory for all that is compared: how many. */
static uint32_t fitting_sizes(const ms_sheet *sheet, const ms_workload *s, const uint64_t *sizes, uint32_t given)
{
    msw_diag diag = {.message = "they need more memory than there is"};
    uint32_t count = given;
    while (count && !ms_workload_fits(s, sizes[count - 1])) count--;
    count = ms_workload_served(s, sizes, count, &diag);
    if (count < given) {
        char what[64];
        snprintf(what, sizeof what, "n from %llu on are left out", (unsigned long long)sizes[count]);
        note_left_out(sheet, s, what, diag.message);
    }
    return count;
}

static ms_exit measure_sizes(ms_sheet *sheet, ms_workload *s, const uint64_t *sizes, uint32_t given, ms_add_ways add_ways)
{
    const uint32_t count = fitting_sizes(sheet, s, sizes, given);
    uint64_t last_n = 0;
    sheet->has_lost_items = 0;
    if (!count) return ms_complain(MS_EXIT_FAILED, "%s: no n is left to measure; give --n smaller sizes", s->info.name);
    ms_show_progress(sheet->options->quiet, 0, "%s: making data", s->info.name);
    ms_exit code = ms_workload_open(s, sizes[count - 1]);
    if (!code) code = add_ways(sheet, s);
    ms_clear_progress(sheet->options->quiet);
    if (!code && prints_table(sheet)) print_head(sheet, s);
    for (uint32_t i = 0; !code && i < count; i++) {
        code = measure_size(sheet, s, &(size_progress){.n = sizes[i], .index = i, .count = count}, last_n);
        last_n = sizes[i];
    }
    return code;
}

ms_exit ms_sheet_measure(ms_sheet *sheet, ms_workload *workload, uint32_t op, const uint64_t *sizes, uint32_t count, ms_add_ways add_ways)
{
    const ms_options *options = sheet->options;
    *workload = (ms_workload){
        .options = options, .context = sheet->context, .spec = sheet->spec, .op = op, .entropy = options->entropy ? options->entropy : ms_entropies};
    workload->info.struct_size = sizeof workload->info;
    if (msw_spec_op(sheet->spec, op, &workload->info)) return ms_complain(MS_EXIT_FAILED, "operation %u cannot be read; please report it", op);
    return measure_sizes(sheet, workload, sizes, count, add_ways);
}

/* ---- the whole ---- */

ms_exit ms_sheet_open(ms_sheet *sheet)
{
    const msw_device_info *device = msw_context_device(sheet->context);
    snprintf(sheet->device, sizeof sheet->device, "%s %s", device->id, device->name);
    sheet->rows = open_memstream(&sheet->csv, &sheet->csv_bytes);
    sheet->noted = open_memstream(&sheet->notes, &sheet->notes_bytes);
    if (!sheet->rows || !sheet->noted) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    ms_write_csv_head(sheet->rows);
    return MS_EXIT_DONE;
}

static int close_texts(ms_sheet *sheet)
{
    int failed = sheet->rows && fclose(sheet->rows);
    failed |= sheet->noted && fclose(sheet->noted);
    sheet->rows = sheet->noted = NULL;
    return failed;
}

void ms_sheet_close(ms_sheet *sheet)
{
    close_texts(sheet);
    free(sheet->csv);
    free(sheet->notes);
    sheet->csv = sheet->notes = NULL;
}

/* The notes and then the rows, as one text. */
ms_exit ms_sheet_report(ms_sheet *sheet)
{
    const int failed = close_texts(sheet);
    if (sheet->has_unsteady) puts("~ not steady: warming up did not settle, or the middle half of the times spreads over more than 10 %");
    char *csv = failed ? NULL : malloc(sheet->notes_bytes + sheet->csv_bytes + 1);
    if (!csv) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    memcpy(csv, sheet->notes, sheet->notes_bytes);
    memcpy(csv + sheet->notes_bytes, sheet->csv, sheet->csv_bytes + 1);
    const ms_exit code = ms_report_rows(sheet->options, csv, sheet->notes_bytes + sheet->csv_bytes);
    free(csv);
    return code;
}
