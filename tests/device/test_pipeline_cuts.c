/* Pipelines by each way of cutting them: the results are those of their operations one by one. On the host, and on the device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../backends/simulator/offsets.h"
#include "splitmix.h"
#include "test_device.h"

/* SEGMENTS: of pipelines with offsets; no array of the corpus's has more than MOST elements. */
enum { N = 2999, SEGMENTS = 701, MOST = 50001, MOST_BYTES = 8 * MOST, CUTS = MSW_CUT_UNFUSED + 1 };

static test_device device;
static msw_spec *specs[CUTS];

static void check(msw_result result, const msw_diag *diag)
{
    if (result != MSW_OK) fail_msg("%s", diag->message);
}

static int open_all(void **state)
{
    (void)state;
    for (uint32_t cut = 0; cut < CUTS; cut++) {
        msw_spec_desc desc = {.struct_size = sizeof desc, .file = MSW_SOURCE_DIR "/tests/corpus/pipelines.lua", .cut = cut, .time_limit_ms = 4000};
        msw_diag diag;
        check(msw_spec_create(&desc, &specs[cut], &diag), &diag);
    }
    return test_device_open(&device);
}

static int close_all(void **state)
{
    (void)state;
    for (uint32_t cut = 0; cut < CUTS; cut++) msw_spec_destroy(specs[cut]);
    return test_device_close(&device);
}

typedef struct arrays {
    msw_op_info info;
    uint32_t input_count, output_count;
    void *inputs[MSW_MAX_BUFFERS], *outputs[MSW_MAX_BUFFERS];
} arrays;

static int is_length(const msw_op_info *info, uint32_t b)
{
    int gives = 0;
    for (uint32_t other = 0; other < info->buffer_count; other++) gives |= msw_given_by(info->buffers[other].length) == (int)b;
    return gives;
}

static void open_arrays(arrays *a, uint32_t op)
{
    const uint64_t segments = SEGMENTS;
    uint64_t random = 5;
    *a = (arrays){.info = {.struct_size = sizeof a->info}};
    check(msw_spec_op(specs[0], op, &a->info), NULL);
    for (uint32_t b = 0; b < a->info.buffer_count; b++) {
        const msw_op_buffer *buffer = &a->info.buffers[b];
        uint8_t *array = test_calloc(MOST_BYTES, 1);
        assert_true(msw_elements_given(buffer->length, N, SEGMENTS) * buffer->type.size_bytes <= MOST_BYTES);
        if (buffer->role == MSW_ROLE_OUT) {
            a->outputs[a->output_count++] = array;
            continue;
        }
        a->inputs[a->input_count++] = array;
        if (is_length(&a->info, b)) memcpy(array, &segments, sizeof segments);
        else if (buffer->role == MSW_ROLE_IN && msw_given_by(buffer->length) >= 0) offsets_fill(5, N, segments, (void *)array);
        else
            for (uint32_t i = 0; i < MOST_BYTES; i++) array[i] = (uint8_t)ms_splitmix_next(&random);
    }
}

static void close_arrays(arrays *a)
{
    for (uint32_t i = 0; i < a->input_count; i++) test_free(a->inputs[i]);
    for (uint32_t o = 0; o < a->output_count; o++) test_free(a->outputs[o]);
}

static void compare(const arrays *a, const arrays *expected, uint32_t cut, const char *where)
{
    for (uint32_t o = 0; o < a->output_count; o++)
        if (memcmp(a->outputs[o], expected->outputs[o], MOST_BYTES) != 0)
            fail_msg("%s, cut %u, %s: output %u differs from that of its operations one by one", a->info.name, cut, where, o);
}

/* 1: an earlier cut has the same stages, by what the spec's JSON says of them. */
static int is_another(uint32_t op, uint32_t cut)
{
    msw_op_info info[2] = {{.struct_size = sizeof *info}, {.struct_size = sizeof *info}};
    for (uint32_t other = 0; other < cut; other++) {
        check(msw_spec_op(specs[cut], op, &info[0]), NULL);
        check(msw_spec_op(specs[other], op, &info[1]), NULL);
        int is_same = info[0].stage_count == info[1].stage_count;
        for (uint32_t s = 0; is_same && s < info[0].stage_count; s++) {
            msw_stage_info stages[2] = {{.struct_size = sizeof *stages}, {.struct_size = sizeof *stages}};
            check(msw_spec_stage(specs[cut], op, s, &stages[0]), NULL);
            check(msw_spec_stage(specs[other], op, s, &stages[1]), NULL);
            is_same = !memcmp(stages[0].arrays, stages[1].arrays, sizeof stages[0].arrays);
        }
        if (is_same) return 0;
    }
    return 1;
}

static void test_cuts(void **state)
{
    uint32_t kernels = 0;
    msw_diag diag;
    (void)state;
    for (uint32_t op = 0; op < msw_spec_op_count(specs[0]); op++) {
        arrays expected;
        open_arrays(&expected, op);
        check(msw_spec_evaluate(specs[MSW_CUT_UNFUSED], op, N, (const void *const *)expected.inputs, expected.outputs, NULL, NULL, &diag), &diag);
        for (uint32_t cut = 0; cut < CUTS; cut++) {
            const msw_kernel_desc desc = {
                .struct_size = sizeof desc, .spec = specs[cut], .op = expected.info.name, .first_n = N, .rest = MSW_REST_WHEN_ASKED};
            msw_kernel *kernel;
            arrays a;
            open_arrays(&a, op);
            check(msw_spec_evaluate(specs[cut], op, N, (const void *const *)a.inputs, a.outputs, NULL, NULL, &diag), &diag);
            compare(&a, &expected, cut, "host");
            if (is_another(op, cut)) {
                for (uint32_t o = 0; o < a.output_count; o++) memset(a.outputs[o], 0, MOST_BYTES);
                check(msw_kernel_create(device.context, &desc, &kernel, &diag), &diag);
                check(msw_kernel_run_host(kernel, N, (const void *const *)a.inputs, a.outputs, NULL, &diag), &diag);
                compare(&a, &expected, cut, device.info->name);
                msw_kernel_destroy(kernel);
                kernels++;
            }
            close_arrays(&a);
        }
        close_arrays(&expected);
    }
    print_message("%u pipelines on %s\n", kernels, device.info->name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cuts)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
