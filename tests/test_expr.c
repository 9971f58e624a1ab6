/* Types, the expression graph, the evaluator and the printer, against expectations written by hand. */
#include "embedded.h"
#include "expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

typedef struct fixture {
    ms_arena arena;
    ms_graph graph;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (!f) return 1;
    ms_arena_init(&f->arena, NULL, 0);
    ms_graph_init(&f->graph, &f->arena);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    ms_graph_free(&f->graph);
    ms_arena_free(&f->arena);
    const int leaked = f->arena.used_bytes != 0;
    free(f);
    return leaked;
}

/* ---- types ---- */

static const ms_type *make_struct(fixture *f, const char *name, uint32_t count, ...)
{
    ms_field fields[8];
    char error[256];
    va_list args;
    va_start(args, count);
    for (uint32_t i = 0; i < count; i++) {
        fields[i].name = va_arg(args, const char *);
        fields[i].type = va_arg(args, const ms_type *);
    }
    va_end(args);
    return ms_type_struct(&f->arena, name, fields, count, error);
}

static void test_layout(void **state)
{
    fixture *f = *state;
    char error[256];
    const ms_type *vec = ms_type_vec(&f->arena, ms_type_scalar(MSW_F16), 3, error);
    const ms_type *inner = make_struct(f, "Inner", 2, "k", ms_type_scalar(MSW_U8), "v", vec);
    const ms_type *outer = make_struct(f, "Outer", 3, "flag", ms_type_scalar(MSW_I8), "lo", inner, "w", ms_type_scalar(MSW_F64));
    assert_string_equal(vec->info.name, "vec(f16, 3)");
    assert_int_equal(inner->info.size_bytes, 8);
    assert_int_equal(inner->info.alignment_bytes, 2);
    assert_int_equal(outer->info.size_bytes, 24);
    assert_int_equal(outer->info.alignment_bytes, 8);
    static const char *const paths[] = {"flag", "lo.k", "lo.v.x", "lo.v.y", "lo.v.z", "w"};
    static const uint32_t offsets[] = {0, 2, 4, 6, 8, 16};
    assert_int_equal(outer->info.leaf_count, 6);
    for (int i = 0; i < 6; i++) {
        assert_string_equal(outer->info.leaves[i].path, paths[i]);
        assert_int_equal(outer->info.leaves[i].offset_bytes, offsets[i]);
    }
    assert_true(ms_type_has_padding(outer));
    assert_false(ms_type_has_padding(vec));
    assert_true(ms_type_equal(inner, make_struct(f, "Inner", 2, "k", ms_type_scalar(MSW_U8), "v", vec)));
    assert_false(ms_type_equal(inner, make_struct(f, "Inner", 2, "k", ms_type_scalar(MSW_I8), "v", vec)));
    assert_false(ms_type_equal(inner, make_struct(f, "Inner", 2, "j", ms_type_scalar(MSW_U8), "v", vec)));
}

static void expect_no_struct(fixture *f, const char *name, uint32_t count, const char *a, const ms_type *a_type, const char *b, const ms_type *b_type,
                             const char *says)
{
    char error[256];
    const ms_field fields[2] = {{a, a_type, 0}, {b, b_type, 0}};
    assert_null(ms_type_struct(&f->arena, name, fields, count, error));
    if (!strstr(error, says)) fail_msg("'%s' does not say '%s'", error, says);
}

static void test_type_errors(void **state)
{
    fixture *f = *state;
    char error[256];
    const ms_type *u32 = ms_type_scalar(MSW_U32), *wide = u32;
    assert_null(ms_type_vec(&f->arena, u32, 5, error));
    assert_non_null(strstr(error, "2, 3 or 4"));
    assert_null(ms_type_vec(&f->arena, ms_type_scalar(MSW_BOOL), 2, error));
    const ms_type *vec = ms_type_vec(&f->arena, ms_type_scalar(MSW_F64), 4, error);
    assert_null(ms_type_vec(&f->arena, vec, 2, error));
    wide = make_struct(f, "Wide", 4, "a", vec, "b", vec, "c", vec, "d", vec);
    assert_int_equal(wide->info.size_bytes, 128);
    expect_no_struct(f, "Wider", 2, "a", wide, "b", ms_type_scalar(MSW_U8), "128 bytes");
    expect_no_struct(f, "Empty", 0, "", u32, "", u32, "at least one field");
    expect_no_struct(f, "Twice", 2, "a", u32, "a", u32, "'a' appears twice");
    expect_no_struct(f, "Odd", 1, "2a", u32, "", u32, "'2a' must be an identifier");
    expect_no_struct(f, "not one", 1, "a", u32, "", u32, "must be an identifier");
    expect_no_struct(f, "Cond", 1, "c", ms_type_scalar(MSW_BOOL), "", u32, "bool");
}

/* ---- scalars ---- */

static void test_half(void **state)
{
    (void)state;
    static const struct { double value; uint64_t bits; } cases[] = {
        {0.0, 0},           {-0.0, 0x8000},          {1.0, 0x3c00},
        {65504.0, 0x7bff},  {65519.9, 0x7bff},       {65520.0, 0x7c00},
        {-1e9, 0xfc00},     {0x1p-24, 1},            {0x1p-25, 0},
        {0x1.8p-25, 1},     {0x1p-14, 0x0400},       {0x1.ff8p-15, 0x3ff},
        {0x1.ffcp-15, 0x400}, {1 + 0x1p-11, 0x3c00}, {1 + 0x1.8p-10, 0x3c02},
        {1 + 0x1p-11 + 0x1p-40, 0x3c01}, {2047.5, 0x6800},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) assert_int_equal(ms_scalar_from_double(MSW_F16, cases[i].value), cases[i].bits);
    for (uint64_t bits = 0; bits < 0x10000; bits++) {
        const double value = ms_scalar_to_double(MSW_F16, bits);
        if (isnan(value))
            assert_true((bits & 0x7fff) > 0x7c00);
        else
            assert_int_equal(ms_scalar_from_double(MSW_F16, value), bits);
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
#define MINUS(x) ((uint64_t)-(int64_t)(x))

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
    {MS_OP_CONVERT, MSW_F64, {0x3ff0020000000001}, 0x3c01, MSW_F16},     /* just above a tie */
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
        const ms_function function = {.name = "f", .param_count = 3, .params = {{"a", type}, {"b", type}, {"c", type}}, .result = result,
                                      .graph = &f->graph, .leaves = &node};
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
    static const struct { ms_op op; double x, y; } cases[] = {
        {MS_OP_RSQRT, 4, 0.5}, {MS_OP_EXP, 1, 2.718281828459045}, {MS_OP_EXP2, 10, 1024}, {MS_OP_LOG, 2.718281828459045, 1}, {MS_OP_LOG2, 8, 3},
        {MS_OP_SIN, 1, 0.8414709848078965}, {MS_OP_COS, 1, 0.5403023058681398}, {MS_OP_TANH, 1, 0.7615941559557649},
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

/* ---- the graph ---- */

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
    const struct { ms_op op; ms_node args[3]; const char *says; } cases[] = {
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
    const struct { ms_node leaf; int exact; } cases[] = {{least, 1}, {sum, 0}, {whole, 1}, {back, 0}, {ms_expr_convert(g, MSW_F64, least), 1}};
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

typedef struct failing {
    int left;
    int64_t live_bytes;
} failing;

static void *failing_resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    failing *state = user;
    if (!new_bytes) {
        state->live_bytes -= block ? (int64_t)old_bytes : 0;
        free(block);
        return NULL;
    }
    if (state->left-- <= 0) return NULL;
    void *moved = realloc(block, new_bytes);
    if (moved) state->live_bytes += (int64_t)new_bytes - (block ? (int64_t)old_bytes : 0);
    return moved;
}

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
    int limit = 0;
    for (;; limit++) {
        failing state = {limit, 0};
        if (build_and_run(&state)) break;
    }
    assert_true(limit > 5);
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

/* ---- the printer ---- */

static lua_State *new_printer(void)
{
    lua_State *L = luaL_newstate();
    assert_non_null(L);
    luaL_openlibs(L);
    ms_push_file_function(L);
    lua_setglobal(L, "file");
    if (luaL_dofile(L, MSW_SOURCE_DIR "/tests/print_function.lua")) fail_msg("%s", lua_tostring(L, -1));
    return L;
}

/* features: a Lua table's inside, "int64 = true". */
static void expect_text(lua_State *L, const ms_function *function, const char *features, const char *expected)
{
    lua_getglobal(L, "print_function");
    ms_push_function(L, function);
    lua_pushstring(L, features);
    if (lua_pcall(L, 2, 1, 0)) fail_msg("%s", lua_tostring(L, -1));
    assert_string_equal(lua_tostring(L, -1), expected);
    lua_pop(L, 1);
}

static ms_node op2(ms_graph *g, ms_op op, ms_node a, ms_node b) { return ms_expr_op(g, op, (ms_node[]){a, b}, 2); }

static void test_printer(void **state)
{
    fixture *f = *state;
    ms_graph *g = &f->graph;
    lua_State *L = new_printer();
    const ms_type *f32 = ms_type_scalar(MSW_F32), *u64 = ms_type_scalar(MSW_U64), *i32 = ms_type_scalar(MSW_I32);

    const ms_type *affine = make_struct(f, "Affine", 2, "a", f32, "b", f32);
    const ms_node fa = ms_expr_input(g, 0, 0, MSW_F32), fb = ms_expr_input(g, 0, 1, MSW_F32);
    const ms_node ga = ms_expr_input(g, 1, 0, MSW_F32), gb = ms_expr_input(g, 1, 1, MSW_F32);
    const ms_node composed[2] = {op2(g, MS_OP_MUL, fa, ga), op2(g, MS_OP_ADD, op2(g, MS_OP_MUL, fb, ga), gb)};
    const ms_function compose = {.name = "combine", .param_count = 2, .params = {{"f", affine}, {"g", affine}}, .result = affine, .graph = g,
                                 .leaves = composed};
    expect_text(L, &compose, "", "precise Affine combine(Affine f, Affine g)\n{\n    return Affine(f.a * g.a, f.b * g.a + g.b);\n}\n");

    /* one sum of two parameters needs no guard */
    const ms_node sum = op2(g, MS_OP_ADD, ms_expr_input(g, 0, 0, MSW_F32), ms_expr_input(g, 1, 0, MSW_F32));
    const ms_function add = {.name = "combine", .param_count = 2, .params = {{"x", f32}, {"float", f32}}, .result = f32, .graph = g, .leaves = &sum};
    expect_text(L, &add, "", "float combine(float x, float float_)\n{\n    return x + float_;\n}\n");

    /* a choice between whole values */
    const ms_node c = op2(g, MS_OP_LT, ga, fa);
    const ms_node chosen[2] = {ms_expr_op(g, MS_OP_WHERE, (ms_node[]){c, ga, fa}, 3), ms_expr_op(g, MS_OP_WHERE, (ms_node[]){c, gb, fb}, 3)};
    const ms_function choose = {.name = "combine", .param_count = 2, .params = {{"f", affine}, {"g", affine}}, .result = affine, .graph = g,
                                .leaves = chosen};
    expect_text(L, &choose, "", "Affine combine(Affine f, Affine g)\n{\n    return g.a < f.a ? g : f;\n}\n");

    /* nothing of what changes nothing, and no mask where the range shows that the value fits */
    const ms_type *u8 = ms_type_scalar(MSW_U8);
    const ms_node zero = ms_expr_const(g, MSW_U8, 0), byte = op2(g, MS_OP_SHR, ms_expr_input(g, 0, 0, MSW_U8), zero);
    const ms_node low = op2(g, MS_OP_AND, byte, ms_expr_const(g, MSW_U8, 3)), times = op2(g, MS_OP_MUL, low, ms_expr_const(g, MSW_U8, 1));
    const ms_node fits = op2(g, MS_OP_OR, zero, op2(g, MS_OP_SHL, times, ms_expr_const(g, MSW_U8, 6)));
    const ms_node over = op2(g, MS_OP_SHL, low, ms_expr_const(g, MSW_U8, 7));
    ms_function narrow = {.name = "map", .param_count = 1, .params = {{"x", u8}}, .result = u8, .graph = g, .leaves = &fits};
    expect_text(L, &narrow, "", "uint map(uint x)\n{\n    return (x & 3u) << 6;\n}\n");
    narrow.leaves = &over;
    expect_text(L, &narrow, "", "uint map(uint x)\n{\n    return ((x & 3u) << 7) & 255u;\n}\n");

    /* 3 | 4 is above both of what it is made of, which are at most 4 */
    const ms_node input = ms_expr_input(g, 0, 0, MSW_U8), to_four = op2(g, MS_OP_ADD, low, op2(g, MS_OP_AND, input, ms_expr_const(g, MSW_U8, 1)));
    const ms_node four = op2(g, MS_OP_MUL, op2(g, MS_OP_SHR, input, ms_expr_const(g, MSW_U8, 7)), ms_expr_const(g, MSW_U8, 4));
    const ms_node seven = op2(g, MS_OP_ADD, op2(g, MS_OP_OR, to_four, four), ms_expr_const(g, MSW_U8, 250));
    narrow.leaves = &seven;
    expect_text(L, &narrow, "", "uint map(uint x)\n{\n    return ((((x & 3u) + (x & 1u)) | ((x >> 7) * 4u)) + 250u) & 255u;\n}\n");

    /* nor a comparison that holds for every unsigned value */
    const ms_node sure = ms_expr_op(g, MS_OP_WHERE, (ms_node[]){op2(g, MS_OP_LE, zero, byte), low, times}, 3);
    const ms_node never = ms_expr_op(g, MS_OP_WHERE, (ms_node[]){op2(g, MS_OP_LT, byte, zero), byte, sure}, 3);
    narrow.leaves = &never;
    expect_text(L, &narrow, "", "uint map(uint x)\n{\n    return x & 3u;\n}\n");

    /* emulation, and a name for what is used twice */
    const ms_node x = ms_expr_input(g, 0, 0, MSW_U64), y = ms_expr_input(g, 1, 0, MSW_U64), s = op2(g, MS_OP_ADD, x, y);
    const ms_node mixed = op2(g, MS_OP_XOR, s, op2(g, MS_OP_SHR, s, ms_expr_const(g, MSW_U64, 33)));
    const ms_function mix = {.name = "map", .param_count = 2, .params = {{"x", u64}, {"y", u64}}, .result = u64, .graph = g, .leaves = &mixed};
    expect_text(L, &mix, "int64 = true", "uint64_t map(uint64_t x, uint64_t y)\n{\n    uint64_t sum = x + y;\n    return sum ^ (sum >> 33);\n}\n");
    expect_text(L, &mix, "", "uvec2 map(uvec2 x, uvec2 y)\n{\n    uvec2 sum = u64_add(x, y);\n    return sum ^ u64_shr(sum, 33u);\n}\n");

    /* constants fold, constant divisors print plainly, others go through a helper */
    const ms_node a = ms_expr_input(g, 0, 0, MSW_I32), b = ms_expr_input(g, 1, 0, MSW_I32);
    const ms_node eight = op2(g, MS_OP_ADD, ms_expr_const(g, MSW_I32, 3), ms_expr_const(g, MSW_I32, 5));
    const ms_node divided = op2(g, MS_OP_SUB, op2(g, MS_OP_DIV, op2(g, MS_OP_SUB, a, op2(g, MS_OP_SUB, b, a)), eight), op2(g, MS_OP_DIV, a, b));
    const ms_function divide = {.name = "map", .param_count = 2, .params = {{"a", i32}, {"b", i32}}, .result = i32, .graph = g, .leaves = &divided};
    expect_text(L, &divide, "", "int map(int a, int b)\n{\n    return (a - (b - a)) / 8 - i32_div(a, b);\n}\n");
    lua_close(L);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_layout), TEST(test_type_errors), TEST(test_half), TEST(test_saturation), TEST(test_operations), TEST(test_transcendental),
        TEST(test_wide), TEST(test_hash_consing), TEST(test_type_rules), TEST(test_bit_exactness), TEST(test_opaque),
        TEST(test_allocation_failures), TEST(test_memory_limit), TEST(test_printer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
