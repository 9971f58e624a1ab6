$ -- Map: each block owns a contiguous range of tiles; a thread has all its rows of a tile in flight before it maps them.
$ assert(ITEMS % VECTOR == 0 and BLOCK % LANES == 0)
$(types)

$(functions)

$ include("parts/arrays", inputs)

$ include("parts/arrays", outputs)

$ include "parts/tile_places"

$ include "parts/owned_tiles"

$(kernel("map"))
{
    const $(Index) n = element_count(params.n, params.n_address);
$ if has_inputs then
    In in_items = $(inputs.value);
$ end
    Out out_items = $(outputs.value);
    const bool is_aligned = $(has_inputs and inputs.are_aligned .. " && " or "")$(outputs.are_aligned);
    const TileRange tiles = owned_tiles(tile_count(n));

    for (uint tile = tiles.first; tile < tiles.end && $(outputs.is_given); tile++) {
        const $(Index) start = tile_start(tile, n);
        if (is_aligned && start + TILE <= n) {
$ if has_inputs then
            Inputs rows[ROWS];
            UNROLL for (uint row = 0u; row < ROWS; row++) rows[row] = load_full_inputs(in_items, start + row_place(row));
$ end
            UNROLL for (uint row = 0u; row < ROWS; row++) {
                const $(Index) first = start + row_place(row);
$ if near and has_inputs then
                const Nears nears = nears_of(in_items, rows[row], first, n);
$ end
                Outputs outputs;
                UNROLL for (uint v = 0u; v < VECTOR; v++) outputs.at[v] = $(map("rows[row].at[v]", "first + v", near_text("v", "first + v")));
                store_full_outputs(out_items, first, outputs);
            }
        } else {
            UNROLL for (uint row = 0u; row < ROWS; row++) {
                const $(Index) first = start + row_place(row);
$ if has_inputs then
                const Inputs inputs = load_inputs(in_items, first, n);
$ end
$ if near and has_inputs then
                const Nears nears = nears_of(in_items, inputs, first, n);
$ end
                Outputs outputs;
                UNROLL for (uint v = 0u; v < VECTOR; v++) {
                    if (first + v < n) outputs.at[v] = $(map("inputs.at[v]", "first + v", near_text("v", "first + v")));
                }
                store_outputs(out_items, first, n, outputs);
            }
        }
    }
}
