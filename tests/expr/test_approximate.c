/* Operations whose bits the language leaves to the backend, on the device: within bounds of the evaluator's. */
#include "expr_kernel.h"

#include <math.h>

enum { ROWS = 512 };

typedef struct approximate_op {
    ms_op op;
    double least, most;        /* of the operands; FLOORDIV, MOD, DIV, FMA: magnitudes */
    double relative, absolute; /* bounds in f32, beside those of the result's type */
} approximate_op;

/* Vulkan's bounds, "Precision and Operation of SPIR-V Instructions": ulps as multiples of 2^-23. */
static const approximate_op approximate_ops[] = {
    {MS_OP_DIV, 0.01, 100, 2.5 * 0x1p-23, 0},
    {MS_OP_FMA, 0.01, 100, 0x1p-23, 0x1p-12},
    {MS_OP_SQRT, 0, 1000, 4 * 0x1p-23, 0},
    {MS_OP_RSQRT, 0.01, 1000, 2 * 0x1p-23, 0},
    {MS_OP_EXP, -8, 8, 19 * 0x1p-23, 0},
    {MS_OP_EXP2, -8, 8, 19 * 0x1p-23, 0},
    {MS_OP_LOG, 0.01, 1000, 3 * 0x1p-23, 0x1p-21},
    {MS_OP_LOG2, 0.01, 1000, 3 * 0x1p-23, 0x1p-21},
    {MS_OP_SIN, -3.1, 3.1, 0, 0x1p-11},
    {MS_OP_COS, -3.1, 3.1, 0, 0x1p-11},
    {MS_OP_TANH, -4, 4, 0x1p-14, 0x1p-16},
    {MS_OP_FLOORDIV, 0.5, 20, 0, 1},
    {MS_OP_MOD, 0.5, 20, 0x1p-17, 0x1p-17},
};

static int is_signed_magnitude(ms_op op) { return op == MS_OP_DIV || op == MS_OP_FMA || op == MS_OP_FLOORDIV || op == MS_OP_MOD; }

static double random_operand(source *s, const approximate_op *op)
{
    const double unit = (double)(next(s) >> 11) * 0x1p-53, value = op->least + unit * (op->most - op->least);
    return is_signed_magnitude(op->op) && below(s, 2) ? -value : value;
}

/* The relative error that rounding the operands' way through the type may add. */
static double type_error(msw_scalar type) { return type == MSW_F16 ? 16 * 0x1p-10 : type == MSW_F32 ? 0x1p-23 : 0; }

static void expect_near(const approximate_op *op, msw_scalar type, const uint64_t *args, uint64_t got_bits)
{
    const double expected = ms_scalar_to_double(type, ms_op_apply(op->op, type, type, args, 0)), got = ms_scalar_to_double(type, got_bits);
    const double a = ms_scalar_to_double(type, args[0]), b = ms_scalar_to_double(type, args[1]);
    const double scale = op->op == MS_OP_FMA ? fabs(a * b) : fabs(expected); /* not every device fuses */
    double bound = (op->relative + type_error(type)) * scale + op->absolute;
    if (type == MSW_F16) bound += 0x1p-6;
    double error = fabs(got - expected);
    /* a quotient just below an integer may have been rounded up to it: the remainder then jumps by the divisor */
    if (op->op == MS_OP_MOD && error > bound) error = fabs(error - fabs(b));
    if (!(error <= bound))
        fail_msg("%s of %s (%g, %g, %g): %.9g, expected %.9g within %g", ms_op_name(op->op), ms_scalar_name(type), a, b,
                 ms_scalar_to_double(type, args[2]), got, expected, bound);
}

/* GLSL's other functions take no doubles. */
static int exists_for_doubles(const rig *r, ms_op op) { return op <= MS_OP_RSQRT || strcmp(r->backend, "vulkan"); }

static void try_operation(const rig *r, uint32_t features, const approximate_op *op, msw_scalar type)
{
    const ms_type *scalar = ms_type_scalar(type);
    ms_arena arena;
    ms_graph graph;
    ms_arena_init(&arena, NULL, 0);
    ms_graph_init(&graph, &arena);
    const ms_node args[3] = {ms_expr_input(&graph, 0, 0, type), ms_expr_input(&graph, 1, 0, type), ms_expr_input(&graph, 2, 0, type)};
    const ms_node node = ms_expr_op(&graph, op->op, args, ms_op_arity(op->op));
    const ms_function function = {.name = "approximate",
                                  .param_count = 3,
                                  .params = {{"x", scalar}, {"y", scalar}, {"z", scalar}},
                                  .result = scalar,
                                  .graph = &graph,
                                  .leaves = &node};
    const ms_function *const functions[1] = {&function};
    source random = {7};
    uint64_t values[ROWS][3];
    for (uint32_t n = 0; n < ROWS; n++)
        for (uint32_t i = 0; i < 3; i++) values[n][i] = ms_scalar_from_double(type, random_operand(&random, op));
    uint32_t *results = evaluate_on_device(r, features, functions, 1, ROWS, values[0]);
    const uint32_t *words = results;
    for (uint32_t n = 0; n < ROWS && results; n++) expect_near(op, type, values[n], take_leaf(type, &words));
    test_free(results);
    ms_graph_free(&graph);
    ms_arena_free(&arena);
}

static void try_features(const rig *r, uint32_t features)
{
    for (size_t i = 0; i < sizeof approximate_ops / sizeof *approximate_ops; i++) {
        const approximate_op *op = &approximate_ops[i];
        try_operation(r, features, op, MSW_F16);
        try_operation(r, features, op, MSW_F32);
        if (features & MSW_FEATURE_FLOAT64 && exists_for_doubles(r, op->op)) try_operation(r, features, op, MSW_F64);
    }
}

static void test_approximate_operations(void **state)
{
    const rig *r = *state;
    try_features(r, r->features);
    if (r->features && !strcmp(r->backend, "vulkan")) try_features(r, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_approximate_operations), cmocka_unit_test(test_validation_was_silent)};
    return cmocka_run_group_tests(tests, open_rig, close_rig);
}
