/* The printer: the text of functions in GLSL, against texts written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../expr/graph_fixture.h"

#include "embedded.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

static lua_State *new_printer(void)
{
    lua_State *L = luaL_newstate();
    assert_non_null(L);
    luaL_openlibs(L);
    ms_push_file_function(L);
    lua_setglobal(L, "file");
    if (luaL_dofile(L, MSW_SOURCE_DIR "/tests/emit/print_function.lua")) fail_msg("%s", lua_tostring(L, -1));
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
    const ms_function compose = {
        .name = "combine", .param_count = 2, .params = {{"f", affine}, {"g", affine}}, .result = affine, .graph = g, .leaves = composed};
    expect_text(L, &compose, "", "precise Affine combine(Affine f, Affine g)\n{\n    return Affine(f.a * g.a, f.b * g.a + g.b);\n}\n");

    /* one sum of two parameters needs no guard */
    const ms_node sum = op2(g, MS_OP_ADD, ms_expr_input(g, 0, 0, MSW_F32), ms_expr_input(g, 1, 0, MSW_F32));
    const ms_function add = {.name = "combine", .param_count = 2, .params = {{"x", f32}, {"float", f32}}, .result = f32, .graph = g, .leaves = &sum};
    expect_text(L, &add, "", "float combine(float x, float float_)\n{\n    return x + float_;\n}\n");

    /* a choice between whole values */
    const ms_node c = op2(g, MS_OP_LT, ga, fa);
    const ms_node chosen[2] = {ms_expr_op(g, MS_OP_WHERE, (ms_node[]){c, ga, fa}, 3), ms_expr_op(g, MS_OP_WHERE, (ms_node[]){c, gb, fb}, 3)};
    const ms_function choose = {
        .name = "combine", .param_count = 2, .params = {{"f", affine}, {"g", affine}}, .result = affine, .graph = g, .leaves = chosen};
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

    /* a driver that takes floats for numbers does not see that what is compared is what is chosen, nor a literal beside it */
    const ms_node less = op2(g, MS_OP_LT, fa, ga), not_less = ms_expr_op(g, MS_OP_LNOT, (ms_node[]){less}, 1);
    const ms_node nothing = ms_expr_const(g, MSW_F32, 0), is_nothing = op2(g, MS_OP_EQ, fa, nothing);
    ms_node kept = ms_expr_op(g, MS_OP_WHERE, (ms_node[]){not_less, fa, ga}, 3);
    const ms_function choice = {.name = "map", .param_count = 2, .params = {{"x", f32}, {"y", f32}}, .result = f32, .graph = g, .leaves = &kept};
    expect_text(L, &choice, "", "float map(float x, float y)\n{\n    return mix(y, f32_veiled(x), !(x < y));\n}\n");
    kept = ms_expr_op(g, MS_OP_WHERE, (ms_node[]){is_nothing, nothing, fa}, 3);
    expect_text(L, &choice, "", "float map(float x, float y)\n{\n    return mix(x, f32_veiled(0.0), x == 0.0);\n}\n");
    kept = ms_expr_op(g, MS_OP_WHERE, (ms_node[]){is_nothing, ga, nothing}, 3);
    expect_text(L, &choice, "", "float map(float x, float y)\n{\n    return x == 0.0 ? y : 0.0;\n}\n");
    const ms_type *f16 = ms_type_scalar(MSW_F16);
    kept = op2(g, MS_OP_DIV, ms_expr_const(g, MSW_F16, 0), ms_expr_input(g, 0, 0, MSW_F16));
    const ms_function half = {.name = "map", .param_count = 1, .params = {{"x", f16}}, .result = f16, .graph = g, .leaves = &kept};
    expect_text(L, &half, "", "uint map(uint x)\n{\n    return f32_to_f16(f16_to_f32(0x0000u | zero_word()) / f16_to_f32(x));\n}\n");
    lua_close(L);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_printer, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
