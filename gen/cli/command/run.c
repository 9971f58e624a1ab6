#include "units.h"
#include "commands.h"
#include "cli/measure/measure.h"
#include "cli/measure/stages.h"
#include "cli/measure/uniforms.h"
#include "cli/measure/verify.h"
#include "cli/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One run: what it is made of, and what it found. */
typedef struct job {
    const ms_options *options;
    msw_spec *spec;
    msw_context *context;
    msw_kernel *kernel;
    uint32_t op;
    msw_op_info info;
    const char *paths[MSW_MAX_BUFFERS]; /* by buffer; NULL: not given */
    ms_array arrays[MSW_MAX_BUFFERS];
    uint64_t n;
    double seconds;
    msw_verification *verification; /* NULL: not wanted */
    msw_structure structure;
    msw_verification_report report;
    char *report_text; /* of a pipeline's stages */
    ms_stage stage;
} job;

/* ---- files ---- */

static ms_exit unknown_buffer(const job *j, const ms_file_argument *file, int is_output)
{
    const char *kind = is_output ? "output" : "input";
    ms_complain(MS_EXIT_USAGE, "%s has no %s '%s'; its buffers are", j->info.name, kind, file->name);
    for (uint32_t b = 0; b < j->info.buffer_count; b++) {
        const msw_op_buffer *buffer = &j->info.buffers[b];
        const int is_uniform = buffer->role == MSW_ROLE_UNIFORM;
        fprintf(stderr, "  --%s %s=%s  %s\n",
                is_uniform                     ? "uniform"
                : buffer->role == MSW_ROLE_OUT ? "output"
                                               : "input",
                buffer->name, is_uniform ? "VALUE" : "FILE", buffer->type.name);
    }
    return MS_EXIT_USAGE;
}

static ms_exit assign_files(job *j, const ms_file_argument *files, uint32_t count, int is_output)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t b = 0;
        while (b < j->info.buffer_count && (strcmp(j->info.buffers[b].name, files[i].name) || (j->info.buffers[b].role == MSW_ROLE_OUT) != is_output))
            b++;
        if (b == j->info.buffer_count) return unknown_buffer(j, &files[i], is_output);
        j->paths[b] = files[i].path;
    }
    return MS_EXIT_DONE;
}

/* The first input of n elements, which says what n is; NULL: all of them are generated. */
static const char *counting_input(const job *j)
{
    for (uint32_t b = 0; b < j->info.buffer_count; b++)
        if (j->info.buffers[b].role == MSW_ROLE_IN && j->info.buffers[b].length == MSW_LENGTH_N) return j->info.buffers[b].name;
    return NULL;
}

/* Of a pipeline in which every array has a length of its own: the largest, 1 at least. 0: something has n elements. */
static uint64_t own_length(const job *j)
{
    uint64_t most = j->info.stage_count > 0;
    for (uint32_t b = 0; most && b < j->info.buffer_count; b++) {
        const uint32_t length = j->info.buffers[b].length;
        const uint64_t own = length == MSW_LENGTH_ONE ? 1 : length >= MSW_LENGTH_FIXED ? msw_elements(length, 0) : 0;
        most = !own ? 0 : own > most ? own : most;
    }
    for (uint32_t s = 0; most && s < j->info.stage_count; s++) {
        msw_stage_info stage = {.struct_size = sizeof stage};
        if (msw_spec_stage(j->spec, j->op, s, &stage) || stage.length == MSW_LENGTH_N) most = 0;
    }
    return most;
}

static ms_exit take_size(job *j)
{
    uint64_t sizes[MS_MAX_SIZES];
    const char *counting = counting_input(j), *given = j->options->sizes;
    j->n = own_length(j);
    if (j->n && given) return ms_complain(MS_EXIT_USAGE, "--n: all arrays of %s have lengths of their own; leave --n out", j->info.name);
    if (j->n) return MS_EXIT_DONE;
    if (counting && given) return ms_complain(MS_EXIT_USAGE, "--n: %s has as many elements as input '%s'; leave --n out", j->info.name, counting);
    if (counting) return MS_EXIT_DONE;
    if (!given) return ms_complain(MS_EXIT_USAGE, "%s has no input of n elements, which would say what n is; add --n SIZE", j->info.name);
    if (ms_parse_sizes(given, sizes) != 1) return ms_complain(MS_EXIT_USAGE, "--n %s: several sizes; give one", given);
    j->n = sizes[0];
    return MS_EXIT_DONE;
}

/* By --uniform, or by a file of one element. */
static ms_exit check_uniforms(job *j)
{
    ms_exit code = ms_uniforms_check(j->options, j->spec, j->op, j->op + 1, 0);
    for (uint32_t b = 0; !code && b < j->info.buffer_count; b++) {
        const char *name = j->info.buffers[b].name;
        const int is_given = ms_uniform_is_given(j->options, name);
        if (j->info.buffers[b].role != MSW_ROLE_UNIFORM) continue;
        if (is_given && j->paths[b]) code = ms_complain(MS_EXIT_USAGE, "--uniform %s and --input %s: one value a uniform; leave one out", name, name);
        else if (!is_given && !j->paths[b] && !ms_counts_segments(&j->info, b)) code = ms_uniform_read(j->options, &j->info, b, &j->arrays[b]);
    }
    return code;
}

/* Whether a buffer is read from a pipe, or written to one. */
static int is_piped(const job *j, uint32_t b, struct stat *status)
{
    const int stream = j->info.buffers[b].role == MSW_ROLE_OUT ? STDOUT_FILENO : STDIN_FILENO;
    return j->paths[b] && !(strcmp(j->paths[b], "-") ? stat(j->paths[b], status) : fstat(stream, status)) && S_ISFIFO(status->st_mode);
}

/* Of one pipe only one can read, and not who has written. */
static ms_exit check_pipes(const job *j)
{
    struct stat pipe, same;
    for (uint32_t b = 0; b < j->info.buffer_count; b++)
        for (uint32_t other = 0; other < b && is_piped(j, b, &pipe); other++) {
            const int are_outputs = j->info.buffers[b].role == MSW_ROLE_OUT && j->info.buffers[other].role == MSW_ROLE_OUT;
            if (are_outputs || !is_piped(j, other, &same) || same.st_dev != pipe.st_dev || same.st_ino != pipe.st_ino) continue;
            return ms_complain(MS_EXIT_USAGE, "%s: '%s' and '%s' are one pipe, which would wait forever; give each one of its own, or a file",
                               j->paths[b], j->info.buffers[other].name, j->info.buffers[b].name);
        }
    return MS_EXIT_DONE;
}

static ms_exit check_files(job *j)
{
    ms_exit code = assign_files(j, j->options->inputs, j->options->input_count, 0);
    if (!code) code = assign_files(j, j->options->outputs, j->options->output_count, 1);
    for (uint32_t b = 0; !code && b < j->info.buffer_count; b++)
        if (j->info.buffers[b].role == MSW_ROLE_IN && !j->paths[b])
            code = ms_complain(MS_EXIT_USAGE, "%s needs input '%s'; add --input %s=FILE", j->info.name, j->info.buffers[b].name,
                               j->info.buffers[b].name);
    if (!code) code = check_pipes(j);
    if (!code) code = take_size(j);
    return code ? code : check_uniforms(j);
}

/* A slip that would lose the user's work. */
static ms_exit refuse_spec(const job *j, const char *path)
{
    struct stat spec, output;
    if (stat(j->options->spec, &spec) || stat(path, &output) || !S_ISREG(spec.st_mode)) return MS_EXIT_DONE;
    if (spec.st_dev != output.st_dev || spec.st_ino != output.st_ino) return MS_EXIT_DONE;
    return ms_complain(MS_EXIT_USAGE, "%s: it is the spec that is read, %s; give the output another file", path, j->options->spec);
}

/* What cannot be written is told before anything is computed. */
static ms_exit try_outputs(const job *j)
{
    ms_exit code = MS_EXIT_DONE;
    for (uint32_t b = 0; !code && b < j->info.buffer_count; b++) {
        if (j->info.buffers[b].role != MSW_ROLE_OUT || !j->paths[b]) continue;
        code = refuse_spec(j, j->paths[b]);
        if (!code) code = ms_file_try(j->paths[b]);
    }
    return code;
}

/* There are `count` offsets, one more than segments: the uniform that says how many these are follows from it, unless it is given. */
static ms_exit take_offsets(job *j, uint32_t b, uint64_t count)
{
    const uint32_t by = (uint32_t)msw_given_by(j->info.buffers[b].length);
    const char *name = j->info.buffers[by].name;
    uint64_t given;
    if (!count) return ms_complain(MS_EXIT_FAILED, "%s: no offsets; give one more than there are segments, from 0 to n", j->paths[b]);
    if (j->info.most_segments && count - 1 > j->info.most_segments)
        return ms_complain(MS_EXIT_FAILED, "%s: %llu segments, but the spec says that '%s' has at most %u; raise segments there, or split the input",
                           j->paths[b], (unsigned long long)count - 1, j->info.buffers[b].name, j->info.most_segments);
    if (!j->arrays[by].data && j->paths[by]) return MS_EXIT_DONE; /* it is not read yet */
    if (!j->arrays[by].data && ms_uniform_is_given(j->options, name)) {
        const ms_exit code = ms_uniform_read(j->options, &j->info, by, &j->arrays[by]);
        if (code) return code;
    } else if (!j->arrays[by].data) {
        const ms_exit code = ms_array_make(name, &j->info.buffers[by].type, 1, &j->arrays[by]);
        if (code) return code;
        given = count - 1;
        memcpy(j->arrays[by].data, &given, sizeof given);
    }
    memcpy(&given, j->arrays[by].data, sizeof given);
    if (given == count - 1) return MS_EXIT_DONE;
    return ms_complain(MS_EXIT_FAILED, "%s: %llu offsets, but %s is %llu; give one more offset than that, or leave %s out", j->paths[b],
                       (unsigned long long)count, name, (unsigned long long)given, name);
}

/* Offsets ascend from 0 to n. */
static ms_exit check_offsets(const job *j, uint32_t b)
{
    const uint64_t *offsets = (const void *)j->arrays[b].data, count = j->arrays[b].count;
    uint64_t i = 1;
    while (i < count && offsets[i] >= offsets[i - 1]) i++;
    if (i < count)
        return ms_complain(MS_EXIT_FAILED, "%s: offset %llu is %llu, less than the one before; sort them", j->paths[b], (unsigned long long)i,
                           (unsigned long long)offsets[i]);
    if (offsets[0] == 0 && offsets[count - 1] == j->n) return MS_EXIT_DONE;
    return ms_complain(MS_EXIT_FAILED, "%s: offsets go from %llu to %llu; they must go from 0 to n = %llu", j->paths[b],
                       (unsigned long long)offsets[0], (unsigned long long)offsets[count - 1], (unsigned long long)j->n);
}

/* An input has `count` elements: inputs of length n must agree, and this number is n. first: the first of them, NULL before. */
static ms_exit take_count(job *j, uint32_t b, uint64_t count, const char **first)
{
    const msw_op_buffer *buffer = &j->info.buffers[b];
    if (buffer->length == MSW_LENGTH_ONE)
        return count == 1
                   ? MS_EXIT_DONE
                   : ms_complain(MS_EXIT_FAILED, "%s: '%s' is one element, not %llu; cut it", j->paths[b], buffer->name, (unsigned long long)count);
    if (msw_given_by(buffer->length) >= 0) return take_offsets(j, b, count);
    if (buffer->length >= MSW_LENGTH_FIXED)
        return count == msw_elements(buffer->length, 0)
                   ? MS_EXIT_DONE
                   : ms_complain(MS_EXIT_FAILED, "%s: '%s' has %llu elements, not %llu; the spec says its length", j->paths[b], buffer->name,
                                 (unsigned long long)msw_elements(buffer->length, 0), (unsigned long long)count);
    if (*first && count != j->n)
        return ms_complain(MS_EXIT_FAILED, "%s: '%s' has %llu elements and '%s' %llu; give both the same number", j->paths[b], buffer->name,
                           (unsigned long long)count, *first, (unsigned long long)j->n);
    if (!*first) *first = buffer->name;
    j->n = count;
    return MS_EXIT_DONE;
}

/* One element has no dimensions that could be taken wrong: numpy.save of a scalar has none. */
static int is_flat(const job *j, uint32_t b) { return j->options->flatten || j->info.buffers[b].length == MSW_LENGTH_ONE; }

/* n by the inputs' sizes, before anything is read; 0 as long as none has one. */
static ms_exit measure_inputs(job *j)
{
    const char *first = NULL;
    ms_exit code = MS_EXIT_DONE;
    for (uint32_t b = 0; !code && b < j->info.buffer_count; b++) {
        uint64_t count;
        if (!j->paths[b] || j->info.buffers[b].role == MSW_ROLE_OUT) continue;
        code = ms_array_measure(j->paths[b], &j->info.buffers[b].type, is_flat(j, b), &count);
        if (!code && count != MS_SIZE_UNKNOWN) code = take_count(j, b, count, &first);
    }
    return code;
}

static ms_exit load_inputs(job *j)
{
    const msw_plan *plan = msw_kernel_plan(j->kernel);
    const uint64_t n_max = plan && plan->variant_count ? plan->variants[plan->variant_count - 1].n_max : UINT64_MAX;
    const char *first = NULL;
    ms_exit code = MS_EXIT_DONE;
    for (uint32_t b = 0; !code && b < j->info.buffer_count; b++) {
        if (j->info.buffers[b].role == MSW_ROLE_OUT) continue;
        if (j->arrays[b].data && !j->paths[b]) continue; /* a uniform */
        free(j->arrays[b].data);
        code = j->paths[b] ? ms_array_load(j->paths[b], &j->info.buffers[b].type, is_flat(j, b),
                                           j->info.buffers[b].length == MSW_LENGTH_N ? n_max : UINT64_MAX, &j->arrays[b])
                           : ms_uniform_read(j->options, &j->info, b, &j->arrays[b]);
        if (!code) code = take_count(j, b, j->arrays[b].count, &first);
    }
    for (uint32_t b = 0; !code && b < j->info.buffer_count; b++)
        if (j->info.buffers[b].role == MSW_ROLE_IN && msw_given_by(j->info.buffers[b].length) >= 0) {
            code = take_offsets(j, b, j->arrays[b].count);
            if (!code) code = check_offsets(j, b);
        }
    return code;
}

static ms_exit make_outputs(job *j)
{
    for (uint32_t b = 0; b < j->info.buffer_count; b++) {
        const msw_op_buffer *buffer = &j->info.buffers[b];
        if (buffer->role != MSW_ROLE_OUT) continue;
        const ms_exit code = ms_array_make(buffer->name, &buffer->type, ms_array_elements(&j->info, j->arrays, b, j->n), &j->arrays[b]);
        if (code) return code;
    }
    return MS_EXIT_DONE;
}

static uint64_t number_in(const job *j, uint32_t b)
{
    uint64_t number;
    memcpy(&number, j->arrays[b].data, sizeof number);
    return number;
}

/* Outputs of which only the first elements mean something have those alone. */
static void take_counts(job *j)
{
    for (uint32_t b = 0; b < j->info.buffer_count; b++) {
        const uint32_t length = j->info.buffers[b].length, counter = j->info.counters[b];
        if (counter && number_in(j, counter - 1) < j->arrays[b].count) j->arrays[b].count = number_in(j, counter - 1);
        if (msw_counted_by(length) < 0) continue;
        j->arrays[b].count = msw_counted_elements(length, j->n, number_in(j, (uint32_t)msw_counted_by(length)));
    }
    if (!j->info.item_count) return;
    const uint64_t count = number_in(j, j->info.item_count);
    if (count < j->arrays[j->info.items].count) j->arrays[j->info.items].count = count;
}

enum { MOST_ITEMS = INT32_MAX /* of a capacity */ };

/* The same of the appends of a pipeline, whose items may be no outputs; their numbers are. */
static ms_exit check_stages_room(const job *j)
{
    for (uint32_t s = 0; s < j->info.stage_count; s++) {
        msw_stage_info stage = {.struct_size = sizeof stage};
        msw_op_info info = {.struct_size = sizeof info};
        if (msw_spec_stage(j->spec, j->op, s, &stage) || msw_spec_op(j->spec, stage.op, &info) || !info.item_count) continue;
        const uint32_t counter = stage.arrays[info.item_count];
        if (counter >= j->info.buffer_count) continue;
        const uint64_t count = number_in(j, counter), room = msw_elements(info.buffers[info.items].length, msw_elements(stage.length, j->n));
        if (count > room)
            return ms_complain(MS_EXIT_FAILED, "%s: %llu items, room for %llu: the others are lost; set capacity in the spec, or split the input",
                               info.name, (unsigned long long)count, (unsigned long long)room);
    }
    return MS_EXIT_DONE;
}

/* Items for which there is no room are lost, and nobody who has the file sees it: what was asked for is not there. */
static ms_exit check_room(const job *j)
{
    if (j->info.stage_count) return check_stages_room(j);
    if (!j->info.item_count || (!j->paths[j->info.items] && !j->options->verify)) return MS_EXIT_DONE; /* only their number was asked for */
    const uint64_t count = number_in(j, j->info.item_count), room = j->arrays[j->info.items].count;
    if (count <= room) return MS_EXIT_DONE;
    char advice[64] = "no array has so many, split the input";
    if (count <= MOST_ITEMS) snprintf(advice, sizeof advice, "set capacity = %llu in the spec, or more", (unsigned long long)count);
    return ms_complain(MS_EXIT_FAILED, "%s: %llu items, room for %llu: '%s' lacks the others; %s", j->info.name, (unsigned long long)count,
                       (unsigned long long)room, j->info.buffers[j->info.items].name, advice);
}

static ms_exit write_outputs(job *j)
{
    for (uint32_t b = 0; b < j->info.buffer_count; b++) {
        if (j->info.buffers[b].role != MSW_ROLE_OUT || !j->paths[b]) continue;
        const ms_exit code = ms_array_stage(&j->arrays[b], &j->info.buffers[b].type, j->paths[b], &j->stage);
        if (code) return code;
    }
    return ms_stage_commit(&j->stage);
}

/* ---- running ---- */

static int is_on_host(const job *j) { return msw_context_device(j->context)->backend == MSW_BACKEND_HOST; }

static msw_kernel_desc kernel_desc(const job *j)
{
    return (msw_kernel_desc){
        .struct_size = sizeof(msw_kernel_desc),
        .spec = j->spec,
        .op = j->info.name,
        .knobs = j->options->knobs,
        .knob_count = j->options->knob_count,
        .tuning = j->options->tuning_text,
        .tuning_name = j->options->tuning_path,
    };
}

/* Of n alone; verification runs more, which then compiles what it takes. */
static ms_exit make_kernel(job *j)
{
    msw_diag diag;
    msw_kernel_desc desc = kernel_desc(j);
    desc.first_n = j->n ? j->n : 1;
    desc.rest = MSW_REST_WHEN_ASKED;
    return msw_kernel_create(j->context, &desc, &j->kernel, &diag) ? ms_complain_diag(&diag) : MS_EXIT_DONE;
}

/* Whether the device and this machine have what n takes: the arrays are here, on a device that is a CPU once more, and outputs that are verified
 * again. */
static ms_exit check_limits(const job *j)
{
    const msw_device_info *device = msw_context_device(j->context);
    const double memory_bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double bytes = 0;
    msw_diag diag;
    if (msw_plan_serves(msw_kernel_plan(j->kernel), device, j->n, &diag)) return ms_complain_diag(&diag);
    for (uint32_t b = 0; b < j->info.buffer_count; b++) {
        const msw_op_buffer *buffer = &j->info.buffers[b];
        const double array_bytes = (double)ms_array_elements(&j->info, j->arrays, b, j->n) * buffer->type.size_bytes;
        bytes += array_bytes * (1 + (device->target.is_cpu != 0) + (buffer->role == MSW_ROLE_OUT && j->options->verify));
    }
    if (bytes <= memory_bytes) return MS_EXIT_DONE;
    return ms_complain(MS_EXIT_FAILED, "%s: n = %llu takes %.0f bytes of this machine's memory, which has %.0f; split the input", j->info.name,
                       (unsigned long long)j->n, bytes, memory_bytes);
}

static ms_exit execute(job *j)
{
    const void *inputs[MSW_MAX_BUFFERS];
    void *outputs[MSW_MAX_BUFFERS];
    uint32_t input_count = 0, output_count = 0;
    double seconds[MS_MAX_ROUNDS];
    const int rounds = j->options->rounds ? (int)j->options->rounds : 1;
    msw_diag diag;
    for (uint32_t b = 0; b < j->info.buffer_count; b++) {
        if (j->info.buffers[b].role == MSW_ROLE_OUT) outputs[output_count++] = j->arrays[b].data;
        else inputs[input_count++] = j->arrays[b].data;
    }
    /* A driver may compile a kernel when it first runs: the later runs are those that count. */
    for (int run = is_on_host(j) ? 0 : -1; run < rounds; run++)
        if (msw_kernel_run_host(j->kernel, j->n, inputs, outputs, &seconds[run < 0 ? 0 : run], &diag)) return ms_complain_diag(&diag);
    j->seconds = ms_median(seconds, (uint32_t)rounds);
    take_counts(j);
    return MS_EXIT_DONE;
}

/* A pipeline whose results are rounded, or of which timing decides over something, is verified stage by stage, by what another run has read and
 * written: these results are the ones that are told. */
static ms_exit verify_stages(job *j)
{
    const msw_kernel_desc desc = kernel_desc(j);
    const ms_stages_run run = {j->context, j->spec, j->op, &j->info, &desc, j->kernel, j->arrays, j->n};
    for (uint32_t b = 0; b < j->info.buffer_count; b++) j->arrays[b].count = ms_array_elements(&j->info, j->arrays, b, j->n);
    const ms_exit code = ms_stages_run_all(&run);
    if (code) return code;
    take_counts(j);
    return ms_stages_verify(&run, &j->report, &j->report_text);
}

static ms_exit verify(job *j)
{
    if (!is_on_host(j) && ms_stages_are_judged(j->spec, j->op, &j->info)) return verify_stages(j);
    char advice[1200];
    const ms_judged device = {"", ms_device_advice(&j->info, advice)};
    const void *uniforms[MSW_MAX_BUFFERS];
    const msw_verification_desc desc = {.struct_size = sizeof desc,
                                        .spec = j->spec,
                                        .op = j->op,
                                        .backend = msw_context_device(j->context)->backend,
                                        .uniforms = ms_uniforms(&j->info, j->arrays, uniforms)};
    const msw_kernel_desc kernel = kernel_desc(j);
    msw_diag diag;
    if (msw_verification_create(&desc, &j->verification, &diag)) return ms_complain_diag(&diag);
    ms_exit code = ms_probe(j->verification, j->context, j->kernel, &kernel, j->n, &j->structure);
    if (!code) code = ms_expect(j->verification, &j->info, j->n, j->arrays);
    return code ? code : ms_judge(j->verification, &j->info, j->arrays, &j->structure, &device, &j->report);
}

static ms_exit dump_program(job *j)
{
    ms_options options = *j->options;
    ms_programs programs = {0};
    options.op = j->info.name;
    ms_exit code = MS_EXIT_DONE;
    if (strcmp(options.dump, "spec")) code = ms_make_programs(&options, j->spec, &msw_context_device(j->context)->target, &programs);
    if (!code) code = ms_dump(options.dump, j->spec, &programs);
    ms_programs_release(&programs);
    return code;
}

/* ---- the summary ---- */

static double moved_bytes(const job *j)
{
    double bytes = 0;
    for (uint32_t b = 0; b < j->info.buffer_count; b++)
        bytes += (double)ms_moved_elements(&j->info.buffers[b], j->n, j->arrays[b].count) * j->info.buffers[b].type.size_bytes;
    return bytes;
}

static const char *first_output(const job *j)
{
    uint32_t b = 0;
    while (j->info.buffers[b].role == MSW_ROLE_IN) b++;
    return j->info.buffers[b].name;
}

static void print_summary(const job *j)
{
    const msw_device_info *device = msw_context_device(j->context);
    const int has_keys = (int)ms_kind_of(&j->info).has_keys;
    char time[MS_UNIT_BYTES], rate[MS_UNIT_BYTES];
    ms_format_unit(j->seconds, "s", time);
    ms_format_unit((has_keys ? (double)j->n : moved_bytes(j)) / j->seconds, has_keys ? "keys/s" : "B/s", rate);
    fprintf(stderr, "%s: %s (%s), n = %llu, %s", j->info.name, device->id, device->name, (unsigned long long)j->n, time);
    if (j->seconds > 0 && j->n) fprintf(stderr, ", %s", rate);
    if (j->report.text && j->report.verdict != MSW_VERIFIED) fprintf(stderr, j->report.verdict == MSW_FAILED ? ", wrong" : ", not verified");
    else if (j->report.text) fprintf(stderr, ", verified%s", j->report.is_bitwise && !j->info.law_warning ? " bit for bit" : "");
    if (!j->options->output_count && !j->options->verify)
        fprintf(stderr, "; nothing was written: add --output %s=FILE, or --verify", first_output(j));
    fprintf(stderr, "\n");
    if (j->report.text && !j->report.is_bitwise) ms_print_report(stderr, &j->report);
}

/* Numbers of results, by the outputs that have them, and how many items there is room for. */
static void print_counts(const job *j)
{
    int is_first = 1;
    for (uint32_t b = 0; b < j->info.buffer_count; b++) {
        int is_count = j->info.item_count && b == j->info.item_count;
        for (uint32_t other = 0; other < j->info.buffer_count; other++) is_count |= msw_counted_by(j->info.buffers[other].length) == (int)b;
        if (!is_count) continue;
        printf("%s\"%s\": %llu", is_first ? ", \"counts\": {" : ", ", j->info.buffers[b].name, (unsigned long long)number_in(j, b));
        is_first = 0;
    }
    if (!is_first) printf("}");
    if (j->info.item_count) printf(", \"room\": %llu", (unsigned long long)ms_array_elements(&j->info, j->arrays, j->info.items, j->n));
}

static void print_json(const job *j)
{
    const msw_device_info *device = msw_context_device(j->context);
    printf("{\"operation\": \"%s\", \"device\": \"%s\", \"name\": ", j->info.name, device->id);
    ms_print_json_string(stdout, device->name);
    printf(", \"n\": %llu, \"seconds\": %.9g, \"bytes\": %.0f", (unsigned long long)j->n, j->seconds, moved_bytes(j));
    if (j->seconds > 0) printf(", \"gb_per_s\": %.6g", moved_bytes(j) / j->seconds * 1e-9);
    if (j->seconds > 0 && ms_kind_of(&j->info).has_keys) printf(", \"gkeys_per_s\": %.6g", (double)j->n / j->seconds * 1e-9);
    print_counts(j);
    if (j->report.text) ms_print_report_json(stdout, &j->info, &j->report);
    else printf(", \"verified\": null");
    printf("}\n");
}

/* ---- the command ---- */

static ms_exit run_job(job *j)
{
    const ms_options *options = j->options;
    const int has_files = options->input_count || options->output_count || options->sizes;
    char cache[4096];
    ms_exit code = ms_open_spec(options, &j->spec);
    if (!code) code = ms_find_operation(options, j->spec, &j->op);
    if (!code) code = ms_read_operation(j->spec, j->op, &j->info);
    if (!code && (has_files || !options->dump)) code = check_files(j);
    if (!code && has_files) code = measure_inputs(j);
    if (!code && has_files) code = try_outputs(j);
    if (!code) code = ms_open_context(options, ms_cache_dir(options, cache, sizeof cache), &j->context);
    if (!code && has_files) code = make_kernel(j);
    if (!code && has_files) code = check_limits(j);
    if (!code && has_files) code = load_inputs(j);
    if (!code && has_files) code = make_outputs(j);
    if (!code && has_files) code = execute(j);
    if (!code && has_files && options->verify) code = verify(j);
    const int is_judged = j->report.text != NULL; /* then it is told, whatever came of it */
    if (!code && options->dump) code = dump_program(j);
    if (!code && has_files) code = write_outputs(j);
    if ((!code || is_judged) && has_files && !options->quiet) print_summary(j);
    if ((!code || is_judged) && has_files && options->json) print_json(j);
    if (!code && has_files) code = check_room(j);
    if (code || !is_judged || j->report.verdict == MSW_VERIFIED) return code;
    return ms_complain(MS_EXIT_FAILED, "%s: not verified: nothing wrong was found, but too little is known of these results; %s", j->info.name,
                       ms_data_advice(&j->info, j->n, &j->report));
}

ms_exit ms_run_command(const ms_options *options)
{
    job *j = calloc(1, sizeof *j);
    if (!j) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    j->options = options;
    const ms_exit code = run_job(j);
    ms_stage_release(&j->stage);
    for (int b = 0; b < MSW_MAX_BUFFERS; b++) free(j->arrays[b].data);
    msw_verification_destroy(j->verification);
    msw_kernel_destroy(j->kernel);
    msw_context_destroy(j->context);
    msw_spec_destroy(j->spec);
    free(j->report_text);
    free(j);
    return code;
}
