#include "backend.h"

#include <stdlib.h>
#include <string.h>

void *ms_alloc(const msw_allocator *allocator, size_t size_bytes)
{
    void *block;
    if (!allocator || !allocator->resize) return calloc(1, size_bytes);
    block = allocator->resize(allocator->user, NULL, 0, size_bytes);
    if (block) memset(block, 0, size_bytes);
    return block;
}

void ms_free(const msw_allocator *allocator, void *block, size_t size_bytes)
{
    if (!block) return;
    if (!allocator || !allocator->resize) free(block);
    else allocator->resize(allocator->user, block, size_bytes, 0);
}
