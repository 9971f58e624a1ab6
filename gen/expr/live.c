/* Of a tree the order of Sethi and Ullman (1970) needs fewest registers: the operand that needs most beside its own result comes first. Of a graph
 * none is known that is fast: that order is tried, and a search from the start that first takes what costs nothing, for as long as it may. */
#include "live.h"

#include <string.h>

enum { SET_WORDS = 4, MOST_OPERATIONS = 64 * SET_WORDS, MOST_STEPS = 2000, LOG2_TABLE_SIZE = 12 };

typedef struct ms_done { /* which operations */
    uint64_t words[SET_WORDS];
} ms_done;

/* An operation, or a leaf that takes registers. */
typedef struct ms_live_node {
    uint32_t words, users; /* users: operations, and 1 more where the value stays to the end */
    int is_operation, is_held;
    uint32_t need; /* Sethi and Ullman's number of what it is made of */
    ms_node args[3];
    uint32_t arg_count; /* without constants, each once */
} ms_live_node;

typedef struct ms_ordering {
    const ms_function *function;
    ms_live_node *nodes;
    uint32_t bound;
    ms_node *operations; /* in the order of the trace */
    uint32_t operation_count;
    uint32_t *uses;             /* of each node: users to come; while an order is walked */
    uint8_t *is_live, *is_done; /* likewise */
    uint32_t words;             /* that live */
    ms_done *failed;            /* a hash table of what was done where the rest did not fit */
    uint32_t table_size, steps;
} ms_ordering;

static uint32_t words_of(msw_scalar type) { return type == MSW_BOOL ? 0 : (ms_scalar_bytes(type) + 3) / 4; }
static uint32_t most(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* ---- the graph ---- */

static void add_operand(ms_ordering *o, ms_live_node *node, ms_node arg)
{
    if (!arg || o->function->graph->nodes[arg].op == MS_OP_CONST) return;
    for (uint32_t k = 0; k < node->arg_count; k++)
        if (node->args[k] == arg) return;
    node->args[node->arg_count++] = arg;
    o->nodes[arg].users++;
}

static void read_graph(ms_ordering *o, uint32_t held, const uint8_t *reached)
{
    const ms_graph *graph = o->function->graph;
    for (ms_node id = 1; id < o->bound; id++) {
        const ms_node_data *data = &graph->nodes[id];
        ms_live_node *node = &o->nodes[id];
        if (!reached[id] || data->op == MS_OP_CONST) continue;
        node->words = words_of((msw_scalar)data->type);
        node->is_operation = data->op != MS_OP_INPUT;
        node->is_held = !node->is_operation && data->param < 4 && (held >> data->param & 1);
        if (!node->is_operation) continue;
        o->operations[o->operation_count++] = id;
        for (uint32_t k = 0; k < 3; k++) add_operand(o, node, data->arg[k]);
    }
    for (uint32_t l = 0; l < o->function->result->info.leaf_count; l++) o->nodes[o->function->leaves[l]].users++; /* of a constant: never asked for */
}

/* The operands of a node, that which needs most beside its own words first. */
static void order_operands(const ms_ordering *o, ms_live_node *node)
{
    for (uint32_t i = 1; i < node->arg_count; i++)
        for (uint32_t j = i; j > 0; j--) {
            const ms_live_node *a = &o->nodes[node->args[j - 1]], *b = &o->nodes[node->args[j]];
            if (a->need - a->words >= b->need - b->words) break;
            const ms_node moved = node->args[j];
            node->args[j] = node->args[j - 1];
            node->args[j - 1] = moved;
        }
}

static void number_nodes(ms_ordering *o)
{
    for (ms_node id = 1; id < o->bound; id++) {
        ms_live_node *node = &o->nodes[id];
        uint32_t words = 0;
        node->need = node->words;
        order_operands(o, node);
        for (uint32_t k = 0; k < node->arg_count; k++) {
            node->need = most(node->need, words + o->nodes[node->args[k]].need);
            words += o->nodes[node->args[k]].words;
        }
        node->need = most(node->need, words);
    }
}

/* ---- an order, operation by operation ---- */

static void start(ms_ordering *o)
{
    o->words = 0;
    for (ms_node id = 1; id < o->bound; id++) {
        o->uses[id] = o->nodes[id].users;
        o->is_done[id] = 0;
        o->is_live[id] = o->nodes[id].is_held && o->nodes[id].users;
        if (o->is_live[id]) o->words += o->nodes[id].words;
    }
}

/* What lives while its operands are there, and when they are gone but its result has come. */
static void weigh(const ms_ordering *o, ms_node id, uint32_t *before, uint32_t *after)
{
    const ms_live_node *node = &o->nodes[id];
    *before = o->words;
    *after = o->words + node->words;
    for (uint32_t k = 0; k < node->arg_count; k++) {
        const ms_node arg = node->args[k];
        if (!o->is_live[arg]) *before += o->nodes[arg].words, *after += o->nodes[arg].words;
        if (o->uses[arg] == 1) *after -= o->nodes[arg].words;
    }
}

/* Returns the words that live at once. */
static uint32_t take(ms_ordering *o, ms_node id)
{
    uint32_t before, after;
    weigh(o, id, &before, &after);
    for (uint32_t k = 0; k < o->nodes[id].arg_count; k++) {
        const ms_node arg = o->nodes[id].args[k];
        o->is_live[arg] = --o->uses[arg] > 0;
    }
    o->is_live[id] = o->is_done[id] = 1;
    o->words = after;
    return most(before, after);
}

static void give_back(ms_ordering *o, ms_node id, uint32_t words, const uint8_t were_live[3])
{
    o->is_live[id] = o->is_done[id] = 0;
    o->words = words;
    for (uint32_t k = 0; k < o->nodes[id].arg_count; k++) {
        o->uses[o->nodes[id].args[k]]++;
        o->is_live[o->nodes[id].args[k]] = were_live[k];
    }
}

/* Results that are leaves nothing was made of are loaded last. Returns the words that live in the end. */
static uint32_t words_at_end(const ms_ordering *o)
{
    uint32_t words = o->words;
    for (ms_node id = 1; id < o->bound; id++)
        if (o->uses[id] && !o->is_live[id] && !o->nodes[id].is_operation) words += o->nodes[id].words;
    return words;
}

/* Depth first, with Sethi and Ullman's numbers. `deep`: room for all nodes. */
static uint32_t walk_results(ms_ordering *o, ms_node *deep)
{
    uint32_t words;
    start(o);
    words = o->words;
    for (uint32_t l = 0; l < o->function->result->info.leaf_count; l++) {
        uint32_t depth = 0;
        deep[depth++] = o->function->leaves[l];
        while (depth) {
            const ms_node id = deep[depth - 1];
            uint32_t k = 0;
            if (!o->nodes[id].is_operation || o->is_done[id]) {
                depth--;
                continue;
            }
            while (k < o->nodes[id].arg_count && (!o->nodes[o->nodes[id].args[k]].is_operation || o->is_done[o->nodes[id].args[k]])) k++;
            if (k < o->nodes[id].arg_count) deep[depth++] = o->nodes[id].args[k];
            else words = most(words, take(o, id)), depth--;
        }
    }
    return most(words, words_at_end(o));
}

/* As the spec has them. */
static uint32_t walk_trace(ms_ordering *o)
{
    uint32_t words;
    start(o);
    words = o->words;
    for (uint32_t i = 0; i < o->operation_count; i++) words = most(words, take(o, o->operations[i]));
    return most(words, words_at_end(o));
}

/* ---- the search ---- */

static ms_done *find_failed(const ms_ordering *o, const ms_done *done)
{
    uint64_t hash = 0;
    for (uint32_t w = 0; w < SET_WORDS; w++) hash = (hash ^ done->words[w]) * 0xff51afd7ed558ccdu, hash ^= hash >> 32;
    for (uint32_t i = (uint32_t)hash % o->table_size;; i = (i + 1) % o->table_size) {
        static const ms_done none;
        if (!memcmp(&o->failed[i], &none, sizeof none) || !memcmp(&o->failed[i], done, sizeof none)) return &o->failed[i];
    }
}

static int is_ready(const ms_ordering *o, ms_node id)
{
    for (uint32_t k = 0; k < o->nodes[id].arg_count; k++)
        if (o->nodes[o->nodes[id].args[k]].is_operation && !o->is_done[o->nodes[id].args[k]]) return 0;
    return !o->is_done[id];
}

static int fits(ms_ordering *o, uint32_t limit, ms_done *done, uint32_t done_count);

static int fits_after(ms_ordering *o, uint32_t limit, ms_done *done, uint32_t done_count, uint32_t i)
{
    const ms_node id = o->operations[i];
    const uint32_t words = o->words;
    uint8_t were_live[3] = {0};
    for (uint32_t k = 0; k < o->nodes[id].arg_count; k++) were_live[k] = o->is_live[o->nodes[id].args[k]];
    take(o, id);
    done->words[i / 64] |= UINT64_C(1) << i % 64;
    if (fits(o, limit, done, done_count + 1)) return 1;
    done->words[i / 64] &= ~(UINT64_C(1) << i % 64);
    give_back(o, id, words, were_live);
    return 0;
}

/* 1: the operations that are left can be done within `limit` words. One that adds no words is taken at once: later it would not be better. */
static int fits(ms_ordering *o, uint32_t limit, ms_done *done, uint32_t done_count)
{
    uint32_t before, after;
    if (done_count == o->operation_count) return words_at_end(o) <= limit;
    if (o->steps >= MOST_STEPS || (done_count && !memcmp(find_failed(o, done), done, sizeof *done))) return 0;
    o->steps++;
    for (uint32_t i = 0; i < o->operation_count; i++) {
        if (!is_ready(o, o->operations[i])) continue;
        weigh(o, o->operations[i], &before, &after);
        if (before <= limit && after <= o->words) return fits_after(o, limit, done, done_count, i);
    }
    for (uint32_t i = 0; i < o->operation_count; i++) {
        if (!is_ready(o, o->operations[i])) continue;
        weigh(o, o->operations[i], &before, &after);
        if (before <= limit && after <= limit && fits_after(o, limit, done, done_count, i)) return 1;
    }
    if (done_count) *find_failed(o, done) = *done;
    return 0;
}

/* One word less at a time, until it does not fit. 0: out of memory. */
static int search(ms_ordering *o, ms_arena *arena, ms_live *live)
{
    const uint32_t sets = o->operation_count + 1; /* of so many bits: twice as many entries as there are sets of operations */
    o->table_size = 1u << (sets < LOG2_TABLE_SIZE ? sets : LOG2_TABLE_SIZE);
    const size_t table_bytes = o->table_size * sizeof *o->failed;
    o->failed = ms_arena_resize(arena, NULL, 0, table_bytes);
    if (!o->failed) return 0;
    while (live->words && o->steps < MOST_STEPS) {
        ms_done done = {{0}};
        memset(o->failed, 0, table_bytes);
        start(o);
        if (o->words > live->words - 1 || !fits(o, live->words - 1, &done, 0)) break;
        live->words--;
    }
    live->is_least = o->steps < MOST_STEPS;
    ms_arena_resize(arena, o->failed, table_bytes, 0);
    return 1;
}

/* ---- */

/* 0: out of memory. */
static int order(ms_ordering *o, ms_arena *arena, uint32_t held, uint8_t *reached, ms_node *deep, ms_live *live)
{
    ms_function_mark(o->function, reached);
    read_graph(o, held, reached);
    number_nodes(o);
    live->words = walk_results(o, deep);
    const uint32_t traced = walk_trace(o);
    if (traced < live->words) live->words = traced;
    live->is_least = 0;
    return o->operation_count > MOST_OPERATIONS || search(o, arena, live);
}

static uint32_t type_words(const ms_type *type)
{
    uint32_t words = 0;
    for (uint32_t l = 0; l < type->info.leaf_count; l++) words += words_of(type->info.leaves[l].scalar);
    return words;
}

int ms_function_live(const ms_function *function, uint32_t held, ms_arena *arena, ms_live *live)
{
    *live = (ms_live){type_words(function->result), 0};
    if (!function->leaves) {
        for (uint32_t p = 0; p < function->param_count; p++) live->words += type_words(function->params[p].type);
        return 1;
    }
    const uint32_t bound = ms_function_node_bound(function);
    const size_t node_bytes = sizeof(ms_live_node) + 2 * sizeof(ms_node) + sizeof(uint32_t) + 3;
    const size_t size_bytes = bound * node_bytes;
    char *memory = ms_arena_resize(arena, NULL, 0, size_bytes);
    if (!memory) return 0;
    memset(memory, 0, size_bytes);
    ms_ordering o = {.function = function, .bound = bound, .nodes = (ms_live_node *)memory};
    o.operations = (ms_node *)(o.nodes + bound);
    ms_node *deep = o.operations + bound;
    o.uses = deep + bound;
    o.is_live = (uint8_t *)(o.uses + bound);
    o.is_done = o.is_live + bound;
    const int is_ordered = order(&o, arena, held, o.is_done + bound, deep, live);
    ms_arena_resize(arena, memory, size_bytes, 0);
    return is_ordered;
}
