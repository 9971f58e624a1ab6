/* What an operation is made of, and how it is told of. */
#include "spec.h"
#include "diag.h"

uint32_t ms_operation_functions(const ms_operation *op, const ms_function *functions[MS_MAX_FUNCTIONS])
{
    const ms_function *const all[MS_MAX_FUNCTIONS] = {op->monoid ? op->monoid->combine : NULL, op->map, op->output_map};
    uint32_t count = 0;
    for (int i = 0; i < MS_MAX_FUNCTIONS; i++)
        if (all[i]) functions[count++] = all[i];
    return count;
}

const char *ms_operation_sources(const ms_operation *op)
{
    static const char *const names[] = {
        NULL, "map", "combine", "map and combine", "output", "map and output", "combine and output", "map, combine and output"};
    const ms_function *const functions[MS_MAX_FUNCTIONS] = {op->map, op->monoid ? op->monoid->combine : NULL, op->output_map};
    unsigned are_sources = 0;
    for (unsigned i = 0; i < MS_MAX_FUNCTIONS; i++)
        if (functions[i] && !functions[i]->leaves) are_sources |= 1u << i;
    return names[are_sources];
}

msw_result ms_operation_check(const ms_operation *op, msw_diag *diag)
{
    if (!op->is_left_out) return MSW_OK;
    return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "laws", NULL, 0,
                   "the spec was read for another operation, so the laws of '%s' are not tested; name it in msw_spec_desc.op, or none there",
                   op->name);
}

/* How far results depend on the order of combination, and on the device. */
static const char *exactness(const ms_operation *op)
{
    if (op->info.is_bit_exact) return ", bit exact";
    if (op->info.law_warning) return ", a law fails for large values";
    return !op->monoid || ms_function_is_bit_exact(op->monoid->combine) ? ", rounded by the device" : ", pseudo-associative";
}

static const char *order_of(const ms_operation *op) { return op->key.is_descending ? "descending" : "ascending"; }

static void append_sort(ms_text *text, const ms_operation *op)
{
    ms_text_append(text, "%s: sort of %s (%u bytes) by %u bits%s%s, %s", op->name, op->output->info.name, op->output->info.size_bytes, op->key.bits,
                   op->map ? ", made of " : "", op->map ? op->input->info.name : "", order_of(op));
    if (op->value) ms_text_append(text, op->gives_index ? ", gives indices of %s" : ", with values of %s", op->value->info.name);
    ms_text_append(text, "%s\n", exactness(op));
}

static void append_operation(ms_text *text, const ms_operation *op)
{
    if (op->kind == MSW_OP_SORT) {
        append_sort(text, op);
        return;
    }
    const char *kind = op->kind == MSW_OP_REDUCE ? "reduction" : op->exclusive ? "exclusive scan" : "inclusive scan";
    ms_text_append(text, "%s: %s of %s by %s of %s (%u bytes), gives %s%s%s%s\n", op->name, kind, op->input->info.name, op->monoid->name,
                   op->monoid->type->info.name, op->monoid->type->info.size_bytes, op->output->info.name, op->init ? ", with init" : "",
                   op->reverse ? ", from the last element" : "", exactness(op));
}

static void append_type(ms_text *text, const char *key, const ms_type *type)
{
    ms_text_append(text, "\"%s\": {\"name\": \"%s\", \"size_bytes\": %u, \"leaves\": [", key, type->info.name, type->info.size_bytes);
    for (uint32_t i = 0; i < type->info.leaf_count; i++) {
        const msw_leaf *leaf = &type->info.leaves[i];
        ms_text_append(text, "%s{\"path\": \"%s\", \"scalar\": \"%s\", \"offset_bytes\": %u}", i ? ", " : "", leaf->path,
                       ms_scalar_name(leaf->scalar), leaf->offset_bytes);
    }
    ms_text_append(text, "]}");
}

static void append_sort_json(ms_text *text, const ms_operation *op)
{
    ms_text_append(text, "{\"name\": \"%s\", \"kind\": \"sort\", \"bit_exact\": %s, ", op->name, op->info.is_bit_exact ? "true" : "false");
    append_type(text, "input", op->input);
    ms_text_append(text, ", \"key\": {\"bits\": %u, \"order\": \"%s\", ", op->key.bits, order_of(op));
    append_type(text, "type", op->output);
    ms_text_append(text, "}, \"value\": ");
    if (op->value) {
        ms_text_append(text, "{\"index\": %s, ", op->gives_index ? "true" : "false");
        append_type(text, "type", op->value);
    }
    ms_text_append(text, op->value ? "}}" : "null}");
}

static void append_json(ms_text *text, const ms_operation *op)
{
    if (op->kind == MSW_OP_SORT) {
        append_sort_json(text, op);
        return;
    }
    ms_text_append(text, "{\"name\": \"%s\", \"kind\": \"%s\", \"exclusive\": %s, \"reverse\": %s, \"bit_exact\": %s, ", op->name,
                   op->kind == MSW_OP_REDUCE ? "reduce" : "scan", op->exclusive ? "true" : "false", op->reverse ? "true" : "false",
                   op->info.is_bit_exact ? "true" : "false");
    append_type(text, "input", op->input);
    ms_text_append(text, ", ");
    append_type(text, "output", op->output);
    ms_text_append(text,
                   ", \"monoid\": {\"name\": \"%s\", \"commutative\": %s, \"laws\": \"%s\", \"pseudo_associative\": %s, \"has_law_warning\": %s, ",
                   op->monoid->name, op->monoid->commutative ? "true" : "false", op->monoid->laws,
                   ms_function_is_bit_exact(op->monoid->combine) ? "false" : "true", op->info.law_warning ? "true" : "false");
    append_type(text, "type", op->monoid->type);
    ms_text_append(text, "}}");
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
