#include "options.h"
#include "values.h"

#include <monosweep/monosweep_measure.h>

#include <stdlib.h>
#include <string.h>

/* ---- what there is ---- */

enum { SPECS = MS_CHECK | MS_PLAN | MS_GEN | MS_RUN | MS_BENCH | MS_TUNE, EVERY = SPECS | MS_DEVICES };

typedef enum flag_id {
    FLAG_OP,
    FLAG_DEVICE,
    FLAG_TARGET,
    FLAG_BACKEND,
    FLAG_SUBGROUP,
    FLAG_WITHOUT,
    FLAG_OR_WITHOUT,
    FLAG_ARCH,
    FLAG_EMBED,
    FLAG_SPDX,
    FLAG_TUNING,
    FLAG_BUDGET,
    FLAG_CONSTANTS,
    FLAG_OUT_DIR,
    FLAG_INPUT,
    FLAG_OUTPUT,
    FLAG_UNIFORM,
    FLAG_FLATTEN,
    FLAG_VERIFY,
    FLAG_JIT,
    FLAG_REPORT,
    FLAG_N,
    FLAG_ENTROPY,
    FLAG_ROUNDS,
    FLAG_CSV,
    FLAG_HTML,
    FLAG_FROM,
    FLAG_CACHE_DIR,
    FLAG_NO_CACHE,
    FLAG_DEFINE,
    FLAG_SET,
    FLAG_CUT,
    FLAG_PROGRESS,
    FLAG_DUMP,
    FLAG_JSON,
    FLAG_COMPARE,
    FLAG_DOT,
    FLAG_VERBOSE,
    FLAG_QUIET,
    FLAG_VERSION,
    FLAG_HELP
} flag_id;

typedef struct flag {
    flag_id id;
    const char *name;
    const char *argument; /* NULL: a switch */
    unsigned commands;
    const char *help;
} flag;

/* A flag has an entry for each meaning that it has to some commands. */
static const flag flags[] = {
    {FLAG_OP, "--op", "NAME", MS_RUN, "the operation; may be left out when the spec has one"},
    {FLAG_OP, "--op", "NAME", MS_PLAN | MS_GEN | MS_BENCH | MS_TUNE, "this operation alone (all of the spec's)"},
    {FLAG_OP, "--op", "NAME", MS_DEVICES, "of --report: this operation alone is measured: scan, reduce, sort, scan_u8 .. (all)"},
    {FLAG_DEVICE, "--device", "D", MS_RUN | MS_BENCH, "auto, host, vulkan[:N] or cuda[:N] (auto)"},
    {FLAG_DEVICE, "--device", "D", MS_DEVICES, "of --report: auto, host, vulkan[:N] or cuda[:N] (auto)"},
    {FLAG_DEVICE, "--device", "D", MS_TUNE, "auto, vulkan[:N] or cuda[:N] (auto)"},
    {FLAG_DEVICE, "--device", "D", MS_PLAN, "plans for auto, vulkan[:N] or cuda[:N], in place of a target"},
    {FLAG_TARGET, "--target", "T", MS_PLAN, "glsl or cuda; spirv, ptx and cubin have the same plans (glsl, for a device with every feature)"},
    {FLAG_TARGET, "--target", "T", MS_GEN, "cuda, ptx, cubin, glsl, spirv, header, or plans, C data for programs that link monosweep_runtime"},
    {FLAG_BACKEND, "--backend", "B", MS_GEN, "of --target header or plans: vulkan, cuda, or both with a comma between; a header each (vulkan)"},
    {FLAG_SUBGROUP, "--subgroup", "SIZE", MS_PLAN, "subgroup size that the kernels are made for: 1, 2, 4 .. 128 (32)"},
    {FLAG_SUBGROUP, "--subgroup", "SIZE", MS_GEN,
     "subgroup size that the kernels are made for: 1, 2, 4 .. 128 (32); Vulkan headers and plans: several, separated by commas; a device uses "
     "the variant for its own size (plans: 32,64,1; the one for 1 is for every device)"},
    {FLAG_WITHOUT, "--without", "FEATURES", MS_PLAN | MS_GEN,
     "what the device lacks, with commas between: int8, int16, int64, float16, float64, .. (monosweep devices --verbose names them)"},
    {FLAG_OR_WITHOUT, "--or-without", "FEATURES", MS_GEN,
     "Vulkan headers and plans: further variants, for devices that lack these features (long_loops: lavapipe, Mesa's driver on the CPU; "
     "variants with uniform_control_flow declare it)"},
    {FLAG_ARCH, "--arch", "ARCH", MS_PLAN | MS_GEN, "CUDA architecture, for the CUDA targets: sm_75, sm_80, sm_90 .. (sm_75)"},
    {FLAG_EMBED, "--embed", "CODE", MS_GEN,
     "CUDA headers and plans: ptx or cubin, for programs that are not compiled by nvcc (header: text for nvcc only; plans: ptx)"},
    {FLAG_SPDX, "--spdx", "LICENCE", MS_GEN,
     "of --target header or plans: the SPDX licence expression that it carries (none); generated text is yours"},
    {FLAG_TUNING, "--tuning", "FILE", MS_RUN | MS_BENCH,
     "a tuning table, whose rows come before the shipped ones ($XDG_CONFIG_HOME/monosweep/tuning.lua, or ~/.config/..)"},
    {FLAG_TUNING, "--tuning", "FILE", MS_PLAN,
     "a tuning table, whose rows come before the shipped ones (with --device $XDG_CONFIG_HOME/monosweep/tuning.lua, or ~/.config/.., else none)"},
    {FLAG_TUNING, "--tuning", "FILE", MS_GEN, "a tuning table, whose rows come before the shipped ones (none)"},
    {FLAG_TUNING, "--tuning", "FILE", MS_TUNE,
     "the table that rows are written into, whose directory is made if missing ($XDG_CONFIG_HOME/monosweep/tuning.lua, or ~/.config/..)"},
    {FLAG_BUDGET, "--budget", "SECONDS", MS_TUNE, "about how long it takes, for all operations together (60; with --constants 25)"},
    {FLAG_CONSTANTS, "--constants", NULL, MS_TUNE,
     "in place of a spec: measures the device's constants, by which times of pipelines are predicted, and writes a row of them"},
    {FLAG_OUT_DIR, "-o", "DIR", MS_GEN,
     "directory, made if missing, for SPEC_BACKEND.h, for SPEC_plans.c and .h, or for NAME_KERNEL.cu, .ptx, .cubin, .comp or .spv and "
     "NAME_BACKEND.plan.json (header, cuda, glsl without -o: standard output)"},
    {FLAG_INPUT, "--input", "NAME=FILE", MS_RUN,
     "reads buffer NAME: raw little-endian elements, or .npy when so named; - is standard input (.npy by its first bytes)"},
    {FLAG_OUTPUT, "--output", "NAME=FILE", MS_RUN, "writes buffer NAME likewise; - is standard output"},
    {FLAG_UNIFORM, "--uniform", "NAME=VALUE", MS_RUN | MS_BENCH | MS_TUNE,
     "the value of the spec's uniform NAME: a number; of a struct or vec several, in memory order, with commas between"},
    {FLAG_FLATTEN, "--flatten", NULL, MS_RUN, "takes .npy inputs of several dimensions as one, in C order; outputs are flat, (n,)"},
    {FLAG_VERIFY, "--verify", NULL, MS_RUN, "compares the outputs with the oracle"},
    {FLAG_JIT, "--jit", NULL, MS_BENCH,
     "milliseconds from spec to kernel: of the first in a process, of its parts, of the whole without the cache (cold) and with it (warm), and of "
     "those kernels that --n launches, the largest of several (needed; 2^24)"},
    {FLAG_REPORT, "--report", NULL, MS_DEVICES,
     "measures one device: copy, scan, reduction and sort, verified; what is emulated or missing, and what that costs; which "
     "progress blocks are seen to make; what each kernel takes. To send in: docs/send-your-device.md"},
    {FLAG_N, "--n", "SIZES", MS_DEVICES,
     "of --report: sizes as of bench; what features cost is of the largest (2^14,2^20,2^26; on a CPU 2^10,2^14,2^18)"},
    {FLAG_N, "--n", "SIZES", MS_BENCH,
     "2^16, 2^10..2^28 (powers of two), 2^10..2^20:2^0.25 (the factor between), or several with commas between (2^10..2^28; on a CPU 2^22)"},
    {FLAG_N, "--n", "SIZE", MS_RUN, "the number of elements, 1000000 or 2^20, where no input has as many: all are generated"},
    {FLAG_N, "--n", "SIZE", MS_TUNE, "what is measured, 1000000 or 2^20; of several the largest (512 MiB of arrays; on a CPU 4 MiB, sorts 256 KiB)"},
    {FLAG_N, "--n", "SIZES", MS_PLAN,
     "answers for this n alone: what is launched, blocks, scratch, bytes moved; 1000000, 2^16, 2^10..2^28 (powers of two), or several with commas "
     "between"},
    {FLAG_COMPARE, "--compare", NULL, MS_PLAN,
     "of a pipeline: how it is and how it could be cut into stages, and how long the cuts take by prediction, for --n elements (2^24)"},
    {FLAG_DOT, "--dot", NULL, MS_PLAN, "of a pipeline: the cut that is launched as a graph for Graphviz, stages as clusters"},
    {FLAG_ENTROPY, "--entropy", "E", MS_BENCH | MS_TUNE,
     "of keys: bits of entropy in each bit, 1.0, 0.811, 0.544, 0.337, 0.201 or 0, which is all keys equal (1.0)"},
    {FLAG_ROUNDS, "--rounds", "R", MS_DEVICES, "of --report: runs of each variant, by turns, 1 to 101, of which the median counts (7)"},
    {FLAG_ROUNDS, "--rounds", "R", MS_RUN, "runs, on devices after one that does not count, 1 to 101, of which the median time is told (1)"},
    {FLAG_ROUNDS, "--rounds", "R", MS_BENCH,
     "runs of each variant, by turns, 1 to 101, of which the median counts (11; fewer where they take seconds)"},
    {FLAG_CSV, "--csv", "FILE", MS_DEVICES, "of --report: writes everything as CSV with notes, which bench --from takes; - is standard output"},
    {FLAG_HTML, "--html", "FILE", MS_DEVICES, "of --report: writes it as one page with charts, which needs nothing else; - is standard output"},
    {FLAG_CSV, "--csv", "FILE", MS_BENCH, "writes the results as CSV; - is standard output"},
    {FLAG_HTML, "--html", "FILE", MS_BENCH, "writes them as one page with charts, which needs nothing else; - is standard output"},
    {FLAG_FROM, "--from", "FILE", MS_BENCH,
     "in place of a spec: a CSV written before, also by bench_scan or bench_sort, for --html; may be given several times"},
    {FLAG_CACHE_DIR, "--cache-dir", "DIR", MS_RUN | MS_BENCH | MS_TUNE | MS_DEVICES,
     "where compiled kernels are kept ($XDG_CACHE_HOME/monosweep, or ~/.cache/monosweep)"},
    {FLAG_NO_CACHE, "--no-cache", NULL, MS_RUN | MS_BENCH | MS_TUNE | MS_DEVICES, "neither uses nor keeps compiled kernels"},
    {FLAG_DEFINE, "-D", "NAME=VALUE", SPECS, "sets a global of the spec: a number where it reads as one, else a string"},
    {FLAG_SET, "--set", "KNOB=VALUE", MS_PLAN | MS_GEN | MS_RUN | MS_BENCH,
     "fixes a knob: strategy, block, items, subgroup, ..; monosweep plan --help says which there are"},
    {FLAG_CUT, "--cut", "METHOD", MS_PLAN | MS_GEN | MS_RUN | MS_BENCH,
     "how pipelines are cut into kernels: optimum, greedy, fewest or unfused; results are the same (optimum)"},
    {FLAG_PROGRESS, "--progress-model", "MODEL", MS_PLAN | MS_GEN | MS_RUN | MS_DEVICES | MS_BENCH | MS_TUNE,
     "parallel, occupancy or none: what to assume of the device's scheduler; results are wrong where a GPU's promises less"},
    {FLAG_DUMP, "--dump", "STAGE", MS_CHECK, "prints spec, as it was checked, in JSON"},
    {FLAG_DUMP, "--dump", "STAGE", MS_PLAN, "prints spec, plan (in JSON), source or binary in place of the summary"},
    {FLAG_DUMP, "--dump", "STAGE", MS_GEN, "prints spec, plan, source or binary, beside what it writes"},
    {FLAG_DUMP, "--dump", "STAGE", MS_RUN, "prints spec, plan, source or binary; and runs when files are given"},
    {FLAG_JSON, "--json", NULL, EVERY, "prints the result as JSON on standard output"},
    {FLAG_VERBOSE, "--verbose", NULL, MS_DEVICES, "shows limits and features too"},
    {FLAG_QUIET, "--quiet", NULL, EVERY, "prints errors and what was asked for, nothing else"},
    {FLAG_VERSION, "--version", NULL, EVERY, "prints the version"},
    {FLAG_HELP, "--help", NULL, EVERY, "prints this"},
};
enum { FLAG_COUNT = sizeof flags / sizeof flags[0] };

/* ---- help ---- */

/* What --set takes. */
static void print_choices(FILE *file)
{
    msw_choice choice = {.struct_size = sizeof choice};
    fprintf(file, "\nKnobs of --set (a spec's `tune` has most of them):\n");
    for (uint32_t i = 0; !msw_knob_get(i, &choice); i++) {
        char left[64];
        const int length = snprintf(left, sizeof left, "%s=", choice.name);
        char most[16];
        snprintf(most, sizeof most, choice.most == 1 << 20 ? "2^20" : "%u", choice.most);
        if (choice.most)
            snprintf(left + length, sizeof left - (size_t)length, "%u%s%s%s%s", choice.least, choice.most == 2 * choice.least ? " or " : "..", most,
                     choice.words ? ", " : "", choice.words ? choice.words : "");
        fprintf(file, "  %-24s%s%s%s\n", left, choice.summary, choice.most || !choice.words ? "" : ": ",
                choice.most || !choice.words ? "" : choice.words);
    }
    msw_kind_info kind = {.struct_size = sizeof kind};
    for (uint32_t k = 0; !msw_kind_get(k, &kind); k++) {
        if (msw_strategy_get((msw_op_kind)k, 0, &choice)) continue; /* pipelines have those of their stages */
        fprintf(file, "\nStrategies of %s:\n", kind.plural);
        for (uint32_t i = 0; !msw_strategy_get((msw_op_kind)k, i, &choice); i++) fprintf(file, "  %-24s%s\n", choice.name, choice.summary);
    }
}

void ms_options_help(FILE *file, const ms_options *options)
{
    const ms_command *command = options->command;
    if (!command) {
        fprintf(file, "monosweep %s: scan, reduction, sort, map, sweep and pipeline kernels from Lua specs\n\n", msw_version());
        for (command = options->commands; command->name; command++) fprintf(file, "  monosweep %-8s%s\n", command->name, command->help);
        fprintf(file, "\nmonosweep COMMAND --help shows a command's flags.\n"
                      "Exit codes: 0 done, 1 failed while running, 2 usage, 3 the spec is wrong.\n");
        return;
    }
    fprintf(file, "monosweep %s %s\n%s\n", command->name, command->arguments, command->help);
    fprintf(file, "\n");
    for (const flag *f = flags; f < flags + FLAG_COUNT; f++) {
        if (!(f->commands & command->bit)) continue;
        char left[64];
        snprintf(left, sizeof left, "%s %s", f->name, f->argument ? f->argument : "");
        fprintf(file, "  %-24s%s\n", left, f->help);
    }
    if (command->bit == MS_PLAN) print_choices(file);
}

/* ---- suggestions ---- */

static unsigned least(unsigned a, unsigned b, unsigned c)
{
    const unsigned ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Levenshtein distance of the first 63 characters. */
static unsigned distance(const char *a, size_t a_length, const char *b)
{
    unsigned row[64];
    const size_t n = a_length < 63 ? a_length : 63;
    for (unsigned i = 0; i <= n; i++) row[i] = i;
    for (; *b; b++) {
        unsigned diagonal = row[0]++;
        for (size_t i = 1; i <= n; i++) {
            const unsigned above = row[i];
            row[i] = least(above + 1, row[i - 1] + 1, diagonal + (a[i - 1] != *b));
            diagonal = above;
        }
    }
    return row[n];
}

/* A word that is wrong in half of its letters is another word. */
static int is_near(const char *text, size_t length, const char *name)
{
    const size_t dashes = strspn(name, "-");
    return (size_t)2 * distance(text, length, name) <= strlen(name) - dashes;
}

/* NULL: none is near. */
static const char *nearest_flag(const char *text, size_t length, const ms_command *command)
{
    const flag *best = NULL;
    for (const flag *f = flags; f < flags + FLAG_COUNT; f++)
        if (f->commands & command->bit && (!best || distance(text, length, f->name) < distance(text, length, best->name))) best = f;
    return is_near(text, length, best->name) ? best->name : NULL;
}

static const ms_command *find_command(const ms_command *commands, const char *name)
{
    for (const ms_command *c = commands; c->name; c++)
        if (!strcmp(c->name, name)) return c;
    return NULL;
}

/* NULL: none is near. */
static const char *nearest_command(const ms_command *commands, const char *name)
{
    const ms_command *best = commands;
    for (const ms_command *c = commands; c->name; c++)
        if (distance(name, strlen(name), c->name) < distance(name, strlen(name), best->name)) best = c;
    return is_near(name, strlen(name), best->name) ? best->name : NULL;
}

/* ---- values ---- */

static int is_identifier(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    return name[0] && !(name[0] >= '0' && name[0] <= '9') && name[strspn(name, letters)] == '\0';
}

/* "name=value" becomes two strings. */
static ms_exit split_pair(const flag *f, char *text, const char **name, const char **value)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return ms_complain(MS_EXIT_USAGE, "%s %s: not of the form %s; write %s %s", f->name, text, f->argument, f->name, f->argument);
    *equals = '\0';
    if (!is_identifier(text)) return ms_complain(MS_EXIT_USAGE, "%s: '%s' is not a name; write %s %s", f->name, text, f->name, f->argument);
    *name = text;
    *value = equals + 1;
    return MS_EXIT_DONE;
}

static ms_exit add_file(const flag *f, char *text, ms_file_argument *files, uint32_t *count)
{
    ms_file_argument *file = &files[*count];
    const ms_exit code = split_pair(f, text, &file->name, &file->path);
    if (code) return code;
    for (uint32_t i = 0; i < *count; i++) {
        if (!strcmp(files[i].name, file->name)) return ms_complain(MS_EXIT_USAGE, "%s %s: given twice; leave one out", f->name, file->name);
        if (!strcmp(files[i].path, file->path) && (f->id == FLAG_OUTPUT || !strcmp(file->path, "-")))
            return ms_complain(MS_EXIT_USAGE, "%s: '%s' and '%s' have the same file %s; give each its own", f->name, files[i].name, file->name,
                               file->path);
    }
    ++*count;
    return MS_EXIT_DONE;
}

static ms_exit parse_dump(const char *value, const ms_command *command, const char **dump)
{
    static const char *const stages[] = {"spec", "plan", "source", "binary", NULL};
    *dump = value;
    if (!ms_is_one_of(value, stages)) return ms_complain(MS_EXIT_USAGE, "--dump %s: no such stage; it is spec, plan, source or binary", value);
    if (command->bit == MS_CHECK && strcmp(value, "spec"))
        return ms_complain(MS_EXIT_USAGE, "--dump %s: check goes no further than the spec; use monosweep plan", value);
    return MS_EXIT_DONE;
}

static ms_exit apply(const flag *f, char *value, ms_options *options)
{
    switch (f->id) {
    case FLAG_OP:
        if (options->op) return ms_complain(MS_EXIT_USAGE, "--op %s and --op %s: one operation a run; leave one out", options->op, value);
        options->op = value;
        break;
    case FLAG_DEVICE: return ms_parse_device(value, &options->device);
    case FLAG_TARGET: return ms_parse_target(value, &options->target);
    case FLAG_WITHOUT: return ms_parse_without(f->name, value, &options->without);
    case FLAG_OR_WITHOUT: return ms_parse_without(f->name, value, &options->or_without);
    case FLAG_BACKEND: return ms_parse_backends(value, &options->backends);
    case FLAG_SUBGROUP: return ms_parse_subgroup(value, options);
    case FLAG_ARCH: return ms_parse_arch(value, options->arch);
    case FLAG_EMBED: return ms_parse_embed(value, &options->embed);
    case FLAG_SPDX: options->spdx = value; break;
    case FLAG_TUNING: options->tuning = value; break;
    case FLAG_BUDGET: return ms_parse_budget(value, &options->budget);
    case FLAG_CONSTANTS: options->constants = 1; break;
    case FLAG_OUT_DIR: options->out_dir = value; break;
    case FLAG_INPUT: return add_file(f, value, options->inputs, &options->input_count);
    case FLAG_OUTPUT: return add_file(f, value, options->outputs, &options->output_count);
    case FLAG_UNIFORM: {
        msw_define *uniform = &options->uniforms[options->uniform_count++];
        return split_pair(f, value, &uniform->name, &uniform->value);
    }
    case FLAG_FLATTEN: options->flatten = 1; break;
    case FLAG_VERIFY: options->verify = 1; break;
    case FLAG_JIT: options->jit = 1; break;
    case FLAG_REPORT: options->report = 1; break;
    case FLAG_CSV: options->csv = value; break;
    case FLAG_HTML: options->html = value; break;
    case FLAG_FROM: options->tables[options->table_count++] = value; break;
    case FLAG_N: return ms_parse_n(value, &options->sizes);
    case FLAG_ENTROPY: return ms_parse_entropy(value, &options->entropy);
    case FLAG_ROUNDS: return ms_parse_rounds(value, &options->rounds);
    case FLAG_CACHE_DIR: options->cache_dir = value; break;
    case FLAG_NO_CACHE: options->no_cache = 1; break;
    case FLAG_DEFINE: {
        msw_define *define = &options->defines[options->define_count++];
        return split_pair(f, value, &define->name, &define->value);
    }
    case FLAG_SET: {
        msw_knob *knob = &options->knobs[options->knob_count++];
        return split_pair(f, value, &knob->name, &knob->value);
    }
    case FLAG_CUT: options->has_cut = 1; return ms_parse_cut(value, &options->cut);
    case FLAG_PROGRESS: return ms_parse_progress(value, &options->progress);
    case FLAG_DUMP: return parse_dump(value, options->command, &options->dump);
    case FLAG_JSON: options->json = 1; break;
    case FLAG_COMPARE: options->compare = 1; break;
    case FLAG_DOT: options->dot = 1; break;
    case FLAG_VERBOSE: options->verbose = 1; break;
    case FLAG_QUIET: options->quiet = 1; break;
    case FLAG_VERSION: options->version = 1; break;
    case FLAG_HELP: options->help = 1; break;
    }
    return MS_EXIT_DONE;
}

/* ---- parsing ---- */

static ms_exit unknown_flag(const char *text, size_t length, const ms_command *command)
{
    for (const flag *f = flags; f < flags + FLAG_COUNT; f++)
        if (strlen(f->name) == length && !strncmp(f->name, text, length))
            return ms_complain(MS_EXIT_USAGE, "monosweep %s has no flag %s, other commands have; see monosweep %s --help", command->name, f->name,
                               command->name);
    const char *nearest = nearest_flag(text, length, command);
    if (!nearest) return ms_complain(MS_EXIT_USAGE, "unknown flag %.*s; monosweep %s --help shows all", (int)length, text, command->name);
    return ms_complain(MS_EXIT_USAGE, "unknown flag %.*s; did you mean %s? (monosweep %s --help shows all)", (int)length, text, nearest,
                       command->name);
}

static ms_exit unknown_command(const ms_command *commands, const char *name)
{
    const char *nearest = nearest_command(commands, name);
    if (!nearest) return ms_complain(MS_EXIT_USAGE, "unknown command %s; monosweep --help shows all", name);
    return ms_complain(MS_EXIT_USAGE, "unknown command %s; did you mean %s? (monosweep --help shows all)", name, nearest);
}

/* Reads the flag at *text and moves *text past its last argument. Forms: --flag value, --flag=value, -D value, -Dvalue. */
static ms_exit parse_flag(char ***text, char **end, ms_options *options)
{
    char *name = *(*text)++;
    if (!strcmp(name, "-h")) return options->help = 1, MS_EXIT_DONE;
    const int is_long = name[1] == '-';
    const size_t length = is_long ? strcspn(name, "=") : 2;
    const flag *f = flags;
    while (f < flags + FLAG_COUNT && !(f->commands & options->command->bit && strlen(f->name) == length && !strncmp(f->name, name, length))) f++;
    if (f == flags + FLAG_COUNT) return unknown_flag(name, is_long ? length : strlen(name), options->command);
    char *value = NULL;
    if (name[length]) value = name + length + is_long;
    if (!f->argument && value) return ms_complain(MS_EXIT_USAGE, "%s takes no value; leave out '%s'", f->name, value);
    if (f->argument && !value) {
        if (*text == end) return ms_complain(MS_EXIT_USAGE, "%s needs a value; write %s %s", f->name, f->name, f->argument);
        value = *(*text)++;
    }
    return apply(f, value, options);
}

/* What only headers take, and what they do not. */
static ms_exit check_header(const ms_options *options)
{
    const int is_header = options->target && options->target->backend == MSW_BACKEND_AUTO;
    const int is_cuda = (options->backends & 1u << MSW_BACKEND_CUDA) != 0,
              is_vulkan = !options->backends || options->backends & 1u << MSW_BACKEND_VULKAN;
    if (!is_header && (options->backends || options->embed || options->spdx))
        return ms_complain(MS_EXIT_USAGE, "%s goes with --target header or plans",
                           options->backends ? "--backend"
                           : options->embed  ? "--embed"
                                             : "--spdx");
    if (options->subgroup_count > 1 && !(is_header && is_vulkan))
        return ms_complain(MS_EXIT_USAGE, "--subgroup: several sizes go with --target header or plans, --backend vulkan; give one");
    if (options->or_without && !(is_header && is_vulkan))
        return ms_complain(MS_EXIT_USAGE, "--or-without goes with --target header or plans, --backend vulkan");
    if (!is_header) return MS_EXIT_DONE;
    if (options->command->bit != MS_GEN) return ms_complain(MS_EXIT_USAGE, "--target %s goes with gen; use cuda or glsl", options->target->name);
    if (!is_cuda && (options->embed || options->arch[0]))
        return ms_complain(MS_EXIT_USAGE, "%s goes with --backend cuda", options->embed ? "--embed" : "--arch");
    return MS_EXIT_DONE;
}

/* What bench and devices --report write. */
static ms_exit check_outputs(const ms_options *options)
{
    const int to_stdout = (options->csv && !strcmp(options->csv, "-")) + (options->html && !strcmp(options->html, "-")) + options->json;
    if (to_stdout > 1)
        return ms_complain(MS_EXIT_USAGE, "two of --json, --csv - and --html - both write to standard output; give --csv or --html a file");
    return MS_EXIT_DONE;
}

static ms_exit check_devices(const ms_options *options)
{
    const struct {
        const char *name;
        int is_given;
    } of_report[] = {{"--op", options->op != NULL},
                     {"--device", options->device != NULL},
                     {"--n", options->sizes != NULL},
                     {"--rounds", options->rounds != 0},
                     {"--csv", options->csv != NULL},
                     {"--html", options->html != NULL},
                     {"--cache-dir", options->cache_dir != NULL},
                     {"--no-cache", options->no_cache}};
    for (size_t f = 0; !options->report && f < sizeof of_report / sizeof *of_report; f++)
        if (of_report[f].is_given) return ms_complain(MS_EXIT_USAGE, "%s goes with --report", of_report[f].name);
    return check_outputs(options);
}

static ms_exit check_bench(const ms_options *options)
{
    const char *other = options->entropy ? "--entropy" : options->rounds ? "--rounds" : options->html ? "--html" : NULL;
    if (options->table_count && (options->spec || !options->html))
        return ms_complain(MS_EXIT_USAGE, "--from is for --html, and takes the place of a spec");
    if (options->table_count && (options->csv || options->json || options->jit)) return ms_complain(MS_EXIT_USAGE, "--from goes with --html only");
    if (options->jit && other) return ms_complain(MS_EXIT_USAGE, "--jit and %s exclude each other; leave one out", other);
    return check_outputs(options);
}

static ms_exit check_tune(const ms_options *options)
{
    const char *other = options->spec            ? options->spec
                        : options->op            ? "--op"
                        : options->sizes         ? "--n"
                        : options->entropy       ? "--entropy"
                        : options->uniform_count ? "--uniform"
                        : options->define_count  ? "-D"
                                                 : NULL;
    if (options->constants && other) return ms_complain(MS_EXIT_USAGE, "--constants and %s exclude each other; leave one out", other);
    return MS_EXIT_DONE;
}

static ms_exit check_combination(const ms_options *options)
{
    const ms_command *command = options->command;
    if (options->help || options->version) return MS_EXIT_DONE;
    const ms_exit header = check_header(options);
    if (header) return header;
    const ms_exit own = command->bit == MS_BENCH     ? check_bench(options)
                        : command->bit == MS_DEVICES ? check_devices(options)
                        : command->bit == MS_TUNE    ? check_tune(options)
                                                     : MS_EXIT_DONE;
    if (own) return own;
    if (!strncmp(command->arguments, "SPEC", 4) && !options->spec && !options->table_count && !options->constants)
        return ms_complain(MS_EXIT_USAGE, "monosweep %s needs a spec; write monosweep %s %s", command->name, command->name, command->arguments);
    if (options->device && options->target) return ms_complain(MS_EXIT_USAGE, "--device and --target exclude each other; leave one out");
    if (options->arch[0] && (!options->target || !options->target->arch_prefix))
        return ms_complain(MS_EXIT_USAGE, "--arch goes with --target cuda, ptx, cubin, header or plans");
    if (options->device && options->without) return ms_complain(MS_EXIT_USAGE, "--without goes with --target; a device says itself what it has");
    if (options->device && options->subgroup_size)
        return ms_complain(MS_EXIT_USAGE, "--subgroup goes with --target; for a device use --set subgroup=%u", options->subgroup_size);
    const char *out = NULL;
    for (uint32_t i = 0; i < options->output_count; i++)
        if (!strcmp(options->outputs[i].path, "-")) out = options->outputs[i].name;
    if (out && (options->json || options->dump))
        return ms_complain(MS_EXIT_USAGE, "--output %s=- and %s both write to standard output; give %s a file", out,
                           options->json ? "--json" : "--dump", out);
    if (options->compare + options->dot + options->json + (options->dump != NULL) > 1 && (options->compare || options->dot))
        return ms_complain(MS_EXIT_USAGE, "--compare, --dot, --json and --dump exclude each other; leave one in");
    if (options->cache_dir && options->no_cache) return ms_complain(MS_EXIT_USAGE, "--cache-dir and --no-cache exclude each other; leave one out");
    if (options->sizes && options->dump && command->bit != MS_RUN)
        return ms_complain(MS_EXIT_USAGE, "--n and --dump exclude each other; leave one out");
    if (options->json && options->dump) return ms_complain(MS_EXIT_USAGE, "--json and --dump both write to standard output; leave one out");
    return MS_EXIT_DONE;
}

void ms_options_complete_arch(ms_options *options)
{
    const ms_target_name *target = options->target;
    char number[16];
    if (!target || !target->is_code || !target->arch_prefix) return;
    snprintf(number, sizeof number, "%s", options->arch[0] ? options->arch + 3 : "75");
    snprintf(options->arch, sizeof options->arch, "%s%.6s", target->arch_prefix, number);
}

static ms_exit parse_arguments(int count, char **arguments, ms_options *options)
{
    char **text = arguments, **end = arguments + count;
    int flags_end = 0;
    while (text < end) {
        if (flags_end || **text != '-' || !strcmp(*text, "-")) {
            if (strncmp(options->command->arguments, "SPEC", 4) || options->spec)
                return ms_complain(MS_EXIT_USAGE, "unexpected argument '%s'; see monosweep %s --help", *text, options->command->name);
            if (!strcmp(*text, "-")) return ms_complain(MS_EXIT_USAGE, "-: a spec is read from a file; name it, or /dev/stdin");
            options->spec = *text++;
        } else if (!strcmp(*text, "--")) {
            flags_end = 1;
            text++;
        } else {
            const ms_exit code = parse_flag(&text, end, options);
            if (code) return code;
        }
    }
    const ms_exit code = check_combination(options);
    ms_options_complete_arch(options);
    return code;
}

ms_exit ms_options_parse(const ms_command *commands, int count, char **arguments, ms_options *options)
{
    *options = (ms_options){.commands = commands};
    if (count == 0) {
        ms_options_help(stderr, options);
        return MS_EXIT_USAGE;
    }
    options->help = !strcmp(arguments[0], "--help") || !strcmp(arguments[0], "-h") || !strcmp(arguments[0], "help");
    options->version = !strcmp(arguments[0], "--version");
    if (options->help || options->version) return MS_EXIT_DONE;
    options->command = find_command(commands, arguments[0]);
    if (!options->command) return unknown_command(commands, arguments[0]);
    const size_t capacity = (size_t)count;
    options->defines = calloc(capacity, sizeof *options->defines);
    options->knobs = calloc(capacity, sizeof *options->knobs);
    options->uniforms = calloc(capacity, sizeof *options->uniforms);
    options->inputs = calloc(capacity, sizeof *options->inputs);
    options->outputs = calloc(capacity, sizeof *options->outputs);
    options->tables = calloc(capacity, sizeof *options->tables);
    if (!options->tables || !options->defines || !options->knobs || !options->uniforms || !options->inputs || !options->outputs)
        return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    return parse_arguments(count - 1, arguments + 1, options);
}

void ms_options_release(ms_options *options)
{
    free(options->tables);
    free(options->tuning_text);
    free(options->defines);
    free(options->knobs);
    free(options->uniforms);
    free(options->inputs);
    free(options->outputs);
}
