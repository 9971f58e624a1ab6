/* heap.h - the memory of a spec's Lua state: blocks out of pages, which are taken from the arena in chunks and kept until the end. What is counted is
 * therefore what is taken, whatever sizes the spec asks for and frees; and a state that is given up needs no closing. */
#ifndef MS_HEAP_H
#define MS_HEAP_H

#include "arena.h"

enum { MS_HEAP_CLASSES = 32 };

typedef struct ms_heap {
    ms_arena *arena;                        /* its limit is the heap's */
    struct ms_heap_chunk *chunks;           /* the newest first */
    struct ms_slab *slabs[MS_HEAP_CLASSES]; /* pages with a free block, by the size of their blocks */
    size_t chunk_bytes;                     /* of all chunks */
} ms_heap;

void ms_heap_init(ms_heap *heap, ms_arena *arena);
void ms_heap_free(ms_heap *heap); /* with every block */

/* realloc's contract, 16-byte aligned; new_bytes 0 frees. What shrinks never fails. */
void *ms_heap_resize(ms_heap *heap, void *block, size_t old_bytes, size_t new_bytes);

#endif
