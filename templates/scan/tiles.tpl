$ -- The items of a tile as the monoid's elements: defines load_tile, and what parts/tile_places does.
$ include "parts/tile_places"

// The monoid's elements of one lane, row by row$(reverse and ", last item first" or "").
struct Tile {
    Elements rows[ROWS];
};

// The tile's items as the monoid's elements; the identity beyond n.
Tile load_tile($(takes_inputs)$(Index) start, $(Index) n)
{
    Tile tile;
    if ($(has_inputs and "is_aligned && " or "")$(is_whole)) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const $(Index) first = start + row_place(row);
$ if has_inputs then
            const Inputs inputs = load_full_inputs(in_items, first);
$ end
$ if map_takes_near and has_inputs then
            const Nears nears = nears_of(in_items, inputs, first, n);
$ end
            UNROLL for (uint v = 0u; v < VECTOR; v++) tile.rows[row].at[$(place)] = $(tile_map("inputs.at[v]", "first + v", near_text("v", "first + v")));
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const $(Index) first = start + row_place(row);
$ if has_inputs then
            const Inputs inputs = load_inputs(in_items, first, n);
$ end
$ if map_takes_near and has_inputs then
            const Nears nears = nears_of(in_items, inputs, first, n);
$ end
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                tile.rows[row].at[$(place)] = $(nothing);
                if (first + v < n) tile.rows[row].at[$(place)] = $(tile_map("inputs.at[v]", "first + v", near_text("v", "first + v")));
            }
        }
    }
    return tile;
}
