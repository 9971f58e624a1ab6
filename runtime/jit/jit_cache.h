/* jit_cache.h - what is kept of a kernel's making in the on-disk cache: each kernel's code by its text, and whole plans by the spec that they were
 * made of, so that neither the generator nor a compiler has to run again (private to the JIT glue). */
#ifndef MS_JIT_CACHE_H
#define MS_JIT_CACHE_H

#include "program.h"
#include "../objects.h"

const ms_compiler *ms_jit_compiler(uint32_t backend);

/* The beginning of every key: the library's sources, which have the compiler's flags in them, and the compiler. */
ms_cache_key ms_jit_base_key(uint32_t backend);
/* Of a kernel's code: its text and the device's architecture. */
ms_cache_key ms_jit_code_key(const ms_cache_key *base, const msw_plan_kernel *kernel, const char *arch);
/* Of a plan: everything that msw_kernel_create goes by. */
ms_cache_key ms_jit_plan_key(const ms_cache_key *base, const msw_context *context, const msw_kernel_desc *desc, const ms_source *source);

/* A plan as it was stored; its kernels have code, or texts where no code was stored. */
typedef struct ms_jit_record {
    msw_plan plan;
    ms_cache_key keys[MSW_MAX_KERNELS]; /* of the kernels' codes */
    ms_cache_block record, blocks[MSW_MAX_KERNELS];
} ms_jit_record;

/* 0: it is not there, or not whole. To be released in any case. */
int ms_jit_load(msw_context *context, const ms_cache_key *key, ms_jit_record *r);
void ms_jit_release(msw_context *context, ms_jit_record *r);
/* Stores the plan, and texts of kernels that have no code; codes: the keys of its kernels. */
void ms_jit_store(msw_context *context, const ms_cache_key *key, const msw_plan *plan, const ms_cache_key codes[MSW_MAX_KERNELS]);

#endif
