/* The on-disk cache's limit: which entries go, and what else lies in the directory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "numbered_entries.h"

#include <time.h>

static void set_age(const char *path, const char *name, time_t seconds)
{
    char file[4096];
    const time_t used = time(NULL) - seconds;
    const struct timespec times[2] = {{.tv_sec = used}, {.tv_sec = used}};
    snprintf(file, sizeof file, "%s/%s", path, name);
    assert_int_equal(utimensat(AT_FDCWD, file, times, 0), 0);
}

static void test_eviction_keeps_the_limit(void **state)
{
    enum { LIMIT = 200 << 10 };
    char *path = make_directory();
    cache_log log;
    ms_cache cache = open_cache(path, LIMIT, &log);
    (void)state;
    for (uint32_t i = 0; i < 500; i++) {
        store_number(&cache, i);
        assert_int_equal(load_number(&cache, i), 1);
        const cache_files files = list_files(path);
        if (files.disk_bytes > LIMIT) fail_msg("%llu bytes after %u entries", (unsigned long long)files.disk_bytes, i + 1);
        assert_true(i < 20 || files.disk_bytes > LIMIT / 2);
    }
    expect_lines(&log, 0, "");
    ms_cache_close(&cache);
    remove_directory(path);
}

/* What was used longest ago goes first, where loading counts as use; what is not the cache's stays. */
static void test_eviction_order(void **state)
{
    enum { LIMIT = 64 << 10, SMALL = 5 }; /* entries of one block of 4 KiB: sixteen */
    static const unsigned char data[100];
    char *path = make_directory();
    cache_log log;
    ms_cache cache = open_cache(path, LIMIT, &log);
    ms_cache_key keys[17];
    ms_cache_block block;
    (void)state;
    write_bytes(path, "somebody's file.msw", data, sizeof data);
    for (uint32_t i = 0; i < 16; i++) {
        keys[i] = key_of(i);
        const cache_files before = list_files(path);
        ms_cache_store(&cache, &keys[i], data, sizeof data);
        const cache_files after = list_files(path);
        assert_int_equal(after.count, before.count + 1);
        for (uint32_t f = 0; f < after.count; f++)
            if (f >= before.count || strcmp(after.names[f], before.names[f])) {
                set_age(path, after.names[f], 10000 - 100 * i);
                break;
            }
    }
    assert_true(ms_cache_load(&cache, &keys[0], &block));
    ms_cache_release(&cache, &block);
    keys[16] = key_of(16);
    ms_cache_store(&cache, &keys[16], data, sizeof data);
    for (uint32_t i = 0; i < 17; i++) { /* 1, 2 and 3 went: an eighth, and what was stored */
        const int is_there = ms_cache_load(&cache, &keys[i], &block);
        assert_int_equal(is_there, i == 0 || i > 3);
        if (is_there) ms_cache_release(&cache, &block);
    }
    const cache_files files = list_files(path);
    assert_int_equal(files.count, 15);
    ms_cache_close(&cache);
    remove_directory(path);
}

/* Of processes that died: they go after a while, and until then nobody writes to them. */
static void test_leftovers(void **state)
{
    char *path = make_directory(), same[64];
    cache_log log;
    (void)state;
    snprintf(same, sizeof same, "tmp-%ld-0.msw", (long)getpid());
    write_bytes(path, same, "mine", 4);
    write_bytes(path, "tmp-1-1.msw", "x", 1);
    write_bytes(path, "tmp-1-2.msw", "x", 1);
    set_age(path, "tmp-1-1.msw", 7200);
    ms_cache cache = open_cache(path, 0, &log);
    store_number(&cache, 1);
    ms_cache_close(&cache);
    const cache_files files = list_files(path);
    assert_int_equal(files.count, 3);
    assert_int_equal(files.temporary_count, 2);
    file_bytes left = read_bytes(path, same);
    assert_int_equal(left.bytes, 4);
    free(left.data);
    remove_directory(path);
}

/* More than the limit is not stored at all, and pushes nothing out. */
static void test_too_large(void **state)
{
    static const unsigned char data[20000];
    char *path = make_directory();
    cache_log log;
    ms_cache cache = open_cache(path, 16384, &log);
    const ms_cache_key large = key_of(100), small = key_of(101);
    ms_cache_block block;
    (void)state;
    ms_cache_store(&cache, &small, data, 100);
    ms_cache_store(&cache, &large, data, sizeof data);
    assert_false(ms_cache_load(&cache, &large, &block));
    assert_true(ms_cache_load(&cache, &small, &block));
    ms_cache_release(&cache, &block);
    expect_lines(&log, 0, "");
    ms_cache_close(&cache);
    remove_directory(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eviction_keeps_the_limit),
        cmocka_unit_test(test_eviction_order),
        cmocka_unit_test(test_leftovers),
        cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
