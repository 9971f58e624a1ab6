$ -- Items of a tile that threads hand each other through shared memory, at their places in the sorted tile. exchange_size: its text, in words.
$ if exchange_words > 1 then
// Word w of the item at a place: moved_words[w * TILE + place].
$ end
$(launch_shared("moved_words", exchange_size))

$ local function at(w) return w == 0 and "moved_words[place]" or ("moved_words[%s + place]"):format(w == 1 and "TILE" or w .. "u * TILE") end
$ local function define(name, U, type_name)
void store_exchanged_$(name)(uint place, $(type_name) x)
{
$ for w, word in ipairs(words_of(U, "x")) do
    $(at(w - 1)) = $(word);
$ end
}

$(type_name) load_exchanged_$(name)(uint place)
{
$ local words = {}
$ for w = 1, #words_of(U, "x") do words[w] = at(w - 1) end
    return $(from_words(U, words));
}
$ end
$ define("key", key, Key)
$ if value and is_value_exchanged == 1 then

$ define("value", value, Value)
$ end
$ if value then

$ define("place", word, "uint")
$ end
