/* watched_memory.h - the C library's allocations of a thread, counted while a test watches: those of the library under test and of what it calls, but
 * for what a driver does meanwhile. For one file of a program. */
#ifndef WATCHED_MEMORY_H
#define WATCHED_MEMORY_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

/* Of this thread: counts while it is watched and not inside a driver. */
static _Thread_local int memory_is_watched;
static _Thread_local int64_t memory_calls;
extern _Thread_local int inside_driver; /* defined by what stands before the driver */

/* A sanitizer that has its own allocator keeps it; then msw_allocator's count is what there is. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZER_ALLOCATES
#endif
#endif
#if !defined(SANITIZER_ALLOCATES) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
#define MEMORY_CAN_BE_WATCHED 1

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *block);

static inline void note_memory_call(void) { memory_calls += memory_is_watched && !inside_driver; }

void *malloc(size_t bytes) { return note_memory_call(), __libc_malloc(bytes); }
void *calloc(size_t count, size_t bytes) { return note_memory_call(), __libc_calloc(count, bytes); }
void *realloc(void *block, size_t bytes) { return note_memory_call(), __libc_realloc(block, bytes); }
void *aligned_alloc(size_t alignment, size_t bytes) { return note_memory_call(), __libc_memalign(alignment, bytes); }
void free(void *block)
{
    note_memory_call();
    __libc_free(block);
}
int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    note_memory_call();
    *block = __libc_memalign(alignment, bytes);
    return *block ? 0 : ENOMEM;
}
#else
#define MEMORY_CAN_BE_WATCHED 0
#endif

#endif
