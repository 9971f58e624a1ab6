$ -- How items lie in tiles, and which tiles a block owns. In a tile a subgroup owns ROWS rows of LANES * VECTOR consecutive items;
$ -- in a row a lane owns VECTOR consecutive items.
$ local tile_count = "n / TILE + (n % TILE != 0u ? 1u : 0u)"
struct TileRange {
    uint first;
    uint end;
};

// The tiles of this block: an even share of all, in order.
TileRange owned_tiles(uint n)
{
    const uint tiles = $(tile_count);
    const uint share = tiles / block_count() + (tiles % block_count() != 0u ? 1u : 0u);
    TileRange range;
    range.first = min(block_id() * share, tiles);
    range.end = min(range.first + share, tiles);
    return range;
}

$ if reverse then
// Index of the lowest item of this lane's part of a row. Tiles, rows, lanes and items go from the last item to the first;
// places beyond n come first.
uint row_start(uint tile, uint row, uint n)
{
    const uint tiles = $(tile_count);
    const uint place = ((subgroup_id() * ROWS + row) * LANES + lane_id() + 1u) * VECTOR;
    return (tiles - tile) * TILE - place;
}
$ else
// Index of the first item of this lane's part of a row.
uint row_start(uint tile, uint row, uint n)
{
    return tile * TILE + ((subgroup_id() * ROWS + row) * LANES + lane_id()) * VECTOR;
}
$ end

// The monoid's elements of one lane in one row$(reverse and ", last item first" or ""); the identity beyond n.
Elements row_elements(Inputs inputs, uint start, uint n)
{
    Elements x;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        const uint i = start + v;
        x.at[$(place)] = identity();
        if (i < n) x.at[$(place)] = $(map("inputs.at[v]", "i"));
    }
    return x;
}
