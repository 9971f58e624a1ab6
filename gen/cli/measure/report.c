#include "report.h"
#include "cli/io/file.h"
#include "cli/pages.h"

#include <stdlib.h>
#include <string.h>

static const char module[] = "gen/cli/measure/page.lua";

/* Adds what `function` makes of the tables to the stage; *text is to be freed after the commit. */
static ms_exit stage_made(const char *function, const char *path, const char *const *names, const char *const *texts, uint32_t count, ms_stage *stage,
                          char **text)
{
    size_t bytes = 0;
    const ms_exit code = ms_lua_make(module, function, names, texts, count, MS_EXIT_FAILED, text, &bytes);
    return code ? code : ms_stage_add(stage, path, NULL, 0, *text, bytes);
}

ms_exit ms_report_rows(const ms_options *options, const char *csv, size_t bytes)
{
    static const char *const names[] = {"rows"};
    ms_stage stage = {0};
    char *html = NULL, *json = NULL;
    ms_exit code = options->csv ? ms_stage_add(&stage, options->csv, NULL, 0, csv, bytes) : MS_EXIT_DONE;
    if (!code && options->html) code = stage_made("page", options->html, names, &csv, 1, &stage, &html);
    if (!code && options->json) code = stage_made("json", "-", names, &csv, 1, &stage, &json);
    if (!code) code = ms_stage_commit(&stage);
    ms_stage_release(&stage);
    free(html);
    free(json);
    return code;
}

static ms_exit report(const ms_options *options, const ms_bytes *files)
{
    const char **texts = calloc(options->table_count, sizeof *texts);
    ms_stage stage = {0};
    char *html = NULL;
    if (!texts) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    for (uint32_t t = 0; t < options->table_count; t++) texts[t] = (const char *)files[t].data;
    ms_exit code = stage_made("page", options->html, options->tables, texts, options->table_count, &stage, &html);
    if (!code) code = ms_stage_commit(&stage);
    ms_stage_release(&stage);
    free(html);
    free(texts);
    return code;
}

ms_exit ms_report_tables(const ms_options *options)
{
    ms_bytes *files = calloc(options->table_count, sizeof *files);
    ms_exit code = files ? MS_EXIT_DONE : ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    for (uint32_t t = 0; !code && t < options->table_count; t++) code = ms_file_read(options->tables[t], &files[t]);
    if (!code) code = report(options, files);
    for (uint32_t t = 0; files && t < options->table_count; t++) free(files[t].data);
    free(files);
    return code;
}
