/* The on-disk cache by itself: entries that were damaged, directories that cannot be used, many processes, memory that is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "failing.h"
#include "numbered_entries.h"

#include <signal.h>
#include <sys/resource.h>

static void test_stores_and_loads(void **state)
{
    char *path = make_directory(), nested[4096];
    cache_log log;
    struct stat status;
    (void)state;
    snprintf(nested, sizeof nested, "%s/a b/c/", path);
    ms_cache cache = open_cache(nested, 0, &log);
    assert_int_equal(load_number(&cache, 1), 0);
    store_number(&cache, 1);
    store_number(&cache, 2);
    store_number(&cache, 2);
    assert_int_equal(load_number(&cache, 1), 1);
    assert_int_equal(load_number(&cache, 2), 1);
    assert_int_equal(load_number(&cache, 3), 0);
    ms_cache_close(&cache);
    assert_int_equal(load_number(&cache, 1), 0);
    store_number(&cache, 4);
    const cache_files files = list_files(nested);
    assert_int_equal(files.count, 2);
    assert_int_equal(files.temporary_count, 0);
    assert_int_equal(stat(nested, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    snprintf(nested + strlen(nested), sizeof nested - strlen(nested), "%s", files.names[0]);
    assert_int_equal(stat(nested, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    expect_lines(&log, 0, "");
    remove_directory(path);
}

/* A damaged entry is not loaded, and one line says so; storing puts a whole one in its place. */
static void expect_rebuilt(const char *path, const char *name, const void *damaged, size_t bytes)
{
    cache_log log;
    ms_cache cache = open_cache(path, 0, &log);
    write_bytes(path, name, damaged, bytes);
    assert_int_equal(load_number(&cache, 7), 0);
    expect_lines(&log, 1, "is damaged; it is made anew");
    assert_int_equal(load_number(&cache, 7), 0);
    store_number(&cache, 7);
    assert_int_equal(load_number(&cache, 7), 1);
    expect_lines(&log, 1, name);
    ms_cache_close(&cache);
}

static void test_damage(void **state)
{
    char *path = make_directory();
    cache_log log;
    ms_cache cache = open_cache(path, 0, &log);
    (void)state;
    store_number(&cache, 7);
    ms_cache_close(&cache);
    const cache_files files = list_files(path);
    const char *name = files.names[0];
    file_bytes entry = read_bytes(path, name);
    assert_true(entry.bytes > 1000);
    for (size_t i = 0; i < entry.bytes; i++) {
        entry.data[i] ^= (unsigned char)(1 + i % 255);
        expect_rebuilt(path, name, entry.data, entry.bytes);
        entry.data[i] ^= (unsigned char)(1 + i % 255);
    }
    for (size_t bytes = 0; bytes < entry.bytes; bytes++) expect_rebuilt(path, name, entry.data, bytes);
    entry.data[entry.bytes] = 0;
    expect_rebuilt(path, name, entry.data, entry.bytes + 1);
    free(entry.data);
    remove_directory(path);
}

/* Another entry's file under this one's name: whole, but not the one that was asked for. */
static void test_swapped(void **state)
{
    char *path = make_directory();
    cache_log log;
    ms_cache cache = open_cache(path, 0, &log);
    (void)state;
    store_number(&cache, 7);
    const cache_files first = list_files(path);
    store_number(&cache, 8);
    const cache_files both = list_files(path);
    const char *name = first.names[0], *other = strcmp(both.names[0], name) ? both.names[0] : both.names[1];
    file_bytes entry = read_bytes(path, other);
    ms_cache_close(&cache);
    expect_rebuilt(path, name, entry.data, entry.bytes);
    free(entry.data);
    remove_directory(path);
}

/* ---- directories and files that are not to be used ---- */

static void expect_unusable(const char *path, const char *words)
{
    cache_log log;
    ms_cache cache = open_cache(path, 0, &log);
    store_number(&cache, 1);
    assert_int_equal(load_number(&cache, 1), 0);
    store_number(&cache, 1);
    expect_lines(&log, 1, words);
    assert_non_null(strstr(log.last, "cache: "));
    ms_cache_close(&cache);
}

static void test_unusable_directories(void **state)
{
    char *path = make_directory(), inside[4096];
    (void)state;
    snprintf(inside, sizeof inside, "%s/file", path);
    write_bytes(path, "file", "x", 1);
    expect_unusable(inside, "cannot be opened: Not a directory");
    expect_unusable("", "cannot be opened");
    assert_int_equal(chmod(path, 0770), 0);
    expect_unusable(path, "others may write to it");
    assert_int_equal(chmod(path, 0702), 0);
    expect_unusable(path, "others may write to it");
    assert_int_equal(chmod(path, 0755), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, NOBODY, NOBODY), 0);
        expect_unusable(path, "belongs to another user");
    } else {
        expect_unusable("/", "belongs to another user");
    }
    assert_int_equal(list_files(path).count, 1);
    remove_directory(path);
}

/* What stands in an entry's place and is not the user's own file is not read, let alone waited for. */
static void expect_foreign(const char *path, const char *words)
{
    cache_log log;
    ms_cache cache = open_cache(path, 0, &log);
    assert_int_equal(load_number(&cache, 7), 0);
    expect_lines(&log, 1, words);
    ms_cache_close(&cache);
}

static void test_foreign_entries(void **state)
{
    char *path = make_directory(), file[4096], elsewhere[4096];
    cache_log log;
    ms_cache cache = open_cache(path, 0, &log);
    (void)state;
    store_number(&cache, 7);
    snprintf(file, sizeof file, "%s/%s", path, list_files(path).names[0]);
    snprintf(elsewhere, sizeof elsewhere, "%s.entry", path);
    assert_int_equal(chmod(file, 0620), 0);
    expect_foreign(path, "no file of the user's own");
    assert_int_equal(chmod(file, 0644), 0);
    assert_int_equal(load_number(&cache, 7), 1);
    if (geteuid() == 0) {
        assert_int_equal(chown(file, NOBODY, NOBODY), 0);
        expect_foreign(path, "no file of the user's own");
        store_number(&cache, 7);
        assert_int_equal(load_number(&cache, 7), 1);
    }
    assert_int_equal(rename(file, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, file), 0);
    expect_foreign(path, "cannot be read");
    store_number(&cache, 7);
    assert_int_equal(load_number(&cache, 7), 1);
    assert_int_equal(unlink(elsewhere), 0);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(mkfifo(file, 0600), 0);
    expect_foreign(path, "no file of the user's own");
    store_number(&cache, 7);
    assert_int_equal(load_number(&cache, 7), 1);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(mkdir(file, 0700), 0);
    expect_foreign(path, "no file of the user's own");
    store_number(&cache, 7); /* cannot take a directory's place */
    expect_lines(&log, 1, "cannot be written");
    assert_int_equal(list_files(path).temporary_count, 0);
    ms_cache_close(&cache);
    remove_directory(path);
}

/* What is there is loaded; that nothing can be stored is said once. */
static int use_read_only(const char *path)
{
    cache_log log;
    ms_cache cache = open_cache(path, 0, &log);
    store_number(&cache, 1);
    if (log.lines || chmod(path, 0500)) return 1;
    if (load_number(&cache, 1) != 1 || log.lines) return 2;
    store_number(&cache, 2);
    store_number(&cache, 3);
    if (load_number(&cache, 1) != 1 || load_number(&cache, 2) || load_number(&cache, 3)) return 3;
    ms_cache_close(&cache);
    return log.lines == 1 && strstr(log.last, "cannot be written: Permission denied") ? 0 : 4;
}

static void test_read_only(void **state)
{
    char *path = make_directory();
    (void)state;
    assert_int_equal(run_without_rights(use_read_only, path), 0);
    assert_int_equal(chmod(path, 0700), 0);
    const cache_files files = list_files(path);
    assert_int_equal(files.count, 1);
    remove_directory(path);
}

/* The disk becomes full at every place of an entry. */
static void test_full_disk(void **state)
{
    static const int64_t rooms[] = {0, 1, MS_CACHE_HEAD_BYTES - 1, MS_CACHE_HEAD_BYTES, MS_CACHE_HEAD_BYTES + 1, 700};
    char *path = make_directory();
    (void)state;
    for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++) {
        cache_log log;
        ms_cache cache = open_cache(path, 0, &log);
        store_number(&cache, 1);
        disk_room = rooms[r];
        store_number(&cache, 2);
        disk_room = -1;
        store_number(&cache, 3); /* it does not try again */
        expect_lines(&log, 1, "cannot be written: No space left on device; what is compiled now is not kept");
        assert_int_equal(load_number(&cache, 1), 1);
        assert_int_equal(load_number(&cache, 2), 0);
        assert_int_equal(load_number(&cache, 3), 0);
        ms_cache_close(&cache);
        const cache_files files = list_files(path);
        assert_int_equal(files.count, 1);
    }
    remove_directory(path);
}

/* A limit of the process's own on files. */
static void test_file_limit(void **state)
{
    char *path = make_directory();
    cache_log log;
    ms_cache cache = open_cache(path, 0, &log);
    struct rlimit before;
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){60, before.rlim_max}), 0);
    store_number(&cache, 1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    expect_lines(&log, 1, "cannot be written: File too large");
    ms_cache_close(&cache);
    const cache_files files = list_files(path);
    assert_int_equal(files.count, 0);
    remove_directory(path);
}

/* ---- processes ---- */

enum { PROCESSES = 16, ROUNDS = 400, NUMBERS = 24, SHARED_LIMIT = 160 << 10 };

static int use_shared(const char *path, uint32_t seed)
{
    cache_log log;
    ms_cache cache = open_cache(path, SHARED_LIMIT, &log);
    int hits = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        seed = seed * 1664525u + 1013904223u;
        const uint32_t number = (seed >> 16) % NUMBERS;
        const int loaded = load_number(&cache, number);
        if (loaded < 0) return 1;
        if (!loaded) store_number(&cache, number);
        hits += loaded;
    }
    ms_cache_close(&cache);
    return log.lines ? 2 : hits == 0 ? 3 : 0;
}

static void test_processes(void **state)
{
    char *path = make_directory();
    pid_t children[PROCESSES];
    cache_log log;
    int status;
    (void)state;
    for (uint32_t p = 0; p < PROCESSES; p++) {
        children[p] = fork();
        assert_true(children[p] >= 0);
        if (children[p] == 0) _exit(use_shared(path, p));
    }
    for (int p = 0; p < PROCESSES; p++) {
        assert_int_equal(waitpid(children[p], &status, 0), children[p]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    ms_cache cache = open_cache(path, SHARED_LIMIT, &log);
    store_number(&cache, NUMBERS);
    assert_int_equal(load_number(&cache, NUMBERS), 1);
    ms_cache_close(&cache);
    const cache_files files = list_files(path);
    assert_int_equal(files.temporary_count, 0);
    assert_true(files.disk_bytes <= SHARED_LIMIT);
    remove_directory(path);
}

/* ---- without memory ---- */

static void test_allocations(void **state)
{
    char *path = make_directory();
    (void)state;
    for (int64_t first = 1; first < 6; first++) {
        failing memory = {.first = first, .count = 1};
        const msw_allocator allocator = {&memory, failing_resize};
        const msw_context_desc desc = {.struct_size = sizeof desc, .cache_dir = path, .allocator = &allocator};
        ms_cache cache;
        ms_cache_open(&cache, &desc);
        store_number(&cache, 1);
        assert_true(load_number(&cache, 1) >= 0);
        store_number(&cache, 2);
        assert_true(load_number(&cache, 2) >= 0);
        memory.first = 0;
        assert_int_equal(load_number(&cache, 1), 1);
        ms_cache_close(&cache);
        assert_int_equal(memory.live_blocks, 0);
    }
    remove_directory(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stores_and_loads), cmocka_unit_test(test_damage),
        cmocka_unit_test(test_swapped),          cmocka_unit_test(test_unusable_directories),
        cmocka_unit_test(test_foreign_entries),  cmocka_unit_test(test_read_only),
        cmocka_unit_test(test_full_disk),        cmocka_unit_test(test_file_limit),
        cmocka_unit_test(test_processes),        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
