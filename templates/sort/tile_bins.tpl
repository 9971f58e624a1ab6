$ -- What templates that rank a tile's items by a digit hand to kernels.
$ if not one_bin_each then
const uint THREAD_BINS = (BINS + BLOCK - 1u) / BLOCK; // consecutive ones of a thread

$ end
struct TileKeys {
    $(Key) at[ROWS];
};

// What a thread knows of its $(one_bin_each and "bin" or "bins").
struct ThreadBins {
    uint count$(bins_each); // the tile's items
    uint start$(bins_each); // where they begin in the sorted tile
};
$ if not spares_last then

$(shared("uint", "last_digit"))
$ end
