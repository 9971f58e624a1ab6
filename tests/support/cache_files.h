/* cache_files.h - a cache directory of the test's own, its files, its log, a disk that is full on demand. Include after cmocka.h. */
#ifndef CACHE_FILES_H
#define CACHE_FILES_H

#include "../../runtime/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_FILES = 64, NOBODY = 65534 };

typedef struct cache_log {
    int lines;
    char last[512];
} cache_log;

static inline void count_line(void *user, const char *line)
{
    cache_log *log = user;
    log->lines++;
    snprintf(log->last, sizeof log->last, "%s", line);
}

static inline void expect_lines(const cache_log *log, int lines, const char *words)
{
    if (log->lines != lines || (lines && !strstr(log->last, words)))
        fail_msg("%d lines, not %d; the last: '%s' (expected '%s')", log->lines, lines, log->last, words);
}

/* ---- a full disk: this program's write() ---- */

static int64_t disk_room = -1; /* bytes that may still be written; negative: any number */

ssize_t write(int file, const void *data, size_t bytes);
ssize_t write(int file, const void *data, size_t bytes)
{
    if (disk_room >= 0 && file > 2) {
        if (disk_room == 0 && bytes) return errno = ENOSPC, -1;
        if (bytes > (size_t)disk_room) bytes = (size_t)disk_room;
        disk_room -= (int64_t)bytes;
    }
    return writev(file, &(struct iovec){(void *)(uintptr_t)data, bytes}, 1);
}

/* ---- directories ---- */

/* An empty directory of the user's own; to be removed. */
static inline char *make_directory(void)
{
    static const char pattern[] = "/tmp/monosweep_test_cache_XXXXXX";
    char *path = malloc(sizeof pattern);
    assert_non_null(path);
    memcpy(path, pattern, sizeof pattern);
    assert_non_null(mkdtemp(path));
    return path;
}

static inline void remove_directory(char *path)
{
    char command[4200];
    snprintf(command, sizeof command, "rm -rf '%.4096s'", path);
    assert_int_equal(system(command), 0);
    free(path);
}

typedef struct cache_files {
    char names[MOST_FILES][300]; /* sorted */
    uint32_t count, temporary_count;
    uint64_t disk_bytes;
} cache_files;

static inline int compare_names(const void *a, const void *b) { return strcmp(a, b); }

static inline cache_files list_files(const char *path)
{
    cache_files files = {.count = 0};
    DIR *directory = opendir(path);
    assert_non_null(directory);
    for (struct dirent *d = readdir(directory); d; d = readdir(directory)) {
        char file[4096];
        struct stat status;
        if (d->d_name[0] == '.') continue;
        assert_true(files.count < MOST_FILES);
        snprintf(files.names[files.count++], sizeof files.names[0], "%s", d->d_name);
        files.temporary_count += strncmp(d->d_name, "tmp-", 4) == 0;
        snprintf(file, sizeof file, "%s/%s", path, d->d_name);
        assert_int_equal(lstat(file, &status), 0);
        files.disk_bytes += ms_cache_disk_bytes((uint64_t)status.st_size);
    }
    closedir(directory);
    qsort(files.names, files.count, sizeof files.names[0], compare_names);
    return files;
}

typedef struct file_bytes {
    unsigned char *data;
    size_t bytes;
} file_bytes;

static inline FILE *open_in(const char *path, const char *name, const char *mode)
{
    char file[4096];
    snprintf(file, sizeof file, "%s/%s", path, name);
    FILE *opened = fopen(file, mode);
    if (!opened) fail_msg("%s: %s", file, strerror(errno));
    return opened;
}

static inline file_bytes read_bytes(const char *path, const char *name)
{
    FILE *file = open_in(path, name, "rb");
    file_bytes read = {.data = malloc(1 << 22)};
    assert_non_null(read.data);
    read.bytes = fread(read.data, 1, 1 << 22, file);
    fclose(file);
    return read;
}

static inline void write_bytes(const char *path, const char *name, const void *data, size_t bytes)
{
    FILE *file = open_in(path, name, "wb");
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

/* ---- other users ---- */

/* Runs `body` in a process that has no right to what others keep from it: 0 where it returns 0. */
static inline int run_without_rights(int (*body)(const char *path), const char *path)
{
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && (chown(path, NOBODY, NOBODY) || setgid(NOBODY) || setuid(NOBODY))) _exit(101);
        _exit(body(path));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}

#endif
