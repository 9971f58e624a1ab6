$ -- What kernels need that sort a tile in one block, a digit after another, the keys between two digits in registers (settle_digits.tpl). Values stay
$ -- where they are until the end: each key carries its place.
$ if value then
struct TilePlaces {
    uint at[ROWS];
};

$ end
$(shared("uint", "is_settled")) // 1: all keys have the same digit
