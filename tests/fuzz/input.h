/* input.h - a fuzzer's bytes as choices: numbers at the edges of what calls take, rather than any number. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct input {
    const unsigned char *data;
    size_t bytes;
} input;

/* The next bytes as a little-endian number; zeros when there are none. */
static inline uint64_t take(input *in, unsigned bytes)
{
    uint64_t number = 0;
    for (unsigned b = 0; b < bytes && in->bytes; b++, in->bytes--) number |= (uint64_t)*in->data++ << 8 * b;
    return number;
}

static inline unsigned take_below(input *in, unsigned limit) { return (unsigned)take(in, 1) % limit; }

/* A number by one byte: a small one, a power of two or one beside it; by the byte 255 any number, of eight more. */
static inline uint64_t take_number(input *in)
{
    const uint64_t byte = take(in, 1);
    if (byte < 64) return byte;
    if (byte == 255) return take(in, 8);
    return ((uint64_t)1 << (byte - 64) / 3) + (byte - 64) % 3 - 1;
}

/* What is left of the input changes words of 4 or 8 bytes: for each its place, in two bytes, and a number. */
static inline void change_words(input *in, void *data, size_t bytes)
{
    while (in->bytes) {
        const size_t place = 4 * (take(in, 2) % (bytes / 4));
        const uint64_t number = take_number(in);
        memcpy((unsigned char *)data + place, &number, number <= UINT32_MAX || place % 8 || bytes - place < 8 ? 4 : 8);
    }
}

#endif
