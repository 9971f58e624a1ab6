#include "cuts.h"
#include "expr/live.h"
#include "geometry.h"

/* Kernels of cuts are not launched yet, so that these are no knobs: what bench/NOTES.md has of an H200, and of lavapipe on 2 cores. */
ms_cut_device ms_cuts_device(const msw_target *target)
{
    const ms_cut_device gpu = {.bandwidth = 4.0e12,
                               .block_bandwidth = 8e9,
                               .issue_rate = 2.9e13,
                               .launch_seconds = 3e-6,
                               .tile_seconds = 1e-6,
                               .look_back_seconds = 1e-6,
                               .multiprocessors = 132,
                               .max_resident_blocks = 8,
                               .registers = 65536,
                               .shared_bytes = 228 << 10,
                               .base_registers = 32,
                               .max_registers = 255,
                               .max_block_shared_bytes = 227 << 10,
                               .block_threads = 256,
                               .items = {1, 2, 4, 8, 16, 24},
                               .max_buffers = MSW_MAX_KERNEL_BUFFERS,
                               .max_depth = 1};
    ms_cut_device cpu = gpu;
    cpu.bandwidth = 1.5e10;
    cpu.block_bandwidth = 0;
    cpu.issue_rate = 4e9;
    cpu.launch_seconds = 3e-5;
    cpu.multiprocessors = 2;
    cpu.max_resident_blocks = 1;
    cpu.registers = 0;
    return ms_is_cpu_driver(target) ? cpu : gpu;
}

typedef struct graphing {
    ms_arena *arena;
    const ms_operation *op; /* the pipeline */
    int has_two_reads;      /* scans reduce first, and read their input again */
    double n;
    ms_cut_domain *domains; /* 0: n elements; 1: one; 2 + a: as many as array a says */
    ms_cut_value *values;
    uint32_t value_count, *numbers; /* of arrays: their values */
    ms_cut_operation *operations;
} graphing;

static uint32_t domain_of_count(uint32_t counted_by) { return counted_by ? counted_by + 1 : 0; }

static uint32_t domain_of_array(const ms_pipeline_array *array) { return array->length == MSW_LENGTH_ONE ? 1 : domain_of_count(array->counted_by); }

static void add_value(graphing *g, uint32_t array, uint32_t operation)
{
    const ms_pipeline_array *a = &g->op->pipeline->arrays[array];
    const int is_output = array < g->op->info.buffer_count && g->op->info.buffers[array].role == MSW_ROLE_OUT;
    g->numbers[array] = g->value_count;
    g->values[g->value_count++] = (ms_cut_value){operation, domain_of_array(a), a->type->info.size_bytes, is_output};
}

static ms_cut_kind kind_of(const ms_operation *op)
{
    if (op->key.image) return MS_CUT_SORT;
    if (op->item || ms_operation_has_places(op)) return MS_CUT_COMPACT;
    if (!op->monoid) return MS_CUT_MAP;
    return ms_operation_is_per_element(op) ? MS_CUT_SCAN : MS_CUT_REDUCE;
}

/* A pass a digit of 8 bits: the first read and the last write are operands and results. */
static void describe_sort(const ms_operation *op, ms_cut_operation *cut)
{
    const uint32_t passes = (op->key.bits + 7) / 8, key_bytes = op->output->info.size_bytes;
    const uint32_t bytes = key_bytes + (op->value ? op->value->info.size_bytes : 0);
    cut->launches = passes + 2;
    cut->look_backs = 1;
    cut->own_bytes = 2.0 * bytes * (passes - 1);
    cut->instructions = 30.0 * passes;
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

static int describe(const graphing *g, const ms_operation *op, ms_cut_operation *cut)
{
    cut->kind = kind_of(op);
    cut->launches = 1;
    cut->name = op->name;
    cut->instructions = 4;
    if (!describe_functions(g, op, cut)) return 0;
    if (cut->kind == MS_CUT_SORT) describe_sort(op, cut);
    if (!op->monoid) return 1;
    cut->direction = cut->kind == MS_CUT_REDUCE ? MS_CUT_ANY : op->reverse ? MS_CUT_REVERSE : MS_CUT_FORWARD;
    cut->live_words = ms_register_words(op->monoid->type);
    cut->look_backs = cut->kind != MS_CUT_REDUCE && !g->has_two_reads;
    cut->launches = cut->look_backs ? 1 : cut->kind == MS_CUT_REDUCE ? 2 : 3;
    return 1;
}

static int add_operation(graphing *g, uint32_t s)
{
    const ms_stage *stage = &g->op->pipeline->stages[s];
    const ms_operation *op = stage->op;
    ms_cut_operation *cut = &g->operations[s];
    ms_cut_operand *operands = ms_arena_alloc(g->arena, MSW_MAX_KERNEL_BUFFERS * sizeof *operands);
    *cut = (ms_cut_operation){.domain = domain_of_count(stage->counted_by), .operands = operands, .first_result = g->value_count};
    if (!operands || !describe(g, op, cut)) return 0;
    for (uint32_t b = 0; b < op->info.buffer_count; b++) {
        const uint32_t array = stage->arrays[b];
        if (array == MSW_NO_ARRAY) continue;
        if (op->info.buffers[b].role == MSW_ROLE_OUT) {
            add_value(g, array, s);
            continue;
        }
        const int is_read_twice = b == 0 && (cut->kind == MS_CUT_SORT || (g->has_two_reads && cut->kind != MS_CUT_REDUCE && op->monoid));
        operands[cut->operand_count++] = (ms_cut_operand){g->numbers[array], is_read_twice ? 2 : 1, op->near != NULL};
    }
    cut->result_count = g->value_count - cut->first_result;
    return 1;
}

/* As many as a stage packs: half of what it reads. */
static void count_elements(graphing *g)
{
    const ms_pipeline *pipeline = g->op->pipeline;
    g->domains[0] = (ms_cut_domain){g->n, g->n, 0};
    g->domains[1] = (ms_cut_domain){1, 1, 1};
    for (uint32_t s = 0; s < pipeline->stage_count; s++)
        for (uint32_t b = 0; b < pipeline->stages[s].op->info.buffer_count; b++) {
            const uint32_t array = pipeline->stages[s].arrays[b];
            if (array == MSW_NO_ARRAY || pipeline->stages[s].op->info.buffers[b].role != MSW_ROLE_OUT) continue;
            const uint32_t of = domain_of_array(&pipeline->arrays[array]), from = domain_of_count(pipeline->stages[s].counted_by);
            if (of > 1 && of != from) g->domains[of] = (ms_cut_domain){g->domains[from].elements / 2, g->n, 0};
        }
}

const ms_cut_graph *ms_cuts_graph(ms_arena *arena, const ms_operation *op, const msw_target *target, double n)
{
    const ms_pipeline *pipeline = op->pipeline;
    graphing g = {.arena = arena, .op = op, .has_two_reads = ms_is_cpu_driver(target), .n = n};
    ms_cut_graph *graph = ms_arena_alloc(arena, sizeof *graph);
    g.domains = ms_arena_alloc(arena, (pipeline->array_count + 2) * sizeof *g.domains);
    g.values = ms_arena_alloc(arena, (pipeline->array_count + 1) * sizeof *g.values);
    g.numbers = ms_arena_alloc(arena, (pipeline->array_count + 1) * sizeof *g.numbers);
    g.operations = ms_arena_alloc(arena, (pipeline->stage_count + 1) * sizeof *g.operations);
    if (!graph || !g.domains || !g.values || !g.numbers || !g.operations) return NULL;
    count_elements(&g);
    for (uint32_t b = 0; b < op->info.buffer_count; b++)
        if (op->info.buffers[b].role != MSW_ROLE_OUT) add_value(&g, b, MS_CUT_ARRAY);
    for (uint32_t s = 0; s < pipeline->stage_count; s++)
        if (!add_operation(&g, s)) return NULL;
    *graph = (ms_cut_graph){g.domains, pipeline->array_count + 2, g.values, g.value_count, g.operations, pipeline->stage_count};
    return graph;
}
