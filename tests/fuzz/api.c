/* Calls that make specs, programs, headers, devices and kernels, one after the other, with descriptions of all kinds: sizes from other versions,
 * handles and texts that are not there, numbers at the edges. Input: for each call a byte, then what it is given. */
#include "fake_driver.h"

#include "descriptions.h"
#include "outcome.h"

#include <monosweep/monosweep_measure.h>

enum { CALLS = 8, N = 5, ELEMENT_BYTES = 128 };

typedef struct handles {
    msw_spec *spec;
    msw_program *programs[2]; /* of that spec */
} handles;

static void release(handles *h)
{
    msw_program_destroy(h->programs[0]);
    msw_program_destroy(h->programs[1]);
    msw_spec_destroy(h->spec);
    *h = (handles){0};
}

static void create_spec(handles *h, input *in)
{
    msw_define defines[FEW];
    msw_spec_desc desc = {.struct_size = take_size(in, sizeof desc), .text = take_text(in), .file = take_text(in), .time_limit_ms = 100};
    msw_diag diag;
    desc.text_bytes = desc.text && *desc.text ? take(in, 1) % strlen(desc.text) : 0;
    desc.memory_limit_bytes = take_number(in) << 10;
    desc.define_count = take_knobs(in, (msw_knob *)defines);
    desc.defines = take(in, 1) < 250 ? defines : NULL;
    desc.skip_laws = (uint32_t)take(in, 1) % 4;
    void *placed = place(&desc, sizeof desc, desc.struct_size);
    release(h);
    expect_outcome(msw_spec_create(placed, &h->spec, &diag), &diag);
    free(placed);
}

/* By a part of a byte, of which the lowest bit means something else. */
static void choose_tuning(msw_program_desc *desc, uint64_t byte)
{
    static const char *const tables[] = {
        NULL,
        "",
        "row { backend = 'vulkan', class = 'scan', bytes = 4, strategy = 'lookback', knobs = { block = 64, items = 4 } }",
        "row { backend = 'cuda', arch = 'sm_90', class = 'sort', bytes = { 1, 16 }, knobs = { digit_bits = 7 } }\n"
        "row { backend = 'cuda', class = 'sort_pairs', bytes = { 1, 16 }, knobs = { digit_bits = 6 }, figure = '1 Gkeys/s\\nof two lines' }",
        "row { backend = 'cuda', class = 'scan', bytes = 4, knobs = { items = 3 } }",
        "row { backend = 'none' }",
        "row {",
        "while true do end"};
    static const char *const names[] = {NULL, "", "mine.lua", "table\nof two lines"};
    enum { TABLES = sizeof tables / sizeof tables[0], NAMES = sizeof names / sizeof names[0] };
    desc->tuning = tables[byte / 2 % TABLES];
    desc->tuning_name = names[byte / 2 / TABLES % NAMES];
}

static void create_program(handles *h, input *in)
{
    msw_knob knobs[FEW];
    const uint32_t which = take_below(in, 2);
    msw_program_desc desc = {.struct_size = take_size(in, sizeof desc), .op = (uint32_t)take_number(in), .knob_count = take_knobs(in, knobs)};
    msw_target target = {.struct_size = take_size(in, sizeof target), .backend = take_below(in, 6), .has_features = take_below(in, 3)};
    uint32_t *const numbers[] = {&target.subgroup_size, &target.max_block_threads, &target.max_block_subgroups,
                                 &target.shared_bytes,  &target.max_blocks,        &target.compute_units,
                                 &target.features,      &target.progress};
    msw_diag diag;
    target.arch = take_text(in);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) *numbers[i] = (uint32_t)take_number(in);
    const uint64_t byte = take(in, 1);
    if (byte % 2) memset(target.device, 'd', sizeof target.device);
    choose_tuning(&desc, byte);
    desc.knobs = take(in, 1) < 250 ? knobs : NULL;
    void *placed_target = take(in, 1) < 250 ? place(&target, sizeof target, target.struct_size) : NULL;
    desc.target = placed_target;
    void *placed = place(&desc, sizeof desc, desc.struct_size);
    msw_program_destroy(h->programs[which]);
    expect_outcome(msw_program_create(h->spec, placed, &h->programs[which], &diag), &diag);
    free(placed);
    free(placed_target);
}

static void make_header(handles *h, input *in)
{
    msw_program *programs[3] = {h->programs[0], h->programs[1], NULL};
    msw_header_desc desc = {.struct_size = take_size(in, sizeof desc),
                            .program_count = take_below(in, 4),
                            .programs = programs,
                            .spdx = take_text(in),
                            .command = take_text(in),
                            .form = (uint32_t)take_number(in)};
    const char *text;
    msw_diag diag;
    void *placed = place(&desc, sizeof desc, desc.struct_size);
    if (!expect_outcome(msw_header_text(h->spec, placed, &text, &diag), &diag) && !text[0]) abort();
    free(placed);
}

static void evaluate(handles *h, input *in)
{
    static unsigned char arrays[4][N * ELEMENT_BYTES], carry[ELEMENT_BYTES];
    const uint64_t choices = take(in, 1);
    const void *const inputs[MSW_MAX_BUFFERS] = {choices & 1 ? NULL : arrays[0], choices & 2 ? NULL : arrays[1]};
    void *const outputs[MSW_MAX_BUFFERS] = {choices & 4 ? NULL : arrays[2], choices & 8 ? NULL : arrays[3]};
    msw_diag diag;
    void *const carries = choices & 64 ? carry : NULL;
    const uint32_t op = (uint32_t)take_number(in), n = take_below(in, N + 1);
    expect_outcome(msw_spec_evaluate(h->spec, op, n, choices & 16 ? NULL : inputs, choices & 32 ? NULL : outputs, carries, carries, &diag), &diag);
}

static void ask(handles *h, input *in)
{
    const msw_program *program = h->programs[take_below(in, 2)];
    const uint64_t n = take_number(in);
    msw_tuning_class class = {.struct_size = sizeof class};
    msw_op_info info = {.struct_size = sizeof info};
    msw_diag diag;
    msw_spec_find(h->spec, take_text(in));
    msw_spec_op(h->spec, (uint32_t)n, take(in, 1) < 250 ? &info : NULL);
    if (!msw_spec_name(h->spec) || !msw_spec_summary(h->spec) || !msw_spec_json(h->spec) || !msw_result_text((msw_result)n)) abort();
    if (!msw_program_summary(program) || !msw_program_json(program)) abort();
    if (msw_scratch_bytes(msw_program_plan(program), n) > msw_scratch_bytes(msw_program_plan(program), UINT64_MAX)) abort();
    msw_ends_in_inputs(msw_program_plan(program), n);
    if (!expect_outcome(msw_program_tuning_class(program, n == 63 ? NULL : &class, &diag), &diag) &&
        !(class.backend[0] && class.name[0] && class.bytes))
        abort();
}

/* A device, and a kernel on it. */
static void create_kernel(handles *h, input *in)
{
    msw_cuda_device vendor = vendor_of(NULL);
    msw_context_desc desc = {.struct_size = take_size(in, sizeof desc), .device = take_text(in), .progress = (uint32_t)take_number(in)};
    msw_knob knobs[FEW];
    msw_kernel_desc creation = {.struct_size = take_size(in, sizeof creation), .spec_text = take_text(in), .spec_file = take_text(in)};
    msw_device_info devices[2] = {{.struct_size = sizeof *devices}};
    msw_context *context;
    msw_kernel *kernel = NULL;
    uint32_t count;
    msw_diag diag;
    const int has_vendor = take(in, 1) % 2;
    creation.op = take_text(in);
    creation.knob_count = take_knobs(in, knobs);
    creation.subgroup_size = (uint32_t)take_number(in);
    creation.spec = take(in, 1) > 250 ? h->spec : NULL;
    vendor.struct_size = take_size(in, sizeof vendor);
    creation.knobs = take(in, 1) < 250 ? knobs : NULL;
    void *placed_vendor = place(&vendor, sizeof vendor, vendor.struct_size);
    desc.vendor = has_vendor ? placed_vendor : NULL;
    void *placed = place(&desc, sizeof desc, desc.struct_size), *placed_creation = place(&creation, sizeof creation, creation.struct_size);
    expect_outcome(msw_context_create(placed, &context, &diag), &diag);
    expect_outcome(msw_devices(placed, devices, take_below(in, 3), &count, &diag), &diag);
    if (!context || msw_context_device(context)->backend == MSW_BACKEND_HOST) /* others would compile, which takes long */
        expect_outcome(msw_kernel_create(context, placed_creation, &kernel, &diag), &diag);
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
    free(placed_creation);
    free(placed_vendor);
    free(placed);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    static void (*const calls[])(handles *, input *) = {create_spec, create_program, make_header, evaluate, ask, create_kernel};
    input in = {data, bytes};
    handles h = {0};
    setenv("VK_DRIVER_FILES", "/dev/null", 1); /* Vulkan's drivers are not what is looked at */
    reset(NULL);
    for (int c = 0; c < CALLS && in.bytes; c++) calls[take_below(&in, sizeof calls / sizeof calls[0])](&h, &in);
    release(&h);
    expect_nothing_alive();
    return 0;
}
