/* cuda_app.h - an application with a CUDA context and streams of its own. Its memory has a copy on the host, which goes to the device before each
 * submission of work and comes back after it. */
#ifndef CUDA_APP_H
#define CUDA_APP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cuda_app_api.h"

#include <dlfcn.h>

enum { APP_MEMORIES = 8 };

typedef struct memory {
    uint64_t address, bytes;
    unsigned char *data;
} memory;

typedef struct app {
    void *library;
// clang-format off
#define APP_MEMBER(name, function, parameters) ms_cu_result(*name) parameters;
    MS_CU_FUNCTIONS(APP_MEMBER)
    APP_CU_FUNCTIONS(APP_MEMBER)
    APP_CU_OLD_FUNCTIONS(APP_MEMBER)
    APP_CU_GREEN_FUNCTIONS(APP_MEMBER)
#undef APP_MEMBER
    // clang-format on
    CUcontext context;
    CUstream stream;
    memory memories[APP_MEMORIES]; /* bytes 0: none */
} app;

static app application;

static inline void cu_check(ms_cu_result result, const char *call)
{
    const char *text = "";
    if (result == MS_CU_SUCCESS) return;
    if (application.GetErrorString) application.GetErrorString(result, &text);
    fail_msg("%s: %s (CUresult %u)", call, text, result);
}

#define CU(call) cu_check(application.call, #call)

static inline void check(msw_result result, const msw_diag *diag)
{
    if (result != MSW_OK) fail_msg("%s: %s", msw_result_text(result), diag->message);
}

/* A context of its own, current in this thread; no stream waits for another. */
static inline void app_open(void)
{
    application.library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!application.library) fail_msg("%s", dlerror());
#define FIND(name, function, parameters)                       \
    {                                                          \
        void *symbol = dlsym(application.library, #function);  \
        if (!symbol) fail_msg("the driver has no " #function); \
        memcpy(&application.name, &symbol, sizeof symbol);     \
    }
    // clang-format off
    MS_CU_FUNCTIONS(FIND)
    APP_CU_FUNCTIONS(FIND)
    APP_CU_OLD_FUNCTIONS(FIND)
#undef FIND
    // clang-format on
#define FIND(name, function, parameters)                      \
    {                                                         \
        void *symbol = dlsym(application.library, #function); \
        memcpy(&application.name, &symbol, sizeof symbol);    \
    }
    APP_CU_GREEN_FUNCTIONS(FIND)
#undef FIND
    CU(Init(0));
    CU(CtxCreate(&application.context, 0, 0));
    CU(StreamCreate(&application.stream, APP_CU_STREAM_NON_BLOCKING));
}

static inline msw_result app_open_context(const msw_allocator *allocator, msw_context **context, msw_diag *diag)
{
    app_open();
    const msw_cuda_device objects = {.struct_size = sizeof objects, .context = application.context};
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = "cuda", .allocator = allocator, .vendor = &objects};
    return msw_context_create(&desc, context, diag);
}

static inline int app_close_all(void)
{
    CU(StreamDestroy(application.stream));
    CU(CtxDestroy(application.context));
    return 0;
}

static inline memory app_allocate_memory(uint64_t bytes)
{
    memory m = {.bytes = bytes, .data = calloc(1, bytes)};
    CUdeviceptr address;
    int i = 0;
    CU(MemAlloc(&address, bytes));
    m.address = address;
    while (i < APP_MEMORIES && application.memories[i].bytes) i++;
    assert_true(m.data && i < APP_MEMORIES);
    application.memories[i] = m;
    return m;
}

static inline void app_free_memory(memory *m)
{
    for (int i = 0; i < APP_MEMORIES; i++)
        if (application.memories[i].address == m->address) application.memories[i].bytes = application.memories[i].address = 0;
    CU(MemFree(m->address));
    free(m->data);
}

static inline void app_upload(CUstream stream)
{
    for (int i = 0; i < APP_MEMORIES; i++) {
        const memory *m = &application.memories[i];
        if (m->bytes) CU(MemcpyHtoDAsync(m->address, m->data, m->bytes, stream));
    }
}

/* Waits. */
static inline void app_download(CUstream stream)
{
    for (int i = 0; i < APP_MEMORIES; i++) {
        const memory *m = &application.memories[i];
        if (m->bytes) CU(MemcpyDtoHAsync(m->data, m->address, m->bytes, stream));
    }
    CU(StreamSynchronize(stream));
}

/* ---- work: a captured graph ---- */

typedef struct work {
    CUstream stream; /* while it is captured */
    CUgraph graph;
    CUgraphExec exec;
} work;

static inline work work_begin_mode(unsigned mode)
{
    work w = {0};
    CU(StreamCreate(&w.stream, APP_CU_STREAM_NON_BLOCKING));
    CU(StreamBeginCapture(w.stream, mode));
    return w;
}

static inline work work_begin(void) { return work_begin_mode(APP_CU_CAPTURE_RELAXED); }

static inline msw_result work_enqueue(work *w, msw_kernel *kernel, const msw_enqueue_desc *desc, msw_diag *diag)
{
    return msw_cuda_enqueue(kernel, w->stream, desc, diag);
}

static inline msw_result work_scratch_init(work *w, msw_kernel *kernel, uint64_t scratch, uint64_t scratch_bytes, msw_diag *diag)
{
    return msw_cuda_scratch_init(kernel, w->stream, scratch, scratch_bytes, diag);
}

/* The capture is one that lets this thread allocate. */
static inline msw_result work_reserve(work *w, msw_kernel *kernel, uint64_t scratch_bytes, msw_diag *diag)
{
    return msw_cuda_scratch_reserve(kernel, w->stream, scratch_bytes, diag);
}

static inline void work_release(work *w, msw_kernel *kernel) { msw_cuda_scratch_release(kernel, w->stream); }

static inline void work_barrier(work *w) { (void)w; } /* a stream's order will do */

static inline void work_end(work *w)
{
    CU(StreamEndCapture(w->stream, &w->graph));
    CU(GraphInstantiate(&w->exec, w->graph, 0));
}

static inline void work_submit(work *w)
{
    app_upload(application.stream);
    CU(GraphLaunch(w->exec, application.stream));
    app_download(application.stream);
}

static inline void work_free(work *w)
{
    CU(GraphExecDestroy(w->exec));
    CU(GraphDestroy(w->graph));
    CU(StreamDestroy(w->stream));
}

#endif
