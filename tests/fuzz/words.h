/* words.h - mutations of Lua texts, of which bytes seldom make one that Lua reads: words and lines put in the places of others. */
#ifndef FUZZ_WORDS_H
#define FUZZ_WORDS_H

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(unsigned char *data, size_t bytes, size_t capacity);
size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t bytes, size_t capacity, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const unsigned char *data, size_t bytes, const unsigned char *other, size_t other_bytes, unsigned char *out,
                                 size_t capacity, unsigned seed);

typedef struct span {
    const unsigned char *start;
    size_t bytes;
} span;

static unsigned random_below(unsigned *state, size_t limit)
{
    *state = *state * 1664525u + 1013904223u;
    return (unsigned)((*state >> 8) % limit);
}

static int is_word(unsigned char c) { return isalnum(c) || c == '_'; }

/* The word or sign at some place; one time in four the line. Of a text that is not empty. */
static span choose(const unsigned char *text, size_t bytes, unsigned *random)
{
    const int is_line = random_below(random, 4) == 0;
    size_t start = random_below(random, bytes), end = start;
    while (start && (is_line ? text[start - 1] != '\n' : is_word(text[start - 1]) && is_word(text[start]))) start--;
    while (end < bytes && (is_line ? text[end] != '\n' : is_word(text[end]))) end++;
    return (span){text + start, end > start ? end - start : 1};
}

/* `data` with `what`, or nothing, in the place of one of its words, or before it. */
static size_t put(const unsigned char *data, size_t bytes, span what, unsigned char *out, size_t capacity, unsigned *random)
{
    const span old = choose(data, bytes, random);
    const size_t before = (size_t)(old.start - data), skipped = random_below(random, 3) ? old.bytes : 0, after = bytes - before - skipped;
    if (before + what.bytes + after > capacity) return 0;
    memcpy(out, data, before);
    memcpy(out + before, what.start, what.bytes);
    memcpy(out + before + what.bytes, data + before + skipped, after);
    return before + what.bytes + after;
}

size_t LLVMFuzzerCustomCrossOver(const unsigned char *data, size_t bytes, const unsigned char *other, size_t other_bytes, unsigned char *out,
                                 size_t capacity, unsigned seed)
{
    return bytes && other_bytes ? put(data, bytes, choose(other, other_bytes, &seed), out, capacity, &seed) : 0;
}

size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t bytes, size_t capacity, unsigned seed)
{
    static const char *const numbers[] = {"", "0", "1", "-1", "32", "128", "0.5", "1e308", "0x7fffffffffffffff", "(0/0)", "{}", "nil", "\"\""};
    enum { NUMBERS = sizeof numbers / sizeof numbers[0] };
    unsigned char *copy = bytes && random_below(&seed, 4) ? malloc(bytes) : NULL;
    if (!copy) return LLVMFuzzerMutate(data, bytes, capacity);
    memcpy(copy, data, bytes);
    span what = choose(copy, bytes, &seed);
    if (random_below(&seed, 3) == 0) {
        const char *number = numbers[random_below(&seed, NUMBERS)];
        what = (span){(const unsigned char *)number, strlen(number)};
    }
    const size_t made = put(copy, bytes, what, data, capacity, &seed);
    free(copy);
    return made ? made : bytes;
}

#endif
