/* Any text as a spec: what loads is evaluated, planned for several devices and emitted. Little memory and time, so that what hangs is seen. */
#include "outcome.h"

#include <ctype.h>
#include <string.h>

enum { N = 3, MAX_LEAVES = 128 };

static const msw_target targets[] = {
    {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_VULKAN},
    {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_VULKAN, .subgroup_size = 1, .has_features = 1, .progress = MSW_PROGRESS_NONE},
    {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_CUDA, .arch = "sm_90"},
    {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_HOST, .arch = "simulator"},
};
enum { TARGETS = sizeof targets / sizeof targets[0] };

/* An array of its own for every buffer, so that one byte too many is seen. */
static void evaluate(const msw_spec *spec, uint32_t op, const msw_op_info *info)
{
    const void *inputs[MSW_MAX_BUFFERS] = {0};
    void *outputs[MSW_MAX_BUFFERS] = {0}, *arrays[MSW_MAX_BUFFERS];
    double tolerance[MAX_LEAVES];
    unsigned input_count = 0, output_count = 0;
    msw_diag diag;
    for (uint32_t b = 0; b < info->buffer_count; b++) {
        const size_t bytes = info->buffers[b].type.size_bytes * (info->buffers[b].length == MSW_LENGTH_N ? N : 1);
        arrays[b] = malloc(bytes);
        if (!arrays[b]) abort();
        for (size_t i = 0; i < bytes; i++) ((unsigned char *)arrays[b])[i] = (unsigned char)(i * 37 + b);
        if (info->buffers[b].is_output) outputs[output_count++] = arrays[b];
        else inputs[input_count++] = arrays[b];
    }
    expect_outcome(msw_spec_evaluate(spec, op, N, inputs, outputs, NULL, NULL, tolerance, &diag), &diag);
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

/* ---- mutations: bytes seldom make a text that Lua reads; words and lines put in the places of others do ---- */

size_t LLVMFuzzerMutate(unsigned char *data, size_t bytes, size_t capacity);
size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t bytes, size_t capacity, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const unsigned char *data, size_t bytes, const unsigned char *other, size_t other_bytes, unsigned char *out,
                                 size_t capacity, unsigned seed);

typedef struct span {
    const unsigned char *start;
    size_t bytes;
} span;

static unsigned random_below(unsigned *state, size_t limit)
{
    *state = *state * 1664525u + 1013904223u;
    return (unsigned)((*state >> 8) % limit);
}

static int is_word(unsigned char c) { return isalnum(c) || c == '_'; }

/* The word or sign at some place; one time in four the line. Of a text that is not empty. */
static span choose(const unsigned char *text, size_t bytes, unsigned *random)
{
    const int is_line = random_below(random, 4) == 0;
    size_t start = random_below(random, bytes), end = start;
    while (start && (is_line ? text[start - 1] != '\n' : is_word(text[start - 1]) && is_word(text[start]))) start--;
    while (end < bytes && (is_line ? text[end] != '\n' : is_word(text[end]))) end++;
    return (span){text + start, end > start ? end - start : 1};
}

/* `data` with `what`, or nothing, in the place of one of its words, or before it. */
static size_t put(const unsigned char *data, size_t bytes, span what, unsigned char *out, size_t capacity, unsigned *random)
{
    const span old = choose(data, bytes, random);
    const size_t before = (size_t)(old.start - data), skipped = random_below(random, 3) ? old.bytes : 0, after = bytes - before - skipped;
    if (before + what.bytes + after > capacity) return 0;
    memcpy(out, data, before);
    memcpy(out + before, what.start, what.bytes);
    memcpy(out + before + what.bytes, data + before + skipped, after);
    return before + what.bytes + after;
}

size_t LLVMFuzzerCustomCrossOver(const unsigned char *data, size_t bytes, const unsigned char *other, size_t other_bytes, unsigned char *out,
                                 size_t capacity, unsigned seed)
{
    return bytes && other_bytes ? put(data, bytes, choose(other, other_bytes, &seed), out, capacity, &seed) : 0;
}

size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t bytes, size_t capacity, unsigned seed)
{
    static const char *const numbers[] = {"", "0", "1", "-1", "32", "128", "0.5", "1e308", "0x7fffffffffffffff", "(0/0)", "{}", "nil", "\"\""};
    enum { NUMBERS = sizeof numbers / sizeof numbers[0] };
    unsigned char *copy = bytes && random_below(&seed, 4) ? malloc(bytes) : NULL;
    if (!copy) return LLVMFuzzerMutate(data, bytes, capacity);
    memcpy(copy, data, bytes);
    span what = choose(copy, bytes, &seed);
    if (random_below(&seed, 3) == 0) {
        const char *number = numbers[random_below(&seed, NUMBERS)];
        what = (span){(const unsigned char *)number, strlen(number)};
    }
    const size_t made = put(copy, bytes, what, data, capacity, &seed);
    free(copy);
    return made ? made : bytes;
}

/* ---- the target ---- */

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    char *text = malloc(bytes + 1);
    msw_spec_desc desc = {.struct_size = sizeof desc, .text = text, .text_bytes = bytes, .memory_limit_bytes = 32u << 20, .time_limit_ms = 200,
                          .warning = note_warning};
    msw_spec *spec;
    msw_op_info info;
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
