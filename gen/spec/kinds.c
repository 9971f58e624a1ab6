/* The table of operation kinds, and what is said of operations by it. */
#include "kinds.h"
#include "choices.h"
#include "diag.h"

#include <string.h>

const ms_kind *const ms_kinds[] = {[MSW_OP_SCAN] = &ms_scan_kind, [MSW_OP_REDUCE] = &ms_reduce_kind, [MSW_OP_SORT] = &ms_sort_kind,
                                   [MSW_OP_MAP] = &ms_map_kind,   [MSW_OP_SWEEP] = &ms_sweep_kind,   [MSW_OP_PIPELINE] = &ms_pipeline_kind};

/* ---- what is said of an operation ---- */

const char *ms_operation_title(const ms_operation *op, ms_arena *arena)
{
    ms_text text = {.arena = arena};
    ms_kinds[op->kind]->append_title(&text, op);
    const char *title = text.failed || !text.data ? NULL : ms_arena_strdup(arena, text.data);
    ms_text_free(&text);
    return title;
}

/* Whether results depend on the order of combination, of an operation that is no pipeline. */
static int depends_on_order(const ms_operation *op)
{
    return op->monoid && !ms_operation_is_balanced(op) && !ms_function_is_bit_exact(op->monoid->combine);
}

/* How far results depend on the order of combination, and on the device. */
static const char *exactness(const ms_operation *op)
{
    int depends = 0;
    if (op->info.is_bit_exact) return ", bit exact";
    if (op->info.law_warning && !ms_operation_is_balanced(op)) return ", a law fails for large values";
    if (ms_operation_is_promised(op)) return ", bit exact but for denormals";
    for (uint32_t p = 0; p < ms_operation_part_count(op); p++) depends |= depends_on_order(ms_operation_part_of(op, p));
    return depends ? ", pseudo-associative" : ", rounded by the device";
}

static void append_operation(ms_text *text, const ms_operation *op)
{
    ms_text_append(text, "%s: ", op->name);
    ms_kinds[op->kind]->append_summary(text, op);
    ms_text_append(text, "%s\n", exactness(op));
}

static void append_json(ms_text *text, const ms_operation *op)
{
    ms_text_append(text, "{\"name\": \"%s\", \"kind\": \"%s\", \"bit_exact\": %s", op->name, ms_operation_kind(op)->name,
                   op->info.is_bit_exact ? "true" : "false");
    ms_kinds[op->kind]->append_json(text, op);
    ms_text_append(text, "}");
}

static const char *written(msw_spec *spec, const char *before, const char *between, const char *after,
                           void (*append)(ms_text *, const ms_operation *))
{
    ms_text text = {.arena = &spec->arena};
    ms_text_append(&text, "%s", before);
    for (uint32_t i = 0; i < spec->operation_count; i++) {
        if (i) ms_text_append(&text, "%s", between);
        append(&text, &spec->operations[i]);
    }
    ms_text_append(&text, "%s", after);
    const char *copy = text.failed || !text.data ? NULL : ms_arena_strdup(&spec->arena, text.data);
    ms_text_free(&text);
    return copy;
}

const char *ms_operations_summary(msw_spec *spec) { return written(spec, "", "", "", append_operation); }

const char *ms_operations_json(msw_spec *spec) { return written(spec, "{\"operations\": [", ", ", "]}", append_json); }

msw_result msw_kind_get(uint32_t index, msw_kind_info *info)
{
    if (!info || index >= sizeof ms_kinds / sizeof *ms_kinds) return MSW_ERROR_INVALID_ARGUMENT;
    const msw_result result = MS_SIZED_CHECK(msw_kind_info, info, "spec", NULL);
    if (!result) ms_sized_write(info, &ms_kind_infos[index], sizeof *info);
    return result;
}
