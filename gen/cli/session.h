/* session.h - what several commands do: specs, devices, tuning tables, programs. */
#ifndef MS_SESSION_H
#define MS_SESSION_H

#include "options.h"

/* Each returns DONE, or a code after a message. */
ms_exit ms_open_spec(const ms_options *options, msw_spec **spec);
/* cache_dir: for compiled kernels, or NULL. */
ms_exit ms_open_context(const ms_options *options, const char *cache_dir, msw_context **context);
const msw_target *ms_target_of(const msw_context *context);
/* --cache-dir, or the user's directory, in `path`; NULL: --no-cache, or there is none. */
const char *ms_cache_dir(const ms_options *options, char *path, size_t bytes);
/* The file of the user's tuning table, in options->tuning_path: --tuning's, or the default one; 0: there is none. */
int ms_find_tuning(ms_options *options);
/* Reads the table for commands that make kernels: gen and plan --target use the user's only where --tuning names it. DONE, or a code after a
 * message. */
ms_exit ms_load_tuning(ms_options *options);
/* The target that --subgroup, --without and --progress-model describe. */
msw_target ms_options_target(const ms_options *options);
/* The description that ms_open_context uses, without a cache. */
msw_context_desc ms_context_desc(const ms_options *options);
/* The operations that --op names, or all of them: first .. end - 1; whose knobs --set may choose as it does. */
ms_exit ms_find_operations(const ms_options *options, const msw_spec *spec, uint32_t *first, uint32_t *end);
/* The one operation that --op names; without it the spec must have only one. */
ms_exit ms_find_operation(const ms_options *options, const msw_spec *spec, uint32_t *index);
/* What the spec says of one that was found. */
ms_exit ms_read_operation(const msw_spec *spec, uint32_t index, msw_op_info *info);
/* The programs of the operation that --op names, or of all of them; to be released also after a failure. */
typedef struct ms_programs {
    msw_program **items;
    uint32_t count;
} ms_programs;
/* To its kernels' code, which for cubins must be one: of architectures that it does not know NVRTC returns PTX. */
ms_exit ms_compile_program(const ms_options *options, msw_program *program, int is_cubin);
ms_exit ms_make_programs(const ms_options *options, msw_spec *spec, const msw_target *target, ms_programs *programs);
void ms_programs_release(ms_programs *programs);
/* 1: code is a text that ends with its only NUL, as PTX is. */
int ms_is_text(const void *code, size_t bytes);
/* Prints a stage, "spec", "plan", "source" or "binary" (which compiles the programs), to standard output. */
ms_exit ms_dump(const char *stage, const msw_spec *spec, const ms_programs *programs);

#endif
