/* compilations.h - kernels' texts on their way to code, in threads: what is waited for first, and the longest text first (private to the JIT glue).
 * One thread at a time calls these. Kernels are numbered as their plan has them. */
#ifndef MS_JIT_COMPILATIONS_H
#define MS_JIT_COMPILATIONS_H

#include "../backend.h"

typedef struct ms_compilations ms_compilations;

/* What came of a kernel's text. The code is malloc's: a caller's allocator need not stand several threads. */
typedef struct ms_compilation {
    msw_result result;
    void *code;
    size_t code_bytes;
    double seconds; /* of processor */
    msw_diag diag;
} ms_compilation;

/* Of no kernels yet. arch is copied, and may be NULL. NULL: out of memory. */
ms_compilations *ms_compilations_create(const msw_allocator *allocator, uint32_t backend, const char *arch);
/* A kernel more, which has a text; that is copied. Nothing is begun. 0: out of memory. */
int ms_compilations_add(ms_compilations *c, uint32_t kernel, const msw_plan_kernel *described);
/* Lets threads of its own compile these, and returns immediately. Without threads they wait for the next call. */
void ms_compilations_start(ms_compilations *c, uint64_t kernels);
/* As start, but these kernels come first; the caller is busy on a processor of its own. */
void ms_compilations_hurry(ms_compilations *c, uint64_t kernels);
/* Until each of these has a result. The calling thread compiles, too. */
void ms_compilations_finish(ms_compilations *c, uint64_t kernels);
/* Kernels that have a result. */
uint64_t ms_compilations_done(ms_compilations *c);
/* Of one that has. Its code may be taken, and is then NULL. */
ms_compilation *ms_compilations_of(ms_compilations *c, uint32_t kernel);
/* Begins no further compilation, and waits for those that have begun: no compiler can be interrupted. */
void ms_compilations_stop(ms_compilations *c);
/* Stops it before. NULL is nothing. */
void ms_compilations_destroy(ms_compilations *c);

#endif
