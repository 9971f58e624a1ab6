$ -- What the launches of a sort by counting tell each other of keys of several digits, in the scratch: how many keys have an image, and where the
$ -- first of them goes.
const uint IMAGES = $(1 << key_bits)u;
const uint IMAGE_COUNTS_OFFSET = $(image_counts_offset)u; // bytes, in the scratch: keys[2][IMAGES]; sorts take turns with the two
const uint IMAGE_STARTS_OFFSET = $(image_starts_offset)u; // places[IMAGES]

$(buffer("ImageCounts", Index, 8))

$(buffer("ImageStarts", Index, 8))
