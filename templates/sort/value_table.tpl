$ -- What the launches of a sort by counting tell each other of keys that have one of few values, in the scratch: how many keys have a value, and
$ -- where the first of them goes. A value is a key's image.
const uint VALUES = $(1 << key_bits)u;
const uint VALUE_COUNTS_OFFSET = $(value_counts_offset)u; // bytes, in the scratch: keys[2][VALUES]; sorts take turns with the two
const uint VALUE_STARTS_OFFSET = $(value_starts_offset)u; // places[VALUES]

$(buffer("ValueCounts", Index, 8))

$(buffer("ValueStarts", Index, 8))
