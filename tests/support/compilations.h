/* compilations.h - for tests: CUDA texts to be compiled by NVRTC or nvcc, two at a time. Include after cmocka.h. */
#ifndef COMPILATIONS_H
#define COMPILATIONS_H

#include "../../backends/cuda/nvrtc.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

enum { THREADS = 2, MOST_JOBS = 1024 };

typedef struct job {
    char *text, *label, *entry; /* its own */
    const char *arch;
    int failed; /* it does not compile, or the compiler has something to say: then a message has been printed */
} job;

typedef struct queue {
    const ms_nvrtc *nvrtc; /* NULL: nvcc compiles */
    uint32_t count;
    atomic_uint next;
    job jobs[MOST_JOBS];
} queue;

static inline queue *make_queue(const ms_nvrtc *nvrtc)
{
    queue *q = calloc(1, sizeof *q);
    assert_non_null(q);
    q->nvrtc = nvrtc;
    return q;
}

static inline void add_job(queue *q, const char *label, const char *entry, const char *text, const char *arch)
{
    assert_true(q->count < MOST_JOBS);
    job *j = &q->jobs[q->count++];
    *j = (job){strdup(text), strdup(label), strdup(entry), arch, 0};
    assert_true(j->text && j->label && j->entry);
}

static inline void compile(const ms_nvrtc *nvrtc, job *j)
{
    const msw_plan_kernel kernel = {.entry = j->entry, .text = j->text};
    void *code;
    size_t bytes;
    char *log;
    msw_diag diag;
    const msw_result result = ms_nvrtc_compile(nvrtc, &kernel, j->arch, NULL, &code, &bytes, &log, &diag);
    j->failed = result != MSW_OK || !log || log[0];
    if (j->failed) print_error("%s, %s, %s: %s\n%s\n", j->label, j->entry, j->arch, result ? diag.message : "compiled, but", log ? log : "");
    ms_free(NULL, code, bytes);
    if (log) ms_free(NULL, log, strlen(log) + 1);
}

/* Vendored text is compiled by nvcc, with headers of its own and whatever flags. */
static inline void compile_by_nvcc(uint32_t number, job *j)
{
    char path[512], command[2048];
    snprintf(path, sizeof path, "%.400s/test_cuda_text_%u", MSW_BINARY_DIR, number);
    snprintf(command, sizeof command, "nvcc -Werror all-warnings --use_fast_math -Xcompiler -Wall,-Wextra -arch=%s -cubin -o '%s.cubin' '%s.cu'",
             j->arch, path, path);
    strcat(path, ".cu");
    FILE *source = fopen(path, "wb");
    j->failed = !source || fputs(j->text, source) < 0;
    if (source) j->failed |= fclose(source) != 0;
    j->failed = j->failed || system(command) != 0;
    if (j->failed) print_error("%s, %s: not compiled by nvcc\n", j->label, j->entry);
}

static inline void *work(void *user)
{
    queue *q = user;
    for (uint32_t i; (i = atomic_fetch_add(&q->next, 1)) < q->count;) {
        if (q->nvrtc) compile(q->nvrtc, &q->jobs[i]);
        else compile_by_nvcc(i, &q->jobs[i]);
    }
    return NULL;
}

/* Does all, and ends the queue. */
static inline void finish(queue *q)
{
    const double start = now();
    pthread_t threads[THREADS];
    uint32_t failures = 0;
    for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_create(&threads[t], NULL, work, q), 0);
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    for (uint32_t i = 0; i < q->count; i++) {
        failures += (uint32_t)q->jobs[i].failed;
        free(q->jobs[i].text);
        free(q->jobs[i].label);
        free(q->jobs[i].entry);
    }
    print_message("%u compilations in %.1f s\n", q->count, now() - start);
    free(q);
    if (failures) fail_msg("%u failures", failures);
}

#endif
