/* A device's results, judged as a whole, and what is told of them. */
#include "verification.h"
#include "gather.h"
#include "c_locale.h"
#include "diag.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* "field mean"; of outputs that are scalars the buffer's name. */
static void format_field(const msw_verification *v, const msw_verified_field *f, char text[160])
{
    const msw_op_buffer *buffer = &v->op->info.buffers[f->buffer];
    if (buffer->type.leaves[f->leaf].path[0]) snprintf(text, 160, "field %s", buffer->type.leaves[f->leaf].path);
    else snprintf(text, 160, "%s", buffer->name);
}

#define NO_BOUND "sin or cos of more than pi, which Vulkan does not bound"

static void append_failure(msw_verification *v, const msw_verified_field *f, const char *name, ms_text *text)
{
    char element[48] = "";
    if (ms_operation_is_per_element(v->op)) snprintf(element, sizeof element, ", element %" PRIu64, f->element);
    ms_begin_failure(v, text);
    if (isnan(f->bound)) ms_text_append(text, "%s%s: a number, where every order of combination comes to NaN", name, element);
    else if (isnan(f->error)) ms_text_append(text, "%s%s: NaN, where there is a number, bound %.2g", name, element, f->bound);
    else
        ms_text_append(text, f->bound > 0 ? "%s%s: error %.2g, bound %.2g" : "%s%s: error %.2g, where bits are promised", name, element, f->error,
                       f->bound);
}

static void append_line(msw_verification *v, const msw_verified_field *f, const msw_structure *structure, ms_text *text)
{
    char name[160];
    format_field(v, f, name);
    if (f->verdict == MSW_FAILED) {
        append_failure(v, f, name, text);
        return;
    }
    if (text->length) ms_text_append(text, "\n");
    if (f->verdict == MSW_NOT_VERIFIED) {
        const double part = 100 * (double)f->undecided / (double)f->count;
        if (f->nan_count == f->undecided)
            ms_text_append(text, "not verified: %s, NaN on the device as on the host (%.3g %% of elements)", name, part);
        else if (isfinite(f->share))
            ms_text_append(text, "not verified: %s, bound %.2g %% of its scale (%.3g %% of elements)", name, 100 * f->share, part);
        else if (v->bounds.first_infinite < v->n)
            ms_text_append(text, "not verified: %s, undecided: the data have infinities or NaN from element %" PRIu64 " on (%.3g %% of elements)",
                           name, v->bounds.first_infinite, part);
        else
            ms_text_append(text, "not verified: %s, undecided: %s (%.3g %% of elements)", name,
                           v->bounds.is_unbounded ? NO_BOUND : "0, near overflow, or at a jump", part);
        if (structure && structure->verdict != MSW_FAILED)
            ms_text_append(text, "; %s",
                           structure->verdict != MSW_VERIFIED ? "structure not tested"
                           : !structure->is_exact             ? "structure within bounds"
                                                              : "structure exact");
    } else if (f->bound > 0) {
        ms_text_append(text, "verified: %s, worst error %.2g of bound %.2g; %" PRIu64 " of %" PRIu64 " undecided", name, f->error, f->bound,
                       f->undecided, f->count);
    } else ms_text_append(text, "verified: %s, bit for bit", name);
}

/* ---- judging ---- */

/* The leaves that say where elements go are no output. Where roundings decide of one, nothing can be said of what is behind it. */
static void judge_places(msw_verification *v, msw_verification_report *report, ms_text *text)
{
    uint32_t values = v->bounds.leaf_count;
    for (uint32_t b = 0; b < v->op->info.buffer_count; b++)
        if (v->op->places[b] && v->op->places[b] - 1 < values) values = v->op->places[b] - 1;
    report->field_count = values;
    if (!ms_places_are_open(v->op, &v->bounds)) return;
    ms_text_append(text, "%snot verified: a device's roundings decide %s%s", text->length ? "\n" : "",
                   ms_has_scattered(v->op) ? "where elements go" : "what is kept", v->bounds.is_unbounded ? ", by " NO_BOUND : "");
    for (uint32_t l = 0; l < values; l++) v->fields[l].verdict = MSW_NOT_VERIFIED;
    if (report->verdict == MSW_VERIFIED) report->verdict = MSW_NOT_VERIFIED; /* what probes found wrong stays wrong */
    report->field_count = 0;
}

static int may_be_within_bounds(const void *user, uint64_t i, uint32_t l, uint64_t got)
{
    const msw_verification *v = user;
    return ms_bounds_allow(&v->bounds, v->op->output, i, l, got);
}

static void judge_bounds(msw_verification *v, const void *output, const void *const *outputs, const msw_structure *structure,
                         msw_verification_report *report, ms_text *text)
{
    if (!ms_has_rounded_states(v->op)) structure = NULL;
    const int has_structure = structure && structure->verdict == MSW_VERIFIED && structure->input_count + structure->pair_count > 0;
    const ms_function *map = v->op->map;
    const ms_records records = {v->op, v->n, v->bounds.expected};
    const int are_outputs = !v->op->output_map && (!map || (map->leaves && ms_function_is_promised(map)));
    ms_bounds_judge(&v->bounds, v->op->output, output,
                    !ms_has_rounded_states(v->op) ? MS_PROBED_STATES /* a map has no order that could lose an element */
                    : !has_structure              ? MS_PROBED_NOTHING
                    : are_outputs                 ? MS_PROBED_OUTPUTS
                                                  : MS_PROBED_STATES,
                    ms_has_places(v->op) ? ms_is_kept : NULL, &records, v->fields);
    report->field_count = v->bounds.leaf_count;
    if (structure && structure->verdict == MSW_FAILED) {
        ms_begin_failure(v, text);
        report->verdict = MSW_FAILED;
    }
    if (structure) ms_text_append(text, "%s", structure->text);
    int is_zero = 1;
    for (uint32_t o = 0; o < ms_verified_output_count(v->op); o++) {
        const msw_op_buffer *buffer = ms_verified_output(v->op, o, NULL);
        is_zero &= ms_is_verified_total(v, o) ||
                   ms_padding_is_zero(&buffer->type, outputs[o], buffer->length < MSW_LENGTH_COUNTED ? v->bounds.count : ms_expected_elements(v, o));
    }
    if (!is_zero) {
        ms_begin_failure(v, text);
        ms_text_append(text, "padding bytes are not zero; this is a bug of monosweep, please report it");
        report->verdict = MSW_FAILED;
    }
    if (ms_has_places(v->op)) judge_places(v, report, text);
    for (uint32_t l = 0; l < report->field_count; l++) {
        v->fields[l].buffer = ms_operation_buffer(v->op, MSW_ROLE_OUT, l);
        v->fields[l].leaf -= v->op->first_leaves[v->fields[l].buffer];
        append_line(v, &v->fields[l], structure, text);
        if (v->fields[l].verdict > report->verdict) report->verdict = v->fields[l].verdict;
    }
}

static msw_result judge_sort(msw_verification *v, const void *const *outputs, msw_verification_report *report, ms_text *text, msw_diag *diag)
{
    char name[160];
    report->field_count = 1;
    const msw_result result = ms_sort_judge(v, outputs, v->fields, diag);
    if (result) return result;
    const msw_verified_field *f = v->fields;
    format_field(v, f, name);
    report->verdict = f->verdict;
    if (f->verdict == MSW_FAILED) {
        ms_begin_failure(v, text);
        ms_text_append(text, "%s, element %" PRIu64 ": not what a stable sort of the mapped keys has there", name, f->element);
    } else if (f->verdict == MSW_NOT_VERIFIED)
        ms_text_append(text, "not verified: keys are in order, but only value = \"index\" tells which belongs where");
    else {
        ms_text_append(text, "verified: keys in order and as mapped");
        if (f->bound > 0) ms_text_append(text, ", worst error %.2g of bound %.2g", f->error, f->bound);
        if (v->op->value) ms_text_append(text, "; values belong to them");
        if (f->undecided) ms_text_append(text, ", but for %" PRIu64 " whose keys are too near", f->undecided);
    }
    return MSW_OK;
}

/* What is told of outputs of which no bit is wrong. */
static void tell_bits(const msw_verification *v, msw_verification_report *report, ms_text *text)
{
    const char *what = v->flushed[0] ? "the bits of NaN, or of subnormal numbers" : "the bits of NaN";
    uint64_t undecided = 0;
    for (uint32_t f = 0; f < report->field_count; f++) {
        undecided += v->fields[f].undecided;
        if (v->fields[f].verdict > report->verdict) report->verdict = v->fields[f].verdict;
    }
    if (report->verdict == MSW_NOT_VERIFIED && v->op->any_order) return; /* judge_groups has said why */
    if (report->verdict == MSW_NOT_VERIFIED)
        ms_text_append(text, "not verified: %" PRIu64 " elements are made of %s, which are each device's own", undecided, what);
    else if (undecided) ms_text_append(text, "verified bit for bit, but for %" PRIu64 " elements that are made of %s", undecided, what);
    else ms_text_append(text, v->op->any_order ? "verified bit for bit, elements in any order" : "verified bit for bit");
}

static char *first_line(ms_arena *arena, const char *text)
{
    const size_t length = strcspn(text, "\n");
    char *line = ms_arena_alloc(arena, length + 1);
    if (line) memcpy(line, text, length);
    return line;
}

static msw_result check_judged(const msw_verification *v, const void *const *outputs, const msw_verification_report *report, msw_diag *diag)
{
    if (!v || !outputs || !report)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "verify", NULL, 0, "msw_verification_judge: %s is NULL",
                       !v         ? "verification"
                       : !outputs ? "outputs"
                                  : "report");
    if (!v->has_data)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "verify", NULL, 0,
                       "msw_verification_judge: nothing is expected; call msw_verification_expect");
    for (uint32_t o = 0; o < ms_verified_output_count(v->op); o++) {
        uint32_t b;
        const msw_op_buffer *buffer = ms_verified_output(v->op, o, &b);
        if (!outputs[o] && ms_operation_elements(v->op, b, v->n))
            return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "verify", NULL, 0, "msw_verification_judge: output '%s' is NULL", buffer->name);
    }
    return MS_SIZED_CHECK(msw_verification_report, report, "verify", diag);
}

/* Then roundings decide how many elements are kept, too. */
static int are_places_open(const msw_verification *v)
{
    return !v->is_bitwise && !v->op->key.image && !v->op->item && ms_places_are_open(v->op, &v->bounds);
}

/* Outputs that are compared bit for bit: numbers first, which say how much of others there is. */
static msw_result judge_all_bits(msw_verification *v, const void *const *outputs, msw_verification_report *report, ms_text *text, msw_diag *diag)
{
    for (int are_totals = !are_places_open(v); are_totals >= !v->is_bitwise; are_totals--)
        for (uint32_t o = 0; o < ms_verified_output_count(v->op) && report->verdict == MSW_VERIFIED; o++) {
            if (ms_is_verified_total(v, o) != are_totals) continue;
            const int is_right = ms_bits_judge(v, o, outputs[o], &v->fields[report->field_count++], text);
            if (is_right < 0) return ms_verify_no_memory(diag);
            if (!is_right) report->verdict = MSW_FAILED;
        }
    return MSW_OK;
}

/* Behind the last item are zeros, as before the run. */
static int judge_rest(msw_verification *v, const unsigned char *items, ms_text *text)
{
    const msw_op_buffer *buffer = &v->op->info.buffers[v->op->info.items];
    const uint64_t bytes = buffer->type.size_bytes, end = ms_operation_room(v->op, v->n) * bytes;
    uint64_t at = v->bounds.count * bytes;
    while (at < end && !items[at]) at++;
    if (at == end) return 1;
    ms_begin_failure(v, text);
    ms_text_append(text, "%s[%" PRIu64 "]: was written, behind the last item", buffer->name, at / bytes);
    return 0;
}

/* Which item belongs to which element is known by its bits alone. */
static void leave_undecided(msw_verification_report *report, ms_text *text)
{
    report->verdict = MSW_NOT_VERIFIED;
    ms_text_append(text,
                   "not verified: the device rounds the items, so that their bits do not tell whose they are; verify them with order = \"input\"");
}

static msw_result judge_by_bounds(msw_verification *v, const void *const *outputs, const msw_structure *structure, msw_verification_report *report,
                                  ms_text *text, msw_diag *diag)
{
    const void *output = ms_gather_outputs(v->op, outputs, v->n, v->bounds.count, v->bounds.expected, may_be_within_bounds, v, &v->data);
    if (!output && v->bounds.count) return ms_verify_no_memory(diag);
    judge_bounds(v, output, outputs, structure, report, text);
    if (v->op->item && !judge_rest(v, outputs[0], text)) report->verdict = MSW_FAILED;
    if (!ms_has_scattered(v->op) || !report->field_count) return MSW_OK; /* nobody knows where elements go */
    const int is_rest_right = ms_scatter_judge_rest(v, outputs, text);
    if (!is_rest_right) report->verdict = MSW_FAILED;
    return is_rest_right < 0 ? ms_verify_no_memory(diag) : MSW_OK;
}

static msw_result judge(msw_verification *v, const void *const *outputs, const msw_structure *structure, msw_verification_report *report,
                        msw_diag *diag)
{
    msw_result result = MSW_OK;
    ms_text text = {.arena = &v->arena};
    v->failure_at = 0;
    *report = (msw_verification_report){.verdict = MSW_VERIFIED, .is_bitwise = (uint32_t)v->is_bitwise};
    if (!v->fields) v->fields = ms_arena_alloc(&v->arena, (MS_MAX_ELEMENT_BYTES + MSW_MAX_BUFFERS) * sizeof *v->fields);
    if (!v->fields) return ms_verify_no_memory(diag);
    report->fields = v->fields;
    result = judge_all_bits(v, outputs, report, &text, diag);
    if (result) report->verdict = MSW_FAILED; /* for want of memory */
    else if (v->is_bitwise || report->verdict == MSW_FAILED) {
        if (report->verdict == MSW_FAILED) v->fields[0] = v->fields[report->field_count - 1], report->field_count = 1;
        else tell_bits(v, report, &text);
    } else if (v->op->key.image) result = judge_sort(v, outputs, report, &text, diag);
    else if (v->op->any_order) leave_undecided(report, &text);
    else result = judge_by_bounds(v, outputs, structure, report, &text, diag);
    report->is_unbounded = !v->is_bitwise && v->bounds.is_unbounded;
    v->text = text.failed || !text.data ? NULL : ms_arena_strdup(&v->data, text.data);
    v->failure = v->text && v->failure_at ? first_line(&v->data, v->text + v->failure_at) : NULL;
    ms_text_free(&text);
    if (result) return result;
    if (!v->text || (v->failure_at && !v->failure)) return ms_verify_no_memory(diag);
    report->text = v->text;
    report->failure = v->failure;
    return ms_diag(diag, MSW_OK, "", NULL, 0, "%s", "");
}

msw_result msw_verification_judge(msw_verification *v, const void *const *outputs, const msw_structure *structure, msw_verification_report *report,
                                  msw_diag *diag)
{
    msw_verification_report made;
    msw_structure probed;
    msw_result result = check_judged(v, outputs, report, diag);
    if (!result && structure) result = MS_SIZED_READ(msw_structure, structure, &probed, "verify", diag);
    if (result) return result;
    const ms_c_locale locale = ms_c_locale_enter(); /* of the report's numbers */
    result = judge(v, outputs, structure ? &probed : NULL, &made, diag);
    ms_c_locale_leave(locale);
    if (!result) ms_sized_write(report, &made, sizeof made);
    return result;
}
