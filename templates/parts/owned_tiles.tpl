$ -- Which tiles a block owns where no ticket says so.
struct TileRange {
    uint first;
    uint end;
};

// The tiles of this block: an even share of all, in order.
TileRange owned_tiles(uint tiles)
{
    const uint share = (tiles + block_count() - 1u) / block_count();
    TileRange range;
    range.first = min(block_id() * share, tiles);
    range.end = min(range.first + share, tiles);
    return range;
}
