/* monosweep bench: strategies of an operation beside each other, copies, the oracle and a plain C loop, over n; results as a table, CSV, a page. */
#include "bench.h"
#include "cli/io/file.h"
#include "cli/measure/report.h"
#include "cli/measure/sheet.h"
#include "cli/session.h"
#include "commands.h"

#include <stdlib.h>
#include <string.h>

/* ---- ways ---- */

static int is_strategy_given(const ms_options *options)
{
    for (uint32_t k = 0; k < options->knob_count; k++)
        if (!strcmp(options->knobs[k].name, "strategy")) return 1;
    return 0;
}

/* A device that cannot run a strategy says why; what does not compile, too. */
static ms_exit add_ways(ms_sheet *sheet, ms_workload *s)
{
    msw_diag diag = {0}, why = {0};
    const ms_options *o = sheet->options;
    msw_knob *knobs = calloc(o->knob_count + 1, sizeof *knobs);
    if (!knobs) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    const int on_host = msw_context_device(sheet->context)->backend == MSW_BACKEND_HOST;
    if (ms_workload_add_copies(s, &diag)) ms_sheet_left_out(sheet, s, "a copy kernel", diag.message);
    if (!on_host) ms_workload_add(s, "oracle", MS_WAY_ORACLE);
    ms_show_progress(o->quiet, 0, "%s: compiling", s->info.name);
    if (!ms_workload_add_loop(s, "loop", &why)) ms_sheet_left_out(sheet, s, "loop", why.message);
    const int has_default = ms_workload_add_kernel(s, "default", o->knobs, o->knob_count, &diag) != NULL;
    for (uint32_t k = 0; k < o->knob_count; k++) knobs[k] = o->knobs[k];
    msw_choice strategy = {.struct_size = sizeof strategy};
    for (uint32_t i = 0; !on_host && !is_strategy_given(o) && !msw_strategy_get(s->info.kind, i, &strategy); i++) {
        if (strategy.is_any_order && !s->info.has_any_order) continue;
        knobs[o->knob_count] = (msw_knob){"strategy", strategy.name};
        if (!ms_workload_add_kernel(s, strategy.name, knobs, o->knob_count + 1, &why)) ms_sheet_left_out(sheet, s, strategy.name, why.message);
    }
    free(knobs);
    return has_default ? MS_EXIT_DONE : ms_complain_diag(&diag);
}

/* ---- the command ---- */

static ms_exit measure_operations(ms_sheet *sheet)
{
    uint32_t first, end, size_count;
    uint64_t sizes[MS_MAX_SIZES];
    const char *usual = msw_context_device(sheet->context)->target.is_cpu ? "2^10..2^22" : "2^10..2^28";
    ms_exit code = ms_find_operations(sheet->options, sheet->spec, &first, &end);
    if (!code) code = ms_uniforms_check(sheet->options, sheet->spec, first, end, 1);
    ms_workload *s = calloc(1, sizeof *s);
    if (!s) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    size_count = ms_parse_sizes(sheet->options->sizes ? sheet->options->sizes : usual, sizes);
    for (uint32_t op = first; !code && op < end; op++) {
        code = ms_sheet_measure(sheet, s, op, sizes, size_count, add_ways);
        ms_workload_release(s);
    }
    free(s);
    return code;
}

static ms_exit open_bench(ms_sheet *sheet)
{
    char path[4096];
    ms_exit code = ms_open_spec(sheet->options, &sheet->spec);
    if (!code) code = ms_open_context(sheet->options, ms_cache_dir(sheet->options, path, sizeof path), &sheet->context);
    return code ? code : ms_sheet_open(sheet);
}

static ms_exit bench_operations(const ms_options *options)
{
    ms_sheet sheet = {.options = options, .limits = ms_bench_limits};
    ms_exit code = open_bench(&sheet);
    if (!code) code = measure_operations(&sheet);
    ms_clear_progress(options->quiet);
    if (!code) code = ms_sheet_report(&sheet);
    if (!code && sheet.has_wrong) code = ms_complain(MS_EXIT_FAILED, "bench: some results are wrong, or did not come; the table says which");
    ms_sheet_close(&sheet);
    msw_context_destroy(sheet.context);
    msw_spec_destroy(sheet.spec);
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
