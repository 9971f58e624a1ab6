/* fake_driver.h - the fake libcuda opened by a test, contexts on it, and a plan for it. */
#ifndef FAKE_DRIVER_H
#define FAKE_DRIVER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fake_cuda.h"

#include "../../backends/cuda/cuda_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;
static fake_cuda *fake;
static fake_cuda_context_function application_context;
static const char *hidden; /* a symbol that the driver shall not have */

/* Under this name too, so that the library finds it by itself: a loaded library serves every name that it has. */
static inline void load_fake(void)
{
    fake_cuda_state_function get;
    void *symbol;
    library = dlopen(MSW_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail_msg("%s", dlerror());
    symbol = dlsym(library, "fake_cuda_state");
    memcpy(&get, &symbol, sizeof get);
    symbol = dlsym(library, "fake_cuda_context");
    memcpy(&application_context, &symbol, sizeof application_context);
    fake = get();
}

static inline msw_cuda_function find_symbol(void *user, const char *name)
{
    void *symbol = hidden && !strcmp(name, hidden) ? NULL : dlsym(user, name);
    msw_cuda_function function;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

/* Two devices: a usable one, and one that is too old. */
static inline int reset(void **state)
{
    (void)state;
    if (!library) load_fake();
    *fake = (fake_cuda){.device_count = 2,
                        .capability = {90, 61},
                        .function_threads = 1024,
                        .held_blocks = 2,
                        .max_cluster_blocks = MSW_MAX_CLUSTER_BLOCKS,
                        .most_bytes = FAKE_MOST_BYTES};
    hidden = NULL;
    return 0;
}

static inline void expect_nothing_alive(void)
{
    CUcontext context;
    const msw_cuda_function pop = find_symbol(library, "cuCtxPopCurrent_v2");
    assert_int_equal(fake->allocations, 0);
    assert_int_equal(fake->bytes, 0);
    assert_int_equal(fake->modules, 0);
    assert_int_equal(fake->streams, 0);
    assert_int_equal(fake->events, 0);
    assert_int_equal(fake->primary_contexts, 0);
    fake->failing_call = 0;
    assert_int_not_equal(((ms_cu_result(*)(CUcontext *))pop)(&context), MS_CU_SUCCESS); /* no context was left current */
}

static inline void check(msw_result result, const msw_diag *diag)
{
    if (result != MSW_OK) fail_msg("%s: %s", msw_result_text(result), diag->message);
}

static inline msw_cuda_device vendor_of(CUcontext context)
{
    return (msw_cuda_device){.struct_size = sizeof(msw_cuda_device), .context = context, .get_proc_address = find_symbol, .user = library};
}

static inline msw_result open_context(const char *device, CUcontext given, const msw_allocator *allocator, msw_context **context, msw_diag *diag)
{
    const msw_cuda_device vendor = vendor_of(given);
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = device, .allocator = allocator, .vendor = &vendor};
    return msw_context_create(&desc, context, diag);
}

static inline msw_context *opened(CUcontext given)
{
    msw_context *context;
    msw_diag diag;
    check(open_context("cuda", given, NULL, &context, &diag), &diag);
    return context;
}

/* The call failed with this code and says this. */
static inline void expect_failure(msw_result result, const msw_diag *diag, msw_result code, const char *words)
{
    if (result != code || !strstr(diag->message, words)) fail_msg("%s: '%s' instead of '%s'", msw_result_text(result), diag->message, words);
    assert_int_equal(diag->code, code);
}

/* ---- a plan made by hand: a scan of u32 in two steps, whose scratch begins as zeros ---- */

static const char ptx[] = ".version 7.0 .target sm_75 .visible .entry first() {} .visible .entry second() {} .visible .entry clear() {}";
static const char cubin[] = "\177ELF first second clear";

static inline msw_plan make_plan(const void *code, size_t code_bytes)
{
    msw_plan plan = {.format = MSW_PLAN_FORMAT,
                     .backend = MSW_BACKEND_CUDA,
                     .name = "sums",
                     .buffer_count = 2,
                     .kernel_count = 3,
                     .step_count = 3,
                     .variant_count = 1,
                     .init_step_count = 1,
                     .carry_bytes = 4,
                     .scratch_alignment_bytes = 16,
                     .buffers = {{"in", 4, 4, MSW_LENGTH_N, 0, 0, 0}, {"out", 4, 4, MSW_LENGTH_N, 1, 0, 0}},
                     .steps = {{0, 1024, 3, 11, 0, 0, 0, 0}, {1, 1024, INT32_MAX, 22, 0, 0, 0, 0}, {2, 4096, 1, 33, 0, 0, 0, 0}},
                     .variants = {{.n_max = UINT64_MAX / 8,
                                   .step_count = 2,
                                   .scratch_base_bytes = 64,
                                   .scratch_per_block_bytes = 8,
                                   .serves_in_place = 1,
                                   .strategy = "two steps"}}};
    static const char *const names[] = {"first", "second", "clear"};
    for (uint32_t k = 0; k < 3; k++)
        plan.kernels[k] = (msw_plan_kernel){.entry = names[k],
                                            .code = code,
                                            .code_bytes = code_bytes,
                                            .block_threads = 128u << k,
                                            .subgroup_size = 32,
                                            .features = MSW_FEATURE_ATOMIC64 | MSW_FEATURE_SUBGROUP};
    return plan;
}

static inline msw_kernel *load_kernel(msw_context *context)
{
    const msw_plan plan = make_plan(ptx, sizeof ptx);
    msw_kernel *kernel;
    msw_diag diag;
    check(msw_kernel_load(context, &plan, &kernel, &diag), &diag);
    return kernel;
}

/* Addresses need not exist: the fake runs nothing. */
static inline msw_enqueue_desc describe(uint64_t n)
{
    return (msw_enqueue_desc){.struct_size = sizeof(msw_enqueue_desc),
                              .n = n,
                              .buffers = {(uint64_t)1 << 40, (uint64_t)1 << 44},
                              .carry_out = 0x1000,
                              .scratch = (uint64_t)1 << 50,
                              .scratch_bytes = (uint64_t)1 << 40};
}

#endif
