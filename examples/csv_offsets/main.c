/* Where the fields of a CSV file are, found for all bytes at once by the scans of csv.lua, and by a parser that reads one byte after the other. */
#include <monosweep/monosweep.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD = 0, FIELD = 1, CR = 5 }; /* states of csv.lua */

typedef struct field {
    size_t begin, end; /* in bytes; its quotes are part of it, what separates it is not */
    size_t record;
} field;

typedef struct table {
    field *fields;
    size_t field_count, record_count;
} table;

typedef struct counts { /* Pair_fields_records of csv.lua */
    uint32_t fields, records;
} counts;

static void check(msw_result result, const msw_diag *diag)
{
    if (result == MSW_OK) return;
    fprintf(stderr, "%s\n", diag->message);
    exit(1);
}

static void *allocate(size_t count, size_t bytes)
{
    void *block = calloc(count + 1, bytes);
    if (!block) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return block;
}

/* The file, `times` times over. */
static char *load(const char *path, size_t times, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        perror(path);
        exit(1);
    }
    const size_t once = (size_t)ftell(file);
    char *text = allocate(once * times, 1);
    rewind(file);
    if (fread(text, 1, once, file) != once) {
        perror(path);
        exit(1);
    }
    fclose(file);
    for (size_t i = 1; i < times; i++) memcpy(text + i * once, text, once);
    *bytes = once * times;
    return text;
}

/* ---- on the device ---- */

/* One operation of csv.lua on device memory. Gives the seconds of a second run: drivers may compile at the first. */
static double run(msw_context *context, const char *op, size_t n, const msw_buffer *in, const msw_buffer *out)
{
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec_file = "csv.lua", .op = op};
    const msw_enqueue_desc work = {.struct_size = sizeof work, .n = n, .buffers = {msw_buffer_address(in), msw_buffer_address(out)}};
    msw_kernel *kernel;
    msw_diag diag;
    double seconds;
    check(msw_kernel_create(context, &desc, &kernel, &diag), &diag);
    for (int i = 0; i < 2; i++) check(msw_kernel_run(kernel, &work, &seconds, &diag), &diag);
    msw_kernel_destroy(kernel);
    return seconds;
}

/* The state after each byte, and how many fields and records have ended with it. Gives seconds. */
static double scan(msw_context *context, const char *text, size_t n, unsigned char *states, counts *ended)
{
    msw_buffer *text_buffer, *states_buffer, *counts_buffer;
    const size_t words_bytes = (n + 3) / 4 * 4; /* kernels reach whole words of bytes */
    msw_diag diag;
    check(msw_buffer_create(context, words_bytes, &text_buffer, &diag), &diag);
    check(msw_buffer_create(context, words_bytes, &states_buffer, &diag), &diag);
    check(msw_buffer_create(context, n * sizeof *ended, &counts_buffer, &diag), &diag);
    check(msw_buffer_write(text_buffer, 0, text, n, &diag), &diag);
    double seconds = run(context, "states", n, text_buffer, states_buffer);
    seconds += run(context, "counts", n, states_buffer, counts_buffer);
    check(msw_buffer_read(states_buffer, 0, states, n, &diag), &diag);
    check(msw_buffer_read(counts_buffer, 0, ended, n * sizeof *ended, &diag), &diag);
    msw_buffer_destroy(counts_buffer);
    msw_buffer_destroy(states_buffer);
    msw_buffer_destroy(text_buffer);
    return seconds;
}

/* The fields by what the scans found: every byte knows whether it ends a field, and which one. */
static table fields_of_scans(size_t n, const unsigned char *states, const counts *ended)
{
    const int is_open = n > 0 && states[n - 1] != RECORD; /* the last record has no line end */
    table found = {.field_count = n ? ended[n - 1].fields + (size_t)is_open : 0, .record_count = n ? ended[n - 1].records + (size_t)is_open : 0};
    found.fields = allocate(found.field_count, sizeof *found.fields);
    for (size_t i = 0; i < n; i++) {
        if (states[i] > FIELD) continue;
        field *f = &found.fields[ended[i].fields - 1];
        f->end = states[i] == RECORD && i > 0 && states[i - 1] == CR ? i - 1 : i;
        f->record = ended[i].records - (states[i] == RECORD);
        f[1].begin = i + 1; /* there is one place more than fields */
    }
    if (is_open) {
        found.fields[found.field_count - 1].end = n;
        found.fields[found.field_count - 1].record = found.record_count - 1;
    }
    return found;
}

/* ---- one byte after the other ---- */

/* Where the field that begins at `at` ends. */
static size_t field_end(const char *text, size_t n, size_t at)
{
    while (at < n && text[at] == '"') { /* quoted; where a quote follows the closing one, another stretch */
        for (at++; at < n && text[at] != '"'; at++) {}
        at += at < n;
    }
    while (at < n && text[at] != ',' && text[at] != '\n') at++;
    return at;
}

static table fields_in_order(const char *text, size_t n)
{
    table found = {.fields = allocate(n + 1, sizeof *found.fields)}; /* a field has a byte at least, or ends with one */
    size_t at = 0;
    while (at < n) {
        int is_last;
        do {
            field *f = &found.fields[found.field_count++];
            *f = (field){at, field_end(text, n, at), found.record_count};
            at = f->end;
            is_last = at == n || text[at] == '\n';
            if (at < n && text[at] == '\n' && at > f->begin && text[at - 1] == '\r') f->end--;
            at++;
        } while (!is_last);
        found.record_count++;
    }
    return found;
}

int main(int count, char **arguments)
{
    const char *path = count > 1 ? arguments[1] : "papers.csv";
    const size_t times = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    if (times < 1 || times > 1 << 20) {
        fprintf(stderr, "%s: not a number of times, 1 to 1048576\n", arguments[2]);
        return 2;
    }
    msw_context *context;
    msw_diag diag;
    size_t n, wrong = 0;
    char *text = load(path, times, &n);
    unsigned char *states = allocate(n, 1);
    counts *ended = allocate(n, sizeof *ended);

    check(msw_context_create(NULL, &context, &diag), &diag);
    const double seconds = scan(context, text, n, states, ended);
    fprintf(stderr, "%s: %.3g ms\n", msw_context_device(context)->name, seconds * 1e3);
    msw_context_destroy(context);

    table found = fields_of_scans(n, states, ended), expected = fields_in_order(text, n);
    wrong += found.field_count != expected.field_count;
    wrong += found.record_count != expected.record_count;
    for (size_t i = 0; !wrong && i < found.field_count; i++) {
        const field *a = &found.fields[i], *b = &expected.fields[i];
        wrong += a->begin != b->begin || a->end != b->end || a->record != b->record;
    }
    printf("%zu bytes, %zu fields in %zu records, %s\n", n, found.field_count, found.record_count, wrong ? "WRONG" : "as the parser has them");

    free(expected.fields);
    free(found.fields);
    free(ended);
    free(states);
    free(text);
    return wrong > 0;
}
