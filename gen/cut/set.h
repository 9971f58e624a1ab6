/* set.h - sets of operations or values, by index. */
#ifndef MS_CUT_SET_H
#define MS_CUT_SET_H

#include "cut.h"

#include <string.h>

enum { MS_SET_WORDS = MS_CUT_MAX_VALUES / 64 };

typedef struct ms_set {
    uint64_t words[MS_SET_WORDS];
} ms_set;

static inline int ms_set_has(const ms_set *set, uint32_t i) { return (int)(set->words[i / 64] >> i % 64 & 1); }
static inline void ms_set_add(ms_set *set, uint32_t i) { set->words[i / 64] |= UINT64_C(1) << i % 64; }
static inline void ms_set_remove(ms_set *set, uint32_t i) { set->words[i / 64] &= ~(UINT64_C(1) << i % 64); }
static inline int ms_set_equals(const ms_set *a, const ms_set *b) { return !memcmp(a, b, sizeof *a); }

static inline int ms_set_is_empty(const ms_set *set)
{
    uint64_t any = 0;
    for (uint32_t w = 0; w < MS_SET_WORDS; w++) any |= set->words[w];
    return !any;
}

static inline void ms_set_unite(ms_set *set, const ms_set *other)
{
    for (uint32_t w = 0; w < MS_SET_WORDS; w++) set->words[w] |= other->words[w];
}

static inline ms_set ms_set_without(const ms_set *set, const ms_set *other)
{
    ms_set rest;
    for (uint32_t w = 0; w < MS_SET_WORDS; w++) rest.words[w] = set->words[w] & ~other->words[w];
    return rest;
}

static inline int ms_set_meets(const ms_set *set, const ms_set *other)
{
    uint64_t common = 0;
    for (uint32_t w = 0; w < MS_SET_WORDS; w++) common |= set->words[w] & other->words[w];
    return common != 0;
}

static inline uint32_t ms_set_count(const ms_set *set)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < MS_SET_WORDS; w++) count += (uint32_t)__builtin_popcountll(set->words[w]);
    return count;
}

/* Steps to the next member: for (uint32_t i = MS_SET_START; ms_set_next(set, &i);). 0: there is none. */
#define MS_SET_START UINT32_MAX
static inline int ms_set_next(const ms_set *set, uint32_t *i)
{
    const uint32_t from = *i + 1;
    for (uint32_t w = from / 64; w < MS_SET_WORDS; w++) {
        const uint64_t word = set->words[w] & (w == from / 64 ? UINT64_MAX << from % 64 : UINT64_MAX);
        if (!word) continue;
        *i = 64 * w + (uint32_t)__builtin_ctzll(word);
        return 1;
    }
    return 0;
}

/* The greatest member; UINT32_MAX: there is none. */
static inline uint32_t ms_set_last(const ms_set *set)
{
    for (uint32_t w = MS_SET_WORDS; w-- > 0;)
        if (set->words[w]) return 64 * w + 63 - (uint32_t)__builtin_clzll(set->words[w]);
    return UINT32_MAX;
}

#endif
