$ -- Where segments begin in a tile: number_segments fills what parts/arrays.tpl declares for the items of the tile. Uses tile_places.tpl,
$ -- segment_offsets.tpl. stores_empty: it also writes the results of segments without elements.
$ include "parts/segment_results"

$ if not has_posts then
$ include "parts/segment_firsts"

$ end
$ local more = stores_empty and ", Out out_items, bool stores_empty" or ""
// Finds out which segments begin in the tile whose first item is items.first$(stores_empty and "; stores_empty: writes the results of those that have no elements" or "").
// The whole block calls it.
void number_segments(In items$(more), $(Address) scratch, $(Index) n)
{
    Firsts firsts = segment_firsts(scratch, tile_count(n));
    const uint tile = uint(items.first / TILE);
    const uint end = firsts.at[tile + 1u];
    uint next = firsts.at[tile];
    block_barrier(); // the tile before has been read
    UNROLL for (uint k = 0u; k < $(ITEMS)u; k++) segment_numbers[k * BLOCK + thread_id()] = 0u;
    if (thread_id() == 0u) segment_numbers[TILE] = 0u;
    block_barrier();
    while (next < end) {
        if (next % CHUNK == 0u && CHUNK < end - next && offset_at(items, next) == offset_at(items, next + CHUNK)) {
            next = last_chunk(items, next, end);
        } else {
            const uint own = next + thread_id();
            next += min(min(BLOCK, CHUNK - next % CHUNK), end - next);
            if (own < next) {
                const $(Index) offset = offset_at(items, own);
                if (offset_at(items, own + 1u) != offset) {
                    if (offset - items.first < TILE) segment_numbers[uint(offset - items.first)] = own + 1u; // else offsets do not ascend
$ if stores_empty then
                } else if (stores_empty) {
                    store_empty(out_items, own);
$ end
                }
            }
        }
    }
    if (thread_id() == 0u && offset_at(items, end) == items.first + TILE) segment_numbers[TILE] = end + 1u;
    block_barrier();
}
