$ -- Map: each block owns a contiguous range of tiles; a thread has all its rows of a tile in flight before it maps them.
$ assert(ITEMS % VECTOR == 0 and BLOCK % LANES == 0)
$(types)

$(functions)

$ include("memory", {array = "In", group = "Inputs", type = input, reads = true, writes = false})

$ include("memory", {array = "Out", group = "Outputs", type = output, reads = false, writes = true})

$ include "parts/tile_places"

$ include "parts/owned_tiles"

$(kernel("map"))
{
    const $(Index) n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    Out out_items = Out(params.buffers[1]);
    const bool is_aligned = is_vector_aligned(params.buffers[0]) && is_vector_aligned(params.buffers[1]);
    const TileRange tiles = owned_tiles(tile_count(n));

    for (uint tile = tiles.first; tile < tiles.end && is_given(params.buffers[1]); tile++) {
        const $(Index) start = tile_start(tile, n);
        if (is_aligned && start + TILE <= n) {
            Inputs rows[ROWS];
            UNROLL for (uint row = 0u; row < ROWS; row++) rows[row] = load_full_inputs(in_items, start + row_place(row));
            UNROLL for (uint row = 0u; row < ROWS; row++) {
                const $(Index) first = start + row_place(row);
                Outputs outputs;
                UNROLL for (uint v = 0u; v < VECTOR; v++) outputs.at[v] = $(map("rows[row].at[v]", "first + v"));
                store_full_outputs(out_items, first, outputs);
            }
        } else {
            UNROLL for (uint row = 0u; row < ROWS; row++) {
                const $(Index) first = start + row_place(row);
                const Inputs inputs = load_inputs(in_items, first, n);
                Outputs outputs;
                UNROLL for (uint v = 0u; v < VECTOR; v++) {
                    if (first + v < n) outputs.at[v] = $(map("inputs.at[v]", "first + v"));
                }
                store_outputs(out_items, first, n, outputs);
            }
        }
    }
}
