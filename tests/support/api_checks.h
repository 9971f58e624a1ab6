/* api_checks.h - how calls with bad input are checked: a code, a message, handles NULL; MSW_OK in the diag on success. */
#ifndef API_CHECKS_H
#define API_CHECKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_device.h"

#include <monosweep/monosweep_cuda.h>
#include <monosweep/monosweep_measure.h>
#include <monosweep/monosweep_vulkan.h>

static const char sum_text[] = "return scan { name = 'sums', monoid = sum(u32) }";

/* Sizes that no version of a description has: none, smaller ones than the first's, larger ones than any. */
#define BAD_SIZES(type)                                   \
    {                                                     \
        0, 4, sizeof(type) - 8, (1 << 14) + 1, UINT32_MAX \
    }
enum { BAD_SIZE_COUNT = 5 };

static msw_diag diag;
static int validation_messages;
static void *const poison = (void *)&diag; /* no handle */

/* To be called before each call: whatever was there must be replaced. */
static inline msw_diag *fresh(void)
{
    memset(&diag, 0x5a, sizeof diag);
    return &diag;
}

static inline void expect_refusal(const char *call, msw_result result, msw_result code, const char *words)
{
    if (result != code) fail_msg("%s: %s, not %s: %.300s", call, msw_result_text(result), msw_result_text(code), diag.message);
    if (diag.code != code) fail_msg("%s: the diag has code %d", call, (int)diag.code);
    assert_non_null(memchr(diag.message, '\0', sizeof diag.message));
    assert_non_null(memchr(diag.stage, '\0', sizeof diag.stage));
    assert_non_null(memchr(diag.file, '\0', sizeof diag.file));
    if (!diag.stage[0] || !diag.message[0] || strchr(diag.message, '\n')) fail_msg("%s: stage '%s', message '%s'", call, diag.stage, diag.message);
    if (!strstr(diag.message, words)) fail_msg("%s: '%s' does not say '%s'", call, diag.message, words);
}

#define REFUSED(code, words, call) expect_refusal(#call, (call), code, words)
/* Also with a handle that must become NULL, and once more without a diag. */
#define REFUSED_HANDLE(code, words, handle, call, ...)                             \
    do {                                                                           \
        memcpy(&(handle), &poison, sizeof poison);                                 \
        expect_refusal(#call, call(__VA_ARGS__, &(handle), fresh()), code, words); \
        assert_null(handle);                                                       \
        assert_int_equal(call(__VA_ARGS__, &(handle), NULL), code);                \
        assert_null(handle);                                                       \
    } while (0)

static inline void expect_ok(msw_result result)
{
    if (result != MSW_OK || diag.code != MSW_OK) fail_msg("%s: %.500s", msw_result_text(result), diag.message);
    assert_string_equal(diag.message, "");
}

static inline msw_spec *read_text(const char *text)
{
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text};
    msw_spec *spec;
    expect_ok(msw_spec_create(&desc, &spec, fresh()));
    return spec;
}

static inline msw_context *open_device(const char *device)
{
    const msw_context_desc desc = watched_context(device, &validation_messages);
    msw_context *context;
    expect_ok(msw_context_create(&desc, &context, fresh()));
    return context;
}

static inline msw_kernel *make_kernel(msw_context *context, const char *text)
{
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec_text = text};
    msw_kernel *kernel;
    expect_ok(msw_kernel_create(context, &desc, &kernel, fresh()));
    return kernel;
}

static inline void test_validation_was_silent(void **state)
{
    (void)state;
    assert_int_equal(validation_messages, 0);
}

#endif
