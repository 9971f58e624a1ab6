/* cache_entry.h - keys and entries of the on-disk cache, as functions of bytes alone (private). */
#ifndef MS_CACHE_ENTRY_H
#define MS_CACHE_ENTRY_H

#include <stddef.h>

/* A hash of everything that an entry depends on: {0}, then each part in turn. Parts do not run into each other: "ab", "c" is not "a", "bc". */
typedef struct ms_cache_key {
    unsigned char bytes[16];
} ms_cache_key;

void ms_cache_key_add(ms_cache_key *key, const void *data, size_t bytes);
/* NULL is another part than "". */
void ms_cache_key_add_text(ms_cache_key *key, const char *text);

/* An entry: a head, which names the key and ends in a hash of key and data, then the data. */
enum { MS_CACHE_HEAD_BYTES = 48 };

void ms_cache_entry_head(unsigned char head[MS_CACHE_HEAD_BYTES], const ms_cache_key *key, const void *data, size_t bytes);

/* 1: `length` bytes are a whole entry of that key, its data after the head. Any bytes may be given. */
int ms_cache_entry_is_whole(const void *entry, size_t length, const ms_cache_key *key);

#endif
