/* Outputs that are packed or scattered, as records in the order of the input. */
#include "gather.h"

#include <string.h>

int ms_has_places(const ms_operation *op)
{
    for (uint32_t b = 0; b < op->info.buffer_count; b++)
        if (op->places[b]) return 1;
    return 0;
}

int ms_is_scattered(const ms_operation *op, uint32_t b) { return op->places[b] && msw_is_scattered(op->info.buffers[b].length); }

int ms_has_scattered(const ms_operation *op)
{
    for (uint32_t b = 0; b < op->info.buffer_count; b++)
        if (ms_is_scattered(op, b)) return 1;
    return 0;
}

int ms_places_are_open(const ms_operation *op, const ms_bounds *bounds)
{
    int is_open = 0;
    for (uint32_t b = 0; b < op->info.buffer_count; b++)
        for (uint64_t i = 0; op->places[b] && i < bounds->count; i++)
            is_open |= bounds->undecided[i * bounds->leaf_count + op->places[b] - 1] != MS_DECIDED;
    return is_open;
}

static const unsigned char *record(const ms_operation *op, const void *records, uint64_t i)
{
    return (const unsigned char *)records + i * op->output->info.size_bytes;
}

static uint64_t place_of(const ms_operation *op, uint32_t b, uint64_t i, uint64_t n, const void *records)
{
    uint64_t leaves[MS_MAX_ELEMENT_BYTES];
    if (op->places[b]) ms_leaves_load(op->output, record(op, records, i), leaves, 0);
    return ms_operation_place(op, b, i, n, leaves);
}

int ms_is_kept(const void *records, uint64_t i, uint32_t l)
{
    const ms_records *r = records;
    for (uint32_t b = 0; b < r->op->info.buffer_count; b++) {
        const uint32_t first = r->op->first_leaves[b];
        if (r->op->places[b] && l >= first && l - first < r->op->buffer_types[b]->info.leaf_count)
            return place_of(r->op, b, i, r->n, r->records) != UINT64_MAX;
    }
    return 1;
}

int ms_writers_find(const ms_operation *op, ms_arena *arena, uint32_t b, uint64_t n, const void *records, ms_writers *writers)
{
    writers->places = ms_operation_elements(op, b, n);
    writers->first = ms_arena_alloc(arena, (size_t)(writers->places + 1) * sizeof *writers->first);
    writers->next = ms_arena_alloc(arena, (size_t)(n + 1) * sizeof *writers->next);
    if (!writers->first || !writers->next) return 0;
    for (uint64_t i = n; i-- > 0;) {
        const uint64_t place = place_of(op, b, i, n, records);
        if (place == UINT64_MAX) continue;
        writers->next[i] = writers->first[place];
        writers->first[place] = i + 1;
    }
    return 1;
}

/* What lies where no element was sent: zeros, or what a segment without elements comes to. 0: out of memory. */
static int load_unwritten(const ms_operation *op, ms_arena *arena, uint32_t b, unsigned char unwritten[MS_MAX_ELEMENT_BYTES])
{
    uint64_t leaves[MS_MAX_ELEMENT_BYTES];
    memset(unwritten, 0, MS_MAX_ELEMENT_BYTES);
    if (!op->empty) return 1;
    if (!ms_segments_empty(op, arena, leaves)) return 0;
    ms_leaves_store(op->buffer_types[b], unwritten, leaves + op->first_leaves[b], 0);
    return 1;
}

int ms_gather_stray(const ms_operation *op, ms_arena *arena, uint32_t b, const ms_writers *writers, const unsigned char *array, uint64_t *stray)
{
    unsigned char unwritten[MS_MAX_ELEMENT_BYTES];
    const uint32_t bytes = op->info.buffers[b].type.size_bytes;
    *stray = writers->places;
    if (op->empty && !ms_function_is_promised(op->empty)) return 1; /* devices round it */
    if (!load_unwritten(op, arena, b, unwritten)) return 0;
    for (uint64_t p = 0; p < writers->places; p++) {
        if (writers->first[p] || !memcmp(array + p * bytes, unwritten, bytes)) continue;
        *stray = p;
        break;
    }
    return 1;
}

/* ---- records ---- */

/* One output's part of the records that are made. */
typedef struct gathering {
    const ms_operation *op;
    uint32_t b;
    const unsigned char *array;
    unsigned char *made; /* records */
} gathering;

static void put(const gathering *g, uint64_t i, uint32_t l, uint64_t bits)
{
    const ms_type *record_type = g->op->output;
    const msw_leaf *leaf = &record_type->info.leaves[g->op->first_leaves[g->b] + l];
    ms_scalar_store(leaf->scalar, g->made + i * record_type->info.size_bytes + leaf->offset_bytes, bits);
}

static void take(const gathering *g, uint64_t i, uint64_t place)
{
    const msw_type_info *type = &g->op->buffer_types[g->b]->info;
    for (uint32_t l = 0; l < type->leaf_count; l++)
        put(g, i, l, ms_scalar_load(type->leaves[l].scalar, g->array + place * type->size_bytes + type->leaves[l].offset_bytes));
}

/* Each scalar of a place goes to the first element whose it may be, or to the first of all. */
static void take_shared(const gathering *g, const ms_writers *writers, uint64_t place, ms_may_be *may_be, const void *user)
{
    const msw_type_info *type = &g->op->buffer_types[g->b]->info;
    const uint32_t first_leaf = g->op->first_leaves[g->b];
    for (uint32_t l = 0; l < type->leaf_count; l++) {
        const uint64_t got = ms_scalar_load(type->leaves[l].scalar, g->array + place * type->size_bytes + type->leaves[l].offset_bytes);
        uint64_t i = writers->first[place];
        while (i && !may_be(user, i - 1, first_leaf + l, got)) i = writers->next[i - 1];
        put(g, (i ? i : writers->first[place]) - 1, l, got);
    }
}

static int gather_scattered(const gathering *g, uint64_t n, const void *expected, ms_may_be *may_be, const void *user, const ms_arena *like)
{
    ms_writers writers;
    ms_arena arena;
    ms_arena_init(&arena, &like->allocator, 0);
    const int is_found = ms_writers_find(g->op, &arena, g->b, n, expected, &writers);
    for (uint64_t p = 0; is_found && p < writers.places; p++) {
        if (!writers.first[p]) continue;
        if (!writers.next[writers.first[p] - 1]) take(g, writers.first[p] - 1, p);
        else if (may_be) take_shared(g, &writers, p, may_be, user);
    }
    ms_arena_free(&arena);
    return is_found;
}

const void *ms_gather_outputs(const ms_operation *op, const void *const *outputs, uint64_t n, uint64_t count, const void *expected, ms_may_be *may_be,
                              const void *user, ms_arena *arena)
{
    const size_t bytes = (size_t)count * op->output->info.size_bytes;
    if (!op->has_output_fields) return outputs[0];
    unsigned char *made = ms_arena_alloc(arena, bytes + 1);
    if (made && bytes) memcpy(made, expected, bytes);
    for (uint32_t b = 0, o = 0; made && b < op->info.buffer_count; b++) {
        if (op->info.buffers[b].role != MSW_ROLE_OUT || ms_operation_is_total(op, b)) continue;
        const gathering g = {op, b, outputs[o++], made};
        if (ms_is_scattered(op, b)) {
            if (!gather_scattered(&g, n, expected, may_be, user, arena)) return NULL;
            continue;
        }
        for (uint64_t i = 0; i < count; i++) {
            const uint64_t place = place_of(op, b, i, n, expected);
            if (place != UINT64_MAX) take(&g, i, place);
        }
    }
    return made;
}
