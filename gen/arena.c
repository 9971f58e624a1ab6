#include "arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16, BLOCK_BYTES = 32 * 1024 };

typedef struct ms_arena_block {
    struct ms_arena_block *next;
    size_t size_bytes; /* this header included */
    size_t used_bytes;
} ms_arena_block;

static size_t round_up(size_t bytes) { return (bytes + (ALIGNMENT - 1)) & ~(size_t)(ALIGNMENT - 1); }

static void *resize_with_malloc(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    (void)old_bytes;
    if (new_bytes) return realloc(block, new_bytes);
    free(block);
    return NULL;
}

void ms_arena_init(ms_arena *arena, const msw_allocator *allocator, uint64_t limit_bytes)
{
    memset(arena, 0, sizeof *arena);
    if (allocator) arena->allocator = *allocator;
    if (!arena->allocator.resize) arena->allocator.resize = resize_with_malloc;
    arena->limit_bytes = limit_bytes;
}

void ms_arena_free(ms_arena *arena)
{
    while (arena->blocks) {
        ms_arena_block *block = arena->blocks;
        arena->blocks = block->next;
        ms_arena_resize(arena, block, block->size_bytes, 0);
    }
}

void *ms_arena_resize(ms_arena *arena, void *block, size_t old_bytes, size_t new_bytes)
{
    if (!block) old_bytes = 0;
    const uint64_t others = arena->used_bytes - old_bytes;
    if (new_bytes > old_bytes && arena->limit_bytes && (others > arena->limit_bytes || new_bytes > arena->limit_bytes - others)) {
        arena->refused = MS_REFUSED_BY_LIMIT;
        return NULL;
    }
    if (!block && !new_bytes) return NULL;
    void *moved = arena->allocator.resize(arena->allocator.user, block, old_bytes, new_bytes);
    if (moved || !new_bytes) arena->used_bytes = others + new_bytes;
    else arena->refused = MS_REFUSED_BY_ALLOCATOR;
    return moved;
}

static ms_arena_block *add_block(ms_arena *arena, size_t payload_bytes)
{
    const size_t header_bytes = round_up(sizeof(ms_arena_block));
    const size_t needed = header_bytes + payload_bytes;
    const size_t size_bytes = needed > BLOCK_BYTES ? needed : BLOCK_BYTES;
    ms_arena_block *block = ms_arena_resize(arena, NULL, 0, size_bytes);
    if (!block) return NULL;
    memset(block, 0, size_bytes);
    block->size_bytes = size_bytes;
    block->used_bytes = header_bytes;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

void *ms_arena_alloc(ms_arena *arena, size_t size_bytes)
{
    if (size_bytes > SIZE_MAX / 2) return NULL;
    const size_t bytes = round_up(size_bytes ? size_bytes : 1);
    ms_arena_block *block = arena->blocks;
    if (!block || block->size_bytes - block->used_bytes < bytes) block = add_block(arena, bytes);
    if (!block) return NULL;
    void *memory = (char *)block + block->used_bytes;
    block->used_bytes += bytes;
    return memory;
}

char *ms_arena_strdup(ms_arena *arena, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = ms_arena_alloc(arena, bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

char *ms_arena_format(ms_arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    char *text = length < 0 ? NULL : ms_arena_alloc(arena, (size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

/* Room for `more` bytes and the NUL. */
static int reserve(ms_text *text, size_t more)
{
    if (text->failed) return 0;
    if (text->length + more < text->capacity) return 1;
    size_t capacity = text->capacity ? text->capacity * 2 : 256;
    while (capacity <= text->length + more) capacity *= 2;
    char *data = ms_arena_resize(text->arena, text->data, text->capacity, capacity);
    if (!data) {
        text->failed = 1;
        return 0;
    }
    text->data = data;
    text->capacity = capacity;
    return 1;
}

void ms_text_append_bytes(ms_text *text, const char *bytes, size_t length)
{
    if (!reserve(text, length)) return;
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void ms_text_append(ms_text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    if (length < 0) {
        text->failed = 1;
    } else if (reserve(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
    va_end(args);
}

void ms_text_free(ms_text *text)
{
    ms_arena_resize(text->arena, text->data, text->capacity, 0);
    text->data = NULL;
    text->length = text->capacity = 0;
}
