#include "stages.h"

#include <stdlib.h>
#include <string.h>

static int has_timing(const msw_spec *spec, uint32_t op, const msw_op_info *info)
{
    for (uint32_t s = 0; s < info->stage_count; s++) {
        msw_stage_info stage = {.struct_size = sizeof stage};
        msw_op_info of_stage = {.struct_size = sizeof of_stage};
        if (msw_spec_stage(spec, op, s, &stage) || msw_spec_op(spec, stage.op, &of_stage)) continue;
        if (of_stage.has_any_order) return 1;
        for (uint32_t b = 0; b < of_stage.buffer_count && !of_stage.item_count; b++)
            if (of_stage.buffers[b].role == MSW_ROLE_OUT && msw_is_scattered(of_stage.buffers[b].length)) return 1;
    }
    return 0;
}

int ms_stages_are_judged(const msw_spec *spec, uint32_t op, const msw_op_info *info)
{
    return info->stage_count && (!info->is_bit_exact || has_timing(spec, op, info));
}

/* ---- running ---- */

static uint32_t array_count(const msw_plan *plan) { return plan->buffer_count + plan->between_count; }

static uint64_t bytes_of(const ms_stages_run *run, const msw_plan *plan, uint32_t b)
{
    const uint64_t elements = b < plan->buffer_count ? run->arrays[b].count : msw_elements(plan->buffers[b].length, run->n);
    return elements * plan->buffers[b].element_bytes;
}

/* Room for the arrays between stages, on the host. */
static ms_exit make_arrays(const ms_stages_run *run, const msw_plan *plan)
{
    for (uint32_t b = plan->buffer_count; b < array_count(plan); b++) {
        const uint64_t bytes = bytes_of(run, plan, b);
        run->arrays[b].data = bytes < SIZE_MAX ? calloc((size_t)bytes + 1, 1) : NULL;
        run->arrays[b].count = msw_elements(plan->buffers[b].length, run->n);
        if (!run->arrays[b].data) return ms_complain(MS_EXIT_FAILED, "out of memory for the arrays between stages; take fewer elements");
    }
    return MS_EXIT_DONE;
}

static ms_exit run_on(const ms_stages_run *run, const msw_plan *plan, msw_buffer *buffers[MSW_MAX_BUFFERS])
{
    msw_enqueue_desc desc = {.struct_size = sizeof desc, .n = run->n};
    msw_diag diag;
    for (uint32_t b = 0; b < array_count(plan); b++) {
        const uint64_t bytes = bytes_of(run, plan, b);
        if (msw_buffer_create(run->context, bytes, &buffers[b], &diag)) return ms_complain_diag(&diag);
        desc.buffers[b] = msw_buffer_address(buffers[b]);
        if (!bytes) continue;
        if (plan->buffers[b].role == MSW_ROLE_OUT)
            memset(run->arrays[b].data, 0, bytes); /* what nobody writes, behind items, say, is compared, too */
        if (msw_buffer_write(buffers[b], 0, run->arrays[b].data, bytes, &diag)) return ms_complain_diag(&diag);
    }
    if (msw_kernel_run(run->kernel, &desc, NULL, &diag)) return ms_complain_diag(&diag);
    for (uint32_t b = 0; b < array_count(plan); b++) {
        const uint64_t bytes = bytes_of(run, plan, b);
        if (plan->buffers[b].role == MSW_ROLE_OUT && bytes && msw_buffer_read(buffers[b], 0, run->arrays[b].data, bytes, &diag))
            return ms_complain_diag(&diag);
    }
    return MS_EXIT_DONE;
}

ms_exit ms_stages_run_all(const ms_stages_run *run)
{
    const msw_plan *plan = msw_kernel_plan(run->kernel);
    msw_buffer *buffers[MSW_MAX_BUFFERS] = {NULL};
    ms_exit code = make_arrays(run, plan);
    if (!code) code = run_on(run, plan, buffers);
    for (uint32_t b = 0; b < array_count(plan); b++) msw_buffer_destroy(buffers[b]);
    return code;
}

/* ---- judging ---- */

static uint64_t number_in(const ms_stages_run *run, const msw_stage_info *stage)
{
    const uint64_t most = msw_elements(stage->length, run->n);
    uint64_t n = most;
    if (stage->counted_by) memcpy(&n, run->arrays[stage->counted_by - 1].data, sizeof n);
    return n < most ? n : most;
}

/* One stage, its own arrays, and what is found. */
typedef struct judging {
    const ms_stages_run *run;
    msw_stage_info stage;
    msw_op_info info;
    ms_array arrays[MSW_MAX_BUFFERS];
    msw_verification *verification;
    msw_structure structure;
    msw_verification_report report;
    msw_kernel *kernel;
} judging;

/* An output that nobody reads is not there: what it ought to be will do. */
static ms_exit make_unread(judging *g, uint64_t n, void *unread[MSW_MAX_KERNEL_BUFFERS])
{
    const void *inputs[MSW_MAX_KERNEL_BUFFERS];
    void *outputs[MSW_MAX_KERNEL_BUFFERS];
    uint32_t input = 0, output = 0, count = 0;
    msw_diag diag;
    for (uint32_t b = 0; b < g->info.buffer_count; b++) {
        const msw_op_buffer *buffer = &g->info.buffers[b];
        if (buffer->role != MSW_ROLE_OUT) {
            inputs[input++] = g->arrays[b].data;
            continue;
        }
        outputs[output] = NULL;
        if (g->stage.arrays[b] == MSW_NO_ARRAY) {
            unread[b] = outputs[output] = calloc((size_t)(msw_elements(buffer->length, n) * buffer->type.size_bytes) + 1, 1);
            if (!unread[b]) return ms_complain(MS_EXIT_FAILED, "out of memory; take fewer elements");
            g->arrays[b].data = unread[b];
            count++;
        }
        output++;
    }
    if (count && msw_spec_evaluate(g->run->spec, g->stage.op, n, inputs, outputs, NULL, NULL, &diag)) return ms_complain_diag(&diag);
    return MS_EXIT_DONE;
}

static ms_exit judge_stage(judging *g, uint64_t n)
{
    const ms_stages_run *run = g->run;
    const void *uniforms[MSW_MAX_BUFFERS];
    char advice[1200];
    const ms_judged device = {g->info.name, ms_device_advice(&g->info, advice)};
    const msw_verification_desc desc = {.struct_size = sizeof desc,
                                        .spec = run->spec,
                                        .op = g->stage.op,
                                        .backend = msw_context_device(run->context)->backend,
                                        .uniforms = ms_uniforms(&g->info, g->arrays, uniforms)};
    msw_kernel_desc kernel = *run->desc;
    msw_diag diag;
    kernel.op = g->info.name;
    if (msw_verification_create(&desc, &g->verification, &diag)) return ms_complain_diag(&diag);
    if (!msw_verification_is_bitwise(g->verification) && msw_kernel_create(run->context, &kernel, &g->kernel, &diag)) return ms_complain_diag(&diag);
    ms_exit code = ms_probe(g->verification, run->context, g->kernel, &kernel, n, &g->structure);
    if (!code) code = ms_expect(g->verification, &g->info, n, g->arrays);
    return code ? code : ms_judge(g->verification, &g->info, g->arrays, &g->structure, &device, &g->report);
}

/* Whether a later stage writes in the same array: what zeroes it is judged with that. */
static int is_overwritten(const ms_stages_run *run, const msw_stage_info *stage, const msw_op_info *info, uint32_t s)
{
    while (++s < run->info->stage_count) {
        msw_stage_info later = {.struct_size = sizeof later};
        msw_op_info of_later = {.struct_size = sizeof of_later};
        if (msw_spec_stage(run->spec, run->op, s, &later) || msw_spec_op(run->spec, later.op, &of_later)) continue;
        for (uint32_t b = 0; b < of_later.buffer_count; b++)
            for (uint32_t own = 0; own < info->buffer_count; own++)
                if (of_later.buffers[b].role == MSW_ROLE_OUT && info->buffers[own].role == MSW_ROLE_OUT && later.arrays[b] != MSW_NO_ARRAY &&
                    later.arrays[b] == stage->arrays[own])
                    return 1;
    }
    return 0;
}

static ms_exit judge(judging *g, uint32_t s)
{
    const ms_stages_run *run = g->run;
    void *unread[MSW_MAX_KERNEL_BUFFERS] = {NULL};
    g->stage.struct_size = sizeof g->stage;
    g->report.struct_size = sizeof g->report;
    if (msw_spec_stage(run->spec, run->op, s, &g->stage)) return ms_complain(MS_EXIT_FAILED, "stage %u cannot be read; please report it", s);
    g->info.struct_size = sizeof g->info;
    if (msw_spec_op(run->spec, g->stage.op, &g->info)) return ms_complain(MS_EXIT_FAILED, "stage %u cannot be read; please report it", s);
    if (is_overwritten(run, &g->stage, &g->info, s)) return MS_EXIT_DONE;
    for (uint32_t b = 0; b < g->info.buffer_count; b++)
        if (g->stage.arrays[b] != MSW_NO_ARRAY) g->arrays[b] = run->arrays[g->stage.arrays[b]];
    const uint64_t n = number_in(run, &g->stage);
    ms_exit code = make_unread(g, n, unread);
    if (!code) code = judge_stage(g, n);
    for (uint32_t b = 0; b < MSW_MAX_KERNEL_BUFFERS; b++) free(unread[b]);
    return code;
}

/* Each line of a stage's report, with its name before it, behind what is there. 0: out of memory. */
static int add_text(char **text, const char *name, const char *lines)
{
    const size_t length = *text ? strlen(*text) : 0;
    size_t count = 1;
    for (const char *c = lines; *c; c++) count += *c == '\n';
    char *grown = realloc(*text, length + strlen(lines) + count * (strlen(name) + 4) + 1);
    if (!grown) return 0;
    *text = grown;
    char *end = grown + length;
    for (const char *line = lines; line;) {
        const size_t bytes = strcspn(line, "\n");
        end += sprintf(end, "%s%s: %.*s", end == grown ? "" : "\n", name, (int)bytes, line);
        line = line[bytes] ? line + bytes + 1 : NULL;
    }
    return 1;
}

/* That the stages are what the pipeline says: evaluation compares them with its operations as they were written. */
static ms_exit check_fusion(const ms_stages_run *run)
{
    const void *inputs[MSW_MAX_BUFFERS];
    void *outputs[MSW_MAX_BUFFERS] = {NULL};
    uint32_t count = 0;
    msw_diag diag;
    for (uint32_t b = 0; b < run->info->buffer_count; b++)
        if (run->info->buffers[b].role != MSW_ROLE_OUT) inputs[count++] = run->arrays[b].data;
    return msw_spec_evaluate(run->spec, run->op, run->n, inputs, outputs, NULL, NULL, &diag) ? ms_complain_diag(&diag) : MS_EXIT_DONE;
}

ms_exit ms_stages_verify(const ms_stages_run *run, msw_verification_report *report, char **text)
{
    ms_exit code = check_fusion(run);
    *report = (msw_verification_report){.struct_size = sizeof *report, .verdict = MSW_VERIFIED, .is_bitwise = 1};
    *text = NULL;
    for (uint32_t s = 0; s < run->info->stage_count && !code; s++) {
        judging *g = calloc(1, sizeof *g);
        if (!g) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
        g->run = run;
        code = judge(g, s);
        if (g->report.verdict > report->verdict) report->verdict = g->report.verdict;
        report->is_bitwise &= g->report.is_bitwise;
        report->is_unbounded |= g->report.is_unbounded;
        if (g->report.text && !add_text(text, g->info.name, g->report.text))
            code = ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
        msw_verification_destroy(g->verification);
        msw_kernel_destroy(g->kernel);
        free(g);
    }
    report->text = *text;
    return code;
}
