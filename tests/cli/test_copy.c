/* The copy kernel that benches compare with (gen/cli/measure/baseline_copy.c): every byte, and no other. */
#include "api_checks.h"

#include "cli/measure/baseline_copy.h"

enum { BYTES = 1 << 20, GUARD = 64 };

static msw_context *context;
static unsigned char data[BYTES + GUARD], got[BYTES + GUARD];

static int open_all(void **state)
{
    (void)state;
    context = open_device("vulkan");
    for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * 2654435761u >> 24);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    msw_context_destroy(context);
    return 0;
}

static msw_buffer *filled_buffer(int byte)
{
    msw_buffer *buffer;
    expect_ok(msw_buffer_create(context, sizeof data, &buffer, fresh()));
    memset(got, byte, sizeof got);
    expect_ok(msw_buffer_write(buffer, 0, got, sizeof got, fresh()));
    return buffer;
}

/* What is beyond stays as it is, where a last word is cut off, too. */
static void test_copies(void **state)
{
    static const uint32_t sizes[] = {0,     3,     4,     7,     8,     12,    16,    20,     28,        4092, 4100,
                                     16380, 16384, 16388, 16400, 32768, 49164, 65534, 100004, BYTES - 4, BYTES};
    msw_buffer *from = filled_buffer(0), *to = filled_buffer(0);
    msw_kernel *copy;
    (void)state;
    expect_ok(msw_buffer_write(from, 0, data, sizeof data, fresh()));
    expect_ok(ms_copy_create(context, &copy, fresh()));
    assert_non_null(copy);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const uint32_t bytes = sizes[s] / 4 * 4;
        memset(got, 0xa5, sizeof got);
        expect_ok(msw_buffer_write(to, 0, got, sizeof got, fresh()));
        assert_true(ms_copy(copy, to, from, sizes[s], fresh()) >= 0);
        expect_ok(msw_buffer_read(to, 0, got, sizeof got, fresh()));
        if (memcmp(got, data, bytes)) fail_msg("%u bytes are not copied", sizes[s]);
        for (size_t i = bytes; i < sizeof got; i++)
            if (got[i] != 0xa5) fail_msg("of %u bytes, byte %zu is written", sizes[s], i);
    }
    assert_true(ms_copy(NULL, to, from, BYTES, fresh()) >= 0); /* the driver's */
    assert_true(ms_copy(copy, to, to, 16, fresh()) < 0);
    assert_int_equal(diag.code, MSW_ERROR_INVALID_ARGUMENT);
    msw_kernel_destroy(copy);
    msw_buffer_destroy(from);
    msw_buffer_destroy(to);
}

/* Blocks go round where there are fewer of them than tiles. */
static void test_few_blocks(void **state)
{
    msw_buffer *from = filled_buffer(0), *to = filled_buffer(0xa5);
    msw_kernel *copy;
    (void)state;
    expect_ok(msw_buffer_write(from, 0, data, sizeof data, fresh()));
    expect_ok(ms_copy_create(context, &copy, fresh()));
    ((msw_plan *)msw_kernel_plan(copy))->steps[0].max_blocks = 7; /* the kernel's own, which it runs by */
    assert_true(ms_copy(copy, to, from, BYTES - 20, fresh()) >= 0);
    expect_ok(msw_buffer_read(to, 0, got, sizeof got, fresh()));
    assert_memory_equal(got, data, BYTES - 20);
    for (size_t i = BYTES - 20; i < sizeof got; i++) assert_int_equal(got[i], 0xa5);
    msw_kernel_destroy(copy);
    msw_buffer_destroy(from);
    msw_buffer_destroy(to);
}

static void test_other_backends(void **state)
{
    msw_context *host = open_device("host");
    msw_kernel *copy;
    (void)state;
    assert_int_equal(ms_copy_create(host, &copy, fresh()), MSW_OK);
    assert_null(copy);
    msw_context_destroy(host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies), cmocka_unit_test(test_few_blocks), cmocka_unit_test(test_other_backends),
                                       cmocka_unit_test(test_validation_was_silent)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
