/* The expression graph: nodes that are one, rules of types, opaque functions, memory that is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph_fixture.h"
#include "failing.h"

static void test_hash_consing(void **state)
{
    fixture *f = *state;
    const ms_node x = ms_expr_input(&f->graph, 0, 0, MSW_U32), y = ms_expr_input(&f->graph, 1, 0, MSW_U32);
    const ms_node args[2] = {x, y}, swapped[2] = {y, x};
    assert_int_equal(ms_expr_op(&f->graph, MS_OP_SUB, args, 2), ms_expr_op(&f->graph, MS_OP_SUB, args, 2));
    assert_int_not_equal(ms_expr_op(&f->graph, MS_OP_SUB, args, 2), ms_expr_op(&f->graph, MS_OP_SUB, swapped, 2));
    assert_int_equal(ms_expr_const(&f->graph, MSW_I8, 255), ms_expr_const(&f->graph, MSW_I8, MINUS(1)));
    assert_int_not_equal(ms_expr_const(&f->graph, MSW_U8, 1), ms_expr_const(&f->graph, MSW_U32, 1));
    assert_int_equal(ms_expr_convert(&f->graph, MSW_U32, x), x);
    /* many nodes: the table grows and still finds the first ones */
    for (uint32_t i = 0; i < 5000; i++) assert_int_not_equal(ms_expr_const(&f->graph, MSW_U32, i), 0);
    const uint32_t count = f->graph.node_count;
    for (uint32_t i = 0; i < 5000; i++) assert_int_not_equal(ms_expr_const(&f->graph, MSW_U32, i), 0);
    assert_int_equal(f->graph.node_count, count);
    assert_int_equal(ms_expr_input(&f->graph, 1, 0, MSW_U32), y);
}

static void test_type_rules(void **state)
{
    fixture *f = *state;
    ms_graph *g = &f->graph;
    ms_node in[MSW_F64 + 1];
    for (int t = 0; t <= MSW_F64; t++) in[t] = ms_expr_input(g, 0, (uint32_t)t, (msw_scalar)t);
    const struct {
        ms_op op;
        ms_node args[3];
        const char *says;
    } cases[] = {
        {MS_OP_ADD, {in[MSW_U32], in[MSW_F32]}, "u32 + f32: convert one side, as in f32(x)"},
        {MS_OP_MUL, {in[MSW_U8], in[MSW_I64]}, "u8 * i64: convert one side, as in i64(x)"},
        {MS_OP_LT, {in[MSW_I32], in[MSW_U32]}, "lt(i32, u32): convert one side"},
        {MS_OP_FMA, {in[MSW_F32], in[MSW_F32], in[MSW_F64]}, "fma(f32, f32, f64): convert one side, as in f64(x)"},
        {MS_OP_ADD, {in[MSW_BOOL], in[MSW_U32]}, "u32(c)"},
        {MS_OP_ADD, {in[MSW_BOOL], in[MSW_BOOL]}, "bool + bool: it works on numbers"},
        {MS_OP_AND, {in[MSW_F32], in[MSW_F32]}, "bitcast(u32, x)"},
        {MS_OP_AND, {in[MSW_BOOL], in[MSW_BOOL]}, "land, lor, lnot"},
        {MS_OP_SHL, {in[MSW_U64], in[MSW_U32]}, "u64 << u32: convert one side, as in u64(x)"},
        {MS_OP_SHL, {in[MSW_U32], ms_expr_const(g, MSW_U32, 32)}, "u32 << 32: the count must be 0 to 31"},
        {MS_OP_SHR, {in[MSW_I8], ms_expr_const(g, MSW_I8, MINUS(1))}, "i8 >> -1: the count must be 0 to 7"},
        {MS_OP_SQRT, {in[MSW_U32]}, "sqrt(u32): it works on floats; convert, as in f32(x)"},
        {MS_OP_ISNAN, {in[MSW_I32]}, "works on floats"},
        {MS_OP_CLZ, {in[MSW_F16]}, "clz(f16)"},
        {MS_OP_LAND, {in[MSW_U32], in[MSW_U32]}, "land(u32, u32): it works on conditions; compare first, as in ne(x, 0)"},
        {MS_OP_WHERE, {in[MSW_U32], in[MSW_U32], in[MSW_U32]}, "the first operand must be a condition"},
        {MS_OP_WHERE, {in[MSW_BOOL], in[MSW_U32], in[MSW_I32]}, "convert one side"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(ms_expr_op(g, cases[i].op, cases[i].args, ms_op_arity(cases[i].op)), 0);
        if (!strstr(g->error, cases[i].says)) fail_msg("'%s' does not say '%s'", g->error, cases[i].says);
    }
    assert_int_equal(ms_expr_bitcast(g, MSW_U64, in[MSW_F32]), 0);
    assert_non_null(strstr(g->error, "bitcast(u64, f32): 4 bytes to 8"));
    assert_int_equal(ms_expr_bitcast(g, MSW_BOOL, in[MSW_U8]), 0);
    assert_int_equal(ms_expr_op(g, MS_OP_ADD, in, 1), 0);
    assert_non_null(strstr(g->error, "expected 2 operands, got 1"));
    assert_int_not_equal(ms_expr_op(g, MS_OP_EQ, (ms_node[]){in[MSW_BOOL], in[MSW_BOOL]}, 2), 0);
    assert_int_not_equal(ms_expr_op(g, MS_OP_ROTL, (ms_node[]){in[MSW_U32], ms_expr_const(g, MSW_U32, 40)}, 2), 0);
}

static void test_bit_exactness(void **state)
{
    fixture *f = *state;
    ms_graph *g = &f->graph;
    const ms_node x = ms_expr_input(g, 0, 0, MSW_F32), y = ms_expr_input(g, 1, 0, MSW_F32);
    const ms_node least = ms_expr_op(g, MS_OP_MIN, (ms_node[]){x, ms_expr_op(g, MS_OP_NEG, &y, 1)}, 2);
    const ms_node sum = ms_expr_op(g, MS_OP_ADD, (ms_node[]){least, y}, 2);
    const ms_node whole = ms_expr_convert(g, MSW_I32, least), back = ms_expr_convert(g, MSW_F32, whole);
    const ms_type *f32 = ms_type_scalar(MSW_F32);
    ms_function function = {.name = "f", .param_count = 2, .params = {{"x", f32}, {"y", f32}}, .result = f32, .graph = g};
    const struct {
        ms_node leaf;
        int exact;
    } cases[] = {{least, 1}, {sum, 0}, {whole, 1}, {back, 0}, {ms_expr_convert(g, MSW_F64, least), 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        function.leaves = &cases[i].leaf;
        assert_int_equal(ms_function_is_bit_exact(&function), cases[i].exact);
    }
}

/* ---- opaque functions ---- */

static int add_one(void *user, const uint64_t *const *args, uint64_t *result, int wide)
{
    assert_false(wide);
    *result = (uint32_t)(args[0][0] + *(uint32_t *)user);
    return *result == 0;
}

static void test_opaque(void **state)
{
    fixture *f = *state;
    uint32_t one = 1;
    const ms_type *u32 = ms_type_scalar(MSW_U32);
    ms_function function = {.name = "f", .param_count = 1, .params = {{"x", u32}}, .result = u32, .host = add_one, .host_user = &one};
    uint64_t in = 41, out = 0;
    const uint64_t *const args[1] = {&in};
    ms_eval *eval = ms_eval_create(&f->arena, &function, 0);
    assert_int_equal(ms_eval_run(eval, args, &out), 0);
    assert_int_equal(out, 42);
    in = UINT32_MAX;
    assert_int_not_equal(ms_eval_run(eval, args, &out), 0);
    assert_true(ms_function_is_bit_exact(&function));
    function.host = NULL;
    assert_null(ms_eval_create(&f->arena, &function, 0));
}

/* ---- every allocation failing in turn ---- */

/* 1 when everything could be made. */
static int build_and_run(failing *state)
{
    const msw_allocator allocator = {state, failing_resize};
    ms_arena arena;
    ms_graph graph;
    char error[256];
    ms_arena_init(&arena, &allocator, 0);
    ms_graph_init(&graph, &arena);
    const ms_type *u32 = ms_type_scalar(MSW_U32), *vec = ms_type_vec(&arena, u32, 4, error);
    const ms_field field = {"v", vec, 0};
    const ms_type *type = vec ? ms_type_struct(&arena, "S", &field, 1, error) : NULL;
    ms_node sum = ms_expr_input(&graph, 0, 0, MSW_U32);
    for (uint64_t i = 0; sum && i < 300; i++) sum = ms_expr_op(&graph, MS_OP_ADD, (ms_node[]){sum, ms_expr_const(&graph, MSW_U32, i)}, 2);
    assert_string_equal(graph.error, "");
    const ms_function function = {.name = "f", .param_count = 1, .params = {{"x", u32}}, .result = u32, .graph = &graph, .leaves = &sum};
    ms_eval *eval = sum ? ms_eval_create(&arena, &function, 0) : NULL;
    if (eval) {
        const uint64_t in = 7, *const args[1] = {&in};
        uint64_t out = 0;
        assert_int_equal(ms_eval_run(eval, args, &out), 0);
        assert_int_equal(out, 7 + 300 * 299 / 2);
    }
    ms_text text = {.arena = &arena};
    for (int i = 0; i < 100; i++) ms_text_append(&text, "%d, ", i);
    const int made = type && eval && !text.failed && ms_arena_strdup(&arena, "name");
    ms_text_free(&text);
    ms_graph_free(&graph);
    ms_arena_free(&arena);
    assert_int_equal(arena.used_bytes, 0);
    assert_int_equal(state->live_bytes, 0);
    return made;
}

static void test_allocation_failures(void **unused)
{
    (void)unused;
    int64_t first = 1;
    for (;; first++) {
        failing state = {.first = first, .count = INT64_MAX};
        if (build_and_run(&state)) break;
    }
    assert_true(first > 6);
}

static void test_memory_limit(void **unused)
{
    (void)unused;
    ms_arena arena;
    ms_arena_init(&arena, NULL, 100000);
    assert_null(ms_arena_alloc(&arena, 200000));
    void *block = ms_arena_resize(&arena, NULL, 0, 60000);
    assert_non_null(block);
    assert_null(ms_arena_resize(&arena, block, 60000, 100001));
    char *small = ms_arena_alloc(&arena, 24);
    assert_non_null(small);
    for (int i = 0; i < 24; i++) assert_int_equal(small[i], 0);
    assert_int_equal((uintptr_t)small % 16, 0);
    assert_null(ms_arena_alloc(&arena, 39000));
    ms_arena_resize(&arena, block, 60000, 0);
    assert_non_null(ms_arena_alloc(&arena, 39000));
    ms_arena_free(&arena);
    assert_int_equal(arena.used_bytes, 0);
}

static void test_tables(void **state)
{
    ms_arena arena;
    ms_graph g;
    uint64_t entries[3] = {5, 6, 0xff800000u}, bits, args[2];
    (void)state;
    ms_arena_init(&arena, NULL, 0);
    ms_graph_init(&g, &arena);
    const uint32_t table = ms_graph_table(&g, "t", MSW_F32, entries, 3);
    assert_int_equal(table, 0);
    assert_int_equal(ms_graph_table(&g, "other_name", MSW_F32, entries, 3), table); /* equal tables are one */
    assert_int_equal(ms_graph_table(&g, "t", MSW_U32, entries, 3), 1);
    assert_int_equal(ms_graph_table(&g, "t", MSW_F32, entries, 2), 2);
    entries[0] = 7; /* they were copied */
    static const struct {
        uint64_t index, entry;
    } expected[] = {{0, 5}, {1, 6}, {2, 0xff800000u}, {3, 0xff800000u}, {(uint64_t)-1, 0xff800000u}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        args[0] = expected[i].index, args[1] = ms_table_operand(g.tables[table]);
        assert_int_equal(ms_op_apply(MS_OP_TABLE, MSW_F32, MSW_I64, args, 0), expected[i].entry);
    }
    const ms_node index = ms_expr_input(&g, 0, 0, MSW_I8), entry = ms_expr_entry(&g, table, index), other = ms_expr_entry(&g, 1, index);
    assert_true(entry && other && entry != other && ms_expr_entry(&g, table, index) == entry);
    const ms_node leaves[3] = {entry, other, ms_expr_entry(&g, 2, index)};
    const ms_field fields[3] = {{.name = "a", .type = ms_type_scalar(MSW_F32)},
                                {.name = "b", .type = ms_type_scalar(MSW_U32)},
                                {.name = "c", .type = ms_type_scalar(MSW_F32)}};
    char error[256];
    const ms_function f = {.name = "f",
                           .param_count = 1,
                           .params = {{"x", ms_type_scalar(MSW_I8)}},
                           .result = ms_type_struct(&arena, "S", fields, 3, error),
                           .graph = &g,
                           .leaves = leaves};
    for (int wide = 0; wide < 2; wide++) {
        ms_eval *eval = ms_eval_create(&arena, &f, wide);
        uint64_t result[3];
        assert_non_null(eval);
        assert_int_equal(ms_eval_run(eval, (const uint64_t *const[]){&(uint64_t){1}}, result), 0);
        bits = ms_scalar_from_double(MSW_F64, ms_scalar_to_double(MSW_F32, 6));
        assert_int_equal(result[0], wide ? bits : 6);
        assert_int_equal(result[1], 6);
        assert_int_equal(ms_eval_run(eval, (const uint64_t *const[]){&(uint64_t){(uint64_t)-128}}, result), 0);
        assert_int_equal(result[1], 0xff800000u);
        assert_int_equal(result[2], wide ? bits : 6);
    }
    assert_true(ms_function_is_bit_exact(&f));
    assert_int_equal(ms_expr_entry(&g, table, ms_expr_input(&g, 0, 0, MSW_F32)), 0);
    assert_string_equal(g.error, "t[f32]: the index must be an integer; convert it, as in u32(x)");
    static const uint64_t many[20000];
    assert_int_equal(ms_graph_table(&g, "many", MSW_U32, many, 20000), UINT32_MAX);
    assert_string_equal(g.error, "80032 bytes of tables; a file has at most 65536: use a narrower type, or fewer entries");
    ms_graph_free(&g);
    ms_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_hash_consing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_type_rules, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bit_exactness, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_opaque, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_allocation_failures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_memory_limit, set_up, tear_down),
        cmocka_unit_test(test_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
