/* Folds: scans and reductions, which combine what a map makes of the elements, in memory order or against it. */
#include "kinds.h"

#include <string.h>

/* ---- reading ---- */

static void read_init(lua_State *L, int index, ms_operation *op)
{
    if (lua_getfield(L, index, "init") == LUA_TTABLE) op->init = ms_element_at(L, lua_gettop(L), op->monoid->type);
    lua_pop(L, 1);
}

static void read_fold(lua_State *L, int index, msw_length length, ms_operation *op)
{
    op->monoid = &((ms_monoid_entry *)ms_read_pointer(L, index, "monoid"))->monoid;
    op->output_map = ms_read_pointer(L, index, "output_map");
    op->exclusive = ms_read_flag(L, index, "exclusive");
    op->reverse = ms_read_flag(L, index, "reverse");
    op->info.is_reverse = (uint32_t)op->reverse;
    read_init(L, index, op);
    op->info.carry = op->monoid->type->info;
    ms_add_buffer(op, "in", op->input, MSW_LENGTH_N, MSW_ROLE_IN);
    ms_add_buffer(op, "out", op->output, length, MSW_ROLE_OUT);
}

static void read_scan(lua_State *L, int index, ms_operation *op) { read_fold(L, index, MSW_LENGTH_N, op); }

static void read_reduction(lua_State *L, int index, ms_operation *op) { read_fold(L, index, MSW_LENGTH_ONE, op); }

/* ---- describing ---- */

static const char *scan_word(const ms_operation *op) { return op->exclusive ? "exclusive scan" : "inclusive scan"; }

static void append_title(ms_text *text, const char *word, const ms_operation *op)
{
    const int says_type = strchr(op->monoid->name, '(') != NULL; /* "sum(u32)" */
    ms_text_append(text, "%s of %s by %s%s%s%s", word, op->input->info.name, op->monoid->name, says_type ? "" : " of ",
                   says_type ? "" : op->monoid->type->info.name, op->reverse ? ", from the last element" : "");
}

static void append_scan_title(ms_text *text, const ms_operation *op) { append_title(text, scan_word(op), op); }

static void append_reduction_title(ms_text *text, const ms_operation *op) { append_title(text, "reduction", op); }

static void append_summary(ms_text *text, const char *word, const ms_operation *op)
{
    ms_text_append(text, "%s of %s by %s of %s (%u byte%s), returns %s%s%s", word, op->input->info.name, op->monoid->name,
                   op->monoid->type->info.name, op->monoid->type->info.size_bytes, op->monoid->type->info.size_bytes == 1 ? "" : "s",
                   op->output->info.name, op->init ? ", with init" : "", op->reverse ? ", from the last element" : "");
}

static void append_scan_summary(ms_text *text, const ms_operation *op) { append_summary(text, scan_word(op), op); }

static void append_reduction_summary(ms_text *text, const ms_operation *op) { append_summary(text, "reduction", op); }

static const char *truth(int value) { return value ? "true" : "false"; }

static void append_json(ms_text *text, const ms_operation *op)
{
    const ms_monoid *monoid = op->monoid;
    ms_text_append(text, ", \"exclusive\": %s, \"reverse\": %s, ", truth(op->exclusive), truth(op->reverse));
    ms_append_type_json(text, "input", op->input);
    ms_text_append(text, ", ");
    ms_append_type_json(text, "output", op->output);
    ms_text_append(text, ", \"monoid\": {\"name\": \"%s\", \"commutative\": %s, \"laws\": \"%s\", ", monoid->name, truth(monoid->commutative),
                   monoid->laws);
    ms_text_append(text, "\"pseudo_associative\": %s, \"has_law_warning\": %s, ", truth(!ms_function_is_bit_exact(monoid->combine)),
                   truth(op->info.law_warning != NULL));
    ms_append_type_json(text, "type", monoid->type);
    ms_text_append(text, "}");
}

/* ---- evaluating ---- */

/* An evaluation in memory order. */
typedef struct folding {
    const ms_operation *op;
    ms_eval *combine, *map, *output;
    ms_push *push;
    uint64_t s[MS_MAX_ELEMENT_BYTES]; /* the prefix */
} folding;

static int step(folding *f, uint64_t *input, uint64_t i)
{
    uint64_t mapped[MS_MAX_ELEMENT_BYTES], joined[MS_MAX_ELEMENT_BYTES];
    const uint64_t *x = input;
    if (f->map) {
        const uint64_t *args[2] = {input, &i};
        if (ms_eval_run_pushed(f->map, f->push, args, mapped)) return -1;
        x = mapped;
    }
    const uint64_t *args[2] = {f->op->reverse ? x : f->s, f->op->reverse ? f->s : x};
    if (ms_eval_run_pushed(f->combine, f->push, args, joined)) return -1;
    memcpy(f->s, joined, f->op->monoid->type->info.leaf_count * sizeof *joined);
    return 0;
}

static int write_output(folding *f, const uint64_t *s, const uint64_t *x, uint64_t i, void *memory)
{
    uint64_t made[MS_MAX_ELEMENT_BYTES];
    const uint64_t *result = s;
    if (f->output) {
        const uint64_t *args[3] = {s, x, &i};
        if (ms_eval_run_pushed(f->output, f->push, args, made)) return -1;
        result = made;
    }
    ms_leaves_store(f->op->output, memory, result, 0);
    return 0;
}

static int run(folding *f, uint64_t n, const unsigned char *in, unsigned char *out)
{
    const ms_operation *op = f->op;
    const int writes_each = ms_operation_is_per_element(op);
    for (uint64_t k = 0; k < n; k++) {
        const uint64_t i = op->reverse ? n - 1 - k : k;
        uint64_t x[MS_MAX_ELEMENT_BYTES], before[MS_MAX_ELEMENT_BYTES];
        ms_leaves_load(op->input, in + i * op->input->info.size_bytes, x, 0);
        memcpy(before, f->s, sizeof before);
        if (step(f, x, i)) return -1;
        if (writes_each && out && write_output(f, op->exclusive ? before : f->s, x, i, out + i * op->output->info.size_bytes)) return -1;
    }
    return !writes_each && out ? write_output(f, f->s, NULL, 0, out) : 0;
}

static int prepare(folding *f, ms_arena *arena, const void *carry_in)
{
    const ms_operation *op = f->op;
    f->combine = ms_eval_create(arena, op->monoid->combine, 0);
    f->map = op->map ? ms_eval_create(arena, op->map, 0) : NULL;
    f->output = op->output_map ? ms_eval_create(arena, op->output_map, 0) : NULL;
    ms_leaves_load(op->monoid->type, carry_in ? carry_in : op->init ? op->init : op->monoid->identity, f->s, 0);
    return f->combine && (f->map || !op->map) && (f->output || !op->output_map);
}

static msw_result evaluate(const ms_evaluation *e)
{
    folding f = {.op = e->op, .push = e->push};
    if (!prepare(&f, e->arena, e->carry_in)) return MSW_ERROR_OUT_OF_MEMORY;
    if (run(&f, e->n, e->inputs[0], e->outputs[0])) return MSW_ERROR_SPEC;
    if (e->carry_out) ms_leaves_store(e->op->monoid->type, e->carry_out, f.s, 0);
    return MSW_OK;
}

const ms_kind ms_scan_kind = {read_scan, append_scan_title, append_scan_summary, append_json, evaluate};

const ms_kind ms_reduce_kind = {read_reduction, append_reduction_title, append_reduction_summary, append_json, evaluate};
