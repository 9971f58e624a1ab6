/* What is packed of a sweep's outputs: what kernels put together, and the room for it. */
#include "geometry.h"

static int is_packed(const ms_operation *op, uint32_t b)
{
    return op->info.buffers[b].role == MSW_ROLE_OUT && !ms_operation_is_total(op, b) && msw_counted_by(op->info.buffers[b].length) >= 0;
}

/* Whether kernels may put packed items together: of a balanced tree, and where states decide what is kept, they store each by itself. */
static int may_pack(const ms_operation *op)
{
    int packed = 0;
    for (uint32_t b = 0; b < op->info.buffer_count; b++) packed += is_packed(op, b);
    return packed && op->monoid && !op->recount && !op->segments && !ms_operation_is_balanced(op);
}

/* Whether a tile's results but for one can be made before it is known what comes before it. */
static int may_pack_tiles(const ms_operation *op) { return !op->reverse && (op->counts_alone || op->continued); }

enum { FLAG_BYTES = 8 }; /* templates/scan/packed_tile.tpl: of a tile's first and last item */

/* Items of a block for which there is room (templates/scan/packed_tile.tpl, packed_rows.tpl). */
static uint32_t packed_items(const ms_geometry *g)
{
    const uint32_t rows = g->items / g->vector;
    uint32_t chunk = g->packs;
    if (g->packs == MS_PACKS_TILE) return g->block * g->items + 1;
    while (chunk > 1 && rows % chunk) chunk--;
    return g->block / g->subgroup * (chunk * g->subgroup * g->vector + 1);
}

uint32_t ms_packed_bytes(const ms_operation *op, const ms_geometry *g)
{
    uint32_t bytes = FLAG_BYTES;
    if (!g->packs) return 0;
    for (uint32_t b = 0; b < op->info.buffer_count; b++)
        if (is_packed(op, b) && !ms_lies_behind(op, b)) bytes += ms_round_up(packed_items(g) * ms_register_bytes(op->buffer_types[b]), 8);
    return bytes;
}

uint32_t ms_packs(const ms_operation *op, uint32_t packs)
{
    if (!may_pack(op)) return 0;
    return packs == MS_PACKS_TILE && !may_pack_tiles(op) ? 1 : packs;
}

/* ---- look-ahead ---- */

int ms_packs_early(const ms_operation *op)
{
    return op->counts_alone || (op->continued && ms_item_bytes(op, MSW_ROLE_OUT) <= ms_item_bytes(op, MSW_ROLE_IN));
}

int ms_lies_behind(const ms_operation *op, uint32_t b)
{
    const uint32_t count = b ? op->info.buffers[b].length - MSW_LENGTH_REST : 0;
    return op->counts_alone && b && op->info.buffers[b].length >= MSW_LENGTH_REST && op->info.buffers[b - 1].length == MSW_LENGTH_COUNTED + count &&
           op->buffer_types[b - 1]->info.size_bytes == op->buffer_types[b]->info.size_bytes;
}
