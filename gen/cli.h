/* cli.h - what the parts of the command line share. They use the public headers only. */
#ifndef MS_CLI_H
#define MS_CLI_H

#include <monosweep/monosweep.h>
#include <stdio.h>

typedef enum ms_exit { MS_EXIT_DONE = 0, MS_EXIT_FAILED = 1, MS_EXIT_USAGE = 2, MS_EXIT_SPEC = 3 } ms_exit;

/* Prints "monosweep: cause; what to do" to stderr and returns `code`. */
ms_exit ms_complain(ms_exit code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints a library's diagnostic and returns the exit code that belongs to it. */
ms_exit ms_complain_diag(const msw_diag *diag);

/* Prints text and ends its last line. */
void ms_print_text(FILE *file, const char *text);
/* Prints text as a JSON string, quotes included. */
void ms_print_json_string(FILE *file, const char *text);

/* ---- options (cli_options.c) ---- */

typedef struct ms_file_argument {
    const char *name, *path;
} ms_file_argument; /* of --input and --output */

typedef struct ms_options ms_options;

struct ms_entropy; /* cli_data.h */

enum { MS_SUBGROUP_SIZES = 8 }; /* 1, 2, 4 .. 128 */

/* What --target can name. */
typedef struct ms_target_name {
    const char *name, *extension; /* "spirv", "spv" */
    uint32_t backend;             /* msw_backend_kind; AUTO: of several (header) */
    int is_code;                  /* 1: made by a compiler */
    const char *arch_prefix;      /* NULL: it has no architectures; "sm_": --arch sm_90, "compute_": --arch sm_90 is compute_90 */
} ms_target_name;

typedef struct ms_command {
    const char *name;
    const char *arguments; /* as the usage line shows them; a command that begins them with SPEC needs a spec */
    const char *help;
    ms_exit (*run)(const ms_options *options); /* NULL: not in this version */
} ms_command;

struct ms_options {
    const ms_command *command;
    const char *spec, *op, *device, *out_dir, *dump, *csv, *html;
    const char *cache_dir; /* NULL: the user's */
    const char *tuning;    /* a file; NULL: the user's, for those commands that use it */
    char tuning_path[4096], *tuning_text; /* of the table that is used; NULL: none */
    const ms_target_name *target; /* NULL: none given */
    char arch[16];                /* of the target; "": none */
    uint32_t subgroup_size, progress, without; /* without: msw_feature bits */
    uint32_t subgroup_sizes[MS_SUBGROUP_SIZES], subgroup_count; /* all that were given; subgroup_size is the first */
    uint32_t backends;           /* of --target header: bits, 1 << msw_backend_kind; 0: none given */
    uint32_t with;               /* .. msw_feature bits of those that are not taken for granted */
    uint32_t or_without;         /* .. msw_feature bits that its second variants do without, too; 0: there are none */
    const char *embed, *spdx;
    int verify, flatten, json, quiet, verbose, jit, no_cache, help, version;
    const char *sizes;                /* bench, plan, tune: --n, which ms_parse_sizes takes; NULL: not given */
    const struct ms_entropy *entropy; /* NULL: not given */
    uint32_t rounds;                  /* 0: not given */
    double budget;                    /* tune: seconds; 0: not given */
    const char **tables;              /* bench --from: files */
    uint32_t table_count;
    msw_define *defines;
    msw_knob *knobs;
    ms_file_argument *inputs, *outputs;
    uint32_t define_count, knob_count, input_count, output_count;
};

/* The commands, in the order of the help; the last has a NULL name. (cli.c) */
extern const ms_command ms_commands[];

/* The optional features, as users name them; the last has a NULL name. (cli.c) */
typedef struct ms_feature_name {
    uint32_t bit; /* msw_feature */
    const char *name;
} ms_feature_name;
extern const ms_feature_name ms_feature_names[];

/* Reads the arguments after the program's name; splits name=value arguments in place. DONE, or a code after a message. */
ms_exit ms_options_parse(int count, char **arguments, ms_options *options);
void ms_options_release(ms_options *options);
/* The target of that name, or NULL. */
const ms_target_name *ms_target_find(const char *name);
/* Code is made for some architecture: the one given, or the first that is supported. */
void ms_options_complete_arch(ms_options *options);
/* command NULL: the overview. */
void ms_options_help(FILE *file, const ms_command *command);

/* Where standard error is a terminal: a line that says what goes on, until the next, with a bar (share of the work that is done, 0 .. 1); nothing with
 * --quiet. Clear it before printing anything. (cli.c) */
void ms_show_progress(const ms_options *options, double share, const char *format, ...) __attribute__((format(printf, 3, 4)));
void ms_clear_progress(const ms_options *options);

/* ---- the commands ---- */

ms_exit ms_check_command(const ms_options *options);
ms_exit ms_plan_command(const ms_options *options);
ms_exit ms_gen_command(const ms_options *options);
ms_exit ms_run_command(const ms_options *options);
ms_exit ms_devices_command(const ms_options *options);
ms_exit ms_bench_command(const ms_options *options);
ms_exit ms_tune_command(const ms_options *options);

/* ---- what several commands do (cli_open.c) ---- */

/* Each gives DONE, or a code after a message. */
ms_exit ms_open_spec(const ms_options *options, msw_spec **spec);
/* cache_dir: for compiled kernels, or NULL. */
ms_exit ms_open_context(const ms_options *options, const char *cache_dir, msw_context **context);
/* --cache-dir, or the user's directory, in `path`; NULL: --no-cache, or there is none. */
const char *ms_cache_dir(const ms_options *options, char *path, size_t bytes);
/* The file of the user's tuning table, in options->tuning_path: --tuning's, or the default one; 0: there is none. */
int ms_find_tuning(ms_options *options);
/* Reads the table for commands that make kernels: gen and plan --target use the user's only where --tuning names it. DONE, or a code after a message. */
ms_exit ms_load_tuning(ms_options *options);
/* The target that --subgroup, --without and --progress-model describe. */
msw_target ms_options_target(const ms_options *options);
/* The description that ms_open_context uses, without a cache. */
msw_context_desc ms_context_desc(const ms_options *options);
/* The operations that --op names, or all of them: first .. end - 1. */
ms_exit ms_find_operations(const ms_options *options, const msw_spec *spec, uint32_t *first, uint32_t *end);
/* The one operation that --op names; without it the spec must have only one. */
ms_exit ms_find_operation(const ms_options *options, const msw_spec *spec, uint32_t *index);
/* The programs of the operation that --op names, or of all of them; to be released also after a failure. */
typedef struct ms_programs {
    msw_program **items;
    uint32_t count;
} ms_programs;
/* To its kernels' code, which for cubins must be one: of architectures that it does not know NVRTC gives PTX. */
ms_exit ms_compile_program(const ms_options *options, msw_program *program, int is_cubin);
ms_exit ms_make_programs(const ms_options *options, msw_spec *spec, const msw_target *target, ms_programs *programs);
void ms_programs_release(ms_programs *programs);
/* 1: code is a text that ends with its only NUL, as PTX is. */
int ms_is_text(const void *code, size_t bytes);
/* Prints a stage, "spec", "plan", "source" or "binary" (which compiles the programs), to standard output. */
ms_exit ms_dump(const char *stage, const msw_spec *spec, const ms_programs *programs);

#endif
