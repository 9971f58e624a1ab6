/* cache.h - the on-disk cache: data by key in files of one directory, shared by processes (private).
 *
 * Whatever is wrong with it, the work goes on without: loading finds nothing, storing does nothing, and the context's log has one line of it.
 * The directory and its files are trusted when they are the user's own and nobody else may write to them. */
#ifndef MS_CACHE_H
#define MS_CACHE_H

#include "backend.h"
#include "cache_entry.h"

struct ms_cache {
    msw_allocator allocator;
    void (*log)(void *user, const char *line);
    void *log_user;
    int is_open, can_store, has_complained;
    int directory;        /* its descriptor, when is_open */
    char path[200];       /* its beginning, for messages */
    uint64_t limit_bytes; /* of all files together */
    uint64_t known_bytes; /* what they had when the directory was last read, and what was stored since; UINT64_MAX: not read yet */
    uint64_t stored;      /* number of entries written; it is part of the names of temporary files */
};

/* What was loaded; data is aligned to 16 bytes. */
typedef struct ms_cache_block {
    const void *data;
    size_t bytes;
    void *file;
    size_t file_bytes;
} ms_cache_block;

/* With desc->cache_dir NULL, or one that cannot be used, the cache stays closed; all of the following may be called then. */
void ms_cache_open(ms_cache *cache, const msw_context_desc *desc);
void ms_cache_close(ms_cache *cache);

/* 1: the block is there, to be released. The entry counts as used. */
int ms_cache_load(ms_cache *cache, const ms_cache_key *key, ms_cache_block *block);
void ms_cache_release(ms_cache *cache, ms_cache_block *block);

/* The entry appears whole or not at all, in the place of one that was there. The entries not used for longest go when all come to more than the
 * limit. */
void ms_cache_store(ms_cache *cache, const ms_cache_key *key, const void *data, size_t bytes);

/* ---- of cache.c, for cache_evict.c ---- */

enum { MS_CACHE_NAME_BYTES = 64 }; /* of a file's name, NUL included */
/* What a file takes: whole blocks of the disk. */
uint64_t ms_cache_disk_bytes(uint64_t file_bytes);
/* Reads the directory: sets known_bytes, and removes what was used longest ago, and what died processes left, until it has room for `bytes` more. */
void ms_cache_evict(ms_cache *cache, uint64_t bytes);

#endif
