$ -- Single items between memory and registers: array (a buffer type), name, type; reads, writes. An item that is no whole words begins and ends
$ -- inside words, whose other bytes belong to its neighbours: it is stored by atomic operations, since others store those at the same time.
$ -- is_shared: several items may have one place, of which one must stay, not the bits of both.
$ local codec = memory_codec(type, 1)
$ local nonprivate = is_ordered and "nonprivate " or "" -- else no barrier orders it
$ local size = type.size
$ local is_split = codec.words and size % 4 ~= 0
$ local period = size % 2 == 0 and 2 or 4 -- items that are whole words together
$ local touched = (size + (period == 2 and 2 or 3) + 3) // 4 -- words, at most
$ -- Word k of those that an item may touch. The one after as many words as an item's own has bytes of it where it begins late enough; else it is
$ -- not to be touched, and what is done to the first instead changes nothing. (A choice of values: branches would take SwiftShader's compiler
$ -- exponential time.)
$ local function word_place(k)
$     return k < codec.words and codec.offset("first", k) or ("first + (shift > %du ? %du : 0u)"):format(8 * (4 * codec.words - size), k)
$ end
$ local function word_name(k) return "word" .. k end
$ local function times(text, factor) return factor == 1 and text or ("%s * %du"):format(text, factor) end
$ local function place_text()
    const uint first = $(times("i / " .. period .. "u", size * period // 4))$(size > 2 and (" + i %% %du * %du / 4u"):format(period, size) or "");
    const uint shift = $(times("i", size % 4)) % 4u * 8u;
$ end
$ if codec.words then
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer $(array) {
    $(nonprivate)uint word[]; // items of $(size) byte$(size > 1 and "s" or "")
};
$ else
layout(buffer_reference, scalar, buffer_reference_align = $(item_align(type))) buffer $(array) {
    $(nonprivate)$(codec.memory_type) at[];
};
$ end

$ if reads then
$(codec.type_name) load_$(name)($(array) items, $(Index) i)
{
$ if is_split then
$ place_text()
$ for k = 0, touched - 1 do
    const uint read$(k) = items.word[$(word_place(k))];
$ end
$ for k = 0, codec.words - 1 do
    const uint word$(k) = read$(k) >> shift$(k + 1 < touched and (" | read%d << 1u << (31u - shift)"):format(k + 1) or "");
$ end
    return $(codec.unpack(0, word_name));
$ elseif codec.words then
    const uint first = i * $(codec.words)u;
$ for k = 0, codec.words - 1 do
    const uint word$(k) = items.word[$(codec.offset("first", k))];
$ end
    return $(codec.unpack(0, word_name));
$ else
    return $(codec.from_memory("items.at[i]"));
$ end
}

$ end
$ if writes then
void store_$(name)($(array) items, $(Index) i, $(codec.type_name) item)
{
$ if is_split then
$ place_text()
$ for k = 0, codec.words - 1 do
    const uint word$(k) = $(codec.pack(k + 1, "item"));
$ end
$ local last_mask = ("0x%xu"):format((1 << 8 * (size % 4)) - 1)
$ local function spread(k, text) -- word k of what `text` gives the item's words of, shifted to where the item is
$     local low, high = k < codec.words and text(k) .. " << shift", k > 0 and text(k - 1) .. " >> 1u >> (31u - shift)"
$     return low and high and low .. " | " .. high or low or high
$ end
$ local function mask(k) return k == codec.words - 1 and last_mask or "0xffffffffu" end
$ for k = 0, is_shared and touched - 1 or -1 do
    const uint mask$(k) = $(spread(k, mask));
    uint seen$(k) = ~0u, old$(k) = 0u;
    while (mask$(k) != 0u && old$(k) != seen$(k)) {
        seen$(k) = old$(k);
        old$(k) = atomicCompSwap(items.word[$(word_place(k))], seen$(k), (seen$(k) & ~mask$(k)) | $(spread(k, word_name)));
    }
$ end
$ for k = 0, is_shared and -1 or touched - 1 do
    atomicAnd(items.word[$(word_place(k))], ~($(spread(k, mask))));
    atomicOr(items.word[$(word_place(k))], $(spread(k, word_name)));
$ end
$ elseif codec.words then
    const uint first = i * $(codec.words)u;
$ for k = 0, codec.words - 1 do
    items.word[$(codec.offset("first", k))] = $(codec.pack(k + 1, "item"));
$ end
$ else
    items.at[i] = $(codec.to_memory("item"));
$ end
}
$ end
