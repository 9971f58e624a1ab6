/* monosweep devices --report: the report card of a device. It measures what bench does of a spec of its own, and forms of a scan beside each other:
 * with and without a feature, by every size of subgroups, with a fallback and without. What cannot be made is a line that says why. */
#include "devices.h"
#include "device_text.h"
#include "report_abilities.h"
#include "cli/io/file.h"
#include "cli/measure/progress.h"
#include "cli/measure/sheet.h"
#include "cli/pages.h"
#include "cli/session.h"
#include "units.h"

#include <stdlib.h>
#include <string.h>

static const ms_sheet_limits limits = {.size = 0.4, .host = 0.5, .run = 0.5, .rounds = 7};

typedef struct card {
    ms_sheet sheet; /* the first member: ways are added by it */
    uint64_t sizes[MS_MAX_SIZES];
    uint32_t size_count;
    ms_progress_seen seen[MS_WAITINGS];
    ms_workload workload;
    int has_failed;
} card;

static int prints(const card *c) { return ms_sheet_prints(c->sheet.options); }

/* ---- the device ---- */

static void found_text(card *c, const char *name, const char *value)
{
    if (value[0]) ms_sheet_found(&c->sheet, "report.device", (const char *const[]){name, value}, 2);
}

static void found_number(card *c, const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    if (value) found_text(c, name, text);
}

static void describe_device(card *c)
{
    const msw_device_info *device = msw_context_device(c->sheet.context);
    const msw_target *target = &device->target;
    found_text(c, "monosweep", msw_version());
    found_text(c, "id", device->id);
    found_text(c, "name", device->name);
    found_text(c, "driver", device->driver);
    found_text(c, "kind", target->is_cpu ? "CPU" : "GPU");
    found_text(c, "arch", target->arch ? target->arch : "");
    found_number(c, "memory_bytes", device->memory_bytes);
    found_number(c, "max_allocation_bytes", device->max_allocation_bytes);
    if (device->backend == MSW_BACKEND_HOST) return;
    found_number(c, "subgroup_size", target->subgroup_size);
    found_number(c, "max_block_threads", target->max_block_threads);
    found_number(c, "shared_bytes", target->shared_bytes);
    found_number(c, "max_blocks", target->max_blocks);
    found_number(c, "compute_units", target->compute_units);
    found_number(c, "max_cluster_blocks", target->max_cluster_blocks);
    found_text(c, "progress_claimed", ms_progress_name(target->progress));
}

/* ---- progress ---- */

static const char *seen_text(const ms_progress_seen *seen, char text[160])
{
    int length;
    if (!seen->blocks) length = snprintf(text, 160, "no: in launches of %u blocks a wait ended without a post", seen->failed_blocks);
    else if (seen->failed_blocks)
        length = snprintf(text, 160, "in launches of up to %u blocks; of %u a wait ended without a post", seen->blocks, seen->failed_blocks);
    else length = snprintf(text, 160, "in launches of up to %u blocks, all that were tried", seen->blocks);
    if (seen->blocks && seen->waited) snprintf(text + length, 160 - (size_t)length, "; %u had to wait in %d runs", seen->waited, MS_PROGRESS_RUNS);
    else if (seen->blocks) snprintf(text + length, 160 - (size_t)length, "; nobody had to wait, which shows little");
    return text;
}

static const char *verdict(const card *c)
{
    const ms_progress_seen *earlier = &c->seen[MS_WAIT_EARLIER_STARTED];
    if (!earlier->name) return ms_target_of(c->sheet.context)->backend == MSW_BACKEND_HOST ? "the host runs no blocks" : "not tried";
    if (earlier->failed_blocks) return "a block that had begun was not run while others waited for it: look-back needs its fallback";
    if (ms_progress_serves_lookback(c->seen))
        return "blocks that had begun went on while others waited for them, as look-back without a fallback needs";
    return "too few had to wait to say anything";
}

static void describe_progress(card *c)
{
    if (prints(c)) printf("progress: claimed %s; seen, which nobody promises:\n", ms_progress_name(ms_target_of(c->sheet.context)->progress));
    for (const ms_progress_seen *seen = c->seen; seen < c->seen + MS_WAITINGS && seen->name; seen++) {
        char numbers[4][16], text[160];
        const uint32_t values[] = {seen->blocks, seen->failed_blocks, seen->waited, MS_PROGRESS_RUNS};
        for (int v = 0; v < 4; v++) snprintf(numbers[v], sizeof numbers[v], "%u", values[v]);
        const char *const fields[] = {seen->name, numbers[0], numbers[1], numbers[2], numbers[3], seen->summary, seen_text(seen, text)};
        ms_sheet_found(&c->sheet, "report.progress", fields, sizeof fields / sizeof *fields);
        if (prints(c)) printf("  %-50s %s\n", seen->summary, text);
    }
    found_text(c, "progress_seen", verdict(c));
    if (prints(c)) printf("  %s\n", verdict(c));
    if (!ms_claims_progress(ms_target_of(c->sheet.context)) || !c->seen[MS_WAIT_EARLIER_STARTED].failed_blocks) return;
    fprintf(stderr, "monosweep: this device does less than monosweep assumes of it; use --progress-model none, and please send this report\n");
}

/* ---- operations ---- */

/* The planner's choice, and what is tried for large n. */
static ms_exit add_strategies(ms_sheet *sheet, ms_workload *s)
{
    const int on_host = msw_context_device(sheet->context)->backend == MSW_BACKEND_HOST;
    msw_choice strategy = {.struct_size = sizeof strategy};
    msw_diag diag = {0};
    if (ms_workload_add_copies(s, &diag)) ms_sheet_left_out(sheet, s, "a copy kernel", diag.message);
    ms_show_progress(sheet->options->quiet, 0, "%s: compiling", s->info.name);
    if (!ms_workload_add_kernel(s, "default", NULL, 0, &diag)) ms_sheet_left_out(sheet, s, "default", diag.message);
    for (uint32_t i = 0; !on_host && !msw_strategy_get(s->info.kind, i, &strategy); i++) {
        const msw_knob knob = {"strategy", strategy.name};
        if (!strategy.is_tuned || (strategy.is_any_order && !s->info.has_any_order)) continue;
        if (!ms_workload_add_kernel(s, strategy.name, &knob, 1, &diag)) ms_sheet_lacks(sheet, s, strategy.name, diag.message);
    }
    return MS_EXIT_DONE;
}

/* Of the planner's choice at the largest n. */
static void describe_kernels(card *c)
{
    ms_workload *s = &c->workload;
    const ms_way *way = ms_way_find(s, "default");
    double seconds[MSW_MAX_KERNELS];
    char n[32], us[32], unit[MS_UNIT_BYTES];
    msw_diag diag;
    if (!way || way->is_out || way->median <= 0) return;
    if (ms_way_profile(s, way, s->n_max, seconds, &diag)) {
        ms_sheet_left_out(&c->sheet, s, "the kernels' times", diag.message);
        return;
    }
    const msw_plan *plan = msw_kernel_plan(way->kernel);
    snprintf(n, sizeof n, "%llu", (unsigned long long)s->n_max);
    if (prints(c)) printf("  its kernels, one after the other, each with all of its launches, at n = %s\n", n);
    for (uint32_t k = 0; k < plan->kernel_count; k++) {
        if (seconds[k] <= 0) continue;
        snprintf(us, sizeof us, "%.2f", 1e6 * seconds[k]);
        ms_sheet_found(&c->sheet, "report.kernel", (const char *const[]){s->info.name, n, plan->kernels[k].entry, us}, 4);
        if (prints(c)) printf("    %-30s%12s\n", plan->kernels[k].entry, ms_format_unit(seconds[k], "s", unit));
    }
}

static int is_wanted(const card *c, const char *name) { return !c->sheet.options->op || !strcmp(c->sheet.options->op, name); }

/* A failure has been told; the others are measured all the same. */
static void measure(card *c, const char *name, ms_add_ways add_ways)
{
    const int op = msw_spec_find(c->sheet.spec, name);
    if (ms_sheet_measure(&c->sheet, &c->workload, (uint32_t)op, c->sizes, c->size_count, add_ways)) c->has_failed = 1;
    ms_clear_progress(c->sheet.options->quiet);
}

static void measure_operations(card *c)
{
    static const char *const names[] = {"scan", "reduce", "sort"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!is_wanted(c, names[i])) continue;
        if (prints(c)) printf("\n");
        measure(c, names[i], add_strategies);
        describe_kernels(c);
        ms_workload_release(&c->workload);
    }
}

static void measure_abilities(card *c)
{
    const char *name;
    c->sheet.has_no_table = 1;
    /* what the oracle evaluates in a moment, and what fills a device */
    if (!c->sheet.options->sizes) c->size_count = ms_parse_sizes(ms_target_of(c->sheet.context)->is_cpu ? "2^12,2^18" : "2^16,2^24", c->sizes);
    if (ms_target_of(c->sheet.context)->backend == MSW_BACKEND_HOST) return;
    if (prints(c)) printf("\nwhat there is, and what it costs to do without\n  %-24s %-4s %8s  %-28s %8s\n", "", "", "time", "beside it", "time");
    for (uint32_t i = 0; (name = ms_ability_operation(i)) != NULL; i++) {
        c->workload = (ms_workload){.info.name = name}; /* all that is known of one that is not measured */
        if (is_wanted(c, name)) measure(c, name, ms_ability_add_ways);
        ms_ability_describe(&c->sheet, &c->workload, verdict(c));
        ms_workload_release(&c->workload);
    }
}

/* ---- the command ---- */

static ms_exit open_spec(ms_sheet *sheet)
{
    char *text = NULL;
    size_t bytes;
    msw_diag diag;
    const ms_exit code = ms_lua_make("gen/cli/measure/card.lua", "spec", NULL, NULL, 0, MS_EXIT_FAILED, &text, &bytes);
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text, .file = "report"};
    const msw_result result = code ? MSW_OK : msw_spec_create(&desc, &sheet->spec, &diag);
    free(text);
    return code ? code : result ? ms_complain_diag(&diag) : MS_EXIT_DONE;
}

static ms_exit check_operation(const ms_sheet *sheet)
{
    uint32_t first, end;
    return ms_find_operations(sheet->options, sheet->spec, &first, &end);
}

static ms_exit open_card(card *c)
{
    char path[4096];
    ms_sheet *sheet = &c->sheet;
    ms_exit code = ms_open_context(sheet->options, ms_cache_dir(sheet->options, path, sizeof path), &sheet->context);
    if (!code) code = open_spec(sheet);
    if (!code) code = ms_sheet_open(sheet);
    if (code) return code;
    const char *usual = msw_context_device(sheet->context)->target.is_cpu ? "2^10,2^14,2^18" : "2^14,2^20,2^26";
    c->size_count = ms_parse_sizes(sheet->options->sizes ? sheet->options->sizes : usual, c->sizes);
    for (uint32_t s = 0; s < c->size_count; s++)
        if (!c->sizes[s]) return ms_complain(MS_EXIT_USAGE, "devices --report measures one element and more; leave 0 out of --n");
    return check_operation(sheet);
}

static ms_exit fill(card *c)
{
    if (prints(c)) ms_print_device(msw_context_device(c->sheet.context), 1);
    describe_device(c);
    const ms_exit code = ms_progress_probe(c->sheet.context, c->seen);
    if (code) c->has_failed = 1; /* told; the rest may work */
    describe_progress(c);
    measure_operations(c);
    measure_abilities(c);
    return ms_sheet_report(&c->sheet);
}

ms_exit ms_devices_report(const ms_options *options)
{
    ms_exit code = options->csv ? ms_file_try(options->csv) : MS_EXIT_DONE;
    if (!code && options->html) code = ms_file_try(options->html);
    card *c = code ? NULL : calloc(1, sizeof *c);
    if (code) return code;
    if (!c) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    c->sheet = (ms_sheet){.options = options, .limits = limits};
    code = open_card(c);
    if (!code) code = fill(c);
    if (!code && c->sheet.has_wrong) code = ms_complain(MS_EXIT_FAILED, "devices --report: some results are wrong; the report says which");
    else if (!code && c->has_failed) code = ms_complain(MS_EXIT_FAILED, "devices --report: not all could be measured; the lines above say why");
    ms_workload_release(&c->workload);
    ms_sheet_close(&c->sheet);
    msw_context_destroy(c->sheet.context);
    msw_spec_destroy(c->sheet.spec);
    free(c);
    return code;
}
