#include "kernel.h"

#include <math.h>

int ms_kind_is_barrier(ms_cut_kind kind)
{
    static const uint8_t barriers[MS_CUT_KIND_COUNT] = {
        [MS_CUT_REDUCE] = 1,
        [MS_CUT_OTHER] = 1,
        [MS_CUT_SORT] = 1,
    };
    return barriers[kind];
}

int ms_is_store_map(const ms_cut_graph *graph, uint32_t value, uint32_t user)
{
    return graph->operations[user].kind == MS_CUT_MAP && graph->operations[user].domain == graph->values[value].domain;
}

int ms_cutting_init(ms_cutting *c)
{
    const ms_cut_graph *g = c->graph;
    c->users = ms_arena_alloc(c->arena, g->value_count * sizeof *c->users + 1);
    c->list = ms_arena_alloc(c->arena, (g->operation_count + g->value_count + 1) * sizeof *c->list);
    if (!c->users || !c->list) return 0;
    for (uint32_t o = 0; o < g->operation_count; o++)
        for (uint32_t p = 0; p < g->operations[o].operand_count; p++) ms_set_add(&c->users[g->operations[o].operands[p].value], o);
    c->needed = (ms_set){{0}};
    for (uint32_t v = 0; v < g->value_count; v++)
        if (g->values[v].is_output && g->values[v].operation != MS_CUT_ARRAY) ms_set_add(&c->needed, g->values[v].operation);
    for (uint32_t o = g->operation_count; o-- > 0;) {
        if (!ms_set_has(&c->needed, o)) continue;
        for (uint32_t p = 0; p < g->operations[o].operand_count; p++) {
            const uint32_t producer = g->values[g->operations[o].operands[p].value].operation;
            if (producer != MS_CUT_ARRAY) ms_set_add(&c->needed, producer);
        }
    }
    return 1;
}

/* ---- may they be one kernel ---- */

/* How an operation takes part. */
typedef enum ms_part {
    MS_PART_ITEMS, /* once for each element of the kernel's domain */
    MS_PART_STORE, /* where a barrier's results are stored, in their domain */
    MS_PART_SINGLE /* a map of single elements, the same in all threads */
} ms_part;

typedef struct ms_parts {
    uint8_t part[MS_CUT_MAX_OPERATIONS];
    uint8_t depth[MS_CUT_MAX_OPERATIONS];  /* look-backs in a row up to it */
    uint32_t reads[MS_CUT_MAX_OPERATIONS]; /* by how many launches it is computed */
} ms_parts;

/* What an operand says of its user's part; -1: they may not be in one kernel. */
static int part_of_operand(const ms_cutting *c, const ms_members *members, const ms_parts *parts, const ms_cut_operand *operand, uint32_t user)
{
    const ms_cut_graph *g = c->graph;
    const ms_cut_value *value = &g->values[operand->value];
    const int is_single = g->domains[value->domain].is_single;
    if (value->operation == MS_CUT_ARRAY || !ms_set_has(&members->operations, value->operation)) return is_single ? MS_PART_SINGLE : MS_PART_ITEMS;
    if (operand->is_stored) return -1;
    if (ms_kind_is_barrier(g->operations[value->operation].kind) || parts->part[value->operation] == MS_PART_STORE)
        return ms_is_store_map(g, operand->value, user) ? MS_PART_STORE : -1;
    return parts->part[value->operation];
}

/* -1: it may not be in the kernel. Maps of single elements are where their operands are: at a store, or wherever they are needed. */
static int part_of(const ms_cutting *c, const ms_members *members, const ms_parts *parts, uint32_t o)
{
    const ms_cut_operation *op = &c->graph->operations[o];
    int has_items = 0, has_store = 0;
    for (uint32_t p = 0; p < op->operand_count; p++) {
        const int part = part_of_operand(c, members, parts, &op->operands[p], o);
        if (part < 0) return -1;
        has_items |= part == MS_PART_ITEMS;
        has_store |= part == MS_PART_STORE;
    }
    if (has_store) return has_items ? -1 : MS_PART_STORE;
    return op->kind == MS_CUT_MAP && c->graph->domains[op->domain].is_single ? MS_PART_SINGLE : MS_PART_ITEMS;
}

/* One domain, one direction, a sort alone, and look-backs in a row. */
static int join(const ms_cutting *c, const ms_members *members, ms_parts *parts, ms_cut_kernel *kernel)
{
    const ms_cut_graph *g = c->graph;
    uint32_t others = 0, sorts = 0, single = UINT32_MAX;
    for (uint32_t o = MS_SET_START; ms_set_next(&members->operations, &o);) {
        const ms_cut_operation *op = &g->operations[o];
        const int part = part_of(c, members, parts, o);
        if (part < 0) return 0;
        parts->part[o] = (uint8_t)part;
        parts->depth[o] = (uint8_t)op->look_backs;
        for (uint32_t p = 0; p < op->operand_count; p++) {
            const uint32_t producer = g->values[op->operands[p].value].operation;
            if (producer == MS_CUT_ARRAY || !ms_set_has(&members->operations, producer)) continue;
            if (parts->depth[producer] + op->look_backs > parts->depth[o]) parts->depth[o] = (uint8_t)(parts->depth[producer] + op->look_backs);
        }
        if (parts->depth[o] > kernel->depth) kernel->depth = parts->depth[o];
        if (part == MS_PART_SINGLE) single = op->domain;
        if (part != MS_PART_ITEMS) continue;
        if (kernel->domain != UINT32_MAX && kernel->domain != op->domain) return 0;
        kernel->domain = op->domain;
        if (op->direction && kernel->direction && op->direction != kernel->direction) return 0;
        if (op->direction) kernel->direction = op->direction;
        sorts += op->kind == MS_CUT_SORT;
        others += op->kind != MS_CUT_MAP;
    }
    if (kernel->domain == UINT32_MAX) kernel->domain = single;
    return kernel->domain != UINT32_MAX && (!sorts || others == 1) && (!c->device->max_depth || kernel->depth <= c->device->max_depth);
}

int ms_cut_is_one_operation(const ms_cut_graph *graph, const ms_cut_kernel *kernel)
{
    const uint32_t first = kernel->operations[0], end = first + kernel->operation_count;
    if (kernel->operation_count == 1) return 1;
    for (uint32_t o = first; o < end; o++)
        if (kernel->operations[o - first] != o || graph->operations[o].is_next_part != (o > first)) return 0;
    return end == graph->operation_count || !graph->operations[end].is_next_part;
}

/* ---- what it costs ---- */

typedef struct ms_work {
    double bytes, read_bytes, instructions; /* read_bytes: of arrays, as often as operations read them */
    uint32_t held_words, map_words;         /* of registers: of each of a thread's items; of the widest map */
    uint32_t kept_words;                    /* of registers, whatever a thread's items are: of the sums that reductions add up */
} ms_work;

/* A reduction's sums are held once, and maps are evaluated item by item. */
static void add_words(ms_work *work, const ms_cut_operation *op)
{
    if (op->kind == MS_CUT_REDUCE) work->kept_words += op->live_words;
    else if (op->kind != MS_CUT_MAP) work->held_words += op->live_words;
    else if (op->live_words > work->map_words) work->map_words = op->live_words;
}

/* Backwards: what a sort's histogram and first pass read is computed by both. */
static ms_work work_of(const ms_cutting *c, const ms_members *members, ms_parts *parts, ms_cut_kernel *kernel)
{
    const ms_cut_graph *g = c->graph;
    ms_work work = {0};
    uint32_t times[MS_CUT_MAX_VALUES]; /* that a value in memory is read */
    memset(times, 0, g->value_count * sizeof *times);
    for (uint32_t o = MS_SET_START; ms_set_next(&members->operations, &o);) parts->reads[o] = 1;
    for (uint32_t o = ms_set_last(&members->operations) + 1; o-- > 0;) {
        if (!ms_set_has(&members->operations, o)) continue;
        const ms_cut_operation *op = &g->operations[o];
        const double elements = g->domains[op->domain].elements;
        for (uint32_t p = 0; p < op->operand_count; p++) {
            const uint32_t value = op->operands[p].value, producer = g->values[value].operation, reads = parts->reads[o] * op->operands[p].reads;
            uint32_t *most = producer != MS_CUT_ARRAY && ms_set_has(&members->operations, producer) ? &parts->reads[producer] : &times[value];
            if (reads > *most) *most = reads;
        }
        work.bytes += op->own_bytes * elements;
        work.instructions += op->instructions * elements * parts->reads[o];
        add_words(&work, op);
        if (op->launches > kernel->launches) kernel->launches = op->launches;
    }
    uint32_t *reads = c->list + kernel->operation_count, *writes;
    for (uint32_t v = 0; v < g->value_count; v++) {
        if (times[v]) reads[kernel->read_count++] = v;
        work.read_bytes += times[v] * ms_value_bytes(g, v);
    }
    writes = reads + kernel->read_count;
    for (uint32_t v = MS_SET_START; ms_set_next(&members->writes, &v);) {
        writes[kernel->write_count++] = v;
        work.bytes += ms_value_bytes(g, v);
    }
    kernel->reads = reads;
    kernel->writes = writes;
    return work;
}

/* How many blocks a multiprocessor runs at once, with this many items a thread; 0: not one, but where it spills. */
static uint32_t resident_blocks(const ms_cut_device *d, const ms_work *work, uint32_t items, int spills, uint32_t *registers)
{
    uint32_t blocks = d->max_resident_blocks;
    *registers = d->base_registers + items * work->held_words + work->map_words + work->kept_words;
    if (d->max_registers && *registers > d->max_registers) {
        if (!spills) return 0;
        *registers = d->max_registers;
    }
    if (d->registers && *registers && d->registers / (*registers * d->block_threads) < blocks)
        blocks = d->registers / (*registers * d->block_threads);
    return blocks || !spills ? blocks : 1;
}

/* T(K) of design.md. */
static double seconds_of(const ms_cut_device *d, const ms_cut_kernel *kernel, const ms_work *work, double elements, uint32_t items, uint32_t blocks)
{
    const double tiles = ceil(elements / ((double)d->block_threads * items));
    double tile = d->tile_seconds + (kernel->depth > 0) * d->look_back_seconds;
    if (kernel->depth > 1) tile += (kernel->depth - 1) * d->next_look_back_seconds;
    if (d->block_bandwidth > 0 && tiles > 0) tile += work->bytes / tiles / d->block_bandwidth;
    const double waited = tile * fmax(tiles / ((double)blocks * d->multiprocessors), tiles > 0);
    return kernel->launches * d->launch_seconds + fmax(ms_busy_seconds(d, work->bytes, work->instructions), waited);
}

/* must_fit: it spills where no number of items fits. */
static int choose_items(const ms_cutting *c, const ms_work *work, ms_cut_kernel *kernel, int must_fit)
{
    const ms_cut_device *d = c->device;
    kernel->seconds = INFINITY;
    for (int spills = 0; spills <= must_fit && !isfinite(kernel->seconds); spills++)
        for (uint32_t i = 0; i < MS_CUT_MAX_ITEMS && d->items[i]; i++) {
            uint32_t registers;
            const uint32_t blocks = resident_blocks(d, work, d->items[i], spills, &registers);
            if (!blocks) continue;
            const double seconds = seconds_of(d, kernel, work, c->graph->domains[kernel->domain].elements, d->items[i], blocks);
            if (seconds >= kernel->seconds) continue;
            kernel->seconds = seconds;
            kernel->items = d->items[i];
            kernel->registers = registers;
            kernel->resident_blocks = blocks;
        }
    return isfinite(kernel->seconds);
}

static double bytes_read(const ms_cutting *c, const ms_cut_kernel *kernel, const ms_work *work)
{
    const uint32_t times = c->device->reads_twice && c->rule && c->rule->reads ? c->rule->reads(c->rule->user, c->graph, kernel) : 0;
    double bytes = 0;
    for (uint32_t v = 0; v < kernel->read_count; v++) bytes += ms_value_bytes(c->graph, kernel->reads[v]);
    return times ? times * bytes : work->read_bytes;
}

int ms_kernel_evaluate(const ms_cutting *c, const ms_members *members, ms_cut_kernel *kernel)
{
    ms_parts parts;
    *kernel = (ms_cut_kernel){.operations = c->list, .domain = UINT32_MAX, .launches = 1};
    for (uint32_t o = MS_SET_START; ms_set_next(&members->operations, &o);) c->list[kernel->operation_count++] = o;
    if (!kernel->operation_count || (c->device->max_operations && kernel->operation_count > c->device->max_operations)) return 0;
    if (!join(c, members, &parts, kernel)) return 0;
    ms_work work = work_of(c, members, &parts, kernel);
    work.bytes += bytes_read(c, kernel, &work);
    kernel->bytes = work.bytes;
    if (c->device->max_buffers && kernel->read_count + kernel->write_count > c->device->max_buffers) return 0;
    if (!choose_items(c, &work, kernel, ms_cut_is_one_operation(c->graph, kernel))) return 0;
    return !c->rule || c->rule->allows(c->rule->user, c->graph, kernel);
}

double ms_kernel_least_seconds(const ms_cutting *c, uint32_t o, double read_bytes)
{
    const ms_cut_operation *op = &c->graph->operations[o];
    const double elements = c->graph->domains[op->domain].elements;
    ms_work work = {.bytes = read_bytes + op->own_bytes * elements, .instructions = op->instructions * elements};
    ms_cut_kernel kernel = {.domain = op->domain, .launches = op->launches, .depth = op->look_backs};
    add_words(&work, op);
    return choose_items(c, &work, &kernel, 1) ? kernel.seconds : 0;
}

double ms_kernels_seconds(const ms_cutting *c, const ms_members *kernels, uint32_t kernel_count)
{
    ms_cut_kernel kernel;
    double seconds = 0;
    for (uint32_t k = 0; k < kernel_count; k++) seconds += ms_kernel_evaluate(c, &kernels[k], &kernel) ? kernel.seconds : INFINITY;
    return seconds;
}
