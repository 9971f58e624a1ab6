/* What keeps the cache's directory within its limit. Files of other names are not the cache's, and stay. */
#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DISK_BLOCK_BYTES = 4096 };

uint64_t ms_cache_disk_bytes(uint64_t file_bytes) { return (file_bytes + DISK_BLOCK_BYTES - 1) / DISK_BLOCK_BYTES * DISK_BLOCK_BYTES; }

enum { FIRST_CAPACITY = 256, STALE_SECONDS = 3600 };

typedef struct entry {
    char name[MS_CACHE_NAME_BYTES];
    struct timespec used;
    uint64_t bytes;
} entry;

typedef struct listing {
    const msw_allocator *allocator;
    entry *entries;
    size_t count, capacity;
    uint64_t bytes;
} listing;

static int is_entry(const char *name) { return strspn(name, "0123456789abcdef") == 32 && strcmp(name + 32, ".msw") == 0; }

static int is_temporary(const char *name)
{
    const size_t length = strlen(name);
    return strncmp(name, "tmp-", 4) == 0 && length > 8 && length < MS_CACHE_NAME_BYTES && strcmp(name + length - 4, ".msw") == 0;
}

/* 0: out of memory. */
static int add(listing *l, const char *name, const struct stat *status)
{
    if (l->count == l->capacity) {
        const size_t capacity = l->capacity ? 2 * l->capacity : FIRST_CAPACITY;
        entry *grown = ms_alloc(l->allocator, capacity * sizeof *grown);
        if (!grown) return 0;
        if (l->count) memcpy(grown, l->entries, l->count * sizeof *grown);
        ms_free(l->allocator, l->entries, l->capacity * sizeof *grown);
        l->entries = grown;
        l->capacity = capacity;
    }
    entry *e = &l->entries[l->count++];
    strcpy(e->name, name);
    e->used = status->st_mtim;
    e->bytes = ms_cache_disk_bytes((uint64_t)status->st_size);
    l->bytes += e->bytes;
    return 1;
}

/* 0: it cannot be read to its end. */
static int list(const ms_cache *cache, listing *l)
{
    const int descriptor = openat(cache->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* with a position of its own */
    DIR *directory = descriptor < 0 ? NULL : fdopendir(descriptor);
    const time_t now = time(NULL);
    int is_whole = directory != NULL;
    struct stat status;
    if (!directory && descriptor >= 0) close(descriptor);
    for (struct dirent *d; is_whole && (d = readdir(directory)) != NULL;) {
        if (!is_entry(d->d_name) && !is_temporary(d->d_name)) continue;
        if (fstatat(cache->directory, d->d_name, &status, AT_SYMLINK_NOFOLLOW)) continue; /* another process removed it */
        if (is_entry(d->d_name)) is_whole = add(l, d->d_name, &status);
        else if (now - status.st_mtim.tv_sec > STALE_SECONDS) unlinkat(cache->directory, d->d_name, 0);
    }
    if (directory) closedir(directory);
    return is_whole;
}

static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec) return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec) return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Where something must go an eighth goes with it, so that the directory is not read again for the next entry. */
void ms_cache_evict(ms_cache *cache, uint64_t bytes)
{
    listing l = {.allocator = &cache->allocator};
    const uint64_t limit = cache->limit_bytes, eighth = limit / 8;
    if (list(cache, &l)) {
        const uint64_t room = l.bytes <= limit - bytes ? limit - bytes : bytes < limit - eighth ? limit - eighth - bytes : 0;
        if (l.count) qsort(l.entries, l.count, sizeof *l.entries, compare);
        for (size_t e = 0; e < l.count && l.bytes > room; e++) {
            if (unlinkat(cache->directory, l.entries[e].name, 0) == 0 || errno == ENOENT) l.bytes -= l.entries[e].bytes;
        }
        cache->known_bytes = l.bytes;
    }
    ms_free(l.allocator, l.entries, l.capacity * sizeof *l.entries);
}
