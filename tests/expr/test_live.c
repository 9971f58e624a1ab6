/* How many registers functions need: trees whose least number is known, graphs against all orders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph_fixture.h"
#include "expr/live.h"
#include "splitmix.h"

enum { LEAVES = 16 };

/* f(p0) -> results, all f32, where p0 has LEAVES leaves. */
typedef struct made {
    fixture *f;
    ms_node in[LEAVES];
} made;

static const ms_type *record_of(fixture *f, uint32_t count)
{
    static ms_field fields[LEAVES];
    static const char *const names[LEAVES] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"};
    char error[256];
    for (uint32_t i = 0; i < count; i++) fields[i] = (ms_field){.name = names[i], .type = ms_type_scalar(MSW_F32)};
    return count == 1 ? ms_type_scalar(MSW_F32) : ms_type_struct(&f->arena, "Record", fields, count, error);
}

static ms_node add(made *m, ms_node a, ms_node b) { return ms_expr_op(&m->f->graph, MS_OP_ADD, (const ms_node[]){a, b}, 2); }
static ms_node mul(made *m, ms_node a, ms_node b) { return ms_expr_op(&m->f->graph, MS_OP_MUL, (const ms_node[]){a, b}, 2); }

static made begin(void **state)
{
    made m = {.f = *state};
    for (uint32_t l = 0; l < LEAVES; l++) m.in[l] = ms_expr_input(&m.f->graph, 0, l, MSW_F32);
    return m;
}

static ms_live live_of(made *m, const ms_node *results, uint32_t count, uint32_t held)
{
    ms_live live;
    const ms_function function = {.name = "f",
                                  .param_count = 1,
                                  .params = {{"x", record_of(m->f, LEAVES)}},
                                  .result = record_of(m->f, count),
                                  .graph = &m->f->graph,
                                  .leaves = results};
    assert_true(ms_function_live(&function, held, &m->f->arena, &live));
    return live;
}

static void expect_live(made *m, ms_node result, uint32_t words)
{
    const ms_live live = live_of(m, &result, 1, 0);
    assert_int_equal(live.words, words);
    assert_true(live.is_least);
}

/* (a + b) * (c + d): three, as in Heirich's slides. */
static void test_two_sums(void **state)
{
    made m = begin(state);
    const ms_node *x = m.in;
    expect_live(&m, mul(&m, add(&m, x[0], x[1]), add(&m, x[2], x[3])), 3);
    expect_live(&m, x[3], 1);
    expect_live(&m, add(&m, x[0], x[0]), 1);
}

static ms_node balanced(made *m, uint32_t first, uint32_t count)
{
    return count == 1 ? m->in[first] : add(m, balanced(m, first, count / 2), balanced(m, first + count / 2, count / 2));
}

/* A comb of 5 leaves times a balanced tree of 4: three registers hold it, the balanced tree first, so it costs its 9 loads and 8 operations, 17. The
 * shortest subtree first would need a fourth. */
static void test_comb_and_tree(void **state)
{
    made m = begin(state);
    ms_node comb = m.in[0];
    for (uint32_t l = 1; l < 5; l++) comb = add(&m, comb, m.in[l]);
    expect_live(&m, comb, 2);
    expect_live(&m, balanced(&m, 5, 4), 3);
    expect_live(&m, mul(&m, comb, balanced(&m, 5, 4)), 3);
    expect_live(&m, mul(&m, balanced(&m, 9, 4), comb), 3);
    expect_live(&m, balanced(&m, 0, 16), 5);
}

/* A value that is used twice stays; results stay; what is held from the start is there before anything is loaded. */
static void test_graphs(void **state)
{
    made m = begin(state);
    const ms_node *x = m.in, sum = add(&m, x[0], x[1]), twice[2] = {mul(&m, sum, x[2]), mul(&m, sum, x[3])};
    assert_int_equal(live_of(&m, twice, 2, 0).words, 3);
    assert_int_equal(live_of(&m, twice, 2, 1).words, 4);
    expect_live(&m, add(&m, twice[0], twice[1]), 3);
    const ms_node wide = ms_expr_convert(&m.f->graph, MSW_F64, sum);
    expect_live(&m, ms_expr_convert(&m.f->graph, MSW_F32, mul(&m, wide, wide)), 2);
}

/* All orders, one after the other: the least number of words that live at once. */
typedef struct orders {
    ms_node args[8][2];
    uint32_t count;
} orders;

static uint32_t try_orders(const orders *o, const ms_node *nodes, const made *m, uint32_t done, uint32_t loaded, ms_node result)
{
    uint32_t least = UINT32_MAX;
    if (done == (1u << o->count) - 1) return 0;
    for (uint32_t i = 0; i < o->count; i++) {
        uint32_t before = 0, after = 0, next_loaded = loaded, ready = !(done >> i & 1);
        for (uint32_t k = 0; k < 2; k++)
            for (uint32_t j = 0; j < o->count; j++) ready &= o->args[i][k] != nodes[j] || (done >> j & 1);
        if (!ready) continue;
        for (uint32_t l = 0; l < LEAVES; l++)
            if (o->args[i][0] == m->in[l] || o->args[i][1] == m->in[l]) next_loaded |= 1u << l;
        /* A value lives if it is there and an operation that is left uses it: before, i is left; after, it is not. */
        for (uint32_t v = 0; v < o->count + LEAVES; v++) {
            const ms_node value = v < o->count ? nodes[v] : m->in[v - o->count];
            const int is_leaf = v >= o->count;
            const uint32_t was = is_leaf ? next_loaded >> (v - o->count) & 1 : done >> v & 1;
            const uint32_t is = is_leaf ? was : (done | 1u << i) >> v & 1;
            uint32_t uses_before = value == result, uses_after = value == result;
            for (uint32_t j = 0; j < o->count; j++)
                if (!(done >> j & 1) && (o->args[j][0] == value || o->args[j][1] == value)) uses_before = 1, uses_after |= j != i;
            before += was && uses_before;
            after += is && uses_after;
        }
        uint32_t words = try_orders(o, nodes, m, done | 1u << i, next_loaded, result);
        if (before > words) words = before;
        if (after > words) words = after;
        if (words < least) least = words;
    }
    return least;
}

static void test_all_orders(void **state)
{
    uint64_t random = 5;
    for (int round = 0; round < 200; round++) {
        made m = begin(state);
        orders o = {.count = 7};
        ms_node nodes[8];
        for (uint32_t i = 0; i < o.count; i++) {
            for (uint32_t k = 0; k < 2; k++) {
                const uint32_t pick = (uint32_t)(ms_splitmix_next(&random) % (i + 4));
                o.args[i][k] = pick < i ? nodes[pick] : m.in[ms_splitmix_next(&random) % 6];
            }
            if (i + 1 == o.count)
                for (uint32_t k = 0; k < 2; k++) o.args[i][k] = nodes[i - 1 - k];
            nodes[i] = mul(&m, o.args[i][0], o.args[i][1]);
            for (uint32_t j = 0; j < i; j++)
                if (nodes[j] == nodes[i]) nodes[i] = add(&m, o.args[i][0], o.args[i][1]); /* the same operation was there before */
        }
        /* Only what the result is made of counts. */
        uint32_t used = 1u << (o.count - 1);
        for (uint32_t i = o.count; i-- > 0;)
            for (uint32_t j = 0; j < i; j++)
                if ((used >> i & 1) && (o.args[i][0] == nodes[j] || o.args[i][1] == nodes[j])) used |= 1u << j;
        orders kept = {.count = 0};
        ms_node kept_nodes[8];
        for (uint32_t i = 0; i < o.count; i++)
            if (used >> i & 1) memcpy(kept.args[kept.count], o.args[i], sizeof o.args[i]), kept_nodes[kept.count++] = nodes[i];
        expect_live(&m, nodes[o.count - 1], try_orders(&kept, kept_nodes, &m, 0, 0, nodes[o.count - 1]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_two_sums, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_comb_and_tree, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_graphs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_all_orders, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
