/* expr_kernel.h - for tests: functions of the expression graph, run on a device. Where there is no CUDA device, "cuda" compiles for one; "host" is
 * this processor: the C dialect, by the system's compiler, which looks for undefined behaviour.
 *
 * A kernel evaluates many functions on every row of inputs; a row is the functions' parameters, leaf by leaf. */
#ifndef EXPR_KERNEL_H
#define EXPR_KERNEL_H

#include "../../runtime/backend.h"
#include "embedded.h"
#include "expr/expr.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "test_device.h"

enum {
    TYPE_FEATURES = MSW_FEATURE_INT8 | MSW_FEATURE_INT16 | MSW_FEATURE_INT64 | MSW_FEATURE_FLOAT16 | MSW_FEATURE_FLOAT64 | MSW_FEATURE_LONG_LOOPS
};

/* ---- random numbers ---- */

typedef struct source {
    uint64_t state;
} source;

static uint64_t next(source *s) /* splitmix64 */
{
    uint64_t z = s->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static uint32_t below(source *s, uint32_t end) { return (uint32_t)(next(s) >> 32) % end; }

typedef struct rig {
    test_device device;          /* without a context: kernels are compiled, not run */
    const ms_compiler *compiler; /* NULL: the system's */
    const char *backend, *arch;  /* of the dialect, of the code */
    uint32_t features;
    const char *name;
} rig;

static void check(msw_result result, const msw_diag *diag)
{
    if (result != MSW_OK) fail_msg("%s: %s", msw_result_text(result), diag->message);
}

static int open_rig(void **state)
{
    rig *r = calloc(1, sizeof *r);
    const char *device = getenv("MSW_TEST_DEVICE");
    const int is_cuda = device && !strncmp(device, "cuda", 4), is_host = device && !strcmp(device, "host");
    if (!r) return 1;
    *r = (rig){.compiler = is_host   ? NULL
                           : is_cuda ? &ms_compiler_nvrtc
                                     : &ms_compiler_glslang,
               .backend = is_host   ? "host"
                          : is_cuda ? "cuda"
                                    : "vulkan",
               .features = TYPE_FEATURES,
               .name = "no device: compiled only"};
    if (!test_device_open(&r->device)) {
        if (!is_host) r->features = r->device.info->target.features & TYPE_FEATURES;
        r->arch = r->device.info->target.arch;
        r->name = r->device.info->name;
    } else if (!is_cuda) {
        return 1;
    }
    *state = r;
    return 0;
}

static int close_rig(void **state)
{
    rig *r = *state;
    const int result = test_device_close(&r->device);
    free(r);
    return result;
}

static void test_validation_was_silent(void **state)
{
    const rig *r = *state;
    assert_int_equal(r->device.validation_messages, 0);
}

/* One a kernel: a state knows types by address. */
static lua_State *new_printer(void)
{
    lua_State *L = luaL_newstate();
    assert_non_null(L);
    luaL_openlibs(L);
    ms_push_file_function(L);
    lua_setglobal(L, "file");
    if (luaL_dofile(L, MSW_SOURCE_DIR "/tests/support/expr_kernel.lua")) fail_msg("%s", lua_tostring(L, -1));
    return L;
}

static void push_features(lua_State *L, uint32_t features)
{
    static const struct {
        const char *name;
        uint32_t bit;
    } names[] = {
        {"int8", MSW_FEATURE_INT8},       {"int16", MSW_FEATURE_INT16},     {"int64", MSW_FEATURE_INT64},
        {"float16", MSW_FEATURE_FLOAT16}, {"float64", MSW_FEATURE_FLOAT64}, {"long_loops", MSW_FEATURE_LONG_LOOPS},
    };
    lua_newtable(L);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lua_pushboolean(L, (features & names[i].bit) != 0);
        lua_setfield(L, -2, names[i].name);
    }
}

/* The kernel's text, on the Lua stack. */
static const char *write_kernel(lua_State *L, const char *backend, uint32_t features, const ms_function *const *functions, uint32_t count)
{
    lua_getglobal(L, "kernel_text");
    lua_newtable(L);
    for (uint32_t i = 0; i < count; i++) {
        ms_push_function(L, functions[i]);
        lua_rawseti(L, -2, i + 1);
    }
    push_features(L, features);
    lua_pushstring(L, backend);
    if (lua_pcall(L, 3, 1, 0)) {
        if (lua_istable(L, -1)) lua_getfield(L, -1, "what");
        fail_msg("printing: %s", luaL_tolstring(L, -1, NULL));
    }
    return lua_tostring(L, -1);
}

/* Runs the text on this processor. */
static void run_on_host(const char *text, uint32_t rows, const uint32_t *inputs, uint32_t *results)
{
    struct {
        uint64_t n, buffers[2];
    } parameters = {rows, {(uintptr_t)inputs, (uintptr_t)results}};
    char folder[] = MSW_BINARY_DIR "/expressions.XXXXXX", path[512], command[2048];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/kernel.c", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    snprintf(command, sizeof command,
             "cd '%s' && " MSW_C_COMPILER
             " -std=c11 -O1 -ffp-contract=off -fPIC -shared -Wall -Wextra -Wno-unused -Wno-tautological-compare -Wno-type-limits -Werror "
             "-fsanitize=undefined -fno-sanitize=alignment -fsanitize-undefined-trap-on-error -o kernel.so kernel.c -lm",
             folder);
    if (system(command)) fail_msg("%s", command);
    snprintf(path, sizeof path, "%s/kernel.so", folder);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *found = library ? dlsym(library, "expressions") : NULL;
    if (!found) fail_msg("%s", dlerror());
    void (*expressions)(__typeof__(parameters), uint64_t row);
    memcpy(&expressions, &found, sizeof expressions);
    for (uint32_t row = 0; row < rows; row++) expressions(parameters, row);
    dlclose(library);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

/* Runs the text; inputs and results are arrays of words. */
static void run_kernel(const rig *r, const char *text, uint32_t rows, const uint32_t *inputs, size_t input_bytes, uint32_t *results,
                       size_t result_bytes)
{
    msw_diag diag;
    msw_kernel *kernel;
    msw_buffer *in, *out;
    void *code;
    size_t code_bytes;
    if (!r->compiler) {
        run_on_host(text, rows, inputs, results);
        return;
    }
    msw_plan plan = {.format = MSW_PLAN_FORMAT,
                     .backend = r->compiler->kind,
                     .name = "expressions",
                     .buffer_count = 2,
                     .kernel_count = 1,
                     .step_count = 1,
                     .variant_count = 1,
                     .carry_bytes = 4,
                     .scratch_alignment_bytes = 256};
    plan.buffers[0] = (msw_plan_buffer){"in", (uint32_t)(input_bytes / rows), 4, MSW_LENGTH_N, 0, 0, 0};
    plan.buffers[1] = (msw_plan_buffer){"out", (uint32_t)(result_bytes / rows), 4, MSW_LENGTH_N, 1, 0, 0};
    plan.kernels[0] = (msw_plan_kernel){.entry = "expressions", .text = text, .block_threads = 64, .subgroup_size = 1};
    plan.steps[0] = (msw_plan_step){0, 64, 65535, 0, 0, 0, 0, 0};
    plan.variants[0] = (msw_plan_variant){.n_max = UINT64_MAX, .step_count = 1, .strategy = "map"};
    check(r->compiler->compile(&plan.kernels[0], r->arch, NULL, &code, &code_bytes, &diag), &diag);
    if (!r->device.context) {
        ms_free(NULL, code, code_bytes);
        return;
    }
    plan.kernels[0].code = code;
    plan.kernels[0].code_bytes = code_bytes;
    check(msw_kernel_load(r->device.context, &plan, &kernel, &diag), &diag);
    check(msw_buffer_create(r->device.context, input_bytes, &in, &diag), &diag);
    check(msw_buffer_create(r->device.context, result_bytes, &out, &diag), &diag);
    check(msw_buffer_write(in, 0, inputs, input_bytes, &diag), &diag);
    const msw_enqueue_desc desc = {.struct_size = sizeof desc, .n = rows, .buffers = {msw_buffer_address(in), msw_buffer_address(out)}};
    check(msw_kernel_run(kernel, &desc, NULL, &diag), &diag);
    check(msw_buffer_read(out, 0, results, result_bytes, &diag), &diag);
    msw_buffer_destroy(in);
    msw_buffer_destroy(out);
    msw_kernel_destroy(kernel);
    ms_free(NULL, code, code_bytes);
}

static uint32_t word_count(const ms_type *type)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < type->info.leaf_count; i++) count += ms_scalar_bytes(type->info.leaves[i].scalar) == 8 ? 2 : 1;
    return count;
}

/* Evaluates the functions, all of the same parameters, as a device with these features; values: raw leaves, row by row. Gives a test_malloc
 * array: a row is every function's leaves, one word each or, of 64 bits, two. NULL: there is no device. */
static uint32_t *evaluate_on_device(const rig *r, uint32_t features, const ms_function *const *functions, uint32_t count, uint32_t rows,
                                    const uint64_t *values)
{
    uint32_t leaves = 0, words = 0;
    for (uint32_t p = 0; p < functions[0]->param_count; p++) leaves += functions[0]->params[p].type->info.leaf_count;
    for (uint32_t k = 0; k < count; k++) words += word_count(functions[k]->result);
    uint32_t *inputs = test_calloc((size_t)leaves * rows, 8), *results = test_calloc((size_t)words * rows, 4);
    for (size_t i = 0; i < (size_t)leaves * rows; i++) {
        inputs[2 * i] = (uint32_t)values[i];
        inputs[2 * i + 1] = (uint32_t)(values[i] >> 32);
    }
    lua_State *L = new_printer();
    run_kernel(r, write_kernel(L, r->backend, features, functions, count), rows, inputs, (size_t)leaves * rows * 8, results,
               (size_t)words * rows * 4);
    lua_close(L);
    test_free(inputs);
    if (r->device.context) return results;
    test_free(results);
    return NULL;
}

/* The next leaf of a row, as raw bits. */
static uint64_t take_leaf(msw_scalar type, const uint32_t **words)
{
    uint64_t bits = *(*words)++;
    if (ms_scalar_bytes(type) == 8) bits |= (uint64_t) * (*words)++ << 32;
    return bits;
}

#endif
