$ -- What kernels need that sort a tile in one block, a digit after another, the keys between two digits in registers (settle_digits.tpl). Values stay
$ -- where they are until the end: each key carries its place.
$ if value then
struct TilePlaces {
    uint at[ROWS];
};

$ end
$(shared("uint", "first_repeat")) // rank of the first place beyond the last item
$(shared("uint", "is_settled")) // 1: all keys have the same digit

// The rank of the item that takes a place, `end` being the first repeat's: repeats stay behind all items.
uint rank_at(uint place, uint last, uint end)
{
    const uint item = min(place, last);
    return item < end ? item : item + (TILE - 1u - last);
}
