$ -- What the launches of an upsweep and a downsweep tell each other, in the scratch.
// For each bin and block, items that the block's tiles have, later where the first of them goes: at[bin * blocks + block].
$(buffer("BinTable", Index, 8))
