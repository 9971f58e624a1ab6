$ -- The items of a tile as the monoid's elements: defines load_tile, and what parts/tile_places does.
$ include "parts/tile_places"

// The monoid's elements of one lane, row by row$(reverse and ", last item first" or "").
struct Tile {
    Elements rows[ROWS];
};

// The tile's items as the monoid's elements; the identity beyond n.
Tile load_tile(In in_items, bool is_aligned, $(Index) start, $(Index) n)
{
    Tile tile;
    if (is_aligned && $(is_whole)) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const $(Index) first = start + row_place(row);
            const Inputs inputs = load_full_inputs(in_items, first);
$ if map_takes_near then
            const Nears nears = nears_of(in_items, inputs, first, n);
$ end
            UNROLL for (uint v = 0u; v < VECTOR; v++) tile.rows[row].at[$(place)] = $(map("inputs.at[v]", "first + v", "nears.at[v]"));
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const $(Index) first = start + row_place(row);
            const Inputs inputs = load_inputs(in_items, first, n);
$ if map_takes_near then
            const Nears nears = nears_of(in_items, inputs, first, n);
$ end
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                tile.rows[row].at[$(place)] = identity();
                if (first + v < n) tile.rows[row].at[$(place)] = $(map("inputs.at[v]", "first + v", "nears.at[v]"));
            }
        }
    }
    return tile;
}
