/* Segments by offsets, in the place of which elements have numbers: of the segment that begins there, plus 1, or 0. */
#include "kinds.h"

#include <string.h>

int ms_operation_has_offsets(const ms_operation *op, uint32_t b) { return op->segments == b + 1; }

static uint64_t offset_at(const void *offsets, uint64_t j)
{
    uint64_t offset;
    memcpy(&offset, (const unsigned char *)offsets + j * sizeof offset, sizeof offset);
    return offset;
}

uint64_t ms_offsets_below(const void *offsets, uint64_t count, uint64_t bound)
{
    uint64_t first = 0;
    while (first < count) {
        const uint64_t middle = first + (count - first) / 2;
        if (offset_at(offsets, middle) < bound) first = middle + 1;
        else count = middle;
    }
    return first;
}

uint64_t ms_segment_at(const ms_operation *op, const void *offsets, uint64_t i)
{
    const uint64_t begun = ms_offsets_below(offsets, op->segment_count, i + 1);
    return begun && offset_at(offsets, begun - 1) == i ? begun : 0;
}

void *ms_segments_offsets(const ms_operation *op, const void *records, uint64_t n, ms_arena *arena)
{
    const uint32_t leaf = op->first_leaves[op->segments - 1];
    const msw_type_info *type = &op->input->info;
    const uint64_t count = op->segment_count;
    uint64_t *offsets = count < SIZE_MAX / sizeof *offsets ? ms_arena_alloc(arena, (size_t)(count + 1) * sizeof *offsets) : NULL;
    uint64_t j = count, next = n;
    if (!offsets) return NULL;
    offsets[count] = n;
    for (uint64_t i = n; i-- > 0;) {
        const unsigned char *record = (const unsigned char *)records + i * type->size_bytes;
        const uint64_t number = ms_scalar_load(type->leaves[leaf].scalar, record + type->leaves[leaf].offset_bytes);
        if (!number || number > j) continue;
        while (j > number) offsets[--j] = next;
        offsets[--j] = next = i;
    }
    while (j > 0) offsets[--j] = next;
    return offsets;
}

int ms_segments_empty(const ms_operation *op, ms_arena *arena, uint64_t *leaves)
{
    ms_eval *empty = ms_eval_create(arena, op->empty, 0);
    return empty && !ms_eval_run(empty, NULL, leaves);
}
