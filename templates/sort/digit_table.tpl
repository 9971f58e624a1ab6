$ -- What a sort's launches tell each other of its digits, in the scratch: for each pass and bin the keys that have the digit, later where the
$ -- first of them goes; and which passes move anything.
const uint HISTOGRAM_OFFSET = $(histogram_offset)u; // bytes, in the scratch: keys[2][PASSES][BINS]; sorts take turns with the two
const uint STARTS_OFFSET = $(starts_offset)u; // places[PASSES][BINS]
const uint VARIES_OFFSET = $(varies_offset)u; // uint[PASSES]: whether keys differ in the digit

$(buffer("Histogram", Index, 8))

$(buffer("Starts", Index, 8))

$(buffer("Varies", "uint", 4))
