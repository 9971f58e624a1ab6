/* The on-disk cache by itself: entries that were damaged, directories that cannot be used, many processes, the limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cache_files.h"
#include "failing.h"

#include "../runtime/plan_record.h"

#include <signal.h>
#include <sys/resource.h>
#include <time.h>

static ms_cache open_cache(const char *path, uint64_t limit_bytes, cache_log *log)
{
    const msw_context_desc desc = {.struct_size = sizeof desc, .cache_dir = path, .cache_limit_bytes = limit_bytes, .log = count_line, .log_user = log};
    ms_cache cache;
    *log = (cache_log){0};
    ms_cache_open(&cache, &desc);
    return cache;
}

static ms_cache_key key_of(uint32_t number)
{
    ms_cache_key key = {{0}};
    ms_cache_key_add(&key, &number, sizeof number);
    return key;
}

/* Data that belongs to a number: some thousand bytes, none of them alike for long. */
static size_t make_data(uint32_t number, unsigned char data[1 << 15])
{
    const size_t bytes = 100 + number * 2654435761u % 20000;
    uint32_t x = number + 1;
    for (size_t i = 0; i < bytes; i++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        data[i] = (unsigned char)x;
    }
    return bytes;
}

static void store_number(ms_cache *cache, uint32_t number)
{
    static unsigned char data[1 << 15];
    const ms_cache_key key = key_of(number);
    ms_cache_store(cache, &key, data, make_data(number, data));
}

/* 1: it is there and right; 0: it is not there; -1: it is wrong. */
static int load_number(ms_cache *cache, uint32_t number)
{
    static unsigned char data[1 << 15];
    const ms_cache_key key = key_of(number);
    ms_cache_block block;
    if (!ms_cache_load(cache, &key, &block)) return 0;
    const int is_right = block.bytes == make_data(number, data) && memcmp(block.data, data, block.bytes) == 0 && (uintptr_t)block.data % 16 == 0;
    ms_cache_release(cache, &block);
    return is_right ? 1 : -1;
}

/* ---- keys and entries ---- */

static void test_keys(void **state)
{
    static const char *const parts[][3] = {{"ab", "c", ""}, {"a", "bc", ""}, {"abc", "", ""}, {"", "abc", ""}, {"abc", NULL, ""}, {NULL, "abc", ""},
                                           {"c", "ab", ""}, {"abc", "", NULL}};
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

/* ---- the directory ---- */

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
    char *path = make_directory(), file[4096];
    cache_log log;
    ms_cache cache = open_cache(path, 0, &log);
    (void)state;
    store_number(&cache, 7);
    snprintf(file, sizeof file, "%s/%s", path, list_files(path).names[0]);
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
    assert_int_equal(rename(file, "/tmp/monosweep_test_cache_entry"), 0);
    assert_int_equal(symlink("/tmp/monosweep_test_cache_entry", file), 0);
    expect_foreign(path, "cannot be read");
    store_number(&cache, 7);
    assert_int_equal(load_number(&cache, 7), 1);
    assert_int_equal(unlink("/tmp/monosweep_test_cache_entry"), 0);
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

/* ---- the limit ---- */

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

/* ---- plans ---- */

static msw_plan make_plan(void)
{
    msw_plan plan = {.format = MSW_PLAN_FORMAT, .backend = MSW_BACKEND_CUDA, .name = "sums", .buffer_count = 2, .kernel_count = 2, .step_count = 2, .variant_count = 1,
                     .buffers = {{"in", 4, 4, MSW_LENGTH_N, 0}, {"out", 8, 4, MSW_LENGTH_N, 1}},
                     .kernels = {{.entry = "first", .text = "text", .code = "code", .code_bytes = 4}, {.entry = "second", .shared_bytes = 77}},
                     .steps = {{.tile_items = 5}, {.kernel = 1, .max_blocks = 6}},
                     .variants = {{.n_max = UINT64_MAX, .step_count = 2, .strategy = "two steps"}}};
    return plan;
}

static void test_plan_records(void **state)
{
    static unsigned char record[1 << 14], damaged[1 << 14];
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
        cmocka_unit_test(test_stores_and_loads),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_swapped),
        cmocka_unit_test(test_unusable_directories),
        cmocka_unit_test(test_foreign_entries),
        cmocka_unit_test(test_read_only),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_file_limit),
        cmocka_unit_test(test_eviction_keeps_the_limit),
        cmocka_unit_test(test_eviction_order),
        cmocka_unit_test(test_leftovers),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_plan_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
