$ -- What templates that rank a tile's items by a digit hand to kernels.
const uint THREAD_BINS = (BINS + BLOCK - 1u) / BLOCK; // consecutive ones of a thread

struct TileKeys {
    $(Key) at[ROWS];
};

// What a thread knows of its bins.
struct ThreadBins {
    uint counts[THREAD_BINS]; // the tile's items
    uint starts[THREAD_BINS]; // where they begin in the sorted tile
};

$(shared("uint", "last_digit"))
