/* workload_fixture.h - an operation with made-up data on the host (gen/cli/measure/workload.h), as bench and tune have it. For one file of a
 * program. Include after cmocka.h. */
#ifndef WORKLOAD_FIXTURE_H
#define WORKLOAD_FIXTURE_H

#include "cli/measure/workload.h"

#include <stdlib.h>

static msw_define uniforms[MSW_MAX_BUFFERS];
static ms_options options = {.uniforms = uniforms};

/* Uniforms are 3, 5, 7, 9, as many of these as they have scalars. */
static void give_uniforms(const msw_op_info *info)
{
    static const char *const values[] = {"", "3", "3,5", "3,5,7", "3,5,7,9", "3,5,7,9,3", "3,5,7,9,3,5"};
    options.uniform_count = 0;
    for (uint32_t b = 0; b < info->buffer_count; b++)
        if (info->buffers[b].role == MSW_ROLE_UNIFORM)
            uniforms[options.uniform_count++] = (msw_define){info->buffers[b].name, values[info->buffers[b].type.leaf_count]};
}

/* The spec becomes the workload's, unless it is taken from it before that is closed: several may share one. */
static ms_workload *open_operation(msw_spec *spec, uint32_t op, uint64_t n_max)
{
    const msw_context_desc context = {.struct_size = sizeof context, .device = "host"};
    ms_workload *s = calloc(1, sizeof *s);
    msw_diag diag;
    assert_non_null(s);
    s->options = &options;
    s->op = op;
    assert_int_equal(msw_context_create(&context, &s->context, &diag), MSW_OK);
    s->spec = spec;
    s->info.struct_size = sizeof s->info;
    assert_int_equal(msw_spec_op(s->spec, op, &s->info), MSW_OK);
    give_uniforms(&s->info);
    assert_int_equal(ms_workload_open(s, n_max), MS_EXIT_DONE);
    return s;
}

static msw_spec *open_spec(const msw_spec_desc *desc)
{
    msw_spec *spec;
    msw_diag diag;
    if (msw_spec_create(desc, &spec, &diag)) fail_msg("%s", diag.message);
    return spec;
}

static ms_workload *open_text(const char *text, uint64_t n_max)
{
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text};
    return open_operation(open_spec(&desc), 0, n_max);
}

static void close_workload(ms_workload *s)
{
    ms_workload_release(s);
    msw_spec_destroy(s->spec);
    msw_context_destroy(s->context);
    free(s);
}

#endif
