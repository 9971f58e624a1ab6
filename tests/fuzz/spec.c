/* Any text as a spec: what loads is evaluated, planned for several devices and emitted. Little memory and time, so that what hangs is seen. */
#include "outcome.h"
#include "words.h"

#include <string.h>

enum {
    N = 3,
    GIVEN = 2 /* elements of arrays whose length a uniform says */,
    MOST_BYTES = 1 << 20 /* of an array: some have a length of their own */
};

static const msw_target targets[] = {
    {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_VULKAN},
    {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_VULKAN, .subgroup_size = 1, .has_features = 1, .progress = MSW_PROGRESS_NONE},
    {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_CUDA, .arch = "sm_90"},
    {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_HOST, .max_block_threads = 256},
};
enum { TARGETS = sizeof targets / sizeof targets[0] };

/* An array of its own for every buffer, so that one byte too many is seen. */
static void evaluate(const msw_spec *spec, uint32_t op, const msw_op_info *info)
{
    const void *inputs[MSW_MAX_BUFFERS] = {0};
    void *outputs[MSW_MAX_BUFFERS] = {0}, *arrays[MSW_MAX_BUFFERS];
    unsigned input_count = 0, output_count = 0;
    msw_diag diag;
    for (uint32_t b = 0; b < info->buffer_count; b++) {
        const size_t bytes = info->buffers[b].type.size_bytes * (size_t)msw_elements_given(info->buffers[b].length, N, GIVEN);
        arrays[b] = bytes > MOST_BYTES ? NULL : malloc(bytes); /* an output that is not given is not written */
        if (!arrays[b] && bytes <= MOST_BYTES) abort();
        for (size_t i = 0; arrays[b] && i < bytes; i++) ((unsigned char *)arrays[b])[i] = (unsigned char)(i * 37 + b);
        if (info->buffers[b].role == MSW_ROLE_OUT) outputs[output_count++] = arrays[b];
        else inputs[input_count++] = arrays[b];
    }
    for (uint32_t b = 0; b < info->buffer_count; b++) {
        const uint64_t given = GIVEN;
        if (msw_given_by(info->buffers[b].length) >= 0) memcpy(arrays[msw_given_by(info->buffers[b].length)], &given, sizeof given);
    }
    expect_outcome(msw_spec_evaluate(spec, op, N, inputs, outputs, NULL, NULL, &diag), &diag);
    for (uint32_t b = 0; b < info->buffer_count; b++) free(arrays[b]);
}

static void generate(msw_spec *spec, uint32_t op, const msw_target *target)
{
    const msw_program_desc desc = {.struct_size = sizeof desc, .op = op, .target = target};
    msw_program *program;
    msw_diag diag;
    if (expect_outcome(msw_program_create(spec, &desc, &program, &diag), &diag)) return;
    const msw_plan *plan = msw_program_plan(program);
    for (uint32_t k = 0; k < plan->kernel_count; k++)
        if (!plan->kernels[k].text || !plan->kernels[k].text[0]) abort();
    if (!msw_program_json(program) || !msw_program_summary(program)) abort();
    msw_program_destroy(program);
}

static void note_warning(void *user, const msw_diag *diag)
{
    (void)user;
    if (!diag->message[0]) abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    char *text = malloc(bytes + 1);
    msw_spec_desc desc = {.struct_size = sizeof desc,
                          .text = text,
                          .text_bytes = bytes,
                          .memory_limit_bytes = 32u << 20,
                          .time_limit_ms = 200,
                          .warning = note_warning};
    msw_spec *spec;
    msw_op_info info = {.struct_size = sizeof info};
    msw_diag diag;
    if (!text) abort();
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    if (!expect_outcome(msw_spec_create(&desc, &spec, &diag), &diag)) {
        for (uint32_t op = 0; op < msw_spec_op_count(spec) && op < TARGETS; op++) {
            if (msw_spec_op(spec, op, &info)) abort();
            evaluate(spec, op, &info);
            generate(spec, op, &targets[(bytes + op) % TARGETS]);
        }
        if (!msw_spec_json(spec) || !msw_spec_summary(spec)) abort();
        msw_spec_destroy(spec);
    }
    free(text);
    return 0;
}
