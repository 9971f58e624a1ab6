/* The evaluator: every operation on every kind of scalar, against values written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph_fixture.h"

#include <math.h>

static void test_half(void **state)
{
    (void)state;
    static const struct {
        double value;
        uint64_t bits;
    } cases[] = {
        {0.0, 0},
        {-0.0, 0x8000},
        {1.0, 0x3c00},
        {65504.0, 0x7bff},
        {65519.9, 0x7bff},
        {65520.0, 0x7c00},
        {-1e9, 0xfc00},
        {0x1p-24, 1},
        {0x1p-25, 0},
        {0x1.8p-25, 1},
        {0x1p-14, 0x0400},
        {0x1.ff8p-15, 0x3ff},
        {0x1.ffcp-15, 0x400},
        {1 + 0x1p-11, 0x3c00},
        {1 + 0x1.8p-10, 0x3c02},
        {1 + 0x1p-11 + 0x1p-40, 0x3c01},
        {2047.5, 0x6800},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) assert_int_equal(ms_scalar_from_double(MSW_F16, cases[i].value), cases[i].bits);
    for (uint64_t bits = 0; bits < 0x10000; bits++) {
        const double value = ms_scalar_to_double(MSW_F16, bits);
        if (isnan(value)) assert_true((bits & 0x7fff) > 0x7c00);
        else assert_int_equal(ms_scalar_from_double(MSW_F16, value), bits);
    }
}

static void test_saturation(void **state)
{
    (void)state;
    assert_int_equal(ms_scalar_from_double(MSW_U8, 255.9), 255);
    assert_int_equal(ms_scalar_from_double(MSW_U8, 256), 255);
    assert_int_equal(ms_scalar_from_double(MSW_U8, -1), 0);
    assert_true(ms_scalar_from_double(MSW_I8, -129) == (uint64_t)-128);
    assert_true(ms_scalar_from_double(MSW_I8, -128.5) == (uint64_t)-128);
    assert_int_equal(ms_scalar_from_double(MSW_I8, 1e9), 127);
    assert_int_equal(ms_scalar_from_double(MSW_U32, 4294967295.5), UINT32_MAX);
    assert_true(ms_scalar_from_double(MSW_U64, 1e30) == UINT64_MAX);
    assert_true(ms_scalar_from_double(MSW_I64, 1e30) == INT64_MAX);
    assert_true(ms_scalar_from_double(MSW_I64, -1e30) == (uint64_t)INT64_MIN);
    assert_int_equal(ms_scalar_from_double(MSW_I32, NAN), 0);
    assert_int_equal(ms_scalar_from_double(MSW_U64, -NAN), 0);
}

/* ---- operations ---- */

#define F32_INF 0x7f800000u
#define F32_NAN 0x7fc00000u
#define F64_ONE 0x3ff0000000000000u

typedef struct op_case {
    ms_op op;
    msw_scalar type; /* of the operands; CONVERT and BITCAST: from */
    uint64_t args[3], result;
    msw_scalar to; /* CONVERT, BITCAST */
} op_case;

static const op_case op_cases[] = {
    {MS_OP_ADD, MSW_U8, {250, 10}, 4, 0},
    {MS_OP_ADD, MSW_I8, {127, 1}, MINUS(128), 0},
    {MS_OP_ADD, MSW_I32, {INT32_MAX, 1}, MINUS(0x80000000), 0},
    {MS_OP_ADD, MSW_U64, {UINT64_MAX, 2}, 1, 0},
    {MS_OP_SUB, MSW_U16, {0, 1}, 65535, 0},
    {MS_OP_SUB, MSW_I64, {(uint64_t)INT64_MIN, 1}, INT64_MAX, 0},
    {MS_OP_MUL, MSW_U32, {0x10001, 0x10001}, 0x20001, 0},
    {MS_OP_MUL, MSW_I16, {MINUS(300), 300}, MINUS(24464), 0},
    {MS_OP_NEG, MSW_I8, {MINUS(128)}, MINUS(128), 0},
    {MS_OP_NEG, MSW_U32, {1}, UINT32_MAX, 0},
    {MS_OP_DIV, MSW_I32, {MINUS(7), 2}, MINUS(3), 0},
    {MS_OP_DIV, MSW_I32, {7, MINUS(2)}, MINUS(3), 0},
    {MS_OP_DIV, MSW_I32, {MINUS(7), 0}, MINUS(7), 0},
    {MS_OP_DIV, MSW_I32, {MINUS(0x80000000), MINUS(1)}, MINUS(0x80000000), 0},
    {MS_OP_DIV, MSW_I64, {(uint64_t)INT64_MIN, MINUS(1)}, (uint64_t)INT64_MIN, 0},
    {MS_OP_DIV, MSW_I8, {MINUS(128), MINUS(1)}, MINUS(128), 0},
    {MS_OP_DIV, MSW_U64, {UINT64_MAX, 0}, UINT64_MAX, 0},
    {MS_OP_FLOORDIV, MSW_I32, {MINUS(7), 2}, MINUS(4), 0},
    {MS_OP_FLOORDIV, MSW_I32, {7, MINUS(2)}, MINUS(4), 0},
    {MS_OP_FLOORDIV, MSW_I32, {MINUS(6), 2}, MINUS(3), 0},
    {MS_OP_FLOORDIV, MSW_I32, {MINUS(7), 0}, MINUS(7), 0},
    {MS_OP_FLOORDIV, MSW_I16, {MINUS(32768), MINUS(1)}, MINUS(32768), 0},
    {MS_OP_FLOORDIV, MSW_U32, {7, 2}, 3, 0},
    {MS_OP_MOD, MSW_I32, {MINUS(7), 3}, 2, 0},
    {MS_OP_MOD, MSW_I32, {7, MINUS(3)}, MINUS(2), 0},
    {MS_OP_MOD, MSW_I32, {MINUS(7), 0}, 0, 0},
    {MS_OP_MOD, MSW_I32, {MINUS(0x80000000), MINUS(1)}, 0, 0},
    {MS_OP_MOD, MSW_U8, {200, 0}, 0, 0},
    {MS_OP_AND, MSW_I16, {MINUS(1), 0xff}, 0xff, 0},
    {MS_OP_OR, MSW_U8, {0x0f, 0xf0}, 0xff, 0},
    {MS_OP_XOR, MSW_I8, {MINUS(1), 0x7f}, MINUS(128), 0},
    {MS_OP_NOT, MSW_U16, {0}, 0xffff, 0},
    {MS_OP_NOT, MSW_I16, {0}, MINUS(1), 0},
    {MS_OP_SHL, MSW_U8, {1, 9}, 2, 0},
    {MS_OP_SHL, MSW_I32, {1, 31}, MINUS(0x80000000), 0},
    {MS_OP_SHL, MSW_I64, {1, MINUS(1)}, (uint64_t)INT64_MIN, 0},
    {MS_OP_SHR, MSW_I32, {MINUS(8), 1}, MINUS(4), 0},
    {MS_OP_SHR, MSW_U32, {0x80000000, 31}, 1, 0},
    {MS_OP_SHR, MSW_U32, {0x80000000, 32}, 0x80000000, 0},
    {MS_OP_SHR, MSW_I64, {MINUS(1), 63}, MINUS(1), 0},
    {MS_OP_WHERE, MSW_U32, {1, 5, 6}, 5, 0},
    {MS_OP_WHERE, MSW_F32, {0, F32_NAN, 6}, 6, 0},
    {MS_OP_LT, MSW_I8, {MINUS(1), 0}, 1, 0},
    {MS_OP_LT, MSW_U8, {255, 0}, 0, 0},
    {MS_OP_GE, MSW_U64, {UINT64_MAX, 1}, 1, 0},
    {MS_OP_GT, MSW_I64, {MINUS(1), 1}, 0, 0},
    {MS_OP_LE, MSW_F32, {F32_NAN, F32_NAN}, 0, 0},
    {MS_OP_GE, MSW_F32, {F32_NAN, 0}, 0, 0},
    {MS_OP_EQ, MSW_F32, {0, 0x80000000}, 1, 0},
    {MS_OP_NE, MSW_F32, {F32_NAN, F32_NAN}, 1, 0},
    {MS_OP_NE, MSW_BOOL, {1, 0}, 1, 0},
    {MS_OP_EQ, MSW_BOOL, {0, 0}, 1, 0},
    {MS_OP_LAND, MSW_BOOL, {1, 0}, 0, 0},
    {MS_OP_LOR, MSW_BOOL, {1, 0}, 1, 0},
    {MS_OP_LNOT, MSW_BOOL, {0}, 1, 0},
    {MS_OP_MIN, MSW_I16, {MINUS(5), 3}, MINUS(5), 0},
    {MS_OP_MAX, MSW_U16, {65535, 3}, 65535, 0},
    {MS_OP_MIN, MSW_F32, {0, 0x80000000}, 0x80000000, 0},
    {MS_OP_MAX, MSW_F32, {0x80000000, 0}, 0, 0},
    {MS_OP_MIN, MSW_F32, {F32_NAN, 0x3f800000}, 0x3f800000, 0},
    {MS_OP_MAX, MSW_F32, {0xff800000, F32_NAN}, 0xff800000, 0},
    {MS_OP_MAX, MSW_F64, {F64_ONE, F64_ONE | (uint64_t)1 << 63}, F64_ONE, 0},
    {MS_OP_MIN, MSW_F16, {0x3c00, 0x7e00}, 0x3c00, 0},
    {MS_OP_ABS, MSW_I32, {MINUS(0x80000000)}, MINUS(0x80000000), 0},
    {MS_OP_ABS, MSW_U8, {200}, 200, 0},
    {MS_OP_ABS, MSW_F16, {0xfc00}, 0x7c00, 0},
    {MS_OP_NEG, MSW_F32, {0}, 0x80000000, 0},
    {MS_OP_FMA, MSW_I8, {100, 3, 1}, 45, 0},
    {MS_OP_FMA, MSW_F32, {0x3f800001, 0x3f800001, 0xbf800002}, 0x28800000, 0},
    {MS_OP_MULHI, MSW_U8, {255, 255}, 254, 0},
    {MS_OP_MULHI, MSW_I8, {MINUS(128), MINUS(128)}, 64, 0},
    {MS_OP_MULHI, MSW_U64, {UINT64_MAX, UINT64_MAX}, UINT64_MAX - 1, 0},
    {MS_OP_MULHI, MSW_I64, {MINUS(1), 1}, MINUS(1), 0},
    {MS_OP_ADD, MSW_F32, {0x3f800000, 0x33800000}, 0x3f800000, 0}, /* 1 + 2^-24: a tie, to even */
    {MS_OP_ADD, MSW_F32, {0x3f800001, 0x33800000}, 0x3f800002, 0},
    {MS_OP_MUL, MSW_F32, {0x7f7fffff, 0x40000000}, F32_INF, 0},
    {MS_OP_MUL, MSW_F32, {0x00000001, 0x3f000000}, 0, 0}, /* half the least denormal: a tie, to even */
    {MS_OP_MUL, MSW_F16, {0x3c01, 0x3c01}, 0x3c02, 0},
    {MS_OP_SUB, MSW_F16, {0x3c00, 0x3c00}, 0, 0},
    {MS_OP_DIV, MSW_F32, {0x3f800000, 0}, F32_INF, 0},
    {MS_OP_FLOORDIV, MSW_F32, {0xc0e00000, 0x40000000}, 0xc0800000, 0}, /* -7 // 2 = -4 */
    {MS_OP_MOD, MSW_F32, {0xc0e00000, 0x40000000}, 0x3f800000, 0},      /* -7 % 2 = 1 */
    {MS_OP_SQRT, MSW_F32, {0x40800000}, 0x40000000, 0},
    {MS_OP_ROUND, MSW_F32, {0x40200000}, 0x40000000, 0}, /* 2.5 to 2 */
    {MS_OP_ROUND, MSW_F64, {0x3ff8000000000000}, 0x4000000000000000, 0},
    {MS_OP_FLOOR, MSW_F16, {0xb800}, 0xbc00, 0},
    {MS_OP_CEIL, MSW_F32, {0xbf000000}, 0x80000000, 0}, /* -0.5 to -0 */
    {MS_OP_TRUNC, MSW_F32, {0xbfc00000}, 0xbf800000, 0},
    {MS_OP_POPCOUNT, MSW_I8, {MINUS(1)}, 8, 0},
    {MS_OP_POPCOUNT, MSW_U64, {UINT64_MAX}, 64, 0},
    {MS_OP_CLZ, MSW_U8, {0}, 8, 0},
    {MS_OP_CLZ, MSW_I16, {MINUS(1)}, 0, 0},
    {MS_OP_CLZ, MSW_U32, {1}, 31, 0},
    {MS_OP_CTZ, MSW_U64, {0}, 64, 0},
    {MS_OP_CTZ, MSW_I32, {MINUS(0x80000000)}, 31, 0},
    {MS_OP_BITREVERSE, MSW_U8, {0x01}, 0x80, 0},
    {MS_OP_BITREVERSE, MSW_I16, {1}, MINUS(32768), 0},
    {MS_OP_BITREVERSE, MSW_U64, {2}, (uint64_t)1 << 62, 0},
    {MS_OP_ROTL, MSW_U8, {0x81, 1}, 0x03, 0},
    {MS_OP_ROTL, MSW_U32, {0x80000001, 32}, 0x80000001, 0},
    {MS_OP_ROTR, MSW_I8, {1, 1}, MINUS(128), 0},
    {MS_OP_ROTR, MSW_U64, {1, 1}, (uint64_t)1 << 63, 0},
    {MS_OP_ISNAN, MSW_F16, {0x7c01}, 1, 0},
    {MS_OP_ISNAN, MSW_F64, {0x7ff0000000000000}, 0, 0},
    {MS_OP_CONVERT, MSW_I32, {MINUS(1)}, 255, MSW_U8},
    {MS_OP_CONVERT, MSW_U16, {0x8000}, MINUS(32768), MSW_I16},
    {MS_OP_CONVERT, MSW_I8, {MINUS(1)}, UINT64_MAX, MSW_U64},
    {MS_OP_CONVERT, MSW_U8, {200}, 200, MSW_I64},
    {MS_OP_CONVERT, MSW_F32, {0x4f800000}, UINT32_MAX, MSW_U32},
    {MS_OP_CONVERT, MSW_F32, {0xbf800000}, 0, MSW_U32},
    {MS_OP_CONVERT, MSW_F32, {F32_NAN}, 0, MSW_I64},
    {MS_OP_CONVERT, MSW_F64, {0xc1e0000000200000}, MINUS(0x80000000), MSW_I32},
    {MS_OP_CONVERT, MSW_U64, {0x8000008000000001}, 0x5f000001, MSW_F32}, /* once from 64 bits, not by way of a double */
    {MS_OP_CONVERT, MSW_U64, {UINT64_MAX}, 0x43f0000000000000, MSW_F64},
    {MS_OP_CONVERT, MSW_U32, {65520}, 0x7c00, MSW_F16},
    {MS_OP_CONVERT, MSW_F64, {0x3ff0020000000001}, 0x3c01, MSW_F16}, /* just above a tie */
    {MS_OP_CONVERT, MSW_BOOL, {1}, F64_ONE, MSW_F64},
    {MS_OP_CONVERT, MSW_BOOL, {1}, 1, MSW_I8},
    {MS_OP_CONVERT, MSW_U32, {256}, 1, MSW_BOOL},
    {MS_OP_CONVERT, MSW_F32, {0x80000000}, 0, MSW_BOOL},
    {MS_OP_CONVERT, MSW_F32, {F32_NAN}, 1, MSW_BOOL},
    {MS_OP_BITCAST, MSW_F32, {0xbf800000}, MINUS(0x40800000), MSW_I32},
    {MS_OP_BITCAST, MSW_I16, {MINUS(1)}, 0xffff, MSW_F16},
    {MS_OP_BITCAST, MSW_U8, {255}, MINUS(1), MSW_I8},
};

static ms_node make_op(ms_graph *graph, const op_case *c, const ms_node *args)
{
    if (c->op == MS_OP_CONVERT) return ms_expr_convert(graph, c->to, args[0]);
    if (c->op == MS_OP_BITCAST) return ms_expr_bitcast(graph, c->to, args[0]);
    return ms_expr_op(graph, c->op, args, ms_op_arity(c->op));
}

/* Every case through the graph and the evaluator, on inputs. */
static void test_operations(void **state)
{
    fixture *f = *state;
    uint64_t tried = 0;
    for (size_t i = 0; i < sizeof op_cases / sizeof *op_cases; i++) {
        const op_case *c = &op_cases[i];
        ms_node args[3];
        for (uint32_t k = 0; k < 3; k++) args[k] = ms_expr_input(&f->graph, k, 0, c->op == MS_OP_WHERE && k == 0 ? MSW_BOOL : c->type);
        const ms_node node = make_op(&f->graph, c, args);
        assert_int_not_equal(node, 0);
        const ms_type *type = ms_type_scalar(c->type), *result = ms_type_scalar((msw_scalar)f->graph.nodes[node].type);
        const ms_function function = {
            .name = "f", .param_count = 3, .params = {{"a", type}, {"b", type}, {"c", type}}, .result = result, .graph = &f->graph, .leaves = &node};
        ms_eval *eval = ms_eval_create(&f->arena, &function, 0);
        const uint64_t *const values[3] = {&c->args[0], &c->args[1], &c->args[2]};
        uint64_t got = 0;
        assert_non_null(eval);
        assert_int_equal(ms_eval_run(eval, values, &got), 0);
        if (got != c->result)
            fail_msg("case %zu: %s on %s gives 0x%llx, expected 0x%llx", i, ms_op_name(c->op), ms_scalar_name(c->type), (unsigned long long)got,
                     (unsigned long long)c->result);
        tried |= (uint64_t)1 << c->op;
    }
    for (int op = MS_OP_ADD; op < MS_OP_COUNT; op++)
        if (!(tried >> op & 1) && (op < MS_OP_RSQRT || op > MS_OP_TANH)) fail_msg("no case for %s", ms_op_name((ms_op)op));
}

static void test_transcendental(void **state)
{
    (void)state;
    static const struct {
        ms_op op;
        double x, y;
    } cases[] = {
        {MS_OP_RSQRT, 4, 0.5},
        {MS_OP_EXP, 1, 2.718281828459045},
        {MS_OP_EXP2, 10, 1024},
        {MS_OP_LOG, 2.718281828459045, 1},
        {MS_OP_LOG2, 8, 3},
        {MS_OP_SIN, 1, 0.8414709848078965},
        {MS_OP_COS, 1, 0.5403023058681398},
        {MS_OP_TANH, 1, 0.7615941559557649},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (msw_scalar type = MSW_F16; type <= MSW_F64; type++) {
            const uint64_t x = ms_scalar_from_double(type, cases[i].x);
            const double y = ms_scalar_to_double(type, ms_op_apply(cases[i].op, type, type, &x, 0));
            const double bound = type == MSW_F16 ? 2e-3 : type == MSW_F32 ? 3e-7 : 1e-15;
            assert_true(fabs(y - cases[i].y) <= bound * cases[i].y);
        }
    }
}

/* wide: floats of 16 and 32 bits are doubles until they are stored. */
static void test_wide(void **state)
{
    fixture *f = *state;
    const ms_node x = ms_expr_input(&f->graph, 0, 0, MSW_F32), tiny = ms_expr_const(&f->graph, MSW_F32, 0x33000000); /* 2^-25 */
    const ms_node sum = ms_expr_op(&f->graph, MS_OP_ADD, (ms_node[]){x, tiny}, 2);
    const ms_node leaves[2] = {sum, ms_expr_bitcast(&f->graph, MSW_U32, sum)};
    const ms_type *f32 = ms_type_scalar(MSW_F32), *pair = make_struct(f, "P", 2, "s", f32, "b", ms_type_scalar(MSW_U32));
    const ms_function function = {.name = "f", .param_count = 1, .params = {{"x", f32}}, .result = pair, .graph = &f->graph, .leaves = leaves};
    const float one = 1;
    uint64_t in, out[2];
    double sum_value;
    ms_leaves_load(f32, &one, &in, 1);
    const uint64_t *const args[1] = {&in};
    assert_int_equal(ms_eval_run(ms_eval_create(&f->arena, &function, 1), args, out), 0);
    memcpy(&sum_value, &out[0], 8);
    assert_true(sum_value == 1 + 0x1p-25);
    assert_int_equal(out[1], 0x3f800000);
    unsigned char memory[8];
    ms_leaves_store(pair, memory, out, 1);
    assert_memory_equal(memory, "\x00\x00\x80\x3f\x00\x00\x80\x3f", 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_half, set_up, tear_down),       cmocka_unit_test_setup_teardown(test_saturation, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_operations, set_up, tear_down), cmocka_unit_test_setup_teardown(test_transcendental, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wide, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
