#include "cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t default_limit_bytes = 256u << 20;

/* One line in all: what comes after the first trouble is the same trouble. */
__attribute__((format(printf, 2, 3))) static void complain(ms_cache *cache, const char *format, ...)
{
    char line[512], what[256];
    va_list arguments;
    if (cache->has_complained || !cache->log) return;
    cache->has_complained = 1;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(line, sizeof line, "cache: %s: %s", cache->path, what);
    cache->log(cache->log_user, line);
}

/* ---- the directory ---- */

/* With its parents. What cannot be made shows when it is opened. */
static void make_directory(const char *path)
{
    char part[4096];
    const size_t length = strlen(path);
    if (length >= sizeof part) return;
    for (size_t end = 1; end <= length; end++) {
        if (path[end] != '/' && path[end] != '\0') continue;
        memcpy(part, path, end);
        part[end] = '\0';
        mkdir(part, 0700);
    }
}

/* 1: nobody but the user can have written it. */
static int is_own(const struct stat *status) { return status->st_uid == geteuid() && !(status->st_mode & (S_IWGRP | S_IWOTH)); }

void ms_cache_open(ms_cache *cache, const msw_context_desc *desc)
{
    struct stat status;
    *cache = (ms_cache){.log = desc->log, .log_user = desc->log_user, .can_store = 1, .known_bytes = UINT64_MAX};
    if (desc->allocator) cache->allocator = *desc->allocator;
    cache->limit_bytes = desc->cache_limit_bytes ? desc->cache_limit_bytes : default_limit_bytes;
    if (!desc->cache_dir) return;
    snprintf(cache->path, sizeof cache->path, "%s", desc->cache_dir);
    make_directory(desc->cache_dir);
    cache->directory = open(desc->cache_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (cache->directory < 0) {
        complain(cache, "cannot be opened: %s; compiled kernels are not kept", strerror(errno));
        return;
    }
    if (fstat(cache->directory, &status) == 0 && is_own(&status)) {
        cache->is_open = 1;
        return;
    }
    complain(cache, "belongs to another user, or others may write to it; compiled kernels are not kept. Give it to the user alone: chmod 700");
    close(cache->directory);
}

void ms_cache_close(ms_cache *cache)
{
    if (cache->is_open) close(cache->directory);
    cache->is_open = 0;
}

/* ---- entries ---- */

static void name_entry(const ms_cache_key *key, char name[MS_CACHE_NAME_BYTES])
{
    for (size_t i = 0; i < sizeof key->bytes; i++) snprintf(name + 2 * i, MS_CACHE_NAME_BYTES - 2 * i, "%02x", key->bytes[i]);
    strcat(name, ".msw");
}

/* Everything that the file has, no more and no less than its size says. */
static int read_file(const ms_cache *cache, int file, size_t bytes, void **data)
{
    size_t done = 0;
    unsigned char *read_data = ms_alloc(&cache->allocator, bytes);
    *data = read_data;
    if (!read_data) return 0;
    while (done < bytes) {
        const ssize_t got = read(file, read_data + done, bytes - done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += (size_t)got;
    }
    if (done == bytes) return 1;
    ms_free(&cache->allocator, read_data, bytes);
    return 0;
}

static int load_file(ms_cache *cache, int file, const char *name, const ms_cache_key *key, ms_cache_block *block)
{
    struct stat status;
    if (fstat(file, &status) || !S_ISREG(status.st_mode) || !is_own(&status)) {
        complain(cache, "%s is no file of the user's own; it is not used", name);
        return 0;
    }
    if (status.st_size >= MS_CACHE_HEAD_BYTES && (uint64_t)status.st_size <= cache->limit_bytes) {
        block->file_bytes = (size_t)status.st_size;
        if (!read_file(cache, file, block->file_bytes, &block->file)) return 0; /* another process changes it, or there is no memory */
        if (ms_cache_entry_is_whole(block->file, block->file_bytes, key)) {
            block->data = (unsigned char *)block->file + MS_CACHE_HEAD_BYTES;
            block->bytes = block->file_bytes - MS_CACHE_HEAD_BYTES;
            futimens(file, NULL); /* used now; where that cannot be kept it goes earlier */
            return 1;
        }
        ms_cache_release(cache, block);
    }
    complain(cache, "%s is damaged; it is made anew", name);
    return 0;
}

int ms_cache_load(ms_cache *cache, const ms_cache_key *key, ms_cache_block *block)
{
    char name[MS_CACHE_NAME_BYTES];
    *block = (ms_cache_block){0};
    if (!cache->is_open) return 0;
    name_entry(key, name);
    const int file = openat(cache->directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) {
        if (errno != ENOENT) complain(cache, "%s cannot be read: %s", name, strerror(errno));
        return 0;
    }
    const int is_loaded = load_file(cache, file, name, key, block);
    close(file);
    return is_loaded;
}

void ms_cache_release(ms_cache *cache, ms_cache_block *block)
{
    ms_free(&cache->allocator, block->file, block->file_bytes);
    *block = (ms_cache_block){0};
}

/* ---- storing ---- */

static int write_all(int file, const void *data, size_t bytes)
{
    const unsigned char *next = data;
    while (bytes) {
        const ssize_t done = write(file, next, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return 0;
        next += done;
        bytes -= (size_t)done;
    }
    return 1;
}

/* A new file that no other process has: its number, process and machine apart, may be one that a dead one left. */
static int create_temporary(ms_cache *cache, char name[MS_CACHE_NAME_BYTES])
{
    int file = -1;
    for (int attempt = 0; attempt < 100 && file < 0; attempt++) {
        snprintf(name, MS_CACHE_NAME_BYTES, "tmp-%ld-%llu.msw", (long)getpid(), (unsigned long long)cache->stored++);
        file = openat(cache->directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (file < 0 && errno != EEXIST) break;
    }
    return file;
}

/* 0 on success, else errno. A crash of the machine may leave a file without its contents, which loading finds damaged: nothing is synchronised. */
static int write_entry(ms_cache *cache, const ms_cache_key *key, const void *data, size_t bytes)
{
    unsigned char head[MS_CACHE_HEAD_BYTES];
    char temporary[MS_CACHE_NAME_BYTES], name[MS_CACHE_NAME_BYTES];
    const int file = create_temporary(cache, temporary);
    int error = 0;
    if (file < 0) return errno;
    name_entry(key, name);
    ms_cache_entry_head(head, key, data, bytes);
    if (!write_all(file, head, sizeof head) || !write_all(file, data, bytes)) error = errno ? errno : EIO;
    if (close(file) && !error) error = errno;
    if (!error && renameat(cache->directory, temporary, cache->directory, name)) error = errno;
    if (error) unlinkat(cache->directory, temporary, 0);
    return error;
}

void ms_cache_store(ms_cache *cache, const ms_cache_key *key, const void *data, size_t bytes)
{
    const uint64_t disk_bytes = ms_cache_disk_bytes(MS_CACHE_HEAD_BYTES + (uint64_t)bytes);
    if (!cache->is_open || !cache->can_store || disk_bytes > cache->limit_bytes) return;
    if (cache->known_bytes > cache->limit_bytes - disk_bytes) ms_cache_evict(cache, disk_bytes);
    const int error = write_entry(cache, key, data, bytes);
    if (!error) {
        if (cache->known_bytes != UINT64_MAX) cache->known_bytes += disk_bytes;
        return;
    }
    cache->can_store = 0;
    complain(cache, "cannot be written: %s; what is compiled now is not kept", strerror(error));
}
