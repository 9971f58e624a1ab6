/* What a verification found, for people and as JSON. */
#include "verify.h"

#include <math.h>
#include <string.h>

void ms_print_report(FILE *file, const msw_verification_report *report)
{
    for (const char *line = report->text; line;) {
        const size_t length = strcspn(line, "\n");
        fprintf(file, "  %.*s\n", (int)length, line);
        line = line[length] ? line + length + 1 : NULL;
    }
}

/* JSON has no infinite numbers. */
static void print_number(FILE *file, const char *name, double value)
{
    if (isfinite(value)) fprintf(file, ", \"%s\": %.9g", name, value);
    else fprintf(file, ", \"%s\": null", name);
}

static void print_field(FILE *file, const msw_op_info *info, const msw_verified_field *field)
{
    static const char *const verdicts[] = {"verified", "not verified", "failed"};
    const msw_op_buffer *buffer = &info->buffers[field->buffer];
    fprintf(file, "{\"buffer\": \"%s\", \"field\": \"%s\", \"verdict\": \"%s\", \"elements\": %llu, \"undecided\": %llu, \"element\": %llu",
            buffer->name, field->leaf < buffer->type.leaf_count ? buffer->type.leaves[field->leaf].path : "", verdicts[field->verdict],
            (unsigned long long)field->count, (unsigned long long)field->undecided, (unsigned long long)field->element);
    print_number(file, "error", field->error);
    print_number(file, "bound", field->bound);
    fputc('}', file);
}

void ms_print_report_json(FILE *file, const msw_op_info *info, const msw_verification_report *report)
{
    fprintf(file, ", \"verified\": %s", report->verdict != MSW_VERIFIED ? "false" : report->is_bitwise ? "\"bitwise\"" : "\"bounds\"");
    fputs(report->verdict == MSW_VERIFIED ? ", \"report\": " : ", \"reason\": ", file);
    ms_print_json_string(file, report->text);
    fputs(", \"fields\": [", file);
    for (uint32_t f = 0; f < report->field_count; f++) {
        if (f) fputs(", ", file);
        print_field(file, info, &report->fields[f]);
    }
    fputc(']', file);
}
