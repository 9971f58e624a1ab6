#include "cache_entry.h"

#include <stdint.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The head: magic, the data's length, the key, the hash. */
enum { KEY_OFFSET = 16, HASH_OFFSET = 32 };
static const char magic[8] = {'m', 's', 'w', 'c', 'a', 'c', 'h', '1'};

static void add_hash(ms_cache_key *key, uint64_t length, XXH128_hash_t hash)
{
    unsigned char step[sizeof key->bytes + sizeof length + sizeof(XXH128_canonical_t)];
    XXH128_canonical_t canonical;
    memcpy(step, key->bytes, sizeof key->bytes);
    memcpy(step + sizeof key->bytes, &length, sizeof length);
    XXH128_canonicalFromHash(&canonical, hash);
    memcpy(step + sizeof key->bytes + sizeof length, &canonical, sizeof canonical);
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(step, sizeof step));
    memcpy(key->bytes, &canonical, sizeof key->bytes);
}

void ms_cache_key_add(ms_cache_key *key, const void *data, size_t bytes) { add_hash(key, bytes, XXH3_128bits(data, bytes)); }

void ms_cache_key_add_text(ms_cache_key *key, const char *text)
{
    if (text) ms_cache_key_add(key, text, strlen(text));
    else add_hash(key, UINT64_MAX, (XXH128_hash_t){0, 0});
}

void ms_cache_entry_head(unsigned char head[MS_CACHE_HEAD_BYTES], const ms_cache_key *key, const void *data, size_t bytes)
{
    const uint64_t length = bytes;
    ms_cache_key hash = *key;
    ms_cache_key_add(&hash, data, bytes);
    memcpy(head, magic, sizeof magic);
    memcpy(head + sizeof magic, &length, sizeof length);
    memcpy(head + KEY_OFFSET, key->bytes, sizeof key->bytes);
    memcpy(head + HASH_OFFSET, hash.bytes, sizeof hash.bytes);
}

int ms_cache_entry_is_whole(const void *entry, size_t length, const ms_cache_key *key)
{
    unsigned char head[MS_CACHE_HEAD_BYTES];
    if (length < sizeof head) return 0;
    ms_cache_entry_head(head, key, (const unsigned char *)entry + sizeof head, length - sizeof head);
    return memcmp(head, entry, sizeof head) == 0;
}
