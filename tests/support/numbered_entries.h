/* numbered_entries.h - entries of a cache that are known by a number: what a number's data is, storing and loading it. Include after cmocka.h. */
#ifndef NUMBERED_ENTRIES_H
#define NUMBERED_ENTRIES_H

#include "cache_files.h"

static inline ms_cache open_cache(const char *path, uint64_t limit_bytes, cache_log *log)
{
    const msw_context_desc desc = {
        .struct_size = sizeof desc, .cache_dir = path, .cache_limit_bytes = limit_bytes, .log = count_line, .log_user = log};
    ms_cache cache;
    *log = (cache_log){0};
    ms_cache_open(&cache, &desc);
    return cache;
}

static inline ms_cache_key key_of(uint32_t number)
{
    ms_cache_key key = {{0}};
    ms_cache_key_add(&key, &number, sizeof number);
    return key;
}

/* Data that belongs to a number: some thousand bytes, none of them alike for long. */
static inline size_t make_data(uint32_t number, unsigned char data[1 << 15])
{
    const size_t bytes = 100 + number * 2654435761u % 20000;
    uint32_t x = number + 1;
    for (size_t i = 0; i < bytes; i++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        data[i] = (unsigned char)x;
    }
    return bytes;
}

static inline void store_number(ms_cache *cache, uint32_t number)
{
    static unsigned char data[1 << 15];
    const ms_cache_key key = key_of(number);
    ms_cache_store(cache, &key, data, make_data(number, data));
}

/* 1: it is there and right; 0: it is not there; -1: it is wrong. */
static inline int load_number(ms_cache *cache, uint32_t number)
{
    static unsigned char data[1 << 15];
    const ms_cache_key key = key_of(number);
    ms_cache_block block;
    if (!ms_cache_load(cache, &key, &block)) return 0;
    const int is_right = block.bytes == make_data(number, data) && memcmp(block.data, data, block.bytes) == 0 && (uintptr_t)block.data % 16 == 0;
    ms_cache_release(cache, &block);
    return is_right ? 1 : -1;
}

#endif
