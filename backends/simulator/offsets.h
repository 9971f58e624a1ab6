/* offsets.h - offsets of segments: random ones, many empty in a few places, one that has nearly all, empty ones at the start and the end. */
#ifndef OFFSETS_H
#define OFFSETS_H

#include <stdint.h>
#include <string.h>

enum { OFFSET_SHAPES = 6 };

static inline uint64_t offsets_random(uint64_t *random)
{
    *random = *random * 0x5851f42d4c957f2du + 0x14057b7ef767814fu;
    return (*random ^ *random >> 33) * 0xff51afd7ed558ccdu >> 20;
}

/* In steps of which each has its share of the n elements, and the random rest goes on: ascending without a sort. */
static inline void offsets_spread(uint64_t *random, uint64_t n, uint64_t count, uint64_t first, uint64_t *offsets)
{
    for (uint64_t j = 0; j < count; j++) offsets[j] = first + (n * j + offsets_random(random) % (n + 1)) / (count + 1);
    for (uint64_t j = 1; j < count; j++)
        if (offsets[j] < offsets[j - 1]) offsets[j] = offsets[j - 1];
}

/* The offsets of m segments of n elements; no elements where m is 0. */
static inline void offsets_fill(uint64_t seed, uint64_t n, uint64_t m, uint64_t *offsets)
{
    uint64_t random = seed * 2 + 1;
    const uint64_t shape = offsets_random(&random) % OFFSET_SHAPES, place = offsets_random(&random) % (n + 1);
    const uint64_t half = offsets_random(&random) % (m + 1);
    if (shape <= 1) offsets_spread(&random, n, m, 0, offsets);
    else if (shape == 2) /* empty ones at the start, and one that has all */
        for (uint64_t j = 0; j < m; j++) offsets[j] = j < half ? 0 : n;
    else if (shape == 3) /* at one place, and beside it */
        for (uint64_t j = 0; j < m; j++) offsets[j] = j < half ? place : place + (place < n && j > half + half / 2);
    else if (shape == 4) { /* tiny ones before a giant one */ offsets_spread(&random, place, half, 0, offsets);
        for (uint64_t j = half; j < m; j++) offsets[j] = j == half ? place : n;
    } else { /* a giant one before tiny ones */
        for (uint64_t j = 0; j < half; j++) offsets[j] = 0;
        offsets_spread(&random, n - place, m - half, place, offsets + half);
    }
    if (m > 0) offsets[0] = 0;
    offsets[m] = n;
}

#endif
