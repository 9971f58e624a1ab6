/* Random typed expressions, the device against the evaluator, bit for bit. MSW_TEST_SEED: the first kernel's seed. */
#include "random_values.h"

#include <time.h>

enum { KERNELS = 64, LEAST_KERNELS = 16, DAGS = 64, ROWS = 256, PARAMS = 3, MAX_LEAVES = 32, POOL = 64, SECONDS = 30 };

/* ---- random expressions ---- */

typedef struct builder {
    source *random;
    ms_arena *arena;
    ms_graph graph;
    uint32_t features; /* msw_feature bits of the device */
    const ms_type *row;
    ms_node pool[MSW_F64 + 1][POOL];
    uint32_t pool_count[MSW_F64 + 1];
    uint32_t wrong; /* functions that gave a wrong result */
} builder;

static void add_to_pool(builder *b, ms_node node)
{
    if (!node) fail_msg("%s", b->graph.error);
    const uint8_t type = b->graph.nodes[node].type;
    if (b->pool_count[type] < POOL) b->pool[type][b->pool_count[type]++] = node;
}

/* One made lately as likely as any other. */
static ms_node pick(builder *b, msw_scalar type)
{
    const uint32_t count = b->pool_count[type], recent = count < 4 ? count : 4;
    if (count && below(b->random, 6)) return b->pool[type][below(b->random, 2) ? below(b->random, count) : count - 1 - below(b->random, recent)];
    if (count && type == MSW_BOOL) return b->pool[type][below(b->random, count)];
    return ms_expr_const(&b->graph, type, random_value(b->random, type));
}

static msw_scalar random_type(builder *b) { return (msw_scalar)(MSW_U8 + below(b->random, MSW_F64)); }

/* Whether the device, or its emulation, promises the operation's bits. */
static int is_promised(const builder *b, ms_op op, msw_scalar type)
{
    const int moves_only = op == MS_OP_NEG || op == MS_OP_ABS || op == MS_OP_MIN || op == MS_OP_MAX || op == MS_OP_WHERE || op == MS_OP_ISNAN ||
                           (op >= MS_OP_LT && op <= MS_OP_NE);
    if (type == MSW_F64 && !(b->features & MSW_FEATURE_FLOAT64)) return moves_only;
    if (!ms_scalar_is_float(type)) return 1;
    return moves_only || op == MS_OP_ADD || op == MS_OP_SUB || op == MS_OP_MUL || (op >= MS_OP_FLOOR && op <= MS_OP_TRUNC);
}

static int can_convert(const builder *b, msw_scalar to, msw_scalar from)
{
    const int doubles = to == MSW_F64 || from == MSW_F64;
    const int longs = to == MSW_U64 || to == MSW_I64 || from == MSW_U64 || from == MSW_I64;
    if (doubles && from != MSW_BOOL && to != MSW_BOOL && !(b->features & MSW_FEATURE_FLOAT64)) return 0;
    return !(doubles && longs && !(b->features & MSW_FEATURE_INT64));
}

static ms_node random_conversion(builder *b)
{
    const msw_scalar to = (msw_scalar)below(b->random, MSW_F64 + 1), from = (msw_scalar)below(b->random, MSW_F64 + 1);
    return can_convert(b, to, from) ? ms_expr_convert(&b->graph, to, pick(b, from)) : 0;
}

/* Of a float only where its bits are known: NaNs that arithmetic makes differ from device to device. */
static ms_node random_bitcast(builder *b)
{
    const msw_scalar to = random_type(b), from = random_type(b);
    const ms_node a = pick(b, from);
    const uint8_t op = b->graph.nodes[a].op;
    if (ms_scalar_bytes(to) != ms_scalar_bytes(from)) return 0;
    if (ms_scalar_is_float(from) && op != MS_OP_INPUT && op != MS_OP_CONST && op != MS_OP_BITCAST) return 0;
    return ms_expr_bitcast(&b->graph, to, a);
}

/* 0 when there are too many tables. */
static ms_node random_entry(builder *b)
{
    const msw_scalar type = random_type(b), index = (msw_scalar)(MSW_U8 + below(b->random, MSW_I64));
    uint64_t entries[12];
    const uint32_t count = 1 + below(b->random, 12);
    for (uint32_t i = 0; i < count; i++) entries[i] = random_value(b->random, type);
    const uint32_t table = ms_graph_table(&b->graph, "entries", type, entries, count);
    if (table == UINT32_MAX) return 0;
    ms_node place = pick(b, index);
    if (below(b->random, 2)) place = ms_expr_op(&b->graph, MS_OP_AND, (ms_node[]){place, ms_expr_const(&b->graph, index, below(b->random, 16))}, 2);
    return ms_expr_entry(&b->graph, table, place);
}

/* The row's scalar of that type; a condition from two integers. */
static ms_node input_of(builder *b, uint32_t param, msw_scalar type)
{
    if (type != MSW_BOOL) return ms_expr_input(&b->graph, param, (uint32_t)type - MSW_U8, type);
    return ms_expr_op(&b->graph, MS_OP_LT, (ms_node[]){input_of(b, param, MSW_I8), input_of(b, (param + 1) % PARAMS, MSW_I8)}, 2);
}

/* 0 when the draw does not fit together. */
static ms_node random_operation(builder *b)
{
    const ms_op op = (ms_op)(MS_OP_ADD + below(b->random, MS_OP_COUNT - MS_OP_ADD));
    if (below(b->random, 100) == 0) return random_entry(b); /* llvmpipe takes long to compile many arrays */
    if (op == MS_OP_CONVERT) return random_conversion(b);
    if (op == MS_OP_BITCAST) return random_bitcast(b);
    const int on_conditions = op == MS_OP_LAND || op == MS_OP_LOR || op == MS_OP_LNOT;
    const msw_scalar type = on_conditions ? MSW_BOOL : random_type(b);
    if (!is_promised(b, op, type)) return 0;
    ms_node args[3];
    for (uint32_t i = 0; i < ms_op_arity(op); i++) args[i] = pick(b, op == MS_OP_WHERE && i == 0 ? MSW_BOOL : type);
    const int is_shift = op == MS_OP_SHL || op == MS_OP_SHR;
    if (is_shift && b->graph.nodes[args[1]].op == MS_OP_CONST)
        args[1] = ms_expr_const(&b->graph, type, b->graph.nodes[args[1]].bits & (8 * ms_scalar_bytes(type) - 1));
    return ms_expr_op(&b->graph, op, args, ms_op_arity(op));
}

static ms_node last_of(builder *b, msw_scalar type)
{
    const uint32_t count = b->pool_count[type];
    return count ? b->pool[type][count - 1] : pick(b, type);
}

/* leaves[i] = the operation on the components of two vecs: what the printer writes as one operator. */
static void vec_leaves(builder *b, const ms_type *type, ms_node *leaves)
{
    static const ms_op vec_ops[] = {MS_OP_ADD, MS_OP_SUB, MS_OP_MUL};
    const ms_op op = vec_ops[below(b->random, 3)];
    const ms_node scalar = last_of(b, type->scalar);
    const uint32_t kind = below(b->random, 3);
    for (uint32_t i = 0; i < type->info.leaf_count; i++) {
        /* the row's vec of that type begins at this leaf */
        const uint32_t first = type->scalar == MSW_F32 ? 11 : type->scalar == MSW_U32 ? 14 : 16;
        ms_node args[2] = {ms_expr_input(&b->graph, 0, first + i, type->scalar), ms_expr_input(&b->graph, 1, first + i, type->scalar)};
        if (kind == 1) args[1] = scalar;
        if (kind == 2) args[0] = ms_expr_op(&b->graph, vec_ops[below(b->random, 1)], (ms_node[]){args[0], args[1]}, 2);
        leaves[i] = kind == 2 && i == 2 ? scalar : ms_expr_op(&b->graph, op, args, 2);
    }
}

/* A choice between two parameters. */
static void row_leaves(builder *b, ms_node *leaves)
{
    const ms_node condition = pick(b, MSW_BOOL);
    const uint32_t except = below(b->random, 3 * b->row->info.leaf_count);
    for (uint32_t i = 0; i < b->row->info.leaf_count; i++) {
        const msw_scalar type = b->row->info.leaves[i].scalar;
        const ms_node args[3] = {condition, ms_expr_input(&b->graph, 2, i, type),
                                 i == except ? last_of(b, type) : ms_expr_input(&b->graph, 1, i, type)};
        leaves[i] = ms_expr_op(&b->graph, MS_OP_WHERE, args, 3);
    }
}

static const ms_type *random_result(builder *b, uint32_t number, ms_node *leaves)
{
    char error[256];
    const uint32_t kind = below(b->random, 20);
    if (kind == 0) {
        row_leaves(b, leaves);
        return b->row;
    }
    if (kind < 4) {
        const ms_type *type = b->row->fields[11 + below(b->random, 3)].type;
        vec_leaves(b, type, leaves);
        return type;
    }
    if (kind < 12) {
        const msw_scalar type = random_type(b);
        leaves[0] = last_of(b, type);
        return ms_type_scalar(type);
    }
    const char *name = ms_arena_format(b->arena, "Out%u", number);
    ms_field fields[4];
    const uint32_t count = 2 + below(b->random, 3);
    for (uint32_t i = 0; i < count; i++) {
        static const char *const names[] = {"x", "sum", "half", "buffers"};
        const msw_scalar type = random_type(b);
        fields[i] = (ms_field){names[i], ms_type_scalar(type), 0};
        leaves[i] = last_of(b, type);
    }
    return ms_type_struct(b->arena, name, fields, count, error);
}

/* A function of rows a, b, c; its result and leaves are the caller's to set. */
static ms_function *new_function(builder *b, uint32_t number, const ms_node *leaves)
{
    static const char *const names[PARAMS] = {"a", "b", "c"};
    ms_function *function = ms_arena_alloc(b->arena, sizeof *function);
    *function = (ms_function){.name = ms_arena_format(b->arena, "dag%u", number), .param_count = PARAMS, .graph = &b->graph, .leaves = leaves};
    for (uint32_t i = 0; i < PARAMS; i++) function->params[i] = (ms_param){names[i], b->row};
    return function;
}

static const ms_function *random_function(builder *b, uint32_t number)
{
    ms_node *leaves = ms_arena_alloc(b->arena, MAX_LEAVES * sizeof *leaves);
    ms_function *function = new_function(b, number, leaves);
    memset(b->pool_count, 0, sizeof b->pool_count);
    for (uint32_t param = 0; param < PARAMS; param++)
        for (uint32_t i = 0; i < b->row->info.leaf_count; i++) add_to_pool(b, ms_expr_input(&b->graph, param, i, b->row->info.leaves[i].scalar));
    add_to_pool(b, ms_expr_op(&b->graph, MS_OP_LT, (ms_node[]){pick(b, MSW_U32), pick(b, MSW_U32)}, 2));
    for (uint32_t made = 0, wanted = 8 + below(b->random, 40); made < wanted;) {
        const ms_node node = random_operation(b);
        if (!node) continue;
        add_to_pool(b, node);
        made++;
    }
    function->result = random_result(b, number, leaves);
    return function;
}

/* From one type through another to a third: compilers like to skip the rounding in the middle. */
static ms_node conversion_there_and_on(builder *b, uint32_t *n)
{
    for (int from = MSW_U8; from <= MSW_F64; from++)
        for (int by = MSW_U8; by <= MSW_F64; by++)
            for (int to = MSW_U8; to <= MSW_F64; to++) {
                if (to == by || by == from || !can_convert(b, (msw_scalar)by, (msw_scalar)from) || !can_convert(b, (msw_scalar)to, (msw_scalar)by))
                    continue;
                if ((*n)-- > 0) continue;
                const ms_node middle = ms_expr_convert(&b->graph, (msw_scalar)by, input_of(b, 0, (msw_scalar)from));
                return ms_expr_convert(&b->graph, (msw_scalar)to, middle);
            }
    return 0;
}

/* On the rows' scalars of the type; 0 when there is none such, or its bits are not promised. */
static ms_node operation_on_inputs(builder *b, ms_op op, msw_scalar type)
{
    ms_node args[3];
    if (!is_promised(b, op, type)) return 0;
    for (uint32_t i = 0; i < 3; i++) args[i] = input_of(b, i, op == MS_OP_WHERE && i == 0 ? MSW_BOOL : type);
    return ms_expr_op(&b->graph, op, args, ms_op_arity(op));
}

/* What compilers may mistake about an operation's result: that it is not negative, or need not be rounded. */
static ms_node operation_and_on(builder *b, ms_op op, msw_scalar type)
{
    const msw_scalar wider = b->features & MSW_FEATURE_FLOAT64 ? MSW_F64 : MSW_F32;
    const ms_node a = operation_on_inputs(b, op, type);
    if (!a || b->graph.nodes[a].type != type || type == MSW_BOOL) return 0;
    if (ms_scalar_is_float(type)) return type < wider ? ms_expr_convert(&b->graph, wider, a) : 0;
    return ms_expr_op(&b->graph, MS_OP_LT, (ms_node[]){a, ms_expr_const(&b->graph, type, 0)}, 2);
}

/* Every operation on every type that promises bits, the same and on, then every conversion: number n, or NULL when n is beyond. */
static ms_node numbered_operation(builder *b, uint32_t *n)
{
    for (int op = MS_OP_ADD; op < MS_OP_CONVERT; op++)
        for (int type = MSW_BOOL; type <= MSW_F64; type++) {
            const ms_node node = operation_on_inputs(b, (ms_op)op, (msw_scalar)type), next_node = operation_and_on(b, (ms_op)op, (msw_scalar)type);
            if (node && (*n)-- == 0) return node;
            if (next_node && (*n)-- == 0) return next_node;
        }
    for (int to = MSW_BOOL; to <= MSW_F64; to++)
        for (int from = MSW_BOOL; from <= MSW_F64; from++) {
            const ms_node a = input_of(b, 0, (msw_scalar)from);
            if (to != from && can_convert(b, (msw_scalar)to, (msw_scalar)from) && (*n)-- == 0) return ms_expr_convert(&b->graph, (msw_scalar)to, a);
            const ms_node cast = ms_expr_bitcast(&b->graph, (msw_scalar)to, a);
            if (to != from && cast && (*n)-- == 0) return cast;
        }
    return conversion_there_and_on(b, n);
}

static const ms_function *single_operation(builder *b, uint32_t number, uint32_t n)
{
    ms_node *leaf = ms_arena_alloc(b->arena, sizeof *leaf);
    ms_function *function = new_function(b, number, leaf);
    *leaf = numbered_operation(b, &n);
    if (*leaf && b->graph.nodes[*leaf].type == MSW_BOOL) *leaf = ms_expr_convert(&b->graph, MSW_U32, *leaf);
    if (!*leaf) return NULL;
    function->result = ms_type_scalar((msw_scalar)b->graph.nodes[*leaf].type);
    return function;
}

/* ---- comparison ---- */

static uint64_t mask_of(msw_scalar type) { return UINT64_MAX >> (64 - 8 * ms_scalar_bytes(type)); }

static int is_same(msw_scalar type, uint64_t expected, uint64_t got)
{
    if (((expected ^ got) & mask_of(type)) == 0) return 1;
    return ms_scalar_is_float(type) && isnan(ms_scalar_to_double(type, expected)) && isnan(ms_scalar_to_double(type, got));
}

/* Where drivers go their own way, and everything may follow from it: a denormal that is flushed, and a constant zero that is added or
 * multiplied (llvmpipe takes x + 0.0 for x and x * 0.0 for 0.0, whatever x). */
static int is_excusable(const ms_node_data *node, uint64_t value, const uint64_t *values, const uint8_t *is_constant)
{
    const msw_scalar type = (msw_scalar)node->type;
    if (is_denormal(type, value)) return 1;
    if (!ms_scalar_is_float(type) || (node->op != MS_OP_ADD && node->op != MS_OP_MUL)) return 0;
    for (int k = 0; k < 2; k++)
        if (is_constant[node->arg[k]] && ms_scalar_to_double(type, values[node->arg[k]]) == 0) return 1;
    return 0;
}

static int is_excused(const ms_function *function, const uint64_t *const *args)
{
    const ms_graph *graph = function->graph;
    const uint32_t bound = ms_function_node_bound(function);
    uint8_t *reached = test_malloc(bound), *is_constant = test_calloc(bound, 1);
    uint64_t *values = test_calloc(bound, sizeof *values);
    int excused = 0;
    ms_function_mark(function, reached);
    is_constant[0] = 1;
    for (ms_node id = 1; id < bound && !excused; id++) {
        const ms_node_data *node = &graph->nodes[id];
        if (!reached[id]) continue;
        uint64_t operands[3] = {values[node->arg[0]], values[node->arg[1]], values[node->arg[2]]};
        if (node->op == MS_OP_TABLE) operands[1] = ms_table_operand(graph->tables[node->bits]);
        const msw_scalar operand = (msw_scalar)graph->nodes[node->arg[node->op == MS_OP_WHERE]].type;
        is_constant[id] = node->op != MS_OP_INPUT && is_constant[node->arg[0]] && is_constant[node->arg[1]] && is_constant[node->arg[2]];
        if (node->op == MS_OP_CONST) values[id] = node->bits;
        else if (node->op == MS_OP_INPUT) values[id] = args[node->param][node->bits];
        else values[id] = ms_op_apply((ms_op)node->op, (msw_scalar)node->type, operand, operands, 0);
        excused = is_excusable(node, values[id], values, is_constant);
    }
    test_free(reached);
    test_free(is_constant);
    test_free(values);
    return excused;
}

static void report(const rig *r, uint32_t features, uint64_t seed, const ms_function *function, const uint64_t *const *args, uint32_t leaf,
                   uint64_t expected, uint64_t got)
{
    lua_State *L = new_printer();
    lua_getglobal(L, "print_function");
    ms_push_function(L, function);
    push_features(L, features);
    lua_pushstring(L, r->backend);
    if (lua_pcall(L, 3, 1, 0) == LUA_OK) print_error("%s", lua_tostring(L, -1));
    lua_close(L);
    for (uint32_t p = 0; p < PARAMS; p++)
        for (uint32_t i = 0; i < function->params[p].type->info.leaf_count; i++)
            print_error("%s.%s = 0x%llx\n", function->params[p].name, function->params[p].type->info.leaves[i].path, (unsigned long long)args[p][i]);
    print_error("MSW_TEST_SEED=%llu on %s: %s, result '%s': 0x%llx, expected 0x%llx\n", (unsigned long long)seed, r->name, function->name,
                function->result->info.leaves[leaf].path, (unsigned long long)got, (unsigned long long)expected);
}

/* Compares one function's results of a row; words advances. Reports the first that is wrong. Gives the number of results that were forgiven. */
static uint32_t compare(const rig *r, uint32_t features, uint64_t seed, const ms_function *function, ms_eval *eval, const uint64_t *const *args,
                        const uint32_t **words, uint8_t *is_wrong)
{
    uint64_t expected[MAX_LEAVES];
    uint32_t forgiven = 0;
    assert_int_equal(ms_eval_run(eval, args, expected), 0);
    for (uint32_t i = 0; i < function->result->info.leaf_count; i++) {
        const msw_scalar type = function->result->info.leaves[i].scalar;
        const uint64_t got = take_leaf(type, words);
        if (*is_wrong || is_same(type, expected[i], got)) continue;
        *is_wrong = !is_excused(function, args);
        if (*is_wrong) report(r, features, seed, function, args, i, expected[i] & mask_of(type), got);
        forgiven += !*is_wrong;
    }
    return forgiven;
}

/* Runs the functions on random rows; gives the number of results forgiven. Those that are wrong are counted in b. */
static uint32_t try_functions(const rig *r, uint64_t seed, builder *b, const ms_function *const *functions, uint32_t count)
{
    const uint32_t leaves = b->row->info.leaf_count, row_leaf_count = leaves * PARAMS;
    uint32_t forgiven = 0;
    ms_eval *evals[DAGS];
    uint8_t is_wrong[DAGS] = {0};
    for (uint32_t k = 0; k < count; k++) assert_non_null(evals[k] = ms_eval_create(b->arena, functions[k], 0));
    uint64_t *values = test_calloc(row_leaf_count * ROWS, sizeof *values);
    for (uint32_t i = 0; i < row_leaf_count * ROWS; i++) values[i] = random_value(b->random, b->row->info.leaves[i % leaves].scalar);
    uint32_t *results = evaluate_on_device(r, b->features, functions, count, ROWS, values);
    const uint32_t *words = results;
    for (uint32_t n = 0; n < ROWS && results; n++) {
        const uint64_t *first = values + n * row_leaf_count;
        const uint64_t *const args[PARAMS] = {first, first + leaves, first + 2 * leaves};
        for (uint32_t k = 0; k < count; k++) forgiven += compare(r, b->features, seed, functions[k], evals[k], args, &words, &is_wrong[k]);
    }
    for (uint32_t k = 0; k < count; k++) b->wrong += is_wrong[k];
    test_free(values);
    test_free(results);
    return forgiven;
}

/* One of each scalar (leaves 0 to 10) and three vecs (leaves 11, 14, 16). */
static const ms_type *make_row(ms_arena *arena)
{
    static const char *const names[] = {"u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "f32", "f64", "v", "w", "out"};
    char error[256];
    ms_field fields[14];
    for (uint32_t i = 0; i < 11; i++) fields[i] = (ms_field){names[i], ms_type_scalar((msw_scalar)(MSW_U8 + i)), 0};
    fields[11] = (ms_field){names[11], ms_type_vec(arena, ms_type_scalar(MSW_F32), 3, error), 0};
    fields[12] = (ms_field){names[12], ms_type_vec(arena, ms_type_scalar(MSW_U32), 2, error), 0};
    fields[13] = (ms_field){names[13], ms_type_vec(arena, ms_type_scalar(MSW_I64), 2, error), 0};
    return ms_type_struct(arena, "Row", fields, 14, error);
}

typedef struct bench {
    ms_arena arena;
    source random;
    builder builder;
} bench;

static void begin(bench *t, uint64_t seed, uint32_t features)
{
    memset(t, 0, sizeof *t);
    ms_arena_init(&t->arena, NULL, 0);
    t->random.state = seed;
    t->builder.random = &t->random;
    t->builder.arena = &t->arena;
    t->builder.features = features;
    t->builder.row = make_row(&t->arena);
    ms_graph_init(&t->builder.graph, &t->arena);
}

static void end(bench *t)
{
    ms_graph_free(&t->builder.graph);
    ms_arena_free(&t->arena);
}

/* Each operation by itself; returns how many there are. */
static uint32_t try_every_operation(const rig *r, uint32_t features)
{
    uint32_t tried = 0, wrong = 0, count;
    do {
        const ms_function *functions[DAGS];
        bench t;
        begin(&t, tried, features);
        for (count = 0; count < DAGS; count++)
            if (!(functions[count] = single_operation(&t.builder, count, tried + count))) break;
        if (count) try_functions(r, tried, &t.builder, functions, count);
        tried += count;
        wrong += t.builder.wrong;
        end(&t);
    } while (count == DAGS);
    if (wrong) fail_msg("%u of %u operations are wrong", wrong, tried);
    return tried;
}

static void test_every_operation(void **state)
{
    const rig *r = *state;
    print_message("%s: %u operations\n", r->name, try_every_operation(r, r->features));
    if (r->features && !strcmp(r->backend, "vulkan")) print_message("%s: %u operations emulated\n", r->name, try_every_operation(r, 0));
}

/* Every other kernel as for a device that lacks every type it can; CUDA and C lack none. */
static void test_random_dags(void **state)
{
    const rig *r = *state;
    const char *chosen = getenv("MSW_TEST_SEED");
    const uint64_t first_seed = chosen ? strtoull(chosen, NULL, 10) : 1;
    const time_t start = time(NULL);
    uint32_t kernels = 0, forgiven = 0;
    for (; kernels < KERNELS && (kernels < LEAST_KERNELS || time(NULL) - start < SECONDS); kernels++) {
        const ms_function *functions[DAGS];
        bench t;
        const int has_all = (first_seed + kernels) % 2 || strcmp(r->backend, "vulkan");
        begin(&t, first_seed + kernels, has_all ? r->features : 0);
        for (uint32_t k = 0; k < DAGS; k++) functions[k] = random_function(&t.builder, k);
        forgiven += try_functions(r, first_seed + kernels, &t.builder, functions, DAGS);
        end(&t);
        if (t.builder.wrong) fail_msg("%u of %d expressions are wrong", t.builder.wrong, DAGS);
    }
    print_message("%s: %u expressions on %u rows each, %u results forgiven\n", r->name, kernels * DAGS, ROWS, forgiven);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_operation), cmocka_unit_test(test_random_dags),
                                       cmocka_unit_test(test_validation_was_silent)};
    return cmocka_run_group_tests(tests, open_rig, close_rig);
}
