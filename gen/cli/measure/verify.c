#include "verify.h"

#include <math.h>
#include <string.h>

/* ---- arrays ---- */

static void split(const msw_op_info *info, const ms_array *arrays, const void *inputs[MSW_MAX_BUFFERS], const void *outputs[MSW_MAX_BUFFERS])
{
    uint32_t input_count = 0, output_count = 0;
    for (uint32_t b = 0; b < info->buffer_count; b++)
        if (info->buffers[b].role == MSW_ROLE_OUT) outputs[output_count++] = arrays[b].data;
        else inputs[input_count++] = arrays[b].data;
}

const void *const *ms_uniforms(const msw_op_info *info, const ms_array *arrays, const void *uniforms[MSW_MAX_BUFFERS])
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < info->buffer_count; b++)
        if (info->buffers[b].role == MSW_ROLE_UNIFORM) uniforms[count++] = arrays[b].data;
    return count ? uniforms : NULL;
}

ms_exit ms_expect(msw_verification *verification, const msw_op_info *info, uint64_t n, const ms_array *arrays)
{
    const void *inputs[MSW_MAX_BUFFERS], *outputs[MSW_MAX_BUFFERS];
    msw_diag diag;
    split(info, arrays, inputs, outputs);
    return msw_verification_expect(verification, n, inputs, &diag) ? ms_complain_diag(&diag) : MS_EXIT_DONE;
}

/* ---- probes ---- */

static msw_result run_kernel(void *user, uint64_t n, const void *const *inputs, void *const *outputs, msw_diag *diag)
{
    return msw_kernel_run_host(user, n, inputs, outputs, NULL, diag);
}

msw_kind_info ms_kind_of(const msw_op_info *info)
{
    msw_kind_info kind = {.struct_size = sizeof kind};
    msw_kind_get((uint32_t)info->kind, &kind);
    return kind;
}

const char *ms_device_advice(const msw_op_info *info, char text[1200])
{
    static const char driver[] = "run it with --device host, and check the driver";
    if (!info->law_warning && !info->sources) return driver;
    size_t used = 0;
    if (info->sources) {
        const int length = snprintf(text, 600, "compare the bodies of the source in %s first: %s; then ", info->sources,
                                    "host, and the one that the kernel has, must compute the same");
        used = length < 0 ? 0 : (size_t)length;
    }
    if (!info->law_warning) snprintf(text + used, 1200 - used, "%s", driver);
    else
        snprintf(text + used, 1200 - used, "a law fails, so that results depend on the order of combination: %s; correct the monoid%s",
                 info->law_warning, used ? "" : " first");
    return text;
}

/* Nothing can be said of any field: nobody knows which element belongs where. */
static const char *place_advice(const msw_op_info *info)
{
    if (info->has_any_order) return "verify it with order = \"input\"";
    return "let what is kept, or where it goes, depend on integers, or take data that are not so near to where it changes";
}

const char *ms_data_advice(const msw_op_info *info, uint64_t n, const msw_verification_report *report)
{
    uint32_t f = 0;
    if (!n) return "the result of no elements says too little; give some";
    while (f + 1 < report->field_count && report->fields[f].verdict != MSW_NOT_VERIFIED) f++;
    const msw_verified_field *field = &report->fields[f];
    if (report->is_unbounded && (!report->field_count || isinf(field->share)))
        return "keep the arguments of sin and cos below pi, or verify on CUDA, which bounds them all";
    if (!report->field_count) return place_advice(info);
    if (field->nan_count == field->undecided)
        return report->is_bitwise ? "let the spec make no integer of a NaN's bits, or take data without NaN and subnormal numbers"
                                  : "results that are NaN show little; take data that make none";
    if (ms_kind_of(info).has_keys) return "add value = \"index\" to the sort";
    if (isinf(field->share))
        return "the data have infinities or NaN, or results come near overflow, 0 or a jump, as the report says; take data that do not";
    return "take fewer elements, or a wider type";
}

/* The kernel of states. NULL: the device does not run it, and the structure says so. Whatever else keeps it from being made is a fault. */
static ms_exit make_state_kernel(msw_verification *verification, msw_context *context, const msw_kernel_desc *desc, msw_structure *structure,
                                 msw_kernel **kernel)
{
    msw_kernel_desc of_states = *desc;
    msw_diag diag;
    of_states.spec = msw_verification_state_spec(verification);
    const msw_result result = msw_kernel_create(context, &of_states, kernel, &diag);
    if (result == MSW_OK) return MS_EXIT_DONE;
    *kernel = NULL;
    if (result != MSW_ERROR_UNSUPPORTED) return ms_complain_diag(&diag);
    snprintf(structure->text, sizeof structure->text, "structure not tested: %.200s", diag.message);
    return MS_EXIT_DONE;
}

ms_exit ms_probe(msw_verification *verification, msw_context *context, msw_kernel *kernel, const msw_kernel_desc *desc, uint64_t n,
                 msw_structure *structure)
{
    msw_kernel *states = NULL;
    msw_diag diag;
    *structure = (msw_structure){.struct_size = sizeof *structure, .verdict = MSW_NOT_VERIFIED};
    if (msw_verification_is_bitwise(verification)) return MS_EXIT_DONE;
    if (msw_verification_state_spec(verification)) {
        const ms_exit made = make_state_kernel(verification, context, desc, structure, &states);
        if (made || !states) return made;
    }
    const msw_probe_desc probe = {.struct_size = sizeof probe,
                                  .n = n,
                                  .plan = msw_kernel_plan(states ? states : kernel),
                                  .run = run_kernel,
                                  .user = kernel,
                                  .run_state = states ? run_kernel : NULL,
                                  .state_user = states};
    const msw_result result = msw_verification_probe(verification, &probe, structure, &diag);
    msw_kernel_destroy(states);
    return result ? ms_complain_diag(&diag) : MS_EXIT_DONE;
}

/* ---- judging ---- */

ms_exit ms_judge(msw_verification *verification, const msw_op_info *info, const ms_array *arrays, const msw_structure *structure,
                 const ms_judged *judged, msw_verification_report *report)
{
    const void *inputs[MSW_MAX_BUFFERS], *outputs[MSW_MAX_BUFFERS];
    msw_diag diag;
    split(info, arrays, inputs, outputs);
    report->struct_size = sizeof *report;
    if (msw_verification_judge(verification, outputs, structure, report, &diag)) return judged ? ms_complain_diag(&diag) : MS_EXIT_FAILED;
    if (report->verdict != MSW_FAILED) return MS_EXIT_DONE;
    if (!judged) return MS_EXIT_FAILED;
    return ms_complain(MS_EXIT_FAILED, "verification failed: %s%s%s; %s", judged->name, judged->name[0] ? ": " : "", report->failure, judged->advice);
}
