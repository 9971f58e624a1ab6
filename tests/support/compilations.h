/* compilations.h - for tests: CUDA texts to be compiled by NVRTC or nvcc, two at a time. Include after cmocka.h. */
#ifndef COMPILATIONS_H
#define COMPILATIONS_H

#include "../../backends/cuda/nvrtc.h"

#include <elf.h>
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
    int is_planned;
    uint32_t shared_bytes, most_slack; /* is_planned: shared memory that the text may ask for, and how much more that may be than what it does */
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

static inline job *add_job(queue *q, const char *label, const char *entry, const char *text, const char *arch)
{
    assert_true(q->count < MOST_JOBS);
    job *j = &q->jobs[q->count++];
    *j = (job){.text = strdup(text), .label = strdup(label), .entry = strdup(entry), .arch = arch};
    assert_true(j->text && j->label && j->entry);
    return j;
}

/* Shared memory that a cubin's kernel asks for by itself. From sm_90 on the first 1024 bytes are the system's. */
static inline uint64_t shared_bytes_of(const void *cubin, size_t bytes, const char *arch)
{
    const char *image = cubin;
    const Elf64_Ehdr *head = cubin;
    const uint64_t reserved = strtoul(arch + strlen("sm_"), NULL, 10) >= 90 ? 1024 : 0;
    uint64_t found = 0;
    if (bytes < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG)) return UINT64_MAX; /* no cubin */
    const Elf64_Shdr *sections = (const void *)(image + head->e_shoff);
    for (int s = 0; s < head->e_shnum; s++) {
        const char *name = image + sections[head->e_shstrndx].sh_offset + sections[s].sh_name;
        if (!strncmp(name, ".nv.shared.", strlen(".nv.shared.")) && strncmp(name, ".nv.shared.reserved", strlen(".nv.shared.reserved")))
            found += sections[s].sh_size;
    }
    return found > reserved ? found - reserved : 0;
}

/* The plan's figure, a formula that mirrors templates by hand, against what the compiler found in the text. */
static inline int is_as_planned(const job *j, const void *cubin, size_t bytes)
{
    const uint64_t found = j->is_planned ? shared_bytes_of(cubin, bytes, j->arch) : 0;
    if (!j->is_planned || (found <= j->shared_bytes && j->shared_bytes - found <= j->most_slack)) return 1;
    print_error("%s, %s, %s: %llu bytes of shared memory, and the plan has %u, which may be %u more\n", j->label, j->entry, j->arch,
                (unsigned long long)found, j->shared_bytes, j->most_slack);
    return 0;
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
    j->failed = j->failed || !is_as_planned(j, code, bytes);
    ms_free(NULL, code, bytes);
    if (log) ms_free(NULL, log, strlen(log) + 1);
}

/* Vendored text is compiled by nvcc, with headers of its own and whatever flags; by its front end, since NVRTC's have the rest. */
static inline void compile_by_nvcc(uint32_t number, job *j)
{
    char path[512], command[2048];
    snprintf(path, sizeof path, "%.400s/test_cuda_text_%u", MSW_BINARY_DIR, number);
    snprintf(command, sizeof command,
             "nvcc -Werror all-warnings --use_fast_math -Xcompiler -Wall,-Wextra -arch=%s -ptx -Xcicc -O0 -o '%s.ptx' '%s.cu'", j->arch, path, path);
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
