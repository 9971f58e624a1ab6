/* options.h - the arguments of the command line. */
#ifndef MS_OPTIONS_H
#define MS_OPTIONS_H

#include "messages.h"

typedef struct ms_file_argument {
    const char *name, *path;
} ms_file_argument; /* of --input and --output */

typedef struct ms_options ms_options;

struct ms_entropy; /* data.h */

enum { MS_SUBGROUP_SIZES = 8 }; /* 1, 2, 4 .. 128 */

/* What --target can name. */
typedef struct ms_target_name {
    const char *name, *extension; /* "spirv", "spv" */
    uint32_t backend;             /* msw_backend_kind; AUTO: of several (header) */
    int is_code;                  /* 1: made by a compiler */
    const char *arch_prefix;      /* NULL: it has no architectures; "sm_": --arch sm_90, "compute_": --arch sm_90 is compute_90 */
} ms_target_name;

/* When a command goes by a user's tuning table. */
typedef enum ms_tuning_use { MS_TUNING_IF_NAMED /* by a flag, or for a device */, MS_TUNING_ALWAYS, MS_TUNING_BY_ITSELF } ms_tuning_use;

/* The commands, as bits: which flags each has. */
typedef enum ms_command_bit { MS_CHECK = 1, MS_PLAN = 2, MS_GEN = 4, MS_RUN = 8, MS_DEVICES = 16, MS_BENCH = 32, MS_TUNE = 64 } ms_command_bit;

typedef struct ms_command {
    ms_command_bit bit;
    const char *name;
    const char *arguments; /* as the usage line shows them; a command that begins them with SPEC needs a spec */
    const char *help;
    ms_exit (*run)(const ms_options *options);
    ms_tuning_use tuning;
} ms_command;

struct ms_options {
    const ms_command *command, *commands; /* the one that was given, of all */
    const char *spec, *op, *device, *out_dir, *dump, *csv, *html;
    const char *cache_dir;                                      /* NULL: the user's */
    const char *tuning;                                         /* a file; NULL: the user's, for those commands that use it */
    char tuning_path[4096], *tuning_text;                       /* of the table that is used; NULL: none */
    const ms_target_name *target;                               /* NULL: none given */
    char arch[16];                                              /* of the target; "": none */
    uint32_t subgroup_size, progress, cut, without;             /* cut: msw_cut_method; without: msw_feature bits */
    int has_cut;                                                /* 1: --cut is given */
    uint32_t subgroup_sizes[MS_SUBGROUP_SIZES], subgroup_count; /* all that were given; subgroup_size is the first */
    uint32_t backends;                                          /* of --target header: bits, 1 << msw_backend_kind; 0: none given */
    uint32_t with;                                              /* .. msw_feature bits of those that are not taken for granted */
    uint32_t or_without;                                        /* .. msw_feature bits that its second variants do without, too; 0: there are none */
    const char *embed, *spdx;
    int verify, flatten, json, quiet, verbose, jit, no_cache, report, constants, compare, dot, help, version;
    const char *sizes;                /* bench, plan, run, tune: --n, which ms_parse_sizes takes; NULL: not given */
    const struct ms_entropy *entropy; /* NULL: not given */
    uint32_t rounds;                  /* 0: not given */
    double budget;                    /* tune: seconds; 0: not given */
    const char **tables;              /* bench --from: files */
    uint32_t table_count;
    msw_define *defines;
    msw_knob *knobs;
    ms_file_argument *inputs, *outputs;
    msw_define *uniforms;
    uint32_t uniform_count;
    uint32_t define_count, knob_count, input_count, output_count;
};

/* commands: in the order of the help; the last has a NULL name. Reads the arguments after the program's name; splits name=value arguments in place.
 * DONE, or a code after a message. */
ms_exit ms_options_parse(const ms_command *commands, int count, char **arguments, ms_options *options);
void ms_options_release(ms_options *options);
/* Code is made for some architecture: the one given, or the first that is supported. */
void ms_options_complete_arch(ms_options *options);
/* Of options->command; NULL: the overview. */
void ms_options_help(FILE *file, const ms_options *options);

#endif
