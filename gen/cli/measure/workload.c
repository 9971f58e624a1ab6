#include "workload.h"

#include "baseline_copy.h"
#include "stages.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double most_warming_seconds = 2;

enum { LOOP_ROUNDS = 3, LOOP_ITEMS = 256 }; /* of loops: rounds, elements that are verified where floats round */

/* Of pipelines that are verified stage by stage: elements that are, in any case, and how many times as long as the oracle that takes (softmax,
 * 2^18: 4). */
enum { STAGES_FIRST_ITEMS = 1 << 16 };
static const double stages_judged_factor = 4;

enum { BENCHED_SEGMENT = 64 }; /* elements of a segment, on average, where nobody says how many segments there are */

/* As many as the spec has room for, at most. */
static uint64_t benched_segments(const ms_workload *s, uint64_t n)
{
    const uint64_t segments = n / BENCHED_SEGMENT + 1, most = s->info.most_segments;
    return most && segments > most ? most : segments;
}

/* Elements in buffer b of n. */
static uint64_t elements_of(const ms_workload *s, uint32_t b, uint64_t n)
{
    const int by = msw_given_by(s->info.buffers[b].length);
    if (by < 0) return msw_elements(s->info.buffers[b].length, n);
    if (!ms_counts_segments(&s->info, (uint32_t)by) || ms_uniform_is_given(s->options, s->info.buffers[by].name))
        return ms_array_elements(&s->info, s->inputs, b, n);
    return msw_elements_given(s->info.buffers[b].length, n, benched_segments(s, n));
}

/* Offsets ascend to n, whatever it is; a failure shows when results are verified. */
static void fill_offsets(ms_workload *s, uint64_t n)
{
    for (uint32_t b = 0; b < s->info.buffer_count; b++) {
        const int by = msw_given_by(s->info.buffers[b].length);
        msw_diag diag;
        if (s->info.buffers[b].role != MSW_ROLE_IN || by < 0 || !s->inputs[b].data) continue;
        const uint64_t count = elements_of(s, b, n), segments = count - 1;
        s->inputs[b].count = count;
        ms_fill_offsets(&s->inputs[b], n);
        memcpy(s->inputs[by].data, &segments, sizeof segments);
        msw_buffer_write(s->buffers[b], 0, s->inputs[b].data, count * sizeof segments, &diag);
        msw_buffer_write(s->buffers[by], 0, &segments, sizeof segments, &diag);
    }
}

double ms_workload_bytes(const ms_workload *s, uint64_t n)
{
    double bytes = 0;
    for (uint32_t b = 0; b < s->info.buffer_count; b++) {
        const uint64_t elements = n == s->counted_n ? s->counted[b] : elements_of(s, b, n);
        bytes += (double)ms_moved_elements(&s->info.buffers[b], n, elements) * s->info.buffers[b].type.size_bytes;
    }
    return bytes;
}

/* Of all arrays, whole. */
static double array_bytes(const ms_workload *s, uint64_t n)
{
    double bytes = 0;
    for (uint32_t b = 0; b < s->info.buffer_count; b++) bytes += (double)elements_of(s, b, n) * s->info.buffers[b].type.size_bytes;
    return bytes;
}

/* What was written of outputs that are counted: their numbers have come. */
static void count_elements(ms_workload *s, uint64_t n)
{
    s->counted_n = n;
    for (uint32_t b = 0; b < s->info.buffer_count; b++) {
        const int by = msw_counted_by(s->info.buffers[b].length);
        uint64_t count = 0;
        if (by >= 0) memcpy(&count, s->got[by].data, sizeof count);
        s->counted[b] = by < 0 ? elements_of(s, b, n) : msw_counted_elements(s->info.buffers[b].length, n, count);
    }
    if (s->info.items) { /* of its array what has items */
        memcpy(&s->items, s->got[s->info.item_count].data, sizeof s->items);
        if (s->items < s->counted[s->info.items]) s->counted[s->info.items] = s->items;
    }
}

/* Four times the arrays on the host: data, what is known and expected, what is got; a loop's sort has half as much on its way. Twice on the device,
 * for memcpy's. */
int ms_workload_fits(const ms_workload *s, uint64_t n)
{
    const msw_device_info *device = msw_context_device(s->context);
    const double bytes = array_bytes(s, n), host = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    uint32_t largest = 0;
    for (uint32_t b = 0; b < s->info.buffer_count; b++)
        if (s->info.buffers[b].type.size_bytes > largest) largest = s->info.buffers[b].type.size_bytes;
    return 2 * bytes <= 0.9 * (double)device->memory_bytes && (double)n * largest <= (double)device->max_allocation_bytes &&
           bytes / 2 + 1 <= (double)device->max_allocation_bytes && (device->target.is_cpu ? 6.5 : 4.5) * bytes <= 0.7 * host;
}

/* What cannot be planned is told when its kernel is made; the host has no plan. */
uint32_t ms_workload_served(const ms_workload *s, const uint64_t *sizes, uint32_t count, msw_diag *diag)
{
    const msw_device_info *device = msw_context_device(s->context);
    const msw_program_desc desc = {.struct_size = sizeof desc,
                                   .op = s->op,
                                   .target = &device->target,
                                   .knobs = s->options->knobs,
                                   .knob_count = s->options->knob_count,
                                   .tuning = s->options->tuning_text,
                                   .tuning_name = s->options->tuning_path};
    msw_program *program = NULL;
    msw_diag why;
    uint32_t served = 0;
    if (device->backend == MSW_BACKEND_HOST || msw_program_create(s->spec, &desc, &program, NULL)) return count;
    while (served < count && !msw_plan_serves(msw_program_plan(program), device, sizes[served], &why)) served++;
    if (served < count && diag) *diag = why;
    msw_program_destroy(program);
    return served;
}

static ms_exit open_buffer(ms_workload *s, uint32_t b)
{
    const msw_op_buffer *buffer = &s->info.buffers[b];
    const uint64_t count = elements_of(s, b, s->n_max), bytes = count * buffer->type.size_bytes;
    const ms_entropy *keys = ms_kind_of(&s->info).has_keys && b == 0 ? s->entropy : NULL;
    msw_diag diag;
    if (msw_buffer_create(s->context, bytes, &s->buffers[b], &diag)) return ms_complain_diag(&diag);
    ms_array *array = buffer->role == MSW_ROLE_OUT ? &s->got[b] : &s->inputs[b];
    const int is_uniform = buffer->role == MSW_ROLE_UNIFORM;
    const int is_read = is_uniform && (!ms_counts_segments(&s->info, b) || ms_uniform_is_given(s->options, buffer->name));
    const ms_exit code = is_read ? ms_uniform_read(s->options, &s->info, b, array) : ms_array_make(buffer->name, &buffer->type, count, array);
    if (code || buffer->role == MSW_ROLE_OUT) return code;
    if (!is_uniform) ms_fill(array, &buffer->type, b, keys);
    return msw_buffer_write(s->buffers[b], 0, s->inputs[b].data, bytes, &diag) ? ms_complain_diag(&diag) : MS_EXIT_DONE;
}

ms_exit ms_workload_open(ms_workload *s, uint64_t n_max)
{
    ms_exit code = MS_EXIT_DONE;
    msw_diag diag;
    s->n_max = n_max;
    for (uint32_t b = s->info.buffer_count; !code && b-- > 0;) code = open_buffer(s, b); /* uniforms, the last, say how long others are */
    const uint64_t half = code ? 0 : (uint64_t)(ms_workload_bytes(s, n_max) / 2) + 1;
    for (int c = 0; !code && c < 2; c++)
        if (msw_buffer_create(s->context, half, &s->copies[c], &diag)) code = ms_complain_diag(&diag);
    return code;
}

void ms_way_release(ms_way *way)
{
    msw_kernel_destroy(way->kernel);
    msw_buffer_destroy(way->scratch);
    ms_loop_destroy(way->loop);
    *way = (ms_way){0};
}

void ms_workload_release(ms_workload *s)
{
    for (uint32_t w = 0; w < s->way_count; w++) ms_way_release(&s->ways[w]);
    s->way_count = 0;
    for (int c = 0; c < 2; c++) msw_buffer_destroy(s->copies[c]), s->copies[c] = NULL;
    msw_verification_destroy(s->verification);
    msw_verification_destroy(s->of_loop);
    s->verification = s->of_loop = NULL;
    for (uint32_t b = 0; b < s->info.buffer_count; b++) {
        msw_buffer_destroy(s->buffers[b]);
        free(s->inputs[b].data);
        free(s->expected[b].data);
        free(s->got[b].data);
        s->buffers[b] = NULL;
        s->inputs[b] = s->expected[b] = s->got[b] = (ms_array){0};
    }
}

/* ---- ways ---- */

ms_way *ms_workload_add(ms_workload *s, const char *name, ms_way_kind kind)
{
    if (s->way_count == MS_MAX_WAYS) return NULL;
    ms_way *way = &s->ways[s->way_count++];
    *way = (ms_way){.name = name, .kind = kind, .result = "-"};
    return way;
}

void ms_workload_add_missing(ms_workload *s, const char *name, const char *why)
{
    ms_way *way = ms_workload_add(s, name, MS_WAY_KERNEL);
    if (!way) return;
    way->is_out = 1;
    snprintf(way->why, sizeof way->why, "%s", why);
}

const ms_way *ms_way_find(const ms_workload *s, const char *name)
{
    for (const ms_way *way = s->ways; way < s->ways + s->way_count; way++)
        if (!strcmp(way->name, name)) return way;
    return NULL;
}

static msw_kernel_desc kernel_desc(const ms_workload *s, const msw_knob *knobs, uint32_t knob_count)
{
    return (msw_kernel_desc){.struct_size = sizeof(msw_kernel_desc),
                             .spec = s->spec,
                             .op = s->info.name,
                             .knobs = knobs,
                             .knob_count = knob_count,
                             .tuning = s->options->tuning_text,
                             .tuning_name = s->options->tuning_path};
}

/* Each stage is verified by itself, as `run --verify` does: nobody else knows what rounded numbers, or elements in any order, become. */
static int is_judged_by_stages(const ms_workload *s)
{
    return msw_context_device(s->context)->backend != MSW_BACKEND_HOST && ms_stages_are_judged(s->spec, s->op, &s->info);
}

static ms_exit open_verification(ms_workload *s, uint32_t backend, msw_verification **verification)
{
    const void *uniforms[MSW_MAX_BUFFERS];
    const msw_verification_desc desc = {
        .struct_size = sizeof desc, .spec = s->spec, .op = s->op, .backend = backend, .uniforms = ms_uniforms(&s->info, s->inputs, uniforms)};
    msw_diag diag;
    return !*verification && msw_verification_create(&desc, verification, &diag) ? ms_complain_diag(&diag) : MS_EXIT_DONE;
}

static ms_exit open_own_verification(ms_workload *s) { return open_verification(s, msw_context_device(s->context)->backend, &s->verification); }

void ms_workload_probe(ms_workload *s, ms_way *way, const msw_knob *knobs, uint32_t knob_count, int is_quiet)
{
    const msw_kernel_desc desc = kernel_desc(s, knobs, knob_count);
    if (is_judged_by_stages(s)) return; /* each stage's is, with its results */
    if (open_own_verification(s) || ms_probe(s->verification, s->context, way->kernel, &desc, s->n_max, &way->structure)) way->result = "failed";
    else if (way->structure.verdict == MSW_FAILED) {
        char advice[1200];
        way->result = "wrong";
        if (!is_quiet)
            ms_complain(MS_EXIT_FAILED, "verification failed: %s: %s; %s", way->name, way->structure.text, ms_device_advice(&s->info, advice));
    }
}

/* After an attempt to make its kernel: the scratch, or nothing of it. */
static ms_way *keep_way(ms_workload *s, ms_way *way, double start, msw_result result, msw_diag *diag)
{
    way->create_seconds = ms_now() - start;
    const uint64_t bytes = result ? 0 : msw_scratch_bytes(msw_kernel_plan(way->kernel), s->n_max);
    if (bytes) result = msw_buffer_create(s->context, bytes, &way->scratch, diag);
    if (!result) return way;
    ms_way_release(way);
    s->way_count--;
    return NULL;
}

ms_way *ms_workload_add_kernel(ms_workload *s, const char *name, const msw_knob *knobs, uint32_t knob_count, msw_diag *diag)
{
    const msw_kernel_desc desc = kernel_desc(s, knobs, knob_count);
    ms_way *way = ms_workload_add(s, name, MS_WAY_KERNEL);
    if (!way) return NULL;
    const double start = ms_now();
    way = keep_way(s, way, start, msw_kernel_create(s->context, &desc, &way->kernel, diag), diag);
    if (way && !s->is_probed_late) ms_workload_probe(s, way, knobs, knob_count, 0);
    return way;
}

ms_way *ms_workload_add_planned(ms_workload *s, const char *name, const msw_target *target, const msw_knob *knobs, uint32_t knob_count,
                                msw_diag *diag)
{
    const msw_program_desc desc = {.struct_size = sizeof desc,
                                   .op = s->op,
                                   .target = target,
                                   .knobs = knobs,
                                   .knob_count = knob_count,
                                   .tuning = s->options->tuning_text,
                                   .tuning_name = s->options->tuning_path};
    msw_program *program = NULL;
    ms_way *way = ms_workload_add(s, name, MS_WAY_KERNEL);
    if (!way) return NULL;
    const double start = ms_now();
    msw_result result = msw_program_create(s->spec, &desc, &program, diag);
    if (!result) result = msw_program_compile(program, diag);
    if (!result) result = msw_kernel_load(s->context, msw_program_plan(program), &way->kernel, diag);
    msw_program_destroy(program);
    return keep_way(s, way, start, result, diag);
}

msw_result ms_workload_add_copies(ms_workload *s, msw_diag *diag)
{
    msw_kernel *kernel;
    ms_workload_add(s, "memcpy", MS_WAY_MEMCPY);
    const double start = ms_now();
    const msw_result result = ms_copy_create(s->context, &kernel, diag);
    if (!kernel) return result;
    ms_way *way = ms_workload_add(s, "copy kernel", MS_WAY_MEMCPY);
    way->kernel = kernel;
    way->create_seconds = ms_now() - start;
    return result;
}

/* A loop and how many arrays it reads and writes. */
typedef struct probed_loop {
    ms_loop *loop;
    uint32_t counts[3]; /* by msw_role */
} probed_loop;

static msw_result run_loop_on(void *user, uint64_t n, const void *const *inputs, void *const *outputs, msw_diag *diag)
{
    const probed_loop *probed = user;
    void *buffers[MSW_MAX_BUFFERS];
    (void)diag;
    const uint32_t in = probed->counts[MSW_ROLE_IN], out = probed->counts[MSW_ROLE_OUT];
    for (uint32_t i = 0; i < in; i++) buffers[i] = (void *)(uintptr_t)inputs[i];
    for (uint32_t o = 0; o < out; o++) buffers[in + o] = outputs[o];
    for (uint32_t u = 0; u < probed->counts[MSW_ROLE_UNIFORM]; u++) buffers[in + out + u] = (void *)(uintptr_t)inputs[in + u];
    ms_loop_run(probed->loop, n, buffers);
    return MSW_OK;
}

/* As kernels are: of its states, where the operation hides them. */
static int probe_loop(ms_workload *s, ms_way *way, msw_diag *diag)
{
    if (s->info.is_bit_exact || !s->info.carry.size_bytes) return 0;
    if (open_verification(s, MSW_BACKEND_AUTO, &s->of_loop)) return -1;
    msw_spec *of_states = msw_verification_state_spec(s->of_loop);
    ms_loop *states = of_states ? ms_loop_create(of_states, 0, LOOP_ITEMS, diag) : NULL;
    probed_loop own = {.loop = way->loop}, of_state = {states, {1, 1}};
    for (uint32_t b = 0; b < s->info.buffer_count; b++) own.counts[s->info.buffers[b].role]++;
    const msw_probe_desc probe = {
        .struct_size = sizeof probe, .run = run_loop_on, .user = &own, .run_state = states ? run_loop_on : NULL, .state_user = &of_state};
    way->structure = (msw_structure){.struct_size = sizeof way->structure};
    const int has_failed = (of_states && !states) || msw_verification_probe(s->of_loop, &probe, &way->structure, diag);
    ms_loop_destroy(states);
    return has_failed ? -1 : 0;
}

ms_way *ms_workload_add_loop(ms_workload *s, const char *name, msw_diag *diag)
{
    ms_way *way = ms_workload_add(s, name, MS_WAY_LOOP);
    if (!way) return NULL;
    const double start = ms_now();
    way->loop = ms_loop_create(s->spec, s->op, s->n_max, diag);
    way->create_seconds = ms_now() - start;
    if (way->loop && !probe_loop(s, way, diag)) return way;
    ms_way_release(way);
    s->way_count--;
    return NULL;
}

static double run_loop(const ms_workload *s, const ms_way *way, uint64_t n)
{
    void *buffers[MSW_MAX_BUFFERS];
    for (uint32_t b = 0; b < s->info.buffer_count; b++) buffers[b] = s->info.buffers[b].role == MSW_ROLE_OUT ? s->got[b].data : s->inputs[b].data;
    return ms_loop_run(way->loop, n, buffers);
}

static msw_enqueue_desc enqueue_desc(const ms_workload *s, const ms_way *way, uint64_t n, int is_first)
{
    msw_enqueue_desc desc = {.struct_size = sizeof desc, .flags = is_first ? MSW_SCRATCH_DIRTY : 0, .n = n};
    for (uint32_t b = 0; b < s->info.buffer_count; b++) desc.buffers[b] = msw_buffer_address(s->buffers[b]);
    if (way->scratch) {
        desc.scratch = msw_buffer_address(way->scratch);
        desc.scratch_bytes = msw_scratch_bytes(msw_kernel_plan(way->kernel), s->n_max);
    }
    return desc;
}

static double run_kernel(const ms_workload *s, const ms_way *way, uint64_t n, int is_first, msw_diag *diag)
{
    const msw_enqueue_desc desc = enqueue_desc(s, way, n, is_first);
    double seconds = -1;
    return msw_kernel_run(way->kernel, &desc, &seconds, diag) ? -1 : seconds;
}

double ms_way_run(ms_workload *s, ms_way *way, uint64_t n, int is_first, msw_diag *diag)
{
    if (way->kind == MS_WAY_KERNEL) return run_kernel(s, way, n, is_first, diag);
    if (way->kind == MS_WAY_ORACLE) return s->oracle_seconds;
    if (way->kind == MS_WAY_LOOP) return run_loop(s, way, n);
    return ms_copy(way->kernel, s->copies[1], s->copies[0], (uint64_t)(ms_workload_bytes(s, n) / 2), diag);
}

/* ---- verification ---- */

static void resize(const ms_workload *s, ms_array *arrays, uint64_t n, int is_output)
{
    for (uint32_t b = 0; b < s->info.buffer_count; b++)
        if ((s->info.buffers[b].role == MSW_ROLE_OUT) == is_output) arrays[b].count = elements_of(s, b, n);
}

static void forget_expected(ms_workload *s)
{
    for (uint32_t b = 0; b < s->info.buffer_count; b++) {
        free(s->expected[b].data);
        s->expected[b] = (ms_array){0};
    }
}

/* The arrays are of n elements; all of them, in the operation's order. */
static void take_arrays(ms_workload *s, uint64_t n, ms_array arrays[MSW_MAX_BUFFERS])
{
    fill_offsets(s, n);
    resize(s, s->got, n, 1);
    resize(s, s->inputs, n, 0);
    for (uint32_t b = 0; b < s->info.buffer_count; b++) arrays[b] = s->info.buffers[b].role == MSW_ROLE_OUT ? s->got[b] : s->inputs[b];
}

/* Times one evaluation; what is got is overwritten. */
static ms_exit time_oracle(ms_workload *s, uint64_t n, const ms_array *arrays)
{
    const void *inputs[MSW_MAX_BUFFERS];
    void *outputs[MSW_MAX_BUFFERS];
    uint32_t input_count = 0, output_count = 0;
    msw_diag diag;
    for (uint32_t b = 0; b < s->info.buffer_count; b++) {
        if (s->info.buffers[b].role == MSW_ROLE_OUT) outputs[output_count++] = arrays[b].data;
        else inputs[input_count++] = arrays[b].data;
    }
    const double start = ms_now();
    const msw_result result = msw_spec_evaluate(s->spec, s->op, n, inputs, outputs, NULL, NULL, &diag);
    s->oracle_seconds = ms_now() - start;
    return result ? ms_complain_diag(&diag) : MS_EXIT_DONE;
}

/* 0: it is no pipeline, n is 0, or the device has no room by estimate; the host has no kernels. */
static double predict(const ms_workload *s, uint64_t n)
{
    const msw_device_info *device = msw_context_device(s->context);
    const msw_program_desc desc = {.struct_size = sizeof desc,
                                   .op = s->op,
                                   .target = &device->target,
                                   .tuning = s->options->tuning_text,
                                   .tuning_name = s->options->tuning_path};
    double seconds = 0;
    if (s->info.stage_count && device->backend != MSW_BACKEND_HOST) msw_spec_predict(s->spec, &desc, n, &seconds, NULL);
    return seconds;
}

/* Stage by stage: the oracle's time tells whether all n elements are verified. */
static ms_exit expect_stages(ms_workload *s, uint64_t n, double most_seconds, ms_array *arrays)
{
    s->verified_n = n < STAGES_FIRST_ITEMS ? n : STAGES_FIRST_ITEMS;
    take_arrays(s, s->verified_n, arrays);
    ms_exit code = time_oracle(s, s->verified_n, arrays);
    const double factor = s->verified_n ? (double)n / (double)s->verified_n : 1;
    s->is_beyond = s->oracle_seconds * factor * stages_judged_factor > most_seconds;
    take_arrays(s, n, arrays);
    if (!code && !s->is_beyond && n > s->verified_n) code = time_oracle(s, n, arrays);
    return code;
}

ms_exit ms_workload_expect(ms_workload *s, uint64_t n, double most_seconds)
{
    ms_array arrays[MSW_MAX_BUFFERS];
    const double factor = s->verified_n ? (double)n / (double)s->verified_n : 1;
    s->predicted_seconds = predict(s, n);
    take_arrays(s, n, arrays);
    forget_expected(s);
    if (is_judged_by_stages(s)) return expect_stages(s, n, most_seconds, arrays);
    s->is_beyond = s->expect_seconds * factor > most_seconds;
    ms_exit code = open_own_verification(s);
    if (code || s->is_beyond) return code;
    if (!msw_verification_is_bitwise(s->verification)) code = time_oracle(s, n, arrays);
    const double start = ms_now();
    if (!code) code = ms_expect(s->verification, &s->info, n, arrays);
    s->expect_seconds = ms_now() - start;
    if (msw_verification_is_bitwise(s->verification)) s->oracle_seconds = s->expect_seconds;
    s->verified_n = n;
    return code;
}

static ms_exit read_outputs(ms_workload *s, msw_diag *diag)
{
    for (uint32_t b = 0; b < s->info.buffer_count; b++)
        if (s->info.buffers[b].role == MSW_ROLE_OUT &&
            msw_buffer_read(s->buffers[b], 0, s->got[b].data, s->got[b].count * s->info.buffers[b].type.size_bytes, diag))
            return MS_EXIT_FAILED;
    return MS_EXIT_DONE;
}

/* What is here: bytes that no result has; zeros where outputs are scattered, which is what verification takes for unwritten. */
static void spoil_arrays(ms_workload *s)
{
    for (uint32_t b = 0; b < s->info.buffer_count; b++)
        if (s->info.buffers[b].role == MSW_ROLE_OUT)
            memset(s->got[b].data, msw_is_scattered(s->info.buffers[b].length) ? 0 : 0x5a, s->got[b].count * s->info.buffers[b].type.size_bytes);
}

static ms_exit spoil_outputs(ms_workload *s, msw_diag *diag)
{
    spoil_arrays(s);
    for (uint32_t b = 0; b < s->info.buffer_count; b++) {
        const uint64_t bytes = s->got[b].count * s->info.buffers[b].type.size_bytes;
        if (s->info.buffers[b].role != MSW_ROLE_OUT) continue;
        if (msw_buffer_write(s->buffers[b], 0, s->got[b].data, bytes, diag)) return MS_EXIT_FAILED;
    }
    return MS_EXIT_DONE;
}

static const char *judge_by(ms_workload *s, msw_verification *verification, const ms_way *way, const ms_judged *judged)
{
    msw_verification_report report;
    const int is_probed = way->structure.text[0] != '\0';
    if (ms_judge(verification, &s->info, s->got, is_probed ? &way->structure : NULL, judged, &report)) return "wrong";
    if (report.verdict == MSW_VERIFIED) return "verified";
    return is_probed && way->structure.verdict == MSW_VERIFIED ? "verified in part" : "not verified";
}

/* What the oracle knows against or for the results, of which it may know the first alone. */
static const char *judge(ms_workload *s, const ms_way *way, const ms_judged *judged) { return judge_by(s, s->verification, way, judged); }

static int is_scattered(const ms_workload *s)
{
    for (uint32_t b = 0; b < s->info.buffer_count; b++)
        if (msw_is_scattered(s->info.buffers[b].length)) return 1;
    return 0;
}

/* Where first results do not depend on what comes after them, they are the oracle's of fewer elements. */
static int is_begin_known(const ms_workload *s, uint64_t n)
{
    return ms_kind_of(&s->info).is_causal && !s->info.is_reverse && !is_scattered(s) && n >= s->verified_n;
}

/* Where the oracle would take too long, the first way's results, if nothing is known against them, become what is expected of the others. */
static const char *take_expected(ms_workload *s)
{
    for (uint32_t b = 0; b < s->info.buffer_count; b++) {
        const msw_op_buffer *buffer = &s->info.buffers[b];
        if (buffer->role != MSW_ROLE_OUT) continue;
        if (ms_array_make(buffer->name, &buffer->type, s->got[b].count, &s->expected[b])) {
            forget_expected(s);
            return "failed";
        }
        memcpy(s->expected[b].data, s->got[b].data, s->got[b].count * buffer->type.size_bytes);
    }
    return "unchecked";
}

/* Bits that another way has had. */
static const char *compare(ms_workload *s, const ms_way *way, const ms_judged *judged)
{
    int has_expected = 0, is_same = 1;
    for (uint32_t b = 0; b < s->info.buffer_count; b++) {
        has_expected |= s->expected[b].data != NULL;
        if (s->expected[b].data && !msw_is_scattered(s->info.buffers[b].length)) /* of several elements in one place each may be there */
            is_same &= !memcmp(s->got[b].data, s->expected[b].data, s->got[b].count * s->info.buffers[b].type.size_bytes);
    }
    if (!has_expected) return take_expected(s);
    if (!is_same && judged) ms_complain(MS_EXIT_FAILED, "verification failed: %s: other bits than another way has; %s", judged->name, judged->advice);
    if (!is_same) return "wrong";
    for (const ms_way *w = s->ways; w < s->ways + s->way_count; w++)
        if (w != way && !strcmp(w->result, "unchecked")) s->ways[w - s->ways].result = "agrees";
    return "agrees";
}

static const char *part_of(const char *result) { return !strcmp(result, "verified") ? "verified in part" : result; }

/* Results of which the oracle knows fewer elements. Bits that are promised must be all ways'; else the known elements are run by
 * themselves, unless they are the scan's first. */
static const char *judge_beyond(ms_workload *s, ms_way *way, uint64_t n, const ms_judged *judged)
{
    ms_array arrays[MSW_MAX_BUFFERS];
    msw_diag diag;
    const char *result = is_begin_known(s, n) ? judge(s, way, judged) : "verified";
    if (msw_verification_is_bitwise(s->verification)) return strcmp(result, "verified") ? result : compare(s, way, judged);
    if (is_begin_known(s, n)) return part_of(result);
    take_arrays(s, s->verified_n, arrays);
    result = spoil_outputs(s, &diag) || run_kernel(s, way, s->verified_n, 0, &diag) < 0 || read_outputs(s, &diag) ? "failed"
                                                                                                                  : part_of(judge(s, way, judged));
    take_arrays(s, n, arrays);
    return result;
}

/* Few elements, which a chain of sums in the element's own type brings as near to the oracle as devices must come. */
static const char *verify_few(ms_workload *s, const ms_way *way, uint64_t n, const ms_judged *judged)
{
    ms_array arrays[MSW_MAX_BUFFERS];
    if (open_verification(s, MSW_BACKEND_AUTO, &s->of_loop)) return "failed";
    take_arrays(s, n, arrays);
    if (ms_expect(s->of_loop, &s->info, n, arrays)) return "failed";
    run_loop(s, way, n);
    return judge_by(s, s->of_loop, way, judged);
}

static void verify_loop(ms_workload *s, ms_way *way, uint64_t n, const ms_judged *judged)
{
    ms_array arrays[MSW_MAX_BUFFERS];
    spoil_arrays(s);
    if (s->info.is_bit_exact) {
        run_loop(s, way, n);
        const int is_known = !s->is_beyond || is_begin_known(s, n);
        const char *result = is_known ? judge(s, way, judged) : "verified";
        way->result = !s->is_beyond || strcmp(result, "verified") ? result : compare(s, way, judged);
    } else {
        way->result = verify_few(s, way, n < LOOP_ITEMS ? n : LOOP_ITEMS, judged);
        if (n > LOOP_ITEMS) way->result = part_of(way->result);
        take_arrays(s, n, arrays);
    }
}

/* Runs n elements with all arrays between stages at hand. */
static const char *judge_stages(ms_workload *s, const ms_way *way, uint64_t n)
{
    ms_array arrays[MSW_MAX_BUFFERS] = {{0}};
    msw_verification_report report;
    char *text = NULL;
    const msw_kernel_desc desc = kernel_desc(s, s->options->knobs, s->options->knob_count);
    const ms_stages_run run = {s->context, s->spec, s->op, &s->info, &desc, way->kernel, arrays, n};
    take_arrays(s, n, arrays);
    ms_exit code = ms_stages_run_all(&run);
    const int has_run = !code;
    if (!code) code = ms_stages_verify(&run, &report, &text);
    for (uint32_t b = msw_kernel_plan(way->kernel)->buffer_count; b < MSW_MAX_BUFFERS; b++) free(arrays[b].data);
    free(text);
    if (code) return has_run ? "wrong" : "failed";
    return report.verdict == MSW_VERIFIED ? "verified" : report.verdict == MSW_FAILED ? "wrong" : "not verified";
}

/* What was run of n elements is in no stage's arrays: they run again. */
static const char *verify_stages(ms_workload *s, const ms_way *way, uint64_t n)
{
    ms_array arrays[MSW_MAX_BUFFERS];
    const char *result = judge_stages(s, way, s->is_beyond ? s->verified_n : n);
    take_arrays(s, n, arrays);
    return s->is_beyond ? part_of(result) : result;
}

/* Twice: the second run finds the scratch as the first left it. */
void ms_way_verify(ms_workload *s, ms_way *way, uint64_t n, int is_quiet)
{
    char advice[1200];
    const ms_judged loop = {way->name, "set CC to another C compiler"}, kernel = {way->name, ms_device_advice(&s->info, advice)};
    const ms_judged *judged = is_quiet ? NULL : way->kind == MS_WAY_LOOP ? &loop : &kernel;
    msw_diag diag = {0};
    if (way->kind == MS_WAY_LOOP) {
        verify_loop(s, way, n, judged);
        return;
    }
    if (way->structure.verdict == MSW_FAILED) return; /* it is wrong, and told */
    way->result = "failed";
    ms_exit code = ms_way_run(s, way, n, 1, &diag) < 0 ? MS_EXIT_FAILED : MS_EXIT_DONE;
    if (!code) code = spoil_outputs(s, &diag);
    if (!code && ms_way_run(s, way, n, 0, &diag) < 0) code = MS_EXIT_FAILED;
    if (!code) code = read_outputs(s, &diag);
    if (!code) count_elements(s, n);
    if (!code && is_judged_by_stages(s)) way->result = verify_stages(s, way, n);
    else if (!code) way->result = s->is_beyond ? judge_beyond(s, way, n, judged) : judge(s, way, judged);
    else if (!is_quiet) ms_complain(code, "%s, %s, n = %llu: %s", s->info.name, way->name, (unsigned long long)n, diag.message);
}

/* ---- times ---- */

static int is_measured(const ms_way *way) { return !way->is_out && strcmp(way->result, "failed") != 0 && strcmp(way->result, "wrong") != 0; }

/* A round of all ways but loops, or of the loops. */
typedef struct round_of {
    ms_workload *workload;
    uint64_t n;
    uint32_t number;
    int is_kept, is_of_loops;
    double idle_seconds; /* of the last round, where they are to be filled */
} round_of;

/* Seconds of one run of each. */
static double run_all(void *user)
{
    round_of *round = user;
    ms_workload *s = round->workload;
    double sum = 0;
    msw_diag diag;
    for (uint32_t i = 0; i < s->way_count; i++) {
        ms_way *way = &s->ways[ms_turn(round->number, i, s->way_count)];
        if (!is_measured(way) || (way->kind == MS_WAY_LOOP) != round->is_of_loops) continue;
        const double seconds = ms_way_run(s, way, round->n, 0, &diag);
        if (seconds < 0) way->result = "failed";
        else if (round->is_kept && way->rounds < MS_MAX_ROUNDS) way->seconds[way->rounds++] = seconds;
        if (seconds > 0 && way->kind != MS_WAY_ORACLE) sum += seconds;
    }
    round->number++;
    return sum;
}

/* Without an application that keeps it busy a GPU's clock falls between submissions (Vulkan: 345 of 1980 MHz were seen, and copies 2.4 times as
 * long).
 * Copies of the whole arrays fill the time that short runs leave idle. */
static void hold_clock(ms_workload *s, double idle_seconds)
{
    double filled = 0;
    msw_diag diag;
    for (uint32_t w = 0; w < s->way_count; w++) {
        ms_way *way = &s->ways[w];
        if (way->kind != MS_WAY_MEMCPY || !is_measured(way)) continue;
        for (double seconds = 1; filled < idle_seconds && seconds > 0; filled += seconds) seconds = ms_way_run(s, way, s->n_max, 0, &diag);
        return;
    }
}

/* A round whose clock is held where the one before left the device idle for most of the time. What comes first after copies finds other caches: that
 * is not looked at. */
static double run_held(void *user)
{
    round_of *round = user;
    if (round->idle_seconds > 0) {
        round_of after = {.workload = round->workload, .n = round->n, .number = round->number};
        hold_clock(round->workload, round->idle_seconds);
        run_all(&after);
    }
    const double start = ms_now(), sum = run_all(round), passed = ms_now() - start;
    const int is_held = msw_context_device(round->workload->context)->backend == MSW_BACKEND_VULKAN && passed > 2 * sum;
    round->idle_seconds = is_held ? passed - sum : 0;
    return sum;
}

static void find_median(ms_way *way, int is_warm)
{
    double sorted[MS_MAX_ROUNDS];
    memcpy(sorted, way->seconds, sizeof sorted);
    way->median = ms_median(sorted, way->rounds);
    way->least = way->rounds ? sorted[0] : 0;
    way->is_unsteady = (!is_warm && way->kind != MS_WAY_LOOP && way->kind != MS_WAY_ORACLE) || ms_spread(sorted, way->rounds) > ms_most_spread;
}

/* The device has been idle for seconds while the host verified, and loops between the rounds would leave it so again. */
void ms_workload_measure(ms_workload *s, uint64_t n, uint32_t rounds, double most_seconds)
{
    round_of warming = {.workload = s, .n = n}, kept = {.workload = s, .n = n, .is_kept = 1};
    round_of loops = {.workload = s, .n = n, .is_kept = 1, .is_of_loops = 1};
    for (uint32_t w = 0; w < s->way_count; w++) s->ways[w].rounds = 0, s->ways[w].median = s->ways[w].least = 0;
    const int is_warm = ms_warm_up(run_held, &warming, most_seconds < most_warming_seconds ? most_seconds : most_warming_seconds);
    const double start = ms_now();
    kept.idle_seconds = warming.idle_seconds;
    while (kept.number < rounds && (kept.number < 1 || ms_now() - start < most_seconds)) run_held(&kept);
    double loop_seconds = 0;
    while (loops.number < rounds && loops.number < LOOP_ROUNDS && loop_seconds < most_seconds / 4) loop_seconds += run_all(&loops);
    for (uint32_t w = 0; w < s->way_count; w++) find_median(&s->ways[w], is_warm);
}

int ms_way_profile(ms_workload *s, const ms_way *way, uint64_t n, double seconds[MSW_MAX_KERNELS], msw_diag *diag)
{
    enum { RUNS = 3 };
    const msw_enqueue_desc desc = enqueue_desc(s, way, n, 0);
    double run[MSW_MAX_KERNELS];
    for (int r = 0; r < RUNS; r++) {
        if (msw_kernel_profile(way->kernel, &desc, run, diag)) return -1;
        for (uint32_t k = 0; k < MSW_MAX_KERNELS; k++)
            if (!r || run[k] < seconds[k]) seconds[k] = run[k];
    }
    return 0;
}

ms_gain ms_way_gain(const ms_way *a, const ms_way *b) { return ms_gain_of(a->seconds, b->seconds, a->rounds < b->rounds ? a->rounds : b->rounds); }

double ms_workload_copy_seconds(const ms_workload *s)
{
    double least = 0;
    for (const ms_way *way = s->ways; way < s->ways + s->way_count; way++)
        if (way->kind == MS_WAY_MEMCPY && way->median > 0 && (least == 0 || way->median < least)) least = way->median;
    return least;
}
