$ -- Values of a tile that come to shared memory by themselves, each to its place in the tile: no thread has registers for them. Uses tile_items.
$ -- first, offset: text that says behind which words of the launch's shared memory they lie.
$ local words = #words_of(value, "x")
$ local function at(w, place) return w == 0 and place or ("%s + %s"):format(w == 1 and "TILE" or w .. "u * TILE", place) end
$(launch_shared("fetched_words", ("TILE * %du"):format(words), first, "(" .. offset .. ")")) // word w of the value at a place: fetched_words[w * TILE + place]

$ include("fetches")

// Has those of the tile's rows come, whose values begin at an address: they are there when wait_for_fetches has returned. For places beyond the last
// its value comes.
void fetch_values($(Address) tile_values, uint last)
{
    const uint first = row_place(0u);
    if (last == TILE - 1u) {
        const $(Address) values = address_after(tile_values, first, $(value.size)u); // distances from it are constants
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint distance = row_place(row) - first;
$ for w = 0, words - 1 do
            fetch_word(&fetched_words[first + $(at(w, "distance"))], address_at(values, distance * $(value.size)u$(w > 0 and (" + %du"):format(4 * w) or "")));
$ end
        }
    } else {
        ROLL for (uint row = 0u; row < ROWS; row++) {
            const $(Address) from = address_after(tile_values, min(row_place(row), last), $(value.size)u);
$ for w = 0, words - 1 do
            fetch_word(&fetched_words[$(at(w, "row_place(row)"))], $(w > 0 and ("address_at(from, %du)"):format(4 * w) or "from"));
$ end
        }
    }
}

$(Value) fetched_value(uint place)
{
$ local texts = {}
$ for w = 0, words - 1 do texts[w + 1] = ("fetched_words[%s]"):format(at(w, "place")) end
    return $(from_words(value, texts));
}
