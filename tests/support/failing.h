/* failing.h - an allocator that counts, and fails where a test wants it. Include after cmocka.h. */
#ifndef FAILING_H
#define FAILING_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct failing {
    int64_t calls;     /* so far; freeing never fails and does not count */
    int64_t first;     /* the first call that fails; 0: none */
    int64_t count;     /* how many fail */
    size_t most_bytes; /* a larger block fails, too; 0: none does */
    int64_t live_bytes, live_blocks;
} failing;

typedef struct failing_header {
    _Alignas(16) size_t bytes;
} failing_header;

static inline int failing_turn(failing *state)
{
    const int64_t call = ++state->calls;
    return state->first && call >= state->first && call - state->first < state->count;
}

/* msw_allocator.resize; user is a failing. */
static inline void *failing_resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    failing *state = user;
    failing_header *header = block ? (failing_header *)block - 1 : NULL;
    if (header) assert_int_equal(header->bytes, old_bytes);
    if (new_bytes && (failing_turn(state) || (state->most_bytes && new_bytes > state->most_bytes))) return NULL;
    if (header) state->live_bytes -= (int64_t)old_bytes, state->live_blocks--;
    if (!new_bytes) {
        free(header);
        return NULL;
    }
    failing_header *moved = malloc(sizeof *moved + new_bytes); /* it always moves */
    if (!moved) abort();
    moved->bytes = new_bytes;
    if (header) memcpy(moved + 1, block, old_bytes < new_bytes ? old_bytes : new_bytes);
    free(header);
    state->live_bytes += (int64_t)new_bytes;
    state->live_blocks++;
    return moved + 1;
}

#endif
