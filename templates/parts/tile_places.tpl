$ -- How items lie in tiles: a subgroup owns ROWS rows of LANES * VECTOR consecutive items; in a row a lane owns VECTOR consecutive items.
$ -- Defines tile_count, tile_start, row_place.
uint tile_count($(Index) n)
{
    return (n + (TILE - 1u)) / TILE; // a plan's n_max leaves room for the sum
}

$ if reverse then
$ local first = balanced and "tile 0 has the last one." or "places beyond n come first."
// Index of the lowest item of a tile. Tiles, rows, lanes and items go from the last item to the first; $(first)
$(Index) tile_start($(Index) tile, $(Index) n)
{
$ if balanced then
    return n - (tile + 1u) * TILE; // of a tile that is not whole it lies before the first item
$ else
    return (tile_count(n) - 1u - tile) * TILE;
$ end
}

$ -- In the index's bits: NVVM 13.0 takes what is subtracted in 32 bits out of the sum with the tile's start, and widens it below zero.
// Place in its tile of the lowest item of this lane's part of a row.
$(Index) row_place(uint row)
{
    return $(as_index("TILE")) - ((subgroup_id() * ROWS + row) * LANES + lane_id() + 1u) * VECTOR;
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
$ if balanced then

// Place of the first item of this lane's part of a row, from where the scan begins.
uint scan_place(uint row)
{
    return ((subgroup_id() * ROWS + row) * LANES + lane_id()) * VECTOR;
}

// How many of the tile's items there are.
uint items_of($(Index) tile, $(Index) n)
{
    const $(Index) rest = n - tile * TILE;
    return rest < TILE ? uint(rest) : TILE;
}
$ end
