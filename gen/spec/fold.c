/* Folds: scans, sweeps and reductions, which combine what a map makes of the elements, in memory order or against it. */
#include "kinds.h"

#include <string.h>

/* ---- reading ---- */

/* An element of the monoid's type; NULL: there is none. */
static const void *read_element(lua_State *L, int index, const char *name, const ms_monoid *monoid)
{
    const void *element = lua_getfield(L, index, name) == LUA_TTABLE ? ms_element_at(L, lua_gettop(L), monoid->type) : NULL;
    lua_pop(L, 1);
    return element;
}

static const ms_type *parameter_type(const ms_function *function, uint32_t p)
{
    return function && function->param_count > p ? function->params[p].type : NULL;
}

void ms_read_wide(lua_State *L, int index, ms_operation *op)
{
    if (lua_getfield(L, index, "wide") == LUA_TTABLE) {
        const int at = lua_gettop(L);
        ms_wide *wide = ms_arena_alloc(&ms_sandbox_of(L)->spec->arena, sizeof *wide);
        if (!wide) ms_sandbox_no_memory(L);
        const ms_monoid_entry *entry = ms_read_pointer(L, at, "monoid");
        *wide = (ms_wide){.monoid = entry ? &entry->monoid : NULL,
                          .output = ms_read_pointer(L, at, "output"),
                          .map = ms_read_pointer(L, at, "map"),
                          .output_map = ms_read_pointer(L, at, "output_map"),
                          .from_carry = ms_read_pointer(L, at, "from_carry"),
                          .to_carry = ms_read_pointer(L, at, "to_carry"),
                          .totals = ms_read_pointer(L, at, "totals"),
                          .continued = ms_read_pointer(L, at, "continued"),
                          .reach = ms_read_pointer(L, at, "reach"),
                          .recount = ms_read_pointer(L, at, "recount"),
                          .merged = ms_read_pointer(L, at, "merged")};
        const ms_monoid *monoid = wide->monoid ? wide->monoid : op->monoid;
        wide->init = monoid ? read_element(L, at, "init", monoid) : NULL;
        wide->start = monoid ? read_element(L, at, "start", monoid) : NULL;
        op->wide = wide;
    }
    lua_pop(L, 1);
}

static void read_fold(lua_State *L, int index, msw_length length, ms_operation *op)
{
    op->monoid = &((ms_monoid_entry *)ms_read_pointer(L, index, "monoid"))->monoid;
    op->output_map = ms_read_pointer(L, index, "output_map");
    op->exclusive = ms_read_flag(L, index, "exclusive");
    op->counts_alone = ms_read_flag(L, index, "counts_alone");
    op->reverse = ms_read_flag(L, index, "reverse");
    op->info.is_reverse = (uint32_t)op->reverse;
    op->init = read_element(L, index, "init", op->monoid);
    op->carry = op->monoid->type;
    ms_add_arrays(L, index, op, "in", op->input, MSW_LENGTH_N, MSW_ROLE_IN);
    ms_add_arrays(L, index, op, "out", op->output, length, MSW_ROLE_OUT);
    ms_read_wide(L, index, op);
    op->count_segments = ms_read_pointer(L, index, "count_segments");
    op->empty = ms_read_pointer(L, index, "empty");
    op->part = ms_read_pointer(L, index, "part");
    op->part_joined = ms_read_pointer(L, index, "part_joined");
    op->part_output = ms_read_pointer(L, index, "part_output");
    op->part_combine = ms_read_pointer(L, index, "part_combine");
    op->near = parameter_type(op->map, 2) ? parameter_type(op->map, 2) : parameter_type(op->output_map, 3);
}

static void read_scan(lua_State *L, int index, ms_operation *op) { read_fold(L, index, MSW_LENGTH_N, op); }

static void read_reduction(lua_State *L, int index, ms_operation *op) { read_fold(L, index, MSW_LENGTH_ONE, op); }

static void read_sweep(lua_State *L, int index, ms_operation *op)
{
    read_fold(L, index, MSW_LENGTH_N, op);
    op->carry = ms_read_pointer(L, index, "carry");
    op->from_carry = ms_read_pointer(L, index, "from_carry");
    op->to_carry = ms_read_pointer(L, index, "to_carry");
    op->totals = ms_read_pointer(L, index, "totals");
    op->continued = ms_read_pointer(L, index, "continued");
    op->continued_counts = ms_read_flag(L, index, "continued_counts");
    op->start = read_element(L, index, "start", op->monoid);
    op->item = ms_read_pointer(L, index, "item");
    op->reach = ms_read_pointer(L, index, "reach");
    op->any_order = ms_read_flag(L, index, "any_order");
    op->recount = ms_read_pointer(L, index, "recount");
    op->merged = ms_read_pointer(L, index, "merged");
    if (lua_getfield(L, index, "counters") == LUA_TNUMBER) op->counters = (uint32_t)lua_tointeger(L, -1);
    lua_pop(L, 1);
    if (lua_getfield(L, index, "continued_output") == LUA_TNUMBER) op->continued_output = (uint32_t)lua_tointeger(L, -1) - 1;
    lua_pop(L, 1);
    op->info.item_count = op->item ? op->info.buffer_count : 0;
    op->info.has_any_order = (uint32_t)op->any_order;
    op->info.items = op->item ? ms_operation_buffer(op, MSW_ROLE_OUT, 0) : 0;
    if (op->totals) ms_add_totals(op);
}

/* ---- describing ---- */

static const char *scan_word(const ms_operation *op) { return op->exclusive ? "exclusive scan" : "inclusive scan"; }

static void append_title(ms_text *text, const char *word, const ms_operation *op)
{
    const int says_type = strchr(op->monoid->name, '(') != NULL; /* "sum(u32)" */
    ms_text_append(text, "%s of ", word);
    ms_append_arrays(text, op, MSW_ROLE_IN);
    ms_text_append(text, " by %s%s%s%s", op->monoid->name, says_type ? "" : " of ", says_type ? "" : op->monoid->type->info.name,
                   op->reverse ? ", from the last element" : "");
}

static void append_sweep_title(ms_text *text, const ms_operation *op)
{
    ms_text_append(text, "%s of ", op->word);
    ms_append_arrays(text, op, MSW_ROLE_IN);
    ms_text_append(text, " to ");
    ms_append_arrays(text, op, MSW_ROLE_OUT);
    if (op->carry) ms_text_append(text, " by %s%s", op->monoid->name, op->reverse ? ", from the last element" : "");
}

static void append_scan_title(ms_text *text, const ms_operation *op) { append_title(text, scan_word(op), op); }

static void append_reduction_title(ms_text *text, const ms_operation *op) { append_title(text, "reduction", op); }

static void append_summary(ms_text *text, const char *word, const ms_operation *op)
{
    ms_text_append(text, "%s of ", word);
    ms_append_arrays(text, op, MSW_ROLE_IN);
    ms_text_append(text, " by %s of %s (%u byte%s), returns ", op->monoid->name, op->monoid->type->info.name, op->monoid->type->info.size_bytes,
                   op->monoid->type->info.size_bytes == 1 ? "" : "s");
    ms_append_arrays(text, op, MSW_ROLE_OUT);
    ms_text_append(text, "%s%s", op->init ? ", with init" : "", op->reverse ? ", from the last element" : "");
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

/* An aligned block of 2^k elements, and what comes before it. */
typedef struct block {
    uint64_t total[MS_MAX_ELEMENT_BYTES], before[MS_MAX_ELEMENT_BYTES];
} block;

enum { MOST_BLOCKS = 64 }; /* k is less */

/* An evaluation in memory order. */
typedef struct folding {
    const ms_operation *op;
    ms_arena *arena;
    ms_eval *combine, *map, *output, *make_item, *recount, *merged;
    ms_push *push;
    uint64_t s[MS_MAX_ELEMENT_BYTES];       /* the prefix */
    uint64_t counted[MS_MAX_ELEMENT_BYTES]; /* that of the counters, where states decide what is kept */
    block *blocks;                          /* of the balanced tree, that which was last of each k; NULL: elements are combined one after the other */
    ms_item item;
} folding;

/* a before b, in the operation's direction. joined may be one of them. */
static int join(folding *f, const uint64_t *a, const uint64_t *b, uint64_t *joined)
{
    uint64_t made[MS_MAX_ELEMENT_BYTES];
    const uint64_t *args[2] = {f->op->reverse ? b : a, f->op->reverse ? a : b};
    if (ms_eval_run_pushed(f->combine, f->push, args, made)) return -1;
    memcpy(joined, made, f->op->monoid->type->info.leaf_count * sizeof *made);
    return 0;
}

/* Element k, of an order of combination that depends on nothing else: the first k + 1 elements are an aligned block for each bit of their number,
 * the longest first. The prefix is combined with these blocks one after the other, each of which is a perfect binary tree. */
static int grow(folding *f, uint64_t k, const uint64_t *x)
{
    const size_t bytes = f->op->monoid->type->info.leaf_count * sizeof *x;
    uint64_t total[MS_MAX_ELEMENT_BYTES];
    const uint64_t *before = f->s;
    uint32_t level = 0;
    memcpy(total, x, bytes);
    for (; k >> level & 1; level++) {
        if (join(f, f->blocks[level].total, total, total)) return -1;
        before = f->blocks[level].before;
    }
    memcpy(f->blocks[level].total, total, bytes);
    if (before != f->blocks[level].before) memcpy(f->blocks[level].before, before, bytes);
    return join(f, f->blocks[level].before, total, f->s);
}

/* Element k in the operation's direction. */
static int step(folding *f, uint64_t k)
{
    uint64_t mapped[MS_MAX_ELEMENT_BYTES];
    const uint64_t *x = f->item.x;
    if (f->map) {
        const uint64_t *args[3] = {f->item.x, &f->item.i, f->item.near};
        if (ms_eval_run_pushed(f->map, f->push, args, mapped)) return -1;
        x = mapped;
    }
    return f->blocks ? grow(f, k, x) : join(f, f->s, x, f->s);
}

/* s with those counters. */
static int merge(folding *f, uint64_t *s, const uint64_t *counters)
{
    uint64_t made[MS_MAX_ELEMENT_BYTES];
    const uint64_t *args[2] = {s, counters};
    if (ms_eval_run(f->merged, args, made)) return -1;
    memcpy(s, made, f->op->monoid->type->info.leaf_count * sizeof *made);
    return 0;
}

static int write_output(folding *f, const uint64_t *s, const ms_evaluation *e)
{
    uint64_t made[MS_MAX_ELEMENT_BYTES];
    const uint64_t *result = s;
    if (f->output) {
        const uint64_t *args[4] = {s, f->item.x, &f->item.i, f->item.near};
        if (ms_eval_run_pushed(f->output, f->push, args, made)) return -1;
        result = made;
    }
    ms_evaluation_store(e, f->item.i, result);
    return 0;
}

/* Those of the element whose items begin at state `first` and end before `end`, as far as there is room. */
static int write_items(folding *f, uint64_t first, uint64_t end, const ms_evaluation *e)
{
    const ms_operation *op = f->op;
    const uint64_t room = e->outputs[0] ? ms_operation_room(op, e->n) : 0; /* it is the first output */
    uint64_t made[MS_MAX_ELEMENT_BYTES];
    for (uint64_t k = 0; first + k < end && first + k < room; k++) {
        const uint64_t *args[3] = {f->item.x, &f->item.i, &k};
        if (ms_eval_run_pushed(f->make_item, f->push, args, made)) return -1;
        ms_evaluation_store(e, first + k, made);
    }
    return 0;
}

static int write_totals(folding *f, const ms_evaluation *e)
{
    const ms_operation *op = f->op;
    ms_eval *totals = op->totals ? ms_eval_create(f->arena, op->totals, 0) : NULL;
    const uint64_t *args[1] = {f->s};
    uint64_t made[MS_MAX_ELEMENT_BYTES];
    if (!op->totals || e->has_records) return 0;
    if (!totals || ms_eval_run_pushed(totals, f->push, args, made)) return -1;
    ms_operation_store_totals(op, e->outputs, made);
    return 0;
}

/* Gives state s, that which the element's output is made of, the counters before the element or with it. */
static int count(folding *f, uint64_t *s)
{
    uint64_t before[MS_MAX_ELEMENT_BYTES], kept[MS_MAX_ELEMENT_BYTES];
    const uint64_t *args[4] = {s, f->item.x, &f->item.i, f->item.near};
    memcpy(before, f->counted, sizeof before);
    if (ms_eval_run_pushed(f->recount, f->push, args, kept) || join(f, f->counted, kept, f->counted)) return -1;
    return merge(f, s, f->op->exclusive ? before : f->counted);
}

/* Segments without elements. */
static int write_empty(folding *f, const ms_evaluation *e)
{
    const ms_operation *op = f->op;
    const unsigned char *offsets = e->has_records ? NULL : e->inputs[op->segments - 1]; /* inputs come first */
    uint64_t made[MS_MAX_ELEMENT_BYTES];
    if (!offsets) return 0;
    if (!ms_segments_empty(op, f->arena, made)) return -1;
    for (uint64_t j = 0; j < op->segment_count; j++) {
        if (memcmp(offsets + j * sizeof j, offsets + (j + 1) * sizeof j, sizeof j)) continue;
        ms_operation_fill(op, e->outputs, j, made);
    }
    return 0;
}

static int run(folding *f, const ms_evaluation *e)
{
    const ms_operation *op = f->op;
    const int writes_each = ms_operation_is_per_element(op);
    for (uint64_t k = 0; k < e->n; k++) {
        uint64_t before[MS_MAX_ELEMENT_BYTES];
        ms_evaluation_load(e, op->reverse ? e->n - 1 - k : k, &f->item);
        memcpy(before, f->s, sizeof before);
        if (step(f, k)) return -1;
        if (op->item) {
            if (write_items(f, *before, *f->s, e)) return -1;
            continue;
        }
        if (!op->exclusive) memcpy(before, f->s, sizeof before);
        if (op->recount && count(f, before)) return -1;
        if (writes_each && write_output(f, before, e)) return -1;
    }
    f->item.i = 0;
    if (op->recount && merge(f, f->s, f->counted)) return -1;
    if (op->empty && write_empty(f, e)) return -1;
    return !writes_each && write_output(f, f->s, e) ? -1 : write_totals(f, e);
}

/* Between a carry and a state, in place. */
static int convert(const folding *f, const ms_function *function, uint64_t *leaves)
{
    uint64_t made[MS_MAX_ELEMENT_BYTES];
    const uint64_t *args[1] = {leaves};
    ms_eval *eval = ms_eval_create(f->arena, function, 0);
    if (!eval || ms_eval_run(eval, args, made)) return -1;
    memcpy(leaves, made, function->result->info.leaf_count * sizeof *made);
    return 0;
}

static int prepare(folding *f, ms_arena *arena, const void *carry_in)
{
    const ms_operation *op = f->op;
    f->combine = ms_eval_create(arena, op->monoid->combine, 0);
    f->map = op->map ? ms_eval_create(arena, op->map, 0) : NULL;
    f->output = op->output_map ? ms_eval_create(arena, op->output_map, 0) : NULL;
    f->make_item = op->item ? ms_eval_create(arena, op->item, 0) : NULL;
    f->recount = op->recount ? ms_eval_create(arena, op->recount, 0) : NULL;
    f->merged = op->merged ? ms_eval_create(arena, op->merged, 0) : NULL;
    f->blocks = ms_operation_is_balanced(op) ? ms_arena_alloc(arena, MOST_BLOCKS * sizeof *f->blocks) : NULL;
    ms_leaves_load(op->monoid->type, op->init ? op->init : op->monoid->identity, f->s, 0);
    ms_leaves_load(op->monoid->type, op->monoid->identity, f->counted, 0);
    if (carry_in) ms_leaves_load(op->carry, carry_in, f->s, 0);
    if (carry_in && op->from_carry && convert(f, op->from_carry, f->s)) return 0;
    return f->combine && (f->map || !op->map) && (f->output || !op->output_map) && (f->make_item || !op->item) && (f->recount || !op->recount) &&
           (f->merged || !op->merged) && (f->blocks || !ms_operation_is_balanced(op));
}

static msw_result evaluate(const ms_evaluation *e)
{
    folding f = {.op = e->op, .arena = e->arena, .push = e->push};
    if (!prepare(&f, e->arena, e->carry_in)) return MSW_ERROR_OUT_OF_MEMORY;
    if (run(&f, e)) return MSW_ERROR_SPEC;
    if (e->carry_out && e->op->to_carry && convert(&f, e->op->to_carry, f.s)) return MSW_ERROR_OUT_OF_MEMORY;
    if (e->carry_out) ms_leaves_store(e->op->carry, e->carry_out, f.s, 0);
    return MSW_OK;
}

const ms_kind ms_sweep_kind = {read_sweep, append_sweep_title, append_sweep_title, append_json, evaluate};

const ms_kind ms_scan_kind = {read_scan, append_scan_title, append_scan_summary, append_json, evaluate};

const ms_kind ms_reduce_kind = {read_reduction, append_reduction_title, append_reduction_summary, append_json, evaluate};
