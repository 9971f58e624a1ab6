$ -- The items of a tile as the monoid's elements: defines load_tile, and what parts/tile_places does. folds: a lane's part of a row is summed up.
$ include "parts/tile_places"

$ local v = folds and place or "v"
$ local item = tile_map("inputs.at[" .. v .. "]", "first + " .. v, near_text(v, "first + " .. v))
$ if folds then
// What one lane's part of each row adds up to.
struct Tile {
    $(P) rows[ROWS];
};
$ else
// The monoid's elements of one lane, row by row$(reverse and ", last item first" or "").
struct Tile {
    Elements rows[ROWS];
};
$ end

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
$ if folds then
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const $(P) x = $(item);
                if (v == 0u) tile.rows[row] = x;
                else tile.rows[row] = $(tile_join("tile.rows[row]", "x"));
            }
$ else
            UNROLL for (uint v = 0u; v < VECTOR; v++) tile.rows[row].at[$(place)] = $(item);
$ end
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
$ if folds then
            tile.rows[row] = $(nothing);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                if (first + $(v) < n) {
                    const $(P) x = $(item);
                    tile.rows[row] = $(tile_join("tile.rows[row]", "x"));
                }
            }
$ else
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                tile.rows[row].at[$(place)] = $(nothing);
                if (first + v < n) tile.rows[row].at[$(place)] = $(item);
            }
$ end
        }
    }
    return tile;
}
