$ -- How items lie in tiles: a subgroup owns ROWS rows of LANES * VECTOR consecutive items; in a row a lane owns VECTOR consecutive items.
$ -- Defines tile_count, tile_start, row_place, load_tile.
uint tile_count($(Index) n)
{
    return (n + (TILE - 1u)) / TILE; // a plan's n_max leaves room for the sum
}

$ if reverse then
// Index of the lowest item of a tile. Tiles, rows, lanes and items go from the last item to the first; places beyond n come first.
$(Index) tile_start($(Index) tile, $(Index) n)
{
    return (tile_count(n) - 1u - tile) * TILE;
}

// Place in its tile of the lowest item of this lane's part of a row.
uint row_place(uint row)
{
    return TILE - ((subgroup_id() * ROWS + row) * LANES + lane_id() + 1u) * VECTOR;
}
$ else
// Index of the first item of a tile.
$(Index) tile_start($(Index) tile, $(Index) n)
{
    return tile * TILE;
}

// Place in its tile of the first item of this lane's part of a row.
uint row_place(uint row)
{
    return ((subgroup_id() * ROWS + row) * LANES + lane_id()) * VECTOR;
}
$ end

// The monoid's elements of one lane, row by row$(reverse and ", last item first" or "").
struct Tile {
    Elements rows[ROWS];
};

// The tile's items as the monoid's elements; the identity beyond n.
Tile load_tile(In in_items, bool is_aligned, $(Index) start, $(Index) n)
{
    Tile tile;
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const $(Index) first = start + row_place(row);
            const Inputs inputs = load_full_inputs(in_items, first);
            UNROLL for (uint v = 0u; v < VECTOR; v++) tile.rows[row].at[$(place)] = $(map("inputs.at[v]", "first + v"));
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const $(Index) first = start + row_place(row);
            const Inputs inputs = load_inputs(in_items, first, n);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                tile.rows[row].at[$(place)] = identity();
                if (first + v < n) tile.rows[row].at[$(place)] = $(map("inputs.at[v]", "first + v"));
            }
        }
    }
    return tile;
}
