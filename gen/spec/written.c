/* A pipeline as it was written, as a graph; and the rule that says which of its operations one kernel can have. */
#include "written.h"
#include "expr/live.h"

/* Of a kernel of several operations. The text of an operation takes up to 93 bytes (an fma of f16 in GLSL without f16), and a function has at most
 * 64 KiB; to compute 512 takes so much longer than to move an element that a kernel less gains nothing. */
enum {
    MOST_BYTES = 48,       /* of an element of all arrays that functions read, or write: of more, they cannot know what is near */
    MOST_OPERATIONS = 512, /* of all functions that may be part of one function */
    MOST_DEPTH = 12        /* structs in structs: records around them make 16, which is the most that there may be (lua/values.lua) */
};

/* ---- the graph ---- */

typedef struct graphing {
    ms_arena *arena;
    const ms_written *written;
    const ms_cut_device *device;
    double n;
    ms_cut_domain *domains;
    ms_cut_value *values;
    ms_cut_operation *operations;
} graphing;

static ms_cut_kind kind_of(const ms_written_stage *stage)
{
    const ms_operation *op = stage->op;
    if (op->key.image) return MS_CUT_SORT;
    if (op->item || ms_operation_has_places(op)) return MS_CUT_OTHER;
    if (!op->monoid) return stage->abilities & MS_IS_COMPUTED ? MS_CUT_MAP : MS_CUT_OTHER;
    return ms_operation_is_per_element(op) ? MS_CUT_SCAN : MS_CUT_REDUCE;
}

/* A pass a digit of 8 bits: the first read and the last write are operands and results. */
static void describe_sort(const graphing *g, const ms_operation *op, ms_cut_operation *cut)
{
    const uint32_t passes = (op->key.bits + 7) / 8, key_bytes = op->output->info.size_bytes;
    const uint32_t bytes = key_bytes + (op->value ? op->value->info.size_bytes : 0);
    cut->launches = passes + 2;
    cut->look_backs = 1;
    cut->own_bytes = 2.0 * bytes * (passes - 1);
    /* Measured for Onesweep on an H200, keys of 4 and 8 bytes with and without values of 4: 88 instructions and 60 for each word (bench/NOTES.md). */
    cut->instructions = g->device->item_instructions[MS_CUT_SORT] * passes * (1.5 + bytes / 4.0) / 2.5;
    cut->live_words = bytes / 4 + 1;
}

static int describe_functions(const graphing *g, const ms_operation *op, ms_cut_operation *cut)
{
    const ms_function *functions[MS_MAX_FUNCTIONS];
    const uint32_t count = ms_operation_functions(op, functions);
    for (uint32_t f = 0; f < count; f++) {
        ms_live live;
        if (!ms_function_live(functions[f], UINT32_MAX, g->arena, &live)) return 0;
        cut->instructions += functions[f]->operation_count;
        if (cut->kind == MS_CUT_MAP && live.words > cut->live_words) cut->live_words = live.words;
    }
    return 1;
}

static int describe(const graphing *g, const ms_written_stage *stage, ms_cut_operation *cut)
{
    const ms_operation *op = stage->op;
    cut->kind = kind_of(stage);
    cut->launches = 1;
    cut->name = op->name;
    /* A map of several outputs is no selection. */
    cut->instructions = g->device->item_instructions[op->monoid || op->key.image ? cut->kind : MS_CUT_MAP];
    if (!describe_functions(g, op, cut)) return 0;
    if (cut->kind == MS_CUT_SORT) describe_sort(g, op, cut);
    if (!op->monoid) return 1;
    cut->direction = cut->kind == MS_CUT_REDUCE ? MS_CUT_ANY : op->reverse ? MS_CUT_REVERSE : MS_CUT_FORWARD;
    cut->live_words = ms_register_words(op->monoid->type);
    cut->look_backs = cut->kind != MS_CUT_REDUCE && !g->device->reads_twice;
    cut->launches = cut->look_backs ? 1 : cut->kind == MS_CUT_REDUCE ? 2 : 3;
    return 1;
}

static void add_value(graphing *g, uint32_t array, uint32_t operation)
{
    const ms_written_array *a = &g->written->arrays[array];
    g->values[array] = (ms_cut_value){operation, a->domain, a->type->info.size_bytes, a->is_output};
}

static int add_operation(graphing *g, uint32_t s)
{
    const ms_written_stage *stage = &g->written->stages[s];
    const ms_operation *op = stage->op;
    ms_cut_operation *cut = &g->operations[s];
    ms_cut_operand *operands = ms_arena_alloc(g->arena, MSW_MAX_KERNEL_BUFFERS * sizeof *operands);
    *cut = (ms_cut_operation){.domain = stage->domain, .operands = operands, .is_next_part = stage->is_next_part};
    if (!operands || !describe(g, stage, cut)) return 0;
    for (uint32_t b = 0; b < op->info.buffer_count; b++) {
        const uint32_t array = stage->arrays[b];
        if (op->info.buffers[b].role == MSW_ROLE_OUT) {
            if (!cut->result_count++) cut->first_result = array;
            add_value(g, array, s);
            continue;
        }
        const int is_read_twice = b == 0 && cut->kind == MS_CUT_SORT;
        const int is_stored = op->info.buffers[b].role == MSW_ROLE_IN && (!(stage->abilities & MS_DERIVES) || b + 1 == stage->in_memory);
        operands[cut->operand_count++] = (ms_cut_operand){array, is_read_twice ? 2 : 1, is_stored};
    }
    return 1;
}

/* As many as a stage packs: half of what it reads. */
static void count_elements(graphing *g)
{
    const ms_written *w = g->written;
    for (uint32_t d = 0; d < w->array_count + MS_DOMAIN_COUNTED; d++) g->domains[d] = (ms_cut_domain){g->n, g->n, 0};
    g->domains[MS_DOMAIN_ONE] = (ms_cut_domain){1, 1, 1};
    for (uint32_t s = 0; s < w->stage_count; s++)
        for (uint32_t b = 0; b < w->stages[s].op->info.buffer_count; b++) {
            if (w->stages[s].op->info.buffers[b].role != MSW_ROLE_OUT) continue;
            const uint32_t of = w->arrays[w->stages[s].arrays[b]].domain, from = w->stages[s].domain;
            if (of >= MS_DOMAIN_COUNTED && of != from) g->domains[of].elements = g->domains[from].elements / 2;
        }
    for (uint32_t a = 0; a < w->array_count; a++) {
        ms_cut_domain *domain = &g->domains[w->arrays[a].domain];
        const double room = w->arrays[a].room;
        if (!w->arrays[a].room) continue;
        domain->room = room;
        if (room < domain->elements || w->arrays[a].domain == MS_DOMAIN_COUNTED + a) domain->elements = room;
    }
}

const ms_cut_graph *ms_written_graph(ms_arena *arena, const ms_written *w, double n, const ms_cut_device *device)
{
    graphing g = {.arena = arena, .written = w, .device = device, .n = n};
    ms_cut_graph *graph = ms_arena_alloc(arena, sizeof *graph);
    g.domains = ms_arena_alloc(arena, (w->array_count + MS_DOMAIN_COUNTED) * sizeof *g.domains);
    g.values = ms_arena_alloc(arena, (w->array_count + 1) * sizeof *g.values);
    g.operations = ms_arena_alloc(arena, (w->stage_count + 1) * sizeof *g.operations);
    if (!graph || !g.domains || !g.values || !g.operations) return NULL;
    count_elements(&g);
    for (uint32_t a = 0; a < w->array_count; a++) add_value(&g, a, MS_CUT_ARRAY);
    for (uint32_t s = 0; s < w->stage_count; s++)
        if (!add_operation(&g, s)) return NULL;
    *graph = (ms_cut_graph){g.domains, w->array_count + MS_DOMAIN_COUNTED, g.values, w->array_count, g.operations, w->stage_count};
    return graph;
}

/* ---- which kernels can be emitted ---- */

typedef struct ruling {
    const ms_written *written;
    const ms_cut_graph *graph;
    const ms_cut_kernel *kernel;
    uint32_t root;                                          /* the operation that the kernel is one of */
    uint32_t scans;                                         /* in its place, if there are several; else 1, or 0 of maps */
    uint8_t is_root[MSW_MAX_STAGES], level[MSW_MAX_STAGES]; /* by operation: it is the root or such a scan; how many of these in a row it has */
} ruling;

static int is_sort(const ruling *r) { return r->graph->operations[r->root].kind == MS_CUT_SORT; }

static int is_member(const ruling *r, uint32_t operation)
{
    for (uint32_t o = 0; o < r->kernel->operation_count; o++)
        if (r->kernel->operations[o] == operation) return 1;
    return 0;
}

static int is_written(const ruling *r, uint32_t value)
{
    for (uint32_t w = 0; w < r->kernel->write_count; w++)
        if (r->kernel->writes[w] == value) return 1;
    return 0;
}

/* What is no map; of maps alone the last one, which nothing else can use. */
static int find_root(ruling *r)
{
    const ms_cut_kernel *kernel = r->kernel;
    r->root = kernel->operations[kernel->operation_count - 1];
    for (uint32_t o = 0; o < kernel->operation_count; o++) {
        if (r->written->stages[kernel->operations[o]].abilities & MS_IS_COMPUTED) continue;
        r->root = kernel->operations[o];
        r->is_root[r->root] = 1;
        r->scans++;
    }
    r->is_root[r->root] = 1;
    const ms_cut_operation *root = &r->graph->operations[r->root];
    return root->kind != MS_CUT_MAP || is_written(r, root->first_result);
}

/* How many scans in a row its operands have. */
static uint8_t level_before(const ruling *r, uint32_t operation)
{
    const ms_cut_operation *op = &r->graph->operations[operation];
    uint8_t level = 0;
    for (uint32_t p = 0; p < op->operand_count; p++) {
        const uint32_t producer = r->graph->values[op->operands[p].value].operation;
        if (producer != MS_CUT_ARRAY && is_member(r, producer) && r->level[producer] > level) level = r->level[producer];
    }
    return level;
}

/* A scan of what another one returns: in two levels, and where nothing rounds. */
static int can_follow(const ruling *r, uint32_t scan)
{
    if (r->level[scan] > 2 || !(r->written->stages[scan].abilities & MS_FOLLOWS)) return 0;
    for (uint32_t o = 0; o < r->kernel->operation_count; o++) {
        const ms_operation *op = r->written->stages[r->kernel->operations[o]].op;
        if (!op->info.is_bit_exact || ms_operation_is_balanced(op)) return 0;
    }
    return 1;
}

/* Whether the map's result, which is no root's, can be one of the root's kernel. */
static int can_store(const ruling *r, uint32_t map)
{
    const uint32_t root = r->written->stages[r->root].abilities;
    if (root & MS_PACKS) return r->level[map] && r->written->stages[map].abilities & MS_HAS_NO_INDEX;
    return root & MS_STORES && (!is_sort(r) || r->level[map]);
}

/* 1: another operation's result is stored beside the root's, or made of them. */
static int find_stored(ruling *r, int *has_stored)
{
    *has_stored = r->scans > 1;
    for (uint32_t i = 0; i < r->kernel->operation_count; i++) {
        const uint32_t o = r->kernel->operations[i];
        const uint8_t before = level_before(r, o);
        r->level[o] = (uint8_t)(before + r->is_root[o]);
        if (r->is_root[o] && before && !can_follow(r, o)) return 0;
        if (r->is_root[o] || (!before && !is_written(r, r->graph->operations[o].first_result))) continue;
        if (!can_store(r, o)) return 0;
        *has_stored = 1;
    }
    return 1;
}

/* An inclusive scan beside an exclusive one combines its element last, which is another order. */
static int are_alike(const ms_operation *a, const ms_operation *b)
{
    return a->order == b->order && (a->exclusive == b->exclusive || a->order != MS_ORDER_OF_N);
}

/* A sort's kernels read one array of keys: maps make them of that, and of single values. */
static int can_map_keys(const ruling *r)
{
    const ms_cut_graph *graph = r->graph;
    uint32_t array = UINT32_MAX;
    if (!is_sort(r)) return 1;
    for (uint32_t i = 0; i < r->kernel->operation_count; i++) {
        const ms_cut_operation *op = &graph->operations[r->kernel->operations[i]];
        if (op->kind != MS_CUT_MAP || r->level[r->kernel->operations[i]]) continue;
        for (uint32_t p = 0; p < op->operand_count; p++) {
            const uint32_t value = op->operands[p].value, producer = graph->values[value].operation;
            if (graph->domains[graph->values[value].domain].is_single) continue;
            if (producer != MS_CUT_ARRAY && is_member(r, producer)) continue;
            if (array != UINT32_MAX && array != value) return 0;
            array = value;
        }
    }
    return 1;
}

/* What a sort stores is compared bit for bit: where devices round, it is judged by its keys alone (gen/verify/sort_check.c). */
static int can_map_sorted(const ruling *r, int has_stored)
{
    for (uint32_t i = 0; is_sort(r) && has_stored && i < r->kernel->operation_count; i++)
        if (!ms_operation_is_promised(r->written->stages[r->kernel->operations[i]].op)) return 0;
    return 1;
}

/* Several scans, or reductions, are one of all their states, in one direction, and in one order of combination. */
static int can_join(const ruling *r)
{
    const ms_operation *root = r->written->stages[r->root].op;
    uint32_t bytes = 0;
    for (uint32_t o = 0; r->scans > 1 && o < r->graph->operation_count; o++) {
        if (!r->is_root[o]) continue;
        const ms_operation *op = r->written->stages[o].op;
        if (!(r->written->stages[o].abilities & MS_JOINS) || r->graph->operations[o].kind != r->graph->operations[r->root].kind) return 0;
        if (!are_alike(op, root)) return 0;
        /* A reduction in any order takes few instructions, one in order several times as many, which side by side both would take. */
        if (r->graph->operations[o].kind == MS_CUT_REDUCE && op->monoid->commutative != root->monoid->commutative) return 0;
        bytes += 4 * ms_register_words(op->monoid->type);
    }
    return bytes <= MOST_BYTES;
}

/* The most that a record of these values takes in any order: of elements of arrays, or of single values. */
static uint32_t bytes_of(const ruling *r, const uint32_t *values, uint32_t count, int are_single)
{
    uint32_t alignment = 1, bytes = 0;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t v = 0; v < count; v++) {
            const msw_type_info *type = &r->written->arrays[values[v]].type->info;
            if (r->graph->domains[r->graph->values[values[v]].domain].is_single != are_single) continue;
            if (pass) bytes += (type->size_bytes + alignment - 1) / alignment * alignment;
            else if (type->alignment_bytes > alignment) alignment = type->alignment_bytes;
        }
    return bytes;
}

/* What functions read is a record, and what they return: of arrays, of uniforms and single values, of results of reductions. */
static int are_records_small(const ruling *r, int has_stored)
{
    const ms_cut_kernel *kernel = r->kernel;
    return bytes_of(r, kernel->reads, kernel->read_count, 0) <= MOST_BYTES &&
           bytes_of(r, kernel->reads, kernel->read_count, 1) <= MS_MAX_ELEMENT_BYTES &&
           (!has_stored || (bytes_of(r, kernel->writes, kernel->write_count, 0) <= MOST_BYTES &&
                            bytes_of(r, kernel->writes, kernel->write_count, 1) <= MS_MAX_ELEMENT_BYTES));
}

static uint32_t operations_of(const ms_function *function) { return function ? function->operation_count : 0; }

/* Maps are part of each of the root's functions; of scans side by side an output may combine an element. */
static int are_functions_short(const ruling *r)
{
    const ms_operation *root = r->written->stages[r->root].op;
    uint32_t operations = operations_of(root->map);
    if (operations_of(root->output_map) > operations) operations = operations_of(root->output_map);
    if (operations_of(root->item) > operations) operations = operations_of(root->item);
    for (uint32_t i = 0; i < r->kernel->operation_count; i++) {
        const uint32_t o = r->kernel->operations[i];
        const ms_operation *op = r->written->stages[o].op;
        if (r->scans > 1 && r->is_root[o]) operations += operations_of(op->monoid->combine) + operations_of(op->output_map);
        if (o != r->root) operations += operations_of(op->map);
    }
    return operations * (root->near ? 3 : 1) <= MOST_OPERATIONS;
}

static uint32_t depth_of(const ms_type *type)
{
    uint32_t depth = 0;
    for (uint32_t f = 0; f < type->field_count; f++) {
        const uint32_t of_field = depth_of(type->fields[f].type) + 1;
        if (of_field > depth) depth = of_field;
    }
    return depth;
}

static int are_types_flat(const ruling *r)
{
    for (uint32_t i = 0; i < r->kernel->operation_count; i++) {
        const ms_written_stage *stage = &r->written->stages[r->kernel->operations[i]];
        if (stage->op->monoid && depth_of(stage->op->monoid->type) > MOST_DEPTH) return 0;
        for (uint32_t b = 0; b < stage->op->info.buffer_count; b++)
            if (depth_of(r->written->arrays[stage->arrays[b]].type) > MOST_DEPTH) return 0;
    }
    return 1;
}

/* From the last element, in an order that is the same on every device, Vulkan scans no arrays that it may move as words (gen/plan/scan.c). */
static int are_words_whole(const ruling *r)
{
    const ms_operation *root = r->written->stages[r->root].op;
    if (!root->reverse || !ms_operation_is_balanced(root)) return 1;
    for (uint32_t v = 0; v < r->kernel->read_count; v++)
        if (ms_type_has_words(r->written->arrays[r->kernel->reads[v]].type)) return 0;
    for (uint32_t v = 0; v < r->kernel->write_count; v++)
        if (ms_type_has_words(r->written->arrays[r->kernel->writes[v]].type)) return 0;
    return 1;
}

/* A map's uniform may not be called as an array of the root is. Other names are found anew (lua/fuse.lua). */
static int are_names_apart(const ruling *r)
{
    const msw_op_info *root = &r->written->stages[r->root].op->info;
    for (uint32_t i = 0; i < r->kernel->operation_count; i++) {
        const msw_op_info *op = &r->written->stages[r->kernel->operations[i]].op->info;
        for (uint32_t u = 0; u < op->buffer_count; u++) {
            if (op->buffers[u].role != MSW_ROLE_UNIFORM) continue;
            if (!strcmp(op->buffers[u].name, "in")) return 0;
            for (uint32_t b = 0; b < root->buffer_count; b++)
                if (root->buffers[b].role != MSW_ROLE_UNIFORM && !strcmp(root->buffers[b].name, op->buffers[u].name)) return 0;
        }
    }
    return 1;
}

/* Outputs that nobody reads have a buffer, too, unless they are listed anew; a sort's are not. */
static int has_buffers(const ruling *r, int has_stored)
{
    const ms_cut_kernel *kernel = r->kernel;
    const ms_cut_operation *root = &r->graph->operations[r->root];
    uint32_t count = (r->written->stages[r->root].abilities & MS_PACKS) != 0; /* of what is packed, whether anyone reads it or not */
    uint32_t read = kernel->read_count;
    if (is_sort(r)) { /* it may have one array as keys and values */
        read = root->operand_count;
        for (uint32_t v = 0; v < kernel->read_count; v++) read += r->graph->domains[r->graph->values[kernel->reads[v]].domain].is_single != 0;
        for (uint32_t v = 0; v < root->result_count; v++) count += !is_written(r, root->first_result + v);
    }
    const uint32_t written = has_stored ? kernel->write_count + count : root->result_count;
    return read + written <= MSW_MAX_KERNEL_BUFFERS;
}

static int allows(void *user, const ms_cut_graph *graph, const ms_cut_kernel *kernel)
{
    ruling r = {.written = user, .graph = graph, .kernel = kernel};
    int has_stored;
    if (ms_cut_is_one_operation(graph, kernel)) return 1;
    return find_root(&r) && can_join(&r) && find_stored(&r, &has_stored) && can_map_keys(&r) && can_map_sorted(&r, has_stored) &&
           has_buffers(&r, has_stored) && are_records_small(&r, has_stored) && are_functions_short(&r) && are_types_flat(&r) && are_words_whole(&r) &&
           are_names_apart(&r);
}

/* ---- what is read again ---- */

static int takes(const ms_function *function, uint32_t parameters) { return function && function->param_count >= parameters; }

/* Where some scan is exclusive, an inclusive one combines its element where its result is stored. */
static int combines_at_store(const ruling *r, uint32_t scan)
{
    int has_exclusive = 0;
    for (uint32_t o = 0; o < r->graph->operation_count; o++) has_exclusive |= r->is_root[o] && r->written->stages[o].op->exclusive;
    return has_exclusive && !r->written->stages[scan].op->exclusive;
}

/* By operation: whether its element, and what it returns, is made of elements of arrays or of the index, and not of what scans return alone. */
static void find_needs(const ruling *r, uint8_t *element, uint8_t *value)
{
    for (uint32_t i = 0; i < r->kernel->operation_count; i++) {
        const uint32_t o = r->kernel->operations[i];
        const ms_operation *op = r->written->stages[o].op;
        const ms_cut_operation *cut = &r->graph->operations[o];
        element[o] = (uint8_t)takes(op->map, 2);
        for (uint32_t p = 0; p < cut->operand_count; p++) {
            const ms_cut_value *operand = &r->graph->values[cut->operands[p].value];
            if (r->graph->domains[operand->domain].is_single) continue;
            element[o] |= operand->operation == MS_CUT_ARRAY || !is_member(r, operand->operation) || value[operand->operation];
        }
        const int is_used = takes(op->output_map, 2) || combines_at_store(r, o);
        value[o] = op->monoid ? (element[o] && is_used) || takes(op->output_map, 3) : element[o];
    }
}

/* By kernels that reduce first and scan then: twice; once more where results are made of the element, too, where a second scan is made of the first
 * one's results, and where what is kept depends on them. The planner says the same (again_bytes and recount_bytes in gen/plan/scan.c). */
static uint32_t reads(void *user, const ms_cut_graph *graph, const ms_cut_kernel *kernel)
{
    ruling r = {.written = user, .graph = graph, .kernel = kernel};
    uint8_t element[MSW_MAX_STAGES] = {0}, value[MSW_MAX_STAGES] = {0};
    int has_stored, is_again, has_second = 0, takes_element = 0;
    if (!find_root(&r) || !find_stored(&r, &has_stored)) return 0;
    const ms_operation *root = r.written->stages[r.root].op;
    if (!root->monoid || !ms_operation_is_per_element(root)) return 0;
    find_needs(&r, element, value);
    for (uint32_t o = 0; o < graph->operation_count; o++) {
        if (!r.is_root[o] || r.level[o] < 2) continue;
        has_second = 1;
        takes_element |= element[o];
    }
    is_again = root->item || (r.scans > 1 && !has_second); /* the text of scans side by side has the element in any case */
    if (!has_stored || graph->operations[r.root].kind == MS_CUT_OTHER) is_again |= takes(root->output_map, 2);
    for (uint32_t w = 0; w < kernel->write_count; w++) is_again |= value[graph->values[kernel->writes[w]].operation];
    if (has_second) return 3u + (uint32_t)takes_element + (uint32_t)is_again;
    if (root->recount) return 3u + (uint32_t)takes(root->recount, 2) + (uint32_t)is_again;
    return 2u + (uint32_t)is_again;
}

ms_cut_rule ms_written_rule(const ms_written *written) { return (ms_cut_rule){allows, (void *)(uintptr_t)written, reads}; }
