$ -- Which tiles a block owns where no ticket says so.
struct TileRange {
    uint first;
    uint end;
};

$ if balanced then
// How many tiles a block of that many owns: a power of two, so that what they add up to is a block of the tree.
uint share_of(uint tiles, uint blocks)
{
    uint share = 1u;
    while (share < (tiles + blocks - 1u) / blocks) share *= 2u;
    return share;
}

$ end
// The tiles of this block: an even share of all, in order.
TileRange owned_tiles(uint tiles)
{
    const uint share = $(balanced and "share_of(tiles, block_count())" or "(tiles + block_count() - 1u) / block_count()");
    TileRange range;
    range.first = min(block_id() * share, tiles);
    range.end = min(range.first + share, tiles);
    return range;
}
$ if balanced then

// Whether the last tile is this block's; where there is none the first block has the end.
bool owns_end(TileRange range, uint tiles)
{
    return range.end == tiles && (range.first < tiles || block_id() == 0u);
}
$ end
