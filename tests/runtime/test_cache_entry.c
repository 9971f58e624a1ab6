/* Entries of the on-disk cache as bytes: keys, heads with their hashes, records of plans. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "numbered_entries.h"

#include "../../runtime/plan_record.h"

static void test_keys(void **state)
{
    static const char *const parts[][3] = {{"ab", "c", ""},   {"a", "bc", ""},   {"abc", "", ""}, {"", "abc", ""},
                                           {"abc", NULL, ""}, {NULL, "abc", ""}, {"c", "ab", ""}, {"abc", "", NULL}};
    enum { CASES = sizeof parts / sizeof *parts };
    ms_cache_key keys[CASES];
    (void)state;
    for (int c = 0; c < CASES; c++) {
        keys[c] = (ms_cache_key){{0}};
        for (int p = 0; p < 3; p++) ms_cache_key_add_text(&keys[c], parts[c][p]);
        for (int earlier = 0; earlier < c; earlier++) assert_memory_not_equal(&keys[c], &keys[earlier], sizeof *keys);
    }
}

static void test_entries(void **state)
{
    enum { BYTES = 700, LENGTH = MS_CACHE_HEAD_BYTES + BYTES };
    static unsigned char entry[LENGTH + 16];
    const ms_cache_key key = key_of(1), other = key_of(2);
    (void)state;
    for (int i = 0; i < BYTES; i++) entry[MS_CACHE_HEAD_BYTES + i] = (unsigned char)(i * i >> 3);
    ms_cache_entry_head(entry, &key, entry + MS_CACHE_HEAD_BYTES, BYTES);
    assert_true(ms_cache_entry_is_whole(entry, LENGTH, &key));
    assert_false(ms_cache_entry_is_whole(entry, LENGTH, &other));
    for (size_t length = 0; length < sizeof entry; length++) assert_int_equal(ms_cache_entry_is_whole(entry, length, &key), length == LENGTH);
    for (size_t i = 0; i < LENGTH; i++)
        for (int bit = 0; bit < 8; bit++) {
            entry[i] ^= (unsigned char)(1 << bit);
            assert_false(ms_cache_entry_is_whole(entry, LENGTH, &key));
            entry[i] ^= (unsigned char)(1 << bit);
        }
    ms_cache_entry_head(entry, &key, NULL, 0);
    assert_true(ms_cache_entry_is_whole(entry, MS_CACHE_HEAD_BYTES, &key));
}

static msw_plan make_plan(void)
{
    msw_plan plan = {.format = MSW_PLAN_FORMAT,
                     .backend = MSW_BACKEND_CUDA,
                     .name = "sums",
                     .buffer_count = 2,
                     .kernel_count = 2,
                     .step_count = 2,
                     .variant_count = 1,
                     .buffers = {{"in", 4, 4, MSW_LENGTH_N, 0, 0, 0}, {"out", 8, 4, MSW_LENGTH_N, 1, 0, 0}},
                     .kernels = {{.entry = "first", .text = "text", .code = "code", .code_bytes = 4}, {.entry = "second", .shared_bytes = 77}},
                     .steps = {{.tile_items = 5}, {.kernel = 1, .max_blocks = 6}},
                     .variants = {{.n_max = UINT64_MAX, .step_count = 2, .strategy = "two steps"}}};
    return plan;
}

static void test_plan_records(void **state)
{
    static unsigned char record[1 << 15], damaged[1 << 15];
    const msw_plan plan = make_plan();
    const size_t bytes = ms_plan_record_bytes(&plan);
    ms_cache_key codes[MSW_MAX_KERNELS] = {{{0}}}, read_codes[MSW_MAX_KERNELS];
    const char **names[MS_MAX_PLAN_NAMES];
    msw_plan read;
    (void)state;
    codes[1] = key_of(1);
    assert_true(bytes < sizeof record);
    ms_plan_record_write(&plan, codes, record);
    assert_true(ms_plan_record_read(record, bytes, &read, read_codes));
    assert_memory_equal(codes, read_codes, sizeof codes);
    assert_string_equal(read.name, "sums");
    assert_string_equal(read.buffers[1].name, "out");
    assert_string_equal(read.kernels[1].entry, "second");
    assert_string_equal(read.variants[0].strategy, "two steps");
    assert_null(read.kernels[0].text);
    assert_null(read.kernels[0].code);
    assert_int_equal(read.kernels[0].code_bytes, 0);
    assert_int_equal(read.kernels[1].shared_bytes, 77);
    assert_int_equal(read.steps[1].max_blocks, 6);
    assert_true(read.variants[0].n_max == UINT64_MAX);
    for (size_t length = 0; length < bytes + 3; length++) assert_int_equal(ms_plan_record_read(record, length, &read, read_codes), length == bytes);
    for (size_t i = 0; i < bytes; i++) { /* whatever passes has names that end within the record */
        memcpy(damaged, record, bytes);
        damaged[i] ^= 0xff;
        if (!ms_plan_record_read(damaged, bytes, &read, read_codes)) continue;
        for (uint32_t n = ms_plan_names(&read, names); n-- > 0;) {
            const char *name = *names[n], *end = (const char *)damaged + bytes;
            assert_true(name >= (const char *)damaged && name < end && memchr(name, '\0', (size_t)(end - name)));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_entries),
        cmocka_unit_test(test_plan_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
