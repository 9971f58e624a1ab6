/* A scattered output that a uniform makes longer than 32 bits count, on the host: memory is reserved, and touched at few pages. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <monosweep/monosweep.h>
#include <sys/mman.h>

static const uint64_t length = 4400000000;
static unsigned char *array;

static int reserve(void **state)
{
    (void)state;
    array = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return array == MAP_FAILED;
}

static int release(void **state)
{
    (void)state;
    return munmap(array, length);
}

static void check_places(const char *text)
{
    static const uint64_t places[] = {5,          3221225470, 3221225471, 3221225472, UINT32_MAX - 1,
                                      UINT32_MAX, 4294967300, 4399999999, 4400000000, UINT64_MAX};
    enum { COUNT = sizeof places / sizeof *places };
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text};
    msw_spec *spec;
    msw_diag diag;
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
    for (int i = 0; i < COUNT; i++)
        if (places[i] < length) array[places[i]] = 0;
    if (msw_spec_evaluate(spec, 0, COUNT, (const void *[]){places, &length}, (void *[]){array}, NULL, NULL, &diag)) fail_msg("%s", diag.message);
    for (int i = 0; i < COUNT; i++)
        if (places[i] < length && array[places[i]] != 7) fail_msg("%s: nothing at %llu", text, (unsigned long long)places[i]);
    msw_spec_destroy(spec);
}

static void test_places(void **state)
{
    (void)state;
    check_places("local m = uniform('m', u64)\n"
                 "return map { input = u64, outputs = { {'y', value = function(x) return u8(7) end, at = function(x) return x end, length = m} } }");
    check_places("local m = uniform('m', u64)\n"
                 "return scan { monoid = sum(u64), outputs = { {'y', value = function(s, x) return u8(7) end, at = function(s, x) return x end,\n"
                 "  keep = function(s, x) return lt(x, m) end, length = m} } }");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_places)};
    return cmocka_run_group_tests(tests, reserve, release);
}
