/* arena.h - memory that lives as long as one spec or program, under one limit. */
#ifndef MS_ARENA_H
#define MS_ARENA_H

#include <monosweep/monosweep.h>

typedef struct ms_arena {
    msw_allocator allocator; /* resize is never NULL after init */
    uint64_t limit_bytes;    /* 0: none */
    uint64_t used_bytes;     /* handed out by ms_arena_resize, blocks of ms_arena_alloc included */
    enum { MS_REFUSED_NOTHING, MS_REFUSED_BY_ALLOCATOR, MS_REFUSED_BY_LIMIT } refused; /* the last time that memory was not to be had */
    struct ms_arena_block *blocks;
} ms_arena;

void ms_arena_init(ms_arena *arena, const msw_allocator *allocator, uint64_t limit_bytes);
void ms_arena_free(ms_arena *arena); /* frees every ms_arena_alloc; not ms_arena_resize blocks */

/* Zeroed, 16-byte aligned, freed with the arena. NULL when the allocator fails or the limit is reached. */
void *ms_arena_alloc(ms_arena *arena, size_t size_bytes);
char *ms_arena_strdup(ms_arena *arena, const char *text);
/* printf into the arena; NULL on failure. */
char *ms_arena_format(ms_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* realloc's contract for growing arrays and the Lua state, under the same limit; the caller frees (new_bytes 0). */
void *ms_arena_resize(ms_arena *arena, void *block, size_t old_bytes, size_t new_bytes);

/* A growing, NUL-terminated text. After a failed append `failed` stays set and the text keeps what it had. */
typedef struct ms_text {
    ms_arena *arena;
    char *data; /* NULL while empty */
    size_t length, capacity;
    int failed;
} ms_text;
void ms_text_append(ms_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ms_text_append_bytes(ms_text *text, const char *bytes, size_t length);
void ms_text_free(ms_text *text);

#endif
