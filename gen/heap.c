#include "heap.h"

#include <string.h>

/* A page holds blocks of one size (a slab), or belongs to a larger block. */
enum { PAGE_BYTES = 8192, MIN_CHUNK_PAGES = 15, MAX_CHUNK_PAGES = 2048, ALIGNMENT = 16, SLAB_BYTES = 48, LARGEST_CLASS = 26, LARGEST_SMALL = 3584 };

typedef struct ms_heap_chunk {
    struct ms_heap_chunk *next;
    size_t bytes;
    char *pages;                     /* the first, aligned to its size */
    uint32_t page_count, first_free; /* no page before first_free is free; it begins a run, or is page_count */
    uint32_t runs[];                 /* where a run begins: its pages, times two, plus one while a block or slab has them */
} ms_heap_chunk;

/* At the start of its page. */
typedef struct ms_slab {
    struct ms_slab *next, *previous;
    void *free;                   /* list of blocks that were freed */
    uint32_t class, live, unused; /* unused: where the blocks that never were handed out begin */
    ms_heap_chunk *chunk;
} ms_slab;

/* ---- sizes: 16 to 128 in steps of 16, then four to each power of two ---- */

static uint32_t class_of(size_t bytes)
{
    if (bytes <= 128) return (uint32_t)((bytes + 15) / 16) - 1;
    const uint32_t log2 = 31 - (uint32_t)__builtin_clz((uint32_t)bytes - 1);
    return 8 + (log2 - 7) * 4 + ((((uint32_t)bytes - 1) >> (log2 - 2)) & 3);
}

static uint32_t class_bytes(uint32_t class)
{
    if (class < 8) return 16 * (class + 1);
    return (5 + (class & 3)) << (class / 4 + 3);
}

_Static_assert((int)LARGEST_CLASS < (int)MS_HEAP_CLASSES, "a list for every class");
_Static_assert(sizeof(ms_slab) <= SLAB_BYTES && SLAB_BYTES % ALIGNMENT == 0, "blocks are aligned");
_Static_assert(SLAB_BYTES + 2 * LARGEST_SMALL <= PAGE_BYTES, "two blocks at least in a slab");

static int is_run(const void *block) { return ((uintptr_t)block & (PAGE_BYTES - 1)) == 0; } /* a slab begins with itself */

static ms_slab *slab_of(void *block) { return (ms_slab *)((char *)block - ((uintptr_t)block & (PAGE_BYTES - 1))); }

/* ---- runs of pages ---- */

static uint32_t run_pages(const ms_heap_chunk *chunk, uint32_t page) { return chunk->runs[page] >> 1; }
static int is_taken(const ms_heap_chunk *chunk, uint32_t page) { return (int)(chunk->runs[page] & 1u); }

/* The first run of at least `pages` free pages; NULL: there is none. Free neighbours become one run on the way. */
static void *take_from(ms_heap_chunk *chunk, uint32_t pages)
{
    uint32_t first_free = chunk->page_count;
    for (uint32_t at = chunk->first_free; at < chunk->page_count; at += run_pages(chunk, at)) {
        if (is_taken(chunk, at)) continue;
        uint32_t length = run_pages(chunk, at);
        while (at + length < chunk->page_count && !is_taken(chunk, at + length)) length += run_pages(chunk, at + length);
        chunk->runs[at] = length << 1;
        if (length >= pages) {
            if (length > pages) chunk->runs[at + pages] = (length - pages) << 1;
            chunk->runs[at] = pages << 1 | 1;
            chunk->first_free = first_free < at ? first_free : at + pages;
            return chunk->pages + (size_t)at * PAGE_BYTES;
        }
        if (at < first_free) first_free = at;
    }
    chunk->first_free = first_free;
    return NULL;
}

static ms_heap_chunk *new_chunk(ms_heap *heap, uint32_t page_count)
{
    const size_t bytes = sizeof(ms_heap_chunk) + page_count * sizeof(uint32_t) + ((size_t)page_count + 1) * PAGE_BYTES;
    ms_heap_chunk *chunk = ms_arena_resize(heap->arena, NULL, 0, bytes);
    if (!chunk) return NULL;
    char *const end = (char *)&chunk->runs[page_count];
    *chunk = (ms_heap_chunk){.next = heap->chunks, .bytes = bytes, .pages = end + (-(uintptr_t)end & (PAGE_BYTES - 1)), .page_count = page_count};
    chunk->runs[0] = page_count << 1;
    heap->chunks = chunk;
    heap->chunk_bytes += bytes;
    return chunk;
}

static void *take_pages(ms_heap *heap, size_t pages, ms_heap_chunk **from)
{
    if (pages > UINT32_MAX / 4) pages = UINT32_MAX / 4; /* refused */
    for (ms_heap_chunk *chunk = heap->chunks; chunk; chunk = chunk->next) {
        void *found = take_from(*from = chunk, (uint32_t)pages);
        if (found) return found;
    }
    size_t wanted = heap->chunk_bytes / 4 / PAGE_BYTES;
    if (wanted < MIN_CHUNK_PAGES) wanted = MIN_CHUNK_PAGES;
    if (wanted > MAX_CHUNK_PAGES) wanted = MAX_CHUNK_PAGES;
    *from = new_chunk(heap, (uint32_t)(wanted > pages ? wanted : pages));
    if (!*from && wanted > pages) *from = new_chunk(heap, (uint32_t)pages); /* the last there are */
    return *from ? take_from(*from, (uint32_t)pages) : NULL;
}

static void give_pages(ms_heap_chunk *chunk, void *first)
{
    const uint32_t page = (uint32_t)((size_t)((char *)first - chunk->pages) / PAGE_BYTES);
    chunk->runs[page] &= ~1u;
    if (page < chunk->first_free) chunk->first_free = page;
}

static ms_heap_chunk *chunk_of(const ms_heap *heap, const void *block)
{
    const uintptr_t address = (uintptr_t)block;
    ms_heap_chunk *chunk = heap->chunks;
    while (address - (uintptr_t)chunk->pages >= (uintptr_t)chunk->page_count * PAGE_BYTES) chunk = chunk->next;
    return chunk;
}

/* ---- slabs ---- */

static void link_slab(ms_heap *heap, ms_slab *slab)
{
    ms_slab **list = &heap->slabs[slab->class];
    slab->previous = NULL;
    slab->next = *list;
    if (*list) (*list)->previous = slab;
    *list = slab;
}

static void unlink_slab(ms_heap *heap, ms_slab *slab)
{
    if (slab->previous) slab->previous->next = slab->next;
    else heap->slabs[slab->class] = slab->next;
    if (slab->next) slab->next->previous = slab->previous;
}

static int is_full(const ms_slab *slab) { return !slab->free && slab->unused + class_bytes(slab->class) > PAGE_BYTES; }

static void *take_small(ms_heap *heap, uint32_t class)
{
    ms_slab *slab = heap->slabs[class];
    if (!slab) {
        ms_heap_chunk *chunk;
        slab = take_pages(heap, 1, &chunk);
        if (!slab) return NULL;
        *slab = (ms_slab){.class = class, .unused = SLAB_BYTES, .chunk = chunk};
        link_slab(heap, slab);
    }
    void *block = slab->free;
    if (block) {
        slab->free = *(void **)block;
    } else {
        block = (char *)slab + slab->unused;
        slab->unused += class_bytes(class);
    }
    slab->live++;
    if (is_full(slab)) unlink_slab(heap, slab);
    return block;
}

static void give_small(ms_heap *heap, void *block)
{
    ms_slab *slab = slab_of(block);
    const int was_full = is_full(slab);
    *(void **)block = slab->free;
    slab->free = block;
    slab->live--;
    if (was_full) link_slab(heap, slab);
    if (slab->live || (heap->slabs[slab->class] == slab && !slab->next)) return; /* the last one of its size stays */
    unlink_slab(heap, slab);
    give_pages(slab->chunk, slab);
}

/* ---- blocks ---- */

static void *take(ms_heap *heap, size_t bytes)
{
    ms_heap_chunk *chunk;
    return bytes <= LARGEST_SMALL ? take_small(heap, class_of(bytes)) : take_pages(heap, (bytes - 1) / PAGE_BYTES + 1, &chunk);
}

static void give(ms_heap *heap, void *block)
{
    if (is_run(block)) give_pages(chunk_of(heap, block), block);
    else give_small(heap, block);
}

static size_t room_of(const ms_heap *heap, void *block)
{
    if (!is_run(block)) return class_bytes(slab_of(block)->class);
    const ms_heap_chunk *chunk = chunk_of(heap, block);
    return (size_t)run_pages(chunk, (uint32_t)((size_t)((char *)block - chunk->pages) / PAGE_BYTES)) * PAGE_BYTES;
}

void *ms_heap_resize(ms_heap *heap, void *block, size_t old_bytes, size_t new_bytes)
{
    if (!new_bytes) {
        if (block) give(heap, block);
        return NULL;
    }
    if (!block) return take(heap, new_bytes);
    const size_t room = room_of(heap, block);
    if (new_bytes <= room && new_bytes > room / 2) return block;
    void *moved = take(heap, new_bytes);
    if (!moved) return new_bytes <= room ? block : NULL;
    memcpy(moved, block, old_bytes < new_bytes ? old_bytes : new_bytes);
    give(heap, block);
    return moved;
}

void ms_heap_init(ms_heap *heap, ms_arena *arena) { *heap = (ms_heap){.arena = arena}; }

void ms_heap_free(ms_heap *heap)
{
    while (heap->chunks) {
        ms_heap_chunk *chunk = heap->chunks;
        heap->chunks = chunk->next;
        ms_arena_resize(heap->arena, chunk, chunk->bytes, 0);
    }
    ms_heap_init(heap, heap->arena);
}
