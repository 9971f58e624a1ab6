/* Types: where the parts of structs and vecs lie, and what no type can be made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph_fixture.h"

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
    assert_true(ms_type_has_words(vec)); /* of f16 */
    assert_false(ms_type_has_words(ms_type_scalar(MSW_F64)));
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
    char name[66];
    memset(name, 'n', sizeof name);
    name[65] = 0; /* longer names would meet the limits of shader compilers */
    expect_no_struct(f, name, 1, "a", u32, "", u32, "at most 64");
    expect_no_struct(f, "Long", 1, name, u32, "", u32, "at most 64");
    expect_no_struct(f, "not one", 1, "a", u32, "", u32, "must be an identifier");
    expect_no_struct(f, "Cond", 1, "c", ms_type_scalar(MSW_BOOL), "", u32, "bool");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_layout, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_type_errors, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
